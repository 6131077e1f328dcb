/// What a motion costs: swinging chains beside Runge-Kutta, events beside one instant, steps beside one factorisation.
///
///   chain   k unit masses on unit rods from model text, released at rest at 0.3 rad, 10 s, error of the final positions
///           at most 1e-9; beside Boost.Odeint on hand-written equations, each at the loosest tolerance of a grid (eight to
///           the decade) that meets the error. Reading the model is not counted and shown beside it.
///   events  a whole run, with its beginning and end, divided by its events, beside one warm `accelerate` plus one `impact`
///           of the same model; the string pendulum once slack and taut, and sixteen times
///   long    one step of a chain of 10^4 taut strings, beside one sparse factorisation of its dual matrix
///   memory  what the process holds after a tenth and after all of a long run
///
/// Times are least processor times of interleaved runs on one core; only their ratios mean anything.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "motion_yardstick.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/linear/sparse_cholesky.hpp"
#include "zwang/linear/sparse_gram.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace {

using namespace zwang;

constexpr double wanted_error = 1e-9;

/// Processor time of this thread in microseconds, which other programs on the machine hardly lengthen.
double processor_time() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double time_of(const Work& work, int repeats) {
  const double begin = processor_time();
  for (int i = 0; i < repeats; ++i) work();
  return (processor_time() - begin) / repeats;
}

/// Least times of several works, measured in turns for about a second in all; each turn is at least 300 microseconds long.
template <class... Works>
std::array<double, sizeof...(Works)> least_times(const Works&... works) {
  std::array<double, sizeof...(Works)> least{};
  std::array<int, sizeof...(Works)> repeats{};
  std::size_t k = 0;
  ((least[k] = time_of(works, 1), repeats[k] = static_cast<int>(300 / std::max(least[k], 1e-2)) + 1, ++k), ...);
  const double begin = processor_time();
  for (int round = 0; round < 400 && (round < 7 || processor_time() - begin < 1e6); ++round) {
    k = 0;
    ((least[k] = std::min(least[k], time_of(works, repeats[k])), ++k), ...);
  }
  return least;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double result = 0;
  for (std::size_t i = 0; i < a.size(); ++i) result = std::max(result, std::abs(a[i] - b[i]));
  return result;
}

/// To the end; gives the number of steps.
std::uint64_t go(const model::Model& model, double tolerance, std::vector<double>& positions) {
  motion::Options options;
  options.tolerance = tolerance;
  auto motion = motion::begin(model, options);
  while (motion::advance(motion)) {
  }
  positions = motion.state.position;
  return motion.steps;
}

/// The loosest tolerance from 1e-4 down whose error is small enough; NaN if none is.
template <class Run>
double loosest(const Run& run, const std::vector<double>& truth) {
  std::vector<double> positions(truth.size());
  for (int k = 32; k <= 120; ++k) {
    const double tolerance = std::pow(10.0, -k / 8.0);
    run(tolerance, positions);
    if (distance(positions, truth) <= wanted_error) return tolerance;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

template <std::size_t K>
void swinging_chain(double goal, double stretch) {
  std::string text = R"toml(
gravity = [0, -9.81]
[simulation]
until = 10
[parameters]
k = )toml" + std::to_string(K) +
                     R"toml(
[points.bead]
count = "k"
mass = 1
position = ["i*sin(0.3)", "-i*cos(0.3)"]
[constraints]
first = "norm(bead[1]) = 1"
)toml";
  if (K > 1) text += "rod = { for = \"i = 1..k-1\", condition = \"distance(bead[i], bead[i+1]) = 1\" }\n";
  const auto model = model::load(text, "chain");
  const double reading = time_of([&] { static_cast<void>(model::load(text, "chain")); }, 20);

  // The truth by our tightest run, confirmed by the yardstick's.
  std::vector<double> truth(2 * K);
  std::vector<double> positions(2 * K);
  go(model, 1e-15, truth);
  yardstick::swing<yardstick::Directions<K>>(1e-15, positions);
  const double doubt = distance(truth, positions);

  // Each at its own loosest tolerance.
  const auto engine = [&](double tolerance, std::vector<double>& out) { return go(model, tolerance, out); };
  const auto fast = [](double tolerance, std::vector<double>& out) {
    return yardstick::swing<yardstick::Directions<K>>(tolerance, out);
  };
  const auto plain = [](double tolerance, std::vector<double>& out) {
    return yardstick::swing<yardstick::Angles<K>>(tolerance, out);
  };
  const auto same = [](double tolerance, std::vector<double>& out) {
    return yardstick::swing_cartesian(tolerance, out);
  };
  const double tolerance[4] = {loosest(engine, truth), loosest(fast, truth), loosest(plain, truth),
                               loosest(same, truth)};
  const auto least = least_times([&] { engine(tolerance[0], positions); }, [&] { fast(tolerance[1], positions); },
                                 [&] { plain(tolerance[2], positions); }, [&] { same(tolerance[3], positions); });
  const auto line = [&](const char* name, std::size_t which, std::uint64_t steps) {
    std::printf("  %-44s %9.1f us, %3lu steps at %.0e, error %.0e", name, least[which],
                static_cast<unsigned long>(steps), tolerance[which], distance(positions, truth));
    if (which > 0)
      std::printf(", ratio %.2f\n", least[which] / least[0]);
    else
      std::printf(" (reading the model: %.0f us)\n", reading);
  };
  std::printf("chain of %zu rods, goal %.1f, stretch %.1f (truths differ by %.0e)\n", K, goal, stretch, doubt);
  line("zwang", 0, engine(tolerance[0], positions));
  line("Odeint, Cartesian, size at run time", 3, same(tolerance[3], positions));
  line("Odeint, angles, size at compile time", 2, plain(tolerance[2], positions));
  line("Odeint, directions, size at compile time", 1, fast(tolerance[1], positions));
}

/// A run's time per event, beside one warm `accelerate` and one `impact` at the state before its first shock.
void events(const char* name, const std::string& text) {
  const auto model = model::load(text, name);
  std::uint64_t count = 0;
  std::uint64_t steps = 0;
  const auto whole = [&] {
    auto motion = motion::begin(model);
    while (motion::advance(motion)) {
    }
    count = motion.event_count;
    steps = motion.steps;
  };

  // The states to ask: where the first shock strikes, and the start.
  const auto start = model::initial_state(model);
  auto before = start;
  {
    auto motion = motion::begin(model);
    bool struck = false;
    while (!struck && motion::advance(motion))
      for (const auto& event : motion.events) struck = struck || event.kind == motion::EventKind::impact;
    motion::evaluate(motion.piece, motion.piece.end(), before);
  }
  instant::Workspace workspace(model);
  instant::Options options;
  options.warm = true;
  instant::Instant instant;
  instant::Shock shock;
  const auto one = [&] {
    instant::accelerate(model, start, options, workspace, instant);
    instant::impact(model, before, options, workspace, shock);
  };
  const auto least = least_times(whole, one);
  const double each = least[0] / static_cast<double>(count);
  std::printf("%s: %lu events, %lu steps, %.2f us per event; accelerate and impact %.2f us; ratio %.1f (goal 10)\n",
              name, static_cast<unsigned long>(count), static_cast<unsigned long>(steps), each, least[1],
              each / least[1]);
}

void bouncing_ball() {
  // After the n-th bounce the flight lasts 2 v0 e^n / g; stop in the middle of the flight after the hundredth.
  const double g = 9.81;
  const double e = 0.9;
  const double first = std::sqrt(2 / g);
  const double until = first + 2 * first * e * (1 - std::pow(e, 99)) / (1 - e) + first * std::pow(e, 100);
  char number[40];
  std::snprintf(number, sizeof number, "%.17g", until);
  events("ball with e = 0.9, 100 bounces", std::string(R"toml(
gravity = [0, 0, -9.81]
[points.ball]
mass = 1
position = [0, 0, 1]
velocity = [1, 0, 0]
[constraints]
floor = { condition = "ball.z >= 0", restitution = 0.9 }
[simulation]
until = )toml") + number + "\n");
}

void string_pendulum(const char* name, const char* energy, const char* until) {
  events(name, std::string(R"toml(
gravity = [0, -9.81]
[points.bob]
mass = 1
position = [0, -1]
velocity = ["sqrt()toml") +
                   energy + R"toml(*9.81)", 0]
[constraints]
string = "norm(bob) <= 1"
[simulation]
until = )toml" + until +
                   "\n");
}

void long_chain() {
  const std::string text = R"toml(
gravity = [0, -9.81]
[points.bead]
count = 10000
mass = 1
position = ["i*sin(0.3)", "-i*cos(0.3)"]
[constraints]
first = "norm(bead[1]) <= 1"
string = { for = "i = 1..9999", condition = "distance(bead[i], bead[i+1]) <= 1" }
[simulation]
until = 1e6
)toml";
  const auto model = model::load(text, "long chain");

  // The factorisation alone: numbers of J, dual matrix, factor; pattern and ordering known.
  const auto state = model::initial_state(model);
  auto scratch = model::make_scratch(model);
  auto rows = model::make_rows(model);
  auto dynamics = model::make_dynamics(model);
  model::evaluate_rows(model, state, scratch, rows);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  const linear::SparseRows sparse{model.row_start, model.row_column, rows.entry};
  linear::SparseGram gram;
  gram.shape(sparse, dynamics.mass);
  gram.load(sparse, dynamics.mass);
  linear::SparseCholesky cholesky;
  cholesky.reset(gram.nodes());
  std::vector<std::uint32_t> all(gram.nodes());
  std::iota(all.begin(), all.end(), 0U);
  cholesky.choose(gram, all);
  const auto factor = [&] {
    gram.load(sparse, dynamics.mass);
    cholesky.expire();
    cholesky.factor(gram);
  };

  // Steps in turn with it, at three tolerances.
  for (const double tolerance : {1e-9, 1e-12, 1e-15}) {
    motion::Options options;
    options.tolerance = tolerance;
    auto motion = motion::begin(model, options);
    for (int k = 0; k < 3; ++k) motion::advance(motion);
    double step = 1e300;
    double floor = 1e300;
    for (int round = 0; round < 15; ++round) {
      floor = std::min(floor, time_of(factor, 3));
      const auto steps = motion.steps;
      const double begin = processor_time();
      for (int k = 0; k < 3; ++k) motion::advance(motion);
      step = std::min(step, (processor_time() - begin) / static_cast<double>(motion.steps - steps));
    }
    std::printf(
        "chain of 10^4 strings at %.0e: order %u, %.2f ms per step of %.3f s (t = %.2f, %lu events); factorisation "
        "%.3f ms; "
        "ratio %.1f (goal 40 at order 16)\n",
        tolerance, motion.piece.orders - 1, 1e-3 * step, motion.piece.length, motion.state.time,
        static_cast<unsigned long>(motion.event_count), 1e-3 * floor, step / floor);
  }
}

/// Pages of the process that are in memory, in KiB.
double resident() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double pages = 0;
  file >> size >> pages;
  return 4 * pages;
}

void memory() {
  const auto model = model::load(R"toml(
gravity = [0, -9.81]
[points.a]
mass = 1
position = [0, 1]
velocity = [1, 0]
[points.b]
mass = 2
position = [0, 2]
velocity = [1, 0]
[constraints]
floor = { condition = "a.y >= 0", restitution = 1 }
apart = { condition = "b.y - a.y >= 0.5", restitution = 1 }
[simulation]
until = 20000
)toml",
                                 "two balls");
  auto motion = motion::begin(model);
  double early = 0;
  while (motion::advance(motion))
    if (early == 0 && motion.state.time > 2000) early = resident();
  std::printf(
      "two elastic balls, %lu events, %lu steps: %.0f KiB after a tenth, %.0f KiB at the end (goal: the same)\n",
      static_cast<unsigned long>(motion.event_count), static_cast<unsigned long>(motion.steps), early, resident());
}

}  // namespace

int main() {
  swinging_chain<1>(1.0, 2.5);
  swinging_chain<4>(1.2, 2.0);
  swinging_chain<16>(1.6, 3.0);
  swinging_chain<64>(2.0, 4.0);
  bouncing_ball();
  string_pendulum("string pendulum, slack and taut", "3.5", "1.3");
  string_pendulum("string pendulum, sixteen times slack and taut", "4.8", "20");
  long_chain();
  memory();
  return 0;
}
