/// The error of the state a crowd has come to, estimated by going the same way again from starts a few roundings away (motion/error_estimate.hpp).
#pragma once

#include <functional>

#include "zwang/crowds/crowd.hpp"
#include "zwang/motion/error_estimate.hpp"

namespace zwang::crowds {

/// Of the state that a crowd ended with, which `finished`. `go_on` is asked now and then.
[[nodiscard]] motion::ErrorEstimate estimate_error(const model::Model& model, const model::State& end,
                                                   const std::function<bool(const Crowd&)>& go_on = {});

}  // namespace zwang::crowds
