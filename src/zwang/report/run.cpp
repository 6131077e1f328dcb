/// A run told by its file.
#include "zwang/report/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/without_effect.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/report/parts.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

namespace {

bool variational(const model::Model& model, std::uint32_t row) {
  return model.conditions[model.row_condition[row]].law == model::Law::variational;
}

std::vector<std::string> condition_names(const model::Model& model, const std::vector<std::uint32_t>& rows) {
  std::vector<std::string> list;
  for (const std::uint32_t row : rows) {
    // The parts of one condition share its name.
    const std::string name = model::row_name(model, row);
    if (list.empty() || list.back() != name) list.push_back(name);
  }
  return list;
}

/// A state with its multipliers, into an open object.
void put_state(Writer& json, const model::Model& model, const motion::Sample& sample) {
  json.put("time", sample.state.time);
  put_places(json, "positions", model, sample.state.position);
  put_bodies(json, "velocities", model, sample.state.velocity, {model::Sort::velocity, sample.state.position});
  json.open("multipliers");
  std::vector<std::pair<std::uint32_t, double>> multipliers;
  for (std::size_t j = 0; j < sample.rows.size() && j < sample.multipliers.size(); ++j) {
    multipliers.emplace_back(sample.rows[j], sample.multipliers[j]);
  }
  put_row_values(json, model, multipliers);
  put_wrenches(json, model, sample.state, multipliers);
  json.close();
  if (!sample.rho.empty()) {
    json.open("rho");
    for (std::size_t j = 0; j < sample.rows.size(); ++j) {
      if (variational(model, sample.rows[j])) {
        json.put(model::row_name(model, sample.rows[j]), sample.rho[j]);
      }
    }
    json.close();
  }
  if (!sample.outputs.empty()) {
    json.open("outputs");
    for (std::size_t i = 0; i < sample.outputs.size(); ++i) {
      json.put(model.outputs[i].name, sample.outputs[i]);
    }
    json.close();
  }
}

/// Pairs name=value, apart from each other by blanks.
std::string impulse_words(const model::Model& model, const std::vector<motion::RowValue>& impulses) {
  std::string text;
  for (const auto& [row, value] : impulses) {
    text += (text.empty() ? "" : " ") + model::row_name(model, row) + "=" + exact(value);
  }
  return text;
}

/// One line of comma-separated values.
class Line {
 public:
  Line& put(std::string_view text) {
    comma();
    text_ += csv_cell(text);
    return *this;
  }
  /// What is not a number stays empty.
  Line& put(double value) {
    comma();
    if (!std::isnan(value)) {
      text_ += exact(value);
    }
    return *this;
  }
  void end(const Sink& sink) {
    text_ += '\n';
    sink(text_);
    text_.clear();
    first_ = true;
  }

 private:
  void comma() {
    if (!first_) {
      text_ += ',';
    }
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

/// Names of the variables, then of their velocities: of a body in space its spin in the fixed frame.
void put_state_names(Line& line, const model::Model& model) {
  for (std::uint32_t i = 0; i < model.variables; ++i) line.put(model::variable_name(model, i));
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::uint32_t first = body.first + member * body.dimension;
      const std::uint32_t plain = body.turns() ? 3 : body.dimension;
      for (std::uint32_t c = 0; c < plain; ++c) line.put(model::variable_name(model, first + c) + "'");
      if (!body.turns()) continue;
      for (const char* axis : {".spin.x", ".spin.y", ".spin.z"}) line.put(model::member_name(body, member) + axis);
    }
  }
}

void put_numbers(Line& line, const std::vector<double>& values) {
  for (const double value : values) {
    line.put(value);
  }
}

/// Positions and velocities under those names.
void put_state(Line& line, const model::Model& model, const std::vector<double>& position,
               const std::vector<double>& velocity) {
  if (!model::has_quaternions(model)) {
    put_numbers(line, position);
    put_numbers(line, velocity);
    return;
  }
  for (const auto& [sort, values] :
       {std::pair(model::Sort::position, &position), std::pair(model::Sort::velocity, &velocity)}) {
    for (const model::Body& body : model.bodies) {
      for (std::uint32_t member = 0; member < body.members(); ++member) {
        put_numbers(line, model::shown(body, member, sort, position, *values));
      }
    }
  }
}

/// Those of the variables given; the others stay empty.
void put_some(Line& line, std::uint32_t n, const std::vector<std::uint32_t>& variables,
              const std::vector<double>& values) {
  std::size_t k = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool known = k < variables.size() && variables[k] == i;
    line.put(known ? values[k] : std::numeric_limits<double>::quiet_NaN());
    k += known ? 1 : 0;
  }
}

/// Of those points alone whose variables are given.
void put_members(Writer& json, const char* name, const model::Model& model, const std::vector<std::uint32_t>& variables,
                 const std::vector<double>& values) {
  json.open(name);
  for (std::size_t k = 0; k < variables.size();) {
    const auto next = std::upper_bound(model.bodies.begin(), model.bodies.end(), variables[k],
                                       [](std::uint32_t v, const model::Body& one) { return v < one.first; });
    const model::Body& body = *(next - 1);
    const std::uint32_t member = (variables[k] - body.first) / body.dimension;
    json.put(model::member_name(body, member),
             std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(k),
                                 values.begin() + static_cast<std::ptrdiff_t>(k + body.dimension)));
    k += body.dimension;
  }
  json.close();
}

/// Of the bodies whose variables are given, out of numbers of all.
void put_changed(Writer& json, const char* name, const model::Model& model, const std::vector<std::uint32_t>& variables,
                 const std::vector<double>& values, model::Sort sort, const std::vector<double>& position) {
  json.open(name);
  std::size_t k = 0;
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::uint32_t first = body.first + member * body.dimension;
      while (k < variables.size() && variables[k] < first) ++k;
      if (k == variables.size() || variables[k] != first) continue;
      put_member(json, body, member, values, {sort, position});
    }
  }
  json.close();
}

/// In large models an event shows the bodies whose velocity it changed: those that its impulses and blows act on, and what the kinetic energy ties to them.
constexpr std::uint32_t most_shown_whole = 100;
std::vector<std::uint32_t> changed_by(const model::Model& model, const motion::Event& event) {
  std::vector<std::uint8_t> changed(model.variables, 0);
  const auto touch = [&](std::uint32_t variable) { changed[variable] = 1; };
  for (const auto& [row, value] : event.impulses) {
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) touch(model.row_column[e]);
  }
  if (event.kind == motion::EventKind::blow) {
    for (const model::Blow& blow : model.blows) {
      if (!instant::same_instant(blow.at, event.time)) continue;
      for (const std::uint32_t variable : blow.variables) touch(variable);
    }
  }
  const model::Dynamics dynamics = model::make_dynamics(model);
  const auto whole = [&](const auto& variables) {
    if (std::none_of(variables.begin(), variables.end(), [&](std::uint32_t i) { return changed[i] != 0; })) return;
    for (const std::uint32_t i : variables) changed[i] = 1;
  };
  for (const linear::Mass::Block& block : dynamics.mass.blocks()) whole(block.variables);
  std::vector<std::uint32_t> out;
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t first = body.first; first < body.first + body.members() * body.dimension;
         first += body.dimension) {
      std::vector<std::uint32_t> own(body.dimension);
      std::iota(own.begin(), own.end(), first);
      whole(own);
      if (changed[first] != 0) out.insert(out.end(), own.begin(), own.end());
    }
  }
  return out;
}

/// What an event is about: conditions, and springs that were let go.
std::vector<std::string> concerned(const model::Model& model, const motion::Event& event) {
  std::vector<std::string> out = condition_names(model, event.rows);
  if (event.kind == motion::EventKind::let_go) out.insert(out.end(), event.bodies.begin(), event.bodies.end());
  return out;
}

}  // namespace

void put_event(Writer& json, const model::Model& model, const motion::Event& event, EventState state) {
  json.put("time", event.time);
  json.put("kind", motion::words(event.kind));
  json.put("constraints", concerned(model, event));
  if (!event.bodies.empty() && event.kind != motion::EventKind::let_go) {
    json.put("bodies", event.bodies);
  }
  put_rows(json, "impulses", model, event.impulses);
  if (event.variables.empty() && state == EventState::changed && model.variables > most_shown_whole) {
    const std::vector<std::uint32_t> changed = changed_by(model, event);
    put_changed(json, "positions", model, changed, event.position, model::Sort::position, event.position);
    put_changed(json, "velocities", model, changed, event.velocity, model::Sort::velocity, event.position);
  } else if (event.variables.empty()) {
    put_places(json, "positions", model, event.position);
    put_bodies(json, "velocities", model, event.velocity, {model::Sort::velocity, event.position});
  } else {
    put_members(json, "positions", model, event.variables, event.position);
    put_members(json, "velocities", model, event.variables, event.velocity);
  }
  if (event.lost != 0) {
    json.put("lost", event.lost);
  }
  if (!event.note.empty()) {
    json.put("note", event.note);
  }
}

void put_run(Writer& json, const model::Model& model, const motion::RunView& run, const std::vector<double>& sample_at,
             const std::vector<std::string>& files, const Sink& sink, const Sensitivities& slopes) {
  const motion::Account& account = *run.account;
  json.put("status", motion::words(account.status));
  if (!account.why.empty()) {
    json.put("why", account.why);
  }
  if (!account.culprits.empty()) {
    json.put("culprits", account.culprits);
  }
  if (!account.continuations.empty()) {
    json.open_list("continuations");
    const std::span<const double> all(account.continuations);
    for (std::size_t from = 0; from + model.variables <= all.size(); from += model.variables) {
      json.open();
      put_bodies(json, "accelerations", model, all.subspan(from, model.variables),
                 {model::Sort::velocity, account.present.state.position});
      json.close();
    }
    json.close_list();
  }
  motion::Sample final = account.present;
  for (const model::Observable& output : model.outputs) {
    final.outputs.push_back(model::observe(output, final.state));
  }
  json.open("final");
  put_state(json, model, final);
  if (!slopes.empty()) put_sensitivity(json, model, final.state, slopes, at_the_end);
  json.close();
  if (!slopes.empty()) put_sensitivity(json, model, final.state, slopes, at_the_end);

  // Samples that were asked for and that the motion reached.
  if (!sample_at.empty()) {
    json.open_list("samples");
    motion::Sample sample;
    std::size_t number = 0;
    for (const double time : sample_at) {
      if (motion::state_at(model, run, time, sample)) {
        json.open();
        put_state(json, model, sample);
        if (!slopes.empty()) put_sensitivity(json, model, sample.state, slopes, number++);
        json.close();
        sink(json.take());
      }
    }
    json.close_list();
  }

  if (account.in_steps()) {
    json.put("method", model::words(model::Method::stepping));
    json.put("step", model.simulation.step);
    json.put("penetration", account.penetration);
  }
  if (!account.in_steps()) json.open_list("events");
  std::size_t number = 0;
  run.each_event(0, [&](const motion::Event& event) {
    json.open();
    put_event(json, model, event, EventState::changed);
    if (!slopes.empty()) put_time_sensitivity(json, slopes, number++);
    json.close();
    sink(json.take());
    return true;
  });
  if (!account.in_steps()) json.close_list();

  if (!model.flow) {
    json.open("energy");
    json.put("initial", account.energy.initial);
    json.put("work", account.energy.work);
    json.put("lost", account.energy.lost);
    json.put("final", account.energy.final);
    json.put("defect", account.energy.defect());
    json.close();
  }
  json.open("drift");
  json.put("position", account.position_drift);
  json.put("velocity", account.velocity_drift);
  json.close();
  if (!account.in_steps()) json.put("defect", account.defect);
  if (std::isinf(account.error)) {
    json.put("error", "lost");
  } else if (!std::isnan(account.error)) {
    json.put("error", account.error);
  }
  json.put("steps", account.steps);
  json.open("correction");
  json.put("position", account.position_correction);
  json.put("velocity", account.velocity_correction);
  json.close();
  if (const std::vector<std::string> idle = model::without_effect(model); !idle.empty())
    json.put("without_effect", idle);
  json.put("files", files);
}

void run_json(const model::Model& model, const motion::RunView& run, const std::vector<double>& sample_at,
              const std::vector<std::string>& files, const Sink& sink, const Replacements& replaced,
              const Sensitivities& slopes) {
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  if (!replaced.empty()) {
    json.open("integrals");
    for (const auto& [name, equation] : replaced) {
      json.put(name, equation);
    }
    json.close();
  }
  put_run(json, model, run, sample_at, files, sink, slopes);
  sink(json.close().text());
}

void samples_csv(const model::Model& model, const motion::RunView& run, const Sink& sink) {
  Line line;
  line.put("time");
  put_state_names(line, model);
  std::vector<std::uint32_t> rho_rows;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    line.put("lambda " + model::row_name(model, row));
    if (variational(model, row)) {
      rho_rows.push_back(row);
    }
  }
  for (const std::uint32_t row : rho_rows) {
    line.put("rho " + model::row_name(model, row));
  }
  for (const model::Observable& output : model.outputs) {
    line.put(output.name);
  }
  line.end(sink);

  // Rows without a multiplier at that time stay empty.
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> multipliers(model.rows());
  std::vector<double> rho(model.rows());
  run.each_sample(0, [&](const motion::Sample& sample) {
    line.put(sample.state.time);
    put_state(line, model, sample.state.position, sample.state.velocity);
    std::fill(multipliers.begin(), multipliers.end(), none);
    std::fill(rho.begin(), rho.end(), none);
    for (std::size_t j = 0; j < sample.rows.size(); ++j) {
      multipliers[sample.rows[j]] = sample.multipliers[j];
      if (!sample.rho.empty()) {
        rho[sample.rows[j]] = sample.rho[j];
      }
    }
    put_numbers(line, multipliers);
    for (const std::uint32_t row : rho_rows) {
      line.put(rho[row]);
    }
    put_numbers(line, sample.outputs);
    line.end(sink);
    return true;
  });
}

void events_csv(const model::Model& model, const motion::RunView& run, const Sink& sink) {
  Line line;
  line.put("time").put("kind").put("constraints").put("impulses").put("lost");
  put_state_names(line, model);
  line.end(sink);
  run.each_event(0, [&](const motion::Event& event) {
    std::string conditions;
    for (const std::string& name : concerned(model, event)) {
      conditions += (conditions.empty() ? "" : " ") + name;
    }
    line.put(event.time).put(motion::words(event.kind)).put(conditions).put(impulse_words(model, event.impulses));
    line.put(event.lost);
    if (event.variables.empty()) {
      put_state(line, model, event.position, event.velocity);
    } else {
      put_some(line, model.variables, event.variables, event.position);
      put_some(line, model.variables, event.variables, event.velocity);
    }
    line.end(sink);
    return true;
  });
}

std::string reversal_json(const model::Model& model, const analysis::Reversal& reversal) {
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.put("reversible", reversal.reversible);
  json.put("expected", reversal.expected);
  json.put("distance", reversal.distance);
  json.put("duration", reversal.duration);
  if (!reversal.reasons.empty()) {
    json.put("reasons", reversal.reasons);
  }
  if (!reversal.why.empty()) {
    json.put("status", motion::words(reversal.status));
    json.put("why", reversal.why);
  }
  return json.close().text();
}

}  // namespace zwang::report
