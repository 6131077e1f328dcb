/// Partial derivatives of tapes: against tapes that carry one direction, on series; and series by vectors along the orders against those order by order.
#include "zwang/expressions/partials.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "zwang/expressions/sweep_alone.hpp"

namespace zwang::expressions::partials_tests {
namespace {

constexpr unsigned orders = 13;

/// Functions of x, v and y, which stands in a difference alone, with a constant c.
std::vector<Expr> functions(Graph& graph) {
  const Expr x = graph.symbol({SymbolKind::position, 0});
  const Expr y = graph.symbol({SymbolKind::position, 1});
  const Expr z = graph.symbol({SymbolKind::position, 2});
  const Expr v = graph.symbol({SymbolKind::velocity, 0});
  const Expr c = graph.symbol({SymbolKind::constant, 0});
  std::vector<Expr> out;
  for (const Function f :
       {Function::sin, Function::cos, Function::tan, Function::asin, Function::acos, Function::atan, Function::sinh,
        Function::cosh, Function::tanh, Function::exp, Function::log, Function::sqrt}) {
    out.push_back(graph.apply(f, graph.multiply(c, x)));
  }
  const Expr apart = graph.subtract(y, z);
  const Expr far = graph.apply(Function::sqrt, graph.add(graph.multiply(apart, apart), graph.multiply(x, x)));
  out.push_back(far);
  out.push_back(graph.divide(apart, far));
  out.push_back(graph.negate(graph.divide(apart, far)));
  out.push_back(graph.power(x, graph.number(-3)));
  out.push_back(graph.power(x, graph.number(1.7)));
  out.push_back(graph.divide(graph.add(x, v), graph.subtract(graph.number(3), graph.multiply(c, v))));
  out.push_back(graph.multiply(graph.number(2.5), graph.multiply(x, graph.multiply(v, v))));
  return out;
}

const std::vector<Symbol> inputs = {{SymbolKind::position, 0},
                                    {SymbolKind::position, 1},
                                    {SymbolKind::position, 2},
                                    {SymbolKind::velocity, 0},
                                    {SymbolKind::constant, 0}};

/// A path of the inputs, the last of which is a constant.
std::vector<double> on_path(const Tape& tape) {
  std::vector<double> registers(tape.registers() * orders, 0.0);
  load_constants(tape, registers.data(), orders, 1);
  const double start[] = {0.43, -0.2, 0.9, -0.7, 0.9};
  for (std::size_t i = 0; i < 5; ++i) {
    registers[i * orders] = start[i];
    for (unsigned k = 1; k < orders && i < 4; ++k) {
      registers[i * orders + k] = std::ldexp(static_cast<double>((i + 3) * k % 7) - 3, -2 - static_cast<int>(k));
    }
  }
  return registers;
}

TEST(Partials, add_up_to_the_derivative_along_a_direction) {
  Graph graph;
  const std::vector<Expr> outputs = functions(graph);
  const Tape tape = flatten(graph, outputs, inputs);
  Moving moving{{0, 1, 2, 3, 4}, {}, {}};
  for (std::uint32_t k = 0; k < tape.instructions.size(); ++k) {
    if (tape.instructions[k].op == Op::scale || tape.instructions[k].op == Op::power) moving.instructions.push_back(k);
  }
  ASSERT_GE(moving.instructions.size(), 2U);
  const auto along = [](std::size_t thing) { return 0.5 + static_cast<double>(thing * 5 % 7) / 4; };

  const TangentTape carried = tangent(tape, moving);
  std::vector<double> expected = on_path(carried.tape);
  for (std::size_t k = 0; k < moving.size(); ++k) expected[carried.seed(k) * orders] = along(k);
  extend(carried.tape, expected.data(), orders, 0, orders - 1, 1);

  std::vector<std::uint32_t> asked(outputs.size());
  for (std::uint32_t k = 0; k < asked.size(); ++k) asked[k] = k;
  const Partials part = partials(tape, asked, moving, 3);
  std::vector<double> found = on_path(part.tape);
  sweep(part.tape, found.data(), orders, orders - 1, 1);
  // The directions of things: y and z have become one.
  ASSERT_EQ(part.things.size(), moving.size() - 1);
  const auto direction = [&](const Partials::Thing& thing) {
    if (thing.kind == Partials::Thing::Kind::difference) return along(thing.number) - along(thing.less);
    if (thing.kind == Partials::Thing::Kind::input) return along(thing.number);
    for (std::size_t k = 0; k < moving.instructions.size(); ++k) {
      if (moving.instructions[k] == thing.number) return along(moving.inputs.size() + k);
    }
    return 0.0;
  };
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const Partials::Root& root = part.roots[part.outputs[o].root];
    double largest = 1;
    for (unsigned k = 0; k < orders; ++k) {
      double slope = 0;
      for (std::uint32_t n = root.first; n < root.end; ++n) {
        const Partials::Entry& entry = part.entries[n];
        const double value = entry.at == no_register ? (k == 0 ? 1.0 : 0.0) : found[entry.at * orders + k];
        slope += entry.factor * value * direction(part.things[entry.thing]);
      }
      const double meant = expected[carried.derivative(o) * orders + k];
      largest = std::max(largest, std::abs(meant));
      EXPECT_NEAR(part.outputs[o].factor * slope, meant, 1e-13 * largest) << o << ' ' << k;
      EXPECT_NEAR(part.outputs[o].factor * found[root.value * orders + k], expected[carried.value(o) * orders + k],
                  1e-14 * largest);
    }
  }
}

TEST(Partials, of_a_distance_are_few) {
  Graph graph;
  std::vector<Expr> at;
  for (std::uint32_t k = 0; k < 4; ++k) at.push_back(graph.symbol({SymbolKind::position, k}));
  const Expr x = graph.subtract(at[0], at[2]);
  const Expr y = graph.subtract(at[1], at[3]);
  const Expr far = graph.apply(Function::sqrt, graph.add(graph.multiply(x, x), graph.multiply(y, y)));
  const Expr gx = graph.divide(x, far);
  const Expr gy = graph.divide(y, far);
  const std::vector<Expr> outputs = {far, gx, gy, graph.negate(gx), graph.negate(gy)};
  std::vector<Symbol> symbols;
  for (std::uint32_t k = 0; k < 4; ++k) symbols.push_back({SymbolKind::position, k});
  const Tape tape = flatten(graph, outputs, symbols);
  const std::vector<std::uint32_t> asked = {0, 1, 2, 3, 4};
  const Partials part = partials(tape, asked, {{0, 1, 2, 3}, {}, {}}, 4);
  EXPECT_EQ(part.things.size(), 2U);   // two differences
  EXPECT_EQ(part.roots.size(), 3U);    // the others are multiples
  EXPECT_EQ(part.entries.size(), 6U);  // each by each
}

TEST(SweepAlone, is_sweep_but_for_rounding) {
  Graph graph;
  const Tape tape = flatten(graph, functions(graph), inputs);
  std::vector<double> expected = on_path(tape);
  std::vector<double> found = expected;
  sweep(tape, expected.data(), orders, orders - 1, 1);
  sweep_alone(tape, found.data(), orders);
  for (std::size_t r = 0; r < tape.registers(); ++r) {
    double largest = 1;
    for (unsigned k = 0; k < orders; ++k) {
      const std::size_t at = r * orders + k;
      largest = std::max(largest, std::abs(expected[at]));
      EXPECT_NEAR(found[at], expected[at], 1e-14 * largest) << r << ' ' << k;
    }
  }
  // More orders than its vectors hold.
  std::vector<double> a(70), b(70), y(70);
  for (unsigned k = 0; k < 70; ++k) a[k] = b[k] = 1;
  multiply_alone(a.data(), b.data(), 70, y.data());
  for (unsigned k = 0; k < 70; ++k) EXPECT_EQ(y[k], k + 1.0);
  multiply_alone(a.data(), b.data(), 64, y.data());
  for (unsigned k = 0; k < 64; ++k) EXPECT_EQ(y[k], k + 1.0);
}

}  // namespace
}  // namespace zwang::expressions::partials_tests
