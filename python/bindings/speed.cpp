/// The same work as loops in C++, timed inside, so that Python's share can be told from it.
#include <chrono>

#include "python/bindings/shared.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::python {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Seconds per call of `accelerate` at the model's start.
double accelerate_seconds(const Handle& handle, std::uint64_t calls) {
  const Model& model = *handle.pointer;
  const model::State state = model::initial_state(model.get());
  const Borrowed borrowed(model);
  instant::Instant instant;
  const auto begin = Clock::now();
  for (std::uint64_t k = 0; k < calls; ++k) {
    instant::accelerate(model.get(), state, {}, borrowed.get(), instant);
  }
  return seconds_since(begin) / static_cast<double>(calls);
}

/// Seconds per run of the model, with its pieces and events kept.
double run_seconds(const Handle& handle, std::uint64_t calls) {
  const Model& model = *handle.pointer;
  const auto begin = Clock::now();
  for (std::uint64_t k = 0; k < calls; ++k) {
    motion::Motion motion = motion::begin(model.get());
    motion::Track track;
    motion::follow(model.get(), motion, track);
  }
  return seconds_since(begin) / static_cast<double>(calls);
}

/// Seconds to find the states at `count` instants evenly over the run.
double states_seconds(const Handle& handle, std::uint32_t count) {
  const Model& model = *handle.pointer;
  motion::Motion motion = motion::begin(model.get());
  motion::Track track;
  motion::follow(model.get(), motion, track);
  const motion::RunView view = motion::view(model.get(), track);
  std::vector<double> times(count);
  const double start = model.get().simulation.start;
  for (std::uint32_t k = 0; k < count; ++k) {
    times[k] = start + (model.get().simulation.until - start) * k / (count - 1);
  }
  const std::size_t size = std::size_t{count} * model.get().variables;
  const auto begin = Clock::now();
  // Memory as fresh as that of the arrays which Python gets.
  const std::unique_ptr<double[]> position(new double[size]);
  const std::unique_ptr<double[]> velocity(new double[size]);
  motion::evaluate(view, times, model.get().variables, position.get(), velocity.get());
  return seconds_since(begin);
}

}  // namespace

void bind_speed(nb::module_& module) {
  module.def("accelerate_seconds", &accelerate_seconds, nb::arg("model"), nb::arg("calls"));
  module.def("run_seconds", &run_seconds, nb::arg("model"), nb::arg("calls"));
  module.def("states_seconds", &states_seconds, nb::arg("model"), nb::arg("count"));
}

}  // namespace zwang::python
