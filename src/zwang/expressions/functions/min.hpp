/// The least of several numbers: a branch for each, with corners where two are equal.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace zwang::expressions {

struct Min {
  static constexpr std::string_view name = "min";

  static double value(std::span<const double> all) { return *std::min_element(all.begin(), all.end()); }
};

}  // namespace zwang::expressions
