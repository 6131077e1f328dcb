/// Elimination row by row with pivots among the columns.
#include "zwang/linear/row_factor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace zwang::linear {

void RowFactor::factor(std::span<const double> entries, std::size_t rows, std::size_t columns, double tolerance) {
  assert(entries.size() == rows * columns);
  columns_ = columns;
  place_.assign(rows, -1);
  kept_.clear();
  pivot_.clear();
  lower_.assign(rows * columns, 0.0);
  upper_.assign(entries.begin(), entries.end());
  part_.assign(rows, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    double* row = upper_.data() + i * columns;
    double size = 0;
    for (std::size_t c = 0; c < columns; ++c) size = std::max(size, std::abs(row[c]));

    // What the rows before say.
    for (std::size_t j = 0; j < kept_.size(); ++j) {
      const double* before = upper_.data() + kept_[j] * columns;
      const double times = row[pivot_[j]] / before[pivot_[j]];
      lower_[i * columns + j] = times;
      if (times == 0) continue;
      for (std::size_t c = 0; c < columns; ++c) row[c] -= times * before[c];
      row[pivot_[j]] = 0;
    }

    // The largest entry that is left.
    std::size_t best = 0;
    for (std::size_t c = 1; c < columns; ++c) {
      if (std::abs(row[c]) > std::abs(row[best])) best = c;
    }
    const double left = columns > 0 ? std::abs(row[best]) : 0.0;
    part_[i] = size > 0 ? left / size : 0.0;
    if (kept_.size() == columns || !(left > tolerance * size)) continue;
    place_[i] = static_cast<std::int32_t>(kept_.size());
    kept_.push_back(static_cast<std::uint32_t>(i));
    pivot_.push_back(static_cast<std::uint32_t>(best));
  }
}

void RowFactor::solve(std::span<const double> b, std::span<double> x) {
  assert(b.size() == place_.size() && x.size() == columns_);
  const std::size_t count = kept_.size();
  work_.resize(count);
  for (std::size_t j = 0; j < count; ++j) {
    const double* lower = lower_.data() + kept_[j] * columns_;
    double sum = b[kept_[j]];
    for (std::size_t l = 0; l < j; ++l) sum -= lower[l] * work_[l];
    work_[j] = sum;
  }
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t j = count; j-- > 0;) {
    const double* upper = upper_.data() + kept_[j] * columns_;
    double sum = work_[j];
    for (std::size_t l = j + 1; l < count; ++l) sum -= upper[pivot_[l]] * x[pivot_[l]];
    x[pivot_[j]] = sum / upper[pivot_[j]];
  }
}

std::size_t RowFactor::weakest() const {
  std::size_t row = kept_.empty() ? 0 : kept_.front();
  for (const std::uint32_t i : kept_) {
    if (part_[i] < part_[row]) row = i;
  }
  return row;
}

std::vector<double> RowFactor::combination(std::size_t row) const {
  std::vector<double> factors(place_.size(), 0.0);
  const std::size_t count = place_[row] < 0 ? kept_.size() : static_cast<std::size_t>(place_[row]);
  for (std::size_t j = count; j-- > 0;) {
    double sum = lower_[row * columns_ + j];
    for (std::size_t l = j + 1; l < count; ++l) sum -= factors[kept_[l]] * lower_[kept_[l] * columns_ + j];
    factors[kept_[j]] = sum;
  }
  return factors;
}

}  // namespace zwang::linear
