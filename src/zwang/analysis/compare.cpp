/// Two motions side by side.
#include "zwang/analysis/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "zwang/model/law.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::analysis {

namespace {

/// The states of a motion at ascending instants; at an event the state after it.
std::vector<model::State> states_at(motion::Motion& motion, const std::vector<double>& instants) {
  std::vector<model::State> states;
  const auto next = [&] { return instants[states.size()]; };
  while (motion::advance(motion)) {
    const double now = motion.state.time;
    const double end = now - (motion.events.empty() ? 0 : motion::resolution(now));
    model::State state;
    while (states.size() < instants.size() && next() < end && motion.piece.length > 0) {
      motion::evaluate(motion.piece, next(), state);
      state.time = next();
      states.push_back(state);
    }
  }
  while (states.size() < instants.size() && next() <= motion.state.time + motion::resolution(motion.state.time)) {
    states.push_back(motion.state);
    states.back().time = instants[states.size() - 1];
  }
  return states;
}

}  // namespace

Ruler::Ruler(const model::Model& model)
    : model_(model), scratch_(model::make_scratch(model)), dynamics_(model::make_dynamics(model)) {}

double Ruler::distance(const model::State& straightest, const model::State& variational) {
  model::evaluate_dynamics(model_, straightest, scratch_, dynamics_);
  if (!dynamics_.mass_positive) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const std::size_t n = straightest.position.size();
  difference_.resize(n);
  image_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    difference_[i] = straightest.position[i] - variational.position[i];
  }
  dynamics_.mass.multiply(difference_, image_);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += difference_[i] * image_[i];
  }
  return std::sqrt(std::max(sum, 0.0));
}

std::vector<model::State> places_of(const motion::RunView& run) {
  constexpr std::uint64_t places = 16;
  std::vector<model::State> out;
  for (std::uint64_t k = 1; k <= places && run.samples > 0; ++k) {
    run.each_sample(k * (run.samples - 1) / places, [&](const motion::Sample& sample) {
      out.push_back(sample.state);
      return false;
    });
  }
  return out;
}

std::vector<Apart> distances(const model::Model& straightest, const motion::RunView& straightest_run,
                             const model::Model& variational, const motion::RunView& variational_run,
                             const std::vector<double>& more) {
  Ruler ruler(straightest);
  std::vector<Apart> list;

  // Samples of both, a thousand at a time.
  constexpr std::uint64_t batch = 1000;
  const std::uint64_t count = std::min(straightest_run.samples, variational_run.samples);
  std::vector<model::State> states;
  for (std::uint64_t first = 0; first < count; first += batch) {
    const std::uint64_t size = std::min(batch, count - first);
    states.clear();
    straightest_run.each_sample(first, [&](const motion::Sample& sample) {
      states.push_back(sample.state);
      return states.size() < size;
    });
    std::uint64_t k = 0;
    variational_run.each_sample(first, [&](const motion::Sample& sample) {
      if (k < states.size()) {
        list.push_back({states[k].time, ruler.distance(states[k], sample.state)});
      }
      return ++k < size;
    });
  }

  // Instants between the samples.
  motion::Sample here;
  motion::Sample there;
  for (const double time : more) {
    const bool known = std::any_of(list.begin(), list.end(), [&](const Apart& apart) { return apart.time == time; });
    if (!known && motion::state_at(straightest, straightest_run, time, here) &&
        motion::state_at(variational, variational_run, time, there)) {
      list.push_back({time, ruler.distance(here.state, there.state)});
    }
  }
  std::stable_sort(list.begin(), list.end(), [](const Apart& a, const Apart& b) { return a.time < b.time; });
  return list;
}

Comparison compare(const model::Model& model, const motion::Options& options, const std::vector<double>& instants) {
  Comparison result;
  result.straightest_model = std::make_unique<model::Model>(model::under_law(model, model::Law::straightest));
  result.variational_model = std::make_unique<model::Model>(model::under_law(model, model::Law::variational));
  result.straightest = motion::begin(*result.straightest_model, options);
  result.variational = motion::begin(*result.variational_model, options);
  const model::State start = result.straightest.state;
  const std::vector<model::State> straightest = states_at(result.straightest, instants);
  const std::vector<model::State> variational = states_at(result.variational, instants);
  result.equivalence = equivalence(*result.straightest_model, start, straightest);
  Ruler ruler(*result.straightest_model);
  for (std::size_t k = 0; k < std::min(straightest.size(), variational.size()); ++k) {
    result.distance.push_back({instants[k], ruler.distance(straightest[k], variational[k])});
  }
  return result;
}

Apart farthest(const std::vector<Apart>& distance) {
  Apart most;
  for (const Apart& apart : distance) {
    if (apart.distance > most.distance) {
      most = apart;
    }
  }
  return most;
}

}  // namespace zwang::analysis
