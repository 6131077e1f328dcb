/// A set of rows of a model: those known to touch, those that are held, those that do not count.
///
/// A set tells of every row whether it belongs to it, or tells nothing at all: `Options::closed` that tells nothing leaves it to the
/// tolerance which rows touch, one that is told and empty says the same of none of them. Either way it contains no row.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace zwang::instant {

class RowSet {
 public:
  /// Tells nothing.
  RowSet() = default;
  /// Of a model with so many rows: none of them, or those named.
  explicit RowSet(std::size_t rows, std::span<const std::uint32_t> members = {}) : marks_(rows, 0) {
    for (const std::uint32_t row : members) add(row);
  }
  [[nodiscard]] static RowSet all(std::size_t rows) {
    RowSet set;
    set.marks_.assign(rows, 1);
    return set;
  }
  /// Marks per row, 0: does not belong to it; none: tells nothing.
  [[nodiscard]] static RowSet of_marks(std::vector<std::uint8_t> marks) {
    RowSet set;
    set.marks_ = std::move(marks);
    return set;
  }

  [[nodiscard]] bool is_told() const { return !marks_.empty(); }
  [[nodiscard]] bool contains(std::uint32_t row) const { return row < marks_.size() && marks_[row] != 0; }

  /// Of a set that is told.
  void put(std::uint32_t row, bool belongs) {
    assert(row < marks_.size());
    marks_[row] = belongs ? 1 : 0;
  }
  void add(std::uint32_t row) { put(row, true); }
  void remove(std::uint32_t row) { put(row, false); }

  /// Per row, 1: belongs to it; none: tells nothing.
  [[nodiscard]] const std::vector<std::uint8_t>& marks() const { return marks_; }

 private:
  std::vector<std::uint8_t> marks_;
};

}  // namespace zwang::instant
