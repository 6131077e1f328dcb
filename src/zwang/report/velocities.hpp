/// The answer of `analyze velocities` as JSON, and linear forms of velocities as people write them.
#pragma once

#include <span>
#include <string>

#include "zwang/analysis/velocities.hpp"
#include "zwang/model/model.hpp"

namespace zwang::report {

[[nodiscard]] std::string velocities_json(const model::Model& model, const model::State& state,
                                          const analysis::Velocities& velocities);

/// "x' + 4/3 y'": coefficients that are simple fractions are shown as such, others with six digits.
[[nodiscard]] std::string linear_form(const model::Model& model, std::span<const double> coefficients);
/// "4/3", "-2", "0.123457".
[[nodiscard]] std::string fraction(double value);

}  // namespace zwang::report
