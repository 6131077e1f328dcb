/// The loop between `advance` and the file.
#include "zwang/motion/record.hpp"

#include <algorithm>
#include <chrono>

namespace zwang::motion {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Takes the samples that are due.
class Sampler {
 public:
  Sampler(const model::Model& model, Store& store) : model_(model), store_(store) {}

  /// All instants of a piece up to the time reached; those of an event at its end belong to what follows.
  void follow(const Motion& motion) {
    const double end = motion.state.time - (motion.events.empty() ? 0 : resolution(motion.state.time));
    double time = next();
    while (time < end) {
      sample_piece(model_, motion.piece, time, sample_);
      store_.add(sample_);
      time = next();
    }
  }

  /// The instants of the very end.
  void finish(const Account& account) {
    const double end = account.present.state.time;
    // A grid finer than the resolution of the time is its own measure.
    const Sampling& grid = store_.sampling();
    const double spacing = grid.count > 1 ? (grid.until - grid.start) / (grid.count - 1) : resolution(end);
    const double slack = std::min(resolution(end), 0.5 * spacing);
    double time = next();
    while (time <= end + slack) {
      sample_ = account.present;
      sample_.state.time = time;
      observe(model_, sample_);
      store_.add(sample_);
      time = next();
    }
  }

 private:
  [[nodiscard]] double next() const { return store_.sampling().instant(store_.samples()); }

  const model::Model& model_;
  Store& store_;
  Sample sample_;
};

}  // namespace

Motion start_or_resume(const model::Model& model, const Options& options, Store& store) {
  store.set_outputs(model);
  const std::string saved = store.checkpoint();
  if (!saved.empty()) {
    return restore(model, options, saved);
  }
  Motion motion = begin(model, options);
  for (const Event& event : motion.events) {
    store.add(event);
  }
  return motion;
}

bool record(const model::Model& model, Motion& motion, Store& store, const Recording& recording) {
  Sampler sampler(model, store);
  const auto begin = Clock::now();
  const double before = store.account().seconds;
  auto last_commit = begin;
  double pause = 0;
  std::uint64_t pieces_then = store.pieces();
  const auto commit = [&](const std::string& status, bool patient) {
    Account account = account_of(model, motion);
    account.status = status;
    account.seconds = before + seconds_since(begin);
    if (status != words(Status::going) && status != "interrupted") {
      sampler.finish(account);
    }
    // While a reader holds the file the run goes on, and asks again in a second.
    pause = store.commit(account, save(motion), patient) ? 0 : 1;
    last_commit = Clock::now();
    pieces_then = store.pieces();
  };
  const auto due = [&] {
    const double elapsed = seconds_since(last_commit);
    const bool much = store.pieces() - pieces_then >= recording.pieces || store.pending() >= recording.bytes;
    return elapsed >= recording.seconds || (much && elapsed >= pause);
  };

  // Piece by piece into the file; what is in it becomes permanent every few seconds.
  while (advance(motion)) {
    if (motion.piece.length > 0) {
      store.add(motion.piece);
      sampler.follow(motion);
    }
    for (const Event& event : motion.events) {
      store.add(event);
    }
    if (recording.go_on && !recording.go_on(motion)) {
      if (motion.status == Status::going) {
        commit("interrupted", true);
        return false;
      }
    } else if (due()) {
      commit(std::string(words(Status::going)), false);
    }
  }
  commit(std::string(words(motion.status)), true);
  return true;
}

bool state_at(const model::Model& model, const Store& store, double time, Sample& sample) {
  return state_at(model, view(store), time, sample);
}

}  // namespace zwang::motion
