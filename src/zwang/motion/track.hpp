/// A motion kept in memory, and one view of runs that lie in memory or in a file: states at any times, by the thousand.
///
/// Asking for the state at the time of an event gives the state after it; an instant nearer to an event than
/// 1e-12 (1 + |t|) is that event's.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::motion {

/// What counts as one instant.
[[nodiscard]] double resolution(double time);

/// The same content as a run file, without the samples, which follow from the pieces.
struct Track {
  std::vector<Piece> pieces;
  std::vector<Event> events;
  Sampling sampling;
  Account account;
  std::string checkpoint;  ///< where it could go on
};

/// Asked after every piece; false interrupts.
using GoOn = std::function<bool(const Motion&)>;

/// From `motion`, as `begin` or `restore` gave it, to its end or to an interruption. True if the motion has ended.
bool follow(const model::Model& model, Motion& motion, Track& track, const GoOn& go_on = {});

/// The values of [outputs] at the sample's state.
void observe(const model::Model& model, Sample& sample);
/// The state on a piece, its multipliers and outputs; `time` is kept on the piece.
void sample_piece(const model::Model& model, const Piece& piece, double time, Sample& sample);

/// How far a motion is.
[[nodiscard]] Account account_of(const model::Model& model, const Motion& motion);

/// What can be asked of a run wherever it lies. The track or file must outlive the view.
struct RunView {
  const Account* account = nullptr;
  Sampling sampling;
  std::string name;  ///< of its file; empty: it lies in memory
  std::uint64_t pieces = 0;
  std::uint64_t events = 0;
  std::uint64_t samples = 0;  ///< as far as the run came
  /// The last piece that begins at or before a time, or null; valid until the next question.
  std::function<const Piece*(double)> piece_at;
  std::function<std::optional<double>(double)> event_time_from;
  // One after the other, in order, from a number on; the visitor says whether to go on.
  std::function<void(std::uint64_t, const std::function<bool(const Piece&)>&)> each_piece;
  std::function<void(std::uint64_t, const std::function<bool(const Event&)>&)> each_event;
  std::function<void(std::uint64_t, const std::function<bool(const Sample&)>&)> each_sample;
};
/// The samples are evaluated when they are asked for.
[[nodiscard]] RunView view(const model::Model& model, const Track& track);

/// The state at a time between the start of the run and where it is now; false if the run has no such state.
bool state_at(const model::Model& model, const RunView& run, double time, Sample& sample);

/// The stretch of a run between two times: its pieces and its events; the account is that of the whole run but for the state
/// reached. None if the run does not touch the stretch.
[[nodiscard]] std::optional<Track> stretch(const model::Model& model, const RunView& run, double from, double to);

/// Finds what belongs to a time, quickly when times ascend.
class Finder {
 public:
  explicit Finder(const RunView& run) : run_(run) {}
  /// False if the run has no state at that time. With `piece` null the state is the one reached.
  bool find(double time);
  [[nodiscard]] const Piece* piece() const { return piece_; }
  [[nodiscard]] double instant() const { return instant_; }  ///< on the piece

 private:
  const RunView& run_;
  const Piece* piece_ = nullptr;
  double instant_ = 0;
  double known_from_ = std::numeric_limits<double>::infinity();  ///< no event lies between this time and `next_event_`
  double next_event_ = -std::numeric_limits<double>::infinity();
};

/// Many states at once, one after the other in `position` and `velocity` (n numbers each). Times without a state give NaN.
void evaluate(const RunView& run, std::span<const double> times, std::uint32_t n, double* position, double* velocity);
/// Multipliers of some rows, one line of `rows.size()` numbers per time; NaN where a row has none.
void evaluate_multipliers(const RunView& run, std::span<const double> times, std::span<const std::uint32_t> rows,
                          double* out);
/// The same for rho.
void evaluate_rho(const RunView& run, std::span<const double> times, std::span<const std::uint32_t> rows, double* out);

}  // namespace zwang::motion
