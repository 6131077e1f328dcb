/// Shocks: the velocities after blows, sudden equations and collisions (docs/mathematics, section 7).
///
///   v = argmin (v - alpha)^T M (v - alpha)   under f_j' <= 0 for all touching conditions, f' = 0 for equations,
///   M (alpha - v) = sum l grad f,   l >= 0,   l f' = 0,       alpha = v_before + M^-1 (external impulses)
///
/// With restitution e common to the conditions with l > 0: v = P(alpha + (1 + e)(v_inelastic - alpha)), P the nearest
/// admissible velocity; with different e_j: f_j' <= -e_j F_j where F_j = f_j'(alpha) > 0 (Newton).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "zwang/instant/instant.hpp"

namespace zwang::instant {

void impact(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
            Shock& shock);
[[nodiscard]] Shock impact(const model::Model& model, const model::State& state, const Options& options = {});

}  // namespace zwang::instant
