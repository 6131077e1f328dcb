/// Functions of numbers of twice the digits.
#include "zwang/analysis/wide.hpp"

#include <cmath>

#include "zwang/elementary/elementary.hpp"

namespace zwang::analysis {

namespace {

/// Multiplied by a power of two, which is exact.
Wide scaled(const Wide& x, int exponent) {
  return Wide(motion::DoubleDouble{std::ldexp(x.value.high, exponent), std::ldexp(x.value.low, exponent)});
}

/// sin and cos together, by series after reduction to |r| <= pi / 4.
struct Turn {
  Wide sine, cosine;
};
Turn turn(const Wide& x) {
  const double quarters = std::nearbyint(x.value.high / (0.5 * pi<double>()));
  const Wide r = x - scaled(pi<Wide>(), -1) * Wide(quarters);
  const Wide square = r * r;
  Wide sine = r;
  Wide cosine = 1;
  Wide odd = r;
  Wide even = 1;
  for (int k = 1; k <= 15; ++k) {
    even = -(even * square) / Wide(static_cast<double>((2 * k - 1) * (2 * k)));
    odd = -(odd * square) / Wide(static_cast<double>((2 * k) * (2 * k + 1)));
    cosine += even;
    sine += odd;
  }
  switch (static_cast<int>(std::fmod(std::fmod(quarters, 4) + 4, 4))) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

}  // namespace

Wide operator/(const Wide& a, const Wide& b) {
  // Two corrections of the double's quotient.
  const double first = a.value.high / b.value.high;
  if (!std::isfinite(first) || first == 0) return first;
  Wide rest = a - b * Wide(first);
  const double second = rest.value.high / b.value.high;
  rest = rest - b * Wide(second);
  const double third = rest.value.high / b.value.high;
  return Wide(motion::exact_ordered_sum(first, second) + third);
}

Wide sqrt(const Wide& x) {
  const double root = std::sqrt(x.value.high);
  if (!std::isfinite(root) || root == 0) return root;
  return Wide(root) + (x - Wide(root) * Wide(root)) / Wide(2 * root);
}

Wide exp(const Wide& x) {
  constexpr double log_two_high = 0.693147180559945286, log_two_low = 2.319046813846299558e-17;
  const Wide log_two(motion::DoubleDouble{log_two_high, log_two_low});
  const double twos = std::nearbyint(x.value.high / log_two.value.high);
  if (!(std::abs(twos) < 1000)) return elementary::exp(x.value.high);
  // The argument is halved six times, the sum squared as often.
  const Wide r = scaled(x - log_two * Wide(twos), -6);
  Wide term = 1;
  Wide sum = 1;
  for (int k = 1; k <= 14; ++k) {
    term = term * r / Wide(static_cast<double>(k));
    sum += term;
  }
  for (int k = 0; k < 6; ++k) sum *= sum;
  return scaled(sum, static_cast<int>(twos));
}

Wide log(const Wide& x) {
  const double first = elementary::log(x.value.high);
  if (!std::isfinite(first)) return first;
  const Wide once = Wide(first) + (x * exp(Wide(-first)) - Wide(1));
  return once + (x * exp(-once) - Wide(1));
}

Wide sin(const Wide& x) { return std::isfinite(x.value.high) ? turn(x).sine : Wide(elementary::sin(x.value.high)); }
Wide cos(const Wide& x) { return std::isfinite(x.value.high) ? turn(x).cosine : Wide(elementary::cos(x.value.high)); }

Wide atan2(const Wide& y, const Wide& x) {
  const double first = elementary::atan2(y.value.high, x.value.high);
  if (!std::isfinite(first) || (y.value.high == 0 && x.value.high == 0)) return first;
  // What is left of the angle is its own tangent.
  const Turn t = turn(Wide(first));
  return Wide(first) + (y * t.cosine - x * t.sine) / (x * t.cosine + y * t.sine);
}

}  // namespace zwang::analysis
