/// Conditions that are struck again and again, ever more softly, and close for good: one by one, together, or as the limit of a sequence.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/settle_impl.hpp"

namespace zwang::motion {

namespace {

using instant::Role;

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

}  // namespace

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

namespace {

/// Does the row count? The other side of a kink does where the motion is in it: a valley that was left by the last impact is one again.
bool is_there(Motion& motion, std::uint32_t row) {
  const model::Model& model = motion.impl->model;
  if (!instant::is_second_twin(model, row)) return true;
  instant::RowSet closed(model.rows());
  instant::RowSet steady = closed;
  closed.add(model.row_twin[row]);
  open_valleys(motion, {}, false, closed, steady);
  open_cones(motion, false, closed, steady);
  const std::vector<std::uint32_t>& valleys = motion.impl->switches.valleys;
  return std::binary_search(valleys.begin(), valleys.end(), model.row_twin[row]);
}

}  // namespace

void close_for_good(Motion& motion, std::span<const std::uint32_t> rows) {
  instant::RowSet closed(motion.impl->model.rows(), motion.held);
  for (const std::uint32_t row : rows) closed.put(row, is_there(motion, row));
  motion.impl->limit_lost = close_rows(motion, closed);
  if (motion.status == Status::going && determined(motion)) hold_rows(motion, {});
}

}  // namespace zwang::motion
