/// Elementary functions against sums of two doubles from other series: 10^8 arguments with ZWANG_SOAK=1, 10^5 otherwise.
#include "zwang/elementary/elementary.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "zwang/analysis/wide.hpp"

namespace elementary_tests {
namespace {

using zwang::analysis::Wide;

/// What may be wrong, in units of the last place: half by rounding; the sums of two are good to 1e-28 or 1e-12 units.
constexpr double allowed = 0.5 + 1e-9;

double units(double value, const Wide& truth) {
  const Wide off = truth - Wide(value);
  return std::abs(off.value.high) / std::ldexp(1.0, std::ilogb(truth.value.high) - 52);
}

struct Function {
  std::string name;
  double (*own)(double);
  Wide (*truth)(const Wide&);
  double low, high;
};

Wide half_difference(const Wide& x, double sign) {
  const Wide up = exp(x);
  return (up + Wide(sign) / up) * Wide(0.5);
}

std::vector<Function> functions() {
  namespace elementary = zwang::elementary;
  return {
      {"exp", elementary::exp, [](const Wide& x) { return exp(x); }, -30, 30},
      {"log", elementary::log, [](const Wide& x) { return log(x); }, 1e-3, 1e3},
      {"sin", elementary::sin, [](const Wide& x) { return sin(x); }, -7, 7},
      {"cos", elementary::cos, [](const Wide& x) { return cos(x); }, -7, 7},
      {"tan", elementary::tan, [](const Wide& x) { return sin(x) / cos(x); }, -7, 7},
      {"asin", elementary::asin, [](const Wide& x) { return atan2(x, sqrt((Wide(1) - x) * (Wide(1) + x))); }, -1, 1},
      {"acos", elementary::acos, [](const Wide& x) { return atan2(sqrt((Wide(1) - x) * (Wide(1) + x)), x); }, -1, 1},
      {"atan", elementary::atan, [](const Wide& x) { return atan2(x, Wide(1)); }, -9, 9},
      {"sinh", elementary::sinh, [](const Wide& x) { return half_difference(x, -1); }, 0.01, 20},
      {"cosh", elementary::cosh, [](const Wide& x) { return half_difference(x, 1); }, -20, 20},
      {"tanh", elementary::tanh, [](const Wide& x) { return half_difference(x, -1) / half_difference(x, 1); }, 0.01,
       18},
  };
}

TEST(ElementaryLong, functions_agree_with_twice_the_digits) {
  const bool is_long = std::getenv("ZWANG_SOAK") != nullptr;
  const std::vector<Function> all = functions();
  const long each = (is_long ? 100'000'000L : 100'000L) / static_cast<long>(all.size() + 1);
  std::mt19937_64 engine(20);
  for (const Function& f : all) {
    std::uniform_real_distribution<double> draw(f.low, f.high);
    double worst = 0;
    for (long i = 0; i < each; ++i) {
      const double x = draw(engine);
      const double off = units(f.own(x), f.truth(Wide(x)));
      ASSERT_LE(off, allowed) << f.name << "(" << std::hexfloat << x << ")";
      worst = std::max(worst, off);
    }
    fmt::print("{}: {} arguments, at most {:.12f} units of the last place\n", f.name, each, worst);
  }
  // Powers.
  std::uniform_real_distribution<double> base(0.01, 100);
  std::uniform_real_distribution<double> exponent(-5, 5);
  double worst = 0;
  for (long i = 0; i < each; ++i) {
    const double x = base(engine);
    const double y = exponent(engine);
    const double off = units(zwang::elementary::pow(x, y), exp(Wide(y) * log(Wide(x))));
    ASSERT_LE(off, allowed) << std::hexfloat << x << " " << y;
    worst = std::max(worst, off);
  }
  fmt::print("pow: {} arguments, at most {:.12f} units of the last place\n", each, worst);
}

}  // namespace
}  // namespace elementary_tests
