/// Rows in which a variable stands in very many of them, as rows in which every variable stands in few.
///
/// A variable in k rows makes k (k - 1) / 2 entries of the dual matrix: a hub with 10^5 strings would need 5 * 10^9. It is taken apart into copies
/// that share its mass and are tied to each other by equations, in a tree:
///
///   rows of x  ->  rows of copies, eight to each;     copy - copy above it = 0;     sum of the masses of the copies = mass of x
///
/// The motions of the copies under the ties are the motions of x, with the same kinetic energy, so nearest points and multipliers of the rows are the
/// same. Rows on copies are independent together with the ties exactly if the rows are. Pivots become smaller by no more than the number of
/// copies, which is why they hang in a tree and not in a line. Copies start with what x starts with.
///
/// Where the mass is not diagonal nothing is taken apart. Reference: docs/mathematics, section 3.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/linear/sparse_gram.hpp"
#include "zwang/matrix.hpp"

namespace zwang::linear {

class SplitColumns {
 public:
  /// Read the pattern: is there a variable in so many rows that it is taken apart? If not, nothing else may be asked.
  bool shape(const SparseRows& rows, const Mass& mass);

  /// The numbers of the rows and of the mass.
  void load(const SparseRows& rows, const Mass& mass);

  /// The rows given, in their order, then the ties; valid until the next call of `load`.
  [[nodiscard]] SparseRows rows() const { return {start_, column_, entry_}; }
  [[nodiscard]] const Mass& mass() const { return mass_; }
  [[nodiscard]] std::size_t ties() const { return above_.size(); }
  /// Of what variable given every variable is, or is a copy.
  [[nodiscard]] std::span<const std::uint32_t> original() const { return original_; }
  /// Which of the entries given each entry is; the ties follow.
  [[nodiscard]] std::span<const std::uint32_t> source() const { return source_; }

 private:
  void take_apart(std::uint32_t variable, std::span<const std::uint32_t> entries);

  std::vector<std::uint32_t> count_;            ///< by variable: rows it stands in
  std::vector<std::uint32_t> copies_;           ///< by variable given: its copies and itself
  std::vector<std::uint32_t> original_;         ///< by variable
  std::vector<std::uint32_t> above_;            ///< by copy: the variable it is tied to
  std::vector<std::uint32_t> start_, column_;   ///< of all rows
  std::vector<std::uint32_t> source_;           ///< by entry of the rows given, in the new order
  std::vector<std::vector<std::uint32_t>> in_;  ///< by variable taken apart: its entries
  std::vector<double> entry_;
  Mass mass_;
};

}  // namespace zwang::linear
