/// Accelerations of long chains and large nets whose strings are all at their length: time as a multiple of a floor.
///
/// Scenes: a straight chain, a chain bent through two radians, a square net sheared by 20 degrees; N unit masses in the
/// plane, nothing fixed, at rest, every string f = distance - L at f = 0 and f' = 0, so that every row J a <= 0 is
/// effective. Forces: rough, independent normal components; smooth, sixteen waves of at most one and a half periods.
///
///   floor   J W, dual matrix, numeric factor, solution, on the active set known beforehand with its pattern analysed
///   Eigen   the same by a sparse product and a simplicial factorisation of a general library (analysis not counted)
///   first   solve with a new workspace: pattern of J, lines, ordering, factor, check, and all memory
///   cold    solve with a workspace that knows the pattern of J but not the set
///   warm    solve after every point was moved a little (a new J), starting from the last set
///
/// Each figure is the least processor time of several runs; ratios are to `floor`.
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "strings.hpp"
#include "zwang/gauss.hpp"
#include "zwang/linear/sparse_cholesky.hpp"
#include "zwang/linear/sparse_gram.hpp"

namespace {

using namespace zwang;
using namespace zwang::bench;

std::vector<double> accelerations(const Scene& scene, bool smooth) {
  // Free accelerations; the same ones in every run.
  std::mt19937_64 generator(8);
  std::normal_distribution<double> normal;
  std::vector<double> result;
  if (!smooth) {
    for (std::size_t k = 0; k < 2 * scene.points.size(); ++k) result.push_back(normal(generator));
    return result;
  }
  double amplitude[2][4][4], phase[2][4][4];
  for (int d = 0; d < 2; ++d) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        amplitude[d][i][j] = normal(generator);
        phase[d][i][j] = 2 * std::numbers::pi * normal(generator);
      }
    }
  }
  for (const Point& u : scene.unit) {
    for (int d = 0; d < 2; ++d) {
      double sum = 0;
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          sum += amplitude[d][i][j] * std::cos(std::numbers::pi * (i * u.x + j * u.y) + phase[d][i][j]);
        }
      }
      result.push_back(sum);
    }
  }
  return result;
}

void measure(const Scene& scene, bool smooth) {
  const std::vector<double> a0 = accelerations(scene, smooth);
  const Rows rows = rows_of(scene, 0, 0);
  const Rows moved[2] = {rows_of(scene, 1e-9, 1), rows_of(scene, 1e-9, 2)};
  const std::size_t n = a0.size();
  const std::size_t r = scene.pairs.size();
  linear::Mass mass(std::vector<double>(n, 1.0));
  if (!mass.factor()) std::abort();
  const std::vector<double> h(r, 0.0);
  const std::vector<gauss::RowKind> kind(r, gauss::RowKind::inequality);
  const auto problem_of = [&](const Rows& from) {
    return gauss::Problem{&mass, a0, from.start, from.column, from.entry, h, kind};
  };

  // New workspace; known pattern; known set and new rows.
  const auto nothing = [](int) {};
  gauss::Problem problem = problem_of(rows);
  gauss::Options options;
  gauss::Solution solution;
  const double first = least_time(nothing, [&] {
    gauss::Workspace workspace;
    gauss::Solution fresh;
    solve(problem, options, workspace, fresh);
  });
  gauss::Workspace workspace;
  solve(problem, options, workspace, solution);
  const double cold = least_time(nothing, [&] { solve(problem, options, workspace, solution); });
  const std::size_t cold_rounds = solution.rounds;
  std::vector<double> scratch;
  const double residual = verify(problem, solution.a, solution.lambda, scratch).worst();
  const std::vector<std::uint8_t> active = solution.active;
  options.warm = true;
  const double warm = least_time([&](int k) { problem = problem_of(moved[k % 2]); },
                                 [&] { solve(problem, options, workspace, solution); });
  const std::size_t warm_rounds = solution.rounds;

  // The floor.
  std::vector<std::uint32_t> set;
  for (std::uint32_t i = 0; i < r; ++i) {
    if (active[i] != 0) set.push_back(i);
  }
  std::vector<std::uint32_t> start{0}, column;
  std::vector<double> entry[2];
  for (const std::uint32_t i : set) {
    column.insert(column.end(), rows.column.begin() + rows.start[i], rows.column.begin() + rows.start[i + 1]);
    for (int k = 0; k < 2; ++k) {
      entry[k].insert(entry[k].end(), moved[k].entry.begin() + rows.start[i],
                      moved[k].entry.begin() + rows.start[i + 1]);
    }
    start.push_back(static_cast<std::uint32_t>(column.size()));
  }
  linear::SparseRows held{start, column, entry[0]};
  linear::SparseGram gram;
  linear::SparseCholesky cholesky;
  std::vector<std::uint32_t> all(set.size());
  for (std::uint32_t k = 0; k < all.size(); ++k) all[k] = k;
  gram.shape(held, mass);
  cholesky.reset(set.size());
  cholesky.choose(gram, all);
  std::vector<double> right(set.size()), lambda(set.size());
  const double floor = least_time([&](int k) { held.entry = entry[k % 2]; },
                                  [&] {
                                    gram.load(held, mass);
                                    for (std::uint32_t k = 0; k < right.size(); ++k) right[k] = gram.times_row(k, a0);
                                    cholesky.expire();
                                    cholesky.factor(gram);
                                    cholesky.solve(right, lambda);
                                  });

  // The same with a general library.
  Eigen::SparseMatrix<double, Eigen::RowMajor> jacobian(static_cast<Eigen::Index>(set.size()),
                                                        static_cast<Eigen::Index>(n));
  std::vector<Eigen::Triplet<double>> triplets;
  for (std::size_t k = 0; k < set.size(); ++k) {
    for (std::uint32_t p = start[k]; p < start[k + 1]; ++p) {
      triplets.emplace_back(static_cast<int>(k), static_cast<int>(column[p]), entry[0][p]);
    }
  }
  jacobian.setFromTriplets(triplets.begin(), triplets.end());
  const Eigen::Map<const Eigen::VectorXd> free(a0.data(), static_cast<Eigen::Index>(n));
  Eigen::SparseMatrix<double> dual = jacobian * jacobian.transpose();
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt;
  ldlt.analyzePattern(dual);
  Eigen::VectorXd multipliers;
  const double library = least_time(nothing, [&] {
    dual = jacobian * jacobian.transpose();
    ldlt.factorize(dual);
    multipliers = ldlt.solve(jacobian * free);
  });

  std::printf("%-10s %-6s %7zu %7zu %7zu | %9.3f %8.2f | %7.2f %7.2f %7.2f | %4zu %4zu  %.0e\n", scene.name,
              smooth ? "smooth" : "rough", scene.points.size(), r, set.size(), floor, library / floor, first / floor,
              cold / floor, warm / floor, cold_rounds, warm_rounds, residual);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  const std::size_t largest = count > 1 ? std::strtoul(words[1], nullptr, 10) : 100000;
  std::printf("sparse instant: ratios to the floor (goals: cold rough 10, cold smooth 40, warm 2)\n");
  std::printf("%-10s %-6s %7s %7s %7s | %9s %8s | %7s %7s %7s | %-9s  %s\n", "scene", "forces", "points", "rows",
              "active", "floor ms", "Eigen", "first", "cold", "warm", "rounds", "residual");
  for (const bool smooth : {false, true}) {
    for (std::size_t n = 1000; n <= largest; n *= 10) measure(chain(n, 0), smooth);
    for (std::size_t n = 1000; n <= largest; n *= 10) measure(chain(n, 2), smooth);
    for (std::size_t n = 1000; n <= largest; n *= 10) measure(net(n), smooth);
  }
  return 0;
}
