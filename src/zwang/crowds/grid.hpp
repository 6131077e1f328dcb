/// Who is near whom: members in cells at least as wide as the largest distance that a pair must keep.
///
/// Two members whose cells are no neighbours differ in some coordinate by more than a cell, and do not touch. Cells are known by whole numbers
/// and kept by a hash of them, so that a crowd may be anywhere and go anywhere.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace zwang::crowds {

using Cell = std::array<std::int32_t, 3>;

class Grid {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// False if places are so far apart, or cells so small, that they cannot be counted.
  void reset(std::uint32_t members, std::uint32_t dimension, double width) {
    dimension_ = dimension;
    width_ = width;
    std::uint32_t buckets = 16;
    while (buckets < members) buckets *= 2;
    mask_ = buckets - 1;
    head_.assign(buckets, none);
    next_.assign(members, none);
    before_.assign(members, none);
    cell_.assign(members, {0, 0, 0});
  }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] const Cell& cell(std::uint32_t member) const { return cell_[member]; }
  [[nodiscard]] Cell cell_of(const std::array<double, 3>& x) const {
    Cell out{0, 0, 0};
    for (std::uint32_t c = 0; c < dimension_; ++c) out[c] = static_cast<std::int32_t>(std::floor(x[c] / width_));
    return out;
  }
  [[nodiscard]] double low(std::int32_t index) const { return width_ * index; }

  void put(std::uint32_t member, const Cell& cell) {
    cell_[member] = cell;
    std::uint32_t& head = head_[bucket(cell)];
    before_[member] = none;
    next_[member] = head;
    if (head != none) before_[head] = member;
    head = member;
  }
  void move(std::uint32_t member, const Cell& cell) {
    const std::uint32_t next = next_[member];
    const std::uint32_t before = before_[member];
    if (next != none) before_[next] = before;
    if (before != none) {
      next_[before] = next;
    } else {
      head_[bucket(cell_[member])] = next;
    }
    put(member, cell);
  }

  /// Calls visit(other) for all in the cells given by the ranges around the cell of the member, itself not among them.
  template <class Visit>
  void visit(std::uint32_t member, const Cell& from, const Cell& to, const Visit& visit) const {
    for (std::int32_t k = from[2]; k <= to[2]; ++k) {
      for (std::int32_t j = from[1]; j <= to[1]; ++j) {
        for (std::int32_t i = from[0]; i <= to[0]; ++i) {
          const Cell cell{i, j, k};
          for (std::uint32_t other = head_[bucket(cell)]; other != none; other = next_[other]) {
            const Cell& of = cell_[other];
            if (other != member && of[0] == i && of[1] == j && of[2] == k) visit(other);
          }
        }
      }
    }
  }
  /// All neighbours of a member.
  template <class Visit>
  void visit(std::uint32_t member, const Visit& visit_one) const {
    Cell from = cell_[member];
    Cell to = from;
    for (std::uint32_t c = 0; c < dimension_; ++c) {
      --from[c];
      ++to[c];
    }
    visit(member, from, to, visit_one);
  }
  /// Those that became neighbours when the member entered its cell through a face of this direction, upwards or downwards.
  template <class Visit>
  void visit_ahead(std::uint32_t member, std::uint32_t direction, bool upwards, const Visit& visit_one) const {
    Cell from = cell_[member];
    Cell to = from;
    for (std::uint32_t c = 0; c < dimension_; ++c) {
      if (c == direction) {
        from[c] += upwards ? 1 : -1;
        to[c] = from[c];
      } else {
        --from[c];
        ++to[c];
      }
    }
    visit(member, from, to, visit_one);
  }

 private:
  [[nodiscard]] std::uint32_t bucket(const Cell& cell) const {
    std::uint64_t h = static_cast<std::uint32_t>(cell[0]) * 0x9e3779b97f4a7c15ULL;
    h ^= static_cast<std::uint32_t>(cell[1]) * 0xc2b2ae3d27d4eb4fULL;
    h ^= static_cast<std::uint32_t>(cell[2]) * 0x165667b19e3779f9ULL;
    return static_cast<std::uint32_t>(h >> 29U) & mask_;
  }

  std::uint32_t dimension_ = 2;
  double width_ = 1;
  std::uint32_t mask_ = 0;
  std::vector<std::uint32_t> head_;  ///< per bucket
  std::vector<std::uint32_t> next_, before_;
  std::vector<Cell> cell_;
};

}  // namespace zwang::crowds
