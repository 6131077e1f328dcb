/// A crowd's motion kept in memory: flights, legs and events as they came, and the states that follow from them.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/crowds/crowd.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::crowds {

struct Track {
  std::vector<Flight> flights;
  std::vector<Leg> legs;
  std::vector<Begun> begun;  ///< both, in the order in which they began
  std::vector<motion::Event> events;
  std::vector<model::Pair> met;
  motion::Sampling sampling;
  motion::Account account;
};

/// What the last `advance`, or the start, has brought, behind what is there.
void append(const Crowd& crowd, Track& track);

/// As any run is looked at. The model is that of the crowd with the pairs met as rows (`model::with_met`); it and the track must outlive the view.
[[nodiscard]] motion::RunView view(const model::Model& model, const Track& track);

}  // namespace zwang::crowds
