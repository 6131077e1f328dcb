/// Alternatives in steps: the one that holds is chosen where it holds, and as the motion from event to event chooses it.
#include <gtest/gtest.h>

#include "steps.hpp"

namespace zwang::stepping::alternatives_tests {
namespace {

using motion::Status;

/// Both methods, the distance of their ends, and that the error said is no smaller than it.
void expect_together(const std::string& text, double step, double until, double within) {
  const Ran steps = in_steps(text, step, until);
  const Ran exact = by_events(text, until);
  ASSERT_EQ(exact.status(), Status::finished);
  ASSERT_EQ(steps.status(), Status::finished) << steps.track.account.why;
  EXPECT_LT(apart(steps, exact), within);
  EXPECT_LE(apart(steps, exact), 2 * steps.track.account.error + 1e-9);
}

TEST(PegPendulum, wraps_its_rope_without_a_shock) {
  // The rope goes from one part of the `or` to the other where both are taut.
  const std::string text = R"toml(
gravity = [0, -9.81]
[points.a]
mass = 1
position = ["sin(1)", "-cos(1)"]
[constraints]
rope = "distance(a, [0, 0]) <= 1"
wrapped = "a.x >= 0 or 0.5 + distance(a, [0, -0.5]) <= 1"
)toml";
  for (const double step : {4e-3, 1e-3, 2.5e-4}) {
    const Ran ran = in_steps(text, step, 3);
    ASSERT_EQ(ran.status(), Status::finished);
    EXPECT_LT(apart(ran, by_events(text, 3)), 10 * step);
    EXPECT_LT(ran.track.account.energy.lost, 10 * step);
  }
}

TEST(FlushTiles, are_no_steps_for_what_slides_over_them) {
  const std::string text = R"toml(
gravity = [0, -9.81]
[bodies.tile]
count = 4
mass = 1
shape = { box = [1, 1] }
position = ["i", -0.5]
[joints]
w = { for = "i = 1..4", weld = [["i", -0.5], "tile[i]"] }
[bodies.b]
mass = 1
shape = { box = [0.4, 0.2] }
position = [1, HEIGHT]
velocity = [1, 0]
[contacts]
c = { for = "i = 1..4", between = ["b", "tile[i]"] }
)toml";
  const auto from = [&](const std::string& height) {
    std::string out = text;
    return out.replace(out.find("HEIGHT"), 6, height);
  };
  const Ran slides = in_steps(from("0.1"), 1e-3, 2.5);
  ASSERT_EQ(slides.status(), Status::finished);
  EXPECT_NEAR(slides.position()[12], 3.5, 1e-9);
  EXPECT_NEAR(slides.velocity()[12], 1, 1e-9);
  EXPECT_NEAR(slides.track.account.energy.lost, 0, 1e-9);
  // Dropped, so that it comes down on the tiles in the step in which it passes from one to the next: it loses the fall alone.
  for (const char* fall : {"0.1003", "0.101", "0.15"}) {
    const Ran falls = in_steps(from(fall), 1e-2, 2.5);
    ASSERT_EQ(falls.status(), Status::finished);
    EXPECT_NEAR(falls.velocity()[12], 1, 1e-9) << fall;
    EXPECT_NEAR(falls.track.account.energy.lost, 9.81 * (std::stod(fall) - 0.1), 1e-6) << fall;
  }
}

TEST(BoxesFacesInOneLine, pass_each_other) {
  const std::string text = R"toml(
[bodies.a]
mass = 1
shape = { box = [1, 1] }
position = [0, 0]
velocity = [1, 0]
[bodies.b]
mass = 1
shape = { box = [1, 1] }
position = [1.5, 1]
[contacts]
c = { between = ["a", "b"] }
)toml";
  const Ran ran = in_steps(text, 1e-3, 5);
  ASSERT_EQ(ran.status(), Status::finished);
  EXPECT_NEAR(ran.position()[0], 5, 1e-9);
  EXPECT_NEAR(ran.position()[3], 1.5, 1e-9);
  EXPECT_NEAR(ran.track.account.energy.lost, 0, 1e-12);
}

TEST(BlockOnAWedge, slides_off_its_tip) {
  // Nothing holds a smooth wedge that is free: the block does not hang on its tip.
  expect_together(R"toml(
gravity = [0, -9.81]
[bodies.w]
mass = 2
inertia = 1
shape = { polygon = [[0, 0], [2, 0], [2, 1]] }
position = [1.3333333333333333, 0.3333333333333333]
[bodies.b]
mass = 1
shape = { box = [0.4, 0.2] }
position = ["1 - 0.1*sin(atan(0.5))", "0.5 + 0.1*cos(atan(0.5))"]
orientation = "atan(0.5)"
[contacts]
fl = { body = "w", plane = { normal = [0, 1], offset = 0 } }
fl2 = { body = "b", plane = { normal = [0, 1], offset = -1e-3 } }
wb = { between = ["w", "b"] }
)toml",
                  1e-3, 3, 0.03);
}

TEST(HalvesOfAnArch, close_tip_to_tip_and_do_not_enter_each_other) {
  // Which tip slides along the other half nothing decides: from event to event the motion ends there, and steps lead to one of both.
  const std::string text = R"toml(
gravity = [0, -9.81]
[bodies.l]
mass = 1
shape = { polygon = [[-1.2, 0], [-0.9, 0], [0, 0.9], [0, 1.2]] }
position = [-0.55, 0.55]
[bodies.r]
mass = 1
shape = { polygon = [[1.2, 0], [0, 1.2], [0, 0.9], [0.9, 0]] }
position = [0.55, 0.55]
[contacts]
f = { body = "l", plane = { normal = [0, 1], offset = 0 } }
g = { body = "r", plane = { normal = [0, 1], offset = 0 } }
lr = { between = ["l", "r"] }
wl = { body = "l", plane = { normal = [1, 0], offset = -1.3 } }
wr = { body = "r", plane = { normal = [-1, 0], offset = -1.3 } }
)toml";
  const Ran exact = by_events(text, 2);
  EXPECT_EQ(exact.status(), Status::singular);
  const Ran before = in_steps(text, 1e-3, 0.1);
  ASSERT_EQ(before.status(), Status::finished);
  EXPECT_LT(apart(before, by_events(text, 0.1)), 1e-4);
  const Ran steps = in_steps(text, 1e-3, 2);
  EXPECT_TRUE(steps.status() == Status::finished || steps.status() == Status::gave_up);
  EXPECT_LT(steps.track.account.penetration, 1e-5);
}

TEST(PlankOnATip, slides_down_to_the_floor_whatever_the_step) {
  const std::string text = R"toml(
gravity = [0, -9.81]
[bodies.a]
mass = 1
shape = { polygon = [[-1, 0], [1, 0], [0, 1]] }
position = [0, 0.33333333333333333]
[bodies.b]
mass = 1
shape = { box = [2, 0.2] }
position = [0.05, 1.1]
[joints]
w = { weld = [[0, 0.33333333333333333], "a"] }
[contacts]
f = { body = "b", plane = { normal = [0, 1], offset = 0 } }
c = { between = ["a", "b"] }
)toml";
  const Ran coarse = in_steps(text, 1e-3, 2);
  const Ran fine = in_steps(text, 1e-4, 2);
  ASSERT_EQ(coarse.status(), Status::finished) << coarse.track.account.why;
  ASSERT_EQ(fine.status(), Status::finished) << fine.track.account.why;
  EXPECT_LT(apart(coarse, fine), 2e-3);
  EXPECT_NEAR(fine.position()[4], 0.1, 1e-9);
}

TEST(CornersThatSlideOffOneAnother, strike_nothing_at_any_step) {
  // A corner leaves the tip of the other at t = 0.5829: the gap behind it opens without a blow.
  const std::string text = R"toml(
gravity=[0,-9.81]
[bodies.b0]
mass=0.9174894558625751
shape={polygon=[[0.6584891427155062, 0.23747010111969394], [-0.2911015747035904, 0.6366002459982951], [-0.37407253637138616, -0.5916669143468121], [0.6955137606438409, -0.07912400871456185]]}
position=[-0.327592421856136,1.2]
orientation=4.063674087213048
velocity=[-0.17481210251006019,-0.12114901856435356]
spin=-2.0229565705655066
[bodies.b1]
mass=1.0163230850419769
shape={polygon=[[0.08272897560204975, 0.6950941782203585], [-0.6621131571189316, 0.22716990815246849], [0.03915510112562552, -0.6989040549716692], [0.3175235880854527, -0.6238419439323871]]}
position=[0.36619677447555066,3.2]
orientation=1.3686761808437704
velocity=[-0.7119670349450202,-0.935732174625779]
spin=1.3785528001486709
[contacts]
f0={body="b0",plane={normal=[0,1],offset=0},restitution=0}
f1={body="b1",plane={normal=[0,1],offset=0},restitution=0}
c={between=["b0","b1"],restitution=0}
)toml";
  for (const double step : {1e-3, 5e-4, 2.5e-4}) {
    const Ran before = in_steps(text, step, 0.57);
    const Ran behind = in_steps(text, step, 0.6);
    ASSERT_EQ(behind.status(), Status::finished);
    EXPECT_NEAR(behind.track.account.energy.lost, before.track.account.energy.lost, 1e-3) << step;
  }
}

TEST(BallInACorner, is_reflected_by_the_side_of_the_lesser_blow) {
  const Ran ran = in_steps(R"toml(
[points.a]
mass = 1
position = [0.1, 0.22]
velocity = [1, 0.7]
[constraints]
l = { condition = "a.x <= 0.5 or a.y <= 0.5", restitution = 1 }
)toml",
                           1e-3, 0.5);
  ASSERT_EQ(ran.status(), Status::finished);
  EXPECT_NEAR(ran.velocity()[0], 1, 1e-12);
  EXPECT_NEAR(ran.velocity()[1], -0.7, 1e-12);
}

TEST(BallInACorner, which_blow_nothing_decides_ends_the_run) {
  const Ran ran = in_steps(R"toml(
[points.a]
mass = 1
position = [0.1, 0.1]
velocity = [1, 1]
[constraints]
l = { condition = "a.x <= 0.5 or a.y <= 0.5", restitution = 1 }
)toml",
                           1e-3, 0.5);
  EXPECT_EQ(ran.status(), Status::gave_up);
  EXPECT_NE(ran.track.account.why.find("several alternatives of l"), std::string::npos) << ran.track.account.why;
}

TEST(BoxesInSpace, that_are_apart_start) {
  expect_together(R"toml(
[bodies.a]
mass = 1
shape = { box = [1, 1, 1] }
position = [0, 0, 0]
velocity = [1, 0, 0]
[bodies.b]
mass = 1
shape = { box = [1, 1, 1] }
position = [2, 0, 0]
orientation = { axis = [1, 2, 3], angle = 0.7 }
[contacts]
c = { between = ["a", "b"], restitution = 0.5 }
)toml",
                  5e-3, 1, 0.02);
}

TEST(Lift, whose_height_is_a_table_jerks_and_loses_by_it) {
  const std::string text = R"toml(
gravity = [0, -9.81]
[points.bob]
mass = 1
position = ["sin(0.4)", "-cos(0.4)"]
[constraints]
rod = "distance(bob, [0, 0.5*table(t, [0, 1.0003, 2, 3], [0, 1, 4, 6])]) = 1"
)toml";
  const Ran steps = in_steps(text, 1e-3, 5);
  const Ran exact = by_events(text, 5);
  ASSERT_EQ(steps.status(), Status::finished) << steps.track.account.why;
  EXPECT_LT(apart(steps, exact), 2e-5);
  EXPECT_NEAR(steps.track.account.energy.lost, exact.track.account.energy.lost, 1e-3);
  // A jerk between two ends of steps is shared out between both speeds: the work is of first order.
  EXPECT_NEAR(steps.track.account.energy.work, exact.track.account.energy.work, 5e-3);
  EXPECT_LE(apart(steps, exact), 2 * steps.track.account.error + 1e-9);
}

}  // namespace
}  // namespace zwang::stepping::alternatives_tests
