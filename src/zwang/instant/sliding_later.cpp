/// What does not push at this instant, and what it will do: frictions whose size and load begin together, and kinks that keep nothing.
///
/// With mu = 0 and no load nothing tells at this instant whether a speed rests. A time d later, small against everything else, both have the size of their first
/// derivatives that do not vanish, and their ratio, all that the weights depend on, is that of these derivatives but for a part of d. So the weights of d later are taken for
/// that time, and asked again behind it.
///
/// Symbols: as in sliding.hpp. Reference: docs/mathematics, section 21.7.
#include <algorithm>
#include <cmath>

#include "zwang/base/chance.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/instant/sliding.hpp"
#include "zwang/model/flow.hpp"

namespace zwang::instant {

using expressions::CornerKind;
using expressions::Side;

namespace {

/// Forces; of a flow rates.
std::vector<double> forces_with(const model::Model& model, const model::State& state, std::vector<double>& scale) {
  if (model.flow) {
    std::vector<double> rate = model::rates(model, state).rate;
    scale.assign(rate.size(), 0.0);
    for (std::size_t k = 0; k < rate.size(); ++k) scale[k] = std::abs(rate[k]);
    return rate;
  }
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  scale = dynamics.force_scale;
  return dynamics.force;
}

}  // namespace

bool Sliding::changes_force(const std::vector<MixedMode>& across, model::State state) const {
  std::vector<double> scale;
  std::vector<double> other;
  for (const MixedMode& mode : across) instant::mix(mode, 0, state.modes);
  const std::vector<double> below = forces_with(model_, state, scale);
  for (const MixedMode& mode : across) instant::mix(mode, 1, state.modes);
  const std::vector<double> above = forces_with(model_, state, other);
  for (std::size_t k = 0; k < below.size(); ++k) {
    if (!(std::abs(above[k] - below[k]) <= push_zero * std::max(scale[k], other[k]))) return true;
  }
  return false;
}

bool Sliding::is_bend(std::uint32_t number, Side on, const std::vector<MixedMode>& across) const {
  const std::vector<double> all = slopes(number);
  const std::size_t n = state_.position.size();
  // By velocities; of a flow by positions.
  const std::span<const double> slope = std::span(all).subspan(model_.flow ? 0 : n, n);
  double square = 0;
  double fastest = 0;
  double farthest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    square += slope[i] * slope[i];
    fastest = std::max(fastest, std::abs(state_.velocity[i]));
    farthest = std::max(farthest, std::abs(state_.position[i]));
  }
  if (square == 0) return false;
  // Here, and at states beside this one, brought onto the surface: friction that begins from nothing jumps elsewhere.
  for (std::size_t look = 0; look < 3; ++look) {
    model::State beside = state_;
    const double far = beside_state * static_cast<double>(look);
    beside.time += far * (model_.simulation.until - model_.simulation.start);
    for (std::size_t i = 0; i < n; ++i) {
      beside.position[i] += far * (farthest > 0 ? farthest : 1) * chance(2 * (look * n + i));
      beside.velocity[i] += far * (fastest > 0 ? fastest : 1) * chance(2 * (look * n + i) + 1);
    }
    std::vector<double>& moved = model_.flow ? beside.position : beside.velocity;
    for (int round = 0; round < rounds_onto_surface; ++round) {
      const double distance = off(number, on, beside);
      for (std::size_t i = 0; i < n; ++i) moved[i] -= distance / square * slope[i];
    }
    const SwitchRates there = switch_rates(model_, number, beside, {});
    if (!is_on_threshold(off(number, on, beside), there) || changes_force(across, beside)) return false;
  }
  return true;
}

void Sliding::drop_bends_of_surfaces() {
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (members_[i].size() < 2) continue;
    std::vector<Member> kept;
    std::vector<Dropped> bends;
    for (const Member& member : members_[i]) {
      std::vector<MixedMode> across = modes_across(model_, state_, corners_.sides, member.number, member.on, no_side);
      if (is_bend(member.number, member.on, across)) {
        bends.push_back({member.number, {{member.number, member.on, false}}, member.on, std::move(across)});
      } else {
        kept.push_back(member);
      }
    }
    if (kept.empty() || bends.empty()) continue;
    for (Dropped& one : bends) {
      for (const MixedMode& mode : one.mixed) instant::mix(mode, 1.0, state_.modes);
      dropped_.push_back(std::move(one));
    }
    // Another one may lead now.
    const bool turned = kept[0].turned;
    for (Member& member : kept) member.turned = member.turned != turned;
    if (towards_[i] == on_[i]) {
      towards_[i] = kept[0].on;
    } else {
      towards_[i] = (towards_[i] > on_[i]) != turned ? kept[0].on + 1 : kept[0].on - 1;
    }
    switches_[i] = kept[0].number;
    on_[i] = kept[0].on;
    members_[i] = std::move(kept);
  }
}

void Sliding::drop(std::size_t i) {
  mix(i, resting(i) == Where::below ? 0.0 : 1.0, state_.modes);
  dropped_.push_back({switches_[i], members_[i], on_[i], mixed_[i]});
  take_out(i);
}

void Sliding::drop_kinks() {
  for (std::size_t i = 0; i < switches_.size();) {
    const model::SwitchPlace place = model::place_of_switch(model_, switches_[i]);
    const bool part = place.group->corners[place.corner].kind == CornerKind::part;
    if (part || switch_rates(model_, switches_[i], state_, {}).by_velocity || changes_force(mixed_[i], state_)) {
      ++i;
    } else {
      drop(i);
    }
  }
}

void Sliding::take_dropped(const std::vector<double>& sigma) {
  if (dropped_.empty()) return;
  std::vector<double> w;
  if (!push(sigma, w)) return;
  double most = 0;
  for (const double a : instant_.accelerations) most = std::max(most, std::abs(a));
  for (const Dropped& one : dropped_) {
    const SwitchRates rates = switch_rates(model_, one.number, state_, instant_.accelerations);
    const bool by_first = rates.by_velocity || model_.flow;
    const double pushed = by_first ? rates.first : rates.second;
    bool above = off(one.number, one.on, state_) >= 0;
    if (std::abs(pushed) > push_zero * std::max(most, by_first ? rates.rate_size : 0.0)) above = pushed > 0;
    for (const MixedMode& mode : one.mixed) {
      instant::mix(mode, above ? 1.0 : 0.0, corners_.modes);
      corners_.sides[mode.number] = above ? mode.side_above : mode.side_below;
    }
    for (const Member& member : one.members)
      corners_.sides[member.number] = above != member.turned ? member.on + 1 : member.on - 1;
  }
}

void Sliding::go_on(double time) {
  state_.time += time;
  for (std::size_t i = 0; i < instant_.accelerations.size() && i < state_.position.size(); ++i) {
    state_.position[i] += time * (state_.velocity[i] + time * instant_.accelerations[i] / 2);
    state_.velocity[i] += time * instant_.accelerations[i];
  }
}

bool Sliding::waits_for_size(const std::vector<double>& base, const std::vector<double>& change, double zero) {
  if (model_.flow) return false;
  const std::size_t n = switches_.size();
  std::vector<std::size_t> empty;
  std::vector<double> scale;
  const auto is_felt = [&](std::size_t i) {
    mix(i, 0, state_.modes);
    const std::vector<double> below = forces_with(model_, state_, scale);
    mix(i, 1, state_.modes);
    const std::vector<double> above = forces_with(model_, state_, scale);
    bool felt = false;
    for (std::size_t k = 0; k < below.size(); ++k) felt = felt || std::abs(above[k] - below[k]) > push_zero * scale[k];
    return felt;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const model::SwitchPlace place = model::place_of_switch(model_, switches_[i]);
    const CornerKind kind = place.group->corners[place.corner].kind;
    const bool jumps = kind == CornerKind::sign || kind == CornerKind::truth;
    if (!switch_rates(model_, switches_[i], state_, {}).by_velocity) return false;
    // A force that is there already is kept from moving anything by conditions.
    if (jumps && std::abs(base[i]) <= zero && std::abs(change[i * n + i]) <= zero && !is_felt(i)) empty.push_back(i);
  }
  if (empty.empty()) return false;
  const model::State now = state_;
  bool comes = false;
  for (const double part : later_parts) {
    std::vector<double> w;
    if (comes || !push(std::vector<double>(n, middle_weight), w)) break;
    go_on(part * (model_.simulation.until - model_.simulation.start));
    for (const std::size_t i : empty) comes = comes || is_felt(i);
    state_ = now;
  }
  state_ = now;
  return comes;
}

bool Sliding::decide_later(std::vector<Disc>& discs, std::vector<double>& c, double zero) {
  const std::size_t n = switches_.size();
  std::vector<Disc> waiting;
  std::vector<std::size_t> which;
  for (std::size_t k = 0; k < discs.size(); ++k) {
    // What the others push goes with them.
    discs[k].waits = discs[k].waits && !(discs[k].push > zero);
    if (!discs[k].waits) continue;
    waiting.push_back(discs[k]);
    waiting.back().told = false;
    which.push_back(k);
    for (const std::size_t i : discs[k].of) c[i] = 0;
  }
  if (waiting.empty()) return true;
  const auto weights = [&] {
    std::vector<double> sigma(n);
    for (std::size_t i = 0; i < n; ++i) sigma[i] = (1 + c[i]) / 2;
    return sigma;
  };
  const model::State now = state_;
  bool right = true;
  for (const double part : later_parts) {
    std::vector<double> w;
    std::vector<double> base;
    if (!push(weights(), w)) break;
    go_on(part * (model_.simulation.until - model_.simulation.start));
    if (!push(weights(), base)) break;
    // All of them: what rests beside it holds it, what moves takes it along.
    std::vector<double> effect(n * n, 0.0);
    double most = 0;
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> sigma = weights();
      sigma[j] += middle_weight;
      if (!push(sigma, w)) w = base;
      for (std::size_t i = 0; i < n; ++i) effect[i * n + j] = base[i] - w[i];
    }
    std::vector<double> load = base;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) load[i] += effect[i * n + j] * c[j];
    }
    for (const Disc& disc : waiting) {
      for (const std::size_t j : disc.of) most = std::max({most, std::abs(base[j]), std::abs(effect[j * n + j])});
    }
    double largest = most;
    for (const double x : load) largest = std::max(largest, std::abs(x));
    for (const double x : effect) largest = std::max(largest, std::abs(x));
    // Less than that is rounding of what the others do to it.
    if (most > push_zero * largest) {
      std::vector<Disc> then = discs;
      for (const std::size_t k : which) then[k].told = false;
      std::vector<double> there;
      right = solve_discs(load, effect, push_zero * largest, then, there);
      for (std::size_t a = 0; a < waiting.size() && right; ++a) {
        discs[which[a]].push = then[which[a]].push > push_zero * largest ? then[which[a]].push : 0.0;
        for (const std::size_t i : waiting[a].of) c[i] = there[i];
      }
      if (!right && n == 1 && !waiting[0].part) {
        for (const double sigma : {0.0, 1.0}) {
          if (push({sigma}, w)) corners_.ways.push_back({instant_.accelerations, 0});
        }
      }
      state_ = now;
      return right;
    }
    state_ = now;
  }
  // Nothing pushes for a while, and nothing holds: it rests, and is asked again.
  state_ = now;
  for (const std::size_t k : which) {
    discs[k].waits = false;
    discs[k].idle = true;
  }
  return true;
}

}  // namespace zwang::instant
