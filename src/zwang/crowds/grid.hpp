/// Who is near whom: members in cells at least as wide as the largest distance that a pair must keep.
///
/// Two members whose cells are no neighbours differ in some coordinate by more than a cell, and do not touch. Cells are known by whole numbers. Those of the box in
/// which members were put at first have a place of their own, if it does not have far more cells than members; all others are kept by a hash, so that a crowd may be anywhere
/// and go anywhere. Cells of one block, four by four in the plane, stand side by side in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace zwang::crowds {

using Cell = std::array<std::int32_t, 3>;

class Grid {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Nobody is anywhere.
  void reset(std::uint32_t members, std::uint32_t dimension, double width) {
    dimension_ = dimension;
    width_ = width;
    std::uint32_t buckets = 16;
    while (buckets / buckets_per_member < members) buckets *= 2;
    mask_ = buckets - 1;
    in_box_ = 0;
    box_ = Box{};
    head_.assign(buckets, none);
    nodes_.assign(members, Node{});
  }
  /// Everybody at once, one after the other, and the box around them.
  void put_all(const std::vector<Cell>& cells) {
    set_box(cells);
    for (std::uint32_t i = 0; i < cells.size(); ++i) put(i, cells[i]);
  }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] const Cell& cell(std::uint32_t member) const { return nodes_[member].cell; }
  [[nodiscard]] Cell cell_of(const std::array<double, 3>& x) const {
    Cell out{0, 0, 0};
    for (std::uint32_t c = 0; c < dimension_; ++c) out[c] = static_cast<std::int32_t>(std::floor(x[c] / width_));
    return out;
  }
  [[nodiscard]] double low(std::int32_t index) const { return width_ * index; }

  /// Cells with a place of their own, and which of them, from 0 on, a cell is; another number for those outside.
  [[nodiscard]] std::uint32_t cells_in_box() const { return in_box_; }
  [[nodiscard]] std::uint32_t place_in_box(const Cell& cell) const {
    const std::uint32_t x = static_cast<std::uint32_t>(cell[0]) - static_cast<std::uint32_t>(box_.low[0]);
    const std::uint32_t y = static_cast<std::uint32_t>(cell[1]) - static_cast<std::uint32_t>(box_.low[1]);
    const std::uint32_t z = static_cast<std::uint32_t>(cell[2]) - static_cast<std::uint32_t>(box_.low[2]);
    if (x >= box_.size[0] || y >= box_.size[1] || z >= box_.size[2]) return none;
    const std::uint32_t block = (z * box_.blocks[1] + (y >> 2U)) * box_.blocks[0] + (x >> 2U);
    return (block << 4U) | ((y & 3U) << 2U) | (x & 3U);
  }
  [[nodiscard]] const Cell& low_of_box() const { return box_.low; }
  /// Cells in each direction.
  [[nodiscard]] const std::array<std::uint32_t, 3>& size_of_box() const { return box_.size; }
  /// So that the place of a member is at hand when it is asked for.
  void expect(std::uint32_t member) const { __builtin_prefetch(&nodes_[member]); }

  void put(std::uint32_t member, const Cell& cell) {
    Node& node = nodes_[member];
    node.cell = cell;
    std::uint32_t& head = head_[bucket(cell)];
    node.before = none;
    node.next = head;
    if (head != none) nodes_[head].before = member;
    head = member;
  }
  void move(std::uint32_t member, const Cell& cell) {
    const Node& node = nodes_[member];
    if (node.next != none) nodes_[node.next].before = node.before;
    if (node.before != none) {
      nodes_[node.before].next = node.next;
    } else {
      head_[bucket(node.cell)] = node.next;
    }
    put(member, cell);
  }

  /// Calls visit(other) for all in the cells given by the ranges, three in each direction at most, the member not among them.
  template <class Visit>
  void visit(std::uint32_t member, const Cell& from, const Cell& to, const Visit& visit) const {
    std::array<Cell, 27> cells;
    std::array<std::uint32_t, 27> heads;
    std::size_t count = 0;
    // All heads first, so that what follows them is fetched at the same time.
    for (std::int32_t k = from[2]; k <= to[2]; ++k) {
      for (std::int32_t j = from[1]; j <= to[1]; ++j) {
        for (std::int32_t i = from[0]; i <= to[0]; ++i) {
          const Cell cell{i, j, k};
          const std::uint32_t head = head_[bucket(cell)];
          if (head == none) continue;
          __builtin_prefetch(&nodes_[head]);
          cells[count] = cell;
          heads[count++] = head;
        }
      }
    }
    for (std::size_t n = 0; n < count; ++n) {
      for (std::uint32_t other = heads[n]; other != none;) {
        const Node& node = nodes_[other];
        if (other != member && is_same(node.cell, cells[n])) visit(other);
        other = node.next;
      }
    }
  }
  /// All neighbours of a member.
  template <class Visit>
  void visit(std::uint32_t member, const Visit& visit_one) const {
    Cell from = nodes_[member].cell;
    Cell to = from;
    for (std::uint32_t c = 0; c < dimension_; ++c) {
      --from[c];
      ++to[c];
    }
    visit(member, from, to, visit_one);
  }
  /// So that the cells around a member are at hand when they are asked for.
  void expect_around(std::uint32_t member) const {
    const Cell& centre = nodes_[member].cell;
    for (const std::int32_t j : {-1, 1}) {
      for (const std::int32_t i : {-1, 1})
        __builtin_prefetch(&head_[bucket({centre[0] + i, centre[1] + j, centre[2]})]);
    }
  }
  /// Those that became neighbours when the member entered its cell through a face of this direction, upwards or downwards.
  template <class Visit>
  void visit_ahead(std::uint32_t member, std::uint32_t direction, bool upwards, const Visit& visit_one) const {
    Cell from = nodes_[member].cell;
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
  [[nodiscard]] static bool is_same(const Cell& a, const Cell& b) {
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])) == 0;
  }
  struct Node {
    Cell cell{0, 0, 0};
    std::uint32_t next = none, before = none;
  };
  struct Box {
    Cell low{0, 0, 0};
    std::array<std::uint32_t, 3> size{0, 0, 0};
    std::array<std::uint32_t, 2> blocks{0, 0};
  };
  /// At least: then few cells share one.
  static constexpr std::uint32_t buckets_per_member = 2;
  /// Cells of the box, at most; it is wider than those who are put into it by so many cells on each side.
  static constexpr std::uint64_t cells_per_member = 12;
  static constexpr std::uint64_t least_cells = 4096;
  static constexpr std::int32_t margin = 2;
  static constexpr std::int64_t farthest = std::int64_t{1} << 30U;

  void set_box(const std::vector<Cell>& cells) {
    if (cells.empty()) return;
    Cell low = cells[0];
    Cell high = cells[0];
    for (const Cell& cell : cells) {
      for (std::uint32_t c = 0; c < 3; ++c) {
        low[c] = std::min(low[c], cell[c]);
        high[c] = std::max(high[c], cell[c]);
      }
    }
    // Whole blocks, counted in numbers that cannot run over.
    std::array<std::uint64_t, 3> size{1, 1, 1};
    for (std::uint32_t c = 0; c < dimension_; ++c) {
      size[c] = static_cast<std::uint64_t>(std::int64_t{high[c]} - low[c] + 1 + 2 * margin);
      if (c < 2) size[c] = (size[c] + 3) / 4 * 4;
      if (std::abs(std::int64_t{low[c]}) > farthest || std::abs(std::int64_t{high[c]}) > farthest) return;
      low[c] -= margin;
    }
    for (std::uint32_t c = dimension_; c < 2; ++c) size[c] = 4;
    const std::uint64_t most = std::max(least_cells, cells_per_member * cells.size());
    if (size[0] > most || size[1] > most || size[2] > most) return;
    const std::uint64_t plane = size[0] * size[1];
    if (plane > most || plane * size[2] > most) return;
    box_.low = low;
    for (std::uint32_t c = 0; c < 3; ++c) box_.size[c] = static_cast<std::uint32_t>(size[c]);
    box_.blocks = {box_.size[0] / 4, box_.size[1] / 4};
    in_box_ = static_cast<std::uint32_t>(plane * size[2]);
    head_.assign(std::size_t{in_box_} + mask_ + 1, none);
  }
  [[nodiscard]] std::uint32_t bucket(const Cell& cell) const {
    const std::uint32_t place = place_in_box(cell);
    return place != none ? place : in_box_ + hash(cell);
  }
  [[nodiscard]] std::uint32_t hash(const Cell& cell) const {
    const auto x = static_cast<std::uint32_t>(cell[0]);
    const auto y = static_cast<std::uint32_t>(cell[1]);
    std::uint64_t h = (x >> 2U) * 0x9e3779b97f4a7c15ULL;
    h ^= (y >> 2U) * 0xc2b2ae3d27d4eb4fULL;
    h ^= static_cast<std::uint32_t>(cell[2]) * 0x165667b19e3779f9ULL;
    return ((static_cast<std::uint32_t>(h >> 29U) << 4U) | ((y & 3U) << 2U) | (x & 3U)) & mask_;
  }

  std::uint32_t dimension_ = 2;
  double width_ = 1;
  std::uint32_t mask_ = 0;
  std::uint32_t in_box_ = 0;
  Box box_;
  std::vector<std::uint32_t> head_;  ///< per cell of the box, then per bucket
  std::vector<Node> nodes_;
};

}  // namespace zwang::crowds
