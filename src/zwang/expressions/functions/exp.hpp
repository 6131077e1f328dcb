/// The exponential function.
///
/// y = exp u, y' = y u'. Series:  y_k = (1/k) sum_{j=1..k} j u_j y_{k-j}.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Exp {
  static constexpr std::string_view name = "exp";

  static double value(double u) { return std::exp(u); }

  static Expr derivative(Graph& /*graph*/, Expr /*u*/, Expr y) { return y; }

  /// Coefficient k of y = exp u.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* u, K k) {
    if (k == 0) {
      each_lane<W>(y, 0, [&](unsigned l) { return std::exp(u[l]); });
      return;
    }
    const Lanes<W> s = integrate<W>(u, y, k, 1, k);
    each_lane<W>(y, k, [&](unsigned l) { return s.at[l]; });
  }
};

}  // namespace zwang::expressions
