/// The parts of `settle`, and what they hand to one another at one instant.
///
/// regulate.cpp: shocks until nothing is approached, then the accelerations. rattle.cpp: what hops so low that it closes for good. hold_rows.cpp:
/// the rows held and watched from here on. list_events.cpp: what is told about the instant. settle.cpp: in which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

[[nodiscard]] constexpr bool is_held(instant::Role role) {
  return role == instant::Role::equation || role == instant::Role::binding || role == instant::Role::marginal;
}

// ---- regulate.cpp

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

/// What is known in motion: what counts as zero, and which rows are closed and steady.
[[nodiscard]] instant::Options options_in_motion(const Motion::Impl& impl, instant::RowSet closed,
                                                 instant::RowSet steady);
/// Shock as long as something is approached, then the accelerations. Rows that a shock leaves approached without changing any velocity
/// are steady: their rate is below what the velocities can show.
void regulate_until_determined(Motion& motion, instant::Options options, Gathered& gathered, const Triggers& triggers,
                               bool first);
/// All rows given touch and move along: what speed and gap they have goes, and the accelerations are determined afresh. The energy lost.
double close_rows(Motion& motion, const instant::RowSet& closed);
/// Did the accelerations come out? If not, the motion ends here.
[[nodiscard]] bool determined(Motion& motion);
/// Phi_jj of a row at this instant, with the diagonal of the masses.
[[nodiscard]] double stiffness(const Motion::Impl& impl, std::uint32_t row);

// ---- rattle.cpp

/// What closes at an instant although it recedes.
struct Still {
  std::vector<std::uint32_t> rows;
  double lasting = 0;  ///< the longest of the sequences that are cut short
};
/// Touching conditions that recede and are driven back close, all that can, and then those that these drive back.
[[nodiscard]] Still close_what_is_back_at_once(Motion& motion, bool shock);
/// Conditions that were struck again and again and now close for good: the limit of an accumulation is reached, or will be soon.
void announce_limit(Motion& motion, Still still);

// ---- accumulation.cpp

/// Until the limit that lies ahead what hops there is off its wall: so are the forces that switch at it (pins.hpp).
void hop_until_limit(Motion& motion);

// ---- hold_rows.cpp

/// A wall at which a switch is slid on (pins.hpp) carries nothing: the weight keeps the motion on it.
void leave_to_weights(Motion& motion);

/// The sets of the next piece and the state on them.
void hold_rows(Motion& motion, const std::vector<std::uint32_t>& balanced);
/// A set that comes back at one instant, with nothing else changing: the rows that brought it about are marginal, and held. So are they
/// at the next instants until something moves: another row that comes back must not throw them off again.
void hold_what_comes_back(Motion& motion, const Triggers& triggers);

// ---- list_events.cpp

void add_event(Motion& motion, EventKind kind, std::vector<std::uint32_t> rows);
/// Rows that touch without effect, but for those of which another alternative holds.
void list_grazes(Motion& motion, std::vector<std::uint32_t> rows);
/// What an instant has changed, one entry per kind, in their order.
void list_events(Motion& motion, const Triggers& triggers, const Gathered& gathered,
                 const std::vector<Standing>& before, bool first, const Switches& switches_before);
/// The state after the instant, for all entries that have none yet.
void stamp_events(Motion& motion);
/// A singular position is an event, too.
void list_held_as_singular(Motion& motion);

// ---- settle.cpp

/// The energies of the present state, for the account.
void keep_account(Motion& motion);

}  // namespace zwang::motion
