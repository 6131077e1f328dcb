/// What must hold of an answer: numbers to the problem's tolerance, roles, certificates, identities by a second route.
#include "oracles/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "command/call.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::oracles {

namespace {

using nlohmann::json;

/// A verified answer's residuals, scaled, in double precision.
constexpr double certified = 1e-12;

std::vector<double> vector_of(const json& expected, const std::string& key) {
  std::vector<double> out;
  for (const auto& entry : expected.contains(key + "_exact") ? expected.at(key + "_exact") : expected.at(key))
    out.push_back(number(entry));
  return out;
}

/// "_exact" where it is given, else the decimals; empty when neither is.
json map_of(const json& expected, const std::string& key) {
  if (expected.contains(key + "_exact")) return expected.at(key + "_exact");
  return expected.value(key, json::object());
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected, double tolerance,
                 const std::string& what, double scale = 0) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  scale = std::max({1.0, scale, largest(expected)});
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - expected[i]), tolerance * scale)
        << what << " [" << i << "]: " << got[i] << " instead of " << expected[i];
}

void expect_near(double got, double expected, double tolerance, const std::string& what, double scale = 1) {
  EXPECT_LE(std::abs(got - expected), tolerance * std::max(scale, std::abs(expected)))
      << what << ": " << got << " instead of " << expected;
}

void expect_certified(const CertificateAnswer& certificate) {
  EXPECT_LE(certificate.primal, certified);
  EXPECT_LE(certificate.dual, certified);
  EXPECT_LE(certificate.complementarity, certified);
  EXPECT_LE(certificate.stationarity, certified);
  EXPECT_GE(std::min({certificate.primal, certificate.dual, certificate.complementarity, certificate.stationarity}), 0);
}

std::string sense_of(const json& problem, const std::string& name) {
  for (const auto& constraint : problem.at("system").at("constraints"))
    if (constraint.at("name") == name) return constraint.at("sense").get<std::string>();
  return "";
}

bool is_equation(const json& problem, const std::string& name) { return sense_of(problem, name) == "=0"; }

bool contains(const json& list, const std::string& name) {
  return std::find(list.begin(), list.end(), json(name)) != list.end();
}

std::vector<std::string> names_of(const json& problem) {
  std::vector<std::string> out;
  for (const auto& constraint : problem.at("system").at("constraints"))
    out.push_back(constraint.at("name").get<std::string>());
  return out;
}

bool is_passive(const std::string& role) { return role == "passive in position" || role == "passive in velocity"; }

/// Rank by elimination on rows scaled to one; for exact small data a plain threshold separates.
std::size_t rank(std::vector<std::vector<double>> rows) {
  std::size_t found = 0;
  for (auto& row : rows) {
    const double size = largest(row);
    for (double& x : row) x = size > 0 ? x / size : 0;
  }
  const std::size_t n = rows.empty() ? 0 : rows[0].size();
  for (std::size_t column = 0; column < n && found < rows.size(); ++column) {
    std::size_t best = found;
    for (std::size_t i = found; i < rows.size(); ++i)
      if (std::abs(rows[i][column]) > std::abs(rows[best][column])) best = i;
    if (std::abs(rows[best][column]) < 1e-9) continue;
    std::swap(rows[best], rows[found]);
    for (std::size_t i = found + 1; i < rows.size(); ++i) {
      const double factor = rows[i][column] / rows[found][column];
      for (std::size_t k = 0; k < n; ++k) rows[i][k] -= factor * rows[found][k];
    }
    ++found;
  }
  return found;
}

/// y >= 0 on inequalities, y^T G = 0, y^T F > 0: no acceleration can satisfy the rows.
void expect_farkas(const RowTable& rows, const Numbers& farkas) {
  EXPECT_FALSE(farkas.empty()) << "a jam without a certificate";
  const std::size_t n = rows.variable.size();
  std::vector<double> sum(n, 0);
  std::vector<double> size(n, 0);
  double gap = 0;
  double gap_size = 0;
  for (const auto& [name, y] : farkas) {
    const auto at = std::find(rows.name.begin(), rows.name.end(), name);
    ASSERT_NE(at, rows.name.end()) << "farkas names " << name;
    const auto row = static_cast<std::size_t>(at - rows.name.begin());
    if (!rows.equation[row]) {
      EXPECT_GE(y, 0) << "farkas of " << name;
    }
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] += y * rows.gradient[row][i];
      size[i] += std::abs(y * rows.gradient[row][i]);
    }
    gap += y * rows.curvature[row];
    gap_size += std::abs(y * rows.curvature[row]);
  }
  for (std::size_t i = 0; i < n; ++i) EXPECT_LE(std::abs(sum[i]), certified * std::max(size[i], 1e-300));
  EXPECT_GT(gap, 1e-10 * gap_size);
}

}  // namespace

RowTable rows_at_start(const std::string& text) {
  const auto model = model::load(text, "problem.toml");
  const auto state = model::initial_state(model);
  auto scratch = model::make_scratch(model);
  auto rows = model::make_rows(model);
  model::evaluate_rows(model, state, scratch, rows);
  RowTable table;
  for (const auto& body : model.bodies)
    for (std::uint32_t member = 0; member < body.members(); ++member)
      for (std::uint32_t k = 0; k < body.dimension; ++k) table.variable.push_back({member_name(body, member), k});
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    table.name.push_back(row_name(model, row));
    table.equation.push_back(model::is_equation(model.row_kind[row]));
    std::vector<double> dense(model.variables, 0);
    for (auto k = model.row_start[row]; k < model.row_start[row + 1]; ++k) dense[model.row_column[k]] = rows.entry[k];
    table.gradient.push_back(dense);
    table.curvature.push_back(rows.curvature[row]);
    table.explicit_rate.push_back(rows.explicit_rate[row]);
  }
  return table;
}

std::vector<double> conditions_at(const json& problem, const std::vector<double>& x) {
  const auto translation = translate(problem, Route::coordinates).value();
  const auto model = model::load(translation.model, "problem.toml");
  auto state = model::initial_state(model);
  state.position = x;
  auto scratch = model::make_scratch(model);
  auto rows = model::make_rows(model);
  model::evaluate_rows(model, state, scratch, rows);
  return rows.value;
}

void judge_accelerations(const json& problem, Route route, Way way) {
  const auto translation = translate(problem, route);
  if (!translation) GTEST_SKIP() << "cannot be written that way";
  SCOPED_TRACE(translation->model);
  const auto& expected = problem.at("expected");
  const double tolerance = expected.at("tol").get<double>();
  const auto answer = accelerate(translation->model, way);

  // Contradictory conditions: a jam with its proof, and nothing else.
  const auto rows = rows_at_start(translation->model);
  if (!expected.value("feasible", true)) {
    EXPECT_EQ(answer.status, "jammed");
    EXPECT_EQ(answer.exit, 3);
    expect_farkas(rows, answer.farkas);
    return;
  }
  ASSERT_EQ(answer.status, "determined");
  EXPECT_EQ(answer.exit, 0);
  const auto accelerations = vector_of(expected, "accelerations");
  expect_near(translation->accelerations(answer.accelerations), accelerations, tolerance, "accelerations",
              largest(translation->accelerations(answer.free)));
  expect_certified(answer.certificate);

  // Every condition is there, with its role; ineffective ones are passive, binding ones have lambda > 0.
  const auto ineffective = expected.value("ineffective", json::object());
  const auto multipliers = map_of(expected, "multipliers");
  const auto equation_multipliers = map_of(expected, "eq_multipliers");
  const auto fpp = expected.value("fpp", json::object());
  const auto free_fpp = expected.value("free_fpp", json::object());
  std::set<std::string> effective;
  for (const auto& name : names_of(problem)) {
    ASSERT_TRUE(answer.constraints.contains(name)) << name;
    const auto& condition = answer.constraints.at(name);
    if (!is_passive(condition.role)) effective.insert(name);
    if (is_equation(problem, name)) {
      EXPECT_EQ(condition.role, "equation") << name;
    } else if (ineffective.contains(name)) {
      EXPECT_TRUE(is_passive(condition.role)) << name << " is " << condition.role;
    } else if (fpp.contains(name) && number(fpp.at(name)) < 0) {
      EXPECT_EQ(condition.role, "leaving") << name;
    } else if (multipliers.contains(name) && number(multipliers.at(name)) > 0) {
      EXPECT_EQ(condition.role, "binding") << name;
    } else if (!fpp.empty()) {
      EXPECT_TRUE(condition.role == "binding" || condition.role == "marginal" || condition.role == "leaving")
          << name << " is " << condition.role;
    }
    if (fpp.contains(name) && !ineffective.contains(name)) {
      ASSERT_TRUE(condition.second.has_value()) << name;
      const double scale = std::max(1.0, free_fpp.contains(name) ? std::abs(number(free_fpp.at(name))) : 1.0);
      expect_near(*condition.second, number(fpp.at(name)), tolerance, "second of " + name, scale);
    }
  }

  // Degenerate starts: what stays closed is what the motion goes on with.
  if (expected.contains("continues_with_active")) {
    for (const auto& name : names_of(problem)) {
      const auto& role = answer.constraints.at(name).role;
      const bool stays = contains(expected.at("continues_with_active"), name);
      if (role == "marginal") continue;
      EXPECT_EQ(role == "binding" || role == "equation", stays) << name << " is " << role;
    }
  }

  // Multipliers: of every equation and every effective inequality, and of nothing else.
  std::set<std::string> with_multiplier;
  for (const auto& [name, value] : answer.multipliers) with_multiplier.insert(name);
  EXPECT_EQ(with_multiplier, effective);
  if (expected.contains("multipliers_unique")) {
    const bool unique = expected.at("multipliers_unique").get<bool>();
    EXPECT_EQ(answer.multipliers_unique, unique);
    double scale = 1;
    for (const auto* map : {&multipliers, &equation_multipliers})
      for (const auto& [name, value] : map->items()) scale = std::max(scale, std::abs(number(value)));
    if (unique)
      for (const auto* map : {&multipliers, &equation_multipliers})
        for (const auto& [name, value] : map->items())
          if (effective.contains(name))
            expect_near(answer.multipliers.at(name), number(value), tolerance, "multiplier of " + name, scale);
  }
  for (const auto& [name, value] : answer.multipliers)
    if (!is_equation(problem, name)) {
      EXPECT_GE(value, 0) << "multiplier of " << name;
    }

  // The total reaction, as expected and as -sum lambda grad f.
  if (expected.contains("reaction"))
    expect_near(translation->forces(answer.reaction), vector_of(expected, "reaction"), tolerance, "reaction",
                std::abs(number(expected.value("constraint_Z", json(1.0)))));
  std::vector<double> total(rows.variable.size(), 0);
  std::vector<double> given(rows.variable.size(), 0);
  std::vector<std::vector<double>> gradients;
  for (std::size_t row = 0; row < rows.name.size(); ++row) {
    if (!effective.contains(rows.name[row])) continue;
    gradients.push_back(rows.gradient[row]);
    for (std::size_t i = 0; i < total.size(); ++i)
      total[i] -= answer.multipliers.at(rows.name[row]) * rows.gradient[row][i];
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    given[i] = answer.reaction.at(rows.variable[i].body).at(rows.variable[i].component);
  expect_near(given, total, 1e-11, "reaction as the sum of lambda grad f");
  EXPECT_EQ(answer.regular, rank(gradients) == gradients.size());

  // Gauss's Z, and the free motion seen through the conditions.
  const auto Z = expected.contains("constraint_Z_exact") ? expected.at("constraint_Z_exact")
                                                         : expected.value("constraint_Z", json());
  if (!Z.is_null()) expect_near(answer.constraint, number(Z), tolerance, "Z");
  for (std::size_t row = 0; row < rows.name.size(); ++row) {
    if (!free_fpp.contains(rows.name[row])) continue;
    double second = rows.curvature[row];
    for (std::size_t i = 0; i < rows.variable.size(); ++i)
      second += rows.gradient[row][i] * answer.free.at(rows.variable[i].body).at(rows.variable[i].component);
    expect_near(second, number(free_fpp.at(rows.name[row])), 1e-11, "free f'' of " + rows.name[row]);
  }
}

void judge_impact(const json& problem, Route route, Way way) {
  const auto translation = translate(problem, route);
  if (!translation) GTEST_SKIP() << "cannot be written that way";
  SCOPED_TRACE(translation->model);
  const auto& expected = problem.at("expected");
  const double tolerance = expected.at("tol").get<double>();
  const auto answer = impact(translation->model, way);
  if (!expected.value("feasible", true)) {
    EXPECT_EQ(answer.exit, 3);
    return;
  }
  ASSERT_EQ(answer.exit, 0) << answer.status;

  // Velocities before and after, and their difference.
  const auto before = translation->velocities(answer.before);
  const auto after = translation->velocities(answer.velocities);
  const auto changes = translation->velocities(answer.changes);
  expect_near(before, translation->v, tolerance, "velocities before");
  expect_near(after, vector_of(expected, "v_after"), tolerance, "velocities after", largest(before));
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_NEAR(changes[i], after[i] - before[i], 1e-13 * (1 + largest(before) + largest(after)));
  expect_certified(answer.certificate);

  // Impulses and roles.
  const auto multipliers = map_of(expected, "multipliers");
  const auto equation_multipliers = map_of(expected, "eq_multipliers");
  const auto fdot = expected.value("fdot_after", json::object());
  const auto ineffective = expected.value("ineffective", json::object());
  double scale = 1;
  for (const auto* map : {&multipliers, &equation_multipliers})
    for (const auto& [name, value] : map->items()) scale = std::max(scale, std::abs(number(value)));
  const bool unique = expected.value("multipliers_unique", true);
  EXPECT_EQ(answer.impulses_unique, unique);
  for (const auto& name : names_of(problem)) {
    ASSERT_TRUE(answer.roles.contains(name)) << name;
    const auto& role = answer.roles.at(name);
    if (is_equation(problem, name)) {
      EXPECT_EQ(role, "equation") << name;
    } else if (ineffective.contains(name)) {
      EXPECT_TRUE(is_passive(role)) << name << " is " << role;
    } else if (multipliers.contains(name) && number(multipliers.at(name)) > 0) {
      EXPECT_EQ(role, "binding") << name;
    } else if (fdot.contains(name) && number(fdot.at(name)) < 0) {
      EXPECT_EQ(role, "leaving") << name;
    } else if (unique) {
      EXPECT_EQ(role, "marginal") << name;
    }
    if (ineffective.contains(name)) continue;
    ASSERT_TRUE(answer.impulses.contains(name)) << name;
    if (!is_equation(problem, name)) {
      EXPECT_GE(answer.impulses.at(name), 0) << name;
    }
    for (const auto* map : {&multipliers, &equation_multipliers})
      if (unique && map->contains(name))
        expect_near(answer.impulses.at(name), number(map->at(name)), tolerance, "impulse of " + name, scale);
  }

  // Energy: the parts, and before + blow + work - lost = after.
  const double energy_scale = std::max({1.0, number(expected.at("T_before_exact")),
                                        number(expected.at("T_alpha_exact")), number(expected.at("T_after_exact"))});
  expect_near(answer.energy.at("before"), number(expected.at("T_before_exact")), tolerance, "energy before",
              energy_scale);
  expect_near(answer.energy.at("blow"), number(expected.at("T_alpha_exact")) - number(expected.at("T_before_exact")),
              tolerance, "energy of the blow", energy_scale);
  expect_near(answer.energy.at("work"), number(expected.at("rheonomic_work_exact")), tolerance, "work", energy_scale);
  expect_near(answer.energy.at("lost"), number(expected.at("lost_velocity_vis_viva_exact")), tolerance, "energy lost",
              energy_scale);
  expect_near(answer.energy.at("after"), number(expected.at("T_after_exact")), tolerance, "energy after", energy_scale);
  EXPECT_NEAR(
      answer.energy.at("before") + answer.energy.at("blow") + answer.energy.at("work") - answer.energy.at("lost"),
      answer.energy.at("after"), 1e-12 * energy_scale);

  // Before the shock there are no accelerations, if one is due.
  bool due = false;
  for (const auto& blow : problem.at("system").value("external_impulse", json::array())) due = due || number(blow) != 0;
  for (const auto& constraint : problem.at("system").at("constraints"))
    due = due || constraint.value("suddenly_imposed", false);
  const auto rates = expected.value("F_before", json::object());
  for (const auto& [name, value] : rates.items())
    due = due || (is_equation(problem, name) ? number(value) != 0 : number(value) > 0 && !ineffective.contains(name));
  const auto instant = accelerate(translation->model, way);
  EXPECT_EQ(instant.status == "impact", due) << instant.status;
  if (due) {
    EXPECT_EQ(instant.exit, 0);
    if (way == Way::command) {
      EXPECT_TRUE(instant.accelerations.empty());
    }
    for (const auto& [name, value] : rates.items())
      if (instant.constraints.contains(name))
        expect_near(instant.constraints.at(name).rate, number(value), tolerance, "rate of " + name, 10);
  }
}

void judge_singular(const json& problem, Route route, Way way) {
  const auto translation = translate(problem, route);
  if (!translation) GTEST_SKIP() << "cannot be written that way";
  SCOPED_TRACE(translation->model);
  const auto& expected = problem.at("expected");
  // Sheared coordinates carry the square of the velocity in their accelerations, and lose digits to it.
  const double speed = largest(translation->v);
  const double tolerance = expected.at("tol").get<double>() * (route == Route::sheared ? 1 + speed * speed : 1);
  const auto answer = accelerate(translation->model, way);
  EXPECT_EQ(answer.exit, 0);
  const auto Z = number(expected.contains("Z_exact") ? expected.at("Z_exact") : expected.at("Z"));
  const auto& count = expected.at("n_minimisers");

  // One minimiser: determined, as at a regular position.
  if (count.is_number() && count.get<int>() == 1) {
    ASSERT_EQ(answer.status, "determined");
    const auto& minimisers =
        expected.contains("minimisers_exact") ? expected.at("minimisers_exact") : expected.at("minimisers");
    std::vector<double> only;
    for (const auto& entry : minimisers[0]) only.push_back(number(entry));
    expect_near(translation->accelerations(answer.accelerations), only, tolerance, "accelerations");
    expect_near(answer.constraint, Z, tolerance, "Z");
    return;
  }

  // Several: all of them, each once, with the same Z.
  ASSERT_EQ(answer.status, "ambiguous");
  for (const auto& solution : answer.solutions) expect_near(solution.constraint, Z, tolerance, "Z of a minimiser");
  if (count.is_number()) {
    EXPECT_EQ(answer.family, "isolated");
    ASSERT_EQ(answer.solutions.size(), count.get<std::size_t>());
    const auto& minimisers =
        expected.contains("minimisers_exact") ? expected.at("minimisers_exact") : expected.at("minimisers");
    for (const auto& minimiser : minimisers) {
      std::vector<double> wanted;
      for (const auto& entry : minimiser) wanted.push_back(number(entry));
      std::size_t found = 0;
      for (const auto& solution : answer.solutions) {
        double distance = 0;
        const auto given = translation->accelerations(solution.accelerations);
        for (std::size_t i = 0; i < wanted.size(); ++i) distance = std::max(distance, std::abs(given[i] - wanted[i]));
        if (distance <= tolerance * std::max(1.0, largest(wanted))) ++found;
      }
      EXPECT_EQ(found, 1U) << "minimiser " << minimiser.dump();
    }
    return;
  }

  // A continuum: a few different members, each on the cone and as near to the free acceleration as the least allows.
  EXPECT_EQ(answer.family, "continuum");
  EXPECT_GE(answer.solutions.size(), 2U);
  for (std::size_t s = 0; s < answer.solutions.size(); ++s) {
    const auto given = translation->accelerations(answer.solutions[s].accelerations);
    double least = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const double mass = number(problem.at("system").at("masses")[i]);
      const double lack = mass * given[i] - number(problem.at("system").at("forces")[i]);
      least += lack * lack / mass;
    }
    expect_near(least, Z, tolerance, "Z of a member");
    const auto names = names_of(problem);
    const auto values = conditions_at(problem, given);
    for (std::size_t j = 0; j < names.size(); ++j) {
      const double scale = tolerance * std::max(1.0, largest(given) * largest(given)) * 20;
      EXPECT_LE(is_equation(problem, names[j]) ? std::abs(values[j]) : values[j], scale) << names[j];
    }
    for (std::size_t other = 0; other < s; ++other) {
      const auto before = translation->accelerations(answer.solutions[other].accelerations);
      double distance = 0;
      for (std::size_t i = 0; i < given.size(); ++i) distance = std::max(distance, std::abs(given[i] - before[i]));
      EXPECT_GT(distance, 1e-6 * largest(given)) << "two members are the same";
    }
  }
}

}  // namespace zwang::oracles
