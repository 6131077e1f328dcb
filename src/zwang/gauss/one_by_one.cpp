/// The nearest point with one row changed at a time; see the header for the method.
#include "zwang/gauss/one_by_one.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/gauss.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/linear/halves.hpp"
#include "zwang/linear/kernels.hpp"

namespace zwang::gauss {
namespace {

/// What the kind of numbers decides: how well a part outside of a span is known, what is no fall of a multiplier, how much work
/// is honest.
template <class Real>
struct Kind;
template <>
struct Kind<double> {
  static constexpr bool careful = false;

  static constexpr double no_fall = gauss::no_fall;
  static constexpr std::size_t work = most_plain_work;
};
template <>
struct Kind<linear::Twofold> {
  static constexpr bool careful = true;

  static constexpr double no_fall = no_fall_twofold;
  static constexpr std::size_t work = twofold_work;
};

using linear::sqrt;
using std::sqrt;

double hypotenuse(double x, double y) { return elementary::hypot(x, y); }
linear::Twofold hypotenuse(linear::Twofold x, linear::Twofold y) { return linear::sqrt(x * x + y * y); }

double plain(double x) { return x; }
double plain(linear::Twofold x) { return static_cast<double>(x); }
double low_part(double /*x*/) { return 0; }
double low_part(linear::Twofold x) { return x.low; }
double high_part(double x) { return x; }
double high_part(linear::Twofold x) { return x.high; }

/// a b without rounding where there is room for it.
double product(double a, double b, double /*kind*/) { return a * b; }
linear::Twofold product(double a, double b, linear::Twofold /*kind*/) { return linear::exact_product(a, b); }

}  // namespace

template <class Real>
void OneByOneWith<Real>::reserve(const Problem& problem) {
  gather_columns(problem);
  const std::size_t n = problem.n(), r = problem.r();
  most_held_ = std::min(r, width_);
  if (set_.size() < most_held_) set_.resize(most_held_);
  if (q_.size() < most_held_ * width_) q_.resize(most_held_ * width_);
  if (reach_.size() < most_held_) reach_.resize(most_held_);
  if (r_.size() < most_held_ * most_held_) r_.resize(most_held_ * most_held_);
  if (c_.size() < most_held_) c_.resize(most_held_);
  if (change_.size() < most_held_) change_.resize(most_held_);
  if (z_.size() < width_) z_.resize(width_);
  if (row_.size() < width_) row_.resize(width_);
  if (dense_.size() < n) dense_.resize(n);
  is_held_.resize(r);
  for (auto* vector : {&forgiven_, &norm_, &known_, &answer_lambda_, &answer_w_}) vector->resize(r);
  for (auto* vector : {&magnitude_, &plain_, &other_plain_, &answer_a_}) vector->resize(n);
  if (Kind<Real>::careful) answer_low_.resize(r);
  scratch_.reserve(6 * n);
  suspects_.reserve(most_held_ + 1);
  a_.resize(n);
  lambda_.resize(r);
  w_.resize(r);
}

/// The columns that any row touches, blocks of the mass matrix whole.
template <class Real>
void OneByOneWith<Real>::gather_columns(const Problem& problem) {
  constexpr auto absent = std::numeric_limits<std::uint32_t>::max();
  const std::size_t n = problem.n();
  if (columns_.size() < n) columns_.resize(n);
  place_.assign(n, absent);
  width_ = 0;
  const auto take = [&](std::uint32_t column) {
    if (place_[column] != absent) return;
    place_[column] = static_cast<std::uint32_t>(width_);
    columns_[width_++] = column;
  };
  for (std::size_t e = problem.start.front(); e < problem.start.back(); ++e) {
    const std::uint32_t column = problem.column[e];
    const int block = problem.mass->block_of(column);
    if (block < 0) {
      take(column);
    } else if (place_[column] == absent) {
      for (const std::uint32_t other : problem.mass->blocks()[static_cast<std::size_t>(block)].variables) take(other);
    }
  }
}

/// B_i = J_i M^-1/2 over the gathered columns, and its length. A block's root is its Cholesky factor.
template <class Real>
double OneByOneWith<Real>::metric_row(const Problem& problem, std::uint32_t row, Real* out) const {
  std::fill_n(out, width_, Real(0));
  const linear::Mass& mass = *problem.mass;
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    const std::uint32_t column = problem.column[e];
    const bool single = mass.block_of(column) < 0;
    out[place_[column]] = product(problem.entry[e], single ? mass.inverse_root()[column] : 1.0, Real());
  }

  // L u = J^T in each block the row touches; blocks lie contiguously.
  int last = -1;
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    const int number = mass.block_of(problem.column[e]);
    if (number < 0 || number == last) continue;
    const linear::Mass::Block& block = mass.blocks()[static_cast<std::size_t>(number)];
    Real* u = out + place_[block.variables.front()];
    if (last >= 0 && std::any_of(problem.column.begin() + problem.start[row],
                                 problem.column.begin() + static_cast<std::ptrdiff_t>(e),
                                 [&](std::uint32_t column) { return mass.block_of(column) == number; })) {
      continue;
    }
    linear::into_metric(block, u);
    last = number;
  }
  return std::sqrt(plain(linear::dot(out, out, width_)));
}

template <class Real>
Real OneByOneWith<Real>::slack(const Problem& problem, std::uint32_t row) const {
  Real w = problem.h[row];
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    w += a_[problem.column[e]] * problem.entry[e];
  }
  return w;
}

/// |a_j| + |a0_j| + sum_i |lambda_i J_ij| / M_jj: what a_j was summed from, before cancelling.
template <class Real>
void OneByOneWith<Real>::size_up(const Problem& problem) {
  std::fill(magnitude_.begin(), magnitude_.end(), 0.0);
  for (const std::uint32_t row : held()) {
    for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
      magnitude_[problem.column[e]] += std::abs(plain(lambda_[row]) * problem.entry[e]);
    }
  }
  for (std::size_t j = 0; j < problem.n(); ++j) {
    plain_[j] = plain(a_[j]);
    magnitude_[j] = std::abs(plain_[j]) + std::abs(problem.a0[j]) + magnitude_[j] / problem.mass->diagonal()[j];
  }

  // |M^1/2 a0| + |M^1/2 a|.
  double free_square = 0, square = 0;
  problem.mass->multiply(problem.a0, other_plain_);
  for (std::size_t j = 0; j < problem.n(); ++j) free_square += other_plain_[j] * problem.a0[j];
  problem.mass->multiply(plain_, other_plain_);
  for (std::size_t j = 0; j < problem.n(); ++j) square += other_plain_[j] * plain_[j];
  length_of_a_ = std::sqrt(free_square) + std::sqrt(square);
}

/// The scale of rounding in w_i: its terms before they cancel, but between a thousandth and the whole of
/// |B_i| (|M^1/2 a0| + |M^1/2 a|), so that neither cancelling multipliers nor columns at rest distort it; and |h_i|.
template <class Real>
double OneByOneWith<Real>::terms(const Problem& problem, std::uint32_t row) const {
  double sum = 0;
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    sum += std::abs(problem.entry[e]) * magnitude_[problem.column[e]];
  }
  const double whole = norm_[row] * length_of_a_;
  return std::clamp(sum, least_share * whole, whole) + std::abs(problem.h[row]);
}

/// By how much a row that depends on others may be off and still agree with them, as far as it is to blame: rounding of its
/// terms, and what its bounds allow.
template <class Real>
double OneByOneWith<Real>::excuse(const Problem& problem, std::uint32_t row) const {
  double sum = row_rounding * terms(problem, row);
  if (!problem.h_bound.empty()) sum += problem.h_bound[row];
  if (problem.entry_bound.empty()) return sum;
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    const std::uint32_t j = problem.column[e];
    sum += problem.entry_bound[e] * (std::abs(plain_[j]) + std::abs(problem.a0[j]));
  }
  return sum;
}

/// Do the rows held hold?
template <class Real>
bool OneByOneWith<Real>::exact(const Problem& problem) const {
  for (const std::uint32_t row : held()) {
    if (!(std::abs(plain(w_[row])) <= held_bound * terms(problem, row))) return false;
  }
  return true;
}

template <class Real>
void OneByOneWith<Real>::price(const Problem& problem) {
  size_up(problem);
  work_ += problem.start.back() - problem.start.front();
  for (std::uint32_t i = 0; i < problem.r(); ++i) w_[i] = slack(problem, i);
}

/// From the first to behind the last column, widened to the steps in which products are summed.
template <class Real>
typename OneByOneWith<Real>::Reach OneByOneWith<Real>::wide_enough(std::size_t first, std::size_t last) const {
  constexpr std::size_t step = linear::dot_step;
  return {first / step * step, std::min((last + step - 1) / step * step, width_)};
}

/// B_p = Q^T c + z; the length of z. Twice, so that z is orthogonal to the last digit. Rows of Q that share no column with z have no part in it.
template <class Real>
Real OneByOneWith<Real>::split(const Problem& problem, std::uint32_t row) {
  norm_[row] = metric_row(problem, row, z_.data());
  for (std::size_t k = 0; k < size_; ++k) c_[k] = 0;
  std::size_t begin = width_, end = 0;
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    const int block = problem.mass->block_of(problem.column[e]);
    const std::size_t place = place_[problem.column[e]];
    // A block lies in one stretch.
    const std::size_t first =
        block < 0 ? place : place_[problem.mass->blocks()[static_cast<std::size_t>(block)].variables.front()];
    const std::size_t count = block < 0 ? 1 : problem.mass->blocks()[static_cast<std::size_t>(block)].variables.size();
    begin = std::min(begin, first);
    end = std::max(end, first + count);
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < size_; ++k) {
      const Reach own = reach_[k];
      if (own.end <= begin || end <= own.begin) continue;
      const Real* q = q_.data() + k * width_ + own.begin;
      const Real part = linear::dot(q, z_.data() + own.begin, own.end - own.begin);
      work_ += 2 * (own.end - own.begin);
      if (part == Real(0)) continue;
      linear::add_multiple(-part, q, z_.data() + own.begin, own.end - own.begin);
      c_[k] += part;
      begin = std::min(begin, own.begin);
      end = std::max(end, own.end);
    }
  }
  return sqrt(linear::dot(z_.data(), z_.data(), width_));
}

/// The row just split joins the set; `rest` is the length of z.
template <class Real>
void OneByOneWith<Real>::push(std::uint32_t row, Real rest) {
  Real* q = q_.data() + size_ * width_;
  Real* column = r_.data() + size_ * most_held_;
  for (std::size_t j = 0; j < width_; ++j) q[j] = z_[j] / rest;
  std::copy_n(c_.begin(), size_, column);
  column[size_] = rest;
  std::size_t begin = 0, end = width_;
  while (begin < end && z_[begin] == Real(0)) ++begin;
  while (end > begin && z_[end - 1] == Real(0)) --end;
  reach_[size_] = wide_enough(begin, end);
  set_[size_++] = row;
  is_held_[row] = 1;
}

/// The row at `place` leaves; plane rotations make R triangular again.
template <class Real>
void OneByOneWith<Real>::drop(std::size_t place) {
  is_held_[set_[place]] = 0;
  for (std::size_t k = place; k + 1 < size_; ++k) {
    set_[k] = set_[k + 1];
    std::copy_n(r_.data() + (k + 1) * most_held_, k + 2, r_.data() + k * most_held_);
  }
  --size_;
  for (std::size_t k = place; k < size_; ++k) {
    // Rotate rows k and k + 1 so that the entry below the diagonal of column k vanishes.
    Real* column = r_.data() + k * most_held_;
    const Real length = hypotenuse(column[k], column[k + 1]);
    if (length == Real(0)) continue;
    const Real c = column[k] / length, s = column[k + 1] / length;
    for (std::size_t m = k; m < size_; ++m) {
      Real* other = r_.data() + m * most_held_;
      const Real upper = other[k], lower = other[k + 1];
      other[k] = c * upper + s * lower;
      other[k + 1] = c * lower - s * upper;
    }
    Real* upper_row = q_.data() + k * width_;
    Real* lower_row = upper_row + width_;
    const Reach both = {std::min(reach_[k].begin, reach_[k + 1].begin), std::max(reach_[k].end, reach_[k + 1].end)};
    reach_[k] = reach_[k + 1] = both;
    work_ += 2 * (both.end - both.begin + size_ - k);
    for (std::size_t j = both.begin; j < both.end; ++j) {
      const Real upper = upper_row[j], lower = lower_row[j];
      upper_row[j] = c * upper + s * lower;
      lower_row[j] = c * lower - s * upper;
    }
  }
}

/// a -= step M^-1/2 z, in the coordinates of the problem.
template <class Real>
void OneByOneWith<Real>::move(const Problem& problem, Real step) {
  const linear::Mass& mass = *problem.mass;
  for (std::size_t k = 0; k < width_; ++k) {
    const std::uint32_t column = columns_[k];
    const int number = mass.block_of(column);
    if (number < 0) {
      a_[column] -= step * z_[k] * mass.inverse_root()[column];
      continue;
    }
    const linear::Mass::Block& block = mass.blocks()[static_cast<std::size_t>(number)];
    if (column != block.variables.front()) continue;

    // L^T x = z in the block, then x into a.
    const std::size_t size = block.variables.size();
    for (std::size_t c = 0; c < size; ++c) dense_[c] = z_[k + c];
    linear::out_of_metric(block, dense_.data());
    for (std::size_t c = 0; c < size; ++c) a_[block.variables[c]] -= step * dense_[c];
  }
}

/// R^T R x = right, in place.
template <class Real>
void OneByOneWith<Real>::solve_multipliers(Real* right) const {
  for (std::size_t k = 0; k < size_; ++k) {
    const Real* column = r_.data() + k * most_held_;
    right[k] = (right[k] - linear::dot(column, right, k)) / column[k];
  }
  for (std::size_t k = size_; k-- > 0;) {
    const Real* column = r_.data() + k * most_held_;
    right[k] /= column[k];
    linear::add_multiple(-right[k], column, right, k);
  }
}

/// z = sum c_k B_k over the rows held, from the rows themselves: what no row touches stays exactly zero.
template <class Real>
void OneByOneWith<Real>::combine(const Problem& problem, const Real* c) {
  std::fill_n(z_.begin(), width_, Real(0));
  work_ += size_ * width_;
  for (std::size_t k = 0; k < size_; ++k) {
    (void)metric_row(problem, set_[k], row_.data());
    linear::add_multiple(c[k], row_.data(), z_.data(), width_);
  }
}

/// Makes the rows held exact: a from a0 and lambda (zero if `afresh`), then corrections of what is left of w.
template <class Real>
void OneByOneWith<Real>::polish(const Problem& problem, bool afresh) {
  for (std::size_t k = 0; k < size_; ++k) change_[k] = afresh ? Real(0) : lambda_[set_[k]];
  if (afresh) std::fill(lambda_.begin(), lambda_.end(), Real(0));
  std::copy(problem.a0.begin(), problem.a0.end(), a_.begin());
  combine(problem, change_.data());
  move(problem, Real(1));
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t k = 0; k < size_; ++k) change_[k] = slack(problem, set_[k]);
    solve_multipliers(change_.data());
    for (std::size_t k = 0; k < size_; ++k) lambda_[set_[k]] += change_[k];
    combine(problem, change_.data());
    move(problem, Real(1));
  }
}

/// Takes the start rows as equations and drops those whose multiplier is negative until none is; false when that is too much
/// work.
template <class Real>
bool OneByOneWith<Real>::start_from(const Problem& problem, std::span<const std::uint32_t> start) {
  for (const std::uint32_t row : start) {
    if (is_held_[row] != 0 || size_ == most_held_) continue;
    if (exhausted()) return false;
    const Real rest = split(problem, row);
    if (plain(rest) > start_angle * norm_[row]) push(row, rest);
  }
  while (true) {
    if (exhausted()) return false;
    polish(problem, true);
    bool any = false;
    for (std::size_t k = size_; k-- > 0;) {
      const std::uint32_t row = set_[k];
      if (problem.kind[row] == RowKind::equation || lambda_[row] >= Real(0)) continue;
      drop(k);
      lambda_[row] = 0;
      any = true;
    }
    if (!any) return true;
  }
}

template <class Real>
bool OneByOneWith<Real>::exhausted() const {
  return work_ > std::min(Kind<Real>::work, allowed_work_);
}

/// y = (sign at the row, -sign R^-1 c on the set), the largest entry one; is it a proof? First without entries that are rounding,
/// then with them.
template <class Real>
bool OneByOneWith<Real>::certify(const Problem& problem, std::uint32_t row, double sign, Solution& solution) {
  double size_of_changes = norm_[row];
  for (std::size_t k = 0; k < size_; ++k) {
    size_of_changes = std::max(size_of_changes, std::abs(plain(change_[k])) * norm_[set_[k]]);
  }
  for (const double least : {no_part, 0.0}) {
    solution.farkas.assign(problem.r(), 0.0);
    solution.farkas[row] = sign;
    double largest = 1;
    for (std::size_t k = 0; k < size_; ++k) {
      double value = -sign * plain(change_[k]);
      if (problem.kind[set_[k]] == RowKind::inequality) value = std::max(value, 0.0);
      if (std::abs(value) * norm_[set_[k]] <= least * size_of_changes) value = 0;
      solution.farkas[set_[k]] = value;
      largest = std::max(largest, std::abs(value));
    }
    for (double& value : solution.farkas) value /= largest;
    if (verify_farkas(problem, solution.farkas, scratch_)) return true;
  }
  solution.farkas.clear();
  suspects_.assign(1, row);
  for (std::size_t k = 0; k < size_; ++k) {
    if (std::abs(plain(change_[k])) * norm_[set_[k]] > small_part * size_of_changes) suspects_.push_back(set_[k]);
  }
  std::sort(suspects_.begin(), suspects_.end());
  return false;
}

/// Raises the multiplier of a broken row until it holds, the rows it displaces leave, or a contradiction shows.
template <class Real>
typename OneByOneWith<Real>::Joined OneByOneWith<Real>::join(const Problem& problem, std::uint32_t row,
                                                             std::size_t most_rounds, Solution& solution,
                                                             Trial* trial) {
  const double sign = w_[row] > Real(0) ? 1.0 : -1.0;
  while (true) {
    if (++solution.rounds > most_rounds) return Joined::exhausted;
    if (exhausted()) return Joined::exhausted;

    // The row's part outside the span of the set, and how the multipliers answer.
    const Real rest = split(problem, row);
    std::copy_n(c_.begin(), size_, change_.begin());
    for (std::size_t k = size_; k-- > 0;) {
      const Real* column = r_.data() + k * most_held_;
      if (change_[k] == Real(0)) continue;
      change_[k] /= column[k];
      linear::add_multiple(-change_[k], column, change_.data(), k);
    }

    // The largest part of the combination B_p = sum change_k B_k, and how well what is left of B_p outside is known.
    const double outside_part = plain(rest);
    double size_of_changes = norm_[row], known = known_[row];
    for (std::size_t k = 0; k < size_; ++k) {
      const double change = std::abs(plain(change_[k]));
      size_of_changes = std::max(size_of_changes, change * norm_[set_[k]]);
      known += change * known_[set_[k]];
    }
    const bool room = size_ < most_held_;
    bool outside = room && outside_part > known;
    if (outside && !Kind<Real>::careful &&
        !(outside_part > resolved * norm_[row] && outside_part > resolved_part * size_of_changes)) {
      return Joined::doubtful;
    }
    if (Kind<Real>::careful && !(outside_part > resolved_twofold * size_of_changes)) outside = false;

    // How far until a multiplier of the set reaches zero; rounding is no fall. Ties go to the least row.
    double dual_step = infinity;
    std::size_t leaving = size_;
    for (std::size_t k = 0; k < size_; ++k) {
      const std::uint32_t other = set_[k];
      if (problem.kind[other] == RowKind::equation) continue;
      const double change = sign * plain(change_[k]);
      if (change * norm_[other] <= Kind<Real>::no_fall * size_of_changes) continue;
      const double step = std::max(plain(lambda_[other]), 0.0) / change;
      if (step < dual_step || (step == dual_step && other < set_[leaving])) {
        dual_step = step;
        leaving = k;
      }
    }

    // A dependent row agrees with the rows it is made of when y^T h vanishes as far as each of them is known;
    // taken to the letter, only where no other row can leave for it.
    if (!outside && (!strictly_ || dual_step == infinity)) {
      size_up(problem);
      Real gap = problem.h[row];
      double allowed = excuse(problem, row);
      for (std::size_t k = 0; k < size_; ++k) {
        gap -= change_[k] * problem.h[set_[k]];
        allowed += std::abs(plain(change_[k])) * excuse(problem, set_[k]);
      }
      if (sign * plain(gap) <= allowed) {
        forgiven_[row] = std::max(2 * std::abs(plain(w_[row])), allowed);
        return Joined::consistent;
      }
    }

    // No step in sight: the rows contradict each other, if the proof stands. Where it does not, more digits may tell; where
    // there are no more, a part outside however small is one.
    if (!outside && dual_step == infinity) {
      if (certify(problem, row, sign, solution)) return Joined::contradicts;
      outside = Kind<Real>::careful && room && outside_part > resolved_twofold * size_of_changes;
      if (!outside) return Joined::doubtful;
    }

    // Go as far as the row holds or the other one leaves.
    const Real primal_step = outside ? Real(sign) * w_[row] / (rest * rest) : Real(infinity);
    const bool holds = outside && plain(primal_step) <= dual_step;
    Real step = primal_step;
    if (!holds) {
      step = std::max(plain(lambda_[set_[leaving]]), 0.0) == 0
                 ? Real(0)
                 : lambda_[set_[leaving]] / (Real(sign) * change_[leaving]);
    }
    for (std::size_t k = 0; k < size_; ++k) lambda_[set_[k]] -= Real(sign) * step * change_[k];
    lambda_[row] += Real(sign) * step;
    if (outside) move(problem, Real(sign) * step);
    if (holds) {
      push(row, rest);
      return Joined::joined;
    }
    const std::uint32_t left = set_[leaving];
    if (trial != nullptr) trial->negative.push_back(left);
    drop(leaving);
    lambda_[left] = 0;

    // On the way, the row may have come to hold.
    w_[row] = slack(problem, row);
    if (outside && sign * plain(w_[row]) <= 0) {
      // Rounding brought it past zero: take it in where it stands.
      const Real again = split(problem, row);
      if (plain(again) > resolved * norm_[row] && size_ < most_held_) {
        push(row, again);
        return Joined::joined;
      }
    }
  }
}

/// What is reported, and judged: no negative multipliers, none off the set.
template <class Real>
void OneByOneWith<Real>::answer(const Problem& problem) {
  for (std::size_t i = 0; i < lambda_.size(); ++i) {
    if (is_held_[i] == 0 || (problem.kind[i] == RowKind::inequality && lambda_[i] < Real(0))) lambda_[i] = 0;
  }
  for (std::size_t j = 0; j < a_.size(); ++j) answer_a_[j] = plain(a_[j]);
  for (std::size_t i = 0; i < lambda_.size(); ++i) {
    answer_lambda_[i] = high_part(lambda_[i]);
    answer_w_[i] = plain(w_[i]);
    if (Kind<Real>::careful) answer_low_[i] = low_part(lambda_[i]);
  }
}

template <class Real>
Status OneByOneWith<Real>::run(const Problem& problem, std::span<const std::uint32_t> start, std::size_t most_rounds,
                               Solution& solution, std::vector<Trial>* trials) {
  reserve(problem);
  const Status status = pivot(problem, start, most_rounds, solution, trials);
  answer(problem);
  return status;
}

template <class Real>
Status OneByOneWith<Real>::pivot(const Problem& problem, std::span<const std::uint32_t> start, std::size_t most_rounds,
                                 Solution& solution, std::vector<Trial>* trials) {
  // From the free motion.
  const auto r = static_cast<std::uint32_t>(problem.r());
  size_ = 0;
  work_ = 0;
  doubtful_ = false;
  suspects_.clear();
  std::fill(is_held_.begin(), is_held_.end(), std::uint8_t{0});
  std::fill(forgiven_.begin(), forgiven_.end(), 0.0);
  std::fill(lambda_.begin(), lambda_.end(), Real(0));
  std::copy(problem.a0.begin(), problem.a0.end(), a_.begin());
  for (std::uint32_t i = 0; i < r; ++i) {
    norm_[i] = metric_row(problem, i, z_.data());
    known_[i] = entry_rounding * norm_[i];
    if (problem.entry_bound.empty()) continue;
    double square = 0;
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      square += problem.entry_bound[e] * problem.entry_bound[e] / problem.mass->diagonal()[problem.column[e]];
    }
    known_[i] = std::sqrt(square) + (Kind<Real>::careful ? 0.0 : known_[i]);
  }

  // Equations first; they never leave, and a contradiction among them shows at once.
  for (std::uint32_t i = 0; i < r; ++i) {
    if (problem.kind[i] != RowKind::equation) continue;
    w_[i] = slack(problem, i);
    switch (join(problem, i, most_rounds, solution, nullptr)) {
      case Joined::joined:
      case Joined::consistent: break;
      case Joined::contradicts: return Status::infeasible;
      case Joined::doubtful: doubtful_ = true; return Status::gave_up;
      case Joined::exhausted: return Status::gave_up;
    }
  }

  // Then the rows we were given.
  if (!start_from(problem, start)) return Status::gave_up;
  bool polished = true;

  while (true) {
    // The row broken most, in the metric of the masses.
    price(problem);
    std::uint32_t worst = r;
    double most = 0;
    for (std::uint32_t i = 0; i < r; ++i) {
      if (is_held_[i] != 0) continue;
      const double w = plain(w_[i]);
      const double broken = problem.kind[i] == RowKind::equation ? std::abs(w) : w;
      if (!(broken > forgiven_[i]) || broken <= row_rounding * terms(problem, i)) continue;
      const double relative = norm_[i] > 0 ? broken / norm_[i] : infinity;
      if (relative > most) {
        most = relative;
        worst = i;
      }
    }

    // None: make the rows held exact, look once more, and be done.
    if (worst == r) {
      if (polished) {
        doubtful_ = !exact(problem);
        return doubtful_ ? Status::gave_up : Status::solved;
      }
      polish(problem, false);
      polished = true;
      continue;
    }

    // Take it in.
    Trial trial;
    const Joined joined = join(problem, worst, most_rounds, solution, trials != nullptr ? &trial : nullptr);
    if (trials != nullptr) {
      trial.rows.assign(set_.begin(), set_.begin() + static_cast<std::ptrdiff_t>(size_));
      trial.violated.push_back(worst);
      trials->push_back(std::move(trial));
    }
    switch (joined) {
      case Joined::joined:
      case Joined::consistent: break;
      case Joined::contradicts: return Status::infeasible;
      case Joined::doubtful: doubtful_ = true; return Status::gave_up;
      case Joined::exhausted: return Status::gave_up;
    }
    polished = false;
  }
}

template class OneByOneWith<double>;
template class OneByOneWith<linear::Twofold>;

// ---------------------------------------------------------------------------------------------------- the judge

void OneByOne::reserve(const Problem& problem) {
  plain_.reserve(problem);
  start_.reserve(problem.r());
  scratch_.reserve(6 * problem.n());
}

/// Multipliers may grow so large that rounding hides broken rows: such an answer is none.
bool OneByOne::certified_answer(const Problem& problem) {
  return certified(verify(problem, a(), lambda(), scratch_, lambda_low()));
}

/// The rows that nearly proved a contradiction, alone and with twice the digits: mostly few. What they prove holds for all.
bool OneByOne::suspects_contradict(const Problem& problem, std::size_t most_rounds, Solution& solution) {
  const std::vector<std::uint32_t> rows(plain_.suspects().begin(), plain_.suspects().end());
  if (rows.empty() || rows.size() == problem.r()) return false;
  std::vector<std::uint32_t> start(1, 0), column;
  std::vector<double> entry, h, h_bound, entry_bound;
  std::vector<RowKind> kind;
  for (const std::uint32_t i : rows) {
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      column.push_back(problem.column[e]);
      entry.push_back(problem.entry[e]);
      if (!problem.entry_bound.empty()) entry_bound.push_back(problem.entry_bound[e]);
    }
    start.push_back(static_cast<std::uint32_t>(column.size()));
    h.push_back(problem.h[i]);
    kind.push_back(problem.kind[i]);
    if (!problem.h_bound.empty()) h_bound.push_back(problem.h_bound[i]);
  }
  const Problem part{problem.mass, problem.a0, start, column, entry, h, kind, h_bound, entry_bound};
  Solution found;
  found.rounds = solution.rounds;
  const Status status = run_twofold(part, {}, most_rounds, found, nullptr);
  solution.rounds = found.rounds;
  if (status != Status::infeasible) return false;
  solution.farkas.assign(problem.r(), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) solution.farkas[rows[k]] = found.farkas[k];
  if (verify_farkas(problem, solution.farkas, scratch_)) return true;
  solution.farkas.clear();
  return false;
}

Status OneByOne::run_twofold(const Problem& problem, std::span<const std::uint32_t> start, std::size_t most_rounds,
                             Solution& solution, std::vector<Trial>* trials) {
  twofold_.allow(work_ < allowed_work_ ? (allowed_work_ - work_) / twofold_cost : 0);
  const Status status = twofold_.run(problem, start, most_rounds, solution, trials);
  work_ += twofold_cost * twofold_.work();
  return status;
}

Status OneByOne::run(const Problem& problem, std::span<const std::uint32_t> start, std::size_t most_rounds,
                     Solution& solution, std::vector<Trial>* trials) {
  // Plain arithmetic; what it proves or solves is good.
  careful_ = false;
  plain_.allow(allowed_work_);
  Status status = plain_.run(problem, start, most_rounds, solution, trials);
  work_ = plain_.work();
  if (status == Status::infeasible) return status;
  if (status == Status::solved && certified_answer(problem)) return status;

  // Twofold arithmetic on the rows that nearly proved a contradiction; then on all from the set reached, if anything is left to try.
  if (suspects_contradict(problem, most_rounds, solution)) return Status::infeasible;
  start_.assign(plain_.held().begin(), plain_.held().end());
  if (solution.rounds >= most_rounds) return Status::gave_up;
  careful_ = true;
  status = run_twofold(problem, start_, most_rounds, solution, trials);
  if (status != Status::solved || certified_answer(problem)) return status;

  // Rows that were left as they are because rounding excuses them may still be off by more than an answer may be: others leave for them.
  start_.assign(twofold_.held().begin(), twofold_.held().end());
  twofold_.to_the_letter(true);
  status = run_twofold(problem, start_, most_rounds, solution, trials);
  twofold_.to_the_letter(false);
  if (status == Status::solved && !certified_answer(problem)) status = Status::gave_up;
  return status;
}

}  // namespace zwang::gauss
