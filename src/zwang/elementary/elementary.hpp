/// Elementary functions that give the same bits on every machine.
///
/// The C library chooses its way by the processor (with or without fused products, by the width of its vectors), and its
/// last bits with it. These functions are made of +, -, *, / and the square root of doubles, which IEEE 754 defines to the
/// last bit, and of whole numbers; nothing else. The first group is correctly rounded: the double nearest to the true value,
/// hence as monotonic and as symmetric as the function itself (docs/mathematics, 22, says how and within which assumption).
/// Infinities, NaN and signed zeros are those of IEEE 754 and of C. No function sets errno.
#pragma once

namespace zwang::elementary {

// Correctly rounded.
[[nodiscard]] double exp(double x);
[[nodiscard]] double log(double x);
[[nodiscard]] double pow(double x, double y);
[[nodiscard]] double sin(double x);
[[nodiscard]] double cos(double x);
[[nodiscard]] double tan(double x);
[[nodiscard]] double asin(double x);
[[nodiscard]] double acos(double x);
[[nodiscard]] double atan(double x);
[[nodiscard]] double atan2(double y, double x);
[[nodiscard]] double sinh(double x);
[[nodiscard]] double cosh(double x);
[[nodiscard]] double tanh(double x);

/// Sine and cosine of one angle, for little more than the price of one: the same bits as `sin` and `cos`.
struct SineCosine {
  double sine = 0;
  double cosine = 1;
};
[[nodiscard]] SineCosine sin_cos(double x);

// Within 0.52 units in the last place, where the result is no subnormal number.
[[nodiscard]] double exp2(double x);
[[nodiscard]] double expm1(double x);
[[nodiscard]] double log2(double x);
[[nodiscard]] double log10(double x);
[[nodiscard]] double log1p(double x);
[[nodiscard]] double hypot(double x, double y);

// Within two units in the last place.
[[nodiscard]] double hypot(double x, double y, double z);
[[nodiscard]] double atanh(double x);

}  // namespace zwang::elementary
