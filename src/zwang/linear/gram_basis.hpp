/// Rows taken one by one by their Gram matrix: which are independent, and how the others are made of them.
///
///   G = J W J^T of rows of length one, L L^T = G over those taken;   of a row k:   L w = G_.k,   1 - |w|^2 = what is left of it,
///   and if that is nothing   g_k = sum_j c_j g_j   with   L^T c = w.
///
/// A Gram matrix sees squares: what is left below `vanishing_pivot` is rounding (tolerances.hpp). Cheap, and no verdict.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "zwang/linear/tolerances.hpp"

namespace zwang::linear {

struct GramBasis {
  const std::vector<double>& gram;  ///< r x r, with ones on its diagonal
  std::size_t r = 0;
  double least = 0;                         ///< of a row: what must be left for it to be independent
  std::vector<std::size_t> members;         ///< in the order in which they were taken
  std::vector<std::vector<double>> factor;  ///< per member: its row of L

  /// Takes a row in. If it depends on the members it is not, and `combination` has c, by members.
  bool take(std::size_t k, std::vector<double>& combination) {
    std::vector<double> w(members.size() + 1, 0.0);
    double left = 1;
    for (std::size_t a = 0; a < members.size(); ++a) {
      double sum = gram[k * r + members[a]];
      for (std::size_t b = 0; b < a; ++b) sum -= factor[a][b] * w[b];
      w[a] = sum / factor[a][a];
      left -= w[a] * w[a];
    }
    if (left > least) {
      w.back() = std::sqrt(left);
      members.push_back(k);
      factor.push_back(std::move(w));
      return true;
    }
    w.pop_back();
    for (std::size_t a = members.size(); a-- > 0;) {
      for (std::size_t b = a + 1; b < members.size(); ++b) w[a] -= factor[b][a] * w[b];
      w[a] /= factor[a][a];
    }
    combination = std::move(w);
    return false;
  }
};

}  // namespace zwang::linear
