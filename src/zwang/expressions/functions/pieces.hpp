/// Functions given by points (x_0, y_0), ..., (x_n, y_n): straight lines between them (table) or the natural cubic spline.
///
///   y = a + d (b + d (c + d e)),  d = x - X,   on each piece; outside of the knots the table is constant, the spline goes on
///   in a straight line.
///
/// Symbols: h_k = x_{k+1} - x_k, m_k second derivatives of the spline at the knots with m_0 = m_n = 0,
///   h_{k-1} m_{k-1} + 2 (h_{k-1} + h_k) m_k + h_k m_{k+1} = 6 [(y_{k+1} - y_k) / h_k - (y_k - y_{k-1}) / h_{k-1}].
/// Piece 0 lies before the first knot, piece k between knots k - 1 and k, the last one behind the last knot.
/// Reference: C. de Boor, A Practical Guide to Splines, chapter IV (natural end conditions).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace zwang::expressions {

struct Pieces {
  std::vector<double> knots;
  std::vector<std::array<double, 5>> piece;  ///< X, a, b, c, e

  /// The piece on which x lies; a knot belongs to the piece behind it.
  [[nodiscard]] std::size_t place(double x) const {
    return static_cast<std::size_t>(std::upper_bound(knots.begin(), knots.end(), x) - knots.begin());
  }
  [[nodiscard]] double value(double x) const {
    const std::array<double, 5>& p = piece[place(x)];
    const double d = x - p[0];
    return p[1] + d * (p[2] + d * (p[3] + d * p[4]));
  }
};

/// Straight lines between the points, constant outside.
inline Pieces table_pieces(std::span<const double> x, std::span<const double> y) {
  Pieces out;
  out.knots.assign(x.begin(), x.end());
  out.piece.push_back({x[0], y[0], 0, 0, 0});
  for (std::size_t k = 0; k + 1 < x.size(); ++k) {
    out.piece.push_back({x[k], y[k], (y[k + 1] - y[k]) / (x[k + 1] - x[k]), 0, 0});
  }
  out.piece.push_back({x.back(), y.back(), 0, 0, 0});
  return out;
}

/// The natural spline through the points, continued in straight lines.
inline Pieces spline_pieces(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  std::vector<double> m(n, 0.0);
  if (n > 2) {
    // The tridiagonal system by elimination; it is diagonally dominant.
    std::vector<double> diagonal(n, 1.0);
    std::vector<double> right(n, 0.0);
    for (std::size_t k = 1; k + 1 < n; ++k) {
      const double before = x[k] - x[k - 1];
      const double behind = x[k + 1] - x[k];
      diagonal[k] = 2 * (before + behind);
      right[k] = 6 * ((y[k + 1] - y[k]) / behind - (y[k] - y[k - 1]) / before);
      if (k == 1) continue;
      const double factor = before / diagonal[k - 1];
      diagonal[k] -= factor * before;
      right[k] -= factor * right[k - 1];
    }
    for (std::size_t k = n - 1; k-- > 1;) m[k] = (right[k] - (x[k + 1] - x[k]) * m[k + 1]) / diagonal[k];
  }
  Pieces out;
  out.knots.assign(x.begin(), x.end());
  const auto slope = [&](std::size_t k) {
    const double h = x[k + 1] - x[k];
    return (y[k + 1] - y[k]) / h - h * (2 * m[k] + m[k + 1]) / 6;
  };
  out.piece.push_back({x[0], y[0], slope(0), 0, 0});
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double h = x[k + 1] - x[k];
    out.piece.push_back({x[k], y[k], slope(k), m[k] / 2, (m[k + 1] - m[k]) / (6 * h)});
  }
  const double h = x[n - 1] - x[n - 2];
  const double last = slope(n - 2) + h * (m[n - 2] + m[n - 1]) / 2;
  out.piece.push_back({x[n - 1], y[n - 1], last, 0, 0});
  return out;
}

}  // namespace zwang::expressions
