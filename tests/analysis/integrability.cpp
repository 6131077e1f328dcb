/// Integrability: hand examples, gradients hidden behind matrices, systems that miss integrability by one term.
#include "zwang/analysis/integrability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

#include "analysis/models.hpp"
#include "zwang/analysis/leaf.hpp"

namespace zwang::analysis::integrability_tests {

namespace {

using Counts = std::vector<std::size_t>;
using Texts = std::vector<std::string>;

/// Forms as a model: coordinates, coefficients (of dt if the last column is "t"), the point.
std::string forms_model(const Texts& columns, const std::vector<Texts>& forms, const Texts& point,
                        const std::string& more = "") {
  std::string bodies;
  std::string kinetic = "0";
  std::string start;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == "t") {
      start = "[simulation]\nstart = \"" + point[c] + "\"\n";
      continue;
    }
    bodies += "[coordinates." + columns[c] + "]\ninitial = \"" + point[c] + "\"\n";
    kinetic += " + " + columns[c] + "'^2/2";
  }
  std::string conditions = "[constraints]\n" + more;
  for (std::size_t f = 0; f < forms.size(); ++f) {
    conditions += "c" + std::to_string(f + 1) + " = \"0";
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (forms[f][c] == "0") continue;
      conditions += " + (" + forms[f][c] + ")" + (columns[c] == "t" ? "" : "*" + columns[c] + "'");
    }
    conditions += " = 0\"\n";
  }
  return bodies + "[energy]\nkinetic = \"" + kinetic + "\"\n" + conditions + start;
}

struct Asked {
  model::Draft draft;
  model::Model model;
  model::State state;
};
Asked read_model(const std::string& text) {
  model::Draft draft = model::read(text, "model.toml");
  model::Model model = model::compile(draft);
  model::State state = model::initial_state(model);
  return {std::move(draft), std::move(model), std::move(state)};
}

Integrability ask(const std::string& text, const IntegrabilityOptions& options = {}) {
  const Asked asked = read_model(text);
  return integrability(asked.draft, asked.model, asked.state, options);
}

/// Texts of the explicit integrals.
Texts integrals_of(const Integrability& found) {
  Texts out;
  for (const Integral& integral : found.integrals) out.push_back(integral.text);
  return out;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- hand examples

TEST(Integrability, of_a_contact_form_is_none) {
  const auto found = ask(forms_model({"x", "y", "z"}, {{"-y", "0", "1"}}, {"1", "2", "3"}));
  EXPECT_TRUE(found.decided);
  EXPECT_EQ(found.integrable, 0U);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.derived, (Counts{1, 0}));
  EXPECT_EQ(found.growth, (Counts{2, 3}));
  EXPECT_TRUE(found.integrals.empty());
  EXPECT_FALSE(found.laws_agree);
  EXPECT_FALSE(found.leaf.special);
}

TEST(Integrability, of_engels_system_needs_two_brackets) {
  const auto found =
      ask(forms_model({"x", "y", "z", "w"}, {{"-z", "1", "0", "0"}, {"-w", "0", "1", "0"}}, {"2", "3", "1", "4"}));
  EXPECT_EQ(found.derived, (Counts{2, 1, 0}));
  EXPECT_EQ(found.growth, (Counts{2, 3, 4}));
}

TEST(Integrability, does_not_depend_on_the_unit_of_length) {
  // A coin that rolls, R ph' along its heading, in anything from light years to nanometres; where it starts may be the origin.
  for (const std::string radius : {"1e-12", "1e-6", "1", "1e5", "1e9", "1e12"}) {
    for (const std::string place : {"0", "0.1", "40"}) {
      SCOPED_TRACE(radius + ", " + place);
      const std::string at = place + "*" + radius;
      const auto found =
          ask(forms_model({"x", "y", "th", "ph"},
                          {{"1", "0", "0", "-" + radius + "*cos(th)"}, {"0", "1", "0", "-" + radius + "*sin(th)"}},
                          {at, at, "0.3", "0.4"}));
      EXPECT_TRUE(found.decided);
      EXPECT_EQ(found.derived, (Counts{2, 1, 0}));
      EXPECT_EQ(found.growth, (Counts{2, 3, 4}));
    }
  }
}

TEST(Integrability, of_a_tower_of_contact_forms_goes_down_one_by_one) {
  // dy - y1 dx, dy1 - y2 dx, ..., dy4 - y5 dx: the jets of functions of one variable.
  const Texts columns = {"x", "y", "y1", "y2", "y3", "y4", "y5"};
  std::vector<Texts> forms;
  for (std::size_t k = 1; k + 1 < columns.size(); ++k) {
    Texts form(columns.size(), "0");
    form[0] = "-" + columns[k + 1];
    form[k] = "1";
    forms.push_back(form);
  }
  const auto found = ask(forms_model(columns, forms, {"1", "2", "3", "4", "5", "6", "7"}));
  EXPECT_TRUE(found.decided) << found.doubt;
  EXPECT_EQ(found.derived, (Counts{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(found.growth, (Counts{2, 3, 4, 5, 6, 7}));
}

TEST(Integrability, of_hilberts_and_cartans_system_grows_by_two_at_the_end) {
  const auto found = ask(forms_model(
      {"x", "y", "z", "p", "q"}, {{"-p", "1", "0", "0", "0"}, {"-q", "0", "0", "1", "0"}, {"-q^2", "0", "1", "0", "0"}},
      {"1", "2", "3", "4", "5"}));
  EXPECT_EQ(found.derived, (Counts{3, 2, 0}));
  EXPECT_EQ(found.growth, (Counts{2, 3, 5}));
}

TEST(Integrability, of_one_form_in_two_variables_is_always_complete) {
  for (const auto& [p, q] : std::vector<std::pair<std::string, std::string>>{
           {"x^2 + y", "sin(x)*y"}, {"exp(x*y)", "log(x) + y^3"}, {"y", "-x"}, {"atan(x) + 2", "cosh(y)"}}) {
    const auto found = ask(forms_model({"x", "y"}, {{p, q}}, {"1", "2"}));
    EXPECT_EQ(found.integrable, 1U) << p;
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(found.laws_agree);
    EXPECT_EQ(found.derived, (Counts{1, 1}));
    EXPECT_EQ(found.growth, (Counts{1}));
    EXPECT_EQ(found.integrals.size() + found.implicit.size(), 1U);
  }
}

TEST(Integrability, finds_integrals_that_are_exact_or_have_a_factor) {
  struct Case {
    Texts columns;
    Texts form;
    std::string integral;
  };
  const std::vector<Case> cases = {
      {{"x", "y", "z"}, {"y*z", "x*z", "x*y"}, "x*y*z"},
      {{"x", "y"}, {"-y", "x"}, "x/y"},
      {{"x", "y"}, {"y + x*y^2", "-x"}, "x*(x + 2/y)"},
      {{"x", "y", "z"}, {"y + z", "z + x", "x + y"}, "x*y + x*z + y*z"},
      {{"x", "y", "z"}, {"-y/(x^2+y^2)", "x/(x^2+y^2)", "1"}, "z + atan2(y, x)"},
      {{"x", "y", "t"}, {"sin(t)", "-cos(t)", "x*cos(t) + y*sin(t)"}, "x*sin(t) - y*cos(t)"},
      {{"x", "y", "t"}, {"1", "-y", "-sin(t)"}, "2*x + 2*cos(t) - y^2"},
  };
  for (const Case& c : cases) {
    const auto found = ask(forms_model(c.columns, {c.form}, {"1.5", "2", "0.75"}));
    EXPECT_EQ(found.integrable, 1U) << c.integral;
    EXPECT_EQ(integrals_of(found), Texts{c.integral});
    for (const Integral& integral : found.integrals) EXPECT_LE(integral.residual, 1e-11);
  }
}

TEST(Integrability, finds_integrals_by_their_factors_where_none_is_simple_by_itself) {
  // dy + (2 x y - x) dx = 0 has the factor exp(x^2); y (y + z) dx + z (x + z) dy + y (y - x) dz = 0 is
  // d(y (x + z) / (y + z)) times something.
  for (const auto& [columns, form] :
       std::vector<std::pair<Texts, Texts>>{{{"x", "y"}, {"2*x*y - x", "1"}},
                                            {{"x", "y", "z"}, {"y*(y + z)", "z*(x + z)", "y*(y - x)"}},
                                            {{"x", "y"}, {"y*cos(x) + sin(x)*cos(x)", "1"}}}) {
    const auto found = ask(forms_model(columns, {form}, {"1.5", "2", "0.75"}));
    EXPECT_TRUE(found.complete);
    EXPECT_EQ(found.integrals.size(), 1U) << form[0];
    for (const Integral& integral : found.integrals) EXPECT_LE(integral.residual, 1e-10) << integral.text;
  }
}

TEST(Integrability, gives_no_fit_for_an_integral) {
  // None of these integrals is an elementary function; all are approximated well by twenty of them near a point.
  for (const std::string& slope : {std::string("-t/(1 - t - sin(t))"), std::string("-t*exp(t)/(1 + sin(t) + t)"),
                                   std::string("-exp(t)/(2 + t)")}) {
    const auto found = ask(forms_model({"y", "t"}, {{"1", slope}}, {"0.5", "0.2"}));
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(found.integrals.empty()) << found.integrals[0].text;
    EXPECT_EQ(found.implicit.size(), 1U);
  }
}

TEST(Integrability, writes_an_integral_so_that_it_exists_at_the_state) {
  const auto found = ask(forms_model({"x", "z"}, {{"-z", "1"}}, {"0.3", "0"}));
  EXPECT_EQ(integrals_of(found), Texts{"z*exp(-x)"});
  ASSERT_EQ(found.integrals.size(), 1U);
  EXPECT_EQ(found.integrals[0].value, 0);
  EXPECT_NEAR(found.integrals[0].gradient[1], std::exp(-0.3), 1e-15);
  EXPECT_EQ(integrals_of(ask(forms_model({"x", "y"}, {{"-y", "x"}}, {"2", "0"}))), Texts{"y/x"});
}

TEST(Integrability, counts_time_as_a_column_only_where_it_occurs) {
  const auto still = ask(forms_model({"x", "y"}, {{"1", "x"}}, {"1", "2"}));
  EXPECT_EQ(still.columns, (Texts{"x", "y"}));
  // x' + x y' = 3: the time enters by dt alone.
  const auto moving = ask(forms_model({"x", "y", "t"}, {{"1", "x", "-3"}}, {"1", "2", "0"}));
  EXPECT_EQ(moving.columns, (Texts{"x", "y", "t"}));
  EXPECT_EQ(moving.integrable, 0U) << "dx + x dy - 3 dt is a contact form";
  const auto plain = ask(forms_model({"x", "y", "t"}, {{"1", "y", "-3"}}, {"1", "2", "0"}));
  EXPECT_EQ(plain.integrable, 1U);
  EXPECT_EQ(plain.growth, (Counts{2}));
}

TEST(Integrability, counts_holonomic_equations_and_asks_the_rest_on_their_level_set) {
  // On x1 = 0 the form dx4 + x1 x2 dx3 is dx4; on x1 = 1 it is a contact form.
  for (const bool at_zero : {true, false}) {
    const std::string value = at_zero ? "0" : "1";
    const auto found = ask(forms_model({"x1", "x2", "x3", "x4"}, {{"0", "0", "x1*x2", "1"}}, {value, "2", "3", "4"},
                                       "wall = \"x1 = " + value + "\"\n"));
    EXPECT_EQ(found.conditions, 2U);
    EXPECT_EQ(found.holonomic, 1U);
    EXPECT_EQ(found.integrable, at_zero ? 2U : 1U);
    EXPECT_EQ(found.derived, at_zero ? (Counts{2, 2}) : (Counts{2, 1, 1}));
    EXPECT_EQ(found.growth, at_zero ? (Counts{2}) : (Counts{2, 3}));
    EXPECT_EQ(found.laws_agree, at_zero);
    EXPECT_EQ(found.integrals.size(), found.integrable);
  }
}

TEST(Integrability, of_a_knife_edge_on_a_rotating_sphere_is_asked_on_the_sphere) {
  // A curved level set: the point stays on a sphere, and the third coordinate turns as the first two move.
  const std::string text = R"(
[points.a]
mass = 1
position = [0.6, 0, 0.8]
[coordinates.w]
initial = 0.3
[energy]
kinetic = "w'^2"
[constraints]
sphere = "distance(a, [0, 0, 0]) = 1"
edge   = "a.x'*a.y - a.y'*a.x + w' = 0"
meridian = "a.x*a.x' + a.y*a.y' + a.z*a.z' + 2*w*w' - w' = 0"
)";
  const auto found = ask(text);
  EXPECT_TRUE(found.decided) << found.doubt;
  EXPECT_EQ(found.conditions, 3U);
  // On the sphere the third reads (2 w - 1) dw = 0.
  EXPECT_EQ(found.integrable, 3U);
  EXPECT_EQ(found.growth, (Counts{1}));
}

TEST(Integrability, of_repeated_conditions_counts_them_once) {
  const auto found = ask(forms_model({"x", "y", "z"}, {{"y", "x", "0"}, {"2*x*y", "2*x^2", "0"}}, {"1", "2", "3"}));
  EXPECT_EQ(found.conditions, 2U);
  EXPECT_EQ(found.derived, (Counts{1, 1}));
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.growth, (Counts{2}));
}

TEST(Integrability, on_a_special_leaf_may_be_more) {
  // dx1 = 0, dx2 + x1 x3 dx4 = 0, dx5 + (x1 + x2) x3^2 dx4 = 0.
  const std::vector<Texts> forms = {
      {"1", "0", "0", "0", "0"}, {"0", "1", "0", "x1*x3", "0"}, {"0", "0", "0", "(x1+x2)*x3^2", "1"}};
  const Texts columns = {"x1", "x2", "x3", "x4", "x5"};
  for (const auto& [x1, x2, leaf] :
       std::vector<std::tuple<std::string, std::string, std::size_t>>{{"1", "2", 1}, {"0", "1", 2}, {"0", "0", 3}}) {
    const auto found = ask(forms_model(columns, forms, {x1, x2, "1.5", "4", "2"}));
    EXPECT_EQ(found.integrable, 1U);
    EXPECT_EQ(found.derived, (Counts{3, 2, 1, 1}));
    EXPECT_EQ(found.leaf.integrable, leaf);
    EXPECT_EQ(found.leaf.special, leaf > 1);
    EXPECT_EQ(found.leaf.reachable, 5 - leaf);
    EXPECT_EQ(found.leaf.integrals.size(), leaf - 1);
    EXPECT_EQ(found.laws_agree, leaf == 3);
  }
}

TEST(Integrability, at_special_points_says_what_is_special) {
  // Martinet: dz - y^2 dx at y = 0 needs one bracket more.
  const auto martinet = ask(forms_model({"x", "y", "z"}, {{"-y^2", "0", "1"}}, {"1", "0", "3"}));
  EXPECT_EQ(martinet.growth, (Counts{2, 3}));
  EXPECT_TRUE(martinet.leaf.special);
  EXPECT_EQ(martinet.leaf.growth, (Counts{2, 2, 3}));
  EXPECT_EQ(martinet.leaf.integrable, 0U);
  // dz - z y dx at z = 0: no integral, but z = 0 is never left.
  const auto invariant = ask(forms_model({"x", "y", "z"}, {{"-z*y", "0", "1"}}, {"1", "1", "0"}));
  EXPECT_EQ(invariant.integrable, 0U);
  EXPECT_TRUE(invariant.leaf.special);
  EXPECT_EQ(invariant.leaf.reachable, 2U);
  // x dx + y dy at the origin: no form is left there.
  const auto origin = ask(forms_model({"x", "y"}, {{"x", "y"}}, {"0", "0"}));
  EXPECT_EQ(origin.integrable, 1U);
  EXPECT_TRUE(origin.leaf.dependent);
  EXPECT_EQ(origin.leaf.rank_at_state, 0U);
}

TEST(Integrability, without_equations_is_no_question) {
  EXPECT_EQ(
      ask("[coordinates.x]\ninitial = 1\n[energy]\nkinetic = \"x'^2\"\n[constraints]\nw = \"x <= 3\"\n").conditions,
      0U);
}

TEST(Integrability, of_many_equations_between_positions_is_complete_without_ado) {
  const auto found = ask(R"(
[points.bead]
count = 60
mass = 1
position = ["i", 0, 0]
[constraints]
link = { for = "i = 1..59", condition = "distance(bead[i], bead[i+1]) = 1" }
)");
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.integrable, 59U);
  EXPECT_EQ(found.derived, (Counts{59, 59}));
  EXPECT_EQ(found.growth, (Counts{121}));
}

TEST(Integrability, of_redundant_equations_between_positions_counts_the_independent_ones) {
  // A parallelogram with three cranks whose joints lie in one line: 6 equations, 5 of them independent, one way to move.
  const char* parallelogram =
      "[points.a]\nmass = 1\nposition = [0.6, 0.8]\n[points.b]\nmass = 1\nposition = [1.6, 0.8]\n[points.c]\nmass = "
      "1\nposition = [2.6, 0.8]\n[constraints]\nr1 = \"norm(a) = 1\"\nr2 = \"distance(b, [1, 0]) = 1\"\nr3 = "
      "\"distance(c, [2, 0]) = 1\"\nab = \"distance(a, b) = 1\"\nbc = \"distance(b, c) = 1\"\nac = \"distance(a, c) = "
      "2\"\n";
  const Integrability found = ask(parallelogram);
  EXPECT_TRUE(found.decided);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.conditions, 6);
  EXPECT_EQ(found.integrable, 5);
  EXPECT_EQ(found.growth, std::vector<std::size_t>{1});
  EXPECT_EQ(found.integrals.size(), 5);
}

TEST(Integrability, that_small_terms_spoil_is_seen_with_twice_the_digits) {
  // d(x y z) with one coefficient off by a relative epsilon: integrable at zero, a contact form otherwise.
  for (const double epsilon : {0.0, 1e-3, 1e-6, 1e-8, 1e-10}) {
    const auto found =
        ask(forms_model({"x", "y", "z"}, {{"y*z", "x*z*(1 + " + digits(epsilon) + "*x)", "x*y"}}, {"1", "2", "3"}));
    EXPECT_TRUE(found.decided) << epsilon;
    EXPECT_EQ(found.integrable, epsilon == 0 ? 1U : 0U) << epsilon;
    EXPECT_TRUE(epsilon != 1e-8 || found.derived_gaps[1].wide);
  }
}

TEST(Integrability, as_numbers_is_constant_along_ways_of_the_leaf) {
  // dz = y dx, dx = z dy: one integral is elementary, the other is not.
  const Asked asked =
      read_model(forms_model({"x", "y", "z"}, {{"-y", "0", "1"}, {"1", "-z", "0"}}, {"0.4", "1.5", "0.7"}));
  const auto found = integrability(asked.draft, asked.model, asked.state);
  EXPECT_EQ(found.integrals.size(), 1U);
  EXPECT_EQ(found.implicit.size(), 1U);
  const LeafNumbers numbers(asked.draft, asked.model, asked.state);
  ASSERT_EQ(numbers.names().size(), 2U);
  const std::vector<double> here = numbers.at(asked.state);
  ASSERT_EQ(here.size(), 2U);
  const PfaffianSystem system = pfaffian_system(asked.draft, asked.model, asked.state);
  const Restriction restriction(system, {});
  Dice dice(5);
  const auto there = restriction.wander(asked.state.position, dice);
  ASSERT_TRUE(there);
  model::State other = asked.state;
  other.position = *there;
  EXPECT_GT(std::abs(other.position[0] - asked.state.position[0]), 1e-2);
  const std::vector<double> again = numbers.at(other);
  ASSERT_EQ(again.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(again[k], here[k], 1e-10);
  // And it tells leaves apart.
  other.position[2] += 0.1;
  const std::vector<double> off = numbers.at(other);
  ASSERT_EQ(off.size(), 2U);
  EXPECT_GT(std::abs(off[0] - here[0]) + std::abs(off[1] - here[1]), 1e-3);
}

// ---------------------------------------------------------------------------------------------------- wide numbers and
// jets

TEST(WideNumbers, obey_the_laws_of_functions_to_thirty_digits) {
  Numbers number(3);
  for (int k = 0; k < 200; ++k) {
    const Wide x(3 * number());
    const auto off = [](const Wide& a, const Wide& b) { return std::abs(narrow(a - b)); };
    EXPECT_LE(off(sin(x) * sin(x) + cos(x) * cos(x), 1), 1e-30);
    EXPECT_LE(off(exp(x) * exp(-x), 1), 1e-28);
    EXPECT_LE(off(log(exp(x)), x), 1e-28);
    EXPECT_LE(off(sqrt(x * x + Wide(1)) * sqrt(x * x + Wide(1)), x * x + Wide(1)), 1e-29);
    EXPECT_LE(off(sin(x + Wide(1)), sin(x) * cos(Wide(1)) + cos(x) * sin(Wide(1))), 1e-29);
    const Wide angle = atan2(sin(x), cos(x));
    EXPECT_LE(off(sin(angle), sin(x)), 1e-29);
  }
}

// ---------------------------------------------------------------------------------------------------- random systems

namespace {

/// Gradients of phi_j = x_j + g_j(x_{j+1}, ...) behind an invertible matrix, columns shuffled; with `spoiled` the last
/// form is not d phi_r but d phi_r + k x_{n-1} dx_n, so that exactly r - 1 combinations integrate.
struct Hidden {
  std::string text;
  std::size_t n = 0;
  std::size_t r = 0;
};

Hidden hidden_system(std::uint64_t seed, bool spoiled) {
  Numbers number(seed);
  Hidden out;
  out.n = (spoiled ? 3 : 2) + number.below(spoiled ? 4 : 5);
  out.r = 1 + number.below(std::min<std::size_t>(4, out.n - (spoiled ? 2 : 1)));
  const std::size_t n = out.n;
  const std::size_t r = out.r;
  const auto x = [](std::size_t i) { return "x" + std::to_string(i); };
  const auto factor = [&] { return digits(std::round(1000 * (number() + (number() > 0 ? 1.2 : -1.2))) / 1000); };

  // d phi_j as texts: every term of g_j is a product of two variables, a square, a sine or an exponential.
  std::vector<Texts> gradient(r, Texts(n, "0"));
  for (std::size_t j = 0; j < r; ++j) {
    gradient[j][j] = "1";
    for (std::size_t term = 0; term < 3; ++term) {
      const std::size_t a = j + 1 + number.below(n - j - 1);
      const std::size_t b = j + 1 + number.below(n - j - 1);
      const std::string c = factor();
      const auto add = [&](std::size_t i, const std::string& text) { gradient[j][i] += " + " + c + "*" + text; };
      switch (number.below(4)) {
        case 0: add(a, "cos(" + x(a) + ")"); break;
        case 1: add(a, "exp(" + x(a) + "/2)/2"); break;
        default: add(a, x(b)); add(b, x(a));
      }
    }
  }
  if (spoiled) gradient[r - 1][n - 1] += " + " + factor() + "*" + x(n - 2);

  // L U with ones on the diagonals has determinant 1 everywhere.
  const auto triangle = [&](bool lower) {
    std::vector<Texts> t(r, Texts(r, "0"));
    for (std::size_t i = 0; i < r; ++i) {
      t[i][i] = "1";
      for (std::size_t k = 0; k < r; ++k) {
        if (lower ? k >= i : k <= i) continue;
        const std::string v = x(number.below(n));
        t[i][k] = number() > 0 ? "(" + factor() + " + " + v + ")" : "(" + factor() + "*sin(" + v + "))";
      }
    }
    return t;
  };
  const auto times = [](const std::vector<Texts>& a, const std::vector<Texts>& b) {
    std::vector<Texts> c(a.size(), Texts(b[0].size(), "0"));
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t k = 0; k < b.size(); ++k)
        for (std::size_t m = 0; m < b[0].size(); ++m)
          if (a[i][k] != "0" && b[k][m] != "0") c[i][m] += " + (" + a[i][k] + ")*(" + b[k][m] + ")";
    return c;
  };
  const std::vector<Texts> forms = times(times(triangle(true), triangle(false)), gradient);

  // Columns in another order.
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i-- > 1;) std::swap(order[i], order[number.below(i + 1)]);
  Texts columns;
  Texts point;
  std::vector<Texts> shuffled(r);
  for (const std::size_t i : order) {
    columns.push_back(x(i));
    point.push_back(digits(number()));
    for (std::size_t j = 0; j < r; ++j) shuffled[j].push_back(forms[j][i]);
  }
  out.text = forms_model(columns, shuffled, point);
  return out;
}

void recognise(std::uint64_t from, std::uint64_t to) {
  IntegrabilityOptions options;
  options.points = 3;
  options.explicit_integrals = false;
  options.at_state = false;
  std::size_t wide = 0;
  for (std::uint64_t seed = from; seed < to; ++seed) {
    for (const bool spoiled : {false, true}) {
      const Hidden system = hidden_system(seed, spoiled);
      const auto found = ask(system.text, options);
      const std::size_t h = system.r - (spoiled ? 1 : 0);
      ASSERT_TRUE(found.decided) << found.doubt << "\n" << system.text;
      ASSERT_EQ(found.integrable, h) << system.text;
      ASSERT_EQ(found.derived, !spoiled ? (Counts{h, h})
                               : h == 0 ? (Counts{1, 0})
                                        : (Counts{system.r, h, h}))
          << system.text;
      ASSERT_EQ(found.growth, spoiled ? (Counts{system.n - system.r, system.n - h}) : (Counts{system.n - h}))
          << system.text;
      ASSERT_EQ(found.laws_agree, !spoiled) << system.text;
      for (const Gap& gap : found.derived_gaps) wide += gap.wide ? 1 : 0;
    }
  }
  testing::Test::RecordProperty("ranks_with_twice_the_digits", static_cast<int>(wide));
  std::printf("[          ] %zu ranks needed twice the digits\n", wide);
}

}  // namespace

TEST(Integrability, hidden_behind_matrices_is_recognised_and_so_is_one_term_too_many) { recognise(1, 250); }

/// Ten thousand of each kind, in four parts.
class IntegrabilitySoak : public testing::TestWithParam<std::uint64_t> {};

TEST_P(IntegrabilitySoak, hidden_behind_matrices_is_recognised_and_so_is_one_term_too_many) {
  constexpr std::uint64_t part = 2500;
  recognise(part * GetParam() + 1, part * (GetParam() + 1) + 1);
}

INSTANTIATE_TEST_SUITE_P(Quarter, IntegrabilitySoak, testing::Range<std::uint64_t>(0, 4));

TEST(Integrability, of_hidden_polynomials_finds_them_again) {
  // x1 + x2^2 and x3 x4 mixed with a contact form, determinant 1 + x1 x2 x5.
  const auto found = ask(forms_model(
      {"x1", "x2", "x3", "x4", "x5"},
      {{"1", "2*x2", "x5*x4", "x5*x3", "0"}, {"0", "-x1*x3", "x4", "x3", "x1"}, {"x2", "2*x2^2 - x3", "0", "0", "1"}},
      {"3", "1.5", "0.7", "2", "2"}));
  EXPECT_EQ(found.derived, (Counts{3, 2, 2}));
  EXPECT_EQ(integrals_of(found), (Texts{"x1 + x2^2", "x3*x4"}));
}

}  // namespace zwang::analysis::integrability_tests
