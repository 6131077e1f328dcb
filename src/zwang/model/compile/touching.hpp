/// What touches: the shapes of the partners of a contact in numbers, their sides and edges, and how far apart they are at the start.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "zwang/elementary/elementary.hpp"
#include "zwang/model/compile/joints.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

using Numbers = std::vector<double>;

enum class Solidity : std::uint8_t { cloud, segment, box, polygon, cylinder };

/// A partner of a contact: what it is made of.
struct Touching {
  JointSide side;
  Solidity kind = Solidity::cloud;
  std::string word;  ///< "ball", "box", ...
  std::vector<Numbers>
      points;         ///< in the body's axes: corners, ends, centre, marks; of a polygon in its order, counterclockwise
  double radius = 0;  ///< around each point, and around a segment
  Numbers half;       ///< of a box half its lengths; of a segment or cylinder half its length
  std::uint32_t along = 0;  ///< axis of a segment or cylinder
  std::uint32_t dimension = 3;

  [[nodiscard]] bool round() const { return kind == Solidity::cloud && points.size() == 1; }
  /// Corners alone, or with the same ball around each: its hull.
  [[nodiscard]] bool hull() const { return kind != Solidity::cylinder; }
};

inline double inner(const Numbers& a, const Numbers& b) {
  double out = 0;
  for (std::size_t c = 0; c < a.size(); ++c) out += a[c] * b[c];
  return out;
}

/// A side of a convex polygon: outward normal, its value there, and the two ends.
struct Edge {
  Numbers normal, along, from;
  double offset = 0;
  double length = 0;
};
inline std::vector<Edge> edges_of(const std::vector<Numbers>& corners) {
  std::vector<Edge> out;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Numbers& p = corners[k];
    const Numbers& q = corners[(k + 1) % corners.size()];
    Edge edge;
    edge.length = elementary::hypot(q[0] - p[0], q[1] - p[1]);
    edge.along = {(q[0] - p[0]) / edge.length, (q[1] - p[1]) / edge.length};
    edge.normal = {edge.along[1], -edge.along[0]};
    edge.from = p;
    edge.offset = inner(edge.normal, p);
    out.push_back(std::move(edge));
  }
  return out;
}

/// An edge of a box: its direction, the two axes across it in cyclic order, and on which side of each it lies.
struct BoxEdge {
  std::uint32_t along = 0, second = 0, third = 0;
  double side_second = 1, side_third = 1;
  Numbers middle;
};
inline std::vector<BoxEdge> edges_of_box(const Touching& box) {
  std::vector<BoxEdge> out;
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (const double one : {-1.0, 1.0}) {
      for (const double other : {-1.0, 1.0}) {
        BoxEdge edge{i, (i + 1) % 3, (i + 2) % 3, one, other, Numbers(3, 0.0)};
        edge.middle[edge.second] = one * box.half[edge.second];
        edge.middle[edge.third] = other * box.half[edge.third];
        out.push_back(std::move(edge));
      }
    }
  }
  return out;
}

/// The cosine of the angle of the corner at which a side begins.
inline double sharpness(const std::vector<Edge>& sides, std::size_t corner) {
  return -inner(sides[(corner + sides.size() - 1) % sides.size()].along, sides[corner].along);
}

/// The largest distance of two planes that separate them, negative if none does, and a length of theirs.
inline std::pair<double, double> gap_of_boxes(const Touching& a, const Touching& b) {
  using Vector = std::array<double, 3>;
  const auto cross = [](const Vector& u, const Vector& v) {
    return Vector{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  };
  const auto dot = [](const Vector& u, const Vector& v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; };
  const auto axes = [](const Touching& body) {
    const auto [w, x, y, z] = body.side.orientation;
    return std::array<Vector, 3>{Vector{w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)},
                                 Vector{2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)},
                                 Vector{2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z}};
  };
  const std::array<Vector, 3> mine = axes(a);
  const std::array<Vector, 3> others = axes(b);
  Vector between{};
  for (std::size_t c = 0; c < 3; ++c) between[c] = b.side.place[c] - a.side.place[c];
  double apart = -std::numeric_limits<double>::max();
  const auto look = [&](const Vector& n) {
    const double length = std::sqrt(dot(n, n));
    if (length < nearly_parallel) return;
    double gap = std::abs(dot(between, n));
    for (std::size_t c = 0; c < 3; ++c)
      gap -= a.half[c] * std::abs(dot(mine[c], n)) + b.half[c] * std::abs(dot(others[c], n));
    apart = std::max(apart, gap / length);
  };
  for (const Vector& d : mine) {
    look(d);
    for (const Vector& e : others) look(cross(d, e));
  }
  for (const Vector& e : others) look(e);
  return {apart, 2 * std::max(*std::max_element(a.half.begin(), a.half.end()),
                              *std::max_element(b.half.begin(), b.half.end()))};
}
inline std::pair<double, double> gap_of_polygons(const Touching& a, const Touching& b) {
  const auto placed = [](const Touching& body) {
    std::vector<Numbers> out;
    const double c = elementary::cos(body.side.angle);
    const double s = elementary::sin(body.side.angle);
    for (const Numbers& p : body.points)
      out.push_back({body.side.place[0] + c * p[0] - s * p[1], body.side.place[1] + s * p[0] + c * p[1]});
    return out;
  };
  const std::vector<Numbers> p = placed(a);
  const std::vector<Numbers> q = placed(b);
  double apart = -std::numeric_limits<double>::max();
  double size = 0;
  for (const bool first : {true, false}) {
    for (const Edge& edge : edges_of(first ? p : q)) {
      double least = std::numeric_limits<double>::max();
      for (const Numbers& one : first ? q : p) least = std::min(least, inner(edge.normal, one) - edge.offset);
      apart = std::max(apart, least);
      size = std::max(size, edge.length);
    }
  }
  return {apart, size};
}

}  // namespace zwang::model
