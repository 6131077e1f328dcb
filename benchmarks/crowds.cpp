/// Gases of discs at a packing of 0.3: zwang's crowds beside a program that can do nothing else.
///
/// Per event, in one run: the dedicated program (hard_discs.hpp), the crowd in memory, and the whole of `zwang run` without its report: reading the model,
/// flights, events, samples and checkpoints in a run file; of that, what the busier of its two threads has done, which is the time that passes where
/// two processors are free. Behind it what the file takes. And of the crowd in memory with two threads what the first of them has done, who works all the time, and what passed by the clock. Arguments: sides of the squares of discs.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "hard_discs.hpp"
#include "processor_time.hpp"
#include "zwang/crowds/crowd.hpp"
#include "zwang/runs/life.hpp"

namespace {

using namespace zwang;

constexpr const char* gas = R"toml(
[parameters]
side = 10
n = "side^2"
d = 0.62
L = "side*d*1.618"
[points.b]
count = "n"
mass = 1
position = ["d*1.618*(i - 0.5 - side*floor((i-1)/side))", "d*1.618*(floor((i-1)/side) + 0.5)"]
velocity = ["sin(7*i*i)", "cos(11*i*i + 3)"]
[constraints]
apart = { for = "i = 1..n, j = i+1..n", condition = "distance(b[i], b[j]) >= d", restitution = 1 }
left = { for = "i = 1..n", condition = "b[i].x >= 0", restitution = 1 }
right = { for = "i = 1..n", condition = "b[i].x <= L", restitution = 1 }
low = { for = "i = 1..n", condition = "b[i].y >= 0", restitution = 1 }
high = { for = "i = 1..n", condition = "b[i].y <= L", restitution = 1 }
[simulation]
until = 1
samples = 2
)toml";

void compare(int side) {
  const double n = side * side;
  // So long that every one of few discs meets many, and every one of many some.
  const double until = side <= 10 ? 400 : side <= 32 ? 40 : side <= 100 ? 8 : 3;
  model::Overrides overrides;
  overrides.parameters = {{"side", std::to_string(side)}};
  overrides.until = fmt::format("{}", until);

  const model::Model left = model::load(gas, "gas", overrides, model::Pairs::left);
  const double width = side * 0.62 * 1.618;
  benchmarks::HardDiscs discs(width, width, 0.62, left.initial_position, left.initial_velocity);
  double from = processor_seconds();
  const auto own_events = static_cast<double>(discs.run(until));
  const double own = (processor_seconds() - from) / own_events;

  crowds::Crowd crowd(left);
  from = processor_seconds();
  while (crowd.advance()) {
  }
  const double in_memory = (processor_seconds() - from) / static_cast<double>(crowd.event_count());

  crowds::Crowd shared(left);
  shared.use_threads(2);
  from = processor_seconds(RUSAGE_THREAD);
  const auto clock_from = std::chrono::steady_clock::now();
  while (shared.advance()) {
  }
  const double by_clock = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock_from).count() /
                          static_cast<double>(shared.event_count());
  const double first_of_two = (processor_seconds(RUSAGE_THREAD) - from) / static_cast<double>(shared.event_count());

  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("zwang-crowds-{}.sqlite", getpid());
  from = processor_seconds();
  const double own_from = processor_seconds(RUSAGE_THREAD);
  {
    const runs::Task task = runs::new_task(runs::recipe_of(gas, "gas", overrides), file.string());
    runs::Store store = runs::Store::create(task.file, task.recipe, task.model);
    runs::go_on(task, store);
  }
  const double whole = (processor_seconds() - from) / static_cast<double>(crowd.event_count());
  const double first = (processor_seconds(RUSAGE_THREAD) - own_from) / static_cast<double>(crowd.event_count());
  const double busier = std::max(first, whole - first);
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  std::filesystem::remove(file);

  fmt::print("{:>7} {:>9} {:>12.3f} {:>9.3f} {:>7.2f} {:>12.3f} {:>7.2f} {:>9.3f} {:>9.0f} {:>9.3f} {:>9.3f}\n", n,
             crowd.event_count(), 1e6 * own, 1e6 * in_memory, in_memory / own, 1e6 * whole, whole / own, 1e6 * busier,
             bytes / static_cast<double>(crowd.event_count()), 1e6 * first_of_two, 1e6 * by_clock);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sides;
  for (int k = 1; k < argc; ++k) sides.push_back(std::atoi(argv[k]));
  if (sides.empty()) sides = {10, 32, 100, 316};
  fmt::print("microseconds of processor time per event\n");
  fmt::print("{:>7} {:>9} {:>12} {:>9} {:>7} {:>12} {:>7} {:>9} {:>9} {:>9} {:>9}\n", "discs", "events", "dedicated",
             "crowd", "ratio", "with file", "ratio", "busier", "bytes", "1 of 2", "by clock");
  for (const int side : sides) compare(side);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  fmt::print("at most {:.0f} MB in memory, of everything together\n", static_cast<double>(used.ru_maxrss) / 1024);
  return 0;
}
