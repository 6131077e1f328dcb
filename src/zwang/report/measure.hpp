/// The answer of `analyze measure` as JSON.
#pragma once

#include <string>

#include "zwang/analysis/measure.hpp"
#include "zwang/model/model.hpp"

namespace zwang::report {

[[nodiscard]] std::string measure_json(const model::Model& model, const analysis::Measure& measure);

}  // namespace zwang::report
