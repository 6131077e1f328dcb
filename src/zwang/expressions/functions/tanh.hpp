/// The hyperbolic tangent.
///
/// y = tanh u, y' = p u', p = 1 - y^2 = 1 / cosh^2 u. Series:  y_k = (1/k) sum_{j=1..k} j u_j p_{k-j},  p_k = -(y^2)_k for k >= 1.
/// p_0 is computed by itself: where y is all but 1, the difference would have no digits left.
/// The kernel writes y and q = y^2 together, since each needs the other; p_k = -q_k, and p_0 is found again at every order.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Tanh {
  static constexpr std::string_view name = "tanh";

  static double value(double u) { return elementary::tanh(u); }
  /// 1 / cosh^2 u, without overflow.
  static double slope(double u) {
    const double e = elementary::exp(-2 * std::abs(u));
    return 4 * e / ((1 + e) * (1 + e));
  }

  static Expr derivative(Graph& graph, Expr /*u*/, Expr y) {
    return graph.subtract(graph.number(1), graph.power(y, graph.number(2)));
  }

  /// Coefficient k of y = tanh u and q = y^2.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficients(double* y, double* q, const double* u, K k) {
    if (k == 0) {
      each_lane<W>(y, u, value);
    } else {
      // u_k p_0 - (1/k) sum_{j=1..k-1} j u_j q_{k-j}
      double p[lanes_of(W)];
      each_lane<W>(p, u, slope);
      Lanes<W> rate = load<W>(u, k) * load<W>(p, 0);
      if (k > 1) rate = rate - integrate<W>(u, q, k, 1, k - 1);
      store<W>(y, k, rate);
    }
    store<W>(q, k, square_terms<W>(y, k, 0));
  }
};

}  // namespace zwang::expressions
