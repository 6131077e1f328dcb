/// The error of the state a motion has come to, estimated by going the same way again.
///
/// A defect is proved, an error is not: it is what every step and every shock rounds or leaves out, times the growth of small differences
/// from there to the end. Tightening the tolerance alone shows what steps leave out; straight flights between shocks repeat their bits.
/// So the motion is gone twice more, with a hundredth of the tolerance, from starts that differ from the written one by a few dozen roundings:
///
///   x_i -> x_i + r_i 2^-48 max(|x_i(0)|, |x_i(t_1)|),      1/2 <= |r_i| <= 1,      x = q, v,      t_1 the end of the first piece
///
/// (r_i from a fixed table of chance, so that the same run gives the same estimate). These roundings grow as those of the motion itself do,
/// and make all that follow other ones. Differences of positions are a part of the largest displacement that any variable makes, those of
/// velocities a part of the largest velocity; the largest of all is the estimate. Where the end hangs on an exact coincidence (two
/// shocks at the very same instant whose order matters) rounding decides it: then it is lost, too. Reference: docs/mathematics, section
/// 10.8.
#pragma once

#include <cstdint>

#include "zwang/model/model.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::motion {

struct ErrorEstimate {
  bool known = false;  ///< false: no second motion came as far
  bool lost = false;   ///< the difference is not small any more: the motion has forgotten its start
  double error = 0;
};

/// Of the state that a motion ended with, which `finished` or `stopped`. `go_on` is asked now and then.
[[nodiscard]] ErrorEstimate estimate_error(const model::Model& model, const model::State& end, Status status,
                                           const GoOn& go_on = {});

// The parts of it, for motions of other kinds.

/// As many other starts are tried: where one happens to lie along the direction that does not grow, the other does not.
inline constexpr std::uint64_t other_starts = 2;
/// The model with the start moved by a few roundings of these sizes, in the way of this number.
[[nodiscard]] model::Model moved_start(const model::Model& model, const model::State& sizes, std::uint64_t number);
/// The end of another motion beside that of the first; it went so far, and was so fast.
void compare_ends(const model::State& end, const model::State& other, double extent, double fastest,
                  ErrorEstimate& found);

}  // namespace zwang::motion
