/// Derivatives by parameters against closed forms, and against differences of whole motions.
#include "zwang/sensitivity/sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "places.hpp"
#include "runs.hpp"
#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/error.hpp"

namespace zwang::sensitivity::sensitivity_tests {
namespace {

constexpr const char* oscillator = R"toml(
[parameters]
k = 1
m = 1
a = 0.5
[coordinates.x]
initial = "a"
[energy]
kinetic = "m/2*x'^2"
potential = "k/2*x^2"
[outputs]
square = "x^2 + a"
[simulation]
until = 2
)toml";

TEST(Sensitivity, of_an_oscillator_is_the_closed_form) {
  // x = a cos(w t), w = sqrt(k / m). A factor that is 1 is not in the compiled model, and its slope is there nevertheless.
  const Differentiated run = differentiate(oscillator, {"k", "m", "a"}, {0.7});
  const double t = 2;
  const double by_w = -0.5 * t * std::sin(t);
  EXPECT_NEAR(end_of(run, 0).position[0], by_w / 2, 1e-13);
  EXPECT_NEAR(end_of(run, 1).position[0], -by_w / 2, 1e-13);
  EXPECT_NEAR(end_of(run, 2).position[0], std::cos(t), 1e-13);
  EXPECT_NEAR(end_of(run, 2).velocity[0], -std::sin(t), 1e-13);
  // The output has the parameter itself in it.
  EXPECT_NEAR(end_of(run, 2).outputs[0], 2 * 0.5 * std::cos(t) * std::cos(t) + 1, 1e-13);
  ASSERT_EQ(run.by[0].samples.size(), 1U);
  EXPECT_NEAR(run.by[0].samples[0].after->position[0], -0.25 * 0.7 * std::sin(0.7), 1e-14);
}

constexpr const char* rod = R"toml(
gravity = [0, -9.81]
[parameters]
L = 1.3
w = 2
m = 0.7
[points.a]
mass = "m"
position = ["L", 0]
velocity = [0, "w"]
[constraints]
rod = "distance(a, [0, 0]) = L"
[simulation]
until = 3
)toml";

/// Rods, a string and a bead on an ellipse; with a factor before the conditions they go by tapes, without it by strands.
std::string linked(const std::string& factor) {
  const auto equal = [&](const std::string& left, const std::string& relation, const std::string& right) {
    return "\"" + factor + left + " " + relation + " " + factor + right + "\"\n";
  };
  return std::string(R"toml(gravity = [0, "-g"]
[parameters]
g = 9.5
L = 1.25
M = 0.75
m = 1.1
v = 0.4
[points.a]
mass = "m"
position = ["0.25 + L", 0]
[points.b]
mass = 1
position = ["0.25 + L", "-M"]
velocity = ["v", 0]
[points.c]
mass = 0.5
position = ["1.65 + L", "-M"]
velocity = [0, 0.3]
[points.d]
mass = 1
position = [1, -0.5]
velocity = [0.25, 0.25]
[constraints]
)toml") +
         "upper = " + equal("distance(a, [0.25, 0])", "=", "L") + "lower = " + equal("distance(a, b)", "=", "M") +
         "string = " + equal("distance(b, c)", "<=", "1.5") + "track = " + equal("(d.x^2/2 + d.y^2)", "=", "0.75") +
         "[simulation]\nuntil = 1.5\n";
}

TEST(Sensitivity, along_strands_is_that_along_tapes) {
  const std::vector<std::string> parameters = {"g", "L", "M", "m", "v"};
  const Differentiated strands = differentiate(linked(""), parameters, {0.2, 0.9});
  const Differentiated tapes = differentiate(linked("3*"), parameters, {0.2, 0.9});
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    ASSERT_EQ(strands.by[p].samples.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
      const StateSlope& one = *strands.by[p].samples[k].after;
      const StateSlope& other = *tapes.by[p].samples[k].after;
      for (std::size_t i = 0; i < one.position.size(); ++i) {
        EXPECT_NEAR(one.position[i], other.position[i], 1e-10 * (1 + std::abs(other.position[i]))) << parameters[p];
        EXPECT_NEAR(one.velocity[i], other.velocity[i], 1e-10 * (1 + std::abs(other.velocity[i]))) << parameters[p];
      }
      ASSERT_EQ(one.multipliers.size(), other.multipliers.size());
      for (std::size_t j = 0; j < one.multipliers.size(); ++j) {
        EXPECT_EQ(one.multipliers[j].first, other.multipliers[j].first);
        EXPECT_NEAR(one.multipliers[j].second, 3 * other.multipliers[j].second,
                    1e-9 * (1 + std::abs(one.multipliers[j].second)));
      }
    }
  }
}

TEST(Sensitivity, of_a_spring_that_is_wound_up_counts_its_turns) {
  // The angle is 10/w sin(w t), w^2 = k/I: more than two turns.
  const Differentiated run = differentiate(R"toml([parameters]
k = 0.2
[bodies.a]
mass = 1
inertia = [0.4, 0.4, 0.5]
position = [0, 0, 0]
spin = [0, 0, 10]
[joints]
j = { hinge = [[0, 0, 0], "a"], axis = [0, 0, 1] }
[springs]
s = { on = "j", angle = 0, stiffness = "k" }
[simulation]
until = 2
)toml",
                                           {"k"}, {2.0});
  const double w = std::sqrt(0.2 / 0.5);
  const double by_w = 1 / (2 * w * 0.5);
  const double angle = 10 / w * std::sin(2 * w);
  const double slope = by_w * (-10 / (w * w) * std::sin(2 * w) + 20 / w * std::cos(2 * w));
  ASSERT_TRUE(run.by[0].samples[0].after);
  const std::vector<double>& found = run.by[0].samples[0].after->position;
  EXPECT_NEAR(found[3], -std::sin(angle / 2) * slope / 2, 1e-9);
  EXPECT_NEAR(found[6], std::cos(angle / 2) * slope / 2, 1e-9);
}

TEST(Sensitivity, of_a_pendulum_is_that_of_differences) {
  expect_differences(rod, "L", 1.3, 1e-4, 1e-10);
  expect_differences(rod, "w", 2, 2e-3, 1e-10);
  // The mass is without effect, on the motion; not on the rod's force.
  const Differentiated run = differentiate(rod, {"m"});
  EXPECT_NEAR(end_of(run).position[0], 0, 1e-11);
  ASSERT_EQ(end_of(run).multipliers.size(), 1U);
  EXPECT_NEAR(end_of(run).multipliers[0].second, run.track.account.present.multipliers[0] / 0.7, 1e-10);
}

TEST(Sensitivity, of_a_hinged_bar_knows_no_azimuth) {
  // The same swing in planes that stand at different angles: derivatives along the plane and upwards are the same.
  const auto bar = [](const std::string& azimuth) {
    return "gravity = [0, 0, -9.81]\n[parameters]\na = 0.3\nz = \"" + azimuth +
           "\"\nk = \"(pi/2 - a)/2\"\n[bodies.b]\nmass = 1\nshape = { box = [1, 0.1, 0.1] }\n"
           "position = [\"0.5*sin(a)*cos(z)\", \"0.5*sin(a)*sin(z)\", \"-0.5*cos(a)\"]\n"
           "orientation = [\"cos(z/2)*cos(k)\", \"-sin(z/2)*sin(k)\", \"cos(z/2)*sin(k)\", \"sin(z/2)*cos(k)\"]\n"
           "[bodies.b.marks]\ne = [-0.5, 0, 0]\n"
           "[joints]\nh = { hinge = [[0, 0, 0], \"b.e\"], axis = [\"-sin(z)\", \"cos(z)\", 0] }\n[simulation]\nuntil = "
           "0.5\n";
  };
  const std::vector<double> plain = end_of(differentiate(bar("0"), {"a"})).position;
  for (const double z : {1.0, 2.3}) {
    const std::vector<double> turned = end_of(differentiate(bar(exact(z)), {"a"})).position;
    EXPECT_NEAR(turned[0], std::cos(z) * plain[0], 1e-12) << z;
    EXPECT_NEAR(turned[1], std::sin(z) * plain[0], 1e-12) << z;
    EXPECT_NEAR(turned[2], plain[2], 1e-12) << z;
  }
}

constexpr const char* ball = R"toml(
gravity = [0, "-g"]
[parameters]
h = 2
e = 0.5
g = 10
[points.b]
mass = 1
position = [0, "h"]
velocity = [1, 0]
[constraints]
floor = { condition = "b.y >= 0", restitution = "e" }
[simulation]
until = 1.2
)toml";

TEST(Sensitivity, goes_through_a_shock) {
  // It falls for T = sqrt(2 h / g) and rises with e g T.
  const Differentiated run = differentiate(ball, {"h", "e", "g"});
  const double h = 2;
  const double e = 0.5;
  const double g = 10;
  const double fall = std::sqrt(2 * h / g);
  const double later = 1.2 - fall;
  ASSERT_EQ(run.track.events.size(), 1U);
  EXPECT_NEAR(*run.by[0].events[0].after, fall / (2 * h), 1e-14);
  EXPECT_NEAR(*run.by[1].events[0].after, 0, 1e-14);
  EXPECT_NEAR(*run.by[2].events[0].after, -fall / (2 * g), 1e-14);
  // y = e g T s - g s^2 / 2, s = t - T
  const double by_fall = e * g * later - e * g * fall + g * later;
  EXPECT_NEAR(end_of(run, 0).position[1], by_fall * fall / (2 * h), 1e-12);
  EXPECT_NEAR(end_of(run, 1).position[1], g * fall * later, 1e-12);
  EXPECT_NEAR(end_of(run, 1).velocity[1], g * fall, 1e-12);
  EXPECT_NEAR(end_of(run, 2).position[1], e * fall * later - later * later / 2 - by_fall * fall / (2 * g), 1e-12);
  EXPECT_NEAR(end_of(run, 2).position[0], 0, 1e-13);
}

TEST(Sensitivity, knows_the_limit_of_infinitely_many_shocks) {
  model::Overrides longer;
  longer.until = "4";
  const Differentiated run = differentiate(ball, {"h", "e", "g"}, {}, longer);
  const double fall = std::sqrt(0.4);
  // T (1 + e) / (1 - e)
  std::size_t limits = 0;
  for (std::size_t k = 0; k < run.track.events.size(); ++k) {
    if (run.track.events[k].kind != motion::EventKind::accumulation) continue;
    ++limits;
    EXPECT_NEAR(*run.by[0].events[k].after, 3 * fall / 4, 1e-10);
    EXPECT_NEAR(*run.by[1].events[k].after, fall * 2 / 0.25, 1e-9);
    EXPECT_NEAR(*run.by[2].events[k].after, -3 * fall / 20, 1e-10);
  }
  EXPECT_EQ(limits, 1U);
  // It lies, and slides on.
  EXPECT_NEAR(end_of(run, 1).position[1], 0, 1e-13);
  EXPECT_NEAR(end_of(run, 1).position[0], 0, 1e-13);
}

TEST(Sensitivity, of_a_release_follows_from_the_multiplier) {
  // A point slides from the top of a sphere with speed u: it leaves at cos a = (2 + u^2 / (g r)) / 3. Energy and time by differences.
  const std::string text = R"toml(
gravity = [0, "-g"]
[parameters]
g = 10
u = 1
[points.a]
mass = 1
position = [0, 1]
velocity = ["u", 0]
[constraints]
ground = "a.x^2 + a.y^2 >= 1"
[simulation]
until = 0.8
)toml";
  const Differentiated run = differentiate(text, {"u"});
  ASSERT_GE(run.track.events.size(), 1U);
  const motion::Event& release = run.track.events[0];
  ASSERT_EQ(release.kind, motion::EventKind::release);
  // v^2 = g cos a at the release, with v^2 = u^2 + 2 g (1 - cos a): by u the height moves by 2 u / (3 g).
  const double slope = *run.by[0].events[0].after;
  const Differentiated until = differentiate(text, {"u"}, {release.time - 1e-9});
  const StateSlope& before = *until.by[0].samples[0].after;
  EXPECT_NEAR(before.position[1] + release.velocity[1] * slope, 2.0 / 30, 1e-7);
  expect_differences(text, "u", 1, 1e-3, 1e-9);
}

TEST(Sensitivity, goes_through_switches_blows_and_given_times) {
  const std::string text = R"toml(
[parameters]
T = 1.0
F = 2.0
J = 0.5
S = 1.5
c = 0.3
[coordinates.x]
initial = 0
force = "if(x > c, F, 1)"
[coordinates.y]
initial = 0
velocity = 1
force = "-y"
[energy]
kinetic = "x'^2/2 + y'^2/2"
[[impulses]]
at = "T"
on = "y"
value = "J"
[[seizures]]
name = "stop"
at = "S"
condition = "y' = 0"
[simulation]
until = 2
)toml";
  for (const auto& [name, value] : {std::pair("T", 1.0), {"F", 2.0}, {"J", 0.5}, {"S", 1.5}, {"c", 0.3}}) {
    expect_differences(text, name, value, 1e-3, 1e-10);
  }
}

TEST(Sensitivity, of_an_end_that_is_reached_is_that_of_the_end) {
  // Thrown at 45 degrees with speed v, stopped at x = 2: after 2 sqrt 2 / v, at y = x - g x^2 / v^2.
  const std::string text = R"toml(
gravity = [0, "-g"]
[parameters]
g = 10
v = 5
[points.a]
mass = 1
position = [0, 0]
velocity = ["v/sqrt(2)", "v/sqrt(2)"]
[simulation]
until = 5
stop = "a.x >= 2"
[outputs]
height = "a.y"
)toml";
  const Differentiated run = differentiate(text, {"v", "g"});
  ASSERT_EQ(run.track.account.status, motion::Status::stopped);
  EXPECT_NEAR(*end_of(run, 0).time, -2 * std::sqrt(2.0) / 25, 1e-14);
  EXPECT_NEAR(end_of(run, 0).position[0], 0, 1e-13);
  EXPECT_NEAR(end_of(run, 0).position[1], 2 * 10 * 4 / 125.0, 1e-13);
  EXPECT_NEAR(end_of(run, 0).outputs[0], 2 * 10 * 4 / 125.0, 1e-13);
  EXPECT_NEAR(end_of(run, 1).position[1], -4 / 25.0, 1e-13);
  EXPECT_EQ(*end_of(run, 1).time, 0);
}

TEST(Sensitivity, says_where_there_is_none) {
  // A throw that touches the edge of a roof with its highest point: higher, it strikes.
  const std::string graze = R"toml(
gravity = [0, -10]
[parameters]
v = 10
[points.a]
mass = 1
position = [0, 0]
velocity = [1, "v"]
[constraints]
roof = "a.y <= 5"
[simulation]
until = 1.5
)toml";
  const Differentiated run = differentiate(graze, {"v"});
  EXPECT_FALSE(run.by[0].final.differentiable());
  EXPECT_NE(run.by[0].final.why.find("grazed"), std::string::npos);
  EXPECT_FALSE(run.by[0].final.after);
  ASSERT_TRUE(run.by[0].final.before);
  EXPECT_NEAR(run.by[0].final.before->position[1], 1.5, 1e-12);

  // Two walls at one instant that act on one body.
  const std::string corner = R"toml(
[parameters]
x = 1
[points.a]
mass = 1
position = ["-x", -1]
velocity = [1, 1]
[constraints]
one = { condition = "a.x <= 0", restitution = 1 }
other = { condition = "a.x + 2*a.y <= 0", restitution = 1 }
[simulation]
until = 3
)toml";
  const Differentiated both = differentiate(corner, {"x"});
  EXPECT_FALSE(both.by[0].final.differentiable());
  EXPECT_NE(both.by[0].final.why.find("one instant"), std::string::npos);
}

TEST(Sensitivity, of_a_motion_that_does_not_begin_is_none) {
  const Differentiated run = differentiate(
      "[parameters]\np = 1\n[points.a]\nmass = 1\nposition = [0, \"p\"]\n[constraints]\nf = \"a.y >= "
      "2\"\n[simulation]\nuntil = 1\n",
      {"p"});
  EXPECT_FALSE(run.by[0].final.before);
  EXPECT_FALSE(run.by[0].final.after);
  EXPECT_NE(run.by[0].final.why.find("ended where it began"), std::string::npos);
}

TEST(Sensitivity, of_what_is_pressed_at_the_start_is_on_both_sides_the_same) {
  // A point on the floor that is thrown up a little comes down at once; a load on a rope that is a little slack in speed as well.
  const std::string crane = R"toml(
gravity = [0, -10]
[parameters]
winch = 1
[points.load]
mass = 3
position = [3, -4]
velocity = [5.4, 3.8]
[constraints]
rope = "distance(load, [2*t + 5*t^2/2, 0]) <= 5 - winch*t"
[simulation]
until = 1
)toml";
  expect_differences(crane, "winch", 1, 1e-6, 1e-5);
}

TEST(Sensitivity, of_a_flow_goes_through_its_switch) {
  const std::string text = R"toml(
[parameters]
a = 0.7
b = 1.3
c = 0.4
[coordinates.x]
initial = "a"
[coordinates.y]
initial = 0
[coordinates.z]
initial = 0.2
[flow]
x = "y + if(x > c, b, 2)"
y = "-x*b"
z = "x*y"
[constraints]
plane = "z - 0.3*x = 0.2 - 0.3*a"
[simulation]
until = 2.2
)toml";
  for (const auto& [name, value] : {std::pair("a", 0.7), {"b", 1.3}, {"c", 0.4}}) {
    expect_differences(text, name, value, 1e-3, 1e-10);
  }
}

TEST(Sensitivity, begins_where_a_root_does) {
  // Drag by the square of the speed, from rest: v = sqrt(g / c) tanh(sqrt(g c) t).
  const std::string text = R"toml(
gravity = [0, "-g"]
[parameters]
g = 10
c = 0.5
[points.a]
mass = 1
position = [0, 0]
force = "-c*norm(a')*a'"
[simulation]
until = 0.6
)toml";
  const Differentiated run = differentiate(text, {"g", "c"});
  const double t = 0.6;
  const double u = std::sqrt(5.0) * t;
  const double speed = std::sqrt(20.0) * std::tanh(u);
  const double slope = 1 / (std::cosh(u) * std::cosh(u));
  EXPECT_NEAR(end_of(run, 0).velocity[1], -(speed / 20 + std::sqrt(20.0) * slope * u / 20), 1e-11);
  EXPECT_NEAR(end_of(run, 1).velocity[1], -(-speed / 1 + std::sqrt(20.0) * slope * u / 1), 1e-11);
}

TEST(Sensitivity, takes_things_apart_that_happen_at_once_and_elsewhere) {
  const std::string text = R"toml(
[parameters]
x = 1
[points.a]
mass = 1
position = ["-x", 0]
velocity = [1, 0]
[points.b]
mass = 1
position = [0, -1]
velocity = [0, 1]
[constraints]
one = { condition = "a.x <= 0", restitution = 0.5 }
other = { condition = "b.y <= 0", restitution = 0.5 }
[simulation]
until = 3
)toml";
  const Differentiated run = differentiate(text, {"x"});
  // a.x = -(t - x) / 2 behind the wall
  EXPECT_NEAR(end_of(run).position[0], 0.5, 1e-13);
  EXPECT_NEAR(end_of(run).position[3], 0, 1e-13);
}

TEST(Sensitivity, of_the_time_at_which_two_things_happen_to_happen_is_none) {
  // Both land at t = 1, one later and the other not where h grows.
  const Differentiated run = differentiate(R"toml(gravity = [0, -10]
[parameters]
h = 5
[points.a]
mass = 1
position = [0, "h"]
[points.b]
mass = 2
position = [1, 5]
[constraints]
c = { condition = "a.y >= 0", restitution = 0.5 }
d = { condition = "b.y >= 0", restitution = 0.3 }
[simulation]
until = 1.2
)toml",
                                           {"h"});
  ASSERT_FALSE(run.by[0].events.empty());
  const EventSlope& landing = run.by[0].events[0];
  EXPECT_FALSE(landing.before);
  EXPECT_FALSE(landing.after);
  EXPECT_NE(landing.why.find("0.1"), std::string::npos) << landing.why;
  // The states know their own: y = v s - 5 s^2 behind the shock at sqrt(h/5), v = 5 sqrt(h/5).
  const double behind = 0.2;
  EXPECT_NEAR(end_of(run, 0).position[0 + 1], 0.5 * behind - (5 - 10 * behind) * 0.1, 1e-12);
  EXPECT_NEAR(end_of(run, 0).position[2 + 1], 0, 1e-12);
}

TEST(Sensitivity, at_an_end_that_is_the_landing_is_found_beside_it) {
  const std::string text = R"toml(gravity = [0, -10]
[parameters]
h = 5
[points.a]
mass = 1
position = [0, "h"]
[constraints]
c = { condition = "a.y >= 0", restitution = 0.5 }
[simulation]
until = 1
)toml";
  Differentiated run = differentiate(text, {"h"});
  EXPECT_NE(run.by[0].final.why.find("very end"), std::string::npos) << run.by[0].final.why;
  EXPECT_FALSE(run.by[0].final.before);
  EXPECT_FALSE(run.by[0].final.after);
  // From lower it has bounced, as it has at the end: y = v (1 - t) - 5 (1 - t)^2 behind t = sqrt(h/5), v = 5 sqrt(h/5). From higher it is still falling, with another velocity.
  const model::Draft draft = model::read(text, "model.toml");
  add_sides_from_beside(run.by, draft, {}, parameter_slopes(draft, {}, {"h"}), run.model,
                        motion::view(run.model, run.track), {});
  EXPECT_FALSE(run.by[0].final.after);
  ASSERT_TRUE(run.by[0].final.before);
  EXPECT_NEAR(run.by[0].final.before->position[1], -0.5, 1e-10);
  EXPECT_NEAR(run.by[0].final.before->velocity[1], 1.5, 1e-10);
}

TEST(Sensitivity, of_the_gallery_is_that_of_differences) {
  struct Case {
    const char* model;
    const char* parameter;
    double value, step, near;
  };
  for (const Case& one : {Case{"bowl", "e", 0.5, 5e-5, 1e-9}, Case{"bricard", "c", 0.1, 1e-4, 3e-9},
                          Case{"bead-curtain", "v", 6, 6e-4, 1e-9}, Case{"rolling-coin", "R", 1, 1e-3, 1e-10}}) {
    std::ifstream file(places::source("gallery/") + one.model + "/model.toml");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    SCOPED_TRACE(one.model);
    expect_differences(text, one.parameter, one.value, one.step, one.near);
  }
}

TEST(ParameterSlopes, are_refused_with_a_reason) {
  const model::Draft draft = model::read(R"toml(
[parameters]
n = 3
long = 1
[points.a]
count = "n"
mass = 1
position = ["i*long", 0]
[simulation]
until = 1
)toml",
                                         "model.toml");
  try {
    (void)parameter_slopes(draft, {}, {"n"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("whole number"), std::string::npos) << error.message();
  }
  try {
    (void)parameter_slopes(draft, {}, {"lomg"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("did you mean 'long'"), std::string::npos) << error.message();
  }
}

TEST(Sensitivity, is_not_claimed_through_the_anchor_of_a_spring) {
  const Differentiated run = differentiate(
      "[parameters]\nL = 1\n[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [-20, 0]\n[springs]\ns = { between = "
      "[\"a\", [0, 0]], length = \"L\", stiffness = 100 }\n[simulation]\nuntil = 0.3\n",
      {"L"}, {0.05});
  EXPECT_NE(run.by[0].final.why.find("points meet"), std::string::npos) << run.by[0].final.why;
  EXPECT_EQ(run.by[0].samples[0].why, "");
}

TEST(ParameterSlopes, stand_at_the_edge_of_what_is_allowed) {
  // No restitution is larger than 1, and none smaller than 0.
  for (const char* value : {"1", "0"}) {
    model::Overrides overrides;
    overrides.parameters.emplace_back("e", value);
    const std::vector<ParameterSlope> slopes = parameter_slopes(model::read(ball, "model.toml"), overrides, {"e"});
    EXPECT_NEAR(slopes[0].slope.conditions[0].restitution, 1, 1e-12);
    EXPECT_EQ(slopes[0].model.conditions[0].restitution, std::stod(value));
  }
}

TEST(ParameterSlopes, are_right_beside_poles_roots_corners_and_of_large_phases) {
  struct Case {
    const char* expression;
    double value;
    double slope;
  };
  // Closed forms.
  for (const Case& one :
       {Case{"sqrt((1 + p)/(1 - p))", 0.99, 1 / (0.01 * std::sqrt(0.01 * 1.99))},
        Case{"cos(p)", 2024.5, -elementary::sin(2024.5)},
        Case{"sqrt(1 - p^2)", 0.999, -0.999 / std::sqrt(1 - 0.999 * 0.999)}, Case{"1/(p - 10)", 10.1, -100},
        Case{"max(p - 1, 0)", 1.005, 1}, Case{"floor(p)", 2.01, 0}, Case{"mod(p, 1)", 3.001, 1},
        Case{"tanh(200*(p - 1))", 1, 200}, Case{"log(p - 2.99)", 3, 100}}) {
    model::Overrides overrides;
    overrides.parameters.emplace_back("p", exact(one.value));
    const model::Draft draft = model::read("[parameters]\np = 1\n[points.a]\nmass = 1\nposition = [\"" +
                                               std::string(one.expression) + "\", 0]\n[simulation]\nuntil = 1\n",
                                           "model.toml");
    const std::vector<ParameterSlope> slopes = parameter_slopes(draft, overrides, {"p"});
    // Numbers beside a pole have lost the digits that their argument lost.
    EXPECT_NEAR(slopes[0].slope.initial_position[0], one.slope, 2e-11 * (1 + std::abs(one.slope))) << one.expression;
  }
  // At a corner there is none.
  model::Overrides overrides;
  overrides.parameters.emplace_back("p", "1");
  const model::Draft corner = model::read(
      "[parameters]\np = 1\n[points.a]\nmass = 1\nposition = [\"max(p - 1, 0)\", 0]\n[simulation]\nuntil = 1\n",
      "model.toml");
  try {
    (void)parameter_slopes(corner, overrides, {"p"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("a corner, a jump or a pole"), std::string::npos) << error.message();
  }
}

}  // namespace
TEST(Sensitivity, of_drag_with_a_broken_power_of_the_speed_ends_where_the_speed_does) {
  // v' = -k v / sqrt(|v|) from speed 1: |v| = (1 - k t/2)^2, by k -(1 - t/2) t; the way by k is the integral of it, -t^2/2 + t^3/6.
  const auto drag = [](const std::string& until) {
    return "[parameters]\nk = 1\n[points.p]\nmass = 1\nposition = [0, 0]\nvelocity = [0.6, 0.8]\nforce = "
           "\"-k*p'/sqrt(norm(p'))\"\n[simulation]\nuntil = " +
           until + "\n";
  };
  const Differentiated moving = differentiate(drag("1"), {"k"});
  EXPECT_NEAR(end_of(moving).velocity[0], -0.6 / 2, 1e-11);
  EXPECT_NEAR(end_of(moving).position[1], -0.8 / 3, 1e-11);
  const Differentiated rests = differentiate(drag("5"), {"k"});
  EXPECT_FALSE(rests.by[0].final.after);
  EXPECT_NE(rests.by[0].final.why.find("the speed of p"), std::string::npos) << rests.by[0].final.why;
}

TEST(Sensitivity, of_a_gust_that_takes_along_what_is_at_rest_is_that_of_the_motion) {
  // Wind t and drag k z^2: z = tanh(sqrt(k) t) / sqrt(k) behind the wind, v = t - z; at k = 1 dv/dk = (tanh t - t / cosh(t)^2) / 2.
  const Differentiated gust = differentiate(
      "[parameters]\nk = 1\n[points.p]\nmass = 1\nposition = [0, 0]\nforce = \"-k*norm(p' - [t, 0])*(p' - [t, "
      "0])\"\n[simulation]\nuntil = 2\n",
      {"k"});
  const double c = std::cosh(2.0);
  EXPECT_NEAR(end_of(gust).velocity[0], (std::tanh(2.0) - 2 / (c * c)) / 2, 1e-10);
}

}  // namespace zwang::sensitivity::sensitivity_tests
