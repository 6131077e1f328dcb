/// Rows held, signs looked at, rows exchanged.
#include "zwang/stepping/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "zwang/base/vectors.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

using gauss::RowKind;

void Selection::clear() {
  row.clear();
  start.assign(1, 0);
  column.clear();
  entry.clear();
  h.clear();
  kind.clear();
  held.clear();
  guess.clear();
}

void Selection::add(const model::Model& model, const model::Rows& rows, std::uint32_t number, bool equation,
                    double offset, bool first_held, double impulse) {
  row.push_back(number);
  const std::uint32_t begin = model.row_start[number];
  const std::uint32_t end = model.row_start[number + 1];
  column.insert(column.end(), model.row_column.begin() + begin, model.row_column.begin() + end);
  entry.insert(entry.end(), rows.entry.begin() + begin, rows.entry.begin() + end);
  start.push_back(static_cast<std::uint32_t>(column.size()));
  h.push_back(offset);
  kind.push_back(equation ? RowKind::equation : RowKind::inequality);
  held.push_back(equation || first_held ? 1 : 0);
  guess.push_back(impulse);
}

gauss::Problem Nearest::problem(const Selection& selection, const linear::Mass& mass,
                                std::span<const double> x0) const {
  return {&mass, x0, selection.start, selection.column, selection.entry, selection.h, selection.kind};
}

/// The pattern is read anew only where it is another one.
void Nearest::load(const Selection& selection, const linear::Mass& mass) {
  const linear::SparseRows rows{selection.start, selection.column, selection.entry};
  if (soft_) cholesky_.soften(0);
  soft_ = false;
  if (gram_.shape(rows, mass)) {
    cholesky_.reset(gram_.nodes());
    chosen_.clear();
  } else {
    cholesky_.expire();
  }
  gram_.load(rows, mass);
}

void Nearest::hold(const Selection& selection) {
  set_.clear();
  for (std::uint32_t j = 0; j < selection.size(); ++j) {
    if (selection.held[j] != 0) set_.push_back(j);
  }
  // Where most of many rows are held, the pattern is that of all of them: rows that come and go need no other.
  const bool most = selection.size() >= many_rows &&
                    static_cast<double>(set_.size()) >= most_rows * static_cast<double>(selection.size());
  if (most) {
    if (chosen_.size() != selection.size()) {
      cholesky_.restrict_to(gram_, {});
      chosen_.resize(selection.size());
      std::iota(chosen_.begin(), chosen_.end(), 0U);
      cholesky_.choose(gram_, chosen_);
    }
    cholesky_.restrict_to(gram_, selection.held);
  } else {
    cholesky_.restrict_to(gram_, {});
    if (set_ != chosen_ || set_.empty()) {
      cholesky_.choose(gram_, set_);
      chosen_ = set_;
    }
  }
  cholesky_.factor(gram_);
  sound_ = cholesky_.skipped_count() == 0 && cholesky_.least_pivot() > weak_pivot;
  skipped_.assign(selection.size(), 0);
  if (cholesky_.skipped_count() == 0) return;
  for (std::size_t place = 0; place < cholesky_.order().size(); ++place) {
    if (cholesky_.skipped(place)) skipped_[cholesky_.order()[place]] = 1;
  }
}

/// Are more rows held than there are variables in them? Then some depend on others.
bool Nearest::are_too_many(const Selection& selection) {
  std::size_t rows = 0;
  std::size_t variables = 0;
  std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
  for (std::uint32_t j = 0; j < selection.size(); ++j) {
    if (selection.held[j] == 0) continue;
    ++rows;
    for (std::uint32_t e = selection.start[j]; e < selection.start[j + 1]; ++e) {
      const std::uint32_t i = selection.column[e];
      if (i >= touched_.size()) touched_.resize(std::size_t{i} + 1, 0);
      variables += touched_[i] == 0 ? 1 : 0;
      touched_[i] = 1;
    }
  }
  return rows > variables;
}

/// Impulses of the rows held, the point, and what it makes of every row; a second time for what rounding left of the first, where it left much.
void Nearest::find(const Selection& selection, const linear::Mass& mass, std::span<const double> x0) {
  const std::size_t r = selection.size();
  lambda_.assign(r, 0.0);
  right_.assign(r, 0.0);
  w_.resize(r);
  x_.assign(x0.begin(), x0.end());
  for (std::uint32_t j = 0; j < r; ++j) w_[j] = gram_.times_row(j, x_) + selection.h[j];
  double first = 0;
  for (unsigned round = 0; round < 2; ++round) {
    double left = 0;
    for (const std::uint32_t j : set_) left = std::max(left, std::abs(w_[j]));
    if (round == 0) first = left;
    if (left <= round * few_roundings * first) break;
    for (const std::uint32_t j : set_) right_[j] = w_[j];
    cholesky_.solve(right_, right_);
    for (const std::uint32_t j : set_) {
      lambda_[j] += right_[j];
      if (right_[j] != 0) gram_.add_row(j, -right_[j], x_);
    }
    for (std::uint32_t j = 0; j < r; ++j) w_[j] = gram_.times_row(j, x_) + selection.h[j];
  }
  measure(selection, mass, x0);
}

/// The sizes of what was added up, with what cancels: a sign below their rounding is none.
void Nearest::measure(const Selection& selection, const linear::Mass& mass, std::span<const double> x0) {
  size_.resize(x0.size());
  for (std::size_t i = 0; i < x0.size(); ++i) size_[i] = std::abs(x0[i]) + std::abs(x_[i]);
  for (const std::uint32_t j : set_) {
    for (std::uint32_t e = selection.start[j]; e < selection.start[j + 1]; ++e) {
      const std::uint32_t i = selection.column[e];
      if (mass.block_of(i) < 0) size_[i] += std::abs(lambda_[j] * selection.entry[e]) / mass.diagonal()[i];
    }
  }
}

/// The size of what a row is made of at the point found.
double Nearest::terms_of(const Selection& selection, std::uint32_t j) const {
  double terms = std::abs(selection.h[j]);
  for (std::uint32_t e = selection.start[j]; e < selection.start[j + 1]; ++e)
    terms += std::abs(selection.entry[e]) * size_[selection.column[e]];
  return terms;
}

/// Rows held with a negative impulse, rows broken that are not held; and equations that the factor left out.
std::size_t Nearest::find_wrong(const Selection& selection) {
  negative_.clear();
  broken_.clear();
  sharp_ = sound_;
  double most = 0;
  for (const std::uint32_t j : set_) most = std::max(most, std::abs(lambda_[j]));
  for (std::uint32_t j = 0; j < selection.size(); ++j) {
    const bool equation = selection.kind[j] == RowKind::equation;
    if (selection.held[j] != 0 && !equation && lambda_[j] < -sign_roundings * most) negative_.push_back(j);
    // A row held is kept to rounding, unless the factor left it out.
    const bool kept = selection.held[j] != 0 && skipped_[j] == 0;
    const double by = equation || kept ? std::abs(w_[j]) : w_[j];
    if (by <= 0) continue;
    if (by <= sign_roundings * terms_of(selection, j)) continue;
    if (kept) {
      sharp_ = false;
    } else {
      broken_.push_back(j);
    }
  }
  return negative_.size() + broken_.size();
}

/// False if rows that are held already are still broken: they depend on others, and that is not decided here.
bool Nearest::exchange(Selection& selection) {
  for (const std::uint32_t j : broken_) {
    if (selection.held[j] != 0) return false;
    selection.held[j] = 1;
  }
  for (const std::uint32_t j : negative_) selection.held[j] = 0;
  return true;
}

/// One pass: impulses of the rows held from those of the pass before, the point, what it makes of every row, and wrong signs.
void Nearest::find_softly(const Selection& selection, const linear::Mass& mass, std::span<const double> x0) {
  const std::size_t r = selection.size();
  x_.assign(x0.begin(), x0.end());
  lambda_.assign(r, 0.0);
  right_.assign(r, 0.0);
  // What the impulses of the pass before leave of the rows held is what those of this one add: differences keep their digits.
  for (const std::uint32_t j : set_) lambda_[j] = before_[j];
  for (const std::uint32_t j : set_) {
    if (lambda_[j] != 0) gram_.add_row(j, -lambda_[j], x_);
  }
  for (const std::uint32_t j : set_) right_[j] = gram_.times_row(j, x_) + selection.h[j];
  cholesky_.solve(right_, right_);
  double most = 0;
  for (const std::uint32_t j : set_) {
    lambda_[j] += right_[j];
    most = std::max(most, std::abs(lambda_[j]));
    if (right_[j] != 0) gram_.add_row(j, -right_[j], x_);
  }
  measure(selection, mass, x0);
  negative_.clear();
  broken_.clear();
  for (std::uint32_t j = 0; j < r; ++j) {
    w_[j] = gram_.times_row(j, x_) + selection.h[j];
    const bool equation = selection.kind[j] == RowKind::equation;
    if (selection.held[j] != 0) {
      if (!equation && lambda_[j] < -sign_roundings * most) negative_.push_back(j);
      continue;
    }
    const double by = w_[j] + pull_[j] * before_[j];
    if (by > 0 && by > sign_roundings * terms_of(selection, j)) broken_.push_back(j);
  }
}

/// Many rows, of which some depend on others. False if their signs do not settle, or nothing satisfies them.
bool Nearest::solve_softly(Selection& selection, const linear::Mass& mass, std::span<const double> x0) {
  const std::size_t r = selection.size();
  const std::vector<std::uint8_t> first = selection.held;
  cholesky_.soften(softness);
  soft_ = true;
  before_ = selection.guess;
  pull_.resize(r);
  w_.resize(r);
  for (std::uint32_t j = 0; j < r; ++j) pull_[j] = softness * gram_.diagonal(j);
  hold(selection);
  unsigned exchanges = 0;
  for (unsigned pass = 0; pass < soft_passes; ++pass) {
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    int patience = exchange_patience;
    while (true) {
      find_softly(selection, mass, x0);
      const std::size_t wrong = negative_.size() + broken_.size();
      if (wrong == 0) break;
      patience = wrong < fewest ? exchange_patience : patience - 1;
      fewest = std::min(fewest, wrong);
      if (patience == 0 || ++exchanges > exchange_rounds) {
        selection.held = first;
        return false;
      }
      for (const std::uint32_t j : broken_) selection.held[j] = 1;
      for (const std::uint32_t j : negative_) selection.held[j] = 0;
      hold(selection);
    }
    bool kept = true;
    for (const std::uint32_t j : set_) kept = kept && std::abs(w_[j]) <= sign_roundings * terms_of(selection, j);
    if (kept) {
      for (std::size_t j = 0; j < r; ++j) {
        if (selection.kind[j] == RowKind::inequality) lambda_[j] = std::max(lambda_[j], 0.0);
      }
      if (gauss::certified(gauss::verify(problem(selection, mass, x0), x_, lambda_, scratch_))) {
        sound_ = true;
        return true;
      }
    }
    before_ = lambda_;
  }
  selection.held = first;
  return false;
}

gauss::Status Nearest::solve(Selection& selection, const linear::Mass& mass, std::span<const double> x0) {
  const linear::SparseRows rows{selection.start, selection.column, selection.entry};
  is_split_ = split_.shape(rows, mass);
  if (!is_split_) return solve_whole(selection, mass, x0);

  // A hub is taken apart: rows and ties, copies that begin as what they are copies of.
  split_.load(rows, mass);
  const std::size_t r = selection.size(), all = r + split_.ties();
  const linear::SparseRows apart = split_.rows();
  wide_ = selection;
  wide_.row.resize(all, 0);
  wide_.start.assign(apart.start.begin(), apart.start.end());
  wide_.column.assign(apart.column.begin(), apart.column.end());
  wide_.entry.assign(apart.entry.begin(), apart.entry.end());
  wide_.h.resize(all, 0.0);
  wide_.kind.resize(all, RowKind::equation);
  wide_.held.resize(all, 1);
  wide_.guess.resize(all, 0.0);
  wide_point_.clear();
  for (const std::uint32_t variable : split_.original()) wide_point_.push_back(x0[variable]);
  const gauss::Status status = solve_whole(wide_, split_.mass(), wide_point_);

  // Variables come before their copies, rows before ties.
  std::copy_n(wide_.held.begin(), r, selection.held.begin());
  x_.resize(x0.size());
  lambda_.resize(r);
  if (!solution_.farkas.empty()) solution_.farkas.resize(r);
  return status;
}

gauss::Status Nearest::solve_whole(Selection& selection, const linear::Mass& mass, std::span<const double> x0) {
  solution_.farkas.clear();
  if (selection.size() == 0) {
    x_.assign(x0.begin(), x0.end());
    lambda_.clear();
    set_.clear();
    sound_ = true;
    return all_finite(x0) ? gauss::Status::solved : gauss::Status::gave_up;
  }

  // From the rows held before, while wrong signs become fewer.
  load(selection, mass);
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  int patience = exchange_patience;
  const std::size_t most = exchange_rounds + selection.size();
  rounds_ = 0;
  unsigned slow = 0;
  bool asked = false;
  std::size_t last = std::numeric_limits<std::size_t>::max();
  for (std::size_t round = 0; round < most; ++round) {
    // A load that goes on from layer to layer has as many rounds as layers; lines of rows see all of them at once.
    const bool lines = round == rounds_before_lines || slow == slow_rounds_before_lines;
    if (lines && !asked && selection.size() >= many_rows) {
      asked = true;
      const gauss::Status status = solve_by_lines(selection, mass, x0);
      if (status != gauss::Status::gave_up) return status;
    }
    ++rounds_;
    const bool many = round == 0 && selection.size() >= many_rows;
    const bool dependent = many && are_too_many(selection);
    if (!dependent) hold(selection);
    if (dependent || (many && cholesky_.skipped_count() > 0)) {
      if (solve_softly(selection, mass, x0)) return gauss::Status::solved;
      cholesky_.soften(0);
      soft_ = false;
      hold(selection);
    }
    find(selection, mass, x0);
    const std::size_t wrong = find_wrong(selection);
    if (wrong == 0) {
      for (std::size_t j = 0; j < selection.size(); ++j) {
        if (selection.kind[j] == RowKind::inequality) lambda_[j] = std::max(lambda_[j], 0.0);
      }
      if (gauss::certified(gauss::verify(problem(selection, mass, x0), x_, lambda_, scratch_)))
        return gauss::Status::solved;
      break;
    }
    // Row after row, or nearly all at once: either way they do not become right by themselves.
    slow = static_cast<double>(wrong) > slowly_fewer * static_cast<double>(last) ? slow + 1 : 0;
    if (2 * negative_.size() > set_.size()) slow = slow_rounds_before_lines;
    last = wrong;
    // All at once while that helps; else the last of them alone (Murty's rule, which ends always) until there are fewer than ever.
    if (wrong < fewest) {
      fewest = wrong;
      patience = exchange_patience;
    } else if (patience > 0 && !negative_.empty() && !broken_.empty()) {
      // Rounds in which rows only enter or only leave end by themselves: a load that reaches one layer of a pile after the other.
      --patience;
    }
    if (patience == 0) {
      // Rows that depend on each other may take turns for ever.
      if (cholesky_.skipped_count() > 0) break;
      const bool leaves = broken_.empty() || (!negative_.empty() && negative_.back() > broken_.back());
      if (leaves) {
        negative_.assign(1, negative_.back());
        broken_.clear();
      } else {
        broken_.assign(1, broken_.back());
        negative_.clear();
      }
    }
    if (!exchange(selection)) break;
  }

  // One row at a time, with a proof where nothing satisfies them.
  return solve_by_lines(selection, mass, x0);
}

/// From nothing, by the solver that guesses along lines, changes one row at a time where it must, and proves what contradicts.
gauss::Status Nearest::solve_by_lines(Selection& selection, const linear::Mass& mass, std::span<const double> x0) {
  gauss::solve(problem(selection, mass, x0), {}, workspace_, solution_);
  if (solution_.status != gauss::Status::solved) return solution_.status;
  x_ = solution_.a;
  lambda_ = solution_.lambda;
  std::copy(solution_.active.begin(), solution_.active.end(), selection.held.begin());
  hold(selection);
  return gauss::Status::solved;
}

void Nearest::correct(std::span<double> b, std::span<double> x) {
  if (!is_split_) {
    correct_whole(b, x);
    return;
  }
  wide_right_.assign(b.begin(), b.end());
  wide_right_.resize(wide_.size(), 0.0);
  wide_point_.assign(split_.original().size(), 0.0);
  correct_whole(wide_right_, wide_point_);
  std::copy_n(wide_right_.begin(), b.size(), b.begin());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += wide_point_[i];
}

void Nearest::correct_whole(std::span<double> b, std::span<double> x) {
  if (set_.empty()) return;
  cholesky_.solve(b, b);
  for (const std::uint32_t j : set_) {
    if (b[j] != 0) gram_.add_row(j, -b[j], x);
  }
}

}  // namespace zwang::stepping
