/// What the elementary functions cost beside those of the C library, whose bits depend on the processor.
///
/// Nanoseconds of a processor per call, the least of several rounds over the same 4096 arguments (a sum is kept, so that no call is left out). A step of a motion calls each
/// function once where it stands, and finds its series by recurrence: of a step these calls are a small part.
#include "zwang/elementary/elementary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "processor_time.hpp"

namespace {

using namespace zwang;

constexpr std::size_t arguments = 4096;
constexpr int rounds = 25;
constexpr int repeats = 20;  // of all arguments in one round

struct Function {
  const char* name;
  double (*own)(double);
  double (*library)(double);
  double low, high;
};

double kept = 0;

/// Nanoseconds per call of the quickest round.
template <class F>
double cost(const std::vector<double>& x, F f) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const double begin = processor_seconds();
    for (int k = 0; k < repeats; ++k) {
      double sum = 0;
      for (const double one : x) sum += f(one);
      kept += sum;
    }
    best = std::min(best, processor_seconds() - begin);
  }
  return 1e9 * best / static_cast<double>(repeats * x.size());
}

}  // namespace

int main() {
  const Function functions[] = {
      {"sin", elementary::sin, [](double x) { return std::sin(x); }, -7, 7},
      {"cos", elementary::cos, [](double x) { return std::cos(x); }, -7, 7},
      {"tan", elementary::tan, [](double x) { return std::tan(x); }, -7, 7},
      {"asin", elementary::asin, [](double x) { return std::asin(x); }, -1, 1},
      {"acos", elementary::acos, [](double x) { return std::acos(x); }, -1, 1},
      {"atan", elementary::atan, [](double x) { return std::atan(x); }, -4, 4},
      {"sinh", elementary::sinh, [](double x) { return std::sinh(x); }, -3, 3},
      {"cosh", elementary::cosh, [](double x) { return std::cosh(x); }, -3, 3},
      {"tanh", elementary::tanh, [](double x) { return std::tanh(x); }, -3, 3},
      {"exp", elementary::exp, [](double x) { return std::exp(x); }, -20, 20},
      {"log", elementary::log, [](double x) { return std::log(x); }, 1e-3, 1e3},
      {"pow(x, 1.7)", [](double x) { return elementary::pow(x, 1.7); }, [](double x) { return std::pow(x, 1.7); }, 0.01,
       100},
      {"atan2(x, 0.3)", [](double x) { return elementary::atan2(x, 0.3); }, [](double x) { return std::atan2(x, 0.3); },
       -4, 4},
      {"hypot(x, 0.3)", [](double x) { return elementary::hypot(x, 0.3); }, [](double x) { return std::hypot(x, 0.3); },
       -4, 4},
  };
  std::printf("%-14s %10s %10s %7s\n", "", "own [ns]", "libm [ns]", "ratio");
  std::mt19937_64 random(1);
  for (const Function& f : functions) {
    std::uniform_real_distribution<double> draw(f.low, f.high);
    std::vector<double> x(arguments);
    for (double& one : x) one = draw(random);
    const double own = cost(x, f.own), library = cost(x, f.library);
    std::printf("%-14s %10.1f %10.1f %7.2f\n", f.name, own, library, own / library);
  }
  return std::isnan(kept) ? 1 : 0;
}
