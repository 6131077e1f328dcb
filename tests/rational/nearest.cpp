/// The nearest point in fractions: every verdict proved from the definitions.
#include "zwang/rational/nearest.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace zwang::rational::nearest_tests {
namespace {

Row row(const std::vector<int>& entries, int h, bool equation) {
  Row out{{}, h, equation};
  for (std::uint32_t j = 0; j < entries.size(); ++j) {
    if (entries[j] != 0) out.entries.emplace_back(j, entries[j]);
  }
  return out;
}

Problem free_point(const std::vector<int>& a0, const std::vector<int>& masses) {
  Problem problem;
  for (std::uint32_t j = 0; j < a0.size(); ++j) {
    problem.a0.emplace_back(a0[j]);
    problem.mass.push_back({{j}, {masses[j]}});
  }
  return problem;
}

TEST(ExactNearest, a_weight_on_a_floor) {
  Problem problem = free_point({0, -10}, {2, 2});
  problem.rows.push_back(row({0, -1}, 0, false));
  const Answer answer = nearest_point(problem);
  ASSERT_EQ(answer.verdict, Verdict::nearest);
  EXPECT_EQ(answer.a[1], Number(0));
  EXPECT_EQ(answer.lambda[0], Number(20));
  EXPECT_EQ(refute(problem, answer), "");
  EXPECT_TRUE(unique_multipliers(problem, answer));

  // With its own answer to begin with nothing is changed.
  EXPECT_EQ(nearest_point(problem, answer.held).changes, 0U);
}

TEST(ExactNearest, of_a_full_mass_matrix) {
  Problem problem;
  problem.a0 = {1, 0};
  problem.mass.push_back({{0, 1}, {2, 1, 1, 1}});
  problem.rows.push_back(row({1, 0}, 0, true));
  const Answer answer = nearest_point(problem);
  // M (a - a0) + J^T lambda = 0 with a_0 = 0: -2 + d + lambda = 0, -1 + d = 0.
  EXPECT_EQ(answer.a[1], Number(1));
  EXPECT_EQ(answer.lambda[0], Number(1));
  EXPECT_EQ(refute(problem, answer), "");
  problem.mass[0].entries[3] = Number(1) / Number(2);
  EXPECT_EQ(nearest_point(problem).verdict, Verdict::no_metric);
}

TEST(ExactNearest, a_table_on_four_legs_has_many_multipliers) {
  Problem problem = free_point({0, 0, -1}, {1, 1, 1});
  for (const auto& [x, y] : {std::pair(1, 1), {1, -1}, {-1, 1}, {-1, -1}})
    problem.rows.push_back(row({x, y, -1}, 0, false));
  const Answer answer = nearest_point(problem);
  EXPECT_EQ(refute(problem, answer), "");
  EXPECT_FALSE(unique_multipliers(problem, answer));
  const std::vector<Dependence> redundant = dependences(problem.rows, 3);
  ASSERT_EQ(redundant.size(), 1U);
  EXPECT_EQ(redundant[0].row, 3U);
  EXPECT_EQ(redundant[0].combination.size(), 3U);
}

TEST(ExactNearest, a_wrong_answer_is_refuted) {
  Problem problem = free_point({1, 0}, {1, 1});
  problem.rows.push_back(row({1, 0}, 0, false));
  problem.rows.push_back(row({0, 1}, -1, false));
  const Answer right = nearest_point(problem);
  EXPECT_EQ(refute(problem, right), "");
  Answer wrong = right;
  wrong.a[0] += Number::of(0x1p-200);
  EXPECT_NE(refute(problem, wrong), "");
  wrong = right;
  wrong.lambda[0] = -wrong.lambda[0];
  EXPECT_NE(refute(problem, wrong), "");
  wrong = right;
  wrong.lambda[1] = 1;
  wrong.a[1] = -1;
  EXPECT_NE(refute(problem, wrong), "") << "an open row must not push";
  wrong = right;
  wrong.verdict = Verdict::contradictory;
  wrong.farkas = {1, 1};
  EXPECT_NE(refute(problem, wrong), "");
}

/// Small whole numbers, copies and negatives of rows, so that ties, dependence and contradictions abound; or doubles of all sizes.
Problem random_problem(std::mt19937_64& random, bool wild) {
  const std::size_t n = 1 + random() % 4, r = 1 + random() % 7;
  std::normal_distribution<double> normal;
  const auto any = [&]() -> Number {
    if (!wild) return static_cast<int>(random() % 5) - 2;
    return Number::of(normal(random) * std::exp2(static_cast<double>(random() % 81) - 40));
  };
  Problem problem;
  for (std::uint32_t j = 0; j < n; ++j) {
    problem.a0.push_back(any());
    problem.mass.push_back(
        {{j},
         {wild ? Number::of(std::exp2(static_cast<double>(random() % 41) - 20)) : 1 + static_cast<int>(random() % 3)}});
  }
  for (std::size_t i = 0; i < r; ++i) {
    Row one{{}, any(), random() % 4 == 0};
    if (i > 0 && random() % 3 == 0) {
      const Number factor = random() % 2 == 0 ? -1 : 2;
      for (const auto& [column, entry] : problem.rows[random() % i].entries)
        one.entries.emplace_back(column, factor * entry);
    } else {
      for (std::uint32_t j = 0; j < n; ++j) {
        if (random() % 3 != 0) one.entries.emplace_back(j, any());
      }
    }
    problem.rows.push_back(std::move(one));
  }
  return problem;
}

TEST(ExactNearest, every_verdict_is_proved_whatever_the_start) {
  std::mt19937_64 random(7);
  int contradictory = 0;
  for (int k = 0; k < 6000; ++k) {
    const Problem problem = random_problem(random, k % 4 == 0);
    const Answer cold = nearest_point(problem);
    ASSERT_EQ(refute(problem, cold), "") << k;
    std::vector<std::uint32_t> start;
    for (std::uint32_t i = 0; i < problem.rows.size(); ++i) {
      if (random() % 2 == 0) start.push_back(i);
    }
    const Answer warm = nearest_point(problem, start);
    ASSERT_EQ(refute(problem, warm), "") << k;
    ASSERT_EQ(cold.verdict, warm.verdict) << k;
    if (cold.verdict == Verdict::nearest) {
      ASSERT_EQ(cold.a, warm.a) << "the nearest point is one: " << k;
      // Unique multipliers are the same from every start.
      if (unique_multipliers(problem, cold)) {
        ASSERT_EQ(cold.lambda, warm.lambda) << k;
      }
    } else {
      ++contradictory;
    }
  }
  EXPECT_GT(contradictory, 500);
}

}  // namespace
}  // namespace zwang::rational::nearest_tests
