/// Conditions that are written twice, scaled or split, move as if they were written once; their force is shared evenly.
#include "zwang/motion/copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "motion/ran.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::copies_tests {

namespace {

/// A few steps of tolerance 1e-12, of coordinates of the order of one.
constexpr double same = 1e-11;

/// A coordinate x of mass one, from rest at 0.
std::string one(const std::string& force, const std::string& conditions, const std::string& rest = "") {
  return "[coordinates.x]\ninitial = 0\nforce = \"" + force + "\"\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\n" +
         conditions + rest + "[simulation]\nuntil = 2\n";
}

double multiplier(const Ran& ran, const std::string& name) {
  for (const auto& [row, value] : ran.multipliers) {
    if (row == name) return value;
  }
  return std::nan("");
}

std::vector<std::vector<std::uint32_t>> classes(const std::string& conditions) {
  const model::Model model = model::load(one("0", conditions), "classes.toml");
  const Copies copies(model);
  std::vector<std::vector<std::uint32_t>> out(model.rows());
  for (std::uint32_t row = 0; row < model.rows(); ++row) out[copies.original(row)].push_back(row);
  std::erase_if(out, [](const auto& rows) { return rows.empty(); });
  return out;
}

using Classes = std::vector<std::vector<std::uint32_t>>;

}  // namespace

TEST(Copies, are_told_by_their_formulas) {
  EXPECT_EQ(classes("a = \"x' >= sin(t)\"\nb = \"2*x' >= 2*sin(t)\"\n"), (Classes{{0, 1}}));
  EXPECT_EQ(classes("a = \"x <= 0.1\"\nb = \"3*x <= 3*0.1\"\nc = \"x <= 0.2\"\n"), (Classes{{0, 1}, {2}}));
  EXPECT_EQ(classes("a = \"x <= 0\"\nb = \"x >= 0\"\nc = \"-x >= 0\"\n"), (Classes{{0, 2}, {1}}));
  EXPECT_EQ(classes("a = \"x <= 0\"\nb = \"5*x = 0\"\nc = \"-x = 0\"\n"), (Classes{{0, 1, 2}}));
  EXPECT_EQ(classes("a = \"x/(1 + x^2) <= 1\"\nb = \"4*x/(1 + x^2) <= 4\"\n"), (Classes{{0, 1}}));
  // Functions that differ far away alone are two.
  EXPECT_EQ(classes("a = \"x - exp(-((x-50)/0.1)^2) <= 1\"\nb = \"x - exp(-((x-70)/0.1)^2) <= 1\"\n"),
            (Classes{{0}, {1}}));
  EXPECT_EQ(classes("a = \"x <= 0\"\nb = \"x' <= 0\"\nc = \"x + x^3 <= 0\"\n"), (Classes{{0}, {1}, {2}}));
  EXPECT_EQ(classes("a = { condition = \"x <= 1\", restitution = 0.5 }\nb = \"x <= 1\"\n"), (Classes{{0}, {1}}));
}

TEST(Copies, of_a_driven_ratchet_go_along) {
  for (const char* second : {"x' >= sin(t)", "3*x' >= 3*sin(t)"}) {
    const Ran ran = run_to_the_end(one("0", "k1 = \"x' >= sin(t)\"\nk2 = \"" + std::string(second) + "\"\n"));
    ASSERT_EQ(ran.status, Status::finished) << ran.why;
    EXPECT_NEAR(ran.state.velocity[0], 1, same);
    EXPECT_NEAR(ran.state.position[0], 1 + 2 - std::acos(-1.0) / 2, same);
    ASSERT_EQ(ran.events.size(), 1U);
    EXPECT_EQ(ran.events[0].kind, EventKind::release);
    EXPECT_EQ(ran.events[0].rows, (std::vector<std::uint32_t>{0, 1}));
  }
}

TEST(Copies, split_equations_may_have_idle_company) {
  for (const char* third : {"x' <= 0", "x' <= t", "-2*x' <= 2*sin(t)"}) {
    const Ran ran = run_to_the_end(
        one("0", "k1 = \"x' <= -sin(t)\"\nk2 = \"x' >= -sin(t)\"\nk3 = \"" + std::string(third) + "\"\n"));
    ASSERT_EQ(ran.status, Status::finished) << third << ran.why;
    EXPECT_NEAR(ran.state.position[0], std::cos(2.0) - 1, same) << third;
    EXPECT_NEAR(ran.state.velocity[0], -std::sin(2.0), same) << third;
  }
}

TEST(Copies, share_the_force_evenly) {
  const Ran ran = run_to_the_end(one("6", "k1 = \"x <= 0\"\nk2 = \"2*x <= 0\"\nk3 = \"x <= 0\"\n"), 1000, true);
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(multiplier(ran, "k1"), 2, same);
  EXPECT_NEAR(multiplier(ran, "k2"), 1, same);
  EXPECT_NEAR(multiplier(ran, "k3"), 2, same);
}

TEST(Copies, take_the_place_of_one_that_is_let_go) {
  const std::string let_go = "[[releases]]\nconstraint = \"k1\"\nat = 0.5\n";
  const Ran held = run_to_the_end(one("6", "k1 = \"x <= 0\"\nk2 = \"3*x <= 0\"\n", let_go), 1000, true);
  ASSERT_EQ(held.status, Status::finished) << held.why;
  EXPECT_EQ(held.state.position[0], 0);
  EXPECT_NEAR(multiplier(held, "k2"), 2, same);
  EXPECT_TRUE(std::isnan(multiplier(held, "k1")));
  // An inequality that an equation kept is there when that goes.
  const Ran left = run_to_the_end(one("6", "k1 = \"x = 0\"\nk2 = \"x <= 0\"\n", let_go));
  ASSERT_EQ(left.status, Status::finished) << left.why;
  EXPECT_EQ(left.state.position[0], 0);
  EXPECT_NEAR(multiplier(left, "k2"), 6, same);
  const Ran gone = run_to_the_end(one("-2", "k1 = \"x = 0\"\nk2 = \"x <= 0\"\n", let_go));
  ASSERT_EQ(gone.status, Status::finished) << gone.why;
  EXPECT_NEAR(gone.state.position[0], -2.25, same);
}

TEST(Copies, of_strings_and_equations_do_not_shorten_steps) {
  const Ran strings = run_to_the_end(
      "gravity = [0, -1]\n[points.a]\nmass = 2\nposition = [0, 0]\n[constraints]\nk0 = \"-2*a.x - a.y >= 0\"\nk1 = "
      "\"-2*a.x + 2*a.y >= 0\"\nk2 = \"distance(a, [0, 5]) <= 5\"\nk2d = \"3*distance(a, [0, 5]) <= "
      "3*5\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(strings.status, Status::finished) << strings.why;
  EXPECT_EQ(strings.state.position, (std::vector<double>{0, 0}));
  const Ran scaled = run_to_the_end(
      "gravity = [0, -10]\n[points.a]\nmass = 3\nposition = [0, 0]\n[points.b]\nmass = 2\nposition = [0, "
      "0]\n[constraints]\nk0 = \"a.x' + b.y' <= 0\"\nk0x = \"a.x' + b.y' <= 0\"\nk1 = \"b.y = 0\"\nk1d = \"3*b.y = "
      "0\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(scaled.status, Status::finished) << scaled.why;
  EXPECT_NEAR(scaled.state.position[1], -20, 20 * same);
  EXPECT_NEAR(scaled.state.position[3], 0, same);
  EXPECT_NEAR(multiplier(scaled, "k1"), -10, same);
  EXPECT_NEAR(multiplier(scaled, "k1d"), -10.0 / 3, same);
}

TEST(Copies, of_elastic_walls_are_struck_as_one) {
  const std::string walls =
      "[coordinates.x]\ninitial = 0\nvelocity = 1\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\n"
      "k0 = { condition = \"x >= 0\", restitution = 1 }\nk1 = { condition = \"x <= 1\", restitution = 1 }\n"
      "k1d = { condition = \"4*x <= 4\", restitution = 1 }\n[simulation]\nuntil = 3.5\n";
  const Ran ran = run_to_the_end(walls);
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(ran.state.position[0], 0.5, same);
  ASSERT_EQ(ran.events.size(), 3U);
  EXPECT_EQ(ran.events[0].rows, (std::vector<std::uint32_t>{1, 2}));
  ASSERT_EQ(ran.events[0].impulses.size(), 2U);
  EXPECT_NEAR(ran.events[0].impulses[0].second, 1, same);
  EXPECT_NEAR(ran.events[0].impulses[1].second, 0.25, same);
}

}  // namespace zwang::motion::copies_tests
