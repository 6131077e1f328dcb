/// A unit of time that suits a series: with another one coefficients of high orders would leave the range of numbers.
///
/// With the unit u the variable is s = t / u and the coefficient of order k is u^k times that of seconds. Units are powers of two, so
/// that no digit depends on them.
#pragma once

#include <algorithm>
#include <cmath>

#include "zwang/model/evaluate.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

/// All coefficients of a series from the state on, in such a unit. `h` is a first guess of the step in it, which may be longer than `gap`; a guess of
/// no more than `least` says nothing (coefficients that are but rounding), and `gap` stands for it; both in seconds. False if some number
/// is not finite in any unit.
template <class Series>
bool extend(Series& series, const model::State& state, double part, double gap, double least, double& h) {
  const double unit_before = series.unit();
  for (int round = 0; round <= most_units; ++round) {
    const double u = series.unit();
    const bool finite = series.extend(state);
    double next = u * shortest_in_units;
    if (finite) {
      double guess = series.reach(part) * u;
      if (!(guess > least) && least > 0) guess = gap;
      h = std::min(guess, far_beyond * gap) / u;
      guess = std::min(guess, gap);
      const double in_units = guess / u;
      if ((in_units >= shortest_in_units && in_units <= longest_in_units) || !(guess > 0) || round == most_units) {
        return true;
      }
      next = std::ldexp(1.0, std::ilogb(guess));
    }
    series.measure_time_in(next);
  }
  series.measure_time_in(unit_before);
  static_cast<void>(series.extend(state));
  return false;
}

}  // namespace zwang::motion
