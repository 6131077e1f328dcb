/// The hyperbolic sine.
///
/// y = sinh u, y' = cosh(u) u'. Series, with c = cosh u:  y_k = (1/k) sum_{j=1..k} j u_j c_{k-j}.
/// The kernel writes sinh and cosh together, since each needs the other.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Sinh {
  static constexpr std::string_view name = "sinh";

  static double value(double u) { return elementary::sinh(u); }

  static Expr derivative(Graph& graph, Expr u, Expr /*y*/) { return graph.apply(Function::cosh, u); }

  /// Coefficient k of y = sinh u and c = cosh u.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficients(double* y, double* c, const double* u, K k) {
    if (k == 0) {
      each_lane<W>(y, u, value);
      each_lane<W>(c, u, [](double x) { return elementary::cosh(x); });
      return;
    }
    store<W>(y, k, integrate<W>(u, c, k, 1, k));
    store<W>(c, k, integrate<W>(u, y, k, 1, k));
  }
};

}  // namespace zwang::expressions
