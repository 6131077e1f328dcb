/// Derivatives through instants of several parts, and at corners of the model's numbers, against closed forms and differences of whole motions.
#include <gtest/gtest.h>

#include <cmath>

#include "runs.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"

namespace zwang::sensitivity::instant_tests {
namespace {

std::string on_table(double node) {
  return "gravity = [0, -9.81]\n[parameters]\ntt = " + exact(node) +
         "\n[points.b]\nmass = 1\nposition = [0, 1]\nvelocity = [0.3, 0]\n[constraints]\n"
         "f = { condition = \"b.y >= 0.1*table(b.x, [0, tt, 1], [0, 1, 0])\", restitution = 0.5 }\n"
         "[simulation]\nuntil = 0.8\n";
}

TEST(Sensitivity, by_a_node_of_a_table_that_is_struck_is_there_for_every_value) {
  // On the rising line y = 0.1 x/tt, struck at the time T with f = y - 0.1 x/tt = 0.
  for (const double node : {0.333, 0.41, 0.527, 0.7}) {
    const std::string text = on_table(node);
    expect_differences(text, "tt", node, 2e-4 * node, 1e-9);
    const Differentiated run = differentiate(text, {"tt"});
    const double time = run.track.events[0].time;
    const double rate = -9.81 * time - 0.03 / node;
    EXPECT_NEAR(*run.by[0].events[0].after, -0.03 * time / (node * node) / rate, 1e-13) << node;
  }
}

TEST(Sensitivity, of_a_bead_goes_over_the_kink_of_its_track) {
  const std::string text = R"toml(gravity = [0, -9.81]
[parameters]
n = 0.7
h = -0.6
v = 0.2
[points.b]
mass = 1
position = [0, 0]
velocity = ["v", "v*h/n"]
[constraints]
f = "b.y = table(b.x, [-1, 0, n, 2], [0, 0, h, 0])"
[simulation]
until = 1
)toml";
  expect_differences(text, "n", 0.7, 7e-4, 1e-9);
  expect_differences(text, "h", -0.6, 6e-4, 1e-9);
  expect_differences(text, "v", 0.2, 2e-4, 1e-9);
}

TEST(Sensitivity, is_not_lost_where_a_corner_inside_of_another_turns) {
  // Roofs side by side: mod jumps, and carries the argument of abs over zero; in flight nothing of it is felt.
  const std::string text = R"toml(gravity = [0, -9.81]
[parameters]
w = 0.505
[points.b]
mass = 1
position = [0, 1]
velocity = [0.3, 0]
[constraints]
f = { condition = "b.y >= 0.2*abs(mod(b.x, w) - w/2)", restitution = 0.5 }
[simulation]
until = 0.8
)toml";
  expect_differences(text, "w", 0.505, 1e-4, 1e-9);
  const Differentiated run = differentiate(text, {"w"});
  for (const EventSlope& one : run.by[0].events) EXPECT_EQ(one.why, "");
}

constexpr const char* seized = R"toml(gravity = [0, -9.81]
[parameters]
L = 1
w = 0.4
ta = 0.6
[points.a]
mass = 1
position = ["L", 0]
[points.b]
mass = 0.5
position = ["L", -0.5]
[constraints]
r = "distance(a, [0, 0]) = L"
s = { condition = "distance(a, b) <= 0.5 + 0.1*w", restitution = 0.3 }
[[releases]]
constraint = "r"
when = "a.y <= -w"
[[seizures]]
name = "z"
at = "ta"
condition = "b.x' = w"
[simulation]
until = 1
)toml";

TEST(Sensitivity, of_a_seizure_with_a_string_that_rebounds) {
  expect_differences(seized, "L", 1, 5e-4, 1e-8);
  expect_differences(seized, "w", 0.4, 2e-4, 1e-8);
  expect_differences(seized, "ta", 0.6, 2e-4, 1e-8);
}

TEST(Sensitivity, of_the_last_shocks_of_a_sequence_keeps_its_digits) {
  // Flights shorten by e: t_n = T + 2 v e (1 - e^n)/(1 - e)/g, v = g T, T = sqrt(2 h/g).
  const double e = 0.4;
  const Differentiated run = differentiate(R"toml(gravity = [0, -9.81]
[parameters]
h = 1
e = 0.4
[points.a]
mass = 1
position = [0, "h"]
[constraints]
f = { condition = "a.y >= 0", restitution = "e" }
[simulation]
until = 2
)toml",
                                           {"h", "e"});
  const double fall = std::sqrt(2 / 9.81);
  std::size_t n = 0;
  double sum = 0;
  double sum_slope = 0;
  for (std::size_t k = 0; k < run.track.events.size(); ++k) {
    if (run.track.events[k].kind != motion::EventKind::impact) continue;
    const double time = fall * (1 + 2 * sum);
    EXPECT_NEAR(*run.by[0].events[k].after, time / 2, 1e-10) << n;
    EXPECT_NEAR(*run.by[1].events[k].after, 2 * fall * sum_slope, 1e-9) << n;
    ++n;
    double power = 1;
    for (std::size_t j = 1; j < n; ++j) power *= e;
    sum += power * e;
    sum_slope += static_cast<double>(n) * power;
  }
  EXPECT_GT(n, 8U);
}

TEST(Sensitivity, goes_through_blows_that_turn_bodies) {
  const std::string space = R"toml([parameters]
J = 1
ta = 0.3
q = 0.2
w = 2
[bodies.b]
mass = 1
inertia = [0.3, 0.5, 0.6]
position = [0, 0, 0]
spin = ["w", 0.3, 0.2]
[bodies.b.marks]
p = ["q", 0.1, -0.2]
[[impulses]]
on = "b.p"
at = "ta"
value = ["J", 0.5, 0.3]
[[impulses]]
on = "b"
at = 0.5
torque = [0.1, "-J", 0.2]
[simulation]
until = 1
)toml";
  expect_differences(space, "J", 1, 1e-3, 1e-10);
  expect_differences(space, "ta", 0.3, 3e-4, 1e-10);
  expect_differences(space, "q", 0.2, 2e-4, 1e-10);
  expect_differences(space, "w", 2, 2e-3, 1e-10);
  // In the plane by hand: the moment of (J, 0) at (q, 0) turned by a = w ta is -J q sin(a), on an inertia of 2.
  const Differentiated plane = differentiate(R"toml([parameters]
J = 1
q = 0.2
w = 2
[bodies.b]
mass = 1
inertia = 2
position = [0, 0]
spin = "w"
[bodies.b.marks]
p = ["q", 0]
[[impulses]]
on = "b.p"
at = 0.3
value = ["J", 0]
[simulation]
until = 1
)toml",
                                             {"J", "q", "w"});
  EXPECT_NEAR(end_of(plane, 0).velocity[2], -0.1 * std::sin(0.6), 1e-13);
  EXPECT_NEAR(end_of(plane, 1).velocity[2], -0.5 * std::sin(0.6), 1e-13);
  EXPECT_NEAR(end_of(plane, 2).velocity[2], 1 - 0.1 * 0.3 * std::cos(0.6), 1e-13);
}

TEST(Sensitivity, of_a_blow_into_a_wall_that_throws_back) {
  // y' = e J behind it.
  const Differentiated run = differentiate(R"toml([parameters]
J = 1.5
e = 0.6
[points.a]
mass = 2
position = [0, 0]
velocity = [0.4, 0]
[constraints]
f = { condition = "a.y >= 0", restitution = "e" }
[[impulses]]
on = "a"
at = 0.5
value = [0.3, "-J"]
[simulation]
until = 1
)toml",
                                           {"J", "e"});
  EXPECT_NEAR(end_of(run, 0).velocity[1], 0.3, 1e-13);
  EXPECT_NEAR(end_of(run, 1).velocity[1], 0.75, 1e-13);
  EXPECT_NEAR(end_of(run, 1).position[1], 0.375, 1e-13);
}

std::string started_on_a_switch(const char* force) {
  return std::string("[parameters]\nc = 0.5\n[coordinates.x]\ninitial = 0.5\nvelocity = 1\nforce = \"") + force +
         "\"\n[energy]\nkinetic = \"x'^2/2\"\n[simulation]\nuntil = 1\n";
}

TEST(Sensitivity, at_a_start_on_a_corner_is_that_of_both_sides) {
  // With y = x - c: y starts at 0.5 - c, and y'' = -w^2 y above zero. dx/dc = 1 - cos(w t), from either side.
  const Differentiated kink = differentiate(started_on_a_switch("-2*max(0, x - c)"), {"c"});
  const double w = std::sqrt(2.0);
  EXPECT_NEAR(end_of(kink).position[0], 1 - std::cos(w), 1e-12);
  // A force that jumps: below c the start is on the side it goes to.
  const Differentiated jump = differentiate(started_on_a_switch("-0.3*sign(x - c)"), {"c"});
  EXPECT_NE(jump.by[0].final.why.find("starts where"), std::string::npos) << jump.by[0].final.why;
  ASSERT_TRUE(jump.by[0].final.before);
  EXPECT_FALSE(jump.by[0].final.after);
  EXPECT_NEAR(jump.by[0].final.before->position[0], 0, 1e-14);
}

TEST(Sensitivity, of_what_friction_just_holds_is_that_of_the_side_on_which_it_holds) {
  // x'' = F - mu sign x' from rest at F = mu = 1: below nothing moves, above x = (F - mu) t^2 / 2. Likewise down a slope, and by the direction of a speed.
  const std::string ends = "[energy]\nkinetic = \"x'^2/2\"\n[simulation]\nuntil = 3\n";
  const std::string pushed = "[parameters]\nF = 1\nmu = 1\n[coordinates.x]\ninitial = 0\nforce = \"F - mu*sign(x')\"\n";
  const std::string plane =
      "[parameters]\nF = 1\nmu = 1\n[points.p]\nmass = 1\nposition = [0, 0]\nforce = \"[0.6*F, 0.8*F] - "
      "mu*p'/norm(p')\"\n[simulation]\nuntil = 3\n";
  for (const std::string& text : {pushed + ends, plane}) {
    const Differentiated run = differentiate(text, {"F", "mu"}, {1});
    for (std::size_t k = 0; k < 2; ++k) {
      for (const Slope& one : {run.by[k].final, run.by[k].samples[0]}) {
        EXPECT_NE(one.why.find("just holds"), std::string::npos) << text << one.why;
        const std::optional<StateSlope>& held = k == 0 ? one.before : one.after;
        ASSERT_TRUE(held) << text;
        EXPECT_NEAR(held->position[0], 0, 1e-14);
        EXPECT_NEAR(held->velocity[0], 0, 1e-14);
        EXPECT_FALSE(k == 0 ? one.after : one.before) << text;
      }
    }
  }
  // The other way round, with something to spare, and with both sides of the balance moved alike there is a derivative: none.
  for (const char* held : {"0.9*F - mu*sign(x')", "F*(1 - sign(x'))"}) {
    const Differentiated run = differentiate(
        "[parameters]\nF = 1\nmu = 1\n[coordinates.x]\ninitial = 0\nforce = \"" + std::string(held) + "\"\n" + ends,
        {"F"});
    EXPECT_NEAR(end_of(run).position[0], 0, 1e-14) << held;
  }
  const Differentiated turned =
      differentiate("[parameters]\nF = -1\n[coordinates.x]\ninitial = 0\nforce = \"F - sign(x')\"\n" + ends, {"F"});
  EXPECT_TRUE(turned.by[0].final.after);
  EXPECT_FALSE(turned.by[0].final.before);
}

TEST(Sensitivity, by_a_number_that_turns_at_its_value_is_that_of_either_side) {
  // x'' = -x + |c| from x = 1: x = |c| + (1 - |c|) cos t, on either side of c = 0, where the model has no such number.
  const auto by = [](const std::string& text) {
    const model::Draft draft = model::read(text, "model.toml");
    const model::Model model = model::compile(draft, {});
    motion::Motion motion = motion::begin(model);
    motion::Track track;
    motion::follow(model, motion, track);
    EXPECT_THROW((void)parameter_slopes(draft, {}, {"c"}), Error) << text;
    return sensitivity(model, motion::view(model, track), parameter_slopes(draft, {}, {"c"}, Kinks::two_sided), {1});
  };
  const auto expect_sides = [](const Slope& slope, double before, double after) {
    EXPECT_NE(slope.why.find("kink"), std::string::npos) << slope.why;
    ASSERT_TRUE(slope.before && slope.after);
    EXPECT_NEAR(slope.before->position[0], before, 1e-9);
    EXPECT_NEAR(slope.after->position[0], after, 1e-9);
  };
  for (const double c : {0.0, 0.25}) {
    const std::string number = std::to_string(c);
    const auto found = by("[parameters]\nc = " + number + "\n[coordinates.x]\ninitial = 1\nforce = \"-x + abs(c - " +
                          number + ")\"\n[energy]\nkinetic = \"x'^2/2\"\n[simulation]\nuntil = 2\n");
    expect_sides(found[0].final, std::cos(2.0) - 1, 1 - std::cos(2.0));
    expect_sides(found[0].samples[0], std::cos(1.0) - 1, 1 - std::cos(1.0));
  }
  // A condition: a bead on the line y = |c| x under a force 1 across: along it x'' = |c| / (1 + c^2).
  const auto bead =
      by("[parameters]\nc = 0\n[points.p]\nmass = 1\nposition = [1, \"abs(c)\"]\nforce = [0, 1]\n[constraints]\nline = "
         "\"p.y = "
         "abs(c)*p.x\"\n[simulation]\nuntil = 2\n");
  expect_sides(bead[0].final, -2, 2);
}

TEST(Sensitivity, of_events_at_the_start_is_nought) {
  const Differentiated run = differentiate(R"toml([parameters]
v = 1
[points.a]
mass = 1
position = [0, 0]
velocity = ["v", -1]
[constraints]
f = "a.y >= 0"
[simulation]
until = 1
)toml",
                                           {"v"});
  ASSERT_EQ(run.by[0].events.size(), 1U);
  ASSERT_TRUE(run.by[0].events[0].after);
  EXPECT_EQ(*run.by[0].events[0].after, 0);
}

TEST(Sensitivity, of_a_block_that_friction_stops_is_the_closed_form) {
  // At rest at v^2/(2 k) after v/k.
  const Differentiated run = differentiate(R"toml([parameters]
k = 2
v = 3
[coordinates.x]
initial = 0
velocity = "v"
force = "-k*sign(x')"
[energy]
kinetic = "x'^2/2"
[simulation]
until = 4
)toml",
                                           {"k", "v"});
  EXPECT_NEAR(end_of(run, 0).position[0], -9.0 / 8, 1e-13);
  EXPECT_NEAR(end_of(run, 0).velocity[0], 0, 1e-13);
  EXPECT_NEAR(end_of(run, 1).position[0], 1.5, 1e-13);
  ASSERT_EQ(run.track.events.size(), 1U);
  EXPECT_NEAR(*run.by[0].events[0].after, -0.75, 1e-13);
  EXPECT_NEAR(*run.by[1].events[0].after, 0.5, 1e-13);
}

TEST(Sensitivity, of_a_block_on_a_belt_slips_in_time) {
  // It rides along until the spring and the damper outweigh friction: k u t + c u = m at t = m/(k u) - c/k. There x = u t.
  const Differentiated run = differentiate(R"toml([parameters]
m = 0.5
k = 4
u = 0.3
[coordinates.x]
initial = 0
velocity = "u"
force = "-k*x - 0.3*x' - m*sign(x' - u)"
[energy]
kinetic = "x'^2/2"
[simulation]
until = 1
)toml",
                                           {"m", "k", "u"}, {0.2});
  ASSERT_EQ(run.track.events.size(), 1U);
  EXPECT_NEAR(*run.by[0].events[0].after, 1 / (4 * 0.3), 1e-12);
  EXPECT_NEAR(*run.by[1].events[0].after, -(0.5 / 0.3 - 0.3) / 16, 1e-12);
  EXPECT_NEAR(*run.by[2].events[0].after, -0.5 / (4 * 0.09), 1e-12);
  EXPECT_NEAR(run.by[2].samples[0].after->position[0], 0.2, 1e-14);
  EXPECT_NEAR(run.by[2].samples[0].after->velocity[0], 1, 1e-14);
  EXPECT_NEAR(run.by[0].samples[0].after->position[0], 0, 1e-14);
}

TEST(Sensitivity, of_stick_and_slip_between_bodies_is_that_of_differences) {
  const std::string text = R"toml(gravity = [0, -9.81]
[parameters]
mu = 0.3
A = 5
m = 1
[points.a]
mass = "m"
position = [0, 0]
force = ["A*sin(3*t) - mu*9.81*sign(a.x' - b.x')", 0]
[points.b]
mass = 2
position = [0, 0]
force = ["mu*9.81*sign(a.x' - b.x') - 0.5*b.x'", 0]
[constraints]
f = "a.y >= 0"
g = "b.y >= 0"
[simulation]
until = 2
)toml";
  expect_differences(text, "mu", 0.3, 3e-4, 1e-9);
  expect_differences(text, "A", 5, 5e-3, 1e-9);
  expect_differences(text, "m", 1, 1e-3, 1e-9);
}

TEST(Sensitivity, along_friction_that_holds_for_long_does_not_forget_what_is_held) {
  // y' = x' from start to end, by a friction that is never overcome; one equation more lets their difference gather rounding beyond that of a step. The common speed turns once.
  const std::string text = R"toml([parameters]
mu = 0.252
[coordinates.x]
initial = 0.448
velocity = 1
force = "-mu*sign(x') + 4*sign(y' - x')"
[coordinates.y]
initial = 0.122
velocity = 1
force = "-4*sign(y' - x')"
[coordinates.z]
initial = 0
velocity = 1
[energy]
kinetic = "x'^2 + 0.5*y'^2/2 + 0.2*z'^2 + 0.3*x'*y'*cos(x - y)"
potential = "-0.42*cos(x) - 0.5*cos(y) + 2.821*z^2"
[constraints]
c = "z' = x'"
[simulation]
until = 1.2
tolerance = 1e-13
)toml";
  expect_differences(text, "mu", 0.252, 1e-3, 1e-9);
  const Differentiated run = differentiate(text, {"mu"});
  EXPECT_NEAR(end_of(run).position[1], end_of(run).position[0], 1e-12);
  ASSERT_EQ(run.track.events.size(), 1U);
  model::Overrides less, more;
  less.parameters.emplace_back("mu", exact(0.251));
  more.parameters.emplace_back("mu", exact(0.253));
  const double turn = (differentiate(text, {}, {}, more).track.events.at(0).time -
                       differentiate(text, {}, {}, less).track.events.at(0).time) /
                      0.002;
  EXPECT_NEAR(*run.by[0].events[0].after, turn, 1e-5);
}

TEST(Sensitivity, along_a_surface_across_which_a_force_does_not_point_is_not_offered) {
  // The force switches with the sum of both speeds and acts on one of them.
  const Differentiated run = differentiate(R"toml([parameters]
k = 2
[coordinates.x]
initial = 0
velocity = 1
force = "-k*sign(x' + y')"
[coordinates.y]
initial = 0
velocity = 0.5
force = "-0.1*y"
[energy]
kinetic = "(x'^2 + y'^2)/2"
[simulation]
until = 2
)toml",
                                           {"k"});
  EXPECT_NE(run.by[0].final.why.find("does not point"), std::string::npos) << run.by[0].final.why;
}

TEST(Sensitivity, along_friction_that_is_one_force_at_one_value_alone_is_not_offered) {
  // Both forces switch together, and point across the surface for mu = 1: for no other does what holds x to w act on both alike.
  const std::string text = R"toml([parameters]
mu = 1
f = 1
[coordinates.x]
initial = 0
velocity = 1
force = "-mu*sign(x' - w') + f*t"
[coordinates.w]
initial = 0
force = "sign(x' - w')"
[energy]
kinetic = "(x'^2 + 0.3*w'^2)/2"
[simulation]
until = 3
)toml";
  const Differentiated run = differentiate(text, {"mu"});
  EXPECT_NE(run.by[0].final.why.find("when the parameter moves"), std::string::npos) << run.by[0].final.why;
  expect_differences(text, "f", 1, 1e-3, 1e-9);
}

TEST(Sensitivity, of_what_infinitely_many_jerks_bring_to_rest_is_that_of_rest) {
  // A tow jerks a sledge along by an elastic rope; each jerk frees it from friction, and in the limit both stand.
  const std::string text = R"toml([parameters]
V = 0.6
[coordinates.x]
initial = 0
force = "-0.78*sign(x')"
[coordinates.y]
initial = 1
velocity = "V"
[energy]
kinetic = "(0.81*x'^2 + 1.1*y'^2)/2"
[constraints]
rope = { condition = "y - x <= 1.13", restitution = 0.5 }
[simulation]
until = 3
)toml";
  expect_differences(text, "V", 0.6, 1e-3, 1e-8);
  const Differentiated run = differentiate(text, {"V"});
  EXPECT_EQ(end_of(run).velocity[0], 0);
  EXPECT_EQ(end_of(run).velocity[1], 0);
}

TEST(Sensitivity, of_a_block_that_rests_on_a_line_is_that_of_rest) {
  // On a line that rises by 0.1 the mass decides when friction along x stops it; from then on nothing moves with the mass.
  const std::string text = R"toml(gravity = [0, -10]
[parameters]
m = 1
[points.a]
mass = "m"
position = [0, 0]
velocity = [2, 0.2]
force = "[-6*sign(a.x'), 0]"
[constraints]
line = "a.y = 0.1*a.x"
[simulation]
until = 2
)toml";
  expect_differences(text, "m", 1, 1e-3, 1e-9);
  EXPECT_NEAR(end_of(differentiate(text, {"m"})).velocity[0], 0, 1e-15);
}

TEST(Sensitivity, of_a_puck_that_friction_stops_in_the_plane_is_the_closed_form) {
  // It stops after V / mu, V^2 / (2 mu) from its start, and rests there.
  const std::string text = R"toml([parameters]
mu = 1
v = 1
[points.a]
mass = 1
position = [0, 0]
velocity = ["v", 0.5]
force = "-mu*a'/norm(a')"
[simulation]
until = 2
)toml";
  const Differentiated run = differentiate(text, {"mu", "v"});
  const double speed = std::sqrt(1.25);
  EXPECT_NEAR(end_of(run, 0).position[0], -speed / 2, 1e-12);
  EXPECT_NEAR(end_of(run, 0).position[1], -speed / 4, 1e-12);
  EXPECT_NEAR(end_of(run, 1).position[0], speed / 2 + 1 / (2 * speed), 1e-12);
  EXPECT_NEAR(end_of(run, 1).position[1], 1 / (4 * speed), 1e-12);
  for (const std::size_t k : {0, 1}) {
    EXPECT_EQ(end_of(run, k).velocity[0], 0);
    ASSERT_EQ(run.by[k].events.size(), 1U);
    ASSERT_TRUE(run.by[k].events[0].after);
  }
  EXPECT_NEAR(*run.by[0].events[0].after, -speed, 1e-10);
  EXPECT_NEAR(*run.by[1].events[0].after, 1 / speed, 1e-10);
}

TEST(Sensitivity, of_a_block_that_rests_on_its_belt_is_that_of_differences) {
  // It bends towards its load and the belt before it rests on it; the belt carries a second one by a spring.
  const std::string text = R"toml([parameters]
mu = 2
u = 0.3
f = 0.5
[points.a]
mass = 1
position = [0, 0]
velocity = [1, 0.7]
force = "-mu*(a' - [u, 0])/norm(a' - [u, 0]) + [0, f]"
[points.b]
mass = 0.5
position = [1, 0]
[springs]
s = { between = ["a", "b"], length = 1, stiffness = 0.4 }
[simulation]
until = 1
)toml";
  expect_differences(text, "mu", 2, 1e-3, 1e-9);
  expect_differences(text, "f", 0.5, 1e-3, 1e-9);
  // Without a spring what rests keeps the rounding of its last steps.
  const std::string alone = R"toml([parameters]
mu = 1.662824
[points.a]
mass = 1
position = [0, 0]
velocity = [0.746651, 0.4]
force = "-mu*a'/norm(a') + [0.644153*sin(1.433855*t), 0.2]"
[simulation]
until = 1.5
)toml";
  expect_differences(alone, "mu", 1.662824, 1e-3, 1e-9);
}

TEST(Sensitivity, of_a_speed_that_leaves_its_rest_is_that_of_differences) {
  // With a load that grows until it is mu, at t^2 + 0.2^2 = mu^2; with one that turns; and with one that is too large from the start.
  const std::string grows = R"toml([parameters]
mu = 1
f = 0.2
[points.a]
mass = 1
position = [0, 0]
force = "-mu*a'/norm(a') + [t, f]"
[simulation]
until = 2
)toml";
  const Differentiated run = differentiate(grows, {"mu"}, {0.5});
  EXPECT_TRUE(run.by[0].samples[0].differentiable()) << run.by[0].samples[0].why;
  ASSERT_EQ(run.by[0].events.size(), 1U);
  EXPECT_NEAR(run.by[0].events[0].after.value_or(0), 1 / std::sqrt(1 - 0.04), 1e-9);
  expect_differences(grows, "mu", 1, 1e-3, 1e-8);
  expect_differences(grows, "f", 0.2, 1e-3, 1e-8);
  const std::string at_once = R"toml([parameters]
mu = 1
f = 0.5
[points.a]
mass = 1
position = [0, 0]
force = "-mu*a'/norm(a') + [1.2 - t/2, f + t]"
[simulation]
until = 1
)toml";
  expect_differences(at_once, "mu", 1, 1e-3, 1e-9);
  expect_differences(at_once, "f", 0.5, 1e-3, 1e-9);
}

TEST(Sensitivity, of_the_time_at_which_a_block_sticks_is_right_while_it_turns) {
  // A weak load turns the direction to the very end, as the 0.19th power of the time that is left; the mass has no say before the slip.
  const std::string text = R"toml([parameters]
mu = 0.978
m = 0.5849
[points.a]
mass = "m"
position = [0, 0]
force = "-mu*a'/norm(a')"
[points.b]
mass = 1
position = [1, 0.2]
velocity = [0.5566, 0.3]
[springs]
s = { between = ["a", "b"], length = 1, stiffness = 7.7391 }
[simulation]
until = 1.1
)toml";
  const auto sticks = [&](double mu) {
    model::Overrides overrides;
    overrides.parameters.emplace_back("mu", exact(mu));
    const Differentiated run = differentiate(text, {}, {}, overrides);
    EXPECT_EQ(run.track.events.size(), 2U);
    return run.track.events.back().time;
  };
  const Differentiated run = differentiate(text, {"mu"});
  ASSERT_EQ(run.by[0].events.size(), 2U);
  ASSERT_TRUE(run.by[0].events[1].after);
  const double h = 1e-4;
  EXPECT_NEAR(
      *run.by[0].events[1].after,
      (sticks(0.978 - 2 * h) - 8 * sticks(0.978 - h) + 8 * sticks(0.978 + h) - sticks(0.978 + 2 * h)) / (12 * h), 1e-8);
  expect_differences(text, "m", 0.5849, 5e-4, 1e-8);
}

TEST(Sensitivity, of_the_time_at_which_a_block_sticks_is_that_of_its_closed_form) {
  // Under a constant load F it comes to rest at t = m (mu |v| + F.v) / (mu^2 - F^2); without load in one or two steps, under a weak one it turns for ever.
  const std::string text = R"toml([parameters]
mu = 1.1
m = 0.75
v = 1.3
F = 0
[points.q]
mass = "m"
position = [0, 0]
velocity = [1.1, "v"]
force = "-mu*q'/norm(q') + [F, 0]"
[simulation]
until = 5
)toml";
  for (const double mu : {1.0, 1.1, 1.7}) {
    for (const double load : {0.0, 1e-3, -0.4}) {
      model::Overrides overrides;
      overrides.parameters.emplace_back("mu", exact(mu));
      overrides.parameters.emplace_back("F", exact(load));
      const Differentiated run = differentiate(text, {"mu", "m", "v", "F"}, {}, overrides);
      ASSERT_EQ(run.track.events.size(), 1U);
      const double speed = std::sqrt(1.1 * 1.1 + 1.3 * 1.3);
      const double square = mu * mu - load * load;
      const double push = mu * speed + load * 1.1;
      EXPECT_NEAR(run.track.events[0].time, 0.75 * push / square, 1e-10);
      const double expected[] = {0.75 * (speed - 2 * mu * push / square) / square, push / square,
                                 0.75 * mu * 1.3 / speed / square, 0.75 * (1.1 + 2 * load * push / square) / square};
      for (std::size_t k = 0; k < 4; ++k) {
        ASSERT_TRUE(run.by[k].events[0].after) << run.by[k].events[0].why;
        EXPECT_NEAR(*run.by[k].events[0].after, expected[k], 1e-9) << run.by[k].name << ' ' << mu << ' ' << load;
      }
    }
  }
}

TEST(Sensitivity, of_a_limit_of_shocks_under_friction_that_turns_is_right_however_slowly_it_becomes_geometric) {
  const std::string text = R"toml([parameters]
mu = 0.747012
[points.a]
mass = 1
position = [0, 0]
velocity = [1.456722, 0.4]
force = ["-mu*a.x'/norm(a') + 1.668343*sin(1.19026*t)", "-mu*a.y'/norm(a') + 0.2"]
[constraints]
f = { condition = "a.x <= 0.93946", restitution = 0.5 }
[simulation]
until = 2.126967
)toml";
  const auto limit_and_stick = [&](double mu) {
    model::Overrides overrides;
    overrides.parameters.emplace_back("mu", exact(mu));
    const std::vector<motion::Event> events = differentiate(text, {}, {}, overrides).track.events;
    return std::vector<double>{events[events.size() - 2].time, events.back().time};
  };
  const Differentiated run = differentiate(text, {"mu"});
  const std::size_t last = run.track.events.size() - 1;
  ASSERT_EQ(run.track.events[last - 1].kind, motion::EventKind::accumulation);
  ASSERT_EQ(run.track.events[last].kind, motion::EventKind::stick);
  const double h = 2e-4;
  const std::vector<double> a = limit_and_stick(0.747012 - 2 * h), b = limit_and_stick(0.747012 - h),
                            c = limit_and_stick(0.747012 + h), d = limit_and_stick(0.747012 + 2 * h);
  for (std::size_t k = 0; k < 2; ++k) {
    const EventSlope& slope = run.by[0].events[last - 1 + k];
    ASSERT_TRUE(slope.after) << slope.why;
    EXPECT_NEAR(*slope.after, (a[k] - 8 * b[k] + 8 * c[k] - d[k]) / (12 * h), 1e-7);
  }
}

TEST(Sensitivity, of_multipliers_is_right_where_positions_know_nothing_of_them) {
  // At the speed u that is not exceeded x = u t whatever the load; it is let go where the load F cos(2 t) is zero, whatever F is.
  const Differentiated run = differentiate(R"toml([parameters]
F = 2
[points.a]
mass = 1
position = [0, 0]
velocity = [0.5, 0]
force = ["F*cos(2*t)", 0]
[constraints]
s = "a.x' <= 1"
[simulation]
until = 1
)toml",
                                           {"F"}, {0.7});
  ASSERT_EQ(run.by[0].events.size(), 2U);
  EXPECT_NEAR(run.by[0].events[1].after.value_or(1), 0, 1e-10);
  ASSERT_EQ(run.by[0].samples[0].after->multipliers.size(), 1U);
  EXPECT_NEAR(run.by[0].samples[0].after->multipliers[0].second, std::cos(1.4), 1e-10);
}

TEST(ParameterSlopes, of_a_vector_are_those_of_its_components) {
  const Differentiated run = differentiate(R"toml([parameters]
p = [1, 2]
[points.a]
mass = 1
position = "p"
velocity = "[0, 1]*p.x"
[simulation]
until = 2
)toml",
                                           {"p"});
  ASSERT_EQ(run.by.size(), 2U);
  EXPECT_EQ(run.by[0].name, "p.x");
  EXPECT_EQ(run.by[1].name, "p.y");
  EXPECT_NEAR(end_of(run, 0).position[0], 1, 1e-12);
  EXPECT_NEAR(end_of(run, 0).position[1], 2, 1e-12);
  EXPECT_NEAR(end_of(run, 1).position[0], 0, 1e-12);
  EXPECT_NEAR(end_of(run, 1).position[1], 1, 1e-12);
}

TEST(Sensitivity, of_a_corner_is_there_where_its_sides_are_struck_in_either_order_alike) {
  // Into a right corner that stands askew: it comes back the way it came.
  const auto corner = [](const std::string& first, const std::string& second, const std::string& restitution) {
    return differentiate(
        "[parameters]\nv = 1\n[points.b]\nmass = 1\nposition = [0, 0.7]\nvelocity = [\"v\", 0.3]\n[constraints]\n"
        "a = { condition = \"" +
            first + "\", restitution = " + restitution +
            " }\n"
            "c = { condition = \"" +
            second + "\", restitution = " + restitution + " }\n[simulation]\nuntil = 2\n",
        {"v"});
  };
  const Differentiated back = corner("b.x - b.y <= 0", "b.x + b.y <= 2", "1");
  EXPECT_NEAR(end_of(back).position[0], -2, 1e-12);
  EXPECT_NEAR(end_of(back).position[1], 0, 1e-12);
  EXPECT_NEAR(end_of(back).velocity[0], -1, 1e-12);
  // An acute one without rebound keeps it; an obtuse one, where each side throws off the other, does not know which way.
  const Differentiated kept = corner("b.x - 0.1*b.y <= 0.9", "b.x + 3*b.y <= 4", "0");
  EXPECT_NE(kept.by[0].final.why.find("which comes first"), std::string::npos) << kept.by[0].final.why;
  const Differentiated acute = corner("b.x - b.y <= 0", "0.5*b.x + b.y <= 1.5", "0");
  EXPECT_NEAR(end_of(acute).position[0], 0, 1e-12);
  EXPECT_NEAR(end_of(acute).position[1], 0, 1e-12);
}

/// When the last sequence of shocks of a motion has its limit.
double last_limit(const std::string& text, double e) {
  model::Overrides overrides;
  overrides.parameters.emplace_back("e", exact(e));
  const model::Model model = model::load(text, "model.toml", overrides);
  motion::Motion motion = motion::begin(model);
  motion::Track track;
  motion::follow(model, motion, track);
  double out = 0;
  for (const motion::Event& event : track.events) {
    if (event.kind == motion::EventKind::accumulation) out = event.time;
  }
  return out;
}

TEST(Sensitivity, of_a_limit_knows_that_flights_shorten_not_quite_geometrically) {
  const std::string text = R"toml(gravity=[0,-9.81]
[parameters]
L=1
v=2.0900999999999996
e=0.4492
c=0.3
[points.a]
mass=1
position=[0.5,0.2]
velocity=["v",0]
force="-c*a'"
[points.b]
mass=0.7
position=[0.9,0]
[constraints]
s={condition="norm(a)<=L",restitution="e"}
q={condition="distance(a,b)<=0.6",restitution="e"}
[simulation]
until=1
)toml";
  const Differentiated run = differentiate(text, {"e"});
  std::optional<double> slope;
  for (std::size_t k = 0; k < run.track.events.size(); ++k) {
    if (run.track.events[k].kind == motion::EventKind::accumulation) slope = run.by[0].events[k].after;
  }
  ASSERT_TRUE(slope);
  const double e = 0.4492;
  const double h = 1e-4;
  const double expected = (last_limit(text, e - 2 * h) - 8 * last_limit(text, e - h) + 8 * last_limit(text, e + h) -
                           last_limit(text, e + 2 * h)) /
                          (12 * h);
  EXPECT_NEAR(*slope, expected, 1e-9);
}

TEST(Sensitivity, of_a_corner_that_is_taken_in_another_order_on_each_side_is_one_sided) {
  const std::string text = R"toml(gravity = [0, -2]
[parameters]
v = 2.75
[points.b]
mass = 1
position = [-2.75, -0.875]
velocity = ["v", 1.875]
[constraints]
a = { condition = "3*b.x - 2*b.y <= 0", restitution = 0 }
c = { condition = "b.x + 2*b.y <= 0", restitution = 0 }
[simulation]
until = 1.25
)toml";
  const Slope end = differentiate(text, {"v"}).by[0].final;
  EXPECT_NE(end.why.find("happen at one instant"), std::string::npos) << end.why;
  ASSERT_TRUE(end.before);
  ASSERT_TRUE(end.after);
  const std::vector<double> here = end_with(text, "v", 2.75);
  for (const double side : {-1, 1}) {
    const double h = side * 1e-6;
    const std::vector<double> there = end_with(text, "v", 2.75 + h);
    const std::vector<double> beyond = end_with(text, "v", 2.75 + 2 * h);
    const StateSlope& slope = side < 0 ? *end.before : *end.after;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(slope.position[i], (4 * there[i] - 3 * here[i] - beyond[i]) / (2 * h), 1e-7) << side;
      EXPECT_NEAR(slope.velocity[i], (4 * there[2 + i] - 3 * here[2 + i] - beyond[2 + i]) / (2 * h), 1e-7) << side;
    }
  }
  EXPECT_GT(std::abs(end.before->velocity[0] - end.after->velocity[0]) +
                std::abs(end.before->velocity[1] - end.after->velocity[1]),
            1e-3);
}

/// Two points at x = -1/2, half a second from x = 0.
std::string side_by_side(const std::string& parameters, const std::string& rest) {
  return "[parameters]\n" + parameters + rest + "\n[simulation]\nuntil = 1\n";
}

TEST(Sensitivity, of_things_at_one_instant_and_elsewhere_is_each_ones_own) {
  const std::string a = R"toml(
[points.a]
mass = 1
position = [-0.5, 0]
velocity = ["v", 0]
force = ["if(a.x > 0, 2, 0)", 0]
)toml";
  const std::string b = R"toml(
[points.b]
mass = 1
position = [-0.5, 1]
velocity = ["w", 0]
)toml";
  const std::string wall = R"toml(
[constraints]
wall = { condition = "b.x <= 0", restitution = 0.7 }
)toml";
  const std::string blow = R"toml(
[[impulses]]
at = "T"
on = "b"
value = [1, 0]
)toml";
  // x = s v + 1 s^2 behind the switch at 1 / (2 v): x(1) = v - 1/2 + (1 - 1 / (2 v))^2, x' = v + 2 (1 - 1 / (2 v)).
  const auto switched = [](const StateSlope& end) {
    EXPECT_NEAR(end.position[0], 1 + 2 * 0.5 * 0.5, 1e-12);
    EXPECT_NEAR(end.velocity[0], 1 + 2 * 0.5, 1e-12);
  };
  const std::string both = "v = 1.0\nw = 1.0\nT = 0.5\n";
  {
    const Differentiated run = differentiate(side_by_side(both, a + b + wall), {"v", "w"});
    switched(end_of(run, 0));
    EXPECT_NEAR(end_of(run, 0).position[2], 0, 1e-12);
    // x = -0.7 (w - 1/2) behind the wall.
    EXPECT_NEAR(end_of(run, 1).position[0], 0, 1e-12);
    EXPECT_NEAR(end_of(run, 1).velocity[0], 0, 1e-12);
    EXPECT_NEAR(end_of(run, 1).position[2], -0.7, 1e-12);
    EXPECT_NEAR(end_of(run, 1).velocity[2], -0.7, 1e-12);
  }
  {
    // A blow at T on the other: x = w - 1/2 + 1 - T.
    const Differentiated run = differentiate(side_by_side(both, a + b + blow), {"v", "w", "T"});
    switched(end_of(run, 0));
    EXPECT_NEAR(end_of(run, 1).position[0], 0, 1e-12);
    EXPECT_NEAR(end_of(run, 1).position[2], 1, 1e-12);
    EXPECT_NEAR(end_of(run, 2).position[0], 0, 1e-12);
    EXPECT_NEAR(end_of(run, 2).velocity[0], 0, 1e-12);
    EXPECT_NEAR(end_of(run, 2).position[2], -1, 1e-12);
    EXPECT_NEAR(end_of(run, 2).velocity[2], 0, 1e-12);
    // Each event has its own time.
    for (std::size_t k = 0; k < run.track.events.size(); ++k) {
      const bool falls = run.track.events[k].kind == motion::EventKind::blow;
      ASSERT_TRUE(run.by[0].events[k].after);
      EXPECT_NEAR(*run.by[0].events[k].after, falls ? 0.0 : -0.5, 1e-12);
      EXPECT_NEAR(*run.by[2].events[k].after, falls ? 1.0 : 0.0, 1e-12);
    }
  }
  {
    // A blow on one while the other is at the wall.
    const std::string free = R"toml(
[points.c]
mass = 2
position = [0, 3]
[[impulses]]
at = "T"
on = "c"
value = [0, 3]
)toml";
    const Differentiated run = differentiate(side_by_side("w = 1.0\nT = 0.5\n", b + wall + free), {"w", "T"});
    EXPECT_NEAR(end_of(run, 0).position[0], -0.7, 1e-12);
    EXPECT_NEAR(end_of(run, 0).position[3], 0, 1e-12);
    EXPECT_NEAR(end_of(run, 1).position[0], 0, 1e-12);
    EXPECT_NEAR(end_of(run, 1).position[3], -1.5, 1e-12);
  }
}

TEST(Sensitivity, of_what_is_let_go_or_seized_while_something_else_strikes_is_each_ones_own) {
  // The pendulum is let go at T; the other point is at its wall half a second behind its start. What it does has no part in the pendulum, and the other way round.
  const std::string pendulum = R"toml(
[points.a]
mass = 1
position = [-1, 0]
force = [0, -9.81]
)toml";
  const std::string other = R"toml(
[points.b]
mass = 1
position = [-0.5, 1]
velocity = ["w", 0]
)toml";
  const std::string rod = "[constraints]\nrod = \"distance(a, [0, 0]) = 1\"\n";
  const std::string wall = "wall = { condition = \"b.x <= 0\", restitution = 0.7 }\n";
  for (const std::string& end : {std::string("[[releases]]\nconstraint = \"rod\"\nat = \"T\"\n"),
                                 std::string("[[releases]]\nconstraint = \"rod\"\nwhen = \"t >= T\"\n"),
                                 std::string("[[seizures]]\nname = \"s\"\nat = \"T\"\ncondition = \"a.y' = 0\"\n")}) {
    const Differentiated alone = differentiate(side_by_side("T = 0.5\n", pendulum + rod + end), {"T"});
    const Differentiated run =
        differentiate(side_by_side("T = 0.5\nw = 1.0\n", pendulum + other + rod + wall + end), {"T", "w"});
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(end_of(run, 0).position[i], end_of(alone).position[i], 1e-10) << end;
      EXPECT_NEAR(end_of(run, 0).velocity[i], end_of(alone).velocity[i], 1e-10) << end;
      EXPECT_NEAR(end_of(run, 1).position[i], 0, 1e-11) << end;
      EXPECT_NEAR(end_of(run, 1).velocity[i], 0, 1e-11) << end;
    }
    EXPECT_NEAR(end_of(run, 0).position[2], 0, 1e-11) << end;
    EXPECT_NEAR(end_of(run, 1).position[2], -0.7, 1e-11) << end;
    EXPECT_NEAR(end_of(run, 1).velocity[2], -0.7, 1e-11) << end;
  }
}

TEST(Sensitivity, of_forces_that_add_up_is_there_where_both_switch_at_once) {
  // x = s^2 + 3/2 r^2 with s = 1 - T, r = 1 - U.
  const std::string text = side_by_side("T = 0.5\nU = 0.5\n", R"toml(
[points.a]
mass = 1
position = [0, 0]
force = ["if(t > T, 2, 0) + if(t > U, 3, 0)", 0]
)toml");
  const Differentiated run = differentiate(text, {"T", "U"});
  EXPECT_NEAR(end_of(run, 0).position[0], -1, 1e-12);
  EXPECT_NEAR(end_of(run, 0).velocity[0], -2, 1e-12);
  EXPECT_NEAR(end_of(run, 1).position[0], -1.5, 1e-12);
  EXPECT_NEAR(end_of(run, 1).velocity[0], -3, 1e-12);
  // Blows add up as well.
  const Differentiated blows = differentiate(side_by_side("T = 0.5\n", R"toml(
[points.a]
mass = 1
position = [0, 0]
[[impulses]]
at = "T"
on = "a"
value = [1, 0]
[[impulses]]
at = 0.5
on = "a"
value = [0, 1]
)toml"),
                                             {"T"});
  EXPECT_NEAR(end_of(blows).position[0], -1, 1e-12);
  EXPECT_NEAR(end_of(blows).position[1], 0, 1e-12);
  // Those that do not have two: the second force is there only behind the first.
  const Differentiated product = differentiate(side_by_side("T = 0.5\n", R"toml(
[points.a]
mass = 1
position = [0, 0]
force = ["if(t > T, 2, 0)*if(t > 0.5, 3, 0)", 0]
)toml"),
                                               {"T"});
  const Slope& end = product.by[0].final;
  EXPECT_FALSE(end.differentiable());
  ASSERT_TRUE(end.before && end.after);
  EXPECT_NEAR(end.before->velocity[0], 0, 1e-12);
  EXPECT_NEAR(end.after->velocity[0], -6, 1e-12);
}

TEST(Sensitivity, goes_through_what_happens_at_the_very_end_at_a_given_time) {
  const std::string start = R"toml(
[points.a]
mass = 2
position = [0, 0]
velocity = ["w", "w"]
)toml";
  const std::string blow = R"toml(
[[impulses]]
at = 1
on = "a"
value = ["I", 0]
)toml";
  const Differentiated blown = differentiate(side_by_side("w = 1.0\nI = 3.0\n", start + blow), {"w", "I"});
  EXPECT_NEAR(end_of(blown, 0).position[0], 1, 1e-13);
  EXPECT_NEAR(end_of(blown, 0).velocity[0], 1, 1e-13);
  EXPECT_NEAR(end_of(blown, 1).position[0], 0, 1e-13);
  EXPECT_NEAR(end_of(blown, 1).velocity[0], 0.5, 1e-13);
  const Differentiated stopped = differentiate(
      side_by_side("w = 1.0\n", start + "[[seizures]]\nname = \"s\"\nat = 1\ncondition = \"a.x' = 0\"\n"), {"w"});
  EXPECT_NEAR(end_of(stopped).velocity[0], 0, 1e-13);
  EXPECT_NEAR(end_of(stopped).velocity[1], 1, 1e-13);
  // Where the time moves there is none: the blow falls or does not.
  const Differentiated moved = differentiate(
      side_by_side("w = 1.0\nT = 1.0\n", start + "[[impulses]]\nat = \"T\"\non = \"a\"\nvalue = [1, 0]\n"), {"T"});
  EXPECT_FALSE(moved.by[0].final.differentiable());
}

// A point lies on a floor without weight: pushed down it stays, with that force, pushed up it leaves by k t^2 / 2.
TEST(Sensitivity, of_what_touches_without_a_force_is_one_sided) {
  for (const std::string push : {"k", "k*t"}) {
    const Differentiated run =
        differentiate("[parameters]\nk = 0.0\n[points.a]\nmass = 1\nposition = [0, 0]\nforce = [0, \"" + push +
                          "\"]\n[constraints]\nc = \"a.y >= 0\"\n[simulation]\nuntil = 1\n",
                      {"k"});
    const Slope& end = run.by[0].final;
    EXPECT_FALSE(end.differentiable()) << push;
    EXPECT_NE(end.why.find("touches without a force"), std::string::npos) << end.why;
    ASSERT_TRUE(end.before) << push;
    EXPECT_FALSE(end.after) << push;
    EXPECT_NEAR(end.before->position[1], 0, 1e-14);
  }
  // A weight holds it: both ways.
  const Differentiated held = differentiate(
      "[parameters]\nk = 0.0\n[points.a]\nmass = 1\nposition = [0, 0]\nforce = [0, \"k - 1\"]\n[constraints]\nc = "
      "\"a.y >= 0\"\n[simulation]\nuntil = 1\n",
      {"k"});
  EXPECT_TRUE(held.by[0].final.differentiable());
}

TEST(Sensitivity, of_a_start_at_which_a_rope_is_just_taut_is_there) {
  // The force of the rope is zero there, whatever its length: at L = 1 as elsewhere. Along the line x = 1 + sin(w t) / w, and by L it is 1 - cos(w t).
  const std::string text = R"toml(
[parameters]
L = 1.0
[points.a]
mass = 1
position = [1, 0]
velocity = [1, 0]
[springs]
rope = { between = ["a", [0, 0]], stiffness = 4, length = "L", only = "pull" }
[simulation]
until = 0.7
)toml";
  const Differentiated run = differentiate(text, {"L"});
  EXPECT_NEAR(end_of(run).position[0], 1 - std::cos(1.4), 1e-11);
  EXPECT_NEAR(end_of(run).velocity[0], 2 * std::sin(1.4), 1e-11);
}

}  // namespace
// A stone leaves its sling when it has come far enough, and later the arm is stopped, in both components at once though its rod leaves it one.
TEST(Instants, a_seizure_at_a_time_of_its_own_follows_a_release_by_a_comparison) {
  const std::string text =
      "gravity = [0, -9.81]\n[parameters]\nJ = 0.5\n[points.s]\nmass = 1\nposition = [-1, 0]\n[points.q]\nmass = 0.5\n"
      "position = [-1.5, 0]\n[constraints]\narm = \"norm(s) = 1\"\nsling = \"distance(s, q) <= 0.5\"\n"
      "[[releases]]\nconstraint = \"sling\"\nwhen = \"q.x >= 0.3 and q.y >= -0.2\"\n"
      "[[impulses]]\nat = 0.7\non = \"q\"\nvalue = [\"J\", 0.2]\n"
      "[[seizures]]\nname = \"h\"\nat = 1.4\ncondition = \"s' = [0, 0]\"\n[simulation]\nuntil = 2.5\n";
  expect_differences(text, "J", 0.5, 1e-4, 1e-7);
}

}  // namespace zwang::sensitivity::instant_tests
