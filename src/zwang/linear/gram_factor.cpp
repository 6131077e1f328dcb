/// One factor of the dual matrix, dense or sparse, with even sharing among dependent rows.
#include "zwang/linear/gram_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "zwang/linear/cholesky.hpp"
#include "zwang/linear/tolerances.hpp"

namespace zwang::linear {

namespace {

constexpr std::size_t largest_dense = 400;
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void GramFactor::shape(const SparseRows& rows, const Mass& mass, std::span<const std::uint8_t> shares) {
  size_ = rows.count();
  shares_.assign(shares.begin(), shares.end());
  skipped_.assign(size_, 0);
  diagonal_.assign(size_, 0.0);
  skipped_count_ = 0;

  // The same rows as before, if with other neighbours in time: ordering and pattern stand.
  dense_ = false;
  band_ = false;
  serves_split_ = false;
  const auto same = [](const std::vector<std::uint32_t>& known, std::span<const std::uint32_t> given) {
    return std::equal(known.begin(), known.end(), given.begin(), given.end());
  };
  if (!analysed_start_.empty() && mass.is_diagonal() && same(analysed_start_, rows.start) &&
      same(analysed_column_, rows.column)) {
    return;
  }
  analysed_start_.clear();

  // A variable in very many rows is taken apart.
  is_shaped_plain_ = false;
  is_split_ = split_.shape(rows, mass);
  if (!is_split_) {
    shape_plain(rows, mass);
    return;
  }
  wide_gram_.shape(split_.rows(), split_.mass());
  std::vector<std::uint32_t> all(wide_gram_.nodes());
  std::iota(all.begin(), all.end(), 0U);
  wide_cholesky_ = SparseCholesky();
  wide_cholesky_.reset(all.size());
  wide_cholesky_.choose(wide_gram_, all);
  wide_right_.assign(all.size(), 0.0);
  analysed_start_.assign(rows.start.begin(), rows.start.end());
  analysed_column_.assign(rows.column.begin(), rows.column.end());
}

bool GramFactor::factor_split(const SparseRows& rows, const Mass& mass) {
  split_.load(rows, mass);
  wide_gram_.load(split_.rows(), split_.mass());
  wide_cholesky_.expire();
  wide_cholesky_.factor(wide_gram_);
  serves_split_ = wide_cholesky_.skipped_count() == 0;
  if (!serves_split_) return false;
  skipped_count_ = 0;
  std::fill(skipped_.begin(), skipped_.end(), std::uint8_t{0});
  least_pivot_ = wide_cholesky_.least_pivot();
  for (std::size_t j = 0; j < size_; ++j) {
    double sum = 0;
    for (std::uint32_t e = rows.start[j]; e < rows.start[j + 1]; ++e) {
      sum += rows.entry[e] * rows.entry[e] / mass.diagonal()[rows.column[e]];
    }
    diagonal_[j] = sum;
  }
  return true;
}

void GramFactor::shape_plain(const SparseRows& rows, const Mass& mass) {
  // One row alone is a number.
  band_ = size_ == 1;
  if (band_) {
    tridiagonal_.shape(1);
    return;
  }

  // Dense when tiny, or when the graph of Phi has hardly any zeros.
  dense_ = size_ < 3;
  if (!dense_) {
    gram_.shape(rows, mass);
    dense_ = size_ <= largest_dense && gram_.edges() * 4 >= size_ * size_ && gram_.edges() >= size_;
  }
  if (dense_) {
    make_dense(mass);
    return;
  }
  // A band when rows meet their neighbours alone.
  edge_.assign(size_, none);
  band_ = true;
  for (std::uint32_t j = 0; band_ && j < size_; ++j) {
    for (std::size_t e = gram_.first_edge(j); e < gram_.first_edge(j + 1); ++e) {
      band_ = band_ && gram_.upper_row(e) == j + 1;
      edge_[j] = static_cast<std::uint32_t>(e);
    }
  }
  if (!band_) {
    make_sparse();
    analysed_start_.assign(rows.start.begin(), rows.start.end());
    analysed_column_.assign(rows.column.begin(), rows.column.end());
    return;
  }
  tridiagonal_.shape(size_);
  beside_.assign(size_, 0.0);
}

void GramFactor::go_on(Manner given, const Mass& mass) {
  if (given == manner() || size_ == 0 || (given == Manner::dense && size_ > largest_dense)) return;
  band_ = false;
  if (given == Manner::dense) {
    make_dense(mass);
  } else {
    make_sparse();
  }
}

void GramFactor::make_sparse() {
  std::vector<std::uint32_t> all(size_);
  std::iota(all.begin(), all.end(), 0U);
  cholesky_ = SparseCholesky();
  cholesky_.reset(size_);
  cholesky_.choose(gram_, all);
  right_.assign(size_, 0.0);
}

bool GramFactor::factor_band(const SparseRows& rows, const Mass& mass) {
  // One row: its square.
  if (size_ == 1) {
    double sum = 0;
    if (mass.is_diagonal()) {
      const double* inverse_root = mass.inverse_root().data();
      for (std::size_t e = 0; e < rows.entry.size(); ++e) {
        const double root = inverse_root[rows.column[e]];
        sum += rows.entry[e] * (rows.entry[e] * root * root);
      }
    } else {
      column_.assign(mass.size(), 0.0);
      image_.assign(mass.size(), 0.0);
      for (std::size_t e = 0; e < rows.entry.size(); ++e) column_[rows.column[e]] = rows.entry[e];
      mass.solve(column_, image_);
      for (std::size_t e = 0; e < rows.entry.size(); ++e) sum += rows.entry[e] * image_[rows.column[e]];
    }
    diagonal_[0] = sum;
    return tridiagonal_.factor(diagonal_.data(), nullptr, vanishing_pivot(1));
  }

  gram_.load(rows, mass);
  for (std::uint32_t j = 0; j < size_; ++j) {
    diagonal_[j] = gram_.diagonal(j);
    beside_[j] = edge_[j] == none ? 0.0 : gram_.between(edge_[j]);
  }
  return tridiagonal_.factor(diagonal_.data(), beside_.data(), vanishing_pivot(size_));
}

void GramFactor::make_dense(const Mass& mass) {
  dense_ = true;
  phi_.assign(size_ * size_, 0.0);
  lower_.assign(size_ * size_, 0.0);
  inverse_pivot_.assign(size_, 0.0);
  column_.assign(mass.size(), 0.0);
  image_.assign(mass.size(), 0.0);
  null_.reserve(size_ * 4);
  part_.reserve(size_);
}

void GramFactor::factor(const SparseRows& rows, const Mass& mass) {
  if (size_ == 0) {
    skipped_count_ = 0;
    least_pivot_ = 1;
    return;
  }
  if (is_split_ && !dense_) {
    if (factor_split(rows, mass)) return;
    // Some row depends on others: which, the ties cannot tell.
    if (!is_shaped_plain_) shape_plain(rows, mass);
    is_shaped_plain_ = true;
  }
  if (band_) {
    band_ = factor_band(rows, mass);
    if (band_) {
      least_pivot_ = tridiagonal_.least_pivot();
      return;
    }
    // Some row depends on others: not as a band, then, as long as these rows stand.
    if (size_ == 1) {
      make_dense(mass);
      factor_dense(rows, mass);
      return;
    }
    make_sparse();
  }
  if (dense_) {
    factor_dense(rows, mass);
    return;
  }
  gram_.load(rows, mass);
  cholesky_.expire();
  cholesky_.factor(gram_);
  skipped_count_ = cholesky_.skipped_count();
  least_pivot_ = cholesky_.least_pivot();
  // Dependent rows: their right to be kept and their sharing need the whole matrix.
  if (skipped_count_ > 0 && size_ <= largest_dense) {
    make_dense(mass);
    factor_dense(rows, mass);
    return;
  }
  for (std::uint32_t j = 0; j < size_; ++j) diagonal_[j] = gram_.diagonal(j);
  std::fill(skipped_.begin(), skipped_.end(), std::uint8_t{0});
  if (skipped_count_ > 0) {
    for (std::size_t place = 0; place < size_; ++place) {
      if (cholesky_.skipped(place)) skipped_[cholesky_.order()[place]] = 1;
    }
  }
}

void GramFactor::factor_dense(const SparseRows& rows, const Mass& mass) {
  const std::size_t r = size_;
  const bool diagonal_mass = mass.is_diagonal();
  const double* inverse_root = mass.inverse_root().data();

  // Phi row by row: spread W J_j^T over the variables, take products with the rows before.
  for (std::size_t j = 0; j < r; ++j) {
    if (diagonal_mass) {
      for (std::uint32_t e = rows.start[j]; e < rows.start[j + 1]; ++e) {
        const std::uint32_t i = rows.column[e];
        image_[i] = rows.entry[e] * inverse_root[i] * inverse_root[i];
      }
    } else {
      std::fill(column_.begin(), column_.end(), 0.0);
      for (std::uint32_t e = rows.start[j]; e < rows.start[j + 1]; ++e) column_[rows.column[e]] = rows.entry[e];
      mass.solve(column_, image_);
    }
    for (std::size_t k = 0; k <= j; ++k) {
      double sum = 0;
      for (std::uint32_t e = rows.start[k]; e < rows.start[k + 1]; ++e) sum += rows.entry[e] * image_[rows.column[e]];
      phi_[j * r + k] = sum;
    }
    diagonal_[j] = phi_[j * r + j];
    if (diagonal_mass) {
      for (std::uint32_t e = rows.start[j]; e < rows.start[j + 1]; ++e) image_[rows.column[e]] = 0;
    }
  }

  eliminate_in_order();
  bool sharing = false;
  for (std::size_t j = 0; j < r; ++j) sharing = sharing || (skipped_[j] != 0 && shares_[j] != 0);
  if (sharing || least_pivot_ < small_pivot) eliminate_largest_first();
  null_count_ = 0;
  if (skipped_count_ > 0) find_null_vectors();
}

void GramFactor::eliminate_in_order() {
  const std::size_t r = size_;
  reordered_ = false;
  // L D L^T; a row without a pivot of its own is skipped.
  skipped_count_ = 0;
  least_pivot_ = 1;
  for (std::size_t j = 0; j < r; ++j) {
    double* row = lower_.data() + j * r;
    double pivot = phi_[j * r + j];
    for (std::size_t k = 0; k < j; ++k) {
      // row[k] first holds L_jk D_k.
      double sum = phi_[j * r + k];
      const double* other = lower_.data() + k * r;
      for (std::size_t l = 0; l < k; ++l) sum -= row[l] * other[l];
      row[k] = inverse_pivot_[k] == 0 ? 0.0 : sum;
    }
    for (std::size_t k = 0; k < j; ++k) {
      const double scaled = row[k] * inverse_pivot_[k];
      pivot -= scaled * row[k];
      row[k] = scaled;
    }
    const bool good = pivot > vanishing_pivot(size_) * diagonal_[j];
    inverse_pivot_[j] = good ? 1 / pivot : 0.0;
    skipped_[j] = good ? 0 : 1;
    if (good) {
      least_pivot_ = std::min(least_pivot_, pivot / diagonal_[j]);
    } else {
      ++skipped_count_;
      std::fill(row, row + j, 0.0);
    }
  }
}

void GramFactor::eliminate_largest_first() {
  const std::size_t r = size_;
  reordered_ = true;
  order_.clear();
  remaining_ = diagonal_;
  skipped_count_ = 0;
  least_pivot_ = 1;
  std::fill(lower_.begin(), lower_.end(), 0.0);
  std::fill(skipped_.begin(), skipped_.end(), std::uint8_t{1});
  const auto part = [&](std::size_t j) { return diagonal_[j] > 0 ? remaining_[j] / diagonal_[j] : 0.0; };
  const auto take = [&](std::size_t next) {
    // Column of the factor for all rows that are left.
    const std::size_t k = order_.size();
    const double pivot = remaining_[next];
    least_pivot_ = std::min(least_pivot_, part(next));
    order_.push_back(static_cast<std::uint32_t>(next));
    skipped_[next] = 0;
    inverse_pivot_[k] = 1 / pivot;
    const double* own = lower_.data() + next * r;
    for (std::size_t j = 0; j < r; ++j) {
      if (skipped_[j] == 0) continue;
      double* row = lower_.data() + j * r;
      double sum = j > next ? phi_[j * r + next] : phi_[next * r + j];
      for (std::size_t l = 0; l < k; ++l) sum -= row[l] * own[l] / inverse_pivot_[l];
      row[k] = sum / pivot;
      remaining_[j] -= row[k] * sum;
    }
  };
  // Rows that may share, the largest first; then the others as they come.
  while (true) {
    std::size_t best = r;
    for (std::size_t j = 0; j < r; ++j) {
      // Of nearly equal ones the first, so that the order does not hang on rounding.
      if (skipped_[j] != 0 && shares_[j] != 0 && (best == r || part(j) > clearly_larger_pivot * part(best))) best = j;
    }
    if (best == r || !(part(best) > vanishing_pivot(r))) break;
    take(best);
  }
  for (std::size_t j = 0; j < r; ++j) {
    if (skipped_[j] != 0 && shares_[j] == 0 && part(j) > vanishing_pivot(r)) take(j);
  }
  skipped_count_ = r - order_.size();
}

void GramFactor::solve_dense(double* x) const {
  const std::size_t r = size_;
  if (reordered_) {
    const std::size_t kept = order_.size();
    for (std::size_t j = 0; j < r; ++j) {
      if (skipped_[j] != 0) x[j] = 0;
    }
    for (std::size_t k = 0; k < kept; ++k) {
      const double* row = lower_.data() + std::size_t{order_[k]} * r;
      double sum = x[order_[k]];
      for (std::size_t l = 0; l < k; ++l) sum -= row[l] * x[order_[l]];
      x[order_[k]] = sum;
    }
    for (std::size_t k = 0; k < kept; ++k) x[order_[k]] *= inverse_pivot_[k];
    for (std::size_t k = kept; k-- > 0;) {
      const double* row = lower_.data() + std::size_t{order_[k]} * r;
      for (std::size_t l = 0; l < k; ++l) x[order_[l]] -= row[l] * x[order_[k]];
    }
    return;
  }
  for (std::size_t j = 0; j < r; ++j) {
    const double* row = lower_.data() + j * r;
    double sum = x[j];
    for (std::size_t k = 0; k < j; ++k) sum -= row[k] * x[k];
    x[j] = skipped_[j] != 0 ? 0.0 : sum;
  }
  for (std::size_t j = 0; j < r; ++j) x[j] *= inverse_pivot_[j];
  for (std::size_t j = r; j-- > 0;) {
    const double* row = lower_.data() + j * r;
    for (std::size_t k = 0; k < j; ++k) x[k] -= row[k] * x[j];
  }
}

void GramFactor::find_null_vectors() {
  const std::size_t r = size_;
  null_.clear();
  for (std::size_t s = 0; s < r; ++s) {
    if (skipped_[s] == 0 || shares_[s] == 0) continue;
    // e_s minus its expression by the rows kept.
    const std::size_t begin = null_.size();
    null_.resize(begin + r);
    double* y = null_.data() + begin;
    for (std::size_t k = 0; k < r; ++k) y[k] = k <= s ? phi_[s * r + k] : phi_[k * r + s];
    solve_dense(y);
    for (std::size_t k = 0; k < r; ++k) y[k] = -y[k];
    y[s] = 1;
    ++null_count_;
  }

  // Cholesky factor of their Gram matrix in the metric of the rows.
  null_gram_.assign(null_count_ * null_count_, 0.0);
  part_.resize(null_count_);
  for (std::size_t a = 0; a < null_count_; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t k = 0; k < r; ++k) sum += null_[a * r + k] * diagonal_[k] * null_[b * r + k];
      part_[b] = sum;
    }
    const double left = reduce_row(null_gram_.data(), null_count_, a, part_.data());
    take_row(null_gram_.data(), null_count_, a, part_.data(), std::sqrt(std::max(left, least_square)));
  }
}

void GramFactor::share(double* x) const {
  const std::size_t r = size_, m = null_count_;
  for (std::size_t a = 0; a < m; ++a) {
    double sum = 0;
    for (std::size_t k = 0; k < r; ++k) sum += null_[a * r + k] * diagonal_[k] * x[k];
    part_[a] = sum;
  }
  solve_columns(null_gram_.data(), m, m, part_.data());
  solve_columns_transposed(null_gram_.data(), m, m, part_.data());
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t k = 0; k < r; ++k) x[k] -= part_[a] * null_[a * r + k];
  }
}

void GramFactor::solve(std::span<double> x) {
  if (size_ == 0) return;
  if (serves_split_) {
    std::copy(x.begin(), x.end(), wide_right_.begin());
    std::fill(wide_right_.begin() + static_cast<std::ptrdiff_t>(size_), wide_right_.end(), 0.0);
    wide_cholesky_.solve(wide_right_, wide_right_);
    std::copy_n(wide_right_.begin(), size_, x.begin());
    return;
  }
  if (band_) {
    std::copy(x.begin(), x.end(), tridiagonal_.right());
    tridiagonal_.solve_wide();
    std::copy_n(tridiagonal_.right(), size_, x.begin());
    return;
  }
  if (dense_) {
    solve_dense(x.data());
    if (null_count_ > 0) share(x.data());
    return;
  }
  std::copy(x.begin(), x.end(), right_.begin());
  cholesky_.solve(right_, x);
}

}  // namespace zwang::linear
