/// Sums over members fall apart into summands that mean the same.
#include "zwang/model/compile/summands.hpp"

#include <gtest/gtest.h>

namespace zwang::model::summands_tests {
namespace {

std::vector<Summand> of(std::string_view text) { return summands(expressions::parse_expression(text)); }

TEST(Summands, a_sum_under_factors_keeps_them_for_every_part) {
  // k/2*sum(i = 1..n, a[i] + b[i]): both parts stay one summand, since no sum stands between them.
  const std::vector<Summand> one = of("k/2*sum(i = 1..n, a[i] + b[i])");
  ASSERT_EQ(one.size(), 1U);
  ASSERT_EQ(one[0].ranges.size(), 1U);
  EXPECT_EQ(one[0].ranges[0].name, "i");
  EXPECT_EQ(one[0].syntax.kind, SyntaxKind::product);
  EXPECT_EQ(one[0].syntax.children.size(), 3U);  // k, 2, a[i] + b[i]
}

TEST(Summands, what_has_no_sum_stays_together) {
  const std::vector<Summand> all = of("a + sum(i = 1..2, b[i]) - c - sum(i = 1..3, d[i])");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].ranges.size(), 1U);
  EXPECT_EQ(all[1].ranges.size(), 1U);
  EXPECT_TRUE(all[2].ranges.empty());
  EXPECT_EQ(all[2].syntax.kind, SyntaxKind::sum);
  EXPECT_EQ(all[2].syntax.children.size(), 2U);  // a and -c
  // The subtracted sum has the factor -1.
  ASSERT_EQ(all[1].syntax.kind, SyntaxKind::product);
  EXPECT_EQ(all[1].syntax.children[0].number, -1);
}

TEST(Summands, sums_inside_of_sums_have_both_indices) {
  const std::vector<Summand> all = of("sum(i = 1..3, sum(j = 1..i, a[i,j]))");
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].ranges.size(), 2U);
  EXPECT_EQ(all[0].ranges[0].name, "i");
  EXPECT_EQ(all[0].ranges[1].name, "j");
}

TEST(Summands, a_sum_that_is_squared_or_divided_by_is_left_whole) {
  for (const std::string_view text : {"sum(i = 1..3, a[i])^2", "1/sum(i = 1..3, a[i])", "sqrt(sum(i = 1..3, a[i]))"}) {
    const std::vector<Summand> all = of(text);
    ASSERT_EQ(all.size(), 1U) << text;
    EXPECT_TRUE(all[0].ranges.empty()) << text;
  }
}

}  // namespace
}  // namespace zwang::model::summands_tests
