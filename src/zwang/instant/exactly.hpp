/// The accelerations at a model's start in exact arithmetic: every sign is a fact about fractions, every verdict a proof.
///
/// Nothing is taken for zero that is not: a condition touches if f = 0, binds if lambda > 0, is marginal if lambda = 0 and f'' = 0, a row is
/// redundant if its gradient is a combination of others. Higher derivatives are not looked at: where gradients depend on one another and the
/// second derivatives do not decide (a singular position), the answer is that it is undecided. Reference: docs/mathematics, section 3.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "zwang/instant/instant.hpp"
#include "zwang/model/exactly.hpp"

namespace zwang::instant {

/// Numbers of rows are places in `scene.rows`.
struct ExactInstant {
  Status status = Status::undecided;
  model::ExactScene scene;
  std::vector<Role> role;  ///< per row
  std::vector<std::pair<std::uint32_t, model::Surd>> violations;
  bool blow_due = false;
  bool seizure_due = false;

  bool regular = true;
  std::vector<rational::Dependence> redundant;  ///< effective rows whose gradients are combinations of others
  std::vector<rational::Number> free;
  std::vector<rational::Number> accelerations;
  std::vector<rational::Number> multipliers;  ///< per row; 0 where a row has none
  bool multipliers_unique = true;
  std::vector<rational::Number> second;    ///< f'' per row (velocity conditions: f')
  std::vector<rational::Number> reaction;  ///< M (a - a0)
  rational::Number constraint;             ///< Z
  std::vector<std::pair<std::uint32_t, rational::Number>> farkas;
  std::string expansion;  ///< in words, when undecided

  [[nodiscard]] bool is_effective(std::size_t row) const {
    return role[row] == Role::equation || role[row] == Role::binding || role[row] == Role::marginal ||
           role[row] == Role::leaving;
  }
};

/// Of the model that was compiled from this draft with these overrides. Throws Error where something is irrational that must not be.
[[nodiscard]] ExactInstant accelerate_exactly(const model::Draft& draft, const model::Overrides& overrides,
                                              const model::Model& model);

/// The force of a row on each variable: -lambda grad f, and -rho (dp/dt - df/dq) of a variational one.
[[nodiscard]] std::vector<rational::Number> reaction_of(const ExactInstant& instant, std::size_t row);

}  // namespace zwang::instant
