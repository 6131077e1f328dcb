/// Nearest-point problems in which a variable stands in very many rows, solved with that variable taken apart.
///
/// The dual matrix of a hub with r strings is full. With copies of the hub, tied to each other (linear/split_columns.hpp), it is sparse, and the
/// multipliers of the rows and the motion are the same. With them
///
///   a = a0 - W J^T lambda,    w = J a + h
///
/// in the variables given, and what is claimed is checked there. Where rows depend on others, a tie may be the one that is left out, and the set
/// would not be one of independent rows: then, and where a check fails, the problem is left to the plain way.
///
/// Symbols as in gauss.hpp. Reference: docs/mathematics, section 3.7.
#pragma once

#include <cstddef>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/gauss/sparse_face.hpp"
#include "zwang/linear/split_columns.hpp"

namespace zwang::gauss {

class Hubs {
 public:
  /// False if no variable stands in very many rows, or if the plain way must decide; `solution` is not to be used then.
  [[nodiscard]] bool solve(const Problem& problem, const Options& options, Solution& solution,
                           std::vector<Trial>* trials);

 private:
  [[nodiscard]] bool take_back(const Problem& problem, const Options& options, Solution& solution);

  linear::SplitColumns split_;
  SparseFace face_;
  std::size_t rows_ = 0;  ///< of the last problem: its set is kept for the next one with as many
  std::vector<double> a0_, h_, h_bound_, entry_bound_;
  std::vector<RowKind> kind_;
};

}  // namespace zwang::gauss
