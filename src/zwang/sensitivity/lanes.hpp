/// Numbers of some parameters side by side.
#pragma once

#include <cstddef>
#include <type_traits>

#include "zwang/base/side.hpp"

namespace zwang::sensitivity {

/// Parameters that may go side by side: 1, 2 or this.
inline constexpr unsigned most_lanes = 4;

/// A single number in the manner of `Side`: compilers make more of it than of a vector of one.
struct OneLane {
  double part = 0;

  [[gnu::always_inline]] static OneLane load(const double* x) { return {*x}; }
  [[gnu::always_inline]] static OneLane zero() { return {}; }
  [[gnu::always_inline]] void store(double* x) const { *x = part; }
  [[gnu::always_inline]] void add(const OneLane& x) { part += x.part; }
  [[gnu::always_inline]] void times(const OneLane& x) { part *= x.part; }
  [[gnu::always_inline]] void times(double x) { part *= x; }
};

template <std::size_t L>
using Lanes = std::conditional_t<L == 1, OneLane, Side<L>>;

}  // namespace zwang::sensitivity
