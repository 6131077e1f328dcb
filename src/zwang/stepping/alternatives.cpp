/// Which of several alternatives counts.
#include <algorithm>
#include <limits>

#include "zwang/stepping/course.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

namespace {

/// Of alternatives with their values at both ends of a step the one that stayed kept longest, if values change evenly; of equal ones the one that is
/// broken least.
std::uint32_t kept_to_the_last(const std::vector<double>& earlier, const std::vector<double>& later) {
  std::uint32_t best = 0;
  double best_part = -1;
  for (std::uint32_t one = 0; one < later.size(); ++one) {
    const double part = later[one] <= 0 ? 1.0 : earlier[one] < 0 ? earlier[one] / (earlier[one] - later[one]) : 0.0;
    if (part > best_part || (part == best_part && later[one] < later[best])) {
      best = one;
      best_part = part;
    }
  }
  return best;
}

}  // namespace

/// Of every member with several alternatives one counts: the one that is kept best. None does where one is kept with something to spare.
void Course::look_at_alternatives(const model::Rows& rows, std::vector<std::uint8_t>& out) const {
  if (!has_alternatives_) return;
  for (const model::Condition& condition : model_.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      std::vector<double> worst(condition.alternatives, -std::numeric_limits<double>::infinity());
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        double& one = worst[model_.row_alternative[row]];
        one = std::max(one, rows.value[row] + band_[row]);
      }
      const auto best = std::min_element(worst.begin(), worst.end());
      const auto chosen = static_cast<std::uint32_t>(best - worst.begin());
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        out[row] = *best < 0 || model_.row_alternative[row] != chosen ? 1 : 0;
      }
    }
  }
}

/// Within a step: an alternative that carries, or that was entered, stays the one that counts until the step is over, also where corrections have taken the place
/// a little beyond its surface; what carries ends where another alternative opens. What is entered anew is entered through the alternative that was kept to the last, not
/// through the one that is nearest at the end of the step: that may be the far side of something thin, or the side of a corner.
void Course::choose_alternatives(bool passing) {
  if (!has_alternatives_) return;
  constexpr double none = -std::numeric_limits<double>::infinity();
  bool modes_known = false;
  for (const model::Condition& condition : model_.conditions) {
    if (condition.alternatives < 2) continue;
    std::vector<double> worst(condition.alternatives);
    std::vector<double> value(condition.alternatives);
    std::vector<double> earlier(condition.alternatives);
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      const std::uint32_t behind = first + condition.components;
      std::fill(worst.begin(), worst.end(), none);
      std::fill(value.begin(), value.end(), none);
      std::uint32_t holds = condition.alternatives;
      for (std::uint32_t row = first; row < behind; ++row) {
        const std::uint32_t one = model_.row_alternative[row];
        worst[one] = std::max(worst[one], rows_.value[row] + band_[row]);
        value[one] = std::max(value[one], rows_.value[row]);
        if (now.held[row] != 0 && now.absent[row] == 0) holds = one;
      }
      std::uint32_t chosen = condition.alternatives;  // none
      if (settled_[first] != 0) {
        chosen = settled_[first] - 1;
      } else {
        bool open = false;
        bool touched = false;
        for (std::uint32_t row = first; row < behind; ++row) touched = touched || now.touches[row] != 0;
        for (std::uint32_t one = 0; one < condition.alternatives; ++one)
          open = open || (one != holds && worst[one] < 0);
        if (!open && holds < condition.alternatives) {
          chosen = holds;
        } else if (!open) {
          if (!modes_known) find_modes(before_);
          modes_known = true;
          std::fill(earlier.begin(), earlier.end(), none);
          for (std::uint32_t row = first; row < behind; ++row) {
            model::evaluate_row(model_, before_, row, scratch_, rows_mid_);
            double& one = earlier[model_.row_alternative[row]];
            one = std::max(one, rows_mid_.value[row]);
          }
          chosen = kept_to_the_last(earlier, value);
          // One that is far to go back to, by a gradient that nearly vanishes, was no surface that was met: then the nearest.
          std::fill(earlier.begin(), earlier.end(), 0.0);
          for (std::uint32_t row = first; row < behind; ++row) {
            double& one = earlier[model_.row_alternative[row]];
            one = std::max(one, rows_.value[row] / length_of(row));
          }
          if (earlier[chosen] > far_back * (now.travelled - travelled_before_)) {
            const auto nearest = std::min_element(earlier.begin(), earlier.end());
            chosen = static_cast<std::uint32_t>(nearest - earlier.begin());
          }
        } else if (!touched && passing) {
          chosen = passed_alternative(first, behind, value);
        }
        if (chosen < condition.alternatives && worst[chosen] > 2 * band_[first]) settled_[first] = chosen + 1;
      }
      for (std::uint32_t row = first; row < behind; ++row) beside_[row] = model_.row_alternative[row] == chosen ? 0 : 1;
    }
  }
}

}  // namespace zwang::stepping
