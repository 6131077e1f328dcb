/// What a step may have passed through, open before and behind it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/stepping/course.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

using motion::Status;

/// One row at a part of the straight way of the step, into rows_mid_.
double Course::on_the_way(std::uint32_t row, double part) {
  passing_.position.resize(model_.variables);
  passing_.velocity.resize(model_.variables);
  const double h = now.state.time - before_.time;
  passing_.time = before_.time + part * h;
  for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
    const std::uint32_t i = model_.row_column[e];
    const double way = now.state.position[i] - before_.position[i];
    passing_.position[i] = before_.position[i] + part * way;
    passing_.velocity[i] = way / h;
  }
  if (model_.switches > 0) {
    // Corners are functions of all variables.
    for (std::uint32_t i = 0; i < model_.variables; ++i)
      passing_.position[i] = before_.position[i] + part * (now.state.position[i] - before_.position[i]);
    find_modes(passing_);
  }
  model::evaluate_row_values(model_, passing_, row, scratch_, rows_mid_);
  return rows_mid_.value[row];
}

/// The way that the bodies of a row make beside each other in this step, in the unit of f: by the gradient in rows_mid_, without what two bodies move together.
double Course::way_beside(std::uint32_t row) const {
  struct Part {
    std::uint32_t first, places, end;
  };
  std::vector<Part> parts;
  std::size_t body = 0;
  for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
    const std::uint32_t i = model_.row_column[e];
    if (!parts.empty() && i < parts.back().end) continue;
    while (body + 1 < model_.bodies.size() && model_.bodies[body + 1].first <= i) ++body;
    const model::Body& one = model_.bodies[body];
    const std::uint32_t first = one.first + (i - one.first) / one.dimension * one.dimension;
    parts.push_back({first, one.kind == model::BodyKind::rigid ? one.place() : one.dimension, first + one.dimension});
  }
  const bool pair = parts.size() == 2 && parts[0].places == parts[1].places;
  double sum = 0;
  for (const Part& part : parts) {
    double gradient = 0, turning = 0, way = 0, turn = 0;
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
      const std::uint32_t i = model_.row_column[e];
      if (i < part.first || i >= part.end) continue;
      (i - part.first < part.places ? gradient : turning) += rows_mid_.entry[e] * rows_mid_.entry[e];
    }
    for (std::uint32_t i = part.first; i < part.end; ++i) {
      double by = now.state.position[i] - before_.position[i];
      const std::uint32_t k = i - part.first;
      if (pair && k < part.places) {
        by = 0;
        for (const double sign : {1.0, -1.0}) {
          const std::uint32_t other = (sign > 0 ? parts[0].first : parts[1].first) + k;
          by += sign * (now.state.position[other] - before_.position[other]) / 2;
        }
      }
      (k < part.places ? way : turn) += by * by;
    }
    sum += std::sqrt(gradient * way) + std::sqrt(turning * turn);
  }
  return sum;
}

/// Was a row that is open at the begin entered on the way, and past its middle, by more than a chord of a few degrees cuts off? `in`: where.
bool Course::is_pierced(std::uint32_t row, double from, double& in) {
  on_the_way(row, 1);
  if (!(rows_mid_.rate[row] < 0)) return false;
  if (on_the_way(row, from) > 0 || !(rows_mid_.rate[row] > 0)) return false;
  const auto rises = [&](double part) {
    on_the_way(row, part);
    return rows_mid_.rate[row] > 0;
  };
  const double deepest = last_of(from, 1, rises);
  const double depth = on_the_way(row, deepest);
  if (!(depth > band_[row])) return false;
  double out = 1;
  if (!(on_the_way(row, 1) > 0)) out = last_of(deepest, 1, [&](double part) { return on_the_way(row, part) > 0; });
  in = last_of(from, deepest, [&](double part) { return on_the_way(row, part) <= 0; });
  on_the_way(row, in);
  return depth > passed_through * (out - in) * way_beside(row);
}

void Course::end_passed(std::uint32_t row) {
  end(Status::gave_up,
      fmt::format("a step has passed through {}: in a step bodies move by more than their size; take a shorter one",
                  model::row_name(model_, row)),
      {row});
}

/// A body that is fast beside its size may pass through another within a step, or past its middle. Rows that were approached when the step began and are left behind at its end, nearer
/// than the way of the step, are looked at on the way. False if one was pierced there.
bool Course::look_back() {
  const double way = now.travelled - travelled_before_;
  for (const std::uint32_t row : near_) {
    if (model_.row_kind[row] != model::RowKind::holonomic_inequality || now.absent[row] != 0) continue;
    if (now.touches[row] != 0 || rows_.rate[row] >= 0 || now.rate[row] <= 0) continue;
    if (model_.conditions[model_.row_condition[row]].alternatives > 1 || !(reach_of(row) < way)) continue;
    double in = 0;
    if (!is_pierced(row, 0, in)) continue;
    end_passed(row);
    return false;
  }
  return true;
}

/// Polygons and boxes lie in one another by no more than their tips, whatever the conditions on their corners say. Else the run ends.
bool Course::look_at_solids() {
  for (const SolidPair& pair : solids_) {
    if (now.absent[pair.row] != 0) continue;
    const double by = overlap(pair, now.state.position);
    if (!(by > 0)) continue;
    now.penetration = std::max(now.penetration, by);
    if (by <= deepest_tip * (pair.a.reach + pair.b.reach)) continue;
    end(Status::gave_up,
        fmt::format("{} no longer holds its two apart: they lie in one another by {}; take a shorter "
                    "step, or `method = \"events\"`",
                    model::row_name(model_, pair.row), readable(by)),
        {pair.row});
    return false;
  }
  return true;
}

/// Do two lie in one another, where before they did not, by more than rounding and the bending of the way make?
bool Course::is_entered_unseen() {
  double bend = 0;
  for (std::uint32_t i = 0; i < model_.variables; ++i)
    bend = std::max(bend, bent_way * now.last_step * std::abs(arriving_[i] - before_.velocity[i]));
  for (const SolidPair& pair : solids_) {
    if (now.absent[pair.row] != 0) continue;
    const double most = touching_band * (pair.a.reach + pair.b.reach) + slipped_ + bend;
    if (overlap(pair, now.state.position) > most && !(overlap(pair, before_.position) > most)) return true;
  }
  return false;
}

/// Positions onto their conditions. The straight way of a step misses the motion by its bending, and where one alternative took over from another that is allowed for; if it was wrong,
/// since the shapes lie in one another now, or if there is no way back, the way is taken as it is.
bool Course::bring_back() {
  strict_ = false;
  excused_ = false;
  const bool back = correct_positions(false);
  if (excused_ && (back ? is_entered_unseen() : now.status != Status::going)) {
    now.status = Status::going;
    now.why.clear();
    now.culprits.clear();
    now.state.position = uncorrected_;
    strict_ = true;
    if (!correct_positions(false)) return false;
  } else if (!back) {
    return false;
  }
  return look_at_solids();
}

/// Have corrections taken a body farther than steps do? Then what was corrected was not what had happened, and the run ends.
bool Course::has_jumped() {
  double way = 0;
  double back = 0;
  for (std::uint32_t i = 0; i < model_.variables; ++i) {
    way = std::max(way, std::abs(uncorrected_[i] - before_.position[i]));
    back = std::max(back, std::abs(now.state.position[i] - uncorrected_[i]));
  }
  const double size = largest(now.state.position) + largest(uncorrected_);
  if (!(back > jumped_ways * way + deepest_jump * size)) return false;
  end(Status::gave_up, fmt::format("to bring positions back onto their conditions a body was moved by {}, but by {} in "
                                   "the step; take a shorter one",
                                   readable(back), readable(way)));
  return true;
}

/// Alternatives take over from one another while both are open. Here one is open at the end of the step: was one open all the way? Else the one that was kept to the last,
/// through which something was entered on the way; the number of alternatives if nothing was. Where that one is open at the end, too, the step leads through, and the run ends.
std::uint32_t Course::passed_alternative(std::uint32_t first, std::uint32_t behind, const std::vector<double>& later) {
  const auto count = static_cast<std::uint32_t>(later.size());
  // Plainly open all the way: too far to be reached, or by the cubic with the values and rates of both ends, which lies between its four numbers.
  const double way = now.travelled - travelled_before_;
  const double h = now.state.time - before_.time;
  std::vector<std::uint8_t> plainly(count, 1);
  for (std::uint32_t row = first; row < behind; ++row) {
    std::uint8_t& one = plainly[model_.row_alternative[row]];
    if (one == 0) continue;
    const double begin = now.value[row];
    const double end = rows_.value[row];
    const bool stays = begin < 0 && end < 0 && begin + h / 3 * now.rate[row] < 0 && end - h / 3 * rows_.rate[row] < 0;
    if (!stays && !(end < 0 && reach_of(row) >= way)) one = 0;
  }
  if (std::find(plainly.begin(), plainly.end(), 1) != plainly.end()) return count;

  excused_ = true;
  slack_.resize(model_.rows());
  for (std::uint32_t row = first; row < behind; ++row) slack_[row] = strict_ ? slip_of(row) : slack_of(row);
  const auto value = [&](std::uint32_t one, double part) {
    double most = -std::numeric_limits<double>::infinity();
    for (std::uint32_t row = first; row < behind; ++row) {
      if (model_.row_alternative[row] == one) most = std::max(most, on_the_way(row, part) - slack_[row]);
    }
    return most;
  };
  double from = 0;
  for (std::uint32_t turns = 0; turns <= 2 * count; ++turns) {
    // Of those that are open here, the one that stays so longest.
    double until_then = -1;
    std::uint32_t last = count;
    for (std::uint32_t one = 0; one < count; ++one) {
      if (value(one, from) > 0) continue;
      double end = 1;
      if (later[one] > 0) {
        end = last_of(from, 1.0, [&](double part) { return value(one, part) <= 0; });
      } else {
        double in = 1;
        for (std::uint32_t row = first; row < behind; ++row) {
          if (model_.row_alternative[row] == one && is_pierced(row, from, in)) end = std::min(end, in);
        }
        if (end == 1) return count;
      }
      if (end > until_then) {
        until_then = end;
        last = one;
      }
    }
    if (last == count) return count;  // broken from the start: nothing was passed in this step
    bool goes_on = false;
    const double then = std::min(until_then + same_place, 1.0);
    for (std::uint32_t one = 0; one < count && !goes_on; ++one) goes_on = one != last && value(one, then) <= 0;
    if (!goes_on) {
      if (later[last] <= 0) end_passed(first);
      return last;
    }
    from = then;
  }
  return count;
}

}  // namespace zwang::stepping
