/// A path that is followed by power series.
#pragma once

#include <cstddef>
#include <span>

namespace zwang::sensitivity {

/// A path as power series: q_i(s) = sum_k position[k * n + i] s^k at time + length s.
struct Path {
  double time = 0;
  double length = 1;
  std::size_t n = 0;
  unsigned orders = 0;
  std::span<const double> position;
  std::span<const double> modes;
  [[nodiscard]] double q(std::size_t i, unsigned k) const { return k < orders ? position[k * n + i] : 0.0; }
  [[nodiscard]] double v(std::size_t i, unsigned k) const { return (k + 1) * q(i, k + 1) / length; }
};

}  // namespace zwang::sensitivity
