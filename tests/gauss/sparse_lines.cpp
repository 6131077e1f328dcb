/// The guess by lines: exact along a chain, where it is isotonic regression, and near the truth where lines cross.
#include "zwang/gauss/sparse_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gauss/sparse_scenes.hpp"

namespace zwang::gauss::sparse_lines_tests {
namespace {

using scenes::Scene;

struct Guess {
  linear::SparseGram gram;
  SparseLines lines;
  std::vector<double> a;
  std::size_t visits = 0;

  explicit Guess(const Scene& scene) : a(scene.a0) {
    const Problem problem = scene.problem();
    const linear::SparseRows rows{problem.start, problem.column, problem.entry};
    gram.shape(rows, scene.mass);
    gram.load(rows, scene.mass);
    lines.find(gram, problem.kind);
    visits = lines.settle(gram, problem, 24, a);
  }
};

/// Pool adjacent violators: the nonincreasing sequence nearest to x.
std::vector<double> pooled(const std::vector<double>& x) {
  struct Pool {
    double sum;
    std::size_t count;
  };
  std::vector<Pool> pools;
  for (const double value : x) {
    pools.push_back({value, 1});
    while (pools.size() > 1) {
      const Pool last = pools.back();
      Pool& before = pools[pools.size() - 2];
      if (before.sum * static_cast<double>(last.count) > last.sum * static_cast<double>(before.count)) break;
      before.sum += last.sum;
      before.count += last.count;
      pools.pop_back();
    }
  }
  std::vector<double> result;
  for (const Pool& pool : pools) result.insert(result.end(), pool.count, pool.sum / static_cast<double>(pool.count));
  return result;
}

TEST(SparseLines, a_taut_chain_along_a_line_is_isotonic_regression) {
  for (const bool smooth : {false, true}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Scene scene = scenes::chain(500, 0, smooth, seed);
      const Guess guess(scene);
      EXPECT_EQ(guess.lines.count(), 1U);
      EXPECT_EQ(guess.visits, 1U);
      std::vector<double> along;
      for (std::size_t k = 0; k < scene.a0.size(); k += 2) along.push_back(scene.a0[k]);
      const std::vector<double> expected = pooled(along);
      for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_NEAR(guess.a[2 * k], expected[k], 1e-10);
        EXPECT_EQ(guess.a[2 * k + 1], scene.a0[2 * k + 1]);
      }
    }
  }
}

TEST(SparseLines, a_net_falls_into_its_two_families_of_lines) {
  const Scene scene = scenes::net(20, 20, false, 3);
  const Guess guess(scene);
  EXPECT_EQ(guess.lines.count(), 40U);
}

TEST(SparseLines, a_bent_chain_satisfies_every_condition_after_one_visit) {
  for (const double bend : {1.0, 6.0, 40.0}) {
    const Scene scene = scenes::chain(300, bend, false, 9);
    const Guess guess(scene);
    const Problem problem = scene.problem();
    for (std::uint32_t i = 0; i < problem.r(); ++i) {
      const double value = guess.gram.times_row(i, guess.a);
      EXPECT_GE(guess.lines.multipliers()[i], 0.0);
      EXPECT_LE(value, 1e-11);
      EXPECT_TRUE(guess.lines.multipliers()[i] == 0 || value >= -1e-11);
    }
  }
}

TEST(SparseLines, a_row_and_its_opposite_do_not_string_together) {
  // f <= 0 and -f <= 0 pull against each other with full strength: joined they would be singular.
  Scene scene;
  scene.mass = linear::Mass(std::vector<double>(2, 1.0));
  ASSERT_TRUE(scene.mass.factor());
  scene.a0 = {1.0, -2.0};
  scene.add({{0, 1.0}, {1, 1.0}}, 0.0);
  scene.add({{0, -1.0}, {1, -1.0}}, 0.0);
  const Guess guess(scene);
  for (const double value : guess.lines.multipliers()) EXPECT_TRUE(std::isfinite(value) && value >= 0);
  EXPECT_NEAR(guess.a[0] + guess.a[1], 0.0, 1e-14);
}

}  // namespace
}  // namespace zwang::gauss::sparse_lines_tests
