/// Free parameters, their basis, and how it turns along the motion.
#include "zwang/analysis/reduced.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/analysis/tangent.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/bodies.hpp"

namespace zwang::analysis {

namespace {

/// P' and p0' of the independent rows, along the motion (its accelerations do not enter).
struct Change {
  linear::Matrix rows;
  std::vector<double> offset;
};

Change change(const model::Model& model, const model::State& state, const Tangent& tangent) {
  const std::size_t n = model.variables;
  model::MotionSeries motion;
  motion.time = state.time;
  motion.n = n;
  motion.orders = 2;
  motion.coefficient = state.position;
  motion.coefficient.insert(motion.coefficient.end(), state.velocity.begin(), state.velocity.end());

  Change result{linear::Matrix(tangent.rank(), n), {}};
  model::RowSeries series;
  for (std::size_t k = 0; k < tangent.rank(); ++k) {
    const std::uint32_t row = tangent.rows[tangent.independent[k]];
    const bool holonomic = model::is_holonomic(model.row_kind[row]);
    const unsigned orders = holonomic ? 3 : 2;
    model::series_row(model, row, motion, orders, series);
    // f'' (holonomic) or f' for a = 0 is P' v + p0'.
    double rest = holonomic ? 2 * series.value[2] : series.value[1];
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const double rate = series.gradient[std::size_t{e - model.row_start[row]} * orders + 1];
      result.rows(k, model.row_column[e]) += rate;
      rest -= rate * state.velocity[model.row_column[e]];
    }
    result.offset.push_back(rest);
  }
  return result;
}

/// Z' u + w0': of the bound velocities -P_B^-1 (P' (Z u + w0) + p0'), column by column; the free ones do not turn.
std::vector<double> turn(const Tangent& tangent, const Change& change, const std::vector<double>& u, std::size_t n) {
  const std::size_t rank = tangent.rank();
  const std::size_t free = tangent.free.size();
  linear::Matrix bound(rank, rank);
  for (std::size_t k = 0; k < rank; ++k) {
    for (std::size_t j = 0; j < rank; ++j) {
      bound(k, j) = tangent.written(tangent.independent[k], tangent.bound[j]);
    }
  }
  // From P Z = 0: P_B Z_B' = -P' Z, and from P w0 = -p0: P_B w0_B' = -(P' w0 + p0').
  linear::Matrix right(rank, free + 1);
  for (std::size_t k = 0; k < rank; ++k) {
    right(k, free) = -change.offset[k];
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t j = 0; j < free; ++j) {
        right(k, j) -= change.rows(k, c) * tangent.basis(c, j);
      }
      right(k, free) -= change.rows(k, c) * tangent.drift[c];
    }
  }
  const linear::Matrix turning = rank > 0 ? solve_square(bound, right) : right;
  std::vector<double> result(n, 0.0);
  for (std::size_t k = 0; k < rank; ++k) {
    double sum = turning(k, free);
    for (std::size_t j = 0; j < free; ++j) {
      sum += turning(k, j) * u[j];
    }
    result[tangent.bound[k]] = sum;
  }
  return result;
}

/// What keeps the reduced equations from being asked at this state; empty when nothing does.
std::string obstacle(const model::Model& model, const model::State& state) {
  const instant::Instant instant = instant::classify(model, state);
  if (instant.status == instant::Status::inadmissible || instant.status == instant::Status::impact) {
    return fmt::format("the state is not one of a motion: {}", instant::words(instant.status));
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!model::is_equation(model.row_kind[row]) && instant.is_effective(row)) {
      return fmt::format("the inequality {} touches: without multipliers nothing tells whether it binds",
                         model::row_name(model, row));
    }
  }
  return {};
}

}  // namespace

Reduced reduced(const model::Model& model, const model::State& state) {
  Reduced result;
  result.why = obstacle(model, state);
  if (!result.why.empty()) {
    return result;
  }
  const std::size_t n = model.variables;
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  model::evaluate_rows(model, state, scratch, rows);
  if (!dynamics.mass_positive) {
    result.why = fmt::format("the kinetic energy is not positive definite along {}",
                             model::variable_words(model, dynamics.mass.weakest()));
    return result;
  }
  const linear::Mass& mass = dynamics.mass;
  const std::vector<std::uint32_t> equations = equations_in_force(model, state.time);
  for (const std::uint32_t row : equations) {
    if (const double rho = model::rho_of(model, state, row); rho != 0) {
      model::add_bend(model, row, state, -rho, dynamics.force);
    }
  }

  // The velocity in its free parameters.
  const Tangent tangent = analysis::tangent(model, rows, equations, mass);
  result.parameters = tangent.free;
  result.basis = tangent.basis;
  result.drift = tangent.drift;
  for (const std::uint32_t variable : tangent.free) {
    result.u.push_back(state.velocity[variable]);
  }
  result.turn = turn(tangent, change(model, state, tangent), result.u, n);

  // Z^T M Z u' = Z^T (X - M (Z' u + w0')).
  std::vector<double> rest(n);
  mass.multiply(result.turn, rest);
  std::vector<double> rest_terms(n);
  for (std::size_t i = 0; i < n; ++i) {
    rest_terms[i] = std::abs(dynamics.force[i]) + std::abs(rest[i]);
    rest[i] = dynamics.force[i] - rest[i];
  }
  result.force = transposed_times(result.basis, rest);
  result.rate = result.force;
  std::vector<double> rate_terms(tangent.free.size());
  if (!tangent.free.empty()) {
    result.mass = linear::product(linear::transpose(mass_times(mass, result.basis)), result.basis);
    const linear::Matrix lower = linear::cholesky(result.mass);
    linear::solve_lower(lower, result.rate);
    linear::solve_lower_transposed(lower, result.rate);
    // The terms of which every rate is the sum: forces can cancel, and what is left is then their rounding.
    std::vector<double> force_terms(tangent.free.size());
    for (std::size_t k = 0; k < force_terms.size(); ++k)
      for (std::size_t i = 0; i < n; ++i) force_terms[k] += std::abs(result.basis(i, k)) * rest_terms[i];
    for (std::size_t k = 0; k < force_terms.size(); ++k) {
      std::vector<double> column(force_terms.size());
      column[k] = 1;
      linear::solve_lower(lower, column);
      linear::solve_lower_transposed(lower, column);
      for (std::size_t l = 0; l < column.size(); ++l) rate_terms[l] += std::abs(column[l]) * force_terms[k];
    }
  }
  result.accelerations = result.turn;
  const std::vector<double> along = times(result.basis, result.rate);
  std::vector<double> made_of(n);  // the terms that an acceleration is the sum of
  for (std::size_t i = 0; i < n; ++i) {
    result.accelerations[i] += along[i];
    made_of[i] = std::abs(result.turn[i]);
    for (std::size_t k = 0; k < rate_terms.size(); ++k) made_of[i] += std::abs(result.basis(i, k)) * rate_terms[k];
  }

  // Do all equations stay satisfied, those that were left out too?
  const double most = n > 0 ? *std::max_element(made_of.begin(), made_of.end()) : 0;
  for (const std::uint32_t row : equations) {
    double second = rows.curvature[row];
    double size = rows.curvature_scale[row];
    double rounding = 0;  // of the basis, whose entries are differences, too
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      second += rows.entry[e] * result.accelerations[model.row_column[e]];
      size += std::abs(rows.entry[e]) * made_of[model.row_column[e]];
      rounding += basis_rounding * std::abs(rows.entry[e]) * most;
    }
    if (std::abs(second) <= rounding) continue;
    result.defect = std::max(result.defect, size > 0 ? std::abs(second) / size : 0.0);
  }
  result.determined = true;
  return result;
}

}  // namespace zwang::analysis
