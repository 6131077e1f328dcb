/// Polynomials side by side.
#include "zwang/sensitivity/polynomials.hpp"

#include <cmath>

#include "zwang/sensitivity/lanes.hpp"

namespace zwang::sensitivity {

namespace {

/// Written once and compiled for every width of vectors; every number goes its own way.
struct PolynomialKernels {
  template <std::size_t W, int Derivatives>
  [[gnu::always_inline]] static void sum_up_block(const Polynomials& of, std::size_t first, double s, double* value,
                                                  double* rate, double* second) {
    using Numbers = Lanes<W>;
    Numbers x = Numbers::zero();
    Numbers v = Numbers::zero();
    Numbers a = Numbers::zero();
    const double* c = of.coefficient + of.orders * of.count + first;
    for (unsigned k = of.orders; k > 0; --k) {
      c -= of.count;
      if constexpr (Derivatives > 1) {
        a.times(s);
        a.add(v);
      }
      if constexpr (Derivatives > 0) {
        v.times(s);
        v.add(x);
      }
      x.times(s);
      x.add(Numbers::load(c));
    }
    x.store(value + first);
    if constexpr (Derivatives > 0) v.store(rate + first);
    if constexpr (Derivatives > 1) {
      a.times(2);
      a.store(second + first);
    }
  }
  template <int Derivatives>
  [[gnu::always_inline]] static void sum_up(const Polynomials& of, double s, double* value, double* rate,
                                            double* second) {
    std::size_t i = 0;
    for (; i + 8 <= of.count; i += 8) sum_up_block<8, Derivatives>(of, i, s, value, rate, second);
    if (i + 4 <= of.count) {
      sum_up_block<4, Derivatives>(of, i, s, value, rate, second);
      i += 4;
    }
    if (i + 2 <= of.count) {
      sum_up_block<2, Derivatives>(of, i, s, value, rate, second);
      i += 2;
    }
    if (i < of.count) sum_up_block<1, Derivatives>(of, i, s, value, rate, second);
  }
  [[gnu::always_inline]] static void sum_up_any(const Polynomials& of, double s, double* value, double* rate,
                                                double* second) {
    if (rate == nullptr) {
      sum_up<0>(of, s, value, rate, second);
    } else if (second == nullptr) {
      sum_up<1>(of, s, value, rate, second);
    } else {
      sum_up<2>(of, s, value, rate, second);
    }
  }
  [[gnu::always_inline]] static void size_up(const Polynomials& of, unsigned known, bool by_order, double* most,
                                             double* last) {
    const std::size_t n = of.count;
    for (std::size_t i = 0; i < n; ++i) most[i] = last[i] = 0;
    for (unsigned k = 0; k < known; ++k) {
      const double* const c = of.coefficient + k * n;
      for (std::size_t i = 0; i < n; ++i) {
        const double size = std::abs(c[i]);
        most[i] = most[i] < size ? size : most[i];
      }
    }
    for (unsigned k = known - 2; k < known; ++k) {
      const double* const c = of.coefficient + k * n;
      const double factor = by_order ? k : 1;
      for (std::size_t i = 0; i < n; ++i) {
        const double size = factor * std::abs(c[i]);
        last[i] = size <= last[i] ? last[i] : size;
      }
    }
  }
  static void sum_up_plain(const Polynomials& of, double s, double* value, double* rate, double* second) {
    sum_up_any(of, s, value, rate, second);
  }
  static void size_up_plain(const Polynomials& of, unsigned known, bool by_order, double* most, double* last) {
    size_up(of, known, by_order, most, last);
  }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  [[gnu::target("avx2")]] static void sum_up_wide(const Polynomials& of, double s, double* value, double* rate,
                                                  double* second) {
    sum_up_any(of, s, value, rate, second);
  }
  [[gnu::target("avx2")]] static void size_up_wide(const Polynomials& of, unsigned known, bool by_order, double* most,
                                                   double* last) {
    size_up(of, known, by_order, most, last);
  }
#endif
};

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
const bool polynomials_wide = __builtin_cpu_supports("avx2") != 0;
#endif

}  // namespace

void sum_up(const Polynomials& of, double s, double* value, double* rate, double* second) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (polynomials_wide) return PolynomialKernels::sum_up_wide(of, s, value, rate, second);
#endif
  PolynomialKernels::sum_up_plain(of, s, value, rate, second);
}

void size_up(const Polynomials& of, unsigned known, bool by_order, double* most, double* last) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (polynomials_wide) return PolynomialKernels::size_up_wide(of, known, by_order, most, last);
#endif
  PolynomialKernels::size_up_plain(of, known, by_order, most, last);
}

void shift(const Polynomials& of, double shift, double stretch, std::vector<double>& out) {
  const std::size_t n = of.count;
  out.assign(of.coefficient, of.coefficient + of.orders * n);
  if (shift != 0) {
    for (unsigned k = 0; k + 1 < of.orders; ++k) {
      for (unsigned j = of.orders - 1; j-- > k;) {
        for (std::size_t i = 0; i < n; ++i) out[j * n + i] += shift * out[(j + 1) * n + i];
      }
    }
  }
  if (stretch == 1) return;
  double power = 1;
  for (unsigned k = 0; k < of.orders; ++k, power *= stretch) {
    for (std::size_t i = 0; i < n; ++i) out[k * n + i] *= power;
  }
}

}  // namespace zwang::sensitivity
