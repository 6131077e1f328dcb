/// The hyperbolic tangent.
///
/// y = tanh u, y' = (1 - y^2) u'. Series, with q = y^2:  y_k = u_k - (1/k) sum_{j=1..k} j u_j q_{k-j}.
/// The kernel writes y and q together, since each needs the other.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Tanh {
  static constexpr std::string_view name = "tanh";

  static double value(double u) { return std::tanh(u); }

  static Expr derivative(Graph& graph, Expr /*u*/, Expr y) {
    return graph.subtract(graph.number(1), graph.power(y, graph.number(2)));
  }

  /// Coefficient k of y = tanh u and q = y^2.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficients(double* y, double* q, const double* u, K k) {
    if (k == 0) {
      each_lane<W>(y, u, value);
    } else {
      store<W>(y, k, load<W>(u, k) - integrate<W>(u, q, k, 1, k));
    }
    store<W>(q, k, square_terms<W>(y, k, 0));
  }
};

}  // namespace zwang::expressions
