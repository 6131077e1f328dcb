/// The nearest point in exact arithmetic: every set of independent rows is held, and all signs are looked at.
#include "exact.hpp"

#include <cstdint>

namespace zwang::gauss::testing {
namespace {

/// Phi_SS lambda = free_S by elimination; nothing if the rows are dependent. Phi is positive semidefinite: no pivoting needed.
std::optional<std::vector<Rational>> multipliers(const std::vector<std::vector<Rational>>& phi,
                                                 const std::vector<Rational>& free,
                                                 const std::vector<std::size_t>& set) {
  const std::size_t k = set.size();
  std::vector<std::vector<Rational>> m(k, std::vector<Rational>(k + 1));
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t q = 0; q < k; ++q) m[p][q] = phi[set[p]][set[q]];
    m[p][k] = free[set[p]];
  }
  for (std::size_t p = 0; p < k; ++p) {
    if (m[p][p] == 0) return std::nullopt;
    for (std::size_t q = p + 1; q < k; ++q) {
      const Rational factor = m[q][p] / m[p][p];
      if (factor == 0) continue;
      for (std::size_t c = p; c <= k; ++c) m[q][c] -= factor * m[p][c];
    }
  }
  std::vector<Rational> lambda(k);
  for (std::size_t p = k; p-- > 0;) {
    Rational sum = m[p][k];
    for (std::size_t q = p + 1; q < k; ++q) sum -= m[p][q] * lambda[q];
    lambda[p] = sum / m[p][p];
  }
  return lambda;
}

}  // namespace

std::optional<std::vector<Rational>> exact_nearest_point(const Problem& problem) {
  const std::size_t n = problem.n(), r = problem.r();

  // Rows, Phi and the free slacks.
  std::vector<std::vector<Rational>> rows(r, std::vector<Rational>(n, 0));
  std::vector<Rational> inverse(n), free(r);
  for (std::size_t j = 0; j < n; ++j) inverse[j] = Rational(1) / Rational(problem.mass->diagonal()[j]);
  for (std::size_t i = 0; i < r; ++i) {
    free[i] = Rational(problem.h[i]);
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      rows[i][problem.column[e]] = Rational(problem.entry[e]);
      free[i] += Rational(problem.entry[e]) * Rational(problem.a0[problem.column[e]]);
    }
  }
  std::vector<std::vector<Rational>> phi(r, std::vector<Rational>(r, 0));
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      for (std::size_t j = 0; j < n; ++j) phi[i][k] += rows[i][j] * inverse[j] * rows[k][j];
      phi[k][i] = phi[i][k];
    }
  }

  // Every set of at most n rows.
  for (std::uint32_t subset = 0; subset < (1U << r); ++subset) {
    std::vector<std::size_t> set;
    for (std::size_t i = 0; i < r; ++i) {
      if ((subset >> i & 1U) != 0) set.push_back(i);
    }
    if (set.size() > n) continue;
    const auto lambda = multipliers(phi, free, set);
    if (!lambda) continue;

    // All signs.
    bool right = true;
    for (std::size_t p = 0; p < set.size() && right; ++p) {
      right = problem.kind[set[p]] == RowKind::equation || (*lambda)[p] >= 0;
    }
    for (std::size_t i = 0; i < r && right; ++i) {
      Rational w = free[i];
      for (std::size_t p = 0; p < set.size(); ++p) w -= phi[i][set[p]] * (*lambda)[p];
      right = problem.kind[i] == RowKind::equation ? w == 0 : w <= 0;
    }
    if (!right) continue;
    std::vector<Rational> a(n);
    for (std::size_t j = 0; j < n; ++j) {
      a[j] = Rational(problem.a0[j]);
      for (std::size_t p = 0; p < set.size(); ++p) a[j] -= inverse[j] * rows[set[p]][j] * (*lambda)[p];
    }
    return a;
  }
  return std::nullopt;
}

}  // namespace zwang::gauss::testing
