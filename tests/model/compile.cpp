/// What a written model becomes: kinds, names, order, parameters, overrides.
#include <gtest/gtest.h>

#include "sight.hpp"

namespace compile_tests {
namespace {

using namespace zwang::model;

const std::string start =
    "[parameters]\nk = 2\n[points.a]\nmass = 1\nposition = [1, 2, 3]\nvelocity = [4, 5, 6]\n[points.b]\nmass = "
    "1\nposition = [0, 1, 0]\n";

RowKind kind_of(const std::string& condition) {
  return load(start + "[constraints]\nc = \"" + condition + "\"\n", "model.toml").row_kind.at(0);
}

TEST(Kinds, follow_from_how_a_condition_is_written) {
  EXPECT_EQ(kind_of("distance(a, b) = 3"), RowKind::holonomic_equation);
  EXPECT_EQ(kind_of("a.x + t <= 3"), RowKind::holonomic_inequality);
  EXPECT_EQ(kind_of("a.x >= 3"), RowKind::holonomic_inequality);
  EXPECT_EQ(kind_of("a.x'*b.y = a.y'"), RowKind::nonholonomic_equation);
  EXPECT_EQ(kind_of("a.x' >= t"), RowKind::nonholonomic_inequality);
  EXPECT_EQ(kind_of("a.x' + b.x' <= a.y"), RowKind::nonholonomic_inequality);
}

TEST(Kinds, are_read_after_simplification) {
  EXPECT_EQ(kind_of("a.x' - a.x' + a.x = 0"), RowKind::holonomic_equation);
  EXPECT_EQ(kind_of("0*a.x' + a.x = 0"), RowKind::holonomic_equation);
  EXPECT_EQ(kind_of("(k - 2)*a.x' + a.x = 0"), RowKind::holonomic_equation);
  EXPECT_EQ(kind_of("(a.x' + 1)^2 - a.x'^2 = 1"), RowKind::nonholonomic_equation);
  EXPECT_EQ(kind_of("(a.x' + a.y)^2 - a.x'^2 - 2*a.x'*a.y = 1"), RowKind::holonomic_equation);
  EXPECT_EQ(kind_of("(sin(a.x)^2 + cos(a.x)^2 - 1)*a.x' + a.y = 0"), RowKind::holonomic_equation);
  EXPECT_EQ(kind_of("(sin(a.x)^2 + cos(a.x)^2 - 1)*a.x'^2 + a.y' = 0"), RowKind::nonholonomic_equation);
}

TEST(Kinds, a_small_coefficient_is_still_there) {
  EXPECT_EQ(kind_of("1e-20*a.x' + a.y = 5"), RowKind::nonholonomic_equation);
  EXPECT_EQ(kind_of("a.y*(1 + 1e-20*a.x'*b.y) = 5"), RowKind::nonholonomic_equation);
  EXPECT_THROW(static_cast<void>(kind_of("1e-15*a.x'^2 + 1e6*a.y' = 0")), zwang::Error);
}

TEST(Conditions, become_left_minus_right_or_the_reverse) {
  Sight sight(start + "[constraints]\ne = \"a.x = 5\"\nl = \"a.x <= 5\"\ng = \"a.x >= 5\"\nv = \"a.x' >= 1\"\n");
  EXPECT_EQ(sight.rows.value[0], -4);
  EXPECT_EQ(sight.rows.value[1], -4);
  EXPECT_EQ(sight.rows.value[2], 4);
  EXPECT_EQ(sight.rows.rate[2], -4);
  EXPECT_EQ(sight.rows.rate[3], -3);
  EXPECT_EQ(sight.rows.value[3], 0);
  EXPECT_EQ(sight.rows.explicit_rate[3], 1);
}

TEST(Conditions, a_vector_equation_stands_for_its_components) {
  Sight sight(start + "[constraints]\nh = \"a = b + [1, 1, 3]\"\nr = \"cross(a', [0, 0, 1]) = [0, 0, 0]\"\n");
  ASSERT_EQ(sight.model.rows(), 6U);
  EXPECT_EQ(row_name(sight.model, 1), "h.y");
  EXPECT_EQ(sight.rows.value[1], 0);
  EXPECT_EQ(sight.model.row_kind[1], RowKind::holonomic_equation);

  // cross(v, e_z) = (v_y, -v_x, 0): the last component is idle, and of the kind of its sisters.
  EXPECT_EQ(row_name(sight.model, 5), "r.z");
  EXPECT_EQ(sight.rows.rate[3], 5);
  EXPECT_EQ(sight.rows.rate[4], -4);
  EXPECT_EQ(sight.rows.rate[5], 0);
  EXPECT_EQ(sight.model.row_kind[5], RowKind::nonholonomic_equation);
  EXPECT_EQ(sight.model.row_start[6], sight.model.row_start[5]);
}

TEST(Conditions, of_members_and_components_are_called_by_both) {
  const Model model = load(
      "[points.b]\ncount = 3\nmass = 1\nposition = [\"i\", 0]\n[constraints]\n"
      "m = { for = \"i = 2..3\", condition = \"b[i]' = b[1]'\" }\n",
      "model.toml");
  ASSERT_EQ(model.rows(), 4U);
  EXPECT_EQ(row_name(model, 0), "m[2].x");
  EXPECT_EQ(row_name(model, 3), "m[3].y");
  EXPECT_EQ(words(model.row_kind[3]), "nonholonomic equation");
}

TEST(Conditions, keep_their_long_form) {
  const Model model = load(
      start +
          "[constraints]\ns = { condition = \"a.x'*sin(b.x) = a.y'\", law = \"variational\", multiplier = \"k/8\" }\n"
          "w = { condition = \"a.z >= 0\", restitution = \"1/k\" }\n",
      "model.toml");
  EXPECT_EQ(model.conditions[0].law, Law::variational);
  EXPECT_EQ(model.conditions[0].multiplier, 0.25);
  EXPECT_EQ(model.conditions[1].restitution, 0.5);
  EXPECT_EQ(model.conditions[1].text, "a.z >= 0");
  EXPECT_EQ(model.conditions[1].place.line, 12U);
  EXPECT_EQ(model.conditions[1].place.column, 20U);
}

TEST(Order, is_that_of_the_file) {
  const Model model = load(R"toml(
[points.zebra]
mass = 1
position = [0, 0]
[coordinates.y]
initial = 1
[points.ant]
mass = 2
position = [1, 0]
[coordinates.b]
initial = 2
[energy]
kinetic = "y'^2 + b'^2"
[parameters]
z = 1
a = "z + 1"
[constraints]
z = "ant.x <= 1"
b = "zebra.x <= 1"
a = "y <= 1"
[outputs]
q = "y"
c = "b"
)toml",
                           "model.toml");
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < model.variables; ++k) names.push_back(variable_name(model, k));
  EXPECT_EQ(names, (std::vector<std::string>{"zebra.x", "zebra.y", "y", "ant.x", "ant.y", "b"}));
  names.clear();
  for (std::uint32_t k = 0; k < model.rows(); ++k) names.push_back(row_name(model, k));
  EXPECT_EQ(names, (std::vector<std::string>{"z", "b", "a"}));
  EXPECT_EQ(model.outputs[0].name, "q");
  EXPECT_EQ(model.parameters[0].name, "z");
  EXPECT_EQ(model.parameters[1].value, std::vector<double>{2});
}

TEST(Parameters, may_be_defined_in_any_order_and_be_vectors) {
  const Model model =
      load("[parameters]\nr = \"2*p.y + c\"\np = [\"c\", \"c^2\", 0]\nc = 3\n" + start.substr(start.find("[points.a]")),
           "model.toml");
  EXPECT_EQ(model.parameters[0].value, std::vector<double>{21});
  EXPECT_EQ(model.parameters[1].value, (std::vector<double>{3, 9, 0}));
}

TEST(Parameters, a_chain_of_ten_thousand_is_no_trouble) {
  std::string text = "[parameters]\np0 = 1\n";
  for (int k = 10000; k > 0; --k) text += "p" + std::to_string(k) + " = \"p" + std::to_string(k - 1) + " + 1\"\n";
  const Model model = load(text + "[points.a]\nmass = \"p10000\"\nposition = [0, 0]\n", "model.toml");
  EXPECT_EQ(model.point_mass[0], 10001);
}

TEST(Parameters, are_replaced_from_outside_before_anything_is_made_of_them) {
  Overrides overrides;
  overrides.parameters = {{"k", "2*3"}};
  overrides.start = "k/2";
  overrides.until = "20";
  overrides.tolerance = "1e-6";
  overrides.samples = "11";
  const std::string text =
      "[parameters]\nk = 1\nm = \"k + 1\"\n[points.a]\nmass = \"m\"\nposition = [\"k\", 0]\n[simulation]\nstart = "
      "1\nuntil = 2\n";
  const Model model = load(text, "model.toml", overrides);
  EXPECT_EQ(model.point_mass[0], 7);
  EXPECT_EQ(model.initial_position[0], 6);
  EXPECT_EQ(model.simulation.start, 3);
  EXPECT_EQ(model.simulation.until, 20);
  EXPECT_EQ(model.simulation.tolerance, 1e-6);
  EXPECT_EQ(model.simulation.samples, 11U);
}

TEST(Parameters, may_be_replaced_by_vectors) {
  Overrides overrides;
  overrides.parameters = {{"p", "[1, k, 2+1]"}, {"k", "7"}};
  const Model model =
      load("[parameters]\nk = 1\np = [0, 0, 0]\n[points.a]\nmass = 1\nposition = \"p\"\n", "model.toml", overrides);
  EXPECT_EQ(model.initial_position, (std::vector<double>{1, 7, 3}));
}

TEST(Blows, fall_on_points_members_and_coordinates) {
  const Model model = load(R"toml(
[parameters]
J = 2
[points.b]
count = [2, 2]
mass = 1
position = ["i", "j"]
[coordinates.w]
initial = 0
[energy]
kinetic = "w'^2"
[[impulses]]
on = "b[2, 1]"
value = ["J", 3]
[[impulses]]
at = 0.5
on = "w"
value = "J^2"
[simulation]
start = 0.25
)toml",
                           "model.toml");
  ASSERT_EQ(model.blows.size(), 2U);
  EXPECT_EQ(model.blows[0].on, "b[2,1]");
  EXPECT_EQ(model.blows[0].at, 0.25);
  EXPECT_EQ(model.blows[0].variables, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(model.blows[0].impulse, (std::vector<double>{2, 3}));
  EXPECT_EQ(model.blows[1].variables, std::vector<std::uint32_t>{8});
  EXPECT_EQ(model.blows[1].impulse, std::vector<double>{4});
}

TEST(Seizures, come_after_the_constraints) {
  const Model model = load(
      start +
          "[[seizures]]\nname = \"hook\"\nat = 1.5\ncondition = \"a' = [0, 0, 0]\"\n[constraints]\nc = \"b.x <= 1\"\n",
      "model.toml");
  ASSERT_EQ(model.conditions.size(), 2U);
  EXPECT_FALSE(model.conditions[0].seizure);
  EXPECT_TRUE(model.conditions[1].seizure);
  EXPECT_EQ(model.conditions[1].at, 1.5);
  EXPECT_EQ(row_name(model, 3), "hook.z");
}

TEST(Seizures, need_no_value_before_their_time) {
  EXPECT_NO_THROW(static_cast<void>(
      load(start + "[[seizures]]\nname = \"hook\"\nat = 1.5\ncondition = \"a.x' = 1/t\"\n", "model.toml")));
  EXPECT_THROW(
      static_cast<void>(load(start + "[[seizures]]\nname = \"hook\"\ncondition = \"a.x' = 1/t\"\n", "model.toml")),
      zwang::Error);
}

TEST(Gradients, may_be_without_value_at_the_start) {
  // The end of a string at its anchor: the distance has a value there, its gradient has none.
  EXPECT_NO_THROW(static_cast<void>(load(
      "[parameters]\np = [0, 0]\n[points.a]\nmass = 1\nposition = [0, 0]\n[constraints]\ns = \"distance(a, p) <= 1\"\n",
      "model.toml")));
}

TEST(KineticEnergy, may_have_linear_and_constant_parts) {
  EXPECT_NO_THROW(static_cast<void>(
      load("[coordinates.x]\ninitial = 1\n[energy]\nkinetic = \"(x' - t)^2/2 + x^2*t\"\n", "model.toml")));
}

TEST(KineticEnergy, of_many_coordinates_couples_neighbours_only) {
  // A chain of 300 coupled by neighbours is one block; 300 free ones are none.
  const std::string free =
      "[coordinates.s]\ncount = 300\ninitial = \"i\"\n[energy]\nkinetic = \"sum(i = 1..300, s[i]'^2)\"\n";
  EXPECT_TRUE(load(free, "model.toml").mass_blocks.empty());
  const std::string chain =
      "[coordinates.s]\ncount = 30\ninitial = \"i\"\n[energy]\nkinetic = \"sum(i = 1..30, s[i]'^2) + sum(i = 1..29, "
      "s[i]'*s[i+1]'/4)\"\n";
  EXPECT_EQ(load(chain, "model.toml").mass_blocks.at(0).size(), 30U);
}

TEST(KineticEnergy, written_out_falls_apart_into_lanes) {
  // Twenty terms with no velocity in common are twenty lanes of one tape, not a tape with a matrix of zeros.
  std::string coordinates, kinetic;
  for (int k = 0; k < 20; ++k) {
    const std::string name = "x" + std::to_string(k);
    coordinates += "[coordinates." + name + "]\ninitial = " + std::to_string(k) + "\nvelocity = 2\n";
    kinetic += (k > 0 ? " + " : "") + name + "'^2*(1 + " + name + ")/2";
  }
  Sight sight(coordinates + "[energy]\nkinetic = \"" + kinetic + " + 7\"\n");
  ASSERT_EQ(sight.model.terms.size(), 2U);
  EXPECT_EQ(sight.model.terms[0].lanes, 20U);
  EXPECT_TRUE(sight.model.mass_blocks.empty());
  EXPECT_DOUBLE_EQ(energy(sight.model, sight.state, sight.scratch).kinetic, 2.0 * (20 + 190) + 7);
  for (std::uint32_t k = 0; k < 20; ++k) {
    EXPECT_DOUBLE_EQ(sight.dynamics.mass.diagonal()[k], 1.0 + k);
    EXPECT_DOUBLE_EQ(sight.dynamics.force[k], -2.0);  // d/dt ((1 + x) x') - x'^2/2 with x'' = 0
  }
}

TEST(Names, of_the_text_are_kept) {
  const Model model = load("title = \"Ein Faden\"\n" + start, "thread.toml");
  EXPECT_EQ(model.title, "Ein Faden");
  EXPECT_EQ(model.file, "thread.toml");
  EXPECT_EQ(model.text, "title = \"Ein Faden\"\n" + start);
}

TEST(Reading, keeps_letters_of_any_kind_in_texts) {
  const std::string text =
      "title = \"\"\"\"Fäden\"\" 糸 \\\n  x\"\"\" # größer\n" + start + "# ein 'halber\n[outputs]\nh = \"a.x\" # \"ü\n";
  EXPECT_EQ(load(text, "model.toml").title, "\"Fäden\"\" 糸 x");
}

TEST(Reading, accepts_carriage_returns_a_byte_order_mark_and_comments) {
  std::string text = "\xEF\xBB\xBF# Größe\n" + start;
  std::string dos;
  for (const char c : text) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(load(dos, "model.toml").variables, 6U);
}

TEST(Choices, of_indices_may_ask_whether_they_are_equal) {
  const std::string head = "[points.p]\ncount = 3\nmass = 1\nposition = [\"i\", 0]\n";
  // 1/(1 - 2)^2 and so on, by hand; the term of a member with itself has no value and is not asked for one.
  Sight all(head + "force = \"sum(j = 1..3, if(j = i, [0, 0], (p[j] - p[i])/norm(p[j] - p[i])^3))\"\n");
  EXPECT_EQ(all.dynamics.force, (std::vector<double>{1.25, 0, 0, 0, -1.25, 0}));
  Sight others(head + "force = [\"sum(j = 1..3, if(j != i and i <= 2, 1, 0))\", \"if(i == 2, 7, 0)\"]\n");
  EXPECT_EQ(others.dynamics.force, (std::vector<double>{2, 0, 2, 7, 0, 0}));
  try {
    Sight state(head + "force = [\"if(p[1].x = 2, 1, 0)\", 0]\n");
    FAIL() << "two numbers of a motion";
  } catch (const zwang::Error& error) {
    EXPECT_NE(error.message().find("parameters and indices can be equal"), std::string::npos) << error.message();
    EXPECT_EQ(error.place().line, 5);
  }
}

TEST(Coordinates, may_be_called_xyz_beside_points) {
  Sight sight(
      "[coordinates.x]\ninitial = 1\n[points.a]\nmass = 1\nposition = [5, 6]\n[energy]\nkinetic = "
      "\"x'^2/2\"\n[constraints]\nc = \"a.x <= x\"\n");
  EXPECT_EQ(sight.rows.value[0], 4);
}

}  // namespace
}  // namespace compile_tests
