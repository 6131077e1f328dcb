/// Who is next: one time per number, the earliest first, the lowest number first among equal times.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace zwang::crowds {

class Queue {
 public:
  /// Numbers 0 to count - 1, none of them due.
  void reset(std::uint32_t count) {
    heap_.clear();
    place_.assign(count, none);
    time_.assign(count, std::numeric_limits<double>::infinity());
  }
  void grow(std::uint32_t count) {
    if (count <= place_.size()) return;
    place_.resize(count, none);
    time_.resize(count, std::numeric_limits<double>::infinity());
  }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::uint32_t first() const { return heap_[0]; }
  [[nodiscard]] double time(std::uint32_t number) const { return time_[number]; }

  /// Due at a time; infinite: not at all.
  void put(std::uint32_t number, double time) {
    const std::uint32_t at = place_[number];
    if (time == std::numeric_limits<double>::infinity()) {
      if (at != none) take_out(number);
      return;
    }
    time_[number] = time;
    if (at == none) {
      place_[number] = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back(number);
    }
    if (!rise(place_[number])) sink(place_[number]);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return time_[a] < time_[b] || (time_[a] == time_[b] && a < b);
  }
  void take_out(std::uint32_t number) {
    const std::uint32_t at = place_[number];
    const std::uint32_t last = heap_.back();
    heap_.pop_back();
    place_[number] = none;
    time_[number] = std::numeric_limits<double>::infinity();
    if (last == number) return;
    heap_[at] = last;
    place_[last] = at;
    if (!rise(at)) sink(at);
  }
  bool rise(std::uint32_t at) {
    const std::uint32_t number = heap_[at];
    const std::uint32_t from = at;
    while (at > 0) {
      const std::uint32_t above = (at - 1) / 4;
      if (!before(number, heap_[above])) break;
      heap_[at] = heap_[above];
      place_[heap_[at]] = at;
      at = above;
    }
    heap_[at] = number;
    place_[number] = at;
    return at != from;
  }
  void sink(std::uint32_t at) {
    const std::uint32_t number = heap_[at];
    const auto count = static_cast<std::uint32_t>(heap_.size());
    while (true) {
      std::uint32_t least = 4 * at + 1;
      if (least >= count) break;
      for (std::uint32_t child = least + 1; child < count && child < 4 * at + 5; ++child) {
        if (before(heap_[child], heap_[least])) least = child;
      }
      if (!before(heap_[least], number)) break;
      heap_[at] = heap_[least];
      place_[heap_[at]] = at;
      at = least;
    }
    heap_[at] = number;
    place_[number] = at;
  }

  std::vector<std::uint32_t> heap_;
  std::vector<std::uint32_t> place_;  ///< in the heap, per number
  std::vector<double> time_;          ///< per number
};

}  // namespace zwang::crowds
