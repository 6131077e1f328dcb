/// A motion carried on into its file: pieces, events and samples as they come, a checkpoint every two seconds.
///
/// Sampling at an event gives the state after it; an instant nearer to an event than 1e-12 (1 + |t|) is that event's.
#pragma once

#include <functional>

#include "zwang/motion/track.hpp"
#include "zwang/runs/store.hpp"
#include "zwang/stepping/stepping.hpp"

namespace zwang::runs {

/// How far a run is.
struct Progress {
  double time = 0;
  std::uint64_t steps = 0;
  std::uint64_t events = 0;
  double energy_defect = 0;
  const motion::Motion* motion = nullptr;  ///< none of a crowd
};
[[nodiscard]] Progress progress_of(const motion::Motion& motion);

struct Recording {
  double seconds = 2;              ///< computing time between two commits
  std::uint64_t pieces = 100'000;  ///< at most so many pieces between two commits
  std::uint64_t bytes = 32 << 20;  ///< and about so many bytes
  unsigned threads = 1;            ///< of a crowd, which does not depend on it; one more writes
  /// Asked after every piece, of a crowd after some events; false interrupts the run, which can go on later.
  std::function<bool(const Progress&)> go_on;
};

/// The motion of the last checkpoint, or the beginning, whose events are then the first in the file.
[[nodiscard]] motion::Motion start_or_resume(const model::Model& model, const motion::Options& options, Store& store);
/// The same of a motion in steps.
[[nodiscard]] stepping::Stepping start_or_resume_steps(const model::Model& model, const motion::Options& options,
                                                       Store& store);
/// The same of a crowd, whose model has left its pairs as they are.
[[nodiscard]] crowds::Crowd start_or_resume_crowd(const model::Model& model, const motion::Options& options,
                                                  Store& store);

/// On to the end or to an interruption. Afterwards everything is in the file; true if the motion has ended.
bool record(const model::Model& model, motion::Motion& motion, Store& store, const Recording& recording = {});
bool record(const model::Model& model, stepping::Stepping& stepping, Store& store, const Recording& recording = {});
bool record(const model::Model& model, crowds::Crowd& crowd, Store& store, const Recording& recording = {});

/// A run in memory into a new run file, with its samples.
void write(const model::Model& model, const motion::Track& track, Store& store);
void write(const model::Model& model, const crowds::Track& track, Store& store);

}  // namespace zwang::runs
