/// Threads that are taut at the start and hold what they hold only for a while, or only with what turns and moves: at bodies, between places that move, with
/// [[releases]] beside them.
#pragma once

#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// Adds what they imply as conditions that are let go with the first release of one of the conditions that they follow from. `rows`: of the model at the start.
void add_stretched(Model& model, const Rows& rows);

}  // namespace zwang::model
