/// A run, its pieces and instants one after the other, with the derivatives by one parameter.
#include "zwang/sensitivity/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "zwang/base/number.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/half_turns.hpp"
#include "zwang/motion/let_go.hpp"
#include "zwang/sensitivity/tolerances.hpp"
#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

namespace {

using motion::Event;
using motion::EventKind;
using motion::Piece;

/// Position, velocity and acceleration on a piece, with the modes given.
MotionPoint point_on(const Piece& piece, double time, std::span<const double> modes) {
  MotionPoint out;
  motion::evaluate(piece, time, out.state);
  out.state.time = time;
  out.state.modes.assign(modes.begin(), modes.end());
  const double s = (std::clamp(time, piece.start, piece.end()) - piece.start) / piece.unit;
  out.acceleration.assign(piece.n, 0.0);
  for (unsigned k = piece.orders; k-- > 2;) {
    for (std::size_t i = 0; i < piece.n; ++i) {
      out.acceleration[i] = out.acceleration[i] * s + k * (k - 1.0) * piece.position[k * piece.n + i];
    }
  }
  for (double& a : out.acceleration) a /= piece.unit * piece.unit;
  return out;
}

double largest(std::span<const double> x) {
  double most = 0;
  for (const double one : x) most = std::max(most, std::abs(one));
  return most;
}

bool contains(const std::vector<std::uint32_t>& rows, std::uint32_t row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

/// One parameter along a run.
class Walk {
 public:
  Walk(const model::Model& model, const motion::RunView& run, const ParameterSlope& parameter,
       const std::vector<double>& times)
      : model_(model), run_(run), variation_(parameter) {
    out_.name = parameter.name;
    for (std::size_t k = 0; k < times.size(); ++k) order_.push_back(k);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    times_ = &times;
    found_.resize(times.size());
  }

  ParameterSensitivity take(const std::function<bool()>& go_on) {
    refuse_beforehand();
    run_.each_event(0, [&](const Event& event) {
      events_.push_back(event);
      return true;
    });
    gone_ = motion::springs_gone(model_, events_);
    out_.events.resize(events_.size());
    bool interrupted = false;
    run_.each_piece(0, [&](const Piece& piece) {
      add(piece);
      interrupted = go_on && !go_on();
      return !interrupted;
    });
    if (interrupted) return {};
    finish();
    for (std::optional<Slope>& one : found_) {
      if (one) out_.samples.push_back(std::move(*one));
    }
    return std::move(out_);
  }

 private:
  // ---------------------------------------------------------------------------------------------- what is known

  /// From here on there is no derivative on this side.
  void lose(bool before, bool after, const std::string& why) {
    before_ = before_ && !before;
    after_ = after_ && !after;
    if (why_.empty()) why_ = why;
  }
  void lose(const std::string& why) { lose(true, true, why); }
  [[nodiscard]] bool lost() const { return !before_ && !after_; }

  void refuse_beforehand() {
    if (!model_.free_functions.empty()) lose("derivatives of a flow whose functions keep their rates are not offered");
    if (model::is_variational(model_)) lose("derivatives under the variational law are not offered");
    const double moved = run_.account->position_correction;
    if (moved > moved_start * largest(model_.initial_position)) {
      lose("the start had to be brought onto its conditions: `zwang check --repair` writes one that is on them");
    }
  }

  [[nodiscard]] Slope slope_of(StateSlope state) const {
    Slope out;
    out.why = why_;
    if (before_) out.before = state;
    if (after_) out.after = std::move(state);
    return out;
  }
  void note_time(std::size_t event, double slope) {
    EventSlope& out = out_.events[event];
    if (before_) out.before = slope;
    if (after_) out.after = slope;
    out.why = why_;
  }

  // ---------------------------------------------------------------------------------------------- pieces

  [[nodiscard]] std::vector<double> modes_on(const Piece& piece, std::vector<expressions::Side>& sides) const {
    const model::Model& own = variation_.parameter().model;
    sides.clear();
    if (own.switches == 0) return {};
    MotionPoint middle = point_on(piece, piece.start + piece.length / 2, {});
    // Angles go on from the half turn they were on.
    sides = last_sides_.empty()
                ? model::sides_of(own, middle.state)
                : model::sides_after(own, middle.state, last_sides_, point_on(piece, piece.start, {}).state);
    motion::let_springs_go(own, gone_, piece.start, sides);
    return model::modes_of(own, sides);
  }

  void add(const Piece& piece) {
    std::vector<expressions::Side> sides;
    std::vector<double> modes = modes_on(piece, sides);
    const MotionPoint here = point_on(piece, piece.start, modes);
    remember(here);
    remember(point_on(piece, piece.start + piece.length / 2, modes));
    remember(point_on(piece, piece.end(), modes));
    if (!begun_) {
      begun_ = true;
      begin(piece, here);
    } else {
      MotionPoint before = last_point_;
      cross(before, last_, last_sides_, here, piece, sides);
    }
    if (piece.has_pole() && !lost()) lose("the motion passes a singular position: its multipliers have no bound there");
    if (!lost()) slides(piece, modes);

    // The events inside, the samples, then the end.
    double now = piece.start;
    const double end = piece.end();
    const bool last_piece = ++pieces_ == run_.pieces;
    const double reach = last_piece ? std::numeric_limits<double>::infinity() : end - motion::resolution(end);
    Variation::Stretch stretch;
    bool fresh = false;
    while (true) {
      if (!lost()) remember_slopes();
      if (!lost() && now < end && !fresh) {
        const std::vector<double> position = variation_.position;
        const std::vector<double> velocity = variation_.velocity;
        stretch = variation_.follow(piece, now, end, modes);
        fresh = true;
        if (!variation_.finite()) {
          // At the start of a piece a root may begin at zero, as that of v^2 from rest: right behind it there is a series again.
          variation_.position = position;
          variation_.velocity = velocity;
          const double behind = now + root_offset * piece.length;
          if (now == piece.start && behind > now && behind < end) {
            for (std::size_t i = 0; i < position.size(); ++i) variation_.position[i] += (behind - now) * velocity[i];
            now = behind;
            fresh = false;
            continue;
          }
          lose("a function of the model has no derivative at t = " + readable(now));
        }
      }
      const double until = lost() || now >= end ? end : stretch.start + stretch.length;
      const bool at_end = !(until < end);
      while (next_ < order_.size() && (*times_)[order_[next_]] < (at_end ? reach : until)) {
        const double time = (*times_)[order_[next_]];
        if (time > end + motion::resolution(end)) break;
        if (time >= piece.start - motion::resolution(piece.start)) {
          found_[order_[next_]] = sample(piece, stretch, modes, std::clamp(time, piece.start, end));
        }
        ++next_;
      }
      while (next_event_ < events_.size() &&
             events_[next_event_].time < (at_end ? end - motion::resolution(end) : until)) {
        inside(next_event_++, piece, stretch, modes);
      }
      now = until;
      fresh = false;
      if (at_end) break;
    }
    final_stretch_ = stretch;
    last_ = piece;
    last_sides_ = std::move(sides);
    last_modes_ = modes;
    last_point_ = point_on(piece, end, modes);
  }

  /// Derivatives at a time on the stretch just found.
  [[nodiscard]] Slope sample(const Piece& piece, const Variation::Stretch& stretch, const std::vector<double>& modes,
                             double time) {
    if (lost()) return slope_of({});
    StateSlope out;
    std::vector<double> multiplier;
    const std::vector<double> kept_position = variation_.position;
    const std::vector<double> kept_velocity = variation_.velocity;
    if (stretch.length > 0) {
      Variation::evaluate(stretch, piece.n, time, variation_.position, variation_.velocity, multiplier);
    }
    fill(point_on(piece, time, modes), piece, stretch, multiplier, out);
    variation_.position = kept_position;
    variation_.velocity = kept_velocity;
    return slope_of(std::move(out));
  }

  void fill(const MotionPoint& at, const Piece& piece, const Variation::Stretch& stretch,
            const std::vector<double>& multiplier, StateSlope& out) const {
    out.position = variation_.position;
    out.velocity = variation_.velocity;
    out.multipliers_known = piece.rows.empty() || !stretch.multiplier.empty();
    for (std::size_t j = 0; j < piece.rows.size() && j < multiplier.size(); ++j) {
      out.multipliers.emplace_back(piece.rows[j], multiplier[j]);
    }
    const ParameterSlope& parameter = variation_.parameter();
    for (std::size_t k = 0; k < parameter.model.outputs.size(); ++k) {
      out.outputs.push_back(
          variation_.observable(parameter.model.outputs[k], parameter.slope.outputs[k], at).by_parameter);
    }
  }

  /// On a surface between two sides of a force the motion is neither's.
  void slides(const Piece& piece, const std::vector<double>& modes) {
    const model::Model& own = variation_.parameter().model;
    if (own.switches == 0) return;
    const MotionPoint middle = point_on(piece, piece.start + piece.length / 2, modes);
    for (const model::TermGroup& group : own.terms) {
      if (group.corners.empty()) continue;
      std::vector<double> g;
      std::vector<double> own_modes(group.modes);
      for (std::size_t lane = 0; lane < group.lanes; ++lane) {
        for (std::size_t k = 0; k < own_modes.size(); ++k) {
          own_modes[k] = modes[group.first_mode + k * group.lanes + lane];
        }
        model::evaluate_switching(group, lane, middle.state, own_modes, g);
        double size = 0;
        for (std::size_t slot = 0; slot < group.positions; ++slot) {
          size = std::max(size, std::abs(middle.state.position[group.position_of[slot * group.lanes + lane]]));
        }
        for (std::size_t slot = 0; slot < group.velocities; ++slot) {
          size = std::max(size, std::abs(middle.state.velocity[group.velocity_of[slot * group.lanes + lane]]));
        }
        for (std::size_t c = 0; c < group.corners.size(); ++c) {
          if (group.corners[c].quiet || group.corners[c].inside ||
              group.corners[c].kind == expressions::CornerKind::pieces)
            continue;
          if (std::abs(g[c]) <= on_surface * size) {
            lose("the motion stays on the surface where '" + group.corners[c].text +
                 "' switches: derivatives along it are not offered");
            return;
          }
        }
      }
    }
  }

  // ---------------------------------------------------------------------------------------------- instants

  /// The start: what is written, brought onto the conditions as `run` does it.
  void begin(const Piece& piece, const MotionPoint& here) {
    if (lost()) return;
    const ParameterSlope& parameter = variation_.parameter();
    if (parameter.slope.simulation.start != 0) {
      lose("the time of the start depends on the parameter");
      return;
    }
    std::vector<std::uint32_t> equations;
    for (const std::uint32_t row : piece.rows) {
      if (model::is_equation(model_.row_kind[row])) equations.push_back(row);
    }
    MotionPoint written = here;
    written.state.position = model_.initial_position;
    written.state.velocity = model_.initial_velocity;
    variation_.project(written, equations);
    touching_start(written, piece);
    if (lost()) return;
    variation_.project(written, piece.rows);
    jump(written, here, piece.rows, events_until(piece.start), std::vector<double>(model_.variables, 0.0));
  }

  /// Inequalities that touch at the start: if the parameter opens them on one side, the motion there is another one than on the other,
  /// where the start is broken and is brought back.
  void touching_start(const MotionPoint& at, const Piece& piece) {
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
  static bool pressed(const Piece& piece, std::uint32_t row) {
    const std::size_t m = piece.rows.size();
    if (piece.multiplier.size() < m) return false;
    const double most = largest(std::span<const double>(piece.multiplier).first(m));
    for (std::size_t j = 0; j < m; ++j) {
      if (piece.rows[j] == row) return piece.multiplier[j] > rate_zero * most;
    }
    return false;
  }
  [[nodiscard]] bool zero(double value, double scale) const {
    return std::abs(value) <= model_.simulation.touch * scale;
  }

  /// Events up to this instant that were not looked at: their numbers.
  std::vector<std::size_t> events_until(double time) {
    std::vector<std::size_t> out;
    for (; next_event_ < events_.size() && events_[next_event_].time <= time + motion::resolution(time);
         ++next_event_) {
      // A limit is none of what happens here: it lies behind what led to it.
      if (events_[next_event_].kind == EventKind::accumulation) {
        limit(next_event_);
      } else {
        out.push_back(next_event_);
      }
    }
    return out;
  }

  /// A trigger of an instant and how its time moves.
  struct Trigger {
    double slope = 0;
    std::string name;
    std::uint32_t row = std::numeric_limits<std::uint32_t>::max();
  };

  void cross(const MotionPoint& before, const Piece& old, const std::vector<expressions::Side>& old_sides,
             const MotionPoint& after, const Piece& piece, const std::vector<expressions::Side>& sides) {
    const std::vector<std::size_t> events = events_until(piece.start);
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
    const bool rates =
        jumps(before.state.velocity, after.state.velocity, speeds_, model_.flow ? force_zero : rate_zero);
    const bool shock = !model_.flow && (rates || has_impulses(events));
    std::vector<Trigger> triggers = given_times(events);
    if (triggers.empty())
      triggers = shock ? struck(before, old, events) : switched(before, old, old_sides, piece, sides);
    if (triggers.empty() && !shock && !(model_.flow && rates) &&
        (model_.flow || !jumps(before.acceleration, after.acceleration, forces_, force_zero))) {
      smooth(events, before, old);
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
    std::vector<double> slopes;
    if (!times_of(triggers, before, after, slopes)) {
      for (const std::size_t event : events) out_.events[event].why = why_;
      return;
    }
    for (const std::size_t event : events) {
      double slope = triggers.front().slope;
      const Trigger* first = nullptr;
      const Trigger* other = nullptr;
      for (const Trigger& trigger : triggers) {
        if (!contains(events_[event].rows, trigger.row)) continue;
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
      note_time(event, slope);
    }
    jump(before, after, piece.rows, events, slopes);
  }

  /// Largest values so far, by which a jump is told from rounding.
  void remember(const MotionPoint& at) {
    places_.resize(model_.variables, 0.0);
    speeds_.resize(model_.variables, 0.0);
    forces_.resize(model_.variables, 0.0);
    for (std::size_t i = 0; i < model_.variables; ++i) {
      places_[i] = std::max(places_[i], std::abs(at.state.position[i]));
      speeds_[i] = std::max(speeds_[i], std::abs(at.state.velocity[i]));
      forces_[i] = std::max(forces_[i], std::abs(at.acceleration[i]));
    }
  }
  void remember_slopes() {
    position_slopes_.resize(model_.variables, 0.0);
    velocity_slopes_.resize(model_.variables, 0.0);
    for (std::size_t i = 0; i < model_.variables; ++i) {
      position_slopes_[i] = std::max(position_slopes_[i], std::abs(variation_.position[i]));
      velocity_slopes_[i] = std::max(velocity_slopes_[i], std::abs(variation_.velocity[i]));
    }
  }
  static bool jumps_at(std::size_t i, const std::vector<double>& before, const std::vector<double>& after,
                       const std::vector<double>& sizes, double part = rate_zero) {
    const double jump = std::abs(after[i] - before[i]);
    return jump > part * sizes[i] && jump > others_rounding * largest(sizes);
  }
  static bool jumps(const std::vector<double>& before, const std::vector<double>& after,
                    const std::vector<double>& sizes, double part = rate_zero) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (jumps_at(i, before, after, sizes, part)) return true;
    }
    return false;
  }
  [[nodiscard]] bool has_impulses(const std::vector<std::size_t>& events) const {
    return std::any_of(events.begin(), events.end(),
                       [&](std::size_t event) { return !events_[event].impulses.empty(); });
  }

  /// Something is touched without effect: on one side of the parameter's value it is not reached, on the other it is struck.
  bool grazed(const std::vector<std::size_t>& events, const MotionPoint& at) {
    for (const std::size_t event : events) {
      if (events_[event].kind != EventKind::graze) continue;
      for (const std::uint32_t row : events_[event].rows) {
        const double slope = variation_.row(row, at).by_parameter;
        if (std::abs(slope) <= rate_zero * variation_.bound(row, at.state, position_slopes_, velocity_slopes_))
          continue;
        lose(slope<0, slope> 0, "'" + model::row_name(model_, row) + "' is grazed at t = " + readable(at.state.time) +
                                    ": it is struck where the parameter moves one way");
      }
    }
    return lost();
  }

  /// Blows, seizures and releases at times that are written down.
  std::vector<Trigger> given_times(const std::vector<std::size_t>& events) const {
    std::vector<Trigger> out;
    const model::Model& slope = variation_.parameter().slope;
    for (const std::size_t number : events) {
      const Event& event = events_[number];
      const auto near = [&](double at) { return std::abs(at - event.time) <= motion::resolution(event.time); };
      if (event.kind == EventKind::blow) {
        for (std::size_t k = 0; k < model_.blows.size(); ++k) {
          if (near(model_.blows[k].at)) out.push_back({slope.blows[k].at, "the blow on " + model_.blows[k].on});
        }
      } else if (event.kind == EventKind::seizure) {
        for (std::size_t k = 0; k < model_.conditions.size(); ++k) {
          if (model_.conditions[k].seizure && near(model_.conditions[k].at)) {
            out.push_back({slope.conditions[k].at, "the seizure " + model_.conditions[k].name});
          }
        }
      } else if (event.kind == EventKind::let_go) {
        for (std::size_t k = 0; k < model_.releases.size(); ++k) {
          if (model_.releases[k].when.empty() && near(model_.releases[k].at)) {
            out.push_back({slope.releases[k].at, "the release of " + model_.releases[k].name});
          }
        }
      }
    }
    return out;
  }

  /// Conditions that are reached with speed.
  std::vector<Trigger> struck(const MotionPoint& before, const Piece& old, const std::vector<std::size_t>& events) {
    std::vector<Trigger> out;
    for (const std::size_t event : events) {
      if (events_[event].kind != EventKind::impact) continue;
      for (const std::uint32_t row : events_[event].rows) {
        if (contains(old.rows, row) || !model::is_holonomic(model_.row_kind[row])) continue;
        const Variation::Change change = variation_.row(row, before);
        if (change.by_time > 0) {
          out.push_back({-change.by_parameter / change.by_time, "'" + model::row_name(model_, row) + "'", row});
        }
      }
    }
    return out;
  }

  /// Switching functions that pass a threshold, and conditions between velocities that are reached.
  std::vector<Trigger> switched(const MotionPoint& before, const Piece& old,
                                const std::vector<expressions::Side>& old_sides, const Piece& piece,
                                const std::vector<expressions::Side>& sides) {
    std::vector<Trigger> out;
    const model::Model& own = variation_.parameter().model;
    const model::Model& slope = variation_.parameter().slope;
    const auto look = [&](const model::Slotted& group, const model::Slotted& slopes) {
      for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
        if (group.corners[c].follows) continue;
        for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
          const std::size_t number = group.first_switch + std::size_t{c} * group.lanes + lane;
          if (old_sides[number] == sides[number]) continue;
          const Variation::Change change = variation_.corner(group, slopes, c, lane, before);
          double threshold = 0;
          if (group.corners[c].kind == expressions::CornerKind::pieces) {
            const auto knot = static_cast<std::size_t>(std::max(old_sides[number], sides[number]) / 2 - 1);
            if (knot < slopes.corners[c].pieces.knots.size()) threshold = slopes.corners[c].pieces.knots[knot];
          }
          if (change.by_time != 0) {
            out.push_back({-(change.by_parameter - threshold) / change.by_time, "'" + group.corners[c].text + "'"});
          }
        }
      }
    };
    if (own.switches > 0) {
      for (std::size_t g = 0; g < own.groups.size(); ++g) look(own.groups[g], slope.groups[g]);
      for (std::size_t g = 0; g < own.terms.size(); ++g) look(own.terms[g], slope.terms[g]);
      for (std::size_t g = 0; g < own.truths.size(); ++g) look(own.truths[g].term, slope.truths[g].term);
    }
    for (const std::uint32_t row : piece.rows) {
      if (contains(old.rows, row) || model::is_holonomic(model_.row_kind[row])) continue;
      const Variation::Change change = variation_.row(row, before);
      if (change.by_time > 0) {
        out.push_back({-change.by_parameter / change.by_time, "'" + model::row_name(model_, row) + "'", row});
      }
    }
    return out;
  }

  /// Nothing jumps: releases, marginal contacts. Of a release the time follows from the multiplier.
  void smooth(const std::vector<std::size_t>& events, const MotionPoint& before, const Piece& old) {
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

  static double multiplier_rate(const Piece& piece, std::size_t j, double time) {
    const double s = (time - piece.start) / piece.unit;
    const std::size_t m = piece.rows.size();
    double sum = 0;
    for (unsigned k = piece.multiplier_orders; k-- > 1;) sum = sum * s + k * piece.multiplier[k * m + j];
    return sum / piece.unit;
  }

  /// How the time of the instant moves, per variable: one slope for all triggers, or one for each of several that do not act on one another.
  bool times_of(const std::vector<Trigger>& triggers, const MotionPoint& before, const MotionPoint& after,
                std::vector<double>& slopes) {
    double most = 0;
    for (const Trigger& trigger : triggers) most = std::max(most, std::abs(trigger.slope));
    const Trigger* other = nullptr;
    for (const Trigger& trigger : triggers) {
      if (std::abs(trigger.slope - triggers.front().slope) > same_slope * most) other = &trigger;
    }
    slopes.assign(model_.variables, triggers.front().slope);
    if (other == nullptr) return true;

    // Each moves what it strikes: the variables of its row, and those that jump with them.
    std::vector<int> owner(model_.variables, -1);
    const auto why = [&] {
      lose(triggers.front().name + " and " + other->name +
           " happen at one instant, t = " + readable(before.state.time) + ", and act on one another");
      return false;
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
    return true;
  }

  /// Through the instant, by the rule that the velocities show.
  void jump(const MotionPoint& before, const MotionPoint& after, const std::vector<std::uint32_t>& rows,
            const std::vector<std::size_t>& events, const std::vector<double>& slopes) {
    const std::size_t n = model_.variables;
    std::vector<double> blow, blow_slope;
    for (const std::size_t number : events) {
      if (events_[number].kind != EventKind::blow) continue;
      if (!add_blows(events_[number].time, before, blow, blow_slope)) return;
      break;
    }
    if (model_.flow ||
        (blow.empty() && !has_impulses(events) && !jumps(before.state.velocity, after.state.velocity, speeds_))) {
      variation_.pass(before, after, slopes, {});
      if (!rows.empty()) variation_.project(after, rows);
      return;
    }
    std::map<std::uint32_t, bool> acting;  // row: thrown back?
    for (const std::uint32_t row : rows) acting[row] = false;
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
    const std::vector<double> expected = variation_.velocities_after(before.state, shock);
    double off = 0;
    const double speed = std::max(largest(before.state.velocity), largest(after.state.velocity));
    for (std::size_t i = 0; i < n; ++i) off = std::max(off, std::abs(expected[i] - after.state.velocity[i]));
    if (off > same_velocity * speed || (thrown && !blow.empty())) {
      lose("at t = " + readable(before.state.time) + " several shocks follow one another within one instant");
      return;
    }
    variation_.pass(before, after, slopes, shock);
    if (!rows.empty()) variation_.project(after, rows);
  }

  /// All blows of a time, over the variables. Those that turn a body depend on where it is: not followed.
  bool add_blows(double time, const MotionPoint& at, std::vector<double>& blow, std::vector<double>& slope) {
    blow.assign(model_.variables, 0.0);
    slope.assign(model_.variables, 0.0);
    for (std::size_t k = 0; k < model_.blows.size(); ++k) {
      const model::Blow& one = model_.blows[k];
      if (std::abs(one.at - time) > motion::resolution(time)) continue;
      if (one.sort != model::Blow::Sort::plain) {
        lose("a blow that turns a body: derivatives through it are not offered");
        return false;
      }
      for (std::size_t j = 0; j < one.variables.size(); ++j) {
        blow[one.variables[j]] += one.impulse[j];
        slope[one.variables[j]] += variation_.parameter().slope.blows[k].impulse[j];
      }
    }
    (void)at;
    return true;
  }

  /// An event in the middle of a piece: a graze, the limit of a sequence of shocks.
  void inside(std::size_t number, const Piece& piece, const Variation::Stretch& stretch,
              const std::vector<double>& modes) {
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

  /// The limit of a sequence of shocks whose flights shorten geometrically: Delta = T r / (1 - r) behind the last of them, r = T / T'.
  void limit(std::size_t number) {
    out_.events[number].why = why_;
    if (lost()) return;
    std::vector<std::size_t> impacts;
    for (std::size_t k = number; k-- > 0 && impacts.size() < most_periods;) {
      const Event& event = events_[k];
      if (event.kind != EventKind::impact) continue;
      const bool of_it = std::any_of(event.rows.begin(), event.rows.end(),
                                     [&](std::uint32_t row) { return contains(events_[number].rows, row); });
      if (of_it) impacts.push_back(k);
    }
    for (std::size_t period = 1; 2 * period < impacts.size() && period <= longest_period; ++period) {
      const auto time = [&](std::size_t k) { return events_[impacts[k]].time; };
      const auto flight = [&](std::size_t k) { return time(k) - time(k + period); };
      const auto repeats = [&](std::size_t k) { return events_[impacts[k]].rows == events_[impacts[k + period]].rows; };
      bool same = true;
      for (std::size_t k = 0; k <= period; ++k) same = same && repeats(k);
      if (!same) continue;
      // The last shocks are faint, and the slopes of their times are mostly rounding: what stands some way before them tells better.
      std::size_t begins = period;
      while (begins + 2 * period < impacts.size() && repeats(begins)) ++begins;
      std::size_t from = 0;
      while (from + 1 < begins && flight(from) < short_flight * flight(begins)) ++from;
      const auto slope = [&](std::size_t k) {
        const EventSlope& one = out_.events[impacts[k]];
        return one.after ? one.after : one.before;
      };
      if (!slope(from) || !slope(from + period) || !slope(from + 2 * period)) return;
      const double last = flight(from);
      const double gap = flight(from + period) - last;
      const double last_slope = *slope(from) - *slope(from + period);
      const double earlier_slope = *slope(from + period) - *slope(from + 2 * period);
      if (!(gap > 0)) return;
      // t + Delta, Delta = last^2 / (earlier - last)
      note_time(number,
                *slope(from) + 2 * last * last_slope / gap - last * last * (earlier_slope - last_slope) / (gap * gap));
      return;
    }
  }

  // ---------------------------------------------------------------------------------------------- the end

  void finish() {
    if (!begun_) {
      lose("the motion ended where it began");
      out_.final = slope_of({});
      return;
    }
    StateSlope state;
    if (!lost()) happens_at_end();
    if (!lost()) {
      // The end may move: by `until`, or by what stops the motion.
      const std::optional<double> moves = end_slope();
      std::vector<double> position, velocity, multiplier;
      if (final_stretch_.length > 0) {
        Variation::evaluate(final_stretch_, last_.n, last_point_.state.time, position, velocity, multiplier);
      }
      if (moves && *moves != 0) {
        for (std::size_t i = 0; i < model_.variables; ++i) {
          variation_.position[i] += last_point_.state.velocity[i] * *moves;
          variation_.velocity[i] += last_point_.acceleration[i] * *moves;
        }
        for (std::size_t j = 0; j < multiplier.size(); ++j) {
          multiplier[j] += multiplier_rate(last_, j, last_point_.state.time) * *moves;
        }
      }
      if (!lost()) {
        fill(last_point_, last_, final_stretch_, multiplier, state);
        if (moves && *moves != 0) {
          // What an output owes to the time itself is in its rate.
          const ParameterSlope& parameter = variation_.parameter();
          add_time_of_outputs(parameter, *moves, state);
        }
        if (run_.account->status == motion::Status::stopped || (moves && *moves != 0)) state.time = moves;
      }
    }
    for (; next_event_ < events_.size(); ++next_event_) {
      out_.events[next_event_].why = why_;
      if (events_[next_event_].kind == EventKind::accumulation) limit(next_event_);
    }
    out_.final = slope_of(std::move(state));
  }

  /// What happens at the very end happens before or behind it when the parameter moves.
  void happens_at_end() {
    if (run_.account->status != motion::Status::finished) return;
    for (std::size_t number = next_event_; number < events_.size(); ++number) {
      const Event& event = events_[number];
      if (event.kind == EventKind::accumulation || event.kind == EventKind::graze || event.kind == EventKind::release)
        continue;
      std::string what(motion::words(event.kind));
      if (!event.rows.empty()) what += " of '" + model::row_name(model_, event.rows[0]) + "'";
      lose("the " + what + " at t = " + readable(event.time) + " lies at the very end of the run");
    }
    if (lost()) return;

    // And what would happen in the next moment.
    model::Scratch scratch = model::make_scratch(model_);
    model::Rows rows = model::make_rows(model_);
    model::State state = last_point_.state;
    state.modes.clear();
    model::evaluate_rows(model_, state, scratch, rows);
    for (std::uint32_t row = 0; row < model_.rows(); ++row) {
      if (model::is_equation(model_.row_kind[row]) || contains(last_.rows, row)) continue;
      const bool holonomic = model::is_holonomic(model_.row_kind[row]);
      const double value = holonomic ? rows.value[row] : rows.rate[row];
      // What has come to zero is known to the rounding of where it came from.
      double way = 0;
      for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
        way += std::abs(rows.entry[e]) * (holonomic ? places_ : speeds_)[model_.row_column[e]];
      }
      if (!zero(value, holonomic ? rows.value_scale[row] : rows.rate_scale[row]) &&
          !(std::abs(value) <= rounding_of_way * way)) {
        continue;
      }
      const Variation::Change change = variation_.row(row, last_point_);
      const double bound = variation_.bound(row, last_point_.state, position_slopes_, velocity_slopes_);
      if (!(change.by_time > 0) || std::abs(change.by_parameter) <= rate_zero * bound) continue;
      // Where it would be reached before the end, the motion is another one.
      lose(change.by_parameter<0, change.by_parameter> 0,
           "'" + model::row_name(model_, row) + "' is reached at the very end of the run");
    }
  }

  /// Outputs at an end that moves: their derivative at a fixed time and their rate along the motion.
  void add_time_of_outputs(const ParameterSlope& parameter, double moves, StateSlope& state) {
    for (std::size_t i = 0; i < model_.variables; ++i) {
      variation_.position[i] -= last_point_.state.velocity[i] * moves;
      variation_.velocity[i] -= last_point_.acceleration[i] * moves;
    }
    for (std::size_t k = 0; k < state.outputs.size(); ++k) {
      const Variation::Change change =
          variation_.observable(parameter.model.outputs[k], parameter.slope.outputs[k], last_point_);
      state.outputs[k] = change.by_parameter + change.by_time * moves;
    }
  }

  std::optional<double> end_slope() {
    const ParameterSlope& parameter = variation_.parameter();
    if (run_.account->status == motion::Status::finished) return parameter.slope.simulation.until;
    if (run_.account->status != motion::Status::stopped) return std::nullopt;
    if (!model_.simulation.stop.empty()) {
      const Variation::Change change =
          variation_.observable(parameter.model.simulation.stop[0], parameter.slope.simulation.stop[0], last_point_);
      if (change.by_time != 0) return -change.by_parameter / change.by_time;
    }
    for (const std::uint32_t number : model_.simulation.stop_truth) {
      // The switching function that is at its threshold.
      const model::TermGroup& group = parameter.model.truths[number].term;
      std::vector<double> modes(group.modes);
      for (std::size_t k = 0; k < modes.size(); ++k) modes[k] = last_modes_[group.first_mode + k * group.lanes];
      std::vector<double> g;
      model::evaluate_switching(group, 0, last_point_.state, modes, g);
      std::optional<std::uint32_t> nearest;
      for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
        if (group.corners[c].kind != expressions::CornerKind::truth) continue;
        if (!nearest || std::abs(g[c]) < std::abs(g[*nearest])) nearest = c;
      }
      if (!nearest) continue;
      const Variation::Change change =
          variation_.corner(group, parameter.slope.truths[number].term, *nearest, 0, last_point_);
      if (change.by_time != 0) return -change.by_parameter / change.by_time;
    }
    lose("how the end moves with the parameter is not determined");
    return std::nullopt;
  }

  static constexpr std::size_t longest_period = 6;  ///< of sequences of shocks, as the motion knows them
  static constexpr std::size_t most_periods = 256;  ///< impacts that are looked at

  const model::Model& model_;
  const motion::RunView& run_;
  Variation variation_;
  ParameterSensitivity out_;

  const std::vector<double>* times_ = nullptr;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  std::vector<std::optional<Slope>> found_;
  std::vector<Event> events_;
  std::vector<motion::SpringGone> gone_;  ///< springs that were let go
  std::size_t next_event_ = 0;

  bool before_ = true;
  bool after_ = true;
  std::string why_;

  std::vector<double> places_, speeds_, forces_;           ///< per variable, the largest so far
  std::vector<double> position_slopes_, velocity_slopes_;  ///< likewise

  bool begun_ = false;
  std::uint64_t pieces_ = 0;
  Piece last_;
  std::vector<expressions::Side> last_sides_;
  std::vector<double> last_modes_;
  MotionPoint last_point_;
  Variation::Stretch final_stretch_;
};

}  // namespace

std::vector<ParameterSensitivity> sensitivity(const model::Model& model, const motion::RunView& run,
                                              const std::vector<ParameterSlope>& parameters,
                                              const std::vector<double>& times, const std::function<bool()>& go_on) {
  std::vector<ParameterSensitivity> out;
  out.reserve(parameters.size());
  for (const ParameterSlope& parameter : parameters) out.push_back(Walk(model, run, parameter, times).take(go_on));
  return out;
}

}  // namespace zwang::sensitivity
