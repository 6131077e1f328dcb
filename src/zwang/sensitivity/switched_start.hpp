/// Motions that start where a force jumps: if the parameter moves the start to the other side, the motion is for a moment another one.
#pragma once

#include <string>
#include <vector>

#include "zwang/expressions/corners.hpp"
#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

struct SwitchedStart {
  std::string name;    ///< of what switches, in words of the model
  bool below = false;  ///< values below the parameter's own start on the other side, or those above it
};

/// `sides`: those of the motion behind its start; `accelerates`: how much, at most, on its first piece, beside which a jump of the forces counts.
[[nodiscard]] std::vector<SwitchedStart> switched_starts(Variation& variation, const MotionPoint& start,
                                                         const std::vector<expressions::Side>& sides,
                                                         double accelerates);

}  // namespace zwang::sensitivity
