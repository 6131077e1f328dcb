/// The sparse backend where rows depend on one another: a soft problem that becomes hard, and proofs from what grows without end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/gauss.hpp"
#include "zwang/gauss/sparse_face.hpp"
#include "zwang/gauss/story.hpp"
#include "zwang/gauss/tolerances.hpp"

namespace zwang::gauss {

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

}  // namespace zwang::gauss
