/// Equations that say what others say already: a table on four legs, a parallelogram with a third crank, a velocity condition written twice.
///
///   f_j = c_j on { f_i = c_i, i in I },   I independent at the state           (holonomic)
///   p_j in span { df_i, p_k, k < j } at general points of the level set        (Pfaffian)
///
/// A holonomic equation is left out only if both hold: its gradient depends on the others' at the state, and it is satisfied at random points of
/// what the others leave. At a singular position (a stretched linkage) the second fails, and the equation stays.
/// Reference: docs/mathematics, sections 17 and 19.
#pragma once

#include "zwang/analysis/pfaffian.hpp"

namespace zwang::analysis {

/// The system without them; the order of the others stays. How many were left out.
std::size_t leave_out_redundant(PfaffianSystem& system);

}  // namespace zwang::analysis
