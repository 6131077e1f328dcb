/// Sums of products of coefficients.
#include "zwang/sensitivity/dots.hpp"

namespace zwang::sensitivity {

namespace {

using Eight [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = double;

struct Work {
  const Sums& sums;
  std::size_t first, end;
  const Lists &e, &x, &sources;
  unsigned orders, k;
  double weight;
  double* result;
};

[[gnu::always_inline]] inline void add_all(const Work& w) {
  const std::size_t shift = w.orders - 1 - w.k;
  for (std::size_t n = w.first; n < w.end; ++n) {
    const Sum& sum = w.sums.sum[n];
    Eight in_turn = {};
    for (std::uint32_t d = sum.first_dot; d < sum.end_dot; ++d) {
      const double* e = w.e.at + w.sums.dot[d].series * w.e.stride + shift;
      const double* x = w.x.at + w.sums.dot[d].with * w.x.stride;
      for (unsigned j = 0; j <= w.k; j += list_margin) {
        in_turn += *reinterpret_cast<const Eight*>(e + j) * *reinterpret_cast<const Eight*>(x + j);
      }
    }
    const auto four =
        __builtin_shufflevector(in_turn, in_turn, 0, 1, 2, 3) + __builtin_shufflevector(in_turn, in_turn, 4, 5, 6, 7);
    const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
    double y = two[0] + two[1];
    for (std::uint32_t s = sum.first_scale; s < sum.end_scale; ++s) {
      y += w.sums.scale[s].by * w.x.at[w.sums.scale[s].with * w.x.stride + w.k];
    }
    if (sum.source != ~std::uint32_t{0}) y += w.sources.at[sum.source * w.sources.stride + w.k];
    for (std::uint32_t a = sum.first_aim; a < sum.end_aim; ++a) {
      w.result[w.sums.aim[a].at] += w.sums.aim[a].factor * w.weight * y;
    }
  }
}

void add_plain(const Work& w) { add_all(w); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void add_wide(const Work& w) { add_all(w); }
[[gnu::target("avx512f")]] void add_widest(const Work& w) { add_all(w); }
const bool sums_wide = __builtin_cpu_supports("avx2") != 0;
const bool sums_widest = __builtin_cpu_supports("avx512f") != 0;
#else
constexpr auto add_wide = add_plain;
constexpr auto add_widest = add_plain;
constexpr bool sums_wide = false;
constexpr bool sums_widest = false;
#endif

}  // namespace

void add_sums(const Sums& sums, std::size_t first, std::size_t end, const Lists& e, const Lists& x,
              const Lists& sources, unsigned orders, unsigned k, double weight, double* result) {
  const Work work{sums, first, end, e, x, sources, orders, k, weight, result};
  (sums_widest ? add_widest : (sums_wide ? add_wide : add_plain))(work);
}

}  // namespace zwang::sensitivity
