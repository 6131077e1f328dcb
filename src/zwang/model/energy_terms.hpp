/// What the energy is summed from, where terms of it cancel.
#pragma once

#include "zwang/model/evaluate.hpp"

namespace zwang::model {

/// |T_2| + |T_1| + |T_0| + |V| of every single term at a state, added up: rounding and error of T_2 - T_0 + V are parts of this.
[[nodiscard]] double energy_terms(const Model& model, const State& state, Scratch& scratch);

}  // namespace zwang::model
