/// The nearest-point solver alone: a target runs round a polygon, its nearest point inside follows; then a contradiction.
///
/// The polygon has six sides, n_i . a <= 1 with n_i on the unit circle. A target outside has its nearest point on a side (one
/// row binds) or in a corner (two rows bind). The rows never change, so each solve starts from the set of the last one.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "zwang/gauss/solve.hpp"
#include "zwang/gauss/verify.hpp"

namespace {

namespace gauss = zwang::gauss;
using gauss::RowKind;

constexpr double pi = 3.14159265358979323846;

}  // namespace

int main() {
  // Six sides, sparse by rows: row i has the entries start[i] up to start[i + 1].
  std::vector<std::uint32_t> start = {0};
  std::vector<std::uint32_t> column;
  std::vector<double> entry;
  std::vector<double> h;
  std::vector<RowKind> kind;
  const auto add_row = [&](double x, double y, double offset) {
    column.insert(column.end(), {0, 1});
    entry.insert(entry.end(), {x, y});
    start.push_back(static_cast<std::uint32_t>(entry.size()));
    h.push_back(offset);
    kind.push_back(RowKind::inequality);
  };
  for (int side = 0; side < 6; ++side) add_row(std::cos(side * pi / 3), std::sin(side * pi / 3), -1);

  // The metric: a step in y counts like a step in x. Factored once.
  zwang::linear::Mass mass({1, 1});
  if (!mass.factor()) return 1;

  // The target goes round in steps of 30 degrees; the workspace remembers which rows held.
  gauss::Workspace workspace;
  gauss::Solution solution;
  gauss::Options options;
  options.warm = true;
  std::vector<double> scratch;
  std::printf("angle  nearest point          binding sides   residual\n");
  for (int angle = 0; angle <= 180; angle += 30) {
    const std::vector<double> target = {2 * std::cos(angle * pi / 180), 2 * std::sin(angle * pi / 180)};
    const gauss::Problem problem{&mass, target, start, column, entry, h, kind};
    gauss::solve(problem, options, workspace, solution);
    if (solution.status != gauss::Status::solved) return 1;
    const double residual = gauss::verify(problem, solution.a, solution.lambda, scratch).worst();
    if (residual > 1e-14) return 1;
    std::printf("%5d  (%8.5f, %8.5f) ", angle, solution.a[0], solution.a[1]);
    for (std::size_t i = 0; i < h.size(); ++i) {
      if (solution.lambda[i] > 1e-12) std::printf("  %zu", i);
    }
    std::printf("   %.0e\n", residual);
  }

  // A seventh row that no point of the polygon satisfies: x >= 2.
  add_row(-1, 0, 2);
  const std::vector<double> origin = {0, 0};
  const gauss::Problem impossible{&mass, origin, start, column, entry, h, kind};
  gauss::solve(impossible, {}, workspace, solution);
  if (solution.status != gauss::Status::infeasible) return 1;
  if (!gauss::verify_farkas(impossible, solution.farkas)) return 1;
  std::printf("with x >= 2 no point is left; the rows that contradict each other, with their weights:\n");
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (solution.farkas[i] != 0) std::printf("  %zu: %g\n", i, solution.farkas[i]);
  }
  return 0;
}
