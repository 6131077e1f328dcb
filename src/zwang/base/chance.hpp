/// Chance that is the same every time: for places beside a state where functions are compared. Places in any regular order, as sines of equal steps,
/// satisfy equations that functions may satisfy, too.
#pragma once

#include <cstdint>

namespace zwang {

/// A number r with 1/2 <= |r| <= 1 (the finaliser of MurmurHash3).
inline double chance(std::uint64_t number) {
  std::uint64_t x = (number + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 33U)) * 0xff51afd7ed558ccdU;
  x = (x ^ (x >> 33U)) * 0xc4ceb9fe1a85ec53U;
  x ^= x >> 33U;
  const double size = 0.5 + 0.5 * static_cast<double>(x >> 12U) * 0x1p-52;
  return (x & 1U) != 0 ? size : -size;
}

}  // namespace zwang
