/// The analyses and the written equations, as the JSON that the command gives.
#include <fmt/format.h>

#include "python/bindings/shared.hpp"
#include "zwang/analysis/curvature.hpp"
#include "zwang/analysis/energy.hpp"
#include "zwang/analysis/equations.hpp"
#include "zwang/analysis/fourier.hpp"
#include "zwang/analysis/integrability.hpp"
#include "zwang/analysis/measure.hpp"
#include "zwang/analysis/reversal.hpp"
#include "zwang/analysis/stability.hpp"
#include "zwang/analysis/velocities.hpp"
#include "zwang/error.hpp"
#include "zwang/report/energy.hpp"
#include "zwang/report/equations.hpp"
#include "zwang/report/fourier.hpp"
#include "zwang/report/integrability.hpp"
#include "zwang/report/measure.hpp"
#include "zwang/report/run.hpp"
#include "zwang/report/stability.hpp"
#include "zwang/report/velocities.hpp"

namespace zwang::python {

namespace {

std::string stability(const model::Model& model, bool find) {
  model::State state = model::initial_state(model);
  if (find) {
    const analysis::Search search = analysis::find_equilibrium(model, state);
    if (!search.found) {
      return fmt::format("{{\"equilibrium\": false, \"why\": \"no equilibrium was found from here in {} rounds\"}}\n",
                         search.rounds);
    }
    state = search.state;
  }
  return report::stability_json(model, state, analysis::stability(model, state), find);
}

std::string integrability(const Model& model) {
  if (model.get().flow) {
    throw Error(
        {model.get().file, 0, 0},
        "a first-order system moves along its own field: integrability is asked of conditions on a mechanical system");
  }
  const model::State state = model::initial_state(model.get());
  const analysis::Integrability found = analysis::integrability(model.draft(), model.get(), state);
  if (found.conditions == 0) {
    throw Error({model.get().file, 0, 0},
                model.get().rows() == 0 ? "the model has no conditions, so that there is nothing to integrate"
                                        : "no equation is in force at the start: inequalities forbid one side only and "
                                          "do not count as conditions here");
  }
  return report::integrability_json(model.get(), state, found);
}

std::string fourier(const model::Model& model, const std::vector<double>& member) {
  const model::State state = model::initial_state(model);
  const analysis::Fourier found = analysis::fourier(model, state);
  std::optional<bool> verdict;
  if (!member.empty() && found.instant.status == instant::Status::determined && !found.instant.singular) {
    verdict = analysis::is_member(model, state, member);
  }
  return report::fourier_json(model, found, verdict);
}

std::string equations(const Model& model, const std::string& format, bool all, bool json) {
  using expressions::Notation;
  const bool program = format == "cpp" || format == "python";
  if (model.get().flow && program) {
    throw Error({model.get().file, 0, 0}, "programs are written for systems with masses; a [flow] has text and latex");
  }
  const Notation notation = format == "latex"    ? Notation::latex
                            : format == "cpp"    ? Notation::cpp
                            : format == "python" ? Notation::python
                                                 : Notation::text;
  return report::equations_of(notation, model.draft(), model.get(), all, json);
}

std::string analyze(const Model& model, const std::string& what, bool find, const std::vector<double>& member) {
  if (what == "integrability") {
    return integrability(model);
  }
  model.refuse_flow();
  const model::Model& system = model.get();
  const auto state = [&] { return model::initial_state(system); };
  if (what == "stability") {
    return stability(system, find);
  }
  if (what == "measure") {
    return report::measure_json(system, analysis::measure(model.draft(), system, state()));
  }
  if (what == "velocities") {
    return report::velocities_json(system, state(), analysis::velocities(system, state()));
  }
  if (what == "fourier") {
    return fourier(system, member);
  }
  if (what == "curvature") {
    return report::curvature_json(system, analysis::curvature(system));
  }
  if (what == "reversal") {
    return report::reversal_json(system, analysis::reversal(system));
  }
  if (what == "energy") {
    return report::energy_json(system, analysis::energy_rate(system, state()));
  }
  throw std::invalid_argument(fmt::format("there is no analysis called '{}'", what));
}

}  // namespace

void bind_analyses(nb::module_& module) {
  module.def(
      "analyze",
      [](const Handle& handle, const std::string& what, bool find, const std::optional<Numbers>& member) {
        const ModelPointer& model = handle.pointer;
        if (what == "curvature" &&
            std::none_of(model->get().bodies.begin(), model->get().bodies.end(),
                         [](const model::Body& body) { return body.kind != model::BodyKind::coordinate; })) {
          throw Error({model->get().file, 0, 0},
                      "the model has neither points nor bodies: coordinates alone have no path in space");
        }
        return patiently([model, what, find, member = member ? list(*member) : std::vector<double>()] {
          return analyze(*model, what, find, member);
        });
      },
      nb::arg("model"), nb::arg("what"), nb::arg("find") = false, nb::arg("member").none() = nb::none());
  module.def(
      "equations",
      [](const Handle& handle, const std::string& format, bool all, bool json) {
        const ModelPointer& model = handle.pointer;
        return patiently([model, format, all, json] { return equations(*model, format, all, json); });
      },
      nb::arg("model"), nb::arg("format"), nb::arg("all"), nb::arg("json"));
}

}  // namespace zwang::python
