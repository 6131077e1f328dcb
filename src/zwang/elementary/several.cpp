/// The quick ways of circular.cpp, hyperbolic.cpp and exponential.cpp, operation by operation, in vectors.
#include "zwang/elementary/several.hpp"

#include <cstddef>
#include <cstdint>

#include "zwang/elementary/elementary.hpp"
#include "zwang/elementary/kernels.hpp"

namespace zwang::elementary {

namespace {

using Circular = void (*)(const double*, double*, double*, std::int64_t*);
using OfOne = void (*)(const double*, double*, std::int64_t*);
using OfTwo = void (*)(const double*, const double*, double*, std::int64_t*);

// The kernels by fours and by eights, where the processor has such vectors; in others nothing is gained.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2")
namespace fours {
#define ZWANG_LANES 4
#include "zwang/elementary/several_kernels.inc"
#undef ZWANG_LANES
}  // namespace fours
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl")
namespace eights {
#define ZWANG_LANES 8
#include "zwang/elementary/several_kernels.inc"
#undef ZWANG_LANES
}  // namespace eights
#pragma GCC pop_options
const bool several_by_fours = __builtin_cpu_supports("avx2") != 0;
const bool several_by_eights = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                               __builtin_cpu_supports("avx512vl") != 0;
#else
struct Several {
  static constexpr Circular sin_cos = nullptr;
  static constexpr OfOne sinh = nullptr;
  static constexpr OfTwo hypot = nullptr;
};
namespace fours {
using Several = elementary::Several;
}
namespace eights {
using Several = elementary::Several;
}
constexpr bool several_by_fours = false, several_by_eights = false;
#endif

/// Calls some(first, function) for eights and fours, and alone(number) for each that is left or not settled.
template <class F, class Some, class Alone>
void by_vectors(unsigned count, F fours, F eights, const Some& some, const Alone& alone) {
  std::int64_t good[8];
  unsigned at = 0;
  const auto run = [&](unsigned width, F way) {
    for (; at + width <= count; at += width) {
      some(at, way, good);
      for (unsigned l = 0; l < width; ++l) {
        if (good[l] == 0) [[unlikely]]
          alone(at + l);
      }
    }
  };
  if (several_by_eights) run(8, eights);
  if (several_by_fours) run(4, fours);
  for (; at < count; ++at) alone(at);
}

}  // namespace

void sin_cos(const double* x, unsigned count, double* sine, double* cosine) {
  by_vectors<Circular>(
      count, fours::Several::sin_cos, eights::Several::sin_cos,
      [&](unsigned at, Circular way, std::int64_t* good) { way(x + at, sine + at, cosine + at, good); },
      [&](unsigned at) {
        const SineCosine one = sin_cos(x[at]);
        sine[at] = one.sine;
        cosine[at] = one.cosine;
      });
}

void sinh(const double* x, unsigned count, double* y) {
  by_vectors<OfOne>(
      count, fours::Several::sinh, eights::Several::sinh,
      [&](unsigned at, OfOne way, std::int64_t* good) { way(x + at, y + at, good); },
      [&](unsigned at) { y[at] = sinh(x[at]); });
}

void hypot(const double* a, const double* b, unsigned count, double* y) {
  by_vectors<OfTwo>(
      count, fours::Several::hypot, eights::Several::hypot,
      [&](unsigned at, OfTwo way, std::int64_t* good) { way(a + at, b + at, y + at, good); },
      [&](unsigned at) { y[at] = hypot(a[at], b[at]); });
}

}  // namespace zwang::elementary
