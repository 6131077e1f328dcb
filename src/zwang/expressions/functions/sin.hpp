/// The sine.
///
/// y = sin u, y' = cos(u) u'. Series, with c = cos u:  y_k = (1/k) sum_{j=1..k} j u_j c_{k-j}.
/// The kernel writes sine and cosine together, since each needs the other.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/elementary/several.hpp"
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
    if (k == 0 && lanes_of(W) >= 8) {
      elementary::sin_cos(u, lanes_of(W), y, c);
      return;
    }
    if (k == 0) {
      for (unsigned l = 0; l < lanes_of(W); ++l) {
        const auto [sine, cosine] = elementary::sin_cos(u[l]);
        y[l] = sine;
        c[l] = cosine;
      }
      return;
    }
    // As two integrals (series.hpp), which share their first factors.
    Lanes<W> sine;
    Lanes<W> cosine;
    for (unsigned j = 1; j <= k; ++j) {
      const Lanes<W> rate = static_cast<double>(j) * load<W>(u, j);
      sine += rate * load<W>(c, k - j);
      cosine += rate * load<W>(y, k - j);
    }
    store<W>(y, k, k > 1 ? sine / static_cast<double>(k) : sine);
    store<W>(c, k, -(k > 1 ? cosine / static_cast<double>(k) : cosine));
  }
};

}  // namespace zwang::expressions
