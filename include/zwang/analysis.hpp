/// What the analyses find out about a system; `analyze.hpp` has the questions.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/instant.hpp"
#include "zwang/matrix.hpp"
#include "zwang/system.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::analysis {

// --- Integrability: how many combinations of the conditions integrate, and to what (docs/mathematics, section 17)

/// One rank and the singular values that decided it.
struct Gap {
  std::size_t rank = 0;
  std::size_t most = 0;  ///< the rank it could have had
  double kept = 0;       ///< the smallest singular value that counts; 0 if none does
  double dropped = 0;    ///< the largest that does not; 0 if all do
  bool clear = true;
  bool wide = false;  ///< decided with numbers of twice the digits
};

/// A function of the coordinates that is constant along every motion the conditions allow.
struct Integral {
  std::string text;
  double value = 0;              ///< at the state
  double residual = 0;           ///< largest |X phi| / (|X| |d phi|) at the points of the verification
  std::vector<double> gradient;  ///< at the state, by column; not finite entries if it does not exist there
  bool written = false;          ///< it is a holonomic equation of the model
};

/// How thoroughly to look.
struct IntegrabilityOptions {
  unsigned points = 5;             ///< random points that are looked at
  bool explicit_integrals = true;  ///< search for them
  bool at_state = true;            ///< ask what is special about the state
};

/// An integral without an expression: the value of `column` where the leaf through a point meets the plane on which the
/// columns `where` have the values of the state.
struct ImplicitIntegral {
  std::string column;
  double value = 0;  ///< at the state
};

/// What is known of the leaf through the state.
struct LeafVerdict {
  bool decided = true;
  std::size_t integrable = 0;          ///< on phi = phi(state), holonomic equations and phi among them
  std::vector<std::string> integrals;  ///< further ones, where found
  bool dependent = false;  ///< the conditions are dependent at the state itself: no leaf passes through it regularly
  std::size_t rank_at_state = 0;    ///< of the conditions, at the state
  bool special = false;             ///< the state differs from the points near it
  std::size_t reachable = 0;        ///< dimension of what paths obeying the conditions reach from the state
  std::vector<std::size_t> growth;  ///< at the state, bracket by bracket; may repeat a value
};

/// How many combinations of the conditions integrate, and to what. With r forms in n columns (the time among them where it occurs) the
/// derived flag r = r_0 > r_1 > ... > r_k = r_{k+1} = h ends with the number h of integrable combinations.
struct Integrability {
  static constexpr std::size_t most_columns = 60;
  std::vector<std::string> columns;
  std::size_t conditions = 0;  ///< scalar equations
  std::size_t holonomic = 0;   ///< those of them that are written as such
  std::size_t integrable = 0;  ///< h
  bool complete = false;       ///< h is the number of independent conditions
  bool decided = true;
  std::string doubt;  ///< why it is not decided, or what to beware of; a sentence or empty

  std::vector<std::size_t> derived;
  std::vector<std::size_t> growth;
  std::vector<Gap> derived_gaps;  ///< one per entry of `derived`; the worst of all points
  std::vector<Gap> growth_gaps;   ///< one per entry of `growth`, and one for the step that adds nothing
  std::size_t points = 0;         ///< looked at
  std::size_t agreeing = 0;       ///< of them, with these ranks

  std::vector<Integral> integrals;          ///< explicit ones, those of holonomic equations first
  std::vector<ImplicitIntegral> implicit;   ///< h - integrals.size() of them
  std::vector<std::string> implicit_where;  ///< the columns that span the plane of the implicit ones, "x = 2"
  LeafVerdict leaf;
  bool laws_agree = false;
};

// --- Stability: is the state an equilibrium, and does the system stay near it (section 18)

/// A quadratic form, by the signs of its values.
enum class Form : std::uint8_t {
  negative_definite,
  positive_definite,
  indefinite,
  negative_semidefinite,
  positive_semidefinite,
  zero
};
[[nodiscard]] std::string_view words(Form form);

/// One value s (or exponent mu), as often as it occurs.
struct MultipleRoot {
  std::complex<double> value;
  unsigned multiplicity = 1;
  unsigned independent = 1;  ///< modes that belong to it; fewer than its multiplicity: not semisimple
};

/// A small oscillation: displacement d = shape cos(2 pi t / period), the largest entry of its shape is 1.
struct Mode {
  double value = 0;  ///< s < 0
  double period = 0;
  std::vector<double> shape;
};

/// Is the state an equilibrium, and are small motions about it bounded?
struct Stability {
  static constexpr std::uint32_t most_variables = 300;
  bool decided = true;     ///< is it known whether this is an equilibrium?
  bool admissible = true;  ///< the position satisfies the conditions, the mass matrix is positive
  bool equilibrium = false;
  std::string why;                    ///< why not, or what leaves the verdict open
  std::vector<double> accelerations;  ///< from rest

  std::vector<std::pair<std::uint32_t, double>> multipliers;  ///< of the rows held
  std::vector<std::uint32_t> degenerate;                      ///< inequalities that touch without pressing
  unsigned freedom = 0;                                       ///< independent small displacements
  unsigned zero_modes = 0;  ///< directions of the family of equilibria, not among the roots

  bool exponents = false;                   ///< forces odd in the velocities: `roots` are mu, else s = mu^2
  std::vector<std::complex<double>> roots;  ///< ascending by real part, then imaginary part
  std::vector<MultipleRoot> grouped;
  bool semisimple = true;
  std::optional<bool> stable;  ///< left open where no theorem decides; `why` says which one does, or what is missing
  /// The verdict is that of the linear problem alone: exponents on the imaginary axis that no theorem reaches beyond.
  bool first_order = false;
  bool linearised = true;            ///< false: functions with corners turn here, and there is no linear problem
  std::vector<std::string> corners;  ///< these functions
  bool drifts = false;               ///< a uniform motion away is known
  double scale = 0;                  ///< what roots s are told from zero by
  bool stuck = false;                ///< dry friction holds every direction with some reserve
  bool attracting = false;           ///< all exponents have negative real parts, or every small motion loses energy
  double growth_rate = 0;            ///< the largest real part of an exponent, if positive

  Form form = Form::zero;
  std::vector<double> form_values;  ///< of the form in the metric of M, ascending
  bool symmetric = true;            ///< alpha on the admissible displacements
  std::optional<bool> form_agrees;
  std::vector<Mode> modes;  ///< of the real negative roots that are simple
};

/// A place of equilibrium near the state by Newton's rule, on the holonomic equations and on the inequalities that press. `found` is false if the
/// search does not settle.
struct Search {
  bool found = false;
  model::State state;
  unsigned rounds = 0;
};

// --- Measure: does the motion preserve a measure mu(q) dq dv (section 19)

/// Does the motion preserve a measure mu(q) dq dv, and with what density?
struct Measure {
  static constexpr std::size_t most_columns = 40;
  bool decided = true;
  bool exists = false;
  bool unit = false;            ///< density 1
  bool jacobi = false;          ///< Jacobi's determinant is one
  std::string density;          ///< in the model's names, or empty if none was found although one exists
  double residual = 0;          ///< of the density found: largest |d log mu - theta| on admissible directions, scaled
  double divergence = 0;        ///< of the flow, at the state
  std::string why;              ///< what speaks against it, or what is not decided
  std::vector<double> witness;  ///< a position (and time) where it fails
  double defect = 0;            ///< the singular value that shows it there
  std::size_t points = 0;       ///< looked at
  bool resisted = false;        ///< by forces that depend on the velocities
  bool holonomic = false;       ///< all equations are between positions, or there is none: then no search is needed
};

// --- Velocities: linear forms in which the kinetic energy falls into two parts (section 14)

/// The parts of T at the velocity: total = conjugate + dependent + linear + constant.
struct KineticParts {
  double total = 0;
  double conjugate = 0;  ///< T_I = 1/2 u_I^T beta_I^-1 u_I
  double dependent = 0;  ///< T_II = 1/2 u_II^T beta_II^-1 u_II
  double forbidden = 0;  ///< the same of P v + p0: the quadratic energy of the part that `projected` is freed of
  double linear = 0;     ///< the part of T linear in the velocities
  double constant = 0;   ///< the part without velocities
};

/// Velocity parameters u_II = P v, of which the conditions speak, and u_I = Q v, conjugate to them: Q A^-1 P^T = 0, A the matrix of T.
struct Velocities {
  bool mass_positive = true;           ///< false: T is not positive definite here, and nothing below the rows is given
  std::uint32_t weakest = 0;           ///< then: a variable involved
  bool moving = false;                 ///< some p0 is not zero
  std::vector<std::uint32_t> rows;     ///< equations in force
  linear::Matrix written;              ///< their rows as the conditions were written
  std::vector<double> written_offset;  ///< and their p0
  std::size_t rank = 0;                ///< independent ones among them
  std::vector<std::uint32_t> redundant;  ///< rows of the model that follow from the others
  std::vector<std::uint32_t>
      contradictory;  ///< those of them with a p0 that does not follow: no velocity is admissible

  linear::Matrix dependent;    ///< P, rank x n, reduced echelon form
  std::vector<double> offset;  ///< p0 in the same form
  linear::Matrix conjugate;    ///< Q, (n - rank) x n, reduced echelon form
  linear::Matrix beta_dependent;
  linear::Matrix beta_conjugate;

  // at the velocity of the state
  std::vector<double> dependent_value;    ///< u_II
  std::vector<double> conjugate_value;    ///< u_I
  std::vector<double> momenta;            ///< xi
  std::vector<double> dependent_momenta;  ///< eta_II
  std::vector<double> conjugate_momenta;  ///< eta_I
  KineticParts kinetic;
  std::vector<double> projected;  ///< the nearest admissible velocity in the metric of T; empty when there is none
};

// --- Fourier: the accelerations that the principle of d'Alembert and Fourier alone would allow (section 20)

/// A vertex: multipliers of all effective rows and the accelerations they give. A ray: the same as directions.
struct Corner {
  std::vector<std::pair<std::uint32_t, double>> multipliers;
  std::vector<double> accelerations;
};

/// The set of accelerations that the principle of d'Alembert and Fourier alone would allow, by its corners.
struct Fourier {
  instant::Instant instant;  ///< Gauss's answer; the set is given only if its status is `determined`
  bool listed = true;        ///< false: too many effective rows to try all sets
  std::vector<Corner> vertices;
  std::vector<Corner> rays;  ///< that move the accelerations
  bool unbounded = false;    ///< of the accelerations
  bool unique = false;       ///< one acceleration only
  static constexpr std::size_t most_inequalities = 12;
  static constexpr std::size_t most_rows = 200;
};

// --- Curvature: the path of each point (section 20)

/// The path of one point, of the centre of a rigid body or of a mark of it, at the state.
struct PathOfPoint {
  std::uint32_t body = 0;
  std::uint32_t member = 0;
  std::optional<std::uint32_t> mark = {};  ///< of a rigid body: the number of the mark; none: the centre
  double speed = 0;
  double curvature = 0;           ///< 1 / radius; 0 on a straight stretch
  std::optional<double> radius;   ///< none on a straight stretch or at rest
  std::optional<double> torsion;  ///< none where the radius is none
};

/// The paths of all points.
struct Curvature {
  motion::Status status = motion::Status::going;  ///< of the instant: `going` if the motion goes on from here
  std::string why;
  std::vector<PathOfPoint> paths;
  std::vector<std::pair<std::uint32_t, double>> multipliers;
};

// --- Energy: who changes it (section 10.6)

/// What one condition does to the energy.
struct RowPower {
  std::uint32_t row = 0;
  bool moves = false;  ///< it may do work at some time: t occurs in it, or a part without velocities
  double power = 0;    ///< at the state
};

/// Who changes the energy E = T_2 - T_0 + V at the state.
struct EnergyRate {
  instant::Instant instant;         ///< powers are given only if its status is `determined`
  double energy = 0;                ///< E at the state
  double rate = 0;                  ///< E'
  double size = 0;                  ///< of the terms of E'
  std::vector<RowPower> rows;       ///< of all effective rows
  std::vector<double> force_power;  ///< Q_i v_i per variable, of forces without potential
  bool forces = false;              ///< there are such forces
  double explicit_power = 0;        ///< V_t - T_t
  bool explicit_time = false;       ///< t occurs in the energies
  /// Nothing can change E between shocks: no such force, no condition that moves, no explicit time.
  [[nodiscard]] bool conserved() const;
};

// --- The two laws: do they give the same motions, and how far do these part (section 15)

/// One nonholonomic equation.
struct RowVerdict {
  std::uint32_t row = 0;
  double defect = 0;         ///< the largest over the start and the points reached from it
  double nearby_defect = 0;  ///< the largest over points near the start
};

/// Do the straightest and the variational law give the same motions?
struct Equivalence {
  static constexpr double threshold = 1e-9;  ///< a defect below is rounding
  static constexpr std::uint32_t most_variables = 200;
  bool decided = true;  ///< false: the system is too large for the test
  bool agree = true;    ///< the laws give the same motions from this start, whatever the velocity, the forces and rho
  bool agree_nearby = true;  ///< and from all starts near it
  double defect = 0;         ///< the largest of all rows
  double nearby_defect = 0;
  std::uint32_t points = 0;  ///< points reached, the start among them
  std::uint32_t nearby_points = 0;
  std::vector<RowVerdict> rows;  ///< of all nonholonomic equations in force; empty: there is but one law
};

/// How far two motions are apart at a time, in the metric of T.
struct Apart {
  double time = 0;
  double distance = 0;
};

// --- Reversal: does the motion run back when every velocity is turned round (section 10)

/// Forth, every velocity turned round, and back: how near the start.
struct Reversal {
  bool reversible = false;  ///< distance <= the square root of the tolerance
  bool expected = true;     ///< nothing in model or motion speaks against it
  double distance = 0;
  double duration = 0;                               ///< of the way forth
  std::vector<std::string> reasons;                  ///< why it is not expected: one sentence each
  motion::Status status = motion::Status::finished;  ///< of the run that did not get through
  std::string why;                                   ///< and its own words
};

}  // namespace zwang::analysis
