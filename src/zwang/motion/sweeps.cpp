/// Loops over all coefficients of a series; see the header for the sums.
#include "zwang/motion/sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/base/side.hpp"

namespace zwang::motion {

namespace {

// Written once, compiled for every width of vectors. Numbers beside each other never meet, but in maxima.

[[gnu::always_inline]] inline double largest_of(const double* x, const double* weight, std::size_t count) {
  constexpr std::size_t lanes = 8;
  double most[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const double size = weight == nullptr ? std::abs(x[i + l]) : std::abs(x[i + l]) * weight[i + l];
      most[l] = size > most[l] ? size : most[l];
    }
  }
  double largest = 0;
  for (; i < count; ++i) {
    const double size = weight == nullptr ? std::abs(x[i]) : std::abs(x[i]) * weight[i];
    largest = size > largest ? size : largest;
  }
  if (count >= lanes) {
    for (const double one : most) largest = std::max(largest, one);
  }
  return largest;
}

/// A chunk of numbers is summed up with all its orders before the next one: the sums stay in registers.
template <std::size_t W>
[[gnu::always_inline]] inline void gains_of(const double* q, const double* v, std::size_t n, unsigned order, double s,
                                            double* gain_q, double* gain_v) {
  double dq[W] = {};
  double dv[W] = {};
  const double* c = q + std::size_t{order} * n;
  const double* rate = v + std::size_t{order - 1} * n;
  for (unsigned k = order; k >= 2; --k, c -= n, rate -= n) {
    for (std::size_t i = 0; i < W; ++i) {
      dq[i] = (dq[i] + c[i]) * s;
      dv[i] = (dv[i] + rate[i]) * s;
    }
  }
  for (std::size_t i = 0; i < W; ++i) {
    gain_q[i] = (dq[i] + c[i]) * s;
    gain_v[i] = dv[i];
  }
}

[[gnu::always_inline]] inline void all_gains(const double* q, const double* v, std::size_t n, unsigned order, double s,
                                             double* gain_q, double* gain_v) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) gains_of<8>(q + i, v + i, n, order, s, gain_q + i, gain_v + i);
  for (; i + 2 <= n; i += 2) gains_of<2>(q + i, v + i, n, order, s, gain_q + i, gain_v + i);
  for (; i < n; ++i) gains_of<1>(q + i, v + i, n, order, s, gain_q + i, gain_v + i);
}

template <std::size_t W>
[[gnu::always_inline]] inline void sum_of(const double* c, std::size_t count, unsigned orders, double s, double* y) {
  double sum[W] = {};
  const double* at = c + std::size_t{orders} * count;
  for (unsigned k = orders; k > 0; --k) {
    at -= count;
    for (std::size_t i = 0; i < W; ++i) sum[i] = sum[i] * s + at[i];
  }
  for (std::size_t i = 0; i < W; ++i) y[i] = sum[i];
}

[[gnu::always_inline]] inline void sum_all(const double* c, std::size_t count, unsigned orders, double s, double* y) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) sum_of<8>(c + i, count, orders, s, y + i);
  for (; i < count; ++i) sum_of<1>(c + i, count, orders, s, y + i);
}

template <std::size_t W>
[[gnu::always_inline]] inline void rates_of(const double* v, std::size_t n, unsigned order, double h, double* at_end,
                                            double* halfway, double* terms) {
  using Numbers = Side<W>;
  Numbers whole = Numbers::zero();
  Numbers half = Numbers::zero();
  Numbers sizes = Numbers::zero();
  const double* at = v + std::size_t{order} * n;
  const double h2 = 0.5 * h;
  for (unsigned k = order; k-- > 1;) {
    at -= n;
    Numbers a = Numbers::load(at);
    a.times(static_cast<double>(k));
    whole.times(h);
    whole.add(a);
    half.times(h2);
    half.add(a);
    a.make_positive();
    sizes.times(h);
    sizes.add(a);
  }
  whole.store(at_end);
  half.store(halfway);
  sizes.store(terms);
}

[[gnu::always_inline]] inline void all_rates(const double* v, std::size_t n, unsigned order, double h, double* at_end,
                                             double* halfway, double* terms) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) rates_of<4>(v + i, n, order, h, at_end + i, halfway + i, terms + i);
  for (; i + 2 <= n; i += 2) rates_of<2>(v + i, n, order, h, at_end + i, halfway + i, terms + i);
  for (; i < n; ++i) rates_of<1>(v + i, n, order, h, at_end + i, halfway + i, terms + i);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
bool wide() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
[[gnu::target("avx2")]] double largest_wide(const double* x, const double* weight, std::size_t count) {
  return largest_of(x, weight, count);
}
[[gnu::target("avx2")]] void gains_wide(const double* q, const double* v, std::size_t n, unsigned order, double s,
                                        double* gain_q, double* gain_v) {
  all_gains(q, v, n, order, s, gain_q, gain_v);
}
[[gnu::target("avx2")]] void sum_wide(const double* c, std::size_t count, unsigned orders, double s, double* y) {
  sum_all(c, count, orders, s, y);
}
[[gnu::target("avx2")]] void rates_wide(const double* v, std::size_t n, unsigned order, double h, double* at_end,
                                        double* halfway, double* terms) {
  all_rates(v, n, order, h, at_end, halfway, terms);
}
#else
constexpr bool wide() { return false; }
double largest_wide(const double*, const double*, std::size_t) { return 0; }
void gains_wide(const double*, const double*, std::size_t, unsigned, double, double*, double*) {}
void sum_wide(const double*, std::size_t, unsigned, double, double*) {}
void rates_wide(const double*, std::size_t, unsigned, double, double*, double*, double*) {}
#endif

}  // namespace

double largest_of_many(const double* x, const double* weight, std::size_t count) {
  return wide() ? largest_wide(x, weight, count) : largest_of(x, weight, count);
}

void gains(const double* q, const double* v, std::size_t n, unsigned order, double s, double* gain_q, double* gain_v) {
  if (n >= 8 && wide()) {
    gains_wide(q, v, n, order, s, gain_q, gain_v);
  } else {
    all_gains(q, v, n, order, s, gain_q, gain_v);
  }
}

void rates(const double* v, std::size_t n, unsigned order, double h, double* at_end, double* halfway, double* terms) {
  if (n >= 8 && wide()) {
    rates_wide(v, n, order, h, at_end, halfway, terms);
  } else {
    all_rates(v, n, order, h, at_end, halfway, terms);
  }
}

void sum_up(const double* c, std::size_t count, unsigned orders, double s, double* y) {
  if (count >= 8 && wide()) {
    sum_wide(c, count, orders, s, y);
  } else {
    sum_all(c, count, orders, s, y);
  }
}

}  // namespace zwang::motion
