/// How a motion begins, and how it is put aside and taken up again.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <type_traits>

#include "zwang/base/archive.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/error.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/endings.hpp"
#include "zwang/motion/memory.hpp"

namespace zwang::motion {

namespace {

Motion make(const model::Model& model, const Options& options) {
  if (model.simulation.method != model::Method::events) {
    throw Error({model.file, 0, 0},
                "this is answered by motions from event to event alone, and method = \"stepping\" is for `zwang run`: "
                "leave it out of [simulation] here");
  }
  Motion motion;
  const double until = std::isnan(options.until) ? model.simulation.until : options.until;
  const double wanted = options.tolerance > 0 ? options.tolerance : model.simulation.tolerance;
  motion.impl = std::make_unique<Motion::Impl>(model, until, std::clamp(wanted, sharpest, bluntest));
  return motion;
}

/// Do all conditions that touch hold to rounding?
bool is_exact(const Motion& motion) {
  using instant::Role;
  const Motion::Impl& impl = *motion.impl;
  const instant::Evaluation& found = impl.workspace.evaluation();
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) {
    const Role role = impl.instant.role[row];
    if (role == Role::absent || role == Role::passive_in_position) continue;
    const bool steady = role != Role::approached && role != Role::passive_in_velocity;
    if (std::abs(impl.instant.value[row]) > unit_rounding * found.rows.value_scale[row]) return false;
    if (steady && std::abs(impl.instant.rate[row]) > unit_rounding * found.rows.rate_scale[row]) return false;
  }
  return true;
}

/// The constant acceleration of a variable.
double pull(const model::Model& model, std::uint32_t i) {
  return model.point_mass[i] > 0 ? std::abs(model.constant_force[i]) / model.point_mass[i] : 0.0;
}

/// How far a condition moves by itself in the course of the motion, seen at some times: beside that the tail of a smooth step in which it begins is
/// nothing.
double moves_with_time(const Motion& motion, std::uint32_t row) {
  const Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = impl.workspace.evaluation();
  model::State later = motion.state;
  model::Rows rows = work.rows;
  double most = 0;
  for (int look = 1; look <= looks_ahead; ++look) {
    later.time = motion.state.time + (impl.until - motion.state.time) * look / looks_ahead;
    model::evaluate_row(impl.model, later, row, work.scratch, rows);
    if (std::isfinite(rows.value[row])) most = std::max(most, std::abs(rows.value[row]));
  }
  return most;
}

/// Is the rate of a row less than the rounding of the velocities that the motion will have? A state that a motion has come to has such rates, and
/// its own terms are no measure of them.
bool is_slower_than_rounding(const Motion& motion, std::uint32_t row) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const double duration = impl.until - model.simulation.start;
  const model::Rows& rows = impl.workspace.evaluation().rows;
  double speed = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    const std::uint32_t i = model.row_column[e];
    speed += std::abs(rows.entry[e]) * std::max(std::abs(motion.state.velocity[i]), pull(model, i) * duration);
  }
  const double rate = std::abs(rows.rate[row]);
  return rate <= unit_rounding * speed || rate * duration <= unit_rounding * moves_with_time(motion, row);
}

/// Are the conditions that the start breaks broken by less than the rounding of the way that the motion goes? Where all terms of a
/// condition are as small as that (the far tail of a hill under a body at the origin) they are no measure.
bool breaks_nothing(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const double duration = impl.until - model.simulation.start;
  // Every variable by its own way.
  const auto way = [&](std::uint32_t i) {
    return std::max({std::abs(motion.state.position[i]), std::abs(motion.state.velocity[i]) * duration,
                     pull(model, i) * duration * duration});
  };
  const model::Rows& rows = impl.workspace.evaluation().rows;
  return std::all_of(impl.instant.violations.begin(), impl.instant.violations.end(), [&](const auto& violation) {
    double moved = 0;
    for (std::uint32_t e = model.row_start[violation.first]; e < model.row_start[violation.first + 1]; ++e) {
      moved += std::abs(rows.entry[e]) * way(model.row_column[e]);
    }
    // However long the run is: what is not small beside the bodies themselves is a mistake of the one who wrote it, unless it is
    // rounding of rounding.
    const double by = std::abs(violation.second);
    if (by <= unit_rounding * moves_with_time(motion, violation.first)) return true;
    double gradient = 0;
    for (std::uint32_t e = model.row_start[violation.first]; e < model.row_start[violation.first + 1]; ++e)
      gradient += std::abs(rows.entry[e]);
    return by <= unit_rounding * moved && (by <= rough_start * gradient * largest(motion.state.position) ||
                                           by <= unit_rounding * unit_rounding * moved);
  });
}

/// Corrections are solved for all at once: one that is but rounding of the largest is none, and what was written exactly stays so. What was
/// not, a height of 1e-34 that belongs to zero beside a rod that is off by 1e-17, keeps its correction: `breaks` says whether a row does not
/// hold with what was written.
void leave_as_written(const Motion& motion, const std::vector<HeldRow>& rows, const std::vector<double>& written,
                      std::vector<double>& now, std::vector<double>& carry,
                      const std::function<bool(std::uint32_t)>& breaks) {
  const Series& series = motion.impl->series;
  const model::Model& model = motion.impl->model;
  double moved = 0;
  for (std::size_t i = 0; i < now.size(); ++i)
    moved = std::max(moved, series.root_mass(i) * std::abs(now[i] - written[i]));
  const std::vector<double> corrected = now;
  const std::vector<double> corrected_carry = carry;
  bool left = false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (series.root_mass(i) * std::abs(now[i] - written[i] + carry[i]) > touch_in_motion * moved) continue;
    left = left || now[i] != written[i];
    now[i] = written[i];
    carry[i] = 0;
  }
  if (!left) return;
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::evaluate_rows(model, motion.state, work.scratch, work.rows);
  for (const HeldRow& one : rows) {
    if (!breaks(one.row)) continue;
    for (std::uint32_t e = model.row_start[one.row]; e < model.row_start[one.row + 1]; ++e) {
      const std::uint32_t i = model.row_column[e];
      now[i] = corrected[i];
      carry[i] = corrected_carry[i];
    }
  }
}

/// Equations that others imply are linear: the start is brought onto them before anything is asked of it. A bar that is written with
/// twelve digits is bent by 1e-12, where its rods are neither dependent nor independent.
void straighten(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  std::vector<HeldRow> implied;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (model.conditions[model.row_condition[row]].implied) implied.push_back({row, false});
  }
  if (implied.empty()) return;
  const model::State bent = motion.state;
  impl.series.choose(implied, {});
  const Series::Projection found = impl.series.project(motion.state, impl.carry_position, impl.carry_velocity);
  // Velocities that are not theirs are a shock's affair.
  if (found.position_drift > rough_start || !found.regular) motion.state = bent;
  if (found.velocity_drift > rough_start) motion.state.velocity = bent.velocity;
  std::fill(impl.carry_position.begin(), impl.carry_position.end(), 0.0);
  std::fill(impl.carry_velocity.begin(), impl.carry_velocity.end(), 0.0);
}

/// What the projection moved is no longer as it was written: it is known as computed numbers are, by the rounding of what it hangs together with.
void doubt_what_moved(model::State& state, const model::Model& model, const model::State& written) {
  model::State computed = state;
  model::doubt_as_computed(model, computed);
  const auto doubt = [&](const std::vector<double>& now, const std::vector<double>& before,
                         const std::vector<double>& by, std::vector<double>& out) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == before[i] || by[i] == 0) continue;
      out.resize(now.size(), 0.0);
      out[i] = std::max(out[i], by[i]);
    }
  };
  doubt(state.position, written.position, computed.position_uncertainty, state.position_uncertainty);
  doubt(state.velocity, written.velocity, computed.velocity_uncertainty, state.velocity_uncertainty);
  // One without the other says nothing.
  if (state.position_uncertainty.empty() && state.velocity_uncertainty.empty()) return;
  state.position_uncertainty.resize(state.position.size(), 0.0);
  state.velocity_uncertainty.resize(state.velocity.size(), 0.0);
}

/// Inequalities that a correction has entered, which the start as it was written kept: they join the rows it is brought onto.
bool widen(const Motion& motion, std::vector<HeldRow>& touching) {
  const model::Model& model = motion.impl->model;
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::evaluate_rows(model, motion.state, work.scratch, work.rows);
  const std::size_t before = touching.size();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const model::RowKind kind = model.row_kind[row];
    if (model::is_equation(kind) || !model::is_holonomic(kind) ||
        motion.impl->instant.role[row] == instant::Role::absent) {
      continue;
    }
    if (!(work.rows.value[row] > model.simulation.touch * work.rows.value_scale[row])) continue;
    const auto known = [&](const HeldRow& one) { return one.row == row; };
    if (std::none_of(touching.begin(), touching.end(), known)) touching.push_back({row, false});
  }
  return touching.size() > before;
}

/// Positions brought onto the rows that touch, and onto those that would be entered on the way.
void onto_positions(Motion& motion, const model::State& written, std::vector<HeldRow>& touching) {
  Motion::Impl& impl = *motion.impl;
  const std::vector<double> from = motion.state.position;
  do {
    motion.state.position = from;
    std::fill(impl.carry_position.begin(), impl.carry_position.end(), 0.0);
    impl.series.choose(touching, {});
    for (unsigned round = 0; round < most_rounds_onto_start; ++round) {
      const Series::Projection found = impl.series.project(motion.state, impl.carry_position, impl.carry_velocity);
      motion.state.velocity = written.velocity;
      std::fill(impl.carry_velocity.begin(), impl.carry_velocity.end(), 0.0);
      if (!found.regular || found.position_drift <= unit_rounding) break;
    }
  } while (widen(motion, touching));
}

/// The start brought onto the conditions that touch: positions first, then the velocities of those not approached.
void project_start(Motion& motion) {
  using instant::Role;
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const model::State written = motion.state;
  straighten(motion);
  instant::Options options;
  options.broken = rough_start;
  instant::accelerate(model, motion.state, options, impl.workspace, impl.instant);
  const instant::Instant& now = impl.instant;
  if (now.status == instant::Status::inadmissible && breaks_nothing(motion)) {
    options.broken = whatever_it_is;
    instant::accelerate(model, motion.state, options, impl.workspace, impl.instant);
  }
  if (now.status == instant::Status::inadmissible || !now.expansion.empty()) return;
  if (is_exact(motion)) return;
  const model::Rows& rows = impl.workspace.evaluation().rows;
  std::vector<HeldRow> touching;
  std::vector<HeldRow> resting;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const Role role = now.role[row];
    if (role == Role::absent || role == Role::passive_in_position) continue;
    const bool holonomic = model::is_holonomic(model.row_kind[row]);
    if (holonomic) touching.push_back({row, false});
    // An equation that its velocities keep to a few digits is meant to be kept; a seizure is a shock.
    const bool meant =
        model::is_equation(model.row_kind[row]) && !now.seizure_due &&
        (std::abs(rows.rate[row]) <= rough_start * rows.rate_scale[row] || is_slower_than_rounding(motion, row));
    if (meant || (role != Role::approached && role != Role::passive_in_velocity)) resting.push_back({row, false});
  }
  // What is broken comes before what holds with something to spare: a hill begins above the floor, however little.
  const auto comes_first = [&](const HeldRow& one) {
    return model::is_equation(model.row_kind[one.row]) || rows.value[one.row] > 0;
  };
  std::stable_partition(touching.begin(), touching.end(), comes_first);
  std::stable_partition(resting.begin(), resting.end(), comes_first);
  put_implied_first(model, touching);
  put_implied_first(model, resting);
  onto_positions(motion, written, touching);
  // The velocities of those at rest. Positions stay those of all that touch where an inequality that does not rest would be entered again.
  const std::vector<double> onto = motion.state.position;
  const std::vector<double> onto_carry = impl.carry_position;
  impl.series.choose(resting, {});
  static_cast<void>(impl.series.project(motion.state, impl.carry_position, impl.carry_velocity));
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_rows(model, motion.state, work.scratch, work.rows);
  const bool enters = std::any_of(touching.begin(), touching.end(), [&](const HeldRow& one) {
    return !model::is_equation(model.row_kind[one.row]) && work.rows.value[one.row] > 0 &&
           std::none_of(resting.begin(), resting.end(), [&](const HeldRow& other) { return other.row == one.row; });
  });
  if (enters) {
    motion.state.position = onto;
    impl.carry_position = onto_carry;
  }
  const double touch = model.simulation.touch;
  leave_as_written(motion, touching, written.position, motion.state.position, impl.carry_position,
                   [&](std::uint32_t row) { return std::abs(rows.value[row]) > touch * rows.value_scale[row]; });
  leave_as_written(motion, resting, written.velocity, motion.state.velocity, impl.carry_velocity,
                   [&](std::uint32_t row) { return std::abs(rows.rate[row]) > touch * rows.rate_scale[row]; });
  for (std::size_t i = 0; i < written.position.size(); ++i) {
    motion.position_correction =
        std::max(motion.position_correction, std::abs(motion.state.position[i] - written.position[i]));
    motion.velocity_correction =
        std::max(motion.velocity_correction, std::abs(motion.state.velocity[i] - written.velocity[i]));
  }
  doubt_what_moved(motion.state, model, written);
}

/// Sets of rows are kept by their marks.
struct MotionWriter : Writer {
  using Writer::put;
  void put(const instant::RowSet& set) { put(set.marks()); }
};
struct MotionReader : Reader {
  using Reader::get;
  using Reader::Reader;
  void get(instant::RowSet& set) {
    std::vector<std::uint8_t> marks;
    get(marks);
    set = instant::RowSet::of_marks(std::move(marks));
  }
};

/// One list of what is kept, for both directions.
template <class Archive, class Motion_>
void keep(Archive& archive, Motion_& motion, auto one) {
  auto& impl = *motion.impl;
  one(archive, motion.status);
  one(archive, motion.why);
  one(archive, motion.culprits);
  one(archive, motion.held);
  one(archive, motion.multipliers);
  one(archive, motion.rho);
  one(archive, motion.energy);
  one(archive, motion.position_drift);
  one(archive, motion.velocity_drift);
  one(archive, motion.defect);
  one(archive, motion.position_correction);
  one(archive, motion.velocity_correction);
  one(archive, motion.steps);
  one(archive, motion.event_count);
  one(archive, impl.raw.time);
  one(archive, impl.raw.position);
  one(archive, impl.raw.velocity);
  one(archive, impl.raw.rho);
  one(archive, impl.raw.position_uncertainty);
  one(archive, impl.raw.velocity_uncertainty);
  one(archive, impl.carry_rho);
  one(archive, impl.raw_carry_position);
  one(archive, impl.raw_carry_velocity);
  one(archive, impl.carry_time);
  one(archive, impl.standing);
  one(archive, impl.watched_rows);
  one(archive, impl.far.rows);
  one(archive, impl.far.slack);
  one(archive, impl.far.length);
  one(archive, impl.far.way);
  one(archive, impl.far.pace);
  one(archive, impl.far.pace_then);
  one(archive, impl.leading);
  one(archive, impl.size);
  one(archive, impl.multiplier_doubt);
  one(archive, impl.quiet);
  one(archive, impl.gain_position);
  one(archive, impl.gain_velocity);
  one(archive, impl.step_position);
  one(archive, impl.step_velocity);
  one(archive, impl.rounding_position);
  one(archive, impl.rounding_velocity);
  one(archive, impl.visited);
  one(archive, impl.marginal);
  one(archive, impl.gave_way);
  one(archive, impl.by_few);
  one(archive, impl.done_schedule);
  one(archive, impl.any_done);
  one(archive, impl.settled_skips);
  one(archive, impl.rests);
  one(archive, impl.extent);
  one(archive, impl.fresh_bounces);
  one(archive, impl.strikes);
  one(archive, impl.flight);
  one(archive, impl.limit_ahead);
  one(archive, impl.limit_time);
  one(archive, impl.limit_lost);
  one(archive, impl.limit_rows);
  one(archive, impl.pace_time);
  one(archive, impl.pace_events);
  one(archive, impl.best_pace);
  one(archive, impl.kink_time);
  one(archive, impl.kinks);
  one(archive, impl.raw.modes);
  one(archive, impl.passage.at_it);
  one(archive, impl.passage.idle);
  one(archive, impl.passage.ahead);
  one(archive, impl.passage.unit);
  one(archive, impl.passage.rows);
  one(archive, impl.passage.listed);
  one(archive, impl.passage.stays);
  one(archive, impl.switches.sides);
  one(archive, impl.switches.at_start);
  one(archive, impl.switches.slid);
  one(archive, impl.switches.leader);
  one(archive, impl.switches.weight);
  one(archive, impl.switches.implied);
  one(archive, impl.switches.mixed);
  one(archive, impl.switches.gone);
  one(archive, impl.switches.idle);
  one(archive, impl.switches.released);
  one(archive, impl.switches.valleys);
  one(archive, impl.switches.beside);
  one(archive, impl.switches.unfollowed);
}

/// Numbers of things of which there are `count`, each once.
bool are_numbers(std::vector<std::uint32_t> numbers, std::size_t count) {
  std::sort(numbers.begin(), numbers.end());
  return (numbers.empty() || numbers.back() < count) &&
         std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

/// A list with one entry per thing; some lists are empty until they are first needed.
template <class T>
bool has(const std::vector<T>& list, std::size_t count) {
  return list.size() == count;
}
template <class T>
bool has_or_none(const std::vector<T>& list, std::size_t count) {
  return list.empty() || list.size() == count;
}

/// Could switches have been left like this?
bool switches_fit(const model::Model& model, const Switches& switches) {
  const std::size_t s = model.switches;
  const std::size_t slid = switches.slid.size();
  return has_or_none(switches.sides, s) && (s == 0 || has(switches.sides, s)) && has(switches.at_start, s) &&
         has(switches.gone.marks(), model.rows()) && has(switches.idle.marks(), model.rows()) &&
         has(switches.released, model.releases.size()) && has_or_none(switches.unfollowed, s) &&
         (s == 0 || has(switches.unfollowed, s)) && are_numbers(switches.slid, s) && has(switches.leader, slid) &&
         has(switches.weight, slid) && has(switches.implied, slid) &&
         std::all_of(switches.leader.begin(), switches.leader.end(), [&](std::uint32_t one) { return one < s; }) &&
         are_numbers(switches.valleys, model.rows()) && are_numbers(switches.beside, model.rows()) &&
         std::all_of(switches.mixed.begin(), switches.mixed.end(), [&](const instant::MixedMode& one) {
           return one.slid < s && one.number < s && one.mode < model.modes;
         });
}

/// Could a motion of this model have been put aside like this? Sizes of lists, numbers of rows and variables, places in arrays: what is used later
/// without another look. What could not, in words; empty if all could.
std::string_view misfit(const Motion& motion, const Series::Memory& memory) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::size_t n = model.variables;
  const std::size_t m = model.rows();
  const std::size_t with_rho = model::is_variational(model) ? m : 0;
  const std::size_t held = impl.held_rows.size();
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  };
  const auto rows = [&](const std::vector<std::uint32_t>& list) { return are_numbers(list, m); };
  std::vector<std::uint32_t> carried;
  for (const HeldRow& one : impl.held_rows) carried.push_back(one.row);

  const bool present = motion.status <= Status::interrupted && rows(motion.held) && rows(motion.culprits) &&
                       has(motion.multipliers, motion.held.size()) && has_or_none(motion.rho, motion.held.size());
  const bool state = std::isfinite(impl.raw.time) && has(impl.raw.position, n) && has(impl.raw.velocity, n) &&
                     finite(impl.raw.position) && finite(impl.raw.velocity) && has(impl.raw.rho, with_rho) &&
                     has_or_none(impl.raw.position_uncertainty, n) && has_or_none(impl.raw.velocity_uncertainty, n) &&
                     has_or_none(impl.raw.modes, model.modes) && has(impl.carry_rho, with_rho) &&
                     has(impl.raw_carry_position, n) && has(impl.raw_carry_velocity, n);
  const bool of_rows =
      has(impl.standing, m) && has(impl.leading, m) && has(impl.size, m) && has(impl.multiplier_doubt, m) &&
      has(impl.quiet.marks(), m) && has(impl.strikes, m) && rows(carried) && rows(impl.watched_rows) &&
      std::all_of(impl.standing.begin(), impl.standing.end(), [](Standing p) { return p <= Standing::absent; }) &&
      std::all_of(impl.leading.begin(), impl.leading.end(),
                  [&](std::uint8_t one) { return one + 2U <= impl.series.order(); });
  const bool far = rows(impl.far.rows) && std::is_sorted(impl.far.rows.begin(), impl.far.rows.end()) &&
                   has(impl.far.slack, impl.far.rows.size()) && has(impl.far.length, impl.far.rows.size()) &&
                   has_or_none(impl.far.way, n) && has_or_none(impl.far.pace, n) &&
                   (impl.far.rows.empty() || (has(impl.far.way, n) && has(impl.far.pace, n)));
  const bool step = has_or_none(impl.gain_position, n) && has_or_none(impl.gain_velocity, n) &&
                    has_or_none(impl.step_position, n) && has_or_none(impl.step_velocity, n) &&
                    has_or_none(impl.rounding_position, n) && has_or_none(impl.rounding_velocity, n);
  const bool instants = std::all_of(impl.visited.begin(), impl.visited.end(), rows) && rows(impl.marginal) &&
                        rows(impl.gave_way) && rows(impl.limit_rows) && impl.fresh_bounces <= impl.bounces.size() &&
                        std::all_of(impl.bounces.begin(), impl.bounces.end(), [&](const Bounce& one) {
                          return rows(one.rows) && has(one.speed, one.rows.size());
                        });
  // The gradients are those of the rows chosen before until the lengths are known.
  const bool series = memory.factored <= linear::GramFactor::Manner::dense && has(memory.row_length, held) &&
                      memory.first_gradient.size() <= m &&
                      (!memory.lengths_known || has(memory.first_gradient, held)) &&
                      (!impl.passage.at_it || are_numbers(impl.passage.idle, held)) && rows(impl.passage.rows);
  if (!present) return "what holds at present";
  if (!state) return "its state";
  if (!of_rows) return "its conditions";
  if (!far) return "its far conditions";
  if (!step) return "its last step";
  if (!instants) return "its last instants";
  if (!series) return "the memory of its series";
  return switches_fit(model, impl.switches) ? "" : "its switches";
}

constexpr std::uint32_t mark = 0x7a77616e;  ///< the first four bytes of every checkpoint
constexpr std::uint32_t layout = 15;

}  // namespace

Motion begin(const model::Model& model, const Options& options) { return begin(model, options, Memory{}); }

Memory memory_of(const Motion& motion) { return {motion.impl->switches.sides, motion.impl->switches.released}; }

Motion begin(const model::Model& model, const Options& options, const Memory& memory) {
  // Pairs that are no rows would be passed through.
  if (!model.pairs.empty()) throw std::logic_error("a model whose pairs are left as they are is followed as a crowd");
  Motion motion = make(model, options);
  motion.state = model::initial_state(model);
  motion.piece.start = motion.state.time;
  motion.piece.n = model.variables;

  if (!(motion.impl->until >= motion.state.time)) {
    throw Error({model.file, 0, 0}, "the motion would end before it begins: until lies before start");
  }

  if (model.flow) {
    begin_switches(motion, memory.sides);
    begin_flow(motion);
    motion.piece.orders = 1;
    motion.piece.position = motion.state.position;
    tell_ending(motion);
    return motion;
  }

  // Onto the conditions; then the first instant.
  begin_switches(motion, memory.sides);
  project_start(motion);
  const std::uint32_t without_force = leave_meeting(motion);
  const model::Energy energy = model::energy(model, motion.state, motion.impl->workspace.evaluation().scratch);
  motion.energy.initial =
      model::vis_viva(model, motion.state, motion.impl->workspace.evaluation().scratch) + energy.potential;
  motion.energy.final = motion.energy.initial;
  Triggers triggers;
  if (!model.simulation.stop.empty() && !motion.impl->pins.keep_from_stopping(motion.impl->switches.gone))
    triggers.stop = model::observe(model.simulation.stop.front(), motion.state) <= 0;
  if (without_force == no_row) {
    settle(motion, triggers, true);
  } else {
    end(motion, Status::gave_up,
        "the force on " + model::variable_words(model, without_force) +
            " has no value at the start, as that of a spring at rest at its own anchor has no direction: try a start "
            "beside it");
  }
  motion.piece.orders = 1;
  motion.piece.position = motion.state.position;
  tell_ending(motion);
  return motion;
}

Motion take_up(const model::Model& model, const Options& options, const model::State& state,
               std::span<const std::uint32_t> held, std::span<const std::uint32_t> closing) {
  return take_up(model, options, state, held, closing, {});
}

Motion take_up(const model::Model& model, const Options& options, const model::State& state,
               std::span<const std::uint32_t> held, std::span<const std::uint32_t> closing, Past past) {
  Motion motion = make(model, options);
  motion.state = state;
  motion.piece.start = state.time;
  motion.piece.n = model.variables;
  Motion::Impl& impl = *motion.impl;
  impl.raw = state;
  impl.rounding_position = state.position_uncertainty;
  impl.rounding_velocity = state.velocity_uncertainty;
  for (const std::uint32_t row : held) impl.standing[row] = Standing::held;
  if (past.strikes.size() == impl.strikes.size()) impl.strikes = std::move(past.strikes);
  impl.bounces = std::move(past.bounces);
  impl.fresh_bounces = impl.bounces.size();
  impl.flight = past.flight;
  begin_switches(motion);
  const model::Energy energy = model::energy(model, motion.state, impl.workspace.evaluation().scratch);
  motion.energy.initial = model::vis_viva(model, motion.state, impl.workspace.evaluation().scratch) + energy.potential;
  motion.energy.final = motion.energy.initial;
  Triggers triggers;
  triggers.closing.assign(closing.begin(), closing.end());
  triggers.doubt = true;
  settle(motion, triggers, false);
  motion.piece.orders = 1;
  motion.piece.position = motion.state.position;
  if (motion.status != Status::going) tell_ending(motion);
  return motion;
}

bool has_limit_ahead(const Motion& motion) { return motion.impl->limit_ahead; }

std::string save(const Motion& motion) {
  assert(motion.impl != nullptr);
  MotionWriter writer;
  writer.put(mark);
  writer.put(layout);
  keep(writer, motion, [](MotionWriter& archive, const auto& value) { archive.put(value); });
  writer.put(static_cast<std::uint64_t>(motion.impl->held_rows.size()));
  for (const HeldRow& one : motion.impl->held_rows) {
    writer.put(one.row);
    writer.put(one.implied_if_dependent);
  }
  writer.put(static_cast<std::uint64_t>(motion.impl->bounces.size()));
  for (const Bounce& one : motion.impl->bounces) {
    writer.put(one.rows);
    writer.put(one.speed);
    writer.put(one.flight);
    writer.put(one.lost);
  }
  const Series::Memory memory = motion.impl->series.memory();
  writer.put(memory.row_length);
  writer.put(memory.first_gradient);
  writer.put(memory.first_pivot);
  const StepMemory& steps = motion.impl->flow != nullptr ? motion.impl->flow->memory() : memory.steps;
  writer.put(steps.ratio);
  writer.put(steps.share);
  writer.put(steps.since);
  writer.put(memory.factored);
  writer.put(motion.impl->flow != nullptr ? motion.impl->flow->unit() : motion.impl->series.unit());
  writer.put(memory.lengths_known);
  writer.put(check_sum_of(std::string_view(writer.bytes).substr(sizeof mark + sizeof layout)));
  return std::move(writer.bytes);
}

Motion restore(const model::Model& model, const Options& options, std::string_view saved) {
  Motion motion = make(model, options);
  Motion::Impl& impl = *motion.impl;
  MotionReader reader(saved);
  std::uint32_t word = 0;
  reader.get(word);
  if (word != mark) throw Fault({"checkpoint", 0, 0}, "this is no checkpoint of a motion");
  reader.get(word);
  if (word != layout) throw Error({"checkpoint", 0, 0}, "the checkpoint was written by another version");
  reader.check_sum();
  keep(reader, motion, [](MotionReader& archive, auto& value) { archive.get(value); });
  std::uint64_t count = 0;
  reader.get(count);
  for (std::uint64_t j = 0; j < count; ++j) {
    HeldRow one;
    reader.get(one.row);
    reader.get(one.implied_if_dependent);
    impl.held_rows.push_back(one);
  }
  reader.get(count);
  for (std::uint64_t j = 0; j < count; ++j) {
    Bounce one;
    reader.get(one.rows);
    reader.get(one.speed);
    reader.get(one.flight);
    reader.get(one.lost);
    impl.bounces.push_back(std::move(one));
  }
  Series::Memory memory;
  reader.get(memory.row_length);
  reader.get(memory.first_gradient);
  reader.get(memory.first_pivot);
  reader.get(memory.steps.ratio);
  reader.get(memory.steps.share);
  reader.get(memory.steps.since);
  reader.get(memory.factored);
  double unit = 1;
  reader.get(unit);
  reader.get(memory.lengths_known);
  if (!reader.empty()) throw Fault({"checkpoint", 0, 0}, "the checkpoint is too long");
  int exponent = 0;
  const bool power_of_two = unit > 0 && std::isfinite(unit) && std::frexp(unit, &exponent) == 0.5;
  const std::string_view what = power_of_two ? misfit(motion, memory) : "its unit of time";
  if (!what.empty()) {
    throw Fault({"checkpoint", 0, 0},
                "the checkpoint belongs to another model, or is damaged: " + std::string(what) + " cannot be");
  }

  // The same projection as before gives the same bits.
  motion.state = impl.raw;
  impl.carry_position = impl.raw_carry_position;
  impl.carry_velocity = impl.raw_carry_velocity;
  impl.in_order = ascending(impl.held_rows);
  impl.series.slide(slides_of(impl.model, impl.switches));
  impl.copies.choose(impl.switches.gone, impl.switches.idle);
  if (impl.flow != nullptr) impl.flow->slide(slides_of(impl.model, impl.switches));
  // Rows that are not evaluated at instants have a value nevertheless.
  instant::Evaluation& work = impl.workspace.evaluation();
  if (!impl.far.rows.empty()) model::evaluate_rows(model, motion.state, work.scratch, work.rows);
  leave_unevaluated(motion);
  impl.series.choose(impl.held_rows, impl.watched_rows);
  if (impl.flow != nullptr) impl.flow->remember(memory.steps);
  impl.series.remember(std::move(memory));
  (impl.flow != nullptr ? impl.flow->measure_time_in(unit) : impl.series.measure_time_in(unit));
  const double position_drift = motion.position_drift;
  const double velocity_drift = motion.velocity_drift;
  // At a singular position there is nothing to project onto: the way on begins from this very state.
  if (!impl.passage.at_it) static_cast<void>(project(motion));
  motion.position_drift = position_drift;
  motion.velocity_drift = velocity_drift;
  motion.piece.start = motion.state.time;
  motion.piece.n = model.variables;
  motion.piece.orders = 1;
  motion.piece.position = motion.state.position;
  if (motion.status == Status::finished && motion.state.time < impl.until) motion.status = Status::going;
  return motion;
}

}  // namespace zwang::motion
