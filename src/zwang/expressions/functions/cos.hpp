/// The cosine.
///
/// y = cos u, y' = -sin(u) u'. Series, with s = sin u:  y_k = -(1/k) sum_{j=1..k} j u_j s_{k-j};
/// the kernel of the sine writes it.
#pragma once

#include <cmath>
#include <string_view>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

struct Cos {
  static constexpr std::string_view name = "cos";

  static double value(double u) { return elementary::cos(u); }

  static Expr derivative(Graph& graph, Expr u, Expr /*y*/) { return graph.negate(graph.apply(Function::sin, u)); }
};

}  // namespace zwang::expressions
