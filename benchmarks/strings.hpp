/// Chains and nets of strings as sparse rows, and a clock that other programs on the machine do not disturb.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace zwang::bench {

struct Point {
  double x = 0, y = 0;
};

struct Scene {
  const char* name = "";
  std::vector<Point> points;
  std::vector<Point> unit;  ///< where the waves see the point, in the unit square
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
};

inline Scene chain(std::size_t n, double bend) {
  Scene scene{bend == 0 ? "chain" : "bent chain", {}, {}, {}};
  Point at;
  for (std::size_t k = 0; k < n; ++k) {
    const double along = static_cast<double>(k) / static_cast<double>(n);
    scene.points.push_back(at);
    scene.unit.push_back({along, 0});
    if (k + 1 < n) scene.pairs.emplace_back(static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k + 1));
    at.x += std::cos(bend * (along - 0.5));
    at.y += std::sin(bend * (along - 0.5));
  }
  return scene;
}

inline Scene net(std::size_t n) {
  const auto m = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(n))));
  const double shear = 20 * std::numbers::pi / 180;
  Scene scene{"net", {}, {}, {}};
  for (std::uint32_t j = 0; j < m; ++j) {
    for (std::uint32_t i = 0; i < m; ++i) {
      scene.points.push_back({i + j * std::sin(shear), j * std::cos(shear)});
      scene.unit.push_back({static_cast<double>(i) / m, static_cast<double>(j) / m});
      if (i + 1 < m) scene.pairs.emplace_back(j * m + i, j * m + i + 1);
      if (j + 1 < m) scene.pairs.emplace_back(j * m + i, j * m + i + m);
    }
  }
  return scene;
}

/// The rows of all strings; `moved` displaces every point by about that much.
struct Rows {
  std::vector<std::uint32_t> start{0}, column;
  std::vector<double> entry;
};

inline Rows rows_of(const Scene& scene, double moved, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<Point> points = scene.points;
  for (Point& point : points) {
    point.x += moved * normal(generator);
    point.y += moved * normal(generator);
  }
  Rows rows;
  for (const auto& [i, j] : scene.pairs) {
    const double dx = points[j].x - points[i].x;
    const double dy = points[j].y - points[i].y;
    const double length = std::hypot(dx, dy);
    rows.column.insert(rows.column.end(), {2 * i, 2 * i + 1, 2 * j, 2 * j + 1});
    rows.entry.insert(rows.entry.end(), {-dx / length, -dy / length, dx / length, dy / length});
    rows.start.push_back(static_cast<std::uint32_t>(rows.column.size()));
  }
  return rows;
}

/// Processor time of this thread in milliseconds, which other programs on the machine do not lengthen.
inline double processor_time() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// Least time of several runs, in milliseconds: at least five, at most sixty, half a second in all.
template <class Prepare, class Run>
double least_time(Prepare prepare, Run run) {
  double least = 1e300;
  double total = 0;
  for (int k = 0; k < 60 && (k < 5 || total < 500); ++k) {
    prepare(k);
    const double begin = processor_time();
    run();
    const double time = processor_time() - begin;
    least = std::min(least, time);
    total += time;
  }
  return least;
}

}  // namespace zwang::bench
