/// Angles that are followed: which half turn `atan2` is on cannot be seen from a state, only from the way that led there.
#pragma once

#include <span>
#include <vector>

#include "zwang/expressions/corners.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// The switches that count half turns, ascending.
[[nodiscard]] std::vector<std::uint32_t> turning_switches(const Model& model);

/// The sides at a state, as `sides_of` tells them from values, but for angles, which stay on the half turn they were on, or go to the one beside it that the
/// values allow. `before`: a side for every switch, those of angles count. `crossing`: where the half turn may have changed, for which way; mostly the state itself.
[[nodiscard]] std::vector<expressions::Side> sides_after(const Model& model, const State& state,
                                                         std::span<const expressions::Side> before,
                                                         const State& crossing);

}  // namespace zwang::model
