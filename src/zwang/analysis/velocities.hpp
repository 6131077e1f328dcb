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

#include "zwang/analysis.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

/// Any velocity will do, admissible or not.
[[nodiscard]] Velocities velocities(const model::Model& model, const model::State& state);

}  // namespace zwang::analysis
