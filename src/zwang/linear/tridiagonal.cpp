/// Pivots and products of a tridiagonal factor; see the header for the equations.
#include "zwang/linear/tridiagonal.hpp"

#include <algorithm>

namespace zwang::linear {

namespace {

void solve_plain(Tridiagonal& factor) { factor.solve(); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void solve_avx2(Tridiagonal& factor) { factor.solve(); }
const bool wide = __builtin_cpu_supports("avx2") != 0;
#else
void solve_avx2(Tridiagonal& factor) { factor.solve(); }
constexpr bool wide = false;
#endif

}  // namespace

void Tridiagonal::solve_wide() {
  if (wide && size_ > 1) {
    solve_avx2(*this);
  } else {
    solve_plain(*this);
  }
}

void Tridiagonal::shape(std::size_t size) {
  size_ = size;
  padded_ = (size + lanes - 1) / lanes * lanes;
  room_.assign(11 * stride(), 0.0);
}

bool Tridiagonal::factor(const double* diagonal, const double* beside, double vanishing) {
  // Pivots, and l_j with its sign turned.
  double* const inverse_pivot = inverse();
  double* const less = product(1);
  least_pivot_ = 1;
  std::fill(right() + size_, right() + padded_, 0.0);
  double pivot = diagonal[0];
  for (std::size_t j = 0; j < size_; ++j) {
    if (j > 0) {
      const double l = beside[j - 1] * inverse_pivot[j - 1];
      pivot = diagonal[j] - l * beside[j - 1];
      less[j] = -l;
    }
    if (!(pivot > vanishing * diagonal[j])) return false;
    inverse_pivot[j] = 1.0 / pivot;
    least_pivot_ = std::min(least_pivot_, pivot / diagonal[j]);
  }

  // Products of up to four of them, ending or beginning at every row; those that would reach beyond the ends are zero.
  for (std::size_t which = 2; which <= 4; ++which) {
    const double* const shorter = product(which - 1);
    double* const longer = product(which);
    for (std::size_t j = 1; j < size_; ++j) longer[j] = less[j] * shorter[j - 1];
  }
  for (std::size_t which = 1; which <= 4; ++which) {
    const double* const down = product(which);
    double* const up = product(4 + which);
    for (std::size_t j = 0; j + which < size_; ++j) up[j] = down[j + which];
  }
  return true;
}

}  // namespace zwang::linear
