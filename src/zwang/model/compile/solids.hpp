/// Mass and inertia of homogeneous solids about their centres of mass.
#pragma once

#include <array>
#include <vector>

#include "zwang/model/compile/compilation.hpp"

namespace zwang::model {

/// A solid of density 1: volume (in the plane area, of a rod length) and inertia divided by mass, about its centre.
struct Solid {
  double volume = 0;
  std::array<double, 3> inertia{};     ///< along the body's axes; in the plane the first alone
  std::array<double, 2> centre{0, 0};  ///< of a polygon: where its centre lies in the axes it was written in
  std::vector<double> sizes;           ///< as they were written; of a polygon its corners about the centre, x and y
};

/// What `shape` of one member is; `place` is 2 in the plane, 3 in space.
[[nodiscard]] Solid read_solid(Compilation& work, const Value& shape, std::uint32_t place);

}  // namespace zwang::model
