/// Laws of shocks: energy, admissibility, restitution, and indifference to how the conditions are written.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "laws/systems.hpp"
#include "oracles/judge.hpp"

namespace zwang::laws::impacts_tests {

namespace {

struct Masses {
  Matrix M;
  explicit Masses(const json& problem) {
    const auto& list = problem.at("system").at("masses");
    M.assign(list.size(), Vector(list.size(), 0));
    for (std::size_t i = 0; i < list.size(); ++i) M[i][i] = oracles::number(list[i]);
  }
  [[nodiscard]] Real kinetic(const Vector& v) const {
    Real T = 0;
    for (std::size_t i = 0; i < v.size(); ++i) T += M[i][i] * v[i] * v[i] / 2;
    return T;
  }
};

/// The rows that take part in the shock, as the truth needs them.
struct ShockRows {
  std::vector<Row> rows;
  std::vector<std::string> names;
};
ShockRows shock_rows(const json& problem, const std::string& model) {
  ShockRows out;
  const auto table = oracles::rows_at_start(model);
  const auto& ineffective = problem.at("expected").at("ineffective");
  for (std::size_t j = 0; j < table.name.size(); ++j) {
    if (ineffective.contains(table.name[j])) continue;
    Row row;
    row.g.assign(table.gradient[j].begin(), table.gradient[j].end());
    row.h = table.explicit_rate[j];
    row.equation = table.equation[j];
    out.rows.push_back(row);
    out.names.push_back(table.name[j]);
  }
  return out;
}

Vector alpha_of(const json& problem) {
  const auto& system = problem.at("system");
  Vector alpha;
  for (std::size_t i = 0; i < system.at("coords").size(); ++i)
    alpha.push_back(static_cast<Real>(oracles::number(system.at("state").at("v")[i])) +
                    static_cast<Real>(oracles::number(system.at("external_impulse")[i])) /
                        static_cast<Real>(oracles::number(system.at("masses")[i])));
  return alpha;
}

/// Every condition's line in long form with its restitution.
std::string with_restitution(const std::string& model, const std::map<std::string, double>& restitution) {
  std::string out;
  bool inside = false;
  for (std::size_t i = 0; i < model.size();) {
    auto end = model.find('\n', i);
    if (end == std::string::npos) end = model.size();
    const auto line = model.substr(i, end - i);
    i = end + 1;
    if (!line.empty() && line[0] == '[') inside = line == "[constraints]";
    const auto sign = line.find(" = \"");
    const auto name = sign == std::string::npos ? std::string() : line.substr(0, sign);
    if (inside && restitution.contains(name))
      out += name + " = { condition = " + line.substr(sign + 3) +
             ", restitution = " + number_text(restitution.at(name)) + " }\n";
    else
      out += line + "\n";
  }
  return out;
}

/// A shock without moving conditions: what depends on time alone is left out.
json scleronomic_impact(std::uint64_t seed) {
  auto mixture = oracles::random_mixture(seed);
  mixture.equations = 0;
  mixture.nonholonomic_equations = 0;
  mixture.nonholonomic_inequalities = 0;
  auto problem = oracles::random_impact(seed, mixture);
  for (auto& constraint : problem["system"]["constraints"]) {
    auto text = constraint["expr"].get<std::string>();
    // The generator writes the two terms in t last.
    const auto linear = text.rfind("+(", text.rfind("*(t-", text.rfind("*(t-") - 1));
    constraint["expr"] = text.substr(0, linear);
  }
  return problem;
}

}  // namespace

TEST(Shocks, keep_the_balance_of_energy) {
  for (std::uint64_t seed = 500000; seed < 500400; ++seed) {
    const auto problem = oracles::random_impact(seed, oracles::random_mixture(seed));
    if (!problem.at("expected").at("feasible").get<bool>()) continue;
    const auto translation = oracles::translate(problem, oracles::Route::sheared);
    if (!translation) continue;
    SCOPED_TRACE(translation->model);
    const auto answer = oracles::impact(translation->model, oracles::Way::library);
    ASSERT_EQ(answer.exit, 0);
    const auto& energy = answer.energy;
    const double scale = 1 + energy.at("before") + std::abs(energy.at("blow")) + std::abs(energy.at("work"));
    ASSERT_NEAR(energy.at("before") + energy.at("blow") + energy.at("work") - energy.at("lost"), energy.at("after"),
                1e-12 * scale);
    // The parts by their definitions, from the velocities alone.
    const Masses masses(problem);
    Vector before;
    Vector after;
    for (const double v : translation->velocities(answer.before)) before.push_back(v);
    for (const double v : translation->velocities(answer.velocities)) after.push_back(v);
    ASSERT_NEAR(energy.at("before"), static_cast<double>(masses.kinetic(before)), 1e-11 * scale);
    ASSERT_NEAR(energy.at("after"), static_cast<double>(masses.kinetic(after)), 1e-11 * scale);
    ASSERT_NEAR(energy.at("blow"), static_cast<double>(masses.kinetic(alpha_of(problem)) - masses.kinetic(before)),
                1e-11 * scale);
    // Work is what the moving conditions do: sum l df/dt.
    const auto table = oracles::rows_at_start(translation->model);
    double work = 0;
    for (std::size_t j = 0; j < table.name.size(); ++j)
      if (answer.impulses.contains(table.name[j])) work += answer.impulses.at(table.name[j]) * table.explicit_rate[j];
    ASSERT_NEAR(energy.at("work"), work, 1e-10 * scale);
    ASSERT_GE(energy.at("lost"), -1e-12 * scale);
  }
}

TEST(Shocks, do_not_depend_on_order_scale_and_repetition_of_the_conditions) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::inRange<std::uint64_t>(600000, 700000);
    const auto problem = oracles::random_impact(seed, oracles::random_mixture(seed));
    auto changed = problem;
    auto& constraints = changed["system"]["constraints"];
    const auto count = constraints.size();
    for (std::size_t k = 0; k < 3; ++k) {
      auto copy = constraints[*rc::gen::inRange<std::size_t>(0, count)];
      copy["name"] = "copy" + std::to_string(k);
      constraints.push_back(copy);
    }
    for (auto& constraint : constraints)
      constraint["expr"] = number_text(std::pow(10.0, *rc::gen::inRange(-3000, 3001) / 1000.0)) + "*(" +
                           constraint["expr"].get<std::string>() + ")";
    std::mt19937_64 engine(seed);
    std::shuffle(constraints.begin(), constraints.end(), engine);
    const auto first = oracles::translate(problem, oracles::Route::coordinates).value();
    const auto second = oracles::translate(changed, oracles::Route::coordinates).value();
    RC_LOG() << first.model << "\n-- changed to --\n" << second.model << "\n";
    const auto before = oracles::impact(first.model, oracles::Way::library);
    const auto after = oracles::impact(second.model, oracles::Way::library);
    RC_ASSERT(before.exit == after.exit);
    if (before.exit != 0) return;
    double scale = 1e-300;
    for (const auto& [name, v] : before.velocities) scale = std::max(scale, std::abs(v[0]));
    for (const auto& [name, v] : before.before) scale = std::max(scale, std::abs(v[0]));
    for (const Real v : alpha_of(problem)) scale = std::max(scale, std::abs(static_cast<double>(v)));
    for (const auto& [name, v] : before.velocities) {
      RC_LOG() << name << ": " << v[0] << " and " << after.velocities.at(name)[0] << "\n";
      RC_ASSERT(std::abs(v[0] - after.velocities.at(name)[0]) <= 1e-12 * scale);
    }
  }));
}

TEST(Shocks, with_one_common_restitution_follow_the_mirrored_point) {
  // v = P(alpha + (1 + e)(v_inelastic - alpha)), P the nearest admissible velocity; both points by enumeration.
  std::size_t struck = 0;
  for (std::uint64_t seed = 700000; seed < 700300; ++seed) {
    const auto problem = scleronomic_impact(seed);
    const auto translation = oracles::translate(problem, oracles::Route::coordinates).value();
    const double e = static_cast<double>(seed % 5) / 4;
    std::map<std::string, double> restitution;
    for (const auto& constraint : problem.at("system").at("constraints"))
      restitution[constraint.at("name").get<std::string>()] = e;
    const auto model = with_restitution(translation.model, restitution);
    SCOPED_TRACE(model);
    const auto answer = oracles::impact(model, oracles::Way::library);
    const auto [rows, names] = shock_rows(problem, translation.model);
    const Masses masses(problem);
    const auto alpha = alpha_of(problem);
    const auto inelastic = nearest(masses.M, alpha, rows);
    ASSERT_TRUE(inelastic.feasible);
    Vector mirrored(alpha.size());
    for (std::size_t i = 0; i < alpha.size(); ++i)
      mirrored[i] = alpha[i] + (1 + static_cast<Real>(e)) * (inelastic.a[i] - alpha[i]);
    const auto truth = nearest(masses.M, mirrored, rows);
    ASSERT_EQ(answer.exit, 0);
    Vector after;
    Real scale = 1;
    for (const double v : translation.velocities(answer.velocities)) after.push_back(v);
    for (const Real v : alpha) scale = std::max(scale, std::abs(v));
    for (std::size_t i = 0; i < alpha.size(); ++i)
      ASSERT_NEAR(static_cast<double>(after[i]), static_cast<double>(truth.a[i]), static_cast<double>(1e-11L * scale))
          << i;
    // No touching condition is broken, and resting conditions give no energy.
    for (std::size_t j = 0; j < rows.size(); ++j)
      ASSERT_LE(static_cast<double>(dot(rows[j].g, after) + rows[j].h), static_cast<double>(1e-11L * scale))
          << names[j];
    ASSERT_LE(static_cast<double>(masses.kinetic(after)),
              static_cast<double>(masses.kinetic(alpha) * (1 + 1e-12L) + 1e-12L));
    const auto& energy = answer.energy;
    ASSERT_NEAR(energy.at("before") + energy.at("blow") + energy.at("work") - energy.at("lost"), energy.at("after"),
                1e-12 * (1 + energy.at("before") + std::abs(energy.at("blow"))));
    ASSERT_GE(energy.at("lost"), -1e-12 * (1 + energy.at("before")));
    if (inelastic.least > 0) ++struck;
  }
  EXPECT_GT(struck, 100U);
}

TEST(Shocks, with_restitutions_of_their_own_obey_newton_condition_by_condition) {
  // Nearest velocity under f_j' <= -e_j F_j where F_j = f_j'(alpha) > 0, f_j' <= 0 elsewhere.
  std::size_t compared = 0;
  for (std::uint64_t seed = 800000; seed < 800300; ++seed) {
    const auto problem = scleronomic_impact(seed);
    const auto translation = oracles::translate(problem, oracles::Route::coordinates).value();
    auto [rows, names] = shock_rows(problem, translation.model);
    const Masses masses(problem);
    const auto alpha = alpha_of(problem);
    const auto inelastic = nearest(masses.M, alpha, rows);
    if (!inelastic.unique) continue;
    std::map<std::string, double> restitution;
    std::vector<double> of_binding;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      restitution[names[j]] = static_cast<double>((seed + 3 * j) % 5) / 4;
      if (inelastic.lambda[j] > 0) of_binding.push_back(restitution[names[j]]);
      const Real F = dot(rows[j].g, alpha);
      if (F > 0) rows[j].h = static_cast<Real>(restitution[names[j]]) * F;
    }
    std::sort(of_binding.begin(), of_binding.end());
    if (of_binding.size() < 2 || of_binding.front() == of_binding.back()) continue;
    const auto truth = nearest(masses.M, alpha, rows);
    if (!truth.feasible) continue;
    const auto model = with_restitution(translation.model, restitution);
    SCOPED_TRACE(model);
    const auto answer = oracles::impact(model, oracles::Way::library);
    ASSERT_EQ(answer.exit, 0);
    const auto after = translation.velocities(answer.velocities);
    Real scale = 1;
    for (const Real v : alpha) scale = std::max(scale, std::abs(v));
    for (std::size_t i = 0; i < alpha.size(); ++i)
      ASSERT_NEAR(after[i], static_cast<double>(truth.a[i]), static_cast<double>(1e-11L * scale)) << i;
    ++compared;
  }
  EXPECT_GT(compared, 30U);
}

}  // namespace zwang::laws::impacts_tests
