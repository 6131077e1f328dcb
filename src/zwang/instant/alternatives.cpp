/// Conditions of several alternatives: which of them count at a state.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corner_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/workspace_impl.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/model/plainly_open.hpp"

namespace zwang::instant {

bool has_alternatives(const model::Model& model) {
  return std::any_of(model.conditions.begin(), model.conditions.end(),
                     [](const model::Condition& condition) { return condition.alternatives > 1; });
}

namespace {

/// How the motion goes on if one alternative counts, and what that costs: first a shock, then the constraint.
struct Way {
  std::uint32_t alternative = 0;
  double shock = 0;  ///< (v - v_before)^T M (v - v_before)
  Minimiser after;
  double constraint = 0;  ///< that of `after`, or beyond all numbers
  std::vector<double> velocity;
  std::vector<Role> role;    ///< after the shock, per row
  std::vector<bool> struck;  ///< per row, whether it has a part in the shock; empty: there is none
  bool determined = false;   ///< the accelerations are
  bool opens = false;  ///< none of its rows touches behind the instant: the motion is the same as without the condition
};

/// What is nothing of velocities and accelerations: parts of what those of the bodies have that touch something.
class Sizes {
 public:
  Sizes(const model::Model& model, const model::State& state, const Instant& all, Workspace::Impl& impl)
      : touched_(model.variables, 0) {
    model::evaluate_dynamics(model, state, impl.scratch, impl.dynamics);
    const auto mass = impl.dynamics.mass.diagonal();
    mass_.assign(mass.begin(), mass.end());
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (all.role[row] == Role::absent || all.role[row] == Role::passive_in_position) continue;
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) touched_[model.row_column[e]] = 1;
    }
    double doubt = 0;
    for (std::uint32_t i = 0; i < model.variables; ++i) {
      if (touched_[i] == 0) continue;
      const double off = i < state.velocity_uncertainty.size() ? state.velocity_uncertainty[i] : 0.0;
      doubt += mass_[i] * off * off;
      free_ += impl.dynamics.force[i] * impl.dynamics.force[i] / mass_[i];
    }
    no_speed_ = rounding_of_ways * std::sqrt(square(state.velocity)) + bounds_that_are_nothing * std::sqrt(doubt);
  }

  [[nodiscard]] bool same_velocities(const std::vector<double>& a, const std::vector<double>& b) const {
    return std::sqrt(apart(a, b)) <= no_speed_ + equally_costly * std::sqrt(std::max(square(a), square(b)));
  }
  [[nodiscard]] bool same_accelerations(const std::vector<double>& a, const std::vector<double>& b) const {
    return a.size() == b.size() && apart(a, b) <= equally_costly * equally_costly * (free_ + square(a) + square(b));
  }
  /// Of squares of changes of velocity.
  [[nodiscard]] bool same_shock(double a, double b) const {
    const double most = std::max(a, b);
    if (!(most < impossible)) return a == b;
    return std::abs(a - b) <= equally_costly * most + no_speed_ * (2 * std::sqrt(most) + no_speed_);
  }
  [[nodiscard]] bool is_shock(double shock) const { return !same_shock(shock, 0); }
  /// Does a variable have another velocity in b than in a?
  [[nodiscard]] bool differs(std::uint32_t i, double a, double b) const {
    return std::sqrt(mass_[i]) * std::abs(a - b) >
           no_speed_ + equally_costly * std::sqrt(mass_[i]) * std::max(std::abs(a), std::abs(b));
  }

  static constexpr double impossible = std::numeric_limits<double>::max();

 private:
  [[nodiscard]] double square(const std::vector<double>& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += touched_[i] != 0 ? mass_[i] * x[i] * x[i] : 0.0;
    return sum;
  }
  /// Of all variables: nothing else may move in another way, either.
  [[nodiscard]] double apart(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += mass_[i] * (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
  }

  std::vector<std::uint8_t> touched_;  ///< per variable
  std::vector<double> mass_;           ///< of each variable
  double no_speed_ = 0;                ///< length of a change of velocity that is none
  double free_ = 0;                    ///< square of the accelerations of the forces
};

/// The velocities after blows, of those variables in which they differ: "x' = 1 or -1, y' = -1 or 1"; "" if they are the same.
std::string velocities_of_ways(const model::Model& model, const Sizes& sizes,
                               const std::vector<std::vector<double>>& ways) {
  constexpr int digits = 6;
  std::string out;
  for (std::uint32_t i = 0; i < model.variables && !ways.empty(); ++i) {
    std::string values;
    bool differ = false;
    for (const std::vector<double>& way : ways) {
      differ = differ || sizes.differs(i, way[i], ways[0][i]);
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

/// Under `options`, which say what is gone.
Way follow_alternative(const model::Model& model, model::State state, const Options& options, Workspace& workspace,
                       std::uint32_t alternative) {
  Way way;
  way.alternative = alternative;
  Instant instant;
  accelerate(model, state, options, workspace, instant);
  bool possible = true;
  const std::vector<double> before = state.velocity;
  Options then = options;
  for (int round = 0; possible && instant.status == Status::impact && round < most_shocks_of_a_way; ++round) {
    Shock shock;
    impact(model, state, then, workspace, shock);
    possible = shock.status != ShockStatus::jammed;
    state.velocity = shock.velocities;
    way.struck.resize(model.rows(), false);
    for (std::uint32_t row = 0; row < model.rows(); ++row)
      way.struck[row] = way.struck[row] || shock.impulses[row] != 0;
    then.shock_done = true;
    then.steady = {};
    // A shock leaves nothing approached: what seems to be so after two is rounding.
    if (round > 0) {
      then.steady = RowSet(model.rows());
      for (std::uint32_t row = 0; row < model.rows(); ++row)
        then.steady.put(row, instant.role[row] == Role::approached);
    }
    accelerate(model, state, then, workspace, instant);
  }
  std::vector<double> change = state.velocity;
  for (std::size_t i = 0; i < change.size(); ++i) change[i] -= before[i];
  std::vector<double> momentum(change.size());
  workspace.impl().dynamics.mass.multiply(change, momentum);
  for (std::size_t i = 0; i < change.size(); ++i) way.shock += change[i] * momentum[i];
  // Beside the other conditions some sides allow no motion at all.
  possible = possible && instant.status != Status::jammed && instant.status != Status::impact;
  way.after = {instant.accelerations, instant.constraint};
  way.constraint = possible ? instant.constraint : Sizes::impossible;
  if (!possible) way.shock = Sizes::impossible;
  way.velocity = std::move(state.velocity);
  way.determined = instant.status == Status::determined;
  way.role = std::move(instant.role);
  return way;
}

bool equal_cost(double a, double b) { return std::abs(a - b) <= equally_costly * std::max(std::abs(a), std::abs(b)); }
bool as_near(const Sizes& sizes, const Way& a, const Way& b) {
  return sizes.same_shock(a.shock, b.shock) && equal_cost(a.constraint, b.constraint);
}

bool is_open(Role role) {
  return role == Role::passive_in_position || role == Role::passive_in_velocity || role == Role::leaving;
}
bool holds_on(Role role) { return role == Role::equation || role == Role::binding || role == Role::marginal; }

/// Does every motion that one way allows satisfy the alternative of the other way, too? So it is, where the gradient of each row that the other way
/// holds is a sum of those that the one holds, with factors that are not negative: the nearest point to it among their motions is rest.
bool allows_all_of(const model::Model& model, const model::Condition& condition, std::uint32_t first, const Way& wider,
                   const Way& narrower, Workspace::Impl& impl) {
  Subproblem problem;
  problem.clear();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!holds_on(narrower.role[row]) || !model::is_holonomic(model.row_kind[row])) continue;
    problem.append(model, impl.rows, row, 0,
                   model::is_equation(model.row_kind[row]) ? gauss::RowKind::equation : gauss::RowKind::inequality);
  }
  gauss::Workspace room;
  gauss::Solution solution;
  for (std::uint32_t row = first; row < first + condition.components; ++row) {
    if (model.row_alternative[row] != wider.alternative || !holds_on(wider.role[row])) continue;
    std::vector<double> gradient(model.variables, 0.0);
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      gradient[model.row_column[e]] = impl.rows.entry[e];
    problem.a0.assign(model.variables, 0.0);
    impl.dynamics.mass.solve(gradient, problem.a0);
    double whole = 0;
    for (std::uint32_t i = 0; i < model.variables; ++i) whole += gradient[i] * problem.a0[i];
    gauss::solve(problem.view(impl.dynamics.mass), {}, room, solution);
    if (solution.status != gauss::Status::solved) return false;
    std::vector<double> momentum(model.variables);
    impl.dynamics.mass.multiply(solution.a, momentum);
    double left = 0;
    for (std::uint32_t i = 0; i < model.variables; ++i) left += solution.a[i] * momentum[i];
    if (!(left <= equally_costly * whole)) return false;
  }
  return true;
}

/// At a re-entrant corner: the side that changes the motion least. `several` tells where it is not the only one.
std::uint32_t nearest_alternative(const model::Model& model, const model::Condition& condition, std::uint32_t first,
                                  const std::vector<Way>& ways, const Sizes& sizes, Workspace::Impl& impl,
                                  Several& several) {
  // As without the condition: nothing is nearer, and two of them are the same motion.
  for (const Way& way : ways) {
    if (way.opens) return way.alternative;
  }
  std::size_t best = 0;
  for (std::size_t k = 1; k < ways.size(); ++k) {
    if (as_near(sizes, ways[k], ways[best])) continue;
    const bool same_shock = sizes.same_shock(ways[k].shock, ways[best].shock);
    if (same_shock ? ways[k].constraint < ways[best].constraint : ways[k].shock < ways[best].shock) best = k;
  }
  std::vector<const Way*> nearest;
  for (const Way& way : ways) {
    if (as_near(sizes, way, ways[best])) nearest.push_back(&way);
  }
  // Two that cost nothing at all agree: neither hinders.
  if (nearest.size() == 1 || (!sizes.is_shock(ways[best].shock) && ways[best].constraint == 0))
    return ways[best].alternative;
  const bool ways_agree = std::all_of(nearest.begin(), nearest.end(), [&](const Way* way) {
    return way->determined && sizes.same_velocities(way->velocity, ways[best].velocity) &&
           sizes.same_accelerations(way->after.accelerations, ways[best].after.accelerations);
  });
  // One motion here, and one that allows all that the others do allows all that the condition does.
  if (ways_agree) {
    for (const Way* wider : nearest) {
      if (std::all_of(nearest.begin(), nearest.end(), [&](const Way* other) {
            return other == wider || allows_all_of(model, condition, first, *wider, *other, impl);
          }))
        return wider->alternative;
    }
  }
  std::vector<std::vector<double>> velocities;
  several.ways.clear();
  for (const Way* way : nearest) velocities.push_back(way->velocity);
  for (const Way* way : nearest) several.ways.push_back(way->after);
  several.words = equally_near(condition, ways_agree, velocities_of_ways(model, sizes, velocities));
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

/// Rows of conditions of which two alternatives are plainly open: nothing can happen to them before one of these closes, and nothing more is asked of them.
RowSet out_of_question(const model::Model& model, const model::State& state, const Options& options,
                       Workspace::Impl& impl) {
  RowSet out(model.rows());
  const double touch = std::max({options.touch, options.touch_position, model.simulation.touch});
  if (!(touch < model::PlainlyOpen::part * touch_below_open)) return out;
  if (!impl.plainly_open) impl.plainly_open.emplace(model);
  impl.plainly_open->find(model, state, impl.plain_marks);
  std::vector<std::uint8_t> plain;
  for (const model::Condition& condition : model.conditions) {
    if (condition.alternatives < 2 || condition.seizure || condition.implied) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      plain.assign(condition.alternatives, 1);
      bool usual = true;
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        usual = usual && !options.closed.contains(row) && !options.gone.contains(row) && !impl.released.contains(row) &&
                model.row_twin[row] == row;
        if (impl.plain_marks[row] == 0) plain[model.row_alternative[row]] = 0;
      }
      if (!usual || std::count(plain.begin(), plain.end(), 1) < 2) continue;
      for (std::uint32_t row = first; row < first + condition.components; ++row) out.add(row);
    }
  }
  return out;
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
  const RowSet far = out_of_question(model, state, options, impl);
  model::evaluate_rows_but(model, state, far.marks(), impl.scratch, impl.rows);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (far.contains(row)) idle.add(row);
  }
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
  std::optional<Sizes> sizes;
  if (changed) sizes.emplace(model, state, all, impl);
  const model::Rows here = changed ? impl.rows : model::Rows();
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
        Way& way = ways.back();
        way.opens = way.determined;
        for (std::uint32_t row = one.first; way.opens && row < one.first + one.condition->components; ++row) {
          if (model.row_alternative[row] != j || idle.contains(row)) continue;
          way.opens = is_open(way.role[row]) && (way.struck.empty() || !way.struck[row]);
        }
      }
      impl.rows = here;
      const std::uint32_t chosen = nearest_alternative(model, *one.condition, one.first, ways, *sizes, impl, several);
      changed = changed || (chosen != one.chosen && undecided.size() > 1);
      one.chosen = chosen;
    }
  }
  for (const Undecided& one : undecided) leave_others_out(model, one, idle);
  return idle;
}

}  // namespace zwang::instant
