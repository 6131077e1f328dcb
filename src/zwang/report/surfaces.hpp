/// What an equation f(x) = 0 in space (or the plane) looks like, found from values and gradients of f alone.
///
/// Places of the zero set are found by Newton's rule along the gradient from many starts, near and far. If they lie in a plane it is a
/// plane; otherwise the quadric through them is sought, and if its form is that of a sphere, a circular cylinder or a
/// circular cone, and all places lie on it to 1e-9, it is one. How f is written plays no part. Everything else is sampled: marching
/// tetrahedra in space, marching squares in the plane.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "zwang/base/space.hpp"

namespace zwang::report {

using Vector = Spatial;

/// A function of the place with its gradient; in the plane the third component is zero.
struct Field {
  unsigned dimension = 3;
  std::function<double(const Vector& place, Vector& gradient)> value;
};

enum class SurfaceKind : std::uint8_t { none, plane, sphere, cylinder, cone, other };

struct Surface {
  SurfaceKind kind = SurfaceKind::none;
  /// plane: normal, offset; sphere: centre, radius; cylinder: point, axis, radius; cone: apex, axis, angle between axis and surface
  std::vector<double> numbers;
  int side = 1;       ///< 1: f grows along the normal, or away from centre or axis; -1: the other way
  bool both = false;  ///< of a cone: both halves, not only that along the axis
};

/// The place nearest along the gradient at which f is zero; none if Newton's rule does not get there.
[[nodiscard]] std::optional<Vector> find_zero(const Field& field, Vector start, double size);

/// The surface f = 0 as seen from `near`; `size` is that of the picture.
[[nodiscard]] Surface recognise(const Field& field, const Vector& near, double size);

/// Sampled inside of a box: corners, and triangles (in the plane: line segments) between them.
struct Mesh {
  std::vector<double> vertices;        ///< 3 (2) numbers each
  std::vector<std::uint32_t> corners;  ///< 3 (2) numbers each
};
/// `coarse`: in half as many steps, for one of many instants.
[[nodiscard]] Mesh sample_mesh(const Field& field, const Vector& low, const Vector& high, bool coarse = false);

/// The curve f = g = 0 through the place near to `start`, inside of a box; closed if the last point is the first.
[[nodiscard]] std::vector<Vector> trace_curve(const Field& f, const Field& g, const Vector& start, const Vector& low,
                                              const Vector& high);

}  // namespace zwang::report
