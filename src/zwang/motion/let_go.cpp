/// Springs, conditions and angles followed through the events and pieces of a finished motion.
#include "zwang/motion/let_go.hpp"

#include <algorithm>
#include <iterator>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/half_turns.hpp"
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

void note_released(const Event& event, model::Model& model) {
  if (event.kind != EventKind::let_go) return;
  // Here, or by another one before.
  const auto is_gone = [&](std::uint32_t row) {
    const auto holds = [&](const std::vector<std::uint32_t>& rows) {
      return std::find(rows.begin(), rows.end(), row) != rows.end();
    };
    return holds(event.rows) ||
           std::any_of(model.releases.begin(), model.releases.end(), [&](const model::Release& one) {
             return one.when.empty() && one.at <= event.time && holds(one.rows);
           });
  };
  for (model::Release& release : model.releases) {
    const bool rows = std::all_of(release.rows.begin(), release.rows.end(), is_gone);
    const bool springs = std::all_of(release.springs.begin(), release.springs.end(), [&](std::uint32_t spring) {
      return std::find(event.bodies.begin(), event.bodies.end(), model.springs[spring].name) != event.bodies.end();
    });
    if (!rows || !springs) continue;
    release.when.clear();
    release.at = event.time;
  }
}

void let_springs_go(const model::Model& model, std::span<const SpringGone> gone, double time,
                    std::vector<expressions::Side>& sides) {
  for (const SpringGone& one : gone) {
    if (one.time > time) continue;
    for (const std::uint32_t number : model.springs[one.spring].switches) sides[number] = 0;
  }
}

Hidden hidden_in(const model::Model& model, const RunView& run) {
  Hidden out;
  out.gone = springs_gone(model, run);
  const std::vector<std::uint32_t> angles = model::turning_switches(model);
  if (angles.empty()) return out;
  // Where an angle passes the axis its piece ends: in the middle of a piece it is on its half turn, at the beginning the way is seen that it took.
  std::vector<AngleFollowed> all(angles.size());
  std::vector<expressions::Side> sides;
  model::State middle, begin;
  run.each_piece(0, [&](const Piece& piece) {
    evaluate(piece, piece.start + piece.length / 2, middle);
    evaluate(piece, piece.start, begin);
    const bool first = sides.empty();
    // At the start it has its principal value.
    if (first) sides = model::sides_of(model, begin);
    std::vector<expressions::Side> now = model::sides_after(model, middle, sides, begin);
    for (std::size_t k = 0; k < angles.size(); ++k) {
      if (first || now[angles[k]] != sides[angles[k]]) all[k].sides.emplace_back(piece.start, now[angles[k]]);
    }
    sides = std::move(now);
    return true;
  });
  for (std::size_t k = 0; k < angles.size(); ++k) {
    // On the right half plane values tell it; on the left one not, once the cut is behind.
    if (all[k].sides.size() < 2 && (all[k].sides.empty() || all[k].sides[0].second == 0)) continue;
    all[k].number = angles[k];
    out.angles.push_back(std::move(all[k]));
  }
  return out;
}

void set_modes(const model::Model& model, const Hidden& hidden, double time, model::State& state) {
  state.modes.clear();
  const bool gone =
      std::any_of(hidden.gone.begin(), hidden.gone.end(), [&](const SpringGone& one) { return one.time <= time; });
  if (!gone && hidden.angles.empty()) return;
  std::vector<expressions::Side> sides = model::sides_of(model, state);
  const std::vector<expressions::Side> told = sides;
  for (const AngleFollowed& one : hidden.angles) {
    const auto next = std::upper_bound(one.sides.begin(), one.sides.end(), time,
                                       [](double t, const auto& entry) { return t < entry.first; });
    if (next != one.sides.begin()) sides[one.number] = std::prev(next)->second;
  }
  if (!hidden.angles.empty()) sides = model::sides_after(model, state, sides, state);
  if (!gone && sides == told) return;
  let_springs_go(model, hidden.gone, time, sides);
  state.modes = model::modes_of(model, sides);
}

}  // namespace zwang::motion
