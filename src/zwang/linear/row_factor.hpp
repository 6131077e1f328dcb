/// A factor of dense rows in the order of their right to be kept, with pivots among the columns.
///
///   F = L U,      F x = b
///
/// Row by row: what the rows kept before say of it is taken off, the largest entry left is its pivot. A row of which nothing
/// is left depends on those before it and is skipped. This is elimination with partial pivoting of the transposed matrix.
///
/// Symbols: F rows, L unit lower factor over the rows kept, U upper one in the order of the pivots' columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/linear/tolerances.hpp"

namespace zwang::linear {

class RowFactor {
 public:
  /// F is rows * columns numbers, row by row. `tolerance`: the part of a row's largest entry below which nothing is left.
  void factor(std::span<const double> entries, std::size_t rows, std::size_t columns,
              double tolerance = dependent_part);

  /// x with F x = b over the rows kept; b has one number per row of F, those of skipped rows play no part. Where fewer rows
  /// are kept than there are columns, the other columns of x are zero.
  void solve(std::span<const double> b, std::span<double> x);

  [[nodiscard]] bool skipped(std::size_t row) const { return place_[row] < 0; }
  [[nodiscard]] std::size_t kept() const { return kept_.size(); }
  /// The pivot of a row as a part of its largest entry; 0 for a row of zeros.
  [[nodiscard]] double pivot_part(std::size_t row) const { return part_[row]; }
  /// The row kept with the smallest part; 0 if there is none.
  [[nodiscard]] std::size_t weakest() const;
  /// The row as the combination of rows kept before it that comes nearest to it in the columns of their pivots: the factors, one
  /// per row of F.
  [[nodiscard]] std::vector<double> combination(std::size_t row) const;

 private:
  std::size_t columns_ = 0;
  std::vector<std::int32_t> place_;   ///< of a row among those kept, or -1
  std::vector<std::uint32_t> kept_;   ///< rows in the order they came
  std::vector<std::uint32_t> pivot_;  ///< column of the pivot, per row kept
  std::vector<double> lower_;         ///< [row * columns + place of the row kept]
  std::vector<double> upper_;         ///< [row * columns + column], what is left of every row
  std::vector<double> part_, work_;
};

}  // namespace zwang::linear
