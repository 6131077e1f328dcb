/// The stepper, from several threads of Python.
#include "zwang/motion/stepper.hpp"

#include "python/bindings/shared.hpp"
#include "zwang/report/run.hpp"

namespace zwang::python {

namespace {

using Clock = std::chrono::steady_clock;

/// One question at a time, whatever thread it comes from.
class Stepper {
 public:
  Stepper(ModelPointer model, const model::State& state, double tolerance)
      : model_(std::move(model)), core_(shared(model_), state, tolerance) {}

  Stepper(const Stepper& other) : model_(other.model_), core_(copied(other)) {}

  /// Alone: whoever waits for it does so without the interpreter.
  template <class Question>
  auto ask(const Question& question) {
    const nb::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return question(core_);
  }

  bool advance(double until, bool stop_at_events) {
    return ask([&](motion::Stepper& now) { return now.advance(until, stop_at_events, [this] { look_out(); }); });
  }

  void change(const ModelPointer& model) {
    ask([&](motion::Stepper& now) {
      now.change(shared(model));
      return 0;
    });
    model_ = model;
  }

 private:
  /// The compiled model inside, which lives as long as what is around it.
  static std::shared_ptr<const model::Model> shared(const ModelPointer& model) { return {model, &model->get()}; }

  static motion::Stepper copied(const Stepper& other) {
    const nb::gil_scoped_release release;
    const std::scoped_lock lock(other.mutex_);
    return other.core_;
  }

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

  mutable std::mutex mutex_;
  Clock::time_point last_look_ = Clock::now();
  ModelPointer model_;
  motion::Stepper core_;
};

std::string new_events_json(const motion::Stepper& self) {
  report::Writer json;
  json.open().open_list("events");
  for (const motion::Event& event : self.events()) {
    json.open();
    report::put_event(json, self.model(), event);
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
      .def_prop_ro("time",
                   [](Stepper& self) { return self.ask([](const motion::Stepper& now) { return now.time(); }); })
      .def_prop_ro(
          "position",
          [](Stepper& self) {
            return array_of(self.ask([](const motion::Stepper& now) { return now.state().position; }));
          },
          nb::rv_policy::automatic, nb::sig("def position(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "velocity",
          [](Stepper& self) {
            return array_of(self.ask([](const motion::Stepper& now) { return now.state().velocity; }));
          },
          nb::rv_policy::automatic, nb::sig("def velocity(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "rho",
          [](Stepper& self) { return array_of(self.ask([](const motion::Stepper& now) { return now.state().rho; })); },
          nb::rv_policy::automatic, nb::sig("def rho(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "status",
          [](Stepper& self) {
            return self.ask([](const motion::Stepper& now) { return std::string(motion::words(now.status())); });
          })
      .def_prop_ro("why", [](Stepper& self) { return self.ask([](const motion::Stepper& now) { return now.why(); }); })
      .def("events_json", [](Stepper& self) { return self.ask(new_events_json); })
      .def("advance", &Stepper::advance, nb::arg("until"), nb::arg("stop_at_events"))
      .def(
          "blow",
          [](Stepper& self, const Numbers& impulse) {
            std::vector<double> numbers = list(impulse);
            self.ask([&](motion::Stepper& now) {
              now.push(numbers);
              return 0;
            });
          },
          nb::arg("impulse"))
      .def(
          "copy", [](const Stepper& self) { return new Stepper(self); }, nb::rv_policy::take_ownership)
      .def(
          "move_to",
          [](Stepper& self, const Handle& handle, std::optional<double> time, const std::optional<Numbers>& position,
             const std::optional<Numbers>& velocity, const std::optional<Numbers>& rho) {
            const model::State state = handle.pointer->state(time, position, velocity, rho);
            self.ask([&](motion::Stepper& now) {
              now.move_to(state);
              return 0;
            });
          },
          nb::arg("model"), nb::arg("time").none(), nb::arg("position").none(), nb::arg("velocity").none(),
          nb::arg("rho").none())
      .def(
          "change", [](Stepper& self, const Handle& handle) { self.change(handle.pointer); }, nb::arg("model"));
}

}  // namespace zwang::python
