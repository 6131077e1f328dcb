/// The same model under one law for all its conditions on velocities.
#pragma once

#include "zwang/model/model.hpp"

namespace zwang::model {

/// The model with every nonholonomic equation under one law; rho starts as the model says, at 0 if it says nothing.
[[nodiscard]] Model under_law(const Model& model, Law law);

}  // namespace zwang::model
