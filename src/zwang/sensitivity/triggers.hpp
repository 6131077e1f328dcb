/// What makes an instant of a motion, and how its time moves with a parameter: dtau = -dg / g' of the function g that passes its threshold there. Reference: docs/mathematics, section 24.3.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "zwang/motion/track.hpp"
#include "zwang/sensitivity/approach.hpp"
#include "zwang/sensitivity/surfaces.hpp"
#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

/// A switching function that passes a threshold.
struct Switching {
  const model::Slotted* group = nullptr;
  const model::Slotted* slopes = nullptr;
  std::uint32_t corner = 0;
  std::uint32_t lane = 0;
  std::size_t number = 0;  ///< of the switch, among all
  double moved = 0;        ///< by which the threshold moves with the parameter
  bool truth = false;      ///< of what is let go when it becomes true, not of a force
};

/// A trigger of an instant and how its time moves.
struct Trigger {
  double slope = 0;
  std::string name;
  std::uint32_t row = std::numeric_limits<std::uint32_t>::max();
  std::optional<std::size_t> blow = {};     ///< it is that one
  std::optional<Switching> switching = {};  ///< it is this
  std::vector<std::uint32_t> lets_go = {};  ///< rows that are let go by it
  std::vector<std::uint32_t> seizes = {};   ///< rows that hold from then on
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
/// Of these, those that are triggers beside shocks and given times: at their threshold by themselves, not carried over it by a velocity that jumps, and with a force that jumps.
[[nodiscard]] std::vector<Trigger> by_themselves(Variation& variation, std::vector<Trigger> triggers,
                                                 const SideOfInstant& earlier, const SideOfInstant& later);

}  // namespace zwang::sensitivity
