/// Surfaces slid on while inequalities touch, which open and close with the weights.
#include <algorithm>
#include <cmath>

#include "zwang/instant/sliding.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

bool Sliding::with_rows(const std::vector<std::uint32_t>& rows, std::vector<double>& base, std::vector<double>& change,
                        std::vector<double>& relief) {
  const std::size_t n = switches_.size();
  const std::size_t m = rows.size();
  const std::size_t variables = model_.variables;
  model::Scratch scratch = model::make_scratch(model_);
  model::Dynamics dynamics = model::make_dynamics(model_);
  model::Rows at = model::make_rows(model_);
  const auto force = [&](const std::vector<double>& sigma) {
    for (std::size_t i = 0; i < n; ++i) mix(i, sigma[i], state_.modes);
    model::evaluate_dynamics(model_, state_, scratch, dynamics);
    std::vector<double> free(variables);
    dynamics.mass.solve(dynamics.force, free);
    return free;
  };
  std::vector<double> sigma(n, 0.0);
  std::vector<double> free = force(sigma);
  model::evaluate_rows(model_, state_, scratch, at);

  // J, W J^T and the Gram matrix.
  std::vector<std::vector<double>> pulled(m, std::vector<double>(variables));
  const auto times = [&](std::size_t j, const std::vector<double>& x) {
    double sum = 0;
    for (std::uint32_t e = model_.row_start[rows[j]]; e < model_.row_start[rows[j] + 1]; ++e)
      sum += at.entry[e] * x[model_.row_column[e]];
    return sum;
  };
  for (std::size_t j = 0; j < m; ++j) {
    std::vector<double> gradient(variables, 0.0);
    for (std::uint32_t e = model_.row_start[rows[j]]; e < model_.row_start[rows[j] + 1]; ++e)
      gradient[model_.row_column[e]] = at.entry[e];
    dynamics.mass.solve(gradient, pulled[j]);
  }
  std::vector<double> gram(m * m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) gram[i * m + j] = times(i, pulled[j]);
  }
  // x with what the rows take of it; false: dependent.
  const auto hold = [&](std::vector<double>& x, bool known, std::vector<double>& lambda) {
    lambda.resize(m);
    for (std::size_t j = 0; j < m; ++j) lambda[j] = times(j, x) + (known ? at.curvature[rows[j]] : 0.0);
    if (m > 0 && !linear::solve_small(gram, lambda, push_zero)) return false;
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t i = 0; i < variables; ++i) x[i] -= pulled[j][i] * lambda[j];
    }
    return true;
  };
  const auto pushes = [&](const std::vector<double>& x) {
    std::vector<double> w;
    for (const std::uint32_t number : switches_) {
      const SwitchRates rates = switch_rates(model_, number, state_, x);
      w.push_back(rates.by_velocity ? rates.first : rates.second);
    }
    return w;
  };
  std::vector<double> lambda;
  std::vector<double> held = free;
  if (!hold(held, true, lambda)) return false;
  base = pushes(held);
  change.assign(n * n, 0.0);
  relief.assign(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    sigma.assign(n, 0.0);
    sigma[j] = 1;
    std::vector<double> moved = force(sigma);
    for (std::size_t i = 0; i < variables; ++i) moved[i] -= free[i];
    if (!hold(moved, false, lambda)) return false;
    for (std::size_t k = 0; k < m; ++k) {
      if (!model::is_equation(model_.row_kind[rows[k]])) relief[j] += lambda[k] * std::sqrt(gram[k * m + k]);
    }
    for (std::size_t i = 0; i < variables; ++i) moved[i] += held[i];
    const std::vector<double> w = pushes(moved);
    for (std::size_t i = 0; i < n; ++i) change[i * n + j] = w[i] - base[i];
  }
  return true;
}

bool Sliding::touches() const {
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    if (model::is_equation(model_.row_kind[row])) continue;
    const Role role = instant_.role[row];
    if (role == Role::binding || role == Role::marginal || role == Role::leaving) return true;
  }
  return false;
}

std::vector<std::uint32_t> Sliding::carrying() const {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    const Role role = instant_.role[row];
    const bool pressed = role == Role::binding || (role == Role::marginal && instant_.multipliers[row] > 0);
    if (role == Role::equation || pressed) rows.push_back(row);
  }
  return rows;
}

bool Sliding::run_with_contacts() {
  const std::size_t n = switches_.size();
  std::vector<double> base;
  std::vector<double> change;
  std::vector<double> relief;
  std::vector<double> w;
  const auto largest = [&] {
    double most = 0;
    for (const double x : base) most = std::max(most, std::abs(x));
    for (const double x : change) most = std::max(most, std::abs(x));
    return most;
  };
  // Pushes are measured by those of bodies that nothing holds.
  if (!with_rows({}, base, change, relief)) return false;
  const double free_push = largest();
  // The first set is that of the mean of both sides: of no friction.
  if (!push(std::vector<double>(n, middle_weight), w)) return true;
  std::vector<std::vector<std::uint32_t>> seen;
  std::vector<std::uint32_t> rows = carrying();
  for (std::size_t round = 0; round < most_carrying_sets; ++round) {
    if (std::find(seen.begin(), seen.end(), rows) != seen.end()) return false;
    seen.push_back(rows);
    if (!with_rows(rows, base, change, relief)) return false;
    const double zero = push_zero * std::max(largest(), free_push);
    std::vector<Where> where;
    std::vector<double> sigma;
    corners_.refusal.clear();
    corners_.ways.clear();
    if (!choose(base, change, zero, {}, where, sigma)) return false;
    std::vector<std::uint8_t> slides(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const bool idle = std::abs(change[i * n + i]) <= zero;
      if (idle && std::abs(base[i]) <= zero && relief[i] != 0) {
        where[i] = relief[i] > 0 ? Where::above : Where::below;
        sigma[i] = relief[i] > 0 ? 1 : 0;
      }
      slides[i] = where[i] == Where::on && !idle ? 1 : 0;
    }
    if (!push(sigma, w)) return true;
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) {
      const double doubt = push_in_doubt * zero;
      right = right && (where[i] != Where::on || std::abs(w[i]) <= doubt) &&
              (where[i] != Where::below || w[i] <= doubt) && (where[i] != Where::above || w[i] >= -doubt);
    }
    if (right) {
      take(where, sigma, slides, std::vector<std::uint8_t>(n, 0));
      return true;
    }
    rows = carrying();
  }
  return false;
}

}  // namespace zwang::instant
