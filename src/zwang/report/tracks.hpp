/// The motion as a page shows it: polynomials in time of all coordinates and of the points that [view] makes of them.
///
/// The engine's own polynomials are taken as they are while they fit into the page. A longer run is fitted again: on a stretch
/// [t, t + h] without a shock the coordinates are interpolated at the points t + h (1 - cos(pi j / D)) / 2, j = 0..D, where
/// polynomials meet without a gap; h is as long as the error, measured between those points, allows, and D is lowered while it still
/// allows it. Reference: docs/reference/page-data.md.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/report/pack.hpp"

namespace zwang::report {

/// Evaluates the components of the points of [view] again and again.
class ViewSight {
 public:
  explicit ViewSight(const model::Model& model);
  [[nodiscard]] std::size_t size() const { return registers_.size(); }
  void look(double time, const std::vector<double>& position, double* out);

 private:
  const model::Model* model_;
  std::vector<std::vector<double>> registers_;
};

/// The pieces of a run file around a moment that moves forward: only those in sight are in memory.
class PieceWindow {
 public:
  explicit PieceWindow(const motion::RunView& run) : run_(&run) {}

  /// One more piece at the end; false if there is none.
  bool extend();
  /// Pieces that end at or before this time are not needed any more; at least one is kept.
  void forget_before(double time);
  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  [[nodiscard]] std::size_t size() const { return pieces_.size(); }
  [[nodiscard]] const motion::Piece& operator[](std::size_t k) const { return pieces_[k]; }
  [[nodiscard]] const motion::Piece& back() const { return pieces_.back(); }
  /// How many of those in sight begin at or before this time.
  [[nodiscard]] std::size_t count_until(double time) const;
  /// The last piece that begins at or before this time.
  [[nodiscard]] const motion::Piece& at(double time) const;
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Number of the first piece in sight.
  [[nodiscard]] std::uint64_t first() const { return next_ - pieces_.size(); }

 private:
  void fetch();
  const motion::RunView* run_;
  std::deque<motion::Piece> pieces_;
  std::deque<motion::Piece> ahead_;  ///< read already, not yet in sight
  std::uint64_t next_ = 0;           ///< number of the piece behind the last in sight
  std::uint64_t bytes_ = 0;
};

/// What a first look over a whole run finds.
struct Survey {
  std::uint64_t pieces = 0;
  double start = 0;
  double end = 0;
  std::vector<double> low, high;    ///< of every track
  std::vector<double> speed;        ///< the largest of every coordinate
  double coefficients = 0;          ///< of all the engine's polynomials
  std::vector<std::uint32_t> held;  ///< per row: pieces on which it is held
  std::vector<double> border;       ///< starts of the pieces, when they are few
  [[nodiscard]] std::size_t tracks() const { return low.size(); }
};
[[nodiscard]] Survey survey(const model::Model& model, const motion::RunView& run);

/// The size that errors are compared with, of every track.
struct TrackScale {
  std::vector<double> position;
  std::vector<double> velocity;  ///< of coordinates; infinite: not compared
};

/// How closely a run is fitted.
struct TrackLevel {
  double position = 0;         ///< largest error, in units of the scale; 0: the engine's own polynomials
  double velocity = 0;         ///< the same of velocities; infinite: not compared
  unsigned degree = 0;         ///< the highest
  bool across_shocks = false;  ///< shocks are no borders
  std::uint64_t stretches =
      0;  ///< so many stretches of equal length, whatever the error; 0: as long as the error allows
};

/// The tracks of one run as they were written.
struct Tracks {
  std::vector<double> start;
  std::vector<std::uint8_t> orders;
  double end = 0;
  std::string coefficients;   ///< the block
  double position_error = 0;  ///< measured, in units of the scale
  double velocity_error = 0;
  double reached = 0;  ///< which part of the run was written, or would have been in all the room there was
};

/// Writes the tracks into the blob; false, with the blob as it was, if they took more than so many bytes.
bool write_tracks(const model::Model& model, const motion::RunView& run, const Survey& survey, const TrackScale& scale,
                  const TrackLevel& level, std::uint64_t most_bytes, Blob& blob, Tracks& tracks);

}  // namespace zwang::report
