/// What makes an instant of a motion, and how its time moves with a parameter: dtau = -dg / g' of the function g that passes its threshold there. Reference: docs/mathematics, section 24.3.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "zwang/motion/track.hpp"
#include "zwang/sensitivity/approach.hpp"
#include "zwang/sensitivity/surfaces.hpp"
#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

/// A trigger of an instant and how its time moves.
struct Trigger {
  double slope = 0;
  std::string name;
  std::uint32_t row = std::numeric_limits<std::uint32_t>::max();
};

[[nodiscard]] bool contains(const std::vector<std::uint32_t>& rows, std::uint32_t row);

/// A motion on one side of an instant.
struct SideOfInstant {
  const MotionPoint& point;
  const motion::Piece& piece;
  const std::vector<expressions::Side>& sides;
};

/// What came before an instant.
struct LookingBack {
  const Approach& approach;
  double largest_speed = 0;
};

/// Blows, seizures and releases at times that are written down. `events`: numbers of those of the instant among `all`.
[[nodiscard]] std::vector<Trigger> given_times(const model::Model& model, const Variation& variation,
                                               const std::vector<motion::Event>& all,
                                               const std::vector<std::size_t>& events);
/// Conditions that are reached with speed.
[[nodiscard]] std::vector<Trigger> struck(const model::Model& model, const Variation& variation,
                                          const MotionPoint& before, const motion::Piece& old,
                                          const std::vector<motion::Event>& all,
                                          const std::vector<std::size_t>& events);
/// Switching functions that pass a threshold, speeds that come to rest (seen from before; no number where their times do not tell how they move), and conditions between velocities that are reached.
[[nodiscard]] std::vector<Trigger> switched(const model::Model& model, Variation& variation,
                                            const std::vector<Surface>& surfaces, const SideOfInstant& earlier,
                                            const SideOfInstant& later, const LookingBack& back);

}  // namespace zwang::sensitivity
