/// Between which values a tape stays.
#include "zwang/expressions/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/numbers.hpp"

namespace zwang::expressions {

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr Range everything{-endless, endless};
constexpr double widening = 1e-15;  ///< of an end: more than the rounding of one operation or function of the library

Range widened(double low, double high) {
  if (!(low <= high)) return everything;
  // What has overflown is larger than any number, and known to be.
  low = std::clamp(low, -endless, std::numeric_limits<double>::max());
  high = std::clamp(high, std::numeric_limits<double>::lowest(), endless);
  return {std::isinf(low) ? low : low - widening * std::abs(low),
          std::isinf(high) ? high : high + widening * std::abs(high)};
}

Range product(Range a, Range b) {
  // Zero times what has no bound tells nothing.
  const double all[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  if (std::any_of(std::begin(all), std::end(all), [](double x) { return std::isnan(x); })) return everything;
  return widened(*std::min_element(std::begin(all), std::end(all)), *std::max_element(std::begin(all), std::end(all)));
}

Range reciprocal(Range a) {
  if (!(a.low > 0 || a.high < 0)) return everything;
  return widened(1 / a.high, 1 / a.low);
}

/// Of a function that rises wherever it has values.
template <class Function>
Range rising(Range a, const Function& f) {
  return widened(f(a.low), f(a.high));
}

/// sin, whose greatest values lie at peak + 2 pi k.
Range wave(Range a, double peak) {
  if (!(a.high - a.low < 2 * pi)) return {-1, 1};
  const auto holds = [&](double place) { return place + 2 * pi * std::ceil((a.low - place) / (2 * pi)) <= a.high; };
  const auto at = [&](double x) { return elementary::cos(x - peak); };
  // Near a greatest value, rounding of a large argument does not matter: it is 1 at most.
  const double slack = widening * (std::abs(a.low) + std::abs(a.high));
  const double low = std::min(at(a.low), at(a.high)) - slack;
  const double high = std::max(at(a.low), at(a.high)) + slack;
  return {holds(peak + pi) ? -1.0 : std::max(low, -1.0), holds(peak) ? 1.0 : std::min(high, 1.0)};
}

Range power(Range a, double exponent) {
  // A root among them: below zero it has no values.
  if (exponent > 0 && a.low < 0 && a.high >= 0) a.low = 0;
  if (!(a.low >= 0) || (exponent < 0 && a.low == 0)) return everything;
  const double low = elementary::pow(a.low, exponent);
  const double high = elementary::pow(a.high, exponent);
  return widened(std::min(low, high), std::max(low, high));
}

Range angle(Range y, Range x) {
  // Away from the cut the extremes lie at corners; else the whole turn.
  if (!(x.low > 0 || y.low > 0 || y.high < 0)) return {-pi, pi};
  const double all[] = {elementary::atan2(y.low, x.low), elementary::atan2(y.low, x.high),
                        elementary::atan2(y.high, x.low), elementary::atan2(y.high, x.high)};
  return widened(*std::min_element(std::begin(all), std::end(all)), *std::max_element(std::begin(all), std::end(all)));
}

}  // namespace

std::vector<Range> ranges(const Tape& tape, std::span<const Range> inputs) {
  std::vector<Range> out(inputs.begin(), inputs.end());
  out.reserve(tape.registers());
  for (const double constant : tape.constants) out.push_back({constant, constant});
  for (const Instruction& i : tape.instructions) {
    const Range a = out[i.a];
    const Range b = i.b < out.size() ? out[i.b] : everything;
    switch (i.op) {
      case Op::add: out.push_back(widened(a.low + b.low, a.high + b.high)); break;
      case Op::subtract: out.push_back(widened(a.low - b.high, a.high - b.low)); break;
      case Op::multiply: out.push_back(product(a, b)); break;
      case Op::divide: out.push_back(product(a, reciprocal(b))); break;
      case Op::negate: out.push_back({-a.high, -a.low}); break;
      case Op::scale: out.push_back(product(a, {i.c, i.c})); break;
      case Op::square: {
        const Range all = product(a, a);
        const double least = std::min(std::abs(a.low), std::abs(a.high));
        out.push_back({a.low <= 0 && a.high >= 0 ? 0.0 : least * least * (1 - widening), all.high});
        break;
      }
      case Op::reciprocal: out.push_back(reciprocal(a)); break;
      case Op::sqrt: {
        // Where the argument is a sum of squares, rounding alone makes it negative.
        const Range above = {std::max(a.low, 0.0), a.high};
        out.push_back(a.high >= 0 ? rising(above, [](double x) { return std::sqrt(x); }) : everything);
        break;
      }
      case Op::power: out.push_back(power(a, i.c)); break;
      case Op::exp: out.push_back(rising(a, [](double x) { return elementary::exp(x); })); break;
      case Op::log:
        out.push_back(a.low > 0 ? rising(a, [](double x) { return elementary::log(x); }) : everything);
        break;
      case Op::sin: out.push_back(wave(a, pi / 2)); break;
      // Written along with sin and sinh, which stand before it.
      case Op::cos: out.push_back(wave(out[(&i - 1)->a], 0)); break;
      case Op::sinh: out.push_back(rising(a, [](double x) { return elementary::sinh(x); })); break;
      case Op::cosh: {
        const Range of = out[(&i - 1)->a];
        const double far = std::max(std::abs(of.low), std::abs(of.high));
        const double near = of.low <= 0 && of.high >= 0 ? 0.0 : std::min(std::abs(of.low), std::abs(of.high));
        out.push_back(widened(elementary::cosh(near), elementary::cosh(far)));
        break;
      }
      case Op::tan: {
        const bool one_branch = std::floor(a.low / pi + 0.5) == std::floor(a.high / pi + 0.5);
        out.push_back(one_branch ? rising(a, [](double x) { return elementary::tan(x); }) : everything);
        break;
      }
      case Op::tanh: out.push_back(rising(a, [](double x) { return elementary::tanh(x); })); break;
      case Op::asin:
      case Op::acos: {
        // As of a root: a cosine is hardly more than one, its range may be.
        if (!(a.high >= -1 && a.low <= 1)) {
          out.push_back(everything);
          break;
        }
        const Range inside = {std::max(a.low, -1.0), std::min(a.high, 1.0)};
        out.push_back(i.op == Op::asin ? rising(inside, [](double x) { return elementary::asin(x); })
                                       : widened(elementary::acos(inside.high), elementary::acos(inside.low)));
        break;
      }
      case Op::atan: out.push_back(rising(a, [](double x) { return elementary::atan(x); })); break;
      case Op::atan2: out.push_back(angle(a, b)); break;
      case Op::select: {
        const Range truth = out.back();
        if (truth.low == 1 && truth.high == 1) {
          out.push_back(a);
        } else if (truth.low == 0 && truth.high == 0) {
          out.push_back(b);
        } else {
          const Range part = {std::clamp(truth.low, 0.0, 1.0), std::clamp(truth.high, 0.0, 1.0)};
          const Range first = product(part, a);
          const Range second = product({1 - part.high, 1 - part.low}, b);
          out.push_back(widened(first.low + second.low, first.high + second.high));
        }
        break;
      }
    }
  }
  return out;
}

}  // namespace zwang::expressions
