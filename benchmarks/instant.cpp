/// What an instant costs beside its nearest-point solve, and what reading a large model costs beside its first instant.
///
/// Times are medians of interleaved runs on one core; only their ratios mean anything.
#include "zwang/instant/instant.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/instant/workspace_impl.hpp"
#include "zwang/model/read.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds(const std::function<void()>& work, int repeats) {
  const auto begin = Clock::now();
  for (int i = 0; i < repeats; ++i) {
    work();
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / repeats;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void small_instant() {
  const auto model = zwang::model::load(R"toml(
gravity = [0, 0, -9.81]
[points.a]
mass = 1
position = [0, 0, -1]
velocity = [1, 0, 0]
[points.b]
mass = 2
position = [0, 0, -2]
velocity = [1, 0.5, 0]
[points.c]
mass = 3
position = [1, 0, -2]
velocity = [1, 0, 0]
[constraints]
upper = "norm(a) <= 1"
lower = "distance(a, b) <= 1"
rod = "distance(b, c) = 1"
floor = "c.z >= -2"
)toml",
                                        "three points");
  const auto state = zwang::model::initial_state(model);
  zwang::instant::Workspace workspace(model);
  zwang::instant::Instant instant;
  zwang::instant::Options options;
  options.warm = true;
  zwang::instant::accelerate(model, state, options, workspace, instant);
  zwang::instant::Workspace::Impl& impl = workspace.impl();
  const auto problem = impl.problem.view(impl.dynamics.mass);
  zwang::gauss::Options warm;
  warm.warm = true;
  zwang::gauss::Workspace gauss;
  zwang::gauss::Solution solution;
  zwang::gauss::solve(problem, {}, gauss, solution);

  std::vector<double> solve_times;
  std::vector<double> instant_times;
  std::vector<double> evaluate_times;
  for (int round = 0; round < 41; ++round) {
    solve_times.push_back(nanoseconds([&] { zwang::gauss::solve(problem, warm, gauss, solution); }, 2000));
    evaluate_times.push_back(nanoseconds(
        [&] {
          zwang::model::evaluate_rows(model, state, impl.scratch, impl.rows);
          zwang::model::evaluate_dynamics(model, state, impl.scratch, impl.dynamics);
        },
        2000));
    instant_times.push_back(
        nanoseconds([&] { zwang::instant::accelerate(model, state, options, workspace, instant); }, 2000));
  }
  const double solve = median(solve_times);
  const double whole = median(instant_times);
  std::printf(
      "3 points, 4 conditions, warm: nearest point %.0f ns, evaluation %.0f ns, accelerate %.0f ns, ratio %.1f (goal "
      "15)\n",
      solve, median(evaluate_times), whole, whole / solve);
}

void large_model() {
  const std::string text = R"toml(
gravity = [0, -1, 0]
[parameters]
n = 316
L = 1.0
s = 0.3639702342662024
[points.knot]
count = ["n", "n"]
mass = 1.0
position = ["i*L*cos(pi/9)", "j*L + i*L*sin(pi/9)", 0]
force = ["0.01*sin(i/50)", "0.3*cos(j/60)", "0.1*sin(i/31 + j/17)"]
[constraints]
along = { for = "i = 1..n-1, j = 1..n", condition = "distance(knot[i,j], knot[i+1,j]) <= L" }
across = { for = "i = 1..n, j = 1..n-1", condition = "distance(knot[i,j], knot[i,j+1]) <= L" }
)toml";
  const auto begin = Clock::now();
  const auto model = zwang::model::load(text, "net");
  const auto read = Clock::now();
  const auto state = zwang::model::initial_state(model);
  zwang::instant::Workspace workspace(model);
  zwang::instant::Instant instant;
  zwang::instant::accelerate(model, state, {}, workspace, instant);
  const auto done = Clock::now();
  const double reading = std::chrono::duration<double>(read - begin).count();
  const double first = std::chrono::duration<double>(done - read).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "net of %u points, %u strings: read and compiled in %.2f s, first cold instant %.2f s (%s), ratio %.2f (goal 3), "
      "peak memory %.2f GiB (goal 1.5)\n",
      model.variables / 3, model.rows(), reading, first, std::string(zwang::instant::words(instant.status)).c_str(),
      reading / first, static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0));
}

}  // namespace

int main() {
  small_instant();
  large_model();
  return 0;
}
