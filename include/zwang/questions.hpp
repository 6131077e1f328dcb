/// Questions about one instant: is the state admissible, what are the accelerations, what are the velocities after a shock?
///
/// Each question is a function of a model and a state; without a state it is asked at the model's start. In loops, `Questions` keeps the memory
/// from call to call.
///
///   const zwang::instant::Instant now = zwang::accelerate(model, state);
///   if (now.status == zwang::instant::Status::determined) use(now.accelerations, now.multipliers[model.row("rope")]);
///
/// A model that is a first-order system ([flow]) has no accelerations and no shocks: asked for them it throws Error. A state that does not fit
/// the model is refused with std::invalid_argument.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "zwang/instant.hpp"
#include "zwang/model.hpp"

namespace zwang {

/// How to ask.
struct AskOptions {
  std::optional<double> touch =
      {};  ///< part of its terms below which a condition counts as touched, 0 to 1; none: the model's own
  unsigned highest_order =
      12;  ///< derivatives beyond the second that are looked at where a condition is undecided, 1 to 30
  bool shock_done = false;  ///< blows and seizures of this very instant have been dealt with by `impact`
  bool tell = false;        ///< keep the trials of the solver, for the story
  /// What is wrong with them, in a sentence; empty if nothing is.
  [[nodiscard]] std::string check() const;
};

/// The true accelerations at a state, multipliers, the role of each condition, a certificate.
[[nodiscard]] instant::Instant accelerate(const Model& model, const State& state, const AskOptions& options = {});
[[nodiscard]] instant::Instant accelerate(const Model& model);

/// The velocities after the blows, seizures and collisions at a state. `impulse` (mass times velocity, one number per variable, or empty) acts
/// besides the blows of the model.
[[nodiscard]] instant::Shock impact(const Model& model, const State& state, std::span<const double> impulse = {},
                                    const AskOptions& options = {});
[[nodiscard]] instant::Shock impact(const Model& model);

/// Is the state admissible, what kind is each condition, is the position regular? Accelerations are not asked for; of a first-order system
/// neither.
[[nodiscard]] instant::Instant check(const Model& model, const State& state, const AskOptions& options = {});
[[nodiscard]] instant::Instant check(const Model& model);

/// An approximate state brought onto the conditions: position first, then velocity, in the metric of the masses.
[[nodiscard]] instant::Repair repair(const Model& model, const State& state, const AskOptions& options = {});
[[nodiscard]] instant::Repair repair(const Model& model);

/// Many questions to one model. After the first few answers nothing is allocated, unless a position is singular, degenerate or
/// contradictory. Belongs to one thread.
class Questions {
 public:
  explicit Questions(const Model& model, const AskOptions& options = {});
  ~Questions();
  Questions(Questions&& other) noexcept;
  Questions& operator=(Questions&& other) noexcept;

  /// The answers stay until the next question of their kind.
  const instant::Instant& accelerate(const State& state);
  const instant::Shock& impact(const State& state);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace zwang
