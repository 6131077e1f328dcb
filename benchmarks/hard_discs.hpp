/// A program for hard discs alone, as a yardstick for crowds: cells, a heap, times of collisions in closed form, nothing else.
///
/// Elastic discs of one mass and one diameter in a box. Every disc has its own time; its next event is the first of a wall, a face of its cell and a
/// partner. What is asked of it is the number of collisions until a time, and the state then.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace zwang::benchmarks {

class HardDiscs {
 public:
  HardDiscs(double width, double height, double diameter, std::vector<double> position, std::vector<double> velocity)
      : width_(width), height_(height), square_(diameter * diameter) {
    const std::size_t n = position.size() / 2;
    discs_.resize(n);
    const double side = std::max(diameter, std::sqrt(width * height / static_cast<double>(n)));
    columns_ = std::max(1, static_cast<int>(width / side));
    lines_ = std::max(1, static_cast<int>(height / side));
    cell_width_ = width / columns_;
    cell_height_ = height / lines_;
    head_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(lines_), none);
    for (std::uint32_t i = 0; i < n; ++i) {
      Disc& disc = discs_[i];
      disc.x = position[2 * i];
      disc.y = position[2 * i + 1];
      disc.u = velocity[2 * i];
      disc.v = velocity[2 * i + 1];
      disc.column = std::min(columns_ - 1, static_cast<int>(disc.x / cell_width_));
      disc.line = std::min(lines_ - 1, static_cast<int>(disc.y / cell_height_));
      put(i);
    }
    heap_.resize(n);
    place_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) heap_[i] = place_[i] = i;
    for (std::uint32_t i = 0; i < n; ++i) discs_[i].due = never;
    for (std::uint32_t i = 0; i < n; ++i) predict(i);
  }

  /// Collisions, of two and with walls, until a time.
  std::uint64_t run(double until) {
    std::uint64_t collisions = 0;
    while (discs_[heap_[0]].due <= until) {
      const std::uint32_t i = heap_[0];
      Disc& disc = discs_[i];
      now_ = disc.due;
      const int what = disc.what;
      if (what == with_disc && discs_[disc.with].turn != disc.with_turn) {
        bring(disc);
        predict(i);
        continue;
      }
      bring(disc);
      if (what == with_disc) {
        Disc& other = discs_[disc.with];
        bring(other);
        const double rx = disc.x - other.x;
        const double ry = disc.y - other.y;
        const double change = ((disc.u - other.u) * rx + (disc.v - other.v) * ry) / (rx * rx + ry * ry);
        disc.u -= change * rx;
        disc.v -= change * ry;
        other.u += change * rx;
        other.v += change * ry;
        ++other.turn;
        ++disc.turn;
        const std::uint32_t j = disc.with;
        predict(i);
        predict(j);
        ++collisions;
        continue;
      }
      if (what < 4) {
        cross(i, what);
        predict(i);
        continue;
      }
      (what < 6 ? disc.u : disc.v) *= -1;
      ++disc.turn;
      ++collisions;
      predict(i);
    }
    now_ = until;
    for (Disc& disc : discs_) bring(disc);
    return collisions;
  }
  [[nodiscard]] double x(std::uint32_t i) const { return discs_[i].x; }
  [[nodiscard]] double energy() const {
    double sum = 0;
    for (const Disc& disc : discs_) sum += 0.5 * (disc.u * disc.u + disc.v * disc.v);
    return sum;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr int with_disc = 8;
  struct Disc {
    double x = 0, y = 0, u = 0, v = 0, time = 0;
    double due = never;
    std::uint32_t with = 0, with_turn = 0, turn = 0;
    int what = 0;  ///< 0 to 3: a face; 4 to 7: a wall; 8: another disc
    int column = 0, line = 0;
    std::uint32_t next = none, before = none;
  };

  void bring(Disc& disc) const {
    const double s = now_ - disc.time;
    disc.x += s * disc.u;
    disc.y += s * disc.v;
    disc.time = now_;
  }
  std::uint32_t& head(const Disc& disc) {
    return head_[static_cast<std::size_t>(disc.line) * static_cast<std::size_t>(columns_) +
                 static_cast<std::size_t>(disc.column)];
  }
  void put(std::uint32_t i) {
    Disc& disc = discs_[i];
    disc.before = none;
    disc.next = head(disc);
    if (disc.next != none) discs_[disc.next].before = i;
    head(disc) = i;
  }
  void cross(std::uint32_t i, int face) {
    Disc& disc = discs_[i];
    if (disc.next != none) discs_[disc.next].before = disc.before;
    (disc.before != none ? discs_[disc.before].next : head(disc)) = disc.next;
    if (face < 2) {
      disc.column += face == 0 ? -1 : 1;
    } else {
      disc.line += face == 2 ? -1 : 1;
    }
    put(i);
  }
  void predict(std::uint32_t i) {
    Disc& disc = discs_[i];
    disc.due = never;
    const auto consider = [&](double s, int what) {
      if (now_ + s < disc.due) {
        disc.due = now_ + s;
        disc.what = what;
      }
    };
    if (disc.u < 0) consider((disc.x - cell_width_ * disc.column) / -disc.u, disc.column == 0 ? 4 : 0);
    if (disc.u > 0) consider((cell_width_ * (disc.column + 1) - disc.x) / disc.u, disc.column + 1 == columns_ ? 5 : 1);
    if (disc.v < 0) consider((disc.y - cell_height_ * disc.line) / -disc.v, disc.line == 0 ? 6 : 2);
    if (disc.v > 0) consider((cell_height_ * (disc.line + 1) - disc.y) / disc.v, disc.line + 1 == lines_ ? 7 : 3);
    for (int line = std::max(0, disc.line - 1); line <= std::min(lines_ - 1, disc.line + 1); ++line) {
      for (int column = std::max(0, disc.column - 1); column <= std::min(columns_ - 1, disc.column + 1); ++column) {
        const std::size_t cell =
            static_cast<std::size_t>(line) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
        for (std::uint32_t j = head_[cell]; j != none; j = discs_[j].next) {
          if (j == i) continue;
          Disc& other = discs_[j];
          const double s = now_ - other.time;
          const double rx = disc.x - (other.x + s * other.u);
          const double ry = disc.y - (other.y + s * other.v);
          const double wx = disc.u - other.u;
          const double wy = disc.v - other.v;
          const double b = rx * wx + ry * wy;
          if (!(b < 0)) continue;
          const double w = wx * wx + wy * wy;
          const double c = rx * rx + ry * ry - square_;
          const double d = b * b - w * c;
          if (!(d > 0)) continue;
          const double at = std::max(0.0, c / (std::sqrt(d) - b));
          if (now_ + at < disc.due) {
            disc.due = now_ + at;
            disc.what = with_disc;
            disc.with = j;
            disc.with_turn = other.turn;
          }
          if (now_ + at < other.due) {
            other.due = now_ + at;
            other.what = with_disc;
            other.with = i;
            other.with_turn = disc.turn;
            settle(j);
          }
        }
      }
    }
    settle(i);
  }
  [[nodiscard]] bool earlier(std::uint32_t a, std::uint32_t b) const { return discs_[a].due < discs_[b].due; }
  void settle(std::uint32_t i) {
    std::uint32_t at = place_[i];
    while (at > 0 && earlier(i, heap_[(at - 1) / 2])) {
      heap_[at] = heap_[(at - 1) / 2];
      place_[heap_[at]] = at;
      at = (at - 1) / 2;
    }
    while (2 * at + 1 < heap_.size()) {
      std::uint32_t child = 2 * at + 1;
      if (child + 1 < heap_.size() && earlier(heap_[child + 1], heap_[child])) ++child;
      if (!earlier(heap_[child], i)) break;
      heap_[at] = heap_[child];
      place_[heap_[at]] = at;
      at = child;
    }
    heap_[at] = i;
    place_[i] = at;
  }

  double width_, height_, square_;
  int columns_ = 1, lines_ = 1;
  double cell_width_ = 1, cell_height_ = 1;
  double now_ = 0;
  std::vector<Disc> discs_;
  std::vector<std::uint32_t> head_, heap_, place_;
};

}  // namespace zwang::benchmarks
