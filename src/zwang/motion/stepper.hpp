/// A motion in the caller's hand: on to a time or to the next event, with impulses and other parameters in between.
///
/// The motion underneath runs ahead piece by piece and is never cut where the caller looks at it: as long as nothing is changed
/// the states are those of the model's own run, to the bit, as far as that goes; then the motion goes on beyond its end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/motion/memory.hpp"

namespace zwang::motion {

/// The same system from another state on. A state whose rho differs between members of a family is refused with
/// std::invalid_argument: a model has one value for all of them.
[[nodiscard]] model::Model begun_at(const model::Model& model, model::State state, std::optional<double> until);

class Stepper {
 public:
  /// `tolerance` 0: the model's own. The instant of the start is dealt with here; its events come with the first `advance`.
  Stepper(std::shared_ptr<const model::Model> model, const model::State& state, double tolerance = 0);

  /// A copy goes on from the same present to the same bits, by itself.
  Stepper(const Stepper& other);
  Stepper& operator=(const Stepper&) = delete;
  Stepper(Stepper&&) noexcept = default;
  Stepper& operator=(Stepper&&) noexcept = default;
  ~Stepper() = default;

  [[nodiscard]] const model::Model& model() const { return *model_; }
  [[nodiscard]] double time() const { return state_.time; }
  [[nodiscard]] const model::State& state() const { return state_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }  ///< of the last call
  /// `going`, or how the motion ended.
  [[nodiscard]] Status status() const;
  [[nodiscard]] std::string why() const;  ///< for an end: one sentence

  /// On to `until`, or to the first event before it. True if something happened there. A time that lies behind is refused with
  /// std::invalid_argument. `look_out` is called between pieces and may throw: where the motion is then, it goes on from.
  bool advance(double until, bool stop_at_events = true, const std::function<void()>& look_out = {});

  /// An impulse at this instant, one number per coordinate. What it sets off is in `events`.
  void push(const std::vector<double>& impulse);
  /// From here on another model: the same coordinates, other parameters. What it sets off is in `events`.
  void change(std::shared_ptr<const model::Model> model);
  /// From here on another state of the same model; nothing that lies before its time happens again.
  void move_to(const model::State& state);

 private:
  void arrive();
  void look_further(double until);
  [[nodiscard]] double duration() const;
  void take_rho(const std::vector<std::uint32_t>& rows, const std::vector<double>& rho);
  /// What is remembered at the present state.
  [[nodiscard]] Memory remembered() const { return ahead_ ? before_piece_ : memory_of(motion_); }
  void restart(model::State state, const std::vector<model::Blow>& blows, const Memory& memory);

  std::shared_ptr<const model::Model> model_;
  double tolerance_ = 0;
  std::unique_ptr<model::Model> present_;  ///< the model from the last change on
  Motion motion_;                          ///< never behind the state
  Memory before_piece_;                    ///< as the motion's piece began
  model::State state_;
  std::vector<Event> events_;
  double horizon_ = 0;    ///< the motion ends here for now
  bool ahead_ = false;    ///< the motion is ahead of the state, which lies on its piece
  bool begun_ = false;    ///< what was due at the very first instant is done
  bool started_ = false;  ///< its events have been told
};

}  // namespace zwang::motion
