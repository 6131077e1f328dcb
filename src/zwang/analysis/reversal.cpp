/// Forth, round, back.
#include "zwang/analysis/reversal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/analysis/sides.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/half_turns.hpp"
#include "zwang/motion/memory.hpp"
#include "zwang/motion/stepper.hpp"

namespace zwang::analysis {

namespace {

/// What speaks against reversal; each sentence is said once.
class Witness {
 public:
  Witness(const model::Model& model, std::vector<std::string>& reasons)
      : model_(model),
        reasons_(reasons),
        scratch_(model::make_scratch(model)),
        dynamics_(model::make_dynamics(model)),
        rows_(model::make_rows(model)),
        turned_rows_(rows_) {}

  /// What the model says without moving.
  void hear_model() {
    for (const model::TermGroup& term : model_.terms) {
      if (term.uses_time || switches_by_time(term)) {
        say(fmt::format("{} on the time t", term.kind == model::TermKind::force       ? "a force depends"
                                            : term.kind == model::TermKind::potential ? "the potential depends"
                                                                                      : "the kinetic energy depends"));
      }
    }
  }

  /// Forces, conditions and their rates at a state, against those of the turned one and of another time.
  void hear_state(const model::State& state, const motion::Memory& memory) {
    model::State turned = state;
    for (double& v : turned.velocity) {
      v = -v;
    }
    // What switches by velocities is on its other branch then; what does so by places alone is where it is, on a threshold, too.
    turned.modes.clear();
    if (model_.switches > 0) {
      turned.modes = model::modes_of(model_, model::sides_after(model_, turned, memory.sides, turned));
      for (std::uint32_t number = 0; number < model_.switches && !state.modes.empty(); ++number) {
        if (instant::switch_rates(model_, number, state, {}).by_velocity) continue;
        const model::SwitchPlace place = model::place_of_switch(model_, number);
        const expressions::Corner& corner = place.group->corners[place.corner];
        for (std::uint32_t k = 0; k < corner.modes; ++k) {
          const std::size_t at = place.group->first_mode + (corner.first_mode + k) * place.group->lanes + place.lane;
          turned.modes[at] = state.modes[at];
        }
      }
    }
    model::evaluate_dynamics(model_, state, scratch_, dynamics_);
    const std::vector<double> force = dynamics_.force;
    const std::vector<double> scale = dynamics_.force_scale;
    model::evaluate_dynamics(model_, turned, scratch_, dynamics_);
    for (std::uint32_t i = 0; i < model_.variables; ++i) {
      if (std::abs(force[i] - dynamics_.force[i]) > odd_part * (scale[i] + dynamics_.force_scale[i])) {
        say(fmt::format("the force along {} is not the same when the velocities are turned round",
                        model::variable_words(model_, i)));
      }
    }
    model::evaluate_rows(model_, state, scratch_, rows_);
    hear_time(state);
    hear_turned(turned);
  }

  void hear_event(const motion::Event& event) {
    using motion::EventKind;
    if (event.kind == EventKind::impact || event.kind == EventKind::blow || event.kind == EventKind::seizure ||
        event.kind == EventKind::accumulation) {
      if (!shaken_) {
        say(fmt::format("a shock occurs at t = {} ({})", readable(event.time), motion::words(event.kind)));
      }
      shaken_ = true;
    }
    if (event.kind == EventKind::let_go) say(fmt::format("something is let go at t = {}", readable(event.time)));
  }

 private:
  /// Conditions that move by themselves, or whose directions do.
  void hear_time(const model::State& state) {
    model::State later = state;
    later.time += 0.734;
    model::evaluate_rows(model_, later, scratch_, turned_rows_);
    for (std::uint32_t row = 0; row < model_.rows(); ++row) {
      if (moves(row, state)) {
        say(fmt::format("the condition {} moves by itself", model::row_name(model_, row)));
      }
    }
  }

  /// Is the gradient another one later, or df/dt (p0 of a velocity condition) above the rounding of the terms it is got from?
  [[nodiscard]] bool moves(std::uint32_t row, const model::State& state) const {
    double terms = 0;
    bool turns = false;
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
      terms += std::abs(rows_.entry[e] * state.velocity[model_.row_column[e]]);
      turns = turns || rows_.entry[e] != turned_rows_.entry[e];
    }
    return turns || std::abs(rows_.explicit_rate[row]) > odd_rate * terms ||
           std::abs(turned_rows_.explicit_rate[row]) > odd_rate * terms;
  }

  /// Velocity conditions that the turned velocities break.
  void hear_turned(const model::State& turned) {
    model::evaluate_rows(model_, turned, scratch_, turned_rows_);
    for (std::uint32_t row = 0; row < model_.rows(); ++row) {
      if (model_.row_kind[row] != model::RowKind::nonholonomic_inequality) {
        continue;
      }
      double terms = 0;
      for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
        terms += std::abs(rows_.entry[e] * turned.velocity[model_.row_column[e]]);
      }
      if (turned_rows_.rate[row] > model_.simulation.touch * terms) {
        say(fmt::format("the condition {} forbids the turned velocities", model::row_name(model_, row)));
      }
    }
  }

  void say(const std::string& sentence) {
    if (reasons_.size() < 20 && std::find(reasons_.begin(), reasons_.end(), sentence) == reasons_.end()) {
      reasons_.push_back(sentence);
    }
  }

  const model::Model& model_;
  std::vector<std::string>& reasons_;
  bool shaken_ = false;
  model::Scratch scratch_;
  model::Dynamics dynamics_;
  model::Rows rows_;
  model::Rows turned_rows_;
};

/// The same bodies and conditions at the state where the motion is turned round; blows and seizures are over.
model::Model turned_round(const model::Model& model, const motion::Motion& forth, double duration) {
  model::State turned = forth.state;
  for (double& v : turned.velocity) {
    v = -v;
  }
  model::doubt_as_computed(model, turned);
  if (!model.flow) model::doubt_as_held(model, forth.held, turned);
  model::Model back = motion::begun_at(model, std::move(turned), forth.state.time + duration);
  back.simulation.stop.clear();
  back.simulation.stop_truth.clear();
  back.blows.clear();
  for (model::Condition& condition : back.conditions) {
    if (condition.seizure) {
      condition.at = condition.at <= forth.state.time ? forth.state.time - 1 : std::numeric_limits<double>::max();
    }
  }

  // rho changes its sign with the velocities.
  for (std::size_t j = 0; j < forth.rho.size(); ++j) {
    model::Condition& condition = back.conditions[model.row_condition[forth.held[j]]];
    if (condition.law == model::Law::variational) {
      condition.multiplier = -forth.rho[j];
    }
  }
  return back;
}

}  // namespace

Reversal reversal(const model::Model& model, const motion::Options& options) {
  Reversal result;
  Witness witness(model, result.reasons);
  witness.hear_model();

  // Forth, with an ear on states and events.
  motion::Motion forth = motion::begin(model, options);
  const model::State start = forth.state;
  std::uint64_t heard = 0;
  const auto hear = [&](bool always) {
    for (const motion::Event& event : forth.events) {
      witness.hear_event(event);
    }
    if (always || heard++ < 200) {
      witness.hear_state(forth.state, motion::memory_of(forth));
    }
  };
  hear(true);
  while (motion::advance(forth)) {
    hear(false);
  }
  hear(true);
  result.duration = forth.state.time - start.time;
  result.status = forth.status;
  result.why = forth.why;
  result.expected = result.reasons.empty();
  if (result.duration <= 0) {
    return result;
  }

  // Back, over the same duration.
  motion::Options back_options = options;
  back_options.until = forth.state.time + result.duration;
  const model::Model turned = turned_round(model, forth, result.duration);
  motion::Motion back = motion::begin(turned, back_options, motion::memory_of(forth));
  model::State arrived = back.state;
  for (bool goes_on = true; goes_on;) {
    goes_on = motion::advance(back);
    arrived = back.state;
    // What the motion left at its start is struck where it comes back to it: that is no part of the way.
    const bool struck = std::any_of(back.events.begin(), back.events.end(), [&](const motion::Event& event) {
      return event.kind == motion::EventKind::impact && event.time >= back_options.until;
    });
    if (struck) motion::evaluate(back.piece, back_options.until, arrived);
  }
  if (back.status != motion::Status::finished) {
    result.status = back.status;
    result.why = back.why;
  }

  // How near the start.
  const double size = std::max(largest(start.position), largest(forth.state.position));
  const double speed = std::max(largest(start.velocity), largest(forth.state.velocity));
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    const double by_position = std::abs(arrived.position[i] - start.position[i]) / (size > 0 ? size : 1);
    const double by_velocity = std::abs(arrived.velocity[i] + start.velocity[i]) / (speed > 0 ? speed : 1);
    result.distance = std::max({result.distance, by_position, by_velocity});
  }
  const double tolerance = options.tolerance > 0 ? options.tolerance : model.simulation.tolerance;
  result.reversible = back.status == motion::Status::finished && result.distance <= std::sqrt(tolerance);
  return result;
}

}  // namespace zwang::analysis
