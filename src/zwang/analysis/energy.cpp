/// Powers at one state, term by term.
#include "zwang/analysis/energy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "zwang/analysis/lane.hpp"
#include "zwang/analysis/leaf.hpp"
#include "zwang/analysis/sides.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/vectors.hpp"

namespace zwang::analysis {

bool EnergyRate::conserved() const {
  return !forces && !explicit_time &&
         std::none_of(rows.begin(), rows.end(), [](const RowPower& row) { return row.moves; });
}

namespace {

/// Q_i v_i, summed over all forces that are not a potential's.
std::vector<double> power_of_forces(const model::Model& model, const model::State& state) {
  std::vector<double> out(model.variables, 0.0);
  for (const model::TermGroup& group : model.terms) {
    if (group.kind != model::TermKind::force) continue;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      const Lane at(group, lane, state);
      for (std::size_t k = 0; k < group.tape.outputs.size(); ++k) {
        const std::uint32_t i = group.target_of[k * group.lanes + lane];
        out[i] += at.value(k) * state.velocity[i];
      }
    }
  }
  return out;
}

/// Is no force but zero here?
void see_forces(const model::Model& model, const model::State& state, std::vector<std::uint8_t>& seen) {
  std::size_t at = 0;
  for (const model::TermGroup& group : model.terms) {
    if (group.kind != model::TermKind::force) continue;
    seen.resize(std::max(seen.size(), at + group.lanes * group.tape.outputs.size()), 0);
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      const Lane here(group, lane, state);
      for (std::size_t k = 0; k < group.tape.outputs.size(); ++k, ++at) {
        if (here.value(k) != 0) seen[at] = 1;
      }
    }
  }
}

/// Forces across every velocity (of a magnetic field, gyroscopic ones) do no work: asked at random states near, with random velocities, the corners on their own sides and on random
/// ones. Of a force that is zero at all of them, a short pulse, say, nothing is known: it counts as one that works.
bool never_work(const model::Model& model, const model::State& state) {
  Dice dice(1892);
  constexpr int tries = 24;
  constexpr int least_seen = 4;
  std::vector<std::uint8_t> acts;
  int seen = 0;
  const double extent = std::max(1.0, largest(state.position));
  const double speed = std::max(1.0, largest(state.velocity));
  for (int k = 0; k < tries; ++k) {
    model::State at = state;
    at.modes.clear();
    at.time += dice.throw_one();
    for (double& q : at.position) q += far_enough * extent * dice.throw_one();
    for (double& v : at.velocity) v = speed * dice.throw_one();
    if (k % 2 != 0) throw_sides(model, at, dice);
    see_forces(model, at, acts);
    double sum = 0;
    double terms = 0;
    for (const double power : power_of_forces(model, at)) {
      sum += power;
      terms += std::abs(power);
    }
    if (!std::isfinite(terms)) continue;
    if (std::abs(sum) > no_power * terms) return false;
    ++seen;
  }
  return seen >= least_seen && std::find(acts.begin(), acts.end(), 0) == acts.end();
}

}  // namespace

EnergyRate energy_rate(const model::Model& model, const model::State& state) {
  EnergyRate out;
  model::Scratch scratch = model::make_scratch(model);
  out.energy = model::vis_viva(model, state, scratch) + model::energy(model, state, scratch).potential;
  out.force_power = power_of_forces(model, state);
  out.forces = std::any_of(model.terms.begin(), model.terms.end(), [](const model::TermGroup& group) {
    return group.kind == model::TermKind::force && group.lanes > 0;
  });
  if (out.forces && never_work(model, state)) {
    out.forces = false;
    out.force_power.assign(model.variables, 0.0);
  }

  // Energies in which the time occurs.
  for (const model::TermGroup& group : model.terms) {
    if (group.kind == model::TermKind::force || (!group.uses_time && !switches_by_time(group))) continue;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      Lane at(group, lane, state);
      out.explicit_time = true;
      const double sign = group.kind == model::TermKind::potential ? 1.0 : -1.0;
      at.by_time();
      out.explicit_power += sign * at.derivative(0);
    }
  }

  // Reactions, row by row.
  out.instant = instant::accelerate(model, state);
  if (out.instant.status != instant::Status::determined) return out;
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, state, scratch, rows);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!out.instant.is_effective(row)) continue;
    RowPower one;
    one.row = row;
    const model::RowGroup& group = model.groups[model.row_group[row]];
    const bool variational = model::is_variational(model, row);
    one.moves = group.rheonomic || (variational && group.bend_works);
    // g.v is -f_t on an admissible velocity: that form has no rounding where nothing moves.
    if (one.moves) one.power = out.instant.multipliers[row] * rows.explicit_rate[row];
    if (variational && group.bend_works) {
      std::vector<double> force(model.variables, 0.0);
      model::add_bend(model, row, state, -model::rho_of(model, state, row), force);
      for (std::size_t i = 0; i < model.variables; ++i) one.power += force[i] * state.velocity[i];
    }
    out.rows.push_back(one);
  }
  out.rate = out.explicit_power;
  out.size = std::abs(out.explicit_power);
  for (const double power : out.force_power) {
    out.rate += power;
    out.size += std::abs(power);
  }
  for (const RowPower& one : out.rows) {
    out.rate += one.power;
    out.size += std::abs(one.power);
  }
  return out;
}

}  // namespace zwang::analysis
