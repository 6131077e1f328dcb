/// The event loop of a first-order system made unfree: all conditions are equations, nothing closes or lets go.
///
/// A piece ends where the series does, where the stop expression becomes true, or at the end; the motion ends before that
/// where the conditions and the free functions become dependent. Reference: docs/mathematics, section 16.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "zwang/base/vectors.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/time_unit.hpp"

namespace zwang::motion {

namespace {

constexpr double just_before_root = 0.999;  ///< of the way to the zero of a root: so near it is gone to at once

/// End at a singular place of the rates; a flow has no energy to account for.
void end_singular_flow(Motion& motion, std::vector<std::uint32_t> rows, std::string why) {
  end_singular(motion, std::move(rows), std::move(why));
  motion.energy = {};
}
void end_dependent(Motion& motion) {
  Flow::Dependence found = motion.impl->flow->dependence();
  end_singular_flow(motion, std::move(found.rows), std::move(found.why));
}

/// No series goes on from here.
void lead_nowhere(Motion& motion, const char* why) {
  if (motion.impl->flow->nearly_singular()) {
    end_dependent(motion);
  } else {
    end(motion, Status::gave_up, why);
  }
}

/// What the landing says of the motion.
void judge(Motion& motion, const Flow::Landing& landing) {
  Motion::Impl& impl = *motion.impl;
  if (!landing.finite) {
    lead_nowhere(motion, "a condition, a free function or a rate has no finite value here");
  } else if (landing.skipped != impl.settled_skips) {
    end_dependent(motion);
  } else if (!landing.contradicted.empty()) {
    motion.culprits = landing.contradicted;
    end(motion, Status::jammed, "no rates satisfy the conditions: they contradict each other");
  } else if (!landing.left.empty()) {
    end_singular_flow(motion, landing.left,
                      "conditions that depended on others do so no longer: the position is singular");
  }
}

/// The first place on [0, h] where the stop expression is not above zero any more, and where a step must end to see it.
double stop_on(const Motion& motion, double h, double& cut, std::vector<double>& buffer) {
  const Motion::Impl& impl = *motion.impl;
  if (impl.model.simulation.stop.empty() || impl.switches.stop_clear) return never;
  std::vector<double> registers;
  observe_lane(impl.flow->along(), impl.model.simulation.stop.front(), registers, buffer);
  for (double& c : buffer) c = -c;
  const Excursion found = first_excursion(buffer, h, 0.0);
  switch (found.kind) {
    case Excursion::Kind::crossing:
    case Excursion::Kind::graze: return found.at;
    case Excursion::Kind::pending:
      if (found.at > sensible_cut * h) cut = found.at;
      break;
    case Excursion::Kind::none: break;
  }
  return never;
}

/// Go to s on the series: the piece ends there, the state moves on.
void go_on_flow(Motion& motion, double s, double time) {
  Motion::Impl& impl = *motion.impl;
  const Flow& flow = *impl.flow;
  const std::size_t n = impl.model.variables;
  const std::span<const double> x = flow.position();

  // The piece: trailing coefficients that vanish for all are left out.
  Piece& piece = motion.piece;
  piece.start = motion.state.time;
  piece.length = s * flow.unit();
  piece.unit = flow.unit();
  piece.n = static_cast<std::uint32_t>(n);
  std::size_t used = x.size();
  while (used > 2 * n && x[used - 1] == 0) --used;
  piece.orders = static_cast<std::uint32_t>((used + n - 1) / n);
  piece.position.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(std::size_t{piece.orders} * n));
  piece.rows = motion.held;
  piece.multiplier_orders = flow.order();
  const std::span<const double> lambda = flow.multiplier();
  piece.multiplier.assign(lambda.begin(), lambda.end());

  // The state, with what rounding takes away carried to the next step.
  std::vector<double>& change = impl.gain_position;
  std::vector<double>& rate = impl.gain_velocity;
  change.assign(n, 0.0);
  rate.assign(n, 0.0);
  std::vector<double>& off = impl.rounding_position;
  off.assign(n, 0.0);
  for (unsigned k = flow.order(); k >= 1; --k) {
    const double* c = x.data() + k * n;
    const double* r = flow.rate().data() + (k - 1) * n;
    for (std::size_t i = 0; i < n; ++i) {
      change[i] = (change[i] + c[i]) * s;
      off[i] = (off[i] + std::abs(c[i])) * s;
      rate[i] = rate[i] * s + r[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double gain = change[i] + impl.carry_position[i];
    const double moved = motion.state.position[i] + gain;
    impl.carry_position[i] = gain - (moved - motion.state.position[i]);
    motion.state.position[i] = moved;
    motion.state.velocity[i] = rate[i];
    off[i] = same_time_in_roundings * unit_rounding * (off[i] + std::abs(moved));
  }
  motion.state.time = time;
  ++motion.steps;
}

/// Does the time occur in rates, conditions, switches or what stops the run?
bool time_occurs(const model::Model& model) {
  // Register 0 holds it; the second argument of a function of one is not given, and also 0.
  const auto in = [](const expressions::Tape& tape) {
    using expressions::Op;
    const auto reads = [](const expressions::Instruction& i) {
      const bool two = i.op == Op::add || i.op == Op::subtract || i.op == Op::multiply || i.op == Op::divide ||
                       i.op == Op::atan2 || i.op == Op::select;
      return i.a == 0 || (two && i.b == 0);
    };
    return std::any_of(tape.instructions.begin(), tape.instructions.end(), reads) ||
           std::find(tape.outputs.begin(), tape.outputs.end(), 0U) != tape.outputs.end();
  };
  const auto any = [&](const auto& groups) {
    return std::any_of(groups.begin(), groups.end(),
                       [&](const auto& group) { return in(group.tape) || in(group.switching); });
  };
  const auto observed = [&](const model::Observable& one) { return in(one.term.tape) || in(one.term.switching); };
  return any(model.groups) || any(model.terms) || std::any_of(model.truths.begin(), model.truths.end(), observed) ||
         std::any_of(model.simulation.stop.begin(), model.simulation.stop.end(), observed);
}

/// A root that comes to zero `root` from here: do all rates come to zero with it, as of a tank that is empty? Whatever is left of the motion is
/// far below its tolerance then, and where nothing depends on time it rests.
bool comes_to_rest(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const double duration = impl.until - impl.model.simulation.start;
  return largest(motion.state.velocity) * duration <= impl.tolerance * impl.extent && !time_occurs(impl.model);
}

bool stops_here(Motion& motion) {
  const model::Simulation& simulation = motion.impl->model.simulation;
  return (!simulation.stop.empty() && model::observe(simulation.stop.front(), motion.state) <= 0) ||
         (!simulation.stop_truth.empty() && is_true(motion, simulation.stop_truth[0]));
}

/// At the root, and at rest from there to the end.
void rest(Motion& motion, double root) {
  Motion::Impl& impl = *motion.impl;
  const std::vector<double> before = motion.state.position;
  go_on_flow(motion, root, later(impl, motion.state.time, root * impl.flow->unit()));
  for (std::size_t i = 0; i < before.size(); ++i) {
    double& x = motion.state.position[i];
    // What is left of a number that was wholly taken off is its rounding.
    if (std::abs(x) <= wholly_taken_off * std::abs(before[i])) x = impl.carry_position[i] = 0;
    motion.state.velocity[i] = 0;
  }
  if (stops_here(motion)) return end(motion, Status::stopped, "");
  impl.rests = true;
}

/// One piece of rest, up to the end.
void stay(Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  Piece& piece = motion.piece;
  piece.start = motion.state.time;
  piece.length = impl.until - motion.state.time;
  piece.unit = 1;
  piece.n = impl.model.variables;
  piece.orders = 2;
  piece.position = motion.state.position;
  piece.position.resize(std::size_t{2} * piece.n, 0.0);
  piece.rows = motion.held;
  piece.multiplier_orders = 1;
  piece.multiplier = motion.multipliers;
  motion.state.time = impl.until;
  ++motion.steps;
  end(motion, Status::finished, "");
  verify_end(motion);
}

/// The multipliers of all conditions at the state landed on.
void take_multipliers_of_flow(Motion& motion) {
  const std::span<const double> lambda = motion.impl->flow->multiplier();
  motion.multipliers.assign(lambda.begin(), lambda.begin() + static_cast<std::ptrdiff_t>(motion.held.size()));
}

Flow::Landing land(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  impl.raw = motion.state;
  impl.raw_carry_position = impl.carry_position;
  impl.raw_carry_velocity = impl.carry_velocity;
  impl.extent = std::max(impl.extent, largest(motion.state.position));
  Flow::Landing landing = impl.flow->land(motion.state, impl.carry_position, impl.extent);
  motion.position_drift = std::max(motion.position_drift, landing.position_drift);
  motion.velocity_drift = std::max(motion.velocity_drift, landing.rate_drift);
  take_multipliers_of_flow(motion);
  return landing;
}

/// At the root, with what is zero there as zero: where others move, the motion goes on from there. False if the root is not exactly that of zero.
bool arrive(Motion& motion, double root) {
  Motion::Impl& impl = *motion.impl;
  const std::vector<double> before = motion.state.position;
  go_on_flow(motion, root, later(impl, motion.state.time, root * impl.flow->unit()));
  for (std::size_t i = 0; i < before.size(); ++i) {
    double& x = motion.state.position[i];
    // Beside the root its series has few digits; what is as good as gone, and was rounding of the motion before, is gone.
    const bool rounding = std::abs(before[i]) <= same_time_in_roundings * unit_rounding * impl.extent &&
                          std::abs(x) <= left_at_a_root * std::abs(before[i]);
    if (rounding || std::abs(x) <= wholly_taken_off * std::abs(before[i])) x = impl.carry_position[i] = 0;
  }
  const Flow::Landing landing = impl.flow->land(motion.state, impl.carry_position, impl.extent);
  if (!landing.finite || !impl.flow->begins_at_roots()) return false;
  take_multipliers_of_flow(motion);
  // What is nested about the root, as in sqrt(max(u, 0)), is asked anew.
  if (impl.model.switches > 0 && impl.switches.slid.empty() && !settle_flow_switches(motion, {}, true)) return true;
  judge(motion, land(motion));
  if (motion.status == Status::going && stops_here(motion)) end(motion, Status::stopped, "");
  return true;
}

/// Does a root in the rates come to zero within the shortest of steps? Then to rest there, or on from there.
bool comes_to_a_root(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const double near =
      std::min(steps_to_a_root * shortest_step(impl, motion.state.time), impl.until - motion.state.time) /
      impl.flow->unit();
  const double root = impl.flow->root(near);
  if (!(root < near)) return false;
  if (comes_to_rest(motion)) {
    rest(motion, root);
    return true;
  }
  return arrive(motion, root);
}

/// The series from a place where roots in the rates begin at zero, with them as zero: for as long as they stay there, or for a step so short that
/// what they do in it is rounding. False if the motion ends here.
bool begin_at_roots(Motion& motion, double& h, bool& shown) {
  Motion::Impl& impl = *motion.impl;
  if (!impl.flow->begins_at_roots()) return true;
  const double gap = impl.until - motion.state.time;
  const auto again = [&] {
    static_cast<void>(land(motion));
    return extend(*impl.flow, motion.state, part_for(impl.tolerance), gap, 0, h);
  };
  if (!again()) return true;
  const Flow::FromRoots found = impl.flow->from_roots(motion.state);
  if (found == Flow::FromRoots::several) {
    end_singular_flow(
        motion, {},
        "a root in the rates begins at zero here and drives its own argument away from it, so that several "
        "motions lead on, as of x' = sqrt(x): let it begin beside zero, as in sqrt(u + 1e-12)");
    return false;
  }
  if (found == Flow::FromRoots::below || !again()) {
    lead_nowhere(motion, "the argument of a root in a rate becomes negative here, where the root has no value");
    return false;
  }
  if (found == Flow::FromRoots::stay) return true;
  const double s = std::min(steps_from_a_root * shortest_step(impl, motion.state.time), gap) / impl.flow->unit();
  // Of where it has been, or comes to by the end at the present rates.
  double extent = impl.extent;
  const std::size_t n = impl.model.variables;
  const double end = gap / impl.flow->unit();
  for (std::size_t i = 0; i < n; ++i) {
    extent = std::max(
        {extent, std::abs(impl.flow->position()[n + i]) * end, std::abs(impl.flow->position()[2 * n + i]) * end * end});
  }
  if (!(impl.flow->left_out(s) <= unit_rounding * extent)) return true;
  motion.defect = std::max(motion.defect, impl.flow->defect());
  h = s;
  shown = true;
  return true;
}

/// Do switches turn again and again without time passing? Then neither side leads on, and the motion ends.
bool turns_in_place(Motion& motion, const Triggers& triggers) {
  Motion::Impl& impl = *motion.impl;
  const bool same = impl.kinks > 0 && std::abs(motion.state.time - impl.kink_time) <= resolution(motion.state.time);
  impl.kinks = same ? impl.kinks + 1 : 1;
  impl.kink_time = motion.state.time;
  if (impl.kinks <= most_turns_of_flow) return false;
  const model::SwitchPlace place = model::place_of_switch(impl.model, triggers.turns[0].number);
  end(motion, Status::refused,
      "at the switching surface of `" + place.group->corners[place.corner].text +
          "` neither side leads on, and the rates there are zero on both: give the switch a smooth transition, such as "
          "tanh(u/0.01)");
  return true;
}

}  // namespace

bool project_flow(Motion& motion) {
  // A second landing at the same place adds nothing to the account.
  const double position_drift = motion.position_drift;
  const double velocity_drift = motion.velocity_drift;
  const bool finite = land(motion).finite;
  motion.position_drift = position_drift;
  motion.velocity_drift = velocity_drift;
  return finite;
}

void begin_flow(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    motion.held.push_back(row);
    impl.standing[row] = Standing::held;
  }

  impl.raw = motion.state;
  impl.raw_carry_position = impl.carry_position;
  impl.raw_carry_velocity = impl.carry_velocity;

  // The start must hold but for the digits it was written with; then it is brought onto the conditions.
  instant::Options options;
  options.broken = rough_start;
  const instant::Instant start = instant::classify(model, motion.state, options);
  if (!start.violations.empty()) {
    for (const auto& [row, amount] : start.violations) motion.culprits.push_back(row);
    end(motion, Status::inadmissible, "a condition is broken in position");
    motion.multipliers.assign(motion.held.size(), 0.0);
    return;
  }
  const model::State written = motion.state;
  const Flow::Landing landing = land(motion);
  for (std::size_t i = 0; i < written.position.size(); ++i) {
    motion.position_correction =
        std::max(motion.position_correction, std::abs(motion.state.position[i] - written.position[i]));
  }
  motion.position_drift = motion.velocity_drift = 0;
  impl.settled_skips = landing.skipped;
  judge(motion, landing);
  if (motion.status != Status::going) return;
  if (model.switches > 0) {
    if (!settle_flow_switches(motion, {}, true)) return;
    judge(motion, land(motion));
    if (motion.status != Status::going) return;
  }
  look_at_truths(motion, {});
  if (!model.simulation.stop.empty() && model::observe(model.simulation.stop.front(), motion.state) <= 0) {
    end(motion, Status::stopped, "");
  } else if (!model.simulation.stop_truth.empty() && is_true(motion, model.simulation.stop_truth[0])) {
    end(motion, Status::stopped, "");
  } else if (motion.state.time >= impl.until) {
    end(motion, Status::finished, "");
  }
  impl.switches.holds.clear();
  verify_end(motion);
}

bool advance_flow(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  assert(motion.status == Status::going);
  if (impl.rests) {
    stay(motion);
    return true;
  }

  // The series from here, and how far it is good.
  double h = 0;
  bool shown = false;
  if (!begin_at_roots(motion, h, shown)) return true;
  if (!shown && !extend(*impl.flow, motion.state, part_for(impl.tolerance), impl.until - motion.state.time, 0, h)) {
    const bool finite = std::all_of(motion.state.velocity.begin(), motion.state.velocity.end(),
                                    [](double rate) { return std::isfinite(rate); });
    lead_nowhere(
        motion, finite
                    ? "the rates have no derivatives here, as a root has none where its argument is zero: let it begin "
                      "beside zero, as in sqrt(u + 1e-12)"
                    : "the rates are not finite");
    return true;
  }
  // From here on all lengths are in the unit of time of the series.
  const double unit = impl.flow->unit();
  const double gap = (impl.until - motion.state.time) / unit;
  const double shortest = shortest_step(impl, motion.state.time) / unit;
  if (!(h > shortest) && gap > shortest) {
    if (comes_to_a_root(motion)) return true;
    lead_nowhere(
        motion,
        "the steps have become too small to go on: the rates grow beyond all bounds, or have no derivatives, as a root "
        "has none where its argument comes to zero (u/sqrt(u + 1e-12) comes near to sqrt(u), and to rest there)");
    return true;
  }
  if (!shown) {
    const Flow::Proof proof = impl.flow->prove(h, gap, defect_for(impl.tolerance));
    h = proof.length;
    motion.defect = std::max(motion.defect, h > shortest || gap <= shortest ? proof.defect : 0.0);
  }
  if (!(h > shortest) && gap > shortest) {
    if (comes_to_a_root(motion)) return true;
    lead_nowhere(motion, "no step can be bounded any more: the rates grow beyond all bounds, or have no derivatives");
    return true;
  }
  // A root that comes to zero does not go on as its own series does.
  if (const double root = impl.flow->root(h); root < h) {
    h = root * just_before_root;
    if (!(h > just_before_root * shortest) && gap > shortest) {
      if (comes_to_a_root(motion)) return true;
      lead_nowhere(motion,
                   "the argument of a root in a rate comes to zero here, where the root has no derivative: end the run "
                   "before, as with stop = \"u <= 1e-12\", or write u/sqrt(u + 1e-12) for sqrt(u), which comes to rest "
                   "beside it");
      return true;
    }
  }
  h = reach_of_switches(motion, h);
  if (!(h > shortest) && gap > shortest) {
    lead_nowhere(motion,
                 "no step can be bounded any more: look at the expressions that switch or stop, whose roots or "
                 "denominators may come to zero here");
    return true;
  }

  // To the end of the step, to where it stops, or to the very end.
  double cut = never;
  const double stop = stop_on(motion, h, cut, impl.buffer);
  const FoundTurns turned = find_turns(motion, h);
  double s = std::min({h, stop, cut, turned.at, turned.cut});
  const double together = s + std::max(same_time_in_roundings * unit_rounding, impl.tolerance) * h;
  const bool last = gap <= together;
  if (last) s = gap;
  go_on_flow(motion, s, last ? impl.until : later(impl, motion.state.time, s * unit));
  if (last) impl.carry_time = 0;
  std::fill(impl.switches.at_start.begin(), impl.switches.at_start.end(), std::uint8_t{0});
  judge(motion, land(motion));
  if (motion.status != Status::going) return true;
  Triggers triggers;
  for (const Turn& turn : turned.turns) {
    if (turn.at <= together) triggers.turns.push_back(turn);
  }
  if (!triggers.turns.empty() && turns_in_place(motion, triggers)) return true;
  if (!triggers.turns.empty()) {
    const Switches before = impl.switches;
    motion.state.position_uncertainty = impl.rounding_position;
    motion.state.velocity_uncertainty.assign(motion.state.velocity.size(), 0.0);
    const bool goes_on = settle_flow_switches(motion, triggers, false);
    motion.state.position_uncertainty.clear();
    motion.state.velocity_uncertainty.clear();
    if (goes_on) judge(motion, land(motion));
    list_switches(motion, before, triggers, false);
    for (Event& event : motion.events) {
      event.position = motion.state.position;
      event.velocity = motion.state.velocity;
      ++motion.event_count;
    }
    if (motion.status != Status::going) return true;
    look_at_truths(motion, triggers);
    const bool stops =
        !impl.model.simulation.stop_truth.empty() && is_true(motion, impl.model.simulation.stop_truth[0]);
    impl.switches.holds.clear();
    if (stops) {
      end(motion, Status::stopped, "");
      return true;
    }
  }
  if (motion.position_drift > lost_drift) {
    end(motion, Status::gave_up, "the series has lost the conditions it should keep");
  } else if (stop <= together) {
    end(motion, Status::stopped, "");
  } else if (last) {
    end(motion, Status::finished, "");
  }
  verify_end(motion);
  return true;
}

}  // namespace zwang::motion
