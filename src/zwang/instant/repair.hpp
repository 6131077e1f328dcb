/// An approximate start brought onto the conditions: position first, then velocity, in the metric of the masses.
#pragma once

#include "zwang/instant/instant.hpp"

namespace zwang::instant {

struct Repair {
  bool succeeded = false;  ///< all conditions hold to rounding
  model::State state;
  double position_change = 0;  ///< largest change of a coordinate
  double velocity_change = 0;  ///< largest change of a velocity
  unsigned rounds = 0;
  std::uint32_t worst_row = 0;  ///< when not succeeded: the row that stays broken
};

[[nodiscard]] Repair repair(const model::Model& model, const model::State& state, const Options& options = {});

}  // namespace zwang::instant
