/// What must not change the accelerations: the order, the scale and the repetition of conditions, the order of the
/// coordinates, the units of mass, time and length.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "laws/systems.hpp"

namespace zwang::laws::invariance_tests {

namespace {

/// Relative to the largest acceleration, free or true: some thousand roundings.
constexpr double same = 1e-12;

double scale_of(const oracles::AccelerationAnswer& answer, const oracles::Translation& translation) {
  double scale = 1e-300;
  for (const double a : translation.accelerations(answer.accelerations)) scale = std::max(scale, std::abs(a));
  for (const double a : translation.accelerations(answer.free)) scale = std::max(scale, std::abs(a));
  return scale;
}

/// Compares the accelerations of a changed problem with those of the original, times `factor`; multipliers too where
/// they are unique and `multiplier` tells how they change.
template <typename Multiplier>
void expect_same(const json& original, const json& changed, double factor, const Multiplier& multiplier) {
  const auto first = oracles::translate(original, oracles::Route::coordinates).value();
  const auto second = oracles::translate(changed, oracles::Route::coordinates).value();
  const auto before = oracles::accelerate(first.model, oracles::Way::library);
  const auto after = oracles::accelerate(second.model, oracles::Way::library);
  RC_LOG() << first.model << "\n-- changed to --\n" << second.model << "\n";
  RC_ASSERT(before.status == after.status);
  if (before.status != "determined") return;
  const double scale = scale_of(before, first);
  const auto names = original.at("system").at("coords").get<std::vector<std::string>>();
  for (const auto& name : names) {
    const double a = before.accelerations.at(name)[0] * factor;
    const double b = after.accelerations.at(name)[0];
    RC_LOG() << name << ": " << a << " and " << b << "\n";
    RC_ASSERT(std::abs(a - b) <= same * scale * std::abs(factor));
  }
  if (!before.multipliers_unique || !after.multipliers_unique) return;
  double largest = 0;
  for (const auto& [name, value] : before.multipliers) largest = std::max(largest, std::abs(value));
  for (const auto& [name, value] : before.multipliers) {
    if (!after.multipliers.contains(name)) continue;
    const double change = multiplier(name);
    RC_LOG() << "multiplier of " << name << ": " << value * change << " and " << after.multipliers.at(name) << "\n";
    RC_ASSERT(std::abs(value * change - after.multipliers.at(name)) <= 1e-10 * largest * std::abs(change));
  }
}

json random_problem() {
  const auto seed = *rc::gen::inRange<std::uint64_t>(100000, 200000);
  return oracles::random_accelerations(seed, oracles::random_mixture(seed));
}

double random_scale() { return std::pow(10.0, *rc::gen::inRange(-3000, 3001) / 1000.0); }

}  // namespace

TEST(Accelerations, do_not_depend_on_the_order_of_the_conditions) {
  EXPECT_TRUE(rc::check([] {
    const auto problem = random_problem();
    auto changed = problem;
    auto& constraints = changed["system"]["constraints"];
    std::mt19937_64 engine(*rc::gen::arbitrary<std::uint64_t>());
    std::shuffle(constraints.begin(), constraints.end(), engine);
    expect_same(problem, changed, 1, [](const std::string&) { return 1.0; });
  }));
}

TEST(Accelerations, do_not_depend_on_the_order_of_the_coordinates) {
  EXPECT_TRUE(rc::check([] {
    const auto problem = random_problem();
    auto changed = problem;
    auto& system = changed["system"];
    std::vector<std::size_t> order(system["coords"].size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::mt19937_64 engine(*rc::gen::arbitrary<std::uint64_t>());
    std::shuffle(order.begin(), order.end(), engine);
    const auto reorder = [&](json& list) {
      const json old = list;
      for (std::size_t i = 0; i < order.size(); ++i) list[i] = old[order[i]];
    };
    for (const char* key : {"coords", "masses", "forces"}) reorder(system[key]);
    for (const char* key : {"q", "v"}) reorder(system["state"][key]);
    expect_same(problem, changed, 1, [](const std::string&) { return 1.0; });
  }));
}

TEST(Accelerations, do_not_depend_on_positive_factors_of_the_conditions) {
  EXPECT_TRUE(rc::check([] {
    const auto problem = random_problem();
    auto changed = problem;
    std::map<std::string, double> factor;
    for (auto& constraint : changed["system"]["constraints"]) {
      const double c = random_scale();
      factor[constraint["name"].get<std::string>()] = c;
      constraint["expr"] = number_text(c) + "*(" + constraint["expr"].get<std::string>() + ")";
    }
    expect_same(problem, changed, 1, [&](const std::string& name) { return 1 / factor.at(name); });
  }));
}

TEST(Accelerations, do_not_depend_on_the_sign_of_an_equation) {
  EXPECT_TRUE(rc::check([] {
    const auto problem = random_problem();
    auto changed = problem;
    std::map<std::string, double> factor;
    for (auto& constraint : changed["system"]["constraints"]) {
      const bool turn = constraint["sense"] == "=0";
      factor[constraint["name"].get<std::string>()] = turn ? -1 : 1;
      if (turn) constraint["expr"] = "-(" + constraint["expr"].get<std::string>() + ")";
    }
    expect_same(problem, changed, 1, [&](const std::string& name) { return factor.at(name); });
  }));
}

TEST(Accelerations, do_not_depend_on_conditions_said_twice) {
  EXPECT_TRUE(rc::check([] {
    const auto problem = random_problem();
    auto changed = problem;
    auto& constraints = changed["system"]["constraints"];
    const auto copies = *rc::gen::inRange<std::size_t>(1, 6);
    for (std::size_t k = 0; k < copies; ++k) {
      auto copy = constraints[*rc::gen::inRange<std::size_t>(0, problem.at("system").at("constraints").size())];
      copy["name"] = "copy" + std::to_string(k);
      if (*rc::gen::arbitrary<bool>())
        copy["expr"] = number_text(random_scale()) + "*(" + copy["expr"].get<std::string>() + ")";
      constraints.insert(
          constraints.begin() + static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, constraints.size() + 1)),
          copy);
    }
    expect_same(problem, changed, 1, [](const std::string&) { return 1.0; });
  }));
}

TEST(Accelerations, are_the_same_when_an_equation_is_two_inequalities) {
  EXPECT_TRUE(rc::check([] {
    const auto problem = random_problem();
    auto changed = problem;
    auto& constraints = changed["system"]["constraints"];
    bool found = false;
    for (const auto& constraint : problem.at("system").at("constraints")) {
      if (constraint.at("sense") != "=0") continue;
      found = true;
      for (auto& there : constraints)
        if (there["name"] == constraint.at("name")) there["sense"] = "<=0";
      auto opposite = constraint;
      opposite["name"] = "opposite_" + constraint.at("name").get<std::string>();
      opposite["sense"] = ">=0";
      constraints.push_back(opposite);
    }
    RC_PRE(found);
    expect_same(problem, changed, 1, [](const std::string&) { return 1.0; });
  }));
}

TEST(Accelerations, keep_when_masses_and_forces_grow_together) {
  EXPECT_TRUE(rc::check([] {
    const auto problem = random_problem();
    auto changed = problem;
    const double c = random_scale();
    for (const char* key : {"masses", "forces"})
      for (auto& entry : changed["system"][key]) entry = number_text(c) + "*(" + entry.get<std::string>() + ")";
    expect_same(problem, changed, 1, [&](const std::string&) { return c; });
  }));
}

TEST(Accelerations, scale_with_the_unit_of_time) {
  EXPECT_TRUE(rc::check([] {
    const auto problem = random_problem();
    const double c = std::pow(2.0, *rc::gen::inRange(-6, 7));
    // One new unit of time is c old ones: t = c t_new, v_new = c v, a_new = c^2 a.
    auto changed = problem;
    auto& system = changed["system"];
    for (auto& entry : system["forces"]) entry = number_text(c * c * oracles::number(entry));
    for (auto& entry : system["state"]["v"]) entry = number_text(c * oracles::number(entry));
    system["state"]["t"] = number_text(oracles::number(system["state"]["t"]) / c);
    std::map<std::string, double> factor;
    for (auto& constraint : system["constraints"]) {
      constraint["expr"] = replaced(constraint["expr"].get<std::string>(), [&](const std::string& word) {
        if (word == "t") return "(" + number_text(c) + "*t)";
        if (word.rfind("v_", 0) == 0) return "(" + word + "/" + number_text(c) + ")";
        return word;
      });
      factor[constraint["name"].get<std::string>()] = constraint["kind"] == "holonomic" ? c * c : c * c * c;
    }
    expect_same(problem, changed, c * c, [&](const std::string& name) { return factor.at(name); });
  }));
}

TEST(Accelerations, scale_with_the_unit_of_length) {
  EXPECT_TRUE(rc::check([] {
    const auto problem = random_problem();
    const double c = std::pow(2.0, *rc::gen::inRange(-6, 7));
    auto changed = problem;
    auto& system = changed["system"];
    const auto names = system["coords"].get<std::vector<std::string>>();
    for (auto* list : {&system["forces"], &system["state"]["q"], &system["state"]["v"]})
      for (auto& entry : *list) entry = number_text(c * oracles::number(entry));
    for (auto& constraint : system["constraints"])
      constraint["expr"] = replaced(constraint["expr"].get<std::string>(), [&](const std::string& word) {
        const auto body = word.rfind("v_", 0) == 0 ? word.substr(2) : word;
        const bool is_coordinate = std::find(names.begin(), names.end(), body) != names.end();
        return is_coordinate ? "(" + word + "/" + number_text(c) + ")" : word;
      });
    expect_same(problem, changed, c, [&](const std::string&) { return c * c; });
  }));
}

}  // namespace zwang::laws::invariance_tests
