/// Small dense kernels on plain arrays: dot products, sums of rows, blocks of dot products.
///
/// Sums run in pairs of doubles with a fixed order of additions, so results are the same bits on every run. The inputs
/// need no alignment. Sizes from a handful to a few hundred are what these are made for; a block of R x 2 dot products
/// loads R + 2 numbers for 2 R products, which keeps the multipliers busy.
#pragma once

#include <cstddef>

namespace zwang::linear {

/// Two doubles side by side.
using Pair = double __attribute__((vector_size(16)));
/// The same, as they lie in an array of doubles.
using LoosePair [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;

inline Pair load(const double* x) { return *reinterpret_cast<const LoosePair*>(x); }
inline void store(double* x, Pair value) { *reinterpret_cast<LoosePair*>(x) = value; }
inline double total(Pair x) { return x[0] + x[1]; }

/// x . y. Sums run over stretches of so many numbers: zeros in front or behind that fill whole stretches change no bit.
inline constexpr std::size_t dot_step = 8;
inline double dot(const double* x, const double* y, std::size_t size) {
  Pair s0 = {0, 0}, s1 = {0, 0}, s2 = {0, 0}, s3 = {0, 0};
  std::size_t j = 0;
  for (; j + 8 <= size; j += 8) {
    s0 += load(x + j) * load(y + j);
    s1 += load(x + j + 2) * load(y + j + 2);
    s2 += load(x + j + 4) * load(y + j + 4);
    s3 += load(x + j + 6) * load(y + j + 6);
  }
  for (; j + 2 <= size; j += 2) s0 += load(x + j) * load(y + j);
  double sum = total((s0 + s1) + (s2 + s3));
  if (j < size) sum += x[j] * y[j];
  return sum;
}

inline Pair absolute(Pair x) {
  using Bits = long long __attribute__((vector_size(16)));
  constexpr long long magnitude = 0x7fffffffffffffffLL;
  return reinterpret_cast<Pair>(reinterpret_cast<Bits>(x) & Bits{magnitude, magnitude});
}

/// sum |x_j y_j|
inline double absolute_dot(const double* x, const double* y, std::size_t size) {
  Pair s0 = {0, 0}, s1 = {0, 0};
  std::size_t j = 0;
  for (; j + 4 <= size; j += 4) {
    s0 += absolute(load(x + j) * load(y + j));
    s1 += absolute(load(x + j + 2) * load(y + j + 2));
  }
  double sum = total(s0 + s1);
  for (; j < size; ++j) sum += x[j] * y[j] < 0 ? -(x[j] * y[j]) : x[j] * y[j];
  return sum;
}

/// y_j += |c x_j|
inline void add_absolute(double c, const double* x, double* y, std::size_t size) {
  const Pair cc = {c, c};
  std::size_t j = 0;
  for (; j + 2 <= size; j += 2) store(y + j, load(y + j) + absolute(cc * load(x + j)));
  if (j < size) y[j] += c * x[j] < 0 ? -(c * x[j]) : c * x[j];
}

/// y += c x
inline void add_multiple(double c, const double* x, double* y, std::size_t size) {
  const Pair cc = {c, c};
  std::size_t j = 0;
  for (; j + 2 <= size; j += 2) store(y + j, load(y + j) + cc * load(x + j));
  if (j < size) y[j] += c * x[j];
}

/// out[i] = x[i] . y for R rows at once.
template <int R>
inline void dots(const double* const* x, const double* y, std::size_t size, double* out) {
  Pair s[R] = {};
  Pair t[R] = {};
  std::size_t j = 0;
  for (; j + 4 <= size; j += 4) {
    const Pair y0 = load(y + j), y1 = load(y + j + 2);
    for (int i = 0; i < R; ++i) s[i] += load(x[i] + j) * y0;
    for (int i = 0; i < R; ++i) t[i] += load(x[i] + j + 2) * y1;
  }
  for (; j + 2 <= size; j += 2) {
    const Pair y0 = load(y + j);
    for (int i = 0; i < R; ++i) s[i] += load(x[i] + j) * y0;
  }
  for (int i = 0; i < R; ++i) out[i] = total(s[i] + t[i]);
  if (j < size) {
    for (int i = 0; i < R; ++i) out[i] += x[i][j] * y[j];
  }
}

/// out[2 i + k] = x[i] . y[k] for R rows against two.
template <int R>
inline void dots_by_two(const double* const* x, const double* y0, const double* y1, std::size_t size, double* out) {
  Pair s[R] = {};
  Pair t[R] = {};
  std::size_t j = 0;
  for (; j + 2 <= size; j += 2) {
    const Pair u = load(y0 + j), v = load(y1 + j);
    for (int i = 0; i < R; ++i) {
      const Pair xi = load(x[i] + j);
      s[i] += xi * u;
      t[i] += xi * v;
    }
  }
  for (int i = 0; i < R; ++i) {
    out[2 * i] = total(s[i]);
    out[2 * i + 1] = total(t[i]);
  }
  if (j < size) {
    for (int i = 0; i < R; ++i) {
      out[2 * i] += x[i][j] * y0[j];
      out[2 * i + 1] += x[i][j] * y1[j];
    }
  }
}

/// y += sum c[i] x[i] over R rows at once.
template <int R>
inline void add_multiples(const double* c, const double* const* x, double* y, std::size_t size) {
  std::size_t j = 0;
  for (; j + 2 <= size; j += 2) {
    Pair s = load(y + j);
    for (int i = 0; i < R; ++i) s += Pair{c[i], c[i]} * load(x[i] + j);
    store(y + j, s);
  }
  if (j < size) {
    for (int i = 0; i < R; ++i) y[j] += c[i] * x[i][j];
  }
}

}  // namespace zwang::linear
