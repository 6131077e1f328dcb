/// Straightest and variational motion beside each other.
#include "zwang/analysis/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/models.hpp"
#include "zwang/model/law.hpp"

namespace zwang::analysis::compare_tests {

TEST(Compare, changes_the_law_of_equations_between_velocities_and_of_nothing_else) {
  const auto model =
      from(cart("ring = \"x^2 + y^2 = 2\"\nratchet = \"w' <= 0\"\n", ", law = \"variational\", multiplier = 2"));
  const auto straightest = model::under_law(model, model::Law::straightest);
  const auto variational = model::under_law(model, model::Law::variational);
  for (std::size_t i = 0; i < model.conditions.size(); ++i) {
    EXPECT_EQ(straightest.conditions[i].law, model::Law::straightest);
    EXPECT_EQ(variational.conditions[i].law, i == 0 ? model::Law::variational : model::Law::straightest);
  }
  EXPECT_EQ(variational.conditions[0].multiplier, 2);
}

TEST(Compare, the_cart_parts_as_the_square_of_the_time_times_rho) {
  // q_s'' - q_v'' at the start is W (rho' - lambda) p + W rho bend: with rho = 0 nothing of it is left along what is allowed, and d
  // grows with the third power; with rho it grows with the second, by |projection of rho bend| t^2 / 2.
  const std::vector<double> instants{0, 0.01, 0.02};
  const auto from_rest = compare(from(cart()), {}, instants);
  ASSERT_EQ(from_rest.distance.size(), 3U);
  EXPECT_EQ(from_rest.distance[0].distance, 0);
  EXPECT_NEAR(from_rest.distance[2].distance / from_rest.distance[1].distance, 8, 0.2);
  const auto with_rho = compare(from(cart("", ", law = \"variational\", multiplier = 0.5")), {}, instants);
  EXPECT_NEAR(with_rho.distance[2].distance / with_rho.distance[1].distance, 4, 0.1);
  // M l^2 w'' = -rho v and M v' = rho w' for the form cos w y' - sin w x', M = 2, l^2 = 1/9.
  const double turning = 0.5 * 1.5 / (2.0 / 9);
  const double speeding = 0.5 * 0.8 / 2;
  const double wanted = std::sqrt(2.0 / 9 * turning * turning + 2 * speeding * speeding) * 0.5e-4;
  EXPECT_NEAR(with_rho.distance[1].distance, wanted, 0.025 * wanted) << "but for the third order";
  EXPECT_FALSE(with_rho.equivalence.agree);
}

TEST(Compare, a_direction_that_begins_to_turn_far_from_the_start_parts_the_laws) {
  const auto model = from(R"toml(
[coordinates.x]
initial = 0.2
velocity = 1
[coordinates.y]
initial = 0
velocity = 0.5
[coordinates.z]
initial = 0
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
[constraints]
k = "z' = max(0, y - 1)*x'"
[simulation]
until = 10
)toml");
  std::vector<double> instants;
  for (int k = 0; k <= 20; ++k) instants.push_back(0.5 * k);
  const auto found = compare(model, {}, instants);
  EXPECT_GT(farthest(found.distance).distance, 1);
  EXPECT_FALSE(found.equivalence.agree);
  // Where the motion does not come so far they are one.
  const auto before = compare(model, {}, {0, 0.5, 1, 1.5});
  EXPECT_EQ(farthest(before.distance).distance, 0);
  EXPECT_TRUE(before.equivalence.agree);
}

TEST(Compare, a_holonomic_condition_in_disguise_moves_the_same_whatever_rho) {
  for (const char* law : {"", ", law = \"variational\", multiplier = 3"}) {
    const auto model = from(std::string(R"toml(
[points.p]
mass = 1
position = [1, 0.5, 0]
velocity = [1, "1/3", "-5/6"]
[simulation]
until = 3
[constraints]
disguise = { condition = "p.x*p.y' + p.y*p.x' + p.z' = 0")toml") +
                            law + " }\n");
    const auto found = compare(model, {}, {0, 1, 2, 3});
    EXPECT_TRUE(found.equivalence.agree);
    ASSERT_EQ(found.distance.size(), 4U);
    EXPECT_LT(farthest(found.distance).distance, 1e-11);
    EXPECT_EQ(found.variational.status, motion::Status::finished);
    EXPECT_NEAR(found.straightest.state.position[0], 3.750394379090037919521171, 1e-11);
  }
}

TEST(Compare, distance_is_that_of_the_metric_of_the_kinetic_energy) {
  const auto model = from(R"toml(
[coordinates.r]
initial = 2
[coordinates.phi]
initial = 0
[energy]
kinetic = "r'^2/2 + r^2*phi'^2/2 + r'*phi'/2"
)toml");
  Ruler ruler(model);
  EXPECT_DOUBLE_EQ(ruler.distance({0, {2, 0}, {0, 0}, {}}, {0, {2.3, 0.1}, {0, 0}, {}}), std::sqrt(0.09 + 0.04 + 0.03));
  EXPECT_EQ(ruler.distance({0, {2, 1}, {0, 0}, {}}, {0, {2, 1}, {5, 0}, {}}), 0);
}

TEST(Compare, ends_with_the_shorter_of_two_motions) {
  // The variational cart turns round and meets the wall, where a shock is not defined under its law.
  const auto model = from(cart("wall = \"x <= 1.6\"\n", ", law = \"variational\", multiplier = 1"));
  const auto found = compare(model, {}, {0, 0.1, 0.2, 0.5, 1, 1.5, 2});
  EXPECT_EQ(found.variational.status, motion::Status::refused);
  EXPECT_LT(found.distance.size(), 7U);
  for (const auto& apart : found.distance) EXPECT_LE(apart.time, found.variational.state.time + 1e-9);
}

}  // namespace zwang::analysis::compare_tests
