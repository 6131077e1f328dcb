/// Between which values a tape stays while its inputs move within intervals: no derivative is asked for, so that roots at zero and poles
/// elsewhere do no harm.
///
/// From the intervals of its arguments every function gets one that encloses all its values there, widened by a few roundings. A function
/// that has no value somewhere on its interval has no bound: the whole line.
///
/// Reference: docs/mathematics, section 21.2.
#pragma once

#include <span>
#include <vector>

#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

struct Range {
  double low = 0, high = 0;
};

/// Ranges of all registers from those of the inputs.
[[nodiscard]] std::vector<Range> ranges(const Tape& tape, std::span<const Range> inputs);

}  // namespace zwang::expressions
