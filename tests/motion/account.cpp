/// The account of energy closes as well as the steps are good, whatever depends on time.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "zwang/base/number.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::account_tests {

namespace {

struct Ran {
  Status status = Status::going;
  std::string why;
  model::State state;
  EnergyBalance energy;
};

Ran run(const std::string& text) {
  const model::Model model = model::load(text, "account.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  return {motion.status, motion.why, motion.state, motion.energy};
}

/// What may be missing, in tolerances of the largest energy: one per step of a short motion, where a thousand would be allowed.
constexpr double tolerances_missing = 10;

void expect_closed(const Ran& ran, double tolerance, const std::string& text) {
  ASSERT_EQ(ran.status, Status::finished) << ran.why << "\n" << text;
  EXPECT_LE(std::abs(ran.energy.defect()), tolerances_missing * tolerance * ran.energy.largest) << text;
}

}  // namespace

TEST(Account, gravity_that_swings_does_the_work_of_its_potential) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 60; ++k) {
    const double size = 0.5 + 4 * uniform(random);
    const double pace = 0.3 + 5 * uniform(random);
    const double phase = 6 * uniform(random);
    const double mass = 0.1 + 4 * uniform(random);
    const double y = 600 * (uniform(random) - 0.5);
    const double v = 60 * (uniform(random) - 0.5);
    const double until = k % 2 == 0 ? 10 : 300;
    const double tolerance = k % 3 == 0 ? 1e-6 : 1e-12;
    const std::string text = "gravity = [0, \"" + exact(size) + "*sin(" + exact(pace) + "*t + " + exact(phase) +
                             ")\"]\n[points.p]\nmass = " + exact(mass) + "\nposition = [0, " + exact(y) +
                             "]\nvelocity = [1, " + exact(v) + "]\n[simulation]\nuntil = " + exact(until) +
                             "\ntolerance = " + exact(tolerance) + "\n";
    const Ran ran = run(text);
    expect_closed(ran, tolerance, text);

    // y' = v + A (cos c - cos(w t + c)) / w, and int V_t = -m A w int cos(w t + c) y dt in closed form.
    const double end = pace * until + phase;
    const double speed = v + size * (std::cos(phase) - std::cos(end)) / pace;
    const double drift = v + size * std::cos(phase) / pace;
    const double place = y + drift * until - size * (std::sin(end) - std::sin(phase)) / (pace * pace);
    const double scale = 1e3 * tolerance * (std::abs(y) + std::abs(drift) * until + size);
    EXPECT_NEAR(ran.state.velocity[1], speed, 1e3 * tolerance * (std::abs(v) + size / pace)) << text;
    EXPECT_NEAR(ran.state.position[1], place, scale) << text;
    const double work =
        mass * (speed * speed - v * v) / 2 - mass * size * (std::sin(end) * place - std::sin(phase) * y);
    EXPECT_NEAR(ran.energy.work, work, 1e3 * tolerance * ran.energy.largest) << text;
  }
}

TEST(Account, springs_and_masses_that_change_with_time_are_counted) {
  for (const char* more : {
           "[energy]\nkinetic = \"x'^2/2 + y'^2/2\"\npotential = \"(2 + sin(3*t))*(x^2 + y^2)/2 + exp(-(t - "
           "4)^2)*x*y\"\n",
           "[energy]\nkinetic = \"(1 + 0.5*sin(2*t))*(x'^2 + y'^2)/2 + sin(t)*x'*y\"\npotential = \"(x^2 + y^2)/2\"\n",
           "[energy]\nkinetic = \"x'^2/2 + y'^2/2\"\npotential = \"sqrt(1 + (x - 2*sin(t))^2 + y^2) + x^4/4\"\n",
           "[energy]\nkinetic = \"x'^2/2 + y'^2/2\"\npotential = \"(x - t)^2/2\"\n[constraints]\nv = \"y' = "
           "0.3*cos(t)*x\"\n",
           "[energy]\nkinetic = \"x'^2/2 + y'^2/2\"\npotential = \"9.81*y\"\n[constraints]\nfloor = { condition = \"y "
           ">= "
           "0.2*sin(x - 2*t) - 1\", restitution = 0.7 }\n",
           "[energy]\nkinetic = \"x'^2/2 + y'^2/2\"\npotential = \"9.81*y*(1 + 0.5*cos(t))\"\n[constraints]\nrod = "
           "\"(x - 0.1*sin(5*t)^2)^2 + y^2 = 0.25\"\n",
       }) {
    for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
      const bool moves = std::string(more).find("v = ") != std::string::npos;
      const std::string text = std::string("[coordinates.x]\ninitial = 0.3\n[coordinates.y]\ninitial = 0.4\n") +
                               (moves ? "velocity = 0.09\n" : "") + more +
                               "[simulation]\nuntil = 10\ntolerance = " + exact(tolerance) + "\n";
      expect_closed(run(text), tolerance, text);
    }
  }
}

TEST(Account, a_fast_body_far_away_does_not_hide_what_a_small_shock_loses) {
  const std::string ball = "[points.a]\nmass = 1\nposition = [0.5, 0]\nvelocity = [-0.001, 0]\n";
  const std::string far = "[points.far]\nmass = 1e6\nposition = [0, 100]\nvelocity = [1e5, 0]\n";
  const std::string rest = "[constraints]\nwall = \"a.x >= 0\"\n[simulation]\nuntil = 1000\n";
  for (const std::string& text : {ball + rest, ball + far + rest}) {
    const Ran ran = run(text);
    ASSERT_EQ(ran.status, Status::finished) << ran.why;
    EXPECT_NEAR(ran.energy.lost, 0.5e-6, 1e-21) << text;
  }
}

/// A body that rests, seen from a frame that turns: x = R cos w t, y = -R sin w t, T = 0 with T_2 = -T_1/2 = T_0 = m (w R)^2 / 2. Its energy T_2 - T_0
/// is the difference of these, and known to a rounding of them, not of T.
TEST(Account, a_body_at_rest_seen_from_a_merry_go_round_loses_nothing) {
  for (const double w : {0.7, -3.1}) {
    for (const double radius : {1.0, 250.0}) {
      const std::string text = "[parameters]\nw = " + exact(w) + "\n[coordinates.x]\ninitial = " + exact(radius) +
                               "\nvelocity = 0\n[coordinates.y]\ninitial = 0\nvelocity = \"-w*" + exact(radius) +
                               "\"\n[energy]\nkinetic = \"((x' - w*y)^2 + (y' + w*x)^2)/2\"\n[simulation]\nuntil = 5\n";
      const Ran ran = run(text);
      ASSERT_EQ(ran.status, Status::finished) << ran.why << "\n" << text;
      EXPECT_NEAR(ran.state.position[0], radius * std::cos(w * 5), 1e-12 * radius);
      EXPECT_NEAR(ran.state.position[1], -radius * std::sin(w * 5), 1e-12 * radius);
    }
  }
}

}  // namespace zwang::motion::account_tests
