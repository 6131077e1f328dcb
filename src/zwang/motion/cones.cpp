/// The apex of a cone (instant/cones.hpp): how a motion comes to it, stays in it and leaves it.
///
/// In the apex the spokes of the cone are the rows, and f itself is not. They stay so for one piece when the motion leaves, since f has no series there: with one spoke
/// held w points along it, f is that spoke and nothing else, and with none f is beyond zero, as is looked at behind it. So it is on the last pieces before the apex,
/// where w goes straight to zero: there the other spokes close. Reference: docs/mathematics, section 29.

#include "zwang/instant/cones.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/motion/settle_impl.hpp"
#include "zwang/motion/switches_impl.hpp"

namespace zwang::motion {

using expressions::spokes_of_cone;
using instant::InCone;
using model::Cone;

namespace {

std::size_t closed_spokes(const Motion::Impl& impl, const Cone& cone) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < spokes_of_cone; ++k) count += is_closed(impl.standing[cone.spoke(k)]) ? 1U : 0U;
  return count;
}

/// Values (rates) of the spokes, which are evaluated, as those of A and B w.
InCone look(const Motion& motion, const Cone& cone, bool rates) {
  const model::Rows& rows = motion.impl->workspace.evaluation().rows;
  return instant::seen_by_spokes(motion.impl->model, cone, motion.state.modes, rates ? rows.rate : rows.value);
}

/// What counts as zero of B w, of the spokes evaluated.
double small_in_apex(const Motion& motion, const Cone& cone) {
  const model::Rows& rows = motion.impl->workspace.evaluation().rows;
  double small = 0;
  for (std::size_t k = 0; k < spokes_of_cone; ++k)
    small = std::max(small, touch_in_apex * rows.value_scale[cone.spoke(k)] +
                                instant::bounds_that_are_nothing * rows.value_error[cone.spoke(k)]);
  return small;
}

/// Cones in whose apex the motion is, of those whose spokes count.
std::vector<Cone> cones_in_apex(const Motion& motion) {
  std::vector<Cone> out;
  for (const Cone& cone : motion.impl->model.cones) {
    if (is_in_apex(motion, cone.row) &&
        instant::is_at_apex(motion.impl->model, motion.state, cone, touch_in_apex, motion.impl->workspace.evaluation()))
      out.push_back(cone);
  }
  return out;
}

/// The time until w vanishes where it goes straight to zero, to what counts as zero; `never` if it does not.
double time_to_apex(const Motion& motion, const Cone& cone) {
  const Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = impl.workspace.evaluation();
  for (std::size_t k = 0; k < spokes_of_cone; ++k)
    model::evaluate_row(impl.model, motion.state, cone.spoke(k), work.scratch, work.rows);
  const InCone here = look(motion, cone, false);
  const InCone rate = look(motion, cone, true);
  const double falls = -(here.across[0] * rate.across[0] + here.across[1] * rate.across[1]);
  const double speed = rate.lean();
  const double misses = std::abs(here.across[0] * rate.across[1] - here.across[1] * rate.across[0]) / speed;
  return falls > 0 && misses <= small_in_apex(motion, cone) ? falls / (speed * speed) : never;
}

/// The gradients of B w_1 and B w_2 by the spokes evaluated, per variable.
std::vector<double> slopes_across(const Motion& motion, const Cone& cone) {
  const model::Model& model = motion.impl->model;
  const model::Rows& rows = motion.impl->workspace.evaluation().rows;
  std::vector<double> out(2 * std::size_t{model.variables}, 0.0);
  std::vector<double> entry(model.rows(), 0.0);
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    bool any = false;
    for (std::size_t k = 0; k < spokes_of_cone; ++k) {
      const std::uint32_t row = cone.spoke(k);
      entry[row] = 0;
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        if (model.row_column[e] == i) entry[row] = rows.entry[e];
      }
      any = any || entry[row] != 0;
    }
    if (!any) continue;
    const InCone slope = instant::seen_by_spokes(model, cone, motion.state.modes, entry);
    out[2 * i] = slope.across[0];
    out[2 * i + 1] = slope.across[1];
  }
  return out;
}

/// Is what vanishes in the apex of the one the same as in that of the other, up to a factor? So are both rims of a cylinder.
bool vanish_together(const Motion& motion, const Cone& one, const Cone& other) {
  Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = impl.workspace.evaluation();
  for (const Cone& cone : {one, other}) {
    for (std::size_t k = 0; k < spokes_of_cone; ++k)
      model::evaluate_row(impl.model, motion.state, cone.spoke(k), work.scratch, work.rows);
  }
  const std::vector<double> a = slopes_across(motion, one);
  const std::vector<double> b = slopes_across(motion, other);
  double product = 0;
  double square = 0;
  double of_other = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    square += a[i] * a[i];
    of_other += b[i] * b[i];
  }
  return product > 0 && square * of_other - product * product <= same_gradient * square * of_other;
}

bool is_blown_here(const Motion& motion) {
  const std::vector<model::Blow>& blows = motion.impl->model.blows;
  return std::any_of(blows.begin(), blows.end(),
                     [&](const model::Blow& blow) { return instant::same_instant(blow.at, motion.state.time); });
}

void end_turning(Motion& motion, const Cone& cone) {
  end_singular(motion, {cone.row},
               "the condition " + model::row_name(motion.impl->model, cone.row) +
                   " has a corner in a point, as a cylinder has that stands on its face, along a whole circle, and "
                   "from there the motion leaves in a "
                   "direction that turns at once, which is not followed: give the cylinder marks on its rims and their "
                   "cloud as its shape");
}

}  // namespace

bool is_in_apex(const Motion& motion, std::uint32_t row) {
  const Cone* cone = model::cone_of(motion.impl->model, row);
  return cone != nullptr && is_valley(motion.impl->switches, cone->row);
}

bool leaves_apex(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  return std::any_of(impl.model.cones.begin(), impl.model.cones.end(), [&](const Cone& cone) {
    return is_valley(impl.switches, cone.row) && closed_spokes(impl, cone) < spokes_of_cone &&
           !is_beside(impl.switches, cone.row) &&
           (closed_spokes(impl, cone) != 1 || time_to_apex(motion, cone) == never);
  });
}

double straight_from_apex(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  instant::Evaluation& work = impl.workspace.evaluation();
  // Accelerations as the series has them: a motion that was put aside knows of its last instant nothing else.
  const std::span<const double> q = impl.series.position();
  const std::size_t n = model.variables;
  if (q.size() < 3 * n) return never;
  const double unit = impl.series.unit();
  std::vector<double> seconds;
  double lasts = never;
  for (const Cone& cone : impl.model.cones) {
    if (!is_valley(impl.switches, cone.row) || is_beside(impl.switches, cone.row) ||
        closed_spokes(impl, cone) == spokes_of_cone)
      continue;
    for (std::size_t k = 0; k < spokes_of_cone; ++k)
      model::evaluate_row(impl.model, motion.state, cone.spoke(k), work.scratch, work.rows);
    const InCone rate = look(motion, cone, true);
    seconds.resize(model.rows(), 0.0);
    for (std::size_t k = 0; k < spokes_of_cone; ++k) {
      const std::uint32_t row = cone.spoke(k);
      seconds[row] = work.rows.curvature[row];
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
        seconds[row] += work.rows.entry[e] * 2 * q[2 * n + model.row_column[e]] / (unit * unit);
    }
    const InCone second = instant::seen_by_spokes(model, cone, motion.state.modes, seconds);
    const double turns =
        std::abs(rate.across[0] * second.across[1] - rate.across[1] * second.across[0]) / (rate.lean() * rate.lean());
    if (turns > 0 && std::isfinite(turns)) lasts = std::min(lasts, turns_with_speed / turns);
  }
  return lasts;
}

bool nears_apex(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  return std::any_of(impl.model.cones.begin(), impl.model.cones.end(), [&](const Cone& cone) {
    return !is_valley(impl.switches, cone.row) && impl.standing[cone.row] != Standing::absent &&
           time_to_apex(motion, cone) <= steps_to_apex * motion.piece.length;
  });
}

Triggers without_spokes(const Motion& motion, const Triggers& triggers) {
  Triggers out = triggers;
  const std::size_t before = out.releasing.size();
  std::erase_if(out.releasing, [&](std::uint32_t row) { return is_in_apex(motion, row); });
  std::erase_if(out.grazing, [&](std::uint32_t row) { return is_in_apex(motion, row); });
  out.doubt = out.doubt || out.releasing.size() != before;
  return out;
}

void open_cones(Motion& motion, bool first, instant::RowSet& closed, instant::RowSet& steady) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  std::vector<std::uint32_t>& on = impl.switches.valleys;
  instant::Evaluation& work = impl.workspace.evaluation();
  impl.switches.beside.clear();
  const auto put_off = [&](const Cone& cone, bool held) {
    on.erase(std::lower_bound(on.begin(), on.end(), cone.row));
    // A spoke that has just closed was f.
    bool touches = held;
    for (std::size_t k = 0; k < spokes_of_cone; ++k) {
      touches = touches || closed.contains(cone.spoke(k));
      closed.remove(cone.spoke(k));
      steady.remove(cone.spoke(k));
    }
    closed.put(cone.row, touches);
    steady.put(cone.row, held);
  };
  const auto put_on = [&](const Cone& cone) {
    on.insert(std::lower_bound(on.begin(), on.end(), cone.row), cone.row);
    const bool lands = steady.contains(cone.row) && !is_closed(impl.standing[cone.row]);
    for (std::size_t k = 0; k < spokes_of_cone; ++k) {
      closed.put(cone.spoke(k), !first);
      steady.put(cone.spoke(k), lands);
    }
    closed.remove(cone.row);
    steady.remove(cone.row);
  };
  // What flies through its apex has a root there as well; before and behind it the spokes that point where w comes from and where it goes are f.
  const auto fly_through = [&](const Cone& cone) {
    const bool at = instant::is_at_apex(model, motion.state, cone, touch_in_apex, work);
    const double small = small_in_apex(motion, cone);
    const InCone here = look(motion, cone, false);
    if (here.along >= -small || (at && !(look(motion, cone, true).lean() > small))) return;
    if (!at) {
      if (is_blown_here(motion) || !(time_to_apex(motion, cone) <= steps_to_apex * motion.piece.length)) return;
      const instant::Direction c = {here.across[0] / here.lean(), here.across[1] / here.lean()};
      instant::turn_spoke(model, cone, 0, c, impl.switches.sides, motion.state.modes);
      instant::turn_spoke(model, cone, 1, {-c[0], -c[1]}, impl.switches.sides, motion.state.modes);
      instant::turn_spoke(model, cone, 2, {-c[1], c[0]}, impl.switches.sides, motion.state.modes);
    }
    put_on(cone);
    for (std::size_t k = 0; k < spokes_of_cone; ++k) closed.remove(cone.spoke(k));
  };
  for (const Cone& cone : model.cones) {
    const bool was = is_valley(impl.switches, cone.row);
    if (impl.switches.gone.contains(cone.row)) {
      if (was) put_off(cone, false);
      continue;
    }
    if (!was && !first && !closed.contains(cone.row)) {
      fly_through(cone);
      continue;
    }
    const bool held = was && closed_spokes(impl, cone) > 0;
    if (instant::is_at_apex(model, motion.state, cone, touch_in_apex, work)) {
      const double touch = first ? model.simulation.touch * work.rows.value_scale[cone.spoke(0)] : 0.0;
      const bool touches =
          held || (!was && !first) || look(motion, cone, false).along >= -std::max(small_in_apex(motion, cone), touch);
      if (!touches) {
        if (was) put_off(cone, false);
        continue;
      }
      if (!was) put_on(cone);
      for (std::size_t k = 0; k < spokes_of_cone && was; ++k) closed.add(cone.spoke(k));
      for (std::size_t k = 0; k < spokes_of_cone && impl.resting.is_told(); ++k) impl.resting.remove(cone.spoke(k));
      continue;
    }
    // On the way to it the spoke that points where w does is f itself, and smooth.
    const bool nears =
        !first && !is_blown_here(motion) &&
        (was ? closed_spokes(impl, cone) == 1 && time_to_apex(motion, cone) < never
             : is_closed(impl.standing[cone.row]) && time_to_apex(motion, cone) <= steps_to_apex * motion.piece.length);
    if (was && !nears) put_off(cone, held);
    if (was || !nears) continue;
    const InCone here = look(motion, cone, false);
    instant::turn_spokes(model, cone, {here.across[0] / here.lean(), here.across[1] / here.lean()}, impl.switches.sides,
                         motion.state.modes);
    put_on(cone);
    for (std::size_t k = 0; k < spokes_of_cone; ++k) {
      closed.put(cone.spoke(k), k == 0);
      steady.put(cone.spoke(k), k == 0);
    }
  }
}

void stand_beside(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  instant::Evaluation& work = impl.workspace.evaluation();
  std::vector<instant::Role>& role = impl.instant.role;
  for (const Cone& cone : model.cones) {
    // Two spokes that hold what a third one lets go: there p moves along the circle, and the derivatives of higher order are those of the triangle.
    std::size_t held = 0;
    for (std::size_t k = 0; k < spokes_of_cone; ++k) held += is_held(role[cone.spoke(k)]) ? 1U : 0U;
    if (!is_valley(switches, cone.row) || held != 2) continue;
    end_turning(motion, cone);
    return;
  }
  for (const Cone& cone : model.cones) {
    if (is_valley(switches, cone.row) || role[cone.row] != instant::Role::passive_in_position) continue;
    const auto other = std::find_if(model.cones.begin(), model.cones.end(), [&](const Cone& one) {
      return is_valley(switches, one.row) && !is_beside(switches, one.row) && vanish_together(motion, one, cone);
    });
    if (other == model.cones.end()) continue;
    switches.valleys.insert(std::lower_bound(switches.valleys.begin(), switches.valleys.end(), cone.row), cone.row);
    switches.beside.push_back(cone.row);
    role[cone.row] = instant::Role::absent;
    // Its first spoke is f itself where the first one of the other is.
    instant::turn_spokes(model, cone, instant::spoke_direction(model, *other, 0, motion.state.modes), switches.sides,
                         motion.state.modes);
    for (std::size_t k = 0; k < spokes_of_cone; ++k) {
      role[cone.spoke(k)] = instant::Role::passive_in_position;
      model::evaluate_row(model, motion.state, cone.spoke(k), work.scratch, work.rows);
    }
  }
}

bool keeps_cones(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  instant::Evaluation& work = impl.workspace.evaluation();
  for (const Cone& cone : model.cones) {
    if (!is_valley(impl.switches, cone.row)) continue;
    const std::size_t held = closed_spokes(impl, cone);
    const bool beside = is_beside(impl.switches, cone.row);
    if (held == spokes_of_cone || (held == 1 && time_to_apex(motion, cone) < never) ||
        instant::is_at_apex(model, motion.state, cone, touch_in_apex, work))
      continue;
    // Behind the piece on which it has left the apex: f itself, and where w points.
    const InCone found = look(motion, cone, false);
    double size = 0;
    double turned = 0;
    for (std::size_t k = 0; k < spokes_of_cone; ++k) {
      const std::uint32_t row = cone.spoke(k);
      size = std::max(size, work.rows.value_scale[row]);
      if (!is_closed(impl.standing[row])) continue;
      const instant::Direction c = instant::spoke_direction(model, cone, k, motion.state.modes);
      turned = std::abs(c[0] * found.across[1] - c[1] * found.across[0]) / found.lean();
    }
    const double off = found.along + found.lean();
    if (beside && off <= 0) continue;
    // What the wrong direction of its push has made of the velocities, beside those that the energies of the motion allow.
    bool pushes = false;
    const auto mass = work.dynamics.mass.diagonal();
    for (std::size_t i = 0; i < motion.state.velocity.size(); ++i) {
      const double usual =
          std::max(std::abs(motion.state.velocity[i]), std::sqrt(2 * motion.energy.largest_kinetic / mass[i]));
      pushes = pushes || !(turned * std::abs(impl.gain_velocity[i]) <= pushed_aside * impl.tolerance * usual);
    }
    if (!pushes) turned = 0;
    if (held < 2 && turned <= turns_beside_apex * impl.tolerance && off <= broken_by_tolerance * impl.tolerance * size)
      continue;
    motion.state = impl.in_apex;
    motion.energy = impl.energy_in_apex;
    motion.piece.length = 0;
    end_turning(motion, cone);
    return false;
  }
  return true;
}

void accelerate_on_cones(Motion& motion, const instant::Options& options) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  instant::Instant& now = impl.instant;
  std::vector<Cone> cones;
  if (!model.cones.empty()) cones = cones_in_apex(motion);
  if (!cones.empty())
    cones = instant::standing_still(model, cones, motion.state, impl.workspace.evaluation(), impl.switches.sides);
  instant::accelerate(model, motion.state, options, impl.workspace, now);
  instant::ConeSearch search(model, cones);
  if (!search.any()) return;
  const auto asks_again = [&] {
    if (now.status != instant::Status::determined || now.singular) return false;
    const std::vector<double> terms =
        instant::terms_of_spokes(model, impl.workspace.evaluation().rows, impl.workspace.acceleration_terms(), true);
    return search.turn(now.second, now.multipliers, terms, impl.switches.sides, motion.state.modes);
  };
  while (asks_again()) instant::accelerate(model, motion.state, options, impl.workspace, now);
  if (search.lost() < model.rows()) {
    now.status = instant::Status::undecided;
    now.no_gradient = true;
    now.expansion = instant::lost_in_cone(model, search.lost());
  }
}

void regulate_on_cones(Motion& motion, const instant::Options& options) {
  Motion::Impl& impl = *motion.impl;
  std::vector<Cone> cones;
  if (!impl.model.cones.empty()) cones = cones_in_apex(motion);
  instant::regulate_on_cones(impl.model, cones, motion.state, options, impl.workspace, impl.switches.sides, impl.shock);
}

}  // namespace zwang::motion
