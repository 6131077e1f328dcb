/// One factor of the dual matrix of the rows that are held, used for many right-hand sides.
///
///   Phi = J W J^T = L D L^T,      Phi x = b
///
/// Rows come in the order of their right to be kept: a row that depends on rows before it is skipped. A skipped row that
/// may share takes its even part of the multipliers afterwards (least sum of Phi_jj x_j^2 among all solutions); any other
/// skipped row has x = 0. Where pivots become small, rows that may share have the same right, and the one with the largest
/// pivot left comes next: elimination in a bad order would make of rounding what seems to be a pivot. Tiny or full systems are factored dense, rows that meet their neighbours alone as a band, others sparse
/// with ordering and pattern kept while the rows stand; when rows turn out dependent, dense again up to 400 rows. Beyond that
/// skipped rows do not share. A variable in very many rows is taken apart (split_columns.hpp) as long as no row depends on others.
///
/// Symbols: J rows (CSR), W inverse mass, Phi dual matrix, L unit lower factor, D pivots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/linear/sparse_cholesky.hpp"
#include "zwang/linear/sparse_gram.hpp"
#include "zwang/linear/split_columns.hpp"
#include "zwang/linear/tridiagonal.hpp"
#include "zwang/matrix.hpp"

namespace zwang::linear {

class GramFactor {
 public:
  /// How the rows are factored. Once rows turned out dependent they are no longer factored as simply while they stand, so that this is a part
  /// of what a motion that is put aside must remember.
  enum class Manner : std::uint8_t { band, sparse, dense };

  /// The rows are others, or stand in another order. `shares[j]`: may a skipped row j share?
  void shape(const SparseRows& rows, const Mass& mass, std::span<const std::uint8_t> shares);

  /// The numbers of J or W changed. The rows' entries must live until the last `solve`.
  void factor(const SparseRows& rows, const Mass& mass);

  /// x = Phi^-1 b, in place.
  void solve(std::span<double> x);

  [[nodiscard]] Manner manner() const { return dense_ ? Manner::dense : (band_ ? Manner::band : Manner::sparse); }
  /// After `shape`: go on in a manner that it had come to before.
  void go_on(Manner manner, const Mass& mass);

  /// The factor as a band, if it is one; else null.
  [[nodiscard]] Tridiagonal* band() { return band_ ? &tridiagonal_ : nullptr; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool skipped(std::size_t row) const { return skipped_[row] != 0; }
  [[nodiscard]] std::size_t skipped_count() const { return skipped_count_; }
  [[nodiscard]] double diagonal(std::size_t row) const { return diagonal_[row]; }
  /// The smallest pivot of a row that is not skipped, as a part of its diagonal.
  [[nodiscard]] double least_pivot() const { return least_pivot_; }

 private:
  void shape_plain(const SparseRows& rows, const Mass& mass);
  [[nodiscard]] bool factor_split(const SparseRows& rows, const Mass& mass);
  void make_dense(const Mass& mass);
  void make_sparse();
  [[nodiscard]] bool factor_band(const SparseRows& rows, const Mass& mass);
  void factor_dense(const SparseRows& rows, const Mass& mass);
  void eliminate_in_order();
  void eliminate_largest_first();
  void solve_dense(double* x) const;
  void find_null_vectors();
  void share(double* x) const;

  std::size_t size_ = 0;
  bool dense_ = true;
  std::vector<std::uint8_t> shares_, skipped_;
  std::size_t skipped_count_ = 0;
  double least_pivot_ = 1;
  std::vector<double> diagonal_;

  // dense
  std::vector<double> phi_;    ///< row-major, lower part
  std::vector<double> lower_;  ///< row-major
  std::vector<double> inverse_pivot_;
  std::vector<double> column_, image_;
  bool reordered_ = false;            ///< rows were taken in the order of their pivots:
  std::vector<std::uint32_t> order_;  ///< ... this one; `lower_` has the rows as given, its columns in this order
  std::vector<double> remaining_;
  std::vector<double> null_;       ///< one row per sharing skipped row: J^T null = 0
  std::vector<double> null_gram_;  ///< Cholesky factor of null D null^T, by columns
  mutable std::vector<double> part_;
  std::size_t null_count_ = 0;

  // every row meets its neighbours alone
  bool band_ = false;
  Tridiagonal tridiagonal_;
  std::vector<std::uint32_t> edge_;  ///< between j and j + 1, or none
  std::vector<double> beside_;

  // sparse
  SparseGram gram_;
  SparseCholesky cholesky_;
  std::vector<double> right_;

  // some variable stands in very many rows
  bool is_split_ = false;
  bool serves_split_ = false;  ///< the last factor is that of the rows taken apart
  bool is_shaped_plain_ = false;
  SplitColumns split_;
  SparseGram wide_gram_;
  SparseCholesky wide_cholesky_;
  std::vector<double> wide_right_;

  std::vector<std::uint32_t> analysed_start_, analysed_column_;  ///< the rows that ordering and pattern were made for
};

}  // namespace zwang::linear
