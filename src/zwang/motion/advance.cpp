/// The event loop: series, first happening, instant; series, first happening, instant.
#include "zwang/motion/advance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/endings.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/happening.hpp"
#include "zwang/motion/sweeps.hpp"
#include "zwang/motion/time_unit.hpp"

namespace zwang::motion {

namespace {

constexpr double runaway_steps = 1e7;       ///< of the shortest: what doubles within them runs away
constexpr std::uint64_t pace_steps = 4096;  ///< after so many steps without an event the pace is looked at
constexpr double crawl = 1e-3;              ///< of the best pace so far: slower than that is crawling
constexpr double most_steps = 1e8;          ///< that the rest of the way may take at this pace
constexpr double lost_length = 1e-9;        ///< of the largest coordinate: what is lost by less is only small
constexpr const char* dependent_as_something_happens =
    "the conditions held become dependent at the very instant at which something else happens: the position is "
    "singular";

/// The order of the series: Jorba and Zou's -ln(tolerance) / 2, and some more, since every step also costs a
/// factorisation and a look for events; the more, the fewer variables there are (docs/mathematics, section 10.4).
unsigned order_for(double tolerance, std::uint32_t variables) {
  const double more = std::clamp(13 - elementary::log2(std::max(1.0, variables / 128.0)), 6.0, 13.0);
  return static_cast<unsigned>(std::clamp(std::lround(-elementary::log(tolerance) / 2 + more), 12L, 30L));
}

/// The next time at which something is due, and never later than the end.
double next_due(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  double due = impl.until;
  const auto consider = [&](double at) {
    if (at <= motion.state.time || (impl.any_done && std::abs(at - impl.done_schedule) <= resolution(at))) return;
    due = std::min(due, at);
  };
  for (const model::Blow& blow : impl.model.blows) consider(blow.at);
  for (const model::Condition& condition : impl.model.conditions) {
    if (condition.seizure) consider(condition.at);
  }
  due = std::min(due, next_release(motion, motion.state.time));
  if (impl.limit_ahead) due = std::min(due, std::max(impl.limit_time, motion.state.time));
  return due;
}

/// x + change, with what rounding takes away carried to the next step.
void add(double& x, double& carry, double change) {
  change += carry;
  const double moved = x + change;
  carry = change - (moved - x);
  x = moved;
}

/// rho of the variational rows held, s later: its rate is their multiplier.
void advance_rho(Motion& motion, double s) {
  Motion::Impl& impl = *motion.impl;
  if (impl.carry_rho.empty()) return;
  const std::size_t m = impl.series.held();
  const std::span<const double> lambda = impl.series.multiplier();
  for (std::size_t j = 0; j < m; ++j) {
    const std::uint32_t row = impl.held_rows[j].row;
    if (!model::is_variational(impl.model, row)) continue;
    double gain = 0;
    for (unsigned k = impl.series.order() - 1; k-- > 0;) gain = (gain + lambda[k * m + j] / (k + 1.0)) * s;
    add(motion.state.rho[row], impl.carry_rho[row], gain * impl.series.unit());
  }
  take_rho(motion);
}

/// What the rows of a piece carry, the copies of those that stand for them along with them.
void share_with_copies(const Copies& copies, Piece& piece) {
  if (!copies.any()) return;
  const std::size_t kept = piece.rows.size();
  std::vector<std::size_t> place(kept);
  for (std::size_t j = 0; j < kept; ++j) {
    const auto found = std::lower_bound(piece.rows.begin(), piece.rows.end(), copies.original(piece.rows[j]));
    place[j] = static_cast<std::size_t>(found - piece.rows.begin());
  }
  std::vector<double> whole(kept);
  for (std::size_t k = 0; k < piece.multiplier_orders; ++k) {
    double* c = piece.multiplier.data() + k * kept;
    whole.assign(c, c + kept);
    for (std::size_t j = 0; j < kept; ++j) c[j] = whole[place[j]] * copies.share(piece.rows[j]);
  }
}

/// Go to s on the series, in its unit of time: the piece ends there, the state moves on.
void go(Motion& motion, double s, double time) {
  Motion::Impl& impl = *motion.impl;
  const Series& series = impl.series;
  const std::size_t n = impl.model.variables;
  const unsigned order = series.order();
  const std::span<const double> q = series.position();

  // The piece: trailing coefficients that vanish for all are left out.
  Piece& piece = motion.piece;
  piece.start = motion.state.time;
  const double u = series.unit();
  const double duration = s * u;
  piece.length = duration;
  piece.unit = u;
  piece.n = static_cast<std::uint32_t>(n);
  std::size_t used = q.size();
  while (used > 2 * n && q[used - 1] == 0) --used;
  piece.orders = static_cast<std::uint32_t>((used + n - 1) / n);
  piece.position.assign(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(std::size_t{piece.orders} * n));
  piece.rows = motion.held;
  piece.multiplier_orders = order - 1;
  const std::size_t m = series.held();
  const std::size_t kept = piece.rows.size();
  const std::span<const double> lambda = series.multiplier();
  piece.multiplier.assign(kept * piece.multiplier_orders, 0.0);
  if (impl.in_order && m == kept) {
    std::copy(lambda.begin(), lambda.end(), piece.multiplier.begin());
  } else {
    for (std::size_t j = 0; j < m; ++j) {
      const auto found = std::lower_bound(piece.rows.begin(), piece.rows.end(), impl.held_rows[j].row);
      const auto place = static_cast<std::size_t>(found - piece.rows.begin());
      for (unsigned k = 0; k < piece.multiplier_orders; ++k) piece.multiplier[k * kept + place] = lambda[k * m + j];
    }
  }

  piece.rho = motion.rho;

  // Beside a pole all multipliers stand multiplied by their distance from it.
  piece.pole = series.pole();
  if (piece.has_pole()) {
    piece.multiplier.resize(kept * (piece.multiplier_orders + 1), 0.0);
    for (std::size_t j = 0; j < m; ++j) {
      if (series.has_pole(j)) continue;
      const auto found = std::lower_bound(piece.rows.begin(), piece.rows.end(), impl.held_rows[j].row);
      double* c = piece.multiplier.data() + (found - piece.rows.begin());
      for (std::size_t k = piece.multiplier_orders + 1; k-- > 0;) {
        const double lower = k > 0 ? c[(k - 1) * kept] : 0.0;
        c[k * kept] = piece.pole > 0 ? piece.pole * c[k * kept] - lower : lower;
      }
    }
    ++piece.multiplier_orders;
  }
  share_with_copies(impl.copies, piece);

  // The state, with what rounding takes away carried to the next step.
  // Where numbers run away before a singular position, the account stops with them.
  double work_terms = 0;
  double work = series.work(s, &work_terms);
  model::Scratch& scratch = impl.workspace.evaluation().scratch;
  work -= model::energy_with_time(impl.model, motion.state, scratch);
  std::vector<double>& dq = impl.gain_position;
  std::vector<double>& dv = impl.gain_velocity;
  dq.resize(n);
  dv.resize(n);
  gains(q.data(), series.velocity().data(), n, order, s, dq.data(), dv.data());
  const std::span<const double> rest = series.rest();
  for (std::size_t i = 0; i < n; ++i) {
    impl.carry_position[i] += 0.5 * rest[i] * duration * duration;
    impl.carry_velocity[i] += rest[i] * duration;
    add(motion.state.position[i], impl.carry_position[i], dq[i]);
    add(motion.state.velocity[i], impl.carry_velocity[i], dv[i]);
  }
  measure_step(motion, duration);
  motion.state.time = time;
  work += model::energy_with_time(impl.model, motion.state, scratch);
  if (std::isfinite(work)) {
    motion.energy.work += work;
    motion.energy.gross_work += work_terms;
  }
  evaluate_multipliers(piece, piece.end(), motion.multipliers);
  advance_rho(motion, s);
  impl.flight += duration;
  std::fill(impl.leading.begin(), impl.leading.end(), std::uint8_t{0});
  std::fill(impl.switches.at_start.begin(), impl.switches.at_start.end(), std::uint8_t{0});
  ++motion.steps;
}

/// A variable that would make all of its way again within the shortest time there is: it runs away to infinity. `no_row` if there is none.
std::uint32_t runaway(const Motion& motion) {
  const model::Model& model = motion.impl->model;
  const double soon = runaway_steps * shortest_step(*motion.impl, motion.state.time);
  // What the forces and speeds of the start make of it: a speed far below that is no flight, but one that has just begun.
  model::State start = motion.state;
  start.time = model.simulation.start;
  start.position = model.initial_position;
  start.velocity = model.initial_velocity;
  if (model.switches > 0) start.modes = model::modes_of(model, model::sides_of(model, start));
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::evaluate_dynamics(model, start, work.scratch, work.dynamics);
  const auto mass = work.dynamics.mass.diagonal();
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    const double way = std::abs(motion.state.position[i] - model.initial_position[i]);
    const double speed = std::abs(motion.state.velocity[i]);
    if (!std::isfinite(way) || !std::isfinite(speed)) return i;
    const bool long_ago = motion.state.time - model.simulation.start > 1e3 * soon;
    const double forced = work.dynamics.force_scale[i] / mass[i] * (motion.impl->until - start.time);
    const double usual = std::abs(start.velocity[i]) + (std::isfinite(forced) ? forced : 0.0);
    if (speed > speed_of_runaway * usual && way < soon * speed && long_ago) return i;
  }
  return no_row;
}

/// A contact held whose gradient turns round within a way that is nothing, as where a cylinder comes to stand on its face: straight on by that part of the sizes it points elsewhere.
std::uint32_t turns_at_once(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  double size = 0;
  double speed = 0;
  for (std::size_t i = 0; i < motion.state.position.size(); ++i) {
    size = std::max(size, std::abs(motion.state.position[i]));
    speed = std::max(speed, std::abs(motion.state.velocity[i]));
  }
  if (!(speed > 0)) return no_row;
  model::State beyond = motion.state;
  const double ahead = way_that_is_nothing * size / speed;
  for (std::size_t i = 0; i < beyond.position.size(); ++i) beyond.position[i] += ahead * beyond.velocity[i];
  model::Scratch scratch = model::make_scratch(model);
  model::Rows here = model::make_rows(model);
  model::Rows there = model::make_rows(model);
  for (const std::uint32_t row : motion.held) {
    const std::uint32_t condition = model.row_condition[row];
    if (std::none_of(model.generated.begin(), model.generated.end(),
                     [&](const model::Generated& one) { return one.condition == condition; }))
      continue;
    model::evaluate_row_values(model, motion.state, row, scratch, here);
    model::evaluate_row_values(model, beyond, row, scratch, there);
    double change = 0;
    double length = 0;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      change += std::abs(there.entry[e] - here.entry[e]);
      length += std::abs(here.entry[e]);
    }
    if (!(change <= turned_elsewhere * length)) return row;
  }
  return no_row;
}

/// No series goes on from here: the position is singular, or the numbers have run away.
void lead_nowhere(Motion& motion, const std::string& why) {
  Motion::Impl& impl = *motion.impl;
  if (!has_forces(motion) && runaway(motion) == no_row) return end(motion, Status::gave_up, why);
  const bool near = impl.series.nearly_singular();
  const std::vector<std::uint32_t> rows = near ? dependent_rows(motion, nearly) : motion.held;
  Triggers triggers;
  triggers.doubt = true;
  const std::size_t in_apexes = impl.switches.valleys.size();
  settle(motion, triggers, false);
  if (motion.status != Status::going && motion.status != Status::gave_up) return;
  if (motion.status == Status::going && impl.switches.valleys.size() > in_apexes) return;
  if (near) {
    motion.status = Status::going;
    end_singular(motion, rows,
                 "the conditions held have become dependent, or a gradient vanishes: the position is singular");
  } else if (const std::uint32_t row = motion.status == Status::going ? turns_at_once(motion) : no_row; row != no_row) {
    end_singular(
        motion, {row},
        "the gradient of the condition " + model::row_name(impl.model, row) +
            " turns round at once here: the bodies come to touch in more than one point, as a cylinder does that "
            "comes to stand on its face, along a whole circle, which is not followed: give it marks on its rims "
            "and their cloud as its shape");
  } else if (motion.status == Status::going) {
    const std::uint32_t gone = runaway(motion);
    if (gone == no_row) return end(motion, Status::gave_up, why);
    end(motion, Status::gave_up,
        model::variable_words(impl.model, gone) +
            " escapes to infinity in finite time: this is the last state that numbers can hold; end the run before");
  }
}

/// The largest coordinate there is or was at the start, in the metric of the masses; what is broken by less than a billionth of it is
/// not lost, only small.
double whole_size(const Motion& motion) {
  double most = 0;
  for (std::size_t i = 0; i < motion.state.position.size(); ++i) {
    const double size = std::max(std::abs(motion.state.position[i]), std::abs(motion.impl->model.initial_position[i]));
    most = std::max(most, size * motion.impl->series.root_mass(i));
  }
  return most;
}

/// The longest way that a coordinate goes within a rounding of the clock, in the same metric: a wall that moves is known no better.
double way_of_clock(const Motion& motion) {
  double most = 0;
  for (std::size_t i = 0; i < motion.state.velocity.size(); ++i)
    most = std::max(most, std::abs(motion.state.velocity[i]) * motion.impl->series.root_mass(i));
  return most * resolution(motion.state.time);
}

/// Has a condition that counts as open been entered, by more than a motion of this tolerance may? Then the motion is not to be trusted.
bool entered(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  for (std::size_t w = 0; w < impl.watched_rows.size(); ++w) {
    const std::uint32_t row = impl.watched_rows[w];
    // What has just been left is at zero, whatever rounding says.
    if (model::is_equation(impl.model.row_kind[row])) continue;
    const double f = impl.series.watched(w)[0];
    const double part = impl.leading[row] > 0 ? lost_length : broken_by_tolerance * impl.tolerance;
    if (!(f > part * impl.size[row])) continue;
    // What is near the origin has its size from the body it belongs to, and from the step that led there; and what rounding may have put
    // off since it came there is not entered.
    double around = 0;
    // Nor is what comes and goes within a rounding of the clock.
    double rounding =
        std::abs(impl.series.watched(w)[1]) * unit_rounding * std::abs(motion.state.time) / impl.series.unit();
    const std::vector<double> loops = doubt_of_loops(motion);
    evaluate_row(motion, row);
    const model::Rows& rows = impl.workspace.evaluation().rows;
    for (std::uint32_t e = impl.model.row_start[row]; e < impl.model.row_start[row + 1]; ++e) {
      const bool holonomic = model::is_holonomic(impl.model.row_kind[row]);
      const std::uint32_t i = impl.model.row_column[e];
      const std::vector<double>& step = holonomic ? impl.step_position : impl.step_velocity;
      const double size = impl.series.body_size(i, holonomic ? motion.state.position : motion.state.velocity);
      around += std::abs(rows.entry[e]) * std::max(size, i < step.size() ? step[i] : 0.0);
      const std::vector<double>& off = holonomic ? impl.rounding_position : impl.rounding_velocity;
      const double of_loops = holonomic && i < loops.size() ? loops[i] : 0.0;
      rounding += std::abs(rows.entry[e]) * (of_loops + (i < off.size() ? off[i] : 0.0));
    }
    if (!(f > part * (impl.size[row] + around) + instant::bounds_that_are_nothing * rounding)) continue;
    motion.culprits = {row};
    end(motion, Status::gave_up,
        "the condition " + model::row_name(impl.model, row) + " has been entered unseen, by " + readable(f, 3) +
            ": several contacts come to rest at once here; try a smaller tolerance");
    return true;
  }
  return false;
}

/// Is the way that is left too long for steps as short as these? Asked every few thousand steps; a sentence if it is.
std::string crawls(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (motion.steps == 0 || motion.steps % pace_steps != 0) return "";
  const double gone = motion.state.time - impl.pace_time;
  impl.pace_time = motion.state.time;
  impl.best_pace = std::max(impl.best_pace, gone);
  const bool events = impl.pace_events != motion.event_count;
  impl.pace_events = motion.event_count;
  // Events may follow each other as fast as they like, but not without time passing.
  const double duration = impl.until - impl.model.simulation.start;
  if (events && gone < shortest_of_duration * static_cast<double>(pace_steps) * duration) {
    return "events follow each other without time passing, " + std::to_string(pace_steps) + " of them within " +
           readable(gone, 3) +
           ": the motion trembles about a place where it could rest; start it there exactly, or give what switches a "
           "smooth transition, such as tanh(u/0.01)";
  }
  // Whatever it is: without time passing it has no end.
  if (!(gone > 0)) {
    return std::to_string(pace_steps) +
           " steps without time passing: what holds the motion cannot be told at this instant";
  }
  // A long way is no crawl: steps must have become far shorter than they were.
  const bool crawling = !events && motion.steps != pace_steps && gone < crawl * impl.best_pace &&
                        gone * (most_steps / pace_steps) < impl.until - motion.state.time;
  if (!crawling) return "";
  return "steps have become so short that the rest of the way would take more than 1e8 of them: the model is stiff "
         "here, "
         "or a force switches where its series cannot (write it with sign, abs or if); look at " +
         impl.series.obstacle();
}

}  // namespace

void evaluate_row(const Motion& motion, std::uint32_t row) {
  Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_row(impl.model, motion.state, row, work.scratch, work.rows);
}

const linear::Mass& mass_at(const Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_mass(impl.model, motion.state, work.scratch, work.dynamics);
  return work.dynamics.mass;
}

instant::RowSet closed_rows(const Motion::Impl& impl) {
  instant::RowSet closed(impl.model.rows());
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row)
    closed.put(row, is_closed(impl.standing[impl.copies.original(row)]));
  return closed;
}

bool ascending(const std::vector<HeldRow>& rows) {
  return std::is_sorted(rows.begin(), rows.end(), [](const HeldRow& a, const HeldRow& b) { return a.row < b.row; });
}

double shortest_step(const Motion::Impl& impl, double time) {
  return std::max(0.1 * resolution(time), shortest_of_duration * (impl.until - impl.model.simulation.start));
}

double resolution(double time) { return same_time_in_roundings * unit_rounding * std::abs(time); }

// Without the carry a million swings would run late.
double later(Motion::Impl& impl, double time, double s) {
  const double change = s + impl.carry_time;
  const double sum = time + change;
  impl.carry_time = change - (sum - time);
  return sum;
}

// A tenth of the tolerance. Below 1e-12 it falls faster, so that at 1e-15 what is cut off stays far below rounding: always
// of the same sign, it would add up over millions of steps.
double part_for(double tolerance) { return 0.1 * tolerance * std::min(1.0, tolerance / sharp_tolerance); }
double defect_for(double tolerance) { return 10 * part_for(tolerance); }

void end(Motion& motion, Status status, std::string why) {
  motion.status = status;
  motion.why = std::move(why);
}

bool project(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (impl.flow != nullptr) return project_flow(motion);
  impl.raw = motion.state;
  impl.raw_carry_position = impl.carry_position;
  impl.raw_carry_velocity = impl.carry_velocity;
  const Series::Projection found = impl.series.project(motion.state, impl.carry_position, impl.carry_velocity,
                                                       impl.step_position, impl.step_velocity);
  impl.parted = found.parted;
  motion.position_drift = std::max(motion.position_drift, found.position_drift);
  motion.velocity_drift = std::max(motion.velocity_drift, found.velocity_drift);
  impl.off = std::max(found.position_drift, found.skipped_drift) > lost_drift ? found.off : 0;
  return found.regular;
}

Motion::Motion() = default;
Motion::~Motion() = default;
Motion::Motion(Motion&&) noexcept = default;
Motion& Motion::operator=(Motion&&) noexcept = default;

Motion::Impl::Impl(const model::Model& of, double end_time, double relative)
    : model(of),
      until(end_time),
      tolerance(relative),
      series(of, order_for(relative, of.variables), relative < sharp_tolerance),
      workspace(of),
      copies(of),
      pins(of) {
  series.be_content_with(relative);
  carry_position.assign(of.variables, 0.0);
  carry_velocity.assign(of.variables, 0.0);
  if (of.flow) flow = std::make_unique<Flow>(of, series.order());
  if (model::is_variational(of)) carry_rho.assign(of.rows(), 0.0);
  standing.assign(of.rows(), Standing::open);
  leading.assign(of.rows(), 0);
  size.assign(of.rows(), 0.0);
  multiplier_doubt.assign(of.rows(), 0.0);
  quiet = instant::RowSet(of.rows());
  strikes.assign(of.rows(), {});
}

bool advance(Motion& motion) {
  if (!advance_piece(motion)) return false;
  if (motion.status != Status::going) tell_ending(motion);
  return true;
}

namespace {

/// One stride of the loop: how far the series from here is good, and what ends it. Lengths are in the unit of time of the series, `unit`, but for
/// those said to be times.
struct Stride {
  double due = 0;             ///< a time: something is due then, or the motion ends
  double unit = 1;            ///< of time, of the series
  double gap = 0;             ///< to what is due
  double shortest = 0;        ///< step that moves the clock
  double h = 0;               ///< so far the series is good (a time, until it has been proved)
  double clear = never;       ///< so far nothing is known of the conditions left out
  bool crossing = false;      ///< towards a singular position that is passed
  bool near_far = false;      ///< the conditions left out limit it
  bool at_a_place = false;    ///< up to a place, right behind which the forces are others: what is due behind it waits
  double place_known_to = 0;  ///< by rounding
  Happening found;            ///< on it
  FoundTurns turned;          ///< on it
  double s = 0;               ///< it ends here
  double together = 0;        ///< what happens before this happens at s
  double nearer = never;      ///< it is ended here so that a row is looked at from nearer
  double size_there = 0;      ///< of the terms of that row
  bool scheduled = false;     ///< it ends when something is due
  bool found_before = false;  ///< `stop` came true where it is so short
  bool stirs = false;         ///< so short that it comes through the rest of a speed without what vanishes with it
  bool unseen = false;        ///< so short that comparisons of `stop` and `when` are asked at its ends alone
  bool arrives = false;       ///< it ends at the singular position

  [[nodiscard]] double time_left(const Motion& motion) const { return due - motion.state.time; }
  [[nodiscard]] bool too_short() const { return !(h > shortest) && gap > shortest; }
  void measure_by(const Motion& motion) {
    unit = motion.impl->series.unit();
    gap = time_left(motion) / unit;
    shortest = shortest_step(*motion.impl, motion.state.time) / unit;
  }
};

/// Whether the loop goes on to its next stage, or this call of it is done.
enum class Next : std::uint8_t { stage, done };

/// Away from a singular position that is passed.
Next leave(Motion& motion, Stride& stride) {
  Motion::Impl& impl = *motion.impl;
  impl.passage.at_it = false;
  if (leave_singular(motion, stride.time_left(motion), stride.h)) return Next::stage;
  follow_own_series(motion);
  end_singular(motion, impl.passage.rows, "the position is singular, and no way on from it could be proved");
  return Next::done;
}

/// The series from here, with roots in forces that come to zero within a part of the motion as zero. False if there is none.
bool extend_with_roots(Motion& motion, double part, double gap, double least, double& h) {
  Motion::Impl& impl = *motion.impl;
  const double soon = part * (impl.until - impl.model.simulation.start);
  return impl.series.take_roots_as_zero(soon) &&
         extend(impl.series, motion.state, part_for(impl.tolerance), gap, least, h);
}

/// Below it coefficients are but rounding (what has all but come to rest), and say nothing of the step.
double least_guess(const Motion& motion) { return guess_of_rounding * shortest_step(*motion.impl, motion.state.time); }

/// Does a speed whose direction stands in a force come to rest within so many shortest steps? Then that is now.
bool rest_here(Motion& motion, double steps, bool by_terms) {
  Triggers triggers;
  const double soon = steps * shortest_step(*motion.impl, motion.state.time);
  if (!comes_to_rest(motion, soon, by_terms, triggers.turns)) return false;
  settle(motion, triggers, false);
  return true;
}

/// The series from here, and how far its coefficients say that it is good.
Next extend_from_here(Motion& motion, Stride& stride) {
  Motion::Impl& impl = *motion.impl;
  const double time_left = stride.time_left(motion);
  const double least = least_guess(motion);
  impl.series.take_roots_as_they_are();
  bool found = extend(impl.series, motion.state, part_for(impl.tolerance), time_left, least, stride.h);
  // A guess of rounding may be the truth: right behind the place where a power begins steps are short, and grow.
  found = found || extend(impl.series, motion.state, part_for(impl.tolerance), time_left, 0, stride.h);
  const std::string obstacle = found ? "" : impl.series.obstacle();
  if (rest_here(motion, shortest_steps_to_rest, false)) return Next::done;
  if (found && rests_at_roots(motion, shortest_steps_to_rest * shortest_step(impl, motion.state.time)))
    return Next::done;
  for (const double part : soon_at_zero) {
    found = found || extend_with_roots(motion, part, time_left, least, stride.h);
  }
  if (!found) {
    impl.series.take_roots_as_they_are();
    if (passes_rest(motion)) return Next::done;
    if (!pass_meeting(motion, stride.due)) {
      lead_nowhere(motion, "the accelerations are not finite: look at " + obstacle);
    }
    return Next::done;
  }
  return entered(motion) || leaves_from_roots(motion) ? Next::done : Next::stage;
}

/// Beside a root or pole: is the expression of `stop` not above zero, or no further than it goes in the time that is not looked at?
bool is_stop_reached(const Motion& motion, double unseen) {
  const Motion::Impl& impl = *motion.impl;
  if (impl.model.simulation.stop.empty()) return false;
  std::vector<double> registers;
  std::vector<double> value;
  observe_lane(impl.series.along(), impl.model.simulation.stop.front(), registers, value);
  return value[0] <= 0 || (value.size() > 1 && value[0] <= unseen * std::abs(value[1]));
}

/// How far the motion may go without roots of speeds that are zero here, no further than to what is due.
double without_roots(Motion& motion, const Stride& stride) {
  Motion::Impl& impl = *motion.impl;
  impl.series.take_roots_as_they_are();
  double unused = 0;
  if (!extend(impl.series, motion.state, part_for(impl.tolerance), stride.time_left(motion), 0, unused)) return 0;
  return std::min(way_without_roots(motion), stride.time_left(motion) / impl.series.unit());
}

/// The same proved for the functions themselves, over the whole step.
Next prove_from_here(Motion& motion, Stride& stride) {
  Motion::Impl& impl = *motion.impl;
  if (!impl.passage.followed) {
    Series::Proof proof;
    const auto prove = [&] {
      stride.measure_by(motion);
      proof = impl.series.prove(stride.h, stride.gap, defect_for(impl.tolerance), impl.tolerance);
    };
    const auto leads_nowhere = [&] { return !(proof.length > stride.shortest) && stride.gap > stride.shortest; };
    prove();
    if (leads_nowhere() &&
        extend(impl.series, motion.state, part_for(impl.tolerance), stride.time_left(motion), 0, stride.h))
      prove();
    for (const double part : soon_at_zero) {
      if (!leads_nowhere()) break;
      if (extend_with_roots(motion, part, stride.time_left(motion), 0, stride.h)) prove();
    }
    // Roots of a speed that is zero here are left out for a moment, about which nothing is proved.
    const double unproved = leads_nowhere() ? without_roots(motion, stride) : 0.0;
    stride.h = std::max(proof.length, unproved);
    motion.defect = std::max(motion.defect, proof.length > stride.shortest ? proof.defect : 0.0);
    if (stride.h > stride.shortest) {
      const double reached = reach_of_stirs(motion, stride.h);
      stride.stirs = reached < stride.h;
      stride.h = reached;
    }
  }
  if (stride.too_short()) {
    follow_own_series(motion);
    const std::string obstacle = impl.series.obstacle();
    impl.series.take_roots_as_they_are();
    double unused = 0;
    static_cast<void>(extend(impl.series, motion.state, part_for(impl.tolerance), stride.time_left(motion), 0, unused));
    if (rest_here(motion, many_shortest_steps_to_rest, true) || passes_rest(motion)) return Next::done;
    if (!pass_meeting(motion, stride.due)) {
      lead_nowhere(motion, "no step can be bounded any more: look at " + obstacle);
    }
    return Next::done;
  }
  // And the expressions beside the equations of motion.
  const double proved = stride.h;
  stride.h = reach_of_switches(motion, proved);
  // A comparison that has a pole or a root here, and nothing else: some shortest steps on it is known again.
  if (stride.too_short()) {
    const double known = std::min(reach_of_switches(motion, proved, false), shortest_steps_unseen * stride.shortest);
    stride.unseen = known > stride.shortest;
    // What it comes to right before counts at once, and what it is right behind when the step is done.
    if (stride.unseen && is_stop_reached(motion, known)) {
      stride.found_before = true;
      stride.h = stride.shortest;
    } else if (stride.unseen) {
      stride.h = known;
    }
  }
  if (!stride.unseen && stride.too_short()) {
    follow_own_series(motion);
    if (rest_here(motion, many_shortest_steps_to_rest, true)) return Next::done;
    lead_nowhere(motion,
                 "no step can be bounded any more: look at the expressions that switch or stop, whose roots or "
                 "denominators may come to zero here");
    return Next::done;
  }
  return Next::stage;
}

/// No further than what is known of the conditions left out, and to the next branch of a distance.
Next shorten(Motion& motion, Stride& stride) {
  if (leaves_apex(motion)) {
    motion.impl->in_apex = motion.state;
    motion.impl->energy_in_apex = motion.energy;
    stride.h = std::min(stride.h * beside_apex, straight_from_apex(motion) / stride.unit);
  }
  stride.clear = reach_of_far(motion, stride.h);
  stride.near_far = stride.clear < stride.h;
  double& h = stride.h = stride.clear;
  // A root of speeds that comes to zero: up to the place, where they rest.
  if (const double rest = stride.stirs ? h : motion.impl->series.rest_of_root(h); rest < h) {
    const double left = roundings_of_a_meeting * stride.shortest;
    h = rest > 2 * left ? rest - left : rest / 2;
    stride.at_a_place = true;
    stride.place_known_to = left;
    if (!(h > stride.shortest)) {
      lead_nowhere(motion, "no step leads on: look at " + motion.impl->series.obstacle());
      return Next::done;
    }
  }
  const double branch = stride.stirs ? h : motion.impl->series.branch(h);
  if (!(branch < h)) return Next::stage;
  // Where a force between points that meet jumps, not even the little way beyond may be gone with that of the wrong side: to the very place, and through it.
  const double beyond = behind_a_branch * branch + behind_a_branch_of_step * h;
  const double meeting = motion.impl->series.meeting(h);
  const double shortest = shortest_step(*motion.impl, motion.state.time + meeting * stride.unit) / stride.unit;
  const double aside = std::max(beyond, shortest);
  if (meeting < branch + beyond && jumps_between(motion, meeting - aside, meeting + aside)) {
    const double left = half_way * roundings_of_a_meeting * shortest;
    // What is due there is due before it, as far as can be told.
    if (meeting > ways_from_a_meeting * shortest || stride.gap <= meeting + left) {
      h = std::min(stride.gap, std::max(meeting - left, shortest));
      stride.at_a_place = true;
      stride.place_known_to = 2 * left;
      return Next::stage;
    }
    if (!pass_meeting(motion, stride.due))
      lead_nowhere(motion, "a force jumps where points meet, and no way leads on from there");
    return Next::done;
  }
  // Two points that pass through one another: begin anew just behind, where their distance grows again.
  h = std::min(h, branch * (1 + behind_a_branch) + behind_a_branch_of_step * h);
  return Next::stage;
}

/// The first thing that happens, and all that happens with it.
void look_ahead(Motion& motion, Stride& stride) {
  Motion::Impl& impl = *motion.impl;
  const double h = stride.h;
  Happening& found = stride.found;
  found = first_happening(motion, h, impl.buffer);
  const double position = impl.passage.ahead / stride.unit;
  if (stride.crossing && h >= position) close_at_position(h, found);
  if (!stride.crossing && !impl.passage.followed) {
    stride.nearer = nearer_place(motion, found, stride.size_there);
    // What was measured far from here is measured here.
    while (stride.nearer == 0) {
      impl.size[found.blurred_row] = stride.size_there;
      found = first_happening(motion, h, impl.buffer);
      stride.nearer = nearer_place(motion, found, stride.size_there);
    }
  }
  found.cut = std::min(found.cut, stride.nearer);
  stride.turned = find_turns(motion, h);
  stride.s =
      std::min({h, found.at, found.cut, found.graze, found.stop, found.parts, stride.turned.at, stride.turned.cut});
  stride.together = stride.s + std::max(same_time_in_roundings * unit_rounding, impl.tolerance) * h;
  // What is to be looked at from nearer does not happen where that look begins.
  if (stride.s == stride.nearer) stride.together = stride.s;
  if (stride.at_a_place && stride.s == h) stride.together = h + stride.place_known_to;
  stride.scheduled = stride.gap <= stride.together;
  if (stride.scheduled) stride.s = stride.gap;
  // At a singular position, too, what happens while the state moves by less than it is known happens together.
  const double doubt = stride.crossing ? time_in_doubt(motion) / stride.unit : 0.0;
  stride.arrives = stride.crossing && position <= std::max(stride.together, stride.s + doubt);
  if (stride.arrives) stride.s = position;
  if (stride.arrives && doubt > 0) stride.together = std::max(stride.together, position + doubt);
}

/// Is the way up to s one on which the conditions held stay independent, or imply what they implied, and the kinetic energy positive?
Next examine_way(Motion& motion, Stride& stride) {
  Motion::Impl& impl = *motion.impl;
  const double s = stride.s;
  if (!keeps_what_is_implied(motion, s)) {
    follow_own_series(motion);
    end_singular(motion, dependent_rows(motion, nearly),
                 "the conditions held are dependent here, and the motion leaves this position in a way that their "
                 "gradients do not tell: the position is singular");
    return Next::done;
  }
  std::uint32_t culprit = 0;
  const double vanishing = impl.passage.followed ? never : impl.series.vanishing(s, culprit);
  if (vanishing <= s && model::cone_of(impl.model, culprit) != nullptr && vanishing * half_way > stride.shortest) {
    // Half of the way to an apex: from there on its spoke is followed.
    stride.s = stride.together = vanishing * half_way;
    stride.scheduled = stride.arrives = false;
    return Next::stage;
  }
  if (vanishing <= s) {
    go(motion, vanishing, motion.state.time + vanishing * stride.unit);
    end_singular(motion, {culprit},
                 "the gradient of " + model::row_name(impl.model, culprit) +
                     " vanishes or is not there: the position is singular");
    return Next::done;
  }
  std::uint32_t light = 0;
  const double weightless = impl.series.weightless(s, light);
  if (weightless <= s) {
    go(motion, weightless, motion.state.time + weightless * stride.unit);
    end_singular(motion, {},
                 "the kinetic energy stops being positive for every velocity here, see " +
                     model::variable_words(impl.model, light));
    return Next::done;
  }
  return Next::stage;
}

/// Goes to the end of the stride.
void go_there(Motion& motion, const Stride& stride) {
  Motion::Impl& impl = *motion.impl;
  go_past_far(motion, stride.s);
  go(motion, stride.s, stride.scheduled ? stride.due : later(impl, motion.state.time, stride.s * stride.unit));
  if (stride.s == stride.nearer) impl.size[stride.found.blurred_row] = stride.size_there;
  if (stride.scheduled) impl.carry_time = 0;
  const bool left = impl.passage.followed && !stride.crossing;
  follow_own_series(motion);
  // Lengths of rows that were chosen at the position mean nothing.
  if (left && impl.passage.ahead == 0) impl.series.choose(impl.held_rows, impl.watched_rows);
  if (stride.near_far && !(stride.s < stride.clear)) {
    expect_more(motion);
    look_around(motion);
  }
}

/// At a singular position that is to be passed: it is, unless something else happens there, or (`asked`) the instant must tell which contacts let go.
Next arrive(Motion& motion, const Stride& stride, bool& asked) {
  Motion::Impl& impl = *motion.impl;
  const bool happens = stride.found.at <= stride.together || stride.turned.at <= stride.together ||
                       (stride.scheduled && stride.due < impl.until);
  const std::uint32_t letting_go = arrive_at_singular(motion);
  if (motion.status != Status::going) return Next::done;
  // Where several contacts would carry forces beyond all bounds, and nothing but contacts, the instant tells which of them let go.
  const std::vector<std::uint32_t>& meet = impl.passage.rows;
  asked = letting_go == no_row && std::none_of(meet.begin(), meet.end(), [&](std::uint32_t row) {
            return model::is_equation(impl.model.row_kind[row]);
          });
  if (letting_go == no_row && !asked) {
    end_singular(motion, meet,
                 "the multipliers of several one-sided conditions grow beyond all bounds: the position is singular, "
                 "and which of them lets go is not decided");
    return Next::done;
  }
  if (happens && letting_go < impl.model.rows()) {
    end_singular(motion, meet, dependent_as_something_happens);
    return Next::done;
  }
  if (happens || asked) return Next::stage;
  pass_singular(motion, letting_go);
  if (motion.status != Status::going) return Next::done;
  if (stride.scheduled) end(motion, Status::finished, "");
  if (stride.found.stop <= stride.together) end(motion, Status::stopped, "");
  verify_end(motion);
  return Next::done;
}

/// Is what becomes dependent here contacts alone, and is their motion one all the same? So it is of contacts that carry nothing, and of those that depended
/// on one another when they were chosen and no longer do, as of two corners that slide past each other: the singular position lies behind.
bool is_harmless(const Motion& motion, std::span<const std::uint32_t> rows) {
  const Motion::Impl& impl = *motion.impl;
  if (std::any_of(rows.begin(), rows.end(),
                  [&](std::uint32_t row) { return model::is_equation(impl.model.row_kind[row]); }))
    return false;
  std::size_t skips = 0;
  for (std::size_t j = 0; j < impl.held_rows.size(); ++j) skips += impl.series.skipped(j) ? 1 : 0;
  return skips < impl.settled_skips || depends_by_quiet_ones(motion);
}

/// At an ordinary position: onto the conditions again. `approach` is a time: what was left to a singular position that no step reaches.
/// `asked` is set where who presses is to be found anew.
Next stand(Motion& motion, double approach, bool& asked) {
  Motion::Impl& impl = *motion.impl;
  if (!project(motion)) {
    end(motion, Status::gave_up, "a condition or the kinetic energy has no finite value here");
    return Next::done;
  }
  if (hides_light(motion)) return Next::done;
  if (impl.parted) return Next::stage;
  if (impl.off > lost_length * whole_size(motion) + way_of_clock(motion)) {
    end(motion, Status::gave_up, "the series has lost the conditions it should keep");
    return Next::done;
  }
  if (!impl.series.nearly_singular()) return Next::stage;
  const std::vector<std::uint32_t> rows = dependent_rows(motion, nearly);
  asked = is_harmless(motion, rows);
  if (asked) return Next::stage;
  // The rest of the way is shorter than any step: straight on.
  if (approach > 0 && approach < straight_on * (impl.until - impl.model.simulation.start)) {
    motion.state.time += approach;
    for (std::size_t i = 0; i < motion.state.position.size(); ++i)
      motion.state.position[i] += approach * motion.state.velocity[i];
  }
  end_singular(motion, rows,
               "the conditions held have become dependent, or a gradient vanishes: the position is singular");
  return Next::done;
}

/// Open conditions that touch at the very end of the motion and are approached: their roots lie within rounding of the end, and may lie behind it.
std::vector<std::uint32_t> struck_at_the_end(const Motion& motion, const Stride& stride) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  std::vector<std::uint32_t> struck;
  if (!stride.scheduled || motion.state.time < impl.until || impl.watched_rows.empty()) return struck;
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::State state = motion.state;
  state.position_uncertainty.resize(model.variables, 0.0);
  state.velocity_uncertainty.resize(model.variables, 0.0);
  const double clock = resolution(state.time);
  for (std::size_t i = 0; i < model.variables && i < impl.step_position.size(); ++i) {
    const auto widen = [](double& off, double at, double gained, double rate) {
      off = std::max(off, unit_rounding * (std::abs(at) + gained) + rate);
    };
    widen(state.position_uncertainty[i], state.position[i], impl.step_position[i], clock * std::abs(state.velocity[i]));
    widen(state.velocity_uncertainty[i], state.velocity[i], impl.step_velocity[i], 0.0);
  }
  for (const std::uint32_t row : impl.watched_rows) {
    if (impl.standing[row] != Standing::open || !model::is_holonomic(model.row_kind[row])) continue;
    model::evaluate_row(model, state, row, work.scratch, work.rows);
    const model::Rows& rows = work.rows;
    const double touch = model.simulation.touch;
    const double touches = touch * rows.value_scale[row] + instant::bounds_that_are_nothing * rows.value_error[row];
    const double rests = touch * rows.rate_scale[row] + instant::bounds_that_are_nothing * rows.rate_error[row];
    if (std::abs(rows.value[row]) <= touches && rows.rate[row] > rests) struck.push_back(row);
  }
  return struck;
}

/// All that happens at the end of the stride.
Triggers triggers_of(const Motion& motion, const Stride& stride) {
  const double together = stride.together;
  const Happening& found = stride.found;
  Triggers triggers;
  triggers.scheduled = stride.scheduled;
  for (const Happening::Crossing& one : found.crossings) {
    if (one.at <= together) (one.release ? triggers.releasing : triggers.closing).push_back(one.row);
  }
  for (const Happening::Crossing& one : found.grazes) {
    if (one.at <= together) triggers.grazing.push_back(one.row);
  }
  const auto& stop = motion.impl->model.simulation.stop;
  triggers.stop = found.stop <= together || stride.found_before ||
                  (stride.unseen && !stop.empty() && model::observe(stop.front(), motion.state) <= 0);
  triggers.doubt = found.parts <= together || stride.unseen;
  triggers.unseen = stride.unseen ? shortest_steps_unseen * stride.shortest * stride.unit : 0.0;
  for (const Turn& turn : stride.turned.turns) {
    if (turn.at <= together) triggers.turns.push_back(turn);
  }
  for (const auto& [row, at] : stride.turned.rows) {
    if (at <= together) triggers.alternatives.push_back(row);
  }
  return triggers;
}

}  // namespace

bool foresee(const Motion& motion, Series::WantedProof& proof) {
  const Motion::Impl& impl = *motion.impl;
  const double gap = next_due(motion) - motion.state.time;
  const FirstGuess guess = guess_step(impl.series, part_for(impl.tolerance), gap, least_guess(motion));
  proof.reach_part = part_for(impl.tolerance);
  proof.reach = guess.reach;
  proof.wanted = guess.h;
  proof.most = gap / impl.series.unit();
  proof.part = defect_for(impl.tolerance);
  proof.tolerance = impl.tolerance;
  return guess.suits;
}

bool advance_piece(Motion& motion) {
  if (motion.status != Status::going) return false;
  Motion::Impl& impl = *motion.impl;
  motion.events.clear();
  if (impl.flow != nullptr) return advance_flow(motion);
  if (std::string why = crawls(motion); !why.empty()) {
    end(motion, Status::gave_up, std::move(why));
    return true;
  }

  // How far the series is good.
  Stride stride;
  stride.due = next_due(motion);
  if (impl.passage.at_it) {
    if (leave(motion, stride) == Next::done) return true;
  } else {
    if (extend_from_here(motion, stride) == Next::done) return true;
    // Up to a singular position that is passed; there every condition counts.
    stride.crossing = approach_singular(motion, stride.time_left(motion), stride.h);
    if (stride.crossing && !impl.far.rows.empty()) {
      follow_own_series(motion);
      watch_everything(motion);
      static_cast<void>(project(motion));
      return advance(motion);
    }
  }
  stride.measure_by(motion);
  if (prove_from_here(motion, stride) == Next::done) return true;
  if (shorten(motion, stride) == Next::done) return true;

  // What happens on it, and there.
  look_ahead(motion, stride);
  if (examine_way(motion, stride) == Next::done) return true;
  const double approach = impl.passage.followed ? 0.0 : impl.series.approach(stride.s) * stride.unit;
  go_there(motion, stride);
  finish_leaving(motion);
  const auto now = [&](const Happening::Crossing& one) { return one.at <= stride.together; };
  keep_slid(motion, stride.scheduled || std::any_of(stride.found.crossings.begin(), stride.found.crossings.end(), now));
  bool asked = false;
  const Next next = stride.arrives ? arrive(motion, stride, asked) : stand(motion, approach, asked);
  if (next == Next::done) return true;

  // The instant: something closes, lets go, touches or is due.
  Triggers triggers = triggers_of(motion, stride);
  triggers.doubt = triggers.doubt || asked || impl.parted ||
                   (!impl.model.cones.empty() && (leaves_apex(motion) || nears_apex(motion)));
  for (const std::uint32_t row : struck_at_the_end(motion, stride)) {
    std::vector<std::uint32_t>& closing = triggers.closing;
    if (std::find(closing.begin(), closing.end(), row) == closing.end()) closing.push_back(row);
  }
  impl.parted = false;
  settle(motion, triggers, false);
  // Rows of the shock that contradict each other only because they depend on one another here.
  if (stride.arrives && motion.status == Status::jammed) {
    motion.status = Status::going;
    end_singular(motion, impl.passage.rows, dependent_as_something_happens);
  }
  return true;
}

}  // namespace zwang::motion
