/// Rows taken one by one by their Gram matrix: which are independent, and how the others are made of them.
///
///   G = J W J^T of rows of length one, L L^T = G over those taken;   of a row k:   L w = G_.k,   1 - |w|^2 = what is left of it,
///   and if that is nothing   g_k = sum_j c_j g_j   with   L^T c = w.
///
/// A Gram matrix sees squares: what is left below `vanishing_pivot` is rounding (tolerances.hpp). Cheap, and no verdict.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "zwang/linear/cholesky.hpp"
#include "zwang/linear/tolerances.hpp"

namespace zwang::linear {

struct GramBasis {
  const std::vector<double>& gram;  ///< r x r, with ones on its diagonal
  std::size_t r = 0;
  double least = 0;                  ///< of a row: what must be left for it to be independent
  std::vector<std::size_t> members;  ///< in the order in which they were taken
  std::vector<double> factor;        ///< L over the members, by columns, r x r

  /// Takes a row in. If it depends on the members it is not, and `combination` has c, by members.
  bool take(std::size_t k, std::vector<double>& combination) {
    factor.resize(r * r);
    const std::size_t taken = members.size();
    std::vector<double> w(taken + 1, 1.0);
    for (std::size_t a = 0; a < taken; ++a) w[a] = gram[k * r + members[a]];
    const double left = reduce_row(factor.data(), r, taken, w.data());
    if (left > least) {
      take_row(factor.data(), r, taken, w.data(), std::sqrt(left));
      members.push_back(k);
      return true;
    }
    w.pop_back();
    solve_columns_transposed(factor.data(), r, taken, w.data());
    combination = std::move(w);
    return false;
  }
};

}  // namespace zwang::linear
