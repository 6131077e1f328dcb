/// Cones in conditions: f = A + B |w| <= 0 with B > 0, w a vector that comes to zero at the apex.
///
///   |w| = max over |c| = 1 of c.w,      so that  f <= 0  is  A + B c.w <= 0  for every direction c
///
/// Each of these, a spoke, is smooth at the apex, where f is not. The components of c are modes (corners.hpp, `spoke`), chosen by the motion.
/// Reference: docs/mathematics, section 29.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "zwang/expressions/corners.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

/// The one root in an expression that is linear in it: A + B |w|.
struct Cone {
  Expr root;            ///< |w|
  Expr factor;          ///< B, free of the state
  std::vector<Expr> w;  ///< two components
};
/// Is f a cone about positions, with an A in which they occur, too?
[[nodiscard]] std::optional<Cone> find_cone(Graph& graph, Expr f);

/// So many spokes hold an apex, as many as a triangle about it has corners.
inline constexpr std::size_t spokes_of_cone = 3;
/// The direction of a spoke as long as nothing has chosen it.
[[nodiscard]] std::array<double, 2> corner_of_triangle(std::size_t which);
/// f with c.w in the place of |w|.
[[nodiscard]] Lowered spoke(Graph& graph, Expr f, const Cone& cone, std::size_t which);

}  // namespace zwang::expressions
