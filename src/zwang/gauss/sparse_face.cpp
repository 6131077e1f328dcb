/// The sparse backend; see the header for the equations and story.hpp for the order in which these are called.
#include "zwang/gauss/sparse_face.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "zwang/gauss/story.hpp"
#include "zwang/gauss/verify.hpp"

namespace zwang::gauss {

static_assert(NearestPointFace<SparseFace>);

namespace {

constexpr std::uint32_t none = 0xffffffffU;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Visits of the lines: each costs a small part of a factorisation.
constexpr std::size_t most_visits = 24;

/// What counts as rounding: of the terms of a row, of the terms behind the motion, of the largest multiplier.
constexpr double row_rounding = 1e-13;
constexpr double motion_rounding = 16 * std::numeric_limits<double>::epsilon();
constexpr double multiplier_rounding = 1e-13;

/// In a rescue, a row this near to the span of the set depends on it; above what the factor skips.
constexpr double dependent = 1e-11;

}  // namespace

bool SparseFace::prepare(const Problem& problem) {
  problem_ = &problem;
  const std::size_t n = problem.n();
  const std::size_t r = problem.r();
  assert(problem.mass != nullptr && problem.mass->size() == n);

  // Pattern and numbers of the rows.
  const linear::SparseRows rows{problem.start, problem.column, problem.entry};
  if (gram_.shape(rows, *problem.mass)) {
    cholesky_.reset(r);
    remembers_ = remembers_ && place_.size() == r;
    changed_ = true;
  }
  gram_.load(rows, *problem.mass);
  cholesky_.expire();
  solved_once_ = false;

  // Room.
  place_.resize(r, out);
  free_.resize(r);
  lambda_.assign(r, 0.0);
  w_.resize(r);
  a_.resize(n);
  terms_.resize(n);
  column_.resize(r, 0.0);
  share_.resize(r);
  negative_.clear();
  violated_.clear();

  // Values of the rows in the free motion; one that is not finite betrays any number that is not.
  bool finite = true;
  for (const double x : problem.a0) finite = finite && std::isfinite(x);
  for (std::uint32_t i = 0; i < r; ++i) {
    free_[i] = gram_.times_row(i, problem.a0) + problem.h[i];
    finite = finite && std::isfinite(free_[i]);
  }
  return finite;
}

bool SparseFace::recall() {
  if (!remembers_ || place_.size() != problem_->r()) return false;

  // With another pattern only the rows are known.
  if (changed_) {
    members_.clear();
    for (std::uint32_t i = 0; i < place_.size(); ++i) {
      if (place_[i] == in || problem_->kind[i] == RowKind::equation) members_.push_back(i);
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
    std::fill(place_.begin(), place_.end(), std::uint8_t{out});
    cholesky_.choose(gram_, members_);
    changed_ = false;
  }
  cholesky_.factor(gram_);

  // Note where each row stands; without a change and without dependent rows all stand as before.
  const bool skips = cholesky_.skipped_count() > 0;
  if (!was_changed && !skips && !some_skipped_) return;
  some_skipped_ = skips;
  const std::span<const std::uint32_t> order = cholesky_.order();
  for (std::size_t k = 0; k < order.size(); ++k) place_[order[k]] = skips && cholesky_.skipped(k) ? skipped : in;
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
  for (const std::uint32_t i : cholesky_.order()) largest_ = std::max(largest_, std::abs(lambda_[i]));
  negative_.clear();
  const double least = -multiplier_rounding * largest_;
  for (const std::uint32_t i : cholesky_.order()) {
    if (lambda_[i] < least && problem_->kind[i] == RowKind::inequality) negative_.push_back(i);
  }
  std::sort(negative_.begin(), negative_.end());
}

void SparseFace::sum_up() {
  // a = a0 - W J^T lambda, and the size of what was added up.
  std::copy(problem_->a0.begin(), problem_->a0.end(), a_.begin());
  for (std::size_t k = 0; k < a_.size(); ++k) terms_[k] = std::abs(a_[k]);
  for (const std::uint32_t i : cholesky_.order()) gram_.add_row(i, -lambda_[i], a_, terms_);
}

void SparseFace::price() {
  for (int repair = 0;; ++repair) {
    sum_up();

    // Values of all rows; violated ones outside the set, and the worst rounding within.
    violated_.clear();
    bool rough = false;
    const linear::SparseRows rows{problem_->start, problem_->column, problem_->entry};
    for (std::uint32_t i = 0; i < problem_->r(); ++i) {
      const double h = problem_->h[i];
      double value = h;
      double row_terms = std::abs(h);
      double motion_terms = 0;
      for (std::uint32_t p = rows.start[i]; p < rows.start[i + 1]; ++p) {
        const double x = rows.entry[p] * a_[rows.column[p]];
        value += x;
        row_terms += std::abs(x);
        motion_terms += std::abs(rows.entry[p]) * terms_[rows.column[p]];
      }
      w_[i] = value;
      const double rounding = row_rounding * row_terms + motion_rounding * motion_terms;
      if (place_[i] == in) {
        rough = rough || std::abs(value) > rounding;
      } else if (value > rounding || (value < -rounding && problem_->kind[i] == RowKind::equation)) {
        violated_.push_back(i);
      }
    }

    // Rows of the set should be at zero: refine the multipliers where rounding left more than it should, twice at most.
    if (!rough || repair == 2) return;
    cholesky_.solve(w_, share_);
    for (const std::uint32_t i : cholesky_.order()) lambda_[i] += share_[i];
  }
}

std::span<const std::uint32_t> SparseFace::held() const {
  held_.clear();
  for (std::uint32_t i = 0; i < place_.size(); ++i) {
    if (place_[i] == in) held_.push_back(i);
  }
  return held_;
}

bool SparseFace::exchange() {
  // A violated row that was skipped changes nothing by itself.
  bool changes = !negative_.empty();
  for (const std::uint32_t i : violated_) changes = changes || place_[i] == out;
  if (!changes) return false;

  // Components that lose or gain a row; in the others skipped rows stay where they are.
  component_changed_.assign(cholesky_.components(), 0);
  for (const std::uint32_t i : negative_) component_changed_[cholesky_.component_of(i)] = 1;
  for (const std::uint32_t i : violated_) {
    if (place_[i] != out) continue;
    for (const std::uint32_t j : gram_.neighbours(i)) {
      const std::uint32_t component = cholesky_.component_of(j);
      if (component != linear::SparseCholesky::nowhere) component_changed_[component] = 1;
    }
  }

  // The next set, by merging the ascending lists.
  members_.clear();
  std::size_t leaves = 0;
  std::size_t enters = 0;
  for (std::uint32_t i = 0; i < place_.size(); ++i) {
    const bool goes = leaves < negative_.size() && negative_[leaves] == i;
    const bool comes = enters < violated_.size() && violated_[enters] == i;
    leaves += goes ? 1 : 0;
    enters += comes ? 1 : 0;
    const bool stays =
        (place_[i] == in && !goes) ||
        (place_[i] == skipped && (component_changed_[cholesky_.component_of(i)] == 0 || problem_->kind[i] == RowKind::equation));
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
  for (std::uint32_t i = 0; i < place_.size(); ++i) {
    const bool goes = leaves < negative_.size() && negative_[leaves] == i;
    leaves += goes ? 1 : 0;
    if (place_[i] == in && !goes) {
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
    if (rounds >= most) return false;
    drop_negative();
    hold();
    multipliers();
    ++rounds;
  }
  return true;
}

std::uint32_t SparseFace::worst() const {
  // The row farthest from where it should be, measured in the metric of the masses.
  std::uint32_t found = none;
  double most = -1;
  for (const std::uint32_t i : violated_) {
    const double diagonal = gram_.diagonal(i);
    const double distance = diagonal > 0 ? std::abs(w_[i]) / std::sqrt(diagonal) : infinity;
    if (distance <= most) continue;
    most = distance;
    found = i;
  }
  return found;
}

void SparseFace::load_onto(std::uint32_t p, double sign) {
  // share = Phi_AA^-1 Phi_Ap, in the components that p touches; elsewhere it is zero and not written.
  touched_.clear();
  const std::span<const std::uint32_t> others = gram_.neighbours(p);
  const std::span<const std::uint32_t> edges = gram_.edges_of(p);
  for (std::size_t s = 0; s < others.size(); ++s) {
    const std::uint32_t component = cholesky_.component_of(others[s]);
    if (component == linear::SparseCholesky::nowhere) continue;
    column_[others[s]] = sign * gram_.between(edges[s]);
    touched_.push_back(component);
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const std::uint32_t component : touched_) cholesky_.solve_component(component, column_, share_);
}

bool SparseFace::prove_infeasible(std::uint32_t p, double sign, Solution& solution) const {
  // J_p is a sum of rows of the set that cannot give way: their combination reads 0 <= -w_p < 0.
  solution.farkas.assign(problem_->r(), 0.0);
  solution.farkas[p] = sign;
  for (const std::uint32_t component : touched_) {
    for (std::size_t k = cholesky_.component_begin(component); k < cholesky_.component_begin(component + 1); ++k) {
      const std::uint32_t i = cholesky_.order()[k];
      solution.farkas[i] = problem_->kind[i] == RowKind::equation ? -share_[i] : std::max(0.0, -share_[i]);
    }
  }
  return verify_farkas(*problem_, solution.farkas);
}

Status SparseFace::rescue(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  while (true) {
    // A set without wrong multipliers, and what it breaks.
    if (!settle_signs(most, solution.rounds)) return Status::gave_up;
    price();
    record(*this, trials);
    const std::uint32_t p = worst();
    if (p == none) return Status::solved;
    const std::span<const std::uint32_t> rows = held();
    members_.assign(rows.begin(), rows.end());

    // Raise the multiplier of the worst row until the row is met; rows whose multiplier falls to zero on the way leave.
    const double sign = w_[p] > 0 ? 1.0 : -1.0;
    const double diagonal = gram_.diagonal(p);
    double gap = std::abs(w_[p]);
    double raised = 0;
    while (true) {
      load_onto(p, sign);
      double stiffness = diagonal;
      double largest_share = 0;
      for (const std::uint32_t i : gram_.neighbours(p)) {
        if (place_[i] == in) stiffness -= column_[i] * share_[i];
        column_[i] = 0;
      }
      for (const std::uint32_t component : touched_) {
        for (std::size_t k = cholesky_.component_begin(component); k < cholesky_.component_begin(component + 1); ++k) {
          largest_share = std::max(largest_share, std::abs(share_[cholesky_.order()[k]]));
        }
      }

      // How far until p is met, and how far until the first row of the set lets go.
      const double until_met = stiffness > dependent * diagonal ? gap / stiffness : infinity;
      double until_loose = infinity;
      std::uint32_t loose = none;
      for (const std::uint32_t component : touched_) {
        for (std::size_t k = cholesky_.component_begin(component); k < cholesky_.component_begin(component + 1); ++k) {
          const std::uint32_t i = cholesky_.order()[k];
          if (problem_->kind[i] == RowKind::equation || share_[i] <= dependent * largest_share) continue;
          const double until = std::max(0.0, lambda_[i]) / share_[i];
          if (until < until_loose || (until == until_loose && i < loose)) {
            until_loose = until;
            loose = i;
          }
        }
      }

      // Neither: the rows contradict each other.
      if (until_met == infinity && until_loose == infinity) {
        return prove_infeasible(p, sign, solution) ? Status::infeasible : Status::gave_up;
      }

      // Go there, and change the set by the one row.
      const double step = std::min(until_met, until_loose);
      raised += step;
      gap -= step * (until_met == infinity ? 0.0 : stiffness);
      for (const std::uint32_t component : touched_) {
        for (std::size_t k = cholesky_.component_begin(component); k < cholesky_.component_begin(component + 1); ++k) {
          lambda_[cholesky_.order()[k]] -= step * share_[cholesky_.order()[k]];
        }
      }
      const bool met = until_met <= until_loose;
      if (met) {
        members_.insert(std::lower_bound(members_.begin(), members_.end(), p), p);
        lambda_[p] = sign * raised;
      } else {
        members_.erase(std::lower_bound(members_.begin(), members_.end(), loose));
        lambda_[loose] = 0;
      }
      if (solution.rounds >= most) return Status::gave_up;
      changed_ = true;
      hold();
      ++solution.rounds;
      if (met) break;
    }
    multipliers();
  }
}

bool SparseFace::finish(Solution& solution) {
  // No negative multipliers, none off the set.
  bool finite = true;
  std::size_t rank = 0;
  solution.active.resize(problem_->r());
  for (std::uint32_t i = 0; i < problem_->r(); ++i) {
    const bool active = place_[i] == in;
    rank += active ? 1 : 0;
    solution.active[i] = active ? 1 : 0;
    if (!active || (lambda_[i] < 0 && problem_->kind[i] == RowKind::inequality)) lambda_[i] = 0;
    finite = finite && std::isfinite(w_[i]) && std::isfinite(lambda_[i]);
  }
  for (const double x : a_) finite = finite && std::isfinite(x);

  // Hand the arrays over and take the old ones for the next time.
  solution.a.swap(a_);
  solution.lambda.swap(lambda_);
  solution.w.swap(w_);
  solution.rank = rank;
  remembers_ = true;
  return finite;
}

}  // namespace zwang::gauss
