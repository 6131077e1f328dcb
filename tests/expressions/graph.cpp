/// The normal form of expressions.
#include <gtest/gtest.h>

#include "expressions/workshop.hpp"

namespace graph_tests {
namespace {

using namespace workshop;

/// Two texts are one expression.
void expect_same(std::string_view a, std::string_view b) {
  Graph graph;
  const Expr left = build(graph, a);
  const Expr right = build(graph, b);
  EXPECT_EQ(left, right) << a << " became " << text_of(graph, left) << ", " << b << " became " << text_of(graph, right);
}
void expect_different(std::string_view a, std::string_view b) {
  Graph graph;
  EXPECT_NE(build(graph, a), build(graph, b)) << a << " and " << b;
}

TEST(Graph, zero_and_one_vanish) {
  expect_same("x + 0", "x");
  expect_same("0 + x", "x");
  expect_same("x - 0", "x");
  expect_same("1*x", "x");
  expect_same("x*0", "0");
  expect_same("0*sin(x)*y", "0");
  expect_same("x/1", "x");
  expect_same("x^0", "1");
  expect_same("x^1", "x");
  expect_same("1^x", "1");
  expect_same("0/x", "0");
  expect_same("-0.0", "0");
  expect_same("-0.0*x + y", "y");
}

TEST(Graph, equal_terms_are_collected) {
  expect_same("2*x + 3*x", "5*x");
  expect_same("x - x", "0");
  expect_same("x*y + y*x", "2*x*y");
  expect_same("x + y - x", "y");
  expect_same("1 + x + 2", "3 + x");
  expect_same("(x + y) - (x + y)", "0");
  expect_same("(x + y) + 2*(x + y)", "3*(x + y)");
  expect_same("3*(x + y) - 2*(x + y)", "x + y");
  expect_same("3*(x + y) - 4*(x + y)", "-(x + y)");
  expect_same("sin(x)*2 - sin(x)", "sin(x)");
  expect_same("(a + b) + x", "a + (b + x)");
  expect_same("-(-x)", "x");
  expect_same("-(-(x + y))", "x + y");
  expect_same("x - (y - x)", "2*x - y");
}

TEST(Graph, equal_bases_are_collected) {
  expect_same("x*x", "x^2");
  expect_same("x^2*x^-1", "x");
  expect_same("x/x", "1");
  expect_same("x*y/x", "y");
  expect_same("sqrt(x)*sqrt(x)", "x");
  expect_same("sqrt(x)^2", "x");
  expect_same("x/sqrt(x)", "sqrt(x)");
  expect_same("x^0.5", "sqrt(x)");
  expect_same("(x*y)^2", "x^2*y^2");
  expect_same("(2*x)^2", "4*x^2");
  expect_same("(x^2)^3", "x^6");
  expect_same("(x^-1)^-1", "x");
  expect_same("(x + y)*(x + y)", "(x + y)^2");
  expect_same("1/(x*y)", "x^-1*y^-1");
  expect_same("(-x)^2", "x^2");
  expect_same("(-x)^3", "-x^3");
  expect_same("2^x*2^x", "(2^x)^2");
}

TEST(Graph, what_is_not_equal_for_real_numbers_stays_different) {
  expect_different("(x^2)^0.5", "x");
  expect_different("sqrt(x^2)", "x");
  expect_different("(x*y)^0.5", "sqrt(x)*sqrt(y)");
  expect_different("(x^0.3)^3", "x^0.9");
  expect_different("(-8)^(1/3)", "-2");
  expect_different("2*(x + y)", "2*x + 2*y");
  expect_different("x", "y");
  expect_different("x'", "x");
}

TEST(Graph, numbers_fold_as_they_round) {
  Graph graph;
  EXPECT_TRUE(graph.is_number(build(graph, "0.1 + 0.2"), 0.1 + 0.2));
  EXPECT_TRUE(graph.is_number(build(graph, "2^10"), 1024));
  EXPECT_TRUE(graph.is_number(build(graph, "-2^2"), -4));
  EXPECT_TRUE(graph.is_number(build(graph, "2^3^2"), 512));
  EXPECT_TRUE(graph.is_number(build(graph, "sqrt(2)/2"), std::sqrt(2.0) / 2));
  EXPECT_TRUE(graph.is_number(build(graph, "max(1, 7, 3) - min(2, 1) + floor(-0.5) + mod(-1, 5) + abs(-2)"),
                              7 - 1 - 1 + 4 + 2));

  // 3/5 and 3*(1/5) differ in the last digit.
  ASSERT_NE(3.0 / 5.0, 3.0 * (1.0 / 5.0));
  const Term term = graph.term(build(graph, "3*x/5", true));
  EXPECT_EQ(term.coefficient, 3.0 / 5.0);
  EXPECT_EQ(term.rest, build(graph, "x"));
  EXPECT_EQ(graph.term(graph.divide(build(graph, "3*x"), build(graph, "5*y"))).coefficient, 3.0 / 5.0);
}

TEST(Graph, constants_without_a_finite_value_do_not_fold) {
  Graph graph;
  const std::vector<double> none(all_symbols.size(), 1.0);
  EXPECT_EQ(value_of(graph, build(graph, "1/0"), none), INFINITY);
  EXPECT_EQ(value_of(graph, build(graph, "-1/0"), none), -INFINITY);
  EXPECT_EQ(value_of(graph, build(graph, "1e300*1e300*x"), none), INFINITY);
  EXPECT_EQ(value_of(graph, build(graph, "exp(1000) + x"), none), INFINITY);
  for (const char* text : {"0/0", "0*(1/0)", "1/0 - 1/0", "x/0 - x/0", "log(-1)", "0*log(-1)", "sqrt(-1)", "sqrt(-1)^2",
                           "(-8)^(1/3)", "acos(2)", "x*(0/0)", "x + 0/0"}) {
    EXPECT_TRUE(std::isnan(value_of(graph, build(graph, text), none))) << text;
    EXPECT_NE(graph.node(build(graph, text)).kind, NodeKind::number) << text;
  }
  EXPECT_TRUE(std::isnan(value_of(graph, graph.number(NAN), none)));
  EXPECT_EQ(value_of(graph, graph.number(-INFINITY), none), -INFINITY);
}

TEST(Graph, simplification_keeps_the_value) {
  Dice dice(1);
  int compared = 0;
  for (int k = 0; k < 20000; ++k) {
    Graph graph;
    const std::string text = random_text(dice, 1 + static_cast<int>(dice.below(4)), true);
    std::vector<double> values;
    for (std::size_t i = 0; i < all_symbols.size(); ++i) values.push_back(dice.between(-2, 2));
    long double largest = 1;
    const long double expected = plain_value(parse_expression(text), values, largest);
    // Beyond this the rounding of one intermediate result decides.
    if (!(largest < 1e4L)) continue;
    const Expr e = build(graph, text);
    const double found = value_of(graph, e, values);
    const double found_expanded = value_of(graph, expand(graph, e), values);
    EXPECT_NEAR(found, static_cast<double>(expected), 1e-7) << text << " became " << text_of(graph, e);
    EXPECT_NEAR(found_expanded, static_cast<double>(expected), 1e-6)
        << text << " expanded to " << text_of(graph, expand(graph, e));
    ++compared;
  }
  EXPECT_GT(compared, 3000);
}

TEST(Graph, handles_do_not_depend_on_anything_but_the_order_of_construction) {
  Dice first(7);
  Dice second(7);
  Graph a;
  Graph b;
  for (int k = 0; k < 500; ++k) {
    ASSERT_EQ(build(a, random_text(first, 4, false)), build(b, random_text(second, 4, false)));
  }
  EXPECT_EQ(a.size(), b.size());
}

TEST(Graph, knows_what_occurs) {
  Graph graph;
  const Expr e = build(graph, "x'*sin(y) + a");
  EXPECT_TRUE(depends_on(graph, e, SymbolKind::velocity));
  EXPECT_TRUE(depends_on(graph, e, SymbolKind::position));
  EXPECT_TRUE(depends_on(graph, e, SymbolKind::constant));
  EXPECT_FALSE(depends_on(graph, e, SymbolKind::time));
  const std::vector<Symbol> expected = {
      {SymbolKind::position, 1}, {SymbolKind::velocity, 0}, {SymbolKind::constant, 0}};
  EXPECT_EQ(symbols(graph, e), expected);
  EXPECT_FALSE(depends_on(graph, build(graph, "x' - x' + x"), SymbolKind::velocity));
}

TEST(Graph, substitution_is_the_same_as_writing_the_image) {
  Graph graph;
  const auto image = [&](Symbol s) { return s == all_symbols[1] ? build(graph, "y + 1") : graph.symbol(s); };
  EXPECT_EQ(substitute(graph, build(graph, "x^2*sin(x) + y - x"), image), build(graph, "(y+1)^2*sin(y+1) + y - (y+1)"));
  EXPECT_EQ(substitute(graph, build(graph, "x - y"), image), build(graph, "1"));
  EXPECT_EQ(substitute(graph, build(graph, "x/z"), image), build(graph, "(y+1)/z"));
}

TEST(Graph, expand_multiplies_out) {
  Graph graph;
  const auto expanded = [&](std::string_view text) { return expand(graph, build(graph, text)); };
  EXPECT_EQ(expanded("(x+y)^2 - x^2 - 2*x*y"), build(graph, "y^2"));
  EXPECT_EQ(expanded("(x+1)*(x-1)"), build(graph, "x^2 - 1"));
  EXPECT_EQ(expanded("2*(x+y) - 2*x"), build(graph, "2*y"));
  EXPECT_EQ(expanded("(x+y)^3"), build(graph, "x^3 + 3*x^2*y + 3*x*y^2 + y^3"));
  EXPECT_EQ(expanded("(sqrt(x+y) + 1)^2*z"), build(graph, "z*x + z*y + 2*sqrt(x+y)*z + z"));
  EXPECT_EQ(expanded("(x + y)/x"), build(graph, "1 + y/x"));
  EXPECT_EQ(expanded("sin(2*(x+y)) - sin(2*x + 2*y)"), build(graph, "0"));
  EXPECT_EQ(expanded("(x' + y')*(x' - y') - x'^2 + y'^2"), build(graph, "0"));
  EXPECT_EQ(expanded("((x+y)*(x-y))^2 - (x^2-y^2)^2"), build(graph, "0"));

  // Too long: as it stands.
  const Expr e = build(graph, "(x+y+z+w+a+b+t+1)^8*(x+2*y+3*z+4*w+5*a+6*b+7*t+8)^8");
  EXPECT_EQ(expand(graph, e), e);
  EXPECT_EQ(expand(graph, build(graph, "(x+y)^3"), 3), build(graph, "(x+y)^3"));
}

TEST(Graph, sums_of_many_terms_are_linear_in_time_and_memory) {
  // One list with 10^5 terms of 10^5 symbols, its gradient and its text.
  Graph graph;
  constexpr std::uint32_t count = 100000;
  std::vector<Expr> terms;
  std::vector<Symbol> symbols_of_sum;
  for (std::uint32_t k = 0; k < count; ++k) {
    symbols_of_sum.push_back({SymbolKind::position, k});
    terms.push_back(graph.power(graph.symbol(symbols_of_sum.back()), graph.number(2)));
  }
  const Expr sum = graph.add(terms);
  const std::vector<Expr> derivatives = gradient(graph, sum, symbols_of_sum);
  for (std::uint32_t k = 0; k < count; k += 9999) {
    EXPECT_EQ(derivatives[k], graph.multiply(graph.number(2), graph.symbol(symbols_of_sum[k])));
  }
  EXPECT_LT(graph.size(), 10 * count);
  const std::string text = print(graph, sum, [](Symbol s) { return std::string("x").append(std::to_string(s.index)); });
  EXPECT_GT(text.size(), 4 * count);
  const Tape tape = flatten(graph, std::span(&sum, 1), symbols_of_sum);
  EXPECT_EQ(tape.instructions.size(), 2 * count - 1);
}

TEST(Graph, deep_expressions_need_no_stack) {
  // sin(sin(...)) a hundred thousand deep, built by hand; the derivative of the thousandth has a thousand factors.
  Graph graph;
  Expr e = graph.symbol(all_symbols[0]);
  for (int k = 0; k < 1000; ++k) e = graph.apply(Function::sin, e);
  EXPECT_EQ(graph.node(derivative(graph, e, all_symbols[0])).children.size(), 1000U);
  for (int k = 1000; k < 100000; ++k) e = graph.apply(Function::sin, e);
  EXPECT_EQ(symbols(graph, e).size(), 1U);
  EXPECT_EQ(text_of(graph, e).size(), 500001U);
  EXPECT_EQ(expand(graph, e), e);
  EXPECT_EQ(flatten(graph, std::span(&e, 1), std::span(all_symbols).first(1)).instructions.size(), 200000U);
}

TEST(Graph, functions_are_found_by_name) {
  for (const std::string_view f : function_names()) {
    ASSERT_NE(find_function(f), nullptr) << f;
    EXPECT_EQ(name(find_function(f)->function), f);
  }
  EXPECT_EQ(function_names().size(), 24U);
  EXPECT_EQ(find_function("sine"), nullptr);
  EXPECT_TRUE(has_corners(find_function("mod")->function));
  EXPECT_EQ(find_function("mod")->arguments, 2);
  EXPECT_EQ(find_function("min")->arguments, -1);
  EXPECT_FALSE(has_corners(find_function("atan2")->function));
  EXPECT_EQ(find_function("at_least"), nullptr);
}

}  // namespace
}  // namespace graph_tests
