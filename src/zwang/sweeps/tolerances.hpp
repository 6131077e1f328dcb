/// The small numbers of the room, each with its reason.
#pragma once

namespace zwang::sweeps {

/// Values of a grid are the shortest decimals within a few roundings of the exact ones: 0.3, not 0.30000000000000004.
inline constexpr double round_value = 1e-15;

/// What a series leaves out, as a part of its terms: below this the series is the function, to well within what its evaluation at a point loses.
inline constexpr double series_tail = 0x1p-46;

/// Where an extreme lies is known this well, as a part of the piece: the value there is off by the square of it.
inline constexpr double extreme_place = 0x1p-28;

/// A bound that lies above the best value by no more than this part of the terms it is made of is no better: it is rounding.
inline constexpr double extreme_rounding = 0x1p-50;

/// A corner is looked for down to this part of the piece; then both its sides have been looked at.
inline constexpr double corner_place = 0x1p-44;

}  // namespace zwang::sweeps
