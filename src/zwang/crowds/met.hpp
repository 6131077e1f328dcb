/// The numbers of the pairs that have met, by their rows: a table that is looked into once per shock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zwang::crowds {

class MetNumbers {
 public:
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t find(std::uint64_t row) const {
    return slots_.empty() ? unknown : slots_[slot_of(row)].number;
  }
  /// The number of a row; `number` from now on, if it had none.
  std::uint32_t find_or_add(std::uint64_t row, std::uint32_t number) {
    if (3 * (size_ + 1) > 2 * slots_.size()) grow();
    Slot& slot = slots_[slot_of(row)];
    if (slot.number == unknown) {
      slot = {row, number};
      ++size_;
    }
    return slot.number;
  }
  /// So that the table is at hand when the row is looked for.
  void expect(std::uint64_t row) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[first_of(row)]);
  }

 private:
  struct Slot {
    std::uint64_t row = 0;
    std::uint32_t number = unknown;
  };
  [[nodiscard]] std::size_t first_of(std::uint64_t row) const {
    return static_cast<std::size_t>((row * 0x9e3779b97f4a7c15U) >> shift_);
  }
  /// Where a row stands, or would.
  [[nodiscard]] std::size_t slot_of(std::uint64_t row) const {
    std::size_t k = first_of(row);
    while (slots_[k].number != unknown && slots_[k].row != row) k = k + 1 == slots_.size() ? 0 : k + 1;
    return k;
  }
  void grow() {
    std::vector<Slot> before;
    before.swap(slots_);
    slots_.resize(before.empty() ? 16 : 2 * before.size());
    shift_ = before.empty() ? 60 : shift_ - 1;
    for (const Slot& slot : before) {
      if (slot.number != unknown) slots_[slot_of(slot.row)] = slot;
    }
  }

  std::vector<Slot> slots_;  ///< a power of two
  unsigned shift_ = 60;      ///< 64 less its exponent
  std::size_t size_ = 0;
};

}  // namespace zwang::crowds
