/// Chains, nets and random sparse rows that the tests of the sparse backend share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "zwang/gauss.hpp"

namespace zwang::gauss::scenes {

/// A problem that owns its arrays.
struct Scene {
  linear::Mass mass;
  std::vector<double> a0, entry, h;
  std::vector<std::uint32_t> start{0}, column;
  std::vector<RowKind> kind;

  void add(const std::vector<std::pair<std::uint32_t, double>>& row, double offset,
           RowKind row_kind = RowKind::inequality) {
    for (const auto& [where, value] : row) {
      column.push_back(where);
      entry.push_back(value);
    }
    start.push_back(static_cast<std::uint32_t>(column.size()));
    h.push_back(offset);
    kind.push_back(row_kind);
  }
  [[nodiscard]] Problem problem() const { return {&mass, a0, start, column, entry, h, kind}; }
};

struct Point {
  double x = 0, y = 0;
};

/// Strings at their length between points at rest: (p_j - p_i) . (a_j - a_i) <= 0, divided by the length.
inline Scene strings(const std::vector<Point>& points,
                     const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                     const std::vector<Point>& forces) {
  Scene scene;
  scene.mass = linear::Mass(std::vector<double>(2 * points.size(), 1.0));
  if (!scene.mass.factor()) std::abort();
  for (const Point& force : forces) {
    scene.a0.push_back(force.x);
    scene.a0.push_back(force.y);
  }
  for (const auto& [i, j] : pairs) {
    const double dx = points[j].x - points[i].x;
    const double dy = points[j].y - points[i].y;
    const double length = std::hypot(dx, dy);
    scene.add({{2 * i, -dx / length}, {2 * i + 1, -dy / length}, {2 * j, dx / length}, {2 * j + 1, dy / length}}, 0.0);
  }
  return scene;
}

/// Independent normal forces, or a few low waves over the unit square.
inline std::vector<Point> forces(const std::vector<Point>& where, bool smooth, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<Point> result;
  if (!smooth) {
    for (std::size_t k = 0; k < where.size(); ++k) {
      const double x = normal(generator);
      result.push_back({x, normal(generator)});
    }
    return result;
  }
  double amplitude[2][3][3], phase[2][3][3];
  for (auto* table : {&amplitude, &phase}) {
    for (auto& plane : *table) {
      for (auto& line : plane) {
        for (double& value : line) value = normal(generator);
      }
    }
  }
  for (const Point& u : where) {
    double sum[2] = {0, 0};
    for (int d = 0; d < 2; ++d) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          sum[d] += amplitude[d][i][j] * std::cos(std::numbers::pi * (i * u.x + j * u.y) + phase[d][i][j]);
        }
      }
    }
    result.push_back({sum[0], sum[1]});
  }
  return result;
}

/// A free chain of n points; `bend` is the angle its direction turns through from end to end.
inline Scene chain(std::size_t n, double bend, bool smooth, std::uint64_t seed) {
  std::vector<Point> points(n), unit(n);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t k = 0; k < n; ++k) {
    unit[k] = {static_cast<double>(k) / static_cast<double>(n), 0};
    if (k == 0) continue;
    const double angle = bend * unit[k].x;
    points[k] = {points[k - 1].x + std::cos(angle), points[k - 1].y + std::sin(angle)};
    pairs.emplace_back(static_cast<std::uint32_t>(k - 1), static_cast<std::uint32_t>(k));
  }
  return strings(points, pairs, forces(unit, smooth, seed));
}

/// A free square net of m x m points, sheared by an angle in degrees.
inline Scene net(std::uint32_t m, double shear, bool smooth, std::uint64_t seed) {
  std::vector<Point> points, unit;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  const double angle = shear * std::numbers::pi / 180;
  for (std::uint32_t j = 0; j < m; ++j) {
    for (std::uint32_t i = 0; i < m; ++i) {
      points.push_back({i + j * std::sin(angle), j * std::cos(angle)});
      unit.push_back({static_cast<double>(i) / m, static_cast<double>(j) / m});
      if (i + 1 < m) pairs.emplace_back(j * m + i, j * m + i + 1);
      if (j + 1 < m) pairs.emplace_back(j * m + i, j * m + i + m);
    }
  }
  return strings(points, pairs, forces(unit, smooth, seed));
}

/// Random rows of up to `width` entries. `whole` entries are small integers, so that rows are often dependent and signs
/// often tie; `feasible` rows all admit one planted point.
struct Random {
  std::uint32_t n = 10, rows = 10, width = 3;
  bool whole = false, feasible = true, equations = true, blocks = false;
};

inline Scene random(const Random& what, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(generator));
  };
  const auto number = [&] { return what.whole ? static_cast<double>(below(5)) - 2.0 : normal(generator); };
  Scene scene;

  // Masses: diagonal, or with two dense blocks.
  if (!what.blocks) {
    std::vector<double> diagonal(what.n);
    for (double& m : diagonal) m = what.whole ? 1.0 : 0.5 + 1.5 * uniform(generator);
    scene.mass = linear::Mass(diagonal);
  } else {
    std::vector<std::vector<std::uint32_t>> blocks(2);
    for (std::uint32_t i = 0; i < what.n; ++i) {
      if (i % 3 < 2) blocks[i % 3].push_back(i);
    }
    scene.mass = linear::Mass(what.n, blocks);
    for (std::uint32_t i = 0; i < what.n; ++i) {
      if (i % 3 == 2) {
        scene.mass.add_diagonal(i, 1.0 + uniform(generator));
        continue;
      }
      for (std::uint32_t j : blocks[i % 3]) {
        if (j < i) scene.mass.add(i, j, 0.5 * normal(generator) / what.n);
      }
      scene.mass.add(i, i, 2.0 + uniform(generator));
    }
  }
  if (!scene.mass.factor()) std::abort();

  // The free motion and a point that satisfies all rows.
  std::vector<double> planted(what.n);
  for (std::uint32_t i = 0; i < what.n; ++i) {
    scene.a0.push_back(number());
    planted[i] = number();
  }
  for (std::uint32_t k = 0; k < what.rows; ++k) {
    std::vector<std::uint32_t> places;
    for (std::uint32_t s = 0; s < what.width; ++s) places.push_back(below(what.n));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::vector<std::pair<std::uint32_t, double>> row;
    double value = 0;
    for (const std::uint32_t place : places) {
      const double x = number();
      row.emplace_back(place, x);
      value += x * planted[place];
    }
    const RowKind kind = what.equations && below(6) == 0 ? RowKind::equation : RowKind::inequality;
    double slack = 0;
    if (kind == RowKind::inequality && below(2) == 0) slack = what.whole ? below(2) : uniform(generator);
    scene.add(row, what.feasible ? -value - slack : number(), kind);
  }
  return scene;
}

}  // namespace zwang::gauss::scenes
