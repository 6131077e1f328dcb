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

enum class ShockStatus : std::uint8_t {
  regulated,     ///< velocities after the shock are determined
  not_needed,    ///< nothing strikes: velocities as before
  inadmissible,  ///< some f > 0 or equation f != 0: no shock repairs it
  jammed,        ///< no velocity satisfies the conditions (contradictory moving conditions)
  refused,       ///< a shock is due while a condition stands under the variational law, which defines none
  gave_up
};
[[nodiscard]] std::string_view words(ShockStatus status);

struct ShockEnergy {
  double before = 0;  ///< kinetic
  double blow = 0;    ///< T(alpha) - T(before)
  double work = 0;    ///< sum l df/dt of moving conditions
  double lost = 0;
  double after = 0;  ///< before + blow + work - lost
};

struct Shock {
  ShockStatus status = ShockStatus::gave_up;
  double time = 0;
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
  std::string restitution_note;  ///< what was done with different or contradictory restitutions, else empty
  std::vector<std::uint32_t> effective;
  std::vector<gauss::Trial> trials;
};

void impact(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
            Shock& shock);
[[nodiscard]] Shock impact(const model::Model& model, const model::State& state, const Options& options = {});

}  // namespace zwang::instant
