/// The two systems of velocity parameters, and T in them.
#include "zwang/analysis/velocities.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/analysis/tangent.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/vectors.hpp"

namespace zwang::analysis {

namespace {

/// x with G x = b, G symmetric positive definite.
std::vector<double> solve(const linear::Matrix& gram, std::vector<double> b) {
  if (b.empty()) {
    return b;
  }
  const linear::Matrix lower = linear::cholesky(gram);
  linear::solve_lower(lower, b);
  linear::solve_lower_transposed(lower, b);
  return b;
}

/// Rows A^-1 rows^T
linear::Matrix dual(const linear::Mass& mass, const linear::Matrix& rows) {
  if (rows.rows == 0) {
    return {};
  }
  return linear::product(rows, mass_solve(mass, linear::transpose(rows)));
}

bool has_kinetic(const model::Model& model) {
  return std::any_of(model.terms.begin(), model.terms.end(),
                     [](const model::TermGroup& term) { return term.kind == model::TermKind::kinetic; });
}

/// The part of dT/dv that does not depend on v: T along each axis, forth and back.
std::vector<double> linear_momenta(const model::Model& model, const model::State& state, model::Scratch& scratch) {
  std::vector<double> momenta(model.variables, 0.0);
  if (!has_kinetic(model)) {
    return momenta;
  }
  model::State probe = state;
  std::fill(probe.velocity.begin(), probe.velocity.end(), 0.0);
  for (std::size_t i = 0; i < model.variables; ++i) {
    probe.velocity[i] = 1;
    const double forth = model::energy(model, probe, scratch).kinetic;
    probe.velocity[i] = -1;
    const double back = model::energy(model, probe, scratch).kinetic;
    probe.velocity[i] = 0;
    momenta[i] =
        std::abs(forth - back) > sum_rounding * (std::abs(forth) + std::abs(back)) ? 0.5 * (forth - back) : 0.0;
  }
  return momenta;
}

}  // namespace

Velocities velocities(const model::Model& model, const model::State& state) {
  Velocities result;
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  model::evaluate_rows(model, state, scratch, rows);
  const linear::Mass& mass = dynamics.mass;
  const std::vector<double>& v = state.velocity;

  // The rows, what they repeat, and what they leave free.
  const Tangent tangent = analysis::tangent(model, rows, equations_in_force(model, state.time), mass);
  result.rows = tangent.rows;
  result.written = tangent.written;
  result.written_offset = tangent.offset;
  result.rank = tangent.rank();
  for (const std::uint32_t place : tangent.redundant) {
    result.redundant.push_back(tangent.rows[place]);
  }
  for (const std::uint32_t place : tangent.contradictory) {
    result.contradictory.push_back(tangent.rows[place]);
  }
  result.moving = std::any_of(tangent.offset.begin(), tangent.offset.end(), [](double p0) { return p0 != 0; });
  Echelon dependent = reduced_echelon(tangent.reduced, tangent.reduced_offset, tangent.unit);
  result.dependent = std::move(dependent.rows);
  result.offset = std::move(dependent.offset);
  result.mass_positive = dynamics.mass_positive;
  if (!dynamics.mass_positive) {
    result.weakest = mass.weakest();
    return result;
  }

  // The conjugate system: Z^T A.
  const linear::Matrix image = linear::transpose(mass_times(mass, tangent.basis));
  result.conjugate = reduced_echelon(image, {}, tangent.unit).rows;
  result.beta_dependent = dual(mass, result.dependent);
  result.beta_conjugate = dual(mass, result.conjugate);

  // Parameters and momenta at the velocity.
  result.dependent_value = times(result.dependent, v);
  result.conjugate_value = times(result.conjugate, v);
  std::vector<double> quadratic_momenta(v.size());
  mass.multiply(v, quadratic_momenta);
  result.momenta = linear_momenta(model, state, scratch);
  for (std::size_t i = 0; i < v.size(); ++i) {
    result.momenta[i] += quadratic_momenta[i];
  }
  std::vector<double> speed(v.size());
  mass.solve(result.momenta, speed);
  result.dependent_momenta = solve(result.beta_dependent, times(result.dependent, speed));
  result.conjugate_momenta = solve(result.beta_conjugate, times(result.conjugate, speed));

  // The parts of T, from bases that are far from dependent.
  KineticParts& kinetic = result.kinetic;
  const linear::Matrix free_gram = tangent.free.empty() ? linear::Matrix() : linear::product(image, tangent.basis);
  const std::vector<double> free_momenta = times(image, v);
  kinetic.conjugate = 0.5 * dot(free_momenta, solve(free_gram, free_momenta));
  const linear::Matrix gram = dual(mass, tangent.reduced);
  std::vector<double> speeds = times(tangent.reduced, v);
  kinetic.dependent = 0.5 * dot(speeds, solve(gram, speeds));
  for (std::size_t k = 0; k < speeds.size(); ++k) {
    speeds[k] += tangent.reduced_offset[k];
  }
  const std::vector<double> impulses = solve(gram, speeds);
  kinetic.forbidden = 0.5 * dot(speeds, impulses);
  model::State rest = state;
  std::fill(rest.velocity.begin(), rest.velocity.end(), 0.0);
  kinetic.total = model::energy(model, state, scratch).kinetic;
  kinetic.constant = model::energy(model, rest, scratch).kinetic;
  const double quadratic = 0.5 * dot(v, quadratic_momenta);
  const double linear = kinetic.total - quadratic - kinetic.constant;
  const double size = std::abs(kinetic.total) + std::abs(quadratic) + std::abs(kinetic.constant);
  kinetic.linear = std::abs(linear) > sum_rounding * size ? linear : 0.0;

  // The velocity without what the conditions forbid.
  if (result.contradictory.empty()) {
    std::vector<double> reaction = transposed_times(tangent.reduced, impulses);
    mass.solve(reaction, reaction);
    result.projected = v;
    for (std::size_t i = 0; i < v.size(); ++i) {
      result.projected[i] -= reaction[i];
    }
  }
  return result;
}

}  // namespace zwang::analysis
