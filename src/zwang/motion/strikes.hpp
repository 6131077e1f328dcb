/// What a motion knows of earlier shocks, for who takes it up in its course or lets it go.
#pragma once

#include <cstdint>
#include <span>

namespace zwang::motion {

struct Motion;

/// What a row has been struck with since the start.
struct Strikes {
  std::uint64_t count = 0;
  double hardest = 0;  ///< largest f' before one
};

/// Per row: what it was struck with before the motion was taken up. What rattles is measured by it.
void remember_strikes(Motion& motion, std::span<const Strikes> before);

/// Has a sequence of shocks closed whose limit is still to be told?
[[nodiscard]] bool has_limit_ahead(const Motion& motion);

}  // namespace zwang::motion
