/// Rows factored in their order: solutions, dependent rows, and what these are made of.
#include "zwang/linear/row_factor.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace zwang::linear::row_factor_tests {

namespace {

TEST(RowFactor, solves_what_was_multiplied) {
  EXPECT_TRUE(rc::check("random square systems", [] {
    const auto n = static_cast<std::size_t>(*rc::gen::inRange(1, 9));
    const auto number = [] { return *rc::gen::inRange(-1000, 1001) / 100.0; };
    std::vector<double> f(n * n), x(n), b(n, 0.0), found(n);
    for (double& entry : f) entry = number();
    for (double& entry : x) entry = number();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) b[i] += f[i * n + j] * x[j];
    }
    RowFactor factor;
    factor.factor(f, n, n);
    RC_PRE(factor.kept() == n && factor.pivot_part(factor.weakest()) > 1e-3);
    factor.solve(b, found);
    for (std::size_t i = 0; i < n; ++i) RC_ASSERT(std::abs(found[i] - x[i]) <= 1e-9);
  }));
}

TEST(RowFactor, needs_pivots_that_are_not_on_the_diagonal) {
  const std::vector<double> f = {0, 0, 2, 1e-18, 3, 1, 5, 0, 0};
  RowFactor factor;
  factor.factor(f, 3, 3);
  EXPECT_EQ(factor.kept(), 3U);
  std::vector<double> x(3);
  factor.solve(std::vector<double>{4, 8, 10}, x);
  EXPECT_DOUBLE_EQ(x[0], 2);
  EXPECT_DOUBLE_EQ(x[1], 2);
  EXPECT_DOUBLE_EQ(x[2], 2);
}

TEST(RowFactor, skips_rows_that_depend_on_others_before_them) {
  // The third row is 2 first - 3 second; the fifth has no column left.
  const std::vector<double> f = {1, 2, 0, 0, 1, 1, 2, 1, -3, 1, 0, 0, 0, 0, 7};
  RowFactor factor;
  factor.factor(f, 5, 3);
  EXPECT_FALSE(factor.skipped(0));
  EXPECT_FALSE(factor.skipped(1));
  EXPECT_TRUE(factor.skipped(2));
  EXPECT_FALSE(factor.skipped(3));
  EXPECT_TRUE(factor.skipped(4));
  const std::vector<double> made_of = factor.combination(2);
  EXPECT_DOUBLE_EQ(made_of[0], 2);
  EXPECT_DOUBLE_EQ(made_of[1], -3);
  EXPECT_EQ(made_of[3], 0);
  std::vector<double> x(3);
  factor.solve(std::vector<double>{5, 5, 99, 1, 99}, x);
  EXPECT_DOUBLE_EQ(x[0], 1);
  EXPECT_DOUBLE_EQ(x[1], 2);
  EXPECT_DOUBLE_EQ(x[2], 3);
}

TEST(RowFactor, of_a_row_of_zeros_keeps_nothing) {
  RowFactor factor;
  factor.factor(std::vector<double>{0, 0}, 1, 2);
  EXPECT_EQ(factor.kept(), 0U);
  EXPECT_EQ(factor.pivot_part(0), 0);
  std::vector<double> x(2, 7.0);
  factor.solve(std::vector<double>{3}, x);
  EXPECT_EQ(x[0], 0);
}

TEST(RowFactor, names_the_weakest_row) {
  RowFactor factor;
  factor.factor(std::vector<double>{1, 1, 0, 1, 1 + 1e-6, 0, 0, 0, 1e-3}, 3, 3);
  EXPECT_EQ(factor.weakest(), 1U);
  EXPECT_NEAR(factor.pivot_part(1), 1e-6, 1e-11);
  EXPECT_EQ(factor.pivot_part(2), 1);
}

}  // namespace

}  // namespace zwang::linear::row_factor_tests
