/// What counts as zero of a condition and of its rate (docs/mathematics, section 8): the numbers that decide, with their reasons.
#pragma once

namespace zwang::instant {

/// Of the bound that rounding and the uncertainty of the state give: bounds of single roundings add up over sums of a few terms
/// that the tape has in another order than the motion, so a few of them still are nothing.
inline constexpr double bounds_that_are_nothing = 4;

/// One operation's rounding, as a part of its result.
inline constexpr double rounding_of_one = 0x1p-53;

/// Times written with as many digits as a double has are the same if they differ by less than this part of themselves.
inline constexpr double same_time = 0x1p-51;

}  // namespace zwang::instant
