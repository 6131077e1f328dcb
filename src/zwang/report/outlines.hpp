/// The shapes of a scene as figures need them: what the page's data says of strings, walls and surfaces, read back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/report/scene.hpp"

namespace zwang::report {

/// Where a line is fastened: at a body of the scene, at a mark of it, or at a place that stands still.
struct OutlineAnchor {
  std::int64_t body = -1;
  Vector at{0, 0, 0};  ///< of a mark: in the axes of the body
};

enum class OutlineKind : std::uint8_t { line, plane, sphere, cylinder, cone, curve, solid, spring };

struct OutlineShape {
  OutlineKind kind = OutlineKind::line;
  std::string relation;                ///< "=", "<=", ">=" or empty
  std::vector<OutlineAnchor> through;  ///< line: from anchor to anchor
  bool closed = false;
  double length = 0;  ///< of a string; 0 if it has none
  std::vector<double>
      numbers;  ///< plane: normal, offset; sphere: centre, radius; cylinder: point, axis, radius; cone: apex, axis, angle
  int side = 0;  ///< 1: allowed where normal.x <= offset, inside; -1: the other side; 0: on it
  std::vector<std::vector<Vector>>
      strokes;        ///< curve; of a solid in the axes of its body, which is the only one of `through`
  double radius = 0;  ///< of a solid that is a ball or disc
};

/// Shapes that move, surfaces of other kinds in space, and what begins later are left out.
[[nodiscard]] std::vector<OutlineShape> outlines(const Scene& scene, const Blob& blob, unsigned dimension);

}  // namespace zwang::report
