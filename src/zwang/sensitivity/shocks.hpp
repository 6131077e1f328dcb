/// Shocks of which more is to be said than which conditions throw back: blows, and rebounds beside what does not rebound.
///
/// Reference: docs/mathematics, section 24.3.
#pragma once

#include <span>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

/// Are these the velocities behind the shock?
[[nodiscard]] bool agree(const std::vector<double>& expected, const MotionPoint& before, const MotionPoint& after);

/// All blows of a time, over the variables, and how they change with the parameter where they happen. `time_slope`: by how much their time moves, per variable.
void add_blows(const model::Model& model, const Variation& variation, double time, const MotionPoint& at,
               std::span<const double> time_slope, std::vector<double>& blow, std::vector<double>& slope);

/// One of them, added to what is there.
void add_blow(const model::Model& model, const Variation& variation, std::size_t number, const MotionPoint& at,
              std::span<const double> time_slope, std::vector<double>& blow, std::vector<double>& slope);

/// Through a shock by the whole rule of a rebound: the blow; what is struck brought to rest; 1 + e times that change; and that brought back onto what does not rebound, as a
/// seizure does not. False, and nothing is done, if the motion did something else.
[[nodiscard]] bool rebound(Variation& variation, const MotionPoint& before, const MotionPoint& after,
                           const Variation::Shock& shock, std::span<const double> time_slope);

}  // namespace zwang::sensitivity
