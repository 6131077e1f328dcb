/// What the power series of a tape leave out on a step: bounds on the whole of [0, h] for the functions themselves.
///
/// Every register holds a polynomial Y of degree K - 1, and the arithmetic of series has made it satisfy the equation that defines
/// its function up to that degree: Y B = A for a quotient, Y^2 = U for a root, Y' = U' Y for an exponential. What the equation
/// is missed by is a polynomial, too: a sum of products of known coefficients beyond degree K - 1. For 0 <= s <= h it is at most
///
///   sum_{i+j>=K} |A_i| |B_j| h^{i+j}  =  sum_{j=1..K-1} |B_j| h^j (sum_{i>=K-j} |A_i| h^i)  =:  tail(A, B),
///
/// one sum over the orders, and from it follows, step by step along the tape, by how much the function itself can differ
/// from Y at any place of the step: no sampling, no hope, and nothing is too narrow or too flat to be seen. Functions need not be analytic
/// anywhere but on the step.
///
/// Symbols: K coefficients known, h step, e bound of |function - Y| on [0, h]. Infinity: no bound.
/// Reference: docs/mathematics, section 10.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/base/aligned.hpp"
#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

/// Which registers are asked for the sizes of their terms: arguments and results of whatever is not linear, and those named. Found once
/// for a tape, ascending.
[[nodiscard]] std::vector<std::uint32_t> sized_registers(const Tape& tape, std::span<const std::uint32_t> named = {});

/// A step and its powers.
struct Stretch {
  Stretch(double step, unsigned last);
  static constexpr unsigned most = 64;
  double length = 0;       ///< h
  double of_length[most];  ///< h^0 .. h^last
};

/// The steps of some motions side by side, each with its powers.
struct Stretches {
  unsigned lanes = 4;                                            ///< as lane_sums.hpp asks
  alignas(64) double of_length[std::size_t{Stretch::most} * 8];  ///< h^k of a lane at [k * lanes + lane]
  void set(const double* steps, unsigned last);
};

/// Room for the numbers of one block; grows as needed.
struct Remainders {
  AlignedNumbers error;  ///< e: [register * width + lane]
  // Where asked for, of the orders 1 .. K-1, at [register * stride + k * width + lane]:
  AlignedNumbers term;   ///< |Y_k| h^k
  AlignedNumbers later;  ///< sum_{i>=K-k} |Y_i| h^i
  std::size_t stride = 0;
};

/// Bounds for all registers. Those of the inputs must stand in `room.error` (what of them lies beyond the coefficients known);
/// `make_room` gives them their place. `registers` and `orders` are those of the series, `known` is K.
void make_room(const Tape& tape, unsigned width, unsigned known, Remainders& room);
void bound_remainders(const Tape& tape, const std::vector<std::uint32_t>& sized, const double* registers,
                      unsigned orders, unsigned width, unsigned known, const Stretch& stretch, Remainders& room);

/// The same for some lanes of tapes side by side (side_by_side.hpp), from the one that `registers` and `factors` begin with; what is said of width holds of
/// the lanes of the stretches. `alone`: lanes of the block in which each motion alone has the tape, which its sums depend on.
void bound_some_of_many(const Tape& tape, const double* factors, const std::vector<std::uint32_t>& sized,
                        const double* registers, unsigned orders, unsigned alone, unsigned known,
                        const Stretches& stretches, Remainders& room);

}  // namespace zwang::expressions
