/// The path of each point at the state: radius of curvature and torsion, from the first three derivatives of the true motion.
///
///   radius = |x'|^3 / |x' x x''|,      torsion = det(x', x'', x''') / |x' x x''|^2
///
/// Without forces and with unit mass under one condition p.v = 0 the radius is c^2 / (|lambda| |p|) and the torsion
/// det(x', p, p') / (c^2 |p|^2) (Voss 1884). Reference: docs/mathematics, section 20.
#pragma once

#include "zwang/analysis.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::analysis {

/// Of the motion from the model's initial state.
[[nodiscard]] Curvature curvature(const model::Model& model);

}  // namespace zwang::analysis
