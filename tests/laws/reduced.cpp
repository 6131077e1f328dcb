/// Two routes to one acceleration: Gauss's nearest point with multipliers, and the reduced equations without them.
#include "zwang/analysis/reduced.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "laws/systems.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/read.hpp"

namespace zwang::laws::reduced_tests {

TEST(ReducedEquations, agree_with_gauss_on_random_equations_in_all_coordinates) {
  std::size_t asked = 0;
  std::size_t repeated = 0;
  std::size_t tried = 0;
  EXPECT_TRUE(rc::check([&](std::uint32_t seed) {
    ++tried;
    oracles::Mixture mixture;
    mixture.points = 1 + seed % 4;
    mixture.inequalities = 0;
    mixture.equations = seed / 4 % 4;
    mixture.nonholonomic_equations = seed / 16 % 3;
    mixture.dependent = seed / 64 % 2 == 1;
    mixture.spatial = seed / 128 % 2 == 1;
    auto problem = oracles::random_accelerations(seed, mixture);
    // Some equations again, alone or added to the next one.
    auto& constraints = problem.at("system").at("constraints");
    const std::size_t count = constraints.size();
    for (std::size_t i = 0; i < count && seed % 3 == 0; ++i) {
      auto copy = constraints[i];
      std::string form = "3*(" + copy.at("expr").get<std::string>() + ")";
      if (i + 1 < count && constraints[i + 1].at("kind") == copy.at("kind"))
        form += " - (" + constraints[i + 1].at("expr").get<std::string>() + ")/2";
      copy["expr"] = form;
      copy["name"] = copy.at("name").get<std::string>() + "_again";
      constraints.push_back(copy);
    }
    for (const auto route : oracles::every_route) {
      const auto translation = oracles::translate(problem, route);
      if (!translation) continue;
      const auto model = model::load(translation->model, "problem.toml");
      const auto state = model::initial_state(model);
      const auto instant = instant::accelerate(model, state);
      // Dependent rows whose second derivatives disagree, or whose combination decides at a higher order, have another answer.
      if (instant.status != instant::Status::determined || instant.singular) continue;
      const auto other = analysis::reduced(model, state);
      RC_ASSERT(other.determined);
      if (other.defect > 1e-9) continue;
      ++asked;
      repeated += instant.regular ? 0 : 1;
      double size = 1;
      for (const double a : instant.accelerations) size = std::max(size, std::abs(a));
      for (const double a : instant.free) size = std::max(size, std::abs(a));
      // Elimination loses what the condition of the rows takes; the problems have small rational numbers.
      for (std::size_t i = 0; i < model.variables; ++i)
        RC_ASSERT(std::abs(other.accelerations[i] - instant.accelerations[i]) <= 1e-9 * size);
    }
  }));
  EXPECT_GT(asked, tried);
  EXPECT_GT(25 * repeated, tried);
}

}  // namespace zwang::laws::reduced_tests
