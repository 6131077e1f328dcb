/// Small dense linear algebra for the rare cases: ranks, null spaces, symmetric eigenvalues.
///
/// Matrices are column-major arrays with their sizes; sizes are tens, not thousands.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "zwang/linear/tolerances.hpp"
#include "zwang/matrix.hpp"

namespace zwang::linear {

[[nodiscard]] Matrix product(const Matrix& a, const Matrix& b);
[[nodiscard]] Matrix transpose(const Matrix& a);

/// Rank by singular values: those above `tolerance` times the largest count.
[[nodiscard]] std::size_t rank(const Matrix& a, double tolerance = dependent_part);

/// Orthonormal basis (columns) of {x : A x = 0}; singular values below tolerance * largest count as zero.
[[nodiscard]] Matrix null_space(const Matrix& a, double tolerance = dependent_part);

/// A = V diag(values) V^T for symmetric A; values ascending.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix vectors;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Matrix& a);

/// Eigenvalues of any square matrix, with their vectors (columns, real and imaginary parts) of length one.
struct GeneralEigen {
  std::vector<std::complex<double>> values;
  Matrix real, imaginary;
};
[[nodiscard]] GeneralEigen general_eigen(const Matrix& a);

/// Descending.
[[nodiscard]] std::vector<double> singular_values(const Matrix& a);

/// Least-norm solution of A x = b (by singular values), and the norm of what is left.
[[nodiscard]] std::vector<double> least_norm(const Matrix& a, const std::vector<double>& b, double* residual = nullptr,
                                             double tolerance = dependent_part);

/// Lower Cholesky factor of a symmetric positive definite matrix.
[[nodiscard]] Matrix cholesky(const Matrix& a);
/// x with L x = b, and with L^T x = b, for lower triangular L.
void solve_lower(const Matrix& lower, std::vector<double>& b);
void solve_lower_transposed(const Matrix& lower, std::vector<double>& b);

/// x becomes the solution of A x = b for a small dense system, A by rows, by elimination with pivoting; false where a pivot is not above
/// `least_pivot` times the largest entry.
bool solve_small(std::vector<double> matrix, std::vector<double>& x, double least_pivot = 0);

/// Real roots of sum c[k] x^k (ascending coefficients), each polished by Newton's rule; multiple roots may appear once.
[[nodiscard]] std::vector<double> real_roots(std::vector<double> coefficients);

}  // namespace zwang::linear
