/// States beside, their modes, and what the forces are there.
#include "zwang/analysis/branches.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/analysis/lane.hpp"
#include "zwang/analysis/leaf.hpp"
#include "zwang/analysis/linearise.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/corners.hpp"

namespace zwang::analysis {

namespace {

using linear::Matrix;

constexpr int pairs =
    16;  ///< of opposite states beside: a corner that is passed by none of them has one chance in 2^16

double farthest(const std::vector<double>& x, const std::vector<double>& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

/// A random combination of the columns, its largest entry one.
std::vector<double> combination(const Matrix& columns, Dice& dice) {
  std::vector<double> out(columns.rows, 0.0);
  for (std::size_t c = 0; c < columns.columns; ++c) {
    const double weight = dice.throw_one();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += weight * columns(i, c);
  }
  const double length = largest(out);
  for (double& x : out) x /= length > 0 ? length : 1.0;
  return out;
}

/// Directions of speeds, w / |w|, have no value at rest itself: those that they have beside it (section 21.7).
void hold_directions(const model::Model& model, const model::State& beside, std::vector<double>& modes) {
  model::for_cornered(model, [&](const model::Slotted& group) {
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      const expressions::Corner& corner = group.corners[c];
      if (corner.kind != expressions::CornerKind::moves) continue;
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        std::vector<double> w;
        double square = 0;
        for (std::uint32_t part = 1; part <= corner.parts; ++part) {
          const std::uint32_t number = group.first_switch + (c + part) * group.lanes + lane;
          w.push_back(instant::switch_rates(model, number, beside, {}).g);
          square += w.back() * w.back();
        }
        const auto mode = [&](std::uint32_t k) -> double& {
          return modes[group.first_mode + (corner.first_mode + k) * group.lanes + lane];
        };
        mode(0) = 0;
        mode(1) = 1;
        for (std::uint32_t k = 0; k < w.size(); ++k) {
          const std::uint32_t first = group.corners[c + 1 + k].first_mode;
          modes[group.first_mode + first * group.lanes + lane] = square > 0 ? w[k] / std::sqrt(square) : 0.0;
        }
      }
    }
  });
}

}  // namespace

double extent_of(const model::State& state) {
  double extent = 0;
  for (const double q : state.position) extent = std::max(extent, std::abs(q));
  return extent > 0 ? extent : 1;
}

std::vector<double> forces_at(const model::Model& model, const model::State& state) {
  std::vector<double> out = model.constant_force;
  for (const model::TermGroup& group : model.terms) {
    const bool force = group.kind == model::TermKind::force;
    const double sign = group.kind == model::TermKind::potential ? -1.0 : 1.0;
    const std::size_t count = force ? group.tape.outputs.size() : group.positions;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      const Lane at(group, lane, state);
      for (std::size_t k = 0; k < count; ++k) {
        const std::uint32_t target =
            force ? group.target_of[k * group.lanes + lane] : group.position_of[k * group.lanes + lane];
        out[target] += sign * at.value((force ? 0 : 1) + k);
      }
    }
  }
  return out;
}

model::State branch_beside(const model::Model& model, const model::State& rest, std::span<const double> displacement,
                           std::span<const double> velocity) {
  model::State beside = rest;
  beside.modes.clear();
  const double step = beside_part * extent_of(rest);
  for (std::size_t i = 0; i < displacement.size(); ++i) beside.position[i] += step * displacement[i];
  for (std::size_t i = 0; i < velocity.size(); ++i) beside.velocity[i] += step * velocity[i];
  model::State out = rest;
  out.modes = model::modes_of(model, model::sides_of(model, beside));
  hold_directions(model, beside, out.modes);
  return out;
}

Branches branches_at(const model::Model& model, const model::State& rest, std::span<const std::uint32_t> held,
                     std::span<const double> lambda, const Matrix& allowed) {
  Branches out;
  if (model.switches == 0) return out;
  std::vector<bool> turns(model.switches, false);
  const auto look = [&](bool positions, bool& jump, bool& kink) {
    Dice dice(21);
    std::vector<model::State> seen;
    std::vector<Linearised> systems;
    std::vector<expressions::Side> sides;
    for (int k = 0; k < 2 * pairs; ++k) {
      std::vector<double> direction = combination(allowed, dice);
      // Where all that is allowed leaves g unchanged to first order, what is not allowed decides its sign to second.
      for (double& x : direction) x += beside_part * dice.throw_one();
      if (k % 2 == 1) {
        for (double& x : direction) x = -x;
      }
      const std::vector<double> none;
      const model::State branch =
          branch_beside(model, rest, positions ? direction : none, positions ? none : direction);
      model::State beside = rest;
      const double step = beside_part * extent_of(rest);
      for (std::size_t i = 0; i < direction.size(); ++i) {
        (positions ? beside.position[i] : beside.velocity[i]) += step * direction[i];
      }
      const std::vector<expressions::Side> now = model::sides_of(model, beside);
      for (std::size_t c = 0; c < now.size() && !sides.empty(); ++c) turns[c] = turns[c] || now[c] != sides[c];
      if (sides.empty()) sides = now;
      // A direction is another one wherever the speed goes.
      for (std::uint32_t c = 0; c < now.size() && !positions; ++c) {
        const model::SwitchPlace place = model::place_of_switch(model, c);
        turns[c] = turns[c] || place.group->corners[place.corner].kind == expressions::CornerKind::moves;
      }
      if (std::any_of(seen.begin(), seen.end(), [&](const model::State& s) { return s.modes == branch.modes; }))
        continue;
      seen.push_back(branch);
      systems.push_back(linearise(model, branch, held, lambda));
      const Linearised& first = systems.front();
      const Linearised& last = systems.back();
      const double force = std::max(largest(first.force_size), largest(last.force_size));
      jump = jump || farthest(first.force, last.force) > same_branch * force;
      const auto differs = [](const Matrix& a, const Matrix& b) {
        return farthest(a.entry, b.entry) > same_branch * std::max(largest(a.entry), largest(b.entry));
      };
      kink = kink || differs(first.alpha, last.alpha) || differs(first.gamma, last.gamma) ||
             differs(first.rows, last.rows);
    }
    if (positions) out.positions = seen;
  };
  look(true, out.position_jump, out.position_kink);
  look(false, out.velocity_jump, out.velocity_kink);
  if (out.smooth()) return out;
  for (std::uint32_t number = 0; number < model.switches; ++number) {
    if (!turns[number]) continue;
    const model::SwitchPlace place = model::place_of_switch(model, number);
    const bool counts =
        !place.truth && (place.row == model.rows() || std::find(held.begin(), held.end(), place.row) != held.end());
    const expressions::Corner& corner = place.group->corners[place.corner];
    if (!counts || corner.quiet) continue;
    if (std::find(out.functions.begin(), out.functions.end(), corner.text) == out.functions.end()) {
      out.functions.push_back(corner.text);
    }
  }
  return out;
}

namespace {

/// Combinations of the allowed directions along which no switching function of velocities that is zero here changes.
Matrix unrubbed(const model::Model& model, const model::State& rest, const Matrix& allowed) {
  std::vector<std::vector<double>> slopes;
  for (std::uint32_t number = 0; number < model.switches; ++number) {
    const model::SwitchPlace place = model::place_of_switch(model, number);
    if (place.truth || place.group->corners[place.corner].kind == expressions::CornerKind::moves) continue;
    const std::vector<double> still(model.variables, 0.0);
    const instant::SwitchRates now = instant::switch_rates(model, number, rest, still);
    if (!now.by_velocity || std::abs(now.g) > same_branch * now.size) continue;
    slopes.emplace_back();
    for (std::size_t c = 0; c < allowed.columns; ++c) {
      std::vector<double> way(model.variables);
      for (std::size_t i = 0; i < way.size(); ++i) way[i] = allowed(i, c);
      slopes.back().push_back(instant::switch_rates(model, number, rest, way).first - now.first);
    }
  }
  Matrix all(slopes.size(), allowed.columns);
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    for (std::size_t c = 0; c < allowed.columns; ++c) all(k, c) = slopes[k][c];
  }
  return linear::null_space(all);
}

}  // namespace

double greatest_power(const model::Model& model, const model::State& rest, const Matrix& allowed) {
  Dice dice(1781);
  double best = -1;
  double force_size = least_divisor;
  const auto power = [&](const std::vector<double>& u, const std::vector<double>& w, std::vector<double>& force) {
    force = forces_at(model, branch_beside(model, rest, u, w));
    const double length = std::sqrt(dot(w, w));
    force_size = std::max(force_size, largest(force));
    return dot(force, w) / length;
  };
  const auto project = [&](const std::vector<double>& force) {
    std::vector<double> out(force.size(), 0.0);
    for (std::size_t c = 0; c < allowed.columns; ++c) {
      double along = 0;
      for (std::size_t i = 0; i < out.size(); ++i) along += allowed(i, c) * force[i];
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += along * allowed(i, c);
    }
    return out;
  };
  const int starts = allowed.columns == 1 ? 8 : 40;
  const int steps = allowed.columns == 1 ? 0 : 60;
  double most = -1e300;
  // Ways that no friction feels, as of two blocks together that rub on each other alone, are not met by chance.
  const Matrix free_ways = linear::product(allowed, unrubbed(model, rest, allowed));
  for (std::size_t c = 0; c < free_ways.columns; ++c) {
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> w(free_ways.rows);
      for (std::size_t i = 0; i < w.size(); ++i) w[i] = sign * free_ways(i, c);
      std::vector<double> force;
      most = std::max(most, power(std::vector<double>(w.size(), 0.0), w, force));
    }
  }
  for (int k = 0; k < starts; ++k) {
    const std::vector<double> u = combination(allowed, dice);
    std::vector<double> w = combination(allowed, dice);
    std::vector<double> force;
    for (int step = 0; step <= steps; ++step) {
      most = std::max(most, power(u, w, force));
      if (step == steps) break;
      const std::vector<double> uphill = project(force);
      const double length = std::sqrt(dot(uphill, uphill));
      if (length == 0) break;
      const double own = std::sqrt(dot(w, w));
      for (std::size_t i = 0; i < w.size(); ++i) w[i] = w[i] / own + uphill[i] / (length * (1.0 + step));
      if (std::sqrt(dot(w, w)) < no_angle_squared) break;
    }
  }
  best = most / force_size;
  return best;
}

namespace {

/// Is there a direction in which velocities meet no power at the place itself, as that of two bodies together that only rub on each other? Sought
/// for downhill from the least of some random ones, and in what no force points into.
bool is_missed_by_power(const model::Model& model, const model::State& rest, const Matrix& allowed) {
  if (allowed.columns < 2) return false;
  Dice dice(1892);
  const double speed = 0.1 * extent_of(rest);
  const std::vector<double> still = forces_at(model, rest);
  std::vector<double> pushes;
  const auto power = [&](const std::vector<double>& direction) {
    model::State at = rest;
    at.modes.clear();
    for (std::size_t i = 0; i < direction.size(); ++i) at.velocity[i] = speed * direction[i];
    const std::vector<double> moving = forces_at(model, at);
    double sum = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) sum += (moving[i] - still[i]) * direction[i];
    pushes.clear();
    for (std::size_t c = 0; c < allowed.columns; ++c) {
      double along = 0;
      for (std::size_t i = 0; i < direction.size(); ++i) along += allowed(i, c) * (moving[i] - still[i]);
      pushes.push_back(along);
    }
    return std::abs(sum);
  };
  const std::size_t count = allowed.columns + 4;
  Matrix all(allowed.columns, count);
  double most = 0;
  double least = -1;
  std::vector<double> lowest;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> direction = combination(allowed, dice);
    const double found = power(direction);
    most = std::max(most, found);
    const double length = largest(pushes);
    for (std::size_t c = 0; c < pushes.size() && length > 0; ++c) all(c, k) = pushes[c] / length;
    if (least < 0 || found < least) {
      least = found;
      lowest = std::move(direction);
    }
  }
  if (!(most > 0) || linear::rank(all) < allowed.columns) return true;
  double reach = 1;
  constexpr int steps = 400;
  for (int k = 0; k < steps; ++k) {
    std::vector<double> other = combination(allowed, dice);
    for (std::size_t i = 0; i < other.size(); ++i) other[i] = lowest[i] + reach * other[i];
    const double length = largest(other);
    if (!(length > 0)) continue;
    for (double& x : other) x /= length;
    const double found = power(other);
    if (found < least) {
      least = found;
      lowest = std::move(other);
      reach = std::min(1.0, 2 * reach);
    } else {
      reach *= downhill_part;
    }
    if (least <= missed_power * most) return true;
  }
  return false;
}

/// The power of forces that depend on velocities, at random states near the place of rest: its sign, that for slow motions, and whether their linear
/// part tells it.
void ask_for_power(const model::Model& model, const model::State& rest, const Matrix& allowed, Character& out) {
  const double extent = extent_of(rest);
  const Linearised system = linearise(model, rest, {}, {});
  Dice dice(1788);
  constexpr int ways = 24;
  constexpr int speeds = 4;
  out.takes = out.gives = allowed.columns > 0;
  const int count = ways + static_cast<int>(2 * allowed.columns);
  for (int k = 0; k < count; ++k) {
    model::State at = rest;
    at.modes.clear();
    for (double& q : at.position) q += near_rest * extent * dice.throw_one();
    const std::vector<double> still = forces_at(model, at);
    // What is taken in one direction only shows on the axes.
    std::vector<double> direction = combination(allowed, dice);
    if (k >= ways) {
      const auto column = static_cast<std::size_t>(k - ways) / 2;
      for (std::size_t i = 0; i < direction.size(); ++i) direction[i] = (k % 2 == 0 ? 1 : -1) * allowed(i, column);
      const double length = largest(direction);
      for (double& x : direction) x /= length;
    }
    double linear_power = 0;
    double linear_size = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      for (std::size_t j = 0; j < direction.size(); ++j) {
        const double term = direction[i] * system.gamma(i, j) * direction[j];
        linear_power += term;
        linear_size += std::abs(term);
      }
    }
    // Fast and slow ones: what is odd in the velocities may show in one of them only, and the slowest that shows it tells the sign near rest.
    double speed = extent;
    double slow[] = {0, 0};
    for (int step = 0; step < speeds; ++step, speed /= 10) {
      double size = 0;
      double along[] = {0, 0};
      for (const int way : {0, 1}) {
        for (std::size_t i = 0; i < direction.size(); ++i) at.velocity[i] = (way == 0 ? speed : -speed) * direction[i];
        const std::vector<double> moving = forces_at(model, at);
        for (std::size_t i = 0; i < direction.size(); ++i) {
          along[way] += (moving[i] - still[i]) * direction[i];
          size += (std::abs(moving[i]) + std::abs(still[i])) * std::abs(direction[i]);
        }
      }
      const double none = no_power * size;
      const double power[] = {along[0], -along[1]};
      for (const int way : {0, 1}) {
        out.dissipative = out.dissipative && power[way] <= none;
        if (std::abs(power[way]) > none) slow[way] = power[way];
        const double beyond = power[way] - speed * linear_power;
        out.works_beyond = out.works_beyond || !(std::abs(beyond) <= none + no_power * speed * linear_size);
      }
      out.even = out.even && std::abs(along[0] - along[1]) <= none;
    }
    out.takes = out.takes && slow[0] < 0 && slow[1] < 0;
    out.gives = out.gives && slow[0] > 0 && slow[1] > 0;
  }
  if ((out.takes || out.gives) && is_missed_by_power(model, rest, allowed)) out.takes = out.gives = false;
}

}  // namespace

Character character_of(const model::Model& model, const model::State& rest, std::span<const std::uint32_t> held,
                       const Matrix& allowed) {
  Character out;
  for (const model::TermGroup& group : model.terms) {
    out.velocities = out.velocities || (group.kind == model::TermKind::force && group.velocities > 0);
  }
  const double extent = extent_of(rest);
  Dice dice(1788);
  constexpr int places = 4;
  const bool given = std::any_of(model.terms.begin(), model.terms.end(),
                                 [](const model::TermGroup& group) { return group.kind == model::TermKind::force; });
  const bool pfaffian = std::any_of(held.begin(), held.end(),
                                    [&](std::uint32_t row) { return !model::is_holonomic(model.row_kind[row]); });
  // On one line every force has a potential and every condition integrates.
  const bool line = allowed.columns <= 1;
  Matrix at_rest;
  for (int k = 0; k < places && !line && (given || pfaffian); ++k) {
    model::State at = rest;
    at.modes.clear();
    for (double& q : at.position) q += k == 0 ? 0.0 : near_rest * extent * dice.throw_one();
    const Linearised system = linearise(model, at, {}, {});
    double odd = 0;
    double other = 0;
    if (k == 0) at_rest = system.alpha;
    for (std::size_t i = 0; i < model.variables; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double curl = system.alpha(i, j) - system.alpha(j, i);
        odd = std::max(odd, std::abs(curl));
        other = std::max(other, std::abs(curl - (at_rest(i, j) - at_rest(j, i))));
      }
    }
    out.works_beyond = out.works_beyond || other > symmetric_part * largest(system.alpha.entry);
    // What is not a number is not known to be symmetric.
    out.potential = out.potential && odd <= symmetric_part * largest(system.alpha.entry);
    // Frobenius: dp vanishes on what all rows allow.
    if (!pfaffian) continue;
    const Matrix rows = linearise(model, at, held, std::vector<double>(held.size(), 0.0)).rows;
    const Matrix kernel = linear::null_space(rows);
    for (std::size_t s = 0; s < held.size(); ++s) {
      if (model::is_holonomic(model.row_kind[held[s]])) continue;
      std::vector<double> one(held.size(), 0.0);
      one[s] = 1;
      const Linearised bent = linearise(model, at, held, one);
      Matrix slope = bent.alpha;  // what multiplier one adds: -dp_i/dq_k
      for (std::size_t e = 0; e < slope.entry.size(); ++e) slope.entry[e] -= system.alpha.entry[e];
      const Matrix on = linear::product(linear::transpose(kernel), linear::product(slope, kernel));
      for (std::size_t i = 0; i < on.rows; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          out.integrable =
              out.integrable && std::abs(on(i, j) - on(j, i)) <=
                                    same_branch * std::max(largest(slope.entry), largest(system.alpha.entry));
        }
      }
    }
  }
  if (out.velocities) ask_for_power(model, rest, allowed, out);
  return out;
}

}  // namespace zwang::analysis
