/// Switches of a motion.
#include "zwang/motion/switches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/lane.hpp"
#include "zwang/motion/reach.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using expressions::Corner;
using expressions::Side;

namespace {

constexpr double vanishing_part =
    1e-13;  ///< of the terms of g: leading coefficients of a g that starts on its threshold
constexpr double off_at_start =
    1e-11;  ///< of the terms of g: ten times what counts as on a threshold (instant/corners.cpp), where the start is on one
constexpr unsigned most_leading =
    3;  ///< derivatives that vanish where a motion leaves a surface: g, g', and g'' of a position
constexpr double part_of_rest = 0.1;        ///< of a tolerance: what a function may differ by from its polynomial
constexpr double rounding_of_zero = 1e-15;  ///< of the terms of g: a few roundings of a difference that vanishes
constexpr int most_grazes = 100;            ///< of one function on one step
/// Newton's rounds from a place that is right up to rounding, and the part of the place that it may move by.
constexpr int rounds_of_polish = 2;
constexpr double slight_polish = 1e-6;

/// What the first coefficients of a switching function may be off by, at the start of a piece.
using Off = std::array<double, most_leading>;

/// A place found where what begins at zero, all but for rounding, comes to zero again: with that rounding. Left out it would be carried from
/// one switch to the next, and count more and more in a motion that dies down.
double polished(std::span<const double> p, double at, double h) {
  for (int round = 0; round < rounds_of_polish; ++round) {
    double value = 0;
    double rate = 0;
    for (std::size_t k = p.size(); k-- > 0;) {
      rate = rate * at + value;
      value = value * at + p[k];
    }
    const double next = at - value / rate;
    if (!(std::abs(next - at) <= slight_polish * at) || !(next <= h)) break;
    at = next;
  }
  return at;
}

/// Does sign * (c - threshold) rise above zero on [0, h]? Where, or never.
/// `slack`: by how much time the start itself may be off; `off`: by how much the first coefficients.
double rises(std::span<const double> c, double threshold, double sign, bool at_start, double slack, const Off& off,
             double h, double& cut) {
  std::array<double, 64> p{};
  const std::size_t size = std::min(c.size(), p.size());
  for (std::size_t k = 0; k < size; ++k) p[k] = sign * c[k];
  p[0] -= sign * threshold;
  double terms = std::abs(threshold) + std::abs(c[0]);
  double rest = 0;
  double power = 1;
  for (std::size_t k = 1; k < size; ++k) {
    power *= h;
    rest += std::abs(p[k]) * power;
  }
  terms += rest;
  if (p[0] + rest < 0) return never;

  // What is known to vanish at the start is divided out; a rate that leads away from the threshold, be it small, is left as it is.
  std::size_t leading = 0;
  power = 1;
  // The start itself is known up to `slack`, and so is each derivative by what the next one makes of that.
  const auto off_by_time = [&](std::size_t k) { return static_cast<double>(k + 1) * slack * std::abs(p[k + 1]); };
  while (at_start && leading < most_leading && leading + 1 < size && (leading == 0 || p[leading] > 0) &&
         std::abs(p[leading]) * power <= vanishing_part * terms + (off[leading] + off_by_time(leading)) * power) {
    ++leading;
    power *= h;
  }
  const std::span<const double> q(p.data() + leading, size - leading);
  double from = 0;
  for (int round = 0; round < most_grazes; ++round) {
    const Excursion e = first_excursion(q, h, 0.0, from);
    if (e.kind == Excursion::Kind::none) return never;
    if (e.kind == Excursion::Kind::crossing) return leading == 0 ? e.at : polished({p.data(), size}, e.at, h);
    if (e.kind == Excursion::Kind::pending) {
      if (e.at > sensible_cut * h) cut = std::min(cut, e.at);
      return never;
    }
    // What seems to touch may pass by too little to be told from here: it is looked at from nearer, as long as that tells more.
    const double nearer = (1 - left_to_go) * e.at;
    if (leading == 0 && nearer > sensible_cut * h) {
      double value = 0;
      for (std::size_t k = q.size(); k-- > 0;) value = value * nearer + q[k];
      if (std::abs(value) > worth_a_look * eps * terms) {
        cut = std::min(cut, nearer);
        return never;
      }
    }
    from = e.at + (h - e.at) * behind_a_graze;
    if (from >= h) return never;
  }
  return never;
}

/// Bodies and rows of switches, without repetition.
void name_switches(const model::Model& model, const std::vector<std::uint32_t>& switches, Event& event) {
  for (const std::uint32_t number : switches) {
    const model::SwitchPlace place = model::place_of_switch(model, number);
    if (place.row < model.rows() && std::find(event.rows.begin(), event.rows.end(), place.row) == event.rows.end()) {
      event.rows.push_back(place.row);
    }
    for (std::string& body : model::bodies_of_switch(model, number)) {
      if (std::find(event.bodies.begin(), event.bodies.end(), body) == event.bodies.end()) event.bodies.push_back(body);
    }
  }
  std::sort(event.rows.begin(), event.rows.end());
}

bool is_slid(const Switches& switches, std::uint32_t number) {
  return std::binary_search(switches.slid.begin(), switches.slid.end(), number);
}

bool is_valley(const Switches& switches, std::uint32_t row) {
  return std::binary_search(switches.valleys.begin(), switches.valleys.end(), row);
}

/// The switches of a row that keeps its corners inside.
template <class Visit>
void for_switches_of(const model::Model& model, std::uint32_t row, const Visit& visit) {
  const model::RowGroup& group = model.groups[model.row_group[row]];
  for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
    visit(group, c, group.first_switch + c * group.lanes + model.row_lane[row]);
  }
}

/// Every switch of the model, with its place.
template <class Visit>
void for_switches(const model::Model& model, const Visit& visit) {
  model::for_cornered(model, [&](const model::Slotted& group) {
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        visit(group, c, lane, group.first_switch + c * group.lanes + lane);
      }
    }
  });
}

/// Rows of alternatives that are not followed as conditions, unless they were let go.
template <class Visit>
void for_idle_rows(const Motion& motion, const Visit& visit) {
  const Motion::Impl& impl = *motion.impl;
  for (const model::Condition& condition : impl.model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t row = condition.first_row; row < condition.first_row + condition.rows; ++row) {
      const bool twin = instant::is_second_twin(impl.model, row) && !is_valley(impl.switches, impl.model.row_twin[row]);
      if (impl.switches.idle[row] != 0 && impl.switches.gone[row] == 0 && !twin) visit(row);
    }
  }
}

Along along(const Motion::Impl& impl) { return impl.flow != nullptr ? impl.flow->along() : impl.series.along(); }

/// Coefficients of g along the series, with these modes.
std::span<const double> switching_series(const Along& series, const model::Slotted& group, std::uint32_t corner,
                                         std::uint32_t lane, std::vector<double>& registers) {
  run_lane(series, group, group.switching, lane, registers);
  return {registers.data() + std::size_t{group.switching.outputs[corner]} * (std::size_t{series.known} + 1),
          series.known};
}

/// Every switching function to be followed: on which side it is, the series with its modes, and the switch that its passing turns.
/// Those that follow others have nothing of their own. Those nested about a surface slid on are followed on either side of it.
template <class Visit>
void for_followed(const Motion& motion, const Visit& visit) {
  const Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  const Along series = along(impl);
  const auto is_mixed = [&](std::uint32_t number) {
    return std::any_of(switches.mixed.begin(), switches.mixed.end(),
                       [&](const instant::MixedMode& one) { return one.number == number; });
  };
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
    if (group.corners[c].follows || switches.unfollowed[number] != 0) return;
    if (is_slid(switches, number) || is_mixed(number)) return;
    visit(group, c, lane, switches.sides[number], series, Turn{number, false, false, false, 0});
  });
  if (switches.mixed.empty()) return;
  for (const bool above : {false, true}) {
    std::vector<double> modes(series.modes.begin(), series.modes.end());
    for (const instant::MixedMode& one : switches.mixed) modes[one.mode] = above ? one.above : one.below;
    Along side = series;
    side.modes = modes;
    for (std::size_t k = 0; k < switches.mixed.size(); ++k) {
      const instant::MixedMode& one = switches.mixed[k];
      const bool seen = k > 0 && switches.mixed[k - 1].number == one.number;
      const model::SwitchPlace place = model::place_of_switch(impl.model, one.number);
      if (seen || one.number == one.slid || place.group->corners[place.corner].follows) continue;
      visit(*place.group, place.corner, place.lane, above ? one.side_above : one.side_below, side,
            Turn{one.slid, false, false, true, 0});
    }
  }
}

/// The weights of surfaces slid on.
std::span<const double> weight_of(const Motion::Impl& impl, std::size_t j) {
  return impl.flow != nullptr ? impl.flow->weight(j) : impl.series.weight(j);
}

/// What rounding makes of g, g' and g'' at a state on the threshold, in powers of the unit of time: on it by a part of its terms, and what it
/// was slid on with leaves its accelerations, which then cancel, off by what the forces are.
Off off_at(const Motion& motion, std::uint32_t number, double size, double unit) {
  const Motion::Impl& impl = *motion.impl;
  const instant::SwitchRates rates = instant::switch_rates(impl.model, number, motion.state, {});
  Off off{off_at_start * size + instant::bounds_that_are_nothing * rates.doubt};
  if (impl.flow != nullptr) return off;
  const std::vector<double> slope = impl.series.slope(number, motion.state);
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::evaluate_dynamics(impl.model, motion.state, work.scratch, work.dynamics);
  const model::Dynamics& dynamics = work.dynamics;
  const auto mass = dynamics.mass.diagonal();
  double second = 0;
  for (std::size_t i = 0; i < slope.size(); ++i) {
    if (slope[i] == 0 || i >= dynamics.force_error.size()) continue;
    second += std::abs(slope[i]) * instant::bounds_that_are_nothing * dynamics.force_error[i] / mass[i];
  }
  if (!std::isfinite(second)) return off;
  if (rates.by_velocity) {
    off[1] = second * unit;
  } else {
    off[2] = second * unit * unit / 2;
  }
  return off;
}

/// Does one of the corners that it is nested about change?
bool changes_inside(const model::Slotted& group, std::uint32_t c, std::uint32_t lane,
                    const std::vector<std::uint8_t>& anew) {
  const std::vector<std::uint32_t>& inner = group.corners[c].inner;
  return std::any_of(inner.begin(), inner.end(),
                     [&](std::uint32_t one) { return anew[group.first_switch + one * group.lanes + lane] != 0; });
}

}  // namespace

FoundTurns find_turns(const Motion& motion, double h) {
  const Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  FoundTurns found;
  if (impl.model.switches == 0 && !instant::has_alternatives(impl.model)) return found;
  std::vector<double> registers;
  const double slack = resolution(motion.state.time) / along(impl).unit;
  const auto is_clear = [&](std::size_t number) {
    return number < switches.clear.size() && switches.clear[number] != 0;
  };
  for_followed(motion, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, Side side,
                           const Along& series, const Turn& turn) {
    const Corner& corner = group.corners[c];
    if (is_clear(group.first_switch + c * group.lanes + lane)) return;
    const std::span<const double> g = switching_series(series, group, c, lane, registers);
    const bool at_start = switches.at_start[group.first_switch + c * group.lanes + lane] != 0;
    const double size = size_of_lane(series, group.switching, registers, group.switching.outputs[c]);
    Off off{};
    if (at_start) off = off_at(motion, group.first_switch + c * group.lanes + lane, size, series.unit);
    for (const bool above : {false, true}) {
      if (side % 2 == 0 && !corner.has_threshold(side, above)) continue;
      const double threshold = side % 2 == 0 ? corner.threshold(side, above) : corner.threshold(side + 1, false);
      // What differs from its threshold by rounding alone, on all of the step, has no side.
      double moves = std::abs(g[0] - threshold);
      double power = 1;
      for (std::size_t k = 1; k < g.size(); ++k) {
        power *= h;
        moves = std::max(moves, std::abs(g[k]) * power);
      }
      if (moves <= rounding_of_zero * size) continue;
      const double at = rises(g, threshold, above ? 1.0 : -1.0, at_start, slack, off, h, found.cut);
      if (at == never) continue;
      found.turns.push_back({turn.number, above, false, turn.again, at});
      found.at = std::min(found.at, at);
    }
  });

  // Weights of those slid on.
  const std::vector<Series::Slide> slides = slides_of(switches);
  for (std::size_t j = 0; j < slides.size(); ++j) {
    const std::span<const double> sigma = weight_of(impl, j);
    for (const bool above : {false, true}) {
      const bool edge = std::abs(sigma[0] - (above ? 1.0 : 0.0)) <= vanishing_part;
      const double at = rises(sigma, above ? 1.0 : 0.0, above ? 1.0 : -1.0, edge, 0, {}, h, found.cut);
      if (at == never) continue;
      for (const std::uint32_t number : slides[j].numbers) {
        // A function with the same surface may fall where that of the first rises.
        const bool turned = std::any_of(slides[j].mixed.begin(), slides[j].mixed.end(), [&](const auto& mode) {
          return mode.number == number && mode.side_below > mode.side_above;
        });
        found.turns.push_back({number, above != turned, true, false, at});
      }
      found.at = std::min(found.at, at);
    }
  }

  // Alternatives that do not count may come to count.
  for_idle_rows(motion, [&](std::uint32_t row) {
    if (is_clear(impl.model.switches + row)) return;
    const model::RowGroup& group = impl.model.groups[impl.model.row_group[row]];
    run_lane(impl.series.along(), group, group.tape, impl.model.row_lane[row], registers);
    const std::span<const double> f(registers.data() + std::size_t{group.tape.outputs[0]} * (impl.series.order() + 1),
                                    impl.series.order());
    // The first coefficient that counts tells on which side it starts.
    double terms = 0;
    for (std::size_t k = f.size(); k-- > 0;) terms = terms * h + std::abs(f[k]);
    // What stays zero but for rounding, on all of the step, has no side: a face that another one rests on.
    if (terms <= rounding_of_zero * size_of_lane(impl.series.along(), group.tape, registers, group.tape.outputs[0]))
      return;
    std::size_t leading = 0;
    double power = 1;
    while (leading < f.size() && std::abs(f[leading]) * power <= vanishing_part * terms) {
      ++leading;
      power *= h;
    }
    if (leading == f.size()) return;
    const double at = rises(f, 0, f[leading] < 0 ? 1.0 : -1.0, true, 0, {}, h, found.cut);
    if (at == never) return;
    found.rows.emplace_back(row, at);
    found.at = std::min(found.at, at);
  });
  return found;
}

double reach_of_switches(Motion& motion, double h) {
  Motion::Impl& impl = *motion.impl;
  const bool stops = !impl.model.simulation.stop.empty();
  if (impl.model.switches == 0 && !stops && !instant::has_alternatives(impl.model)) return h;
  std::vector<std::uint8_t>& is_clear = impl.switches.clear;
  is_clear.assign(std::size_t{impl.model.switches} + impl.model.rows(), 0);
  impl.switches.stop_clear = false;
  bool clear = false;
  const Along series = along(impl);
  std::vector<double> registers;
  std::vector<double> thresholds;
  LaneBound bound;
  const double part = part_of_rest * impl.tolerance;
  for_followed(motion, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, Side side,
                           const Along& followed, const Turn&) {
    if (!(h > 0)) return;
    static_cast<void>(switching_series(followed, group, c, lane, registers));
    const Corner& corner = group.corners[c];
    thresholds.clear();
    for (const bool above : {false, true}) {
      if (side % 2 != 0) thresholds.push_back(corner.threshold(side + 1, false));
      if (side % 2 == 0 && corner.has_threshold(side, above)) thresholds.push_back(corner.threshold(side, above));
    }
    if (thresholds.empty()) return;
    h = reach_of_lane(followed, group, group.switching, lane, registers, group.switching.outputs[c], thresholds, part,
                      h, bound, clear);
    if (clear) is_clear[group.first_switch + c * group.lanes + lane] = 1;
  });
  thresholds.assign(1, 0.0);
  if (impl.flow == nullptr) {
    for_idle_rows(motion, [&](std::uint32_t row) {
      if (!(h > 0)) return;
      const model::RowGroup& group = impl.model.groups[impl.model.row_group[row]];
      run_lane(series, group, group.tape, impl.model.row_lane[row], registers);
      h = reach_of_lane(series, group, group.tape, impl.model.row_lane[row], registers, group.tape.outputs[0],
                        thresholds, part, h, bound, clear);
      if (clear) is_clear[impl.model.switches + row] = 1;
    });
  }
  if (stops && h > 0) {
    const model::TermGroup& term = impl.model.simulation.stop.front().term;
    std::vector<double> value;
    observe_lane(series, impl.model.simulation.stop.front(), registers, value);
    h = reach_of_lane(series, term, term.tape, 0, registers, term.tape.outputs[0], thresholds, part, h, bound,
                      impl.switches.stop_clear);
  }
  // A surface slid on is kept by its polynomials; the function itself must not leave it, either.
  const double log_tolerance = elementary::log2(part_for(impl.tolerance));
  const std::vector<Series::Slide> slides = slides_of(impl.switches);
  for (std::size_t j = 0; j < slides.size() && h > 0; ++j) {
    for (const std::uint32_t number : slides[j].numbers) {
      const model::SwitchPlace place = model::place_of_switch(impl.model, number);
      static_cast<void>(switching_series(series, *place.group, place.corner, place.lane, registers));
      h = reach_of_lane(series, *place.group, place.group->switching, place.lane, registers,
                        place.group->switching.outputs[place.corner], {}, part, h, bound, clear);
    }
    const std::span<const double> sigma = weight_of(impl, j);
    const double log_of =
        log_reach(impl.series.order() - 2, log_tolerance, false, [&](unsigned k) { return std::abs(sigma[k]); });
    if (log_of < 1000) h = std::min(h, elementary::exp2(log_of));
  }
  return h;
}

void begin_switches(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  Switches& switches = impl.switches;
  switches.at_start.assign(impl.model.switches, 0);
  switches.gone.assign(impl.model.rows(), 0);
  switches.idle.assign(impl.model.rows(), 0);
  switches.released.assign(impl.model.releases.size(), 0);
  if (impl.model.switches == 0) return;
  switches.unfollowed.assign(impl.model.switches, 0);
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    if (!instant::is_second_twin(impl.model, row)) continue;
    for_switches_of(impl.model, row,
                    [&](const auto&, std::uint32_t, std::uint32_t number) { switches.unfollowed[number] = 1; });
  }
  switches.sides = model::sides_of(impl.model, motion.state);
  motion.state.modes = model::modes_of(impl.model, switches.sides);
}

bool is_true(const Motion& motion, std::uint32_t truth) {
  const std::vector<std::uint8_t>& holds = motion.impl->switches.holds;
  if (truth < holds.size() && holds[truth] != 0) return true;
  const model::TermGroup& term = motion.impl->model.truths[truth].term;
  std::vector<double> registers(term.tape.registers());
  expressions::load_constants(term.tape, registers.data(), 1, 1);
  const std::size_t place = std::size_t{1} + term.positions + term.velocities + term.steady();
  for (std::uint32_t k = 0; k < term.modes; ++k) registers[place + k] = motion.state.modes[term.first_mode + k];
  expressions::extend(term.tape, registers.data(), 1, 0, 0, 1);
  return registers[term.tape.outputs[0]] != 0;
}

double next_release(const Motion& motion, double time) {
  double next = never;
  const Motion::Impl& impl = *motion.impl;
  for (std::size_t k = 0; k < impl.model.releases.size(); ++k) {
    const model::Release& release = impl.model.releases[k];
    if (impl.switches.released[k] != 0 || !release.when.empty() || release.at <= time) continue;
    next = std::min(next, release.at);
  }
  return next;
}

bool release_due(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  for (std::size_t k = 0; k < impl.model.releases.size(); ++k) {
    const model::Release& release = impl.model.releases[k];
    if (impl.switches.released[k] != 0) continue;
    if (release.when.empty() ? release.at <= motion.state.time + resolution(motion.state.time)
                             : is_true(motion, release.when[0])) {
      return true;
    }
  }
  return false;
}

namespace {

/// The side behind the threshold that a turn passes.
Side behind(const Corner& corner, Side side, const Turn& turn, double beside) {
  if (side % 2 != 0) return turn.above ? side + 1 : side - 1;
  return corner.next(side, turn.above, beside);
}

const Turn* turn_of(const Triggers& triggers, std::uint32_t number) {
  const auto found = std::find_if(triggers.turns.begin(), triggers.turns.end(),
                                  [&](const Turn& turn) { return turn.number == number; });
  return found == triggers.turns.end() ? nullptr : &*found;
}

/// Half turns in comparisons of `stop` and `when` are counted; all else about these is told by what is there after the instant (look_at_truths).
void count_turns_of_truths(Motion& motion, const Triggers& triggers) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  for (const model::Observable& truth : model.truths) {
    const model::Slotted& group = truth.term;
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      const std::uint32_t number = group.first_switch + c;
      const Turn* turn = turn_of(triggers, number);
      if (turn == nullptr || group.corners[c].kind != expressions::CornerKind::turns) continue;
      const instant::SwitchRates rates = instant::switch_rates(model, number, motion.state, {});
      Side& side = switches.sides[number];
      side = behind(group.corners[c], side, *turn, rates.beside);
      switches.at_start[number] = 1;
      motion.state.modes = model::modes_of(model, switches.sides);
    }
  }
}

/// Where a switching function goes from a threshold that it is on: -1, 1, or 0 if its first derivatives vanish, too.
int leads_to(const Motion& motion, const instant::SwitchRates& rates, const Off& off) {
  const double least_rate =
      std::max(off[1], instant::bounds_that_are_nothing * rates.rate_doubt) + vanishing_part * rates.rate_size;
  if (std::abs(rates.first) > least_rate) return rates.first > 0 ? 1 : -1;
  if (rates.by_velocity || motion.impl->flow != nullptr) return 0;
  return std::abs(rates.second) > 2 * off[2] ? (rates.second > 0 ? 1 : -1) : 0;
}

/// What is known of every switch before the forces are asked; `anew`: per switch, 1: its value or its forces tell.
void tell_sides(const Motion& motion, const Triggers& triggers, bool first, bool struck,
                std::vector<instant::KnownSide>& known, std::vector<instant::KnownSide>& near,
                std::vector<std::uint8_t>& anew) {
  const Switches& switches = motion.impl->switches;
  const model::Model& model = motion.impl->model;
  anew.assign(model.switches, 0);
  for_switches(model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
    const Corner& corner = group.corners[c];
    const Side side = switches.sides[number];
    const model::SwitchPlace place = model::place_of_switch(model, number);
    // A row in a valley and its twin know their sides of it; a twin that does not count has none.
    const bool in_valley =
        place.row < model.rows() && is_valley(switches, std::min(place.row, model.row_twin[place.row]));
    if (place.truth || switches.unfollowed[number] != 0 || (first && in_valley)) {
      known.push_back({number, side});
      return;
    }
    // An equation that a shock has brought to rest in its kink.
    const bool equation = place.row < model.rows() && model::is_equation(model.row_kind[place.row]);
    if (const Turn* passed = turn_of(triggers, number); struck && equation && passed != nullptr) {
      const instant::SwitchRates rates = instant::switch_rates(model, number, motion.state, {});
      if (rates.by_position && std::abs(rates.first) <= vanishing_part * rates.rate_size) {
        near.push_back({number, side});
        anew[number] = 1;
        return;
      }
    }
    const bool counts_turns = corner.kind == expressions::CornerKind::turns;
    const Turn* turn = struck ? nullptr : turn_of(triggers, number);
    const bool slides = is_slid(switches, number);
    // Values tell at the start, of new velocities, and where an inner corner turns.
    if (first || (struck && group.velocities > 0 && !counts_turns) || changes_inside(group, c, lane, anew)) {
      anew[number] = 1;
    } else if (slides && !struck && (turn == nullptr || turn->again)) {
      // Those slid on stay so only if the forces still hold them there.
      near.push_back({number, side, true});
      anew[number] = 1;
    } else if (turn == nullptr) {
      known.push_back({number, side});
    } else if (turn->slips &&
               std::find(switches.implied.begin(), switches.implied.end(), 1) != switches.implied.end()) {
      // Another share of the weights may hold it nevertheless.
      near.push_back({number, turn->above ? side + 1 : side - 1, true});
      anew[number] = 1;
    } else if (turn->slips) {
      known.push_back({number, turn->above ? side + 1 : side - 1});
      anew[number] = 1;
    } else if (counts_turns) {
      const instant::SwitchRates rates = instant::switch_rates(model, number, motion.state, {});
      known.push_back({number, behind(corner, side, *turn, rates.beside)});
      anew[number] = 1;
    } else {
      near.push_back({number, behind(corner, side, *turn, 0)});
      anew[number] = 1;
    }
  });
}

/// Sides, weights and modes of the next piece.
void take_corners(Motion& motion, const instant::Corners& corners, const Triggers& triggers, bool first,
                  const std::vector<std::uint8_t>& anew) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  for (std::uint32_t number = 0; number < model.switches; ++number) {
    if (!model::place_of_switch(model, number).truth) switches.at_start[number] = 0;
  }
  for (const Turn& turn : triggers.turns) switches.at_start[turn.number] = 1;
  for (const std::uint32_t number : switches.slid) switches.at_start[number] = 1;
  switches.sides = corners.sides;
  switches.slid = corners.slid;
  switches.leader = corners.leader;
  switches.weight = corners.weight;
  switches.implied = corners.implied;
  switches.mixed = corners.mixed;
  motion.state.modes = corners.modes;
  for (std::uint32_t number = 0; number < model.switches; ++number) {
    if (!first && anew[number] == 0) continue;
    const model::SwitchPlace place = model::place_of_switch(model, number);
    const Corner& corner = place.group->corners[place.corner];
    const instant::SwitchRates rates = instant::switch_rates(model, number, motion.state, {});
    for (const bool above : {false, true}) {
      const Side side = switches.sides[number];
      if (side % 2 != 0 || !corner.has_threshold(side, above)) continue;
      if (std::abs(corner.threshold(side, above) - rates.g) <= vanishing_part * rates.size)
        switches.at_start[number] = 1;
    }
  }
}

}  // namespace

void open_valleys(Motion& motion, const Triggers& triggers, bool first, std::vector<std::uint8_t>& closed,
                  std::vector<std::uint8_t>& steady) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  if (model.switches == 0) return;
  std::vector<std::uint32_t> passing;
  std::vector<std::uint8_t> looked_at = closed;
  for (const Turn& turn : triggers.turns) {
    passing.push_back(turn.number);
    const std::uint32_t row = model::place_of_switch(model, turn.number).row;
    // Over a kink that it does not touch it flies as over any other place.
    if (row < model.rows()) evaluate_row(motion, row);
    const model::Rows& rows = impl.workspace.evaluation().rows;
    if (row < model.rows() && rows.value[row] >= -(touch_in_motion * rows.value_scale[row] +
                                                   instant::bounds_that_are_nothing * rows.value_error[row])) {
      looked_at[row] = 1;
    }
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const std::uint32_t twin = model.row_twin[row];
    if (twin <= row || switches.gone[row] != 0 || is_valley(switches, row) || !(first || looked_at[row] != 0)) continue;
    const std::optional<instant::Valley> found =
        instant::find_valley(model, motion.state, row, passing, switches.sides);
    if (!found) continue;
    switches.valleys.insert(std::lower_bound(switches.valleys.begin(), switches.valleys.end(), row), row);
    for_switches_of(model, twin,
                    [&](const auto&, std::uint32_t, std::uint32_t number) { switches.unfollowed[number] = 0; });
    for (const std::uint32_t number : found->switches) switches.unfollowed[number] = 1;
    motion.state.modes = model::modes_of(model, switches.sides);
    closed[twin] = closed[row];
    // The side that it comes from is kept if it was; the other one may be struck.
    steady[row] = impl.place[row] == Place::held || impl.place[row] == Place::implied ? closed[row] : 0;
    steady[twin] = 0;
  }
}

std::vector<std::uint32_t> leave_valleys(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  instant::Instant& now = impl.instant;
  instant::Evaluation& work = impl.workspace.evaluation();
  std::vector<std::uint32_t> taken;
  if (switches.valleys.empty()) return taken;
  const auto is_held = [&](std::uint32_t row) {
    return now.role[row] == instant::Role::binding || now.role[row] == instant::Role::marginal;
  };
  std::erase_if(switches.valleys, [&](std::uint32_t row) {
    const std::uint32_t twin = model.row_twin[row];
    if (is_held(row) && is_held(twin)) return false;
    // Beside the kink f+ - f- = c g with c > 0: the side on which the motion goes on is that of the greater one.
    const double faster = now.rate[twin] - now.rate[row];
    const bool told = std::abs(faster) > work.touch_rate[row] + work.touch_rate[twin];
    const bool other =
        is_held(row) != is_held(twin) ? is_held(twin) : (told ? faster > 0 : now.second[twin] > now.second[row]);
    if (other) {
      // The row takes the place of its twin, with all that is known of it.
      if (taken.empty()) {
        taken.resize(model.rows());
        std::iota(taken.begin(), taken.end(), 0U);
      }
      taken[row] = twin;
      taken[twin] = row;
      const auto exchange = [&](auto& list) { std::swap(list[row], list[twin]); };
      exchange(now.role);
      exchange(now.multipliers);
      exchange(now.value);
      exchange(now.rate);
      exchange(now.second);
      exchange(work.touch_value);
      exchange(work.touch_rate);
      for (std::vector<double>* list :
           {&work.rows.value, &work.rows.rate, &work.rows.explicit_rate, &work.rows.curvature,
            &work.rows.curvature_scale, &work.rows.value_scale, &work.rows.rate_scale, &work.rows.value_error,
            &work.rows.rate_error, &work.rows.curvature_error}) {
        exchange(*list);
      }
      for (std::uint32_t e = 0; e < model.row_start[row + 1] - model.row_start[row]; ++e) {
        std::swap(work.rows.entry[model.row_start[row] + e], work.rows.entry[model.row_start[twin] + e]);
      }
      for (instant::Decision& decision : now.decisions) {
        if (decision.row == row || decision.row == twin) decision.row = decision.row == row ? twin : row;
      }
      const std::uint32_t across = model.row_lane[twin] - model.row_lane[row];
      for_switches_of(model, row, [&](const auto&, std::uint32_t, std::uint32_t number) {
        std::swap(switches.sides[number], switches.sides[number + across]);
      });
    }
    for_switches_of(model, row, [&](const auto&, std::uint32_t, std::uint32_t number) {
      if (switches.unfollowed[number] != 0) switches.at_start[number] = 1;
      switches.unfollowed[number] = 0;
    });
    for_switches_of(model, twin,
                    [&](const auto&, std::uint32_t, std::uint32_t number) { switches.unfollowed[number] = 1; });
    now.role[twin] = instant::Role::absent;
    now.multipliers[twin] = 0;
    switches.idle[twin] = 1;
    return true;
  });
  std::vector<double> modes = model::modes_of(model, switches.sides);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (model.row_twin[row] == row) continue;
    const model::RowGroup& group = model.groups[model.row_group[row]];
    for (std::uint32_t slot = 0; slot < group.modes; ++slot) {
      const std::uint32_t mode = group.first_mode + slot * group.lanes + model.row_lane[row];
      motion.state.modes[mode] = modes[mode];
    }
  }
  return taken;
}

bool settle_switches(Motion& motion, const Triggers& triggers, bool first, bool struck, const instant::Options& given) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  instant::Options options = given;
  if (!struck) {
    if (model.switches > 0) {
      motion.state.modes = model::modes_of(model, switches.sides);
      count_turns_of_truths(motion, triggers);
    }
    for (const instant::MixedMode& mode : switches.mixed) {
      const auto j = std::lower_bound(switches.slid.begin(), switches.slid.end(), mode.slid) - switches.slid.begin();
      instant::mix(mode, switches.weight[static_cast<std::size_t>(j)], motion.state.modes);
    }
    for (std::size_t k = 0; k < model.releases.size(); ++k) {
      const model::Release& release = model.releases[k];
      if (switches.released[k] != 0) continue;
      const bool due = release.when.empty() ? release.at <= motion.state.time + resolution(motion.state.time)
                                            : is_true(motion, release.when[0]);
      if (!due) continue;
      switches.released[k] = 1;
      for (const std::uint32_t row : release.rows) switches.gone[row] = 1;
    }
  }
  switches.idle = switches.gone;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (instant::is_second_twin(model, row) && !is_valley(switches, model.row_twin[row])) switches.idle[row] = 1;
  }
  options.gone = switches.idle;

  // Sides: what passed a threshold or lies on one is found anew, the rest stays.
  if (model.switches > 0) {
    std::vector<instant::KnownSide> known;
    std::vector<instant::KnownSide> near;
    std::vector<std::uint8_t> anew;
    tell_sides(motion, triggers, first, struck, known, near, anew);
    const instant::Corners corners = instant::find_corners(model, motion.state, options, impl.workspace, known, near);
    take_corners(motion, corners, triggers, first, anew);
    if (!corners.refusal.empty()) {
      for (const instant::Minimiser& way : corners.ways) motion.continuations.push_back(way.accelerations);
      end(motion, corners.ways.empty() ? Status::refused : Status::singular, corners.refusal);
      return false;
    }
    impl.series.slide(slides_of(switches));
    project_slid(motion);
  }

  // Alternatives.
  if (instant::has_alternatives(model)) {
    instant::Several several;
    std::vector<std::uint8_t> closed(given.closed.begin(), given.closed.end());
    closed.resize(model.rows(), 0);
    for (const std::uint32_t row : triggers.alternatives) closed[row] = struck ? closed[row] : 1;
    if (!first) options.closed = closed;
    switches.idle = instant::idle_rows(model, motion.state, options, impl.workspace, several);
    if (!several.ways.empty()) {
      for (const instant::Minimiser& way : several.ways) motion.continuations.push_back(way.accelerations);
      end(motion, Status::singular, several.words);
      return false;
    }
  }
  return true;
}

void look_at_truths(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  switches.holds.assign(model.truths.size(), 0);
  if (model.truths.empty() || model.switches == 0) return;
  const std::vector<double> modes = motion.state.modes;
  const std::span<const double> accelerations =
      impl.flow != nullptr ? std::span<const double>{} : std::span<const double>(impl.instant.accelerations);
  std::vector<Side> behind_it = switches.sides;
  // At the instant itself, then right behind it. Comparisons may be nested: from the inside out.
  for (const bool now : {true, false}) {
    std::vector<Side> sides = switches.sides;
    for (const model::Observable& truth : model.truths) {
      const model::Slotted& group = truth.term;
      for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
        const Corner& corner = group.corners[c];
        if (corner.kind == expressions::CornerKind::turns) continue;
        const std::uint32_t number = group.first_switch + c;
        motion.state.modes = model::modes_of(model, sides);
        const instant::SwitchRates rates = instant::switch_rates(model, number, motion.state, accelerations);
        if (!std::isfinite(rates.g)) continue;
        const Side plain = corner.side(rates.g);
        const Off off = off_at(motion, number, rates.size, 1.0);
        double threshold = never;
        for (const bool above : {false, true}) {
          const Side interval = plain % 2 != 0 ? plain + 1 : plain;
          if (!corner.has_threshold(interval, above)) continue;
          const double one = corner.threshold(interval, above);
          if (std::abs(rates.g - one) <= off[0]) threshold = one;
        }
        if (threshold == never) {
          sides[number] = plain;
          continue;
        }
        const Side on = corner.side(threshold);
        const int leads = now || corner.follows ? 0 : leads_to(motion, rates, off);
        const bool odd = on % 2 != 0;
        sides[number] = leads == 0 ? on : (leads > 0 ? on + (odd ? 1 : 0) : on - (odd ? 1 : 2));
        if (!now) switches.at_start[number] = 1;
      }
    }
    motion.state.modes = model::modes_of(model, sides);
    std::vector<std::uint8_t> holds(model.truths.size(), 0);
    for (std::uint32_t k = 0; k < model.truths.size(); ++k) holds[k] = is_true(motion, k) ? 1 : 0;
    switches.holds = std::move(holds);
    if (!now) behind_it = std::move(sides);
  }
  motion.state.modes = modes;
  switches.sides = std::move(behind_it);
  const std::vector<double> new_modes = model::modes_of(model, switches.sides);
  for (const model::Observable& truth : model.truths) {
    const model::Slotted& group = truth.term;
    for (std::uint32_t k = 0; k < group.modes; ++k) {
      motion.state.modes[group.first_mode + k] = new_modes[group.first_mode + k];
    }
  }
}

std::vector<Series::Slide> slides_of(const Switches& switches) {
  std::vector<Series::Slide> out;
  for (std::size_t j = 0; j < switches.slid.size(); ++j) {
    if (switches.implied[j] != 0) continue;
    auto same = std::find_if(out.begin(), out.end(),
                             [&](const Series::Slide& one) { return one.numbers[0] == switches.leader[j]; });
    if (same == out.end()) {
      out.emplace_back();
      same = out.end() - 1;
    }
    same->numbers.push_back(switches.slid[j]);
    for (const instant::MixedMode& mode : switches.mixed) {
      if (mode.slid == switches.slid[j]) same->mixed.push_back(mode);
    }
  }
  return out;
}

bool settle_flow_switches(Motion& motion, const Triggers& triggers, bool first) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  if (model.switches == 0) return true;
  motion.state.modes = model::modes_of(model, impl.switches.sides);
  count_turns_of_truths(motion, triggers);
  std::vector<instant::KnownSide> known;
  std::vector<instant::KnownSide> near;
  std::vector<std::uint8_t> anew;
  tell_sides(motion, triggers, first, false, known, near, anew);
  const instant::Corners corners = instant::find_corners(model, motion.state, {}, impl.workspace, known, near);
  take_corners(motion, corners, triggers, first, anew);
  if (!corners.refusal.empty()) {
    for (const instant::Minimiser& way : corners.ways) motion.continuations.push_back(way.accelerations);
    end(motion, corners.ways.empty() ? Status::refused : Status::singular, corners.refusal);
    return false;
  }
  impl.flow->slide(slides_of(impl.switches));
  return true;
}

void list_switches(Motion& motion, const Switches& before, const Triggers& triggers, bool first) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const Switches& now = impl.switches;
  const auto add = [&](EventKind kind) -> Event& {
    Event event;
    event.time = motion.state.time;
    event.kind = kind;
    motion.events.push_back(std::move(event));
    return motion.events.back();
  };
  std::vector<std::uint32_t> gone;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (now.gone[row] != 0 && (before.gone.empty() || before.gone[row] == 0)) gone.push_back(row);
  }
  if (!gone.empty()) add(EventKind::let_go).rows = gone;
  std::vector<std::uint32_t> switched;
  std::vector<std::uint32_t> stuck;
  std::vector<std::uint32_t> slipped;
  for (const Turn& turn : triggers.turns) {
    const model::SwitchPlace place = model::place_of_switch(model, turn.number);
    // Where both sides are one function, what is nested about it has only been asked anew.
    if (place.truth || place.group->corners[place.corner].quiet) continue;
    // Itself, and what is nested about it: a corner that others alone look at has switched nothing unless one of them did.
    for (std::uint32_t c = place.corner; c < place.group->corners.size(); ++c) {
      const Corner& corner = place.group->corners[c];
      const std::uint32_t number = place.group->first_switch + c * place.group->lanes + place.lane;
      const bool itself = c == place.corner && !turn.slips && !turn.again;
      if (corner.quiet || corner.inside || !(itself || !corner.inner.empty())) continue;
      if (is_slid(now, number) || is_slid(before, number) || now.sides[number] == before.sides[number]) continue;
      if (std::find(switched.begin(), switched.end(), number) == switched.end()) switched.push_back(number);
    }
  }
  for (const std::uint32_t number : now.slid) {
    if (!is_slid(before, number) && !first) stuck.push_back(number);
  }
  for (const std::uint32_t number : before.slid) {
    if (!is_slid(now, number)) slipped.push_back(number);
  }
  if (!switched.empty()) name_switches(model, switched, add(EventKind::switched));
  if (!stuck.empty()) name_switches(model, stuck, add(EventKind::stick));
  if (!slipped.empty()) name_switches(model, slipped, add(EventKind::slip));
}

void project_slid(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  for (const std::uint32_t number : impl.switches.slid) {
    // v - W p (p W p)^-1 (g - threshold), of a g of positions v - W p (p W p)^-1 g' and the positions: rounding alone moves the state off
    // the surface.
    const model::SwitchPlace place = model::place_of_switch(impl.model, number);
    const model::Slotted& group = *place.group;
    const instant::SwitchRates rates = instant::switch_rates(impl.model, number, motion.state, {});
    const Corner& corner = group.corners[place.corner];
    const double off = rates.g - corner.threshold(impl.switches.sides[number] + 1, false);
    const double speed_off = rates.by_velocity ? off : rates.first;
    const double place_off = rates.by_velocity ? 0.0 : off;
    if (speed_off == 0 && place_off == 0) continue;
    std::vector<double> p = impl.series.slope(number, motion.state);
    std::vector<double> wp(p.size());
    mass_at(motion).solve(p, wp);
    double length = 0;
    for (std::size_t i = 0; i < p.size(); ++i) length += p[i] * wp[i];
    if (!(length > 0)) continue;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] == 0) continue;
      motion.state.velocity[i] -= wp[i] * speed_off / length;
      impl.carry_velocity[i] = 0;
      if (place_off == 0) continue;
      motion.state.position[i] -= wp[i] * place_off / length;
      impl.carry_position[i] = 0;
    }
  }
}

}  // namespace zwang::motion
