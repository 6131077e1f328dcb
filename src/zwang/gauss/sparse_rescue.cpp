/// The sparse backend's rescue: pieces with a wrong sign, one row at a time; see sparse_face.hpp and story.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/gauss.hpp"
#include "zwang/gauss/sparse_face.hpp"
#include "zwang/gauss/story.hpp"
#include "zwang/gauss/tolerances.hpp"

namespace zwang::gauss {

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
    const std::optional<linear::Mass::Turn>& turn = mass.blocks()[static_cast<std::size_t>(sources[b])].turn;
    if (turn) part.set_turn(b, *turn);
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

}  // namespace zwang::gauss
