/// The analyses, asked of models of the face.
#include "zwang/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "zwang/analysis/compare.hpp"
#include "zwang/analysis/curvature.hpp"
#include "zwang/analysis/energy.hpp"
#include "zwang/analysis/equivalence.hpp"
#include "zwang/analysis/fourier.hpp"
#include "zwang/analysis/integrability.hpp"
#include "zwang/analysis/measure.hpp"
#include "zwang/analysis/reversal.hpp"
#include "zwang/analysis/stability.hpp"
#include "zwang/analysis/velocities.hpp"
#include "zwang/analysis/with_integrals.hpp"
#include "zwang/face/inside.hpp"

namespace zwang::analysis {

namespace {

/// The compiled model of a system with masses, asked at a state that fits it.
const model::Model& system_with_masses(const Model& model, const State& state) {
  face::refuse_flow(model);
  face::require_state(model, state);
  return face::Access::system(model);
}

const model::Draft& draft_of(const Model& model) { return *face::Access::inside(model).draft; }

}  // namespace

Integrability integrability(const Model& model, const State& state, const IntegrabilityOptions& options) {
  if (model.is_flow()) {
    throw Error(
        {model.file(), 0, 0},
        "a first-order system moves along its own field: integrability is asked of conditions on a mechanical system");
  }
  Integrability found = integrability(draft_of(model), system_with_masses(model, state), state, options);
  if (found.conditions == 0) {
    throw Error({model.file(), 0, 0},
                model.rows() == 0 ? "the model has no conditions, so that there is nothing to integrate"
                                  : "no equation is in force at the start: inequalities forbid one side only and "
                                    "do not count as conditions here");
  }
  return found;
}

Model with_integrals(const Model& model, const State& state) {
  const Rewritten found = with_integrals(draft_of(model), system_with_masses(model, state), state);
  const face::Access::ModelInside& inside = face::Access::inside(model);
  return face::make(std::make_shared<const model::Draft>(model::read(found.text, model.file())), inside.overrides,
                    inside.law, inside.from);
}

Stability stability(const Model& model, const State& state) {
  return stability(system_with_masses(model, state), state);
}

Search find_equilibrium(const Model& model, const State& guess) {
  return find_equilibrium(system_with_masses(model, guess), guess);
}

Measure measure(const Model& model, const State& state) {
  return measure(draft_of(model), system_with_masses(model, state), state);
}

Velocities velocities(const Model& model, const State& state) {
  return velocities(system_with_masses(model, state), state);
}

Fourier fourier(const Model& model, const State& state) { return fourier(system_with_masses(model, state), state); }

bool is_member(const Model& model, const State& state, std::span<const double> accelerations) {
  if (accelerations.size() != model.variables()) {
    throw std::invalid_argument(fmt::format("accelerations: {} numbers are needed, one per variable, and {} are given",
                                            model.variables(), accelerations.size()));
  }
  return is_member(system_with_masses(model, state), state, {accelerations.begin(), accelerations.end()});
}

Curvature curvature(const Model& model, const State& state) {
  const bool points = std::any_of(model.bodies().begin(), model.bodies().end(),
                                  [](const model::Body& body) { return body.kind != model::BodyKind::coordinate; });
  if (!points) {
    throw Error({model.file(), 0, 0},
                "the model has neither points nor bodies: coordinates alone have no path in space");
  }
  face::refuse_flow(model);
  return curvature(face::Access::system(face::begun_at(model, state)));
}

EnergyRate energy_rate(const Model& model, const State& state) {
  return energy_rate(system_with_masses(model, state), state);
}

Equivalence equivalence(const Model& model, const State& state) {
  return equivalence(system_with_masses(model, state), state);
}

Reversal reversal(const Model& model, const RunOptions& options) {
  face::refuse_flow(model);
  face::require(options);
  const Model begun = options.from ? face::begun_at(model, *options.from) : model;
  motion::Options how;
  how.until = options.until.value_or(begun.until());
  how.tolerance = options.tolerance.value_or(0);
  return reversal(face::Access::system(begun), how);
}

}  // namespace zwang::analysis

namespace zwang {

Comparison compare(const Model& model, const RunOptions& options) {
  if (model.is_flow()) {
    throw Error({model.file(), 0, 0}, "a first-order system has no kinetic energy, and so no two laws to compare");
  }
  Comparison result{
      {}, run(model.under(model::Law::straightest), options), run(model.under(model::Law::variational), options), {}};
  const Motion& one = result.straightest;
  const Motion& other = result.variational;
  const State start = one.at(one.start());
  std::vector<State> visited;
  constexpr int places = 16;
  for (int k = 1; k <= places; ++k) visited.push_back(one.at(one.start() + k * (one.end() - one.start()) / places));
  result.equivalence = analysis::equivalence(analysis::system_with_masses(one.model(), start), start, visited);

  // As far as both came.
  analysis::Ruler ruler(face::Access::system(one.model()));
  const double end = std::min(one.end(), other.end());
  for (const double time : one.times()) {
    if (time > end) break;
    result.distance.push_back({time, ruler.distance(one.at(time), other.at(time))});
  }
  return result;
}

}  // namespace zwang
