/// What makes an instant, and how its time moves.
#include "zwang/sensitivity/triggers.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/model/evaluate.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

bool contains(const std::vector<std::uint32_t>& rows, std::uint32_t row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

namespace {

bool slides_on(const std::vector<Surface>& surfaces, std::size_t number) {
  return std::any_of(surfaces.begin(), surfaces.end(), [&](const Surface& one) { return one.number == number; });
}
bool turns_inside(const model::Slotted& group, std::uint32_t corner, std::uint32_t lane,
                  const std::vector<expressions::Side>& old_sides, const std::vector<expressions::Side>& sides) {
  const std::vector<std::uint32_t>& inner = group.corners[corner].inner;
  return std::any_of(inner.begin(), inner.end(), [&](std::uint32_t c) {
    const std::size_t number = group.first_switch + std::size_t{c} * group.lanes + lane;
    return old_sides[number] != sides[number];
  });
}

}  // namespace

/// Blows, seizures and releases at times that are written down.
std::vector<Trigger> given_times(const model::Model& model, const Variation& variation,
                                 const std::vector<motion::Event>& all, const std::vector<std::size_t>& events) {
  std::vector<Trigger> out;
  const model::Model& slope = variation.parameter().slope;
  for (const std::size_t number : events) {
    const motion::Event& event = all[number];
    const auto near = [&](double at) { return std::abs(at - event.time) <= motion::resolution(event.time); };
    if (event.kind == motion::EventKind::blow) {
      for (std::size_t k = 0; k < model.blows.size(); ++k) {
        if (!near(model.blows[k].at)) continue;
        out.push_back({slope.blows[k].at, "the blow on " + model.blows[k].on});
        out.back().blow = k;
      }
    } else if (event.kind == motion::EventKind::seizure) {
      for (std::size_t k = 0; k < model.conditions.size(); ++k) {
        if (model.conditions[k].seizure && near(model.conditions[k].at)) {
          out.push_back({slope.conditions[k].at, "the seizure " + model.conditions[k].name});
          for (std::uint32_t row = 0; row < model.conditions[k].rows; ++row)
            out.back().seizes.push_back(model.conditions[k].first_row + row);
        }
      }
    } else if (event.kind == motion::EventKind::let_go) {
      for (std::size_t k = 0; k < model.releases.size(); ++k) {
        if (model.releases[k].when.empty() && near(model.releases[k].at)) {
          out.push_back({slope.releases[k].at, "the release of " + model.releases[k].name});
          out.back().lets_go = event.rows;
        }
      }
    }
  }
  return out;
}

/// Conditions that are reached with speed.
std::vector<Trigger> struck(const model::Model& model, const Variation& variation, const MotionPoint& before,
                            const motion::Piece& old, const std::vector<motion::Event>& all,
                            const std::vector<std::size_t>& events) {
  std::vector<Trigger> out;
  for (const std::size_t event : events) {
    if (all[event].kind != motion::EventKind::impact) continue;
    for (const std::uint32_t row : all[event].rows) {
      if (contains(old.rows, row) || !model::is_holonomic(model.row_kind[row])) continue;
      const Variation::Change change = variation.row(row, before);
      if (change.by_time > 0) {
        out.push_back({-change.by_parameter / change.by_time, "'" + model::row_name(model, row) + "'", row});
      }
    }
  }
  return out;
}

/// Switching functions that pass a threshold, and conditions between velocities that are reached.
std::vector<Trigger> switched(const model::Model& model, Variation& variation, const std::vector<Surface>& surfaces,
                              const SideOfInstant& earlier, const SideOfInstant& later, const LookingBack& back) {
  const std::vector<expressions::Side>& old_sides = earlier.sides;
  const std::vector<expressions::Side>& sides = later.sides;
  const MotionPoint& before = earlier.point;
  std::vector<Trigger> out;
  const model::Model& own = variation.parameter().model;
  const model::Model& slope = variation.parameter().slope;
  const auto look = [&](const model::Slotted& group, const model::Slotted& slopes, bool truth = false) {
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      if (group.corners[c].follows) continue;
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        const std::size_t number = group.first_switch + std::size_t{c} * group.lanes + lane;
        // What was slid on has no rate with which it would leave.
        if (old_sides[number] == sides[number] || (old_sides[number] % 2 != 0 && slides_on(surfaces, number))) continue;
        if (group.corners[c].directs()) {
          if (group.corners[c].kind == expressions::CornerKind::moves && sides[number] == 1) {
            out.push_back({time_of_rest_moves(variation, {group, slopes, c, lane}, back.approach, later.piece.start,
                                              back.largest_speed),
                           "'" + group.corners[c].text + "'"});
          }
          continue;
        }
        const Variation::Change change = variation.corner(group, slopes, c, lane, before);
        double threshold = 0;
        double moved = 0;
        if (group.corners[c].kind == expressions::CornerKind::pieces) {
          const auto knot = static_cast<std::size_t>(std::max(old_sides[number], sides[number]) / 2 - 1);
          if (knot < slopes.corners[c].pieces.knots.size()) {
            threshold = group.corners[c].pieces.knots[knot];
            moved = slopes.corners[c].pieces.knots[knot];
          }
        } else if (group.corners[c].kind == expressions::CornerKind::whole) {
          threshold = std::max(old_sides[number], sides[number]) / 2;
        }
        // Where a corner inside of it turns, it may be carried over its threshold: then that one's time counts.
        if (turns_inside(group, c, lane, old_sides, sides)) {
          const double now = variation.corner(group, slopes, c, lane, later.point).value;
          if (std::abs(change.value - threshold) > rate_zero * std::abs(now - change.value)) continue;
        }
        if (change.by_time != 0) {
          out.push_back({-(change.by_parameter - moved) / change.by_time, "'" + group.corners[c].text + "'"});
          out.back().switching = Switching{&group, &slopes, c, lane, number, moved, truth};
        }
      }
    }
  };
  if (own.switches > 0) {
    for (std::size_t g = 0; g < own.groups.size(); ++g) look(own.groups[g], slope.groups[g]);
    for (std::size_t g = 0; g < own.terms.size(); ++g) look(own.terms[g], slope.terms[g]);
    for (std::size_t g = 0; g < own.truths.size(); ++g) look(own.truths[g].term, slope.truths[g].term, true);
  }
  for (const std::uint32_t row : later.piece.rows) {
    if (row >= model.rows() || contains(earlier.piece.rows, row) || model::is_holonomic(model.row_kind[row])) continue;
    // What is seized now was not reached: its time is written down.
    const model::Condition& condition = model.conditions[model.row_condition[row]];
    const double time = before.state.time;
    if (condition.seizure && std::abs(condition.at - time) <= motion::resolution(time)) continue;
    const Variation::Change change = variation.row(row, before);
    if (change.by_time > 0) {
      out.push_back({-change.by_parameter / change.by_time, "'" + model::row_name(model, row) + "'", row});
    }
  }
  return out;
}

std::vector<Trigger> by_themselves(Variation& variation, std::vector<Trigger> triggers, const SideOfInstant& earlier,
                                   const SideOfInstant& later) {
  const model::Model& own = variation.parameter().model;
  double size = 0;
  for (const double x : earlier.point.state.position) size = std::max(size, std::abs(x));
  for (const double x : earlier.point.state.velocity) size = std::max(size, std::abs(x));
  std::vector<double> here;
  std::erase_if(triggers, [&](const Trigger& trigger) {
    if (!trigger.switching) return false;
    const Switching& one = *trigger.switching;
    const expressions::Corner& corner = one.group->corners[one.corner];
    const expressions::Side side = earlier.sides[one.number];
    if (side % 2 != 0) return true;
    const bool up = later.sides[one.number] > side;
    const double value = variation.corner(*one.group, *one.slopes, one.corner, one.lane, earlier.point).value;
    const double threshold = corner.has_threshold(side, up) ? corner.threshold(side, up) : 0;
    if (std::abs(value - threshold) > beside_held * (size + std::abs(threshold))) return true;
    if (one.truth) return false;
    // Nothing jumps: whenever it happens, the motion goes on as before.
    if (here.empty()) here = variation.accelerations(earlier.point.state, earlier.piece.rows);
    std::vector<expressions::Side> sides = earlier.sides;
    sides[one.number] = later.sides[one.number];
    model::State beside = earlier.point.state;
    beside.modes = model::modes_of(own, sides);
    const std::vector<double> there = variation.accelerations(beside, earlier.piece.rows);
    double jump = 0;
    double most = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
      jump = std::max(jump, std::abs(here[i] - there[i]));
      most = std::max({most, std::abs(here[i]), std::abs(there[i])});
    }
    return jump <= force_zero * most;
  });
  return triggers;
}

}  // namespace zwang::sensitivity
