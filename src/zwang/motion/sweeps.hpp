/// Loops over all coefficients of a series, in the widest vectors that the processor has; the bits are the same for every width.
#pragma once

#include <cmath>
#include <cstddef>

namespace zwang::motion {

/// Largest |x_i|, and largest |x_i| weight_i; 0 for none.
[[nodiscard]] double largest_of_many(const double* x, const double* weight, std::size_t count);
[[nodiscard]] inline double largest_size(const double* x, std::size_t count) {
  if (count >= 8) return largest_of_many(x, nullptr, count);
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::abs(x[i]) > largest ? std::abs(x[i]) : largest;
  return largest;
}
[[nodiscard]] inline double largest_size(const double* x, const double* weight, std::size_t count) {
  if (count >= 8) return largest_of_many(x, weight, count);
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = std::abs(x[i]) * weight[i];
    largest = size > largest ? size : largest;
  }
  return largest;
}

/// What a series of positions q and velocities v (coefficient k of variable i at [k * n + i]) adds behind its first terms up to s:
///   gain_q = s (q_1 + q_2 s + ... + q_order s^(order-1)),   gain_v = v_1 s + ... + v_(order-1) s^(order-1).
void gains(const double* q, const double* v, std::size_t n, unsigned order, double s, double* gain_q, double* gain_v);

/// Of velocities v_0 .. v_(order-1): their rates sum k v_k s^(k-1) at s = h and h/2, and the terms of that at h, |k v_k| h^(k-1), summed.
void rates(const double* v, std::size_t n, unsigned order, double h, double* at_end, double* halfway, double* terms);

/// y = c_0 + c_1 s + ... with `orders` coefficients of `count` numbers each.
void sum_up(const double* c, std::size_t count, unsigned orders, double s, double* y);

}  // namespace zwang::motion
