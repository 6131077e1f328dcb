/// A model in which conditions that are holonomic in disguise are written as what they are.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis {

/// The model's text with conditions that are holonomic in disguise written as what they are, phi = phi(state): every
/// explicit integral takes the place of one Pfaffian condition that it, with the others, makes superfluous. Conditions
/// of families and vector equations stay.
struct Rewritten {
  std::string text;
  std::vector<std::pair<std::string, std::string>> replaced;  ///< name of the condition, "phi = c"
};
[[nodiscard]] Rewritten with_integrals(const model::Draft& draft, const model::Model& model, const model::State& state);

}  // namespace zwang::analysis
