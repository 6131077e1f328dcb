/// Sums over strands, linearised.
#include "zwang/sensitivity/linked.hpp"

#include <algorithm>
#include <utility>

#include "zwang/base/side.hpp"
#include "zwang/sensitivity/lanes.hpp"

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
  /// Of every strand to its variables and its row.
  template <std::size_t L>
  [[gnu::always_inline]] static void scatter(const Linked& linked, unsigned k, double* force, double* row) {
    const std::size_t strands = linked.strand_.size();
    for (std::size_t s = 0; s < strands; ++s) {
      const Strand& one = linked.strand_[s];
      Lanes<L> y = Lanes<L>::load(linked.reaction_.data() + s * L);
      if (linked.any_stretched_) {
        Lanes<L> pull = Lanes<L>::load(linked.stretched_.data() + s * L);
        pull.times(-linked.pull_[k * strands + s]);
        y.add(pull);
      }
      add_times<L>(y, -one.sign_a, force + std::size_t{one.a} * L);
      if (one.sign_b != 0) add_times<L>(y, -one.sign_b, force + std::size_t{one.b} * L);
      add_times<L>(Lanes<L>::load(linked.part_.data() + s * L), 1, row + std::size_t{one.row} * L);
    }
  }
  template <std::size_t L>
  [[gnu::always_inline]] static void add_times(Lanes<L> x, double factor, double* to) {
    x.times(factor);
    x.add(Lanes<L>::load(to));
    x.store(to);
  }
  template <std::size_t L>
  [[gnu::always_inline]] static void set(Linked& linked, unsigned k, const double* dq) {
    double* to = linked.delta_.data() + k * linked.padded_;
    for (const Strand& one : linked.strand_) {
      Lanes<L> y = Lanes<L>::load(dq + std::size_t{one.a} * L);
      y.times(one.sign_a);
      Lanes<L> b = Lanes<L>::load(dq + std::size_t{one.b} * L);
      b.times(one.sign_b);
      y.add(b);
      y.store(to);
      to += L;
    }
  }

  /// What `find` is asked for.
  struct Find {
    unsigned k;
    double steps;
    const double* right;
    Held& held;
    std::span<double> d, dlambda;
  };
  template <std::size_t L>
  [[gnu::always_inline]] static void find_lanes(Linked& linked, const Find& f) {
    const Weighed* const begin = linked.weighed_.data();
    const Weighed* const end = begin + linked.weighed_.size();
    double* const d = f.d.data();
    double* const dlambda = f.dlambda.data();
    // Forces, and what the conditions miss without them.
    if (f.right == nullptr) {
      for (double& one : f.d) one = 0;
    } else {
      for (std::size_t i = 0; i < f.d.size(); ++i) d[i] = f.right[i];
    }
    for (double& one : f.dlambda) one = 0;
    const double* reaction = linked.reaction_.data();
    const double* part = linked.part_.data();
    for (const Weighed* one = begin; one != end; ++one, reaction += L, part += L) {
      Lanes<L> y = Lanes<L>::load(reaction);
      if (linked.any_stretched_) {
        Lanes<L> pull = Lanes<L>::load(linked.stretched_.data() + static_cast<std::size_t>(one - begin) * L);
        pull.times(-linked.pull_[f.k * linked.strand_.size() + static_cast<std::size_t>(one - begin)]);
        y.add(pull);
      }
      add_times<L>(y, -one->sign_a, d + std::size_t{one->a} * L);
      add_times<L>(y, -one->sign_b, d + std::size_t{one->b} * L);
      add_times<L>(Lanes<L>::load(part), 1, dlambda + std::size_t{one->row} * L);
    }
    const double by_steps = 1 / f.steps;
    const double* const inverse = linked.inverse_mass_.data();
    for (std::size_t i = 0; i < linked.inverse_mass_.size(); ++i) {
      Lanes<L> here = Lanes<L>::load(d + i * L);
      here.times(inverse[i] * by_steps);
      here.store(d + i * L);
    }
    for (const Weighed* one = begin; one != end; ++one) {
      Lanes<L> y = Lanes<L>::load(d + std::size_t{one->a} * L);
      y.times(one->gradient_a);
      Lanes<L> b = Lanes<L>::load(d + std::size_t{one->b} * L);
      b.times(one->gradient_b);
      y.add(b);
      add_times<L>(y, 1, dlambda + std::size_t{one->row} * L);
    }
    f.held.template solve_dual<L>(dlambda);
    for (const Weighed* one = begin; one != end; ++one) {
      const Lanes<L> y = Lanes<L>::load(dlambda + std::size_t{one->row} * L);
      add_times<L>(y, -one->eased_a, d + std::size_t{one->a} * L);
      add_times<L>(y, -one->eased_b, d + std::size_t{one->b} * L);
    }
    for (double& one : f.dlambda) one *= f.steps;
    double* delta = linked.delta_.data() + (f.k + 2) * linked.padded_;
    double* mu = linked.mu_.data() + f.k * linked.padded_;
    for (const Weighed* one = begin; one != end; ++one, delta += L, mu += L) {
      Lanes<L> y = Lanes<L>::load(d + std::size_t{one->a} * L);
      y.times(one->sign_a);
      Lanes<L> b = Lanes<L>::load(d + std::size_t{one->b} * L);
      b.times(one->sign_b);
      y.add(b);
      y.store(delta);
      Lanes<L>::load(dlambda + std::size_t{one->row} * L).store(mu);
    }
  }
  [[gnu::always_inline]] static void find(Linked& s, const Find& f) {
    sums(s, f.k);
    switch (s.lanes_) {
      case 1: find_lanes<1>(s, f); break;
      case 2: find_lanes<2>(s, f); break;
      default: find_lanes<4>(s, f); break;
    }
  }

  [[gnu::always_inline]] static void sums(Linked& s, unsigned k) {
    switch (s.width_) {
      case 2: sums_of_width<2>(s, k); break;
      case 4: sums_of_width<4>(s, k); break;
      default: sums_of_width<8>(s, k); break;
    }
  }
  [[gnu::always_inline]] static void add_up(Linked& s, unsigned k, double* force, double* row) {
    sums(s, k);
    switch (s.lanes_) {
      case 1: scatter<1>(s, k, force, row); break;
      case 2: scatter<2>(s, k, force, row); break;
      default: scatter<4>(s, k, force, row); break;
    }
  }
  [[gnu::always_inline]] static void set_all(Linked& s, unsigned k, const double* dq) {
    switch (s.lanes_) {
      case 1: set<1>(s, k, dq); break;
      case 2: set<2>(s, k, dq); break;
      default: set<4>(s, k, dq); break;
    }
  }
  static void add_up_plain(Linked& s, unsigned k, double* force, double* row) { add_up(s, k, force, row); }
  static void find_plain(Linked& s, const Find& f) { find(s, f); }
  static void set_plain(Linked& s, unsigned k, const double* dq) { set_all(s, k, dq); }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  [[gnu::target("avx2")]] static void add_up_wide(Linked& s, unsigned k, double* force, double* row) {
    add_up(s, k, force, row);
  }
  [[gnu::target("avx2")]] static void find_wide(Linked& s, const Find& f) { find(s, f); }
  [[gnu::target("avx2")]] static void set_wide(Linked& s, unsigned k, const double* dq) { set_all(s, k, dq); }
  static bool has_wide() { return __builtin_cpu_supports("avx2") != 0; }
#else
  static void add_up_wide(Linked& s, unsigned k, double* force, double* row) { add_up(s, k, force, row); }
  static void find_wide(Linked& s, const Find& f) { find(s, f); }
  static void set_wide(Linked& s, unsigned k, const double* dq) { set_all(s, k, dq); }
  static bool has_wide() { return false; }
#endif
};

void Linked::lay_out(unsigned orders) {
  orders_ = orders;
  lanes_ = 0;
  const std::size_t count = strand_.size();
  for (std::vector<double>* list : {&c_, &first_}) list->assign(count, 0.0);
  for (std::vector<double>* list : {&motion_g_, &motion_load_}) list->assign(orders * count, 0.0);
}

/// Every number once for each parameter; where the next ones are.
template <unsigned L>
static const double* copy_each(const double* x, std::size_t count, double* y) {
  for (const double* const end = x + count; x != end; ++x, y += L) {
    for (unsigned p = 0; p < L; ++p) y[p] = *x;
  }
  return x;
}

void Linked::take_lanes(unsigned lanes) {
  const std::size_t strands = strand_.size();
  const std::size_t count = strands * lanes;
  const std::size_t width = count > 4 ? 8 : (count > 2 ? 4 : 2);
  const std::size_t padded = (count + width - 1) / width * width;
  if (padded != padded_ || delta_.size() != orders_ * padded) {
    for (std::vector<double>* list : {&reaction_, &part_, &stretched_}) list->assign(padded, 0.0);
    for (AlignedNumbers* list : {&g_, &load_, &delta_, &mu_}) list->assign(orders_ * padded, 0.0);
  }
  width_ = width;
  padded_ = padded;
  lanes_ = lanes;
  for (const auto& [from, to] : {std::pair(&motion_g_, &g_), std::pair(&motion_load_, &load_)}) {
    const double* x = from->data();
    for (unsigned k = 0; k < orders_; ++k) {
      double* y = to->data() + k * padded;
      if (lanes == 1) {
        std::copy_n(x, strands, y);
        x += strands;
        continue;
      }
      x = lanes == 2 ? copy_each<2>(x, strands, y) : copy_each<most_lanes>(x, strands, y);
    }
  }
}

void Linked::begin(std::size_t s, double c, double gradient) {
  c_[s] = c;
  first_[s] = gradient;
}

void Linked::expand(std::span<const double> position, std::size_t n, unsigned path_orders,
                    std::span<const double> lambda) {
  const std::size_t strands = strand_.size();
  std::copy(first_.begin(), first_.end(), motion_g_.begin());
  for (std::size_t s = 0; s < strands; ++s) {
    const Strand& one = strand_[s];
    const double a = c_[s] * one.sign_a;
    const double b = c_[s] * one.sign_b;
    const double* q = position.data() + n;
    double* g = motion_g_.data() + strands + s;
    const unsigned known = std::min(path_orders, orders_);
    for (unsigned k = 1; k < known; ++k, q += n, g += strands) *g = a * q[one.a] + b * q[one.b];
    for (unsigned k = std::max(known, 1U); k < orders_; ++k, g += strands) *g = 0;
    const double* l = lambda.data() + std::size_t{one.row} * orders_;
    double* load = motion_load_.data() + s;
    for (unsigned k = 0; k < orders_; ++k, load += strands) *load = c_[s] * l[k];
  }
  lanes_ = 0;
  knows_pull_ = false;
}

/// Wanted only where a length depends on a parameter.
void Linked::find_pull() {
  const std::size_t strands = strand_.size();
  pull_.assign(orders_ * strands, 0.0);
  for (unsigned k = 0; k < orders_; ++k) {
    double* const pull = pull_.data() + k * strands;
    for (unsigned l = 0; l <= k; ++l) {
      const double* const g = motion_g_.data() + l * strands;
      const double* const load = motion_load_.data() + (k - l) * strands;
      for (std::size_t s = 0; s < strands; ++s) pull[s] += g[s] * load[s];
    }
    // Lambda = C lambda holds a factor C more than lambda.
    for (std::size_t s = 0; s < strands; ++s) pull[s] /= c_[s];
  }
  knows_pull_ = true;
}

void Linked::follow(unsigned lanes, std::span<const double> stretched) {
  if (lanes != lanes_) take_lanes(lanes);
  any_stretched_ = false;
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    for (unsigned p = 0; p < lanes; ++p) {
      const double one = stretched[std::size_t{strand_[s].row} * lanes + p];
      stretched_[s * lanes + p] = one;
      any_stretched_ = any_stretched_ || one != 0;
    }
  }
  if (any_stretched_ && !knows_pull_) find_pull();
}

void Linked::weigh(std::span<const double> inverse_mass) {
  inverse_mass_.assign(inverse_mass.begin(), inverse_mass.end());
  weighed_.resize(strand_.size());
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    const Strand& one = strand_[s];
    Weighed& out = weighed_[s];
    out = {one.row, one.a, one.b, one.sign_a, one.sign_b, one.sign_a * first_[s], one.sign_b * first_[s], 0, 0};
    out.eased_a = out.gradient_a * inverse_mass[one.a];
    out.eased_b = out.gradient_b * inverse_mass[one.b];
  }
}

void Linked::find(unsigned k, double steps, const double* right, Held& held, std::span<double> d,
                  std::span<double> dlambda) {
  static const bool has_wide = Kernels::has_wide();
  (has_wide ? Kernels::find_wide : Kernels::find_plain)(*this, {k, steps, right, held, d, dlambda});
}

void Linked::set(unsigned k, const double* dq) {
  static const bool has_wide = Kernels::has_wide();
  (has_wide ? Kernels::set_wide : Kernels::set_plain)(*this, k, dq);
}

void Linked::set_multipliers(unsigned k, const double* dlambda) {
  double* to = mu_.data() + k * padded_;
  for (const Strand& one : strand_) {
    const double* const from = dlambda + std::size_t{one.row} * lanes_;
    for (unsigned p = 0; p < lanes_; ++p) *to++ = from[p];
  }
}

void Linked::add_up(unsigned k, double* force, double* row) {
  static const bool has_wide = Kernels::has_wide();
  (has_wide ? Kernels::add_up_wide : Kernels::add_up_plain)(*this, k, force, row);
}

}  // namespace zwang::sensitivity
