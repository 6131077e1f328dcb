/// The numbers that mechanics asks of a model at one state, and their power series along a motion.
///
///   M a = X - sum lambda grad f        with Lagrange's terms of `kinetic` and `potential` in X
///   f' = g.v + df/dt,   f'' = g.a + F  (holonomic),      f = p.v + p0,  f' = p.a + K  (nonholonomic)
///
/// Symbols: g, p rows (gradient by q, by v); F, K what is left of the second (first) derivative when a = 0.
/// All of it comes from one sweep of each tape on series of first order along (t + s, q + v s).
#pragma once

#include <span>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang::model {

[[nodiscard]] State initial_state(const Model& model);

/// Tape registers for one block of lanes; sized once, then no evaluation allocates.
struct Scratch {
  std::vector<double> registers;
  std::vector<double> errors;  ///< of the registers of one group
};
[[nodiscard]] Scratch make_scratch(const Model& model);

/// Filled by evaluate_dynamics.
struct Dynamics {
  linear::Mass mass;                ///< at the state, factored
  bool mass_positive = true;        ///< false: not positive definite, see mass.weakest()
  std::vector<double> force;        ///< X
  std::vector<double> force_scale;  ///< sum of the absolute values of the terms of X
  std::vector<double> force_error;  ///< what rounding and the uncertainty of the state make of X, as a bound
};
[[nodiscard]] Dynamics make_dynamics(const Model& model);
void evaluate_dynamics(const Model& model, const State& state, Scratch& scratch, Dynamics& dynamics);
/// Of these `mass` and `mass_positive` alone.
void evaluate_mass(const Model& model, const State& state, Scratch& scratch, Dynamics& dynamics);

/// Filled by evaluate_rows; one entry per row of the model. For nonholonomic rows `value` is 0 and f itself is `rate`.
struct Rows {
  std::vector<double> value;            ///< f
  std::vector<double> rate;             ///< f' = g.v + df/dt
  std::vector<double> explicit_rate;    ///< df/dt (holonomic), p0 = f - p.v (nonholonomic)
  std::vector<double> curvature;        ///< F (K): second derivative for a = 0
  std::vector<double> curvature_scale;  ///< sum of the absolute values of the terms of F
  std::vector<double> entry;            ///< gradients in the model's CSR pattern

  // Sizes by which f and f' are told from zero: sums of the absolute values of the terms they were evaluated from (to first
  // order: what inputs and operations that are off by a small part make of them, as a multiple of that part).
  std::vector<double> value_scale;
  std::vector<double> rate_scale;
  // What rounding and the uncertainty of the state make of f, f' and F, as bounds.
  std::vector<double> value_error;
  std::vector<double> rate_error;
  std::vector<double> curvature_error;
};
[[nodiscard]] Rows make_rows(const Model& model);
void evaluate_rows(const Model& model, const State& state, Scratch& scratch, Rows& rows);

/// Is some condition under the variational law?
[[nodiscard]] bool is_variational(const Model& model);
[[nodiscard]] bool is_variational(const Model& model, std::uint32_t row);
/// rho of a row at the state; 0 unless it is under the variational law.
[[nodiscard]] double rho_of(const Model& model, const State& state, std::uint32_t row);

/// dp/dt - df/dq of a nonholonomic row (p = df/dv), added with a factor to a vector over the variables: what Hamilton's
/// principle adds to the straightest law.
void add_bend(const Model& model, std::uint32_t row, const State& state, double factor, std::vector<double>& out);

struct Energy {
  double kinetic = 0;    ///< T
  double potential = 0;  ///< V, gravity included
};
[[nodiscard]] Energy energy(const Model& model, const State& state, Scratch& scratch);
/// dT/dv.v - T = T_2 - T_0, the kinetic part of the energy integral.
[[nodiscard]] double vis_viva(const Model& model, const State& state, Scratch& scratch);
/// V - T of those terms alone in which t occurs; 0 where there is none.
[[nodiscard]] double energy_with_time(const Model& model, const State& state, Scratch& scratch);

[[nodiscard]] double observe(const Observable& observable, const State& state);

/// The sides on which the switching functions of the model are at the state, from their values alone, and the modes that belong
/// to them (docs/mathematics, section 21).
[[nodiscard]] std::vector<expressions::Side> sides_of(const Model& model, const State& state);
[[nodiscard]] std::vector<double> modes_of(const Model& model, std::span<const expressions::Side> sides);
/// The state with modes, if it has none.
[[nodiscard]] inline const State& with_modes(const Model& model, const State& state, State& copy) {
  if (model.switches == 0 || !state.modes.empty()) return state;
  copy = state;
  copy.modes = modes_of(model, sides_of(model, state));
  return copy;
}
/// The same for one lane of a group: sides of its corners and its modes, [corner] and [mode slot].
void find_sides(const Slotted& group, std::size_t lane, const State& state, std::span<expressions::Side> sides,
                std::span<double> modes);
/// The switching functions of one lane at a state with the modes given: g of every corner, then the other arguments.
void evaluate_switching(const Slotted& group, std::size_t lane, const State& state, std::span<const double> modes,
                        std::vector<double>& out);

/// Everything with corners that a motion follows: rows, terms, truths.
template <class Visit>
void for_cornered(const Model& model, const Visit& visit) {
  for (const RowGroup& group : model.groups) {
    if (!group.corners.empty()) visit(static_cast<const Slotted&>(group));
  }
  for (const TermGroup& group : model.terms) {
    if (!group.corners.empty()) visit(static_cast<const Slotted&>(group));
  }
  for (const Observable& truth : model.truths) {
    if (!truth.term.corners.empty()) visit(static_cast<const Slotted&>(truth.term));
  }
}

/// A motion as power series: q_i(s) = sum_k coefficient[k * n + i] s^k, k < orders, at time + s.
struct MotionSeries {
  double time = 0;
  std::size_t n = 0;
  unsigned orders = 0;
  std::vector<double> coefficient;
  std::vector<double> modes = {};  ///< of the model's corners; empty: those of the initial state
};

/// Series of one row along a motion: f(s) to order `orders - 1`, and its gradient (same derivative slots as its CSR row).
/// Velocities are the derivative of the motion; coefficients the motion does not have count as zero.
struct RowSeries {
  std::vector<double> value;     ///< [order]
  std::vector<double> gradient;  ///< [entry in the row * orders + order]
};
void series_row(const Model& model, std::uint32_t row, const MotionSeries& motion, unsigned orders, RowSeries& out);
/// Coefficients 0..orders-1 of dp/dt - df/dq of a nonholonomic row along the motion, added to out[order * n + i] as the
/// product with the series `factor` (coefficients 0..orders-1). Coefficient k needs the motion to order k + 1.
void series_bend(const Model& model, std::uint32_t row, const MotionSeries& motion, unsigned orders,
                 std::span<const double> factor, std::vector<double>& out);

/// Coefficients 0..orders-1 of X(t, q, v) - M q'' (all of Lagrange's equation but the reactions) along the motion;
/// out[order * n + i]. Coefficient k needs the motion to order k + 2; what it does not have counts as zero. `size` receives
/// the sums of the absolute values of the terms.
void series_residual(const Model& model, const MotionSeries& motion, unsigned orders, std::vector<double>& out,
                     std::vector<double>* size = nullptr);

}  // namespace zwang::model
