/// Tapes that carry derivatives: against series in an auxiliary variable, which differentiate by themselves.
#include "zwang/expressions/tangent.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace zwang::expressions::tangent_tests {
namespace {

/// All functions of two symbols x (position 0) and v (velocity 0), with a constant c (constant 0).
std::vector<Expr> everything(Graph& graph) {
  const Expr x = graph.symbol({SymbolKind::position, 0});
  const Expr v = graph.symbol({SymbolKind::velocity, 0});
  const Expr c = graph.symbol({SymbolKind::constant, 0});
  std::vector<Expr> out;
  for (const Function f :
       {Function::sin, Function::cos, Function::tan, Function::asin, Function::acos, Function::atan, Function::sinh,
        Function::cosh, Function::tanh, Function::exp, Function::log, Function::sqrt}) {
    out.push_back(graph.apply(f, graph.multiply(c, x)));
  }
  out.push_back(graph.power(x, graph.number(2)));
  out.push_back(graph.power(x, graph.number(-3)));
  out.push_back(graph.power(x, graph.number(1.7)));
  out.push_back(graph.divide(graph.add(x, v), graph.subtract(graph.number(3), graph.multiply(c, v))));
  out.push_back(graph.multiply(graph.number(2.5), graph.multiply(x, graph.multiply(v, v))));
  return out;
}

TEST(Tangent, is_the_derivative_along_a_direction) {
  Graph graph;
  const std::vector<Expr> outputs = everything(graph);
  const std::vector<Symbol> inputs = {{SymbolKind::position, 0}, {SymbolKind::velocity, 0}, {SymbolKind::constant, 0}};
  const Tape tape = flatten(graph, outputs, inputs);
  const double at[] = {0.43, -0.7, 0.9};
  const double along[] = {1.25, 0.5, -2.0};

  // f(at + s along) to first order in s.
  std::vector<double> series(tape.registers() * 2, 0.0);
  load_constants(tape, series.data(), 2, 1);
  for (std::size_t k = 0; k < 3; ++k) {
    series[2 * k] = at[k];
    series[2 * k + 1] = along[k];
  }
  extend(tape, series.data(), 2, 0, 1, 1);

  const TangentTape carried = tangent(tape, {{0, 1, 2}, {}, {}});
  std::vector<double> numbers(carried.tape.registers(), 0.0);
  load_constants(carried.tape, numbers.data(), 1, 1);
  for (std::size_t k = 0; k < 3; ++k) {
    numbers[k] = at[k];
    numbers[carried.seed(k)] = along[k];
  }
  extend(carried.tape, numbers.data(), 1, 0, 0, 1);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const double value = series[2 * tape.outputs[k]];
    const double slope = series[2 * tape.outputs[k] + 1];
    EXPECT_EQ(numbers[carried.value(k)], value) << k;
    EXPECT_NEAR(numbers[carried.derivative(k)], slope, 1e-14 * (1 + std::abs(slope))) << k;
  }
}

TEST(Tangent, gives_the_series_of_derivatives) {
  // sin(c t) by c is t cos(c t): its series, order by order.
  Graph graph;
  const Expr t = graph.symbol({SymbolKind::time, 0});
  const Expr c = graph.symbol({SymbolKind::constant, 0});
  const std::vector<Expr> outputs = {graph.apply(Function::sin, graph.multiply(c, t))};
  const std::vector<Symbol> inputs = {{SymbolKind::time, 0}, {SymbolKind::constant, 0}};
  const TangentTape carried = tangent(flatten(graph, outputs, inputs), {{1}, {}, {}});
  constexpr unsigned orders = 12;
  std::vector<double> registers(carried.tape.registers() * orders, 0.0);
  load_constants(carried.tape, registers.data(), orders, 1);
  const double speed = 1.3;
  registers[1] = 1;  // t = s
  registers[orders] = speed;
  registers[carried.seed(0) * orders] = 1;
  extend(carried.tape, registers.data(), orders, 0, orders - 1, 1);
  double factor = 1;  // (-1)^j c^(2j) / (2j)!
  for (unsigned k = 1; k < orders; k += 2) {
    EXPECT_NEAR(registers[carried.derivative(0) * orders + k], factor, 1e-15) << k;
    factor *= -speed * speed / ((k + 1) * k);
  }
}

TEST(Tangent, follows_constants_of_the_tape_itself) {
  // 2.5 x + x^1.7: by the factor it is x, by the exponent x^1.7 log x.
  Graph graph;
  const Expr x = graph.symbol({SymbolKind::position, 0});
  const std::vector<Expr> outputs = {graph.multiply(graph.number(2.5), x), graph.power(x, graph.number(1.7))};
  const std::vector<Symbol> inputs = {{SymbolKind::position, 0}};
  const Tape tape = flatten(graph, outputs, inputs);
  Moving moving;
  for (std::uint32_t k = 0; k < tape.instructions.size(); ++k) {
    if (tape.instructions[k].op == Op::scale || tape.instructions[k].op == Op::power) moving.instructions.push_back(k);
  }
  ASSERT_EQ(moving.instructions.size(), 2U);
  const TangentTape carried = tangent(tape, moving);
  std::vector<double> numbers(carried.tape.registers(), 0.0);
  load_constants(carried.tape, numbers.data(), 1, 1);
  numbers[0] = 0.6;
  numbers[carried.seed(0)] = 1;
  numbers[carried.seed(1)] = 1;
  extend(carried.tape, numbers.data(), 1, 0, 0, 1);
  EXPECT_NEAR(numbers[carried.derivative(0)], 0.6, 1e-16);
  EXPECT_NEAR(numbers[carried.derivative(1)], std::pow(0.6, 1.7) * std::log(0.6), 1e-16);
}

}  // namespace
}  // namespace zwang::expressions::tangent_tests
