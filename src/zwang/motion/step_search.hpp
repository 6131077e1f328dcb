/// The longest step that a bound allows, and the circle of reckoning that shows it.
///
/// A bound within the circle r misses what is allowed by a factor that falls with the step about as h^p, p the order of the first
/// coefficient left out; on small circles what is bounded is small but h / r is not, on large ones the other way round. So one judgement
/// foretells the step that a circle shows. What the last steps taught (which circle was best, which part of the step wanted it showed) is
/// remembered, and most steps are judged once; other circles are looked at where less is shown than foretold, and now and then.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace zwang::motion {

/// What a search teaches the next one; kept with a checkpoint, because steps depend on it.
struct StepMemory {
  double ratio = 0;  ///< r / h of the circle that showed the last step
  double share = 1;  ///< of the step wanted, what that circle is expected to show
  double since = 0;  ///< steps since circles were last compared
};

namespace step_search {
constexpr double usual_ratio = 4;      ///< r / h of the first circle ever
constexpr double least_ratio = 1.05;   ///< nearer to 1 geometric sums have no end
constexpr double stride = 1.5;         ///< by so much circles differ where the best one is looked for
constexpr double large_stride = 4;     ///< and where nothing is shown yet
constexpr double good_enough = 0.9;    ///< of the step wanted, or expected
constexpr double safety = 0.98;        ///< of the step at which the power law would just allow it
constexpr double steepest_fall = 0.1;  ///< a step is not made smaller by more at once
constexpr double steepest_rise = 4;    ///< and none foretold to be larger by more
constexpr double margin = 0.98;        ///< of the step expected: from step to step the share differs a little
constexpr double worth_another = 1.3;  ///< a step that could be longer by this is judged again
constexpr int most_rounds = 60;        ///< of making a step smaller within one circle
constexpr int most_unbounded = 3;      ///< halvings of a step of which nothing is known, within one circle
constexpr int patience = 2;            ///< circles in a row that foretell less than the best before the search ends
constexpr double between_searches = 32;
constexpr double least_share = 1.0 / 16;  ///< below this the step wanted says nothing of the next one
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

/// The longest step found, not longer than `wanted` and `most`; 0 if none is. `judge(h, r)` says by what factor the bound misses (<= 1:
/// proved, infinity: no bound) and leaves its numbers behind; the last call is the one for the step returned.
template <class Judge>
double longest_step(double wanted, double most, unsigned order, StepMemory& memory, Judge judge) {
  using namespace step_search;
  struct Trial {
    double h = 0, r = 0;
    double miss = std::numeric_limits<double>::infinity();
    bool proved() const { return miss <= 1; }
    bool bounded() const { return miss < std::numeric_limits<double>::infinity(); }
  };
  Trial last;
  const auto ask = [&](double h, double r) { return last = Trial{h, r, judge(h, r)}; };
  // The step that a circle shows by the power law.
  const auto foretold = [&](const Trial& trial) {
    if (!trial.bounded()) return 0.0;
    const double by = safety * std::pow(trial.miss, -1.0 / order);
    return std::min(trial.h * std::clamp(by, steepest_fall, steepest_rise), trial.r / least_ratio);
  };
  const double limit = std::min(wanted, most);
  const auto within = [&](double h) { return h < limit ? shortened(h) : limit; };
  // Within one circle made smaller until it is proved.
  const auto prove = [&](double h, double r) {
    Trial trial;
    int unbounded = 0;
    for (int round = 0; round < most_rounds; ++round) {
      trial = ask(within(std::min(h, r / least_ratio)), r);
      if (trial.proved() || (!trial.bounded() && ++unbounded > most_unbounded)) break;
      h = trial.h * (trial.bounded() ? std::clamp(foretold(trial) / trial.h, steepest_fall, safety) : 0.5);
    }
    if (!trial.proved()) trial.h = 0;
    return trial;
  };

  const double expected = (memory.share < 1 ? margin * memory.share : 1.0) * wanted;
  const double ratio = memory.ratio > 0 ? memory.ratio : usual_ratio;
  Trial best = prove(expected, ratio * std::min(expected, limit));
  if (best.h > 0 && best.h < limit && foretold(best) > worth_another * best.h) {
    const Trial longer = prove(foretold(best), ratio * foretold(best));
    if (longer.h > best.h) best = longer;
  }
  ++memory.since;
  const bool disappoints = best.h < good_enough * std::min(expected, limit);
  const bool due = memory.since >= between_searches && best.h < good_enough * limit;
  if (disappoints || due) {
    memory.since = 0;
    // Circles are compared by what they foretell: downwards, in large strides as long as there is nothing, then upwards.
    double most_foretold = best.h > 0 ? std::max(best.h, foretold(best)) : 0.0;
    double best_r = best.h > 0 ? best.r : ratio * std::min(expected, limit);
    const auto offer = [&](double r) {
      const double h = within(std::min(most_foretold > 0 ? most_foretold : r, r / least_ratio));
      const Trial trial = ask(h, r);
      if (trial.proved() && trial.h > best.h) best = trial;
      const double found = foretold(trial);
      if (!(found > most_foretold)) return false;
      most_foretold = found;
      best_r = r;
      return true;
    };
    double r = best_r;
    for (int worse = 0; r > most_foretold && r > smallest_circle && worse < patience && most_foretold < limit;) {
      r /= most_foretold > 0 ? stride : large_stride;
      worse = offer(r) || most_foretold == 0 ? 0 : worse + 1;
    }
    r = best_r;
    for (int worse = 0; most_foretold > 0 && most_foretold < limit && worse < patience;) {
      r *= stride;
      worse = offer(r) ? 0 : worse + 1;
    }
    if (most_foretold > best.h && (best_r != best.r || most_foretold > worth_another * best.h)) {
      const Trial other = prove(most_foretold, best_r);
      if (other.h > best.h) best = other;
    }
  }
  if (best.h == 0) return 0;
  if (last.h != best.h || last.r != best.r) static_cast<void>(ask(best.h, best.r));
  memory.ratio = std::clamp(best.r / best.h, least_kept, most_kept);
  // A step that was cut short by something else may have shown more than it needed.
  const double shown = best.h < limit || limit == wanted ? std::max(best.h, foretold(best)) : foretold(best);
  if (best.h < limit || shown > expected) memory.share = std::clamp(shown / wanted, least_share, 1.0);
  return best.h;
}

}  // namespace zwang::motion
