/// Infinitely many impacts in a finite time, recognised by their convergence.
///
/// One rhythm. The conditions struck repeat with some period. With T_1, T_2, T_3 the durations of the last three periods and
/// r = T_3 / T_2 the rest lasts
///
///   Delta = T_3 (r + r^2 + ...) = T_3 r / (1 - r),
///
/// with an error of about T_3 |T_3/T_2 - T_2/T_1| / (1 - r)^2.
///
/// A cluster. Whatever the order and nesting of the shocks: a round is a stretch in which every condition of the set was struck. If
/// the last rounds became shorter and lost less by a common factor r < 1, the rest lasts at most T r / (1 - r).
///
/// When what the rest can still move, |f'| Delta (a cluster: and the gaps there are), is below the tolerance, as a part of
/// what moved when the rhythm began, the conditions close without rebound, and Delta later the limit is reported. The closed
/// state is verified: it must not have cost more energy than the rest of the sequence could lose; if it did, nothing is closed.
///
/// Beyond all bounds. Between two conditions that close in and meet, without loss, shocks follow each other as 1/n^2, and nothing converges but the
/// time: that ends the motion, with the time of the meeting.
///
/// Symbols: T durations, f' rates of the conditions struck. Reference: docs/mathematics, section 13.
#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/settle_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

struct Rest {
  bool found = false;
  double duration = 0;
  double error = 0;   ///< of the duration
  double began = 0;   ///< duration of the first round of the rhythm that is remembered
  double latest = 0;  ///< of the last one
  double whole = 0;   ///< of all of them
  double lost = 0;    ///< in the last round
  double fading = 0;  ///< that as a part of what the round before lost
  std::vector<std::uint32_t> rows;
};

void tidy(std::vector<std::uint32_t>& rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

/// Duration of the window of `period` impacts that lies `back` windows before the end; negative if other rows were struck in it.
double window(std::span<const Bounce> bounces, std::size_t period, std::size_t back) {
  const std::size_t end = bounces.size();
  double sum = 0;
  for (std::size_t k = 0; k < period; ++k) {
    const Bounce& one = bounces[end - (back + 1) * period + k];
    if (one.rows != bounces[end - period + k].rows) return -1;
    sum += one.flight;
  }
  return sum;
}

/// The rest of a sequence that repeats every `period` impacts; none if its length is uncertain by more than `allowed`.
Rest rest_of_rhythm(std::span<const Bounce> bounces, std::size_t period, double allowed) {
  Rest rest;
  const std::size_t end = bounces.size();
  const std::size_t windows = end / period;
  if (windows < 2) return rest;
  const double last = window(bounces, period, 0);
  const double before = window(bounces, period, 1);
  if (!(before > 0)) return rest;
  // The flight that led to the first strike of all, or from another condition, is none of the rhythm: beside it whatever follows would seem to shrink to nothing.
  const std::size_t first = end - 2 * period;
  if (windows == 2 && (first == 0 || bounces[first - 1].rows != bounces[end - 1].rows)) return rest;
  const double r = last / before;
  if (!(r < slowest_rhythm)) return rest;
  rest.duration = last * r / (1 - r);
  rest.error = rest.duration;
  rest.latest = last;

  // How far back it goes, with about the same factor.
  rest.began = before;
  rest.whole = last + before;
  for (std::size_t back = 2; back < windows; ++back) {
    const double duration = window(bounces, period, back);
    if (!(duration > 0) || !(rest.began < duration)) break;
    const double factor = rest.began / duration;
    if (back == 2) {
      if (std::abs(r - factor) > same_factor * (1 - r)) break;
      rest.error = last * std::abs(r - factor) / ((1 - r) * (1 - r));
      if (rest.error > allowed) return rest;
    } else if (std::abs(r - factor) > same_factor) {
      break;
    }
    rest.began = duration;
    rest.whole += duration;
  }
  if (rest.error > allowed) return rest;
  double earlier = 0;
  for (std::size_t k = 0; k < period; ++k) {
    const Bounce& one = bounces[end - period + k];
    rest.rows.insert(rest.rows.end(), one.rows.begin(), one.rows.end());
    rest.lost += one.lost;
    earlier += bounces[end - 2 * period + k].lost;
  }
  rest.fading = earlier > 0 ? rest.lost / earlier : 0.0;
  tidy(rest.rows);
  rest.found = true;
  return rest;
}

/// The rest of a sequence among one set of conditions without any rhythm.
Rest rest_of_cluster(std::span<const Bounce> bounces) {
  Rest rest;
  if (bounces.size() < least_impacts_of_a_cluster) return rest;
  for (std::size_t k = bounces.size() / 2; k < bounces.size(); ++k) {
    rest.rows.insert(rest.rows.end(), bounces[k].rows.begin(), bounces[k].rows.end());
  }
  tidy(rest.rows);

  // Rounds from the end: each strikes every condition of the set, and no other.
  struct Round {
    double duration = 0;
    double lost = 0;
  };
  std::vector<Round> rounds;
  Round round;
  std::vector<std::uint32_t> struck;
  for (std::size_t k = bounces.size(); k-- > 0;) {
    const Bounce& one = bounces[k];
    if (!std::includes(rest.rows.begin(), rest.rows.end(), one.rows.begin(), one.rows.end())) break;
    round.duration += one.flight;
    round.lost += one.lost;
    struck.insert(struck.end(), one.rows.begin(), one.rows.end());
    tidy(struck);
    if (struck.size() < rest.rows.size()) continue;
    rounds.push_back(round);
    round = {};
    struck.clear();
  }
  if (rounds.size() < least_rounds_of_a_cluster) return rest;
  double factor = 0;
  std::size_t count = 1;
  for (; count < rounds.size(); ++count) {
    const double shorter = rounds[count - 1].duration / rounds[count].duration;
    const double weaker = std::sqrt(rounds[count - 1].lost / rounds[count].lost);
    const double worse = std::max(shorter, weaker);
    if (!(worse < slowest_cluster)) break;
    factor = std::max(factor, worse);
  }
  if (count < least_rounds_of_a_cluster) return rest;
  rest.duration = rounds[0].duration * factor / (1 - factor);
  rest.error = rest.duration;
  rest.latest = rounds[0].duration;
  rest.began = rounds[count - 1].duration;
  for (std::size_t k = 0; k < count; ++k) rest.whole += rounds[k].duration;
  rest.lost = rounds[0].lost;
  rest.fading = factor;
  rest.found = true;
  return rest;
}

/// The speed with which a row was last struck.
double last_speed(std::span<const Bounce> bounces, std::uint32_t row) {
  for (std::size_t k = bounces.size(); k-- > 0;) {
    const auto found = std::find(bounces[k].rows.begin(), bounces[k].rows.end(), row);
    if (found != bounces[k].rows.end()) {
      return std::abs(bounces[k].speed[static_cast<std::size_t>(found - bounces[k].rows.begin())]);
    }
  }
  return 0;
}

/// Can the rest still move anything that counts? Its length, and what is uncertain about it, against what moved when the sequence began.
bool moves_nothing(const Motion& motion, const Rest& rest) {
  const Motion::Impl& impl = *motion.impl;
  const instant::Instant& now = impl.instant;
  const std::vector<double>& touch = impl.workspace.touch_values();
  if (rest.error > of_the_limit * impl.tolerance * rest.whole) return false;
  for (const std::uint32_t row : rest.rows) {
    const double speed = std::max(std::abs(now.rate[row]), last_speed(since_limit(impl), row));
    const double at_first = speed * (rest.began / rest.latest) * rest.whole;
    // Where it lies says nothing: a floor may be at any height. What is zero of f there still is.
    const double allowed = std::max(while_it_lasts * impl.tolerance * at_first, touch[row]);
    const double gap = rest.rows.size() > 1 ? std::abs(now.value[row]) : 0.0;
    if (std::max(speed * rest.duration, gap) > allowed) return false;
  }
  return true;
}

/// Do shocks follow each other faster than they did? Where they do not there is nothing to look for.
bool quickens(std::span<const Bounce> bounces) {
  constexpr std::size_t few = 12;  // as many as the longest rhythm and its repetition
  if (bounces.size() < 2 * few) return true;
  double late = 0;
  double early = 0;
  const std::size_t end = bounces.size();
  for (std::size_t k = 0; k < few; ++k) {
    late += bounces[end - 1 - k].flight;
    early += bounces[end - 1 - few - k].flight;
  }
  return late < early;
}

/// Sums of the same durations in another order differ by roundings.
constexpr double times_rounding = 1 + 1e-12;

/// Can any sequence that ends with the last shock move nothing any more? A rest lasts at least F^2 / T, F the last flight and T all that is
/// remembered, and what began it no longer than T: asked first, because it mostly tells.
bool may_have_ended(const Motion& motion, double all) {
  const Motion::Impl& impl = *motion.impl;
  const Bounce& last = impl.bounces.back();
  const double least = last.flight * last.flight;  // times 1 / T, as the other side
  if (!(least * last.flight > while_it_lasts * impl.tolerance * all * all * all) || last.rows.empty()) return true;
  const double speed = std::max(std::abs(impl.instant.rate[last.rows[0]]), std::abs(last.speed[0]));
  return speed * least <= impl.workspace.touch_values()[last.rows[0]] * all;
}

/// Two conditions struck in turn that close in on what bounces between them: f_a + c f_b with c > 0 contains no coordinate, and comes to zero at a
/// time t*, where they meet. If nothing is lost the speed grows as 1 / (t* - t), and infinitely many shocks, each sooner by less than any ratio,
/// lie before. Told when t* is all but reached; asked once for many shocks, because nothing but their number shows it.
bool end_between_closing(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::span<const Bounce> bounces = since_limit(impl);
  if (bounces.size() < most_bounces) return false;
  const Bounce& last = bounces.back();
  const Bounce& other = bounces[bounces.size() - 2];
  const Bounce& first = bounces[1];
  if (last.rows.size() != 1 || other.rows.size() != 1 || last.rows == other.rows) return false;
  for (std::size_t k = 0; k < bounces.size(); ++k) {
    if (bounces[k].rows != (k % 2 == 1 ? last.rows : other.rows)) return false;
  }
  if (!(std::abs(last.speed[0]) > std::abs(first.speed[0]))) return false;
  const std::uint32_t a = last.rows[0];
  const std::uint32_t b = other.rows[0];
  if (!model::is_holonomic(model.row_kind[a]) || !model::is_holonomic(model.row_kind[b])) return false;

  // Gradients, now and where the motion may be when they meet.
  const auto gradient = [&](const model::Rows& rows, std::uint32_t row) {
    std::vector<double> out(model.variables, 0.0);
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      out[model.row_column[e]] = rows.entry[e];
    return out;
  };
  instant::Evaluation& found = impl.workspace.evaluation();
  model::State state = motion.state;
  state.modes.clear();  // as they are there
  const auto at = [&](double time, double moved) -> const model::Rows& {
    state.time = time;
    for (std::size_t i = 0; i < state.position.size(); ++i) {
      state.position[i] = motion.state.position[i] + moved * motion.state.velocity[i];
    }
    model::evaluate_rows(model, state, found.scratch, found.rows);
    return found.rows;
  };
  const double now = motion.state.time;
  const double ahead = std::min(all_but_met * (now - model.simulation.start), impl.until - now);
  const std::vector<double> one = gradient(at(now, 0), a);
  const std::vector<double> two = gradient(found.rows, b);
  const std::size_t most = static_cast<std::size_t>(
      std::max_element(two.begin(), two.end(), [](double x, double y) { return std::abs(x) < std::abs(y); }) -
      two.begin());
  const double c = -one[most] / two[most];
  if (!(c > 0)) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (std::abs(one[i] + c * two[i]) > same_gradient * std::abs(one[most])) return false;
  }
  const std::vector<double> later_one = gradient(at(now + ahead, ahead), a);
  const std::vector<double> later_two = gradient(found.rows, b);
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (std::abs(later_one[i] - one[i]) > same_gradient * std::abs(one[most])) return false;
    if (std::abs(later_two[i] - two[i]) > same_gradient * std::abs(two[most])) return false;
  }
  const auto overlap = [&](double time) { return at(time, 0).value[a] + c * found.rows.value[b]; };
  double open = now;
  double met = now + ahead;
  if (!(overlap(open) < 0) || !(overlap(met) > 0)) return false;
  while (true) {
    const double middle = open + (met - open) / 2;
    if (!(open < middle && middle < met)) break;
    (overlap(middle) > 0 ? met : open) = middle;
  }
  motion.culprits = {std::min(a, b), std::max(a, b)};
  end(motion, Status::gave_up,
      model::row_name(model, motion.culprits[0]) + " and " + model::row_name(model, motion.culprits[1]) +
          " close in on what bounces between them and meet at t = " + readable(met, digits_of_meeting) +
          ": infinitely many impacts lie before that, and the speed grows beyond all bounds; end the run before");
  return true;
}

}  // namespace

std::span<const Bounce> since_limit(const Motion::Impl& impl) {
  return std::span<const Bounce>(impl.bounces).last(impl.fresh_bounces);
}

bool keeps_a_rhythm(std::span<const Bounce> bounces, std::uint32_t row, double least) {
  const auto strikes = [&](const Bounce& one) { return std::find(one.rows.begin(), one.rows.end(), row); };
  for (std::size_t period = 1; period <= longest_period; ++period) {
    // Too early to tell: whatever there is may be the beginning of one.
    if (bounces.size() < 2 * period) return true;
    if (window(bounces, period, 1) < 0) continue;
    // How far back it goes, and how hard the condition was struck when it began.
    std::size_t windows = 2;
    while ((windows + 1) * period <= bounces.size() && window(bounces, period, windows) >= 0) ++windows;
    if (windows < 3 && 3 * period <= bounces.size()) continue;
    double first = 0;
    for (std::size_t k = bounces.size() - windows * period; k < bounces.size() && first == 0; ++k) {
      const auto place = strikes(bounces[k]);
      if (place == bounces[k].rows.end()) continue;
      first = std::abs(bounces[k].speed[static_cast<std::size_t>(place - bounces[k].rows.begin())]);
    }
    if (first > least) return true;
  }
  return false;
}

bool bounce_in_step(const model::Model& model, std::span<const Bounce> bounces, std::span<const std::uint32_t> rows) {
  std::vector<char> moved(model.variables, 0);
  const auto each = [&](std::uint32_t row, const auto& visit) {
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) visit(model.row_column[e]);
  };
  for (const std::uint32_t row : rows) each(row, [&](std::uint32_t i) { moved[i] = 1; });
  std::vector<std::uint32_t> now;
  bool at_once = false;
  for (const Bounce& one : bounces) {
    if (one.flight > 0) now.clear();
    for (const std::uint32_t row : one.rows) {
      if (std::find(rows.begin(), rows.end(), row) != rows.end()) {
        now.push_back(row);
        continue;
      }
      // Something else strikes the same bodies: a heap, in which what is in step now need not stay so.
      bool beside = false;
      each(row, [&](std::uint32_t i) { beside = beside || moved[i] != 0; });
      if (beside) return false;
    }
    tidy(now);
    at_once = at_once || now.size() == rows.size();
  }
  return at_once;
}

std::vector<std::uint32_t> rows_of_rhythm(std::span<const Bounce> bounces, double shorter) {
  std::vector<std::uint32_t> rows;
  for (std::size_t period = 1; period <= longest_period && 3 * period <= bounces.size(); ++period) {
    const double last = window(bounces, period, 0);
    const double before = window(bounces, period, 1);
    if (!(last < shorter * before) || !(before < shorter * window(bounces, period, 2))) continue;
    for (std::size_t k = bounces.size() - period; k < bounces.size(); ++k) {
      rows.insert(rows.end(), bounces[k].rows.begin(), bounces[k].rows.end());
    }
    break;
  }
  tidy(rows);
  return rows;
}

void close_accumulation(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const std::span<const Bounce> bounces = since_limit(impl);
  if (bounces.empty() || !quickens(bounces)) return;
  if (end_between_closing(motion)) return;
  double all = 0;
  for (const Bounce& one : bounces) all += one.flight;
  if (!may_have_ended(motion, all)) return;
  // No sequence lasts longer than all that is remembered: what `moves_nothing` would turn down is not looked at further.
  const double uncertain = times_rounding * of_the_limit * impl.tolerance * all;
  Rest rest;
  for (std::size_t period = 1; period <= longest_period; ++period) {
    Rest one = rest_of_rhythm(bounces, period, uncertain);
    if (!one.found || !moves_nothing(motion, one)) continue;
    rest = std::move(one);
    break;
  }
  if (!rest.found) {
    // The rest of a cluster lasts at least F^2 / T, too, and is uncertain by as much.
    const double flight = bounces.back().flight;
    if (flight * flight > uncertain * all) return;
    rest = rest_of_cluster(bounces);
    if (!rest.found || !moves_nothing(motion, rest)) return;
  }

  // They close: no rebound any more, and from now on held. The energy that costs is what the rest of the shocks would have taken: in a
  // corner that narrows to its tip that is all there is, in rounds that become shorter faster than weaker.
  const model::State state = motion.state;
  const EnergyBalance energy = motion.energy;
  const std::vector<std::uint32_t> held = motion.held;
  close_for_good(motion, rest.rows);
  const double bound = most_lost_at_once * rest.lost / (1 - std::min(rest.fading, slowest_fading)) +
                       loss_in_roundings * (std::abs(motion.energy.initial) + motion.energy.largest_kinetic);
  if (motion.status == Status::going && impl.limit_lost > bound) {
    motion.state = state;
    motion.energy = energy;
    motion.held = held;
    close_for_good(motion, {});
    return;
  }
  impl.fresh_bounces = 0;
  impl.limit_ahead = motion.status == Status::going;
  impl.limit_time = motion.state.time + rest.duration;
  impl.limit_rows = std::move(rest.rows);
}

void hop_until_limit(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (!impl.limit_ahead || motion.status != Status::going || impl.pins.edges().empty()) return;
  Switches& switches = impl.switches;
  const instant::RowSet hopping(impl.model.rows(), impl.limit_rows);
  bool changed = false;
  for (const instant::Pin& pin : impl.pins.edges()) {
    const bool slides = std::binary_search(switches.slid.begin(), switches.slid.end(), pin.number);
    if (slides || !hopping.contains(pin.row) || switches.sides[pin.number] == pin.side) continue;
    if (impl.pins.allowed(pin.number, switches.gone) != pin.side) continue;
    switches.sides[pin.number] = pin.side;
    const model::SwitchPlace place = model::place_of_switch(impl.model, pin.number);
    const model::Slotted& group = *place.group;
    const std::uint32_t mode = group.corners[place.corner].first_mode * group.lanes + place.lane;
    motion.state.modes[group.first_mode + mode] = pin.side - 1;
    changed = true;
  }
  if (!changed) return;
  instant::Options options = options_in_motion(impl, closed_rows(impl), closed_rows(impl));
  options.gone = switches.idle;
  options.shock_done = true;
  instant::accelerate(impl.model, motion.state, options, impl.workspace, impl.instant);
  if (determined(motion)) hold_rows(motion, {});
}

}  // namespace zwang::motion
