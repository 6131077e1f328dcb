/// Derivatives: by rule, by the first coefficient of a series, by differences.
#include <gtest/gtest.h>

#include "expressions/workshop.hpp"

namespace derivative_tests {
namespace {

using namespace workshop;

/// Every function and operation once, at points where it is smooth; x, y, z lie in (0.2, 0.9).
const char* const every_rule[] = {"sin(x*y)",
                                  "cos(x*y)",
                                  "tan(x*y)",
                                  "asin(x*y)",
                                  "acos(x*y)",
                                  "atan(x*y)",
                                  "atan2(x*y, z)",
                                  "atan2(-x, -y*z)",
                                  "sinh(x*y)",
                                  "cosh(x*y)",
                                  "tanh(x*y)",
                                  "exp(x*y)",
                                  "log(x*y)",
                                  "sqrt(x*y)",
                                  "x*y*z",
                                  "x/y",
                                  "x/(y*z)",
                                  "x^2*y^3/z^4",
                                  "x^7",
                                  "x^-5",
                                  "x^65",
                                  "x^0.3",
                                  "x^-0.7",
                                  "x^1.5",
                                  "x^-1.5",
                                  "x^-2.5*y",
                                  "(x*y)^0.25",
                                  "x^y",
                                  "2^x",
                                  "0.5^(x*y)",
                                  "(x + y)^z",
                                  "3*x - 2*y + z - 1",
                                  "-x - y",
                                  "-x + y",
                                  "-(x + y)*z",
                                  "(x + y)*(y + z)*(z + x)",
                                  "1/sqrt(x^2 + y^2 + z^2)",
                                  "x/(x^2 + y^2 + z^2)^1.5"};

std::vector<double> random_point(Dice& dice) {
  std::vector<double> point;
  for (std::size_t k = 0; k < all_symbols.size(); ++k) point.push_back(dice.between(0.2, 0.9));
  return point;
}

/// The slope of e in the direction of symbol k, from the tape on series s -> point + s.
double slope(const Graph& graph, Expr e, const std::vector<double>& point, std::size_t k) {
  std::vector<std::vector<double>> inputs;
  for (std::size_t i = 0; i < point.size(); ++i) inputs.push_back({point[i], i == k ? 1.0 : 0.0});
  return series_of(graph, e, inputs, 2)[1];
}

TEST(Derivative, every_rule_agrees_with_the_series_and_with_differences) {
  Dice dice(21);
  for (const char* text : every_rule) {
    Graph graph;
    const Expr e = build(graph, text);
    const std::vector<Expr> all = gradient(graph, e, all_symbols);
    for (int round = 0; round < 5; ++round) {
      const std::vector<double> point = random_point(dice);
      for (std::size_t k = 0; k < all_symbols.size(); ++k) {
        const Expr d = derivative(graph, e, all_symbols[k]);
        const double by_rule = value_of(graph, d, point);
        const double scale = 1 + std::abs(by_rule);
        EXPECT_NEAR(by_rule, value_of(graph, all[k], point), 1e-13 * scale) << text;
        EXPECT_NEAR(by_rule, slope(graph, e, point, k), 1e-12 * scale) << text;

        // Central difference of fourth order in long double: h^4 = 1e-12 times the fifth derivative.
        const long double h = 1e-3L;
        const Syntax syntax = parse_expression(text);
        const auto at = [&](long double shift) {
          long double largest = 0;
          std::vector<double> moved = point;
          moved[k] += static_cast<double>(shift);
          return plain_value(syntax, moved, largest);
        };
        const long double exact_h = static_cast<long double>(point[k] + static_cast<double>(h)) - point[k];
        const long double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * exact_h);
        // x^65 and x^-5 have large fifth derivatives; the others agree far better.
        EXPECT_NEAR(by_rule, static_cast<double>(difference), 2e-4 * scale) << text;
      }
    }
  }
}

TEST(Derivative, of_random_expressions_agrees_with_the_series) {
  Dice dice(22);
  int compared = 0;
  for (int round = 0; round < 4000; ++round) {
    Graph graph;
    const std::string text = random_text(dice, 1 + static_cast<int>(dice.below(3)), true);
    const std::vector<double> point = random_point(dice);
    long double largest = 1;
    (void)plain_value(parse_expression(text), point, largest);
    if (!(largest < 1e3L)) continue;
    const Expr e = build(graph, text);
    const std::vector<Expr> all = gradient(graph, e, all_symbols);
    for (std::size_t k = 0; k < all_symbols.size(); ++k) {
      const double by_series = slope(graph, e, point, k);
      if (!std::isfinite(by_series) || std::abs(by_series) > 1e6) continue;
      const double scale = 1 + std::abs(by_series);
      EXPECT_NEAR(value_of(graph, all[k], point), by_series, 1e-7 * scale) << text << " d/d" << all_names[k];
      EXPECT_NEAR(value_of(graph, derivative(graph, e, all_symbols[k]), point), by_series, 1e-7 * scale) << text;
      ++compared;
    }
  }
  EXPECT_GT(compared, 10000);
}

TEST(Derivative, looks_as_one_would_write_it) {
  Graph graph;
  const auto by_x = [&](std::string_view text) {
    return text_of(graph, derivative(graph, build(graph, text), all_symbols[1]));
  };
  EXPECT_EQ(by_x("x^2"), "2*x");
  EXPECT_EQ(by_x("x^3*y"), "3*x^2*y");
  EXPECT_EQ(by_x("sqrt(x)"), "0.5/sqrt(x)");
  EXPECT_EQ(by_x("log(x)"), "1/x");
  EXPECT_EQ(by_x("x^y"), "y*x^(y - 1)");
  EXPECT_EQ(by_x("sin(x)"), "cos(x)");
  EXPECT_EQ(by_x("cos(x)"), "-sin(x)");
  EXPECT_EQ(by_x("y*z + 3"), "0");
  EXPECT_EQ(by_x("1/x"), "-1/x^2");
}

TEST(Derivative, a_whole_power_of_zero_is_defined) {
  Graph graph;
  const std::vector<double> origin(all_symbols.size(), 0.0);
  for (const char* text : {"x^2", "x^3", "x^2*y", "x*y*z", "x^64", "x^100"}) {
    EXPECT_EQ(value_of(graph, derivative(graph, build(graph, text), all_symbols[1]), origin), 0.0) << text;
    EXPECT_EQ(slope(graph, build(graph, text), origin, 1), 0.0) << text;
  }
}

}  // namespace
}  // namespace derivative_tests
