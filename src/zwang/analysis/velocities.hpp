/// Conjugate velocity parameters: linear forms of the velocities in which the kinetic energy falls into two parts.
///
///   u_II = P v (dependent: what the conditions speak of),   u_I = Q v (conjugate),   Q A^-1 P^T = 0
///   T_2 = 1/2 v^T A v = T_I(u_I) + T_II(u_II),    xi = dT/dv = Q^T eta_I + P^T eta_II,    beta = U A^-1 U^T
///
/// One of the two systems may be chosen, the other is then given up to combinations: Q = Z^T A with Z a basis of ker P. Both are
/// given in reduced echelon form, which is unique. Equations of all kinds count: gradients of holonomic ones are rows
/// of P; a moving condition reads P v + p0 = 0. Inequalities do not count: they forbid one side only.
///
/// Symbols: A matrix of the quadratic part of T, u velocity parameters, xi momenta, eta the momenta that belong to u, beta
/// the matrix of T in the momenta, T_I = 1/2 eta_I^T beta_I eta_I. Reference: Maurer 1905, sections 10 and 11; docs/mathematics,
/// section 14.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/linear/spaces.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

/// The parts of T at the velocity: total = conjugate + dependent + linear + constant.
struct KineticParts {
  double total = 0;
  double conjugate = 0;  ///< T_I = 1/2 u_I^T beta_I^-1 u_I
  double dependent = 0;  ///< T_II = 1/2 u_II^T beta_II^-1 u_II
  double forbidden = 0;  ///< the same of P v + p0: the quadratic energy of the part that `projected` is freed of
  double linear = 0;     ///< the part of T linear in the velocities
  double constant = 0;   ///< the part without velocities
};

struct Velocities {
  bool mass_positive = true;           ///< false: T is not positive definite here, and nothing below the rows is given
  std::uint32_t weakest = 0;           ///< then: a variable involved
  bool moving = false;                 ///< some p0 is not zero
  std::vector<std::uint32_t> rows;     ///< equations in force
  linear::Matrix written;              ///< their rows as the conditions were written
  std::vector<double> written_offset;  ///< and their p0
  std::size_t rank = 0;                ///< independent ones among them
  std::vector<std::uint32_t> redundant;  ///< rows of the model that follow from the others
  std::vector<std::uint32_t>
      contradictory;  ///< those of them with a p0 that does not follow: no velocity is admissible

  linear::Matrix dependent;    ///< P, rank x n, reduced echelon form
  std::vector<double> offset;  ///< p0 in the same form
  linear::Matrix conjugate;    ///< Q, (n - rank) x n, reduced echelon form
  linear::Matrix beta_dependent;
  linear::Matrix beta_conjugate;

  // at the velocity of the state
  std::vector<double> dependent_value;    ///< u_II
  std::vector<double> conjugate_value;    ///< u_I
  std::vector<double> momenta;            ///< xi
  std::vector<double> dependent_momenta;  ///< eta_II
  std::vector<double> conjugate_momenta;  ///< eta_I
  KineticParts kinetic;
  std::vector<double> projected;  ///< the nearest admissible velocity in the metric of T; empty when there is none
};

/// Any velocity will do, admissible or not.
[[nodiscard]] Velocities velocities(const model::Model& model, const model::State& state);

}  // namespace zwang::analysis
