/// Dense fronts of a sparse factor: some columns are eliminated, and what they leave of the rows below is handed on.
///
///   [ F11  .  ]     F11 = L11 L11^T,   L21 = F21 L11^-T,   S = F22 - L21 L21^T
///   [ F21 F22 ]
///
/// A front has `width` columns to eliminate and `below` rows under them. Its columns lie one after the other in a panel whose rows begin and end at
/// multiples of four: `above` rows of nothing, those of F11, those of F21, rows of nothing. S is a square with `stride_below` rows of which the lower
/// half counts. Sums run over columns in ascending order for every entry on its own, so that results are the same bits for every width of vectors.
///
/// Symbols: F front, L lower factor, S what is left (Schur complement). Reference: Duff and Reid, ACM Trans. Math. Softw. 9 (1983) 302.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zwang::linear {

/// Columns have multiples of so many numbers.
inline constexpr std::size_t front_step = 4;

[[nodiscard]] constexpr std::size_t whole_steps(std::size_t rows) {
  return (rows + front_step - 1) / front_step * front_step;
}

/// How a front lies in memory.
struct FrontShape {
  std::size_t width = 0;
  std::size_t below = 0;
  [[nodiscard]] constexpr std::size_t above() const { return whole_steps(width) - width; }
  [[nodiscard]] constexpr std::size_t stride_below() const { return whole_steps(below); }
  [[nodiscard]] constexpr std::size_t stride() const { return whole_steps(width) + stride_below(); }
  [[nodiscard]] constexpr std::size_t panel() const { return stride() * width; }
  [[nodiscard]] constexpr std::size_t rest() const { return stride_below() * stride_below(); }
};

/// What elimination of the columns of a front tells: 1 / L_kk, zero for a column whose pivot is at most `zero_pivot` of the diagonal (the column is then zero
/// too); and the least of the other pivots, as a part of the diagonal.
struct FrontPivots {
  const double* diagonal;
  double zero_pivot;
  double* inverse_root;
  double least;
};

/// F11, F21 -> L11, L21 in place; and S -= L21 L21^T.
void eliminate_front(const FrontShape& shape, double* panel, FrontPivots& pivots);
void subtract_square(const FrontShape& shape, const double* panel, double* rest);

}  // namespace zwang::linear
