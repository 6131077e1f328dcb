/// Powers at one state, term by term.
#include "zwang/analysis/energy.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/analysis/lane.hpp"

namespace zwang::analysis {

bool EnergyRate::conserved() const {
  return !forces && !explicit_time &&
         std::none_of(rows.begin(), rows.end(), [](const RowPower& row) { return row.moves; });
}

EnergyRate energy_rate(const model::Model& model, const model::State& state) {
  EnergyRate out;
  model::Scratch scratch = model::make_scratch(model);
  out.energy = model::vis_viva(model, state, scratch) + model::energy(model, state, scratch).potential;
  out.force_power.assign(model.variables, 0.0);

  // Forces, and energies in which the time occurs.
  for (const model::TermGroup& group : model.terms) {
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      Lane at(group, lane, state);
      if (group.kind == model::TermKind::force) {
        out.forces = true;
        for (std::size_t k = 0; k < group.tape.outputs.size(); ++k) {
          const std::uint32_t i = group.target_of[k * group.lanes + lane];
          out.force_power[i] += at.value(k) * state.velocity[i];
        }
      } else if (group.uses_time) {
        out.explicit_time = true;
        const double sign = group.kind == model::TermKind::potential ? 1.0 : -1.0;
        at.by_time();
        out.explicit_power += sign * at.derivative(0);
      }
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
