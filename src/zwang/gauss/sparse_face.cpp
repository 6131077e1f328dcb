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

void SparseFace::find_pieces() {
  // Walk the whole graph from every row with a wrong sign.
  piece_kind_.assign(problem_->r(), 0);
  piece_start_.assign(1, 0);
  piece_row_.clear();
  for (const std::span<const std::uint32_t> wrong : {negative(), violated()}) {
    for (const std::uint32_t seed : wrong) {
      if (piece_kind_[seed] != 0) continue;
      const std::size_t begin = piece_row_.size();
      piece_kind_[seed] = 1;
      piece_row_.push_back(seed);
      for (std::size_t k = begin; k < piece_row_.size(); ++k) {
        for (const std::uint32_t other : gram_.neighbours(piece_row_[k])) {
          if (piece_kind_[other] != 0) continue;
          piece_kind_[other] = 1;
          piece_row_.push_back(other);
        }
      }

      // Small ones are listed, large ones only marked.
      const std::size_t count = piece_row_.size() - begin;
      if (count > small_piece_ &&
          (count > small_area_ || count * width_of({piece_row_.data() + begin, count}) > small_area_)) {
        for (std::size_t k = begin; k < piece_row_.size(); ++k) piece_kind_[piece_row_[k]] = 2;
        piece_row_.resize(begin);
        continue;
      }
      std::sort(piece_row_.begin() + static_cast<std::ptrdiff_t>(begin), piece_row_.end());
      piece_start_.push_back(static_cast<std::uint32_t>(piece_row_.size()));
    }
  }
}

/// How many variables the rows touch.
std::size_t SparseFace::width_of(std::span<const std::uint32_t> rows) const {
  std::vector<std::uint8_t> touched(problem_->n(), 0);
  std::size_t count = 0;
  for (const std::uint32_t i : rows) {
    for (std::uint32_t p = problem_->start[i]; p < problem_->start[i + 1]; ++p) {
      count += touched[problem_->column[p]] == 0 ? 1 : 0;
      touched[problem_->column[p]] = 1;
    }
  }
  return count;
}

std::uint32_t SparseFace::worst() const {
  // The row of a large piece farthest from where it should be, measured in the metric of the masses.
  std::uint32_t found = none;
  double most = -1;
  for (const std::uint32_t i : violated_) {
    if (piece_kind_[i] == 1) continue;
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

bool SparseFace::prove_infeasible(std::uint32_t p, double sign, std::size_t most, Solution& solution) {
  // J_p is a sum of rows of the set that cannot give way: their combination reads 0 <= -w_p < 0. Make it exact: what is
  // left of J_p - sum share J, seen from the rows of the set, is distributed once more.
  std::vector<double> rest(problem_->n());
  std::vector<double> more(problem_->r());
  for (int pass = 0; pass < 3; ++pass) {
    std::fill(rest.begin(), rest.end(), 0.0);
    gram_.add_row(p, sign, rest);
    for (const std::uint32_t component : touched_) {
      for (const std::uint32_t i : cholesky_.rows_of(component)) gram_.add_row(i, -share_[i], rest);
    }
    for (const std::uint32_t component : touched_) {
      for (const std::uint32_t i : cholesky_.rows_of(component)) more[i] = gram_.times_row(i, rest);
      cholesky_.solve_component(component, more, more);
      for (const std::uint32_t i : cholesky_.rows_of(component)) share_[i] += more[i];
    }
  }

  // Perhaps it is a proof as it stands, without what is rounding.
  double largest = std::sqrt(gram_.diagonal(p));
  const auto part = [&](std::uint32_t i) { return std::abs(share_[i]) * std::sqrt(gram_.diagonal(i)); };
  for (const std::uint32_t component : touched_) {
    for (const std::uint32_t i : cholesky_.rows_of(component)) largest = std::max(largest, part(i));
  }
  solution.farkas.assign(problem_->r(), 0.0);
  solution.farkas[p] = sign;
  for (const std::uint32_t component : touched_) {
    for (const std::uint32_t i : cholesky_.rows_of(component)) {
      const double value = part(i) > small_part * largest ? -share_[i] : 0.0;
      solution.farkas[i] = problem_->kind[i] == RowKind::equation ? value : std::max(0.0, value);
    }
  }
  if (verify_farkas(*problem_, solution.farkas, scratch_)) return true;
  solution.farkas.clear();

  // The rows that take part in it contradict each other, if they do, on their own: few enough for the rescue that proves. The
  // fewer the better, so first only those with a large part.
  std::vector<std::uint32_t> rows;
  std::size_t before = 0;
  for (const double least : {small_part, no_part}) {
    rows.assign(1, p);
    for (const std::uint32_t component : touched_) {
      for (const std::uint32_t i : cholesky_.rows_of(component)) {
        if (part(i) > least * largest) rows.push_back(i);
      }
    }
    if (rows.size() == before || rows.size() > most_rows_apart || exhausted()) continue;
    before = rows.size();
    std::sort(rows.begin(), rows.end());
    if (solve_apart(rows, most, solution, nullptr).status == Status::infeasible) return true;
  }
  return false;
}

Status SparseFace::rescue(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  find_pieces();
  while (true) {
    // Large pieces with the sparse factor, then small ones one after the other.
    if (std::find(piece_kind_.begin(), piece_kind_.end(), 2) != piece_kind_.end()) {
      Status status = rescue_large(most, solution, trials);
      if (status == Status::gave_up) status = rescue_last(most, solution, trials);
      if (status != Status::solved) return status;
    }
    std::size_t piece = 0;
    for (; piece + 1 < piece_start_.size(); ++piece) {
      const std::span<const std::uint32_t> rows(piece_row_.data() + piece_start_[piece],
                                                piece_start_[piece + 1] - piece_start_[piece]);
      const Status status = rescue_small(rows, most, solution, trials);
      if (status == Status::solved) continue;
      const bool enough = solution.rounds >= most || exhausted();
      if (status == Status::infeasible || rows.size() < least_rows_softly || enough) return status;
      // One that is too hard for that is treated as a large one.
      for (const std::uint32_t i : rows) piece_kind_[i] = 2;
      break;
    }
    if (piece + 1 >= piece_start_.size()) return Status::solved;
    const std::uint32_t first = piece_start_[piece], last = piece_start_[piece + 1];
    piece_row_.erase(piece_row_.begin() + first, piece_row_.begin() + last);
    piece_start_.erase(piece_start_.begin() + static_cast<std::ptrdiff_t>(piece) + 1);
    for (std::size_t k = piece + 1; k < piece_start_.size(); ++k) piece_start_[k] -= last - first;
  }
}

Status SparseFace::rescue_last(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  // With twice the digits, all pieces at once; else densely, if the large pieces are not too large for that.
  solution.farkas.clear();
  if (exhausted()) return Status::gave_up;
  if (improve(most, solution, trials) == Status::solved) {
    piece_start_.assign(1, 0);
    return Status::solved;
  }
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < problem_->r(); ++i) {
    if (piece_kind_[i] == 2) rows.push_back(i);
  }
  if (rows.size() > most_rows_apart || exhausted()) return Status::gave_up;
  const std::size_t more = solution.rounds + least_rounds_per_row * rows.size();
  return rescue_small(rows, std::max(most, more), solution, trials);
}

Status SparseFace::rescue_small(std::span<const std::uint32_t> piece, std::size_t most, Solution& solution,
                                std::vector<Trial>* trials) {
  const Apart apart = solve_apart(piece, most, solution, trials);
  if (apart.status != Status::solved) return apart.status;

  // Put the piece back into the whole; the factor no longer fits the set.
  for (std::size_t k = 0; k < apart.variables.size(); ++k) a_[apart.variables[k]] = one_by_one_.a()[k];
  for (std::size_t i = 0; i < piece.size(); ++i) {
    lambda_[piece[i]] = one_by_one_.lambda()[i];
    w_[piece[i]] = one_by_one_.w()[i];
    state_[piece[i]] = out;
    if (!one_by_one_.careful()) continue;
    if (!careful_) lambda_low_.assign(problem_->r(), 0.0);
    careful_ = true;
    lambda_low_[piece[i]] = one_by_one_.lambda_low()[i];
  }
  for (const std::uint32_t i : one_by_one_.held()) state_[piece[i]] = in;
  changed_ = true;
  return Status::solved;
}

SparseFace::Apart SparseFace::solve_apart(std::span<const std::uint32_t> piece, std::size_t most, Solution& solution,
                                          std::vector<Trial>* trials) {
  // The piece's variables: those of its rows, blocks of the mass whole.
  const linear::Mass& mass = *problem_->mass;
  std::vector<std::uint32_t> variables;
  for (const std::uint32_t i : piece) {
    for (std::uint32_t p = problem_->start[i]; p < problem_->start[i + 1]; ++p) {
      const int block = mass.block_of(problem_->column[p]);
      if (block < 0) {
        variables.push_back(problem_->column[p]);
      } else {
        const std::vector<std::uint32_t>& all = mass.blocks()[static_cast<std::size_t>(block)].variables;
        variables.insert(variables.end(), all.begin(), all.end());
      }
    }
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  const auto number = [&](std::uint32_t variable) {
    return static_cast<std::uint32_t>(std::lower_bound(variables.begin(), variables.end(), variable) -
                                      variables.begin());
  };

  // Its mass matrix.
  std::vector<std::vector<std::uint32_t>> blocks;
  std::vector<int> sources;
  for (const std::uint32_t variable : variables) {
    const int block = mass.block_of(variable);
    if (block < 0 || mass.blocks()[static_cast<std::size_t>(block)].variables.front() != variable) continue;
    sources.push_back(block);
    blocks.emplace_back();
    for (const std::uint32_t other : mass.blocks()[static_cast<std::size_t>(block)].variables) {
      blocks.back().push_back(number(other));
    }
  }
  linear::Mass part(variables.size(), blocks);
  for (const std::uint32_t variable : variables) {
    if (mass.block_of(variable) < 0) part.add_diagonal(number(variable), mass.diagonal()[variable]);
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::vector<double>& entries = mass.blocks()[static_cast<std::size_t>(sources[b])].entries;
    const std::size_t size = blocks[b].size();
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = 0; i <= j; ++i) part.add(blocks[b][i], blocks[b][j], entries[j * size + i]);
    }
  }
  if (!part.factor()) return {};

  // Its rows and where they stand.
  std::vector<std::uint32_t> start(1, 0);
  std::vector<std::uint32_t> column;
  std::vector<std::uint32_t> rows_held;
  std::vector<double> entry;
  std::vector<double> h;
  std::vector<double> a0;
  std::vector<RowKind> kind;
  std::vector<double> h_bound;
  std::vector<double> entry_bound;
  a0.reserve(variables.size());
  for (const std::uint32_t variable : variables) a0.push_back(problem_->a0[variable]);
  for (const std::uint32_t i : piece) {
    if (state_[i] == in) rows_held.push_back(static_cast<std::uint32_t>(h.size()));
    for (std::uint32_t p = problem_->start[i]; p < problem_->start[i + 1]; ++p) {
      column.push_back(number(problem_->column[p]));
      entry.push_back(problem_->entry[p]);
      if (!problem_->entry_bound.empty()) entry_bound.push_back(problem_->entry_bound[p]);
    }
    start.push_back(static_cast<std::uint32_t>(column.size()));
    h.push_back(problem_->h[i]);
    if (!problem_->h_bound.empty()) h_bound.push_back(problem_->h_bound[i]);
    kind.push_back(problem_->kind[i]);
  }
  Problem problem{&part, a0, start, column, entry, h, kind};
  problem.h_bound = h_bound;
  problem.entry_bound = entry_bound;

  // Solve it.
  Solution found;
  found.rounds = solution.rounds;
  std::vector<Trial> rounds;
  // Half of the work is left to other ways, where there are any.
  one_by_one_.allow(piece.size() < least_rows_softly ? work_left() : work_left() / 2);
  const Status status = one_by_one_.run(problem, rows_held, most, found, trials != nullptr ? &rounds : nullptr);
  work_apart_ += one_by_one_.work();
  solution.rounds = found.rounds;

  // Tell its rounds in the numbers of the whole.
  for (Trial& trial : rounds) {
    for (std::vector<std::uint32_t>* list : {&trial.rows, &trial.negative, &trial.violated}) {
      for (std::uint32_t& i : *list) i = piece[i];
    }
    trials->push_back(std::move(trial));
  }
  if (status == Status::infeasible) {
    solution.farkas.assign(problem_->r(), 0.0);
    for (std::size_t i = 0; i < piece.size(); ++i) solution.farkas[piece[i]] = found.farkas[i];
  }
  return {status, std::move(variables)};
}

double SparseFace::growth(std::span<const double> before, std::vector<double>& y) {
  // y = lambda - before; |J^T y|, seen from the rows, beside the largest |y_i B_i|.
  std::fill(motion_.begin(), motion_.end(), 0.0);
  double largest = 0, offset = 0, rest = 0;
  for (std::uint32_t i = 0; i < problem_->r(); ++i) {
    y[i] = state_[i] == in || before[i] != 0 ? lambda_[i] - before[i] : 0.0;
    if (y[i] == 0) continue;
    gram_.add_row(i, y[i], motion_);
    largest = std::max(largest, std::abs(y[i]) * std::sqrt(gram_.diagonal(i)));
    offset += y[i] * free_[i];
  }
  if (!(offset > 0)) return infinity;
  for (std::uint32_t i = 0; i < problem_->r(); ++i) {
    if (y[i] == 0) continue;
    rest = std::max(rest, std::abs(gram_.times_row(i, motion_)) / std::sqrt(gram_.diagonal(i)));
  }
  return rest / largest;
}

bool SparseFace::prove_by_growth(std::vector<double>& y, std::size_t most, Solution& solution) {
  // Rows with a part in it; inequalities with their sign.
  const auto part = [&](std::uint32_t i) { return std::abs(y[i]) * std::sqrt(gram_.diagonal(i)); };
  const auto choose = [&](double least) {
    double largest = 0;
    for (std::uint32_t i = 0; i < problem_->r(); ++i) largest = std::max(largest, part(i));
    members_.clear();
    for (std::uint32_t i = 0; i < problem_->r(); ++i) {
      const bool equation = problem_->kind[i] == RowKind::equation;
      if ((equation || y[i] > 0) && part(i) > least * largest) {
        members_.push_back(i);
      } else {
        y[i] = 0;
      }
    }
    changed_ = true;
  };
  choose(growth_part);
  residual_.resize(problem_->r());
  correction_.resize(problem_->r());
  long_force_.resize(problem_->n());
  for (int round = 0; round < most_growth_rounds && !exhausted(); ++round) {
    // What is left of J^T y, summed with twice the digits, is taken off by the rows that are independent.
    hold();
    for (int pass = 0; pass < most_stuck; ++pass) {
      std::fill(long_force_.begin(), long_force_.end(), linear::Twofold());
      for (const std::uint32_t i : members_) {
        for (std::uint32_t p = problem_->start[i]; p < problem_->start[i + 1]; ++p) {
          long_force_[problem_->column[p]] += linear::exact_product(y[i], problem_->entry[p]);
        }
      }
      for (std::size_t j = 0; j < motion_.size(); ++j) motion_[j] = static_cast<double>(long_force_[j]);
      problem_->mass->solve(motion_, motion_);
      for (const std::uint32_t i : members_) residual_[i] = gram_.times_row(i, motion_);
      cholesky_.solve(residual_, correction_);
      for (const std::uint32_t i : members_) y[i] -= correction_[i];
    }

    // Rows that came out with the wrong sign leave.
    const std::size_t count = members_.size();
    choose(no_part);
    if (members_.size() != count) continue;
    solution.farkas = y;
    if (verify_farkas(*problem_, solution.farkas, scratch_)) return true;
    break;
  }
  solution.farkas.clear();

  // Few rows may prove it alone, with orthogonal rows and more digits.
  if (members_.empty() || members_.size() > most_rows_apart || exhausted()) return false;
  const std::vector<std::uint32_t> rows = members_;
  if (solve_apart(rows, most, solution, nullptr).status == Status::infeasible) return true;
  solution.farkas.clear();
  return false;
}

Status SparseFace::settle_softly(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  // Dependent rows all take part: with D = diag Phi and the multipliers m of the time before, block pivoting on
  //   lambda >= 0,   (Phi + s D) lambda - (J a0 + h + s D m) >= 0
  // has one answer, which block pivoting finds without fail when s is large; m = lambda again and again, with s falling
  // as long as that goes well, leads to an answer of the true problem. If there is none, lambda grows without end, and what it
  // grows by turns into a proof: J^T (lambda - m) = M (a of before - a) while lambda - m is about 1 / s.
  const std::size_t r = problem_->r();
  const auto takes_part = [&](std::uint32_t i) { return piece_kind_[i] != 1; };
  std::vector<double> before(r, 0.0);
  std::vector<double> right(r);
  std::vector<double> pull(r);
  double softness = soft_begin;
  double fall = soft_fall;
  members_.clear();
  for (std::uint32_t i = 0; i < r; ++i) {
    if (state_[i] == in && takes_part(i)) members_.push_back(i);
  }
  changed_ = true;
  std::vector<std::uint32_t> good = members_;
  std::vector<double> y(r);
  motion_.assign(problem_->n(), 0.0);
  double cancelled = growth_cancels;
  int tries = 0;
  bool settled = false;
  for (int pass = 0; pass < 60 && !settled; ++pass) {
    cholesky_.soften(softness);
    for (std::uint32_t i = 0; i < r; ++i) {
      pull[i] = softness * gram_.diagonal(i);
      right[i] = free_[i] + pull[i] * before[i];
    }
    Patience patience;
    while (true) {
      // Multipliers and motion of the set.
      hold();
      std::fill(lambda_.begin(), lambda_.end(), 0.0);
      cholesky_.solve(right, lambda_);
      std::copy(problem_->a0.begin(), problem_->a0.end(), a_.begin());
      largest_ = 0;
      for (const std::uint32_t i : cholesky_.order()) {
        gram_.add_row(i, -lambda_[i], a_);
        largest_ = std::max(largest_, std::abs(lambda_[i]));
      }

      // Wrong signs.
      negative_.clear();
      violated_.clear();
      settled = true;
      for (std::uint32_t i = 0; i < r; ++i) {
        w_[i] = gram_.times_row(i, a_) + problem_->h[i];
        if (!takes_part(i)) continue;
        const bool inequality = problem_->kind[i] == RowKind::inequality;
        if (state_[i] == in) {
          if (inequality && lambda_[i] < -multiplier_rounding * largest_) negative_.push_back(i);
          settled = settled && (std::abs(w_[i]) <= sparse_row_rounding * std::abs(problem_->h[i]) ||
                                std::abs(w_[i]) <= rounding_of(i));
        } else if (w_[i] + pull[i] * before[i] > 0 || !inequality) {
          if (std::abs(w_[i] + pull[i] * before[i]) > rounding_of(i)) violated_.push_back(i);
        }
      }
      const std::size_t wrong_signs = negative_.size() + violated_.size();
      if (wrong_signs == 0) break;
      settled = false;
      if (solution.rounds >= most || exhausted() || !patience.lasts(wrong_signs)) break;

      // The next set.
      std::size_t leaves = 0;
      std::size_t enters = 0;
      members_.clear();
      for (std::uint32_t i = 0; i < r; ++i) {
        const bool goes = leaves < negative_.size() && negative_[leaves] == i;
        const bool comes = enters < violated_.size() && violated_[enters] == i;
        leaves += goes ? 1 : 0;
        enters += comes ? 1 : 0;
        if ((state_[i] == in && !goes && takes_part(i)) || comes) members_.push_back(i);
      }
      changed_ = true;
      ++solution.rounds;
    }
    const bool well = negative_.empty() && violated_.empty();
    if (well && !settled && pass > 0 && tries < most_growth_tries) {
      const double left = growth(before, y);
      if (left <= cancelled) {
        cancelled = growth_better * left;
        ++tries;
        good = members_;
        before = lambda_;
        cholesky_.soften(0);
        changed_ = true;
        if (prove_by_growth(y, most, solution)) return Status::infeasible;
        members_ = good;
        lambda_ = before;
        changed_ = true;
      }
    }
    if (well) {
      before = lambda_;
      good = members_;
    } else {
      members_ = good;
      changed_ = true;
    }
    softness = well ? std::max(soft_end, fall * softness) : softness / fall;
    fall = well ? std::max(soft_fall, 0.8 * fall) : std::min(0.7, 1.5 * fall);
    if (softness > soft_begin || solution.rounds >= most || exhausted()) break;
  }

  // The rank of the set, by the factor that is not soft.
  cholesky_.soften(0);
  changed_ = true;
  if (!settled) {
    members_.clear();
    for (std::uint32_t i = 0; i < r; ++i) {
      if (state_[i] == in) members_.push_back(i);
    }
    hold();
    lambda_.assign(r, 0.0);
    cholesky_.solve(free_, lambda_);
    solved_once_ = false;
    multipliers();
    return Status::gave_up;
  }
  record(*this, trials);
  hold();
  held_dependent_ = cholesky_.skipped_count();
  for (const std::uint32_t i : members_) state_[i] = in;
  changed_ = true;
  return Status::solved;
}

Status SparseFace::rescue_large(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  const Status softly = settle_softly(most, solution, trials);
  if (softly != Status::gave_up) return softly;

  // From here on one row at a time: as many rounds as are honest.
  const std::size_t round = 200 * problem_->r() + 20 * cholesky_.entries();
  const std::size_t some = std::min(100 + problem_->r() / 4, most_plain_work / round);
  most = std::min(most, solution.rounds + std::max(some, plain_work / round));
  while (true) {
    // A set without wrong multipliers, and what it breaks.
    if (exhausted()) return Status::gave_up;
    if (!settle_signs(most, solution.rounds)) return Status::gave_up;
    price();
    record(*this, trials);
    const std::uint32_t p = worst();
    if (p == none) return Status::solved;

    // A held row that does not hold is too near to dependence: it leaves and may come back alone.
    if (state_[p] == in) {
      negative_.assign(1, p);
      continue;
    }
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
      double stiffness_terms = diagonal;
      double largest_share = 0;
      for (const std::uint32_t i : gram_.neighbours(p)) {
        const double term = state_[i] == in ? column_[i] * share_[i] : 0.0;
        stiffness -= term;
        stiffness_terms += std::abs(term);
        column_[i] = 0;
      }
      for (const std::uint32_t component : touched_) {
        for (const std::uint32_t i : cholesky_.rows_of(component))
          largest_share = std::max(largest_share, std::abs(share_[i]));
      }

      // How far until p is met, and how far until the first row of the set lets go.
      const double least_stiffness = std::max(least_stiffness_part * diagonal, cancelled_part * stiffness_terms);
      const double until_met = stiffness > least_stiffness ? gap / stiffness : infinity;
      double until_loose = infinity;
      std::uint32_t loose = none;
      for (const std::uint32_t component : touched_) {
        for (const std::uint32_t i : cholesky_.rows_of(component)) {
          if (problem_->kind[i] == RowKind::equation || share_[i] <= no_fall * largest_share) continue;
          const double until = std::max(0.0, lambda_[i]) / share_[i];
          if (until < until_loose || (until == until_loose && i < loose)) {
            until_loose = until;
            loose = i;
          }
        }
      }

      // A dependent row may be off by the rounding of all the rows it is made of.
      if (until_met == infinity && raised == 0) {
        double allowed = rounding_of(p);
        for (const std::uint32_t component : touched_) {
          for (const std::uint32_t i : cholesky_.rows_of(component)) {
            if (share_[i] != 0) allowed += std::abs(share_[i]) * rounding_of(i);
          }
        }
        if (gap <= allowed) {
          forgiven_[p] = allowed;
          break;
        }
      }

      // Neither, or hardly: the rows contradict each other, if the proof stands.
      if (until_loose == infinity && (until_met == infinity || stiffness < doubtful_pivot * stiffness_terms)) {
        if (prove_infeasible(p, sign, most, solution)) return Status::infeasible;
        solution.farkas.clear();
        if (until_met == infinity) return Status::gave_up;
      }

      // Go there, and change the set by the one row.
      const double step = std::min(until_met, until_loose);
      raised += step;
      gap -= step * (until_met == infinity ? 0.0 : stiffness);
      for (const std::uint32_t component : touched_) {
        for (const std::uint32_t i : cholesky_.rows_of(component)) lambda_[i] -= step * share_[i];
      }
      const bool met = until_met <= until_loose;
      if (met) {
        members_.insert(std::lower_bound(members_.begin(), members_.end(), p), p);
        lambda_[p] = sign * raised;
      } else {
        members_.erase(std::lower_bound(members_.begin(), members_.end(), loose));
        lambda_[loose] = 0;
      }
      if (solution.rounds >= most || exhausted()) return Status::gave_up;
      changed_ = true;
      hold();
      ++solution.rounds;
      if (met) break;
    }
    multipliers();
  }
}

/// correction = Phi_AA^-1 residual to a few digits, by conjugate gradients with the factor for a preconditioner: where the factor
/// has no digits left, only few directions are wrong, and those are found one after the other.
void SparseFace::conjugate_gradients() {
  const std::span<const std::uint32_t> order = cholesky_.order();
  const auto precondition = [&] {
    cholesky_.solve(residual_, share_);
    if (cholesky_.skipped_count() == 0) return;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (cholesky_.skipped(k)) share_[order[k]] = residual_[order[k]] / gram_.diagonal(order[k]);
    }
  };
  precondition();
  double product = 0;
  for (const std::uint32_t i : order) {
    correction_[i] = 0;
    direction_[i] = share_[i];
    product += share_[i] * residual_[i];
  }
  const double enough = careful_digits * careful_digits * product;
  for (std::size_t step = 0; step < most_careful_steps && product > enough && !exhausted(); ++step) {
    // Phi direction, through the variables.
    std::fill(motion_.begin(), motion_.end(), 0.0);
    for (const std::uint32_t i : order) gram_.add_row(i, direction_[i], motion_);
    double square = 0;
    for (const std::uint32_t i : order) {
      image_[i] = gram_.times_row(i, motion_);
      square += image_[i] * direction_[i];
    }
    if (!(square > 0)) return;
    const double length = product / square;
    for (const std::uint32_t i : order) {
      correction_[i] += length * direction_[i];
      residual_[i] -= length * image_[i];
    }

    // The next direction, conjugate to this one.
    precondition();
    double next = 0;
    for (const std::uint32_t i : order) next += share_[i] * residual_[i];
    const double turn = next / product;
    product = next;
    for (const std::uint32_t i : order) direction_[i] = share_[i] + turn * direction_[i];
  }
}

/// Multipliers and motion of the set with twice the digits: J^T lambda is summed exactly, and what is left of w is distributed
/// again and again.
void SparseFace::answer_carefully() {
  const std::span<const std::uint32_t> order = cholesky_.order();
  const linear::Mass& mass = *problem_->mass;
  double before = infinity;
  int stuck = 0;
  for (std::size_t i = 0; i < problem_->r(); ++i) {
    if (cholesky_.component_of(static_cast<std::uint32_t>(i)) == linear::SparseCholesky::nowhere) long_lambda_[i] = 0;
  }
  for (std::size_t pass = 0; pass < most_careful_passes; ++pass) {
    // J^T lambda and a = a0 - W J^T lambda.
    std::fill(long_force_.begin(), long_force_.end(), linear::Twofold());
    for (const std::uint32_t i : order) {
      for (std::uint32_t p = problem_->start[i]; p < problem_->start[i + 1]; ++p) {
        long_force_[problem_->column[p]] += long_lambda_[i] * problem_->entry[p];
      }
    }
    for (std::size_t j = 0; j < motion_.size(); ++j) motion_[j] = static_cast<double>(long_force_[j]);
    if (!mass.is_diagonal()) mass.solve(motion_, motion_);
    for (std::uint32_t j = 0; j < motion_.size(); ++j) {
      const linear::Twofold part =
          mass.block_of(j) < 0 ? long_force_[j] / mass.diagonal()[j] : linear::Twofold(motion_[j]);
      long_a_[j] = linear::Twofold(problem_->a0[j]) - part;
    }

    // What is left in the rows of the set.
    double worst = 0;
    for (const std::uint32_t i : order) {
      linear::Twofold w = problem_->h[i];
      double terms = std::abs(problem_->h[i]);
      for (std::uint32_t p = problem_->start[i]; p < problem_->start[i + 1]; ++p) {
        w += long_a_[problem_->column[p]] * problem_->entry[p];
        terms += std::abs(problem_->entry[p] * long_a_[problem_->column[p]].high);
      }
      residual_[i] = static_cast<double>(w);
      if (terms > 0) worst = std::max(worst, std::abs(residual_[i]) / terms);
    }
    stuck = worst < 0.5 * before ? 0 : stuck + 1;
    before = std::min(before, worst);
    if (worst <= careful_residual || stuck >= most_stuck || pass + 1 == most_careful_passes || exhausted()) break;
    conjugate_gradients();
    for (const std::uint32_t i : order) long_lambda_[i] += correction_[i];
  }
}

bool SparseFace::settle_carefully(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  const std::size_t r = problem_->r();
  const std::size_t n = problem_->n();
  for (auto* vector : {&residual_, &correction_, &direction_, &image_, &lambda_low_}) vector->assign(r, 0.0);
  motion_.assign(n, 0.0);
  long_lambda_.assign(r, linear::Twofold());
  long_force_.resize(n);
  long_a_.resize(n);
  members_.clear();
  for (std::uint32_t i = 0; i < r; ++i) {
    if (state_[i] == in || problem_->kind[i] == RowKind::equation) {
      members_.push_back(i);
      long_lambda_[i] = lambda_[i];
    }
  }
  changed_ = true;
  Patience patience;
  while (true) {
    // The answer of the set.
    hold();
    answer_carefully();
    for (std::size_t j = 0; j < n; ++j) a_[j] = static_cast<double>(long_a_[j]);
    double largest = 0;
    for (const std::uint32_t i : cholesky_.order()) {
      largest = std::max(largest, std::abs(long_lambda_[i].high) * std::sqrt(gram_.diagonal(i)));
    }

    // Wrong signs.
    negative_.clear();
    violated_.clear();
    for (std::uint32_t i = 0; i < r; ++i) {
      linear::Twofold w = problem_->h[i];
      double terms = std::abs(problem_->h[i]);
      for (std::uint32_t p = problem_->start[i]; p < problem_->start[i + 1]; ++p) {
        w += long_a_[problem_->column[p]] * problem_->entry[p];
        terms += std::abs(problem_->entry[p] * long_a_[problem_->column[p]].high);
      }
      w_[i] = static_cast<double>(w);
      lambda_[i] = long_lambda_[i].high;
      lambda_low_[i] = long_lambda_[i].low;
      const bool inequality = problem_->kind[i] == RowKind::inequality;
      if (cholesky_.component_of(i) != linear::SparseCholesky::nowhere) {
        state_[i] = in;
        if (inequality && lambda_[i] * std::sqrt(gram_.diagonal(i)) < -careful_sign * largest) negative_.push_back(i);
      } else if ((w_[i] > 0 || !inequality) && std::abs(w_[i]) > row_rounding * terms) {
        violated_.push_back(i);
      }
    }
    ++solution.rounds;
    record(*this, trials);
    const std::size_t wrong_signs = negative_.size() + violated_.size();
    if (wrong_signs == 0) return true;
    const bool only_leaves = violated_.empty();
    if (solution.rounds >= most || exhausted() || (!only_leaves && !patience.lasts(wrong_signs))) return false;

    // The next set.
    std::size_t leaves = 0;
    std::size_t enters = 0;
    members_.clear();
    for (std::uint32_t i = 0; i < r; ++i) {
      const bool goes = leaves < negative_.size() && negative_[leaves] == i;
      const bool comes = enters < violated_.size() && violated_[enters] == i;
      leaves += goes ? 1 : 0;
      enters += comes ? 1 : 0;
      if ((state_[i] == in && !goes) || comes) {
        members_.push_back(i);
      } else {
        long_lambda_[i] = 0;
        lambda_[i] = 0;
      }
    }
    changed_ = true;
  }
}

Status SparseFace::improve(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  careful_ = settle_carefully(most, solution, trials);
  return careful_ ? Status::solved : Status::gave_up;
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
