/// The sparse backend with twice the digits: sums that are exact, and conjugate gradients with the factor.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/gauss.hpp"
#include "zwang/gauss/sparse_face.hpp"
#include "zwang/gauss/story.hpp"
#include "zwang/gauss/tolerances.hpp"

namespace zwang::gauss {

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

}  // namespace zwang::gauss
