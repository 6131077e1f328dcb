/// What a model says that can have no effect, in sentences.
#pragma once

#include <string>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang::model {

/// Impulses before the start, and restitutions of equations, which nothing rebounds from.
[[nodiscard]] std::vector<std::string> without_effect(const Model& model);

}  // namespace zwang::model
