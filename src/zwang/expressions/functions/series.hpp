/// Arithmetic on coefficient k of power series, for W lanes at once: what every recurrence is made of.
///
/// A series points at its coefficient 0; coefficient j of lane l is u[j * W + l]. The order k is an `unsigned` or a
/// `std::integral_constant`, so that the same source also gives unrolled kernels with the same bits. Lanes are computed
/// in vectors of two, the width that every 64-bit processor has; wider types compile badly.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace zwang::expressions {

using Pair [[gnu::vector_size(16)]] = double;

/// One coefficient of W lanes, as a number (W = 1) or as pairs of numbers.
template <unsigned W>
struct Lanes {
  using Chunk = std::conditional_t<W == 1, double, Pair>;
  static constexpr unsigned size = W == 1 ? 1 : 2;
  static constexpr unsigned count = W / size;
  static_assert(W % size == 0);

  Chunk chunk[count] = {};

  /// f of every pair of chunks.
  template <class F>
  [[gnu::always_inline]] static Lanes zip(const Lanes& a, const Lanes& b, const F& f) {
    Lanes y;
    for (unsigned i = 0; i < count; ++i) y.chunk[i] = f(a.chunk[i], b.chunk[i]);
    return y;
  }

  [[gnu::always_inline]] friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return zip(a, b, [](Chunk u, Chunk v) { return u + v; });
  }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return zip(a, b, [](Chunk u, Chunk v) { return u - v; });
  }
  [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return zip(a, b, [](Chunk u, Chunk v) { return u * v; });
  }
  [[gnu::always_inline]] friend Lanes operator/(const Lanes& a, const Lanes& b) {
    return zip(a, b, [](Chunk u, Chunk v) { return u / v; });
  }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a) {
    return zip(a, a, [](Chunk u, Chunk) { return -u; });
  }
  [[gnu::always_inline]] friend Lanes operator*(double c, const Lanes& a) {
    return zip(a, a, [c](Chunk u, Chunk) { return c * u; });
  }
  [[gnu::always_inline]] friend Lanes operator/(const Lanes& a, double c) {
    return zip(a, a, [c](Chunk u, Chunk) { return u / c; });
  }
  [[gnu::always_inline]] void operator+=(const Lanes& a) { *this = *this + a; }
};

/// Coefficient k of a series.
template <unsigned W>
[[gnu::always_inline]] inline Lanes<W> load(const double* u, unsigned k) {
  Lanes<W> a;
  const double* from = u + std::size_t{k} * W;
  for (unsigned i = 0; i < a.count; ++i) std::memcpy(&a.chunk[i], from + i * a.size, sizeof a.chunk[i]);
  return a;
}
template <unsigned W>
[[gnu::always_inline]] inline void store(double* y, unsigned k, const Lanes<W>& a) {
  double* to = y + std::size_t{k} * W;
  for (unsigned i = 0; i < a.count; ++i) std::memcpy(to + i * a.size, &a.chunk[i], sizeof a.chunk[i]);
}

/// Coefficient 0 of y = f(u), lane by lane.
template <unsigned W, class F>
[[gnu::always_inline]] inline void each_lane(double* y, const double* u, const F& f) {
  for (unsigned l = 0; l < W; ++l) y[l] = f(u[l]);
}

/// sum_{j = from..to} x_j z_{k-j}, in rising j.
template <unsigned W>
[[gnu::always_inline]] inline Lanes<W> convolve(const double* x, const double* z, unsigned k, unsigned from,
                                                unsigned to) {
  Lanes<W> s;
  for (unsigned j = from; j <= to; ++j) s += load<W>(x, j) * load<W>(z, k - j);
  return s;
}

/// (1 / k) sum_{j = from..to} j x_j z_{k-j}, in rising j: coefficient k of the integral of x' z.
template <unsigned W>
[[gnu::always_inline]] inline Lanes<W> integrate(const double* x, const double* z, unsigned k, unsigned from,
                                                 unsigned to) {
  Lanes<W> s;
  for (unsigned j = from; j <= to; ++j) s += static_cast<double>(j) * load<W>(x, j) * load<W>(z, k - j);
  return k > 1 ? s / static_cast<double>(k) : s;
}

/// sum_{j = from..k-from} x_j x_{k-j}: every pair once and doubled, then the middle.
template <unsigned W>
[[gnu::always_inline]] inline Lanes<W> square_terms(const double* x, unsigned k, unsigned from) {
  Lanes<W> s;
  for (unsigned j = from; 2 * j < k; ++j) s += load<W>(x, j) * load<W>(x, k - j);
  s = 2.0 * s;
  if (k % 2 == 0 && k >= 2 * from) s += load<W>(x, k / 2) * load<W>(x, k / 2);
  return s;
}

}  // namespace zwang::expressions
