/// Open conditions that are plainly far: what cannot be touched on this step need not be followed on it.
///
/// The gradient of a bound on one coordinate is constant, that of a distance has constant length, wherever the points are. So with p_i a
/// bound of the way that variable i makes on a step,
///
///   |f(s) - f(0)| <= sum_i |g_i| p_i    (constant gradient),      |f(s) - f(0)| <= |g| sqrt(sum_i p_i^2)    (a distance),
///
/// and a condition with -f(0) above that is not touched, whatever the points do on their way. The series is then extended, and the first event
/// proved, for the other conditions alone; where a step would lead further than is known of the far ones it ends there, and all are
/// looked at anew. At instants they are not evaluated either.
///
/// Symbols: f condition, g gradient, p_i = sum_{k >= 1} |q_ik| s^k with the coefficients q_ik of the series. Reference: docs/mathematics, section 11.7.
#pragma once

#include <cstdint>
#include <vector>

namespace zwang::motion {

struct Motion;

/// The far conditions of a motion.
struct Far {
  std::vector<std::uint32_t> rows;  ///< ascending; open, and not watched
  std::vector<double> slack;        ///< of each: what of -f may be used up
  std::vector<double> length;       ///< of each: |g| of a distance; 0: its gradient is constant
  std::vector<double> way;          ///< per variable: the way made since the slack was measured, at most
  std::vector<double> pace;         ///< per variable: the way that is to be expected before they are looked at again
  double pace_then = 0;             ///< sum of `pace` when they were found
  std::vector<double> wanted,
      got;  ///< per variable: the way of the last step if nothing were far, and as far as these let it
};

/// At an instant: those of the open rows given that are far are taken out, and remembered.
void leave_out_far(Motion& motion, std::vector<std::uint32_t>& watched);
/// Those remembered are not evaluated at instants.
void leave_unevaluated(Motion& motion);
/// Between instants: all of them are watched again but those that are further than steps as long as the last one reach.
void look_around(Motion& motion);
/// The same without any exception.
void watch_everything(Motion& motion);
/// The state was moved, without a step, from these positions: is what is far still known to be so? Else all are evaluated again.
void move_past_far(Motion& motion, const std::vector<double>& from);
/// The longest step, not longer than h in the unit of the series, on which no far condition can be touched.
[[nodiscard]] double reach_of_far(Motion& motion, double h);
/// The step ended where that said: longer ones are to be expected.
void expect_more(Motion& motion);
/// Keep account of a step of length s.
void go_past_far(Motion& motion, double s);

}  // namespace zwang::motion
