/// Gaps by the theorem of the separating axis: two convex bodies are apart where the projections onto a normal of a side, or of two edges, are.
#include "zwang/stepping/solids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "zwang/elementary/elementary.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

namespace {

using Plane = std::array<double, 2>;
using Space = std::array<double, 3>;

bool is_solid(const model::Model& model, std::uint32_t body) {
  if (body >= model.rigids.size() || model.bodies[body].kind != model::BodyKind::rigid) return false;
  const std::string& shape = model.rigids[body].shape;
  return shape == "box" || (shape == "polygon" && model.bodies[body].dimension == 3);
}

Solid solid_of(const model::Model& model, std::uint32_t body, std::uint32_t member) {
  const model::Body& one = model.bodies[body];
  const model::Rigid& rigid = model.rigids[body];
  const double* sizes = rigid.sizes.data() + std::size_t{member} * rigid.shape_sizes;
  Solid solid;
  solid.first = one.first + member * one.dimension;
  if (one.dimension == 7) {
    for (std::size_t k = 0; k < 3; ++k) solid.half[k] = sizes[k] / 2;
    solid.reach = elementary::hypot(solid.half[0], solid.half[1], solid.half[2]);
    return solid;
  }
  if (rigid.shape == "box") {
    const double x = sizes[0] / 2;
    const double y = sizes[1] / 2;
    solid.corners = {{x, y}, {-x, y}, {-x, -y}, {x, -y}};
  } else {
    for (std::uint32_t k = 0; k + 1 < rigid.shape_sizes; k += 2) solid.corners.push_back({sizes[k], sizes[k + 1]});
  }
  for (const Plane& corner : solid.corners)
    solid.reach = std::max(solid.reach, elementary::hypot(corner[0], corner[1]));
  return solid;
}

std::vector<Plane> carried(const Solid& solid, const std::vector<double>& q) {
  const double c = elementary::cos(q[solid.first + 2]);
  const double s = elementary::sin(q[solid.first + 2]);
  std::vector<Plane> out;
  for (const Plane& p : solid.corners)
    out.push_back({q[solid.first] + c * p[0] - s * p[1], q[solid.first + 1] + s * p[0] + c * p[1]});
  return out;
}

/// Of the sides of the first: the widest gap in front of one.
double gap_before_sides(const std::vector<Plane>& a, const std::vector<Plane>& b) {
  double turned = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Plane& p = a[k];
    const Plane& q = a[(k + 1) % a.size()];
    turned += p[0] * q[1] - q[0] * p[1];
  }
  double widest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Plane& p = a[k];
    const Plane& q = a[(k + 1) % a.size()];
    const double length = elementary::hypot(q[0] - p[0], q[1] - p[1]);
    if (length == 0) continue;
    const double sign = turned < 0 ? -1 / length : 1 / length;
    double least = std::numeric_limits<double>::infinity();
    for (const Plane& other : b)
      least = std::min(least, sign * ((q[1] - p[1]) * (other[0] - p[0]) - (q[0] - p[0]) * (other[1] - p[1])));
    widest = std::max(widest, least);
  }
  return widest;
}

std::array<Space, 3> axes_of(const Solid& solid, const std::vector<double>& q) {
  double w = q[solid.first + 3];
  double x = q[solid.first + 4];
  double y = q[solid.first + 5];
  double z = q[solid.first + 6];
  const double length = std::sqrt(w * w + x * x + y * y + z * z);
  w /= length;
  x /= length;
  y /= length;
  z /= length;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
           {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
           {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}};
}

double dot3(const Space& a, const Space& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

double gap_of_boxes(const SolidPair& pair, const std::vector<double>& q) {
  const std::array<Space, 3> a = axes_of(pair.a, q);
  const std::array<Space, 3> b = axes_of(pair.b, q);
  Space way{};
  for (std::uint32_t k = 0; k < 3; ++k) way[k] = q[pair.b.first + k] - q[pair.a.first + k];
  double widest = -std::numeric_limits<double>::infinity();
  const auto look = [&](const Space& n) {
    double gap = std::abs(dot3(way, n));
    for (std::size_t k = 0; k < 3; ++k)
      gap -= pair.a.half[k] * std::abs(dot3(a[k], n)) + pair.b.half[k] * std::abs(dot3(b[k], n));
    widest = std::max(widest, gap);
  };
  for (const Space& n : a) look(n);
  for (const Space& n : b) look(n);
  for (const Space& d : a) {
    for (const Space& e : b) {
      Space n = {d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]};
      const double length = std::sqrt(dot3(n, n));
      if (!(length > parallel_edges)) continue;
      for (double& x : n) x /= length;
      look(n);
    }
  }
  return widest;
}

/// The members, body and number, of which variables stand in the rows of a condition's first member.
std::vector<std::pair<std::uint32_t, std::uint32_t>> members_in(const model::Model& model,
                                                                const model::Condition& condition) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  const std::uint32_t behind = condition.first_row + condition.components;
  for (std::uint32_t e = model.row_start[condition.first_row]; e < model.row_start[behind]; ++e) {
    const std::uint32_t variable = model.row_column[e];
    const auto next = std::upper_bound(model.bodies.begin(), model.bodies.end(), variable,
                                       [](std::uint32_t v, const model::Body& body) { return v < body.first; });
    const auto body = static_cast<std::uint32_t>(next - model.bodies.begin()) - 1;
    const std::pair one(body, (variable - model.bodies[body].first) / model.bodies[body].dimension);
    if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<SolidPair> solid_pairs(const model::Model& model) {
  std::vector<SolidPair> out;
  bool any = false;
  for (std::uint32_t body = 0; body < model.bodies.size(); ++body) any = any || is_solid(model, body);
  if (!any) return out;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const model::Condition& condition : model.conditions) {
    // A contact of two as wholes: a mark has its body before a dot.
    if (condition.alternatives < 2 || condition.indices > 0 || !condition.text.starts_with("contact ")) continue;
    if (condition.text.find('.') != std::string::npos || condition.text.ends_with(" inside")) continue;
    const auto members = members_in(model, condition);
    if (members.size() != 2 || !is_solid(model, members[0].first) || !is_solid(model, members[1].first)) continue;
    SolidPair pair;
    pair.row = condition.first_row;
    pair.behind = condition.first_row + condition.rows;
    pair.in_space = model.bodies[members[0].first].dimension == 7;
    pair.a = solid_of(model, members[0].first, members[0].second);
    pair.b = solid_of(model, members[1].first, members[1].second);
    if (seen.emplace(pair.a.first, pair.b.first).second) {
      out.push_back(std::move(pair));
    } else if (out.back().a.first == pair.a.first && out.back().b.first == pair.b.first) {
      out.back().behind = pair.behind;
    }
  }
  return out;
}

double overlap(const SolidPair& pair, const std::vector<double>& position) {
  double square = 0;
  for (std::uint32_t k = 0; k < (pair.in_space ? 3U : 2U); ++k) {
    const double by = position[pair.b.first + k] - position[pair.a.first + k];
    square += by * by;
  }
  const double reach = pair.a.reach + pair.b.reach;
  if (square >= reach * reach) return 0;
  if (pair.in_space) return -gap_of_boxes(pair, position);
  const std::vector<Plane> a = carried(pair.a, position);
  const std::vector<Plane> b = carried(pair.b, position);
  return -std::max(gap_before_sides(a, b), gap_before_sides(b, a));
}

}  // namespace zwang::stepping
