/// The answer of `analyze stability` as JSON.
#pragma once

#include <string>

#include "zwang/analysis/stability.hpp"
#include "zwang/model/model.hpp"

namespace zwang::report {

/// `found`: the position is the result of a search and is shown.
[[nodiscard]] std::string stability_json(const model::Model& model, const model::State& state,
                                         const analysis::Stability& stability, bool found);

}  // namespace zwang::report
