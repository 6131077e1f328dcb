/// Series of forces, rows and conditions along a curve, solved order by order.
#include "zwang/analysis/valley.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/analysis/linearise.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/expressions/tape.hpp"

namespace zwang::analysis {

namespace {

using linear::Matrix;

constexpr unsigned highest = 24;  ///< order of h: potentials to the power 25 are seen
constexpr unsigned orders = highest + 1;

/// The positions as series: [k * n + i].
struct Curve {
  std::size_t n = 0;
  std::vector<double> coefficient;
};

/// Outputs of one lane along the curve, coefficients 0 to `last`.
template <class Group>
class Series {
 public:
  Series(const Group& group, std::size_t lane, const model::State& rest, const Curve& curve, unsigned last)
      : group_(group), registers_(group.tape.registers() * orders, 0.0) {
    expressions::load_constants(group.tape, registers_.data(), orders, 1);
    input(0)[0] = rest.time;
    for (std::size_t slot = 0; slot < group.positions; ++slot) {
      const std::size_t variable = group.position_of[slot * group.lanes + lane];
      for (unsigned k = 0; k <= last; ++k) input(1 + slot)[k] = curve.coefficient[k * curve.n + variable];
    }
    const std::size_t first = 1 + group.positions + group.velocities;
    for (std::size_t slot = 0; slot < group.constants; ++slot) {
      input(first + slot)[0] = group.constant_of[slot * group.lanes + lane];
    }
    if (!group.corners.empty()) {
      std::vector<expressions::Side> sides(group.corners.size());
      std::vector<double> modes(group.modes);
      if (rest.modes.empty()) model::find_sides(group, lane, rest, sides, modes);
      for (std::size_t k = 0; k < modes.size(); ++k) {
        if (!rest.modes.empty()) modes[k] = rest.modes[group.first_mode + k * group.lanes + lane];
        input(first + group.steady() + k)[0] = modes[k];
      }
    }
    expressions::extend(group.tape, registers_.data(), orders, 0, last, 1);
  }
  [[nodiscard]] double at(std::size_t output, unsigned k) const {
    return registers_[std::size_t{group_.tape.outputs[output]} * orders + k];
  }

 private:
  double* input(std::size_t slot) { return registers_.data() + slot * orders; }
  const Group& group_;
  std::vector<double> registers_;
};

/// Coefficient k of X - P^T lambda and of f, with sizes of the terms.
struct Order {
  std::vector<double> force, size, value;
  double given = 0;  ///< the largest coefficient of X itself
};

Order order_of(const model::Model& model, const model::State& rest, std::span<const std::uint32_t> rows,
               const Curve& curve, const std::vector<std::vector<double>>& lambda, unsigned k) {
  Order out;
  out.force.assign(model.variables, 0.0);
  out.size.assign(model.variables, 0.0);
  out.value.assign(rows.size(), 0.0);
  const auto add = [&](std::size_t variable, double x) {
    out.force[variable] += x;
    out.size[variable] += std::abs(x);
  };
  if (k == 0) {
    for (std::size_t i = 0; i < model.variables; ++i) add(i, model.constant_force[i]);
  }
  for (const model::TermGroup& group : model.terms) {
    const bool force = group.kind == model::TermKind::force;
    const double sign = group.kind == model::TermKind::potential ? -1.0 : 1.0;
    const std::size_t count = force ? group.tape.outputs.size() : group.positions;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      const Series series(group, lane, rest, curve, k);
      for (std::size_t o = 0; o < count; ++o) {
        const std::uint32_t target =
            force ? group.target_of[o * group.lanes + lane] : group.position_of[o * group.lanes + lane];
        add(target, sign * series.at((force ? 0 : 1) + o, k));
      }
    }
  }
  for (const double x : out.size) out.given = std::max(out.given, x);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const model::RowGroup& group = model.groups[model.row_group[rows[j]]];
    const std::size_t lane = model.row_lane[rows[j]];
    const Series series(group, lane, rest, curve, k);
    out.value[j] = series.at(0, k);
    for (std::size_t slot = 0; slot < group.positions; ++slot) {
      const std::uint32_t variable = group.position_of[slot * group.lanes + lane];
      for (unsigned l = 0; l <= k && l < lambda[j].size(); ++l) {
        add(variable, -lambda[j][l] * series.at(1 + slot, k - l));
      }
    }
  }
  return out;
}

/// The first coefficient of h.e up to order `last` that is above its terms' rounding, and `found`, its value.
Ascent climb(const model::Model& model, const model::State& rest, std::span<const std::uint32_t> rows,
             const Matrix& open, const std::vector<double>& combination, unsigned last, double& found) {
  const std::size_t n = model.variables;
  const std::size_t r = rows.size();
  const std::size_t c = open.columns;
  Ascent out;
  Curve curve{n, std::vector<double>(orders * n, 0.0)};
  std::copy(rest.position.begin(), rest.position.end(), curve.coefficient.begin());
  std::vector<std::vector<double>> lambda(r, std::vector<double>(1, 0.0));
  double extent = 0;
  for (const double q : rest.position) extent = std::max(extent, std::abs(q));
  if (extent == 0) extent = 1;
  double direction_size = 0;
  std::vector<double> first(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t a = 0; a < c; ++a) first[i] += open(i, a) * combination[a];
    direction_size = std::max(direction_size, std::abs(first[i]));
  }
  if (!(direction_size > 0)) return out;
  // Steps of s that move by the extent: orders are compared in them.
  const double reach = extent / direction_size;

  // Order 0: multipliers and what does not balance (beside a jump of the force).
  const auto solve = [](const Matrix& matrix, const std::vector<double>& right, std::vector<double>& x) {
    double left = 0;
    x = linear::least_norm(matrix, right, &left, step_rank);
    double size = 0;
    for (const double b : right) size = std::max(size, std::abs(b));
    return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }) &&
           left <= series_residual * size * static_cast<double>(right.size());
  };
  Linearised system = linearise(model, rest, rows, std::vector<double>(r, 0.0));
  const Matrix pushed = linear::product(system.mass, open);
  Matrix balance(n, r + c);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < r; ++j) balance(i, j) = system.rows(j, i);
    for (std::size_t a = 0; a < c; ++a) balance(i, r + a) = pushed(i, a);
  }
  const auto along = [&](const std::vector<double>& x, std::size_t from) {
    double sum = 0;
    for (std::size_t a = 0; a < c; ++a) sum += x[from + a] * combination[a];
    return sum;
  };
  // Sizes of forces in the units of h: forces along a displacement of length one in M.
  const auto size_of = [&](const std::vector<double>& size) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum = std::max(sum, size[i] * direction_size);
    return sum;
  };
  Order now = order_of(model, rest, rows, curve, lambda, 0);
  std::vector<double> x;
  // A place of rest is one to rounding of what its surroundings pull with, not of the forces that vanish there.
  const auto stiffness_of = [&](const Linearised& linear_problem) {
    double most = 0;
    for (const double a : linear_problem.alpha.entry) most = std::max(most, std::abs(a));
    return most * direction_size * extent;
  };
  double scale = std::max(size_of(now.size), stiffness_of(system));
  (void)solve(balance, now.force, x);
  if (std::abs(along(x, r)) > flat_part * scale) {
    out.trend = along(x, r) < 0 ? Trend::restoring : Trend::repelling;
    return out;
  }
  std::vector<double> at_rest(r);
  for (std::size_t j = 0; j < r; ++j) lambda[j][0] = at_rest[j] = x[j];

  system = linearise(model, rest, rows, at_rest);
  scale = std::max(scale, stiffness_of(system));
  const std::size_t size = n + r + c;
  Matrix bordered(size, size);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) bordered(i, k) = -system.alpha(i, k);
    for (std::size_t j = 0; j < r; ++j) bordered(i, n + j) = bordered(n + j, i) = system.rows(j, i);
    for (std::size_t a = 0; a < c; ++a) bordered(i, n + r + a) = bordered(n + r + a, i) = pushed(i, a);
  }
  for (std::size_t i = 0; i < n; ++i) curve.coefficient[n + i] = first[i];
  // Forces on the straight line, in the first orders: what is left where terms cancel (a critical load) is measured by these.
  constexpr unsigned first_orders = 5;
  double reached = 1;
  for (unsigned k = 1; k <= first_orders; ++k) {
    reached *= reach;
    const double given = order_of(model, rest, {}, curve, {}, k).given * direction_size * reached;
    if (std::isfinite(given)) scale = std::max(scale, given);
  }
  reached = 1;
  for (unsigned k = 1; k <= last; ++k) {
    reached *= reach;
    for (std::size_t j = 0; j < r; ++j) lambda[j].push_back(0.0);
    now = order_of(model, rest, rows, curve, lambda, k);
    std::vector<double> right = now.force;
    for (std::size_t j = 0; j < r; ++j) right.push_back(-now.value[j]);
    right.resize(size, 0.0);
    if (!std::all_of(right.begin(), right.end(), [](double v) { return std::isfinite(v); })) return out;
    const bool nothing = std::all_of(right.begin(), right.end(), [](double v) { return v == 0; });
    if (nothing) continue;
    if (!solve(bordered, right, x)) return out;
    scale = std::max(scale, now.given * direction_size * reached);
    const double h = along(x, n + r);
    if (scale > 0 && std::abs(h) > flat_part * std::max(size_of(now.size), scale / reached)) {
      out.order = k;
      found = h;
      out.trend = h < 0 ? Trend::restoring : Trend::repelling;
      return out;
    }
    for (std::size_t i = 0; i < n; ++i) curve.coefficient[k * n + i] += x[i];
    // Without forces there are no reactions, only rounding.
    for (std::size_t j = 0; j < r && scale > 0; ++j) lambda[j][k] = x[n + j];
  }

  // A step away: do the forces balance there too? Functions may be flat to all orders at a point and not beside it.
  model::State beside = rest;
  const double s = flat_step * reach;
  double power = 1;
  for (unsigned k = 1; k <= last; ++k) {
    power *= s;
    for (std::size_t i = 0; i < n; ++i) beside.position[i] += power * curve.coefficient[k * n + i];
  }
  const Linearised there = linearise(model, beside, rows, at_rest);
  Matrix transposed = linear::transpose(there.rows);
  double left = 0;
  if (r > 0) {
    (void)linear::least_norm(transposed, there.force, &left, step_rank);
  } else {
    for (const double f : there.force) left = std::max(left, std::abs(f));
  }
  double sizes = 0;
  for (const double f : there.force_size) sizes = std::max(sizes, f);
  out.order = highest;
  out.trend = left <= flat_balance * std::max(sizes, scale / std::max(direction_size, least_divisor)) ? Trend::flat
                                                                                                      : Trend::unknown;
  return out;
}

}  // namespace

Ascent ascend(const model::Model& model, const model::State& rest, std::span<const std::uint32_t> rows,
              const Matrix& open, const std::vector<double>& combination) {
  // What the rounding of one order leaves is multiplied by every further one, and stands above the terms of a high order in the end. A
  // coefficient of the functions goes with the power of the unit of s, rounding does not: what does not is no coefficient, and nor is what follows it.
  constexpr double other_unit = 0.7;
  for (unsigned last = highest;;) {
    double h = 0;
    const Ascent way = climb(model, rest, rows, open, combination, last, h);
    if ((way.trend != Trend::restoring && way.trend != Trend::repelling) || way.order < 2) return way;
    std::vector<double> shorter = combination;
    for (double& x : shorter) x *= other_unit;
    double expected = h;
    for (unsigned k = 0; k <= way.order; ++k) expected *= other_unit;
    double again = 0;
    const std::vector<std::uint32_t> reversed(rows.rbegin(), rows.rend());
    const Ascent other = climb(model, rest, reversed, open, shorter, last, again);
    if (other.order == way.order && std::abs(again - expected) <= same_coefficient * std::abs(expected)) return way;
    last = way.order - 1;
  }
}

}  // namespace zwang::analysis
