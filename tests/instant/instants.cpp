/// Accelerations at single moments whose answer is known in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/instant/repair.hpp"
#include "zwang/model/read.hpp"

namespace instants_tests {
namespace {

using zwang::instant::accelerate;
using zwang::instant::Instant;
using zwang::instant::Role;
using zwang::instant::Status;

zwang::model::Model model_of(const std::string& text) { return zwang::model::load(text, "test.toml"); }

Instant at_start(const zwang::model::Model& model) { return accelerate(model, zwang::model::initial_state(model)); }

void expect_near(const std::vector<double>& got, const std::vector<double>& wanted, double tolerance) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], wanted[i], tolerance) << "component " << i;
  }
}

TEST(Instant, a_slack_string_carries_no_force) {
  const auto model = model_of(R"toml(
gravity = [0, -10]
[points.a]
mass = 2
position = [0, -0.5]
[constraints]
string = "norm(a) <= 1"
)toml");
  const Instant instant = at_start(model);
  EXPECT_EQ(instant.status, Status::determined);
  EXPECT_EQ(instant.role[0], Role::passive_in_position);
  expect_near(instant.accelerations, {0, -10}, 0);
}

TEST(Instant, a_string_whose_end_sits_at_its_anchor_is_open_although_it_has_no_gradient) {
  const auto model = model_of(R"toml(
gravity = [0, -10]
[points.a]
mass = 2
position = [0, 0]
[constraints]
string = "norm(a) <= 1"
)toml");
  const Instant instant = at_start(model);
  EXPECT_EQ(instant.status, Status::determined);
  expect_near(instant.accelerations, {0, -10}, 0);
}

TEST(Instant, an_equation_without_gradient_is_undecided_and_never_a_number) {
  const auto model = model_of(R"toml(
[points.a]
mass = 2
position = [0, 0]
[constraints]
ring = "norm(a) = 0"
)toml");
  EXPECT_EQ(at_start(model).status, Status::undecided);
}

TEST(Instant, of_two_floors_with_one_gradient_the_one_that_rises_at_third_order_binds) {
  const auto model = model_of(R"toml(
gravity = [0, -10]
[points.a]
mass = 3
position = [0, 0]
velocity = [1, 0]
[constraints]
flat = "a.y >= 0"
cubic = "a.y >= a.x^3"
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined);
  expect_near(instant.accelerations, {0, 0}, 1e-14);
  EXPECT_FALSE(instant.multipliers_unique);
  EXPECT_EQ(instant.role[1], Role::binding);
  EXPECT_EQ(instant.role[0], Role::leaving);
  EXPECT_NEAR(instant.multipliers[1], 30, 1e-12);
  EXPECT_NEAR(instant.multipliers[0], 0, 1e-12);
}

TEST(Instant, of_dependent_floors_those_bind_that_hold_the_others_open) {
  // Gradients 1 + 2 = 3: of f1, f2 (flat) and f3 (falling away at third order) the first two must carry the force.
  for (const double sign : {1.0, -1.0}) {
    const auto model = model_of(std::string(R"toml(
[points.a]
mass = 1
position = [0, 0, 0]
velocity = [0, 0, 1]
force = [-3, -2, 0]
[constraints]
f1 = "a.x >= 0"
f2 = "a.y >= 0"
f3 = "a.x + a.y )toml") + (sign > 0 ? "+" : "-") +
                                R"toml( a.z^3 >= 0"
)toml");
    const Instant instant = at_start(model);
    ASSERT_EQ(instant.status, Status::determined);
    expect_near(instant.accelerations, {0, 0, 0}, 1e-13);
    // Rising against them, f3 takes the force as far as it can.
    EXPECT_EQ(instant.role[2], sign > 0 ? Role::leaving : Role::binding);
    EXPECT_EQ(instant.role[0], Role::binding);
    EXPECT_EQ(instant.role[1], sign > 0 ? Role::binding : Role::leaving);
  }
}

TEST(Instant, the_floor_that_falls_at_third_order_leaves_the_flat_one_to_bind) {
  const auto model = model_of(R"toml(
gravity = [0, -10]
[points.a]
mass = 3
position = [0, 0]
velocity = [-1, 0]
[constraints]
flat = "a.y >= 0"
cubic = "a.y >= a.x^3"
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined);
  EXPECT_EQ(instant.role[0], Role::binding);
  EXPECT_EQ(instant.role[1], Role::leaving);
}

TEST(Instant, a_floor_stated_twice_shares_its_force) {
  const auto model = model_of(R"toml(
gravity = [0, -3]
[points.a]
mass = 2
position = [0, 0]
[constraints]
one = "a.y >= 0"
two = "2*a.y >= 0"
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined);
  EXPECT_FALSE(instant.regular);
  EXPECT_FALSE(instant.multipliers_unique);
  EXPECT_EQ(instant.role[0], Role::binding);
  EXPECT_EQ(instant.role[1], Role::binding);
  EXPECT_NEAR(instant.multipliers[0] + 2 * instant.multipliers[1], 6, 1e-12);
  expect_near(instant.reaction, {0, 6}, 1e-12);
}

TEST(Instant, equations_singular_by_combination_are_not_redundant) {
  // f1 - f2 = z^2 - x^2: two crossing planes; the nearest point of X = (2, 0, 1) on them is (1.5, 0, 1.5).
  const auto model = model_of(R"toml(
[points.a]
mass = 1
position = [0, 0, 0]
force = [2, 0, 1]
[constraints]
f1 = "a.y - a.x^2 + a.z^2 = 0"
f2 = "a.y = 0"
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined);
  EXPECT_TRUE(instant.singular);
  expect_near(instant.accelerations, {1.5, 0, 1.5}, 1e-12);
}

TEST(Instant, equations_that_repeat_one_another_are_redundant) {
  const auto model = model_of(R"toml(
[points.a]
mass = 1
position = [1, 0, 0]
velocity = [0, 2, 0]
force = [2, 0, 1]
[constraints]
f1 = "dot(a, a) = 1"
f2 = "norm(a) = 1"
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined);
  EXPECT_FALSE(instant.singular);
  EXPECT_FALSE(instant.regular);
  expect_near(instant.accelerations, {-4, 0, 1}, 1e-12);
}

TEST(Instant, a_stiff_square_with_both_diagonals_turns_like_a_rigid_body) {
  // Six rods among four points of the plane: one too many. Turning with w = 2 about its centre.
  const auto model = model_of(R"toml(
[points.p]
count = 4
mass = 1
position = ["cos(pi*i/2)", "sin(pi*i/2)"]
velocity = ["-2*sin(pi*i/2)", "2*cos(pi*i/2)"]
[constraints]
rod = { for = "i = 1..4, j = i+1..4", condition = "distance(p[i], p[j]) = 2*sin(pi*(j-i)/4)" }
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined) << instant.expansion;
  EXPECT_FALSE(instant.regular);
  EXPECT_FALSE(instant.singular);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(instant.accelerations[2 * i], -4 * model.initial_position[2 * i], 1e-11);
    EXPECT_NEAR(instant.accelerations[2 * i + 1], -4 * model.initial_position[2 * i + 1], 1e-11);
  }
}

TEST(Instant, two_straight_strings_hold_a_point_that_first_order_would_let_fall) {
  // Anchors two apart, strings of length one: f1'' and f2'' allow any sideways acceleration; what both imply together allows none.
  const auto model = model_of(R"toml(
gravity = [0, -10]
[parameters]
p = [-1, 0]
q = [1, 0]
[points.a]
mass = 1
position = [0, 0]
[constraints]
left = "distance(a, p) <= 1"
right = "distance(a, q) <= 1"
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined) << instant.expansion;
  EXPECT_FALSE(instant.regular);
  EXPECT_FALSE(instant.multipliers_unique);
  expect_near(instant.accelerations, {0, 0}, 1e-12);
}

TEST(Instant, a_condition_whose_lowest_part_is_cubic_is_undecided) {
  const auto model = model_of(R"toml(
[points.a]
mass = 1
position = [0, 0]
force = [2, 1]
[constraints]
lines = "a.x*a.y*(a.x - a.y) = 0"
)toml");
  const Instant instant = at_start(model);
  EXPECT_EQ(instant.status, Status::undecided);
  EXPECT_FALSE(instant.expansion.empty());
}

// y' = w x' holds, so (1 + x) (y' - w x') + z u' = 0 asks for z u' = 0: z = 0 and u = 0 for all times where nothing moves them, whatever w does.
TEST(Instant, conditions_on_velocities_of_one_gradient_ask_of_accelerations_what_the_motion_does) {
  const auto answer = [](const std::string& force, const std::string& first, const std::string& second) {
    const auto model = model_of(
        "[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 0]\n"
        "[points.b]\nmass = 1\nposition = [0, 0]\nforce = " +
        force + "\n[points.c]\nmass = 1\nposition = [0, 0]\n[constraints]\none = \"" + first + " = 0\"\nother = \"" +
        second + " = 0\"\n");
    const Instant instant = at_start(model);
    EXPECT_EQ(instant.status, Status::determined) << instant.expansion;
    return instant.accelerations;
  };
  const std::string held = "a.y' - b.x*a.x'";
  const std::string more = "(1 + a.x)*(a.y' - b.x*a.x') + b.y*c.x'";
  expect_near(answer("[1, 0]", held, more), {0, 0, 1, 0, 0, 0}, 1e-12);
  expect_near(answer("[1, 0]", more, held), {0, 0, 1, 0, 0, 0}, 1e-12);
  // With z pulled u stays, and z goes.
  expect_near(answer("[1, 2]", held, more), {0, 0, 1, 2, 0, 0}, 1e-12);
}

TEST(Instant, a_wall_that_closes_from_both_sides_jams) {
  const auto model = model_of(R"toml(
[points.a]
mass = 1
position = [0, 0]
[constraints]
left = "a.x >= t^2"
right = "a.x <= -t^2"
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::jammed);
  ASSERT_EQ(instant.farkas.size(), 2U);
  EXPECT_NEAR(instant.farkas[0].second, instant.farkas[1].second, 1e-12);
}

TEST(Instant, walls_that_close_only_at_third_order_jam_too) {
  const auto model = model_of(R"toml(
[points.a]
mass = 1
position = [0, 0]
[constraints]
left = "a.x >= t^3"
right = "a.x <= -t^3"
)toml");
  const Instant instant = at_start(model);
  EXPECT_EQ(instant.status, Status::jammed);
  EXPECT_EQ(instant.jam_derivative, 3U);
}

TEST(Instant, a_force_that_begins_at_fourth_order_presses_or_lifts) {
  for (const double sign : {-1.0, 1.0}) {
    const auto model = model_of(std::string(R"toml(
[points.a]
mass = 1
position = [0, 0]
velocity = [1, 0]
force = [0, ")toml") + (sign < 0 ? "-t^2" : "t^2") +
                                R"toml("]
[constraints]
floor = "a.y >= 0"
)toml");
    const Instant instant = at_start(model);
    ASSERT_EQ(instant.status, Status::determined);
    EXPECT_EQ(instant.role[0], sign < 0 ? Role::binding : Role::leaving);
    ASSERT_EQ(instant.decisions.size(), 1U);
    EXPECT_EQ(instant.decisions[0].derivative, 4U);
  }
}

TEST(Instant, a_condition_that_never_decides_is_marginal) {
  const auto model = model_of(R"toml(
[points.a]
mass = 1
position = [0, 0]
velocity = [1, 0]
[constraints]
floor = "a.y >= 0"
)toml");
  const Instant instant = at_start(model);
  EXPECT_EQ(instant.role[0], Role::marginal);
}

TEST(Instant, a_double_pendulum_in_angles_agrees_with_points_on_rods) {
  const auto angles = model_of(R"toml(
[parameters]
g = 9.81
[coordinates.u]
initial = 0.4
velocity = 1.1
[coordinates.w]
initial = -0.7
velocity = 0.3
[energy]
kinetic = "(2*u'^2 + w'^2 + 2*u'*w'*cos(u - w))/2"
potential = "-g*(2*cos(u) + cos(w))"
)toml");
  const auto points = model_of(R"toml(
gravity = [0, -9.81]
[points.a]
mass = 1
position = ["sin(0.4)", "-cos(0.4)"]
velocity = ["1.1*cos(0.4)", "1.1*sin(0.4)"]
[points.b]
mass = 1
position = ["sin(0.4) + sin(-0.7)", "-cos(0.4) - cos(-0.7)"]
velocity = ["1.1*cos(0.4) + 0.3*cos(-0.7)", "1.1*sin(0.4) + 0.3*sin(-0.7)"]
[constraints]
upper = "dot(a, a) = 1"
lower = "distance(a, b) = 1"
)toml");
  const Instant one = at_start(angles);
  const Instant two = at_start(points);
  ASSERT_EQ(one.status, Status::determined);
  ASSERT_EQ(two.status, Status::determined);
  const double u2 = one.accelerations[0];
  const double w2 = one.accelerations[1];
  expect_near(two.accelerations,
              {u2 * std::cos(0.4) - 1.21 * std::sin(0.4), u2 * std::sin(0.4) + 1.21 * std::cos(0.4),
               u2 * std::cos(0.4) - 1.21 * std::sin(0.4) + w2 * std::cos(-0.7) - 0.09 * std::sin(-0.7),
               u2 * std::sin(0.4) + 1.21 * std::cos(0.4) + w2 * std::sin(-0.7) + 0.09 * std::cos(-0.7)},
              1e-12);
}

TEST(Instant, rows_that_contradict_each_other_but_for_their_last_digits_have_an_answer_far_away) {
  // a and b are opposite but for 1e-12; the answer keeps a, b and c as equations, which was solved in fractions.
  const auto model = model_of(R"toml(
[coordinates.x]
initial = 0
[coordinates.y]
initial = 0
[coordinates.z]
initial = 0
[energy]
kinetic = "x'^2 + 3/2*y'^2 + 2*z'^2"
[constraints]
a = "1.0000000000004414*x + 0.99999999999889122*z - 0.99999999999888334*t^2/2 <= 0"
b = "-0.99999999999897671*x + 6.072679593069778e-14*y - 1.0000000000013933*z + 1.0000000000014408*t^2/2 <= 0"
c = "-0.99999999999794598*z - 0.99999999999938827*t^2/2 = 0"
d = "1.0000000000006022*y + 0.99999999999961464*z - 0.99999999999985023*t^2/2 <= 0"
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined) << instant.expansion;
  // The rows are known to 2^-53 of themselves, and y'' to that over 6e-14: a part of 4e-3.
  EXPECT_NEAR(instant.accelerations[0], 2, 1e-11);
  EXPECT_NEAR(instant.accelerations[1], -131.55730909989958, 0.5);
  EXPECT_NEAR(instant.accelerations[2], -1, 1e-11);
  EXPECT_EQ(instant.role[0], Role::binding);
  EXPECT_EQ(instant.role[1], Role::binding);
  EXPECT_EQ(instant.role[3], Role::leaving);
  EXPECT_LT(instant.certificate.worst(), 1e-12);
}

TEST(Instant, leaning_boxes_in_a_row_move_although_each_could_rest_on_the_next_in_two_ways) {
  // Box i has turned by p[i] about a lower edge and lies flush on box i + 1: it could rest on its lower corner, or lean with its upper one
  // against it. The last box moves on, and the others begin to with the 2nd, 4th and 8th derivative: they rest on corners, nothing leans.
  const auto model = model_of(R"toml(
[parameters]
n = 5
b = 0.2
d = 0.6
[coordinates.p]
count    = "n"
initial  = "pi/2 - asin(b/d)"
velocity = "if(i >= n, 7, 0)"
force    = "1"
[energy]
kinetic = "sum(i = 1..n, p[i]'^2)/2"
[constraints]
rests = { for = "i = 1..n-1", condition = "(d - b*cos(p[i+1]))*cos(p[i]) >= b*sin(p[i+1])*sin(p[i])" }
leans = { for = "i = 1..n-1", condition = "(sin(p[i]) - d)*cos(p[i+1]) - cos(p[i])*sin(p[i+1]) <= -b" }
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined);
  expect_near(instant.accelerations, {0, 0, 0, 1, 1}, 1e-13);
  for (const std::uint32_t box : {0U, 1U, 2U}) EXPECT_EQ(instant.role[box], Role::binding) << box;
  for (const std::uint32_t row : {3U, 4U, 5U, 6U}) EXPECT_EQ(instant.role[row], Role::leaving) << row;
}

TEST(Instant, a_bar_far_from_the_origin_is_admissible_if_its_rods_are) {
  // Coordinates of 1e5 leave eleven digits of where the points are beside their line; the rods see the square of that.
  const auto model = model_of(R"toml(
gravity = [0, -10]
[parameters]
L = 0.3
a = 0.5235987755982988
[points.p]
count    = 4
mass     = 1
position = ["100000.3 + i*L*cos(a)", "i*L*sin(a)"]
[constraints]
rod = { for = "i = 1..4, j = i+1..4", condition = "distance(p[i], p[j]) = (j - i)*L" }
)toml");
  const Instant instant = at_start(model);
  ASSERT_EQ(instant.status, Status::determined);
  expect_near(instant.accelerations, {0, -10, 0, -10, 0, -10, 0, -10}, 1e-9);
}

TEST(Repair, an_approximate_start_is_brought_onto_the_conditions_by_the_least_way) {
  const auto model = model_of(R"toml(
[points.a]
mass = 1
position = [0.61, 0.79]
velocity = [1, 1]
[constraints]
circle = "dot(a, a) = 1"
)toml");
  const auto repaired = zwang::instant::repair(model, zwang::model::initial_state(model));
  ASSERT_TRUE(repaired.succeeded);
  const auto& q = repaired.state.position;
  const auto& v = repaired.state.velocity;
  EXPECT_NEAR(std::hypot(q[0], q[1]), 1, 1e-15);
  EXPECT_NEAR(q[0] * v[0] + q[1] * v[1], 0, 1e-15);
  EXPECT_NEAR(q[0] / q[1], 0.61 / 0.79, 1e-3);
}

// A tilted box in the floor: its corner is h(a) = (cos a + sin a)/2 below its middle. The nearest place has m dz h' + I da = 0.
TEST(Repair, a_tilted_box_comes_to_the_nearest_place_above_the_floor) {
  for (const double angle : {0.02, 0.3}) {
    const auto model = model_of("[bodies.b]\nmass = 2\ninertia = 0.4\nshape = { box = [1, 1] }\nposition = [0, " +
                                std::to_string(0.5 * (std::cos(angle) + std::sin(angle)) - 0.01) +
                                "]\norientation = " + std::to_string(angle) +
                                "\n[contacts]\nfloor = { body = \"b\", plane = { normal = [0, 1], offset = 0 } }\n");
    const auto start = zwang::model::initial_state(model);
    const auto repaired = zwang::instant::repair(model, start);
    ASSERT_TRUE(repaired.succeeded);
    const double z = repaired.state.position[1];
    const double a = repaired.state.position[2];
    EXPECT_NEAR(z, (std::cos(a) + std::sin(a)) / 2, 1e-15) << "it touches";
    const double slope = (std::cos(a) - std::sin(a)) / 2;
    EXPECT_NEAR(2 * (z - start.position[1]) * slope + 0.4 * (a - start.position[2]), 0, 1e-12);
    EXPECT_GT(z, start.position[1]);
  }
}

TEST(Repair, of_alternatives_one_is_enough) {
  const auto stair = [](const std::string& place) {
    const auto model =
        model_of("[points.a]\nmass = 1\nposition = " + place + "\n[constraints]\nstair = \"a.x <= 1 or a.y >= 2\"\n");
    const auto repaired = zwang::instant::repair(model, zwang::model::initial_state(model));
    EXPECT_TRUE(repaired.succeeded);
    return repaired.state.position;
  };
  EXPECT_EQ(stair("[0, 0]"), (std::vector<double>{0, 0}));
  EXPECT_EQ(stair("[3, 4]"), (std::vector<double>{3, 4}));
  EXPECT_EQ(stair("[1.5, 1.875]"), (std::vector<double>{1.5, 2}));
  EXPECT_EQ(stair("[1.125, 0]"), (std::vector<double>{1, 0}));
}

TEST(Instant, a_spin_that_is_but_the_rounding_of_its_formula_strikes_no_joint) {
  // 100 sin(pi) is 1.2e-14 in numbers. What is written as a number, however small, is meant.
  const auto slider = [](const std::string& spin) {
    return model_of(
        "gravity = [0, -10]\n[bodies.a]\nmass = 2\ninertia = 1\nposition = [0, 0]\norientation = "
        "0.3\n[bodies.b]\nmass = 1\ninertia = 0.5\nposition = [\"cos(0.3)\", \"sin(0.3)\"]\norientation = "
        "0.3\nspin = " +
        spin + "\n[joints]\nj = { slider = [\"a\", \"b\"], axis = [1, 0] }\n");
  };
  const Instant instant = at_start(slider("\"100*sin(pi)\""));
  EXPECT_EQ(instant.status, Status::determined);
  expect_near(instant.accelerations, {0, -10, 0, 0, -10, 0}, 1e-13);
  EXPECT_EQ(at_start(slider("1e-14")).status, Status::impact);
}

TEST(Instant, a_spin_of_the_rounding_of_the_speeds_beside_it_strikes_no_joint) {
  // A computed zero, written as a number: beside a speed of 0.2 and a radius of gyration of 0.7 it means nothing.
  const auto slider = [](const std::string& spin) {
    const std::string moves = "velocity = [0.2, -0.1]\n";
    return model_of("gravity = [0, -10]\n[bodies.a]\nmass = 2\ninertia = 1\nposition = [0, 0]\n" + moves +
                    "[bodies.b]\nmass = 1\ninertia = 0.5\nposition = [1, 0]\n" + moves + "spin = " + spin +
                    "\n[joints]\nj = { slider = [\"a\", \"b\"], axis = [1, 0] }\n");
  };
  EXPECT_EQ(at_start(slider("1.1e-16")).status, Status::determined);
  EXPECT_EQ(at_start(slider("-6e-16")).status, Status::determined);
  EXPECT_EQ(at_start(slider("1e-14")).status, Status::impact);
}

TEST(Instant, a_load_and_the_friction_that_holds_it_leave_no_difference_between_free_motion_and_motion) {
  for (int k = 1; k <= 70; ++k) {
    const Instant instant = at_start(
        model_of("[coordinates.x]\ninitial = " + std::to_string(0.01 * k) +
                 "\nforce = \"-0.7*sign(x') + 0.1*x\"\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n"));
    ASSERT_EQ(instant.status, Status::determined);
    EXPECT_NEAR(instant.accelerations[0], 0, 1e-15) << k;
    EXPECT_EQ(instant.free[0], instant.accelerations[0]) << k;
    EXPECT_EQ(instant.certificate.worst(), 0) << k;
    EXPECT_EQ(instant.constraint, 0) << k;
  }
}

TEST(Instant, what_a_stop_and_friction_hold_together_is_told_as_shared_and_the_free_motion_knows_no_stop) {
  // Pushed by 3 against friction of 2 it would go with 1; of the 3 the stop bears any part from 1 to 5.
  const Instant block =
      at_start(model_of("[coordinates.q]\ninitial = 0\nforce = \"3 - 2*sign(q')\"\n[energy]\nkinetic = \"q'^2/2\"\n"
                        "[constraints]\nstop = \"q <= 0\"\n"));
  ASSERT_EQ(block.status, Status::determined);
  EXPECT_EQ(block.free[0], 1);
  EXPECT_EQ(block.accelerations[0], 0);
  EXPECT_FALSE(block.multipliers_unique);
  // On a rope the one rests by itself, the other would go.
  const Instant pair = at_start(model_of(
      "[coordinates.a]\ninitial = 0\nforce = \"3 - 5*sign(a')\"\n[coordinates.b]\ninitial = 1\n"
      "force = \"3 - 2*sign(b')\"\n[energy]\nkinetic = \"a'^2 + b'^2\"\n[constraints]\nrope = \"b - a <= 1\"\n"));
  ASSERT_EQ(pair.status, Status::determined);
  EXPECT_NEAR(pair.free[0], 0, 1e-15);
  EXPECT_NEAR(pair.free[1], 0.5, 1e-15);
  EXPECT_FALSE(pair.multipliers_unique);
  // A floor beside it carries what it carries.
  const Instant floor =
      at_start(model_of("[points.p]\nmass = 1\nposition = [0, 0]\nforce = [\"1 - 2*sign(p.x')\", "
                        "-3]\n[constraints]\nfloor = \"p.y >= 0\"\n"));
  EXPECT_TRUE(floor.multipliers_unique);
  EXPECT_EQ(floor.multipliers[0], 3);
}

TEST(Instant, a_sign_is_zero_on_its_wall_and_a_mean_where_neither_of_its_values_can_stay) {
  const auto with = [](const std::string& force) {
    return model_of("[coordinates.x]\ninitial = 0\nforce = \"" + force +
                    "\"\n[coordinates.y]\ninitial = 0\nforce = \"sign(x)\"\n[energy]\nkinetic = \"x'^2/2 + "
                    "y'^2/2\"\n[constraints]\nwall = \"x >= 0\"\n");
  };
  // Pressed by 1, by nothing, held by s = 1/4 against 1/2, and pushed off by 1.
  const Instant pressed = at_start(with("-2*sign(x) - 1"));
  expect_near(pressed.accelerations, {0, 0}, 0);
  EXPECT_EQ(pressed.multipliers[0], 1);
  expect_near(at_start(with("0")).accelerations, {0, 0}, 0);
  expect_near(at_start(with("-2*sign(x) + 0.5")).accelerations, {0, 0.25}, 1e-15);
  expect_near(at_start(with("2*sign(x) + 1")).accelerations, {3, 1}, 0);
}

TEST(Repair, velocities_that_the_conditions_leave_none_of_are_zero) {
  const auto model = model_of(R"toml(
[coordinates.q]
initial = 0.3
velocity = 1
[coordinates.p]
initial = 0.5
[energy]
kinetic = "q'^2 + p'^2"
[constraints]
c = "sin(q) = p"
d = "q' = 2*p'"
)toml");
  const auto repaired = zwang::instant::repair(model, zwang::model::initial_state(model));
  ASSERT_TRUE(repaired.succeeded);
  EXPECT_EQ(repaired.state.velocity[0], 0);
  EXPECT_EQ(repaired.state.velocity[1], 0);
}

}  // namespace
}  // namespace instants_tests
