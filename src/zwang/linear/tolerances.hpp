/// Every number of this room that decides something, with its reason.
///
/// One rule for dependence: a row depends on others when what is left of it outside of their span is below `dependent_part` of
/// it. Singular values and elimination of the rows themselves see that much. A factor of the Gram matrix sees squares, and
/// rounding of them: there the part must be above the root of `vanishing_pivot`. Room gauss goes on from there with
/// orthogonal rows and with bounds of the entries (its own tolerances.hpp); what this room skips is never a verdict.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace zwang::linear {

/// Of a row, or of the largest singular value: five decades above rounding, for matrices of some dozens of roundings.
inline constexpr double dependent_part = 1e-11;

/// Of the diagonal entry: a pivot of a Gram matrix below this is rounding (an angle of 3e-7). Rounding leaves about one unit per
/// row of a long chain.
inline constexpr double least_pivot_part = 1e-13;
inline constexpr double pivot_rounding_per_row = 1e-15;
[[nodiscard]] constexpr double vanishing_pivot(std::size_t rows) {
  return std::max(least_pivot_part, pivot_rounding_per_row * static_cast<double>(rows));
}

/// Of the diagonal entry: where a pivot is below this, rounding divided by it comes near to `least_pivot_part`, and rows are taken
/// again in the order of their pivots.
inline constexpr double small_pivot = 1e-3;
/// A pivot counts as larger than another if it is so by this factor; else the order of the rows stands.
inline constexpr double clearly_larger_pivot = 2;

/// Of the diagonal entry of a mass matrix, per row: a pivot above this is positive.
inline constexpr double mass_rounding_per_row = 8 * std::numeric_limits<double>::epsilon();

/// Of the terms of a component: about the axis of a body's least moment less than this is the rounding of gradients and forces, some operations long.
inline constexpr double rounding_about_an_axis = 32 * std::numeric_limits<double>::epsilon();

/// Leading coefficients of a polynomial below this part of the largest are rounding of zero.
inline constexpr double leading_part = 1e-15;
/// A pair of complex roots this near to the real axis may be a double real root split by rounding (the root of eps, and some).
inline constexpr double split_root = 1e-6;

/// Keeps the square root of a sum of squares of null vectors away from zero; never reached by vectors that are not zero.
inline constexpr double least_square = 1e-300;

}  // namespace zwang::linear
