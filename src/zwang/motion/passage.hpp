/// Passing a singular position: where rows held become dependent for an instant, and the velocity chooses one way on.
///
/// The motion is analytic there, its multipliers are not. The position is found on the series that leads there, the motion is expanded about
/// it (series_arc.cpp), and that expansion is followed on both sides: one piece up to the position, one away from it. It is
/// the same motion if, where the first piece begins, it agrees with the state there. An inequality whose multiplier has its pole at
/// the position would pull on the far side: it lets go.
///
/// Where something closes at the very instant, a shock decides how it goes on. A motion that stays in the position (a folded frame that has landed)
/// is that of the rows which are independent there, as long as it keeps the others.
///
/// Reference: docs/mathematics, section 10.9.
#pragma once

#include <limits>

#include "zwang/motion/advance.hpp"
#include "zwang/motion/series.hpp"

namespace zwang::motion {

/// The way through a singular position, as far as it is known.
struct Passage {
  std::unique_ptr<Series> series;   ///< about the position; changes places with the motion's own while it is followed
  bool at_it = false;               ///< the state is at the position, and goes on from there
  std::vector<std::uint32_t> idle;  ///< numbers of rows held that depend on others everywhere
  bool followed = false;            ///< the series of the motion is the one about the position
  model::State there;               ///< the state at it
  std::vector<std::uint32_t> rows;  ///< rows that are dependent there
  double ahead = 0;                 ///< seconds until then
  double pivot = 0;                 ///< the least of the rows where the way to it begins
  double unit = 1;                  ///< of time, where the motion did not come to it but was found at it
  double listed =
      std::numeric_limits<double>::quiet_NaN();  ///< time of the last event that told of a position stayed in
  bool stays = false;  ///< the motion stays in the position: rows that depend on others there carry nothing
  double defect = 0;
};

/// Is there a singular position on the series of this step, within `gap`, that is passed? Then the series of the motion is the one about
/// it, `h` how far it may be followed, and the place of the position `motion.impl->passage.ahead`.
[[nodiscard]] bool approach_singular(Motion& motion, double gap, double& h);
/// For how many seconds about the position ahead the motion cannot be told from being there.
[[nodiscard]] double time_in_doubt(const Motion& motion);
/// At an instant: the position is singular, with the roles of the rows known. Does the velocity lead on, in one way that is proved?
[[nodiscard]] bool leads_on(Motion& motion);
/// At an instant: the position is singular, with accelerations known and rows chosen. Do the rows that are independent here give these
/// accelerations? They bring about the least constraint among more motions than are allowed: if theirs keeps the others, it is the motion.
[[nodiscard]] bool gives_accelerations(Motion& motion);
/// Do the equations that depend on others do so at s on the series of the motion, too?
[[nodiscard]] bool stays_in_position(const Motion& motion, double s);
/// From the position on. False: no way on.
[[nodiscard]] bool leave_singular(Motion& motion, double gap, double& h);
/// The motion has its own series again.
void follow_own_series(Motion& motion);
/// The state is at the position.
/// The row of a one-sided condition that lets go; the number of rows if there is none, `no_row` if several would.
[[nodiscard]] std::uint32_t arrive_at_singular(Motion& motion);
/// Events there, and what lets go.
void pass_singular(Motion& motion, std::uint32_t letting_go);

}  // namespace zwang::motion
