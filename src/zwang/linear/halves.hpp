/// The two halves of W = M^-1 on one block of the mass matrix, W = H^T H: H = L^-1, or along the axes of a body whose least moment is lost in the entries of M.
///
///   H x = x / sqrt(m) for its three places,   (u_k.x) / sqrt(w_k) for its four axes u_k with weights w_k.
///
/// Of a vector x that was computed, forces or a gradient, u_k.x is known to the rounding of the terms of x. Over a weight 1e-12 of the others that would be 1e-4 of their motion.
/// So a component along the least axis that is no more than this rounding is none: a torque about a thin body's own axis comes from arms across it, or it does not exist.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "zwang/linear/cholesky.hpp"
#include "zwang/linear/tolerances.hpp"
#include "zwang/linear/twofold.hpp"
#include "zwang/matrix.hpp"

namespace zwang::linear {

inline constexpr std::size_t variables_of_a_turn = 7;

/// u.x of the least axis, or nothing where that is rounding; `beside`: what else x is known to the rounding of.
template <class Real>
[[nodiscard]] Real along_least_axis(const Mass::Turn& turn, const Real* x, double beside) {
  const double* const u = turn.axis.data() + 4 * std::size_t{turn.light};
  Real sum = 0;
  double terms = beside;
  for (std::size_t i = 0; i < 4; ++i) {
    sum += x[i] * u[i];
    terms += std::abs(static_cast<double>(x[i]) * u[i]);
  }
  return std::abs(static_cast<double>(sum)) <= rounding_about_an_axis * terms ? Real(0) : sum;
}

/// x becomes H x; the variables of the block one after the other.
template <class Real>
void into_metric(const Mass::Block& block, Real* x) {
  if (!block.turn) {
    const std::size_t size = block.variables.size();
    for (std::size_t c = 0; c < size; ++c) {
      x[c] /= block.factor[c * size + c];
      for (std::size_t i = c + 1; i < size; ++i) x[i] -= block.factor[c * size + i] * x[c];
    }
    return;
  }
  const Mass::Turn& turn = *block.turn;
  double size = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    size += std::abs(static_cast<double>(x[c]));
    x[c] /= std::sqrt(turn.mass);
  }
  std::array<Real, 4> along{};
  for (std::size_t k = 0; k < 4; ++k) {
    if (k == turn.light) {
      along[k] = along_least_axis(turn, x + 3, turn.reach * size);
    } else {
      for (std::size_t i = 0; i < 4; ++i) along[k] += x[3 + i] * turn.axis[4 * k + i];
    }
    along[k] /= std::sqrt(turn.weight[k]);
  }
  for (std::size_t k = 0; k < 4; ++k) x[3 + k] = along[k];
}

/// x becomes H^T x.
template <class Real>
void out_of_metric(const Mass::Block& block, Real* x) {
  if (!block.turn) {
    const std::size_t size = block.variables.size();
    for (std::size_t c = size; c-- > 0;) {
      Real sum = x[c];
      for (std::size_t i = c + 1; i < size; ++i) sum -= block.factor[c * size + i] * x[i];
      x[c] = sum / block.factor[c * size + c];
    }
    return;
  }
  const Mass::Turn& turn = *block.turn;
  for (std::size_t c = 0; c < 3; ++c) x[c] /= std::sqrt(turn.mass);
  std::array<Real, 4> out{};
  for (std::size_t k = 0; k < 4; ++k) {
    x[3 + k] /= std::sqrt(turn.weight[k]);
    for (std::size_t i = 0; i < 4; ++i) out[i] += x[3 + k] * turn.axis[4 * k + i];
  }
  for (std::size_t i = 0; i < 4; ++i) x[3 + i] = out[i];
}

}  // namespace zwang::linear
