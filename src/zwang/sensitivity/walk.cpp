/// Pieces of a run, with the derivatives by one parameter.
#include "zwang/sensitivity/walk.hpp"

#include <limits>

#include "zwang/base/number.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/model/half_turns.hpp"
#include "zwang/sensitivity/leaving.hpp"

namespace zwang::sensitivity {

void Walk::prepare() {
  refuse_beforehand();
  gone_ = motion::springs_gone(model_, events_);
  out_.events.resize(events_.size());
}

ParameterSensitivity Walk::take() {
  finish();
  for (std::optional<Slope>& one : found_) {
    if (one) out_.samples.push_back(std::move(*one));
  }
  return std::move(out_);
}

void Walk::refuse_beforehand() {
  if (!model_.free_functions.empty()) lose("derivatives of a flow whose functions keep their rates are not offered");
  if (model::is_variational(model_)) lose("derivatives under the variational law are not offered");
  const double moved = run_.account->position_correction;
  if (moved > moved_start * largest(model_.initial_position)) {
    lose("the start had to be brought onto its conditions: `zwang check --repair` writes one that is on them");
  }
}

Slope Walk::slope_of(StateSlope state) const {
  Slope out;
  out.why = why_;
  if (before_) out.before = state;
  if (after_) out.after = std::move(state);
  return out;
}

void Walk::note_time(std::size_t event, double slope) {
  EventSlope& out = out_.events[event];
  if (before_) out.before = slope;
  if (after_) out.after = slope;
  out.why = why_;
}

bool Walk::between_events(const Piece& piece) const {
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

std::vector<double> Walk::modes_on(const Piece& piece, std::vector<expressions::Side>& sides) const {
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

std::vector<std::uint8_t> Walk::held_still(double start) const {
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
void Walk::lose_what_stirs(const Piece& piece) {
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

void Walk::enter_piece(const Piece& original) {
  std::vector<expressions::Side>& sides = sides_;
  std::vector<double>& modes = modes_;
  modes = modes_on(original, sides);
  if (!lost()) lose_what_stirs(original);
  Slid slid;
  const bool looked = !lost();
  if (looked) {
    const MotionPoint& middle = points_->at(original, original.start + original.length / 2, modes);
    remember(middle);
    if (model_.switches > 0) {
      slid = slid_at(variation_, surfaces_, middle, sides, {largest(speeds_), largest(forces_)},
                     {held_still(original.start), original.rows});
    }
    for (const Surface& one : slid.surfaces) sides[one.number] = 1;
    for (const std::uint32_t number : slid.resting) sides[number] = 1;
    if (!slid.refused.empty()) sides[slid.refused_switch] = 1;
    if (!slid.surfaces.empty()) modes = model::modes_of(variation_.parameter().model, sides);
    if (!slid.rows.empty()) lose_what_just_holds(original, middle, slid, sides, modes);
  }
  if (!slid.surfaces.empty()) wider_ = with_surfaces(original, slid.rows);
  piece_ = slid.surfaces.empty() ? &original : &wider_;
  const Piece& piece = *piece_;
  const MotionPoint& here = points_->at(piece, piece.start, modes);
  remember(here);
  if (!looked || !slid.surfaces.empty()) {
    remember(points_->at(piece, piece.start + piece.length / 2, modes));
  }
  there_ = &points_->at(piece, piece.end(), modes);
  remember(*there_);
  if (!begun_) {
    begun_ = true;
    begin(piece, here, sides);
  } else {
    cross(last_point_, last_, last_sides_, here, piece, sides);
  }
  if (piece.has_pole() && !lost()) lose("the motion passes a singular position: its multipliers have no bound there");
  if (!slid.refused.empty()) {
    lose("the motion stays where '" + slid.refused + "' switches, and this surface " + slid.why +
         ": derivatives along it are not offered");
  }
  ++pieces_;
  now_ = piece.start;
  stretch_.length = 0;
  stretch_.orders = 0;
  stretch_.position.clear();
  stretch_.multiplier.clear();
  fresh_ = leaves(piece, modes, sides, stretch_);
  on_its_way_ = true;
}

void Walk::take_stretch() {
  const Piece& piece = *piece_;
  fresh_ = true;
  if (!variation_.finite()) {
    // At the start of a piece a root may begin at zero, as that of v^2 from rest: right behind it there is a series again.
    variation_.position = position_before_;
    variation_.velocity = velocity_before_;
    const double behind = now_ + root_offset * piece.length;
    if (now_ == piece.start && behind > now_ && behind < piece.end()) {
      for (std::size_t i = 0; i < position_before_.size(); ++i)
        variation_.position[i] += (behind - now_) * velocity_before_[i];
      now_ = behind;
      fresh_ = false;
      return;
    }
    lose("a function of the model has no derivative at t = " + readable(now_));
  }
  if (!slips_.empty() && !lost()) note_slips(piece, stretch_, modes_);
  if (!lost()) lose_what_touches(piece);
}

/// A condition that touches all along the piece without a force, and gets one when the parameter moves: on the other side it opens.
void Walk::lose_what_touches(const Piece& piece) {
  const std::size_t m = piece.rows.size();
  bool any = false;
  touches_.assign(m, 0);
  for (std::size_t j = 0; j < m; ++j) {
    if (piece.rows[j] >= model_.rows() || model::is_equation(model_.row_kind[piece.rows[j]])) continue;
    double most = 0;
    for (std::size_t k = 0; k < piece.multiplier_orders; ++k)
      most = std::max(most, std::abs(piece.multiplier[k * m + j]));
    touches_[j] = zero(most, largest(forces_)) ? 1 : 0;
    any = any || touches_[j] != 0;
  }
  if (!any || !(stretch_.length > 0)) return;
  std::vector<double> position, velocity, multiplier;
  Variation::evaluate(stretch_, piece.n, stretch_.start + stretch_.length / 2, position, velocity, multiplier);
  const double size = largest(multiplier);
  for (std::size_t j = 0; j < m && j < multiplier.size(); ++j) {
    if (touches_[j] == 0 || std::abs(multiplier[j]) <= rate_zero * size) continue;
    const bool pressed_above = multiplier[j] > 0;
    lose(pressed_above, !pressed_above,
         "'" + model::row_name(model_, piece.rows[j]) +
             "' touches without a force, and opens when the parameter moves one way");
    return;
  }
}

void Walk::go_over(double until, bool at_end) {
  const Piece& piece = *piece_;
  const double end = piece.end();
  const bool last_piece = pieces_ == run_.pieces;
  const double reach = last_piece ? std::numeric_limits<double>::infinity() : end - motion::resolution(end);
  while (next_ < order_.size() && (*times_)[order_[next_]] < (at_end ? reach : until)) {
    const double time = (*times_)[order_[next_]];
    if (time > end + motion::resolution(end)) break;
    if (time >= piece.start - motion::resolution(piece.start)) {
      found_[order_[next_]] = sample(piece, stretch_, modes_, std::clamp(time, piece.start, end));
    }
    ++next_;
  }
  while (next_event_ < events_.size() && events_[next_event_].time < (at_end ? end - motion::resolution(end) : until)) {
    inside(next_event_++, piece, stretch_, modes_);
  }
}

void Walk::leave_piece() {
  on_its_way_ = false;
  std::swap(final_stretch_, stretch_);
  last_ = *piece_;
  std::swap(last_sides_, sides_);
  std::swap(last_modes_, modes_);
  last_point_ = *there_;
}

void Walk::lose_what_just_holds(const Piece& original, const MotionPoint& middle, const Slid& slid,
                                const std::vector<expressions::Side>& sides, const std::vector<double>& modes) {
  const std::vector<double> position = variation_.position;
  const std::vector<double> velocity = variation_.velocity;
  const double quarter = original.start + original.length / 4;
  for (const Verge& one : on_the_verge(variation_, slid, middle, sides, original.rows)) {
    const MotionPoint& earlier = points_->at(original, quarter, modes);
    const std::vector<Verge> there = on_the_verge(variation_, slid, earlier, sides, original.rows);
    if (std::none_of(there.begin(), there.end(), [&](const Verge& other) { return other.rows == one.rows; })) continue;
    // How the rate of its speed moves where it slips; and where friction is turned round, which tells what is rounding.
    double slope = 0;
    double size = 0;
    for (const bool slips : {true, false}) {
      const Piece piece = with_surfaces(original, one.rows);
      const std::vector<double>& with = slips ? one.modes : one.opposite;
      Stretch stretch;
      const Following here{&variation_, pieces_, &piece, piece.start, piece.end(), with, &stretch};
      Variation::follow({&here, 1});
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
    lose(slope<0, slope> 0,
         "friction just holds from t = " + readable(original.start) + " on: it slips when the parameter moves one way");
  }
}

bool Walk::looks_back() {
  if (!looks_back_) {
    const std::vector<model::TermGroup>& terms = variation_.parameter().model.terms;
    looks_back_ = std::any_of(terms.begin(), terms.end(), [](const model::TermGroup& group) {
      return std::any_of(group.corners.begin(), group.corners.end(),
                         [](const expressions::Corner& corner) { return corner.directs(); });
    });
  }
  return *looks_back_;
}

bool Walk::leaves(const Piece& piece, const std::vector<double>& modes, const std::vector<expressions::Side>& sides,
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

Slope Walk::sample(const Piece& piece, const Stretch& stretch, const std::vector<double>& modes, double time) {
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

void Walk::fill(const MotionPoint& at, const Piece& piece, const Stretch& stretch,
                const std::vector<double>& multiplier, StateSlope& out) const {
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

void Walk::note_slips(const Piece& piece, const Stretch& stretch, const std::vector<double>& modes) {
  const ParameterSlope& parameter = variation_.parameter();
  std::optional<double> slope;
  bool one = true;
  for (const Surface& surface : slipping_) {
    const Variation::Change change =
        variation_.corner_rate(parameter.model.terms[surface.term], parameter.slope.terms[surface.term], surface.corner,
                               surface.lane, piece, stretch, modes);
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

void Walk::enter(const Piece& piece) {
  if (between_events(piece)) {
    ++pieces_;
  } else {
    enter_piece(piece);
  }
}

void Walk::ask(std::vector<Following>& all) {
  if (!lost()) remember_slopes();
  asks_ = !lost() && now_ < piece_->end() && !fresh_;
  if (!asks_) return;
  position_before_ = variation_.position;
  velocity_before_ = variation_.velocity;
  all.push_back({&variation_, pieces_, piece_, now_, piece_->end(), modes_, &stretch_});
}

void Walk::move_on() {
  if (asks_) {
    take_stretch();
    if (!fresh_) return;
  }
  const double end = piece_->end();
  if (fresh_ && !lost() && looks_back()) approach_.keep(*piece_, stretch_, modes_);
  const double until = lost() || now_ >= end ? end : stretch_.start + stretch_.length;
  const bool at_end = !(until < end);
  go_over(until, at_end);
  now_ = until;
  fresh_ = false;
  if (at_end) leave_piece();
}

void go_along(std::vector<Walk>& walks, const motion::Piece& piece, std::vector<Following>& asked) {
  for (Walk& walk : walks) walk.enter(piece);
  while (true) {
    asked.clear();
    bool any = false;
    for (Walk& walk : walks) {
      if (!walk.on_its_way()) continue;
      any = true;
      walk.ask(asked);
    }
    if (!any) return;
    Variation::follow(asked);
    for (Walk& walk : walks) {
      if (walk.on_its_way()) walk.move_on();
    }
  }
}

}  // namespace zwang::sensitivity
