/// The estimated error of an end is of the order of the true one, for regular and for chaotic motions.
#include "zwang/motion/error_estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "zwang/model/read.hpp"

namespace zwang::motion::error_estimate_tests {

namespace {

using Wide = long double;  ///< eleven bits more than the motion's numbers: its error shows

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

struct Found {
  ErrorEstimate estimate;
  model::State end;
};

Found estimate(const std::string& text) {
  const model::Model model = model::load(text, "error.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  EXPECT_EQ(motion.status, Status::finished) << motion.why << "\n" << text;
  return {estimate_error(model, motion.state, motion.status), motion.state};
}

/// A third: the estimate may not be smaller than the true error by more. A thousand: in most cases it is not larger by more.
constexpr double least_part = 1.0 / 3;
constexpr double most_times = 1e3;

}  // namespace

// A point among four walls around a disc. Straight flights repeat their bits at any tolerance; the error grows with every bounce off the disc.
TEST(ErrorEstimate, is_of_the_order_of_the_true_error_in_a_billiard) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  int far_above = 0;
  constexpr int count = 40;
  for (int k = 0; k < count; ++k) {
    const double a = 1 + uniform(random);
    const double b = 1 + uniform(random);
    const double radius = 0.3 + 0.4 * uniform(random);
    const double x0 = 0.1 - a;
    const double y0 = uniform(random) - 0.5;
    const double u0 = 0.5 + 0.5 * uniform(random);
    const double v0 = 2 * uniform(random) - 1;
    const double until = 1 + 15 * uniform(random);
    const auto wall = [](const char* name, const char* condition, double at) {
      return std::string(name) + " = { condition = \"" + condition + number(at) + "\", restitution = 1 }\n";
    };
    const std::string text = "[points.p]\nmass = 1\nposition = [" + number(x0) + ", " + number(y0) + "]\nvelocity = [" +
                             number(u0) + ", " + number(v0) + "]\n[constraints]\n" + wall("east", "p.x <= ", a) +
                             wall("west", "p.x >= -", a) + wall("north", "p.y <= ", b) + wall("south", "p.y >= -", b) +
                             wall("disc", "distance(p, [0.125, 0.0625]) >= ", radius) +
                             "[simulation]\nuntil = " + number(until) + "\n";
    const Found found = estimate(text);

    // The same, flight by flight.
    Wide x = x0, y = y0, u = u0, v = v0, left = until;
    int last = 0;
    Wide extent = 0;
    while (left > 0) {
      Wide best = left;
      int what = 0;
      const auto offer = [&](Wide s, int kind) {
        if (kind != last && s < best) best = s, what = kind;
      };
      if (u != 0) offer(((u > 0 ? a : -a) - x) / u, u > 0 ? 1 : 2);
      if (v != 0) offer(((v > 0 ? b : -b) - y) / v, v > 0 ? 3 : 4);
      const Wide dx = x - 0.125L, dy = y - 0.0625L;
      const Wide closing = dx * u + dy * v, square = u * u + v * v;
      const Wide root = closing * closing - square * (dx * dx + dy * dy - Wide(radius) * radius);
      if (closing < 0 && root > 0) offer((-closing - std::sqrt(root)) / square, 5);
      x += best * u, y += best * v, left -= best, last = what;
      extent = std::max({extent, std::abs(x - x0), std::abs(y - y0)});
      if (what == 1 || what == 2) u = -u;
      if (what == 3 || what == 4) v = -v;
      if (what == 5) {
        const Wide nx = x - 0.125L, ny = y - 0.0625L;
        const Wide along = 2 * (nx * u + ny * v) / (nx * nx + ny * ny);
        u -= along * nx, v -= along * ny;
      }
      if (what == 0) break;
    }
    const double moved = std::max(std::abs(static_cast<double>(found.end.position[0] - x)),
                                  std::abs(static_cast<double>(found.end.position[1] - y))) /
                         static_cast<double>(extent);
    ASSERT_TRUE(found.estimate.known);
    EXPECT_GT(found.estimate.error, 0);
    EXPECT_GE(found.estimate.error, least_part * moved) << text;
    if (found.estimate.error > most_times * std::max(moved, 1e-16)) ++far_above;
  }
  EXPECT_LE(far_above, count / 10);
}

TEST(ErrorEstimate, is_of_the_order_of_the_true_error_of_a_swing) {
  // Blunt tolerances too, which are not taken as they are.
  for (const auto& [until, tolerance] :
       {std::pair{1.0, ""}, {30.0, ""}, {1000.0, ""}, {1000.0, "tolerance = 1e-3\n"}}) {
    const Found found = estimate(
        "[coordinates.x]\ninitial = 0.75\nvelocity = 0.5\n[energy]\nkinetic = \"x'^2/2\"\npotential = "
        "\"2*x^2\"\n[simulation]\nuntil = " +
        number(until) + "\n" + tolerance);
    const Wide x = 0.75L * std::cos(2 * Wide(until)) + 0.25L * std::sin(2 * Wide(until));
    const double off = std::abs(static_cast<double>(found.end.position[0] - x));
    EXPECT_GE(found.estimate.error, least_part * off / 1.6);
    EXPECT_LE(found.estimate.error, most_times * (off + 1e-15));
  }
}

TEST(ErrorEstimate, says_that_a_motion_has_forgotten_its_start) {
  const Found found = estimate(
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [1, 0.1]\n[points.b]\nmass = 1\nposition = [1.9, "
      "0.6]\n[constraints]\nfirst = \"distance(a, [0, 0]) = 1.004987562112089\"\nsecond = \"distance(a, b) = "
      "1.0295630140987\"\n[simulation]\nuntil = 120\ntolerance = 1e-10\n");
  EXPECT_TRUE(found.estimate.known);
  EXPECT_TRUE(found.estimate.lost);
}

TEST(ErrorEstimate, is_made_of_a_motion_that_was_stopped) {
  const model::Model model = model::load(
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, 3]\nvelocity = [1, 0]\n[simulation]\nuntil = 9\nstop "
      "= "
      "\"a.y <= -5\"\n",
      "stop.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  ASSERT_EQ(motion.status, Status::stopped);
  const ErrorEstimate found = estimate_error(model, motion.state, motion.status);
  EXPECT_TRUE(found.known);
  EXPECT_FALSE(found.lost);
  EXPECT_LT(found.error, 1e-12);
}

TEST(ErrorEstimate, moves_starts_whose_conditions_have_only_zeros_for_terms) {
  // A rod on a hinge, lying: the second row of the hinge is 0 = 0 there, and a start beside it is not a mistake. A knife edge at angle 0.
  for (const char* text :
       {"gravity = [0, -9.81]\n[bodies.a]\nmass = 2\ninertia = 0.2\nposition = [0.5, 0]\n[bodies.a.marks]\ns = [-0.5, "
        "0]\n[joints]\nsh = { hinge = [[0, 0], \"a.s\"] }\n[simulation]\nuntil = 0.1\n",
        "[coordinates.x]\ninitial = 0\nvelocity = 1\n[coordinates.y]\ninitial = 0\n[coordinates.a]\ninitial = "
        "0\nvelocity = 0.8\n[energy]\nkinetic = \"(x'^2+y'^2+0.5*a'^2)/2\"\npotential = "
        "\"-0.3*x\"\n[constraints]\nknife = \"y'*cos(a) = x'*sin(a)\"\n[simulation]\nuntil = 2\n"}) {
    const Found found = estimate(text);
    EXPECT_TRUE(found.estimate.known);
    EXPECT_FALSE(found.estimate.lost) << text;
    EXPECT_GT(found.estimate.error, 0);
    EXPECT_LT(found.estimate.error, 1e-12);
  }
}

}  // namespace zwang::motion::error_estimate_tests
