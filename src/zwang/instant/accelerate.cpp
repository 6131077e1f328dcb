/// The true accelerations at a state: classify, find the nearest point, decide what is left open.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "zwang/base/number.hpp"
#include "zwang/gauss.hpp"
#include "zwang/gauss/light.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/degenerate.hpp"
#include "zwang/instant/dependence.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/instant/releases.hpp"
#include "zwang/instant/singular.hpp"
#include "zwang/instant/tolerances.hpp"
#include "zwang/instant/workspace_impl.hpp"
#include "zwang/linear/cholesky.hpp"
#include "zwang/linear/sparse_cholesky.hpp"
#include "zwang/linear/sparse_gram.hpp"
#include "zwang/linear/split_columns.hpp"
#include "zwang/model/bodies.hpp"

namespace zwang::instant {

namespace {

/// Conditions under the variational law: M a = X - rho' p - rho (dp/dt - df/dq). The multiplier of their row is rho'; the
/// term with rho joins the forces.
void bend(const model::Model& model, const model::State& state, Workspace::Impl& impl, Instant& instant) {
  for (const model::Condition& condition : model.conditions) {
    if (condition.law != model::Law::variational) {
      continue;
    }
    for (std::uint32_t row = condition.first_row; row < condition.first_row + condition.rows; ++row) {
      const double rho = model::rho_of(model, state, row);
      instant.rho.emplace_back(row, rho);
      impl.scratch_n.assign(model.variables, 0.0);
      model::add_bend(model, row, state, -rho, impl.scratch_n);
      for (std::size_t i = 0; i < model.variables; ++i) {
        impl.dynamics.force[i] += impl.scratch_n[i];
        impl.dynamics.force_scale[i] += std::abs(impl.scratch_n[i]);
      }
    }
  }
}

/// The rows that matter, as a nearest-point problem for the accelerations.
void gather(const model::Model& model, Workspace::Impl& impl, Instant& instant) {
  Subproblem& problem = impl.problem;
  problem.clear();
  problem.a0.assign(instant.free.begin(), instant.free.end());
  if (!instant.rho.empty()) {
    impl.dynamics.mass.solve(impl.dynamics.force, problem.a0);
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (instant.role[row] == Role::equation || instant.role[row] == Role::marginal) {
      problem.append(model, impl.rows, row, impl.rows.curvature[row],
                     instant.role[row] == Role::equation ? gauss::RowKind::equation : gauss::RowKind::inequality);
    }
  }
}

/// f'' of every row for given accelerations.
void second_derivatives(const model::Model& model, const model::Rows& rows, const std::vector<double>& a,
                        std::vector<double>& second) {
  second.resize(model.rows());
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    double sum = rows.curvature[row];
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      sum += rows.entry[e] * a[model.row_column[e]];
    }
    second[row] = sum;
  }
}

/// Reaction M (a - a0) and constraint Z = (a - a0)^T M (a - a0).
void measure_constraint(Workspace::Impl& impl, Instant& instant) {
  const std::size_t n = instant.free.size();
  impl.scratch_n.resize(n);
  instant.reaction.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    impl.scratch_n[i] = instant.accelerations[i] - instant.free[i];
  }
  impl.dynamics.mass.multiply(impl.scratch_n, instant.reaction);
  instant.constraint = 0;
  for (std::size_t i = 0; i < n; ++i) {
    instant.constraint += impl.scratch_n[i] * instant.reaction[i];
  }
  instant.constraint = std::max(instant.constraint, 0.0);
}

/// What a, lambda_j and w_j are measured against: the sums of the absolute values of their terms,
///   a = W (X - sum lambda g),    Phi_jj lambda_j = Phi_j^0 - sum_{k != j} Phi_jk lambda_k,    w_j = g_j.a + F_j.
/// A multiplier that came out zero is as uncertain as its terms are large, so the second sweep counts those. Where light variables were
/// answered for by raised masses (gauss/light.hpp), what would have cancelled was never added up: W and Phi are those of the raised masses.
void term_scales(const model::Model& model, Workspace::Impl& impl, const std::vector<double>& lambda) {
  const Subproblem& problem = impl.problem;
  const std::size_t r = problem.size();
  impl.a_scale.resize(model.variables);
  impl.scale.assign(r, 0.0);
  const std::vector<double>& raised = impl.solution.raised;
  const bool light = raised.size() == model.variables && impl.dynamics.mass.is_diagonal();
  for (std::size_t j = 0; light && j < r; ++j) {
    impl.norm2[j] = 0;
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      impl.norm2[j] += problem.entry[e] * problem.entry[e] / raised[problem.column[e]];
    }
  }
  for (int sweep = 0; sweep < 2; ++sweep) {
    impl.scratch_n.assign(impl.dynamics.force_scale.begin(), impl.dynamics.force_scale.end());
    for (std::size_t j = 0; j < r; ++j) {
      // A row that is clearly open carries nothing.
      const bool open = sweep > 0 && lambda[j] == 0 && std::abs(impl.solution.w[j]) > clearly_open * impl.scale[j];
      const double size = open || impl.norm2[j] == 0 ? std::abs(lambda[j])
                                                     : std::max(std::abs(lambda[j]), impl.scale[j] / impl.norm2[j]);
      for (std::uint32_t e = problem.start[j]; size > 0 && e < problem.start[j + 1]; ++e) {
        impl.scratch_n[problem.column[e]] += std::abs(problem.entry[e]) * size;
      }
    }
    if (light) {
      for (std::size_t i = 0; i < raised.size(); ++i) {
        impl.a_scale[i] = std::abs(impl.solution.a[i]) + impl.scratch_n[i] / raised[i];
      }
    } else {
      solve_absolute(impl.dynamics.mass, impl.scratch_n, impl.a_scale);
    }
    for (std::size_t j = 0; j < r; ++j) {
      double terms = impl.rows.curvature_scale[problem.row[j]];
      for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
        terms += std::abs(problem.entry[e]) * impl.a_scale[problem.column[e]];
      }
      impl.scale[j] = terms;
    }
  }
}

/// What rounding of the state makes of the accelerations, part by connected part: f'' of every row is uncertain by so much.
struct Rounding {
  std::vector<double> of_row;       ///< of f'', per row of the problem
  std::vector<double> of_variable;  ///< of the acceleration
};

Rounding find_rounding(const model::Model& model, const model::State& state, const std::vector<double>& a,
                       Workspace::Impl& impl) {
  const Subproblem& problem = impl.problem;
  const Uncertainty uncertainty = measure_uncertainty(model, state, impl);
  Rounding result;
  result.of_row.assign(problem.size(), 0.0);
  result.of_variable.assign(model.variables, 0.0);
  for (const Part& part : connected_parts(model, impl.dynamics.mass, problem)) {
    double size = 0;
    for (const std::uint32_t i : part.variable) {
      size = std::max(size, std::abs(a[i]));
    }
    double rounding = 0;
    for (const std::uint32_t j : part.row) {
      const std::uint32_t row = problem.row[j];
      double bound = uncertainty.curvature[row];
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        bound += uncertainty.entry[e] * size;
        result.of_row[j] += std::abs(impl.rows.entry[e]);
      }
      if (result.of_row[j] > 0) {
        rounding = std::max(rounding, farkas_margin * bound / result.of_row[j]);
      }
    }
    for (const std::uint32_t j : part.row) {
      result.of_row[j] *= rounding;
    }
    for (const std::uint32_t i : part.variable) {
      result.of_variable[i] = rounding;
    }
  }
  return result;
}

/// Does the solution keep its rows to a small part of the accelerations at hand? Where multipliers are so large that they
/// cancel to nothing, it does not, and must not be used. What rounding of the state makes of a row is not broken by it: of a body
/// of rods that moves without turning nothing else is left of f''.
bool keeps_rows(const model::Model& model, const model::State& state, Workspace::Impl& impl) {
  const Subproblem& problem = impl.problem;
  const gauss::Solution& solution = impl.solution;
  // The size of free accelerations and of those the rows ask for.
  double size = 0;
  for (const double a : problem.a0) {
    size = std::max(size, std::abs(a));
  }
  double gradient = 0;
  const auto sum_of_row = [&](std::size_t j) {
    gradient = 0;
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      gradient += std::abs(problem.entry[e]);
    }
    return gradient;
  };
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (sum_of_row(j) > 0) {
      size = std::max(size, std::abs(problem.h[j]) / gradient);
    }
  }
  std::optional<Rounding> rounding;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    const double broken =
        problem.kind[j] == gauss::RowKind::equation ? std::abs(solution.w[j]) : std::max(solution.w[j], 0.0);
    if (broken <= worst_certificate * (std::abs(problem.h[j]) + sum_of_row(j) * size)) {
      continue;
    }
    if (!rounding) {
      rounding = find_rounding(model, state, solution.a, impl);
    }
    if (!(broken <= rounding->of_row[j])) {
      return false;
    }
  }
  return true;
}

/// Accelerations that are rounding of zero beside their terms become zero.
void clean(const std::vector<double>& scale, double part, std::vector<double>& a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i]) <= part * scale[i]) {
      a[i] = 0;
    }
  }
}

/// A row without gradient: does f become negative along q + v s + a s^2/2?
bool falls(const model::Model& model, const model::State& state, const Instant& instant, std::uint32_t row) {
  model::MotionSeries motion;
  motion.time = state.time;
  motion.n = model.variables;
  motion.orders = 3;
  motion.modes = state.modes;
  motion.coefficient = state.position;
  motion.coefficient.insert(motion.coefficient.end(), state.velocity.begin(), state.velocity.end());
  for (const double a : instant.accelerations) {
    motion.coefficient.push_back(a / 2);
  }
  model::RowSeries series;
  model::series_row(model, row, motion, 5, series);
  const double size = std::abs(series.value[3]) + std::abs(series.value[4]);
  return series.value[3] < -zero_part * size || (series.value[3] <= zero_part * size && series.value[4] < 0);
}

/// Roles where a quadric decided: by the signs of f'' alone, multipliers have no meaning there.
void roles_on_quadric(const model::Model& model, const model::State& state, Workspace::Impl& impl, Instant& instant) {
  const Subproblem& problem = impl.problem;
  std::fill(impl.solution.lambda.begin(), impl.solution.lambda.end(), 0.0);
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (problem.kind[j] == gauss::RowKind::equation) {
      continue;
    }
    const std::uint32_t row = problem.row[j];
    const bool leaves =
        impl.solution.w[j] < -zero_part * impl.scale[j] || (impl.norm2[j] == 0 && falls(model, state, instant, row));
    instant.role[row] = leaves ? Role::leaving : Role::binding;
  }
}

/// Multipliers where they are not unique, and the rows that only higher derivatives decide.
void refine(const model::Model& model, const model::State& state, const Options& options, const Dependents& dependents,
            Workspace::Impl& impl, Instant& instant) {
  const Subproblem& problem = impl.problem;
  const std::size_t r = problem.size();
  const auto left_out = [&](std::size_t j) { return !dependents.left_out.empty() && dependents.left_out[j] != 0; };
  std::vector<double> multipliers = impl.solution.lambda;
  for (std::size_t j = 0; j < r; ++j) {
    if (std::abs(multipliers[j]) * impl.norm2[j] <= zero_part * impl.scale[j]) {
      multipliers[j] = 0;
    }
  }
  std::vector<std::uint8_t> inequality(r, 0);
  for (std::size_t j = 0; j < r; ++j) {
    const bool pinned = !dependents.pinned.empty() && dependents.pinned[j] != 0;
    inequality[j] = problem.kind[j] == gauss::RowKind::inequality && !pinned ? 1 : 0;
  }
  const auto question_of = [&](auto takes_part) {
    MultiplierQuestion question;
    question.problem = &problem;
    for (std::uint32_t j = 0; j < r; ++j) {
      if (instant.role[problem.row[j]] != Role::leaving && takes_part(j)) {
        question.rows.push_back(j);
        question.nonnegative.push_back(problem.kind[j] == gauss::RowKind::inequality ? 1 : 0);
        question.lambda.push_back(multipliers[j]);
      }
    }
    return question;
  };

  // Rows that are redundant all around have no part in what follows.
  bool unique = true;
  if (!instant.regular) {
    const bool all_in =
        std::none_of(dependents.left_out.begin(), dependents.left_out.end(), [](std::uint8_t one) { return one != 0; });
    instant.multipliers_unique = multipliers_unique(question_of([](std::uint32_t) { return true; }));
    unique = instant.multipliers_unique ||
             (!all_in && multipliers_unique(question_of([&](std::uint32_t j) { return !left_out(j); })));
  }
  std::vector<Hold> hold(r, Hold::equation);
  for (std::size_t j = 0; j < r; ++j) {
    const Role role = instant.role[problem.row[j]];
    hold[j] =
        left_out(j) || role == Role::leaving ? Hold::open : (role == Role::marginal ? Hold::undecided : Hold::equation);
  }
  // Higher orders could tell multipliers apart; where rows depend on others all around they do not.
  bool all_around = false;
  if (!unique) {
    std::vector<std::uint8_t> counts(r, 0);
    for (std::size_t j = 0; j < r; ++j) counts[j] = hold[j] != Hold::open ? 1 : 0;
    all_around = depend_all_around(model, state, impl, dependents, counts);
  }
  // Where rho' is not unique nothing that follows from it is; rows of higher order have no series here.
  if (!dependents.higher.empty()) {
    instant.multipliers_unique = false;
  } else if (instant.rho.empty() || instant.multipliers_unique) {
    decide_degenerate(model, state, options, impl, unique, all_around, inequality, hold, multipliers, instant);
  }
  if (instant.status == Status::jammed) {
    if (dependents.unexamined) {
      // The rows of higher order that were not looked at may ask for other accelerations.
      instant.status = Status::undecided;
      instant.singular = true;
      instant.farkas.clear();
      instant.expansion =
          "more than " + std::to_string(most_inequalities) + " inequalities decide together at a higher order";
    }
    return;
  }
  for (std::size_t j = 0; j < r; ++j) {
    if (problem.kind[j] == gauss::RowKind::inequality && !left_out(j)) {
      Role& role = instant.role[problem.row[j]];
      role = hold[j] == Hold::equation ? Role::binding : (hold[j] == Hold::open ? Role::leaving : Role::marginal);
      if (role == Role::marginal && impl.norm2[j] == 0 && falls(model, state, instant, problem.row[j])) {
        role = Role::leaving;
      }
    }
  }
  if (instant.multipliers_unique) {
    return;
  }
  // Redundant rows take their even part of what those carry that hold.
  if (std::any_of(dependents.left_out.begin(), dependents.left_out.end(), [](std::uint8_t one) { return one != 0; })) {
    MultiplierQuestion question =
        question_of([&](std::uint32_t j) { return left_out(j) || hold[j] == Hold::equation; });
    if (choose_multipliers(question, {})) {
      for (std::size_t i = 0; i < question.rows.size(); ++i) {
        const std::uint32_t j = question.rows[i];
        multipliers[j] = question.lambda[i];
        if (question.nonnegative[i] != 0 && (left_out(j) || dependents.pinned[j] != 0)) {
          instant.role[problem.row[j]] = multipliers[j] > 0 ? Role::binding : Role::marginal;
        }
      }
    }
  }
  impl.solution.lambda = multipliers;
}

/// The certificate of what is reported, rows of higher order among the others.
void certify(const Dependents& dependents, Workspace::Impl& impl, Instant& instant) {
  const Subproblem& problem = impl.problem;
  if (dependents.curved) {
    // No multipliers: only that every row is kept.
    instant.certificate = {};
    for (std::size_t j = 0; j < problem.size(); ++j) {
      const double w = instant.second[problem.row[j]];
      const bool equation = problem.kind[j] == gauss::RowKind::equation;
      const double broken = equation ? std::abs(w) : std::max(w, 0.0);
      if (broken > 0) {
        instant.certificate.primal = std::max(instant.certificate.primal, broken / impl.scale[j]);
      }
    }
    return;
  }
  if (dependents.higher.empty()) {
    instant.certificate =
        gauss::verify(problem.view(impl.dynamics.mass), instant.accelerations, impl.solution.lambda, impl.scratch_n);
    return;
  }
  std::vector<double> lambda = impl.solution.lambda;
  const Subproblem all = with_higher_rows(problem, dependents, lambda);
  instant.certificate = gauss::verify(all.view(impl.dynamics.mass), instant.accelerations, lambda, impl.scratch_n);
}

/// What is left of the equations of motion, as accelerations.
std::vector<double> unexplained(const Dependents& dependents, const Workspace::Impl& impl, const Instant& instant) {
  const Subproblem& problem = impl.problem;
  std::vector<double> off(instant.accelerations.size());
  for (std::size_t i = 0; i < off.size(); ++i) {
    off[i] = instant.accelerations[i] - problem.a0[i];
  }
  impl.dynamics.mass.multiply(off, off);
  for (std::size_t j = 0; j < problem.size(); ++j) {
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      off[problem.column[e]] += problem.entry[e] * impl.solution.lambda[j];
    }
  }
  for (const HigherRow& row : dependents.higher) {
    for (std::size_t e = 0; e < row.column.size(); ++e) {
      off[row.column[e]] += row.entry[e] * row.multiplier;
    }
  }
  impl.dynamics.mass.solve(off, off);
  return off;
}

/// Are residuals within what rounding of the state makes of the rows that are connected? Then nothing better is known.
bool within_rounding(const model::Model& model, const model::State& state, const Dependents& dependents,
                     Workspace::Impl& impl, const Instant& instant) {
  const Subproblem& problem = impl.problem;
  const Rounding rounding = find_rounding(model, state, instant.accelerations, impl);
  for (std::size_t j = 0; j < problem.size(); ++j) {
    const bool equation = problem.kind[j] == gauss::RowKind::equation;
    const double w = instant.second[problem.row[j]];
    if (!((equation ? std::abs(w) : w) <= rounding.of_row[j]) ||
        (!equation && impl.solution.lambda[j] * impl.norm2[j] < -rounding.of_row[j])) {
      return false;
    }
  }
  const std::vector<double> off = unexplained(dependents, impl, instant);
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (!(std::abs(off[i]) <= rounding.of_variable[i])) {
      return false;
    }
  }
  return true;
}

/// Are residuals small beside the terms they are made of? Where forces cancel to rounding, as in a pendulum at rest, the
/// certificate compares rounding with rounding.
bool within_terms(const Dependents& dependents, Workspace::Impl& impl, const Instant& instant) {
  // Nearly dependent rows have multipliers so large that anything is small beside them.
  if (impl.near_dependence) {
    return false;
  }
  const Subproblem& problem = impl.problem;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    const bool equation = problem.kind[j] == gauss::RowKind::equation;
    const double w = instant.second[problem.row[j]];
    if (!((equation ? std::abs(w) : w) <= worst_certificate * impl.scale[j]) ||
        (!equation && impl.solution.lambda[j] * impl.norm2[j] < -worst_certificate * impl.scale[j])) {
      return false;
    }
  }
  if (dependents.curved) {
    return true;
  }
  const std::vector<double> off = unexplained(dependents, impl, instant);
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (!(std::abs(off[i]) <= worst_certificate * impl.a_scale[i])) {
      return false;
    }
  }
  return true;
}

/// A light variable whose motion came out as a difference of numbers so large that nothing is left of it: does a row break by that which is
/// held? Beside its free motion, by which certificates measure, that is rounding; beside its own it is not.
bool loses_light(const Workspace::Impl& impl, const Instant& instant) {
  if (!impl.solution.raised.empty()) return false;
  const Subproblem& problem = impl.problem;
  gauss::Light light;
  if (!light.find(problem.view(impl.dynamics.mass))) return false;
  const std::span<const double> mass = impl.dynamics.mass.diagonal(), raised = light.raised().diagonal();
  double size = 0;
  for (std::size_t i = 0; i < raised.size(); ++i) {
    if (mass[i] == raised[i]) size = std::max({size, std::abs(problem.a0[i]), std::abs(instant.accelerations[i])});
  }
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (instant.role[problem.row[j]] != Role::binding && problem.kind[j] != gauss::RowKind::equation) continue;
    bool has_light = false;
    double terms = std::abs(problem.h[j]), gradient = 0;
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      const std::uint32_t i = problem.column[e];
      has_light = has_light || mass[i] != raised[i];
      terms += std::abs(problem.entry[e] * instant.accelerations[i]);
      gradient += std::abs(problem.entry[e]);
    }
    const double broken = std::abs(instant.second[problem.row[j]]);
    if (has_light && broken > lost_digits * terms && broken > zero_part * gradient * size) return true;
  }
  return false;
}

/// How far f'' of a row of the problem may be off at accelerations a: the error of its curvature, those of the forces through the
/// masses, and the rounding of the sum itself.
double second_error(const Workspace::Impl& impl, const std::vector<double>& force_part, std::size_t j,
                    const std::vector<double>& a) {
  const Subproblem& problem = impl.problem;
  double off = bounds_that_are_nothing * impl.rows.curvature_error[problem.row[j]];
  double terms = std::abs(problem.h[j]);
  for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
    const std::uint32_t i = problem.column[e];
    off += bounds_that_are_nothing * std::abs(problem.entry[e]) * force_part[i];
    terms += std::abs(problem.entry[e] * a[i]);
  }
  return off + gauss::row_rounding * terms;
}

/// Rows so nearly dependent that multipliers cancel beyond double: is one of them broken, or the answer none, and do multipliers of
/// twice the digits give one that is certified? Then that is the answer, with the roles its signs tell.
bool long_answer(const model::Model& model, const model::State& state, const Options& options, bool in_doubt,
                 Workspace::Impl& impl, Instant& instant) {
  const Subproblem& problem = impl.problem;
  const std::size_t r = problem.size();
  const bool asked_in_case = !in_doubt;
  if (r > most_rows) return false;
  std::vector<double> force_part;
  solve_absolute(impl.dynamics.mass, impl.dynamics.force_error, force_part);
  for (std::size_t j = 0; j < r && !in_doubt; ++j) {
    const double w = instant.second[problem.row[j]];
    const double broken = problem.kind[j] == gauss::RowKind::equation ? std::abs(w) : w;
    in_doubt = broken > second_error(impl, force_part, j, instant.accelerations);
  }
  if (!in_doubt) return false;
  // What agrees within the uncertainty of the rows is dependent, and says nothing of accelerations far away.
  const Uncertainty uncertainty = measure_uncertainty(model, state, impl);
  std::vector<double> entry_bound;
  std::vector<double> offset_bound;
  for (std::size_t j = 0; j < r; ++j) {
    const std::uint32_t row = problem.row[j];
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      entry_bound.push_back(dependence_margin * uncertainty.entry[e]);
    }
    offset_bound.push_back(dependence_margin * uncertainty.curvature[row]);
  }
  gauss::Problem view = problem.view(impl.dynamics.mass);
  if (entry_bound.size() != view.entry.size()) return false;
  view.entry_bound = entry_bound;
  view.h_bound = offset_bound;
  gauss::Options careful;
  careful.long_multipliers = true;
  gauss::Workspace room;
  gauss::Solution solution;
  gauss::solve(view, careful, room, solution, nullptr);
  if (solution.status != gauss::Status::solved) return false;
  const gauss::Certificate certificate =
      gauss::verify(view, solution.a, solution.lambda, impl.scratch_n, solution.lambda_low);
  if (!(certificate.worst() <= worst_certificate)) return false;
  // Rows that agree but for their rounding are redundant: then both ways say the same, and the first one stays.
  if (asked_in_case) {
    bool same = true;
    for (std::size_t i = 0; i < solution.a.size(); ++i) {
      const double apart = std::abs(solution.a[i] - instant.accelerations[i]);
      same = same && apart <= worst_certificate * (std::abs(solution.a[i]) + impl.a_scale[i]);
    }
    if (same) return false;
  }
  // A motion is followed with plain multipliers: where they keep the certificate, their low digits are not needed.
  const bool plain = gauss::verify(view, solution.a, solution.lambda, impl.scratch_n).worst() <= worst_certificate;
  if (!options.long_multipliers && !plain) {
    instant.status = Status::undecided;
    instant.expansion =
        "conditions are so nearly dependent that their multipliers need more digits than numbers have: the "
        "accelerations "
        "can be told (zwang accelerate), a motion cannot be followed";
    return true;
  }

  instant.status = Status::determined;
  instant.singular = false;
  instant.expansion.clear();
  instant.farkas.clear();
  instant.decisions.clear();
  instant.accelerations = solution.a;
  second_derivatives(model, impl.rows, instant.accelerations, instant.second);
  instant.multipliers.assign(model.rows(), 0.0);
  for (std::size_t j = 0; j < r; ++j) {
    const std::uint32_t row = problem.row[j];
    instant.multipliers[row] = solution.lambda[j];
    if (problem.kind[j] == gauss::RowKind::equation) continue;
    const bool leaves = instant.second[row] < -second_error(impl, force_part, j, instant.accelerations);
    instant.role[row] = solution.lambda[j] > 0 ? Role::binding : (leaves ? Role::leaving : Role::marginal);
  }
  // The rows that act are independent, if only by their last digits.
  instant.multipliers_unique = true;
  impl.solution = std::move(solution);
  measure_constraint(impl, instant);
  instant.certificate = certificate;
  return true;
}

}  // namespace

bool independent(const model::Model& model, const model::State& state, Workspace::Impl& impl) {
  const linear::Mass& mass = impl.dynamics.mass;
  const Subproblem& problem = impl.problem;
  const std::size_t r = problem.size();
  const std::size_t n = problem.a0.size();
  impl.norm2.assign(r, 0.0);
  impl.near_dependence = false;
  if (r == 0) {
    return true;
  }
  impl.scratch_n.assign(n, 0.0);
  impl.scratch_m.resize(n);
  if (mass.is_diagonal()) {
    const auto m = mass.diagonal();
    for (std::size_t j = 0; j < r; ++j) {
      for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
        impl.norm2[j] += problem.entry[e] * problem.entry[e] / m[problem.column[e]];
      }
    }
  } else {
    for (std::size_t j = 0; j < r; ++j) {
      for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
        impl.scratch_n[problem.column[e]] = problem.entry[e];
      }
      mass.solve(impl.scratch_n, impl.scratch_m);
      for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
        impl.norm2[j] += problem.entry[e] * impl.scratch_m[problem.column[e]];
        impl.scratch_n[problem.column[e]] = 0;
      }
    }
  }
  if (r > n || std::any_of(impl.norm2.begin(), impl.norm2.end(), [](double x) { return !(x > 0); })) {
    impl.near_dependence = true;
    return false;
  }

  // Independence is the same in every metric: where some variables are much lighter than others, in one of masses that are alike.
  gauss::Light light;
  const bool is_raised = light.find(problem.view(mass));
  const linear::Mass& metric = is_raised ? light.raised() : mass;
  std::vector<double> raised_norm2;
  for (std::size_t j = 0; is_raised && j < r; ++j) {
    double sum = 0;
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      sum += problem.entry[e] * problem.entry[e] / metric.diagonal()[problem.column[e]];
    }
    raised_norm2.push_back(sum);
  }
  const std::vector<double>& norm2 = is_raised ? raised_norm2 : impl.norm2;

  // Gram matrix of unit rows and its Cholesky factor; pivots far from zero settle it.
  if (r <= dense_gram) {
    impl.gram.resize(r * r);
    impl.gram_row.resize(r);
    double smallest = 1;
    for (std::size_t j = 0; j < r; ++j) {
      for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
        impl.scratch_n[problem.column[e]] = problem.entry[e];
      }
      if (mass.is_diagonal()) {
        const auto m = metric.diagonal();
        for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
          impl.scratch_n[problem.column[e]] /= m[problem.column[e]];
        }
      } else {
        mass.solve(impl.scratch_n, impl.scratch_m);
      }
      const std::vector<double>& image = mass.is_diagonal() ? impl.scratch_n : impl.scratch_m;
      double* const own = impl.gram_row.data();
      for (std::size_t k = 0; k <= j; ++k) {
        double sum = 0;
        for (std::uint32_t e = problem.start[k]; e < problem.start[k + 1]; ++e) {
          sum += problem.entry[e] * image[problem.column[e]];
        }
        own[k] = sum / std::sqrt(norm2[j] * norm2[k]);
      }
      const double left = linear::reduce_row(impl.gram.data(), r, j, own);
      smallest = std::min(smallest, left);
      linear::take_row(impl.gram.data(), r, j, own, std::sqrt(std::max(left, std::numeric_limits<double>::min())));
      for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
        impl.scratch_n[problem.column[e]] = 0;
      }
      if (smallest <= safe_pivot) {
        break;
      }
    }
    if (smallest > safe_pivot) {
      return true;
    }
  }

  // Of many rows the sparse factor has the same pivots; those of a connected part settle that part.
  std::vector<std::uint8_t> settled(r, 0);
  if (r > dense_gram) {
    const bool none_skipped = independent_sparse(metric, problem, settled);
    if (std::all_of(settled.begin(), settled.end(), [](std::uint8_t one) { return one != 0; })) return true;
    if (r * n > dense_rank) {
      impl.near_dependence = !none_skipped;
      return none_skipped;
    }
  }

  // In doubt: part by part against the uncertainty of the rows.
  const Uncertainty uncertainty = measure_uncertainty(model, state, impl);
  bool result = true;
  for (Part& part : connected_parts(model, mass, problem)) {
    if (std::all_of(part.row.begin(), part.row.end(), [&](std::uint32_t j) { return settled[j] != 0; })) continue;
    whiten(mass, problem, uncertainty, model, part);
    std::vector<std::size_t> all(part.r());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const Dependence dependence = split(part, all, all.size());
    const double least = dependence.basis.least_remainder();
    impl.near_dependence = impl.near_dependence || least * least < safe_pivot;
    result = result && dependence.dependent.empty();
  }
  impl.near_dependence = impl.near_dependence || !result;
  return result;
}

bool independent_sparse(const linear::Mass& mass, const Subproblem& problem, std::vector<std::uint8_t>& settled) {
  // A variable in very many rows is taken apart: rows and ties are independent together exactly if the rows are.
  const linear::SparseRows rows{problem.start, problem.column, problem.entry};
  linear::SplitColumns split;
  const bool apart = split.shape(rows, mass);
  if (apart) split.load(rows, mass);
  linear::SparseGram gram;
  gram.shape(apart ? split.rows() : rows, apart ? split.mass() : mass);
  gram.load(apart ? split.rows() : rows, apart ? split.mass() : mass);
  std::vector<std::uint32_t> all(gram.nodes());
  std::iota(all.begin(), all.end(), 0U);
  linear::SparseCholesky factor;
  factor.reset(gram.nodes());
  factor.choose(gram, all);
  factor.factor(gram);
  for (std::size_t c = 0; c < factor.components(); ++c) {
    const bool far = factor.least_pivot_of(c) > safe_pivot;
    for (const std::uint32_t j : factor.rows_of(c)) {
      if (j < problem.size()) settled[j] = far ? 1 : 0;
    }
  }
  // A row that was skipped has no pivot.
  for (std::size_t place = 0; place < factor.order().size(); ++place) {
    if (!factor.skipped(place)) continue;
    for (const std::uint32_t j : factor.rows_of(factor.component_of(factor.order()[place]))) {
      if (j < problem.size()) settled[j] = 0;
    }
  }
  return factor.skipped_count() == 0;
}

void move_freely(const model::Model& model, const model::State& state, Workspace& workspace, Instant& instant) {
  Workspace::Impl& impl = workspace.impl();
  model::Dynamics dynamics = model::make_dynamics(model);
  model::evaluate_dynamics(model, state, impl.scratch, dynamics);
  // Loads that friction alone holds leave no rounding of their terms, which are those of the same loads on the other side.
  for (std::size_t i = 0; i < dynamics.force.size(); ++i)
    dynamics.force_scale[i] = std::max(dynamics.force_scale[i], impl.dynamics.force_scale[i]);
  clean(dynamics.force_scale, shown_as_zero, dynamics.force);
  dynamics.mass.solve(dynamics.force, instant.free);
  second_derivatives(model, impl.rows, instant.free, instant.free_second);
}

void accelerate(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
                Instant& instant) {
  if (!options.gone.is_told()) workspace.impl().released = released(model, state).rows;
  if (needs_corners(model, state, options)) {
    accelerate_with_corners(model, state, options, workspace, instant);
    return;
  }
  Workspace::Impl& impl = workspace.impl();
  model::evaluate_rows_but(model, state, impl.unevaluated(model, options), impl.scratch, impl.rows);
  model::evaluate_dynamics(model, state, impl.scratch, impl.dynamics);
  instant.singular = false;
  instant.continuum = false;
  instant.regular = true;
  instant.multipliers_unique = true;
  instant.jam_derivative = 2;
  instant.farkas.clear();
  instant.decisions.clear();
  instant.solutions.clear();
  instant.trials.clear();
  instant.effective.clear();
  instant.rho.clear();

  // Which conditions matter, and is the state one from which accelerations can be asked for?
  classify_rows(model, state, options, impl, instant);
  if (!instant.violations.empty()) {
    instant.status = Status::inadmissible;
    return;
  }
  if (!instant.expansion.empty()) {
    instant.status = Status::undecided;
    return;
  }
  if (instant.blow_due || instant.seizure_due ||
      std::find(instant.role.begin(), instant.role.end(), Role::approached) != instant.role.end()) {
    instant.status = Status::impact;
    return;
  }
  if (!impl.dynamics.mass_positive) {
    instant.status = Status::undecided;
    instant.expansion = "the kinetic energy is not positive definite at this state: see " +
                        model::variable_words(model, impl.dynamics.mass.weakest());
    return;
  }

  // The free motion, and the rows that hinder it. Forces that cancel, as a load and the friction that holds it, leave no rounding behind.
  instant.free.resize(model.variables);
  clean(impl.dynamics.force_scale, shown_as_zero, impl.dynamics.force);
  impl.dynamics.mass.solve(impl.dynamics.force, instant.free);
  bend(model, state, impl, instant);
  gather(model, impl, instant);
  const Subproblem& problem = impl.problem;
  const std::size_t r = problem.size();
  instant.regular = independent(model, state, impl);
  second_derivatives(model, impl.rows, instant.free, instant.free_second);
  if (options.tell) {
    instant.effective.assign(problem.row.begin(), problem.row.end());
  }

  // The nearest admissible acceleration. Dependent rows say nothing new, or hide a condition of higher order.
  Dependents dependents;
  instant.status = Status::determined;
  const bool examined = impl.near_dependence;
  if (examined) {
    if (settle_dependent(model, state, options, Level::accelerations, false, impl, dependents, instant) ==
            Settled::finished &&
        (instant.status != Status::undecided || instant.singular)) {
      return;
    }
  } else {
    gauss::Options gauss_options;
    gauss_options.warm = options.warm && impl.last_effective == problem.row;
    gauss::solve(problem.view(impl.dynamics.mass), gauss_options, impl.gauss, impl.solution,
                 options.tell ? &instant.trials : nullptr);
    impl.last_effective.assign(problem.row.begin(), problem.row.end());
  }
  // Not found, or not kept: perhaps the rows are so near to dependence that they must be taken for dependent.
  const auto found = [&] {
    return impl.solution.status == gauss::Status::solved && instant.expansion.empty() && keeps_rows(model, state, impl);
  };
  bool nearly = false;
  if (!found() && (!examined || instant.status == Status::undecided)) {
    nearly = true;
    instant.expansion.clear();
    if (settle_dependent(model, state, options, Level::accelerations, true, impl, dependents, instant) ==
        Settled::finished) {
      return;
    }
  }
  if (!found() && !dependents.curved) {
    if (long_answer(model, state, options, true, impl, instant)) return;
    instant.status = Status::undecided;
    if (instant.expansion.empty()) {
      instant.expansion = impl.solution.status == gauss::Status::gave_up
                              ? "the nearest-point solver gave up"
                              : "the conditions are so nearly contradictory that rounding decides";
    }
    return;
  }
  instant.status = Status::determined;
  instant.accelerations.assign(impl.solution.a.begin(), impl.solution.a.end());
  term_scales(model, impl, impl.solution.lambda);
  clean(impl.a_scale, shown_as_zero, instant.accelerations);
  for (std::size_t j = 0; j < r; ++j) {
    if (std::abs(impl.solution.lambda[j]) * impl.norm2[j] <= shown_as_zero * impl.scale[j]) {
      impl.solution.lambda[j] = 0;
    }
  }
  second_derivatives(model, impl.rows, instant.accelerations, instant.second);

  // Binding, leaving, or still open: signs against the sums of their terms, and against the errors of curvatures and forces where these
  // may count.
  std::size_t undecided = 0;
  std::vector<double> force_part;
  const auto nothing = [&](std::size_t j, double size) {
    const double rounding = zero_part * impl.scale[j];
    if (size > clearly_open * impl.scale[j]) return rounding;
    if (force_part.empty()) solve_absolute(impl.dynamics.mass, impl.dynamics.force_error, force_part);
    return std::max(rounding, second_error(impl, force_part, j, instant.accelerations));
  };
  for (std::size_t j = 0; j < r; ++j) {
    Role& role = instant.role[problem.row[j]];
    if (problem.kind[j] == gauss::RowKind::equation) {
      continue;
    }
    if (!dependents.pinned.empty() && dependents.pinned[j] != 0) {
      role = Role::binding;
    } else if (options.balanced.contains(problem.row[j])) {
      // Known to vanish at this very instant: its derivatives decide.
      impl.solution.lambda[j] = 0;
      role = Role::marginal;
      ++undecided;
    } else if (const double pressed = impl.solution.lambda[j] * impl.norm2[j]; pressed > nothing(j, pressed)) {
      role = Role::binding;
    } else if (impl.solution.w[j] < -nothing(j, -impl.solution.w[j])) {
      role = Role::leaving;
    } else {
      role = Role::marginal;
      ++undecided;
    }
  }

  // Multipliers that are not unique, and rows that only a higher derivative decides.
  if (dependents.curved) {
    instant.multipliers_unique = false;
    roles_on_quadric(model, state, impl, instant);
  } else if (!instant.regular || undecided > 0) {
    refine(model, state, options, dependents, impl, instant);
    if (instant.status != Status::determined) {
      return;
    }
  }

  // The answer and its certificate.
  instant.multipliers.assign(model.rows(), 0.0);
  for (std::size_t j = 0; j < r; ++j) {
    instant.multipliers[problem.row[j]] = impl.solution.lambda[j];
  }
  measure_constraint(impl, instant);
  certify(dependents, impl, instant);
  // Equations that are redundant all around: what rounding leaves between them and the others is no row, whatever its digits.
  bool redundant = false;
  for (std::size_t j = 0; j < r && !nearly && !dependents.left_out.empty(); ++j) {
    redundant = redundant || (dependents.left_out[j] != 0 && problem.kind[j] == gauss::RowKind::equation);
  }
  // A multiplier that the caller knows to vanish was set to zero, and its forces are rounding: nothing to compare with.
  if (!options.balanced.is_told() && !(instant.certificate.worst() <= worst_certificate) &&
      !within_terms(dependents, impl, instant) &&
      (dependents.curved || !within_rounding(model, state, dependents, impl, instant))) {
    if (!dependents.curved && !redundant && long_answer(model, state, options, true, impl, instant)) return;
    instant.status = Status::undecided;
    instant.expansion =
        "the answer found does not keep its conditions: its certificate is worse than " + readable(worst_certificate);
    return;
  }
  if (!options.balanced.is_told() && !dependents.curved && loses_light(impl, instant)) {
    instant.status = Status::undecided;
    instant.expansion = "a variable is so light beside what holds it that rounding hides its acceleration";
    return;
  }
  // Rows taken for dependent that are not, but for their last digits.
  if (examined && !redundant && !dependents.curved && dependents.higher.empty() && !options.balanced.is_told()) {
    static_cast<void>(long_answer(model, state, options, false, impl, instant));
  }
}

Instant accelerate(const model::Model& model, const model::State& state, const Options& options) {
  Workspace workspace(model);
  Instant instant;
  Options alone = options;
  alone.long_multipliers = true;
  accelerate(model, state, alone, workspace, instant);
  return instant;
}

Instant classify(const model::Model& model, const model::State& given_state, const Options& given) {
  Workspace workspace(model);
  Workspace::Impl& impl = workspace.impl();
  impl.released = released(model, given_state).rows;
  Instant instant;
  Options options = given;
  Resolved found;
  const bool cornered = needs_corners(model, given_state, options);
  if (cornered) {
    found = resolve_corners(model, given_state, options, workspace);
    options.gone = found.idle;
  }
  const model::State& state = cornered ? found.state : given_state;
  model::evaluate_rows(model, state, impl.scratch, impl.rows);
  model::evaluate_dynamics(model, state, impl.scratch, impl.dynamics);
  classify_rows(model, state, options, impl, instant);
  instant.free.assign(model.variables, 0.0);
  instant.second.assign(model.rows(), 0.0);
  instant.multipliers.assign(model.rows(), 0.0);
  const bool shock = instant.blow_due || instant.seizure_due ||
                     std::find(instant.role.begin(), instant.role.end(), Role::approached) != instant.role.end();
  instant.status =
      !instant.violations.empty()
          ? Status::inadmissible
          : (!instant.expansion.empty() ? Status::undecided : (shock ? Status::impact : Status::determined));
  // Nothing strikes a flow: rates that break a condition are none.
  if (model.flow && instant.status == Status::impact) instant.status = Status::jammed;
  gather(model, impl, instant);
  // Before a shock what is approached is effective too.
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (instant.role[row] != Role::approached) continue;
    impl.problem.append(
        model, impl.rows, row, impl.rows.curvature[row],
        model::is_equation(model.row_kind[row]) ? gauss::RowKind::equation : gauss::RowKind::inequality);
  }
  instant.regular = impl.dynamics.mass_positive && independent(model, state, impl);
  return instant;
}

}  // namespace zwang::instant
