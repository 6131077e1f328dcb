/// Linear least squares by reflections, and what a matrix of slopes determines.
///
///   minimise |A x + b|      A: one line per value, one column per parameter
///
/// Reference: docs/mathematics, section 24.6.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/matrix.hpp"

namespace zwang::sensitivity {

/// x that minimises |A x + b|; columns that are nothing beside those before them get x = 0.
[[nodiscard]] std::vector<double> least_squares(linear::Matrix a, std::vector<double> b);

/// Which columns depend on which, and how well the others are told.
struct Determination {
  std::size_t rank = 0;
  /// Directions x with A x = 0, each among as few columns as possible: 1 for one that depends on columns before it, what undoes it for those, 0 for all others.
  std::vector<std::vector<double>> idle;
  std::vector<std::uint8_t> determined;  ///< columns without a part in any of these, and not left out
  /// (A^T A)^-1 over the columns that are determined, which no choice among the others changes; zero elsewhere.
  linear::Matrix inverse;
};

/// Columns that are `left_out` count as zero, and have no direction.
[[nodiscard]] Determination determination(const linear::Matrix& a, std::span<const std::uint8_t> left_out);

}  // namespace zwang::sensitivity
