/// The square root.
///
/// y = sqrt u, y' = u' / (2 y). Series:  y_k = (u_k - sum_{j=1..k-1} y_j y_{k-j}) / (2 y_0).
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Sqrt {
  static constexpr std::string_view name = "sqrt";

  static double value(double u) { return std::sqrt(u); }

  static Expr derivative(Graph& graph, Expr /*u*/, Expr y) { return graph.divide(graph.number(0.5), y); }

  /// Coefficient k of y = sqrt u; that of 0 where u begins at no more than `zero_below`, if that is not negative.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* u, double zero_below, K k) {
    if (k == 0) {
      each_lane<W>(y, u, [zero_below](double x) { return std::abs(x) <= zero_below ? 0.0 : value(x); });
      return;
    }
    const Lanes<W> above = load<W>(u, k) - square_terms<W>(y, k, 1);
    store<W>(y, k, above);
    for (unsigned l = 0; l < lanes_of(W); ++l) {
      double& here = y[std::size_t{k} * lanes_of(W) + l];
      if (zero_below >= 0 && y[l] == 0) here = 0;
      if (here != 0) here /= 2.0 * y[l];  // the root of zero stays zero
    }
  }
};

}  // namespace zwang::expressions
