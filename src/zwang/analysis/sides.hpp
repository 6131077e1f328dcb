/// Corners where a question is not about the state at hand alone: what acts elsewhere, or at another time, counts.
#pragma once

#include "zwang/analysis/leaf.hpp"
#include "zwang/model/model.hpp"

namespace zwang::analysis {

/// The state with every corner of a force or an energy on a side at random, whatever its value tells: a force that begins at a place which no try comes to is met.
void throw_sides(const model::Model& model, model::State& state, Dice& dice);

/// Does a corner of it turn by the time?
[[nodiscard]] bool switches_by_time(const model::Slotted& group);

}  // namespace zwang::analysis
