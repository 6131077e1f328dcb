/// Reflections, and columns made orthogonal.
#include "zwang/sensitivity/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

std::vector<double> least_squares(linear::Matrix a, std::vector<double> b) {
  const std::size_t rows = a.rows;
  const std::size_t columns = a.columns;
  std::vector<double> diagonal(columns, 0.0);
  std::vector<std::uint8_t> idle(columns, 0);
  std::size_t top = 0;
  std::vector<std::size_t> at(columns, 0);
  for (std::size_t j = 0; j < columns; ++j) {
    double whole = 0;
    double rest = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      whole += a(i, j) * a(i, j);
      if (i >= top) rest += a(i, j) * a(i, j);
    }
    if (top >= rows || !(rest > dependent_column * dependent_column * whole)) {
      idle[j] = 1;
      continue;
    }
    const double length = std::copysign(std::sqrt(rest), a(top, j));
    std::vector<double> u(rows - top);
    for (std::size_t i = top; i < rows; ++i) u[i - top] = a(i, j);
    u[0] += length;
    const double half = length * u[0];
    const auto reflect = [&](double* column) {
      double dot = 0;
      for (std::size_t i = top; i < rows; ++i) dot += u[i - top] * column[i];
      for (std::size_t i = top; i < rows; ++i) column[i] -= dot / half * u[i - top];
    };
    for (std::size_t k = j; k < columns; ++k) reflect(a.entry.data() + k * rows);
    reflect(b.data());
    diagonal[j] = -length;
    at[j] = top++;
  }
  std::vector<double> x(columns, 0.0);
  for (std::size_t j = columns; j-- > 0;) {
    if (idle[j] != 0) continue;
    double sum = -b[at[j]];
    for (std::size_t k = j + 1; k < columns; ++k) {
      if (idle[k] == 0) sum -= a(at[j], k) * x[k];
    }
    x[j] = sum / diagonal[j];
  }
  return x;
}

namespace {

/// Independent columns of length one made orthogonal one after the other: A = Q R.
struct Orthogonal {
  std::vector<std::size_t> column;     ///< of A
  std::vector<std::vector<double>> q;  ///< one per such column
  std::vector<std::vector<double>> r;  ///< likewise: its parts along those before it, then its own
  std::vector<double> length;          ///< of all columns of A
};

/// x with R x = s, for the first s.size() columns.
std::vector<double> solve(const Orthogonal& basis, std::vector<double> s) {
  for (std::size_t i = s.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < s.size(); ++k) s[i] -= basis.r[k][i] * s[k];
    s[i] /= basis.r[i][i];
  }
  return s;
}

/// Takes the parts along the basis out of a column, twice for rounding, and tells them.
std::vector<double> take_out(const Orthogonal& basis, std::vector<double>& column) {
  std::vector<double> parts(basis.q.size(), 0.0);
  for (int twice = 0; twice < 2; ++twice) {
    for (std::size_t k = 0; k < basis.q.size(); ++k) {
      double dot = 0;
      for (std::size_t i = 0; i < column.size(); ++i) dot += basis.q[k][i] * column[i];
      parts[k] += dot;
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= dot * basis.q[k][i];
    }
  }
  return parts;
}

double length_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double one : x) sum += one * one;
  return std::sqrt(sum);
}

/// R^-1 R^-T in the units of the columns.
void add_inverse(const Orthogonal& basis, Determination& out) {
  const std::size_t n = basis.column.size();
  std::vector<std::vector<double>> inverse;  // columns of R^-1
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> unit(j + 1, 0.0);
    unit[j] = 1;
    inverse.push_back(solve(basis, std::move(unit)));
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t a = basis.column[i];
      const std::size_t b = basis.column[j];
      if (out.determined[a] == 0 || out.determined[b] == 0) continue;
      double sum = 0;
      for (std::size_t k = std::max(i, j); k < n; ++k) sum += inverse[k][i] * inverse[k][j];
      out.inverse(a, b) = sum / (basis.length[a] * basis.length[b]);
    }
  }
}

}  // namespace

Determination determination(const linear::Matrix& a, std::span<const std::uint8_t> left_out) {
  const std::size_t n = a.columns;
  Determination out;
  out.determined.assign(n, 1);
  out.inverse = linear::Matrix(n, n);
  Orthogonal basis;
  basis.length.assign(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    if (left_out[j] != 0) {
      out.determined[j] = 0;
      continue;
    }
    std::vector<double> column(a.entry.begin() + static_cast<std::ptrdiff_t>(j * a.rows),
                               a.entry.begin() + static_cast<std::ptrdiff_t>((j + 1) * a.rows));
    const double length = basis.length[j] = length_of(column);
    std::vector<double> idle(n, 0.0);
    idle[j] = 1;
    if (length > 0) {
      for (double& x : column) x /= length;
      std::vector<double> parts = take_out(basis, column);
      const double left = length_of(column);
      if (left > dependent_column) {
        for (double& x : column) x /= left;
        parts.push_back(left);
        basis.column.push_back(j);
        basis.q.push_back(std::move(column));
        basis.r.push_back(std::move(parts));
        continue;
      }
      // What undoes it; parts that rounding has left are none.
      const std::vector<double> undone = solve(basis, std::move(parts));
      for (std::size_t k = 0; k < undone.size(); ++k) {
        const std::size_t other = basis.column[k];
        if (std::abs(undone[k]) > no_part) idle[other] = -undone[k] * length / basis.length[other];
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (idle[k] != 0) out.determined[k] = 0;
    }
    out.idle.push_back(std::move(idle));
  }
  out.rank = basis.column.size();
  add_inverse(basis, out);
  return out;
}

}  // namespace zwang::sensitivity
