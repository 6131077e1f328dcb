/// exp, log, pow and their kin. Quick way, test whether it decides the rounding, slow way: docs/mathematics, 22.
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/elementary/kernels.hpp"
#include "zwang/elementary/long_number.hpp"

namespace zwang::elementary {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Beyond these exp is infinite, or rounds to zero.
constexpr double largest_exponent = 0x1.62e42fefa39efp9;
constexpr double least_exponent = -0x1.74910d52d3052p9;
/// From 2^-1021 on every value is a normal number.
constexpr std::int64_t least_scale = -1021;

/// Bounds for the errors of the kernels, of a value in [0.99, 2] and relative to the value (22.3).
constexpr double exp_error = 0x1p-67;
constexpr double log_error = 0x1p-67;
/// From here on the error of log no longer grows with its value.
constexpr double log_near_one = 0x1p-8;

/// A bound for the error of log_kernel.
[[gnu::always_inline]] inline double error_of_log(double value) {
  const double size = __builtin_fabs(value);
  return log_error * (size < log_near_one ? size : log_near_one);
}

[[gnu::always_inline]] inline double times_power(double value, std::int64_t power) {
  return from_bits(bits_of(value) + (static_cast<std::uint64_t>(power) << 52));
}

/// 2^scale (high + low), rounded once if it is a normal number.
double together(const Scaled& x) {
  const double value = x.value.high + x.value.low;
  if (x.scale >= least_scale && x.scale < 1024) return times_power(value, x.scale);
  return __builtin_ldexp(value, static_cast<int>(x.scale));
}

[[nodiscard, gnu::noinline]] double exp_at_the_border(double x) {
  if (x != x) return x;
  if (x > largest_exponent) return infinity;
  if (x < least_exponent) return 0;
  return slow::exp(x);
}

[[nodiscard, gnu::noinline]] double log_at_the_border(double x) {
  if (x == 0) return -infinity;
  if (x < 0) return not_a_number;
  return x;  // infinity or no number
}

/// 0: y is no whole number, 1: odd, 2: even.
int parity(double y) {
  const auto field = static_cast<int>((bits_of(y) >> 52) & 0x7ff);
  if (field < 1023) return 0;
  if (field > 1023 + 52) return 2;
  const std::uint64_t last = std::uint64_t{1} << (1023 + 52 - field);
  if ((bits_of(y) & (last - 1)) != 0) return 0;
  return (bits_of(y) & last) != 0 ? 1 : 2;
}

/// x^y where x or y is zero, infinite, no number, or x = 1.
double power_of_a_special(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  const double size = __builtin_fabs(x);
  if (y == infinity || y == -infinity) {
    if (size == 1) return 1;
    return (size > 1) == (y > 0) ? infinity : 0.0;
  }
  // x is zero or infinite.
  const double value = (size == 0) == (y > 0) ? 0.0 : infinity;
  return bits_of(x) >> 63 != 0 && parity(y) == 1 ? -value : value;
}

/// x^y for finite x > 0, x != 1 and finite y != 0.
double power_of_positive(double x, double y) {
  const Twofold l = log_kernel(x);
  const double first = y * l.high;
  if (!(first > -746 && first < 711)) {
    // So large that the sign alone decides.
    return first > 0 ? infinity : 0.0;
  }
  // So small that the value is 1 but for less than half a unit.
  if (first < 0x1p-54 && first > -0x1p-55) return 1;
  // |y| may be huge where log x is small, and the other way round: both moderate, or the slow way.
  const double size = __builtin_fabs(y);
  if (!(size > 0x1p-900 && size < 0x1p900)) return slow::pow(x, y, l.high);
  const Twofold p = product(y, l.high);
  const Twofold exponent = ordered_sum(p.high, p.low + y * l.low);
  const Scaled e = exp_kernel(exponent.high, exponent.low);
  if (e.scale < least_scale || e.scale >= 1024) return slow::pow(x, y, l.high);
  const double error = exp_error + 2 * size * error_of_log(l.high);
  double value = 0;
  if (is_settled(e.value, error, value)) return times_power(value, e.scale);
  return slow::pow(x, y, l.high);
}

}  // namespace

double exp(double x) {
  // 2^-54 <= |x| < 708: everything else is 1, at the border, or no number.
  const std::uint64_t size = bits_of(x) & ~(std::uint64_t{1} << 63);
  if (size - 0x3c90000000000000U >= 0x4086200000000000U - 0x3c90000000000000U) {
    if (size < 0x3c90000000000000U) return 1 + x;
    return exp_at_the_border(x);
  }
  const Scaled e = exp_kernel(x, 0);
  double value = 0;
  if (is_settled(e.value, exp_error, value)) [[likely]]
    return times_power(value, e.scale);
  return slow::exp(x);
}

double log(double x) {
  const std::uint64_t bits = bits_of(x);
  if (bits - 1 >= 0x7ff0000000000000U - 1) return log_at_the_border(x);
  const Twofold l = log_kernel(x);
  const double error = error_of_log(l.high);
  double value = 0;
  if (is_settled(l, error, value)) [[likely]]
    return value;
  return slow::log(x, l.high);
}

double pow(double x, double y) {
  // What is a product, a quotient or a root is rounded correctly by the machine.
  if (y == 2) return x * x;
  if (y == 1) return x;
  if (y == -1) return 1 / x;
  const std::uint64_t bits = bits_of(x);
  const std::uint64_t size = bits & ~(std::uint64_t{1} << 63);
  const std::uint64_t size_of_y = bits_of(y) & ~(std::uint64_t{1} << 63);
  constexpr std::uint64_t infinite = 0x7ff0000000000000U;
  if (size - 1 >= infinite - 1 || size_of_y - 1 >= infinite - 1 || x == 1) return power_of_a_special(x, y);
  if (bits >> 63 == 0) return y == 0.5 ? __builtin_sqrt(x) : power_of_positive(x, y);
  const int kind = parity(y);
  if (kind == 0) return not_a_number;
  const double value = x == -1 ? 1.0 : power_of_positive(-x, y);
  return kind == 1 ? -value : value;
}

double exp2(double x) {
  if (!(x > -1080 && x < 1024)) return x != x ? x : (x > 0 ? infinity : 0.0);
  if (x < 0x1p-60 && x > -0x1p-60) return 1 + x;
  const Twofold p = product(x, tables::ln2_high);
  const Twofold exponent = ordered_sum(p.high, p.low + x * tables::ln2_low);
  return together(exp_kernel(exponent.high, exponent.low));
}

double expm1(double x) {
  if (x < 0x1p-54 && x > -0x1p-54) return x;
  if (!(x > -60)) return x != x ? x : -1;
  if (x > largest_exponent) return infinity;
  if (x > 60) return exp(x);
  if (x > 0.35 || x < -0.35) {
    const Scaled e = exp_kernel(x, 0);
    const double high = times_power(e.value.high, e.scale);
    const Twofold less = sum(high, -1);
    return less.high + (less.low + __builtin_ldexp(e.value.low, static_cast<int>(e.scale)));
  }
  // x = a + r:  exp(x) - 1 = (sinh a + (cosh a - 1)) + exp(a) (r + r^2 / 2 + ...)
  const double size = __builtin_fabs(x);
  const auto j = static_cast<unsigned>(size * 128 + 0.5);
  const double sign = x < 0 ? -1.0 : 1.0;
  const double r = x - sign * j / 128;
  const double* t = tables::hyperbolics[j];
  const double tail =
      r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040))))));
  const Twofold start = ordered_sum(t[2] - 1, sign * t[0]);
  const double factor_1 = upper(t[2] + sign * t[0]);
  const double factor_2 = ((t[2] - factor_1) + sign * t[0]) + (t[3] + sign * t[1]);
  const double r1 = upper(r);
  const Twofold lead = sum(start.high, factor_1 * r1);
  const double small =
      (start.low + lead.low) + (t[3] + sign * t[1]) + (factor_1 * ((r - r1) + tail) + factor_2 * (r + tail));
  return lead.high + small;
}

double log1p(double x) {
  const double size = __builtin_fabs(x);
  if (size < 0x1p-40) return x - 0.5 * x * x;
  if (!(x > -1 && x < infinity)) return x == -1 ? -infinity : (x < -1 ? not_a_number : x);
  const Twofold u = sum(1, x);
  const Twofold l = log_kernel(u.high);
  return l.high + (l.low + u.low / u.high);
}

double log2(double x) {
  if (!(x > 0 && x < infinity)) return log_at_the_border(x);
  const Twofold l = log_kernel(x);
  const Twofold p = product(l.high, tables::log2e_high);
  return p.high + (p.low + (l.high * tables::log2e_low + l.low * tables::log2e_high));
}

double log10(double x) {
  if (!(x > 0 && x < infinity)) return log_at_the_border(x);
  const Twofold l = log_kernel(x);
  const Twofold p = product(l.high, tables::log10e_high);
  return p.high + (p.low + (l.high * tables::log10e_low + l.low * tables::log10e_high));
}

double atanh(double x) {
  const double size = __builtin_fabs(x);
  if (size < 0x1p-28) return x;
  if (!(size < 1)) return size == 1 ? x * infinity : not_a_number;
  const double value = 0.5 * log1p(2 * size / (1 - size));
  return x < 0 ? -value : value;
}

namespace {

/// A power of two that brings numbers of this size near 1, and the way back.
int exponent_of(double size) { return static_cast<int>(bits_of(size) >> 52) - 1023; }

}  // namespace

double hypot(double x, double y) {
  double a = __builtin_fabs(x);
  double b = __builtin_fabs(y);
  if (a == infinity || b == infinity) return infinity;
  if (a != a || b != b) return a + b;
  if (a < b) {
    const double c = a;
    a = b;
    b = c;
  }
  if (b == 0 || b < a * 0x1p-60) return a + b;
  // Moderate sizes, so that squares are exact as sums of two.
  int power = 0;
  if (a > 0x1p500 || b < 0x1p-400) {
    power = exponent_of(a);
    a = __builtin_ldexp(a, -power);
    b = __builtin_ldexp(b, -power);
  }
  const Twofold p = product(a, a);
  const Twofold q = product(b, b);
  const Twofold s = ordered_sum(p.high, q.high);
  const Twofold length = root({s.high, s.low + (p.low + q.low)});
  const double value = length.high + length.low;
  return power == 0 ? value : __builtin_ldexp(value, power);
}

double hypot(double x, double y, double z) { return hypot(hypot(x, y), z); }

}  // namespace zwang::elementary
