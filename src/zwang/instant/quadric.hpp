/// All stationary points of the distance from a point to a quadric, by the secular equation of the pencil.
///
///   minimise |u - c|^2   subject to   u^T Q u + 2 b.u + d = 0
///
/// Stationary points have (1 + mu Q) u = c - mu b. With Q = V diag(L) V^T and e_g = c_g + b_g / L_g on the eigenspace of
/// L_g, u_g = e_g / (1 + mu L_g) - b_g / L_g, and mu is a root of
///   phi(mu) = sum_g L_g |e_g|^2 / (1 + mu L_g)^2 + 2 b_0.(c_0 - mu b_0) + d - sum_g |b_g|^2 / L_g      (0: kernel of Q).
/// Where e_g = 0 the pole mu = -1 / L_g adds points on a sphere of that eigenspace: two points if it is a line, a
/// continuum otherwise. A vertex (Q u + b = 0 on the quadric) is always a candidate. Reference: docs/mathematics, section 6.
#pragma once

#include <vector>

#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

struct QuadricPoint {
  std::vector<double> u;
  double distance2 = 0;
  bool continuum = false;  ///< one of infinitely many at the same distance
};

struct Quadric {
  linear::Matrix q;
  std::vector<double> b;
  double d = 0;
  [[nodiscard]] double value(const std::vector<double>& u) const;
  /// Sum of the absolute values of the terms at u.
  [[nodiscard]] double scale(const std::vector<double>& u) const;
};

/// Candidates in ascending distance; every minimiser, global or local, is among them. Of a continuum 16 members.
[[nodiscard]] std::vector<QuadricPoint> stationary_points(const Quadric& quadric, const std::vector<double>& c);

}  // namespace zwang::instant
