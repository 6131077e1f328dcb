/// Conditions of several alternatives: which of them count at a state.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/instant/corner_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/workspace_impl.hpp"
#include "zwang/model/bodies.hpp"

namespace zwang::instant {

bool has_alternatives(const model::Model& model) {
  return std::any_of(model.conditions.begin(), model.conditions.end(),
                     [](const model::Condition& condition) { return condition.alternatives > 1; });
}

namespace {

bool same_accelerations(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0;
  double off = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::max({size, std::abs(a[i]), std::abs(b[i])});
    off = std::max(off, std::abs(a[i] - b[i]));
  }
  return off <= equally_costly * size;
}

/// The velocities after blows, of those variables in which they differ: "x' = 1 or -1, y' = -1 or 1"; "" if they are the same.
std::string velocities_of_ways(const model::Model& model, const std::vector<std::vector<double>>& ways) {
  constexpr int digits = 6;
  std::string out;
  for (std::uint32_t i = 0; i < model.variables && !ways.empty(); ++i) {
    double size = 0;
    for (const std::vector<double>& way : ways) size = std::max(size, std::abs(way[i]));
    std::string values;
    bool differ = false;
    for (const std::vector<double>& way : ways) {
      differ = differ || std::abs(way[i] - ways[0][i]) > equally_costly * size;
      values += (values.empty() ? "" : " or ") + readable(way[i], digits);
    }
    if (!differ) continue;
    // Rates of a quaternion say nothing to anybody.
    const std::string name = model::variable_words(model, i);
    const bool turning = name != model::variable_name(model, i);
    if (turning && out.find(name) != std::string::npos) continue;
    out += (out.empty() ? "" : ", ") + (turning ? name + " in one way or another" : name + "' = " + values);
  }
  return out;
}

/// In words: alternatives of a condition between which nothing decides.
std::string equally_near(const model::Condition& condition, bool ways_agree, const std::string& blows) {
  const bool joined = condition.text.find(" or ") != std::string::npos;
  const std::string which = joined ? "several parts of " + condition.name + ", which `or` joins,"
                                   : "both sides of an outward corner of " + condition.name;
  if (!blows.empty())
    return which +
           " are struck at once, and the blows of each change the motion by as much: it may go either way, with " +
           blows;
  return which + (ways_agree ? " hold the motion at once, so that later forces may take it to either: leave the "
                               "condition out where another one holds it already"
                             : " are equally near: the motion may go either way");
}

}  // namespace

namespace {

/// How the motion goes on if one alternative counts, and what that costs: first a shock, then the constraint.
struct Way {
  std::uint32_t alternative = 0;
  double shock = 0;  ///< (v - v_before)^T M (v - v_before)
  Minimiser after;
  double constraint = 0;  ///< that of `after`, or beyond all numbers
  std::vector<double> velocity;
  bool opens = true;  ///< with the velocities: none of its rows touches but those that recede
};

/// Under `options`, which say what is gone.
Way follow_alternative(const model::Model& model, model::State state, const Options& options, Workspace& workspace,
                       std::uint32_t alternative) {
  Way way;
  way.alternative = alternative;
  Instant instant;
  accelerate(model, state, options, workspace, instant);
  bool possible = true;
  if (instant.status == Status::impact) {
    Shock shock;
    impact(model, state, options, workspace, shock);
    possible = shock.status != ShockStatus::jammed;
    std::vector<double> change = shock.velocities;
    for (std::size_t i = 0; i < change.size(); ++i) change[i] -= shock.before[i];
    std::vector<double> momentum(change.size());
    workspace.impl().dynamics.mass.multiply(change, momentum);
    for (std::size_t i = 0; i < change.size(); ++i) way.shock += change[i] * momentum[i];
    state.velocity = shock.velocities;
    Options then = options;
    then.shock_done = true;
    then.steady = {};
    accelerate(model, state, then, workspace, instant);
  }
  // Beside the other conditions some sides allow no motion at all.
  possible = possible && instant.status != Status::jammed;
  constexpr double impossible = std::numeric_limits<double>::max();
  way.after = {instant.accelerations, instant.constraint};
  way.constraint = possible ? instant.constraint : impossible;
  if (!possible) way.shock = impossible;
  way.velocity = std::move(state.velocity);
  return way;
}

bool equal_cost(double a, double b) { return std::abs(a - b) <= equally_costly * std::max(std::abs(a), std::abs(b)); }
bool as_near(const Way& a, const Way& b) {
  return equal_cost(a.shock, b.shock) && equal_cost(a.constraint, b.constraint);
}

/// At a re-entrant corner: the side that changes the motion least. `several` tells where it is not the only one.
std::uint32_t nearest_alternative(const model::Model& model, const model::Condition& condition,
                                  const std::vector<Way>& ways, Several& several) {
  std::size_t best = 0;
  bool tie = false;
  for (std::size_t k = 1; k < ways.size(); ++k) {
    const bool same_shock = equal_cost(ways[k].shock, ways[best].shock);
    const bool same = same_shock && equal_cost(ways[k].constraint, ways[best].constraint);
    // Two that cost nothing at all agree: neither hinders.
    tie = same && (ways[k].shock > 0 || ways[k].constraint > 0);
    if (!same && (same_shock ? ways[k].constraint < ways[best].constraint : ways[k].shock < ways[best].shock)) {
      best = k;
      tie = false;
    }
  }
  if (tie) {
    const bool ways_agree = std::all_of(ways.begin(), ways.end(), [&](const Way& way) {
      return same_accelerations(way.after.accelerations, ways[best].after.accelerations);
    });
    // Without a shock, and with the motion held by others, one that opens with the velocities is open right behind the instant.
    if (ways_agree && ways[best].shock == 0) {
      for (const Way& way : ways) {
        if (way.opens && way.shock == 0) return way.alternative;
      }
    }
    std::vector<std::vector<double>> nearest;
    for (const Way& way : ways) {
      if (as_near(way, ways[best])) nearest.push_back(way.velocity);
    }
    several.ways.clear();
    for (const Way& way : ways) several.ways.push_back(way.after);
    several.words = equally_near(condition, ways_agree, velocities_of_ways(model, nearest));
  }
  return ways[best].alternative;
}

/// A condition, or a member of a family, of which several alternatives are touched and none is open.
struct Undecided {
  const model::Condition* condition = nullptr;
  std::uint32_t first = 0;
  std::vector<std::uint32_t> touched;
  std::uint32_t chosen = 0;  ///< their number: none
};

void leave_others_out(const model::Model& model, const Undecided& one, RowSet& set) {
  for (std::uint32_t row = one.first; row < one.first + one.condition->components; ++row) {
    if (model.row_alternative[row] != one.chosen) set.add(row);
  }
}

}  // namespace

RowSet idle_rows(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
                 Several& several) {
  RowSet idle = options.gone.is_told() ? options.gone : RowSet(model.rows());
  Workspace::Impl& impl = workspace.impl();
  Options inner = options;
  inner.tell = false;
  inner.balanced = {};

  // Roles of all rows at once tell what is open, touched or broken.
  Instant all;
  model::evaluate_rows(model, state, impl.scratch, impl.rows);
  inner.gone = idle;
  // Where more than usual is forgiven, an alternative that needs it counts only if none holds without.
  Instant strict;
  if (options.broken > 0) {
    Options usual = inner;
    usual.broken = 0;
    classify_rows(model, state, usual, impl, strict);
  }
  classify_rows(model, state, inner, impl, all);
  // What is decided by itself comes first.
  std::vector<Undecided> undecided;
  for (const model::Condition& condition : model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      enum class State : std::uint8_t { open, touched, broken };
      std::vector<State> states(condition.alternatives, State::open);
      std::vector<double> amount(condition.alternatives, 0.0);
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        if (idle.contains(row)) continue;
        State& one = states[model.row_alternative[row]];
        amount[model.row_alternative[row]] = std::max(amount[model.row_alternative[row]], all.value[row]);
        if (all.role[row] == Role::violated) one = State::broken;
        if (all.role[row] != Role::passive_in_position && one == State::open) one = State::touched;
      }
      if (!strict.role.empty()) {
        std::vector<State> usual = states;
        for (std::uint32_t row = first; row < first + condition.components; ++row) {
          if (!idle.contains(row) && strict.role[row] == Role::violated)
            usual[model.row_alternative[row]] = State::broken;
        }
        if (std::any_of(usual.begin(), usual.end(), [](State one) { return one != State::broken; })) states = usual;
      }
      const auto first_of = [&](State wanted) {
        return static_cast<std::uint32_t>(std::find(states.begin(), states.end(), wanted) - states.begin());
      };
      const auto open = std::count(states.begin(), states.end(), State::open);
      const auto touched = std::count(states.begin(), states.end(), State::touched);
      Undecided one{&condition, first, {}, condition.alternatives};
      if (open == 0 && touched > 1) {
        for (std::uint32_t j = 0; j < condition.alternatives; ++j) {
          if (states[j] == State::touched) one.touched.push_back(j);
        }
        undecided.push_back(std::move(one));
        continue;
      }
      // None, if two are open: nothing can happen to it before one of them closes.
      if (open == 1) {
        one.chosen = first_of(State::open);
      } else if (open == 0 && touched == 1) {
        one.chosen = first_of(State::touched);
      } else if (open == 0) {
        // Broken: the nearest one is shown.
        one.chosen = static_cast<std::uint32_t>(std::min_element(amount.begin(), amount.end()) - amount.begin());
      }
      leave_others_out(model, one, idle);
    }
  }

  // The others hang together: each changes the motion least beside what is chosen of the rest, which hinders nothing before it is chosen.
  const auto beside = [&](const Undecided& one) {
    RowSet set = idle;
    for (const Undecided& other : undecided) {
      if (&other != &one) leave_others_out(model, other, set);
    }
    return set;
  };
  bool changed = !undecided.empty();
  for (int round = 0; changed && round < most_rounds_of_alternatives; ++round) {
    changed = false;
    several = {};
    for (Undecided& one : undecided) {
      const RowSet rest = beside(one);
      std::vector<Way> ways;
      for (const std::uint32_t j : one.touched) {
        inner.gone = rest;
        Undecided tried = one;
        tried.chosen = j;
        leave_others_out(model, tried, inner.gone);
        ways.push_back(follow_alternative(model, state, inner, workspace, j));
        for (std::uint32_t row = one.first; row < one.first + one.condition->components; ++row) {
          if (model.row_alternative[row] != j || idle.contains(row)) continue;
          ways.back().opens = ways.back().opens && (all.role[row] == Role::passive_in_position ||
                                                    all.role[row] == Role::passive_in_velocity);
        }
      }
      const std::uint32_t chosen = nearest_alternative(model, *one.condition, ways, several);
      changed = changed || (chosen != one.chosen && undecided.size() > 1);
      one.chosen = chosen;
    }
  }
  for (const Undecided& one : undecided) leave_others_out(model, one, idle);
  return idle;
}

}  // namespace zwang::instant
