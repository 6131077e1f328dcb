/// The price of a set of the dense backend: the accelerations that its multipliers make, the slack of every row, the rows broken.
///
///   d = B_A^T lambda_A,     a = a0 - M^-1/2 d,     w = J a + h
#include <algorithm>
#include <array>
#include <cmath>

#include "zwang/gauss/dense_face.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/linear/halves.hpp"
#include "zwang/linear/kernels.hpp"

namespace zwang::gauss {

namespace {

using linear::load;
using linear::Pair;
using linear::total;

}  // namespace

/// w = J a + h for every row.
void DenseFace::all_slacks(const double* a, double* w) const {
  const Problem& problem = *problem_;
  if (!full_rows_) {
    for (std::size_t i = 0; i < r_; ++i) w[i] = slack(i, a);
    return;
  }
  const double* first = problem.entry.data() + (r_ == 0 ? 0 : problem.start[0]);
  std::size_t i = 0;
  for (; i + 4 <= r_; i += 4) {
    const double* x[4] = {first + i * n_, first + (i + 1) * n_, first + (i + 2) * n_, first + (i + 3) * n_};
    double sums[4];
    linear::dots<4>(x, a, n_, sums);
    for (std::size_t k = 0; k < 4; ++k) w[i + k] = sums[k] + problem.h[i + k];
  }
  for (; i < r_; ++i) w[i] = slack(i, a);
}

/// The same for the distinct rows, in their order.
void DenseFace::distinct_slacks(double* w) const {
  if (distinct_count_ == r_) {
    all_slacks(a_.data(), w);
    return;
  }
  const Problem& problem = *problem_;
  std::size_t q = 0;
  if (full_rows_) {
    for (; q + 4 <= distinct_count_; q += 4) {
      const double* x[4];
      for (std::size_t k = 0; k < 4; ++k) x[k] = problem.entry.data() + problem.start[distinct_[q + k]];
      double sums[4];
      linear::dots<4>(x, a_.data(), n_, sums);
      for (std::size_t k = 0; k < 4; ++k) w[q + k] = sums[k] + problem.h[distinct_[q + k]];
    }
  }
  for (; q < distinct_count_; ++q) w[q] = slack(distinct_[q], a_.data());
}

double DenseFace::slack(std::size_t row, const double* a) const {
  const Problem& problem = *problem_;
  if (full_rows_) return problem.h[row] + linear::dot(problem.entry.data() + problem.start[row], a, n_);
  double sum = problem.h[row];
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e)
    sum += problem.entry[e] * a[problem.column[e]];
  return sum;
}

/// a = from - M^-1/2 d with d = B_A^T lambda.
void DenseFace::move(const double* lambda, const double* from) {
  const Problem& problem = *problem_;
  double* d = d_.data();
  sized_ = false;
  length_of_a_ = -1;
  std::fill_n(d, n_, 0.0);
  if (short_rows_) {
    for (std::size_t p = 0; p < size_; ++p) {
      const std::size_t slot = slot_[p];
      const std::uint32_t* index = index_.data() + slot * stride_;
      const double* x = rows_.data() + slot * stride_;
      for (std::size_t e = 0; e < length_[slot]; ++e) d[index[e]] += lambda[p] * x[e];
    }
  } else {
    std::size_t p = 0;
    for (; p + 4 <= size_; p += 4) {
      const double* x[4];
      for (std::size_t k = 0; k < 4; ++k) x[k] = rows_.data() + slot_[p + k] * stride_;
      linear::add_multiples<4>(lambda + p, x, d, n_);
    }
    for (; p < size_; ++p) linear::add_multiple(lambda[p], rows_.data() + slot_[p] * stride_, d, n_);
  }

  // Single variables, then L^T x = d in every block.
  const double* root = problem.mass->inverse_root().data();
  if (diagonal_) {
    for (std::size_t j = 0; j < n_; ++j) a_[j] = from[j] - root[j] * d[j];
    return;
  }
  for (const linear::Mass::Block& block : problem.mass->blocks()) {
    const std::size_t size = block.variables.size();
    if (block.turn) {
      std::array<double, linear::variables_of_a_turn> x{};
      for (std::size_t c = 0; c < size; ++c) x[c] = d[block.variables[c]];
      linear::out_of_metric(block, x.data());
      for (std::size_t c = 0; c < size; ++c) d[block.variables[c]] = x[c];
      continue;
    }
    for (std::size_t c = size; c-- > 0;) {
      double sum = d[block.variables[c]];
      for (std::size_t i = c + 1; i < size; ++i) sum -= block.factor[c * size + i] * d[block.variables[i]];
      d[block.variables[c]] = sum / block.factor[c * size + c];
    }
  }
  for (std::size_t j = 0; j < n_; ++j) {
    const bool single = problem.mass->block_of(static_cast<std::uint32_t>(j)) < 0;
    a_[j] = from[j] - (single ? root[j] * d[j] : d[j]);
  }
}

/// |M^1/2 a0| + |M^1/2 a|.
double DenseFace::length_of_a() {
  if (length_of_a_ >= 0) return length_of_a_;
  const Problem& problem = *problem_;
  double free_square = 0, square = 0;
  if (diagonal_) {
    const double* mass = problem.mass->diagonal().data();
    const double* a0 = problem.a0.data();
    Pair s0 = {0, 0}, s1 = {0, 0};
    std::size_t j = 0;
    for (; j + 2 <= n_; j += 2) {
      const Pair m = load(mass + j), x = load(a0 + j), y = load(a_.data() + j);
      s0 += m * x * x;
      s1 += m * y * y;
    }
    free_square = total(s0);
    square = total(s1);
    if (j < n_) {
      free_square += mass[j] * a0[j] * a0[j];
      square += mass[j] * a_[j] * a_[j];
    }
  } else {
    problem.mass->multiply(problem.a0, {d_.data(), n_});
    for (std::size_t j = 0; j < n_; ++j) free_square += d_[j] * problem.a0[j];
    problem.mass->multiply({a_.data(), n_}, {d_.data(), n_});
    for (std::size_t j = 0; j < n_; ++j) square += d_[j] * a_[j];
  }
  length_of_a_ = std::sqrt(free_square) + std::sqrt(square);
  return length_of_a_;
}

/// c_j = |a_j| + |a0_j| + sum_i |lambda_i J_ij| / M_jj.
void DenseFace::size_up() {
  const Problem& problem = *problem_;
  std::fill_n(magnitude_.data(), n_, 0.0);
  for (std::size_t p = 0; p < size_; ++p) {
    const std::uint32_t row = set_[p];
    const double* entry = problem.entry.data() + problem.start[row];
    if (full_rows_) {
      linear::add_absolute(multiplier_[p], entry, magnitude_.data(), n_);
      continue;
    }
    for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
      magnitude_[problem.column[e]] += std::abs(multiplier_[p] * problem.entry[e]);
    }
  }
  const double* mass = problem.mass->diagonal().data();
  for (std::size_t j = 0; j < n_; ++j) {
    magnitude_[j] = std::abs(a_[j]) + std::abs(problem.a0[j]) + magnitude_[j] / mass[j];
  }
  sized_ = true;
}

/// The scale of rounding in w_i: sum_j |J_ij| c_j with c_j the terms that a_j was summed from, before cancelling, but between
/// a thousandth and the whole of |B_i| (|M^1/2 a0| + |M^1/2 a|), so that neither cancelling multipliers nor columns at rest
/// distort it; and |h_i|.
double DenseFace::terms(std::uint32_t row) {
  const Problem& problem = *problem_;
  if (!sized_) size_up();
  double sum = 0;
  if (full_rows_) {
    sum = linear::absolute_dot(problem.entry.data() + problem.start[row], magnitude_.data(), n_);
  } else {
    for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
      sum += std::abs(problem.entry[e]) * magnitude_[problem.column[e]];
    }
  }
  const double whole = std::sqrt(norm_squared(row)) * length_of_a();
  return std::clamp(sum, least_share * whole, whole) + std::abs(problem.h[row]);
}

/// Is |value| at most this fraction of the row's terms? Mostly |h_i| alone tells.
bool DenseFace::within(double value, double fraction, std::uint32_t row) {
  return std::abs(value) <= fraction * std::abs(problem_->h[row]) || std::abs(value) <= fraction * terms(row);
}

/// The worst |w| of a row held, on the scale of its terms; zero when all are solved well.
double DenseFace::residual() {
  double worst = 0;
  for (std::size_t p = 0; p < size_; ++p) {
    // |J_i a0| + |h_i| is less than the terms and mostly enough; it is at hand.
    const std::uint32_t row = set_[p];
    const double h = problem_->h[row], w = std::abs(w_[row]);
    if (w <= well_solved * (std::abs(free_[slot_[p]] - h) + std::abs(h))) continue;
    const double size = terms(row);
    if (w > well_solved * size) worst = std::max(worst, w / size);
  }
  return worst;
}

/// One correction, Phi_AA change = w_A, added to lambda and to a as it stands.
void DenseFace::refine() {
  double* change = estimate_.data();
  for (std::size_t p = 0; p < size_; ++p) {
    const double* l = factor_.data() + p * capacity_;
    change[p] = (w_[set_[p]] - linear::dot(l, change, p)) * inverse_[p];
  }
  for (std::size_t p = size_; p-- > 0;) {
    change[p] *= inverse_[p];
    linear::add_multiple(-change[p], factor_.data() + p * capacity_, change, p);
  }
  for (std::size_t p = 0; p < size_; ++p) multiplier_[p] += change[p];
  move(change, a_.data());
}

void DenseFace::price() {
  violated_count_ = 0;
  most_broken_ = 0;
  most_excused_ = 0;
  // While signs are wrong the broken rows need not be known, unless somebody listens.
  if (negative_count_ > 0 && !told_) return;

  // a, w, and a correction if the rows held do not hold to the last digits.
  move(multiplier_.data(), problem_->a0.data());
  all_slacks(a_.data(), w_.data());
  double before = residual();
  for (int pass = 0; pass < 3 && before > well_solved; ++pass) {
    refine();
    all_slacks(a_.data(), w_.data());
    const double after = residual();
    const bool better = after < 0.5 * before;
    before = after;
    if (!better) break;
  }

  // Rows held that nothing makes hold: the factor is no good, and only the rescue goes on.
  if (before > hopeless) {
    for (std::size_t p = 0; p < size_; ++p) {
      if (!within(w_[set_[p]], hopeless, set_[p])) violated_[violated_count_++] = set_[p];
    }
    return;
  }
  const auto excuse = [this](double broken, double square) {
    if (square > 0) most_excused_ = std::max(most_excused_, broken / std::sqrt(square));
  };
  for (std::size_t p = 0; before > 0 && p < size_; ++p) excuse(std::abs(w_[set_[p]]), norm_squared(set_[p]));

  // Rows broken beyond rounding.
  for (std::uint32_t i = 0; i < r_; ++i) {
    if (state_[i] == in_set || state_[i] == copy) continue;
    const double broken = problem_->kind[i] == RowKind::equation ? std::abs(w_[i]) : w_[i];
    const double offset = std::abs(problem_->h[i]);
    if (!(broken > row_rounding * offset)) continue;

    // Far above rounding, or a closer look.
    const double square = norm_squared(i);
    const bool far = broken > row_rounding * (std::sqrt(square) * length_of_a() + offset);
    if (!far && broken <= row_rounding * terms(i)) {
      excuse(broken, square);
      continue;
    }
    // What depends on the set agrees with it within its bound.
    if (state_[i] == skipped && !problem_->h_bound.empty() && broken <= problem_->h_bound[i]) continue;
    violated_[violated_count_++] = i;
    if (square > 0 && state_[i] != skipped) most_broken_ = std::max(most_broken_, broken * broken / square);
  }
}

}  // namespace zwang::gauss
