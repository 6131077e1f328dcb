/// The plain instructions of bounds side by side: sums, products, sines, in vectors along the lanes.
///
/// They are those of discs.cpp and remainders.cpp, operation by operation: the bits of a lane depend neither on the others nor on the processor's vectors. An instruction that is
/// not plain is left to these.
#pragma once

#include <cstddef>

#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

/// Radii of discs (discs.hpp) of 4 lanes, or of `lanes_at_once`.
struct DiscsOfLanes {
  unsigned lanes = 0;
  const Tape& tape;
  const double* registers = nullptr;  ///< of the first lane
  std::size_t stride = 0;             ///< from one register to the next
  const double* factors = nullptr;
  const double* own = nullptr;  ///< what the series of an instruction say themselves; null on the largest circle
  double beyond_known = 0;
  double* radius = nullptr;
  const double* outer = nullptr;
};
/// From instruction number `first` on, as long as they are plain: the number of the first that is not.
std::size_t spread_plain_ones(const DiscsOfLanes& discs, std::size_t first);

/// Errors (remainders.hpp) of 4 lanes, or of `lanes_at_once`.
struct ErrorsOfLanes {
  unsigned lanes = 0;
  const Tape& tape;
  const double* registers = nullptr;
  std::size_t stride = 0;
  const double* factors = nullptr;
  const double* term = nullptr;
  const double* later = nullptr;
  std::size_t room = 0;  ///< from one register to the next in `term` and `later`
  unsigned known = 0, count = 0, sums = 1;
  double* error = nullptr;
};
std::size_t bound_plain_ones(const ErrorsOfLanes& errors, std::size_t first);

}  // namespace zwang::expressions
