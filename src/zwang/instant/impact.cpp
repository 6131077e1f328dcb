/// Velocities after a shock: Mayer's regulation, with restitution as an extension.
#include "zwang/instant/impact.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/instant/cones.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/dependence.hpp"
#include "zwang/instant/releases.hpp"
#include "zwang/instant/singular.hpp"
#include "zwang/instant/tolerances.hpp"
#include "zwang/instant/workspace_impl.hpp"
#include "zwang/model/bodies.hpp"

namespace zwang::instant {

namespace {

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

/// The restitution of the conditions that strike, if it is one and the same. A row that is approached and stopped by others, as a copy of
/// one of them, is struck, too, whichever of them carries the impulse.
struct Restitution {
  bool common = true;
  double value = 0;
  bool any = false;
};

Restitution restitution(const model::Model& model, const Workspace::Impl& impl, const std::vector<double>& l,
                        const Shock& shock) {
  const Subproblem& problem = impl.problem;
  Restitution result;
  double largest = 0;
  for (const double one : l) {
    largest = std::max(largest, std::abs(one));
  }
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (problem.kind[j] == gauss::RowKind::equation) continue;
    // An impulse of rounding size strikes nothing.
    if (l[j] <= strikes_nothing * largest) {
      const double approach = shock.rate_before[problem.row[j]];
      double left = problem.h[j];
      for (std::uint32_t k = problem.start[j]; k < problem.start[j + 1]; ++k) {
        left += problem.entry[k] * shock.velocities[problem.column[k]];
      }
      if (!(approach > impl.touch_rate[problem.row[j]]) || !(std::abs(left) <= strikes_nothing * approach)) continue;
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

/// One regulation: the nearest velocity, with the rows that singular positions add.
struct Regulation {
  const model::Model& model;
  const model::State& state;
  Workspace::Impl& impl;
  bool regular = true;
  bool nearly = false;  ///< rows that are nearly dependent are taken for dependent
  Dependents dependents = {};
  Instant verdict = {};  ///< of a regulation that failed

  /// Solve the problem for target `alpha`; false if it has no answer.
  bool nearest(const std::vector<double>& alpha, const Options& options, std::vector<gauss::Trial>* trials) {
    impl.problem.a0.assign(alpha.begin(), alpha.end());
    if (regular && !nearly) {
      gauss::solve(impl.problem.view(impl.dynamics.mass), {}, impl.gauss_impact, impl.solution, trials);
      if (impl.solution.status == gauss::Status::solved) {
        return true;
      }
    }
    // Independent rows never exclude each other: what failed is examined as if they were dependent.
    Options silent = options;
    silent.tell = trials != nullptr;
    verdict.status = Status::determined;
    verdict.trials.clear();
    const bool solved = settle_dependent(model, state, silent, Level::velocities, regular || nearly, impl, dependents,
                                         verdict) == Settled::solved;
    if (trials != nullptr) {
      *trials = verdict.trials;
    }
    return solved;
  }

  /// Newton's rule: every approached condition leaves with its own part of the speed it was approached with; `shift`
  /// receives these speeds per row.
  bool newton(const Shock& shock, const Options& options, std::vector<double>& shift) {
    Subproblem& problem = impl.problem;
    const std::vector<double> offsets = problem.h;
    for (std::size_t j = 0; j < problem.size(); ++j) {
      const double approach = shock.rate_before[problem.row[j]];
      if (problem.kind[j] == gauss::RowKind::inequality && approach > 0) {
        shift[j] = model.conditions[model.row_condition[problem.row[j]]].restitution * approach;
        problem.h[j] += shift[j];
      }
    }
    const bool solved = nearest(shock.alpha, options, nullptr);
    problem.h = offsets;
    return solved;
  }

  /// The certificate of what is reported: velocities v and impulses l, rows shifted by the speeds they leave with.
  [[nodiscard]] gauss::Certificate certify(const std::vector<double>& alpha, const std::vector<double>& v,
                                           std::vector<double> l, const std::vector<double>& shift) {
    std::vector<double>& shifted = impl.scratch_m;
    if (dependents.higher.empty()) {
      gauss::Problem view = impl.problem.view(impl.dynamics.mass);
      shifted.assign(impl.problem.h.begin(), impl.problem.h.end());
      for (std::size_t j = 0; j < shift.size(); ++j) shifted[j] += shift[j];
      view.a0 = alpha;
      view.h = shifted;
      return gauss::verify(view, v, l, impl.scratch_n);
    }
    Subproblem all = with_higher_rows(impl.problem, dependents, l);
    all.a0 = alpha;
    for (std::size_t j = 0; j < shift.size(); ++j) {
      all.h[j] += shift[j];
    }
    return gauss::verify(all.view(impl.dynamics.mass), v, l, impl.scratch_n);
  }
};

/// What comes of a regulation besides velocities.
struct Regulated {
  explicit Regulated(std::size_t rows) : l(rows, 0.0), shift(rows, 0.0) {}
  std::vector<double> l;      ///< impulses, per row of the problem
  std::vector<double> shift;  ///< what each rate must be below of, by restitutions of their own
  std::vector<double>
      pressed;  ///< rates of all rows where the bodies are pressed most, if they rebound with one restitution
  bool rebounds = false;
  double complementarity = 0;  ///< of either regulation, where bodies rebound
  double gap = 0;
};

/// Rows so near to others that impulses would cancel beyond their digits become what they are nearly: combinations of these.
void take_for_dependent(const model::Model& model, const model::State& state, Workspace::Impl& impl) {
  Subproblem& problem = impl.problem;
  const Uncertainty uncertainty = measure_uncertainty(model, state, impl);
  for (Part& part : connected_parts(model, impl.dynamics.mass, problem)) {
    if (part.n() > most_variables || part.r() > most_rows) continue;
    whiten(impl.dynamics.mass, problem, uncertainty, model, part);
    std::vector<std::size_t> all(part.r());
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
    const Dependence found = split(part, all, all.size(), nearly_dependent);
    for (std::size_t d = 0; d < found.dependent.size(); ++d) {
      const std::size_t j = found.dependent[d];
      const std::uint32_t row = part.row[j];
      for (std::uint32_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
        double sum = 0;
        for (std::size_t k = 0; k < found.kept.size(); ++k) {
          const std::uint32_t other = part.row[found.kept[k]];
          const auto first = problem.column.begin() + problem.start[other];
          const auto last = problem.column.begin() + problem.start[other + 1];
          const auto at = std::find(first, last, problem.column[e]);
          if (at == last || found.coefficients[d][k] == 0) continue;
          const auto place = static_cast<std::size_t>(at - problem.column.begin());
          sum += found.coefficients[d][k] * problem.entry[place] / part.length[found.kept[k]];
        }
        const double value = part.length[j] * sum;
        problem.entry[e] = std::abs(value) <= epsilon * part.length[j] ? 0.0 : value;
      }
    }
  }
}

/// A shock in which nothing has happened yet.
void begin_shock(const model::Model& model, const model::State& state, const Instant& instant, Shock& shock) {
  shock.time = state.time;
  shock.before = state.velocity;
  shock.position.clear();
  if (model::has_quaternions(model)) shock.position = state.position;
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
}

/// External blows first: alpha = v + M^-1 J.
void add_blows(const model::Model& model, const model::State& state, const Instant& instant, const linear::Mass& mass,
               Shock& shock) {
  if (!instant.blow_due) return;
  std::vector<double> change(model.variables, 0.0);
  for (const model::Blow& blow : model.blows) {
    if (!same_instant(blow.at, state.time)) continue;
    const std::vector<double> impulse = model::impulse_of(blow, state.position);
    for (std::size_t i = 0; i < blow.variables.size(); ++i) change[blow.variables[i]] += impulse[i];
  }
  mass.solve(change, change);
  for (std::size_t i = 0; i < change.size(); ++i) shock.alpha[i] += change[i];
}

/// All touching conditions take part, never only those that are approached.
void gather_touching(const model::Model& model, const Options& options, const Instant& instant, Workspace::Impl& impl,
                     Shock& shock) {
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
}

/// Bodies that rebound: what comes of the velocities and impulses without restitution.
void let_rebound(const model::Model& model, const Options& options, Workspace::Impl& impl, Regulation& regulation,
                 Regulated& found, Shock& shock) {
  const Subproblem& problem = impl.problem;
  const std::size_t n = model.variables;
  const Restitution e = options.inelastic ? Restitution{} : restitution(model, impl, found.l, shock);
  if (e.any && e.common && e.value > 0) {
    std::vector<double> rebound(n);
    for (std::size_t i = 0; i < n; ++i) {
      rebound[i] = shock.alpha[i] + (1 + e.value) * (shock.velocities[i] - shock.alpha[i]);
    }
    Dependents first = regulation.dependents;
    if (regulation.nearest(rebound, options, nullptr)) {
      rates(model, impl.rows, shock.velocities, found.pressed);
      // The impulses of either regulation belong to its own velocities.
      found.rebounds = true;
      const gauss::Certificate second = regulation.certify(rebound, impl.solution.a, impl.solution.lambda, found.shift);
      std::swap(regulation.dependents, first);
      const gauss::Certificate inelastic = regulation.certify(shock.alpha, shock.velocities, found.l, found.shift);
      std::swap(regulation.dependents, first);
      found.complementarity = std::max(inelastic.complementarity, second.complementarity);
      found.gap = std::max(std::abs(inelastic.gap), std::abs(second.gap));
      shock.velocities = impl.solution.a;
      for (std::size_t j = 0; j < problem.size(); ++j) {
        found.l[j] = (1 + e.value) * found.l[j] + impl.solution.lambda[j];
      }
      for (std::size_t k = 0; k < first.higher.size(); ++k) {
        regulation.dependents.higher[k].multiplier += (1 + e.value) * first.higher[k].multiplier;
      }
    } else {
      regulation.dependents = first;
    }
  } else if (e.any && !e.common) {
    const Dependents first = regulation.dependents;
    if (regulation.newton(shock, options, found.shift)) {
      shock.velocities = impl.solution.a;
      found.l = impl.solution.lambda;
      shock.restitution_note = "different restitutions: each approached condition leaves with its own part (Newton)";
    } else {
      regulation.dependents = first;
      std::fill(found.shift.begin(), found.shift.end(), 0.0);
      shock.restitution_note = "the different restitutions contradict one another: regulated without rebound";
    }
  }
}

/// Velocities that are rounding of zero beside their terms become zero.
void clear_roundings(const std::vector<double>& l, Workspace::Impl& impl, Shock& shock) {
  const Subproblem& problem = impl.problem;
  const std::size_t n = shock.velocities.size();
  impl.scratch_n.assign(n, 0.0);
  for (std::size_t j = 0; j < problem.size(); ++j) {
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      impl.scratch_n[problem.column[e]] += std::abs(problem.entry[e] * l[j]);
    }
  }
  solve_absolute(impl.dynamics.mass, impl.scratch_n, impl.scratch_m);
  // Where light variables were answered for by raised masses (gauss/light.hpp), nothing as large as their free velocities was added up.
  const std::vector<double>& raised = impl.solution.raised;
  const bool light = raised.size() == n && impl.dynamics.mass.is_diagonal();
  for (std::size_t i = 0; i < n; ++i) {
    double free = std::abs(shock.alpha[i]);
    if (light && raised[i] != impl.dynamics.mass.diagonal()[i]) {
      free *= impl.dynamics.mass.diagonal()[i] / raised[i];
      impl.scratch_m[i] = impl.scratch_n[i] / raised[i];
    }
    if (std::abs(shock.velocities[i]) <= shown_as_zero * (free + impl.scratch_m[i]) &&
        shock.velocities[i] != shock.alpha[i]) {
      shock.velocities[i] = 0;
    }
  }
}

/// Are the impulses the only ones? If not, they are shared evenly. Rows that rebound could have carried one, too.
void share_impulses(bool regular, Regulated& found, Workspace::Impl& impl, Shock& shock) {
  const Subproblem& problem = impl.problem;
  std::vector<double>& l = found.l;
  MultiplierQuestion question;
  question.problem = &problem;
  for (std::uint32_t j = 0; j < problem.size(); ++j) {
    const bool equation = problem.kind[j] == gauss::RowKind::equation;
    const std::uint32_t row = problem.row[j];
    const bool pressed = !found.pressed.empty() && std::abs(found.pressed[row]) <= impl.touch_rate[row];
    if (equation || l[j] > 0 || pressed || std::abs(shock.rate_after[row] + found.shift[j]) <= impl.touch_rate[row]) {
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
}

/// Roles after the shock.
void tell_roles(const std::vector<double>& l, const Workspace::Impl& impl, Shock& shock) {
  const Subproblem& problem = impl.problem;
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
}

/// The law of energy: before + blow + work - lost = after.
void balance_energy(const Instant& instant, const std::vector<double>& l, Workspace::Impl& impl, Shock& shock) {
  const Subproblem& problem = impl.problem;
  const linear::Mass& mass = impl.dynamics.mass;
  const std::size_t n = shock.velocities.size();
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

}  // namespace

std::string_view words(ShockStatus status) {
  switch (status) {
    case ShockStatus::regulated: return "regulated";
    case ShockStatus::not_needed: return "not needed";
    case ShockStatus::ambiguous: return "ambiguous";
    case ShockStatus::inadmissible: return "inadmissible";
    case ShockStatus::jammed: return "jammed";
    case ShockStatus::refused: return "refused";
    case ShockStatus::gave_up: return "gave up";
  }
  return "";
}

void impact(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
            Shock& shock) {
  if (!options.gone.is_told()) workspace.impl().released = released(model, state).rows;
  if (needs_corners(model, state, options)) {
    Resolved found = resolve_corners(model, state, options, workspace);
    Options inner = options;
    inner.gone = found.idle;
    regulate_on_cones(model, found.cones, found.state, inner, workspace, found.corners.sides, shock);
    if (shock.status == ShockStatus::regulated && !found.several.velocities.empty()) {
      shock.status = ShockStatus::ambiguous;
      shock.solutions = std::move(found.several.velocities);
      shock.restitution_note = std::move(found.several.words);
    }
    return;
  }
  Workspace::Impl& impl = workspace.impl();
  if (!options.evaluated) {
    model::evaluate_rows_but(model, state, impl.unevaluated(model, options), impl.scratch, impl.rows);
    model::evaluate_dynamics(model, state, impl.scratch, impl.dynamics);
  }
  Instant instant;
  classify_rows(model, state, options, impl, instant);
  begin_shock(model, state, instant, shock);
  if (!instant.violations.empty()) {
    shock.status = ShockStatus::inadmissible;
    return;
  }
  if (!impl.dynamics.mass_positive || !instant.expansion.empty()) {
    shock.status = ShockStatus::gave_up;
    shock.restitution_note = instant.expansion;
    return;
  }

  add_blows(model, state, instant, impl.dynamics.mass, shock);
  gather_touching(model, options, instant, impl, shock);

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

  const bool regular = independent(model, state, impl);
  // At a singular position a blow may break what the rates do not show: a straight bar that is bent.
  const bool regulate = strikes || (instant.blow_due && !regular);
  Regulated found(impl.problem.size());
  const auto attempt = [&](bool nearly) {
    Regulation regulation{model, state, impl, !impl.near_dependence, nearly};
    found = Regulated(impl.problem.size());
    shock.restitution_note.clear();
    if (!regulate) {
      // Nothing strikes.
      shock.status = instant.blow_due ? ShockStatus::regulated : ShockStatus::not_needed;
      shock.velocities = shock.alpha;
    } else {
      if (!regulation.nearest(shock.alpha, options, options.tell ? &shock.trials : nullptr)) {
        shock.status = regulation.verdict.status == Status::jammed ? ShockStatus::jammed : ShockStatus::gave_up;
        shock.farkas = regulation.verdict.farkas;
        shock.restitution_note = regulation.verdict.expansion;
        return false;
      }
      shock.status = ShockStatus::regulated;
      shock.velocities = impl.solution.a;
      found.l = impl.solution.lambda;
      let_rebound(model, options, impl, regulation, found, shock);
    }
    clear_roundings(found.l, impl, shock);
    rates(model, impl.rows, shock.velocities, shock.rate_after);
    widen_rates(model, options, shock.alpha, shock.velocities, impl);
    impl.problem.a0.assign(shock.alpha.begin(), shock.alpha.end());
    share_impulses(regular, found, impl, shock);
    if (!regulate) return true;

    shock.certificate = regulation.certify(shock.alpha, shock.velocities, found.l, found.shift);
    if (found.rebounds) {
      shock.certificate.complementarity = found.complementarity;
      shock.certificate.gap = found.gap;
    }
    if (shock.certificate.worst() <= worst_certificate) return true;
    shock.status = ShockStatus::gave_up;
    shock.restitution_note = "the velocities found do not keep their conditions: their certificate is worse than " +
                             readable(worst_certificate);
    return false;
  };
  // Impulses that cancel beyond their digits, as of a row of discs that fits between two walls but for its last digits: rows so near to
  // dependence are taken for dependent.
  if (!attempt(false)) {
    if (shock.status != ShockStatus::gave_up) return;
    const Shock first = shock;
    take_for_dependent(model, state, impl);
    if (!attempt(true)) {
      shock = first;
      return;
    }
  }
  tell_roles(found.l, impl, shock);
  balance_energy(instant, found.l, impl, shock);
}

Shock impact(const model::Model& model, const model::State& state, const Options& options) {
  Workspace workspace(model);
  Shock shock;
  impact(model, state, options, workspace, shock);
  return shock;
}

}  // namespace zwang::instant
