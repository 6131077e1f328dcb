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
  double shock = 0;  ///< (v - alpha)^T M (v - alpha), alpha the velocity after the blows alone
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
    double fastest = square(state.velocity);
    for (const model::Blow& blow : model.blows) {
      if (!same_instant(blow.at, state.time)) continue;
      const std::vector<double> impulse = model::impulse_of(blow, state.position);
      for (std::size_t i = 0; i < impulse.size(); ++i) fastest += impulse[i] * impulse[i] / mass_[blow.variables[i]];
    }
    no_speed_ = rounding_of_ways * std::sqrt(fastest) + bounds_that_are_nothing * std::sqrt(doubt);
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

void tell_several(const model::Model& model, const model::Condition& condition, const Sizes& sizes, bool ways_agree,
                  std::vector<std::vector<double>> velocities, Several& several) {
  const std::string blows = velocities_of_ways(model, sizes, velocities);
  several.words = equally_near(condition, ways_agree, blows);
  several.velocities.clear();
  if (!blows.empty()) several.velocities = std::move(velocities);
}

/// Under `options`, which say what is gone.
Way follow_alternative(const model::Model& model, model::State state, const Options& options, Workspace& workspace,
                       std::uint32_t alternative) {
  Way way;
  way.alternative = alternative;
  Instant instant;
  accelerate(model, state, options, workspace, instant);
  bool possible = true;
  // What blows do is done whichever alternative counts: it is no part of what that costs.
  std::vector<double> free = state.velocity;
  Options then = options;
  for (int round = 0; possible && instant.status == Status::impact && round < most_shocks_of_a_way; ++round) {
    Shock shock;
    impact(model, state, then, workspace, shock);
    possible = shock.status != ShockStatus::jammed;
    if (round == 0 && shock.alpha.size() == free.size()) free = shock.alpha;
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
  for (std::size_t i = 0; i < change.size(); ++i) change[i] -= free[i];
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

/// Does a change the motion less than b?
bool is_nearer(const Sizes& sizes, const Way& a, const Way& b) {
  if (as_near(sizes, a, b)) return false;
  return sizes.same_shock(a.shock, b.shock) ? a.constraint < b.constraint : a.shock < b.shock;
}

/// Do two ways lead to one motion?
bool same_motion(const Sizes& sizes, const Way& a, const Way& b) {
  return a.determined && sizes.same_velocities(a.velocity, b.velocity) &&
         sizes.same_accelerations(a.after.accelerations, b.after.accelerations);
}

/// Does a way neither strike nor hinder?
bool costs_nothing(const Sizes& sizes, const Way& way) { return !sizes.is_shock(way.shock) && way.constraint == 0; }

/// At a re-entrant corner: the side that changes the motion least. `several` tells where it is not the only one, and `equals` receives the others.
std::uint32_t nearest_alternative(const model::Model& model, const model::Condition& condition, std::uint32_t first,
                                  const std::vector<Way>& ways, const Sizes& sizes, Workspace::Impl& impl,
                                  Several& several, std::vector<std::uint32_t>& equals) {
  // As without the condition: nothing is nearer, and two of them are the same motion.
  for (const Way& way : ways) {
    if (way.opens) return way.alternative;
  }
  std::size_t best = 0;
  for (std::size_t k = 1; k < ways.size(); ++k) {
    if (is_nearer(sizes, ways[k], ways[best])) best = k;
  }
  std::vector<const Way*> nearest;
  for (const Way& way : ways) {
    if (as_near(sizes, way, ways[best])) nearest.push_back(&way);
  }
  // Two that cost nothing at all agree: neither hinders.
  if (nearest.size() == 1 || costs_nothing(sizes, ways[best])) return ways[best].alternative;
  const bool ways_agree =
      std::all_of(nearest.begin(), nearest.end(), [&](const Way* way) { return same_motion(sizes, *way, ways[best]); });
  // One motion here, and one that allows all that the others do allows all that the condition does.
  if (ways_agree) {
    for (const Way* wider : nearest) {
      if (std::all_of(nearest.begin(), nearest.end(), [&](const Way* other) {
            return other == wider || allows_all_of(model, condition, first, *wider, *other, impl);
          }))
        return wider->alternative;
    }
  }
  several.ways.clear();
  std::vector<std::vector<double>> velocities;
  for (const Way* way : nearest) {
    several.ways.push_back(way->after);
    velocities.push_back(way->velocity);
  }
  for (const Way* way : nearest) {
    if (way != &ways[best]) equals.push_back(way->alternative);
  }
  tell_several(model, condition, sizes, ways_agree, std::move(velocities), several);
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

/// Undecided conditions that hang together, as corners of two bodies that meet in one point do.
struct Together {
  const model::Model& model;
  const model::State& state;
  Options options;  ///< `gone` is that of the question asked last
  Workspace& workspace;
  const RowSet& idle;  ///< what is out of question
  const Sizes& sizes;
  model::Rows here = workspace.impl().rows;

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  /// One that several alternatives were equally good for when it was chosen beside the rest as that stood then.
  struct Tie {
    std::size_t place = none;
    std::uint32_t alternative = 0;  ///< another than the one that was taken
  };

  /// What is chosen first may suit itself, and the rest must suit it. So the choice is made once more in the other order, and, where nothing decided
  /// between equals, from each of them; what comes of these is compared as a whole.
  void choose(std::vector<Undecided>& all, Several& several) {
    const std::vector<Undecided> open = all;
    std::vector<Tie> ties;
    descend(all, {}, several, &ties);
    if (!several.ways.empty() || all.size() < 2) return;
    Way best = whole(all);
    std::vector<Way> equals;
    ties.insert(ties.begin(), Tie{none, 0});
    if (ties.size() > most_other_ends) ties.resize(most_other_ends);
    for (const Tie& tie : ties) {
      if (costs_nothing(sizes, best)) return;
      std::vector<Undecided> other = open;
      if (tie.place != none) other[tie.place].chosen = tie.alternative;
      Several inside;
      descend(other, tie, inside, nullptr);
      const bool same = std::equal(other.begin(), other.end(), all.begin(),
                                   [](const Undecided& a, const Undecided& b) { return a.chosen == b.chosen; });
      if (same) continue;
      Way way = whole(other);
      way.alternative = first_that_differs(all, other);
      if (is_nearer(sizes, way, best)) {
        best = std::move(way);
        all = std::move(other);
        equals.clear();
        continue;
      }
      const auto is_same = [&](const Way& one) { return same_motion(sizes, one, way); };
      if (!as_near(sizes, way, best) || is_same(best) || std::any_of(equals.begin(), equals.end(), is_same)) continue;
      equals.push_back(std::move(way));
    }
    if (!equals.empty()) tell(*all[equals.front().alternative].condition, best, equals, several);
  }

 private:
  static std::uint32_t first_that_differs(const std::vector<Undecided>& a, const std::vector<Undecided>& b) {
    std::uint32_t k = 0;
    while (a[k].chosen == b[k].chosen) ++k;
    return k;
  }

  void tell(const model::Condition& condition, const Way& best, const std::vector<Way>& equals, Several& several) {
    several.ways = {best.after};
    std::vector<std::vector<double>> velocities = {best.velocity};
    for (const Way& way : equals) {
      several.ways.push_back(way.after);
      velocities.push_back(way.velocity);
    }
    tell_several(model, condition, sizes, false, std::move(velocities), several);
  }

  /// Each changes the motion least beside what is chosen of the rest, which hinders nothing before it is chosen. That of `from` stands at first;
  /// if it names no place, the last one chooses first.
  void descend(std::vector<Undecided>& all, const Tie& from, Several& several, std::vector<Tie>* ties) {
    const bool in_order = ties != nullptr || from.place != none;
    bool changed = true;
    for (int round = 0; changed && round < most_rounds_of_alternatives; ++round) {
      changed = false;
      several = {};
      for (std::size_t turn = 0; turn < all.size(); ++turn) {
        const std::size_t k = in_order ? turn : all.size() - 1 - turn;
        if (round == 0 && k == from.place) continue;
        Undecided& one = all[k];
        std::vector<std::uint32_t> equals;
        const std::vector<Way> ways = ways_of(all, k);
        const std::uint32_t chosen =
            nearest_alternative(model, *one.condition, one.first, ways, sizes, workspace.impl(), several, equals);
        for (const std::uint32_t alternative : equals) {
          if (ties != nullptr && round == 0) ties->push_back({k, alternative});
        }
        changed = changed || (chosen != one.chosen && all.size() > 1);
        one.chosen = chosen;
      }
      changed = changed || (round == 0 && from.place != none);
    }
  }

  /// What follows of each alternative of one, beside what is chosen of the rest.
  std::vector<Way> ways_of(const std::vector<Undecided>& all, std::size_t k) {
    RowSet rest = idle;
    for (std::size_t other = 0; other < all.size(); ++other) {
      if (other != k) leave_others_out(model, all[other], rest);
    }
    const Undecided& one = all[k];
    std::vector<Way> ways;
    for (const std::uint32_t j : one.touched) {
      options.gone = rest;
      Undecided tried = one;
      tried.chosen = j;
      leave_others_out(model, tried, options.gone);
      ways.push_back(follow_alternative(model, state, options, workspace, j));
      Way& way = ways.back();
      way.opens = way.determined;
      for (std::uint32_t row = one.first; way.opens && row < one.first + one.condition->components; ++row) {
        if (model.row_alternative[row] != j || idle.contains(row)) continue;
        way.opens = is_open(way.role[row]) && (way.struck.empty() || !way.struck[row]);
      }
    }
    workspace.impl().rows = here;
    return ways;
  }

  /// What follows if all are chosen.
  Way whole(const std::vector<Undecided>& all) {
    options.gone = idle;
    for (const Undecided& one : all) leave_others_out(model, one, options.gone);
    Way way = follow_alternative(model, state, options, workspace, 0);
    workspace.impl().rows = here;
    return way;
  }
};

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

  // The others hang together.
  if (!undecided.empty()) {
    const Sizes sizes(model, state, all, impl);
    Together together{model, state, inner, workspace, idle, sizes};
    together.choose(undecided, several);
  }
  for (const Undecided& one : undecided) leave_others_out(model, one, idle);
  return idle;
}

}  // namespace zwang::instant
