/// Surfaces slid on while inequalities touch, which open and close with the weights.
#include <algorithm>
#include <cmath>

#include "zwang/instant/evaluation.hpp"
#include "zwang/instant/sliding.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

namespace {

/// As many rows as are independent, by their Gram matrix: each time the one with the most of its own.
std::vector<std::size_t> independent_rows(const std::vector<double>& gram, std::size_t m) {
  std::vector<double> left = gram;
  std::vector<std::size_t> open;
  std::vector<std::size_t> taken;
  for (std::size_t j = 0; j < m; ++j) {
    if (gram[j * m + j] > 0) open.push_back(j);
  }
  const auto own = [&](std::size_t j) { return left[j * m + j] / gram[j * m + j]; };
  while (!open.empty()) {
    const auto best =
        std::max_element(open.begin(), open.end(), [&](std::size_t i, std::size_t j) { return own(i) < own(j); });
    const std::size_t i = *best;
    if (!(own(i) > push_zero)) break;
    open.erase(best);
    taken.push_back(i);
    for (const std::size_t j : open) {
      for (const std::size_t k : open) left[j * m + k] -= left[j * m + i] * left[i * m + k] / left[i * m + i];
    }
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

}  // namespace

bool presses(const model::Model& model, const Evaluation& found, const Instant& instant,
             const std::vector<double>& load, std::uint32_t row) {
  double pressed = 0;
  double pulled = 0;
  const auto mass = found.dynamics.mass.diagonal();
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    const std::uint32_t i = model.row_column[e];
    pressed += found.rows.entry[e] * found.rows.entry[e] / mass[i];
    pulled += std::abs(found.rows.entry[e]) * load[i] / mass[i];
  }
  return instant.multipliers[row] * pressed > push_zero * pulled;
}

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
  model::evaluate_rows_but(model_, state_, options_.gone.marks(), scratch, at);

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
  // x with what the rows take of it. Of rows that depend on one another so many as do not tell it, if the others agree; false: they do not.
  const auto hold = [&](std::vector<double>& x, bool known, std::vector<double>& lambda) {
    lambda.resize(m);
    const auto asked = [&](std::size_t j) { return times(j, x) + (known ? at.curvature[rows[j]] : 0.0); };
    for (std::size_t j = 0; j < m; ++j) lambda[j] = asked(j);
    const bool all = m == 0 || linear::solve_small(gram, lambda, push_zero);
    double size = 0;
    if (!all) {
      const std::vector<std::size_t> of = independent_rows(gram, m);
      std::vector<double> part;
      std::vector<double> some;
      for (const std::size_t i : of) {
        some.push_back(asked(i));
        for (const std::size_t j : of) part.push_back(gram[i * m + j]);
      }
      if (!linear::solve_small(part, some)) return false;
      lambda.assign(m, 0.0);
      for (std::size_t k = 0; k < of.size(); ++k) lambda[of[k]] = some[k];
      for (std::size_t j = 0; j < m; ++j) size = std::max(size, std::abs(asked(j)) / std::sqrt(gram[j * m + j]));
    }
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t i = 0; i < variables; ++i) x[i] -= pulled[j][i] * lambda[j];
    }
    for (std::size_t j = 0; !all && j < m; ++j) {
      if (std::abs(asked(j)) > push_zero * push_in_doubt * size * std::sqrt(gram[j * m + j])) return false;
    }
    return true;
  };
  const auto pushes = [&](const std::vector<double>& x) {
    std::vector<double> w;
    for (const std::uint32_t number : switches_) {
      const SwitchRates rates = switch_rates(model_, number, state_, x);
      w.push_back(rates.by_velocity ? rates.first : rates.second);
    }
    add_imposed(w);
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
  RowSet left(model_.rows());
  for (const Pin& pin : pins_.edges()) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const bool leaves = walls_[i] != Where::on && towards_[i] != on_[i];
      for (const Member& member : members_[i]) {
        if (leaves && member.number == pin.number) left.add(pin.row);
      }
    }
  }
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    if (left.contains(row)) continue;
    const Role role = instant_.role[row];
    // Without a force, and bound to stay by a later derivative: for certain where the condition moves by itself, else for these weights alone.
    const bool led = role == Role::binding && instant_.multipliers[row] == 0;
    const bool touches = role == Role::binding || role == Role::marginal;
    const bool pressed = led ? model_.groups[model_.row_group[row]].rheonomic
                             : touches && presses(model_, workspace_.evaluation(), instant_, load_, row);
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
    std::vector<std::uint8_t> slides(n, 0);
    std::vector<std::uint8_t> implied(n, 0);
    carried_ = rows;
    const bool dependent = rub_dependently(change, zero);
    const bool found = dependent ? share_dependent(base, change, zero, where, sigma, slides, implied).empty()
                                 : choose(base, change, zero, {}, where, sigma);
    carried_.clear();
    if (!found) return false;
    for (std::size_t i = 0; i < n && !dependent; ++i) {
      const bool idle = std::abs(change[i * n + i]) <= zero;
      // On a wall of its own it is no friction, and has the value that it has there.
      if (idle && std::abs(base[i]) <= zero && relief[i] != 0) {
        where[i] = walls_[i] != Where::on ? walls_[i] : (relief[i] > 0 ? Where::above : Where::below);
        sigma[i] = where[i] == Where::above ? 1 : 0;
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
      take(where, sigma, slides, implied);
      return true;
    }
    rows = carrying();
  }
  return false;
}

}  // namespace zwang::instant
