/// Derivatives by parameters, told.
#include "zwang/report/sensitivity.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/report/parts.hpp"

namespace zwang::report {

namespace {

/// One side, into an open object.
void put_state_slope(Writer& json, const model::Model& model, const model::State& state,
                     const sensitivity::StateSlope& slope) {
  put_bodies(json, "positions", model, slope.position);
  json.open("velocities");
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::string name = model::member_name(body, member);
      const std::vector<double> own = shown_velocity_slope(model, body, member, state, slope);
      if (body.kind == model::BodyKind::coordinate) {
        json.put(name, own[0]);
      } else {
        json.put(name, own);
      }
    }
  }
  json.close();
  if (slope.multipliers_known) {
    put_rows(json, "multipliers", model, slope.multipliers);
  }
  if (!slope.outputs.empty()) {
    json.open("outputs");
    for (std::size_t k = 0; k < slope.outputs.size(); ++k) json.put(model.outputs[k].name, slope.outputs[k]);
    json.close();
  }
  if (slope.time) json.put("time", *slope.time);
}

}  // namespace

std::vector<double> shown_velocity_slope(const model::Model& /*model*/, const model::Body& body, std::uint32_t member,
                                         const model::State& state, const sensitivity::StateSlope& slope) {
  const std::uint32_t first = body.first + member * body.dimension;
  const std::span<const double> own = std::span<const double>(slope.velocity).subspan(first, body.dimension);
  if (!body.turns()) return {own.begin(), own.end()};
  // The spin is the vector of 2 e' e* with |e| = 1, which the parameter does not change: one part for each factor.
  std::vector<double> out = model::shown(body, member, model::Sort::velocity, state.position, slope.velocity);
  const std::span<const double> turn = std::span<const double>(slope.position).subspan(first + 3, 4);
  double square = 0;
  for (const double x : turn) square += x * x;
  if (square > 0) {
    const auto part = model::spin_of(turn, std::span<const double>(state.velocity).subspan(first + 3, 4));
    for (std::size_t k = 0; k < 3; ++k) out[3 + k] += part.at(k) * square;
  }
  return out;
}

void put_sensitivity(Writer& json, const model::Model& model, const model::State& state, const Sensitivities& slopes,
                     std::size_t sample) {
  json.open("sensitivity");
  for (const sensitivity::ParameterSensitivity& one : slopes) {
    if (sample != at_the_end && sample >= one.samples.size()) continue;
    const sensitivity::Slope& slope = sample == at_the_end ? one.final : one.samples[sample];
    json.open(one.name);
    if (slope.differentiable() && slope.after) {
      put_state_slope(json, model, state, *slope.after);
    } else {
      json.put("differentiable", false);
      json.put("why", slope.why);
      for (const auto& [key, side] : {std::pair("before", &slope.before), std::pair("after", &slope.after)}) {
        if (!*side) continue;
        json.open(key);
        put_state_slope(json, model, state, **side);
        json.close();
      }
    }
    json.close();
  }
  json.close();
}

void put_time_sensitivity(Writer& json, const Sensitivities& slopes, std::size_t event) {
  json.open("time_sensitivity");
  for (const sensitivity::ParameterSensitivity& one : slopes) {
    if (event >= one.events.size()) continue;
    const sensitivity::EventSlope& slope = one.events[event];
    if (slope.why.empty()) {
      if (slope.after) json.put(one.name, *slope.after);
      continue;
    }
    json.open(one.name);
    json.put("differentiable", false);
    json.put("why", slope.why);
    for (const auto& [key, side] : {std::pair("before", slope.before), std::pair("after", slope.after)}) {
      if (side) json.put(key, *side);
    }
    json.close();
  }
  json.close();
}

std::string sensitivity_tables(const model::Model& model, const motion::RunView& run, const Sensitivities& slopes,
                               const Style& style, std::size_t most) {
  std::string out;
  for (const sensitivity::ParameterSensitivity& one : slopes) {
    const sensitivity::Slope& end = one.final;
    out += "derivatives by " + one.name + ", at the end\n";
    if (!end.differentiable()) {
      out += "  " + std::string(style.warm) + "not differentiable" + std::string(style.off) + ": " + end.why + "\n";
    }
    for (const auto& [side, words] :
         {std::pair(&end.before, "for smaller values"), std::pair(&end.after, "for larger values")}) {
      if (!*side || (end.differentiable() && side == &end.before)) continue;
      if (!end.differentiable()) out += "  " + std::string(words) + "\n";
      const sensitivity::StateSlope& slope = **side;
      Table table({"", "position", "velocity"});
      for (std::uint32_t i = 0; i < model.variables; ++i) {
        table.row({model::variable_name(model, i), readable(slope.position[i], 10), readable(slope.velocity[i], 10)});
      }
      for (std::size_t k = 0; k < slope.outputs.size(); ++k) {
        table.row({model.outputs[k].name, readable(slope.outputs[k], 10), ""});
      }
      if (slope.time) table.row({"time of the end", readable(*slope.time, 10), ""});
      out += table.text(style, most);
    }
    Table events({"time", "", "its derivative"});
    std::size_t number = 0;
    run.each_event(0, [&](const motion::Event& event) {
      if (number < one.events.size()) {
        const sensitivity::EventSlope& slope = one.events[number];
        const std::optional<double> known = slope.after ? slope.after : slope.before;
        std::string what(motion::words(event.kind));
        if (!event.rows.empty()) what += " " + model::row_name(model, event.rows[0]);
        events.row({readable(event.time, 10), what, known ? readable(*known, 10) : ""});
      }
      return ++number <= most;
    });
    if (number > 0) out += events.text(style, most);
    out += "\n";
  }
  return out;
}

}  // namespace zwang::report
