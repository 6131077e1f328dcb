/// Does the motion preserve a measure mu(q) dq dv? Jacobi's multiplier of a system with conditions.
///
///   div = sum da_i/dv_i = -theta(v) - tr((W - Q) dX/dv),      multipliers continued to all velocities by their formula
///   theta_k = sum (W - Q)_ij M_ij,k + sum R_is (p_si,k + p_sk,i),     R = W P^T Phi^-1,   Q = R P W
///
/// A density mu(q) exists iff d log mu = theta on the admissible velocities, that is iff dG - theta, beside the forms p_s, gives one more
/// integrable combination than these have alone (section 17). Jacobi's determinant det M det Phi serves iff
/// sum R_is (p_sk,i - p_si,k) vanishes there; where theta itself does, the density is 1.
///
/// Symbols: M mass matrix, W = M^-1, P rows p_s of all equations (gradients of holonomic ones), Phi = P W P^T, X forces.
/// The time counts as a coordinate where it occurs. Reference: Voss 1884, sections 9 to 11; docs/mathematics, section 19.
#pragma once

#include <vector>

#include "zwang/analysis.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis {

/// The velocity need not be admissible. Without equations the measure in question is Liouville's, det M dq dv. Inequalities are left aside:
/// the answer is about the motion between their shocks.
[[nodiscard]] Measure measure(const model::Draft& draft, const model::Model& model, const model::State& state);

/// sum da_i/dv_i at a state, admissible or not.
[[nodiscard]] double divergence(const model::Draft& draft, const model::Model& model, const model::State& state);

}  // namespace zwang::analysis
