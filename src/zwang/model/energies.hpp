/// The energies of a state, all in one pass over the tapes.
#pragma once

#include "zwang/model/evaluate.hpp"

namespace zwang::model {

/// Energy and vis viva (evaluate.hpp) at once.
struct Energies : Energy {
  double vis_viva = 0;
};
[[nodiscard]] Energies energies(const Model& model, const State& state, Scratch& scratch);

}  // namespace zwang::model
