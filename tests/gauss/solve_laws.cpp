/// Laws of the nearest point: what must not change the answer, how many rounds it takes, and that it never allocates.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allocations.hpp"
#include "instance.hpp"
#include "sanitized.hpp"
#include "sparse_scenes.hpp"
#include "zwang/gauss.hpp"
#include "zwang/gauss/one_by_one.hpp"

namespace zwang::gauss::testing::solve_laws_tests {
namespace {

/// Residuals of a few hundred roundings, and what they may do to a well-conditioned answer.
constexpr double residual_bound = 1e-13;
constexpr double answer_bound = 1e-12;

constexpr int many = is_sanitized ? 2000 : 100000;

double size_of(const std::vector<double>& x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

/// The largest difference over the largest entry.
double difference(const std::vector<double>& one, const std::vector<double>& other) {
  double worst = 0;
  for (std::size_t j = 0; j < one.size(); ++j) worst = std::max(worst, std::abs(one[j] - other[j]));
  return worst / std::max(size_of(one), 1e-300);
}

Solution solved(const Instance& instance, double bound = residual_bound) {
  Workspace workspace;
  Solution solution;
  solve(instance.problem(), {}, workspace, solution);
  EXPECT_EQ(solution.status, Status::solved);
  std::vector<double> scratch;
  EXPECT_LE(verify(instance.problem(), solution.a, solution.lambda, scratch).worst(), bound);
  return solution;
}

/// The same rows in another order, each times a factor.
Instance rewritten(const Instance& instance, const std::vector<std::size_t>& order, const std::vector<double>& factor) {
  Instance other;
  other.mass = instance.mass;
  other.a0 = instance.a0;
  for (const std::size_t i : order) {
    std::vector<double> row = instance.row(i);
    for (double& value : row) value *= factor[i];
    other.add_row(row, factor[i] * instance.h[i], instance.kind[i]);
  }
  return other;
}

/// Planted problems of every small shape, some rows made equations, some binding rows given no multiplier (degenerate).
Planted mixed(std::mt19937_64& random) {
  const std::size_t n = 1 + random() % 12;
  const std::size_t r = random() % (n + 1);
  Planted result = planted(n, r, random, random() % 4 == 0);
  Instance& instance = result.instance;
  for (std::size_t i = 0; i < r; ++i) {
    const bool binds = result.lambda[i] > 0;
    if (binds && random() % 4 == 0) {
      // Take the multiplier away and leave the row touching.
      const std::vector<double> row = instance.row(i);
      for (std::size_t j = 0; j < n; ++j) instance.a0[j] -= row[j] * result.lambda[i] / instance.mass.diagonal()[j];
      result.lambda[i] = 0;
    } else if (binds && random() % 4 == 0) {
      instance.kind[i] = RowKind::equation;
    }
  }
  return result;
}

TEST(NearestPointLaws, planted_answers_are_found_many_times_without_failure) {
  std::mt19937_64 random(1);
  Workspace workspace;
  Solution solution;
  std::vector<double> scratch;
  int failures = 0;
  for (int k = 0; k < many; ++k) {
    const Planted problem = mixed(random);
    Options options;
    options.warm = random() % 2 == 0;
    solve(problem.instance.problem(), options, workspace, solution);
    const Certificate certificate = verify(problem.instance.problem(), solution.a, solution.lambda, scratch);
    const bool right = solution.status == Status::solved && certificate.stationarity <= residual_bound &&
                       certificate.dual == 0 && certificate.primal <= 100 * residual_bound &&
                       certificate.complementarity <= 100 * residual_bound;
    if (!right && failures++ < 5) {
      ADD_FAILURE() << "problem " << k << " status " << static_cast<int>(solution.status) << " primal "
                    << certificate.primal << " dual " << certificate.dual << " complementarity "
                    << certificate.complementarity << " stationarity " << certificate.stationarity;
    }
  }
  EXPECT_EQ(failures, 0);
}

TEST(NearestPointLaws, order_scale_and_copies_of_rows_do_not_move_the_answer) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-8, 8);
  for (int k = 0; k < 300; ++k) {
    const std::size_t n = 4 + random() % 20;
    const std::size_t r = 1 + random() % (n / 2 + 1);
    const Planted problem = planted(n, r, random);
    const Solution first = solved(problem.instance);

    // Rows shuffled, scaled over sixteen decades, and some written twice with different factors.
    std::vector<std::size_t> order(r);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i < r; i += 2) order.push_back(i);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> factor(r);
    for (double& value : factor) value = std::pow(10.0, exponent(random));
    const Solution second = solved(rewritten(problem.instance, order, factor));
    ASSERT_LE(difference(first.a, second.a), answer_bound) << k;
    ASSERT_LE(difference(first.a, problem.a), 10 * answer_bound) << k;
  }
}

TEST(NearestPointLaws, masses_and_rows_over_many_decades_keep_the_residual_small) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> mass_exponent(-6, 6), row_exponent(-8, 8);
  std::normal_distribution<double> normal;
  Workspace workspace;
  Solution solution;
  std::vector<double> scratch;
  for (int k = 0; k < 2000; ++k) {
    const std::size_t n = 2 + random() % 20, r = 1 + random() % 15;
    std::vector<double> a0(n), masses(n), inside(n);
    for (double& value : a0) value = normal(random);
    for (double& value : inside) value = normal(random);
    for (double& value : masses) value = std::pow(10.0, mass_exponent(random));
    Instance instance = free_points(a0, masses);
    for (std::size_t i = 0; i < r; ++i) {
      const double scale = std::pow(10.0, row_exponent(random));
      std::vector<double> row(n);
      double h = -scale * std::abs(normal(random)) * static_cast<double>(random() % 2);
      for (std::size_t j = 0; j < n; ++j) {
        row[j] = scale * normal(random);
        h -= row[j] * inside[j];
      }
      instance.add_row(row, h, RowKind::inequality);
    }
    solve(instance.problem(), {}, workspace, solution);
    ASSERT_EQ(solution.status, Status::solved) << k;
    const Certificate certificate = verify(instance.problem(), solution.a, solution.lambda, scratch);
    ASSERT_LE(certificate.worst(), residual_bound) << k << ": " << certificate.primal << " " << certificate.dual << " "
                                                   << certificate.complementarity << " " << certificate.stationarity;
  }
}

TEST(NearestPointLaws, warm_and_cold_agree_and_warm_needs_one_round_for_the_same_set) {
  std::mt19937_64 random(4);
  for (const auto& [n, r] : {std::pair<std::size_t, std::size_t>{6, 2}, {12, 6}, {30, 20}, {90, 60}}) {
    for (const bool duplicated : {false, true}) {
      const Planted problem = planted(n, r, random, duplicated);
      Workspace workspace;
      Solution cold, warm;
      solve(problem.instance.problem(), {}, workspace, cold);
      Options options;
      options.warm = true;
      solve(problem.instance.problem(), options, workspace, warm);
      ASSERT_EQ(cold.status, Status::solved);
      ASSERT_EQ(warm.status, Status::solved);
      EXPECT_EQ(warm.rounds, 1U);
      EXPECT_EQ(warm.rank, r / 2);
      EXPECT_LE(difference(cold.a, warm.a), answer_bound);
      EXPECT_LE(difference(cold.a, problem.a), answer_bound);
    }
  }
}

TEST(NearestPointLaws, rounds_on_planted_problems_stay_few) {
  // Means over fixed problems: exact counts, so that a slower start shows.
  struct Case {
    std::size_t n, r;
    double most_mean;
  };
  for (const Case& c : {Case{6, 2, 1.5}, Case{12, 6, 2.5}, Case{30, 20, 4.5}, Case{90, 60, 6.5}, Case{300, 200, 9}}) {
    for (const bool duplicated : {false, true}) {
      std::mt19937_64 random(5);
      Workspace workspace;
      Solution solution;
      std::size_t rounds = 0;
      const int repeats = c.n < 100 ? 40 : 5;
      for (int k = 0; k < repeats; ++k) {
        const Planted problem = planted(c.n, c.r, random, duplicated);
        solve(problem.instance.problem(), {}, workspace, solution);
        ASSERT_EQ(solution.status, Status::solved);
        rounds += solution.rounds;
      }
      EXPECT_LE(static_cast<double>(rounds) / repeats, c.most_mean) << c.n << " x " << c.r;
    }
  }
}

TEST(NearestPointLaws, coupled_masses_are_diagonal_ones_seen_in_other_coordinates) {
  // a = T c turns M into T^T M T and J into J T; the nearest points correspond.
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 200; ++k) {
    const std::size_t n = 2 + random() % 8, r = 1 + random() % n;
    const Planted problem = planted(n, r, random);
    const Solution expected = solved(problem.instance);

    // T = unit lower triangular, so that its inverse is a forward substitution.
    std::vector<double> t(n * n, 0.0), matrix(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      t[i * n + i] = 1;
      for (std::size_t j = 0; j < i; ++j) t[i * n + j] = 0.3 * normal(random);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t m = 0; m < n; ++m) {
          matrix[i * n + j] += t[m * n + i] * problem.instance.mass.diagonal()[m] * t[m * n + j];
        }
      }
    }
    const auto inverse = [&](const std::vector<double>& x) {
      std::vector<double> y = x;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) y[i] -= t[i * n + j] * y[j];
      }
      return y;
    };
    Instance other = free_points_full(inverse(problem.instance.a0), matrix);
    for (std::size_t i = 0; i < r; ++i) {
      const std::vector<double> row = problem.instance.row(i);
      std::vector<double> turned(n, 0.0);
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t m = 0; m < n; ++m) turned[j] += row[m] * t[m * n + j];
      }
      other.add_row(turned, problem.instance.h[i], RowKind::inequality);
    }
    const Solution found = solved(other, 10 * residual_bound);
    ASSERT_LE(difference(inverse(expected.a), found.a), 10 * answer_bound);
    ASSERT_LE(difference(expected.lambda, found.lambda), 1e-10);
  }
}

TEST(NearestPointLaws, blocks_beside_single_masses_equal_one_full_matrix) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (const std::size_t n : {std::size_t{7}, std::size_t{90}}) {
    // Variables 1, 3, 4 are coupled, and 0, 6; the rest are single. Rows are short, so that both storages are used.
    Instance blocks;
    blocks.mass = linear::Mass(n, {{1, 3, 4}, {0, 6}});
    std::vector<double> matrix(n * n, 0.0);
    const auto put = [&](std::uint32_t i, std::uint32_t j, double value) {
      blocks.mass.add(i, j, value);
      matrix[i * n + j] = matrix[j * n + i] = value;
    };
    for (std::uint32_t i = 0; i < n; ++i) put(i, i, 2 + 0.1 * i);
    put(1, 3, 0.5);
    put(3, 4, -0.7);
    put(1, 4, 0.3);
    put(0, 6, 1.1);
    ASSERT_TRUE(blocks.mass.factor());
    blocks.a0.resize(n);
    for (double& value : blocks.a0) value = normal(random);
    Instance full = free_points_full(blocks.a0, matrix);
    for (int i = 0; i < 6; ++i) {
      std::vector<double> row(n, 0.0);
      for (int e = 0; e < 4; ++e) row[random() % 7] = normal(random);
      const double h = normal(random);
      blocks.add_row(row, h - 1, RowKind::inequality, false);
      full.add_row(row, h - 1, RowKind::inequality);
    }
    const Solution one = solved(blocks), other = solved(full);
    EXPECT_LE(difference(one.a, other.a), answer_bound);
    EXPECT_LE(difference(one.lambda, other.lambda), 10 * answer_bound);
  }
}

TEST(NearestPointLaws, a_vertex_of_many_more_rows_than_variables_is_found) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  std::vector<double> scratch;
  Workspace workspace;
  Solution solution;
  for (int k = 0; k < 300; ++k) {
    const std::size_t n = 2 + random() % 6, r = 10 * n + random() % 100;
    std::vector<double> a0(n);
    for (double& value : a0) value = 5 * normal(random);
    Instance instance = free_points(a0);
    const bool all_through_one_point = k % 2 == 0;
    for (std::size_t i = 0; i < r; ++i) {
      std::vector<double> row(n);
      for (double& value : row) value = normal(random);
      instance.add_row(row, all_through_one_point ? 0.0 : -1.0, RowKind::inequality);
    }
    solve(instance.problem(), {}, workspace, solution);
    ASSERT_EQ(solution.status, Status::solved) << k;
    double size = size_of(a0);
    for (std::size_t i = 0; i < r; ++i) ASSERT_LE(solution.w[i], 1e-12 * size) << k;
    const Certificate certificate = verify(instance.problem(), solution.a, solution.lambda, scratch);
    ASSERT_LE(std::max(certificate.stationarity, certificate.dual), residual_bound) << k;
  }
}

TEST(NearestPointLaws, blocks_of_rows_and_one_row_at_a_time_give_the_same_answer) {
  std::mt19937_64 random(12);
  std::vector<double> scratch;
  Workspace workspace;
  Solution solution, other_solution;
  OneByOne other;
  int contradictions = 0;
  for (int k = 0; k < many / 50; ++k) {
    // Short rows over up to ninety variables, often dependent, tied, coupled in blocks, or contradictory.
    scenes::Random what;
    what.n = static_cast<std::uint32_t>(2 + random() % 90);
    what.rows = static_cast<std::uint32_t>(1 + random() % 70);
    what.width = static_cast<std::uint32_t>(1 + random() % 4);
    what.whole = random() % 2 == 0;
    what.feasible = random() % 3 != 0;
    what.blocks = random() % 4 == 0;
    const scenes::Scene scene = scenes::random(what, random);
    const Problem problem = scene.problem();
    Options options;
    options.warm = random() % 2 == 0;
    solve(problem, options, workspace, solution);
    ASSERT_EQ(solution.status, other.run(problem, {}, 100000, other_solution, nullptr)) << k;
    if (solution.status == Status::infeasible) {
      ++contradictions;
      ASSERT_TRUE(verify_farkas(problem, solution.farkas)) << k;
      ASSERT_TRUE(verify_farkas(problem, other_solution.farkas)) << k;
      continue;
    }
    const Certificate certificate = verify(problem, solution.a, solution.lambda, scratch);
    ASSERT_LE(std::max({certificate.primal, certificate.dual, certificate.complementarity}), 10 * residual_bound) << k;
    const std::vector<double> expected(other.a().begin(), other.a().end());
    ASSERT_LE(difference(expected, solution.a), 1e-8) << k;
  }
  EXPECT_GT(contradictions, many / 1000);
}

TEST(NearestPointLaws, solving_allocates_nothing_once_sized) {
  std::mt19937_64 random(9);
  for (const auto& [n, r] : {std::pair<std::size_t, std::size_t>{6, 2}, {12, 6}, {30, 20}, {90, 60}, {5, 40}}) {
    Workspace workspace;
    Solution solution;
    std::vector<double> scratch;
    Planted first = planted(n, r, random, true);
    solve(first.instance.problem(), {}, workspace, solution);
    (void)verify(first.instance.problem(), solution.a, solution.lambda, scratch);
    for (int k = 0; k < 20; ++k) {
      // Some of these are jammed or need the rescue.
      Planted next = planted(n, r, random, true);
      if (k % 3 == 0) next.instance.h[0] += 3;
      if (k % 4 == 0) next.instance.kind[r - 1] = next.instance.kind[r / 2] = RowKind::equation;
      const Problem problem = next.instance.problem();
      Options options;
      options.warm = k % 2 == 0;
      const std::size_t before = allocations();
      solve(problem, options, workspace, solution);
      (void)verify(problem, solution.a, solution.lambda, scratch);
      ASSERT_EQ(allocations(), before) << n << " x " << r << " problem " << k;
    }
  }
}

TEST(NearestPointLaws, a_workspace_serves_problems_of_every_size_in_any_order) {
  std::mt19937_64 random(10);
  Workspace workspace;
  Solution solution;
  for (int k = 0; k < 400; ++k) {
    const std::size_t n = 1 + random() % 40, r = random() % (n + 1);
    const Planted problem = planted(n, r, random, k % 3 == 0);
    Options options;
    options.warm = true;
    solve(problem.instance.problem(), options, workspace, solution);
    ASSERT_EQ(solution.status, Status::solved);
    ASSERT_LE(difference(problem.a, solution.a), 1e-9);
  }
}

TEST(NearestPointLaws, the_same_problem_gives_the_same_bits) {
  std::mt19937_64 random(11);
  const Planted problem = planted(30, 20, random, true);
  Workspace one, other;
  Solution first, second;
  solve(problem.instance.problem(), {}, one, first);
  solve(problem.instance.problem(), {}, other, second);
  solve(problem.instance.problem(), {}, other, second);
  EXPECT_EQ(first.a, second.a);
  EXPECT_EQ(first.lambda, second.lambda);
  EXPECT_EQ(first.w, second.w);
}

TEST(NearestPointLaws, the_answer_is_nearer_than_every_admissible_point_tried) {
  EXPECT_TRUE(rc::check("no admissible point beats the answer", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    std::mt19937_64 random(seed);
    const Planted problem = planted(1 + random() % 8, random() % 8, random);
    Workspace workspace;
    Solution solution;
    solve(problem.instance.problem(), {}, workspace, solution);
    RC_ASSERT(solution.status == Status::solved);
    const auto cost = [&](const std::vector<double>& a) {
      double sum = 0;
      for (std::size_t j = 0; j < a.size(); ++j) {
        const double step = a[j] - problem.instance.a0[j];
        sum += problem.instance.mass.diagonal()[j] * step * step;
      }
      return sum;
    };
    std::normal_distribution<double> normal;
    for (int k = 0; k < 50; ++k) {
      std::vector<double> other = solution.a;
      const double reach = std::pow(0.1, k % 6);
      for (double& value : other) value += reach * normal(random);
      bool admissible = true;
      for (std::size_t i = 0; i < problem.instance.h.size(); ++i) {
        const std::vector<double> row = problem.instance.row(i);
        admissible &= std::inner_product(row.begin(), row.end(), other.begin(), problem.instance.h[i]) <= 0;
      }
      RC_ASSERT(!admissible || cost(other) >= cost(solution.a) * (1 - 1e-12));
    }
  }));
}

}  // namespace
}  // namespace zwang::gauss::testing::solve_laws_tests
