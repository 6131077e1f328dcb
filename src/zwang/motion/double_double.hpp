/// Numbers of twice the digits: an unevaluated sum of two doubles, for the few decisions that one double leaves open.
///
///   x = high + low,  |low| <= eps/2 |high|,  relative error of a sum or product below 2^-100
///
/// Symbols: as in Dekker, A floating-point technique for extending the available precision, Numer. Math. 18 (1971) 224.
/// No operand may exceed 2^990: the splitting factor must not overflow.
#pragma once

#include <cmath>

namespace zwang::motion {

struct DoubleDouble {
  double high;
  double low;
};

/// a + b without error.
[[nodiscard]] inline DoubleDouble exact_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a + b without error if |a| >= |b|.
[[nodiscard]] inline DoubleDouble exact_ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a b without error, unless the low part underflows.
[[nodiscard]] inline DoubleDouble exact_product(double a, double b) {
  constexpr double splitter = 134217729;  // 2^27 + 1
  const double product = a * b;
  const double wide_a = splitter * a;
  const double high_a = wide_a - (wide_a - a);
  const double low_a = a - high_a;
  const double wide_b = splitter * b;
  const double high_b = wide_b - (wide_b - b);
  const double low_b = b - high_b;
  return {product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b};
}

[[nodiscard]] inline DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }

[[nodiscard]] inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = exact_sum(a.high, b.high);
  const DoubleDouble low = exact_sum(a.low, b.low);
  const DoubleDouble sum = exact_ordered_sum(high.high, high.low + low.high);
  return exact_ordered_sum(sum.high, sum.low + low.low);
}

[[nodiscard]] inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

[[nodiscard]] inline DoubleDouble operator+(DoubleDouble a, double b) {
  const DoubleDouble sum = exact_sum(a.high, b);
  return exact_ordered_sum(sum.high, sum.low + a.low);
}

[[nodiscard]] inline DoubleDouble operator-(DoubleDouble a, double b) { return a + -b; }

[[nodiscard]] inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = exact_product(a.high, b.high);
  return exact_ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

[[nodiscard]] inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble product = exact_product(a.high, b);
  return exact_ordered_sum(product.high, product.low + a.low * b);
}

[[nodiscard]] inline bool operator<(DoubleDouble a, DoubleDouble b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/// a / b for numbers of one double each.
[[nodiscard]] inline DoubleDouble quotient(double a, double b) {
  const double high = a / b;
  const DoubleDouble back = exact_product(high, b);
  return exact_ordered_sum(high, ((a - back.high) - back.low) / b);
}

/// Below, at or above zero: -1, 0, 1.
[[nodiscard]] inline int sign(DoubleDouble a) {
  const double leading = a.high != 0 ? a.high : a.low;
  return (leading > 0 ? 1 : 0) - (leading < 0 ? 1 : 0);
}

}  // namespace zwang::motion
