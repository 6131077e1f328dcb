/// The accelerations at a model's start in exact arithmetic.
#include "zwang/instant/exactly.hpp"

#include <algorithm>
#include <cassert>

#include "zwang/instant/releases.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::instant {

using rational::Number;

namespace {

Role classify_exactly(const model::ExactRow& row) {
  const bool equation = model::is_equation(row.kind);
  const int value = row.value.sign();
  if (!model::is_holonomic(row.kind)) {
    if (equation) return value == 0 ? Role::equation : Role::approached;
    return value < 0 ? Role::passive_in_velocity : (value > 0 ? Role::approached : Role::marginal);
  }
  if (equation ? value != 0 : value > 0) return Role::violated;
  if (value < 0) return Role::passive_in_position;
  const int rate = row.rate.sign();
  if (equation) return rate == 0 ? Role::equation : Role::approached;
  return rate < 0 ? Role::passive_in_velocity : (rate > 0 ? Role::approached : Role::marginal);
}

/// y = M x, block by block.
std::vector<Number> times_mass(const std::vector<rational::MassBlock>& mass, const std::vector<Number>& x) {
  std::vector<Number> y(x.size());
  for (const rational::MassBlock& block : mass) {
    const std::size_t size = block.variables.size();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        y[block.variables[i]] += block.entries[i * size + j] * x[block.variables[j]];
      }
    }
  }
  return y;
}

/// M x = force: the nearest point of the whole space, each equation of motion a row.
bool solve_mass(const std::vector<rational::MassBlock>& mass, const std::vector<Number>& force,
                std::vector<Number>& x) {
  rational::Problem problem;
  problem.mass = mass;
  problem.a0.resize(force.size());
  for (const rational::MassBlock& block : mass) {
    const std::size_t size = block.variables.size();
    for (std::size_t i = 0; i < size; ++i) {
      rational::Row row{{}, -force[block.variables[i]], true};
      for (std::size_t j = 0; j < size; ++j) row.entries.emplace_back(block.variables[j], block.entries[i * size + j]);
      problem.rows.push_back(std::move(row));
    }
  }
  rational::Answer answer = rational::nearest_point(problem);
  x = std::move(answer.a);
  return answer.verdict == rational::Verdict::nearest;
}

/// The second derivatives at given accelerations.
void second_exactly(ExactInstant& instant) {
  instant.second.clear();
  for (const model::ExactRow& row : instant.scene.rows) {
    Number sum = row.curvature;
    for (const auto& [k, entry] : row.gradient) sum += entry * instant.accelerations[k];
    instant.second.push_back(std::move(sum));
  }
}

}  // namespace

ExactInstant accelerate_exactly(const model::Draft& draft, const model::Overrides& overrides,
                                const model::Model& model) {
  // Doubles tell which conditions are there at all, which rows to begin with, and whether the position is singular; nothing else.
  const model::State state = model::initial_state(model);
  const Instant rough = accelerate(model, state);
  std::vector<bool> absent(model.rows());
  for (std::uint32_t row = 0; row < model.rows(); ++row) absent[row] = rough.role[row] == Role::absent;

  std::vector<bool> gone(model.springs.size());
  for (const std::uint32_t spring : released(model, state).springs) gone[spring] = true;

  ExactInstant instant;
  instant.scene = model::evaluate_exactly(draft, overrides, model, {absent, gone});
  instant.blow_due = rough.blow_due;
  instant.seizure_due = rough.seizure_due;
  const model::ExactScene& scene = instant.scene;

  // Which conditions matter, and is the state one from which accelerations can be asked for?
  bool struck = false;
  for (std::uint32_t row = 0; row < scene.rows.size(); ++row) {
    instant.role.push_back(classify_exactly(scene.rows[row]));
    if (instant.role[row] == Role::violated) instant.violations.emplace_back(row, scene.rows[row].value);
    struck = struck || instant.role[row] == Role::approached;
  }
  if (!instant.violations.empty()) {
    instant.status = Status::inadmissible;
    return instant;
  }
  if (instant.blow_due || instant.seizure_due || struck) {
    instant.status = Status::impact;
    return instant;
  }

  // The free motion, and the rows that hinder it.
  rational::Problem problem;
  problem.mass = scene.mass;
  std::vector<Number> force = scene.force;
  if (!solve_mass(scene.mass, force, instant.free)) {
    instant.expansion = "the kinetic energy is not positive definite at this state";
    return instant;
  }
  problem.a0 = instant.free;
  bool bent = false;
  for (const model::ExactRow& row : scene.rows) {
    for (const auto& [k, entry] : row.bend) force[k] -= row.rho * entry;
    bent = bent || row.variational;
  }
  if (bent && !solve_mass(scene.mass, force, problem.a0)) return instant;
  std::vector<std::uint32_t> effective, start;
  for (std::uint32_t row = 0; row < scene.rows.size(); ++row) {
    const model::ExactRow& one = scene.rows[row];
    if (!instant.is_effective(row)) continue;
    const Role found = rough.role[one.row];
    if (found == Role::equation || found == Role::binding)
      start.push_back(static_cast<std::uint32_t>(effective.size()));
    effective.push_back(row);
    problem.rows.push_back({one.gradient, one.curvature, model::is_equation(one.kind)});
  }
  instant.redundant = rational::dependences(problem.rows, model.variables);
  instant.regular = instant.redundant.empty();

  // The nearest admissible acceleration, or the proof that there is none; either is checked from the definitions.
  const rational::Answer answer = rational::nearest_point(problem, start);
  assert(rational::refute(problem, answer).empty());
  for (rational::Dependence& one : instant.redundant) {
    one.row = effective[one.row];
    for (auto& [row, factor] : one.combination) row = effective[row];
  }
  if (answer.verdict == rational::Verdict::contradictory) {
    instant.status = Status::jammed;
    for (std::size_t j = 0; j < effective.size(); ++j) {
      if (answer.farkas[j].sign() != 0) instant.farkas.emplace_back(effective[j], answer.farkas[j]);
    }
    return instant;
  }

  // Gradients that depend on one another just here hide conditions of higher order.
  const bool implied =
      std::any_of(model.conditions.begin(), model.conditions.end(), [](const auto& one) { return one.implied; });
  if (!instant.regular && (rough.singular || implied || rough.status == Status::undecided ||
                           rough.status == Status::ambiguous || rough.status == Status::jammed)) {
    instant.expansion =
        "the gradients of the conditions depend on one another, and derivatives beyond the second decide, which exact "
        "arithmetic "
        "does not look at: ask without --exact";
    return instant;
  }
  instant.status = Status::determined;
  instant.accelerations = answer.a;
  instant.multipliers_unique = rational::unique_multipliers(problem, answer);
  instant.multipliers.assign(scene.rows.size(), Number());
  for (std::size_t j = 0; j < effective.size(); ++j) {
    instant.multipliers[effective[j]] = answer.lambda[j];
    Role& role = instant.role[effective[j]];
    if (role == Role::equation) continue;
    role = answer.lambda[j].sign() > 0 ? Role::binding : (answer.w[j].sign() < 0 ? Role::leaving : Role::marginal);
  }
  second_exactly(instant);
  std::vector<Number> difference;
  for (std::size_t k = 0; k < instant.free.size(); ++k) difference.push_back(answer.a[k] - instant.free[k]);
  instant.reaction = times_mass(scene.mass, difference);
  for (std::size_t k = 0; k < difference.size(); ++k) instant.constraint += difference[k] * instant.reaction[k];
  return instant;
}

std::vector<Number> reaction_of(const ExactInstant& instant, std::size_t row) {
  std::vector<Number> force(instant.free.size());
  const model::ExactRow& one = instant.scene.rows[row];
  for (const auto& [k, entry] : one.gradient) force[k] -= instant.multipliers[row] * entry;
  for (const auto& [k, entry] : one.bend) force[k] -= one.rho * entry;
  return force;
}

}  // namespace zwang::instant
