/// Boxes in space that touch boxes and capsules, against formulas of the hand and distances by other routes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "answer.hpp"

namespace zwang::testing::boxes_tests {
namespace {

/// A place that is off by less than this, of lengths about one, is where it should be.
constexpr double box_exactness = 1e-10;

/// The largest gap between two boxes along an axis that may separate them: three, three, and nine of edges.
double gap_of_boxes(const std::vector<double>& a, const Three& half_a, const std::vector<double>& b,
                    const Three& half_b) {
  const std::array<Three, 3> mine = axes_of(a), others = axes_of(b);
  std::vector<Three> axes(mine.begin(), mine.end());
  axes.insert(axes.end(), others.begin(), others.end());
  for (const Three& d : mine) {
    for (const Three& e : others) axes.push_back(cross(d, e));
  }
  const Three between = sum(part(b, 0), times(-1, part(a, 0)));
  double best = -std::numeric_limits<double>::max();
  for (const Three& n : axes) {
    const double length = std::sqrt(dot(n, n));
    if (length < 1e-6) continue;
    double gap = std::abs(dot(between, n));
    for (std::size_t c = 0; c < 3; ++c)
      gap -= half_a.at(c) * std::abs(dot(mine.at(c), n)) + half_b.at(c) * std::abs(dot(others.at(c), n));
    best = std::max(best, gap / length);
  }
  return best;
}

/// From a segment to a box: the least over many places of the segment, then over ever finer ones about the best.
double to_box(const std::vector<double>& box, const Three& half, const Three& from, const Three& along) {
  const std::array<Three, 3> axes = axes_of(box);
  const auto at = [&](double s) {
    const Three x = sum(sum(from, times(s, along)), times(-1, part(box, 0)));
    double square = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double beyond = std::max(std::abs(dot(x, axes.at(c))) - half.at(c), 0.0);
      square += beyond * beyond;
    }
    return std::sqrt(square);
  };
  double best = 0.5, width = 0.5;
  for (int round = 0; round < 40; ++round) {
    double found = best;
    for (int k = -8; k <= 8; ++k) {
      const double s = std::clamp(best + width * k / 8, 0.0, 1.0);
      if (at(s) < at(found)) found = s;
    }
    best = found;
    width /= 2;
  }
  return at(best);
}

std::vector<double> evenly(double until, int count) {
  std::vector<double> out;
  for (int k = 0; k <= count; ++k) out.push_back(until * k / count);
  return out;
}

std::string two_boxes(const std::string& upper, const std::string& rest) {
  return "gravity = [0, 0, -10]\n[bodies.a]\nmass = 1\n" + upper + R"toml(
[bodies.b]
mass = 2
shape = { box = [1, 1, 0.5] }
position = [0, 0, 0.25]
[contacts]
floor = { body = "b", plane = { normal = [0, 0, 1] } }
pair = { between = ["a", "b"] }
)toml" + rest;
}

/// What the pair bears: its multipliers, added.
double borne(const Json& answer) {
  double out = 0;
  for (const auto& [name, value] : answer["multipliers"].items()) {
    if (name.starts_with("pair")) out += value.get<double>();
  }
  return out;
}

}  // namespace

TEST(Boxes, an_edge_strikes_an_edge_with_the_impulse_of_the_hand) {
  // Two cubes, each turned by half a right angle about the edge it strikes with; the edges cross at (0, 0), 0.1 and 0.05 beside the centres.
  const Json answer = run_answer(R"toml([bodies.a]
mass = 1
shape = { box = [1, 1, 1] }
position = [0.1, 0, 1.6]
orientation = { axis = [1, 0, 0], angle = "pi/4" }
velocity = [0, 0, -1]
[bodies.b]
mass = 2
shape = { box = [1, 1, 1] }
position = [0, 0.05, 0]
orientation = { axis = [0, 1, 0], angle = "pi/4" }
[contacts]
pair = { between = ["a", "b"], restitution = 0.5 }
[simulation]
until = 0.3
)toml");
  ASSERT_EQ(answer["status"], "finished");
  ASSERT_EQ(answer["events"].size(), 1U);
  const Json& shock = answer["events"][0];
  EXPECT_NEAR(shock["time"].get<double>(), 1.6 - std::sqrt(2.0), box_exactness);
  const double l = 1.5 / (1.0 + 1.0 / 2 + 0.01 * 6 + 0.0025 * 3);
  ASSERT_EQ(shock["impulses"].size(), 1U);
  EXPECT_NEAR(shock["impulses"].begin()->get<double>(), l, 1e-12);
  expect_near(numbers(answer["final"]["velocities"]["a"]), {0, 0, -1 + l, 0, 0.1 * l * 6, 0}, box_exactness);
  expect_near(numbers(answer["final"]["velocities"]["b"]), {0, 0, -l / 2, 0.05 * l * 3, 0, 0}, box_exactness);
}

TEST(Boxes, an_edge_that_slides_along_itself_leaves_another_at_its_end_without_a_shock) {
  // A bar leans on the edge (0.5, y, 0.5) of a cube with one of its own edges, which crosses it at right angles and is inclined by half a right angle. Drawn up
  // along that edge it moves straight on: its lower end, 0.05 farther down at the start, passes the edge at t = 0.05.
  const double c = std::sqrt(0.5);
  const Json answer = run_answer(R"toml([bodies.bar]
mass = 1
shape = { box = [0.8, 0.2, 0.2] }
position = ["0.6 - 0.35*sqrt(0.5)", 0.1, "0.6 + 0.35*sqrt(0.5)"]
orientation = ["cos(pi/8)^2", "sin(pi/8)*cos(pi/8)", "sin(pi/8)*cos(pi/8)", "-sin(pi/8)^2"]
velocity = ["-sqrt(0.5)", 0, "sqrt(0.5)"]
[bodies.cube]
mass = 2
shape = { box = [1, 1, 1] }
position = [0, 0, 0]
[contacts]
pair = { between = ["bar", "cube"] }
[simulation]
until = 0.1
)toml");
  ASSERT_EQ(answer["status"], "finished");
  for (const Json& event : answer["events"]) EXPECT_NE(event["kind"], "impact") << event;
  const std::vector<double> at = numbers(answer["final"]["positions"]["bar"]);
  EXPECT_NEAR(at[0], 0.6 - 0.45 * c, box_exactness);
  EXPECT_NEAR(at[1], 0.1, box_exactness);
  EXPECT_NEAR(at[2], 0.6 + 0.45 * c, box_exactness);
  expect_near(numbers(answer["final"]["velocities"]["bar"]), {-c, 0, c, 0, 0, 0}, box_exactness);
  expect_near(numbers(answer["final"]["velocities"]["cube"]), {0, 0, 0, 0, 0, 0}, box_exactness);
}

TEST(BoxesLong, one_slides_off_a_table_as_in_the_plane) {
  // Over the edge its own corners are let go, and its long edges bear on that of the table, which is much larger.
  const Json space = run_answer(R"toml(gravity = [0, 0, -10]
[bodies.table]
mass = 5
shape = { box = [2, 2, 1] }
position = [0, 0, 0.5]
[bodies.b]
mass = 1
shape = { box = [0.6, 0.3, 0.2] }
position = [0.68, 0, 1.1]
velocity = [0.8, 0, 0]
[joints]
w = { weld = [[0, 0, 0.5], "table"] }
[contacts]
c = { between = ["table", "b"], restitution = 0.3 }
[simulation]
until = 0.6
)toml");
  const Json plane = run_answer(R"toml(gravity = [0, -10]
[bodies.table]
mass = 5
shape = { box = [2, 1] }
position = [0, 0.5]
[bodies.b]
mass = 1
shape = { box = [0.6, 0.2] }
position = [0.68, 1.1]
velocity = [0.8, 0]
[joints]
w = { weld = [[0, 0.5], "table"] }
[contacts]
c = { between = ["table", "b"], restitution = 0.3 }
[simulation]
until = 0.6
)toml");
  ASSERT_EQ(space["status"], "finished") << space["why"];
  ASSERT_EQ(plane["status"], "finished") << plane["why"];
  for (const Json& event : space["events"]) EXPECT_NE(event["kind"], "impact");
  const std::vector<double> p = numbers(plane["final"]["positions"]["b"]);
  const std::vector<double> v = numbers(plane["final"]["velocities"]["b"]);
  ASSERT_LT(p.at(2), -0.1);
  // An angle from x to y in the plane is one from z to x in space, the other way round.
  expect_near(numbers(space["final"]["positions"]["b"]),
              {p.at(0), 0, p.at(1), std::cos(p.at(2) / 2), 0, -std::sin(p.at(2) / 2), 0}, 1e-9);
  expect_near(numbers(space["final"]["velocities"]["b"]), {v.at(0), 0, v.at(1), 0, -v.at(2), 0}, 1e-8);
}

TEST(Boxes, equal_ones_that_strike_flat_go_on_together_as_one) {
  // Offset by half, without bouncing: behind the shock they turn like one body until centrifugal forces open the gap.
  const Json answer = run_answer(R"toml([bodies.a]
mass = 1
shape = { box = [1, 1, 1] }
position = [0, 0, 0]
velocity = [1, 0, 0]
[bodies.b]
mass = 1
shape = { box = [1, 1, 1] }
position = [1.1, 0.5, 0]
[contacts]
c = { between = ["a", "b"] }
[simulation]
until = 0.3
)toml");
  ASSERT_EQ(answer["status"], "finished") << answer["why"];
  ASSERT_EQ(answer["events"][0]["kind"], "impact");
  // The impulse l on the middle of the overlap: 1 - 2 l - 2 (l/4) 6/4 = 0.
  const double l = 1 / (2 + 2 * 6.0 / 16);
  EXPECT_NEAR(answer["energy"]["lost"].get<double>(), l / 2, box_exactness);
  const std::vector<double> a = numbers(answer["final"]["velocities"]["a"]);
  const std::vector<double> b = numbers(answer["final"]["velocities"]["b"]);
  const std::vector<double> p = numbers(answer["final"]["positions"]["a"]);
  const std::vector<double> q = numbers(answer["final"]["positions"]["b"]);
  expect_near({a[0] + b[0], a[1] + b[1], a[2], b[2]}, {1, 0, 0, 0}, box_exactness);
  const double turning = p[0] * a[1] - p[1] * a[0] + q[0] * b[1] - q[1] * b[0] + (a[5] + b[5]) / 6;
  EXPECT_NEAR(turning, 0, box_exactness);
}

TEST(BoxesLong, equal_ones_pass_flush_beside_each_other) {
  // From where corners meet to where they leave nothing presses, and the one that moves goes straight on.
  const Json answer = run_answer(R"toml([bodies.a]
mass = 1
shape = { box = [1, 1, 1] }
position = [0, 0, 0]
velocity = [1, 0, 0]
[bodies.b]
mass = 1
shape = { box = [1, 1, 1] }
position = [1.5, 1, 0]
[contacts]
pair = { between = ["a", "b"] }
[simulation]
until = 3
)toml",
                                 {0.25, 0.5, 0.75, 1.5, 2.25, 2.5, 2.75, 3});
  ASSERT_EQ(answer["status"], "finished");
  for (const Json& event : answer["events"]) EXPECT_NE(event["kind"], "impact");
  for (const Json& sample : answer["samples"]) {
    const double t = sample["time"].get<double>();
    expect_near(numbers(sample["positions"]["a"]), {t, 0, 0, 1, 0, 0, 0}, box_exactness);
    expect_near(numbers(sample["positions"]["b"]), {1.5, 1, 0, 1, 0, 0, 0}, box_exactness);
  }
}

TEST(BoxesLong, one_turns_slowly_on_an_equal_one_below) {
  // Edges that lie on each other begin to cross, by so little that their angle is all but rounding: it turns on, and neither sinks nor rises.
  const double spin = 1e-4, until = 0.02;
  const std::string text = fmt::format(R"toml(gravity = [0, 0, -10]
[bodies.a]
mass = 1
shape = {{ box = [1, 1, 1] }}
position = [0, 0, 1.5]
spin = [0, 0, {}]
[bodies.b]
mass = 1
shape = {{ box = [1, 1, 1] }}
position = [0, 0, 0.5]
[joints]
fast = {{ weld = [[0, 0, 0.5], "b"] }}
[contacts]
pair = {{ between = ["a", "b"] }}
[simulation]
until = {}
)toml",
                                       spin, until);
  const Json answer = run_answer(text, evenly(until, 8));
  ASSERT_EQ(answer["status"], "finished");
  for (const Json& sample : answer["samples"]) {
    const std::vector<double> a = numbers(sample["positions"]["a"]);
    const double half_angle = spin * sample["time"].get<double>() / 2;
    expect_near(a, {0, 0, 1.5, std::cos(half_angle), 0, 0, std::sin(half_angle)}, box_exactness);
    EXPECT_NEAR(gap_of_boxes(a, {0.5, 0.5, 0.5}, numbers(sample["positions"]["b"]), {0.5, 0.5, 0.5}), 0, box_exactness);
  }
}

TEST(BoxesLong, ten_on_one_another_stand_and_four_shifted) {
  for (const double shift : {0.0, 0.05}) {
    const int count = shift == 0 ? 10 : 4;
    const Json answer = run_answer(fmt::format(R"toml(gravity = [0, 0, -10]
[bodies.box]
count = {1}
mass = 1
shape = {{ box = [1, 0.8, 0.5] }}
position = ["{0}*i", "{0}*i/2", "0.5*i - 0.25"]
[contacts]
floor = {{ body = "box[1]", plane = {{ normal = [0, 0, 1] }} }}
pile = {{ for = "i = 1..{2}", between = ["box[i]", "box[i+1]"] }}
[simulation]
until = 2
)toml",
                                               shift, count, count - 1));
    ASSERT_EQ(answer["status"], "finished");
    EXPECT_TRUE(answer["events"].empty());
    for (int k = 1; k <= count; ++k) {
      expect_near(numbers(answer["final"]["positions"][fmt::format("box[{}]", k)]),
                  {shift * k, shift * k / 2, 0.5 * k - 0.25, 1, 0, 0, 0}, box_exactness);
    }
    double floor = 0;
    for (int k = 1; k <= 4; ++k) floor += answer["final"]["multipliers"][fmt::format("floor[{}]", k)].get<double>();
    EXPECT_NEAR(floor, 10 * count, 1e-9);
  }
}

TEST(BoxesLong, one_that_is_turned_rests_where_edges_cross) {
  for (const double angle : {0.001, 0.3, 0.785398163397448}) {
    const Json answer =
        accelerate_answer(two_boxes(fmt::format("shape = {{ box = [1, 1, 0.5] }}\nposition = [0, 0, 0.75]\norientation "
                                                "= {{ axis = [0, 0, 1], angle = {} }}",
                                                angle),
                                    ""));
    ASSERT_EQ(answer["status"], "determined") << angle;
    expect_near(numbers(answer["accelerations"]["a"]), {0, 0, 0, 0, 0, 0}, box_exactness);
    EXPECT_NEAR(borne(answer), 10, 1e-9);
  }
}

TEST(BoxesLong, what_overhangs_tips_over_an_edge_or_a_corner) {
  // A plank across, its centre 0.2 beyond the edge, where two edges of its own cross.
  const double turn = 0.3;
  const Json plank = accelerate_answer(two_boxes(fmt::format("shape = {{ box = [3, 0.3, 0.2] }}\nposition = [0.7, 0, "
                                                             "0.6]\norientation = {{ axis = [0, 0, 1], angle = {} }}",
                                                             turn),
                                                 ""));
  const double inertia =
      ((9 + 0.04) * std::cos(turn) * std::cos(turn) + (0.09 + 0.04) * std::sin(turn) * std::sin(turn)) / 12;
  const double spin = 10 * 0.2 / (0.04 + inertia);
  expect_near(numbers(plank["accelerations"]["a"]), {0, 0, -0.2 * spin, 0, spin, 0}, box_exactness);
  EXPECT_NEAR(borne(plank), 10 - 0.2 * spin, 1e-9);

  // A box beyond a corner, by d both ways.
  const double d = 0.05;
  const Json corner = accelerate_answer(two_boxes("shape = { box = [1, 1, 0.5] }\nposition = [0.55, 0.55, 0.75]", ""));
  const double across = (1 + 0.25) / 12;
  const double l = 10 / (1 + 2 * d * d / across);
  EXPECT_NEAR(borne(corner), l, 1e-9);
  expect_near(numbers(corner["accelerations"]["a"]), {0, 0, l - 10, -d * l / across, d * l / across, 0}, box_exactness);
}

TEST(BoxesLong, one_tumbles_on_a_wide_one_as_on_a_plane) {
  const std::string box = R"toml(gravity = [0, 0, -10]
[bodies.a]
mass = 1
shape = { box = [1, 0.8, 0.5] }
position = [0.1, 0.05, 1.6]
orientation = { axis = [1, 2, 0.3], angle = 0.7 }
spin = [0.3, 1.5, 0.2]
[simulation]
until = 0.7
)toml";
  const Json on_plane = run_answer(
      box + "[contacts]\nc = { body = \"a\", plane = { normal = [0, 0, 1], offset = 0.5 }, restitution = 0.3 }\n");
  const Json on_box = run_answer(box + R"toml([bodies.b]
mass = 2
shape = { box = [30, 30, 1] }
position = [0, 0, 0]
[joints]
fixed = { weld = [[0, 0, 0], "b"] }
[contacts]
c = { between = ["a", "b"], restitution = 0.3 }
)toml");
  ASSERT_EQ(on_plane["status"], "finished");
  ASSERT_EQ(on_box["status"], "finished");
  ASSERT_EQ(on_plane["events"].size(), on_box["events"].size());
  ASSERT_GE(on_plane["events"].size(), 4U);
  expect_near(numbers(on_box["final"]["positions"]["a"]), numbers(on_plane["final"]["positions"]["a"]), 1e-9);
  expect_near(numbers(on_box["final"]["velocities"]["a"]), numbers(on_plane["final"]["velocities"]["a"]), 1e-8);
  EXPECT_NEAR(on_box["energy"]["lost"].get<double>(), on_plane["energy"]["lost"].get<double>(), 1e-9);
}

TEST(BoxesLong, thrown_ones_do_not_enter_each_other_and_keep_their_energy) {
  std::mt19937_64 dice(16);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(dice() >> 11U) * 0x1p-53;
  };
  int edges = 0;
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<double> v;
    for (int k = 0; k < 12; ++k) v.push_back(number(-1, 1));
    const std::string model = fmt::format(R"toml([bodies.a]
mass = 1
shape = {{ box = [1, 0.8, 0.5] }}
position = [{}, {}, 1.5]
orientation = {{ axis = [{}, {}, 1], angle = 1.3 }}
velocity = [0, 0, -4]
spin = [{}, {}, {}]
[bodies.b]
mass = 2
shape = {{ box = [0.7, 1.2, 0.6] }}
position = [0, 0, 0]
orientation = {{ axis = [{}, 1, {}], angle = 1.1 }}
spin = [{}, {}, {}]
[contacts]
pair = {{ between = ["a", "b"], restitution = 1 }}
[simulation]
until = 0.6
)toml",
                                          0.3 * v[0], 0.3 * v[1], v[2], v[3], 3 * v[4], 3 * v[5], 3 * v[6], v[7], v[8],
                                          2 * v[9], 2 * v[10], 2 * v[11]);
    const Json answer = run_answer(model, evenly(0.6, 60));
    ASSERT_EQ(answer["status"], "finished") << model << answer["why"];
    EXPECT_NEAR(answer["energy"]["final"].get<double>(), answer["energy"]["initial"].get<double>(), 1e-10);
    for (const Json& event : answer["events"]) {
      for (const Json& name : event["constraints"])
        if (std::stoi(name.get<std::string>().substr(5)) > 16) ++edges;
    }
    for (const Json& sample : answer["samples"]) {
      EXPECT_GE(gap_of_boxes(numbers(sample["positions"]["a"]), {0.5, 0.4, 0.25}, numbers(sample["positions"]["b"]),
                             {0.35, 0.6, 0.3}),
                -1e-9)
          << model << sample["time"];
    }
  }
  EXPECT_GE(edges, 1);  // shocks of edges were among them
}

TEST(Boxes, a_capsule_falls_on_one_and_stays_outside) {
  std::mt19937_64 dice(4);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(dice() >> 11U) * 0x1p-53;
  };
  for (int trial = 0; trial < 8; ++trial) {
    std::vector<double> v;
    for (int k = 0; k < 6; ++k) v.push_back(number(-1, 1));
    const std::string model = fmt::format(R"toml(gravity = [0, 0, -10]
[bodies.a]
mass = 1
shape = {{ capsule = [0.1, 0.9] }}
position = [{}, {}, 1.1]
orientation = {{ axis = [{}, 1, 0.3], angle = 1.2 }}
spin = [{}, {}, {}]
[bodies.b]
mass = 2
shape = {{ box = [0.6, 0.8, 0.5] }}
position = [0, 0, 0]
orientation = {{ axis = [1, 0.3, 0.2], angle = 0.6 }}
force = [0, 0, 20]
[contacts]
pair = {{ between = ["a", "b"], restitution = 0.6 }}
[simulation]
until = 0.6
)toml",
                                          0.3 * v[0], 0.3 * v[1], v[2], 2 * v[3], 2 * v[4], 2 * v[5]);
    const Json answer = run_answer(model, evenly(0.6, 60));
    ASSERT_EQ(answer["status"], "finished") << model << answer["why"];
    double least = 1;
    for (const Json& sample : answer["samples"]) {
      const std::vector<double> a = numbers(sample["positions"]["a"]);
      const Three along = carried(a, {0, 0, 0.9});
      const double apart =
          to_box(numbers(sample["positions"]["b"]), {0.3, 0.4, 0.25}, sum(part(a, 0), times(-0.5, along)), along);
      EXPECT_GE(apart, 0.1 - 1e-9) << model << sample["time"];
      least = std::min(least, apart);
    }
    EXPECT_LE(least, 0.15) << "they met";
  }
}

/// A box of mass 1 on a floor, with friction 3 against its way over it.
std::string box_that_rubs(const std::string& more) {
  return "gravity = [0, 0, -10]\n[bodies.a]\nmass = 1\nshape = { box = [1, 1, 1] }\nposition = [0, 0, 0.5]\n" + more +
         "[contacts]\nfloor = { body = \"a\", plane = { normal = [0, 0, 1] } }\n[simulation]\nuntil = 1\n";
}

TEST(Boxes, on_a_floor_with_friction_they_stop_and_wait_for_the_load) {
  // Four corners press and only three are needed: who carries what is open, the motion is not.
  const std::string rubs = "-3*[a.x', a.y', 0]/norm([a.x', a.y', 0])";
  const Json thrown = run_answer(box_that_rubs("velocity = [1.2, 0.5, 0]\nforce = \"" + rubs + "\"\n"));
  ASSERT_EQ(thrown["status"], "finished") << thrown["why"];
  EXPECT_NEAR(thrown["events"].at(0)["time"].get<double>(), 1.3 / 3, box_exactness);
  EXPECT_EQ(thrown["events"].at(0)["kind"], "stick");
  expect_near(part(numbers(thrown["final"]["positions"]["a"]), 0), Three{1.2 * 1.3 / 6, 0.5 * 1.3 / 6, 0.5},
              box_exactness);
  const Json pulled = run_answer(box_that_rubs("force = \"" + rubs + " + t*[3, 4, 0]\"\n"));
  ASSERT_EQ(pulled["status"], "finished") << pulled["why"];
  EXPECT_NEAR(pulled["events"].at(0)["time"].get<double>(), 0.6, box_exactness);
  const double way = 5 * 0.4 * 0.4 * 0.4 / 6;
  expect_near(part(numbers(pulled["final"]["positions"]["a"]), 0), Three{0.6 * way, 0.8 * way, 0.5}, box_exactness);
}

TEST(Boxes, flush_ones_with_friction_are_pushed_together) {
  // Each holds 1: both go when the push 4t is 2.
  for (const bool floor : {false, true}) {
    const std::string rest = floor ? "gravity = [0, 0, -10]\n" : "";
    const std::string under = floor ? "fa = { body = \"a\", plane = { normal = [0, 0, 1] } }\nfb = { body = \"b\", "
                                      "plane = { normal = [0, 0, 1] } }\n"
                                    : "";
    const Json answer = run_answer(rest + R"toml([bodies.a]
mass = 1
shape = { box = [1, 1, 1] }
position = [0, 0, 0.5]
force = "-a'/norm(a') + [4*t, 0, 0]"
[bodies.b]
mass = 1
shape = { box = [1, 1, 1] }
position = [1, 0, 0.5]
force = "-b'/norm(b')"
[contacts]
pair = { between = ["a", "b"] }
)toml" + under + "[simulation]\nuntil = 1\n");
    ASSERT_EQ(answer["status"], "finished") << answer["why"];
    EXPECT_NEAR(answer["events"].at(0)["time"].get<double>(), 0.5, box_exactness);
    EXPECT_EQ(answer["events"].size(), 1U);
    expect_near(part(numbers(answer["final"]["positions"]["a"]), 0), Three{1.0 / 24, 0, 0.5}, box_exactness);
    expect_near(part(numbers(answer["final"]["positions"]["b"]), 0), Three{1 + 1.0 / 24, 0, 0.5}, box_exactness);
  }
}

TEST(Boxes, on_a_floor_one_slides_flush_past_the_side_of_another) {
  // Corners on the floor press, and depend on one another all the way; those between the faces carry nothing and depend on one another where the faces part.
  const Json answer = run_answer(R"toml(gravity = [0, 0, -10]
[bodies.a]
mass = 1
shape = { box = [1, 1, 1] }
position = [0, 0, 0.5]
velocity = [1, 0, 0]
[bodies.b]
mass = 1
shape = { box = [1, 1, 1] }
position = [0, 1, 0.5]
[contacts]
fa = { body = "a", plane = { normal = [0, 0, 1] } }
fb = { body = "b", plane = { normal = [0, 0, 1] } }
pair = { between = ["a", "b"] }
[simulation]
until = 1.5
)toml");
  ASSERT_EQ(answer["status"], "finished") << answer["why"];
  expect_near(part(numbers(answer["final"]["positions"]["a"]), 0), Three{1.5, 0, 0.5}, box_exactness);
  expect_near(part(numbers(answer["final"]["positions"]["b"]), 0), Three{0, 1, 0.5}, box_exactness);
  expect_near(numbers(answer["final"]["velocities"]["a"]), {1, 0, 0, 0, 0, 0}, box_exactness);
}

TEST(Boxes, strike_a_wall_flat_wherever_it_stands_and_however_large_they_are) {
  // All four corners at once, in metres beside the origin or as far out as a satellite, in nanometres or light years.
  const std::vector<std::pair<double, double>> places{{0, 1},   {4.2e7, 1},  {1e10, 1}, {1e8, 1e6},
                                                      {0, 1e9}, {1e5, 1e-3}, {0, 1e-9}};
  for (const auto& [X, side] : places) {
    SCOPED_TRACE(fmt::format("{} large at {}", side, X));
    const Json answer = run_answer(fmt::format("[parameters]\nX = {}\ns = {}", X, side) + R"toml(
[bodies.b]
mass = 1
shape = { box = ["s", "s", "s"] }
position = ["X", 0, 0]
velocity = ["s", 0, 0]
[contacts]
w = { body = "b", plane = { normal = [-1, 0, 0], offset = "-s - X" }, restitution = 0.5 }
[simulation]
until = 1
)toml");
    EXPECT_EQ(answer["status"], "finished") << answer["why"];
    EXPECT_EQ(answer["events"].size(), 1U);
    EXPECT_NEAR(numbers(answer["final"]["velocities"]["b"])[0] / side, -0.5, 1e-12);
  }
}

TEST(Boxes, a_door_on_two_hinges_turns_in_any_unit_of_length) {
  // One hinge says what the other does; 0.5 L about the axis, so that the centre is accelerated by -0.5 L.
  for (const double L : {1e-9, 1.0, 1e7, 1e9, 1e12}) {
    SCOPED_TRACE(L);
    const Json answer = accelerate_answer("[parameters]\nL = " + fmt::format("{}\n", L) + R"toml(
A = [0, 0, "0.8*L"]
B = [0, 0, "-0.8*L"]
[bodies.door]
mass = 3
shape = { box = ["1*L", "0.05*L", "2*L"] }
position = ["0.5*L", 0, 0]
spin = [0, 0, 1]
velocity = [0, "0.5*L", 0]
force = [0, 0, "-9.81*3*L"]
marks = { h = ["-0.5*L", 0, "0.8*L"], k = ["-0.5*L", 0, "-0.8*L"] }
[joints]
h1 = { hinge = ["A", "door.h"], axis = [0, 0, 1] }
h2 = { hinge = ["B", "door.k"], axis = [0, 0, 1] }
)toml");
    EXPECT_EQ(answer["status"], "determined");
    const std::vector<double> a = numbers(answer["accelerations"]["door"]);
    EXPECT_NEAR(a[0] / L, -0.5, 1e-11);
    for (const std::size_t i : {1U, 2U}) EXPECT_NEAR(a[i] / L, 0, 1e-11) << i;
    for (const std::size_t i : {3U, 4U, 5U}) EXPECT_NEAR(a[i], 0, 1e-11) << i;
  }
}

}  // namespace zwang::testing::boxes_tests
