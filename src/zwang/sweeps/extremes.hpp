/// The largest value of an expression along a motion, from its pieces and not from samples of them.
///
/// On a piece positions are polynomials in s, so that f(s) has a power series. Where what that leaves out is bounded by nothing beside its terms (for the function itself and all of
/// the stretch, expressions/remainders.hpp: nothing is too narrow to be seen) it is a polynomial, which in Bernstein's form
///
///   f(s) = sum_j b_j C(n, j) x^j (1 - x)^(n - j),   x = (s - left) / (right - left),     min b_j <= f(s) <= max b_j
///
/// lies between the least and the largest of its coefficients. A stretch whose largest coefficient is below the best value so far is done; any other is halved, and the
/// ends of the halves are values of f. Bounds close in with the square of the length, so that a smooth extreme is found to the last digits of f. Where the series leaves more
/// out the stretch is halved and f expanded anew at its left end. Corners (abs, if, min, ...) are stretches on which a switching function changes its sign, or on which a root
/// comes to zero: they are halved until nothing of the piece is left of them. What is returned is f itself at the place found.
///
/// Reference: docs/mathematics, section 25.4.
#pragma once

#include "zwang/model/model.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::sweeps {

/// `best`, or more if `sign * f` is larger somewhere on the piece, its ends included. Values that are not numbers do not count.
[[nodiscard]] double largest_on(const motion::Piece& piece, const model::Observable& f, double sign, double best);

}  // namespace zwang::sweeps
