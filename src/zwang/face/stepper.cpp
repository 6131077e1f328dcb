/// The stepper: a model in force and the motion under it.
#include "zwang/stepper.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "zwang/base/number.hpp"
#include "zwang/face/inside.hpp"
#include "zwang/motion/stepper.hpp"

namespace zwang {

struct Stepper::Inside {
  Inside(const Model& of, const StepperOptions& how)
      : model(of),
        tolerance(how.tolerance.value_or(0)),
        core(face::Access::shared(model), how.from ? *how.from : model.initial(), tolerance) {}
  Model model;
  double tolerance = 0;
  motion::Stepper core;
};

std::string StepperOptions::check() const {
  if (from) {
    if (std::string wrong = face::wrong_numbers(*from); !wrong.empty()) return "from: " + wrong;
  }
  return face::wrong_part("tolerance", tolerance);
}

Stepper::Stepper(const Model& model, const StepperOptions& options) {
  face::require(options);
  if (options.from) face::require_state(model, *options.from);
  inside_ = std::make_unique<Inside>(model, options);
}
Stepper::Stepper(const Stepper& other) : inside_(std::make_unique<Inside>(*other.inside_)) {}
Stepper& Stepper::operator=(const Stepper& other) {
  if (this != &other) inside_ = std::make_unique<Inside>(*other.inside_);
  return *this;
}
Stepper::Stepper(Stepper&&) noexcept = default;
Stepper& Stepper::operator=(Stepper&&) noexcept = default;
Stepper::~Stepper() = default;

const Model& Stepper::model() const { return inside_->model; }
double Stepper::time() const { return inside_->core.time(); }
const State& Stepper::state() const { return inside_->core.state(); }
motion::Status Stepper::status() const { return inside_->core.status(); }
std::string Stepper::why() const { return inside_->core.why(); }
const std::vector<motion::Event>& Stepper::events() const { return inside_->core.events(); }

const std::vector<motion::Event>& Stepper::advance(double until) {
  inside_->core.advance(until, true);
  return events();
}

const std::vector<motion::Event>& Stepper::advance_through(double until) {
  inside_->core.advance(until, false);
  return events();
}

const std::vector<motion::Event>& Stepper::push(std::span<const double> impulse) {
  for (const double value : impulse) {
    if (!std::isfinite(value)) throw std::invalid_argument("impulse: a number is not finite");
  }
  inside_->core.push({impulse.begin(), impulse.end()});
  return events();
}

const std::vector<motion::Event>& Stepper::push(std::string_view body, std::initializer_list<double> impulse) {
  std::vector<double> all(model().variables(), 0.0);
  const std::span<double> part = model().part(body, all);
  if (part.size() != impulse.size()) {
    throw std::invalid_argument(
        fmt::format("impulse: '{}' has {} components and {} are given", body, part.size(), impulse.size()));
  }
  std::copy(impulse.begin(), impulse.end(), part.begin());
  return push(all);
}

const std::vector<motion::Event>& Stepper::set(std::string_view parameter, double value) {
  return set({{std::string(parameter), value}});
}

const std::vector<motion::Event>& Stepper::set(const std::vector<std::pair<std::string, double>>& parameters) {
  Overrides overrides;
  for (const auto& [name, value] : parameters) {
    if (!std::isfinite(value)) throw std::invalid_argument(fmt::format("the parameter '{}' is not finite", name));
    overrides.parameters.emplace_back(name, exact(value));
  }
  const Model changed = model().with(overrides);
  inside_->core.change(face::Access::shared(changed));
  inside_->model = changed;
  return events();
}

const std::vector<motion::Event>& Stepper::move_to(const State& state) {
  face::require_state(model(), state);
  inside_->core.move_to(state);
  return events();
}

void Stepper::reset() {
  inside_->core = motion::Stepper(face::Access::shared(model()), model().initial(), inside_->tolerance);
}

}  // namespace zwang
