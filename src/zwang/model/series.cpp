/// Conditions and Lagrange's equations as power series along a motion.
///
///   q(s) = sum_k q_k s^k,  v(s) = sum_k (k + 1) q_{k+1} s^k,  residual(s) = X - M q'' = Q - V_q + T_q - d/ds T_v
///
/// Symbols: s the time from the start of the series, Q forces, V potential, T kinetic energy. The derivative d/ds T_v
/// along the motion holds M q'' and Lagrange's terms together.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/model/evaluate.hpp"

namespace zwang::model {

namespace {

/// Coefficient k of variable i; zero beyond the motion's order.
double coefficient(const MotionSeries& motion, std::size_t i, unsigned k) {
  return k < motion.orders ? motion.coefficient[std::size_t{k} * motion.n + i] : 0.0;
}

/// One lane of a group on its tape, all coefficients up to `orders` - 1; the registers afterwards.
template <class Group>
const std::vector<double>& run_lane(const Group& group, const expressions::Tape& tape, std::size_t lane,
                                    const MotionSeries& motion, unsigned orders, std::vector<double>& registers) {
  registers.assign(tape.registers() * orders, 0.0);
  expressions::load_constants(tape, registers.data(), orders, 1);
  double* r = registers.data();
  r[0] = motion.time;
  if (orders > 1) r[1] = 1;
  r += orders;
  for (std::size_t slot = 0; slot < group.positions; ++slot, r += orders) {
    const std::uint32_t variable = group.position_of[slot * group.lanes + lane];
    for (unsigned k = 0; k < orders; ++k) r[k] = coefficient(motion, variable, k);
  }
  for (std::size_t slot = 0; slot < group.velocities; ++slot, r += orders) {
    const std::uint32_t variable = group.velocity_of[slot * group.lanes + lane];
    for (unsigned k = 0; k < orders; ++k) r[k] = (k + 1) * coefficient(motion, variable, k + 1);
  }
  for (std::size_t slot = 0; slot < group.constants; ++slot, r += orders) {
    r[0] = slot >= group.steady() && !motion.modes.empty()
               ? motion.modes[group.first_mode + (slot - group.steady()) * group.lanes + lane]
               : group.constant_of[slot * group.lanes + lane];
  }
  expressions::extend(tape, registers.data(), orders, 0, orders - 1, 1);
  return registers;
}

}  // namespace

void series_row(const Model& model, std::uint32_t row, const MotionSeries& motion, unsigned orders, RowSeries& out) {
  assert(orders > 0);
  const RowGroup& group = model.groups[model.row_group[row]];
  const std::size_t lane = model.row_lane[row];
  std::vector<double> registers;
  run_lane(group, group.tape, lane, motion, orders, registers);

  const auto series = [&](std::size_t k) {
    return registers.begin() + static_cast<std::ptrdiff_t>(std::size_t{group.tape.outputs[k]} * orders);
  };
  out.value.assign(series(0), series(0) + orders);
  const std::size_t slots = group.holonomic ? group.positions : group.velocities;
  out.gradient.assign(slots * orders, 0.0);
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::size_t place = group.entry_of[slot * group.lanes + lane] - model.row_start[row];
    std::copy_n(series(1 + slot), orders, out.gradient.begin() + static_cast<std::ptrdiff_t>(place * orders));
  }
}

void series_bend(const Model& model, std::uint32_t row, const MotionSeries& motion, unsigned orders,
                 std::span<const double> factor, std::vector<double>& out) {
  const RowGroup& group = model.groups[model.row_group[row]];
  const std::size_t lane = model.row_lane[row];
  assert(!group.holonomic && factor.size() >= orders);
  std::vector<double> registers;
  run_lane(group, group.bend, lane, motion, orders + 1, registers);
  const auto series = [&](std::size_t k) {
    return registers.data() + std::size_t{group.bend.outputs[k]} * (orders + 1);
  };
  const auto add = [&](std::uint32_t variable, auto coefficient_of) {
    for (unsigned j = 0; j < orders; ++j) {
      for (unsigned k = 0; j + k < orders; ++k) {
        out[std::size_t{j + k} * motion.n + variable] += factor[j] * coefficient_of(k);
      }
    }
  };
  for (std::size_t slot = 0; slot < group.velocities; ++slot) {
    const double* p = series(slot);
    add(group.velocity_of[slot * group.lanes + lane], [&](unsigned k) { return (k + 1.0) * p[k + 1]; });
  }
  for (std::size_t slot = 0; slot < group.positions; ++slot) {
    const double* f_q = series(group.velocities + slot);
    add(group.position_of[slot * group.lanes + lane], [&](unsigned k) { return -f_q[k]; });
  }
}

void add_bend(const Model& model, std::uint32_t row, const State& state, double factor, std::vector<double>& out) {
  MotionSeries motion;
  motion.time = state.time;
  motion.n = model.variables;
  motion.orders = 2;
  motion.coefficient = state.position;
  motion.modes = state.modes;
  motion.coefficient.insert(motion.coefficient.end(), state.velocity.begin(), state.velocity.end());
  series_bend(model, row, motion, 1, {&factor, 1}, out);
}

bool is_variational(const Model& model) {
  return std::any_of(model.conditions.begin(), model.conditions.end(),
                     [](const Condition& condition) { return condition.law == Law::variational; });
}
bool is_variational(const Model& model, std::uint32_t row) {
  return model.conditions[model.row_condition[row]].law == Law::variational;
}
double rho_of(const Model& model, const State& state, std::uint32_t row) {
  if (!is_variational(model, row)) return 0;
  return state.rho.empty() ? model.conditions[model.row_condition[row]].multiplier : state.rho[row];
}

void series_residual(const Model& model, const MotionSeries& motion, unsigned orders, std::vector<double>& out,
                     std::vector<double>* size) {
  assert(orders > 0);
  const std::size_t n = model.variables;
  out.assign(n * orders, 0.0);
  if (size != nullptr) size->assign(n * orders, 0.0);
  const auto add = [&](std::size_t place, double value) {
    out[place] += value;
    if (size != nullptr) (*size)[place] += std::abs(value);
  };

  // Constant forces and the inertia of points.
  for (std::size_t i = 0; i < n; ++i) {
    add(i, model.constant_force[i]);
    for (unsigned k = 0; k < orders; ++k) {
      add(k * n + i, -model.point_mass[i] * (k + 1) * (k + 2) * coefficient(motion, i, k + 2));
    }
  }

  std::vector<double> registers;
  for (const TermGroup& group : model.terms) {
    // The momenta are needed one order further than the rest.
    const unsigned room = group.kind == TermKind::kinetic ? orders + 1 : orders;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      run_lane(group, group.tape, lane, motion, room, registers);
      const auto series = [&](std::size_t k) { return registers.data() + std::size_t{group.tape.outputs[k]} * room; };
      if (group.kind == TermKind::force) {
        for (std::size_t k = 0; k < group.tape.outputs.size(); ++k) {
          const std::uint32_t target = group.target_of[k * group.lanes + lane];
          for (unsigned order = 0; order < orders; ++order) add(order * n + target, series(k)[order]);
        }
        continue;
      }
      const double sign = group.kind == TermKind::potential ? -1.0 : 1.0;
      for (std::size_t slot = 0; slot < group.positions; ++slot) {
        const std::uint32_t variable = group.position_of[slot * group.lanes + lane];
        for (unsigned order = 0; order < orders; ++order) add(order * n + variable, sign * series(1 + slot)[order]);
      }
      if (group.kind == TermKind::potential) continue;
      for (std::size_t slot = 0; slot < group.velocities; ++slot) {
        const std::uint32_t variable = group.velocity_of[slot * group.lanes + lane];
        const double* momentum = series(1 + group.positions + slot);
        for (unsigned order = 0; order < orders; ++order)
          add(order * n + variable, -(order + 1.0) * momentum[order + 1]);
      }
    }
  }
}

}  // namespace zwang::model
