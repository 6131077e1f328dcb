/// Sparse rows that own their arrays, for the tests of the sparse parts of this room.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "zwang/linear/sparse_gram.hpp"

namespace zwang::linear::testing {

struct Owned {
  std::vector<std::uint32_t> start{0}, column;
  std::vector<double> entry;

  void add(const std::vector<std::uint32_t>& columns, const std::vector<double>& entries) {
    column.insert(column.end(), columns.begin(), columns.end());
    entry.insert(entry.end(), entries.begin(), entries.end());
    start.push_back(static_cast<std::uint32_t>(column.size()));
  }
  [[nodiscard]] SparseRows view() const { return {start, column, entry}; }
  [[nodiscard]] std::size_t count() const { return start.size() - 1; }
};

inline Eigen::MatrixXd dense(const Owned& rows, std::size_t n) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.count()), static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (std::uint32_t p = rows.start[i]; p < rows.start[i + 1]; ++p) {
      result(static_cast<Eigen::Index>(i), rows.column[p]) = rows.entry[p];
    }
  }
  return result;
}

/// Rows with up to `width` normal entries at random columns.
inline Owned random_rows(std::size_t n, std::size_t count, std::size_t width, std::mt19937_64& generator) {
  Owned rows;
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<std::uint32_t> anywhere(0, static_cast<std::uint32_t>(n - 1));
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> columns;
    for (std::size_t s = 0; s < width; ++s) columns.push_back(anywhere(generator));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<double> entries;
    for (std::size_t s = 0; s < columns.size(); ++s) entries.push_back(normal(generator));
    rows.add(columns, entries);
  }
  return rows;
}

}  // namespace zwang::linear::testing
