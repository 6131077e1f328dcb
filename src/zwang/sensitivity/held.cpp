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
  if (!mass_->is_diagonal()) return;
  eased_.resize(entry_.size());
  for (std::size_t k = 0; k < entry_.size(); ++k) eased_[k] = entry_[k] / mass_->diagonal()[column_[k]];
}

void Held::solve(std::span<double> right, std::span<const double> offset, std::span<double> y) {
  mass_->solve(right, right);
  if (y.empty()) return;
  const std::uint32_t* const start = start_.data();
  const std::uint32_t* const column = column_.data();
  const double* const entry = entry_.data();
  for (std::size_t j = 0; j < y.size(); ++j) {
    double sum = 0;
    for (std::uint32_t k = start[j]; k < start[j + 1]; ++k) sum += entry[k] * right[column[k]];
    y[j] = sum + offset[j];
  }
  factor_.solve(y);
  if (mass_->is_diagonal()) {
    const double* const eased = eased_.data();
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double here = y[j];
      for (std::uint32_t k = start[j]; k < start[j + 1]; ++k) right[column[k]] -= here * eased[k];
    }
    return;
  }
  pull_.assign(right.size(), 0.0);
  double* const pull = pull_.data();
  for (std::size_t j = 0; j < y.size(); ++j) {
    const double here = y[j];
    for (std::uint32_t k = start[j]; k < start[j + 1]; ++k) pull[column[k]] += here * entry[k];
  }
  mass_->solve(pull_, pull_);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] -= pull_[i];
}

double Held::times(std::size_t row, std::span<const double> x) const {
  double sum = 0;
  for (std::uint32_t k = start_[row]; k < start_[row + 1]; ++k) sum += entry_[k] * x[column_[k]];
  return sum;
}

}  // namespace zwang::sensitivity
