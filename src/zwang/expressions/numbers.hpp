/// Numbers that bounds, ranges and folding share.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

namespace zwang::expressions {

inline constexpr double pi = std::numbers::pi;
/// A bound that says nothing.
inline constexpr double unbounded = std::numeric_limits<double>::infinity();
/// The distance of 1 from the next number.
inline constexpr double eps = std::numeric_limits<double>::epsilon();

/// Is it a whole number?
[[nodiscard]] inline bool is_whole(double value) { return std::isfinite(value) && std::trunc(value) == value; }

}  // namespace zwang::expressions
