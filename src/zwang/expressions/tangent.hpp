/// A tape that also carries directions along: beside every value its first derivative by a parameter.
///
///   y = F(a, b),      dy = F_a da + F_b db
///
/// Every rule is written with the instructions that a tape has, so that the result is an ordinary tape: run on series it gives the
/// series of the derivatives, order by order, with nothing cut off (docs/mathematics, section 24).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

/// What of a tape depends on the parameters.
struct Moving {
  std::vector<std::uint32_t> inputs;        ///< numbers of inputs
  std::vector<std::uint32_t> constants;     ///< numbers among the tape's constants
  std::vector<std::uint32_t> instructions;  ///< whose constant c moves: of scale and power
  [[nodiscard]] std::size_t size() const { return inputs.size() + constants.size() + instructions.size(); }
};

/// Inputs: those of the tape, then one for each thing that moves, in the order of `Moving`. Outputs: those of the tape, then the
/// derivatives of all of them.
struct TangentTape {
  Tape tape;
  std::uint32_t inputs = 0;   ///< of the tape it was made of
  std::uint32_t outputs = 0;  ///< likewise
  /// Register of the derivative of the thing that moves, by its number in the order of `Moving`.
  [[nodiscard]] std::size_t seed(std::size_t thing) const { return inputs + thing; }
  [[nodiscard]] std::uint32_t value(std::size_t output) const { return tape.outputs[output]; }
  [[nodiscard]] std::uint32_t derivative(std::size_t output) const { return tape.outputs[outputs + output]; }
};

[[nodiscard]] TangentTape tangent(const Tape& tape, const Moving& moving);

}  // namespace zwang::expressions
