/// Coefficient k of the arithmetic operations on power series.
///
/// y = a b:      y_k = sum_{j=0..k} a_j b_{k-j}
/// y = a / b:    y_k = (a_k - sum_{j=1..k} b_j y_{k-j}) / b_0
/// y = a^2:      y_k = 2 sum_{2j<k} a_j a_{k-j} + [k even] a_{k/2}^2
/// y = 1 / a:    y_k = -sum_{j=1..k} a_j y_{k-j} / a_0
/// y = a^c:      y_k = sum_{j=1..k} (c j - (k - j)) a_j y_{k-j} / (k a_0);  if a_0 = 0 and k < c:  y_k = 0
#pragma once

#include "zwang/expressions/functions/series.hpp"

namespace zwang::expressions {

struct Add {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* a, const double* b, K k) {
    each_lane<W>(y, k, [&](unsigned l) { return a[k * W + l] + b[k * W + l]; });
  }
};

struct Subtract {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* a, const double* b, K k) {
    each_lane<W>(y, k, [&](unsigned l) { return a[k * W + l] - b[k * W + l]; });
  }
};

struct Multiply {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* a, const double* b, K k) {
    if (k == 0) {
      each_lane<W>(y, 0, [&](unsigned l) { return a[l] * b[l]; });
      return;
    }
    const Lanes<W> s = convolve<W>(a, b, k, 0, k);
    each_lane<W>(y, k, [&](unsigned l) { return s.at[l]; });
  }
};

struct Divide {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* a, const double* b, K k) {
    if (k == 0) {
      each_lane<W>(y, 0, [&](unsigned l) { return a[l] / b[l]; });
      return;
    }
    const Lanes<W> s = convolve<W>(b, y, k, 1, k);
    each_lane<W>(y, k, [&](unsigned l) { return (a[k * W + l] - s.at[l]) / b[l]; });
  }
};

struct Negate {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* a, K k) {
    each_lane<W>(y, k, [&](unsigned l) { return -a[k * W + l]; });
  }
};

struct Scale {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* a, double c, K k) {
    each_lane<W>(y, k, [&](unsigned l) { return c * a[k * W + l]; });
  }
};

struct Square {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* a, K k) {
    const Lanes<W> s = square_terms<W>(a, k, 0);
    each_lane<W>(y, k, [&](unsigned l) { return s.at[l]; });
  }
};

struct Reciprocal {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* a, K k) {
    if (k == 0) {
      each_lane<W>(y, 0, [&](unsigned l) { return 1 / a[l]; });
      return;
    }
    const Lanes<W> s = convolve<W>(a, y, k, 1, k);
    each_lane<W>(y, k, [&](unsigned l) { return -s.at[l] / a[l]; });
  }
};

struct Power {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* __restrict y, const double* a, double c, K k) {
    if (k == 0) {
      each_lane<W>(y, 0, [&](unsigned l) { return std::pow(a[l], c); });
      return;
    }
    Lanes<W> s{};
    for (unsigned j = 1; j <= k; ++j) {
      const double weight = c * j - (k - j);
      for (unsigned l = 0; l < W; ++l) s.at[l] += weight * a[j * W + l] * y[(k - j) * W + l];
    }
    const double order = k;
    each_lane<W>(y, k, [&](unsigned l) { return a[l] == 0 && order < c ? 0.0 : s.at[l] / (order * a[l]); });
  }
};

}  // namespace zwang::expressions
