/// Vectors of space: three components, their products.
#pragma once

#include <array>
#include <cmath>

namespace zwang {

using Spatial = std::array<double, 3>;

[[nodiscard]] inline double dot(const Spatial& a, const Spatial& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
[[nodiscard]] inline Spatial cross(const Spatial& a, const Spatial& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace zwang
