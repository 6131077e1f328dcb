/// Numbers as sums of two doubles, without fused products: what the quick ways of all elementary functions are made of.
///
/// A double of 53 bits is cut by `upper` into 26 and 27 bits; products of such halves are exact (Dekker 1971). A value
/// stands as high + low with |low| small beside |high|.
#pragma once

#include <bit>
#include <cfloat>
#include <cstdint>

static_assert(FLT_EVAL_METHOD == 0, "every operation must be rounded to double");

namespace zwang::elementary {

struct Twofold {
  double high = 0;
  double low = 0;
};

[[gnu::always_inline]] inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
[[gnu::always_inline]] inline double from_bits(std::uint64_t x) { return std::bit_cast<double>(x); }

/// The 26 leading bits of x; x - upper(x) has 27 and is exact.
[[gnu::always_inline]] inline double upper(double x) { return from_bits(bits_of(x) & ~std::uint64_t{0x7ffffff}); }
/// The 29 leading bits of x.
[[gnu::always_inline]] inline double upper_29(double x) { return from_bits(bits_of(x) & ~std::uint64_t{0xffffff}); }

/// a + b exactly, if |a| >= |b| or a = 0.
[[gnu::always_inline]] inline Twofold ordered_sum(double a, double b) {
  const double s = a + b;
  return {s, (a - s) + b};
}
/// a + b exactly.
[[gnu::always_inline]] inline Twofold sum(double a, double b) {
  const double s = a + b;
  const double of_b = s - a;
  return {s, (a - (s - of_b)) + (b - of_b)};
}
/// a b exactly, as long as nothing overflows and the product stays above 2^-960.
[[gnu::always_inline]] inline Twofold product(double a, double b) {
  const double p = a * b;
  const double a1 = upper(a);
  const double a2 = a - a1;
  const double b1 = upper(b);
  const double b2 = b - b1;
  return {p, (((a1 * b1 - p) + a1 * b2) + a2 * b1) + a2 * b2};
}
/// a / b to about 2^-102.
[[gnu::always_inline]] inline Twofold quotient(Twofold a, Twofold b) {
  const double q = a.high / b.high;
  const Twofold back = product(q, b.high);
  const double rest = (((a.high - back.high) - back.low) + a.low) - q * b.low;
  return ordered_sum(q, rest / b.high);
}
/// The square root of a > 0 to about 2^-102.
[[gnu::always_inline]] inline Twofold root(Twofold a) {
  const double s = __builtin_sqrt(a.high);
  const Twofold back = product(s, s);
  const double rest = ((a.high - back.high) - back.low) + a.low;
  return ordered_sum(s, rest / (2 * s));
}

/// Whether every number within `error` of x rounds to the same double; that double is `rounded`.
[[gnu::always_inline]] inline bool is_settled(Twofold x, double error, double& rounded) {
  rounded = x.high + (x.low - error);
  return rounded == x.high + (x.low + error);
}

}  // namespace zwang::elementary
