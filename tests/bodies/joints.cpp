/// Joints against Newton and Euler for the body they hold, and against the same systems in coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "answer.hpp"

namespace zwang::testing::joints_tests {

namespace {

/// What a run at the default tolerance is good to, at sizes of about 1.
constexpr double joint_run_exactness = 1e-10;
/// What one instant is good to: rounding of some hundred operations at sizes of about 10.
constexpr double joint_exactness = 1e-11;

/// F = m (a - g) and N = I w' + w x I w about the centre, moved to the joint: what a body that only one joint holds must feel.
void expect_newton_and_euler(const Json& answer, const std::string& joint, const std::string& body, double mass,
                             const Three& moments, const std::vector<double>& start, const Three& w, const Three& arm,
                             const Three& gravity) {
  ASSERT_EQ(answer["status"], "determined") << answer.dump(1);
  const std::vector<double> a = numbers(answer["accelerations"][body]);
  const Three force = times(mass, sum(part(a, 0), times(-1, gravity)));
  const std::array<Three, 3> axes = axes_of(start);
  Three torque{};
  Three spun{};
  for (std::size_t k = 0; k < 3; ++k) {
    torque = sum(torque, times(moments.at(k) * dot(axes.at(k), part(a, 3)), axes.at(k)));
    spun = sum(spun, times(moments.at(k) * dot(axes.at(k), w), axes.at(k)));
  }
  torque = sum(torque, cross(w, spun));
  torque = sum(torque, times(-1, cross(arm, force)));
  for (const char* key : {"reactions", "multipliers"}) {
    expect_near(part(numbers(answer[key][joint]["force"]), 0), force, joint_exactness);
    expect_near(part(numbers(answer[key][joint]["torque"]), 0), torque, joint_exactness);
  }
}

/// A body with three different moments, turned, held at its mark [0.2, -0.1, 0.3].
std::string held_body(const std::string& velocity, const std::string& spin) {
  return fmt::format(R"toml(gravity = [0, 0, -10]
[bodies.b]
mass = 2
inertia = [0.3, 0.4, 0.6]
position = [0, 0, 0]
velocity = {}
spin = {}
[bodies.b.marks]
m = [0.2, -0.1, 0.3]
[joints]
)toml",
                     velocity, spin);
}

const std::vector<double> unturned = {0, 0, 0, 1, 0, 0, 0};
const Three moments = {0.3, 0.4, 0.6};
const Three arm = {0.2, -0.1, 0.3};
const Three gravity = {0, 0, -10};

std::string text(const Three& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]); }

}  // namespace

TEST(Joint, a_ball_joint_carries_force_and_no_torque) {
  const Three w = {0.5, -0.4, 0.8};
  const Three v = times(-1, cross(w, arm));
  const Json answer = accelerate_answer(held_body(text(v), text(w)) + "j = { ball = [[0.2, -0.1, 0.3], \"b.m\"] }\n");
  expect_newton_and_euler(answer, "j", "b", 2, moments, unturned, w, arm, gravity);
  for (const double x : numbers(answer["reactions"]["j"]["torque"])) EXPECT_NEAR(x, 0, joint_exactness);
  // The partners changed round: the opposite.
  const Json other = accelerate_answer(held_body(text(v), text(w)) + "j = { ball = [\"b.m\", [0.2, -0.1, 0.3]] }\n");
  expect_near(part(numbers(other["reactions"]["j"]["force"]), 0),
              times(-1, part(numbers(answer["reactions"]["j"]["force"]), 0)), joint_exactness);
}

TEST(Joint, a_hinge_carries_no_torque_about_its_axis_and_turns_like_its_coordinate) {
  const Three n = {0.6, 0, 0.8};
  const Three w = times(1.5, n);
  const Three v = times(-1, cross(w, arm));
  const Json answer = accelerate_answer(held_body(text(v), text(w)) +
                                        "j = { hinge = [[0.2, -0.1, 0.3], \"b.m\"], axis = [3, 0, 4] }\n");
  expect_newton_and_euler(answer, "j", "b", 2, moments, unturned, w, arm, gravity);
  EXPECT_NEAR(dot(part(numbers(answer["reactions"]["j"]["torque"]), 0), n), 0, joint_exactness);
  EXPECT_EQ(answer["constraints"].size(), 5U);
  // J q'' = moment of the weight about the axis, J the inertia about it.
  const Three lever = cross(n, times(-1, arm));
  const double inertia = 0.3 * 0.36 + 0.6 * 0.64 + 2 * dot(lever, lever);
  const double moment = dot(n, cross(times(-1, arm), {0, 0, -20}));
  expect_near(part(numbers(answer["accelerations"]["b"]), 3), times(moment / inertia, n), joint_exactness);
}

TEST(Joint, a_weld_carries_everything) {
  const Json answer =
      accelerate_answer(held_body("[0, 0, 0]", "[0, 0, 0]") + "j = { weld = [[0.2, -0.1, 0.3], \"b.m\"] }\n");
  expect_near(part(numbers(answer["reactions"]["j"]["force"]), 0), {0, 0, 20}, joint_exactness);
  expect_near(part(numbers(answer["reactions"]["j"]["torque"]), 0), times(-1, cross(times(-1, arm), {0, 0, -20})),
              joint_exactness);
  EXPECT_EQ(answer["constraints"].size(), 6U);
}

TEST(Joint, a_slider_goes_along_its_axis_and_does_not_turn) {
  const Three n = {0.6, 0, 0.8};
  const Json answer = accelerate_answer(held_body(text(times(2, n)), "[0, 0, 0]") +
                                        "j = { slider = [[0.2, -0.1, 0.3], \"b.m\"], axis = [3, 0, 4] }\n");
  expect_newton_and_euler(answer, "j", "b", 2, moments, unturned, {0, 0, 0}, arm, gravity);
  expect_near(part(numbers(answer["accelerations"]["b"]), 0), times(-8, n), joint_exactness);
  EXPECT_NEAR(dot(part(numbers(answer["reactions"]["j"]["force"]), 0), n), 0, joint_exactness);
  EXPECT_EQ(answer["constraints"].size(), 5U);
}

TEST(Joint, a_cylindrical_joint_carries_neither_force_along_nor_torque_about_its_axis) {
  const Three n = {0.6, 0, 0.8};
  const Three w = times(-0.7, n);
  const Three v = sum(times(0.9, n), times(-1, cross(w, arm)));
  const Json answer = accelerate_answer(held_body(text(v), text(w)) +
                                        "j = { cylindrical = [[0.2, -0.1, 0.3], \"b.m\"], axis = [3, 0, 4] }\n");
  expect_newton_and_euler(answer, "j", "b", 2, moments, unturned, w, arm, gravity);
  EXPECT_NEAR(dot(part(numbers(answer["reactions"]["j"]["force"]), 0), n), 0, joint_exactness);
  EXPECT_NEAR(dot(part(numbers(answer["reactions"]["j"]["torque"]), 0), n), 0, joint_exactness);
  EXPECT_EQ(answer["constraints"].size(), 4U);
}

TEST(Joint, a_universal_joint_turns_like_its_two_angles) {
  // R = Rx(a) Ry(b): spin in the body's axes (a' cos b, b', a' sin b).
  const double a = 0.4, b = 0.7, da = 1.1, db = -0.6;
  const std::string body = fmt::format(R"toml([bodies.b]
mass = 2
inertia = [0.3, 0.4, 0.6]
position = [0, 0, 0]
orientation = [["cos(0.7)", 0, "sin(0.7)"], ["sin(0.4)*sin(0.7)", "cos(0.4)", "-sin(0.4)*cos(0.7)"], ["-cos(0.4)*sin(0.7)", "sin(0.4)", "cos(0.4)*cos(0.7)"]]
spin = {}
[joints]
j = {{ universal = [[0, 0, 0], "b"], axes = [[1, 0, 0], [0, 1, 0]] }}
[outputs]
z = "axis(b, [0, 0, 1])"
[simulation]
until = 3
)toml",
                                       text({da, db * std::cos(a), db * std::sin(a)}));
  const std::string angles = fmt::format(R"toml([coordinates.a]
initial = {}
velocity = {}
[coordinates.b]
initial = {}
velocity = {}
[energy]
kinetic = "0.15*a'^2*cos(b)^2 + 0.2*b'^2 + 0.3*a'^2*sin(b)^2"
[outputs]
x = "sin(b)"
y = "-sin(a)*cos(b)"
z = "cos(a)*cos(b)"
[simulation]
until = 3
)toml",
                                         a, da, b, db);
  const Motion one = run(parse(body));
  const Motion other = run(parse(angles));
  ASSERT_EQ(one.status(), motion::Status::finished) << one.why();
  for (const double time : {1.0, 3.0})
    expect_near(one.sample(time).outputs, other.sample(time).outputs, joint_run_exactness);
}

TEST(Joint, a_driven_hinge_follows_its_drive_and_shows_the_torque_it_takes) {
  const std::string model = R"toml([bodies.b]
mass = 2
inertia = [0.3, 0.4, 0.6]
position = [0, 0, 0]
spin = [0, 0, 2]
[joints]
j = { hinge = [[0, 0, 0], "b"], axis = [0, 0, 1], drive = "2*t + t^2/2" }
[outputs]
x = "axis(b, [1, 0, 0])"
[simulation]
until = 5
)toml";
  const Json answer = accelerate_answer(model);
  expect_near(part(numbers(answer["reactions"]["j"]["torque"]), 0), {0, 0, 0.6}, joint_exactness);
  EXPECT_NEAR(answer["multipliers"]["j.drive"].get<double>(), -0.6, joint_exactness);
  const Motion motion = run(parse(model));
  ASSERT_EQ(motion.status(), motion::Status::finished) << motion.why();
  const double angle = 10 + 12.5;
  expect_near(motion.sample(5).outputs, {std::cos(angle), std::sin(angle), 0}, joint_run_exactness);
}

TEST(Joint, limits_of_a_hinge_are_struck_and_rebounded_from_after_whole_turns) {
  // From 0 with the speed 2 to 7 (more than a turn): at 3.5; back with 1 to -1.
  const std::string model = R"toml([bodies.b]
mass = 2
inertia = [0.3, 0.4, 0.6]
position = [0, 0, 0]
spin = [0, 0, 2]
[joints]
j = { hinge = [[0, 0, 0], "b"], axis = [0, 0, 1], limits = [-1, 7], restitution = 0.5 }
[simulation]
until = 12
)toml";
  const Json answer = run_answer(model);
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  std::vector<double> times_of;
  for (const Json& event : answer["events"]) {
    if (event["kind"] == "impact") times_of.push_back(event["time"]);
  }
  expect_near(times_of, {3.5, 11.5}, joint_run_exactness);
  EXPECT_NEAR(numbers(answer["final"]["velocities"]["b"])[5], 0.5, joint_run_exactness);
}

TEST(Joint, zero_says_where_angle_and_travel_are_zero) {
  // Limits at -0.5 and 0.5 about 0.25: struck at 0.75 and -0.25.
  const std::string hinge = R"toml([bodies.b]
mass = 1
inertia = 1
position = [0, 0]
spin = 1
[joints]
j = { hinge = [[0, 0], "b"], limits = [-0.5, 0.5], zero = 0.25, restitution = 1 }
[simulation]
until = 2
)toml";
  const Json answer = run_answer(hinge);
  expect_near(std::vector<double>{answer["events"][0]["time"], answer["events"][1]["time"]}, {0.75, 1.75},
              joint_run_exactness);
  const std::string slider = R"toml([bodies.b]
mass = 1
shape = { ball = 1 }
position = [3, 0, 0]
velocity = [1, 0, 0]
[joints]
j = { slider = [[0, 0, 0], "b"], axis = [1, 0, 0], limits = [-0.5, 0.5], zero = 0.25, restitution = 1 }
[simulation]
until = 2
)toml";
  const Json travel = run_answer(slider);
  expect_near(std::vector<double>{travel["events"][0]["time"], travel["events"][1]["time"]}, {0.75, 1.75},
              joint_run_exactness);
}

TEST(Joint, a_double_pendulum_of_bars_on_hinges_swings_like_its_angles) {
  // Bars of length 1 and mass 3 hang from the origin; their angles from the vertical are 0.5 and 0.2.
  const std::string bars = R"toml(gravity = [0, 0, -9.81]
[parameters]
a = 0.5
b = 0.2
[bodies.upper]
mass = 3
shape = { box = [0.1, 0.2, 1] }
position = ["0.5*sin(a)", 0, "-0.5*cos(a)"]
orientation = { axis = [0, 1, 0], angle = "-a" }
[bodies.upper.marks]
top = [0, 0, 0.5]
end = [0, 0, -0.5]
[bodies.lower]
mass = 3
shape = { box = [0.1, 0.2, 1] }
position = ["sin(a) + 0.5*sin(b)", 0, "-cos(a) - 0.5*cos(b)"]
orientation = { axis = [0, 1, 0], angle = "-b" }
[bodies.lower.marks]
top = [0, 0, 0.5]
[joints]
shoulder = { hinge = [[0, 0, 0], "upper.top"], axis = [0, 1, 0] }
elbow = { hinge = ["upper.end", "lower.top"], axis = [0, 1, 0] }
[outputs]
x = "lower.x"
z = "lower.z"
[simulation]
until = 4
)toml";
  const std::string angles = R"toml([parameters]
J = "3*(0.01 + 1)/12"
[coordinates.a]
initial = 0.5
[coordinates.b]
initial = 0.2
[energy]
kinetic = "1.5*0.25*a'^2 + J/2*a'^2 + 1.5*(a'^2 + 0.25*b'^2 + a'*b'*cos(a - b)) + J/2*b'^2"
potential = "-3*9.81*(0.5*cos(a) + cos(a) + 0.5*cos(b))"
[outputs]
x = "sin(a) + 0.5*sin(b)"
z = "-cos(a) - 0.5*cos(b)"
[simulation]
until = 4
)toml";
  const Motion one = run(parse(bars));
  const Motion other = run(parse(angles));
  ASSERT_EQ(one.status(), motion::Status::finished) << one.why();
  for (const double time : {1.0, 4.0})
    expect_near(one.sample(time).outputs, other.sample(time).outputs, joint_run_exactness);
}

TEST(Joint, welded_bodies_move_like_one) {
  // Two cubes side by side are a box.
  const std::string two = R"toml([bodies.a]
mass = 1
shape = { box = [1, 1, 1] }
position = [-0.5, 0, 0]
velocity = [0, -0.4, -0.35]
spin = [0.3, -0.7, 0.8]
[bodies.a.marks]
side = [0.5, 0, 0]
[bodies.b]
mass = 1
shape = { box = [1, 1, 1] }
position = [0.5, 0, 0]
velocity = [0, 0.4, 0.35]
spin = [0.3, -0.7, 0.8]
[bodies.b.marks]
side = [-0.5, 0, 0]
[joints]
glue = { weld = ["a.side", "b.side"] }
[outputs]
x = "axis(a, [1, 0, 0])"
w = "b.spin"
[simulation]
until = 3
)toml";
  const std::string box = R"toml([bodies.a]
mass = 2
shape = { box = [2, 1, 1] }
position = [0, 0, 0]
spin = [0.3, -0.7, 0.8]
[outputs]
x = "axis(a, [1, 0, 0])"
w = "a.spin"
[simulation]
until = 3
)toml";
  const Motion one = run(parse(two));
  const Motion other = run(parse(box));
  ASSERT_EQ(one.status(), motion::Status::finished) << one.why();
  expect_near(one.sample(3).outputs, other.sample(3).outputs, joint_run_exactness);
}

TEST(Joint, a_ball_and_a_disc_roll_with_a_force_at_the_place_of_contact_alone) {
  // Down a plane: 5/7 and, for a wheel that stands upright, 2/3 of the pull.
  const std::string ball = R"toml(gravity = [3, 0, -9]
[bodies.b]
mass = 2
shape = { ball = 0.5 }
position = [0, 0, 1.5]
spin = [0.3, 0.2, 0.7]
velocity = [0.1, -0.15, 0]
[joints]
r = { rolling = "b", on = { normal = [0, 0, 2], offset = 2 } }
)toml";
  const Json rolls = accelerate_answer(ball);
  ASSERT_EQ(rolls["status"], "determined") << rolls.dump(1);
  EXPECT_NEAR(numbers(rolls["accelerations"]["b"])[0], 15.0 / 7, joint_exactness);
  expect_near(part(numbers(rolls["reactions"]["r"]["force"]), 0), {-2 * 3 * 2.0 / 7, 0, 18}, joint_exactness);
  expect_near(part(numbers(rolls["reactions"]["r"]["torque"]), 0), {0, 0, 0}, joint_exactness);
  // A wheel whose axle is the y axis; rolling along x it spins about y.
  const std::string wheel = R"toml(gravity = [3, 0, -9]
[bodies.w]
mass = 2
shape = { cylinder = [0.5, 0.1] }
orientation = { axis = [1, 0, 0], angle = "-pi/2" }
position = [0, 0, 0.5]
velocity = [1, 0, 0]
spin = [0, 2, 0]
[joints]
r = { rolling = "w", on = { normal = [0, 0, 1], offset = 0 } }
)toml";
  const Json upright = accelerate_answer(wheel);
  ASSERT_EQ(upright["status"], "determined") << upright.dump(1);
  EXPECT_NEAR(numbers(upright["accelerations"]["w"])[0], 2, joint_exactness);
  expect_near(part(numbers(upright["reactions"]["r"]["force"]), 0), {-2, 0, 18}, joint_exactness);
  expect_near(part(numbers(upright["reactions"]["r"]["torque"]), 0), {0, 0, 0}, joint_exactness);
  const std::string disc = R"toml(gravity = [3, -9]
[bodies.d]
mass = 2
shape = { disc = 0.5 }
position = [0, 0.5]
velocity = [1, 0]
spin = -2
[joints]
r = { rolling = "d", on = { normal = [0, 1] } }
)toml";
  const Json plane = accelerate_answer(disc);
  expect_near(numbers(plane["accelerations"]["d"]), {2, 0, -4}, joint_exactness);
  EXPECT_NEAR(plane["reactions"]["r"]["torque"].get<double>(), 0, joint_exactness);
}

TEST(Joint, a_leaning_wheel_keeps_its_energy_and_its_place_of_contact_at_rest) {
  const std::string wheel = R"toml(gravity = [0, 0, -9.81]
[bodies.w]
mass = 2
shape = { cylinder = [0.5, 0.02] }
orientation = { axis = [1, 0, 0], angle = "-pi/2 + 0.3" }
position = [0, 0, "0.5*cos(0.3)"]
velocity = [2, 0, 0]
spin = [0, "4*cos(0.3)", "4*sin(0.3)"]
[joints]
r = { rolling = "w", on = { normal = [0, 0, 1] } }
[simulation]
until = 2
)toml";
  const Json answer = run_answer(wheel);
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  EXPECT_NEAR(answer["energy"]["final"].get<double>(), answer["energy"]["initial"].get<double>(), joint_run_exactness);
  const std::vector<double> q = numbers(answer["final"]["positions"]["w"]);
  const std::vector<double> v = numbers(answer["final"]["velocities"]["w"]);
  // The lowest point of the rim: of all points of the circle.
  const std::array<Three, 3> axes = axes_of(q);
  const double angle = std::atan2(axes[1][2], axes[0][2]);
  const Three lowest = sum(times(-0.5 * std::cos(angle), axes[0]), times(-0.5 * std::sin(angle), axes[1]));
  EXPECT_NEAR(q[2] + lowest[2], 0, joint_run_exactness);
  expect_near(sum(part(v, 0), cross(part(v, 3), lowest)), {0, 0, 0}, joint_run_exactness);
}

/// A cart on an axle with wheels at these places across it, its rolling conditions in the order given, heading by `turned`, with speed v and spin w. Every
/// wheel rolls; with `one_sideways` only the first one does, and of the others their speed along is said by hand.
std::string cart(const std::vector<double>& places, const std::vector<std::size_t>& order, double turned, double v,
                 double w, bool one_sideways) {
  std::string text = fmt::format(R"toml(gravity = [0, 0, -9.81]
[bodies.frame]
mass = 10
shape = {{ box = [1, 0.6, 0.1] }}
position = [0, 0, 0.3]
orientation = {{ axis = [0, 0, 1], angle = {0} }}
velocity = ["{1}*cos({0})", "{1}*sin({0})", 0]
spin = [0, 0, {2}]
[bodies.frame.marks]
)toml",
                                 turned, v, w);
  for (const std::size_t i : order) text += fmt::format("m{} = [0, {}, 0]\n", i, places[i]);
  for (const std::size_t i : order) {
    text += fmt::format(R"toml([bodies.w{3}]
mass = 1
shape = {{ cylinder = [0.3, 0.05] }}
position = ["-{4}*sin({0})", "{4}*cos({0})", 0.3]
orientation = {{ axis = ["cos({0}/2)", "sin({0}/2)", "sin({0}/2)"], angle = "2*acos(cos({0}/2)*sqrt(1/2))" }}
velocity = ["({1} - {2}*{4})*cos({0})", "({1} - {2}*{4})*sin({0})", 0]
spin = ["-({1} - {2}*{4})/0.3*sin({0})", "({1} - {2}*{4})/0.3*cos({0})", {2}]
)toml",
                        turned, v, w, i, places[i]);
  }
  text += "[joints]\n";
  for (const std::size_t i : order) {
    text += fmt::format("h{0} = {{ hinge = [\"frame.m{0}\", \"w{0}\"], axis = [0, 1, 0] }}\n", i);
    if (!one_sideways || i == 0)
      text += fmt::format("r{0} = {{ rolling = \"w{0}\", on = {{ normal = [0, 0, 1] }} }}\n", i);
  }
  text += "[constraints]\n";
  for (const std::size_t i : order) {
    if (!one_sideways || i == 0) continue;
    // Two wheels keep the axle level.
    if (i == 1) text += "stands = \"w1.z = 0.3\"\n";
    text += fmt::format("along{0} = \"dot(axis(frame, [1, 0, 0]), w{0}' - 0.3*cross(w{0}.spin, [0, 0, 1])) = 0\"\n", i);
  }
  return text + "[simulation]\nuntil = 2\n";
}

// The places of contact of wheels on one axle have the same velocity along it: all but one of the conditions across say nothing new, whichever they are.
TEST(Joint, wheels_on_one_axle_roll_straight_in_a_circle_and_on_the_spot) {
  const std::vector<double> two = {0.4, -0.4};
  const std::vector<double> three = {0.4, -0.4, 0};
  struct Way {
    std::vector<double> places;
    std::vector<std::size_t> order;
    double turned, v, w;
  };
  const Way ways[] = {
      {two, {0, 1}, 0, 0, 0.5},         {two, {1, 0}, 0.7, 1, 0.5},  {three, {0, 1, 2}, 0, 1, 0},
      {three, {2, 0, 1}, -2.1, 1, 0.5}, {three, {0, 1, 2}, 0, 0, 0}, {three, {1, 2, 0}, 0.7, 0, -0.8},
  };
  for (const Way& way : ways) {
    for (const bool one_sideways : {false, true}) {
      const Json answer = run_answer(cart(way.places, way.order, way.turned, way.v, way.w, one_sideways));
      ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
      EXPECT_TRUE(answer["events"].empty());
      // A circle of radius v / w at constant speed, or a line.
      const double end = way.turned + 2 * way.w;
      const Three place = way.w == 0 ? Three{2 * way.v * std::cos(end), 2 * way.v * std::sin(end), 0.3}
                                     : Three{way.v / way.w * (std::sin(end) - std::sin(way.turned)),
                                             way.v / way.w * (std::cos(way.turned) - std::cos(end)), 0.3};
      expect_near(part(numbers(answer["final"]["positions"]["frame"]), 0), place, joint_run_exactness);
      const std::vector<double> v = numbers(answer["final"]["velocities"]["frame"]);
      expect_near(part(v, 0), {way.v * std::cos(end), way.v * std::sin(end), 0}, joint_run_exactness);
      expect_near(part(v, 3), {0, 0, way.w}, joint_run_exactness);
    }
  }
}

// Struck at one end of the axle, beside the same cart with one condition across.
TEST(Joint, a_cart_on_wheels_turns_after_a_blow_as_with_one_condition_across) {
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{0, 1, 2}, {2, 1, 0}}) {
    Json answers[2];
    for (const bool one_sideways : {false, true}) {
      const std::string text = cart({0.4, -0.4, 0}, order, 0, 1, 0, one_sideways);
      answers[one_sideways ? 1 : 0] = run_answer(text + "[[impulses]]\non = \"frame.m0\"\nvalue = [3, 0, 0]\n");
      ASSERT_EQ(answers[one_sideways ? 1 : 0]["status"], "finished");
    }
    EXPECT_LT(answers[0]["final"]["velocities"]["frame"][5].get<double>(), -0.1);
    for (const char* body : {"frame", "w0", "w1", "w2"}) {
      for (const char* what : {"positions", "velocities"}) {
        expect_near(numbers(answers[0]["final"][what][body]), numbers(answers[1]["final"][what][body]),
                    joint_run_exactness);
      }
    }
  }
}

// A thin rod with the direction k on an axle z through its end: H = (m L^2 / 3) w (z - (z.k) k) turns with w, and
// the axle's torque is w x H minus that of the weight.
TEST(Joint, a_thin_rod_aslant_on_an_axle_keeps_turning) {
  const Json answer = run_answer(R"toml(
gravity = [0, 0, -9.81]
[bodies.bar]
mass = 1.5
shape = { rod = 1.2 }
position = ["0.6*sin(0.5)", 0, "-0.6*cos(0.5)"]
orientation = { axis = [0, 1, 0], angle = "pi/2 - 0.5" }
velocity = [0, "2*0.6*sin(0.5)", 0]
spin = [0, 0, 2]
[bodies.bar.marks]
top = [-0.6, 0, 0]
[joints]
axle = { hinge = [[0, 0, 0], "bar.top"], axis = [0, 0, 1] }
[simulation]
until = 1
)toml");
  ASSERT_EQ(answer["status"], "finished");
  EXPECT_TRUE(answer["events"].empty());
  const std::vector<double> place = numbers(answer["final"]["positions"]["bar"]);
  const Three k = {std::sin(0.5) * std::cos(2.0), std::sin(0.5) * std::sin(2.0), -std::cos(0.5)};
  expect_near(part(place, 0), times(0.6, k), 1e-12);
  expect_near(part(numbers(answer["final"]["velocities"]["bar"]), 3), {0, 0, 2}, 1e-12);
  const Three z = {0, 0, 1};
  const double about = 1.5 * 1.2 * 1.2 / 3 * 2 * 2 * dot(z, k) + 1.5 * 9.81 * 0.6;
  const Json& joint = answer["final"]["multipliers"]["axle"];
  expect_near(numbers(joint["torque"]), {-about * cross(z, k)[0], -about * cross(z, k)[1], 0}, 1e-10);
  expect_near(numbers(joint["force"]), {-1.5 * 4 * 0.6 * k[0], -1.5 * 4 * 0.6 * k[1], 1.5 * 9.81}, 1e-10);
}

// Across both of two thin rods a hinge holds no more than a ball joint: rods do not feel their spins about themselves.
TEST(Joint, thin_rods_on_a_hinge_across_them_move_as_on_a_ball_joint) {
  const auto model = [](const std::string& joint) {
    return run_answer(R"toml(
gravity = [0.3, 0, -1]
[bodies.a]
mass = 1
shape = { rod = 1 }
position = [-0.5, 0, 0]
velocity = [0, -0.35, 0.55]
spin = [0.4, 1.1, 0.7]
[bodies.a.marks]
end = [0.5, 0, 0]
[bodies.b]
mass = 2
shape = { rod = 2 }
orientation = { axis = [0, 0, 1], angle = "pi/3" }
position = ["cos(pi/3)", "sin(pi/3)", 0]
velocity = ["-1.9*sin(pi/3)", "1.9*cos(pi/3)", "0.4*sin(pi/3) - 1.1*cos(pi/3)"]
spin = [0.4, 1.1, 1.9]
[bodies.b.marks]
end = [-1, 0, 0]
tip = [1, 0, 0]
[springs]
rope = { between = [[0, 0, 1], "b.tip"], length = 0.5, stiffness = 3 }
[joints]
)toml" + joint + "\n[simulation]\nuntil = 1.5\n");
  };
  const Json hinge = model(R"toml(knee = { hinge = ["a.end", "b.end"], axis = [0, 0, 1] })toml");
  const Json ball = model(R"toml(knee = { ball = ["a.end", "b.end"] })toml");
  ASSERT_EQ(hinge["status"], "finished");
  ASSERT_EQ(ball["status"], "finished");
  EXPECT_TRUE(hinge["events"].empty());
  for (const char* name : {"a", "b"}) {
    const std::vector<double> one = numbers(hinge["final"]["positions"][name]);
    const std::vector<double> other = numbers(ball["final"]["positions"][name]);
    expect_near(part(one, 0), part(other, 0), 1e-10);
    expect_near(axes_of(one)[0], axes_of(other)[0], 1e-10);
    expect_near(part(numbers(hinge["final"]["velocities"][name]), 0),
                part(numbers(ball["final"]["velocities"][name]), 0), 1e-10);
  }
  const Json& held = hinge["final"]["multipliers"]["knee"];
  expect_near(numbers(held["force"]), numbers(ball["final"]["multipliers"]["knee"]["force"]), 1e-9);
  expect_near(numbers(held["torque"]), {0, 0, 0}, 1e-9);
  EXPECT_NEAR(hinge["energy"]["final"].get<double>(), ball["energy"]["final"].get<double>(), 1e-10);
}

// Hinges in one direction keep the spin of rods across them zero: nothing else has to, and no condition says what others say already.
TEST(Joint, thin_rods_that_stay_in_a_plane_have_no_condition_of_their_own) {
  const Json answer = accelerate_answer(R"toml(
gravity = [0, 0, -9.81]
[bodies.bar]
count = 3
mass = 1
shape = { rod = 1 }
position = ["i - 0.5", 0, 0]
[bodies.bar.marks]
left = [-0.5, 0, 0]
right = [0.5, 0, 0]
[joints]
root = { hinge = [[0, 0, 0], "bar[1].left"], axis = [0, 1, 0] }
link = { for = "i = 1..2", hinge = ["bar[i].right", "bar[i+1].left"], axis = [0, 1, 0] }
)toml");
  ASSERT_EQ(answer["status"], "determined");
  EXPECT_TRUE(answer["regular"].get<bool>());
  EXPECT_EQ(answer["constraints"].size(), 15U);
  // A level chain of three bars let go: Lagrange's equations of its angles at rest.
  const std::array<double, 3> truth = {33.0 / 26, -9.0 / 26, 3.0 / 26};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double> a = numbers(answer["accelerations"][fmt::format("bar[{}]", k + 1)]);
    EXPECT_NEAR(a.at(4), 9.81 * truth.at(k), joint_exactness);
  }
}

TEST(Joint, free_thin_rods_in_one_line_are_refused_with_the_way_out) {
  const auto rods = [](const std::string& joint, const std::string& turn) {
    return "[bodies.a]\nmass = 1\nshape = { rod = 1 }\nposition = [0, 0, 0]\nspin = [0, 0, 1]\n[bodies.a.marks]\n"
           "e = [0.5, 0, 0]\n[bodies.b]\nmass = 1\nshape = { rod = 1 }\n" +
           turn + "[bodies.b.marks]\ns = [-0.5, 0, 0]\n[joints]\nj = { " + joint + " = [\"a.e\", \"b.s\"]" +
           (joint == "hinge" ? ", axis = [0, 0, 1]" : "") + " }\n[simulation]\nuntil = 1\n";
  };
  const std::string line = "position = [1, 0, 0]\nvelocity = [0, 1, 0]\nspin = [0, 0, 1]\n";
  try {
    static_cast<void>(parse(rods("hinge", line)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("lie in one line on the hinge `j`"), std::string::npos) << error.message();
  }
  // On a ball joint they turn as one about their common centre.
  const Json ball = run_answer(rods("ball", line));
  ASSERT_EQ(ball["status"], "finished") << ball.dump(1);
  const std::vector<double> a = numbers(ball["final"]["positions"]["a"]);
  EXPECT_NEAR(a[0], 0.5 - 0.5 * std::cos(1.0), 1e-10);
  EXPECT_NEAR(a[1], 0.5 - 0.5 * std::sin(1.0), 1e-10);
  // Beside the line a hinge does.
  const Json bent = run_answer(
      rods("hinge",
           "position = [0.5, 0.5, 0]\norientation = [\"sqrt(0.5)\", 0, 0, \"sqrt(0.5)\"]\nvelocity = [-0.5, 0.5, 0]\n"
           "spin = [0, 0, 1]\n"));
  EXPECT_EQ(bent["status"], "finished") << bent.dump(1);
}

TEST(Joint, that_makes_a_thin_rod_regular_is_not_let_go) {
  try {
    static_cast<void>(parse(R"toml(
[bodies.bar]
mass = 1
shape = { rod = 1 }
position = [0.3, 0, 0.4]
orientation = { axis = [0, 1, 0], angle = -0.9 }
[joints]
axle = { hinge = [[0.3, 0, 0.4], "bar"], axis = [0, 0, 1] }
[[releases]]
constraint = "axle"
at = 1
)toml"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("give the rod an inertia about its own axis"), std::string::npos);
  }
}

// A bar on a bracket of length 1/2 swings about the hinge above it as a point does on a rod: phi'' = -(g/l) sin phi.
TEST(Joint, a_thin_rod_swings_on_a_bracket_beside_its_line) {
  const auto bar = [](const std::string& joint, const std::string& start) {
    return run_answer("gravity = [0, 0, -9.81]\n[bodies.bar]\nmass = 1.3\nshape = { rod = 1 }\n" + start +
                      "[bodies.bar.marks]\ntop = [0, 0, 0.5]\n[joints]\nj = { " + joint +
                      " }\n[simulation]\nuntil = 0.5\n");
  };
  const auto swing = [](double phi, double rate) {
    // By small steps of the classical rule of fourth order.
    const double h = 1e-4;
    const auto force = [](double x) { return -9.81 / 0.5 * std::sin(x); };
    for (int k = 0; k < 5000; ++k) {
      const double a1 = rate, b1 = force(phi), a2 = rate + h / 2 * b1, b2 = force(phi + h / 2 * a1);
      const double a3 = rate + h / 2 * b2, b3 = force(phi + h / 2 * a2), a4 = rate + h * b3, b4 = force(phi + h * a3);
      phi += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      rate += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    return std::pair(phi, rate);
  };
  const std::string moving = "position = [0, 0, -0.5]\nvelocity = [0, 0.5, 0]\nspin = [1, 0, 0]\n";
  const std::string aside =
      "position = [0, \"0.5*sin(0.3)\", \"-0.5*cos(0.3)\"]\norientation = { axis = [1, 0, 0], angle = 0.3 }\n";
  for (const std::string joint :
       {R"(hinge = [[0, 0, 0], "bar.top"], axis = [1, 0, 0])", R"(ball = [[0, 0, 0], "bar.top"])",
        R"(universal = [[0, 0, 0], "bar.top"], axes = [[1, 0, 0], [0, 1, 0]])",
        R"(cylindrical = [[0, 0, 0], "bar.top"], axis = [1, 0, 0])"}) {
    for (const bool moves : {true, false}) {
      const Json answer = bar(joint, moves ? moving : aside);
      ASSERT_EQ(answer["status"], "finished") << joint << answer.dump(1);
      const auto [phi, rate] = moves ? swing(0, 1) : swing(0.3, 0);
      const std::vector<double> q = numbers(answer["final"]["positions"]["bar"]);
      const std::vector<double> v = numbers(answer["final"]["velocities"]["bar"]);
      EXPECT_NEAR(q[1], 0.5 * std::sin(phi), 1e-10) << joint;
      EXPECT_NEAR(q[2], -0.5 * std::cos(phi), 1e-10) << joint;
      EXPECT_NEAR(v[3], rate, 1e-9) << joint;
      EXPECT_NEAR(answer["energy"]["final"].get<double>(), answer["energy"]["initial"].get<double>(), 1e-12) << joint;
    }
  }
}

TEST(Joint, that_cannot_say_how_a_thin_rod_turns_about_itself_is_refused) {
  const auto refusal = [](const std::string& rest) {
    try {
      static_cast<void>(
          parse("[bodies.bar]\nmass = 1\nshape = { rod = 1 }\nposition = [0, 0, 0]\n[bodies.bar.marks]\nfoot = [0, 0, "
                "0.5]\n" +
                rest));
    } catch (const Error& error) {
      return std::string(error.message());
    }
    return std::string();
  };
  EXPECT_NE(refusal("[joints]\nh = { hinge = [[0, 0, 0], \"bar\"], axis = [1, 0, 0], drive = \"t\" }\n")
                .find("turns the thin rod `bar` about itself"),
            std::string::npos);
  EXPECT_NE(refusal("[constraints]\nc = \"bar.foot = [0, 0, 0.5]\"\n").find("at `foot`, beside its line"),
            std::string::npos);
  EXPECT_EQ(refusal("[constraints]\nc = \"bar.z >= -1\"\n"), "");
}

// What is written for the spin about itself has no energy: the shaft keeps what it has.
TEST(Joint, the_spin_of_a_thin_rod_about_itself_costs_nothing) {
  const Json answer = run_answer(R"toml(
[bodies.shaft]
mass = 1
shape = { cylinder = [0.1, 1] }
position = [0, 0, -0.5]
spin = [0, 0, 1]
[bodies.shaft.marks]
e = [0, 0, 0.5]
[bodies.rod]
mass = 1
shape = { rod = 1 }
position = ["0.5*sin(0.3)", 0, "0.5*cos(0.3)"]
orientation = { axis = [0, 1, 0], angle = "0.3 - pi/2" }
spin = ["sin(0.3)", 0, "cos(0.3)"]
[bodies.rod.marks]
s = [-0.5, 0, 0]
[joints]
h = { hinge = [[0, 0, 0], "shaft.e"], axis = [0, 0, 1] }
u = { universal = ["shaft.e", "rod.s"], axes = [[0, 1, 0], [0, 0, 1]] }
[simulation]
until = 1
)toml");
  ASSERT_EQ(answer["status"], "finished");
  EXPECT_NEAR(answer["energy"]["initial"].get<double>(), 0.0025, 1e-15);
  EXPECT_NEAR(answer["energy"]["lost"].get<double>(), 0, 1e-15);
}

// What the second partner feels is told at its own place, whether it is a body or a fixed place.
TEST(Joint, a_slider_that_ends_at_a_fixed_place_is_told_there) {
  const Json answer = accelerate_answer(R"toml(
gravity = [0, 0, -10]
[bodies.car]
mass = 2
inertia = [1, 1, 1]
position = [3, 0, 0]
[joints]
rail = { slider = ["car", [0, 0, 0]], axis = [1, 0, 0] }
)toml");
  expect_near(numbers(answer["reactions"]["rail"]["force"]), {0, 0, -20}, 1e-12);
  expect_near(numbers(answer["reactions"]["rail"]["torque"]), {0, 60, 0}, 1e-12);
}

TEST(Joint, gears_share_a_torque_by_the_square_of_their_ratio) {
  // (I_a + r^2 I_b) w_a' = N.
  const auto model = [](bool plane) {
    const std::string zero = plane ? "[0, 0]" : "[0, 0, 0]";
    const std::string axis = plane ? "" : ", axis = [0, 0, 1]";
    const std::string ia = plane ? "3" : "[1, 1, 3]";
    const std::string ib = plane ? "5" : "[1, 1, 5]";
    const std::string torque = plane ? "2" : "[0, 0, 2]";
    return "[bodies.a]\nmass = 1\ninertia = " + ia + "\nposition = " + zero + "\ntorque = " + torque +
           "\n[bodies.b]\nmass = 1\ninertia = " + ib + "\nposition = " + (plane ? "[2, 0]" : "[2, 0, 0]") +
           "\n[joints]\nha = { hinge = [" + zero + ", \"a\"]" + axis + " }\nhb = { hinge = [" +
           (plane ? "[2, 0]" : "[2, 0, 0]") + ", \"b\"]" + axis +
           " }\ng = { gear = [\"a\", \"b\"], ratio = -2 }\n[simulation]\nuntil = 3\n";
  };
  const double rate = 2.0 / (3 + 4 * 5);
  expect_near(part(numbers(accelerate_answer(model(false))["accelerations"]["a"]), 3), {0, 0, rate}, joint_exactness);
  expect_near(part(numbers(accelerate_answer(model(false))["accelerations"]["b"]), 3), {0, 0, -2 * rate},
              joint_exactness);
  const Json plane = run_answer(model(true));
  EXPECT_NEAR(numbers(plane["final"]["positions"]["a"])[2], rate * 4.5, joint_run_exactness);
  EXPECT_NEAR(numbers(plane["final"]["positions"]["b"])[2], -2 * rate * 4.5, joint_run_exactness);
}

TEST(Joint, members_of_a_family_of_joints_are_a_chain) {
  const std::string chain = R"toml(gravity = [0, -10]
[bodies.bar]
count = 4
mass = 1
shape = { rod = 1 }
position = ["i - 0.5", 0]
[bodies.bar.marks]
left = [-0.5, 0]
right = [0.5, 0]
[joints]
wall = { hinge = [[0, 0], "bar[1].left"] }
link = { for = "i = 1..3", hinge = ["bar[i].right", "bar[i+1].left"] }
[[releases]]
constraint = "link[3]"
at = 0.2
[simulation]
until = 0.5
)toml";
  const Json answer = run_answer(chain, {0.1});
  ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
  EXPECT_TRUE(answer["samples"][0]["multipliers"].contains("link[3].1"));
  EXPECT_TRUE(answer["samples"][0]["multipliers"]["link[2]"].contains("force"));
  EXPECT_FALSE(answer["final"]["multipliers"].contains("link[3].1"));
  // Let go, the last bar falls freely.
  const Model model = parse(chain);
  const Motion motion = run(model);
  const double before = model.part("bar[4]", motion.at(0.25).velocity)[1];
  EXPECT_NEAR(model.part("bar[4]", motion.at(0.45).velocity)[1], before - 2, joint_run_exactness);
}

TEST(Joints, of_a_long_chain_hold_at_blunt_tolerances_as_at_sharp_ones) {
  // Twelve bars in space, aslant and with a spin about their own lengths: multipliers of the sharp motion are solved for twice, of the blunt one they are not.
  const auto chain = [](double tolerance) {
    return fmt::format(R"toml(gravity = [1, 0.5, -10]
[bodies.bar]
count = 12
mass = 1
inertia = [0.01, 0.085, 0.09]
position = ["(i - 1/2)*cos(0.4)", 0, "-(i - 1/2)*sin(0.4)"]
orientation = {{ axis = [0, 1, 0], angle = 0.4 }}
[bodies.bar.marks]
start = [-0.5, 0, 0]
end = [0.5, 0, 0]
[joints]
nail = {{ ball = [[0, 0, 0], "bar[1].start"] }}
link = {{ for = "i = 1..11", hinge = ["bar[i].end", "bar[i+1].start"], axis = ["sin(i)", "cos(i)", 0.3] }}
[simulation]
until = 0.3
tolerance = {}
)toml",
                       tolerance);
  };
  const Json sharp = run_answer(chain(1e-13));
  const Json blunt = run_answer(chain(1e-6));
  ASSERT_EQ(sharp["status"], "finished") << sharp.dump(1);
  ASSERT_EQ(blunt["status"], "finished") << blunt.dump(1);
  EXPECT_LT(blunt["steps"].get<int>(), sharp["steps"].get<int>());
  for (const std::string body : {"bar[1]", "bar[6]", "bar[12]"}) {
    expect_near(numbers(blunt["final"]["positions"][body]), numbers(sharp["final"]["positions"][body]), 1e-7);
    expect_near(numbers(blunt["final"]["velocities"][body]), numbers(sharp["final"]["velocities"][body]), 1e-6);
  }
  EXPECT_LT(blunt["drift"]["position"].get<double>(), 1e-12);
  EXPECT_LT(std::abs(blunt["energy"]["defect"].get<double>()), 1e-6);
}

TEST(Joints, more_of_them_than_needed_hold_a_shaft_that_points_anywhere) {
  // Along d, on which the body's z axis lies; two bearings of every pair of kinds leave it one turn. w = N t / I.
  const std::vector<Three> directions = {{1, 0, 0}, {0, -1, 0}, {0.6, 0, 0.8}, {2.0 / 3, -1.0 / 3, 2.0 / 3}};
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"hinge", "hinge"}, {"hinge", "ball"}, {"ball", "ball"}, {"hinge", "cylindrical"}};
  for (const Three& d : directions) {
    for (const auto& [left, right] : kinds) {
      const auto joint = [&](const std::string& name, const std::string& kind, double at) {
        const std::string axis = kind == "ball" ? "" : fmt::format(", axis = [{}, {}, {}]", d[0], d[1], d[2]);
        return fmt::format("{} = {{ {} = [[{}, {}, {}], \"shaft.{}\"]{} }}\n", name, kind, at * d[0], at * d[1],
                           at * d[2], name, axis);
      };
      // The shortest turn from z to d: about z x d by acos(d.z).
      const std::string text = fmt::format(
          "gravity = [0, 0, -9.81]\n[bodies.shaft]\nmass = 2\nshape = {{ cylinder = [0.1, 1] }}\n"
          "position = [0, 0, 0]\norientation = {{ axis = [{}, {}, 0], angle = \"acos({})\" }}\n"
          "torque = [{}, {}, {}]\n[bodies.shaft.marks]\nleft = [0, 0, -0.5]\nright = [0, 0, 0.5]\n"
          "[joints]\n{}{}[simulation]\nuntil = 1\n",
          -d[1], d[0], d[2], 0.01 * d[0], 0.01 * d[1], 0.01 * d[2], joint("left", left, -0.5),
          joint("right", right, 0.5));
      const Json answer = run_answer(text);
      ASSERT_EQ(answer["status"], "finished") << text << answer.dump(1);
      expect_near(part(numbers(answer["final"]["velocities"]["shaft"]), 3), d, joint_run_exactness);
    }
  }
}

}  // namespace zwang::testing::joints_tests
