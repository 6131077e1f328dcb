/// What can be found out about a system: its analyses, each at a state (`model.initial()` for the start).
///
/// A question that a model does not have (a first-order system, no equations where they are asked about) is an Error; what is not decided says
/// so in its answer.
#pragma once

#include <span>
#include <vector>

#include "zwang/analysis.hpp"
#include "zwang/model.hpp"
#include "zwang/motion.hpp"

namespace zwang::analysis {

/// How many combinations of the conditions integrate, and to what: Voss's question about Pfaffian conditions. The velocity does not matter.
[[nodiscard]] Integrability integrability(const Model& model, const State& state,
                                          const IntegrabilityOptions& options = {});
/// The model with conditions that are holonomic in disguise written as what they are, phi = phi(state).
[[nodiscard]] Model with_integrals(const Model& model, const State& state);

/// Equilibrium, small oscillations, stable or not, and whether the quadratic form would have told.
[[nodiscard]] Stability stability(const Model& model, const State& state);
/// A place of equilibrium near the state.
[[nodiscard]] Search find_equilibrium(const Model& model, const State& guess);

/// Does the motion preserve a measure mu(q) dq dv? Jacobi's multiplier.
[[nodiscard]] Measure measure(const Model& model, const State& state);

/// Conjugate velocity parameters, and the kinetic energy split in them.
[[nodiscard]] Velocities velocities(const Model& model, const State& state);

/// What the principle of d'Alembert and Fourier alone would allow.
[[nodiscard]] Fourier fourier(const Model& model, const State& state);
/// Does it allow these accelerations (one number per variable)?
[[nodiscard]] bool is_member(const Model& model, const State& state, std::span<const double> accelerations);

/// Radius of curvature and torsion of the path of every point.
[[nodiscard]] Curvature curvature(const Model& model, const State& state);

/// Who changes the energy: forces without potential, conditions that move, explicit time.
[[nodiscard]] EnergyRate energy_rate(const Model& model, const State& state);

/// Do the straightest and the variational law give the same motions? Maurer's test.
[[nodiscard]] Equivalence equivalence(const Model& model, const State& state);

/// Forth, every velocity turned round, and back: how near the start? Of the options `until`, `tolerance` and `from` count.
[[nodiscard]] Reversal reversal(const Model& model, const RunOptions& options = {});

}  // namespace zwang::analysis

namespace zwang {

/// One model under two laws, side by side.
struct Comparison {
  analysis::Equivalence equivalence;
  Motion straightest;
  Motion variational;
  std::vector<analysis::Apart> distance;  ///< at the samples, as far as both motions came; ascending in time
};

/// The motion under the straightest and under the variational law.
[[nodiscard]] Comparison compare(const Model& model, const RunOptions& options = {});

}  // namespace zwang
