/// What stands in stage.hpp.
#include "zwang/report/scene/stage.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/model/evaluate.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace {

/// The picture's size; where bodies hardly move, their distances from the origin count too.
double scene_size(const SceneBox& box) {
  double out = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    out = std::fmax(out, box.high[c] - box.low[c]);
  }
  if (out > 0) {
    return out;
  }
  for (std::size_t c = 0; c < 3; ++c) {
    out = std::fmax(out, std::fmax(std::abs(box.low[c]), std::abs(box.high[c])));
  }
  return out > 0 ? out : 1.0;
}

}  // namespace

Stage::Stage(const model::Model& whole, const std::vector<SceneBody>& all, const SceneBox& around, double from,
             double to)
    : model(whole), bodies(all), box(around), start(from), end(to), size(scene_size(around)) {
  body_of.assign(model.variables, nobody);
  component.assign(model.variables, 0);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (std::size_t c = 0; !bodies[b].view && c < bodies[b].track.size(); ++c) {
      body_of[bodies[b].track[c]] = static_cast<std::int64_t>(b);
      component[bodies[b].track[c]] = c;
    }
  }

  shift.assign(model.variables, 0.0);
  find_shown();

  // How many equations hold a single point: as many as it has components pin it, and then no surface is worth drawing.
  held_by.assign(bodies.size(), {});
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (model.row_kind[row] != model::RowKind::holonomic_equation) {
      continue;
    }
    const std::vector<std::int64_t> who = bodies_of(row);
    if (who.size() == 1) {
      held_by[static_cast<std::size_t>(who[0])].push_back(row);
    }
  }
}

void Stage::find_shown() {
  model::State state;
  state.time = start;
  state.position = model.initial_position;
  state.velocity = model.initial_velocity;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (std::size_t c = 0; bodies[b].view && c < bodies[b].track.size(); ++c) {
      const model::Observable& part = model.view.components[bodies[b].track[c] - model.variables];
      if (part.term.positions != 1 || part.term.velocities != 0) continue;
      const std::uint32_t variable = part.term.position_of[0];
      if (body_of[variable] != nobody) continue;

      // Moved here and there, and later, it differs from its coordinate by the same.
      const double first = model.initial_position[variable];
      const double added = model::observe(part, state) - first;
      bool shown = std::isfinite(added);
      for (const double step : {1.0, -2.0}) {
        state.position[variable] = first + step * size;
        state.time = step > 0 ? end : start;
        const double now = model::observe(part, state) - state.position[variable];
        shown = shown && std::abs(now - added) <= same_part * (size + std::abs(added) + std::abs(first));
      }
      state.position[variable] = first;
      state.time = start;
      if (!shown) continue;
      body_of[variable] = static_cast<std::int64_t>(b);
      component[variable] = c;
      shift[variable] = added;
    }
  }
}

Vector Stage::initial(std::int64_t body) const {
  Vector out{0, 0, 0};
  if (bodies[static_cast<std::size_t>(body)].view) {
    for (std::uint32_t k = 0; k < model.variables; ++k) {
      if (body_of[k] == body) out[component[k]] = model.initial_position[k] + shift[k];
    }
    return out;
  }
  const std::vector<std::uint32_t>& track = bodies[static_cast<std::size_t>(body)].track;
  for (std::size_t c = 0; c < track.size(); ++c) {
    out[c] = model.initial_position[track[c]];
  }
  return out;
}

unsigned Stage::dimension(std::int64_t body) const {
  return static_cast<unsigned>(bodies[static_cast<std::size_t>(body)].track.size());
}

void Stage::put(RowSight& sight, std::int64_t body, const Vector& place) const {
  for (std::size_t k = 0; k < sight.slots(); ++k) {
    const std::uint32_t variable = sight.variable(k);
    if (body_of[variable] == body) {
      sight.slot(k) = place[component[variable]] - shift[variable];
    }
  }
}

Vector Stage::gradient(const RowSight& sight, std::int64_t body) const {
  Vector out{0, 0, 0};
  for (std::size_t k = 0; k < sight.slots(); ++k) {
    const std::uint32_t variable = sight.variable(k);
    if (body_of[variable] == body) {
      out[component[variable]] = sight.gradient(k);
    }
  }
  return out;
}

std::vector<std::int64_t> Stage::bodies_of(std::uint32_t row) const {
  std::vector<std::int64_t> out;
  for (std::uint32_t k = model.row_start[row]; k < model.row_start[row + 1]; ++k) {
    const std::int64_t body = body_of[model.row_column[k]];
    if (body == nobody) {
      return {};
    }
    if (std::find(out.begin(), out.end(), body) == out.end()) {
      out.push_back(body);
    }
  }
  return out;
}

const model::Condition& Stage::condition(std::uint32_t row) const { return model.conditions[model.row_condition[row]]; }

double Stage::begin_of(std::uint32_t row) const {
  return Stage::condition(row).seizure ? std::clamp(condition(row).at, start, end) : start;
}

bool Stage::moves(std::uint32_t row) const { return model.groups[model.row_group[row]].rheonomic; }

std::string Stage::relation(std::uint32_t row, bool grows) const {
  return model::is_equation(model.row_kind[row]) ? "=" : grows ? "<=" : ">=";
}

Field Stage::field_of(RowSight& sight, std::int64_t body, double time) const {
  Field field;
  field.dimension = dimension(body);
  field.value = [this, &sight, body, time](const Vector& place, Vector& slope) {
    put(sight, body, place);
    const double value = sight.run(time);
    slope = gradient(sight, body);
    return value;
  };
  return field;
}

void Stage::sampling_box(Vector& low, Vector& high) const {
  for (std::size_t c = 0; c < 3; ++c) {
    const double margin = 0.25 * size + 0.1 * (box.high[c] - box.low[c]);
    low[c] = box.low[c] - margin;
    high[c] = box.high[c] + margin;
  }
}

}  // namespace zwang::report
