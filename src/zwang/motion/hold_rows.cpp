/// The rows held and watched from an instant on, and the state brought onto them.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/motion/settle_impl.hpp"

namespace zwang::motion {

namespace {

using instant::Role;

/// Rows held up to which their gradients are compared as a dense matrix.
constexpr std::size_t most_rows_compared = 200;

/// The size of a row's terms, and how far its multiplier may be off, at this instant.
void measure_row(Motion& motion, std::uint32_t row) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const instant::Evaluation& found = impl.workspace.evaluation();
  const model::Rows& rows = found.rows;
  impl.size[row] = size_in_doubt(motion, rows, row);
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
  const std::vector<std::uint32_t> kept = rows_kept_by_surfaces(motion);
  const auto is_kept = [&](std::uint32_t row) { return std::binary_search(kept.begin(), kept.end(), row); };
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const model::RowKind kind = model.row_kind[row];
    const bool holonomic = model::is_holonomic(kind);
    const Role role = now.role[row];
    impl.leading[row] = 0;
    // Marginal: its multiplier at this instant counts as zero, whatever its sign.
    impl.quiet.put(row, role == Role::marginal);
    measure_row(motion, row);
    if (is_kept(row)) {
      impl.standing[row] = Standing::implied;
      watched.push_back(row);
    } else if (role == Role::absent) {
      impl.standing[row] = Standing::absent;
      // It goes with the one that stands for it.
      const std::uint32_t original = impl.copies.original(row);
      if (original != row && is_held(now.role[original]) && !is_kept(original)) motion.held.push_back(row);
    } else if (is_held(role)) {
      impl.standing[row] = Standing::held;
      motion.held.push_back(row);
      const bool vanishes = gives_way(row) && !by_few;
      if (role == Role::equation || (now.multipliers[row] > 0 && !vanishes)) {
        // By few: what is skipped nevertheless acts no more, and is watched.
        held.push_back({row, role == Role::equation ? impl.passage.stays : by_few});
      } else {
        resting.push_back(row);
      }
    } else {
      impl.standing[row] = Standing::open;
      watched.push_back(row);
      // What is known to vanish at the start: f and, for a condition that leaves, its first derivatives.
      if (role == Role::leaving) impl.leading[row] = holonomic ? 2 : 1;
      if (role == Role::passive_in_velocity && holonomic) impl.leading[row] = 1;
    }
  }
  // Rows at rest come last, and among them those whose multiplier has fallen to zero at this instant: others may take over from them.
  const auto gave_way = [&](std::uint32_t row) {
    return std::find(impl.gave_way.begin(), impl.gave_way.end(), row) != impl.gave_way.end();
  };
  std::stable_partition(resting.begin(), resting.end(), [&](std::uint32_t row) { return !gave_way(row); });
  std::stable_partition(resting.begin(), resting.end(), [&](std::uint32_t row) { return !gives_way(row); });
  for (const std::uint32_t row : resting) held.push_back({row, true});
  put_implied_first(model, held);
  for (const instant::Decision& decision : now.decisions) {
    const std::uint32_t row = decision.row;
    if (is_kept(row)) continue;
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
    switch (impl.standing[row]) {
      case Standing::open: break;
      case Standing::held: now.role[row] = equation ? Role::equation : Role::binding; break;
      case Standing::implied: now.role[row] = equation ? Role::equation : Role::marginal; break;
      case Standing::absent: now.role[row] = Role::absent; break;
    }
  }
  for (std::size_t j = 0; j < motion.held.size(); ++j) {
    const std::uint32_t row = motion.held[j];
    if (!impl.copies.is_copy(row)) now.multipliers[row] = motion.multipliers[j] / impl.copies.share(row);
  }
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

/// An equation that depends on contacts before it stays when these let go: it comes before them, and they depend on it.
void put_equations_first(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const auto is_equation = [&](const HeldRow& one) { return model::is_equation(impl.model.row_kind[one.row]); };
  bool contacts = false;
  bool behind = false;
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) {
    const HeldRow& one = impl.held_rows[j];
    behind = behind || (contacts && is_equation(one) && !one.implied_if_dependent && impl.series.skipped(j));
    contacts = contacts || !is_equation(one);
  }
  if (!behind) return;
  std::stable_partition(impl.held_rows.begin(), impl.held_rows.end(), is_equation);
  impl.in_order = ascending(impl.held_rows);
  impl.series.choose(impl.held_rows, impl.watched_rows);
  static_cast<void>(project_onto_new(motion));
}

/// Does the gradient of a contact depend on those of the equations held alone?
bool depends_on_equations(const Motion& motion, std::size_t contact) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  if (impl.held_rows.size() > most_rows_compared) return false;
  std::vector<std::uint32_t> rows;
  for (const HeldRow& one : impl.held_rows) {
    if (model::is_equation(model.row_kind[one.row])) rows.push_back(one.row);
  }
  if (rows.empty()) return false;
  rows.push_back(impl.held_rows[contact].row);
  model::Scratch scratch = model::make_scratch(model);
  model::Rows found = model::make_rows(model);
  model::evaluate_rows(model, motion.state, scratch, found);
  linear::Matrix transposed(model.variables, rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    double length = 0;
    for (std::uint32_t e = model.row_start[rows[j]]; e < model.row_start[rows[j] + 1]; ++e)
      length = std::max(length, std::abs(found.entry[e]));
    if (!(length > 0) || !std::isfinite(length)) return false;
    for (std::uint32_t e = model.row_start[rows[j]]; e < model.row_start[rows[j] + 1]; ++e)
      transposed(model.row_column[e], j) = found.entry[e] / length;
  }
  const linear::Matrix null = linear::null_space(transposed, passed_together);
  double most = 0;
  for (std::size_t k = 0; k < null.columns; ++k) most = std::max(most, std::abs(null(rows.size() - 1, k)));
  return most > takes_part;
}

/// What equations hold alone, contacts that depend on them need not share: where these open, as a round wall beside a flat one does, their force would
/// turn with them.
void leave_to_equations(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  bool any = false;
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) {
    HeldRow& one = impl.held_rows[j];
    if (!impl.series.skipped(j) || one.implied_if_dependent || model::is_equation(impl.model.row_kind[one.row]))
      continue;
    if (!depends_on_equations(motion, j)) continue;
    one.implied_if_dependent = any = true;
  }
  if (!any) return;
  impl.series.choose(impl.held_rows, impl.watched_rows);
  static_cast<void>(project_onto_new(motion));
}

/// Rows that turned out to depend on others and need carry nothing are watched instead. Inequalities that share their force with others are watched, too:
/// further on these may leave them, as a floor leaves a ramp that begins on it.
void watch_implied(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  put_equations_first(motion);
  leave_to_equations(motion);
  bool any = false;
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) {
    if (!impl.series.skipped(j)) continue;
    const bool shares = !impl.held_rows[j].implied_if_dependent;
    if (shares && model::is_equation(impl.model.row_kind[impl.held_rows[j].row])) continue;
    if (!shares) impl.standing[impl.held_rows[j].row] = Standing::implied;
    impl.leading[impl.held_rows[j].row] = 0;
    impl.watched_rows.push_back(impl.held_rows[j].row);
    any = true;
  }
  if (!any) return;
  std::sort(impl.watched_rows.begin(), impl.watched_rows.end());
  // Equations among them come last: elsewhere they may depend on more rows than they do here.
  std::stable_partition(impl.held_rows.begin(), impl.held_rows.end(), [&](const HeldRow& one) {
    return impl.standing[one.row] != Standing::implied || !model::is_equation(impl.model.row_kind[one.row]);
  });
  impl.in_order = ascending(impl.held_rows);
  impl.series.choose(impl.held_rows, impl.watched_rows);
  static_cast<void>(project_onto_new(motion));
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

}  // namespace

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

void leave_to_weights(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  for (const instant::Pin& pin : impl.pins.edges()) {
    const auto at = std::lower_bound(switches.slid.begin(), switches.slid.end(), pin.number);
    if (at == switches.slid.end() || *at != pin.number) continue;
    if (switches.implied[static_cast<std::size_t>(at - switches.slid.begin())] != 0) continue;
    Role& role = impl.instant.role[pin.row];
    if (role != Role::binding && role != Role::marginal) continue;
    role = Role::leaving;
    impl.instant.multipliers[pin.row] = 0;
  }
}

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
  const model::Rows& rows = impl.workspace.evaluation().rows;
  for (const std::uint32_t row : impl.marginal) {
    // What moves off is none of them.
    const bool leaves = impl.instant.role[row] == Role::passive_in_velocity &&
                        -impl.instant.rate[row] > impl.tolerance * rows.rate_scale[row] + rows.rate_error[row];
    if (impl.instant.role[row] == Role::absent || leaves) continue;
    more = more || !is_held(impl.instant.role[row]);
    impl.instant.role[row] = Role::marginal;
    impl.instant.multipliers[row] = 0;
    impl.quiet.add(row);
  }
  if (more) hold_rows(motion, {});
}

namespace {

/// The gradients of rows held, one column each, in units of their lengths when they were chosen; false: one of them, `bad`, is not finite.
bool gradients_of(const Motion& motion, std::span<const std::size_t> numbers, linear::Matrix& transposed,
                  std::uint32_t& bad) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, motion.state, scratch, rows);
  const std::vector<double> length = impl.series.memory().row_length;
  // The columns in use, side by side.
  std::vector<std::uint32_t> columns;
  for (const std::size_t j : numbers) {
    const std::uint32_t row = impl.held_rows[j].row;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      columns.push_back(model.row_column[e]);
    }
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  transposed = linear::Matrix(columns.size(), numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::size_t j = numbers[k];
    const std::uint32_t row = impl.held_rows[j].row;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const auto place = std::lower_bound(columns.begin(), columns.end(), model.row_column[e]) - columns.begin();
      bad = row;
      if (!std::isfinite(rows.entry[e])) return false;
      transposed(static_cast<std::size_t>(place), k) = rows.entry[e] / (length[j] > 0 ? length[j] : 1.0);
    }
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> dependent_rows(const Motion& motion, double tolerance) {
  const Motion::Impl& impl = *motion.impl;
  const std::size_t m = impl.held_rows.size();
  if (m == 0 || m > most_rows_compared) return motion.held;
  std::vector<std::size_t> all(m);
  std::iota(all.begin(), all.end(), std::size_t{0});
  linear::Matrix transposed(0, 0);
  std::uint32_t bad = 0;
  if (!gradients_of(motion, all, transposed, bad)) return {bad};

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

bool depends_by_quiet_ones(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const std::size_t m = impl.held_rows.size();
  if (m == 0 || m > most_rows_compared) return false;
  std::vector<std::size_t> pressing;
  for (std::size_t j = 0; j < m; ++j) {
    if (!impl.quiet.contains(impl.held_rows[j].row)) pressing.push_back(j);
  }
  if (pressing.size() == m) return false;
  if (pressing.empty()) return true;
  linear::Matrix transposed(0, 0);
  std::uint32_t bad = 0;
  if (!gradients_of(motion, pressing, transposed, bad)) return false;
  return linear::null_space(transposed, nearly).columns == linear::null_space(transposed).columns;
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
  const Motion::Impl& impl = *motion.impl;
  for (const std::uint32_t row : motion.held) {
    motion.multipliers.push_back(impl.instant.multipliers[impl.copies.original(row)] * impl.copies.share(row));
  }
}

}  // namespace zwang::motion
