/// Long runs: a million swings, a million events. With ZWANG_SOAK=1 in the environment they are that long (`make soak`),
/// otherwise a thousandth of it; each prints its figures.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include "sanitized.hpp"
#include "zwang/model/read.hpp"
#include "zwang/runs/record.hpp"

namespace zwang::motion::soak_tests {

namespace {

bool is_long() { return std::getenv("ZWANG_SOAK") != nullptr; }

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Memory that this process holds, in megabytes.
double megabytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// The period of a pendulum of length 1 with amplitude a: 2 pi / (sqrt(g) agm(1, cos(a / 2))).
double period(double amplitude, double gravity) {
  double a = 1;
  double b = std::cos(amplitude / 2);
  for (int i = 0; i < 8; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2 * std::numbers::pi / (std::sqrt(gravity) * a);
}

}  // namespace

TEST(Soak, a_pendulum_on_a_rod_keeps_its_energy_over_a_million_swings) {
  const double swings = is_long() ? 1e6 : 1e3;
  const std::string text = R"toml(gravity = [0, -9.81]
[points.bob]
mass = 1
position = ["sin(1)", "-cos(1)"]
[constraints]
rod = "distance(bob, [0, 0]) = 1"
[simulation]
tolerance = 1e-15
)toml";
  model::Overrides overrides;
  overrides.until = fmt::format("{:.17g}", swings * period(1, 9.81));
  const model::Model model = model::load(text, "pendulum", overrides);
  const double begin = seconds();
  Motion motion = motion::begin(model);
  while (advance(motion)) {
  }
  const double defect = std::abs(motion.energy.defect()) / motion.energy.largest_kinetic;
  const double angle = std::atan2(motion.state.position[0], -motion.state.position[1]);
  fmt::print(
      "{} swings: {} steps in {:.1f} s, energy defect {:.2g} of the largest kinetic energy, drift {:.2g} and {:.2g}, "
      "angle off by {:.2g}, velocity by {:.2g}\n",
      swings, motion.steps, seconds() - begin, defect, motion.position_drift, motion.velocity_drift, angle - 1,
      std::hypot(motion.state.velocity[0], motion.state.velocity[1]));
  EXPECT_EQ(motion.status, Status::finished);
  EXPECT_LE(defect, 1e-11);
  EXPECT_LE(motion.position_drift, 1e-14);
  // Energy off by d changes the period by about d / 8 of itself, N times over.
  EXPECT_LE(std::hypot(motion.state.velocity[0], motion.state.velocity[1]), 1e-8 + swings * 1e-11);
}

TEST(Soak, a_million_events_take_no_more_memory_than_a_few) {
  const std::uint64_t events = is_long() ? 1'000'000 : 20'000;
  const std::string text = R"toml(gravity = [0, -9.81]
[points.ball]
mass = 1
position = [0.3, 0.7]
velocity = [50, 0]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 1 }
left = { condition = "ball.x >= 0", restitution = 1 }
right = { condition = "ball.x <= 1", restitution = 1 }
[simulation]
until = 1e9
)toml";
  const model::Model model = model::load(text, "box");
  std::string name = (std::filesystem::temp_directory_path() / "zwang-soak-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  double early = 0;
  std::uintmax_t size = 0;
  const double begin = seconds();
  {
    runs::Store store = runs::Store::create((folder / "box.sqlite").string(), {"0", "box", text, {}}, model);
    Motion motion = runs::start_or_resume(model, {}, store);
    runs::Recording recording;
    recording.go_on = [&](const zwang::runs::Progress& now) {
      if (early == 0 && now.events >= events / 10) early = megabytes();
      return now.events < events;
    };
    EXPECT_FALSE(runs::record(model, motion, store, recording));
    EXPECT_GE(store.events(), events);
    size = std::filesystem::file_size(store.path());
    fmt::print(
        "{} events: {:.1f} s, file of {:.0f} MB; memory {:.1f} MB after a tenth, {:.1f} MB at the end; energy defect "
        "{:.2g} of the largest kinetic energy\n",
        store.events(), seconds() - begin, static_cast<double>(size) / 1e6, early, megabytes(),
        std::abs(motion.energy.defect()) / motion.energy.largest_kinetic);
  }
  // Pages that waited for a commit are given back; what lies above them in the heap must not keep them from the system.
  if (!is_sanitized) {
    malloc_trim(0);
    EXPECT_LE(megabytes(), early + 4);
  }
  std::error_code code;
  std::filesystem::remove_all(folder, code);
}

}  // namespace zwang::motion::soak_tests
