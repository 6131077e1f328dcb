/// The dense backend of the nearest-point story; see the header for the method.
#include "zwang/gauss/dense_face.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "zwang/gauss/story.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/linear/kernels.hpp"

namespace zwang::gauss {

static_assert(NearestPointFace<DenseFace>);

namespace {

using linear::load;
using linear::Pair;
using linear::store;
using linear::total;

/// Up to this many rows a cold start makes all of Phi.
constexpr std::size_t few_rows = 24;

enum State : std::uint8_t { outside, in_set, skipped, copy };

/// sum x_j^2 root_j^2 over all columns.
double weighted_square(const double* x, const double* root, std::size_t size) {
  Pair s0 = {0, 0}, s1 = {0, 0};
  std::size_t j = 0;
  for (; j + 4 <= size; j += 4) {
    const Pair t0 = load(x + j) * load(root + j), t1 = load(x + j + 2) * load(root + j + 2);
    s0 += t0 * t0;
    s1 += t1 * t1;
  }
  double sum = total(s0 + s1);
  for (; j < size; ++j) sum += (x[j] * root[j]) * (x[j] * root[j]);
  return sum;
}

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

/// x with zero where the comparison holds.
template <class Mask>
Pair zero_where(Mask mask, Pair x) {
  return reinterpret_cast<Pair>(reinterpret_cast<Mask>(x) & ~mask);
}

template <class Vector>
void grow(Vector& vector, std::size_t size) {
  if (vector.size() < size) vector.resize(size);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------- reading

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

double DenseFace::norm_squared(std::uint32_t row) {
  if (norm_[row] >= 0) return norm_[row];
  const Problem& problem = *problem_;
  double sum = 0;
  if (!diagonal_) {
    // |L^-1 J_i^T|^2, through a slot's worth of scratch.
    bring_through_blocks(row, d_.data());
    sum = linear::dot(d_.data(), d_.data(), n_);
  } else if (full_rows_) {
    sum = weighted_square(problem.entry.data() + problem.start[row], problem.mass->inverse_root().data(), n_);
  } else {
    for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
      const double value = problem.entry[e] * problem.mass->inverse_root()[problem.column[e]];
      sum += value * value;
    }
  }
  norm_[row] = sum;
  return sum;
}

/// B_i over all variables for a mass matrix with blocks: L u = J_i^T in every block the row touches.
void DenseFace::bring_through_blocks(std::uint32_t row, double* out) {
  const Problem& problem = *problem_;
  const linear::Mass& mass = *problem.mass;
  std::fill_n(out, n_, 0.0);
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    const std::uint32_t column = problem.column[e];
    out[column] = problem.entry[e] * (mass.block_of(column) < 0 ? mass.inverse_root()[column] : 1.0);
  }
  for (const linear::Mass::Block& block : mass.blocks()) {
    const std::size_t size = block.variables.size();
    for (std::size_t c = 0; c < size; ++c) {
      double& value = out[block.variables[c]];
      if (value == 0) continue;
      value /= block.factor[c * size + c];
      for (std::size_t i = c + 1; i < size; ++i) out[block.variables[i]] -= block.factor[c * size + i] * value;
    }
  }
}

/// A row's place among the candidates: B_i, |B_i|^2 and J_i a0 + h_i.
void DenseFace::bring(std::uint32_t row, std::size_t slot) {
  const Problem& problem = *problem_;
  const double* entry = problem.entry.data() + problem.start[row];
  const double* a0 = problem.a0.data();
  double* out = rows_.data() + slot * stride_;
  double square = 0, slack = problem.h[row];

  if (full_rows_ && diagonal_) {
    // All at once over a dense row.
    const double* root = problem.mass->inverse_root().data();
    Pair squares = {0, 0}, slacks = {0, 0};
    std::size_t j = 0;
    for (; j + 2 <= n_; j += 2) {
      const Pair x = load(entry + j);
      const Pair b = x * load(root + j);
      store(out + j, b);
      squares += b * b;
      slacks += x * load(a0 + j);
    }
    square = total(squares);
    slack += total(slacks);
    if (j < n_) {
      const double b = entry[j] * root[j];
      out[j] = b;
      out[j + 1] = 0;
      square += b * b;
      slack += entry[j] * a0[j];
    }
  } else {
    // The free slack from J itself.
    for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
      slack += problem.entry[e] * a0[problem.column[e]];
    }

    // B_i by index, or spread over all columns.
    std::size_t length = stride_;
    if (!diagonal_) {
      bring_through_blocks(row, short_rows_ ? d_.data() : out);
      if (stride_ > n_ && !short_rows_) out[n_] = 0;
    }
    if (short_rows_) {
      length = 0;
      std::uint32_t* index = index_.data() + slot * stride_;
      const auto take = [&](std::uint32_t column, double value) {
        index[length] = column;
        out[length] = value;
        ++length;
      };
      for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
        const std::uint32_t column = problem.column[e];
        const int number = problem.mass->block_of(column);
        if (number < 0) {
          take(column, problem.entry[e] * problem.mass->inverse_root()[column]);
          continue;
        }
        // A block's variables once, at the first entry of the row in it; what is taken is marked by zero.
        for (const std::uint32_t other : problem.mass->blocks()[static_cast<std::size_t>(number)].variables) {
          if (d_[other] != 0) take(other, d_[other]);
          d_[other] = 0;
        }
      }
      for (std::size_t e = 0; e < length; ++e) square += out[e] * out[e];
    } else {
      if (diagonal_) {
        std::fill_n(out, stride_, 0.0);
        for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
          const std::uint32_t column = problem.column[e];
          out[column] = problem.entry[e] * problem.mass->inverse_root()[column];
        }
      }
      square = linear::dot(out, out, n_);
    }
    length_[slot] = static_cast<std::uint32_t>(length);
  }
  square_[slot] = square;
  free_[slot] = slack;
  norm_[row] = square;
}

// ---------------------------------------------------------------------------------------------------- where to start

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
      square = weigh(d_.data());
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
      (void)weigh(d_.data());
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
double DenseFace::weigh(double* x) {
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

// ---------------------------------------------------------------------------------------------------- factor

/// A dependent row may be parallel to one held: of two inequalities the one broken further must stay. Then the new row takes
/// the place, the row of L grows by the ratio of their lengths, and true is returned.
bool DenseFace::replaces(std::uint32_t row, std::size_t slot) {
  if (problem_->kind[row] == RowKind::equation) return false;
  double* phi = gram_.data() + slot * capacity_;
  for (std::size_t p = 0; p < size_; ++p) {
    const std::size_t other = slot_[p];
    const double product = phi[other];
    if (!(product > 0 && product * product >= square_[slot] * square_[other] * (1 - parallel))) continue;
    if (problem_->kind[set_[p]] == RowKind::equation) return false;
    const double ratio = std::sqrt(square_[slot] / square_[other]);
    if (!(free_[slot] > ratio * free_[other])) return false;

    // L and Phi as if it had been there from the start.
    double* l = factor_.data() + p * capacity_;
    for (std::size_t q = 0; q <= p; ++q) l[q] *= ratio;
    inverse_[p] /= ratio;
    for (std::size_t q = p + 1; q < size_; ++q) gram_[slot_[q] * capacity_ + slot] = phi[slot_[q]];
    state_[set_[p]] = skipped;
    release(slot_[p]);
    set_[p] = row;
    slot_[p] = static_cast<std::uint32_t>(slot);
    state_[row] = in_set;
    solved_ = std::min(solved_, p);
    return true;
  }
  return false;
}

/// Phi of R rows from position `first` against all before them and among themselves.
template <int R>
void DenseFace::gram_rows(std::size_t first) {
  const double* x[R];
  double* out[R];
  for (int i = 0; i < R; ++i) {
    const std::size_t slot = slot_[first + static_cast<std::size_t>(i)];
    x[i] = rows_.data() + slot * stride_;
    out[i] = gram_.data() + slot * capacity_;
  }
  if (short_rows_) {
    // Spread one row over the columns, gather the others.
    for (int i = 0; i < R; ++i) {
      const std::size_t slot = slot_[first + static_cast<std::size_t>(i)];
      const std::uint32_t* index = index_.data() + slot * stride_;
      for (std::size_t e = 0; e < length_[slot]; ++e) scatter_[index[e]] = x[i][e];
      for (std::size_t q = 0; q < first + static_cast<std::size_t>(i); ++q) {
        const std::size_t other = slot_[q];
        const std::uint32_t* columns = index_.data() + other * stride_;
        const double* values = rows_.data() + other * stride_;
        double sum = 0;
        for (std::size_t e = 0; e < length_[other]; ++e) sum += values[e] * scatter_[columns[e]];
        out[i][other] = sum;
      }
      for (std::size_t e = 0; e < length_[slot]; ++e) scatter_[index[e]] = 0;
    }
    return;
  }
  double block[2 * R];
  std::size_t q = 0;
  for (; q + 2 <= first; q += 2) {
    const std::size_t one = slot_[q], other = slot_[q + 1];
    linear::dots_by_two<R>(x, rows_.data() + one * stride_, rows_.data() + other * stride_, n_, block);
    for (int i = 0; i < R; ++i) {
      out[i][one] = block[2 * i];
      out[i][other] = block[2 * i + 1];
    }
  }
  if (q < first) {
    const std::size_t one = slot_[q];
    linear::dots<R>(x, rows_.data() + one * stride_, n_, block);
    for (int i = 0; i < R; ++i) out[i][one] = block[i];
  }
  for (int i = 1; i < R; ++i) {
    for (int k = 0; k < i; ++k) out[i][slot_[first + static_cast<std::size_t>(k)]] = linear::dot(x[i], x[k], n_);
  }
}

/// Rows of L of R positions from `first`, against all columns before `first`.
template <int R>
void DenseFace::factor_rows(std::size_t first) {
  const double* phi[R];
  const double* row[R];
  double* out[R];
  for (int i = 0; i < R; ++i) {
    const std::size_t position = first + static_cast<std::size_t>(i);
    phi[i] = gram_.data() + slot_[position] * capacity_;
    out[i] = factor_.data() + position * capacity_;
    row[i] = out[i];
  }
  double block[2 * R];
  std::size_t q = 0;
  for (; q + 2 <= first; q += 2) {
    const double* upper = factor_.data() + q * capacity_;
    const double* lower = upper + capacity_;
    linear::dots_by_two<R>(row, upper, lower, q, block);
    for (int i = 0; i < R; ++i) {
      const double one = (phi[i][slot_[q]] - block[2 * i]) * inverse_[q];
      out[i][q] = one;
      out[i][q + 1] = (phi[i][slot_[q + 1]] - block[2 * i + 1] - one * lower[q]) * inverse_[q + 1];
    }
  }
  if (q < first) {
    linear::dots<R>(row, factor_.data() + q * capacity_, q, block);
    for (int i = 0; i < R; ++i) out[i][q] = (phi[i][slot_[q]] - block[i]) * inverse_[q];
  }
}

/// |z|^2 of z = B_p - B_A^T c, with L^T c = l made exact once more by orthogonality; zero when z is rounding.
double DenseFace::careful_pivot(const double* l, std::size_t slot) {
  double* c = u_.data() + capacity_;
  double* z = d_.data();
  const double* row = rows_.data() + slot * stride_;

  // z = B_p, over all columns.
  if (short_rows_) {
    std::fill_n(z, n_, 0.0);
    const std::uint32_t* index = index_.data() + slot * stride_;
    for (std::size_t e = 0; e < length_[slot]; ++e) z[index[e]] = row[e];
  } else {
    std::copy_n(row, n_, z);
  }

  // Twice: coefficients of what is left along the set, then less of that.
  double largest = square_[slot];
  std::copy_n(l, size_, c);
  for (int pass = 0; pass < 2; ++pass) {
    if (pass > 0) {
      for (std::size_t p = 0; p < size_; ++p) {
        c[p] = (along(z, slot_[p]) - linear::dot(factor_.data() + p * capacity_, c, p)) * inverse_[p];
      }
    }
    for (std::size_t p = size_; p-- > 0;) {
      c[p] *= inverse_[p];
      linear::add_multiple(-c[p], factor_.data() + p * capacity_, c, p);
    }
    for (std::size_t p = 0; p < size_; ++p) {
      const double* x = rows_.data() + slot_[p] * stride_;
      largest = std::max(largest, c[p] * c[p] * square_[slot_[p]]);
      if (!short_rows_) {
        linear::add_multiple(-c[p], x, z, n_);
        continue;
      }
      const std::uint32_t* index = index_.data() + slot_[p] * stride_;
      for (std::size_t e = 0; e < length_[slot_[p]]; ++e) z[index[e]] -= c[p] * x[e];
    }
  }
  const double pivot = linear::dot(z, z, n_);
  return pivot > row_rounding * row_rounding * largest ? pivot : 0;
}

/// B_i . z for the row in a slot.
double DenseFace::along(const double* z, std::size_t slot) const {
  const double* x = rows_.data() + slot * stride_;
  if (!short_rows_) return linear::dot(x, z, n_);
  const std::uint32_t* index = index_.data() + slot * stride_;
  double sum = 0;
  for (std::size_t e = 0; e < length_[slot]; ++e) sum += x[e] * z[index[e]];
  return sum;
}

void DenseFace::gram_block(std::size_t first, std::size_t count) {
  switch (count) {
    case 1: gram_rows<1>(first); break;
    case 2: gram_rows<2>(first); break;
    case 3: gram_rows<3>(first); break;
    default: gram_rows<4>(first); break;
  }
}

void DenseFace::factor_block(std::size_t first, std::size_t count) {
  switch (count) {
    case 1: factor_rows<1>(first); break;
    case 2: factor_rows<2>(first); break;
    case 3: factor_rows<3>(first); break;
    default: factor_rows<4>(first); break;
  }
}

/// Gives a slot back, unless the guess for few rows still needs them all.
void DenseFace::release(std::size_t slot) {
  if (!all_known_) free_slots_[free_count_++] = static_cast<std::uint32_t>(slot);
}

/// Factors the listed rows from position `valid_` on, four at a time; `size_` rows of the list were held before and have
/// their part of Phi already.
void DenseFace::extend() {
  const std::size_t known = size_;
  std::size_t next = valid_;
  size_ = valid_;
  while (next < wanted_) {
    // The next rows, at most four, all known or all fresh.
    const std::size_t end = next < known ? known : wanted_;
    std::size_t count = std::min<std::size_t>(4, end - next);
    const bool fresh = next >= known && !all_known_;
    if (size_ == n_) {
      // The set spans everything: whatever comes depends on it.
      for (; next < wanted_; ++next) {
        state_[set_[next]] = skipped;
        release(slot_[next]);
      }
      break;
    }
    for (std::size_t i = 0; i < count; ++i) {
      set_[size_ + i] = set_[next + i];
      slot_[size_ + i] = slot_[next + i];
    }
    next += count;
    if (fresh) gram_block(size_, count);
    factor_block(size_, count);

    // Among themselves, one after the other; a row that depends on those before it is skipped.
    const std::size_t first = size_;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t source = first + i;
      const std::uint32_t row = set_[source], slot = slot_[source];
      double* l = factor_.data() + source * capacity_;
      if (size_ < source) {
        double* target = factor_.data() + size_ * capacity_;
        std::copy_n(l, first, target);
        l = target;
      }
      for (std::size_t q = first; q < size_; ++q) {
        const double* other = factor_.data() + q * capacity_;
        l[q] = (gram_[slot * capacity_ + slot_[q]] - linear::dot(l, other, q)) * inverse_[q];
      }
      double pivot = square_[slot] - linear::dot(l, l, size_);
      if (pivot <= doubtful_pivot * square_[slot] && size_ > 0) pivot = careful_pivot(l, slot);
      if (pivot > skipped_pivot * square_[slot] && size_ < n_) {
        const double root = std::sqrt(pivot);
        l[size_] = root;
        inverse_[size_] = 1 / root;
        set_[size_] = row;
        slot_[size_] = slot;
        state_[row] = in_set;
        ++size_;
      } else if (!replaces(row, slot)) {
        state_[row] = skipped;
        release(slot);
      }
    }
  }
  wanted_ = valid_ = size_;
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

// ---------------------------------------------------------------------------------------------------- signs

void DenseFace::multipliers() {
  // The guess may have just done it.
  if (answered_) {
    answered_ = false;
    return;
  }

  // L u = free slacks, from the first entry that changed.
  for (std::size_t p = solved_; p < size_; ++p) {
    const double* l = factor_.data() + p * capacity_;
    u_[p] = (free_[slot_[p]] - linear::dot(l, u_.data(), p)) * inverse_[p];
  }
  solved_ = size_;

  // L^T lambda = u.
  double* lambda = multiplier_.data();
  std::copy_n(u_.data(), size_, lambda);
  for (std::size_t p = size_; p-- > 0;) {
    lambda[p] *= inverse_[p];
    linear::add_multiple(-lambda[p], factor_.data() + p * capacity_, lambda, p);
  }

  // Inequalities with the wrong sign, beyond rounding of the largest.
  double largest = 0;
  bool any = false;
  for (std::size_t p = 0; p < size_; ++p) {
    largest = std::max(largest, lambda[p] * lambda[p] * square_[slot_[p]]);
    any |= lambda[p] < 0;
  }
  negative_count_ = 0;
  if (!any) return;
  for (std::size_t p = 0; p < size_; ++p) {
    if (lambda[p] >= 0 || problem_->kind[set_[p]] == RowKind::equation) continue;
    if (lambda[p] * lambda[p] * square_[slot_[p]] > sign_rounding * sign_rounding * largest) {
      negative_[negative_count_++] = set_[p];
    }
  }
}

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

  // Rows broken beyond rounding.
  for (std::uint32_t i = 0; i < r_; ++i) {
    if (state_[i] == in_set || state_[i] == copy) continue;
    const double broken = problem_->kind[i] == RowKind::equation ? std::abs(w_[i]) : w_[i];
    const double offset = std::abs(problem_->h[i]);
    if (!(broken > row_rounding * offset)) continue;

    // Far above rounding, or a closer look.
    const double square = norm_squared(i);
    const bool far = broken > row_rounding * (std::sqrt(square) * length_of_a() + offset);
    if (!far && broken <= row_rounding * terms(i)) continue;
    // What depends on the set agrees with it within its bound.
    if (state_[i] == skipped && !problem_->h_bound.empty() && broken <= problem_->h_bound[i]) continue;
    violated_[violated_count_++] = i;
    if (square > 0 && state_[i] != skipped) most_broken_ = std::max(most_broken_, broken * broken / square);
  }
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

// ---------------------------------------------------------------------------------------------------- the end

Status DenseFace::rescue(std::size_t most_rounds, Solution& solution, std::vector<Trial>* trials) {
  rescued_ = true;
  return one_by_one_.run(*problem_, held(), most_rounds, solution, trials);
}

/// lambda.w beside lambda.(J a0 + h), which is twice the objective.
bool DenseFace::suspicious() const {
  if (rescued_) return false;
  double objective = 0, gap = 0;
  for (std::size_t p = 0; p < size_; ++p) {
    objective += multiplier_[p] * free_[slot_[p]];
    gap += std::abs(multiplier_[p] * w_[set_[p]]);
  }
  return gap > suspicious_gap * objective;
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
