/// States of self-stress of a part of the equations, and the linear equations that those with a semidefinite stress matrix stand for.
///
/// Symbols: as in implied.hpp; V the space that the linear equations leave.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/linear/spaces.hpp"
#include "zwang/model/implied/equation.hpp"
#include "zwang/model/implied/vectors.hpp"

namespace zwang::model {

using linear::Matrix;

class Stresses {
 public:
  /// `one_sided`: rows of second degree that are inequalities and touch, ascending; their part of a self-stress may push in their one direction only.
  Stresses(const std::vector<Equation>& equations, const Vector& start, double touch,
           const std::vector<std::uint32_t>& one_sided = {});

  [[nodiscard]] const std::vector<std::uint32_t>& variable() const { return variable_; }
  /// From the start to where all that was found holds.
  [[nodiscard]] const Vector& shift() const { return shift_; }

  /// All linear equations that follow, as rows of a matrix in echelon form: c.u = 0.
  std::vector<Vector> find();

  /// Each row solved for one variable that stands in no other; coefficients of rounding size go.
  static void echelon(std::vector<Vector>& rows);

 private:
  /// An equation of second degree on all variables of the part, scaled to a gradient of length one.
  struct Quadratic {
    double r = 0;
    double terms = 0;
    Vector g;
    Matrix q;
    std::vector<std::size_t> support;  ///< variables that q has
    double uncertain = 0;              ///< of the gradient of length one
    int side = 0;                      ///< the sign that its part of a self-stress must have, 0: either
    Vector inside;                     ///< on V
    Matrix on_space;
  };
  /// y with sum y g = 0 on V, what is left of that sum, and the stress matrix on V.
  struct Stress {
    Vector y;
    Vector h;         ///< H, flat
    double size = 0;  ///< of the terms of H
  };

  /// Do the gradients of the equations leave free what the new ones hold? Where they do not, as in a solid of five points and all its
  /// rods, nothing is gained.
  [[nodiscard]] bool adds_to_gradients(const std::vector<Vector>& found) const;
  void add(const Equation& one, bool one_sided);
  /// Does no inequality pull where it can but push, or the other way round?
  [[nodiscard]] bool keeps_sides(const Vector& y) const;
  /// Orthonormal directions of V, axes where possible.
  void make_space();
  void restrict();
  /// d_a^T Q d_b of an equation for directions d; it has few variables.
  [[nodiscard]] Matrix on_directions(const Quadratic& one, const std::vector<Vector>& directions) const;
  /// The equations about a place nearby: y.F is least where it is zero, which is not quite the start as it is written.
  void move_to(Vector there);
  /// Does a stress matrix see one of the directions that the gradients leave free? Where none does, every linear equation that follows is
  /// one of the gradients', and nothing is gained: a plane truss with all its braces.
  [[nodiscard]] bool hold_flexes() const;
  /// Gradients on V one after the other, the one with the largest remainder first; each that depends on others is a self-stress.
  void find_self_stresses();
  void find_matrices();
  void matrix_of(Stress& stress) const;
  /// A semidefinite matrix among those of the self-stresses. If none is definite wherever one of them is not zero: alternately the nearest of them and the nearest semidefinite one,
  /// beginning with the unit matrix. Its rows, if there is one.
  bool semidefinite(std::vector<Vector>& rows, Vector& to_least) const;
  /// A combination of the matrices that is definite on all directions W on which some of them is not zero, where such ones are rare: the
  /// greatest t with sum y_k H_k - t > 0 on W and the trace of the sum fixed, by Newton's method on t / mu + log det for falling mu.
  bool definite(const std::vector<Stress>& basis, std::vector<Vector>& rows, Vector& to_least) const;
  /// H u = 0; nothing if y.F does not vanish at the start, or is least elsewhere.
  bool rows_of(const Stress& stress, const linear::SymmetricEigen& eigen, std::vector<Vector>& rows,
               Vector& to_least) const;

  double touch_ = 0;
  double doubt_ = 0;   ///< of its terms: what is uncertain in a stress matrix
  double extent_ = 0;  ///< the largest coordinate
  std::vector<std::uint32_t> variable_;
  std::size_t n_ = 0;
  Vector start_;
  Vector shift_;
  std::vector<Vector> linear_;
  std::vector<Quadratic> quadratic_;
  std::vector<Vector> space_;
  std::vector<Stress> stress_;
  Orthonormal stiff_;  ///< gradients on V
};

}  // namespace zwang::model
