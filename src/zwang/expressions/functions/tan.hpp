/// The tangent.
///
/// y = tan u, y' = (1 + y^2) u'. Series, with q = y^2:  y_k = u_k + (1/k) sum_{j=1..k} j u_j q_{k-j}.
/// The kernel writes y and q together, since each needs the other.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Tan {
  static constexpr std::string_view name = "tan";

  static double value(double u) { return elementary::tan(u); }

  static Expr derivative(Graph& graph, Expr /*u*/, Expr y) {
    return graph.add(graph.number(1), graph.power(y, graph.number(2)));
  }

  /// Coefficient k of y = tan u and q = y^2.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficients(double* y, double* q, const double* u, K k) {
    if (k == 0) {
      each_lane<W>(y, u, value);
    } else {
      store<W>(y, k, load<W>(u, k) + integrate<W>(u, q, k, 1, k));
    }
    store<W>(q, k, square_terms<W>(y, k, 0));
  }
};

}  // namespace zwang::expressions
