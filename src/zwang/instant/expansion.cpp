/// Third and fourth coefficients of the rows, and polynomials made of them.
#include "zwang/instant/expansion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zwang/base/vectors.hpp"
#include "zwang/elementary/elementary.hpp"

namespace zwang::instant {

namespace {

using Vector = std::vector<double>;

/// L^-1 H L^-T and its norm.
double whitened_norm(const linear::Matrix& h, const std::vector<std::size_t>& variable, const Part& part) {
  double largest = 0;
  for (std::size_t i = 0; i < h.rows; ++i) {
    for (std::size_t j = 0; j < h.rows; ++j) {
      largest += std::abs(h(i, j)) / (part.lower(variable[i], variable[i]) * part.lower(variable[j], variable[j]));
    }
  }
  return largest;
}

model::MotionSeries path(const model::Model& model, const model::State& state, unsigned orders) {
  model::MotionSeries motion;
  motion.time = state.time;
  motion.n = model.variables;
  motion.orders = orders;
  motion.modes = state.modes;
  motion.coefficient.assign(orders * motion.n, 0.0);
  std::copy(state.position.begin(), state.position.end(), motion.coefficient.begin());
  return motion;
}

}  // namespace

std::vector<double> Affine::point(const std::vector<double>& u) const {
  Vector x = base;
  for (std::size_t k = 0; k < null.columns; ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += null(i, k) * u[k];
  }
  return x;
}

std::vector<double> Affine::coordinates(const std::vector<double>& x) const {
  Vector u(null.columns, 0.0);
  for (std::size_t k = 0; k < u.size(); ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) u[k] += null(i, k) * (x[i] - base[i]);
  }
  return u;
}

Expansion::Expansion(const model::Model& model, const model::State& state, const Subproblem& problem, const Part& part,
                     Level level)
    : part_(part) {
  for (const std::uint32_t j : part.row) {
    const std::uint32_t row = problem.row[j];
    if (model::is_holonomic(model.row_kind[row])) {
      local_.push_back(expand(model, state, row, level));
    } else if (level == Level::accelerations) {
      local_.push_back(expand_velocity_row(model, state, row));
    } else {
      // Linear in the velocities: nothing of second degree.
      local_.emplace_back();
    }
  }
}

Expansion::Local Expansion::expand(const model::Model& model, const model::State& state, std::uint32_t row,
                                   Level level) const {
  Local local;
  const std::uint32_t first = model.row_start[row];
  const std::size_t count = model.row_start[row + 1] - first;
  for (std::size_t e = 0; e < count; ++e) {
    const auto at = std::lower_bound(part_.variable.begin(), part_.variable.end(), model.row_column[first + e]);
    local.variable.push_back(static_cast<std::size_t>(at - part_.variable.begin()));
  }
  // Along the velocity.
  constexpr unsigned orders = 5;
  model::MotionSeries motion = path(model, state, 2);
  std::copy(state.velocity.begin(), state.velocity.end(),
            motion.coefficient.begin() + static_cast<std::ptrdiff_t>(motion.n));
  model::RowSeries series;
  model::series_row(model, row, motion, orders, series);
  local.c3 = series.value[3];
  local.c4 = series.value[4];
  for (std::size_t e = 0; e < count; ++e) {
    local.l3.push_back(series.gradient[e * orders + 1] / 2);
    local.l4.push_back(series.gradient[e * orders + 2] / 2);
    local.m.push_back(series.gradient[e * orders + 1]);
  }
  // The Hessian, column by column; time runs too, so its part is taken off.
  local.h = linear::Matrix(count, count);
  model::MotionSeries still = path(model, state, 2);
  model::series_row(model, row, still, 2, series);
  Vector timed(count);
  for (std::size_t e = 0; e < count; ++e) timed[e] = series.gradient[e * 2 + 1];
  for (std::size_t column = 0; column < count; ++column) {
    const std::size_t variable = motion.n + model.row_column[first + column];
    still.coefficient[variable] = 1;
    model::series_row(model, row, still, 2, series);
    still.coefficient[variable] = 0;
    for (std::size_t e = 0; e < count; ++e) local.h(e, column) = (series.gradient[e * 2 + 1] - timed[e]) / 8;
  }
  if (level == Level::velocities) {
    model::series_row(model, row, path(model, state, 1), 3, series);
    local.c3 = 0;
    local.c4 = series.value[2];
    local.l3.assign(count, 0.0);
    local.m.assign(count, 0.0);
    local.l4 = timed;
    for (double& value : local.h.entry) value *= 4;
  }
  return local;
}

Expansion::Local Expansion::expand_velocity_row(const model::Model& model, const model::State& state,
                                                std::uint32_t row) const {
  // p0 and p may depend on any position of the row: all of its variables, by differences of an exact polynomial.
  Local local;
  const model::RowGroup& group = model.groups[model.row_group[row]];
  std::vector<std::uint32_t> variables(model.row_column.begin() + model.row_start[row],
                                       model.row_column.begin() + model.row_start[row + 1]);
  for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
    variables.push_back(group.position_of[std::size_t{slot} * group.lanes + model.row_lane[row]]);
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  for (const std::uint32_t i : variables) {
    const auto at = std::lower_bound(part_.variable.begin(), part_.variable.end(), i);
    local.variable.push_back(static_cast<std::size_t>(at - part_.variable.begin()));
  }
  model::MotionSeries motion = path(model, state, 4);
  std::copy(state.velocity.begin(), state.velocity.end(),
            motion.coefficient.begin() + static_cast<std::ptrdiff_t>(motion.n));
  model::RowSeries series;
  struct Pair {
    double third, fourth;
  };
  const auto values = [&](const std::vector<std::pair<std::size_t, double>>& a) {
    for (const auto& [k, value] : a) motion.coefficient[2 * motion.n + variables[k]] = value / 2;
    model::series_row(model, row, motion, 4, series);
    for (const auto& [k, value] : a) motion.coefficient[2 * motion.n + variables[k]] = 0;
    return Pair{series.value[2] / 3, series.value[3] / 4};
  };
  const std::size_t count = variables.size();
  const Pair zero = values({});
  local.c3 = zero.third;
  local.c4 = zero.fourth;
  local.l3.assign(count, 0.0);
  local.l4.assign(count, 0.0);
  local.m.assign(count, 0.0);
  local.h = linear::Matrix(count, count);
  // Third derivatives enter the fourth coefficient linearly.
  for (std::size_t k = 0; k < count; ++k) {
    double& third = motion.coefficient[3 * motion.n + variables[k]];
    third = 1;
    const double more = values({}).fourth;
    third = -1;
    local.m[k] = (more - values({}).fourth) / 2;
    third = 0;
  }
  std::vector<Pair> plus(count);
  for (std::size_t k = 0; k < count; ++k) {
    plus[k] = values({{k, 1.0}});
    const Pair minus = values({{k, -1.0}});
    local.l3[k] = (plus[k].third - minus.third) / 2;
    local.l4[k] = (plus[k].fourth - minus.fourth) / 2;
    local.h(k, k) = (plus[k].fourth + minus.fourth) / 2 - zero.fourth;
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t l = k + 1; l < count; ++l) {
      const Pair both = values({{k, 1.0}, {l, 1.0}});
      // plus_k + plus_l counts both squares once: what is left is twice the mixed term.
      local.h(k, l) = local.h(l, k) = (both.fourth - plus[k].fourth - plus[l].fourth + zero.fourth) / 2;
    }
  }
  return local;
}

Row Expansion::third(const std::vector<double>& y, double& size_n, double& size_c) const {
  Row row{Vector(part_.n(), 0.0), 0};
  size_n = 0;
  size_c = 0;
  for (std::size_t j = 0; j < local_.size(); ++j) {
    if (y[j] == 0) continue;
    const Local& local = local_[j];
    double own = 0;
    for (std::size_t e = 0; e < local.variable.size(); ++e) {
      row.n[local.variable[e]] += y[j] * local.l3[e];
      const double part = local.l3[e] / part_.lower(local.variable[e], local.variable[e]);
      own += part * part;
    }
    row.c += y[j] * local.c3;
    size_n += std::abs(y[j]) * std::sqrt(own);
    size_c += std::abs(y[j] * local.c3);
  }
  linear::solve_lower(part_.lower, row.n);
  return row;
}

Row Expansion::jerk(const std::vector<double>& y, double& size) const {
  Row row{Vector(part_.n(), 0.0), 0};
  size = 0;
  for (std::size_t j = 0; j < local_.size(); ++j) {
    if (y[j] == 0) continue;
    const Local& local = local_[j];
    double own = 0;
    for (std::size_t e = 0; e < local.variable.size(); ++e) {
      row.n[local.variable[e]] += y[j] * local.m[e];
      const double part = local.m[e] / part_.lower(local.variable[e], local.variable[e]);
      own += part * part;
    }
    size += std::abs(y[j]) * std::sqrt(own);
  }
  linear::solve_lower(part_.lower, row.n);
  return row;
}

Form Expansion::fourth(const std::vector<double>& y, const std::vector<double>& z, const Affine& affine) const {
  const std::size_t n = part_.n();
  const std::size_t p = affine.null.columns;
  linear::Matrix h(n, n);
  Vector linear_part(n, 0.0);
  double constant = 0;
  Form form;
  const double base = norm(affine.base);
  for (std::size_t j = 0; j < local_.size(); ++j) {
    if (y[j] == 0 && z[j] == 0) continue;
    const Local& local = local_[j];
    double own4 = 0;
    double own3 = 0;
    for (std::size_t e = 0; e < local.variable.size(); ++e) {
      const std::size_t i = local.variable[e];
      linear_part[i] += y[j] * local.l4[e] - z[j] * local.l3[e];
      own4 += elementary::pow(local.l4[e] / part_.lower(i, i), 2);
      own3 += elementary::pow(local.l3[e] / part_.lower(i, i), 2);
      for (std::size_t f = 0; f < local.variable.size(); ++f) h(i, local.variable[f]) += y[j] * local.h(e, f);
    }
    constant += y[j] * local.c4 - z[j] * local.c3;
    const double square = std::abs(y[j]) * whitened_norm(local.h, local.variable, part_);
    const double slope = std::abs(y[j]) * std::sqrt(own4) + std::abs(z[j]) * std::sqrt(own3);
    form.size_q += square;
    form.size_b += square * base + slope / 2;
    form.size_d += std::abs(y[j] * local.c4) + std::abs(z[j] * local.c3) + slope * base + square * base * base;
  }
  // L^-1 H L^-T, then on the affine space.
  Vector column(n);
  for (int side = 0; side < 2; ++side) {
    for (std::size_t c = 0; c < n; ++c) {
      for (std::size_t i = 0; i < n; ++i) column[i] = h(i, c);
      linear::solve_lower(part_.lower, column);
      for (std::size_t i = 0; i < n; ++i) h(i, c) = column[i];
    }
    h = linear::transpose(h);
  }
  linear::solve_lower(part_.lower, linear_part);
  const linear::Matrix image = linear::product(h, affine.null);
  form.q = linear::product(linear::transpose(affine.null), image);
  Vector at_base(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < n; ++c) at_base[i] += h(i, c) * affine.base[c];
  }
  form.b.assign(p, 0.0);
  for (std::size_t k = 0; k < p; ++k) {
    for (std::size_t i = 0; i < n; ++i) form.b[k] += affine.null(i, k) * (at_base[i] + linear_part[i] / 2);
  }
  form.d = constant + dot(linear_part, affine.base) + dot(affine.base, at_base);
  return form;
}

double Expansion::steepest(std::size_t row, const Affine& affine, double& size) const {
  Vector y(local_.size(), 0.0);
  y[row] = 1;
  const Form form = fourth(y, Vector(local_.size(), 0.0), affine);
  size = form.size_q;
  const linear::SymmetricEigen eigen = linear::symmetric_eigen(form.q);
  return eigen.values.empty() ? 0.0 : eigen.values.back();
}

}  // namespace zwang::instant
