/// Switches of a motion at an instant: sides, surfaces slid on, alternatives, and what is listed of them.
#include "zwang/motion/switches.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/model/half_turns.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/switches_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using expressions::Corner;
using expressions::Side;

namespace {

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

/// A spring acts no more; what it held is lost.
void let_spring_go(Motion& motion, const model::Spring& spring) {
  Motion::Impl& impl = *motion.impl;
  model::Scratch& scratch = impl.workspace.evaluation().scratch;
  const double before = model::energy(impl.model, motion.state, scratch).potential;
  for (const std::uint32_t number : spring.switches) {
    const model::SwitchPlace place = model::place_of_switch(impl.model, number);
    const model::Slotted& group = *place.group;
    impl.switches.sides[number] = 0;
    motion.state.modes[group.first_mode + group.corners[place.corner].first_mode * group.lanes + place.lane] = 0;
  }
  const double held = before - model::energy(impl.model, motion.state, scratch).potential;
  if (!std::isfinite(held)) return;
  motion.energy.lost += held;
  impl.switches.let_go_energy += held;
}

/// Beside a wall that forbids a side (pins.hpp): off the wall the side is known, on it the forces are asked.
void tell_edge(const Motion& motion, const Triggers& triggers, bool first, const instant::RowSet& closed,
               std::uint32_t number, Side allowed, std::vector<instant::KnownSide>& known,
               std::vector<instant::KnownSide>& near, std::vector<std::uint8_t>& anew) {
  constexpr Side on = 1;
  const Motion::Impl& impl = *motion.impl;
  const instant::SwitchRates rates = instant::switch_rates(impl.model, number, motion.state, {});
  const Turn* turn = turn_of(triggers, number);
  const bool hops =
      impl.limit_ahead && impl.pins.is_edge_of(number, instant::RowSet(impl.model.rows(), impl.limit_rows));
  const bool meets =
      turn != nullptr || impl.pins.is_edge_of(number, closed) || instant::is_on_threshold(std::abs(rates.g), rates);
  if (!meets || hops) {
    known.push_back({number, allowed});
    if (first || impl.switches.sides[number] != allowed) anew[number] = 1;
    return;
  }
  const bool leaves = turn != nullptr && turn->above == (allowed > on);
  near.push_back({number, leaves ? allowed : on});
  anew[number] = 1;
}

/// What is known of every switch before the forces are asked; `closed`: rows known to touch; `anew`: per switch, 1: its value or its forces tell.
void tell_sides(const Motion& motion, const Triggers& triggers, bool first, bool struck, const instant::RowSet& closed,
                std::vector<instant::KnownSide>& known, std::vector<instant::KnownSide>& near,
                std::vector<std::uint8_t>& anew) {
  const Switches& switches = motion.impl->switches;
  const model::Model& model = motion.impl->model;
  anew.assign(model.switches, 0);
  for_switches(model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
    const Corner& corner = group.corners[c];
    const Side side = switches.sides[number];
    if (corner.directs()) {
      tell_direction(motion, triggers, first, struck, group, c, lane, known, near, anew);
      return;
    }
    if (corner.stirs) {
      // Zero or not: its value tells, but where it passes zero.
      const Turn* passes = struck ? nullptr : turn_of(triggers, number);
      if (passes != nullptr && !passes->slips) known.push_back({number, 1});
      anew[number] = 1;
      return;
    }
    const model::SwitchPlace place = model::place_of_switch(model, number);
    // A row in a valley and its twin know their sides of it; a twin that does not count has none.
    if (corner.kept()) {
      known.push_back({number, side});
      return;
    }
    const bool in_valley =
        place.row < model.rows() && is_valley(switches, std::min(place.row, model.row_twin[place.row]));
    const bool on_its_turn = first && !switches.turned.empty() && switches.turned[number] != 0;
    if (place.truth || switches.unfollowed[number] != 0 || (first && in_valley) || on_its_turn) {
      known.push_back({number, side});
      return;
    }
    const Side allowed = motion.impl->pins.allowed(number, switches.gone);
    if (allowed != instant::no_side && (struck || !is_slid(switches, number))) {
      tell_edge(motion, struck ? Triggers{} : triggers, first, closed, number, allowed, known, near, anew);
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
      const Side left = turn->above ? side + 1 : side - 1;
      known.push_back({number, allowed != instant::no_side && left != allowed ? side : left});
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
    // On a wall: where that is left the switch is, too.
    if (switches.sides[number] == 1 && impl.pins.allowed(number, switches.gone) != instant::no_side)
      switches.at_start[number] = 1;
    for (const bool above : {false, true}) {
      const Side side = switches.sides[number];
      if (side % 2 != 0 || !corner.has_threshold(side, above)) continue;
      if (std::abs(corner.threshold(side, above) - rates.g) <= vanishing_part * rates.size)
        switches.at_start[number] = 1;
    }
  }
}

}  // namespace

Side behind(const Corner& corner, Side side, const Turn& turn, double beside) {
  if (side % 2 != 0) return turn.above ? side + 1 : side - 1;
  return corner.next(side, turn.above, beside);
}

const Turn* turn_of(const Triggers& triggers, std::uint32_t number) {
  const auto found = std::find_if(triggers.turns.begin(), triggers.turns.end(),
                                  [&](const Turn& turn) { return turn.number == number; });
  return found == triggers.turns.end() ? nullptr : &*found;
}

void begin_switches(Motion& motion, std::span<const Side> before) {
  Motion::Impl& impl = *motion.impl;
  Switches& switches = impl.switches;
  switches.at_start.assign(impl.model.switches, 0);
  switches.gone = switches.idle = instant::RowSet(impl.model.rows());
  switches.released.assign(impl.model.releases.size(), 0);
  if (impl.model.switches == 0) return;
  switches.unfollowed.assign(impl.model.switches, 0);
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    if (!instant::is_second_twin(impl.model, row)) continue;
    for_switches_of(impl.model, row,
                    [&](const auto&, std::uint32_t, std::uint32_t number) { switches.unfollowed[number] = 1; });
  }
  switches.sides = model::sides_of(impl.model, motion.state);
  if (before.size() == impl.model.switches) {
    switches.turned.assign(impl.model.switches, 0);
    const std::vector<Side> after = model::sides_after(impl.model, motion.state, before, motion.state);
    for (const std::uint32_t number : model::turning_switches(impl.model)) {
      switches.turned[number] = after[number] != switches.sides[number] ? 1 : 0;
      switches.sides[number] = after[number];
    }
  }
  for (const instant::Pin& pin : impl.pins.all()) {
    switches.sides[pin.number] = pin.side;
    switches.unfollowed[pin.number] = 1;
  }
  motion.state.modes = model::modes_of(impl.model, switches.sides);
}

namespace {

/// What the conditions kept that have been let go is followed from here.
void follow_unpinned(Motion& motion) {
  Switches& switches = motion.impl->switches;
  for (const instant::Pin& pin : motion.impl->pins.all()) {
    if (!switches.gone.contains(pin.row) || motion.impl->pins.keep(pin.number, switches.gone)) continue;
    if (switches.unfollowed[pin.number] != 0) switches.at_start[pin.number] = 1;
    switches.unfollowed[pin.number] = 0;
  }
}

/// Rows that others stand for are idle. Where one has been let go that stood for others, the next of them takes its place as it is.
void follow_originals(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (!impl.copies.any()) return;
  std::vector<std::uint32_t> before(impl.model.rows());
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) before[row] = impl.copies.original(row);
  impl.copies.choose(impl.switches.gone, impl.switches.idle);
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    if (before[row] != row && !impl.copies.is_copy(row)) impl.standing[row] = impl.standing[before[row]];
  }
}

}  // namespace

bool settle_switches(Motion& motion, const Triggers& triggers, bool first, bool struck, const instant::Options& given) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
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
      // What has let go need not be watched any more: it may lead where its roots have no values.
      if (!release.when.empty()) {
        const model::Slotted& watched = model.truths[release.when[0]].term;
        for (std::uint32_t c = 0; c < watched.corners.size(); ++c) switches.unfollowed[watched.first_switch + c] = 1;
      }
      for (const std::uint32_t row : release.rows) switches.gone.add(row);
      follow_unpinned(motion);
      for (const std::uint32_t spring : release.springs) let_spring_go(motion, model.springs[spring]);
    }
  }
  switches.idle = switches.gone;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (instant::is_second_twin(model, row) && !is_valley(switches, model.row_twin[row])) switches.idle.add(row);
  }
  for (const model::Cone& cone : model.cones) {
    if (is_valley(switches, cone.row)) switches.idle.add(cone.row);
  }
  follow_originals(motion);
  const bool alternatives = instant::has_alternatives(model);
  if (model.switches == 0 && !alternatives) return true;
  instant::Options options = given;
  options.gone = switches.idle;

  // Sides: what passed a threshold or lies on one is found anew, the rest stays.
  if (alternatives && !first) {
    if (!options.closed.is_told()) options.closed = instant::RowSet(model.rows());
    for (const std::uint32_t row : triggers.alternatives)
      options.closed.put(row, !struck || options.closed.contains(row));
  }
  if (model.switches > 0) {
    std::vector<instant::KnownSide> known;
    std::vector<instant::KnownSide> near;
    std::vector<std::uint8_t> anew;
    tell_sides(motion, triggers, first, struck, options.closed, known, near, anew);
    // Alternatives that are broken are no conditions; which of several counts is asked below, with the sides found here.
    instant::Options among = options;
    instant::Several unused;
    if (alternatives) among.gone = instant::idle_rows(model, motion.state, options, impl.workspace, unused);
    const instant::Corners corners =
        instant::find_corners(model, motion.state, among, impl.workspace, known, near, {}, &impl.pins);
    take_corners(motion, corners, triggers, first, anew);
    switches.unasked = corners.unasked;
    if (!corners.refusal.empty()) {
      for (const instant::Minimiser& way : corners.ways) motion.continuations.push_back(way.accelerations);
      end(motion, corners.ways.empty() ? Status::refused : Status::singular, corners.refusal);
      return false;
    }
    impl.series.slide(slides_of(model, switches));
    project_slid(motion);
  }

  // Alternatives.
  if (alternatives) {
    instant::Several several;
    switches.idle = instant::idle_rows(model, motion.state, options, impl.workspace, several);
    if (!several.ways.empty()) {
      for (const instant::Minimiser& way : several.ways) motion.continuations.push_back(way.accelerations);
      end(motion, Status::singular, several.words);
      return false;
    }
  }
  return true;
}

bool ask_again(Motion& motion, const Triggers& triggers, bool first, const instant::Options& options,
               const std::vector<instant::Imposed>& imposed) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  std::vector<instant::KnownSide> known;
  std::vector<instant::KnownSide> near;
  std::vector<std::uint8_t> anew(model.switches, 0);
  for_switches(model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t, std::uint32_t number) {
    const Corner& corner = group.corners[c];
    const Side side = switches.sides[number];
    if (corner.kind == expressions::CornerKind::part) return;
    if (corner.stirs) {
      known.push_back({number, side});
      return;
    }
    const bool moved =
        std::any_of(imposed.begin(), imposed.end(), [&](const instant::Imposed& one) { return one.number == number; });
    if (corner.kind == expressions::CornerKind::moves) {
      anew[number] = side == 2 ? 0 : 1;
      const bool leaves = switches.sides[number + group.lanes] == expressions::part_leaves;
      if (side == 2) known.push_back({number, side});
      if (side != 2) near.push_back({number, leaves ? expressions::part_leaves : expressions::part_rests, true});
    } else if (side % 2 != 0 || moved) {
      anew[number] = 1;
      const double g = instant::switch_rates(model, number, motion.state, {}).g;
      near.push_back({number, instant::nearest_threshold(corner, side, g).second, true});
    } else {
      known.push_back({number, side});
    }
  });
  const instant::Corners corners =
      instant::find_corners(model, motion.state, options, impl.workspace, known, near, imposed, &impl.pins);
  const std::vector<std::uint8_t> at_start = switches.at_start;
  take_corners(motion, corners, triggers, first, anew);
  for (std::size_t k = 0; k < at_start.size(); ++k) switches.at_start[k] |= at_start[k];
  for (const instant::Imposed& one : imposed) switches.at_start[one.number] = 1;
  if (!corners.refusal.empty()) {
    for (const instant::Minimiser& way : corners.ways) motion.continuations.push_back(way.accelerations);
    end(motion, corners.ways.empty() ? Status::refused : Status::singular, corners.refusal);
    return false;
  }
  impl.series.slide(slides_of(model, switches));
  project_slid(motion);
  return true;
}

std::vector<Series::Slide> slides_of(const model::Model& model, const Switches& switches) {
  std::vector<Series::Slide> out;
  for (std::size_t j = 0; j < switches.slid.size(); ++j) {
    if (switches.implied[j] != 0) continue;
    auto same = std::find_if(out.begin(), out.end(),
                             [&](const Series::Slide& one) { return one.numbers[0] == switches.leader[j]; });
    if (same == out.end()) {
      out.emplace_back();
      same = out.end() - 1;
      if (const model::SwitchPlace place = model::place_of_switch(model, switches.slid[j]);
          leaves_rest(model, switches, switches.slid[j])) {
        same->leaves = switches.sides[switches.slid[j]] == expressions::part_leaves_at_once ? 1 : 2;
        same->weight = switches.weight[j];
        same->whole = switches.slid[j] - place.group->corners[place.corner].whole * place.group->lanes;
      }
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
  tell_sides(motion, triggers, first, false, {}, known, near, anew);
  const instant::Corners corners =
      instant::find_corners(model, motion.state, {}, impl.workspace, known, near, {}, &impl.pins);
  take_corners(motion, corners, triggers, first, anew);
  if (!corners.refusal.empty()) {
    for (const instant::Minimiser& way : corners.ways) motion.continuations.push_back(way.accelerations);
    end(motion, corners.ways.empty() ? Status::refused : Status::singular, corners.refusal);
    return false;
  }
  impl.flow->slide(slides_of(model, impl.switches));
  return true;
}

namespace {

/// Does it turn in a spring that was let go? Nothing acts there any more.
bool is_of_spring_gone(const model::Model& model, const Switches& switches, const model::SwitchPlace& place) {
  for (std::size_t k = 0; k < model.releases.size(); ++k) {
    if (switches.released[k] == 0) continue;
    for (const std::uint32_t spring : model.releases[k].springs) {
      for (const std::uint32_t gate : model.springs[spring].switches) {
        const model::SwitchPlace other = model::place_of_switch(model, gate);
        if (other.group == place.group && other.lane == place.lane) return true;
      }
    }
  }
  return false;
}

}  // namespace

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
    if (now.gone.contains(row) && !before.gone.contains(row)) gone.push_back(row);
  }
  std::vector<std::string> springs;
  for (std::size_t k = 0; k < model.releases.size(); ++k) {
    if (now.released[k] == 0 || before.released[k] != 0) continue;
    for (const std::uint32_t spring : model.releases[k].springs) springs.push_back(model.springs[spring].name);
  }
  if (!gone.empty() || !springs.empty()) {
    Event& event = add(EventKind::let_go);
    event.rows = gone;
    event.bodies = springs;
    for (const std::string& spring : springs) event.note += (event.note.empty() ? "spring " : ", ") + spring;
    event.lost = motion.impl->switches.let_go_energy;
    motion.impl->switches.let_go_energy = 0;
  }
  std::vector<std::uint32_t> switched;
  std::vector<std::uint32_t> stuck;
  std::vector<std::uint32_t> slipped;
  for (const Turn& turn : triggers.turns) {
    const model::SwitchPlace place = model::place_of_switch(model, turn.number);
    // Where both sides are one function, what is nested about it has only been asked anew.
    if (place.truth || place.group->corners[place.corner].quiet || is_of_spring_gone(model, now, place)) continue;
    // Itself, and what is nested about it: a corner that others alone look at has switched nothing unless one of them did.
    for (std::uint32_t c = place.corner; c < place.group->corners.size(); ++c) {
      const Corner& corner = place.group->corners[c];
      const std::uint32_t number = place.group->first_switch + c * place.group->lanes + place.lane;
      const bool itself = c == place.corner && !turn.slips && !turn.again;
      if (corner.quiet || corner.inside || !(itself || !corner.inner.empty())) continue;
      // A speed that comes to zero either rests or goes on in another direction.
      if (corner.kind == expressions::CornerKind::part) continue;
      if (corner.kind == expressions::CornerKind::moves) {
        if (itself && leaves_rest(model, now, number + place.group->lanes)) switched.push_back(number);
        continue;
      }
      if (is_slid(now, number) || is_slid(before, number) || now.sides[number] == before.sides[number]) continue;
      if (std::find(switched.begin(), switched.end(), number) == switched.end()) switched.push_back(number);
    }
  }
  // At a wall they need not be followed.
  for (const instant::Pin& pin : impl.pins.edges()) {
    const bool slides = is_slid(now, pin.number) || is_slid(before, pin.number);
    if (first || slides || now.sides[pin.number] == before.sides[pin.number]) continue;
    if (impl.pins.allowed(pin.number, before.gone) == instant::no_side) continue;
    if (std::find(switched.begin(), switched.end(), pin.number) == switched.end()) switched.push_back(pin.number);
  }
  for (const std::uint32_t number : now.slid) {
    if (!is_slid(before, number) && !first && !leaves_rest(model, now, number)) stuck.push_back(number);
  }
  for (const std::uint32_t number : before.slid) {
    const bool leaves = leaves_rest(model, now, number);
    if (leaves || (!is_slid(now, number) && !is_kept_at_rest(motion, number))) slipped.push_back(number);
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
