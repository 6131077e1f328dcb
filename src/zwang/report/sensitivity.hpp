/// Derivatives by parameters as JSON and as tables.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/report/table.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/sensitivity/sensitivity.hpp"

namespace zwang::report {

using Sensitivities = std::vector<sensitivity::ParameterSensitivity>;

/// "sensitivity": {...} of one instant; `sample` counts those asked for, or is `at_the_end`.
inline constexpr std::size_t at_the_end = static_cast<std::size_t>(-1);
void put_sensitivity(Writer& json, const model::Model& model, const model::State& state, const Sensitivities& slopes,
                     std::size_t sample);
/// "time_sensitivity": {...} of an event.
void put_time_sensitivity(Writer& json, const Sensitivities& slopes, std::size_t event);

/// The same for a terminal: a table per parameter of what moves at the end, and of the times of events; `most` rows each.
[[nodiscard]] std::string sensitivity_tables(const model::Model& model, const motion::RunView& run,
                                             const Sensitivities& slopes, const Style& style, std::size_t most = 40);

/// The derivative of a velocity as it is shown: of a body in space that of its spin.
[[nodiscard]] std::vector<double> shown_velocity_slope(const model::Model& model, const model::Body& body,
                                                       std::uint32_t member, const model::State& state,
                                                       const sensitivity::StateSlope& slope);

}  // namespace zwang::report
