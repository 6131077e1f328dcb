/// The remainder a - b floor(a / b), which has the sign of b, so that indices go round: a branch for each value of floor.
#pragma once

#include <cmath>
#include <string_view>

namespace zwang::expressions {

struct Mod {
  static constexpr std::string_view name = "mod";

  static double value(double a, double b) {
    const double r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
};

}  // namespace zwang::expressions
