/// Endings that help: each names its conditions, the bodies, the amount and what to try.
#include "zwang/motion/endings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "zwang/model/read.hpp"

namespace zwang::motion::endings_tests {

namespace {

struct Ended {
  Status status = Status::going;
  std::string why;
  model::State state;
  std::string foretold;
};

/// To its end, or for so many steps.
Ended run(const std::string& text, std::uint64_t most = 100000) {
  const model::Model model = model::load(text, "ending.toml");
  Motion motion = begin(model);
  Ended out;
  while (motion.steps < most && advance(motion)) {
    if (const std::string told = foretell(motion); !told.empty()) out.foretold = told;
  }
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  return out;
}

void expect_words(const Ended& ended, std::initializer_list<const char*> all) {
  for (const char* words : all) EXPECT_NE(ended.why.find(words), std::string::npos) << words << " in: " << ended.why;
}

std::string line(const std::string& force, double until) {
  return "[coordinates.x]\ninitial = 1\nvelocity = 1\nforce = \"" + force +
         "\"\n[energy]\nkinetic = \"x'^2/2\"\n[simulation]\nuntil = " + std::to_string(until) + "\n";
}

}  // namespace

TEST(Endings, a_start_that_breaks_conditions_names_each_with_its_amount_and_the_repair) {
  const Ended ended =
      run("[points.a]\nmass = 1\nposition = [0, -0.125]\n[points.b]\nmass = 1\nposition = [1, "
          "-0.125]\n[constraints]\nfloor = "
          "\"a.y >= 0\"\nrod = \"distance(a, b) = 2\"\n[simulation]\nuntil = 1\n");
  EXPECT_EQ(ended.status, Status::inadmissible);
  expect_words(ended, {"floor by 0.125 (a)", "rod by 1 (a, b)", "zwang check --repair"});
}

TEST(Endings, a_root_that_drives_its_own_argument_away_from_zero_has_several_motions) {
  const auto at_rest = [](const std::string& force, const std::string& initial) {
    return run("[coordinates.x]\ninitial = " + initial + "\nforce = \"" + force +
               "\"\n[energy]\nkinetic = \"x'^2/2\"\n[simulation]\nuntil = 2\n");
  };
  // Norton's dome: x = 0, and x = (t - T)^4 / 144 from any T on.
  for (const char* force : {"sqrt(x)", "sqrt(abs(x))*sign(x)", "x + 0.001*sqrt(x)"}) {
    const Ended dome = at_rest(force, "0");
    EXPECT_EQ(dome.status, Status::singular) << force;
    expect_words(dome, {"the force on x", "several motions", "like t^4"});
  }
  expect_words(at_rest("abs(x - 1)^(1/3)*sign(x - 1)", "1"), {"several motions", "like t^3"});
  expect_words(at_rest("sqrt(abs(x'))*sign(x')", "0"), {"several motions", "like t^2, of the speed"});
  // Drawn back, or driven at once, or along something that cannot give way: one motion.
  for (const char* force : {"-sqrt(x)", "-sqrt(abs(x))*sign(x)", "1 + sqrt(x)", "sqrt(x^2)", "abs(x)^(3/2)"}) {
    EXPECT_EQ(at_rest(force, "0").status, Status::finished) << force;
  }
  const Ended held =
      run("[points.a]\nmass = 1\nposition = [0, 0]\nforce = [\"sqrt(abs(a.x))*sign(a.x)\", 1]\n[constraints]\nwire = "
          "\"a.x = 0\"\n[simulation]\nuntil = 2\n");
  EXPECT_EQ(held.status, Status::finished) << held.why;
  EXPECT_NEAR(held.state.position[1], 2, 1e-12);
}

TEST(Endings, a_jam_names_the_conditions_that_contradict_each_other) {
  const std::string point = "[points.a]\nmass = 1\nposition = [0, 0]\n[constraints]\n";
  const Ended at_once = run(point + "l = \"a.x >= t^2\"\nr = \"a.x <= -t^2\"\n[simulation]\nuntil = 1\n");
  EXPECT_EQ(at_once.status, Status::jammed);
  expect_words(at_once, {"l (a)", "r (a)", "zwang accelerate", "f'' of one of them is off by 2 or more"});
  const Ended later = run(point + "left = \"a.x >= t - 1\"\nright = \"a.x <= 1 - t\"\n[simulation]\nuntil = 3\n");
  EXPECT_EQ(later.status, Status::jammed);
  expect_words(later, {"left (a)", "right (a)", "--until 1", "f' of one of them is off by 1 or more", "zwang explain"});
}

TEST(Endings, a_singular_position_names_its_condition_and_what_to_ask) {
  const Ended ended =
      run("[points.a]\nmass = 1\nposition = [0, 0]\nforce = [1, 1]\n[constraints]\ncross = \"a.x*a.y = "
          "0\"\n[simulation]\nuntil = 3\n");
  EXPECT_EQ(ended.status, Status::singular);
  expect_words(ended, {"cross", "(a)", "zwang accelerate", "the gradient of cross vanishes"});

  // A parallelogram lying flat: its three rods leave two directions, and the force opens it in one of two ways.
  const Ended flat =
      run("[points.a]\nmass = 1\nposition = [1, 0]\nforce = [0, 1]\n[points.b]\nmass = 1\nposition = [2, "
          "0]\n[constraints]\ncrank = \"distance(a, [0, 0]) = 1\"\nrod = \"distance(a, b) = 1\"\nrocker = "
          "\"distance(b, [1, 0]) "
          "= 1\"\n[simulation]\nuntil = 3\n");
  EXPECT_EQ(flat.status, Status::singular);
  expect_words(flat, {"crank (a)", "rod (a, b)", "rocker (b)", "3 gradients have rank 2"});
}

TEST(Endings, the_amount_of_a_jam_is_that_of_the_rows_in_their_own_units) {
  // x >= 3 t^2 and -2 x >= 5 t^2: f'' = 6 - x'' and 10 + 2 x''; y = (2, 1), y.h / sum |y| = 22 / 3.
  const Ended ended =
      run("[points.a]\nmass = 7\nposition = [0, 0]\n[constraints]\nl = \"a.x >= 3*t^2\"\nr = \"-2*a.x >= "
          "5*t^2\"\n[simulation]\nuntil = 1\n");
  EXPECT_EQ(ended.status, Status::jammed);
  expect_words(ended, {"off by 7.33 or more"});
}

TEST(Endings, a_motion_given_up_says_how_good_it_was_and_where_to_look) {
  const Ended ended =
      run("[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [-1, 0]\n[constraints]\nfunnel = \"log(a.x) + a.y <= "
          "3\"\n[simulation]\nuntil = 5\n");
  EXPECT_EQ(ended.status, Status::gave_up);
  expect_words(ended, {"funnel", "worst defect of a step", "--tolerance", "--until 1", "zwang accelerate"});
}

TEST(Endings, what_is_refused_later_says_where_to_end_before) {
  const Ended ended =
      run("[points.a]\nmass = 1\nposition = [0, 1]\nvelocity = [1, -1]\n[constraints]\nedge = { condition = \"a.x' = "
          "1\", law = \"variational\" }\nfloor = \"a.y >= 0\"\n[simulation]\nuntil = 3\n");
  EXPECT_EQ(ended.status, Status::refused);
  expect_words(ended, {"edge", "--until 1"});
}

TEST(Endings, an_escape_in_finite_time_and_an_overflow_are_named_with_the_last_good_state) {
  const Ended escape = run(line("x^3", 100));
  EXPECT_EQ(escape.status, Status::gave_up);
  expect_words(escape, {"x escapes to infinity in finite time"});
  const Ended overflow = run(line("100*x", 1000));
  EXPECT_EQ(overflow.status, Status::gave_up);
  expect_words(overflow, {"overflow", "x ", "last good state", "--until"});
  for (const Ended* one : {&escape, &overflow}) {
    EXPECT_TRUE(std::isfinite(one->state.position[0]));
    EXPECT_TRUE(std::isfinite(one->state.velocity[0]));
  }
  // x = 1.1/2 e^(10 t) + ...: the last good state is on it.
  const double t = overflow.state.time;
  EXPECT_NEAR(std::log(overflow.state.position[0]), std::log(0.55) + 10 * t, 1e-8 * t);
}

TEST(Endings, walls_that_close_in_on_a_ball_and_meet_are_named_with_the_time) {
  const auto between = [](const std::string& upper, const std::string& until) {
    return run(
        "[coordinates.x]\ninitial = 0\nvelocity = 1\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\n"
        "w = { condition = \"" +
        upper +
        "\", restitution = 1 }\nv = { condition = \"x >= -1 + 0.2*t\", restitution = 1 }\n[simulation]\n"
        "until = " +
        until + "\n");
  };
  // The gap 3 - 0.7 t times the speed stays about the same: infinitely many impacts before t = 30/7.
  const Ended met = between("2*x <= 4 - t", "5");
  EXPECT_EQ(met.status, Status::gave_up);
  EXPECT_NE(met.why.find("w and v close in on what bounces between them and meet at t = 4.285714286"),
            std::string::npos)
      << met.why;
  // An end before that is reached; and walls that come to rest before they meet end nothing.
  EXPECT_EQ(between("2*x <= 4 - t", "4.285").status, Status::finished);
  EXPECT_EQ(between("x <= 2 - 0.5*min(t, 4.2) + 0.2*max(t - 4.2, 0)", "5").status, Status::finished);
}

TEST(Endings, a_corner_struck_along_its_diagonal_shows_the_velocities_of_both_ways) {
  // Either side of the box turns one of the two velocities round, at the same cost.
  const Ended corner =
      run("[points.b]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 1]\n[constraints]\n"
          "box = { condition = \"b.x <= 0.8 or b.x >= 1.2 or b.y <= 0.8 or b.y >= 1.2\", restitution = 1 }\n"
          "[simulation]\nuntil = 3\n");
  EXPECT_EQ(corner.status, Status::singular);
  EXPECT_NEAR(corner.state.time, 0.8, 1e-12);
  expect_words(corner, {"several parts of box", "are struck at once", "b.x' = -1 or 1, b.y' = 1 or -1"});
  EXPECT_EQ(corner.why.find("hold the motion"), std::string::npos) << corner.why;
}

TEST(Endings, friction_by_a_root_ends_where_it_has_no_value) {
  const Ended ended = run(line("-sqrt(x'^2)/x'", 5));
  EXPECT_EQ(ended.status, Status::gave_up);
  EXPECT_NEAR(ended.state.position[0], 1.5, 1e-6);
  expect_words(ended, {"sign, abs or if", "acceleration of x"});
}

TEST(Endings, friction_by_a_quotient_or_an_angle_comes_to_rest_and_stays) {
  // Slowed down by a from the speed 1: at rest after 1/a, having gone 1/(2 a).
  const double right = std::acos(0.0);
  for (const auto& [force, a] : {std::pair<const char*, double>{"-x'/abs(x')", 1},
                                 {"-abs(x')/x'", 1},
                                 {"-x'^3/abs(x')^3", 1},
                                 {"-0.5*atan2(x', 0)", 0.5 * right},
                                 {"atan2(0, x') - 0.5*acos(-1)", right}}) {
    const Ended ended = run(line(force, 5));
    EXPECT_EQ(ended.status, Status::finished) << force << ended.why;
    EXPECT_EQ(ended.state.velocity[0], 0) << force;
    EXPECT_NEAR(ended.state.position[0], 1 + 1 / (2 * a), 1e-12) << force;
  }
}

TEST(Endings, a_fall_into_a_centre_of_attraction_is_not_told_as_friction) {
  const Ended ended =
      run("[points.p]\nmass = 1\nposition = [1, 0]\nforce = \"-p/norm(p)^3\"\n[simulation]\nuntil = 3\n");
  EXPECT_EQ(ended.status, Status::gave_up);
  // From rest at r the fall takes pi sqrt(r^3 / 8).
  EXPECT_NEAR(ended.state.time, std::acos(-1.0) / std::sqrt(8.0), 1e-9);
  expect_words(ended, {"where they meet", "softened"});
  EXPECT_EQ(ended.why.find("friction"), std::string::npos) << ended.why;
}

TEST(Endings, a_stiff_model_is_told_before_it_takes_long) {
  constexpr std::uint64_t first_steps = 5000;
  const Ended stiff = run(line("-1e6*x' + 1e6*sin(t)", 10), first_steps);
  EXPECT_EQ(stiff.status, Status::going);
  EXPECT_NE(stiff.foretold.find("steps"), std::string::npos);
  EXPECT_NE(stiff.foretold.find("acceleration of x"), std::string::npos);
  EXPECT_EQ(run(line("-x", 100)).foretold, "");
}

TEST(Endings, a_force_beyond_numbers_or_without_a_power_series_says_what_to_write_instead) {
  const Ended large = run(line("exp(t/0.001)/(1 + exp(t/0.001))", 2));
  EXPECT_EQ(large.status, Status::gave_up);
  expect_words(large, {"exp, cosh or sinh is beyond what numbers hold", "(1 + tanh(u/2))/2"});
  EXPECT_EQ(run(line("(1 + tanh(t/0.002))/2", 2)).status, Status::finished);
  const Ended bump = run(line("exp(-1/(x - 2)^2)", 2));
  EXPECT_EQ(bump.status, Status::gave_up);
  expect_words(bump, {"no power series here", "if(abs(x) > 0.04, exp(-1/x^2), 0)"});
  EXPECT_EQ(run(line("if(abs(x - 2) > 0.04, exp(-1/(x - 2)^2), 0)", 2)).status, Status::finished);
}

TEST(Endings, energies_beyond_numbers_are_no_finished_motion) {
  const model::Model model = model::load(
      "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 1]\nvelocity = [1e155, 0]\n[constraints]\n"
      "f = { condition = \"a.y >= 0\", restitution = 0.5 }\n[simulation]\nuntil = 2\n",
      "fast.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  EXPECT_EQ(motion.status, Status::gave_up);
}

}  // namespace zwang::motion::endings_tests
