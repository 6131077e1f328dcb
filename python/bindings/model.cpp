/// The model: read, compiled, asked for its names and numbers.
#include <fmt/format.h>

#include <cmath>
#include <new>

#include "python/bindings/shared.hpp"
#include "zwang/error.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/motion/stepper.hpp"

namespace zwang::python {

namespace {

nb::list bodies(const model::Model& model) {
  nb::list result;
  for (const model::Body& body : model.bodies) {
    result.append(
        nb::make_tuple(body.name, std::string(model::words(body.kind)), body.dimension, body.counts, body.first));
  }
  return result;
}

nb::list conditions(const model::Model& model) {
  nb::list result;
  for (const model::Condition& one : model.conditions) {
    const char* kind = one.rows > 0 ? model::words(model.row_kind[one.first_row]).data() : "";
    result.append(nb::make_tuple(one.name, one.text, kind,
                                 one.law == model::Law::variational ? "variational" : "straightest", one.restitution,
                                 one.first_row, one.rows));
  }
  return result;
}

nb::dict parameters(const model::Model& model) {
  nb::dict result;
  for (const model::Parameter& parameter : model.parameters) {
    if (parameter.value.size() == 1) {
      result[parameter.name.c_str()] = parameter.value.front();
    } else {
      result[parameter.name.c_str()] = array_of(parameter.value);
    }
  }
  return result;
}

}  // namespace

std::vector<double> checked(const Numbers& numbers, std::size_t size, const char* what) {
  if (numbers.size() != size) {
    throw nb::value_error(
        fmt::format("{}: {} numbers are needed, one per coordinate, and {} are given", what, size, numbers.size())
            .c_str());
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!std::isfinite(numbers.data()[i])) {
      throw nb::value_error(fmt::format("{}: number {} is not finite", what, i).c_str());
    }
  }
  return list(numbers);
}

Model::Model(std::string_view text, std::string_view file, model::Overrides overrides)
    : model_(model::load(text, std::string(file), overrides)), overrides_(std::move(overrides)) {}

void Model::refuse_flow() const {
  if (model_.flow) {
    throw Error({model_.file, 0, 0},
                "this model is a first-order system, [flow]: it has rates, and neither accelerations nor energy; "
                "`check`, `run` and `equations` answer for it");
  }
}

model::State Model::state(std::optional<double> time, const std::optional<Numbers>& position,
                          const std::optional<Numbers>& velocity, const std::optional<Numbers>& rho) const {
  model::State result;
  if (!position && !velocity && !rho) {
    result = model::initial_state(model_);
    result.time = time.value_or(result.time);
    return result;
  }
  result.time = time.value_or(model_.simulation.start);
  if (!std::isfinite(result.time)) {
    throw nb::value_error("the time is not finite");
  }
  result.position = position ? checked(*position, model_.variables, "position") : model_.initial_position;
  result.velocity = velocity ? checked(*velocity, model_.variables, "velocity") : model_.initial_velocity;
  // Numbers that somebody has computed, this program mostly.
  model::doubt_as_computed(model_, result);
  if (rho) {
    result.rho = checked(*rho, model_.rows(), "rho");
  }
  return result;
}

std::unique_ptr<instant::Workspace> Model::borrow() const {
  {
    const std::scoped_lock lock(mutex_);
    if (!workspaces_.empty()) {
      auto workspace = std::move(workspaces_.back());
      workspaces_.pop_back();
      return workspace;
    }
  }
  return std::make_unique<instant::Workspace>(model_);
}

// What there is no memory to keep is let go.
void Model::give_back(std::unique_ptr<instant::Workspace> workspace) const noexcept try {
  const std::scoped_lock lock(mutex_);
  workspaces_.push_back(std::move(workspace));
} catch (const std::bad_alloc&) {
  return;
}

std::unique_ptr<Slot> Model::borrow_slot() const {
  {
    const std::scoped_lock lock(mutex_);
    if (!slots_.empty()) {
      auto slot = std::move(slots_.back());
      slots_.pop_back();
      return slot;
    }
  }
  return std::make_unique<Slot>();
}

void Model::give_back(std::unique_ptr<Slot> slot) const noexcept try {
  constexpr std::size_t most = 64;
  const std::scoped_lock lock(mutex_);
  if (slots_.size() < most) {
    slots_.push_back(std::move(slot));
  }
} catch (const std::bad_alloc&) {
  return;
}

void bind_model(nb::module_& module) {
  nb::class_<Handle>(module, "Model", "A compiled model.")
      .def(
          "__init__",
          [](Handle* self, std::string_view text, std::string_view file, const nb::sequence& set,
             std::string_view start, std::string_view until, std::string_view tolerance, std::string_view samples) {
            model::Overrides overrides{
                {}, std::string(start), std::string(until), std::string(tolerance), std::string(samples)};
            for (const nb::handle one : set) {
              const auto [name, value] = nb::cast<std::pair<std::string_view, std::string_view>>(one);
              overrides.parameters.emplace_back(name, value);
            }
            const nb::gil_scoped_release release;
            new (self) Handle{std::make_shared<Model>(text, file, std::move(overrides))};
          },
          nb::arg("text"), nb::arg("file"), nb::arg("set"), nb::arg("start"), nb::arg("until"), nb::arg("tolerance"),
          nb::arg("samples"),
          nb::sig(
              "def __init__(self, text: str, file: str, set: collections.abc.Sequence[tuple[str, str]], start: str, "
              "until: str, tolerance: str, samples: str) -> None"))
      .def(
          "begun_at",
          [](const Handle& self, std::optional<double> time, const std::optional<Numbers>& position,
             const std::optional<Numbers>& velocity, const std::optional<Numbers>& rho, std::optional<double> until) {
            return Handle{std::make_shared<Model>(
                motion::begun_at(self.pointer->get(), self.pointer->state(time, position, velocity, rho), until),
                self.pointer->overrides())};
          },
          nb::arg("time").none(), nb::arg("position").none(), nb::arg("velocity").none(), nb::arg("rho").none(),
          nb::arg("until").none(), "The same system from another state on.")
      .def_prop_ro("text", [](const Handle& self) { return self.pointer->get().text; })
      .def_prop_ro("file", [](const Handle& self) { return self.pointer->get().file; })
      .def_prop_ro("title", [](const Handle& self) { return self.pointer->get().title; })
      .def_prop_ro("flow", [](const Handle& self) { return self.pointer->get().flow; })
      .def_prop_ro("variables", [](const Handle& self) { return self.pointer->get().variables; })
      .def_prop_ro(
          "bodies", [](const Handle& self) { return bodies(self.pointer->get()); },
          nb::sig("def bodies(self) -> list[tuple[str, str, int, list[int], int]]"))
      .def_prop_ro(
          "conditions", [](const Handle& self) { return conditions(self.pointer->get()); },
          nb::sig("def conditions(self) -> list[tuple[str, str, str, str, float, int, int]]"))
      .def_prop_ro(
          "parameters", [](const Handle& self) { return parameters(self.pointer->get()); }, nb::rv_policy::automatic,
          nb::sig("def parameters(self) -> dict[str, float | numpy.typing.NDArray[numpy.float64]]"))
      .def_prop_ro("variable_names",
                   [](const Handle& self) {
                     std::vector<std::string> names;
                     for (std::uint32_t i = 0; i < self.pointer->get().variables; ++i) {
                       names.push_back(model::variable_name(self.pointer->get(), i));
                     }
                     return names;
                   })
      .def_prop_ro("row_names",
                   [](const Handle& self) {
                     std::vector<std::string> names;
                     for (std::uint32_t i = 0; i < self.pointer->get().rows(); ++i) {
                       names.push_back(model::row_name(self.pointer->get(), i));
                     }
                     return names;
                   })
      .def_prop_ro("variational_rows",
                   [](const Handle& self) {
                     std::vector<std::uint32_t> rows;
                     for (std::uint32_t i = 0; i < self.pointer->get().rows(); ++i) {
                       if (model::is_variational(self.pointer->get(), i)) {
                         rows.push_back(i);
                       }
                     }
                     return rows;
                   })
      .def_prop_ro("output_names",
                   [](const Handle& self) {
                     std::vector<std::string> names;
                     for (const model::Observable& output : self.pointer->get().outputs) {
                       names.push_back(output.name);
                     }
                     return names;
                   })
      .def_prop_ro("start", [](const Handle& self) { return self.pointer->get().simulation.start; })
      .def_prop_ro("until", [](const Handle& self) { return self.pointer->get().simulation.until; })
      .def_prop_ro("tolerance", [](const Handle& self) { return self.pointer->get().simulation.tolerance; })
      .def_prop_ro("samples", [](const Handle& self) { return self.pointer->get().simulation.samples; })
      .def_prop_ro(
          "initial_position", [](const Handle& self) { return array_of(self.pointer->get().initial_position); },
          nb::rv_policy::automatic, nb::sig("def initial_position(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "initial_velocity", [](const Handle& self) { return array_of(self.pointer->get().initial_velocity); },
          nb::rv_policy::automatic, nb::sig("def initial_velocity(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def(
          "text_with_overrides",
          [](const Handle& self) { return model::with_overrides(self.pointer->draft(), self.pointer->overrides()); },
          "The text with parameters and settings from outside written into it.")
      .def(
          "text_with_start",
          [](const Handle& self, const Numbers& position, const Numbers& velocity) {
            return model::with_start(self.pointer->draft(), self.pointer->get(),
                                     checked(position, self.pointer->get().variables, "position"),
                                     checked(velocity, self.pointer->get().variables, "velocity"));
          },
          nb::arg("position"), nb::arg("velocity"), "The text with another initial state written into it.");
}

}  // namespace zwang::python
