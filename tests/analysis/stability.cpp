/// Equilibrium and stability: Voss's examples by hand, closed forms, the bordered determinant as a second route, searches.
#include "zwang/analysis/stability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "zwang/analysis/linearise.hpp"
#include "zwang/error.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::analysis {

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

}  // namespace zwang::analysis
