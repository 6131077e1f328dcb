/// Sparse Cholesky factor of a part of the dual matrix, kept component by component while the chosen rows change.
///
///   P Phi_AA P^T = L D L^T,      A the chosen rows, P an ordering that keeps L sparse, L unit lower triangular
///
/// The rows chosen fall into connected components of the graph of Phi. Ordering and pattern of L are worked out for each
/// component on its own and kept as long as the component stands; its numbers are kept as long as Phi does. Trees are
/// ordered from their leaves (no fill, hardly any time); what remains after stripping the leaves by minimum degree.
/// Components whose columns are long are factored in dense fronts (supernodes.hpp), the others row by row. A row whose pivot vanishes beside its
/// diagonal depends on rows ordered before it: it is skipped, its multiplier is zero.
///
/// Symbols: Phi dual matrix, A rows chosen, L unit lower factor, D pivots. Reference: Davis, Direct Methods for Sparse
/// Linear Systems (SIAM 2006), sections 4.8 (row by row) and 7.1 (minimum degree).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "zwang/linear/sparse_gram.hpp"
#include "zwang/linear/supernodes.hpp"

namespace zwang::linear {

class SparseCholesky {
 public:
  /// Forget everything: the graph is another one.
  void reset(std::size_t nodes);

  /// The numbers of Phi changed: patterns stay, every factor is void.
  void expire();

  /// Add this part of each diagonal entry to itself from now on: no row is dependent then. Every factor is void.
  void soften(double part);

  /// Choose the rows (ascending, different). Components that stand keep their pattern and, unless expired, their factor.
  void choose(const SparseGram& gram, std::span<const std::uint32_t> rows);

  /// Of the rows chosen only those count from now on for which `in`, by number of the row, is not zero (none given: all): the others are rows of the unit matrix. Order and
  /// pattern stay, and in large components only what the changed rows reach is factored anew.
  void restrict_to(const SparseGram& gram, std::span<const std::uint8_t> in);

  /// Factor the components that have no factor yet.
  void factor(const SparseGram& gram);

  /// x = Phi_AA^-1 b on the chosen rows, zero on skipped ones; b and x by row number, other rows are not touched. The
  /// second form leaves out components whose factor is older than the last `factor`, the third all but one.
  void solve(std::span<const double> b, std::span<double> x);
  void solve_fresh(std::span<const double> b, std::span<double> x);
  void solve_component(std::size_t component, std::span<const double> b, std::span<double> x);

  /// Rows in the order of elimination, components one after the other.
  [[nodiscard]] std::span<const std::uint32_t> order() const { return now_.order; }
  /// Was the row at this place of the order skipped?
  [[nodiscard]] bool skipped(std::size_t place) const { return now_.inverse_pivot[place] == 0; }
  [[nodiscard]] std::size_t skipped_count() const { return skipped_count_; }

  /// The smallest pivot of a row not skipped, as a part of its diagonal: how near the rows are to dependence.
  [[nodiscard]] double least_pivot() const { return least_pivot_; }
  [[nodiscard]] double least_pivot_of(std::size_t component) const { return now_.least_pivot[component]; }

  [[nodiscard]] std::size_t components() const {
    return now_.component_start.empty() ? 0 : now_.component_start.size() - 1;
  }
  [[nodiscard]] std::span<const std::uint32_t> rows_of(std::size_t component) const {
    return {now_.order.data() + now_.component_start[component],
            now_.component_start[component + 1] - now_.component_start[component]};
  }
  /// Component of a row, or `nowhere` if it is not chosen.
  [[nodiscard]] std::uint32_t component_of(std::uint32_t row) const { return component_of_[row]; }
  static constexpr std::uint32_t nowhere = 0xffffffffU;

  /// Entries of L below the diagonal; components ordered anew by the last `choose`; factored by the last `factor`.
  [[nodiscard]] std::size_t entries() const;
  [[nodiscard]] std::size_t ordered_count() const { return ordered_count_; }
  [[nodiscard]] std::size_t factored_count() const { return factored_count_; }
  /// Products made so far by `factor` and the solves.
  [[nodiscard]] std::size_t work() const { return work_; }

 private:
  /// Everything about the chosen rows, by place in the order of elimination.
  struct Parts {
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> component_start;
    std::vector<std::uint8_t> factored;  ///< per component
    std::vector<std::uint8_t> fresh;     ///< per component: factored by the last call of factor
    std::vector<double> least_pivot;     ///< per component, relative to the diagonal
    std::vector<std::unique_ptr<Supernodes>>
        fronts;                         ///< per component, where its columns are long; the lists below are empty then
    std::vector<std::uint32_t> parent;  ///< elimination tree, relative to the component; nowhere at the root
    std::vector<std::size_t> upper_start;    ///< entries of Phi above the diagonal, by columns
    std::vector<std::uint32_t> upper_place;  ///< relative to the component
    std::vector<std::uint32_t> upper_edge;
    std::vector<std::size_t> lower_start;    ///< entries of L by columns
    std::vector<std::uint32_t> lower_place;  ///< relative to the component
    std::vector<double> lower;
    std::vector<double> inverse_pivot;  ///< 0 for skipped rows
    void clear();
    void reserve(std::size_t rows);
  };

  void find_components(const SparseGram& gram, std::span<const std::uint32_t> rows);
  void order_component(const SparseGram& gram, std::span<const std::uint32_t> members);
  void order_core(const SparseGram& gram, std::span<const std::uint32_t> core);
  void keep_component(std::uint32_t old);
  void analyse_component(const SparseGram& gram, std::size_t begin, std::size_t end);
  void make_fronts(std::size_t begin, std::size_t end, std::size_t upper_begin);
  void factor_component(const SparseGram& gram, std::size_t component);
  void factor_rows(const SparseGram& gram, std::size_t component);

  Parts now_, next_;
  std::vector<std::uint32_t> component_of_;  ///< by row
  std::vector<std::uint8_t> in_;             ///< by row, where only some of those chosen count
  std::size_t skipped_count_ = 0;
  double least_pivot_ = 1;
  double softness_ = 0;
  std::size_t ordered_count_ = 0;
  std::size_t factored_count_ = 0;
  std::size_t work_ = 0;

  // Work space: by row, by place, and lists.
  std::vector<std::uint32_t> new_component_of_, degree_, place_, member_start_, member_, list_, stack_, flag_, filled_,
      pattern_;
  std::vector<double> dense_;
  std::vector<double> front_work_;
};

}  // namespace zwang::linear
