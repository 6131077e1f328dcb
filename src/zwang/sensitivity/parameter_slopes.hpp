/// How the numbers of a model depend on one of its parameters: lengths in conditions, masses, the start, restitutions, times of blows.
///
/// A parameter stands anywhere in the text, and between it and a number of the compiled model lies arithmetic of numbers alone: smooth, known to all
/// digits, at no cost. The model is compiled at eight values beside the parameter's own; the number and its slope at that value are those of the
/// polynomial through them (docs/mathematics, section 24.1), right to a few units of the thirteenth digit. Where that is impossible (the parameter counts something, stands
/// on the edge of what is allowed on both sides) it is said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/model/read.hpp"

namespace zwang::sensitivity {

/// A model of the shape that all values near the parameter's have, with the numbers at that value, and another whose numbers are slopes.
/// (The model itself may be simpler: where a factor is 1, it is not there.)
struct ParameterSlope {
  std::string name;  ///< "L", "p.x"
  double value = 0;
  model::Model model;
  model::Model slope;  ///< only numbers that `each_number` visits have a meaning
  std::optional<model::Model>
      below;  ///< where numbers have a kink at the value: slopes for values below, and `slope` those above
};
/// What of a kink that numbers have at the parameter's own value, as abs(c) at 0?
enum class Kinks : std::uint8_t { refused, two_sided };

/// Do the two have one shape and, in all that a motion depends on, the same numbers?
[[nodiscard]] bool same_numbers(const model::Model& a, const model::Model& b);

/// Throws Error if there is no such parameter, or it has no slopes.
[[nodiscard]] std::vector<ParameterSlope> parameter_slopes(const model::Draft& draft, const model::Overrides& overrides,
                                                           const std::vector<std::string>& names,
                                                           Kinks kinks = Kinks::refused);

}  // namespace zwang::sensitivity
