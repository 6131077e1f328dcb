/// What a sample of a sweep costs beside its motion, what motions side by side gain, what records of extremes cost, and what a second thread gives.
///
/// Work of one thread is compared by the time of the processor, two threads with one by the clock, which needs an idle machine.
///
/// In memory: the same samples by the engine of a sweep, without its table; `of it` is the part of that speed which the sweep has. With an argument only the models whose names contain it.
///
/// One by one: the model is compiled with the values of the sample and its motion followed in memory, with nothing around it; a sweep follows motions side by side where
/// that pays (motion/flock.hpp). Times are medians of interleaved runs; only their ratios
/// mean anything.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/base/number.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/sweeps/run.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace zwang;

struct Case {
  const char* name;
  const char* over;
  const char* extreme;
  std::uint64_t count;
};
constexpr Case cases[] = {{"bouncing-ball", "e~uniform(0.1,0.9)", "max(ball.z)", 4000},
                          {"double-pendulum", "l1~normal(1,0.1)", "max(q1)", 300},
                          {"two-rods", "L~uniform(0.9,1.1)", "max(b.y)", 300},
                          {"string-pendulum", "L~uniform(0.9,1.1)", "min(bob.y)", 2000},
                          {"three-balls", "v~uniform(1,1.5)", "max(a.x)", 300}};

/// A double pendulum of rods, and chaos: three balls in a box.
constexpr const char* two_rods = R"toml(gravity = [0, -10]
[parameters]
L = 1
[points.a]
mass = 1
position = ["L", 0]
[points.b]
mass = 1
position = ["2*L", 0]
velocity = [0, 1]
[constraints]
upper = "distance(a, [0, 0]) = L"
lower = "distance(a, b) = L"
)toml";
constexpr const char* three_balls = R"toml([parameters]
v = 1
[points.a]
mass = 1
position = [0.3, 0.4]
velocity = ["v", 0.7]
[points.b]
mass = 1
position = [1.5, 0.5]
velocity = [-0.6, 0.3]
[points.c]
mass = 1
position = [0.9, 1.6]
velocity = [0.2, -0.9]
[constraints]
ab = { condition = "distance(a, b) >= 0.4", restitution = 1 }
bc = { condition = "distance(b, c) >= 0.4", restitution = 1 }
ca = { condition = "distance(c, a) >= 0.4", restitution = 1 }
a_left = { condition = "a.x >= 0.2", restitution = 1 }
a_right = { condition = "a.x <= 1.8", restitution = 1 }
a_floor = { condition = "a.y >= 0.2", restitution = 1 }
a_roof = { condition = "a.y <= 1.8", restitution = 1 }
b_left = { condition = "b.x >= 0.2", restitution = 1 }
b_right = { condition = "b.x <= 1.8", restitution = 1 }
b_floor = { condition = "b.y >= 0.2", restitution = 1 }
b_roof = { condition = "b.y <= 1.8", restitution = 1 }
c_left = { condition = "c.x >= 0.2", restitution = 1 }
c_right = { condition = "c.x <= 1.8", restitution = 1 }
c_floor = { condition = "c.y >= 0.2", restitution = 1 }
c_roof = { condition = "c.y <= 1.8", restitution = 1 }
)toml";

std::string text_of(std::string_view name) {
  if (name == "two-rods") return two_rods;
  if (name == "three-balls") return three_balls;
  std::ifstream file(std::string(ZWANG_SOURCE_DIR "/gallery/").append(name).append("/model.toml"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// By the clock, and of the processor.
struct Took {
  double clock = 0;
  double processor = 0;
};
Took took(const std::function<void()>& work) {
  const auto begin = Clock::now();
  const std::clock_t before = std::clock();
  work();
  return {std::chrono::duration<double>(Clock::now() - begin).count(),
          static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void one_by_one(const sweeps::Recipe& recipe, const sweeps::Sweep& sweep) {
  const model::Draft draft = model::read(recipe.text, recipe.file);
  const std::vector<std::string> names = sweep.design().names();
  std::vector<double> values(names.size());
  for (std::uint64_t k = 0; k < sweep.design().total; ++k) {
    sweep.design().sample(k, values.data());
    model::Overrides set;
    for (std::size_t i = 0; i < names.size(); ++i) set.parameters.emplace_back(names[i], exact(values[i]));
    const model::Model model = model::compile(draft, set);
    motion::Motion motion = motion::begin(model);
    while (motion::advance(motion)) {
    }
  }
}

void swept(const sweeps::Recipe& recipe, const sweeps::Sweep& sweep, unsigned threads, const std::string& file) {
  sweeps::Table table = sweeps::Table::create(file, recipe, sweep);
  sweeps::Hands hands;
  hands.threads = threads;
  static_cast<void>(sweeps::carry_on(sweep, table, hands));
}

}  // namespace

int main(int count_of_words, char** words) {
  const std::string only = count_of_words > 1 ? words[1] : "";
  const std::string file =
      (std::filesystem::temp_directory_path() / ("zwang-bench-sweep-" + std::to_string(::getpid()) + ".sqlite"))
          .string();
  std::printf("%-16s %14s %12s %12s %12s %12s %12s %16s\n", "model", "one by one /s", "in memory", "sweep", "of it",
              "with extreme", "2 threads", "one sample, us");
  for (const Case& one : cases) {
    if (std::string_view(one.name).find(only) == std::string_view::npos) continue;
    sweeps::Recipe recipe;
    recipe.file = one.name;
    recipe.text = text_of(one.name);
    recipe.over = {{one.over}};
    recipe.count = one.count;
    const sweeps::Sweep plain(recipe);
    sweeps::Recipe recorded = recipe;
    recorded.records = {one.extreme};
    const sweeps::Sweep extreme(recorded);
    std::vector<double> alone, memory, single, most, one_thread, two_threads;
    for (int turn = 0; turn < 5; ++turn) {
      alone.push_back(took([&] { one_by_one(recipe, plain); }).processor);
      memory.push_back(
          took([&] { static_cast<void>(plain.follow(0, plain.design().total, [](sweeps::Row&) {})); }).processor);
      const Took first = took([&] { swept(recipe, plain, 1, file); });
      single.push_back(first.processor);
      one_thread.push_back(first.clock);
      two_threads.push_back(took([&] { swept(recipe, plain, 2, file); }).clock);
      most.push_back(took([&] { swept(recorded, extreme, 1, file); }).processor);
    }
    const double base = median(alone);
    const auto count = static_cast<double>(one.count);
    std::printf("%-16s %14.0f %11.2fx %11.2fx %11.0f%% %11.2fx %11.2fx %16.1f\n", one.name, count / base,
                base / median(memory), base / median(single), 100 * median(memory) / median(single),
                base / median(most), median(one_thread) / median(two_threads), base / count * 1e6);
  }
  std::filesystem::remove(file);
}
