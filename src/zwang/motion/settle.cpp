/// The instant: shock, accelerations, the new sets of rows, and the events that are listed.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "zwang/base/groups.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

namespace {

using instant::Role;

bool is_held(Role role) { return role == Role::equation || role == Role::binding || role == Role::marginal; }

/// The shock of an instant, gathered over its repetitions.
struct Gathered {
  bool shock = false;
  bool blow = false;
  std::vector<std::uint32_t> struck;  ///< inequalities that were approached
  std::vector<double> speed;          ///< f' of each before the shock
  std::vector<std::uint32_t> seized;
  std::vector<double> impulses;  ///< per row
  double lost = 0;
  std::string note;
};

/// Names of what the blows of this instant act on.
std::string struck_by_blow(const model::Model& model, double time) {
  std::string names;
  for (const model::Blow& blow : model.blows) {
    if (instant::same_instant(blow.at, time)) names += (names.empty() ? "on " : ", ") + blow.on;
  }
  return names;
}

/// The kinetic energy before and after a shock of what its impulses act on and what that hangs together with: what flies far off has no part
/// in it.
double energy_touched(const Motion::Impl& impl) {
  const model::Model& model = impl.model;
  const instant::Shock& shock = impl.shock;
  Groups together(model.variables);
  std::vector<std::uint8_t> struck(model.variables, 0);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (shock.impulses[row] == 0 && !is_closed(impl.place[row])) continue;
    const std::uint32_t begin = model.row_start[row];
    for (std::uint32_t e = begin; e < model.row_start[row + 1]; ++e) {
      together.join(model.row_column[e], model.row_column[begin]);
      if (shock.impulses[row] != 0) struck[model.row_column[e]] = 1;
    }
  }
  std::vector<std::uint8_t> touched(model.variables, 0);
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    if (struck[i] != 0) touched[together.of(i)] = 1;
  }
  double energy = 0;
  std::vector<double> momentum(model.variables);
  for (const std::vector<double>* velocity : {&shock.before, &shock.velocities}) {
    impl.workspace.evaluation().dynamics.mass.multiply(*velocity, momentum);
    for (std::uint32_t i = 0; i < model.variables; ++i)
      energy += touched[together.of(i)] != 0 ? std::abs((*velocity)[i] * momentum[i]) / 2 : 0.0;
  }
  return energy;
}

/// Is a rate so small that what could drive the row off does so before it is broken by anything that counts?
bool is_soft(const Motion::Impl& impl, std::uint32_t row, double rate) {
  const model::Model& model = impl.model;
  const instant::Evaluation& found = impl.workspace.evaluation();
  if (model::is_equation(model.row_kind[row]) || !model::is_holonomic(model.row_kind[row])) return false;
  double drive = std::abs(found.rows.curvature[row]);
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    const std::uint32_t i = model.row_column[e];
    drive += std::abs(found.rows.entry[e] * found.dynamics.force[i]) / found.dynamics.mass.diagonal()[i];
  }
  return rate * rate <= 2 * drive * graze_within_zero * found.touch_value[row];
}

/// A shock for which no velocities were found, without one of its rows: one that is approached softly whether it takes part or not. Where it
/// nearly depends on others (two discs beside each other fill a box to the last digits) it would take impulses beyond all numbers to turn what
/// moves along it. What it is after the shock is asked like that of any row.
void regulate_without_one(Motion& motion, const instant::Options& options, Gathered& gathered) {
  Motion::Impl& impl = *motion.impl;
  const instant::Instant& now = impl.instant;
  const instant::Shock failed = impl.shock;
  instant::Options known = options;
  if (!known.gone.is_told()) known.gone = instant::RowSet(impl.model.rows());
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    const Role role = now.role[row];
    if (role == Role::absent || role == Role::violated || role == Role::passive_in_position ||
        known.gone.contains(row) || !is_soft(impl, row, now.rate[row])) {
      continue;
    }
    known.gone.add(row);
    instant::impact(impl.model, motion.state, known, impl.workspace, impl.shock);
    if (impl.shock.status == instant::ShockStatus::regulated &&
        is_soft(impl, row, std::max(0.0, impl.shock.rate_after[row]))) {
      const auto place = std::find(gathered.struck.begin(), gathered.struck.end(), row);
      if (place == gathered.struck.end()) return;
      gathered.speed.erase(gathered.speed.begin() + (place - gathered.struck.begin()));
      gathered.struck.erase(place);
      return;
    }
    known.gone.remove(row);
  }
  impl.shock = failed;
}

void regulate(Motion& motion, const instant::Options& options, Gathered& gathered) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const instant::Instant& now = impl.instant;
  if (now.blow_due) {
    gathered.blow = true;
    gathered.note = struck_by_blow(model, motion.state.time);
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const model::Condition& condition = model.conditions[model.row_condition[row]];
    const bool due = condition.seizure && instant::same_instant(condition.at, motion.state.time);
    if (due && now.seizure_due) gathered.seized.push_back(row);
    // A shock leaves nothing approached: what seems to be so after one is rounding, dealt with but not listed.
    if (!due && !gathered.shock && now.role[row] == Role::approached) {
      gathered.struck.push_back(row);
      gathered.speed.push_back(now.rate[row]);
    }
  }
  instant::Options known = options;
  known.evaluated = impl.switches.sides.empty() && !instant::has_alternatives(model);
  instant::impact(model, motion.state, known, impl.workspace, impl.shock);
  const instant::Shock& shock = impl.shock;
  if (shock.status == instant::ShockStatus::gave_up) regulate_without_one(motion, known, gathered);
  if (shock.status == instant::ShockStatus::jammed) {
    for (const auto& [row, y] : shock.farkas) motion.culprits.push_back(row);
    end(motion, Status::jammed, "no velocity after the shock satisfies the conditions");
    return;
  }
  if (shock.status == instant::ShockStatus::inadmissible) {
    for (const auto& [row, amount] : shock.violations) motion.culprits.push_back(row);
    end(motion, Status::inadmissible, "a condition is broken in position, and no shock repairs that");
    return;
  }
  if (shock.status == instant::ShockStatus::refused || shock.status == instant::ShockStatus::gave_up) {
    end(motion, shock.status == instant::ShockStatus::refused ? Status::refused : Status::gave_up,
        shock.restitution_note.empty() ? "the shock has no finite answer" : shock.restitution_note);
    return;
  }
  gathered.shock = true;
  // A loss below the rounding of the energies is none.
  const double rounding = loss_in_roundings * energy_touched(impl);
  const double lost = std::abs(shock.energy.lost) > rounding ? shock.energy.lost : 0.0;
  gathered.lost += lost;
  motion.energy.lost += lost;
  motion.energy.work += shock.energy.blow + shock.energy.work;
  for (std::uint32_t row = 0; row < model.rows(); ++row) gathered.impulses[row] += shock.impulses[row];
  if (!shock.restitution_note.empty()) gathered.note += (gathered.note.empty() ? "" : "; ") + shock.restitution_note;
  const std::vector<double> before = std::exchange(motion.state.velocity, shock.velocities);
  shock_uncertainty(motion, before);
  std::fill(impl.carry_velocity.begin(), impl.carry_velocity.end(), 0.0);
}

/// The size of a row's terms, and how far its multiplier may be off, at this instant.
void measure_row(Motion& motion, std::uint32_t row) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const instant::Evaluation& found = impl.workspace.evaluation();
  const model::Rows& rows = found.rows;
  const bool holonomic = model::is_holonomic(model.row_kind[row]);
  const double scale = holonomic ? rows.value_scale[row] : rows.rate_scale[row];
  const double error = holonomic ? rows.value_error[row] : rows.rate_error[row];
  const double size = std::max(scale, error / unit_rounding);
  impl.size[row] = std::isfinite(size) ? size : 0.0;
  double phi = 0;
  double off = rows.curvature_error[row];
  const auto mass = found.dynamics.mass.diagonal();
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    const std::uint32_t i = model.row_column[e];
    phi += rows.entry[e] * rows.entry[e] / mass[i];
    off += std::abs(rows.entry[e]) * found.dynamics.force_error[i] / mass[i];
  }
  const double doubt = instant::bounds_that_are_nothing * off / phi;
  impl.multiplier_doubt[row] = std::isfinite(doubt) ? doubt : 0.0;
}

/// The new sets: rows held in the order of their right to be kept, rows watched.
void choose_rows(Motion& motion, const std::vector<std::uint32_t>& balanced) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  instant::Instant& now = impl.instant;
  std::vector<HeldRow> held;
  std::vector<std::uint32_t> watched;
  std::vector<std::uint32_t> resting;
  motion.held.clear();
  const auto gives_way = [&](std::uint32_t row) {
    return std::find(balanced.begin(), balanced.end(), row) != balanced.end();
  };
  // Dependent rows: those act whose multipliers can be had without any that are negative.
  impl.by_few = impl.by_few && !now.multipliers_unique;
  const bool by_few = impl.by_few;
  if (by_few) {
    std::vector<std::uint32_t> acting;
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (now.role[row] == Role::equation || (is_held(now.role[row]) && now.multipliers[row] > 0))
        acting.push_back(row);
    }
    std::stable_partition(acting.begin(), acting.end(), [&](std::uint32_t row) { return !gives_way(row); });
    std::stable_partition(acting.begin(), acting.end(),
                          [&](std::uint32_t row) { return now.role[row] == Role::equation; });
    act_by_few(motion, acting, now.multipliers);
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const model::RowKind kind = model.row_kind[row];
    const bool holonomic = model::is_holonomic(kind);
    const Role role = now.role[row];
    impl.leading[row] = 0;
    // Marginal: its multiplier at this instant counts as zero, whatever its sign.
    impl.quiet.put(row, role == Role::marginal);
    measure_row(motion, row);
    if (role == Role::absent) {
      impl.place[row] = Place::absent;
    } else if (is_held(role)) {
      impl.place[row] = Place::held;
      motion.held.push_back(row);
      const bool vanishes = gives_way(row) && !by_few;
      if (role == Role::equation || (now.multipliers[row] > 0 && !vanishes)) {
        // By few: what is skipped nevertheless acts no more, and is watched.
        held.push_back({row, role == Role::equation ? impl.passage.stays : by_few});
      } else {
        resting.push_back(row);
      }
    } else {
      impl.place[row] = Place::open;
      watched.push_back(row);
      // What is known to vanish at the start: f and, for a condition that leaves, its first derivatives.
      if (role == Role::leaving) impl.leading[row] = holonomic ? 2 : 1;
      if (role == Role::passive_in_velocity && holonomic) impl.leading[row] = 1;
    }
  }
  // Rows at rest come last, and among them those whose multiplier has just fallen to zero: others may take over from them.
  std::stable_partition(resting.begin(), resting.end(), [&](std::uint32_t row) { return !gives_way(row); });
  for (const std::uint32_t row : resting) held.push_back({row, true});
  put_implied_first(model, held);
  for (const instant::Decision& decision : now.decisions) {
    const std::uint32_t row = decision.row;
    const bool holonomic = model::is_holonomic(model.row_kind[row]);
    if (now.role[row] == Role::leaving && !decision.stays) {
      impl.leading[row] = static_cast<std::uint8_t>(std::min(decision.derivative, impl.series.order() - 2));
    }
    if (now.role[row] == Role::binding && decision.stays && now.multipliers[row] == 0) {
      impl.leading[row] =
          static_cast<std::uint8_t>(std::min(decision.derivative - (holonomic ? 2 : 1), impl.series.order() - 4));
    }
  }

  leave_out_far(motion, watched);

  // Same rows as before: blocks and patterns stand.
  const bool same = held.size() == impl.held_rows.size() &&
                    std::equal(held.begin(), held.end(), impl.held_rows.begin(),
                               [](const HeldRow& a, const HeldRow& b) {
                                 return a.row == b.row && a.implied_if_dependent == b.implied_if_dependent;
                               }) &&
                    watched == impl.watched_rows && motion.steps > 0;
  impl.held_rows = std::move(held);
  impl.watched_rows = std::move(watched);
  impl.in_order = ascending(impl.held_rows);
  if (!same) impl.series.choose(impl.held_rows, impl.watched_rows);
}

/// The roles of the rows between two instants, by the places that they have.
void tell_present_roles(Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  instant::Instant& now = motion.impl->instant;
  now.role.assign(impl.model.rows(), Role::passive_in_position);
  now.multipliers.assign(impl.model.rows(), 0.0);
  now.multipliers_unique = !impl.by_few;
  now.decisions.clear();
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    const bool equation = model::is_equation(impl.model.row_kind[row]);
    switch (impl.place[row]) {
      case Place::open: break;
      case Place::held: now.role[row] = equation ? Role::equation : Role::binding; break;
      case Place::implied: now.role[row] = equation ? Role::equation : Role::marginal; break;
      case Place::absent: now.role[row] = Role::absent; break;
    }
  }
  for (std::size_t j = 0; j < motion.held.size(); ++j) now.multipliers[motion.held[j]] = motion.multipliers[j];
}

/// Onto the rows of a new set. What they lacked is no drift: nothing held them before.
bool project_onto_new(Motion& motion) {
  const double position = motion.position_drift;
  const double velocity = motion.velocity_drift;
  const bool regular = project(motion);
  motion.position_drift = position;
  motion.velocity_drift = velocity;
  return regular;
}

/// Rows that turned out to depend on others and need carry nothing are watched instead. Inequalities that share their force with others are watched, too:
/// further on these may leave them, as a floor leaves a ramp that begins on it.
void watch_implied(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  bool any = false;
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) {
    if (!impl.series.skipped(j)) continue;
    const bool shares = !impl.held_rows[j].implied_if_dependent;
    if (shares && model::is_equation(impl.model.row_kind[impl.held_rows[j].row])) continue;
    if (!shares) impl.place[impl.held_rows[j].row] = Place::implied;
    impl.leading[impl.held_rows[j].row] = 0;
    impl.watched_rows.push_back(impl.held_rows[j].row);
    any = true;
  }
  if (!any) return;
  std::sort(impl.watched_rows.begin(), impl.watched_rows.end());
  // Equations among them come last: elsewhere they may depend on more rows than they do here.
  std::stable_partition(impl.held_rows.begin(), impl.held_rows.end(), [&](const HeldRow& one) {
    return impl.place[one.row] != Place::implied || !model::is_equation(impl.model.row_kind[one.row]);
  });
  impl.in_order = ascending(impl.held_rows);
  impl.series.choose(impl.held_rows, impl.watched_rows);
  static_cast<void>(project_onto_new(motion));
}

void add_event(Motion& motion, EventKind kind, std::vector<std::uint32_t> rows) {
  Event event;
  event.time = motion.state.time;
  event.kind = kind;
  event.rows = std::move(rows);
  motion.events.push_back(std::move(event));
}

/// Does another part of the same `or` hold here, and not just so? Then this one touches nothing.
bool another_part_holds(const Motion& motion, std::uint32_t row) {
  const model::Model& model = motion.impl->model;
  const model::Condition& condition = model.conditions[model.row_condition[row]];
  if (condition.alternatives < 2) return false;
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, motion.state, scratch, rows);
  const std::uint32_t begin = row - (row - condition.first_row) % condition.components;
  std::vector<std::uint8_t> holds(condition.alternatives, 1);
  for (std::uint32_t other = begin; other < begin + condition.components; ++other) {
    const double size = model.simulation.touch * rows.value_scale[other];
    if (!(rows.value[other] < -size)) holds[model.row_alternative[other]] = 0;
  }
  holds[model.row_alternative[row]] = 0;
  return std::find(holds.begin(), holds.end(), 1) != holds.end();
}

void list_grazes(Motion& motion, std::vector<std::uint32_t> rows) {
  std::erase_if(rows, [&](std::uint32_t row) { return another_part_holds(motion, row); });
  if (!rows.empty()) add_event(motion, EventKind::graze, std::move(rows));
}

/// sqrt(M_ii): what momenta of angles and of lengths are divided by to have one unit.
std::vector<double> roots_of_inertia(const linear::Mass& mass) {
  std::vector<double> root(mass.diagonal().begin(), mass.diagonal().end());
  for (double& x : root) x = std::sqrt(x);
  return root;
}

/// One entry per kind, in their order.
void list_events(Motion& motion, const Triggers& triggers, const Gathered& gathered, const std::vector<Place>& before,
                 bool first, const Switches& switches_before) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  // A row and its twin are one condition.
  const auto closed_before = [&](std::uint32_t row) {
    return is_closed(before[row]) || is_closed(before[model.row_twin[row]]);
  };
  const auto closed_now = [&](std::uint32_t row) {
    return is_closed(impl.place[row]) || is_closed(impl.place[model.row_twin[row]]);
  };
  // What changes side at one instant is marginal, and nothing has happened to it.
  const auto marginal = [&](std::uint32_t row) {
    return std::binary_search(impl.marginal.begin(), impl.marginal.end(), row);
  };
  const std::size_t begin = motion.events.size();
  if (gathered.blow) add_event(motion, EventKind::blow, {});
  if (!gathered.seized.empty()) add_event(motion, EventKind::seizure, gathered.seized);
  const std::size_t blows = motion.events.size() - begin;
  list_switches(motion, switches_before, triggers, first);
  const std::size_t switched = motion.events.size() - begin - blows;
  if (!gathered.struck.empty()) add_event(motion, EventKind::impact, gathered.struck);
  const std::size_t shocks = motion.events.size() - begin;
  // Impulses of rounding size, beside those that they hang together with or beside their momenta, are none. Those of angles and of lengths are
  // compared in the metric of the masses.
  const instant::Evaluation& found = impl.workspace.evaluation();
  std::vector<double> momentum(model.variables, 0.0);
  std::vector<double> felt(model.rows(), 0.0);
  std::vector<double> slight(model.variables, 0.0);
  Groups together(model.variables);
  if (shocks > 0) {
    const std::vector<double> inertia = roots_of_inertia(found.dynamics.mass);
    found.dynamics.mass.multiply(motion.state.velocity, momentum);
    for (std::size_t i = 0; i < momentum.size(); ++i) momentum[i] /= inertia[i];
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (gathered.impulses[row] == 0) continue;
      double gradient = 0;
      const std::uint32_t begins = model.row_start[row];
      for (std::uint32_t e = begins; e < model.row_start[row + 1]; ++e) {
        gradient = std::max(gradient, std::abs(found.rows.entry[e]) / inertia[model.row_column[e]]);
        together.join(model.row_column[e], model.row_column[begins]);
      }
      felt[row] = std::abs(gathered.impulses[row]) * gradient;
    }
    for (std::uint32_t i = 0; i < model.variables; ++i) {
      slight[together.of(i)] = std::max(slight[together.of(i)], slight_momentum * std::abs(momentum[i]));
    }
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (felt[row] == 0) continue;
      double& most = slight[together.of(model.row_column[model.row_start[row]])];
      most = std::max(most, slight_impulse * felt[row]);
    }
  }
  const auto counts = [&](std::uint32_t row) {
    return felt[row] > 0 && felt[row] > slight[together.of(model.row_column[model.row_start[row]])];
  };
  const auto is_switch = [&](std::size_t e) { return e >= begin + blows && e < begin + blows + switched; };
  for (std::size_t e = begin; e < motion.events.size(); ++e) {
    if (is_switch(e)) continue;
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (counts(row)) motion.events[e].impulses.emplace_back(row, gathered.impulses[row]);
    }
    motion.events[e].note = gathered.note;
  }
  // A blow of rounding size on a motion that goes on is none; it would be listed where a shock has just left a contact.
  const bool struck_slightly = !first && !gathered.struck.empty() && !gathered.blow && gathered.seized.empty() &&
                               largest(momentum) > 0 && motion.events.back().kind == EventKind::impact &&
                               motion.events.back().impulses.empty() && gathered.lost == 0;
  if (struck_slightly) {
    motion.events.pop_back();
  } else if (shocks > switched)
    motion.events[blows > 0 ? begin : begin + switched].lost = gathered.lost;
  if (!first) {
    // A condition that is open after a shock has not been released; one that closed with it made no contact.
    std::vector<std::uint32_t> released;
    std::vector<std::uint32_t> touched;
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (model::is_equation(model.row_kind[row]) || marginal(row) || instant::is_second_twin(model, row)) continue;
      const bool trigger =
          std::find(triggers.releasing.begin(), triggers.releasing.end(), row) != triggers.releasing.end();
      const bool let_go = impl.switches.gone.contains(row);
      if (closed_before(row) && !closed_now(row) && (!gathered.shock || trigger) && !let_go) released.push_back(row);
      const bool closing = std::find(triggers.closing.begin(), triggers.closing.end(), row) != triggers.closing.end();
      const bool struck = std::find(gathered.struck.begin(), gathered.struck.end(), row) != gathered.struck.end();
      if (!closed_before(row) && before[row] != Place::absent && closed_now(row) && !struck &&
          (!gathered.shock || closing)) {
        touched.push_back(row);
      }
    }
    if (!released.empty()) add_event(motion, EventKind::release, std::move(released));
    if (!touched.empty()) add_event(motion, EventKind::contact, std::move(touched));
    // Touched without effect: also a condition that seemed to close but goes off again by itself.
    std::vector<std::uint32_t> grazed = triggers.grazing;
    for (const std::uint32_t row : triggers.closing) {
      const bool struck = std::find(gathered.struck.begin(), gathered.struck.end(), row) != gathered.struck.end();
      if (!struck && !closed_now(row) && before[row] == Place::open) grazed.push_back(row);
    }
    std::sort(grazed.begin(), grazed.end());
    grazed.erase(std::unique(grazed.begin(), grazed.end()), grazed.end());
    std::erase_if(grazed, marginal);
    list_grazes(motion, std::move(grazed));
  }
}

/// The state after the instant, for all entries that have none yet.
void stamp_events(Motion& motion) {
  for (Event& event : motion.events) {
    if (!event.position.empty()) continue;
    event.position = motion.state.position;
    event.velocity = motion.state.velocity;
    ++motion.event_count;
  }
}

/// Kinetic energy for the account.
void weigh(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Energy now = model::energy(impl.model, motion.state, impl.workspace.evaluation().scratch);
  motion.energy.largest_kinetic = std::max(motion.energy.largest_kinetic, now.kinetic);
  motion.energy.largest =
      std::max(motion.energy.largest, std::abs(now.kinetic) + std::abs(now.potential) + motion.energy.gross_work +
                                          std::abs(motion.energy.lost) + std::abs(motion.energy.initial));
  motion.energy.final = model::vis_viva(impl.model, motion.state, impl.workspace.evaluation().scratch) + now.potential;
}

/// T_2 - T_0 + V at the present state.
double whole_energy(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  return model::vis_viva(impl.model, motion.state, impl.workspace.evaluation().scratch) +
         model::energy(impl.model, motion.state, impl.workspace.evaluation().scratch).potential;
}

/// A singular position is an event, too.
void list_held_as_singular(Motion& motion) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < motion.impl->model.rows(); ++row) {
    if (is_held(motion.impl->instant.role[row])) rows.push_back(row);
  }
  motion.culprits = rows;
  add_event(motion, EventKind::singular, std::move(rows));
}

/// Did the accelerations come out? If not, the motion ends here.
bool determined(Motion& motion) {
  const instant::Instant& now = motion.impl->instant;
  switch (now.status) {
    case instant::Status::determined: motion.impl->passage.stays = now.singular && !leads_on(motion); return true;
    case instant::Status::ambiguous:
      end(motion, Status::singular, "the position is singular: several accelerations have the same least constraint");
      break;
    case instant::Status::jammed:
      for (const auto& [row, y] : now.farkas) motion.culprits.push_back(row);
      end(motion, Status::jammed, "no acceleration satisfies the conditions");
      return false;
    case instant::Status::inadmissible:
      for (const auto& [row, amount] : now.violations) motion.culprits.push_back(row);
      end(motion, Status::inadmissible, "a condition is broken in position");
      return false;
    case instant::Status::impact: end(motion, Status::gave_up, "shock follows shock without end"); return false;
    case instant::Status::undecided:
      end(motion, now.regular && !now.no_gradient ? Status::gave_up : Status::singular,
          now.expansion.empty() ? "the position is singular" : now.expansion);
      break;
  }
  if (motion.status == Status::singular) list_held_as_singular(motion);
  return false;
}

/// Phi_jj of a row at this instant, with the diagonal of the masses.
double stiffness(const Motion::Impl& impl, std::uint32_t row) {
  const instant::Evaluation& found = impl.workspace.evaluation();
  const auto mass = found.dynamics.mass.diagonal();
  double phi = 0;
  for (std::uint32_t e = impl.model.row_start[row]; e < impl.model.row_start[row + 1]; ++e) {
    phi += found.rows.entry[e] * found.rows.entry[e] / mass[impl.model.row_column[e]];
  }
  return phi;
}

/// Is everything that is approached so slow that a shock would say nothing? Then these rows are steady, and the accelerations tell about
/// each of them: it is driven off so soon that f rises by f'^2 / (2 |f''|), far below what is zero of f, or it stays closed, and its
/// hop would be back at once. Near a position in which rows depend on one another rates of closed rows are of this kind: they cannot
/// all be zero, and a shock only moves them from one row to the other.
bool approached_softly(Motion& motion, const instant::Options& options, const Triggers& triggers) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  instant::Instant& now = impl.instant;
  const instant::Evaluation& found = impl.workspace.evaluation();
  if (now.blow_due || now.seizure_due || model.flow) return false;
  std::vector<std::uint32_t> slow;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (now.role[row] != Role::approached) continue;
    // What has just closed is struck, however softly.
    if (std::find(triggers.closing.begin(), triggers.closing.end(), row) != triggers.closing.end()) return false;
    if (!is_soft(impl, row, now.rate[row])) return false;
    slow.push_back(row);
  }
  std::vector<double> rate;
  instant::Options known = options;
  if (!known.steady.is_told()) known.steady = instant::RowSet(model.rows());
  for (const std::uint32_t row : slow) {
    known.steady.add(row);
    rate.push_back(now.rate[row]);
  }
  instant::accelerate(model, motion.state, known, impl.workspace, now);
  const bool determined = now.status == instant::Status::determined && !now.singular;
  for (std::size_t k = 0; determined && k < slow.size(); ++k) {
    const std::uint32_t row = slow[k];
    const bool leaves = now.role[row] == Role::leaving;
    const double drive = leaves ? -now.second[row] : now.multipliers[row] * stiffness(impl, row);
    const double gap = (leaves ? graze_within_zero : back_at_once) * found.touch_value[row];
    if (rate[k] * rate[k] <= 2 * drive * gap) continue;
    instant::accelerate(model, motion.state, options, impl.workspace, now);
    return false;
  }
  if (!determined) instant::accelerate(model, motion.state, options, impl.workspace, now);
  return determined;
}

double close_rows(Motion& motion, const instant::RowSet& closed);

/// Conditions that were struck in turn, in periods that became shorter each time and far shorter at last, all touch at one instant: what is left of the
/// sequence cannot be told from nothing. That is its limit, and no shock of all of them at once, whose restitution knows nothing of the order.
bool ends_a_sequence(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const std::vector<std::uint32_t> in_turn = rows_of_rhythm(since_limit(impl), shrinks_to_nothing);
  // Without rebound a shock of all of them does the same.
  const bool rebound = std::any_of(in_turn.begin(), in_turn.end(), [&](std::uint32_t row) {
    return impl.model.conditions[impl.model.row_condition[row]].restitution > 0;
  });
  if (in_turn.size() < 2 || !rebound) return false;
  const instant::Evaluation& found = impl.workspace.evaluation();
  const bool all = std::all_of(in_turn.begin(), in_turn.end(), [&](std::uint32_t row) {
    // What was held on the way here takes its turn as it should.
    return !found.left_out.contains(row) && impl.place[row] == Place::open &&
           std::abs(found.rows.value[row]) <= found.touch_value[row];
  });
  if (!all) return false;
  instant::RowSet closed = closed_rows(impl);
  for (const std::uint32_t row : in_turn) closed.add(row);
  const double lost = close_rows(motion, closed);
  impl.fresh_bounces = 0;
  add_event(motion, EventKind::accumulation, in_turn);
  motion.events.back().lost = lost;
  return true;
}

/// Shock as long as something is approached, then the accelerations. Rows that a shock leaves approached without changing any velocity
/// are steady: their rate is below what the velocities can show.
void regulate_until_determined(Motion& motion, instant::Options options, Gathered& gathered, const Triggers& triggers,
                               bool first) {
  Motion::Impl& impl = *motion.impl;
  gathered.impulses.assign(impl.model.rows(), 0.0);
  instant::RowSet steady;
  for (int round = 0; round < most_shocks; ++round) {
    if (!settle_switches(motion, triggers, first, round > 0, options)) break;
    options.gone = impl.switches.idle;
    instant::accelerate(impl.model, motion.state, options, impl.workspace, impl.instant);
    if (impl.instant.status != instant::Status::impact) break;
    if (round == 0 && !first && !options.inelastic && ends_a_sequence(motion)) break;
    if (!first && approached_softly(motion, options, triggers)) break;
    const std::vector<Role> role = impl.instant.role;
    const std::vector<double> before = motion.state.velocity;
    regulate(motion, options, gathered);
    if (motion.status != Status::going) break;
    options.balanced = {};
    options.shock_done = true;
    impl.any_done = true;
    impl.done_schedule = motion.state.time;
    if (motion.state.velocity == before && round > 0) {
      if (!steady.is_told()) steady = instant::RowSet(impl.model.rows());
      for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
        if (role[row] == Role::approached) steady.add(row);
      }
    }
    options.steady = steady;
  }
}

/// rho' of a row that depends on others is not determined, and what comes of it neither.
void refuse_dependent_rho(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (motion.rho.empty() || impl.settled_skips == 0) return;
  const std::vector<std::uint32_t> rows = dependent_rows(motion, dependent_for_rho);
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](std::uint32_t row) { return model::is_variational(impl.model, row); });
  if (found == rows.end()) return;
  end_singular(motion, rows,
               "the rate of rho of " + model::row_name(impl.model, *found) +
                   " is not determined: the conditions involved are dependent here");
}

/// The sets of the next piece and the state on them.
void hold_rows(Motion& motion, const std::vector<std::uint32_t>& balanced) {
  Motion::Impl& impl = *motion.impl;
  const std::vector<std::uint32_t> held_before = impl.passage.stays ? motion.held : std::vector<std::uint32_t>{};
  const std::vector<double> multipliers_before = impl.passage.stays ? motion.multipliers : std::vector<double>{};
  const std::vector<std::uint32_t> taken = leave_valleys(motion);
  if (taken.empty()) {
    choose_rows(motion, balanced);
  } else {
    std::vector<std::uint32_t> renamed;
    for (const std::uint32_t row : balanced) renamed.push_back(taken[row]);
    choose_rows(motion, renamed);
  }
  if (!project_onto_new(motion))
    end(motion, Status::gave_up, "a condition or the kinetic energy has no finite value here");
  watch_implied(motion);
  impl.settled_skips = 0;
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) impl.settled_skips += impl.series.skipped(j) ? 1 : 0;
  take_multipliers(motion);
  take_rho(motion);
  refuse_dependent_rho(motion);
  if (motion.status == Status::going && impl.passage.stays && !gives_accelerations(motion)) {
    end(motion, Status::singular, "the position is singular: the lowest part of the conditions decides here");
    list_held_as_singular(motion);
    // Multipliers have no meaning here.
    motion.held = held_before;
    motion.multipliers = multipliers_before;
  }
}

/// Rows that are in some of the sets and not in all.
std::vector<std::uint32_t> changing(const std::vector<std::vector<std::uint32_t>>& sets) {
  std::map<std::uint32_t, std::size_t> times;
  for (const std::vector<std::uint32_t>& set : sets) {
    for (const std::uint32_t row : set) ++times[row];
  }
  std::vector<std::uint32_t> rows;
  for (const auto& [row, count] : times) {
    if (count < sets.size()) rows.push_back(row);
  }
  return rows;
}

/// A set that comes back at one instant, with nothing else changing: the rows that brought it about are marginal, and held. So are they
/// at the next instants until something moves: another row that comes back must not throw them off again.
void hold_what_comes_back(Motion& motion, const Triggers& triggers) {
  Motion::Impl& impl = *motion.impl;
  const bool again = std::find(impl.visited.begin(), impl.visited.end(), motion.held) != impl.visited.end();
  // Every visit counts, also of a set that was there before: what turns round and round must come to an end.
  impl.visited.push_back(motion.held);
  if (impl.visited.size() > most_sets_at_one_instant) {
    motion.culprits = changing(impl.visited);
    end(motion, Status::gave_up, "more than a thousand sets of conditions at one instant");
    return;
  }
  // Dependent rows that share a force beyond what each can bear let go at once.
  if (again && !impl.by_few && !impl.instant.multipliers_unique && !triggers.releasing.empty()) {
    impl.by_few = true;
    hold_rows(motion, triggers.releasing);
    return;
  }
  if (!again) {
    if (impl.marginal.empty()) return;
  } else {
    // Held as marginal, and its multiplier still leaves its bounds: it is none, and goes.
    for (const std::uint32_t row : triggers.releasing) {
      if (!std::binary_search(impl.marginal.begin(), impl.marginal.end(), row)) continue;
      std::erase(impl.marginal, row);
      impl.instant.role[row] = Role::leaving;
      hold_rows(motion, {});
      return;
    }
    for (const std::vector<std::uint32_t>* rows : {&triggers.closing, &triggers.releasing}) {
      impl.marginal.insert(impl.marginal.end(), rows->begin(), rows->end());
    }
    std::sort(impl.marginal.begin(), impl.marginal.end());
    impl.marginal.erase(std::unique(impl.marginal.begin(), impl.marginal.end()), impl.marginal.end());
  }
  bool more = false;
  for (const std::uint32_t row : impl.marginal) {
    if (impl.instant.role[row] == Role::absent) continue;
    more = more || !is_held(impl.instant.role[row]);
    impl.instant.role[row] = Role::marginal;
    impl.instant.multipliers[row] = 0;
    impl.quiet.add(row);
  }
  if (more) hold_rows(motion, {});
}

/// Does an open row close so softly that its speed cannot be told from zero? On the polynomial of f that led here: where f is within its own
/// uncertainty of zero, f' changes by as much as it is.
bool lands_softly(const Motion& motion, std::uint32_t row) {
  const Motion::Impl& impl = *motion.impl;
  const auto found = std::lower_bound(impl.watched_rows.begin(), impl.watched_rows.end(), row);
  if (found == impl.watched_rows.end() || *found != row || !model::is_holonomic(impl.model.row_kind[row])) return false;
  std::span<const double> f = impl.series.watched(static_cast<std::size_t>(found - impl.watched_rows.begin()));
  // In free flight most orders are not there.
  while (f.size() > 1 && f.back() == 0) f = f.first(f.size() - 1);
  const model::Rows& rows = impl.workspace.evaluation().rows;
  const double off = instant::bounds_that_are_nothing * rows.value_error[row] + touch_in_motion * rows.value_scale[row];
  const auto at = [&](double s, double& rate) {
    double value = 0;
    rate = 0;
    for (std::size_t k = f.size(); k-- > 0;) {
      rate = rate * s + value;
      value = value * s + f[k];
    }
    return value;
  };
  const double end = motion.piece.length / motion.piece.unit;
  double rate = 0;
  double earlier = 0;
  const double value = at(end, rate);
  // A hop as low as its own uncertainty tells nothing about this.
  if (std::max(std::abs(f[0]), std::abs(at(0.5 * end, earlier))) < plain_flight * off) return false;
  double back = unit_rounding * end;
  while (2 * back < end && std::abs(at(end - 2 * back, earlier) - value) <= off) back *= 2;
  static_cast<void>(at(end - back, earlier));
  return std::abs(earlier - rate) >= soft_landing * std::abs(rate);
}

/// What counts as zero on the way: what closes is known.
instant::Options options_in_motion(const Motion::Impl& impl, const instant::RowSet& closed,
                                   const instant::RowSet& steady) {
  instant::Options options;
  options.touch = touch_in_motion;
  options.touch_position = touch_in_motion;
  options.broken = std::max(impl.model.simulation.touch, broken_by_tolerance * impl.tolerance);
  options.closed = closed;
  options.steady = steady;
  options.resting = impl.resting;
  return options;
}

/// All rows given touch and move along: what speed and gap they have goes, and the accelerations are determined afresh. The energy lost.
double close_rows(Motion& motion, const instant::RowSet& closed) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  // Kinetic energy goes with the speeds; closing the gaps moves bodies in their potential, too.
  const auto whole = [&] {
    const model::Energy now = model::energy(model, motion.state, impl.workspace.evaluation().scratch);
    return now.kinetic + now.potential;
  };
  const double before = whole();
  impl.held_rows.clear();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (closed.contains(row)) impl.held_rows.push_back({row, false});
  }
  put_implied_first(model, impl.held_rows);
  impl.series.choose(impl.held_rows, {});
  impl.watched_rows.clear();
  const std::vector<double> from = motion.state.position;
  const std::vector<double> speeds = motion.state.velocity;
  static_cast<void>(impl.series.project(motion.state, impl.carry_position, impl.carry_velocity));
  move_past_far(motion, from);
  // Speeds taken away are a shock, and leave what a shock leaves.
  shock_uncertainty(motion, speeds);
  double lost = before - whole();
  if (std::abs(lost) < loss_in_roundings * std::abs(before)) lost = 0;
  motion.energy.lost += lost;

  // What depends on others may not move along with them: walls that have come together and still approach each other.
  instant::RowSet steady = closed;
  instant::Evaluation& work = impl.workspace.evaluation();
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) {
    const std::uint32_t row = impl.held_rows[j].row;
    if (!impl.series.skipped(j)) continue;
    model::evaluate_row(model, motion.state, row, work.scratch, work.rows);
    const double rate = model::is_equation(model.row_kind[row]) ? std::abs(work.rows.rate[row]) : work.rows.rate[row];
    if (rate > still_approaching * work.rows.rate_scale[row]) steady.remove(row);
  }

  // Then the instant as always.
  estimate_uncertainty(motion, closed, steady);
  instant::Options options = options_in_motion(impl, closed, steady);
  options.shock_done = true;
  options.inelastic = true;
  Gathered gathered;
  regulate_until_determined(motion, options, gathered, {}, false);
  return lost;
}

/// A condition that recedes now and is driven back: how long until it lies still, if each return gives back the part e of its speed.
double until_still(double rate, double second, double e) { return 2 * std::abs(rate) / (second * (1 - e)); }

/// Does a condition rattle so low that the rest of it counts for nothing? It was struck again and again, among others and in no order that
/// would tell where it leads, and the way of its hops, 2 f'^2 / (f'' (1 - e)), is to that of the hardest strike as the tolerance or, if
/// there were many strikes, as what may be neglected of a sequence.
bool rattles_out(const Motion::Impl& impl, std::uint32_t row) {
  const Strikes& strikes = impl.strikes[row];
  const double e = impl.model.conditions[impl.model.row_condition[row]].restitution;
  return strikes.count >= std::uint64_t{least_impacts_of_a_limit} && e < slowest_rhythm &&
         std::abs(impl.instant.rate[row]) <=
             std::sqrt((strikes.count > many_strikes ? while_it_lasts : 1.0) * impl.tolerance) * strikes.hardest &&
         !keeps_a_rhythm(impl.bounces, row, worth_following * strikes.hardest);
}

/// What closes at an instant although it recedes.
struct Still {
  std::vector<std::uint32_t> rows;
  double lasting = 0;  ///< the longest of the sequences that are cut short
};

/// What closing rows changes, to be taken back.
struct Undo {
  model::State state;
  std::vector<double> carry_position, carry_velocity;
  instant::Instant instant;
  double lost = 0;
  double work = 0;
};

Undo remember(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  return {motion.state, impl.carry_position, impl.carry_velocity, impl.instant, motion.energy.lost, motion.energy.work};
}

void take_back(Motion& motion, Undo undo) {
  Motion::Impl& impl = *motion.impl;
  const std::vector<double> from = motion.state.position;
  motion.state = std::move(undo.state);
  impl.carry_position = std::move(undo.carry_position);
  impl.carry_velocity = std::move(undo.carry_velocity);
  impl.instant = std::move(undo.instant);
  motion.energy.lost = undo.lost;
  motion.energy.work = undo.work;
  move_past_far(motion, from);
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_dynamics(impl.model, motion.state, work.scratch, work.dynamics);
  model::evaluate_rows_but(impl.model, motion.state, work.left_out.marks(), work.scratch, work.rows);
}

/// Touching conditions that recede, and close. Their gap f'^2 / (2 f'') stays so far below what is zero of f that they leave and return at
/// one and the same instant, or they rattle out after a shock.
struct Receding {
  instant::RowSet closed;  ///< they, and those held
  Still still;
  double may_cost = 0;  ///< energy that closing them may take
  bool driven = false;  ///< something drives one of them back
};

/// Those held, to which others may be added.
Receding only_held(const Motion& motion) {
  const std::vector<Role>& role = motion.impl->instant.role;
  Receding found;
  found.closed = instant::RowSet(role.size());
  for (std::uint32_t row = 0; row < role.size(); ++row) found.closed.put(row, is_held(role[row]));
  return found;
}

/// Does a row that recedes leave and return at one instant?
bool is_back_at_once(const Motion::Impl& impl, std::uint32_t row) {
  const double rate = impl.instant.rate[row];
  const double second = impl.instant.second[row];
  return second > 0 && rate * rate <= 2 * second * back_at_once * impl.workspace.evaluation().touch_value[row];
}

bool recedes(const Motion::Impl& impl, std::uint32_t row) {
  return impl.instant.role[row] == Role::passive_in_velocity && model::is_holonomic(impl.model.row_kind[row]);
}

/// The row joins those that close.
void take_along(const Motion& motion, std::uint32_t row, Receding& found) {
  const Motion::Impl& impl = *motion.impl;
  const double rate = std::abs(impl.instant.rate[row]);
  const double second = impl.instant.second[row];
  found.closed.add(row);
  found.still.rows.push_back(row);
  found.driven = found.driven || second > 0;
  if (second > 0) {
    // Hops become shorter: what is left takes no longer than the last one.
    const double left = until_still(rate, second, impl.model.conditions[impl.model.row_condition[row]].restitution);
    found.still.lasting =
        std::max(found.still.lasting, is_back_at_once(impl, row) ? std::min(left, impl.flight) : left);
  }
  const double hardest = std::max(impl.strikes[row].hardest, rate);
  found.may_cost += 0.5 * hardest * hardest / stiffness(impl, row);
}

bool share_a_variable(const model::Model& model, std::uint32_t a, std::uint32_t b) {
  const auto first = model.row_column.begin() + model.row_start[b];
  const auto last = model.row_column.begin() + model.row_start[b + 1];
  for (std::uint32_t e = model.row_start[a]; e < model.row_start[a + 1]; ++e) {
    if (std::find(first, last, model.row_column[e]) != last) return true;
  }
  return false;
}

/// The rows close, if that leads on and costs no more than it may: else it would stop what moves beside them, and is taken back. So it is where
/// a row keeps a speed like those that were to go: near a position in which rows depend on one another not all of them can be still, and
/// those beside such a row are barred. If asked for, so it is where one of them lets go; they are named as `loose`.
bool close_if_it_leads_on(Motion& motion, const Receding& found, instant::RowSet& barred,
                          std::vector<std::uint32_t>* loose) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const instant::Instant& now = impl.instant;
  Undo undo = remember(motion);
  const std::vector<double> touch = impl.workspace.evaluation().touch_rate;
  double fastest = 0;
  for (const std::uint32_t row : found.still.rows) fastest = std::max(fastest, std::abs(now.rate[row]));
  static_cast<void>(close_rows(motion, found.closed));
  const double may_cost = most_hops_lost * while_it_lasts * impl.tolerance * found.may_cost;
  bool well = motion.status == Status::going && now.status == instant::Status::determined && !now.singular &&
              motion.energy.lost - undo.lost <= may_cost;
  if (well) {
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (!found.closed.contains(row) || !(std::abs(now.rate[row]) > std::max(touch[row], speed_that_stays * fastest)))
        continue;
      well = false;
      for (const std::uint32_t other : found.still.rows) {
        if (share_a_variable(model, row, other)) barred.add(other);
      }
    }
    if (loose != nullptr) {
      std::copy_if(found.still.rows.begin(), found.still.rows.end(), std::back_inserter(*loose),
                   [&](std::uint32_t row) { return !is_held(now.role[row]); });
      well = well && loose->empty();
    }
  }
  if (well) return true;
  motion.status = Status::going;
  motion.why.clear();
  motion.culprits.clear();
  take_back(motion, std::move(undo));
  return false;
}

/// All that rattles out close together, also those that nothing drives back as long as the others are open. If then every one of them is
/// pressed together, that is where the rattling leads: with gaps y >= 0 and the multipliers lambda > 0 of the closed state
/// y'^T Phi^-1 y' / 2 + lambda^T y never grows, falls with every shock and vanishes with all gaps alone. Those that let go are left out.
Still close_together(Motion& motion, instant::RowSet& barred) {
  const Motion::Impl& impl = *motion.impl;
  std::vector<std::uint32_t> rattling;
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    if (recedes(impl, row) && (is_back_at_once(impl, row) || rattles_out(impl, row))) rattling.push_back(row);
  }
  while (rattling.size() > 1) {
    Receding found = only_held(motion);
    for (const std::uint32_t row : rattling) take_along(motion, row, found);
    std::vector<std::uint32_t> loose;
    if (!found.driven) break;
    if (close_if_it_leads_on(motion, found, barred, &loose)) return found.still;
    const std::size_t before = rattling.size();
    std::erase_if(rattling, [&](std::uint32_t row) {
      return barred.contains(row) || std::binary_search(loose.begin(), loose.end(), row);
    });
    if (rattling.size() == before) break;
  }
  return {};
}

/// Touching conditions that recede and are driven back close, all that can, and then those that these drive back.
Still close_what_is_back_at_once(Motion& motion, bool shock) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const instant::Instant& now = impl.instant;
  if (now.status != instant::Status::determined || now.singular) return {};
  instant::RowSet barred(model.rows());
  Still still = shock ? close_together(motion, barred) : Still{};
  std::vector<std::uint8_t> tries(model.rows(), 0);
  std::vector<double> tried(model.rows(), 0.0);
  for (std::uint32_t round = 0; round <= model.rows(); ++round) {
    Receding more = only_held(motion);
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (!recedes(impl, row) || barred.contains(row)) continue;
      const double rate = std::abs(now.rate[row]);
      // What closed before at this instant and was opened by closing others: their limit is that all are closed.
      if (tries[row] >= closings_one_by_one && rattles_out(impl, row)) more.closed.add(row);
      if (!(now.second[row] > 0)) continue;
      if (!is_back_at_once(impl, row) && !(shock && rattles_out(impl, row))) continue;
      // It was closed, and is as fast as before: it cannot be closed.
      if (tries[row] >= closings_one_by_one && rate >= as_fast_as_before * tried[row]) continue;
      tries[row] = static_cast<std::uint8_t>(std::min(tries[row] + 1, 255));
      tried[row] = rate;
      take_along(motion, row, more);
    }
    if (more.still.rows.empty()) return still;
    if (!close_if_it_leads_on(motion, more, barred, nullptr)) {
      const bool fewer = std::any_of(more.still.rows.begin(), more.still.rows.end(),
                                     [&](std::uint32_t row) { return barred.contains(row); });
      if (!fewer) return still;
      continue;
    }
    still.rows.insert(still.rows.end(), more.still.rows.begin(), more.still.rows.end());
    still.lasting = std::max(still.lasting, more.still.lasting);
  }
  return still;
}

/// Conditions that were struck again and again and now close for good: the limit of an accumulation is reached, or will be soon.
void announce_limit(Motion& motion, Still still) {
  Motion::Impl& impl = *motion.impl;
  std::erase_if(still.rows, [&](std::uint32_t row) {
    const std::span<const Bounce> bounces = since_limit(impl);
    const auto times = std::count_if(bounces.begin(), bounces.end(), [&](const Bounce& one) {
      return std::find(one.rows.begin(), one.rows.end(), row) != one.rows.end();
    });
    return times < least_impacts_of_a_limit;
  });
  if (still.rows.empty()) return;
  // What is struck in turn with them comes to rest with them. Limits that lie ahead already are one with this.
  const std::vector<std::uint32_t> in_turn = rows_of_rhythm(since_limit(impl));
  const bool together = std::any_of(still.rows.begin(), still.rows.end(), [&](std::uint32_t row) {
    return std::binary_search(in_turn.begin(), in_turn.end(), row);
  });
  if (together) still.rows.insert(still.rows.end(), in_turn.begin(), in_turn.end());
  if (impl.limit_ahead) still.rows.insert(still.rows.end(), impl.limit_rows.begin(), impl.limit_rows.end());
  std::sort(still.rows.begin(), still.rows.end());
  still.rows.erase(std::unique(still.rows.begin(), still.rows.end()), still.rows.end());
  impl.limit_time = std::max(impl.limit_ahead ? impl.limit_time : motion.state.time, motion.state.time + still.lasting);
  if (!impl.limit_ahead) impl.limit_lost = 0;
  impl.limit_ahead = true;
  impl.limit_rows = std::move(still.rows);
  impl.fresh_bounces = 0;
}

/// Does an equation depend on others? The motion stays in a singular position.
bool any_equation_implied(const model::Model& model, const std::vector<Place>& place) {
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (place[row] == Place::implied && model::is_equation(model.row_kind[row])) return true;
  }
  return false;
}

/// What is known of the rows before anything is asked of this instant.
instant::Options known_of_rows(Motion& motion, const Triggers& triggers, bool first) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;

  // Rows known to touch: those held, and those that have just closed.
  instant::RowSet closed = first ? instant::RowSet(model.rows()) : closed_rows(impl);
  // What is held moves along, and a velocity condition that closes has just reached zero.
  instant::RowSet steady = closed;
  // What was marginal and takes no part in what happens stays so.
  impl.resting = closed;
  for (const std::uint32_t row : triggers.closing) {
    closed.add(row);
    if (!model::is_holonomic(model.row_kind[row])) steady.add(row);
    impl.resting.remove(row);
  }
  for (const std::uint32_t row : triggers.releasing) impl.resting.remove(row);
  // At a kink the gradient is a new one: a condition that was held may be struck.
  for (const Turn& turn : triggers.turns) {
    const std::uint32_t row = model::place_of_switch(model, turn.number).row;
    if (row >= model.rows()) continue;
    steady.remove(row);
    impl.resting.remove(row);
  }
  if (!first) {
    estimate_uncertainty(motion, closed, steady);
    // What has passed zero within the band in which a crossing is not told from a graze yet: it touches here.
    const std::vector<double>& value = impl.workspace.evaluation().rows.value;
    for (const std::uint32_t row : impl.watched_rows) {
      if (model::is_holonomic(model.row_kind[row]) && value[row] > 0 && value[row] <= impl.tolerance * impl.size[row]) {
        closed.add(row);
      }
    }
    if (!triggers.closing.empty()) {
      // How softly they land is told from how far they may be off.
      instant::RowSet others = instant::RowSet::all(model.rows());
      for (const std::uint32_t row : triggers.closing) others.remove(row);
      instant::Evaluation& work = impl.workspace.evaluation();
      model::evaluate_rows_but(model, motion.state, others.marks(), work.scratch, work.rows);
    }
    for (const std::uint32_t row : triggers.closing) {
      if (lands_softly(motion, row)) steady.add(row);
    }
  }
  open_valleys(motion, triggers, first, closed, steady);
  instant::Options options;
  if (!first) options = options_in_motion(impl, closed, steady);
  if (!triggers.releasing.empty()) options.balanced = instant::RowSet(model.rows(), triggers.releasing);
  options.shock_done = impl.any_done && instant::same_instant(impl.done_schedule, motion.state.time);
  return options;
}

/// The instant proper: shock as long as something is approached, then accelerations, sets and events.
void regulate_and_accelerate(Motion& motion, const Triggers& triggers, bool first) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::vector<Place> before = impl.place;
  const instant::Options options = known_of_rows(motion, triggers, first);

  Gathered gathered;
  const Switches switches_before = impl.switches;
  const double energy_before = whole_energy(motion);
  const double lost_before = motion.energy.lost;
  const double work_before = motion.energy.work;
  regulate_until_determined(motion, options, gathered, triggers, first);
  for (std::size_t k = 0; k < gathered.struck.size() && !first; ++k) {
    Strikes& strikes = impl.strikes[gathered.struck[k]];
    ++strikes.count;
    strikes.hardest = std::max(strikes.hardest, std::abs(gathered.speed[k]));
  }
  Still still;
  if (motion.status == Status::going && !first) still = close_what_is_back_at_once(motion, gathered.shock);
  if (motion.status == Status::going && determined(motion)) {
    hold_rows(motion, triggers.releasing);
    if (motion.status == Status::going && !gathered.shock) hold_what_comes_back(motion, triggers);
  }
  if (gathered.shock && !first && motion.status == Status::going) {
    // What comes to rest with the shock loses more than the shock itself took: speeds and gaps that count as none.
    const double left = whole_energy(motion);
    const double counted = (motion.energy.lost - lost_before) - (motion.energy.work - work_before);
    const double more = energy_before - left - counted;
    if (more > loss_in_roundings * std::abs(energy_before)) {
      motion.energy.lost += more;
      gathered.lost += more;
    }
  }
  list_events(motion, triggers, gathered, before, first, switches_before);
  if (impl.passage.at_it && motion.status == Status::going) {
    add_event(motion, EventKind::singular, impl.passage.rows);
  } else if (impl.passage.stays && motion.status == Status::going && !any_equation_implied(model, before)) {
    add_event(motion, EventKind::singular, dependent_rows(motion, nearly));
    impl.passage.listed = motion.state.time;
  }

  // Impacts are remembered: infinitely many may follow. Events show the state before these are cut short.
  stamp_events(motion);
  if (!gathered.struck.empty() && !first) {
    impl.bounces.push_back({gathered.struck, gathered.speed, impl.flight, gathered.lost});
    ++impl.fresh_bounces;
    if (impl.bounces.size() > most_bounces) {
      impl.bounces.erase(impl.bounces.begin(), impl.bounces.begin() + most_bounces / 2);
      impl.fresh_bounces = std::min<std::uint64_t>(impl.fresh_bounces, impl.bounces.size());
    }
    impl.flight = 0;
    if (motion.status == Status::going && !still.rows.empty()) announce_limit(motion, std::move(still));
    if (motion.status == Status::going && !impl.limit_ahead) close_accumulation(motion);
  }
}

/// Does the motion turn at kinks again and again without time passing?
bool restless(Motion& motion) {
  constexpr std::uint32_t most_kinks = 8;  // turns at one instant: neither side of a kink lets the motion go on
  Motion::Impl& impl = *motion.impl;
  const bool same = impl.kinks > 0 && motion.state.time - impl.kink_time <= resolution(motion.state.time);
  impl.kinks = same ? impl.kinks + 1 : 1;
  impl.kink_time = motion.state.time;
  return impl.kinks > most_kinks;
}

/// Switches that turn again and again at one instant: what they are made of is zero where it cannot be told from it, as at the target of a
/// control, which is reached but for the last digits.
void take_dust_off(Motion& motion, const Triggers& triggers) {
  Motion::Impl& impl = *motion.impl;
  model::State& state = motion.state;
  const auto take = [](std::uint32_t i, std::vector<double>& x, const std::vector<double>& off,
                       std::vector<double>& carry) {
    if (i < off.size() && std::abs(x[i]) <= off[i]) x[i] = carry[i] = 0;
  };
  for (const Turn& turn : triggers.turns) {
    const model::SwitchPlace place = model::place_of_switch(impl.model, turn.number);
    const model::Slotted& group = *place.group;
    for (std::size_t k = 0; k < group.positions; ++k)
      take(group.position_of[k * group.lanes + place.lane], state.position, state.position_uncertainty,
           impl.carry_position);
    for (std::size_t k = 0; k < group.velocities; ++k)
      take(group.velocity_of[k * group.lanes + place.lane], state.velocity, state.velocity_uncertainty,
           impl.carry_velocity);
  }
}

/// Has anything that takes part in this instant moved since the last one, by more than it is uncertain?
bool moved_on(const Motion& motion, const Triggers& triggers) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  if (impl.gain_position.empty() || motion.state.position_uncertainty.empty()) return true;
  const auto moves = [&](const std::vector<std::uint32_t>& rows) {
    for (const std::uint32_t row : rows) {
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        const std::uint32_t i = model.row_column[e];
        if (std::abs(impl.gain_position[i]) > motion.state.position_uncertainty[i] ||
            std::abs(impl.gain_velocity[i]) > motion.state.velocity_uncertainty[i]) {
          return true;
        }
      }
    }
    return false;
  };
  if (triggers.closing.empty() && triggers.releasing.empty()) {
    // What switches need not move anything: then it is time that passes.
    return !triggers.any() || motion.piece.length > resolution(motion.state.time);
  }
  return moves(triggers.closing) || moves(triggers.releasing);
}

}  // namespace

std::vector<std::uint32_t> dependent_rows(const Motion& motion, double tolerance) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::size_t m = impl.held_rows.size();
  constexpr std::size_t few = 200;
  if (m == 0 || m > few) return motion.held;

  // The columns in use, side by side; each row in units of its length when it was chosen.
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, motion.state, scratch, rows);
  const std::vector<double> length = impl.series.memory().row_length;
  std::vector<std::uint32_t> columns;
  for (const HeldRow& one : impl.held_rows) {
    for (std::uint32_t e = model.row_start[one.row]; e < model.row_start[one.row + 1]; ++e) {
      columns.push_back(model.row_column[e]);
    }
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  linear::Matrix transposed(columns.size(), m);
  for (std::size_t j = 0; j < m; ++j) {
    const std::uint32_t row = impl.held_rows[j].row;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const auto place = std::lower_bound(columns.begin(), columns.end(), model.row_column[e]) - columns.begin();
      if (!std::isfinite(rows.entry[e])) return {row};
      transposed(static_cast<std::size_t>(place), j) = rows.entry[e] / (length[j] > 0 ? length[j] : 1.0);
    }
  }

  // Who takes part in a combination that vanishes.
  const linear::Matrix null = linear::null_space(transposed, tolerance);
  std::vector<std::uint32_t> out;
  for (std::size_t j = 0; j < m; ++j) {
    double most = 0;
    for (std::size_t k = 0; k < null.columns; ++k) most = std::max(most, std::abs(null(j, k)));
    if (most > takes_part) out.push_back(impl.held_rows[j].row);
  }
  std::sort(out.begin(), out.end());
  return out.empty() ? motion.held : out;
}

void end_singular(Motion& motion, std::vector<std::uint32_t> rows, std::string why) {
  end(motion, Status::singular, std::move(why));
  motion.culprits = rows;
  if (motion.impl->passage.listed != motion.state.time) add_event(motion, EventKind::singular, std::move(rows));
  weigh(motion);
  stamp_events(motion);
}

void list_singular(Motion& motion, std::vector<std::uint32_t> rows) {
  add_event(motion, EventKind::singular, std::move(rows));
  weigh(motion);
  stamp_events(motion);
}

void release_at_pole(Motion& motion, std::uint32_t row, std::vector<std::uint32_t> rows) {
  Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_dynamics(impl.model, motion.state, work.scratch, work.dynamics);
  model::evaluate_rows(impl.model, motion.state, work.scratch, work.rows);
  tell_present_roles(motion);
  impl.instant.role[row] = Role::leaving;
  impl.instant.multipliers[row] = 0;
  hold_rows(motion, {});
  if (motion.status != Status::going) return;
  if (!impl.series.extend(motion.state)) {
    end_singular(motion, std::move(rows), "the position is singular");
    return;
  }
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) {
    impl.instant.multipliers[impl.held_rows[j].row] = impl.series.multiplier()[j];
  }
  take_multipliers(motion);

  // The first term of f that is more than rounding: it leaves with that, into what is allowed.
  const auto found = std::lower_bound(impl.watched_rows.begin(), impl.watched_rows.end(), row);
  const std::span<const double> f = impl.series.watched(static_cast<std::size_t>(found - impl.watched_rows.begin()));
  const double h = impl.series.reach(part_for(impl.tolerance));
  double most = 0;
  double power = 1;
  std::vector<double> size;
  for (const double c : f) {
    size.push_back(std::abs(c) * power);
    most = std::max(most, size.back());
    power *= h;
  }
  std::size_t first = 0;
  while (first < f.size() && !(size[first] > no_pole * most)) ++first;
  if (first == f.size() || f[first] > 0 || !std::isfinite(most)) {
    end_singular(
        motion, std::move(rows),
        "the multiplier of " + model::row_name(impl.model, row) +
            " grows beyond all bounds, and without it the condition would be broken: the position is singular");
    return;
  }
  impl.leading[row] = static_cast<std::uint8_t>(std::min<std::size_t>(first, impl.series.order() - 2));
  add_event(motion, EventKind::release, {row});
  list_singular(motion, std::move(rows));
}

void take_rho(Motion& motion) {
  motion.rho.clear();
  if (motion.impl->carry_rho.empty()) return;
  for (const std::uint32_t row : motion.held) motion.rho.push_back(motion.state.rho[row]);
}

void take_multipliers(Motion& motion) {
  motion.multipliers.clear();
  for (const std::uint32_t row : motion.held) motion.multipliers.push_back(motion.impl->instant.multipliers[row]);
}

/// Does the row count? The other side of a kink does where the motion is in it: a valley that was left by the last impact is one again.
static bool is_there(Motion& motion, std::uint32_t row) {
  const model::Model& model = motion.impl->model;
  if (!instant::is_second_twin(model, row)) return true;
  instant::RowSet closed(model.rows());
  instant::RowSet steady = closed;
  closed.add(model.row_twin[row]);
  open_valleys(motion, {}, false, closed, steady);
  const std::vector<std::uint32_t>& valleys = motion.impl->switches.valleys;
  return std::binary_search(valleys.begin(), valleys.end(), model.row_twin[row]);
}

void close_for_good(Motion& motion, std::span<const std::uint32_t> rows) {
  instant::RowSet closed(motion.impl->model.rows(), motion.held);
  for (const std::uint32_t row : rows) closed.put(row, is_there(motion, row));
  motion.impl->limit_lost = close_rows(motion, closed);
  if (motion.status == Status::going && determined(motion)) hold_rows(motion, {});
}

void settle(Motion& motion, const Triggers& triggers, bool first) {
  Motion::Impl& impl = *motion.impl;
  const bool due = triggers.scheduled && motion.state.time < impl.until;
  std::size_t skips = 0;
  for (std::size_t j = 0; j < impl.held_rows.size() && !first; ++j) skips += impl.series.skipped(j) ? 1 : 0;
  const bool rank_fell = !first && skips > impl.settled_skips;
  bool at_schedule = due || first;
  for (const model::Blow& blow : impl.model.blows) {
    at_schedule = at_schedule || instant::same_instant(blow.at, motion.state.time);
  }
  for (const model::Condition& condition : impl.model.conditions) {
    at_schedule = at_schedule || (condition.seizure && instant::same_instant(condition.at, motion.state.time));
  }
  const bool releasing = !first && release_due(motion);
  const bool done = impl.any_done && instant::same_instant(impl.done_schedule, motion.state.time);

  // Rows that were independent no longer are: a singular position, if an equation takes part. Contacts alone are asked again, since forces
  // between them may be shared in many ways and the motion is one all the same.
  if (rank_fell && !triggers.any()) {
    std::vector<std::uint32_t> rows = dependent_rows(motion, nearly);
    if (std::any_of(rows.begin(), rows.end(),
                    [&](std::uint32_t row) { return model::is_equation(impl.model.row_kind[row]); })) {
      end_singular(motion, std::move(rows), "the conditions held have become dependent: the position is singular");
      return;
    }
  }

  // The limit of an accumulation is an instant of its own.
  if (impl.limit_ahead && motion.state.time >= impl.limit_time) {
    impl.limit_ahead = false;
    add_event(motion, EventKind::accumulation, impl.limit_rows);
    motion.events.back().lost = impl.limit_lost;
  }
  if (first || triggers.any() || triggers.doubt || rank_fell || releasing || (at_schedule && !done)) {
    if (first || moved_on(motion, triggers)) {
      impl.visited.clear();
      impl.marginal.clear();
    }
    const auto kink = std::find_if(triggers.turns.begin(), triggers.turns.end(), [&](const Turn& turn) {
      return model::place_of_switch(impl.model, turn.number).row < impl.model.rows();
    });
    if (kink != triggers.turns.end() && restless(motion)) {
      const std::uint32_t row = model::place_of_switch(impl.model, kink->number).row;
      end_singular(motion, {row},
                   "the motion has come to a kink of " + model::row_name(impl.model, row) +
                       " and neither of its sides leads on: write an inequality with abs, min, max or table, whose "
                       "sides may both hold");
      return;
    }
    if (impl.visited.size() >= turns_before_dust) take_dust_off(motion, triggers);
    regulate_and_accelerate(motion, triggers, first);
  } else if (!triggers.grazing.empty()) {
    list_grazes(motion, triggers.grazing);
  }
  weigh(motion);
  bool stop = triggers.stop;
  // What is true now, and what that lets go; which may make other things true.
  const std::vector<std::uint32_t>& stops = impl.model.simulation.stop_truth;
  for (std::size_t round = 0; motion.status == Status::going; ++round) {
    look_at_truths(motion);
    stop = stop || std::any_of(stops.begin(), stops.end(), [&](std::uint32_t truth) { return is_true(motion, truth); });
    if (stop || round > impl.model.releases.size() || !release_due(motion)) break;
    regulate_and_accelerate(motion, {}, false);
    weigh(motion);
  }
  impl.switches.holds.clear();
  if (motion.status == Status::going && stop) end(motion, Status::stopped, "");
  if (motion.status == Status::going && motion.state.time >= impl.until) end(motion, Status::finished, "");
  verify_end(motion);
  stamp_events(motion);
}

}  // namespace zwang::motion
