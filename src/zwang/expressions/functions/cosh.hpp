/// The hyperbolic cosine.
///
/// y = cosh u, y' = sinh(u) u'. Series, with s = sinh u:  y_k = (1/k) sum_{j=1..k} j u_j s_{k-j};
/// the kernel of sinh writes it.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Cosh {
  static constexpr std::string_view name = "cosh";

  static double value(double u) { return elementary::cosh(u); }

  static Expr derivative(Graph& graph, Expr u, Expr /*y*/) { return graph.apply(Function::sinh, u); }
};

}  // namespace zwang::expressions
