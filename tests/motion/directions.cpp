/// Dry friction in a plane and in space: a force against the direction of a speed, which has none at rest.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "zwang/base/number.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::direction_tests {

namespace {

struct Rubbed {
  Status status = Status::going;
  std::string why;
  model::State state;
  std::vector<std::string> kinds;
  std::vector<double> times;
  double off = 0;  ///< of the account of energy
};

Rubbed rub(const std::string& text) {
  const model::Model model = model::compile(model::read(text, "rubbed.toml"));
  Motion motion = begin(model);
  Rubbed out;
  while (advance(motion)) {
    for (const Event& event : motion.events) {
      out.kinds.emplace_back(words(event.kind));
      out.times.push_back(event.time);
    }
  }
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  out.off = motion.energy.defect();
  return out;
}

std::string block(const std::string& velocity, const std::string& force, const std::string& until,
                  const std::string& besides = "") {
  return "[points.p]\nmass = 1\nposition = [0, 0]\nvelocity = [" + velocity + "]\nforce = \"" + force + "\"\n" +
         besides + "[simulation]\nuntil = " + until + "\n";
}

using Kinds = std::vector<std::string>;
constexpr double exact = 1e-12;

}  // namespace

TEST(Directions, on_a_line_they_are_the_sign_of_the_speed) {
  // A spring, a pull that swings; along (0.6, 0.8), (1, 0) and (-0.28, 0.96).
  const std::string pull = "1.7*sin(1.3*t)";
  const Rubbed line = rub("[coordinates.x]\ninitial = 0\nvelocity = 2\nforce = \"-1.2*sign(x') + " + pull +
                          "\"\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n[simulation]\nuntil = 12\n");
  ASSERT_EQ(line.status, Status::finished) << line.why;
  ASSERT_GE(line.kinds.size(), 4U);
  for (const auto& [x, y] : {std::pair("0.6", "0.8"), std::pair("1", "0"), std::pair("-0.28", "0.96")}) {
    const std::string e = std::string("[") + x + ", " + y + "]";
    const Rubbed plane =
        rub(block(std::string("\"2*") + x + "\", \"2*" + y + "\"", "-1.2*p'/norm(p') - p + " + pull + "*" + e, "12"));
    ASSERT_EQ(plane.status, Status::finished) << plane.why;
    EXPECT_EQ(plane.kinds, line.kinds);
    ASSERT_EQ(plane.times.size(), line.times.size());
    for (std::size_t k = 0; k < line.times.size(); ++k) EXPECT_NEAR(plane.times[k], line.times[k], exact) << e;
    for (int i = 0; i < 2; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double part = std::stod(i == 0 ? x : y);
      EXPECT_NEAR(plane.state.position[at], part * line.state.position[0], exact) << e;
      EXPECT_NEAR(plane.state.velocity[at], part * line.state.velocity[0], exact) << e;
    }
    EXPECT_NEAR(plane.off, 0, exact);
  }
}

TEST(RootsOfSpeeds, bring_to_rest_in_finite_time) {
  // v' = -sqrt(v): v = (sqrt(v0) - t/2)^2, gone 2/3 v0^1.5; and v' = -v^p: v0^(1-p) - (1 - p) t, gone v0^(2-p)/(2 - p).
  for (const auto& [force, p] : std::vector<std::pair<std::string, double>>{
           {"-sqrt(abs(x'))*sign(x')", 0.5}, {"-abs(x')^0.75*sign(x')", 0.75}, {"-abs(x')^0.3*sign(x')", 0.3}}) {
    for (const double v : {1.0, -2.25}) {
      const Rubbed found = rub("[coordinates.x]\ninitial = 0\nvelocity = " + std::to_string(v) + "\nforce = \"" +
                               force + "\"\n[energy]\nkinetic = \"x'^2/2\"\n[simulation]\nuntil = 20\n");
      EXPECT_EQ(found.status, Status::finished) << force << found.why;
      EXPECT_EQ(found.state.velocity[0], 0) << force;
      EXPECT_NEAR(found.state.position[0], (v > 0 ? 1 : -1) * std::pow(std::abs(v), 2 - p) / (2 - p), 1e-11) << force;
    }
  }
  // Against a wall on the way.
  const Rubbed wall = rub(
      "[coordinates.x]\ninitial = 0\nvelocity = 1\nforce = \"-sqrt(abs(x'))*sign(x')\"\n[energy]\nkinetic = "
      "\"x'^2/2\"\n[constraints]\nwall = { condition = \"x <= 0.5\", restitution = 0.5 }\n[simulation]\nuntil = 9\n");
  EXPECT_EQ(wall.status, Status::finished) << wall.why;
  // At the wall v^1.5 = 1 - 3/4, half of it comes back: 2/3 (v/2)^1.5 = 1/6 * 2^-1.5.
  EXPECT_NEAR(wall.state.position[0], 0.5 - std::pow(0.5, 1.5) / 6, 1e-11);
  EXPECT_EQ(wall.state.velocity[0], 0);
}

TEST(RootsOfSpeeds, bring_to_rest_in_a_plane_and_in_space) {
  // v' = -v |v|^-p is v' = -v^(1-p) along its line: gone after v^(1+p) / (1 + p), and at rest from then on.
  struct Case {
    std::string model;
    double p, speed;
    std::vector<double> along;
  };
  const auto point = [](const std::string& velocity, const std::string& force, const std::string& place) {
    return "[points.p]\nmass = 1\nposition = " + place + "\nvelocity = " + velocity + "\nforce = \"" + force + "\"\n";
  };
  const std::vector<Case> cases = {
      {point("[0.6, 0.8]", "-p'/sqrt(norm(p'))", "[0, 0]"), 0.5, 1, {0.6, 0.8}},
      {point("[0.3, 0.4]", "-p'/sqrt(norm(p'))", "[0, 0]"), 0.5, 0.5, {0.6, 0.8}},
      {point("[1, 2, -2]", "-p'*norm(p')^-0.3", "[0, 0, 0]"), 0.3, 3, {1.0 / 3, 2.0 / 3, -2.0 / 3}},
      {"[coordinates.x]\ninitial = 0\nvelocity = 3\nforce = \"-x'/(x'^2 + y'^2)^0.4\"\n[coordinates.y]\ninitial = "
       "0\nvelocity = -4\nforce = \"-y'/(x'^2 + y'^2)^0.4\"\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n",
       0.8,
       5,
       {0.6, -0.8}},
      {point("[1.2, 1.6]", "-p'/sqrt(norm(p'))", "[0, 0]") + "[constraints]\nrail = \"0.8*p.x - 0.6*p.y = 0\"\n",
       0.5,
       2,
       {0.6, 0.8}}};
  for (const Case& one : cases) {
    const Rubbed found = rub(one.model + "[simulation]\nuntil = 20\n");
    ASSERT_EQ(found.status, Status::finished) << one.model << found.why;
    const double way = std::pow(one.speed, 1 + one.p) / (1 + one.p);
    for (std::size_t i = 0; i < one.along.size(); ++i) {
      EXPECT_NEAR(found.state.position[i], way * one.along[i], 1e-11) << one.model;
      EXPECT_EQ(found.state.velocity[i], 0) << one.model;
    }
  }
}

TEST(RootsOfSpeeds, are_passed_where_the_speed_turns) {
  // Thrown up with 3 against gravity and the drag sqrt(v), followed until it falls with 4: with v = u^2 times are integrals of 2 u / (g +- u), ways of 2 u^3 / (g +- u).
  constexpr double g = 9.81;
  const auto time = [](double u, double sign) { return 2 * sign * (u - sign * g * std::log1p(sign * u / g)); };
  const auto way = [](double u, double sign) {
    return 2 * sign * (u * u * u / 3 - sign * g * u * u / 2 + g * g * u - sign * g * g * g * std::log1p(sign * u / g));
  };
  const double up = std::sqrt(3.0);
  std::ostringstream until;
  until.precision(17);
  until << time(up, 1) + time(2, -1);
  const Rubbed thrown =
      rub("[points.p]\nmass = 1\nposition = [0, 0, 0]\nvelocity = [0, 0, 3]\nforce = \"-p'/sqrt(norm(p')) + [0, 0, "
          "-9.81]\"\n[simulation]\nuntil = " +
          until.str() + "\n");
  ASSERT_EQ(thrown.status, Status::finished) << thrown.why;
  EXPECT_NEAR(thrown.state.velocity[2], -4, 1e-10);
  EXPECT_NEAR(thrown.state.position[2], way(up, 1) - way(2, -1), 1e-10);
  EXPECT_EQ(thrown.state.position[0], 0);
}

TEST(RootsOfSpeeds, let_a_load_start_from_rest) {
  // A constant load 1: v = u^2, t = -2 (u + ln(1 - u)), x = -2 (u^3/3 + u^2/2 + u + ln(1 - u)), up to u = 0.6.
  const double u = 0.6;
  std::ostringstream until;
  until.precision(17);
  until << -2 * (u + std::log1p(-u));
  const std::string end = "[simulation]\nuntil = " + until.str() + "\n";
  const double way = -2 * (u * u * u / 3 + u * u / 2 + u + std::log1p(-u));
  const Rubbed plane =
      rub("[points.p]\nmass = 1\nposition = [0, 0]\nforce = \"[0.6, 0.8] - p'/sqrt(norm(p'))\"\n" + end);
  ASSERT_EQ(plane.status, Status::finished) << plane.why;
  EXPECT_NEAR(plane.state.position[0], 0.6 * way, 1e-11);
  EXPECT_NEAR(plane.state.velocity[1], 0.8 * u * u, 1e-11);
  const Rubbed line = rub(
      "[coordinates.x]\ninitial = 0\nforce = \"1 - sqrt(abs(x'))*sign(x')\"\n[energy]\nkinetic = \"x'^2/2\"\n" + end);
  ASSERT_EQ(line.status, Status::finished) << line.why;
  EXPECT_NEAR(line.state.position[0], way, 1e-11);
  // A load that grows as t: v = t^2/4, since t/2 = t - t/2; also after it has come to rest, 2/3 * 0.5^1.5 from the start, and the load begins at 3.
  const Rubbed grows =
      rub("[points.p]\nmass = 1\nposition = [0, 0]\nforce = \"[t, 0] - p'/sqrt(norm(p'))\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(grows.status, Status::finished) << grows.why;
  EXPECT_NEAR(grows.state.velocity[0], 1, 1e-11);
  EXPECT_NEAR(grows.state.position[0], 8.0 / 12, 1e-11);
  const Rubbed later = rub(block("0.3, 0.4", "-p'/sqrt(norm(p')) + [max(0, t - 3), 0]", "5"));
  ASSERT_EQ(later.status, Status::finished) << later.why;
  const double rest = 2.0 / 3 * std::pow(0.5, 1.5);
  EXPECT_NEAR(later.state.position[0], 0.6 * rest + 8.0 / 12, 1e-11);
  EXPECT_NEAR(later.state.position[1], 0.8 * rest, 1e-11);
  EXPECT_NEAR(later.state.velocity[0], 1, 1e-11);
  // What drives instead leaves rest whenever it likes.
  const Rubbed driven = rub(block("0, 0", "p'/sqrt(norm(p'))", "3"));
  EXPECT_EQ(driven.status, Status::singular);
  EXPECT_NE(driven.why.find("t^2"), std::string::npos) << driven.why;
}

TEST(RootsOfSpeeds, a_gust_takes_along_what_is_at_rest_in_it) {
  // Wind u t: of z = u t - v there is z' = U - k z^2, z = sqrt(U/k) tanh(sqrt(U k) t), and x = U t^2/2 - ln(cosh(sqrt(U k) t))/k.
  constexpr double k = 0.3;
  const auto run = [&](const std::string& wind, const std::string& simulation, const std::string& besides = "") {
    return rub("[points.p]\nmass = 1\nposition = [3, 0]\nforce = \"-0.3*norm(p' - " + wind + ")*(p' - " + wind +
               ")\"\n" + besides + "[simulation]\n" + simulation);
  };
  const auto expect = [&](const Rubbed& found, double x, double y, double t) {
    ASSERT_EQ(found.status, Status::finished) << found.why;
    const double size = std::hypot(x, y);
    const double rate = std::sqrt(size * k);
    const double speed = size * t - std::sqrt(size / k) * std::tanh(rate * t);
    const double way = size * t * t / 2 - std::log(std::cosh(rate * t)) / k;
    EXPECT_NEAR(found.state.position[0], 3 + way * x / size, 1e-10);
    EXPECT_NEAR(found.state.position[1], way * y / size, 1e-10);
    EXPECT_NEAR(found.state.velocity[0], speed * x / size, 1e-10);
  };
  expect(run("[t, 0.5*t]", "until = 6\n"), 1, 0.5, 6);
  expect(run("[max(0, t-5)*0.6, max(0, t-5)*0.8]", "until = 8\n"), 0.6, 0.8, 3);
  expect(run("[t - 7, 0]", "start = 7\nuntil = 9\n"), 1, 0, 2);
  expect(run("[t, 0]", "until = 3\n", "[constraints]\nfloor = \"p.y >= 0\"\n"), 1, 0, 3);
  // It comes and goes: the same along a line, where |w| is a corner.
  const Rubbed plane = run("[sin(t), 0]", "until = 9\n");
  const Rubbed line =
      rub("[coordinates.x]\ninitial = 3\nforce = \"-0.3*abs(x' - sin(t))*(x' - sin(t))\"\n[energy]\nkinetic = "
          "\"x'^2/2\"\n[simulation]\nuntil = 9\n");
  ASSERT_EQ(plane.status, Status::finished) << plane.why;
  ASSERT_EQ(line.status, Status::finished) << line.why;
  EXPECT_NEAR(plane.state.position[0], line.state.position[0], 1e-11);
  EXPECT_NEAR(plane.state.velocity[0], line.state.velocity[0], 1e-11);
}

TEST(Directions, what_is_loaded_to_the_bound_and_no_further_does_not_slip) {
  for (const std::string& text :
       {std::string("[coordinates.x]\ninitial = 0\nforce = \"sin(t) - sign(x')\"\n[energy]\nkinetic = \"x'^2/2\"\n"),
        std::string("[points.p]\nmass = 1\nposition = [0, 0]\nforce = \"[0.6*sin(t), 0.8*sin(t)] - p'/norm(p')\"\n")}) {
    const Rubbed found = rub(text + "[simulation]\nuntil = 6\n");
    EXPECT_EQ(found.status, Status::finished) << found.why;
    EXPECT_EQ(found.kinds, Kinds{}) << text;
    EXPECT_EQ(found.state.position[0], 0);
  }
}

TEST(Directions, a_block_thrown_across_a_slope_turns_down_and_stops) {
  // With F down the slope, u = tan of half the angle between velocity and slope, n = mu/F: |v| = C u^n / sin, and time and way are sums of powers of u.
  const double n = 2;
  const double u = 0.5;
  const double c = 16;
  const Rubbed found = rub(block("3, 4", "-2*p'/norm(p') + [1, 0]", "6"));
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_EQ(found.kinds, Kinds{"stick"});
  EXPECT_NEAR(found.times[0], c / 2 * (std::pow(u, n - 1) / (n - 1) + std::pow(u, n + 1) / (n + 1)), exact);
  EXPECT_NEAR(found.state.position[0],
              c * c / 4 * (std::pow(u, 2 * n - 2) / (2 * n - 2) - std::pow(u, 2 * n + 2) / (2 * n + 2)), exact);
  EXPECT_NEAR(found.state.position[1],
              c * c / 2 * (std::pow(u, 2 * n - 1) / (2 * n - 1) + std::pow(u, 2 * n + 1) / (2 * n + 1)), exact);
  EXPECT_EQ(found.state.velocity[0], 0);
  EXPECT_EQ(found.state.velocity[1], 0);
  EXPECT_NEAR(found.off, 0, exact);
}

TEST(Directions, on_a_steep_slope_it_never_stops) {
  // n = 1/2: the time at which u has fallen to half of what it was, and the speed there.
  const double n = 0.5;
  const double c = 5 * 0.8 / std::pow(0.5, n);
  const auto time = [&](double u) { return c / 4 * (std::pow(u, n - 1) / (n - 1) + std::pow(u, n + 1) / (n + 1)); };
  const double u = 0.25;
  const double late = time(0.5) - time(u);
  const double sine = 2 * u / (1 + u * u);
  const double speed = c * std::pow(u, n) / sine;
  const Rubbed found = rub(block("3, 4", "-p'/norm(p') + [2, 0]", readable(late, 17)));
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_TRUE(found.kinds.empty());
  EXPECT_NEAR(found.state.velocity[1], speed * sine, 1e-11);
  EXPECT_NEAR(found.state.velocity[0], speed * (1 - u * u) / (1 + u * u), 1e-11);
}

TEST(Directions, at_rest_the_load_decides) {
  const Rubbed held = rub(block("0, 0", "-2*p'/norm(p') + [1.2, 1.5]", "5"));
  ASSERT_EQ(held.status, Status::finished) << held.why;
  EXPECT_TRUE(held.kinds.empty());
  EXPECT_EQ(held.state.position[0], 0);
  EXPECT_EQ(held.state.position[1], 0);
  const Rubbed loose = rub(block("0, 0", "-2*p'/norm(p') + [1.8, 2.4]", "5"));
  ASSERT_EQ(loose.status, Status::finished) << loose.why;
  EXPECT_NEAR(loose.state.position[0], 7.5, exact);
  EXPECT_NEAR(loose.state.position[1], 10, exact);
}

TEST(Directions, thrown_up_a_steep_slope_it_turns_at_once) {
  // Up against 5 and 2, at rest after 5/7, then down with 5 - 2.
  const Rubbed found = rub(block("3, 4", "-2*p'/norm(p') - [3, 4]", "2"));
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_EQ(found.kinds, Kinds{"switch"});
  EXPECT_NEAR(found.times[0], 5.0 / 7, exact);
  const double way = 25.0 / 14 - 1.5 * (2 - 5.0 / 7) * (2 - 5.0 / 7);
  EXPECT_NEAR(found.state.position[0], 0.6 * way, exact);
  EXPECT_NEAR(found.state.position[1], 0.8 * way, exact);
}

TEST(Directions, a_pull_that_turns_and_grows_leads_away) {
  // Reference: polar coordinates of the speed, Radau IIA with 4000 and 8000 steps from two beginnings, equal to 5e-14.
  const Rubbed found = rub(block("0, 0", "-2*p'/norm(p') + t*[cos(t/2), sin(t/2)]", "5"));
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_EQ(found.kinds, Kinds{"slip"});
  EXPECT_NEAR(found.times[0], 2, exact);
  EXPECT_NEAR(found.state.position[0], -1.41017121988526, exact);
  EXPECT_NEAR(found.state.position[1], 4.05823176203486, exact);
  EXPECT_NEAR(found.state.velocity[0], -2.48045806360343, exact);
  EXPECT_NEAR(found.state.velocity[1], 3.54031099693851, exact);
  EXPECT_NEAR(found.off, 0, exact);
}

TEST(Directions, a_belt_carries_what_has_come_to_rest_on_it) {
  // Without another force: it slides to rest on the belt on a line, then goes with it.
  const Rubbed found = rub(block("3.5, 4.2", "-2*(p' - [0.5, 0.2])/norm(p' - [0.5, 0.2])", "4"));
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_EQ(found.kinds, Kinds{"stick"});
  EXPECT_NEAR(found.times[0], 2.5, exact);
  EXPECT_NEAR(found.state.position[0], 0.6 * 6.25 + 0.5 * 4, exact);
  EXPECT_NEAR(found.state.position[1], 0.8 * 6.25 + 0.2 * 4, exact);
  EXPECT_NEAR(found.state.velocity[0], 0.5, exact);
  EXPECT_NEAR(found.state.velocity[1], 0.2, exact);
}

TEST(Directions, a_bead_on_a_wire_rubs_along_it) {
  const Rubbed angle =
      rub("[coordinates.a]\ninitial = 0\nvelocity = 2\nforce = \"-1.5*sign(a') + (0.9*t - 0.3)*cos(a)\"\n[energy]\n"
          "kinetic = \"a'^2/2\"\n[simulation]\nuntil = 3.5\n");
  ASSERT_EQ(angle.status, Status::finished) << angle.why;
  const Rubbed bead =
      rub("[points.p]\nmass = 1\nposition = [1, 0]\nvelocity = [0, 2]\nforce = \"-1.5*p'/norm(p') + [0, 0.9*t - "
          "0.3]\"\n[constraints]\nwire = \"p.x^2 + p.y^2 = 1\"\n[simulation]\nuntil = 3.5\n");
  ASSERT_EQ(bead.status, Status::finished) << bead.why;
  EXPECT_EQ(bead.kinds, angle.kinds);
  for (std::size_t k = 0; k < bead.times.size() && k < angle.times.size(); ++k)
    EXPECT_NEAR(bead.times[k], angle.times[k], 1e-11);
  EXPECT_NEAR(bead.state.position[0], std::cos(angle.state.position[0]), 1e-11);
  EXPECT_NEAR(bead.state.position[1], std::sin(angle.state.position[0]), 1e-11);
}

TEST(Directions, a_wall_takes_what_it_can_bear) {
  const std::string wall = "[constraints]\nwall = \"p.x <= 0\"\n";
  // Pushed against the wall all the time: friction holds the other direction alone, up to 2.
  const Rubbed pressed = rub(block("0, 0", "-2*p'/norm(p') + [3, 0.5*t]", "6", wall));
  ASSERT_EQ(pressed.status, Status::finished) << pressed.why;
  EXPECT_EQ(pressed.kinds, Kinds{"slip"});
  EXPECT_NEAR(pressed.times[0], 4, exact);
  EXPECT_NEAR(pressed.state.position[0], 0, exact);
  EXPECT_NEAR(pressed.state.position[1], 8.0 / 12, exact);
  // Pulled away from it later: (1 - t/2)^2 + (t/2)^2 = 4.
  const Rubbed pulled = rub(block("0, 0", "-2*p'/norm(p') + [1 - 0.5*t, 0.5*t]", "4", wall));
  ASSERT_EQ(pulled.status, Status::finished) << pulled.why;
  // Friction holds it at the wall, until both let go.
  EXPECT_EQ(pulled.kinds, (Kinds{"slip", "release"}));
  EXPECT_NEAR(pulled.times.back(), 1 + std::sqrt(7.0), exact);
  EXPECT_LT(pulled.state.position[0], 0);
}

TEST(Directions, two_blocks_on_a_rod_hold_together) {
  const std::string both =
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-2*a'/norm(a')\"\n[points.b]\nmass = 3\nposition = [0.6, "
      "0.8]\nforce = \"-b'/norm(b') + 0.5*t*[0.6, 0.8]\"\n[constraints]\nrod = \"distance(a, b) = 1\"\n[simulation]\n"
      "until = 8\n";
  // Along the rod: both slip when the pull is 3, at t = 6, and move as one.
  const Rubbed found = rub(both);
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_EQ(found.kinds, Kinds{"slip"});
  // The share of the rod is found anew until none of the two has room, to 4e-11 of it.
  EXPECT_NEAR(found.times[0], 6, 1e-10);
  EXPECT_NEAR(found.state.position[0], 0.6 * 0.5 * 8 / 6 / 4, exact);
  EXPECT_NEAR(found.state.position[3], 0.8 + 0.8 * 0.5 * 8 / 6 / 4, exact);
}

TEST(Directions, blocks_that_push_each_other_by_dependent_conditions_slip_together) {
  // The second condition is no copy of the first. Frictions 1 and 2: both go when the push 6t is 3, and with half of what is more.
  const Rubbed found = rub(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-a'/norm(a') + [6*t, 0]\"\n[points.b]\nmass = 1\nposition = "
      "[1, 0]\nforce = \"-2*b'/norm(b')\"\n[constraints]\nf = \"b.x - a.x >= 1\"\ng = \"(b.x - a.x - 1)^3 + (b.x - a.x "
      "- 1) >= 0\"\n[simulation]\nuntil = 1\n");
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_EQ(found.kinds, Kinds{"slip"});
  EXPECT_NEAR(found.times[0], 0.5, 1e-10);
  EXPECT_NEAR(found.state.position[0], 3 * 0.125 / 6, exact);
  EXPECT_NEAR(found.state.position[2], 1 + 3 * 0.125 / 6, exact);
}

TEST(Directions, a_bead_on_a_slanting_wire_slips_when_its_part_of_the_pull_is_large_enough) {
  // Of the pull t along x the wire leaves 0.8 t: slip at 1.25, then s' = 0.8 t - 1.
  const Rubbed found = rub(block("0, 0", "-p'/norm(p') + [t, 0]", "3", "[constraints]\nwire = \"p.y = 0.75*p.x\"\n"));
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_EQ(found.kinds, Kinds{"slip"});
  EXPECT_NEAR(found.times[0], 1.25, exact);
  const double late = 3 - 1.25;
  EXPECT_NEAR(found.state.position[0], 0.8 * 0.8 * late * late * late / 6, exact);
  EXPECT_NEAR(found.state.velocity[1], 0.6 * 0.8 * late * late / 2, exact);
}

TEST(Directions, in_space_and_in_coordinates) {
  const Rubbed space = rub(
      "[points.p]\nmass = 2\nposition = [0, 0, 0]\nvelocity = [2, 3, 6]\nforce = \"-p'/norm(p')\"\n[simulation]\nuntil "
      "= 20\n");
  ASSERT_EQ(space.status, Status::finished) << space.why;
  EXPECT_EQ(space.kinds, Kinds{"stick"});
  EXPECT_NEAR(space.times[0], 14, exact);
  EXPECT_NEAR(space.state.position[2], 42, 1e-11);
  // The slope of before, in two coordinates.
  const Rubbed apart = rub(
      "[coordinates.x]\ninitial = 0\nvelocity = 3\nforce = \"1 - 2*x'/sqrt(x'^2 + y'^2)\"\n[coordinates.y]\ninitial = "
      "0\nvelocity = 4\nforce = \"-2*y'/sqrt(x'^2 + y'^2)\"\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[simulation]\n"
      "until = 6\n");
  ASSERT_EQ(apart.status, Status::finished) << apart.why;
  EXPECT_EQ(apart.kinds, Kinds{"stick"});
  EXPECT_NEAR(apart.times[0], 13.0 / 3, exact);
  EXPECT_NEAR(apart.state.position[0], 7 + 5.0 / 6, exact);
}

TEST(Directions, speeds_that_share_a_part_are_refused) {
  const Rubbed found = rub(block("0, 0", "-2*p'/norm(p') - [sign(p.x'), 0]", "5"));
  EXPECT_EQ(found.status, Status::refused);
  EXPECT_NE(found.why.find("norm of the same vector"), std::string::npos) << found.why;
}

TEST(Directions, alternatives_out_of_reach_leave_friction_alone) {
  // A load 4 t against friction 1, in a plane and on a line: at rest until 1/4, then x = 2/3 (t - 1/4)^3.
  const std::string walls = "[constraints]\nw = \"p.x <= 50 or p.y >= 2\"\n";
  const double wanted = 0.28125;
  const Rubbed held = rub(block("0, 0", "-p'/norm(p') + [0.5, 0]", "1", walls));
  ASSERT_EQ(held.status, Status::finished) << held.why;
  EXPECT_EQ(held.state.position[0], 0);
  const Rubbed plane = rub(block("0, 0", "-p'/norm(p') + [4*t, 0]", "1", walls));
  ASSERT_EQ(plane.status, Status::finished) << plane.why;
  EXPECT_EQ(plane.kinds, Kinds{"slip"});
  EXPECT_NEAR(plane.state.position[0], wanted, exact);
  const Rubbed line =
      rub("[coordinates.x]\ninitial = 0\nforce = \"-sign(x') + 4*t\"\n[energy]\nkinetic = \"x'^2/2\"\n"
          "[constraints]\nf = \"x <= 50 or x >= 60\"\n[simulation]\nuntil = 1\n");
  ASSERT_EQ(line.status, Status::finished) << line.why;
  EXPECT_NEAR(line.state.position[0], wanted, exact);
}

TEST(Directions, friction_in_a_part_of_a_speed_where_nothing_pushes_is_refused) {
  const Rubbed rubbed = rub(block("0, 0", "[-0.5*p.x'/norm(p') + 0.4, t]", "2"));
  EXPECT_EQ(rubbed.status, Status::refused);
  EXPECT_NE(rubbed.why.find("has no size here"), std::string::npos) << rubbed.why;
  // A floor that carries the weight keeps its direction as well as friction would.
  const Rubbed puck =
      rub("gravity = [0, 0, -10]\n[points.p]\nmass = 1\nposition = [0, 0, 0]\nvelocity = [1, 0.5, 0]\n"
          "force = [\"-2*p.x'/norm(p')\", \"-2*p.y'/norm(p')\", \"0\"]\n[constraints]\nfloor = \"p.z >= 0\"\n"
          "[simulation]\nuntil = 2\n");
  ASSERT_EQ(puck.status, Status::finished) << puck.why;
  EXPECT_EQ(puck.kinds, Kinds{"stick"});
  EXPECT_NEAR(puck.times[0], std::sqrt(1.25) / 2, exact);
}

}  // namespace zwang::motion::direction_tests
