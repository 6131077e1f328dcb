/// Do the straightest and the variational law give the same motions? Maurer's test, with the time as a coordinate.
///
/// The variational law adds rho (dp/dt - df/dq) to the equations of motion. That changes nothing, whatever rho is, exactly if the
/// bracket is a combination of the rows for every velocity that the conditions allow,
///
///   dp_s/dt - df_s/dq = sum_j M_sj p_j   on P v + p0 = 0   <=>   dp_s vanishes on ker P for all s   <=>   P v + p0 = 0 integrates.
///
/// Measured is, for every nonholonomic equation s at a point, with Z orthonormal in the metric of T and w0 orthogonal to it,
///
///   defect_s = max( |Z^T C_s Z| / max |dp_s|,  |Z^T (C_s w0 + c_s)| / (max |dp_s| |w0| + max |dp_s/dt|, |dp0/dq|) )
///
/// Symbols: C_s = dp_i/dq_k - dp_k/dq_i, c_s = dp_i/dt - dp0/dq_i; maxima over entries, in units of sqrt(M_ii). A motion never
/// leaves the points that paths obeying the conditions reach from its start, so these points decide; points anywhere near the start
/// (on the holonomic equations) are looked at beside them. Reference: Maurer 1905, section 7; docs/mathematics, section 15.
#pragma once

#include <string>
#include <vector>

#include "zwang/analysis.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

/// `visited`: places that a motion comes to later, which count as well: a direction may begin to turn far from the start.
[[nodiscard]] Equivalence equivalence(const model::Model& model, const model::State& state,
                                      const std::vector<model::State>& visited = {});

/// Why, in a sentence.
[[nodiscard]] std::string reason(const model::Model& model, const Equivalence& equivalence);

}  // namespace zwang::analysis
