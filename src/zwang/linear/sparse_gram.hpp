/// The dual matrix of a sparse set of rows, Phi = J W J^T, entry by entry, with its pattern kept between calls.
///
///   Phi_ij = sum_c J_ic (W J^T)_cj
///
/// Symbols: J rows (CSR), W = M^-1 inverse mass, Phi dual matrix. The pattern is a graph: one node per row of J, one
/// edge per pair of rows that share a variable (or a block of the mass). For each edge the products that make up its
/// value are listed once, as runs of consecutive entries, so that a new J costs a few multiplications per edge and
/// no search. A variable shared by k rows makes k (k - 1) / 2 edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/matrix.hpp"

namespace zwang::linear {

/// Sparse rows by reference: row i has entries start[i] .. start[i + 1] of column and entry, columns ascending.
struct SparseRows {
  std::span<const std::uint32_t> start;
  std::span<const std::uint32_t> column;
  std::span<const double> entry;
  [[nodiscard]] std::size_t count() const { return start.empty() ? 0 : start.size() - 1; }
};

class SparseGram {
 public:
  SparseGram() = default;
  SparseGram(const SparseGram&) = delete;
  SparseGram& operator=(const SparseGram&) = delete;
  SparseGram(SparseGram&&) = default;
  SparseGram& operator=(SparseGram&&) = default;
  ~SparseGram() = default;

  /// Read the pattern; true if it differs from the last one (everything kept for the old one is then void).
  bool shape(const SparseRows& rows, const Mass& mass);

  /// Read the numbers of J and form J W for all rows. The views must live as long as values are asked for.
  void load(const SparseRows& rows, const Mass& mass);

  [[nodiscard]] std::size_t nodes() const { return edge_start_.empty() ? 0 : edge_start_.size() - 1; }
  [[nodiscard]] std::size_t edges() const { return run_start_.empty() ? 0 : run_start_.size() - 1; }

  /// Neighbours of a row in the graph, ascending, and the edges that lead there.
  [[nodiscard]] std::span<const std::uint32_t> neighbours(std::uint32_t row) const {
    return {neighbour_.data() + around_start_[row], around_start_[row + 1] - around_start_[row]};
  }
  [[nodiscard]] std::span<const std::uint32_t> edges_of(std::uint32_t row) const {
    return {edge_.data() + around_start_[row], around_start_[row + 1] - around_start_[row]};
  }
  /// The two rows an edge joins, the lower one first. Edges are numbered by their lower row, then by the other.
  [[nodiscard]] std::size_t first_edge(std::uint32_t lower_row) const { return edge_start_[lower_row]; }
  [[nodiscard]] std::uint32_t upper_row(std::size_t edge) const { return upper_row_[edge]; }

  /// Phi_ii and Phi_ij, from the numbers loaded.
  [[nodiscard]] double diagonal(std::uint32_t row) const {
    const std::uint32_t begin = rows_.start[row];
    const std::uint32_t end = rows_.start[row + 1];
    double sum = 0;
    if (!blocks_) {
      for (std::uint32_t p = begin; p < end; ++p) sum += rows_.entry[p] * weighted_[p];
    } else {
      for (std::uint32_t p = begin; p < end; ++p) sum += rows_.entry[p] * weighted_[own_[p]];
    }
    return sum;
  }
  [[nodiscard]] double between(std::size_t edge) const {
    double sum = 0;
    for (std::size_t k = run_start_[edge]; k < run_start_[edge + 1]; ++k) {
      const Run run = run_[k];
      for (std::uint32_t s = 0; s < run.length; ++s) sum += rows_.entry[run.entry + s] * weighted_[run.weighted + s];
    }
    return sum;
  }

  /// The sum of the absolute values of the products behind Phi_ij.
  [[nodiscard]] double between_terms(std::size_t edge) const {
    double sum = 0;
    for (std::size_t k = run_start_[edge]; k < run_start_[edge + 1]; ++k) {
      const Run run = run_[k];
      for (std::uint32_t s = 0; s < run.length; ++s) {
        const double x = rows_.entry[run.entry + s] * weighted_[run.weighted + s];
        sum += x < 0 ? -x : x;
      }
    }
    return sum;
  }

  /// a += factor * (W J^T) of one row; and J of one row times a.
  void add_row(std::uint32_t row, double factor, std::span<double> a) const {
    const std::uint32_t begin = weighted_start_[row];
    const std::uint32_t end = weighted_start_[row + 1];
    for (std::uint32_t p = begin; p < end; ++p) a[weighted_column_[p]] += factor * weighted_[p];
  }
  [[nodiscard]] double times_row(std::uint32_t row, std::span<const double> a) const {
    const std::uint32_t begin = rows_.start[row];
    const std::uint32_t end = rows_.start[row + 1];
    double sum = 0;
    for (std::uint32_t p = begin; p < end; ++p) sum += rows_.entry[p] * a[rows_.column[p]];
    return sum;
  }

 private:
  struct Run {
    std::uint32_t entry;     ///< first entry of J, in the upper row
    std::uint32_t weighted;  ///< first entry of J W, in the lower row
    std::uint32_t length;
  };

  void close_rows(const SparseRows& rows, const Mass& mass);
  void list_edges(const SparseRows& rows, std::size_t variables);
  void list_neighbours();

  SparseRows rows_;

  // The pattern these lists were made for.
  std::vector<std::uint32_t> known_start_, known_column_;
  std::vector<int> known_block_;
  bool blocks_ = false;
  bool shaped_ = false;

  // J W by rows: the pattern of J, widened to whole blocks of the mass. Without blocks the two patterns are one.
  std::span<const std::uint32_t> weighted_start_, weighted_column_;
  std::vector<std::uint32_t> widened_start_, widened_column_;
  std::vector<std::uint32_t> own_;  ///< where an entry of J lies in J W; only with blocks
  std::vector<double> weighted_;
  std::vector<double> known_diagonal_, inverse_;
  std::vector<double> wide_row_;

  // Edges by their lower row, with the products behind each; the graph in both directions.
  std::vector<std::size_t> edge_start_, run_start_;
  std::vector<std::uint32_t> upper_row_;
  std::vector<Run> run_;
  std::vector<std::size_t> around_start_;
  std::vector<std::uint32_t> neighbour_, edge_;
};

}  // namespace zwang::linear
