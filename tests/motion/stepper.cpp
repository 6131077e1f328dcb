/// A motion in the caller's hand is the model's own motion as long as nobody interferes, and obeys mechanics when somebody does.
#include "zwang/motion/stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "zwang/model/read.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::motion::stepper_tests {

namespace {

const std::string bouncing = R"toml(gravity = [0, -10]
[parameters]
g = 10
[points.ball]
mass = 2
position = [0, 1]
velocity = [1, 0]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 0.5 }
[simulation]
until = 0.8
)toml";

std::shared_ptr<const model::Model> ball(const std::string& text = bouncing) {
  return std::make_shared<const model::Model>(model::load(text, "model.toml"));
}

}  // namespace

TEST(Stepper, goes_the_way_of_the_models_own_run_to_the_bit) {
  const auto model = ball();
  Motion motion = begin(*model);
  Track track;
  follow(*model, motion, track);
  const RunView run = view(*model, track);
  Stepper stepper(model, model::initial_state(*model));
  for (const double time : {0.1, 0.3, 0.4472, 0.5, 0.77, 0.8}) {
    stepper.advance(time, false);
    Sample sample;
    ASSERT_TRUE(state_at(*model, run, time, sample));
    EXPECT_EQ(stepper.state().position, sample.state.position) << time;
    EXPECT_EQ(stepper.state().velocity, sample.state.velocity) << time;
  }
}

TEST(Stepper, stops_at_the_first_event_and_goes_on_beyond_the_models_end) {
  Stepper stepper(ball(), model::initial_state(*ball()));
  ASSERT_TRUE(stepper.advance(5));
  EXPECT_NEAR(stepper.time(), std::sqrt(0.2), 1e-14);
  ASSERT_EQ(stepper.events().size(), 1U);
  EXPECT_EQ(stepper.events()[0].kind, EventKind::impact);
  // All bounces are over after sqrt(1/5) (1 + 2 (1/2 + 1/4 + ...)) = 3 sqrt(1/5); the ball slides on with velocity 1.
  stepper.advance(5, false);
  EXPECT_EQ(stepper.status(), Status::going);
  EXPECT_NEAR(stepper.state().position[0], 5, 1e-12);
  EXPECT_NEAR(stepper.state().position[1], 0, 1e-12);
}

TEST(Stepper, an_impulse_changes_the_velocity_by_impulse_over_mass) {
  Stepper stepper(ball(), model::initial_state(*ball()));
  stepper.advance(0.1);
  const double before = stepper.state().velocity[1];
  stepper.push({0, 3});
  EXPECT_NEAR(stepper.state().velocity[1], before + 1.5, 1e-14);
  ASSERT_FALSE(stepper.events().empty());
  EXPECT_EQ(stepper.events()[0].kind, EventKind::blow);
  EXPECT_THROW(stepper.push({1}), std::invalid_argument);
}

TEST(Stepper, does_not_run_back) {
  Stepper stepper(ball(), model::initial_state(*ball()));
  stepper.advance(0.2);
  EXPECT_THROW(stepper.advance(0.1), std::invalid_argument);
  EXPECT_THROW(stepper.advance(std::nan("")), std::invalid_argument);
}

TEST(Stepper, put_somewhere_else_it_moves_from_there) {
  Stepper stepper(ball(), model::initial_state(*ball()));
  stepper.advance(0.2);
  stepper.move_to({0.2, {3, 5}, {0, 0}});
  stepper.advance(1.2);
  // A free fall of one second from height 5 ends on the floor.
  EXPECT_NEAR(stepper.time(), 1.2, 1e-12);
  EXPECT_NEAR(stepper.state().position[0], 3, 1e-14);
  EXPECT_NEAR(stepper.state().position[1], 0, 1e-11);
  EXPECT_THROW(stepper.move_to({0, {1}, {1}}), std::invalid_argument);
}

TEST(Stepper, with_another_model_it_goes_on_from_the_same_state) {
  std::string heavier = bouncing;
  heavier.replace(heavier.find("-10"), 3, "-20");
  Stepper stepper(ball(), model::initial_state(*ball()));
  stepper.advance(0.1);
  const model::State before = stepper.state();
  stepper.change(ball(heavier));
  EXPECT_EQ(stepper.state().position, before.position);
  stepper.advance(0.2);
  EXPECT_NEAR(stepper.state().velocity[1], before.velocity[1] - 2, 1e-13);
}

TEST(Stepper, whoever_looks_out_may_end_the_way_and_it_goes_on_from_there) {
  Stepper stepper(ball(), model::initial_state(*ball()));
  EXPECT_THROW(stepper.advance(0.3, true, [] { throw std::runtime_error("enough"); }), std::runtime_error);
  stepper.advance(0.3);
  EXPECT_NEAR(stepper.state().position[1], 1 - 5 * 0.09, 1e-14);
}

}  // namespace zwang::motion::stepper_tests
