/// The largest whole number that is not greater: constant branches, with a jump at every whole number.
#pragma once

#include <cmath>
#include <string_view>

namespace zwang::expressions {

struct Floor {
  static constexpr std::string_view name = "floor";

  static double value(double u) { return std::floor(u); }
};

}  // namespace zwang::expressions
