/// A crowd's motion as any run is looked at: states of all members at any time, from the stretches of its chronicle.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "zwang/crowds/chunk.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::crowds {

/// Where a chronicle lies: in memory or in a file.
struct Source {
  const motion::Account* account = nullptr;
  motion::Sampling sampling;
  std::vector<ChunkPlace> places;
  std::function<std::shared_ptr<const Chunk>(std::size_t)> chunk;
  std::uint64_t events = 0;
  std::function<std::optional<double>(double)> event_time_from;
  std::function<void(std::uint64_t, const std::function<bool(const motion::Event&)>&)> each_event;
};

/// The model is that of the crowd with the pairs met as rows (`model::with_met`); it and what the source refers to must outlive the view. Of a long motion of
/// many the events tell the states of those alone that took part.
[[nodiscard]] motion::RunView view(const model::Model& model, Source source);

/// Pieces from one event of anybody to the next are many. This is the same run in at most so many, between whose ends the coordinates are cubic: for
/// pictures. A run of no more pieces stays as it is.
[[nodiscard]] motion::RunView thinned(const model::Model& model, motion::RunView run, std::uint64_t pieces);

/// The same run with rows numbered as in the model whose pairs are all written out; the view keeps the model it speaks of now.
[[nodiscard]] motion::RunView as_written_out(const model::Model& whole, const std::shared_ptr<const model::Model>& told,
                                             const motion::RunView& run);

/// In memory.
struct Track {
  std::vector<std::shared_ptr<const Chunk>> chunks;
  std::vector<motion::Event> events;
  std::vector<model::Pair> met;
  motion::Sampling sampling;
  motion::Account account;
  std::string checkpoint;  ///< where it could go on
};

/// One that was followed, with the model that speaks of the pairs met.
struct Followed {
  Track track;
  std::shared_ptr<const model::Model> told;
};

/// From `crowd`, as it was begun or restored, to its end or to an interruption. True if the motion has ended.
bool follow(const model::Model& model, Crowd& crowd, Track& track, const std::function<bool(const Crowd&)>& go_on = {});

/// The model and the track must outlive the view.
[[nodiscard]] motion::RunView view(const model::Model& model, const Track& track);

}  // namespace zwang::crowds
