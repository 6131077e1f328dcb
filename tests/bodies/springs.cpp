/// Springs and dampers against the same forces written out, and against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "answer.hpp"

namespace zwang::testing::springs_tests {

namespace {

/// What a run at the default tolerance is good to, at sizes of about 1.
constexpr double spring_exactness = 1e-10;

void expect_same_outputs(const std::string& one, const std::string& other, const std::vector<double>& instants) {
  const Motion a = run(parse(one));
  const Motion b = run(parse(other));
  ASSERT_EQ(a.status(), motion::Status::finished) << a.why();
  ASSERT_EQ(b.status(), motion::Status::finished) << b.why();
  for (const double time : instants) expect_near(a.sample(time).outputs, b.sample(time).outputs, spring_exactness);
  EXPECT_NEAR(a.account().energy.final, b.account().energy.final, spring_exactness);
  EXPECT_NEAR(a.account().energy.work, b.account().energy.work, spring_exactness);
}

}  // namespace

TEST(Spring, between_points_is_the_potential_and_the_damper_written_out) {
  const std::string points = R"toml([points.a]
mass = 1
position = [0, 0, 0]
velocity = [0, 1, 0]
FORCE_A
[points.b]
mass = 2
position = [1.5, 0.2, 0]
FORCE_B
[outputs]
a = "a"
b = "b"
[simulation]
until = 3
)toml";
  const auto with = [&](std::string text, const std::string& a, const std::string& b) {
    text.replace(text.find("FORCE_A"), 7, a);
    text.replace(text.find("FORCE_B"), 7, b);
    return text;
  };
  const std::string damper = "\"0.3*dot(b - a, b' - a')/dot(b - a, b - a)*(b - a)\"";
  expect_same_outputs(
      with(points, "", "") + "[springs]\ns = { between = [\"a\", \"b\"], length = 1, stiffness = 20, damping = 0.3 }\n",
      with(points, "force = " + damper, "force = " + std::string("\"-") + damper.substr(1)) +
          "[energy]\npotential = \"10*(distance(a, b) - 1)^2\"\n",
      {0.5, 1.7, 3});
}

TEST(Spring, on_a_mark_pulls_and_turns_its_body) {
  const std::string body = R"toml([bodies.b]
mass = 2
inertia = [0.2, 0.3, 0.4]
position = [0, 0, 0]
spin = [0, 0.3, 1]
FORCE
[bodies.b.marks]
m = [0.5, 0.2, -0.1]
[outputs]
m = "b.m"
w = "b.spin"
[simulation]
until = 2
)toml";
  const std::string f =
      "-(5*(distance(b.m, [2, 1, 0]) - 1) + 0.4*dot(b.m - [2, 1, 0], b.m')/distance(b.m, [2, 1, 0]))"
      "/distance(b.m, [2, 1, 0])*(b.m - [2, 1, 0])";
  std::string plain = body;
  plain.replace(plain.find("FORCE"), 5, "");
  std::string written = body;
  written.replace(written.find("FORCE"), 5, "force = \"" + f + "\"\ntorque = \"cross(b.m - b, " + f + ")\"");
  const Motion a = run(
      parse(plain + "[springs]\ns = { between = [\"b.m\", [2, 1, 0]], length = 1, stiffness = 5, damping = 0.4 }\n"));
  const Motion b = run(parse(written));
  ASSERT_EQ(a.status(), motion::Status::finished) << a.why();
  ASSERT_EQ(b.status(), motion::Status::finished) << b.why();
  for (const double time : {0.5, 2.0}) expect_near(a.sample(time).outputs, b.sample(time).outputs, spring_exactness);
}

TEST(Spring, of_no_length_is_an_oscillator_that_passes_through_its_anchor) {
  const Json answer = run_answer(R"toml([points.a]
mass = 1
position = [1, 0]
[springs]
s = { between = ["a", [0, 0]], stiffness = 4 }
[simulation]
until = 10
)toml");
  ASSERT_EQ(answer["status"], "finished");
  EXPECT_NEAR(numbers(answer["final"]["positions"]["a"])[0], std::cos(20.0), spring_exactness);
  EXPECT_NEAR(answer["energy"]["initial"].get<double>(), 2, spring_exactness);
}

TEST(Spring, an_elastic_rope_is_slack_through_its_anchor_and_pulls_beyond) {
  // From 1.5 at rest: a quarter of a swing to 1 with the speed sqrt(k) 0.5 = 1, straight through the anchor to -1, a quarter to -1.5, and back.
  const std::string rope = R"toml([points.a]
mass = 1
position = [1.5, 0]
[springs]
s = { between = ["a", [0, 0]], length = 1, stiffness = 4, only = "pull" }
[simulation]
until = "pi/4 + 2 + pi/4"
)toml";
  const Json answer = run_answer(rope);
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  expect_near(numbers(answer["final"]["positions"]["a"]), {-1.5, 0}, spring_exactness);
  expect_near(numbers(answer["final"]["velocities"]["a"]), {0, 0}, spring_exactness);
}

TEST(Spring, a_bump_stop_pushes_alone_and_without_damping_when_it_is_free) {
  // A point falls on a stop that stands below it: free fall to the length, then half a swing about the sag.
  const std::string stop = R"toml([points.a]
mass = 1
position = [0, 2]
velocity = [0, -2]
[springs]
s = { between = ["a", [0, 0]], length = 1, stiffness = 9, damping = 0, only = "push" }
[simulation]
until = 3
)toml";
  // Reaches 1 at 1/2 with 2, turns within pi/3, leaves with 2.
  const Json answer = run_answer(stop);
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  const double leaves = 0.5 + 3.14159265358979323846 / 3;
  expect_near(numbers(answer["final"]["positions"]["a"]), {0, 1 + 2 * (3 - leaves)}, spring_exactness);
}

TEST(Spring, a_bump_stop_is_passed_at_its_anchor) {
  // From -1 with 1.5: free to -0.2, then r'' = 4 (0.2 - r) with r' = -1.5, and the same backwards on the other side.
  const std::string stop = R"toml([points.a]
mass = 1
position = [-1, 0]
velocity = [1.5, 0]
[springs]
s = { between = ["a", [0, 0]], length = 0.2, stiffness = 4, only = "push" }
[simulation]
until = 3
)toml";
  const Json answer = run_answer(stop);
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  const double through = std::asin(0.2 / 0.75);  // 2 times the time from the length to the anchor, both ways
  expect_near(numbers(answer["final"]["positions"]["a"]), {0.2 + 1.5 * (3 - 0.8 / 1.5 - through), 0}, spring_exactness);
}

TEST(Spring, on_a_hinge_swings_over_whole_turns_and_is_damped) {
  const auto model = [](bool plane) {
    const std::string zero = plane ? "[0, 0]" : "[0, 0, 0]";
    return "[bodies.b]\nmass = 1\ninertia = " + std::string(plane ? "0.5" : "[1, 1, 0.5]") + "\nposition = " + zero +
           "\nspin = " + (plane ? "20" : "[0, 0, 20]") + "\n[joints]\nj = { hinge = [" + zero + ", \"b\"]" +
           (plane ? "" : ", axis = [0, 0, 1]") +
           " }\n[springs]\ns = { on = \"j\", angle = 0.5, stiffness = 2, damping = 0.1 }\n[outputs]\nw = \"" +
           (plane ? "b.spin" : "b.spin.z") + "\"\n[simulation]\nuntil = 5\n";
  };
  const std::string coordinate =
      "[coordinates.q]\ninitial = 0\nvelocity = 20\nforce = \"-0.1*q'\"\n[energy]\nkinetic = \"0.25*q'^2\"\n"
      "potential = \"(q - 0.5)^2\"\n[outputs]\nw = \"q'\"\n[simulation]\nuntil = 5\n";
  expect_same_outputs(model(false), coordinate, {1, 5});
  expect_same_outputs(model(true), coordinate, {1, 5});
}

TEST(Spring, along_a_slider_is_an_oscillator_whose_travel_is_counted_from_the_start) {
  const std::string model = R"toml([bodies.b]
mass = 2
shape = { ball = 0.1 }
position = [3, 1, 0]
[joints]
rail = { slider = [[0, 1, 0], "b"], axis = [2, 0, 0] }
[springs]
s = { on = "rail", travel = 0.25, stiffness = 8 }
[simulation]
until = 4
)toml";
  const Json answer = run_answer(model);
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  EXPECT_NEAR(numbers(answer["final"]["positions"]["b"])[0], 3.25 - 0.25 * std::cos(8.0), spring_exactness);
}

TEST(Spring, between_two_bodies_keeps_momentum_and_angular_momentum) {
  const Json answer = run_answer(R"toml([bodies.a]
mass = 1
inertia = [0.1, 0.2, 0.3]
position = [0, 0, 0]
spin = [1, 0, 0]
[bodies.a.marks]
m = [0.3, 0, 0.1]
[bodies.b]
mass = 2
inertia = [0.3, 0.2, 0.4]
position = [1, 0.5, 0]
velocity = [0, 0, 1]
[bodies.b.marks]
m = [0, -0.4, 0.2]
[springs]
s = { between = ["a.m", "b.m"], length = 0.3, stiffness = 7, damping = 0.8 }
[simulation]
until = 2
)toml",
                                 {0});
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  const auto total = [](const Json& at) {
    const std::vector<double> qa = numbers(at["positions"]["a"]), qb = numbers(at["positions"]["b"]);
    const std::vector<double> va = numbers(at["velocities"]["a"]), vb = numbers(at["velocities"]["b"]);
    const auto own = [](const std::vector<double>& q, const std::vector<double>& v, const Three& moments) {
      Three out{};
      for (std::size_t k = 0; k < 3; ++k) {
        const Three axis = axes_of(q).at(k);
        out = sum(out, times(moments.at(k) * dot(axis, part(v, 3)), axis));
      }
      return out;
    };
    Three out = sum(own(qa, va, {0.1, 0.2, 0.3}), own(qb, vb, {0.3, 0.2, 0.4}));
    out = sum(out, cross(part(qa, 0), part(va, 0)));
    return sum(out, times(2, cross(part(qb, 0), part(vb, 0))));
  };
  expect_near(total(answer["final"]), total(answer["samples"][0]), spring_exactness);
  EXPECT_LT(answer["energy"]["work"].get<double>(), -0.01);
}

TEST(Spring, let_go_at_a_time_takes_its_energy_with_it) {
  // x = 1 + cos(2 t) / 2 as long as it pulls.
  const Json answer = run_answer(R"toml([points.a]
mass = 1
position = [1.5, 0, 0]
[springs]
s = { between = ["a", [0, 0, 0]], length = 1, stiffness = 4 }
[[releases]]
constraint = "s"
at = 0.3
[simulation]
until = 2
)toml");
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  ASSERT_EQ(answer["events"].size(), 1U);
  EXPECT_EQ(answer["events"][0]["kind"], "let go");
  EXPECT_EQ(answer["events"][0]["constraints"], Json::array({"s"}));
  const double speed = -std::sin(0.6);
  EXPECT_NEAR(numbers(answer["final"]["positions"]["a"])[0], 1 + 0.5 * std::cos(0.6) + 1.7 * speed, spring_exactness);
  EXPECT_NEAR(answer["energy"]["lost"].get<double>(), 2 * std::pow(0.5 * std::cos(0.6), 2), spring_exactness);
  EXPECT_NEAR(answer["energy"]["final"].get<double>(), speed * speed / 2, spring_exactness);
  EXPECT_NEAR(answer["energy"]["work"].get<double>(), 0, spring_exactness);
}

TEST(Spring, let_go_when_something_is_true_never_comes_back) {
  // Let go at x = 1.25 with the speed -sqrt(3)/2, back from the wall it passes the place again.
  const Json answer = run_answer(R"toml([points.a]
mass = 1
position = [1.5, 0, 0]
[springs]
s = { between = ["a", [0, 0, 0]], length = 1, stiffness = 4 }
[constraints]
wall = { condition = "a.x >= 0.25", restitution = 1 }
[[releases]]
constraint = "s"
when = "a.x <= 1.25"
[simulation]
until = 4
)toml");
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  ASSERT_EQ(answer["events"].size(), 2U) << answer.dump(1);
  EXPECT_EQ(answer["events"][0]["kind"], "let go");
  const double since = std::acos(0.5) / 2;
  EXPECT_NEAR(answer["events"][0]["time"].get<double>(), since, spring_exactness);
  EXPECT_NEAR(numbers(answer["final"]["positions"]["a"])[0], 0.25 + (4 - since) * std::sqrt(3.0) / 2 - 1,
              spring_exactness);
}

TEST(Spring, one_member_let_go_is_the_same_as_forces_that_end) {
  const std::string body = R"toml(gravity = [0, 0, -2]
[bodies.b]
mass = 2
inertia = [0.1, 0.2, 0.3]
position = [0, 0, 0]
spin = [0.3, 0, 1]
FORCE
[bodies.b.marks]
m = [0.5, 0.2, 0]
[outputs]
b = "b"
w = "b.spin"
v = "b'"
[simulation]
until = 1.5
)toml";
  const auto with = [&](std::string text, const std::string& force) {
    text.replace(text.find("FORCE"), 5, force);
    return text;
  };
  const std::string first =
      "-(9*(b.m - [1, 0, 1]) + 0.4*dot(b.m - [1, 0, 1], b.m')/dot(b.m - [1, 0, 1], b.m - [1, 0, 1])*(b.m - [1, 0, 1]))";
  const std::string second =
      "if(t < 0.7, -9*(b.m - [2, 0, 1]) - 0.4*dot(b.m - [2, 0, 1], b.m')/dot(b.m - [2, 0, 1], b.m - [2, 0, 1])*(b.m - "
      "[2, 0, 1]), [0, 0, 0])";
  const std::string forces =
      fmt::format("force = \"{0} + {1}\"\ntorque = \"cross(b.m - b, {0} + {1})\"\n", first, second);
  const Motion a = run(parse(with(body, "") +
                             "[springs]\ns = { for = \"i = 1..2\", between = [\"b.m\", [\"i\", 0, 1]], stiffness = 9, "
                             "damping = 0.4 }\n[[releases]]\nconstraint = \"s[2]\"\nat = 0.7\n"));
  const Motion b = run(parse(with(body, forces)));
  ASSERT_EQ(a.status(), motion::Status::finished) << a.why();
  ASSERT_EQ(b.status(), motion::Status::finished) << b.why();
  for (const double time : {0.5, 0.9, 1.5})
    expect_near(a.sample(time).outputs, b.sample(time).outputs, spring_exactness);
  EXPECT_EQ(a.events()[0].kind, motion::EventKind::let_go);
}

TEST(Spring, let_go_in_steps_goes_on_alike) {
  const Json answer = run_answer(R"toml([points.a]
mass = 1
position = [1.5, 0, 0]
[springs]
s = { between = ["a", [0, 0, 0]], length = 1, stiffness = 4 }
[[releases]]
constraint = "s"
at = 0.3
[simulation]
method = "stepping"
step = 1e-3
until = 2
)toml");
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  constexpr double second_order = 1e-5;  // of a step of 1e-3
  EXPECT_NEAR(numbers(answer["final"]["positions"]["a"])[0], 1 + 0.5 * std::cos(0.6) - 1.7 * std::sin(0.6),
              second_order);
  EXPECT_NEAR(answer["energy"]["lost"].get<double>(), 2 * std::pow(0.5 * std::cos(0.6), 2), second_order);
}

}  // namespace zwang::testing::springs_tests
