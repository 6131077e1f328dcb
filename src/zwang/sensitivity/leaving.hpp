/// Speeds that leave the rest in which dry friction in a plane or in space held them: their directions begin there. Reference: docs/mathematics, section 24.7.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zwang/sensitivity/variation.hpp"

namespace zwang::sensitivity {

/// A corner `moves` whose speed is zero at the start of a piece and not in its middle.
struct Leaving {
  std::uint32_t term = 0;
  std::uint32_t corner = 0;
  std::uint32_t lane = 0;
};
[[nodiscard]] std::vector<Leaving> leaving_rest(const model::Model& model, const motion::Piece& piece,
                                                const std::vector<double>& modes,
                                                const std::vector<expressions::Side>& sides);

/// The first part of a piece on which speeds leave their rest, the directions taken as the motion has them.
struct FromRest {
  Stretch stretch;
  std::optional<double> time;  ///< how the time moves at which they leave, where their push grows from nothing
  std::string refused;         ///< the speed, in words of the model, of which nothing is known
};
/// `number`: of the piece in its run; `largest_slope`: of velocities so far. The derivatives are those at the end of the stretch then.
[[nodiscard]] FromRest leave_rest(Variation& variation, std::uint64_t number, const motion::Piece& piece,
                                  const std::vector<Leaving>& leaving, const std::vector<double>& modes,
                                  double largest_slope);

}  // namespace zwang::sensitivity
