/// What the parts of the corners share: corners.cpp finds sides, sliding.hpp weights on surfaces, valleys.cpp kinks of which both sides hold,
/// alternatives.cpp which part of an `or` counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/instant/corners.hpp"

namespace zwang::instant {

/// The words for a switch in a sentence.
[[nodiscard]] std::string name_of_switch(const model::Model& model, std::uint32_t number);
/// Derivatives of the g of a switch by its slots: of positions, then of velocities.
[[nodiscard]] std::vector<double> slopes_by_slot(const model::SwitchPlace& place, const model::State& state);
/// The modes of a corner on a side, into those of the model.
void set_modes(const model::Slotted& group, std::uint32_t corner, std::uint32_t lane, expressions::Side side,
               std::vector<double>& modes);

}  // namespace zwang::instant
