/// One moment of a motion: what every condition does at it, the true accelerations, the velocities after a shock, a start that was mended.
///
/// Vectors over the variables and over the rows are in the order of the model, which knows their names. The data are ordered by stage; each
/// field says who computes it. Reference: docs/mathematics, sections 4 to 7.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/system.hpp"

namespace zwang::instant {

/// What a row does at this moment.
enum class Role : std::uint8_t {
  equation,
  binding,              ///< inequality with lambda > 0, or one that a higher derivative shows to stay closed
  marginal,             ///< lambda = 0 and f'' = 0, undecided to the last order looked at
  leaving,              ///< f'' < 0, or the first derivative that is not zero is < 0
  passive_in_velocity,  ///< f = 0 and f' < 0 (nonholonomic: f < 0)
  passive_in_position,  ///< f < 0
  approached,           ///< f = 0 and f' > 0, or an equation or velocity condition broken in velocity: needs a shock
  violated,             ///< f > 0, or an equation with f != 0
  absent                ///< a seizure that is not yet due
};
[[nodiscard]] std::string_view words(Role role);

/// What is known of the accelerations.
enum class Status : std::uint8_t {
  determined,    ///< the accelerations are unique
  ambiguous,     ///< several accelerations have the least constraint
  impact,        ///< a shock comes first
  inadmissible,  ///< a condition is broken
  jammed,        ///< no acceleration satisfies the conditions
  undecided,     ///< singular beyond what is looked at; `expansion` has it in words
};
[[nodiscard]] std::string_view words(Status status);

/// One of several accelerations of least constraint at a singular position.
struct Minimiser {
  std::vector<double> accelerations;
  double constraint = 0;
};

/// How a degenerate row (lambda = 0, f'' = 0) was decided.
struct Decision {
  std::uint32_t row = 0;
  unsigned derivative = 0;  ///< the derivative of f that decided
  bool stays = false;
};

/// The accelerations at a state and what they were made of. Vectors over the variables have one number per variable, vectors over the rows one
/// per row of the model.
struct Instant {
  Status status = Status::undecided;
  double time = 0;
  std::vector<double> position;  ///< where the bodies are, if some of them turn in space; empty: none does

  // classify
  std::vector<Role> role;     ///< per row of the model; classify, then refined by accelerate
  std::vector<double> value;  ///< f
  std::vector<double> rate;   ///< f'
  std::vector<std::pair<std::uint32_t, double>> violations;  ///< rows with f > 0 or equation != 0, and the amount
  bool no_gradient = false;  ///< a condition has none at this state (a root at zero), which `expansion` names
  bool blow_due = false;
  bool seizure_due = false;

  // accelerate
  bool regular = true;                ///< gradients of equations and effective inequalities independent
  std::vector<double> free;           ///< a0 = M^-1 X
  std::vector<double> accelerations;  ///< a
  std::vector<double> multipliers;    ///< per row; 0 where a row has none
  bool multipliers_unique = true;
  std::vector<std::pair<std::uint32_t, double>> rho;  ///< of variational rows; their multiplier is rho'
  std::vector<double> second;                         ///< f'' per row (nonholonomic: f')
  std::vector<double> free_second;                    ///< f'' of the free motion, per row
  std::vector<double> reaction;                       ///< M a - X, per variable
  double constraint = 0;                              ///< Z = (a - a0)^T M (a - a0)
  gauss::Certificate certificate;
  std::vector<std::pair<std::uint32_t, double>> farkas;  ///< when jammed: rows and their y
  unsigned jam_derivative = 2;                           ///< the derivative of the conditions that cannot be satisfied
  std::vector<Decision> decisions;

  // singular positions
  bool singular = false;             ///< some combination of conditions has a vanishing gradient and decides
  std::vector<Minimiser> solutions;  ///< all of least constraint, when ambiguous
  bool continuum = false;            ///< the minimisers are not isolated; `solutions` are a few members
  std::string expansion;             ///< in words, when undecided

  // for the story told by `explain`, when asked for
  std::vector<std::uint32_t> effective;  ///< rows of the nearest-point problem, in its order
  std::vector<gauss::Trial> trials;      ///< row numbers are places in `effective`

  [[nodiscard]] bool is_effective(std::uint32_t row) const {
    return role[row] == Role::equation || role[row] == Role::binding || role[row] == Role::marginal ||
           role[row] == Role::leaving;
  }
};

/// How a shock came out.
enum class ShockStatus : std::uint8_t {
  regulated,     ///< velocities after the shock are determined
  not_needed,    ///< nothing strikes: velocities as before
  ambiguous,     ///< several velocities change the motion by as little; the first of them is shown
  inadmissible,  ///< some f > 0 or equation f != 0: no shock repairs it
  jammed,        ///< no velocity satisfies the conditions (contradictory moving conditions)
  refused,       ///< a shock is due while a condition stands under the variational law, which defines none
  gave_up
};
[[nodiscard]] std::string_view words(ShockStatus status);

/// The kinetic energy across a shock.
struct ShockEnergy {
  double before = 0;  ///< kinetic
  double blow = 0;    ///< T(alpha) - T(before)
  double work = 0;    ///< sum l df/dt of moving conditions
  double lost = 0;
  double after = 0;  ///< before + blow + work - lost
};

/// The velocities after the blows, seizures and collisions of an instant, and the impulses that made them.
struct Shock {
  ShockStatus status = ShockStatus::gave_up;
  double time = 0;
  std::vector<double> position;    ///< where the bodies are, if some of them turn in space; empty: none does
  std::vector<double> before;      ///< v before
  std::vector<double> alpha;       ///< v with the external impulses alone
  std::vector<double> velocities;  ///< v after
  std::vector<double> impulses;    ///< l per row
  bool impulses_unique = true;
  std::vector<Role> role;           ///< equation, binding, marginal, leaving, passive_in_position, violated, absent
  std::vector<double> rate_before;  ///< f' of alpha, per row
  std::vector<double> rate_after;   ///< f' after, per row
  std::vector<std::pair<std::uint32_t, double>> violations;
  std::vector<std::pair<std::uint32_t, double>> farkas;
  ShockEnergy energy;
  gauss::Certificate certificate;
  std::string
      restitution_note;  ///< what was done with different or contradictory restitutions, or why there is no answer or several; else empty
  std::vector<std::vector<double>> solutions;  ///< v after, of each way that is open, when ambiguous
  std::vector<std::uint32_t> effective;
  std::vector<gauss::Trial> trials;
};

/// A state brought onto the conditions: position first, then velocity, in the metric of the masses.
struct Repair {
  bool succeeded = false;  ///< all conditions hold to rounding
  model::State state;
  double position_change = 0;  ///< largest change of a coordinate
  double velocity_change = 0;  ///< largest change of a velocity
  unsigned rounds = 0;
  std::uint32_t worst_row = 0;  ///< when not succeeded: the row that stays broken
};

}  // namespace zwang::instant
