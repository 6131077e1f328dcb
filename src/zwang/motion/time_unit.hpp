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

/// A first guess of a step, from the coefficients: it may be longer than `gap`, and a guess of no more than `least` says nothing (coefficients that are but
/// rounding), so that `gap` stands for it; both in seconds.
struct FirstGuess {
  double reach = 0;    ///< what the series says
  double h = 0;        ///< in units of time of the series
  double within = 0;   ///< in seconds, no longer than `gap`
  bool suits = false;  ///< the unit suits it
};
template <class Series>
FirstGuess guess_step(const Series& series, double part, double gap, double least) {
  FirstGuess out;
  const double u = series.unit();
  out.reach = series.reach(part);
  double guess = out.reach * u;
  if (!(guess > least) && least > 0) guess = gap;
  out.h = std::min(guess, far_beyond * gap) / u;
  out.within = std::min(guess, gap);
  const double in_units = out.within / u;
  out.suits = (in_units >= shortest_in_units && in_units <= longest_in_units) || !(out.within > 0);
  return out;
}

/// All coefficients of a series from the state on, in such a unit. `h` is a first guess of the step in it (`guess_step`). False if some number is not finite
/// in any unit.
template <class Series>
bool extend(Series& series, const model::State& state, double part, double gap, double least, double& h) {
  const double unit_before = series.unit();
  for (int round = 0; round <= most_units; ++round) {
    const double u = series.unit();
    const bool finite = series.extend(state);
    double next = u * shortest_in_units;
    if (finite) {
      const FirstGuess guess = guess_step(series, part, gap, least);
      h = guess.h;
      if (guess.suits || round == most_units) return true;
      next = std::ldexp(1.0, std::ilogb(guess.within));
    }
    series.measure_time_in(next);
  }
  series.measure_time_in(unit_before);
  static_cast<void>(series.extend(state));
  return false;
}

}  // namespace zwang::motion
