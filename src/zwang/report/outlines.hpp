/// The shapes of a scene as figures need them: what the page's data says of strings, walls and surfaces, read back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/report/scene.hpp"

namespace zwang::report {

/// Where a line is fastened: at a body of the scene, or at a place that stands still.
struct OutlineAnchor {
  std::int64_t body = -1;
  Vector at{0, 0, 0};
};

enum class OutlineKind : std::uint8_t { line, plane, sphere, cylinder, cone, curve };

struct OutlineShape {
  OutlineKind kind = OutlineKind::line;
  std::string relation;                ///< "=", "<=", ">=" or empty
  std::vector<OutlineAnchor> through;  ///< line: from anchor to anchor
  bool closed = false;
  double length = 0;  ///< of a string; 0 if it has none
  std::vector<double>
      numbers;  ///< plane: normal, offset; sphere: centre, radius; cylinder: point, axis, radius; cone: apex, axis, angle
  int side = 0;  ///< 1: allowed where normal.x <= offset, inside; -1: the other side; 0: on it
  std::vector<std::vector<Vector>> strokes;  ///< curve
};

/// Shapes that move, surfaces of other kinds in space, and what begins later are left out.
[[nodiscard]] std::vector<OutlineShape> outlines(const Scene& scene, const Blob& blob, unsigned dimension);

}  // namespace zwang::report
