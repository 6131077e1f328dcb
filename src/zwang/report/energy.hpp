/// The answer of `analyze energy` as JSON.
#pragma once

#include <string>

#include "zwang/analysis/energy.hpp"
#include "zwang/model/model.hpp"

namespace zwang::report {

[[nodiscard]] std::string energy_json(const model::Model& model, const analysis::EnergyRate& energy);

}  // namespace zwang::report
