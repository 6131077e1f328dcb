/// The sparse backend; see the header for the equations and story.hpp for the order in which these are called.
#include "zwang/gauss/sparse_face.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/base/vectors.hpp"
#include "zwang/gauss.hpp"
#include "zwang/gauss/story.hpp"
#include "zwang/gauss/tolerances.hpp"

namespace zwang::gauss {

static_assert(NearestPointFace<SparseFace>);

std::size_t SparseFace::work_left() const {
  const auto r = static_cast<double>(problem_->r());
  const auto most = static_cast<std::size_t>(most_sparse_work + sparse_work_of_row * r * std::sqrt(r));
  const std::size_t done = cholesky_.work() - work_before_ + work_apart_;
  return done < most ? most - done : 0;
}

bool SparseFace::exhausted() const { return work_left() == 0; }

bool SparseFace::prepare(const Problem& problem) {
  problem_ = &problem;
  work_before_ = cholesky_.work();
  work_apart_ = 0;
  const std::size_t n = problem.n();
  const std::size_t r = problem.r();
  assert(problem.mass != nullptr && problem.mass->size() == n);

  // Pattern and numbers of the rows.
  const linear::SparseRows rows{problem.start, problem.column, problem.entry};
  if (gram_.shape(rows, *problem.mass)) {
    cholesky_.reset(r);
    remembers_ = remembers_ && state_.size() == r;
    changed_ = true;
  }
  gram_.load(rows, *problem.mass);
  cholesky_.expire();
  solved_once_ = false;

  // Room.
  state_.resize(r, out);
  free_.resize(r);
  lambda_.assign(r, 0.0);
  w_.resize(r);
  a_.resize(n);
  column_.resize(r, 0.0);
  share_.resize(r);
  forgiven_.assign(r, 0.0);
  held_dependent_ = 0;
  careful_ = false;
  negative_.clear();
  violated_.clear();

  // Values of the rows in the free motion; one that is not finite betrays any number that is not.
  largest_free_ = -1;
  for (std::uint32_t i = 0; i < r; ++i) free_[i] = gram_.times_row(i, problem.a0) + problem.h[i];
  return all_finite(problem.a0) && all_finite(free_);
}

bool SparseFace::recall() {
  if (!remembers_ || state_.size() != problem_->r()) return false;

  // With another pattern, or after a rescue, only the rows are known.
  if (changed_) {
    members_.clear();
    for (std::uint32_t i = 0; i < state_.size(); ++i) {
      if (state_[i] == in || problem_->kind[i] == RowKind::equation) members_.push_back(i);
    }
  }
  return true;
}

void SparseFace::begin() {
  members_.clear();
  for (std::uint32_t i = 0; i < problem_->r(); ++i) {
    if (problem_->kind[i] == RowKind::equation) members_.push_back(i);
  }
  changed_ = true;
}

void SparseFace::guess() {
  // Lines from the free motion.
  lines_.find(gram_, problem_->kind);
  std::copy(problem_->a0.begin(), problem_->a0.end(), a_.begin());
  visits_ = lines_.settle(gram_, *problem_, most_visits, a_);

  // Rows that carry something.
  members_.clear();
  for (std::uint32_t i = 0; i < problem_->r(); ++i) {
    if (problem_->kind[i] == RowKind::equation || lines_.multipliers()[i] > 0) members_.push_back(i);
  }
  changed_ = true;
}

void SparseFace::hold() {
  // Order and analyse what is new, then factor it.
  const bool was_changed = changed_;
  if (changed_) {
    std::fill(state_.begin(), state_.end(), std::uint8_t{out});
    cholesky_.choose(gram_, members_);
    changed_ = false;
  }
  cholesky_.factor(gram_);

  // Note where each row stands; without a change and without dependent rows all stand as before.
  const bool skips = cholesky_.skipped_count() > 0;
  if (!was_changed && !skips && !some_skipped_) return;
  some_skipped_ = skips;
  const std::span<const std::uint32_t> order = cholesky_.order();
  for (std::size_t k = 0; k < order.size(); ++k) state_[order[k]] = skips && cholesky_.skipped(k) ? skipped : in;
}

void SparseFace::multipliers() {
  // Components that stood, with their numbers, keep their multipliers.
  if (solved_once_) {
    cholesky_.solve_fresh(free_, lambda_);
  } else {
    cholesky_.solve(free_, lambda_);
  }
  solved_once_ = true;

  // Which came out negative?
  largest_ = 0;
  double smallest = 0;
  for (const std::uint32_t i : cholesky_.order()) {
    largest_ = std::max(largest_, std::abs(lambda_[i]));
    smallest = std::min(smallest, lambda_[i]);
  }
  negative_.clear();
  const double least = -multiplier_rounding * largest_;
  if (smallest >= least) return;
  for (const std::uint32_t i : cholesky_.order()) {
    if (lambda_[i] < least && problem_->kind[i] == RowKind::inequality) negative_.push_back(i);
  }
  std::sort(negative_.begin(), negative_.end());
}

double SparseFace::natural_terms(std::uint32_t row) {
  // Terms of a row in the motion and in the free motion, without what cancels between multipliers. Rarely asked for.
  if (largest_free_ < 0) {
    largest_free_ = 0;
    for (const double x : problem_->a0) largest_free_ = std::max(largest_free_, std::abs(x));
  }
  double terms = std::abs(problem_->h[row]);
  for (std::uint32_t p = problem_->start[row]; p < problem_->start[row + 1]; ++p) {
    const std::uint32_t c = problem_->column[p];
    terms += std::abs(problem_->entry[p]) * (std::abs(a_[c]) + std::abs(problem_->a0[c]) + largest_free_);
  }
  return terms;
}

double SparseFace::rounding_of(std::uint32_t row) const {
  // Rounding of the terms of the row, and of those its motion was summed from: the free one and Phi_ij lambda_j.
  double row_terms = std::abs(problem_->h[row]);
  double motion_terms = 0;
  for (std::uint32_t p = problem_->start[row]; p < problem_->start[row + 1]; ++p) {
    const std::uint32_t c = problem_->column[p];
    row_terms += std::abs(problem_->entry[p] * a_[c]);
    motion_terms += std::abs(problem_->entry[p] * problem_->a0[c]);
  }
  const std::span<const std::uint32_t> others = gram_.neighbours(row);
  const std::span<const std::uint32_t> edges = gram_.edges_of(row);
  for (std::size_t s = 0; s < others.size(); ++s) {
    if (lambda_[others[s]] != 0) motion_terms += std::abs(gram_.between_terms(edges[s]) * lambda_[others[s]]);
  }
  motion_terms += std::abs(gram_.diagonal(row) * lambda_[row]);
  return sparse_row_rounding * row_terms + motion_rounding * motion_terms;
}

double SparseFace::evaluate(bool strict) {
  // Values of all rows; violated ones outside the set, and the worst rounding within. Where multipliers are so large
  // that rounding hides the row itself, nothing is excused: a held row that does not hold counts as violated too.
  violated_.clear();
  double excess = 0;
  const double held_rounding = strict ? 0.0 : motion_rounding * (largest_ + largest_);
  for (std::uint32_t i = 0; i < problem_->r(); ++i) {
    const double h = problem_->h[i];
    double value = h;
    double row_terms = std::abs(h);
    for (std::uint32_t p = problem_->start[i]; p < problem_->start[i + 1]; ++p) {
      const double x = problem_->entry[p] * a_[problem_->column[p]];
      value += x;
      row_terms += std::abs(x);
    }
    w_[i] = value;

    // Most rows are clearly in order.
    const double size = std::abs(value);
    if (size <= sparse_row_rounding * row_terms) continue;
    if (state_[i] == in) {
      const double rounding = sparse_row_rounding * row_terms + held_rounding * gram_.diagonal(i);
      if (size > rounding) excess = std::max(excess, size / rounding);
      if (size > suspicious_row * row_terms && size > natural_rounding * natural_terms(i)) violated_.push_back(i);
    } else if (value > 0 || problem_->kind[i] == RowKind::equation) {
      if (size > std::min(rounding_of(i), natural_rounding * natural_terms(i)) + forgiven_[i]) violated_.push_back(i);
    }
  }
  return excess;
}

void SparseFace::price() {
  // a = a0 - W J^T lambda.
  std::copy(problem_->a0.begin(), problem_->a0.end(), a_.begin());
  for (const std::uint32_t i : cholesky_.order()) gram_.add_row(i, -lambda_[i], a_);

  // Rows near dependence magnify rounding: their values are then held to the last digits of a itself.
  const bool strict = cholesky_.least_pivot() < weak_pivot;
  double excess = evaluate(strict);

  // Rows of the set should be at zero: correct multipliers and motion while that helps, three times at most.
  for (int repair = 0; repair < 3 && excess > 1; ++repair) {
    cholesky_.solve(w_, share_);
    for (const std::uint32_t i : cholesky_.order()) {
      if (share_[i] == 0) continue;
      lambda_[i] += share_[i];
      gram_.add_row(i, -share_[i], a_);
    }
    const double before = excess;
    excess = evaluate(strict);
    if (!(excess < 0.5 * before)) break;
  }
}

std::span<const std::uint32_t> SparseFace::held() const {
  held_.clear();
  for (std::uint32_t i = 0; i < state_.size(); ++i) {
    if (state_[i] == in) held_.push_back(i);
  }
  return held_;
}

bool SparseFace::exchange() {
  // A violated row that was skipped changes nothing by itself.
  bool changes = !negative_.empty();
  for (const std::uint32_t i : violated_) changes = changes || state_[i] == out;
  if (!changes) return false;

  // Components that lose or gain a row; in the others skipped rows stay where they are.
  component_changed_.assign(cholesky_.components(), 0);
  for (const std::uint32_t i : negative_) component_changed_[cholesky_.component_of(i)] = 1;
  for (const std::uint32_t i : violated_) {
    if (state_[i] != out) continue;
    for (const std::uint32_t j : gram_.neighbours(i)) {
      const std::uint32_t component = cholesky_.component_of(j);
      if (component != linear::SparseCholesky::nowhere) component_changed_[component] = 1;
    }
  }

  // The next set, by merging the ascending lists.
  members_.clear();
  std::size_t leaves = 0;
  std::size_t enters = 0;
  for (std::uint32_t i = 0; i < state_.size(); ++i) {
    const bool goes = leaves < negative_.size() && negative_[leaves] == i;
    const bool comes = enters < violated_.size() && violated_[enters] == i;
    leaves += goes ? 1 : 0;
    enters += comes ? 1 : 0;
    const bool stays = (state_[i] == in && !goes) ||
                       (state_[i] == skipped &&
                        (component_changed_[cholesky_.component_of(i)] == 0 || problem_->kind[i] == RowKind::equation));
    if (stays || comes) {
      members_.push_back(i);
    } else {
      lambda_[i] = 0;
    }
  }
  changed_ = true;
  return true;
}

void SparseFace::drop_negative() {
  members_.clear();
  std::size_t leaves = 0;
  for (std::uint32_t i = 0; i < state_.size(); ++i) {
    const bool goes = leaves < negative_.size() && negative_[leaves] == i;
    leaves += goes ? 1 : 0;
    if (state_[i] == in && !goes) {
      members_.push_back(i);
    } else {
      lambda_[i] = 0;
    }
  }
  changed_ = true;
}

bool SparseFace::settle_signs(std::size_t most, std::size_t& rounds) {
  // Let rows go until no multiplier is negative and no row is dependent: this ends since the set only shrinks.
  while (!negative_.empty() || cholesky_.skipped_count() > 0) {
    if (rounds >= most || exhausted()) return false;
    drop_negative();
    hold();
    multipliers();
    ++rounds;
  }
  return true;
}

/// lambda.w beside lambda.(J a0 + h), which is twice the objective.
bool SparseFace::suspicious() const {
  double objective = 0, gap = 0;
  for (const std::uint32_t i : cholesky_.order()) {
    objective += lambda_[i] * free_[i];
    gap += std::abs(lambda_[i] * w_[i]);
  }
  return gap > suspicious_gap * objective;
}

bool SparseFace::finish(Solution& solution) {
  // No negative multipliers, none off the set.
  std::size_t rank = 0;
  solution.active.resize(problem_->r());
  for (std::uint32_t i = 0; i < problem_->r(); ++i) {
    const bool active = state_[i] == in;
    rank += active ? 1 : 0;
    solution.active[i] = active ? 1 : 0;
    if (!active || (lambda_[i] < 0 && problem_->kind[i] == RowKind::inequality)) {
      lambda_[i] = 0;
      if (careful_) lambda_low_[i] = 0;
    }
  }
  const bool finite = all_finite(a_) && all_finite(lambda_) && all_finite(w_);

  // Hand the numbers over.
  solution.a.assign(a_.begin(), a_.end());
  solution.lambda.assign(lambda_.begin(), lambda_.end());
  solution.w.assign(w_.begin(), w_.end());
  solution.lambda_low.clear();
  if (careful_) solution.lambda_low.assign(lambda_low_.begin(), lambda_low_.end());
  solution.rank = rank - held_dependent_;
  remembers_ = true;
  return finite;
}

}  // namespace zwang::gauss
