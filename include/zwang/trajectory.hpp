/// What a motion consists of: pieces, each a polynomial in time, the events between them, the account of what it has cost.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/system.hpp"

namespace zwang::motion {

/// How a motion ended, if it has.
enum class Status : std::uint8_t {
  going,
  finished,      ///< the end time is reached
  stopped,       ///< the stop expression became true
  jammed,        ///< no acceleration, or no velocity after a shock, is admissible
  singular,      ///< a position was reached that is not regular and decides
  refused,       ///< something the theory does not define (a shock under the variational law)
  inadmissible,  ///< the start cannot be brought onto the conditions
  gave_up,       ///< numerics gave up
  interrupted    ///< of a run that was asked to end: it can go on
};
[[nodiscard]] std::string_view words(Status status);

/// In the order in which entries of one instant are listed.
enum class EventKind : std::uint8_t {
  blow,
  seizure,
  let_go,        ///< a condition or spring let go by [[releases]]
  switched,      ///< a function with corners passes one
  stick,         ///< both sides of a switching surface push towards it: the motion stays on it
  slip,          ///< it leaves it again
  impact,        ///< a condition closes with speed: a shock
  release,       ///< a multiplier falls to zero and the condition lets go
  contact,       ///< a condition closes without shock
  graze,         ///< a condition is touched without effect
  singular,      ///< the position stops being regular: it is passed, or the motion ends
  accumulation,  ///< infinitely many impacts before this time, which is their limit
};
[[nodiscard]] std::string_view words(EventKind kind);

using RowValue = std::pair<std::uint32_t, double>;

/// Something that happened at an instant.
struct Event {
  double time = 0;
  EventKind kind = EventKind::impact;
  std::vector<std::uint32_t> rows;  ///< the rows of the model that triggered it
  std::vector<std::string> bodies;  ///< whose force switches, sticks or slips; of `let_go` the springs let go
  std::vector<RowValue> impulses;   ///< of the shock of this instant: all that are not zero
  std::vector<double> position;     ///< after it
  std::vector<double> velocity;     ///< after it
  /// Those whose position and velocity these are: in a crowd the variables of the bodies whose velocity changed. Empty: all of the model.
  std::vector<std::uint32_t> variables;
  double lost = 0;   ///< energy lost in the shock of this instant; on its first entry only
  std::string note;  ///< a remark in words (what was struck by a blow, contradictory restitutions), or empty
};

/// A stretch of the motion on which the same conditions bind: for start <= t <= start + length, with s = (t - start) / unit,
///
///   q_i(s) = sum_k position[k * n + i] s^k,      lambda_j(s) = sum_k multiplier[k * rows.size() + j] s^k.
///
/// Beside a singular position that is passed multipliers grow beyond all bounds: there the sum is divided by |s - pole|.
struct Piece {
  double start = 0;
  double length = 0;
  double unit = 1;  ///< of time; another power of two than 1 where coefficients would leave the range of numbers
  std::uint32_t n = 0;
  std::uint32_t orders = 0;             ///< coefficients per coordinate
  std::uint32_t multiplier_orders = 0;  ///< coefficients per multiplier
  std::vector<double> position;
  std::vector<std::uint32_t> rows;  ///< the rows held, ascending
  std::vector<double> multiplier;
  std::vector<double>
      rho;  ///< per row held, at the start (0 unless variational); empty when no condition is variational
  double pole =
      std::numeric_limits<double>::quiet_NaN();  ///< place of a singular position at an end of the piece or beyond it
  [[nodiscard]] bool has_pole() const { return !std::isnan(pole); }
  [[nodiscard]] double end() const { return start + length; }
};

/// Position and velocity at a time on the piece (clamped to it).
void evaluate(const Piece& piece, double time, model::State& state);
/// Multipliers of the rows held, in the order of `piece.rows`; infinite at a pole.
void evaluate_multipliers(const Piece& piece, double time, std::vector<double>& multipliers);
/// rho of the rows held: its value at the start and the integral of its rate, which is the multiplier of a variational row.
/// Empty when no condition is variational; entries of other rows mean nothing.
void evaluate_rho(const Piece& piece, double time, std::vector<double>& rho);

/// The law of energy: initial + work - lost + defect = final, with E = T_2 - T_0 + V and gravity in V.
struct EnergyBalance {
  double initial = 0;
  double work = 0;  ///< of forces, moving conditions, explicit time and blows
  double lost = 0;  ///< in shocks
  double final = 0;
  double largest_kinetic = 0;  ///< the largest T met at the ends of pieces
  double largest = 0;          ///< the largest |T| + |V| + |work| + |lost| there
  double gross_work = 0;       ///< sum over all pieces of the terms of their work, which do not cancel
  [[nodiscard]] double defect() const { return final - (initial + work - lost); }
};

/// The instants of the samples: sample k at start + k (until - start) / (count - 1), for k = 0, 1, ... as far as the run goes.
struct Sampling {
  double start = 0;
  double until = 0;
  std::uint32_t count = 0;
  [[nodiscard]] double instant(std::uint64_t k) const;
};

/// A state on the motion, with everything that is known there.
struct Sample {
  model::State state;
  std::vector<std::uint32_t> rows;  ///< rows held
  std::vector<double> multipliers;  ///< of the rows held
  std::vector<double> rho;          ///< of the rows held; empty when no condition is variational
  std::vector<double> outputs;      ///< of [outputs], in the order of the file
};

/// How far the run is, and what it has cost.
struct Account {
  Status status = Status::going;      ///< `going` while it is written
  std::string why;                    ///< for an end that is no plain finish: one sentence
  std::vector<std::string> culprits;  ///< names of the rows involved
  std::vector<double> continuations;  ///< accelerations of the ways on where several lead on, one after the other
  Sample present;                     ///< the state reached
  EnergyBalance energy;
  double position_drift = 0;  ///< worst violation of a condition that held, scaled by its terms
  double velocity_drift = 0;  ///< the same of its rate
  /// Worst bound, over whole steps, of what the motion leaves of its equations, as a part of the accelerations; 0 in files that do not know it.
  double defect = 0;
  double error = std::numeric_limits<double>::
      quiet_NaN();  ///< estimated, of the end; NaN: not asked for; infinite: lost. Kept in files of motions in steps alone
  /// Of a motion in steps: the deepest that a condition was entered at the end of a step, as a length; NaN: the motion goes by its events.
  double penetration = std::numeric_limits<double>::quiet_NaN();
  [[nodiscard]] bool in_steps() const { return !std::isnan(penetration); }
  double position_correction = 0;  ///< largest change of a coordinate that brought the start onto its conditions
  double velocity_correction = 0;  ///< the same of a velocity
  std::uint64_t steps = 0;         ///< pieces
  double seconds = 0;              ///< of computing, over all continuations
};

}  // namespace zwang::motion
