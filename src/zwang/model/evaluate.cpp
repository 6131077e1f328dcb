/// The numbers that mechanics asks of a model at one state.
///
///   X = constant forces + force terms - dV/dq + dT/dq - (d/ds dT/dv along t + s, q + v s with v held)
///   f' = g.v + df/dt,  F = (dg/ds).v + d(df/dt)/ds;   p.v + p0,  K = (dp/ds).v + dp0/ds
///
/// With running error e(.) along the tape (expressions/running_error.hpp), e(f') = sum |g| e(v) + e(g) (|v| + e(v)) + e(df/dt), and F likewise.
/// Symbols as in evaluate.hpp; s is the parameter of the series, d/ds its first coefficient.
#include "zwang/model/evaluate.hpp"

#include <array>
#include <cassert>
#include <cmath>

#include "zwang/expressions/running_error.hpp"
#include "zwang/model/energies.hpp"
#include "zwang/model/energy_terms.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/model/lanes.hpp"

namespace zwang::model {

using expressions::wide;

namespace {

/// Room of a tape's registers for one block of lanes.
std::size_t room(const expressions::Tape& tape, unsigned orders, std::uint32_t lanes) {
  return tape.registers() * orders * width_of(lanes);
}

constexpr double rounding = 0x1p-53;  ///< of one operation, as a part of its result
/// Bounds of its rounding by which the argument of a root may be below zero and is zero: a switch is found to a few of them.
constexpr double roots_of_rounding = 64;
/// The part by which inputs are shaken to find the sizes of terms: small enough that squares of it do not count beside it, so large
/// that a row whose gradient vanishes keeps a size.
constexpr double shake = 0x1p-40;
/// A condition is plainly open by this part of its terms, and by so many times what the uncertainty of the state makes of it.
constexpr double open_part = 0x1p-7;
constexpr double open_bounds = 0x1p10;

/// How far the inputs of one block may be off: a part of themselves, and what the state says.
template <unsigned W, class Lanes>
void fill_errors(const RowGroup& group, const State& state, const Lanes& lane_of, const double* r, double part,
                 bool doubt, double* e) {
  const std::size_t lanes = group.lanes;
  const auto add = [&](double* to, unsigned l, const std::vector<double>& uncertainty, std::uint32_t variable) {
    if (doubt && !uncertainty.empty()) to[l] += uncertainty[variable];
  };
  // Everything in proportion, constants of the tape included.
  const std::size_t given = (group.tape.inputs.size() + group.tape.constants.size()) * row_orders * W;
  for (std::size_t k = 0; k < given; ++k) e[k] = part * std::abs(r[k]);
  // Time is off by its own rounding; its rate, and those of constants, are known.
  for (unsigned l = 0; l < W; ++l) {
    if (doubt) e[l] = rounding * std::abs(r[l]);
    e[W + l] = 0;
  }
  double* to = e + row_orders * W;
  for (std::size_t slot = 0; slot < group.positions; ++slot, to += row_orders * W) {
    for (unsigned l = 0; l < W; ++l) {
      const std::uint32_t variable = group.position_of[slot * lanes + lane_of(l)];
      add(to, l, state.position_uncertainty, variable);
      add(to + W, l, state.velocity_uncertainty, variable);
    }
  }
  for (std::size_t slot = 0; slot < group.velocities; ++slot, to += row_orders * W) {
    for (unsigned l = 0; l < W; ++l) {
      add(to, l, state.velocity_uncertainty, group.velocity_of[slot * lanes + lane_of(l)]);
      to[W + l] = 0;
    }
  }
}

/// How far f, f' and F of one block may be off when inputs are (see fill_errors) and every operation adds `unit` of its result.
struct Errors {
  double value = 0;
  double rate = 0;
  double curvature = 0;
};
template <unsigned W, class Lanes>
void run_errors(const RowGroup& group, const State& state, const Lanes& lane_of, const double* r, double part,
                bool doubt, double unit, double* e, Errors (&out)[W]) {
  fill_errors<W>(group, state, lane_of, r, part, doubt, e);
  expressions::running_error(group.tape, r, row_orders, W, unit, e);
  const std::size_t lanes = group.lanes;
  const std::size_t count = lane_of.count();
  const std::size_t slots = group.holonomic ? group.positions : group.velocities;
  const std::uint32_t* variable = (group.holonomic ? group.position_of : group.velocity_of).data();
  const auto place = [&](std::size_t k, unsigned order) {
    return (std::size_t{group.tape.outputs[k]} * row_orders + order) * W;
  };
  for (std::size_t l = 0; l < count; ++l) {
    out[l].value = group.holonomic ? e[place(0, 0) + l] : 0.0;
    out[l].rate = group.rheonomic ? e[place(slots + 1, 0) + l] : 0.0;
    out[l].curvature = group.rheonomic ? e[place(slots + 1, 1) + l] : 0.0;
  }
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t l = 0; l < count; ++l) {
      const std::uint32_t i = variable[slot * lanes + lane_of(l)];
      const double v = std::abs(state.velocity[i]);
      const double off =
          part * v + (doubt && !state.velocity_uncertainty.empty() ? state.velocity_uncertainty[i] : 0.0);
      for (unsigned order = 0; order < row_orders; ++order) {
        const double g = std::abs(r[place(slot + 1, order) + l]);
        double& to = order == 0 ? out[l].rate : out[l].curvature;
        to += g * off + e[place(slot + 1, order) + l] * (v + off) + unit * g * v;
      }
    }
  }
}

/// Are all conditions of a block plainly open, by a part of their terms and by far more than the uncertainty of the state moves them? Then
/// how far they may be off is told roughly: nothing depends on it.
template <unsigned W, class Lanes>
bool plainly_open(const RowGroup& group, const State& state, const Lanes& lane_of, const double* r,
                  const Errors (&shaken)[W], Errors (&off)[W]) {
  if (!group.holonomic || state.position_uncertainty.empty()) return false;
  const std::size_t lanes = group.lanes;
  const std::size_t count = lane_of.count();
  const double* f = r + std::size_t{group.tape.outputs[0]} * row_orders * W;
  for (std::size_t l = 0; l < count; ++l) {
    off[l].value = rounding * shaken[l].value / shake;
    off[l].rate = rounding * shaken[l].rate / shake;
    off[l].curvature = rounding * shaken[l].curvature / shake;
    for (std::size_t slot = 0; slot < group.positions; ++slot) {
      const double g = std::abs(r[std::size_t{group.tape.outputs[slot + 1]} * row_orders * W + l]);
      const std::uint32_t i = group.position_of[slot * lanes + lane_of(l)];
      off[l].value += g * state.position_uncertainty[i];
      off[l].rate += g * state.velocity_uncertainty[i];
    }
    if (!(f[l] < -open_part * shaken[l].value / shake) || !(f[l] < -open_bounds * off[l].value)) return false;
  }
  return true;
}

/// One block of lanes of a row group, from first order series to value, rate, curvature and gradient; without errors if `e` is none.
template <unsigned W, class Lanes>
void evaluate_row_block(const RowGroup& group, const State& state, const Lanes& lane_of, double* r, double* e,
                        Rows& rows) {
  fill_inputs_of<row_orders, W>(group, state.time, state.position, state.velocity, state.modes, lane_of, r);
  expressions::extend(group.tape, r, row_orders, 0, 1, W);

  const std::size_t lanes = group.lanes;
  const std::size_t count = lane_of.count();
  const std::size_t slots = group.holonomic ? group.positions : group.velocities;
  const std::uint32_t* variable = (group.holonomic ? group.position_of : group.velocity_of).data();
  const std::uint32_t* output = group.tape.outputs.data();
  const auto coefficient = [&](std::size_t k, unsigned order) {
    return r + (std::size_t{output[k]} * row_orders + order) * W;
  };

  // What does not come from the gradient: df/dt or p0 and its derivative.
  double rest[W];
  double curvature[W];
  double scale[W];
  double rate[W];
  for (unsigned l = 0; l < W; ++l) {
    rest[l] = group.rheonomic ? coefficient(slots + 1, 0)[l] : 0.0;
    curvature[l] = group.rheonomic ? coefficient(slots + 1, 1)[l] : 0.0;
    scale[l] = std::abs(curvature[l]);
    rate[l] = rest[l];
  }

  // The gradient along the velocity.
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const double* g = coefficient(slot + 1, 0);
    const double* change = coefficient(slot + 1, 1);
    for (std::size_t l = 0; l < count; ++l) {
      const std::size_t at = slot * lanes + lane_of(l);
      const double v = state.velocity[variable[at]];
      rows.entry[group.entry_of[at]] = g[l];
      rate[l] += g[l] * v;
      curvature[l] += change[l] * v;
      scale[l] += std::abs(change[l] * v);
    }
  }
  const double* f = coefficient(0, 0);
  for (std::size_t l = 0; l < count; ++l) {
    const std::uint32_t row = group.row[lane_of(l)];
    rows.value[row] = group.holonomic ? f[l] : 0.0;
    rows.rate[row] = rate[l];
    rows.explicit_rate[row] = rest[l];
    rows.curvature[row] = curvature[l];
    rows.curvature_scale[row] = scale[l];
  }

  // What tells them from zero: the size of their terms, and how far they may be off.
  if (e == nullptr) return;
  Errors shaken[W] = {};
  run_errors<W>(group, state, lane_of, r, shake, false, shake, e, shaken);
  Errors off[W] = {};
  if (!plainly_open<W>(group, state, lane_of, r, shaken, off)) {
    run_errors<W>(group, state, lane_of, r, 0.0, true, rounding, e, off);
  }
  for (std::size_t l = 0; l < count; ++l) {
    const std::uint32_t row = group.row[lane_of(l)];
    rows.value_scale[row] = shaken[l].value / shake;
    rows.rate_scale[row] = shaken[l].rate / shake;
    rows.value_error[row] = off[l].value;
    rows.rate_error[row] = off[l].rate;
    rows.curvature_error[row] = off[l].curvature;
  }
}

/// Put one block of lanes of a term group on its tape and run it to coefficient `last`.
template <unsigned W>
void run_term_block(const TermGroup& group, const State& state, std::size_t first, unsigned last, double* r) {
  const unsigned orders = orders_of(group);
  if (orders == 1) {
    fill_inputs<1, W>(group, state.time, state.position, state.velocity, state.modes, first, r);
  } else {
    fill_inputs<2, W>(group, state.time, state.position, state.velocity, state.modes, first, r);
  }
  expressions::extend(group.tape, r, orders, 0, std::min(last, orders - 1), W);
}

/// How far the outputs of one block of a term group may be off; its tape has been run.
template <unsigned W>
void run_term_errors(const TermGroup& group, const State& state, std::size_t first, const double* r, double* e) {
  const unsigned orders = orders_of(group);
  const std::size_t lanes = group.lanes;
  const auto lane_of = [&](std::size_t l) { return W == 1 ? first : std::min(first + l, lanes - 1); };
  const std::size_t given = (group.tape.inputs.size() + group.tape.constants.size()) * orders * W;
  std::fill_n(e, given, 0.0);
  for (unsigned l = 0; l < W; ++l) e[l] = rounding * std::abs(r[l]);
  double* to = e + orders * W;
  const bool known = state.position_uncertainty.empty();
  for (std::size_t slot = 0; slot < group.positions && !known; ++slot) {
    for (unsigned l = 0; l < W; ++l) {
      const std::uint32_t variable = group.position_of[slot * lanes + lane_of(l)];
      to[slot * orders * W + l] = state.position_uncertainty[variable];
      if (orders > 1) to[(slot * orders + 1) * W + l] = state.velocity_uncertainty[variable];
    }
  }
  to += group.positions * orders * W;
  for (std::size_t slot = 0; slot < group.velocities && !known; ++slot) {
    for (unsigned l = 0; l < W; ++l) {
      to[slot * orders * W + l] = state.velocity_uncertainty[group.velocity_of[slot * lanes + lane_of(l)]];
    }
  }
  expressions::running_error(group.tape, r, orders, W, rounding, e);
}

/// Where the argument of a root is below zero by no more than it may be off, as just beside a switch behind which the root begins, it is
/// zero. Tape and errors have been run; rare.
template <unsigned W>
void mend_roots(const TermGroup& group, double* r, double* e) {
  const unsigned orders = orders_of(group);
  const bool finite = std::all_of(group.tape.outputs.begin(), group.tape.outputs.end(), [&](std::uint32_t reg) {
    const double* y = r + std::size_t{reg} * orders * W;
    return std::all_of(y, y + W, [](double value) { return std::isfinite(value); });
  });
  if (finite || group.kind == TermKind::kinetic) return;
  expressions::Tape tape = group.tape;
  bool any = false;
  for (expressions::Instruction& i : tape.instructions) {
    const bool root = i.op == expressions::Op::sqrt || (i.op == expressions::Op::power && i.c > 0);
    if (!root) continue;
    const std::size_t from = std::size_t{i.a} * orders * W;
    for (unsigned l = 0; l < W; ++l) {
      const double below = -r[from + l];
      if (!(below > 0 && below <= roots_of_rounding * e[from + l])) continue;
      i.zero_below = std::max(i.zero_below, below);
      any = true;
    }
  }
  if (!any) return;
  expressions::extend(tape, r, orders, 0, orders - 1, W);
  expressions::running_error(tape, r, orders, W, rounding, e);
}

void add_force(Dynamics& dynamics, std::uint32_t variable, double value, double error) {
  dynamics.force[variable] += value;
  dynamics.force_scale[variable] += std::abs(value);
  dynamics.force_error[variable] += error;
}

/// The inertia in one block of lanes of a kinetic energy; its tape has been run.
template <unsigned W>
void add_inertia(const TermGroup& group, std::size_t first, const double* r, linear::Mass& mass) {
  const std::size_t lanes = group.lanes;
  const std::size_t count = std::min<std::size_t>(W, lanes - first);
  std::size_t k = std::size_t{1} + group.positions + group.velocities;
  for (std::size_t i = 0; i < group.velocities; ++i) {
    for (std::size_t j = i; j < group.velocities; ++j, ++k) {
      const double* entry = r + std::size_t{group.tape.outputs[k]} * orders_of(group) * W;
      for (std::size_t l = 0; l < count; ++l) {
        const std::uint32_t a = group.velocity_of[i * lanes + first + l];
        const std::uint32_t b = group.velocity_of[j * lanes + first + l];
        const bool one_block = a == b || (mass.block_of(a) >= 0 && mass.block_of(a) == mass.block_of(b));
        if (one_block) mass.add(a, b, entry[l]);
      }
    }
  }
}

/// Lagrange's terms of one block of lanes, added to force and mass.
template <unsigned W>
void add_term_block(const TermGroup& group, const State& state, std::size_t first, double* r, double* e,
                    Dynamics& dynamics) {
  run_term_block<W>(group, state, first, 1, r);
  run_term_errors<W>(group, state, first, r, e);
  mend_roots<W>(group, r, e);
  const unsigned orders = orders_of(group);
  const std::size_t lanes = group.lanes;
  const std::size_t count = std::min<std::size_t>(W, lanes - first);
  const std::uint32_t* output = group.tape.outputs.data();
  const auto coefficient = [&](std::size_t k, unsigned order) {
    return r + (std::size_t{output[k]} * orders + order) * W;
  };
  const auto error_of = [&](std::size_t k, unsigned order) {
    return e + (std::size_t{output[k]} * orders + order) * W;
  };

  if (group.kind == TermKind::force) {
    for (std::size_t k = 0; k < group.tape.outputs.size(); ++k) {
      const double* force = coefficient(k, 0);
      for (std::size_t l = 0; l < count; ++l) {
        add_force(dynamics, group.target_of[k * lanes + first + l], force[l], error_of(k, 0)[l]);
      }
    }
    return;
  }

  // -dV/dq and dT/dq.
  const double sign = group.kind == TermKind::potential ? -1.0 : 1.0;
  for (std::size_t slot = 0; slot < group.positions; ++slot) {
    const double* by_position = coefficient(1 + slot, 0);
    for (std::size_t l = 0; l < count; ++l) {
      add_force(dynamics, group.position_of[slot * lanes + first + l], sign * by_position[l], error_of(1 + slot, 0)[l]);
    }
  }
  if (group.kind == TermKind::potential) return;

  // The change of the momenta without accelerations, and the inertia.
  const std::size_t momenta = 1 + group.positions;
  if (orders == 2) {
    for (std::size_t slot = 0; slot < group.velocities; ++slot) {
      const double* change = coefficient(momenta + slot, 1);
      for (std::size_t l = 0; l < count; ++l) {
        add_force(dynamics, group.velocity_of[slot * lanes + first + l], -change[l], error_of(momenta + slot, 1)[l]);
      }
    }
  }
  add_inertia<W>(group, first, r, dynamics.mass);
}

bool has_kinetic(const Model& model) {
  return std::any_of(model.terms.begin(), model.terms.end(),
                     [](const TermGroup& group) { return group.kind == TermKind::kinetic; });
}

void set_point_masses(const Model& model, linear::Mass& mass) {
  mass.set_zero();
  for (std::uint32_t k = 0; k < model.variables; ++k) {
    if (model.point_mass[k] != 0) mass.add_diagonal(k, model.point_mass[k]);
  }
}

/// The axes of slender bodies where they are.
void set_axes(const Model& model, std::span<const double> position, linear::Mass& mass) {
  for (const Slender& one : model.slender) {
    linear::Mass::Turn turn;
    turn.mass = one.mass;
    turn.light = one.axis;
    turn.reach = one.reach;
    const double* e = position.data() + one.first + 3;
    const double length = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    // Rows of G: the rate of e that a turn about an axis of the body is; then e itself.
    const std::array<double, 16> rows = {-e[1], e[0], e[3],  -e[2], -e[2], -e[3], e[0], e[1],
                                         -e[3], e[2], -e[1], e[0],  e[0],  e[1],  e[2], e[3]};
    for (std::size_t k = 0; k < 16; ++k) turn.axis.at(k) = rows.at(k) / length;
    for (std::size_t k = 0; k < 3; ++k) turn.weight.at(k) = 4 * one.moments.at(k);
    turn.weight[3] = one.stretching;
    mass.set_turn(one.block, turn);
  }
}

/// Calls `visit(group, registers, first lane, width)` for every block of lanes of the energies.
template <class Visit>
void for_energy_blocks(const Model& model, const State& state, Scratch& scratch, Visit visit) {
  double* r = scratch.registers.data();
  for (const RowGroup& group : model.groups) r += room(group.tape, row_orders, group.lanes);
  for (const TermGroup& group : model.terms) {
    const unsigned width = width_of(group.lanes);
    if (group.kind != TermKind::force) {
      for (std::size_t first = 0; first < group.lanes; first += width) {
        if (width == 1) {
          run_term_block<1>(group, state, first, 0, r);
        } else {
          run_term_block<wide>(group, state, first, 0, r);
        }
        const std::size_t count = std::min<std::size_t>(width, group.lanes - first);
        for (std::size_t l = 0; l < count; ++l) {
          visit(group, first + l,
                [&](std::size_t k) { return r[std::size_t{group.tape.outputs[k]} * orders_of(group) * width + l]; });
        }
      }
    }
    r += room(group.tape, orders_of(group), group.lanes);
  }
}

/// Rows that are not left out; those of one group that are picked out stand side by side on its tape. Without errors if `e` is none.
void evaluate_some(const Model& model, const State& given, std::span<const std::uint8_t> left_out, Scratch& scratch,
                   double* e, Rows& rows) {
  State copy;
  const State& state = with_modes(model, given, copy);
  double* r = scratch.registers.data();
  for (const RowGroup& group : model.groups) {
    const bool narrow = width_of(group.lanes) == 1;
    if (left_out.empty()) {
      for (std::size_t first = 0; first < group.lanes; first += narrow ? 1 : wide) {
        if (narrow) {
          evaluate_row_block<1>(group, state, LanesFrom<1>{first, group.lanes}, r, e, rows);
        } else {
          evaluate_row_block<wide>(group, state, LanesFrom<wide>{first, group.lanes}, r, e, rows);
        }
      }
    } else if (narrow) {
      for (std::size_t lane = 0; lane < group.lanes; ++lane) {
        if (left_out[group.row[lane]] == 0)
          evaluate_row_block<1>(group, state, LanesFrom<1>{lane, group.lanes}, r, e, rows);
      }
    } else {
      LanesPicked<wide> block;
      for (std::size_t lane = 0; lane < group.lanes; ++lane) {
        if (left_out[group.row[lane]] != 0) continue;
        block.lane[block.picked++] = lane;
        if (block.picked < wide) continue;
        evaluate_row_block<wide>(group, state, block, r, e, rows);
        block.picked = 0;
      }
      if (block.picked > 0) evaluate_row_block<wide>(group, state, block, r, e, rows);
    }
    r += room(group.tape, row_orders, group.lanes);
  }
}

}  // namespace

State initial_state(const Model& model) {
  State state{model.simulation.start, model.initial_position, model.initial_velocity};
  if (!model.position_doubts.empty() || !model.velocity_doubts.empty()) {
    state.position_uncertainty.assign(model.variables, 0.0);
    state.velocity_uncertainty.assign(model.variables, 0.0);
    for (const Doubt& doubt : model.position_doubts) state.position_uncertainty[doubt.variable] = doubt.amount;
    for (const Doubt& doubt : model.velocity_doubts) state.velocity_uncertainty[doubt.variable] = doubt.amount;
  }
  if (!is_variational(model)) return state;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const Condition& condition = model.conditions[model.row_condition[row]];
    state.rho.push_back(condition.law == Law::variational ? condition.multiplier : 0.0);
  }
  return state;
}

Scratch make_scratch(const Model& model) {
  std::size_t size = 0;
  for (const RowGroup& group : model.groups) size += room(group.tape, row_orders, group.lanes);
  for (const TermGroup& group : model.terms) size += room(group.tape, orders_of(group), group.lanes);

  // Every group has a room of its own, so that its constants are written once.
  Scratch scratch;
  scratch.registers.assign(size, 0.0);
  std::size_t errors = 0;
  for (const RowGroup& group : model.groups) errors = std::max(errors, room(group.tape, row_orders, group.lanes));
  for (const TermGroup& group : model.terms) errors = std::max(errors, room(group.tape, orders_of(group), group.lanes));
  scratch.errors.assign(errors, 0.0);
  double* r = scratch.registers.data();
  for (const RowGroup& group : model.groups) {
    expressions::load_constants(group.tape, r, row_orders, width_of(group.lanes));
    r += room(group.tape, row_orders, group.lanes);
  }
  for (const TermGroup& group : model.terms) {
    expressions::load_constants(group.tape, r, orders_of(group), width_of(group.lanes));
    r += room(group.tape, orders_of(group), group.lanes);
  }
  return scratch;
}

Dynamics make_dynamics(const Model& model) {
  Dynamics dynamics;
  dynamics.mass = linear::Mass(model.variables, model.mass_blocks);
  dynamics.force.assign(model.variables, 0.0);
  dynamics.force_scale.assign(model.variables, 0.0);
  dynamics.force_error.assign(model.variables, 0.0);

  // The masses of points alone never change.
  set_point_masses(model, dynamics.mass);
  if (!has_kinetic(model)) dynamics.mass_positive = dynamics.mass.factor();
  return dynamics;
}

void evaluate_dynamics(const Model& model, const State& given, Scratch& scratch, Dynamics& dynamics) {
  State copy;
  const State& state = with_modes(model, given, copy);
  for (std::size_t i = 0; i < dynamics.force.size(); ++i) {
    dynamics.force[i] = model.constant_force[i];
    dynamics.force_scale[i] = std::abs(model.constant_force[i]);
    dynamics.force_error[i] = 0;
  }
  const bool kinetic = has_kinetic(model);
  if (kinetic) set_point_masses(model, dynamics.mass);

  double* r = scratch.registers.data();
  for (const RowGroup& group : model.groups) r += room(group.tape, row_orders, group.lanes);
  for (const TermGroup& group : model.terms) {
    if (width_of(group.lanes) == 1) {
      for (std::size_t first = 0; first < group.lanes; ++first)
        add_term_block<1>(group, state, first, r, scratch.errors.data(), dynamics);
    } else {
      for (std::size_t first = 0; first < group.lanes; first += wide)
        add_term_block<wide>(group, state, first, r, scratch.errors.data(), dynamics);
    }
    r += room(group.tape, orders_of(group), group.lanes);
  }
  set_axes(model, state.position, dynamics.mass);
  if (kinetic) dynamics.mass_positive = dynamics.mass.factor();
}

void evaluate_mass(const Model& model, const State& given, Scratch& scratch, Dynamics& dynamics) {
  if (!has_kinetic(model)) return;
  State copy;
  const State& state = with_modes(model, given, copy);
  set_point_masses(model, dynamics.mass);
  double* r = scratch.registers.data();
  for (const RowGroup& group : model.groups) r += room(group.tape, row_orders, group.lanes);
  for (const TermGroup& group : model.terms) {
    const unsigned width = width_of(group.lanes);
    for (std::size_t first = 0; first < group.lanes && group.kind == TermKind::kinetic; first += width) {
      if (width == 1) {
        run_term_block<1>(group, state, first, 0, r);
        add_inertia<1>(group, first, r, dynamics.mass);
      } else {
        run_term_block<wide>(group, state, first, 0, r);
        add_inertia<wide>(group, first, r, dynamics.mass);
      }
    }
    r += room(group.tape, orders_of(group), group.lanes);
  }
  set_axes(model, state.position, dynamics.mass);
  dynamics.mass_positive = dynamics.mass.factor();
}

Rows make_rows(const Model& model) {
  Rows rows;
  rows.value.assign(model.rows(), 0.0);
  rows.rate = rows.explicit_rate = rows.curvature = rows.curvature_scale = rows.value;
  rows.value_scale = rows.rate_scale = rows.value_error = rows.rate_error = rows.curvature_error = rows.value;
  rows.entry.assign(model.row_column.size(), 0.0);
  return rows;
}

void evaluate_rows(const Model& model, const State& state, Scratch& scratch, Rows& rows) {
  evaluate_rows_but(model, state, {}, scratch, rows);
}

void evaluate_rows_but(const Model& model, const State& given, std::span<const std::uint8_t> left_out, Scratch& scratch,
                       Rows& rows) {
  evaluate_some(model, given, left_out, scratch, scratch.errors.data(), rows);
}

void evaluate_values_but(const Model& model, const State& given, std::span<const std::uint8_t> left_out,
                         Scratch& scratch, Rows& rows) {
  evaluate_some(model, given, left_out, scratch, nullptr, rows);
}

namespace {

/// One row; `errors` null: without the scales and errors.
void evaluate_one(const Model& model, const State& given, std::uint32_t row, double* errors, Scratch& scratch,
                  Rows& rows) {
  State copy;
  const State& state = with_modes(model, given, copy);
  double* r = scratch.registers.data();
  for (std::uint32_t g = 0; g < model.row_group[row]; ++g)
    r += room(model.groups[g].tape, row_orders, model.groups[g].lanes);
  const RowGroup& group = model.groups[model.row_group[row]];
  const std::size_t lane = model.row_lane[row];
  if (width_of(group.lanes) == 1) {
    evaluate_row_block<1>(group, state, LanesFrom<1>{lane, group.lanes}, r, errors, rows);
    return;
  }
  LanesPicked<wide> block;
  block.lane[block.picked++] = lane;
  evaluate_row_block<wide>(group, state, block, r, errors, rows);
}

}  // namespace

void evaluate_row(const Model& model, const State& state, std::uint32_t row, Scratch& scratch, Rows& rows) {
  evaluate_one(model, state, row, scratch.errors.data(), scratch, rows);
}

void evaluate_row_values(const Model& model, const State& state, std::uint32_t row, Scratch& scratch, Rows& rows) {
  evaluate_one(model, state, row, nullptr, scratch, rows);
}

Energies energies(const Model& model, const State& given, Scratch& scratch) {
  State copy;
  const State& state = with_modes(model, given, copy);
  Energies out;
  for (std::uint32_t k = 0; k < model.variables; ++k) {
    out.kinetic += 0.5 * model.point_mass[k] * state.velocity[k] * state.velocity[k];
    out.potential -= model.constant_force[k] * state.position[k];
  }
  out.vis_viva = out.kinetic;
  for_energy_blocks(model, state, scratch, [&](const TermGroup& group, std::size_t lane, auto output) {
    if (group.kind != TermKind::kinetic) {
      out.potential += output(0);
      return;
    }
    out.kinetic += output(0);
    out.vis_viva -= output(0);
    for (std::size_t slot = 0; slot < group.velocities; ++slot) {
      out.vis_viva += output(1 + group.positions + slot) * state.velocity[group.velocity_of[slot * group.lanes + lane]];
    }
  });
  return out;
}

Energy energy(const Model& model, const State& state, Scratch& scratch) { return energies(model, state, scratch); }

double vis_viva(const Model& model, const State& state, Scratch& scratch) {
  return energies(model, state, scratch).vis_viva;
}

double energy_terms(const Model& model, const State& given, Scratch& scratch) {
  State copy;
  State state = with_modes(model, given, copy);
  double out = 0;
  for (std::uint32_t k = 0; k < model.variables; ++k) {
    out += 0.5 * std::abs(model.point_mass[k]) * state.velocity[k] * state.velocity[k];
    out += std::abs(model.constant_force[k] * state.position[k]);
  }
  // T forwards, backwards and at rest is T_2 + T_1 + T_0, T_2 - T_1 + T_0 and T_0, term by term.
  std::vector<double> forwards, backwards;
  const auto list = [&](std::vector<double>& into) {
    for_energy_blocks(model, state, scratch, [&](const TermGroup& group, std::size_t, auto output) {
      if (group.kind == TermKind::kinetic) into.push_back(output(0));
    });
  };
  for_energy_blocks(model, state, scratch, [&](const TermGroup& group, std::size_t, auto output) {
    if (group.kind != TermKind::kinetic) out += std::abs(output(0));
  });
  list(forwards);
  for (double& v : state.velocity) v = -v;
  list(backwards);
  std::fill(state.velocity.begin(), state.velocity.end(), 0.0);
  std::size_t next = 0;
  for_energy_blocks(model, state, scratch, [&](const TermGroup& group, std::size_t, auto output) {
    if (group.kind != TermKind::kinetic) return;
    const double odd = (forwards[next] - backwards[next]) / 2;
    const double even = (forwards[next] + backwards[next]) / 2;
    out += std::abs(even - output(0)) + std::abs(odd) + std::abs(output(0));
    ++next;
  });
  return out;
}

double energy_with_time(const Model& model, const State& given, Scratch& scratch) {
  const auto moves = [](const TermGroup& group) { return group.uses_time && group.kind != TermKind::force; };
  if (std::none_of(model.terms.begin(), model.terms.end(), moves)) return 0;
  State copy;
  const State& state = with_modes(model, given, copy);
  double out = 0;
  for_energy_blocks(model, state, scratch, [&](const TermGroup& group, std::size_t, auto output) {
    if (moves(group)) out += group.kind == TermKind::kinetic ? -output(0) : output(0);
  });
  return out;
}

double observe(const Observable& observable, const State& state) {
  const TermGroup& term = observable.term;
  std::vector<double> registers(term.tape.registers());
  expressions::load_constants(term.tape, registers.data(), 1, 1);
  fill_inputs<1, 1>(term, state.time, state.position, state.velocity, {}, 0, registers.data());
  if (!term.corners.empty()) {
    // An output has its modes from the state itself: nothing waits for its switches.
    std::vector<expressions::Side> sides(term.corners.size());
    std::vector<double> modes(term.modes);
    find_sides(term, 0, state, sides, modes);
    std::copy(modes.begin(), modes.end(), registers.begin() + 1 + term.positions + term.velocities + term.steady());
  }
  expressions::extend(term.tape, registers.data(), 1, 0, 0, 1);
  return registers[term.tape.outputs[0]];
}

}  // namespace zwang::model
