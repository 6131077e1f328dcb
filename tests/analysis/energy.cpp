/// The rate of the energy: against differences along the motion, and by whom it is changed.
#include "zwang/analysis/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::analysis::energy_tests {

namespace {

model::Model model_of(const std::string& text) { return model::compile(model::read(text, "test.toml")); }

/// E' by a difference of the energy along the motion.
double rate_by_difference(const model::Model& model) {
  const auto energy_at = [&](double h) {
    motion::Options options;
    options.until = model.simulation.start + h;
    motion::Motion motion = motion::begin(model, options);
    while (motion::advance(motion)) {
    }
    return motion.energy.final;
  };
  constexpr double h = 1e-3;
  const double e0 = energy_at(0);
  return (-3 * e0 + 4 * energy_at(h) - energy_at(2 * h)) / (2 * h);
}

}  // namespace

TEST(EnergyRate, of_a_pendulum_on_a_rod_is_nought_and_stays_so) {
  const EnergyRate found = energy_rate(
      model_of("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [0, 2]\n[constraints]\nrod = "
               "\"distance(a, [0, 0]) = 1\"\n"),
      model::initial_state(model_of("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [0, "
                                    "2]\n[constraints]\nrod = \"distance(a, [0, 0]) = 1\"\n")));
  EXPECT_TRUE(found.conserved());
  EXPECT_EQ(found.rate, 0);
}

TEST(EnergyRate, is_that_of_the_motion) {
  const std::string texts[] = {
      // a rod that is drawn in
      "[points.a]\nmass = 2\nposition = [1, 0]\nvelocity = [-0.3, 2]\n[constraints]\nrod = \"distance(a, [0, 0]) = 1 - "
      "0.3*t\"\n",
      // friction and a blade
      "[coordinates.x]\ninitial = 0\nvelocity = 1\nforce = \"-2*x'\"\n[coordinates.y]\ninitial = "
      "0\n[coordinates.w]\ninitial = 0\nvelocity = 1\n"
      "[energy]\nkinetic = \"(x'^2 + y'^2 + w'^2)/2\"\npotential = \"x*y\"\n[constraints]\nedge = \"cos(w)*y' - "
      "sin(w)*x' = 0\"\n",
      // a blade that turns with the clock, under the variational law
      "[coordinates.x]\ninitial = 0\nvelocity = 1\n[coordinates.y]\ninitial = 0\n[energy]\nkinetic = \"(x'^2 + "
      "y'^2)/2\"\n[constraints]\n"
      "blade = {condition = \"cos(2*t)*y' - sin(2*t)*x' = 0\", law = \"variational\", multiplier = 0.4}\n",
      // energies in which the time occurs
      "[coordinates.x]\ninitial = 1\nvelocity = 1\n[energy]\nkinetic = \"(1 + t)*x'^2/2\"\npotential = \"x^2*cos(t + "
      "1)\"\n",
      // a belt that carries along
      "[coordinates.x]\ninitial = 0\nvelocity = 2\n[coordinates.y]\ninitial = 1\nvelocity = 0\n[energy]\nkinetic = "
      "\"(x'^2 + y'^2)/2\"\npotential = \"x*y\"\n[constraints]\nbelt = \"x' - y' = 2\"\n"};
  for (const std::string& text : texts) {
    const model::Model model = model_of(text);
    const EnergyRate found = energy_rate(model, model::initial_state(model));
    EXPECT_FALSE(found.conserved()) << text;
    EXPECT_NEAR(found.rate, rate_by_difference(model), 2e-5 * (1 + found.size)) << text;
  }
}

TEST(EnergyRate, names_the_condition_that_does_work) {
  const model::Model model = model_of(
      "[points.a]\nmass = 2\nposition = [1, 0]\nvelocity = [-0.3, 2]\n[points.b]\nmass = 1\nposition = [5, "
      "0]\n[constraints]\n"
      "rod = \"distance(a, [0, 0]) = 1 - 0.3*t\"\nfixed = \"b.x = 5\"\n");
  const EnergyRate found = energy_rate(model, model::initial_state(model));
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_TRUE(found.rows[0].moves);
  // lambda = m v^2 / r pulls the point in at 0.3.
  EXPECT_NEAR(found.rows[0].power, 0.3 * 2 * 4, 1e-12);
  EXPECT_FALSE(found.rows[1].moves);
}

TEST(EnergyRate, is_nought_under_forces_across_every_velocity) {
  const auto found_under = [](const std::string& force) {
    const model::Model model =
        model_of("[points.a]\nmass = 1\nposition = [1, 0.5]\nvelocity = [0.3, 1]\nforce = " + force + "\n");
    return energy_rate(model, model::initial_state(model));
  };
  EXPECT_TRUE(found_under(R"(["3*a.y'", "-3*a.x'"])").conserved());
  EXPECT_TRUE(found_under(R"(["a.x^2*a.y'", "-a.x^2*a.x'"])").conserved());
  EXPECT_FALSE(found_under(R"(["3*a.y'", "-3.001*a.x'"])").conserved());
  // One that does no work here, by chance of the velocity, does some elsewhere.
  const EnergyRate across = found_under("[10, -3]");
  EXPECT_NEAR(across.rate, 0, 1e-15);
  EXPECT_FALSE(across.conserved());
}

TEST(EnergyRate, is_not_nought_for_ever_where_forces_act_elsewhere_or_later) {
  const auto on = [](const std::string& force, const std::string& potential) {
    const model::Model model =
        model_of("[coordinates.x]\ninitial = 0\nvelocity = 1\n" + (force.empty() ? "" : "force = \"" + force + "\"\n") +
                 "[energy]\nkinetic = \"x'^2/2\"\n" + (potential.empty() ? "" : "potential = \"" + potential + "\"\n") +
                 "[simulation]\nuntil = 10\n");
    return energy_rate(model, model::initial_state(model)).conserved();
  };
  for (const char* force :
       {"max(0, t - 1)", "if(t > 5, 1, 0)", "-0.1*x'*step(x - 1)", "-max(0, x - 500)*x'", "step(t - 3) - step(t - 4)",
        "table(t, [4, 5, 6], [0, 1, 0])", "clip(t - 2, 0, 1)", "exp(-((t - 7)/0.01)^2)"}) {
    EXPECT_FALSE(on(force, "")) << force;
  }
  for (const char* potential : {"max(0, t - 3)*x", "max(0, t - 5)*x^2"}) EXPECT_FALSE(on("", potential)) << potential;
  for (const char* potential : {"abs(x)", "max(0, x - 3)^2", "exp(-((x - 7)/0.01)^2)"})
    EXPECT_TRUE(on("", potential)) << potential;
  // A magnetic field, on one side of a line.
  const model::Model field = model_of(
      "[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [0, 1]\nforce = [\"2*a.y'*step(a.x - 3)\", "
      "\"-2*a.x'*step(a.x - "
      "3)\"]\n[simulation]\nuntil = 10\n");
  EXPECT_TRUE(energy_rate(field, model::initial_state(field)).conserved());
}

}  // namespace zwang::analysis::energy_tests
