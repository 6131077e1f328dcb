/// Infinitely many impacts in a finite time, recognised by their geometric convergence.
///
/// The conditions struck repeat with some period. With T_1, T_2, T_3 the durations of the last three periods and
/// r = T_3 / T_2 the rest lasts
///
///   Delta = T_3 (r + r^2 + ...) = T_3 r / (1 - r).
///
/// The error of Delta is about T_3 |T_3/T_2 - T_2/T_1| / (1 - r)^2. When it is below the resolution of time (or Delta itself is, by two
/// periods already) and the bodies no longer visibly leave the conditions, these close without rebound, and Delta later the limit is
/// reported.
/// Reference: docs/mathematics, section 13.
#include <algorithm>
#include <cmath>

#include "zwang/instant/workspace.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

namespace {

constexpr std::size_t longest_period = 6;

struct Rest {
  bool found = false;
  double duration = 0;
  std::vector<std::uint32_t> rows;
};

/// The rest of the sequence, if the last three periods of some length agree.
Rest rest_of(const std::vector<Bounce>& bounces, double time) {
  Rest rest;
  for (std::size_t period = 1; period <= longest_period && 2 * period <= bounces.size(); ++period) {
    // The last three periods, or two if the second is so much shorter that all the rest fits into one instant.
    const std::size_t end = bounces.size();
    const std::size_t windows = std::min<std::size_t>(3, end / period);
    double duration[3] = {0, 0, 0};
    std::size_t repeated = windows;
    for (std::size_t window = 0; window < windows; ++window) {
      for (std::size_t k = 0; k < period; ++k) {
        const Bounce& one = bounces[end - (window + 1) * period + k];
        duration[2 - window] += one.flight;
        if (one.rows != bounces[end - period + k].rows) repeated = std::min(repeated, window);
      }
    }
    if (repeated < 2 || !(duration[1] > 0)) continue;
    const double r = duration[2] / duration[1];
    const double left = duration[2] * r / (1 - r);
    const bool at_once = r < 0.2 && left < resolution(time);
    if (!at_once) {
      if (repeated < 3 || !(duration[0] > 0)) continue;
      const double before = duration[1] / duration[0];
      if (!(r < 0.99999) || !(before < 1) || std::abs(r - before) > 0.2 * (1 - r)) continue;
      const double error = duration[2] * std::abs(r - before) / ((1 - r) * (1 - r));
      if (error > 0.02 * resolution(time) && left > 0.1 * resolution(time)) continue;
    }
    rest.found = true;
    rest.duration = left;
    for (std::size_t k = 0; k < period; ++k) {
      const Bounce& one = bounces[end - period + k];
      rest.rows.insert(rest.rows.end(), one.rows.begin(), one.rows.end());
    }
    std::sort(rest.rows.begin(), rest.rows.end());
    rest.rows.erase(std::unique(rest.rows.begin(), rest.rows.end()), rest.rows.end());
    return rest;
  }
  return rest;
}

}  // namespace

void close_accumulation(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Rest rest = rest_of(impl.bounces, motion.state.time);
  if (!rest.found) return;

  // Do the bodies still visibly leave the conditions? Speeds until the next impact, and gaps there are now.
  const instant::Instant& now = impl.instant;
  for (const std::uint32_t row : rest.rows) {
    const double size = std::max(impl.gradient[row], 1e-300);
    const double gap = -now.value[row];
    const double leap = std::abs(now.rate[row]) * rest.duration;
    const bool many = rest.rows.size() > 1;
    if (leap > model.simulation.touch * size || (many && gap > 1e-13 * size)) return;
  }

  // They close: no rebound any more, and from now on held.
  close_for_good(motion, rest.rows);
  impl.bounces.clear();
  impl.limit_ahead = motion.status == Status::going;
  impl.limit_time = motion.state.time + rest.duration;
  impl.limit_rows = std::move(rest.rows);
}

}  // namespace zwang::motion
