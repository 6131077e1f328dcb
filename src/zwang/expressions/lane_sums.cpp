/// Sums over orders, written once and compiled for every width of vectors.
#include "zwang/expressions/lane_sums.hpp"

#include <cassert>
#include <limits>

namespace zwang::expressions {

namespace {

// Vectors are never handed over, neither to functions nor back: there is one way to do that for every processor. So these are macros in all but name.
template <unsigned W>
struct Sums {
  using V [[gnu::vector_size(W * sizeof(double)), gnu::aligned(8), gnu::may_alias]] = double;
  using Bits [[gnu::vector_size(W * sizeof(double))]] = std::int64_t;
  static constexpr unsigned lanes = W;

  [[gnu::always_inline]] static void load(V& to, const double* from) { to = *reinterpret_cast<const V*>(from); }
  [[gnu::always_inline]] static void store(double* to, const V& from) { *reinterpret_cast<V*>(to) = from; }
  [[gnu::always_inline]] static void load_size(V& to, const double* from) {
    load(to, from);
    to = reinterpret_cast<V>(reinterpret_cast<Bits>(to) & std::numeric_limits<std::int64_t>::max());
  }

  [[gnu::always_inline]] static void sizes_of_two(const SizesOfSeries& s) {
    V r;
    load(r, s.sum.by);
    V other;
    load(other, s.sum.by + lanes);
    const double* c = s.sum.c;
    std::size_t i = 0;
    for (; i + 2 <= s.series; i += 2, c += 2 * s.stride) {
      V first = {};
      V first_other = {};
      V second = {};
      V second_other = {};
      for (unsigned k = s.last; k > 0; --k) {
        V a;
        load_size(a, c + k * s.sum.apart);
        V b;
        load_size(b, c + s.stride + k * s.sum.apart);
        first = (first + a) * r;
        first_other = (first_other + a) * other;
        second = (second + b) * r;
        second_other = (second_other + b) * other;
      }
      store(s.y[0] + i * lanes, first);
      store(s.y[1] + i * lanes, first_other);
      store(s.y[0] + (i + 1) * lanes, second);
      store(s.y[1] + (i + 1) * lanes, second_other);
    }
    if (i == s.series) return;
    V sum = {};
    V sum_other = {};
    for (unsigned k = s.last; k > 0; --k) {
      V a;
      load_size(a, c + k * s.sum.apart);
      sum = (sum + a) * r;
      sum_other = (sum_other + a) * other;
    }
    store(s.y[0] + i * lanes, sum);
    store(s.y[1] + i * lanes, sum_other);
  }
  [[gnu::always_inline]] static void sizes_of_three(const SizesOfSeries& s) {
    V r;
    load(r, s.sum.by);
    V second;
    load(second, s.sum.by + lanes);
    V third;
    load(third, s.sum.by + 2 * lanes);
    const double* c = s.sum.c;
    for (std::size_t i = 0; i < s.series; ++i, c += s.stride) {
      V sum = {};
      V of_second = {};
      V of_third = {};
      for (unsigned k = s.last; k > 0; --k) {
        V a;
        load_size(a, c + k * s.sum.apart);
        sum = (sum + a) * r;
        of_second = (of_second + a) * second;
        of_third = (of_third + a) * third;
      }
      store(s.y[0] + i * lanes, sum);
      store(s.y[1] + i * lanes, of_second);
      store(s.y[2] + i * lanes, of_third);
    }
  }
  [[gnu::always_inline]] static void sizes_of_all(const SizesOfSeries& s) {
    if (s.radii == 2) {
      sizes_of_two(s);
    } else {
      sizes_of_three(s);
    }
  }
  [[gnu::always_inline]] static void rest(const LaneSum& s, unsigned first, unsigned last, double* y) {
    V h;
    load(h, s.by);
    V sum = {};
    for (unsigned k = last + 1; k-- > first;) {
      V c;
      load_size(c, s.c + k * s.apart);
      sum = sum * h + c;
    }
    store(y, sum);
  }
  [[gnu::always_inline]] static void values(const LaneSum& s, unsigned count, double* y) {
    V h;
    load(h, s.by);
    V sum = {};
    for (unsigned k = count; k-- > 0;) {
      V c;
      load(c, s.c + k * s.apart);
      sum = sum * h + c;
    }
    store(y, sum);
  }
  [[gnu::always_inline]] static void rates(const LaneSum& s, unsigned order, double* at_end, double* halfway,
                                           double* terms) {
    V h;
    load(h, s.by);
    const V half_way = 0.5 * h;
    V whole = {};
    V half = {};
    V all = {};
    for (unsigned k = order; k-- > 1;) {
      V a;
      load(a, s.c + k * s.apart);
      a = a * static_cast<double>(k);
      whole = whole * h + a;
      half = half * half_way + a;
      a = reinterpret_cast<V>(reinterpret_cast<Bits>(a) & std::numeric_limits<std::int64_t>::max());
      all = all * h + a;
    }
    store(at_end, whole);
    store(halfway, half);
    store(terms, all);
  }
  [[gnu::always_inline]] static void raise(const LaneSum& s, unsigned last, double* y) {
    V h;
    load(h, s.by);
    V power = 1.0 - V{};
    store(y, power);
    for (unsigned k = 1; k <= last; ++k) {
      power = power * h;
      store(y + k * lanes, power);
    }
  }
  [[gnu::always_inline]] static void size_up(const SizesOfMany& s) {
    const unsigned filled = (s.known + 3) / 4 * 4;
    for (const std::uint32_t reg : s.sized) {
      const double* from = s.registers + reg * s.stride;
      double* term = s.term + reg * s.room;
      double* later = s.later + reg * s.room;
      store(term, V{});
      store(later, V{});
      V sum = {};
      for (unsigned k = 1; k < s.known; ++k) {
        const unsigned at = s.known - k;
        V c;
        load_size(c, from + at * s.apart);
        V h;
        load(h, s.powers + at * lanes);
        c = c * h;
        store(term + at * lanes, c);
        sum = sum + c;
        store(later + k * lanes, sum);
      }
      for (unsigned k = s.known; k < filled; ++k) {
        store(term + k * lanes, V{});
        store(later + k * lanes, V{});
      }
    }
  }
  [[gnu::always_inline]] static void tail(const TailOfMany& s) {
    const auto product = [&](V & sum, unsigned k) __attribute__((always_inline)) {
      V a;
      V b;
      load(a, s.term + k * lanes);
      load(b, s.later + k * lanes);
      sum = sum + a * b;
    };
    V first = {};
    V second = {};
    V third = {};
    V fourth = {};
    switch (s.sums) {
      case 1:
        for (unsigned k = 0; k < s.count; ++k) product(first, k);
        store(s.to, first);
        break;
      case 2:
        for (unsigned k = 0; k < s.count; k += 2) {
          product(first, k);
          product(second, k + 1);
        }
        store(s.to, first + second);
        break;
      default:
        for (unsigned k = 0; k < s.count; k += 4) {
          product(first, k);
          product(second, k + 1);
          product(third, k + 2);
          product(fourth, k + 3);
        }
        store(s.to, (first + third) + (second + fourth));
    }
  }
};

void sizes_plain(const SizesOfSeries& s) { Sums<4>::sizes_of_all(s); }
void rest_plain(const LaneSum& s, unsigned first, unsigned last, double* y) { Sums<4>::rest(s, first, last, y); }
void values_plain(const LaneSum& s, unsigned count, double* y) { Sums<4>::values(s, count, y); }
void rates_plain(const LaneSum& s, unsigned order, double* end, double* half, double* terms) {
  Sums<4>::rates(s, order, end, half, terms);
}
void raise_plain(const LaneSum& s, unsigned last, double* y) { Sums<4>::raise(s, last, y); }
void size_up_plain(const SizesOfMany& s) { Sums<4>::size_up(s); }
void tail_plain(const TailOfMany& s) { Sums<4>::tail(s); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void sizes_fours(const SizesOfSeries& s) { Sums<4>::sizes_of_all(s); }
[[gnu::target("avx2")]] void rest_fours(const LaneSum& s, unsigned first, unsigned last, double* y) {
  Sums<4>::rest(s, first, last, y);
}
[[gnu::target("avx2")]] void values_fours(const LaneSum& s, unsigned count, double* y) { Sums<4>::values(s, count, y); }
[[gnu::target("avx2")]] void rates_fours(const LaneSum& s, unsigned order, double* end, double* half, double* terms) {
  Sums<4>::rates(s, order, end, half, terms);
}
[[gnu::target("avx2")]] void raise_fours(const LaneSum& s, unsigned last, double* y) { Sums<4>::raise(s, last, y); }
[[gnu::target("avx2")]] void size_up_fours(const SizesOfMany& s) { Sums<4>::size_up(s); }
[[gnu::target("avx2")]] void tail_fours(const TailOfMany& s) { Sums<4>::tail(s); }
[[gnu::target("avx512f")]] void sizes_eights(const SizesOfSeries& s) { Sums<8>::sizes_of_all(s); }
[[gnu::target("avx512f")]] void rest_eights(const LaneSum& s, unsigned first, unsigned last, double* y) {
  Sums<8>::rest(s, first, last, y);
}
[[gnu::target("avx512f")]] void values_eights(const LaneSum& s, unsigned count, double* y) {
  Sums<8>::values(s, count, y);
}
[[gnu::target("avx512f")]] void rates_eights(const LaneSum& s, unsigned order, double* end, double* half,
                                             double* terms) {
  Sums<8>::rates(s, order, end, half, terms);
}
[[gnu::target("avx512f")]] void raise_eights(const LaneSum& s, unsigned last, double* y) { Sums<8>::raise(s, last, y); }
[[gnu::target("avx512f")]] void size_up_eights(const SizesOfMany& s) { Sums<8>::size_up(s); }
[[gnu::target("avx512f")]] void tail_eights(const TailOfMany& s) { Sums<8>::tail(s); }
const bool sums_by_fours = __builtin_cpu_supports("avx2") != 0;
const bool sums_by_eights = __builtin_cpu_supports("avx512f") != 0;
#else
constexpr auto sizes_fours = sizes_plain, sizes_eights = sizes_plain;
constexpr auto rest_fours = rest_plain, rest_eights = rest_plain;
constexpr auto values_fours = values_plain, values_eights = values_plain;
constexpr auto rates_fours = rates_plain, rates_eights = rates_plain;
constexpr auto raise_fours = raise_plain, raise_eights = raise_plain;
constexpr auto size_up_fours = size_up_plain, size_up_eights = size_up_plain;
constexpr auto tail_fours = tail_plain, tail_eights = tail_plain;
constexpr bool sums_by_fours = false, sums_by_eights = false;
#endif

template <class F>
F which(unsigned lanes, F plain, F fours, F eights) {
  assert(lanes == 4 || (lanes == most_lanes_at_once && sums_by_eights));
  if (lanes == most_lanes_at_once) return eights;
  return sums_by_fours ? fours : plain;
}

}  // namespace

unsigned lanes_at_once() { return sums_by_eights ? most_lanes_at_once : 4; }

void add_up_sizes(const SizesOfSeries& all) {
  assert(all.radii == 2 || all.radii == 3);
  which(all.sum.lanes, sizes_plain, sizes_fours, sizes_eights)(all);
}
void add_up_rest(const LaneSum& sum, unsigned first, unsigned last, double* y) {
  which(sum.lanes, rest_plain, rest_fours, rest_eights)(sum, first, last, y);
}
void add_up_values(const LaneSum& sum, unsigned count, double* y) {
  which(sum.lanes, values_plain, values_fours, values_eights)(sum, count, y);
}
void add_up_rates(const LaneSum& sum, unsigned order, double* at_end, double* halfway, double* terms) {
  which(sum.lanes, rates_plain, rates_fours, rates_eights)(sum, order, at_end, halfway, terms);
}
void raise_many(const LaneSum& step, unsigned last, double* powers) {
  which(step.lanes, raise_plain, raise_fours, raise_eights)(step, last, powers);
}
void size_up_many(const SizesOfMany& sizes) { which(sizes.lanes, size_up_plain, size_up_fours, size_up_eights)(sizes); }
void add_up_tail(const TailOfMany& tail) { which(tail.lanes, tail_plain, tail_fours, tail_eights)(tail); }

}  // namespace zwang::expressions
