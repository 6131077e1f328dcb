/// Sides of corners at one instant.
#include "zwang/instant/corners.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/instant/cones.hpp"
#include "zwang/instant/corner_tolerances.hpp"
#include "zwang/instant/corners_impl.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/instant/releases.hpp"
#include "zwang/instant/sliding.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/model/lanes.hpp"

namespace zwang::instant {

using expressions::Corner;
using expressions::Side;

std::string name_of_switch(const model::Model& model, std::uint32_t number) {
  const model::SwitchPlace place = model::place_of_switch(model, number);
  std::string out = "`" + place.group->corners[place.corner].text + "`";
  // Forces of one form share their words, which are those of the first: whose it is must be said.
  if (place.group->lanes < 2) return out;
  std::string bodies;
  for (const std::string& body : model::bodies_of_switch(model, number))
    bodies += (bodies.empty() ? " of " : ", ") + body;
  return out + bodies;
}

std::vector<double> slopes_by_slot(const model::SwitchPlace& place, const model::State& state) {
  const model::Slotted& group = *place.group;
  std::vector<double> r(group.slopes.registers());
  expressions::load_constants(group.slopes, r.data(), 1, 1);
  model::fill_inputs<1, 1>(group, state.time, state.position, state.velocity, state.modes, place.lane, r.data());
  expressions::extend(group.slopes, r.data(), 1, 0, 0, 1);
  const std::size_t slots = std::size_t{group.positions} + group.velocities;
  std::vector<double> out(slots);
  for (std::size_t k = 0; k < slots; ++k) out[k] = r[group.slopes.outputs[place.corner * slots + k]];
  return out;
}

void mix(const MixedMode& mode, double sigma, std::vector<double>& modes) {
  // The ends exactly: a branch is chosen by them.
  modes[mode.mode] =
      sigma == 0 ? mode.below : (sigma == 1 ? mode.above : mode.below + sigma * (mode.above - mode.below));
}

void set_modes(const model::Slotted& group, std::uint32_t corner, std::uint32_t lane, Side side,
               std::vector<double>& modes) {
  const Corner& one = group.corners[corner];
  std::vector<double> numbers(one.modes);
  one.numbers(side, numbers);
  for (std::uint32_t k = 0; k < one.modes; ++k) {
    modes[group.first_mode + (one.first_mode + k) * group.lanes + lane] = numbers[k];
  }
}

bool is_on_threshold(double distance, const SwitchRates& rates) {
  return distance <= on_threshold * rates.size + doubts_of_state * rates.doubt;
}

std::pair<double, Side> nearest_threshold(const Corner& corner, Side side, double g) {
  constexpr double far = 1e300;
  if (side % 2 != 0) return {0.0, side};
  const double up = corner.has_threshold(side, true) ? std::abs(corner.threshold(side, true) - g) : far;
  const double down = corner.has_threshold(side, false) ? std::abs(g - corner.threshold(side, false)) : far;
  return up < down ? std::pair(up, side + 1) : std::pair(down, side - 1);
}

std::vector<MixedMode> modes_across(const model::Model& model, const model::State& state, std::span<const Side> sides,
                                    std::uint32_t number, Side on, Side forbidden) {
  const Side beside[2] = {on - 1 == forbidden ? on : on - 1, on + 1 == forbidden ? on : on + 1};
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const model::Slotted& group = *place.group;
  std::vector<MixedMode> out;
  const auto add = [&](std::uint32_t corner, Side below, Side above) {
    const Corner& one = group.corners[corner];
    std::vector<double> low(one.modes);
    std::vector<double> high(one.modes);
    one.numbers(below, low);
    one.numbers(above, high);
    const std::uint32_t its = group.first_switch + corner * group.lanes + place.lane;
    for (std::uint32_t k = 0; k < one.modes; ++k) {
      const std::uint32_t mode = group.first_mode + (one.first_mode + k) * group.lanes + place.lane;
      out.push_back({number, its, mode, below, above, low[k], high[k]});
    }
  };
  add(place.corner, beside[0], beside[1]);

  // Corners nested about it, from the inside out, on either side of the surface.
  std::vector<std::uint8_t> changes(group.corners.size(), 0);
  changes[place.corner] = 1;
  model::State there[2] = {state, state};
  for (const bool above : {false, true}) {
    set_modes(group, place.corner, place.lane, beside[above ? 1 : 0], there[above ? 1 : 0].modes);
  }
  for (std::uint32_t c = place.corner + 1; c < group.corners.size(); ++c) {
    const Corner& corner = group.corners[c];
    if (std::none_of(corner.inner.begin(), corner.inner.end(), [&](std::uint32_t one) { return changes[one] != 0; })) {
      continue;
    }
    changes[c] = 1;
    const std::uint32_t its = group.first_switch + c * group.lanes + place.lane;
    Side found[2] = {sides[its], sides[its]};
    for (const bool above : {false, true}) {
      model::State& one = there[above ? 1 : 0];
      SwitchRates rates = switch_rates(model, its, one, {});
      Side& side = found[above ? 1 : 0];
      side = corner.side(rates.g, rates.beside);
      if (!corner.follows && is_on_threshold(nearest_threshold(corner, side, rates.g).first, rates)) {
        // On its own threshold as well: what it is a little further on this side of the surface.
        const SwitchRates surface = switch_rates(model, number, one, {});
        const std::vector<double> slope = slopes_by_slot(place, one);
        double square = 0;
        for (const double x : slope) square += x * x;
        if (square > 0) {
          const double way = (above ? 1 : -1) * beside_surface * (surface.size + std::sqrt(square)) / square;
          model::State further = one;
          for (std::size_t k = 0; k < group.positions; ++k)
            further.position[group.position_of[k * group.lanes + place.lane]] += way * slope[k];
          for (std::size_t k = 0; k < group.velocities; ++k)
            further.velocity[group.velocity_of[k * group.lanes + place.lane]] += way * slope[group.positions + k];
          rates = switch_rates(model, its, further, {});
          side = corner.side(rates.g, rates.beside);
        }
      }
      set_modes(group, c, place.lane, side, one.modes);
    }
    add(c, found[0], found[1]);
  }
  return out;
}

SwitchRates switch_rates(const model::Model& model, std::uint32_t number, const model::State& state,
                         std::span<const double> accelerations) {
  constexpr unsigned orders = 3;
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const model::Slotted& group = *place.group;
  SwitchRates out;

  // Along the motion.
  const auto fill = [&](const expressions::Tape& tape, unsigned room) {
    std::vector<double> r(tape.registers() * room, 0.0);
    expressions::load_constants(tape, r.data(), room, 1);
    std::size_t slot = 0;
    const auto put = [&](double zero, double one, double two) {
      const double all[] = {zero, one, two};
      std::copy_n(all, room, r.begin() + static_cast<std::ptrdiff_t>(slot++ * room));
    };
    put(state.time, 1, 0);
    for (std::size_t k = 0; k < group.positions; ++k) {
      const std::uint32_t i = group.position_of[k * group.lanes + place.lane];
      put(state.position[i], state.velocity[i], accelerations.empty() ? 0.0 : accelerations[i] / 2);
    }
    for (std::size_t k = 0; k < group.velocities; ++k) {
      const std::uint32_t i = group.velocity_of[k * group.lanes + place.lane];
      put(state.velocity[i], accelerations.empty() ? 0.0 : accelerations[i], 0);
    }
    for (std::size_t k = 0; k < group.constants; ++k) {
      const bool mode = k >= group.steady() && !state.modes.empty();
      put(mode ? state.modes[group.first_mode + (k - group.steady()) * group.lanes + place.lane]
               : group.constant_of[k * group.lanes + place.lane],
          0, 0);
    }
    expressions::extend(tape, r.data(), room, 0, room - 1, 1);
    return r;
  };
  const std::vector<double> r = fill(group.switching, orders);
  const double* g = r.data() + std::size_t{group.switching.outputs[place.corner]} * orders;
  out.g = g[0];
  out.first = g[1];
  out.second = 2 * g[2];
  out.beside = r[std::size_t{group.switching.outputs[group.corners.size() + place.corner]} * orders];

  // Sizes, from the slopes.
  const std::vector<double> s = fill(group.slopes, 1);
  const std::size_t slots = std::size_t{group.positions} + group.velocities;
  const auto slope = [&](std::size_t k) { return s[group.slopes.outputs[place.corner * slots + k]]; };
  double by_time = out.first;
  for (std::size_t k = 0; k < group.positions; ++k) {
    const std::uint32_t i = group.position_of[k * group.lanes + place.lane];
    out.size += std::abs(slope(k) * state.position[i]);
    out.rate_size += std::abs(slope(k) * state.velocity[i]);
    out.by_position = out.by_position || slope(k) != 0;
    if (i < state.position_uncertainty.size()) out.doubt += std::abs(slope(k)) * state.position_uncertainty[i];
    if (i < state.velocity_uncertainty.size()) out.rate_doubt += std::abs(slope(k)) * state.velocity_uncertainty[i];
    by_time -= slope(k) * state.velocity[i];
  }
  for (std::size_t k = 0; k < group.velocities; ++k) {
    const std::uint32_t i = group.velocity_of[k * group.lanes + place.lane];
    out.size += std::abs(slope(group.positions + k) * state.velocity[i]);
    out.by_velocity = out.by_velocity || slope(group.positions + k) != 0;
    if (i < state.velocity_uncertainty.size())
      out.doubt += std::abs(slope(group.positions + k)) * state.velocity_uncertainty[i];
    if (!accelerations.empty()) by_time -= slope(group.positions + k) * accelerations[i];
  }
  out.size += std::abs(by_time * state.time);
  return out;
}

namespace {

/// Sides of a bend with different slopes hold what rests in it with other shares than half and half: those under which nothing pushes it to either.
/// False if the function between its sides does not go through the kink, as that of a table, or a push is left, be it rounding: it would grow.
bool share_bend(const model::Model& model, model::State state, const Options& options, Workspace& workspace,
                std::uint32_t number, Side on, Corners& out) {
  const std::uint32_t row = model::place_of_switch(model, number).row;
  const std::vector<MixedMode> mixed = modes_across(model, state, out.sides, number, on);
  double low = 0;
  double high = 1;
  Instant instant;
  for (int round = 0; round < most_halvings_of_share; ++round) {
    const double share = (low + high) / 2;
    if (!(low < share && share < high)) break;
    for (const MixedMode& mode : mixed) mix(mode, share, state.modes);
    accelerate(model, state, options, workspace, instant);
    const bool through = std::abs(instant.value[row]) <= workspace.evaluation().touch_value[row];
    if (instant.status != Status::determined || !through) return false;
    const double push = switch_rates(model, number, state, instant.accelerations).second;
    if (push == 0) {
      for (const MixedMode& mode : mixed) mix(mode, share, out.modes);
      return true;
    }
    (push > 0 ? low : high) = share;
  }
  return false;
}

/// An equation on a kink of its own, with no speed across it: the side whose accelerations lead into it and are nearest to the free ones. Where
/// neither leads on the motion stays in the kink, which the row alone can hold only if the mean of its sides does.
void choose_side_of_kink(const model::Model& model, model::State state, const Options& options, Workspace& workspace,
                         const std::vector<std::pair<std::uint32_t, Side>>& kinks, Corners& out) {
  const std::uint32_t number = kinks[0].first;
  const Side on = kinks[0].second;
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const std::string row = model::row_name(model, place.row);
  if (kinks.size() > 1) {
    out.refusal = "several kinks of equations are met at once, of " + row + " and of " +
                  model::row_name(model, model::place_of_switch(model, kinks[1].first).row) +
                  ": write them as inequalities, whose sides may all hold";
    return;
  }
  Options inner = options;
  inner.tell = false;
  inner.balanced = {};
  if (!inner.gone.is_told()) inner.gone = RowSet(model.rows());
  // g'' under the rows of this side, of its terms; not a number where it has no accelerations.
  Instant instant;
  const auto leads = [&](Side side) {
    set_modes(*place.group, place.corner, place.lane, side, state.modes);
    accelerate(model, state, inner, workspace, instant);
    if (instant.status != Status::determined) return std::numeric_limits<double>::quiet_NaN();
    const SwitchRates rates = switch_rates(model, number, state, instant.accelerations);
    const SwitchRates free = switch_rates(model, number, state, instant.free);
    const SwitchRates still = switch_rates(model, number, state, {});
    const double size =
        std::abs(free.second - still.second) + std::abs(rates.second - still.second) + std::abs(still.second);
    return std::abs(rates.second) <= push_zero * size ? 0.0 : rates.second;
  };
  const double below = leads(on - 1);
  const Minimiser down{instant.accelerations, instant.constraint};
  const double above = leads(on + 1);
  const Minimiser up{instant.accelerations, instant.constraint};
  const auto take = [&](Side side) {
    out.sides[number] = side;
    set_modes(*place.group, place.corner, place.lane, side, out.modes);
  };
  if (std::isnan(below) || std::isnan(above)) {
    // A shock comes first, or what `accelerate` tells of either side.
    return;
  }
  const bool leads_down = below < 0;
  const bool leads_up = above > 0;
  if (leads_down && leads_up) {
    if (std::abs(down.constraint - up.constraint) <= equally_costly * std::max(down.constraint, up.constraint)) {
      out.ways = {down, up};
      out.refusal =
          "both sides of a kink of " + row + " lead on with the same constraint: the motion may go either way";
      return;
    }
    return take(down.constraint < up.constraint ? on - 1 : on + 1);
  }
  if (leads_down) return take(on - 1);
  if (leads_up) return take(on + 1);
  if (below == 0 && above == 0) return;
  if (leads(on) == 0) return take(on);
  if (below > 0 && above < 0 && share_bend(model, state, inner, workspace, number, on, out)) {
    out.sides[number] = on;
    return;
  }
  out.refusal =
      "the motion stays in a kink of " + row +
      ", where both of its sides hold it and an equation has but one of them: write an inequality with abs, min, "
      "max or table, whose sides may both hold";
}

}  // namespace

Corners find_corners(const model::Model& model, const model::State& given, const Options& options, Workspace& workspace,
                     std::span<const KnownSide> known, std::span<const KnownSide> near,
                     std::span<const Imposed> imposed, const Pins* pins) {
  enum class Told : std::uint8_t { nothing, side, threshold, slid };
  Corners out;
  std::vector<Told> told(model.switches, Told::nothing);
  out.sides.assign(model.switches, 0);
  for (const KnownSide& one : known) {
    out.sides[one.number] = one.side;
    told[one.number] = Told::side;
  }
  for (const KnownSide& one : near) {
    out.sides[one.number] = one.side;
    told[one.number] = one.slid ? Told::slid : Told::threshold;
  }
  model::State state = given;
  state.modes = model::modes_of(model, out.sides);
  // Velocities that meet a threshold together with places: rates within their doubt are zero.
  const bool with_velocities =
      near.size() > 1 && !model.flow && std::any_of(near.begin(), near.end(), [&](const KnownSide& one) {
        return switch_rates(model, one.number, state, {}).by_velocity;
      });

  // From the inside out: what are values and rates, and who is on a threshold, and is not told by its rate to which side it goes?
  std::vector<std::uint32_t> critical;
  std::vector<Side> on;
  std::vector<Side> towards;
  std::vector<std::pair<std::uint32_t, Side>> kinks;  // of equations
  const auto counts = [&](std::uint32_t row) { return !options.gone.contains(row); };
  // Which side do the conditions forbid? That is asked of what is on a threshold alone.
  std::optional<Pins> own;
  const auto forbidden = [&](std::uint32_t number) {
    if (pins == nullptr) pins = &own.emplace(model);
    return pins->forbidden(number, options.gone);
  };
  model::for_cornered(model, [&](const model::Slotted& group) {
    for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
      std::vector<std::uint8_t> waits(group.corners.size(), 0);  // for an inner one that is critical
      for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
        const Corner& corner = group.corners[c];
        const std::uint32_t number = group.first_switch + c * group.lanes + lane;
        if (corner.kind == expressions::CornerKind::part) continue;
        if (corner.kind == expressions::CornerKind::moves) {
          // At rest if every part of it is zero; then all of them are asked at once.
          bool rests = told[number] == Told::threshold || told[number] == Told::slid;
          if (told[number] == Told::nothing) {
            rests = true;
            for (std::uint32_t part = 1; part <= corner.parts && rests; ++part) {
              const SwitchRates rates = switch_rates(model, number + part * group.lanes, state, {});
              rests = is_on_threshold(std::abs(rates.g), rates);
            }
          }
          const Side going = told[number] == Told::slid ? out.sides[number] : expressions::part_rests;
          out.sides[number] = rests ? 1 : 2;
          set_modes(group, c, lane, out.sides[number], state.modes);
          for (std::uint32_t part = 1; part <= corner.parts; ++part) {
            const std::uint32_t its = number + part * group.lanes;
            out.sides[its] = rests ? expressions::part_rests : expressions::part_moves;
            set_modes(group, c + part, lane, out.sides[its], state.modes);
            if (!rests) continue;
            critical.push_back(its);
            on.push_back(expressions::part_rests);
            towards.push_back(going);
          }
          continue;
        }
        if (told[number] == Told::side) continue;
        const SwitchRates rates = switch_rates(model, number, state, {});
        Side& side = out.sides[number];
        if (told[number] == Told::nothing) side = corner.side(rates.g, rates.beside);
        const bool follows_critical =
            std::any_of(corner.inner.begin(), corner.inner.end(), [&](std::uint32_t one) { return waits[one] != 0; });
        const auto [distance, threshold] = nearest_threshold(corner, side, rates.g);
        const bool near_it = told[number] == Told::threshold || told[number] == Told::slid;
        const bool meets = near_it || is_on_threshold(distance, rates);
        if (meets && !corner.follows && !follows_critical && corner.kind != expressions::CornerKind::turns) {
          // Where the rate is known beforehand it decides. The rates of a flow are not: they depend on the sides.
          const bool known_rate = told[number] != Told::slid && (model.flow ? !rates.by_position : !rates.by_velocity);
          const model::SwitchPlace place = model::place_of_switch(model, number);
          const Side barred = forbidden(number);
          const double no_rate = rate_zero * rates.rate_size +
                                 (with_velocities || barred != no_side ? doubts_of_state * rates.rate_doubt : 0.0);
          if (known_rate && std::abs(rates.first) > no_rate) {
            side = rates.first > 0 ? threshold + 1 : threshold - 1;
            // What is led into a wall is on it until it has been struck.
            if (side == barred) side = threshold;
          } else if (!corner.quiet && !place.truth && place.row >= model.rows()) {
            critical.push_back(number);
            on.push_back(threshold);
            towards.push_back(near_it && side != barred ? side : threshold);
            waits[c] = 1;
          } else if (!corner.quiet && place.row < model.rows() && model::is_equation(model.row_kind[place.row]) &&
                     rates.by_position && counts(place.row)) {
            kinks.emplace_back(number, threshold);
          }
        }
        if (follows_critical) waits[c] = 1;
        set_modes(group, c, lane, side, state.modes);
      }
    }
  });
  out.modes = state.modes;
  if (!kinks.empty() && critical.empty()) choose_side_of_kink(model, state, options, workspace, kinks, out);
  if (critical.empty()) return out;
  if (pins == nullptr) pins = &own.emplace(model);

  // Of those that are known to be on a side, which are on a threshold nevertheless?
  std::vector<std::pair<std::uint32_t, Side>> touched;
  for (const KnownSide& one : known) {
    // Where it is asked once more for what is imposed, these have been looked at.
    if (!imposed.empty()) break;
    const model::SwitchPlace place = model::place_of_switch(model, one.number);
    const Corner& corner = place.group->corners[place.corner];
    if (corner.quiet || corner.follows || place.truth || place.row < model.rows() || corner.directs() ||
        corner.kind == expressions::CornerKind::turns || (pins != nullptr && pins->keep(one.number, options.gone))) {
      continue;
    }
    const SwitchRates rates = switch_rates(model, one.number, state, {});
    const auto [distance, threshold] = nearest_threshold(corner, one.side, rates.g);
    if (is_on_threshold(distance, rates)) touched.emplace_back(one.number, threshold);
  }
  Sliding sliding(model, state, options, workspace, out, critical, on, towards, std::move(touched), *pins);
  sliding.impose(imposed);
  sliding.run();
  return out;
}

bool needs_corners(const model::Model& model, const model::State& state, const Options& options) {
  return (model.switches > 0 && state.modes.empty()) ||
         (!options.gone.is_told() && (has_alternatives(model) || has_twins(model)));
}

Resolved resolve_corners(const model::Model& model, const model::State& state, const Options& options,
                         Workspace& workspace) {
  Resolved out;
  out.state = state;
  Options inner = options;
  const bool sides_known = model.switches == 0 || !state.modes.empty();
  std::vector<KnownSide> known;
  if (!sides_known) {
    std::vector<Side> sides = model::sides_of(model, state);
    for (const std::uint32_t spring : released(model, state).springs) {
      for (const std::uint32_t number : model.springs[spring].switches) {
        sides[number] = 0;
        known.push_back({number, 0});
      }
    }
    out.state.modes = model::modes_of(model, sides);
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      std::optional<Valley> valley = find_valley(model, out.state, row, {}, sides);
      if (!valley) continue;
      out.valleys.push_back(std::move(*valley));
      const model::RowGroup& group = model.groups[model.row_group[row]];
      for (const std::uint32_t one : {row, model.row_twin[row]}) {
        for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
          const std::uint32_t number = group.first_switch + c * group.lanes + model.row_lane[one];
          known.push_back({number, sides[number]});
        }
      }
    }
    out.state.modes = model::modes_of(model, sides);
  }
  if (!options.gone.is_told()) {
    out.idle = RowSet(model.rows());
    for (std::uint32_t row = 0; row < model.rows(); ++row) out.idle.put(row, is_second_twin(model, row));
    for (const Valley& valley : out.valleys) out.idle.remove(model.row_twin[valley.row]);
    for (const model::Cone& cone : model.cones) {
      if (!touches_in_apex(model, out.state, cone, workspace)) continue;
      out.cones.push_back(cone);
      out.idle.add(cone.row);
      for (std::size_t k = 0; k < expressions::spokes_of_cone; ++k) out.idle.remove(cone.spoke(k));
    }
    inner.gone = out.idle;
    if (has_alternatives(model)) {
      out.idle = idle_rows(model, out.state, inner, workspace, out.several);
      // Those that nothing can happen to have values, too, for who asks about one instant.
      Evaluation& evaluation = workspace.evaluation();
      model::evaluate_rows(model, out.state, evaluation.scratch, evaluation.rows);
    }
  } else {
    out.idle = options.gone;
  }
  inner.gone = out.idle;
  if (!sides_known) {
    out.corners = find_corners(model, state, inner, workspace, known, {});
    out.state.modes = out.corners.modes;
    if (!model.flow && model.rows() > 0) {
      inner.gone = RowSet::all(model.rows());
      Corners alone = find_corners(model, state, inner, workspace, known, {});
      if (alone.refusal.empty()) out.alone = std::move(alone);
    }
  }
  return out;
}

namespace {

/// Do conditions that act and a friction at rest hold the same, so that nothing tells how they share it? Such a friction is slid on, or on another side than without conditions.
bool share_what_they_hold(const model::Model& model, const Resolved& found, const model::Rows& rows,
                          const Instant& instant) {
  std::vector<std::uint32_t> undecided = found.corners.slid;
  for (std::uint32_t number = 0; found.alone && number < model.switches; ++number) {
    if (found.alone->sides[number] != found.corners.sides[number]) undecided.push_back(number);
  }
  Span held;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (instant.role[row] != Role::equation && instant.role[row] != Role::binding) continue;
    std::vector<double> gradient(model.variables, 0.0);
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      gradient[model.row_column[e]] += rows.entry[e];
    static_cast<void>(held.add(std::move(gradient)));
  }
  return std::any_of(undecided.begin(), undecided.end(), [&](std::uint32_t number) {
    const model::SwitchPlace place = model::place_of_switch(model, number);
    const model::Slotted& group = *place.group;
    const std::vector<double> slope = slopes_by_slot(place, found.state);
    std::vector<double> p(model.variables, 0.0);
    bool any = false;
    for (std::size_t k = 0; k < group.velocities; ++k) {
      p[group.velocity_of[k * group.lanes + place.lane]] += slope[group.positions + k];
      any = any || slope[group.positions + k] != 0;
    }
    return any && !held.add(std::move(p));
  });
}

}  // namespace

void accelerate_with_corners(const model::Model& model, const model::State& state, const Options& options,
                             Workspace& workspace, Instant& instant) {
  Resolved found = resolve_corners(model, state, options, workspace);
  Options inner = options;
  inner.gone = found.idle;
  accelerate_on_cones(model, found, inner, workspace, instant);
  if (instant.status == Status::determined && found.alone) {
    const bool shared = share_what_they_hold(model, found, workspace.evaluation().rows, instant);
    instant.multipliers_unique = instant.multipliers_unique && !shared;
    if (found.alone->modes != found.corners.modes) {
      model::State alone = found.state;
      alone.modes = found.alone->modes;
      move_freely(model, alone, workspace, instant);
    }
  }
  if (!found.corners.refusal.empty()) {
    instant.solutions = found.corners.ways;
    instant.status = found.corners.ways.empty() ? Status::undecided : Status::ambiguous;
    instant.expansion = found.corners.refusal;
  } else if (!found.several.ways.empty()) {
    instant.solutions = found.several.ways;
    instant.status = Status::ambiguous;
    instant.expansion = found.several.words;
  }
}

}  // namespace zwang::instant
