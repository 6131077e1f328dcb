/// Bounds in vectors along the lanes, for every width of vectors.
#include "zwang/expressions/lane_bounds.hpp"

#include <cassert>
#include <cstdint>
#include <limits>

#include "zwang/elementary/several.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/lane_sums.hpp"
#include "zwang/expressions/numbers.hpp"

namespace zwang::expressions {

namespace {

namespace bounds_plain {
#define ZWANG_LANES 4
#include "zwang/expressions/lane_bounds.inc"
#undef ZWANG_LANES
}  // namespace bounds_plain

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace bounds_by_fours {
#define ZWANG_LANES 4
#include "zwang/expressions/lane_bounds.inc"
#undef ZWANG_LANES
}  // namespace bounds_by_fours
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f")
namespace bounds_by_eights {
#define ZWANG_LANES 8
#include "zwang/expressions/lane_bounds.inc"
#undef ZWANG_LANES
}  // namespace bounds_by_eights
#pragma GCC pop_options
const bool bounds_wide = __builtin_cpu_supports("avx2") != 0;
#else
namespace bounds_by_fours = bounds_plain;
namespace bounds_by_eights = bounds_plain;
constexpr bool bounds_wide = false;
#endif

}  // namespace

std::size_t spread_plain_ones(const DiscsOfLanes& discs, std::size_t first) {
  assert(discs.lanes == 4 || discs.lanes == lanes_at_once());
  if (discs.lanes == most_lanes_at_once) return bounds_by_eights::Bounds::spread(discs, first);
  return (bounds_wide ? bounds_by_fours::Bounds::spread : bounds_plain::Bounds::spread)(discs, first);
}

std::size_t bound_plain_ones(const ErrorsOfLanes& errors, std::size_t first) {
  assert(errors.lanes == 4 || errors.lanes == lanes_at_once());
  if (errors.lanes == most_lanes_at_once) return bounds_by_eights::Bounds::bound(errors, first);
  return (bounds_wide ? bounds_by_fours::Bounds::bound : bounds_plain::Bounds::bound)(errors, first);
}

}  // namespace zwang::expressions
