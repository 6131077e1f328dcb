/// Rest of any length, contacts without force, piles: whole motions, every condition evaluated in plain arithmetic.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "zwang/base/number.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::rest_tests {

namespace {

struct Ran {
  Status status = Status::going;
  std::string why;
  model::State state;
  std::vector<Event> events;
  double worst = 0;  ///< largest f of a condition at the end of any piece
};

Ran run(const std::string& text) {
  const model::Model model = model::load(text, "rest.toml");
  Motion motion = begin(model);
  Ran out;
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  const auto look = [&] {
    out.events.insert(out.events.end(), motion.events.begin(), motion.events.end());
    model::evaluate_rows(model, motion.state, scratch, rows);
    for (const double f : rows.value) out.worst = std::max(out.worst, f);
  };
  look();
  while (advance(motion)) look();
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  return out;
}

std::string blow_after(double rest) {
  return "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, 0]\n[constraints]\nfloor = \"a.y >= 0\"\nwall = "
         "\"a.x <= "
         "1\"\n[[impulses]]\nat = " +
         exact(rest) + "\non = \"a\"\nvalue = [1, 0]\n[simulation]\nuntil = " + exact(rest + 4) + "\n";
}

constexpr double tolerance_of_the_run =
    1e-12;  ///< per step, relative to its terms; coordinates are of the order of one

}  // namespace

TEST(Rest, of_any_length_ends_with_the_blow_and_the_wall) {
  for (const double rest : {1.0, 1e3, 1e6, 1e9}) {
    const Ran ran = run(blow_after(rest));
    EXPECT_EQ(ran.status, Status::finished) << rest << ran.why;
    ASSERT_EQ(ran.events.size(), 2U) << rest;
    EXPECT_EQ(ran.events[0].kind, EventKind::blow);
    EXPECT_EQ(ran.events[1].kind, EventKind::impact);
    EXPECT_NEAR(ran.events[1].time, rest + 1, 4e-16 * rest + 1e-15);
    EXPECT_EQ(ran.state.position, (std::vector<double>{1, 0})) << rest;
    EXPECT_EQ(ran.state.velocity, (std::vector<double>{0, 0})) << rest;
  }
}

TEST(Rest, in_a_notch_or_on_strings_stays_where_it_is) {
  const Ran notch =
      run("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [1, 1]\n[constraints]\nn1 = \"a.y >= a.x\"\nn2 = "
          "\"a.y >= 2 - "
          "a.x\"\nn3 = \"a.x >= 1\"\n[simulation]\nuntil = 1e9\n");
  EXPECT_EQ(notch.status, Status::finished) << notch.why;
  EXPECT_EQ(notch.state.position, (std::vector<double>{1, 1}));
  const Ran hanging = run(
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, -1]\n[points.b]\nmass = 1\nposition = [0, -2]\n"
      "[constraints]\ns1 = \"distance(a, [0, 0]) <= 1\"\ns2 = \"distance(a, b) <= 1\"\n[simulation]\nuntil = 1e4\n");
  EXPECT_EQ(hanging.status, Status::finished) << hanging.why;
  EXPECT_EQ(hanging.state.position, (std::vector<double>{0, -1, 0, -2}));
}

TEST(Rest, a_body_far_away_and_the_size_of_the_planet_touch_nothing) {
  const std::string ball = "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, 0.5]\n";
  const std::string floor = "[constraints]\nfloor = \"a.y >= 0\"\n[simulation]\nuntil = 0.1\n";
  const Ran alone = run(ball + floor);
  const Ran beside = run(ball + "[points.far]\nmass = 1\nposition = [1e9, 0]\nforce = [0, 9.81]\n" + floor);
  EXPECT_EQ(beside.state.position[1], alone.state.position[1]);
  EXPECT_NEAR(alone.state.position[1], 0.5 - 9.81 * 0.005, 1e-15);
  const Ran high =
      run("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, 6371000.005]\n[constraints]\nfloor = \"a.y >= "
          "6.371e6\"\n[simulation]\nuntil = 0.01\n");
  EXPECT_NEAR(high.state.position[1], 6371000.005 - 9.81 * 0.01 * 0.01 / 2, 2e-9);
}

TEST(Rest, a_small_hop_far_from_the_origin_strikes_however_soon_the_run_ends) {
  const double floor = 811074237.43028009;
  const double speed = 0.02136;
  const double lands = 2 * speed / 9.81;
  for (const double later : {5e-5, 1e-4, 3e-4, 6e-4}) {
    const Ran ran =
        run("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, " + exact(floor) + "]\nvelocity = [0, " +
            exact(speed) + "]\n[constraints]\nfloor = { condition = \"a.y >= " + exact(floor) +
            "\", restitution = 0.7 }\n[simulation]\nuntil = " + exact(lands + later) + "\n");
    EXPECT_EQ(ran.status, Status::finished) << ran.why;
    ASSERT_EQ(ran.events.size(), 1U) << later;
    EXPECT_EQ(ran.events[0].kind, EventKind::impact);
    EXPECT_NEAR(ran.events[0].time, lands, 4e-6) << "a unit of the last place of the height, at this speed";
    EXPECT_NEAR(ran.state.velocity[1], 0.7 * speed - 9.81 * later, 1e-4);
  }
}

TEST(Rest, after_a_head_on_collision_without_forces_both_go_on_together) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 draw(seed);
    const auto from = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(draw); };
    const double angle = from(0, 6.28);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const double gap = from(2, 4);
    const double fast = from(0.5, 2);
    const double slow = from(-0.4, 0.4);
    const double m1 = from(0.5, 2);
    const double m2 = from(0.5, 2);
    const double length = from(0.5, 1.5);
    const double x = from(-1, 1);
    const double y = from(-1, 1);
    const Ran ran = run(
        "[points.a]\nmass = " + exact(m1) + "\nposition = [" + exact(x) + ", " + exact(y) + "]\nvelocity = [" +
        exact(fast * c) + ", " + exact(fast * s) + "]\n[points.b]\nmass = " + exact(m2) + "\nposition = [" +
        exact(x + gap * c) + ", " + exact(y + gap * s) + "]\nvelocity = [" + exact(slow * c) + ", " + exact(slow * s) +
        "]\n[constraints]\napart = \"distance(a, b) >= " + exact(length) + "\"\n[simulation]\nuntil = 50\n");
    ASSERT_EQ(ran.status, Status::finished) << seed << ran.why;
    ASSERT_EQ(ran.events.size(), 1U) << seed;
    const double common = (m1 * fast + m2 * slow) / (m1 + m2);
    EXPECT_NEAR(ran.state.velocity[0], common * c, 1e-14) << seed;
    EXPECT_NEAR(ran.state.velocity[3], common * s, 1e-14) << seed;
    const double d =
        std::hypot(ran.state.position[2] - ran.state.position[0], ran.state.position[3] - ran.state.position[1]);
    EXPECT_NEAR(d, length, 1e-12) << seed;
  }
}

TEST(Rest, piles_of_discs_in_a_box_come_to_lie) {
  for (const int n : {3, 4, 5, 6, 8, 10}) {
    std::mt19937 draw(static_cast<unsigned>(n));
    const auto from = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(draw); };
    const int side = std::max(2, static_cast<int>(std::ceil(std::sqrt(n))));
    const double width = 1.1 * side;
    std::string text = "gravity = [0, -9.81]\n";
    std::string conditions = "[constraints]\n";
    for (int k = 0; k < n; ++k) {
      const std::string name = "d" + std::to_string(k);
      // Drawn one after the other: operands have no order.
      const double v = from(-1, 1);
      const double u = from(-1, 1);
      const double y = 0.6 + k / side * 1.2 + from(-0.04, 0.04);
      const double x = 0.55 + k % side * 1.1 + from(-0.04, 0.04);
      text += "[points." + name + "]\nmass = 1\nposition = [" + exact(x) + ", " + exact(y) + "]\nvelocity = [" +
              exact(u) + ", " + exact(v) + "]\n";
      conditions += "f" + name + " = \"" + name + ".y >= 0.5\"\nl" + name + " = \"" + name + ".x >= 0.5\"\nr" + name +
                    " = \"" + name + ".x <= " + exact(width - 0.5) + "\"\n";
      for (int j = 0; j < k; ++j) {
        conditions += "c" + std::to_string(j) + "_" + std::to_string(k) + " = \"distance(d" + std::to_string(j) + ", " +
                      name + ") >= 1\"\n";
      }
    }
    const Ran ran = run(text + conditions + "[simulation]\nuntil = 5\n");
    EXPECT_EQ(ran.status, Status::finished) << n << ran.why;
    EXPECT_LE(ran.worst, tolerance_of_the_run) << n;
  }
}

TEST(Rest, tables_on_eight_legs_stop_rattling) {
  for (const char* restitution : {"0", "0.3", "0.5"}) {
    std::string text =
        "[coordinates.z]\ninitial = 0.31\n[coordinates.p]\ninitial = 0.05\n[coordinates.r]\ninitial = "
        "-0.03\n[energy]\nkinetic "
        "= \"z'^2/2 + 0.1*p'^2 + 0.13*r'^2\"\npotential = \"9.81*z\"\n[constraints]\n";
    for (int k = 0; k < 8; ++k) {
      const double angle = 0.785398 * k + 0.1;
      text += "leg" + std::to_string(k) + " = { condition = \"z + " + exact(std::round(1e3 * std::cos(angle)) / 1e3) +
              "*p + " + exact(std::round(1e3 * std::sin(angle)) / 1e3) + "*r >= 0\", restitution = " + restitution +
              " }\n";
    }
    const Ran ran = run(text + "[simulation]\nuntil = 3\n");
    EXPECT_EQ(ran.status, Status::finished) << restitution << ran.why;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(ran.state.position[i], 0, 1e-12) << restitution;
      EXPECT_NEAR(ran.state.velocity[i], 0, 1e-12) << restitution;
    }
  }
}

TEST(RestLong, discs_that_fall_into_a_box_go_on_when_one_lies_in_the_corner_at_the_origin) {
  const Ran ran = run(R"toml(gravity = [0, -10]
[parameters]
n = 30
side = 6
d = 0.62
L = "side*d*1.618"
[points.b]
count = "n"
mass = 1
position = ["d*1.618*(i - 0.5 - side*floor((i-1)/side))", "d*1.618*(floor((i-1)/side) + 0.5)"]
velocity = ["sin(7*i*i)", "cos(11*i*i + 3)"]
[constraints]
apart = { for = "i = 1..n, j = i+1..n", condition = "distance(b[i], b[j]) >= d", restitution = 0.5 }
left = { for = "i = 1..n", condition = "b[i].x >= 0", restitution = 0.5 }
right = { for = "i = 1..n", condition = "b[i].x <= L", restitution = 0.5 }
low = { for = "i = 1..n", condition = "b[i].y >= 0", restitution = 0.5 }
high = { for = "i = 1..n", condition = "b[i].y <= L*n/side^2", restitution = 0.5 }
[simulation]
until = 1.7
)toml");
  EXPECT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_LE(ran.worst, tolerance_of_the_run);
}

TEST(Rest, between_a_stop_and_a_pawl_needs_no_force) {
  // A wheel that turns forwards only stands at its end stop: whatever the load, in either order, twice the same pawl.
  const std::string wheel = "[coordinates.w]\ninitial = 1\n";
  const std::string energy = "[energy]\nkinetic = \"w'^2/2\"\n[constraints]\n";
  const std::string stop = "end = \"w <= 1\"\n";
  const std::string pawl = "pawl = \"w' >= 0\"\n";
  for (const std::string load : {"", "force = \"sin(t)\"\n", "force = \"if(t < 2, 1, 0)\"\n"}) {
    for (const std::string& conditions : {stop + pawl, pawl + stop, stop + pawl + "again = \"w' >= 0\"\n",
                                          "held = \"w' = 0\"\n" + pawl, stop + "held = \"w' = 0\"\n" + pawl}) {
      const Ran ran = run(wheel + load + energy + conditions + "[simulation]\nuntil = 8\n");
      EXPECT_EQ(ran.status, Status::finished) << load << conditions << ran.why;
      EXPECT_EQ(ran.state.position[0], 1);
      EXPECT_EQ(ran.state.velocity[0], 0);
    }
  }
}

TEST(Rest, between_stops_of_which_one_is_written_twice_outlasts_a_load_that_passes_zero) {
  for (const char* force : {"-t", "t", "if(t >= 1, 1.5 - t, 1)", "sin(3*t)"}) {
    for (const char* twice : {"x <= 0", "x' <= 0", "3*x <= 0"}) {
      const Ran ran = run("[coordinates.x]\ninitial = 0\nforce = \"" + std::string(force) +
                          "\"\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\na = \"x <= 0\"\nb = \"" + twice +
                          "\"\nc = \"x >= 0\"\n[simulation]\nuntil = 2\n");
      EXPECT_EQ(ran.status, Status::finished) << force << ", " << twice << ": " << ran.why;
      EXPECT_EQ(ran.state.position[0], 0);
    }
  }
}

TEST(Rest, of_what_is_held_at_the_origin_is_verified_by_the_forces_that_hold_it) {
  const Ran ran = run(
      "[coordinates.u]\ninitial = 0\nforce = \"1\"\n[coordinates.y]\ninitial = 0\n[coordinates.w]\nforce = "
      "\"sin(t)\"\ninitial = 0\n[energy]\nkinetic = \"u'^2 + y'^2 + w'^2/2\"\n[constraints]\nk2 = \"u + w = 0\"\nk1 = "
      "\"y' <= w'\"\nk0 = \"y'*cos(w) = u'*sin(w)\"\n[simulation]\nuntil = 2\n");
  EXPECT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_LE(ran.worst, tolerance_of_the_run);
}

}  // namespace zwang::motion::rest_tests
