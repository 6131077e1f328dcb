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

#include <optional>
#include <string>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis {

struct Measure {
  static constexpr std::size_t most_columns = 40;
  bool decided = true;
  bool exists = false;
  bool unit = false;            ///< density 1
  bool jacobi = false;          ///< Jacobi's determinant is one
  std::string density;          ///< in the model's names, or empty if none was found although one exists
  double residual = 0;          ///< of the density found: largest |d log mu - theta| on admissible directions, scaled
  double divergence = 0;        ///< of the flow, at the state
  std::string why;              ///< what speaks against it, or what is not decided
  std::vector<double> witness;  ///< a position (and time) where it fails
  double defect = 0;            ///< the singular value that shows it there
  std::size_t points = 0;       ///< looked at
  bool resisted = false;        ///< by forces that depend on the velocities
  bool holonomic = false;       ///< all equations are between positions, or there is none: then no search is needed
};

/// The velocity need not be admissible. Without equations the measure in question is Liouville's, det M dq dv. Inequalities are left aside:
/// the answer is about the motion between their shocks.
[[nodiscard]] Measure measure(const model::Draft& draft, const model::Model& model, const model::State& state);

/// sum da_i/dv_i at a state, admissible or not.
[[nodiscard]] double divergence(const model::Draft& draft, const model::Model& model, const model::State& state);

}  // namespace zwang::analysis
