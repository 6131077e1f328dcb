/// What is claimed is true: contradictions against exact arithmetic and with their proofs, answers with their gap, uncertain data, and
/// an end in time.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "exact.hpp"
#include "instance.hpp"
#include "sparse_scenes.hpp"
#include "zwang/gauss.hpp"
#include "zwang/gauss/tolerances.hpp"

namespace zwang::gauss::testing::claims_tests {
namespace {

constexpr RowKind equation = RowKind::equation;
constexpr RowKind inequality = RowKind::inequality;

Solution answer(const Problem& problem) {
  Workspace workspace;
  Solution solution;
  Options options;
  options.long_multipliers = true;
  solve(problem, options, workspace, solution);
  if (solution.status == Status::infeasible) {
    EXPECT_TRUE(verify_farkas(problem, solution.farkas));
  }
  if (solution.status == Status::solved) {
    std::vector<double> scratch;
    EXPECT_TRUE(certified(verify(problem, solution.a, solution.lambda, scratch, solution.lambda_low)));
  }
  return solution;
}

// ------------------------------------------------------------------------------------------------ against exact arithmetic

TEST(Claims, four_rows_that_nearly_contradict_each_other_do_not) {
  // Three of them meet in one point; its y is a difference of 1e-12 over one of 6e-14.
  Instance instance = free_points({0, 0, 0}, {2, 3, 4});
  instance.add_row({1.0000000000004414, 0, 0.99999999999889122}, -0.99999999999888334, inequality);
  instance.add_row({-0.99999999999897671, 6.072679593069778e-14, -1.0000000000013933}, 1.0000000000014408, inequality);
  instance.add_row({0, 0, -0.99999999999794598}, -0.99999999999938827, equation);
  instance.add_row({0, 1.0000000000006022, 0.99999999999961464}, -0.99999999999985023, inequality);
  const Solution solution = answer(instance.problem());
  ASSERT_EQ(solution.status, Status::solved);
  const auto expected = exact_nearest_point(instance.problem());
  ASSERT_TRUE(expected);
  for (std::size_t j = 0; j < 3; ++j) {
    const auto value = (*expected)[j].convert_to<double>();
    EXPECT_NEAR(solution.a[j], value, 1e-15 * std::abs(value)) << j;
  }

  // Its multipliers are large and cancel: who does not read all of their digits gets no answer.
  EXPECT_FALSE(solution.lambda_low.empty());
  Workspace workspace;
  Solution short_one;
  solve(instance.problem(), {}, workspace, short_one);
  EXPECT_EQ(short_one.status, Status::gave_up);
}

/// Rows of entries -1, 0, 1, some of them copies or negatives of others; then every entry or only the offsets changed by parts of
/// the given size.
Instance nearly_dependent(std::mt19937_64& random, double size, bool offsets_only) {
  std::normal_distribution<double> normal;
  const std::size_t n = 1 + random() % 3, r = 1 + random() % 6;
  const auto whole = [&](int most) {
    return static_cast<double>(random() % static_cast<std::uint64_t>(2 * most + 1)) - most;
  };
  std::vector<double> masses(n), a0(n);
  for (double& mass : masses) mass = 1.0 + static_cast<double>(random() % 4);
  for (double& value : a0) value = random() % 3 != 0 ? 0.0 : whole(2);
  Instance instance = free_points(a0, masses);
  for (std::size_t i = 0; i < r; ++i) {
    std::vector<double> row(n);
    double h = whole(1);
    if (i > 0 && random() % 2 == 0) {
      const std::size_t other = random() % i;
      const double sign = random() % 2 == 0 ? 1 : -1;
      row = instance.row(other);
      h = sign * instance.h[other];
      for (double& value : row) value *= sign;
      const std::uint64_t sort = random() % 4;
      if (sort > 0 && offsets_only) h += sort == 1 ? size : (sort == 2 ? -size : whole(1));
    } else {
      for (double& value : row) value = whole(1);
    }
    if (!offsets_only) {
      for (double& value : row) {
        if (value != 0) {
          value *= 1 + size * normal(random);
        } else if (random() % 4 == 0) {
          value = 0.3 * size * normal(random);
        }
      }
      if (random() % 2 == 0) h *= 1 + size * normal(random);
    }
    instance.add_row(row, h, random() % 4 == 0 ? equation : inequality);
  }
  return instance;
}

/// How the verdicts on many such sets compare with the exact ones.
struct Verdicts {
  int right = 0;          ///< both say the same, and the points agree
  int within_bounds = 0;  ///< contradictory or elsewhere by no more than rows are known to
  int far_away = 0;       ///< the exact point is beyond reach
  int gave_up = 0;
};

Verdicts compared(std::uint64_t seed, int many, double size, bool offsets_only) {
  std::mt19937_64 random(seed);
  Verdicts verdicts;
  std::vector<double> scratch;
  for (int k = 0; k < many; ++k) {
    const Instance instance = nearly_dependent(random, size, offsets_only);
    const Problem problem = instance.problem();
    const Solution solution = answer(problem);
    const auto exact = exact_nearest_point(problem);
    double extent = 1, distance = 0;
    for (std::size_t j = 0; exact && j < problem.n(); ++j) {
      const auto value = (*exact)[j].convert_to<double>();
      extent = std::max(extent, std::abs(value));
      distance = std::max(distance, std::abs(value - solution.a[j]));
    }
    switch (solution.status) {
      case Status::gave_up: ++verdicts.gave_up; break;
      case Status::infeasible:
        // What is called a contradiction is one, or admits only points that rounding of the entries made.
        if (exact) {
          EXPECT_GT(extent, reach) << k;
          ++verdicts.far_away;
        } else {
          ++verdicts.right;
        }
        break;
      case Status::solved:
        if (exact && distance <= 1e-9 * extent) {
          ++verdicts.right;
          break;
        }
        // Else every row holds but for some roundings of its terms, and of those of the rows it depends on.
        ++verdicts.within_bounds;
        EXPECT_LE(verify(problem, solution.a, solution.lambda, scratch, solution.lambda_low).broken, broken_bound) << k;
        break;
    }
  }
  return verdicts;
}

TEST(Claims, rows_a_few_1e_13_apart_are_judged_as_exact_arithmetic_judges_them) {
  for (const double size : {3e-13, 1e-11, 1e-8}) {
    const int many = 600;
    const Verdicts verdicts = compared(1, many, size, false);
    EXPECT_GE(verdicts.right, many * 92 / 100) << size;
    EXPECT_LE(verdicts.within_bounds, size < 1e-12 ? many * 6 / 100 : many * 2 / 100) << size;
    EXPECT_LE(verdicts.far_away, many / 200) << size;
    EXPECT_LE(verdicts.gave_up, many * 4 / 100) << size;
  }
}

TEST(Claims, copies_and_negatives_of_rows_are_judged_as_exact_arithmetic_judges_them) {
  for (const double size : {1e-12, 1e-9, 1.0}) {
    const int many = 600;
    const Verdicts verdicts = compared(2, many, size, true);
    EXPECT_EQ(verdicts.right, many) << size;
  }
}

// ------------------------------------------------------------------------------------------------ proofs

TEST(Claims, three_walls_at_120_degrees_leave_no_room_however_they_are_turned) {
  // Their normals add up to zero only as far as sines and cosines are known.
  for (int k = 0; k < 200; ++k) {
    Instance instance = free_points({0.1, -0.2});
    for (int wall = 0; wall < 3; ++wall) {
      const double angle = 0.1 * k + 2 * std::numbers::pi / 3 * wall;
      instance.add_row({std::cos(angle), std::sin(angle)}, 0.5 + 0.01 * wall, inequality);
    }
    const Solution closed = answer(instance.problem());
    ASSERT_EQ(closed.status, Status::infeasible) << k;
    for (double& h : instance.h) h = 0;
    const Solution touching = answer(instance.problem());
    ASSERT_EQ(touching.status, Status::solved) << k;
    EXPECT_NEAR(touching.a[0], 0, 1e-15) << k;
    EXPECT_NEAR(touching.a[1], 0, 1e-15) << k;
  }
}

TEST(Claims, a_proof_needs_signs_columns_and_a_positive_offset) {
  Instance instance = free_points({0, 0});
  instance.add_row({1, 1}, 1, inequality);
  instance.add_row({-1, -1}, 1, inequality);
  instance.add_row({1, -1}, 0, inequality);
  const Problem problem = instance.problem();
  EXPECT_TRUE(verify_farkas(problem, std::vector<double>{1, 1, 0}));
  EXPECT_TRUE(verify_farkas(problem, std::vector<double>{0.3, 0.3, 0}));
  EXPECT_FALSE(verify_farkas(problem, std::vector<double>{-1, -1, 0}));
  EXPECT_FALSE(verify_farkas(problem, std::vector<double>{1, 1 + 1e-14, 0}));
  EXPECT_FALSE(verify_farkas(problem, std::vector<double>{1, 1, 1e-14}));
  EXPECT_FALSE(verify_farkas(problem, std::vector<double>{1, 1}));
  EXPECT_FALSE(verify_farkas(problem, std::vector<double>{0, 0, 0}));
  instance.h[1] = -1;
  EXPECT_FALSE(verify_farkas(problem, std::vector<double>{1, 1, 0}));
}

// ------------------------------------------------------------------------------------------------ uncertain data

TEST(Claims, redundant_equations_agree_within_their_bounds_and_contradict_beyond_them) {
  for (const double error : {1e-10, 1e-8}) {
    Instance instance = free_points({1, 2, 3});
    instance.add_row({1, 1, 0}, -1, equation);
    instance.add_row({0, 1, 1}, -2, equation);
    instance.add_row({1, 2, 1}, -3 + error, equation);
    Problem problem = instance.problem();
    EXPECT_EQ(answer(problem).status, Status::infeasible);
    const std::vector<double> bounds(3, 1e-9);
    problem.h_bound = bounds;
    EXPECT_EQ(answer(problem).status, error < 1e-9 ? Status::solved : Status::infeasible);
  }
}

TEST(Claims, entries_known_badly_contradict_nothing_that_they_could_permit) {
  Instance instance = free_points({0, 0});
  instance.add_row({1, 1}, 1, inequality);
  instance.add_row({-1, -1}, 1, inequality);
  Problem problem = instance.problem();
  EXPECT_EQ(answer(problem).status, Status::infeasible);

  // Within 1e-13 of these entries the rows still exclude all accelerations that are not enormous; within 1e-3 they do not.
  const std::vector<double> good(4, 1e-13), bad(4, 1e-3);
  problem.entry_bound = good;
  EXPECT_EQ(answer(problem).status, Status::infeasible);
  problem.entry_bound = bad;
  EXPECT_NE(answer(problem).status, Status::infeasible);

  // Nearly the same row twice, as equations: different rows as they stand, one row as far as it is known.
  Instance twice = free_points({0, 1});
  twice.add_row({1, 0}, 0, equation);
  twice.add_row({1, 1e-12}, 0, equation);
  Problem nearly = twice.problem();
  const Solution apart = answer(nearly);
  ASSERT_EQ(apart.status, Status::solved);
  EXPECT_NEAR(apart.a[1], 0, 1e-12);
  const std::vector<double> bounds(4, 1e-11);
  nearly.entry_bound = bounds;
  const Solution one = answer(nearly);
  ASSERT_EQ(one.status, Status::solved);
  EXPECT_NEAR(one.a[1], 1, 1e-12);
}

// ------------------------------------------------------------------------------------------------ the gap

TEST(Claims, the_gap_is_primal_less_dual_objective_over_their_sizes) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> scratch;
  for (int k = 0; k < 100; ++k) {
    const Planted problem = planted(5, 4, random);
    const Problem view = problem.instance.problem();
    std::vector<double> a = problem.a, lambda = problem.lambda;
    for (double& value : a) value += 1e-3 * normal(random);
    for (double& value : lambda) value *= 1 + 1e-3 * normal(random);

    // From the definitions.
    double primal = 0, dual = 0;
    std::vector<double> force(5, 0.0);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::vector<double> row = problem.instance.row(i);
      dual += lambda[i] * std::inner_product(row.begin(), row.end(), view.a0.begin(), view.h[i]);
      for (std::size_t j = 0; j < 5; ++j) force[j] += row[j] * lambda[i];
    }
    for (std::size_t j = 0; j < 5; ++j) {
      const double mass = problem.instance.mass.diagonal()[j];
      primal += 0.5 * mass * (a[j] - view.a0[j]) * (a[j] - view.a0[j]);
      dual -= 0.5 * force[j] * force[j] / mass;
    }
    const double gap = verify(view, a, lambda, scratch).gap;
    // A hundredth for the floor of its size, which counts for points that hardly move.
    EXPECT_NEAR(gap, std::abs(primal - dual) / (primal + std::abs(dual)), 1e-2 * gap) << k;
    EXPECT_FALSE(certified(verify(view, a, lambda, scratch)));
    EXPECT_LE(verify(view, problem.a, problem.lambda, scratch).gap, 1e-14) << k;
  }
}

/// The nearest sequence to c_i = g(t_i) + sin(i) / 10 whose k-th differences are not negative (Li and Swetits).
scenes::Scene smoothed(std::uint32_t count, std::uint32_t k, double (*g)(double)) {
  scenes::Scene scene;
  const std::uint32_t n = count + k;
  scene.mass = linear::Mass(std::vector<double>(n, 1.0));
  if (!scene.mass.factor()) std::abort();
  for (std::uint32_t i = 0; i < n; ++i) {
    scene.a0.push_back(g(static_cast<double>(i) / (n - 1)) + 0.1 * std::sin(static_cast<double>(i + 1)));
  }
  std::vector<double> binomial(1, 1.0);
  for (std::uint32_t i = 1; i <= k; ++i) binomial.push_back(binomial.back() * (k - i + 1) / i);
  for (std::uint32_t j = 0; j < count; ++j) {
    std::vector<std::pair<std::uint32_t, double>> row;
    for (std::uint32_t i = 0; i <= k; ++i) row.emplace_back(j + i, (k - i) % 2 == 0 ? -binomial[i] : binomial[i]);
    scene.add(row, 0);
  }
  return scene;
}

TEST(Claims, the_convex_sequence_nearest_to_a_concave_one_is_the_regression_line) {
  // All rows bind, and their dual matrix has the condition n^4. Closed form: least squares by a line.
  for (const std::uint32_t count : {1000U, 4000U}) {
    const scenes::Scene scene = smoothed(count, 2, [](double t) { return std::sqrt(t); });
    const Problem problem = scene.problem();
    const Solution solution = answer(problem);
    ASSERT_EQ(solution.status, Status::solved) << count;
    const auto n = static_cast<double>(problem.n());
    long double mean = 0, slope = 0, square = 0;
    for (std::size_t i = 0; i < problem.n(); ++i) mean += problem.a0[i] / n;
    for (std::size_t i = 0; i < problem.n(); ++i) {
      const long double t = static_cast<long double>(i) - (n - 1) / 2;
      slope += t * problem.a0[i];
      square += t * t;
    }
    slope /= square;
    for (std::size_t i = 0; i < problem.n(); ++i) {
      const auto line = static_cast<double>(mean + slope * (static_cast<long double>(i) - (n - 1) / 2));
      ASSERT_NEAR(solution.a[i], line, 1e-13) << count << " at " << i;
    }
  }
}

TEST(Claims, smooth_sequences_are_found_to_the_last_digit_of_the_objective_or_not_at_all) {
  std::vector<double> scratch;
  const auto wave = [](double t) { return std::sin(3 * t); };
  const auto cube = [](double t) { return t * t * t; };
  for (const std::uint32_t k : {2U, 3U, 4U}) {
    for (double (*const g)(double) : {+wave, +cube}) {
      for (const std::uint32_t count : {100U, 600U}) {
        const scenes::Scene scene = smoothed(count, k, g);
        const Solution solution = answer(scene.problem());
        if (k < 4) {
          EXPECT_EQ(solution.status, Status::solved) << k << " " << count;
        }
        EXPECT_NE(solution.status, Status::infeasible) << k << " " << count;
      }
    }
  }
}

// ------------------------------------------------------------------------------------------------ an end in time

/// Rows of a linear program: short, over some decades, many of them through one vertex, with x >= 0 and, if asked for, one row that
/// contradicts a combination of others by the given part.
struct Program {
  const char* name;
  std::uint32_t variables, rows, width;
  double decades, contradiction;
  bool signs, equations, whole;
  std::size_t most_rounds;
};

scenes::Scene program(const Program& what, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  scenes::Scene scene;
  const std::uint32_t n = what.variables;
  scene.mass = linear::Mass(std::vector<double>(n, 1.0));
  if (!scene.mass.factor()) std::abort();
  scene.a0.assign(n, 0.0);
  const auto scale = [&] { return std::pow(10.0, what.decades * (uniform(random) - 0.5)); };
  std::vector<double> column(n), inside(n);
  for (double& value : column) value = scale();
  for (double& value : inside) {
    value = random() % 2 != 0 ? 0.0 : (what.whole ? static_cast<double>(random() % 5) : 3 * uniform(random));
  }
  std::vector<std::vector<std::pair<std::uint32_t, double>>> rows;
  std::vector<double> offsets;
  for (std::uint32_t i = 0; i < what.rows; ++i) {
    const double size = scale();
    std::vector<double> dense(n, 0.0);
    for (std::uint32_t e = 0; e < what.width; ++e) {
      dense[random() % n] = what.whole ? static_cast<double>(random() % 7) - 3 : normal(random);
    }
    std::vector<std::pair<std::uint32_t, double>> row;
    double value = 0;
    for (std::uint32_t j = 0; j < n; ++j) {
      if (dense[j] == 0) continue;
      row.emplace_back(j, dense[j] * size * column[j]);
      value += row.back().second * inside[j];
    }
    const bool held = what.equations && random() % 2 == 0;
    const double slack = held || random() % 2 == 0 ? 0.0 : size * uniform(random);
    rows.push_back(row);
    offsets.push_back(-value - slack);
    scene.add(row, offsets.back(), held ? equation : inequality);
  }
  if (what.contradiction > 0) {
    std::vector<double> sum(n, 0.0);
    double h = 0, terms = 0;
    const std::uint64_t count = 10 + random() % 20;
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::size_t i = random() % rows.size();
      double largest = 0;
      for (const auto& [j, value] : rows[i]) largest = std::max(largest, std::abs(value));
      const double y =
          what.whole ? 1.0 + static_cast<double>(random() % 3) : (0.5 + uniform(random)) / std::max(largest, 1e-30);
      for (const auto& [j, value] : rows[i]) sum[j] += y * value;
      h += y * offsets[i];
      terms += std::abs(y * offsets[i]);
    }
    std::vector<std::pair<std::uint32_t, double>> row;
    for (std::uint32_t j = 0; j < n; ++j) {
      if (sum[j] != 0) row.emplace_back(j, -sum[j]);
    }
    scene.add(row, -h + what.contradiction * terms);
  }
  if (what.signs) {
    for (std::uint32_t j = 0; j < n; ++j) scene.add({{j, -1.0}}, 0.0);
  }
  return scene;
}

TEST(Claims, contradictory_programs_are_proved_in_few_rounds) {
  // Shapes of Netlib's infeasible problems klein3, vol1, pang, cplex2; the counts are about twice those seen.
  const Program programs[] = {{"klein", 88, 900, 30, 0, 1e-2, true, false, true, 500},
                              {"klein, nearly feasible", 88, 900, 30, 2, 1e-6, true, false, false, 900},
                              {"vol", 460, 320, 6, 3, 1e-3, true, true, false, 1600},
                              {"pang", 460, 360, 5, 4, 1e-6, true, true, false, 2800},
                              {"cplex", 221, 224, 8, 6, 1e-6, true, true, false, 3800},
                              {"cplex, whole numbers", 221, 224, 8, 0, 1e-8, true, true, true, 1200},
                              {"rows alone", 500, 500, 10, 4, 1e-6, false, true, false, 800},
                              {"eight decades", 50, 60, 10, 8, 1e-6, true, true, false, 400}};
  for (const Program& what : programs) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const scenes::Scene scene = program(what, seed);
      const Solution solution = answer(scene.problem());
      EXPECT_EQ(solution.status, Status::infeasible) << what.name << " " << seed;
      EXPECT_LE(solution.rounds, what.most_rounds) << what.name << " " << seed;
    }
  }
}

/// A production model: four balances in each period, with stocks handed on to the next and rows over six decades; every number is dyadic, so
/// that the last row contradicts a combination of two thirds of all balances by exactly the given part of its terms, or leaves it
/// that much room if the part is negative.
scenes::Scene production(std::uint32_t periods, double part, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  constexpr std::uint32_t each = 8;
  scenes::Scene scene;
  const std::uint32_t n = each * periods;
  scene.mass = linear::Mass(std::vector<double>(n, 1.0));
  if (!scene.mass.factor()) std::abort();
  for (std::uint32_t j = 0; j < n; ++j) scene.a0.push_back(static_cast<double>(between(-100, 100)) / 128);
  std::vector<double> sum(n, 0.0);
  double offset = 0, terms = 0;
  const auto add = [&](const std::vector<double>& dense, double h, RowKind kind) {
    std::vector<std::pair<std::uint32_t, double>> row;
    for (std::uint32_t j = 0; j < n; ++j) {
      if (dense[j] != 0) row.emplace_back(j, dense[j]);
    }
    scene.add(row, h, kind);
  };
  for (std::uint32_t t = 0; t < periods; ++t) {
    for (std::uint32_t q = 0; q < 4; ++q) {
      std::vector<double> row(n, 0.0);
      row[t * each + q] += 1;
      row[t * each + 4 + static_cast<std::uint32_t>(between(0, 3))] -= std::ldexp(between(1, 7), between(-3, 1));
      if (t + 1 < periods) row[(t + 1) * each + q] -= 1;
      if (random() % 2 == 0) row[t * each + static_cast<std::uint32_t>(between(0, 7))] += std::ldexp(1, between(-3, 3));
      const int unit = between(-8, 12);
      const double h = std::ldexp(between(-50, 50), unit);
      for (double& x : row) x = std::ldexp(x, unit);
      add(row, h, equation);
      if (random() % 3 == 0) continue;
      const double y = std::ldexp(random() % 2 == 0 ? 1 : -3, between(-3, 3) - unit);
      for (std::uint32_t j = 0; j < n; ++j) sum[j] -= y * row[j];
      offset += y * h;
      terms += std::abs(y * h);
    }
  }
  add(sum, part * terms - offset, inequality);
  for (std::uint32_t j = 0; j < n; ++j) scene.add({{j, -1.0}}, 0.0);
  return scene;
}

TEST(Claims, production_models_that_fail_by_a_hair_are_proved_to_and_those_that_just_hold_are_solved) {
  for (const std::uint32_t periods : {12U, 50U, 75U, 200U}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      for (const double part : {3e-5, 1e-6}) {
        const Solution proved = answer(production(periods, part, seed).problem());
        EXPECT_EQ(proved.status, Status::infeasible) << periods << " " << seed << " " << part;
        const Solution solved = answer(production(periods, -part, seed).problem());
        EXPECT_EQ(solved.status, Status::solved) << periods << " " << seed << " " << part;
      }
    }
  }
}

TEST(Claims, programs_with_a_degenerate_vertex_are_solved_in_few_rounds) {
  const Program programs[] = {{"klein", 88, 900, 30, 2, 0, true, false, false, 1000},
                              {"pang", 460, 360, 5, 4, 0, true, true, false, 1700},
                              {"cplex", 221, 224, 8, 6, 0, true, true, false, 2700}};
  for (const Program& what : programs) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const scenes::Scene scene = program(what, seed);
      const Solution solution = answer(scene.problem());
      EXPECT_EQ(solution.status, Status::solved) << what.name << " " << seed;
      EXPECT_LE(solution.rounds, what.most_rounds) << what.name << " " << seed;
    }
  }
}

TEST(Claims, a_limit_on_rounds_ends_honestly) {
  const scenes::Scene scene = program({"cplex", 221, 224, 8, 6, 1e-6, true, true, false, 0}, 1);
  Workspace workspace;
  Solution solution;
  Options options;
  options.most_rounds = 20;
  solve(scene.problem(), options, workspace, solution);
  EXPECT_EQ(solution.status, Status::gave_up);
  EXPECT_LE(solution.rounds, 25U);
  EXPECT_TRUE(solution.farkas.empty());
}

// ------------------------------------------------------------------------------------------------ units, order, copies

/// A planted problem, some with a row that contradicts another one.
Instance planted_or_jammed(std::mt19937_64& random) {
  const std::size_t n = 2 + random() % 10;
  Instance instance = planted(n, 1 + random() % n, random, random() % 2 == 0).instance;
  if (random() % 2 == 0) {
    // The first row once more, the other way round and out of reach.
    std::vector<double> row = instance.row(0);
    for (double& value : row) value = -value;
    instance.add_row(row, 1 - instance.h[0], inequality);
  }
  return instance;
}

/// A set of rows of any of the kinds above.
Instance any_rows(std::mt19937_64& random) {
  const std::uint64_t sort = random() % 3;
  if (sort == 0) return nearly_dependent(random, 3e-13, false);
  if (sort == 1) return nearly_dependent(random, 1e-9, true);
  return planted_or_jammed(random);
}

TEST(Claims, units_scale_the_answer_bit_by_bit) {
  EXPECT_TRUE(rc::check("masses by powers of four, accelerations and rows by powers of two", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
    const Instance instance = any_rows(random);
    const int mass = 2 * *rc::gen::inRange(-20, 20), size = *rc::gen::inRange(-40, 40);
    // Rows that are copies of each other are recognised as such: they keep the same unit.
    const std::vector<int> row(instance.h.size(), *rc::gen::inRange(-30, 30));

    // m -> 4^k m, a -> 2^s a, row i -> 2^e_i row i.
    std::vector<double> masses(instance.mass.diagonal().begin(), instance.mass.diagonal().end()), a0 = instance.a0;
    for (double& value : masses) value = std::ldexp(value, mass);
    for (double& value : a0) value = std::ldexp(value, size);
    Instance other = free_points(a0, masses);
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::vector<double> entries = instance.row(i);
      for (double& value : entries) value = std::ldexp(value, row[i]);
      other.add_row(entries, std::ldexp(instance.h[i], row[i] + size), instance.kind[i]);
    }
    const Solution one = answer(instance.problem()), scaled = answer(other.problem());
    RC_ASSERT(one.status == scaled.status);
    RC_ASSERT(one.rounds == scaled.rounds);
    if (one.status != Status::solved) return;
    for (std::size_t j = 0; j < one.a.size(); ++j) RC_ASSERT(std::ldexp(one.a[j], size) == scaled.a[j]);
    for (std::size_t i = 0; i < row.size(); ++i) {
      RC_ASSERT(std::ldexp(one.lambda[i], mass + size - row[i]) == scaled.lambda[i]);
    }
  }));
}

TEST(Claims, order_copies_and_factors_of_rows_change_no_verdict) {
  EXPECT_TRUE(rc::check("rows shuffled, written twice, times 1e6, 1e-6 or a power of two", [] {
    // Rows that contradict each other by more than their rounding or not at all.
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
    const Instance instance =
        random() % 2 == 0 ? nearly_dependent(random, random() % 2 == 0 ? 1e-3 : 1e-9, true) : planted_or_jammed(random);
    std::vector<std::size_t> order(instance.h.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i < instance.h.size(); i += 2) order.push_back(i);
    std::shuffle(order.begin(), order.end(), random);
    Instance other;
    other.mass = instance.mass;
    other.a0 = instance.a0;
    for (const std::size_t i : order) {
      const double factor =
          random() % 3 == 0 ? 1e6 : (random() % 2 == 0 ? 1e-6 : std::ldexp(1.0, static_cast<int>(random() % 80) - 40));
      std::vector<double> row = instance.row(i);
      for (double& value : row) value *= factor;
      other.add_row(row, factor * instance.h[i], instance.kind[i]);
    }
    const Solution one = answer(instance.problem()), again = answer(other.problem());
    RC_ASSERT(one.status == again.status);
    if (one.status != Status::solved) return;
    double size = 1;
    for (const double value : one.a) size = std::max(size, std::abs(value));
    for (std::size_t j = 0; j < one.a.size(); ++j) RC_ASSERT(std::abs(one.a[j] - again.a[j]) <= 1e-9 * size);
  }));
}

}  // namespace
}  // namespace zwang::gauss::testing::claims_tests
