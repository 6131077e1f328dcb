/// What stands in solids.hpp.
///
/// With m the mass: box a, b, c   m (b^2 + c^2) / 12, ...;  ball   2 m r^2 / 5;  cylinder   m r^2 / 2 about its axis and
/// m (3 r^2 + h^2) / 12 across;  capsule: cylinder and two half balls, those at h/2 + 3 r/8 from the middle;  rod   m h^2 / 12 across, 0
/// about itself;  disc   m r^2 / 2;  polygon: the sum over its triangles with the origin.
#include "zwang/model/compile/solids.hpp"

#include <cmath>

#include "zwang/base/number.hpp"

namespace zwang::model {

namespace {

/// The numbers of a key of a shape, all greater than zero.
std::vector<double> sizes(Compilation& work, const Field& field, std::size_t count) {
  const Syntax syntax = work.formulas.expression(field.value);
  const Traced value = work.compute(syntax, "a size");
  if (value.parts() != count) {
    throw work.formulas.error(syntax, fmt::format("`{}` takes {} number{}; here stand {}", field.key, count,
                                                  count == 1 ? "" : "s", value.parts()));
  }
  std::vector<double> out;
  for (std::size_t c = 0; c < count; ++c) {
    const double size = value.part[c].value;
    const bool between_balls = field.key == "capsule" && c == 1;
    if (!(size > 0) && !(between_balls && size == 0)) {
      throw work.formulas.error(
          syntax, fmt::format("the sizes of `{}` must be greater than zero; here stands {}", field.key, exact(size)));
    }
    out.push_back(size);
  }
  return out;
}

/// On which hand of the line from p to q does r lie?
int hand(const std::array<double, 2>& p, const std::array<double, 2>& q, const std::array<double, 2>& r) {
  const double turn = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  return turn > 0 ? 1 : turn < 0 ? -1 : 0;
}

/// Corners that are not given in their order round the body make sides that cross.
void refuse_crossing_sides(const Compilation& work, const Field& field,
                           const std::vector<std::array<double, 2>>& corners) {
  const std::size_t n = corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto& a = corners[i];
    const auto& b = corners[(i + 1) % n];
    for (std::size_t k = i + 2; k < n; ++k) {
      const auto& c = corners[k];
      const auto& d = corners[(k + 1) % n];
      if (hand(a, b, c) * hand(a, b, d) >= 0 || hand(c, d, a) * hand(c, d, b) >= 0) continue;
      throw work.source.error(
          field.value.place,
          fmt::format("the side from corner {} to {} of this polygon crosses that from {} to {}: give the corners in "
                      "their order round the body",
                      i + 1, i + 2, k + 1, (k + 1) % n + 1));
    }
  }
}

Solid polygon(Compilation& work, const Field& field) {
  std::vector<std::array<double, 2>> corners;
  for (const Value& item : field.value.items) {
    const Syntax syntax = work.formulas.expression(item);
    const Traced corner = work.compute(syntax, "a corner");
    if (corner.size != 2) throw work.formulas.error(syntax, "the corners of a polygon have 2 components");
    corners.push_back({corner.part[0].value, corner.part[1].value});
  }
  if (corners.size() < 3) throw work.source.error(field.value.place, "a polygon has at least 3 corners");
  refuse_crossing_sides(work, field, corners);
  // About the first corner, so that a polygon far from the origin loses no digits.
  const std::array<double, 2> base = corners[0];
  double area = 0;
  std::array<double, 2> first{0, 0};
  double second = 0;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const auto& p = corners[k];
    const auto& q = corners[(k + 1) % corners.size()];
    const std::array<double, 2> a = {p[0] - base[0], p[1] - base[1]};
    const std::array<double, 2> b = {q[0] - base[0], q[1] - base[1]};
    const double twice = a[0] * b[1] - a[1] * b[0];
    area += twice / 2;
    for (std::size_t c = 0; c < 2; ++c) first.at(c) += twice * (a.at(c) + b.at(c)) / 6;
    for (std::size_t c = 0; c < 2; ++c) {
      second += twice * (a.at(c) * a.at(c) + a.at(c) * b.at(c) + b.at(c) * b.at(c)) / 12;
    }
  }
  if (area == 0) throw work.source.error(field.value.place, "the corners of this polygon lie on one line");
  const std::array<double, 2> arm = {first[0] / area, first[1] / area};
  Solid out;
  out.volume = std::abs(area);
  out.inertia[0] = second / area - (arm[0] * arm[0] + arm[1] * arm[1]);
  out.centre = {base[0] + arm[0], base[1] + arm[1]};
  for (const auto& corner : corners) {
    for (std::size_t c = 0; c < 2; ++c) out.sizes.push_back(corner.at(c) - out.centre.at(c));
  }
  return out;
}

}  // namespace

Solid read_solid(Compilation& work, const Value& shape, std::uint32_t place) {
  if (shape.fields.size() != 1) {
    throw work.source.error(
        shape.place, "`shape` has one key: " +
                         std::string(place == 3 ? "box, ball, cylinder, capsule or rod" : "box, disc, polygon or rod"));
  }
  const Field& field = shape.fields[0];
  const bool plane = place == 2;
  const auto where = [&](bool belongs) {
    if (belongs) return;
    throw work.source.error(field.place,
                            plane ? fmt::format("`{}` is a shape in space; in the plane there are box, disc, "
                                                "polygon and rod",
                                                field.key)
                                  : fmt::format("`{}` is a shape in the plane; in space there are box, ball, "
                                                "cylinder, capsule and rod",
                                                field.key));
  };
  Solid out;
  if (field.key == "box") {
    const std::vector<double> a = sizes(work, field, place);
    out.sizes = a;
    out.volume = a[0] * a[1] * (plane ? 1 : a[2]);
    if (plane) {
      out.inertia = {(a[0] * a[0] + a[1] * a[1]) / 12, 0, 0};
    } else {
      for (std::size_t k = 0; k < 3; ++k) {
        const double b = a[(k + 1) % 3];
        const double c = a[(k + 2) % 3];
        out.inertia.at(k) = (b * b + c * c) / 12;
      }
    }
  } else if (field.key == "rod") {
    const double h = sizes(work, field, 1)[0];
    out.sizes = {h};
    out.volume = h;
    out.inertia = plane ? std::array<double, 3>{h * h / 12, 0, 0} : std::array<double, 3>{0, h * h / 12, h * h / 12};
  } else if (field.key == "ball") {
    where(!plane);
    const double r = sizes(work, field, 1)[0];
    out.sizes = {r};
    out.volume = 4 * number_pi / 3 * r * r * r;
    out.inertia.fill(2 * r * r / 5);
  } else if (field.key == "disc") {
    where(plane);
    const double r = sizes(work, field, 1)[0];
    out.sizes = {r};
    out.volume = number_pi * r * r;
    out.inertia[0] = r * r / 2;
  } else if (field.key == "polygon") {
    where(plane);
    out = polygon(work, field);
  } else {
    where(!plane);
    const std::vector<double> size = sizes(work, field, 2);
    out.sizes = size;
    const double r = size[0];
    const double h = size[1];
    const double middle = number_pi * r * r * h;
    const double ends = field.key == "capsule" ? 4 * number_pi / 3 * r * r * r : 0.0;
    out.volume = middle + ends;
    const double about = middle * r * r / 2 + ends * 2 * r * r / 5;
    const double across = middle * (3 * r * r + h * h) / 12 + ends * (2 * r * r / 5 + h * h / 4 + 3 * h * r / 8);
    out.inertia = {across / out.volume, across / out.volume, about / out.volume};
  }
  return out;
}

}  // namespace zwang::model
