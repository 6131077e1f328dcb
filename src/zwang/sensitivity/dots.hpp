/// Sums of products of coefficients, a sum of many products of series at one order at a time, for some parameters side by side.
///
///   y_k = source_k + sum over dots of  (E_0 x_k + E_1 x_(k-1) + ... + E_k x_0)  +  sum over scales of  c x_k
///
/// Of L parameters side by side number p of a coefficient lies at [coefficient * L + p]. Series E are the same for all parameters, written once for each, in reverse and filled up with zeros; series x are
/// known so far, the rest zeros: so every product is one of two lists of numbers that lie side by side. Eight sums run in turn and are added up in one order on every processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "zwang/sensitivity/lanes.hpp"

namespace zwang::sensitivity {

/// Coefficients that a list must be longer than its series.
inline constexpr std::size_t list_margin = 8;

struct Dot {
  std::uint32_t series = 0;  ///< number of the list E
  std::uint32_t with = 0;    ///< number of the list x
};
struct Scale {
  double by = 0;
  std::uint32_t with = 0;
};
/// Where a sum goes: factor times it is added to a place of a result.
struct Aim {
  double factor = 1;
  std::uint32_t at = 0;
};
/// Parts of the lists below.
struct Sum {
  std::uint32_t first_dot = 0, end_dot = 0;
  std::uint32_t first_scale = 0, end_scale = 0;
  std::uint32_t first_aim = 0, end_aim = 0;
  std::uint32_t source = 0;  ///< number of its source list; ~0: none
};
struct Sums {
  std::vector<Sum> sum;
  std::vector<Dot> dot;
  std::vector<Scale> scale;
  std::vector<Aim> aim;
};

/// Lists of one length side by side.
struct Lists {
  const double* at = nullptr;
  std::size_t stride = 0;
};

/// Which sums, of which numbers.
struct SumsOf {
  const Sums& sums;
  Lists e, x, sources;
  unsigned orders = 0;  ///< coefficients that the lists E have
  unsigned lanes = 1;   ///< parameters side by side
};

/// result[aim] += factor * weight * y_k of every sum from `first` to `end`.
void add_sums(const SumsOf& of, std::size_t first, std::size_t end, unsigned k, double weight, double* result);

}  // namespace zwang::sensitivity
