/// How far a series is good, from the norms of its coefficients (docs/mathematics, section 10.4).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace zwang::motion {

/// Twice as exact as needed and much faster than the library's: log2 by exponent and a parabola.
inline double rough_log2(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<double>((bits >> 52U) & 0x7ffU) - 1023;
  const double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL) - 1;
  return exponent + m * (1.3465 - 0.3465 * m);
}

inline constexpr double tiny = 1e-290;

/// log2 of the largest h for which |c_m| h^m <= tolerance * max_k |c_k| h^k, k the first four orders, m the last two orders; c given by norms.
///
/// With `stable` the last coefficients also bound h by their decay, h <= 0.75 max_j (|c_j| / |c_m|)^(1/(m-j)), j = m-4..m-1: a
/// singularity of small weight hardly shows in the terms, but beyond its distance small disturbances grow from step to step.
template <class Norm>
double log_reach(unsigned last, double log_tolerance, bool stable, const Norm& norm) {
  // The first four orders that are not zero.
  double low[4];
  unsigned low_order[4];
  unsigned lows = 0;
  for (unsigned k = 0; k + 1 < last && lows < 4 && (k < 4 || lows == 0); ++k) {
    const double size = norm(k);
    if (!(size > tiny)) continue;
    low[lows] = rough_log2(size);
    low_order[lows] = k;
    ++lows;
  }
  // The last two, and the four before them: logarithms, -infinity of what vanishes.
  constexpr unsigned back = 6;
  constexpr double nothing = -1e300;
  double tail[back];
  for (unsigned j = 0; j < (stable ? back : 2U); ++j) {
    const double size = j < last ? norm(last - j) : 0.0;
    tail[j] = size > tiny ? rough_log2(size) : nothing;
  }
  double least = 1e9;
  for (unsigned m = last - 1; m <= last; ++m) {
    const double* const here = tail + (last - m);
    const double high = here[0];
    if (high == nothing) continue;
    if (stable) {
      constexpr double share[] = {0, 1, 1.0 / 2, 1.0 / 3, 1.0 / 4};
      double decay = -1e9;
      for (unsigned j = 1; j <= 4 && j < m; ++j) {
        if (here[j] != nothing) decay = std::max(decay, (here[j] - high) * share[j]);
      }
      if (decay > -1e9) least = std::min(least, decay - 0.415);
    }
    double best = -1e9;
    for (unsigned k = 0; k < lows; ++k) best = std::max(best, (log_tolerance + low[k] - high) / (m - low_order[k]));
    if (lows > 0) least = std::min(least, best);
  }
  return least;
}

}  // namespace zwang::motion
