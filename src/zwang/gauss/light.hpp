/// Variables much lighter than what they are tied to: their motion directly, and not as a small difference of large numbers.
///
/// A hub of mass m = 1e-9 under a force X = 1 would alone move with 1e9; held by bodies of mass 1 it moves with 1e-2, and
/// a = a0 - W J^T lambda has lost eleven digits. With light masses raised to m', and z what that leaves out of their motion,
///
///   a = a' + z,     a' = W' (X - J^T lambda),     z = C (X - J^T lambda)   on light variables,     C = 1 / m - 1 / m'
///
///   Phi' lambda - U z = J W' X + h,      U^T lambda + z / C = X,      Phi' = J W' J^T,   U the light columns of J
///
/// z and lambda follow from the factor of Phi', whose masses are alike, and a small matrix  1 / C + U^T Phi'^-1 U.  Nothing large cancels:
/// where the light variable is held, z is its motion, and where it is free, X / m. The rows held are exchanged until no sign is wrong.
///
/// Symbols as in gauss.hpp; X = M a0. Reference: docs/mathematics, section 3.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/linear/gram_factor.hpp"

namespace zwang::gauss {

class Light {
 public:
  /// Is some variable much lighter than what rows tie it to? (If not, nothing else may be asked.)
  [[nodiscard]] bool find(const Problem& problem);

  /// The masses with the light ones raised; valid until the next `find`.
  [[nodiscard]] const linear::Mass& raised() const { return raised_; }
  /// W' X, which is what the raised masses would move with.
  [[nodiscard]] std::span<const double> free() const { return free_; }

  /// Has the motion lost digits: is a row held not kept to the last digits of its own terms, or were these large ones that cancelled?
  [[nodiscard]] bool counts(const Problem& problem, const Solution& solution) const;

  /// From the rows that `solution` holds. False, and `solution` as it was, if signs do not settle or the answer is not certified.
  [[nodiscard]] bool solve(const Problem& problem, Solution& solution);

 private:
  void hold(const Problem& problem, std::span<const std::uint8_t> held);
  [[nodiscard]] bool factor();
  void answer(const Problem& problem);
  void distribute();
  void find_motion(const Problem& problem);
  [[nodiscard]] bool exchange(const Problem& problem, std::vector<std::uint8_t>& held, bool& settled);

  linear::Mass raised_;
  std::vector<double> free_;
  std::vector<std::uint32_t> light_;  ///< variables, ascending
  std::vector<std::uint32_t> place_;  ///< by variable: in `light_`, or none

  // The rows held, and the two factors.
  std::vector<std::uint32_t> set_, start_, column_;
  std::vector<double> entry_;
  linear::GramFactor gram_;
  std::vector<double> solved_;  ///< Phi'^-1 U, one light variable after the other
  std::vector<double> small_;   ///< Cholesky factor of 1 / C + U^T Phi'^-1 U, by columns

  std::vector<double> row_rest_, light_rest_;  ///< what is left of the two equations; then what distributes it
  std::vector<double> lambda_, z_, force_, a_, size_;
  std::vector<double> scratch_, w_, small_row_;
};

}  // namespace zwang::gauss
