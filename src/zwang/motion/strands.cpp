/// Strands: how they are laid out, and the sums that take most of the time of a step.
#include "zwang/motion/strands.hpp"

#include <algorithm>
#include <numeric>

#include "zwang/motion/double_double.hpp"

namespace zwang::motion {

namespace {

/// W numbers side by side, as vectors of four (of two, if there are no more). The compiler makes of them what the processor has.
template <std::size_t W>
struct Side {
  static constexpr std::size_t width = W >= 4 ? 4 : 2;
  static constexpr std::size_t count = W / width;
  using Vector [[gnu::vector_size(width * sizeof(double)), gnu::aligned(8), gnu::may_alias]] = double;
  Vector part[count];

  [[gnu::always_inline]] static Side load(const double* x) {
    Side y;
    for (std::size_t i = 0; i < count; ++i) y.part[i] = *reinterpret_cast<const Vector*>(x + i * width);
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
};

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

  static void sums_plain(std::size_t padded, std::size_t width, unsigned k, const double* delta, const double* carried,
                         double* pairs, double* reaction) {
    sums(padded, width, k, delta, carried, pairs, reaction);
  }
  static void before_plain(Strands& s, const Strands::Order& order) { before(s, order); }
  static void after_plain(Strands& s, const Strands::Order& order) { after(s, order); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  [[gnu::target("avx2")]] static void sums_wide(std::size_t padded, std::size_t width, unsigned k, const double* delta,
                                                const double* carried, double* pairs, double* reaction) {
    sums(padded, width, k, delta, carried, pairs, reaction);
  }
  [[gnu::target("avx2")]] static void before_wide(Strands& s, const Strands::Order& order) { before(s, order); }
  [[gnu::target("avx2")]] static void after_wide(Strands& s, const Strands::Order& order) { after(s, order); }
#endif
};

void Strands::choose_kernels() {
  sums_ = StrandKernels::sums_plain;
  before_ = StrandKernels::before_plain;
  after_ = StrandKernels::after_plain;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (__builtin_cpu_supports("avx2") != 0) {
    sums_ = StrandKernels::sums_wide;
    before_ = StrandKernels::before_wide;
    after_ = StrandKernels::after_wide;
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
}

void Strands::weigh(std::span<const double> inverse_mass) {
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    gradient_[s] = c_[s] * delta_[s];
    if (inverse_mass.empty()) continue;
    weight_a_[s] = sign_a_[s] * inverse_mass[a_[s]];
    weight_b_[s] = sign_b_[s] * inverse_mass[b_[s]];
  }
}

}  // namespace zwang::motion
