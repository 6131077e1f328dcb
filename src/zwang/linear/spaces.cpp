/// Ranks, null spaces and eigenvalues through Eigen.
#include "zwang/linear/spaces.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>

namespace zwang::linear {

namespace {

using Map = Eigen::Map<const Eigen::MatrixXd>;

Map view(const Matrix& a) {
  return {a.entry.data(), static_cast<Eigen::Index>(a.rows), static_cast<Eigen::Index>(a.columns)};
}

Matrix copy(const Eigen::MatrixXd& a) {
  Matrix result(static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols()));
  Eigen::Map<Eigen::MatrixXd>(result.entry.data(), a.rows(), a.cols()) = a;
  return result;
}

std::size_t count_above(const Eigen::VectorXd& singular, double tolerance) {
  std::size_t count = 0;
  for (Eigen::Index i = 0; i < singular.size(); ++i) {
    if (singular[i] > tolerance * singular[0] && singular[i] > 0) {
      ++count;
    }
  }
  return count;
}

double horner(const std::vector<double>& c, double x, double& slope) {
  double value = 0;
  slope = 0;
  for (std::size_t k = c.size(); k-- > 0;) {
    slope = slope * x + value;
    value = value * x + c[k];
  }
  return value;
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) { return copy(view(a) * view(b)); }

Matrix transpose(const Matrix& a) { return copy(view(a).transpose()); }

using Svd = Eigen::JacobiSVD<Eigen::MatrixXd>;

/// Where memory cannot be had half way Eigen's object cannot be destroyed, for it would free its factor Q twice: then it is left behind.
static std::unique_ptr<Svd> decompose(const Matrix& a, unsigned options) {
  auto svd = std::make_unique<Svd>();
  try {
    svd->compute(view(a), options);
  } catch (...) {
    static_cast<void>(svd.release());
    throw;
  }
  return svd;
}

std::size_t rank(const Matrix& a, double tolerance) {
  if (a.rows == 0 || a.columns == 0) {
    return 0;
  }
  return count_above(decompose(a, 0)->singularValues(), tolerance);
}

Matrix null_space(const Matrix& a, double tolerance) {
  const auto n = static_cast<Eigen::Index>(a.columns);
  if (a.rows == 0) {
    return copy(Eigen::MatrixXd::Identity(n, n));
  }
  const std::unique_ptr<Svd> svd = decompose(a, Eigen::ComputeFullV);
  const auto r = static_cast<Eigen::Index>(count_above(svd->singularValues(), tolerance));
  return copy(svd->matrixV().rightCols(n - r));
}

GeneralEigen general_eigen(const Matrix& a) {
  GeneralEigen result;
  if (a.rows == 0) {
    return result;
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(view(a));
  for (Eigen::Index i = 0; i < solver.eigenvalues().size(); ++i) {
    result.values.push_back(solver.eigenvalues()[i]);
  }
  const Eigen::MatrixXcd vectors = solver.eigenvectors();
  result.real = copy(vectors.real());
  result.imaginary = copy(vectors.imag());
  return result;
}

std::vector<double> singular_values(const Matrix& a) {
  if (a.rows == 0 || a.columns == 0) {
    return {};
  }
  const std::unique_ptr<Svd> svd = decompose(a, 0);
  return {svd->singularValues().data(), svd->singularValues().data() + svd->singularValues().size()};
}

SymmetricEigen symmetric_eigen(const Matrix& a) {
  SymmetricEigen result;
  if (a.rows == 0) {
    return result;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(view(a));
  result.values.assign(solver.eigenvalues().data(), solver.eigenvalues().data() + solver.eigenvalues().size());
  result.vectors = copy(solver.eigenvectors());
  return result;
}

std::vector<double> least_norm(const Matrix& a, const std::vector<double>& b, double* residual, double tolerance) {
  const Eigen::Map<const Eigen::VectorXd> rhs(b.data(), static_cast<Eigen::Index>(b.size()));
  std::vector<double> x(a.columns, 0.0);
  if (a.rows > 0 && a.columns > 0) {
    const std::unique_ptr<Svd> svd = decompose(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd->setThreshold(tolerance);
    const Eigen::VectorXd solution = svd->solve(rhs);
    x.assign(solution.data(), solution.data() + solution.size());
  }
  if (residual != nullptr) {
    const Eigen::Map<const Eigen::VectorXd> xs(x.data(), static_cast<Eigen::Index>(x.size()));
    *residual = a.rows == 0 ? 0.0 : (view(a) * xs - rhs).norm();
  }
  return x;
}

Matrix cholesky(const Matrix& a) {
  const Eigen::LLT<Eigen::MatrixXd> llt(view(a));
  return copy(Eigen::MatrixXd(llt.matrixL()));
}

void solve_lower(const Matrix& lower, std::vector<double>& b) {
  Eigen::Map<Eigen::VectorXd> x(b.data(), static_cast<Eigen::Index>(b.size()));
  view(lower).triangularView<Eigen::Lower>().solveInPlace(x);
}

void solve_lower_transposed(const Matrix& lower, std::vector<double>& b) {
  Eigen::Map<Eigen::VectorXd> x(b.data(), static_cast<Eigen::Index>(b.size()));
  view(lower).transpose().triangularView<Eigen::Upper>().solveInPlace(x);
}

std::vector<double> real_roots(std::vector<double> c) {
  // Leading coefficients that are rounding of zero do not count.
  double largest = 0;
  for (const double x : c) {
    largest = std::max(largest, std::abs(x));
  }
  while (!c.empty() && std::abs(c.back()) <= leading_part * largest) {
    c.pop_back();
  }
  std::vector<double> roots;
  if (c.size() < 2) {
    return roots;
  }
  // Eigenvalues of the companion matrix.
  const auto degree = static_cast<Eigen::Index>(c.size() - 1);
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(degree, degree);
  for (Eigen::Index i = 0; i < degree; ++i) {
    if (i > 0) {
      companion(i, i - 1) = 1;
    }
    companion(i, degree - 1) = -c[static_cast<std::size_t>(i)] / c.back();
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(companion, false);
  for (Eigen::Index i = 0; i < degree; ++i) {
    const std::complex<double> z = solver.eigenvalues()[i];
    // Close pairs of complex roots may be a double real root split by rounding.
    if (std::abs(z.imag()) > split_root * (1 + std::abs(z.real()))) {
      continue;
    }
    double x = z.real();
    for (int step = 0; step < 8; ++step) {
      double slope = 0;
      const double value = horner(c, x, slope);
      const double next = slope != 0 ? x - value / slope : x;
      if (!std::isfinite(next) || std::abs(next - x) > 0.1 * (1 + std::abs(x))) {
        break;
      }
      x = next;
    }
    roots.push_back(x);
  }
  std::sort(roots.begin(), roots.end());
  return roots;
}

bool solve_small(std::vector<double> matrix, std::vector<double>& x, double least_pivot) {
  const std::size_t n = x.size();
  double largest = 0;
  for (const double entry : matrix) largest = std::max(largest, std::abs(entry));
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(matrix[i * n + k]) > std::abs(matrix[pivot * n + k])) pivot = i;
    }
    if (!(std::abs(matrix[pivot * n + k]) > least_pivot * largest)) return false;
    for (std::size_t j = 0; j < n; ++j) std::swap(matrix[k * n + j], matrix[pivot * n + j]);
    std::swap(x[k], x[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix[i * n + k] / matrix[k * n + k];
      for (std::size_t j = k; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) x[k] -= matrix[k * n + j] * x[j];
    x[k] /= matrix[k * n + k];
  }
  return true;
}

}  // namespace zwang::linear
