/// The longest step that a bound allows, and the circle of reckoning that shows it.
///
/// A bound within the circle r misses what is allowed by a factor that falls with the step about as h^p, p the order of the first
/// coefficient left out; on small circles what is bounded is small but h / r is not, on large ones the other way round. The circle
/// that served the last step is tried first, and another only if it does not show nearly all of the step that is wanted.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace zwang::motion {

namespace step_search {
constexpr double usual_ratio = 4;      ///< r / h of the first circle ever
constexpr double least_ratio = 1.05;   ///< nearer to 1 geometric sums have no end
constexpr double stride = 1.5;         ///< by so much circles differ where the best one is looked for
constexpr double large_stride = 4;     ///< and where nothing is shown yet
constexpr double good_enough = 0.9;    ///< of the step wanted
constexpr double safety = 0.98;        ///< of the step at which the power law would just allow it
constexpr double steepest_fall = 0.1;  ///< a step is not made smaller by more at once
constexpr int most_rounds = 60;        ///< of making a step smaller within one circle
constexpr int patience = 3;            ///< circles in a row that show less than the best before the search ends
/// A bound that misses by more is none: in other units of length and mass it would not be a number.
constexpr double hopeless = 0x1p300;
constexpr double smallest_circle = 1e-300;
constexpr double least_kept = 1.2, most_kept = 12;  ///< r / h that the next step begins with
}  // namespace step_search

/// A length with few digits, not longer than the one given: a change of units by powers of two gives the same step.
inline double shortened(double h) {
  int exponent = 0;
  const double m = std::frexp(h, &exponent);
  constexpr double digits = 4096;
  return std::ldexp(std::floor(m * digits) / digits, exponent);
}

/// The longest step found, not longer than `wanted`; 0 if none is. `judge(h, r)` says by what factor the bound misses (<= 1: proved,
/// infinity: no bound) and leaves its numbers behind; the last call is the one for the step returned. `ratio` is r / h, kept from step to step.
template <class Judge>
double longest_step(double wanted, unsigned order, double& ratio, Judge judge) {
  using namespace step_search;
  const auto longest = [&](double r) {
    double h = std::min(wanted, r / least_ratio);
    for (int round = 0; round < most_rounds; ++round) {
      const double miss = judge(h, r);
      if (miss <= 1) return h;
      if (!(miss < hopeless)) return 0.0;
      h *= std::clamp(safety * std::pow(miss, -1.0 / order), steepest_fall, safety);
    }
    return 0.0;
  };

  double best_r = (ratio > 0 ? ratio : usual_ratio) * wanted;
  double best = longest(best_r);
  if (best < good_enough * wanted) {
    const auto offer = [&](double r) {
      const double found = longest(r);
      if (!(found > best)) return false;
      best = found;
      best_r = r;
      return true;
    };
    // Downwards, in large strides as long as there is nothing, until circles are smaller than the step that is shown.
    double r = best_r;
    for (int worse = 0; r > best && r > smallest_circle && worse < patience && best < good_enough * wanted;) {
      r /= best > 0 ? stride : large_stride;
      worse = offer(r) || best == 0 ? 0 : worse + 1;
    }
    // Upwards.
    r = best_r;
    for (int worse = 0; best > 0 && best < good_enough * wanted && worse < patience - 1;) {
      r *= stride;
      worse = offer(r) ? 0 : worse + 1;
    }
    if (best == 0) return 0;
  }
  if (best < wanted) best = shortened(best);
  static_cast<void>(judge(best, best_r));
  ratio = std::clamp(best_r / best, least_kept, most_kept);
  return best;
}

}  // namespace zwang::motion
