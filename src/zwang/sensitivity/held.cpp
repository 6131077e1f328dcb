/// Rows that are held.
#include "zwang/sensitivity/held.hpp"

#include <algorithm>

namespace zwang::sensitivity {

void Held::begin(const linear::Mass& mass) {
  mass_ = &mass;
  start_.assign(1, 0);
  column_.clear();
  entry_.clear();
}

void Held::add(std::vector<std::pair<std::uint32_t, double>>& entries) {
  std::sort(entries.begin(), entries.end());
  for (const auto& [variable, value] : entries) {
    column_.push_back(variable);
    entry_.push_back(value);
  }
  start_.push_back(static_cast<std::uint32_t>(column_.size()));
}

void Held::factor() {
  alone_.clear();
  inverse_.resize(mass_->size());
  for (std::uint32_t i = 0; i < inverse_.size(); ++i) {
    if (mass_->block_of(i) >= 0) continue;
    alone_.push_back(i);
    inverse_[i] = 1 / mass_->diagonal()[i];
  }
  for (const linear::Mass::Block& block : mass_->blocks()) {
    for (std::size_t j = 0; j < block.variables.size(); ++j) {
      inverse_[block.variables[j]] = 1 / block.factor[j * (block.variables.size() + 1)];
    }
  }
  if (start_.size() == 1) return;
  const linear::SparseRows rows{start_, column_, entry_};
  // Rows that turned out dependent are factored in a manner of their own, which is forgotten here.
  const bool same = shaped_start_ == start_ && shaped_column_ == column_ && factor_.skipped_count() == 0;
  if (!same) {
    const std::vector<std::uint8_t> shares(start_.size() - 1, 1);
    factor_.shape(rows, *mass_, shares);
    shaped_start_ = start_;
    shaped_column_ = column_;
  }
  factor_.factor(rows, *mass_);
  invert();
  if (!mass_->is_diagonal()) return;
  eased_.resize(entry_.size());
  for (std::size_t k = 0; k < entry_.size(); ++k) eased_[k] = entry_[k] / mass_->diagonal()[column_[k]];
}

void Held::invert() {
  const std::size_t m = start_.size() - 1;
  inverse_dual_.clear();
  if (m > most_inverted || factor_.skipped_count() > 0 || !(factor_.least_pivot() > inverted_from)) return;
  inverse_dual_.assign(m * m, 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    inverse_dual_[j * m + j] = 1;
    factor_.solve({inverse_dual_.data() + j * m, m});
  }
}

/// Written once and compiled for every number of right-hand sides.
struct Held::Kernels {
  /// x becomes M^-1 x.
  template <unsigned L>
  [[gnu::always_inline]] static void ease(const Held& held, double* x) {
    const double* const inverse = held.inverse_.data();
    for (const std::uint32_t i : held.alone_) {
      double* const at = x + std::size_t{i} * L;
      Lanes<L> one = Lanes<L>::load(at);
      one.times(inverse[i]);
      one.store(at);
    }
    for (const linear::Mass::Block& block : held.mass_->blocks()) ease_block<L>(block, inverse, x);
  }
  /// L u = x, then L^T y = u.
  template <unsigned L>
  [[gnu::always_inline]] static void ease_block(const linear::Mass::Block& block, const double* inverse, double* x) {
    const std::size_t size = block.variables.size();
    const std::uint32_t* const variable = block.variables.data();
    const double* const factor = block.factor.data();
    const auto at = [&](std::size_t i) { return x + std::size_t{variable[i]} * L; };
    for (std::size_t j = 0; j < size; ++j) {
      Lanes<L> one = Lanes<L>::load(at(j));
      one.times(inverse[variable[j]]);
      one.store(at(j));
      for (std::size_t i = j + 1; i < size; ++i) {
        Lanes<L> part = one;
        part.times(-factor[j * size + i]);
        part.add(Lanes<L>::load(at(i)));
        part.store(at(i));
      }
    }
    for (std::size_t j = size; j-- > 0;) {
      Lanes<L> one = Lanes<L>::load(at(j));
      for (std::size_t i = j + 1; i < size; ++i) {
        Lanes<L> part = Lanes<L>::load(at(i));
        part.times(-factor[j * size + i]);
        one.add(part);
      }
      one.times(inverse[variable[j]]);
      one.store(at(j));
    }
  }

  template <unsigned L>
  [[gnu::always_inline]] static void solve(Held& held, std::span<double> right, const double* offset, double* y) {
    ease<L>(held, right.data());
    const std::size_t m = held.start_.size() - 1;
    if (m == 0) return;
    const std::uint32_t* const start = held.start_.data();
    const std::uint32_t* const column = held.column_.data();
    const double* const entry = held.entry_.data();
    for (std::size_t j = 0; j < m; ++j) {
      Lanes<L> sum = Lanes<L>::zero();
      for (std::uint32_t k = start[j]; k < start[j + 1]; ++k) {
        Lanes<L> one = Lanes<L>::load(right.data() + std::size_t{column[k]} * L);
        one.times(entry[k]);
        sum.add(one);
      }
      sum.add(Lanes<L>::load(offset + j * L));
      sum.store(y + j * L);
    }
    held.solve_dual<L>(y);
    const bool diagonal = held.mass_->is_diagonal();
    if (!diagonal) held.pull_.assign(right.size(), 0.0);
    double* const to = diagonal ? right.data() : held.pull_.data();
    const double* const by = diagonal ? held.eased_.data() : entry;
    for (std::size_t j = 0; j < m; ++j) {
      const Lanes<L> here = Lanes<L>::load(y + j * L);
      for (std::uint32_t k = start[j]; k < start[j + 1]; ++k) {
        Lanes<L> one = here;
        one.times(-by[k]);
        one.add(Lanes<L>::load(to + std::size_t{column[k]} * L));
        one.store(to + std::size_t{column[k]} * L);
      }
    }
    if (diagonal) return;
    ease<L>(held, to);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] += to[i];
  }
  [[gnu::always_inline]] static void solve_all(Held& held, unsigned lanes, std::span<double> right,
                                               const double* offset, double* y) {
    switch (lanes) {
      case 1: solve<1>(held, right, offset, y); break;
      case 2: solve<2>(held, right, offset, y); break;
      default: solve<4>(held, right, offset, y); break;
    }
  }
  static void plain(Held& held, unsigned lanes, std::span<double> right, const double* offset, double* y) {
    solve_all(held, lanes, right, offset, y);
  }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  [[gnu::target("avx2")]] static void wide(Held& held, unsigned lanes, std::span<double> right, const double* offset,
                                           double* y) {
    solve_all(held, lanes, right, offset, y);
  }
  static bool has_wide() { return __builtin_cpu_supports("avx2") != 0; }
#else
  static constexpr auto wide = plain;
  static bool has_wide() { return false; }
#endif
};

void Held::solve_lanes(unsigned lanes, std::span<double> right, std::span<const double> offset, std::span<double> y) {
  static const bool has_wide = Kernels::has_wide();
  (has_wide ? Kernels::wide : Kernels::plain)(*this, lanes, right, offset.data(), y.data());
}

void Held::solve(std::span<double> right, std::span<const double> offset, std::span<double> y) {
  solve_lanes(1, right, offset, y);
}

double Held::times(std::size_t row, std::span<const double> x) const {
  double sum = 0;
  for (std::uint32_t k = start_[row]; k < start_[row + 1]; ++k) sum += entry_[k] * x[column_[k]];
  return sum;
}

}  // namespace zwang::sensitivity
