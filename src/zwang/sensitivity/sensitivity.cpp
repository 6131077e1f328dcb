/// A run, its pieces and instants one after the other, with the derivatives by one parameter.
#include "zwang/sensitivity/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/half_turns.hpp"
#include "zwang/motion/let_go.hpp"
#include "zwang/sensitivity/approach.hpp"
#include "zwang/sensitivity/in_turn.hpp"
#include "zwang/sensitivity/leaving.hpp"
#include "zwang/sensitivity/sequences.hpp"
#include "zwang/sensitivity/shocks.hpp"
#include "zwang/sensitivity/surfaces.hpp"
#include "zwang/sensitivity/switched_start.hpp"
#include "zwang/sensitivity/tolerances.hpp"
#include "zwang/sensitivity/triggers.hpp"
#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

namespace {

using motion::Event;
using motion::EventKind;
using motion::Piece;

double largest(std::span<const double> x) {
  double most = 0;
  for (const double one : x) most = std::max(most, std::abs(one));
  return most;
}

/// One parameter along a run.
class Walk {
 public:
  Walk(const model::Model& model, const motion::RunView& run, Variation variation, std::vector<Surface> surfaces,
       const std::vector<double>& times, const std::vector<Event>& events, PointsOfPiece& points)
      : model_(model),
        run_(run),
        variation_(std::move(variation)),
        surfaces_(std::move(surfaces)),
        events_(events),
        points_(&points) {
    out_.name = variation_.parameter().name;
    for (std::size_t k = 0; k < times.size(); ++k) order_.push_back(k);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
    times_ = &times;
    found_.resize(times.size());
  }

  void prepare() {
    refuse_beforehand();
    gone_ = motion::springs_gone(model_, events_);
    out_.events.resize(events_.size());
  }
  void go_on(const Piece& piece) {
    if (between_events(piece)) {
      ++pieces_;
    } else {
      add(piece);
    }
  }
  /// Did it come to a place with two derivatives, of which it followed the one above?
  [[nodiscard]] bool forked() const { return forked_; }
  void prefer_below() { prefers_below_ = true; }
  ParameterSensitivity take() {
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

  /// Behind what happens at a given time a piece on which no time passes leads to what else happens then: both are of one instant.
  [[nodiscard]] bool between_events(const Piece& piece) const {
    if (!begun_ || piece.end() > piece.start || pieces_ + 1 >= run_.pieces) return false;
    bool given = false;
    bool strikes = false;
    for (std::size_t k = next_event_; k < events_.size() && events_[k].time <= piece.start; ++k) {
      const EventKind kind = events_[k].kind;
      given = given || kind == EventKind::blow || kind == EventKind::seizure || kind == EventKind::let_go;
      strikes = strikes || kind == EventKind::impact;
    }
    return given && strikes;
  }

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

  /// Which switches were slid on and still are: what leaves its surface is among those of an event of slipping, whose bodies are named.
  [[nodiscard]] std::vector<std::uint8_t> held_still(double start) const {
    std::vector<std::uint8_t> out(last_sides_.size(), 0);
    for (std::uint32_t number = 0; number < out.size(); ++number) out[number] = last_sides_[number] % 2 != 0 ? 1 : 0;
    for (std::size_t k = next_event_; k < events_.size() && events_[k].time <= start + motion::resolution(start); ++k) {
      if (events_[k].kind != EventKind::slip) continue;
      const std::vector<std::string>& named = events_[k].bodies;
      for (std::uint32_t number = 0; number < out.size(); ++number) {
        if (out[number] == 0) continue;
        const std::vector<std::string> own = model::bodies_of_switch(model_, number);
        const bool all = std::all_of(own.begin(), own.end(), [&](const std::string& body) {
          return std::find(named.begin(), named.end(), body) != named.end();
        });
        if (all) out[number] = 0;
      }
    }
    return out;
  }

  /// Where a speed is zero the drag w / |w|^p has no slope, and the motion goes on without it for a moment: derivatives end before.
  void lose_what_stirs(const Piece& piece) {
    const model::Model& own = variation_.parameter().model;
    for (const model::TermGroup& group : own.terms) {
      for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
        if (!group.corners[c].stirs) continue;
        fastest_.resize(own.switches, 0.0);
        for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
          const std::uint32_t number = group.first_switch + c * group.lanes + lane;
          const double first = instant::switch_rates(own, number, point_on(piece, piece.start, {}).state, {}).g;
          const double last = instant::switch_rates(own, number, point_on(piece, piece.end(), {}).state, {}).g;
          fastest_[number] = std::max({fastest_[number], first, last});
          if (std::min(first, last) > speed_at_rest * speed_at_rest * fastest_[number]) continue;
          std::string whose;
          for (const std::string& body : model::bodies_of_switch(model_, number))
            whose += (whose.empty() ? " of " : ", ") + body;
          lose("the speed" + whose + ", of which a broken power stands in a force, is zero at t = " +
               readable(piece.start) + ": derivatives from there on are not offered");
        }
      }
    }
  }

  void add(const Piece& original) {
    std::vector<expressions::Side> sides;
    std::vector<double> modes = modes_on(original, sides);
    if (!lost()) lose_what_stirs(original);
    Slid slid;
    const bool looked = !lost();
    if (looked) {
      const MotionPoint& middle = points_->at(original, original.start + original.length / 2, modes);
      remember(middle);
      slid = slid_at(variation_, surfaces_, middle, sides, {largest(speeds_), largest(forces_)},
                     {held_still(original.start), original.rows});
      for (const Surface& one : slid.surfaces) sides[one.number] = 1;
      for (const std::uint32_t number : slid.resting) sides[number] = 1;
      if (!slid.refused.empty()) sides[slid.refused_switch] = 1;
      if (!slid.surfaces.empty()) modes = model::modes_of(variation_.parameter().model, sides);
      if (!slid.rows.empty()) lose_what_just_holds(original, middle, slid, sides, modes);
    }
    const Piece wider = slid.surfaces.empty() ? Piece{} : with_surfaces(original, slid.rows);
    const Piece& piece = slid.surfaces.empty() ? original : wider;
    const MotionPoint& here = points_->at(piece, piece.start, modes);
    remember(here);
    if (!looked || !slid.surfaces.empty()) remember(point_on(piece, piece.start + piece.length / 2, modes));
    const MotionPoint& there = points_->at(piece, piece.end(), modes);
    remember(there);
    if (!begun_) {
      begun_ = true;
      begin(piece, here, sides);
    } else {
      MotionPoint before = last_point_;
      cross(before, last_, last_sides_, here, piece, sides);
    }
    if (piece.has_pole() && !lost()) lose("the motion passes a singular position: its multipliers have no bound there");
    if (!slid.refused.empty()) {
      lose("the motion stays where '" + slid.refused + "' switches, and this surface " + slid.why +
           ": derivatives along it are not offered");
    }
    // The events inside, the samples, then the end.
    double now = piece.start;
    const double end = piece.end();
    const bool last_piece = ++pieces_ == run_.pieces;
    const double reach = last_piece ? std::numeric_limits<double>::infinity() : end - motion::resolution(end);
    Stretch stretch;
    bool fresh = leaves(piece, modes, sides, stretch);
    while (true) {
      if (!lost()) remember_slopes();
      if (!lost() && now < end && !fresh) {
        const std::vector<double> position = variation_.position;
        const std::vector<double> velocity = variation_.velocity;
        stretch = variation_.follow(pieces_, piece, now, end, modes);
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
        if (!slips_.empty() && !lost()) note_slips(piece, stretch, modes);
      }
      if (fresh && !lost() && looks_back()) approach_.keep(piece, stretch, modes);
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
    last_point_ = there;
  }

  /// Friction that holds with nothing to spare, all along the piece: where the parameter moves one way it slips, as of a load that is as large as it.
  void lose_what_just_holds(const Piece& original, const MotionPoint& middle, const Slid& slid,
                            const std::vector<expressions::Side>& sides, const std::vector<double>& modes) {
    const std::vector<double> position = variation_.position;
    const std::vector<double> velocity = variation_.velocity;
    const double quarter = original.start + original.length / 4;
    for (const Verge& one : on_the_verge(variation_, slid, middle, sides, original.rows)) {
      const MotionPoint& earlier = points_->at(original, quarter, modes);
      const std::vector<Verge> there = on_the_verge(variation_, slid, earlier, sides, original.rows);
      if (std::none_of(there.begin(), there.end(), [&](const Verge& other) { return other.rows == one.rows; }))
        continue;
      // How the rate of its speed moves where it slips; and where friction is turned round, which tells what is rounding.
      double slope = 0;
      double size = 0;
      for (const bool slips : {true, false}) {
        const Piece piece = with_surfaces(original, one.rows);
        const std::vector<double>& with = slips ? one.modes : one.opposite;
        const Stretch stretch = variation_.follow(pieces_, piece, piece.start, piece.end(), with);
        double moves = 0;
        for (std::size_t k = 0; k < one.surfaces.size() && stretch.length > 0; ++k) {
          const Surface& surface = one.surfaces[k];
          const ParameterSlope& parameter = variation_.parameter();
          const Variation::Change change =
              variation_.corner_rate(parameter.model.terms[surface.term], parameter.slope.terms[surface.term],
                                     surface.corner, surface.lane, piece, stretch, with);
          moves += one.direction[k] * change.by_parameter;
        }
        if (slips) slope = moves;
        size = std::max(size, std::abs(moves));
        variation_.position = position;
        variation_.velocity = velocity;
      }
      if (!(std::abs(slope) > rate_zero * size)) continue;
      lose(slope<0, slope> 0, "friction just holds from t = " + readable(original.start) +
                                  " on: it slips when the parameter moves one way");
    }
  }

  /// What leads to a rest is kept for a while, if there are speeds whose directions are asked.
  bool looks_back() {
    if (!looks_back_) {
      const std::vector<model::TermGroup>& terms = variation_.parameter().model.terms;
      looks_back_ = std::any_of(terms.begin(), terms.end(), [](const model::TermGroup& group) {
        return std::any_of(group.corners.begin(), group.corners.end(),
                           [](const expressions::Corner& corner) { return corner.directs(); });
      });
    }
    return *looks_back_;
  }

  /// The first stretch of a piece on which speeds leave their rest. False: none does.
  bool leaves(const Piece& piece, const std::vector<double>& modes, const std::vector<expressions::Side>& sides,
              Stretch& stretch) {
    if (lost() || variation_.parameter().model.switches == 0) return false;
    const std::vector<Leaving> leaving = leaving_rest(variation_.parameter().model, piece, modes, sides);
    if (leaving.empty()) return false;
    FromRest found = leave_rest(variation_, pieces_, piece, leaving, modes, largest(velocity_slopes_));
    if (!found.refused.empty() || !variation_.finite()) {
      lose("the motion leaves its rest at t = " + readable(piece.start) + ", where '" + found.refused +
           "' has no direction yet: derivatives from there on are not offered");
      return false;
    }
    for (const std::size_t event : slips_) {
      if (found.time) note_time(event, *found.time);
    }
    slipping_.clear();
    slips_.clear();
    stretch = std::move(found.stretch);
    return true;
  }

  /// Derivatives at a time on the stretch just found.
  [[nodiscard]] Slope sample(const Piece& piece, const Stretch& stretch, const std::vector<double>& modes,
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

  void fill(const MotionPoint& at, const Piece& piece, const Stretch& stretch, const std::vector<double>& multiplier,
            StateSlope& out) const {
    out.position = variation_.position;
    out.velocity = variation_.velocity;
    out.multipliers_known = piece.rows.empty() || !stretch.multiplier.empty();
    for (std::size_t j = 0; j < piece.rows.size() && j < multiplier.size(); ++j) {
      if (piece.rows[j] < model_.rows()) out.multipliers.emplace_back(piece.rows[j], multiplier[j]);
    }
    const ParameterSlope& parameter = variation_.parameter();
    for (std::size_t k = 0; k < parameter.model.outputs.size(); ++k) {
      out.outputs.push_back(
          variation_.observable(parameter.model.outputs[k], parameter.slope.outputs[k], at).by_parameter);
    }
  }

  /// What slips starts with g = g' = 0 on the side it slips to: its time moves by -dg' / g''.
  void note_slips(const Piece& piece, const Stretch& stretch, const std::vector<double>& modes) {
    const ParameterSlope& parameter = variation_.parameter();
    std::optional<double> slope;
    bool one = true;
    for (const Surface& surface : slipping_) {
      const Variation::Change change =
          variation_.corner_rate(parameter.model.terms[surface.term], parameter.slope.terms[surface.term],
                                 surface.corner, surface.lane, piece, stretch, modes);
      if (change.by_time == 0) continue;
      const double found = -change.by_parameter / change.by_time;
      one = one && (!slope || std::abs(found - *slope) <= one_time_slope * (std::abs(found) + std::abs(*slope)));
      slope = found;
    }
    for (const std::size_t event : slips_) {
      if (slope && one) note_time(event, *slope);
    }
    slipping_.clear();
    slips_.clear();
  }

  // ---------------------------------------------------------------------------------------------- instants

  /// The start: what is written, brought onto the conditions as `run` does it.
  void begin(const Piece& piece, const MotionPoint& here, const std::vector<expressions::Side>& sides) {
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
           "the motion starts where '" + one.name +
               "' switches, and on the other side when the parameter moves one way");
    }
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

  /// Those and the ones that waited. What sticks comes to rest by steps as short as times can be told apart: it waits for the one at which it does.
  std::vector<std::size_t> at_this_instant(double time, bool no_side_changes) {
    std::vector<std::size_t> out = std::exchange(waiting_, {});
    for (const std::size_t event : events_until(time)) out.push_back(event);
    if (!no_side_changes || lost()) return out;
    const auto sticks = [&](std::size_t event) { return events_[event].kind == EventKind::stick; };
    std::copy_if(out.begin(), out.end(), std::back_inserter(waiting_), sticks);
    std::erase_if(out, sticks);
    return out;
  }

  void cross(const MotionPoint& before, const Piece& old, const std::vector<expressions::Side>& old_sides,
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
    const bool rates =
        jumps(before.state.velocity, after.state.velocity, speeds_, model_.flow ? force_zero : rate_zero);
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

  /// Which rows go when an expression becomes true. Of several releases at one instant it is not known which lets go which.
  void tell_what_is_let_go(std::vector<Trigger>& triggers, const std::vector<std::size_t>& events) const {
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
  /// Does the event tell of this trigger?
  static bool is_of(const Event& event, const Trigger& trigger) {
    if (!trigger.lets_go.empty()) return event.kind == EventKind::let_go;
    if (!trigger.seizes.empty()) return event.kind == EventKind::seizure;
    if (trigger.blow) return event.kind == EventKind::blow;
    if (trigger.switching) return event.kind == EventKind::switched;
    return contains(event.rows, trigger.row);
  }

  /// What happens at one instant and acts on one another: in the order that they have on either side of the parameter's value. Is a derivative left?
  bool one_after_the_other(const std::vector<Trigger>& triggers, const MotionPoint& before, const MotionPoint& after,
                           const AroundInstant& around, const std::string& together) {
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
  /// Else why not.
  std::string times_of(const std::vector<Trigger>& triggers, const MotionPoint& before, const MotionPoint& after,
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

  /// Through the instant, by the rule that the velocities show.
  void jump(MotionPoint before, const MotionPoint& after, const std::vector<std::uint32_t>& rows,
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

  /// An event in the middle of a piece: a graze, the limit of a sequence of shocks.
  void inside(std::size_t number, const Piece& piece, const Stretch& stretch, const std::vector<double>& modes) {
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

  /// The limit of a sequence of shocks, and those behind the last one that tells.
  void limit(std::size_t number) {
    out_.events[number].why = why_;
    if (lost()) return;
    if (const std::optional<double> slope = limit_of_shocks(events_, number, out_.events)) note_time(number, *slope);
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

  /// Blows, seizures and releases at the very end whose times do not move: there is a motion through them.
  bool given_at_end() {
    const model::Model& slope = variation_.parameter().slope;
    std::vector<std::size_t> events;
    for (std::size_t number = next_event_; number < events_.size(); ++number) {
      const EventKind kind = events_[number].kind;
      if (kind != EventKind::blow && kind != EventKind::seizure && kind != EventKind::let_go) return false;
      events.push_back(number);
      const std::vector<Trigger> given = given_times(model_, variation_, events_, {number});
      if (given.empty() || std::any_of(given.begin(), given.end(), [](const Trigger& one) { return one.slope != 0; }))
        return false;
    }
    if (events.empty() || slope.simulation.until != 0) return false;
    MotionPoint after = last_point_;
    after.state.velocity = run_.account->present.state.velocity;
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t row : last_.rows) {
      const bool gone = std::any_of(events.begin(), events.end(), [&](std::size_t event) {
        return events_[event].kind == EventKind::let_go && contains(events_[event].rows, row);
      });
      if (!gone) rows.push_back(row);
    }
    jump(last_point_, after, rows, events, std::vector<double>(model_.variables, 0.0));
    if (lost()) return true;
    for (const std::size_t event : events) note_time(event, 0);
    next_event_ = events_.size();
    last_point_ = std::move(after);
    final_stretch_ = {};
    return true;
  }

  /// What happens at the very end happens before or behind it when the parameter moves.
  void happens_at_end() {
    if (run_.account->status != motion::Status::finished) return;
    if (given_at_end() && lost()) return;
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

  const model::Model& model_;
  const motion::RunView& run_;
  Variation variation_;
  std::vector<Surface> surfaces_;
  std::vector<Surface> slipping_;     ///< left at the last instant,
  std::vector<std::size_t> slips_;    ///< at these events
  std::vector<std::size_t> waiting_;  ///< that stick
  std::optional<bool> looks_back_;    ///< at
  Approach approach_;
  const std::vector<Event>& events_;  ///< of the whole run
  PointsOfPiece* points_;
  ParameterSensitivity out_;

  const std::vector<double>* times_ = nullptr;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  std::vector<std::optional<Slope>> found_;
  std::vector<motion::SpringGone> gone_;  ///< springs that were let go
  std::size_t next_event_ = 0;

  bool before_ = true;
  bool after_ = true;
  bool forked_ = false;
  bool prefers_below_ = false;
  std::string why_;

  std::vector<double> places_, speeds_, forces_;           ///< per variable, the largest so far
  std::vector<double> position_slopes_, velocity_slopes_;  ///< likewise

  bool begun_ = false;
  std::uint64_t pieces_ = 0;
  Piece last_;
  std::vector<expressions::Side> last_sides_;
  std::vector<double> fastest_;  ///< per switch: the largest |w|^2 of a speed that stands below a product
  std::vector<double> last_modes_;
  MotionPoint last_point_;
  Stretch final_stretch_;
};

/// Of two motions by the two slopes of a kink: each side has its own.
void join(ParameterSensitivity& out, const ParameterSensitivity& below) {
  const auto one = [](auto& above, const auto& its) {
    above.before = its.before;
    if (above.why.empty()) above.why = its.why;
    if (above.why.empty()) above.why = "numbers of the model have a kink at this value of the parameter";
  };
  one(out.final, below.final);
  for (std::size_t k = 0; k < out.samples.size(); ++k) one(out.samples[k], below.samples[k]);
  for (std::size_t k = 0; k < out.events.size(); ++k) one(out.events[k], below.events[k]);
}

template <class OfBothSides>
void take_below(OfBothSides& out, const OfBothSides& below) {
  if (!out.before) out.before = below.before;
}

}  // namespace

std::vector<ParameterSensitivity> sensitivity(const model::Model& model, const motion::RunView& run,
                                              const std::vector<ParameterSlope>& asked,
                                              const std::vector<double>& times, const std::function<bool()>& go_on) {
  // Nothing to differentiate by: then neither events nor pieces are gone through.
  if (asked.empty()) return {};
  // A kink of the numbers: by the slopes of either side.
  if (std::any_of(asked.begin(), asked.end(), [](const ParameterSlope& one) { return one.below.has_value(); })) {
    std::vector<ParameterSlope> single;
    for (const ParameterSlope& one : asked) {
      single.push_back(one);
      single.back().below.reset();
      if (!one.below) continue;
      single.push_back(single.back());
      single.back().slope = *one.below;
    }
    std::vector<ParameterSensitivity> found = sensitivity(model, run, single, times, go_on);
    std::vector<ParameterSensitivity> out;
    for (std::size_t k = 0, at = 0; k < asked.size(); ++k, ++at) {
      out.push_back(std::move(found[at]));
      if (asked[k].below) join(out.back(), found[++at]);
    }
    return out;
  }
  // With rows for what can be slid on, where there is something.
  std::vector<ParameterSlope> wider;
  std::vector<std::vector<Surface>> surfaces(asked.size());
  if (model.switches > 0) {
    wider = asked;
    for (std::size_t k = 0; k < wider.size(); ++k) surfaces[k] = add_surfaces(wider[k]);
  }
  const std::vector<ParameterSlope>& parameters = wider.empty() ? asked : wider;
  std::vector<Event> events;
  run.each_event(0, [&](const Event& event) {
    events.push_back(event);
    return true;
  });
  // Parameters whose models are one share its equations, and all go along together.
  PointsOfPiece points;
  std::vector<Walk> walks;
  walks.reserve(parameters.size());
  std::vector<std::shared_ptr<Linearized>> equations(parameters.size());
  std::vector<std::size_t> number(parameters.size(), 0);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (equations[k]) continue;
    std::vector<std::size_t> same;
    std::vector<const model::Model*> slopes;
    for (std::size_t j = k; j < parameters.size(); ++j) {
      if (equations[j] || (j > k && !same_numbers(parameters[k].model, parameters[j].model))) continue;
      number[j] = same.size();
      same.push_back(j);
      slopes.push_back(&parameters[j].slope);
    }
    const auto shared = std::make_shared<Linearized>(parameters[k].model, std::move(slopes));
    for (const std::size_t j : same) equations[j] = shared;
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    walks.emplace_back(model, run, Variation(parameters[k], equations[k], number[k]), surfaces[k], times, events,
                       points);
    walks.back().prepare();
  }
  bool interrupted = false;
  run.each_piece(0, [&](const Piece& piece) {
    for (Walk& walk : walks) walk.go_on(piece);
    interrupted = go_on && !go_on();
    return !interrupted;
  });
  std::vector<ParameterSensitivity> out(parameters.size());
  for (std::size_t k = 0; k < walks.size() && !interrupted; ++k) {
    out[k] = walks[k].take();
    if (!walks[k].forked()) continue;
    // Once more for the values below.
    PointsOfPiece own;
    Walk other(model, run, Variation(parameters[k], equations[k], number[k]), surfaces[k], times, events, own);
    other.prefer_below();
    other.prepare();
    run.each_piece(0, [&](const Piece& piece) {
      other.go_on(piece);
      interrupted = go_on && !go_on();
      return !interrupted;
    });
    const ParameterSensitivity below = other.take();
    take_below(out[k].final, below.final);
    for (std::size_t j = 0; j < out[k].samples.size(); ++j) take_below(out[k].samples[j], below.samples[j]);
    for (std::size_t j = 0; j < out[k].events.size(); ++j) take_below(out[k].events[j], below.events[j]);
  }
  if (interrupted) return std::vector<ParameterSensitivity>(parameters.size());
  return out;
}

}  // namespace zwang::sensitivity
