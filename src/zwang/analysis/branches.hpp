/// Which branches of functions with corners meet at a place of rest, and whether they agree there to first order.
///
///   force - x |x'|: both branches have X = 0, dX/dx' = 0 at rest        one linear problem
///   force - max(x, 0): dX/dx = -1 or 0                                 a kink: none
///   force - sign(x'): X = -1 or 1                                      a jump: dry friction
///
/// States a little beside the place, in positions and in velocities, tell the branches; their derivatives are taken at the place itself.
/// Reference: docs/mathematics, sections 18.5 and 21.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zwang/linear/spaces.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

struct Branches {
  bool position_jump = false;  ///< forces beside the place, at rest, do not tend to one value
  bool position_kink = false;  ///< their derivatives do not, or the rows held turn
  bool velocity_jump = false;  ///< the same of forces at small velocities: dry friction
  bool velocity_kink = false;
  std::vector<std::string> functions;   ///< that turn here, as written
  std::vector<model::State> positions;  ///< the place with the modes of each branch beside it
  [[nodiscard]] bool smooth() const { return !position_jump && !position_kink && !velocity_jump && !velocity_kink; }
};
/// `allowed`: a basis of the displacements that the rows held allow.
[[nodiscard]] Branches branches_at(const model::Model& model, const model::State& rest,
                                   std::span<const std::uint32_t> held, std::span<const double> lambda,
                                   const linear::Matrix& allowed);
/// The place with the modes that it has a little beside, in a direction of positions and one of velocities.
[[nodiscard]] model::State branch_beside(const model::Model& model, const model::State& rest,
                                         std::span<const double> displacement, std::span<const double> velocity);

/// The greatest power of the forces on a small allowed velocity of length one, divided by the largest force: below zero, dry friction holds every
/// direction. Friction makes the power a concave function of the velocity, so that ascending from a few starts finds its maximum.
[[nodiscard]] double greatest_power(const model::Model& model, const model::State& rest, const linear::Matrix& allowed);

/// What the forces near a place of rest are, as far as random states tell (functions that are analytic hold everywhere what they hold there).
struct Character {
  bool potential = true;    ///< at rest they derive from one
  bool velocities = false;  ///< some force depends on velocities
  bool dissipative = true;  ///< those that do never give energy
  bool integrable = true;   ///< the rows held are holonomic or integrate
  bool takes = false;       ///< they take energy from every motion that is slow enough,
  bool gives = false;       ///< or give some to every one
  bool even = true;         ///< they are the same when velocities are turned round
  /// Forces beyond the linear problem take or give energy: neither their power nor what they do round a loop is that of their linear part.
  bool works_beyond = false;
};
[[nodiscard]] Character character_of(const model::Model& model, const model::State& rest,
                                     std::span<const std::uint32_t> held, const linear::Matrix& allowed);

/// All forces of the model at a state: given ones, those of the potential, of T_0.
[[nodiscard]] std::vector<double> forces_at(const model::Model& model, const model::State& state);

/// The largest coordinate of a state, 1 at the origin.
[[nodiscard]] double extent_of(const model::State& state);

}  // namespace zwang::analysis
