/// Conjugate velocity parameters: the laws that make them what they are, on random and on odd systems.
#include "zwang/analysis/velocities.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/models.hpp"
#include "zwang/analysis/tangent.hpp"

namespace zwang::analysis::velocities_tests {

namespace {

/// A random system: full mass matrix, linear and constant parts of T, `rows` conditions of which some repeat others.
struct Random {
  std::string text;
  std::size_t n = 0;
};

Random random_system(std::uint64_t seed, bool moving) {
  Numbers number(seed);
  Random system;
  system.n = 2 + number.below(5);
  const std::size_t rows = 1 + number.below(system.n);
  std::string kinetic = "0.7 + 0.3*u0'";
  for (std::size_t i = 0; i < system.n; ++i) {
    const std::string name = "u" + std::to_string(i);
    system.text +=
        "[coordinates." + name + "]\ninitial = " + digits(number()) + "\nvelocity = " + digits(number()) + "\n";
    std::string sum = "(" + digits(0.5 + std::abs(number())) + " + u0^2)*" + name + "'";
    for (std::size_t k = 0; k < i; ++k) sum += " + " + digits(number()) + "*u" + std::to_string(k) + "'";
    kinetic += " + (" + sum + ")^2";
  }
  system.text += "[energy]\nkinetic = \"" + kinetic + "\"\n[constraints]\n";
  std::vector<std::string> forms;
  for (std::size_t r = 0; r < rows; ++r) {
    std::string form = moving ? digits(number()) + "*(1 + t)" : "0";
    if (r > 1 && number() > 0.2) {
      form = "2*(" + forms[0] + ") - 3*(" + forms[1] + ")";
    } else {
      for (std::size_t i = 0; i < system.n; ++i)
        if (number() > -0.3) form += " + (" + digits(number()) + " + u1)*u" + std::to_string(i) + "'";
      form += " + u0'";
    }
    forms.push_back(form);
    system.text += "c" + std::to_string(r) + " = \"" + form + " = 0\"\n";
  }
  return system;
}

}  // namespace

TEST(Velocities, split_the_kinetic_energy_of_any_system_into_two_parts_that_do_not_mix) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Random system = random_system(seed, seed % 2 == 0);
    SCOPED_TRACE(system.text);
    const auto model = from(system.text);
    const auto state = model::initial_state(model);
    const auto found = velocities(model, state);
    ASSERT_TRUE(found.mass_positive);
    ASSERT_TRUE(found.contradictory.empty());
    EXPECT_EQ(found.rank + found.redundant.size(), found.rows.size());
    EXPECT_EQ(found.dependent.rows, found.rank);
    EXPECT_EQ(found.conjugate.rows, system.n - found.rank);
    EXPECT_EQ(found.rank, linear::rank(found.written)) << "singular values, the second route";

    // T is the sum of its parts, and the parts are those of the momenta.
    const auto& kinetic = found.kinetic;
    const double size = 1 + std::abs(kinetic.total);
    EXPECT_NEAR(kinetic.conjugate + kinetic.dependent + kinetic.linear + kinetic.constant, kinetic.total, 1e-11 * size);
    EXPECT_DOUBLE_EQ(kinetic.constant, 0.7);
    EXPECT_NEAR(kinetic.linear, 0.3 * state.velocity[0], 1e-11 * size);
    double by_momenta = 0;
    for (std::size_t i = 0; i < found.rank; ++i)
      by_momenta += 0.5 * found.dependent_value[i] * found.dependent_momenta[i];
    for (std::size_t i = 0; i < found.conjugate.rows; ++i)
      by_momenta += 0.5 * found.conjugate_value[i] * found.conjugate_momenta[i];
    EXPECT_NEAR(by_momenta, kinetic.conjugate + kinetic.dependent + 0.5 * kinetic.linear, 1e-9 * size);

    // xi = Q^T eta_I + P^T eta_II.
    double largest = 1;
    for (const double xi : found.momenta) largest = std::max(largest, std::abs(xi));
    for (std::size_t c = 0; c < system.n; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < found.rank; ++i) sum += found.dependent(i, c) * found.dependent_momenta[i];
      for (std::size_t i = 0; i < found.conjugate.rows; ++i) sum += found.conjugate(i, c) * found.conjugate_momenta[i];
      EXPECT_NEAR(sum, found.momenta[c], 1e-9 * largest);
    }

    // The freed velocity obeys the conditions, keeps every conjugate parameter and is nearest.
    for (std::size_t i = 0; i < found.written.rows; ++i) {
      double rate = found.written_offset[i];
      double terms = std::abs(rate);
      for (std::size_t c = 0; c < system.n; ++c) {
        rate += found.written(i, c) * found.projected[c];
        terms += std::abs(found.written(i, c) * found.projected[c]);
      }
      EXPECT_NEAR(rate, 0, 1e-11 * (1 + terms));
    }
    for (std::size_t i = 0; i < found.conjugate.rows; ++i) {
      double value = 0;
      double terms = 1;
      for (std::size_t c = 0; c < system.n; ++c) {
        value += found.conjugate(i, c) * found.projected[c];
        terms += std::abs(found.conjugate(i, c) * found.projected[c]);
      }
      EXPECT_NEAR(value, found.conjugate_value[i], 1e-10 * terms);
    }
  }
}

TEST(Velocities, are_freed_by_the_nearest_admissible_velocity_so_that_freeing_twice_changes_nothing) {
  for (std::uint64_t seed = 300; seed < 340; ++seed) {
    const auto model = from(random_system(seed, true).text);
    auto state = model::initial_state(model);
    const auto once = velocities(model, state);
    if (!once.contradictory.empty()) continue;
    state.velocity = once.projected;
    const auto twice = velocities(model, state);
    EXPECT_LE(twice.kinetic.forbidden, 1e-22 * (1 + once.kinetic.total));
    for (std::size_t i = 0; i < state.velocity.size(); ++i) EXPECT_NEAR(twice.projected[i], once.projected[i], 1e-11);
    // Pythagoras in the metric of T_2: the forbidden energy is that of the difference.
    double energy = 0;
    model::Scratch scratch = model::make_scratch(model);
    model::State difference = model::initial_state(model);
    for (std::size_t i = 0; i < difference.velocity.size(); ++i) difference.velocity[i] -= once.projected[i];
    model::State rest = difference;
    std::fill(rest.velocity.begin(), rest.velocity.end(), 0.0);
    model::State back = difference;
    for (double& v : back.velocity) v = -v;
    energy = 0.5 * (model::energy(model, difference, scratch).kinetic + model::energy(model, back, scratch).kinetic) -
             model::energy(model, rest, scratch).kinetic;
    EXPECT_NEAR(energy, once.kinetic.forbidden, 1e-10 * (1 + energy));
  }
}

TEST(Velocities, count_gradients_of_holonomic_equations_but_no_inequalities_and_no_seizures_to_come) {
  const auto model = from(R"toml(
[points.a]
mass = 2
position = [3, 4]
velocity = [1, 1]
[constraints]
circle = "a.x^2 + a.y^2 = 25"
floor = "a.y >= 0"
ratchet = "a.x' >= 0"
[[seizures]]
name = "hook"
at = 2
condition = "a' = [0, 0]"
)toml");
  const auto found = velocities(model, model::initial_state(model));
  ASSERT_EQ(found.rank, 1U);
  EXPECT_NEAR(found.dependent(0, 0), 1, 0);
  EXPECT_NEAR(found.dependent(0, 1), 4.0 / 3, 1e-15);
  EXPECT_NEAR(found.conjugate(0, 1), -3.0 / 4, 1e-15);
  EXPECT_NEAR(found.projected[0], 4.0 / 25, 1e-15);
  EXPECT_NEAR(found.projected[1], -3.0 / 25, 1e-15);
  auto later = model::initial_state(model);
  later.time = 2;
  EXPECT_EQ(velocities(model, later).rank, 2U);
}

TEST(Velocities, of_a_condition_written_three_times_have_one_dependent_row) {
  const auto model = from(R"toml(
[points.a]
mass = 1
position = [0, 0, 0]
velocity = [1, 2, 3]
[constraints]
first = "a.x' - a.y' = 1"
second = "3*a.y' - 3*a.x' = -3"
third = "a.x' - a.y' + a.z' = 1 + a.z'"
)toml");
  const auto found = velocities(model, model::initial_state(model));
  EXPECT_EQ(found.rank, 1U);
  ASSERT_EQ(found.redundant.size(), 2U);
  EXPECT_EQ(model::row_name(model, found.redundant[0]), "second");
  EXPECT_TRUE(found.contradictory.empty());
  EXPECT_TRUE(found.moving);
  EXPECT_DOUBLE_EQ(found.offset[0], -1);
  EXPECT_DOUBLE_EQ(found.projected[0], 2);
  EXPECT_DOUBLE_EQ(found.projected[1], 1);
  EXPECT_DOUBLE_EQ(found.kinetic.dependent, 0.25);
  EXPECT_DOUBLE_EQ(found.kinetic.forbidden, 1);
}

TEST(Velocities, that_cannot_be_are_not_invented) {
  const auto model = from(R"toml(
[points.a]
mass = 1
position = [0, 0]
velocity = [0, 0]
[constraints]
one = "a.x' = 1"
two = "a.x' = 2"
)toml");
  const auto found = velocities(model, model::initial_state(model));
  EXPECT_EQ(found.rank, 1U);
  ASSERT_EQ(found.contradictory.size(), 1U);
  EXPECT_TRUE(found.projected.empty());
}

TEST(Velocities, of_a_kinetic_energy_that_is_not_positive_definite_are_refused_with_the_variable) {
  const auto model = from(R"toml(
[coordinates.x]
initial = 1
velocity = 1
[coordinates.y]
initial = 0
velocity = 1
[energy]
kinetic = "x*x'^2/2 + y'^2/2"
[constraints]
c = "x' - y' = 0"
)toml");
  auto state = model::initial_state(model);
  EXPECT_TRUE(velocities(model, state).mass_positive);
  state.position[0] = -1;
  const auto found = velocities(model, state);
  EXPECT_FALSE(found.mass_positive);
  EXPECT_EQ(found.weakest, 0U);
  EXPECT_EQ(found.dependent.rows, 1U);
  EXPECT_EQ(found.conjugate.rows, 0U);
}

TEST(Velocities, do_not_take_rounding_for_a_leading_entry) {
  // cos(pi/2) is 6e-17, and the row is that of y' alone.
  const auto model = from(R"toml(
[coordinates.x]
initial = 0
velocity = 1
[coordinates.y]
initial = 0
velocity = 1
[coordinates.w]
initial = "pi/2"
[energy]
kinetic = "(x'^2 + 1e12*y'^2 + w'^2)/2"
[constraints]
edge = "cos(w)*x' + 1e6*sin(w)*y' = 0"
)toml");
  const auto found = velocities(model, model::initial_state(model));
  ASSERT_EQ(found.dependent.rows, 1U);
  EXPECT_EQ(found.dependent(0, 0), 0);
  EXPECT_EQ(found.dependent(0, 1), 1);
  EXPECT_EQ(found.conjugate(0, 0), 1);
  EXPECT_EQ(found.conjugate(1, 2), 1);
}

}  // namespace zwang::analysis::velocities_tests
