/// The instant: shock, accelerations, the new sets of rows, and the events that are listed.

#include <algorithm>
#include <cmath>
#include <utility>

#include "zwang/base/vectors.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/energies.hpp"
#include "zwang/motion/settle_impl.hpp"

namespace zwang::motion {

namespace {

/// T_2 - T_0 + V at the present state.
double whole_energy(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  return model::vis_viva(impl.model, motion.state, impl.workspace.evaluation().scratch) +
         model::energy(impl.model, motion.state, impl.workspace.evaluation().scratch).potential;
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

/// What has just been touched, and turned back from by its second derivative, has f = f' = 0 there: left alone, rounding of both would touch it again.
void leave_what_was_grazed(Motion& motion, const std::vector<std::uint32_t>& rows) {
  Motion::Impl& impl = *motion.impl;
  const double end = motion.piece.length / motion.piece.unit;
  for (const std::uint32_t row : rows) {
    const auto found = std::lower_bound(impl.watched_rows.begin(), impl.watched_rows.end(), row);
    if (found == impl.watched_rows.end() || *found != row || !model::is_holonomic(impl.model.row_kind[row])) continue;
    const std::span<const double> f = impl.series.watched(static_cast<std::size_t>(found - impl.watched_rows.begin()));
    double second = 0;
    double terms = 0;
    for (std::size_t k = f.size(); k-- > 2;) {
      const double c = static_cast<double>(k * (k - 1)) * f[k];
      second = second * end + c;
      terms = terms * end + std::abs(c);
    }
    if (second < -vanishing_turn * terms) impl.leading[row] = 2;
  }
}

/// Does an equation depend on others? The motion stays in a singular position.
bool any_equation_implied(const model::Model& model, const std::vector<Standing>& standing) {
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (standing[row] == Standing::implied && model::is_equation(model.row_kind[row])) return true;
  }
  return false;
}

/// Rows whose multipliers vanish at this instant: those that fell to zero, unless a force or a condition jumps here, after which they are others.
std::vector<std::uint32_t> balanced_rows(const Motion& motion, const Triggers& triggers) {
  const bool jumps = std::any_of(triggers.turns.begin(), triggers.turns.end(), [&](const Turn& turn) {
    return !model::place_of_switch(motion.impl->model, turn.number).truth;
  });
  if (jumps || release_due(motion)) return {};
  return triggers.releasing;
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
  // What surfaces kept closed is not marginal by itself: it goes where these let go.
  for (std::uint32_t row = 0; row < model.rows() && !first; ++row) {
    if (impl.standing[row] == Standing::implied && !std::binary_search(motion.held.begin(), motion.held.end(), row))
      impl.resting.remove(row);
  }
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
  open_cones(motion, first, closed, steady);
  instant::Options options;
  if (!first) options = options_in_motion(impl, std::move(closed), std::move(steady));
  if (const std::vector<std::uint32_t> vanishing = balanced_rows(motion, triggers); !vanishing.empty()) {
    options.balanced = instant::RowSet(model.rows(), vanishing);
  }
  options.shock_done = impl.any_done && instant::same_instant(impl.done_schedule, motion.state.time);
  return options;
}

/// The instant proper: shock as long as something is approached, then accelerations, sets and events.
void regulate_and_accelerate(Motion& motion, const Triggers& triggers, bool first) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::vector<Standing> before = impl.standing;
  instant::Options options = known_of_rows(motion, triggers, first);
  const std::vector<std::uint32_t> balanced = balanced_rows(motion, triggers);

  Gathered gathered;
  const Switches switches_before = impl.switches;
  const double energy_before = whole_energy(motion);
  const double lost_before = motion.energy.lost;
  const double work_before = motion.energy.work;
  regulate_until_determined(motion, std::move(options), gathered, triggers, first);
  for (std::size_t k = 0; k < gathered.struck.size() && !first; ++k) {
    Strikes& strikes = impl.strikes[gathered.struck[k]];
    ++strikes.count;
    strikes.hardest = std::max(strikes.hardest, std::abs(gathered.speed[k]));
  }
  Still still;
  if (motion.status == Status::going && !first) still = close_what_is_back_at_once(motion, gathered.shock);
  if (motion.status == Status::going && determined(motion)) {
    decide_beside_surfaces(motion, first);
    impl.gave_way.insert(impl.gave_way.end(), triggers.releasing.begin(), triggers.releasing.end());
    leave_to_weights(motion);
    if (!model.cones.empty()) stand_beside(motion);
    if (motion.status == Status::going) hold_rows(motion, balanced);
    if (motion.status == Status::going && !gathered.shock) hold_what_comes_back(motion, triggers);
    if (motion.status == Status::going) leave_to_rows(motion);
    if (motion.status == Status::going) static_cast<void>(leave_as_imposed(motion, triggers, first));
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
  // What ends a run stands last.
  std::stable_partition(motion.events.begin(), motion.events.end(),
                        [](const Event& event) { return event.kind != EventKind::singular; });
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
    hop_until_limit(motion);
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

/// What turns at the kink of an equation again and again without time passing has lost its speed from turn to turn, and comes to rest there: what is
/// left of the speed across the kink, and with it of that along either side, goes. False if that were more than rounding of the energies, or if there is
/// none: then forces that vary move it off the shares with which its sides hold it.
bool rest_in_kink(Motion& motion, const Turn& turn, std::uint32_t row) {
  constexpr int most_rounds =
      200;  // of projections, of which each leaves half at most where the sides make no acute angle
  Motion::Impl& impl = *motion.impl;
  if (!model::is_equation(impl.model.row_kind[row])) return false;
  const std::vector<double> p = impl.series.slope(turn.number, motion.state);
  std::vector<double> wp(p.size());
  mass_at(motion).solve(p, wp);
  double length = 0;
  for (std::size_t i = 0; i < p.size(); ++i) length += p[i] * wp[i];
  const instant::SwitchRates first = instant::switch_rates(impl.model, turn.number, motion.state, {});
  if (!first.by_position || first.first == 0 || !(length > 0)) return false;
  const double before = whole_energy(motion);
  const model::State state = motion.state;
  const auto take_off = [&] {
    const double speed = instant::switch_rates(impl.model, turn.number, motion.state, {}).first;
    for (std::size_t i = 0; i < p.size(); ++i) motion.state.velocity[i] -= wp[i] * speed / length;
    return std::abs(speed);
  };
  for (int round = 0; round < most_rounds && take_off() > unit_rounding * std::abs(first.first); ++round)
    static_cast<void>(impl.series.project(motion.state, impl.carry_position, impl.carry_velocity));
  std::fill(impl.carry_velocity.begin(), impl.carry_velocity.end(), 0.0);
  const double lost = before - whole_energy(motion);
  if (!(std::abs(lost) <= loss_in_roundings * motion.energy.largest)) {
    motion.state = state;
    return false;
  }
  motion.energy.lost += lost;
  impl.kinks = 0;
  impl.fresh_bounces = 0;
  // Unless that was told already.
  const std::vector<std::uint32_t>& ahead = impl.limit_rows;
  if (impl.limit_ahead && std::find(ahead.begin(), ahead.end(), row) != ahead.end()) return true;
  add_event(motion, EventKind::accumulation, {row});
  motion.events.back().lost = lost;
  return true;
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

void keep_account(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Energies now = model::energies(impl.model, motion.state, impl.workspace.evaluation().scratch);
  motion.energy.largest_kinetic = std::max(motion.energy.largest_kinetic, now.kinetic);
  motion.energy.largest =
      std::max(motion.energy.largest, std::abs(now.kinetic) + std::abs(now.potential) + motion.energy.gross_work +
                                          std::abs(motion.energy.lost) + std::abs(motion.energy.initial));
  motion.energy.final = now.vis_viva + now.potential;
}

namespace {

/// What is due within the resolution of time is due now, and at its own time: else the shock of this instant would count for it.
void snap_to_schedule(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  double& time = motion.state.time;
  double due = impl.until;
  const auto consider = [&](double at) {
    const bool done = impl.any_done && instant::same_instant(impl.done_schedule, at);
    if (at > time && at - time <= resolution(time) && !done) due = std::min(due, at);
  };
  for (const model::Blow& blow : impl.model.blows) consider(blow.at);
  for (const model::Condition& condition : impl.model.conditions) {
    if (condition.seizure) consider(condition.at);
  }
  consider(next_release(motion, time));
  if (!(due < impl.until)) return;
  time = due;
  impl.carry_time = 0;
}

}  // namespace

void settle(Motion& motion, const Triggers& given, bool first) {
  Motion::Impl& impl = *motion.impl;
  const bool cones = !first && !impl.model.cones.empty();
  if (cones && !keeps_cones(motion)) return;
  const Triggers all = cones ? without_spokes(motion, given) : Triggers{};
  const Triggers& triggers = cones ? all : given;
  if (!first) snap_to_schedule(motion);
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
  look_at_truths_before(motion);
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
  bool lands = false;
  if (impl.limit_ahead && motion.state.time >= impl.limit_time) {
    impl.limit_ahead = false;
    lands = !impl.pins.edges().empty();
    add_event(motion, EventKind::accumulation, impl.limit_rows);
    motion.events.back().lost = impl.limit_lost;
  }
  if (first || triggers.any() || triggers.doubt || rank_fell || releasing || lands || (at_schedule && !done)) {
    if (first || moved_on(motion, triggers)) {
      impl.visited.clear();
      impl.marginal.clear();
      impl.gave_way.clear();
    }
    const auto kink = std::find_if(triggers.turns.begin(), triggers.turns.end(), [&](const Turn& turn) {
      return model::place_of_switch(impl.model, turn.number).row < impl.model.rows();
    });
    const std::uint32_t row =
        kink != triggers.turns.end() ? model::place_of_switch(impl.model, kink->number).row : no_row;
    if (row != no_row && restless(motion) && !rest_in_kink(motion, *kink, row)) {
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
    leave_what_was_grazed(motion, triggers.grazing);
  }
  keep_account(motion);
  bool stop = triggers.stop;
  // What is true now, and what that lets go; which may make other things true.
  const std::vector<std::uint32_t>& stops = impl.model.simulation.stop_truth;
  for (std::size_t round = 0; motion.status == Status::going; ++round) {
    look_at_truths(motion, triggers);
    stop = stop || std::any_of(stops.begin(), stops.end(), [&](std::uint32_t truth) { return is_true(motion, truth); });
    if (stop || round > impl.model.releases.size() || !release_due(motion)) break;
    regulate_and_accelerate(motion, {}, false);
    keep_account(motion);
  }
  impl.switches.holds.clear();
  if (motion.status == Status::going && stop) end(motion, Status::stopped, "");
  if (motion.status == Status::going && motion.state.time >= impl.until) end(motion, Status::finished, "");
  verify_end(motion);
  stamp_events(motion);
}

}  // namespace zwang::motion
