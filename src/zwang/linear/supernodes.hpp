/// The factor of one connected component, in dense fronts: columns of L with about the same rows are eliminated together.
///
///   P Phi P^T = L L^T,      supernode = consecutive columns whose rows below are (nearly) the same
///
/// Columns follow each other as a walk through the elimination tree visits them, children before their parent. Where columns of a child and its parent
/// have nearly the same rows they become one supernode, with some zeros stored. Each supernode adds up its part of Phi and what its children left, is
/// eliminated (front.hpp) and leaves the rest to its parent. What was worked out for a pattern serves for all its numbers.
///
/// Symbols: Phi dual matrix, L lower factor, P order of elimination. References: Duff and Reid, ACM Trans. Math. Softw. 9 (1983) 302;
/// Ashcraft and Grimes, ACM Trans. Math. Softw. 15 (1989) 291 (supernodes with zeros).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/linear/front.hpp"
#include "zwang/linear/sparse_gram.hpp"

namespace zwang::linear {

/// The pattern of a component in some order of elimination: the elimination tree, entries of L below the diagonal by columns, entries of Phi above it by
/// columns with the edges of the graph they come from.
struct EliminationPattern {
  std::span<const std::uint32_t> parent;  ///< `no_parent` at the root
  std::span<const std::uint32_t> below;
  std::span<const std::size_t> upper_start;  ///< one more than there are rows; not from zero
  std::span<const std::uint32_t> upper_place;
  std::span<const std::uint32_t> upper_edge;
  static constexpr std::uint32_t no_parent = 0xffffffffU;
};

class Supernodes {
 public:
  /// Work out the fronts. Returns the order of elimination: which place of the pattern's order comes when.
  [[nodiscard]] std::vector<std::uint32_t> analyse(const EliminationPattern& pattern);

  struct Outcome {
    double least_pivot = 1;
    std::size_t products = 0;
  };
  /// The numbers: `order` are the rows in the order of elimination; inverse pivots are told, zero for rows that depend on those before.
  [[nodiscard]] Outcome factor(const SparseGram& gram, std::span<const std::uint32_t> order, double softness,
                               double zero_pivot, std::span<double> inverse_pivot, std::vector<double>& scratch);

  /// The same, of those rows alone for which `in` (by number of the row) is not zero: the others are rows of the unit matrix. What fronts leave is kept, so that
  /// where some rows came or went since the last call (by their places in the order) only their fronts and those above are made anew, to the same bits.
  [[nodiscard]] Outcome factor_part(const SparseGram& gram, std::span<const std::uint32_t> order,
                                    std::span<const std::uint8_t> in, double softness, double zero_pivot,
                                    std::span<double> inverse_pivot);
  void change(std::size_t place) { dirty_[supernode_of(place)] = 1; }
  void expire() { is_kept_ = false; }

  /// Phi x = b in place, by places in the order of elimination.
  void solve(std::span<double> x, std::vector<double>& scratch) const;

  /// Entries of L below the diagonal, without the zeros that are stored with them; supernodes.
  [[nodiscard]] std::size_t entries() const { return entries_; }
  [[nodiscard]] std::size_t count() const { return shape_.size(); }

 private:
  [[nodiscard]] std::vector<std::uint32_t> walk(const EliminationPattern& pattern) const;
  void join_columns(std::span<const std::uint32_t> parent, std::span<const std::uint32_t> below);
  void list_rows(const EliminationPattern& pattern, std::span<const std::uint32_t> place);
  void lay_out();
  void add_child(std::size_t child, std::size_t parent, const double* rest, double* panel, double* own_rest) const;
  void fill_part(std::size_t s, const SparseGram& gram, std::span<const std::uint32_t> order,
                 std::span<const std::uint8_t> in, double softness);
  void clear_front(std::size_t s, double* panel, double* rest) const;
  [[nodiscard]] std::size_t supernode_of(std::size_t place) const {
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), place) - first_.begin()) - 1;
  }

  std::size_t entries_ = 0;
  std::size_t products_ = 0;
  std::size_t scratch_size_ = 0;

  // By supernode: first column, size, rows below (by place), where the panel begins, entries of Phi, and the children on the stack of what is left.
  std::vector<std::uint32_t> first_;  ///< one more than supernodes
  std::vector<FrontShape> shape_;
  std::vector<std::size_t> row_start_, panel_start_, entry_start_;
  std::vector<std::uint32_t> last_child_, next_child_;  ///< the last child, and from there the one before it
  std::vector<std::uint32_t> row_;                      ///< by supernode, ascending
  std::vector<std::uint32_t> in_parent_;                ///< the same rows as places in the parent's front
  std::vector<std::uint32_t> entry_edge_, entry_place_;
  std::vector<double> panel_;
  std::vector<double> inverse_root_, diagonal_;

  // Of a part of the rows: what fronts left, the least pivot of each, and which must be made anew.
  bool is_kept_ = false;
  std::vector<std::size_t> rest_start_;
  std::vector<double> rest_, least_;
  std::vector<std::uint8_t> dirty_;
};

}  // namespace zwang::linear
