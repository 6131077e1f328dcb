/// Times of free flight in closed form.
///
///   g(s) = gap + rate s + bend s^2 / 2
///
/// is the room that is left to a condition; it is used up at the first s >= 0 at which g falls through zero. Reference: docs/mathematics, section 27.2.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "zwang/crowds/members.hpp"
#include "zwang/crowds/tolerances.hpp"

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

/// When |r + u s| = least, r.u < 0 before; never if it is not. `sizes`: of the places whose difference r is, and of the distance. In doubt whether they meet or pass, the
/// time at which they are nearest.
[[nodiscard]] inline double straight_meeting(const Vector& r, const Vector& u, double sizes, double least,
                                             bool& doubt) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const double closing = dot(r, u);
  if (!(closing < 0)) return never;
  const double square = dot(u, u);
  const double gap = dot(r, r) - least * least;
  if (gap <= few_roundings * (least * sizes)) {
    // They touch: do they approach, or is it rounding that says so?
    if (-closing <= told_from_zero * std::sqrt(square) * least) return never;
    return 0.0;
  }
  // (r.u)^2 - u^2 (r^2 - least^2), without a difference of numbers that are as large as the way is long.
  const Vector across = {r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2], r[0] * u[1] - r[1] * u[0]};
  const double under_root = square * (least * least) - dot(across, across);
  const double band = square * least * (told_from_zero * least + few_roundings * (std::sqrt(dot(r, r)) + sizes));
  if (under_root < -band) return never;
  if (under_root <= band) {
    doubt = true;
    return -closing / square;
  }
  return gap / (std::sqrt(under_root) - closing);
}

/// The same where the difference is a polynomial of so many orders on [0, h], component by component.
[[nodiscard]] double bent_meeting(const std::array<std::array<double, 32>, 3>& p, std::uint32_t orders,
                                  std::uint32_t dimension, double sizes, double least, double h, bool& doubt);

}  // namespace zwang::crowds
