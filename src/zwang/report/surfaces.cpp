/// Planes, quadrics and samples of zero sets.
///
///   quadric: x.A x + b.x + c = 0 through all places found: the null space of the matrix of their monomials
///   sphere: A ~ I;   cylinder: eigenvalues 0, a, a and b along the first 0;   cone: eigenvalues a, a, -k, zero at its centre
///
/// Symbols: places are taken relative to their mean and extent before they are fitted.
#include "zwang/report/surfaces.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <random>
#include <unordered_map>

#include "zwang/elementary/elementary.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace {

Vector operator+(const Vector& a, const Vector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector operator*(double s, const Vector& a) { return {s * a[0], s * a[1], s * a[2]}; }
double norm(const Vector& a) { return elementary::hypot(a[0], a[1], a[2]); }

/// Evenly in [-1, 1], the same on every machine.
class SurfaceDice {
 public:
  double next() { return std::ldexp(static_cast<double>(engine_() >> 11U), -52) - 1.0; }
  Vector vector(unsigned dimension) { return {next(), next(), dimension == 3 ? next() : 0.0}; }

 private:
  std::mt19937_64 engine_{20240229};
};

/// All places on the surface to this part of their extent.
constexpr double exactness = 1e-9;

/// Places of the zero set with the direction in which f grows there.
struct Places {
  std::vector<Vector> at;
  std::vector<Vector> outward;
  Vector centre{0, 0, 0};
  double extent = 1;
};

Places gather(const Field& field, const Vector& near, double size) {
  Places out;
  const std::optional<Vector> first = find_zero(field, near, size);
  const double reach = std::fmax(size, first ? norm(*first - near) : 0.0);
  SurfaceDice dice;
  constexpr double scales[] = {1, 1, 3, 10, 100};
  constexpr int wanted = 60;
  for (int k = 0; k < 6 * wanted && out.at.size() < wanted; ++k) {
    const double scale = scales[k % 5] * reach;
    const Vector middle = first && k % 2 == 0 ? *first : near;
    const std::optional<Vector> zero =
        k == 0 ? first : find_zero(field, middle + scale * dice.vector(field.dimension), scale);
    if (!zero || norm(*zero - near) > 1000 * reach) {
      continue;
    }
    Vector gradient;
    const double value = field.value(*zero, gradient);
    const double length = norm(gradient);
    if (!std::isfinite(value) || !(length > 0) || !std::isfinite(length)) {
      continue;
    }
    out.at.push_back(*zero);
    out.outward.push_back((1 / length) * gradient);
  }
  if (out.at.empty()) {
    return out;
  }
  for (const Vector& x : out.at) {
    out.centre = out.centre + (1.0 / static_cast<double>(out.at.size())) * x;
  }
  out.extent = 0;
  for (const Vector& x : out.at) {
    out.extent = std::fmax(out.extent, norm(x - out.centre));
  }
  return out;
}

std::optional<Surface> as_plane(const Places& places) {
  const Vector normal = places.outward[0];
  const double offset = dot(normal, places.at[0]);
  for (const Vector& x : places.at) {
    if (std::abs(dot(normal, x - places.at[0])) > exactness * places.extent) {
      return {};
    }
  }
  Surface out;
  out.kind = SurfaceKind::plane;
  out.numbers = {normal[0], normal[1], normal[2], offset};
  return out;
}

/// The quadric in the coordinates (x - centre) / extent.
struct Quadric {
  linear::Matrix a;
  Vector b{0, 0, 0};
  double c = 0;
};

std::optional<Quadric> fit_quadric(const Places& places, unsigned dimension) {
  const std::size_t monomials = dimension == 3 ? 10 : 6;
  if (places.at.size() < 2 * monomials) {
    return {};
  }
  linear::Matrix rows(places.at.size(), monomials);
  for (std::size_t r = 0; r < places.at.size(); ++r) {
    const Vector y = (1 / places.extent) * (places.at[r] - places.centre);
    std::size_t m = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      for (std::size_t j = i; j < dimension; ++j) {
        rows(r, m++) = y[i] * y[j];
      }
    }
    for (std::size_t i = 0; i < dimension; ++i) {
      rows(r, m++) = y[i];
    }
    rows(r, m) = 1;
  }
  const linear::Matrix null = linear::null_space(rows, quadric_rank);
  if (null.columns != 1) {
    return {};
  }
  Quadric out;
  out.a = linear::Matrix(dimension, dimension);
  std::size_t m = 0;
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = i; j < dimension; ++j, ++m) {
      out.a(i, j) = out.a(j, i) = i == j ? null(m, 0) : 0.5 * null(m, 0);
    }
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    out.b[i] = null(m++, 0);
  }
  out.c = null(m, 0);
  return out;
}

/// Distance from the surface, positive outside: what is verified at every place.
double distance_from(const Surface& surface, const Vector& x) {
  const std::vector<double>& n = surface.numbers;
  const Vector from = x - Vector{n[0], n[1], n[2]};
  if (surface.kind == SurfaceKind::sphere) {
    return norm(from) - n[3];
  }
  const Vector axis{n[3], n[4], n[5]};
  const double along = dot(axis, from);
  const double across = norm(from - along * axis);
  if (surface.kind == SurfaceKind::cylinder) {
    return across - n[6];
  }
  return across * elementary::cos(n[6]) - std::abs(along) * elementary::sin(n[6]);
}

/// Away from the centre or the axis.
Vector away_from(const Surface& surface, const Vector& x) {
  const std::vector<double>& n = surface.numbers;
  const Vector from = x - Vector{n[0], n[1], n[2]};
  if (surface.kind == SurfaceKind::sphere) {
    return from;
  }
  const Vector axis{n[3], n[4], n[5]};
  return from - dot(axis, from) * axis;
}

/// All places lie on it, and f grows to one side everywhere.
bool verify(Surface& surface, const Places& places) {
  double size = places.extent;
  int outwards = 0;
  for (std::size_t k = 0; k < places.at.size(); ++k) {
    if (!(std::abs(distance_from(surface, places.at[k])) <= exactness * size)) {
      return false;
    }
    outwards += dot(places.outward[k], away_from(surface, places.at[k])) >= 0 ? 1 : -1;
  }
  surface.side = outwards >= 0 ? 1 : -1;
  return std::abs(outwards) * 2 > static_cast<int>(places.at.size());
}

std::optional<Surface> as_quadric(const Places& places, unsigned dimension) {
  const std::optional<Quadric> quadric = fit_quadric(places, dimension);
  if (!quadric) {
    return {};
  }
  const linear::SymmetricEigen eigen = linear::symmetric_eigen(quadric->a);
  const std::vector<double>& value = eigen.values;
  const double largest = std::fmax(std::abs(value.front()), std::abs(value.back()));
  const auto same = [&](double p, double q) { return std::abs(p - q) <= same_axis * largest; };
  const auto direction = [&](std::size_t k) {
    Vector out{0, 0, 0};
    for (std::size_t i = 0; i < dimension; ++i) {
      out[i] = eigen.vectors(i, k);
    }
    return out;
  };
  const auto place = [&](const Vector& y) { return places.centre + places.extent * y; };
  Surface out;

  // Sphere or circle.
  if (same(value.front(), value.back()) && largest > 0) {
    double a = 0;
    for (const double v : value) {
      a += v / dimension;
    }
    const Vector centre = (-0.5 / a) * quadric->b;
    const double square = dot(centre, centre) - quadric->c / a;
    if (!(square > 0)) {
      return {};
    }
    const Vector x = place(centre);
    out.kind = SurfaceKind::sphere;
    out.numbers = {x[0], x[1], x[2], places.extent * std::sqrt(square)};
    return verify(out, places) ? std::optional(out) : std::nullopt;
  }
  if (dimension == 2) {
    return {};
  }

  // Which two are equal, and the third.
  const bool low_pair = same(value[0], value[1]);
  if (!low_pair && !same(value[1], value[2])) {
    return {};
  }
  const std::size_t single = low_pair ? 2 : 0;
  const double a = low_pair ? 0.5 * (value[0] + value[1]) : 0.5 * (value[1] + value[2]);
  Vector axis = direction(single);
  const std::size_t others[2] = {low_pair ? std::size_t{0} : std::size_t{1},
                                 low_pair ? std::size_t{1} : std::size_t{2}};
  Vector centre{0, 0, 0};
  double rest = quadric->c;
  for (const std::size_t k : others) {
    const double slope = dot(quadric->b, direction(k));
    centre = centre + (-0.5 * slope / a) * direction(k);
    rest -= 0.25 * slope * slope / a;
  }
  if (same(value[single], 0) && !same(a, 0)) {
    const double square = -rest / a;
    if (!(square > 0)) {
      return {};
    }
    const Vector x = place(centre);
    out.kind = SurfaceKind::cylinder;
    out.numbers = {x[0], x[1], x[2], axis[0], axis[1], axis[2], places.extent * std::sqrt(square)};
    return verify(out, places) ? std::optional(out) : std::nullopt;
  }
  if (a * value[single] < 0) {
    const double slope = dot(quadric->b, axis);
    centre = centre + (-0.5 * slope / value[single]) * axis;
    const Vector x = place(centre);
    // Along the half on which the places are.
    int along = 0;
    for (const Vector& p : places.at) {
      along += dot(axis, p - x) >= 0 ? 1 : -1;
    }
    if (along < 0) {
      axis = -1.0 * axis;
    }
    out.kind = SurfaceKind::cone;
    out.both = std::abs(along) < static_cast<int>(places.at.size());
    out.numbers = {x[0], x[1], x[2], axis[0], axis[1], axis[2], elementary::atan(std::sqrt(-value[single] / a))};
    return verify(out, places) ? std::optional(out) : std::nullopt;
  }
  return {};
}

/// Numbers that are zero or whole but for rounding are written so.
void tidy(Surface& surface, const Places& places) {
  const bool plane = surface.kind == SurfaceKind::plane;
  for (std::size_t k = 0; k < surface.numbers.size(); ++k) {
    const bool direction = plane ? k < 3 : surface.kind != SurfaceKind::sphere && k >= 3 && k < 6;
    const bool angle = surface.kind == SurfaceKind::cone && k == 6;
    const double size = direction || angle ? 1.0 : places.extent;
    double& number = surface.numbers[k];
    if (std::abs(number) < clean_digits * size) {
      number = 0;
    } else if (direction && std::abs(std::abs(number) - 1) < clean_digits) {
      number = number > 0 ? 1 : -1;
    }
  }
}

}  // namespace

std::optional<Vector> find_zero(const Field& field, Vector start, double size) {
  Vector x = start;
  for (int step = 0; step < 120; ++step) {
    Vector gradient;
    const double value = field.value(x, gradient);
    const double square = dot(gradient, gradient);
    if (!std::isfinite(value) || !(square > 0) || !std::isfinite(square)) {
      return {};
    }
    Vector change = (-value / square) * gradient;
    const double length = norm(change);
    // Far from the zero set a step must not leave the picture.
    if (length > 100 * size) {
      change = (100 * size / length) * change;
    }
    x = x + change;
    if (length <= on_surface * (norm(x) + size)) {
      return x;
    }
    if (step > 60 && length <= nearly_on_surface * (norm(x) + size)) {
      return x;
    }
  }
  return {};
}

Surface recognise(const Field& field, const Vector& near, double size) {
  Surface out;
  const Places places = gather(field, near, size);
  if (places.at.empty()) {
    return out;
  }
  if (places.at.size() >= 12 && places.extent > 0) {
    if (const std::optional<Surface> plane = as_plane(places)) {
      out = *plane;
    } else if (const std::optional<Surface> quadric = as_quadric(places, field.dimension)) {
      out = *quadric;
    } else {
      out.kind = SurfaceKind::other;
      return out;
    }
    tidy(out, places);
    return out;
  }
  out.kind = SurfaceKind::other;
  return out;
}

namespace {

/// Corners on edges between grid points of different sign, one for each edge.
class Corners {
 public:
  Corners(const Field& field, Mesh& mesh) : field_(field), mesh_(mesh) {}

  std::uint32_t between(std::uint64_t a, std::uint64_t b, const Vector& at_a, const Vector& at_b, double f_a,
                        double f_b) {
    const std::uint64_t key = std::min(a, b) << 32U | std::max(a, b);
    const auto [found, fresh] =
        known_.try_emplace(key, static_cast<std::uint32_t>(mesh_.vertices.size() / field_.dimension));
    if (fresh) {
      const Vector x = cut(at_a, at_b, f_a, f_b);
      mesh_.vertices.insert(mesh_.vertices.end(), x.begin(), x.begin() + field_.dimension);
    }
    return found->second;
  }

 private:
  /// Where f changes its sign on the edge: a few steps of the false position, kept inside. An end that stays counts half as much every time, else the steps
  /// would be short where f has a corner on the edge.
  [[nodiscard]] Vector cut(const Vector& a, const Vector& b, double f_a, double f_b) const {
    double low = 0;
    double high = 1;
    double u = 0.5;
    int stayed = 0;  // below or above, as often in a row
    for (int step = 0; step < 14; ++step) {
      u = low + (high - low) * std::clamp(f_a / (f_a - f_b), 0.05, 0.95);
      Vector gradient;
      const double value = field_.value(a + u * (b - a), gradient);
      if (!std::isfinite(value) || value == 0) {
        break;
      }
      if ((value < 0) == (f_a < 0)) {
        low = u;
        f_a = value;
        stayed = std::max(stayed, 0) + 1;
        if (stayed > 1) f_b /= 2;
      } else {
        high = u;
        f_b = value;
        stayed = std::min(stayed, 0) - 1;
        if (stayed < -1) f_a /= 2;
      }
    }
    return a + u * (b - a);
  }

  const Field& field_;
  Mesh& mesh_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

struct GridPoint {
  std::uint64_t number = 0;
  Vector at{0, 0, 0};
  double value = 0;
};

/// Triangles of one tetrahedron, the side on which f grows in front.
void cut_tetrahedron(const Field& field, const std::array<GridPoint, 4>& corner, Corners& corners, Mesh& mesh) {
  std::vector<std::size_t> inside;
  std::vector<std::size_t> outside;
  for (std::size_t k = 0; k < 4; ++k) {
    (corner[k].value < 0 ? inside : outside).push_back(k);
  }
  if (inside.empty() || outside.empty()) {
    return;
  }
  const auto between = [&](std::size_t i, std::size_t j) {
    return corners.between(corner[i].number, corner[j].number, corner[i].at, corner[j].at, corner[i].value,
                           corner[j].value);
  };
  const auto place = [&](std::uint32_t v) {
    return Vector{mesh.vertices[3 * v], mesh.vertices[3 * v + 1], mesh.vertices[3 * v + 2]};
  };
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const Vector pa = place(a);
    const Vector normal = cross(place(b) - pa, place(c) - pa);
    Vector gradient;
    field.value((1.0 / 3) * (pa + place(b) + place(c)), gradient);
    if (dot(normal, gradient) < 0) {
      std::swap(b, c);
    }
    mesh.corners.insert(mesh.corners.end(), {a, b, c});
  };
  if (inside.size() == 2) {
    const std::uint32_t a = between(inside[0], outside[0]);
    const std::uint32_t b = between(inside[0], outside[1]);
    const std::uint32_t c = between(inside[1], outside[1]);
    const std::uint32_t d = between(inside[1], outside[0]);
    add(a, b, c);
    add(a, c, d);
    return;
  }
  const std::vector<std::size_t>& lone = inside.size() == 1 ? inside : outside;
  const std::vector<std::size_t>& rest = inside.size() == 1 ? outside : inside;
  add(between(lone[0], rest[0]), between(lone[0], rest[1]), between(lone[0], rest[2]));
}

Mesh sample_surface(const Field& field, const Vector& low, const Vector& high) {
  constexpr std::size_t count = 29;
  Mesh mesh;
  Corners corners(field, mesh);
  std::vector<GridPoint> grid(count * count * count);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const std::size_t index[3] = {i % count, i / count % count, i / (count * count)};
    grid[i].number = i;
    for (std::size_t c = 0; c < 3; ++c) {
      grid[i].at[c] = low[c] + (high[c] - low[c]) * static_cast<double>(index[c]) / (count - 1);
    }
    Vector gradient;
    grid[i].value = field.value(grid[i].at, gradient);
  }

  // Six tetrahedra around the diagonal of every cube.
  constexpr std::size_t paths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
  for (std::size_t z = 0; z + 1 < count; ++z) {
    for (std::size_t y = 0; y + 1 < count; ++y) {
      for (std::size_t x = 0; x + 1 < count; ++x) {
        const auto corner = [&](std::size_t bits) -> const GridPoint& {
          return grid[(z + (bits >> 2U)) * count * count + (y + (bits >> 1U & 1U)) * count + x + (bits & 1U)];
        };
        for (const auto& path : paths) {
          const std::array<GridPoint, 4> tetrahedron = {corner(0), corner(path[0]), corner(path[1]), corner(7)};
          const bool known = std::all_of(tetrahedron.begin(), tetrahedron.end(),
                                         [](const GridPoint& p) { return std::isfinite(p.value); });
          if (known) {
            cut_tetrahedron(field, tetrahedron, corners, mesh);
          }
        }
      }
    }
  }
  return mesh;
}

/// Where the curve through two places, each with its own direction, has its corner; none if it hardly turns, or elsewhere.
std::optional<Vector> corner_between(const Field& field, const Vector& p, const Vector& q, double cell) {
  Vector m;
  Vector n;
  field.value(p, m);
  field.value(q, n);
  const double turn = m[0] * n[1] - m[1] * n[0];
  if (!(std::abs(turn) > sharp_turn * norm(m) * norm(n))) return {};
  // m (x - p) = 0 and n (x - q) = 0.
  const double a = dot(m, p);
  const double b = dot(n, q);
  const Vector x{(a * n[1] - b * m[1]) / turn, (m[0] * b - n[0] * a) / turn, 0};
  if (!(norm(x - p) <= cell && norm(x - q) <= cell)) return {};
  return x;
}

Mesh sample_plane_curve(const Field& field, const Vector& low, const Vector& high, std::size_t count) {
  Mesh mesh;
  Corners corners(field, mesh);
  std::vector<GridPoint> grid(count * count);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const std::size_t index[2] = {i % count, i / count};
    grid[i].number = i;
    for (std::size_t c = 0; c < 2; ++c) {
      grid[i].at[c] = low[c] + (high[c] - low[c]) * static_cast<double>(index[c]) / static_cast<double>(count - 1);
    }
    Vector gradient;
    grid[i].value = field.value(grid[i].at, gradient);
  }
  const double diagonal = norm(high - low) / static_cast<double>(count - 1);

  // Two triangles in every square, each cut by one segment or none.
  for (std::size_t y = 0; y + 1 < count; ++y) {
    for (std::size_t x = 0; x + 1 < count; ++x) {
      const std::size_t at = y * count + x;
      for (const std::array<std::size_t, 3>& triangle :
           {std::array{at, at + 1, at + count + 1}, std::array{at, at + count, at + count + 1}}) {
        std::vector<std::uint32_t> ends;
        for (std::size_t k = 0; k < 3; ++k) {
          const GridPoint& a = grid[triangle[k]];
          const GridPoint& b = grid[triangle[(k + 1) % 3]];
          if (std::isfinite(a.value) && std::isfinite(b.value) && (a.value < 0) != (b.value < 0)) {
            ends.push_back(corners.between(a.number, b.number, a.at, b.at, a.value, b.value));
          }
        }
        if (ends.size() != 2) continue;
        // A corner of the curve within the triangle would be cut off.
        const auto vertex = [&](std::uint32_t k) { return Vector{mesh.vertices[2 * k], mesh.vertices[2 * k + 1], 0}; };
        if (const auto corner = corner_between(field, vertex(ends[0]), vertex(ends[1]), diagonal)) {
          const auto middle = static_cast<std::uint32_t>(mesh.vertices.size() / 2);
          mesh.vertices.insert(mesh.vertices.end(), corner->begin(), corner->begin() + 2);
          mesh.corners.insert(mesh.corners.end(), {ends[0], middle, middle, ends[1]});
        } else {
          mesh.corners.insert(mesh.corners.end(), ends.begin(), ends.end());
        }
      }
    }
  }
  return mesh;
}

/// Onto both surfaces: the least change that lets f and g vanish.
bool settle(const Field& f, const Field& g, Vector& x, Vector& tangent, double size) {
  for (int step = 0; step < 40; ++step) {
    Vector p;
    Vector q;
    const double u = f.value(x, p);
    const double v = g.value(x, q);
    const double pp = dot(p, p);
    const double pq = dot(p, q);
    const double qq = dot(q, q);
    const double determinant = pp * qq - pq * pq;
    if (!std::isfinite(determinant) || !(determinant > parallel_normals * pp * qq) || !std::isfinite(u) ||
        !std::isfinite(v)) {
      return false;
    }
    const double a = (u * qq - v * pq) / determinant;
    const double b = (v * pp - u * pq) / determinant;
    const Vector change = a * p + b * q;
    x = x - change;
    tangent = cross(p, q);
    tangent = (1 / norm(tangent)) * tangent;
    if (norm(change) <= on_crossing * size) {
      return true;
    }
  }
  return false;
}

}  // namespace

Mesh sample_mesh(const Field& field, const Vector& low, const Vector& high, bool coarse) {
  return field.dimension == 3 ? sample_surface(field, low, high)
                              : sample_plane_curve(field, low, high, coarse ? 81 : 161);
}

std::vector<Vector> trace_curve(const Field& f, const Field& g, const Vector& start, const Vector& low,
                                const Vector& high) {
  const double size = std::fmax(high[0] - low[0], std::fmax(high[1] - low[1], high[2] - low[2]));
  const auto inside = [&](const Vector& x) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (x[c] < low[c] || x[c] > high[c]) {
        return false;
      }
    }
    return true;
  };
  Vector first = start;
  Vector tangent;
  if (!settle(f, g, first, tangent, size)) {
    return {};
  }

  // Forth, and if it does not come back, the other way too.
  std::vector<Vector> line{first};
  constexpr std::size_t most = 3000;
  for (const double sense : {1.0, -1.0}) {
    std::vector<Vector> part;
    Vector x = first;
    Vector along;
    if (!settle(f, g, x, along, size)) {
      break;
    }
    along = sense * along;
    double h = size / 200;
    while (part.size() < most && inside(x)) {
      Vector next = x + h * along;
      Vector direction;
      const bool there = settle(f, g, next, direction, size);
      if (there && dot(direction, along) < 0) {
        direction = -1.0 * direction;
      }
      if (!there || dot(direction, along) < 0.98 || norm(next - x) > 1.5 * h) {
        h *= 0.5;
        if (h < shortest_stride * size) {
          break;
        }
        continue;
      }
      x = next;
      along = direction;
      part.push_back(x);
      h = std::fmin(1.3 * h, size / 100);
      if (part.size() > 4 && norm(x - first) < 1.2 * h && dot(first - x, along) >= 0) {
        part.push_back(first);
        line.insert(line.end(), part.begin(), part.end());
        return line;
      }
    }
    if (sense > 0) {
      line.insert(line.end(), part.begin(), part.end());
    } else {
      line.insert(line.begin(), part.rbegin(), part.rend());
    }
  }
  return line;
}

}  // namespace zwang::report
