/// What is known of a model at one state: forces and masses, conditions with their gradients, and where each of them counts as zero.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/instant/row_set.hpp"
#include "zwang/model/evaluate_some.hpp"

namespace zwang::instant {

/// S = max |q| and V = max |v|, each 1 if all vanish: the scales of docs/mathematics, section 8.
struct Scales {
  double position = 1;
  double velocity = 1;
};
[[nodiscard]] Scales scales(const model::State& state);

/// `accelerate`, `impact` and `classify` fill it for the state they are asked about. Who holds the workspace may evaluate other states in it: the next
/// question evaluates its own state anew and takes nothing from here but `left_out`.
struct Evaluation {
  explicit Evaluation(const model::Model& model);

  model::Scratch scratch;  ///< of the interpreter: no value survives a call
  model::Dynamics dynamics;
  model::Rows rows;
  RowSet left_out;                  ///< known to be passive in position, not evaluated
  std::vector<double> touch_value;  ///< |f| below this counts as zero, per row
  std::vector<double> touch_rate;   ///< |f'| below this counts as zero, per row
};

/// Is the instant `at` the same as `time`, up to the last bits of both?
[[nodiscard]] bool same_instant(double at, double time);

/// y = |W| x for x >= 0: what terms of size x in a force can make of an acceleration. Their rounding does nothing about the least axis of a slender body
/// (linear/halves.hpp), and arms across it are as short as its moment is small: it is left out unless it is asked for.
void solve_absolute(const linear::Mass& mass, const std::vector<double>& x, std::vector<double>& y,
                    bool about_least_axis = false);

}  // namespace zwang::instant
