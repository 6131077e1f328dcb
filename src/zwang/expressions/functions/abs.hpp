/// The absolute value: the branches -u and u, with the corner at u = 0.
#pragma once

#include <cmath>
#include <string_view>

namespace zwang::expressions {

struct Abs {
  static constexpr std::string_view name = "abs";

  static double value(double u) { return std::abs(u); }
};

}  // namespace zwang::expressions
