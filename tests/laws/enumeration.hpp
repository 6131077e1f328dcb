/// The nearest point by trying every set of inequalities as equations: slow, plain, and the yardstick of the tests.
///
///   minimise (a - a0)^T M (a - a0)   subject to   g_j a + h_j = 0 (equations),  g_j a + h_j <= 0 (inequalities)
///
/// For every set S with independent rows: Phi_SS lambda = b_S, Phi = G W G^T, b = G a0 + h. The set is right when
/// lambda >= 0 on its inequalities and b - Phi lambda <= 0 outside. Some independent set is right whenever the rows can
/// be satisfied at all (Caratheodory). All in extended precision; nothing here is shared with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace zwang::laws {

using Real = long double;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;

struct Row {
  Vector g;
  Real h = 0;
  bool equation = false;
};

struct Nearest {
  bool feasible = false;
  Vector a;
  Vector lambda;        ///< one admissible choice
  Vector w;             ///< g a + h
  bool unique = true;   ///< are the multipliers unique
  bool regular = true;  ///< are all rows independent
  Real least = 0;       ///< (a - a0)^T M (a - a0)
  Real margin = 0;      ///< how far from zero the smallest deciding sign is (relative); 0 when degenerate
};

/// Relative size below which a number counts as zero; the data are small rationals, so true zeros lie near 1e-18.
inline constexpr Real negligible = 1e-13L;

/// A x = b by elimination with full pivoting; nothing if A is singular.
inline std::optional<Vector> solve_square(Matrix A, Vector b) {
  const std::size_t n = b.size();
  Vector scale(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const Real x : A[i]) scale[i] = std::max(scale[i], std::abs(x));
    if (scale[i] == 0) return std::nullopt;
    for (Real& x : A[i]) x /= scale[i];
    b[i] /= scale[i];
  }
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k;
    std::size_t column = k;
    for (std::size_t i = k; i < n; ++i)
      for (std::size_t j = k; j < n; ++j)
        if (std::abs(A[i][j]) > std::abs(A[row][column])) row = i, column = j;
    if (std::abs(A[row][column]) < negligible) return std::nullopt;
    std::swap(A[k], A[row]);
    std::swap(b[k], b[row]);
    for (auto& line : A) std::swap(line[k], line[column]);
    std::swap(order[k], order[column]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  Vector x(n);
  for (std::size_t k = n; k-- > 0;) {
    Real sum = b[k];
    for (std::size_t j = k + 1; j < n; ++j) sum -= A[k][j] * x[order[j]];
    x[order[k]] = sum / A[k][k];
  }
  return x;
}

/// Null vectors of the columns of A^T for rows A: the combinations y with y^T A = 0.
inline Matrix left_null(const Matrix& rows) {
  const std::size_t r = rows.size();
  if (r == 0) return {};
  const std::size_t n = rows[0].size();
  Matrix A = rows;
  Matrix T(r, Vector(r, 0));
  for (std::size_t i = 0; i < r; ++i) {
    Real scale = 0;
    for (const Real x : A[i]) scale = std::max(scale, std::abs(x));
    T[i][i] = scale > 0 ? 1 / scale : 1;
    for (Real& x : A[i]) x *= T[i][i];
  }
  std::size_t rank = 0;
  for (std::size_t column = 0; column < n && rank < r; ++column) {
    std::size_t best = rank;
    for (std::size_t i = rank; i < r; ++i)
      if (std::abs(A[i][column]) > std::abs(A[best][column])) best = i;
    if (std::abs(A[best][column]) < negligible) continue;
    std::swap(A[rank], A[best]);
    std::swap(T[rank], T[best]);
    for (std::size_t i = rank + 1; i < r; ++i) {
      const Real factor = A[i][column] / A[rank][column];
      for (std::size_t j = 0; j < n; ++j) A[i][j] -= factor * A[rank][j];
      for (std::size_t j = 0; j < r; ++j) T[i][j] -= factor * T[rank][j];
    }
    ++rank;
  }
  return {T.begin() + static_cast<std::ptrdiff_t>(rank), T.end()};
}

inline Real dot(const Vector& x, const Vector& y) {
  Real sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

inline Nearest nearest(const Matrix& M, const Vector& a0, const std::vector<Row>& rows) {
  const std::size_t n = a0.size();
  const std::size_t r = rows.size();
  Nearest result;

  // W g_j, Phi and b.
  Matrix Wg(r);
  for (std::size_t j = 0; j < r; ++j) Wg[j] = solve_square(M, rows[j].g).value();
  Matrix Phi(r, Vector(r));
  Vector b(r);
  Vector scale(r);
  for (std::size_t j = 0; j < r; ++j) {
    for (std::size_t k = 0; k < r; ++k) Phi[j][k] = dot(rows[j].g, Wg[k]);
    b[j] = dot(rows[j].g, a0) + rows[j].h;
    scale[j] = std::abs(rows[j].h);
    for (std::size_t i = 0; i < n; ++i) scale[j] += std::abs(rows[j].g[i] * a0[i]);
  }

  // Equations: an independent selection; the others must follow from it.
  std::vector<std::size_t> equations;
  std::vector<std::size_t> inequalities;
  Matrix all;
  for (std::size_t j = 0; j < r; ++j) {
    all.push_back(rows[j].g);
    if (!rows[j].equation) {
      inequalities.push_back(j);
      continue;
    }
    Matrix trial;
    for (const auto e : equations) trial.push_back(rows[e].g);
    trial.push_back(rows[j].g);
    if (left_null(trial).empty()) equations.push_back(j);
  }
  result.regular = left_null(all).empty();

  // Every set of inequalities beside the equations.
  for (std::uint64_t mask = 0; mask < (std::uint64_t{1} << inequalities.size()); ++mask) {
    std::vector<std::size_t> set = equations;
    for (std::size_t k = 0; k < inequalities.size(); ++k)
      if (((mask >> k) & 1U) != 0) set.push_back(inequalities[k]);
    if (set.size() > n) continue;
    Matrix independent;
    for (const auto j : set) independent.push_back(rows[j].g);
    if (!left_null(independent).empty()) continue;
    Matrix A(set.size(), Vector(set.size()));
    Vector right(set.size());
    for (std::size_t i = 0; i < set.size(); ++i) {
      right[i] = b[set[i]];
      for (std::size_t k = 0; k < set.size(); ++k) A[i][k] = Phi[set[i]][set[k]];
    }
    const auto solution = set.empty() ? std::optional<Vector>(Vector{}) : solve_square(A, right);
    if (!solution) continue;
    Vector lambda(r, 0);
    Real largest = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      lambda[set[i]] = (*solution)[i];
      largest = std::max(largest, std::abs((*solution)[i]) * std::sqrt(Phi[set[i]][set[i]]));
    }
    bool right_set = true;
    for (const auto j : set)
      if (!rows[j].equation && lambda[j] * std::sqrt(Phi[j][j]) < -negligible * largest) right_set = false;
    Vector w(r);
    Real margin = 1;
    for (std::size_t j = 0; j < r && right_set; ++j) {
      Real size = scale[j];
      w[j] = b[j];
      for (std::size_t k = 0; k < r; ++k) {
        w[j] -= Phi[j][k] * lambda[k];
        size += std::abs(Phi[j][k] * lambda[k]);
      }
      const Real relative = size > 0 ? w[j] / size : 0;
      if (std::abs(relative) < negligible) w[j] = 0;
      if (rows[j].equation ? w[j] != 0 : w[j] > 0) right_set = false;
      if (!rows[j].equation)
        margin = std::min(margin, std::max(std::abs(w[j] == 0 ? 0 : relative),
                                           largest > 0 ? lambda[j] * std::sqrt(Phi[j][j]) / largest : 0));
    }
    if (!right_set) continue;
    result.feasible = true;
    result.lambda = lambda;
    for (auto& l : result.lambda)
      if (std::abs(l) < negligible * largest) l = 0;
    result.w = w;
    result.margin = margin;
    result.a = a0;
    for (std::size_t j = 0; j < r; ++j)
      for (std::size_t i = 0; i < n; ++i) result.a[i] -= lambda[j] * Wg[j][i];
    for (std::size_t j = 0; j < r; ++j)
      for (std::size_t k = 0; k < r; ++k) result.least += lambda[j] * Phi[j][k] * lambda[k];
    break;
  }
  if (!result.feasible) return result;

  // Another choice of multipliers exists iff some minimal dependence among the rows that hold with equality has the
  // right sign on the inequalities whose multiplier is zero.
  std::vector<std::size_t> tight;
  for (std::size_t j = 0; j < r; ++j)
    if (rows[j].equation || result.w[j] == 0) tight.push_back(j);
  for (std::uint64_t mask = 1; mask < (std::uint64_t{1} << tight.size()) && result.unique; ++mask) {
    Matrix part;
    std::vector<std::size_t> chosen;
    for (std::size_t k = 0; k < tight.size(); ++k)
      if (((mask >> k) & 1U) != 0) chosen.push_back(tight[k]), part.push_back(rows[tight[k]].g);
    if (chosen.size() > n + 1) continue;
    const auto null = left_null(part);
    if (null.size() != 1) continue;
    Real largest = 0;
    for (const Real y : null[0]) largest = std::max(largest, std::abs(y));
    bool up = true;
    bool down = true;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (rows[chosen[k]].equation || result.lambda[chosen[k]] > 0) continue;
      if (null[0][k] < -negligible * largest) up = false;
      if (null[0][k] > negligible * largest) down = false;
    }
    if (up || down) result.unique = false;
  }
  return result;
}

/// Is there a combination y of the rows, y >= 0 on inequalities, with y^T g = 0 and y^T h = 0? Then the conditions
/// together say more than their gradients do, and only a higher derivative of y^T f tells what.
inline bool has_neutral_combination(const std::vector<Row>& rows) {
  for (std::uint64_t mask = 1; mask < (std::uint64_t{1} << rows.size()); ++mask) {
    Matrix part;
    std::vector<const Row*> chosen;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (((mask >> k) & 1U) != 0) chosen.push_back(&rows[k]), part.push_back(rows[k].g);
    if (chosen.size() > rows[0].g.size() + 1) continue;
    const auto null = left_null(part);
    if (null.size() != 1) continue;
    Real largest = 0;
    Real sum = 0;
    Real size = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      largest = std::max(largest, std::abs(null[0][k]));
      sum += null[0][k] * chosen[k]->h;
      size += std::abs(null[0][k] * chosen[k]->h);
    }
    if (std::abs(sum) > negligible * size) continue;
    bool up = true;
    bool down = true;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (chosen[k]->equation) continue;
      if (null[0][k] < -negligible * largest) up = false;
      if (null[0][k] > negligible * largest) down = false;
    }
    if (up || down) return true;
  }
  return false;
}

}  // namespace zwang::laws
