/// Every number of this room that decides something, with its reason. All are parts of terms that are named beside them.
#pragma once

namespace zwang::model {

/// One operation's rounding, as a part of its result.
inline constexpr double unit_rounding = 0x1p-53;

/// A number written or computed before is known to this part of itself: a decimal fraction is rounded, and a parameter may be the
/// result of a few operations.
inline constexpr double number_rounding = 4 * unit_rounding;
/// Times its running error, a sum of numbers and parameters is zero: bounds of single roundings add up over few terms.
inline constexpr double within_rounding = 4;

/// A bound or count is whole if it is so to this part of itself (of 1, if smaller), and no larger than this.
inline constexpr double nearly_whole = 1e-9;
inline constexpr double largest_whole = 1e9;

/// An expression is zero if it is so at random states: of the sum of the absolute values of its terms, rounding with room for terms that
/// are themselves differences.
inline constexpr double vanishing_part = 1e-10;
/// The same of a difference of third order in steps of the velocities: of its terms, which cancel, and of the sizes that they are
/// differences of.
inline constexpr double vanishing_difference = 1e-8;
inline constexpr double vanishing_of_sizes = 1e-13;

}  // namespace zwang::model
