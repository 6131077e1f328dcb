/// Models as people write them, with answers by hand: friction beside contacts, smooth steps, ramps on floors, steep contacts, comparisons that stop.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "zwang/base/number.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::natural_tests {

namespace {

constexpr double close_by = 1e-11;  ///< a few thousand roundings of numbers of size 1 to 10

struct Outcome {
  Status status = Status::going;
  std::string why;
  model::State state;
  std::vector<double> multipliers;
  std::vector<std::string> kinds;
  std::vector<double> times;
  double least_multiplier = 0;  ///< of inequalities, at all instants
  EnergyBalance energy;
};

Outcome outcome(const std::string& text) {
  const model::Model model = model::compile(model::read(text, "natural.toml"));
  Motion motion = begin(model);
  Outcome out;
  const auto take = [&] {
    for (const Event& event : motion.events) {
      out.kinds.emplace_back(words(event.kind));
      out.times.push_back(event.time);
    }
    for (std::size_t j = 0; j < motion.held.size(); ++j) {
      if (!model::is_equation(model.row_kind[motion.held[j]]))
        out.least_multiplier = std::min(out.least_multiplier, motion.multipliers[j]);
    }
  };
  take();
  while (advance(motion)) take();
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  out.multipliers = motion.multipliers;
  out.energy = motion.energy;
  return out;
}

std::string two_blocks(const std::string& a, const std::string& b, const std::string& condition) {
  return "[coordinates.a]\ninitial = 0\nforce = \"" + a + "\"\n[coordinates.b]\ninitial = 1\nforce = \"" + b +
         "\"\n[energy]\nkinetic = \"(a'^2 + 2*b'^2)/2\"\n[constraints]\nc = \"" + condition +
         "\"\n[simulation]\nuntil = 12\n";
}

std::string one(const std::string& start, const std::string& force, const std::string& rest) {
  return "[coordinates.x]\n" + start + "force = \"" + force + "\"\n[energy]\nkinetic = \"x'^2/2\"\n" + rest;
}

std::string puck(const std::string& conditions, const std::string& until) {
  return "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 0]\n[constraints]\n" +
         conditions + "[simulation]\nuntil = " + until + "\n";
}

/// The place in [low, high] at which f changes its sign.
template <class F>
double root(F f, double low, double high) {
  const bool rises = f(high) > 0;
  for (int k = 0; k < 200; ++k) {
    const double middle = (low + high) / 2;
    ((f(middle) > 0) == rises ? high : low) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

// Frictions 2 and 4, pull t: nothing moves before t = 6, then 3 a'' = t - 6.
TEST(Natural, two_rubbing_blocks_on_a_taut_string_start_together) {
  const Outcome f = outcome(two_blocks("-2*sign(a')", "-4*sign(b') + t", "b - a <= 1"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_NEAR(f.state.position[1], 13, close_by);
  EXPECT_NEAR(f.state.velocity[0], 6, close_by);
  EXPECT_NEAR(f.state.velocity[1], 6, close_by);
}

TEST(Natural, a_block_that_pushes_another_starts_with_it) {
  const Outcome f = outcome(two_blocks("-2*sign(a') + t", "-4*sign(b')", "b - a >= 1"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_NEAR(f.state.position[0], 12, close_by);
  EXPECT_NEAR(f.state.velocity[1], 6, close_by);
}

TEST(Natural, a_piston_with_friction_rests_on_its_stop) {
  const Outcome f = outcome(one("initial = 0\n", "-5*sign(x') - 3 + 6*sin(t)",
                                "[constraints]\nstop = \"x >= 0\"\n[simulation]\nuntil = 5\n"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.state.position[0], 0);
  EXPECT_TRUE(f.kinds.empty());
  EXPECT_GE(f.least_multiplier, 0);
}

// Pressed with 1 against a wall, friction up to 2: the wall never pulls.
TEST(Natural, a_wall_that_stops_a_rubbing_block_does_not_pull) {
  const Outcome f = outcome(one("initial = 1\nvelocity = -1\n", "-2*sign(x') - 1",
                                "[constraints]\nwall = \"x >= 0.9\"\n[simulation]\nuntil = 8\n"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_NEAR(f.state.position[0], 0.9, close_by);
  EXPECT_GE(f.least_multiplier, 0);
}

// |2 sin t - 1| <= 1 up to pi; then x'' = 2 sin t with x' <= 0: x' = -2 - 2 cos t.
TEST(Natural, friction_on_its_verge_that_recedes_holds) {
  const Outcome f = outcome(one("initial = 0\n", "-1*sign(x') - 1 + 2*sin(t)", "[simulation]\nuntil = 8\n"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_NEAR(f.state.velocity[0], -2 - 2 * std::cos(8.0), close_by);
  EXPECT_NEAR(f.state.position[0], -2 * (8 - std::acos(-1.0)) - 2 * std::sin(8.0), 10 * close_by);
}

TEST(Natural, sign_written_by_hand_is_dry_friction) {
  const auto text = [](const std::string& friction) {
    return one("initial = 0\n", friction + " + 2*(0.3*t - x)", "[simulation]\nuntil = 20\n");
  };
  const Outcome by_hand = outcome(text("if(x' > 0, -1, if(x' < 0, 1, 0))"));
  const Outcome by_sign = outcome(text("-sign(x')"));
  EXPECT_EQ(by_hand.status, Status::finished) << by_hand.why;
  EXPECT_EQ(by_hand.kinds, by_sign.kinds);
  EXPECT_NEAR(by_hand.state.position[0], by_sign.state.position[0], close_by);
  EXPECT_NEAR(by_hand.state.velocity[0], by_sign.state.velocity[0], close_by);
}

// A dumbbell that rubs on a table, against the same with tanh(v/1e-5) for sign(v), which is 1e-4 off.
TEST(Natural, a_rubbing_dumbbell_turns_about_the_end_that_rests) {
  const Outcome f = outcome(R"toml(
[points.a]
mass = 1
position = [0, 0]
velocity = [0.68, -0.63]
force = ["-0.5*sign(a.x')", "-0.5*sign(a.y')"]
[points.b]
mass = 2
position = [-0.23660973736845473, -0.9716047715930747]
velocity = [2.6134934954702187, -1.100853377363225]
force = ["-0.5*sign(b.x')", "-0.5*sign(b.y')"]
[constraints]
rod = "distance(a, b) = 1"
[simulation]
until = 6
)toml");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_NEAR(f.state.position[0], 5.65347, 2e-4);
  EXPECT_NEAR(f.state.position[1], -2.07515, 2e-4);
}

// A belt of speed u = 1 + exp(-((t - 5.3)/w)^2) carries a block while |u'| <= 1; else it is pulled along by 1.
TEST(Natural, a_jerked_belt_of_any_shortness_carries_a_block) {
  for (const double w : {0.2, 0.1, 0.01}) {
    const auto u = [&](double t) { return 1 + std::exp(-(t - 5.3) * (t - 5.3) / (w * w)); };
    const auto rate = [&](double t) { return -2 * (t - 5.3) / (w * w) * (u(t) - 1); };
    const double steepest = 5.3 - w / std::sqrt(2.0);
    const double t1 = root([&](double t) { return rate(t) - 1; }, 5.3 - 8 * w, steepest);
    const double t2 = root([&](double t) { return u(t1) + (t - t1) - u(t); }, steepest, 5.3 + 2 * w);
    const double v2 = u(t2);
    const double t3 = root([&](double t) { return v2 - (t - t2) - u(t); }, t2 + 1e-3 * w, t2 + 2);
    const auto way = [&](double t) { return t + w * std::sqrt(std::acos(-1.0)) / 2 * (1 + std::erf((t - 5.3) / w)); };
    const double x = way(t1) + u(t1) * (t2 - t1) + (t2 - t1) * (t2 - t1) / 2 + v2 * (t3 - t2) -
                     (t3 - t2) * (t3 - t2) / 2 + way(10) - way(t3);
    const Outcome f =
        outcome(one("initial = 0\nvelocity = 1\n", "-1*sign(x' - (1 + exp(-((t - 5.3)/" + std::to_string(w) + ")^2)))",
                    "[simulation]\nuntil = 10\n"));
    EXPECT_EQ(f.status, Status::finished) << f.why;
    EXPECT_NEAR(f.state.position[0], x, 1e-10) << w;
  }
}

TEST(Natural, a_sliding_control_follows_a_pulse_that_begins_as_nothing) {
  const Outcome f = outcome(
      "[coordinates.x]\ninitial = 0\n[flow]\nx = \"-20*sign(x - exp(-((t - 5.3)/0.2)^2))\"\n[simulation]\nuntil = "
      "5.2\n");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_NEAR(f.state.position[0], std::exp(-0.25), close_by);
}

TEST(Natural, a_drive_is_switched_on_smoothly) {
  for (const char* drive : {"0.5 + 0.5*tanh(20*(t - 5))", "1/(1 + exp(-20*(t - 5)))", "exp(-((t - 5.1)/0.2)^2)"}) {
    const Outcome f =
        outcome("[points.a]\nmass = 1\nposition = [0, 0]\n[constraints]\ndrive = \"a.x = " + std::string(drive) +
                "\"\n[simulation]\nuntil = 5.1\n");
    EXPECT_EQ(f.status, Status::finished) << drive << f.why;
    const double wanted = drive[0] == 'e' ? 1 : 0.5 + 0.5 * std::tanh(2.0);
    EXPECT_NEAR(f.state.position[0], wanted * (drive[0] == '1' ? 1 / (wanted * (1 + std::exp(-2.0))) : 1), close_by)
        << drive;
    EXPECT_TRUE(f.kinds.empty()) << drive;
  }
}

// Without the floor the ramp alone carries the puck: the same motion.
TEST(Natural, a_floor_leaves_a_smooth_ramp_that_begins_on_it) {
  const std::string ramp = "ramp = \"a.y >= 0.03*(1 + tanh(10*(a.x - 5)))\"\n";
  const Outcome alone = outcome(puck(ramp, "10"));
  const Outcome both = outcome(puck("floor = \"a.y >= 0\"\n" + ramp, "10"));
  ASSERT_EQ(both.status, Status::finished) << both.why;
  EXPECT_NEAR(both.state.position[0], alone.state.position[0], 1e-9);
  EXPECT_NEAR(both.state.velocity[0], -1, 1e-9);
  const Outcome bump = outcome(puck("floor = \"a.y >= 0\"\nbump = \"a.y >= 0.03*exp(-((a.x - 5.3)/0.3)^2)\"\n", "10"));
  const Outcome lone = outcome(puck("bump = \"a.y >= 0.03*exp(-((a.x - 5.3)/0.3)^2)\"\n", "10"));
  ASSERT_EQ(bump.status, Status::finished) << bump.why;
  EXPECT_NEAR(bump.state.position[0], lone.state.position[0], 1e-9);
  const Outcome greatest = outcome(puck("g = \"a.y >= max(0, exp(-((a.x - 5.3)/0.1)^2))\"\n", "10"));
  const Outcome hill = outcome(puck("g = \"a.y >= exp(-((a.x - 5.3)/0.1)^2)\"\n", "10"));
  ASSERT_EQ(greatest.status, Status::finished) << greatest.why;
  EXPECT_NEAR(greatest.state.position[0], hill.state.position[0], 1e-8);
}

// 1e-6 (x - 3)^3 leaves the floor with its third derivative: v dv = -g dy, so that t grows by g y / v^3 dx.
TEST(Natural, a_ramp_that_begins_with_its_third_derivative_is_climbed) {
  const Outcome f = outcome(puck("floor = \"a.y >= 0\"\nramp = \"a.y >= 1e-6*(a.x - 3)^3\"\n", "7"));
  ASSERT_EQ(f.status, Status::finished) << f.why;
  const double x = f.state.position[0];
  EXPECT_NEAR(f.state.position[1], 1e-6 * std::pow(x - 3, 3), close_by);
  const double speed = std::hypot(f.state.velocity[0], f.state.velocity[1]);
  EXPECT_NEAR(speed * speed / 2 + 9.81 * f.state.position[1], 0.5, close_by);
  EXPECT_NEAR(x, 7 - 9.81e-6 * 64, 1e-5);
}

TEST(Natural, a_steel_ball_bounces_on_a_plate) {
  const Outcome f = outcome(one("initial = 0.1\n", "1e9*max(-x, 0)^1.5 - 9.81", "[simulation]\nuntil = 5\n"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_NEAR(f.state.velocity[0] * f.state.velocity[0] / 2 + 9.81 * f.state.position[0], 0.981, 1e-8);
}

TEST(Natural, a_cradle_whose_balls_just_touch) {
  const Outcome f = outcome(R"toml(
[coordinates.x]
count = 5
initial = [-0.05, 0.04, 0.08, 0.12, 0.16]
velocity = [1, 0, 0, 0, 0]
[energy]
kinetic = "sum(i=1..5, 0.05*x[i]'^2)"
potential = "sum(i=1..4, 1e9*max(x[i] + 0.04 - x[i+1], 0)^2.5)"
[simulation]
until = 0.1
)toml");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  double momentum = 0;
  double energy = 0;
  for (const double v : f.state.velocity) {
    momentum += 0.1 * v;
    energy += 0.05 * v * v;
  }
  EXPECT_NEAR(momentum, 0.1, close_by);
  EXPECT_NEAR(energy, 0.05, close_by);
  EXPECT_NEAR(f.state.velocity[4], 0.98878, 1e-4);
}

TEST(Natural, a_comparison_that_stops_is_read_as_written) {
  const auto thrown = [](const std::string& stop) {
    return "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [3, 10]\n[simulation]\nuntil = "
           "10\nstop = \"" +
           stop + "\"\n";
  };
  const auto bouncing = [](const std::string& stop) {
    return "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 5]\nvelocity = [1, 0]\n[constraints]\nfloor = { "
           "condition = \"a.y >= 0\", restitution = 0.5 }\n[simulation]\nuntil = 10\nstop = \"" +
           stop + "\"\n";
  };
  const auto rubbing = [](const std::string& stop) {
    return one("initial = 0\nvelocity = 1\n", "-sign(x')", "[simulation]\nuntil = 5\nstop = \"" + stop + "\"\n");
  };
  struct Case {
    std::string text;
    double at;  ///< of the stop; the end if it never comes true
  };
  const std::vector<Case> cases{{thrown("a.y < 0"), 2},
                                {thrown("a.y <= 0"), 0},
                                {thrown("a.y' < 0"), 1},
                                {thrown("a.y < 0 or a.x > 9"), 2},
                                {bouncing("a.y <= 0 and a.y' >= 0"), 1},
                                {bouncing("a.y <= 0 and a.y' >= -1"), 1},
                                {bouncing("a.y <= 0 and a.y' > 6"), 10},
                                {bouncing("a.y > 5"), 10},
                                {rubbing("x' >= 0 and t >= 2"), 2},
                                {rubbing("x' < 0 and t >= 2"), 5},
                                {rubbing("x' <= 0 and t >= 2"), 2},
                                {rubbing("x' <= 0"), 1}};
  for (const Case& one_of : cases) {
    const Outcome f = outcome(one_of.text);
    EXPECT_NEAR(f.state.time, one_of.at, close_by) << one_of.text << f.why;
  }
}

TEST(Natural, a_release_comes_when_its_comparison_does) {
  // The roof is let go at the first bounce, so that the second one rises through it.
  const Outcome f = outcome(R"toml(
gravity = [0, -10]
[points.a]
mass = 1
position = [0, 5]
[constraints]
floor = { condition = "a.y >= 0", restitution = 0.9 }
roof = "a.y <= 5"
[[releases]]
constraint = "roof"
when = "a.y <= 0 and a.y' > 0"
[simulation]
until = 1.5
)toml");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  ASSERT_FALSE(f.times.empty());
  EXPECT_NEAR(f.state.position[1], 9 * 0.5 - 5 * 0.25, close_by);
}

// Every round trip between the dead bumper and the half elastic stop multiplies the common speed by 0.7 and squares the gap.
TEST(Natural, two_carts_come_to_rest_at_a_stop) {
  for (const char* start : {"0.9", "0.51", "0.58", "0.7"}) {
    const Outcome f =
        outcome("[coordinates.x]\ninitial = 0\nvelocity = 2\n[coordinates.y]\ninitial = " + std::string(start) +
                "\nforce = 0.5\n[energy]\nkinetic = \"x'^2 + y'^2/4\"\n[constraints]\npair = \"x <= y\"\n"
                "wall = { condition = \"y <= 1\", restitution = 0.5 }\n[simulation]\nuntil = 3\n");
    EXPECT_EQ(f.status, Status::finished) << f.why;
    EXPECT_NEAR(f.state.position[0], 1, close_by) << start;
    EXPECT_NEAR(f.state.velocity[0], 0, close_by) << start;
  }
}

TEST(Natural, walls_that_meet_jam_what_bounces_between_them) {
  for (const char* e : {"0", "0.5"}) {
    const Outcome f = outcome(
        "[coordinates.x]\ninitial = 0\nvelocity = 1\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\nw = { condition = "
        "\"x <= 2 - 0.5*t\", restitution = " +
        std::string(e) + " }\nv = { condition = \"x >= -1 + 0.2*t\", restitution = " + e +
        " }\n[simulation]\nuntil = 5\n");
    EXPECT_EQ(f.status, Status::jammed) << f.why;
    EXPECT_NEAR(f.state.time, 30.0 / 7, 1e-6);
  }
}

TEST(Natural, a_motion_that_trembles_without_time_passing_is_told) {
  const Outcome f =
      outcome(one("initial = 0\n", "-10*sign(x - 0.5*(1 + tanh(20*(t - 5))))", "[simulation]\nuntil = 10\n"));
  EXPECT_EQ(f.status, Status::gave_up);
  EXPECT_NE(f.why.find("without time passing"), std::string::npos) << f.why;
}

TEST(Natural, a_ball_comes_to_rest_on_a_catenary) {
  // cosh, and the same ground by exponentials.
  const std::string ball =
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0.3, 1.3]\nvelocity = [0.3, 0]\n[simulation]\nuntil = "
      "2\n"
      "[constraints]\nbowl = { restitution = 0.5, condition = \"a.y >= ";
  const Outcome one = outcome(ball + "cosh(a.x)\" }\n");
  const Outcome other = outcome(ball + "(exp(a.x) + exp(-a.x))/2\" }\n");
  ASSERT_EQ(one.status, Status::finished) << one.why;
  EXPECT_EQ(one.kinds, other.kinds);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(one.state.position[i], other.state.position[i], close_by);
}

TEST(Natural, inequalities_whose_corners_leave_a_number) {
  // Each with the wall that it means.
  const std::vector<std::pair<std::string, std::string>> same = {
      {"max(0, a.x) <= 2", "a.x <= 2"},
      {"min(a.y, 3) >= 0", "a.y >= 0"},
      {"max(abs(a.x), 0.5) <= 2", "abs(a.x) <= 2"},
      {"2*max(a.y, 0) >= 1", "a.y >= 0.5"},
      {"max(a.x, 0.1*sin(t)) <= 2", "a.x <= 2"},
      {"max(a.x, p) <= 2", "a.x <= 2"},
      {"max(a.y, 0) - max(a.x, 0) >= 0", "a.y >= max(a.x, 0) or a.x <= 0"},
      {"a.y >= clip(min(1, a.x), -1, 1)", "a.y >= clip(a.x, -1, 1)"},
      {"1 + a.x >= min(abs(a.x), 0.3)", "a.x >= -0.5"}};
  const std::string scene =
      "gravity = [0.5, -0.3]\n[parameters]\np = 1\n[points.a]\nmass = 1\nposition = [0, 1]\nvelocity = [1, 0]\n"
      "[simulation]\nuntil = 3\n[constraints]\nw = \"";
  for (const auto& [text, meant] : same) {
    const Outcome one = outcome(scene + text + "\"\n");
    const Outcome other = outcome(scene + meant + "\"\n");
    ASSERT_EQ(one.status, Status::finished) << text << ": " << one.why;
    ASSERT_EQ(other.status, Status::finished) << meant << ": " << other.why;
    EXPECT_EQ(one.kinds.size(), other.kinds.size()) << text;
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(one.state.position[i], other.state.position[i], close_by) << text;
  }
}

TEST(Natural, a_ball_from_one_focus_of_an_ellipse_comes_to_the_other) {
  // The string of a gardener, 3 long: after one reflection the ball has gone that far.
  const double speed = std::sqrt(1.49);
  const auto from = [&](double x, double way) {
    return outcome("[points.b]\nmass = 1\nposition = [" + std::to_string(x) +
                   ", 0]\nvelocity = [1, 0.7]\n[constraints]\n" +
                   "w = { condition = \"distance(b, [-1, 0]) + distance(b, [1, 0]) <= 3\", restitution = 1 }\n" +
                   "[simulation]\nuntil = \"" + std::to_string(way) + "/sqrt(1.49)\"\n");
  };
  for (const double x : {-1.0, 1.0}) {
    const Outcome one = from(x, 3);
    ASSERT_EQ(one.status, Status::finished) << one.why;
    EXPECT_EQ(one.kinds, std::vector<std::string>({"impact"}));
    EXPECT_NEAR(one.state.position[0], -x, close_by);
    EXPECT_NEAR(one.state.position[1], 0, close_by);
    EXPECT_NEAR(std::hypot(one.state.velocity[0], one.state.velocity[1]), speed, close_by);
  }
}

// y = y_0 (1 - t / t_0)^2 touches zero at t_0 and goes on: an event without effect, whatever the height it came from, and though roots are rounded.
TEST(Natural, a_place_that_touches_zero_lists_its_graze_once) {
  for (const double speed : {0.0, 1.0}) {
    for (const double height : {1.0, 0.7, 0.123, 1e-6, 2.3, 3e5}) {
      const std::string root = "sqrt(" + zwang::exact(height) + ")";
      const Outcome one =
          outcome("[points.a]\nmass = 1\nposition = [0, " + zwang::exact(height) + "]\nvelocity = [" +
                  zwang::exact(speed) + ", \"-2*" + root + "\"]\nforce = [0, 2]\n[constraints]\nc = \"a.y >= 0\"\n" +
                  "[simulation]\nuntil = \"2*" + root + "\"\n");
      EXPECT_EQ(one.status, Status::finished) << one.why;
      ASSERT_EQ(one.kinds, std::vector<std::string>{"graze"}) << height;
      EXPECT_NEAR(one.times[0], std::sqrt(height), 1e-7 * std::sqrt(height));
      EXPECT_NEAR(one.state.position[1], height, 1e-11 * height);
    }
  }
}

// A disc of radius R, flown at from D away at the height d beside its middle: it is hit after D - sqrt(R^2 - d^2), at speed sqrt(R^2 - d^2)/R across.
TEST(Natural, a_small_target_far_away_is_hit_however_it_is_written) {
  const double far = 1e9;
  const auto flown_at = [&](double radius, double beside, bool squares) {
    const std::string r = zwang::exact(radius);
    return outcome("[points.a]\nmass = 1\nposition = [-1e9, " + zwang::exact(beside) +
                   "]\nvelocity = [1, 0]\n[constraints]\nc = { condition = \"" +
                   (squares ? "a.x^2 + a.y^2 >= " + r + "^2" : "distance(a, [0, 0]) >= " + r) +
                   "\", restitution = 1 }\n[simulation]\nuntil = 1.5e9\n");
  };
  for (const double radius : {1.0, 1e-2, 1e-3}) {
    for (const double part : {0.0, 0.5, 0.9, 0.999999}) {
      for (const bool squares : {false, true}) {
        const Outcome one = flown_at(radius, part * radius, squares);
        EXPECT_EQ(one.status, Status::finished) << one.why;
        ASSERT_EQ(one.kinds, std::vector<std::string>{"impact"}) << radius << " " << part << " " << squares;
        const double half = radius * std::sqrt(1 - part * part);
        EXPECT_NEAR(one.times[0], far - half, 1e-6);
        // Turned by twice the angle of the place that is hit; the clock knows that place to 1e-7.
        EXPECT_NEAR(one.state.velocity[0], 2 * part * part - 1, 1e-6 / radius);
      }
    }
    for (const bool squares : {false, true})
      EXPECT_TRUE(flown_at(radius, 1.001 * radius, squares).kinds.empty()) << radius << " " << squares;
  }
}

// What strikes at the last instant has struck: the state at an event is that after it.
TEST(Natural, what_strikes_at_the_very_end_is_done) {
  const auto dropped = [](const std::string& height, const std::string& speed, const std::string& weight,
                          const std::string& until) {
    return outcome(
        "gravity = [0, " + weight + "]\n[points.a]\nmass = 1\nposition = [0, " + height + "]\nvelocity = [1, " + speed +
        "]\n[constraints]\nfloor = { condition = \"a.y >= 0\", restitution = 0.5 }\n[simulation]\nuntil = \"" + until +
        "\"\n");
  };
  for (const char* height : {"1", "0.3", "7.1"}) {
    const Outcome even = dropped(height, "-1", "0", height);
    EXPECT_EQ(even.status, Status::finished) << even.why;
    ASSERT_EQ(even.kinds, std::vector<std::string>{"impact"}) << height;
    EXPECT_NEAR(even.state.velocity[1], 0.5, close_by);
    const std::string fall = std::string("sqrt(2*") + height + "/9.81)";
    const Outcome falling = dropped(height, "0", "-9.81", fall);
    EXPECT_EQ(falling.status, Status::finished) << falling.why;
    ASSERT_EQ(falling.kinds, std::vector<std::string>{"impact"}) << height;
    EXPECT_NEAR(falling.state.velocity[1], 0.5 * std::sqrt(2 * 9.81 * std::stod(height)), 1e-9);
  }
  // A little before it has not.
  EXPECT_TRUE(dropped("1", "-1", "0", "1 - 1e-9").kinds.empty());
}

// |x| x' <= 1 from x = 0 at speed 2: it binds from x = 1/2 on, and then x^2 grows by 2 in a unit of time.
TEST(Natural, a_velocity_condition_may_begin_where_its_coefficient_vanishes) {
  const Outcome free = outcome(
      "[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [2, 0]\n[constraints]\nc = \"abs(a.x)*a.x' <= "
      "1\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(free.status, Status::finished) << free.why;
  EXPECT_NEAR(free.state.position[0], std::sqrt(0.25 + 2 * 1.75), 1e-9);
}

TEST(Natural, a_limit_on_an_angle_starts_where_the_angle_is_zero_and_is_passed_there) {
  // Two links in one line, the angle between them no more than 1: the same as the cosine of it, which has slopes there.
  const auto links = [](const std::string& lengths, const std::string& speeds, const std::string& limit) {
    return outcome(
        "gravity = [0, -1]\n[points.a]\nmass = 1\nposition = [1, 0]\n[points.b]\nmass = 1\nposition = [2, 0]\nvelocity "
        "= " +
        speeds + "\n[constraints]\n" + lengths + "limit = \"" + limit + "\"\n[simulation]\nuntil = 3\n");
  };
  const std::string rods = "first = \"distance(a, [0, 0]) = 1\"\nsecond = \"distance(a, b) = 1\"\n";
  for (const char* speeds : {"[0, 0]", "[0, 1]"}) {
    const Outcome angle = links(rods, speeds, "acos(dot(a, b - a)/(norm(a)*norm(b - a))) <= 1");
    const Outcome cosine = links(rods, speeds, "dot(a, b - a) >= cos(1)");
    ASSERT_EQ(angle.status, Status::finished) << angle.why;
    EXPECT_EQ(angle.kinds, cosine.kinds);
    for (std::size_t k = 0; k < angle.times.size(); ++k) EXPECT_NEAR(angle.times[k], cosine.times[k], close_by);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(angle.state.position[i], cosine.state.position[i], close_by);
  }
  // A bead at speed 1 on a circle of radius 1, from the angle -1 on: through 0 to 2 after 3, back to -2 after 4 more.
  const auto bead = [](const std::string& start, const std::string& limit, const std::string& until) {
    return outcome("[points.a]\nmass = 1\nposition = [\"cos(" + start + ")\", \"sin(" + start +
                   ")\"]\nvelocity = [\"-sin(" + start + ")\", \"cos(" + start +
                   ")\"]\n[constraints]\nrod = \"distance(a, [0, 0]) = 1\"\nlimit = { condition = \"" + limit +
                   "\", restitution = 1 }\n[simulation]\nuntil = " + until + "\n");
  };
  const Outcome back = bead("-1", "acos(a.x/norm(a)) <= 2", "8");
  ASSERT_EQ(back.status, Status::finished) << back.why;
  ASSERT_EQ(back.times.size(), 2U);
  EXPECT_NEAR(back.times[0], 3, close_by);
  EXPECT_NEAR(back.times[1], 7, close_by);
  EXPECT_NEAR(back.state.position[1], std::sin(-1.0), close_by);
  // Written the other ways round: acos at least 1 through pi, asin from its end down to 0.4.
  const Outcome least = bead("3", "1 - acos(a.x/norm(a)) <= 0", "4");
  ASSERT_EQ(least.times.size(), 1U) << least.why;
  EXPECT_NEAR(least.times[0], 2 * std::acos(-1.0) - 4, close_by);
  const Outcome sine = bead("0", "asin(a.x/norm(a)) >= 0.4", "2");
  ASSERT_EQ(sine.times.size(), 1U) << sine.why;
  EXPECT_NEAR(sine.times[0], std::acos(-1.0) / 2 - 0.4, close_by);
  // In one line but for rounding: the cosine comes out as 1 + 2^-52.
  const Outcome rounded = outcome(
      "gravity = [0, -1]\n[points.a]\nmass = 1\nposition = [1.1, 0.4]\n[points.b]\nmass = 1\nposition = [2.2, "
      "0.8]\n[constraints]\nlimit = "
      "\"acos(dot(a, b - a)/(norm(a)*norm(b - a))) <= 1\"\n[simulation]\nuntil = 0.3\n");
  EXPECT_EQ(rounded.status, Status::finished) << rounded.why;
  EXPECT_NEAR(rounded.state.position[1], 0.4 - 0.045, close_by);
}

}  // namespace zwang::motion::natural_tests
