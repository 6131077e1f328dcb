/// What the rows of one shape need on tape, found once per model: directions of the gradient, roots, quadratic shapes.
///
/// Reference: docs/mathematics, sections 10.2 and 10.3.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "zwang/expressions/tape.hpp"
#include "zwang/model/model.hpp"

namespace zwang::motion {

/// A gradient register shared by several slots, up to sign: the ends of a string, say.
struct Direction {
  std::uint32_t reg = 0;
  bool constant = false;  ///< its series ends with order zero
  double own = 0;         ///< not 0: the register is this times the sum of the slots with their signs, and a constant,
                          ///< over the root if the shape has one
  std::uint32_t numerator = 0;  ///< then: the register before the root divides it, and the factor it has got
  double factor = 1;
  std::vector<std::pair<std::uint32_t, double>> slots;  ///< slot and sign
};

/// What the rows of one shape need on tape: with gradient when held, the value alone when watched.
struct RowShape {
  expressions::Tape held;
  std::uint32_t value = 0;  ///< register of f on the held tape
  std::vector<Direction> directions;
  std::uint32_t explicit_rate = 0;  ///< register of f_t or p0
  bool moving = false;              ///< f_t (p0) is there and not constant zero
  bool quadratic = false;           ///< every direction is constant or its own: strands do the rest
  bool steady = false;              ///< the gradient never vanishes: it is constant, or of a distance
  std::uint32_t root = 0;           ///< not 0: f = root - constant; while it is held the root is constant, too
  expressions::Tape watched;
  double squared =
      0;  ///< not 0: f = squared (sqrt(u) - L), L > 0; watched are u and L, since (u - L^2) / (2 L) has f's sign
  std::vector<std::uint32_t> roots;        ///< registers of the watched tape that are roots
  std::vector<std::uint32_t> held_roots;   ///< registers of the held tape that are roots
  std::vector<std::uint32_t> steep_roots;  ///< those of them that have no slope where they are zero
};

[[nodiscard]] RowShape make_shape(const model::RowGroup& group);

/// Roots and powers of zero itself get a series (tape.hpp).
void allow_zero_roots(expressions::Tape& tape);

/// Registers that hold roots (or other powers that are no whole ones): never negative, whatever their series say. `steep`: but for powers above one.
[[nodiscard]] std::vector<std::uint32_t> find_roots(const expressions::Tape& tape, bool steep = false);

}  // namespace zwang::motion
