/// Looking ahead, arriving, beginning again after a change.
#include "zwang/motion/stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "zwang/model/bodies.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::motion {

namespace {

bool is_near(double one, double other) { return std::abs(one - other) <= resolution(other); }

/// What was let go before is not let go again.
void forget(std::vector<Event>& events, const model::Model& model, const Memory& memory) {
  for (Event& event : events) {
    if (event.kind != EventKind::let_go) continue;
    for (std::size_t k = 0; k < std::min(model.releases.size(), memory.released.size()); ++k) {
      if (memory.released[k] == 0) continue;
      const model::Release& done = model.releases[k];
      std::erase_if(event.rows, [&](std::uint32_t row) {
        return std::find(done.rows.begin(), done.rows.end(), row) != done.rows.end();
      });
      std::erase_if(event.bodies, [&](const std::string& name) {
        return std::any_of(done.springs.begin(), done.springs.end(),
                           [&](std::uint32_t spring) { return model.springs[spring].name == name; });
      });
    }
  }
  std::erase_if(events, [](const Event& event) {
    return event.kind == EventKind::let_go && event.rows.empty() && event.bodies.empty();
  });
}

}  // namespace

model::Model begun_at(const model::Model& model, model::State state, std::optional<double> until) {
  model::Model result = model;
  result.initial_position = std::move(state.position);
  result.initial_velocity = std::move(state.velocity);
  const auto doubts_of = [](const std::vector<double>& uncertainty, std::vector<model::Doubt>& doubts) {
    doubts.clear();
    for (std::uint32_t i = 0; i < uncertainty.size(); ++i) {
      if (uncertainty[i] > 0) doubts.push_back({i, uncertainty[i]});
    }
  };
  doubts_of(state.position_uncertainty, result.position_doubts);
  doubts_of(state.velocity_uncertainty, result.velocity_doubts);
  result.simulation.start = state.time;
  if (until) {
    result.simulation.until = *until;
    result.simulation.has_until = true;
  }
  // rho is written with its condition; members of a family share what is written.
  if (!state.rho.empty()) {
    for (model::Condition& condition : result.conditions) {
      if (condition.law != model::Law::variational || condition.rows == 0) {
        continue;
      }
      for (std::uint32_t row = condition.first_row; row < condition.first_row + condition.rows; ++row) {
        if (state.rho[row] != state.rho[condition.first_row]) {
          throw std::invalid_argument(
              fmt::format("rho of `{}` differs from member to member: a motion can only begin with one value for all",
                          condition.name));
        }
      }
      condition.multiplier = state.rho[condition.first_row];
    }
  }
  return result;
}

Stepper::Stepper(std::shared_ptr<const model::Model> model, const model::State& state, double tolerance)
    : model_(std::move(model)), tolerance_(tolerance) {
  restart(state, {}, {});
  started_ = false;
}

Stepper::Stepper(const Stepper& other)
    : model_(other.model_),
      tolerance_(other.tolerance_),
      present_(std::make_unique<model::Model>(*other.present_)),
      before_piece_(other.before_piece_),
      state_(other.state_),
      events_(other.events_),
      horizon_(other.horizon_),
      ahead_(other.ahead_),
      begun_(other.begun_),
      started_(other.started_) {
  Options options;
  options.until = horizon_;
  options.tolerance = tolerance_;
  motion_ = restore(*present_, options, save(other.motion_));
}

Status Stepper::status() const {
  // The end that was set for looking ahead is none.
  const bool ended = !ahead_ && motion_.status != Status::finished;
  return ended ? motion_.status : Status::going;
}

std::string Stepper::why() const { return ahead_ ? std::string() : motion_.why; }

bool Stepper::advance(double until, bool stop_at_events, const std::function<void()>& look_out) {
  if (std::isnan(until)) throw std::invalid_argument("the time to go to is no number");
  if (until < state_.time) {
    throw std::invalid_argument(fmt::format("the motion is at t = {} and does not run back to {}", state_.time, until));
  }
  events_.clear();
  if (!started_) {
    // Impulses and collisions of the first instant come before anything else.
    started_ = true;
    events_ = motion_.events;
    if (!events_.empty() && stop_at_events) {
      return true;
    }
  }
  while (true) {
    if (ahead_) {
      if (until < motion_.state.time && !is_near(until, motion_.state.time)) {
        evaluate(motion_.piece, until, state_);
        state_.time = until;
        std::vector<double> rho;
        evaluate_rho(motion_.piece, until, rho);
        take_rho(motion_.piece.rows, rho);
        return !events_.empty();
      }
      arrive();
      if (stop_at_events && !events_.empty()) {
        return true;
      }
      if (is_near(until, state_.time)) {
        return !events_.empty();
      }
    }
    if (motion_.status == Status::finished) {
      look_further(until);
    }
    if (motion_.status != Status::going) return !events_.empty();
    if (model_->switches > 0 || !model_->releases.empty()) before_piece_ = memory_of(motion_);
    if (!motion::advance(motion_)) return !events_.empty();
    ahead_ = true;
    if (look_out) {
      look_out();
    }
  }
}

void Stepper::push(const std::vector<double>& impulse) {
  if (impulse.size() != state_.position.size()) {
    throw std::invalid_argument("one number per coordinate is needed");
  }
  if (!std::all_of(impulse.begin(), impulse.end(), [](double value) { return std::isfinite(value); })) {
    throw std::invalid_argument("the impulse is not finite");
  }
  model::Blow blow;
  blow.at = state_.time;
  for (std::uint32_t i = 0; i < impulse.size(); ++i) {
    if (impulse[i] != 0) {
      blow.variables.push_back(i);
      blow.impulse.push_back(impulse[i]);
    }
  }
  restart(state_, {blow}, remembered());
  events_ = motion_.events;
}

void Stepper::change(std::shared_ptr<const model::Model> model) {
  if (model->variables != model_->variables) {
    throw std::invalid_argument("the new model has other coordinates");
  }
  const Memory memory = remembered();
  model_ = std::move(model);
  restart(state_, {}, memory);
  events_ = motion_.events;
}

void Stepper::move_to(const model::State& state) {
  if (state.position.size() != model_->variables || state.velocity.size() != model_->variables) {
    throw std::invalid_argument("one position and one velocity per coordinate are needed");
  }
  model::State there = state;
  if (there.rho.empty()) there.rho = state_.rho;
  restart(std::move(there), {}, remembered());
  events_ = motion_.events;
}

/// rho goes with the state, so that a motion that begins anew has it.
void Stepper::take_rho(const std::vector<std::uint32_t>& rows, const std::vector<double>& rho) {
  if (rho.empty()) return;
  state_.rho.assign(model_->rows(), 0.0);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (model::is_variational(*model_, rows[j])) state_.rho[rows[j]] = rho[j];
  }
}

/// The state reached is the present one.
void Stepper::arrive() {
  ahead_ = false;
  state_ = motion_.state;
  take_rho(motion_.held, motion_.rho);
  events_.insert(events_.end(), motion_.events.begin(), motion_.events.end());
}

/// The motion goes on beyond what was its end.
void Stepper::look_further(double until) {
  horizon_ = std::max(until, horizon_ + duration());
  Options options;
  options.until = horizon_;
  options.tolerance = tolerance_;
  motion_ = restore(*present_, options, save(motion_));
}

/// How long the model's own run would be.
double Stepper::duration() const {
  const model::Simulation& own = model_->simulation;
  return own.until > own.start ? own.until - own.start : 1.0;
}

void Stepper::restart(model::State state, const std::vector<model::Blow>& blows, const Memory& memory) {
  const double end = model_->simulation.until;
  horizon_ = end > state.time ? end : state.time + duration();
  // A state on the way was computed.
  if (begun_) model::doubt_as_computed(*model_, state);
  auto present = std::make_unique<model::Model>(begun_at(*model_, state, horizon_));
  model::Model& changed = *present;
  // What lies behind is done; at the very first instant nothing is.
  if (begun_) {
    const double now = state.time + resolution(state.time);
    std::erase_if(changed.blows, [&](const model::Blow& one) { return one.at <= now; });
    for (model::Condition& condition : changed.conditions) {
      if (condition.seizure && condition.at <= now) {
        condition.at = state.time - 1 - std::abs(state.time);
      }
    }
  }
  for (std::size_t k = 0; k < std::min(changed.releases.size(), memory.released.size()); ++k) {
    if (memory.released[k] == 0) continue;
    changed.releases[k].when.clear();
    changed.releases[k].at = state.time - 1 - std::abs(state.time);
  }
  changed.blows.insert(changed.blows.end(), blows.begin(), blows.end());
  Options options;
  options.until = horizon_;
  options.tolerance = tolerance_;
  motion_ = begin(*present, options, memory);
  forget(motion_.events, *present, memory);
  present_ = std::move(present);
  state_ = motion_.state;
  take_rho(motion_.held, motion_.rho);
  ahead_ = false;
  begun_ = true;
  started_ = true;
}

}  // namespace zwang::motion
