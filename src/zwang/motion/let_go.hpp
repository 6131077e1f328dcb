/// Springs that were let go, for readers of a finished motion: their terms act no more from that event on.
#pragma once

#include <span>
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

/// Turns off what was let go at `time` or before.
void let_springs_go(const model::Model& model, std::span<const SpringGone> gone, double time,
                    std::vector<expressions::Side>& sides);
/// The modes of a state at or behind `time`, if any spring is gone then; else the state keeps none.
void set_modes(const model::Model& model, std::span<const SpringGone> gone, double time, model::State& state);

}  // namespace zwang::motion
