/// Tidied expressions mean the same, read well, and are written so that they read back.
#include "zwang/expressions/tidy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "expressions/workshop.hpp"
#include "zwang/expressions/write.hpp"

namespace tidy_tests {
namespace {

using namespace workshop;

// Operations of a random expression times the rounding of one, for numbers between 1e-6 and 1e6 on the way.
constexpr long double rounding = 1e-9L;

int rank_of(Symbol symbol) {
  return symbol.kind == SymbolKind::velocity ? 40 : symbol.kind == SymbolKind::constant ? 0 : 20;
}

Script script(Notation notation = Notation::text) {
  Script out;
  out.notation = notation;
  out.names = [](Symbol symbol) { return name_of(symbol); };
  out.ranks = rank_of;
  return out;
}

std::string tidied(std::string_view text) {
  Graph graph;
  const Expr e = build(graph, text);
  const Expr better = tidy(graph, e, rank_of);
  return write(graph, better, script());
}

TEST(Tidy, random_expressions_keep_their_values) {
  int tried = 0;
  int compared = 0;
  EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
    Dice dice(seed);
    for (int k = 0; k < 60; ++k) {
      ++tried;
      Graph graph;
      const std::string text = random_text(dice, static_cast<int>(dice.below(5)), dice.below(3) > 0);
      const Expr e = build(graph, text);
      const std::string other = write(graph, tidy(graph, e, rank_of), script());
      std::array<double, 9> values{};
      for (double& value : values) value = 0.5 + static_cast<double>(dice.below(1000)) / 700;
      long double largest = 0;
      const long double wanted = plain_value(parse_expression(text), values, largest);
      if (!(largest < 1e6L)) continue;
      long double met = 0;
      const long double given = plain_value(parse_expression(other), values, met);
      if (!(met < 1e6L)) continue;
      ++compared;
      if (std::abs(given - wanted) > rounding * (1 + largest)) RC_FAIL("written " + text + "\ntidied " + other);
    }
  }));
  EXPECT_GT(3 * compared, tried);
}

TEST(Tidy, draws_out_common_factors) {
  EXPECT_EQ(tidied("a*x*y + a*x*z"), "a*x*(y + z)");
  EXPECT_EQ(tidied("2*x + 4*y"), "2*(x + 2*y)");
  EXPECT_EQ(tidied("x - b/2"), "x - b/2");
  EXPECT_EQ(tidied("x'^2*a/2 + y'^2*a/2"), "a*(x'^2 + y'^2)/2");
  EXPECT_EQ(tidied("-x - y"), "-(x + y)");
  EXPECT_EQ(tidied("x/y + z/y"), "(x + z)/y");
}

TEST(Tidy, knows_that_sine_and_cosine_squared_are_one) {
  EXPECT_EQ(tidied("a*sin(x)^2 + a*cos(x)^2"), "a");
  EXPECT_EQ(tidied("b - b*sin(x)^2"), "b*cos(x)^2");
  EXPECT_EQ(tidied("sin(x)^2*y + cos(x)^2*y + z"), "y + z");
  EXPECT_EQ(tidied("sin(x)^2 + cos(y)^2"), "sin(x)^2 + cos(y)^2");
}

TEST(Tidy, lengths_cancel) {
  EXPECT_EQ(tidied("x^2/(x^2 + y^2) + y^2/(x^2 + y^2)"), "1");
  EXPECT_EQ(tidied("(x/sqrt(x^2 + y^2))^2/a + (y/sqrt(x^2 + y^2))^2/a"), "1/a");
}

TEST(Tidy, cancels_what_multiplying_out_shows) {
  EXPECT_EQ(tidied("(x + y)^2 - x^2 - 2*x*y"), "y^2");
  EXPECT_EQ(tidied("x'*y'*sin(x) - y'*(x' - y')*sin(x)"), "sin(x)*y'^2");
}

TEST(Write, numbers_parameters_variables) {
  EXPECT_EQ(tidied("x'*sin(x)*a*3"), "3*a*sin(x)*x'");
  EXPECT_EQ(tidied("x*0.3333333333333333"), "x/3");
  EXPECT_EQ(tidied("x*0.1"), "0.1*x");
  EXPECT_EQ(tidied("1.5*x"), "3*x/2");
}

TEST(Write, in_every_notation) {
  Graph graph;
  const Expr e = build(graph, "a*x^2/(2*sqrt(y)) - sin(x)^3*b");
  EXPECT_EQ(write(graph, e, script()), "a*x^2/(2*sqrt(y)) - b*sin(x)^3");
  EXPECT_EQ(write(graph, e, script(Notation::python)), "0.5*a*x**2/sqrt(y) - b*sin(x)**3");
  EXPECT_EQ(write(graph, e, script(Notation::cpp)),
            "0.5*a*(x*x)/std::sqrt(y) - b*(std::sin(x)*std::sin(x)*std::sin(x))");
  EXPECT_EQ(write(graph, e, script(Notation::latex)), "\\frac{a \\, {x}^{2}}{2 \\, \\sqrt{y}} - b \\, \\sin^{3} x");
}

TEST(Rate, is_the_sum_of_the_derivatives_times_the_rates) {
  int tried = 0;
  int compared = 0;
  EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
    Dice dice(seed);
    for (int k = 0; k < 30; ++k) {
      ++tried;
      Graph graph;
      const std::string text = random_text(dice, static_cast<int>(dice.below(4)), false);
      const Expr e = build(graph, text);
      const auto rate_of = [&](Symbol symbol) {
        if (symbol.kind == SymbolKind::time) return graph.number(1);
        if (symbol.kind != SymbolKind::position || symbol.index > 1) return graph.number(0);
        return graph.symbol({SymbolKind::velocity, symbol.index});
      };
      std::vector<Expr> terms;
      for (const Symbol symbol : all_symbols) {
        terms.push_back(graph.multiply(derivative(graph, e, symbol), rate_of(symbol)));
      }
      std::array<double, 9> values{};
      for (double& value : values) value = 0.5 + static_cast<double>(dice.below(1000)) / 700;
      // Terms of 1e16 that cancel leave nothing to compare.
      long double largest = 0;
      const auto value_of = [&](Expr of) {
        return plain_value(parse_expression(write(graph, of, script())), values, largest);
      };
      const long double given = value_of(rate(graph, e, rate_of));
      const long double wanted = value_of(graph.add(terms));
      if (!(largest < 1e6L)) continue;
      ++compared;
      if (std::abs(given - wanted) > rounding * (1 + largest)) RC_FAIL(text);
    }
  }));
  EXPECT_GT(3 * compared, tried);
}

}  // namespace
}  // namespace tidy_tests
