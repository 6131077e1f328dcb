/// What a motion remembers between calls of `advance`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/instant/pins.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/motion/copies.hpp"
#include "zwang/motion/far.hpp"
#include "zwang/motion/flow.hpp"
#include "zwang/motion/passage.hpp"
#include "zwang/motion/series.hpp"
#include "zwang/motion/strikes.hpp"
#include "zwang/motion/switches.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

/// What a row is on the present piece.
enum class Standing : std::uint8_t {
  open,     ///< watched: f < 0
  held,     ///< an equation, or an inequality that binds
  implied,  ///< closed, but carried by other rows it depends on
  absent    ///< a seizure that lies ahead
};

/// An equation or inequality whose f is zero along the piece, whether it carries a force or others carry it.
[[nodiscard]] constexpr bool is_closed(Standing row) { return row == Standing::held || row == Standing::implied; }

struct Motion::Impl {
  Impl(const model::Model& of, double end, double relative);

  const model::Model& model;
  double until;
  double tolerance;

  // engines
  Series series;
  std::unique_ptr<Flow> flow;  ///< instead of the series, when the model is a flow
  instant::Workspace workspace;
  instant::Instant instant;
  instant::Shock shock;

  // the state before the last projection, from which a restored motion projects again; rounding carried along
  model::State raw;
  std::vector<double> raw_carry_position, raw_carry_velocity;
  std::vector<double> carry_position, carry_velocity, carry_rho;
  double carry_time = 0;
  /// Where the piece began on which the motion leaves an apex (cones.cpp): where it ends if it has no way on.
  model::State in_apex;
  EnergyBalance energy_in_apex;
  std::vector<double> gain_position, gain_velocity, buffer;  ///< work space of one step
  std::vector<double> step_position, step_velocity;  ///< the terms of the last step: what moved, and what was held back

  std::vector<double> rounding_position, rounding_velocity;  ///< how far rounding alone may have put each variable off

  // the rows
  std::vector<Standing> standing;
  std::vector<HeldRow> held_rows;
  std::vector<std::uint32_t> watched_rows;
  Far far;                            ///< open rows that are not watched, because they are plainly far
  bool in_order = false;              ///< held_rows are ascending, as in the pieces
  std::vector<std::uint8_t> leading;  ///< per row: coefficients of f (of lambda, if held) known to vanish at the start
  std::vector<double> size;           ///< per row: the terms of f (velocity conditions: of f) at the last instant
  std::vector<double> multiplier_doubt;  ///< per row: how far lambda may be off by the uncertainty of the state
  instant::RowSet quiet;                 ///< came back at the last instant: their multipliers there are none

  Passage passage;          ///< through a singular position
  instant::RowSet resting;  ///< marginal before this instant, and not a part of what happens at it

  Copies copies;       ///< rows that others stand for
  instant::Pins pins;  ///< sides that conditions keep
  Switches switches;   ///< sides of corners, rows let go, alternatives

  // what is due
  double done_schedule = 0;  ///< time of the last blow or seizure dealt with
  bool any_done = false;
  std::size_t settled_skips = 0;  ///< rows skipped by the factor right after the last instant

  // of a flow: the scale of its rows
  double extent = 0;   ///< largest |q| so far
  bool rests = false;  ///< it has come to rest at a root, for ever

  // accumulation
  std::vector<Bounce> bounces;
  std::uint64_t fresh_bounces = 0;  ///< those at their end since the last limit
  std::vector<Strikes> strikes;     ///< per row
  double flight = 0;
  bool limit_ahead = false;
  double limit_time = 0;
  double limit_lost = 0;  ///< energy lost when the conditions closed
  std::vector<std::uint32_t> limit_rows;

  // the pace of the last few thousand steps
  double pace_time = 0;
  std::uint64_t pace_events = 0;
  double best_pace = 0;

  bool parted = false;  ///< the last projection found contacts that no longer depend on those they shared a force with
  double off = 0;       ///< by how much the last projection found a condition lost, as a length; 0: none was

  // kinks of conditions passed without time passing
  double kink_time = 0;
  std::uint32_t kinks = 0;

  // instants that follow without time passing
  std::vector<std::vector<std::uint32_t>> visited;  ///< sets held at this very instant, the oldest first
  std::vector<std::uint32_t> marginal;              ///< rows that changed side at this very instant, ascending
  std::vector<std::uint32_t> gave_way;              ///< rows whose multipliers fell to zero at this very instant
  bool by_few = false;  ///< dependent rows that shared their forces let go at once: as few as there need be act alone
};

/// The rows that are closed on the present piece.
[[nodiscard]] instant::RowSet closed_rows(const Motion::Impl& impl);

/// Everything that happens at the present instant.
struct Triggers {
  std::vector<std::uint32_t> closing;       ///< open rows that reached f = 0
  std::vector<std::uint32_t> releasing;     ///< held rows whose multiplier fell to zero
  std::vector<std::uint32_t> grazing;       ///< open rows that touch without effect
  std::vector<Turn> turns;                  ///< switches that pass a threshold or leave the one they slide on
  std::vector<std::uint32_t> alternatives;  ///< rows of alternatives that came to hold or ceased to
  bool stop = false;
  bool scheduled = false;
  bool doubt = false;  ///< the series leads nowhere: what does the instant say?
  double unseen = 0;   ///< a time: comparisons have not been looked at for so long
  [[nodiscard]] bool any() const {
    return !closing.empty() || !releasing.empty() || !turns.empty() || !alternatives.empty();
  }
};

/// One piece further, with the events at its end; an ending has its cause alone.
[[nodiscard]] bool advance_piece(Motion& motion);

/// Deal with an instant: shocks, accelerations, new sets, events. `first` at the start of the motion.
void settle(Motion& motion, const Triggers& triggers, bool first);

/// The impacts since the last limit of an accumulation.
[[nodiscard]] std::span<const Bounce> since_limit(const Motion::Impl& impl);
/// Were the same conditions struck in the same order in each of the last three periods, of some length, and this one harder than `least` when
/// that began? Or is it too early to tell?
[[nodiscard]] bool keeps_a_rhythm(std::span<const Bounce> bounces, std::uint32_t row, double least);
/// Conditions that were struck in the same order in each of the last three periods, each shorter than `shorter` of the one before; none if there is no
/// such rhythm.
[[nodiscard]] std::vector<std::uint32_t> rows_of_rhythm(std::span<const Bounce> bounces, double shorter = 1);
/// Are all of them struck at one instant, in one shock or in several one after the other, and nothing else strikes what they move? Then they bounce in
/// step, and not in turn.
[[nodiscard]] bool bounce_in_step(const model::Model& model, std::span<const Bounce> bounces,
                                  std::span<const std::uint32_t> rows);
/// After an impact: are infinitely many to follow within a time that is as good as nothing? If so the conditions close.
void close_accumulation(Motion& motion);

/// Multipliers (per row) of the rows given, which may be dependent, brought down to independent ones of them: the others, the last ones
/// first where there is a choice, become zero. The force stays the same, and no multiplier of an inequality becomes negative.
void act_by_few(const Motion& motion, const std::vector<std::uint32_t>& rows, std::vector<double>& multipliers);

/// The rows given touch and stay, besides those held: what speed they have is lost; accelerations and sets, no events.
void close_for_good(Motion& motion, std::span<const std::uint32_t> rows);

/// The terms of a step of length s, by which the drift of rows held is measured.
void measure_step(Motion& motion, double s);
/// How far the state may be off, from the terms of the last step and what is left of the rows known to be closed and steady.
void estimate_uncertainty(Motion& motion, const instant::RowSet& closed, const instant::RowSet& steady);
/// What rounding in rows with this least pivot leaves open of the places of their bodies, as a part of these.
[[nodiscard]] double part_in_doubt(double pivot);
/// That part of the places of all that these rows hold, by variable.
[[nodiscard]] std::vector<double> doubt_of_rows(const Motion& motion, std::span<const std::uint32_t> rows, double part);
/// The same of the closed loops held, where they are all but dependent; else nothing.
[[nodiscard]] std::vector<double> doubt_of_loops(const Motion& motion);
/// The size of a row's terms: its tolerance times this is the band in which a crossing is not told from a graze.
[[nodiscard]] double size_in_doubt(const Motion& motion, const model::Rows& rows, std::uint32_t row);
/// The same of the velocities after a shock; what lies within it of zero is at rest.
void shock_uncertainty(Motion& motion, const std::vector<double>& before);

/// Project the state onto the rows held, and keep account of the drift.
bool project(Motion& motion);

/// The same for a flow, whose start has no instant and whose pieces have no events but its end.
void begin_flow(Motion& motion);
bool advance_flow(Motion& motion);
bool project_flow(Motion& motion);

/// The rows held that take part in a combination of gradients which vanishes, up to `tolerance` of their lengths; all, if
/// none is found or they are many.
[[nodiscard]] std::vector<std::uint32_t> dependent_rows(const Motion& motion, double tolerance);
/// Are rows nearly dependent only together with some that carry nothing? What presses depends no more on one another than by rounding, as corners of a
/// box on a floor do.
[[nodiscard]] bool depends_by_quiet_ones(const Motion& motion);

/// End at a singular position of these rows, and list it as an event.
void end_singular(Motion& motion, std::vector<std::uint32_t> rows, std::string why);

/// List a singular position that is passed.
void list_singular(Motion& motion, std::vector<std::uint32_t> rows);
/// The same where the multiplier of a one-sided condition has its pole: it lets go.
void release_at_pole(Motion& motion, std::uint32_t row, std::vector<std::uint32_t> rows);

/// Do the forces of the present state have values?
[[nodiscard]] bool has_forces(const Motion& motion);
/// No step leads on because points meet between which a force with a bound acts: through that place, if there is one way. False: there is not (meeting.cpp).
bool pass_meeting(Motion& motion, double due);
/// Do the accelerations jump between two places of the series, in its unit, so that the way between them must not be gone with those of one side?
[[nodiscard]] bool jumps_between(const Motion& motion, double before, double behind);
/// A start at which they meet, with a speed: onto the near side of the way on. Where there is none, a variable whose force has no value, else `no_row`.
[[nodiscard]] std::uint32_t leave_meeting(Motion& motion);
/// Do speeds come to rest within that time under a root of themselves, v' = -C |v|^p with p < 1? Then that is now (roots.cpp).
bool rests_at_roots(Motion& motion, double soon);
/// Has a root in a force that rests at zero another motion beside rest? Then the motion ends, singular (roots.cpp).
bool leaves_from_roots(Motion& motion);
/// A motion that has come to its end is finished only if every condition holds there and the account of energy closes.
void verify_end(Motion& motion);

/// Has a variable that is much lighter than what holds it lost its motion in the last step? Then the motion has given up.
[[nodiscard]] bool hides_light(Motion& motion);

/// End with a status and a sentence.
void end(Motion& motion, Status status, std::string why);

/// rho of the rows held now, ascending by row; none when no condition is variational.
void take_rho(Motion& motion);

/// Between two instants the workspace holds what was found at the last one, which is not kept with a motion that is put aside: what a step needs
/// of it is evaluated at the present state. One row, and the mass.
void evaluate_row(const Motion& motion, std::uint32_t row);
[[nodiscard]] const linear::Mass& mass_at(const Motion& motion);

/// Multipliers of the rows held now, ascending by row, from the accelerations of this instant.
void take_multipliers(Motion& motion);

/// The times around `time` that are the same when read from outside: its last bits.
[[nodiscard]] double resolution(double time);
/// Steps shorter than this lead nowhere.
[[nodiscard]] double shortest_step(const Motion::Impl& impl, double time);
/// The time s after `time`; what rounding takes away is carried to the next step.
[[nodiscard]] double later(Motion::Impl& impl, double time, double s);
/// The part of the largest term that the last ones may have.
[[nodiscard]] double part_for(double tolerance);
/// The part of a body's accelerations that the defect of a step may have.
[[nodiscard]] double defect_for(double tolerance);
/// What the next step will ask its series to prove, if that has been extended ahead; false if it will ask for another series first.
[[nodiscard]] bool foresee(const Motion& motion, Series::WantedProof& proof);
[[nodiscard]] bool ascending(const std::vector<HeldRow>& rows);

}  // namespace zwang::motion
