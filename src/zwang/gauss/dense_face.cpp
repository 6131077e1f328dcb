/// The dense backend of the nearest-point story: room for it, the set that it begins with, what enters and leaves, the end. The rows
/// stand in dense_rows, the guess in dense_guess, the factor in dense_factor, what comes of a set in dense_price.
#include "zwang/gauss/dense_face.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/gauss/story.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/linear/kernels.hpp"

namespace zwang::gauss {

static_assert(NearestPointFace<DenseFace>);

namespace {

using linear::load;
using linear::Pair;
using linear::total;

/// Zero times a finite number is zero, and any other is not.
bool finite(const double* x, std::size_t size) {
  const Pair zero = {0, 0};
  Pair s0 = zero, s1 = zero;
  std::size_t j = 0;
  for (; j + 4 <= size; j += 4) {
    s0 += load(x + j) * zero;
    s1 += load(x + j + 2) * zero;
  }
  double sum = total(s0 + s1);
  for (; j < size; ++j) sum += x[j] * 0;
  return sum == 0;
}

template <class Vector>
void grow(Vector& vector, std::size_t size) {
  if (vector.size() < size) vector.resize(size);
}

}  // namespace

void DenseFace::make_room(std::size_t n, std::size_t r, std::size_t longest_row) {
  // Rows of B have even length, so that pairs never straddle two of them.
  stride_ = (longest_row + 1) / 2 * 2;
  capacity_ = (std::min(r, 2 * n + 16) + 1) / 2 * 2;
  grow(rows_, capacity_ * stride_);
  if (short_rows_) grow(index_, capacity_ * stride_);
  grow(gram_, capacity_ * capacity_);
  grow(factor_, capacity_ * capacity_);
  for (auto* vector : {&set_, &slot_, &slot_row_, &free_slots_, &length_}) grow(*vector, capacity_ + 1);
  for (auto* vector : {&square_, &free_, &inverse_, &multiplier_}) grow(*vector, capacity_);
  grow(u_, 2 * capacity_ + 2);
  for (auto* vector : {&waiting_, &negative_, &violated_, &distinct_}) grow(*vector, r + 1);
  for (auto* vector : {&w_, &norm_}) grow(*vector, r);
  grow(estimate_, 6 * (r + 1));
  grow(table_, 8 * r + 8);
  grow(state_, r);
  for (auto* vector : {&a_, &d_, &scatter_, &magnitude_}) grow(*vector, n + 1);
  last_.reserve(r);
  scratch_.reserve(6 * n);
}

bool DenseFace::prepare(const Problem& problem) {
  problem_ = &problem;
  const std::size_t n = problem.n(), r = problem.r();
  const std::size_t entries = r == 0 ? 0 : problem.start[r] - problem.start[0];
  full_rows_ = entries == n * r;
  diagonal_ = problem.mass->is_diagonal();

  // Short rows in a wide problem are kept by index; a row then fills the mass blocks it touches.
  std::size_t longest = n;
  short_rows_ = false;
  if (n > 64 && 3 * entries < n * r) {
    longest = 0;
    for (std::size_t i = 0; i < r; ++i) {
      std::size_t length = 0;
      for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
        const int block = problem.mass->block_of(problem.column[e]);
        length += block < 0 ? 1 : problem.mass->blocks()[static_cast<std::size_t>(block)].variables.size();
      }
      longest = std::max(longest, std::min(length, n));
    }
    short_rows_ = 3 * longest < n;
    if (!short_rows_) longest = n;
  }

  // Room, only when the shape has changed.
  const bool same_shape = n == n_ && r == r_ && stride_ == (longest + 1) / 2 * 2;
  n_ = n;
  r_ = r;
  if (!same_shape) {
    make_room(n, r, longest);
    one_by_one_.reserve(problem);
  }
  restart();

  // Rows and offsets show in w, at the end.
  return finite(problem.a0.data(), n);
}

void DenseFace::restart() {
  size_ = wanted_ = valid_ = solved_ = 0;
  negative_count_ = violated_count_ = waiting_count_ = 0;
  free_count_ = capacity_;
  for (std::size_t k = 0; k < capacity_; ++k) free_slots_[k] = static_cast<std::uint32_t>(capacity_ - 1 - k);
  std::fill_n(state_.data(), r_, std::uint8_t{outside});
  std::fill_n(norm_.data(), r_, -1.0);
  rescued_ = false;
  told_ = false;
  all_known_ = false;
  answered_ = false;
  spent_ = 0;
}

bool DenseFace::recall() {
  if (!has_last_ || last_n_ != n_ || last_r_ != r_) return false;
  begin();
  told_ = false;
  for (const std::uint32_t row : last_) {
    if (problem_->kind[row] == RowKind::inequality) waiting_[waiting_count_++] = row;
  }
  return true;
}

void DenseFace::begin() {
  told_ = true;
  waiting_count_ = 0;
  for (std::uint32_t i = 0; i < r_; ++i) {
    if (problem_->kind[i] == RowKind::equation) waiting_[waiting_count_++] = i;
  }
}

void DenseFace::hold() {
  // Rows that want to enter take a slot, unless they are zero.
  for (std::size_t k = 0; k < waiting_count_ && free_count_ > 0; ++k) {
    const std::uint32_t row = waiting_[k];
    const std::size_t slot = free_slots_[--free_count_];
    bring(row, slot);
    if (!(square_[slot] > 0)) {
      state_[row] = skipped;
      free_slots_[free_count_++] = static_cast<std::uint32_t>(slot);
      continue;
    }
    set_[wanted_] = row;
    slot_[wanted_] = static_cast<std::uint32_t>(slot);
    ++wanted_;
  }
  waiting_count_ = 0;
  if (valid_ < wanted_) extend();
}

/// Takes the rows marked outside off the list and gives back their slots.
void DenseFace::compact() {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < size_; ++p) {
    if (state_[set_[p]] != in_set) {
      release(slot_[p]);
      valid_ = std::min(valid_, kept);
      continue;
    }
    set_[kept] = set_[p];
    slot_[kept] = slot_[p];
    ++kept;
  }
  size_ = wanted_ = kept;
  solved_ = std::min(solved_, valid_);
}

bool DenseFace::exchange() {
  // Negative rows leave; what depended on the set may not depend on the rest.
  const bool some_leave = negative_count_ > 0;
  if (some_leave) {
    for (const std::uint32_t row : negative()) state_[row] = outside;
    compact();
    for (std::size_t i = 0; i < r_; ++i) {
      if (state_[i] == skipped) state_[i] = outside;
    }
  }

  // Broken rows enter: all of them if somebody listens, else those at least a third as broken as the worst.
  waiting_count_ = 0;
  for (const std::uint32_t row : violated()) {
    if (state_[row] != outside || norm_[row] == 0) continue;
    if (!told_ && w_[row] * w_[row] < 0.1 * most_broken_ * norm_[row]) continue;
    waiting_[waiting_count_++] = row;
  }
  return some_leave || waiting_count_ > 0;
}

Status DenseFace::rescue(std::size_t most_rounds, Solution& solution, std::vector<Trial>* trials) {
  rescued_ = true;
  return one_by_one_.run(*problem_, held(), most_rounds, solution, trials);
}

/// lambda.w beside lambda.(J a0 + h), which is twice the objective; and what was excused as rounding of a large motion beside what the certificate excuses,
/// for which no motion is larger than so many times what was given.
bool DenseFace::suspicious() {
  if (rescued_) return false;
  if (most_excused_ > 0) {
    const std::span<const double> mass = problem_->mass->diagonal();
    double natural = 0, given = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      const double root = std::sqrt(mass[j]), free = std::abs(problem_->a0[j]);
      natural = std::max(natural, root * (std::abs(a_[j]) + free));
      given = std::max(given, root * free);
    }
    for (std::uint32_t i = 0; i < r_; ++i) {
      const double square = norm_squared(i);
      if (square > 0) given = std::max(given, std::abs(problem_->h[i]) / std::sqrt(square));
    }
    if (most_excused_ > least_share * broken_bound * std::min(natural, reach * given)) return true;
  }
  double objective = 0, gap = 0;
  for (std::size_t p = 0; p < size_; ++p) {
    objective += multiplier_[p] * free_[slot_[p]];
    gap += std::abs(multiplier_[p] * w_[set_[p]]);
  }
  return gap > suspicious_gap * objective;
}

bool DenseFace::weak() const {
  if (rescued_) return true;
  for (std::size_t p = 0; p < size_; ++p) {
    if (!(1 > weak_part * square_[slot_[p]] * inverse_[p] * inverse_[p])) return true;
  }
  return false;
}

bool DenseFace::finish(Solution& solution) {
  // Sizes; nothing is allocated once they fit.
  solution.a.resize(n_);
  solution.w.resize(r_);
  solution.lambda.resize(r_);
  solution.active.resize(r_);
  solution.farkas.reserve(r_);

  // a, w, lambda and the set, from whoever had the last word.
  const std::span<const std::uint32_t> set = rescued_ ? one_by_one_.held() : held();
  const double* a = rescued_ ? one_by_one_.a().data() : a_.data();
  const double* w = rescued_ ? one_by_one_.w().data() : w_.data();
  std::copy_n(a, n_, solution.a.begin());
  std::copy_n(w, r_, solution.w.begin());
  std::fill_n(solution.lambda.begin(), r_, 0.0);
  std::fill_n(solution.active.begin(), r_, std::uint8_t{0});
  last_.resize(set.size());
  for (std::size_t p = 0; p < set.size(); ++p) {
    const std::uint32_t row = set[p];
    const double value = rescued_ ? one_by_one_.lambda()[row] : multiplier_[p];
    solution.lambda[row] = problem_->kind[row] == RowKind::inequality && value < 0 ? 0.0 : value;
    solution.active[row] = 1;
    last_[p] = row;
  }
  solution.lambda_low.clear();
  if (rescued_ && one_by_one_.careful()) {
    solution.lambda_low.assign(one_by_one_.lambda_low().begin(), one_by_one_.lambda_low().end());
  }
  solution.rank = set.size();
  solution.rounds += spent_;
  spent_ = 0;
  last_n_ = n_;
  last_r_ = r_;
  has_last_ = true;

  return finite(a, n_) && finite(w, r_);
}

}  // namespace zwang::gauss
