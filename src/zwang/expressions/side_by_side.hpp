/// Tapes of one structure side by side, one in each of many lanes: they differ in their numbers alone.
///
/// So are the forces of motions whose models differ in parameters. Every lane goes its own way, in the order of operations of its own tape: it has the bits that
/// `extend` (tape.hpp) gives that tape alone, whatever stands in the other lanes and whatever vectors the processor has.
/// Layout: registers[(r * orders + k) * many + lane], factors[instruction * many + lane].
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

/// May the two run side by side: the same instructions on the same registers, but for constants and factors?
[[nodiscard]] bool same_structure(const Tape& one, const Tape& other);

/// Write the constants and factors of a tape into its lane; higher coefficients of the constants must be zero.
void load_numbers(const Tape& tape, unsigned lane, double* registers, unsigned orders, double* factors);

/// As `extend` and `extend_some` (tape.hpp), with any tape among those side by side.
void extend_many(const Tape& tape, const double* factors, double* registers, unsigned orders, unsigned first,
                 unsigned last);
void extend_some_of_many(const Tape& tape, const std::vector<std::uint8_t>& some, const double* factors,
                         double* registers, unsigned orders, unsigned k);

}  // namespace zwang::expressions
