/// Shocks one after the other, within one instant.
#include "zwang/sensitivity/in_turn.hpp"

#include <algorithm>
#include <cmath>

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
       bool above)
      : variation_(variation), triggers_(triggers), before_(before), after_(after), above_(above), now_(before) {}

  std::optional<Behind> go(std::vector<std::uint32_t> held, const std::vector<std::uint32_t>& held_after) {
    held_ = std::move(held);
    for (int shock = 0;; ++shock) {
      const std::optional<Next> next = first_to_come();
      if (!next) break;
      if (shock == most_shocks_in_turn) return std::nullopt;
      strike(*next);
    }
    if (!last_ || !agree(now_.state.velocity, before_, after_)) return std::nullopt;
    // Behind the last one the motion is the one that is known.
    variation_.position = last_->slopes.position;
    variation_.velocity = last_->slopes.velocity;
    variation_.pass(last_->from, after_, last_->times, {last_->rows, {}, {}});
    if (!held_after.empty()) variation_.project(after_, held_after);
    return Behind{variation_.position, variation_.velocity};
  }

 private:
  struct Next {
    std::uint32_t row = 0;
    double slope = 0;
  };
  struct Last {
    Behind slopes;
    MotionPoint from;
    std::vector<double> times;
    std::vector<ShockRow> rows;
  };

  [[nodiscard]] std::optional<Next> first_to_come() const {
    std::optional<Next> out;
    for (const Trigger& trigger : triggers_) {
      if (contains(held_, trigger.row)) continue;
      const Variation::Change change = variation_.row(trigger.row, now_);
      const double first = variation_.rate_of(trigger.row, before_.state);
      if (!(change.by_time > rate_zero * std::abs(first))) continue;
      const double slope = -change.by_parameter / change.by_time;
      if (!out || (above_ ? slope < out->slope : slope > out->slope)) out = Next{trigger.row, slope};
    }
    return out;
  }

  void strike(const Next& next) {
    const model::Model& model = variation_.parameter().model;
    const bool thrown = model.conditions[model.row_condition[next.row]].restitution > 0;
    Last one{{variation_.position, variation_.velocity}, now_, std::vector<double>(model.variables, next.slope), {}};
    MotionPoint then = now_;
    // What is held as an inequality pushes and does not pull.
    for (bool pulled = true; pulled;) {
      one.rows.assign(1, {next.row, thrown});
      for (const std::uint32_t row : held_) one.rows.push_back({row, false});
      std::sort(one.rows.begin(), one.rows.end(), [](const ShockRow& a, const ShockRow& b) { return a.row < b.row; });
      std::vector<double> impulses;
      then.state.velocity = variation_.velocities_after(now_.state, {one.rows, {}, {}}, &impulses);
      double most = 0;
      for (const double impulse : impulses) most = std::max(most, std::abs(impulse));
      const std::size_t kept = held_.size();
      for (std::size_t j = 0; j < impulses.size(); ++j) {
        const std::uint32_t row = one.rows[j].row;
        if (impulses[j] < -rate_zero * most && !model::is_equation(model.row_kind[row])) std::erase(held_, row);
      }
      pulled = held_.size() < kept;
    }
    const Variation::Shock shock{one.rows, {}, {}};
    if (!thrown) held_.push_back(next.row);
    then.acceleration = variation_.accelerations(then.state, held_);
    variation_.pass(now_, then, one.times, shock);
    now_ = std::move(then);
    last_ = std::move(one);
  }

  Variation& variation_;
  const std::vector<Trigger>& triggers_;
  const MotionPoint& before_;
  const MotionPoint& after_;
  bool above_;
  MotionPoint now_;
  std::vector<std::uint32_t> held_;
  std::optional<Last> last_;
};

}  // namespace

bool InTurn::one() const {
  if (!below || !above) return false;
  const double apart = one_time_slope * std::max({size, size_of_slopes(*below), size_of_slopes(*above)});
  return near_slopes(below->position, above->position, apart) && near_slopes(below->velocity, above->velocity, apart);
}

InTurn in_turn(Variation& variation, const std::vector<Trigger>& triggers, const MotionPoint& before,
               const MotionPoint& after, const std::vector<std::uint32_t>& held_before,
               const std::vector<std::uint32_t>& held_after) {
  const Behind kept{variation.position, variation.velocity};
  MotionPoint from = before;
  // What has bent strikes with its new side.
  from.state.modes = after.state.modes;
  InTurn out;
  out.size = size_of_slopes(kept);
  for (const bool above : {false, true}) {
    std::optional<Behind>& side = above ? out.above : out.below;
    side = Turn(variation, triggers, from, after, above).go(held_before, held_after);
    variation.position = kept.position;
    variation.velocity = kept.velocity;
  }
  return out;
}

}  // namespace zwang::sensitivity
