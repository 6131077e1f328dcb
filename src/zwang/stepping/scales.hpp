/// How large the terms of a condition are beside those it has at the start: a condition at a place with coordinates 0 has none there.
#pragma once

#include <vector>

#include "zwang/model/evaluate.hpp"

namespace zwang::stepping {

/// Per row, the largest terms of the conditions that share a variable with it.
[[nodiscard]] std::vector<double> lengths_beside(const model::Model& model, const model::Rows& rows);
/// Per row, what an angle of one makes of it: the levers of a mark about the centres of its bodies, the radii of a gear, 1 of an angle that is held.
[[nodiscard]] std::vector<double> levers_of(const model::Model& model, const model::Rows& rows);

}  // namespace zwang::stepping
