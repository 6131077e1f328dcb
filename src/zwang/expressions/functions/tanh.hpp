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
  [[gnu::always_inline]] static void coefficients(double* __restrict y, double* __restrict q, const double* u, K k) {
    if (k == 0) {
      each_lane<W>(y, 0, [&](unsigned l) { return std::tanh(u[l]); });
    } else {
      const Lanes<W> s = integrate<W>(u, q, k, 1, k);
      each_lane<W>(y, k, [&](unsigned l) { return u[k * W + l] - s.at[l]; });
    }
    const Lanes<W> t = square_terms<W>(y, k, 0);
    each_lane<W>(q, k, [&](unsigned l) { return t.at[l]; });
  }
};

}  // namespace zwang::expressions
