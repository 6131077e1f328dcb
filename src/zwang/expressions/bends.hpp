/// Which way the graph of an expression bends, read off its tape: affine, convex or concave in all of its inputs together.
///
/// Rules, each sufficient and none necessary: sums of convex functions are convex, -u is concave where u is convex, squares of affine
/// functions are convex, and so is the root of a sum of such squares (the length of an affine map, as a distance is); exp of a convex
/// function is convex, log and root of a concave one are concave. Everything else is `unknown`.
///
/// Reference: docs/mathematics, section 6.
#pragma once

#include <cstdint>

#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

enum class Bend : std::uint8_t { constant, affine, convex, concave, unknown };

/// How output `output` bends in the inputs before number `first_constant`; those from there on are numbers that do not move.
[[nodiscard]] Bend bend_of(const Tape& tape, std::size_t output, std::size_t first_constant);

}  // namespace zwang::expressions
