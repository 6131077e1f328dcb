/// Matrices: small dense ones, and the mass matrix in whose metric nearness is measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace zwang::linear {

/// A small dense matrix.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> entry;  ///< column-major
  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), entry(r * c, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return entry[j * rows + i]; }
  double operator()(std::size_t i, std::size_t j) const { return entry[j * rows + i]; }
};

/// The mass matrix: symmetric positive definite, diagonal but for dense blocks over given sets of variables.
///
/// M = diag(m) on variables outside the blocks; each block is a dense symmetric matrix over its (sorted, disjoint) variables. A full matrix is
/// one block over everything. W = M^-1. Set the values, then `factor`; after that a const Mass may be shared by threads.
class Mass {
 public:
  Mass() = default;
  /// All diagonal.
  explicit Mass(std::vector<double> diagonal);
  /// Structure: `blocks` are disjoint sorted index sets; values all zero until set.
  Mass(std::size_t size, std::vector<std::vector<std::uint32_t>> blocks);

  [[nodiscard]] std::size_t size() const { return diagonal_.size(); }
  [[nodiscard]] bool is_diagonal() const { return blocks_.empty(); }
  [[nodiscard]] std::span<const double> diagonal() const { return diagonal_; }
  /// 1 / sqrt(M_ii) of the variables outside the blocks; valid after `factor`.
  [[nodiscard]] std::span<const double> inverse_root() const { return inverse_root_; }

  void set_zero();
  void add_diagonal(std::uint32_t i, double value);
  /// Both i and j in the same block (or i == j); adds to M_ij and, for i != j, to M_ji.
  void add(std::uint32_t i, std::uint32_t j, double value);

  /// Factor after the values are set. False if some block or diagonal entry is not positive definite (relative to its
  /// own scale) or not finite; `weakest()` then names a variable involved.
  [[nodiscard]] bool factor();
  [[nodiscard]] std::uint32_t weakest() const { return weakest_; }

  /// y = M x, y = M^-1 x (dense vectors; x and y may be the same). No allocation.
  void multiply(std::span<const double> x, std::span<double> y) const;
  void solve(std::span<const double> x, std::span<double> y) const;

  /// A body with a moment of inertia far below its others: three places and a quaternion, M = m (x x^T) + sum of weights times u u^T over four axes u of
  /// length 1 at right angles. Entries of M know the least weight to the rounding of the largest alone; by its axes W is right to the last digits.
  struct Turn {
    double mass = 1;
    std::array<double, 16> axis{};   ///< four rows
    std::array<double, 4> weight{};  ///< all greater than zero
    std::uint32_t light = 0;         ///< which is the least
    double reach = 0;                ///< arms: with a force on its places the quaternion's components are rounded so
  };
  struct Block {
    std::vector<std::uint32_t> variables;
    std::vector<double> entries;  ///< column-major, symmetric
    std::vector<double> factor;   ///< column-major, lower Cholesky factor
    std::optional<Turn> turn;     ///< of seven variables
  };
  /// What block number `block` is made of, besides its entries; stands until it is given again.
  void set_turn(std::size_t block, const Turn& turn);
  [[nodiscard]] std::span<const Block> blocks() const { return blocks_; }
  /// Block a variable lies in, or -1 when it is diagonal.
  [[nodiscard]] int block_of(std::uint32_t i) const { return block_of_.empty() ? -1 : block_of_[i]; }

 private:
  std::vector<double> diagonal_;
  std::vector<double> inverse_root_;
  std::vector<Block> blocks_;
  std::vector<int> block_of_;
  std::vector<std::uint32_t> place_in_block_;
  std::uint32_t weakest_ = 0;
};

}  // namespace zwang::linear

namespace zwang {

using linear::Mass;
using linear::Matrix;

}  // namespace zwang
