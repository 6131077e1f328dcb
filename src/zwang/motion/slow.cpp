/// From and through rest under forces with roots of a speed: norm(w) w, w / sqrt(|w|), where w is zero.
///
/// Such a force vanishes with w, and has no series there. But a time s later, s some shortest steps, it has changed velocities by no more than |a| s, a what it makes
/// of accelerations by then: so long it is taken as nothing, and behind that w has a size and the force a series. Where w stays zero so does the force.
///
/// Symbols: w a vector in which velocities occur, s the time gone without the force. Reference: docs/mathematics, section 10.4.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/lane.hpp"
#include "zwang/motion/switches_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

/// Every speed below a product that vanishes with it: |w|^2 along the series, and its switch.
template <class Visit>
void for_stirs(const Motion& motion, const Visit& visit) {
  const Motion::Impl& impl = *motion.impl;
  if (impl.model.switches == 0 || impl.flow != nullptr) return;
  std::vector<double> registers;
  const Along series = impl.series.along();
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
    if (!group.corners[c].stirs) return;
    run_lane(series, group, group.switching, lane, registers);
    const double* square = registers.data() + std::size_t{group.switching.outputs[c]} * (std::size_t{series.known} + 1);
    visit(group, lane, number, std::span<const double>(square, series.known));
  });
}

/// The time until |w| is zero if it falls as it does; `never` if it does not fall.
double time_to_rest(std::span<const double> square) {
  if (square[0] == 0) return 0;
  return square[1] < 0 ? -2 * square[0] / square[1] : never;
}

/// Is it what it is on all of the step?
bool stays(std::span<const double> square) {
  return std::all_of(square.begin() + 1, square.end(), [](double c) { return c == 0; });
}

/// What forces without conditions make of the state on the series, s later.
std::vector<double> forces_on_series(const Motion& motion, double s) {
  Motion::Impl& impl = *motion.impl;
  const std::size_t n = impl.model.variables;
  model::State there = motion.state;
  there.time += s * impl.series.unit();
  const auto at = [&](std::span<const double> c, std::size_t i) {
    double sum = 0;
    for (std::size_t k = c.size() / n; k-- > 0;) sum = sum * s + c[k * n + i];
    return sum;
  };
  for (std::size_t i = 0; i < n; ++i) {
    there.position[i] = at(impl.series.position(), i);
    there.velocity[i] = at(impl.series.velocity(), i);
  }
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_dynamics(impl.model, there, work.scratch, work.dynamics);
  std::vector<double> a(n);
  work.dynamics.mass.solve(work.dynamics.force, a);
  return a;
}

}  // namespace

double reach_of_stirs(const Motion& motion, double h) {
  const double way =
      shortest_steps_from_rest * shortest_step(*motion.impl, motion.state.time) / motion.impl->series.unit();
  for_stirs(motion, [&](const model::Slotted&, std::uint32_t, std::uint32_t number, std::span<const double> square) {
    if (motion.impl->switches.sides[number] == 2) return;
    if (stays(square)) return;
    const double left = time_to_rest(square);
    h = std::min(h, way + (left < never ? 2 * left : 0.0));
  });
  return h;
}

void find_stirs(const Motion& motion, double h, FoundTurns& found) {
  for_stirs(motion, [&](const model::Slotted&, std::uint32_t, std::uint32_t number, std::span<const double> square) {
    if (motion.impl->switches.sides[number] == 2) return;
    if (stays(square)) return;
    found.turns.push_back({number, true, true, false, h});
    found.at = std::min(found.at, h);
  });
}

bool passes_rest(Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const double soon = many_shortest_steps_to_rest * shortest_step(impl, motion.state.time) / impl.series.unit();
  Triggers triggers;
  for_stirs(motion, [&](const model::Slotted&, std::uint32_t, std::uint32_t number, std::span<const double> square) {
    if (impl.switches.sides[number] == 2 && time_to_rest(square) <= soon)
      triggers.turns.push_back({number, false, false, false, 0});
  });
  if (triggers.turns.empty()) return false;
  settle(motion, triggers, false);
  return true;
}

double way_without_roots(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  if (impl.flow != nullptr || !impl.series.leaves_out_roots_of_speeds()) return 0;
  const double way = shortest_steps_from_rest * shortest_step(impl, motion.state.time) / impl.series.unit();
  const std::vector<double> here = forces_on_series(motion, 0);
  const std::vector<double> near = forces_on_series(motion, way / ways_beyond_a_meeting);
  const std::vector<double> far = forces_on_series(motion, way);
  double first = 0;
  double second = 0;
  double rounding = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (!std::isfinite(here[i]) || !std::isfinite(near[i]) || !std::isfinite(far[i])) return 0;
    const double mass = impl.series.root_mass(i);
    first = std::max(first, mass * std::abs(near[i] - here[i]));
    second = std::max(second, mass * std::abs(far[i] - here[i]));
    rounding = std::max(rounding, roundings_beside_a_root * unit_rounding * mass * std::abs(here[i]));
  }
  return first <= std::max(steepest_smooth_power * second, rounding) ? way : 0.0;
}

std::vector<Series::RestingRoot> resting_stirs(const Motion& motion) {
  std::vector<Series::RestingRoot> out;
  for_stirs(motion,
            [&](const model::Slotted& group, std::uint32_t lane, std::uint32_t, std::span<const double> square) {
              if (square[0] != 0 || square[1] != 0 || square[2] != 0) return;
              Series::RestingRoot root;
              for (std::size_t at = lane; at < group.position_of.size(); at += group.lanes)
                root.positions.push_back(group.position_of[at]);
              for (std::size_t at = lane; at < group.velocity_of.size(); at += group.lanes)
                root.velocities.push_back(group.velocity_of[at]);
              out.push_back(std::move(root));
            });
  return out;
}

}  // namespace zwang::motion
