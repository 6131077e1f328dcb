/// A motion in the caller's hand is the model's own motion as long as nobody interferes, and obeys mechanics when somebody does.
#include "zwang/motion/stepper.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "zwang/model/evaluate.hpp"
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

/// What a motion without forces on it becomes when nothing is done to it at `at`: a blow of nothing, the same model again, the same state again.
void expect_undisturbed(const std::shared_ptr<const model::Model>& model, const std::vector<double>& instants,
                        double end) {
  Motion motion = begin(*model, {.until = end});
  Track track;
  follow(*model, motion, track);
  const model::State reached = motion.state;
  for (const double at : instants) {
    // A shock is refused under the variational law.
    for (const int act : {0, 1, 2}) {
      if (act == 0 && model::is_variational(*model)) continue;
      Stepper stepper(model, model::initial_state(*model));
      stepper.advance(at, false);
      if (act == 0) stepper.push(std::vector<double>(model->variables, 0.0));
      if (act == 1) stepper.change(model);
      if (act == 2) stepper.move_to({stepper.time(), stepper.state().position, stepper.state().velocity});
      for (const Event& event : stepper.events()) EXPECT_EQ(event.kind, EventKind::blow) << at << " " << act;
      stepper.advance(end, false);
      EXPECT_EQ(stepper.status(), Status::going) << at << " " << act << ": " << stepper.why();
      for (std::uint32_t i = 0; i < model->variables; ++i) {
        EXPECT_NEAR(stepper.state().position[i], reached.position[i], 1e-9) << at << " " << act << " " << i;
        EXPECT_NEAR(stepper.state().velocity[i], reached.velocity[i], 1e-9) << at << " " << act << " " << i;
      }
    }
  }
}

TEST(Stepper, that_is_disturbed_by_nothing_keeps_the_turns_of_angles) {
  // A rotor wound up against a spring by more than two turns; it comes back. In the plane the angle itself is a coordinate.
  const auto space = ball(R"toml([bodies.a]
mass = 1
inertia = [0.4, 0.4, 0.5]
position = [0, 0, 0]
spin = [0, 0, 10]
[joints]
j = { hinge = [[0, 0, 0], "a"], axis = [0, 0, 1], limits = [-1, 40] }
[springs]
s = { on = "j", angle = 0, stiffness = 0.2 }
[simulation]
until = 4
)toml");
  expect_undisturbed(space, {0.2, 0.5, 1.3, 2.0, 3.1}, 4);
  Motion motion = begin(*space);
  while (advance(motion)) {
  }
  const double rate = std::sqrt(0.2 / 0.5), angle = 10 / rate * std::sin(4 * rate);
  EXPECT_NEAR(std::abs(motion.state.position[3]), std::abs(std::cos(angle / 2)), 1e-10);
  // An angle in a potential.
  expect_undisturbed(ball(R"toml([points.p]
mass = 1
position = [1, 0]
velocity = [0, 5]
[constraints]
ring = "norm(p) = 1"
[energy]
potential = "atan2(p.y, p.x)^2/5"
[simulation]
until = 3
)toml"),
                     {0.3, 1.1, 1.7, 2.6}, 3);
}

TEST(Stepper, that_is_disturbed_by_nothing_does_not_take_back_what_was_let_go) {
  const auto model = ball(R"toml(gravity = [0, -9.81]
[points.p]
mass = 1
position = [1, 0]
velocity = [0, 8]
[constraints]
hold = "distance(p, [0, 0]) = 1"
[[releases]]
constraint = "hold"
when = "p.y >= 0.5"
[simulation]
until = 2
)toml");
  expect_undisturbed(model, {0.05, 0.5, 1.0, 1.7}, 2);
}

TEST(Stepper, that_is_disturbed_by_nothing_keeps_the_rho_of_the_variational_law) {
  const auto skate = ball(R"toml([parameters]
k = 5
[coordinates.x]
initial = 0
velocity = 1
[coordinates.y]
initial = 0
[coordinates.a]
initial = 0
velocity = 2
[energy]
kinetic = "x'^2 + y'^2 + a'^2/4"
potential = "-k*x"
[constraints]
blade = { condition = "x'*sin(a) = y'*cos(a)", law = "variational", multiplier = 0.3 }
[simulation]
until = 1.5
)toml");
  expect_undisturbed(skate, {0.3, 0.6, 1.1}, 1.5);
}

TEST(Stepper, refuses_what_is_no_number) {
  Stepper stepper(ball(), model::initial_state(*ball()));
  EXPECT_THROW(stepper.push({0, std::nan("")}), std::invalid_argument);
  EXPECT_THROW(stepper.push({INFINITY, 0}), std::invalid_argument);
  EXPECT_THROW(stepper.advance(std::nan("")), std::invalid_argument);
}

TEST(Stepper, takes_its_own_state_for_what_it_is) {
  // A bar on a ball joint: components that should be zero are rounding.
  expect_undisturbed(ball(R"toml(gravity = [0, 0, -9.81]
[bodies.bar]
mass = 1
shape = { box = [0.1, 0.1, 1] }
position = [0, "0.5*sin(1)", "-0.5*cos(1)"]
orientation = { axis = [1, 0, 0], angle = 1 }
[bodies.bar.marks]
top = [0, 0, 0.5]
[joints]
pivot = { hinge = [[0, 0, 0], "bar.top"], axis = [1, 0, 0] }
[simulation]
until = 1
)toml"),
                     {0.3, 0.77}, 1);
}

TEST(Stepper, whoever_looks_out_may_end_the_way_and_it_goes_on_from_there) {
  Stepper stepper(ball(), model::initial_state(*ball()));
  EXPECT_THROW(stepper.advance(0.3, true, [] { throw std::runtime_error("enough"); }), std::runtime_error);
  stepper.advance(0.3);
  EXPECT_NEAR(stepper.state().position[1], 1 - 5 * 0.09, 1e-14);
}

}  // namespace zwang::motion::stepper_tests
