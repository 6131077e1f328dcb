/// Which rows of a problem depend on others, and do they do so all around the position?
///
/// The rows fall into connected parts (a shared variable, or a shared block of the mass, connects). In each part rows are
/// taken to x = L^T a (M = L L^T), scaled to length one, and orthogonalised one after the other, the one with the largest
/// remainder first:
///
///   n_j = sum_k c_jk n_k + rest_j,   dependent if  |rest_j| <= margin (u_j + sum_k |c_jk| u_k),
///
/// u_j the uncertainty of n_j: rounding of its entries and what rounding of the state makes of them. A row that depends on
/// B here either does so at every nearby point of { f_B = 0 } - then f_j is constant on it (theorem of constant rank), its
/// derivatives agree with those of B at every order, and it may be left out - or only here (section 6).
/// Reference: docs/mathematics, sections 4.2 and 8.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/instant/workspace_impl.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

/// Uncertainty of the evaluated rows, one unit each: rounding, and rounding of the state through its sensitivity.
struct Uncertainty {
  std::vector<double> entry;      ///< per entry of the model's CSR
  std::vector<double> curvature;  ///< per row of the model
};
[[nodiscard]] Uncertainty measure_uncertainty(const model::Model& model, const model::State& state,
                                              Workspace::Impl& impl);

/// A connected part of the problem, dense, in whitened accelerations.
struct Part {
  std::vector<std::uint32_t> row;       ///< rows of the problem, equations first
  std::vector<std::uint32_t> variable;  ///< ascending
  linear::Matrix lower;                 ///< L of the part's mass
  std::vector<double> x0;               ///< L^T a0

  // per row of the part
  std::vector<std::vector<double>> unit;   ///< n_j / |n_j|; zero where the gradient vanishes within its uncertainty
  std::vector<double> length;              ///< |n_j|; 0 then
  std::vector<double> offset;              ///< h_j / |n_j| (h_j where the length is 0)
  std::vector<double> uncertain;           ///< of `unit`
  std::vector<double> uncertain_offset;    ///< of `offset`
  std::vector<std::uint8_t> of_positions;  ///< is it a condition on positions, or one on velocities?

  [[nodiscard]] std::size_t n() const { return variable.size(); }
  [[nodiscard]] std::size_t r() const { return row.size(); }
  [[nodiscard]] std::vector<double> acceleration(std::vector<double> x) const;     ///< a = L^-T x
  [[nodiscard]] std::vector<double> whitened(const std::vector<double>& a) const;  ///< x = L^T a
};

/// The connected parts with their rows and variables only; `whiten` fills in the rest.
[[nodiscard]] std::vector<Part> connected_parts(const model::Model& model, const linear::Mass& mass,
                                                const Subproblem& problem);
void whiten(const linear::Mass& mass, const Subproblem& problem, const Uncertainty& uncertainty,
            const model::Model& model, Part& part);

/// Orthonormalised rows: each kept row as a combination of orthonormal directions.
class Basis {
 public:
  /// What is left of n outside the span; `in` receives its components inside.
  [[nodiscard]] std::vector<double> remainder(const std::vector<double>& n, std::vector<double>& in) const;
  /// Coefficients on the kept rows of a vector with these components.
  [[nodiscard]] std::vector<double> express(std::vector<double> in) const;
  /// The least x with n_k.x = right_k on the kept rows.
  [[nodiscard]] std::vector<double> least(const std::vector<double>& right, std::size_t n) const;
  void append(const std::vector<double>& n);
  /// Offsets of the directions: with n_k.x + right_k = 0 on the kept rows, direction_k.x + result_k = 0.
  [[nodiscard]] std::vector<double> offsets(const std::vector<double>& right) const;
  /// The smallest remainder with which a row was kept: how near to dependence.
  [[nodiscard]] double least_remainder() const;
  [[nodiscard]] std::size_t size() const { return direction_.size(); }
  [[nodiscard]] const std::vector<std::vector<double>>& directions() const { return direction_; }
  /// Takes off x what it has along direction k; that component.
  double take_off(std::size_t k, std::vector<double>& x) const;

 private:
  std::vector<std::vector<double>> direction_;
  std::vector<std::vector<std::uint32_t>>
      support_;                             ///< where direction k is not zero: rows of a crowd touch few variables
  std::vector<std::vector<double>> lower_;  ///< row k in terms of directions 0..k
};

/// Rows of a part split into independent ones and those that depend on them.
struct Dependence {
  Basis basis;
  std::vector<std::size_t> kept;                  ///< places in the part, in the order of the basis
  std::vector<std::size_t> dependent;             ///< places in the part
  std::vector<std::vector<double>> coefficients;  ///< per dependent row, on the kept ones
};

/// Split the rows at `which`; `first` of them are to be kept before any other, and conditions on positions before those on velocities.
/// `angle` > 0: rows nearer than this depend.
[[nodiscard]] Dependence split(const Part& part, const std::vector<std::size_t>& which, std::size_t first,
                               double angle = 0);

/// Per dependent row: does it depend on the kept ones at nearby points of their conditions, too?
[[nodiscard]] std::vector<std::uint8_t> all_around(const model::Model& model, const model::State& state,
                                                   Workspace::Impl& impl, const Part& part,
                                                   const Dependence& dependence);

/// Does every dependence among the rows at `which` hold all around? Combinations of few rows beside each other are tried first, and remembered.
[[nodiscard]] bool all_all_around(const model::Model& model, const model::State& state, Workspace::Impl& impl,
                                  const Part& part, const std::vector<std::size_t>& which);

/// Does a motion exist that satisfies the rows at `which` and begins with q + v s + a s^2/2?
[[nodiscard]] bool realised(const model::Model& model, const model::State& state, Workspace::Impl& impl,
                            const Part& part, const std::vector<std::size_t>& which, const std::vector<double>& x);

}  // namespace zwang::instant
