/// The loop between `advance` and the file.
#include "zwang/runs/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>

#include "zwang/error.hpp"
#include "zwang/runs/scribe.hpp"

namespace zwang::runs {

using motion::Account;
using motion::Event;
using motion::Motion;
using motion::Piece;
using motion::RunView;
using motion::Sample;
using motion::Sampling;
using motion::Status;
using motion::Track;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t instants_between_looks = 16;
constexpr std::size_t events_handed_over = 512;
constexpr double commits_share = 10;  ///< commits of a crowd take no more than a tenth of its time

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Takes the samples that are due.
class Sampler {
 public:
  Sampler(const model::Model& model, Store& store) : model_(model), store_(store) {}

  /// All instants of a piece up to the time reached; those of an event at its end belong to what follows. A piece can have very many: after each it is asked whether to go on.
  template <class GoOn>
  bool follow(const Piece& piece, double reached, bool ends_with_event, const GoOn& go_on) {
    const double end = reached - (ends_with_event ? motion::resolution(reached) : 0);
    double time = next();
    while (time < end) {
      motion::sample_piece(model_, piece, time, sample_);
      store_.add(sample_);
      if (!go_on()) return false;
      time = next();
    }
    return true;
  }

  /// What is left of the last piece in the file, where the run ended or was kept among its samples.
  template <class GoOn>
  bool catch_up(double reached, const GoOn& go_on) {
    Piece piece;
    const double from = next();
    if (!(from < reached) || !store_.piece_at(from, piece)) return true;
    const std::optional<double> event = store_.event_time_from(reached);
    return follow(piece, reached, event && *event <= reached, go_on);
  }

  /// The instants of the very end.
  void finish(const Account& account) {
    const double end = account.present.state.time;
    // A grid finer than the resolution of the time is its own measure.
    const Sampling& grid = store_.sampling();
    const double spacing = grid.count > 1 ? (grid.until - grid.start) / (grid.count - 1) : motion::resolution(end);
    const double slack = std::min(motion::resolution(end), 0.5 * spacing);
    double time = next();
    while (time <= end + slack) {
      sample_ = account.present;
      sample_.state.time = time;
      motion::observe(model_, sample_);
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

// What both kinds of motion are asked for, by the same names.

const Motion& motion_of(const Motion& motion) { return motion; }
const Motion& motion_of(const stepping::Stepping& stepping) { return stepping.motion; }
const Piece* piece_of(Motion& motion) { return &motion.piece; }
const Piece* piece_of(stepping::Stepping& stepping) { return stepping::piece_to_keep(stepping); }

/// The motion of the last checkpoint; none if there is none.
template <class Restore>
auto restored(Store& store, const Restore& restore) -> std::optional<decltype(restore(std::string()))> {
  const std::string saved = store.checkpoint();
  if (!saved.empty()) {
    try {
      return restore(saved);
    } catch (const Fault& fault) {
      throw Fault({store.path(), 0, 0}, fmt::format("this run file is damaged: {}", fault.message()));
    } catch (const Error& error) {
      throw Error({store.path(), 0, 0}, fmt::format("{} (zwang {})", error.message(), store.recipe().version));
    }
  }
  if (store.pieces() > 0) throw Fault({store.path(), 0, 0}, "this run file is damaged: its checkpoint is empty");
  return {};
}

/// On to the end, with the verbs of the room that the motion comes from.
template <class Moving>
bool carry_on(const model::Model& model, Moving& moving, Store& store, const Recording& recording) {
  const Motion& motion = motion_of(moving);
  Sampler sampler(model, store);
  const auto begin = Clock::now();
  const double before = store.account().seconds;
  auto last_commit = begin;
  double pause = 0;
  std::uint64_t pieces_then = store.pieces();
  const auto commit = [&](Status status, bool patient) {
    Account account = account_of(model, moving);
    account.status = status;
    account.seconds = before + seconds_since(begin);
    if (status != Status::going && status != Status::interrupted) {
      sampler.finish(account);
    }
    // While a reader holds the file the run goes on, and asks again in a second.
    pause = store.commit(account, save(moving), patient) ? 0 : 1;
    last_commit = Clock::now();
    pieces_then = store.pieces();
  };
  const auto due = [&] {
    const double elapsed = seconds_since(last_commit);
    const bool much = store.pieces() - pieces_then >= recording.pieces || store.pending() >= recording.bytes;
    return elapsed >= recording.seconds || (much && elapsed >= pause);
  };

  // Of a motion whose pieces are all kept, also among the samples of one piece.
  constexpr bool whole = std::is_same_v<Moving, Motion>;
  const auto go_on_within = [&] {
    if (!whole || !due()) return true;
    commit(Status::going, false);
    return !recording.go_on || recording.go_on(progress_of(motion));
  };
  const auto interrupt = [&] {
    commit(Status::interrupted, true);
    return false;
  };
  if (whole && !sampler.catch_up(motion.state.time, go_on_within)) return interrupt();

  // Piece by piece into the file; what is in it becomes permanent every few seconds.
  while (advance(moving)) {
    if (const Piece* piece = piece_of(moving); piece != nullptr && piece->length > 0) store.add(*piece);
    for (const Event& event : motion.events) {
      store.add(event);
    }
    const bool sampled = !(motion.piece.length > 0) ||
                         sampler.follow(motion.piece, motion.state.time, !motion.events.empty(), go_on_within);
    if (!sampled) return interrupt();
    if (recording.go_on && !recording.go_on(progress_of(motion))) {
      if (motion.status == Status::going) return interrupt();
    } else if (due()) {
      commit(Status::going, false);
    }
  }
  commit(motion.status, true);
  return true;
}

}  // namespace

Progress progress_of(const Motion& motion) {
  return {motion.state.time, motion.steps, motion.event_count, motion.energy.defect(), &motion};
}

Motion start_or_resume(const model::Model& model, const motion::Options& options, Store& store) {
  store.set_outputs(model);
  if (auto motion = restored(store, [&](const std::string& saved) { return motion::restore(model, options, saved); }))
    return std::move(*motion);
  Motion motion = motion::begin(model, options);
  for (const Event& event : motion.events) {
    store.add(event);
  }
  return motion;
}

stepping::Stepping start_or_resume_steps(const model::Model& model, const motion::Options& options, Store& store) {
  store.set_outputs(model);
  if (auto motion = restored(store, [&](const std::string& saved) { return stepping::restore(model, options, saved); }))
    return std::move(*motion);
  return stepping::begin(model, options);
}

bool record(const model::Model& model, Motion& motion, Store& store, const Recording& recording) {
  return carry_on(model, motion, store, recording);
}

bool record(const model::Model& model, stepping::Stepping& stepping, Store& store, const Recording& recording) {
  return carry_on(model, stepping, store, recording);
}

crowds::Crowd start_or_resume_crowd(const model::Model& model, const motion::Options& options, Store& store) {
  store.set_outputs(model);
  if (auto crowd =
          restored(store, [&](const std::string& saved) { return crowds::Crowd::restore(model, options, saved); })) {
    return std::move(*crowd);
  }
  return crowds::Crowd(model, options);
}

bool record(const model::Model& model, crowds::Crowd& crowd, Store& store, const Recording& recording) {
  const std::uint32_t dimension = model.bodies[0].dimension;
  crowds::Chronicle chronicle(model.variables / dimension, dimension);
  const auto begin = Clock::now();
  const double before = store.account().seconds;

  // While the crowd moves on, another thread writes; what it says of itself stands here.
  std::atomic<std::uint64_t> pending = store.pending();
  std::atomic<double> pause_of_reader = 0;
  std::atomic<double> commit_seconds = 0;
  std::vector<Event> told;
  Scribe scribe;
  const auto hand_over = [&] {
    if (told.empty()) return;
    scribe.give([&store, &pending, events = std::exchange(told, {})] {
      for (const Event& event : events) store.add(event);
      pending = store.pending();
    });
  };
  const auto add_events = [&] {
    told.insert(told.end(), crowd.events().begin(), crowd.events().end());
    if (told.size() >= events_handed_over) hand_over();
  };
  if (store.checkpoint().empty()) {
    chronicle.append(crowd);
    add_events();
  } else if (store.chunks() > 0) {
    chronicle.take_up(*store.chunk(store.chunks() - 1));
  }
  // Pairs that had met before this stretch.
  auto met = static_cast<std::ptrdiff_t>(store.met().size());
  std::size_t put_already = 0;  // bytes of this stretch
  const auto put = [&](const crowds::Written& chunk, bool goes_on) {
    std::vector<model::Pair> pairs(crowd.met().begin() + met, crowd.met().end());
    put_already = goes_on ? chronicle.bytes() : 0;
    if (!goes_on) met = static_cast<std::ptrdiff_t>(crowd.met().size());
    scribe.give([&store, &model, &pending, chunk, pairs = std::move(pairs), goes_on] {
      store.add(chunk, model, pairs, goes_on);
      pending = store.pending();
    });
  };
  auto last_commit = begin;
  const auto commit = [&](Status status, bool patient) {
    hand_over();
    if (!chronicle.is_empty()) put(chronicle.so_far(), true);
    Account account = crowd.account();
    account.status = status;
    account.seconds = before + seconds_since(begin);
    scribe.give([&, account = std::move(account), state = crowd.save(), patient] {
      const auto from = Clock::now();
      // While a reader holds the file the run goes on, and asks again in a second.
      pause_of_reader = store.commit(account, state, patient) ? 0 : 1;
      pending = store.pending();
      commit_seconds = seconds_since(from);
    });
    last_commit = Clock::now();
  };
  // Everything stands in every checkpoint: of many they are kept less often.
  double seconds_of_commit = 0;
  std::uint64_t count = 0;
  while (crowd.advance()) {
    chronicle.append(crowd);
    add_events();
    if (chronicle.is_full()) put(chronicle.close(), false);
    // (The clock costs as much as a part of an event.)
    if (++count % instants_between_looks != 0 && crowd.status() == Status::going) continue;
    if (recording.go_on && !recording.go_on({crowd.time(), crowd.steps(), crowd.event_count(), 0, nullptr})) {
      if (crowd.status() == Status::going) {
        commit(Status::interrupted, true);
        scribe.finish();
        return false;
      }
      continue;
    }
    const double elapsed = seconds_since(last_commit);
    const bool much = pending + chronicle.bytes() - put_already >= recording.bytes;
    const double pause = std::max(recording.seconds, commits_share * (seconds_of_commit + commit_seconds));
    if ((elapsed >= pause && scribe.is_idle()) || (much && elapsed >= pause_of_reader)) {
      const auto from = Clock::now();
      commit(Status::going, false);
      // What waits for it is memory.
      if (much) scribe.finish();
      seconds_of_commit = much ? 0 : seconds_since(from);
    }
  }
  commit(crowd.status(), true);
  scribe.finish();
  return true;
}

void write(const model::Model& model, const crowds::Track& track, Store& store) {
  store.set_outputs(model);
  for (const Event& event : track.events) store.add(event);
  const std::span<const model::Pair> met = track.met;
  for (std::size_t k = 0; k < track.chunks.size(); ++k) {
    store.add(crowds::encode(*track.chunks[k], model.bodies[0].dimension), model,
              k + 1 == track.chunks.size() ? met : std::span<const model::Pair>{});
  }
  store.commit(track.account, track.checkpoint, true);
}

void write(const model::Model& model, const Track& track, Store& store) {
  store.set_outputs(model);
  for (const Piece& piece : track.pieces) {
    store.add(piece);
  }
  for (const Event& event : track.events) {
    store.add(event);
  }
  const RunView run = motion::view(model, track);
  Sample sample;
  for (std::uint64_t k = 0; k < store.sampling().count; ++k) {
    if (!motion::state_at(model, run, store.sampling().instant(k), sample)) {
      break;
    }
    store.add(sample);
  }
  store.commit(track.account, track.checkpoint, true);
}

}  // namespace zwang::runs
