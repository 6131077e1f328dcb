/// The largest whole number that is not greater; only for parameters and indices, where it folds to a number.
#pragma once

#include <cmath>
#include <string_view>

namespace zwang::expressions {

struct Floor {
  static constexpr std::string_view name = "floor";

  static double value(double u) { return std::floor(u); }
};

}  // namespace zwang::expressions
