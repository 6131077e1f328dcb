/// The rates of a first-order system made unfree: one linear system.
#include "zwang/model/flow.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/base/vectors.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/linear/row_factor.hpp"
#include "zwang/model/lanes.hpp"

namespace zwang::model {

namespace {

std::vector<double> gradients(const Model& model, const State& state, const Rows& rows, bool with_free) {
  const std::size_t n = model.variables;
  const std::size_t count = model.rows() + (with_free ? model.free_functions.size() : 0);
  std::vector<double> dense(count * n, 0.0);
  for (std::size_t row = 0; row < model.rows(); ++row) {
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      dense[row * n + model.row_column[e]] = rows.entry[e];
    }
  }
  if (!with_free) return dense;
  for (std::size_t k = 0; k < model.free_functions.size(); ++k) {
    evaluate_free(model.free_functions[k], state, dense.data() + (model.rows() + k) * n, n);
  }
  return dense;
}

std::vector<double> gradients(const Model& model, const State& state, bool with_free) {
  Scratch scratch = make_scratch(model);
  Rows rows = make_rows(model);
  evaluate_rows(model, state, scratch, rows);
  return gradients(model, state, rows, with_free);
}

}  // namespace

double evaluate_free(const FreeFunction& function, const State& state, double* gradient, std::size_t n) {
  const TermGroup& term = function.term;
  std::vector<double> registers(term.tape.registers());
  expressions::load_constants(term.tape, registers.data(), 1, 1);
  fill_inputs<1, 1>(term, state.time, state.position, state.velocity, {}, 0, registers.data());
  expressions::extend(term.tape, registers.data(), 1, 0, 0, 1);
  std::fill(gradient, gradient + n, 0.0);
  for (std::size_t slot = 0; slot < term.positions; ++slot) {
    gradient[term.position_of[slot]] = registers[term.tape.outputs[1 + slot]];
  }
  return registers[term.tape.outputs[0]];
}

std::vector<double> condition_gradients(const Model& model, const State& state) {
  return gradients(model, state, false);
}
std::vector<double> all_gradients(const Model& model, const State& state) { return gradients(model, state, true); }

Rates rates(const Model& model, const State& state) {
  assert(model.flow);
  const std::size_t n = model.variables;
  const std::size_t m = model.rows();
  Scratch scratch = make_scratch(model);
  Dynamics dynamics = make_dynamics(model);
  Rows rows = make_rows(model);
  evaluate_dynamics(model, state, scratch, dynamics);
  evaluate_rows(model, state, scratch, rows);
  Rates out;
  out.rate = dynamics.force;
  out.multiplier.assign(m, 0.0);
  out.finite = all_finite(dynamics.force) && all_finite(rows.entry) && all_finite(rows.explicit_rate);
  if (m == 0 || !out.finite) return out;

  // What the free flow makes of the conditions.
  std::vector<double> broken = rows.explicit_rate;
  for (std::size_t row = 0; row < m; ++row) {
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      broken[row] += rows.entry[e] * dynamics.force[model.row_column[e]];
    }
  }

  // Along the gradients, or along the directions in which no free function changes.
  if (model.free_functions.empty()) {
    linear::GramFactor factor;
    const linear::SparseRows sparse{model.row_start, model.row_column, rows.entry};
    factor.shape(sparse, dynamics.mass, std::vector<std::uint8_t>(m, 1));
    factor.factor(sparse, dynamics.mass);
    factor.solve(broken);
    out.multiplier = broken;
    for (std::size_t row = 0; row < m; ++row) {
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        out.rate[model.row_column[e]] -= rows.entry[e] * broken[row];
      }
    }
    return out;
  }
  const std::vector<double> dense = gradients(model, state, rows, true);
  linear::RowFactor factor;
  factor.factor(dense, dense.size() / n, n, dependent_part);
  std::vector<double> right(dense.size() / n, 0.0);
  for (std::size_t row = 0; row < m; ++row) {
    right[row] = -broken[row];
    out.multiplier[row] = factor.skipped(row) ? 0.0 : broken[row];
  }
  std::vector<double> change(n);
  factor.solve(right, change);
  for (std::size_t i = 0; i < n; ++i) out.rate[i] += change[i];
  return out;
}

}  // namespace zwang::model
