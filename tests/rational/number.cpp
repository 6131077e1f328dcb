/// Rational numbers: what is typed, what a double is, roots, and the way back.
#include "zwang/rational/number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace zwang::rational::number_tests {
namespace {

TEST(Number, means_what_was_typed) {
  EXPECT_EQ(Number::read("0.1")->text(), "1/10");
  EXPECT_EQ(Number::read("-9.810")->text(), "-981/100");
  EXPECT_EQ(Number::read("+1_000.5e-3")->text(), "2001/2000");
  EXPECT_EQ(Number::read("3E2")->text(), "300");
  EXPECT_EQ(Number::read(".5")->text(), "1/2");
  EXPECT_EQ(Number::read("0.000")->text(), "0");
  for (const char* none : {"", "-", ".", "1e", "0x10", "1.2.3", "inf", "1e99999", "2 "}) {
    EXPECT_FALSE(Number::read(none)) << none;
  }
}

TEST(Number, of_a_double_is_the_double_and_goes_back_to_it) {
  EXPECT_EQ(Number::of(0.75).text(), "3/4");
  EXPECT_EQ(Number::of(0.1).text(), "3602879701896397/36028797018963968");
  std::mt19937_64 random(1);
  for (int k = 0; k < 20000; ++k) {
    const std::uint64_t bits = random();
    double value = 0;
    static_assert(sizeof(value) == sizeof(bits));
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(Number::of(value).approximate(), value);
  }
}

TEST(Number, is_rounded_to_the_nearest_double) {
  EXPECT_EQ((Number(1) / Number(3)).approximate(), 1.0 / 3);
  EXPECT_EQ((Number(-2) / Number(3)).approximate(), -2.0 / 3);
  EXPECT_EQ(Number::read("0.1")->approximate(), 0.1);
  EXPECT_EQ(Number::read("1e308")->approximate(), 1e308);
  EXPECT_EQ(Number::read("4.9406564584124654e-324")->approximate(), 4.9406564584124654e-324);
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 2000; ++k) {
    const double a = uniform(random), b = uniform(random);
    EXPECT_EQ((Number::of(a) / Number::of(b)).approximate(), a / b);
    EXPECT_EQ((Number::of(a) + Number::of(b)).approximate(), a + b);
    EXPECT_EQ((Number::of(a) * Number::of(b)).approximate(), a * b);
  }
}

TEST(Number, has_a_root_where_it_is_rational) {
  EXPECT_EQ(Number::read("0.49")->root(2)->text(), "7/10");
  EXPECT_EQ((Number(27) / Number(64)).root(3)->text(), "3/4");
  EXPECT_EQ(Number(0).root(2)->text(), "0");
  EXPECT_FALSE(Number(2).root(2));
  EXPECT_FALSE(Number(8).root(2));
  EXPECT_FALSE((Number(4) / Number(3)).root(2));
  const Number large = Number(3).power(400);
  EXPECT_EQ(*large.root(8), Number(3).power(50));
}

TEST(Number, floors_and_powers) {
  EXPECT_EQ(Number::read("-0.5")->floor(), Number(-1));
  EXPECT_EQ(Number::read("2.5")->floor(), Number(2));
  EXPECT_EQ(Number(-3).floor(), Number(-3));
  EXPECT_EQ((Number(2) / Number(3)).power(-3).text(), "27/8");
  EXPECT_LT(Number(1) / Number(3), Number::of(1.0 / 3) + Number(1));
}

}  // namespace
}  // namespace zwang::rational::number_tests
