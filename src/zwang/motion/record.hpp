/// A motion carried on into its file: pieces, events and samples as they come, a checkpoint every two seconds.
///
/// Sampling at an event gives the state after it; an instant nearer to an event than 1e-12 (1 + |t|) is that event's.
#pragma once

#include <functional>

#include "zwang/motion/store.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::motion {

struct Recording {
  double seconds = 2;              ///< computing time between two commits
  std::uint64_t pieces = 100'000;  ///< at most so many pieces between two commits
  std::uint64_t bytes = 32 << 20;  ///< and about so many bytes
  /// Asked after every piece; false interrupts the run, which can go on later.
  std::function<bool(const Motion&)> go_on;
};

/// The motion of the last checkpoint, or the beginning, whose events are then the first in the file.
[[nodiscard]] Motion start_or_resume(const model::Model& model, const Options& options, Store& store);

/// On to the end or to an interruption. Afterwards everything is in the file; true if the motion has ended.
bool record(const model::Model& model, Motion& motion, Store& store, const Recording& recording = {});

/// The state at a time between the start of the run and where it is now, from the file; false if the run has no such state.
bool state_at(const model::Model& model, const Store& store, double time, Sample& sample);

/// What counts as one instant.
[[nodiscard]] double resolution(double time);

}  // namespace zwang::motion
