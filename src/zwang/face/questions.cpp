/// Questions about one instant.
#include "zwang/questions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "zwang/face/inside.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/instant/repair.hpp"
#include "zwang/model/flow.hpp"

namespace zwang {

namespace {

/// Derivatives beyond this grow faster than double can tell them from rounding.
constexpr unsigned most_orders = 30;

instant::Options options_of(const AskOptions& asked) {
  face::require(asked);
  instant::Options options;
  options.touch = asked.touch.value_or(0);
  options.highest_order = asked.highest_order;
  options.shock_done = asked.shock_done;
  options.tell = asked.tell;
  return options;
}

}  // namespace

std::string AskOptions::check() const {
  if (highest_order < 1 || highest_order > most_orders) {
    return fmt::format("highest_order: it must lie between 1 and {}; here it is {}", most_orders, highest_order);
  }
  return face::wrong_part("touch", touch);
}

instant::Instant accelerate(const Model& model, const State& state, const AskOptions& options) {
  face::refuse_flow(model);
  face::require_state(model, state);
  if (!options.tell) return instant::accelerate(face::Access::system(model), state, options_of(options));
  instant::Workspace workspace(face::Access::system(model));
  instant::Instant instant;
  instant::accelerate(face::Access::system(model), state, options_of(options), workspace, instant);
  return instant;
}

instant::Instant accelerate(const Model& model) { return accelerate(model, model.initial()); }

instant::Shock impact(const Model& model, const State& state, std::span<const double> impulse,
                      const AskOptions& options) {
  face::refuse_flow(model);
  face::require_state(model, state);
  const model::Model& system = face::Access::system(model);
  if (impulse.empty()) return instant::impact(system, state, options_of(options));
  if (impulse.size() != model.variables()) {
    throw std::invalid_argument(fmt::format("impulse: {} numbers are needed, one per variable, and {} are given",
                                            model.variables(), impulse.size()));
  }

  // One blow more, at this very instant.
  model::Model struck = system;
  model::Blow added;
  added.at = state.time;
  for (std::uint32_t i = 0; i < impulse.size(); ++i) {
    if (!std::isfinite(impulse[i])) throw std::invalid_argument(fmt::format("impulse: number {} is not finite", i));
    if (impulse[i] != 0) {
      added.variables.push_back(i);
      added.impulse.push_back(impulse[i]);
    }
  }
  struck.blows.push_back(std::move(added));
  return instant::impact(struck, state, options_of(options));
}

instant::Shock impact(const Model& model) { return impact(model, model.initial()); }

instant::Instant check(const Model& model, const State& state, const AskOptions& options) {
  face::require_state(model, state);
  const model::Model& system = face::Access::system(model);
  instant::Instant instant = instant::classify(system, state, options_of(options));
  // What a closed inequality does is the accelerations' business.
  if (instant.status == instant::Status::determined && !system.flow) {
    const instant::Instant full = instant::accelerate(system, state, options_of(options));
    if (full.status == instant::Status::determined) instant.role = full.role;
  }
  return instant;
}

instant::Instant check(const Model& model) { return check(model, model.initial()); }

instant::Repair repair(const Model& model, const State& state, const AskOptions& options) {
  face::require_state(model, state);
  const model::Model& system = face::Access::system(model);
  instant::Repair repaired = instant::repair(system, state, options_of(options));
  if (system.flow) {
    // The rates of a flow follow from its positions.
    repaired.state.velocity = model::rates(system, repaired.state).rate;
    repaired.velocity_change = 0;
  }
  return repaired;
}

instant::Repair repair(const Model& model) { return repair(model, model.initial()); }

struct Questions::Inside {
  Inside(const Model& of, const AskOptions& asked)
      : model(of), options(options_of(asked)), workspace(face::Access::system(model)) {}
  Model model;
  instant::Options options;
  instant::Workspace workspace;
  instant::Instant instant;
  instant::Shock shock;
};

Questions::Questions(const Model& model, const AskOptions& options) {
  face::refuse_flow(model);
  inside_ = std::make_unique<Inside>(model, options);
}
Questions::~Questions() = default;
Questions::Questions(Questions&&) noexcept = default;
Questions& Questions::operator=(Questions&&) noexcept = default;

const instant::Instant& Questions::accelerate(const State& state) {
  face::require_state(inside_->model, state);
  instant::accelerate(face::Access::system(inside_->model), state, inside_->options, inside_->workspace,
                      inside_->instant);
  return inside_->instant;
}

const instant::Shock& Questions::impact(const State& state) {
  face::require_state(inside_->model, state);
  instant::impact(face::Access::system(inside_->model), state, inside_->options, inside_->workspace, inside_->shock);
  return inside_->shock;
}

}  // namespace zwang
