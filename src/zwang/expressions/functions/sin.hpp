/// The sine.
///
/// y = sin u, y' = cos(u) u'. Series, with c = cos u:  y_k = (1/k) sum_{j=1..k} j u_j c_{k-j}.
/// The kernel writes sine and cosine together, since each needs the other.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Sin {
  static constexpr std::string_view name = "sin";

  static double value(double u) { return elementary::sin(u); }

  static Expr derivative(Graph& graph, Expr u, Expr /*y*/) { return graph.apply(Function::cos, u); }

  /// Coefficient k of y = sin u and c = cos u.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficients(double* y, double* c, const double* u, K k) {
    if (k == 0) {
      for (unsigned l = 0; l < lanes_of(W); ++l) {
        const auto [sine, cosine] = elementary::sin_cos(u[l]);
        y[l] = sine;
        c[l] = cosine;
      }
      return;
    }
    store<W>(y, k, integrate<W>(u, c, k, 1, k));
    store<W>(c, k, -integrate<W>(u, y, k, 1, k));
  }
};

}  // namespace zwang::expressions
