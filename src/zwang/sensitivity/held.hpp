/// Rows that are held, as a matrix, and the factor of their dual matrix: M x + J^T y = right, J x = -offset.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "zwang/linear/gram_factor.hpp"
#include "zwang/matrix.hpp"

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
  [[nodiscard]] bool unique() const { return start_.size() == 1 || factor_.skipped_count() == 0; }
  [[nodiscard]] double times(std::size_t row, std::span<const double> x) const;

 private:
  const linear::Mass* mass_ = nullptr;
  std::vector<std::uint32_t> start_{0}, column_;
  std::vector<double> entry_, pull_;
  std::vector<double> eased_;  ///< entries over the masses of their variables, if these are single numbers
  std::vector<std::uint32_t> shaped_start_, shaped_column_;  ///< those for which the factor has its shape
  linear::GramFactor factor_;
};

}  // namespace zwang::sensitivity
