/// Switches of a motion.
#include "zwang/motion/switches.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/workspace.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/lane.hpp"
#include "zwang/motion/reach.hpp"

namespace zwang::motion {

using expressions::Corner;
using expressions::Side;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double vanishing_part =
    1e-13;                             ///< of the terms of g: leading coefficients of a g that starts on its threshold
constexpr double sensible_cut = 1e-6;  ///< of a step: a piece is not ended sooner for something that only begins
constexpr unsigned most_leading =
    3;  ///< derivatives that vanish where a motion leaves a surface: g, g', and g'' of a position
constexpr double part_of_rest = 0.1;  ///< of a tolerance: what a function may differ by from its polynomial
constexpr int most_grazes = 100;      ///< of one function on one step

/// Does sign * (c - threshold) rise above zero on [0, h]? Where, or never.
/// `slack`: by how much the start itself may be off.
double rises(std::span<const double> c, double threshold, double sign, bool at_start, double slack, double h,
             double& cut) {
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

  // What is known to vanish at the start is divided out.
  std::size_t leading = 0;
  power = 1;
  while (at_start && leading < most_leading && leading + 1 < size &&
         std::abs(p[leading]) * power <=
             vanishing_part * terms + (leading == 0 && size > 1 ? slack * std::abs(p[1]) : 0.0)) {
    ++leading;
    power *= h;
  }
  const std::span<const double> q(p.data() + leading, size - leading);
  double from = 0;
  for (int round = 0; round < most_grazes; ++round) {
    const Excursion e = first_excursion(q, h, 0.0, from);
    if (e.kind == Excursion::Kind::none) return never;
    if (e.kind == Excursion::Kind::crossing) return e.at;
    if (e.kind == Excursion::Kind::pending) {
      if (e.at > sensible_cut * h) cut = std::min(cut, e.at);
      return never;
    }
    from = e.at + (h - e.at) * 1e-9;
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
      if (impl.switches.idle[row] != 0 && impl.switches.gone[row] == 0) visit(row);
    }
  }
}

Along along(const Motion::Impl& impl) { return impl.flow != nullptr ? impl.flow->along() : impl.series.along(); }

/// Coefficients of g along the series.
std::span<const double> switching_series(const Motion& motion, const model::Slotted& group, std::uint32_t corner,
                                         std::uint32_t lane, std::vector<double>& registers) {
  const Motion::Impl& impl = *motion.impl;
  run_lane(along(impl), group, group.switching, lane, registers);
  const unsigned order = impl.flow != nullptr ? impl.flow->order() : impl.series.order();
  return {registers.data() + std::size_t{group.switching.outputs[corner]} * (order + 1), order};
}

}  // namespace

FoundTurns find_turns(const Motion& motion, double h) {
  const Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  FoundTurns found;
  if (impl.model.switches == 0 && !instant::has_alternatives(impl.model)) return found;
  std::vector<double> registers;
  const double slack = resolution(motion.state.time) / along(impl).unit;
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
    const Corner& corner = group.corners[c];
    if (is_slid(switches, number)) return;
    const std::span<const double> g = switching_series(motion, group, c, lane, registers);
    const Side side = switches.sides[number];
    const bool at_start = switches.at_start[number] != 0;
    for (const bool above : {false, true}) {
      if (side % 2 == 0 && !corner.has_threshold(side, above)) continue;
      const double threshold = side % 2 == 0 ? corner.threshold(side, above) : corner.threshold(side + 1, false);
      const double at = rises(g, threshold, above ? 1.0 : -1.0, at_start, slack, h, found.cut);
      if (at == never) continue;
      found.turns.push_back({number, above, false, at});
      found.at = std::min(found.at, at);
    }
  });

  // Weights of those slid on.
  const std::vector<Series::Slide> slides = slides_of(switches);
  for (std::size_t j = 0; j < slides.size(); ++j) {
    const std::span<const double> sigma = impl.series.weight(j);
    for (const bool above : {false, true}) {
      const bool edge = std::abs(sigma[0] - (above ? 1.0 : 0.0)) <= vanishing_part;
      const double at = rises(sigma, above ? 1.0 : 0.0, above ? 1.0 : -1.0, edge, 0, h, found.cut);
      if (at == never) continue;
      for (const std::uint32_t number : slides[j].numbers) found.turns.push_back({number, above, true, at});
      found.at = std::min(found.at, at);
    }
  }

  // Alternatives that do not count may come to count.
  for_idle_rows(motion, [&](std::uint32_t row) {
    const model::RowGroup& group = impl.model.groups[impl.model.row_group[row]];
    run_lane(impl.series.along(), group, group.tape, impl.model.row_lane[row], registers);
    const std::span<const double> f(registers.data() + std::size_t{group.tape.outputs[0]} * (impl.series.order() + 1),
                                    impl.series.order());
    // The first coefficient that counts tells on which side it starts.
    double terms = 0;
    for (std::size_t k = f.size(); k-- > 0;) terms = terms * h + std::abs(f[k]);
    std::size_t leading = 0;
    double power = 1;
    while (leading < f.size() && std::abs(f[leading]) * power <= vanishing_part * terms) {
      ++leading;
      power *= h;
    }
    if (leading == f.size()) return;
    const double at = rises(f, 0, f[leading] < 0 ? 1.0 : -1.0, true, 0, h, found.cut);
    if (at == never) return;
    found.rows.emplace_back(row, at);
    found.at = std::min(found.at, at);
  });
  return found;
}

double reach_of_switches(const Motion& motion, double h) {
  const Motion::Impl& impl = *motion.impl;
  const bool stops = !impl.model.simulation.stop.empty();
  if (impl.model.switches == 0 && !stops && !instant::has_alternatives(impl.model)) return h;
  const Along series = along(impl);
  std::vector<double> registers;
  std::vector<double> thresholds;
  LaneBound bound;
  const double part = part_of_rest * impl.tolerance;
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
    if (is_slid(impl.switches, number) || !(h > 0)) return;
    static_cast<void>(switching_series(motion, group, c, lane, registers));
    const Corner& corner = group.corners[c];
    const Side side = impl.switches.sides[number];
    thresholds.clear();
    for (const bool above : {false, true}) {
      if (side % 2 != 0) thresholds.push_back(corner.threshold(side + 1, false));
      if (side % 2 == 0 && corner.has_threshold(side, above)) thresholds.push_back(corner.threshold(side, above));
    }
    h = reach_of_lane(series, group, group.switching, lane, registers, group.switching.outputs[c], thresholds, part, h,
                      bound);
  });
  thresholds.assign(1, 0.0);
  if (impl.flow == nullptr) {
    for_idle_rows(motion, [&](std::uint32_t row) {
      if (!(h > 0)) return;
      const model::RowGroup& group = impl.model.groups[impl.model.row_group[row]];
      run_lane(series, group, group.tape, impl.model.row_lane[row], registers);
      h = reach_of_lane(series, group, group.tape, impl.model.row_lane[row], registers, group.tape.outputs[0],
                        thresholds, part, h, bound);
    });
  }
  if (stops && h > 0) {
    const model::TermGroup& term = impl.model.simulation.stop.front().term;
    std::vector<double> value;
    observe_lane(series, impl.model.simulation.stop.front(), registers, value);
    h = reach_of_lane(series, term, term.tape, 0, registers, term.tape.outputs[0], thresholds, part, h, bound);
  }
  const double log_tolerance = elementary::log2(part_for(impl.tolerance));
  for (std::size_t j = 0; j < slides_of(impl.switches).size(); ++j) {
    const std::span<const double> sigma = impl.series.weight(j);
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
  switches.sides = model::sides_of(impl.model, motion.state);
  motion.state.modes = model::modes_of(impl.model, switches.sides);
}

bool is_true(const Motion& motion, std::uint32_t truth) {
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

bool settle_switches(Motion& motion, const Triggers& triggers, bool first, bool struck, const instant::Options& given) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  instant::Options options = given;
  if (!struck) {
    // What became true: comparisons of `stop` and `when` follow their own switches.
    for (const Turn& turn : triggers.turns) {
      const model::SwitchPlace place = model::place_of_switch(model, turn.number);
      if (!place.truth) continue;
      const Corner& corner = place.group->corners[place.corner];
      switches.sides[turn.number] = corner.next(switches.sides[turn.number], turn.above);
    }
    if (model.switches > 0) motion.state.modes = model::modes_of(model, switches.sides);
    for (std::size_t j = 0; j < switches.slid.size(); ++j) {
      instant::mix_modes(model, switches.slid[j], switches.sides[switches.slid[j]], switches.weight[j],
                         motion.state.modes);
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
  options.gone = switches.idle;

  // Sides: what passed a threshold or lies on one is found anew, the rest stays.
  if (model.switches > 0) {
    std::vector<instant::KnownSide> known;
    std::vector<instant::KnownSide> near;
    const auto turned = [&](std::uint32_t number) {
      return std::find_if(triggers.turns.begin(), triggers.turns.end(),
                          [&](const Turn& turn) { return turn.number == number; });
    };
    for_switches(model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
      const Corner& corner = group.corners[c];
      const Side side = switches.sides[number];
      const bool truth = model::place_of_switch(model, number).truth;
      if (first && !truth) return;
      const auto turn = turned(number);
      if (struck && !truth && group.velocities > 0) return;  // velocities are new: values tell
      if (turn == triggers.turns.end() || truth || struck) {
        // Those slid on stay so only if the forces still hold them there.
        if (is_slid(switches, number) && !struck) {
          near.push_back({number, side});
        } else {
          known.push_back({number, side});
        }
      } else if (turn->slips) {
        known.push_back({number, turn->above ? side + 1 : side - 1});
      } else if (corner.kind == expressions::CornerKind::turns) {
        std::vector<double> g;
        std::vector<double> modes(group.modes);
        for (std::uint32_t k = 0; k < group.modes; ++k) {
          modes[k] = motion.state.modes[group.first_mode + k * group.lanes + lane];
        }
        model::evaluate_switching(group, lane, motion.state, modes, g);
        known.push_back({number, corner.next(side, turn->above, g[group.corners.size() + c])});
      } else {
        near.push_back({number, side % 2 == 0 ? corner.next(side, turn->above) : (turn->above ? side + 1 : side - 1)});
      }
    });
    const instant::Corners corners = instant::find_corners(model, motion.state, options, impl.workspace, known, near);
    std::fill(switches.at_start.begin(), switches.at_start.end(), std::uint8_t{0});
    for (const Turn& turn : triggers.turns) switches.at_start[turn.number] = 1;
    for (const std::uint32_t number : switches.slid) switches.at_start[number] = 1;
    if (first) {
      std::vector<double> none;
      for (std::uint32_t number = 0; number < model.switches; ++number) {
        const model::SwitchPlace place = model::place_of_switch(model, number);
        const Corner& corner = place.group->corners[place.corner];
        const instant::SwitchRates rates = instant::switch_rates(model, number, motion.state, none);
        for (const bool above : {false, true}) {
          const Side side = corners.sides[number];
          if (side % 2 != 0 || !corner.has_threshold(side, above)) continue;
          if (std::abs(corner.threshold(side, above) - rates.g) <= vanishing_part * rates.size)
            switches.at_start[number] = 1;
        }
      }
    }
    switches.sides = corners.sides;
    switches.slid = corners.slid;
    switches.weight = corners.weight;
    motion.state.modes = corners.modes;
    if (!corners.refusal.empty()) {
      for (const instant::Minimiser& way : corners.ways) motion.continuations.push_back(way.accelerations);
      end(motion, corners.ways.empty() ? Status::refused : Status::singular, corners.refusal);
      return false;
    }
    switches.leader = corners.leader;
    impl.series.slide(slides_of(switches));
    project_slid(motion);
  }

  // Alternatives.
  if (instant::has_alternatives(model)) {
    std::vector<instant::Minimiser> several;
    std::vector<std::uint8_t> closed(given.closed.begin(), given.closed.end());
    closed.resize(model.rows(), 0);
    for (const std::uint32_t row : triggers.alternatives) closed[row] = struck ? closed[row] : 1;
    if (!first) options.closed = closed;
    switches.idle = instant::idle_rows(model, motion.state, options, impl.workspace, several);
    if (!several.empty()) {
      for (const instant::Minimiser& way : several) motion.continuations.push_back(way.accelerations);
      end(motion, Status::singular,
          "several sides of a condition with `or` are equally near: the motion may go either way");
      return false;
    }
  }
  return true;
}

std::vector<Series::Slide> slides_of(const Switches& switches) {
  std::vector<Series::Slide> out;
  for (std::size_t j = 0; j < switches.slid.size(); ++j) {
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const Series::Slide& one) { return one.numbers[0] == switches.leader[j]; });
    if (same != out.end()) {
      same->numbers.push_back(switches.slid[j]);
    } else {
      out.push_back({{switches.slid[j]}, switches.sides[switches.slid[j]]});
    }
  }
  return out;
}

bool settle_flow_switches(Motion& motion, const Triggers& triggers, bool first) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  if (model.switches == 0) return true;

  // Comparisons and what is continuous pass; of the others the rates on either side tell.
  std::vector<std::pair<std::uint32_t, Side>> asked;
  if (first) {
    for (std::uint32_t number = 0; number < model.switches; ++number) {
      const model::SwitchPlace place = model::place_of_switch(model, number);
      const Corner& corner = place.group->corners[place.corner];
      const instant::SwitchRates rates = instant::switch_rates(model, number, motion.state, {});
      const Side side = switches.sides[number];
      if (place.truth || corner.quiet) continue;
      const double down = corner.has_threshold(side, false) ? rates.g - corner.threshold(side, false) : never;
      const bool on = side % 2 != 0 || std::abs(down) <= vanishing_part * rates.size;
      if (on) asked.emplace_back(number, side % 2 != 0 ? side : side - 1);
    }
  }
  for (const Turn& turn : triggers.turns) {
    const model::SwitchPlace place = model::place_of_switch(model, turn.number);
    const Corner& corner = place.group->corners[place.corner];
    const Side side = switches.sides[turn.number];
    if (place.truth || corner.quiet) {
      std::vector<double> g;
      std::vector<double> modes(place.group->modes);
      for (std::uint32_t k = 0; k < place.group->modes; ++k) {
        modes[k] = motion.state.modes[place.group->first_mode + k * place.group->lanes + place.lane];
      }
      model::evaluate_switching(*place.group, place.lane, motion.state, modes, g);
      switches.sides[turn.number] = corner.next(side, turn.above, g[place.group->corners.size() + place.corner]);
    } else {
      asked.emplace_back(turn.number, side % 2 != 0 ? side : (turn.above ? side + 1 : side - 1));
    }
  }
  const auto rate_on = [&](std::uint32_t number, Side side) {
    model::State there = motion.state;
    std::vector<Side> sides = switches.sides;
    sides[number] = side;
    there.modes = model::modes_of(model, sides);
    there.velocity = model::rates(model, there).rate;
    return std::pair(instant::switch_rates(model, number, there, {}).first, there.velocity);
  };
  for (const auto& [number, on] : asked) {
    const auto [below, rates_below] = rate_on(number, on - 1);
    const auto [above, rates_above] = rate_on(number, on + 1);
    const model::SwitchPlace place = model::place_of_switch(model, number);
    const std::string name = "`" + place.group->corners[place.corner].text + "`";
    if (below > 0 && above < 0) {
      end(motion, Status::refused,
          "both sides of the switching surface of " + name +
              " push towards it, and a flow that slides on a surface is not followed: give the switch a "
              "smooth transition, such as tanh(u/0.01)");
    } else if (below < 0 && above > 0) {
      motion.continuations = {rates_below, rates_above};
      end(motion, Status::singular,
          "both sides of the switching surface of " + name + " push away from it: the motion may go either way");
    } else {
      const bool up = above > 0 || below > 0 || (above == 0 && below == 0 && on + 1 == switches.sides[number]);
      switches.sides[number] = up ? on + 1 : on - 1;
    }
    switches.at_start[number] = 1;
  }
  for (const Turn& turn : triggers.turns) switches.at_start[turn.number] = 1;
  motion.state.modes = model::modes_of(model, switches.sides);
  return motion.status == Status::going;
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
    if (place.truth || place.group->corners[place.corner].quiet || turn.slips) continue;
    if (!is_slid(now, turn.number) && now.sides[turn.number] != before.sides[turn.number])
      switched.push_back(turn.number);
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
    // v - W p (p W p)^-1 (g - threshold): rounding alone moves the state off the surface.
    const model::SwitchPlace place = model::place_of_switch(impl.model, number);
    const model::Slotted& group = *place.group;
    const instant::SwitchRates rates = instant::switch_rates(impl.model, number, motion.state, {});
    if (!rates.by_velocity || rates.g == 0) continue;
    const Corner& corner = group.corners[place.corner];
    const double off = rates.g - corner.threshold(impl.switches.sides[number] + 1, false);
    std::vector<double> p = impl.series.slope(number, motion.state);
    std::vector<double> wp(p.size());
    impl.workspace.impl().dynamics.mass.solve(p, wp);
    double length = 0;
    for (std::size_t i = 0; i < p.size(); ++i) length += p[i] * wp[i];
    if (!(length > 0)) continue;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] == 0) continue;
      motion.state.velocity[i] -= wp[i] * off / length;
      impl.carry_velocity[i] = 0;
    }
  }
}

}  // namespace zwang::motion
