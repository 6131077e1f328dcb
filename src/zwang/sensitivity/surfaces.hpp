/// Surfaces on which a motion stays because forces push it back from both sides: dry friction at rest.
///
/// On such a surface g = 0 the force is one between those of both sides, whatever keeps g at zero: D sigma, D what the force changes by from the one side to the other. Where D is
/// parallel to p = dg/dv, and p a constant vector, that is what a condition g = 0 does with its multiplier, and the derivatives are those of a motion with this condition: for each surface
/// that can be slid on the model gets such a row, held where it is slid on. Reference: docs/mathematics, section 24.7.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zwang/expressions/corners.hpp"
#include "zwang/sensitivity/parameter_slopes.hpp"
#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

/// A switch of a force, and its row.
struct Surface {
  std::uint32_t number = 0;  ///< of the switch
  std::uint32_t term = 0;    ///< group of the terms
  std::uint32_t corner = 0;
  std::uint32_t lane = 0;
  std::uint32_t row = 0;
};

/// Rows for all switches of forces whose switching functions have velocities in them, behind the model's own, in the model and its slopes alike.
[[nodiscard]] std::vector<Surface> add_surfaces(ParameterSlope& parameter);

/// Which of them is slid on, at a point in the middle of a piece, and what cannot be followed.
struct Slid {
  std::vector<Surface> surfaces;
  std::vector<std::uint32_t> rows;  ///< one for those that are the same surface, as that of a force and of its reaction
  std::vector<std::uint32_t> resting;  ///< switches of speeds whose directions are asked and which are at rest
  std::string refused;                 ///< the switch that is not, in words of the model; empty: none
  const char* why = "";                ///< what is said of its surface
  std::uint32_t refused_switch = 0;
};
/// Of a motion, as far as it has gone: what rounding is measured by.
struct LargestSoFar {
  double speed = 0;
  double acceleration = 0;
};
/// What the motion holds, whatever rounding its values have gathered.
struct HeldSoFar {
  std::vector<std::uint8_t>
      switches;                     ///< per switch, 1: slid on before, and no event says that it slipped; may be empty
  std::vector<std::uint32_t> rows;  ///< of the model
};
[[nodiscard]] Slid slid_at(Variation& variation, const std::vector<Surface>& surfaces, const MotionPoint& middle,
                           const std::vector<expressions::Side>& sides, const LargestSoFar& largest,
                           const HeldSoFar& so_far);

/// A surface slid on, or all parts of a speed at rest, on which friction is all used up: the least more of the load, and it slips.
struct Verge {
  std::vector<Surface> surfaces;
  std::vector<double> direction;    ///< of the slip, in their switching functions; of length one
  std::vector<std::uint32_t> rows;  ///< of the surfaces that stay held
  std::vector<double> modes;        ///< of the model where it slips,
  std::vector<double> opposite;     ///< and with friction turned round
};
/// `sides`: with what is slid on; `rows`: the model's own that are held.
[[nodiscard]] std::vector<Verge> on_the_verge(Variation& variation, const Slid& slid, const MotionPoint& at,
                                              const std::vector<expressions::Side>& sides,
                                              const std::vector<std::uint32_t>& rows);

/// dg/dv of the switching function of a corner, by velocity slot.
[[nodiscard]] std::vector<double> velocity_gradient(const model::TermGroup& group, std::uint32_t corner,
                                                    std::uint32_t lane, const model::State& state);

/// The piece with the rows of what is slid on.
[[nodiscard]] motion::Piece with_surfaces(const motion::Piece& piece, const std::vector<std::uint32_t>& rows);

}  // namespace zwang::sensitivity
