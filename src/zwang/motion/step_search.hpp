/// The longest step that a bound allows, and the circle that shows it where functions are bounded on circles of the complex plane.
///
/// A bound misses what is allowed by a factor that falls with the step about as h^p, p the order of the first coefficient left out, so that
/// one judgement foretells the step that is shown. On small circles r what is bounded is small but h / r is not, on large ones the other
/// way round. What the last steps taught (which part of the step wanted was shown, and on which circle) is remembered, and most steps
/// are judged once; other circles are looked at where less is shown than foretold, and now and then.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"

namespace zwang::motion {

/// What a search teaches the next one; kept with a checkpoint, because steps depend on it.
struct StepMemory {
  double ratio = 0;  ///< r / h of the circle that showed the last step
  double share = 1;  ///< of the step wanted, what that circle is expected to show
  double since = 0;  ///< steps since circles were last compared
};

namespace step_search {
constexpr double usual_ratio = 4;    ///< r / h of the first circle ever
constexpr double small_ratio = 1.5;  ///< of one that sees little of what lies ahead
constexpr double least_ratio = 1.05,
                 most_ratio = 12;  ///< nearer to 1 geometric sums have no end; far out rounding is all there is
constexpr double stride = 1.35;    ///< by so much circles differ where the best one is looked for
constexpr double beyond = 1.1;  ///< others are looked at with a step as much longer: a circle must not be near its end
constexpr double good_enough = 0.9;       ///< of the step wanted, or expected
constexpr double safety = 0.985;          ///< of the step at which the power law would just allow it
constexpr double steepness = 1.4;         ///< of the fall of a bound with the step, beside the power law's
constexpr double steepest_fall = 0.1;     ///< a step is not made smaller by more at once
constexpr double steepest_rise = 4;       ///< and none foretold to be larger by more
constexpr double margin = 0.985;          ///< of the step expected: from step to step the share differs a little
constexpr double worth_another = 1.3;     ///< a step that could be longer by this is judged again
constexpr double large_stride = 0.125;    ///< by so much steps become shorter where nothing is bounded
constexpr int most_unbounded = 2;         ///< halvings of a step of which nothing is known
constexpr int most_rounds = 60;           ///< of making a step smaller
constexpr double between_searches = 64;   ///< steps
constexpr double least_share = 1.0 / 16;  ///< below this the step wanted says nothing of the next one
constexpr double shortest = 1e-300;
/// A bound that misses by more is none: in other units of length and mass it would not be a number.
constexpr double hopeless = 0x1p300;
}  // namespace step_search

/// A length with few digits, not longer than the one given: a change of units by powers of two gives the same step.
inline double shortened(double h) {
  int exponent = 0;
  const double m = std::frexp(h, &exponent);
  constexpr double digits = 4096;
  return std::ldexp(std::floor(m * digits) / digits, exponent);
}

/// The longest step found, not longer than `wanted` and `most`; 0 if none is. `judge(h, r)` says by what factor the bound misses (<= 1:
/// proved, infinity: no bound) and leaves its numbers behind; the last call is the one for the step returned. `on_circles`: it depends on r.
template <class Judge>
double longest_step(double wanted, double most, unsigned order, bool on_circles, StepMemory& memory, Judge judge) {
  using namespace step_search;
  struct Trial {
    double h = 0, r = 0;
    double miss = std::numeric_limits<double>::infinity();
    bool proved() const { return miss <= 1; }
    bool bounded() const { return miss < hopeless; }
  };
  Trial last;
  const auto ask = [&](double h, double r) { return last = Trial{h, r, judge(h, r)}; };
  // It is asked several times in turn.
  struct {
    double miss = -1, factor = 0;
  } known;
  // The step that a circle shows by the power law; the bound of a step too long falls faster.
  const auto foretold = [&](const Trial& trial) {
    if (!trial.bounded()) return 0.0;
    if (trial.miss != known.miss) {
      const double power = trial.proved() ? order : steepness * order;
      known = {trial.miss, std::clamp(safety * elementary::pow(trial.miss, -1 / power), steepest_fall, steepest_rise)};
    }
    return trial.h * known.factor;
  };
  const double limit = std::min(wanted, most);
  const auto within = [&](double h) { return h < limit ? shortened(h) : limit; };
  // Made smaller within its circle until it is proved.
  const auto prove = [&](double h, double ratio) {
    Trial trial;
    int unbounded = 0;
    h = within(h);
    const double r = ratio * h;
    for (int round = 0; round < most_rounds; ++round) {
      trial = ask(h, r);
      if (trial.proved() || (!trial.bounded() && ++unbounded > most_unbounded)) break;
      h = shortened(trial.bounded() ? std::min(foretold(trial), safety * h) : 0.5 * h);
    }
    if (!trial.proved()) trial.h = 0;
    return trial;
  };

  const double expected = (memory.share < 1 ? margin * memory.share : 1.0) * wanted;
  const double ratio = memory.ratio > 0 ? memory.ratio : usual_ratio;
  double ratio_kept = ratio;
  Trial best = prove(expected, ratio);
  const bool disappoints = best.h < good_enough * std::min(expected, limit);
  // Nothing is bounded there: shorter ones, on a usual and on a small circle.
  for (double h = std::min(expected, limit); best.h == 0 && h > shortest; h *= large_stride) {
    const Trial usual = prove(h, usual_ratio);
    if (!on_circles) {
      best = usual;
      continue;
    }
    const Trial small = prove(h, small_ratio);
    best = usual.h > small.h ? usual : small;
    ratio_kept = usual.h > small.h ? usual_ratio : small_ratio;
  }
  if (best.h > 0 && best.h < limit && foretold(best) > worth_another * best.h) {
    const Trial longer = prove(foretold(best), ratio_kept);
    if (longer.h > best.h) best = longer;
  }
  const bool due = on_circles && ++memory.since >= between_searches && best.h < good_enough * limit;
  if (best.h > 0 && on_circles && (disappoints || due)) {
    memory.since = 0;
    // Circles are compared by what they foretell, downwards, then upwards.
    const double first = ratio_kept;
    double best_ratio = first;
    double most_foretold = std::max(best.h, foretold(best));
    const auto offer = [&](double other) {
      const double h = within(beyond * most_foretold);
      const Trial trial = ask(h, other * h);
      if (trial.proved() && trial.h > best.h) best = trial;
      if (!(foretold(trial) > most_foretold)) return false;
      most_foretold = foretold(trial);
      best_ratio = other;
      return true;
    };
    for (double r = first / stride; r > least_ratio && most_foretold < limit && offer(r);) r /= stride;
    if (best_ratio == first) {
      for (double r = first * stride; r < most_ratio && most_foretold < limit && offer(r);) r *= stride;
    }
    if (best_ratio != first) {
      ratio_kept = best_ratio;
      const Trial other = prove(most_foretold, best_ratio);
      if (other.h > best.h) best = other;
    }
  }
  if (best.h == 0) return 0;
  if (last.h != best.h || last.r != best.r) static_cast<void>(ask(best.h, best.r));
  memory.ratio = ratio_kept;
  // A step that was cut short by something else may have shown more than it needed.
  const double shown = best.h < limit || limit == wanted ? std::max(best.h, foretold(best)) : foretold(best);
  if (best.h < limit || shown > expected) memory.share = std::clamp(shown / wanted, least_share, 1.0);
  return best.h;
}

}  // namespace zwang::motion
