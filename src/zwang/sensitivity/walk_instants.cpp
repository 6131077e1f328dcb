/// Instants of a run, with the derivatives by one parameter.
#include <iterator>
#include <limits>
#include <map>

#include "zwang/base/number.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/sensitivity/shocks.hpp"
#include "zwang/sensitivity/switched_start.hpp"
#include "zwang/sensitivity/walk.hpp"

namespace zwang::sensitivity {

void Walk::begin(const Piece& piece, const MotionPoint& here, const std::vector<expressions::Side>& sides) {
  if (lost()) return;
  const ParameterSlope& parameter = variation_.parameter();
  if (parameter.slope.simulation.start != 0) {
    lose("the time of the start depends on the parameter");
    return;
  }
  std::vector<std::uint32_t> equations;
  for (const std::uint32_t row : piece.rows) {
    if (model::is_equation(parameter.model.row_kind[row])) equations.push_back(row);
  }
  MotionPoint written = here;
  written.state.position = model_.initial_position;
  written.state.velocity = model_.initial_velocity;
  variation_.project(written, equations);
  touching_start(written, piece);
  if (lost()) return;
  variation_.project(written, piece.rows);
  const std::vector<std::size_t> events = events_until(piece.start);
  for (const std::size_t event : events) note_time(event, 0);
  jump(written, here, piece.rows, events, std::vector<double>(model_.variables, 0.0));
  if (lost()) return;
  for (const SwitchedStart& one : switched_starts(variation_, here, sides, largest(forces_))) {
    lose(one.below, !one.below,
         "the motion starts where '" + one.name + "' switches, and on the other side when the parameter moves one way");
  }
}

void Walk::touching_start(const MotionPoint& at, const Piece& piece) {
  model::Scratch scratch = model::make_scratch(model_);
  model::Rows rows = model::make_rows(model_);
  model::State state = at.state;
  state.modes.clear();
  model::evaluate_rows(model_, state, scratch, rows);
  std::vector<double> positions(model_.variables), velocities(model_.variables);
  for (std::size_t i = 0; i < model_.variables; ++i) {
    positions[i] = std::abs(variation_.position[i]);
    velocities[i] = std::abs(variation_.velocity[i]);
  }
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    if (model::is_equation(model_.row_kind[row])) continue;
    const bool holonomic = model::is_holonomic(model_.row_kind[row]);
    double slope = 0;
    if (holonomic && zero(rows.value[row], rows.value_scale[row])) {
      slope = variation_.row(row, at).by_parameter;
      if (std::abs(slope) <= rate_zero * variation_.bound(row, at.state, positions, velocities)) slope = 0;
    }
    const bool resting =
        (!holonomic || zero(rows.value[row], rows.value_scale[row])) && zero(rows.rate[row], rows.rate_scale[row]);
    // What is pressed comes back at once from a little speed, and loses it: that is the same as losing it at the start.
    if (slope == 0 && resting && !pressed(piece, row)) {
      slope = (holonomic ? variation_.rate(row, at) : variation_.row(row, at)).by_parameter;
      if (std::abs(slope) <= rate_zero * variation_.bound_of_rate(row, at.state, positions, velocities)) slope = 0;
    }
    if (slope == 0) continue;
    // What is held is followed where it is broken, what is not where it opens.
    const bool above = contains(piece.rows, row) == (slope > 0);
    lose(above, !above,
         "'" + model::row_name(model_, row) + "' touches at the start and opens when the parameter moves one way");
  }
}

bool Walk::pressed(const Piece& piece, std::uint32_t row) {
  const std::size_t m = piece.rows.size();
  if (piece.multiplier.size() < m) return false;
  const double most = largest(std::span<const double>(piece.multiplier).first(m));
  for (std::size_t j = 0; j < m; ++j) {
    if (piece.rows[j] == row) return piece.multiplier[j] > rate_zero * most;
  }
  return false;
}

std::vector<std::size_t> Walk::events_until(double time) {
  std::vector<std::size_t> out;
  for (; next_event_ < events_.size() && events_[next_event_].time <= time + motion::resolution(time); ++next_event_) {
    // A limit is none of what happens here: it lies behind what led to it.
    if (events_[next_event_].kind == EventKind::accumulation) {
      limit(next_event_);
    } else {
      out.push_back(next_event_);
    }
  }
  return out;
}

std::vector<std::size_t> Walk::at_this_instant(double time, bool no_side_changes) {
  std::vector<std::size_t> out = std::exchange(waiting_, {});
  for (const std::size_t event : events_until(time)) out.push_back(event);
  if (!no_side_changes || lost()) return out;
  const auto sticks = [&](std::size_t event) { return events_[event].kind == EventKind::stick; };
  std::copy_if(out.begin(), out.end(), std::back_inserter(waiting_), sticks);
  std::erase_if(out, sticks);
  return out;
}

void Walk::cross(const MotionPoint& before, const Piece& old, const std::vector<expressions::Side>& old_sides,
                 const MotionPoint& after, const Piece& piece, const std::vector<expressions::Side>& sides) {
  const std::vector<std::size_t> events = at_this_instant(piece.start, old_sides == sides);
  if (lost()) {
    for (const std::size_t event : events) out_.events[event].why = why_;
    return;
  }
  if (grazed(events, before)) return;
  // No side has changed: points on a spring pass through each other, and beside their line the force turns however near they pass.
  const bool meet = old_sides == sides && std::any_of(events.begin(), events.end(), [&](std::size_t event) {
                      return events_[event].kind == EventKind::switched;
                    });
  if (meet) {
    lose("points meet at t = " + readable(piece.start) +
         " where the force between them jumps: derivatives through such a place are not offered");
    for (const std::size_t event : events) out_.events[event].why = why_;
    return;
  }
  if (events.empty() && old.rows == piece.rows && old_sides == sides) return;  // the next step, no more
  // Of a flow the velocities are its rates, which may jump as accelerations do.
  const bool rates = jumps(before.state.velocity, after.state.velocity, speeds_, model_.flow ? force_zero : rate_zero);
  const bool shock = !model_.flow && (rates || has_impulses(events));
  std::vector<Trigger> triggers = given_times(model_, variation_, events_, events);
  if (shock) {
    for (Trigger& one : struck(model_, variation_, before, old, events_, events)) triggers.push_back(std::move(one));
  }
  // A condition that is held may bend, and strike by that. And forces may switch at the same instant for reasons of their own.
  if (triggers.empty() || old_sides != sides) {
    const SideOfInstant earlier{before, old, old_sides};
    const SideOfInstant later{after, piece, sides};
    std::vector<Trigger> turned =
        switched(model_, variation_, surfaces_, earlier, later, {approach_, largest(speeds_)});
    if (!triggers.empty()) turned = by_themselves(variation_, std::move(turned), earlier, later);
    for (Trigger& one : turned) triggers.push_back(std::move(one));
  }
  tell_what_is_let_go(triggers, events);
  if (triggers.empty() && !shock && !(model_.flow && rates) &&
      (model_.flow || !jumps(before.acceleration, after.acceleration, forces_, force_zero))) {
    smooth(events, before, old);
    for (const Surface& one : surfaces_) {
      if (old_sides[one.number] % 2 != 0 && sides[one.number] % 2 == 0) slipping_.push_back(one);
    }
    for (const std::size_t event : events) {
      if (events_[event].kind == EventKind::slip) slips_.push_back(event);
    }
    return;
  }
  if (triggers.empty()) {
    std::string what = "what happens";
    for (const std::size_t event : events) {
      if (events_[event].kind == EventKind::stick || events_[event].kind == EventKind::slip) {
        lose("the motion " + std::string(motion::words(events_[event].kind)) + "s at t = " + readable(piece.start) +
             ": derivatives along a surface on which forces switch are not offered");
      }
      if (!events_[event].rows.empty()) what = "'" + model::row_name(model_, events_[event].rows[0]) + "' closes";
    }
    lose(what + " at t = " + readable(piece.start) + " without speed: how its time moves is not determined");
    for (const std::size_t event : events) out_.events[event].why = why_;
    return;
  }
  for (const Trigger& trigger : triggers) {
    if (std::isfinite(trigger.slope)) continue;
    lose("how the time moves at which " + trigger.name + " comes to rest, t = " + readable(piece.start) +
         ", is not told by the motion before it");
    for (const std::size_t event : events) out_.events[event].why = why_;
    return;
  }
  std::vector<double> slopes;
  const std::string together = times_of(triggers, before, after, slopes);
  const AroundInstant around{old.rows, piece.rows, old_sides, sides};
  if (!together.empty() && !one_after_the_other(triggers, before, after, around, together)) {
    for (const std::size_t event : events) out_.events[event].why = why_;
    return;
  }
  for (const std::size_t event : events) {
    double slope = triggers.front().slope;
    const Trigger* first = nullptr;
    const Trigger* other = nullptr;
    for (const Trigger& trigger : triggers) {
      if (!is_of(events_[event], trigger)) continue;
      if (first == nullptr) first = &trigger;
      slope = trigger.slope;
      const double apart = std::abs(slope - first->slope);
      if (apart > one_time_slope * (std::abs(slope) + std::abs(first->slope))) other = &trigger;
    }
    if (other != nullptr) {
      // Things elsewhere that happen to happen at once: they part as soon as the parameter moves.
      out_.events[event].why = first->name + " and " + other->name +
                               " happen at once here; the time of the one moves by " + readable(first->slope) +
                               ", that of the other by " + readable(other->slope);
      continue;
    }
    if (first == nullptr && !together.empty()) {
      out_.events[event].why = together;
      continue;
    }
    note_time(event, slope);
  }
  // A speed that comes to rest may do so right behind another, and is seen from before both.
  if (!std::all_of(events.begin(), events.end(),
                   [&](std::size_t event) { return events_[event].kind == EventKind::stick; })) {
    approach_.forget();
  }
  if (together.empty()) jump(before, after, piece.rows, events, slopes);
}

void Walk::tell_what_is_let_go(std::vector<Trigger>& triggers, const std::vector<std::size_t>& events) const {
  std::vector<Trigger*> letting;
  for (Trigger& one : triggers) {
    if (!one.lets_go.empty() || (one.switching && one.switching->truth)) letting.push_back(&one);
  }
  std::vector<std::uint32_t> rows;
  std::size_t releases = 0;
  for (const std::size_t event : events) {
    if (events_[event].kind != EventKind::let_go) continue;
    ++releases;
    rows.insert(rows.end(), events_[event].rows.begin(), events_[event].rows.end());
  }
  for (Trigger* one : letting) {
    if (releases == 1 && letting.size() == 1) {
      one->lets_go = rows;
    } else {
      one->lets_go.clear();
    }
  }
}

bool Walk::is_of(const Event& event, const Trigger& trigger) {
  if (!trigger.lets_go.empty()) return event.kind == EventKind::let_go;
  if (!trigger.seizes.empty()) return event.kind == EventKind::seizure;
  if (trigger.blow) return event.kind == EventKind::blow;
  if (trigger.switching) return event.kind == EventKind::switched;
  return contains(event.rows, trigger.row);
}

bool Walk::one_after_the_other(const std::vector<Trigger>& triggers, const MotionPoint& before,
                               const MotionPoint& after, const AroundInstant& around, const std::string& together) {
  const bool all =
      std::all_of(triggers.begin(), triggers.end(), [&](const Trigger& one) { return has_a_turn(model_, one); });
  InTurn found;
  if (all && !model_.flow) found = in_turn(variation_, triggers, before, after, around);
  if (!found.one()) {
    // Two derivatives: this walk follows one of them.
    forked_ = forked_ || (before_ && after_ && found.below && found.above);
    const bool both = before_ && after_ && found.below && found.above;
    const bool below = found.below && before_ && (!both || prefers_below_);
    const bool above = found.above && after_ && (!both || !prefers_below_);
    lose(!below, !above,
         together + (found.below || found.above ? "" : ": which comes first decides where the motion goes"));
  }
  if (lost()) return false;
  Behind& side = after_ ? *found.above : *found.below;
  variation_.position = std::move(side.position);
  variation_.velocity = std::move(side.velocity);
  return true;
}

void Walk::remember(const MotionPoint& at) {
  places_.resize(model_.variables, 0.0);
  speeds_.resize(model_.variables, 0.0);
  forces_.resize(model_.variables, 0.0);
  for (std::size_t i = 0; i < model_.variables; ++i) {
    places_[i] = std::max(places_[i], std::abs(at.state.position[i]));
    speeds_[i] = std::max(speeds_[i], std::abs(at.state.velocity[i]));
    forces_[i] = std::max(forces_[i], std::abs(at.acceleration[i]));
  }
}

void Walk::remember_slopes() {
  position_slopes_.resize(model_.variables, 0.0);
  velocity_slopes_.resize(model_.variables, 0.0);
  for (std::size_t i = 0; i < model_.variables; ++i) {
    position_slopes_[i] = std::max(position_slopes_[i], std::abs(variation_.position[i]));
    velocity_slopes_[i] = std::max(velocity_slopes_[i], std::abs(variation_.velocity[i]));
  }
}

bool Walk::jumps(const std::vector<double>& before, const std::vector<double>& after, const std::vector<double>& sizes,
                 double part) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (jumps_at(i, before, after, sizes, part)) return true;
  }
  return false;
}

bool Walk::grazed(const std::vector<std::size_t>& events, const MotionPoint& at) {
  for (const std::size_t event : events) {
    if (events_[event].kind != EventKind::graze) continue;
    for (const std::uint32_t row : events_[event].rows) {
      const double slope = variation_.row(row, at).by_parameter;
      if (std::abs(slope) <= rate_zero * variation_.bound(row, at.state, position_slopes_, velocity_slopes_)) continue;
      lose(slope<0, slope> 0, "'" + model::row_name(model_, row) + "' is grazed at t = " + readable(at.state.time) +
                                  ": it is struck where the parameter moves one way");
    }
  }
  return lost();
}

void Walk::smooth(const std::vector<std::size_t>& events, const MotionPoint& before, const Piece& old) {
  std::vector<double> position, velocity, multiplier;
  if (final_stretch_.length > 0) {
    Variation::evaluate(final_stretch_, old.n, before.state.time, position, velocity, multiplier);
  }
  for (const std::size_t event : events) {
    for (const std::uint32_t row : events_[event].rows) {
      const auto at = std::find(old.rows.begin(), old.rows.end(), row);
      if (events_[event].kind != EventKind::release || at == old.rows.end() || multiplier.empty()) continue;
      const auto j = static_cast<std::size_t>(at - old.rows.begin());
      const double rate = multiplier_rate(old, j, before.state.time);
      if (rate != 0) note_time(event, -multiplier[j] / rate);
      break;
    }
  }
}

double Walk::multiplier_rate(const Piece& piece, std::size_t j, double time) {
  const double s = (time - piece.start) / piece.unit;
  const std::size_t m = piece.rows.size();
  double sum = 0;
  for (unsigned k = piece.multiplier_orders; k-- > 1;) sum = sum * s + k * piece.multiplier[k * m + j];
  return sum / piece.unit;
}

std::string Walk::times_of(const std::vector<Trigger>& triggers, const MotionPoint& before, const MotionPoint& after,
                           std::vector<double>& slopes) const {
  double most = 0;
  for (const Trigger& trigger : triggers) most = std::max(most, std::abs(trigger.slope));
  const Trigger* other = nullptr;
  for (const Trigger& trigger : triggers) {
    if (std::abs(trigger.slope - triggers.front().slope) > same_slope * most) other = &trigger;
  }
  slopes.assign(model_.variables, triggers.front().slope);
  if (other == nullptr) return {};
  // Nothing jumps: whenever it happens, the motion goes on as before.
  if (!jumps(before.acceleration, after.acceleration, forces_, force_zero) &&
      !jumps(before.state.velocity, after.state.velocity, speeds_, model_.flow ? force_zero : rate_zero)) {
    return {};
  }

  // Each moves what it strikes: the variables of its row, and those that jump with them.
  std::vector<int> owner(model_.variables, -1);
  const auto why = [&] {
    if (triggers.front().name == other->name)
      return "several parts of " + other->name + " happen at one instant, t = " + readable(before.state.time) +
             ", and act on one another";
    return triggers.front().name + " and " + other->name +
           " happen at one instant, t = " + readable(before.state.time) + ", and act on one another";
  };
  for (std::size_t k = 0; k < triggers.size(); ++k) {
    const std::uint32_t row = triggers[k].row;
    if (row == std::numeric_limits<std::uint32_t>::max()) return why();
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
      int& one = owner[model_.row_column[e]];
      if (one >= 0 && std::abs(triggers[static_cast<std::size_t>(one)].slope - triggers[k].slope) > same_slope * most)
        return why();
      one = static_cast<int>(k);
    }
  }
  for (std::size_t i = 0; i < owner.size(); ++i) {
    slopes[i] = owner[i] < 0 ? 0.0 : triggers[static_cast<std::size_t>(owner[i])].slope;
    if (owner[i] < 0 && (jumps_at(i, before.acceleration, after.acceleration, forces_, force_zero) ||
                         jumps_at(i, before.state.velocity, after.state.velocity, speeds_))) {
      return why();
    }
  }
  return {};
}

void Walk::jump(MotionPoint before, const MotionPoint& after, const std::vector<std::uint32_t>& rows,
                const std::vector<std::size_t>& events, const std::vector<double>& slopes) {
  std::vector<double> blow, blow_slope;
  for (const std::size_t number : events) {
    if (events_[number].kind != EventKind::blow) continue;
    add_blows(model_, variation_, events_[number].time, before, slopes, blow, blow_slope);
    break;
  }
  if (model_.flow ||
      (blow.empty() && !has_impulses(events) && !jumps(before.state.velocity, after.state.velocity, speeds_))) {
    variation_.pass(before, after, slopes, {});
    if (!rows.empty()) variation_.project(after, rows);
    return;
  }
  // What has bent strikes with its new side.
  before.state.modes = after.state.modes;
  std::map<std::uint32_t, bool> acting;  // row: thrown back?
  for (const std::uint32_t row : rows) {
    if (row < model_.rows()) acting[row] = false;  // friction strikes nothing
  }
  for (const std::size_t number : events) {
    for (const auto& [row, impulse] : events_[number].impulses) {
      if (acting.count(row) > 0 || impulse == 0) continue;
      const double rate_before = variation_.rate_of(row, before.state);
      const double rate_after = variation_.rate_of(row, after.state);
      const double size = std::abs(rate_before) + std::abs(rate_after);
      acting[row] = std::abs(rate_after) > rate_zero * size;
    }
  }
  std::vector<ShockRow> shock_rows;
  bool thrown = false;
  for (const auto& [row, back] : acting) {
    shock_rows.push_back({row, back});
    thrown = thrown || back;
  }
  const Variation::Shock shock{shock_rows, blow, blow_slope};
  if (agree(variation_.velocities_after(before.state, shock), before, after) && !(thrown && !blow.empty())) {
    variation_.pass(before, after, slopes, shock);
  } else if (!rebound(variation_, before, after, shock, slopes)) {
    lose("at t = " + readable(before.state.time) + " several shocks follow one another within one instant");
    return;
  }
  if (!rows.empty()) variation_.project(after, rows);
}

void Walk::inside(std::size_t number, const Piece& piece, const Stretch& stretch, const std::vector<double>& modes) {
  const Event& event = events_[number];
  if (lost()) {
    out_.events[number].why = why_;
    return;
  }
  if (event.kind == EventKind::accumulation) {
    limit(number);
    return;
  }
  const std::vector<double> kept_position = variation_.position;
  const std::vector<double> kept_velocity = variation_.velocity;
  std::vector<double> multiplier;
  if (stretch.length > 0)
    Variation::evaluate(stretch, piece.n, event.time, variation_.position, variation_.velocity, multiplier);
  grazed({number}, point_on(piece, event.time, modes));
  variation_.position = kept_position;
  variation_.velocity = kept_velocity;
  out_.events[number].why = why_;
}

}  // namespace zwang::sensitivity
