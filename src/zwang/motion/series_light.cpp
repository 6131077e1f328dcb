/// The orders of a series where variables are much lighter than what rows tie them to.
///
/// A hub of mass 1e-12 between beads of mass 1 moves as they do, and a_k = W (R - J^T lambda) would be a difference of numbers 1e12 times as large. With light masses raised to m', W' = M'^-1,
/// C = 1 / m - 1 / m', U the light columns of J_0 and R the known forces of an order,
///
///   Phi' lambda - U z = J W' R + c,      U^T lambda + z / C = R  on light variables,      a = W' (R - J^T lambda) + z,      Phi' = J W' J^T
///
/// so that  (1 / C + U^T Phi'^-1 U) z = R - U^T Phi'^-1 (J W' R + c). Nothing large cancels. The projection onto the rows held is made in the metric of M', too.
/// Reference: docs/mathematics, section 3.7.
#include <algorithm>
#include <cmath>

#include "zwang/linear/cholesky.hpp"
#include "zwang/motion/series_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

void Series::Impl::find_light() {
  drop_light();
  if (own_inverse.empty() || plain || held_rows.empty()) return;
  // Parts that rows connect, each with its largest mass.
  const std::span<const double> mass = dynamics.mass.diagonal();
  std::vector<double> largest(parts_count, 0.0);
  for (std::size_t i = 0; i < n; ++i) largest[part_of[i]] = std::max(largest[part_of[i]], mass[i]);
  std::vector<std::uint8_t> tied(n, 0);
  for (const std::uint32_t i : column) tied[i] = 1;
  std::vector<double> masses(mass.begin(), mass.end());
  for (std::uint32_t i = 0; i < n; ++i) {
    if (tied[i] == 0 || mass[i] >= light_in_series * largest[part_of[i]]) continue;
    light.push_back(i);
    masses[i] = raised_in_series * largest[part_of[i]];
  }
  if (light.size() > most_light_in_series) light.clear();
  if (light.empty()) return;
  light_place.assign(n, none);
  for (std::uint32_t l = 0; l < light.size(); ++l) {
    const std::uint32_t i = light[l];
    light_place[i] = l;
    inverse_mass[i] = 1 / masses[i];
    light_softness.push_back(mass[i] * masses[i] / (masses[i] - mass[i]));
  }
  raised = linear::Mass(std::move(masses));
  static_cast<void>(raised.factor());
  find_root_masses();
}

void Series::Impl::drop_light() {
  if (light.empty()) return;
  inverse_mass = own_inverse;
  light.clear();
  light_softness.clear();
  find_root_masses();
}

/// Phi'^-1 U and the factor of 1 / C + U^T Phi'^-1 U.
void Series::Impl::factor_light() {
  const std::size_t m = held_rows.size(), count = light.size();
  light_solved.assign(count * m, 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
      if (light_place[column[e]] != none) light_solved[light_place[column[e]] * m + j] = entry[e];
    }
  }
  for (std::size_t l = 0; l < count; ++l) factor.solve(std::span<double>(light_solved).subspan(l * m, m));
  light_small.assign(count * count, 0.0);
  light_row.assign(count * count, 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
      const std::uint32_t l = light_place[column[e]];
      if (l == none) continue;
      for (std::size_t other = 0; other <= l; ++other)
        light_row[l * count + other] += entry[e] * light_solved[other * m + j];
    }
  }
  for (std::size_t l = 0; l < count; ++l) {
    double* const row = light_row.data() + l * count;
    row[l] += light_softness[l];
    const double left = linear::reduce_row(light_small.data(), count, l, row);
    linear::take_row(light_small.data(), count, l, row, std::sqrt(std::max(left, light_softness[l])));
  }
}

/// `right` = Phi'^-1 (J W' R + c) becomes the multipliers, `light_motion` z. `known`: R on the light variables, less what is taken off already.
void Series::Impl::solve_light(std::span<const double> known) {
  const std::size_t m = held_rows.size(), count = light.size();
  light_step.assign(known.begin(), known.end());
  for (std::size_t j = 0; j < m; ++j) {
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
      const std::uint32_t l = light_place[column[e]];
      if (l != none) light_step[l] -= entry[e] * right[j];
    }
  }
  linear::solve_columns(light_small.data(), count, count, light_step.data());
  linear::solve_columns_transposed(light_small.data(), count, count, light_step.data());
  for (std::size_t l = 0; l < count; ++l) {
    for (std::size_t j = 0; j < m; ++j) right[j] += light_solved[l * m + j] * light_step[l];
  }
}

void Series::Impl::hinder_with_light(unsigned k) {
  const std::size_t m = held_rows.size(), count = light.size();
  double* const a = acceleration.data();
  double* const multipliers = lambda.data() + std::size_t{k} * m;
  light_motion.assign(count, 0.0);
  light_rest.resize(count);
  std::fill_n(multipliers, m, 0.0);
  // What rounding leaves of both equations is distributed again.
  for (int round = 0; round < light_rounds_in_series; ++round) {
    for (std::size_t l = 0; l < count; ++l) light_rest[l] = force[light[l]] - light_softness[l] * light_motion[l];
    for (std::size_t j = 0; j < m; ++j) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
        const std::uint32_t l = light_place[column[e]];
        if (l != none) light_rest[l] -= entry[e] * multipliers[j];
      }
    }
    right.assign(right_known.begin(), right_known.end());
    for (std::size_t j = 0; j < m; ++j) right[j] += times(j, a);
    factor.solve(right);
    solve_light(light_rest);
    for (std::size_t j = 0; j < m; ++j) {
      multipliers[j] += right[j];
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e)
        a[column[e]] -= inverse_mass[column[e]] * entry[e] * right[j];
    }
    for (std::size_t l = 0; l < count; ++l) {
      light_motion[l] += light_step[l];
      a[light[l]] += light_step[l];
    }
  }
  std::copy_n(multipliers, m, right.begin());
  for (const Block& block : held_blocks) {
    if (block.strands || block.linked) continue;
    double* to = arena.data() + block.carried + std::size_t{k} * block.width;
    for (std::uint32_t l = 0; l < block.count; ++l) to[l] = right[block.row[l]];
  }
  if (!strands.empty()) strands.carry(k, right.data());
  measure_balance(force.data(), right.data());
  if (k == 0) {
    last_sizes();
    keep_terms();
  }
  freeze();
}

/// |(1 / C + U^T Phi'^-1 U)^-1| load on light variables: what is left of their own equations moves them so far where nothing holds them.
void Series::Impl::add_light_defects(std::span<const double> load_of, std::span<double> out) {
  const std::size_t count = light.size();
  for (std::size_t l = 0; l < count; ++l) {
    light_step.assign(count, 0.0);
    light_step[l] = load_of[light[l]];
    linear::solve_columns(light_small.data(), count, count, light_step.data());
    linear::solve_columns_transposed(light_small.data(), count, count, light_step.data());
    for (std::size_t other = 0; other < count; ++other) out[light[other]] += std::abs(light_step[other]);
  }
}

}  // namespace zwang::motion
