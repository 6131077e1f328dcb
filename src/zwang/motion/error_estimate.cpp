/// The error of a motion's end, by motions from starts a few roundings away.
#include "zwang/motion/error_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/base/chance.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

constexpr double sharper = 100;         ///< by so much the tolerance of the other motions is smaller
constexpr double no_more_small = 1e-3;  ///< of the motion's extent: beyond it the estimate itself means nothing
/// Thirty roundings: those of a hundred shocks that repeat one another (a ball that bounces) have one sign and add up.
constexpr double few_roundings = 0x1p-48;

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// What the first piece has to round: the larger of both ends of it, per variable.
model::State first_sizes(const model::Model& model, const Options& options) {
  Motion motion = begin(model, options);
  model::State sizes = motion.state;
  while (motion.piece.length == 0 && advance(motion)) {
  }
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    sizes.position[i] = std::max(std::abs(sizes.position[i]), std::abs(motion.state.position[i]));
    sizes.velocity[i] = std::max(std::abs(sizes.velocity[i]), std::abs(motion.state.velocity[i]));
  }
  return sizes;
}

/// The numbers of a start moved, and said to be that uncertain: a condition whose terms are all zero there is still kept.
void move_numbers(std::span<double> numbers, std::span<const double> by, std::vector<model::Doubt>& doubts) {
  std::vector<double> amounts(numbers.size(), 0.0);
  for (const model::Doubt& doubt : doubts) amounts[doubt.variable] = doubt.amount;
  doubts.clear();
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    numbers[i] += by[i];
    const double amount = amounts[i] + std::abs(by[i]);
    if (amount > 0) doubts.push_back({i, amount});
  }
}

}  // namespace

model::Model moved_start(const model::Model& model, const model::State& sizes, std::uint64_t number) {
  model::Model moved = model;
  std::vector<double> position(model.variables);
  std::vector<double> velocity(model.variables);
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    const std::uint64_t one = 2 * (number * model.variables + i);
    position[i] = few_roundings * chance(one) * sizes.position[i];
    velocity[i] = few_roundings * chance(one + 1) * sizes.velocity[i];
  }
  move_numbers(moved.initial_position, position, moved.position_doubts);
  move_numbers(moved.initial_velocity, velocity, moved.velocity_doubts);
  return moved;
}

void compare_ends(const model::State& end, const model::State& other, double extent, double fastest,
                  ErrorEstimate& found) {
  const double position = largest_difference(other.position, end.position);
  const double velocity = largest_difference(other.velocity, end.velocity);
  const double error = std::max(extent > 0 ? position / extent : position, fastest > 0 ? velocity / fastest : velocity);
  found.error = std::max(found.error, error);
  found.lost = found.lost || !(error < no_more_small);
}

ErrorEstimate estimate_error(const model::Model& model, const model::State& end, Status status, const GoOn& go_on) {
  Options options;
  options.until = status == Status::stopped ? model.simulation.until : end.time;
  // A blunter one is not taken: the motion had this.
  options.tolerance = std::max(std::min(model.simulation.tolerance, bluntest) / sharper, sharpest);
  const model::State sizes = first_sizes(model, options);

  ErrorEstimate found;
  for (std::uint64_t other = 0; other < other_starts; ++other) {
    // Another start.
    const model::Model moved = moved_start(model, sizes, other);

    // The same way.
    Motion motion = begin(moved, options);
    const std::vector<double> start = motion.state.position;
    double extent = 0;
    double fastest = largest(motion.state.velocity);
    const auto measure = [&] {
      extent = std::max(extent, largest_difference(motion.state.position, start));
      fastest = std::max(fastest, largest(motion.state.velocity));
    };
    while (advance(motion)) {
      measure();
      if (go_on && !go_on(motion)) break;
    }
    measure();

    // How far apart the ends are. One that does not end as the first did has lost it.
    if (motion.status == Status::going || motion.status == Status::gave_up) continue;
    found.known = true;
    if (motion.status != status) {
      found.lost = true;
      continue;
    }
    compare_ends(end, motion.state, extent, fastest, found);
  }
  return found;
}

}  // namespace zwang::motion
