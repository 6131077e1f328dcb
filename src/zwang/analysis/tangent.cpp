/// Elimination, echelon forms and the basis of what is allowed.
#include "zwang/analysis/tangent.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "zwang/analysis/tolerances.hpp"
#include "zwang/elementary/elementary.hpp"

namespace zwang::analysis {

namespace {

/// A row that is left with less than this part of its length depends on rows before it.
constexpr double dependent_below = 1e-11;
/// An entry of an echelon form below so many of its rounding errors is zero.
constexpr double roundings = 64;

/// A table of numbers by rows, as eliminations like it.
struct Table {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> entry;
  Table(std::size_t r, std::size_t c) : rows(r), columns(c), entry(r * c, 0.0) {}
  double* operator[](std::size_t i) { return entry.data() + i * columns; }
};

/// row i -= factor * row j
void subtract(Table& table, std::size_t i, std::size_t j, double factor) {
  double* to = table[i];
  const double* from = table[j];
  for (std::size_t c = 0; c < table.columns; ++c) {
    to[c] -= factor * from[c];
  }
}

void scale(Table& table, std::size_t i, double factor) {
  double* row = table[i];
  for (std::size_t c = 0; c < table.columns; ++c) {
    row[c] *= factor;
  }
}

double length(const double* x, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum += x[i] * x[i];
  }
  return std::sqrt(sum);
}

/// Rows in scaled columns, each of length one, with their offsets as a last column.
Table scaled_rows(const linear::Matrix& rows, const std::vector<double>& offset, std::span<const double> unit) {
  Table table(rows.rows, rows.columns + 1);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t c = 0; c < rows.columns; ++c) {
      table[i][c] = rows(i, c) / unit[c];
    }
    table[i][rows.columns] = offset.empty() ? 0.0 : offset[i];
    const double size = length(table[i], rows.columns);
    // A power of two, so that nothing is rounded.
    if (size > 0 && std::isfinite(size)) {
      scale(table, i, elementary::exp2(-std::round(elementary::log2(size))));
    }
  }
  return table;
}

/// What complete pivoting found: `row[k]` has its 1 in column `column[k]`; rows not in `row` are dependent.
struct Pivots {
  std::vector<std::size_t> row, column;
};

/// The largest entry of a row among the first `count`; its column.
std::size_t largest_in(const double* row, std::size_t count) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < count; ++c) {
    if (std::abs(row[c]) > std::abs(row[best])) {
      best = c;
    }
  }
  return best;
}

/// Gauss and Jordan; the next pivot is the largest entry of the first row that has one not far below the largest of all, so
/// that of rows which say the same the first is kept.
Pivots eliminate(Table& table) {
  const std::size_t n = table.columns - 1;
  Pivots pivots;
  if (n == 0) {
    return pivots;
  }
  std::vector<std::uint8_t> used(table.rows, 0);
  std::vector<std::size_t> largest(table.rows);
  for (std::size_t i = 0; i < table.rows; ++i) {
    largest[i] = largest_in(table[i], n);
  }
  while (pivots.row.size() < std::min(table.rows, n)) {
    double most = 0;
    for (std::size_t i = 0; i < table.rows; ++i) {
      if (used[i] == 0) {
        most = std::max(most, std::abs(table[i][largest[i]]));
      }
    }
    if (!(most > dependent_below)) {
      break;
    }
    std::size_t best_row = 0;
    while (used[best_row] != 0 || std::abs(table[best_row][largest[best_row]]) < 0.25 * most) {
      ++best_row;
    }
    const std::size_t best_column = largest[best_row];
    used[best_row] = 1;
    pivots.row.push_back(best_row);
    pivots.column.push_back(best_column);
    const double pivot = table[best_row][best_column];
    for (double* x = table[best_row]; x != table[best_row] + table.columns; ++x) {
      *x /= pivot;
    }
    for (std::size_t i = 0; i < table.rows; ++i) {
      if (i != best_row && table[i][best_column] != 0) {
        subtract(table, i, best_row, table[i][best_column]);
        table[i][best_column] = 0;
        largest[i] = largest_in(table[i], n);
      }
    }
  }
  return pivots;
}

/// One attempt at the echelon form: `sharpness` errors count as zero. False if not every row finds its pivot.
bool echelon_of(Table& table, double sharpness, std::vector<std::size_t>& row_of, std::vector<std::uint32_t>& pivots) {
  const std::size_t n = table.columns - 1;
  std::vector<std::uint8_t> used(table.rows, 0);
  // The rounding error of an entry, per row; it grows with what is added.
  std::vector<double> error(table.rows);
  for (std::size_t i = 0; i < table.rows; ++i) {
    error[i] = entry_rounding * length(table[i], n);
  }
  for (std::size_t c = 0; c < n && pivots.size() < table.rows; ++c) {
    std::size_t best = table.rows;
    for (std::size_t i = 0; i < table.rows; ++i) {
      const bool counts = used[i] == 0 && std::abs(table[i][c]) > sharpness * error[i];
      if (counts && (best == table.rows || std::abs(table[i][c]) * error[best] > std::abs(table[best][c]) * error[i])) {
        best = i;
      }
    }
    if (best == table.rows) {
      continue;
    }
    used[best] = 1;
    row_of.push_back(best);
    pivots.push_back(static_cast<std::uint32_t>(c));
    const double pivot = table[best][c];
    for (double* x = table[best]; x != table[best] + table.columns; ++x) {
      *x /= pivot;
    }
    error[best] /= std::abs(pivot);
    for (std::size_t i = 0; i < table.rows; ++i) {
      const double factor = table[i][c];
      if (i == best || factor == 0) {
        continue;
      }
      subtract(table, i, best, factor);
      error[i] += std::abs(factor) * error[best];
      table[i][c] = 0;
    }
  }

  // What is left of zero by rounding is zero.
  for (std::size_t i = 0; i < table.rows; ++i) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      if (std::abs(table[i][c]) <= sharpness * error[i]) {
        table[i][c] = 0;
      }
    }
  }
  return pivots.size() == table.rows;
}

}  // namespace

std::vector<std::uint32_t> equations_in_force(const model::Model& model, double time) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const model::Condition& condition = model.conditions[model.row_condition[row]];
    const bool begun = !condition.seizure || condition.at <= time + same_time * (1 + std::abs(time));
    if (model::is_equation(model.row_kind[row]) && begun) {
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<double> units(const linear::Mass& mass) {
  std::vector<double> unit(mass.size(), 1.0);
  for (std::uint32_t i = 0; i < mass.size(); ++i) {
    double m = mass.diagonal()[i];
    if (const int block = mass.block_of(i); block >= 0) {
      const linear::Mass::Block& b = mass.blocks()[static_cast<std::size_t>(block)];
      const auto place =
          static_cast<std::size_t>(std::lower_bound(b.variables.begin(), b.variables.end(), i) - b.variables.begin());
      m = b.entries[place * b.variables.size() + place];
    }
    if (m > 0 && std::isfinite(m)) {
      unit[i] = elementary::exp2(std::round(0.5 * elementary::log2(m)));
    }
  }
  return unit;
}

Tangent tangent(const model::Model& model, const model::Rows& rows, std::vector<std::uint32_t> which,
                const linear::Mass& mass) {
  const std::size_t n = model.variables;
  Tangent result;
  result.rows = std::move(which);
  result.unit = units(mass);
  result.written = linear::Matrix(result.rows.size(), n);
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const std::uint32_t row = result.rows[i];
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      result.written(i, model.row_column[e]) += rows.entry[e];
    }
    result.offset.push_back(rows.explicit_rate[row]);
  }

  // Which rows are independent, and which velocities follow from them.
  Table table = scaled_rows(result.written, result.offset, result.unit);
  double largest_offset = 0;
  for (std::size_t i = 0; i < table.rows; ++i) {
    largest_offset = std::max(largest_offset, std::abs(table[i][n]));
  }
  const Pivots pivots = eliminate(table);
  std::vector<std::uint8_t> is_bound(n, 0);
  std::vector<std::uint8_t> is_independent(table.rows, 0);
  for (std::size_t k = 0; k < pivots.row.size(); ++k) {
    is_bound[pivots.column[k]] = 1;
    is_independent[pivots.row[k]] = 1;
  }
  for (std::size_t i = 0; i < table.rows; ++i) {
    if (is_independent[i] != 0) {
      result.independent.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    result.redundant.push_back(static_cast<std::uint32_t>(i));
    if (std::abs(table[i][n]) > no_offset * largest_offset) {
      result.contradictory.push_back(static_cast<std::uint32_t>(i));
    }
  }

  // The rows without what they repeat, in the order of the conditions, and what they leave free.
  std::vector<std::size_t> column_of(table.rows, 0);
  for (std::size_t k = 0; k < pivots.row.size(); ++k) {
    column_of[pivots.row[k]] = pivots.column[k];
  }
  const std::size_t rank = result.rank();
  result.reduced = linear::Matrix(rank, n);
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t i = result.independent[k];
    const std::size_t own = column_of[i];
    result.bound.push_back(static_cast<std::uint32_t>(own));
    for (std::size_t c = 0; c < n; ++c) {
      result.reduced(k, c) = table[i][c] * (result.unit[c] / result.unit[own]);
    }
    result.reduced_offset.push_back(table[i][n] / result.unit[own]);
  }
  for (std::uint32_t c = 0; c < n; ++c) {
    if (is_bound[c] == 0) {
      result.free.push_back(c);
    }
  }
  result.basis = linear::Matrix(n, result.free.size());
  result.drift.assign(n, 0.0);
  for (std::size_t j = 0; j < result.free.size(); ++j) {
    result.basis(result.free[j], j) = 1;
    for (std::size_t k = 0; k < rank; ++k) {
      result.basis(result.bound[k], j) = -result.reduced(k, result.free[j]);
    }
  }
  for (std::size_t k = 0; k < rank; ++k) {
    result.drift[result.bound[k]] = -result.reduced_offset[k];
  }
  return result;
}

Echelon reduced_echelon(const linear::Matrix& rows, const std::vector<double>& offset, std::span<const double> unit) {
  // Rows that are nearly dependent in their first columns need a finer eye.
  Echelon result;
  for (const double sharpness : {roundings, 4.0, 0.0}) {
    Table table = scaled_rows(rows, offset, unit);
    std::vector<std::size_t> row_of;
    result.pivots.clear();
    if (!echelon_of(table, sharpness, row_of, result.pivots) && sharpness > 0) {
      continue;
    }
    result.rows = linear::Matrix(row_of.size(), rows.columns);
    result.offset.assign(offset.empty() ? 0 : row_of.size(), 0.0);
    for (std::size_t k = 0; k < row_of.size(); ++k) {
      const double own = unit[result.pivots[k]];
      for (std::size_t c = 0; c < rows.columns; ++c) {
        result.rows(k, c) = table[row_of[k]][c] * (unit[c] / own);
      }
      if (!offset.empty()) {
        result.offset[k] = table[row_of[k]][rows.columns] / own;
      }
    }
    break;
  }
  return result;
}

linear::Matrix solve_square(linear::Matrix a, linear::Matrix b) {
  assert(a.rows == a.columns && b.rows == a.rows);
  const std::size_t n = a.rows;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(best, k))) {
        best = i;
      }
    }
    if (best != k) {
      for (std::size_t c = 0; c < n; ++c) {
        std::swap(a(k, c), a(best, c));
      }
      for (std::size_t c = 0; c < b.columns; ++c) {
        std::swap(b(k, c), b(best, c));
      }
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = a(i, k) / a(k, k);
      if (factor == 0) {
        continue;
      }
      for (std::size_t c = k + 1; c < n; ++c) {
        a(i, c) -= factor * a(k, c);
      }
      for (std::size_t c = 0; c < b.columns; ++c) {
        b(i, c) -= factor * b(k, c);
      }
    }
  }
  for (std::size_t c = 0; c < b.columns; ++c) {
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) {
        b(i, c) -= a(i, k) * b(k, c);
      }
      b(i, c) /= a(i, i);
    }
  }
  return b;
}

std::vector<double> times(const linear::Matrix& a, std::span<const double> x) {
  std::vector<double> y(a.rows, 0.0);
  for (std::size_t c = 0; c < a.columns; ++c) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      y[i] += a(i, c) * x[c];
    }
  }
  return y;
}

std::vector<double> transposed_times(const linear::Matrix& a, std::span<const double> x) {
  std::vector<double> y(a.columns, 0.0);
  for (std::size_t c = 0; c < a.columns; ++c) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      y[c] += a(i, c) * x[i];
    }
  }
  return y;
}

linear::Matrix mass_times(const linear::Mass& mass, const linear::Matrix& columns) {
  linear::Matrix result(columns.rows, columns.columns);
  for (std::size_t c = 0; c < columns.columns; ++c) {
    mass.multiply({columns.entry.data() + c * columns.rows, columns.rows},
                  {result.entry.data() + c * result.rows, result.rows});
  }
  return result;
}

linear::Matrix mass_solve(const linear::Mass& mass, const linear::Matrix& columns) {
  linear::Matrix result(columns.rows, columns.columns);
  for (std::size_t c = 0; c < columns.columns; ++c) {
    mass.solve({columns.entry.data() + c * columns.rows, columns.rows},
               {result.entry.data() + c * result.rows, result.rows});
  }
  return result;
}

}  // namespace zwang::analysis
