/// The inverse of the cosine.
///
/// y = acos u, y' = -u' / p with p = sqrt(1 - u^2).
/// Series:  y_k = (-u_k - (1/k) sum_{j=1..k-1} j y_j p_{k-j}) / p_0.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Acos {
  static constexpr std::string_view name = "acos";

  static double value(double u) { return elementary::acos(within_one(u)); }

  static Expr derivative(Graph& graph, Expr u, Expr /*y*/) {
    const Expr rest = graph.subtract(graph.number(1), graph.power(u, graph.number(2)));
    return graph.divide(graph.number(-1), graph.apply(Function::sqrt, rest));
  }

  /// Coefficient k of y = acos u; p holds sqrt(1 - u^2).
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* u, const double* p, K k) {
    if (k == 0) {
      each_lane<W>(y, u, value);
      return;
    }
    store<W>(y, k, (-load<W>(u, k) - integrate<W>(y, p, k, 1, k - 1)) / load<W>(p, 0));
  }
};

}  // namespace zwang::expressions
