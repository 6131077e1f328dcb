/// The equations without multipliers give the accelerations of Gauss's principle: gallery and odd cases. Random ones in tests/laws.
#include "zwang/analysis/reduced.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "analysis/models.hpp"
#include "places.hpp"
#include "zwang/instant/instant.hpp"

namespace zwang::analysis::reduced_tests {

namespace {

/// Both routes at a state; the scale is that of the accelerations and of the free ones they come from.
void expect_same(const model::Model& model, const model::State& state, double tolerance = 1e-12) {
  const auto instant = instant::accelerate(model, state);
  const auto other = reduced(model, state);
  ASSERT_EQ(instant.status, instant::Status::determined);
  ASSERT_TRUE(other.determined) << other.why;
  double size = 1e-300;
  for (const double a : instant.accelerations) size = std::max(size, std::abs(a));
  for (const double a : instant.free) size = std::max(size, std::abs(a));
  for (std::size_t i = 0; i < model.variables; ++i)
    EXPECT_NEAR(other.accelerations[i], instant.accelerations[i], tolerance * size) << i;
  EXPECT_LE(other.defect, 1e-11);
}

}  // namespace

TEST(ReducedEquations, give_the_accelerations_of_every_gallery_model_made_of_equations) {
  int seen = 0;
  for (const auto& entry : places::gallery()) {
    if (!std::filesystem::exists(entry.path() / "model.toml")) continue;
    SCOPED_TRACE(entry.path().filename().string());
    const auto model = gallery(entry.path().filename().string());
    const auto state = model::initial_state(model);
    if (model.flow || model.rows() == 0) continue;
    const auto instant = instant::accelerate(model, state);
    const auto other = reduced(model, state);
    if (!other.determined || instant.status != instant::Status::determined || instant.singular) continue;
    expect_same(model, state);
    ++seen;
  }
  EXPECT_GE(seen, 8);
}

TEST(ReducedEquations, hold_for_moving_conditions_and_masses_that_depend_on_place_and_time) {
  const auto model = from(R"toml(
[points.a]
mass = 2
position = [1, 0, 0]
velocity = [0.3, 2, 1.7]
force = ["-a.x", "a.y'*t", 1]
[coordinates.w]
initial = 0.4
velocity = 1.1
force = "cos(w)"
[energy]
kinetic = "(1 + w^2 + a.x^2)*w'^2/2 + a.x'*w'/3 + t*w' + sin(w)"
potential = "a.z^2*w"
[simulation]
start = 0.2
[constraints]
spin = "a.y' = a.x*w' + (t - 0.2)*a.z + 0.9"
lift = "a.z' - a.x' - a.y'*0.5 - 0.4 + t*0 = 0"
)toml");
  auto state = model::initial_state(model);
  // The velocity brought onto the conditions by hand.
  state.velocity[1] = state.position[0] * state.velocity[3] + 0.9;
  state.velocity[2] = state.velocity[0] + 0.5 * state.velocity[1] + 0.4;
  expect_same(model, state);
}

TEST(ReducedEquations, hold_for_holonomic_rheonomic_and_repeated_equations) {
  const auto model = from(R"toml(
gravity = [0, 0, -9.81]
[points.a]
mass = 1.5
position = [3, 4, 1]
velocity = [-4, 3, 1]
[points.b]
mass = 0.5
position = [3, 4, 3]
velocity = [-4, 3, 1]
[constraints]
tube = "a.x^2 + a.y^2 = 25"
tube_again = "2*a.x^2 + 2*a.y^2 = 50"
lift = "a.z = 1 + t + t^2"
rod = "distance(a, b) = 2"
level = "b.x = a.x"
)toml");
  expect_same(model, model::initial_state(model));
}

TEST(ReducedEquations, hold_under_the_variational_law_with_rho_of_the_state) {
  const auto model = from(cart("", ", law = \"variational\", multiplier = 0.7"));
  auto state = model::initial_state(model);
  expect_same(model, state);
  const auto straight = from(cart());
  const auto a = reduced(model, state).accelerations;
  const auto b = reduced(straight, model::initial_state(straight)).accelerations;
  EXPECT_GT(std::abs(a[2] - b[2]), 0.1) << "the laws differ here";
}

TEST(ReducedEquations, of_the_cart_are_the_closed_form) {
  // v' = 0, w'' = 0: x'' = -v w' sin w, y'' = v w' cos w.
  const auto model = from(cart());
  const auto found = reduced(model, model::initial_state(model));
  ASSERT_TRUE(found.determined);
  EXPECT_EQ(found.parameters.size(), 2U);
  EXPECT_NEAR(found.accelerations[0], 1.2 * std::sin(2.0 / 3), 1e-15);
  EXPECT_NEAR(found.accelerations[1], -1.2 * std::cos(2.0 / 3), 1e-15);
  EXPECT_NEAR(found.accelerations[2], 0, 1e-15);
}

TEST(ReducedEquations, say_why_they_do_not_apply) {
  const auto touching = from(R"toml(
gravity = [0, -1]
[points.a]
mass = 1
position = [0, 0]
[constraints]
floor = "a.y >= 0"
)toml");
  EXPECT_FALSE(reduced(touching, model::initial_state(touching)).determined);
  EXPECT_NE(reduced(touching, model::initial_state(touching)).why.find("floor"), std::string::npos);
  const auto broken =
      from("[points.a]\nmass = 1\nposition = [0, 1]\nvelocity = [1, 1]\n[constraints]\nrail = \"a.y = 1\"\n");
  EXPECT_FALSE(reduced(broken, model::initial_state(broken)).determined);
}

TEST(ReducedEquations, show_where_the_rank_falls) {
  // A flat four-bar linkage: the gradients are dependent at this position only, and second derivatives do not follow.
  const auto model = from(R"toml(
[points.a]
mass = 1
position = [1, 0]
velocity = [0, 1]
[constraints]
circle = "a.x^2 + a.y^2 = 1"
line = "a.x = 1"
)toml");
  const auto found = reduced(model, model::initial_state(model));
  EXPECT_TRUE(!found.determined || found.defect > 1e-3) << found.why;
}

}  // namespace zwang::analysis::reduced_tests
