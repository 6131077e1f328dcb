/// Is the state an equilibrium, and does the system stay near it?
///
///   X = P^T lambda                                     equilibrium
///   det [[alpha - s M, P^T], [P, 0]] = 0               small oscillations e^(mu t) with s = mu^2
///   d^T alpha d on P d = 0                             the quadratic form of the force function U = -V
///
/// alpha (section 18.2, `linearise`) is not symmetric when the conditions do not integrate. Small motions of the linear problem are bounded iff
/// all s are real, negative and semisimple; the form alone tells the truth only where alpha is symmetric on the admissible velocities. Where
/// forces are odd in the velocities the exponents mu themselves are asked for. What follows for the motion itself:
///
///   some Re mu > 0                                     unstable (Lyapunov)
///   all Re mu < 0                                      stable, attracting (Lyapunov; with a family of equilibria Malkin)
///   V has a strict minimum, nothing gives energy       stable (Lagrange, Dirichlet); definite form, or along a zero root its valley
///   V falls along a zero root, or is flat              unstable: it slides down, or drifts
///   dry friction with reserve                          stable: a small push is stopped
///   anything else                                      the linear verdict as such (`first_order`), or none
///
/// Of r nonholonomic equations r more modes belong to s = 0, along the family of equilibria; they are counted and left out. Inequalities
/// with positive multipliers are equations here; those with multiplier zero are named, and the verdict is given only if it is the same with
/// and without them.
///
/// Reference: Voss 1884, section 8; docs/mathematics, section 18.
#pragma once

#include <complex>

#include "zwang/analysis.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

/// At the position of the state. Throws Error for conditions under the variational law, whose rho would run away.
[[nodiscard]] Stability stability(const model::Model& model, const model::State& state);

[[nodiscard]] Search find_equilibrium(const model::Model& model, const model::State& guess);

/// The real part of the exponent mu, mu^2 = s, that is not negative.
[[nodiscard]] double growth_of(std::complex<double> s);

}  // namespace zwang::analysis
