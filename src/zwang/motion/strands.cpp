/// Strands: how they are laid out, and the sums that take most of the time of a step.
#include "zwang/motion/strands.hpp"

#include <algorithm>
#include <numeric>

namespace zwang::motion {

namespace {

/// For every strand: sum_{l=1..m-1} delta_l delta_{m-l} with m = k + 2, and sum_{l=1..k} delta_l carried_{k-l}.
/// Sums run in rising l for each strand alone, so that the width of the processor's vectors does not show in the result.
template <std::size_t W>
[[gnu::always_inline]] inline void sums_of_width(std::size_t padded, unsigned k, const double* delta, const double* carried,
                                                 double* pairs, double* reaction) {
  const unsigned m = k + 2;
  for (std::size_t first = 0; first < padded; first += W) {
    // The first sum is symmetric: every pair counts twice.
    double p[W] = {};
    const double* low = delta + padded + first;
    const double* high = delta + (m - 1) * padded + first;
    for (; low < high; low += padded, high -= padded) {
      for (std::size_t i = 0; i < W; ++i) p[i] += low[i] * high[i];
    }
    for (std::size_t i = 0; i < W; ++i) p[i] += p[i];
    if (low == high) {
      for (std::size_t i = 0; i < W; ++i) p[i] += low[i] * low[i];
    }
    for (std::size_t i = 0; i < W; ++i) pairs[first + i] = p[i];

    // The second runs over the multipliers so far.
    double r[W] = {};
    const double* d = delta + padded + first;
    const double* c = carried + k * padded + first;
    for (unsigned l = 1; l <= k; ++l, d += padded) {
      c -= padded;
      for (std::size_t i = 0; i < W; ++i) r[i] += d[i] * c[i];
    }
    for (std::size_t i = 0; i < W; ++i) reaction[first + i] = r[i];
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

void sums_plain(std::size_t padded, std::size_t width, unsigned k, const double* delta, const double* carried,
                double* pairs, double* reaction) {
  sums(padded, width, k, delta, carried, pairs, reaction);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void sums_wide(std::size_t padded, std::size_t width, unsigned k, const double* delta,
                                       const double* carried, double* pairs, double* reaction) {
  sums(padded, width, k, delta, carried, pairs, reaction);
}
#endif

}  // namespace

Strands::Sums Strands::choose_sums() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (__builtin_cpu_supports("avx2") != 0) return sums_wide;
#endif
  return sums_plain;
}

void Strands::lay_out(std::size_t variables) {
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
  for (std::vector<double>* list : {&sign_a_, &sign_b_, &c_, &gradient_, &weight_a_, &weight_b_, &part_, &reaction_}) list->assign(padded_, 0.0);
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
  const auto run_of = [&](const std::vector<std::uint32_t>& variable, const std::vector<double>& sign, std::size_t first,
                          std::ptrdiff_t& from) {
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
    const bool run = run_of(a_, sign_a_, chunk * width_, from_a_[chunk]) && run_of(b_, sign_b_, chunk * width_, from_b_[chunk]);
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
