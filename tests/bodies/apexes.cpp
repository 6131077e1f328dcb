/// Cylinders on their faces and beads in funnels: formulas of the hand, a motion about the rim by another integrator, what is conserved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "answer.hpp"

namespace zwang::testing::apexes_tests {

namespace {

/// What a run at the default tolerance is good to, at sizes of about 1.
constexpr double apex_exactness = 1e-10;
constexpr double g = 10;
constexpr double radius = 0.5;

/// A cylinder of mass 1 and radius 0.5 above the floor, its inertia about axes across, and the height of its centre and the derivative of that when it leans by an angle.
struct Cylinder {
  double h = 1;
  [[nodiscard]] double inertia() const { return (3 * radius * radius + h * h) / 12; }
  [[nodiscard]] double height(double lean) const { return h / 2 * std::cos(lean) + radius * std::sin(lean); }
  [[nodiscard]] double slope(double lean) const { return radius * std::cos(lean) - h / 2 * std::sin(lean); }
  [[nodiscard]] double bend(double lean) const { return -h / 2 * std::cos(lean) - radius * std::sin(lean); }
  /// About the point of the rim that touches, under a torque that lifts the other side: (I + d^2) lean'' = torque - d (g + d' lean'^2), d = dz/dlean.
  [[nodiscard]] double turns(double lean, double rate, double torque) const {
    const double d = slope(lean);
    return (torque - d * (g + bend(lean) * rate * rate)) / (inertia() + d * d);
  }
};

std::string cylinder(const Cylinder& of, const std::string& more, double until, const std::string& contact = "") {
  return fmt::format(
      "gravity = [0, 0, -10]\n[bodies.c]\nmass = 1\nshape = {{ cylinder = [0.5, {}] }}\n{}"
      "[contacts]\nfloor = {{ body = \"c\", plane = {{ normal = [0, 0, 1] }}{} }}\n[simulation]\nuntil = {}\n",
      of.h, more, contact, until);
}

/// How far the axis is off the vertical, as a sine.
double leans(const Json& body) {
  const Three axis = carried(numbers(body), {0, 0, 1});
  return std::hypot(axis[0], axis[1]);
}

std::vector<Json> events_of(const Json& answer, const std::string& kind) {
  std::vector<Json> out;
  for (const Json& event : answer["events"]) {
    if (event["kind"] == kind) out.push_back(event);
  }
  return out;
}

}  // namespace

TEST(Apexes, a_cylinder_stands_on_its_face_and_carries_its_weight) {
  const Json answer = accelerate_answer(cylinder({}, "position = [0, 0, 0.5]\n", 1));
  EXPECT_EQ(answer["status"], "determined");
  expect_near(numbers(answer["accelerations"]["c"]), {0, 0, 0, 0, 0, 0}, 1e-14);
  EXPECT_NEAR(answer["multipliers"]["floor[1]"].get<double>(), 10, 1e-12);
  expect_near(numbers(answer["reaction"]["c"]), {0, 0, 10, 0, 0, 0}, 1e-12);
  const Json after = run_answer(cylinder({}, "position = [0, 0, 0.5]\nvelocity = [1, -2, 0]\nspin = [0, 0, 3]\n", 2));
  EXPECT_EQ(after["status"], "finished");
  EXPECT_TRUE(after["events"].empty());
  expect_near(part(numbers(after["final"]["positions"]["c"]), 0), {2, -4, 0.5}, apex_exactness);
  expect_near(part(numbers(after["final"]["velocities"]["c"]), 3), {0, 0, 3}, apex_exactness);
}

TEST(Apexes, a_cylinder_dropped_upright_stands_where_it_lands) {
  const Json answer = run_answer(cylinder({}, "position = [0, 0, 1.5]\nspin = [0, 0, 3]\n", 3));
  EXPECT_EQ(answer["status"], "finished");
  ASSERT_EQ(answer["events"].size(), 1U);
  EXPECT_EQ(answer["events"][0]["constraints"], Json::array({"floor[1]"}));
  EXPECT_NEAR(answer["events"][0]["time"].get<double>(), std::sqrt(0.2), 1e-14);
  EXPECT_NEAR(answer["events"][0]["impulses"]["floor[1]"].get<double>(), std::sqrt(20), apex_exactness);
  EXPECT_NEAR(answer["energy"]["lost"].get<double>(), 10, apex_exactness);
  EXPECT_NEAR(numbers(answer["final"]["positions"]["c"]).at(2), 0.5, apex_exactness);
}

TEST(Apexes, a_cylinder_that_bounces_upright_stands_after_infinitely_many_bounces) {
  // Each as long as e times the last: 1 + 2 e / (1 - e) falls.
  const Json answer = run_answer(cylinder({}, "position = [0, 0, 1.5]\n", 3, ", restitution = 0.5"));
  EXPECT_EQ(answer["status"], "finished");
  const std::vector<Json> limits = events_of(answer, "accumulation");
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_NEAR(limits[0]["time"].get<double>(), 3 * std::sqrt(0.2), 1e-8);
  EXPECT_NEAR(answer["energy"]["lost"].get<double>(), 10, 1e-9);
}

TEST(Apexes, a_cylinder_on_a_slope_slides_without_leaning) {
  const Json answer = run_answer(R"toml(gravity = [0, 0, -10]
[bodies.c]
mass = 1
shape = { cylinder = [0.5, 1] }
position = ["0.5*sin(pi/6)", 0, "0.5*cos(pi/6)"]
orientation = { axis = [0, 1, 0], angle = "pi/6" }
[contacts]
floor = { body = "c", plane = { normal = ["sin(pi/6)", 0, "cos(pi/6)"] } }
[simulation]
until = 2
)toml");
  EXPECT_EQ(answer["status"], "finished");
  const double way = g / 2 * 4 / 2;  // g sin 30 t^2 / 2
  const double c = std::sqrt(0.75);
  expect_near(part(numbers(answer["final"]["positions"]["c"]), 0), {0.25 + way * c, 0, c / 2 - way / 2},
              apex_exactness);
  expect_near(part(numbers(answer["final"]["velocities"]["c"]), 3), {0, 0, 0}, apex_exactness);
  EXPECT_NEAR(answer["final"]["multipliers"]["floor[1]"].get<double>(), g * c, apex_exactness);
}

/// Pushed at the top: the force F through the centre and its moment F h / 2 about it.
std::string pushed(const std::string& force, double until) {
  return cylinder(
      {}, fmt::format("position = [0, 0, 0.5]\nforce = [\"{0}\", 0, 0]\ntorque = [0, \"0.5*({0})\", 0]\n", force),
      until);
}

TEST(Apexes, a_push_below_the_tipping_moment_moves_a_cylinder_and_one_above_tips_it) {
  // F h / 2 against m g R: 10 is the limit.
  const Json below = accelerate_answer(pushed("9.9", 1));
  expect_near(numbers(below["accelerations"]["c"]), {9.9, 0, 0, 0, 0, 0}, 1e-12);
  EXPECT_NEAR(below["multipliers"]["floor[1]"].get<double>(), 10, 1e-12);
  const Json above = accelerate_answer(pushed("12", 1));
  const Cylinder of;
  const double turns = of.turns(0, 0, 6);
  expect_near(numbers(above["accelerations"]["c"]), {12, 0, radius * turns, 0, turns, 0}, 1e-12);
  EXPECT_NEAR(above["multipliers"]["floor[1]"].get<double>(), 10 + radius * turns, 1e-12);
  // In a direction that is none of the axes.
  const Json aslant =
      accelerate_answer(cylinder(of, "position = [0, 0, 0.5]\nforce = [7.2, 9.6, 0]\ntorque = [-4.8, 3.6, 0]\n", 1));
  expect_near(numbers(aslant["accelerations"]["c"]), {7.2, 9.6, radius * turns, -0.8 * turns, 0.6 * turns, 0}, 1e-12);
}

TEST(Apexes, a_growing_push_tips_a_cylinder_over_its_rim) {
  const Json answer = run_answer(pushed("10*t", 1.4), {0.9, 1.0});
  EXPECT_EQ(answer["status"], "finished");
  EXPECT_TRUE(answer["events"].empty());
  for (const Json& sample : answer["samples"]) EXPECT_LE(leans(sample["positions"]["c"]), 1e-15);
  // About the rim from t = 1 on, by Runge and Kutta.
  const Cylinder of;
  double lean = 0, rate = 0;
  constexpr int steps = 4000;
  constexpr double step = 0.4 / steps;
  for (int k = 0; k < steps; ++k) {
    const auto f = [&](double s, double x, double v) { return of.turns(x, v, 5 * (1 + k * step + s)); };
    const double a1 = f(0, lean, rate);
    const double v2 = rate + step / 2 * a1, a2 = f(step / 2, lean + step / 2 * rate, v2);
    const double v3 = rate + step / 2 * a2, a3 = f(step / 2, lean + step / 2 * v2, v3);
    const double v4 = rate + step * a3, a4 = f(step, lean + step * v3, v4);
    lean += step / 6 * (rate + 2 * v2 + 2 * v3 + v4);
    rate += step / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const std::vector<double> at = numbers(answer["final"]["positions"]["c"]);
  EXPECT_NEAR(at.at(2), of.height(lean), apex_exactness);
  EXPECT_NEAR(at.at(5), std::sin(lean / 2), apex_exactness);
  EXPECT_NEAR(at.at(0), 10 * 1.4 * 1.4 * 1.4 / 6, apex_exactness);
  EXPECT_NEAR(numbers(answer["final"]["velocities"]["c"]).at(4), rate, apex_exactness);
  EXPECT_GT(lean, 0.05);
}

TEST(Apexes, a_load_that_goes_round_within_the_rim_leaves_a_cylinder_standing) {
  const Json answer = run_answer(cylinder({}, R"toml(position = [0, 0, 0.5]
force = ["9*cos(2*t)", "9*sin(2*t)", 0]
torque = ["-4.5*sin(2*t)", "4.5*cos(2*t)", 0]
)toml",
                                          4));
  EXPECT_EQ(answer["status"], "finished");
  EXPECT_TRUE(answer["events"].empty());
  const double c = std::cos(8.0), s = std::sin(8.0);
  expect_near(part(numbers(answer["final"]["positions"]["c"]), 0), {2.25 * (1 - c), 2.25 * (8 - s), 0.5},
              apex_exactness);
  EXPECT_LE(leans(answer["final"]["positions"]["c"]), 1e-13);
}

TEST(Apexes, where_the_direction_turns_as_a_cylinder_begins_to_tip_the_run_ends_before_it) {
  const Json answer = run_answer(cylinder({}, R"toml(position = [0, 0, 0.5]
force = ["(9 + t)*cos(2*t)", "(9 + t)*sin(2*t)", 0]
torque = ["-0.5*(9 + t)*sin(2*t)", "0.5*(9 + t)*cos(2*t)", 0]
)toml",
                                          4));
  EXPECT_EQ(answer["status"], "singular");
  EXPECT_NE(answer["why"].get<std::string>().find("leaves in a direction that turns"), std::string::npos)
      << answer["why"];
  EXPECT_NEAR(answer["final"]["time"].get<double>(), 1, 1e-6);
  EXPECT_LE(leans(answer["final"]["positions"]["c"]), 1e-12);
}

TEST(Apexes, a_cylinder_is_lifted_off_where_its_load_vanishes_and_falls_back_on_its_face) {
  // 80 t (1 - t) = 10; from there z'' = 80 t (1 - t) - 10.
  const Json answer = run_answer(cylinder({}, "position = [0, 0, 0.5]\nforce = [0, 0, \"80*t*(1 - t)\"]\n", 3));
  EXPECT_EQ(answer["status"], "finished");
  ASSERT_EQ(answer["events"].size(), 2U);
  const double off = (1 - std::sqrt(0.5)) / 2;
  EXPECT_EQ(answer["events"][0]["kind"], "release");
  EXPECT_NEAR(answer["events"][0]["time"].get<double>(), off, 1e-12);
  EXPECT_EQ(answer["events"][1]["kind"], "impact");
  const double on = answer["events"][1]["time"].get<double>();
  const auto twice = [](double t) { return 40 * t * t * t / 3 - 20 * t * t * t * t / 3 - 5 * t * t; };
  const auto once = [](double t) { return 40 * t * t - 80 * t * t * t / 3 - 10 * t; };
  EXPECT_NEAR(twice(on) - twice(off) - once(off) * (on - off), 0, apex_exactness);
  EXPECT_NEAR(numbers(answer["final"]["positions"]["c"]).at(2), 0.5, apex_exactness);
}

TEST(Apexes, a_cylinder_that_falls_onto_its_face_stands) {
  // Tilted by 0.1 about x, on its rim. (I + d^2) lean'^2 / 2 = g (z(0.1) - z), and the time by Simpson's rule over u with lean = 0.1 (1 - u^2).
  const Cylinder of;
  const Json answer = run_answer(cylinder(
      of, "position = [0, 0, \"0.5*cos(0.1) + 0.5*sin(0.1)\"]\norientation = { axis = [1, 0, 0], angle = 0.1 }\n", 3));
  EXPECT_EQ(answer["status"], "finished");
  const auto speed = [&](double lean) {
    const double d = of.slope(lean), half = (0.1 - lean) / 2, mean = (0.1 + lean) / 2;
    const double fallen = 2 * std::sin(half) * (radius * std::cos(mean) - of.h / 2 * std::sin(mean));
    return std::sqrt(2 * g * fallen / (of.inertia() + d * d));
  };
  constexpr int parts = 2000;
  double time = 0;
  for (int k = 0; k <= parts; ++k) {
    const double u = std::max(1e-6, k / static_cast<double>(parts));
    const int weight = k == 0 || k == parts ? 1 : (k % 2 == 1 ? 4 : 2);
    time += weight * 0.2 * u / speed(0.1 * (1 - u * u)) / (3.0 * parts);
  }
  ASSERT_EQ(answer["events"].size(), 1U);
  EXPECT_NEAR(answer["events"][0]["time"].get<double>(), time, 1e-9);
  EXPECT_EQ(answer["events"][0]["kind"], "impact");
  // h < 3 R: all of it is lost. The impulse is the momentum.
  EXPECT_NEAR(answer["energy"]["lost"].get<double>(), g * (of.height(0.1) - of.height(0)), apex_exactness);
  EXPECT_NEAR(answer["events"][0]["impulses"]["floor[1]"].get<double>(), radius * speed(0), apex_exactness);
  EXPECT_NEAR(numbers(answer["final"]["positions"]["c"]).at(2), 0.5, apex_exactness);
  EXPECT_LE(leans(answer["final"]["positions"]["c"]), 1e-14);
}

TEST(Apexes, a_slender_cylinder_rocks_from_side_to_side_and_comes_to_stand) {
  const Cylinder of{2};
  const Json answer = run_answer(cylinder(
      of, "position = [0, 0, \"cos(0.1) + 0.5*sin(0.1)\"]\norientation = { axis = [1, 0, 0], angle = 0.1 }\n", 3));
  EXPECT_EQ(answer["status"], "finished");
  const std::vector<Json> impacts = events_of(answer, "impact");
  ASSERT_GE(impacts.size(), 3U);
  // From one side to the other its speed falls to this part.
  const double part = (of.inertia() - radius * radius) / (of.inertia() + radius * radius);
  const double before = std::sqrt(2 * g * (of.height(0.1) - of.height(0)) / (of.inertia() + radius * radius));
  EXPECT_NEAR(numbers(impacts[0]["velocities"]["c"]).at(3), -part * before, apex_exactness);
  EXPECT_NEAR(numbers(impacts[1]["velocities"]["c"]).at(3), part * part * before, apex_exactness);
  EXPECT_NEAR(numbers(impacts[0]["velocities"]["c"]).at(2), radius * part * before, apex_exactness);
  ASSERT_EQ(events_of(answer, "accumulation").size(), 1U);
  EXPECT_NEAR(answer["energy"]["lost"].get<double>(), g * (of.height(0.1) - of.height(0)), apex_exactness);
  EXPECT_LE(leans(answer["final"]["positions"]["c"]), 1e-12);
}

std::string struck(double J, double spin, double until) {
  return cylinder({},
                  fmt::format("position = [0, 0, 0.5]\nspin = [0, 0, {}]\n[bodies.c.marks]\ntop = [0, 0, 0.5]\n"
                              "[[impulses]]\nat = 0.5\non = \"c.top\"\nvalue = [{}, {}, 0]\n",
                              spin, 0.6 * J, 0.8 * J),
                  until);
}

TEST(Apexes, a_blow_at_its_top_tips_a_cylinder_which_falls_back) {
  // J h / 2 = (I + m R^2) w about the rim.
  const Cylinder of;
  const Json answer = run_answer(struck(1, 0, 1.5));
  EXPECT_EQ(answer["status"], "finished");
  ASSERT_EQ(answer["events"].size(), 2U);
  const double w = 0.5 / (of.inertia() + radius * radius);
  expect_near(numbers(answer["events"][0]["velocities"]["c"]), {0.6, 0.8, radius * w, -0.8 * w, 0.6 * w, 0},
              apex_exactness);
  // It comes back with the speed it left with, and that is lost.
  EXPECT_NEAR(answer["events"][1]["impulses"]["floor[1]"].get<double>(), radius * w, apex_exactness);
  expect_near(numbers(answer["final"]["velocities"]["c"]), {0.6, 0.8, 0, 0, 0, 0}, apex_exactness);
  EXPECT_LE(leans(answer["final"]["positions"]["c"]), 1e-13);
}

TEST(Apexes, a_spinning_cylinder_that_is_struck_keeps_its_momenta) {
  const Cylinder of;
  const Json answer = run_answer(struck(2, 3, 0.6));
  EXPECT_EQ(answer["status"], "finished");
  const std::vector<double> at = numbers(answer["final"]["positions"]["c"]);
  const Three spin = part(numbers(answer["final"]["velocities"]["c"]), 3);
  const Three axis = carried(at, {0, 0, 1});
  // The floor pushes upwards and through the axis: the spin about the axis and the momentum about the vertical are what they were.
  const double about = dot(spin, axis);
  const double of_axis = radius * radius / 2;
  EXPECT_NEAR(about, 3, apex_exactness);
  EXPECT_NEAR(of.inertia() * (spin[2] - about * axis[2]) + of_axis * about * axis[2], of_axis * 3, apex_exactness);
  EXPECT_GT(leans(answer["final"]["positions"]["c"]), 0.1);
  // And energy, with that of the blow.
  const double across = dot(spin, spin) - about * about;
  const double z = numbers(answer["final"]["velocities"]["c"]).at(2);
  const double w = 1 / (of.inertia() + radius * radius);
  EXPECT_NEAR(of.inertia() * across / 2 + z * z / 2 + g * (at.at(2) - 0.5),
              (of.inertia() + radius * radius) * w * w / 2, apex_exactness);
}

TEST(Apexes, a_cylinder_on_a_floor_that_shakes_stands_beside_others) {
  const Json answer = run_answer(R"toml(gravity = [0, 0, -10]
[bodies.c]
count = 3
mass = "i"
shape = { cylinder = [0.5, 1] }
position = ["3*i", 0, 0.5]
spin = [0, 0, "i"]
[contacts]
floor = { for = "i = 1..3", body = "c[i]", plane = { normal = [0, 0, 1], offset = "0.3*sin(2*t)*sin(4*t)" } }
[simulation]
until = 2
)toml");
  EXPECT_EQ(answer["status"], "finished");
  const double floor = 0.3 * std::sin(4.0) * std::sin(8.0);
  for (int i = 1; i <= 3; ++i) {
    const std::string name = fmt::format("c[{}]", i);
    EXPECT_NEAR(numbers(answer["final"]["positions"][name]).at(2), 0.5 + floor, apex_exactness);
    EXPECT_NEAR(numbers(answer["final"]["velocities"][name]).at(5), i, apex_exactness);
  }
}

std::string funnel(double k, double until) {
  return fmt::format(
      "gravity = [0, 0, -10]\n[parameters]\nk = {}\n[points.a]\nmass = 1\nposition = [0.6, 0.8, \"k\"]\n[constraints]\n"
      "funnel = \"a.z >= k*norm([a.x, a.y])\"\n[simulation]\nuntil = {}\n",
      k, until);
}

TEST(Apexes, a_bead_in_a_funnel_comes_to_rest_in_its_point) {
  // Down the wall with g k / sqrt(1 + k^2), a length of sqrt(1 + k^2); of the speed (1 - k^2) / (1 + k^2) is left on the other side.
  const double k = 0.5;
  const double fall = std::sqrt(2 * (1 + k * k) / (g * k));
  const double part = (1 - k * k) / (1 + k * k);
  const Json answer = run_answer(funnel(k, 10));
  EXPECT_EQ(answer["status"], "finished");
  const std::vector<Json> impacts = events_of(answer, "impact");
  ASSERT_GE(impacts.size(), 3U);
  EXPECT_NEAR(impacts[0]["time"].get<double>(), fall, 1e-12);
  EXPECT_NEAR(impacts[1]["time"].get<double>(), fall * (1 + 2 * part), 1e-11);
  const std::vector<Json> limits = events_of(answer, "accumulation");
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_NEAR(limits[0]["time"].get<double>(), fall * (1 + 2 * part / (1 - part)), 1e-9);
  expect_near(numbers(answer["final"]["positions"]["a"]), {0, 0, 0}, 1e-12);
  // A steep one it does not leave any more.
  const Json steep = run_answer(funnel(1.5, 10));
  EXPECT_EQ(steep["status"], "finished");
  ASSERT_EQ(steep["events"].size(), 1U);
  EXPECT_NEAR(steep["energy"]["lost"].get<double>(), 15, apex_exactness);
}

TEST(Apexes, a_load_in_a_funnel_stays_in_the_cone_of_its_normals) {
  // |F| <= k (g - F_z) of a funnel a.z >= k |(a.x, a.y)|, turned over: the load lies in the polar cone.
  const auto at_rest = [](double k, double F) {
    return accelerate_answer(
        fmt::format("gravity = [0, 0, -10]\n[points.a]\nmass = 1\nposition = [0, 0, 0]\nforce = [{}, {}, 0]\n"
                    "[constraints]\nfunnel = \"a.z >= {}*norm([a.x, a.y])\"\n",
                    0.6 * F, 0.8 * F, k));
  };
  const Json held = at_rest(0.5, 4.9);
  expect_near(numbers(held["accelerations"]["a"]), {0, 0, 0}, 1e-12);
  // Beyond it along the wall: the load's part in the direction (1, k) / sqrt(1 + k^2).
  const Json drawn = at_rest(0.5, 6);
  const double along = (6 - 0.5 * g) / 1.25;
  expect_near(numbers(drawn["accelerations"]["a"]), {0.6 * along, 0.8 * along, 0.5 * along}, 1e-12);
}

}  // namespace zwang::testing::apexes_tests
