/// What a motion consists of: pieces, each a polynomial in time, and the events between them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"

namespace zwang::motion {

/// In the order in which entries of one instant are listed.
enum class EventKind : std::uint8_t {
  blow,
  seizure,
  let_go,        ///< a condition let go by [[releases]]
  switched,      ///< a function with corners passes one
  stick,         ///< both sides of a switching surface push towards it: the motion stays on it
  slip,          ///< it leaves it again
  impact,        ///< a condition closes with speed: a shock
  release,       ///< a multiplier falls to zero and the condition lets go
  contact,       ///< a condition closes without shock
  graze,         ///< a condition is touched without effect
  singular,      ///< the position stops being regular: the motion ends
  accumulation,  ///< infinitely many impacts before this time, which is their limit
};
[[nodiscard]] std::string_view words(EventKind kind);

using RowValue = std::pair<std::uint32_t, double>;

struct Event {
  double time = 0;
  EventKind kind = EventKind::impact;
  std::vector<std::uint32_t> rows;  ///< the rows of the model that triggered it
  std::vector<std::string> bodies;  ///< of a switch, stick or slip: the bodies whose force switches
  std::vector<RowValue> impulses;   ///< of the shock of this instant: all that are not zero
  std::vector<double> position;     ///< after it
  std::vector<double> velocity;     ///< after it
  double lost = 0;                  ///< energy lost in the shock of this instant; on its first entry only
  std::string note;  ///< a remark in words (what was struck by a blow, contradictory restitutions), or empty
};

/// A stretch of the motion on which the same conditions bind: for start <= t <= start + length, with s = (t - start) / unit,
///
///   q_i(s) = sum_k position[k * n + i] s^k,      lambda_j(s) = sum_k multiplier[k * rows.size() + j] s^k.
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
  [[nodiscard]] double end() const { return start + length; }
};

/// Position and velocity at a time on the piece (clamped to it).
void evaluate(const Piece& piece, double time, model::State& state);
/// Multipliers of the rows held, in the order of `piece.rows`.
void evaluate_multipliers(const Piece& piece, double time, std::vector<double>& multipliers);
/// rho of the rows held: its value at the start and the integral of its rate, which is the multiplier of a variational row.
/// Empty when no condition is variational; entries of other rows mean nothing.
void evaluate_rho(const Piece& piece, double time, std::vector<double>& rho);

}  // namespace zwang::motion
