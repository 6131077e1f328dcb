/// How far the state of a motion may be off at an instant.
///
///   u(q_i) = eps sum_k |q_ik| s^k,   u(v_i) = eps sum_k k |q_ik| s^(k-1)      the terms of the step that led here (s in its unit)
///   u(q_i) += W e(X_i) s^2 / 2,  u(v_i) += W e(X_i) s                          rounding of the forces, of what moved
///   u(q)  += W |g_j| |f_j| / Phi_jj,  u(v) += W |g_j| |f_j'| / Phi_jj           what the projection left of a row held
///   u(q)  += W |g_j| |df_j/dt| eps t / Phi_jj                                   rounding of the clock, by rows that move by themselves
///   u(v_i) = eps (|v_i-| + |v_i+| + sqrt(2 T / m_i))                            after a shock
///
/// The first two and the last are remembered by their largest value: rounding does not come back out of a number. What a projection left is
/// of this instant only. What a condition of one variable alone ties down is as exact as it is written while it is held.
///
/// where T is the energy, before or after, of all that hangs together by conditions that touch: they are solved for at once, and
/// the rounding of the fastest among them reaches the slowest. What does not touch them has no part in it.
///
/// Symbols: q_ik coefficients of the piece, s its length, W = M^-1 (its diagonal), g_j gradients, Phi_jj = g_j W g_j, m_i masses.
/// Reference: docs/mathematics, section 8.
#include <algorithm>
#include <cmath>

#include "zwang/base/groups.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

/// Phi_jj of a row, with the diagonal of the masses.
double stiffness(const model::Model& model, const model::Rows& rows, std::span<const double> mass, std::uint32_t row) {
  double phi = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    phi += rows.entry[e] * rows.entry[e] / mass[model.row_column[e]];
  }
  return phi;
}

/// How deep a row that has just closed was entered before it was seen, as far as rounding of its variables explains it: the rest is where the motion is, not
/// how well that is known, and taken for doubt it would widen the band in which the next row is seen.
double by_rounding(const model::Model& model, const model::Rows& rows, std::uint32_t row,
                   const std::vector<double>& rounding) {
  double most = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
    most += std::abs(rows.entry[e]) * rounding[model.row_column[e]];
  return std::min(std::abs(rows.value[row]), entered_by_rounding * most);
}

/// What the residual of one row leaves open in each variable.
void add_residual(const model::Model& model, const model::Rows& rows, std::span<const double> mass, std::uint32_t row,
                  double residual, std::vector<double>& uncertainty) {
  const double phi = stiffness(model, rows, mass, row);
  if (!(phi > 0) || !std::isfinite(phi) || !std::isfinite(residual)) return;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    const std::uint32_t i = model.row_column[e];
    uncertainty[i] += std::abs(rows.entry[e]) / mass[i] * std::abs(residual) / phi;
  }
}

}  // namespace

void measure_step(Motion& motion, double s) {
  Motion::Impl& impl = *motion.impl;
  const std::size_t n = impl.model.variables;
  const std::span<const double> held_back = impl.series.acceleration_terms();
  impl.step_position.resize(n);
  impl.step_velocity.resize(n);
  impl.rounding_position.resize(n, 0.0);
  impl.rounding_velocity.resize(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double a = held_back.empty() ? 0.0 : held_back[i];
    impl.step_position[i] = std::abs(impl.gain_position[i]) + 0.5 * a * s * s;
    impl.step_velocity[i] = std::abs(impl.gain_velocity[i]) + a * s;
    double& u = impl.rounding_position[i];
    double& w = impl.rounding_velocity[i];
    // What is held at rest is not put off by what holds it, however long.
    u = std::max(u, unit_rounding * (std::abs(motion.state.position[i]) + std::abs(impl.gain_position[i])));
    w = std::max(w, unit_rounding * (std::abs(motion.state.velocity[i]) + std::abs(impl.gain_velocity[i])));
  }
}

void estimate_uncertainty(Motion& motion, const instant::RowSet& closed, const instant::RowSet& steady) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::size_t n = model.variables;
  // What was uncertain by rounding stays so, unless a condition held of this variable alone ties it down.
  std::vector<std::uint8_t> tied(n, 0);
  std::vector<std::uint8_t> tied_rate(n, 0);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (impl.standing[row] != Standing::held || model.row_start[row + 1] - model.row_start[row] != 1) continue;
    const std::uint32_t only = model.row_column[model.row_start[row]];
    if (closed.contains(row) && model::is_holonomic(model.row_kind[row])) tied[only] = 1;
    if (steady.contains(row)) tied_rate[only] = 1;
  }
  std::vector<double>& u = impl.rounding_position;
  std::vector<double>& w = impl.rounding_velocity;
  u.resize(n, 0.0);
  w.resize(n, 0.0);

  // The terms of the step.
  const Piece& piece = motion.piece;
  const bool stepped = piece.length > 0 && piece.position.size() == n * piece.orders;
  const double s = piece.length / piece.unit;
  for (std::size_t i = 0; i < n; ++i) {
    double position = 0;
    double velocity = 0;
    for (std::uint32_t k = stepped ? piece.orders : 0; k-- > 0;) {
      const double c = std::abs(piece.position[k * n + i]);
      position = position * s + c;
      if (k > 0) velocity = velocity * s + k * c;
    }
    velocity /= piece.unit;
    u[i] = std::max(u[i], unit_rounding * (std::abs(motion.state.position[i]) + position));
    w[i] = std::max(w[i], unit_rounding * (std::abs(motion.state.velocity[i]) + velocity));
  }

  // What rounding in the forces made of the step; what is frozen was not moved by it. Their own rounding alone: what they make of an
  // uncertain state is the motion itself, and fed back it would grow by k s^2 / 2 m from event to event on a spring that keeps it small.
  instant::Evaluation& work = impl.workspace.evaluation();
  motion.state.position_uncertainty.clear();
  motion.state.velocity_uncertainty.clear();
  model::evaluate_dynamics(model, motion.state, work.scratch, work.dynamics);
  const auto mass = work.dynamics.mass.diagonal();
  for (std::size_t i = 0; i < n && stepped && piece.orders > 2; ++i) {
    bool moves = false;
    for (std::uint32_t k = 2; k < piece.orders; ++k) moves = moves || piece.position[k * n + i] != 0;
    if (!moves) continue;
    const double off = work.dynamics.force_error[i] / mass[i];
    u[i] = std::max(u[i], 0.5 * off * piece.length * piece.length);
    w[i] = std::max(w[i], off * piece.length);
  }

  // What the projection left. It belongs to this instant only: at the next one the rows held are looked at again, and what is open then
  // starts from where it is. Carried along it would grow by itself, since what is uncertain closes too early or too late.
  motion.state.position_uncertainty = u;
  motion.state.velocity_uncertainty = w;
  // What is tied down is known as well as it is written, while it is; when it is let go others share their rounding with it again.
  for (std::size_t i = 0; i < n; ++i) {
    if (tied[i] != 0) motion.state.position_uncertainty[i] = unit_rounding * std::abs(motion.state.position[i]);
    if (tied_rate[i] != 0) motion.state.velocity_uncertainty[i] = unit_rounding * std::abs(motion.state.velocity[i]);
  }
  model::evaluate_values_but(model, motion.state, work.left_out.marks(), work.scratch, work.rows);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (closed.contains(row) && model::is_holonomic(model.row_kind[row])) {
      const double residual =
          impl.standing[row] == Standing::open ? by_rounding(model, work.rows, row, u) : work.rows.value[row];
      // What moves by itself is where it is up to a rounding of the clock.
      const double clock = std::abs(work.rows.explicit_rate[row] * motion.state.time) * unit_rounding;
      add_residual(model, work.rows, mass, row, std::abs(residual) + clock, motion.state.position_uncertainty);
    }
    if (steady.contains(row)) {
      add_residual(model, work.rows, mass, row, work.rows.rate[row], motion.state.velocity_uncertainty);
    }
  }

  // Near a singular position.
  const std::vector<double> off = doubt_of_loops(motion);
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (tied[i] == 0) motion.state.position_uncertainty[i] += off[i];
  }
}

std::vector<double> doubt_of_loops(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const double pivot = impl.series.least_pivot();
  std::vector<std::uint32_t> loops;
  bool there = false;
  for (const std::uint32_t j : impl.series.closed_loops()) {
    const std::uint32_t row = impl.held_rows[j].row;
    there = there || (impl.series.skipped(j) && impl.standing[row] != Standing::implied);
    loops.push_back(row);
  }
  if (!there && !(pivot < pivot_that_doubts)) return {};
  return doubt_of_rows(motion, loops, there ? impl.model.simulation.touch : part_in_doubt(pivot));
}

std::vector<double> doubt_of_rows(const Motion& motion, std::span<const std::uint32_t> rows, double part) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  std::vector<double> off(model.variables, 0.0);
  for (const std::uint32_t row : rows) {
    const std::uint32_t begin = model.row_start[row];
    const std::uint32_t end = model.row_start[row + 1];
    // A row's rounding is that of the largest place it is made of, also for what lies at the origin.
    double size = 0;
    for (std::uint32_t e = begin; e < end; ++e)
      size = std::max(size, impl.series.body_size(model.row_column[e], motion.state.position));
    for (std::uint32_t e = begin; e < end; ++e)
      off[model.row_column[e]] = std::max(off[model.row_column[e]], part * size);
  }
  return off;
}

double size_in_doubt(const Motion& motion, const model::Rows& rows, std::uint32_t row) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const bool holonomic = model::is_holonomic(model.row_kind[row]);
  const double scale = holonomic ? rows.value_scale[row] : rows.rate_scale[row];
  const double error = holonomic ? rows.value_error[row] : rows.rate_error[row];
  // What is doubtful beyond rounding, as near a singular position, widens the band by itself and not by the tolerance in roundings.
  const std::vector<double>& off = motion.state.position_uncertainty;
  const std::vector<double>& by_rounding_alone = impl.rounding_position;
  double more = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1] && holonomic; ++e) {
    const std::uint32_t i = model.row_column[e];
    if (i < off.size() && i < by_rounding_alone.size())
      more += std::abs(rows.entry[e]) * std::max(0.0, off[i] - by_rounding_alone[i]);
  }
  more = std::min(more, error);
  const double size =
      std::max({scale, (error - more) / unit_rounding,
                instant::bounds_that_are_nothing * more / std::max(128 * unit_rounding, impl.tolerance)});
  return std::isfinite(size) ? size : 0.0;
}

double part_in_doubt(double pivot) { return unit_rounding / std::sqrt(std::max(pivot, unit_rounding)); }

void shock_uncertainty(Motion& motion, const std::vector<double>& before) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::size_t n = model.variables;
  const linear::Mass& inertia = impl.workspace.evaluation().dynamics.mass;
  const auto mass = inertia.diagonal();

  // What hangs together: by one condition that touches, or by one block of the mass.
  Groups groups(model.variables);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const instant::Role role = impl.instant.role[row];
    if (role == instant::Role::absent || role == instant::Role::passive_in_position) continue;
    for (std::uint32_t e = model.row_start[row] + 1; e < model.row_start[row + 1]; ++e) {
      groups.join(model.row_column[e - 1], model.row_column[e]);
    }
  }
  for (const linear::Mass::Block& block : inertia.blocks()) {
    for (std::size_t k = 1; k < block.variables.size(); ++k) groups.join(block.variables[k - 1], block.variables[k]);
  }
  std::vector<double> energy(n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const double v = std::max(std::abs(before[i]), std::abs(motion.state.velocity[i]));
    energy[groups.of(i)] += mass[i] * v * v;
  }

  std::vector<double>& w = motion.state.velocity_uncertainty;
  w.resize(n, 0.0);
  impl.rounding_velocity.resize(n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const double rounding = unit_rounding * (std::abs(before[i]) + std::abs(motion.state.velocity[i]) +
                                             std::sqrt(energy[groups.of(i)] / mass[i]));
    impl.rounding_velocity[i] = std::max(impl.rounding_velocity[i], rounding);
    w[i] = std::max(w[i], rounding);
    // What has come to rest rests.
    if (std::abs(motion.state.velocity[i]) <= rest_in_uncertainties * w[i]) motion.state.velocity[i] = 0;
  }
}

}  // namespace zwang::motion
