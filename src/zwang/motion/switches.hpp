/// Switches of a motion: where functions with corners pass them, what becomes true, which conditions are let go.
///
/// Between instants every corner stays on its side, so that forces and conditions are analytic. Every switching function g is
/// followed along the series like an open condition; where it passes its threshold the piece ends, and the instant decides on
/// which side the motion goes on (instant/corners.hpp). A switch that is slid on is held there by its weight sigma, an unknown of
/// the series like a multiplier; it slips where sigma leaves [0, 1]. Reference: docs/mathematics, section 21.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "zwang/instant/corners.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/motion/series.hpp"

namespace zwang::motion {

struct Motion;
struct Triggers;

/// A switch that passes its threshold, or, slid on, leaves it.
struct Turn {
  std::uint32_t number = 0;
  bool above = false;
  bool slips = false;
  bool again = false;  ///< slid on, and a corner nested about it turns: to be looked at again
  double at = 0;
};

/// What a motion remembers of its switches.
struct Switches {
  std::vector<expressions::Side> sides;   ///< per switch
  std::vector<std::uint8_t> at_start;     ///< per switch, 1: the present piece starts on a threshold of it
  std::vector<std::uint32_t> slid;        ///< switches slid on, ascending
  std::vector<std::uint32_t> leader;      ///< of each: the first switch with the same surface, whose weight it shares
  std::vector<double> weight;             ///< sigma of each, at the last instant
  std::vector<std::uint8_t> implied;      ///< of each, 1: kept by the others, its weight stays constant
  std::vector<instant::MixedMode> mixed;  ///< the modes that those slid on mix
  std::vector<std::uint8_t>
      clear;                ///< per switch, then per row, 1: its values stay away from its thresholds on this step
  bool stop_clear = false;  ///< the same of the expression of `stop`
  bool unasked = false;     ///< a surface was met before a shock: its sides are found after it
  std::vector<std::uint8_t> holds;     ///< per truth of the model, 1: true at this very instant; empty between instants
  instant::RowSet gone;                ///< let go
  instant::RowSet idle;                ///< let go, or part of an alternative that does not count
  std::vector<std::uint8_t> released;  ///< per release of the model, 1: done
  double let_go_energy = 0;            ///< what springs held that were let go at this instant, until it is listed
  std::vector<std::uint32_t> valleys;  ///< rows on a kink of which both sides hold: their twins count, too
  std::vector<std::uint32_t> beside;   ///< of those that are cones: open, and kept in their apex by others
  std::vector<std::uint8_t> turned;    ///< per switch, 1: an angle that began on another half turn than its value tells
  std::vector<std::uint8_t> unfollowed;  ///< per switch, 1: on the kink of a valley, or of a twin that does not count
};

/// The first turn on [0, h] of the series.
struct FoundTurns {
  double at = std::numeric_limits<double>::infinity();
  double cut =
      std::numeric_limits<double>::infinity();  ///< end the piece here: something begins that the next one sees whole
  std::vector<Turn> turns;
  std::vector<std::pair<std::uint32_t, double>>
      rows;  ///< rows of alternatives that do not count, and where they change sign
};
[[nodiscard]] FoundTurns find_turns(const Motion& motion, double h);
/// The longest step, not longer than h, on which switching functions, alternatives that do not count and the stop expression are known to a
/// tenth of the tolerance of their terms, the functions themselves, wherever they may pass their thresholds; and weights by their
/// coefficients. 0: none. Without comparisons those of `stop` and `when` are not looked at on this step.
[[nodiscard]] double reach_of_switches(Motion& motion, double h, bool with_comparisons = true);

/// `before`: sides that angles go on from; none: the start is theirs.
void begin_switches(Motion& motion, std::span<const expressions::Side> before = {});
/// The next time at which something is let go, if it lies ahead of `time`.
[[nodiscard]] double next_release(const Motion& motion, double time);
[[nodiscard]] bool release_due(const Motion& motion);

/// Conditions that touch on a kink of which both sides hold: there their twins count, too, and are as closed as they are.
void open_valleys(Motion& motion, const Triggers& triggers, bool first, instant::RowSet& closed,
                  instant::RowSet& steady);
/// Conditions that touch in the apex of a cone: there its spokes count and it does not; and those that have left it.
void open_cones(Motion& motion, bool first, instant::RowSet& closed, instant::RowSet& steady);
/// Does the row belong to a cone in whose apex the motion is?
[[nodiscard]] bool is_in_apex(const Motion& motion, std::uint32_t row);
/// Does the motion leave an apex on the piece that begins here?
[[nodiscard]] bool leaves_apex(const Motion& motion);
/// Spokes that let go tell nothing by themselves: others take over, or the motion leaves.
[[nodiscard]] Triggers without_spokes(const Motion& motion, const Triggers& triggers);
/// Behind a piece on which it has left one: was it f that was kept? If not, the motion ends.
[[nodiscard]] bool keeps_cones(Motion& motion);
/// Accelerations, and a shock, with spokes turned until they keep their cones.
void accelerate_on_cones(Motion& motion, const instant::Options& options);
void regulate_on_cones(Motion& motion, const instant::Options& options);
/// So long it leaves with a speed in a direction that does not turn yet.
[[nodiscard]] double straight_from_apex(const Motion& motion);
/// Does a condition lead straight to its apex within a few pieces like the last one?
[[nodiscard]] bool nears_apex(const Motion& motion);
/// What is open and vanishes with what stands in an apex, as the upper rim of a cylinder that stands on the lower one: its root would be one of rounding.
void stand_beside(Motion& motion);
/// Where one side alone holds on, or none, the row goes on without its twin, on that side. Per row, the one whose place it took: itself,
/// or its twin.
[[nodiscard]] std::vector<std::uint32_t> leave_valleys(Motion& motion);

/// The instant: what is let go, sides, alternatives. `struck`: a shock has just changed the velocities. False: the motion has ended.
bool settle_switches(Motion& motion, const Triggers& triggers, bool first, bool struck,
                     const instant::Options& options);
/// After an instant: which comparisons of `stop` and `when` hold at it, and on which side they go on. What is on a threshold holds if it does so
/// there, as y <= 0 where a ball is struck; what stays on it stays so; a velocity that has jumped is where it is now.
void look_at_truths(Motion& motion, const Triggers& triggers);
/// What `when` is waiting for and is true as an instant begins, before its shocks: that is let go first.
void look_at_truths_before(Motion& motion);
/// The same for a flow, whose rates have no shocks.
bool settle_flow_switches(Motion& motion, const Triggers& triggers, bool first);
/// Speeds below products that vanish with them (slow.cpp). Where such a speed is zero and begins to move, the product is left out for some shortest steps: no further than
/// that, in the unit of time of the series; and what is to be asked there.
[[nodiscard]] double reach_of_stirs(const Motion& motion, double h);
void find_stirs(const Motion& motion, double h, FoundTurns& found);
/// Where one of them comes through zero and no step leads on: it is zero now.
[[nodiscard]] bool passes_rest(Motion& motion);
/// How far the motion goes without the roots of speeds in forces that are zero here, in the unit of time of the series; 0 if there are none, or what they leave out does not begin from nothing.
[[nodiscard]] double way_without_roots(const Motion& motion);
/// Those of these speeds that stay at zero.
[[nodiscard]] std::vector<Series::RestingRoot> resting_stirs(const Motion& motion);
/// The events of switches at this instant.
void list_switches(Motion& motion, const Switches& before, const Triggers& triggers, bool first);
/// Velocities onto the surfaces slid on.
void project_slid(Motion& motion);
/// Do rows held and surfaces slid on keep its function where it is? Then nothing slips there, whatever its weight.
[[nodiscard]] bool is_kept_at_rest(const Motion& motion, std::uint32_t number);
/// Multipliers beside surfaces slid on that are rounding of the weights: their rows are decided by the next derivatives (imposed.cpp).
void decide_beside_surfaces(Motion& motion, bool first);
/// Inequalities that touch without a force, and that surfaces slid on keep closed, as frictions do that hold both ends of a taut rope: the series holds the
/// surfaces, and these are watched (imposed.cpp).
[[nodiscard]] std::vector<std::uint32_t> rows_kept_by_surfaces(const Motion& motion);
/// Surfaces slid on that the rows held keep already, as a wall that moves by itself does where it is touched without a force: their weights stay (imposed.cpp).
void leave_to_rows(Motion& motion);
/// What rests on its threshold by its speed and acceleration, and is moved off it by conditions with a higher derivative, leaves (imposed.cpp). True: the sets of
/// the next piece are others.
bool leave_as_imposed(Motion& motion, const Triggers& triggers, bool first);
/// The surfaces slid on, for the series.
[[nodiscard]] std::vector<Series::Slide> slides_of(const model::Model& model, const Switches& switches);
/// Is it a part of a speed that leaves its rest on the piece that begins here?
[[nodiscard]] bool leaves_rest(const model::Model& model, const Switches& switches, std::uint32_t number);
/// Such a piece has been gone: from now on the speed has a direction of its own.
void finish_leaving(Motion& motion);
/// Beside a speed that has a direction, which noise of what is slid on would turn as it comes to rest: velocities onto the surfaces slid on. Also where something strikes or is due beside
/// what rests in a plane: rounding of the series would be a speed with a direction there.
void keep_slid(Motion& motion, bool strikes);
/// Speeds whose directions stand in forces and that come to zero within this time, or are zero, by the series from here; `by_terms`: and those that fall, and that
/// friction alone would stop within it.
[[nodiscard]] bool comes_to_rest(const Motion& motion, double soon, bool by_terms, std::vector<Turn>& turns);
/// Has the end come that the model asks for by comparisons?
[[nodiscard]] bool is_true(const Motion& motion, std::uint32_t truth);

}  // namespace zwang::motion
