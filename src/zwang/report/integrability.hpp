/// The answer of `analyze integrability` as JSON.
#pragma once

#include <string>

#include "zwang/analysis/integrability.hpp"
#include "zwang/model/model.hpp"

namespace zwang::report {

[[nodiscard]] std::string integrability_json(const model::Model& model, const model::State& state,
                                             const analysis::Integrability& found);

}  // namespace zwang::report
