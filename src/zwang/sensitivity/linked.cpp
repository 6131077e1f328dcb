/// Sums over strands, linearised.
#include "zwang/sensitivity/linked.hpp"

#include <algorithm>

#include "zwang/base/side.hpp"

namespace zwang::sensitivity {

/// Written once and compiled for every width of vectors.
struct Linked::Kernels {
  template <std::size_t W>
  [[gnu::always_inline]] static void sums_of_width(Linked& s, unsigned k) {
    using Numbers = Side<W>;
    const std::size_t padded = s.padded_;
    const unsigned m = k + 2;
    for (std::size_t first = 0; first < padded; first += W) {
      // Three sums that wait for nobody but themselves.
      Numbers of_load = Numbers::zero();
      Numbers of_multiplier = Numbers::zero();
      Numbers of_row = Numbers::zero();
      const double* delta = s.delta_.data() + first;
      const double* mu = s.mu_.data() + first;
      const double* load = s.load_.data() + k * padded + first;
      const double* g = s.g_.data() + m * padded + first;
      for (unsigned l = 0; l < k; ++l) {
        const Numbers d = Numbers::load(delta + l * padded);
        of_load.add_product(Numbers::load(load - l * padded), d);
        of_row.add_product(Numbers::load(g - l * padded), d);
        of_multiplier.add_product(Numbers::load(g - (l + 2) * padded), Numbers::load(mu + l * padded));
      }
      const Numbers last = Numbers::load(delta + k * padded);
      of_load.add_product(Numbers::load(s.load_.data() + first), last);
      of_row.add_product(Numbers::load(g - k * padded), last);
      of_row.add_product(Numbers::load(g - (k + 1) * padded), Numbers::load(delta + (k + 1) * padded));
      of_load.add(of_multiplier);
      of_load.store(s.reaction_.data() + first);
      of_row.store(s.part_.data() + first);
    }
  }
  [[gnu::always_inline]] static void sums(Linked& s, unsigned k) {
    switch (s.width_) {
      case 2: sums_of_width<2>(s, k); break;
      case 4: sums_of_width<4>(s, k); break;
      default: sums_of_width<8>(s, k); break;
    }
  }
  static void plain(Linked& s, unsigned k) { sums(s, k); }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  [[gnu::target("avx2")]] static void wide(Linked& s, unsigned k) { sums(s, k); }
  static bool has_wide() { return __builtin_cpu_supports("avx2") != 0; }
#else
  static void wide(Linked& s, unsigned k) { sums(s, k); }
  static bool has_wide() { return false; }
#endif
};

void Linked::lay_out(unsigned orders) {
  orders_ = orders;
  const std::size_t count = strand_.size();
  width_ = count > 4 ? 8 : (count > 2 ? 4 : 2);
  padded_ = (count + width_ - 1) / width_ * width_;
  for (std::vector<double>* list : {&c_, &reaction_, &part_, &stretched_}) list->assign(padded_, 0.0);
  for (AlignedNumbers* list : {&g_, &load_, &pull_, &delta_, &mu_}) list->assign(orders * padded_, 0.0);
}

void Linked::begin(std::size_t s, double c, double gradient) {
  c_[s] = c;
  g_[s] = gradient;
}

void Linked::expand(std::span<const double> position, std::size_t n, unsigned path_orders,
                    std::span<const double> lambda) {
  for (unsigned k = 0; k < orders_; ++k) {
    const double* q = k < path_orders ? position.data() + k * n : nullptr;
    for (std::size_t s = 0; s < strand_.size(); ++s) {
      const Strand& one = strand_[s];
      if (k > 0) {
        g_[k * padded_ + s] = q == nullptr ? 0.0 : c_[s] * (one.sign_a * q[one.a] + one.sign_b * q[one.b]);
      }
      load_[k * padded_ + s] = c_[s] * lambda[std::size_t{one.row} * orders_ + k];
    }
  }
  // Wanted only where a length depends on a parameter.
  any_stretched_ = false;
  std::fill(pull_.begin(), pull_.end(), 0.0);
}

void Linked::follow(std::span<const double> stretched) {
  bool any = false;
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    stretched_[s] = stretched[strand_[s].row];
    any = any || stretched_[s] != 0;
  }
  if (any && !any_stretched_) {
    for (unsigned k = 0; k < orders_; ++k) {
      for (std::size_t s = 0; s < strand_.size(); ++s) {
        // Lambda = C lambda holds a factor C more than lambda.
        double sum = 0;
        for (unsigned l = 0; l <= k; ++l) sum += g_[l * padded_ + s] * load_[(k - l) * padded_ + s];
        pull_[k * padded_ + s] = sum / c_[s];
      }
    }
  }
  any_stretched_ = any_stretched_ || any;
}

void Linked::set(unsigned k, const double* dq) {
  double* to = delta_.data() + k * padded_;
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    const Strand& one = strand_[s];
    to[s] = one.sign_a * dq[one.a] + one.sign_b * dq[one.b];
  }
}

void Linked::set_multipliers(unsigned k, const double* dlambda) {
  double* to = mu_.data() + k * padded_;
  for (std::size_t s = 0; s < strand_.size(); ++s) to[s] = dlambda[strand_[s].row];
}

void Linked::add_up(unsigned k, double* force, double* row) {
  static const bool has_wide = Kernels::has_wide();
  (has_wide ? Kernels::wide : Kernels::plain)(*this, k);
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    const Strand& one = strand_[s];
    const double y = any_stretched_ ? reaction_[s] - stretched_[s] * pull_[k * padded_ + s] : reaction_[s];
    force[one.a] -= one.sign_a * y;
    if (one.sign_b != 0) force[one.b] -= one.sign_b * y;
    row[one.row] += part_[s];
  }
}

}  // namespace zwang::sensitivity
