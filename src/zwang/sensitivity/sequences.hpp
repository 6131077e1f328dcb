/// Sequences of shocks that have a limit.
///
/// Reference: docs/mathematics, section 24.4.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "zwang/sensitivity/sensitivity.hpp"

namespace zwang::sensitivity {

/// How the time of an accumulation moves, from the shocks before it whose slopes are known; those of the faintest of them, which have lost their digits, are found from it. Nothing where no
/// rhythm is seen.
[[nodiscard]] std::optional<double> limit_of_shocks(const std::vector<motion::Event>& events, std::size_t number,
                                                    std::vector<EventSlope>& slopes);

}  // namespace zwang::sensitivity
