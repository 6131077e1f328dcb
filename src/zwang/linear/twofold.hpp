/// Numbers of twice the precision: unevaluated sums of two doubles, some 31 digits.
///
///   x = high + low,   |low| <= ulp(high) / 2
///
/// Sums and products of doubles are exact in this form (as long as nothing overflows or falls below 1e-290); the operations on
/// two such numbers are right to a few times 2^-104. Reference: Dekker, Numer. Math. 18 (1971) 224; Hida, Li and Bailey,
/// ARITH-15 (2001) 155. Needs -ffp-contract=off, as everywhere here.
#pragma once

#include <cmath>
#include <cstddef>

namespace zwang::linear {

struct Twofold {
  double high = 0;
  double low = 0;
  constexpr Twofold() = default;
  constexpr Twofold(double value) : high(value) {}  // NOLINT: a double is one of these
  constexpr Twofold(double h, double l) : high(h), low(l) {}
  constexpr explicit operator double() const { return high + low; }
};

/// a + b exactly; in the second form |a| >= |b| must hold.
constexpr Twofold exact_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
constexpr Twofold ordered_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a b exactly: each factor in two halves of 26 bits.
constexpr Twofold exact_product(double a, double b) {
  constexpr double splitter = 134217729.0;  // 2^27 + 1
  const double product = a * b;
  const double at = splitter * a, bt = splitter * b;
  const double ah = at - (at - a), bh = bt - (bt - b);
  const double al = a - ah, bl = b - bh;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

constexpr Twofold operator-(Twofold a) { return {-a.high, -a.low}; }
constexpr Twofold operator+(Twofold a, Twofold b) {
  Twofold high = exact_sum(a.high, b.high);
  const Twofold low = exact_sum(a.low, b.low);
  high = ordered_sum(high.high, high.low + low.high);
  return ordered_sum(high.high, high.low + low.low);
}
constexpr Twofold operator-(Twofold a, Twofold b) { return a + (-b); }
constexpr Twofold operator*(Twofold a, Twofold b) {
  Twofold product = exact_product(a.high, b.high);
  product.low += a.high * b.low + a.low * b.high;
  return ordered_sum(product.high, product.low);
}
constexpr Twofold operator*(Twofold a, double b) {
  Twofold product = exact_product(a.high, b);
  product.low += a.low * b;
  return ordered_sum(product.high, product.low);
}
constexpr Twofold operator*(double a, Twofold b) { return b * a; }
constexpr Twofold operator/(Twofold a, Twofold b) {
  const double first = a.high / b.high;
  Twofold rest = a - b * first;
  const double second = rest.high / b.high;
  rest = rest - b * second;
  return ordered_sum(first, second) + Twofold(rest.high / b.high);
}
constexpr Twofold& operator+=(Twofold& a, Twofold b) { return a = a + b; }
constexpr Twofold& operator-=(Twofold& a, Twofold b) { return a = a - b; }
constexpr Twofold& operator*=(Twofold& a, Twofold b) { return a = a * b; }
constexpr Twofold& operator/=(Twofold& a, Twofold b) { return a = a / b; }

constexpr bool operator<(Twofold a, Twofold b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }
constexpr bool operator>(Twofold a, Twofold b) { return b < a; }
constexpr bool operator<=(Twofold a, Twofold b) { return a.high < b.high || (a.high == b.high && a.low <= b.low); }
constexpr bool operator>=(Twofold a, Twofold b) { return b <= a; }
constexpr bool operator==(Twofold a, Twofold b) { return a.high == b.high && a.low == b.low; }

constexpr Twofold abs(Twofold a) { return a.high < 0 || (a.high == 0 && a.low < 0) ? -a : a; }
/// One step of Newton's from the root in double.
inline Twofold sqrt(Twofold a) {
  if (!(a.high > 0)) return {std::sqrt(a.high), 0};
  const double root = std::sqrt(a.high);
  const Twofold rest = a - exact_product(root, root);
  return ordered_sum(root, rest.high / (2 * root));
}

/// x . y
inline Twofold dot(const Twofold* x, const Twofold* y, std::size_t size) {
  Twofold sum;
  for (std::size_t j = 0; j < size; ++j) sum += x[j] * y[j];
  return sum;
}

/// y += factor x
inline void add_multiple(Twofold factor, const Twofold* x, Twofold* y, std::size_t size) {
  for (std::size_t j = 0; j < size; ++j) y[j] += factor * x[j];
}

}  // namespace zwang::linear
