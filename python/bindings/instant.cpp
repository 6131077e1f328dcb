/// One moment: accelerations and shocks, kept as they are and told as JSON when asked.
#include "zwang/instant/instant.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "python/bindings/shared.hpp"
#include "zwang/instant/exactly.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/repair.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/report/exactly.hpp"
#include "zwang/report/explain.hpp"
#include "zwang/report/json.hpp"

namespace zwang::python {

namespace {

/// Models larger than this let other threads work meanwhile; for smaller ones asking would cost more than the answer.
constexpr std::uint32_t large = 100;

/// The accelerations at one state, with the model and the state they belong to.
struct Moment {
  explicit Moment(ModelPointer of) : model(std::move(of)), slot(model->borrow_slot()) {}
  ~Moment() { model->give_back(std::move(slot)); }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;

  ModelPointer model;
  std::unique_ptr<Slot> slot;

  [[nodiscard]] std::string json() const { return report::accelerate_json(model->get(), slot->state, slot->instant); }
};

/// Numbers of an array of doubles straight from its memory; anything else takes the long way over a conversion.
void read_numbers(nb::handle from, std::size_t size, const char* what, std::vector<double>& into) {
  Py_buffer view;
  if (PyObject_GetBuffer(from.ptr(), &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) {
    const bool doubles = view.ndim == 1 && view.format != nullptr && view.format[0] == 'd' && view.format[1] == 0;
    const auto* data = static_cast<const double*>(view.buf);
    bool good = doubles && static_cast<std::size_t>(view.shape[0]) == size;
    if (good) {
      into.assign(data, data + size);
    }
    PyBuffer_Release(&view);
    for (std::size_t i = 0; good && i < size; ++i) {
      good = std::isfinite(into[i]);
    }
    if (good) {
      return;
    }
  } else {
    PyErr_Clear();
  }
  Numbers numbers;
  if (!nb::try_cast(from, numbers)) {
    throw nb::type_error(fmt::format("{}: one row of numbers is needed", what).c_str());
  }
  into = checked(numbers, size, what);
}

/// Into memory that the moment owns; no copy.
nb::ndarray<nb::numpy, const double, nb::ndim<1>> shown(const std::vector<double>& values, nb::handle owner) {
  return {values.data(), {values.size()}, owner};
}

std::unique_ptr<Moment> accelerate(const Handle& handle, std::optional<double> time, nb::handle position,
                                   nb::handle velocity, const std::optional<Numbers>& rho) {
  const ModelPointer& model = handle.pointer;
  model->refuse_flow();
  auto moment = std::make_unique<Moment>(model);
  model::State& state = moment->slot->state;
  if (position.is_none() || velocity.is_none() || rho || !time || !std::isfinite(*time)) {
    const auto given = [](nb::handle one) {
      return one.is_none() ? std::nullopt : std::optional(nb::cast<Numbers>(one));
    };
    state = model->state(time, given(position), given(velocity), rho);
  } else {
    state.time = *time;
    state.rho.clear();
    read_numbers(position, model->get().variables, "position", state.position);
    read_numbers(velocity, model->get().variables, "velocity", state.velocity);
  }
  const auto work = [&] {
    const Borrowed borrowed(*model);
    instant::accelerate(model->get(), state, {}, borrowed.get(), moment->slot->instant);
  };
  if (model->get().variables > large) {
    const nb::gil_scoped_release release;
    work();
  } else {
    work();
  }
  return moment;
}

/// Accelerations into an array that the caller owns; the words of the status.
std::string_view accelerate_into(const Handle& handle, double time, nb::handle position, nb::handle velocity,
                                 const nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& out) {
  const std::unique_ptr<Moment> moment = accelerate(handle, time, position, velocity, std::nullopt);
  const instant::Instant& instant = moment->slot->instant;
  if (out.size() != moment->slot->state.position.size()) {
    throw nb::value_error(
        fmt::format("out: {} numbers are needed, one per coordinate", moment->slot->state.position.size()).c_str());
  }
  if (instant.status == instant::Status::determined) {
    std::copy(instant.accelerations.begin(), instant.accelerations.end(), out.data());
  }
  return instant::words(instant.status);
}

/// The instant of the model's start in fractions, as JSON and as the text that the command prints.
std::pair<std::string, std::string> accelerate_exactly(const Model& model) {
  const instant::ExactInstant instant = instant::accelerate_exactly(model.draft(), model.overrides(), model.get());
  return {report::exact_json(model.get(), instant), report::exact_text(model.get(), instant, report::Style{})};
}

/// The answer as JSON and as the text that the command prints.
std::pair<std::string, std::string> explain(const Model& model, const model::State& state) {
  const report::Explanation told = report::explain(model.get(), state);
  return {report::explain_json(model.get(), told), report::explain_text(model.get(), told)};
}

std::string check(const Model& model, const model::State& state, bool repair) {
  if (!repair) {
    instant::Instant instant = instant::classify(model.get(), state);
    // What a closed inequality does is the accelerations' business.
    if (instant.status == instant::Status::determined && !model.get().flow) {
      const instant::Instant full = instant::accelerate(model.get(), state);
      if (full.status == instant::Status::determined) {
        instant.role = full.role;
      }
    }
    return report::check_json(model.get(), state, instant, nullptr);
  }
  instant::Repair repaired = instant::repair(model.get(), state);
  if (model.get().flow) {
    // The rates of a flow follow from its positions.
    repaired.state.velocity = model::rates(model.get(), repaired.state).rate;
    repaired.velocity_change = 0;
  }
  const model::State& shown_state = repaired.succeeded ? repaired.state : state;
  const instant::Instant instant = instant::classify(model.get(), shown_state);
  return report::check_json(model.get(), shown_state, instant, &repaired);
}

/// The shock of the state, with blows of the caller's added to those of the model: an impulse per coordinate.
std::string impact(const Model& model, const model::State& state, const std::vector<double>& blow) {
  if (blow.empty()) {
    return report::impact_json(model.get(), instant::impact(model.get(), state));
  }
  model::Model struck = model.get();
  model::Blow added;
  added.at = state.time;
  for (std::uint32_t i = 0; i < blow.size(); ++i) {
    if (blow[i] != 0) {
      added.variables.push_back(i);
    }
  }
  for (const std::uint32_t i : added.variables) {
    added.impulse.push_back(blow[i]);
  }
  struck.blows.push_back(std::move(added));
  return report::impact_json(struck, instant::impact(struck, state));
}

}  // namespace

void bind_instant(nb::module_& module) {
  nb::class_<Moment>(module, "Moment", "The accelerations at one state.")
      .def_prop_ro(
          "status", [](const Moment& self) { return instant::words(self.slot->instant.status); },
          nb::sig("def status(self) -> str"))
      .def_prop_ro(
          "accelerations",
          [](nb::handle_t<Moment> self) {
            return shown(nb::cast<const Moment&>(self).slot->instant.accelerations, self);
          },
          nb::rv_policy::automatic, nb::sig("def accelerations(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "free",
          [](nb::handle_t<Moment> self) { return shown(nb::cast<const Moment&>(self).slot->instant.free, self); },
          nb::rv_policy::automatic, nb::sig("def free(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def_prop_ro(
          "multipliers",
          [](nb::handle_t<Moment> self) {
            return shown(nb::cast<const Moment&>(self).slot->instant.multipliers, self);
          },
          nb::rv_policy::automatic, nb::sig("def multipliers(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def("json", &Moment::json);

  module.def(
      "accelerate", &accelerate, nb::arg("model"), nb::arg("time").none(), nb::arg("position").none(),
      nb::arg("velocity").none(), nb::arg("rho").none(),
      nb::sig("def accelerate(model: Model, time: float | None, position: numpy.typing.NDArray[numpy.float64] | None, "
              "velocity: numpy.typing.NDArray[numpy.float64] | None, rho: numpy.typing.NDArray[numpy.float64] | None) "
              "-> Moment"));
  module.def(
      "accelerate_into", &accelerate_into, nb::arg("model"), nb::arg("time"), nb::arg("position"), nb::arg("velocity"),
      nb::arg("out").noconvert(),
      nb::sig("def accelerate_into(model: Model, time: float, position: numpy.typing.NDArray[numpy.float64], "
              "velocity: numpy.typing.NDArray[numpy.float64], out: numpy.typing.NDArray[numpy.float64]) -> str"));
  module.def(
      "accelerate_exactly",
      [](const Handle& handle) {
        const ModelPointer& model = handle.pointer;
        model->refuse_flow();
        return patiently([model] { return accelerate_exactly(*model); });
      },
      nb::arg("model"));
  module.def(
      "explain",
      [](const Handle& handle, std::optional<double> time, const std::optional<Numbers>& position,
         const std::optional<Numbers>& velocity, const std::optional<Numbers>& rho) {
        const ModelPointer& model = handle.pointer;
        model->refuse_flow();
        return patiently(
            [model, state = model->state(time, position, velocity, rho)] { return explain(*model, state); });
      },
      nb::arg("model"), nb::arg("time").none(), nb::arg("position").none(), nb::arg("velocity").none(),
      nb::arg("rho").none());
  module.def(
      "check",
      [](const Handle& handle, std::optional<double> time, const std::optional<Numbers>& position,
         const std::optional<Numbers>& velocity, const std::optional<Numbers>& rho, bool repair) {
        const ModelPointer& model = handle.pointer;
        return patiently([model, state = model->state(time, position, velocity, rho), repair] {
          return check(*model, state, repair);
        });
      },
      nb::arg("model"), nb::arg("time").none(), nb::arg("position").none(), nb::arg("velocity").none(),
      nb::arg("rho").none(), nb::arg("repair"));
  module.def(
      "impact",
      [](const Handle& handle, std::optional<double> time, const std::optional<Numbers>& position,
         const std::optional<Numbers>& velocity, const std::optional<Numbers>& rho,
         const std::optional<Numbers>& blow) {
        const ModelPointer& model = handle.pointer;
        model->refuse_flow();
        std::vector<double> impulse;
        if (blow) {
          if (blow->size() != model->get().variables) {
            throw nb::value_error("blow: one number per coordinate is needed");
          }
          impulse = list(*blow);
        }
        return patiently([model, state = model->state(time, position, velocity, rho), impulse] {
          return impact(*model, state, impulse);
        });
      },
      nb::arg("model"), nb::arg("time").none(), nb::arg("position").none(), nb::arg("velocity").none(),
      nb::arg("rho").none(), nb::arg("blow").none());
}

}  // namespace zwang::python
