/// What a joint does to its second partner: the force and the torque of all its conditions together, at the joint, in the fixed frame.
#pragma once

#include <span>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// Three components each in space, in the plane two and one. The torque is about the joint: the mark of the second partner, or the place where a wheel
/// touches.
struct Wrench {
  std::vector<double> force;
  std::vector<double> torque;
};

/// `rows` evaluated where the bodies are; `multiplier` per row of the model. Where the second partner is fixed, the opposite of what the first one feels.
[[nodiscard]] Wrench wrench(const Model& model, const Joint& joint, const Rows& rows,
                            std::span<const double> multiplier, std::span<const double> position);

}  // namespace zwang::model
