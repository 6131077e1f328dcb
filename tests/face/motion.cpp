/// Motions through the public face: followed, asked at any time, kept in files, resumed, stepped by hand.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "run_damage.hpp"
#include "systems.hpp"
#include "zwang/zwang.hpp"

namespace zwang::motion_tests {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const double strike = std::sqrt(0.2);

/// A folder of its own that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "zwang-face-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST(Motion, has_the_events_of_a_bouncing_ball_and_a_state_at_any_time) {
  const Model model = parse(testing::ball);
  const Motion motion = run(model);
  EXPECT_EQ(words(motion.status()), "finished");
  EXPECT_EQ(motion.start(), 0);
  EXPECT_EQ(motion.end(), 0.8);
  ASSERT_EQ(motion.event_count(), 1U);
  const motion::Event event = motion.events()[0];
  EXPECT_EQ(words(event.kind), "impact");
  EXPECT_NEAR(event.time, strike, 1e-14);
  EXPECT_EQ(model.row_names()[event.rows[0]], "floor");
  // m (1 + e) sqrt(2 g h)
  EXPECT_NEAR(event.impulses[0].second, 3 * std::sqrt(20.0), 1e-12);

  EXPECT_NEAR(model.part("ball", motion.at(0.2).position)[1], 0.8, 1e-14);
  EXPECT_NEAR(motion.at(event.time).velocity[1], std::sqrt(5.0), 1e-13);
  EXPECT_NEAR(motion.sample(0.1).outputs[0], 0.95, 1e-14);
  EXPECT_EQ(motion.times().size(), 9U);

  const std::vector<double> times = {0.1, 0.2, 0.3};
  std::vector<double> position(6), velocity(6);
  motion.states(times, position, velocity);
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_EQ(position[2 * k + 1], motion.at(times[k]).position[1]);
    EXPECT_EQ(velocity[2 * k], motion.at(times[k]).velocity[0]);
  }
  std::vector<double> alone(6);
  motion.states(times, alone, {});
  EXPECT_EQ(alone, position);
}

TEST(Motion, keeps_account_of_energy_drift_defect_and_error) {
  const Motion motion = run(parse(testing::ball), {.estimate_error = true});
  const motion::Account& account = motion.account();
  EXPECT_NEAR(account.energy.initial, 21, 1e-13);
  // (1 - e^2) m g h
  EXPECT_NEAR(account.energy.lost, 15, 1e-12);
  EXPECT_LT(std::abs(account.energy.defect()), 1e-11);
  EXPECT_LT(account.defect, 1e-10);
  EXPECT_LT(account.position_drift, 1e-12);
  EXPECT_GT(account.error, 0);
  EXPECT_LT(account.error, 1e-10);
  EXPECT_GT(account.steps, 0U);
}

TEST(Motion, has_multipliers_where_a_condition_holds_and_none_where_not) {
  const Model model = parse(testing::hanging);
  const Motion motion = run(model, {.until = 1});
  const std::vector<double> times = {0.25, 0.5};
  const std::vector<std::uint32_t> rows = {model.row("string")};
  std::vector<double> out(2);
  motion.multipliers(times, rows, out);
  EXPECT_NEAR(out[0], 30, 1e-12);
  EXPECT_NEAR(out[1], 30, 1e-12);
  run(parse(testing::ball)).multipliers(times, std::vector<std::uint32_t>{0}, out);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_THROW(motion.multipliers(times, std::vector<std::uint32_t>{1}, out), std::invalid_argument);
}

TEST(Motion, pieces_are_polynomials_that_give_the_same_states) {
  const Motion motion = run(parse(testing::ball));
  State state;
  for (const motion::Piece& piece : motion.pieces()) {
    const double middle = piece.start + piece.length / 2;
    motion::evaluate(piece, middle, state);
    EXPECT_EQ(state.position, motion.at(middle).position);
  }
  EXPECT_EQ(motion.pieces(0, 1).size(), 1U);
  EXPECT_EQ(motion.events(1).size(), 0U);
}

TEST(Motion, refuses_times_outside_and_options_that_cannot_be_meant) {
  const Model model = parse(testing::ball);
  const Motion motion = run(model);
  EXPECT_THROW((void)motion.at(-0.1), std::out_of_range);
  EXPECT_THROW((void)motion.at(0.81), std::out_of_range);
  EXPECT_THROW((void)motion.at(nan), std::out_of_range);
  EXPECT_THROW((void)run(model, {.until = nan}), std::invalid_argument);
  EXPECT_THROW((void)run(model, {.until = -1}), std::invalid_argument);
  EXPECT_THROW((void)run(model, {.tolerance = -1e-9}), std::invalid_argument);
  EXPECT_THROW((void)run(model, {.samples = 0}), std::invalid_argument);
  RunOptions options;
  options.from = State{};
  EXPECT_THROW((void)run(model, options), std::invalid_argument);
  options.from->time = nan;
  EXPECT_NE(options.check().find("from"), std::string::npos);
  std::vector<double> small(1);
  EXPECT_THROW(motion.states(std::vector<double>{0.1}, small, {}), std::invalid_argument);
}

TEST(Motion, starts_from_another_state_and_is_interrupted_when_asked) {
  const Model model = parse(testing::ball);
  State state = model.initial();
  state.time = 1;
  state.position = {0, 5};
  const Motion motion = run(model, {.until = 1.5, .from = state});
  EXPECT_EQ(motion.start(), 1);
  EXPECT_NEAR(motion.at(1.5).position[1], 5 - 1.25, 1e-13);
  EXPECT_EQ(motion.model().initial().position, state.position);

  std::uint64_t asked = 0;
  const Motion broken = run(model, {.until = 100, .go_on = [&](const Progress& now) {
                                      ++asked;
                                      return now.steps < 2;
                                    }});
  EXPECT_EQ(words(broken.status()), "interrupted");
  EXPECT_GE(asked, 1U);
  EXPECT_LT(broken.end(), 100);
}

TEST(RunFile, is_the_motion_in_memory_to_the_bit_and_goes_on_to_the_same_bits) {
  const Folder folder;
  const Model model = parse(testing::ball);
  const Motion memory = run(model, {.until = 1.2});
  const Motion file = record(model, folder / "ball.sqlite", {.until = 1.2});
  EXPECT_EQ(file.path(), (folder / "ball.sqlite").string());
  EXPECT_EQ(file.event_count(), memory.event_count());
  for (const double time : {0.1, 0.5, 0.9, 1.2}) EXPECT_EQ(file.at(time).position, memory.at(time).position);
  EXPECT_EQ(file.sample(0.3).outputs, memory.sample(0.3).outputs);

  // Interrupted, resumed, and then on to a later end.
  const Motion part =
      record(model, folder / "part.sqlite", {.until = 1.2, .go_on = [](const Progress&) { return false; }});
  EXPECT_EQ(part.status(), motion::Status::interrupted);
  const Motion whole = resume(folder / "part.sqlite");
  EXPECT_EQ(whole.status(), motion::Status::finished);
  EXPECT_EQ(whole.at(1.2).position, memory.at(1.2).position);
  const Motion later = resume(folder / "part.sqlite", {.until = 1.3});
  EXPECT_EQ(later.end(), 1.3);
  EXPECT_EQ(open_run(folder / "part.sqlite").at(1.3).velocity, later.at(1.3).velocity);
  EXPECT_THROW((void)resume(folder / "part.sqlite", {.until = 0.5}), Error);
  EXPECT_THROW((void)resume(folder / "part.sqlite", {.until = nan}), std::invalid_argument);
}

TEST(RunFile, begun_by_another_version_goes_on_with_a_notice) {
  const Folder folder;
  const std::string file = (folder / "old.sqlite").string();
  (void)record(parse(testing::ball), file, {.until = 0.5});
  std::string told;
  const auto listen = [&](const std::string& sentence) { told = sentence; };
  (void)resume(file, {.until = 0.6, .notice = listen});
  EXPECT_EQ(told, "") << "by the same version on the same machine there is nothing to tell";
  runs::Database(file).run("UPDATE run SET zwang = '0.0.7', machine = 'abacus'");
  damaged::reseal(file);
  const Motion later = resume(file, {.until = 0.7, .notice = listen});
  EXPECT_EQ(later.end(), 0.7);
  EXPECT_NE(told.find("zwang 0.0.7 on abacus"), std::string::npos) << told;
}

TEST(RunFile, keeps_a_motion_in_memory_with_its_own_start_end_and_law) {
  const Folder folder;
  const Model model = parse(testing::ball).with("e", 0.25);
  State state = model.initial();
  state.time = 0.5;
  state.position = {0, 2};
  const Motion motion = run(model, {.until = 1.5, .samples = 5, .from = state});
  const std::string kept = save(motion, folder / "kept.sqlite");
  const Motion again = open_run(kept);
  EXPECT_EQ(again.start(), 0.5);
  EXPECT_EQ(again.end(), 1.5);
  EXPECT_EQ(again.times(), motion.times());
  EXPECT_EQ(again.model().parameter("e"), 0.25);
  EXPECT_EQ(again.model().initial().position, state.position);
  EXPECT_EQ(again.at(1.4).velocity, motion.at(1.4).velocity);
  EXPECT_EQ(resume(kept, {.until = 2}).end(), 2);
  EXPECT_THROW((void)save(again, folder / "twice.sqlite"), std::invalid_argument);

  const Motion variational = record(parse(testing::blade).under(model::Law::variational), folder / "law.sqlite");
  const Motion opened = open_run(folder / "law.sqlite");
  EXPECT_TRUE(opened.model().is_variational(opened.model().row("edge")));
  EXPECT_EQ(opened.at(1).position, variational.at(1).position);
}

TEST(Stepper, goes_the_way_of_the_run_and_stops_at_events) {
  const Model model = parse(testing::ball);
  const Motion motion = run(model);
  Stepper stepper(model);
  ASSERT_EQ(stepper.advance(0.3).size(), 0U);
  EXPECT_EQ(stepper.state().position, motion.at(0.3).position);
  ASSERT_EQ(stepper.advance(10).size(), 1U);
  EXPECT_EQ(stepper.events()[0].kind, motion::EventKind::impact);
  EXPECT_NEAR(stepper.time(), strike, 1e-14);
  EXPECT_THROW((void)stepper.advance(0.1), std::invalid_argument);
}

TEST(Stepper, obeys_pushes_parameters_and_states) {
  Stepper stepper(parse(testing::ball));
  (void)stepper.advance(0.1);
  // An impulse of 2 along y adds 1 to the velocity -1.
  ASSERT_EQ(stepper.push("ball", {0, 2}).size(), 1U);
  EXPECT_EQ(words(stepper.events()[0].kind), "blow");
  EXPECT_NEAR(stepper.state().velocity[1], 0, 1e-14);
  // A force that carries the weight: m g = 20.
  (void)stepper.set("lift", 20);
  (void)stepper.advance(5);
  EXPECT_NEAR(stepper.state().velocity[1], 0, 1e-13);
  EXPECT_EQ(stepper.model().parameter("lift"), 20);

  // A copy goes its own way.
  Stepper other = stepper;
  (void)other.set({{"lift", 0}, {"g", 0}});
  (void)other.push("ball", {0, -2});
  (void)other.advance(5.5);
  (void)stepper.advance(5.5);
  EXPECT_LT(other.state().position[1], stepper.state().position[1]);

  State state = stepper.state();
  state.position[1] = 3;
  (void)stepper.move_to(state);
  EXPECT_EQ(stepper.state().position[1], 3);
  stepper.reset();
  EXPECT_EQ(stepper.time(), 0);
  EXPECT_EQ(stepper.model().parameter("lift"), 20);

  EXPECT_THROW((void)stepper.set("nonsense", 1), Error);
  EXPECT_THROW((void)stepper.set("lift", nan), std::invalid_argument);
  EXPECT_THROW((void)stepper.push("ball", {1}), std::invalid_argument);
  EXPECT_THROW((void)stepper.push(std::vector<double>{1, 2, 3}), std::invalid_argument);
  EXPECT_THROW(Stepper(parse(testing::ball), {.tolerance = 2}), std::invalid_argument);
}

TEST(Stepper, a_force_that_is_set_fifty_times_a_second_sets_off_nothing_by_itself) {
  // The state on the way has a height of 1e-34 and a rate of 1e-17 where the track has 0: its rounding, which breaks nothing.
  const Model model = parse(R"toml(gravity = [0, -9.81]
[parameters]
L = 0.8
u = 0
[points.cart]
mass = 1
position = [0, 0]
force = ["u", 0]
[points.pole]
mass = 0.2
position = ["L*sin(0.1)", "L*cos(0.1)"]
[constraints]
track = "cart.y = 0"
rod = "distance(cart, pole) = L"
)toml");
  Stepper stepper(model);
  for (int k = 0; k < 250; ++k) {
    const State& now = stepper.state();
    const double lean = now.position[2] - now.position[0];
    const double leaning = now.velocity[2] - now.velocity[0];
    EXPECT_TRUE(stepper.set("u", 50 * lean + 10 * leaning + 1.5 * now.position[0] + 3 * now.velocity[0]).empty()) << k;
    if (k == 100) {
      EXPECT_EQ(stepper.push("pole", {0.15, 0}).front().kind, motion::EventKind::blow);
    }
    EXPECT_TRUE(stepper.advance_through(0.02 * (k + 1)).empty()) << k;
    ASSERT_EQ(stepper.status(), motion::Status::going) << k << ": " << stepper.why();
    EXPECT_NEAR(std::hypot(now.position[2] - now.position[0], now.position[3] - now.position[1]), 0.8, 1e-14);
  }
  EXPECT_LT(std::abs(stepper.state().position[2] - stepper.state().position[0]), 0.05);
}

}  // namespace zwang::motion_tests
