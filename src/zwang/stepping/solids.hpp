/// Polygons and boxes that touch as wholes, measured by themselves: conditions on their corners say where they must not be, the gap between the two says where they are.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang::stepping {

/// A convex polygon in the plane or a box in space, carried by a body.
struct Solid {
  std::uint32_t first = 0;                     ///< variable of its place
  double reach = 0;                            ///< from its centre to the farthest corner
  std::vector<std::array<double, 2>> corners;  ///< of a polygon, about its centre
  std::array<double, 3> half = {};             ///< of a box in space
};

struct SolidPair {
  std::uint32_t row = 0;     ///< the first of the conditions that hold them apart
  std::uint32_t behind = 0;  ///< the row behind them
  bool in_space = false;
  Solid a, b;
};

/// The pairs of a model that contacts hold apart.
[[nodiscard]] std::vector<SolidPair> solid_pairs(const model::Model& model);
/// By how much two lie in one another: the shortest way out along a normal of a side or, in space, of two edges; negative or 0 where a line or plane divides them.
[[nodiscard]] double overlap(const SolidPair& pair, const std::vector<double>& position);

}  // namespace zwang::stepping
