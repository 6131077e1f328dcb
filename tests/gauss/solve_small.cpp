/// Small nearest-point problems: closed forms, and every random one against the enumeration of all sets.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "instance.hpp"
#include "sanitized.hpp"
#include "zwang/gauss.hpp"
#include "zwang/gauss/tolerances.hpp"

namespace zwang::gauss::testing::solve_small_tests {
namespace {

/// Residuals of a few hundred roundings.
constexpr double residual_bound = 1e-13;

constexpr RowKind equation = RowKind::equation;
constexpr RowKind inequality = RowKind::inequality;

Solution solved(const Instance& instance) {
  Workspace workspace;
  Solution solution;
  solve(instance.problem(), {}, workspace, solution);
  if (solution.status == Status::solved) {
    std::vector<double> scratch;
    EXPECT_LE(verify(instance.problem(), solution.a, solution.lambda, scratch).worst(), residual_bound);
  }
  if (solution.status == Status::infeasible) {
    EXPECT_TRUE(verify_farkas(instance.problem(), solution.farkas));
  }
  return solution;
}

TEST(NearestPoint, without_rows_is_the_free_motion) {
  const Instance instance = free_points({1, -2, 3});
  const Solution solution = solved(instance);
  ASSERT_EQ(solution.status, Status::solved);
  EXPECT_EQ(solution.a, instance.a0);
  EXPECT_EQ(solution.rank, 0U);
}

TEST(NearestPoint, a_point_falls_freely_away_from_a_ceiling) {
  Instance instance = free_points({0, 0, -9.81});
  instance.add_row({0, 0, 1}, 0, inequality);
  const Solution solution = solved(instance);
  ASSERT_EQ(solution.status, Status::solved);
  EXPECT_EQ(solution.a, instance.a0);
  EXPECT_EQ(solution.lambda[0], 0.0);
}

TEST(NearestPoint, a_floor_carries_exactly_the_weight) {
  // z >= 0 reads -z <= 0: M a = X - lambda grad f gives lambda = m g.
  Instance instance = free_points({0.5, 0, -9.81}, {3, 3, 3});
  instance.add_row({0, 0, -1}, 0, inequality);
  const Solution solution = solved(instance);
  ASSERT_EQ(solution.status, Status::solved);
  EXPECT_NEAR(solution.lambda[0], 3 * 9.81, 1e-14 * 30);
  EXPECT_EQ(solution.a[0], 0.5);
  EXPECT_NEAR(solution.a[2], 0, 1e-15 * 9.81);
  EXPECT_EQ(solution.active[0], 1);
}

TEST(NearestPoint, a_vertex_may_be_nearest_although_the_foot_on_one_face_was_tried) {
  // Both walls x <= 0 and x + y <= 0 are broken by (2, 1); holding both gives the corner, where both press.
  Instance instance = free_points({2, 1});
  instance.add_row({1, 0}, 0, inequality);
  instance.add_row({1, 1}, 0, inequality);
  const Solution solution = solved(instance);
  ASSERT_EQ(solution.status, Status::solved);
  EXPECT_NEAR(solution.a[0], 0, 1e-15);
  EXPECT_NEAR(solution.a[1], 0, 1e-15);
  EXPECT_NEAR(solution.lambda[0], 1, 1e-14);
  EXPECT_NEAR(solution.lambda[1], 1, 1e-14);
}

TEST(NearestPoint, the_told_story_begins_with_the_free_motion) {
  Instance instance = free_points({2, 1});
  instance.add_row({1, 0}, 0, inequality);
  instance.add_row({1, 1}, 0, inequality);
  Workspace workspace;
  Solution solution;
  std::vector<Trial> trials;
  solve(instance.problem(), {}, workspace, solution, &trials);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_TRUE(trials[0].rows.empty());
  EXPECT_EQ(trials[0].violated, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(trials[1].rows, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(trials[1].negative.empty());
  EXPECT_TRUE(trials[1].violated.empty());
}

TEST(NearestPoint, of_two_equal_gradients_the_larger_offset_binds) {
  for (const bool first_is_larger : {true, false}) {
    Instance instance = free_points({1, 1, 1});
    instance.add_row({1, 2, 3}, first_is_larger ? 5 : 1, inequality);
    instance.add_row({1, 2, 3}, first_is_larger ? 1 : 5, inequality);
    const Solution solution = solved(instance);
    ASSERT_EQ(solution.status, Status::solved);
    EXPECT_NEAR(solution.lambda[first_is_larger ? 0 : 1], 11.0 / 14, 1e-15 * 8);
    EXPECT_EQ(solution.lambda[first_is_larger ? 1 : 0], 0.0);
    EXPECT_EQ(solution.rank, 1U);
  }
}

TEST(NearestPoint, zero_rows_that_hold_say_nothing) {
  Instance instance = free_points({1, 1});
  instance.add_row({0, 0}, 0, inequality);
  instance.add_row({0, 0}, -1, inequality, false);
  instance.add_row({0, 0}, 0, equation);
  instance.add_row({1, 0}, 0, inequality);
  const Solution solution = solved(instance);
  ASSERT_EQ(solution.status, Status::solved);
  EXPECT_NEAR(solution.a[0], 0, 1e-15);
  EXPECT_EQ(solution.a[1], 1.0);
}

TEST(NearestPoint, a_zero_row_that_cannot_hold_is_its_own_certificate) {
  for (const RowKind kind : {equation, inequality}) {
    Instance instance = free_points({1, 1});
    instance.add_row({1, 0}, 0, inequality);
    instance.add_row({0, 0}, 1, kind);
    const Solution solution = solved(instance);
    ASSERT_EQ(solution.status, Status::infeasible);
    EXPECT_EQ(solution.farkas, (std::vector<double>{0, 1}));
  }
}

TEST(NearestPoint, contradictory_equations_are_found_with_their_combination) {
  // x + y = 1, x - y = 0, x = 1: half the first and half the second contradict the third.
  Instance instance = free_points({0, 0});
  instance.add_row({1, 1}, -1, equation);
  instance.add_row({1, -1}, 0, equation);
  instance.add_row({1, 0}, -1, equation);
  const Solution solution = solved(instance);
  ASSERT_EQ(solution.status, Status::infeasible);
  double largest = 0;
  for (const double value : solution.farkas) largest = std::max(largest, std::abs(value));
  EXPECT_EQ(largest, 1.0);
}

TEST(NearestPoint, walls_that_leave_no_room_are_a_jam) {
  Instance instance = free_points({0.3});
  instance.add_row({1}, 1, inequality);   // x <= -1
  instance.add_row({-2}, 2, inequality);  // x >= 1
  const Solution solution = solved(instance);
  ASSERT_EQ(solution.status, Status::infeasible);
  EXPECT_NEAR(solution.farkas[0], 1, 1e-15);
  EXPECT_NEAR(solution.farkas[1], 0.5, 1e-15);
}

TEST(NearestPoint, dependent_equations_that_agree_are_no_jam) {
  Instance instance = free_points({1, 2, 3});
  instance.add_row({1, 1, 0}, -1, equation);
  instance.add_row({0, 1, 1}, -2, equation);
  instance.add_row({1, 2, 1}, -3, equation);
  instance.add_row({1, 0, -1}, 1, equation);
  const Solution solution = solved(instance);
  ASSERT_EQ(solution.status, Status::solved);
  EXPECT_EQ(solution.rank, 2U);
}

TEST(NearestPoint, numbers_that_are_not_finite_are_given_up_on) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinite, -infinite}) {
    for (int place = 0; place < 4; ++place) {
      for (const bool held_as_equation : {true, false}) {
        Instance instance = free_points({1, 2, place == 3 ? bad : 3});
        instance.add_row({place == 0 ? bad : 1, 1, 0}, 0, held_as_equation ? equation : inequality);
        instance.add_row({0, 1, 0}, place == 1 ? bad : 0, inequality);
        instance.add_row({0, place == 2 ? bad : 0, 0}, 0, inequality);
        Workspace workspace;
        Solution solution;
        solve(instance.problem(), {}, workspace, solution);
        EXPECT_EQ(solution.status, Status::gave_up) << bad << " at " << place;
      }
    }
  }
}

constexpr std::size_t many = is_sanitized ? 2000 : 30000;

/// How much larger the terms of J^T lambda are than what stationarity is measured by: near-dependent rows press against
/// each other with forces that cancel, and rounding is a fraction of those.
double cancellation(const Problem& problem, const Solution& solution) {
  std::vector<double> sum(problem.n(), 0.0), terms(problem.n(), 0.0), weight(problem.n(), 0.0);
  for (std::size_t i = 0; i < problem.r(); ++i) {
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      sum[problem.column[e]] += solution.lambda[i] * problem.entry[e];
      terms[problem.column[e]] += std::abs(solution.lambda[i] * problem.entry[e]);
    }
  }
  problem.mass->multiply(problem.a0, weight);
  double size = 0, largest = 0;
  for (std::size_t j = 0; j < problem.n(); ++j) {
    size = std::max({size, std::abs(sum[j]), std::abs(weight[j])});
    largest = std::max(largest, terms[j]);
  }
  return largest == 0 ? 0 : largest / size;
}

/// A random small problem with every kind of trouble in it.
Instance troubled(std::mt19937_64& random) {
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  std::normal_distribution<double> normal;
  const std::size_t n = 1 + below(7), r = below(9);
  const bool integers = below(2) == 0;
  const auto number = [&] { return integers ? static_cast<double>(static_cast<int>(below(5)) - 2) : normal(random); };

  std::vector<double> a0(n), masses(n);
  for (double& value : a0) value = number();
  for (double& mass : masses) mass = integers ? 1.0 : std::exp(normal(random));
  Instance instance;
  if (below(3) != 0) {
    instance = free_points(a0, masses);
  } else {
    // M = D + v v^T, full.
    std::vector<double> matrix(n * n), v(n);
    for (double& value : v) value = normal(random);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] = v[i] * v[j] + (i == j ? masses[i] : 0.0);
    }
    instance = free_points_full(a0, matrix);
  }

  // Rows: random, zero, copies, sums of others; offsets random, fitting a point, or degenerate.
  const bool feasible = below(3) != 0;
  std::vector<double> inside(n);
  for (double& value : inside) value = number();
  for (std::size_t i = 0; i < r; ++i) {
    std::vector<double> row(n);
    const std::size_t sort = below(8);
    if (sort == 0) {
      // zero
    } else if (sort == 1 && i > 0) {
      row = instance.row(below(i));
      const double factor = below(2) == 0 ? 1.0 : (integers ? 2.0 : std::exp(normal(random)));
      for (double& value : row) value *= below(4) == 0 ? factor : 1.0;
    } else if (sort == 2 && i > 1) {
      const std::vector<double> one = instance.row(below(i)), other = instance.row(below(i));
      const double c = integers ? 1.0 : normal(random);
      for (std::size_t j = 0; j < n; ++j) row[j] = one[j] - c * other[j];
    } else {
      for (double& value : row) value = below(4) == 0 ? 0.0 : number();
    }
    double h = number();
    if (feasible) {
      h = below(2) == 0 || integers ? 0.0 : -std::abs(normal(random));
      for (std::size_t j = 0; j < n; ++j) h -= row[j] * inside[j];
    }
    const bool held = below(4) == 0;
    if (held && feasible) {
      h = 0;
      for (std::size_t j = 0; j < n; ++j) h -= row[j] * inside[j];
    }
    instance.add_row(row, h, held ? equation : inequality, below(2) == 0);
  }
  return instance;
}

TEST(NearestPoint, agrees_with_the_enumeration_of_all_sets) {
  std::mt19937_64 random(20240731);
  std::size_t solvable = 0, jammed = 0, far_away = 0;
  Workspace workspace;
  Solution solution;
  std::vector<double> scratch;
  for (std::size_t k = 0; k < many; ++k) {
    const Instance instance = troubled(random);
    const Problem problem = instance.problem();
    solve(problem, {}, workspace, solution);
    const auto expected = by_enumeration(problem);
    if (expected) {
      ++solvable;
      ASSERT_EQ(solution.status, Status::solved) << k;
      const Certificate certificate = verify(problem, solution.a, solution.lambda, scratch);
      ASSERT_LE(certificate.stationarity, residual_bound * (1 + cancellation(problem, solution))) << k;
      ASSERT_LE(std::max(certificate.primal, certificate.complementarity), residual_bound) << k;
      ASSERT_LE(certificate.dual, 0.0) << k;
      double size = 1;
      for (const double value : instance.a0) size = std::max(size, std::abs(value));
      for (const double value : *expected) size = std::max(size, std::abs(value));
      for (std::size_t j = 0; j < problem.n(); ++j) ASSERT_NEAR(solution.a[j], (*expected)[j], 1e-9 * size) << k;
      for (std::size_t i = 0; i < problem.r(); ++i) {
        ASSERT_TRUE(solution.active[i] != 0 || solution.lambda[i] == 0) << k;
      }
    } else if (solution.status == Status::gave_up) {
      // A row made as a difference of others may miss their span by more than its own rounding: the numbers as they stand admit
      // points very far away, with multipliers beyond double, which the enumeration takes for none.
      ++far_away;
    } else {
      ++jammed;
      ASSERT_EQ(solution.status, Status::infeasible) << k;
      ASSERT_TRUE(verify_farkas(problem, solution.farkas)) << k;
    }
  }
  EXPECT_GT(solvable, many / 3);
  EXPECT_GT(jammed, many / 10);
  EXPECT_LE(far_away, many / 10000);
}

}  // namespace
}  // namespace zwang::gauss::testing::solve_small_tests
