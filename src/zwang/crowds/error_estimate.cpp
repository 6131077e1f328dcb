/// The error of a crowd's end, by crowds from starts a few roundings away.
#include "zwang/crowds/error_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/base/vectors.hpp"

namespace zwang::crowds {

motion::ErrorEstimate estimate_error(const model::Model& model, const model::State& end,
                                     const std::function<bool(const Crowd&)>& go_on) {
  // What flights have to round: the places between which they go.
  model::State sizes = model::initial_state(model);
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    sizes.position[i] = std::max(std::abs(sizes.position[i]), std::abs(end.position[i]));
    sizes.velocity[i] = std::max(std::abs(sizes.velocity[i]), std::abs(end.velocity[i]));
  }
  motion::Options options;
  options.until = end.time;
  motion::ErrorEstimate found;
  for (std::uint64_t other = 0; other < motion::other_starts; ++other) {
    const model::Model moved = motion::moved_start(model, sizes, other);
    Crowd crowd(moved, options);
    while (crowd.advance()) {
      if (go_on && !go_on(crowd)) break;
    }
    if (crowd.status() == motion::Status::going || crowd.status() == motion::Status::gave_up) continue;
    found.known = true;
    if (crowd.status() != motion::Status::finished) {
      found.lost = true;
      continue;
    }
    const model::State last = crowd.account().present.state;
    double extent = 0;
    for (std::uint32_t i = 0; i < model.variables; ++i)
      extent = std::max(extent, std::abs(end.position[i] - model.initial_position[i]));
    motion::compare_ends(end, last, extent, largest(last.velocity), found);
  }
  return found;
}

}  // namespace zwang::crowds
