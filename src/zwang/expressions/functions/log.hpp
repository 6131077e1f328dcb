/// The natural logarithm.
///
/// y = log u, y' = u' / u. Series:  y_k = (u_k - (1/k) sum_{j=1..k-1} j y_j u_{k-j}) / u_0.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Log {
  static constexpr std::string_view name = "log";

  static double value(double u) { return elementary::log(u); }

  static Expr derivative(Graph& graph, Expr u, Expr /*y*/) { return graph.divide(graph.number(1), u); }

  /// Coefficient k of y = log u.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* u, K k) {
    if (k == 0) {
      each_lane<W>(y, u, value);
      return;
    }
    store<W>(y, k, (load<W>(u, k) - integrate<W>(y, u, k, 1, k - 1)) / load<W>(u, 0));
  }
};

}  // namespace zwang::expressions
