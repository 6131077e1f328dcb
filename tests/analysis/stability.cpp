/// Equilibrium and stability: Voss's examples by hand, closed forms, the bordered determinant as a second route, searches.
#include "zwang/analysis/stability.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <string>

#include "zwang/analysis/linearise.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::analysis::stability_tests {

namespace {

using Complex = std::complex<double>;

model::Model model_of(const std::string& text) { return model::compile(model::read(text, "test.toml")); }

Stability at_start(const std::string& text) {
  const model::Model model = model_of(text);
  return stability(model, model::initial_state(model));
}

/// Coordinates x, y, z at rest in the origin with unit masses, a potential and conditions.
std::string three(const std::string& potential, const std::string& conditions, const std::string& kinetic = "") {
  return "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\n[coordinates.z]\ninitial = 0\n[energy]\nkinetic "
         "= \"" +
         (kinetic.empty() ? "(x'^2 + y'^2 + z'^2)/2" : kinetic) + "\"\npotential = \"" + potential +
         "\"\n[constraints]\n" + conditions + "\n";
}

void expect_roots(const Stability& found, const std::vector<Complex>& wanted, double tolerance = 1e-12) {
  ASSERT_EQ(found.roots.size(), wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    EXPECT_LT(std::abs(found.roots[k] - wanted[k]), tolerance) << found.roots[k] << " instead of " << wanted[k];
  }
}

}  // namespace

TEST(Stability, a_definite_form_flutters_under_a_condition_that_does_not_integrate) {
  // V = (x^2 + y^2)/2 - z, z' = (y x' - x y')/2: mu^2 = -1 +- i/2.
  const Stability found = at_start(three("(x^2 + y^2)/2 - z", "edge = \"z' - y/2*x' + x/2*y' = 0\""));
  ASSERT_TRUE(found.equilibrium) << found.why;
  expect_roots(found, {{-1, -0.5}, {-1, 0.5}});
  EXPECT_EQ(found.stable, false);
  EXPECT_NEAR(found.growth_rate, std::sqrt(Complex(-1, 0.5)).real(), 1e-14);
  EXPECT_EQ(found.form, Form::negative_definite);
  EXPECT_EQ(found.form_agrees, false);
  EXPECT_FALSE(found.symmetric);
  EXPECT_EQ(found.zero_modes, 1U);
  // f = z' - ..., so that X_z = 1 = lambda.
  ASSERT_EQ(found.multipliers.size(), 1U);
  EXPECT_NEAR(found.multipliers[0].second, 1, 1e-15);
}

TEST(Stability, an_indefinite_form_may_be_stable) {
  // alpha = [[-4 , 2], [-2, 1]] has trace -3 and determinant 0: choose [[-4, b], [-b, 1]] with b^2 = 5: roots of s^2 + 3 s + 1.
  const Stability found = at_start(three("2*x^2 - y^2/2 - sqrt(5)*2*z", "edge = \"z' - y/2*x' + x/2*y' = 0\""));
  ASSERT_TRUE(found.equilibrium);
  expect_roots(found, {{(-3 - std::sqrt(5.0)) / 2, 0}, {(-3 + std::sqrt(5.0)) / 2, 0}});
  EXPECT_EQ(found.form, Form::indefinite);
  EXPECT_EQ(found.stable, true);
  EXPECT_EQ(found.form_agrees, false);
}

TEST(Stability, a_double_root_with_one_mode_grows_with_the_time) {
  // [[-1, b], [-b, -3]]: (s + 1)(s + 3) + b^2, double root -2 for b = 1, not semisimple.
  const Stability found = at_start(three("x^2/2 + 3*y^2/2 - 2*z", "edge = \"z' - y/2*x' + x/2*y' = 0\""));
  expect_roots(found, {{-2, 0}, {-2, 0}});
  EXPECT_FALSE(found.semisimple);
  EXPECT_EQ(found.stable, false);
  EXPECT_EQ(found.growth_rate, 0);
  ASSERT_EQ(found.grouped.size(), 1U);
  EXPECT_EQ(found.grouped[0].independent, 1U);
}

TEST(Stability, a_double_root_with_two_modes_is_harmless) {
  const Stability found = at_start(three("x^2 + y^2 + z^2", "plane = \"z = 0\""));
  expect_roots(found, {{-2, 0}, {-2, 0}});
  EXPECT_TRUE(found.semisimple);
  EXPECT_EQ(found.stable, true);
  EXPECT_EQ(found.form_agrees, true);
  EXPECT_EQ(found.zero_modes, 0U);
}

TEST(Stability, the_pendulum_hangs_stably_and_stands_unstably) {
  const std::string head = "gravity = [0, -9.81]\n[points.a]\nmass = 2\nposition = [0, ";
  const std::string tail = "]\n[constraints]\nrod = \"distance(a, [0, 0]) = 0.5\"\n";
  const Stability hanging = at_start(head + "-0.5" + tail);
  expect_roots(hanging, {{-9.81 / 0.5, 0}});
  EXPECT_EQ(hanging.stable, true);
  ASSERT_EQ(hanging.modes.size(), 1U);
  EXPECT_NEAR(hanging.modes[0].period, 2 * std::numbers::pi / std::sqrt(9.81 / 0.5), 1e-14);
  EXPECT_NEAR(hanging.modes[0].shape[0], 1, 1e-14);
  EXPECT_NEAR(hanging.modes[0].shape[1], 0, 1e-14);
  EXPECT_NEAR(hanging.multipliers[0].second, 2 * 9.81, 1e-12);
  const Stability standing = at_start(head + "0.5" + tail);
  expect_roots(standing, {{9.81 / 0.5, 0}});
  EXPECT_EQ(standing.stable, false);
  EXPECT_NEAR(standing.growth_rate, std::sqrt(9.81 / 0.5), 1e-13);
  EXPECT_EQ(standing.form, Form::positive_definite);
}

TEST(Stability, a_string_that_pulls_counts_as_a_rod) {
  const Stability found = at_start(
      "gravity = [0, -9.81]\n[points.a]\nmass = 2\nposition = [0, -0.5]\n[constraints]\n"
      "string = \"distance(a, [0, 0]) <= 0.5\"\nroof = \"a.y <= 7\"\n");
  expect_roots(found, {{-9.81 / 0.5, 0}});
  EXPECT_EQ(found.stable, true);
}

TEST(Stability, a_wall_that_touches_without_pressing_is_named) {
  const Stability found = at_start(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = [\"-a.x\", \"-4*a.y\"]\n[constraints]\nwall = \"a.x <= 0\"\n");
  ASSERT_TRUE(found.equilibrium);
  ASSERT_EQ(found.degenerate.size(), 1U);
  EXPECT_EQ(found.stable, true) << "with and without the wall";
  const Stability doubtful = at_start(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = [\"a.x\", \"-4*a.y\"]\n[constraints]\nwall = \"a.x <= 0\"\n");
  EXPECT_FALSE(doubtful.stable.has_value()) << "the wall holds one side only";
}

TEST(Stability, damping_attracts_and_its_exponents_are_given) {
  const Stability found =
      at_start("[coordinates.x]\ninitial = 0\nforce = \"-5*x - 2*x'\"\n[energy]\nkinetic = \"x'^2/2\"\n");
  EXPECT_TRUE(found.exponents);
  expect_roots(found, {{-1, -2}, {-1, 2}});
  EXPECT_EQ(found.stable, true);
  EXPECT_TRUE(found.attracting);
}

TEST(Stability, a_fast_top_is_held_up_by_gyroscopic_terms) {
  // T_1 = b (x y' - y x')/2 over a maximum of V: mu^4 + (b^2 - 2) mu^2 + 1 = 0, stable for b > 2.
  const auto top = [](double b) {
    return at_start("[parameters]\nb = " + std::to_string(b) +
                    "\n[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\n[energy]\n"
                    "kinetic = \"(x'^2 + y'^2)/2 + b*(x*y' - y*x')/2\"\npotential = \"-(x^2 + y^2)/2\"\n");
  };
  const Stability fast = top(2.5);
  EXPECT_TRUE(fast.exponents);
  EXPECT_EQ(fast.stable, true);
  EXPECT_EQ(fast.form, Form::positive_definite);
  EXPECT_EQ(fast.form_agrees, false);
  for (const Complex mu : fast.roots) {
    EXPECT_LT(std::abs(mu * mu * mu * mu + (2.5 * 2.5 - 2) * mu * mu + 1.0), 1e-12);
  }
  EXPECT_EQ(top(1.5).stable, false);
  EXPECT_EQ(top(2.0).stable, false) << "double exponents +-i with one mode each";
}

TEST(Stability, a_kinetic_energy_of_the_position_enters_by_its_matrix_at_rest) {
  // Two masses on a rod's angle: T = (1 + x^2) x'^2 + x' y' + y'^2, V = x^2 + y^2; M = [[2, 1], [1, 2]].
  const Stability found = at_start(
      "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\n[energy]\n"
      "kinetic = \"(1 + x^2)*x'^2 + x'*y' + y'^2\"\npotential = \"x^2 + y^2\"\n");
  expect_roots(found, {{-2, 0}, {-2.0 / 3, 0}});
}

/// One coordinate at rest.
std::string line(const std::string& potential, const std::string& force = "0", const std::string& place = "0") {
  return "[coordinates.x]\ninitial = " + place + "\nforce = \"" + force +
         "\"\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"" + potential + "\"\n";
}
/// Two of mass one.
std::string plane(const std::string& potential, const std::string& force_x = "0", const std::string& force_y = "0") {
  return "[coordinates.x]\ninitial = 0\nforce = \"" + force_x + "\"\n[coordinates.y]\ninitial = 0\nforce = \"" +
         force_y + "\"\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"" + potential + "\"\n";
}

TEST(Stability, where_the_quadratic_form_is_silent_the_first_power_of_the_potential_decides) {
  for (const char* rising : {"x^4", "x^6", "x^10", "3*x^4 - 7*x^5", "cos(x) + x^2/2", "cosh(x) - x^2/2"}) {
    const Stability found = at_start(line(rising));
    EXPECT_EQ(found.stable, true) << rising;
    EXPECT_FALSE(found.first_order);
    EXPECT_FALSE(found.form_agrees.has_value()) << "the form says nothing";
    EXPECT_TRUE(found.modes.empty());
  }
  for (const char* falling : {"x^3", "-x^4", "-x^10", "x^5 + x^6", "sin(x) - x"}) {
    EXPECT_EQ(at_start(line(falling)).stable, false) << falling;
  }
  // With resistance the same, and what is flat everywhere holds where it is put.
  EXPECT_EQ(at_start(line("x^4", "-x'")).stable, true);
  EXPECT_EQ(at_start(line("-x^4", "-x'")).stable, false);
  EXPECT_EQ(at_start(line("0", "-x'")).stable, true);
  EXPECT_EQ(at_start(line("0")).stable, false) << "x'' = 0";
}

TEST(Stability, boxes_that_can_slide_on_one_another_drift_and_rounding_is_no_power_of_the_potential) {
  // Loads move from corner to corner as boxes slide: series of twenty orders, with the rounding of all orders before.
  const Stability found = at_start(
      "gravity = [0, -10]\n[bodies.box]\ncount = 5\nmass = 1\nshape = { box = [1.0, 0.5] }\nposition = [\"0.09*i\", "
      "\"0.5*i - 0.25\"]\n"
      "[contacts]\nfloor = { body = \"box[1]\", plane = { normal = [0, 1] } }\npile = { for = \"i = 1..4\", between = "
      "[\"box[i]\", \"box[i+1]\"] }\n");
  EXPECT_EQ(found.stable, false);
  EXPECT_EQ(found.why.find("falls"), std::string::npos) << found.why;
}

TEST(Stability, blocks_that_rub_on_each_other_alone_drift_together) {
  const char* const blocks =
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"[0.3, 0] - 0.5*(a' - b')/norm(a' - b')\"\n"
      "[points.b]\nmass = 1\nposition = [1, 0]\nforce = \"[-0.3, 0] + 0.5*(a' - b')/norm(a' - b')";
  EXPECT_FALSE(at_start(std::string(blocks) + "\"\n").stuck);
  EXPECT_TRUE(at_start(std::string(blocks) + " - 0.1*b'/norm(b')\"\n").stuck);
}

TEST(Stability, a_valley_that_bends_is_followed) {
  // (x - y^2)^2 + c y^4: along x = y^2 the potential is c y^4, along the y-axis (1 + c) y^4.
  const auto valley = [](const char* c) { return at_start(plane(std::string("(x - y^2)^2 + ") + c + "*y^4")).stable; };
  EXPECT_EQ(valley("0.5"), true);
  EXPECT_EQ(valley("(-0.5)"), false) << "a minimum on every straight line, and none";
  EXPECT_EQ(valley("0"), false) << "a curve of equilibria";
  // The same on a surface: a bead on y = x^4 under gravity, and on a circle without any force.
  const std::string bead = "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, 0]\n[constraints]\nwire = ";
  EXPECT_EQ(at_start(bead + "\"a.y = a.x^4\"\n").stable, true);
  EXPECT_EQ(at_start(bead + "\"a.y >= a.x^4\"\n").stable, true);
  EXPECT_EQ(at_start(bead + "\"a.y = -a.x^4\"\n").stable, false);
  EXPECT_EQ(at_start("[points.a]\nmass = 1\nposition = [0.6, 0.8]\n[constraints]\nring = \"norm(a) = 1\"\n").stable,
            false);
}

TEST(Stability, at_a_critical_load_what_cancels_is_zero_in_any_units) {
  // An inverted pendulum on a spiral spring k = m g L: V = m g L (w^2/2 + cos w), w^4/24 is left; on a straight one -w^4/8.
  EXPECT_EQ(at_start("[parameters]\nm = 0.3\nL = 0.7\n[coordinates.w]\ninitial = 0\n[energy]\nkinetic = "
                     "\"m*L^2*w'^2/2\"\npotential "
                     "= \"9.81*0.3*0.7/2*w^2 + m*9.81*L*cos(w)\"\n")
                .stable,
            true);
  EXPECT_EQ(
      at_start("gravity = [0, -9.81]\n[points.a]\nmass = 0.3\nposition = [0, 0.7]\nforce = [\"-0.3*9.81/0.7*a.x\", "
               "0]\n[constraints]\nrod = \"norm(a) = 0.7\"\n")
          .stable,
      false);
  EXPECT_EQ(at_start(line("1e-20*x^4")).stable, true);
  EXPECT_EQ(at_start(line("-1e-20*x^4")).stable, false);
  EXPECT_EQ(at_start(line("1e-20*x^2")).stable, true);
  EXPECT_EQ(at_start(line("0", "-1e-14*x'")).stable, true);
}

TEST(Stability, a_table_on_a_smooth_floor_slides_whatever_its_legs_carry) {
  const Stability found = at_start(
      "gravity = [0, 0, -9.81]\n[points.p]\ncount = 4\nmass = 1\nposition = [\"cos(pi/2*i)\", \"sin(pi/2*i)\", "
      "0]\n[constraints]\nd = {for = \"i = 1..4, j = i+1..4\", condition = \"distance(p[i], p[j]) = "
      "2*sin(pi/4*(j-i))\"}\nfloor = {for = \"i = 1..4\", condition = \"p[i].z >= 0\"}\n");
  ASSERT_TRUE(found.equilibrium) << found.why;
  EXPECT_EQ(found.stable, false) << found.why;
  EXPECT_TRUE(found.drifts);
}

TEST(Stability, of_three_rings_is_a_drift_where_rounding_is_all_that_pulls) {
  const Stability found = at_start(
      "[points.a]\ncount = 3\nmass = 1\nposition = [\"cos(2*pi*i/3)\", \"sin(2*pi*i/3)\"]\n[energy]\npotential = "
      "\"sum(i = 1..3, "
      "(norm(a[i])^2 - 1)^2)\"\n");
  EXPECT_EQ(found.stable, false) << found.why;
}

TEST(Stability, of_two_silent_directions_a_falling_one_decides_and_rising_ones_do_not) {
  EXPECT_EQ(at_start(plane("x^4 + y^3")).stable, false);
  EXPECT_EQ(at_start(plane("x^4")).stable, false) << "y is free";
  EXPECT_FALSE(at_start(plane("x^4 + y^4")).stable.has_value());
}

TEST(Stability, to_first_order_only_is_said_where_no_theorem_reaches_further) {
  // Circulatory forces: no potential. Gyroscopic terms over a maximum.
  for (const std::string& text :
       {plane("0", "-x + 0.1*y", "-2*y - 0.1*x"),
        std::string(
            "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\n[energy]\nkinetic = \"(x'^2 + y'^2)/2 + "
            "2.5*(x*y' - y*x')/2\"\npotential = \"-(x^2 + y^2)/2\"\n")}) {
    const Stability found = at_start(text);
    EXPECT_EQ(found.stable, true) << text;
    EXPECT_TRUE(found.first_order) << text;
  }
  // Forces with a potential written as forces, and resistance that vanishes to first order, are no such case.
  for (const std::string& text : {plane("0", "-2*x + y", "-2*y + x"), line("x^2/2", "-x'^3"),
                                  line("x^2/2", "-x'*abs(x')"), plane("(x^2 + y^2)/2 + x^2*y - y^3/3")}) {
    const Stability found = at_start(text);
    EXPECT_EQ(found.stable, true) << text;
    EXPECT_FALSE(found.first_order) << text;
    EXPECT_TRUE(found.linearised) << text;
  }
  // A condition that does not integrate, at a minimum among all positions.
  const Stability skate = at_start(
      "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\n[coordinates.w]\ninitial = 0\n[energy]\nkinetic = "
      "\"(x'^2 + y'^2 + w'^2)/2\"\npotential = \"x^2 + y^2 + w^2\"\n[constraints]\nedge = \"sin(w)*x' - cos(w)*y' = "
      "0\"\n");
  EXPECT_EQ(skate.stable, true);
  EXPECT_FALSE(skate.first_order);
}

TEST(Stability, of_swings_in_resonance_is_not_decided_where_no_theorem_reaches_further) {
  // Voss's A = [[-a, b], [-c, -d]] of a condition that does not integrate: z' = (y x' - x y')/2 with a force along z.
  const auto spun = [](double x, double y) {
    return at_start(
        "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\n[coordinates.z]\ninitial = 0\n[energy]\n"
        "kinetic = \"(x'^2 + y'^2 + z'^2)/2\"\npotential = \"" +
        exact(x) + "*x^2/2 + " + exact(y) + "*y^2/2 - z\"\n[constraints]\nc = \"z' = (y*x' - x*y')/2\"\n");
  };
  // s with (x + s)(y + s) + 1/4 = 0: sums x + y, products x y + 1/4 of the squares of frequencies.
  const auto of_squares = [&](double one, double two) {
    const double sum = one + two;
    const double half = std::sqrt(sum * sum / 4 - (one * two - 0.25));
    return spun(sum / 2 + half, sum / 2 - half);
  };
  for (const double ratio : {2.0, 3.0}) {
    const Stability found = of_squares(1, ratio * ratio);
    EXPECT_FALSE(found.stable.has_value()) << ratio;
    EXPECT_NE(found.why.find("resonance"), std::string::npos) << found.why;
    EXPECT_EQ(found.growth_rate, 0);
    ASSERT_EQ(found.roots.size(), 2U);
    EXPECT_NEAR(std::abs(found.roots[0].real() * found.roots[1].real()), ratio * ratio, 1e-9);
  }
  for (const double ratio : {1.5, 2.1, 2.618, 4.0}) {
    const Stability found = of_squares(1, ratio * ratio);
    EXPECT_EQ(found.stable, true) << ratio << " " << found.why;
    EXPECT_TRUE(found.first_order) << ratio;
  }
  // A minimum of the potential needs no such question.
  EXPECT_EQ(at_start(plane("(x^2 + 4*y^2)/2 + x^2*y")).stable, true);
}

TEST(Stability, on_a_corner_has_no_roots_and_no_period) {
  struct Expected {
    std::string text;
    std::optional<bool> stable;
    std::string function;
  };
  for (const Expected& expected : {
           Expected{line("abs(x)"), true, "abs(x)"},
           Expected{line("-abs(x)^3", "-sign(x)"), true, "sign(x)"},
           Expected{line("0", "-if(x > 0, x, 4*x)"), true, ""},
           Expected{line("0", "-if(x > 0, x, 0)"), false, ""},
           Expected{line("0", "-max(x, 0)^3 - min(x, 0)"), true, ""},
           Expected{line("0", "-max(x, -2*x)"), false, ""},
           Expected{line("0", "table(x, [-1, 0, 1], [1, 0, -3])"), true, ""},
           Expected{plane("0", "-max(x, 0) - 2*min(x, 0) - y", "-3*y - x"), true, ""},
           Expected{plane("abs(x) + y^2"), std::nullopt, "abs(x)"},
       }) {
    const Stability found = at_start(expected.text);
    ASSERT_TRUE(found.equilibrium) << expected.text;
    EXPECT_FALSE(found.linearised) << expected.text;
    EXPECT_TRUE(found.roots.empty());
    EXPECT_TRUE(found.modes.empty());
    EXPECT_EQ(found.stable, expected.stable) << expected.text << found.why;
    EXPECT_FALSE(found.corners.empty());
    if (!expected.function.empty()) {
      EXPECT_NE(std::find(found.corners.begin(), found.corners.end(), expected.function), found.corners.end());
    }
  }
  // Branches that agree to first order make one linear problem; elsewhere corners do not matter.
  EXPECT_TRUE(at_start(line("x^2 + abs(x)^3")).linearised);
  EXPECT_TRUE(at_start(line("x^2/2", "-max(x - 1, 0)")).linearised);
  EXPECT_EQ(at_start(line("abs(x)^3")).stable, true);
  EXPECT_EQ(at_start(line("0", "-if(x > 0, x^3, -x^3)")).stable, false) << "x < 0 is driven away";
  // Backlash: nothing holds it in the gap.
  EXPECT_EQ(at_start(line("0", "-max(x - 1, 0) - min(x + 1, 0)")).stable, false);
}

TEST(Stability, what_dry_friction_holds_with_reserve_stays) {
  for (const std::string& text :
       {line("0", "x - sign(x')", "0.1"), line("0", "-x - sign(x')", "0.1"),
        plane("0", "-x - 0.5*sign(x')", "0.2 - y - 0.3*sign(y')"),
        std::string("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0, 0]\nforce = [\"1 - 2*sign(a.x')\", "
                    "0]\n[constraints]\nfloor = \"a.y >= 0\"\n")}) {
    const Stability found = at_start(text);
    ASSERT_TRUE(found.equilibrium) << text;
    EXPECT_EQ(found.stable, true) << text;
    EXPECT_TRUE(found.stuck) << text;
    EXPECT_FALSE(found.attracting);
    EXPECT_TRUE(found.roots.empty());
  }
  // Where it holds some directions only, a minimum of the potential does the rest.
  for (const std::string& text : {plane("0", "-x - 0.5*sign(x')", "-y"), line("0", "-sign(x) - 0.1*sign(x')")}) {
    const Stability found = at_start(text);
    EXPECT_EQ(found.stable, true) << text << found.why;
    EXPECT_FALSE(found.stuck);
    EXPECT_TRUE(found.roots.empty());
  }
  // On the verge, and where a direction is not held.
  EXPECT_FALSE(at_start(line("0", "x - sign(x')", "1")).stable.has_value());
  EXPECT_FALSE(at_start(plane("0", "-x - 0.5*sign(x')", "y")).stable.has_value());
}

TEST(Stability, no_equilibrium_says_so) {
  EXPECT_FALSE(at_start(three("x", "edge = \"z' = 0\"")).equilibrium);
  const Stability moving =
      at_start("[coordinates.x]\ninitial = 0\nvelocity = 1\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2\"\n");
  EXPECT_FALSE(moving.equilibrium);
  EXPECT_NE(moving.why.find("moves"), std::string::npos);
  const Stability broken = at_start("[points.a]\nmass = 1\nposition = [0, 0]\n[constraints]\nwall = \"a.x >= 1\"\n");
  EXPECT_FALSE(broken.admissible);
  const Stability timed =
      at_start("[coordinates.x]\ninitial = 0\nforce = \"-x + sin(t)\"\n[energy]\nkinetic = \"x'^2/2\"\n");
  EXPECT_FALSE(timed.equilibrium);
  EXPECT_THROW(
      static_cast<void>(at_start(three("x^2", "edge = {condition = \"z' - y*x' = 0\", law = \"variational\"}"))),
      Error);
}

TEST(Stability, roots_are_those_of_the_bordered_determinant) {
  // det [[alpha - s M, P^T], [P, 0]] by elimination in complex numbers: it must vanish at the roots and nowhere else near.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int round = 0; round < 200; ++round) {
    const auto number = [&] { return std::to_string(uniform(random)); };
    std::string text;
    const std::vector<std::string> names{"x", "y", "z", "u", "w"};
    for (const std::string& name : names) text += "[coordinates." + name + "]\ninitial = 0\n";
    std::string kinetic = "0";
    std::string potential = "z + 2*w";
    for (std::size_t i = 0; i < 5; ++i) {
      kinetic += " + " + std::to_string(1 + 0.3 * uniform(random)) + "*" + names[i] + "'^2";
      for (std::size_t k = 0; k < i; ++k) {
        kinetic += " + 0.2*(" + number() + ")*" + names[i] + "'*" + names[k] + "'";
        potential += " + (" + number() + ")*" + names[i] + "*" + names[k];
      }
      potential += " + (" + number() + ")*" + names[i] + "^2";
    }
    const auto linear = [&] { return "((" + number() + ")*x + (" + number() + ")*y + (" + number() + ")*u)"; };
    text += "[energy]\nkinetic = \"" + kinetic + "\"\npotential = \"" + potential + "\"\n[constraints]\n";
    text += "one = \"z' + " + linear() + "*x' + " + linear() + "*y' + " + linear() + "*u' = 0\"\n";
    text += "two = \"w' + " + linear() + "*x' + " + linear() + "*y' + " + linear() + "*u' = 0\"\n";
    const model::Model model = model_of(text);
    const model::State state = model::initial_state(model);
    const Stability found = stability(model, state);
    ASSERT_TRUE(found.equilibrium) << found.why;
    ASSERT_EQ(found.roots.size(), 3U);
    const std::vector<std::uint32_t> rows{0, 1};
    const std::vector<double> lambda{found.multipliers[0].second, found.multipliers[1].second};
    const Linearised system = linearise(model, state, rows, lambda);
    const auto determinant = [&](Complex s) {
      constexpr std::size_t n = 7;
      std::vector<std::vector<Complex>> a(n, std::vector<Complex>(n));
      for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t k = 0; k < 5; ++k) a[i][k] = system.alpha(i, k) - s * system.mass(i, k);
        for (std::size_t j = 0; j < 2; ++j) a[i][5 + j] = a[5 + j][i] = system.rows(j, i);
      }
      Complex product = 1;
      for (std::size_t c = 0; c < n; ++c) {
        std::size_t best = c;
        for (std::size_t r = c; r < n; ++r) best = std::abs(a[r][c]) > std::abs(a[best][c]) ? r : best;
        if (best != c) {
          std::swap(a[best], a[c]);
          product = -product;
        }
        product *= a[c][c];
        for (std::size_t r = c + 1; r < n && a[c][c] != 0.0; ++r) {
          const Complex factor = a[r][c] / a[c][c];
          for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
        }
      }
      return product;
    };
    for (const Complex s : found.roots) {
      EXPECT_LT(std::abs(determinant(s)), 1e-9 * std::abs(determinant(s + 1.0))) << round << " " << s;
    }
    // A polynomial of degree three: the sum of its roots follows from four of its values.
    const Complex d0 = determinant(0);
    const Complex d1 = determinant(1);
    const Complex d2 = determinant(2);
    const Complex d3 = determinant(3);
    const Complex cubic = (d3 - 3.0 * d2 + 3.0 * d1 - d0) / 6.0;
    const Complex square = (d2 - 2.0 * d1 + d0) / 2.0 - 3.0 * cubic;
    EXPECT_LT(std::abs(found.roots[0] + found.roots[1] + found.roots[2] + square / cubic), 1e-9);
  }
}

TEST(Stability, a_small_push_grows_at_the_rate_found) {
  std::string text = three("(x^2 + y^2)/2 - z", "edge = \"z' - y/2*x' + x/2*y' = 0\"");
  const Stability found = at_start(text);
  text.replace(text.find("initial = 0"), 11, "initial = 1e-7");
  const model::Model model = model_of(text);
  motion::Options options;
  std::vector<double> size;
  for (const double until : {20.0, 40.0}) {
    options.until = until;
    motion::Motion motion = motion::begin(model, options);
    while (motion::advance(motion)) {
    }
    size.push_back(std::hypot(std::hypot(motion.state.position[0], motion.state.position[1]),
                              std::hypot(motion.state.velocity[0], motion.state.velocity[1])));
  }
  EXPECT_NEAR(std::log(size[1] / size[0]) / 20, found.growth_rate, 0.02);
}

TEST(Stability, a_search_finds_where_a_chain_hangs) {
  const model::Model model = model_of(
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0.2, -0.9]\n[points.b]\nmass = 1\nposition = [0.9, "
      "-0.7]\n"
      "[constraints]\none = \"distance(a, [0, 0]) = 1\"\ntwo = \"distance(a, b) = 1\"\nthree = \"distance(b, [1.2, 0]) "
      "= 1\"\n");
  const Search search = find_equilibrium(model, model::initial_state(model));
  ASSERT_TRUE(search.found);
  // Symmetric: both links hang inwards alike, the middle one is level.
  EXPECT_NEAR(search.state.position[1], search.state.position[3], 1e-13);
  EXPECT_NEAR(search.state.position[0] + search.state.position[2], 1.2, 1e-13);
  const Stability found = stability(model, search.state);
  EXPECT_TRUE(found.equilibrium) << found.why;
  EXPECT_EQ(found.stable, true);
}

TEST(Stability, what_a_search_finds_is_an_equilibrium_also_where_all_forces_vanish) {
  // At the bottom of a valley the terms of the forces vanish with the position: rounding there is no force.
  std::string text = three("(x^2 + y^2)/2 - z", "edge = \"z' - y/2*x' + x/2*y' = 0\"");
  text.replace(text.find("initial = 0"), 11, "initial = 0.3");
  const model::Model model = model_of(text);
  const Search search = find_equilibrium(model, model::initial_state(model));
  ASSERT_TRUE(search.found);
  const Stability found = stability(model, search.state);
  EXPECT_TRUE(found.equilibrium) << found.why;
  EXPECT_NEAR(found.growth_rate, std::sqrt(Complex(-1, 0.5)).real(), 1e-12);
}

TEST(Stability, a_search_lets_go_what_would_have_to_pull) {
  // A spring about y = 1 lifts the point off the floor it starts on.
  const model::Model model = model_of(
      "[points.a]\nmass = 1\nposition = [0.3, 0]\nforce = [\"-a.x\", \"1 - a.y\"]\n[constraints]\nfloor = \"a.y >= "
      "0\"\n");
  const Search search = find_equilibrium(model, model::initial_state(model));
  ASSERT_TRUE(search.found);
  EXPECT_NEAR(search.state.position[0], 0, 1e-14);
  EXPECT_NEAR(search.state.position[1], 1, 1e-14);
}

TEST(Stability, balances_to_the_rounding_of_a_place_that_conditions_hold) {
  for (const double length : {1.0, 0.3, 7.0}) {
    // A point on a rod, written with the rounding of its angle; the rod alone couples x with the rest.
    const double s = length * std::sin(std::numbers::pi);
    const std::string text = fmt::format(
        "[coordinates.x]\ninitial = {:.17g}\n[coordinates.y]\ninitial = {:.17g}\n[coordinates.a]\ninitial = "
        "{:.17g}\n[energy]\nkinetic = \"(x'^2 + y'^2)/2 + a'^2/12\"\npotential = \"9.81*y\"\n[constraints]\none = \"x "
        "= "
        "{:.17g}*sin(a)\"\ntwo = \"y = {:.17g}*cos(a)\"\n",
        s, -length, std::numbers::pi, length, length);
    const Stability found = at_start(text);
    ASSERT_TRUE(found.equilibrium) << found.why;
    EXPECT_EQ(found.stable, true) << found.why;
    const double root = -9.81 * length / (length * length + 1.0 / 6);
    expect_roots(found, {{root, 0}}, 1e-11);
    // A push that is no rounding still is one.
    EXPECT_FALSE(at_start(std::string(text).insert(text.find("[energy]"), "force = 1e-7\n")).equilibrium);
  }
}

TEST(Stability, keeps_a_small_root_beside_a_large_one_that_is_not_coupled_to_it) {
  for (const double small : {1e-5, 1e-12, 1e-20}) {
    const Stability found = at_start(three(fmt::format("1e8*x^2/2 + {:.17g}*y^2/2 + z^2/2", small), ""));
    ASSERT_TRUE(found.equilibrium);
    EXPECT_EQ(found.stable, true) << found.why;
    EXPECT_EQ(found.form, Form::negative_definite);
    ASSERT_EQ(found.roots.size(), 3U);
    EXPECT_NEAR(found.roots[2].real() / -small, 1, 1e-14);
    EXPECT_EQ(found.modes.size(), 3U);
    // And with the other sign it falls.
    EXPECT_EQ(at_start(three(fmt::format("1e8*x^2/2 - {:.17g}*y^2/2 + z^2/2", small), "")).stable, false);
  }
  // Nothing at all is another matter.
  const Stability open = at_start(three("1e8*x^2/2 + 1e-9*y^2/2", ""));
  EXPECT_EQ(open.stable, false);
  EXPECT_TRUE(open.drifts) << open.why;
}

TEST(Stability, friction_in_a_plane_holds_what_its_load_allows) {
  const auto block = [](const std::string& force) {
    return "[points.p]\nmass = 1\nposition = [0, 0]\nforce = \"-0.5*p'/norm(p') + " + force + "\"\n";
  };
  for (const char* force : {"2*p + [0.3, 0]", "-2*p + [0.3, 0]", "[0.2, -0.3]"}) {
    const Stability found = at_start(block(force));
    ASSERT_TRUE(found.equilibrium) << found.why;
    EXPECT_TRUE(found.stuck) << force;
    EXPECT_EQ(found.stable, std::optional<bool>(true)) << force;
    EXPECT_TRUE(found.roots.empty()) << force;
  }
  // On the verge nothing is said.
  EXPECT_FALSE(at_start(block("2*p + [0.3, 0.4]")).stable.has_value());
}

TEST(Stability, a_form_does_not_decide_against_forces_of_higher_order) {
  const Stability found = at_start(
      "[coordinates.x]\ninitial = 0\nforce = \"x'^3\"\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n");
  ASSERT_TRUE(found.equilibrium) << found.why;
  EXPECT_EQ(found.stable, false) << found.why;
  EXPECT_EQ(found.form_agrees, false) << "negative definite, and the energy grows";
}

TEST(Stability, forces_of_higher_order_decide_by_their_power_where_roots_are_imaginary) {
  // d(T + V)/dt = +-0.1 x'^4 and the like.
  for (const char* taking : {"-0.1*x'^3", "-x'^5", "-x'*abs(x')", "-x^2*x'", "-x'^3 + 10*x'^5", "-(x^2 + x'^2)*x'"}) {
    const Stability found = at_start(line("x^2/2", taking));
    EXPECT_EQ(found.stable, true) << taking << found.why;
    EXPECT_TRUE(found.attracting) << taking;
    EXPECT_FALSE(found.first_order) << taking;
  }
  for (const char* giving : {"0.1*x'^3", "x'^5", "x'*abs(x')", "x^2*x'", "x'^3 - 10*x'^5", "x'*(x^2 + x'^2)"}) {
    const Stability found = at_start(line("x^2/2", giving));
    EXPECT_EQ(found.stable, false) << giving << found.why;
    EXPECT_EQ(found.growth_rate, 0) << giving;
  }
  // And where the potential is silent to second order.
  EXPECT_EQ(at_start(line("x^4", "x'^3")).stable, false);
  EXPECT_EQ(at_start(line("x^4", "-x'^3")).stable, true);
  // Both ways on one pendulum, held by its rod.
  const auto pendulum = [](const char* force) {
    return at_start("gravity = [0, -1]\n[points.a]\nmass = 1\nposition = [0, -1]\nforce = \"" + std::string(force) +
                    "\"\n[constraints]\nrod = \"norm(a) = 1\"\n")
        .stable;
  };
  EXPECT_EQ(pendulum("0.1*dot(a', a')*a'"), false);
  EXPECT_EQ(pendulum("-0.1*dot(a', a')*a'"), true);
}

TEST(Stability, where_the_power_has_both_signs_nothing_is_said_unless_time_can_be_turned_round) {
  // Two swings side by side, one damped, one fed: y grows, whatever x does.
  for (const std::string& text : {plane("x^2/2 + y^2", "-x'^3", "y'^3"), plane("x^2/2 + y^2", "-x'", "y'^3"),
                                  line("x^2/2", "x'^3 - x^2*x'"), plane("0", "-x + 0.1*y^3", "-2*y - 0.1*x^3")}) {
    const Stability found = at_start(text);
    EXPECT_FALSE(found.stable.has_value()) << text << found.why;
    EXPECT_FALSE(found.first_order) << text;
  }
  // What rubs in one direction only, or where it is not at rest, need not come to rest; V has a minimum still.
  for (const std::string& text : {plane("(x^2 + y^2)/2", "-(x' - y')^3", "(x' - y')^3"),
                                  plane("(x^2 + y^2)/2", "-x'*(x' - 2*y')^2", "-y'*(x' - 2*y')^2"),
                                  plane("(x^2 + y^2)/2", "-x^2*x'", "-x^2*y'")}) {
    const Stability found = at_start(text);
    EXPECT_EQ(found.stable, true) << text << found.why;
    EXPECT_FALSE(found.attracting) << text;
  }
  EXPECT_TRUE(at_start(plane("(x^2 + y^2)/2", "-(x' - y')^3", "(x' - y')^3 - y'^3")).attracting);
  // x'' = -x + x'^2 has the integral (x'^2 - x - 1/2) exp(-2 x): closed curves about the origin.
  const Stability even = at_start(line("x^2/2", "x'^2"));
  EXPECT_EQ(even.stable, true) << even.why;
  EXPECT_FALSE(even.first_order);
  EXPECT_FALSE(even.attracting);
}

TEST(Stability, resistance_of_higher_order_takes_what_gyroscopic_forces_hold_up) {
  const auto top = [](const std::string& a, const std::string& b) {
    return at_start("[coordinates.x]\ninitial = 0\nforce = \"" + a + "\"\n[coordinates.y]\ninitial = 0\nforce = \"" +
                    b +
                    "\"\n[energy]\nkinetic = \"(x'^2 + y'^2)/2 + 2.5*(x*y' - y*x')/2\"\npotential = "
                    "\"-(x^2 + y^2)/2\"\n");
  };
  EXPECT_EQ(top("-x'^3", "-y'^3").stable, false);
  EXPECT_TRUE(top("0", "0").first_order);
}

TEST(Stability, finds_an_equilibrium_on_conditions_that_nothing_touches_yet) {
  // A point in a bowl, and beads on slack strings; the second route is the balance at the place found.
  const std::string texts[] = {
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0.4, 0.3]\n[constraints]\nbowl = \"a.x^2 + a.y^2 <= "
      "1\"\n",
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0.5, 0]\n[points.b]\nmass = 2\nposition = [1, 0.1]\n"
      "[constraints]\none = \"distance(a, [0, 0]) <= 0.8\"\ntwo = \"distance(a, b) <= 0.8\"\nthree = \"distance(b, "
      "[1.5, "
      "0]) <= 0.8\"\n"};
  for (const std::string& text : texts) {
    const model::Model model = model_of(text);
    const Search search = find_equilibrium(model, model::initial_state(model));
    ASSERT_TRUE(search.found) << text;
    const Stability there = stability(model, search.state);
    EXPECT_TRUE(there.equilibrium) << there.why;
    EXPECT_LT(search.state.position[1], 0);
    if (search.state.position.size() == 2) {
      EXPECT_NEAR(search.state.position[0], 0, 1e-12);
      EXPECT_NEAR(search.state.position[1], -1, 1e-12);
    }
  }
}

}  // namespace zwang::analysis::stability_tests
