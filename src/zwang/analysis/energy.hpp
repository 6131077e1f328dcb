/// Who changes the energy: forces without potential, conditions that move, explicit time.
///
///   E = T_2 - T_0 + V,      E' = Q.v + sum over rows of (reaction . v) + V_t - T_t
///
/// The reaction of a row is -lambda g, under the variational law -rho' p - rho (dp/dt - df/dq). A condition at rest in which t does not
/// occur does none; -lambda g.v = lambda f_t for one that moves. Shocks are another matter (section 7.2).
/// Reference: Voss 1884 (vis viva); docs/mathematics, section 10.6.
#pragma once

#include "zwang/analysis.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

[[nodiscard]] EnergyRate energy_rate(const model::Model& model, const model::State& state);

}  // namespace zwang::analysis
