/// What the states of a finished motion do not show, for its readers: springs and conditions that were let go, which act no more from that event on, and the half
/// turns that angles have made.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "zwang/expressions/corners.hpp"
#include "zwang/model/model.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::motion {

struct RunView;

/// A spring let go, and when.
struct SpringGone {
  double time = 0;
  std::uint32_t spring = 0;
};
[[nodiscard]] std::vector<SpringGone> springs_gone(const model::Model& model, std::span<const Event> events);
[[nodiscard]] std::vector<SpringGone> springs_gone(const model::Model& model, const RunView& run);

/// The event tells which of the model's releases are done: from now on questions about one instant know them as done, whenever that was.
void note_released(const Event& event, model::Model& model);

/// Turns off what was let go at `time` or before.
void let_springs_go(const model::Model& model, std::span<const SpringGone> gone, double time,
                    std::vector<expressions::Side>& sides);

/// An angle on its way: from when on it was on which side.
struct AngleFollowed {
  std::uint32_t number = 0;  ///< of its switch
  std::vector<std::pair<double, expressions::Side>> sides;
};
struct Hidden {
  std::vector<SpringGone> gone;
  std::vector<AngleFollowed> angles;  ///< those whose half turn a state alone need not tell
};
[[nodiscard]] Hidden hidden_in(const model::Model& model, const RunView& run);
/// The modes of a state on the piece that begins at `time` or about it, if anything is hidden then; else the state keeps none.
void set_modes(const model::Model& model, const Hidden& hidden, double time, model::State& state);

}  // namespace zwang::motion
