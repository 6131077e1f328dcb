/// Coefficient k of the arithmetic operations on power series.
///
/// y = a b:      y_k = sum_{j=0..k} a_j b_{k-j}
/// y = a / b:    y_k = (a_k - sum_{j=1..k} b_j y_{k-j}) / b_0
/// y = a^2:      y_k = 2 sum_{2j<k} a_j a_{k-j} + [k even] a_{k/2}^2
/// y = 1 / a:    y_k = -sum_{j=1..k} a_j y_{k-j} / a_0
/// y = a^c:      y_k = sum_{j=1..k} (c j - (k - j)) a_j y_{k-j} / (k a_0);  if a_0 = 0 and k < c:  y_k = 0
#pragma once

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"

namespace zwang::expressions {

struct Add {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, const double* b, K k) {
    store<W>(y, k, load<W>(a, k) + load<W>(b, k));
  }
};

struct Subtract {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, const double* b, K k) {
    store<W>(y, k, load<W>(a, k) - load<W>(b, k));
  }
};

struct Multiply {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, const double* b, K k) {
    store<W>(y, k, k == 0 ? load<W>(a, 0) * load<W>(b, 0) : convolve<W>(a, b, k, 0, k));
  }
};

struct Divide {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, const double* b, K k) {
    const Lanes<W> rest = k == 0 ? load<W>(a, 0) : load<W>(a, k) - convolve<W>(b, y, k, 1, k);
    store<W>(y, k, rest / load<W>(b, 0));
  }
};

struct Negate {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, K k) {
    store<W>(y, k, -load<W>(a, k));
  }
};

struct Scale {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, double c, K k) {
    store<W>(y, k, c * load<W>(a, k));
  }
  /// Every lane has a factor of its own.
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, const double* c, K k) {
    store<W>(y, k, load<W>(c, 0) * load<W>(a, k));
  }
};

struct Square {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, K k) {
    store<W>(y, k, k == 0 ? load<W>(a, 0) * load<W>(a, 0) : square_terms<W>(a, k, 0));
  }
};

struct Reciprocal {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, K k) {
    if (k == 0) {
      each_lane<W>(y, a, [](double u) { return 1 / u; });
      return;
    }
    store<W>(y, k, -convolve<W>(a, y, k, 1, k) / load<W>(a, 0));
  }
};

struct Power {
  template <unsigned W, class K>
  [[gnu::always_inline]] static void coefficient(double* y, const double* a, double c, double zero_below, K k) {
    if (k == 0) {
      each_lane<W>(y, a, [=](double u) { return std::abs(u) <= zero_below && c > 0 ? 0.0 : elementary::pow(u, c); });
      return;
    }
    const double order = k;
    Lanes<W> s;
    for (unsigned j = 1; j <= k; ++j) s += (c * j - (order - j)) * load<W>(a, j) * load<W>(y, k - j);
    store<W>(y, k, s / (order * load<W>(a, 0)));
    for (unsigned l = 0; l < lanes_of(W); ++l) {
      if (c > 0 && (std::abs(a[l]) <= zero_below || (a[l] == 0 && order < c))) y[k * lanes_of(W) + l] = 0;
    }
  }
};

}  // namespace zwang::expressions
