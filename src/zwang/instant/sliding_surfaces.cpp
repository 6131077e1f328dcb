/// Which switching functions have one and the same surface, and which surfaces depend on others.
#include <algorithm>
#include <cmath>

#include "zwang/base/chance.hpp"
#include "zwang/instant/sliding.hpp"
#include "zwang/instant/workspace_impl.hpp"

namespace zwang::instant {

using expressions::Side;

void Sliding::join_equal() {
  std::vector<std::uint32_t> first;
  std::vector<Side> on;
  std::vector<Side> towards;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    std::size_t same = 0;
    double factor = 0;
    while (same < first.size() && (factor = multiple(first[same], on[same], switches_[i], on_[i])) == 0) ++same;
    if (same == first.size()) {
      factor = 1;
      first.push_back(switches_[i]);
      on.push_back(on_[i]);
      towards.push_back(towards_[i]);
      members_.emplace_back();
    }
    members_[same].push_back({switches_[i], on_[i], factor < 0});
  }
  switches_ = std::move(first);
  on_ = std::move(on);
  towards_ = std::move(towards);

  // Roundings may have told the side of a multiple already.
  std::erase_if(touched_, [&](const auto& one) {
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      const double factor = multiple(switches_[i], on_[i], one.first, one.second);
      if (factor == 0) continue;
      members_[i].push_back({one.first, one.second, factor < 0});
      return true;
    }
    return false;
  });
}

bool Sliding::has_equations() const {
  return !model_.flow && std::any_of(model_.row_kind.begin(), model_.row_kind.end(),
                                     [](auto kind) { return model::is_equation(kind); });
}

Span Sliding::kept_by_equations() const {
  Span span;
  if (model_.flow || instant_.role.size() != model_.rows()) return span;
  const model::Rows& rows = workspace_.impl().rows;
  const std::size_t n = state_.position.size();
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    if (instant_.role[row] != Role::equation && std::find(carried_.begin(), carried_.end(), row) == carried_.end()) {
      continue;
    }
    std::vector<double> gradient(2 * n, 0.0);
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e)
      gradient[n + model_.row_column[e]] += rows.entry[e];
    static_cast<void>(span.add(std::move(gradient)));
  }
  return span;
}

void Sliding::take_out(std::size_t i) {
  const auto at = static_cast<std::ptrdiff_t>(i);
  switches_.erase(switches_.begin() + at);
  on_.erase(on_.begin() + at);
  towards_.erase(towards_.begin() + at);
  members_.erase(members_.begin() + at);
  mixed_.erase(mixed_.begin() + at);
  walls_.erase(walls_.begin() + at);
  if (!imposed_.empty()) imposed_.erase(imposed_.begin() + at);
}

bool Sliding::leave_to_equations(const std::vector<double>& base) {
  const Span kept = kept_by_equations();
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const std::vector<double> pull = pulls(switches_[i]);
    if (is_flat(switches_[i]) || !kept.holds(pull)) continue;
    // One that passes an equation which moves is pushed by that.
    double terms = 0;
    const std::size_t n = state_.position.size();
    for (std::size_t k = 0; k < n; ++k) terms += std::abs(pull[n + k] * instant_.accelerations[k]);
    const SwitchRates rates = switch_rates(model_, switches_[i], state_, {});
    if (std::abs(base[i]) <= push_zero * (terms + rates.rate_size)) held.push_back(i);
  }
  std::reverse(held.begin(), held.end());
  for (const std::size_t i : held) {
    const model::SwitchPlace place = model::place_of_switch(model_, switches_[i]);
    const bool is_sign = place.group->corners[place.corner].kind == expressions::CornerKind::sign;
    const Where where = is_sign ? Where::on : resting(i);
    held_.push_back({where, std::move(members_[i]), std::move(mixed_[i])});
    for (const MixedMode& mode : held_.back().mixed)
      instant::mix(mode, where == Where::on ? middle_weight : where == Where::above ? 1.0 : 0.0, state_.modes);
    take_out(i);
  }
  return !held.empty();
}

bool Sliding::dependent() const {
  Span span = kept_by_equations();
  return !std::all_of(switches_.begin(), switches_.end(),
                      [&](std::uint32_t number) { return span.add(pulls(number)); });
}

void Sliding::take_in_dependent() {
  if (touched_.empty()) return;
  const bool tied = has_equations();
  if (switches_.size() < 2 && !tied) return;
  if (tied) accelerate(model_, state_, options_, workspace_, instant_);
  Span span = kept_by_equations();
  for (const std::uint32_t number : switches_) static_cast<void>(span.add(slopes(number)));
  const std::size_t before = switches_.size();
  std::erase_if(touched_, [&](const auto& one) {
    const auto& [number, threshold] = one;
    if (is_flat(number) || !span.holds(slopes(number))) return false;
    for (std::size_t i = 0; i < before; ++i) {
      if (parallel(number, switches_[i])) return false;
    }
    for (std::size_t i = before; i < switches_.size(); ++i) {
      const double factor = multiple(switches_[i], on_[i], number, threshold);
      if (factor == 0) continue;
      members_[i].push_back({number, threshold, factor < 0});
      return true;
    }
    switches_.push_back(number);
    on_.push_back(threshold);
    towards_.push_back(corners_.sides[number]);
    members_.push_back({{number, threshold, false}});
    return true;
  });
}

double Sliding::off(std::uint32_t number, Side on, const model::State& state) const {
  const model::SwitchPlace place = model::place_of_switch(model_, number);
  return switch_rates(model_, number, state, {}).g - place.group->corners[place.corner].threshold(on + 1, false);
}

double Sliding::multiple(std::uint32_t one, Side on_one, std::uint32_t other, Side on_other) const {
  // At least 1: what a state at rest has is rounding.
  const auto size_of = [](const std::vector<double>& x) {
    double most = 1;
    for (const double value : x) most = std::max(most, std::abs(value));
    return most;
  };
  const double far = beside_state * size_of(state_.position);
  const double fast = beside_state * size_of(state_.velocity);
  const std::size_t n = state_.position.size();
  double factor = 0;
  for (std::size_t look = 0; look < 3; ++look) {
    model::State beside = state_;
    beside.time += beside_state * static_cast<double>(look);
    for (std::size_t i = 0; i < n; ++i) {
      beside.position[i] += far * chance(2 * (look * n + i));
      beside.velocity[i] += fast * chance(2 * (look * n + i) + 1);
    }
    const double x = off(one, on_one, beside);
    const double y = off(other, on_other, beside);
    if (look == 0) factor = y / x;
    const double size =
        switch_rates(model_, one, beside, {}).size * std::abs(factor) + switch_rates(model_, other, beside, {}).size;
    if (!std::isfinite(factor) || factor == 0 || !(std::abs(y - factor * x) <= on_threshold * size)) return 0;
  }
  return factor;
}

std::vector<double> Sliding::slopes(std::uint32_t number) const {
  const model::SwitchPlace place = model::place_of_switch(model_, number);
  const model::Slotted& group = *place.group;
  const std::vector<double> slope = slopes_by_slot(place, state_);
  const std::size_t n = state_.position.size();
  std::vector<double> out(2 * n);
  bool by_velocity = false;
  for (std::size_t k = 0; k < group.velocities; ++k) {
    out[n + group.velocity_of[k * group.lanes + place.lane]] = slope[group.positions + k];
    by_velocity = by_velocity || slope[group.positions + k] != 0;
  }
  for (std::size_t k = 0; k < group.positions && !by_velocity; ++k) {
    out[group.position_of[k * group.lanes + place.lane]] = slope[k];
  }
  return out;
}

std::vector<double> Sliding::pulls(std::uint32_t number) const {
  std::vector<double> out = slopes(number);
  const auto n = static_cast<std::ptrdiff_t>(state_.position.size());
  if (by_second(number)) {
    const double by = little();
    for (std::size_t k = 0; k < state_.position.size(); ++k) {
      out[k] = 0;
      out[state_.position.size() + k] = (rate_beside(number, 0, k, by) - rate_beside(number, 0, k, -by)) / (2 * by);
    }
    return out;
  }
  if (std::all_of(out.begin() + n, out.end(), [](double value) { return value == 0; })) {
    std::swap_ranges(out.begin(), out.begin() + n, out.begin() + n);
  }
  return out;
}

bool Sliding::is_flat(std::uint32_t number) const {
  const std::vector<double> x = slopes(number);
  return std::all_of(x.begin(), x.end(), [](double value) { return value == 0; });
}

bool Sliding::parallel(std::uint32_t one, std::uint32_t other) const {
  const std::vector<double> x = slopes(one);
  const std::vector<double> y = slopes(other);
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += x[i] * x[i];
    xy += x[i] * y[i];
    yy += y[i] * y[i];
  }
  return xx > 0 && yy > 0 && xy * xy >= (1 - on_threshold) * xx * yy;
}

}  // namespace zwang::instant
