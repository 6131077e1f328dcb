/// Tapes: what is shared, and that lanes, orders and the way of extending do not change a single bit.
#include "zwang/expressions/tape.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "expressions/workshop.hpp"

namespace tape_tests {
namespace {

using namespace workshop;

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// Random tapes with every operation among them.
Tape random_tape(Dice& dice, Graph& graph) {
  std::vector<Expr> outputs;
  for (int k = 0; k < 3; ++k)
    outputs.push_back(build(graph, random_text(dice, 1 + static_cast<int>(dice.below(4)), true)));
  return flatten(graph, outputs, all_symbols);
}

TEST(Tape, lanes_run_together_give_the_bits_of_lanes_run_alone) {
  Dice dice(41);
  for (int round = 0; round < 1500; ++round) {
    Graph graph;
    const Tape tape = random_tape(dice, graph);
    const auto orders = static_cast<unsigned>(1 + dice.below(6));
    std::vector<double> together(tape.registers() * orders * wide);
    for (std::size_t k = 0; k < tape.inputs.size() * orders * wide; ++k) together[k] = dice.between(-2, 2);
    load_constants(tape, together.data(), orders, wide);
    extend(tape, together.data(), orders, 0, orders - 1, wide);
    for (unsigned lane = 0; lane < wide; ++lane) {
      std::vector<double> alone(tape.registers() * orders);
      for (std::size_t k = 0; k < tape.inputs.size() * orders; ++k) alone[k] = together[k * wide + lane];
      load_constants(tape, alone.data(), orders, 1);
      extend(tape, alone.data(), orders, 0, orders - 1, 1);
      for (std::size_t k = 0; k < alone.size(); ++k) ASSERT_TRUE(same_bits(alone[k], together[k * wide + lane]));
    }
  }
}

TEST(Tape, room_for_more_orders_and_extending_in_steps_do_not_change_a_bit) {
  Dice dice(42);
  for (int round = 0; round < 1500; ++round) {
    Graph graph;
    const Tape tape = random_tape(dice, graph);
    std::vector<std::vector<double>> inputs(tape.inputs.size());
    for (auto& input : inputs) {
      for (int k = 0; k < 5; ++k) input.push_back(dice.between(-2, 2));
    }

    // Order by order in registers with room for seven.
    constexpr unsigned room = 7;
    std::vector<double> steps(tape.registers() * room);
    load_constants(tape, steps.data(), room, 1);
    for (unsigned k = 0; k < 5; ++k) {
      for (std::size_t i = 0; i < inputs.size(); ++i) steps[i * room + k] = inputs[i][k];
      extend(tape, steps.data(), room, k, k, 1);
    }

    // At once, with the kernels for one, two and three orders, and the general ones.
    for (const unsigned orders : {1U, 2U, 3U, 5U}) {
      const std::vector<double> once = run(tape, inputs, orders);
      for (std::size_t r = 0; r < tape.registers(); ++r) {
        for (unsigned k = 0; k < orders; ++k) ASSERT_TRUE(same_bits(once[r * orders + k], steps[r * room + k]));
      }
    }
  }
}

TEST(Tape, shared_parts_are_computed_once) {
  Graph graph;
  const auto count = [&](std::initializer_list<const char*> texts) {
    std::vector<Expr> outputs;
    for (const char* text : texts) outputs.push_back(build(graph, text));
    return flatten(graph, outputs, all_symbols).instructions.size();
  };
  EXPECT_EQ(count({"x"}), 0U);
  EXPECT_EQ(count({"3"}), 0U);
  EXPECT_EQ(count({"x*y", "y*x"}), 1U);
  EXPECT_EQ(count({"x*y", "2*x*y", "-x*y"}), 3U);
  EXPECT_EQ(count({"sin(x)", "cos(x)"}), 2U);
  EXPECT_EQ(count({"x^2", "x^4", "x^5"}), 3U);
  EXPECT_EQ(count({"1/x"}), 1U);
  EXPECT_EQ(count({"x/(y*z)"}), 2U);
  EXPECT_EQ(count({"-x + y"}), 1U);
  EXPECT_EQ(count({"tan(x)", "tan(x)^2"}), 2U);
  EXPECT_EQ(count({"sqrt(x)", "1/sqrt(x)", "y/sqrt(x)"}), 3U);
  EXPECT_EQ(count({"x - y - z"}), 2U);
}

TEST(Tape, outputs_may_be_inputs_constants_or_repeated) {
  Graph graph;
  const std::vector<Expr> outputs = {build(graph, "y"), build(graph, "2.5"), build(graph, "x + y"), build(graph, "y"),
                                     build(graph, "1/0")};
  const Tape tape = flatten(graph, outputs, all_symbols);
  std::vector<std::vector<double>> inputs(all_symbols.size(), {0.0});
  inputs[1] = {3};
  inputs[2] = {4};
  const std::vector<double> registers = run(tape, inputs, 1);
  EXPECT_EQ(registers[tape.outputs[0]], 4);
  EXPECT_EQ(registers[tape.outputs[1]], 2.5);
  EXPECT_EQ(registers[tape.outputs[2]], 7);
  EXPECT_EQ(tape.outputs[3], tape.outputs[0]);
  EXPECT_EQ(registers[tape.outputs[4]], INFINITY);
  EXPECT_EQ(tape.inputs.size(), all_symbols.size());
}

TEST(Tape, no_outputs_no_inputs_no_instructions) {
  Graph graph;
  const Tape tape = flatten(graph, {}, {});
  EXPECT_EQ(tape.registers(), 0U);
  double nothing = 0;
  extend(tape, &nothing, 1, 0, 0, wide);
  EXPECT_EQ(nothing, 0);
}

}  // namespace
}  // namespace tape_tests
