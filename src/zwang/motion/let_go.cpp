/// What stands in let_go.hpp.
#include "zwang/motion/let_go.hpp"

#include <algorithm>

#include "zwang/model/evaluate.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::motion {

namespace {

bool any_can_go(const model::Model& model) {
  return std::any_of(model.springs.begin(), model.springs.end(),
                     [](const model::Spring& spring) { return !spring.switches.empty(); });
}

void add_gone(const model::Model& model, const Event& event, std::vector<SpringGone>& out) {
  if (event.kind != EventKind::let_go) return;
  for (std::uint32_t k = 0; k < model.springs.size(); ++k) {
    if (std::find(event.bodies.begin(), event.bodies.end(), model.springs[k].name) != event.bodies.end())
      out.push_back({event.time, k});
  }
}

}  // namespace

std::vector<SpringGone> springs_gone(const model::Model& model, std::span<const Event> events) {
  std::vector<SpringGone> out;
  if (!any_can_go(model)) return out;
  for (const Event& event : events) add_gone(model, event, out);
  return out;
}

std::vector<SpringGone> springs_gone(const model::Model& model, const RunView& run) {
  std::vector<SpringGone> out;
  if (!any_can_go(model)) return out;
  run.each_event(0, [&](const Event& event) {
    add_gone(model, event, out);
    return true;
  });
  return out;
}

void let_springs_go(const model::Model& model, std::span<const SpringGone> gone, double time,
                    std::vector<expressions::Side>& sides) {
  for (const SpringGone& one : gone) {
    if (one.time > time) continue;
    for (const std::uint32_t number : model.springs[one.spring].switches) sides[number] = 0;
  }
}

void set_modes(const model::Model& model, std::span<const SpringGone> gone, double time, model::State& state) {
  state.modes.clear();
  if (std::none_of(gone.begin(), gone.end(), [&](const SpringGone& one) { return one.time <= time; })) return;
  std::vector<expressions::Side> sides = model::sides_of(model, state);
  let_springs_go(model, gone, time, sides);
  state.modes = model::modes_of(model, sides);
}

}  // namespace zwang::motion
