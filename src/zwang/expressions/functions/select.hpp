/// The choice between two branches, lane by lane: only the branch that holds is looked at.
///
/// y = m a + (1 - m) b; m is 1 or 0 and constant, unless the motion slides on the surface between the branches: then m is
/// the weight of Filippov's convex combination, a series, and y_k = b_k + sum_{j=0..k} m_j (a - b)_{k-j}.
#pragma once

#include "zwang/expressions/functions/series.hpp"

namespace zwang::expressions {

struct Select {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* m, const double* a, const double* b, K k) {
    for (unsigned l = 0; l < lanes_of(W); ++l) {
      bool constant = m[l] == 0 || m[l] == 1;
      for (unsigned j = 1; constant && j <= k; ++j) constant = m[j * lanes_of(W) + l] == 0;
      double sum = (constant && m[l] == 1 ? a : b)[k * lanes_of(W) + l];
      for (unsigned j = 0; !constant && j <= k; ++j) {
        sum += m[j * lanes_of(W) + l] * (a[(k - j) * lanes_of(W) + l] - b[(k - j) * lanes_of(W) + l]);
      }
      y[k * lanes_of(W) + l] = sum;
    }
  }
};

}  // namespace zwang::expressions
