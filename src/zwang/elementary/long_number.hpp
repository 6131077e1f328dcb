/// Floating numbers of 320 bits and the elementary functions on them: the slow way, for arguments whose value lies so near
/// to the middle between two doubles that the quick way cannot tell which is nearer.
///
/// A number is sign 0.m1 m2 m3 m4 m5 2^exponent with words m of 64 bits, the first bit of m1 set. Operations cut off what
/// does not fit; after a function some 300 bits are right (docs/mathematics, 22.4).
#pragma once

#include <cstdint>

namespace zwang::elementary::slow {

inline constexpr int words = 5;

struct Long {
  bool is_zero = true;
  bool negative = false;
  std::int64_t exponent = 0;
  std::uint64_t word[words] = {};  ///< the most significant first
};

[[nodiscard]] Long make(double x);
/// The double nearest to x, ties to even; subnormal numbers, zero and infinity where they are nearest. What differs from a
/// number of 256 bits by less than its last digits counts as that number: exact powers are seen as exact.
[[nodiscard]] double round(const Long& x);

[[nodiscard]] Long operator-(Long a);
[[nodiscard]] Long operator+(const Long& a, const Long& b);
[[nodiscard]] Long operator-(const Long& a, const Long& b);
[[nodiscard]] Long operator*(const Long& a, const Long& b);
[[nodiscard]] Long operator/(const Long& a, const Long& b);
[[nodiscard]] Long root(const Long& a);
/// 2^power a.
[[nodiscard]] Long scaled(Long a, std::int64_t power);

// The functions themselves, each the nearest double to the true value. Arguments are finite, results neither zero nor
// infinite by definition (overflow and underflow are rounded), and no tiny ones: |x| >= 2^-30 where f(x) = x + ...
[[nodiscard]] double exp(double x);
[[nodiscard]] double log(double x, double near);
[[nodiscard]] double pow(double x, double y, double near_log);
[[nodiscard]] double sin(double x);
[[nodiscard]] double cos(double x);
[[nodiscard]] double tan(double x);
[[nodiscard]] double sinh(double x);
[[nodiscard]] double cosh(double x);
[[nodiscard]] double tanh(double x);
[[nodiscard]] double asin(double x);
[[nodiscard]] double acos(double x);
[[nodiscard]] double atan2(double y, double x);

}  // namespace zwang::elementary::slow
