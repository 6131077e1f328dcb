/// Contacts against conditions on marks, formulas of the hand, and distances computed by another route.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "answer.hpp"

namespace zwang::testing::contacts_tests {

namespace {

/// What a run at the default tolerance is good to, at sizes of about 1.
constexpr double contact_exactness = 1e-10;
/// How deep shapes may lie in each other at any sample.
constexpr double nothing_deep = 1e-9;

using Two = std::array<double, 2>;

/// Corners of a polygon where the body is: x, y, angle.
std::vector<Two> corners_at(const std::vector<double>& body, const std::vector<Two>& own) {
  const double c = std::cos(body.at(2)), s = std::sin(body.at(2));
  std::vector<Two> out;
  for (const Two& p : own) out.push_back({body.at(0) + c * p[0] - s * p[1], body.at(1) + s * p[0] + c * p[1]});
  return out;
}
std::vector<Two> rectangle(double a, double b) {
  return {{-a / 2, -b / 2}, {a / 2, -b / 2}, {a / 2, b / 2}, {-a / 2, b / 2}};
}

/// The widest gap that a line along a side of one or the other leaves; negative: how deep they lie in each other.
double gap_of(const std::vector<Two>& p, const std::vector<Two>& q) {
  double best = -std::numeric_limits<double>::max();
  for (const auto* of : {&p, &q}) {
    const std::vector<Two>& other = of == &p ? q : p;
    for (std::size_t k = 0; k < of->size(); ++k) {
      const Two& a = (*of)[k];
      const Two& b = (*of)[(k + 1) % of->size()];
      const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
      double least = std::numeric_limits<double>::max();
      for (const Two& x : other) {
        least = std::min(least, ((b[1] - a[1]) * (x[0] - a[0]) - (b[0] - a[0]) * (x[1] - a[1])) / length);
      }
      best = std::max(best, least);
    }
  }
  return best;
}
/// From a place outside of a polygon to its sides.
double distance_to(const std::vector<Two>& p, const Two& x) {
  double best = std::numeric_limits<double>::max();
  for (std::size_t k = 0; k < p.size(); ++k) {
    const Two& a = p[k];
    const Two& b = p[(k + 1) % p.size()];
    const double square = (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
    const double s = std::clamp(((x[0] - a[0]) * (b[0] - a[0]) + (x[1] - a[1]) * (b[1] - a[1])) / square, 0.0, 1.0);
    best = std::min(best, std::hypot(a[0] + s * (b[0] - a[0]) - x[0], a[1] + s * (b[1] - a[1]) - x[1]));
  }
  return best;
}

/// The least distance of two segments: projections to and fro, from many places.
double between_segments(const Three& a, const Three& d, const Three& b, const Three& e) {
  double best = std::numeric_limits<double>::max();
  for (int start = 0; start <= 8; ++start) {
    double s = start / 8.0, t = 0;
    for (int round = 0; round < 400; ++round) {
      const Three x = sum(a, times(s, d));
      t = std::clamp(dot(sum(x, times(-1, b)), e) / dot(e, e), 0.0, 1.0);
      const Three y = sum(b, times(t, e));
      s = std::clamp(dot(sum(y, times(-1, a)), d) / dot(d, d), 0.0, 1.0);
    }
    const Three apart = sum(sum(a, times(s, d)), times(-1, sum(b, times(t, e))));
    best = std::min(best, std::sqrt(dot(apart, apart)));
  }
  return best;
}

std::vector<double> instants(double until, int count) {
  std::vector<double> out;
  for (int k = 0; k <= count; ++k) out.push_back(until * k / count);
  return out;
}

}  // namespace

TEST(Contact, a_box_above_a_plane_is_its_eight_corners) {
  const std::string box = R"toml(gravity = [0, 0, -9.81]
[bodies.box]
density = 500
shape = { box = [0.4, 0.3, 0.2] }
position = [0, 0, 0.6]
orientation = { axis = [1, 2, 0.5], angle = 0.7 }
spin = [0.5, -1, 0.3]
)toml";
  const std::string end = "[simulation]\nuntil = 0.6\n";
  std::string marks = "[bodies.box.marks]\n";
  std::string conditions = "[constraints]\n";
  for (int k = 0; k < 8; ++k) {
    marks += fmt::format("c{} = [{}, {}, {}]\n", k + 1, (k & 1) != 0 ? 0.2 : -0.2, (k & 2) != 0 ? 0.15 : -0.15,
                         (k & 4) != 0 ? 0.1 : -0.1);
    conditions += fmt::format("c{} = {{ condition = \"box.c{}.z + 0.2*box.c{}.x >= -0.1\", restitution = 0.4 }}\n",
                              k + 1, k + 1, k + 1);
  }
  const Json one = run_answer(box +
                              "[contacts]\nfloor = { body = \"box\", plane = { normal = [0.2, 0, 1], offset = -0.1 }, "
                              "restitution = 0.4 }\n" +
                              end);
  const Json other = run_answer(box + marks + conditions + end);
  ASSERT_EQ(one["status"], "finished");
  EXPECT_GT(one["events"].size(), 3U);
  EXPECT_EQ(one["events"].size(), other["events"].size());
  for (const char* what : {"positions", "velocities"}) {
    expect_near(numbers(one["final"][what]["box"]), numbers(other["final"][what]["box"]), contact_exactness);
  }
  EXPECT_EQ(one["events"][0]["constraints"][0].get<std::string>().substr(0, 6), "floor[");
}

TEST(Contact, the_shock_of_a_corner_is_that_of_the_hand) {
  // l = (1 + e) u / (1/m + (r x n)^2 / I) in the plane, the corner below right of a box that is turned by 0.3.
  const Json answer = impact_answer(R"toml([bodies.b]
mass = 2
shape = { box = [1.0, 0.6] }
position = [0, "0.5*sin(0.3) + 0.3*cos(0.3)"]
orientation = -0.3
velocity = [0.3, -1.5]
spin = 0.7
[contacts]
floor = { body = "b", plane = { normal = [0, 3] }, restitution = 0.25 }
)toml");
  const double inertia = 2 * (1 + 0.36) / 12;
  const double x = 0.5 * std::cos(0.3) - 0.3 * std::sin(0.3);
  const double u = -(-1.5 + 0.7 * x);
  const double l = 1.25 * u / (1.0 / 2 + x * x / inertia);
  EXPECT_NEAR(answer["impulses"]["floor[2]"].get<double>(), l, 1e-12);
  expect_near(numbers(answer["velocities"]["b"]), {0.3, -1.5 + l / 2, 0.7 + x * l / inertia}, 1e-12);
}

TEST(Contact, balls_above_a_plane_that_moves_and_families_of_them) {
  const Json answer = run_answer(R"toml(gravity = [0, 0, -9.81]
[parameters]
a = 0.02
[bodies.ball]
count = 2
mass = 1
shape = { ball = "0.1*i" }
position = ["i", 0, "0.1*i"]
[points.p]
mass = 1
position = [5, 0, 0]
[contacts]
lift = { for = "i = 1..2", body = "ball[i]", plane = { normal = [0, 0, 2], offset = "2*a*sin(3*t)" } }
drop = { body = "p", plane = { normal = [0, 0, 1], offset = "a*sin(3*t)" } }
[simulation]
until = 0.4
)toml");
  ASSERT_EQ(answer["status"], "finished");
  const double height = 0.02 * std::sin(1.2);
  const double weight = 9.81 - 9 * height;
  for (const int k : {1, 2}) {
    EXPECT_NEAR(answer["final"]["positions"][fmt::format("ball[{}]", k)][2].get<double>(), 0.1 * k + height,
                contact_exactness);
    EXPECT_NEAR(answer["final"]["multipliers"][fmt::format("lift[{}]", k)].get<double>(), weight, contact_exactness);
  }
  EXPECT_NEAR(answer["final"]["positions"]["p"][2].get<double>(), height, contact_exactness);
}

TEST(Contact, a_box_tumbles_and_comes_to_rest) {
  const Json answer = run_answer(R"toml(gravity = [0, 0, -9.81]
[bodies.box]
density = 500
shape = { box = [0.4, 0.3, 0.2] }
position = [0, 0, 1]
orientation = { axis = [1, 2, 0.5], angle = 0.7 }
[contacts]
floor = { body = "box", plane = { normal = [0, 0, 1] }, restitution = 0.3 }
[simulation]
until = 3
)toml");
  ASSERT_EQ(answer["status"], "finished");
  const std::vector<double> box = numbers(answer["final"]["positions"]["box"]);
  const std::vector<double> velocity = numbers(answer["final"]["velocities"]["box"]);
  EXPECT_NEAR(box[2], 0.1, contact_exactness);
  for (const double v : velocity) EXPECT_NEAR(v, 0, contact_exactness);
  double weight = 0;
  for (int k = 1; k <= 4; ++k) weight += answer["final"]["multipliers"][fmt::format("floor[{}]", k)].get<double>();
  EXPECT_NEAR(weight, 500 * 0.024 * 9.81, 1e-8);
}

TEST(Contact, a_stack_of_ten_boxes_stands) {
  const Json answer = run_answer(R"toml(gravity = [0, -9.81]
[bodies.b]
count = 10
density = 1
shape = { box = [1.0, 0.5] }
position = [0, "0.25 + 0.5*(i - 1)"]
[contacts]
floor = { body = "b[1]", plane = { normal = [0, 1] } }
pile = { for = "i = 1..9", between = ["b[i]", "b[i+1]"] }
[simulation]
until = 5
)toml");
  ASSERT_EQ(answer["status"], "finished");
  EXPECT_TRUE(answer["events"].empty());
  for (int k = 1; k <= 10; ++k) {
    expect_near(numbers(answer["final"]["positions"][fmt::format("b[{}]", k)]), {0, 0.25 + 0.5 * (k - 1), 0},
                contact_exactness);
  }
  const Json& multipliers = answer["final"]["multipliers"];
  EXPECT_NEAR(multipliers["floor[1]"].get<double>() + multipliers["floor[2]"].get<double>(), 10 * 0.5 * 9.81, 1e-9);
}

TEST(Contact, a_plank_tips_over_the_corner_that_it_overhangs) {
  // Its centre lies beyond the block: until it is off the block it turns about the corner and slides on it, as the same written with marks.
  const auto model = [](const std::string& contacts) {
    return R"toml(gravity = [0, -9.81]
[bodies.plank]
density = 1
shape = { box = [2.0, 0.2] }
position = [0.7, 0.6]
)toml" + contacts +
           "[simulation]\nuntil = 0.3\n";
  };
  const Json one = run_answer(model(R"toml([bodies.block]
density = 1
shape = { box = [1.0, 0.5] }
position = [0, 0.25]
[joints]
still = { weld = [[0, 0.25], "block"] }
[contacts]
pile = { between = ["block", "plank"] }
)toml"));
  const Json other = run_answer(model(R"toml([constraints]
corner = "cos(plank.angle)*(0.5 - plank.y) - sin(plank.angle)*(0.5 - plank.x) <= -0.1"
)toml"));
  ASSERT_EQ(one["status"], "finished");
  ASSERT_EQ(other["status"], "finished");
  EXPECT_LT(one["final"]["positions"]["plank"][2].get<double>(), -0.05);
  expect_near(numbers(one["final"]["positions"]["plank"]), numbers(other["final"]["positions"]["plank"]),
              contact_exactness);
  expect_near(numbers(one["final"]["velocities"]["plank"]), numbers(other["final"]["velocities"]["plank"]),
              contact_exactness);
}

TEST(Contact, in_a_row_of_balls_the_last_one_flies_off) {
  const Json answer = run_answer(R"toml([bodies.ball]
count = 5
mass = 0.3
shape = { ball = 0.5 }
position = ["1.1*i", 0, 0]
velocity = [[2, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
[contacts]
balls = { for = "i = 1..4, j = i+1..5", between = ["ball[i]", "ball[j]"], restitution = 1 }
[simulation]
until = 3
)toml");
  ASSERT_EQ(answer["status"], "finished");
  EXPECT_EQ(answer["events"].size(), 4U);
  EXPECT_EQ(answer["events"][3]["constraints"][0], "balls[4,5]");
  // Each gap of 0.1 takes 0.05.
  for (int k = 1; k <= 4; ++k) {
    const std::string name = fmt::format("ball[{}]", k);
    expect_near(numbers(answer["final"]["velocities"][name]), {0, 0, 0, 0, 0, 0}, contact_exactness);
    EXPECT_NEAR(answer["final"]["positions"][name][0].get<double>(), 1.1 * k + 0.1, contact_exactness);
  }
  EXPECT_NEAR(answer["final"]["positions"]["ball[5]"][0].get<double>(), 5.5 + 2 * (3 - 0.2), contact_exactness);
}

TEST(Contact, a_ball_slides_off_a_box_over_its_edge_as_off_the_distance_to_it) {
  const std::string scene = R"toml(gravity = [0, 0, -9.81]
[bodies.box]
mass = 3
shape = { box = [1, 0.8, 0.6] }
position = [0, 0, 0.3]
[bodies.ball]
mass = 1
shape = { ball = 0.2 }
position = [0.3, 0.2, 0.8]
velocity = [0.8, 0.4, 0]
[joints]
still = { weld = [[0, 0, 0.3], "box"] }
[contacts]
on = { between = ["box", "ball"] }
[simulation]
until = 0.9
)toml";
  const Json answer = run_answer(scene, instants(0.9, 90));
  ASSERT_EQ(answer["status"], "finished");
  for (const Json& sample : answer["samples"]) {
    const std::vector<double> x = numbers(sample["positions"]["ball"]);
    const double u = std::max(std::abs(x[0]) - 0.5, 0.0), v = std::max(std::abs(x[1]) - 0.4, 0.0),
                 w = std::max(x[2] - 0.6, 0.0);
    if (x[2] < 0.6) continue;
    EXPECT_GE(std::hypot(u, v, w), 0.2 - nothing_deep) << "t = " << sample["time"];
    // On the face with its speed, then round the edge: energy is kept.
    const std::vector<double> speed = numbers(sample["velocities"]["ball"]);
    EXPECT_NEAR((speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]) / 2 + 9.81 * x[2], 0.4 + 9.81 * 0.8,
                contact_exactness);
  }
  EXPECT_LT(answer["final"]["positions"]["ball"][2].get<double>(), 0.75);
}

TEST(Contact, crossed_capsules_meet_as_balls_at_the_place_where_they_cross) {
  // Both at rest but for the upper one's fall; they cross at s along the lower and t along the upper one.
  const Json answer = impact_answer(R"toml([bodies.a]
mass = 2
shape = { capsule = [0.1, 1] }
position = [0, 0, 0]
orientation = { axis = [0, 1, 0], angle = "pi/2" }
[bodies.b]
mass = 3
shape = { capsule = [0.15, 1.4] }
position = [0.2, 0.3, 0.25]
orientation = { axis = [1, 0, 0], angle = "pi/2" }
velocity = [0, 0, -1]
[contacts]
hit = { between = ["a", "b"], restitution = 0.5 }
)toml");
  const auto across = [](double m, double r, double h) {
    const double pi = std::acos(-1.0);
    const double middle = pi * r * r * h, ends = 4 * pi / 3 * r * r * r;
    return m * (middle * (3 * r * r + h * h) / 12 + ends * (2 * r * r / 5 + h * h / 4 + 3 * h * r / 8)) /
           (middle + ends);
  };
  const double l = 1.5 / (1.0 / 2 + 1.0 / 3 + 0.04 / across(2, 0.1, 1) + 0.09 / across(3, 0.15, 1.4));
  EXPECT_NEAR(answer["impulses"]["hit[5]"].get<double>(), l, 1e-12);
  EXPECT_NEAR(answer["velocities"]["b"][2].get<double>(), -1 + l / 3, 1e-12);
  EXPECT_NEAR(answer["velocities"]["a"][2].get<double>(), -l / 2, 1e-12);
}

TEST(Contact, a_capsule_along_an_edge_slides_off_it_though_both_turn_a_little) {
  // It presses beside the middle of the box, which turns under it: its two ends hold it at first, then the place where its axis crosses the edge.
  const std::string start = R"toml(gravity = [0, 0, -9.81]
[bodies.a]
density = 1
shape = { box = [2, 2, 0.5] }
position = [0, 0, 0.25]
[bodies.b]
density = 1
shape = { capsule = [0.2, 0.6] }
position = [0, 0, 0.7]
orientation = { axis = [1, 0, 0], angle = "pi/2" }
velocity = [1, )toml";
  const std::string rest = R"toml(, 0]
[contacts]
floor = { body = "a", plane = { normal = [0, 0, 1] } }
ab = { between = ["a", "b"], restitution = 0.3 }
[simulation]
until = 1.0405
)toml";
  // In the plane, where nothing can turn aside, the same disc goes the same way over the same block.
  const double capsule = 3.14159265358979323846 * (0.04 * 0.6 + 4.0 / 3 * 0.008);
  const Json plane = run_answer(fmt::format(
      "gravity = [0, -9.81]\n[bodies.a]\nmass = 2\nshape = {{ box = [2, 0.5] }}\nposition = [0, 0.25]\n[bodies.b]\n"
      "mass = {:.17g}\nshape = {{ disc = 0.2 }}\nposition = [0, 0.7]\nvelocity = [1, 0]\n[contacts]\n"
      "floor = {{ body = \"a\", plane = {{ normal = [0, 1] }} }}\nab = {{ between = [\"a\", \"b\"] "
      "}}\n[simulation]\nuntil = 1.0405\n",
      capsule));
  const std::vector<double> there = numbers(plane["final"]["positions"]["b"]);
  for (const double aside : {0.5}) {
    std::vector<double> times_looked_at;
    for (int k = 1; k <= 11; ++k) times_looked_at.push_back(1 + 0.0036 * k);
    const Json answer = run_answer(start + fmt::format("{}", aside) + rest, times_looked_at);
    ASSERT_EQ(answer["status"], "finished") << answer.dump(1);
    EXPECT_LT(std::abs(answer["energy"]["defect"].get<double>()), contact_exactness);
    EXPECT_NEAR(answer["energy"]["lost"].get<double>(), 0, contact_exactness);
    const std::vector<double> end = numbers(answer["final"]["positions"]["b"]);
    EXPECT_NEAR(end[0], there[0], 1e-5);
    EXPECT_NEAR(end[2], there[1], 1e-5);
    // One place presses, and no end.
    EXPECT_GT(answer["final"]["multipliers"]["ab[18]"].get<double>(), 0.1);
    EXPECT_FALSE(answer["final"]["multipliers"].contains("ab[1]"));
    EXPECT_FALSE(answer["final"]["multipliers"].contains("ab[2]"));
    for (const Json& sample : answer["samples"]) {
      const std::vector<double> a = numbers(sample["positions"]["a"]);
      const std::vector<double> b = numbers(sample["positions"]["b"]);
      const std::array<Three, 3> axes = axes_of(a);
      double nearest = std::numeric_limits<double>::max();
      for (int k = -60; k <= 60; ++k) {
        const Three apart = sum(sum(part(b, 0), carried(b, {0, 0, 0.005 * k})), times(-1, part(a, 0)));
        const Three u = {dot(apart, axes[0]), dot(apart, axes[1]), dot(apart, axes[2])};
        const Three over = {std::max(std::abs(u[0]) - 1, 0.0), std::max(std::abs(u[1]) - 1, 0.0),
                            std::max(std::abs(u[2]) - 0.25, 0.0)};
        nearest = std::min(nearest, std::sqrt(dot(over, over)));
      }
      EXPECT_GT(nearest, 0.2 - nothing_deep) << sample["time"];
      // The floor is smooth: momentum along it stays, and about the vertical.
      const std::vector<double> va = numbers(sample["velocities"]["a"]);
      const std::vector<double> vb = numbers(sample["velocities"]["b"]);
      EXPECT_NEAR(2 * va[0] + capsule * vb[0], capsule, contact_exactness);
      EXPECT_NEAR(2 * va[1] + capsule * vb[1], capsule * aside, contact_exactness);
    }
  }
}

TEST(Contact, a_disc_in_a_drum_is_a_pendulum) {
  // Centre on a circle of radius R - r; the drum is still.
  const Json one = run_answer(R"toml(gravity = [0, -9.81]
[bodies.drum]
mass = 5
shape = { disc = 1 }
position = [0, 0]
[bodies.disc]
mass = 1
shape = { disc = 0.2 }
position = ["0.8*sin(1)", "-0.8*cos(1)"]
[joints]
still = { weld = [[0, 0], "drum"] }
[contacts]
in = { between = ["drum", "disc"], inside = true }
[simulation]
until = 2
)toml");
  const Json other = run_answer(R"toml(gravity = [0, -9.81]
[points.p]
mass = 1
position = ["0.8*sin(1)", "-0.8*cos(1)"]
[constraints]
string = "distance(p, [0, 0]) = 0.8"
[simulation]
until = 2
)toml");
  ASSERT_EQ(one["status"], "finished");
  const std::vector<double> x = numbers(one["final"]["positions"]["disc"]);
  expect_near({x[0], x[1]}, numbers(other["final"]["positions"]["p"]), contact_exactness);
  EXPECT_NEAR(one["final"]["multipliers"]["in"].get<double>(), other["final"]["multipliers"]["string"].get<double>(),
              1e-8);
}

TEST(Contact, bodies_stay_inside_of_hollow_ones) {
  for (const char* outer : {"ball = 1.2", "box = [2, 1.8, 1.6]", "cylinder = [1, 1.8]", "capsule = [0.9, 0.6]"}) {
    const std::string model = fmt::format(R"toml(gravity = [0, 0, -9.81]
[bodies.room]
mass = 5
shape = {{ {} }}
position = [0, 0, 0]
[bodies.ball]
mass = 1
shape = {{ ball = 0.2 }}
position = [0.1, 0.2, 0]
velocity = [2, 1, 0.5]
[bodies.box]
mass = 1
shape = {{ box = [0.3, 0.2, 0.1] }}
position = [-0.3, -0.2, 0]
spin = [1, 2, 3]
[joints]
still = {{ weld = [[0, 0, 0], "room"] }}
[contacts]
a = {{ between = ["room", "ball"], inside = true, restitution = 0.6 }}
b = {{ between = ["room", "box"], inside = true, restitution = 0.3 }}
[simulation]
until = 0.8
)toml",
                                          outer);
    const Json answer = run_answer(model, instants(0.8, 80));
    ASSERT_EQ(answer["status"], "finished") << outer;
    const std::string word = outer;
    for (const Json& sample : answer["samples"]) {
      const std::vector<double> ball = numbers(sample["positions"]["ball"]);
      const std::vector<double> box = numbers(sample["positions"]["box"]);
      const auto room = [&](const Three& x, double r) {
        const double rho = std::hypot(x[0], x[1]);
        if (word.starts_with("ball")) return 1.2 - r - std::hypot(rho, x[2]);
        if (word.starts_with("box"))
          return std::min({1 - std::abs(x[0]), 0.9 - std::abs(x[1]), 0.8 - std::abs(x[2])}) - r;
        if (word.starts_with("cyl")) return std::min(1 - rho, 0.9 - std::abs(x[2])) - r;
        return 0.9 - r - std::hypot(rho, std::max(std::abs(x[2]) - 0.3, 0.0));
      };
      EXPECT_GE(room(part(ball, 0), 0.2), -nothing_deep) << outer << " t = " << sample["time"];
      for (int k = 0; k < 8; ++k) {
        const Three own = {(k & 1) != 0 ? 0.15 : -0.15, (k & 2) != 0 ? 0.1 : -0.1, (k & 4) != 0 ? 0.05 : -0.05};
        EXPECT_GE(room(sum(part(box, 0), carried(box, own)), 0), -nothing_deep) << outer << " t = " << sample["time"];
      }
    }
    EXPECT_FALSE(answer["events"].empty()) << outer;
  }
}

TEST(Contact, squares_that_pass_each_other_by_a_hair_are_not_struck) {
  // A wall goes up beside a tip, at every distance above what counts as touching.
  for (const char* gap : {"1e-6", "1e-8", "1e-10", "4e-12"}) {
    const Json answer = run_answer(fmt::format(R"toml([bodies.a]
mass = 1
shape = {{ box = [1, 1] }}
position = ["-0.5 - {}", -2]
velocity = [0, 1]
[bodies.b]
mass = 1
shape = {{ box = [1, 1] }}
position = ["sqrt(0.5)", 0]
orientation = "pi/4"
[contacts]
c = {{ between = ["a", "b"] }}
[simulation]
until = 4
)toml",
                                               gap));
    ASSERT_EQ(answer["status"], "finished") << gap;
    EXPECT_TRUE(answer["events"].empty()) << gap << answer["events"].dump();
    EXPECT_NEAR(answer["final"]["positions"]["a"][1].get<double>(), 2, 1e-12) << gap;
  }
}

TEST(Contact, a_corner_that_slides_off_the_end_of_a_side_is_not_struck) {
  // Down the side of a square that stands on its tip, off its end: free from there on, with the energy it had.
  const Json answer = run_answer(R"toml(gravity = [0, -10]
[bodies.a]
mass = 1
shape = { box = [1, 1] }
position = [0, 0]
orientation = "pi/4"
[bodies.b]
mass = 1
shape = { box = [1, 1] }
position = [0.1, "sqrt(2) - 0.1"]
orientation = "pi/4 + 0.05"
[constraints]
place = "a' = [0, 0]"
turn = "a.spin = 0"
[contacts]
c = { between = ["a", "b"] }
[simulation]
until = 0.6
)toml");
  ASSERT_EQ(answer["status"], "finished");
  // Sides and corners that meet on the way down strike once.
  std::size_t struck = 0;
  for (const Json& event : answer["events"]) struck += event["kind"] == "impact" ? 1 : 0;
  EXPECT_EQ(struck, 1U) << answer["events"].dump();
}

TEST(Contact, random_polygons_and_discs_in_a_bin_do_not_enter_each_other) {
  std::mt19937_64 dice(5);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(dice() >> 11U) * 0x1p-53;
  };
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<double> v;
    for (int k = 0; k < 8; ++k) v.push_back(number(-1, 1));
    const std::string model = fmt::format(R"toml(gravity = [0, -9.81]
[bodies.a]
mass = 1
shape = {{ box = [0.6, 0.4] }}
position = [0.5, 0.8]
orientation = {}
velocity = [{}, {}]
[bodies.b]
mass = 2
shape = {{ polygon = [[-0.3, -0.2], [0.4, -0.2], [0.1, 0.4]] }}
position = [1.2, 1.5]
orientation = {}
spin = {}
[bodies.c]
mass = 1
shape = {{ disc = 0.25 }}
position = [0.6, 1.6]
velocity = [{}, {}]
[contacts]
floor_a = {{ body = "a", plane = {{ normal = [0.1, 1] }}, restitution = 0.3 }}
floor_b = {{ body = "b", plane = {{ normal = [0.1, 1] }}, restitution = 0.3 }}
floor_c = {{ body = "c", plane = {{ normal = [0.1, 1] }}, restitution = 0.3 }}
wall_a = {{ body = "a", plane = {{ normal = [1, 0], offset = -0.2 }} }}
wall_b = {{ body = "b", plane = {{ normal = [1, 0], offset = -0.2 }} }}
wall_c = {{ body = "c", plane = {{ normal = [1, 0], offset = -0.2 }} }}
ab = {{ between = ["a", "b"], restitution = 0.3 }}
ac = {{ between = ["a", "c"], restitution = 0.3 }}
bc = {{ between = ["b", "c"], restitution = 0.3 }}
[simulation]
until = 0.8
)toml",
                                          v[0], v[1], v[2], v[3], 3 * v[4], v[5], v[6]);
    const Json answer = run_answer(model, instants(0.8, 160));
    ASSERT_EQ(answer["status"], "finished") << model << answer["why"];
    // About its centre of mass, which is the mean of a triangle's corners.
    const std::vector<Two> triangle = {{-0.3 - 0.2 / 3, -0.2}, {0.4 - 0.2 / 3, -0.2}, {0.1 - 0.2 / 3, 0.4}};
    bool touched = false;
    for (const Json& sample : answer["samples"]) {
      const std::vector<Two> a = corners_at(numbers(sample["positions"]["a"]), rectangle(0.6, 0.4));
      const std::vector<Two> b = corners_at(numbers(sample["positions"]["b"]), triangle);
      const std::vector<double> c = numbers(sample["positions"]["c"]);
      EXPECT_GE(gap_of(a, b), -nothing_deep) << model << sample["time"];
      EXPECT_GE(distance_to(a, {c[0], c[1]}), 0.25 - nothing_deep) << model << sample["time"];
      EXPECT_GE(distance_to(b, {c[0], c[1]}), 0.25 - nothing_deep) << model << sample["time"];
    }
    for (const Json& event : answer["events"]) {
      for (const Json& name : event["constraints"]) touched = touched || name.get<std::string>()[1] != 'l';
    }
    EXPECT_TRUE(touched);
  }
}

TEST(Contact, random_capsules_and_balls_do_not_enter_each_other) {
  std::mt19937_64 dice(9);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(dice() >> 11U) * 0x1p-53;
  };
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<double> v;
    for (int k = 0; k < 9; ++k) v.push_back(number(-1, 1));
    const std::string model = fmt::format(R"toml(gravity = [0, 0, -9.81]
[bodies.a]
mass = 1
shape = {{ capsule = [0.1, 0.8] }}
position = [0, 0, 0.3]
orientation = {{ axis = [{}, {}, 0.2], angle = 1.4 }}
[bodies.b]
mass = 1
shape = {{ capsule = [0.15, 0.6] }}
position = [0.1, 0.1, 1.0]
orientation = {{ axis = [{}, 1, {}], angle = 1.2 }}
spin = [{}, {}, 1]
[bodies.c]
mass = 0.5
shape = {{ ball = 0.2 }}
position = [{}, {}, 1.6]
[contacts]
fa = {{ body = "a", plane = {{ normal = [0, 0, 1], offset = -0.3 }} }}
fb = {{ body = "b", plane = {{ normal = [0, 0, 1], offset = -0.3 }} }}
fc = {{ body = "c", plane = {{ normal = [0, 0, 1], offset = -0.3 }} }}
ab = {{ between = ["a", "b"], restitution = 0.4 }}
ac = {{ between = ["a", "c"], restitution = 0.4 }}
bc = {{ between = ["b", "c"], restitution = 0.4 }}
[simulation]
until = 0.8
)toml",
                                          v[0], v[1], v[2], v[3], 2 * v[4], 2 * v[5], 0.2 * v[6], 0.2 * v[7]);
    const Json answer = run_answer(model, instants(0.8, 80));
    ASSERT_EQ(answer["status"], "finished") << model << answer["why"];
    for (const Json& sample : answer["samples"]) {
      const std::vector<double> a = numbers(sample["positions"]["a"]);
      const std::vector<double> b = numbers(sample["positions"]["b"]);
      const std::vector<double> c = numbers(sample["positions"]["c"]);
      const Three da = carried(a, {0, 0, 0.8}), db = carried(b, {0, 0, 0.6});
      const Three pa = sum(part(a, 0), times(-0.5, da)), pb = sum(part(b, 0), times(-0.5, db));
      const Three still = {0, 0, 1e-12};
      EXPECT_GE(between_segments(pa, da, pb, db), 0.25 - nothing_deep) << model << sample["time"];
      EXPECT_GE(between_segments(pa, da, part(c, 0), still), 0.3 - nothing_deep) << model << sample["time"];
      EXPECT_GE(between_segments(pb, db, part(c, 0), still), 0.35 - nothing_deep) << model << sample["time"];
    }
  }
}

/// A square that stands with its corner on another one's; `first` and `second` are how the contact names them.
std::string square_on_square(const std::string& first, const std::string& second, double aside) {
  return fmt::format(R"toml(gravity = [0, -9.81]
[bodies.a]
mass = 1
shape = {{ box = [1, 1] }}
position = [0, "sqrt(1/2)"]
orientation = "pi/4"
[bodies.b]
mass = 1
shape = {{ box = [1, 1] }}
position = [{}, "3*sqrt(1/2)"]
orientation = "pi/4"
[contacts]
floor = {{ body = "a", plane = {{ normal = [0, 1], offset = 0 }} }}
tip = {{ between = ["{}", "{}"] }}
[simulation]
until = 1
)toml",
                     aside, first, second);
}

// The sides slope by 45 degrees, I = 1/6 and the tips are sqrt(1/2) from the centres: with l the force along n = (1, 1)/sqrt(2) both squares turn by 3 l, and
// (x_b - x_a)'' + y_b'' = 0 at the tips gives l = g / (4.5 sqrt(2)), so that x_b'' = g/9. To the other side the same.
TEST(Contact, tip_on_tip_gives_way_to_either_side) {
  constexpr double g = 9.81;
  for (const auto& [first, second] : {std::pair{"a", "b"}, std::pair{"b", "a"}}) {
    const Json answer = accelerate_answer(square_on_square(first, second, 0));
    ASSERT_EQ(answer["status"], "ambiguous");
    ASSERT_EQ(answer["solutions"].size(), 2U);
    double sum = 0;
    for (const Json& one : answer["solutions"]) {
      const std::vector<double> b = numbers(one["accelerations"]["b"]);
      EXPECT_NEAR(std::abs(b[0]), g / 9, contact_exactness);
      EXPECT_NEAR(std::abs(b[2]), g * std::sqrt(2.0) / 3, contact_exactness);
      sum += b[0];
    }
    EXPECT_NEAR(sum, 0, contact_exactness);
    const Json run = run_answer(square_on_square(first, second, 0));
    EXPECT_EQ(run["status"], "singular");
    EXPECT_EQ(run["final"]["time"], 0);
    EXPECT_EQ(run["continuations"].size(), 2U);
  }
}

TEST(Contact, beside_the_tip_it_gives_way_to_that_side) {
  for (const double aside : {-1e-3, 1e-3}) {
    const Json run = run_answer(square_on_square("a", "b", aside), {0.2});
    ASSERT_EQ(run["status"], "finished");
    EXPECT_GT(numbers(run["samples"][0]["positions"]["b"])[0] * aside, 0);
  }
}

// One flies at the other along their common diagonal: what one solution does to x, the other does to y.
TEST(Contact, a_blow_of_tip_on_tip_has_two_answers) {
  const Json answer = impact_answer(R"toml([bodies.a]
mass = 1
shape = { box = [1, 1] }
position = [1, 1]
velocity = [1, 1]
[bodies.b]
mass = 1
shape = { box = [1, 1] }
position = [2, 2]
[contacts]
tip = { between = ["a", "b"], restitution = 0.5 }
)toml");
  ASSERT_EQ(answer["status"], "ambiguous");
  ASSERT_EQ(answer["solutions"].size(), 2U);
  const std::vector<double> one = numbers(answer["solutions"][0]["velocities"]["a"]);
  const std::vector<double> other = numbers(answer["solutions"][1]["velocities"]["a"]);
  expect_near({one[1], one[0], -one[2]}, other, contact_exactness);
  EXPECT_NEAR(std::min(one[0], one[1]), 0.7, contact_exactness);
  EXPECT_NEAR(std::max(one[0], one[1]), 1, contact_exactness);
}

// The corner of an `or` takes from the velocity that a blow gives as little as from that velocity itself.
TEST(Contact, a_blow_at_a_corner_takes_the_side_that_is_nearest_behind_it) {
  const auto struck = [](const std::string& velocity, const std::string& blow) {
    return impact_answer("[points.p]\nmass = 1\nposition = [0, 0]\nvelocity = " + velocity +
                         "\n[constraints]\nstair = \"p.x <= 0 or p.y >= 0\"\n" +
                         (blow.empty() ? "" : "[[impulses]]\non = \"p\"\nvalue = " + blow + "\n"));
  };
  for (const char* v : {"[1, 0]", "[2, -1]", "[1, -0.001]", "[0.001, -1]", "[1, 1]"}) {
    const Json blown = struck("[0, 0]", v);
    const Json flying = struck(v, "");
    expect_near(numbers(blown["velocities"]["p"]), numbers(flying["velocities"]["p"]), contact_exactness);
    EXPECT_NEAR(blown["energy"]["lost"], flying["energy"]["lost"], contact_exactness) << v;
  }
}

TEST(Contact, a_box_that_is_struck_slides_past_the_corner_of_another) {
  const std::string one = "[bodies.a]\nmass = 1\nshape = { box = [1, 1] }\nposition = [0, 0.5]\n";
  const std::string rest = R"toml([bodies.b]
mass = 1
shape = { box = [1, 1] }
position = [1, 1.5]
[contacts]
c = { between = ["a", "b"], restitution = 0 }
[simulation]
until = 0.5
)toml";
  const Json run = run_answer(one + rest + "[[impulses]]\non = \"a\"\nvalue = [1, 0]\n");
  ASSERT_EQ(run["status"], "finished");
  EXPECT_NEAR(run["energy"]["lost"], 0, contact_exactness);
  expect_near(numbers(run["final"]["positions"]["a"]), {0.5, 0.5, 0}, contact_exactness);
}

// Against a wall a card would slide down. Two that lean tip to tip may do with less: one tip slides along the other card, of either.
TEST(Contact, of_two_cards_that_lean_tip_to_tip_either_slides_along_the_other) {
  const std::string left = R"toml(gravity = [0, -9.81]
[bodies.l]
mass = 1
shape = { box = [1, 0.02] }
position = ["-cos(1.2)/2 - 0.01*sin(1.2)", "sin(1.2)/2 + 0.01*cos(1.2)"]
orientation = 1.2
)toml";
  const std::string right = R"toml([bodies.r]
mass = 1
shape = { box = [1, 0.02] }
position = ["cos(1.2)/2 + 0.01*sin(1.2)", "sin(1.2)/2 + 0.01*cos(1.2)"]
orientation = "pi - 1.2"
)toml";
  const std::string floor = "[contacts]\nfloor = { body = \"l\", plane = { normal = [0, 1], offset = 0 } }\n";
  const std::string others =
      "floor2 = { body = \"r\", plane = { normal = [0, 1], offset = 0 } }\nlean = { between = [\"l\", \"r\"] }\n";
  const std::string wall = "wall = { body = \"l\", plane = { normal = [-1, 0], offset = 0 } }\n";
  const std::string end = "[simulation]\nuntil = 2\n";
  const Json two = accelerate_answer(left + right + floor + others + end);
  const Json one = accelerate_answer(left + floor + wall + end);
  ASSERT_EQ(two["status"], "ambiguous");
  ASSERT_EQ(two["solutions"].size(), 2U);
  // The wall's answer and its mirror image are allowed, too, and farther.
  EXPECT_LT(two["constraint"].get<double>(), 2 * one["constraint"].get<double>());
  const std::vector<double> l = numbers(two["solutions"][0]["accelerations"]["l"]);
  expect_near({-l[0], l[1], -l[2]}, numbers(two["solutions"][1]["accelerations"]["r"]), contact_exactness);
  EXPECT_EQ(run_answer(left + right + floor + others + end)["status"], "singular");
}

TEST(Contact, what_is_not_offered_is_refused_with_what_is) {
  const auto refused = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(parse(text));
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const std::string boxes = R"toml([bodies.a]
mass = 1
shape = { box = [1, 1, 1] }
position = [0, 0, 0]
[bodies.b]
mass = 1
shape = { box = [1, 1, 1] }
position = [0, 0, 2]
[contacts]
)toml";
  std::string drum = boxes;
  drum.replace(drum.rfind("box = [1, 1, 1]"), 15, "cylinder = [1, 1]");
  EXPECT_NE(refused(drum + "c = { between = [\"a\", \"b\"] }\n").find("a box and a cylinder is not offered"),
            std::string::npos);
  std::string within = boxes;
  within.replace(within.rfind("[0, 0, 2]"), 9, "[0, 0, 0.9]");
  EXPECT_EQ(refused(boxes + "c = { between = [\"a\", \"b\"] }\n"), "");
  EXPECT_NE(refused(within + "c = { between = [\"a\", \"b\"] }\n").find("overlap at the start, by 0.1"),
            std::string::npos);
  EXPECT_NE(refused(boxes + "c = { between = [\"a\", \"a\"] }\n").find("the same body"), std::string::npos);
  EXPECT_NE(refused(boxes + "c = { body = \"a\" }\n").find("needs `body` and `plane`"), std::string::npos);
  EXPECT_NE(refused(boxes + "c = { body = \"a\", plane = { normal = [0, 1] } }\n").find("3 components"),
            std::string::npos);
  EXPECT_NE(refused("[bodies.a]\nmass = 1\nshape = { polygon = [[0, 0], [1, 1], [1, 0], [0, 2]] }\nposition = [0, 0]\n")
                .find("the side from corner 1 to 2 of this polygon crosses that from 3 to 4"),
            std::string::npos);
  const std::string plates = R"toml([bodies.a]
mass = 1
shape = { box = [2, 0.2] }
position = [0, 0]
[bodies.b]
mass = 1
shape = { box = [0.2, 2] }
position = [0, 0]
[contacts]
c = { between = ["a", "b"] }
)toml";
  EXPECT_NE(refused(plates).find("overlap at the start"), std::string::npos);
  // In a family the members are named.
  EXPECT_NE(refused("[bodies.b]\ncount = 3\nmass = 1\nshape = { box = [1, 1] }\nposition = [[0, 0], [2, 0], [2.9, 0]]\n"
                    "[contacts]\nc = { for = \"i=1..2\", between = [\"b[i]\", \"b[i+1]\"] }\n")
                .find("`b[2]` and `b[3]` overlap at the start, by 0.1"),
            std::string::npos);
}

}  // namespace zwang::testing::contacts_tests
