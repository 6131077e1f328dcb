/// Numbers in the constant slots of a group, and their slopes.
#pragma once

#include <cstddef>
#include <span>

#include "zwang/model/model.hpp"

namespace zwang::sensitivity {

[[nodiscard]] inline double constant_at(const model::Slotted& group, std::size_t slot, std::size_t lane,
                                        std::span<const double> modes) {
  return slot >= group.steady() && !modes.empty()
             ? modes[group.first_mode + (slot - group.steady()) * group.lanes + lane]
             : group.constant_of[slot * group.lanes + lane];
}

/// Of the numbers of the piece on which a table or spline is: told by the numbers themselves.
[[nodiscard]] inline double mode_slope(const model::Slotted& group, const model::Slotted& slope, std::size_t mode,
                                       std::size_t lane, std::span<const double> modes) {
  for (std::size_t c = 0; c < group.corners.size(); ++c) {
    const expressions::Corner& corner = group.corners[c];
    if (mode < corner.first_mode || mode >= corner.first_mode + corner.modes) continue;
    for (std::size_t p = 0; p < corner.pieces.piece.size(); ++p) {
      bool same = true;
      for (std::uint32_t k = 0; k < corner.modes; ++k) {
        same = same &&
               constant_at(group, group.steady() + corner.first_mode + k, lane, modes) == corner.pieces.piece[p].at(k);
      }
      if (same) return slope.corners[c].pieces.piece[p].at(mode - corner.first_mode);
    }
  }
  return 0;
}

/// The slope of what stands in a constant slot, modes included.
[[nodiscard]] inline double slot_slope(const model::Slotted& group, const model::Slotted& slope, std::size_t slot,
                                       std::size_t lane, std::span<const double> modes) {
  return slot < group.steady() ? slope.constant_of[slot * group.lanes + lane]
                               : mode_slope(group, slope, slot - group.steady(), lane, modes);
}

/// Constant slots with a slope in some lane, ascending, appended to `out`.
inline void moving_slots(const model::Slotted& group, const model::Slotted& slope, std::vector<std::uint32_t>& out) {
  std::vector<std::uint8_t> moves(group.constants, 0);
  for (std::uint32_t slot = 0; slot < group.steady(); ++slot) {
    for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
      if (slope.constant_of[std::size_t{slot} * group.lanes + lane] != 0) moves[slot] = 1;
    }
  }
  for (const expressions::Corner& corner : slope.corners) {
    bool any = false;
    for (const auto& piece : corner.pieces.piece) {
      for (const double x : piece) any = any || x != 0;
    }
    if (!any) continue;
    for (std::uint32_t k = 0; k < corner.modes; ++k) moves[group.steady() + corner.first_mode + k] = 1;
  }
  for (std::uint32_t slot = 0; slot < group.constants; ++slot) {
    if (moves[slot] != 0) out.push_back(slot);
  }
}

}  // namespace zwang::sensitivity
