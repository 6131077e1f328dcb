/// Which surfaces the motion stays on, and with which weights.
#include "zwang/instant/sliding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/flow.hpp"

namespace zwang::instant {

using expressions::Side;

Sliding::Sliding(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
                 Corners& corners, std::vector<std::uint32_t> switches, std::vector<Side> on, std::vector<Side> towards,
                 std::vector<std::pair<std::uint32_t, Side>> touched, const Pins& pins)
    : model_(model),
      state_(state),
      options_(options),
      workspace_(workspace),
      corners_(corners),
      pins_(pins),
      switches_(std::move(switches)),
      on_(std::move(on)),
      towards_(std::move(towards)),
      touched_(std::move(touched)) {
  state_.modes = corners.modes;
  options_.tell = false;
  options_.balanced = {};
  if (!options_.gone.is_told()) options_.gone = RowSet(model.rows());
  join_equal();
  take_in_dependent();
  drop_bends_of_surfaces();
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    mixed_.emplace_back();
    walls_.push_back(Where::on);
    for (const Member& member : members_[i]) {
      const Side barred = pins_.forbidden(member.number, options_.gone);
      if (barred != no_side) walls_[i] = (barred < member.on) != member.turned ? Where::below : Where::above;
      for (MixedMode mode : modes_across(model_, state_, corners.sides, member.number, member.on, barred)) {
        if (member.turned) {
          std::swap(mode.below, mode.above);
          std::swap(mode.side_below, mode.side_above);
        }
        mixed_[i].push_back(mode);
      }
    }
  }
}

void Sliding::run() {
  const std::size_t n = switches_.size();
  if (n > most_slid) {
    corners_.refusal = "more switching surfaces are met at once than are treated";
    return;
  }
  if (has_parts()) return run_discs();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (shares(i, j)) return refuse("are nested in one another");
      if (parallel(switches_[i], switches_[j])) {
        // One that is only crossed while the other is slid on, as x' = 0 of a drag on a belt that swings.
        for (const std::size_t one : {i, j}) {
          if (!is_bend(switches_[one], on_[one], mixed_[one])) continue;
          drop(one);
          return run();
        }
        return refuse("are one surface, written by functions that are no multiples of one another", "write them alike");
      }
    }
  }
  if (!imposed_.empty()) imposed_size_ = imposed_part * free_push();
  // w at the lower sides, and what every switch changes.
  std::vector<double> sigma(n, 0.0);
  std::vector<double> base;
  if (!push(sigma, base)) return;
  if (leave_to_equations(base)) {
    if (switches_.empty()) take({}, {}, {}, {});
    if (!switches_.empty()) run();
    return;
  }
  bool contacts = !model_.flow && touches();
  std::vector<double> change(n * n);
  double largest = 0;
  std::vector<std::vector<double>> ways;
  ways.push_back(instant_.accelerations);
  for (std::size_t j = 0; j < n; ++j) {
    sigma.assign(n, 0.0);
    sigma[j] = 1;
    std::vector<double> w;
    if (!push(sigma, w)) return;
    contacts = contacts || (!model_.flow && touches());
    ways.push_back(instant_.accelerations);
    for (std::size_t i = 0; i < n; ++i) change[i * n + j] = w[i] - base[i];
    for (const double x : w) largest = std::max(largest, std::abs(x));
  }
  for (const double x : base) largest = std::max(largest, std::abs(x));
  const double zero = push_zero * largest;
  if (model_.flow && n > 1 && look_at_second(base, change, zero)) return;
  if (waits_for_size(base, change, zero)) return run_discs();
  if (rub_dependently(change, zero)) {
    // Which conditions press may change with the weights, and what one of them holds by itself needs none.
    if (contacts && run_with_contacts()) return;
    if (contacts && has_equations()) return refuse("which conditions press with them is not decided");
    corners_.refusal.clear();
    corners_.ways.clear();
    return run_dependent(base, change, zero);
  }

  if (contacts) {
    if (run_with_contacts()) return;
    corners_.refusal.clear();
    corners_.ways.clear();
  }
  std::vector<Where> where;
  if (!choose(base, change, zero, ways, where, sigma)) return;

  // The linear picture must be the truth: no product of two modes occurs.
  std::vector<double> w;
  if (!push(sigma, w)) return;
  for (std::size_t i = 0; i < n; ++i) {
    if (where[i] == Where::on && std::abs(w[i]) > push_in_doubt * zero) {
      if (n == 1 && refine(sigma, zero)) break;
      refuse("their combination is not the sum of their forces");
      return;
    }
  }
  std::vector<std::uint8_t> slides(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    slides[i] = where[i] == Where::on && std::abs(change[i * n + i]) > zero ? 1 : 0;
  }
  take(where, sigma, slides, std::vector<std::uint8_t>(n, 0));
}

bool Sliding::look_at_second(std::vector<double> base, std::vector<double> change, double zero) {
  const std::size_t n = switches_.size();
  second_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto none = [&](double w) { return std::abs(w) <= zero; };
    const auto row = change.begin() + static_cast<std::ptrdiff_t>(i * n);
    second_[i] = none(base[i]) && std::all_of(row, row + static_cast<std::ptrdiff_t>(n), none) ? 1 : 0;
  }
  const auto count = static_cast<std::size_t>(std::count(second_.begin(), second_.end(), 1));
  bool found = count > 0 && count < n;
  double largest = 0;
  std::vector<double> sigma(n, 0.0);
  found = found && push(sigma, base);
  for (std::size_t j = 0; j < n && found; ++j) {
    sigma.assign(n, 0.0);
    sigma[j] = 1;
    std::vector<double> w;
    found = push(sigma, w);
    for (std::size_t i = 0; i < n && found; ++i) {
      change[i * n + j] = w[i] - base[i];
      largest = std::max({largest, std::abs(w[i]), std::abs(base[i])});
    }
  }
  zero = push_zero * largest;
  for (std::size_t i = 0; i < n; ++i) found = found && change[i * n + i] < -zero;
  if (found && dependent()) run_dependent(base, change, zero);
  found = found && corners_.refusal.empty() && !corners_.slid.empty();
  if (!found) corners_.refusal.clear();
  if (!found) second_.clear();
  return found;
}

double Sliding::rate_beside(std::uint32_t number, double time, std::size_t variable, double by) const {
  model::State beside = state_;
  beside.time += time;
  for (std::size_t k = 0; k < beside.position.size(); ++k) beside.position[k] += time * state_.velocity[k];
  beside.position[variable] += by;
  beside.velocity = model::rates(model_, beside).rate;
  return switch_rates(model_, number, beside, {}).first;
}

double Sliding::little() const {
  double extent = 0;
  for (const double x : state_.position) extent = std::max(extent, std::abs(x));
  for (const double x : model_.initial_position) extent = std::max(extent, std::abs(x));
  return beside_for_slope * (extent > 0 ? extent : 1.0);
}

bool Sliding::by_second(std::uint32_t number) const {
  const auto at = std::find(switches_.begin(), switches_.end(), number) - switches_.begin();
  return static_cast<std::size_t>(at) < second_.size() && second_[static_cast<std::size_t>(at)] != 0;
}

bool Sliding::choose(const std::vector<double>& base, const std::vector<double>& change, double zero,
                     const std::vector<std::vector<double>>& ways, std::vector<Where>& where,
                     std::vector<double>& sigma) {
  const std::size_t n = switches_.size();
  where.assign(n, Where::below);
  sigma.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    // Nothing that the switch does moves it: it is where its value is.
    if (std::abs(change[i * n + i]) <= zero)
      where[i] = base[i] > zero ? Where::above : base[i] < -zero ? Where::below : resting(i);
    if (n == 1 && base[i] < -zero && base[i] + change[i] > zero) {
      for (const auto& way : ways) corners_.ways.push_back({way, 0});
      corners_.refusal = "both sides of the switching surface of " + name_of_switch(model_, switches_[i]) +
                         " push away from it: the motion may go either way";
      return false;
    }
  }
  if (n == 1 && !model_.flow && change[0] > zero && towards_[0] == on_[0]) {
    const bool from_below = std::abs(base[0]) <= zero && base[0] + change[0] > zero;
    const bool from_above = base[0] < -zero && std::abs(base[0] + change[0]) <= zero;
    if (from_below || from_above) return leave_edge(from_below, zero, ways, where, sigma);
  }
  const std::vector<Where> first = where;
  std::vector<bool> edge(n, false);
  std::vector<bool> barred(n, false);
  std::size_t latest = n;
  for (std::size_t round = 0; round < 100 + 20 * n; ++round) {
    // Weights of those on their threshold; of those without effect any.
    std::vector<std::size_t> on;
    for (std::size_t i = 0; i < n; ++i) {
      sigma[i] = where[i] == Where::above ? 1 : 0;
      const bool idle = std::abs(change[i * n + i]) <= zero && first[i] == Where::on;
      if (where[i] == Where::on && idle) sigma[i] = 0.5;
      if (where[i] == Where::on && !idle) on.push_back(i);
    }
    std::vector<double> matrix(on.size() * on.size());
    std::vector<double> x(on.size());
    for (std::size_t a = 0; a < on.size(); ++a) {
      x[a] = -base[on[a]];
      for (std::size_t j = 0; j < n; ++j) x[a] -= change[on[a] * n + j] * sigma[j];
      for (std::size_t b = 0; b < on.size(); ++b) matrix[a * on.size() + b] = change[on[a] * n + on[b]];
    }
    if (!linear::solve_small(matrix, x, push_zero)) {
      // The last one that came on its threshold cannot be moved as long as the others are on theirs: it goes to the side that they push it to.
      if (latest == n) {
        refuse("their combination is not determined");
        return false;
      }
      barred[latest] = true;
      where[latest] = towards_[latest] > on_[latest] ? Where::above : Where::below;
      latest = n;
      continue;
    }
    for (std::size_t a = 0; a < on.size(); ++a) sigma[on[a]] = x[a];
    bool right = true;
    for (std::size_t i = 0; i < n && right; ++i) {
      if (std::abs(change[i * n + i]) <= zero) continue;
      double w = base[i];
      for (std::size_t j = 0; j < n; ++j) w += change[i * n + j] * sigma[j];
      if (barred[i]) {
        if (where[i] == Where::above ? w < -zero : w > zero) {
          where[i] = where[i] == Where::above ? Where::below : Where::above;
          right = false;
        }
      } else if (change[i * n + i] > zero) {
        // What the switch does pushes away from its surface: it is never slid on.
        // Where nothing pushes it yet, its way tells.
        const bool goes_up = towards_[i] > on_[i];
        const bool goes_down = towards_[i] < on_[i];
        const bool turns = !edge[i] && (where[i] == Where::above ? goes_down && w <= zero : goes_up && w >= -zero);
        edge[i] = edge[i] || turns;
        if (turns || where[i] == Where::on || (where[i] == Where::above ? w < -zero : w > zero)) {
          where[i] = where[i] == Where::above ? Where::below : Where::above;
          right = false;
        }
      } else if (where[i] == Where::on && sigma[i] < (edge[i] ? -push_zero : 0.0)) {
        where[i] = Where::below;
        right = false;
      } else if (where[i] == Where::on && sigma[i] > (edge[i] ? 1 + push_zero : 1.0)) {
        where[i] = Where::above;
        right = false;
      } else if ((where[i] == Where::below && w > zero) || (where[i] == Where::above && w < -zero)) {
        where[i] = Where::on;
        latest = i;
        right = false;
      } else if (!edge[i] && ((where[i] == Where::below && w >= -zero && towards_[i] > on_[i]) ||
                              (where[i] == Where::above && w <= zero && towards_[i] < on_[i]))) {
        // Just not pushed, and it was going to the other side: the push grows, and the weight leaves its bound.
        edge[i] = true;
        where[i] = Where::on;
        latest = i;
        right = false;
      }
    }
    if (!right) continue;
    for (std::size_t i = 0; i < n; ++i) {
      double w = base[i];
      for (std::size_t j = 0; j < n; ++j) w += change[i * n + j] * (j == i ? 0.0 : sigma[j]);
      if (w < -zero && w + change[i * n + i] > zero) {
        refuse("one of them, " + name_of_switch(model_, switches_[i]) + ", pushes away to either side");
        return false;
      }
    }
    return true;
  }
  refuse("no combination keeps the motion on them");
  return false;
}

int Sliding::leads_later(double weight, double zero) {
  const model::State now = state_;
  const std::vector<double> modes = corners_.modes;
  int leads = 0;
  for (const double part : later_parts) {
    const double later = part * (model_.simulation.until - model_.simulation.start);
    std::vector<double> w;
    if (leads != 0 || !(later > 0) || !push({weight}, w)) break;
    const std::vector<double> a = instant_.accelerations;
    state_.time += later;
    for (std::size_t i = 0; i < a.size(); ++i) {
      state_.position[i] += later * (state_.velocity[i] + later * a[i] / 2);
      state_.velocity[i] += later * a[i];
    }
    if (push({weight}, w) && std::abs(w[0]) > zero) leads = w[0] > 0 ? 1 : -1;
    state_ = now;
  }
  state_ = now;
  corners_.modes = modes;
  return leads;
}

bool Sliding::leave_edge(bool from_below, double zero, const std::vector<std::vector<double>>& ways,
                         std::vector<Where>& where, std::vector<double>& sigma) {
  const int later = leads_later(from_below ? 0.0 : 1.0, zero);
  if (later == (from_below ? -1 : 1)) {
    for (const auto& way : ways) corners_.ways.push_back({way, 0});
    corners_.refusal = "on one side of the switching surface of " + name_of_switch(model_, switches_[0]) +
                       " the forces push away from it, and on the other they begin to: the motion may go either way";
    return false;
  }
  // Nothing ever leads into the side without a push: it is where its value is.
  const Where pushed = from_below ? Where::above : Where::below;
  const Where still = from_below ? Where::below : Where::above;
  where[0] = later == 0 && resting(0) == still ? still : pushed;
  sigma[0] = where[0] == Where::above ? 1 : 0;
  return true;
}

void Sliding::take(const std::vector<Where>& where, const std::vector<double>& sigma,
                   const std::vector<std::uint8_t>& slides, const std::vector<std::uint8_t>& implied) {
  corners_.unasked = false;
  const std::size_t n = sigma.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& one : touched_) {
      const std::uint32_t number = one.first;
      if (slides[i] == 0 || !(is_flat(number) || parallel(number, switches_[i]))) continue;
      if (is_bend(number, one.second, modes_across(model_, state_, corners_.sides, number, one.second, no_side)))
        continue;
      switches_.push_back(number);
      return refuse("are one surface, written by functions that are no multiples of one another", "write them alike");
    }
    if (slides[i] != 0 && !linear_in(i, sigma)) {
      return refuse(
          "a force there is no linear function of it, so that the mean of both sides is not the force at their "
          "mean",
          "write it as if(u > 0, force above, force below)");
    }
  }
  struct Slid {
    std::uint32_t number, leader;
    double weight;
    std::uint8_t implied;
  };
  std::vector<Slid> slid;
  for (std::size_t i = 0; i < n; ++i) {
    mix(i, sigma[i], corners_.modes);
    for (const MixedMode& mode : mixed_[i]) {
      corners_.sides[mode.number] = where[i] == Where::above ? mode.side_above : mode.side_below;
      if (slides[i] != 0) corners_.mixed.push_back(mode);
    }
    for (const Member& member : members_[i]) {
      const bool above = (where[i] == Where::above) != member.turned;
      corners_.sides[member.number] = where[i] == Where::on ? member.on : (above ? member.on + 1 : member.on - 1);
      for (const MixedMode& mode : mixed_[i]) {
        if (mode.number == member.number && where[i] != Where::on)
          corners_.sides[member.number] = where[i] == Where::above ? mode.side_above : mode.side_below;
      }
      if (slides[i] != 0) slid.push_back({member.number, switches_[i], sigma[i], implied[i]});
    }
  }
  for (const Held& one : held_) {
    const bool on = one.where == Where::on;
    for (const MixedMode& mode : one.mixed) {
      instant::mix(mode, on ? middle_weight : one.where == Where::above ? 1.0 : 0.0, corners_.modes);
      corners_.sides[mode.number] = one.where == Where::above ? mode.side_above : mode.side_below;
      if (on) corners_.mixed.push_back(mode);
    }
    for (const Member& member : one.members) {
      const bool above = (one.where == Where::above) != member.turned;
      corners_.sides[member.number] = on ? member.on : (above ? member.on + 1 : member.on - 1);
      if (on) slid.push_back({member.number, one.members[0].number, middle_weight, weight_held});
    }
  }
  std::sort(slid.begin(), slid.end(), [](const Slid& a, const Slid& b) { return a.number < b.number; });
  for (const Slid& one : slid) {
    corners_.slid.push_back(one.number);
    corners_.leader.push_back(one.leader);
    corners_.weight.push_back(one.weight);
    corners_.implied.push_back(one.implied);
  }
  take_dropped(sigma);
}

bool Sliding::linear_in(std::size_t i, std::vector<double> sigma) {
  std::vector<double> scale(model_.variables, 0.0);  // of the terms of a force, which may cancel, and of their rounding
  const auto forces = [&](double weight) {
    model::State state = state_;
    sigma[i] = weight;
    for (std::size_t j = 0; j < sigma.size(); ++j) mix(j, sigma[j], state.modes);
    if (model_.flow) return model::rates(model_, state).rate;
    model::Scratch scratch = model::make_scratch(model_);
    model::Dynamics dynamics = model::make_dynamics(model_);
    model::evaluate_dynamics(model_, state, scratch, dynamics);
    for (std::size_t k = 0; k < scale.size(); ++k) {
      const double rounding = bounds_that_are_nothing * dynamics.force_error[k] / push_zero;
      scale[k] = std::max({scale[k], dynamics.force_scale[k], rounding});
    }
    return dynamics.force;
  };
  const double weight = sigma[i];
  const std::vector<double> between = forces(weight);
  const std::vector<double> below = forces(0);
  const std::vector<double> above = forces(1);
  for (std::size_t k = 0; k < between.size(); ++k) {
    const double mean = below[k] + weight * (above[k] - below[k]);
    if (!(std::abs(between[k] - mean) <= push_zero * (std::abs(below[k]) + std::abs(above[k]) + scale[k])))
      return false;
  }
  return true;
}

void Sliding::mix(std::size_t i, double sigma, std::vector<double>& modes) const {
  for (const MixedMode& mode : mixed_[i]) instant::mix(mode, sigma, modes);
}

bool Sliding::shares(std::size_t i, std::size_t j) const {
  return std::any_of(mixed_[i].begin(), mixed_[i].end(), [&](const MixedMode& one) {
    return std::any_of(mixed_[j].begin(), mixed_[j].end(),
                       [&](const MixedMode& other) { return one.mode == other.mode; });
  });
}

Sliding::Where Sliding::resting(std::size_t i) const {
  if (towards_[i] != on_[i]) return towards_[i] > on_[i] ? Where::above : Where::below;
  if (walls_[i] != Where::on) return walls_[i];
  const model::SwitchPlace place = model::place_of_switch(model_, switches_[i]);
  if (place.group->corners[place.corner].kind == expressions::CornerKind::sign) return Where::on;
  // However little it is below: a power of max(u, 0) has no value there on the other side.
  return off(switches_[i], on_[i], state_) < 0 ? Where::below : Where::above;
}

bool Sliding::push(const std::vector<double>& sigma, std::vector<double>& w) {
  for (std::size_t i = 0; i < sigma.size(); ++i) mix(i, sigma[i], state_.modes);
  if (model_.flow) {
    model::Rates rates = model::rates(model_, state_);
    if (!rates.finite) {
      refuse("the rates beside them are not finite");
      return false;
    }
    state_.velocity = instant_.accelerations = rates.rate;
    w.clear();
    for (const std::uint32_t number : switches_) w.push_back(switch_rates(model_, number, state_, {}).first);
    double fastest = 0;
    for (const double rate : rates.rate) fastest = std::max(fastest, std::abs(rate));
    for (std::size_t i = 0; i < second_.size() && fastest > 0; ++i) {
      if (second_[i] == 0) continue;
      const double time = little() / fastest;
      w[i] = (rate_beside(switches_[i], time, 0, 0.0) - rate_beside(switches_[i], -time, 0, 0.0)) / (2 * time);
    }
    return true;
  }
  accelerate(model_, state_, options_, workspace_, instant_);
  if (instant_.status != Status::determined) {
    // A shock comes first, or the state is none: the middle_weight of every threshold stands for it.
    for (std::size_t i = 0; i < sigma.size(); ++i) mix(i, 0.5, corners_.modes);
    corners_.unasked = true;
    return false;
  }
  const std::vector<double>& terms = workspace_.evaluation().dynamics.force_scale;
  load_.resize(terms.size(), 0.0);
  for (std::size_t i = 0; i < terms.size(); ++i) load_[i] = std::max(load_[i], terms[i]);
  w.clear();
  for (const std::uint32_t number : switches_) {
    const SwitchRates rates = switch_rates(model_, number, state_, instant_.accelerations);
    w.push_back(rates.by_velocity ? rates.first : rates.second);
  }
  add_imposed(w);
  return true;
}

bool Sliding::refine(std::vector<double>& sigma, double zero) {
  double low = 0;
  double high = 1;
  std::vector<double> w;
  for (int round = 0; round < 200; ++round) {
    sigma[0] = (low + high) / 2;
    if (!push(sigma, w)) return false;
    if (std::abs(w[0]) <= zero || !(low < sigma[0] && sigma[0] < high)) return true;
    (w[0] > 0 ? low : high) = sigma[0];
  }
  return true;
}

void Sliding::refuse(const std::string& why, const char* advice) {
  std::string names;
  std::size_t count = 0;
  for (const std::uint32_t number : switches_) {
    const std::string name = name_of_switch(model_, number);
    if (names.find(name) != std::string::npos) continue;
    names += (count++ == 0 ? "" : ", ") + name;
  }
  corners_.refusal = (count == 1 ? "the switching surface of " + names + " is met and "
                                 : "the switching surfaces of " + names + " are met at once and ") +
                     why + ": " + advice;
}

}  // namespace zwang::instant
