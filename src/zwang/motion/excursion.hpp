/// The first excursion of a polynomial above zero: what every event of a motion is.
///
///   p(s) = sum_k c_k s^k  on [0, h]
///
/// A condition f <= 0 closes where f rises above zero; a held one lets go where -lambda does. What is reported is proved
/// on the polynomial itself (coefficients taken as exact), never sampled: "none" and "no earlier one" are statements.
///
/// Symbols: c coefficients, h length of the step, threshold = what still counts as zero (>= 64 eps sum |c_k| h^k is used
/// whatever the caller gives). The band is |p| <= threshold. Reference: docs/mathematics, section 11.
#pragma once

#include <cstdint>
#include <span>

namespace zwang::motion {

struct Excursion {
  enum class Kind : std::uint8_t {
    none,      ///< p stays at or below the threshold, and does nothing else that matters
    crossing,  ///< p exceeds the threshold on [0, h]; `at` is the last zero before it does (0 if p was never negative)
    graze,  ///< p comes from below the band, has its largest value in it, and falls below it again; `at` is the maximum
    pending  ///< p rose into the band and is still in it at h; `at` is where it entered (0 if it started there)
  };
  Kind kind = Kind::none;
  double at = 0;
  double through = 0;  ///< of what is pending from the start, below zero there and above it at h: its last zero; else 0
};

/// The first crossing, graze or pending on [from, h], whichever comes first. A polynomial that starts inside the band and
/// falls out of it has done nothing. `at` of a crossing is correct to the last digits (Newton on the polynomial, error below
/// 4 eps h beyond what the rounding of the coefficients' evaluation allows). No allocation for degrees up to 63.
/// The polynomial that is zero throughout is pending from the start. Coefficients that are no finite numbers, and an empty
/// interval (h < from), tell nothing: none. A negative `from` counts as 0.
[[nodiscard]] Excursion first_excursion(std::span<const double> c, double h, double threshold, double from = 0);

/// sum |c_k| h^k: the scale of the terms.
[[nodiscard]] double terms(std::span<const double> c, double h);

}  // namespace zwang::motion
