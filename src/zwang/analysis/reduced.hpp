/// The equations of motion in free velocity parameters, without multipliers.
///
///   v = Z u + w0,    Z^T M Z u' = Z^T (X - M (Z' u + w0')),    a = Z u' + Z' u + w0'
///
/// Symbols: u the velocities of the free variables, Z(t, q) and w0(t, q) as the equations of the system give them, Z' and w0' their
/// derivatives along the motion, M mass, X everything in Lagrange's equations but M a. Reactions do no work on what is
/// allowed (P Z = 0), so Z^T removes them. Under the variational law X contains -rho (dp/dt - df/dq) with rho of the state.
///
/// A second route to the accelerations of `instant::accelerate` for systems of equations; it shares no linear algebra with
/// it. Reference: Maurer 1905, sections 9 to 12; docs/mathematics, section 14.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/linear/spaces.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

struct Reduced {
  bool determined = false;
  std::string why;                        ///< if not: one sentence
  std::vector<std::uint32_t> parameters;  ///< the free variables, whose velocities are u; ascending
  std::vector<double> u;
  linear::Matrix basis;       ///< Z
  std::vector<double> drift;  ///< w0
  std::vector<double> turn;   ///< Z' u + w0'
  linear::Matrix mass;        ///< Z^T M Z
  std::vector<double> force;  ///< Z^T (X - M (Z' u + w0'))
  std::vector<double> rate;   ///< u'
  std::vector<double> accelerations;
  /// Worst second derivative of an equation, those that repeat others included, on the scale of its terms: far above rounding
  /// only at positions where the rank falls, which these equations do not decide.
  double defect = 0;
};

/// At an admissible state; no inequality may touch (they have no place in equations without multipliers).
[[nodiscard]] Reduced reduced(const model::Model& model, const model::State& state);

}  // namespace zwang::analysis
