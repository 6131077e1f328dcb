/// Rows expanded beyond the second derivative, and combinations of them.
///
/// Along q + v s + a s^2/2 + b s^3/6 the coefficients of f are
///   f[3] = c3 + l3.a + g.b / 6,          f[4] = c4 + l4.a + a^T H a / 8 + g[1].b / 6 + ...
/// with c3, c4 those of q + v s, l3 = g[1] / 2, l4 = g[2] / 2 from the series of the gradient along q + v s, and H the
/// Hessian. All are exact derivatives, no differences (velocity conditions, integrated once, by differences in a, of which
/// f[4] is a polynomial of second degree). For y with y^T g = 0 the combination y^T f[3] is linear in a; where that part
/// vanishes on the kernel of the rows, y^T g[1] = z^T g with some z, and psi = y^T f[4] - z^T f[3] contains no b:
/// a polynomial of second degree in a alone. Of velocity conditions p.q' the part m.b / 6 of f[4] is not twice l3, since
/// what p changes by is not symmetric; z is asked of m. Reference: docs/mathematics, section 6.
#pragma once

#include <vector>

#include "zwang/instant/dependence.hpp"

namespace zwang::instant {

/// A polynomial u^T Q u + 2 b.u + d, and the sizes of the terms that Q, b and d were made of.
struct Form {
  linear::Matrix q;
  std::vector<double> b;
  double d = 0;
  double size_q = 0;
  double size_b = 0;
  double size_d = 0;
};

/// Affine space x = base + null u in whitened accelerations; columns of `null` are orthonormal.
struct Affine {
  std::vector<double> base;
  linear::Matrix null;
  [[nodiscard]] std::vector<double> point(const std::vector<double>& u) const;
  [[nodiscard]] std::vector<double> coordinates(const std::vector<double>& x) const;
};

/// A condition n.x + c (= or <=) 0 in whitened accelerations.
struct Row {
  std::vector<double> n;
  double c = 0;
};

/// What is asked for: accelerations at given velocities, or velocities at a position (shocks). Of velocities the
/// coefficient of s^2 of f along q + v s decides, v^T H v / 2 + g_t.v + f_tt / 2; it takes the place of that of s^4, and
/// nothing stands in the place of that of s^3.
enum class Level : std::uint8_t { accelerations, velocities };

/// The third and fourth coefficients of every row of a part, in whitened accelerations.
class Expansion {
 public:
  Expansion(const model::Model& model, const model::State& state, const Subproblem& problem, const Part& part,
            Level level = Level::accelerations);

  /// y^T f[3] as a row, with the sizes of the terms of n and c.
  [[nodiscard]] Row third(const std::vector<double>& y, double& size_n, double& size_c) const;
  /// y^T m: how third derivatives of the motion enter y^T f[4], with the size of its terms.
  [[nodiscard]] Row jerk(const std::vector<double>& y, double& size) const;
  /// y^T f[4] - z^T f[3] on an affine space.
  [[nodiscard]] Form fourth(const std::vector<double>& y, const std::vector<double>& z, const Affine& affine) const;
  /// The Hessian of one row on an affine space, largest eigenvalue and the size it is measured against.
  [[nodiscard]] double steepest(std::size_t row, const Affine& affine, double& size) const;

 private:
  struct Local {
    std::vector<std::size_t> variable;  ///< places in the part
    std::vector<double> l3, l4;
    std::vector<double> m;  ///< of b / 6 in f[4]
    linear::Matrix h;       ///< H / 8
    double c3 = 0;
    double c4 = 0;
  };
  [[nodiscard]] Local expand(const model::Model& model, const model::State& state, std::uint32_t row,
                             Level level) const;
  [[nodiscard]] Local expand_velocity_row(const model::Model& model, const model::State& state,
                                          std::uint32_t row) const;

  const Part& part_;
  std::vector<Local> local_;
};

}  // namespace zwang::instant
