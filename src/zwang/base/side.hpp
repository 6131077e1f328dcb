/// Numbers side by side, as vectors of four (of two or one, if there are no more): the compiler makes of them what the processor has.
///
/// Every number goes its own way, so that the width of the processor's vectors does not show in the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace zwang {

template <std::size_t W>
struct Side {
  static constexpr std::size_t width = W >= 4 ? 4 : W;
  static constexpr std::size_t count = W / width;
  using Vector [[gnu::vector_size(width * sizeof(double)), gnu::aligned(8), gnu::may_alias]] = double;
  using Bits [[gnu::vector_size(width * sizeof(double)), gnu::aligned(8), gnu::may_alias]] = std::int64_t;
  Vector part[count];

  [[gnu::always_inline]] static Side load(const double* x) {
    Side y;
    for (std::size_t i = 0; i < count; ++i) y.part[i] = *reinterpret_cast<const Vector*>(x + i * width);
    return y;
  }
  /// |x|
  [[gnu::always_inline]] static Side sizes(const double* x) {
    Side y = load(x);
    y.make_positive();
    return y;
  }
  [[gnu::always_inline]] static Side zero() {
    Side y;
    for (std::size_t i = 0; i < count; ++i) y.part[i] = Vector{};
    return y;
  }
  [[gnu::always_inline]] void store(double* x) const {
    for (std::size_t i = 0; i < count; ++i) *reinterpret_cast<Vector*>(x + i * width) = part[i];
  }
  [[gnu::always_inline]] void add(const Side& x) {
    for (std::size_t i = 0; i < count; ++i) part[i] += x.part[i];
  }
  [[gnu::always_inline]] void add_product(const Side& x, const Side& y) {
    for (std::size_t i = 0; i < count; ++i) part[i] += x.part[i] * y.part[i];
  }
  [[gnu::always_inline]] void take_product(const Side& x, const Side& y) {
    for (std::size_t i = 0; i < count; ++i) part[i] -= x.part[i] * y.part[i];
  }
  [[gnu::always_inline]] void times(const Side& x) {
    for (std::size_t i = 0; i < count; ++i) part[i] *= x.part[i];
  }
  [[gnu::always_inline]] void times(double x) {
    for (std::size_t i = 0; i < count; ++i) part[i] *= x;
  }
  [[gnu::always_inline]] void divide(double x) {
    for (std::size_t i = 0; i < count; ++i) part[i] /= x;
  }
  [[gnu::always_inline]] void make_positive() {
    for (std::size_t i = 0; i < count; ++i) {
      part[i] = reinterpret_cast<Vector>(reinterpret_cast<Bits>(part[i]) & std::numeric_limits<std::int64_t>::max());
    }
  }
};

/// Lanes side by side for so many numbers: the least width that takes them in, 8 at most.
[[nodiscard]] inline unsigned width_for(std::size_t lanes) {
  if (lanes >= 5) return 8;
  if (lanes >= 3) return 4;
  return lanes == 2 ? 2 : 1;
}

}  // namespace zwang
