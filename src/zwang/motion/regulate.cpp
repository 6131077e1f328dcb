/// Shocks of an instant until nothing is approached any more, then the accelerations: what of them is listed is gathered on the way.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "zwang/base/groups.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/settle_impl.hpp"
#include "zwang/motion/switches_impl.hpp"

namespace zwang::motion {

namespace {

using instant::Role;

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
    if (shock.impulses[row] == 0 && !is_closed(impl.standing[row])) continue;
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

/// Shocks of one instant where rows that are apart by less than can be told are struck in turn: a light body goes to and fro between two that come together as often as the root
/// of the ratio of their masses says.
constexpr int most_shocks_in_turn = 2000;

/// Was a row open until this instant, and does it recede?
bool recedes_from_open(const Motion::Impl& impl, std::uint32_t row) {
  return impl.instant.role[row] == Role::passive_in_velocity && impl.standing[row] == Standing::open &&
         model::is_holonomic(impl.model.row_kind[row]);
}

/// Is there a row that is apart by less than can be told? What was open until now, is within what counts as zero and recedes did not touch: it would have been broken
/// before. Then the strikes of this instant come one after the other: each leaves out what recedes, and what it drives back is struck next. (In a joint shock a
/// light disc between heavy ones would be held by the one that it has just left.) Without any rebound they lead to where a joint shock does.
bool strikes_in_turn(const Motion::Impl& impl, const instant::Options& options) {
  bool apart = false;
  bool rebound = false;
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    const bool recedes = !options.closed.contains(row) && recedes_from_open(impl, row);
    apart = apart || recedes;
    if (recedes || impl.instant.role[row] == Role::approached)
      rebound = rebound || impl.model.conditions[impl.model.row_condition[row]].restitution > 0;
  }
  return apart && rebound;
}

/// Two rows struck in turn at one instant, each by itself: do infinitely many strikes follow?
///
/// Between strikes a and b the rates y_a, y_b before each are known. Strike a makes -e_a y_a of y_a and adds p y_a to y_b, strike b likewise with e_b and q; both are linear, and from
/// one round to the next the rates are multiplied by a matrix with trace p q - e_a - e_b and determinant e_a e_b. If its eigenvalues 0 <= l_2 <= l_1 < 1 are real and the share of
/// l_1 in both rates is positive, both stay positive for ever: the strikes end, all at this instant, with both rows closed.
class StrikesOfTwo {
 public:
  [[nodiscard]] bool are_endless(const instant::Instant& now) {
    std::uint32_t struck = no_row;
    for (std::uint32_t row = 0; row < now.role.size(); ++row) {
      if (now.role[row] != Role::approached) continue;
      if (struck != no_row) {
        rounds_.clear();
        return false;
      }
      struck = row;
    }
    rounds_.push_back({struck, now.rate});
    if (rounds_.size() > 4) rounds_.erase(rounds_.begin());
    if (rounds_.size() < 4 || struck == no_row) return false;
    const std::uint32_t a = rounds_[0].row;
    const std::uint32_t b = rounds_[1].row;
    if (a == b || rounds_[2].row != a || rounds_[3].row != b) return false;
    const double p = (rate(1, b) - rate(0, b)) / rate(0, a);
    const double q = (rate(2, a) - rate(1, a)) / rate(1, b);
    const double e_a = -rate(1, a) / rate(0, a);
    const double e_b = -rate(2, b) / rate(1, b);
    const double trace = p * q - e_a - e_b;
    const double under_root = trace * trace - 4 * e_a * e_b;
    if (!(trace > 0) || !(under_root >= 0)) return false;
    const double larger = (trace + std::sqrt(under_root)) / 2;
    const double smaller = e_a * e_b / larger;
    return larger < 1 && rate(2, a) > smaller * rate(0, a) && rate(3, b) > smaller * rate(1, b);
  }

 private:
  struct Round {
    std::uint32_t row = no_row;
    std::vector<double> rate;  ///< of all rows, before the strike
  };
  [[nodiscard]] double rate(std::size_t round, std::uint32_t row) const { return rounds_[round].rate[row]; }
  std::vector<Round> rounds_;  ///< the last four
};

/// The options of a shock that leaves out what recedes.
instant::Options without_receding(const Motion::Impl& impl, const instant::Options& options) {
  instant::Options out = options;
  if (!out.gone.is_told()) out.gone = instant::RowSet(impl.model.rows());
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    if (recedes_from_open(impl, row)) out.gone.add(row);
  }
  return out;
}

/// Does something lose energy that is approached?
bool loses_in_turn(const Motion::Impl& impl) {
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    const bool approached = impl.instant.role[row] == Role::approached;
    if (approached && impl.model.conditions[impl.model.row_condition[row]].restitution < 1) return true;
  }
  return false;
}

/// One shock, gathered.
void regulate(Motion& motion, instant::Options& options, Gathered& gathered, bool in_turn) {
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
    // One that was let go before it began never begins.
    if (due && now.seizure_due && !impl.switches.gone.contains(row)) gathered.seized.push_back(row);
    // A shock leaves nothing approached: what seems to be so after one is rounding, dealt with but not listed.
    const bool listed = gathered.shock && (!in_turn || std::find(gathered.struck.begin(), gathered.struck.end(), row) !=
                                                           gathered.struck.end());
    if (!due && !listed && now.role[row] == Role::approached) {
      gathered.struck.push_back(row);
      gathered.speed.push_back(now.rate[row]);
    }
  }
  options.evaluated = impl.switches.sides.empty() && !instant::has_alternatives(model);
  std::optional<instant::Options> in_part;
  if (in_turn) in_part = without_receding(impl, options);
  const instant::Options& known = in_part ? *in_part : options;
  regulate_on_cones(motion, known);
  const instant::Shock& shock = impl.shock;
  if (shock.status == instant::ShockStatus::gave_up) regulate_without_one(motion, known, gathered);
  options.evaluated = false;
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

/// Conditions that were struck in turn, in periods that became shorter each time and far shorter at last, all touch at one instant: what is left of the
/// sequence cannot be told from nothing. That is its limit, and no shock of all of them at once, whose restitution knows nothing of the order.
bool ends_a_sequence(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const std::vector<std::uint32_t> in_turn = rows_of_rhythm(since_limit(impl), shrinks_to_nothing);
  // Without rebound a shock of all of them does the same.
  const bool rebound = std::any_of(in_turn.begin(), in_turn.end(), [&](std::uint32_t row) {
    return impl.model.conditions[impl.model.row_condition[row]].restitution > 0;
  });
  if (in_turn.size() < 2 || !rebound || bounce_in_step(impl.model, since_limit(impl), in_turn)) return false;
  const instant::Evaluation& found = impl.workspace.evaluation();
  const bool all = std::all_of(in_turn.begin(), in_turn.end(), [&](std::uint32_t row) {
    // What was held on the way here takes its turn as it should.
    return !found.left_out.contains(row) && impl.standing[row] == Standing::open &&
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

/// The bend of an equation from which a shock throws the motion back to the side it came from, by the gradient of the other side; null if there is
/// none. Its sides make an acute angle: of the velocities along one of them or the other none is nearer than rest.
const Turn* thrown_back(const Motion& motion, const Triggers& triggers) {
  const model::Model& model = motion.impl->model;
  for (const Turn& turn : triggers.turns) {
    const std::uint32_t row = model::place_of_switch(model, turn.number).row;
    if (row >= model.rows() || !model::is_equation(model.row_kind[row])) continue;
    const instant::SwitchRates rates = instant::switch_rates(model, turn.number, motion.state, {});
    if (!rates.by_position || std::abs(rates.first) <= vanishing_part * rates.rate_size) continue;
    if ((rates.first > 0) != turn.above) return &turn;
  }
  return nullptr;
}

/// The nearest velocity that both sides of a bend allow, `before` being that of the side the motion came from and the present one that of the other
/// side: with d the change by the one, e the change of that back onto the other and c the cosine of their gradients in the metric of the masses,
///
///   v = before + (d + e) / (1 - c^2),      c^2 = |e|^2 / |d|^2,
///
/// the limit of shocks by the one and the other in turn. False if that does not keep both.
bool stop_in_bend(Motion& motion, const Turn& turn, const instant::Options& options, const std::vector<double>& before,
                  Gathered& gathered) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const instant::Shock first = impl.shock;
  model::State back = motion.state;
  std::vector<expressions::Side> sides = impl.switches.sides;
  expressions::Side& side = sides[turn.number];
  if (side % 2 != 0 || !impl.switches.mixed.empty()) return false;
  side = turn.above ? side - 2 : side + 2;
  back.modes = model::modes_of(model, sides);
  instant::impact(model, back, options, impl.workspace, impl.shock);
  if (impl.shock.status != instant::ShockStatus::regulated) return false;
  const linear::Mass& mass = impl.workspace.evaluation().dynamics.mass;
  std::vector<double> momentum(model.variables);
  const auto square = [&](const std::vector<double>& v) {
    mass.multiply(v, momentum);
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] * momentum[i];
    return sum;
  };
  std::vector<double> d(model.variables);
  std::vector<double> e(model.variables);
  for (std::size_t i = 0; i < d.size(); ++i) {
    d[i] = first.velocities[i] - before[i];
    e[i] = impl.shock.velocities[i] - first.velocities[i];
  }
  const double rest = 1 - square(e) / square(d);
  if (!(rest > 0)) return false;
  const double energy = square(before) / 2;
  std::vector<double> after(model.variables);
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i] = before[i] + (d[i] + e[i]) / rest;
    // What cancels is zero.
    if (std::abs(after[i]) <= vanishing_part * (std::abs(before[i]) + std::abs(d[i] + e[i]) / rest)) after[i] = 0;
  }
  motion.state.velocity = std::move(after);
  const instant::SwitchRates rates = instant::switch_rates(model, turn.number, motion.state, {});
  if (std::abs(rates.first) > vanishing_part * std::max(rates.rate_size, std::sqrt(energy))) return false;
  gathered.shock = true;
  gathered.lost += energy - square(motion.state.velocity) / 2;
  motion.energy.lost += energy - square(motion.state.velocity) / 2;
  for (std::uint32_t row = 0; row < model.rows(); ++row)
    gathered.impulses[row] += (first.impulses[row] + impl.shock.impulses[row]) / rest;
  shock_uncertainty(motion, before);
  std::fill(impl.carry_velocity.begin(), impl.carry_velocity.end(), 0.0);
  return true;
}

/// Has a shock of this instant left velocities with which equations alone contradict each other?
bool contradicts_after_shock(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const auto& farkas = impl.instant.farkas;
  return impl.any_done && instant::same_instant(impl.done_schedule, motion.state.time) && !farkas.empty() &&
         std::all_of(farkas.begin(), farkas.end(),
                     [&](const auto& one) { return model::is_equation(impl.model.row_kind[one.first]); });
}

}  // namespace

bool determined(Motion& motion) {
  const instant::Instant& now = motion.impl->instant;
  switch (now.status) {
    case instant::Status::determined: motion.impl->passage.stays = now.singular && !leads_on(motion); return true;
    case instant::Status::ambiguous:
      end(motion, Status::singular, "the position is singular: several accelerations have the same least constraint");
      break;
    case instant::Status::jammed:
      // Equations alone that a shock at this instant has brought into contradiction: their gradients depend on one another here, and shocks
      // know nothing of how their second derivatives do.
      if (contradicts_after_shock(motion)) {
        std::vector<std::uint32_t> rows;
        for (const auto& [row, y] : now.farkas) rows.push_back(row);
        std::sort(rows.begin(), rows.end());
        end_singular(motion, std::move(rows),
                     "the shock leaves velocities from which the conditions, that depend on one another here, let no "
                     "motion begin: the position is singular");
        return false;
      }
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

double stiffness(const Motion::Impl& impl, std::uint32_t row) {
  const instant::Evaluation& found = impl.workspace.evaluation();
  const auto mass = found.dynamics.mass.diagonal();
  double phi = 0;
  for (std::uint32_t e = impl.model.row_start[row]; e < impl.model.row_start[row + 1]; ++e) {
    phi += found.rows.entry[e] * found.rows.entry[e] / mass[impl.model.row_column[e]];
  }
  return phi;
}

instant::Options options_in_motion(const Motion::Impl& impl, instant::RowSet closed, instant::RowSet steady) {
  instant::Options options;
  options.touch = touch_in_motion;
  options.touch_position = touch_in_motion;
  options.broken = std::max(impl.model.simulation.touch, broken_by_tolerance * impl.tolerance);
  options.closed = std::move(closed);
  options.steady = std::move(steady);
  options.resting = impl.resting;
  return options;
}

void regulate_until_determined(Motion& motion, instant::Options options, Gathered& gathered, const Triggers& triggers,
                               bool first) {
  Motion::Impl& impl = *motion.impl;
  gathered.impulses.assign(impl.model.rows(), 0.0);
  instant::RowSet steady;
  bool in_turn = false;
  StrikesOfTwo two;
  for (int round = 0, left = most_shocks; left > 0; ++round, --left) {
    if (!settle_switches(motion, triggers, first, round > 0, options)) break;
    options.gone = impl.switches.idle;
    accelerate_on_cones(motion, options);
    if (impl.instant.status == instant::Status::determined && impl.switches.unasked) {
      end(motion, Status::refused,
          "a force switches here, and beside its surface the accelerations are not determined: which side it takes is "
          "not "
          "known");
      break;
    }
    if (impl.instant.status != instant::Status::impact) break;
    if (round == 0 && !first && !options.inelastic && ends_a_sequence(motion)) break;
    if (!first && approached_softly(motion, options, triggers)) break;
    const std::vector<Role> role = impl.instant.role;
    const std::vector<double> before = motion.state.velocity;
    const auto energy = motion.energy;
    const Gathered so_far = gathered;
    if (round == 0 && !first && !options.inelastic && strikes_in_turn(impl, options)) {
      in_turn = true;
      left = most_shocks_in_turn;
    } else if (in_turn && (two.are_endless(impl.instant) || (left == 1 && loses_in_turn(impl)))) {
      // Where they lead to.
      in_turn = false;
      options.inelastic = true;
      left = most_shocks;
    }
    regulate(motion, options, gathered, in_turn);
    if (motion.status != Status::going) break;
    if (const Turn* turn = thrown_back(motion, triggers); turn != nullptr) {
      const Gathered once = std::exchange(gathered, so_far);
      gathered.struck = once.struck;
      gathered.speed = once.speed;
      motion.energy = energy;
      if (!stop_in_bend(motion, *turn, options, before, gathered)) {
        const std::uint32_t row = model::place_of_switch(impl.model, turn->number).row;
        motion.state.velocity = before;
        gathered = so_far;
        end_singular(motion, {row},
                     "the motion has come into an acute bend of " + model::row_name(impl.model, row) +
                         ", where both sides stop it and an equation has but one of them: write an inequality with "
                         "abs, min, max or table, whose sides may both hold");
        break;
      }
    }
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

double close_rows(Motion& motion, const instant::RowSet& closed) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  // Kinetic energy goes with the speeds; closing the gaps moves bodies in their potential, too. As in the account, parts of T that are linear in the
  // velocities are none of it.
  const auto whole = [&] {
    model::Scratch& scratch = impl.workspace.evaluation().scratch;
    return model::vis_viva(model, motion.state, scratch) + model::energy(model, motion.state, scratch).potential;
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
  instant::Options options = options_in_motion(impl, closed, std::move(steady));
  options.shock_done = true;
  options.inelastic = true;
  Gathered gathered;
  regulate_until_determined(motion, std::move(options), gathered, {}, false);
  return lost;
}

}  // namespace zwang::motion
