/// The first set of the dense backend: steps of conjugate gradients on the dual problem, clipped at zero, tell which rows will be held.
///
///   minimise |B^T lambda|^2 / 2 - lambda . (J a0 + h),     lambda_i >= 0 for inequalities
///
/// Symbols: as in the header. Reference: Polyak, USSR Comput. Math. Math. Phys. 9 (1969) 94.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "zwang/gauss/dense_face.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/linear/kernels.hpp"

namespace zwang::gauss {

namespace {

using linear::load;
using linear::Pair;
using linear::store;
using linear::total;

/// Up to this many rows a cold start makes all of Phi.
constexpr std::size_t few_rows = 24;

/// x with zero where the comparison holds.
template <class Mask>
Pair zero_where(Mask mask, Pair x) {
  return reinterpret_cast<Pair>(reinterpret_cast<Mask>(x) & ~mask);
}

}  // namespace

/// Is row i word for word the same as an earlier one?
bool DenseFace::repeats(std::uint32_t row, std::uint32_t other) const {
  const Problem& problem = *problem_;
  const std::size_t first = problem.start[row], start = problem.start[other];
  const std::size_t length = problem.start[row + 1] - first;
  if (problem.h[other] != problem.h[row] || problem.kind[other] != problem.kind[row]) return false;
  if (problem.start[other + 1] - start != length) return false;
  const double* entry = problem.entry.data();
  const std::uint32_t* column = problem.column.data();
  return std::equal(entry + first, entry + first + length, entry + start) &&
         (full_rows_ || std::equal(column + first, column + first + length, column + start));
}

/// Lists the rows without exact copies of earlier ones, which would only be in the way; what holds for a row holds for its
/// copies.
void DenseFace::list_distinct() {
  const Problem& problem = *problem_;

  // Few rows: when no two offsets share a bit of 1024, no two rows are the same.
  if (r_ <= 24) {
    std::uint64_t seen[16] = {};
    std::uint64_t twice = 0;
    for (std::uint32_t i = 0; i < r_; ++i) {
      const std::uint64_t key = (std::bit_cast<std::uint64_t>(problem.h[i]) * 0x9e3779b97f4a7c15ULL) >> 54;
      const std::uint64_t bit = std::uint64_t{1} << (key & 63);
      twice |= seen[key >> 6] & bit;
      seen[key >> 6] |= bit;
      distinct_[i] = i;
    }
    distinct_count_ = r_;
    if (twice == 0) return;
  }
  constexpr auto nobody = std::numeric_limits<std::uint32_t>::max();
  const auto bits = static_cast<int>(std::bit_width(4 * r_));
  const std::size_t mask = (std::size_t{1} << bits) - 1;
  std::fill_n(table_.data(), mask + 1, nobody);
  distinct_count_ = 0;
  for (std::uint32_t i = 0; i < r_; ++i) {
    // A place by offset, first entry and its column.
    const std::size_t first = problem.start[i];
    auto key = std::bit_cast<std::uint64_t>(problem.h[i]);
    if (first < problem.start[i + 1]) {
      key = key * 0x9e3779b97f4a7c15ULL + std::bit_cast<std::uint64_t>(problem.entry[first]) + problem.column[first];
    }
    std::size_t place = (key * 0xc2b2ae3d27d4eb4fULL) >> (64 - bits);
    bool found = false;
    while (table_[place] != nobody && !found) {
      found = repeats(i, table_[place]);
      place = (place + 1) & mask;
    }
    if (found) {
      state_[i] = copy;
      continue;
    }
    table_[place] = i;
    distinct_[distinct_count_++] = i;
  }
}

/// out = sum c_q J_q over the distinct rows with c_q != 0.
void DenseFace::combine(const double* c, double* out) {
  const Problem& problem = *problem_;
  std::fill_n(out, n_, 0.0);
  if (!full_rows_) {
    for (std::size_t q = 0; q < distinct_count_; ++q) {
      if (c[q] == 0) continue;
      const std::uint32_t i = distinct_[q];
      for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e)
        out[problem.column[e]] += c[q] * problem.entry[e];
    }
    return;
  }

  // Which, without a branch to mispredict; then four at a time.
  std::uint32_t* which = table_.data();
  std::size_t count = 0;
  for (std::uint32_t q = 0; q < distinct_count_; ++q) {
    which[count] = q;
    count += c[q] != 0 ? 1 : 0;
  }
  const auto row = [&](std::size_t k) { return problem.entry.data() + problem.start[distinct_[which[k]]]; };
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    const double* x[4] = {row(k), row(k + 1), row(k + 2), row(k + 3)};
    const double factor[4] = {c[which[k]], c[which[k + 1]], c[which[k + 2]], c[which[k + 3]]};
    linear::add_multiples<4>(factor, x, out, n_);
  }
  for (; k < count; ++k) linear::add_multiple(c[which[k]], row(k), out, n_);
}

/// out = Phi x over the first slots; a zero behind an odd number.
void DenseFace::times_phi(const double* x, std::size_t count, double* out) const {
  std::size_t q = 0;
  for (; q + 4 <= count; q += 4) {
    const double* phi = gram_.data() + q * capacity_;
    const double* rows[4] = {phi, phi + capacity_, phi + 2 * capacity_, phi + 3 * capacity_};
    linear::dots<4>(rows, x, count, out + q);
  }
  for (; q < count; ++q) out[q] = linear::dot(gram_.data() + q * capacity_, x, count);
  if (count % 2 != 0) out[count] = 0;
}

/// Where the steps of a guess keep their numbers, row by row in units in which every |B_i| is one. Rows of zeros pad an odd
/// number.
struct DenseFace::Steps {
  double* lambda;     ///< lambda_i |B_i|
  double* direction;  ///< of that
  double* inverse;    ///< 1 / |B_i|
  double* gradient;   ///< w_i / |B_i|
  double* factor;     ///< coefficients of the rows themselves
  double* least;      ///< below which lambda does not fall
  std::size_t count, even;

  Steps(double* memory, std::size_t rows, std::size_t most) : count(rows), even((rows + 1) / 2 * 2) {
    const std::size_t room = (most + 1) / 2 * 2;
    double** const all[6] = {&lambda, &direction, &inverse, &gradient, &factor, &least};
    for (std::size_t k = 0; k < 6; ++k) {
      *all[k] = memory + k * room;
      if (even > 0) (*all[k])[even - 1] = 0;
    }
    std::fill_n(lambda, even, 0.0);
    std::fill_n(direction, even, 0.0);
  }

  /// The direction conjugate to the last one where it may be followed, and the rise of the dual along it.
  double choose(double& before) const {
    const Pair zero = {0, 0};
    Pair squares = zero, sums = zero;
    for (std::size_t q = 0; q < even; q += 2) {
      const Pair g = load(gradient + q);
      const Pair open = zero_where((load(lambda + q) <= load(least + q)) & (g <= zero), g);
      squares += open * open;
      store(factor + q, open);
    }
    const double now = total(squares);
    const double beta = before > 0 ? now / before : 0.0;
    before = now;
    for (std::size_t q = 0; q < even; q += 2) {
      const Pair value = load(factor + q) + Pair{beta, beta} * load(direction + q);
      const Pair open = zero_where((load(lambda + q) <= load(least + q)) & (value <= zero), value);
      sums += open * load(gradient + q);
      store(direction + q, open);
      store(factor + q, open * load(inverse + q));
    }
    return total(sums);
  }

  /// Goes that far; rows that would fall below zero stop there. What they give back is left in factor; is there any?
  [[nodiscard]] bool go(double length) const {
    Pair given_back = {0, 0};
    for (std::size_t q = 0; q < even; q += 2) {
      const Pair value = load(lambda + q) + Pair{length, length} * load(direction + q);
      const Pair excess = zero_where(value >= load(least + q), value);
      given_back += excess;
      store(lambda + q, value - excess);
      store(factor + q, excess * load(inverse + q));
    }
    return total(given_back) != 0;
  }

  /// Half a step of each inequality alone; the largest multiplier among them.
  [[nodiscard]] double finish() const {
    double largest = 0;
    for (std::size_t q = 0; q < even; ++q) {
      lambda[q] = least[q] < 0 ? 0.0 : std::max(0.0, lambda[q] + 0.5 * gradient[q]);
      largest = std::max(largest, lambda[q]);
    }
    return largest;
  }
};

/// Steps of conjugate gradients on the dual problem, clipped at zero: minimise |B^T lambda|^2 / 2 - lambda . (J a0 + h). With
/// few rows through Phi, else through the variables, where a_ follows.
void DenseFace::take_steps(const Steps& steps, int most, bool few) {
  double before = 0;
  double* image = u_.data() + capacity_;
  for (int step = 0; step < most; ++step) {
    // The exact length of the step.
    const double rise = steps.choose(before);
    double square = 0;
    if (few) {
      times_phi(steps.factor, steps.count, image);
      square = linear::dot(steps.factor, image, steps.even);
    } else {
      combine(steps.factor, d_.data());
      square = times_inverse_mass(d_.data());
    }
    if (!(square > 0) || !(rise > 0)) return;
    const double length = rise / square;

    // Take it, give back what was clipped, and look at the slacks.
    const bool clipped = steps.go(length);
    if (few) {
      for (std::size_t q = 0; q < steps.even; ++q) steps.gradient[q] -= length * image[q] * steps.inverse[q];
      if (!clipped) continue;
      times_phi(steps.factor, steps.count, image);
      for (std::size_t q = 0; q < steps.even; ++q) steps.gradient[q] += image[q] * steps.inverse[q];
      continue;
    }
    linear::add_multiple(-length, d_.data(), a_.data(), n_);
    if (clipped) {
      combine(steps.factor, d_.data());
      (void)times_inverse_mass(d_.data());
      linear::add_multiple(1.0, d_.data(), a_.data(), n_);
    }
    distinct_slacks(steps.gradient);
    for (std::size_t q = 0; q < steps.even; ++q) steps.gradient[q] *= steps.inverse[q];
  }
}

/// The guess for few rows: with all of Phi at hand, which costs little then, steps and pivots need no look at the variables.
/// What it settles on is checked by the story like any other guess.
void DenseFace::settle_few() {
  const Problem& problem = *problem_;
  waiting_count_ = 0;

  // All rows but zero ones take the slots 0, 1, 2, ..., equations first.
  std::size_t count = 0, equations = 0;
  for (const RowKind kind : {RowKind::equation, RowKind::inequality}) {
    for (std::size_t q = 0; q < distinct_count_; ++q) {
      const std::uint32_t row = distinct_[q];
      if (problem.kind[row] != kind) continue;
      bring(row, count);
      if (!(square_[count] > 0)) continue;
      slot_[count] = static_cast<std::uint32_t>(count);
      slot_row_[count++] = row;
    }
    if (kind == RowKind::equation) equations = count;
  }
  double most = 0;
  for (std::size_t q = equations; q < count; ++q) most = std::max(most, free_[q]);
  if (!(most > 0) && equations == 0) return;

  // All of Phi.
  for (std::size_t first = 0; first < count; first += 4) gram_block(first, std::min<std::size_t>(4, count - first));
  for (std::size_t p = 0; p < count; ++p) {
    const double* phi = gram_.data() + p * capacity_;
    double* column = gram_.data() + p;
    for (std::size_t q = 0; q < p; ++q, column += capacity_) *column = phi[q];
    *column = square_[p];
  }

  // A few steps; the rows that come out clearly above zero are the first set.
  const Steps steps(estimate_.data(), count, r_);
  for (std::size_t q = 0; q < count; ++q) {
    steps.inverse[q] = 1 / std::sqrt(square_[q]);
    steps.gradient[q] = free_[q] * steps.inverse[q];
    steps.least[q] = q < equations ? -std::numeric_limits<double>::infinity() : 0.0;
  }
  take_steps(steps, count < 10 ? 0 : 4, true);
  const double enough = 0.1 * steps.finish();
  for (std::size_t q = 0; q < count; ++q) {
    set_[wanted_] = slot_row_[q];
    slot_[wanted_] = static_cast<std::uint32_t>(q);
    wanted_ += q < equations || steps.lambda[q] > enough ? 1 : 0;
  }

  // Pivot: negative rows leave, else rows broken enter, until neither is left; rounding is the story's business.
  all_known_ = true;
  double* lambda = steps.lambda;
  double* image = steps.factor;
  double* broken = steps.gradient;
  for (int round = 0; round < 10; ++round) {
    if (round > 0) ++spent_;
    if (valid_ < wanted_) extend();
    multipliers();
    if (negative_count_ > 0) {
      for (const std::uint32_t row : negative()) state_[row] = outside;
      compact();
      continue;
    }
    std::fill_n(lambda, count, 0.0);
    for (std::size_t p = 0; p < size_; ++p) lambda[slot_[p]] = multiplier_[p];
    times_phi(lambda, count, image);
    double worst = 0;
    for (std::size_t q = equations; q < count; ++q) {
      const double noise = rough_noise * (std::abs(free_[q]) + std::abs(image[q]));
      const double may = state_[slot_row_[q]] == outside ? 1.0 : 0.0;
      broken[q] = may * std::max(0.0, free_[q] - image[q] - noise) * steps.inverse[q];
      worst = std::max(worst, broken[q]);
    }
    if (worst == 0) {
      answered_ = true;
      break;
    }
    for (std::size_t q = equations; q < count; ++q) {
      set_[wanted_] = slot_row_[q];
      slot_[wanted_] = static_cast<std::uint32_t>(q);
      wanted_ += broken[q] > 0.3 * worst ? 1 : 0;
    }
  }
  all_known_ = false;
  wanted_ = size_;

  // Only the rows held keep their slots.
  free_count_ = 0;
  for (std::size_t k = capacity_; k-- > 0;) {
    if (k >= count || state_[slot_row_[k]] != in_set) free_slots_[free_count_++] = static_cast<std::uint32_t>(k);
  }
}

/// The rows that come out of a few steps with a multiplier well above zero; small ones are more often wrong than right.
void DenseFace::guess() {
  begin();
  told_ = false;
  if (r_ == 0) return;
  const Problem& problem = *problem_;
  list_distinct();
  if (distinct_count_ <= std::min(few_rows, capacity_) && !short_rows_) {
    settle_few();
    return;
  }

  // |B_i| and the free slacks.
  const std::size_t count = distinct_count_;
  const Steps steps(estimate_.data(), count, r_);
  std::copy(problem.a0.begin(), problem.a0.end(), a_.begin());
  distinct_slacks(steps.gradient);
  double most = 0;
  for (std::size_t q = 0; q < count; ++q) {
    const std::uint32_t i = distinct_[q];
    const double square = norm_squared(i);
    const bool equation = problem.kind[i] == RowKind::equation;
    steps.inverse[q] = square > 0 ? 1 / std::sqrt(square) : 0.0;
    steps.gradient[q] *= steps.inverse[q];
    steps.least[q] = equation ? -std::numeric_limits<double>::infinity() : 0.0;
    most = std::max(most, equation ? 1.0 : steps.gradient[q]);
  }
  if (!(most > 0)) return;
  take_steps(steps, count < 100 ? 4 : 6, false);
  const double enough = 0.1 * steps.finish();
  for (std::size_t q = 0; q < count; ++q) {
    waiting_[waiting_count_] = distinct_[q];
    waiting_count_ += steps.lambda[q] > enough ? 1 : 0;
  }
}

/// x = W x; the product x^T W x.
double DenseFace::times_inverse_mass(double* x) {
  double square = 0;
  if (!diagonal_) {
    problem_->mass->solve({x, n_}, {magnitude_.data(), n_});
    for (std::size_t j = 0; j < n_; ++j) square += x[j] * magnitude_[j];
    std::copy_n(magnitude_.data(), n_, x);
    return square;
  }
  const double* root = problem_->mass->inverse_root().data();
  Pair sums = {0, 0};
  std::size_t j = 0;
  for (; j + 2 <= n_; j += 2) {
    const Pair r = load(root + j);
    const Pair b = load(x + j) * r;
    sums += b * b;
    store(x + j, b * r);
  }
  square = total(sums);
  if (j < n_) {
    const double b = x[j] * root[j];
    square += b * b;
    x[j] = b * root[j];
  }
  return square;
}

}  // namespace zwang::gauss
