/// The least of several numbers; only for parameters and indices, where it folds to a number.
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
