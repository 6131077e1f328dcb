/// The hyperbolic functions. Quick way, test whether it decides the rounding, slow way: docs/mathematics, 22.
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/elementary/kernels.hpp"
#include "zwang/elementary/long_number.hpp"

namespace zwang::elementary {

namespace {

/// Bounds for the relative errors (22.3).
constexpr double hyperbolic_error = 0x1p-65;
constexpr double tangent_error = 0x1p-64;
/// Below this sinh x and tanh x round to x, cosh x to 1.
constexpr double tiny = 0x1p-27;
/// Up to here the table of sinh and cosh is used, beyond it exp.
constexpr double near = 1;
/// Beyond this exp(-x) is less than 2^-115 of exp(x).
constexpr double far = 40;
/// Beyond this tanh rounds to 1: 2 exp(-2 x) < 2^-54.
constexpr double flat = 19.07;
/// Beyond these a result may overflow.
constexpr double largest = 709;
constexpr double overflows = 711;

[[gnu::always_inline]] inline double magnitude(double x) { return __builtin_fabs(x); }

/// A table's place and the rest: x = j / 128 + r, 0 <= x <= 1; r is exact.
struct Place {
  const double* t;
  double r, r1, less_cosh, less_sinh;
};
[[gnu::always_inline]] inline Place place_of(double x) {
  const double shifted = x * 128 + rounder;
  const double r = x - (shifted - rounder) * 0x1p-7;
  const double square = r * r;
  return {tables::hyperbolics[static_cast<unsigned>(bits_of(shifted)) & 0xff], r, upper(r),
          square * (0.5 + square * (1.0 / 24 + square * (1.0 / 720))),
          (r * square) * (1.0 / 6 + square * (1.0 / 120 + square * (1.0 / 5040)))};
}
/// sinh(a + r) = S + C r + (S (cosh r - 1) + C (sinh r - r)), and cosh with S and C exchanged.
[[gnu::always_inline]] inline Twofold combined(const double* s, const double* c, const Place& p) {
  const Twofold lead = ordered_sum(s[0], c[0] * p.r1);
  const double small =
      ((c[0] * (p.r - p.r1) + c[1] * p.r) + s[1]) + ((s[0] + s[1]) * p.less_cosh + (c[0] + c[1]) * p.less_sinh);
  return {lead.high, lead.low + small};
}
[[gnu::always_inline]] inline Twofold near_sinh(const Place& p) { return combined(p.t, p.t + 2, p); }
[[gnu::always_inline]] inline Twofold near_cosh(const Place& p) { return combined(p.t + 2, p.t, p); }

[[gnu::always_inline]] inline double times_power(double value, std::int64_t power) {
  return value * from_bits(static_cast<std::uint64_t>(power + 1023) << 52);
}
/// exp(x) for |x| < 709 in two parts.
[[gnu::always_inline]] inline Twofold exp_of(double x) {
  const Scaled e = exp_kernel(x, 0);
  return {times_power(e.value.high, e.scale), times_power(e.value.low, e.scale)};
}
/// (exp x + sign exp(-x)) / 2 for 1 <= x < 709.
[[gnu::always_inline]] inline Twofold far_value(double x, double sign) {
  const Twofold up = exp_of(x);
  if (x > far) return {0.5 * up.high, 0.5 * up.low};
  const Twofold down = exp_of(-x);
  const Twofold lead = ordered_sum(0.5 * up.high, sign * 0.5 * down.high);
  return {lead.high, lead.low + 0.5 * (up.low + sign * down.low)};
}

}  // namespace

double sinh(double x) {
  const double size = magnitude(x);
  if (size < tiny) return x;
  double value = 0;
  if (!(size < largest)) {
    if (x != x) return x;
    value = size > overflows ? std::numeric_limits<double>::infinity() : slow::sinh(size);
  } else {
    const Twofold y = size < near ? near_sinh(place_of(size)) : far_value(size, -1);
    if (!is_settled(y, hyperbolic_error * y.high, value)) [[unlikely]]
      value = slow::sinh(size);
  }
  return __builtin_copysign(value, x);
}

double cosh(double x) {
  const double size = magnitude(x);
  if (size < tiny) return 1;
  if (!(size < largest)) {
    if (x != x) return x;
    return size > overflows ? std::numeric_limits<double>::infinity() : slow::cosh(size);
  }
  const Twofold y = size < near ? near_cosh(place_of(size)) : far_value(size, 1);
  double value = 0;
  if (!is_settled(y, hyperbolic_error * y.high, value)) [[unlikely]]
    value = slow::cosh(size);
  return value;
}

double tanh(double x) {
  const double size = magnitude(x);
  if (size < tiny) return x;
  if (!(size < flat)) return x != x ? x : (x < 0 ? -1.0 : 1.0);
  Twofold y;
  if (size < near) {
    const Place p = place_of(size);
    const Twofold s = near_sinh(p);
    const Twofold c = near_cosh(p);
    y = quotient(ordered_sum(s.high, s.low), ordered_sum(c.high, c.low));
  } else {
    // 1 - 2 / (exp(2 x) + 1)
    const Twofold up = exp_of(2 * size);
    const Twofold below = ordered_sum(up.high, 1);
    const Twofold left = quotient({2, 0}, ordered_sum(below.high, below.low + up.low));
    const Twofold lead = ordered_sum(1, -left.high);
    y = {lead.high, lead.low - left.low};
  }
  double value = 0;
  if (!is_settled(y, tangent_error * y.high, value)) [[unlikely]]
    value = slow::tanh(size);
  return __builtin_copysign(value, x);
}

}  // namespace zwang::elementary
