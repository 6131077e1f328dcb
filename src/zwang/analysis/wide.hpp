/// Numbers of twice the digits as a type with all operations and functions: for ranks that one double leaves open.
///
///   x = high + low,  relative error of an operation about 1e-31, of a function about 1e-29
///
/// Functions are reduced to a small argument, summed as power series (exp, sin, cos) or inverted by one Newton step
/// from the double's value (log, sqrt, atan2). Reference: Dekker 1971 (motion/double_double.hpp); docs/mathematics,
/// section 17.
#pragma once

#include "zwang/motion/double_double.hpp"

namespace zwang::analysis {

struct Wide {
  motion::DoubleDouble value{0, 0};
  Wide() = default;
  Wide(double x) : value{x, 0} {}  // NOLINT(google-explicit-constructor): every double is a wide number
  explicit Wide(motion::DoubleDouble x) : value(x) {}
};

[[nodiscard]] inline double narrow(double x) { return x; }
[[nodiscard]] inline double narrow(const Wide& x) { return x.value.high; }

[[nodiscard]] inline Wide operator-(const Wide& a) { return Wide(-a.value); }
[[nodiscard]] inline Wide operator+(const Wide& a, const Wide& b) { return Wide(a.value + b.value); }
[[nodiscard]] inline Wide operator-(const Wide& a, const Wide& b) { return Wide(a.value - b.value); }
[[nodiscard]] inline Wide operator*(const Wide& a, const Wide& b) { return Wide(a.value * b.value); }
[[nodiscard]] Wide operator/(const Wide& a, const Wide& b);
inline Wide& operator+=(Wide& a, const Wide& b) { return a = a + b; }
inline Wide& operator-=(Wide& a, const Wide& b) { return a = a - b; }
inline Wide& operator*=(Wide& a, const Wide& b) { return a = a * b; }

// The functions of expressions that a series at a point starts from.
[[nodiscard]] Wide sqrt(const Wide& x);
[[nodiscard]] Wide exp(const Wide& x);
[[nodiscard]] Wide log(const Wide& x);
[[nodiscard]] Wide sin(const Wide& x);
[[nodiscard]] Wide cos(const Wide& x);
[[nodiscard]] Wide atan2(const Wide& y, const Wide& x);

/// pi to the digits of the type.
template <class S>
[[nodiscard]] S pi();
template <>
[[nodiscard]] inline double pi<double>() {
  return 3.14159265358979323846;
}
template <>
[[nodiscard]] inline Wide pi<Wide>() {
  constexpr double pi_high = 3.141592653589793116, pi_low = 1.224646799147353207e-16;
  return Wide(motion::DoubleDouble{pi_high, pi_low});
}

}  // namespace zwang::analysis
