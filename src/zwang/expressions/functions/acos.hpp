/// The inverse of the cosine.
///
/// y = acos u, y' = -u' / p with p = sqrt(1 - u^2).
/// Series:  y_k = (-u_k - (1/k) sum_{j=1..k-1} j y_j p_{k-j}) / p_0.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Acos {
  static constexpr std::string_view name = "acos";

  static double value(double u) { return std::acos(u); }

  static Expr derivative(Graph& graph, Expr u, Expr /*y*/) {
    const Expr rest = graph.subtract(graph.number(1), graph.power(u, graph.number(2)));
    return graph.divide(graph.number(-1), graph.apply(Function::sqrt, rest));
  }

  /// Coefficient k of y = acos u; p holds sqrt(1 - u^2).
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* u, const double* p, K k) {
    if (k == 0) {
      each_lane<W>(y, 0, [&](unsigned l) { return std::acos(u[l]); });
      return;
    }
    const Lanes<W> s = integrate<W>(y, p, k, 1, k - 1);
    each_lane<W>(y, k, [&](unsigned l) { return (-u[k * W + l] - s.at[l]) / p[l]; });
  }
};

}  // namespace zwang::expressions
