/// The tape: a set of expressions flattened to a list of instructions, run on numbers or on truncated power series, for
/// several lanes (members of a family) at once.
///
/// Registers: first the inputs (one per symbol), then constants, then one per instruction. On series every register
/// holds the coefficients u[0], u[1], ... of u(s) = sum u[k] s^k; coefficient k of every register follows from
/// coefficients 0..k of its arguments and 0..k-1 of itself and its partner, so a tape can be extended order by order.
/// Layout: registers[(r * orders + k) * W + lane], W the number of lanes run together.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

enum class Op : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  negate,
  scale,  ///< scale: a * c
  square,
  reciprocal,
  sqrt,
  power,  ///< power: a ^ c with a constant exponent c that is no small integer
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  select  ///< a where the truth is 1, b where it is 0; in between, on a surface slid on, truth * a + (1 - truth) * b
};

/// sin, sinh, tan and tanh also write the register behind theirs: cos, cosh, or their own square; atan2(a, b) finds
/// a^2 + b^2 in the register before it, and so does select(a, b) its truth.
///
/// A root or a power of something that begins at zero has no series. Where `zero_below` is not negative it gets one nevertheless, y = 0, if
/// that something begins at no more than this size; and the remainders (remainders.hpp) tell how far that is from the function: good
/// for a short step, as of norm(v) v from rest.
struct Instruction {
  Op op = Op::add;
  std::uint32_t a = 0;  ///< register of the first argument
  std::uint32_t b = 0;  ///< register of the second argument, or of the partner (cos for sin, 1 + u^2 for atan, ...)
  double c = 0;         ///< constant of scale and power
  double zero_below = -std::numeric_limits<double>::infinity();
};

struct Tape {
  std::vector<Symbol> inputs;             ///< register i holds inputs[i]
  std::vector<double> constants;          ///< registers inputs.size() ...
  std::vector<Instruction> instructions;  ///< registers after those
  std::vector<std::uint32_t> outputs;     ///< register of each output, in the order asked for
  [[nodiscard]] std::size_t registers() const { return inputs.size() + constants.size() + instructions.size(); }
};

/// Flatten. Inputs are exactly `inputs`, in that order, whether or not they occur (a symbol that occurs and is not
/// listed is a bug). Whole powers become multiplications, so that series at a zero base are exact.
[[nodiscard]] Tape flatten(const Graph& graph, std::span<const Expr> outputs, std::span<const Symbol> inputs);

/// Most lanes run together by the vector kernels; single members use width 1.
inline constexpr unsigned wide = 8;

/// Write the constants into the registers (once per register block; they are not touched afterwards).
void load_constants(const Tape& tape, double* registers, unsigned orders, unsigned width);

/// Compute coefficients `first`..`last` of every instruction; the inputs' coefficients up to `last` must be there.
/// `orders` is the number of coefficients a register has room for (> last). width is 1, 2, 4 or `wide`. Plain numbers are
/// orders = 1, first = last = 0. No allocation.
void extend(const Tape& tape, double* registers, unsigned orders, unsigned first, unsigned last, unsigned width);

/// Per instruction, 1: it depends on an input from number `first` up to, but not with, number `end`.
[[nodiscard]] std::vector<std::uint8_t> depending(const Tape& tape, std::size_t first, std::size_t end);
/// Coefficient k of the instructions marked by 1; those of the others must be there.
void extend_some(const Tape& tape, const std::vector<std::uint8_t>& some, double* registers, unsigned orders,
                 unsigned k, unsigned width);

/// As `extend` for coefficients 0..last when all of the inputs' are known beforehand: instruction by instruction, which is
/// faster; same bits.
void sweep(const Tape& tape, double* registers, unsigned orders, unsigned last, unsigned width);

/// The tape that computes only the outputs named, by number, in that order: instructions none of them needs are left out.
[[nodiscard]] Tape part(const Tape& tape, std::span<const std::uint32_t> outputs);

}  // namespace zwang::expressions
