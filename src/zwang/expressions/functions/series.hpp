/// Arithmetic on coefficient k of power series, for W lanes at once: what every recurrence is made of.
///
/// A series points at its coefficient 0; coefficient j of lane l is u[j * W + l]. The order k is an `unsigned` or a
/// `std::integral_constant`, so that the same source also gives unrolled kernels with the same bits. Lanes are computed
/// in vectors of two, the width that every 64-bit processor has; where there are many, by fours.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace zwang::expressions {

using Pair [[gnu::vector_size(16)]] = double;
using Quad [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
using Octet [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;

/// Lanes of tapes side by side (side_by_side.hpp): so many that sums of single lanes need not wait for one another.
inline constexpr unsigned many = 16;
/// The same lanes by eights, for processors that have such vectors: a name for a way to compute, not a number of lanes.
inline constexpr unsigned many_by_eights = many + 0x100;
[[nodiscard]] constexpr unsigned lanes_of(unsigned w) { return w & 0xffU; }

/// A cosine or sine that rounding has put outside of -1 .. 1, as dot(a, b) / (|a| |b|) of vectors in one direction comes out as 1 + 2^-52: by so little it is 1, or -1.
[[nodiscard]] inline double within_one(double u) {
  constexpr double roundings = 0x1p-50;
  const double over = std::abs(u) - 1;
  return over > 0 && over <= roundings ? std::copysign(1.0, u) : u;
}

/// One coefficient of W lanes, as a number (W = 1) or as pairs of numbers.
template <unsigned W>
struct Lanes {
  using Chunk = std::conditional_t<W == 1, double, Pair>;
  static constexpr unsigned size = W == 1 ? 1 : 2;
  static constexpr unsigned count = W / size;
  static_assert(W % size == 0);

  Chunk chunk[count] = {};

  [[gnu::always_inline]] friend Lanes operator+(const Lanes& a, const Lanes& b) {
    Lanes y;
    for (unsigned i = 0; i < count; ++i) y.chunk[i] = a.chunk[i] + b.chunk[i];
    return y;
  }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a, const Lanes& b) {
    Lanes y;
    for (unsigned i = 0; i < count; ++i) y.chunk[i] = a.chunk[i] - b.chunk[i];
    return y;
  }
  [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, const Lanes& b) {
    Lanes y;
    for (unsigned i = 0; i < count; ++i) y.chunk[i] = a.chunk[i] * b.chunk[i];
    return y;
  }
  [[gnu::always_inline]] friend Lanes operator/(const Lanes& a, const Lanes& b) {
    Lanes y;
    for (unsigned i = 0; i < count; ++i) y.chunk[i] = a.chunk[i] / b.chunk[i];
    return y;
  }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a) {
    Lanes y;
    for (unsigned i = 0; i < count; ++i) y.chunk[i] = -a.chunk[i];
    return y;
  }
  [[gnu::always_inline]] friend Lanes operator*(double c, const Lanes& a) {
    Lanes y;
    for (unsigned i = 0; i < count; ++i) y.chunk[i] = c * a.chunk[i];
    return y;
  }
  [[gnu::always_inline]] friend Lanes operator/(const Lanes& a, double c) {
    Lanes y;
    for (unsigned i = 0; i < count; ++i) y.chunk[i] = a.chunk[i] / c;
    return y;
  }
  [[gnu::always_inline]] void operator+=(const Lanes& a) {
    for (unsigned i = 0; i < count; ++i) chunk[i] += a.chunk[i];
  }
};

/// Many lanes, by fours, each four by its name: arrays of them would go by memory.
template <>
struct Lanes<many> {
  Quad first = {}, second = {}, third = {}, fourth = {};

  [[gnu::always_inline]] friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return {a.first + b.first, a.second + b.second, a.third + b.third, a.fourth + b.fourth};
  }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return {a.first - b.first, a.second - b.second, a.third - b.third, a.fourth - b.fourth};
  }
  [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return {a.first * b.first, a.second * b.second, a.third * b.third, a.fourth * b.fourth};
  }
  [[gnu::always_inline]] friend Lanes operator/(const Lanes& a, const Lanes& b) {
    return {a.first / b.first, a.second / b.second, a.third / b.third, a.fourth / b.fourth};
  }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a) { return {-a.first, -a.second, -a.third, -a.fourth}; }
  [[gnu::always_inline]] friend Lanes operator*(double c, const Lanes& a) {
    return {c * a.first, c * a.second, c * a.third, c * a.fourth};
  }
  [[gnu::always_inline]] friend Lanes operator/(const Lanes& a, double c) {
    return {a.first / c, a.second / c, a.third / c, a.fourth / c};
  }
  [[gnu::always_inline]] void operator+=(const Lanes& a) {
    first += a.first;
    second += a.second;
    third += a.third;
    fourth += a.fourth;
  }
};

template <>
struct Lanes<many_by_eights> {
  Octet first = {}, second = {};

  [[gnu::always_inline]] friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return {a.first + b.first, a.second + b.second};
  }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return {a.first - b.first, a.second - b.second};
  }
  [[gnu::always_inline]] friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return {a.first * b.first, a.second * b.second};
  }
  [[gnu::always_inline]] friend Lanes operator/(const Lanes& a, const Lanes& b) {
    return {a.first / b.first, a.second / b.second};
  }
  [[gnu::always_inline]] friend Lanes operator-(const Lanes& a) { return {-a.first, -a.second}; }
  [[gnu::always_inline]] friend Lanes operator*(double c, const Lanes& a) { return {c * a.first, c * a.second}; }
  [[gnu::always_inline]] friend Lanes operator/(const Lanes& a, double c) { return {a.first / c, a.second / c}; }
  [[gnu::always_inline]] void operator+=(const Lanes& a) {
    first += a.first;
    second += a.second;
  }
};

/// Coefficient k of a series.
template <unsigned W>
[[gnu::always_inline]] inline Lanes<W> load(const double* u, unsigned k) {
  const double* from = u + std::size_t{k} * lanes_of(W);
  if constexpr (W == many) {
    // Not by `auto`, which forgets how the numbers are aligned.
    return {*reinterpret_cast<const Quad*>(from), *reinterpret_cast<const Quad*>(from + 4),
            *reinterpret_cast<const Quad*>(from + 8), *reinterpret_cast<const Quad*>(from + 12)};
  } else if constexpr (W == many_by_eights) {
    return {*reinterpret_cast<const Octet*>(from), *reinterpret_cast<const Octet*>(from + 8)};
  } else {
    Lanes<W> a;
    for (unsigned i = 0; i < a.count; ++i) std::memcpy(&a.chunk[i], from + i * a.size, sizeof a.chunk[i]);
    return a;
  }
}
template <unsigned W>
[[gnu::always_inline]] inline void store(double* y, unsigned k, const Lanes<W>& a) {
  double* to = y + std::size_t{k} * lanes_of(W);
  if constexpr (W == many) {
    *reinterpret_cast<Quad*>(to) = a.first;
    *reinterpret_cast<Quad*>(to + 4) = a.second;
    *reinterpret_cast<Quad*>(to + 8) = a.third;
    *reinterpret_cast<Quad*>(to + 12) = a.fourth;
  } else if constexpr (W == many_by_eights) {
    *reinterpret_cast<Octet*>(to) = a.first;
    *reinterpret_cast<Octet*>(to + 8) = a.second;
  } else {
    for (unsigned i = 0; i < a.count; ++i) std::memcpy(to + i * a.size, &a.chunk[i], sizeof a.chunk[i]);
  }
}

/// Coefficient 0 of y = f(u), lane by lane.
template <unsigned W, class F>
[[gnu::always_inline]] inline void each_lane(double* y, const double* u, const F& f) {
  for (unsigned l = 0; l < lanes_of(W); ++l) y[l] = f(u[l]);
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
