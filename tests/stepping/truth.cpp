/// What a run in steps may call finished: corners of polygons, accounts that close.
#include <gtest/gtest.h>

#include "steps.hpp"

namespace zwang::stepping::truth_tests {
namespace {

using motion::Status;

double weight_on(const Ran& ran, const std::string& condition) {
  double sum = 0;
  const motion::Sample& end = ran.track.account.present;
  for (std::size_t j = 0; j < end.rows.size(); ++j) {
    if (model::row_name(ran.model, end.rows[j]).starts_with(condition)) sum += end.multipliers[j];
  }
  return sum;
}

TEST(TiltedBoxInSteps, falls_on_an_equal_one_and_lies) {
  // Velocities follow positions: what strikes a corner loses its speed, and both boxes lie flat in the end.
  const std::string text = R"toml(
gravity = [0, -10]
[bodies.b]
count = 2
mass = 1
shape = { box = [0.5, 0.3] }
position = [[0, 0.15], [0.1, 0.6]]
orientation = "0.1*(i - 1)"
[contacts]
f = { for = "i = 1..2", body = "b[i]", plane = { normal = [0, 1] } }
c = { between = ["b[1]", "b[2]"] }
)toml";
  const Ran ran = in_steps(text, 1e-3, 0.6);
  ASSERT_EQ(ran.status(), Status::finished);
  EXPECT_NEAR(ran.position()[4], 0.45, 1e-9);
  EXPECT_NEAR(ran.position()[5], 0, 1e-9);
  for (const double v : ran.velocity()) EXPECT_NEAR(v, 0, 1e-9);
  EXPECT_NEAR(ran.track.account.energy.final, 6, 1e-6);
  EXPECT_NEAR(ran.track.account.energy.defect(), 0, 1e-5);
  EXPECT_NEAR(weight_on(ran, "f"), 20, 1e-6);
  EXPECT_NEAR(weight_on(ran, "c"), 10, 1e-6);
}

TEST(BoxesPutAside, go_on_to_the_same_bits) {
  const model::Model model = model::load(R"toml(
gravity = [0, -10]
[bodies.b]
count = 2
mass = 1
shape = { box = [0.5, 0.3] }
position = [[0, 0.15], [0.1, 0.5]]
orientation = "0.1*(i - 1)"
[contacts]
f = { for = "i = 1..2", body = "b[i]", plane = { normal = [0, 1] }, restitution = 0.3 }
c = { between = ["b[1]", "b[2]"], restitution = 0.3 }
[simulation]
method = "stepping"
step = 2e-3
until = 0.3
)toml",
                                         "model.toml");
  Stepping whole = begin(model);
  std::vector<std::string> saved;
  while (advance(whole)) {
    if (whole.motion.steps % 40 == 0) saved.push_back(save(whole));
  }
  ASSERT_EQ(saved.size(), 3U);
  for (const std::string& one : saved) {
    Stepping rest = restore(model, {}, one);
    while (advance(rest)) {
    }
    EXPECT_EQ(save(rest), save(whole));
  }
}

TEST(WideStair, is_met_from_the_side_it_was_outside_of) {
  // At the end of the step in which it is entered the point is nearer to the right side than to the top.
  const Ran ran = in_steps(R"toml(
gravity = [0, -10]
[points.a]
mass = 1
position = [0.999, 2.2]
[constraints]
stair = "a.x <= -1 or a.y >= 2 or a.x >= 1"
)toml",
                           5e-3, 0.5);
  ASSERT_EQ(ran.status(), Status::finished);
  EXPECT_NEAR(ran.position()[0], 0.999, 1e-12);
  EXPECT_NEAR(ran.position()[1], 2, 1e-9);
}

TEST(AccountOfSteps, that_does_not_close_is_no_finished_run) {
  // A spring with w h = 2.1: the scheme swings up.
  const Ran ran = in_steps(R"toml(
[coordinates.x]
initial = 1
[energy]
kinetic = "x'^2/2"
potential = "210^2*x^2/2"
)toml",
                           1e-2, 0.1);
  EXPECT_EQ(ran.status(), Status::gave_up);
  EXPECT_NE(ran.track.account.why.find("account of the energy"), std::string::npos) << ran.track.account.why;
}

TEST(ThinWall, is_struck_however_thin_it_is) {
  // 0.1 m in a step: flat sides are met where the point was outside last.
  const Ran wall = in_steps(R"toml(
[points.b]
mass = 1
position = [-1.03, 0]
velocity = [100, 0]
[constraints]
w = "b.x <= 0 or b.x >= 1e-4"
)toml",
                            1e-3, 0.03);
  ASSERT_EQ(wall.status(), Status::finished);
  EXPECT_NEAR(wall.position()[0], 0, 1e-9);
  EXPECT_NEAR(wall.track.account.energy.lost, 5000, 1e-6);
  // Round the end of it nothing is in the way.
  const Ran free = in_steps(R"toml(
[points.b]
mass = 1
position = [-1.03, 0.3]
velocity = [100, 0]
[constraints]
w = "b.x <= 0 or b.x >= 0.05 or abs(b.y) >= 0.2"
)toml",
                            1e-3, 0.03);
  ASSERT_EQ(free.status(), Status::finished);
  EXPECT_NEAR(free.position()[0], 1.97, 1e-9);
  const std::string box = R"toml(
[points.b]
mass = 1
position = [-1.03, 0]
velocity = [100, 0]
[bodies.w]
mass = 1
shape = { box = [0.01, 1] }
position = [0, 0.1]
[contacts]
c = { between = ["w", "b"] }
)toml";
  const Ran struck = in_steps(box, 1e-3, 0.03);
  ASSERT_EQ(struck.status(), Status::finished);
  EXPECT_LT(apart(struck, by_events(box, 0.03)), 0.1);
}

TEST(RoundBody, that_a_step_would_pass_through_ends_the_run) {
  const auto ends = [](const std::string& b, const std::string& w) {
    const Ran ran = in_steps("[bodies.b]\nmass = 1\nposition = [-1.03, 0]\nvelocity = [100, 0]\nshape = " + b +
                                 "\n[bodies.w]\nmass = 1\nposition = [0, 0.003]\nshape = " + w +
                                 "\n[contacts]\nc = { between = [\"w\", \"b\"] }\n",
                             1e-3, 0.03);
    return ran.status() == Status::gave_up && ran.track.account.why.find("passed through c") != std::string::npos;
  };
  EXPECT_TRUE(ends("{ disc = 0.02 }", "{ box = [0.01, 1] }"));
  EXPECT_TRUE(ends("{ disc = 0.002 }", "{ box = [0.002, 1] }"));
  EXPECT_TRUE(ends("{ disc = 0.002 }", "{ disc = 0.002 }"));
  EXPECT_FALSE(ends("{ disc = 0.002 }", "{ disc = 0.0005 }"));  // it goes by
}

TEST(ErrorOfSteps, is_claimed_also_where_half_the_step_meets_the_shock_at_the_same_instant) {
  // Whatever the grid: shocks are late, and the claim is what that makes.
  const std::string hill = R"toml(
gravity = [0, -10]
[points.b]
mass = 1
position = [0.1, 1.5]
[constraints]
f = { condition = "distance(b, [0, 0]) >= 1", restitution = 1 }
)toml";
  const std::string pendulum = R"toml(
gravity = [0, 0, -10]
[points.a]
mass = 1
position = [1, 0, 0]
velocity = [0, 0.5, 0]
[constraints]
r = "distance(a, [0, 0, 0]) = 1"
f = { condition = "a.z >= -0.9", restitution = 0.5 }
)toml";
  for (const std::string& text : {hill, pendulum}) {
    const Ran exact = by_events(text, 0.8);
    for (const double step : {4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4}) {
      const Ran ran = in_steps(text, step, 0.8);
      const double off = apart(ran, exact);
      EXPECT_GT(ran.track.account.error, off) << step;
      EXPECT_LT(ran.track.account.error, 4 * off) << step;
    }
  }
}

TEST(PlaceZero, is_a_place_like_others) {
  // Conditions whose terms all vanish at the start.
  const std::string rod = R"toml(
gravity = [0, -10]
[bodies.p]
mass = 1
shape = { rod = 1 }
position = [0.5, 0]
[bodies.p.marks]
a = [-0.5, 0]
[joints]
h = { hinge = [[0, 0], "p.a"] }
)toml";
  const std::string gear = R"toml(
[bodies.a]
mass = 1
inertia = 0.3
position = [1, 1]
torque = "1"
[bodies.b]
mass = 1
inertia = 0.5
position = [3, 1]
[joints]
ha = { hinge = [[1, 1], "a"] }
hb = { hinge = [[3, 1], "b"] }
g = { gear = ["a", "b"], ratio = -2.5 }
)toml";
  const std::string top = R"toml(
gravity = [0, 0, -9.81]
[bodies.top]
mass = 0.5
inertia = [0.002, 0.002, 0.0008]
position = ["0.06*sin(0.4)", 0, "0.06*cos(0.4)"]
orientation = { axis = [0, 1, 0], angle = 0.4 }
spin = ["150*sin(0.4)", 0, "150*cos(0.4)"]
[bodies.top.marks]
tip = [0, 0, -0.06]
[constraints]
floor = "top.tip = [0, 0, 0]"
)toml";
  for (const std::string& text : {rod, gear, top}) {
    const Ran ran = in_steps(text, 1e-3, 0.3);
    ASSERT_EQ(ran.status(), Status::finished) << ran.track.account.why << text;
    EXPECT_LE(ran.track.account.penetration, 1e-9);
    EXPECT_LE(apart(ran, by_events(text, 0.3)), ran.track.account.error + 1e-9) << text;
  }
}

/// Discs of radius 0.2 beside one another, in a box that they just fill.
std::string filled(const std::string& positions, int count) {
  const std::string n = std::to_string(count);
  const std::string all = "{ for = \"i = 1.." + n + "\", body = \"b[i]\", plane = ";
  return "gravity = [0, -10]\n[bodies.b]\ncount = " + n +
         "\nmass = 1\nshape = { disc = 0.2 }\nposition = " + positions + "\n[contacts]\nf = " + all +
         "{ normal = [0, 1] } }\nl = " + all + "{ normal = [1, 0] } }\nr = " + all +
         "{ normal = [-1, 0], offset = -1.2 } }\nc = { for = \"i = 1.." + std::to_string(count - 1) + ", j = i+1.." +
         n + "\", between = [\"b[i]\", \"b[j]\"] }\n";
}

TEST(DiscsThatFillTheirBox, come_down_to_its_floor) {
  const Ran ran = in_steps(filled("[[0.2, 0.3], [0.6, 0.4], [1.0, 0.5]]", 3), 1e-3, 0.8);
  ASSERT_EQ(ran.status(), Status::finished);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(ran.position()[3 * i + 1], 0.2, 1e-9);
  for (int i = 1; i <= 3; ++i) EXPECT_NEAR(ran.multiplier("f[" + std::to_string(i) + "]"), 10, 1e-6);
  EXPECT_LE(ran.track.account.penetration, 1e-9);
}

TEST(DiscsThatFillTheirBox, are_no_jam) {
  const std::string text = filled("[[0.3, 0.3], [0.75, 0.4], [0.4, 1], [0.8, 1.3]]", 4);
  const Ran ran = in_steps(text, 2.5e-4, 0.8);
  ASSERT_EQ(ran.status(), Status::finished) << ran.track.account.why;
  EXPECT_LT(apart(ran, by_events(text, 0.8)), 2 * ran.track.account.error);
}

}  // namespace
}  // namespace zwang::stepping::truth_tests
