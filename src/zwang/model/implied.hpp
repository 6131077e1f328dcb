/// Linear equations that the equations of a model imply together, although their gradients at the start do not show it.
///
/// Around the start q = q0 + u every equation of at most second degree (a distance by its square) reads
///   F_k(u) = r_k + g_k.u + u^T Q_k u / 2 = 0.
/// Let V be the space that the linear ones leave. If on V
///   sum_k y_k g_k = 0,    sum_k y_k r_k = 0,    H = sum_k y_k Q_k   is semidefinite and not zero,
/// then y.F = u^T H u / 2 vanishes only where H u = 0: linear equations with constant coefficients, which every admissible position
/// satisfies for all times, near the start or not. A bar of three points and three rods stays straight, a plate of four points
/// and six rods stays plane. The new equations make V smaller, and the same is asked again until nothing is found.
/// With them at hand the rank of all equations is the same all along the motion.
///
/// Symbols: y a state of self-stress, H its stress matrix. Reference: docs/mathematics, section 6.
#pragma once

#include "zwang/model/model.hpp"

namespace zwang::model {

/// Find those equations and add each as a condition `implied1`, `implied2`, ... behind all others. Costs one evaluation of the rows
/// unless some of them may depend on one another.
void add_implied(Model& model);

}  // namespace zwang::model
