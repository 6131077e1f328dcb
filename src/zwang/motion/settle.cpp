/// The instant: shock, accelerations, the new sets of rows, and the events that are listed.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/instant/workspace.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

namespace {

using instant::Role;

constexpr double motion_touch = 1e-12;    ///< what counts as zero of a rate during a motion
constexpr double touch_position = 2e-15;  ///< of a position: what closes is known, the rest is open unless by rounding

bool is_held(Role role) { return role == Role::equation || role == Role::binding || role == Role::marginal; }

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

constexpr double fading = 1e-6;  ///< scales of the state count, but never less than this part of the motion's

/// The shock of an instant, gathered over its repetitions.
struct Gathered {
  bool shock = false;
  bool blow = false;
  std::vector<std::uint32_t> struck;  ///< inequalities that were approached
  std::vector<std::uint32_t> seized;
  std::vector<double> impulses;  ///< per row
  double lost = 0;
  std::string note;
};

/// Names of what the blows of this instant act on.
std::string struck_by_blow(const model::Model& model, double time) {
  std::string names;
  for (const model::Blow& blow : model.blows) {
    if (std::abs(blow.at - time) <= resolution(time)) names += (names.empty() ? "on " : ", ") + blow.on;
  }
  return names;
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
    const bool due = condition.seizure && std::abs(condition.at - motion.state.time) <= resolution(motion.state.time);
    if (due && now.seizure_due) gathered.seized.push_back(row);
    if (!due && now.role[row] == Role::approached) gathered.struck.push_back(row);
  }
  instant::impact(model, motion.state, options, impl.workspace, impl.shock);
  const instant::Shock& shock = impl.shock;
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
  const double rounding = 4e-15 * (std::abs(shock.energy.before) + std::abs(shock.energy.after));
  const double lost = std::abs(shock.energy.lost) > rounding ? shock.energy.lost : 0.0;
  gathered.lost += lost;
  motion.energy.lost += lost;
  motion.energy.work += shock.energy.blow + shock.energy.work;
  for (std::uint32_t row = 0; row < model.rows(); ++row) gathered.impulses[row] += shock.impulses[row];
  if (!shock.restitution_note.empty()) gathered.note += (gathered.note.empty() ? "" : "; ") + shock.restitution_note;
  motion.state.velocity = shock.velocities;
  std::fill(impl.carry_velocity.begin(), impl.carry_velocity.end(), 0.0);
}

/// The new sets: rows held in the order of their right to be kept, rows watched.
void choose_rows(Motion& motion, const std::vector<std::uint32_t>& balanced) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const instant::Instant& now = impl.instant;
  std::vector<HeldRow> held;
  std::vector<std::uint32_t> watched;
  std::vector<std::uint32_t> resting;
  motion.held.clear();
  const double scale = std::max(impl.extent, largest(motion.state.position));
  const double speed = std::max(speed_scale(motion), largest(motion.state.velocity));
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const model::RowKind kind = model.row_kind[row];
    const bool holonomic = model::is_holonomic(kind);
    const Role role = now.role[row];
    impl.leading[row] = 0;
    double gradient = 0;
    const model::Rows& rows = impl.workspace.impl().rows;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) gradient += std::abs(rows.entry[e]);
    impl.gradient[row] = std::isfinite(gradient) ? gradient * (holonomic ? scale : speed) : 0.0;
    if (role == Role::absent) {
      impl.place[row] = Place::absent;
    } else if (is_held(role)) {
      impl.place[row] = Place::held;
      motion.held.push_back(row);
      const bool vanishes = std::find(balanced.begin(), balanced.end(), row) != balanced.end();
      if (role == Role::equation || (now.multipliers[row] > 0 && !vanishes)) {
        held.push_back({row, false});
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
  const auto gives_way = [&](std::uint32_t row) {
    return std::find(balanced.begin(), balanced.end(), row) != balanced.end();
  };
  std::stable_partition(resting.begin(), resting.end(), [&](std::uint32_t row) { return !gives_way(row); });
  for (const std::uint32_t row : resting) held.push_back({row, true});
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

/// Rows that turned out to depend on others and need carry nothing are watched instead.
void watch_implied(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  bool any = false;
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) {
    if (!impl.held_rows[j].implied_if_dependent || !impl.series.skipped(j)) continue;
    impl.place[impl.held_rows[j].row] = Place::implied;
    impl.leading[impl.held_rows[j].row] = 0;
    impl.watched_rows.push_back(impl.held_rows[j].row);
    any = true;
  }
  if (!any) return;
  std::sort(impl.watched_rows.begin(), impl.watched_rows.end());
  impl.series.choose(impl.held_rows, impl.watched_rows);
  static_cast<void>(project(motion));
}

void add_event(Motion& motion, EventKind kind, std::vector<std::uint32_t> rows) {
  Event event;
  event.time = motion.state.time;
  event.kind = kind;
  event.rows = std::move(rows);
  motion.events.push_back(std::move(event));
}

/// One entry per kind, in their order.
void list_events(Motion& motion, const Triggers& triggers, const Gathered& gathered, const std::vector<Place>& before,
                 bool first, const Switches& switches_before) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const auto closed_before = [&](std::uint32_t row) {
    return before[row] == Place::held || before[row] == Place::implied;
  };
  const auto closed_now = [&](std::uint32_t row) {
    return impl.place[row] == Place::held || impl.place[row] == Place::implied;
  };
  const std::size_t begin = motion.events.size();
  if (gathered.blow) add_event(motion, EventKind::blow, {});
  if (!gathered.seized.empty()) add_event(motion, EventKind::seizure, gathered.seized);
  const std::size_t blows = motion.events.size() - begin;
  list_switches(motion, switches_before, triggers, first);
  const std::size_t switched = motion.events.size() - begin - blows;
  if (!gathered.struck.empty()) add_event(motion, EventKind::impact, gathered.struck);
  const std::size_t shocks = motion.events.size() - begin;
  // Impulses of rounding size, beside the others or beside the momenta, are none.
  const double slight = 1e-14 * largest(gathered.impulses);
  const instant::Workspace::Impl& found = impl.workspace.impl();
  std::vector<double> momentum(model.variables, 0.0);
  if (shocks > 0) found.dynamics.mass.multiply(motion.state.velocity, momentum);
  const double carried = 2e-15 * largest(momentum);
  const auto counts = [&](std::uint32_t row) {
    double gradient = 0;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      gradient = std::max(gradient, std::abs(found.rows.entry[e]));
    }
    const double l = std::abs(gathered.impulses[row]);
    return l > slight && l * gradient > carried;
  };
  const auto is_switch = [&](std::size_t e) { return e >= begin + blows && e < begin + blows + switched; };
  for (std::size_t e = begin; e < motion.events.size(); ++e) {
    if (is_switch(e)) continue;
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (counts(row)) motion.events[e].impulses.emplace_back(row, gathered.impulses[row]);
    }
    motion.events[e].note = gathered.note;
  }
  if (shocks > switched) motion.events[blows > 0 ? begin : begin + switched].lost = gathered.lost;
  if (!first) {
    // A condition that is open after a shock has not been released; one that closed with it made no contact.
    std::vector<std::uint32_t> released;
    std::vector<std::uint32_t> touched;
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (model::is_equation(model.row_kind[row])) continue;
      const bool trigger =
          std::find(triggers.releasing.begin(), triggers.releasing.end(), row) != triggers.releasing.end();
      const bool let_go = impl.switches.gone[row] != 0;
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
    if (!grazed.empty()) add_event(motion, EventKind::graze, std::move(grazed));
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
  const model::Energy now = model::energy(impl.model, motion.state, impl.workspace.impl().scratch);
  impl.extent = std::max(impl.extent, largest(motion.state.position));
  impl.fastest = std::max(impl.fastest, largest(motion.state.velocity));
  motion.energy.largest_kinetic = std::max(motion.energy.largest_kinetic, now.kinetic);
  motion.energy.final = model::vis_viva(impl.model, motion.state, impl.workspace.impl().scratch) + now.potential;
}

/// Did the accelerations come out? If not, the motion ends here.
bool determined(Motion& motion) {
  const instant::Instant& now = motion.impl->instant;
  switch (now.status) {
    case instant::Status::determined:
      if (!now.singular) return true;
      end(motion, Status::singular, "the position is singular: the lowest part of the conditions decides here");
      break;
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
      end(motion,
          now.regular && now.expansion.find("no gradient") == std::string::npos ? Status::gave_up : Status::singular,
          now.expansion.empty() ? "the position is singular" : now.expansion);
      break;
  }
  // A singular position is an event, too.
  if (motion.status == Status::singular) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < motion.impl->model.rows(); ++row) {
      if (is_held(now.role[row])) rows.push_back(row);
    }
    motion.culprits = rows;
    add_event(motion, EventKind::singular, std::move(rows));
  }
  return false;
}

/// Shock as long as something is approached, then the accelerations.
void regulate_until_determined(Motion& motion, instant::Options options, Gathered& gathered, const Triggers& triggers,
                               bool first) {
  Motion::Impl& impl = *motion.impl;
  gathered.impulses.assign(impl.model.rows(), 0.0);
  constexpr int most_shocks = 50;
  for (int round = 0; round < most_shocks; ++round) {
    if (!settle_switches(motion, triggers, first, round > 0, options)) break;
    options.gone = impl.switches.idle;
    instant::accelerate(impl.model, motion.state, options, impl.workspace, impl.instant);
    if (impl.instant.status != instant::Status::impact) break;
    regulate(motion, options, gathered);
    if (motion.status != Status::going) break;
    options.balanced = {};
    options.steady = {};
    options.shock_done = true;
    impl.any_done = true;
    impl.done_schedule = motion.state.time;
  }
}

/// rho' of a row that depends on others is not determined, and what comes of it neither.
void refuse_dependent_rho(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (motion.rho.empty() || impl.settled_skips == 0) return;
  const std::vector<std::uint32_t> rows = dependent_rows(motion, 1e-11);
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
  choose_rows(motion, balanced);
  if (!project(motion)) end(motion, Status::gave_up, "a condition or the kinetic energy has no finite value here");
  watch_implied(motion);
  impl.settled_skips = 0;
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) impl.settled_skips += impl.series.skipped(j) ? 1 : 0;
  take_multipliers(motion);
  take_rho(motion);
  refuse_dependent_rho(motion);
}

/// The instant proper: shock as long as something is approached, then accelerations, sets and events.
void regulate_and_accelerate(Motion& motion, const Triggers& triggers, bool first) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::vector<Place> before = impl.place;

  // Rows known to touch: those held, and those that have just closed.
  std::vector<std::uint8_t> closed(model.rows(), 0);
  for (std::uint32_t row = 0; row < model.rows() && !first; ++row) {
    closed[row] = before[row] == Place::held || before[row] == Place::implied ? 1 : 0;
  }
  // What is held moves along, and a velocity condition that closes has just reached zero.
  std::vector<std::uint8_t> steady = closed;
  for (const std::uint32_t row : triggers.closing) {
    closed[row] = 1;
    if (!model::is_holonomic(model.row_kind[row])) steady[row] = 1;
  }
  // At a kink the gradient is a new one: a condition that was held may be struck.
  for (const Turn& turn : triggers.turns) {
    const std::uint32_t row = model::place_of_switch(model, turn.number).row;
    if (row < model.rows()) steady[row] = 0;
  }
  instant::Options options;
  options.touch = first ? 0 : std::min(motion_touch, model.simulation.touch);
  options.touch_position = first ? 0 : touch_position;
  options.broken = first ? 0 : std::max(model.simulation.touch, 100 * impl.tolerance);
  if (!first) {
    options.closed = closed;
    options.steady = steady;
  }
  options.least_position = fading * impl.extent;
  options.least_velocity = std::max(largest(motion.state.velocity), fading * speed_scale(motion));
  std::vector<std::uint8_t> balanced(model.rows(), 0);
  for (const std::uint32_t row : triggers.releasing) balanced[row] = 1;
  if (!triggers.releasing.empty()) options.balanced = balanced;
  options.shock_done =
      impl.any_done && std::abs(impl.done_schedule - motion.state.time) <= resolution(motion.state.time);

  Gathered gathered;
  const Switches switches_before = impl.switches;
  regulate_until_determined(motion, options, gathered, triggers, first);
  if (motion.status == Status::going && determined(motion)) hold_rows(motion, triggers.releasing);
  list_events(motion, triggers, gathered, before, first, switches_before);

  // Impacts are remembered: infinitely many may follow. Events show the state before these are cut short.
  stamp_events(motion);
  if (!gathered.struck.empty() && !first) {
    impl.bounces.push_back({gathered.struck, impl.flight});
    if (impl.bounces.size() > 64) impl.bounces.erase(impl.bounces.begin(), impl.bounces.begin() + 32);
    impl.flight = 0;
    if (motion.status == Status::going) close_accumulation(motion);
  }
}

/// Instants crowd without time passing: something is wrong that no formula saw.
bool crowded(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (std::abs(motion.state.time - impl.last_instant) > resolution(motion.state.time)) {
    impl.last_instant = motion.state.time;
    impl.crowded = 0;
    return false;
  }
  return ++impl.crowded > 1000;
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
    if (most > 1e-3) out.push_back(impl.held_rows[j].row);
  }
  std::sort(out.begin(), out.end());
  return out.empty() ? motion.held : out;
}

void end_singular(Motion& motion, std::vector<std::uint32_t> rows, std::string why) {
  end(motion, Status::singular, std::move(why));
  motion.culprits = rows;
  add_event(motion, EventKind::singular, std::move(rows));
  weigh(motion);
  stamp_events(motion);
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

void close_for_good(Motion& motion, std::span<const std::uint32_t> rows) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const double speed = std::max(largest(motion.state.velocity), fading * speed_scale(motion));
  const double before = model::energy(model, motion.state, impl.workspace.impl().scratch).kinetic;

  // Whatever speed and gap is left goes: the state is brought onto all of them.
  std::vector<std::uint8_t> closed(model.rows(), 0);
  for (const std::uint32_t row : motion.held) closed[row] = 1;
  for (const std::uint32_t row : rows) closed[row] = 1;
  impl.held_rows.clear();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (closed[row] != 0) impl.held_rows.push_back({row, false});
  }
  impl.series.choose(impl.held_rows, {});
  impl.watched_rows.clear();
  static_cast<void>(impl.series.project(motion.state, impl.carry_position, impl.carry_velocity));
  impl.limit_lost = before - model::energy(model, motion.state, impl.workspace.impl().scratch).kinetic;
  if (std::abs(impl.limit_lost) < 4e-15 * before) impl.limit_lost = 0;
  motion.energy.lost += impl.limit_lost;

  // Then the instant as always.
  instant::Options options;
  options.touch = std::min(motion_touch, model.simulation.touch);
  options.touch_position = touch_position;
  options.broken = std::max(model.simulation.touch, 100 * impl.tolerance);
  options.closed = closed;
  options.steady = closed;
  options.least_position = fading * impl.extent;
  options.least_velocity = speed;
  options.shock_done = true;
  options.inelastic = true;
  Gathered gathered;
  regulate_until_determined(motion, options, gathered, {}, false);
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
    at_schedule = at_schedule || std::abs(blow.at - motion.state.time) <= resolution(motion.state.time);
  }
  for (const model::Condition& condition : impl.model.conditions) {
    at_schedule = at_schedule ||
                  (condition.seizure && std::abs(condition.at - motion.state.time) <= resolution(motion.state.time));
  }
  const bool releasing = !first && release_due(motion);
  const bool done = impl.any_done && std::abs(impl.done_schedule - motion.state.time) <= resolution(motion.state.time);

  // Rows that were independent no longer are: a singular position.
  if (rank_fell && !triggers.any()) {
    end_singular(motion, dependent_rows(motion, nearly),
                 "the conditions held have become dependent: the position is singular");
    return;
  }

  // The limit of an accumulation is an instant of its own.
  if (impl.limit_ahead && motion.state.time >= impl.limit_time) {
    impl.limit_ahead = false;
    add_event(motion, EventKind::accumulation, impl.limit_rows);
    motion.events.back().lost = impl.limit_lost;
  }
  if (first || triggers.any() || triggers.doubt || releasing || (at_schedule && !done)) {
    constexpr std::uint32_t restless = 8;  // turns at one instant: neither side of a kink lets the motion go on
    const auto kink = std::find_if(triggers.turns.begin(), triggers.turns.end(), [&](const Turn& turn) {
      return model::place_of_switch(impl.model, turn.number).row < impl.model.rows();
    });
    if (crowded(motion)) {
      end(motion, Status::gave_up, "more than a thousand events at one instant");
    } else if (impl.crowded > restless && kink != triggers.turns.end()) {
      const std::uint32_t row = model::place_of_switch(impl.model, kink->number).row;
      end_singular(motion, {row},
                   "the motion has come to a kink of " + model::row_name(impl.model, row) +
                       " and neither of its sides leads on: write an inequality with abs, min, max or table, whose "
                       "sides may both hold");
      return;
    } else {
      regulate_and_accelerate(motion, triggers, first);
    }
  } else if (!triggers.grazing.empty()) {
    add_event(motion, EventKind::graze, triggers.grazing);
  }
  weigh(motion);
  bool stop = triggers.stop;
  for (const std::uint32_t truth : impl.model.simulation.stop_truth) stop = stop || is_true(motion, truth);
  if (motion.status == Status::going && stop) end(motion, Status::stopped, "");
  if (motion.status == Status::going && motion.state.time >= impl.until) end(motion, Status::finished, "");
  stamp_events(motion);
}

}  // namespace zwang::motion
