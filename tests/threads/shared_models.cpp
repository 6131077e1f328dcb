/// One model, many threads: whatever is const can be shared, every other object belongs to one thread. Each thread must find the bits
/// that one alone finds; under the thread sanitizer (`make verify`) no two may touch the same memory unguarded.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "places.hpp"
#include "zwang/crowds/crowd.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/questions.hpp"
#include "zwang/run_file.hpp"
#include "zwang/runs/life.hpp"
#include "zwang/stepper.hpp"

namespace zwang {

namespace {

constexpr int threads = 8;

/// Names of the gallery that stand for dense and sparse masses, shocks, rolling, energies, switches and flows, with ends that a
/// sanitizer waits for gladly.
struct Scene {
  const char* name;
  double until;
};
constexpr Scene scenes[] = {{"double-pendulum", 0.5}, {"newtons-cradle", 0.5}, {"chain-meets-beam", 0.1},
                            {"bouncing-ball", 1.0},   {"rolling-coin", 0.3},   {"dry-friction", 0.5},
                            {"spring-net", 0.1}};

std::string text_of(const std::string& name) {
  std::ifstream file(places::source("gallery/" + name + "/model.toml"));
  return {std::istreambuf_iterator<char>(file), {}};
}

void append(std::string& bits, const std::vector<double>& numbers) {
  bits.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
}

/// The bits of a whole motion: every state after an event and the last one.
std::string followed(const model::Model& model, double until) {
  motion::Options options;
  options.until = until;
  motion::Motion motion = motion::begin(model, options);
  std::string bits;
  do {
    append(bits, motion.state.position);
    append(bits, motion.state.velocity);
    append(bits, motion.multipliers);
  } while (motion::advance(motion));
  append(bits, motion.state.position);
  append(bits, motion.state.velocity);
  return bits;
}

/// What each of many threads finds at the same time.
std::vector<std::string> at_once(const std::function<std::string(int)>& ask) {
  std::vector<std::string> found(threads);
  std::vector<std::thread> all;
  for (int number = 0; number < threads; ++number)
    all.emplace_back([&, number] { found[static_cast<std::size_t>(number)] = ask(number); });
  for (std::thread& one : all) one.join();
  return found;
}

}  // namespace

TEST(Threads, that_share_a_model_each_follow_the_motion_that_one_alone_follows) {
  for (const Scene& scene : scenes) {
    const std::string text = text_of(scene.name);
    ASSERT_FALSE(text.empty()) << scene.name;
    const model::Model model = model::load(text, scene.name);
    // The first to ask are the threads, so that nothing has been prepared by an earlier question.
    const auto found = at_once([&](int) { return followed(model, scene.until); });
    const std::string alone = followed(model, scene.until);
    ASSERT_FALSE(alone.empty());
    for (const std::string& bits : found) EXPECT_EQ(bits, alone) << scene.name;
  }
}

TEST(Threads, each_read_models_of_their_own) {
  const auto found = at_once([](int number) {
    const Scene& scene = scenes[static_cast<std::size_t>(number) % std::size(scenes)];
    return followed(model::load(text_of(scene.name), scene.name), scene.until);
  });
  for (int number = 0; number < threads; ++number) {
    const Scene& scene = scenes[static_cast<std::size_t>(number) % std::size(scenes)];
    EXPECT_EQ(found[static_cast<std::size_t>(number)],
              followed(model::load(text_of(scene.name), scene.name), scene.until))
        << scene.name;
  }
}

TEST(Threads, that_go_on_from_one_checkpoint_find_the_same_end) {
  const model::Model model = model::load(text_of("double-pendulum"), "double-pendulum");
  motion::Options options;
  options.until = 0.5;
  motion::Motion begun = motion::begin(model, options);
  ASSERT_TRUE(motion::advance(begun));
  const std::string saved = motion::save(begun);
  const auto found = at_once([&](int) {
    motion::Motion motion = motion::restore(model, options, saved);
    while (motion::advance(motion)) continue;
    std::string bits;
    append(bits, motion.state.position);
    append(bits, motion.state.velocity);
    return bits;
  });
  for (const std::string& bits : found) EXPECT_EQ(bits, found.front());
}

TEST(Threads, each_write_a_run_file_of_one_model) {
  std::string name = (std::filesystem::temp_directory_path() / "zwang-threads-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  const auto found = at_once([&](int number) {
    model::Overrides overrides;
    overrides.until = "0.3";
    const runs::Task task = runs::new_task(runs::recipe_of(text_of("newtons-cradle"), "newtons-cradle", overrides),
                                           (folder / (std::to_string(number) + ".sqlite")).string());
    runs::Store store = runs::Store::create(task.file, task.recipe, task.model);
    EXPECT_TRUE(runs::go_on(task, store));
    return store.checkpoint();
  });
  std::filesystem::remove_all(folder);
  ASSERT_FALSE(found.front().empty());
  for (const std::string& bits : found) EXPECT_EQ(bits, found.front());
}

TEST(Threads, that_share_one_model_of_the_public_face_run_ask_and_step_as_one_alone_does) {
  for (const Scene& scene : scenes) {
    const Model model = parse(text_of(scene.name), {}, scene.name);
    const auto ask = [&](int number) {
      std::string bits;
      // Names are made by whoever asks first.
      bits += model.variable_names().front();
      const Motion motion = run(model, {.until = scene.until});
      append(bits, motion.at(scene.until / 2).position);
      append(bits, motion.account().present.state.velocity);

      // Instants along the way, by memory that is used again and by none.
      Questions questions(model);
      for (const double part : {0.1, 0.4, 0.8}) {
        const State state = motion.at(part * motion.end());
        const instant::Instant& now = questions.accelerate(state);
        bits += words(now.status);
        append(bits, now.accelerations);
        append(bits, accelerate(model, state).accelerations);
        append(bits, impact(model, state).velocities);
        append(bits, {kinetic_energy(model, state)});
      }
      Stepper stepper(number % 2 == 0 ? model : Model(model));
      (void)stepper.advance_through(scene.until / 3);
      append(bits, stepper.state().position);
      return bits;
    };
    const auto found = at_once(ask);
    const std::string alone = ask(0);
    for (const std::string& bits : found) EXPECT_EQ(bits, alone) << scene.name;
  }
}

TEST(Threads, that_share_one_motion_in_memory_or_in_a_file_read_the_same_states) {
  std::string name = (std::filesystem::temp_directory_path() / "zwang-threads-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  const Model model = parse(text_of("newtons-cradle"));
  for (const Motion& motion : {run(model, {.until = 0.5}), record(model, folder / "shared.sqlite", {.until = 0.5})}) {
    const auto found = at_once([&](int) {
      std::string bits;
      for (int k = 0; k <= 20; ++k) append(bits, motion.at(0.025 * k).position);
      for (const motion::Event& event : motion.events()) append(bits, event.velocity);
      return bits;
    });
    for (const std::string& bits : found) EXPECT_EQ(bits, found.front());
  }
  std::filesystem::remove_all(folder);
}

TEST(Threads, that_share_a_mass_multiply_and_solve_by_it_as_one_alone_does) {
  // One block small enough to be worked on in place, and one that is not.
  for (const std::uint32_t size : {3U, 40U}) {
    std::vector<std::uint32_t> all(size);
    for (std::uint32_t i = 0; i < size; ++i) all[i] = i;
    Mass filled(size, {all});
    for (std::uint32_t i = 0; i < size; ++i) {
      filled.add_diagonal(i, size);
      for (std::uint32_t j = 0; j < i; ++j) filled.add(i, j, 1.0 / (1 + i + j));
    }
    ASSERT_TRUE(filled.factor());
    const Mass& mass = filled;
    const auto ask = [&](int) {
      std::string bits;
      std::vector<double> x(size, 1.0);
      for (int k = 0; k < 50; ++k) {
        mass.multiply(x, x);
        append(bits, x);
        mass.solve(x, x);
      }
      append(bits, x);
      return bits;
    };
    const auto found = at_once(ask);
    const std::string alone = ask(0);
    for (const std::string& bits : found) EXPECT_EQ(bits, alone);
  }
}

TEST(Threads, that_follow_parts_of_one_crowd_find_the_bits_of_one_alone) {
  const char* gas = R"toml(
[parameters]
n = 1600
[points.b]
count = "n"
mass = 1
position = ["1.4*(i - 0.5 - 40*floor((i-1)/40))", "1.4*(floor((i-1)/40) + 0.5)"]
velocity = ["sin(7*i*i)", "cos(11*i*i + 3)"]
[constraints]
apart = { for = "i = 1..n, j = i+1..n", condition = "distance(b[i], b[j]) >= 1", restitution = 1 }
left = { for = "i = 1..n", condition = "b[i].x >= 0", restitution = 1 }
right = { for = "i = 1..n", condition = "b[i].x <= 56", restitution = 1 }
low = { for = "i = 1..n", condition = "b[i].y >= 0", restitution = 1 }
high = { for = "i = 1..n", condition = "b[i].y <= 56", restitution = 1 }
[simulation]
until = 0.8
)toml";
  const model::Model left = model::load(gas, "gas.toml", {}, model::Pairs::left);
  const auto bits = [&](unsigned count, const crowds::AheadOptions& options, crowds::Ahead& ahead) {
    crowds::Crowd crowd(left);
    crowd.use_threads(count, options);
    std::string out;
    while (crowd.advance()) {
      for (const motion::Event& event : crowd.events()) {
        append(out, event.velocity);
        append(out, event.position);
      }
    }
    append(out, crowd.account().present.state.position);
    ahead = crowd.ahead();
    return out;
  };
  crowds::Ahead none;
  const std::string alone = bits(1, {}, none);
  // (Where nobody waits for those who wait, much is taken back.)
  for (const crowds::AheadOptions& options : {crowds::AheadOptions{}, crowds::AheadOptions{0.5, false}}) {
    crowds::Ahead ahead;
    EXPECT_EQ(bits(3, options, ahead), alone);
    EXPECT_GT(ahead.turns, 300U);
  }
}

}  // namespace zwang
