/// The search for an equilibrium: Newton's rule with the conditions that press, and a descent where it does not get there.
#include <algorithm>
#include <cmath>

#include "zwang/analysis/linearise.hpp"
#include "zwang/analysis/stability.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/instant/instant.hpp"

namespace zwang::analysis {

namespace {

using instant::Role;
using linear::Matrix;

/// Equations, and inequalities between positions that touch or are broken.
std::vector<std::uint32_t> rows_that_touch(const model::Model& model, const model::State& at) {
  std::vector<std::uint32_t> rows;
  const instant::Instant now = instant::classify(model, at);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const bool touches =
        now.role[row] == Role::marginal || now.role[row] == Role::violated || now.role[row] == Role::binding;
    if (model::is_equation(model.row_kind[row]) || (model::is_holonomic(model.row_kind[row]) && touches)) {
      rows.push_back(row);
    }
  }
  return rows;
}

/// X - P^T lambda = 0 with the conditions, from a state and the rows to begin with: closed if broken, open again if they would have to pull.
void balance(const model::Model& model, const std::vector<double>& guess, std::vector<std::uint32_t> rows,
             Search& search) {
  model::State& at = search.state;
  const std::size_t n = model.variables;
  constexpr int most_rounds = 200;
  constexpr int most_sets = 30;
  for (int set = 0; set < most_sets; ++set) {
    const std::size_t m = rows.size();
    std::vector<double> lambda(m, 0.0);
    bool settled = false;
    for (int round = 0; round < most_rounds && !settled; ++round) {
      ++search.rounds;
      const Linearised system = linearise(model, at, rows, lambda);
      if (!system.mass_positive) return;
      // X - P^T lambda = 0 and f = 0; of many corrections the least is taken.
      Matrix jacobian(n + m, n + m);
      std::vector<double> residual(n + m, 0.0);
      double most = 0;
      double size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double force = system.force[i];
        double terms = system.force_size[i];
        for (std::size_t j = 0; j < m; ++j) {
          force -= system.rows(j, i) * lambda[j];
          terms += std::abs(system.rows(j, i) * lambda[j]);
          jacobian(i, n + j) = -system.rows(j, i);
        }
        for (std::size_t k = 0; k < n; ++k) jacobian(i, k) = system.alpha(i, k);
        residual[i] = -force;
        most = std::max(most, std::abs(force));
        size = std::max(size, terms);
      }
      double gap = 0;
      for (std::size_t j = 0; j < m; ++j) {
        if (!model::is_holonomic(model.row_kind[rows[j]])) continue;
        for (std::size_t i = 0; i < n; ++i) jacobian(n + j, i) = system.rows(j, i);
        residual[n + j] = -system.value[j];
        gap = std::max(gap, std::abs(system.value[j]));
      }
      if (most <= balanced_part * size && gap <= conditions_hold) {
        settled = true;
        break;
      }
      const std::vector<double> step = linear::least_norm(jacobian, residual, nullptr, step_rank);
      double longest = 0;
      double extent = 1;
      for (std::size_t i = 0; i < n; ++i) {
        if (!std::isfinite(step[i])) return;
        longest = std::max(longest, std::abs(step[i]));
        extent = std::max(extent, std::abs(at.position[i]));
      }
      // No step longer than half the extent, or the search would leap from valley to valley.
      const double part = longest > 0.5 * extent ? 0.5 * extent / longest : 1.0;
      for (std::size_t i = 0; i < n; ++i) at.position[i] += part * step[i];
      for (std::size_t j = 0; j < m; ++j) lambda[j] += part * step[n + j];
      if (part == 1 && longest <= shortest_step * extent && most <= nearly_balanced * size) settled = true;
    }
    if (!settled) return;

    // Signs and open conditions decide whether the set was right.
    std::vector<std::uint32_t> next;
    for (std::size_t j = 0; j < m; ++j) {
      if (model::is_equation(model.row_kind[rows[j]]) || lambda[j] >= 0) next.push_back(rows[j]);
    }
    bool same = next.size() == rows.size();
    const instant::Instant there = instant::classify(model, at);
    for (const auto& [row, amount] : there.violations) {
      if (std::find(next.begin(), next.end(), row) == next.end()) {
        next.push_back(row);
        same = false;
      }
    }
    if (same) {
      // What is left of zero by rounding is zero.
      double extent = 0;
      for (const double q : guess) extent = std::max(extent, std::abs(q));
      for (const double q : at.position) extent = std::max(extent, std::abs(q));
      for (double& q : at.position) q = std::abs(q) <= coordinate_rounding * extent ? 0.0 : q;
      search.found = true;
      return;
    }
    std::sort(next.begin(), next.end());
    rows = std::move(next);
  }
}

/// What is left of zero by rounding is zero.
void clean(std::vector<double>& position, double extent) {
  for (double& q : position) q = std::abs(q) <= coordinate_rounding * extent ? 0.0 : q;
}

/// The nearest place that satisfies equations and what is broken, in few steps; the rows that took part.
bool bring_back(const model::Model& model, model::State& at, std::vector<std::uint32_t>& rows) {
  constexpr int most_steps = 12;
  for (int k = 0; k < most_steps; ++k) {
    rows.clear();
    for (const std::uint32_t row : rows_that_touch(model, at)) {
      if (model::is_holonomic(model.row_kind[row])) rows.push_back(row);
    }
    if (rows.empty()) return true;
    const Linearised system = linearise(model, at, rows, std::vector<double>(rows.size(), 0.0));
    std::vector<double> gap(rows.size());
    double most = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      gap[j] = -system.value[j];
      most = std::max(most, std::abs(gap[j]));
    }
    if (most <= conditions_hold) return true;
    const std::vector<double> step = linear::least_norm(system.rows, gap, nullptr, step_rank);
    for (std::size_t i = 0; i < at.position.size(); ++i) {
      if (!std::isfinite(step[i])) return false;
      at.position[i] += step[i];
    }
    if (largest(step) <= shortest_step * largest(at.position)) return true;
  }
  return true;
}

/// As in syrup: again and again a step along the acceleration from rest and back to the conditions, shorter once it turns round. Ends near a place of
/// rest, and with the conditions that press there, if there is one below.
std::vector<std::uint32_t> descend(const model::Model& model, model::State& at) {
  constexpr int most_steps = 400;
  constexpr double too_far = 1e3;
  const double extent = std::max(largest(at.position), least_divisor);
  double length = 0.1 * (largest(at.position) > 0 ? extent : 1.0);
  const double shortest = descended_part * length;
  instant::Workspace workspace(model);
  instant::Instant now;
  instant::Options options;
  options.shock_done = true;
  std::vector<std::uint32_t> rows;
  std::vector<double> before;
  at.modes.clear();
  for (int k = 0; k < most_steps && length > shortest; ++k) {
    if (!bring_back(model, at, rows)) return {};
    clean(at.position, largest(at.position));
    instant::accelerate(model, at, options, workspace, now);
    if (now.accelerations.size() != at.position.size()) return {};
    const double most = largest(now.accelerations);
    if (!(most > 0) || !std::isfinite(most)) return rows;
    length *= !before.empty() && dot(before, now.accelerations) < 0 ? 0.5 : 1.1;
    before = now.accelerations;
    for (std::size_t i = 0; i < at.position.size(); ++i) at.position[i] += length * now.accelerations[i] / most;
    if (largest(at.position) > too_far * std::max(1.0, extent)) return {};
  }
  if (!bring_back(model, at, rows)) return {};
  return rows_that_touch(model, at);
}

}  // namespace

Search find_equilibrium(const model::Model& model, const model::State& guess) {
  Search search;
  search.state = guess;
  search.state.velocity.assign(model.variables, 0.0);
  balance(model, guess.position, rows_that_touch(model, search.state), search);
  if (search.found) return search;
  // Conditions that nothing touches yet may have to hold it.
  model::State low = guess;
  low.velocity.assign(model.variables, 0.0);
  const std::vector<std::uint32_t> rows = descend(model, low);
  if (rows.empty()) return search;
  search.state = low;
  balance(model, guess.position, rows, search);
  return search;
}

}  // namespace zwang::analysis
