/// The exponential function.
///
/// y = exp u, y' = y u'. Series:  y_k = (1/k) sum_{j=1..k} j u_j y_{k-j}.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Exp {
  static constexpr std::string_view name = "exp";

  /// Values below this are zero: coefficients of a high order of them would leave the range of numbers, in one unit of time sooner than in
  /// another.
  static constexpr double faint = 0x1p-800;
  static double value(double u) {
    const double y = elementary::exp(u);
    return y < faint ? 0.0 : y;
  }

  static Expr derivative(Graph& /*graph*/, Expr /*u*/, Expr y) { return y; }

  /// Coefficient k of y = exp u.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* u, K k) {
    if (k == 0) {
      each_lane<W>(y, u, value);
      return;
    }
    store<W>(y, k, integrate<W>(u, y, k, 1, k));
  }
};

}  // namespace zwang::expressions
