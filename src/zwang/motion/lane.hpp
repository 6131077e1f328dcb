/// One expression of the state along a series: its coefficients, and what they leave out on a step.
///
/// Switching functions, stop expressions and alternatives that do not count are no part of the equations of motion. They are run along the
/// finished series one by one; on a step [0, h] the function itself lies within `rest` of its polynomial (expressions/remainders).
/// Reference: docs/mathematics, sections 10.8 and 21.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "zwang/expressions/remainders.hpp"
#include "zwang/model/model.hpp"

namespace zwang::motion {

/// A finished series, as seen from outside: coefficient k of variable i at [k * n + i].
struct Along {
  const double* position = nullptr;  ///< orders 0 .. known
  const double* velocity = nullptr;  ///< orders 0 .. known - 1
  double of_velocity = 1;            ///< what a velocity is to be multiplied by to be one per plain unit of time
  std::size_t n = 0;
  unsigned known = 0;  ///< coefficients that an expression gets
  double time = 0;     ///< at the start
  double unit = 1;     ///< of time
  std::span<const double> modes = {};
};

/// Coefficients 0 .. known - 1 of all registers of one lane, known + 1 apart.
void run_lane(const Along& along, const model::Slotted& group, const expressions::Tape& tape, std::size_t lane,
              std::vector<double>& registers);

/// The same of an expression to be watched: coefficients 0 .. known - 1.
void observe_lane(const Along& along, const model::Observable& observable, std::vector<double>& registers,
                  std::vector<double>& out);

/// The size of the terms that the function of `output` is made of at the start: rounding is a part of these, however small it is itself.
[[nodiscard]] double size_of_lane(const Along& along, const expressions::Tape& tape,
                                  const std::vector<double>& registers, std::uint32_t output);

/// The same on all of [0, h].
[[nodiscard]] double size_of_lane_within(const Along& along, const expressions::Tape& tape,
                                         const std::vector<double>& registers, std::uint32_t output, double h);

/// Room for bounds of a tape.
struct LaneBound {
  const expressions::Tape* tape = nullptr;
  std::vector<std::uint32_t> sized;  ///< of the tape
  expressions::Remainders room;
};

/// By how much the function of register `output` may differ from its polynomial on [0, h]; infinity: no bound.
[[nodiscard]] double rest_of_lane(const Along& along, const model::Slotted& group, const expressions::Tape& tape,
                                  std::size_t lane, const std::vector<double>& registers, std::uint32_t output,
                                  double h, LaneBound& bound);

/// Do the values of the function stay away from all thresholds on [0, h]? Intervals alone are asked, no series: quick, and coarse.
[[nodiscard]] bool stays_away(const Along& along, const model::Slotted& group, const expressions::Tape& tape,
                              std::size_t lane, std::uint32_t output, std::span<const double> thresholds, double h);

/// The longest step, not longer than `h`, on which the function of `output` is known to `part` of its own terms, or stays away from all
/// of `thresholds` (if there are any) for certain; 0 if there is none. `clear`: it stays away from them on that step for certain, and need not be looked at.
[[nodiscard]] double reach_of_lane(const Along& along, const model::Slotted& group, const expressions::Tape& tape,
                                   std::size_t lane, const std::vector<double>& registers, std::uint32_t output,
                                   std::span<const double> thresholds, double part, double h, LaneBound& bound,
                                   bool& clear);

}  // namespace zwang::motion
