/// Who changes the energy: forces without potential, conditions that move, explicit time.
///
///   E = T_2 - T_0 + V,      E' = Q.v + sum over rows of (reaction . v) + V_t - T_t
///
/// The reaction of a row is -lambda g, under the variational law -rho' p - rho (dp/dt - df/dq). A condition at rest in which t does not
/// occur does none; -lambda g.v = lambda f_t for one that moves. Shocks are another matter (section 7.2).
/// Reference: Voss 1884 (vis viva); docs/mathematics, section 10.6.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

struct RowPower {
  std::uint32_t row = 0;
  bool moves = false;  ///< it may do work at some time: t occurs in it, or a part without velocities
  double power = 0;    ///< at the state
};

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
[[nodiscard]] EnergyRate energy_rate(const model::Model& model, const model::State& state);

}  // namespace zwang::analysis
