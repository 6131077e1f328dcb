/// Arithmetic on coefficient k of power series, for W lanes at once: what every recurrence is made of.
///
/// A series points at its coefficient 0; coefficient j of lane l is u[j * W + l]. The order k is an `unsigned` or a
/// `std::integral_constant`, so that the same source also gives unrolled kernels with the same bits.
#pragma once

#include <cmath>
#include <cstdint>

namespace zwang::expressions {

/// One value per lane.
template <unsigned W>
struct Lanes {
  double at[W];
};

/// f on every lane: y_k = f(lane).
template <unsigned W, class F>
[[gnu::always_inline]] inline void each_lane(double* __restrict y, unsigned k, const F& f) {
  for (unsigned l = 0; l < W; ++l) y[k * W + l] = f(l);
}

/// sum_{j = from..to} x_j z_{k-j}, in rising j.
template <unsigned W>
[[gnu::always_inline]] inline Lanes<W> convolve(const double* x, const double* z, unsigned k, unsigned from,
                                                unsigned to) {
  Lanes<W> s{};
  for (unsigned j = from; j <= to; ++j) {
    for (unsigned l = 0; l < W; ++l) s.at[l] += x[j * W + l] * z[(k - j) * W + l];
  }
  return s;
}

/// (1 / k) sum_{j = from..to} j x_j z_{k-j}, in rising j: coefficient k of the integral of x' z.
template <unsigned W>
[[gnu::always_inline]] inline Lanes<W> integrate(const double* x, const double* z, unsigned k, unsigned from,
                                                 unsigned to) {
  Lanes<W> s{};
  for (unsigned j = from; j <= to; ++j) {
    const double weight = j;
    for (unsigned l = 0; l < W; ++l) s.at[l] += weight * x[j * W + l] * z[(k - j) * W + l];
  }
  if (k > 1) {
    const double order = k;
    for (unsigned l = 0; l < W; ++l) s.at[l] /= order;
  }
  return s;
}

/// sum_{j = from..k-from} x_j x_{k-j}: every pair once and doubled, then the middle.
template <unsigned W>
[[gnu::always_inline]] inline Lanes<W> square_terms(const double* x, unsigned k, unsigned from) {
  Lanes<W> s{};
  for (unsigned j = from; 2 * j < k; ++j) {
    for (unsigned l = 0; l < W; ++l) s.at[l] += x[j * W + l] * x[(k - j) * W + l];
  }
  for (unsigned l = 0; l < W; ++l) s.at[l] *= 2;
  if (k % 2 == 0 && k >= 2 * from) {
    const unsigned m = k / 2;
    for (unsigned l = 0; l < W; ++l) s.at[l] += x[m * W + l] * x[m * W + l];
  }
  return s;
}

}  // namespace zwang::expressions
