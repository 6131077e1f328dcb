/// Shocks at their own times: what the companion does, so that it tells how late those of the course are.
///
/// A shock counts at the end of the step in which a surface is entered. With half the step it counts at the same instant whenever it falls into the second half, and the two courses
/// would agree to all digits, both late by the same part of a step. So the companion goes such a step in two: up to the first entry, and from there on.
#include <algorithm>
#include <cmath>

#include "zwang/base/vectors.hpp"
#include "zwang/stepping/course.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

using motion::Status;

/// The part of the step after which the first surface is entered that is struck, not come to rest on; 1 if none is.
double Course::first_entry() {
  const double h = now.state.time - before_.time;
  double first = 1;
  for (const std::uint32_t row : near_) {
    if (model_.row_kind[row] != model::RowKind::holonomic_inequality || !is_in(row)) continue;
    if (now.touches[row] != 0 || !(rows_.value[row] > band_[row])) continue;
    double pulled = 0;
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e)
      pulled += rows_.entry[e] * pull_[model_.row_column[e]];
    if (!(rows_.rate[row] > resting_steps * std::abs(h * pulled)) || on_the_way(row, 0) > 0) continue;
    // Later than another: where does not matter.
    if (first < 1 && on_the_way(row, first - located_within) <= 0) continue;
    first = std::min(first, last_of(0, 1, [&](double part) { return on_the_way(row, part) <= 0; }) + located_within);
  }
  return std::min(first, 1.0);
}

bool Course::go_located() {
  if (now.status != Status::going) return false;
  const double grid = next_time();
  if (located_ >= most_located) {
    located_ = 0;
    return go_to(grid);
  }
  const Present saved = now;
  locating_ = true;
  entry_part_ = 1;
  go_to(grid);
  locating_ = false;
  if (entry_part_ >= 1) {
    located_ = 0;
    return true;
  }
  now = saved;
  take_up();
  const double start = now.state.time;
  const double entry = start + entry_part_ * (grid - start);
  const bool inside = entry > start + same_time * step && entry < grid - same_time * step;
  located_ = inside ? located_ + 1 : 0;
  return go_to(inside ? entry : grid);
}

/// What a shock that comes late leaves of the way: the difference between the velocity after it and that of the inelastic one, for as long as it is late.
void Course::note_late(const std::vector<double>& inelastic) {
  double late = 0;
  for (const std::uint32_t row : shock_rows_.row) {
    if (entered_[row] == 0 || !(depth_[row] > 0)) continue;
    double approach = rows_.explicit_rate[row];
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e)
      approach += rows_.entry[e] * alpha_[model_.row_column[e]];
    if (approach > 0) late = std::max(late, std::min(depth_[row] / approach, now.last_step));
  }
  for (std::uint32_t i = 0; i < model_.variables; ++i)
    now.late[i] += late * std::abs(now.state.velocity[i] - inelastic[i]);
}

double Course::late() const { return largest(now.late); }

}  // namespace zwang::stepping
