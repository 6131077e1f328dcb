/// Runs into files: whatever interrupts them, they go on to the same bits; samples tell the state after events.
#include "zwang/runs/record.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <random>

#include "zwang/error.hpp"

namespace zwang::runs::record_tests {

using namespace motion;

namespace {

namespace fs = std::filesystem;

const std::string ball_and_pendulum = R"toml(gravity = [0, -9.81]
[points.ball]
mass = 1
position = [0.3, 0.7]
velocity = [1, 0]
[points.bob]
mass = 2
position = [6, 0]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 0.9 }
left = { condition = "ball.x >= 0", restitution = 1 }
right = { condition = "ball.x <= 1", restitution = 1 }
rod = "distance(bob, [5, 0]) = 1"
[[impulses]]
at = 1.1
on = "bob"
value = [0, 0.5]
[outputs]
height = "ball.y"
[simulation]
until = 3
samples = 31
)toml";

const std::string half_elastic = R"toml(gravity = [0, -10]
[points.ball]
mass = 2
position = [0, 0]
velocity = [1, -4]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 0.5 }
[simulation]
until = 2
samples = 21
)toml";

const std::string string_pendulum = R"toml(gravity = [0, -10]
[points.bob]
mass = 1
position = [0, -1]
velocity = [6, 0]
[constraints]
string = "distance(bob, [0, 0]) <= 1"
[simulation]
until = 4
samples = 41
)toml";

/// Everything a run leaves, as bits.
struct Trace {
  std::vector<Piece> pieces;
  std::vector<Event> events;
  std::vector<Sample> samples;
  Account account;
  std::string checkpoint;
};

Trace trace_of(const Store& store) {
  Trace trace;
  store.each_piece(0, [&](const Piece& piece) { return trace.pieces.push_back(piece), true; });
  store.each_event(0, [&](const Event& event) { return trace.events.push_back(event), true; });
  store.each_sample(0, [&](const Sample& sample) { return trace.samples.push_back(sample), true; });
  trace.account = store.account();
  trace.checkpoint = store.checkpoint();
  return trace;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_same(const Trace& a, const Trace& b) {
  ASSERT_EQ(a.pieces.size(), b.pieces.size());
  ASSERT_EQ(a.events.size(), b.events.size());
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.pieces.size(); ++i) {
    EXPECT_EQ(a.pieces[i].start, b.pieces[i].start);
    EXPECT_EQ(a.pieces[i].length, b.pieces[i].length);
    EXPECT_EQ(a.pieces[i].rows, b.pieces[i].rows);
    ASSERT_TRUE(same_bits(a.pieces[i].position, b.pieces[i].position)) << i;
    EXPECT_TRUE(same_bits(a.pieces[i].multiplier, b.pieces[i].multiplier)) << i;
  }
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].time, b.events[i].time);
    EXPECT_EQ(a.events[i].kind, b.events[i].kind);
    EXPECT_EQ(a.events[i].impulses, b.events[i].impulses);
    EXPECT_TRUE(same_bits(a.events[i].velocity, b.events[i].velocity)) << i;
  }
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    EXPECT_TRUE(same_bits(a.samples[i].state.position, b.samples[i].state.position)) << i;
    EXPECT_TRUE(same_bits(a.samples[i].state.velocity, b.samples[i].state.velocity)) << i;
    EXPECT_TRUE(same_bits(a.samples[i].multipliers, b.samples[i].multipliers)) << i;
    EXPECT_TRUE(same_bits(a.samples[i].outputs, b.samples[i].outputs)) << i;
  }
  EXPECT_EQ(a.account.status, b.account.status);
  EXPECT_EQ(a.account.steps, b.account.steps);
  EXPECT_EQ(a.account.energy.final, b.account.energy.final);
  EXPECT_EQ(a.account.energy.work, b.account.energy.work);
  EXPECT_EQ(a.account.energy.lost, b.account.energy.lost);
  EXPECT_EQ(a.account.position_drift, b.account.position_drift);
  EXPECT_TRUE(same_bits(a.account.present.state.position, b.account.present.state.position));
  EXPECT_TRUE(same_bits(a.account.present.state.velocity, b.account.present.state.velocity));
  EXPECT_TRUE(same_bits(a.account.present.multipliers, b.account.present.multipliers));
}

class RecordTest : public testing::Test {
 protected:
  RecordTest() {
    std::string name = (fs::temp_directory_path() / "zwang-record-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~RecordTest() override {
    std::error_code code;
    fs::remove_all(folder_, code);
  }
  [[nodiscard]] std::string file(const std::string& name = "run.sqlite") const { return (folder_ / name).string(); }

  /// A run without any interruption.
  [[nodiscard]] Store whole(const model::Model& model, const std::string& text, const std::string& name) const {
    Store store = Store::create(file(name), {"0", "test", text, {}}, model);
    Motion motion = start_or_resume(model, {}, store);
    EXPECT_TRUE(record(model, motion, store));
    return store;
  }

  fs::path folder_;
};

}  // namespace

TEST_F(RecordTest, a_run_interrupted_or_killed_at_any_piece_goes_on_to_the_same_bits) {
  std::mt19937_64 draw(20);
  for (const std::string& text : {ball_and_pendulum, half_elastic, string_pendulum}) {
    const model::Model model = model::load(text, "test");
    const Trace wanted = trace_of(whole(model, text, "whole.sqlite"));
    ASSERT_EQ(wanted.account.status, Status::finished);
    ASSERT_GT(wanted.pieces.size(), 10U);
    for (std::size_t trial = 0; trial < 8; ++trial) {
      const std::size_t stretch =
          trial == 0 ? 1 : std::uniform_int_distribution<std::size_t>(1, wanted.pieces.size() / 2)(draw);
      const bool kill = trial % 2 == 1;
      const std::uint64_t commit = 1 + trial;
      SCOPED_TRACE(
          fmt::format("{} pieces at a time, committed every {}, {}", stretch, commit, kill ? "killed" : "interrupted"));
      { Store store = Store::create(file(), {"0", "test", text, {}}, model); }
      for (bool ended = false; !ended;) {
        Store store = Store::open(file());
        Motion motion = start_or_resume(model, {}, store);
        std::size_t pieces = 0;
        Recording recording;
        recording.pieces = commit;
        recording.go_on = [&](const zwang::runs::Progress&) {
          if (kill && ++pieces > stretch + commit) throw std::runtime_error("killed");
          return kill || ++pieces < stretch;
        };
        try {
          ended = record(model, motion, store, recording);
        } catch (const std::runtime_error&) {
          continue;
        }
      }
      Store store = Store::open(file());
      store.set_outputs(model);
      expect_same(trace_of(store), wanted);
    }
  }
}

TEST_F(RecordTest, the_samples_of_a_single_piece_are_kept_as_they_come_and_can_be_interrupted_between) {
  // Of free flight there is one piece; of a ball that bounces instants of the samples are instants of blows, too.
  const std::string flight =
      "[points.p]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 2]\n[simulation]\nuntil = 1\nsamples = 101\n";
  for (const std::string& text : {flight, half_elastic}) {
    const model::Model model = model::load(text, "test");
    const Trace wanted = trace_of(whole(model, text, "whole.sqlite"));
    for (const bool kill : {false, true}) {
      { Store store = Store::create(file(), {"0", "test", text, {}}, model); }
      std::uint64_t turns = 0;
      for (bool ended = false; !ended; ++turns) {
        Store store = Store::open(file());
        Motion motion = start_or_resume(model, {}, store);
        const std::uint64_t before = store.samples();
        Recording recording;
        recording.bytes = 500;  // some samples
        recording.go_on = [&](const zwang::runs::Progress&) {
          if (store.samples() <= before) return true;
          EXPECT_LT(store.samples(), before + 8);
          if (kill) throw std::runtime_error("killed");
          return false;
        };
        try {
          ended = record(model, motion, store, recording);
        } catch (const std::runtime_error&) {
        }
      }
      EXPECT_GE(turns, wanted.samples.size() / 8);
      Store store = Store::open(file());
      store.set_outputs(model);
      expect_same(trace_of(store), wanted);
    }
  }
}

TEST_F(RecordTest, a_finished_run_goes_on_to_a_later_end_with_samples_in_the_same_rhythm) {
  const model::Model model = model::load(ball_and_pendulum, "test");
  const Trace first = trace_of(whole(model, ball_and_pendulum, "run.sqlite"));
  ASSERT_EQ(first.samples.size(), 31U);
  model::Overrides later;
  later.until = "4.05";
  const model::Model longer = model::load(ball_and_pendulum, "test", later);
  Store store = Store::open(file());
  store.set_until("4.05", 4.05);
  Motion motion = start_or_resume(longer, {}, store);
  EXPECT_TRUE(record(longer, motion, store));
  const Trace both = trace_of(store);
  EXPECT_EQ(both.account.present.state.time, 4.05);
  ASSERT_EQ(both.samples.size(), 41U);
  EXPECT_NEAR(both.samples.back().state.time, 4.0, 1e-15);
  EXPECT_EQ(store.recipe().overrides.until, "4.05");

  // The same as a run that had the later end from the beginning, up to the rounding of the extra stop.
  const Trace once = trace_of(whole(longer, ball_and_pendulum, "once.sqlite"));
  ASSERT_EQ(both.events.size(), once.events.size());
  for (std::size_t i = 0; i < once.events.size(); ++i) {
    EXPECT_NEAR(both.events[i].time, once.events[i].time, 1e-11);
    EXPECT_EQ(both.events[i].kind, once.events[i].kind);
  }
}

TEST_F(RecordTest, sampling_at_an_event_gives_the_state_after_it) {
  // From z = 0 with speed -4 and e = 1/2: impacts at 0, 0.4, 0.6, ... with speeds 2, 1, 1/2 after them.
  const model::Model model = model::load(half_elastic, "test");
  const Store store = whole(model, half_elastic, "run.sqlite");
  const Trace trace = trace_of(store);
  ASSERT_EQ(trace.samples.size(), 21U);
  EXPECT_NEAR(trace.samples[0].state.velocity[1], 2, 1e-12);
  EXPECT_NEAR(trace.samples[4].state.velocity[1], 1, 1e-12) << "t = 0.4";
  EXPECT_NEAR(trace.samples[6].state.velocity[1], 0.5, 1e-12) << "t = 0.6";
  EXPECT_TRUE(trace.samples[4].multipliers.empty());
  EXPECT_EQ(trace.samples[20].state.time, 2);
  ASSERT_EQ(trace.samples[20].multipliers.size(), 1U);
  EXPECT_NEAR(trace.samples[20].multipliers[0], 20, 1e-9);
  Sample sample;
  ASSERT_TRUE(state_at(model, store.view(model), 0.4, sample));
  EXPECT_NEAR(sample.state.velocity[1], 1, 1e-12);
  ASSERT_TRUE(state_at(model, store.view(model), std::nextafter(0.4, 0), sample));
  EXPECT_NEAR(sample.state.velocity[1], 1, 1e-12) << "instants nearer than the resolution are one";
  ASSERT_TRUE(state_at(model, store.view(model), 0.4 - 1e-6, sample));
  EXPECT_NEAR(sample.state.velocity[1], -2, 1e-4);
  ASSERT_TRUE(state_at(model, store.view(model), 0, sample));
  EXPECT_NEAR(sample.state.velocity[1], 2, 1e-12);
  ASSERT_TRUE(state_at(model, store.view(model), 2, sample));
  EXPECT_EQ(sample.state.position, trace.account.present.state.position);
  EXPECT_FALSE(state_at(model, store.view(model), 2.1, sample));
}

TEST_F(RecordTest, states_in_between_are_those_of_the_closed_form) {
  const std::string text = R"toml([coordinates.x]
initial = 0
velocity = 2
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[outputs]
square = "x^2"
[simulation]
until = "2*pi"
samples = 101
)toml";
  const model::Model model = model::load(text, "test");
  const Store store = whole(model, text, "run.sqlite");
  const Trace trace = trace_of(store);
  ASSERT_EQ(trace.samples.size(), 101U);
  for (const Sample& sample : trace.samples) {
    EXPECT_NEAR(sample.state.position[0], 2 * std::sin(sample.state.time), 1e-11);
    EXPECT_NEAR(sample.state.velocity[0], 2 * std::cos(sample.state.time), 1e-11);
    EXPECT_EQ(sample.outputs[0], sample.state.position[0] * sample.state.position[0]);
  }
  EXPECT_EQ(trace.samples.back().state.time, 2 * std::numbers::pi);
  Sample sample;
  for (const double time : {0.0, 1e-9, 1.234, 3.0, 6.283}) {
    ASSERT_TRUE(state_at(model, store.view(model), time, sample));
    EXPECT_NEAR(sample.state.position[0], 2 * std::sin(time), 1e-11);
  }
}

TEST_F(RecordTest, a_run_ends_where_stop_becomes_true_and_has_no_samples_behind) {
  const std::string text = R"toml(gravity = [0, -10]
[points.a]
mass = 1
position = [0, 5]
[simulation]
until = 10
samples = 101
stop = "a.y <= 0"
)toml";
  const model::Model model = model::load(text, "test");
  const Store store = whole(model, text, "run.sqlite");
  EXPECT_EQ(store.account().status, Status::stopped);
  EXPECT_NEAR(store.account().present.state.time, 1, 1e-13);
  EXPECT_EQ(store.samples(), 11U);
  Sample sample;
  EXPECT_FALSE(state_at(model, store.view(model), 1.5, sample));
}

TEST_F(RecordTest, a_full_disk_ends_the_run_and_it_goes_on_to_the_same_bits_when_there_is_room) {
  model::Overrides overrides;
  overrides.until = "30";
  const model::Model model = model::load(ball_and_pendulum, "test", overrides);
  const Trace wanted = trace_of(whole(model, ball_and_pendulum, "whole.sqlite"));
  {
    Store store = Store::create(file(), {"0", "test", ball_and_pendulum, {}}, model);
    store.limit_pages(60);
    Motion motion = start_or_resume(model, {}, store);
    Recording recording;
    recording.pieces = 30;
    EXPECT_THROW((void)record(model, motion, store, recording), Error);
  }
  Store store = Store::open(file());
  EXPECT_GT(store.pieces(), 0U);
  EXPECT_LT(store.pieces(), wanted.pieces.size());
  Motion motion = start_or_resume(model, {}, store);
  EXPECT_TRUE(record(model, motion, store));
  expect_same(trace_of(store), wanted);
}

}  // namespace zwang::runs::record_tests
