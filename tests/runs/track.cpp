/// Runs in memory: the same motion as in a file, states by the thousand, stretches, and files that are only read.
#include "zwang/motion/track.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "zwang/error.hpp"
#include "zwang/runs/record.hpp"

namespace zwang::motion::track_tests {

using runs::Recipe;
using runs::record;
using runs::start_or_resume;
using runs::Store;
using runs::write;

namespace {

namespace fs = std::filesystem;

const std::string bouncing = R"toml(gravity = [0, -10]
[points.ball]
mass = 2
position = [0, 1]
velocity = [1, 0]
[points.bob]
mass = 1
position = [5, -1]
velocity = [5.9, 0]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 0.5 }
string = "distance(bob, [5, 0]) <= 1"
[outputs]
height = "ball.y"
[simulation]
until = 1.5
samples = 31
)toml";

class Tracks : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("zwang-track-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    Motion motion = begin(model_);
    ended_ = follow(model_, motion, track_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "run.sqlite").string(); }
  [[nodiscard]] Recipe recipe() const { return {"0", "model.toml", bouncing, {}}; }

  model::Model model_ = model::load(bouncing, "model.toml");
  Track track_;
  bool ended_ = false;
  fs::path folder_;
};

}  // namespace

TEST_F(Tracks, a_motion_in_memory_is_the_one_in_a_file) {
  EXPECT_TRUE(ended_);
  Store store = Store::create(path(), recipe(), model_);
  Motion motion = start_or_resume(model_, {}, store);
  record(model_, motion, store);
  EXPECT_EQ(store.pieces(), track_.pieces.size());
  EXPECT_EQ(store.events(), track_.events.size());
  EXPECT_EQ(store.account().status, track_.account.status);

  // The same states at any time, events and the end among them.
  std::vector<double> times;
  std::mt19937_64 random(7);
  for (int k = 0; k < 300; ++k) times.push_back(std::uniform_real_distribution<double>(0, 1.5)(random));
  for (const Event& event : track_.events) times.push_back(event.time);
  times.insert(times.end(), {0.0, 1.5});
  const RunView seen = view(model_, track_);
  const RunView kept = store.view(model_);
  const std::uint32_t n = model_.variables;
  std::vector<double> q(times.size() * n), v(q), q_kept(q), v_kept(q);
  evaluate(seen, times, n, q.data(), v.data());
  evaluate(kept, times, n, q_kept.data(), v_kept.data());
  EXPECT_EQ(q, q_kept);
  EXPECT_EQ(v, v_kept);
  const std::vector<std::uint32_t> rows{0, 1};
  std::vector<double> multipliers(times.size() * 2), multipliers_kept(multipliers);
  evaluate_multipliers(seen, times, rows, multipliers.data());
  evaluate_multipliers(kept, times, rows, multipliers_kept.data());
  for (std::size_t k = 0; k < times.size(); ++k) {
    Sample sample;
    ASSERT_TRUE(state_at(model_, kept, times[k], sample));
    for (std::uint32_t i = 0; i < n; ++i) {
      EXPECT_EQ(sample.state.position[i], q[k * n + i]);
      EXPECT_EQ(sample.state.velocity[i], v[k * n + i]);
    }
    for (const std::uint32_t row : rows) {
      const auto held = std::find(sample.rows.begin(), sample.rows.end(), row);
      const double value = multipliers[k * 2 + row];
      EXPECT_TRUE(value == multipliers_kept[k * 2 + row] ||
                  (std::isnan(value) && std::isnan(multipliers_kept[k * 2 + row])));
      if (held == sample.rows.end()) {
        EXPECT_TRUE(std::isnan(value));
      } else {
        EXPECT_EQ(value, sample.multipliers[static_cast<std::size_t>(held - sample.rows.begin())]);
      }
    }
  }
}

TEST_F(Tracks, times_outside_of_the_run_have_no_state) {
  const std::vector<double> times{-0.1, 1.6, std::nan("")};
  std::vector<double> q(times.size() * model_.variables), v(q);
  evaluate(view(model_, track_), times, model_.variables, q.data(), v.data());
  for (const double value : q) EXPECT_TRUE(std::isnan(value));
  Sample sample;
  EXPECT_FALSE(state_at(model_, view(model_, track_), 1.6, sample));
}

TEST_F(Tracks, the_state_at_a_shock_is_the_one_after_it) {
  // From height 1 with g = 10 the floor is met after sqrt(1/5), with speed sqrt(20), and left with half of it.
  const double time = std::sqrt(0.2);
  Sample sample;
  ASSERT_TRUE(state_at(model_, view(model_, track_), time, sample));
  EXPECT_NEAR(sample.state.velocity[1], std::sqrt(20.0) / 2, 1e-12);
  ASSERT_TRUE(state_at(model_, view(model_, track_), time - 1e-9, sample));
  EXPECT_NEAR(sample.state.velocity[1], -std::sqrt(20.0), 1e-7);
}

TEST_F(Tracks, a_stretch_has_its_pieces_and_events_alone) {
  const auto part = stretch(model_, view(model_, track_), 0.4, 0.9);
  ASSERT_TRUE(part);
  EXPECT_LT(part->pieces.size(), track_.pieces.size());
  EXPECT_LE(part->pieces.front().start, 0.4);
  EXPECT_EQ(part->account.present.state.time, 0.9);
  for (const Event& event : part->events) EXPECT_TRUE(event.time >= 0.4 && event.time <= 0.9);
  for (const double time : {0.4, 0.5, 0.77, 0.9}) {
    Sample one;
    Sample other;
    ASSERT_TRUE(state_at(model_, view(model_, *part), time, one));
    ASSERT_TRUE(state_at(model_, view(model_, track_), time, other));
    EXPECT_EQ(one.state.position, other.state.position);
    EXPECT_EQ(one.outputs, other.outputs);
  }
  EXPECT_FALSE(stretch(model_, view(model_, track_), 1.0, 2.0));
}

TEST_F(Tracks, written_to_a_file_it_goes_on_to_the_same_bits) {
  {
    Store store = Store::create(path(), recipe(), model_);
    write(model_, track_, store);
    EXPECT_EQ(store.samples(), 31U);
  }
  Store store = Store::open(path());
  Motion resumed = restore(model_, {2.0, 0}, store.checkpoint());
  Motion motion = begin(model_, {1.5, 0});
  while (advance(motion)) continue;
  Motion longer = restore(model_, {2.0, 0}, save(motion));
  while (advance(resumed)) continue;
  while (advance(longer)) continue;
  EXPECT_EQ(resumed.state.position, longer.state.position);
}

TEST_F(Tracks, a_file_may_be_read_while_it_is_held) {
  Store store = Store::create(path(), recipe(), model_);
  write(model_, track_, store);
  const Store one = Store::read(path());
  const Store other = Store::read(path());
  EXPECT_EQ(one.pieces(), other.pieces());
  EXPECT_EQ(one.account().present.state.position, track_.account.present.state.position);
  EXPECT_THROW(static_cast<void>(Store::open(path())), Error) << "it is held by the first";
  EXPECT_THROW(static_cast<void>(Store::read(path() + "-nothing")), Error);
}

TEST_F(Tracks, an_interrupted_motion_says_so) {
  Motion motion = begin(model_);
  Track track;
  EXPECT_FALSE(follow(model_, motion, track, [](const Motion&) { return false; }));
  EXPECT_EQ(track.account.status, Status::interrupted);
  EXPECT_EQ(track.pieces.size(), 1U);
}

}  // namespace zwang::motion::track_tests
