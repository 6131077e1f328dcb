/// Does the motion run back when every velocity is turned round?
///
/// Forth over [t0, t1], then from (q(t1), -v(t1)) on over the same duration. It returns to (q(t0), -v(t0)) if forces and reactions
/// are even in the velocities, nothing depends on t, and no shock occurs (Voss 1884).
///
///   distance = max( max_i |q_i - q_i(t0)| / S,  max_i |v_i + v_i(t0)| / V )
///
/// Symbols: S = max |q|, V = max |v| at t0 and t1 (each 1 if all vanish). Reference: docs/mathematics, section 10.
#pragma once

#include "zwang/analysis.hpp"
#include "zwang/model/model.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::analysis {

[[nodiscard]] Reversal reversal(const model::Model& model, const motion::Options& options = {});

}  // namespace zwang::analysis
