/// A run with the derivatives by some parameters, which go along it together.
#include "zwang/sensitivity/sensitivity.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "zwang/sensitivity/walk.hpp"

namespace zwang::sensitivity {

namespace {

using motion::Event;
using motion::Piece;

/// Of two motions by the two slopes of a kink: each side has its own.
void join(ParameterSensitivity& out, const ParameterSensitivity& below) {
  const auto one = [](auto& above, const auto& its) {
    above.before = its.before;
    if (above.why.empty()) above.why = its.why;
    if (above.why.empty()) above.why = "numbers of the model have a kink at this value of the parameter";
  };
  one(out.final, below.final);
  for (std::size_t k = 0; k < out.samples.size(); ++k) one(out.samples[k], below.samples[k]);
  for (std::size_t k = 0; k < out.events.size(); ++k) one(out.events[k], below.events[k]);
}

template <class OfBothSides>
void take_below(OfBothSides& out, const OfBothSides& below) {
  if (!out.before) out.before = below.before;
}

}  // namespace

std::vector<ParameterSensitivity> sensitivity(const model::Model& model, const motion::RunView& run,
                                              const std::vector<ParameterSlope>& asked,
                                              const std::vector<double>& times, const std::function<bool()>& go_on) {
  // Nothing to differentiate by: then neither events nor pieces are gone through.
  if (asked.empty()) return {};
  // A kink of the numbers: by the slopes of either side.
  if (std::any_of(asked.begin(), asked.end(), [](const ParameterSlope& one) { return one.below.has_value(); })) {
    std::vector<ParameterSlope> single;
    for (const ParameterSlope& one : asked) {
      single.push_back(one);
      single.back().below.reset();
      if (!one.below) continue;
      single.push_back(single.back());
      single.back().slope = *one.below;
    }
    std::vector<ParameterSensitivity> found = sensitivity(model, run, single, times, go_on);
    std::vector<ParameterSensitivity> out;
    for (std::size_t k = 0, at = 0; k < asked.size(); ++k, ++at) {
      out.push_back(std::move(found[at]));
      if (asked[k].below) join(out.back(), found[++at]);
    }
    return out;
  }
  // With rows for what can be slid on, where there is something.
  std::vector<ParameterSlope> wider;
  std::vector<std::vector<Surface>> surfaces(asked.size());
  if (model.switches > 0) {
    wider = asked;
    for (std::size_t k = 0; k < wider.size(); ++k) surfaces[k] = add_surfaces(wider[k]);
  }
  const std::vector<ParameterSlope>& parameters = wider.empty() ? asked : wider;
  std::vector<Event> events;
  run.each_event(0, [&](const Event& event) {
    events.push_back(event);
    return true;
  });
  // Parameters whose models are one share its equations, and all go along together.
  PointsOfPiece points;
  std::vector<Walk> walks;
  walks.reserve(parameters.size());
  std::vector<std::shared_ptr<Linearized>> equations(parameters.size());
  std::vector<std::size_t> number(parameters.size(), 0);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (equations[k]) continue;
    std::vector<std::size_t> same;
    std::vector<const model::Model*> slopes;
    for (std::size_t j = k; j < parameters.size(); ++j) {
      if (equations[j] || (j > k && !same_numbers(parameters[k].model, parameters[j].model))) continue;
      number[j] = same.size();
      same.push_back(j);
      slopes.push_back(&parameters[j].slope);
    }
    const auto shared = std::make_shared<Linearized>(parameters[k].model, std::move(slopes));
    for (const std::size_t j : same) equations[j] = shared;
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    walks.emplace_back(model, run, Variation(parameters[k], equations[k], number[k]), surfaces[k], times, events,
                       points);
    walks.back().prepare();
  }
  bool interrupted = false;
  std::vector<Following> asked_for;
  run.each_piece(0, [&](const Piece& piece) {
    go_along(walks, piece, asked_for);
    interrupted = go_on && !go_on();
    return !interrupted;
  });
  std::vector<ParameterSensitivity> out(parameters.size());
  for (std::size_t k = 0; k < walks.size() && !interrupted; ++k) {
    out[k] = walks[k].take();
    if (!walks[k].forked()) continue;
    // Once more for the values below.
    PointsOfPiece own;
    std::vector<Walk> others;
    others.emplace_back(model, run, Variation(parameters[k], equations[k], number[k]), surfaces[k], times, events, own);
    Walk& other = others.front();
    other.prefer_below();
    other.prepare();
    run.each_piece(0, [&](const Piece& piece) {
      go_along(others, piece, asked_for);
      interrupted = go_on && !go_on();
      return !interrupted;
    });
    const ParameterSensitivity below = other.take();
    take_below(out[k].final, below.final);
    for (std::size_t j = 0; j < out[k].samples.size(); ++j) take_below(out[k].samples[j], below.samples[j]);
    for (std::size_t j = 0; j < out[k].events.size(); ++j) take_below(out[k].events[j], below.events[j]);
  }
  if (interrupted) return std::vector<ParameterSensitivity>(parameters.size());
  return out;
}

}  // namespace zwang::sensitivity
