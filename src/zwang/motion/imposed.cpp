/// What rests by its speed and acceleration, and is moved by conditions with a higher derivative: a cam with x = t^3.
///
/// The instant sees accelerations. A switching function that the conditions alone determine, whatever the forces, has no weight that could hold it; where its rate
/// vanishes it seems to rest. Its first derivative along the motion that does not vanish tells where it goes, and the forces of that side act at once.
///
/// Symbols: as in switches.hpp, g switching function, p its slopes. Reference: docs/mathematics, section 21.7.
#include <algorithm>
#include <cmath>

#include "zwang/instant/corner_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/instant/sliding.hpp"
#include "zwang/motion/lane.hpp"
#include "zwang/motion/settle_impl.hpp"
#include "zwang/motion/switches_impl.hpp"
#include "zwang/motion/time_unit.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using expressions::CornerKind;
using expressions::Side;

namespace {

/// Switches of forces that are on a threshold and that no weight keeps there.
std::vector<std::uint32_t> unheld(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  const instant::RowSet closed = impl.pins.edges().empty() ? instant::RowSet() : closed_rows(impl);
  std::vector<std::uint32_t> out;
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t, std::uint32_t number) {
    const expressions::Corner& corner = group.corners[c];
    if (corner.follows || corner.quiet || corner.kind == CornerKind::moves || corner.kind == CornerKind::turns ||
        corner.kept() || switches.unfollowed[number] != 0) {
      return;
    }
    const model::SwitchPlace place = model::place_of_switch(impl.model, number);
    if (place.truth || place.row < impl.model.rows()) return;
    // On a wall that holds it.
    if (impl.pins.is_edge_of(number, closed)) return;
    if (corner.kind == CornerKind::part && switches.sides[number] != expressions::part_rests) return;
    const auto at = std::lower_bound(switches.slid.begin(), switches.slid.end(), number);
    if (at != switches.slid.end() && *at == number) {
      if (switches.implied[static_cast<std::size_t>(at - switches.slid.begin())] != 0) out.push_back(number);
      return;
    }
    const instant::SwitchRates rates = instant::switch_rates(impl.model, number, motion.state, {});
    const double distance = instant::nearest_threshold(corner, switches.sides[number], rates.g).first;
    const double no_rate = instant::rate_zero * rates.rate_size + instant::doubts_of_state * rates.rate_doubt;
    const bool still = rates.by_velocity || std::abs(rates.first) <= no_rate;
    if (still && instant::is_on_threshold(distance, rates)) out.push_back(number);
  });
  return out;
}

std::vector<double> gradient_of(const Motion& motion, std::uint32_t row) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  evaluate_row(motion, row);
  const std::vector<double>& entry = impl.workspace.evaluation().rows.entry;
  std::vector<double> gradient(model.variables, 0.0);
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
    gradient[model.row_column[e]] = entry[e];
  return gradient;
}

/// What the rows held move, or keep.
instant::Span span_of_rows(const Motion& motion) {
  instant::Span span;
  for (const HeldRow& one : motion.impl->held_rows) static_cast<void>(span.add(gradient_of(motion, one.row)));
  return span;
}

/// What weights hold that follow from the motion.
void add_surfaces(const Motion& motion, instant::Span& span) {
  const Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  for (std::size_t j = 0; j < switches.slid.size(); ++j) {
    const std::uint32_t number = switches.slid[j];
    if (switches.implied[j] != 0 || leaves_rest(impl.model, switches, number)) continue;
    static_cast<void>(span.add(impl.series.slope(number, motion.state)));
  }
}

/// Those of them that rows held, and surfaces that weights hold, move whatever the forces are.
std::vector<std::uint32_t> led_by_conditions(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  std::vector<std::uint32_t> out = unheld(motion);
  if (out.empty()) return out;
  instant::Span span = span_of_rows(motion);
  add_surfaces(motion, span);
  std::erase_if(out, [&](std::uint32_t number) { return !span.holds(impl.series.slope(number, motion.state)); });
  return out;
}

/// The terms of the forces, with the friction that there may be: at rest without a load there is none.
std::vector<double> loads_of(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::State rubbed = motion.state;
  for (const instant::MixedMode& mode : impl.switches.mixed) rubbed.modes[mode.mode] = mode.above;
  model::evaluate_dynamics(impl.model, rubbed, work.scratch, work.dynamics);
  std::vector<double> loads = work.dynamics.force_scale;
  model::evaluate_dynamics(impl.model, motion.state, work.scratch, work.dynamics);
  for (std::size_t i = 0; i < loads.size(); ++i) loads[i] = std::max(loads[i], work.dynamics.force_scale[i]);
  return loads;
}

/// What the forces and the reactions do to every variable, per order of its velocity: what cancels there leaves rounding.
std::vector<double> terms_of_velocities(const Motion& motion, const Series& series) {
  const Motion::Impl& impl = *motion.impl;
  const std::size_t n = impl.model.variables;
  const std::size_t m = impl.held_rows.size();
  const unsigned orders = series.order();
  const std::span<const double> v = series.velocity();
  const std::span<const double> lambda = series.multiplier();
  const std::vector<double> loads = loads_of(motion);
  const auto diagonal = impl.workspace.evaluation().dynamics.mass.diagonal();
  const std::vector<double> mass(diagonal.begin(), diagonal.end());
  std::vector<double> pressed(n, 0.0);
  std::vector<double> out(std::size_t{orders} * n, 0.0);
  for (const HeldRow& held : impl.held_rows) evaluate_row(motion, held.row);
  const std::vector<double>& entry = impl.workspace.evaluation().rows.entry;
  const std::size_t slides = slides_of(impl.model, impl.switches).size();
  double weights = 1;
  for (unsigned k = 0; k < orders; ++k) {
    for (std::size_t j = 0; j < slides && k > 0 && k + 1 < orders; ++j) weights += std::abs(series.weight(j)[k - 1]);
    for (std::size_t j = 0; j < m && k > 0 && k + 1 < orders; ++j) {
      const std::uint32_t row = impl.held_rows[j].row;
      for (std::uint32_t e = impl.model.row_start[row]; e < impl.model.row_start[row + 1]; ++e) {
        const std::uint32_t i = impl.model.row_column[e];
        pressed[i] += std::abs(entry[e] * lambda[(k - 1) * m + j]) / mass[i];
      }
    }
    // The largest of all: what holds one body up comes from the others.
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, pressed[i] + weights * loads[i] / mass[i]);
    for (std::size_t i = 0; i < n; ++i)
      out[k * n + i] = std::abs(v[k * n + i]) / series.unit() + (k > 0 ? most * series.unit() / k : 0.0);
  }
  return out;
}

/// The first coefficient of a function on its threshold that is no rounding, and its order as that of a velocity; 0: none is.
struct First {
  unsigned order = 0;
  double value = 0;
};
First first_of(const Motion& motion, const Series& series, const std::vector<double>& terms, std::uint32_t number) {
  const model::Model& model = motion.impl->model;
  const std::size_t n = model.variables;
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const bool by_velocity = instant::switch_rates(model, number, motion.state, {}).by_velocity;
  const std::vector<double> slope = series.slope(number, motion.state);
  std::vector<double> registers;
  const Along along = series.along();
  run_lane(along, *place.group, place.group->switching, place.lane, registers);
  const double* g =
      registers.data() + std::size_t{place.group->switching.outputs[place.corner]} * (std::size_t{along.known} + 1);
  for (unsigned k = 1; k + 2 < series.order(); ++k) {
    const unsigned order = by_velocity ? k : k + 1;
    double size = 0;
    for (std::size_t i = 0; i < n; ++i)
      size += std::abs(slope[i]) * terms[k * n + i] * (by_velocity ? 1.0 : series.unit() / order);
    if (std::abs(g[order]) > rounding_of_imposed * size) return {k, g[order]};
  }
  return {};
}

}  // namespace

bool is_kept_at_rest(const Motion& motion, std::uint32_t number) {
  if (motion.impl->flow != nullptr) return false;
  instant::Span span = span_of_rows(motion);
  add_surfaces(motion, span);
  return span.holds(motion.impl->series.slope(number, motion.state));
}

bool is_kept_on_step(const Motion& motion, std::uint32_t number, std::span<const double> g, double threshold,
                     double h) {
  const Motion::Impl& impl = *motion.impl;
  if (impl.flow != nullptr || is_slid(impl.switches, number)) return false;
  const instant::SwitchRates rates = instant::switch_rates(impl.model, number, motion.state, {});
  const double no_rate = instant::rate_zero * rates.rate_size + instant::doubts_of_state * rates.rate_doubt;
  if (!instant::is_on_threshold(std::abs(g[0] - threshold), rates)) return false;
  if (!rates.by_velocity && !(std::abs(rates.first) <= no_rate)) return false;
  if (!is_kept_at_rest(motion, number)) return false;
  // What the rows leave of g is rounding of all that forces and reactions do.
  const std::size_t n = impl.model.variables;
  const std::vector<double> terms = terms_of_velocities(motion, impl.series);
  const std::vector<double> slope = impl.series.slope(number, motion.state);
  double moves = 0;
  double size = 0;
  double power = 1;
  for (unsigned k = 1; k + 1 < impl.series.order() && k < g.size(); ++k) {
    power *= h;
    moves += std::abs(g[k]) * power;
    const unsigned of = rates.by_velocity ? k : k - 1;
    for (std::size_t i = 0; i < n; ++i)
      size += std::abs(slope[i]) * terms[of * n + i] * power * (rates.by_velocity ? 1.0 : impl.series.unit() / k);
  }
  return moves <= vanishing_part * size;
}

Off off_by_reactions(const Motion& motion, std::uint32_t number, Off off) {
  const Motion::Impl& impl = *motion.impl;
  const std::size_t n = impl.model.variables;
  const bool by_velocity = instant::switch_rates(impl.model, number, motion.state, {}).by_velocity;
  const std::vector<double> terms = terms_of_velocities(motion, impl.series);
  const std::vector<double> slope = impl.series.slope(number, motion.state);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) size += std::abs(slope[i]) * terms[n + i];
  if (!std::isfinite(size)) return off;
  (by_velocity ? off[1] : off[2]) += vanishing_part * size * (by_velocity ? 1.0 : impl.series.unit() / 2);
  return off;
}

void decide_beside_surfaces(Motion& motion, bool first) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  if (impl.switches.slid.empty() || impl.flow != nullptr) return;
  std::vector<std::uint32_t> none;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (impl.instant.role[row] == instant::Role::binding && impl.instant.multipliers[row] > 0) none.push_back(row);
  }
  if (none.empty()) return;
  const std::vector<double> loads = loads_of(motion);
  std::erase_if(none, [&](std::uint32_t row) {
    return instant::presses(model, impl.workspace.evaluation(), impl.instant, loads, row);
  });
  if (none.empty()) return;
  instant::Options options;
  if (!first) {
    instant::RowSet closed = closed_rows(impl);
    for (const std::uint32_t row : none) closed.add(row);
    options = options_in_motion(impl, closed, closed);
    for (const std::uint32_t row : none) options.resting.remove(row);
  }
  options.balanced = instant::RowSet(model.rows(), none);
  options.gone = impl.switches.idle;
  options.shock_done = true;
  const instant::Instant before = impl.instant;
  instant::accelerate(model, motion.state, options, impl.workspace, impl.instant);
  if (impl.instant.status != instant::Status::determined) impl.instant = before;
}

std::vector<std::uint32_t> rows_kept_by_surfaces(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const instant::Instant& now = impl.instant;
  if (impl.switches.slid.empty() || impl.flow != nullptr) return {};
  // What touches without a force: marginal, or decided by a higher order, for which weights stay as they are and do not.
  std::vector<std::uint32_t> quiet;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (now.role[row] == instant::Role::marginal) quiet.push_back(row);
  }
  for (const instant::Decision& decision : now.decisions) {
    const bool binding = now.role[decision.row] == instant::Role::binding && now.multipliers[decision.row] == 0;
    if (binding || now.role[decision.row] == instant::Role::leaving) quiet.push_back(decision.row);
  }
  // What moves by itself comes or goes whatever the surfaces do.
  std::erase_if(quiet, [&](std::uint32_t row) { return model.groups[model.row_group[row]].rheonomic; });
  std::sort(quiet.begin(), quiet.end());
  quiet.erase(std::unique(quiet.begin(), quiet.end()), quiet.end());
  if (quiet.empty()) return quiet;
  instant::Span span;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const bool acts = is_held(now.role[row]) && !std::binary_search(quiet.begin(), quiet.end(), row);
    if (acts) static_cast<void>(span.add(gradient_of(motion, row)));
  }
  add_surfaces(motion, span);
  std::erase_if(quiet, [&](std::uint32_t row) {
    std::vector<double> gradient = gradient_of(motion, row);
    // What goes by itself keeps nothing.
    return now.role[row] == instant::Role::leaving ? !span.holds(std::move(gradient)) : span.add(std::move(gradient));
  });
  return quiet;
}

void leave_to_rows(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  const bool any = std::any_of(impl.held_rows.begin(), impl.held_rows.end(), [&](const HeldRow& one) {
    return !model::is_equation(model.row_kind[one.row]) && impl.quiet.contains(one.row);
  });
  if (switches.slid.empty() || !any || impl.flow != nullptr) return;
  // What touches without a force is held by the series, and so is all that it keeps: no weight is left to follow from the motion there.
  instant::Span span = span_of_rows(motion);
  bool more = false;
  for (std::size_t j = 0; j < switches.slid.size(); ++j) {
    const std::uint32_t number = switches.slid[j];
    if (switches.implied[j] != 0 || switches.leader[j] != number || leaves_rest(model, switches, number)) continue;
    if (span.add(impl.series.slope(number, motion.state))) continue;
    for (std::size_t k = 0; k < switches.slid.size(); ++k) {
      if (switches.leader[k] == number) switches.implied[k] = 1;
    }
    more = true;
  }
  if (more) impl.series.slide(slides_of(model, switches));
}

bool leave_as_imposed(Motion& motion, const Triggers& triggers, bool first) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  if (model.switches == 0 || impl.flow != nullptr || impl.passage.at_it || impl.passage.stays) return false;
  std::vector<instant::Imposed> imposed;
  for (int round = 0; round < most_rounds_of_imposed && motion.status == Status::going; ++round) {
    const std::vector<std::uint32_t> open = led_by_conditions(motion);
    if (open.empty()) break;
    // The motion as it was decided, on a series of its own.
    Series series(model, impl.series.order());
    series.choose(impl.held_rows, {});
    series.slide(slides_of(model, impl.switches));
    model::State state = motion.state;
    std::vector<double> carry_position = impl.carry_position;
    std::vector<double> carry_velocity = impl.carry_velocity;
    double unused = 0;
    if (!series.project(state, carry_position, carry_velocity).regular ||
        !extend(series, state, part_for(impl.tolerance), impl.until - motion.state.time, 0, unused)) {
      break;
    }
    const std::vector<double> terms = terms_of_velocities(motion, series);
    // Those that go first; what comes later is looked at when these are known.
    unsigned lowest = series.order();
    std::vector<instant::Imposed> found;
    for (const std::uint32_t number : open) {
      const First its = first_of(motion, series, terms, number);
      const Side side = impl.switches.sides[number];
      if (its.order == 0 || its.order > lowest) continue;
      const model::SwitchPlace place = model::place_of_switch(model, number);
      const expressions::Corner& corner = place.group->corners[place.corner];
      if (side % 2 == 0 && corner.kind != CornerKind::part) {
        const double g = instant::switch_rates(model, number, motion.state, {}).g;
        if ((its.value > 0) == (side > instant::nearest_threshold(corner, side, g).second)) continue;
      }
      if (its.order < lowest) found.clear();
      lowest = its.order;
      found.push_back({number, its.value});
    }
    if (found.empty()) return round > 0;
    double most = 0;
    for (const instant::Imposed& one : found) most = std::max(most, std::abs(one.rate));
    for (const instant::Imposed& one : found) imposed.push_back({one.number, one.rate / most});
    instant::Options options;
    if (!first) options = options_in_motion(impl, closed_rows(impl), closed_rows(impl));
    options.gone = impl.switches.idle;
    options.shock_done = true;
    if (!ask_again(motion, triggers, first, options, imposed)) return true;
    instant::accelerate(model, motion.state, options, impl.workspace, impl.instant);
    if (!determined(motion)) return true;
    hold_rows(motion, {});
    leave_to_rows(motion);
  }
  return !imposed.empty();
}

}  // namespace zwang::motion
