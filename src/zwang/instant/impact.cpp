/// Velocities after a shock: Mayer's regulation, with restitution as an extension.
#include "zwang/instant/impact.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/instant/workspace.hpp"

namespace zwang::instant {

namespace {

constexpr double zero_part = 1e-11;  ///< of the sum of the absolute values of the terms (section 8)

/// Twice the energy of a velocity: v^T M v.
double vis_viva(const linear::Mass& mass, const std::vector<double>& v, std::vector<double>& scratch) {
  scratch.resize(v.size());
  mass.multiply(v, scratch);
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    sum += v[i] * scratch[i];
  }
  return sum;
}

/// f' of every row for given velocities.
void rates(const model::Model& model, const model::Rows& rows, const std::vector<double>& v,
           std::vector<double>& rate) {
  rate.resize(model.rows());
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    double sum = rows.explicit_rate[row];
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      sum += rows.entry[e] * v[model.row_column[e]];
    }
    rate[row] = sum;
  }
}

/// Does the row take part in a shock at this position?
bool takes_part(Role role) {
  return role != Role::absent && role != Role::violated && role != Role::passive_in_position;
}

/// Is every row kept by these velocities, within what counts as zero?
bool admissible(const model::Model& model, const Workspace::Impl& impl, const std::vector<double>& rate) {
  for (const std::uint32_t row : impl.problem.row) {
    const bool equation = model::is_equation(model.row_kind[row]);
    if ((equation ? std::abs(rate[row]) : rate[row]) > impl.touch_rate[row]) {
      return false;
    }
  }
  return true;
}

/// The restitution of the conditions that strike, if it is one and the same.
struct Restitution {
  bool common = true;
  double value = 0;
  bool any = false;
};

Restitution restitution(const model::Model& model, const Subproblem& problem, const std::vector<double>& l) {
  Restitution result;
  double largest = 0;
  for (const double one : l) {
    largest = std::max(largest, std::abs(one));
  }
  for (std::size_t j = 0; j < problem.size(); ++j) {
    // An impulse of rounding size strikes nothing.
    if (problem.kind[j] == gauss::RowKind::equation || l[j] <= 1e-14 * largest) {
      continue;
    }
    const double e = model.conditions[model.row_condition[problem.row[j]]].restitution;
    if (!result.any) {
      result.any = true;
      result.value = e;
    } else if (result.value != e) {
      result.common = false;
    }
  }
  return result;
}

/// Solve the problem for target `alpha`; false if it has no answer.
bool nearest(Workspace::Impl& impl, const std::vector<double>& alpha, std::vector<gauss::Trial>* trials) {
  impl.problem.a0.assign(alpha.begin(), alpha.end());
  gauss::solve(impl.problem.view(impl.dynamics.mass), {}, impl.gauss_impact, impl.solution, trials);
  return impl.solution.status == gauss::Status::solved;
}

/// Newton's rule: every approached condition leaves with its own part of the speed it was approached with.
bool newton(const model::Model& model, Workspace::Impl& impl, const Shock& shock) {
  Subproblem& problem = impl.problem;
  const std::vector<double> offsets = problem.h;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    const double approach = shock.rate_before[problem.row[j]];
    if (problem.kind[j] == gauss::RowKind::inequality && approach > 0) {
      problem.h[j] += model.conditions[model.row_condition[problem.row[j]]].restitution * approach;
    }
  }
  const bool solved = nearest(impl, shock.alpha, nullptr);
  problem.h = offsets;
  return solved;
}

}  // namespace

std::string_view words(ShockStatus status) {
  switch (status) {
    case ShockStatus::regulated: return "regulated";
    case ShockStatus::not_needed: return "not needed";
    case ShockStatus::inadmissible: return "inadmissible";
    case ShockStatus::jammed: return "jammed";
    case ShockStatus::refused: return "refused";
    case ShockStatus::gave_up: return "gave up";
  }
  return "";
}

void impact(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
            Shock& shock) {
  Workspace::Impl& impl = workspace.impl();
  const std::size_t n = model.variables;
  model::evaluate_rows(model, state, impl.scratch, impl.rows);
  model::evaluate_dynamics(model, state, impl.scratch, impl.dynamics);
  const linear::Mass& mass = impl.dynamics.mass;
  Instant instant;
  classify_rows(model, state, options, impl, instant);
  shock.time = state.time;
  shock.before = state.velocity;
  shock.alpha = state.velocity;
  shock.velocities = state.velocity;
  shock.impulses.assign(model.rows(), 0.0);
  shock.impulses_unique = true;
  shock.violations = instant.violations;
  shock.farkas.clear();
  shock.trials.clear();
  shock.effective.clear();
  shock.restitution_note.clear();
  shock.energy = {};
  shock.certificate = {};
  shock.role = instant.role;
  if (!instant.violations.empty()) {
    shock.status = ShockStatus::inadmissible;
    return;
  }
  if (!impl.dynamics.mass_positive || !instant.expansion.empty()) {
    shock.status = ShockStatus::gave_up;
    shock.restitution_note = instant.expansion;
    return;
  }

  // External blows first: alpha = v + M^-1 J.
  std::vector<double> change(n, 0.0);
  for (const model::Blow& blow : model.blows) {
    if (instant.blow_due && same_instant(blow.at, state.time)) {
      for (std::size_t i = 0; i < blow.variables.size(); ++i) {
        change[blow.variables[i]] += blow.impulse[i];
      }
    }
  }
  if (instant.blow_due) {
    mass.solve(change, change);
    for (std::size_t i = 0; i < n; ++i) {
      shock.alpha[i] += change[i];
    }
  }

  // All touching conditions take part, never only those that are approached.
  Subproblem& problem = impl.problem;
  problem.clear();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (takes_part(instant.role[row])) {
      problem.append(model, impl.rows, row, impl.rows.explicit_rate[row],
                     model::is_equation(model.row_kind[row]) ? gauss::RowKind::equation : gauss::RowKind::inequality);
    }
  }
  problem.a0.assign(shock.alpha.begin(), shock.alpha.end());
  rates(model, impl.rows, shock.alpha, shock.rate_before);
  if (options.tell) {
    shock.effective.assign(problem.row.begin(), problem.row.end());
  }

  // Under the variational law there is no shock.
  const bool strikes = !admissible(model, impl, shock.rate_before);
  for (const model::Condition& condition : model.conditions) {
    if (condition.law == model::Law::variational && (strikes || instant.blow_due)) {
      shock.status = ShockStatus::refused;
      shock.restitution_note =
          "the theory defines no shock while a condition under the variational law (" + condition.name + ") is active";
      return;
    }
  }

  std::vector<double> l(problem.size(), 0.0);
  if (!strikes) {
    // Nothing strikes.
    shock.status = instant.blow_due ? ShockStatus::regulated : ShockStatus::not_needed;
    shock.velocities = shock.alpha;
  } else {
    if (!nearest(impl, shock.alpha, options.tell ? &shock.trials : nullptr)) {
      shock.status = impl.solution.status == gauss::Status::infeasible ? ShockStatus::jammed : ShockStatus::gave_up;
      for (std::size_t j = 0; shock.status == ShockStatus::jammed && j < problem.size(); ++j) {
        if (impl.solution.farkas[j] != 0) {
          shock.farkas.emplace_back(problem.row[j], impl.solution.farkas[j]);
        }
      }
      return;
    }
    shock.status = ShockStatus::regulated;
    shock.velocities = impl.solution.a;
    l = impl.solution.lambda;
    shock.certificate = gauss::verify(problem.view(mass), impl.solution.a, impl.solution.lambda, impl.scratch_n);

    // Bodies that rebound.
    const Restitution e = options.inelastic ? Restitution{} : restitution(model, problem, l);
    if (e.any && e.common && e.value > 0) {
      std::vector<double> rebound(n);
      for (std::size_t i = 0; i < n; ++i) {
        rebound[i] = shock.alpha[i] + (1 + e.value) * (shock.velocities[i] - shock.alpha[i]);
      }
      if (nearest(impl, rebound, nullptr)) {
        shock.velocities = impl.solution.a;
        for (std::size_t j = 0; j < problem.size(); ++j) {
          l[j] = (1 + e.value) * l[j] + impl.solution.lambda[j];
        }
        shock.certificate = gauss::verify(problem.view(mass), impl.solution.a, impl.solution.lambda, impl.scratch_n);
      }
    } else if (e.any && !e.common) {
      if (newton(model, impl, shock)) {
        shock.velocities = impl.solution.a;
        l = impl.solution.lambda;
        shock.restitution_note = "different restitutions: each approached condition leaves with its own part (Newton)";
      } else {
        shock.restitution_note = "the different restitutions contradict one another: regulated without rebound";
      }
    }
  }
  // Velocities that are rounding of zero beside their terms become zero.
  impl.scratch_n.assign(n, 0.0);
  for (std::size_t j = 0; j < problem.size(); ++j) {
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      impl.scratch_n[problem.column[e]] += std::abs(problem.entry[e] * l[j]);
    }
  }
  solve_absolute(mass, impl.scratch_n, impl.scratch_m);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(shock.velocities[i]) <= 1e-15 * (std::abs(shock.alpha[i]) + impl.scratch_m[i]) &&
        shock.velocities[i] != shock.alpha[i]) {
      shock.velocities[i] = 0;
    }
  }
  rates(model, impl.rows, shock.velocities, shock.rate_after);
  widen_rates(model, options, shock.alpha, shock.velocities, impl);

  // Are the impulses the only ones? If not, they are shared evenly.
  problem.a0.assign(shock.alpha.begin(), shock.alpha.end());
  const bool regular = independent(mass, problem, impl);
  MultiplierQuestion question;
  question.problem = &problem;
  for (std::uint32_t j = 0; j < problem.size(); ++j) {
    const bool equation = problem.kind[j] == gauss::RowKind::equation;
    if (equation || l[j] > 0 || std::abs(shock.rate_after[problem.row[j]]) <= impl.touch_rate[problem.row[j]]) {
      question.rows.push_back(j);
      question.nonnegative.push_back(equation ? 0 : 1);
      question.lambda.push_back(l[j]);
    }
  }
  if (!regular) {
    shock.impulses_unique = multipliers_unique(question);
    if (!shock.impulses_unique && choose_multipliers(question, {})) {
      for (std::size_t i = 0; i < question.rows.size(); ++i) {
        l[question.rows[i]] = question.lambda[i];
      }
    }
  }

  // Roles after the shock.
  double largest = 0;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    largest = std::max(largest, std::abs(l[j]) * std::sqrt(impl.norm2[j]));
  }
  for (std::size_t j = 0; j < problem.size(); ++j) {
    const std::uint32_t row = problem.row[j];
    shock.impulses[row] = l[j];
    if (problem.kind[j] == gauss::RowKind::equation) {
      shock.role[row] = Role::equation;
    } else if (l[j] * std::sqrt(impl.norm2[j]) > zero_part * largest) {
      shock.role[row] = Role::binding;
    } else {
      shock.role[row] = shock.rate_after[row] < -impl.touch_rate[row] ? Role::leaving : Role::marginal;
    }
  }

  // The law of energy: before + blow + work - lost = after.
  ShockEnergy& energy = shock.energy;
  energy.before = vis_viva(mass, shock.before, impl.scratch_n) / 2;
  energy.blow = instant.blow_due ? vis_viva(mass, shock.alpha, impl.scratch_n) / 2 - energy.before : 0;
  energy.after = vis_viva(mass, shock.velocities, impl.scratch_n) / 2;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    energy.work += l[j] * impl.rows.explicit_rate[problem.row[j]];
    energy.lost += l[j] * shock.rate_after[problem.row[j]];
  }
  std::vector<double> lost(n);
  for (std::size_t i = 0; i < n; ++i) {
    lost[i] = shock.alpha[i] - shock.velocities[i];
  }
  energy.lost += vis_viva(mass, lost, impl.scratch_n) / 2;
}

Shock impact(const model::Model& model, const model::State& state, const Options& options) {
  Workspace workspace(model);
  Shock shock;
  impact(model, state, options, workspace, shock);
  return shock;
}

}  // namespace zwang::instant
