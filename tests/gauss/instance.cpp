/// Problems that own their arrays, random ones with a known answer, and a slow second route to every answer.
#include "instance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace zwang::gauss::testing {

void Instance::add_row(const std::vector<double>& values, double offset, RowKind row_kind, bool dense) {
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] == 0 && !dense) continue;
    column.push_back(static_cast<std::uint32_t>(j));
    entry.push_back(values[j]);
  }
  start.push_back(static_cast<std::uint32_t>(entry.size()));
  h.push_back(offset);
  kind.push_back(row_kind);
}

std::vector<double> Instance::row(std::size_t i) const {
  std::vector<double> values(a0.size(), 0.0);
  for (std::size_t e = start[i]; e < start[i + 1]; ++e) values[column[e]] = entry[e];
  return values;
}

Instance free_points(std::vector<double> a0) {
  std::vector<double> masses(a0.size(), 1.0);
  return free_points(std::move(a0), std::move(masses));
}

Instance free_points(std::vector<double> a0, std::vector<double> masses) {
  Instance instance;
  instance.mass = linear::Mass(std::move(masses));
  if (!instance.mass.factor()) std::abort();
  instance.a0 = std::move(a0);
  return instance;
}

Instance free_points_full(std::vector<double> a0, const std::vector<double>& matrix) {
  Instance instance;
  const std::size_t n = a0.size();
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0U);
  instance.mass = linear::Mass(n, {all});
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) instance.mass.add(i, j, matrix[i * n + j]);
  }
  if (!instance.mass.factor()) std::abort();
  instance.a0 = std::move(a0);
  return instance;
}

Planted planted(std::size_t n, std::size_t r, std::mt19937_64& random, bool duplicated) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Planted result;
  std::vector<double> masses(n);
  result.a.resize(n);
  for (double& mass : masses) mass = 0.5 + 1.5 * uniform(random);
  for (double& value : result.a) value = normal(random);

  // Half of the rows bind.
  std::vector<std::size_t> order(r);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  std::vector<std::uint8_t> binds(r, 0);
  for (std::size_t i = 0; i < r / 2; ++i) binds[order[i]] = 1;

  // Offsets and the free accelerations from the answer.
  std::vector<double> a0 = result.a;
  std::vector<std::vector<double>> rows(r, std::vector<double>(n));
  std::vector<double> offsets(r);
  result.lambda.assign(r, 0.0);
  for (std::size_t i = 0; i < r; ++i) {
    double w = binds[i] != 0 ? 0.0 : -uniform(random);
    if (binds[i] != 0) result.lambda[i] = uniform(random);
    for (std::size_t j = 0; j < n; ++j) {
      rows[i][j] = normal(random);
      w -= rows[i][j] * result.a[j];
      a0[j] += rows[i][j] * result.lambda[i] / masses[j];
    }
    offsets[i] = w;
  }
  result.instance = free_points(std::move(a0), std::move(masses));
  for (int copy = 0; copy < (duplicated ? 2 : 1); ++copy) {
    for (std::size_t i = 0; i < r; ++i) result.instance.add_row(rows[i], offsets[i], RowKind::inequality);
  }
  return result;
}

std::optional<std::vector<double>> by_enumeration(const Problem& problem) {
  using Real = long double;
  const std::size_t n = problem.n(), r = problem.r();

  // W J^T column by column, then Phi and the free slacks.
  std::vector<std::vector<Real>> rows(r, std::vector<Real>(n, 0)), weighted(r, std::vector<Real>(n, 0));
  std::vector<double> unit(n), solved(n);
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) rows[i][problem.column[e]] = problem.entry[e];
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[j] = 1;
    problem.mass->solve(unit, solved);
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t k = 0; k < n; ++k) weighted[i][k] += rows[i][j] * static_cast<Real>(solved[k]);
    }
  }
  std::vector<std::vector<Real>> phi(r, std::vector<Real>(r, 0));
  std::vector<Real> slack(r), scale(r);
  Real size = 0;
  for (std::size_t j = 0; j < n; ++j) size = std::max(size, std::abs(static_cast<Real>(problem.a0[j])));
  for (std::size_t i = 0; i < r; ++i) {
    slack[i] = problem.h[i];
    scale[i] = std::abs(static_cast<Real>(problem.h[i]));
    for (std::size_t j = 0; j < n; ++j) {
      slack[i] += rows[i][j] * static_cast<Real>(problem.a0[j]);
      scale[i] += std::abs(rows[i][j]) * (size + 1);
    }
    for (std::size_t k = 0; k < r; ++k) {
      for (std::size_t j = 0; j < n; ++j) phi[i][k] += rows[i][j] * weighted[k][j];
    }
  }

  // Every set of rows.
  for (std::uint32_t subset = 0; subset < (1U << r); ++subset) {
    std::vector<std::size_t> set;
    for (std::size_t i = 0; i < r; ++i) {
      if ((subset >> i & 1U) != 0) set.push_back(i);
    }
    const std::size_t k = set.size();
    if (k > n) continue;

    // Phi_SS lambda = slack_S by Cholesky; dependent sets are left to their subsets.
    std::vector<std::vector<Real>> l(k, std::vector<Real>(k, 0));
    std::vector<Real> lambda(k);
    bool independent = true;
    for (std::size_t p = 0; p < k && independent; ++p) {
      for (std::size_t q = 0; q <= p; ++q) {
        Real sum = phi[set[p]][set[q]];
        for (std::size_t m = 0; m < q; ++m) sum -= l[p][m] * l[q][m];
        if (q < p) {
          l[p][q] = sum / l[q][q];
        } else if (sum > 1e-13L * phi[set[p]][set[p]]) {
          l[p][p] = std::sqrt(sum);
        } else {
          independent = false;
        }
      }
    }
    if (!independent) continue;
    for (std::size_t p = 0; p < k; ++p) {
      Real sum = slack[set[p]];
      for (std::size_t q = 0; q < p; ++q) sum -= l[p][q] * lambda[q];
      lambda[p] = sum / l[p][p];
    }
    for (std::size_t p = k; p-- > 0;) {
      Real sum = lambda[p];
      for (std::size_t q = p + 1; q < k; ++q) sum -= l[q][p] * lambda[q];
      lambda[p] = sum / l[p][p];
    }

    // All signs.
    bool right = true;
    Real largest = 1;
    for (std::size_t p = 0; p < k; ++p) largest = std::max(largest, std::abs(lambda[p]));
    for (std::size_t p = 0; p < k; ++p) {
      if (problem.kind[set[p]] == RowKind::inequality && lambda[p] < -1e-12L * largest) right = false;
    }
    for (std::size_t i = 0; i < r && right; ++i) {
      Real w = slack[i];
      for (std::size_t p = 0; p < k; ++p) w -= phi[i][set[p]] * lambda[p];
      if (problem.kind[i] == RowKind::equation) w = std::abs(w);
      if (w > 1e-12L * scale[i] + 1e-16L * std::sqrt(phi[i][i]) * largest) right = false;
    }
    if (!right) continue;
    std::vector<double> a(n);
    for (std::size_t j = 0; j < n; ++j) {
      Real value = problem.a0[j];
      for (std::size_t p = 0; p < k; ++p) value -= weighted[set[p]][j] * lambda[p];
      a[j] = static_cast<double>(value);
    }
    return a;
  }
  return std::nullopt;
}

}  // namespace zwang::gauss::testing
