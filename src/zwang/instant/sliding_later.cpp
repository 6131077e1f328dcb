/// What does not push at this instant, and what it will do: frictions whose size and load begin together, and kinks that keep nothing.
///
/// With mu = 0 and no load nothing tells at this instant whether a speed rests. A time d later, small against everything else, both have the size of their first
/// derivatives that do not vanish, and their ratio, all that the weights depend on, is that of these derivatives but for a part of d. So the weights of d later are taken for
/// that time, and asked again behind it.
///
/// Symbols: as in sliding.hpp. Reference: docs/mathematics, section 21.7.
#include <algorithm>
#include <cmath>

#include "zwang/instant/evaluation.hpp"
#include "zwang/instant/sliding.hpp"

namespace zwang::instant {

using expressions::CornerKind;

namespace {

std::vector<double> forces_with(const model::Model& model, const model::State& state, std::vector<double>& scale) {
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  scale = dynamics.force_scale;
  return dynamics.force;
}

}  // namespace

void Sliding::drop_kinks() {
  for (std::size_t i = 0; i < switches_.size();) {
    const model::SwitchPlace place = model::place_of_switch(model_, switches_[i]);
    const bool part = place.group->corners[place.corner].kind == CornerKind::part;
    bool keeps = part || switch_rates(model_, switches_[i], state_, {}).by_velocity;
    if (!keeps) {
      std::vector<double> scale;
      std::vector<double> other;
      const std::vector<double> modes = state_.modes;
      mix(i, 0, state_.modes);
      const std::vector<double> below = forces_with(model_, state_, scale);
      mix(i, 1, state_.modes);
      const std::vector<double> above = forces_with(model_, state_, other);
      state_.modes = modes;
      for (std::size_t k = 0; k < below.size(); ++k)
        keeps = keeps || !(std::abs(above[k] - below[k]) <= push_zero * std::max(scale[k], other[k]));
    }
    if (keeps) {
      ++i;
      continue;
    }
    const auto at = static_cast<std::ptrdiff_t>(i);
    mix(i, resting(i) == Where::below ? 0.0 : 1.0, state_.modes);
    dropped_.push_back({switches_[i], members_[i], on_[i], mixed_[i]});
    switches_.erase(switches_.begin() + at);
    on_.erase(on_.begin() + at);
    towards_.erase(towards_.begin() + at);
    members_.erase(members_.begin() + at);
    mixed_.erase(mixed_.begin() + at);
    if (!imposed_.empty()) imposed_.erase(imposed_.begin() + at);
  }
}

void Sliding::take_dropped(const std::vector<Disc>& discs, const std::vector<double>& c) {
  if (dropped_.empty()) return;
  // With less friction what leaves its rest would go where it is going to.
  std::vector<double> sigma(c.size());
  for (std::size_t i = 0; i < c.size(); ++i) sigma[i] = (1 + c[i]) / 2;
  for (const Disc& disc : discs) {
    if (!disc.told) continue;
    for (const std::size_t i : disc.of) sigma[i] = (1 + middle_weight * c[i]) / 2;
  }
  std::vector<double> w;
  if (!push(sigma, w)) return;
  double most = 0;
  for (const double a : instant_.accelerations) most = std::max(most, std::abs(a));
  for (const Dropped& one : dropped_) {
    const double second = switch_rates(model_, one.number, state_, instant_.accelerations).second;
    bool above = off(one.number, one.on, state_) >= 0;
    if (std::abs(second) > push_zero * most) above = second > 0;
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
