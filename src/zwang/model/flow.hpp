/// The rates of a first-order system made unfree, at one state.
///
///   x' = X - sum lambda p,      grad f.x' + df/dt = 0  (holonomic),   p0 + p.x' = 0  (linear in the rates)
///
/// With free functions phi:  grad phi.x' = grad phi.X, so that the p are the columns of the inverse of d(phi, f)/dx that
/// belong to the conditions, and lambda = grad f.X + df/dt. Without: the p are the gradients, the projection is orthogonal.
///
/// Symbols: X free rates, f conditions, phi free functions. Reference: docs/mathematics, section 16.
#pragma once

#include <vector>

#include "zwang/linear/tolerances.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// The part of a row's largest entry below which the row counts as dependent on others.
inline constexpr double dependent_part = linear::dependent_part;

struct Rates {
  std::vector<double> rate;        ///< x'
  std::vector<double> multiplier;  ///< lambda, per row of the model; 0 where a condition depends on others
  bool finite = true;              ///< all numbers of the system are
};
[[nodiscard]] Rates rates(const Model& model, const State& state);

/// The gradients of all conditions, or of all conditions and then all free functions, as dense rows of n numbers.
[[nodiscard]] std::vector<double> condition_gradients(const Model& model, const State& state);
[[nodiscard]] std::vector<double> all_gradients(const Model& model, const State& state);

/// phi and its gradient at the state, the latter written to a dense row of n numbers.
double evaluate_free(const FreeFunction& function, const State& state, double* gradient, std::size_t n);

}  // namespace zwang::model
