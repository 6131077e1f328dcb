/// Shocks, blows, seizures, releases and switches of one instant that come one after the other as soon as the parameter moves: each at a time of its own, in the order that its side of the parameter's value has.
/// Reference: docs/mathematics, section 24.3.
#pragma once

#include <optional>
#include <vector>

#include "zwang/sensitivity/triggers.hpp"
#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

/// Derivatives behind an instant.
struct Behind {
  std::vector<double> position, velocity;
};
/// For values below and above the parameter's own; nothing where the shocks in that order lead elsewhere than the motion goes.
struct InTurn {
  std::optional<Behind> below, above;
  double size = 0;  ///< of the derivatives before the instant
  /// Both sides, and the same.
  [[nodiscard]] bool one() const;
};

/// What is held before and behind the instant, and the sides of the switches.
struct AroundInstant {
  const std::vector<std::uint32_t>& held_before;
  const std::vector<std::uint32_t>& held_after;
  const std::vector<expressions::Side>& sides_before;
  const std::vector<expressions::Side>& sides_after;
};

/// Can this one be taken by itself: a condition between positions that is struck or let go, a blow, a seizure, a force that switches?
[[nodiscard]] bool has_a_turn(const model::Model& model, const Trigger& trigger);

/// Of triggers that have a turn; the derivatives themselves stay.
[[nodiscard]] InTurn in_turn(Variation& variation, const std::vector<Trigger>& triggers, const MotionPoint& before,
                             const MotionPoint& after, const AroundInstant& around);

}  // namespace zwang::sensitivity
