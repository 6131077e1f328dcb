/// Things that hang together: joined two by two, each group known by one of its members.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace zwang {

class Groups {
 public:
  explicit Groups(std::uint32_t count) : above_(count) { std::iota(above_.begin(), above_.end(), 0U); }

  /// The member that its group is known by, until the next `join`.
  [[nodiscard]] std::uint32_t of(std::uint32_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) { above_[of(a)] = of(b); }

 private:
  std::vector<std::uint32_t> above_;
};

}  // namespace zwang
