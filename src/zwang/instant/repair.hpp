/// An approximate start brought onto the conditions: position first, then velocity, in the metric of the masses.
#pragma once

#include "zwang/instant/instant.hpp"

namespace zwang::instant {

[[nodiscard]] Repair repair(const model::Model& model, const model::State& state, const Options& options = {});

}  // namespace zwang::instant
