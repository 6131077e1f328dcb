/// When do the straightest and the variational law agree? Conditions that integrate in every disguise, and ones that do not.
#include "zwang/analysis/equivalence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/models.hpp"

namespace zwang::analysis::equivalence_tests {

namespace {

Equivalence ask(const model::Model& model) { return equivalence(model, model::initial_state(model)); }

/// Coordinates x1, x2, ... of mass one at a place, and conditions.
std::string conditions(const std::vector<double>& place, const std::vector<std::string>& forms,
                       const std::string& holonomic = "") {
  std::string text;
  std::string kinetic = "0";
  for (std::size_t i = 0; i < place.size(); ++i) {
    const std::string name = "x" + std::to_string(i + 1);
    text += "[coordinates." + name + "]\ninitial = " + digits(place[i]) + "\n";
    kinetic += " + " + name + "'^2/2";
  }
  text += "[energy]\nkinetic = \"" + kinetic + "\"\n[constraints]\n";
  for (std::size_t i = 0; i < forms.size(); ++i) text += "c" + std::to_string(i) + " = \"" + forms[i] + " = 0\"\n";
  return text + holonomic;
}

}  // namespace

TEST(Equivalence, of_a_gradient_times_any_factor) {
  // d(x1^2 x2 + x3) times exp(x2) (2 + sin x1).
  const auto found = ask(from(conditions({0.4, -0.7, 1.1}, {"exp(x2)*(2 + sin(x1))*(2*x1*x2*x1' + x1^2*x2' + x3')"})));
  EXPECT_TRUE(found.agree) << found.defect;
  EXPECT_TRUE(found.agree_nearby);
  EXPECT_LT(found.defect, 1e-12);
  EXPECT_GE(found.points, 4U);
  EXPECT_GE(found.nearby_points, 4U);
}

TEST(Equivalence, fails_for_the_cart_by_an_amount_that_depends_on_no_unit) {
  const auto found = ask(from(cart()));
  EXPECT_FALSE(found.agree);
  EXPECT_GT(found.defect, 0.1);
  auto text = cart();
  text.replace(text.find("cos(w)*y' - sin(w)*x'"), 21, "1e7*cos(w)*y' - 1e7*sin(w)*x'");
  text.replace(text.find("x'^2 + y'^2 + w'^2/9"), 20, "1e-8*(x'^2 + y'^2 + w'^2/9)");
  EXPECT_NEAR(ask(from(text)).defect, found.defect, 0.3 * found.defect);
}

TEST(Equivalence, of_conditions_that_integrate_together_but_not_each_by_itself) {
  // Two rows in three variables are always complete (one curve through every point).
  EXPECT_TRUE(ask(from(conditions({0.4, 3.5, 8.0 / 3}, {"x3' - x2*x1'", "x1' - x3*x2'"}))).agree);
  EXPECT_FALSE(ask(from(conditions({0.4, 3.5, 8.0 / 3}, {"x3' - x2*x1'"}))).agree);
  // A cart on a rail: the holonomic equation takes its freedom to turn.
  EXPECT_TRUE(ask(from(cart("rail = \"w = 2/3\"\n"))).agree);
  EXPECT_FALSE(ask(from(cart("rail = \"x*sin(2/3) = y*cos(2/3) + sin(2/3) + cos(2/3)\"\n"))).agree);
}

TEST(Equivalence, names_the_conditions_that_do_not_integrate) {
  // x1 + x2^2 and x3 x4 integrate, dx5 - x3 dx2 does not.
  const auto model = from(conditions({3, 1.5, 2.0 / 3, 2, 2}, {"x1' + 2*x2*x2'", "x4*x3' + x3*x4'", "x5' - x3*x2'"}));
  const auto found = ask(model);
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_LT(found.rows[0].defect, 1e-12);
  EXPECT_LT(found.rows[1].defect, 1e-12);
  EXPECT_GT(found.rows[2].defect, 1e-3);
  EXPECT_FALSE(found.agree);
  EXPECT_NE(reason(model, found).find("c2 does not integrate"), std::string::npos) << reason(model, found);
  EXPECT_NE(reason(model, found).find("c0 and c1 stay in it"), std::string::npos) << reason(model, found);
}

TEST(Equivalence, counts_the_time_as_a_coordinate) {
  // d(x1 t) integrates; x1' = t x2 with x2' free does not, though its coefficients of velocities are constant.
  const std::string start = "[simulation]\nstart = 1.5\n";
  EXPECT_TRUE(ask(from(start + conditions({1, 2}, {"t*x1' + x1"}))).agree);
  EXPECT_TRUE(ask(from(start + conditions({1.4, 1.2}, {"x1*x1' + x2*x2' - t"}))).agree);
  EXPECT_FALSE(ask(from(start + conditions({1, 2}, {"x1' - t*x2"}))).agree);
  EXPECT_TRUE(ask(from(start + conditions({1, 2}, {"x1' - sin(t)"}))).agree);
  EXPECT_FALSE(ask(from(start + conditions({1, 2}, {"x1' - t*x2'"}))).agree) << "the direction turns by itself";
}

TEST(Equivalence, on_the_leaf_of_the_start_is_what_counts_for_its_motions) {
  // dx1 = 0, dx4 + x1 x2 dx3 = 0: on x1 = 0 a second combination integrates, elsewhere it does not.
  const std::vector<std::string> forms{"x1'", "x4' + x1*x2*x3'"};
  const auto special = ask(from(conditions({0, 2.25, 1.75, 4.5}, forms)));
  EXPECT_TRUE(special.agree) << special.defect;
  EXPECT_FALSE(special.agree_nearby);
  const auto other = ask(from(conditions({0.5, 2.25, 1.75, 4.5}, forms)));
  EXPECT_FALSE(other.agree);
}

TEST(Equivalence, sees_a_defect_that_vanishes_at_the_start_itself) {
  // dz + x^2 y dx: its curl x^2 vanishes at the start, and nowhere near.
  EXPECT_FALSE(ask(from(conditions({0, 1, 0}, {"x3' + x1^2*x2*x1'"}))).agree);
}

TEST(Equivalence, is_trivial_without_equations_between_velocities) {
  const auto found = ask(from("[points.a]\nmass = 1\nposition = [1, 0]\n[constraints]\nring = \"norm(a) = 1\"\n"));
  EXPECT_TRUE(found.agree);
  EXPECT_TRUE(found.rows.empty());
}

TEST(Equivalence, stays_in_the_domain_of_the_conditions) {
  // The coefficients exist for x1 > 0 only, and the start is near the edge.
  const auto found = ask(from(conditions({0.01, 1, 30}, {"log(x1)*x2' + x2/x1*x1' + x3'"})));
  EXPECT_TRUE(found.agree) << found.defect;
  EXPECT_GT(found.points, 1U);
}

}  // namespace zwang::analysis::equivalence_tests
