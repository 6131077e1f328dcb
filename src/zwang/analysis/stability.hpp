/// Is the state an equilibrium, and does the system stay near it?
///
///   X = P^T lambda                                     equilibrium
///   det [[alpha - s M, P^T], [P, 0]] = 0               small oscillations e^(mu t) with s = mu^2
///   d^T alpha d on P d = 0                             the quadratic form of the force function U = -V
///
/// alpha (section 18.2, `linearise`) is not symmetric when the conditions do not integrate. Small motions of the linear problem are bounded iff
/// all s are real, negative and semisimple; the form alone tells the truth only where alpha is symmetric on the admissible velocities. Where
/// forces are odd in the velocities the exponents mu themselves are asked for. What follows for the motion itself:
///
///   some Re mu > 0                                     unstable (Lyapunov)
///   all Re mu < 0                                      stable, attracting (Lyapunov; with a family of equilibria Malkin)
///   V has a strict minimum, nothing gives energy       stable (Lagrange, Dirichlet); definite form, or along a zero root its valley
///   V falls along a zero root, or is flat              unstable: it slides down, or drifts
///   dry friction with reserve                          stable: a small push is stopped
///   anything else                                      the linear verdict as such (`first_order`), or none Of r nonholonomic equations r more modes belong to s = 0, along the family of
/// equilibria; they are counted and left out. Inequalities with positive multipliers are equations here; those with
/// multiplier zero are named, and the verdict is given only if it is the same with and without them.
///
/// Reference: Voss 1884, section 8; docs/mathematics, section 18.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

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
  bool attracting = false;           ///< all exponents have negative real parts
  double growth_rate = 0;            ///< the largest real part of an exponent, if positive

  Form form = Form::zero;
  std::vector<double> form_values;  ///< of the form in the metric of M, ascending
  bool symmetric = true;            ///< alpha on the admissible displacements
  std::optional<bool> form_agrees;
  std::vector<Mode> modes;  ///< of the real negative roots that are simple
};

/// At the position of the state. Throws Error for conditions under the variational law, whose rho would run away.
[[nodiscard]] Stability stability(const model::Model& model, const model::State& state);

/// A place of equilibrium near the state by Newton's rule, on the holonomic equations and on the inequalities that press. `found` is false if the
/// search does not settle.
struct Search {
  bool found = false;
  model::State state;
  unsigned rounds = 0;
};
[[nodiscard]] Search find_equilibrium(const model::Model& model, const model::State& guess);

/// The real part of the exponent mu, mu^2 = s, that is not negative.
[[nodiscard]] double growth_of(std::complex<double> s);

}  // namespace zwang::analysis
