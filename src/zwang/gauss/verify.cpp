/// Check an answer to the nearest-point problem from its definition alone.
///
///   stationarity      |M (a - a0) + J^T lambda| / (|J^T lambda| + |M a0|)
///   primal            max over rows of (w_i)^+ or |w_i|, each over  s_i = sum_j |J_ij| c_j + |h_i|
///   dual              max over inequalities of (-lambda_i)^+ / max |lambda|
///   complementarity   max over inequalities of |lambda_i w_i| / (max |lambda| s_i)
///   Farkas            any admissible a gives 0 >= y^T (J a + h) = y^T h > 0 when y^T J = 0, y >= 0 on inequalities
///
/// Symbols as in problem.hpp; c_j = |a_j| + |a0_j| + sum_i |lambda_i J_ij| / M_jj, the terms a_j is the sum of: where they
/// cancel, as in a system at rest, |a| alone would be no scale. For the same reason sqrt(M_jj) c_j counts at least a
/// thousandth of the largest of them. A number that is not finite counts as an infinite residual.
#include "zwang/gauss/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zwang::gauss {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The residual on its scale; zero over zero is zero.
double scaled(double residual, double scale) {
  if (std::isnan(residual) || std::isnan(scale) || std::isinf(scale)) return infinity;
  return residual == 0 ? 0 : residual / scale;
}

double length(std::span<const double> x) {
  // Scaled by the largest component, so that squares neither overflow nor vanish.
  double largest = 0;
  for (const double value : x) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, std::abs(value));
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  double sum = 0;
  for (const double value : x) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum);
}

}  // namespace

double Certificate::worst() const {
  double result = 0;
  for (const double value : {primal, dual, complementarity, stationarity}) {
    result = std::isnan(value) ? infinity : std::max(result, value);
  }
  return result;
}

Certificate verify(const Problem& problem, std::span<const double> a, std::span<const double> lambda,
                   std::vector<double>& scratch) {
  const std::size_t n = problem.n(), r = problem.r();
  if (a.size() != n || lambda.size() != r) return {infinity, infinity, infinity, infinity};
  scratch.resize(3 * n);
  const std::span<double> sum(scratch.data(), n), other(scratch.data() + n, n), size(scratch.data() + 2 * n, n);
  Certificate certificate;

  // J^T lambda and M a0, for their sizes, and the terms of every a_j.
  std::fill(sum.begin(), sum.end(), 0.0);
  std::fill(size.begin(), size.end(), 0.0);
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const double term = lambda[i] * problem.entry[e];
      sum[problem.column[e]] += term;
      size[problem.column[e]] += std::abs(term);
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    size[j] = std::abs(a[j]) + std::abs(problem.a0[j]) + size[j] / problem.mass->diagonal()[j];
  }
  double most = 0;
  for (std::size_t j = 0; j < n; ++j) most = std::max(most, std::sqrt(problem.mass->diagonal()[j]) * size[j]);
  for (std::size_t j = 0; j < n; ++j) {
    size[j] = std::max(size[j], 1e-3 * most / std::sqrt(problem.mass->diagonal()[j]));
  }
  problem.mass->multiply(problem.a0, other);
  const double scale = length(sum) + length(other);

  // Stationarity.
  for (std::size_t j = 0; j < n; ++j) other[j] = a[j] - problem.a0[j];
  problem.mass->multiply(other, other);
  for (std::size_t j = 0; j < n; ++j) sum[j] += other[j];
  certificate.stationarity = scaled(length(sum), scale);

  // The largest multiplier, and the most negative one that must not be.
  double largest = 0, negative = 0;
  for (std::size_t i = 0; i < r; ++i) {
    largest = std::isnan(lambda[i]) ? infinity : std::max(largest, std::abs(lambda[i]));
    if (problem.kind[i] == RowKind::inequality) negative = std::max(negative, -lambda[i]);
  }
  certificate.dual = scaled(negative, largest);

  // Every row.
  for (std::size_t i = 0; i < r; ++i) {
    double w = problem.h[i], terms = std::abs(problem.h[i]);
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const std::uint32_t j = problem.column[e];
      w += problem.entry[e] * a[j];
      terms += std::abs(problem.entry[e]) * size[j];
    }
    const bool inequality = problem.kind[i] == RowKind::inequality;
    const double broken = inequality && w <= 0 ? 0 : std::abs(w);
    certificate.primal = std::max(certificate.primal, scaled(broken, terms));
    if (inequality && lambda[i] != 0) {
      const double share = std::abs(lambda[i]) / largest;
      certificate.complementarity = std::max(certificate.complementarity, share * scaled(std::abs(w), terms));
    }
  }
  return certificate;
}

bool verify_farkas(const Problem& problem, std::span<const double> y) {
  // Residuals of y^T J may be this fraction of its terms, y^T h must exceed this fraction of its own.
  constexpr double rounding = 1e-10, clearly = 1e-13;
  const std::size_t n = problem.n(), r = problem.r();
  if (y.size() != r) return false;

  // Signs, y^T J and y^T h, each with the size of its terms; columns in units of sqrt(M_jj).
  std::vector<double> sum(n, 0.0), terms(n, 0.0);
  double offset = 0, offset_terms = 0;
  for (std::size_t i = 0; i < r; ++i) {
    if (!std::isfinite(y[i])) return false;
    if (problem.kind[i] == RowKind::inequality && y[i] < 0) return false;
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const double term = y[i] * problem.entry[e];
      sum[problem.column[e]] += term;
      terms[problem.column[e]] += std::abs(term);
    }
    offset += y[i] * problem.h[i];
    offset_terms += std::abs(y[i] * problem.h[i]);
  }
  for (std::size_t j = 0; j < n; ++j) {
    const double unit = std::sqrt(problem.mass->diagonal()[j]);
    sum[j] /= unit;
    terms[j] /= unit;
  }
  return length(sum) <= rounding * length(terms) && offset > clearly * offset_terms;
}

}  // namespace zwang::gauss
