/// The limit of a sequence of shocks whose flights shorten geometrically: Delta = T r / (1 - r) behind the last of them, r = T / T', with what of r^2 is left taken off by
/// a second limit one period before.
#include "zwang/sensitivity/sequences.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

constexpr std::size_t longest_period = 6;  ///< of sequences of shocks, as the motion knows them
constexpr std::size_t most_periods = 256;  ///< impacts that are looked at

/// A number and its slope.
struct Sloped {
  double value = 0;
  double slope = 0;
};
Sloped operator+(const Sloped& a, const Sloped& b) { return {a.value + b.value, a.slope + b.slope}; }
Sloped operator-(const Sloped& a, const Sloped& b) { return {a.value - b.value, a.slope - b.slope}; }
Sloped operator*(const Sloped& a, const Sloped& b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
Sloped operator/(const Sloped& a, const Sloped& b) {
  const double value = a.value / b.value;
  return {value, (a.slope - value * b.slope) / b.value};
}

/// The last impacts of the rows that come to rest, the latest first.
std::vector<std::size_t> impacts_before(const std::vector<motion::Event>& events, std::size_t number) {
  std::vector<std::size_t> out;
  const std::vector<std::uint32_t>& rows = events[number].rows;
  for (std::size_t k = number; k-- > 0 && out.size() < most_periods;) {
    if (events[k].kind != motion::EventKind::impact) continue;
    const bool of_it = std::any_of(events[k].rows.begin(), events[k].rows.end(), [&](std::uint32_t row) {
      return std::find(rows.begin(), rows.end(), row) != rows.end();
    });
    if (of_it) out.push_back(k);
  }
  return out;
}

}  // namespace

std::optional<double> limit_of_shocks(const std::vector<motion::Event>& events, std::size_t number,
                                      std::vector<EventSlope>& slopes) {
  const std::vector<std::size_t> impacts = impacts_before(events, number);
  for (std::size_t period = 1; 2 * period < impacts.size() && period <= longest_period; ++period) {
    const auto time = [&](std::size_t k) { return events[impacts[k]].time; };
    const auto flight = [&](std::size_t k) { return time(k) - time(k + period); };
    const auto repeats = [&](std::size_t k) { return events[impacts[k]].rows == events[impacts[k + period]].rows; };
    bool same = true;
    for (std::size_t k = 0; k <= period; ++k) same = same && repeats(k);
    if (!same) continue;
    // The last shocks are faint, and the slopes of their times are mostly rounding: what stands some way before them tells better.
    std::size_t begins = period;
    // Going back flights grow, as long as they are of one sequence.
    while (begins + 2 * period < impacts.size() && repeats(begins) && flight(begins + period) > flight(begins))
      ++begins;
    std::size_t from = 0;
    while (from + 1 < begins && flight(from) < short_flight * flight(begins)) ++from;
    const auto slope = [&](std::size_t k) {
      const EventSlope& one = slopes[impacts[k]];
      return one.after ? one.after : one.before;
    };
    const auto flown = [&](std::size_t k) { return Sloped{flight(k), *slope(k) - *slope(k + period)}; };
    // The slope of the limit as the shocks up to k tell it.
    const auto limit_from = [&](std::size_t k0) -> std::optional<double> {
      if (k0 + 2 * period >= impacts.size() || !slope(k0) || !slope(k0 + period) || !slope(k0 + 2 * period) ||
          !(flight(k0 + period) > flight(k0)))
        return std::nullopt;
      // How far it lies behind the shock k0: t + last^2 / (earlier - last), times counted from there.
      const auto behind = [&](std::size_t k) {
        return Sloped{time(k) - time(k0), *slope(k) - *slope(k0)} +
               flown(k) * flown(k) / (flown(k + period) - flown(k));
      };
      Sloped rest = behind(k0);
      const std::size_t first = k0 + 3 * period;
      if (first < impacts.size() && slope(first) && repeats(k0 + period) &&
          flight(k0 + 2 * period) > flight(k0 + period)) {
        // Both limits miss by what falls as r^2 from one period to the next.
        const Sloped r = flown(k0) / flown(k0 + period);
        rest = (rest - r * r * behind(k0 + period)) / (Sloped{1, 0} - r * r);
      }
      return *slope(k0) + rest.slope;
    };
    // By how much it changes from one shock to the next. If it still does, the sequence is not geometric yet, and shorter flights tell better, up to rounding.
    const auto changes = [&](std::size_t k) -> std::optional<double> {
      const std::optional<double> one = limit_from(k);
      const std::optional<double> before = limit_from(k + 1);
      return one && before ? std::optional<double>(std::abs(*one - *before)) : std::nullopt;
    };
    std::optional<double> now = changes(from);
    while (from > 0 && now && *now > limit_settled * std::abs(*limit_from(from))) {
      const std::optional<double> next = changes(from - 1);
      if (!next || !(*next < *now)) break;
      --from;
      now = next;
    }
    const std::optional<double> found_limit = limit_from(from);
    if (!found_limit) return std::nullopt;
    const double limit = *found_limit;
    const double last = flight(from);
    const double earlier = flight(from + period);
    const double last_slope = flown(from).slope;
    const double earlier_slope = flown(from + period).slope;
    // And the shocks behind: t_k = limit - Delta r^m, m periods behind one that is known.
    const double ratio = last / earlier;
    const double ratio_slope = ratio * (last_slope / last - earlier_slope / earlier);
    for (std::size_t k = 0; k < from; ++k) {
      const std::size_t periods = (from - k + period - 1) / period;
      const std::size_t source = k + periods * period;
      if (!slope(k) || !slope(source)) continue;
      const double left = events[number].time - time(source);
      double power = 1;
      for (std::size_t m = 1; m < periods; ++m) power *= ratio;
      const double found =
          limit - power * (ratio * (limit - *slope(source)) + static_cast<double>(periods) * ratio_slope * left);
      EventSlope& faint = slopes[impacts[k]];
      if (faint.before) faint.before = found;
      if (faint.after) faint.after = found;
    }
    return limit;
  }
  return std::nullopt;
}

}  // namespace zwang::sensitivity
