/// The event loop: a motion carried on from instant to instant.
///
/// Hybrid time. A motion is a sequence of pieces and instants. On a piece t runs and the same conditions bind: positions,
/// velocities and multipliers are polynomials in t. At an instant t stands still, and velocities may jump from v- to v+:
///
///   1. Blows and seizures due at this time act, conditions that closed with speed are regulated: one shock (`impact`)
///      over all conditions that touch, from v- to v+, repeated while some condition is still approached.
///   2. The accelerations are determined afresh (`accelerate`): every touching condition turns out to be binding, marginal or
///      leaving. Binding and marginal ones are held as equations on the next piece, the others are watched.
///   3. Events are listed by kind: blow, seizure, impact, release, contact, graze. Each shows the state after the instant.
///
/// A piece ends at the first of: a multiplier of a held inequality falls through zero; a watched condition rises through
/// zero; the stop expression becomes true; a blow, seizure or the end is due; the series reaches no further. All that happens
/// within 1e-12 (1 + |t|) of the first is one instant. Asking for the state at the time of an event gives the state after it.
///
/// The end is reached with a status, never by an exception: a jam, a singular position, a contradiction are answers, and the
/// state reached and all events so far stand. Reference: docs/mathematics, sections 10 to 13.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/instant/instant.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::motion {

struct Options {
  double until = std::numeric_limits<double>::quiet_NaN();  ///< NaN: the model's own
  double tolerance = 0;                                     ///< 0: the model's own
};

struct Motion {
  // the present
  Status status = Status::going;
  std::string why;                                 ///< for an end that is no plain finish: one sentence
  std::vector<std::uint32_t> culprits;             ///< rows involved in a jam or a singular position
  std::vector<std::vector<double>> continuations;  ///< accelerations of the ways on, where several lead on
  model::State state;                              ///< after the events of this instant
  std::vector<std::uint32_t> held;                 ///< rows held as equations from here on, ascending
  std::vector<double> multipliers;                 ///< of the rows held, now
  std::vector<double> rho;    ///< of the rows held, now (0 unless variational); empty when none is variational
  std::vector<Event> events;  ///< of this instant: filled by the last `begin` or `advance`
  Piece piece;                ///< the piece that led here; length 0 after `begin`

  // the account
  EnergyBalance energy;
  double position_drift = 0;       ///< worst violation of a held condition before projection, scaled by S sum |df/dq|
  double velocity_drift = 0;       ///< the same of its rate, scaled by V sum |df/dq| + |df/dt|
  double defect = 0;               ///< worst bound, over whole steps, of |W d| of a body as a part of its accelerations
  double position_correction = 0;  ///< largest change of a coordinate by the projection of the start
  double velocity_correction = 0;
  std::uint64_t steps = 0;
  std::uint64_t event_count = 0;

  struct Impl;
  std::unique_ptr<Impl> impl;

  Motion();
  ~Motion();
  Motion(Motion&&) noexcept;
  Motion& operator=(Motion&&) noexcept;
};

/// Project the start onto the conditions and deal with its instant. The model must outlive the motion.
[[nodiscard]] Motion begin(const model::Model& model, const Options& options = {});

/// A motion taken up in its course, at an instant: the state before it, the rows that were held until then, and those that have just closed. The model's own initial
/// state has no part in it.
[[nodiscard]] Motion take_up(const model::Model& model, const Options& options, const model::State& state,
                             std::span<const std::uint32_t> held, std::span<const std::uint32_t> closing);

/// One piece further, with the events at its end. False when the motion has ended; then nothing changed.
bool advance(Motion& motion);

/// Everything that `advance` depends on, as bytes: `restore` gives a motion that goes on to the same bits. With a later
/// `until` a finished motion goes on.
[[nodiscard]] std::string save(const Motion& motion);
[[nodiscard]] Motion restore(const model::Model& model, const Options& options, std::string_view saved);

}  // namespace zwang::motion
