/// Newton's rule in the metric of the masses: each round is a nearest-point problem for the correction.
#include "zwang/instant/repair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/instant/tolerances.hpp"
#include "zwang/instant/workspace_impl.hpp"
#include "zwang/model/bodies.hpp"

namespace zwang::instant {

namespace {

bool present(const model::Model& model, std::uint32_t row, double time) {
  const model::Condition& condition = model.conditions[model.row_condition[row]];
  return !condition.seizure || condition.at <= time || same_instant(condition.at, time);
}

/// Of alternatives one is enough: that which is nearest to holding, by the part of it that is farthest from it. Marks the rows that count, by their values.
std::vector<std::uint8_t> rows_that_count(const model::Model& model, const model::Rows& rows, double time) {
  std::vector<std::uint8_t> counts(model.rows(), 1);
  for (std::uint32_t row = 0; row < model.rows(); ++row)
    counts[row] = model::is_holonomic(model.row_kind[row]) && present(model, row, time) ? 1 : 0;
  for (const model::Condition& condition : model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      std::vector<double> most(condition.alternatives, -std::numeric_limits<double>::infinity());
      for (std::uint32_t row = first; row < first + condition.components; ++row)
        most[model.row_alternative[row]] = std::max(most[model.row_alternative[row]], rows.value[row]);
      const auto best = std::min_element(most.begin(), most.end()) - most.begin();
      for (std::uint32_t row = first; row < first + condition.components; ++row)
        if (model.row_alternative[row] != static_cast<std::uint32_t>(best)) counts[row] = 0;
    }
  }
  return counts;
}

/// Sum of the absolute values of a row's gradient.
double gradient_size(const model::Model& model, const model::Rows& rows, std::uint32_t row) {
  double sum = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    sum += std::abs(rows.entry[e]);
  }
  return sum;
}

/// Worst violation of the positions, in units of S sum |df/dq|; names the row.
double worst_position(const model::Model& model, const model::Rows& rows, const model::State& state,
                      std::uint32_t& worst_row) {
  const double size = scales(state).position;
  double worst = 0;
  const std::vector<std::uint8_t> counts = rows_that_count(model, rows, state.time);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (counts[row] == 0) continue;
    const double broken = model::is_equation(model.row_kind[row]) ? std::abs(rows.value[row]) : rows.value[row];
    const double gradient = gradient_size(model, rows, row);
    const double part = broken <= 0 ? 0 : broken / std::max(size * gradient, std::numeric_limits<double>::min());
    if (!(part <= worst)) {
      worst = part;
      worst_row = row;
    }
  }
  return worst;
}

/// A quaternion of another length is no orientation, and is written with length 1.
void keep_lengths(std::span<const std::uint32_t> quaternions, std::vector<double>& position) {
  for (const std::uint32_t first : quaternions) {
    double square = 0;
    for (std::uint32_t k = first; k < first + 4; ++k) square += position[k] * position[k];
    if (!(square > 0)) continue;
    const double size = std::sqrt(square);
    for (std::uint32_t k = first; k < first + 4; ++k) position[k] /= size;
  }
}

/// Components that are rounding of their vectors are written as zero, where the conditions hold as well then: a reader of the text cannot know that
/// they were computed.
void clear_rounding(const model::Model& model, Workspace::Impl& impl, model::State& state) {
  model::State cleared = state;
  model::doubt_as_computed(model, cleared);
  for (std::size_t i = 0; i < model.variables; ++i) {
    if (std::abs(cleared.position[i]) <= cleared.position_uncertainty[i]) cleared.position[i] = 0;
    if (std::abs(cleared.velocity[i]) <= cleared.velocity_uncertainty[i]) cleared.velocity[i] = 0;
  }
  cleared.position_uncertainty = state.position_uncertainty;
  cleared.velocity_uncertainty = state.velocity_uncertainty;
  std::uint32_t row = 0;
  model::evaluate_rows(model, state, impl.scratch, impl.rows);
  const double before = worst_position(model, impl.rows, state, row);
  model::evaluate_rows(model, cleared, impl.scratch, impl.rows);
  if (worst_position(model, impl.rows, cleared, row) <= std::max(before, repaired_to)) state = std::move(cleared);
}

/// Of equations that depend on one another, as in a truss with a bar too many, those that carry the others: no more than the unknowns can keep at once. Off the
/// positions that keep all of them they contradict each other to first order, and on those they do not. By the largest remainder first, down to a part of their lengths.
std::vector<std::uint8_t> carrying_equations(const model::Model& model, const Workspace::Impl& impl,
                                             const std::vector<std::uint32_t>& equations, double part) {
  const auto mass = impl.dynamics.mass.diagonal();
  const std::size_t n = model.variables;
  std::vector<std::vector<double>> rest;
  for (const std::uint32_t row : equations) {
    std::vector<double> g(n, 0.0);
    double square = 0;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      g[model.row_column[e]] += impl.rows.entry[e] / std::sqrt(mass[model.row_column[e]]);
    for (const double x : g) square += x * x;
    if (square > 0) {
      for (double& x : g) x /= std::sqrt(square);
    }
    rest.push_back(std::move(g));
  }
  std::vector<std::uint8_t> carries(model.rows(), 0);
  std::vector<std::uint8_t> done(equations.size(), 0);
  for (std::size_t round = 0; round < equations.size(); ++round) {
    std::size_t best = equations.size();
    double most = part * part;
    for (std::size_t k = 0; k < equations.size(); ++k) {
      double square = 0;
      for (const double x : rest[k]) square += x * x;
      // Of nearly equal ones the first.
      if (done[k] == 0 && square > most * (1 + nearly_as_large)) {
        most = square;
        best = k;
      }
    }
    if (best == equations.size()) break;
    done[best] = 1;
    carries[equations[best]] = 1;
    const std::vector<double> direction = rest[best];
    for (std::size_t k = 0; k < equations.size(); ++k) {
      if (done[k] != 0) continue;
      double share = 0;
      for (std::size_t i = 0; i < n; ++i) share += rest[k][i] * direction[i];
      share /= most;
      for (std::size_t i = 0; i < n; ++i) rest[k][i] -= share * direction[i];
    }
  }
  return carries;
}

constexpr double plainly_nearer = 1e-9;  ///< of the way: what goes on by less is where it was

/// Each correction was the least from where the last one led to; where an inequality bends, the first has gone too far and nothing calls it back. From here on each is the
/// least of all together: the nearest place to what was written that the conditions, as they run here, allow. Its fixed points are the nearest points themselves. The last
/// place at which everything holds is taken.
void come_nearest(const model::Model& model, const model::State& written, std::span<const std::uint32_t> turns,
                  double allowed, Workspace::Impl& impl, Repair& result) {
  if (result.rounds == 0) return;
  const auto mass = [&](std::size_t i) { return std::sqrt(impl.dynamics.mass.diagonal()[i]); };
  const auto far = [&](const std::vector<double>& position) {
    double square = 0;
    for (std::size_t i = 0; i < position.size(); ++i) {
      const double moved = mass(i) * (position[i] - written.position[i]);
      square += moved * moved;
    }
    return std::sqrt(square);
  };
  model::State at = result.state;
  double last = std::numeric_limits<double>::infinity();
  for (unsigned round = 0; round < most_repairs; ++round) {
    model::evaluate_rows(model, at, impl.scratch, impl.rows);
    model::evaluate_dynamics(model, at, impl.scratch, impl.dynamics);
    Subproblem& problem = impl.problem;
    problem.clear();
    problem.a0.resize(model.variables);
    for (std::size_t i = 0; i < model.variables; ++i) problem.a0[i] = written.position[i] - at.position[i];
    const std::vector<std::uint8_t> counts = rows_that_count(model, impl.rows, written.time);
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (counts[row] == 0 || !std::isfinite(gradient_size(model, impl.rows, row))) continue;
      problem.append(model, impl.rows, row, impl.rows.value[row],
                     model::is_equation(model.row_kind[row]) ? gauss::RowKind::equation : gauss::RowKind::inequality);
    }
    gauss::solve(problem.view(impl.dynamics.mass), {}, impl.gauss, impl.solution);
    if (impl.solution.status != gauss::Status::solved) return;
    double step = 0;
    for (std::size_t i = 0; i < model.variables; ++i) {
      step = std::max(step, mass(i) * std::abs(impl.solution.a[i]));
      at.position[i] += impl.solution.a[i];
    }
    keep_lengths(turns, at.position);
    // What is the nearest already stays as it is.
    const double size = far(result.state.position);
    if (round == 0 && step <= plainly_nearer * size) return;
    // It must come to rest; what grows again leads nowhere.
    if (!(step < last)) return;
    last = step;
    std::uint32_t worst_row = 0;
    model::evaluate_rows(model, at, impl.scratch, impl.rows);
    if (worst_position(model, impl.rows, at, worst_row) <= allowed && far(at.position) <= size * (1 + plainly_nearer))
      result.state.position = at.position;
    if (step <= rest_of_velocity * size) return;
  }
}

}  // namespace

Repair repair(const model::Model& model, const model::State& state, const Options& options) {
  Workspace workspace(model);
  Workspace::Impl& impl = workspace.impl();
  Repair result;
  result.state = state;
  const double touch = options.touch > 0 ? options.touch : model.simulation.touch;

  const std::vector<std::uint32_t> turns = model::quaternions(model);

  // Positions: the least correction that the linearised conditions ask for, until nothing improves; of the equations all, or those that carry the others.
  const auto bring = [&](double part) {
    result.state = state;
    double before = 0;
    for (result.rounds = 0; result.rounds < most_repairs; ++result.rounds) {
      model::evaluate_rows(model, result.state, impl.scratch, impl.rows);
      model::evaluate_dynamics(model, result.state, impl.scratch, impl.dynamics);
      const double worst = worst_position(model, impl.rows, result.state, result.worst_row);
      if (worst <= repaired_to ||
          (result.rounds > patient_repairs && worst >= before && worst <= touch * repaired_part)) {
        break;
      }
      before = worst;
      std::vector<std::uint32_t> among;
      std::vector<std::uint32_t> equations;
      const std::vector<std::uint8_t> counts = rows_that_count(model, impl.rows, state.time);
      for (std::uint32_t row = 0; row < model.rows(); ++row) {
        if (counts[row] == 0 || !std::isfinite(gradient_size(model, impl.rows, row))) continue;
        among.push_back(row);
        if (model::is_equation(model.row_kind[row])) equations.push_back(row);
      }
      if (part > 0 && equations.size() > most_equations_chosen) return false;
      const std::vector<std::uint8_t> carries =
          part > 0 ? carrying_equations(model, impl, equations, part) : std::vector<std::uint8_t>(model.rows(), 1);
      Subproblem& problem = impl.problem;
      problem.clear();
      problem.a0.assign(model.variables, 0.0);
      for (const std::uint32_t row : among) {
        const bool equation = model::is_equation(model.row_kind[row]);
        if (equation && carries[row] == 0) continue;
        problem.append(model, impl.rows, row, impl.rows.value[row],
                       equation ? gauss::RowKind::equation : gauss::RowKind::inequality);
      }
      gauss::solve(problem.view(impl.dynamics.mass), {}, impl.gauss, impl.solution);
      if (impl.solution.status != gauss::Status::solved) return false;
      for (std::size_t i = 0; i < model.variables; ++i) {
        result.state.position[i] += impl.solution.a[i];
      }
      keep_lengths(turns, result.state.position);
    }
    model::evaluate_rows(model, result.state, impl.scratch, impl.rows);
    model::evaluate_dynamics(model, result.state, impl.scratch, impl.dynamics);
    if (!(worst_position(model, impl.rows, result.state, result.worst_row) <= touch * repaired_part)) return false;
    if (part == 0) {
      come_nearest(model, state, turns, touch * repaired_part, impl, result);
      model::evaluate_rows(model, result.state, impl.scratch, impl.rows);
      model::evaluate_dynamics(model, result.state, impl.scratch, impl.dynamics);
    }
    return true;
  };
  bool brought = bring(0);
  const Repair with_all = result;
  for (const double part : carrying_parts) brought = brought || bring(part);
  if (!brought) return with_all;

  // Velocities: equations hold; a touching condition that is approached is a collision and stays one.
  Subproblem& problem = impl.problem;
  problem.clear();
  problem.a0.assign(state.velocity.begin(), state.velocity.end());
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (model::is_equation(model.row_kind[row]) && present(model, row, state.time) &&
        !(model.conditions[model.row_condition[row]].seizure &&
          same_instant(model.conditions[model.row_condition[row]].at, state.time))) {
      problem.append(model, impl.rows, row, impl.rows.explicit_rate[row], gauss::RowKind::equation);
    }
  }
  gauss::solve(problem.view(impl.dynamics.mass), {}, impl.gauss_impact, impl.solution);
  if (impl.solution.status != gauss::Status::solved) {
    result.worst_row = problem.row.empty() ? 0 : problem.row[0];
    return result;
  }
  result.state.velocity = impl.solution.a;
  // What is left of a velocity that was taken off is rounding of that; in the metric of the masses, where lengths and angles compare.
  std::vector<double> root(impl.dynamics.mass.diagonal().begin(), impl.dynamics.mass.diagonal().end());
  double taken_off = 0;
  for (std::size_t i = 0; i < root.size(); ++i) {
    root[i] = std::sqrt(root[i]);
    taken_off = std::max(taken_off, root[i] * std::abs(result.state.velocity[i] - state.velocity[i]));
  }
  for (std::size_t i = 0; i < root.size(); ++i) {
    if (root[i] * std::abs(result.state.velocity[i]) <= rest_of_velocity * taken_off) result.state.velocity[i] = 0;
  }
  clear_rounding(model, impl, result.state);
  for (std::size_t i = 0; i < model.variables; ++i) {
    result.position_change = std::max(result.position_change, std::abs(result.state.position[i] - state.position[i]));
    result.velocity_change = std::max(result.velocity_change, std::abs(result.state.velocity[i] - state.velocity[i]));
  }
  result.succeeded = true;
  return result;
}

}  // namespace zwang::instant
