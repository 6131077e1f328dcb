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
#include "zwang/model/bodies.hpp"
#include "zwang/model/energy_terms.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

namespace {

constexpr double tolerances_of_energy = 1e3;  ///< that the account may be off by
constexpr double tolerances_of_rows = 1e3;    ///< of the terms of a condition
constexpr double sharpest_account =
    1e-14;                           ///< rounding of millions of steps adds up to this part per tolerance of zero
constexpr double uncertainties = 4;  ///< of a row's value that still count as zero
constexpr int times_heard = 16;      ///< at which forces on what rests are looked at
constexpr double roundings = 64;     ///< of the largest coordinate among the bodies that conditions connect

/// Per variable: the largest coordinate and velocity, now or at the start, among the variables that conditions connect with it, directly
/// or by others. What is held at zero has no other size: its rounding comes from what it is connected with.
struct Connected {
  std::vector<double> position, velocity;
};
Groups groups_of(const model::Model& model) {
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
  return groups;
}
/// The largest of its group, for every variable.
void take_largest(Groups& groups, std::vector<double>& sizes) {
  std::vector<double> most(sizes.size(), 0.0);
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    double& of_group = most[groups.of(i)];
    of_group = std::max(of_group, sizes[i]);
  }
  for (std::uint32_t i = 0; i < sizes.size(); ++i) sizes[i] = most[groups.of(i)];
}
Connected connected(const model::Model& model, const model::State& state) {
  Groups groups = groups_of(model);
  Connected out{std::vector<double>(model.variables, 0.0), std::vector<double>(model.variables, 0.0)};
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    out.position[i] = std::max(std::abs(state.position[i]), std::abs(model.initial_position[i]));
    out.velocity[i] = std::max(std::abs(state.velocity[i]), std::abs(model.initial_velocity[i]));
  }
  take_largest(groups, out.position);
  take_largest(groups, out.velocity);
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

/// What rests under forces that cancel moves by their rounding: u = eps T W |X| over all the time T, and that far times T.
struct Trembling {
  std::vector<double> force;  ///< |X|, the terms it is summed from
  std::vector<double> speed;  ///< u
  double time = 0;            ///< T
};
Trembling trembling(const Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  instant::Evaluation& found = impl.workspace.evaluation();
  Trembling out;
  out.time = motion.state.time - impl.model.simulation.start;
  out.force.assign(impl.model.variables, 0.0);
  out.speed.assign(impl.model.variables, 0.0);
  const auto hear = [&](const model::State& state) {
    model::evaluate_dynamics(impl.model, state, found.scratch, found.dynamics);
    const auto take = [&](std::size_t i, double size) {
      if (i < out.force.size() && std::isfinite(size)) out.force[i] = std::max(out.force[i], size);
    };
    for (std::size_t i = 0; i < found.dynamics.force_scale.size(); ++i) take(i, found.dynamics.force_scale[i]);
    // Terms that cancel inside of one force, as a pull and the friction that withstands it, show in what its rounding may be.
    for (std::size_t i = 0; i < found.dynamics.force_error.size(); ++i)
      take(i, found.dynamics.force_error[i] / unit_rounding);
  };
  // A load may have come and gone: what rests has felt it here, at other times.
  model::State then = with_rounding(motion);
  for (int k = 0; k < times_heard; ++k) {
    then.time = impl.model.simulation.start + out.time * k / times_heard;
    if (impl.model.switches > 0) then.modes = model::modes_of(impl.model, model::sides_of(impl.model, then));
    hear(then);
  }
  hear(with_rounding(motion));
  if (!found.dynamics.mass_positive) return out;
  found.dynamics.mass.solve(out.force, out.speed);
  for (double& u : out.speed) u = unit_rounding * out.time * std::abs(u);
  return out;
}

/// The energy that such a trembling has, M u^2 / 2, and the work that the forces do on it: by X u T / N in N steps, each of which begins on the conditions.
double energy_of_rounding(const Motion& motion) {
  const Trembling rests = trembling(motion);
  double work = 0;
  for (std::size_t i = 0; i < rests.speed.size(); ++i) work += rests.force[i] * rests.speed[i];
  const double steps = std::max(1.0, static_cast<double>(motion.steps));
  return roundings * work * rests.time * (unit_rounding / 2 + 1 / steps);
}

/// What the energies at the start and at the end are summed from: seen from a frame that turns, a body that rests has T = 0 of terms that cancel.
double terms_of_energy(const Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  model::Scratch& scratch = impl.workspace.evaluation().scratch;
  const model::State start = model::initial_state(impl.model);
  return std::max(model::energy_terms(impl.model, start, scratch),
                  model::energy_terms(impl.model, motion.state, scratch));
}

/// A variable lighter than this part of the masses that rows held tie it to: its orders are differences of forces that have lost nine digits and more.
constexpr double hidden_part = 1e-9;
/// Of the speeds around it: a light variable that its rows leave by more has lost its motion.
constexpr double hidden_rate = 1e-6;

/// Per variable: is it so light beside what the rows held connect it with? And what these move with.
struct Hidden {
  std::vector<std::uint8_t> light;
  std::vector<double> speed;
};
Hidden find_hidden(const Motion& motion, std::span<const double> mass) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Groups groups(model.variables);
  for (const HeldRow& held : impl.held_rows) {
    for (std::uint32_t e = model.row_start[held.row] + 1; e < model.row_start[held.row + 1]; ++e)
      groups.join(model.row_column[e - 1], model.row_column[e]);
  }
  std::vector<double> heaviest(mass.begin(), mass.end());
  take_largest(groups, heaviest);
  Hidden out{std::vector<std::uint8_t>(model.variables, 0), std::vector<double>(model.variables, 0.0)};
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    out.light[i] = mass[i] < hidden_part * heaviest[i] ? 1 : 0;
    if (out.light[i] != 0) continue;
    const double gained = i < impl.step_velocity.size() ? std::abs(impl.step_velocity[i]) : 0.0;
    out.speed[i] = std::abs(motion.state.velocity[i]) + gained;
  }
  take_largest(groups, out.speed);
  return out;
}

}  // namespace

bool hides_light(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const linear::Mass& masses = impl.workspace.dynamics().mass;
  if (model.flow || motion.steps == 0 || impl.held_rows.empty() || !masses.is_diagonal()) return false;
  const std::span<const double> mass = masses.diagonal();
  const auto [least, most] = std::minmax_element(mass.begin(), mass.end());
  if (least == mass.end() || !(*least < hidden_part * *most)) return false;

  const Hidden hidden = find_hidden(motion, mass);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, motion.state, impl.workspace.evaluation().scratch, rows);
  for (const HeldRow& held : impl.held_rows) {
    bool light = false;
    double rate = rows.explicit_rate[held.row];
    double around = std::abs(rate);
    std::uint32_t culprit = 0;
    for (std::uint32_t e = model.row_start[held.row]; e < model.row_start[held.row + 1]; ++e) {
      const std::uint32_t i = model.row_column[e];
      rate += rows.entry[e] * motion.state.velocity[i];
      around += std::abs(rows.entry[e]) * hidden.speed[i];
      if (hidden.light[i] != 0) culprit = i;
      light = light || hidden.light[i] != 0;
    }
    if (!light || std::abs(rate) <= hidden_rate * around) continue;
    motion.culprits = {held.row};
    end(motion, Status::gave_up,
        model::variable_words(model, culprit) + " is so light beside what " + model::row_name(model, held.row) +
            " ties it to that rounding hides its motion; give it more mass, or none of its own");
    return true;
  }
  return false;
}

void verify_end(Motion& motion) {
  if (motion.status != Status::finished && motion.status != Status::stopped) return;
  Motion::Impl& impl = *motion.impl;
  if (hides_light(motion)) return;
  const model::Model& model = impl.model;
  instant::Evaluation& found = impl.workspace.evaluation();
  model::evaluate_rows(model, with_rounding(motion), found.scratch, found.rows);
  const model::Rows& rows = found.rows;
  const double part = tolerances_of_rows * std::max(impl.tolerance, sharpest_account);

  // Every condition that is in force.
  const Connected around = connected(model, motion.state);
  Trembling rests;
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
    // What is held at rest at the origin has no size but that of the forces on it.
    if (std::isfinite(f)) {
      if (rests.speed.empty()) {
        rests = trembling(motion);
        Groups groups = groups_of(model);
        take_largest(groups, rests.speed);
      }
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        const double u = rests.speed[model.row_column[e]];
        allowed += roundings * std::abs(rows.entry[e]) * (holonomic ? u * rests.time : u);
      }
      if (!(broken > allowed * worst)) continue;
    }
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
