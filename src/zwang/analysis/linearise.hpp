/// The equations of motion to first order about a place of rest, with derivatives by exact forward differentiation.
///
///   M d'' = alpha d + gamma d' - P^T dlambda,      alpha = dX/dq - sum lambda_s dp_s/dq,   gamma = dX/dv
///
/// Symbols: d displacement, X all forces at rest (those of the potential, of T_0 and given ones), p_s rows of the conditions held
/// (gradients of holonomic ones), P all of them, lambda_s multipliers. alpha is symmetric if forces have a potential and
/// the conditions integrate, gamma is what forces odd in the velocities and the linear part of T leave.
/// Reference: Voss 1884, section 8; docs/mathematics, section 18.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/linear/spaces.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

struct Linearised {
  linear::Matrix mass;             ///< M
  linear::Matrix alpha;            ///< [i, k]
  linear::Matrix gamma;            ///< [i, k]
  linear::Matrix rows;             ///< P, a row each
  linear::Matrix lengths;          ///< along the quaternions of rigid bodies: displacements without a meaning
  std::vector<double> force;       ///< X at rest
  std::vector<double> force_size;  ///< sum of the absolute values of its terms
  std::vector<double> value;       ///< f of each row (holonomic), else 0
  bool mass_positive = true;
};

/// About the position of the state, at rest whatever its velocity; `which` are rows of the model, `lambda` theirs.
[[nodiscard]] Linearised linearise(const model::Model& model, const model::State& state,
                                   std::span<const std::uint32_t> which, std::span<const double> lambda);

}  // namespace zwang::analysis
