/// The error of the state a motion has come to, estimated by going the same way again with a hundredth of the tolerance.
///
/// A defect is proved, an error is not: it is the defect times the growth of small differences along the motion, and that is seen best by
/// a second motion. Differences of positions are a part of the largest displacement that any variable makes, those of velocities a
/// part of the largest velocity; the larger of both is the estimate.
#pragma once

#include "zwang/model/model.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::motion {

struct ErrorEstimate {
  bool known = false;  ///< false: the second motion did not come as far
  bool lost = false;   ///< the difference is not small any more: the motion has forgotten its start
  double error = 0;
};

/// Of the state that a motion ended with. `go_on` is asked now and then.
[[nodiscard]] ErrorEstimate estimate_error(const model::Model& model, const model::State& end, const GoOn& go_on = {});

}  // namespace zwang::motion
