/// The equations of motion of models with rigid bodies as Newton and Euler wrote them, force by force with names.
///
///   m r'' = sum of forces,      I w' + w x I w = sum of torques about the centre
///
/// w is the spin in the body's own axes, I the inertia about them; forces and torques are vectors of the fixed frame: weight, `force` and `torque` of the
/// body, the potential of [energy], every spring, every joint and every other condition. A condition f with the multiplier lambda acts by
/// -lambda times the gradient of f by the place, and by the rotation, of the body; a joint by all of its conditions together.
/// Reference: docs/mathematics, section 23.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "zwang/analysis/vectors.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis {

/// What acts on a body, with its name in the model.
struct NamedLoad {
  std::string name;
  Load load;
  bool reaction = false;  ///< of a condition
};

/// One point or rigid body.
struct BodyEquation {
  OfBody of;
  expressions::Expr mass;
  std::vector<NamedLoad> loads;
  std::vector<expressions::Expr> euler;  ///< left sides: three in space, one in the plane, none of a point
};

/// One scalar condition.
struct NamedRow {
  std::uint32_t row = 0;                      ///< of the model
  std::optional<expressions::Expr> f;         ///< none: too long for anybody
  expressions::Expr first = {}, second = {};  ///< f', f'' (nonholonomic: `first` is f, `second` is f')
};

/// A member of a family of conditions has its own.
struct NewtonEuler {
  explicit NewtonEuler(const model::Model& model) : vectors(model) {}
  Vectors vectors;
  expressions::Expr kinetic = {}, potential = {};
  std::vector<BodyEquation> bodies;
  std::vector<NamedRow> rows;
  bool unwritten = false;  ///< some row is too long
};

/// None where there is no rigid body, where coordinates or the variational law stand beside them, or where there are too many to be
/// written one by one.
[[nodiscard]] std::optional<NewtonEuler> newton_euler(const model::Draft& draft, const model::Model& model);

}  // namespace zwang::analysis
