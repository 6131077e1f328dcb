/// Blows and rebounds, with their derivatives.
#include "zwang/sensitivity/shocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "zwang/model/bodies.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

/// A blow is linear in its impulse and in the mark that it strikes. When the body is turned, it changes in the plane like the mark turned by a right angle; in space along
/// a circle of its quaternion by a sum a sin + b sin 2 + c sin 3 and an even part, whose slope a + 2 b + 3 c three places tell: at an eighth, a quarter and
/// three eighths of the circle the odd parts are S, S', S'', and the slope is (S + S'') sqrt(2) - S' + S - S''.
std::vector<double> slope_of_blow(const model::Blow& blow, const model::Blow& slope, const MotionPoint& at,
                                  const std::vector<double>& moved) {
  if (blow.sort == model::Blow::Sort::plain) return slope.impulse;
  const bool plane = blow.variables.size() == 3;
  model::Blow part = blow;
  part.impulse = slope.impulse;
  std::vector<double> out = model::impulse_of(part, at.state.position);
  const auto add = [&](const std::vector<double>& more, double weight) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += weight * more[j];
  };
  if (blow.sort == model::Blow::Sort::mark) {
    // The impulse itself stands beside its moment: once is enough.
    part.impulse = blow.impulse;
    const auto moment = [&](std::vector<double> mark) {
      part.mark = std::move(mark);
      std::vector<double> all = model::impulse_of(part, at.state.position);
      std::fill_n(all.begin(), plane ? 2 : 3, 0.0);
      return all;
    };
    add(moment(slope.mark), 1);
    if (plane) add(moment({-blow.mark[1], blow.mark[0]}), moved[blow.variables[2]]);
  }
  if (plane) return out;
  const std::size_t first = blow.variables.size() - 4;
  double length = 0;
  for (std::size_t j = first; j < blow.variables.size(); ++j)
    length += moved[blow.variables[j]] * moved[blow.variables[j]];
  length = std::sqrt(length);
  if (length == 0) return out;
  // The odd part at cos e + sin d.
  const auto odd = [&](double cosine, double sine) {
    std::vector<double> sum(out.size(), 0.0);
    for (const int side : {1, -1}) {
      std::vector<double> position = at.state.position;
      for (std::size_t j = first; j < blow.variables.size(); ++j) {
        double& one = position[blow.variables[j]];
        one = cosine * one + side * sine * moved[blow.variables[j]] / length;
      }
      const std::vector<double> found = model::impulse_of(blow, position);
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += side * found[j] / 2;
    }
    return sum;
  };
  const double root = std::sqrt(0.5);
  add(odd(root, root), length * (2 * root + 1));
  add(odd(0, 1), -length);
  add(odd(-root, root), length * (2 * root - 1));
  return out;
}

}  // namespace

bool agree(const std::vector<double>& expected, const MotionPoint& before, const MotionPoint& after) {
  double off = 0;
  double speed = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    off = std::max(off, std::abs(expected[i] - after.state.velocity[i]));
    speed = std::max({speed, std::abs(before.state.velocity[i]), std::abs(after.state.velocity[i])});
  }
  return off <= same_velocity * speed;
}

void add_blow(const model::Model& model, const Variation& variation, std::size_t number, const MotionPoint& at,
              std::span<const double> time_slope, std::vector<double>& blow, std::vector<double>& slope) {
  blow.resize(model.variables, 0.0);
  slope.resize(model.variables, 0.0);
  std::vector<double> moved(model.variables);
  for (std::size_t i = 0; i < moved.size(); ++i)
    moved[i] = variation.position[i] + at.state.velocity[i] * time_slope[i];
  const model::Blow& one = model.blows[number];
  const std::vector<double> impulse = model::impulse_of(one, at.state.position);
  const std::vector<double> changes = slope_of_blow(one, variation.parameter().slope.blows[number], at, moved);
  for (std::size_t j = 0; j < one.variables.size(); ++j) {
    blow[one.variables[j]] += impulse[j];
    slope[one.variables[j]] += changes[j];
  }
}

void add_blows(const model::Model& model, const Variation& variation, double time, const MotionPoint& at,
               std::span<const double> time_slope, std::vector<double>& blow, std::vector<double>& slope) {
  blow.assign(model.variables, 0.0);
  slope.assign(model.variables, 0.0);
  for (std::size_t k = 0; k < model.blows.size(); ++k) {
    if (std::abs(model.blows[k].at - time) <= motion::resolution(time))
      add_blow(model, variation, k, at, time_slope, blow, slope);
  }
}

bool rebound(Variation& variation, const MotionPoint& before, const MotionPoint& after, const Variation::Shock& shock,
             std::span<const double> time_slope) {
  const model::Model& model = variation.parameter().model;
  std::optional<std::uint32_t> condition;
  std::vector<ShockRow> struck, resting;
  for (const ShockRow& one : shock.rows) {
    struck.push_back({one.row, false});
    if (!one.thrown) {
      resting.push_back(one);
      continue;
    }
    const std::uint32_t own = model.row_condition[one.row];
    if (condition && model.conditions[*condition].restitution != model.conditions[own].restitution) return false;
    condition = own;
  }
  if (!condition) return false;
  const double e = model.conditions[*condition].restitution;
  const double e_slope = variation.parameter().slope.conditions[*condition].restitution;
  const std::size_t n = model.variables;

  // Points of the same instant, between its steps; nothing accelerates there.
  const auto between = [&](const std::vector<double>& velocity) {
    MotionPoint out = before;
    out.state.velocity = velocity;
    out.acceleration.assign(n, 0.0);
    return out;
  };
  const Variation::Shock first{{}, shock.blow, shock.blow_slope};
  const Variation::Shock second{struck, {}, {}};
  const Variation::Shock last{resting, {}, {}};
  const MotionPoint blown = between(variation.velocities_after(before.state, first));
  const MotionPoint stopped = between(variation.velocities_after(blown.state, second));
  MotionPoint back = stopped;
  for (std::size_t i = 0; i < n; ++i)
    back.state.velocity[i] += e * (stopped.state.velocity[i] - blown.state.velocity[i]);
  if (!agree(variation.velocities_after(back.state, last), before, after)) return false;

  variation.pass(before, blown, time_slope, first);
  const std::vector<double> blown_slope = variation.velocity;
  variation.pass(blown, stopped, time_slope, second);
  for (std::size_t i = 0; i < n; ++i) {
    const double change = stopped.state.velocity[i] - blown.state.velocity[i];
    variation.position[i] -= e * change * time_slope[i];
    variation.velocity[i] += e * (variation.velocity[i] - blown_slope[i]) + e_slope * change;
  }
  variation.pass(back, after, time_slope, last);
  return true;
}

}  // namespace zwang::sensitivity
