/// Kinks of conditions of which both sides hold: how a motion comes into them and leaves them.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/switches_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

void open_valleys(Motion& motion, const Triggers& triggers, bool first, instant::RowSet& closed,
                  instant::RowSet& steady) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  if (model.switches == 0) return;
  std::vector<std::uint32_t> passing;
  instant::RowSet looked_at = closed;
  for (const Turn& turn : triggers.turns) {
    passing.push_back(turn.number);
    const std::uint32_t row = model::place_of_switch(model, turn.number).row;
    // Over a kink that it does not touch it flies as over any other place.
    if (row < model.rows()) evaluate_row(motion, row);
    const model::Rows& rows = impl.workspace.evaluation().rows;
    if (row < model.rows() && rows.value[row] >= -(touch_in_motion * rows.value_scale[row] +
                                                   instant::bounds_that_are_nothing * rows.value_error[row])) {
      looked_at.add(row);
    }
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const std::uint32_t twin = model.row_twin[row];
    if (twin <= row || switches.gone.contains(row) || is_valley(switches, row) || !(first || looked_at.contains(row)))
      continue;
    const std::optional<instant::Valley> found =
        instant::find_valley(model, motion.state, row, passing, switches.sides);
    if (!found) continue;
    switches.valleys.insert(std::lower_bound(switches.valleys.begin(), switches.valleys.end(), row), row);
    for_switches_of(model, twin,
                    [&](const auto&, std::uint32_t, std::uint32_t number) { switches.unfollowed[number] = 0; });
    for (const std::uint32_t number : found->switches) switches.unfollowed[number] = 1;
    motion.state.modes = model::modes_of(model, switches.sides);
    closed.put(twin, closed.contains(row));
    // The side that it comes from is kept if it was; the other one may be struck.
    steady.put(row, is_closed(impl.standing[row]) && closed.contains(row));
    steady.remove(twin);
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
    if (model::cone_of(model, row) != nullptr) return false;
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
    switches.idle.add(twin);
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

}  // namespace zwang::motion
