/// A tape that computes the partial derivatives of another tape's outputs, each one a register of its own.
///
///   d out_o = sum over things x of  E_ox dx,      E_ox = factor * register, or a number
///
/// Things are inputs, differences of two inputs that occur in no other way, constants of the tape and constants of its instructions. What is one, zero or
/// a multiple of something known takes no instruction, and nothing is computed twice: distances between points have two partial derivatives
/// in the plane, not sixteen. Run on series along a motion it gives the series of the linearised equations, the same for all directions
/// (docs/mathematics, section 24.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/expressions/tangent.hpp"
#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

inline constexpr std::uint32_t no_register = ~std::uint32_t{0};

struct Partials {
  /// What is differentiated by.
  struct Thing {
    enum class Kind : std::uint8_t { input, difference, constant, instruction };
    Kind kind = Kind::input;
    std::uint32_t number = 0;  ///< of the input, constant or instruction
    std::uint32_t less = 0;    ///< of a difference: the input that is taken away
  };
  /// Outputs that are multiples of one another have one root.
  struct Output {
    std::uint32_t root = 0;
    double factor = 1;
  };
  struct Root {
    std::uint32_t value = 0;  ///< register
    std::uint32_t first = 0;  ///< its entries: from here
    std::uint32_t end = 0;    ///< to here
  };
  struct Entry {
    std::uint32_t thing = 0;
    double factor = 1;
    std::uint32_t at = no_register;  ///< register; none: the factor is all
  };
  Tape tape;                    ///< inputs are those of the tape it was made of
  std::vector<Thing> things;    ///< in the order of `Moving`, differences in the place of their first input
  std::vector<Output> outputs;  ///< those asked for, in their order
  std::vector<Root> roots;
  std::vector<Entry> entries;  ///< none where a derivative is zero
};

/// Of the outputs named, by number. Only inputs below `may_differ` are paired to differences.
[[nodiscard]] Partials partials(const Tape& tape, std::span<const std::uint32_t> outputs, const Moving& moving,
                                std::uint32_t may_differ);

}  // namespace zwang::expressions
