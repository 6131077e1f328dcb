/// Rows that are held, as a matrix, and the factor of their dual matrix: M x + J^T y = right, J x = -offset.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "zwang/linear/gram_factor.hpp"
#include "zwang/matrix.hpp"
#include "zwang/sensitivity/lanes.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

class Held {
 public:
  /// Of no rows. The mass must outlive it.
  void begin(const linear::Mass& mass);
  /// One row more, of entries (variable, number) in any order; they are sorted.
  void add(std::vector<std::pair<std::uint32_t, double>>& entries);
  /// After the last row. The rows of the time before may have been others.
  void factor();

  /// `right` becomes x.
  void solve(std::span<double> right, std::span<const double> offset, std::span<double> y);
  /// Several right-hand sides: number p of a variable or row lies at [variable * lanes + p], lanes 1, 2 or 4.
  void solve_lanes(unsigned lanes, std::span<double> right, std::span<const double> offset, std::span<double> y);
  /// y becomes (J M^-1 J^T)^-1 y, of L right-hand sides; there are rows.
  template <unsigned L>
  void solve_dual(double* y);
  /// The inverse masses of all variables, if these are single numbers.
  [[nodiscard]] std::span<const double> inverse_masses() const { return inverse_; }
  [[nodiscard]] bool unique() const { return start_.size() == 1 || factor_.skipped_count() == 0; }
  [[nodiscard]] double times(std::size_t row, std::span<const double> x) const;

 private:
  struct Kernels;
  void invert();

  const linear::Mass* mass_ = nullptr;
  std::vector<std::uint32_t> start_{0}, column_;
  std::vector<double> entry_, pull_, single_;
  std::vector<std::uint32_t> alone_;  ///< variables whose masses are single numbers
  std::vector<double> inverse_;       ///< of those, and of the pivots of the others
  std::vector<double> eased_;         ///< entries over the masses of their variables, if these are single numbers
  std::vector<std::uint32_t> shaped_start_, shaped_column_;  ///< those for which the factor has its shape
  linear::GramFactor factor_;
  std::vector<double> inverse_dual_;  ///< of few rows that are clearly independent; else empty
};

template <unsigned L>
[[gnu::always_inline]] inline void Held::solve_dual(double* y) {
  const std::size_t m = start_.size() - 1;
  if (!inverse_dual_.empty()) {
    // Symmetric: rows are columns.
    double kept[most_inverted * L];
    for (std::size_t k = 0; k < m * L; ++k) kept[k] = y[k];
    const double* row = inverse_dual_.data();
    for (std::size_t j = 0; j < m; ++j, row += m) {
      Lanes<L> sum = Lanes<L>::zero();
      for (std::size_t k = 0; k < m; ++k) {
        Lanes<L> one = Lanes<L>::load(kept + k * L);
        one.times(row[k]);
        sum.add(one);
      }
      sum.store(y + j * L);
    }
    return;
  }
  if constexpr (L == 1) {
    factor_.solve({y, m});
  } else {
    single_.resize(m);
    for (unsigned p = 0; p < L; ++p) {
      for (std::size_t j = 0; j < m; ++j) single_[j] = y[j * L + p];
      factor_.solve(single_);
      for (std::size_t j = 0; j < m; ++j) y[j * L + p] = single_[j];
    }
  }
}

}  // namespace zwang::sensitivity
