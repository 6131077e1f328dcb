/// What is said at the end was checked there: every condition is evaluated in the final state, and the account of energy must close.
///
///   f <= part S + 4 e     (|f| for equations; f' and a velocity condition's f likewise)      S the size of its terms, e its uncertainty
///   |final - (initial + work - lost)| <= 1000 tolerance max(|T| + |V| + |work|, |T_2| + |T_1| + |T_0| + |V| of every term)
///
/// A motion that fails is not finished: it gave up, and says by how much. Reference: docs/mathematics, section 12.8.
#include <algorithm>
#include <cmath>

#include "zwang/base/groups.hpp"
#include "zwang/base/number.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/energy_terms.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

namespace {

constexpr double tolerances_of_energy = 1e3;  ///< that the account may be off by
constexpr double tolerances_of_rows = 1e3;    ///< of the terms of a condition
constexpr double sharpest_account =
    1e-14;                           ///< rounding of millions of steps adds up to this part per tolerance of zero
constexpr double uncertainties = 4;  ///< of a row's value that still count as zero
constexpr double roundings = 64;     ///< of the largest coordinate among the bodies that conditions connect

/// Per variable: the largest coordinate and velocity, now or at the start, among the variables that conditions connect with it, directly
/// or by others. What is held at zero has no other size: its rounding comes from what it is connected with.
struct Connected {
  std::vector<double> position, velocity;
};
Connected connected(const model::Model& model, const model::State& state) {
  Groups groups(model.variables);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    for (std::uint32_t e = model.row_start[row] + 1; e < model.row_start[row + 1]; ++e) {
      groups.join(model.row_column[e - 1], model.row_column[e]);
    }
  }
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t k = 0; k < body.members() * body.dimension; ++k) {
      if (k % body.dimension != 0) groups.join(body.first + k - 1, body.first + k);
    }
  }
  Connected out{std::vector<double>(model.variables, 0.0), std::vector<double>(model.variables, 0.0)};
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    double& place = out.position[groups.of(i)];
    double& speed = out.velocity[groups.of(i)];
    place = std::max({place, std::abs(state.position[i]), std::abs(model.initial_position[i])});
    speed = std::max({speed, std::abs(state.velocity[i]), std::abs(model.initial_velocity[i])});
  }
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    out.position[i] = out.position[groups.of(i)];
    out.velocity[i] = out.velocity[groups.of(i)];
  }
  return out;
}

/// The state, uncertain by its rounding alone: what a row is broken by is among what else makes it uncertain, and would excuse itself.
model::State with_rounding(const Motion& motion) {
  model::State state = motion.state;
  const Motion::Impl& impl = *motion.impl;
  const std::size_t n = impl.model.variables;
  if (impl.rounding_position.size() == n && impl.rounding_velocity.size() == n) {
    state.position_uncertainty = impl.rounding_position;
    state.velocity_uncertainty = impl.rounding_velocity;
  }
  return state;
}

/// What rests under forces that cancel moves by their rounding: u = eps T W |X| over all the time T, and has the energy M u^2 / 2.
double energy_of_rounding(const Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  instant::Evaluation& found = impl.workspace.evaluation();
  model::evaluate_dynamics(impl.model, with_rounding(motion), found.scratch, found.dynamics);
  std::vector<double> sizes = found.dynamics.force_scale;
  if (!found.dynamics.mass_positive || sizes.empty()) return 0;
  // Terms that cancel inside of one force, as a pull and the friction that withstands it, show in what its rounding may be.
  for (std::size_t i = 0; i < sizes.size() && i < found.dynamics.force_error.size(); ++i) {
    const double terms = found.dynamics.force_error[i] / unit_rounding;
    if (std::isfinite(terms)) sizes[i] = std::max(sizes[i], terms);
  }
  std::vector<double> accelerations(sizes.size());
  found.dynamics.mass.solve(sizes, accelerations);
  double energy = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) energy += sizes[i] * accelerations[i] / 2;
  const double time = unit_rounding * (motion.state.time - impl.model.simulation.start);
  return roundings * energy * time * time;
}

/// What the energies at the start and at the end are summed from: seen from a frame that turns, a body that rests has T = 0 of terms that cancel.
double terms_of_energy(const Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  model::Scratch& scratch = impl.workspace.evaluation().scratch;
  const model::State start = model::initial_state(impl.model);
  return std::max(model::energy_terms(impl.model, start, scratch),
                  model::energy_terms(impl.model, motion.state, scratch));
}

}  // namespace

void verify_end(Motion& motion) {
  if (motion.status != Status::finished && motion.status != Status::stopped) return;
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  instant::Evaluation& found = impl.workspace.evaluation();
  model::evaluate_rows(model, with_rounding(motion), found.scratch, found.rows);
  const model::Rows& rows = found.rows;
  const double part = tolerances_of_rows * std::max(impl.tolerance, sharpest_account);

  // Every condition that is in force.
  const Connected around = connected(model, motion.state);
  double worst = 1;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (impl.standing[row] == Standing::absent) continue;
    if (impl.switches.idle.contains(row)) continue;
    const bool equation = model::is_equation(model.row_kind[row]);
    const bool holonomic = model::is_holonomic(model.row_kind[row]);
    const double f = holonomic ? rows.value[row] : rows.rate[row];
    const double size = holonomic ? rows.value_scale[row] : rows.rate_scale[row];
    const double error = holonomic ? rows.value_error[row] : rows.rate_error[row];
    const double broken = equation ? std::abs(f) : f;
    double allowed = part * size + uncertainties * error;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const std::uint32_t i = model.row_column[e];
      allowed +=
          roundings * unit_rounding * std::abs(rows.entry[e]) * (holonomic ? around.position : around.velocity)[i];
    }
    if (std::isfinite(f) && !(broken > allowed * worst)) continue;
    worst = allowed > 0 ? broken / allowed : worst;
    motion.culprits = {row};
    end(motion, Status::gave_up,
        "at the end the condition " + model::row_name(model, row) + " is broken by " + readable(broken, 3) +
            ": the motion is not to be trusted; try a smaller tolerance");
  }
  if (motion.status == Status::gave_up || model.flow) return;

  // The account of energy.
  const double off = std::abs(motion.energy.defect());
  const double allowed = tolerances_of_energy * std::max(impl.tolerance, sharpest_account);
  if (!std::isfinite(off)) {
    end(motion, Status::gave_up, "the energy is beyond what numbers hold: choose larger units");
    return;
  }
  double most = allowed * motion.energy.largest;
  if (off <= most) return;
  most = std::max(most, allowed * terms_of_energy(motion));
  if (off <= most || off <= energy_of_rounding(motion)) return;
  end(motion, Status::gave_up,
      "the account of energy does not close: " + readable(off, 3) + " is missing where " + readable(most, 3) +
          " is allowed; try a smaller tolerance");
}

}  // namespace zwang::motion
