/// Products and sizes of plain lists of numbers, term after term in the order in which they stand.
///
/// These are for the many places that need a few terms and the same bits each time; linear/kernels has the fast ones.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zwang {

/// sum x_i y_i.
[[nodiscard]] inline double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// sqrt(sum x_i^2).
[[nodiscard]] inline double norm(const std::vector<double>& x) { return std::sqrt(dot(x, x)); }

/// max |x_i|, 0 of nothing.
[[nodiscard]] inline double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

/// Whether there is neither an infinity nor a NaN among them.
[[nodiscard]] inline bool all_finite(std::span<const double> x) {
  // A number whose exponent is all ones carries into the sign bit.
  std::uint64_t seen = 0;
  for (const double value : x)
    seen |= (std::bit_cast<std::uint64_t>(value) & 0x7ff0000000000000U) + 0x0010000000000000U;
  return (seen >> 63U) == 0;
}

}  // namespace zwang
