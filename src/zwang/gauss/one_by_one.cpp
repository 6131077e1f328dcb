/// The nearest point with one row changed at a time; see the header for the method.
#include "zwang/gauss/one_by_one.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/linear/kernels.hpp"

namespace zwang::gauss {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A row counts as dependent when its part outside the span is below this fraction of it.
constexpr double dependent = 1e-11;
/// A row counts as broken when it is so by more than this fraction of its terms.
constexpr double rounding = 64 * eps;

}  // namespace

void OneByOne::reserve(const Problem& problem) {
  gather_columns(problem);
  const std::size_t n = problem.n(), r = problem.r();
  most_held_ = std::min(r, width_);
  if (set_.size() < most_held_) set_.resize(most_held_);
  if (q_.size() < most_held_ * width_) q_.resize(most_held_ * width_);
  if (r_.size() < most_held_ * most_held_) r_.resize(most_held_ * most_held_);
  if (c_.size() < most_held_) c_.resize(most_held_);
  if (change_.size() < most_held_) change_.resize(most_held_);
  if (z_.size() < width_) z_.resize(width_);
  if (row_.size() < width_) row_.resize(width_);
  if (dense_.size() < n) dense_.resize(n);
  is_held_.resize(r);
  forgiven_.resize(r);
  norm_.resize(r);
  a_.resize(n);
  magnitude_.resize(n);
  lambda_.resize(r);
  w_.resize(r);
}

/// The columns that any row touches, blocks of the mass matrix whole.
void OneByOne::gather_columns(const Problem& problem) {
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
double OneByOne::metric_row(const Problem& problem, std::uint32_t row, double* out) const {
  std::fill_n(out, width_, 0.0);
  const linear::Mass& mass = *problem.mass;
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    const std::uint32_t column = problem.column[e];
    const bool single = mass.block_of(column) < 0;
    out[place_[column]] = problem.entry[e] * (single ? mass.inverse_root()[column] : 1.0);
  }

  // L u = J^T in each block the row touches; blocks lie contiguously.
  int last = -1;
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    const int number = mass.block_of(problem.column[e]);
    if (number < 0 || number == last) continue;
    const linear::Mass::Block& block = mass.blocks()[static_cast<std::size_t>(number)];
    const std::size_t size = block.variables.size();
    double* u = out + place_[block.variables.front()];
    if (last >= 0 && std::any_of(problem.column.begin() + problem.start[row],
                                 problem.column.begin() + static_cast<std::ptrdiff_t>(e),
                                 [&](std::uint32_t column) { return mass.block_of(column) == number; })) {
      continue;
    }
    for (std::size_t c = 0; c < size; ++c) {
      u[c] /= block.factor[c * size + c];
      for (std::size_t i = c + 1; i < size; ++i) u[i] -= block.factor[c * size + i] * u[c];
    }
    last = number;
  }
  return std::sqrt(linear::dot(out, out, width_));
}

double OneByOne::slack(const Problem& problem, std::uint32_t row) const {
  double w = problem.h[row];
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    w += problem.entry[e] * a_[problem.column[e]];
  }
  return w;
}

/// |a_j| + |a0_j| + sum_i |lambda_i J_ij| / M_jj: what a_j was summed from, before cancelling.
void OneByOne::size_up(const Problem& problem) {
  std::fill(magnitude_.begin(), magnitude_.end(), 0.0);
  for (const std::uint32_t row : held()) {
    for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
      magnitude_[problem.column[e]] += std::abs(lambda_[row] * problem.entry[e]);
    }
  }
  for (std::size_t j = 0; j < problem.n(); ++j) {
    magnitude_[j] = std::abs(a_[j]) + std::abs(problem.a0[j]) + magnitude_[j] / problem.mass->diagonal()[j];
  }

  // |M^1/2 a0| + |M^1/2 a|.
  double free_square = 0, square = 0;
  problem.mass->multiply(problem.a0, dense_);
  for (std::size_t j = 0; j < problem.n(); ++j) free_square += dense_[j] * problem.a0[j];
  problem.mass->multiply(a_, dense_);
  for (std::size_t j = 0; j < problem.n(); ++j) square += dense_[j] * a_[j];
  length_of_a_ = std::sqrt(free_square) + std::sqrt(square);
}

/// The scale of rounding in w_i: its terms before they cancel, but between a thousandth and the whole of
/// |B_i| (|M^1/2 a0| + |M^1/2 a|), so that neither cancelling multipliers nor columns at rest distort it; and |h_i|.
double OneByOne::terms(const Problem& problem, std::uint32_t row) const {
  double sum = 0;
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    sum += std::abs(problem.entry[e]) * magnitude_[problem.column[e]];
  }
  const double whole = norm_[row] * length_of_a_;
  return std::clamp(sum, 1e-3 * whole, whole) + std::abs(problem.h[row]);
}

/// Do the rows held hold?
bool OneByOne::exact(const Problem& problem) const {
  for (const std::uint32_t row : held()) {
    if (!(std::abs(w_[row]) <= 1e-10 * terms(problem, row))) return false;
  }
  return true;
}

void OneByOne::price(const Problem& problem) {
  size_up(problem);
  for (std::uint32_t i = 0; i < problem.r(); ++i) w_[i] = slack(problem, i);
}

/// B_p = Q^T c + z; the length of z. Twice, so that z is orthogonal to the last digit.
double OneByOne::split(const Problem& problem, std::uint32_t row) {
  norm_[row] = metric_row(problem, row, z_.data());
  for (std::size_t k = 0; k < size_; ++k) c_[k] = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < size_; ++k) {
      const double* q = q_.data() + k * width_;
      const double part = linear::dot(q, z_.data(), width_);
      linear::add_multiple(-part, q, z_.data(), width_);
      c_[k] += part;
    }
  }
  return std::sqrt(linear::dot(z_.data(), z_.data(), width_));
}

/// The row just split joins the set; `rest` is the length of z.
void OneByOne::push(std::uint32_t row, double rest) {
  double* q = q_.data() + size_ * width_;
  double* column = r_.data() + size_ * most_held_;
  for (std::size_t j = 0; j < width_; ++j) q[j] = z_[j] / rest;
  std::copy_n(c_.begin(), size_, column);
  column[size_] = rest;
  set_[size_++] = row;
  is_held_[row] = 1;
}

/// The row at `place` leaves; plane rotations make R triangular again.
void OneByOne::drop(std::size_t place) {
  is_held_[set_[place]] = 0;
  for (std::size_t k = place; k + 1 < size_; ++k) {
    set_[k] = set_[k + 1];
    std::copy_n(r_.data() + (k + 1) * most_held_, k + 2, r_.data() + k * most_held_);
  }
  --size_;
  for (std::size_t k = place; k < size_; ++k) {
    // Rotate rows k and k + 1 so that the entry below the diagonal of column k vanishes.
    double* column = r_.data() + k * most_held_;
    const double length = std::hypot(column[k], column[k + 1]);
    if (length == 0) continue;
    const double c = column[k] / length, s = column[k + 1] / length;
    for (std::size_t m = k; m < size_; ++m) {
      double* other = r_.data() + m * most_held_;
      const double upper = other[k], lower = other[k + 1];
      other[k] = c * upper + s * lower;
      other[k + 1] = c * lower - s * upper;
    }
    double* upper_row = q_.data() + k * width_;
    double* lower_row = upper_row + width_;
    for (std::size_t j = 0; j < width_; ++j) {
      const double upper = upper_row[j], lower = lower_row[j];
      upper_row[j] = c * upper + s * lower;
      lower_row[j] = c * lower - s * upper;
    }
  }
}

/// a -= step M^-1/2 z, in the coordinates of the problem.
void OneByOne::move(const Problem& problem, double step) {
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
    for (std::size_t c = size; c-- > 0;) {
      double sum = z_[k + c];
      for (std::size_t i = c + 1; i < size; ++i) sum -= block.factor[c * size + i] * dense_[i];
      dense_[c] = sum / block.factor[c * size + c];
    }
    for (std::size_t c = 0; c < size; ++c) a_[block.variables[c]] -= step * dense_[c];
  }
}

/// R^T R x = right, in place.
void OneByOne::solve_multipliers(double* right) const {
  for (std::size_t k = 0; k < size_; ++k) {
    const double* column = r_.data() + k * most_held_;
    right[k] = (right[k] - linear::dot(column, right, k)) / column[k];
  }
  for (std::size_t k = size_; k-- > 0;) {
    const double* column = r_.data() + k * most_held_;
    right[k] /= column[k];
    linear::add_multiple(-right[k], column, right, k);
  }
}

/// z = sum c_k B_k over the rows held, from the rows themselves: what no row touches stays exactly zero.
void OneByOne::combine(const Problem& problem, const double* c) {
  std::fill_n(z_.begin(), width_, 0.0);
  for (std::size_t k = 0; k < size_; ++k) {
    (void)metric_row(problem, set_[k], row_.data());
    linear::add_multiple(c[k], row_.data(), z_.data(), width_);
  }
}

/// Makes the rows held exact: a from a0 and lambda (zero if `afresh`), then corrections of what is left of w.
void OneByOne::polish(const Problem& problem, bool afresh) {
  for (std::size_t k = 0; k < size_; ++k) change_[k] = afresh ? 0.0 : lambda_[set_[k]];
  if (afresh) std::fill(lambda_.begin(), lambda_.end(), 0.0);
  std::copy(problem.a0.begin(), problem.a0.end(), a_.begin());
  combine(problem, change_.data());
  move(problem, 1.0);
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t k = 0; k < size_; ++k) change_[k] = slack(problem, set_[k]);
    solve_multipliers(change_.data());
    for (std::size_t k = 0; k < size_; ++k) lambda_[set_[k]] += change_[k];
    combine(problem, change_.data());
    move(problem, 1.0);
  }
}

/// Takes the start rows as equations and drops those whose multiplier is negative until none is.
void OneByOne::start_from(const Problem& problem, std::span<const std::uint32_t> start) {
  for (const std::uint32_t row : start) {
    if (is_held_[row] != 0 || size_ == most_held_) continue;
    const double rest = split(problem, row);
    if (rest > 1e-6 * norm_[row]) push(row, rest);
  }
  while (true) {
    polish(problem, true);
    bool any = false;
    for (std::size_t k = size_; k-- > 0;) {
      const std::uint32_t row = set_[k];
      if (problem.kind[row] == RowKind::equation || lambda_[row] >= 0) continue;
      drop(k);
      lambda_[row] = 0;
      any = true;
    }
    if (!any) return;
  }
}

/// y = (sign at the row, -sign R^-1 c on the set), the largest entry one.
void OneByOne::certify(const Problem& problem, std::uint32_t row, double sign, Solution& solution) const {
  solution.farkas.assign(problem.r(), 0.0);
  solution.farkas[row] = sign;
  double largest = 1, size_of_changes = norm_[row];
  for (std::size_t k = 0; k < size_; ++k) {
    size_of_changes = std::max(size_of_changes, std::abs(change_[k]) * norm_[set_[k]]);
  }
  for (std::size_t k = 0; k < size_; ++k) {
    double value = -sign * change_[k];
    if (problem.kind[set_[k]] == RowKind::inequality) value = std::max(value, 0.0);
    if (std::abs(value) * norm_[set_[k]] <= 1e-14 * size_of_changes) value = 0;
    solution.farkas[set_[k]] = value;
    largest = std::max(largest, std::abs(value));
  }
  for (double& value : solution.farkas) value /= largest;
}

/// Raises the multiplier of a broken row until it holds, the rows it displaces leave, or a contradiction shows.
OneByOne::Joined OneByOne::join(const Problem& problem, std::uint32_t row, std::size_t most_rounds, Solution& solution,
                                Trial* trial) {
  const double sign = w_[row] > 0 ? 1.0 : -1.0;
  while (true) {
    if (++solution.rounds > most_rounds) return Joined::exhausted;

    // The row's part outside the span of the set, and how the multipliers answer.
    const double rest = split(problem, row);
    std::copy_n(c_.begin(), size_, change_.begin());
    for (std::size_t k = size_; k-- > 0;) {
      const double* column = r_.data() + k * most_held_;
      change_[k] /= column[k];
      linear::add_multiple(-change_[k], column, change_.data(), k);
    }

    // The largest part of the combination B_p = sum change_k B_k: what is left outside is known to rounding of that.
    double size_of_changes = norm_[row];
    for (std::size_t k = 0; k < size_; ++k) {
      size_of_changes = std::max(size_of_changes, std::abs(change_[k]) * norm_[set_[k]]);
    }
    const bool outside = rest > dependent * norm_[row] && rest > rounding * size_of_changes && size_ < most_held_;

    // A dependent row agrees with the rows it is made of when y^T h vanishes on the scale of all terms of y^T (J a + h).
    if (!outside) {
      size_up(problem);
      double gap = problem.h[row], scale = terms(problem, row);
      for (std::size_t k = 0; k < size_; ++k) {
        gap -= change_[k] * problem.h[set_[k]];
        scale += size_of_changes / norm_[set_[k]] * terms(problem, set_[k]);
      }
      if (sign * gap <= rounding * scale) {
        forgiven_[row] = std::max(2 * std::abs(w_[row]), rounding * scale);
        return Joined::consistent;
      }
    }

    // How far until a multiplier of the set reaches zero; rounding is no fall. Ties go to the least row.
    double dual_step = infinity;
    std::size_t leaving = size_;
    for (std::size_t k = 0; k < size_; ++k) {
      const std::uint32_t other = set_[k];
      if (problem.kind[other] == RowKind::equation) continue;
      if (sign * change_[k] * norm_[other] <= 1e-12 * size_of_changes) continue;
      const double step = std::max(lambda_[other], 0.0) / (sign * change_[k]);
      if (step < dual_step || (step == dual_step && other < set_[leaving])) {
        dual_step = step;
        leaving = k;
      }
    }

    // How far until the row holds.
    const double primal_step = outside ? sign * w_[row] / (rest * rest) : infinity;
    const double step = std::min(dual_step, primal_step);
    if (step == infinity) {
      certify(problem, row, sign, solution);
      return Joined::contradicts;
    }

    // Go.
    for (std::size_t k = 0; k < size_; ++k) lambda_[set_[k]] -= sign * step * change_[k];
    lambda_[row] += sign * step;
    if (outside) move(problem, sign * step);
    if (primal_step <= dual_step) {
      push(row, rest);
      return Joined::joined;
    }
    const std::uint32_t left = set_[leaving];
    if (trial != nullptr) trial->negative.push_back(left);
    drop(leaving);
    lambda_[left] = 0;

    // On the way, the row may have come to hold.
    w_[row] = slack(problem, row);
    if (outside && sign * w_[row] <= 0) {
      // Rounding brought it past zero: take it in where it stands.
      const double again = split(problem, row);
      if (again > dependent * norm_[row] && size_ < most_held_) {
        push(row, again);
        return Joined::joined;
      }
    }
  }
}

Status OneByOne::run(const Problem& problem, std::span<const std::uint32_t> start, std::size_t most_rounds,
                     Solution& solution, std::vector<Trial>* trials) {
  // From the free motion.
  reserve(problem);
  const auto r = static_cast<std::uint32_t>(problem.r());
  size_ = 0;
  std::fill(is_held_.begin(), is_held_.end(), std::uint8_t{0});
  std::fill(forgiven_.begin(), forgiven_.end(), 0.0);
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  std::copy(problem.a0.begin(), problem.a0.end(), a_.begin());
  for (std::uint32_t i = 0; i < r; ++i) norm_[i] = metric_row(problem, i, z_.data());

  // Equations first; they never leave, and a contradiction among them shows at once.
  for (std::uint32_t i = 0; i < r; ++i) {
    if (problem.kind[i] != RowKind::equation) continue;
    w_[i] = slack(problem, i);
    const Joined joined = join(problem, i, most_rounds, solution, nullptr);
    if (joined == Joined::contradicts) return Status::infeasible;
    if (joined == Joined::exhausted) return Status::gave_up;
  }

  // Then the rows we were given.
  start_from(problem, start);
  bool polished = true;

  while (true) {
    // The row broken most, in the metric of the masses.
    price(problem);
    std::uint32_t worst = r;
    double most = 0;
    for (std::uint32_t i = 0; i < r; ++i) {
      if (is_held_[i] != 0) continue;
      const double broken = problem.kind[i] == RowKind::equation ? std::abs(w_[i]) : w_[i];
      if (!(broken > forgiven_[i]) || broken <= rounding * terms(problem, i)) continue;
      const double relative = norm_[i] > 0 ? broken / norm_[i] : infinity;
      if (relative > most) {
        most = relative;
        worst = i;
      }
    }

    // None: make the rows held exact, look once more, and be done.
    if (worst == r) {
      if (polished) return exact(problem) ? Status::solved : Status::gave_up;
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
      case Joined::exhausted: return Status::gave_up;
    }
    polished = false;
  }
}

}  // namespace zwang::gauss
