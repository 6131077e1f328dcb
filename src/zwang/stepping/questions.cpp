/// Several alternatives are touched at once and none is open: the one counts that changes the motion least, beside what the others have chosen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/stepping/course.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

using motion::Status;

/// Members of which no alternative is open, and more than one is touched; `value` per row.
void Course::find_questions(const std::vector<double>& value) {
  questions_.clear();
  if (!has_alternatives_) return;
  for (const model::Condition& condition : model_.conditions) {
    const std::uint32_t count = condition.alternatives;
    if (count < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      if (now.absent[first] != 0) continue;
      const std::uint32_t behind = first + condition.components;
      touched_.assign(count, 0);
      // 0: open, 1: touched, 2: broken.
      for (std::uint32_t row = first; row < behind; ++row) {
        std::uint8_t& one = touched_[model_.row_alternative[row]];
        const bool kept = value[row] <= band_[row];
        one = std::max(one, static_cast<std::uint8_t>(!kept ? 2 : value[row] >= -band_[row] ? 1 : 0));
      }
      if (std::count(touched_.begin(), touched_.end(), 0) > 0 || std::count(touched_.begin(), touched_.end(), 1) < 2)
        continue;
      Question question{first, behind, {}, count, count};
      for (std::uint32_t one = 0; one < count; ++one) {
        if (touched_[one] == 1) question.touched.push_back(one);
      }
      for (std::uint32_t row = first; row < behind; ++row) {
        if (now.held[row] != 0 || (settled_[first] == model_.row_alternative[row] + 1))
          question.before = model_.row_alternative[row];
      }
      questions_.push_back(std::move(question));
    }
  }
}

/// (a - b)^T M (a - b).
double Course::square_between(const std::vector<double>& a, const std::vector<double>& b) {
  change_.resize(a.size());
  right_.resize(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) change_[i] = a[i] - b[i];
  dynamics_.mass.multiply(change_, right_);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += change_[i] * right_[i];
  return sum;
}

/// The answers beside `decided_`, whose rows count in any case, nearest to x0. `offset` per row that is asked for; `rows` with the gradients. True if two that differ cost the same.
bool Course::answer(const model::Rows& rows, const std::vector<double>& x0, const std::vector<double>& offset,
                    double h) {
  const bool few = questions_.size() <= most_questions;
  const auto put = [&](std::uint32_t except, std::uint32_t alternative) {
    trial_rows_ = decided_;
    for (std::uint32_t k = 0; k < questions_.size(); ++k) {
      const Question& one = questions_[k];
      const std::uint32_t chosen = k == except ? alternative : one.chosen;
      for (std::uint32_t row = one.first; row < one.behind; ++row) {
        if (model_.row_alternative[row] == chosen && is_touched_[row] != 0)
          trial_rows_.add(model_, rows, row, false, offset[row], now.held[row] != 0);
      }
    }
    return trial_.solve(trial_rows_, dynamics_.mass, x0) == gauss::Status::solved;
  };
  // By how much the velocities found break an alternative, in the metric of the masses; 0 where by no more than rounding.
  const auto breach = [&](const Question& one, std::uint32_t alternative) {
    double most = 0;
    for (std::uint32_t row = one.first; row < one.behind; ++row) {
      if (model_.row_alternative[row] != alternative || is_touched_[row] == 0) continue;
      double rate = offset[row];
      double terms = std::abs(offset[row]);
      double square = 0;
      for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
        const std::uint32_t i = model_.row_column[e];
        rate += rows.entry[e] * trial_.point()[i];
        terms += std::abs(rows.entry[e]) * (std::abs(trial_.point()[i]) + std::abs(h * pull_[i]) + std::abs(x0[i]));
        square += rows.entry[e] * rows.entry[e] / dynamics_.mass.diagonal()[i];
      }
      if (rate > no_approach * terms && square > 0) most = std::max(most, rate / std::sqrt(square));
    }
    return most;
  };
  constexpr double impossible = std::numeric_limits<double>::infinity();
  bool equal = false;
  bool changed = true;
  for (unsigned round = 0; changed && round < rounds_of_questions; ++round) {
    changed = false;
    equal = false;
    for (std::uint32_t k = 0; k < questions_.size(); ++k) {
      Question& one = questions_[k];
      const auto count = static_cast<std::uint32_t>(rows.value.size());
      if (!put(k, count)) continue;
      // One that the motion keeps without it; of several the one that counted before.
      std::uint32_t best = count;
      double least = impossible;
      std::vector<double> cost;
      for (const std::uint32_t alternative : one.touched) {
        cost.push_back(breach(one, alternative));
        const bool nearer = cost.back() < least || (cost.back() == least && alternative == one.before);
        if (!nearer) continue;
        least = cost.back();
        best = alternative;
      }
      if (least > 0 && few) {
        least = impossible;
        std::vector<double> nearest;
        bool same = false;
        for (const std::uint32_t alternative : one.touched) {
          const bool possible = put(k, alternative);
          const double square = possible ? square_between(trial_.point(), x0) : impossible;
          if (best < count && !(square < impossible)) continue;
          const double apart = nearest.empty() ? impossible : equally_costly * std::max(square, least);
          const bool as_near = std::abs(square - least) <= apart && !nearest.empty();
          if (as_near) {
            same = same || square_between(trial_.point(), nearest) > equally_costly * square;
            if (alternative != one.before) continue;
          } else {
            if (square > least) continue;
            same = false;
          }
          least = square;
          best = alternative;
          nearest = trial_.point();
        }
        equal = equal || same;
        if (same) tied_ = one.first;
      }
      if (best == one.chosen) continue;
      one.chosen = best;
      changed = true;
    }
  }
  return equal;
}

/// As the smooth part begins: with the forces.
void Course::ask_forces(double h) {
  if (questions_.empty()) return;
  find_forces(mid_);
  if (!dynamics_.mass_positive) return;
  for (std::uint32_t i = 0; i < model_.variables; ++i) free_[i] = before_.velocity[i] + h * pull_[i];
  offset_.assign(model_.rows(), 0.0);
  is_touched_.assign(model_.rows(), 0);
  for (const Question& one : questions_) {
    for (std::uint32_t row = one.first; row < one.behind; ++row) {
      double first = rows_mid_.explicit_rate[row];
      for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e)
        first += rows_mid_.entry[e] * before_.velocity[model_.row_column[e]];
      offset_[row] = rows_mid_.explicit_rate[row] + first + 2 * gap_rate(row, now.value[row], h);
      is_touched_[row] = now.value[row] >= -band_[row] ? 1 : 0;
      now.touches[row] = 0;
    }
  }
  select_smooth(h);
  decided_ = smooth_rows_;
  static_cast<void>(answer(rows_mid_, free_, offset_, h));
  for (const Question& one : questions_) {
    for (std::uint32_t row = one.first; row < one.behind; ++row)
      now.touches[row] = model_.row_alternative[row] == one.chosen ? is_touched_[row] : 0;
  }
}

/// Before a shock; false where two blows that differ are equally near.
bool Course::ask_shock(double h) {
  find_questions(rows_.value);
  if (questions_.empty()) return true;
  offset_.assign(model_.rows(), 0.0);
  is_touched_.assign(model_.rows(), 0);
  for (const Question& one : questions_) {
    for (std::uint32_t row = one.first; row < one.behind; ++row) {
      offset_[row] = rows_.explicit_rate[row] + (entered_[row] != 0 ? 0.0 : gap_rate(row, rows_.value[row], h));
      is_touched_[row] = is_near(row) ? 1 : 0;
      beside_[row] = 1;
    }
  }
  select_shock(h);
  decided_ = shock_rows_;
  const bool equal = answer(rows_, alpha_, offset_, h);
  for (const Question& one : questions_) {
    for (std::uint32_t row = one.first; row < one.behind; ++row)
      beside_[row] = model_.row_alternative[row] == one.chosen ? 0 : 1;
  }
  if (!equal) return true;
  // Not where forces alone have made the blow.
  change_.assign(model_.variables, 0.0);
  std::vector<double> pulled(model_.variables);
  for (std::uint32_t i = 0; i < model_.variables; ++i) pulled[i] = resting_steps * h * pull_[i];
  const double rests = square_between(pulled, std::vector<double>(model_.variables, 0.0));
  select_shock(h);
  if (shock_.solve(shock_rows_, dynamics_.mass, alpha_) != gauss::Status::solved) return true;
  if (square_between(shock_.point(), alpha_) <= rests + equally_costly * now.largest_kinetic) return true;
  end(Status::gave_up,
      fmt::format("several alternatives of {} are struck at once, and the blows of each change the motion by as much: "
                  "it may go either way; move the start a little",
                  model::row_name(model_, tied_)),
      {tied_});
  return false;
}

}  // namespace zwang::stepping
