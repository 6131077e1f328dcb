/// Accelerations as fractions: known answers to the last digit, proofs, and what cannot be a fraction.
#include "zwang/instant/exactly.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zwang::instant::exactly_tests {
namespace {

ExactInstant exactly(const std::string& text, const model::Overrides& overrides = {}) {
  const model::Draft draft = model::read(text, "test.toml");
  return accelerate_exactly(draft, overrides, model::compile(draft, overrides));
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(exactly(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string texts(const std::vector<rational::Number>& numbers) {
  std::string out;
  for (const rational::Number& one : numbers) out += (out.empty() ? "" : " ") + one.text();
  return out;
}

TEST(Exactly, friction_at_rest_has_no_direction) {
  const std::string why = refusal("[points.p]\nmass = 1\nposition = [0, 0]\nforce = \"-0.5*p'/norm(p') + [0.3, 0]\"\n");
  EXPECT_NE(why.find("the speed `norm(p')` is 0 and has no direction"), std::string::npos) << why;
}

TEST(Exactly, a_pendulum_of_decimal_data_has_decimal_accelerations) {
  const ExactInstant instant = exactly(R"toml(
gravity = [0, "-g"]
[parameters]
g = 9.81
[points.a]
mass = 0.1
position = [0.6, -0.8]
velocity = [0.8, 0.6]
[constraints]
rod = "distance(a, [0, 0]) = 1"
)toml");
  ASSERT_EQ(instant.status, Status::determined);
  // lambda = m (v^2 + g cos) with cos = 0.8; a = g - lambda/m times the unit vector.
  EXPECT_EQ(instant.multipliers[0].text(), "553/625");
  EXPECT_EQ(texts(instant.accelerations), "-3318/625 -6829/2500");
  EXPECT_TRUE(instant.regular);
  EXPECT_TRUE(instant.multipliers_unique);
}

TEST(Exactly, one_tenth_and_two_tenths_are_three_tenths) {
  const std::string text = R"toml(
[points.a]
mass = 1
position = ["0.1 + 0.2", 0]
[constraints]
wall = "a.x <= 0.3"
)toml";
  EXPECT_EQ(exactly(text).role[0], Role::marginal);
  const ExactInstant other = exactly(text + "near = \"a.x <= 0.29999999999999999999\"\n");
  ASSERT_EQ(other.status, Status::inadmissible);
  ASSERT_EQ(other.violations.size(), 1U);
  EXPECT_EQ(other.violations[0].second.text(), "1/100000000000000000000");
}

TEST(Exactly, four_rows_that_nearly_contradict_each_other_do_not) {
  const ExactInstant instant = exactly(R"toml(
[coordinates.x]
initial = 0
[coordinates.y]
initial = 0
[coordinates.z]
initial = 0
[energy]
kinetic = "(2*x'^2 + 3*y'^2 + 4*z'^2)/2"
[constraints]
one = "1.0000000000004414*x + 0.99999999999889122*z - 0.99999999999888334*t^2/2 <= 0"
two = "-0.99999999999897671*x + 6.072679593069778e-14*y - 1.0000000000013933*z + 1.0000000000014408*t^2/2 <= 0"
three = "-0.99999999999794598*z - 0.99999999999938827*t^2/2 = 0"
four = "1.0000000000006022*y + 0.99999999999961464*z - 0.99999999999985023*t^2/2 <= 0"
)toml");
  ASSERT_EQ(instant.status, Status::determined);
  EXPECT_EQ(instant.role[0], Role::binding);
  EXPECT_EQ(instant.role[1], Role::binding);
  EXPECT_EQ(instant.role[3], Role::leaving);
  EXPECT_EQ(instant.accelerations[2].text(), "-99999999999938827/99999999999794598");
  ASSERT_EQ(instant.redundant.size(), 1U);
  EXPECT_EQ(instant.redundant[0].row, 3U);
}

TEST(Exactly, a_jam_comes_with_its_proof) {
  const ExactInstant instant = exactly(R"toml(
[points.a]
mass = 1
position = [0, 0]
[constraints]
left = "3*a.x - t^2/1e30 >= 0"
right = "7*a.x + t^2/1e40 <= 0"
)toml");
  ASSERT_EQ(instant.status, Status::jammed);
  ASSERT_EQ(instant.farkas.size(), 2U);
  EXPECT_EQ(instant.farkas[0].second * 3, instant.farkas[1].second * 7) << "the gradients cancel";
}

TEST(Exactly, a_copy_of_a_condition_is_redundant_and_its_multiplier_not_unique) {
  const ExactInstant instant = exactly(R"toml(
gravity = [0, -10]
[points.a]
mass = 1
position = [0, -2]
[constraints]
string = "distance(a, [0, 0]) <= 2"
square = "dot(a, a) <= 4"
)toml");
  ASSERT_EQ(instant.status, Status::determined);
  EXPECT_FALSE(instant.regular);
  EXPECT_FALSE(instant.multipliers_unique);
  ASSERT_EQ(instant.redundant.size(), 1U);
  EXPECT_EQ(instant.redundant[0].combination[0].second, rational::Number(4));
  EXPECT_EQ(texts(instant.reaction), "0 10");
}

TEST(Exactly, an_irrational_distance_is_compared_by_its_square) {
  const ExactInstant instant = exactly(R"toml(
[points.a]
mass = 1
position = [1, 1]
[constraints]
slack = "distance(a, [0, 0]) <= 1.41421356237309504880168873"
tight = "norm(a) <= 2"
)toml");
  ASSERT_EQ(instant.status, Status::determined);
  EXPECT_EQ(instant.role[0], Role::passive_in_position);
  EXPECT_EQ(instant.scene.rows[1].value.text(), "-2 + sqrt(2)");
  EXPECT_FALSE(instant.scene.rows[1].known);
  const ExactInstant broken = exactly(R"toml(
[points.a]
mass = 1
position = [1, 1]
[constraints]
slack = "distance(a, [0, 0]) <= 1.41421356237309504880168872"
)toml");
  EXPECT_EQ(broken.status, Status::inadmissible);
}

TEST(Exactly, what_is_irrational_is_named) {
  const std::string coordinate = "[coordinates.q]\ninitial = 0.5\n[energy]\nkinetic = \"q'^2/2\"\n";
  EXPECT_NE(refusal(coordinate + "potential = \"cos(q)\"\n").find("cos of 1/2 is irrational"), std::string::npos);
  EXPECT_NE(refusal(coordinate + "potential = \"pi*q\"\n").find("pi has no place"), std::string::npos);
  for (const char* angle : {"atan2(4, 3)", "asin(3/5)", "acos(q)", "atan(2*q)"}) {
    const std::string told = refusal(coordinate + "potential = \"" + angle + "*q\"\n");
    EXPECT_NE(told.find(std::string("`") + angle + "` has no place: all angles but 0 are irrational"),
              std::string::npos)
        << told;
  }
  EXPECT_NE(refusal(coordinate + "potential = \"sqrt(q)*q\"\n").find("`sqrt(q)` is sqrt(1/2)"), std::string::npos);
  EXPECT_NE(refusal(coordinate + "potential = \"q^0.3\"\n").find("irrational"), std::string::npos);
  EXPECT_NE(refusal(coordinate + "[constraints]\nc = \"sqrt(q) <= sqrt(1/2)\"\n").find("by squares"),
            std::string::npos);
  // Where it is not needed, nothing is said.
  EXPECT_EQ(refusal("[parameters]\nyear = \"2*pi\"\n" + coordinate + "[simulation]\nuntil = \"3*year\"\n"), "");
}

TEST(Exactly, functions_have_fractions_where_they_have_them) {
  // At q = 0: V = 3 sin q + exp(2 q) - cos q, so that -V' = -(3 + 2).
  const ExactInstant instant = exactly(R"toml(
[coordinates.q]
initial = 0
[energy]
kinetic = "(2 + sin(q))*q'^2/2"
potential = "3*sin(q) + exp(2*q) - cos(q)"
)toml");
  EXPECT_EQ(texts(instant.accelerations), "-5/2");
}

TEST(Exactly, forces_of_coordinates_are_those_of_lagrange) {
  // T = (1 + q^2) q'^2 / 2 + t q': (1 + q^2) q'' + q q'^2 + 1 = 0.
  const ExactInstant instant = exactly(R"toml(
[coordinates.q]
initial = 2
velocity = 3
[energy]
kinetic = "(1 + q^2)*q'^2/2 + t*q'"
[simulation]
start = 0.5
)toml");
  EXPECT_EQ(texts(instant.accelerations), "-19/5");
  EXPECT_EQ(instant.scene.time.text(), "1/2");
}

TEST(Exactly, a_parameter_set_from_outside_is_what_was_typed) {
  model::Overrides overrides;
  overrides.parameters = {{"g", "0.3"}};
  const ExactInstant instant = exactly(R"toml(
gravity = [0, "-g"]
[parameters]
g = 9.81
[points.a]
mass = 3
position = [0, 0]
)toml",
                                       overrides);
  EXPECT_EQ(texts(instant.accelerations), "0 -3/10");
}

TEST(Exactly, a_singular_position_is_undecided) {
  // A straight bar of three points and three rods: the gradients depend on one another here alone.
  const ExactInstant instant = exactly(R"toml(
[points.p]
count = 3
mass = 1
position = ["i", 0]
force = [0, "if(i >= 2 and i <= 2, 1, 0)"]
[constraints]
ab = "distance(p[1], p[2]) = 1"
bc = "distance(p[2], p[3]) = 1"
ac = "distance(p[1], p[3]) = 2"
)toml");
  EXPECT_EQ(instant.status, Status::undecided);
  EXPECT_FALSE(instant.expansion.empty());
}

TEST(Exactly, a_struck_condition_needs_a_shock_first) {
  const ExactInstant instant = exactly(R"toml(
[points.a]
mass = 1
position = [0, 0]
velocity = [1e-300, 0]
[constraints]
wall = "a.x <= 0"
)toml");
  EXPECT_EQ(instant.status, Status::impact);
  EXPECT_EQ(instant.role[0], Role::approached);
}

std::string on_spring(const std::string& end, const std::string& spring) {
  return "gravity = [0, -10]\n[points.b]\nmass = 2\n" + end + "[springs]\ns = { between = [\"b\", [0, 0]], " + spring +
         " }\n";
}

TEST(Exactly, springs_pull_with_fractions) {
  // 3 (5 - 1) along (3, -4) / 5, and gravity.
  const std::string away = "position = [3, -4]\n";
  EXPECT_EQ(texts(exactly(on_spring(away, "length = 1, stiffness = 3")).accelerations), "-18/5 -26/5");
  // The same as a potential.
  EXPECT_EQ(texts(exactly("gravity = [0, -10]\n[points.b]\nmass = 2\n" + away +
                          "[energy]\npotential = \"3/2*(distance(b, [0, 0]) - 1)^2\"\n")
                      .accelerations),
            "-18/5 -26/5");
  // A damper: -c (D.v) D / D.D with D.v = 3.
  EXPECT_EQ(texts(exactly(on_spring(away + "velocity = [1, 0]\n", "damping = 0.1")).accelerations), "-9/500 -1247/125");
  // A rope that is slack, and one that is about to be taut.
  EXPECT_EQ(texts(exactly(on_spring(away, "length = 6, stiffness = 3, only = \"pull\"")).accelerations), "0 -10");
  const std::string rope = "length = 5, stiffness = 3, damping = 1, only = \"pull\"";
  EXPECT_EQ(texts(exactly(on_spring(away + "velocity = [1, 0]\n", rope)).accelerations), "-9/50 -244/25");
  EXPECT_EQ(texts(exactly(on_spring(away + "velocity = [-1, 0]\n", rope)).accelerations), "0 -10");
}

TEST(Exactly, springs_of_irrational_length_are_refused_by_their_name) {
  EXPECT_NE(refusal(on_spring("position = [1, 1]\n", "length = 1, stiffness = 1")).find("the spring `s`"),
            std::string::npos);
  EXPECT_NE(refusal(on_spring("position = [0, 0]\n", "length = 1, stiffness = 1")).find("no direction"),
            std::string::npos);
}

TEST(Exactly, springs_between_members_of_a_family) {
  const ExactInstant instant = exactly(R"toml(
[points.a]
count = 3
mass = 1
position = ["2*i", 0]
[springs]
s = { for = "i = 1..2", between = ["a[i]", "a[i+1]"], length = 1.5, stiffness = 0.1 }
)toml");
  EXPECT_EQ(texts(instant.accelerations), "1/20 0 0 0 -1/20 0");
}

TEST(Exactly, what_has_been_let_go_is_not_there) {
  const std::string text =
      "gravity = [0, -10]\n[points.b]\nmass = 2\nposition = [0, -1]\n[constraints]\nw = \"distance(b, [0, 0]) <= 1\"\n"
      "[[releases]]\nconstraint = \"w\"\nat = 0.5\n";
  model::Overrides later;
  later.start = "1/2";
  EXPECT_EQ(texts(exactly(text).accelerations), "0 0");
  EXPECT_EQ(texts(exactly(text, later).accelerations), "0 -10");
  const std::string spring =
      on_spring("position = [3, -4]\n", "length = 1, stiffness = 3") + "[[releases]]\nconstraint = \"s\"\nat = 0.5\n";
  EXPECT_EQ(texts(exactly(spring).accelerations), "-18/5 -26/5");
  EXPECT_EQ(texts(exactly(spring, later).accelerations), "0 -10");
  // And in doubles.
  const model::Draft draft = model::read(spring, "test.toml");
  EXPECT_EQ(accelerate(model::compile(draft, later), model::initial_state(model::compile(draft, later))).accelerations,
            std::vector<double>({0, -10}));
}

}  // namespace
}  // namespace zwang::instant::exactly_tests
