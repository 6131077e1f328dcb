/// Sums of products of coefficients.
#include "zwang/sensitivity/dots.hpp"

namespace zwang::sensitivity {

namespace {

constexpr std::size_t sums_at_once = 8;
static_assert(sums_at_once <= list_margin);

struct Work {
  const SumsOf& of;
  std::size_t first, end;
  unsigned k;
  double weight;
  double* result;
};

/// What belongs to the same parameter, added up.
template <unsigned L>
[[gnu::always_inline]] inline Lanes<L> folded(const Side<sums_at_once>& all) {
  const auto four = all.part[0] + all.part[1];
  Lanes<L> out;
  if constexpr (L == 4) {
    out.part[0] = four;
  } else {
    const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
    if constexpr (L == 2) {
      out.part[0] = two;
    } else {
      out.part = two[0] + two[1];
    }
  }
  return out;
}

template <unsigned L>
[[gnu::always_inline]] inline void add_all(const Work& w) {
  const Lists e = w.of.e;
  const Lists x = w.of.x;
  const Lists sources = w.of.sources;
  const Dot* const dots = w.of.sums.dot.data();
  const Scale* const scales = w.of.sums.scale.data();
  const Aim* const aims = w.of.sums.aim.data();
  const std::size_t shift = std::size_t{w.of.orders - 1 - w.k} * L;
  const std::size_t count = std::size_t{w.k + 1} * L;
  const std::size_t here = std::size_t{w.k} * L;
  for (const Sum *sum = w.of.sums.sum.data() + w.first, *last = w.of.sums.sum.data() + w.end; sum != last; ++sum) {
    Side<sums_at_once> all = Side<sums_at_once>::zero();
    for (const Dot *dot = dots + sum->first_dot, *end = dots + sum->end_dot; dot != end; ++dot) {
      const double* const of_motion = e.at + dot->series * e.stride + shift;
      const double* const of_parameter = x.at + dot->with * x.stride;
      for (std::size_t j = 0; j < count; j += sums_at_once) {
        all.add_product(Side<sums_at_once>::load(of_motion + j), Side<sums_at_once>::load(of_parameter + j));
      }
    }
    Lanes<L> y = folded<L>(all);
    for (const Scale *scale = scales + sum->first_scale, *end = scales + sum->end_scale; scale != end; ++scale) {
      Lanes<L> one = Lanes<L>::load(x.at + scale->with * x.stride + here);
      one.times(scale->by);
      y.add(one);
    }
    if (sum->source != ~std::uint32_t{0}) y.add(Lanes<L>::load(sources.at + sum->source * sources.stride + here));
    for (const Aim *aim = aims + sum->first_aim, *end = aims + sum->end_aim; aim != end; ++aim) {
      Lanes<L> one = y;
      one.times(aim->factor * w.weight);
      double* const to = w.result + std::size_t{aim->at} * L;
      one.add(Lanes<L>::load(to));
      one.store(to);
    }
  }
}

[[gnu::always_inline]] inline void add_for_all_lanes(const Work& w) {
  switch (w.of.lanes) {
    case 1: add_all<1>(w); break;
    case 2: add_all<2>(w); break;
    default: add_all<most_lanes>(w); break;
  }
}

void add_plain(const Work& w) { add_for_all_lanes(w); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void add_wide(const Work& w) { add_for_all_lanes(w); }
const bool sums_wide = __builtin_cpu_supports("avx2") != 0;
#else
constexpr auto add_wide = add_plain;
constexpr bool sums_wide = false;
#endif

}  // namespace

void add_sums(const SumsOf& of, std::size_t first, std::size_t end, unsigned k, double weight, double* result) {
  if (first == end) return;
  const Work work{of, first, end, k, weight, result};
  (sums_wide ? add_wide : add_plain)(work);
}

}  // namespace zwang::sensitivity
