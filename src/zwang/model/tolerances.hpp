/// Numbers by which this room decides what equations imply together (implied.cpp), each with its reason.
#pragma once

#include <cstddef>

namespace zwang::model {

/// Of the length of a gradient at a body: directions whose remainder is above this are independent for certain. Others are looked
/// at more closely, nothing is decided by it.
inline constexpr double clearly_apart = 1e-6;
/// Rounding errors of a sum of some dozens of products, in units of one.
inline constexpr double roundings_of_nothing = 64;
/// Of the largest coefficient: below it a coefficient that elimination should have made zero is rounding.
inline constexpr double vanishing_coefficient = 1e-12;
/// Of the terms it is made of: a stress matrix below this vanishes, the row is redundant all around.
inline constexpr double vanishing_form = 1e-10;
/// Of matrices of length one: what is left of one outside the span of others, below which it is a combination of them.
inline constexpr double same_form = 1e-8;
/// Of the largest eigenvalue: a negative one below this is rounding of a coefficient, and the matrix is semidefinite.
inline constexpr double semidefinite_part = 1e-11;
/// ... and below this there is nothing left to be gained by another round.
inline constexpr double rounding_of_form = 1e-15;
/// Of the largest eigenvalue: above it an eigenvalue is certainly positive. Those between are asked again on the smaller space.
inline constexpr double range_part = 1e-6;
/// Rounds of alternating projections; where a semidefinite matrix exists beside indefinite ones they close in by halves.
inline constexpr int most_rounds = 200;
/// Equations of a connected part up to which it is looked at: dense matrices of all pairs.
inline constexpr std::size_t most_rows_of_a_part = 200;

}  // namespace zwang::model
