/// The dense Cholesky factor of a symmetric matrix that comes row by row, for as many rows as have a pivot.
///
///   L L^T = A,      L_jk = (a_jk - sum_{l<k} L_jl L_kl) / L_kk,      of a_jj is left  p_j = a_jj - sum_{l<j} L_jl^2
///
/// `reduce_row` makes row j of L and says what is left; whoever asks knows from which p_j on a row counts as independent, and gives it its
/// place by `take_row` with a root of p_j, or leaves it out. Every sum runs over l in rising order: the bits do not depend on who asks.
/// L stands by columns, L_jk at lower[k * stride + j], so that a row is reduced in many entries at once; above its diagonal is not looked at.
///
/// Symbols: A matrix, L lower factor, p pivots. What is taken apart without roots (L D L^T in gram_factor and sparse_cholesky, where a
/// row that is skipped has the pivot zero) or four rows at a time (gauss/dense_factor) sums in another order; `cholesky` of spaces.hpp
/// is Eigen's.
#pragma once

#include <cstddef>

namespace zwang::linear {

/// `row` holds a_j0 ... a_jj, and then L_j0 ... L_j,j-1 and p_j, which is returned.
inline double reduce_row(const double* lower, std::size_t stride, std::size_t j, double* row) {
  double left = row[j];
  for (std::size_t k = 0; k < j; ++k) {
    // Most entries of sparse rows are zero.
    if (row[k] == 0) continue;
    const double* const column = lower + k * stride;
    const double share = row[k] / column[k];
    row[k] = share;
    for (std::size_t i = k + 1; i < j; ++i) row[i] -= share * column[i];
    left -= share * share;
  }
  row[j] = left;
  return left;
}

/// Puts a reduced row into its place, with the root of its pivot.
inline void take_row(double* lower, std::size_t stride, std::size_t j, const double* row, double root) {
  for (std::size_t k = 0; k < j; ++k) lower[k * stride + j] = row[k];
  lower[j * stride + j] = root;
}

/// x with L x = b over the first rows, in place.
inline void solve_columns(const double* lower, std::size_t stride, std::size_t size, double* x) {
  for (std::size_t k = 0; k < size; ++k) {
    const double* const column = lower + k * stride;
    x[k] /= column[k];
    for (std::size_t i = k + 1; i < size; ++i) x[i] -= column[i] * x[k];
  }
}

/// x with L^T x = b over the first rows, in place.
inline void solve_columns_transposed(const double* lower, std::size_t stride, std::size_t size, double* x) {
  for (std::size_t k = size; k-- > 0;) {
    const double* const column = lower + k * stride;
    double sum = x[k];
    for (std::size_t i = k + 1; i < size; ++i) sum -= column[i] * x[i];
    x[k] = sum / column[k];
  }
}

}  // namespace zwang::linear
