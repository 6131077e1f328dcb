/// What stands in keys.hpp.
#include "zwang/report/scene/keys.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "zwang/report/tolerances.hpp"

namespace zwang::report {

std::optional<Keys> follow(double from, double end,
                           const std::function<std::optional<std::vector<double>>(double)>& look,
                           const std::vector<double>& sizes) {
  constexpr std::size_t most = 2000;
  constexpr int first = 24;
  std::vector<std::pair<double, std::vector<double>>> list;
  for (int k = 0; k <= first; ++k) {
    const double time = k == first ? end : from + (end - from) * k / first;
    std::optional<std::vector<double>> value = look(time);
    if (!value) {
      return {};
    }
    list.emplace_back(time, std::move(*value));
  }
  for (std::size_t k = 0; k + 1 < list.size() && list.size() < most;) {
    const double middle = 0.5 * (list[k].first + list[k + 1].first);
    std::optional<std::vector<double>> value = look(middle);
    if (!value) {
      return {};
    }
    bool straight = list[k + 1].first - list[k].first < shortest_stretch * (end - from);
    if (!straight) {
      straight = true;
      for (std::size_t i = 0; i < value->size(); ++i) {
        const double between = 0.5 * (list[k].second[i] + list[k + 1].second[i]);
        straight = straight && std::abs((*value)[i] - between) <= straight_part * sizes[i];
      }
    }
    if (straight) {
      ++k;
    } else {
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(k) + 1, {middle, std::move(*value)});
    }
  }
  Keys out;
  for (const auto& [time, value] : list) {
    out.time.push_back(time);
    out.value.insert(out.value.end(), value.begin(), value.end());
  }
  return out;
}

bool steady(const Keys& keys, const std::vector<double>& sizes) {
  const std::size_t m = sizes.size();
  for (std::size_t k = m; k < keys.value.size(); ++k) {
    if (std::abs(keys.value[k] - keys.value[k % m]) > same_part * sizes[k % m]) {
      return false;
    }
  }
  return true;
}

}  // namespace zwang::report
