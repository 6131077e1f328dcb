/// Variables that stand in very many rows, taken apart into a tree of copies; see the header for the equations.
#include "zwang/linear/split_columns.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace zwang::linear {

namespace {

/// A variable in more rows than this is taken apart: below, its entries of the dual matrix, some thousands, cost less than copies do.
constexpr std::uint32_t most_rows_of_variable = 128;
/// So many rows, or copies, hang on one copy.
constexpr std::size_t rows_of_copy = 8;

}  // namespace

bool SplitColumns::shape(const SparseRows& rows, const Mass& mass) {
  // Most rows are such that nothing is to be done.
  const std::size_t count = rows.count();
  if (count <= most_rows_of_variable || !mass.is_diagonal()) return false;
  const std::size_t variables = mass.size();
  count_.assign(variables, 0);
  bool some = false;
  for (const std::uint32_t c : rows.column) some = ++count_[c] > most_rows_of_variable || some;
  if (!some) return false;

  // The entries of each variable that is taken apart.
  std::vector<std::uint32_t> place(variables, 0);
  in_.clear();
  for (std::uint32_t c = 0; c < variables; ++c) {
    if (count_[c] <= most_rows_of_variable) continue;
    in_.emplace_back().reserve(count_[c]);
    place[c] = static_cast<std::uint32_t>(in_.size());
  }
  std::vector<std::uint32_t> taken;
  for (std::uint32_t c = 0; c < variables; ++c) {
    if (place[c] != 0) taken.push_back(c);
  }
  for (std::uint32_t p = 0; p < rows.column.size(); ++p) {
    if (place[rows.column[p]] != 0) in_[place[rows.column[p]] - 1].push_back(p);
  }

  // Copies, and the rows with them in the place of the variable; columns ascend.
  start_.assign(rows.start.begin(), rows.start.end());
  column_.assign(rows.column.begin(), rows.column.end());
  copies_.assign(variables, 1);
  original_.resize(variables);
  std::iota(original_.begin(), original_.end(), 0U);
  above_.clear();
  for (std::size_t k = 0; k < taken.size(); ++k) take_apart(taken[k], in_[k]);
  source_.resize(column_.size());
  std::iota(source_.begin(), source_.end(), 0U);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> row;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t begin = start_[i], end = start_[i + 1];
    if (std::is_sorted(column_.begin() + begin, column_.begin() + end)) continue;
    row.clear();
    for (std::uint32_t p = begin; p < end; ++p) row.emplace_back(column_[p], p);
    std::sort(row.begin(), row.end());
    for (std::uint32_t p = begin; p < end; ++p) {
      column_[p] = row[p - begin].first;
      source_[p] = row[p - begin].second;
    }
  }

  // The ties.
  for (std::size_t k = 0; k < above_.size(); ++k) {
    const auto copy = static_cast<std::uint32_t>(variables + k);
    column_.push_back(std::min(copy, above_[k]));
    column_.push_back(std::max(copy, above_[k]));
    start_.push_back(static_cast<std::uint32_t>(column_.size()));
  }
  entry_.resize(column_.size());

  mass_ = Mass(std::vector<double>(original_.size(), 0.0));
  return true;
}

/// From the entries upwards, level by level, until one copy is left: the variable itself.
void SplitColumns::take_apart(std::uint32_t variable, std::span<const std::uint32_t> entries) {
  const auto add_copy = [&] {
    original_.push_back(variable);
    above_.push_back(variable);
    ++copies_[variable];
    return static_cast<std::uint32_t>(original_.size() - 1);
  };
  std::vector<std::uint32_t> level;
  for (std::size_t k = 0; k < entries.size(); k += rows_of_copy) {
    const std::uint32_t copy = add_copy();
    for (std::size_t p = k; p < std::min(k + rows_of_copy, entries.size()); ++p) column_[entries[p]] = copy;
    level.push_back(copy);
  }
  const std::size_t first = original_.size() - above_.size();
  while (level.size() > rows_of_copy) {
    std::vector<std::uint32_t> next;
    for (std::size_t k = 0; k < level.size(); k += rows_of_copy) {
      const std::uint32_t copy = add_copy();
      for (std::size_t l = k; l < std::min(k + rows_of_copy, level.size()); ++l) above_[level[l] - first] = copy;
      next.push_back(copy);
    }
    level = std::move(next);
  }
}

void SplitColumns::load(const SparseRows& rows, const Mass& mass) {
  assert(source_.size() == rows.entry.size());
  for (std::size_t p = 0; p < source_.size(); ++p) entry_[p] = rows.entry[source_[p]];
  for (std::size_t p = source_.size(); p < entry_.size(); p += 2) {
    entry_[p] = 1;
    entry_[p + 1] = -1;
  }

  // Copies have equal parts of the mass.
  mass_.set_zero();
  for (std::uint32_t i = 0; i < original_.size(); ++i) {
    const std::uint32_t variable = original_[i];
    mass_.add_diagonal(i, mass.diagonal()[variable] / copies_[variable]);
  }
  [[maybe_unused]] const bool positive = mass_.factor();
  assert(positive);
}

}  // namespace zwang::linear
