/// How a speed comes to rest under dry friction in the plane or in space, and how the time moves at which it does.
///
///   w' = F - A c,  c = w / |w|:   the time left is T(w) with  T_w . w' = -1,  T_w along  n = c + A^-1 F  where A is a multiple of the unit,
///   and along the direction of the end otherwise.  So  dtau = -(n.dw) / (n.w').
///
/// Symbols: F the rate of w without friction, A what friction makes of a direction. At the end itself w has no direction: all is seen from some time before. Reference:
/// docs/mathematics, section 24.7.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

/// Position, velocity and acceleration on a piece, with the modes given.
[[nodiscard]] MotionPoint point_on(const motion::Piece& piece, double time, std::span<const double> modes);

/// A motion and its derivatives some time before an instant.
struct Earlier {
  MotionPoint point;
  std::vector<double> position, velocity;
  std::vector<std::uint32_t> rows;  ///< held
};

/// Points of one piece of a motion, which are the same for all parameters that go along it together.
class PointsOfPiece {
 public:
  /// What is returned stands until another piece is asked about.
  const MotionPoint& at(const motion::Piece& piece, double time, const std::vector<double>& modes);

 private:
  double start_ = 0, length_ = 0;  ///< of the piece: no two of a run have the same
  std::deque<MotionPoint> known_;  ///< of these so many are of the piece, the others room:
  std::size_t used_ = 0;
};

/// The last stretches of a motion, to look back.
class Approach {
 public:
  void keep(const motion::Piece& piece, const Stretch& stretch, const std::vector<double>& modes);
  /// What was before a shock tells nothing about what is behind it.
  void forget() { stretches_.clear(); }
  /// The first time that is kept, if there is one.
  [[nodiscard]] double since() const { return stretches_.front().stretch.start; }
  /// At a time, or at the first that is kept.
  [[nodiscard]] std::optional<Earlier> at(double time) const;

 private:
  struct Kept {
    motion::Piece piece;
    Stretch stretch;
    std::vector<double> modes;
  };
  std::deque<Kept> stretches_;
};

/// A speed: a corner `moves` of one lane.
struct SpeedCorner {
  const model::Slotted& group;
  const model::Slotted& slopes;
  std::uint32_t corner = 0;
  std::uint32_t lane = 0;
};

/// How the time moves at which a speed comes to rest; no number where it cannot be told to digits. `largest_speed`: so far.
[[nodiscard]] double time_of_rest_moves(Variation& variation, const SpeedCorner& which, const Approach& approach,
                                        double time, double largest_speed);

}  // namespace zwang::sensitivity
