/// Functions with corners, alternatives and conditions let go, against closed forms.
#include "zwang/motion/switches.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "zwang/error.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::switches_tests {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double close = 1e-12;  ///< a few hundred roundings of numbers of size 1 to 10

/// A motion followed to its end, with everything that happened.
struct Followed {
  model::Model model;
  Status status = Status::going;
  std::string why;
  model::State state;
  std::vector<Event> events;
  std::vector<std::vector<double>> ways;
  std::string kinds;  ///< of the events, apart by commas
};

Followed follow(const std::string& text) {
  Followed out;
  out.model = model::compile(model::read(text, "test.toml"));
  Motion motion = begin(out.model);
  const auto take = [&] {
    for (const Event& event : motion.events) {
      out.kinds += (out.kinds.empty() ? "" : ", ") + std::string(words(event.kind));
      out.events.push_back(event);
    }
  };
  take();
  while (advance(motion)) take();
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  out.ways = motion.continuations;
  return out;
}

std::string coordinate(const std::string& start, const std::string& force, const std::string& rest) {
  return "[coordinates.x]\n" + start + "force = \"" + force + "\"\n[energy]\nkinetic = \"x'^2/2\"\n" + rest;
}

}  // namespace

TEST(Switches, a_drag_with_a_broken_power_of_the_speed_is_passed_where_the_speed_turns) {
  // v' = -g - k |v|^1.5 sign v, thrown up with 3 and followed until it falls with 2. With |v| = w^2 time and way are integrals of 2 w / (g +- k w^3)
  // and of 2 w^3 / (g +- k w^3) over w, by Simpson's rule.
  constexpr double g = 9.81;
  constexpr double k = 0.4;
  const auto integral = [](double speed, double drag, int power) {
    constexpr int parts = 2000;
    const double h = std::sqrt(speed) / parts;
    const auto f = [&](int j) {
      const double w = j * h;
      return 2 * (power == 1 ? w : w * w * w) / (g + drag * w * w * w);
    };
    double sum = f(0) + f(parts);
    for (int j = 1; j < parts; ++j) sum += (j % 2 == 1 ? 4 : 2) * f(j);
    return sum * h / 3;
  };
  const double time = integral(3, k, 1) + integral(2, -k, 1);
  const Followed f = follow(coordinate("initial = 0\nvelocity = 3\n", "-9.81 - 0.4*abs(x')^1.5*sign(x')",
                                       "[simulation]\nuntil = " + std::to_string(time) + "\n"));
  const double late = std::stod(std::to_string(time)) - time;  // that the text of the end is rounded
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "switch");
  EXPECT_NEAR(f.events[0].time, integral(3, k, 1), 1e-11);
  const double pull = -g + k * std::pow(2, 1.5);
  EXPECT_NEAR(f.state.velocity[0], -2 + late * pull, 1e-10);
  EXPECT_NEAR(f.state.position[0], integral(3, k, 3) - integral(2, -k, 3) - 2 * late, 1e-10);
}

TEST(Switches, a_spring_with_dry_friction_loses_twice_mu_each_half_swing_and_sticks) {
  const Followed f = follow(coordinate("initial = 1.05\n", "-x - 0.1*sign(x')", "[simulation]\nuntil = 30\n"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "switch, switch, switch, switch, stick");
  double amplitude = 1.05;
  for (std::size_t k = 0; k < f.events.size(); ++k) {
    amplitude -= 0.2;
    EXPECT_NEAR(f.events[k].time, pi * static_cast<double>(k + 1), close);
    EXPECT_NEAR(f.events[k].position[0], k % 2 == 0 ? -amplitude : amplitude, close);
    EXPECT_EQ(f.events[k].bodies, std::vector<std::string>{"x"});
  }
  EXPECT_EQ(f.state.velocity[0], 0);
}

TEST(Switches, a_block_that_is_pulled_harder_and_harder_slips_when_the_pull_exceeds_friction) {
  // x'' = t - 1 from t = 1 on: x = (t - 1)^3 / 6.
  const Followed f = follow(coordinate("initial = 0\n", "t - sign(x')", "[simulation]\nuntil = 3\n"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "slip");
  ASSERT_EQ(f.events.size(), 1U);
  EXPECT_NEAR(f.events[0].time, 1, close);
  EXPECT_NEAR(f.state.position[0], 8.0 / 6, close);
  EXPECT_NEAR(f.state.velocity[0], 2, close);
}

TEST(Switches, blocks_with_friction_of_their_own_stick_independently) {
  const Followed f = follow(
      "[coordinates.x]\ninitial = 0\nvelocity = 3\nforce = \"-2*sign(x')\"\n"
      "[coordinates.y]\ninitial = 0\nvelocity = -1\nforce = \"-sign(y')\"\n"
      "[energy]\nkinetic = \"x'^2/2 + y'^2\"\n[simulation]\nuntil = 5\n");
  EXPECT_EQ(f.kinds, "stick, stick");
  EXPECT_NEAR(f.state.position[0], 2.25, close);  // v^2 / (2 mu)
  EXPECT_NEAR(f.state.position[1], -1, close);
}

TEST(Switches, one_surface_between_two_bodies_has_one_weight) {
  // x is drawn by 1.5 against friction 1 and drags y, which rubs on the ground with 0.1: both move with (1.5 - 1 - 0.1) / 2.
  const Followed f = follow(
      "[coordinates.x]\ninitial = 0\nforce = \"1.5 - sign(x') - 0.8*sign(x' - y')\"\n"
      "[coordinates.y]\ninitial = 0\nforce = \"0.8*sign(x' - y') - 0.1*sign(y')\"\n"
      "[energy]\nkinetic = \"x'^2/2 + y'^2/2\"\n[simulation]\nuntil = 2\n");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_NEAR(f.state.position[0], 0.4, close);
  EXPECT_NEAR(f.state.position[1], 0.4, close);
}

TEST(Switches, a_relay_slides_down_its_switching_line) {
  // Between t1 and the line x + x' = 0: x = 1 - 3 t^2 / 2; on it x' = -x.
  const Followed f = follow(coordinate("initial = 1\n", "-3*sign(x + x')", "[simulation]\nuntil = 5\n"));
  const double t = (-3 + std::sqrt(15.0)) / 3;
  ASSERT_EQ(f.kinds, "stick");
  EXPECT_NEAR(f.events[0].time, t, close);
  EXPECT_NEAR(f.state.position[0], (1 - 1.5 * t * t) * std::exp(t - 5), close);
}

TEST(Switches, friction_in_a_plane_that_is_not_recognised_says_what_to_write_where_it_comes_to_rest) {
  const Followed f = follow(
      "[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [2, 1]\nforce = [\"-2*a.x'*exp(-log(norm(a')))\", "
      "\"-2*a.y'*exp(-log(norm(a')))\"]\n[simulation]\nuntil = 3\n");
  EXPECT_EQ(f.status, Status::gave_up);
  EXPECT_NEAR(f.state.time, std::sqrt(5) / 2, close);
  EXPECT_NEAR(f.state.position[0], std::sqrt(5) / 2, close);
  EXPECT_NE(f.why.find("-mu*v/norm(v)"), std::string::npos) << f.why;
}

TEST(Switches, a_potential_with_a_kink_is_crossed_at_full_speed) {
  const Followed f = follow(
      "[coordinates.x]\ninitial = 1\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"abs(x)\"\n"
      "[simulation]\nuntil = \"4*sqrt(2)\"\n");
  EXPECT_EQ(f.kinds, "switch, switch");
  EXPECT_NEAR(f.events[0].time, std::sqrt(2.0), close);
  EXPECT_NEAR(f.state.position[0], 1, close);
}

TEST(Switches, forces_switched_by_time_act_just_as_long_as_they_should) {
  const Followed f = follow(coordinate("initial = 0\n", "if(t >= 1 and t < 2, 1, 0) + step(t - 4) - floor(t/5)",
                                       "[simulation]\nuntil = 7\n"));
  EXPECT_EQ(f.kinds, "switch, switch, switch, switch");
  EXPECT_NEAR(f.state.velocity[0], 2, close);
  EXPECT_NEAR(f.state.position[0], 8, close);
}

TEST(Switches, both_sides_pushing_away_end_the_motion_and_show_both_ways) {
  const Followed f = follow(coordinate("initial = 0\n", "2*sign(x')", "[simulation]\nuntil = 1\n"));
  EXPECT_EQ(f.status, Status::singular);
  ASSERT_EQ(f.ways.size(), 2U);
  EXPECT_EQ(f.ways[0][0], -2);
  EXPECT_EQ(f.ways[1][0], 2);
}

TEST(Switches, a_valley_of_two_planes_holds_a_ball_at_its_bottom) {
  const Followed f = follow(
      "gravity = [0, -1]\n[points.b]\nmass = 1\nposition = [0.5, 2]\n"
      "[constraints]\nvalley = \"b.y >= abs(b.x)\"\n[simulation]\nuntil = 10\n");
  EXPECT_EQ(f.kinds, "impact, impact");
  EXPECT_NEAR(f.state.position[0], 0, close);
  EXPECT_NEAR(f.state.position[1], 0, close);
}

TEST(Switches, a_ball_runs_over_the_edge_of_a_stair_and_falls) {
  const Followed f = follow(
      "gravity = [0, -1]\n[points.ball]\nmass = 1\nposition = [2, 2]\nvelocity = [-1, 0]\n"
      "[constraints]\nstair = \"ball.x <= 1 or ball.y >= 2\"\nfloor = \"ball.y >= 0\"\n"
      "[simulation]\nuntil = 5\n");
  EXPECT_EQ(f.kinds, "release, impact");
  EXPECT_NEAR(f.events[0].time, 1, close);
  EXPECT_NEAR(f.events[1].time, 3, close);
  EXPECT_NEAR(f.state.position[0], -3, close);
}

TEST(Switches, at_a_corner_that_sticks_out_the_nearer_side_counts) {
  const std::string stair = "[constraints]\nstair = \"ball.x <= 1 or ball.y >= 2\"\n[simulation]\nuntil = 2\n";
  const Followed steep = follow("[points.ball]\nmass = 1\nposition = [0, 4]\nvelocity = [1, -2]\n" + stair);
  EXPECT_EQ(steep.kinds, "impact");
  EXPECT_NEAR(steep.state.velocity[0], 0, close);
  EXPECT_NEAR(steep.state.velocity[1], -2, close);
  const Followed even = follow("[points.ball]\nmass = 1\nposition = [0, 3]\nvelocity = [1, -1]\n" + stair);
  EXPECT_EQ(even.status, Status::singular);
  EXPECT_EQ(even.ways.size(), 2U);
}

TEST(Switches, a_sling_lets_go_when_it_is_told_to) {
  const Followed f = follow(
      "gravity = [0, -1]\n[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [0, 2]\n"
      "[constraints]\nsling = \"distance(a, [0, 0]) = 1\"\n"
      "[[releases]]\nconstraint = \"sling\"\nwhen = \"a.y >= 0.5\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(f.kinds, "let go");
  // v^2 = 4 - 2 y = 3 along the circle; then a parabola.
  const double t = 2 - f.events[0].time;
  EXPECT_NEAR(f.events[0].position[1], 0.5, close);
  EXPECT_NEAR(f.state.position[0], std::sqrt(0.75) - std::sqrt(3.0) / 2 * t, close);
  EXPECT_NEAR(f.state.position[1], 0.5 + 1.5 * t - t * t / 2, close);
}

TEST(Switches, a_wall_whose_load_vanishes_as_a_force_switches_is_asked_anew) {
  // The load falls to zero just when another force begins: away from the wall, or onto it.
  const std::string wall = "[constraints]\nw = \"x <= 0\"\n[simulation]\nuntil = 1\n";
  const Followed away = follow(coordinate("initial = 0\n", "if(t >= 0.5, -1, 0.5 - t)", wall));
  EXPECT_EQ(away.status, Status::finished) << away.why;
  EXPECT_NEAR(away.state.position[0], -0.125, close);
  EXPECT_NE(away.kinds.find("release"), std::string::npos) << away.kinds;
  const Followed onto = follow(coordinate("initial = 0\n", "0.5 - t + if(t >= 0.5, 1, 0)", wall));
  EXPECT_EQ(onto.status, Status::finished) << onto.why;
  EXPECT_EQ(onto.state.position[0], 0);
  EXPECT_EQ(onto.kinds, "switch");
}

TEST(Switches, an_equation_stays_where_the_cusp_of_a_wall_touches_as_its_load_vanishes) {
  const Followed f = follow(coordinate("initial = 3\n", "1 - t",
                                       "[constraints]\nwall = \"x >= 2.5 - table(t, [0, 0.5, 1, 2], [0, 0.5, -0.5, "
                                       "0.5])\"\nheld = \"2*x = 6\"\n[simulation]\nuntil = 2\n"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.state.position[0], 3);
}

TEST(Switches, what_is_due_as_a_wall_turns_and_something_is_let_go_is_not_lost) {
  const std::string point =
      "[points.a]\nmass = 1\nposition = [0, 0, 0]\nvelocity = [0, -1, 1]\n[constraints]\nk1 = \"-4*a.x - 2*a.y - 2*a.z "
      ">= "
      "0.25*max(t - 1, 0)\"\nk4 = \"distance(a, [5, 0, 0]) <= 5\"\n[[releases]]\nconstraint = \"k4\"\nat = "
      "1\n[simulation]\nuntil = 2\n";
  const Followed seized = follow(point + "[[seizures]]\nname = \"s0\"\nat = 1\ncondition = \"a.x' = 0\"\n");
  EXPECT_NE(seized.kinds.find("seizure"), std::string::npos) << seized.kinds;
  EXPECT_NEAR(seized.state.velocity[0], 0, close);
  const Followed struck = follow(point + "[[impulses]]\non = \"a\"\nat = 1\nvalue = [0, 0, 3]\n");
  EXPECT_NE(struck.kinds.find("blow"), std::string::npos) << struck.kinds;
  EXPECT_GT(struck.state.velocity[2], 2.5);
}

TEST(Switches, a_seizure_that_was_let_go_before_it_begins_never_begins) {
  const Followed f = follow(
      "[points.a]\nmass = 2\nposition = [0, 0]\nvelocity = [1, 0]\n[[seizures]]\nname = \"s\"\nat = 1.5\ncondition = "
      "\"a.x' = 0\"\n[[releases]]\nconstraint = \"s\"\nat = 1\n[simulation]\nuntil = 2\n");
  EXPECT_EQ(f.kinds, "let go");
  EXPECT_EQ(f.state.position[0], 2);
}

TEST(Switches, a_spring_that_was_let_go_turns_no_more) {
  // It would be of its own length at 0.139; the pull of another is still seen.
  const Followed f = follow(
      "gravity = [0, -9.81]\n[points.p]\nmass = 1\nposition = [0, 1]\nvelocity = [1, 0]\n[springs]\ns = { between = "
      "[\"p\", [0, 3]], length = 2.1, stiffness = 100, only = \"pull\" }\nr = { between = [\"p\", [0, 3]], length = "
      "2.3, "
      "stiffness = 1, only = \"pull\" }\n[[releases]]\nconstraint = \"s\"\nat = 0.1\n[simulation]\nuntil = 0.3\n");
  EXPECT_EQ(f.kinds, "let go, switch");
}

TEST(Switches, a_spring_stays_let_go_in_a_motion_that_is_taken_up_again) {
  const std::string text =
      "[points.a]\nmass = 1\nposition = [1.5, 0]\nvelocity = [0.1, 1]\n[springs]\n"
      "s = { between = [\"a\", [0, 0]], length = 1, stiffness = 4, damping = 0.1 }\n"
      "r = { between = [\"a\", [1, 0]], length = 1, stiffness = 3, only = \"pull\" }\n"
      "[[releases]]\nconstraint = \"s\"\nwhen = \"a.y >= 0.4\"\n[simulation]\nuntil = 5\n";
  const Followed whole = follow(text);
  EXPECT_TRUE(whole.kinds.starts_with("let go") || whole.kinds.starts_with("switch")) << whole.kinds;
  EXPECT_NE(whole.kinds.find("let go"), std::string::npos);
  const model::Model model = model::compile(model::read(text, "test.toml"));
  Motion parts = begin(model);
  std::string kinds;
  do {
    for (const Event& event : parts.events) kinds += (kinds.empty() ? "" : ", ") + std::string(words(event.kind));
    parts = restore(model, {}, save(parts));
  } while (advance(parts));
  EXPECT_EQ(parts.state.position, whole.state.position);
  EXPECT_EQ(parts.state.velocity, whole.state.velocity);
  EXPECT_EQ(kinds, whole.kinds);
}

TEST(Switches, an_angle_is_followed_across_its_cut_in_a_condition) {
  const Followed f = follow(
      "[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [0, 1]\n[constraints]\n"
      "ring = \"dot(a, a) = 1\"\nturn = \"atan2(a.y, a.x) <= 7\"\n[simulation]\nuntil = 10\n");
  EXPECT_EQ(f.kinds, "impact");
  EXPECT_NEAR(f.events[0].time, 7,
              1e-11);  // after a whole turn and 0.72 of the next; time grows with the rounding of the steps
}

TEST(Switches, comparisons_joined_by_and_and_or_stop_a_run) {
  const Followed f = follow(coordinate("initial = 0\nvelocity = 1\n", "0",
                                       "[simulation]\nuntil = 9\nstop = \"abs(x - 5) >= 7 or (x >= 2 and t >= 3)\"\n"));
  EXPECT_EQ(f.status, Status::stopped);
  EXPECT_NEAR(f.state.time, 3, close);
}

TEST(Switches, a_flow_changes_its_rate_where_it_passes_a_corner) {
  const Followed f = follow("[coordinates.x]\ninitial = 0\n[flow]\nx = \"if(x < 1, 1, 2)\"\n[simulation]\nuntil = 3\n");
  EXPECT_EQ(f.kinds, "switch");
  EXPECT_NEAR(f.state.position[0], 5, close);
}

TEST(Switches, a_motion_put_aside_while_it_sticks_goes_on_to_the_same_bits) {
  const model::Model model = model::compile(
      model::read(coordinate("initial = 0.3\n", "sin(t) - x - 0.4*sign(x')", "[simulation]\nuntil = 20\n"), "t"));
  Motion whole = begin(model);
  Motion parts = begin(model);
  while (advance(whole)) {
    advance(parts);
    parts = restore(model, {}, save(parts));
    ASSERT_EQ(whole.state.time, parts.state.time);
    ASSERT_EQ(whole.state.position, parts.state.position);
    ASSERT_EQ(whole.state.velocity, parts.state.velocity);
  }
  EXPECT_EQ(whole.status, Status::finished);
}

// A free body passes x = 5 at t = 5; what is true of it only there, for any shortness, is seen.
TEST(Switches, what_is_true_for_a_moment_only_is_seen) {
  for (const double width : {1e-1, 1e-2, 1e-4, 1e-6}) {
    const double half = width * std::sqrt(std::log(2.0));
    const std::string hill = "exp(-((x-5)/" + std::to_string(width) + ")^2)";
    // Pushed back by 3 while the hill is above a half: v^2 = 1 - 6 s behind it.
    const Followed pushed =
        follow(coordinate("initial = 0\nvelocity = 1\n", "if(" + hill + " > 0.5, -3, 0)", "[simulation]\nuntil = 6\n"));
    EXPECT_EQ(pushed.kinds, "switch, switch") << width;
    EXPECT_NEAR(pushed.state.velocity[0], std::sqrt(1 - 12 * half), 1e-9) << width;

    const Followed stopped = follow(
        coordinate("initial = 0\nvelocity = 1\n", "0", "[simulation]\nuntil = 10\nstop = \"" + hill + " >= 0.5\"\n"));
    EXPECT_EQ(stopped.status, Status::stopped) << width;
    EXPECT_NEAR(stopped.state.time, 5 - half, 1e-9) << width;
  }
}

// A ledge that is there only between two sharp flanks, as an alternative.
TEST(Switches, an_alternative_that_counts_for_a_moment_only_is_seen) {
  const Followed f = follow(R"toml(
[points.b]
mass = 1
position = [0, 0.5]
velocity = [1, 0]
[constraints]
wall = { condition = "exp(-((b.x - 5)/0.001)^2) <= 0.5 or b.y >= 1", restitution = 1 }
[simulation]
until = 8
)toml");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "impact");
  EXPECT_NEAR(f.state.velocity[0], -1, close);
}

// Gravity that turns round at t = 1: x = -t^2/2, then back.
TEST(Switches, gravity_may_jump_in_time) {
  const Followed f = follow(R"toml(
gravity = [0, "if(t < 1, -1, 1)"]
[points.p]
mass = 2
position = [0, 0]
[simulation]
until = 4
)toml");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "switch");
  EXPECT_NEAR(f.state.position[1], 1, close);
  EXPECT_NEAR(f.state.velocity[1], 2, close);
}

// Switches at thousands of instants are no thousand sets at one.
TEST(Switches, thousands_of_switches_are_followed) {
  const Followed f = follow(coordinate("initial = 0\n", "sign(sin(10*t))", "[simulation]\nuntil = 700\n"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_GT(f.events.size(), 2000U);
}

// Outer corners are found anew where inner ones turn.
TEST(Switches, square_waves_of_time_are_followed_over_their_wraps) {
  for (const std::string force : {"if(mod(t, 1) < 0.5, 1, -1)", "1 - 2*step(mod(t, 1) - 0.5)", "-sign(mod(t, 1) - 0.5)",
                                  "1 - 2*mod(floor(2*t), 2)", "if(mod(floor(2*t), 2) >= 1, -1, 1)"}) {
    const Followed f = follow(coordinate("initial = 0\n", force, "[simulation]\nuntil = 4.75\n"));
    EXPECT_EQ(f.status, Status::finished) << force << f.why;
    EXPECT_EQ(f.events.size(), 9U) << force;
    EXPECT_NEAR(f.state.velocity[0], 0.25, close) << force;
    EXPECT_NEAR(f.state.position[0], 1.0 + 0.125 + 0.5 * 0.25 - 0.03125, close) << force;
  }
}

TEST(Switches, what_only_jumps_turns_with_what_it_is_made_of) {
  const Followed f = follow(coordinate("initial = 0\n", "if(floor(t) >= 2, 1, 0)", "[simulation]\nuntil = 3\n"));
  EXPECT_EQ(f.kinds, "switch");  // none at t = 1, where nothing changes
  EXPECT_NEAR(f.state.position[0], 0.5, close);
  const Followed stops =
      follow(coordinate("initial = 0\n", "0", "[simulation]\nuntil = 3\nstop = \"floor(t) >= 2\"\n"));
  EXPECT_EQ(stops.status, Status::stopped);
  EXPECT_NEAR(stops.state.time, 2, close);
  const Followed root = follow(coordinate("initial = 0\n", "sqrt(floor(t))", "[simulation]\nuntil = 3\n"));
  EXPECT_NEAR(root.state.velocity[0], 1 + std::sqrt(2.0), close);
}

TEST(Switches, a_ground_of_periodic_lines_goes_on_over_its_wraps) {
  // Slides without friction up and down roofs of slope 1/5: at x = 2 it is where the ground is.
  const Followed f = follow(
      "gravity = [0, -10]\n[points.p]\nmass = 1\nposition = [0.5, 3]\nvelocity = [1, 0]\n[constraints]\n"
      "ground = { condition = \"p.y >= table(mod(p.x, 2), [0, 1, 2], [0, 0.2, 0])\", restitution = 1 }\n"
      "[simulation]\nuntil = 9\n");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  // Elastic: the energy 30.5 is kept at every event.
  for (const Event& event : f.events) {
    const double energy =
        (event.velocity[0] * event.velocity[0] + event.velocity[1] * event.velocity[1]) / 2 + 10 * event.position[1];
    EXPECT_NEAR(energy, 30.5, 1e-10);
    const double u = event.position[0] - 2 * std::floor(event.position[0] / 2);
    EXPECT_GE(event.position[1], 0.2 * (1 - std::abs(u - 1)) - 1e-10);
  }
}

TEST(Switches, a_ground_of_nested_corners_that_is_continuous_is_admitted) {
  const Followed f = follow(
      "gravity = [0, -10]\n[points.p]\nmass = 1\nposition = [0.1, 3]\nvelocity = [1, 0]\n[constraints]\n"
      "ground = { condition = \"p.y >= abs(mod(p.x, 1) - 0.5)\", restitution = 1 }\n[simulation]\nuntil = 5\n");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  for (const Event& event : f.events) {
    const double energy =
        (event.velocity[0] * event.velocity[0] + event.velocity[1] * event.velocity[1]) / 2 + 10 * event.position[1];
    EXPECT_NEAR(energy, 30.5, 1e-10);
    const double u = event.position[0] - std::floor(event.position[0]);
    EXPECT_GE(event.position[1], std::abs(u - 0.5) - 1e-10);
  }
}

TEST(Switches, a_ground_late_in_time_jumps_where_it_does_near_by) {
  const auto with = [](const std::string& ground) {
    return "[points.a]\nmass = 1\nposition = [1, 1]\n[constraints]\nfloor = \"a.y >= " + ground +
           "\"\n[simulation]\nstart = 1e9\nuntil = 1000000002\n";
  };
  for (const char* ground :
       {"table(t - 1e9, [0, 1, 2], [0, 0.2, 0])", "table(mod(a.x - 1e9, 2), [0, 1, 2], [0, 0.2, 0])",
        "0.1*mod(t, 2)*(2 - mod(t, 2))", "spline(t - 1e9, [0, 1, 2], [0, 0.2, 0])"}) {
    const Followed f = follow(with(ground));
    EXPECT_EQ(f.status, Status::finished) << ground << ": " << f.why;
    EXPECT_EQ(f.state.position[1], 1) << ground;
  }
  for (const char* ground :
       {"0.5*step(t - 1e9 - 1)", "table(mod(t - 1e9, 2), [0, 1, 2], [0, 0.2, 0.1])", "0.1*mod(t, 2)"})
    EXPECT_THROW(static_cast<void>(model::compile(model::read(with(ground), "jump.toml"))), Error) << ground;
}

TEST(Switches, a_start_on_a_kink_of_stop_or_when_goes_on) {
  const Followed stops =
      follow(coordinate("initial = 0\nvelocity = -1\n", "0", "[simulation]\nuntil = 9\nstop = \"abs(x) >= 2\"\n"));
  EXPECT_EQ(stops.status, Status::stopped) << stops.why;
  EXPECT_NEAR(stops.state.time, 2, close);
  // From rest: which way it goes the force tells.
  const Followed rests = follow(coordinate("initial = 0\n", "-1", "[simulation]\nuntil = 9\nstop = \"abs(x) >= 2\"\n"));
  EXPECT_EQ(rests.status, Status::stopped) << rests.why;
  EXPECT_NEAR(rests.state.time, 2, close);
  const Followed norm = follow(
      "[points.p]\nmass = 1\nposition = [0, 0]\nvelocity = [3, 4]\n[simulation]\nuntil = 9\nstop = \"norm(p) >= 2\"\n");
  EXPECT_EQ(norm.status, Status::stopped) << norm.why;
  EXPECT_NEAR(norm.state.time, 0.4, close);
  const Followed through = follow(
      "[points.p]\nmass = 1\nposition = [-3, -4]\nvelocity = [3, 4]\n[simulation]\nuntil = 9\nstop = \"norm(p) >= "
      "7\"\n");
  EXPECT_EQ(through.status, Status::stopped) << through.why;
  EXPECT_NEAR(through.state.time, 2.4, close);
}

std::string one_rate(const std::string& start, const std::string& rate, const std::string& until) {
  return "[coordinates.x]\ninitial = " + start + "\n[flow]\nx = \"" + rate + "\"\n[simulation]\nuntil = " + until +
         "\n";
}

TEST(Switches, a_flow_slides_where_both_sides_push_towards_the_surface) {
  const Followed f = follow(one_rate("0.5", "t - 1 - sign(x)", "4"));
  EXPECT_EQ(f.kinds, "stick, slip");
  // From 0.5 with x' = t - 2 to 0; held until t = 2; then x = (t - 2)^2 / 2.
  EXPECT_NEAR(f.events[0].time, 2 - std::sqrt(3.0), close);
  EXPECT_NEAR(f.events[1].time, 2, close);
  EXPECT_NEAR(f.state.position[0], 2, close);
  // On a curve: y = sin(x) is kept.
  const Followed curve = follow(
      "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 2\n[flow]\nx = \"1\"\ny = \"-3*sign(y - sin(x))\"\n"
      "[simulation]\nuntil = 6\n");
  EXPECT_EQ(curve.kinds, "stick");
  EXPECT_NEAR(curve.state.position[1], std::sin(6.0), close);
  EXPECT_NEAR(curve.state.velocity[1], std::cos(6.0), close);
  // Under a condition: on the circle at y = 1/2.
  const Followed circle = follow(
      "[coordinates.x]\ninitial = 1\n[coordinates.y]\ninitial = 0\n[flow]\nx = \"-y - sign(y - 0.5)\"\n"
      "y = \"x - 2*sign(y - 0.5)\"\n[constraints]\nc = \"x^2 + y^2 = 1\"\n[simulation]\nuntil = 3\n");
  EXPECT_EQ(circle.kinds, "stick");
  EXPECT_NEAR(circle.state.position[0], std::sqrt(0.75), close);
}

TEST(Switches, a_flow_slides_where_the_inner_of_two_nested_corners_turns) {
  // At x = 1 the outer one jumps with the inner one: both sides push towards it.
  const Followed f = follow(one_rate("0.7", "sign(mod(x, 1) - 0.5) + 0.5*sin(t)", "5"));
  EXPECT_EQ(f.kinds, "stick");
  EXPECT_NEAR(f.state.position[0], 1, close);
  EXPECT_NEAR(f.state.velocity[0], 0, close);
}

TEST(Switches, a_tank_that_runs_dry_stays_dry) {
  // x = (1 - t/2)^2 up to t = 2, then nothing more.
  for (const char* rate : {"-sqrt(x)", "-sqrt(max(x, 0))", "-sqrt(abs(x))"}) {
    const Followed f = follow(one_rate("1", rate, "5"));
    ASSERT_EQ(f.status, Status::finished) << rate << f.why;
    EXPECT_EQ(f.state.position[0], 0) << rate;
    EXPECT_EQ(f.state.velocity[0], 0) << rate;
  }
  const Followed stopped = follow(one_rate("1", "-sqrt(x)", "5\nstop = \"x <= 0\""));
  EXPECT_EQ(stopped.status, Status::stopped) << stopped.why;
  EXPECT_NEAR(stopped.state.time, 2, 1e-9);
  // A drain that opens and closes: 2 sqrt(x) = 2 - t - (1 - cos t)/10 up to zero, then nothing more, though the time goes on.
  const Followed pulsed = follow(one_rate("1", "-sqrt(x)*(1 + 0.1*sin(t))", "5"));
  ASSERT_EQ(pulsed.status, Status::finished) << pulsed.why;
  EXPECT_EQ(pulsed.state.position[0], 0);
  EXPECT_EQ(follow(one_rate("1", "-x/sqrt(x + 1e-12)", "5")).status, Status::finished);
}

TEST(Switches, a_root_in_the_rates_that_begins_at_zero_is_left_in_the_one_way_there_is) {
  // t = 2 (w - log(1 + w)) for w = sqrt(x) and x' = 1 + w; t = -2 (w + log(1 - w)) for x' = 1 - w.
  const Followed up = follow(one_rate("0", "1 + sqrt(x)", "2"));
  ASSERT_EQ(up.status, Status::finished) << up.why;
  const double w = std::sqrt(up.state.position[0]);
  EXPECT_NEAR(2 * (w - std::log1p(w)), 2, close);
  const Followed slower = follow(one_rate("0", "1 - sqrt(max(x, 0))", "2"));
  ASSERT_EQ(slower.status, Status::finished) << slower.why;
  const double u = std::sqrt(slower.state.position[0]);
  EXPECT_NEAR(-2 * (u + std::log1p(-u)), 2, close);
  // Inflow that begins with t: x = t^2/4. And one that begins at t = 1, after nothing: 0.5 - w, t - 1 = -2 (w + log(1 - 2 w)/2).
  const Followed ramp = follow(one_rate("0", "t - sqrt(max(x, 0))", "2"));
  ASSERT_EQ(ramp.status, Status::finished) << ramp.why;
  EXPECT_NEAR(ramp.state.position[0], 1, close);
  const Followed late = follow(one_rate("0", "0.5*step(t - 1) - sqrt(max(x, 0))", "3"));
  ASSERT_EQ(late.status, Status::finished) << late.why;
  const double v = std::sqrt(late.state.position[0]);
  EXPECT_NEAR(-2 * v - std::log1p(-2 * v), 2, close);
  // Through zero: 2 (1 - log 2) until then, and -1 from there on.
  const Followed through = follow(one_rate("1", "-1 - sqrt(max(x, 0))", "2"));
  ASSERT_EQ(through.status, Status::finished) << through.why;
  EXPECT_NEAR(through.state.position[0], 2 * (1 - std::log(2.0)) - 2, close);
}

TEST(Switches, tanks_in_cascade_fill_and_run_dry_one_after_the_other) {
  const auto tanks = [](const char* until) {
    return follow(
        "[coordinates.a]\ninitial = 1\n[coordinates.b]\ninitial = 0\n[flow]\na = \"-sqrt(max(a, 0))\"\n"
        "b = \"sqrt(max(a, 0)) - sqrt(max(b, 0))\"\n[simulation]\nuntil = " +
        std::string(until) + "\n");
  };
  // By another method: b(1) = 0.29635. From t = 2 on the upper one is dry, and w = sqrt(b) falls by half of the time.
  const Followed one = tanks("1");
  ASSERT_EQ(one.status, Status::finished) << one.why;
  EXPECT_NEAR(one.state.position[0], 0.25, close);
  EXPECT_NEAR(one.state.position[1], 0.29635, 1e-5);
  const Followed dry = tanks("2");
  const Followed later = tanks("2.25");
  ASSERT_EQ(later.status, Status::finished) << later.why;
  EXPECT_EQ(later.state.position[0], 0);
  EXPECT_NEAR(std::sqrt(later.state.position[1]), std::sqrt(dry.state.position[1]) - 0.125, close);
  const Followed all = tanks("5");
  ASSERT_EQ(all.status, Status::finished) << all.why;
  EXPECT_EQ(all.state.position, (std::vector<double>{0, 0}));
}

TEST(Switches, a_root_that_drives_its_own_argument_from_zero_leaves_several_ways) {
  // x = 0 and x = (t - c)^2/4 for every c; the same of two that drive one another.
  for (const char* rate : {"sqrt(x)", "sqrt(max(x, 0))", "x^0.5", "sqrt(abs(x))"}) {
    EXPECT_NE(follow(one_rate("0", rate, "2")).status, Status::finished) << rate;
  }
  EXPECT_EQ(follow(one_rate("0", "sqrt(x)", "2")).status, Status::singular);
  EXPECT_EQ(follow("[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\n[flow]\nx = \"sqrt(y)\"\ny = "
                   "\"sqrt(x)\"\n[simulation]\nuntil = 2\n")
                .status,
            Status::singular);
  // Below zero there is no root.
  EXPECT_EQ(follow(one_rate("0", "-1 - sqrt(x)", "2")).status, Status::gave_up);
}

TEST(Switches, switches_of_a_flow_that_accumulate_at_rest_are_passed_and_hold_as_much_as_they_can) {
  // Twisting control in its state space: every swing is shorter by one ratio, and all end at x = y = 0 after a finite time.
  const auto twist = [](const char* start, const char* load, const char* until) {
    return follow("[coordinates.x]\ninitial = " + std::string(start) +
                  "\n[coordinates.y]\ninitial = 0\n[flow]\nx = \"y\"\ny = \"-3*sign(x) - sign(y) + " + load +
                  "\"\n[simulation]\nuntil = " + until + "\n");
  };
  for (const char* start : {"1", "0"}) {
    const Followed held = twist(start, "0.1*sin(t)", "20");
    ASSERT_EQ(held.status, Status::finished) << held.why;
    EXPECT_NEAR(held.state.position[0], 0, 1e-12);
    EXPECT_NEAR(held.state.position[1], 0, 1e-12);
    // A load that grows is held up to 4, at t = 40, and x = 0.1 (t - 40)^3/6 from there on.
    const Followed torn = twist(start, "0.1*t", "60");
    ASSERT_EQ(torn.status, Status::finished) << torn.why;
    EXPECT_NEAR(torn.state.position[0], 0.1 * 8000 / 6, close * 1000);
    EXPECT_NEAR(torn.state.position[1], 20, close * 100);
  }
  // The same as a body has it, also where the load tears it off and brings it back.
  const Followed swung = twist("1", "5*sin(0.3*t)", "20");
  const Followed body =
      follow(coordinate("initial = 1\n", "-3*sign(x) - sign(x') + 5*sin(0.3*t)", "[simulation]\nuntil = 20\n"));
  ASSERT_EQ(swung.status, Status::finished) << swung.why;
  ASSERT_EQ(body.status, Status::finished) << body.why;
  EXPECT_NEAR(swung.state.position[0], body.state.position[0], close * 100);
  EXPECT_NEAR(swung.state.position[1], body.state.velocity[0], close * 100);
}

TEST(Switches, a_sliding_flow_put_aside_goes_on_to_the_same_bits) {
  const model::Model model =
      model::compile(model::read(one_rate("0.7", "sign(mod(x, 1) - 0.5) + 2*sin(t)", "20"), "t"));
  Motion whole = begin(model);
  Motion parts = begin(model);
  while (advance(whole)) {
    advance(parts);
    parts = restore(model, {}, save(parts));
    ASSERT_EQ(whole.state.time, parts.state.time);
    ASSERT_EQ(whole.state.position, parts.state.position);
  }
  EXPECT_EQ(whole.status, Status::finished) << whole.why;
}

TEST(Switches, one_surface_has_one_weight_however_it_is_written) {
  // On the slide from t = 0.6 on the mean of sign(x) is 1/2: y = 0.6 + 1.4/2; of mod(x, 1), which jumps from 1 to 0, it is 1/4.
  const auto beside = [](const std::string& rate) {
    return follow(
        "[coordinates.x]\ninitial = 0.3\n[coordinates.y]\ninitial = 0\n[flow]\nx = \"0.5 - sign(x)\"\ny = \"" + rate +
        "\"\n[simulation]\nuntil = 2\n");
  };
  for (const char* rate : {"sign(x)", "sign(2*x)", "-sign(-x)", "-sign(-0.3*x)", "if(x > 0, 1, -1)", "2*step(x) - 1"}) {
    const Followed f = beside(rate);
    EXPECT_EQ(f.status, Status::finished) << rate << f.why;
    EXPECT_NEAR(f.state.position[1], 1.3, close) << rate;
  }
  EXPECT_NEAR(beside("mod(x, 1)").state.position[1], 0.09 + 1.4 / 4, close);
  // Jumps inside of what is not linear: the mean of both sides is that of the whole.
  for (const char* rate : {"if(x > 0, exp(1), exp(-1))", "exp(sign(x))", "exp(if(x > 0, 1, -1))"}) {
    EXPECT_NEAR(beside(rate).state.position[1],
                0.6 * std::exp(1.0) + 1.4 * (0.75 * std::exp(1.0) + 0.25 * std::exp(-1.0)), close)
        << rate;
  }
  for (const char* rate : {"clip(3*sign(x), -1, 1)", "max(-1, min(1, 5*sign(x)))", "sign(x)^3"}) {
    EXPECT_NEAR(beside(rate).state.position[1], 1.3, close) << rate;
  }
  EXPECT_NEAR(beside("sign(x)^2").state.position[1], 2, close);
}

TEST(Switches, the_bottom_of_a_valley_holds_from_both_sides_however_it_is_written) {
  // Down a slope of 45 degrees from 0.4 beside the bottom: x = g t^2 / 4.
  const double g = 9.81;
  const double arrives = std::sqrt(4 * 0.4 / g);
  for (const char* ground :
       {"abs(mod(a.x, 1) - 0.5)", "max(mod(a.x, 1) - 0.5, 0.5 - mod(a.x, 1))", "abs(a.x - floor(a.x) - 0.5)",
        "table(mod(a.x, 1), [0, 0.5, 1], [0.5, 0, 0.5])", "if(a.x >= 0.5, a.x - 0.5, 0.5 - a.x)",
        "if(mod(a.x, 1) < 0.5, 0.5 - mod(a.x, 1), mod(a.x, 1) - 0.5)"}) {
    const auto run = [&](const std::string& rest) {
      return follow("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0.1, 0.4]\n" + rest + ground +
                    "\"\n[simulation]\nuntil = 3\n");
    };
    const Followed f = run("[constraints]\ng = \"a.y >= ");
    EXPECT_EQ(f.status, Status::finished) << ground << f.why;
    EXPECT_NEAR(f.state.position[0], 0.5, close) << ground;
    EXPECT_NEAR(f.state.velocity[0], 0, close) << ground;
    ASSERT_EQ(f.events.size(), 1U) << ground;
    EXPECT_EQ(f.events[0].kind, EventKind::impact) << ground;
    EXPECT_NEAR(f.events[0].time, arrives, close) << ground;
    // A force that pulls harder than the slope lets go of one side, and it goes up the other.
    const Followed pulled = run("force = [\"if(t > 1, 12, 0)\", 0]\n[constraints]\ng = \"a.y >= ");
    EXPECT_EQ(pulled.status, Status::finished) << ground << pulled.why;
    EXPECT_GT(pulled.state.position[0], 1) << ground;
  }
}

TEST(Switches, a_surface_that_cannot_be_seen_to_be_the_same_is_refused) {
  for (const char* rate : {"sign(sin(x))", "sign(x^3)", "exp(sign(x) + abs(x - 5))"}) {
    const Followed f =
        follow("[coordinates.x]\ninitial = 0.3\n[coordinates.y]\ninitial = 0\n[flow]\nx = \"0.5 - sign(x)\"\ny = \"" +
               std::string(rate) + "\"\n[simulation]\nuntil = 2\n");
    EXPECT_EQ(f.status, Status::refused) << rate;
  }
}

TEST(Switches, two_blocks_obey_the_third_law_whichever_way_it_is_written) {
  const auto blocks = [](const std::string& second, const std::string& until) {
    return follow(
        "[points.a]\nmass = 2\nposition = [0, 0]\nforce = [\"3*sin(2*t) - sign(a.x') - 0.5*sign(a.x'-b.x')\", 0]\n"
        "[points.b]\nmass = 1\nposition = [0, 1]\nforce = [\"" +
        second + "\", 0]\n[simulation]\nuntil = " + until + "\n");
  };
  // At rest until 3 sin 2t = 1; then both together, 3 v' = 3 sin 2t - 1.
  EXPECT_EQ(blocks("-0.5*sign(b.x'-a.x')", "0.16").state.velocity[0], 0);
  const double slips = std::asin(1.0 / 3) / 2;
  const double v = (std::cos(2 * slips) - std::cos(0.5)) / 2 - (0.25 - slips) / 3;
  for (const char* second : {"0.5*sign(a.x'-b.x')", "-0.5*sign(b.x'-a.x')", "0.5 - step(b.x'-a.x')"}) {
    EXPECT_NEAR(blocks(second, "0.25").state.velocity[0], v, close) << second;
    EXPECT_NEAR(blocks(second, "0.25").state.velocity[2], v, close) << second;
  }
  const Followed one = blocks("0.5*sign(a.x'-b.x')", "10");
  const Followed other = blocks("-0.5*sign(b.x'-a.x')", "10");
  EXPECT_EQ(other.status, Status::finished) << other.why;
  EXPECT_NEAR(one.state.position[0], other.state.position[0], 1e-9);
  EXPECT_NEAR(one.state.position[2], other.state.position[2], 1e-9);
}

TEST(Switches, a_part_of_an_or_that_another_part_holds_for_touches_nothing) {
  const Followed f = follow(
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [-1, 1]\nvelocity = [2, 0]\n[constraints]\n"
      "f = \"a.x <= 0 or a.y <= 0\"\n[simulation]\nuntil = 1\n");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "");
  EXPECT_NEAR(f.state.position[0], 1, close);
}

TEST(Switches, drag_by_the_square_of_the_speed_lets_a_ball_fall_from_rest) {
  const Followed f = follow(
      "gravity = [0, 0, -9.81]\n[points.a]\nmass = 1\nposition = [0, 0, 0]\n"
      "force = [\"-0.1*norm(a')*a.x'\", \"-0.1*norm(a')*a.y'\", \"-0.1*norm(a')*a.z'\"]\n[simulation]\nuntil = 5\n");
  EXPECT_EQ(f.status, Status::finished) << f.why;
  // z = -(V^2 / g) log cosh(g t / V), V^2 = m g / c.
  const double square = 9.81 / 0.1;
  EXPECT_NEAR(f.state.position[2], -square / 9.81 * std::log(std::cosh(9.81 * 5 / std::sqrt(square))), 1e-11);
}

TEST(Switches, a_block_that_rests_under_a_changing_pull_has_an_account_that_closes) {
  const Followed f = follow(coordinate("initial = 0\n", "0.3*sin(t) - 1.1*sign(x')", "[simulation]\nuntil = 4\n"));
  EXPECT_EQ(f.status, Status::finished) << f.why;
  EXPECT_NEAR(f.state.position[0], 0, 1e-15);
}

TEST(Switches, an_equation_with_a_kink_in_time_said_as_two_inequalities_is_one_shock) {
  for (const std::string said : {"[constraints]\nat = \"a.x = abs(t - 1)\"\n",
                                 "[constraints]\nlow = \"a.x >= abs(t - 1)\"\nhigh = \"a.x <= abs(t - 1)\"\n"}) {
    const Followed f =
        follow("[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [-1, 0]\n" + said + "[simulation]\nuntil = 2\n");
    ASSERT_EQ(f.status, Status::finished) << said << f.why;
    EXPECT_NEAR(f.state.position[0], 1, close);
    EXPECT_NEAR(f.state.velocity[0], 1, close);
    EXPECT_EQ(f.events.back().kind, EventKind::impact);
    EXPECT_NEAR(f.events.back().time, 1, close);
  }
}

TEST(Switches, a_bead_in_the_kink_of_its_wire_stays_or_leaves_along_the_nearer_arm) {
  const auto bead = [](const std::string& wire, const std::string& pull) {
    return follow("gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 0]\nforce = [" + pull +
                  ", 0]\n[constraints]\nwire = \"a.y = " + wire + "\"\n[simulation]\nuntil = 2\n");
  };
  // Rest in a V, and along its arms with (pull - 10)/2.
  EXPECT_EQ(bead("abs(a.x)", "0").status, Status::finished);
  EXPECT_EQ(bead("abs(a.x)", "0").state.position[0], 0);
  EXPECT_NEAR(bead("abs(a.x)", "-16").state.position[0], -6, close);
  EXPECT_NEAR(bead("abs(a.x)", "-16").state.position[1], 6, close);
  // Held by both arms with different forces; where these vary an equation, which has but one row, does not do it.
  EXPECT_EQ(bead("abs(a.x)", "1").status, Status::finished);
  EXPECT_EQ(bead("abs(a.x)", "1").state.position[0], 0);
  EXPECT_EQ(bead("abs(a.x)", "\"sin(t)\"").status, Status::singular);
  EXPECT_NE(bead("abs(a.x)", "\"sin(t)\"").why.find("write an inequality"), std::string::npos);
  // Off the top of a roof with (10 + pull)/2, and either way without a pull.
  EXPECT_NEAR(bead("-abs(a.x)", "2").state.position[0], 12, close);
  EXPECT_NEAR(bead("-abs(a.x)", "2").state.position[1], -12, close);
  const Followed top = bead("-abs(a.x)", "0");
  EXPECT_EQ(top.status, Status::singular);
  ASSERT_EQ(top.ways.size(), 2U);
  EXPECT_NEAR(top.ways[0][0], -5, close);
  EXPECT_NEAR(top.ways[1][0], 5, close);
}

TEST(Switches, a_bead_that_runs_into_a_right_angle_of_its_wire_stops_there) {
  const Followed f = follow(
      "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0.5, 0.5]\n[constraints]\nwire = \"a.y = abs(a.x)\"\n"
      "[simulation]\nuntil = 2\n");
  ASSERT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "switch, impact");
  EXPECT_NEAR(f.events[1].lost, 5, close);
  EXPECT_EQ(f.state.velocity[0], 0);
  EXPECT_EQ(f.state.position[0], 0);
}

TEST(Switches, a_bead_that_runs_into_an_acute_bend_of_its_wire_is_stopped_by_both_sides_at_once) {
  // Down an arm of slope 3, mass 2: every other velocity along an arm is farther from the one it comes with than rest. All of m g h is lost.
  const auto bead = [](const std::string& wire) {
    return follow("gravity = [0, -10]\n[points.a]\nmass = 2\nposition = [0.5, 1.5]\n[constraints]\nwire = \"a.y = " +
                  wire + "\"\n[simulation]\nuntil = 2\n");
  };
  const double fall = std::sqrt(2 * 1.5 / 9);  // along the arm with g 9/10 of its height
  const Followed f = bead("3*abs(a.x)");
  ASSERT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "switch, impact");
  EXPECT_NEAR(f.events[1].time, fall, close);
  EXPECT_NEAR(f.events[1].lost, 30, 10 * close);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(f.state.velocity[i], 0);
    EXPECT_NEAR(f.state.position[i], 0, close);
  }
  // Arms that hold it with different forces: it is stopped all the same, and then an equation has but one of them.
  const Followed table = bead("table(a.x, [-1, 0, 1], [2, 0, 3])");
  EXPECT_EQ(table.status, Status::refused);
  EXPECT_EQ(table.kinds, "switch, impact");
  EXPECT_EQ(table.state.velocity[0], 0);
  EXPECT_NEAR(table.state.time, fall, close);
}

TEST(Switches, an_outward_corner_that_does_not_decide_is_named_without_an_or) {
  const Followed f = follow(
      "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 0]\n[constraints]\nlow = \"a.y >= abs(a.x)\"\nhigh = "
      "\"a.y <= abs(a.x)\"\n[simulation]\nuntil = 2\n");
  EXPECT_EQ(f.status, Status::singular);
  EXPECT_NE(f.why.find("an outward corner of high"), std::string::npos) << f.why;
  EXPECT_EQ(f.why.find("`or`"), std::string::npos) << f.why;
}

TEST(Switches, an_angle_in_a_force_switches_on_its_cut_alone) {
  // Round the origin on a circle of radius 2, a turn in two seconds: the cut is met at 1, 3 and 5.
  const Followed f = follow(
      "[points.a]\nmass = 1\nposition = [2, 0]\nvelocity = [0, \"2*pi\"]\n[points.b]\nmass = 1\nposition = [0, "
      "0]\nforce "
      "= [\"atan2(a.y, a.x)\", 0]\n[constraints]\nrod = \"distance(a, [0, 0]) = 2\"\n[simulation]\nuntil = 6\n");
  ASSERT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "switch, switch, switch");
  for (std::size_t k = 0; k < f.events.size(); ++k)
    EXPECT_NEAR(f.events[k].time, 2.0 * static_cast<double>(k) + 1, close);
  // b'' is a saw of height pi: it gains pi/2 in the first second, loses and gains as much in each turn, and loses at last.
  EXPECT_NEAR(f.state.velocity[2], 0, 10 * close);
}

TEST(Switches, a_control_of_least_time_arrives_and_stays) {
  // From 1 at rest: brakes at 1, halfway, arrives at 2; the switching curve x = -x' |x'| / 2 ends in its target.
  const Followed f = follow(coordinate("initial = 1\n", "-sign(x + x'*abs(x')/2)", "[simulation]\nuntil = 5\n"));
  ASSERT_EQ(f.status, Status::finished) << f.why;
  EXPECT_EQ(f.kinds, "switch, stick");
  EXPECT_NEAR(f.events[0].time, 1, close);
  EXPECT_NEAR(f.events[1].time, 2, close);
  EXPECT_NEAR(f.state.position[0], 0, close);
  EXPECT_NEAR(f.state.velocity[0], 0, close);
  // From anywhere, also where rounding leaves 1e-31 to go.
  for (const char* start : {"initial = 1\nvelocity = 2\n", "initial = 2.3\nvelocity = -1.3\n", "initial = -0.7\n"}) {
    const Followed g = follow(coordinate(start, "-sign(x + x'*abs(x')/2)", "[simulation]\nuntil = 12\n"));
    ASSERT_EQ(g.status, Status::finished) << start << g.why;
    EXPECT_NEAR(g.state.position[0], 0, close) << start;
    EXPECT_NEAR(g.state.velocity[0], 0, close) << start;
  }
}

TEST(Switches, a_block_on_a_shaken_table_slips_for_good_however_soon_the_run_ends) {
  // It sticks while |v w sin(w t)| <= mu and slips at the same phase of every half period: seen from the last slip the end is anywhere.
  const double speed = 1.62;
  const double w = 5.2;
  const double mu = 4.76;
  const double half = pi / w;
  const double slip = 99 * half + std::asin(mu / (speed * w)) / w;
  for (const double rest : {0.01, 0.03, 0.0734, 0.1, 0.3}) {
    const double until = slip + rest;
    const Followed f = follow(coordinate("initial = 0\n", "-4.76*sign(x' - 1.62*cos(5.2*t))",
                                         "[simulation]\nuntil = " + std::to_string(until) + "\n"));
    ASSERT_EQ(f.status, Status::finished) << rest << ": " << f.why;
    EXPECT_EQ(f.events.back().kind, EventKind::slip);
    EXPECT_NEAR(f.events.back().time, slip, 100 * close);
    const double gone = f.state.time - slip;
    EXPECT_NEAR(f.state.velocity[0], speed * std::cos(w * slip) + mu * gone, 100 * close) << rest;
  }
}

TEST(Switches, infinitely_many_switches_of_a_place_and_its_speed_end_at_rest) {
  for (const std::string force :
       {"-3*sign(x) - sign(x') + 0.1*sin(t)", "-2.5*sign(x) - 0.8*sign(x') + 0.3*sin(4*t)",
        "-2.69*sign(x) - 0.4*sign(x') + 0.26*sin(4.65*t)", "-if(x > 0, 3, -3) - 2*step(x') + 1 - 0.2*cos(3*t)"}) {
    const Followed f = follow(coordinate("initial = 1.3\nvelocity = 0.8\n", force, "[simulation]\nuntil = 50\n"));
    ASSERT_EQ(f.status, Status::finished) << force << ": " << f.why;
    EXPECT_NEAR(f.state.position[0], 0, close) << force;
    EXPECT_NEAR(f.state.velocity[0], 0, close) << force;
    EXPECT_NE(f.kinds.find("switch, stick"), std::string::npos) << force << ": " << f.kinds;
  }
  // The springs let go where the pull exceeds them and the friction, 4, at t = 60.
  const Followed pulled =
      follow(coordinate("initial = 1\n", "-3*sign(x) - sign(x') + t/15", "[simulation]\nuntil = 63\n"));
  ASSERT_EQ(pulled.status, Status::finished) << pulled.why;
  EXPECT_EQ(pulled.events.back().kind, EventKind::slip);
  EXPECT_NEAR(pulled.events.back().time, 60, close);
  EXPECT_NEAR(pulled.state.position[0], 27.0 / 90, 10 * close);
  EXPECT_NEAR(pulled.state.velocity[0], 9.0 / 30, 10 * close);
}

TEST(Switches, what_a_surface_of_places_does_not_keep_leaves_it) {
  // A belt below moves to and fro under a block that its preloaded springs hold.
  const Followed held =
      follow(coordinate("initial = 0\n", "-3*sign(x) - sign(x' - 0.5*sin(t))", "[simulation]\nuntil = 20\n"));
  ASSERT_EQ(held.status, Status::finished) << held.why;
  EXPECT_EQ(held.state.position[0], 0);
  EXPECT_EQ(held.state.velocity[0], 0);
}

TEST(Switches, a_push_that_begins_on_one_side_and_stands_on_the_other_leaves_two_ways) {
  const std::string rest = "[simulation]\nuntil = 2\n";
  for (const char* force : {"-sin(t) + step(x)", "sin(t) - step(-x)", "-t^3 + if(x > 0, 2, 0)"}) {
    const Followed f = follow(coordinate("initial = 0\n", force, rest));
    EXPECT_EQ(f.status, Status::singular) << force << ": " << f.why;
    EXPECT_EQ(f.ways.size(), 2U) << force;
  }
  // Where the push that begins leads to the other side there is but one.
  const Followed up = follow(coordinate("initial = 0\n", "t + step(x)", rest));
  EXPECT_EQ(up.status, Status::finished) << up.why;
  EXPECT_NEAR(up.state.position[0], 8.0 / 6 + 2, close);
  // Where none ever begins the value tells.
  const Followed value = follow(coordinate("initial = 0\n", "step(x)", rest));
  EXPECT_NEAR(value.state.position[0], 2, close) << value.why;
  const Followed none = follow(coordinate("initial = 0\n", "if(x > 0, 1, 0)", rest));
  EXPECT_EQ(none.state.position[0], 0) << none.why;
}

TEST(Switches, an_angle_of_a_sine_is_a_triangle_wave) {
  // x'' = asin(sin t): up to t = 3 pi/2 the slope is 1, then -1 about t = pi, then 1 again.
  const double w = pi / 2;
  const Followed driven =
      follow(coordinate("initial = 0\n", "asin(sin(t))", "[simulation]\nuntil = 6.283185307179586\n"));
  ASSERT_EQ(driven.status, Status::finished) << driven.why;
  ASSERT_EQ(driven.events.size(), 2U) << driven.kinds;
  EXPECT_NEAR(driven.events[0].time, w, 1e-15);
  EXPECT_NEAR(driven.events[1].time, 3 * w, 1e-15);
  EXPECT_NEAR(driven.state.velocity[0], 0, close);
  // The velocity is t^2/2, then w^2 - (t - pi)^2/2, then (t - 2 pi)^2/2.
  const double place = w * w * w / 6 + 2 * w * (w * w) - 2 * w * w * w / 6 + w * w * w / 6;
  EXPECT_NEAR(driven.state.position[0], place, 10 * close);
  // The same said by functions with corners, of places, too.
  const std::string one = "initial = 1\nvelocity = 2\n";
  const std::string rest = "[simulation]\nuntil = 10\n";
  const std::vector<std::pair<std::string, std::string>> same = {
      {"-acos(cos(x))", "-abs(x - 2*pi*floor(x/(2*pi) + 0.5))"},
      {"-asin(sin(x))", "-(pi/2 - abs(mod(x + pi/2, 2*pi) - pi))"},
      {"-asin(cos(3*x))", "-(abs(mod(3*x, 2*pi) - pi) - pi/2)"},
      {"-acos(sin(x + t))", "abs(mod(x + t - pi/2, 2*pi) - pi) - pi"}};
  for (const auto& [wave, corners] : same) {
    const Followed a = follow(coordinate(one, wave, rest));
    const Followed b = follow(coordinate(one, corners, rest));
    ASSERT_EQ(a.status, Status::finished) << wave << ": " << a.why;
    ASSERT_EQ(b.status, Status::finished) << corners << ": " << b.why;
    EXPECT_NEAR(a.state.position[0], b.state.position[0], 1e-9) << wave;
    EXPECT_NEAR(a.state.velocity[0], b.state.velocity[0], 1e-9) << wave;
  }
}

TEST(Switches, a_window_however_narrow_is_seen_and_located) {
  // Products and quotients that are large far from it, and cancel beside it.
  const auto along = [](const std::string& force, const std::string& rest) {
    return follow("[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 0]\nforce = [\"0\", \"" + force +
                  "\"]\n[simulation]\nuntil = 10\n" + rest);
  };
  const struct {
    const char* window;
    double from, to;
  } all[] = {{"1/(1 + ((a.x - 6.1)/0.001)^2) >= 0.5", 6.099, 6.101},
             {"1/(1 + ((a.x - 6.1)/1e-5)^4) >= 0.5", 6.1 - 1e-5, 6.1 + 1e-5},
             {"(1 + ((t - 6.1)/0.01)^2)^-2 >= 0.25", 6.09, 6.11},
             {"(t - 3)*(t - 3.01) <= 0", 3, 3.01},
             {"(t - 3)*(t - 3.000001) <= 0", 3, 3.000001},
             {"(a.x - 3)*(a.x - 3.00000001) <= 0", 3, 3.00000001},
             {"((t - 7)/1e-4)^2 <= 1", 6.9999, 7.0001}};
  for (const auto& one : all) {
    const std::string window = one.window;
    const double width = one.to - one.from;
    const Followed f = along("if(" + window + ", 1, 0)", "");
    ASSERT_EQ(f.status, Status::finished) << window << ": " << f.why;
    ASSERT_EQ(f.kinds, "switch, switch") << window;
    EXPECT_NEAR(f.events[0].time, one.from, 4e-14) << window;
    EXPECT_NEAR(f.events[1].time, one.to, 4e-14) << window;
    EXPECT_NEAR(f.state.velocity[1], width, 1e-13) << window;
    const Followed stopped = along("0", "stop = \"" + window + "\"\n");
    EXPECT_EQ(stopped.status, Status::stopped) << window;
    EXPECT_NEAR(stopped.state.time, one.from, 4e-14) << window;
  }
}

}  // namespace zwang::motion::switches_tests
