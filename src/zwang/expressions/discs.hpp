/// What a tape can become when its inputs move within discs of the complex plane: the ground of every proof about a step.
///
/// An input that follows a polynomial x(s) = x_0 + x_1 s + ... stays, for all complex |s| <= r, within the disc
///
///   |x - x_0| <= sum_{k>=1} |x_k| r^k.
///
/// From the discs of its arguments every function gets a disc about its own value at s = 0 that encloses all its values, so
/// only radii have to be found: the centres are the coefficients of order zero that the series arithmetic has left in the registers.
/// By Cauchy's estimate the coefficient k of such a function is at most radius / r^k: what a series cuts off is bounded, however
/// narrow, flat or far away the functions are. A disc that meets a pole, a branch point or a cut has no bound: infinity.
///
/// Reference: docs/mathematics, section 10.8.
#pragma once

#include <span>
#include <vector>

#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

/// The degree that stands for "no polynomial, or one of high degree".
inline constexpr unsigned no_polynomial = 1000;

/// Per register: its degree as a polynomial of the inputs before number `first_constant`; the inputs from there on are constant.
[[nodiscard]] std::vector<unsigned> degrees(const Tape& tape, std::size_t first_constant);

/// The circle on which a tape is bounded.
struct Circle {
  double radius = 0;   ///< r
  double part = 0;     ///< h / r, h the length of the step that is to be proved
  unsigned known = 1;  ///< coefficients that the registers hold
};

/// Radii of all registers from those of the inputs, which stand in radius[input * width + lane]; constants have none. `registers` and
/// `orders` are those of the series. Not finite: no bound. No allocation.
///
/// A root or a quotient whose disc meets zero may still follow its own series through it, as the distance of two points that pass
/// through one another does (up to its sign): where root^2 - argument (quotient times divisor - dividend) vanishes to rounding on all of the
/// step, its own terms are its radius.
///
/// With radii of a larger circle, `outer`, r / r_outer = `inside`, what is known of each series itself makes its disc smaller:
///   radius <= sum_{1 <= k < known} |y_k| r^k + outer inside^known / (1 - inside).
void spread(const Tape& tape, const double* registers, unsigned orders, unsigned width, const Circle& circle,
            double* radius, const double* outer = nullptr, double inside = 0);

/// The same for some lanes of tapes side by side (side_by_side.hpp), one for each circle, from the lane that `registers` and `factors` begin with. All
/// circles know as many coefficients. `own`: where there is a larger circle, sum_{1 <= k < known} |y_k| r^k of all instructions (`add_up_sizes`, lane_sums.hpp).
void spread_some_of_many(const Tape& tape, const double* factors, const double* registers, unsigned orders,
                         std::span<const Circle> circles, const double* own, double* radius, const double* outer,
                         double inside);

/// Sizes of the terms that each register was summed up from at order zero: rounding is a part of these, however small the sum is.
void magnitudes(const Tape& tape, const double* registers, unsigned orders, unsigned width, double* size);
void magnitudes_of_some(const Tape& tape, const double* factors, const double* registers, unsigned orders,
                        unsigned lanes, double* size);

}  // namespace zwang::expressions
