/// The greatest of several numbers; only for parameters and indices, where it folds to a number.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace zwang::expressions {

struct Max {
  static constexpr std::string_view name = "max";

  static double value(std::span<const double> all) { return *std::max_element(all.begin(), all.end()); }
};

}  // namespace zwang::expressions
