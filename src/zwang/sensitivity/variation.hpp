/// How a motion changes with one parameter, to first order: along its pieces, and through its instants.
///
///   M dq'' + J^T dlambda = d(X - M q'' - J^T lambda)   with q'', lambda kept,      d f = 0 of every condition held
///
/// Symbols: d the derivative by the parameter at a fixed time. Along a piece both are power series, found order by order from the tapes that carry the
/// derivatives along; at an instant whose time moves by dtau the derivatives before and after it hang together by the derivative of what happens there
/// (saltation). Reference: docs/mathematics, section 24.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "zwang/sensitivity/linearized.hpp"
#include "zwang/sensitivity/parameter_slopes.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::sensitivity {

/// Where a motion is at an instant, on one side of it.
struct MotionPoint {
  model::State state;  ///< with modes
  std::vector<double> acceleration;
};

/// A condition that a shock brings to rest (restitution 0) or throws back.
struct ShockRow {
  std::uint32_t row = 0;
  bool thrown = false;
};

class Variation;

/// What is asked of `Variation::follow`: on from `from` for as far as one series reaches, at most to the end of the piece, which is `to` and has that number in its run; `modes` of the whole model.
struct Following {
  Variation* variation = nullptr;
  std::uint64_t number = 0;
  const motion::Piece* piece = nullptr;
  double from = 0;
  double to = 0;
  std::span<const double> modes;
  Stretch* out = nullptr;
};

class Variation {
 public:
  /// `equations`: of the parameter's model, by this parameter, which has that number there, and others.
  Variation(const ParameterSlope& slope, std::shared_ptr<Linearized> equations, std::size_t number);
  ~Variation();
  Variation(Variation&&) noexcept;
  Variation& operator=(Variation&&) noexcept;

  [[nodiscard]] const ParameterSlope& parameter() const;

  // At a fixed time.
  std::vector<double> position;
  std::vector<double> velocity;

  /// All of these, those side by side that share their equations and where they are. What is no number in a stretch is told by `finite`.
  static void follow(std::span<const Following> all);
  /// The same over a length that is given, however well the series converges.
  [[nodiscard]] Stretch follow_for(std::uint64_t number, const motion::Piece& piece, double from, double length,
                                   std::span<const double> modes);
  static void evaluate(const Stretch& stretch, std::size_t n, double time, std::vector<double>& position,
                       std::vector<double>& velocity, std::vector<double>& multiplier);
  [[nodiscard]] bool finite() const;

  /// d/dp and d/dt along the motion of f of a row (holonomic), or of f' = p.v + p0 (nonholonomic), at a state.
  struct Change {
    double by_parameter = 0;
    double by_time = 0;
    double value = 0;
  };
  [[nodiscard]] Change row(std::uint32_t row, const MotionPoint& at) const;
  /// The same of the rate of a holonomic row.
  [[nodiscard]] Change rate(std::uint32_t row, const MotionPoint& at) const;
  /// Of the switching function of a corner.
  [[nodiscard]] Change corner(const model::Slotted& group, const model::Slotted& slope, std::uint32_t corner,
                              std::uint32_t lane, const MotionPoint& at) const;
  /// Of the rate of a switching function right behind the start of a piece, along the stretch that begins there.
  [[nodiscard]] Change corner_rate(const model::Slotted& group, const model::Slotted& slope, std::uint32_t corner,
                                   std::uint32_t lane, const motion::Piece& piece, const Stretch& stretch,
                                   std::span<const double> modes) const;
  /// Does the gradient of a row between velocities change with the parameter, at the state it is at?
  [[nodiscard]] bool gradient_moves(std::uint32_t row, const model::State& state) const;
  /// d/dp of the forces that are written, over the variables, the state kept; `modes` say on which sides.
  [[nodiscard]] std::vector<double> force_slope(const model::State& state) const;
  /// Of an observable: an output, or what ends the motion.
  [[nodiscard]] Change observable(const model::Observable& observable, const model::Observable& slope,
                                  const MotionPoint& at) const;

  /// Through an instant at which something happens. Without rows and blow the velocities stay.
  struct Shock {
    std::span<const ShockRow> rows;
    std::span<const double> blow;        ///< over the variables; empty: none
    std::span<const double> blow_slope;  ///< likewise
  };
  /// `time_slope`: by how much its time moves, per variable.
  void pass(const MotionPoint& before, const MotionPoint& after, std::span<const double> time_slope,
            const Shock& shock);
  /// The velocities that such a shock gives, to hold against those of the motion.
  [[nodiscard]] std::vector<double> velocities_after(const model::State& before, const Shock& shock,
                                                     std::vector<double>* impulses = nullptr);
  /// The accelerations at a state with these rows held.
  [[nodiscard]] std::vector<double> accelerations(const model::State& state, std::span<const std::uint32_t> rows);
  /// What the derivatives make of f of a row at most, if those of positions and velocities are no larger than these, per variable.
  [[nodiscard]] double bound(std::uint32_t row, const model::State& state, std::span<const double> positions,
                             std::span<const double> velocities) const;
  /// The same of f' of a row.
  [[nodiscard]] double bound_of_rate(std::uint32_t row, const model::State& state, std::span<const double> positions,
                                     std::span<const double> velocities) const;
  /// f' of a row at a state.
  [[nodiscard]] double rate_of(std::uint32_t row, const model::State& state) const;

  /// A linear function of the velocities.
  struct Gradient {
    std::vector<double> entry;  ///< over the variables
    double value = 0;           ///< of the derivatives
  };
  /// Derivatives of velocities, nearest in the metric of the masses, for which these functions vanish and those of the rows stay; positions lose what it has made
  /// of them, if it grew from nothing for so long.
  void take_off(const MotionPoint& at, std::span<const std::uint32_t> rows, std::span<const Gradient> gradients,
                double since);
  /// The derivatives brought onto df = 0 and df' = 0 of these rows, nearest in the metric of the masses.
  void project(const MotionPoint& at, std::span<const std::uint32_t> rows);

 private:
  /// On at the end of a stretch.
  void end_of(const Stretch& stretch);
  struct Attempt;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zwang::sensitivity
