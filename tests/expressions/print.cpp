/// Printing and reading back gives the same handle.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "expressions/workshop.hpp"

namespace print_tests {
namespace {

using namespace workshop;

std::string normal(std::string_view text) {
  Graph graph;
  return text_of(graph, build(graph, text));
}

/// Why the expression does not survive the way to text and back; empty if it does.
std::string complaint(Graph& graph, Expr e) {
  const std::string text = text_of(graph, e);
  const Expr whole = build(graph, text, false);
  const Expr pairs = build(graph, text, true);
  if (whole == e && pairs == e) return {};
  return "printed " + text + "\nas a list " + text_of(graph, whole) + "\nin pairs  " + text_of(graph, pairs);
}

TEST(Print, random_expressions_read_back_to_the_same_handle) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Dice dice(seed);
    for (int k = 0; k < 200; ++k) {
      Graph graph;
      const std::string text = random_text(dice, static_cast<int>(dice.below(5)), false);
      for (const bool pairwise : {false, true}) {
        const std::string why = complaint(graph, build(graph, text, pairwise));
        if (!why.empty()) RC_FAIL("written " + text + "\n" + why);
      }
    }
  }));
}

TEST(Print, derivatives_of_random_expressions_read_back_to_the_same_handle) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Dice dice(seed);
    for (int k = 0; k < 50; ++k) {
      Graph graph;
      const std::string text = random_text(dice, static_cast<int>(dice.below(4)), false);
      const Expr e = build(graph, text);
      for (const Expr d : gradient(graph, e, all_symbols)) {
        const std::string why = complaint(graph, d);
        if (!why.empty()) RC_FAIL("derivative of " + text + "\n" + why);
      }
      const std::string why = complaint(graph, expand(graph, e));
      if (!why.empty()) RC_FAIL("expanded " + text + "\n" + why);
    }
  }));
}

TEST(Print, fractions_have_a_line) {
  EXPECT_EQ(normal("x*y^-1"), "x/y");
  EXPECT_EQ(normal("x/y/z"), "x/(y*z)");
  EXPECT_EQ(normal("1/x"), "1/x");
  EXPECT_EQ(normal("-1/x"), "-1/x");
  EXPECT_EQ(normal("3/(x*y^2)"), "3/(x*y^2)");
  EXPECT_EQ(normal("1/sqrt(x)"), "1/sqrt(x)");
  EXPECT_EQ(normal("x^-1.5"), "1/x^1.5");
  EXPECT_EQ(normal("x/(y + z)"), "x/(y + z)");
  EXPECT_EQ(normal("(x + y)/2"), "0.5*(x + y)");
}

TEST(Print, signs_and_powers_keep_their_parentheses) {
  EXPECT_EQ(normal("-x^2"), "-x^2");
  EXPECT_EQ(normal("(-2)^x"), "(-2)^x");
  EXPECT_EQ(normal("2^-x"), "2^(-x)");
  EXPECT_EQ(normal("x^y^z"), "x^(y^z)");
  EXPECT_EQ(normal("(x^y)^z"), "(x^y)^z");
  EXPECT_EQ(normal("-(x - y)*z"), "-(x - y)*z");
  EXPECT_EQ(normal("-(x - y)"), "-(x - y)");
  EXPECT_EQ(normal("z - (x - y)"), "z - x + y");
  EXPECT_EQ(normal("a*x' - 2*y'"), "a*x' - 2*y'");
  EXPECT_EQ(normal("x - 3"), "x - 3");
  EXPECT_EQ(normal("-3 + x"), "-3 + x");
}

TEST(Print, symbols_shown_as_their_numbers_keep_sums_and_powers_readable) {
  Graph graph;
  const auto shown = [&](std::string_view text) {
    return zwang::expressions::print(graph, build(graph, text), [](Symbol) { return std::string("-2.5"); });
  };
  EXPECT_EQ(shown("3 + x"), "3 - 2.5");
  EXPECT_EQ(shown("3 - x"), "3 + 2.5");
  EXPECT_EQ(shown("3 + 2*x"), "3 + 2*(-2.5)");
  EXPECT_EQ(shown("3 + x^2"), "3 + (-2.5)^2");
}

TEST(Print, constants_without_a_finite_value_are_shown_as_written) {
  EXPECT_EQ(normal("1/0"), "1/0");
  EXPECT_EQ(normal("x/0"), "x/0");
  EXPECT_EQ(normal("0/0"), "0/0");
  EXPECT_EQ(normal("log(-1)"), "log(-1)");
  EXPECT_EQ(normal("sqrt(-2)*x"), "sqrt(-2)*x");
}

}  // namespace
}  // namespace print_tests
