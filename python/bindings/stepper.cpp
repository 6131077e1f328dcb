/// A motion in the caller's hand: on to a time or to the next event, with blows and other parameters in between.
///
/// The motion underneath runs ahead piece by piece and is never cut where the caller looks at it: as long as nothing is changed
/// the states are those of the model's own run, to the bit, as far as that goes.
#include <fmt/format.h>

#include <cmath>

#include "python/bindings/shared.hpp"
#include "zwang/base/error.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/motion/record.hpp"
#include "zwang/report/run.hpp"

namespace zwang::python {

namespace {

using Clock = std::chrono::steady_clock;

bool is_near(double one, double other) { return std::abs(one - other) <= motion::resolution(other); }

class Stepper {
 public:
  Stepper(ModelPointer model, model::State state, double tolerance) : model_(std::move(model)), tolerance_(tolerance) {
    restart(std::move(state), {});
    started_ = false;
  }

  /// Alone: whoever waits for it does so without the interpreter.
  template <class Question>
  auto ask(const Question& question) {
    const nb::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return question(*this);
  }

  [[nodiscard]] const ModelPointer& model() const { return model_; }
  [[nodiscard]] double time() const { return state_.time; }
  [[nodiscard]] const model::State& state() const { return state_; }
  [[nodiscard]] const std::vector<motion::Event>& events() const { return events_; }
  [[nodiscard]] std::string_view status() const {
    // The end that was set for looking ahead is none.
    const bool ended = reached() && motion_.status != motion::Status::finished;
    return motion::words(ended ? motion_.status : motion::Status::going);
  }
  [[nodiscard]] std::string why() const { return reached() ? motion_.why : std::string(); }

  /// On to `until`, or to the first event before it. True if something happened there.
  bool advance(double until, bool stop_at_events) {
    if (std::isnan(until) || until < state_.time) {
      throw std::invalid_argument(
          fmt::format("the motion is at t = {} and does not run back to {}", state_.time, until));
    }
    events_.clear();
    if (!started_) {
      // Blows and collisions of the first instant come before anything else.
      started_ = true;
      events_ = motion_.events;
      if (!events_.empty() && stop_at_events) {
        return true;
      }
    }
    while (true) {
      if (!reached()) {
        if (until < motion_.state.time && !is_near(until, motion_.state.time)) {
          motion::evaluate(motion_.piece, until, state_);
          state_.time = until;
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
      if (motion_.status == motion::Status::finished) {
        look_further(until);
      }
      if (motion_.status != motion::Status::going || !motion::advance(motion_)) {
        return !events_.empty();
      }
      look_out();
      ahead_ = true;
    }
  }

  /// A blow at this instant: an impulse per coordinate.
  void blow(const std::vector<double>& impulse) {
    model::Blow blow;
    blow.at = state_.time;
    for (std::uint32_t i = 0; i < impulse.size(); ++i) {
      if (impulse[i] != 0) {
        blow.variables.push_back(i);
        blow.impulse.push_back(impulse[i]);
      }
    }
    restart(state_, {blow});
    events_ = motion_.events;
  }

  /// From here on another model: the same coordinates, other parameters.
  void change(ModelPointer model) {
    if (model->get().variables != model_->get().variables) {
      throw std::invalid_argument("the new model has other coordinates");
    }
    model_ = std::move(model);
    restart(state_, {});
    events_ = motion_.events;
  }

 private:
  [[nodiscard]] bool reached() const { return !ahead_; }

  /// Ctrl-C ends the way; where the motion is then, it goes on from.
  void look_out() {
    const auto now = Clock::now();
    if (now - last_look_ < std::chrono::milliseconds(50)) {
      return;
    }
    last_look_ = now;
    const nb::gil_scoped_acquire acquire;
    check_signals();
  }

  /// The state reached is the present one.
  void arrive() {
    ahead_ = false;
    state_ = motion_.state;
    events_.insert(events_.end(), motion_.events.begin(), motion_.events.end());
  }

  /// The motion goes on beyond what was its end.
  void look_further(double until) {
    horizon_ = std::max(until, horizon_ + duration());
    motion::Options options;
    options.until = horizon_;
    options.tolerance = tolerance_;
    motion_ = motion::restore(*present_, options, motion::save(motion_));
  }

  /// How long the model's own run would be.
  [[nodiscard]] double duration() const {
    const model::Simulation& own = model_->get().simulation;
    return own.until > own.start ? own.until - own.start : 1.0;
  }

  void restart(model::State state, std::vector<model::Blow> blows) {
    const double end = model_->get().simulation.until;
    horizon_ = end > state.time ? end : state.time + duration();
    auto present = std::make_unique<model::Model>(begun_at(model_->get(), state, horizon_));
    model::Model& changed = *present;
    // What lies behind is done; at the very first instant nothing is.
    if (begun_) {
      std::erase_if(changed.blows,
                    [&](const model::Blow& one) { return one.at <= state.time + motion::resolution(state.time); });
      for (model::Condition& condition : changed.conditions) {
        if (condition.seizure && condition.at <= state.time + motion::resolution(state.time)) {
          condition.at = state.time - 1 - std::abs(state.time);
        }
      }
    }
    changed.blows.insert(changed.blows.end(), blows.begin(), blows.end());
    motion::Options options;
    options.until = horizon_;
    options.tolerance = tolerance_;
    motion_ = motion::begin(*present, options);
    present_ = std::move(present);
    state_ = motion_.state;
    ahead_ = false;
    begun_ = true;
    started_ = true;
  }

  mutable std::mutex mutex_;
  Clock::time_point last_look_ = Clock::now();
  ModelPointer model_;
  double tolerance_;
  std::unique_ptr<model::Model> present_;  ///< the model from the last change on
  motion::Motion motion_;                  ///< never behind the state
  model::State state_;
  std::vector<motion::Event> events_;  ///< of the last call
  double horizon_ = 0;                 ///< the motion ends here for now
  bool ahead_ = false;                 ///< the motion is ahead of the state, which lies on its piece
  bool begun_ = false;
  bool started_ = true;
};

std::string events_json(const Stepper& self) {
  report::Writer json;
  json.open().open_list("events");
  for (const motion::Event& event : self.events()) {
    json.open();
    report::put_event(json, self.model()->get(), event);
    json.close();
  }
  return json.close_list().close().text();
}

}  // namespace

void bind_stepper(nb::module_& module) {
  nb::class_<Stepper>(module, "Stepper", "A motion in the caller's hand.")
      .def(
          "__init__",
          [](Stepper* self, const Handle& handle, std::optional<double> time, const std::optional<Numbers>& position,
             const std::optional<Numbers>& velocity, const std::optional<Numbers>& rho, double tolerance) {
            new (self) Stepper(handle.pointer, handle.pointer->state(time, position, velocity, rho), tolerance);
          },
          nb::arg("model"), nb::arg("time").none(), nb::arg("position").none(), nb::arg("velocity").none(),
          nb::arg("rho").none(), nb::arg("tolerance"))
      .def_prop_ro("time", [](Stepper& self) { return self.ask([](const Stepper& now) { return now.time(); }); })
      .def_prop_ro(
          "position",
          [](Stepper& self) { return array_of(self.ask([](const Stepper& now) { return now.state().position; })); },
          nb::rv_policy::automatic, nb::sig("def position(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "velocity",
          [](Stepper& self) { return array_of(self.ask([](const Stepper& now) { return now.state().velocity; })); },
          nb::rv_policy::automatic, nb::sig("def velocity(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro("status",
                   [](Stepper& self) { return self.ask([](const Stepper& now) { return std::string(now.status()); }); })
      .def_prop_ro("why", [](Stepper& self) { return self.ask([](const Stepper& now) { return now.why(); }); })
      .def("events_json", [](Stepper& self) { return self.ask(events_json); })
      .def(
          "advance",
          [](Stepper& self, double until, bool stop_at_events) {
            return self.ask([&](Stepper& now) { return now.advance(until, stop_at_events); });
          },
          nb::arg("until"), nb::arg("stop_at_events"))
      .def(
          "blow",
          [](Stepper& self, const Numbers& impulse) {
            std::vector<double> numbers = list(impulse);
            self.ask([&](Stepper& now) {
              if (numbers.size() != now.state().position.size()) {
                throw std::invalid_argument("one number per coordinate is needed");
              }
              now.blow(numbers);
              return 0;
            });
          },
          nb::arg("impulse"))
      .def(
          "change",
          [](Stepper& self, const Handle& handle) {
            self.ask([pointer = handle.pointer](Stepper& now) {
              now.change(pointer);
              return 0;
            });
          },
          nb::arg("model"));
}

}  // namespace zwang::python
