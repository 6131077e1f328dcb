/// The sparse backend: the same answers as the dense methods, for small problems of every kind and large ones of two.
#include "zwang/gauss/sparse_face.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "gauss/allocations.hpp"
#include "gauss/sparse_scenes.hpp"
#include "zwang/gauss.hpp"
#include "zwang/gauss/one_by_one.hpp"
#include "zwang/gauss/story.hpp"

namespace zwang::gauss::sparse_face_tests {
namespace {

using scenes::Scene;

/// Residuals of a good answer, scaled as verify does; long straight chains have condition 1e6 and more.
constexpr double small_residual = 1e-11;
constexpr double random_residual = 1e-9;
constexpr double large_residual = 1e-9;

struct Sparse {
  SparseFace face;
  Solution solution;
  Options options;
  std::vector<double> scratch;

  void solve(const Problem& problem, bool warm = false) {
    options.warm = warm;
    tell(problem, options, face, solution, nullptr);
  }
  double residual(const Problem& problem) { return verify(problem, solution.a, solution.lambda, scratch).worst(); }
};

/// The same for problems whose accelerations cancel to exact zeros: rows are scaled with the largest acceleration.
double coarse_residual(const Problem& problem, const Solution& solution) {
  std::vector<double> scratch;
  const Certificate certificate = verify(problem, solution.a, solution.lambda, scratch);
  double worst = std::max(certificate.stationarity, certificate.dual);
  double largest = 0;
  for (std::size_t k = 0; k < problem.n(); ++k) {
    largest = std::max({largest, std::abs(solution.a[k]), std::abs(problem.a0[k])});
  }
  for (std::size_t i = 0; i < problem.r(); ++i) {
    double w = problem.h[i];
    double terms = std::abs(w);
    for (std::uint32_t p = problem.start[i]; p < problem.start[i + 1]; ++p) {
      const std::uint32_t c = problem.column[p];
      w += problem.entry[p] * solution.a[c];
      terms += std::abs(problem.entry[p]) * largest;
    }
    const bool slack_allowed = problem.kind[i] == RowKind::inequality && solution.lambda[i] == 0;
    if (w > 0 || !slack_allowed) worst = std::max(worst, w == 0 ? 0.0 : std::abs(w) / terms);
  }
  return worst;
}

double distance(std::span<const double> one, std::span<const double> other) {
  double most = 0;
  for (std::size_t k = 0; k < one.size(); ++k) most = std::max(most, std::abs(one[k] - other[k]));
  return most;
}

/// Both routes on one problem: the sparse backend and the one-row-at-a-time method.
void expect_agreement(const Problem& problem, double tolerance) {
  Sparse sparse;
  sparse.solve(problem);
  OneByOne other;
  Solution unused;
  const Status expected = other.run(problem, {}, 100000, unused, nullptr);
  ASSERT_EQ(sparse.solution.status, expected) << sparse.residual(problem);
  if (expected == Status::solved) {
    EXPECT_LE(coarse_residual(problem, sparse.solution), random_residual);
    EXPECT_LE(distance(sparse.solution.a, other.a()), tolerance);
  } else {
    EXPECT_TRUE(verify_farkas(problem, sparse.solution.farkas));
  }
}

TEST(SparseFace, agrees_with_one_row_at_a_time_on_random_rows) {
  std::mt19937_64 generator(1);
  for (int k = 0; k < 1500; ++k) {
    const auto rows = static_cast<std::uint32_t>(1 + k % 60);
    const auto n = static_cast<std::uint32_t>(2 + (k * 7) % 45);
    const Scene scene =
        scenes::random({.n = n, .rows = rows, .width = 1 + static_cast<std::uint32_t>(k % 4)}, generator);
    SCOPED_TRACE(k);
    expect_agreement(scene.problem(), 1e-6);
    if (HasFailure()) return;
  }
}

TEST(SparseFace, agrees_when_rows_are_dependent_and_signs_tie) {
  std::mt19937_64 generator(2);
  for (int k = 0; k < 1500; ++k) {
    const auto rows = static_cast<std::uint32_t>(1 + k % 60);
    const auto n = static_cast<std::uint32_t>(2 + (k * 5) % 25);
    const Scene scene = scenes::random(
        {.n = n, .rows = rows, .width = 1 + static_cast<std::uint32_t>(k % 4), .whole = true}, generator);
    SCOPED_TRACE(k);
    expect_agreement(scene.problem(), 1e-9);
    if (HasFailure()) return;
  }
}

TEST(SparseFace, agrees_about_contradictions_and_proves_them) {
  std::mt19937_64 generator(3);
  int contradictions = 0;
  for (int k = 0; k < 1500; ++k) {
    const auto rows = static_cast<std::uint32_t>(1 + k % 30);
    const auto n = static_cast<std::uint32_t>(2 + (k * 5) % 20);
    const Scene scene = scenes::random(
        {.n = n, .rows = rows, .width = 1 + static_cast<std::uint32_t>(k % 3), .whole = k % 2 == 0, .feasible = false},
        generator);
    SCOPED_TRACE(k);
    const Problem problem = scene.problem();
    expect_agreement(problem, 1e-7);
    if (HasFailure()) return;
    Sparse sparse;
    sparse.solve(problem);
    contradictions += sparse.solution.status == Status::infeasible ? 1 : 0;
  }
  EXPECT_GT(contradictions, 100);
  EXPECT_LT(contradictions, 1400);
}

TEST(SparseFace, agrees_when_masses_are_coupled_in_blocks) {
  std::mt19937_64 generator(4);
  for (int k = 0; k < 300; ++k) {
    const auto rows = static_cast<std::uint32_t>(1 + k % 30);
    const auto n = static_cast<std::uint32_t>(3 + (k * 7) % 30);
    const Scene scene = scenes::random({.n = n, .rows = rows, .blocks = true}, generator);
    SCOPED_TRACE(k);
    expect_agreement(scene.problem(), 1e-6);
    if (HasFailure()) return;
  }
}

TEST(SparseFace, writing_every_condition_twice_changes_no_acceleration) {
  for (const bool smooth : {false, true}) {
    const Scene once = scenes::net(15, 20, smooth, 7);
    Scene twice = once;
    const std::vector<std::uint32_t> start = once.start;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) {
      std::vector<std::pair<std::uint32_t, double>> row;
      const double factor = i % 2 == 0 ? 1.0 : 3.0;
      for (std::uint32_t p = start[i]; p < start[i + 1]; ++p) row.emplace_back(once.column[p], factor * once.entry[p]);
      twice.add(row, factor * once.h[i]);
    }
    Sparse one, two;
    one.solve(once.problem());
    two.solve(twice.problem());
    ASSERT_EQ(one.solution.status, Status::solved);
    ASSERT_EQ(two.solution.status, Status::solved);
    EXPECT_LE(one.residual(once.problem()), large_residual);
    EXPECT_LE(two.residual(twice.problem()), large_residual);
    EXPECT_LE(distance(one.solution.a, two.solution.a), 1e-10);
    EXPECT_EQ(one.solution.rank, two.solution.rank);
  }
}

TEST(SparseFace, a_net_braced_beyond_need_has_unique_accelerations) {
  // Both diagonals of every mesh as well: more rows than coordinates, all held as equations at the edge of rigidity.
  const std::uint32_t m = 12;
  Scene scene = scenes::net(m, 20, false, 11);
  const double angle = 20 * std::numbers::pi / 180;
  const auto at = [&](std::uint32_t i, std::uint32_t j) {
    return scenes::Point{i + j * std::sin(angle), j * std::cos(angle)};
  };
  const auto brace = [&](std::uint32_t i, std::uint32_t j, std::uint32_t k, std::uint32_t l) {
    std::uint32_t p = j * m + i;
    std::uint32_t q = l * m + k;
    scenes::Point d{at(k, l).x - at(i, j).x, at(k, l).y - at(i, j).y};
    if (p > q) {
      std::swap(p, q);
      d = {-d.x, -d.y};
    }
    scene.add({{2 * p, -d.x}, {2 * p + 1, -d.y}, {2 * q, d.x}, {2 * q + 1, d.y}}, 0.0,
              (i + j) % 3 == 0 ? RowKind::equation : RowKind::inequality);
  };
  for (std::uint32_t j = 0; j + 1 < m; ++j) {
    for (std::uint32_t i = 0; i + 1 < m; ++i) {
      brace(i, j, i + 1, j + 1);
      brace(i + 1, j, i, j + 1);
    }
  }
  const Problem problem = scene.problem();
  Sparse sparse;
  sparse.solve(problem);
  ASSERT_EQ(sparse.solution.status, Status::solved);
  EXPECT_LE(sparse.residual(problem), large_residual);
  OneByOne other;
  Solution unused;
  ASSERT_EQ(other.run(problem, {}, 100000, unused, nullptr), Status::solved);
  EXPECT_LE(distance(sparse.solution.a, other.a()), 1e-8);
}

TEST(SparseFace, a_large_net_with_a_jam_proves_it) {
  // Somewhere in a net of 900 points one string must both shorten and lengthen.
  Scene scene = scenes::net(30, 20, false, 5);
  const std::uint32_t i = 800;
  std::vector<std::pair<std::uint32_t, double>> row;
  for (std::uint32_t p = scene.start[i]; p < scene.start[i + 1]; ++p)
    row.emplace_back(scene.column[p], -scene.entry[p]);
  scene.add(row, 0.25);
  const Problem problem = scene.problem();
  Sparse sparse;
  sparse.solve(problem);
  ASSERT_EQ(sparse.solution.status, Status::infeasible);
  EXPECT_TRUE(verify_farkas(problem, sparse.solution.farkas));
}

TEST(SparseFace, a_row_without_entries_binds_nothing_or_contradicts) {
  Scene scene = scenes::chain(50, 1, false, 3);
  scene.add({}, -1.0);
  scene.add({}, 0.0);
  Sparse sparse;
  sparse.solve(scene.problem());
  EXPECT_EQ(sparse.solution.status, Status::solved);
  EXPECT_LE(sparse.residual(scene.problem()), small_residual);
  scene.add({}, 0.5);
  sparse.solve(scene.problem());
  EXPECT_EQ(sparse.solution.status, Status::infeasible);
  EXPECT_TRUE(verify_farkas(scene.problem(), sparse.solution.farkas));
}

TEST(SparseFace, a_number_that_is_not_finite_is_not_answered) {
  Scene scene = scenes::chain(40, 0, false, 3);
  for (std::vector<double>* numbers : {&scene.a0, &scene.entry, &scene.h}) {
    const double kept = (*numbers)[7];
    (*numbers)[7] = std::nan("");
    Sparse sparse;
    sparse.solve(scene.problem());
    EXPECT_EQ(sparse.solution.status, Status::gave_up);
    (*numbers)[7] = kept;
  }
}

TEST(SparseFace, a_chain_is_one_line_and_needs_one_factorisation) {
  for (const bool smooth : {false, true}) {
    for (const double bend : {0.0, 2.0, 9.0}) {
      for (const std::size_t n : {400U, 2000U}) {
        const Scene scene = scenes::chain(n, bend, smooth, 17);
        const Problem problem = scene.problem();
        Sparse sparse;
        sparse.solve(problem);
        SCOPED_TRACE(::testing::Message() << n << " points, bend " << bend << ", smooth " << smooth);
        ASSERT_EQ(sparse.solution.status, Status::solved);
        EXPECT_EQ(sparse.solution.rounds, 1U);
        EXPECT_EQ(sparse.face.visits(), 1U);
        EXPECT_LE(sparse.residual(problem), large_residual);
      }
    }
  }
}

TEST(SparseFace, a_sheared_net_needs_few_factorisations) {
  for (const bool smooth : {false, true}) {
    for (const double shear : {0.0, 20.0, 50.0}) {
      for (const std::uint32_t m : {20U, 40U}) {
        const Scene scene = scenes::net(m, shear, smooth, 23);
        const Problem problem = scene.problem();
        Sparse sparse;
        sparse.solve(problem);
        SCOPED_TRACE(::testing::Message() << m << " x " << m << ", shear " << shear << ", smooth " << smooth);
        ASSERT_EQ(sparse.solution.status, Status::solved);
        EXPECT_LE(sparse.solution.rounds, shear > 20 ? 4U : 1U);
        EXPECT_LE(sparse.residual(problem), large_residual);
      }
    }
  }
}

TEST(SparseFace, a_chain_pulled_straight_between_two_walls_stays) {
  // One row more than the line needs: their sum is zero, the multipliers have a common constant free.
  for (const std::uint32_t n : {1U, 2U, 50U, 1000U}) {
    Scene scene;
    scene.mass = linear::Mass(std::vector<double>(n, 1.0));
    ASSERT_TRUE(scene.mass.factor());
    std::mt19937_64 generator(n);
    std::normal_distribution<double> normal;
    for (std::uint32_t k = 0; k < n; ++k) scene.a0.push_back(normal(generator));
    scene.add({{0, 1.0}}, 0.0);
    for (std::uint32_t k = 0; k + 1 < n; ++k) scene.add({{k, -1.0}, {k + 1, 1.0}}, 0.0);
    scene.add({{n - 1, -1.0}}, 0.0);
    const Problem problem = scene.problem();
    Sparse sparse;
    sparse.solve(problem);
    ASSERT_EQ(sparse.solution.status, Status::solved) << n;
    for (const double a : sparse.solution.a) EXPECT_NEAR(a, 0.0, 1e-10) << n;
    for (const double lambda : sparse.solution.lambda) EXPECT_GE(lambda, 0.0);
    EXPECT_EQ(sparse.solution.rank, n);

    // A wall that moves in and one that moves out faster cannot both be followed.
    scene.h.front() = 1.0;
    sparse.solve(scene.problem());
    EXPECT_EQ(sparse.solution.status, Status::infeasible) << n;
    EXPECT_TRUE(verify_farkas(scene.problem(), sparse.solution.farkas)) << n;
  }
}

TEST(SparseFace, two_opposite_inequalities_are_one_equation) {
  const Scene base = scenes::chain(300, 3, false, 13);
  Scene pairs = base;
  Scene equations = base;
  for (std::uint32_t i = 0; i < 299; i += 2) {
    std::vector<std::pair<std::uint32_t, double>> row;
    for (std::uint32_t p = base.start[i]; p < base.start[i + 1]; ++p) row.emplace_back(base.column[p], -base.entry[p]);
    pairs.add(row, 0.0);
    equations.kind[i] = RowKind::equation;
  }
  Sparse one, other;
  one.solve(pairs.problem());
  other.solve(equations.problem());
  ASSERT_EQ(one.solution.status, Status::solved);
  ASSERT_EQ(other.solution.status, Status::solved);
  EXPECT_LE(one.residual(pairs.problem()), large_residual);
  EXPECT_LE(other.residual(equations.problem()), large_residual);
  EXPECT_LE(distance(one.solution.a, other.solution.a), 1e-9);
}

TEST(SparseFace, through_solve_both_backends_agree) {
  std::mt19937_64 generator(6);
  for (int k = 0; k < 300; ++k) {
    const auto rows = static_cast<std::uint32_t>(1 + k % 60);
    const Scene scene = scenes::random({.n = 30, .rows = rows, .width = 2}, generator);
    Workspace dense, sparse;
    Solution one, other;
    Options options;
    solve(scene.problem(), options, dense, one);
    options.dense_below = 0;
    solve(scene.problem(), options, sparse, other);
    ASSERT_EQ(one.status, other.status) << k;
    EXPECT_LE(distance(one.a, other.a), 1e-7) << k;
  }
}

TEST(SparseFace, one_row_at_a_time_a_column_costs_what_its_rows_reach) {
  // Beads on a wire, one on the other: the wire holds each on its own.
  constexpr std::uint32_t beads = 60;
  Scene scene;
  scene.mass = linear::Mass(std::vector<double>(2 * beads, 1.0));
  ASSERT_TRUE(scene.mass.factor());
  for (std::uint32_t k = 0; k < beads; ++k) {
    scene.a0.insert(scene.a0.end(), {0.5, -9.81});
    scene.add({{2 * k, 1.0}}, 0, RowKind::equation);
  }
  scene.add({{1, -1.0}}, 0);
  for (std::uint32_t k = 1; k < beads; ++k) scene.add({{2 * k - 1, 1.0}, {2 * k + 1, -1.0}}, 0);
  OneByOne solver;
  Solution solution;
  ASSERT_EQ(solver.run(scene.problem(), {}, 1000, solution, nullptr), Status::solved);
  // The lowest contact carries all the beads above it.
  EXPECT_NEAR(solver.lambda()[beads], 9.81 * beads, 1e-10);
  EXPECT_NEAR(solver.lambda()[2 * beads - 1], 9.81, 1e-10);
  // Sums over all variables for every row held would be some four million products.
  EXPECT_LE(solver.work(), 1'200'000U);
}

/// A hub of mass 5 on strings all around, every third of which would go slack; `twice`: every string is written twice.
Scene star(std::uint32_t strings, bool twice) {
  std::vector<scenes::Point> points(1), forces{{0.3, -9}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t k = 1; k <= strings; ++k) {
    points.push_back({std::cos(0.7 * k), std::sin(0.7 * k)});
    const double pull = k % 3 == 0 ? -0.4 : 1 + std::sin(3.1 * k);
    forces.push_back({pull * points[k].x, pull * points[k].y});
    for (int times = 0; times < (twice ? 2 : 1); ++times) pairs.emplace_back(0, k);
  }
  Scene scene = scenes::strings(points, pairs, forces);
  std::vector<double> masses(2 * points.size(), 1.0);
  masses[0] = masses[1] = 5;
  scene.mass = linear::Mass(masses);
  EXPECT_TRUE(scene.mass.factor());
  return scene;
}

TEST(SparseFace, a_hub_with_many_strings_moves_as_the_dense_backend_says) {
  for (const bool twice : {false, true}) {
    const Scene scene = star(180, twice);
    Workspace dense, sparse;
    Solution one, other;
    Options options;
    options.dense_below = 1000;
    solve(scene.problem(), options, dense, one);
    options.dense_below = 0;
    std::vector<Trial> trials;
    for (const bool tell : {false, true}) {
      solve(scene.problem(), options, sparse, other, tell ? &trials : nullptr);
      ASSERT_EQ(one.status, Status::solved);
      ASSERT_EQ(other.status, Status::solved);
      EXPECT_EQ(other.a.size(), scene.a0.size());
      EXPECT_EQ(other.lambda.size(), scene.h.size());
      EXPECT_EQ(one.rank, other.rank);
      EXPECT_LE(distance(one.a, other.a), 1e-10);
      // Of a string written twice each may carry any part.
      const double off = twice ? 0.0 : distance(one.lambda, other.lambda);
      EXPECT_LE(off, 1e-10);
    }
    for (const Trial& trial : trials) {
      for (const std::uint32_t i : trial.rows) EXPECT_LT(i, scene.h.size());
    }
  }
}

TEST(SparseFace, a_warm_solve_with_the_same_set_allocates_nothing) {
  for (const bool chain : {false, true}) {
    Scene scene = chain ? scenes::chain(800, 1, true, 43) : scenes::net(25, 20, true, 43);
    Workspace workspace;
    Solution solution;
    Options options;
    solve(scene.problem(), options, workspace, solution);
    options.warm = true;
    solve(scene.problem(), options, workspace, solution);
    for (double& x : scene.entry) x *= 1.001;
    const Problem problem = scene.problem();
    const std::size_t before = testing::allocations();
    solve(problem, options, workspace, solution);
    EXPECT_EQ(testing::allocations(), before);
    EXPECT_EQ(solution.status, Status::solved);
    EXPECT_EQ(solution.rounds, 1U);
  }
}

TEST(SparseFace, large_pieces_are_rescued_row_by_row_to_the_same_answer) {
  // The same problems with the dense rescue switched off; a hopeless angle may make it give up, never err.
  std::mt19937_64 generator(47);
  int gave_up = 0;
  for (int k = 0; k < 600; ++k) {
    const auto rows = static_cast<std::uint32_t>(1 + k % 60);
    const Scene scene =
        scenes::random({.n = 25, .rows = rows, .width = 3, .whole = k % 2 == 0, .feasible = k % 3 != 0}, generator);
    const Problem problem = scene.problem();
    Sparse sparse;
    sparse.face.rescue_densely_up_to(0);
    sparse.solve(problem);
    if (sparse.solution.status == Status::gave_up) {
      ++gave_up;
    } else if (sparse.solution.status == Status::infeasible) {
      EXPECT_TRUE(verify_farkas(problem, sparse.solution.farkas)) << k;
    } else {
      EXPECT_LE(coarse_residual(problem, sparse.solution), random_residual) << k;
    }
  }
  EXPECT_LE(gave_up, 1);
}

TEST(SparseFace, a_ring_of_strings_is_cut_where_it_is_slack) {
  for (const bool smooth : {false, true}) {
    const std::uint32_t n = 1500;
    std::vector<scenes::Point> points(n), unit(n);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t k = 0; k < n; ++k) {
      const double angle = 2 * std::numbers::pi * k / n;
      points[k] = {std::cos(angle), std::sin(angle)};
      unit[k] = {static_cast<double>(k) / n, 0};
      pairs.emplace_back(std::min(k, (k + 1) % n), std::max(k, (k + 1) % n));
    }
    const Scene scene = scenes::strings(points, pairs, scenes::forces(unit, smooth, 3));
    Sparse sparse;
    sparse.solve(scene.problem());
    ASSERT_EQ(sparse.solution.status, Status::solved);
    EXPECT_EQ(sparse.face.lines().count(), 1U);
    EXPECT_LE(sparse.solution.rounds, 2U);
    EXPECT_LE(sparse.residual(scene.problem()), large_residual);
  }
}

TEST(SparseFace, a_triangular_net_has_many_more_strings_than_it_needs) {
  // Three strings to a point in the plane: the rows held are dependent, block pivoting alone goes round in circles.
  const std::uint32_t m = 20;
  std::vector<scenes::Point> points, unit;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t j = 0; j < m; ++j) {
    for (std::uint32_t i = 0; i < m; ++i) {
      points.push_back({i + 0.5 * j, j * std::sqrt(0.75)});
      unit.push_back({static_cast<double>(i) / m, static_cast<double>(j) / m});
      if (i + 1 < m) pairs.emplace_back(j * m + i, j * m + i + 1);
      if (j + 1 < m) pairs.emplace_back(j * m + i, j * m + i + m);
      if (i > 0 && j + 1 < m) pairs.emplace_back(j * m + i, j * m + i + m - 1);
    }
  }
  for (const bool smooth : {false, true}) {
    const Scene scene = scenes::strings(points, pairs, scenes::forces(unit, smooth, 3));
    const Problem problem = scene.problem();
    Sparse sparse;
    sparse.solve(problem);
    ASSERT_EQ(sparse.solution.status, Status::solved);
    EXPECT_LE(sparse.residual(problem), large_residual);
    EXPECT_LE(sparse.solution.rounds, 400U);
    OneByOne other;
    Solution unused;
    ASSERT_EQ(other.run(problem, {}, 100000, unused, nullptr), Status::solved);
    EXPECT_LE(distance(sparse.solution.a, other.a()), 1e-9);
  }
}

TEST(SparseFace, told_from_the_free_motion_it_reaches_the_same_answer) {
  const Scene scene = scenes::net(20, 20, false, 29);
  const Problem problem = scene.problem();
  Sparse guessed, told;
  std::vector<Trial> trials;
  guessed.solve(problem);
  tell(problem, told.options, told.face, told.solution, &trials);
  ASSERT_EQ(told.solution.status, Status::solved);
  EXPECT_LE(distance(guessed.solution.a, told.solution.a), 1e-11);
  EXPECT_EQ(guessed.solution.active, told.solution.active);
  ASSERT_EQ(trials.size(), told.solution.rounds);
  EXPECT_TRUE(trials.front().rows.empty());
  EXPECT_TRUE(trials.back().negative.empty() && trials.back().violated.empty());
  EXPECT_EQ(trials.back().rows.size(), told.solution.rank);
}

TEST(SparseFace, a_warm_start_with_the_same_set_takes_one_round_and_orders_nothing) {
  Scene scene = scenes::net(25, 20, true, 31);
  Sparse sparse;
  sparse.solve(scene.problem());
  const std::vector<std::uint8_t> active = sparse.solution.active;

  // New numbers, same set: every row turned a little.
  for (double& x : scene.a0) x *= 1.01;
  for (double& x : scene.entry) x *= 1.001;
  sparse.solve(scene.problem(), true);
  EXPECT_EQ(sparse.solution.rounds, 1U);
  EXPECT_EQ(sparse.solution.active, active);
  EXPECT_LE(sparse.residual(scene.problem()), large_residual);
}

TEST(SparseFace, a_warm_start_with_other_forces_finds_the_other_set) {
  Sparse sparse;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Scene scene = scenes::net(16, 20, seed % 2 == 0, seed);
    sparse.solve(scene.problem(), seed > 0);
    ASSERT_EQ(sparse.solution.status, Status::solved);
    EXPECT_LE(sparse.residual(scene.problem()), large_residual);
    Sparse fresh;
    fresh.solve(scene.problem());
    EXPECT_LE(distance(sparse.solution.a, fresh.solution.a), 1e-9);
  }
}

TEST(SparseFace, a_warm_start_survives_a_new_pattern_and_a_new_size) {
  Sparse sparse;
  std::mt19937_64 generator(41);
  for (int k = 0; k < 60; ++k) {
    const auto rows = static_cast<std::uint32_t>(20 + 5 * (k / 20));
    const Scene scene = scenes::random({.n = 15, .rows = rows, .width = 3, .whole = k % 3 == 0}, generator);
    sparse.solve(scene.problem(), true);
    ASSERT_EQ(sparse.solution.status, Status::solved) << k;
    EXPECT_LE(coarse_residual(scene.problem(), sparse.solution), small_residual) << k;
  }
}

TEST(SparseFace, the_same_problem_gives_the_same_bits) {
  const Scene scene = scenes::net(20, 20, false, 37);
  Sparse one, two;
  one.solve(scene.problem());
  two.solve(scenes::chain(300, 1, true, 2).problem());
  two.solve(scene.problem());
  EXPECT_EQ(one.solution.a, two.solution.a);
  EXPECT_EQ(one.solution.lambda, two.solution.lambda);
}

}  // namespace
}  // namespace zwang::gauss::sparse_face_tests
