/// Sums over the orders of series that lie side by side, some lanes at once, each lane with a step of its own.
///
/// Every sum runs as the one of a single series does: the bits of a lane depend neither on the others nor on the processor's vectors.
/// Symbols: c_k coefficients of a lane, `apart` numbers from c_k to c_{k+1}; h or r one number for every lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zwang::expressions {

/// Lanes that are summed up at once, 4 or 8, as the processor likes it; never more than this.
inline constexpr unsigned most_lanes_at_once = 8;
[[nodiscard]] unsigned lanes_at_once();

struct LaneSum {
  unsigned lanes = 0;         ///< 4, or what `lanes_at_once` says
  const double* c = nullptr;  ///< c_0 of the first lane
  std::size_t apart = 0;
  const double* by = nullptr;  ///< per lane
};
/// sum_{k=1..last} |c_k| r^k of several series, `stride` apart, each for `radii` numbers r of a lane, which stand in `by` one list after the other; the sums of a list stand in
/// y[list] one series after the other. One waits for the other as little as may be.
struct SizesOfSeries {
  LaneSum sum;
  std::size_t stride = 0, series = 0;
  unsigned radii = 1, last = 0;  ///< 2 or 3 lists
  double* y[3] = {};
};
void add_up_sizes(const SizesOfSeries& all);
/// sum_{k=first..last} |c_k| h^(k - first)
void add_up_rest(const LaneSum& sum, unsigned first, unsigned last, double* y);
/// sum_{k<count} c_k h^k
void add_up_values(const LaneSum& sum, unsigned count, double* y);
/// Of a velocity with coefficients 0..order-1: its rate at h, at h/2, and the sizes of the terms of the rate at h.
void add_up_rates(const LaneSum& sum, unsigned order, double* at_end, double* halfway, double* terms);

/// h^k, k = 0..last, at [k * lanes + lane].
void raise_many(const LaneSum& step, unsigned last, double* powers);

/// Of the registers named: |c_k| h^k, and what of them comes later (remainders.hpp); lists are filled up with zeros to whole fours.
struct SizesOfMany {
  unsigned lanes = 0;
  const std::vector<std::uint32_t>& sized;
  const double* registers = nullptr;
  std::size_t stride = 0, apart = 0;
  unsigned known = 0;
  const double* powers = nullptr;  ///< h^k of a lane at [k * lanes + lane]
  double* term = nullptr;          ///< [register * room + k * lanes + lane]
  double* later = nullptr;
  std::size_t room = 0;
};
void size_up_many(const SizesOfMany& sizes);

/// sum_k term_k later_k, k < count, by `sums` sums in turn (1, 2 or 4) as a block of fewer lanes adds it up.
struct TailOfMany {
  unsigned lanes = 0;
  const double* term = nullptr;
  const double* later = nullptr;
  unsigned count = 0, sums = 1;
  double* to = nullptr;
};
void add_up_tail(const TailOfMany& tail);

}  // namespace zwang::expressions
