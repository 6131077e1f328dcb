/// Derivatives of forces and rows at rest: every tape once per slot, on series of first order.
#include "zwang/analysis/linearise.hpp"

#include <cmath>

#include "zwang/analysis/lane.hpp"

namespace zwang::analysis {

namespace {

/// X, dX/dq and dX/dv at rest of one group of terms.
void add_term(const model::TermGroup& group, std::size_t lane, const model::State& state, Linearised& out) {
  Lane at(group, lane, state);
  const auto position = [&](std::size_t slot) { return group.position_of[slot * group.lanes + lane]; };
  const auto velocity = [&](std::size_t slot) { return group.velocity_of[slot * group.lanes + lane]; };
  const bool force = group.kind == model::TermKind::force;
  // Which outputs are forces on which variables, and with which sign: Q, -dV/dq, dT/dq.
  const std::size_t count = force ? group.tape.outputs.size() : group.positions;
  const std::size_t first = force ? 0 : 1;
  const double sign = group.kind == model::TermKind::potential ? -1.0 : 1.0;
  const auto target = [&](std::size_t k) { return force ? group.target_of[k * group.lanes + lane] : position(k); };
  for (std::size_t k = 0; k < count; ++k) {
    out.force[target(k)] += sign * at.value(first + k);
    out.force_size[target(k)] += std::abs(at.value(first + k));
  }
  for (std::size_t slot = 0; slot < group.positions; ++slot) {
    at.by_position(slot);
    for (std::size_t k = 0; k < count; ++k) out.alpha(target(k), position(slot)) += sign * at.derivative(first + k);
    // d/dt of the momenta dT/dv at rest: what T_1 makes of a velocity along this position.
    if (group.kind != model::TermKind::kinetic) continue;
    for (std::size_t k = 0; k < group.velocities; ++k) {
      out.gamma(velocity(k), position(slot)) -= at.derivative(1 + group.positions + k);
    }
  }
  for (std::size_t slot = 0; slot < group.velocities; ++slot) {
    at.by_velocity(slot);
    for (std::size_t k = 0; k < count; ++k) out.gamma(target(k), velocity(slot)) += sign * at.derivative(first + k);
  }
}

}  // namespace

Linearised linearise(const model::Model& model, const model::State& state, std::span<const std::uint32_t> which,
                     std::span<const double> lambda) {
  const std::size_t n = model.variables;
  Linearised out;
  out.mass = linear::Matrix(n, n);
  out.alpha = linear::Matrix(n, n);
  out.gamma = linear::Matrix(n, n);
  out.rows = linear::Matrix(which.size(), n);
  out.force = model.constant_force;
  out.force_size.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) out.force_size[i] = std::abs(out.force[i]);
  out.value.assign(which.size(), 0.0);

  // The mass matrix, column by column.
  model::State rest = state;
  rest.velocity.assign(n, 0.0);
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::evaluate_dynamics(model, rest, scratch, dynamics);
  out.mass_positive = dynamics.mass_positive;
  std::vector<double> unit(n, 0.0);
  std::vector<double> column(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    unit[k] = 1;
    dynamics.mass.multiply(unit, column);
    unit[k] = 0;
    for (std::size_t i = 0; i < n; ++i) out.mass(i, k) = column[i];
  }
  for (const model::TermGroup& group : model.terms) {
    for (std::size_t lane = 0; lane < group.lanes; ++lane) add_term(group, lane, rest, out);
  }

  // The lengths of quaternions, on which nothing depends.
  std::vector<std::uint32_t> first_of;
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members() && body.turns(); ++member) {
      first_of.push_back(body.first + member * body.dimension + body.place());
    }
  }
  out.lengths = linear::Matrix(first_of.size(), n);
  for (std::size_t j = 0; j < first_of.size(); ++j) {
    for (std::size_t k = 0; k < 4; ++k) out.lengths(j, first_of[j] + k) = state.position[first_of[j] + k];
  }

  // The rows, and what their change does to the reactions.
  for (std::size_t j = 0; j < which.size(); ++j) {
    const model::RowGroup& group = model.groups[model.row_group[which[j]]];
    const std::size_t lane = model.row_lane[which[j]];
    Lane at(group, lane, rest);
    const std::size_t slots = group.holonomic ? group.positions : group.velocities;
    const std::vector<std::uint32_t>& variable_of = group.holonomic ? group.position_of : group.velocity_of;
    const auto variable = [&](std::size_t slot) { return variable_of[slot * group.lanes + lane]; };
    if (group.holonomic) out.value[j] = at.value(0);
    for (std::size_t slot = 0; slot < slots; ++slot) out.rows(j, variable(slot)) += at.value(1 + slot);
    for (std::size_t by = 0; by < group.positions; ++by) {
      at.by_position(by);
      const std::uint32_t k = group.position_of[by * group.lanes + lane];
      for (std::size_t slot = 0; slot < slots; ++slot)
        out.alpha(variable(slot), k) -= lambda[j] * at.derivative(1 + slot);
    }
  }
  return out;
}

}  // namespace zwang::analysis
