/// The greatest of several numbers: a branch for each, with corners where two are equal.
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
