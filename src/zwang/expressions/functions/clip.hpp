/// A number kept between two others: min(max(u, low), high), with corners at both.
#pragma once

#include <cmath>
#include <string_view>

namespace zwang::expressions {

struct Clip {
  static constexpr std::string_view name = "clip";

  static double value(double u, double low, double high) {
    if (std::isnan(u)) return u;
    const double raised = u < low ? low : u;
    return raised > high ? high : raised;
  }
};

}  // namespace zwang::expressions
