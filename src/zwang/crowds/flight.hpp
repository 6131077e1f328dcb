/// Times of free flight in closed form.
///
///   g(s) = gap + rate s + bend s^2 / 2
///
/// is the room that is left to a condition; it is used up at the first s >= 0 at which g falls through zero. Reference: docs/mathematics, section 27.2.
#pragma once

#include <cmath>
#include <limits>

namespace zwang::crowds {

/// Never, if g does not fall through zero. A gap that rounding has made negative is none while g grows.
[[nodiscard]] inline double time_to_zero(double gap, double rate, double bend) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (bend == 0) {
    if (!(rate < 0)) return never;
    return gap > 0 ? gap / -rate : 0.0;
  }
  const double under_root = rate * rate - 2 * bend * gap;
  if (bend < 0) {
    // It falls in the end.
    if (!(under_root > 0)) return rate > 0 ? rate / -bend : 0.0;
    const double root = std::sqrt(under_root);
    if (rate >= 0) return (rate + root) / -bend;
    return gap > 0 ? 2 * gap / (root - rate) : 0.0;
  }
  // It grows in the end: it falls through zero only while it still falls.
  if (!(rate < 0) || !(under_root > 0)) return never;
  return gap > 0 ? 2 * gap / (std::sqrt(under_root) - rate) : 0.0;
}

}  // namespace zwang::crowds
