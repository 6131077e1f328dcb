/// The angle of the plane vector (x, y).
///
/// w = atan2(y, x), w' = (x y' - y x') / p with p = x^2 + y^2. Series:
/// w_k = ((1/k) sum_{j=1..k} j (y_j x_{k-j} - x_j y_{k-j}) - (1/k) sum_{j=1..k-1} j w_j p_{k-j}) / p_0.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Atan2 {
  static constexpr std::string_view name = "atan2";

  static double value(double y, double x) { return elementary::atan2(y, x); }

  /// With respect to y (argument 0) or x (argument 1).
  static Expr derivative(Graph& graph, Expr y, Expr x, unsigned argument) {
    const Expr two = graph.number(2);
    const Expr p = graph.add(graph.power(x, two), graph.power(y, two));
    return argument == 0 ? graph.divide(x, p) : graph.negate(graph.divide(y, p));
  }

  /// Coefficient k of w = atan2(y, x); p holds x^2 + y^2.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* w, const double* y, const double* x, const double* p, K k) {
    if (k == 0) {
      for (unsigned l = 0; l < lanes_of(W); ++l) w[l] = value(y[l], x[l]);
      return;
    }
    const Lanes<W> turn = integrate<W>(y, x, k, 1, k) - integrate<W>(x, y, k, 1, k);
    store<W>(w, k, (turn - integrate<W>(w, p, k, 1, k - 1)) / load<W>(p, 0));
  }
};

}  // namespace zwang::expressions
