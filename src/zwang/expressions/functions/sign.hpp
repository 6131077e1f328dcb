/// The sign: -1, 0 or 1, with a jump at u = 0.
#pragma once

#include <string_view>

namespace zwang::expressions {

struct Sign {
  static constexpr std::string_view name = "sign";

  static double value(double u) { return u > 0 ? 1.0 : (u < 0 ? -1.0 : u); }
};

}  // namespace zwang::expressions
