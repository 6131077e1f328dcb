/// The inverse circular functions. Quick way, test whether it decides the rounding, slow way: docs/mathematics, 22.
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/elementary/kernels.hpp"
#include "zwang/elementary/long_number.hpp"

namespace zwang::elementary {

namespace {

/// Bounds for the relative errors (22.3).
constexpr double angle_error = 0x1p-65;
/// Below this atan x and asin x round to x.
constexpr double tiny = 0x1p-27;
/// Sizes between which quotients and products keep all their digits.
constexpr double least_size = 0x1p-400;
constexpr double largest_size = 0x1p400;
/// Quotients below this are left to the slow way.
constexpr double least_quotient = 0x1p-100;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

[[gnu::always_inline]] inline double magnitude(double x) { return __builtin_fabs(x); }

/// t - t^3 / 3 + t^5 / 5 - ... without its first term, |t| < 2^-8 + 2^-20.
[[gnu::always_inline]] inline double bend(double t) {
  const double z = t * t;
  return (t * z) * ((-1.0 / 3 + z * (1.0 / 5)) + (z * z) * ((-1.0 / 7 + z * (1.0 / 9)) - (z * z) * (1.0 / 11)));
}

/// The angle of (x, y), 0 < y <= x (or hardly more):
///   c = j / 128 next to y / x,   t = (y - c x) / (x + c y),   angle = atan c + t - t^3 / 3 + ...
[[gnu::always_inline]] inline Twofold angle_kernel(Twofold y, Twofold x) {
  const double q = y.high / x.high * 128 + rounder;
  const auto j = static_cast<unsigned>(bits_of(q)) & 0xff;
  const double c = (q - rounder) * 0x1p-7;
  const double x1 = upper_29(x.high);
  const double y1 = upper_29(y.high);
  // y - c x: the difference with the leading part is exact, as both are of one size.
  const Twofold n = sum(y.high - c * x1, -(c * (x.high - x1)));
  const Twofold above = ordered_sum(n.high, n.low + (y.low - c * x.low));
  // x + c y
  const Twofold d = ordered_sum(x.high, c * y1);
  const Twofold e = ordered_sum(d.high, c * (y.high - y1));
  const Twofold below = ordered_sum(e.high, (d.low + e.low) + (x.low + c * y.low));
  const Twofold t = quotient(above, below);
  const Twofold lead = ordered_sum(tables::angles[j][0], t.high);
  return {lead.high, lead.low + ((tables::angles[j][1] + t.low) + bend(t.high))};
}

/// a - b for |a| >= |b|, the first in two parts.
[[gnu::always_inline]] inline Twofold difference(double high, double low, Twofold b) {
  const Twofold lead = ordered_sum(high, -b.high);
  return {lead.high, lead.low + (low - b.low)};
}

/// The angle of (x, y) for positive y and x of any order.
[[gnu::always_inline]] inline Twofold first_quarter(Twofold y, Twofold x) {
  if (y.high <= x.high) return angle_kernel(y, x);
  return difference(tables::half_pi_high, tables::half_pi_low, angle_kernel(x, y));
}

/// sqrt(1 - x^2), 0 < x < 1.
[[gnu::always_inline]] inline Twofold opposite(double x) {
  const Twofold square = product(x, x);
  const Twofold less = ordered_sum(1, -square.high);
  return root(ordered_sum(less.high, less.low - square.low));
}

/// atan2 where a coordinate is zero, infinite or no number.
double angle_of_a_special(double y, double x) {
  if (x != x || y != y) return x + y;
  const double infinity = std::numeric_limits<double>::infinity();
  const bool left = bits_of(x) >> 63 != 0;
  double value = 0;
  if (magnitude(y) == infinity && magnitude(x) == infinity) {
    value = (left ? 3.0 : 1.0) * (tables::half_pi_high / 2);
    // 3 pi / 4 in one rounding: 3 (pi / 4) is it, as the product's last bits show (22.5).
  } else if (y == 0 || magnitude(x) == infinity) {
    value = left ? tables::pi_high : 0.0;
  } else {
    value = tables::half_pi_high;
  }
  return bits_of(y) >> 63 != 0 ? -value : value;
}

}  // namespace

double atan(double x) {
  const double size = magnitude(x);
  if (size < tiny) return x;
  if (!(size < 0x1p60)) return x != x ? x : (x < 0 ? -tables::half_pi_high : tables::half_pi_high);
  const Twofold a = first_quarter({size, 0}, {1, 0});
  double value = 0;
  if (!is_settled(a, angle_error * a.high, value)) [[unlikely]]
    value = slow::atan2(size, 1);
  return __builtin_copysign(value, x);
}

double atan2(double y, double x) {
  const double width = magnitude(x);
  const double height = magnitude(y);
  if (width > least_size && width < largest_size && height > least_size && height < largest_size) [[likely]] {
    if (height > least_quotient * width && width > least_quotient * height) [[likely]] {
      Twofold a = first_quarter({height, 0}, {width, 0});
      if (x < 0) a = difference(tables::pi_high, tables::pi_low, a);
      double value = 0;
      if (is_settled(a, angle_error * a.high, value)) [[likely]]
        return __builtin_copysign(value, y);
    }
    return slow::atan2(y, x);
  }
  const auto is_ordinary = [](double size) { return size > 0 && size < std::numeric_limits<double>::infinity(); };
  return is_ordinary(width) && is_ordinary(height) ? slow::atan2(y, x) : angle_of_a_special(y, x);
}

double asin(double x) {
  const double size = magnitude(x);
  if (size < tiny) return x;
  if (!(size < 1)) {
    if (size != 1) return x != x ? x : not_a_number;
    return x < 0 ? -tables::half_pi_high : tables::half_pi_high;
  }
  const Twofold a = first_quarter({size, 0}, opposite(size));
  double value = 0;
  if (!is_settled(a, angle_error * a.high, value)) [[unlikely]]
    return slow::asin(x);
  return __builtin_copysign(value, x);
}

double acos(double x) {
  const double size = magnitude(x);
  if (size < 0x1p-60) return tables::half_pi_high;
  if (!(size < 1)) {
    if (size != 1) return x != x ? x : not_a_number;
    return x < 0 ? tables::pi_high : 0.0;
  }
  Twofold a = first_quarter(opposite(size), {size, 0});
  if (x < 0) a = difference(tables::pi_high, tables::pi_low, a);
  double value = 0;
  if (!is_settled(a, angle_error * a.high, value)) [[unlikely]]
    return slow::acos(x);
  return value;
}

}  // namespace zwang::elementary
