/// A guess at the active set of a large sparse problem: exact answers along lines of rows, repeated until they agree.
///
/// Rows that pull against each other (Phi_ij < 0: a taut string loads the next one) are strung into lines. Along one line
/// the dual matrix is tridiagonal, and the complementarity problem
///
///   lambda >= 0,   T lambda - q >= 0,   lambda (T lambda - q) = 0,      T = tridiagonal (d, -e),  e >= 0
///
/// is solved exactly in one pass: appending a row can only load the rows before it, so a row once active stays active.
/// A stretch of active rows acts on its surroundings like a two-port,
///
///   lambda_first = a1 + b11 x + b12 y,    lambda_last = a2 + b21 x + b22 y,
///
/// with x, y the multipliers next to it, and two adjacent stretches join in a fixed number of operations. For d = 2,
/// e = 1 this is the pooling of isotonic regression. Lines are visited in turn (Gauss-Seidel) until the set stands still.
/// A chain is one line and its guess is the answer; in a net the lines of one direction see the other only through
/// the shear. A ring is cut where the first visit finds it slackest. The guess decides how many rounds are needed, never what the answer is.
///
/// Symbols: lambda multipliers, q load of a row by all but its line, d and -e entries of Phi along the line.
/// Reference: Cryer, SIAM J. Numer. Anal. 20 (1983) 1 (tridiagonal problems in linear time);
/// Best and Chakravarti, Math. Programming 47 (1990) 425 (pooling as an active-set method).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/linear/sparse_gram.hpp"

namespace zwang::gauss {

class SparseLines {
 public:
  /// String the rows into lines, by the numbers loaded in `gram`.
  void find(const linear::SparseGram& gram, std::span<const RowKind> kind);

  /// Visit the lines until the set stands still or `most` times; `a` must be the free motion and becomes the motion under
  /// the multipliers found. Returns the number of visits.
  std::size_t settle(const linear::SparseGram& gram, const Problem& problem, std::size_t most, std::span<double> a);

  [[nodiscard]] std::size_t count() const { return line_start_.empty() ? 0 : line_start_.size() - 1; }
  /// The multipliers guessed, by row. Rows without any entry belong to no line and have zero.
  [[nodiscard]] std::span<const double> multipliers() const { return lambda_; }

 private:
  /// A stretch of active rows of one line, as a two-port.
  struct Stretch {
    std::uint32_t first, last;
    double a1, b11, b12, a2, b21, b22;
  };

  [[nodiscard]] Stretch single(std::uint32_t i) const;
  /// Join `right` to the stretch before it; false, and nothing done, when the rows together are dependent.
  [[nodiscard]] static bool join(const Stretch& left, Stretch& right);
  void activate(std::size_t length);
  void open_ring_at_slack(const linear::SparseGram& gram, const Problem& problem, std::size_t line,
                          std::span<const double> a);
  std::size_t visit(const linear::SparseGram& gram, const Problem& problem, std::size_t line, std::span<double> a);

  // The lines, one after the other: rows, d, and e towards the next row (0 at the end of a line).
  std::vector<std::uint32_t> line_start_, row_;
  std::vector<double> diagonal_, towards_next_;
  std::vector<double> closing_;  ///< per line: e between its last row and its first, 0 if it is no ring
  bool apart_ = false;           ///< no row of a line touches another line: one visit is exact

  std::vector<double> lambda_;  ///< by row

  // Work space of `find`, by row: up to two neighbours along the line, their values, and the line's representative.
  std::vector<std::uint32_t> link_;
  std::vector<double> link_value_;
  std::vector<std::uint32_t> leader_;
  std::vector<std::uint32_t> closes_with_;
  std::vector<double> closing_value_;
  std::vector<double> own_, between_;

  // Work space of a visit, by place in the line.
  const double* d_ = nullptr;
  const double* e_ = nullptr;
  std::vector<double> q_, pivot_, load_;
  std::vector<std::uint8_t> free_sign_;
  std::vector<Stretch> stretch_;
};

}  // namespace zwang::gauss
