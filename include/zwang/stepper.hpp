/// A motion in the caller's hand, for controllers and games: on to a time or to the next event, with impulses and other parameters in between.
///
///   zwang::Stepper ball(model);
///   while (ball.time() < 10) {
///     if (!ball.advance(10).empty()) ball.push("ball", {0, 0, 1});
///   }
///
/// As long as nothing is changed the states are those of the model's own run, to the bit, as far as that goes; then the motion just goes on.
/// What a controller decides enters through parameters: a force "u" in the model is set from here.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/model.hpp"
#include "zwang/trajectory.hpp"

namespace zwang {

/// How to step.
struct StepperOptions {
  std::optional<double> tolerance =
      {};  ///< 0 to 1: what the steps may leave of the equations of motion; none: the model's own
  std::optional<State> from = {};  ///< another start than the model's
  /// What is wrong with them, in a sentence; empty if nothing is.
  [[nodiscard]] std::string check() const;
};

/// A motion and its present. A copy goes on from the same present to the same bits, by itself. Belongs to one thread.
class Stepper {
 public:
  explicit Stepper(const Model& model, const StepperOptions& options = {});
  Stepper(const Stepper& other);
  Stepper& operator=(const Stepper& other);
  Stepper(Stepper&& other) noexcept;
  Stepper& operator=(Stepper&& other) noexcept;
  ~Stepper();

  [[nodiscard]] const Model& model() const;  ///< in force, with its present parameters
  [[nodiscard]] double time() const;
  [[nodiscard]] const State& state() const;
  [[nodiscard]] motion::Status status() const;  ///< `going`, or how the motion ended
  [[nodiscard]] std::string why() const;        ///< for an end: one sentence
  /// What happened in the last call.
  [[nodiscard]] const std::vector<motion::Event>& events() const;

  /// On to `until`, or to the next event if that comes first; the events of that instant, none at `until`. A time that lies behind is refused
  /// with std::invalid_argument.
  const std::vector<motion::Event>& advance(double until);
  /// On to `until` whatever happens; all events on the way.
  const std::vector<motion::Event>& advance_through(double until);

  /// An impulse (mass times velocity) now: one number per variable, or on a body by name. What it sets off at once.
  const std::vector<motion::Event>& push(std::span<const double> impulse);
  const std::vector<motion::Event>& push(std::string_view body, std::initializer_list<double> impulse);

  /// Other values of parameters from now on. What it sets off at once; a state that no longer satisfies the conditions ends the motion with
  /// status `inadmissible`. A name that the model does not have is an Error.
  const std::vector<motion::Event>& set(std::string_view parameter, double value);
  const std::vector<motion::Event>& set(const std::vector<std::pair<std::string, double>>& parameters);

  /// Another state of the same model: nothing that lies before its time happens again.
  const std::vector<motion::Event>& move_to(const State& state);
  /// Back to the start of the model in force: what is due there happens again.
  void reset();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace zwang
