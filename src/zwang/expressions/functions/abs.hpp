/// The absolute value; only for parameters and indices, where it folds to a number.
#pragma once

#include <cmath>
#include <string_view>

namespace zwang::expressions {

struct Abs {
  static constexpr std::string_view name = "abs";

  static double value(double u) { return std::abs(u); }
};

}  // namespace zwang::expressions
