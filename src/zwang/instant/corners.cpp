/// Sides of corners and alternatives at one instant.
#include "zwang/instant/corners.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/workspace.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

using expressions::Corner;
using expressions::Side;

namespace {

// What decides here, each with its reason.
constexpr double on_threshold = 1e-12;  ///< of the terms of g: written states have rounding of their decimals
constexpr double rate_zero = 1e-12;     ///< of the terms of a rate: the same
constexpr double push_zero = 1e-11;     ///< of the largest push: accelerations of either side come from two solutions
constexpr double same_way = 1e-9;       ///< of two costs: alternatives between which nothing decides
constexpr std::size_t most_slid = 64;   ///< switches on a threshold at one instant

/// (B) x = b for a small dense system by elimination with pivoting; false if it is singular.
bool solve_small(std::vector<double> matrix, std::vector<double>& x) {
  const std::size_t n = x.size();
  double largest = 0;
  for (const double entry : matrix) largest = std::max(largest, std::abs(entry));
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(matrix[i * n + k]) > std::abs(matrix[pivot * n + k])) pivot = i;
    }
    if (!(std::abs(matrix[pivot * n + k]) > push_zero * largest)) return false;
    for (std::size_t j = 0; j < n; ++j) std::swap(matrix[k * n + j], matrix[pivot * n + j]);
    std::swap(x[k], x[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix[i * n + k] / matrix[k * n + k];
      for (std::size_t j = k; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) x[k] -= matrix[k * n + j] * x[j];
    x[k] /= matrix[k * n + k];
  }
  return true;
}

/// The words for a switch in a sentence.
std::string named(const model::Model& model, std::uint32_t number) {
  const model::SwitchPlace place = model::place_of_switch(model, number);
  return "`" + place.group->corners[place.corner].text + "`";
}

/// The switches of forces that are on a threshold and undecided, and what their weights do.
class Sliding {
 public:
  Sliding(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
          Corners& corners, std::vector<std::uint32_t> switches, std::vector<Side> on)
      : model_(model),
        state_(state),
        options_(options),
        workspace_(workspace),
        corners_(corners),
        switches_(std::move(switches)),
        on_(std::move(on)) {
    state_.modes = corners.modes;
    options_.tell = false;
    options_.balanced = {};
    none_.assign(model.rows(), 0);
    if (options_.gone.empty()) options_.gone = none_;
    join_equal();
  }

  void run() {
    const std::size_t n = switches_.size();
    if (n > most_slid) {
      corners_.refusal = "more switching surfaces are met at once than are treated";
      return;
    }
    // w at the lower sides, and what every switch changes.
    std::vector<double> sigma(n, 0.0);
    std::vector<double> base;
    if (!push(sigma, base)) return;
    std::vector<double> change(n * n);
    double largest = 0;
    std::vector<std::vector<double>> ways;
    ways.push_back(instant_.accelerations);
    for (std::size_t j = 0; j < n; ++j) {
      sigma.assign(n, 0.0);
      sigma[j] = 1;
      std::vector<double> w;
      if (!push(sigma, w)) return;
      ways.push_back(instant_.accelerations);
      for (std::size_t i = 0; i < n; ++i) change[i * n + j] = w[i] - base[i];
      for (const double x : w) largest = std::max(largest, std::abs(x));
    }
    for (const double x : base) largest = std::max(largest, std::abs(x));
    const double zero = push_zero * largest;

    // Murty's rule: the first that is not right changes its state.
    enum class Where : std::uint8_t { below, on, above };
    std::vector<Where> where(n, Where::below);
    for (std::size_t i = 0; i < n; ++i) {
      // Nothing that the switch does moves it: it is where its value is.
      if (std::abs(change[i * n + i]) <= zero)
        where[i] = base[i] > zero ? Where::above : (base[i] < -zero ? Where::below : Where::on);
      if (n == 1 && base[i] < -zero && base[i] + change[i] > zero) {
        for (const auto& way : ways) corners_.ways.push_back({way, 0});
        corners_.refusal = "both sides of the switching surface of " + named(model_, switches_[i]) +
                           " push away from it: the motion may go either way";
        return;
      }
    }
    const std::vector<Where> first = where;
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
      if (!solve_small(matrix, x)) {
        refuse("their combination is not determined");
        return;
      }
      for (std::size_t a = 0; a < on.size(); ++a) sigma[on[a]] = x[a];
      bool right = true;
      for (std::size_t i = 0; i < n && right; ++i) {
        if (std::abs(change[i * n + i]) <= zero) continue;
        double w = base[i];
        for (std::size_t j = 0; j < n; ++j) w += change[i * n + j] * sigma[j];
        if (where[i] == Where::on && sigma[i] < 0) {
          where[i] = Where::below;
          right = false;
        } else if (where[i] == Where::on && sigma[i] > 1) {
          where[i] = Where::above;
          right = false;
        } else if ((where[i] == Where::below && w > zero) || (where[i] == Where::above && w < -zero)) {
          where[i] = Where::on;
          right = false;
        }
      }
      if (!right) continue;

      // The linear picture must be the truth: no other condition has opened or closed, no product of two modes occurs.
      std::vector<double> w;
      if (!push(sigma, w)) return;
      for (std::size_t i = 0; i < n; ++i) {
        if (where[i] == Where::on && std::abs(w[i]) > 1e3 * zero) {
          if (n == 1 && refine(sigma, zero)) break;
          refuse("their combination is not the sum of their forces");
          return;
        }
      }
      struct Slid {
        std::uint32_t number, leader;
        double weight;
      };
      std::vector<Slid> slid;
      for (std::size_t i = 0; i < n; ++i) {
        const Side below = on_[i] - 1;
        mix(i, sigma[i], corners_.modes);
        const bool effective = std::abs(change[i * n + i]) > zero;
        for (const std::uint32_t number : members_[i]) {
          corners_.sides[number] = where[i] == Where::on ? on_[i] : (where[i] == Where::below ? below : below + 2);
          if (where[i] == Where::on && effective) slid.push_back({number, switches_[i], sigma[i]});
        }
      }
      std::sort(slid.begin(), slid.end(), [](const Slid& a, const Slid& b) { return a.number < b.number; });
      for (const Slid& one : slid) {
        corners_.slid.push_back(one.number);
        corners_.leader.push_back(one.leader);
        corners_.weight.push_back(one.weight);
      }
      return;
    }
    refuse("no combination keeps the motion on them");
  }

 private:
  /// Switches of different forces with one and the same surface have one weight.
  void join_equal() {
    std::vector<std::uint32_t> first;
    std::vector<Side> on;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      std::size_t same = 0;
      while (same < first.size() && !(on[same] == on_[i] && equal(first[same], switches_[i]))) ++same;
      if (same == first.size()) {
        first.push_back(switches_[i]);
        on.push_back(on_[i]);
        members_.emplace_back();
      }
      members_[same].push_back(switches_[i]);
    }
    switches_ = std::move(first);
    on_ = std::move(on);
  }

  [[nodiscard]] bool equal(std::uint32_t one, std::uint32_t other) const {
    const model::SwitchPlace a = model::place_of_switch(model_, one);
    const model::SwitchPlace b = model::place_of_switch(model_, other);
    const Corner& first = a.group->corners[a.corner];
    const Corner& second = b.group->corners[b.corner];
    if (first.kind != second.kind || first.pieces.knots != second.pieces.knots ||
        first.pieces.piece != second.pieces.piece) {
      return false;
    }
    // The same values at the state and beside it.
    model::State beside = state_;
    for (std::size_t i = 0; i < beside.position.size(); ++i) {
      beside.position[i] += 0.1 * elementary::sin(1.0 + static_cast<double>(i));
      beside.velocity[i] += 0.1 * elementary::cos(2.0 + static_cast<double>(i));
    }
    for (const model::State* state :
         {static_cast<const model::State*>(&state_), static_cast<const model::State*>(&beside)}) {
      const SwitchRates x = switch_rates(model_, one, *state, {});
      const SwitchRates y = switch_rates(model_, other, *state, {});
      if (x.g != y.g || x.first != y.first || x.size != y.size) return false;
    }
    return true;
  }

  void mix(std::size_t i, double sigma, std::vector<double>& modes) const {
    for (const std::uint32_t number : members_[i]) mix_modes(model_, number, on_[i], sigma, modes);
  }

  /// w of every switch for these weights; false if there are no accelerations, which is then the answer.
  bool push(const std::vector<double>& sigma, std::vector<double>& w) {
    for (std::size_t i = 0; i < sigma.size(); ++i) mix(i, sigma[i], state_.modes);
    accelerate(model_, state_, options_, workspace_, instant_);
    if (instant_.status != Status::determined) {
      // A shock comes first, or the state is none: the middle of every threshold stands for it.
      for (std::size_t i = 0; i < sigma.size(); ++i) mix(i, 0.5, corners_.modes);
      return false;
    }
    w.clear();
    for (const std::uint32_t number : switches_) {
      const SwitchRates rates = switch_rates(model_, number, state_, instant_.accelerations);
      w.push_back(rates.by_velocity ? rates.first : rates.second);
    }
    return true;
  }

  /// One switch, and conditions open or close as its weight changes: w falls in pieces of straight lines.
  bool refine(std::vector<double>& sigma, double zero) {
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

  void refuse(const std::string& why) {
    std::string names;
    for (const std::uint32_t number : switches_) names += (names.empty() ? "" : ", ") + named(model_, number);
    corners_.refusal = "the switching surfaces of " + names + " are met at once and " + why +
                       ": give one of them a smooth transition, such as tanh(u/0.01)";
  }

  const model::Model& model_;
  model::State state_;
  Options options_;
  Workspace& workspace_;
  Corners& corners_;
  std::vector<std::uint32_t> switches_;
  std::vector<Side> on_;
  std::vector<std::vector<std::uint32_t>> members_;  ///< of each: the switches with its surface
  std::vector<std::uint8_t> none_;
  Instant instant_;
};

}  // namespace

void mix_modes(const model::Model& model, std::uint32_t number, Side on, double sigma, std::vector<double>& modes) {
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const Corner& corner = place.group->corners[place.corner];
  std::vector<double> below(corner.modes);
  std::vector<double> above(corner.modes);
  corner.numbers(on - 1, below);
  corner.numbers(on + 1, above);
  for (std::uint32_t k = 0; k < corner.modes; ++k) {
    // The ends exactly: a branch is chosen by them.
    const double mixed = sigma == 0 ? below[k] : (sigma == 1 ? above[k] : below[k] + sigma * (above[k] - below[k]));
    modes[place.group->first_mode + (corner.first_mode + k) * place.group->lanes + place.lane] = mixed;
  }
}

SwitchRates switch_rates(const model::Model& model, std::uint32_t number, const model::State& state,
                         std::span<const double> accelerations) {
  constexpr unsigned orders = 3;
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const model::Slotted& group = *place.group;
  SwitchRates out;

  // Along the motion.
  const auto fill = [&](const expressions::Tape& tape, unsigned room) {
    std::vector<double> r(tape.registers() * room, 0.0);
    expressions::load_constants(tape, r.data(), room, 1);
    std::size_t slot = 0;
    const auto put = [&](double zero, double one, double two) {
      const double all[] = {zero, one, two};
      std::copy_n(all, room, r.begin() + static_cast<std::ptrdiff_t>(slot++ * room));
    };
    put(state.time, 1, 0);
    for (std::size_t k = 0; k < group.positions; ++k) {
      const std::uint32_t i = group.position_of[k * group.lanes + place.lane];
      put(state.position[i], state.velocity[i], accelerations.empty() ? 0.0 : accelerations[i] / 2);
    }
    for (std::size_t k = 0; k < group.velocities; ++k) {
      const std::uint32_t i = group.velocity_of[k * group.lanes + place.lane];
      put(state.velocity[i], accelerations.empty() ? 0.0 : accelerations[i], 0);
    }
    for (std::size_t k = 0; k < group.constants; ++k) {
      const bool mode = k >= group.steady() && !state.modes.empty();
      put(mode ? state.modes[group.first_mode + (k - group.steady()) * group.lanes + place.lane]
               : group.constant_of[k * group.lanes + place.lane],
          0, 0);
    }
    expressions::extend(tape, r.data(), room, 0, room - 1, 1);
    return r;
  };
  const std::vector<double> r = fill(group.switching, orders);
  const double* g = r.data() + std::size_t{group.switching.outputs[place.corner]} * orders;
  out.g = g[0];
  out.first = g[1];
  out.second = 2 * g[2];

  // Sizes, from the slopes.
  const std::vector<double> s = fill(group.slopes, 1);
  const std::size_t slots = std::size_t{group.positions} + group.velocities;
  const auto slope = [&](std::size_t k) { return s[group.slopes.outputs[place.corner * slots + k]]; };
  for (std::size_t k = 0; k < group.positions; ++k) {
    const std::uint32_t i = group.position_of[k * group.lanes + place.lane];
    out.size += std::abs(slope(k) * state.position[i]);
    out.rate_size += std::abs(slope(k) * state.velocity[i]);
  }
  for (std::size_t k = 0; k < group.velocities; ++k) {
    const std::uint32_t i = group.velocity_of[k * group.lanes + place.lane];
    out.size += std::abs(slope(group.positions + k) * state.velocity[i]);
    out.by_velocity = out.by_velocity || slope(group.positions + k) != 0;
  }
  return out;
}

Corners find_corners(const model::Model& model, const model::State& given, const Options& options, Workspace& workspace,
                     std::span<const KnownSide> known, std::span<const KnownSide> near) {
  Corners out;
  model::State state = given;
  state.modes.clear();
  out.sides = model::sides_of(model, state);
  for (const KnownSide& one : known) out.sides[one.number] = one.side;
  for (const KnownSide& one : near) out.sides[one.number] = one.side;
  out.modes = model::modes_of(model, out.sides);
  state.modes = out.modes;

  // Who is on a threshold, and is not told by its rate to which side it goes?
  std::vector<std::uint32_t> critical;
  std::vector<Side> on;
  model::for_cornered(model, [&](const model::Slotted& group) {
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      const Corner& corner = group.corners[c];
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        const std::uint32_t number = group.first_switch + c * group.lanes + lane;
        if (std::any_of(known.begin(), known.end(), [&](const KnownSide& one) { return one.number == number; }))
          continue;
        const SwitchRates rates = switch_rates(model, number, state, {});
        const bool told =
            std::any_of(near.begin(), near.end(), [&](const KnownSide& one) { return one.number == number; });
        Side side = out.sides[number];
        Side threshold = side;
        if (side % 2 == 0) {
          const double tolerance = on_threshold * rates.size;
          const bool above = corner.has_threshold(side, true);
          const bool below = corner.has_threshold(side, false);
          const double up = above ? std::abs(corner.threshold(side, true) - rates.g) : 1e300;
          const double down = below ? std::abs(rates.g - corner.threshold(side, false)) : 1e300;
          if (!told && std::min(up, down) > tolerance) continue;
          threshold = up < down ? side + 1 : side - 1;
        }
        if (corner.kind == expressions::CornerKind::turns) continue;
        // Where the rate is known beforehand it decides.
        if (!rates.by_velocity && std::abs(rates.first) > rate_zero * rates.rate_size) {
          out.sides[number] = rates.first > 0 ? threshold + 1 : threshold - 1;
          continue;
        }
        const model::SwitchPlace place = model::place_of_switch(model, number);
        if (corner.quiet || place.truth || place.row < model.rows()) continue;
        critical.push_back(number);
        on.push_back(threshold);
      }
    }
  });
  out.modes = model::modes_of(model, out.sides);
  if (!critical.empty()) Sliding(model, state, options, workspace, out, critical, on).run();
  return out;
}

bool has_alternatives(const model::Model& model) {
  return std::any_of(model.conditions.begin(), model.conditions.end(),
                     [](const model::Condition& condition) { return condition.alternatives > 1; });
}

std::vector<std::uint8_t> idle_rows(const model::Model& model, const model::State& state, const Options& options,
                                    Workspace& workspace, std::vector<Minimiser>& several) {
  std::vector<std::uint8_t> idle(model.rows(), 0);
  if (!options.gone.empty()) idle.assign(options.gone.begin(), options.gone.end());
  Workspace::Impl& impl = workspace.impl();
  Options inner = options;
  inner.tell = false;
  inner.balanced = {};

  // Roles of all rows at once tell what is open, touched or broken.
  Instant all;
  model::evaluate_rows(model, state, impl.scratch, impl.rows);
  inner.gone = idle;
  classify_rows(model, state, inner, impl, all);
  for (const model::Condition& condition : model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      enum class State : std::uint8_t { open, touched, broken };
      std::vector<State> states(condition.alternatives, State::open);
      std::vector<double> amount(condition.alternatives, 0.0);
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        State& one = states[model.row_alternative[row]];
        amount[model.row_alternative[row]] = std::max(amount[model.row_alternative[row]], all.value[row]);
        if (all.role[row] == Role::violated) one = State::broken;
        if (all.role[row] != Role::passive_in_position && one == State::open) one = State::touched;
      }
      const auto keep = [&](std::uint32_t chosen) {
        for (std::uint32_t row = first; row < first + condition.components; ++row) {
          if (model.row_alternative[row] != chosen) idle[row] = 1;
        }
      };
      const auto open = static_cast<std::size_t>(std::count(states.begin(), states.end(), State::open));
      const auto touched = static_cast<std::size_t>(std::count(states.begin(), states.end(), State::touched));
      if (open > 1) {
        keep(condition.alternatives);  // none: nothing can happen to the condition before one of them closes
      } else if (open == 1) {
        keep(static_cast<std::uint32_t>(std::find(states.begin(), states.end(), State::open) - states.begin()));
      } else if (touched == 1) {
        keep(static_cast<std::uint32_t>(std::find(states.begin(), states.end(), State::touched) - states.begin()));
      } else if (touched == 0) {
        // Broken: the nearest one is shown.
        keep(static_cast<std::uint32_t>(std::min_element(amount.begin(), amount.end()) - amount.begin()));
      } else {
        // A re-entrant corner: the side that changes the motion least.
        const std::vector<std::uint8_t> before = idle;
        std::vector<double> cost;
        std::vector<std::uint32_t> chosen;
        std::vector<Minimiser> ways;
        for (std::uint32_t j = 0; j < condition.alternatives; ++j) {
          if (states[j] != State::touched) continue;
          idle = before;
          keep(j);
          inner.gone = idle;
          Instant instant;
          model::State now = state;
          accelerate(model, now, inner, workspace, instant);
          double lost = 0;
          if (instant.status == Status::impact) {
            Shock shock;
            impact(model, now, inner, workspace, shock);
            std::vector<double> change = shock.velocities;
            for (std::size_t i = 0; i < change.size(); ++i) change[i] -= shock.before[i];
            std::vector<double> momentum(change.size());
            impl.dynamics.mass.multiply(change, momentum);
            for (std::size_t i = 0; i < change.size(); ++i) lost += change[i] * momentum[i];
            now.velocity = shock.velocities;
            Options then = inner;
            then.shock_done = true;
            then.steady = {};
            accelerate(model, now, then, workspace, instant);
          }
          cost.push_back(lost);
          cost.push_back(instant.constraint);
          chosen.push_back(j);
          ways.push_back({instant.accelerations, instant.constraint});
        }
        std::size_t best = 0;
        const auto equal = [](double a, double b) {
          return std::abs(a - b) <= same_way * std::max(std::abs(a), std::abs(b));
        };
        bool tie = false;
        for (std::size_t k = 1; k < chosen.size(); ++k) {
          const bool same_shock = equal(cost[2 * k], cost[2 * best]);
          const bool same = same_shock && equal(cost[2 * k + 1], cost[2 * best + 1]);
          // Two that cost nothing at all agree: neither hinders.
          tie = same && (cost[2 * k] > 0 || cost[2 * k + 1] > 0);
          if (!same && (same_shock ? cost[2 * k + 1] < cost[2 * best + 1] : cost[2 * k] < cost[2 * best])) {
            best = k;
            tie = false;
          }
        }
        idle = before;
        keep(chosen[best]);
        if (tie) several = ways;
      }
      inner.gone = idle;
    }
  }
  return idle;
}

bool needs_corners(const model::Model& model, const model::State& state, const Options& options) {
  return (model.switches > 0 && state.modes.empty()) || (options.gone.empty() && has_alternatives(model));
}

void accelerate_with_corners(const model::Model& model, const model::State& state, const Options& options,
                             Workspace& workspace, Instant& instant) {
  model::State now = state;
  Options inner = options;
  std::vector<Minimiser> several;
  std::vector<std::uint8_t> idle;
  if (model.switches > 0 && now.modes.empty()) now.modes = model::modes_of(model, model::sides_of(model, state));
  if (options.gone.empty()) {
    idle.assign(model.rows(), 0);
    inner.gone = idle;
    if (has_alternatives(model)) idle = idle_rows(model, now, inner, workspace, several);
    inner.gone = idle;
  }
  Corners corners;
  if (model.switches > 0 && state.modes.empty()) {
    corners = find_corners(model, state, inner, workspace, {}, {});
    now.modes = corners.modes;
  }
  accelerate(model, now, inner, workspace, instant);
  if (!corners.refusal.empty()) {
    instant.solutions = corners.ways;
    instant.status = corners.ways.empty() ? Status::undecided : Status::ambiguous;
    instant.expansion = corners.refusal;
  } else if (!several.empty()) {
    instant.solutions = several;
    instant.status = Status::ambiguous;
    instant.expansion = "several sides of a condition with `or` are equally near";
  }
}

}  // namespace zwang::instant
