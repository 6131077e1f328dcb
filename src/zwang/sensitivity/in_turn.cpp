/// Shocks one after the other, within one instant.
#include "zwang/sensitivity/in_turn.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/model/evaluate.hpp"
#include "zwang/sensitivity/shocks.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

constexpr int most_shocks_in_turn = 16;  ///< of one instant: more of them have no end that is known

double size_of_slopes(const Behind& behind) {
  double most = 0;
  for (const double x : behind.position) most = std::max(most, std::abs(x));
  for (const double x : behind.velocity) most = std::max(most, std::abs(x));
  return most;
}

bool near_slopes(const std::vector<double>& a, const std::vector<double>& b, double apart) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= apart)) return false;
  }
  return true;
}

/// The order of one side of the parameter's value.
class Turn {
 public:
  Turn(Variation& variation, const std::vector<Trigger>& triggers, const MotionPoint& before, const MotionPoint& after,
       std::vector<expressions::Side> sides, bool above)
      : variation_(variation),
        triggers_(triggers),
        before_(before),
        after_(after),
        sides_(std::move(sides)),
        above_(above),
        now_(before),
        done_(triggers.size(), 0) {}

  std::optional<Behind> go(const AroundInstant& around) {
    held_ = around.held_before;
    bool others = false;  // than conditions
    for (int shock = 0;; ++shock) {
      const std::optional<Next> next = first_to_come();
      if (turned_back_) return std::nullopt;
      if (!next) break;
      if (shock == most_shocks_in_turn) return std::nullopt;
      const Trigger& trigger = triggers_[next->trigger];
      done_[next->trigger] = 1;
      others = others || !is_row(trigger);
      if (trigger.switching || !trigger.lets_go.empty()) {
        turn(trigger, next->slope, around);
      } else {
        strike(trigger, next->slope);
      }
    }
    if (!last_ || !agree(now_.state.velocity, before_, after_)) return std::nullopt;
    // What holds between them is known only if it leads to what is known behind them.
    if (others && !same_accelerations()) return std::nullopt;
    // Behind the last one the motion is the one that is known.
    variation_.position = last_->slopes.position;
    variation_.velocity = last_->slopes.velocity;
    variation_.pass(last_->from, after_, last_->times, {last_->rows, last_->blow, last_->blow_slope});
    if (!around.held_after.empty()) variation_.project(after_, around.held_after);
    return Behind{variation_.position, variation_.velocity};
  }

 private:
  struct Next {
    std::size_t trigger = 0;
    double slope = 0;
  };
  struct Last {
    Behind slopes;
    MotionPoint from;
    std::vector<double> times;
    std::vector<ShockRow> rows;
    std::vector<double> blow, blow_slope;
  };

  static bool is_row(const Trigger& trigger) {
    return !trigger.switching && !trigger.blow && trigger.lets_go.empty() && trigger.seizes.empty();
  }

  /// When one comes, as things are now; nothing if it does not.
  std::optional<double> time_of(const Trigger& trigger, bool done) {
    if (!is_row(trigger) && done) return std::nullopt;
    if (!is_row(trigger) && !trigger.switching) return trigger.slope;
    if (trigger.switching) {
      const Switching& one = *trigger.switching;
      const auto rate = [&](const MotionPoint& at) {
        return variation_.corner(*one.group, *one.slopes, one.corner, one.lane, at);
      };
      // Something before it may have turned it back.
      const Variation::Change change = rate(now_);
      turned_back_ = turned_back_ || !(change.by_time * rate(before_).by_time > 0);
      return -(change.by_parameter - one.moved) / change.by_time;
    }
    if (contains(held_, trigger.row)) return std::nullopt;
    const Variation::Change change = variation_.row(trigger.row, now_);
    const double first = variation_.rate_of(trigger.row, before_.state);
    if (!(change.by_time > rate_zero * std::abs(first))) return std::nullopt;
    return -change.by_parameter / change.by_time;
  }

  std::optional<Next> first_to_come() {
    std::optional<Next> out;
    for (std::size_t k = 0; k < triggers_.size(); ++k) {
      const std::optional<double> slope = time_of(triggers_[k], done_[k] != 0);
      if (slope && (!out || (above_ ? *slope < out->slope : *slope > out->slope))) out = Next{k, *slope};
    }
    return out;
  }

  /// A force switches, or something is let go: velocities stay.
  void turn(const Trigger& trigger, double slope, const AroundInstant& around) {
    const model::Model& model = variation_.parameter().model;
    last_ =
        Last{{variation_.position, variation_.velocity}, now_, std::vector<double>(model.variables, slope), {}, {}, {}};
    if (trigger.switching) sides_[trigger.switching->number] = around.sides_after[trigger.switching->number];
    std::erase_if(held_, [&](std::uint32_t row) { return contains(trigger.lets_go, row); });
    MotionPoint then = now_;
    if (trigger.switching) then.state.modes = model::modes_of(model, sides_);
    then.acceleration = variation_.accelerations(then.state, held_);
    variation_.pass(now_, then, last_->times, {});
    now_ = std::move(then);
  }

  /// A condition is struck, a blow falls, an equation holds from now on.
  void strike(const Trigger& trigger, double slope) {
    const model::Model& model = variation_.parameter().model;
    const bool row_struck = is_row(trigger);
    const bool thrown = row_struck && model.conditions[model.row_condition[trigger.row]].restitution > 0;
    Last one{{variation_.position, variation_.velocity}, now_, std::vector<double>(model.variables, slope), {}, {}, {}};
    if (trigger.blow) add_blow(model, variation_, *trigger.blow, now_, one.times, one.blow, one.blow_slope);
    for (const std::uint32_t row : trigger.seizes) {
      if (!contains(held_, row)) held_.push_back(row);
    }
    MotionPoint then = now_;
    // What is held as an inequality pushes and does not pull.
    for (bool pulled = true; pulled;) {
      one.rows.clear();
      if (row_struck) one.rows.push_back({trigger.row, thrown});
      for (const std::uint32_t row : held_) one.rows.push_back({row, false});
      std::sort(one.rows.begin(), one.rows.end(), [](const ShockRow& a, const ShockRow& b) { return a.row < b.row; });
      std::vector<double> impulses;
      then.state.velocity = variation_.velocities_after(now_.state, {one.rows, one.blow, {}}, &impulses);
      double most = 0;
      for (const double impulse : impulses) most = std::max(most, std::abs(impulse));
      const std::size_t kept = held_.size();
      for (std::size_t j = 0; j < impulses.size(); ++j) {
        const std::uint32_t row = one.rows[j].row;
        if (impulses[j] < -rate_zero * most && !model::is_equation(model.row_kind[row])) std::erase(held_, row);
      }
      pulled = held_.size() < kept;
    }
    const Variation::Shock shock{one.rows, one.blow, one.blow_slope};
    if (row_struck && !thrown) held_.push_back(trigger.row);
    then.acceleration = variation_.accelerations(then.state, held_);
    variation_.pass(now_, then, one.times, shock);
    now_ = std::move(then);
    last_ = std::move(one);
  }

  [[nodiscard]] bool same_accelerations() const {
    double apart = 0;
    double most = 0;
    for (std::size_t i = 0; i < now_.acceleration.size(); ++i) {
      apart = std::max(apart, std::abs(now_.acceleration[i] - after_.acceleration[i]));
      most = std::max({most, std::abs(before_.acceleration[i]), std::abs(after_.acceleration[i])});
    }
    // Where nothing accelerates, rounding is all there is: then it counts by what it makes of the derivatives.
    const double made = apart * std::abs(last_->times.empty() ? 0.0 : last_->times.front());
    return apart <= one_time_slope * most ||
           made <= rate_zero * size_of_slopes({variation_.position, variation_.velocity});
  }

  Variation& variation_;
  const std::vector<Trigger>& triggers_;
  const MotionPoint& before_;
  const MotionPoint& after_;
  std::vector<expressions::Side> sides_;  ///< now
  bool above_;
  MotionPoint now_;
  std::vector<std::uint8_t> done_;  ///< triggers; conditions may be struck again
  bool turned_back_ = false;
  std::vector<std::uint32_t> held_;
  std::optional<Last> last_;
};

}  // namespace

bool InTurn::one() const {
  if (!below || !above) return false;
  const double apart = one_time_slope * std::max({size, size_of_slopes(*below), size_of_slopes(*above)});
  return near_slopes(below->position, above->position, apart) && near_slopes(below->velocity, above->velocity, apart);
}

bool has_a_turn(const model::Model& model, const Trigger& trigger) {
  if (trigger.switching) {
    if (trigger.switching->truth && trigger.lets_go.empty()) return false;
    // Corners inside of others turn together with them.
    const std::vector<expressions::Corner>& corners = trigger.switching->group->corners;
    return std::all_of(corners.begin(), corners.end(),
                       [](const expressions::Corner& one) { return one.inner.empty() && !one.follows; });
  }
  return trigger.blow || !trigger.lets_go.empty() || !trigger.seizes.empty() ||
         (trigger.row < model.rows() && model::is_holonomic(model.row_kind[trigger.row]));
}

InTurn in_turn(Variation& variation, const std::vector<Trigger>& triggers, const MotionPoint& before,
               const MotionPoint& after, const AroundInstant& around) {
  const Behind kept{variation.position, variation.velocity};
  MotionPoint from = before;
  // What has bent strikes with its new side; what switches by itself has its turn.
  std::vector<expressions::Side> sides = around.sides_after;
  bool any = false;
  for (const Trigger& one : triggers) {
    if (!one.switching) continue;
    sides[one.switching->number] = around.sides_before[one.switching->number];
    any = true;
  }
  from.state.modes = any ? model::modes_of(variation.parameter().model, sides) : after.state.modes;
  InTurn out;
  out.size = size_of_slopes(kept);
  for (const bool above : {false, true}) {
    std::optional<Behind>& side = above ? out.above : out.below;
    side = Turn(variation, triggers, from, after, sides, above).go(around);
    variation.position = kept.position;
    variation.velocity = kept.velocity;
  }
  return out;
}

}  // namespace zwang::sensitivity
