/// Which of several alternatives counts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/stepping/course.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

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
        const double value = rows.value[row] + band_[row];
        // What has no value here does not hold here.
        one = std::isnan(value) ? std::numeric_limits<double>::infinity() : std::max(one, value);
      }
      const auto best = std::min_element(worst.begin(), worst.end());
      const auto chosen = static_cast<std::uint32_t>(best - worst.begin());
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        out[row] = *best < 0 || model_.row_alternative[row] != chosen ? 1 : 0;
      }
    }
  }
}

/// By how much the straight way of a step may miss a condition that the motion keeps: the tips of corners that pass each other, for which no side of either may be left, what its bending makes of it, and what corrections of what carries will take back.
double Course::slack_of(std::uint32_t row) const {
  double bend = 0;
  for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
    const std::uint32_t i = model_.row_column[e];
    bend += rows_.entry[e] * (arriving_[i] - before_.velocity[i]);
  }
  const double h = now.state.time - before_.time;
  return slip_of(row) + tip_[row] + bent_way * h * std::abs(bend);
}

/// The way back to an alternative in the metric of the masses, for the row of it that is broken most.
double Course::way_back(std::uint32_t first, std::uint32_t behind, std::uint32_t alternative) const {
  double most = 0;
  for (std::uint32_t row = first; row < behind; ++row) {
    if (model_.row_alternative[row] != alternative) continue;
    double square = 0;
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e)
      square += rows_.entry[e] * rows_.entry[e] / dynamics_.mass.diagonal()[model_.row_column[e]];
    const double by = rows_.value[row];
    if (by <= 0) continue;
    most = square > 0 ? std::max(most, by / std::sqrt(square)) : std::numeric_limits<double>::infinity();
  }
  return most;
}

/// All alternatives are broken at the end of the step. The way is gone along, from the last place at which one is kept to the next; where the last of them ends, those that are kept
/// there, too, are the ones that may take over: not the far side of something thin, nor the wall below a stair, which is broken there. Of these the nearest is the one of the least
/// blow. `part`: where that is.
std::uint32_t Course::entered_alternative(std::uint32_t first, std::uint32_t behind, std::uint32_t count,
                                          double& part) {
  slack_.resize(model_.rows());
  for (std::uint32_t row = first; row < behind; ++row) slack_[row] = slack_of(row);
  const auto kept = [&](std::uint32_t one, double at) {
    for (std::uint32_t row = first; row < behind; ++row) {
      if (model_.row_alternative[row] == one && !(on_the_way(row, at) <= slack_[row])) return false;
    }
    return true;
  };
  double from = 0;
  part = 0;
  std::uint32_t last = count;
  for (std::uint32_t turns = 0; turns <= 2 * count; ++turns) {
    double longest = -1;
    for (std::uint32_t one = 0; one < count; ++one) {
      if (!kept(one, from)) continue;
      const double end = kept(one, 1) ? 1.0 : last_of(from, 1.0, [&](double at) { return kept(one, at); });
      if (end <= longest) continue;
      longest = end;
      last = one;
    }
    if (longest < 0) break;
    part = longest;
    if (part >= 1) break;
    const double then = std::min(part + same_place, 1.0);
    bool goes_on = false;
    for (std::uint32_t one = 0; one < count && !goes_on; ++one) goes_on = one != last && kept(one, then);
    if (!goes_on) break;
    from = then;
  }
  // The nearest of those that are kept there; where none was, of all.
  std::uint32_t best = count;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t one = 0; one < count; ++one) {
    if (last < count && !kept(one, part)) continue;
    const double way = way_back(first, behind, one);
    if (best < count && !(way < least)) continue;
    best = one;
    least = way;
  }
  // One that is far to go back to, by a gradient that nearly vanishes, was no surface that was met: then the nearest.
  std::vector<double> length(count, 0.0);
  for (std::uint32_t row = first; row < behind; ++row) {
    double& one = length[model_.row_alternative[row]];
    one = std::max(one, rows_.value[row] / length_of(row));
  }
  if (length[best] > far_back * (now.travelled - travelled_before_))
    best = static_cast<std::uint32_t>(std::min_element(length.begin(), length.end()) - length.begin());
  return best;
}

/// How far what carries has slipped from its surface, as a length.
void Course::note_slipped() {
  slipped_ = 0;
  for (const std::uint32_t row : near_) {
    if (now.held[row] != 0 && model::is_holonomic(model_.row_kind[row]))
      slipped_ = std::max(slipped_, 2 * std::abs(rows_.value[row]) / length_of(row));
  }
}

/// Of what was entered in the step on one and the same bodies the first counts alone, until it was corrected: what comes behind it may not have been met.
void Course::settle_first() {
  if (entries_.empty()) return;
  first_entry_.assign(model_.variables, 1.0);
  const auto note = [&](std::uint32_t row, double part) {
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
      double& one = first_entry_[model_.row_column[e]];
      one = std::min(one, part);
    }
  };
  for (const std::uint32_t row : near_) {
    const bool open = model_.row_kind[row] != model::RowKind::holonomic_inequality || !(rows_.value[row] > band_[row]);
    if (open || now.absent[row] != 0 || now.held[row] != 0) continue;
    if (model_.conditions[model_.row_condition[row]].alternatives > 1) continue;
    const double begin = now.value[row];
    note(row, begin < 0 && std::isfinite(begin) ? begin / (begin - rows_.value[row]) : 0.0);
  }
  for (const Entry& entry : entries_) {
    for (std::uint32_t row = entry.first; row < entry.behind; ++row) {
      if (model_.row_alternative[row] == entry.chosen) note(row, entry.part);
    }
  }
  for (const Entry& entry : entries_) {
    bool first = true;
    for (std::uint32_t row = entry.first; row < entry.behind && first; ++row) {
      if (model_.row_alternative[row] != entry.chosen) continue;
      for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e)
        first = first && entry.part <= first_entry_[model_.row_column[e]] + located_within;
    }
    if (!first) continue;
    settled_[entry.first] = entry.chosen + 1;
    for (std::uint32_t row = entry.first; row < entry.behind; ++row)
      beside_[row] = model_.row_alternative[row] == entry.chosen ? 0 : 1;
  }
}

/// Within a step: an alternative that was entered stays the one that counts until the step is over, also where corrections have taken the place
/// a little beyond its surface; one that carries counts until it is broken or another one opens. What is entered anew is entered through the alternative that was kept to the last.
void Course::choose_alternatives(bool passing) {
  if (!has_alternatives_) return;
  note_slipped();
  entries_.clear();
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::vector<double> worst, value;
  for (const model::Condition& condition : model_.conditions) {
    const std::uint32_t count = condition.alternatives;
    if (count < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      const std::uint32_t behind = first + condition.components;
      worst.assign(count, none);
      value.assign(count, none);
      std::uint32_t holds = count;
      bool touched = false;
      for (std::uint32_t row = first; row < behind; ++row) {
        const std::uint32_t one = model_.row_alternative[row];
        worst[one] = std::max(worst[one], rows_.value[row] + band_[row]);
        value[one] = std::max(value[one], rows_.value[row] - band_[row]);
        if (std::isnan(rows_.value[row])) worst[one] = value[one] = -none;
        if (now.held[row] != 0 && now.absent[row] == 0) holds = one;
        touched = touched || now.touches[row] != 0;
      }
      std::uint32_t chosen = count;  // none
      if (settled_[first] != 0) {
        chosen = settled_[first] - 1;
      } else {
        bool open = false;
        for (std::uint32_t one = 0; one < count; ++one) open = open || (one != holds && worst[one] < 0);
        bool held = holds < count;
        for (std::uint32_t row = first; row < behind && held && !open; ++row)
          held = model_.row_alternative[row] != holds || rows_.value[row] <= slack_of(row);
        if (!open && held) {
          chosen = holds;
        } else if (!open) {
          const auto best = std::min_element(value.begin(), value.end());
          if (*best <= 0) {
            chosen = static_cast<std::uint32_t>(best - value.begin());
          } else {
            double part = 0;
            const std::uint32_t entered = entered_alternative(first, behind, count, part);
            entries_.push_back({first, behind, entered, part});
          }
        } else if (!touched && passing) {
          for (std::uint32_t one = 0; one < count; ++one) value[one] = none;
          for (std::uint32_t row = first; row < behind; ++row) {
            double& one = value[model_.row_alternative[row]];
            one = std::max(one, rows_.value[row]);
          }
          chosen = passed_alternative(first, behind, value);
        }
        if (chosen < count && worst[chosen] > 2 * band_[first]) settled_[first] = chosen + 1;
      }
      for (std::uint32_t row = first; row < behind; ++row) beside_[row] = model_.row_alternative[row] == chosen ? 0 : 1;
    }
  }
  settle_first();
}

}  // namespace zwang::stepping
