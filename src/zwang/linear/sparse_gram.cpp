/// Pattern and numbers of the sparse dual matrix; see the header for the equation.
#include "zwang/linear/sparse_gram.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "zwang/linear/halves.hpp"

namespace zwang::linear {

namespace {

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

bool same(std::span<const std::uint32_t> one, std::span<const std::uint32_t> other) {
  return one.size() == other.size() && std::equal(one.begin(), one.end(), other.begin());
}

}  // namespace

bool SparseGram::shape(const SparseRows& rows, const Mass& mass) {
  // The same pattern as last time: nothing to do.
  bool same_blocks = blocks_ == !mass.is_diagonal() && known_block_.size() == (blocks_ ? mass.size() : 0);
  for (std::size_t i = 0; same_blocks && i < known_block_.size(); ++i) {
    same_blocks = known_block_[i] == mass.block_of(static_cast<std::uint32_t>(i));
  }
  if (shaped_ && same_blocks && inverse_.size() == mass.size() && same(rows.start, known_start_) &&
      same(rows.column, known_column_)) {
    return false;
  }

  // Remember it.
  shaped_ = true;
  known_start_.assign(rows.start.begin(), rows.start.end());
  known_column_.assign(rows.column.begin(), rows.column.end());
  blocks_ = !mass.is_diagonal();
  known_block_.clear();
  if (blocks_) {
    for (std::size_t i = 0; i < mass.size(); ++i) known_block_.push_back(mass.block_of(static_cast<std::uint32_t>(i)));
  }
  inverse_.resize(mass.size());
  known_diagonal_.clear();

  // List what the numbers will need.
  close_rows(rows, mass);
  list_edges(rows, mass.size());
  list_neighbours();
  return true;
}

void SparseGram::close_rows(const SparseRows& rows, const Mass& mass) {
  // Without blocks J W has the pattern of J.
  weighted_.resize(rows.column.size());
  if (!blocks_) {
    weighted_start_ = known_start_;
    weighted_column_ = known_column_;
    return;
  }

  // With blocks a row that touches a block has, behind W, entries in all of it.
  widened_start_.assign(1, 0);
  widened_column_.clear();
  own_.resize(rows.column.size());
  wide_row_.assign(mass.size(), 0.0);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const std::size_t begin = widened_column_.size();
    for (std::uint32_t p = rows.start[i]; p < rows.start[i + 1]; ++p) {
      const int block = mass.block_of(rows.column[p]);
      if (block < 0) {
        widened_column_.push_back(rows.column[p]);
        continue;
      }
      const std::vector<std::uint32_t>& variables = mass.blocks()[static_cast<std::size_t>(block)].variables;
      widened_column_.insert(widened_column_.end(), variables.begin(), variables.end());
    }
    const auto first = widened_column_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, widened_column_.end());
    widened_column_.erase(std::unique(first, widened_column_.end()), widened_column_.end());
    for (std::uint32_t p = rows.start[i]; p < rows.start[i + 1]; ++p) {
      const auto found = std::lower_bound(widened_column_.begin() + static_cast<std::ptrdiff_t>(begin),
                                          widened_column_.end(), rows.column[p]);
      own_[p] = static_cast<std::uint32_t>(found - widened_column_.begin());
    }
    assert(widened_column_.size() < nowhere);
    widened_start_.push_back(static_cast<std::uint32_t>(widened_column_.size()));
  }
  weighted_start_ = widened_start_;
  weighted_column_ = widened_column_;
  weighted_.resize(widened_column_.size());
}

void SparseGram::list_edges(const SparseRows& rows, std::size_t variables) {
  // The rows that contain each variable, ascending, with the place of the entry.
  const std::size_t count = rows.count();
  std::vector<std::uint32_t> column_start(variables + 1, 0);
  for (const std::uint32_t c : rows.column) ++column_start[c + 1];
  for (std::size_t c = 0; c < variables; ++c) column_start[c + 1] += column_start[c];
  std::vector<std::uint32_t> head(column_start.begin(), column_start.end() - 1);
  std::vector<std::uint32_t> column_row(rows.column.size());
  std::vector<std::uint32_t> column_entry(rows.column.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t p = rows.start[i]; p < rows.start[i + 1]; ++p) {
      const std::uint32_t slot = head[rows.column[p]]++;
      column_row[slot] = static_cast<std::uint32_t>(i);
      column_entry[slot] = p;
    }
  }
  std::copy(column_start.begin(), column_start.end() - 1, head.begin());

  // For each row, the later rows that share a variable with it, and the products, joined into runs as they come.
  struct Product {
    std::uint32_t row;
    Run run;
  };
  std::vector<Product> products;
  std::vector<std::uint32_t> last_of(count, nowhere);
  edge_start_.clear();
  run_start_.clear();
  upper_row_.clear();
  run_.clear();
  edge_start_.reserve(count + 1);
  run_start_.reserve(rows.column.size() / 2 + 2);
  upper_row_.reserve(rows.column.size() / 2 + 1);
  run_.reserve(rows.column.size() / 2 + 1);
  edge_start_.push_back(0);
  run_start_.push_back(0);
  for (std::size_t j = 0; j < count; ++j) {
    products.clear();
    for (std::uint32_t q = weighted_start_[j]; q < weighted_start_[j + 1]; ++q) {
      const std::uint32_t c = weighted_column_[q];
      while (head[c] < column_start[c + 1] && column_row[head[c]] <= j) ++head[c];
      for (std::uint32_t slot = head[c]; slot < column_start[c + 1]; ++slot) {
        const std::uint32_t i = column_row[slot];
        const std::uint32_t p = column_entry[slot];
        const std::uint32_t last = last_of[i];
        if (last != nowhere && products[last].run.entry + products[last].run.length == p &&
            products[last].run.weighted + products[last].run.length == q) {
          ++products[last].run.length;
          continue;
        }
        last_of[i] = static_cast<std::uint32_t>(products.size());
        products.push_back({i, {p, q, 1}});
      }
    }

    // Sort the runs by the other row, keeping the order of the variables, and write the edges down.
    if (products.size() > 1) {
      std::sort(products.begin(), products.end(), [](const Product& one, const Product& other) {
        return one.row != other.row ? one.row < other.row : one.run.weighted < other.run.weighted;
      });
    }
    for (std::size_t k = 0; k < products.size(); ++k) {
      if (k == 0 || products[k].row != products[k - 1].row) {
        if (k > 0) run_start_.push_back(run_.size());
        upper_row_.push_back(products[k].row);
        last_of[products[k].row] = nowhere;
      }
      run_.push_back(products[k].run);
    }
    if (!products.empty()) run_start_.push_back(run_.size());
    edge_start_.push_back(upper_row_.size());
  }
  assert(upper_row_.size() < nowhere);
}

void SparseGram::list_neighbours() {
  // Count, then place: lower neighbours first because edges come by ascending lower row.
  const std::size_t count = nodes();
  around_start_.assign(count + 1, 0);
  for (std::size_t j = 0; j < count; ++j) {
    around_start_[j + 1] += edge_start_[j + 1] - edge_start_[j];
    for (std::size_t e = edge_start_[j]; e < edge_start_[j + 1]; ++e) ++around_start_[upper_row_[e] + 1];
  }
  for (std::size_t j = 0; j < count; ++j) around_start_[j + 1] += around_start_[j];
  std::vector<std::size_t> head(around_start_.begin(), around_start_.end() - 1);
  neighbour_.resize(2 * edges());
  edge_.resize(2 * edges());
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t e = edge_start_[j]; e < edge_start_[j + 1]; ++e) {
      const std::size_t slot = head[upper_row_[e]]++;
      neighbour_[slot] = static_cast<std::uint32_t>(j);
      edge_[slot] = static_cast<std::uint32_t>(e);
    }
  }
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t e = edge_start_[j]; e < edge_start_[j + 1]; ++e) {
      const std::size_t slot = head[j]++;
      neighbour_[slot] = upper_row_[e];
      edge_[slot] = static_cast<std::uint32_t>(e);
    }
  }
}

void SparseGram::load(const SparseRows& rows, const Mass& mass) {
  rows_ = rows;

  // Diagonal mass: scale the entries.
  const std::span<const double> diagonal = mass.diagonal();
  if (!blocks_) {
    if (!std::equal(diagonal.begin(), diagonal.end(), known_diagonal_.begin(), known_diagonal_.end())) {
      known_diagonal_.assign(diagonal.begin(), diagonal.end());
      for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] = 1.0 / diagonal[i];
    }
    for (std::size_t p = 0; p < rows.entry.size(); ++p) weighted_[p] = rows.entry[p] * inverse_[rows.column[p]];
    return;
  }

  // Blocks: solve with each block a row touches; the blocks' factors are lower triangles by columns.
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (std::uint32_t p = rows.start[i]; p < rows.start[i + 1]; ++p) wide_row_[rows.column[p]] = rows.entry[p];
    for (std::uint32_t q = widened_start_[i]; q < widened_start_[i + 1]; ++q) {
      const std::uint32_t c = widened_column_[q];
      const int which = mass.block_of(c);
      if (which < 0) {
        wide_row_[c] /= diagonal[c];
        continue;
      }
      const Mass::Block& block = mass.blocks()[static_cast<std::size_t>(which)];
      if (c != block.variables.front()) continue;
      const std::size_t size = block.variables.size();
      if (block.turn) {
        std::array<double, variables_of_a_turn> x{};
        for (std::size_t k = 0; k < size; ++k) x[k] = wide_row_[block.variables[k]];
        into_metric(block, x.data());
        out_of_metric(block, x.data());
        for (std::size_t k = 0; k < size; ++k) wide_row_[block.variables[k]] = x[k];
        continue;
      }
      for (std::size_t k = 0; k < size; ++k) {
        const double x = wide_row_[block.variables[k]] / block.factor[k * size + k];
        wide_row_[block.variables[k]] = x;
        for (std::size_t s = k + 1; s < size; ++s) wide_row_[block.variables[s]] -= block.factor[k * size + s] * x;
      }
      for (std::size_t k = size; k-- > 0;) {
        double x = wide_row_[block.variables[k]];
        for (std::size_t s = k + 1; s < size; ++s) x -= block.factor[k * size + s] * wide_row_[block.variables[s]];
        wide_row_[block.variables[k]] = x / block.factor[k * size + k];
      }
    }
    for (std::uint32_t q = widened_start_[i]; q < widened_start_[i + 1]; ++q) {
      weighted_[q] = wide_row_[widened_column_[q]];
      wide_row_[widened_column_[q]] = 0;
    }
  }
}

}  // namespace zwang::linear
