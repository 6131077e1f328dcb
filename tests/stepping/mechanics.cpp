/// What is known of motions, by steps.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "steps.hpp"
#include "zwang/stepping/course.hpp"

namespace zwang::stepping::mechanics_tests {
namespace {

using motion::Status;

constexpr double depth = 1e-9;  ///< what penetration is promised to stay below

const std::string ball = R"toml(
gravity = [0, -10]
[points.a]
mass = 2
position = [0, 1.25]
velocity = [1, 0]
[constraints]
floor = { condition = "a.y >= 0", restitution = 0.8 }
)toml";

/// Height of the ball: it falls for 0.5 s, meets the floor with 5 m/s and leaves with 4, 3.2, ...
double height(double t) {
  double start = 0.5;
  double speed = 4;
  if (t < start) return 1.25 - 5 * t * t;
  while (t > start + 2 * speed / 10) {
    start += 2 * speed / 10;
    speed *= 0.8;
  }
  return speed * (t - start) - 5 * (t - start) * (t - start);
}

TEST(BallInSteps, comes_to_the_exact_heights_with_the_first_order) {
  // Every shock comes late by at most a step, after which the ball is off by at most that times the jump of its velocity.
  for (const double t : {0.9, 1.7, 2.35}) {
    for (const double step : {1e-2, 1e-3, 1e-4}) {
      const Ran ran = in_steps(ball, step, t);
      ASSERT_EQ(ran.status(), Status::finished);
      EXPECT_NEAR(ran.position()[1], height(t), (9 + 7.2 + 5.76 + 4.6) * step) << t << " " << step;
      EXPECT_NEAR(ran.position()[0], t, 1e-15 * t / step);  // the rounding of as many sums
      EXPECT_LE(ran.track.account.penetration, depth);
    }
  }
}

TEST(BallInSteps, falls_exactly) {
  // Without a shock the middle of the step is all that matters: a parabola is exact.
  const Ran ran = in_steps(ball, 1e-2, 0.4);
  EXPECT_NEAR(ran.position()[1], height(0.4), 1e-13);
  EXPECT_NEAR(ran.velocity()[1], -4, 1e-13);
  EXPECT_NEAR(ran.track.account.error, 0, 1e-12);
}

TEST(BallInSteps, comes_to_rest_and_is_carried) {
  // The bounces add up to 0.5 + 2 * 0.4 / (1 - 0.8) = 4.5 s.
  const Ran ran = in_steps(ball, 1e-3, 6);
  ASSERT_EQ(ran.status(), Status::finished);
  EXPECT_NEAR(ran.position()[1], 0, depth);
  EXPECT_NEAR(ran.velocity()[1], 0, 1e-12);
  EXPECT_NEAR(ran.multiplier("floor"), 20, 1e-9);
  EXPECT_NEAR(ran.track.account.energy.final, 1, 1e-9);
}

TEST(BallInSteps, keeps_account_of_what_is_lost) {
  const motion::EnergyBalance coarse = in_steps(ball, 1e-3, 6).track.account.energy;
  const motion::EnergyBalance fine = in_steps(ball, 1e-4, 6).track.account.energy;
  EXPECT_NEAR(coarse.initial, 26, 1e-12);
  // What gravity did below the floor is taken back: the account closes.
  EXPECT_NEAR(coarse.lost, 25, 1e-9);
  EXPECT_NEAR(fine.lost, 25, 1e-9);
  EXPECT_NEAR(coarse.defect(), 0, 1e-9);
}

const std::string pendulum = R"toml(
gravity = [0, 0, -9.81]
[parameters]
o = [0, 0, 0]
[points.a]
mass = 1
position = [1, 0, 0]
[constraints]
rod = "distance(a, o) = 1"
)toml";

TEST(PendulumInSteps, keeps_its_energy_with_the_second_order) {
  // Released at rest from the horizontal; the defect is that of a scheme symmetric in time: it swings, and falls by four with half the step.
  const double coarse = std::abs(in_steps(pendulum, 4e-3, 10).track.account.energy.defect());
  const double fine = std::abs(in_steps(pendulum, 2e-3, 10).track.account.energy.defect());
  EXPECT_LT(coarse, 2e-3);
  EXPECT_LT(fine, coarse / 3);
  // Ten times as long it is not ten times as large.
  EXPECT_LT(std::abs(in_steps(pendulum, 4e-3, 100).track.account.energy.defect()), 4 * coarse);
}

TEST(PendulumInSteps, comes_to_the_motion_by_events_with_the_second_order) {
  const Ran exact = by_events(pendulum, 3);
  const double coarse = apart(in_steps(pendulum, 4e-3, 3), exact);
  const double fine = apart(in_steps(pendulum, 2e-3, 3), exact);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_LT(fine, coarse / 3);
  const Ran last = in_steps(pendulum, 2e-3, 3);
  EXPECT_GT(last.track.account.error, fine);
  EXPECT_LT(last.track.account.error, 4 * fine);
  EXPECT_LE(last.track.account.penetration, depth);
}

std::string chain(int links) {
  return R"toml(
gravity = [0, 0, -9.81]
[parameters]
o = [0, 0, 0]
[points.b]
count = )toml" +
         std::to_string(links) + R"toml(
mass = 1
position = ["i", 0, 0]
[constraints]
first = "distance(b[1], o) = 1"
link = { for = "i = 1..)toml" +
         std::to_string(links - 1) + R"toml(", condition = "distance(b[i], b[i+1]) = 1" }
)toml";
}

TEST(ChainInSteps, is_held_and_comes_to_the_motion_by_events) {
  const Ran exact = by_events(chain(5), 1);
  const Ran coarse = in_steps(chain(5), 2e-3, 1);
  const Ran fine = in_steps(chain(5), 1e-3, 1);
  EXPECT_LE(fine.track.account.penetration, depth);
  EXPECT_LT(apart(fine, exact), 1e-3);
  EXPECT_LT(apart(fine, exact), apart(coarse, exact) / 3);
}

TEST(StackInSteps, rests_with_forces_equal_to_the_weights) {
  const Ran ran = in_steps(R"toml(
gravity = [0, -10]
[points.b]
count = 20
mass = 1.5
position = [0, "i - 0.5"]
[constraints]
floor = "b[1].y >= 0.5"
wall = { for = "i = 1..20", condition = "b[i].x = 0" }
apart = { for = "i = 1..19", condition = "distance(b[i], b[i+1]) >= 1" }
)toml",
                           1e-3, 0.5);
  ASSERT_EQ(ran.status(), Status::finished);
  EXPECT_LE(ran.track.account.penetration, depth);
  EXPECT_NEAR(ran.multiplier("floor"), 20 * 15, 1e-9);
  for (int i = 1; i < 20; ++i) EXPECT_NEAR(ran.multiplier("apart[" + std::to_string(i) + "]"), (20 - i) * 15, 1e-9);
  for (int i = 1; i <= 20; ++i) EXPECT_NEAR(ran.position()[static_cast<std::size_t>(2 * i - 1)], i - 0.5, depth);
  EXPECT_NEAR(ran.track.account.energy.lost, 0, 1e-12);
}

/// Three rows of three discs in a box, the floor through the origin: at rest where those of a row touch (w = 1), sagging where they are a little apart.
std::string pile(const char* w) {
  return "gravity = [0, -10]\n[parameters]\nw = " + std::string(w) + R"toml(
[points.b]
count = 9
mass = 1
position = ["w*mod(i - 1, 3) + 0.5*w*mod(floor((i - 1)/3), 2)", "floor((i - 1)/3)*sqrt(1 - w^2/4)"]
[constraints]
low = { for = "i = 1..9", condition = "b[i].y >= 0" }
left = { for = "i = 1..9", condition = "b[i].x >= 0" }
right = { for = "i = 1..9", condition = "b[i].x <= 2.5*w" }
apart = { for = "i = 1..9, j = i+1..9", condition = "distance(b[i], b[j]) >= 1" }
)toml";
}

TEST(PileInSteps, lies_on_a_floor_through_the_origin) {
  const Ran ran = in_steps(pile("1"), 1e-3, 0.1);
  ASSERT_EQ(ran.status(), Status::finished) << ran.track.account.why;
  EXPECT_LE(ran.track.account.penetration, depth);
  double carried = 0;
  for (int i = 1; i <= 3; ++i) carried += ran.multiplier("low[" + std::to_string(i) + "]");
  EXPECT_NEAR(carried, 90, 1e-9);
  EXPECT_NEAR(ran.position()[17], std::sqrt(3), 1e-12);
  EXPECT_NEAR(ran.track.account.energy.lost, 0, 1e-12);
}

/// Twenty rows of twenty that touch all around: far more contacts than there are ways to move, so that forces are shared in many ways.
constexpr const char* dense_pile = R"toml(
gravity = [0, -10]
[parameters]
m = 20
[points.b]
count = "m^2"
mass = 1
position = ["mod(i - 1, m) + 0.5*mod(floor((i - 1)/m), 2)", "floor((i - 1)/m)*sqrt(3)/2"]
[constraints]
low = { for = "i = 1..m^2", condition = "b[i].y >= 0" }
left = { for = "i = 1..m^2", condition = "b[i].x >= 0" }
right = { for = "i = 1..m^2", condition = "b[i].x <= m - 0.5" }
beside = { for = "r = 1..m, c = 1..m-1", condition = "distance(b[(r-1)*m + c], b[(r-1)*m + c + 1]) >= 1" }
above = { for = "r = 1..m-1, c = 1..m", condition = "distance(b[(r-1)*m + c], b[r*m + c]) >= 1" }
odd = { for = "r = 1..m/2-1, c = 1..m-1", condition = "distance(b[(2*r-1)*m + c], b[2*r*m + c + 1]) >= 1" }
even = { for = "r = 1..m/2, c = 2..m", condition = "distance(b[(2*r-2)*m + c], b[(2*r-1)*m + c - 1]) >= 1" }
)toml";

TEST(PileInSteps, that_touches_all_around_rests_and_is_carried) {
  const model::Model model = model::load(with_method(dense_pile, 1e-3, 0.004), "model.toml");
  Stepping whole = begin(model);
  ASSERT_TRUE(advance(whole));
  Stepping rest = restore(model, {}, save(whole));
  while (advance(whole)) {
  }
  while (advance(rest)) {
  }
  EXPECT_EQ(save(rest), save(whole));
  ASSERT_EQ(whole.motion.status, Status::finished) << whole.motion.why;
  for (std::size_t i = 0; i < model.variables; ++i) {
    EXPECT_NEAR(whole.motion.state.position[i], model.initial_position[i], 1e-11);
    EXPECT_NEAR(whole.motion.state.velocity[i], 0, 1e-11);
  }
  double carried = 0;
  for (std::size_t j = 0; j < whole.motion.held.size(); ++j) {
    EXPECT_GE(whole.motion.multipliers[j], 0);
    const std::uint32_t row = whole.motion.held[j];
    if (model.conditions[model.row_condition[row]].name == "low") carried += whole.motion.multipliers[j];
  }
  EXPECT_NEAR(carried, 4000, 1e-7);
}

TEST(LoadInSteps, that_goes_on_from_bead_to_bead_takes_few_rounds) {
  // Beads in a row that touch, the first struck: v_k <= v_k+1. The rows that are broken come one after the other.
  constexpr std::uint32_t beads = 600;
  linear::Mass mass(std::vector<double>(beads, 1.0));
  ASSERT_TRUE(mass.factor());
  std::vector<double> velocity(beads, 0.0);
  velocity[0] = beads;
  Selection rows;
  for (std::uint32_t k = 0; k + 1 < beads; ++k) {
    rows.row.push_back(k);
    rows.column.insert(rows.column.end(), {k, k + 1});
    rows.entry.insert(rows.entry.end(), {1.0, -1.0});
    rows.start.push_back(static_cast<std::uint32_t>(rows.column.size()));
    rows.h.push_back(0);
    rows.kind.push_back(gauss::RowKind::inequality);
    rows.held.push_back(0);
    rows.guess.push_back(0);
  }
  Nearest nearest;
  ASSERT_EQ(nearest.solve(rows, mass, velocity), gauss::Status::solved);
  for (const double v : nearest.point()) EXPECT_NEAR(v, 1, 1e-11);
  for (const std::uint8_t held : rows.held) EXPECT_EQ(held, 1);
  EXPECT_LE(nearest.rounds(), 20U);
}

TEST(HubInSteps, with_many_strings_costs_what_they_cost) {
  // A hub of mass 3 that is jerked on by beads all around: strings x_k + y_k along (c, s), (v_k - v_hub) . (c, s) <= 0.
  constexpr std::uint32_t strings = 600;
  std::vector<double> masses(2 + 2 * strings, 1.0), velocity(2 + 2 * strings, 0.0);
  masses[0] = masses[1] = 3;
  linear::Mass mass(masses);
  ASSERT_TRUE(mass.factor());
  Selection rows;
  for (std::uint32_t k = 0; k < strings; ++k) {
    const double c = std::cos(0.7 * k), s = std::sin(0.7 * k);
    rows.row.push_back(k);
    rows.column.insert(rows.column.end(), {0, 1, 2 + 2 * k, 3 + 2 * k});
    rows.entry.insert(rows.entry.end(), {-c, -s, c, s});
    rows.start.push_back(static_cast<std::uint32_t>(rows.column.size()));
    rows.h.push_back(0);
    rows.kind.push_back(gauss::RowKind::inequality);
    rows.held.push_back(1);
    rows.guess.push_back(0);
    velocity[2 + 2 * k] = (k % 2 == 0 ? 1 + 0.3 * s : -1) * c;
    velocity[3 + 2 * k] = (k % 2 == 0 ? 1 + 0.3 * s : -1) * s;
  }
  Nearest nearest;
  ASSERT_EQ(nearest.solve(rows, mass, velocity), gauss::Status::solved);
  const gauss::Problem problem{&mass, velocity, rows.start, rows.column, rows.entry, rows.h, rows.kind};
  std::vector<double> scratch;
  ASSERT_EQ(nearest.point().size(), velocity.size());
  ASSERT_EQ(nearest.impulses().size(), rows.size());
  EXPECT_TRUE(gauss::certified(gauss::verify(problem, nearest.point(), nearest.impulses(), scratch)));
  for (std::uint32_t k = 0; k < strings; ++k) EXPECT_EQ(rows.held[k] != 0, k % 2 == 0);

  // Corrections change the rows held by as much as is asked, and the hub by what its strings make.
  std::vector<double> right(strings, 0.0), change(velocity.size(), 0.0);
  for (std::uint32_t k = 0; k < strings; k += 2) right[k] = 1e-3;
  nearest.correct(right, change);
  for (std::uint32_t k = 0; k < strings; k += 2) {
    double by = 0;
    for (std::uint32_t e = rows.start[k]; e < rows.start[k + 1]; ++e) by += rows.entry[e] * change[rows.column[e]];
    EXPECT_NEAR(by, -1e-3, 1e-14);
  }
  // Full factors of 300 rows would be millions of products each.
  EXPECT_LE(nearest.products(), 2'000'000U);
}

TEST(PileInSteps, at_rest_has_no_velocities_to_correct) {
  const model::Model model = model::load(with_method(dense_pile, 1e-3, 1), "model.toml");
  Course course(model, model.simulation.until, model.simulation.step);
  course.begin();
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(course.go());
  EXPECT_EQ(course.velocity_corrections(), 0U);
}

TEST(PileInSteps, that_sags_stays_out_of_the_floor) {
  const Ran ran = in_steps(pile("1.01"), 1e-3, 0.2);
  ASSERT_EQ(ran.status(), Status::finished) << ran.track.account.why;
  EXPECT_LE(ran.track.account.penetration, depth);
  EXPECT_LT(ran.position()[17], 2 * std::sqrt(1 - 0.505 * 0.505) - 1e-4);
}

TEST(SkateInSteps, keeps_its_edge_and_goes_the_way_of_a_cycloid) {
  // Caratheodory's skate on a slope g sin: a' = w, v = (g/w) sin(w t) along the edge; x = (g / 2 w^2) sin^2(w t), y = (g / 2 w^2)(w t - sin(2 w t) / 2).
  const std::string skate = R"toml(
[coordinates.x]
[coordinates.y]
[coordinates.a]
velocity = 1.5
[energy]
kinetic = "(x'^2 + y'^2 + a'^2)/2"
potential = "-2*x"
[constraints]
edge = "x'*sin(a) - y'*cos(a) = 0"
)toml";
  std::string begun = skate;
  for (const char* name : {"[coordinates.x]\n", "[coordinates.y]\n", "[coordinates.a]\n"}) {
    begun.insert(begun.find(name) + std::string(name).size(), "initial = 0\n");
  }
  const double w = 1.5;
  const auto off = [&](double step, double t) {
    const Ran ran = in_steps(begun, step, t);
    const double k = 2 / (2 * w * w);
    return std::max(std::abs(ran.position()[0] - k * std::pow(std::sin(w * t), 2)),
                    std::abs(ran.position()[1] - k * (w * t - std::sin(2 * w * t) / 2)));
  };
  EXPECT_LT(off(1e-3, 4), 1e-5);
  EXPECT_LT(off(1e-3, 4), off(2e-3, 4) / 3);
}

TEST(FloorThatMovesInSteps, carries_and_throws) {
  // y = A sin(w t) with A w^2 = 14.4 > g: the body is thrown off where A w^2 sin(w t) = g, and flies.
  const std::string text = R"toml(
gravity = [0, -10]
[points.a]
mass = 2
position = [0, 0]
velocity = [0, 1.2]
[constraints]
floor = "a.y >= 0.1*sin(12*t)"
)toml";
  const double leaves = std::asin(10 / 14.4) / 12;
  const auto flight = [&](double t) {
    const double s = t - leaves;
    return 0.1 * std::sin(12 * leaves) + 1.2 * std::cos(12 * leaves) * s - 5 * s * s;
  };
  EXPECT_NEAR(in_steps(text, 1e-3, 0.04).position()[1], 0.1 * std::sin(12 * 0.04), depth);
  EXPECT_NEAR(in_steps(text, 1e-3, 0.2).position()[1], flight(0.2), 1e-4);
  EXPECT_NEAR(in_steps(text, 1e-4, 0.2).position()[1], flight(0.2), 1e-5);
  // While it is carried the floor does the work.
  const motion::EnergyBalance energy = in_steps(text, 1e-4, 0.04).track.account.energy;
  EXPECT_NEAR(energy.defect(), 0, 1e-4 * energy.initial);
}

TEST(BowlInSteps, loses_nothing_by_its_curvature) {
  // A bead inside of a circle stays in touch where it is fast enough, without a shock.
  const std::string text = R"toml(
gravity = [0, -10]
[parameters]
o = [0, 0]
[points.a]
mass = 1
position = [0, -1]
velocity = [8, 0]
[constraints]
bowl = "distance(a, o) <= 1"
)toml";
  const Ran ran = in_steps(text, 1e-3, 3);
  EXPECT_NEAR(ran.track.account.energy.final, 22, 1e-3);
  EXPECT_NEAR(ran.track.account.energy.lost, 0, 1e-6);
  EXPECT_NEAR(std::hypot(ran.position()[0], ran.position()[1]), 1, depth);
}

TEST(HillInSteps, is_left_where_gravity_no_longer_holds) {
  // From rest at the top of a sphere: it leaves at cos(angle) = 2/3, here counted from the start with a small speed v: cos = 2/3 + v^2 / (3 g r).
  const std::string text = R"toml(
gravity = [0, -10]
[parameters]
o = [0, 0]
[points.a]
mass = 1
position = [0, 1]
velocity = [0.5, 0]
[constraints]
hill = "distance(a, o) >= 1"
[simulation]
method = "stepping"
step = 1e-4
until = 3
stop = "a.x^2 + a.y^2 >= 1 + 1e-7"
)toml";
  const Ran ran = run(text);
  ASSERT_EQ(ran.status(), Status::stopped);
  // Seen when it is 5e-8 above: in free flight off a circle the distance grows with the third power of the way.
  EXPECT_NEAR(ran.position()[1], 2.0 / 3 + 0.25 / 30, 5e-3);
}

TEST(BlowInSteps, acts_at_its_time_on_what_holds) {
  const Ran ran = in_steps(R"toml(
[parameters]
o = [0, 0]
[points.a]
mass = 2
position = [1, 0]
[constraints]
rod = "distance(a, o) = 1"
[[impulses]]
at = 0.5
on = "a"
value = [3, 4]
)toml",
                           1e-3, 0.5 + std::numbers::pi / 4);
  // Along the rod nothing comes of it; across it 2 m/s, half a turn in pi/2.
  EXPECT_NEAR(ran.position()[0], std::cos(std::numbers::pi / 2), 1e-5);
  EXPECT_NEAR(ran.position()[1], std::sin(std::numbers::pi / 2), 1e-5);
  EXPECT_NEAR(ran.track.account.energy.work, (9 + 16) / 4.0, 1e-9);
  EXPECT_NEAR(ran.track.account.energy.lost, 9 / 4.0, 1e-9);
}

TEST(SeizureAndReleaseInSteps, hold_and_let_go) {
  const std::string text = R"toml(
gravity = [0, -10]
[points.a]
mass = 1
position = [0, 0]
velocity = [1, 0]
[constraints]
table = "a.y >= 0"
[[seizures]]
name = "hook"
at = 0.5
condition = "a' = [0, 0]"
[[releases]]
constraint = "table"
at = 0.25
[[releases]]
constraint = "hook"
at = 0.75
)toml";
  const Ran held = in_steps(text, 1e-3, 0.75);
  EXPECT_NEAR(held.position()[0], 0.5, 1e-9);
  EXPECT_NEAR(held.position()[1], -5 * 0.25 * 0.25, 1e-9);
  EXPECT_NEAR(held.multiplier("hook.y"), -10, 1e-9);
  const Ran free = in_steps(text, 1e-3, 1);
  EXPECT_NEAR(free.position()[0], 0.5, 1e-9);
  EXPECT_NEAR(free.position()[1], -10 * 0.25 * 0.25, 1e-9);
}

TEST(StairInSteps, holds_where_one_of_its_parts_does) {
  // Over the step, off its edge at x = 1, down to the floor.
  const std::string text = R"toml(
gravity = [0, -10]
[points.a]
mass = 1
position = [0, 2.2]
velocity = [1, 0]
[constraints]
floor = "a.y >= 0"
stair = "a.x <= -1 or a.y >= 2 or a.x >= 1"
)toml";
  EXPECT_NEAR(in_steps(text, 1e-3, 0.9).position()[1], 2, depth);
  EXPECT_NEAR(in_steps(text, 1e-3, 1.3).position()[1], 2 - 5 * 0.3 * 0.3, 2e-2);
  EXPECT_NEAR(in_steps(text, 1e-3, 3).position()[1], 0, depth);
  // From the side it is a wall.
  std::string side = text;
  side.replace(side.find("[0, 2.2]"), 8, "[2, 0]  ");
  side.replace(side.find("[1, 0]"), 6, "[-1, 0]");
  EXPECT_NEAR(in_steps(side, 1e-3, 3).position()[0], 1, depth);
}

TEST(BoxInSteps, falls_tumbles_and_lies) {
  const Ran ran = in_steps(R"toml(
gravity = [0, 0, -10]
[bodies.b]
shape = { box = [1, 0.6, 0.4] }
mass = 2
position = [0, 0, 1]
spin = [1, 2, 0.5]
[contacts]
floor = { body = "b", plane = { normal = [0, 0, 1], offset = 0 }, restitution = 0.3 }
)toml",
                           1e-3, 3);
  ASSERT_EQ(ran.status(), Status::finished);
  EXPECT_LE(ran.track.account.penetration, depth);
  // On one of its faces.
  const double z = ran.position()[2];
  EXPECT_LT(std::min({std::abs(z - 0.2), std::abs(z - 0.3), std::abs(z - 0.5)}), 1e-6);
  double carried = 0;
  for (const double lambda : ran.track.account.present.multipliers) carried += lambda;
  EXPECT_NEAR(carried, 20, 1e-6);
}

TEST(ForceInSteps, does_its_work) {
  // A damped oscillator: x = exp(-t/2) (cos(w t) + sin(w t) / (2 w)), w^2 = 4 - 1/4.
  const std::string text = R"toml(
[points.a]
mass = 1
position = [1, 0]
force = ["-4*a.x - a.x'", 0]
)toml";
  const double w = std::sqrt(3.75);
  const double x = std::exp(-1.0) * (std::cos(2 * w) + std::sin(2 * w) / (2 * w));
  const Ran coarse = in_steps(text, 2e-3, 2);
  const Ran fine = in_steps(text, 1e-3, 2);
  EXPECT_NEAR(fine.position()[0], x, 1e-6);
  EXPECT_LT(std::abs(fine.position()[0] - x), std::abs(coarse.position()[0] - x) / 3);
  EXPECT_NEAR(fine.track.account.energy.defect(), 0, 1e-6);
}

TEST(StepsOfARun, are_as_many_as_fit_and_the_last_is_shorter) {
  EXPECT_EQ(in_steps(ball, 1e-2, 0.4).track.account.steps, 40U);
  EXPECT_EQ(in_steps(ball, 0.1, 0.3).track.account.steps, 3U);
  const Ran ran = in_steps(ball, 0.03, 0.1);
  EXPECT_EQ(ran.track.account.steps, 4U);
  EXPECT_EQ(ran.track.account.present.state.time, 0.1);
  EXPECT_NEAR(ran.track.pieces.back().length, 0.01, 1e-12);
}

TEST(ContradictionInSteps, is_a_jam_with_its_conditions) {
  // A wall that moves against a body that another one keeps.
  const Ran ran = in_steps(R"toml(
[points.a]
mass = 1
position = [0.5, 0]
[constraints]
wall = "a.x <= 1"
piston = "a.x >= t"
)toml",
                           1e-3, 2);
  EXPECT_EQ(ran.status(), Status::jammed);
  EXPECT_NEAR(ran.track.account.present.state.time, 1, 2e-3);
  EXPECT_EQ(ran.track.account.culprits, (std::vector<std::string>{"wall", "piston"}));
}

TEST(StepThatIsTooLong, does_not_pass_through_a_body) {
  // At 50 m/s a disc of 0.1 m would be behind the other one after a step of 0.01 s.
  const std::string text = R"toml(
[points.a]
mass = 1
position = [0.1, 0]
velocity = [50, 0]
[points.b]
mass = 1
position = [2.3, 0.01]
[constraints]
apart = "distance(a, b) >= 0.1"
)toml";
  const Ran passed = in_steps(text, 1e-2, 0.1);
  EXPECT_EQ(passed.status(), Status::gave_up);
  EXPECT_EQ(passed.track.account.culprits, (std::vector<std::string>{"apart"}));
  const Ran struck = in_steps(text, 1e-3, 0.1);
  EXPECT_EQ(struck.status(), Status::finished);
  EXPECT_GT(struck.velocity()[2], 20);
}

TEST(FarPairsInSteps, are_met_when_their_time_comes) {
  // Nine discs in a box: those left out of a step are still kept apart, and left out or not the motion is the same as by events to the order of the step.
  const std::string text = R"toml(
[points.b]
count = 9
mass = 1
position = ["mod(i - 1, 3) + 0.05*i", "floor((i - 1)/3) - 0.04*i"]
velocity = ["sin(3*i)", "cos(5*i)"]
[constraints]
left = { for = "i = 1..9", condition = "b[i].x >= -1", restitution = 1 }
right = { for = "i = 1..9", condition = "b[i].x <= 3.5", restitution = 1 }
low = { for = "i = 1..9", condition = "b[i].y >= -1", restitution = 1 }
high = { for = "i = 1..9", condition = "b[i].y <= 3", restitution = 1 }
apart = { for = "i = 1..9, j = i+1..9", condition = "distance(b[i], b[j]) >= 0.3", restitution = 1 }
)toml";
  const Ran exact = by_events(text, 2);
  const Ran coarse = in_steps(text, 1e-3, 2);
  const Ran fine = in_steps(text, 1e-4, 2);
  ASSERT_EQ(fine.status(), Status::finished);
  EXPECT_LE(coarse.track.account.penetration, depth);
  EXPECT_LT(apart(fine, exact), 3e-2);
  EXPECT_LT(apart(fine, exact), apart(coarse, exact));
  // Elastic: nothing is lost.
  EXPECT_NEAR(fine.track.account.energy.final, fine.track.account.energy.initial, 1e-9);
}

TEST(StartInSteps, that_breaks_a_condition_is_inadmissible) {
  const Ran ran = in_steps(R"toml(
[points.a]
mass = 1
position = [0.5, -1]
[constraints]
floor = "a.y >= 0"
)toml",
                           1e-3, 2);
  EXPECT_EQ(ran.status(), Status::inadmissible);
  EXPECT_EQ(ran.track.account.culprits, (std::vector<std::string>{"floor"}));
}

}  // namespace
}  // namespace zwang::stepping::mechanics_tests
