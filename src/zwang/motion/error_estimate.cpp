/// The error of a motion's end, by a second motion.
#include "zwang/motion/error_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace zwang::motion {

namespace {

constexpr double sharper = 100;         ///< by so much the second tolerance is smaller
constexpr double sharpest = 1e-15;      ///< there is no sharper motion
constexpr double blunter = 1e4;         ///< where the first one is as sharp, the second is so much blunter instead
constexpr double no_more_small = 1e-3;  ///< of the motion's extent: beyond it the estimate itself means nothing

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

ErrorEstimate estimate_error(const model::Model& model, const model::State& end, const GoOn& go_on) {
  Options options;
  options.until = end.time;
  const double tolerance = model.simulation.tolerance;
  options.tolerance = tolerance > 2 * sharpest ? std::max(tolerance / sharper, sharpest) : sharpest * blunter;
  Motion motion = begin(model, options);
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

  ErrorEstimate found;
  if (motion.status == Status::going || motion.state.time < end.time) return found;
  found.known = true;
  const double position = largest_difference(motion.state.position, end.position);
  const double velocity = largest_difference(motion.state.velocity, end.velocity);
  found.error = std::max(extent > 0 ? position / extent : position, fastest > 0 ? velocity / fastest : velocity);
  found.lost = !(found.error < no_more_small);
  return found;
}

}  // namespace zwang::motion
