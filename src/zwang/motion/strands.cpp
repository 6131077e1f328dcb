/// Strands: how they are laid out, and the sums that take most of the time of a step.
#include "zwang/motion/strands.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zwang/base/side.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/motion/double_double.hpp"

namespace zwang::motion {

namespace {

/// For every strand: sum_{l=1..m-1} delta_l delta_{m-l} with m = k + 2, and sum_{l=1..k} delta_l carried_{k-l}.
/// Sums run in rising l for each strand alone, so that the width of the processor's vectors does not show in the result.
template <std::size_t W>
[[gnu::always_inline]] inline void sums_of_width(std::size_t padded, unsigned k, const double* delta,
                                                 const double* carried, double* pairs, double* reaction) {
  using Numbers = Side<W>;
  const unsigned m = k + 2;
  for (std::size_t first = 0; first < padded; first += W) {
    // The first sum is symmetric: every pair counts twice.
    Numbers p = Numbers::zero();
    const double* low = delta + padded + first;
    const double* high = delta + (m - 1) * padded + first;
    for (; low < high; low += padded, high -= padded) p.add_product(Numbers::load(low), Numbers::load(high));
    p.add(p);
    if (low == high) p.add_product(Numbers::load(low), Numbers::load(low));
    p.store(pairs + first);

    // The second runs over the multipliers so far.
    Numbers r = Numbers::zero();
    const double* d = delta + padded + first;
    const double* c = carried + k * padded + first;
    for (unsigned l = 1; l <= k; ++l, d += padded) {
      c -= padded;
      r.add_product(Numbers::load(d), Numbers::load(c));
    }
    r.store(reaction + first);
  }
}

[[gnu::always_inline]] inline void sums(std::size_t padded, std::size_t width, unsigned k, const double* delta,
                                        const double* carried, double* pairs, double* reaction) {
  switch (width) {
    case 2: sums_of_width<2>(padded, k, delta, carried, pairs, reaction); break;
    case 4: sums_of_width<4>(padded, k, delta, carried, pairs, reaction); break;
    default: sums_of_width<8>(padded, k, delta, carried, pairs, reaction); break;
  }
}

}  // namespace

/// The loops over strands, written once and compiled for every width of vectors. Chunks of eight whose variables follow one another
/// are plain loops over arrays; the others go by their indices.
struct StrandKernels {
  /// x_a -= weight_a y, x_b -= weight_b y.
  template <std::size_t W>
  [[gnu::always_inline]] static void take_off(const Strands& s, std::size_t first, const Side<W>& y, double* x) {
    const double* weight_a = s.weight_a_.data() + first;
    const double* weight_b = s.weight_b_.data() + first;
    if (s.run_[first / W] != 0) {
      double* a = x + s.from_a_[first / W];
      Side<W> t = Side<W>::load(a);
      t.take_product(Side<W>::load(weight_a), y);
      t.store(a);
      double* b = x + s.from_b_[first / W];
      t = Side<W>::load(b);
      t.take_product(Side<W>::load(weight_b), y);
      t.store(b);
      return;
    }
    double part[W];
    y.store(part);
    for (std::size_t i = 0; i < W; ++i) {
      x[s.a_[first + i]] -= weight_a[i] * part[i];
      x[s.b_[first + i]] -= weight_b[i] * part[i];
    }
  }

  /// sign_a x_a + sign_b x_b.
  template <std::size_t W>
  [[gnu::always_inline]] static Side<W> differences(const Strands& s, std::size_t first, const double* x) {
    const double* sign_a = s.sign_a_.data() + first;
    const double* sign_b = s.sign_b_.data() + first;
    if (s.run_[first / W] != 0) {
      Side<W> y = Side<W>::load(sign_a);
      y.times(Side<W>::load(x + s.from_a_[first / W]));
      y.add_product(Side<W>::load(sign_b), Side<W>::load(x + s.from_b_[first / W]));
      return y;
    }
    double y[W];
    for (std::size_t i = 0; i < W; ++i) y[i] = sign_a[i] * x[s.a_[first + i]] + sign_b[i] * x[s.b_[first + i]];
    return Side<W>::load(y);
  }

  template <std::size_t W>
  [[gnu::always_inline]] static void before_width(Strands& s, const Strands::Order& o) {
    using Numbers = Side<W>;
    const std::size_t padded = s.padded_;
    double* const part = s.part_.data();
    double* const reaction = s.reaction_.data();
    double* const next = s.delta_.data() + (o.k + 1) * padded;
    for (std::size_t first = 0; first < padded; first += W) differences<W>(s, first, o.q_next).store(next + first);
    sums_of_width<W>(padded, o.k, s.delta_.data(), s.carried_.data(), part, reaction);

    // The free accelerations: constant forces at order zero, the reactions of lower multipliers above.
    double* const a = o.a;
    if (o.force != nullptr) {
      for (std::size_t i = 0; i < o.variables; ++i) a[i] = o.inverse_mass[i] * o.force[i];
    } else {
      for (std::size_t i = 0; i < o.variables; ++i) a[i] = 0;
      for (std::size_t first = 0; first < padded; first += W) take_off<W>(s, first, Numbers::load(reaction + first), a);
    }

    // What the rows ask for.
    const double factor = (o.k + 1.0) * (o.k + 2.0) * 0.5;
    for (std::size_t first = 0; first < padded; first += W) {
      Numbers y = Numbers::load(s.c_.data() + first);
      y.times(factor);
      y.times(Numbers::load(part + first));
      y.add_product(Numbers::load(s.gradient_.data() + first), differences<W>(s, first, a));
      y.store(part + first);
    }
    s.gather(o.right);
  }
  [[gnu::always_inline]] static void before(Strands& s, const Strands::Order& o) {
    switch (s.width_) {
      case 2: before_width<2>(s, o); break;
      case 4: before_width<4>(s, o); break;
      default: before_width<8>(s, o); break;
    }
  }

  template <std::size_t W>
  [[gnu::always_inline]] static void after_width(Strands& s, const Strands::Order& o) {
    const std::size_t padded = s.padded_;
    double* const carried = s.carried_.data() + o.k * padded;
    const double* const delta = s.delta_.data();
    s.spread(o.right, carried);
    for (std::size_t first = 0; first < padded; first += W) {
      Side<W> y = Side<W>::load(delta + first);
      y.times(Side<W>::load(carried + first));
      take_off<W>(s, first, y, o.a);
    }
  }
  [[gnu::always_inline]] static void after(Strands& s, const Strands::Order& o) {
    switch (s.width_) {
      case 2: after_width<2>(s, o); break;
      case 4: after_width<4>(s, o); break;
      default: after_width<8>(s, o); break;
    }
  }

  /// Sums of a chunk: sum_{l=1..k+1} delta_l delta_{k+2-l} and sum_{l=1..k} delta_l carried_{k-l}. What has just been computed comes
  /// last, so that the rest need not wait for it.
  template <std::size_t W>
  [[gnu::always_inline]] static void sums_of_chunk(std::size_t padded, unsigned k, const double* delta,
                                                   const double* carried, const Side<W>& newest, Side<W>& pairs,
                                                   Side<W>& reaction) {
    using Numbers = Side<W>;
    const unsigned m = k + 2;
    const double* low = delta + (m - 1) / 2 * padded;
    const double* high = delta + (m / 2 + 1) * padded;
    Numbers p = Numbers::zero();
    for (const double* const first = delta + padded; low != first; low -= padded, high += padded)
      p.add_product(Numbers::load(low), Numbers::load(high));
    p.add_product(Numbers::load(low), newest);
    p.add(p);
    if (m % 2 == 0) p.add_product(Numbers::load(delta + m / 2 * padded), Numbers::load(delta + m / 2 * padded));
    pairs = p;

    Numbers r = Numbers::zero();
    const double* d = delta + k * padded;
    const double* c = carried;
    for (unsigned l = k; l > 0; --l, d -= padded, c += padded) r.add_product(Numbers::load(d), Numbers::load(c));
    reaction = r;
  }

  /// All orders of strands in one run: with r the reactions of lower multipliers, along each strand,
  ///   J b + c = factor c pairs - (own r_s + next r_{s+shift} + before r_{s-shift}),
  ///   a_i = -(weight_a y)_i - (weight_b y)_{i+shift},   y = r + delta_0 c lambda.
  /// `shift` is the distance of the two variables of a strand, if it is known beforehand: neighbours then are taken from registers.
  template <std::size_t W, bool in_pairs, std::size_t known_shift>
  [[gnu::always_inline]] static void run_width(Strands& s, const Strands::Orders& o) {
    using Numbers = Side<W>;
    const std::size_t padded = s.padded_;
    const std::size_t shift = s.shift_;
    const std::size_t n = o.variables;
    double* const delta = s.delta_.data();
    double* const carried = s.carried_.data();
    double* const part = s.part_.data();
    double* const reaction = s.run_list(0);
    const double* const weight_a = s.run_list(1);
    const double* const weight_b = s.run_list(2);
    const double* const own = s.run_list(3);
    const double* const next = s.run_list(4);
    const double* const before = s.run_list(5);
    const double* const sign_a = s.sign_a_.data();
    const double* const sign_b = s.sign_b_.data();
    const double* const c = s.c_.data();
    linear::Tridiagonal* const band = o.factor->band();
    for (unsigned k = 1; k <= o.last; ++k) {
      double* const multipliers = o.lambda + k * o.rows;
      double* const right = band != nullptr ? band->right() : multipliers;

      // Differences of the positions, and the sums over lower orders.
      const double* const q = o.q + (k + 1) * n;
      double* const newest = delta + (k + 1) * padded;
      const double factor = (k + 1.0) * (k + 2.0) * 0.5;
      Numbers here;
      Numbers behind = Numbers::zero();
      for (std::size_t first = 0; first < padded; first += W, behind = here) {
        here = Numbers::load(q + first);
        Numbers d = Numbers::load(sign_a + first);
        d.times(here);
        d.add_product(Numbers::load(sign_b + first), lower<W, known_shift>(behind, here, q + first - shift));
        d.store(newest + first);
        Numbers pairs;
        Numbers r;
        sums_of_chunk<W>(padded, k, delta + first, carried + first, d, pairs, r);
        r.store(reaction + first);
        pairs.times(factor);
        pairs.times(Numbers::load(c + first));
        pairs.store(part + first);
      }

      // What the rows ask for.
      Numbers ahead;
      behind = Numbers::zero();
      here = Numbers::load(reaction);
      for (std::size_t first = 0; first < padded; first += W, behind = here, here = ahead) {
        ahead = Numbers::load(reaction + first + W);
        Numbers y = Numbers::load(part + first);
        y.take_product(Numbers::load(own + first), here);
        y.take_product(Numbers::load(next + first), upper<W, known_shift>(here, ahead, reaction + first + shift));
        y.take_product(Numbers::load(before + first), lower<W, known_shift>(behind, here, reaction + first - shift));
        if constexpr (in_pairs) {
          add_pairs(y, right + first / 2);
        } else {
          y.store(part + first);
        }
      }
      if constexpr (!in_pairs) s.gather(right);
      if (band != nullptr) {
        band->solve();
        for (std::size_t j = 0; j < o.rows; ++j) multipliers[j] = right[j];
      } else {
        o.factor->solve({multipliers, o.rows});
      }

      // The multipliers along the strands.
      double* const carried_now = carried + k * padded;
      if constexpr (!in_pairs) s.spread(multipliers, carried_now);
      for (std::size_t first = 0; first < padded; first += W) {
        Numbers l;
        if constexpr (in_pairs) {
          l = Numbers::load(c + first);
          l.times(twice<W>(right + first / 2));
          l.store(carried_now + first);
        } else {
          l = Numbers::load(carried_now + first);
        }
        Numbers y = Numbers::load(reaction + first);
        y.add_product(Numbers::load(delta + first), l);
        y.store(reaction + first);
      }

      // Accelerations, and what follows from them. The first orders by division, as everywhere.
      double* const v_next = o.v + (k + 1) * n;
      double* const q_next = o.q + (k + 2) * n;
      const double by_v = 1.0 / (k + 1.0);
      const double by_q = by_v / (k + 2.0);
      here = Numbers::load(reaction);
      for (std::size_t first = 0; first < padded; first += W, here = ahead) {
        ahead = Numbers::load(reaction + first + W);
        Numbers a = Numbers::zero();
        a.take_product(Numbers::load(weight_a + first), here);
        a.take_product(Numbers::load(weight_b + first + shift),
                       upper<W, known_shift>(here, ahead, reaction + first + shift));
        if (k < 6) {
          a.divide(k + 1.0);
          a.store(v_next + first);
          a.divide(k + 2.0);
          a.store(q_next + first);
        } else {
          Numbers y = a;
          y.times(by_v);
          y.store(v_next + first);
          a.times(by_q);
          a.store(q_next + first);
        }
      }
    }
  }
  /// One row alone whose strands have one variable each: a point on a circle or a sphere. Everything stays in registers.
  template <std::size_t W>
  [[gnu::always_inline]] static void run_alone(Strands& s, const Strands::Orders& o) {
    using Numbers = Side<W>;
    double* const delta = s.delta_.data();
    double* const carried = s.carried_.data();
    const Numbers c = Numbers::load(s.c_.data());
    const Numbers sign = Numbers::load(s.sign_a_.data());
    const Numbers weight = Numbers::load(s.weight_a_.data());
    const Numbers own = Numbers::load(s.run_list(3));
    const Numbers start = Numbers::load(delta);
    const double inverse = o.factor->band()->inverse_of_one();
    const std::size_t n = o.variables;
    const double* q = o.q + 2 * n;
    double* q_next = o.q + 3 * n;
    double* v_next = o.v + 2 * n;
    Numbers newest = Numbers::load(q);
    for (unsigned k = 1; k <= o.last; ++k, q_next += n, v_next += n) {
      newest.times(sign);
      newest.store(delta + (k + 1) * W);
      Numbers y;
      Numbers r;
      sums_of_chunk<W>(W, k, delta, carried, newest, y, r);
      y.times((k + 1.0) * (k + 2.0) * 0.5);
      y.times(c);
      y.take_product(own, r);
      double sum = 0;
      for (std::size_t i = 0; i < W; ++i) sum += y.part[i / Numbers::width][i % Numbers::width];
      sum *= inverse;
      o.lambda[k] = sum;
      Numbers l = c;
      l.times(sum);
      l.store(carried + k * W);
      r.add_product(start, l);
      Numbers a = Numbers::zero();
      a.take_product(weight, r);
      if (k < 6) {
        a.divide(k + 1.0);
        a.store(v_next);
        a.divide(k + 2.0);
      } else {
        Numbers v = a;
        v.times(1.0 / (k + 1.0));
        v.store(v_next);
        a.times(1.0 / (k + 1.0) / (k + 2.0));
      }
      a.store(q_next);
      newest = a;
    }
  }

  [[gnu::always_inline]] static void run(Strands& s, const Strands::Orders& o) {
    if (o.rows == 1 && s.shift_ == 0 && o.factor->band() != nullptr && s.padded_ == s.width_ && s.width_ < 8) {
      if (s.width_ == 2) {
        run_alone<2>(s, o);
      } else {
        run_alone<4>(s, o);
      }
      return;
    }
    if (s.in_pairs_) {
      run_pairs<true>(s, o);
    } else {
      run_pairs<false>(s, o);
    }
  }
  template <bool in_pairs>
  [[gnu::always_inline]] static void run_pairs(Strands& s, const Strands::Orders& o) {
    switch (s.width_) {
      case 2: run_width<2, in_pairs, 0>(s, o); break;
      case 4: run_width<4, in_pairs, 0>(s, o); break;
      default:
        if (in_pairs && s.shift_ == 2) {
          run_width<8, in_pairs, 2>(s, o);
        } else if (!in_pairs && s.shift_ == 3) {
          run_width<8, in_pairs, 3>(s, o);
        } else {
          run_width<8, in_pairs, 0>(s, o);
        }
    }
  }

  /// Numbers some places further on, or back: from registers where the distance is known, else from where they lie.
  template <std::size_t W, std::size_t shift>
  [[gnu::always_inline]] static Side<W> upper(const Side<W>& here, const Side<W>& ahead, const double* from) {
    if constexpr (W == 8 && shift == 2) {
      Side<W> y;
      y.part[0] = __builtin_shufflevector(here.part[0], here.part[1], 2, 3, 4, 5);
      y.part[1] = __builtin_shufflevector(here.part[1], ahead.part[0], 2, 3, 4, 5);
      return y;
    } else if constexpr (W == 8 && shift == 3) {
      Side<W> y;
      y.part[0] = __builtin_shufflevector(here.part[0], here.part[1], 3, 4, 5, 6);
      y.part[1] = __builtin_shufflevector(here.part[1], ahead.part[0], 3, 4, 5, 6);
      return y;
    } else {
      return Side<W>::load(from);
    }
  }
  template <std::size_t W, std::size_t shift>
  [[gnu::always_inline]] static Side<W> lower(const Side<W>& behind, const Side<W>& here, const double* from) {
    if constexpr (W == 8 && shift == 2) {
      Side<W> y;
      y.part[0] = __builtin_shufflevector(behind.part[1], here.part[0], 2, 3, 4, 5);
      y.part[1] = __builtin_shufflevector(here.part[0], here.part[1], 2, 3, 4, 5);
      return y;
    } else if constexpr (W == 8 && shift == 3) {
      Side<W> y;
      y.part[0] = __builtin_shufflevector(behind.part[1], here.part[0], 1, 2, 3, 4);
      y.part[1] = __builtin_shufflevector(here.part[0], here.part[1], 1, 2, 3, 4);
      return y;
    } else {
      return Side<W>::load(from);
    }
  }

  /// Sums of neighbours.
  template <std::size_t W>
  [[gnu::always_inline]] static void add_pairs(const Side<W>& y, double* to) {
    if constexpr (W == 8) {
      using Vector = typename Side<W>::Vector;
      const Vector even = __builtin_shufflevector(y.part[0], y.part[1], 0, 2, 4, 6);
      const Vector odd = __builtin_shufflevector(y.part[0], y.part[1], 1, 3, 5, 7);
      *reinterpret_cast<Vector*>(to) = even + odd;
    } else {
      for (std::size_t j = 0; j < W / 2; ++j) {
        const auto& part = y.part[2 * j / Side<W>::width];
        const std::size_t at = 2 * j % Side<W>::width;
        to[j] = part[at] + part[at + 1];
      }
    }
  }
  /// Every number twice.
  template <std::size_t W>
  [[gnu::always_inline]] static Side<W> twice(const double* x) {
    Side<W> y;
    if constexpr (W == 8) {
      using Vector = typename Side<W>::Vector;
      const Vector all = *reinterpret_cast<const Vector*>(x);
      y.part[0] = __builtin_shufflevector(all, all, 0, 0, 1, 1);
      y.part[1] = __builtin_shufflevector(all, all, 2, 2, 3, 3);
    } else {
      for (std::size_t i = 0; i < W; ++i) y.part[i / Side<W>::width][i % Side<W>::width] = x[i / 2];
    }
    return y;
  }

  /// What the series of a chunk leave out: of its reactions beyond order `last` - 2, of its rows beyond `last`.
  template <std::size_t W>
  [[gnu::always_inline]] static void bound_width(Strands& s, const Strands::Reach& o) {
    using Numbers = Side<W>;
    const std::size_t padded = s.padded_;
    const double* const power = o.stretch->of_length;
    const unsigned last = o.last;
    double term[expressions::Stretch::most * W];   // |delta_k| h^k
    double later[expressions::Stretch::most * W];  // sum_{i>=k}
    for (std::size_t first = 0; first < padded; first += W) {
      // Coefficients of the last order are not kept.
      Numbers some = differences<W>(s, first, o.q_last);
      Numbers sum = Numbers::zero();
      for (unsigned k = last; k > 0; --k) {
        some.make_positive();
        some.times(power[k]);
        some.store(term + k * W);
        sum.add(some);
        sum.store(later + k * W);
        some = Numbers::load(s.delta_.data() + (k - 1) * padded + first);
      }
      Numbers pressed = Numbers::zero();
      const double* carried = s.carried_.data() + first;
      for (unsigned j = 0; j + 2 <= last; ++j, carried += padded) {
        some = Numbers::sizes(carried);
        some.times(power[j]);
        pressed.add_product(some, Numbers::load(later + (last - 1 - j) * W));
      }
      pressed.store(s.reaction_.data() + first);
      Numbers left = Numbers::zero();
      for (unsigned k = 1; k <= last; ++k)
        left.add_product(Numbers::load(term + k * W), Numbers::load(later + (last + 1 - k) * W));
      Numbers c = Numbers::sizes(s.c_.data() + first);
      c.times(0.5);
      left.times(c);
      left.store(s.part_.data() + first);
    }
  }
  [[gnu::always_inline]] static void bound(Strands& s, const Strands::Reach& o) {
    switch (s.width_) {
      case 2: bound_width<2>(s, o); break;
      case 4: bound_width<4>(s, o); break;
      default: bound_width<8>(s, o); break;
    }
  }

  static void sums_plain(std::size_t padded, std::size_t width, unsigned k, const double* delta, const double* carried,
                         double* pairs, double* reaction) {
    sums(padded, width, k, delta, carried, pairs, reaction);
  }
  static void before_plain(Strands& s, const Strands::Order& order) { before(s, order); }
  static void after_plain(Strands& s, const Strands::Order& order) { after(s, order); }
  static void run_plain(Strands& s, const Strands::Orders& orders) { run(s, orders); }
  static void bound_plain(Strands& s, const Strands::Reach& reach) { bound(s, reach); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  [[gnu::target("avx2")]] static void sums_wide(std::size_t padded, std::size_t width, unsigned k, const double* delta,
                                                const double* carried, double* pairs, double* reaction) {
    sums(padded, width, k, delta, carried, pairs, reaction);
  }
  [[gnu::target("avx2")]] static void before_wide(Strands& s, const Strands::Order& order) { before(s, order); }
  [[gnu::target("avx2")]] static void after_wide(Strands& s, const Strands::Order& order) { after(s, order); }
  [[gnu::target("avx2")]] static void run_wide(Strands& s, const Strands::Orders& orders) { run(s, orders); }
  [[gnu::target("avx2")]] static void bound_wide(Strands& s, const Strands::Reach& reach) { bound(s, reach); }
#endif
};

void Strands::choose_kernels() {
  sums_ = StrandKernels::sums_plain;
  before_ = StrandKernels::before_plain;
  after_ = StrandKernels::after_plain;
  orders_of_run_ = StrandKernels::run_plain;
  bounds_ = StrandKernels::bound_plain;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (__builtin_cpu_supports("avx2") != 0) {
    sums_ = StrandKernels::sums_wide;
    before_ = StrandKernels::before_wide;
    after_ = StrandKernels::after_wide;
    orders_of_run_ = StrandKernels::run_wide;
    bounds_ = StrandKernels::bound_wide;
  }
#endif
}

void Strands::residual(const double* v, const double* a, double* right) const {
  const std::size_t count = strand_.size();
  std::size_t s = 0;
  while (s < count) {
    const std::uint32_t row = row_[s];
    DoubleDouble sum{0, 0};
    const auto add_product = [&](double x, double y) {
      const DoubleDouble product = exact_product(x, y);
      const DoubleDouble total = exact_sum(sum.high, product.high);
      sum = {total.high, sum.low + total.low + product.low};
    };
    const double c = c_[s];
    for (; s < count && row_[s] == row; ++s) {
      const double share = c_[s] / c;
      const double delta = share * delta_[s];
      add_product(delta, sign_a_[s] * a[a_[s]]);
      if (sign_b_[s] != 0) add_product(delta, sign_b_[s] * a[b_[s]]);
      const double speed = sign_a_[s] * v[a_[s]] + sign_b_[s] * v[b_[s]];
      add_product(share * speed, speed);
    }
    right[row] = c * (sum.high + sum.low);
  }
}

void Strands::refine(const double* change, double* a, double* rest) const {
  const auto take_off = [&](std::uint32_t i, double y) {
    const DoubleDouble less = exact_sum(a[i], -y);
    rest[i] += less.low;
    a[i] = less.high;
  };
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    const double y = gradient_[s] * change[row_[s]];
    take_off(a_[s], weight_a_[s] * y);
    if (sign_b_[s] != 0) take_off(b_[s], weight_b_[s] * y);
  }
}

void Strands::forget_overflow() {
  zero_what_is_not_finite(delta_);
  zero_what_is_not_finite(carried_);
  for (std::vector<double>* list : {&part_, &reaction_, &run_room_}) zero_what_is_not_finite(*list);
}

void Strands::lay_out(std::size_t variables) {
  choose_kernels();
  const std::size_t count = strand_.size();
  width_ = count > 4 ? 8 : (count > 2 ? 4 : 2);
  padded_ = (count + width_ - 1) / width_ * width_;

  // By row, then by variable; the later variable is called a, so that the conditions of a chain make runs.
  for (Strand& one : strand_) {
    if (one.sign_b != 0 && one.b > one.a) {
      std::swap(one.a, one.b);
      std::swap(one.sign_a, one.sign_b);
    }
  }
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    return strand_[x].row != strand_[y].row ? strand_[x].row < strand_[y].row : strand_[x].a < strand_[y].a;
  });
  place_.assign(count, 0);
  row_.assign(padded_, 0);
  a_.assign(padded_, count > 0 ? strand_[0].a : 0);
  b_ = a_;
  for (std::vector<double>* list : {&sign_a_, &sign_b_, &c_, &gradient_, &weight_a_, &weight_b_, &part_, &reaction_})
    list->assign(padded_, 0.0);
  in_pairs_ = true;
  for (std::uint32_t s = 0; s < count; ++s) {
    const Strand& one = strand_[order[s]];
    place_[order[s]] = s;
    row_[s] = one.row;
    a_[s] = one.a;
    b_[s] = one.sign_b != 0 ? one.b : one.a;
    sign_a_[s] = one.sign_a;
    sign_b_[s] = one.sign_b;
    c_[s] = one.c;
    in_pairs_ = in_pairs_ && one.row == s / 2;
  }
  in_pairs_ = in_pairs_ && count % 2 == 0;

  // Runs: a and b both count up through the chunk, where they matter.
  const std::size_t chunks = width_ == 0 ? 0 : padded_ / width_;
  run_.assign(chunks, 0);
  from_a_.assign(chunks, 0);
  from_b_.assign(chunks, 0);
  const auto run_of = [&](const std::vector<std::uint32_t>& variable, const std::vector<double>& sign,
                          std::size_t first, std::ptrdiff_t& from) {
    bool known = false;
    from = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      if (sign[first + i] == 0) continue;
      const auto here = static_cast<std::ptrdiff_t>(variable[first + i]) - static_cast<std::ptrdiff_t>(i);
      if (known && here != from) return false;
      from = here;
      known = true;
    }
    const auto room = static_cast<std::ptrdiff_t>(margin);
    return from >= -room && from + static_cast<std::ptrdiff_t>(width_) <= static_cast<std::ptrdiff_t>(variables) + room;
  };
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const bool run =
        run_of(a_, sign_a_, chunk * width_, from_a_[chunk]) && run_of(b_, sign_b_, chunk * width_, from_b_[chunk]);
    run_[chunk] = run ? 1 : 0;
  }
  delta_.assign(orders_ * padded_, 0.0);
  carried_.assign(orders_ * padded_, 0.0);
  find_run(variables);
}

void Strands::find_run(std::size_t variables) {
  // Strand s is at variable s, and at s - shift if it has two; the variables end with the strands.
  const std::size_t count = strand_.size();
  one_run_ = count > 0 && variables <= padded_;
  bool known = false;
  shift_ = 0;
  for (std::size_t s = 0; one_run_ && s < count; ++s) {
    one_run_ = a_[s] == s;
    if (sign_b_[s] == 0) continue;
    one_run_ = one_run_ && b_[s] < s && s - b_[s] <= margin && (!known || s - b_[s] == shift_);
    shift_ = s - b_[s];
    known = true;
  }
  if (one_run_) run_room_.assign(6 * run_stride(), 0.0);
}

void Strands::bound(const Reach& reach, double* load, double* row) {
  bounds_(*this, reach);
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    load[a_[s]] += reaction_[s];
    if (sign_b_[s] != 0) load[b_[s]] += reaction_[s];
    row[row_[s]] += part_[s];
  }
}

void Strands::take_masses(std::span<const double> inverse_mass) {
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    gradient_[s] = c_[s] * delta_[s];
    if (inverse_mass.empty()) continue;
    weight_a_[s] = sign_a_[s] * inverse_mass[a_[s]];
    weight_b_[s] = sign_b_[s] * inverse_mass[b_[s]];
  }
  if (!one_run_ || inverse_mass.empty()) return;
  double* const weight_a = run_list(1);
  double* const weight_b = run_list(2);
  std::copy(weight_a_.begin(), weight_a_.end(), weight_a);
  std::copy(weight_b_.begin(), weight_b_.end(), weight_b);
  // A reaction acts on the variables of its strand, and those count in the rows of the strands beside.
  double* const own = run_list(3);
  double* const next = run_list(4);
  double* const before = run_list(5);
  for (std::size_t s = 0; s < padded_; ++s) {
    own[s] = gradient_[s] * (sign_a_[s] * weight_a[s] + sign_b_[s] * weight_b[s]);
    next[s] = gradient_[s] * (sign_a_[s] * weight_b[s + shift_]);
    before[s] = gradient_[s] * (sign_b_[s] * *(weight_a + s - shift_));
  }
}

}  // namespace zwang::motion
