/// The nearest-point solver alone: a target runs round a polygon, its nearest point inside follows, without any allocation; then a
/// contradiction.
///
/// The polygon has six sides, n_i . a <= 1 with n_i on the unit circle. A target outside has its nearest point on a side (one
/// row binds) or in a corner (two rows bind). The rows never change, so each solve starts from the set of the last one.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>
#include <zwang/zwang.hpp>

namespace gauss = zwang::gauss;

namespace {

constexpr double pi = 3.14159265358979323846;
std::size_t allocations = 0;

}  // namespace

// Every allocation of this program is counted.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

int main() {
  // Six sides, sparse by rows: row i has the entries start[i] up to start[i + 1].
  std::vector<std::uint32_t> start = {0};
  std::vector<std::uint32_t> column;
  std::vector<double> entry;
  std::vector<double> h;
  std::vector<gauss::RowKind> kind;
  const auto add_row = [&](double x, double y, double offset) {
    column.insert(column.end(), {0, 1});
    entry.insert(entry.end(), {x, y});
    start.push_back(static_cast<std::uint32_t>(entry.size()));
    h.push_back(offset);
    kind.push_back(gauss::RowKind::inequality);
  };
  for (int side = 0; side < 6; ++side) add_row(std::cos(side * pi / 3), std::sin(side * pi / 3), -1);

  // The metric: a step in y counts like a step in x. Factored once.
  zwang::Mass mass({1, 1});
  if (!mass.factor()) return 1;

  // A problem is a view of arrays that the caller owns: the target may move below it. Its arrays are looked at once.
  std::array<double, 2> target = {2, 0};
  const gauss::Problem problem{&mass, target, start, column, entry, h, kind};
  if (!problem.check().empty()) return 1;

  // The target goes round in steps of 30 degrees; the workspace remembers which rows held. The first round sizes it.
  gauss::Workspace workspace;
  gauss::Solution solution;
  std::vector<double> scratch;
  const gauss::Options options{.warm = true};
  std::size_t before = 0;
  for (int round = 0; round < 2; ++round) {
    before = allocations;
    for (int angle = 0; angle < 360; angle += 30) {
      target = {2 * std::cos(angle * pi / 180), 2 * std::sin(angle * pi / 180)};
      gauss::solve(problem, options, workspace, solution);
      if (solution.status != gauss::Status::solved) return 1;
      // The certificate is computed from the definition alone and shares no code with the solver.
      if (gauss::verify(problem, solution.a, solution.lambda, scratch).worst() > 1e-14) return 1;
      if (round == 0 || angle > 180) continue;
      std::printf("%3d degrees: nearest point (%.4f, %.4f), held by", angle, solution.a[0] + 0.0, solution.a[1] + 0.0);
      for (std::size_t i = 0; i < 6; ++i) {
        if (solution.lambda[i] > 1e-12) std::printf(" %zu", i);
      }
      std::printf("\n");
    }
  }
  std::printf("allocations in the second round: %zu\n", allocations - before);
  if (allocations != before) return 1;

  // A seventh row that no point of the polygon satisfies: x >= 2.
  add_row(-1, 0, 2);
  const gauss::Problem impossible{&mass, target, start, column, entry, h, kind};
  gauss::solve(impossible, {}, workspace, solution);
  std::printf("with x >= 2: %s, by the rows", std::string(words(solution.status)).c_str());
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (solution.farkas[i] != 0) std::printf(" %zu (weight %g)", i, solution.farkas[i]);
  }
  std::printf("\n");
  return gauss::verify_farkas(impossible, solution.farkas) ? 0 : 1;
}
