/// The sparse backend; see the header for the equations and story.hpp for the order in which these are called.
#include "zwang/gauss/sparse_face.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

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

/// No rounding excuses more than this part of a row's terms in the motion and in the free motion.
constexpr double natural_rounding = 1e-9;
constexpr double suspicious = 1e-10;

/// Below this least pivot, relative to its diagonal, rounding is magnified enough to be corrected.
constexpr double weak_pivot = 1e-5;

/// How much of its diagonal a soft rescue adds to the dual matrix: first, last, and from one pass to the next.
constexpr double soft_begin = 1.0;
constexpr double soft_end = 1e-8;
constexpr double soft_fall = 0.2;

/// In a rescue, a row this near to the span of the set depends on it, above what the factor skips; so does one whose
/// distance from the span has cancelled to rounding, and one may doubt it where most of it has cancelled.
constexpr double dependent = 1e-11;
constexpr double doubtful = 1e-6;
constexpr double cancelled = 256 * std::numeric_limits<double>::epsilon();

/// Is every number finite? One whose exponent is all ones carries into the sign bit.
bool all_finite(std::span<const double> numbers) {
  std::uint64_t seen = 0;
  for (const double x : numbers) {
    seen |= (std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000U) + 0x0010000000000000U;
  }
  return (seen >> 63U) == 0;
}

/// The worst violation of a row, as a part of its terms with the largest accelerations.
double broken_part(const Problem& problem, std::span<const double> a) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max({largest, std::abs(a[k]), std::abs(problem.a0[k])});
  double worst = 0;
  for (std::size_t i = 0; i < problem.r(); ++i) {
    double value = problem.h[i];
    double terms = std::abs(value);
    for (std::uint32_t p = problem.start[i]; p < problem.start[i + 1]; ++p) {
      value += problem.entry[p] * a[problem.column[p]];
      terms += std::abs(problem.entry[p]) * largest;
    }
    const double size = problem.kind[i] == RowKind::equation ? std::abs(value) : value;
    if (size > 0) worst = std::max(worst, size / terms);
  }
  return worst;
}

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
  column_.resize(r, 0.0);
  share_.resize(r);
  forgiven_.assign(r, 0.0);
  held_dependent_ = 0;
  negative_.clear();
  violated_.clear();

  // Values of the rows in the free motion; one that is not finite betrays any number that is not.
  largest_free_ = -1;
  for (std::uint32_t i = 0; i < r; ++i) free_[i] = gram_.times_row(i, problem.a0) + problem.h[i];
  return all_finite(problem.a0) && all_finite(free_);
}

bool SparseFace::recall() {
  if (!remembers_ || place_.size() != problem_->r()) return false;

  // With another pattern, or after a rescue, only the rows are known.
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
  return row_rounding * row_terms + motion_rounding * motion_terms;
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
    if (size <= row_rounding * row_terms) continue;
    if (place_[i] == in) {
      const double rounding = row_rounding * row_terms + held_rounding * gram_.diagonal(i);
      if (size > rounding) excess = std::max(excess, size / rounding);
      if (size > suspicious * row_terms && size > natural_rounding * natural_terms(i)) violated_.push_back(i);
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
    const bool stays = (place_[i] == in && !goes) ||
                       (place_[i] == skipped &&
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
      if (piece_row_.size() - begin > small_piece_) {
        for (std::size_t k = begin; k < piece_row_.size(); ++k) piece_kind_[piece_row_[k]] = 2;
        piece_row_.resize(begin);
        continue;
      }
      std::sort(piece_row_.begin() + static_cast<std::ptrdiff_t>(begin), piece_row_.end());
      piece_start_.push_back(static_cast<std::uint32_t>(piece_row_.size()));
    }
  }
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

bool SparseFace::prove_infeasible(std::uint32_t p, double sign, Solution& solution) {
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

  // The certificate.
  solution.farkas.assign(problem_->r(), 0.0);
  solution.farkas[p] = sign;
  for (const std::uint32_t component : touched_) {
    for (const std::uint32_t i : cholesky_.rows_of(component)) {
      solution.farkas[i] = problem_->kind[i] == RowKind::equation ? -share_[i] : std::max(0.0, -share_[i]);
    }
  }
  return verify_farkas(*problem_, solution.farkas);
}

Status SparseFace::rescue(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  // Large pieces with the sparse factor, then small ones one after the other.
  find_pieces();
  if (std::find(piece_kind_.begin(), piece_kind_.end(), 2) != piece_kind_.end()) {
    const Status status = rescue_large(most, solution, trials);
    if (status != Status::solved) return status;
  }
  for (std::size_t piece = 0; piece + 1 < piece_start_.size(); ++piece) {
    const std::span<const std::uint32_t> rows(piece_row_.data() + piece_start_[piece],
                                              piece_start_[piece + 1] - piece_start_[piece]);
    const Status status = rescue_small(rows, most, solution, trials);
    if (status != Status::solved) return status;
  }
  return Status::solved;
}

Status SparseFace::rescue_small(std::span<const std::uint32_t> piece, std::size_t most, Solution& solution,
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
  if (!part.factor()) return Status::gave_up;

  // Its rows and where they stand.
  std::vector<std::uint32_t> start(1, 0);
  std::vector<std::uint32_t> column;
  std::vector<std::uint32_t> rows_held;
  std::vector<double> entry;
  std::vector<double> h;
  std::vector<double> a0;
  std::vector<RowKind> kind;
  a0.reserve(variables.size());
  for (const std::uint32_t variable : variables) a0.push_back(problem_->a0[variable]);
  for (const std::uint32_t i : piece) {
    if (place_[i] == in) rows_held.push_back(static_cast<std::uint32_t>(h.size()));
    for (std::uint32_t p = problem_->start[i]; p < problem_->start[i + 1]; ++p) {
      column.push_back(number(problem_->column[p]));
      entry.push_back(problem_->entry[p]);
    }
    start.push_back(static_cast<std::uint32_t>(column.size()));
    h.push_back(problem_->h[i]);
    kind.push_back(problem_->kind[i]);
  }
  const Problem problem{&part, a0, start, column, entry, h, kind};

  // Solve it.
  Solution found;
  found.rounds = solution.rounds;
  std::vector<Trial> rounds;
  std::vector<double> scratch;
  const auto trusted = [&](Status status) {
    // Multipliers may grow so large that rounding hides broken rows: such an answer is none.
    if (status != Status::solved) return true;
    const Certificate certificate = verify(problem, one_by_one_.a(), one_by_one_.lambda(), scratch);
    return certificate.stationarity < 1e-6 && broken_part(problem, one_by_one_.a()) < 1e-6;
  };
  Status status = one_by_one_.run(problem, rows_held, most, found, trials != nullptr ? &rounds : nullptr);
  if (!trusted(status)) status = one_by_one_.run(problem, {}, most, found, trials != nullptr ? &rounds : nullptr);
  if (!trusted(status)) status = Status::gave_up;
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
  if (status != Status::solved) return status;

  // Put the piece back into the whole; the factor no longer fits the set.
  for (std::size_t k = 0; k < variables.size(); ++k) a_[variables[k]] = one_by_one_.a()[k];
  for (std::size_t i = 0; i < piece.size(); ++i) {
    lambda_[piece[i]] = one_by_one_.lambda()[i];
    w_[piece[i]] = one_by_one_.w()[i];
    place_[piece[i]] = out;
  }
  for (const std::uint32_t i : one_by_one_.held()) place_[piece[i]] = in;
  changed_ = true;
  return Status::solved;
}

bool SparseFace::settle_softly(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  // Dependent rows all take part: with D = diag Phi and the multipliers m of the time before, block pivoting on
  //   lambda >= 0,   (Phi + s D) lambda - (J a0 + h + s D m) >= 0
  // has one answer, which block pivoting finds without fail when s is large; m = lambda again and again, with s falling
  // as long as that goes well, leads to an answer of the true problem.
  const std::size_t r = problem_->r();
  const auto takes_part = [&](std::uint32_t i) { return piece_kind_[i] != 1; };
  std::vector<double> before(r, 0.0);
  std::vector<double> right(r);
  std::vector<double> pull(r);
  double softness = soft_begin;
  double fall = soft_fall;
  members_.clear();
  for (std::uint32_t i = 0; i < r; ++i) {
    if (place_[i] == in && takes_part(i)) members_.push_back(i);
  }
  changed_ = true;
  std::vector<std::uint32_t> good = members_;
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
        if (place_[i] == in) {
          if (inequality && lambda_[i] < -multiplier_rounding * largest_) negative_.push_back(i);
          settled = settled &&
                    (std::abs(w_[i]) <= row_rounding * std::abs(problem_->h[i]) || std::abs(w_[i]) <= rounding_of(i));
        } else if (w_[i] + pull[i] * before[i] > 0 || !inequality) {
          if (std::abs(w_[i] + pull[i] * before[i]) > rounding_of(i)) violated_.push_back(i);
        }
      }
      const std::size_t wrong_signs = negative_.size() + violated_.size();
      if (wrong_signs == 0) break;
      settled = false;
      if (solution.rounds >= most || !patience.lasts(wrong_signs)) break;

      // The next set.
      std::size_t leaves = 0;
      std::size_t enters = 0;
      members_.clear();
      for (std::uint32_t i = 0; i < r; ++i) {
        const bool goes = leaves < negative_.size() && negative_[leaves] == i;
        const bool comes = enters < violated_.size() && violated_[enters] == i;
        leaves += goes ? 1 : 0;
        enters += comes ? 1 : 0;
        if ((place_[i] == in && !goes && takes_part(i)) || comes) members_.push_back(i);
      }
      changed_ = true;
      ++solution.rounds;
    }
    const bool well = negative_.empty() && violated_.empty();
    if (well) {
      before = lambda_;
      good = members_;
    } else {
      members_ = good;
      changed_ = true;
    }
    softness = well ? std::max(soft_end, fall * softness) : softness / fall;
    fall = well ? std::max(soft_fall, 0.8 * fall) : std::min(0.7, 1.5 * fall);
    if (softness > soft_begin || solution.rounds >= most) break;
  }

  // The rank of the set, by the factor that is not soft.
  cholesky_.soften(0);
  changed_ = true;
  if (!settled) {
    members_.clear();
    for (std::uint32_t i = 0; i < r; ++i) {
      if (place_[i] == in) members_.push_back(i);
    }
    hold();
    lambda_.assign(r, 0.0);
    cholesky_.solve(free_, lambda_);
    solved_once_ = false;
    multipliers();
    return false;
  }
  record(*this, trials);
  hold();
  held_dependent_ = cholesky_.skipped_count();
  for (const std::uint32_t i : members_) place_[i] = in;
  changed_ = true;
  return true;
}

Status SparseFace::rescue_large(std::size_t most, Solution& solution, std::vector<Trial>* trials) {
  if (settle_softly(most, solution, trials)) return Status::solved;
  while (true) {
    // A set without wrong multipliers, and what it breaks.
    if (!settle_signs(most, solution.rounds)) return Status::gave_up;
    price();
    record(*this, trials);
    const std::uint32_t p = worst();
    if (p == none) return Status::solved;

    // A held row that does not hold is too near to dependence: it leaves and may come back alone.
    if (place_[p] == in) {
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
        const double term = place_[i] == in ? column_[i] * share_[i] : 0.0;
        stiffness -= term;
        stiffness_terms += std::abs(term);
        column_[i] = 0;
      }
      for (const std::uint32_t component : touched_) {
        for (const std::uint32_t i : cholesky_.rows_of(component))
          largest_share = std::max(largest_share, std::abs(share_[i]));
      }

      // How far until p is met, and how far until the first row of the set lets go.
      const double least_stiffness = std::max(dependent * diagonal, cancelled * stiffness_terms);
      const double until_met = stiffness > least_stiffness ? gap / stiffness : infinity;
      double until_loose = infinity;
      std::uint32_t loose = none;
      for (const std::uint32_t component : touched_) {
        for (const std::uint32_t i : cholesky_.rows_of(component)) {
          if (problem_->kind[i] == RowKind::equation || share_[i] <= dependent * largest_share) continue;
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
      if (until_loose == infinity && (until_met == infinity || stiffness < doubtful * stiffness_terms)) {
        if (prove_infeasible(p, sign, solution)) return Status::infeasible;
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
  std::size_t rank = 0;
  solution.active.resize(problem_->r());
  for (std::uint32_t i = 0; i < problem_->r(); ++i) {
    const bool active = place_[i] == in;
    rank += active ? 1 : 0;
    solution.active[i] = active ? 1 : 0;
    if (!active || (lambda_[i] < 0 && problem_->kind[i] == RowKind::inequality)) lambda_[i] = 0;
  }
  const bool finite = all_finite(a_) && all_finite(lambda_) && all_finite(w_);

  // Hand the arrays over and take the old ones for the next time.
  solution.a.swap(a_);
  solution.lambda.swap(lambda_);
  solution.w.swap(w_);
  solution.rank = rank - held_dependent_;
  remembers_ = true;
  return finite;
}

}  // namespace zwang::gauss
