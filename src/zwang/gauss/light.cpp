/// Light variables beside heavy ones; see the header for the equations.
#include "zwang/gauss/light.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "zwang/base/vectors.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/linear/cholesky.hpp"

namespace zwang::gauss {

bool Light::find(const Problem& problem) {
  if (problem.r() == 0 || !problem.mass->is_diagonal()) return false;
  const std::span<const double> mass = problem.mass->diagonal();
  const auto [least, most] = std::minmax_element(mass.begin(), mass.end());
  if (!(*least > 0) || *least >= light_part * *most) return false;

  // Parts that rows connect, each with its largest mass.
  const std::size_t n = problem.n();
  std::vector<std::uint32_t> leader(n);
  std::iota(leader.begin(), leader.end(), 0U);
  const auto lead = [&](std::uint32_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  for (std::size_t i = 0; i < problem.r(); ++i) {
    for (std::uint32_t e = problem.start[i] + 1; e < problem.start[i + 1]; ++e) {
      leader[lead(problem.column[e])] = lead(problem.column[problem.start[i]]);
    }
  }
  std::vector<double> largest(n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) largest[lead(i)] = std::max(largest[lead(i)], mass[i]);

  light_.clear();
  place_.assign(n, none);
  std::vector<double> masses(mass.begin(), mass.end());
  free_.assign(problem.a0.begin(), problem.a0.end());
  for (std::uint32_t i = 0; i < n; ++i) {
    const double heavy = largest[lead(i)];
    if (mass[i] >= light_part * heavy) continue;
    place_[i] = static_cast<std::uint32_t>(light_.size());
    light_.push_back(i);
    masses[i] = raised_part * heavy;
    free_[i] = problem.a0[i] * (mass[i] / masses[i]);
  }
  if (light_.empty() || light_.size() > most_light) return false;
  raised_ = linear::Mass(std::move(masses));
  return raised_.factor();
}

bool Light::counts(const Problem& problem, const Solution& solution) const {
  for (std::size_t i = 0; i < problem.r(); ++i) {
    if (solution.active[i] == 0) continue;
    bool light = false;
    double w = problem.h[i], terms = std::abs(problem.h[i]), before = terms;
    for (std::uint32_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const std::uint32_t j = problem.column[e];
      light = light || place_[j] != none;
      w += problem.entry[e] * solution.a[j];
      terms += std::abs(problem.entry[e] * solution.a[j]);
      before += std::abs(problem.entry[e] * problem.a0[j]);
    }
    if (light && (std::abs(w) > light_rest * terms || before > light_cancels * terms)) return true;
  }
  return false;
}

/// The rows held, by themselves.
void Light::hold(const Problem& problem, std::span<const std::uint8_t> held) {
  set_.clear();
  start_.assign(1, 0);
  column_.clear();
  entry_.clear();
  for (std::uint32_t i = 0; i < problem.r(); ++i) {
    if (held[i] == 0) continue;
    set_.push_back(i);
    for (std::uint32_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      column_.push_back(problem.column[e]);
      entry_.push_back(problem.entry[e]);
    }
    start_.push_back(static_cast<std::uint32_t>(column_.size()));
  }
}

/// False if rows held depend on one another.
bool Light::factor() {
  const std::size_t r = set_.size(), k = light_.size();
  const linear::SparseRows rows{start_, column_, entry_};
  const std::vector<std::uint8_t> shares(r, 0);
  gram_.shape(rows, raised_, shares);
  gram_.factor(rows, raised_);
  if (gram_.skipped_count() > 0) return false;
  solved_.assign(k * r, 0.0);
  for (std::size_t i = 0; i < r; ++i) {
    for (std::uint32_t e = start_[i]; e < start_[i + 1]; ++e) {
      if (place_[column_[e]] != none) solved_[place_[column_[e]] * r + i] += entry_[e];
    }
  }
  for (std::size_t l = 0; l < k; ++l) gram_.solve(std::span<double>(solved_).subspan(l * r, r));
  return true;
}

/// From what is left of the equations to the changes that distribute it, in place.
void Light::distribute() {
  const std::size_t r = set_.size(), k = light_.size();
  gram_.solve(row_rest_);
  for (std::size_t i = 0; i < r; ++i) {
    for (std::uint32_t e = start_[i]; e < start_[i + 1]; ++e) {
      const std::uint32_t l = place_[column_[e]];
      if (l != none) light_rest_[l] -= entry_[e] * row_rest_[i];
    }
  }
  linear::solve_columns(small_.data(), k, k, light_rest_.data());
  linear::solve_columns_transposed(small_.data(), k, k, light_rest_.data());
  for (std::size_t l = 0; l < k; ++l) {
    for (std::size_t i = 0; i < r; ++i) row_rest_[i] += solved_[l * r + i] * light_rest_[l];
  }
}

/// J^T lambda, a = a' + z, and the sizes of the terms of each.
void Light::find_motion(const Problem& problem) {
  const std::size_t n = problem.n();
  force_.assign(n, 0.0);
  size_.assign(n, 0.0);
  a_.resize(n);
  for (std::size_t i = 0; i < set_.size(); ++i) {
    for (std::uint32_t e = start_[i]; e < start_[i + 1]; ++e) {
      force_[column_[e]] += entry_[e] * lambda_[i];
      size_[column_[e]] += std::abs(entry_[e] * lambda_[i]);
    }
  }
  const std::span<const double> mass = raised_.diagonal();
  for (std::size_t j = 0; j < n; ++j) {
    a_[j] = free_[j] - force_[j] / mass[j];
    size_[j] = std::abs(free_[j]) + size_[j] / mass[j];
    if (place_[j] == none) continue;
    a_[j] += z_[place_[j]];
    size_[j] += std::abs(z_[place_[j]]);
  }
}

/// Multipliers and motion of the rows held; what rounding leaves of the equations is distributed again.
void Light::answer(const Problem& problem) {
  const std::size_t r = set_.size(), k = light_.size();
  const std::span<const double> mass = problem.mass->diagonal(), raised = raised_.diagonal();
  const auto softness = [&](std::uint32_t j) { return mass[j] * raised[j] / (raised[j] - mass[j]); };

  small_.assign(k * k, 0.0);
  small_row_.assign(k * k, 0.0);
  for (std::size_t i = 0; i < r; ++i) {
    for (std::uint32_t e = start_[i]; e < start_[i + 1]; ++e) {
      const std::uint32_t l = place_[column_[e]];
      if (l == none) continue;
      for (std::size_t other = 0; other <= l; ++other) small_row_[l * k + other] += entry_[e] * solved_[other * r + i];
    }
  }
  for (std::size_t l = 0; l < k; ++l) {
    double* const row = small_row_.data() + l * k;
    const double own = softness(light_[l]);
    row[l] += own;
    const double left = linear::reduce_row(small_.data(), k, l, row);
    linear::take_row(small_.data(), k, l, row, std::sqrt(std::max(left, own)));
  }

  lambda_.assign(r, 0.0);
  z_.assign(k, 0.0);
  for (int round = 0; round < light_rounds; ++round) {
    find_motion(problem);
    row_rest_.resize(r);
    for (std::size_t i = 0; i < r; ++i) {
      double w = problem.h[set_[i]];
      for (std::uint32_t e = start_[i]; e < start_[i + 1]; ++e) w += entry_[e] * a_[column_[e]];
      row_rest_[i] = w;
    }
    light_rest_.resize(k);
    for (std::size_t l = 0; l < k; ++l) {
      const std::uint32_t j = light_[l];
      light_rest_[l] = mass[j] * problem.a0[j] - force_[j] - softness(j) * z_[l];
    }
    distribute();
    for (std::size_t i = 0; i < r; ++i) lambda_[i] += row_rest_[i];
    for (std::size_t l = 0; l < k; ++l) z_[l] += light_rest_[l];
  }
  find_motion(problem);
}

/// Negative rows leave, broken rows enter. False if an equation is broken that is not held, or a row that is.
bool Light::exchange(const Problem& problem, std::vector<std::uint8_t>& held, bool& settled) {
  double largest = 0;
  for (const double x : lambda_) largest = std::max(largest, std::abs(x));
  settled = true;
  w_.resize(problem.r());
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < problem.r(); ++i) {
    double w = problem.h[i], terms = std::abs(w);
    for (std::uint32_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      w += problem.entry[e] * a_[problem.column[e]];
      terms += std::abs(problem.entry[e]) * size_[problem.column[e]];
    }
    w_[i] = w;
    const bool equation = problem.kind[i] == RowKind::equation;
    if (held[i] != 0) {
      const double lambda = lambda_[next++];
      if (!(std::abs(w) <= light_kept * terms)) return false;
      if (equation || lambda >= -multiplier_rounding * largest) continue;
      held[i] = 0;
    } else if (w > sparse_row_rounding * terms || (equation && -w > sparse_row_rounding * terms)) {
      if (equation) return false;
      held[i] = 1;
    } else {
      continue;
    }
    settled = false;
  }
  return true;
}

bool Light::solve(const Problem& problem, Solution& solution) {
  std::vector<std::uint8_t> held = solution.active;
  bool settled = false;
  for (int round = 0; round < light_exchanges && !settled; ++round) {
    hold(problem, held);
    if (!factor()) return false;
    answer(problem);
    if (!all_finite(a_) || !all_finite(lambda_)) return false;
    if (!exchange(problem, held, settled)) return false;
  }
  if (!settled) return false;

  std::vector<double> lambda(problem.r(), 0.0);
  for (std::size_t i = 0; i < set_.size(); ++i) {
    const bool inequality = problem.kind[set_[i]] == RowKind::inequality;
    lambda[set_[i]] = inequality ? std::max(lambda_[i], 0.0) : lambda_[i];
  }
  if (!certified(verify(problem, a_, lambda, scratch_))) return false;
  solution.status = Status::solved;
  solution.a.assign(a_.begin(), a_.end());
  solution.lambda = std::move(lambda);
  solution.lambda_low.clear();
  solution.w.assign(w_.begin(), w_.end());
  solution.active = std::move(held);
  solution.rank = set_.size();
  solution.farkas.clear();
  solution.raised.assign(raised_.diagonal().begin(), raised_.diagonal().end());
  return true;
}

}  // namespace zwang::gauss
