/// Through the place where a root of positions in a force is zero: points on a spring that pass through each other.
///
/// The force -k (r - L) d / r of a spring has no series and no value where r = |d| is zero, and other ones on either side; but it has a bound. A motion
/// that comes there with a speed goes through, in one way: d = w s + O(s^2) tells the direction d / r = w / |w| right behind. What the force does on a way s
/// changes the velocity by at most |a| s. The shortest way behind which a step can be proved is gone straight on,
///
///   q+ = q + v s,   v+ = v,      |a| s <= part |v|,    or |v| s <= c u(q), s <= c u(t): place or time are not known better,
///
/// if beyond it r grows, and the accelerations there are no larger than twice those a few ways further on. It is a few roundings of the time, as a rule. Attraction like 1 / r^2 has no bound and fails that.
///
/// Where the motion is a polynomial, as under a force of constant size on a line through the centre, the series goes through the place without a word, with the
/// force of the side it came from. There the step ends some shortest steps before, and the same way is gone.
///
/// Symbols: d the difference of two places, w = d', a accelerations without conditions, u(q) and u(t) the rounding of places and times, part that of the tolerance.
/// Reference: docs/mathematics, section 10.4.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/settle_impl.hpp"
#include "zwang/motion/switches_impl.hpp"
#include "zwang/motion/time_unit.hpp"

namespace zwang::motion {

namespace {

/// Accelerations without conditions.
std::vector<double> free_accelerations(const Motion& motion, const model::State& state) {
  Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_dynamics(impl.model, state, work.scratch, work.dynamics);
  std::vector<double> a(impl.model.variables);
  work.dynamics.mass.solve(work.dynamics.force, a);
  return a;
}

/// The largest of them among some variables; not finite where a force is not.
double largest_free(const Motion& motion, const model::State& state, const std::vector<std::uint32_t>& variables) {
  const std::vector<double> a = free_accelerations(motion, state);
  double most = 0;
  for (const std::uint32_t i : variables) {
    if (!std::isfinite(a[i])) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, std::abs(a[i]));
  }
  return most;
}

/// Where the way straight on leads, from the present state; the corners there are on the sides that it comes to.
struct Place {
  model::State state;
  std::vector<expressions::Side> sides;
};

/// Is this a corner whose side its value tells, wherever it is?
bool has_side_of_its_own(const Motion& motion, const model::Slotted& group, std::uint32_t c, std::uint32_t number) {
  const expressions::Corner& corner = group.corners[c];
  const bool elsewhere = corner.kept() || corner.directs() || corner.kind == expressions::CornerKind::part ||
                         corner.kind == expressions::CornerKind::turns;
  return !elsewhere && motion.impl->switches.unfollowed[number] == 0 && !is_slid(motion.impl->switches, number) &&
         !model::place_of_switch(motion.impl->model, number).truth;
}

Place straight_on_by(const Motion& motion, double s) {
  const Motion::Impl& impl = *motion.impl;
  Place there{motion.state, impl.switches.sides};
  there.state.time += s;
  for (std::size_t i = 0; i < there.state.position.size(); ++i) there.state.position[i] += s * there.state.velocity[i];
  if (there.sides.empty()) return there;
  const std::vector<expressions::Side> by_value = model::sides_of(impl.model, there.state);
  bool turned = false;
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t, std::uint32_t number) {
    if (by_value[number] == there.sides[number] || by_value[number] % 2 != 0) return;
    if (!has_side_of_its_own(motion, group, c, number)) return;
    there.sides[number] = by_value[number];
    turned = true;
  });
  if (!turned) return there;
  there.state.modes = model::modes_of(impl.model, there.sides);
  for (const instant::MixedMode& mode : impl.switches.mixed) {
    const auto j =
        std::lower_bound(impl.switches.slid.begin(), impl.switches.slid.end(), mode.slid) - impl.switches.slid.begin();
    instant::mix(mode, impl.switches.weight[static_cast<std::size_t>(j)], there.state.modes);
  }
  return there;
}

/// The switches that were passed on the way.
std::vector<Turn> turns_between(std::span<const expressions::Side> before, std::span<const expressions::Side> behind) {
  std::vector<Turn> turns;
  for (std::uint32_t number = 0; number < before.size(); ++number) {
    if (before[number] == behind[number]) continue;
    Turn turn;
    turn.number = number;
    turn.above = behind[number] > before[number];
    turns.push_back(turn);
  }
  return turns;
}

/// What a way of s straight on means for the variables that meet.
enum class Way : std::uint8_t { short_enough, within_rounding, not_there, too_long };

Way way_of(const Motion& motion, const std::vector<std::uint32_t>& variables, double s) {
  const Motion::Impl& impl = *motion.impl;
  double speed = 0;
  bool within_rounding = true;
  for (const std::uint32_t i : variables) {
    const double v = std::abs(motion.state.velocity[i]);
    speed = std::max(speed, v);
    const double known = std::max(unit_rounding * std::abs(motion.state.position[i]),
                                  i < impl.rounding_position.size() ? impl.rounding_position[i] : 0.0);
    within_rounding = within_rounding && v * s <= roundings_of_a_meeting * known;
  }
  const double far = largest_free(motion, straight_on_by(motion, ways_beyond_a_meeting * s).state, variables);
  const bool short_enough = far * s <= part_for(impl.tolerance) * speed ||
                            s <= roundings_of_a_meeting * shortest_step(impl, motion.state.time);
  if (!short_enough && (speed == 0 || !within_rounding)) return Way::too_long;
  const double near = largest_free(motion, straight_on_by(motion, s).state, variables);
  if (!(near <= growth_at_a_meeting * far)) return Way::not_there;
  return short_enough ? Way::short_enough : Way::within_rounding;
}

/// The roots that are zero within some of the shortest steps, before or behind, or within the rounding of their places; by their numbers. The square of a
/// distance is told by its way, a place that passes zero by its rate.
std::vector<std::size_t> nearly_zero(const Motion& motion, const std::vector<Series::RootOfPlaces>& roots) {
  const Motion::Impl& impl = *motion.impl;
  const double shortest = shortest_step(impl, motion.state.time);
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < roots.size(); ++k) {
    double way = 0;
    for (const std::uint32_t i : roots[k].positions) {
      way = std::max({way, ways_from_a_meeting * shortest * std::abs(motion.state.velocity[i]),
                      roundings_of_a_meeting * unit_rounding * std::abs(motion.state.position[i])});
    }
    const double passed = ways_from_a_meeting * shortest / impl.series.unit() * std::abs(roots[k].rate);
    if (std::abs(roots[k].argument) <= std::max(way * way, passed)) out.push_back(k);
  }
  return out;
}

/// On a condition the velocity turns by what its slope changes on the way. Where that begins like a root the force has no bound: no way is short enough.
bool keeps_its_speed(const Motion& motion, const model::State& from) {
  const Series& series = motion.impl->series;
  double before = 0;
  double changed = 0;
  for (std::size_t i = 0; i < from.velocity.size(); ++i) {
    const double mass = series.root_mass(i) * series.root_mass(i);
    const double change = motion.state.velocity[i] - from.velocity[i];
    before += mass * from.velocity[i] * from.velocity[i];
    changed += mass * change * change;
  }
  const double part = part_for(motion.impl->tolerance);
  return changed <= part * part * before;
}

/// From the present state on: do the roots given grow, and can a step be proved?
bool leads_on(Motion& motion, const std::vector<std::size_t>& roots, double due) {
  Motion::Impl& impl = *motion.impl;
  const double gap = due - motion.state.time;
  double h = 0;
  if (!extend(impl.series, motion.state, part_for(impl.tolerance), gap, 0, h)) return false;
  const std::vector<Series::RootOfPlaces> behind = impl.series.roots_of_places();
  // On a side on which a choice leaves a root out it is not above zero; where it is, it grows.
  const bool grow = std::all_of(roots.begin(), roots.end(),
                                [&](std::size_t k) { return !(behind[k].argument > 0) || behind[k].rate > 0; });
  const double u = impl.series.unit();
  return grow && impl.series.prove(h, gap / u, defect_for(impl.tolerance), impl.tolerance).length >
                     shortest_step(impl, motion.state.time) / u;
}

/// The place is not known better than a way on which the points hardly move. But what they meet may move by itself, as an anchor does that depends on time: do the roots
/// given stay what they are when time alone goes on? The state is the one from which the way leads.
bool waits_for_them(Motion& motion, const std::vector<Series::RootOfPlaces>& before,
                    const std::vector<std::size_t>& passed, double s, double due) {
  Motion::Impl& impl = *motion.impl;
  const double time = motion.state.time;
  motion.state.time = time + s;
  double h = 0;
  const bool found = project(motion) && extend(impl.series, motion.state, part_for(impl.tolerance), due - time, 0, h);
  const std::vector<Series::RootOfPlaces> then = impl.series.roots_of_places();
  motion.state.time = time;
  return found && std::all_of(passed.begin(), passed.end(),
                              [&](std::size_t k) { return then[k].argument == before[k].argument; });
}

/// The way has been gone: a piece of constant velocities.
void take_way(Motion& motion, const model::State& from, double s) {
  Motion::Impl& impl = *motion.impl;
  const std::size_t n = impl.model.variables;
  Piece& piece = motion.piece;
  piece.start = from.time;
  piece.length = s;
  piece.unit = 1;
  piece.n = static_cast<std::uint32_t>(n);
  piece.orders = 2;
  piece.position = from.position;
  piece.position.insert(piece.position.end(), from.velocity.begin(), from.velocity.end());
  piece.rows = motion.held;
  piece.multiplier_orders = 1;
  piece.multiplier = motion.multipliers;
  piece.multiplier.resize(piece.rows.size(), 0.0);
  piece.rho = motion.rho;
  piece.pole = std::numeric_limits<double>::quiet_NaN();
  impl.gain_position.resize(n);
  impl.gain_velocity.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) impl.gain_position[i] = s * from.velocity[i];
  measure_step(motion, s);
  impl.flight += s;
  std::fill(impl.leading.begin(), impl.leading.end(), std::uint8_t{0});
  std::fill(impl.switches.at_start.begin(), impl.switches.at_start.end(), std::uint8_t{0});
  ++motion.steps;
}

/// Names of the bodies that some variables belong to, each once.
std::vector<std::string> names_of(const model::Model& model, const std::vector<std::uint32_t>& variables) {
  std::vector<std::string> out;
  for (const std::uint32_t i : variables) {
    const auto next = std::upper_bound(model.bodies.begin(), model.bodies.end(), i,
                                       [](std::uint32_t v, const model::Body& body) { return v < body.first; });
    const model::Body& body = *(next - 1);
    std::string name = model::member_name(body, (i - body.first) / body.dimension);
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

}  // namespace

bool has_forces(const Motion& motion) {
  const std::vector<double> a = free_accelerations(motion, motion.state);
  return std::all_of(a.begin(), a.end(), [](double x) { return std::isfinite(x); });
}

bool pass_meeting(Motion& motion, double due) {
  Motion::Impl& impl = *motion.impl;
  const std::vector<Series::RootOfPlaces> before = impl.series.roots_of_places();
  const std::vector<std::size_t> passed = nearly_zero(motion, before);
  std::vector<std::uint32_t> variables;
  for (const std::size_t k : passed)
    variables.insert(variables.end(), before[k].positions.begin(), before[k].positions.end());
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  if (variables.empty()) return false;

  const model::State from = motion.state;
  const std::vector<double> carry_position = impl.carry_position;
  const std::vector<double> carry_velocity = impl.carry_velocity;
  // What is due within the rounding of the time is due before.
  const double gap = due - from.time;
  if (gap <= roundings_of_a_meeting * shortest_step(impl, from.time)) {
    motion.state = straight_on_by(motion, gap).state;
    if (!project(motion)) return false;
    take_way(motion, from, gap);
    motion.state.time = due;
    impl.carry_time = 0;
    settle(motion, {}, false);
    return true;
  }
  for (double s = shortest_step(impl, from.time); s < gap; s *= 2) {
    const Way way = way_of(motion, variables, s);
    if (way == Way::too_long) return false;
    if (way == Way::not_there) continue;
    if (way == Way::within_rounding) {
      const bool waits = waits_for_them(motion, before, passed, s, due);
      motion.state = from;
      impl.carry_position = carry_position;
      impl.carry_velocity = carry_velocity;
      static_cast<void>(project(motion));
      if (!waits) return false;
    }
    Place there = straight_on_by(motion, s);
    Triggers triggers;
    triggers.turns = turns_between(impl.switches.sides, there.sides);
    motion.state = std::move(there.state);
    if (project(motion) && keeps_its_speed(motion, from) && leads_on(motion, passed, due)) {
      take_way(motion, from, s);
      motion.state.time = from.time;
      motion.state.time = later(impl, from.time, s);
      // Behind a corner that has been listed a root begins.
      const bool falls =
          std::any_of(passed.begin(), passed.end(), [&](std::size_t k) { return !(before[k].rate > 0); });
      if (triggers.turns.empty() && falls) {
        Event event;
        event.time = motion.state.time;
        event.kind = EventKind::switched;
        event.bodies = names_of(impl.model, variables);
        motion.events.push_back(std::move(event));
      }
      triggers.doubt = true;
      settle(motion, triggers, false);
      return true;
    }
    motion.state = from;
    impl.carry_position = carry_position;
    impl.carry_velocity = carry_velocity;
    static_cast<void>(project(motion));
  }
  return false;
}

bool jumps_between(const Motion& motion, double before, double behind) {
  const Series& series = motion.impl->series;
  const std::size_t n = motion.impl->model.variables;
  const auto on_series = [&](double s) {
    const auto at = [&](std::span<const double> c, std::size_t i) {
      double sum = 0;
      for (std::size_t k = c.size() / n; k-- > 0;) sum = sum * s + c[k * n + i];
      return sum;
    };
    model::State there = motion.state;
    there.time += s * series.unit();
    for (std::size_t i = 0; i < n; ++i) {
      there.position[i] = at(series.position(), i);
      there.velocity[i] = at(series.velocity(), i);
    }
    return there;
  };
  const std::vector<double> first = free_accelerations(motion, on_series(before));
  const std::vector<double> second = free_accelerations(motion, on_series(behind));
  double speed = 0;
  double jump = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double mass = series.root_mass(i);
    speed = std::max(speed, mass * std::abs(motion.state.velocity[i]));
    jump = std::max(jump, mass * std::abs(second[i] - first[i]));
  }
  return !(jump * (behind - before) * series.unit() <= unit_rounding * speed);
}

std::uint32_t leave_meeting(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  std::vector<std::uint32_t> variables;
  const std::vector<double> a = free_accelerations(motion, motion.state);
  for (std::uint32_t i = 0; i < impl.model.variables; ++i) {
    if (!std::isfinite(a[i])) variables.push_back(i);
  }
  if (variables.empty()) return no_row;
  const double duration = impl.until - impl.model.simulation.start;
  for (double s = shortest_step(impl, motion.state.time); s < duration; s *= 2) {
    const Way way = way_of(motion, variables, s);
    if (way == Way::too_long) break;
    if (way == Way::not_there) continue;
    // Further, if it may be, so that steps lead on from there.
    double further = ways_from_a_meeting * s;
    const auto leads = [&] {
      const Way there = way_of(motion, variables, further);
      return there == Way::short_enough || there == Way::within_rounding;
    };
    while (further > s && !leads()) further /= 2;
    const double time = motion.state.time;
    motion.state = straight_on_by(motion, further).state;
    motion.state.time = time;
    return no_row;
  }
  return variables.front();
}

}  // namespace zwang::motion
