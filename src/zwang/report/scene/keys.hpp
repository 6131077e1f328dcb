/// Keys over time: numbers that are joined by straight lines, so dense that those are right to a few parts in a thousand.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace zwang::report {

struct Keys {
  std::vector<double> time;
  std::vector<double> value;  ///< as many at each time as `sizes` has
};

/// Follows numbers from one time to another; none if some instant fails. `sizes`: what each is to be compared with.
[[nodiscard]] std::optional<Keys> follow(double from, double end,
                                         const std::function<std::optional<std::vector<double>>(double)>& look,
                                         const std::vector<double>& sizes);

/// All keys say the same.
[[nodiscard]] bool steady(const Keys& keys, const std::vector<double>& sizes);

}  // namespace zwang::report
