/// The step: 0 below 0, 1 from 0 on.
#pragma once

#include <string_view>

namespace zwang::expressions {

struct Step {
  static constexpr std::string_view name = "step";

  static double value(double u) { return u >= 0 ? 1.0 : (u < 0 ? 0.0 : u); }
};

}  // namespace zwang::expressions
