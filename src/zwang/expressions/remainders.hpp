/// What the power series of a tape leave out on a step: bounds on the whole of [0, h] for the functions themselves.
///
/// Every register holds a polynomial Y of degree K - 1, and the arithmetic of series has made it satisfy the equation that defines
/// its function up to that degree: Y B = A for a quotient, Y^2 = U for a root, Y' = U' Y for an exponential. What the equation
/// is missed by is a polynomial, too: a sum of products of known coefficients beyond degree K - 1. With
///
///   |A| = sum_{k>=1} |A_k| r^k,   x = h / r < 1:      sum_{i+j>=K} |A_i| |B_j| s^{i+j}  <=  x^K |A| |B|    for 0 <= s <= h,
///
/// and from what the equation is missed by follows, step by step along the tape, by how much the function itself can differ
/// from Y at any place of the step: no sampling, no hope, and nothing is too narrow or too flat to be seen. The circle of radius r is one of
/// reckoning only; functions need not be analytic on it. Coefficients that are but rounding would weigh heavily on it: they are left out
/// of the sums at r and count, with what they can be on the step, as an error of their own, where that is better.
///
/// Symbols: K coefficients known, h step, r radius of reckoning, e bound of |function - Y| on [0, h]. Infinity: no bound.
/// Reference: docs/mathematics, section 10.8.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

/// Which registers are asked for their sizes: arguments and results of whatever is not linear. Found once for a tape.
[[nodiscard]] std::vector<std::uint8_t> sized_registers(const Tape& tape);

/// Powers of a step and of its circle, and what of a series counts as rounding.
struct Stretch {
  Stretch(double step, double circle, double share);
  static constexpr unsigned most = 64;
  double length = 0;  ///< h
  double radius = 0;  ///< r > h
  double cut = 0;     ///< a coefficient counts as rounding if |Y_k| h^k is below this part of the first terms
  double of_length[most], of_radius[most];
};

/// Sums over the coefficients 1 .. of `count` series side by side, [k * count + i]:
struct Sums {
  std::vector<double> whole;    ///< |Y_k| r^k of all
  std::vector<double> outer;    ///< |Y_k| r^k of what counts
  std::vector<double> inner;    ///< |Y_k| h^k of all
  std::vector<double> dropped;  ///< |Y_k| h^k of what counts as rounding
  std::vector<double> degree;   ///< of what counts
  void make_room(std::size_t size);
};
void sum_up_sizes(const double* series, std::size_t count, unsigned known, const Stretch& stretch, std::size_t place,
                  Sums& sums);

/// sum_{i+j>=K} |A_i| |B_j| s^{i+j} on the step, from the sums of both; `beyond` is x^K. The smaller of two bounds: with all
/// coefficients reckoned on the circle, or with those that count.
[[nodiscard]] inline double product_tail(const Sums& sums, std::size_t a, std::size_t b, unsigned known,
                                         double beyond) {
  const double all = beyond * sums.whole[a] * sums.whole[b];
  const double kept = sums.degree[a] + sums.degree[b] < known ? 0.0 : beyond * sums.outer[a] * sums.outer[b];
  const double parted = kept + sums.dropped[a] * sums.inner[b] + sums.inner[a] * sums.dropped[b];
  return parted < all ? parted : all;
}

/// Room for the numbers of one block; grows as needed.
struct Remainders {
  std::vector<double> error;  ///< e: [register * width + lane]
  Sums sums;                  ///< where asked for
};

/// Bounds for all registers. Those of the inputs must stand in `room.error` (what of them lies beyond the coefficients known);
/// `make_room` gives them their place. `registers` and `orders` are those of the series.
void make_room(const Tape& tape, unsigned width, Remainders& room);
void bound_remainders(const Tape& tape, const std::vector<std::uint8_t>& sized, const double* registers,
                      unsigned orders, unsigned width, unsigned known, const Stretch& stretch, Remainders& room);

}  // namespace zwang::expressions
