/// The quick ways: elementary functions as sums of two doubles, with relative errors of about 2^-68.
///
/// Each takes its argument apart as (a place of a table) + (a small rest r), so that the Taylor series of the rest needs few
/// terms and these need no more than double precision: the first two terms alone are carried exactly. Derivation and error
/// bounds: docs/mathematics, 22.
#pragma once

#include "zwang/elementary/tables.hpp"
#include "zwang/elementary/twofold.hpp"

namespace zwang::elementary {

/// Added and taken away again, this rounds a double below 2^51 to the nearest whole number; its last bits then hold it.
inline constexpr double rounder = 0x1.8p52;

/// A number as 2^scale value, value.high in [0.99, 2].
struct Scaled {
  Twofold value;
  std::int64_t scale = 0;
};

/// exp(x + more) for |x| < 1100, |more| < 2^-40.
///   x = k log 2 / 128 + r,  exp x = 2^(k div 128) T (1 + r + r^2 / 2 + ...),  T = 2^((k mod 128) / 128),  |r| < 0.0028
[[gnu::always_inline]] inline Scaled exp_kernel(double x, double more) {
  const double shifted = x * tables::steps_per_one + rounder;
  const auto k = static_cast<std::int64_t>(bits_of(shifted) - bits_of(rounder));
  const double steps = shifted - rounder;
  const double first = x - steps * tables::ln2_step_1;
  const double second = steps * tables::ln2_step_2 - more;
  const double r = first - second;
  const double rest = (first - r) - second;

  const double* t = tables::powers[k & 127];
  const double square = r * r;
  const double tail = (rest + r * rest) +
                      square * ((0.5 + r * (1.0 / 6)) + square * ((1.0 / 24 + r * (1.0 / 120)) + square * (1.0 / 720)));
  const double r1 = upper(r);
  const double r2 = r - r1;
  const Twofold lead = ordered_sum(t[0], t[0] * r1);
  return {{lead.high, lead.low + (t[0] * (r2 + tail) + (t[1] + t[1] * (r + tail)))}, k >> 7};
}

/// log of 2^scale z with z = 0x1.6p-1 .. 0x1.6p0 given by the bits of a positive normal number.
///   r = z c - 1,  log = k log 2 - log c + r - r^2 / 2 + r^3 / 3 - ...,  |r| <= 2^-8
[[gnu::always_inline]] inline Twofold log_kernel(std::uint64_t bits, double scale) {
  const std::uint64_t above = bits - 0x3fe6000000000000U;
  const double* t = tables::logarithms[(above >> 44) & 255];
  const double k = scale + static_cast<double>(static_cast<std::int64_t>(above) >> 52);
  const double z = from_bits(bits - (above & (std::uint64_t{0xfff} << 52)));

  const double z1 = upper_29(z);
  const double first = z1 * t[0] - 1;
  const double second = (z - z1) * t[0];
  const double r = first + second;
  const double rest = (first - r) + second;

  const double r1 = upper(r);
  const double r2 = r - r1;
  const double square = r * r;
  const double half = 0.5 * r1 * r1;
  const double fourth = square * square;
  const double low_coefficients = (1.0 / 3 - r * (1.0 / 4)) + square * (1.0 / 5 - r * (1.0 / 6));
  const double high_coefficients = (1.0 / 7 - r * (1.0 / 8)) + square * (1.0 / 9 - r * (1.0 / 10));
  const double tail = (r * square) * (low_coefficients + fourth * high_coefficients);

  const Twofold a = ordered_sum(k * tables::ln2_1 + t[1], r);
  const Twofold b = ordered_sum(a.high, -half);
  const double small = rest - (0.5 * (r + r1) * r2 + r * rest);
  return ordered_sum(b.high, (b.low + a.low) + ((k * tables::ln2_2 + t[2]) + (small + tail)));
}

/// The smallest positive normal number, and what lifts the subnormal ones among those.
inline constexpr double least_normal = 0x1p-1022;
inline constexpr double lift = 0x1p54;
inline constexpr double lifted = -54;

/// log x for finite x > 0.
[[gnu::always_inline]] inline Twofold log_kernel(double x) {
  return x >= least_normal ? log_kernel(bits_of(x), 0) : log_kernel(bits_of(x * lift), lifted);
}

}  // namespace zwang::elementary
