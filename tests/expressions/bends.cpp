/// Bends: what is said to be convex or concave is so at random points, and distances are recognised.
#include "zwang/expressions/bends.hpp"

#include <gtest/gtest.h>

#include "expressions/workshop.hpp"

namespace bends_tests {
namespace {

using namespace workshop;

constexpr std::size_t first_constant = 7;  // a and b

Bend bend(const std::string& text) {
  Graph graph;
  const std::array<Expr, 1> output = {build(graph, text)};
  return bend_of(flatten(graph, output, all_symbols), 0, first_constant);
}

double value(const Tape& tape, const std::array<double, 9>& at) {
  std::vector<double> registers(tape.registers());
  std::copy(at.begin(), at.end(), registers.begin());
  load_constants(tape, registers.data(), 1, 1);
  extend(tape, registers.data(), 1, 0, 0, 1);
  return registers[tape.outputs[0]];
}

TEST(Bends, what_conditions_are_made_of) {
  EXPECT_EQ(bend("a + 2"), Bend::constant);
  EXPECT_EQ(bend("a*x - y/b + t"), Bend::affine);
  EXPECT_EQ(bend("sqrt((x-y)^2 + (z-w)^2) - a"), Bend::convex);
  EXPECT_EQ(bend("1 - sqrt((x-y)^2 + (z-w)^2)"), Bend::concave);
  EXPECT_EQ(bend("x^2 + y^2 - 1"), Bend::convex);
  EXPECT_EQ(bend("-(x - 3*y)^2"), Bend::concave);
  EXPECT_EQ(bend("exp(x) - y"), Bend::convex);
  EXPECT_EQ(bend("log(x) + sqrt(y)"), Bend::concave);
  EXPECT_EQ(bend("x^2 - y^2"), Bend::unknown);
  EXPECT_EQ(bend("x*y"), Bend::unknown);
  EXPECT_EQ(bend("a*x^2"), Bend::unknown);  // a may be negative
  EXPECT_EQ(bend("sin(x)"), Bend::unknown);
  EXPECT_EQ(bend("x^3"), Bend::unknown);
  EXPECT_EQ(bend("sqrt(1 + x^4)"), Bend::unknown);
}

TEST(Bends, what_is_said_holds_between_random_points) {
  Dice dice(43);
  std::size_t said = 0;
  for (int round = 0; round < 4000; ++round) {
    Graph graph;
    const std::array<Expr, 1> output = {
        build(graph, random_text(dice, 1 + static_cast<int>(dice.below(3)), round % 2 == 0))};
    const Tape tape = flatten(graph, output, all_symbols);
    const Bend found = bend_of(tape, 0, first_constant);
    if (found == Bend::unknown) continue;
    ++said;
    for (int trial = 0; trial < 20; ++trial) {
      std::array<double, 9> p{};
      std::array<double, 9> q{};
      std::array<double, 9> middle{};
      for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] = dice.between(-2, 2);
        q[i] = i < first_constant ? dice.between(-2, 2) : p[i];
        middle[i] = (p[i] + q[i]) / 2;
      }
      const double ends = (value(tape, p) + value(tape, q)) / 2;
      const double inside = value(tape, middle);
      if (!std::isfinite(ends) || !std::isfinite(inside)) continue;
      const double rounding = 1e-12 * (1 + std::abs(value(tape, p)) + std::abs(value(tape, q)));
      if (found != Bend::concave) {
        EXPECT_LE(inside, ends + rounding);
      }
      if (found != Bend::convex) {
        EXPECT_GE(inside, ends - rounding);
      }
      if (found == Bend::constant) {
        EXPECT_EQ(value(tape, p), value(tape, q));
      }
    }
  }
  EXPECT_GT(said, 100U);
}

}  // namespace
}  // namespace bends_tests
