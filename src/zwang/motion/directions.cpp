/// Speeds whose directions w / |w| stand in forces, as in dry friction in a plane: coming to rest, resting, leaving.
///
/// Moving, the direction is a function like any other; as w comes to zero steps become shorter without end, and the last of them, within the resolution of time, is the
/// instant. At rest w = 0 is held by weights c, |c| < 1 (series_slide.cpp); where |c| comes to 1 the speed leaves. On the first piece behind that, c is a series of
/// its own; at the end of it w is away from zero and has a direction.
///
/// Symbols: as in switches.hpp; w the speed, c its direction. Reference: docs/mathematics, section 21.7.
#include <algorithm>
#include <cmath>

#include "zwang/instant/corner_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/lane.hpp"
#include "zwang/motion/switches_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using expressions::Corner;
using expressions::Side;

namespace {

/// The size of a speed along the series.
std::span<const double> size_of_speed(const Along& series, const model::Slotted& group, std::uint32_t corner,
                                      std::uint32_t lane, std::vector<double>& registers) {
  run_lane(series, group, group.switching, lane, registers);
  return {registers.data() + std::size_t{group.switching.outputs[corner]} * (std::size_t{series.known} + 1),
          series.known};
}

/// Where something else happens at the very instant at which a speed comes to zero, as a cam that stops does: it has no direction there.
bool has_no_speed(const Motion& motion, const model::Slotted& group, std::uint32_t c, std::uint32_t number) {
  for (std::uint32_t part = 1; part <= group.corners[c].parts; ++part) {
    const instant::SwitchRates rates =
        instant::switch_rates(motion.impl->model, number + part * group.lanes, motion.state, {});
    if (!instant::is_on_threshold(std::abs(rates.g), rates)) return false;
  }
  return true;
}

}  // namespace

void tell_direction(const Motion& motion, const Triggers& triggers, bool first, bool struck,
                    const model::Slotted& group, std::uint32_t c, std::uint32_t lane,
                    std::vector<instant::KnownSide>& known, std::vector<instant::KnownSide>& near,
                    std::vector<std::uint8_t>& anew) {
  if (group.corners[c].kind != expressions::CornerKind::moves) return;
  const std::uint32_t number = group.first_switch + c * group.lanes + lane;
  const bool moves = motion.impl->switches.sides[number] == 2;
  const Turn* turn = struck ? nullptr : turn_of(triggers, number);
  anew[number] = 1;
  if (first || struck || changes_inside(group, c, lane, anew)) return;
  if (!moves) {
    near.push_back({number, turn != nullptr && turn->slips ? expressions::part_leaves : expressions::part_rests, true});
  } else if (turn != nullptr || has_no_speed(motion, group, c, number)) {
    near.push_back({number, expressions::part_rests, false});
  } else {
    known.push_back({number, 2});
    anew[number] = 0;
  }
}

bool leaves_rest(const model::Model& model, const Switches& switches, std::uint32_t number) {
  const Side side = switches.sides[number];
  if (side != expressions::part_leaves && side != expressions::part_leaves_at_once) return false;
  const model::SwitchPlace place = model::place_of_switch(model, number);
  return place.group->corners[place.corner].kind == expressions::CornerKind::part;
}

void finish_leaving(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  Switches& switches = impl.switches;
  const model::Model& model = impl.model;
  if (model.switches == 0 || std::none_of(switches.slid.begin(), switches.slid.end(),
                                          [&](std::uint32_t number) { return leaves_rest(model, switches, number); })) {
    return;
  }
  std::vector<std::uint32_t> left;
  for (std::size_t j = switches.slid.size(); j-- > 0;) {
    const std::uint32_t number = switches.slid[j];
    if (!leaves_rest(model, switches, number)) continue;
    left.push_back(number);
    const auto at = static_cast<std::ptrdiff_t>(j);
    switches.slid.erase(switches.slid.begin() + at);
    switches.leader.erase(switches.leader.begin() + at);
    switches.weight.erase(switches.weight.begin() + at);
    switches.implied.erase(switches.implied.begin() + at);
  }
  std::erase_if(switches.mixed, [&](const instant::MixedMode& mode) {
    return std::find(left.begin(), left.end(), mode.slid) != left.end();
  });
  for (const std::uint32_t number : left) {
    const model::SwitchPlace place = model::place_of_switch(model, number);
    const model::Slotted& group = *place.group;
    const std::uint32_t before = group.corners[place.corner].whole;
    const auto set = [&](std::uint32_t corner, Side side) {
      const Corner& one = group.corners[corner];
      switches.sides[group.first_switch + corner * group.lanes + place.lane] = side;
      std::vector<double> numbers(one.modes);
      one.numbers(side, numbers);
      for (std::uint32_t k = 0; k < one.modes; ++k)
        motion.state.modes[group.first_mode + (one.first_mode + k) * group.lanes + place.lane] = numbers[k];
    };
    set(place.corner, expressions::part_moves);
    set(place.corner - before, 2);
  }
  impl.series.slide(slides_of(model, switches));
}

void keep_slid(Motion& motion, bool strikes) {
  const Motion::Impl& impl = *motion.impl;
  if (impl.switches.slid.empty()) return;
  bool moves = false;
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t, std::uint32_t number) {
    const expressions::CornerKind kind = group.corners[c].kind;
    moves =
        moves || (kind == expressions::CornerKind::moves && impl.switches.sides[number] == 2) ||
        (strikes && kind == expressions::CornerKind::part && impl.switches.sides[number] == expressions::part_rests);
  });
  if (moves) project_slid(motion);
}

bool comes_to_rest(const Motion& motion, double soon, bool by_terms, std::vector<Turn>& turns) {
  const Motion::Impl& impl = *motion.impl;
  if (impl.model.switches == 0) return false;
  const Along series = impl.series.along();
  std::vector<double> registers;
  // What the terms of the forces could do to a speed: friction and load all but cancel where it creeps, and no step is longer than friction alone takes for it.
  const auto terms_of = [&](const model::Slotted& group, std::uint32_t parts, std::uint32_t number) {
    instant::Evaluation& work = motion.impl->workspace.evaluation();
    model::evaluate_dynamics(impl.model, motion.state, work.scratch, work.dynamics);
    const auto mass = work.dynamics.mass.diagonal();
    double sum = 0;
    for (std::uint32_t part = 1; part <= parts; ++part) {
      const std::vector<double> slope = impl.series.slope(number + part * group.lanes, motion.state);
      for (std::size_t i = 0; i < slope.size(); ++i) {
        if (slope[i] != 0) sum += std::abs(slope[i]) * work.dynamics.force_scale[i] / mass[i];
      }
    }
    return sum;
  };
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
    if (group.corners[c].kind != expressions::CornerKind::moves || impl.switches.sides[number] != 2) return;
    const std::span<const double> size = size_of_speed(series, group, c, lane, registers);
    if (size[0] > 0) {
      if (!(size[1] < 0)) return;
      const bool falls = size[0] <= -size[1] * soon / series.unit;
      if (!falls && !(by_terms && size[0] <= terms_of(group, group.corners[c].parts, number) * soon)) return;
    }
    turns.push_back({number, false, false, false, 0});
  });
  return !turns.empty();
}

namespace {

/// The switch that is asked: of a part that of its speed.
std::uint32_t asked_for(const model::Model& model, std::uint32_t number) {
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const Corner& corner = place.group->corners[place.corner];
  return corner.kind == expressions::CornerKind::part ? number - corner.whole * place.group->lanes : number;
}

/// Weights that were taken for a moment.
void end_waiting(const Motion& motion, FoundTurns& found) {
  const Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  const double whole = impl.model.simulation.until - impl.model.simulation.start;
  for (std::size_t j = 0; j < switches.slid.size(); ++j) {
    const bool idles = switches.implied[j] == instant::weight_idles;
    if (switches.implied[j] != instant::weight_waits && !idles) continue;
    const double at = instant::later_parts[idles ? 1 : 0] * whole / impl.series.along().unit;
    found.cut = std::min(found.cut, at);
    if (leaves_rest(impl.model, switches, switches.slid[j])) continue;
    found.turns.push_back({asked_for(impl.model, switches.slid[j]), false, false, true, at});
    found.at = std::min(found.at, at);
  }
}

/// Where friction on what rests would begin to push instead: what its weight takes off the rates has a sign, and nothing rests where that changes.
void find_reversals(const Motion& motion, std::span<const Series::Slide> slides, double h, FoundTurns& found) {
  const Motion::Impl& impl = *motion.impl;
  const Along series = impl.series.along();
  std::vector<double> registers;
  const auto mass = mass_at(motion).diagonal();
  const std::vector<double> masses(mass.begin(), mass.end());
  for (const Series::Slide& slide : slides) {
    if (slide.leaves != 0) continue;
    const std::vector<double> slope = impl.series.slope(slide.numbers[0], motion.state);
    std::vector<double> effect(series.known, 0.0);
    std::vector<std::pair<const model::Slotted*, std::uint32_t>> seen;
    for (const instant::MixedMode& mode : slide.mixed) {
      const model::SwitchPlace place = model::place_of_switch(impl.model, mode.number);
      if (std::find(seen.begin(), seen.end(), std::pair(place.group, place.lane)) != seen.end()) continue;
      seen.emplace_back(place.group, place.lane);
      const auto term = std::find_if(impl.model.terms.begin(), impl.model.terms.end(),
                                     [&](const model::TermGroup& one) { return &one == place.group; });
      if (term == impl.model.terms.end() || term->kind != model::TermKind::force) continue;
      for (const bool above : {false, true}) {
        std::vector<double> modes(series.modes.begin(), series.modes.end());
        for (const instant::MixedMode& one : slide.mixed) modes[one.mode] = above ? one.above : one.below;
        Along side = series;
        side.modes = modes;
        run_lane(side, *term, term->tape, place.lane, registers);
        for (std::size_t o = 0; o < term->tape.outputs.size(); ++o) {
          const std::uint32_t i = term->target_of[o * term->lanes + place.lane];
          if (slope[i] == 0) continue;
          const double* force = registers.data() + std::size_t{term->tape.outputs[o]} * (series.known + 1);
          for (std::size_t k = 0; k < effect.size(); ++k)
            effect[k] += (above ? 1 : -1) * slope[i] / masses[i] * force[k];
        }
      }
    }
    if (!(effect[0] < 0)) continue;
    const double at = rises(effect, 0.0, 1.0, false, 0, {}, h, found.cut);
    if (at == never) continue;
    // Right behind it, where the sign is another one: what rests is the same there.
    const double behind_it =
        std::min(h, at + clock_roundings_behind * resolution(motion.state.time + at * series.unit) / series.unit);
    for (const std::uint32_t number : slide.numbers)
      found.turns.push_back({asked_for(impl.model, number), false, false, true, behind_it});
    found.at = std::min(found.at, behind_it);
  }
}

}  // namespace

void find_slips(const Motion& motion, double h, FoundTurns& found) {
  const Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  const std::vector<Series::Slide> slides = slides_of(impl.model, switches);
  if (impl.flow == nullptr) {
    end_waiting(motion, found);
    find_reversals(motion, slides, h, found);
  }
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t, std::uint32_t number) {
    const Corner& corner = group.corners[c];
    if (corner.kind != expressions::CornerKind::moves || switches.sides[number] == 2) return;
    // |c|^2 - 1, of weights that follow from the motion and of those that stay.
    std::vector<double> sum;
    std::vector<double> sizes;
    std::vector<double> part;
    bool moves = false;
    for (std::uint32_t k = 1; k <= corner.parts; ++k) {
      const std::uint32_t its = number + k * group.lanes;
      const auto at = std::lower_bound(switches.slid.begin(), switches.slid.end(), its);
      if (at == switches.slid.end() || *at != its || leaves_rest(impl.model, switches, its)) return;
      const auto j = static_cast<std::size_t>(at - switches.slid.begin());
      const auto slide = std::find_if(slides.begin(), slides.end(), [&](const Series::Slide& one) {
        return std::find(one.numbers.begin(), one.numbers.end(), its) != one.numbers.end();
      });
      part.assign(1, 2 * switches.weight[j] - 1);
      if (slide != slides.end()) {
        const std::span<const double> sigma = impl.series.weight(static_cast<std::size_t>(slide - slides.begin()));
        part.assign(sigma.begin(), sigma.end());
        for (double& x : part) x *= 2;
        part[0] -= 1;
        moves = true;
      }
      if (sum.size() < part.size()) sum.resize(part.size(), 0.0);
      sizes.resize(sum.size(), 0.0);
      for (std::size_t a = 0; a < part.size(); ++a) {
        for (std::size_t b = 0; a + b < part.size(); ++b) {
          sum[a + b] += part[a] * part[b];
          sizes[a + b] += std::abs(part[a] * part[b]);
        }
      }
    }
    if (!moves) return;
    const bool edge = std::abs(sum[0] - 1) <= vanishing_part;
    // A load that stays at the bound, whatever way it turns: what rises is rounding.
    double terms = 0;
    double rise = 0;
    for (std::size_t k = sum.size(); k-- > 0;) {
      terms = terms * h + sizes[k];
      rise = rise * h + std::abs(k == 0 ? sum[0] - 1 : sum[k]);
    }
    if (edge && rise <= vanishing_part * terms) return;
    const double at = rises(sum, 1.0, 1.0, edge, 0, {}, h, found.cut);
    if (at == never) return;
    if (const double over = behind_a_touch(sum, 1.0, at); over < never) {
      found.cut = std::min(found.cut, over);
      return;
    }
    found.turns.push_back({number, true, true, false, at});
    found.at = std::min(found.at, at);
  });
}

}  // namespace zwang::motion
