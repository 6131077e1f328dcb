/// Flags at random points, their agreement, integrals, and the leaf through the state.
#include "zwang/analysis/integrability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/analysis/equivalence.hpp"
#include "zwang/analysis/leaf.hpp"
#include "zwang/analysis/redundant.hpp"
#include "zwang/analysis/tangent.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/number.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::analysis {

using expressions::Expr;

namespace {

/// Points that a way led to are right to about 1e-13.
constexpr Thresholds on_ways{1e-9, 1e-7, 1e-13};
/// Jets beyond this size are not made.
constexpr double most_coefficients = 40000;

/// What one point tells.
struct View {
  bool seen = false;   ///< numbers are finite, jets short enough
  bool clear = false;  ///< all ranks are
  std::vector<std::size_t> derived;
  std::vector<std::size_t> growth;
  std::vector<Gap> derived_gaps;
  std::vector<Gap> growth_gaps;
  std::size_t levels = 0;  ///< independent levels
  Lift lift;
  std::vector<std::vector<double>> rows;                ///< last system, kept columns, in units
  std::vector<std::vector<std::vector<double>>> slope;  ///< [row][kept column][by kept column], in units
  std::vector<std::size_t> pivots;
  [[nodiscard]] std::size_t integrable() const { return derived.back(); }
};

bool is_clear(const std::vector<Gap>& gaps) {
  return std::all_of(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.clear; });
}

/// Flag and growth with numbers of one kind; `extra` orders are right beyond what the flag needs.
template <class S>
View view_with(const Restriction& restriction, const std::vector<double>& x, Thresholds thresholds, std::size_t extra,
               bool with_growth) {
  View out;
  const std::size_t n = restriction.system().columns.size();
  for (std::size_t order = 2; order <= n + 1; ++order) {
    if (JetShape::count(restriction.active(), order + extra + 1) > most_coefficients) return out;
    FormsAt<S> forms;
    if (!restriction.forms_at(x, order + extra, forms, out.lift)) return out;
    DerivedFlag<S> flag = derived_flag(forms, order, thresholds);
    Growth grown;
    if (with_growth) grown = growth(forms, order, thresholds);
    if (order <= n && (!flag.ended || (with_growth && !grown.ended))) continue;
    out.seen = true;
    out.levels = out.lift.solved.size();
    out.clear = flag.ended && is_clear(flag.gaps) && (!with_growth || (grown.ended && is_clear(grown.gaps)));
    out.derived = flag.ranks;
    for (std::size_t& rank : out.derived) rank += out.levels;
    out.derived_gaps = flag.gaps;
    for (Gap& gap : out.derived_gaps) gap.rank += out.levels;
    // Ends when it repeats or is 0.
    if (out.derived.back() != 0 &&
        (out.derived.size() == 1 || out.derived.back() != out.derived[out.derived.size() - 2])) {
      out.derived.push_back(out.derived.back());
      out.derived_gaps.push_back(out.derived_gaps.back());
    }
    out.growth = grown.dimensions;
    out.growth_gaps = grown.gaps;
    out.pivots = flag.pivots;
    for (const auto& row : flag.last) {
      out.rows.emplace_back();
      out.slope.emplace_back();
      for (const Jet<S>& entry : row) {
        out.rows.back().push_back(narrow(entry[0]));
        out.slope.back().emplace_back();
        for (const int variable : forms.variable) {
          const bool known = variable >= 0 && entry.size() > 1;
          out.slope.back().back().push_back(known ? narrow(entry[1 + static_cast<std::size_t>(variable)]) : 0.0);
        }
      }
    }
    return out;
  }
  return out;
}

View view(const Restriction& restriction, const std::vector<double>& x, bool with_growth = true,
          std::size_t extra = 0) {
  View out = view_with<double>(restriction, x, in_doubles, extra, with_growth);
  if (out.seen && out.clear) return out;
  const View wide = view_with<Wide>(restriction, x, in_wide, extra, with_growth);
  return wide.seen ? wide : out;
}

/// Directions on which all integrable forms vanish, in all columns.
std::vector<std::vector<double>> closure_of(const View& v) {
  std::vector<std::vector<double>> out;
  const std::size_t n = v.lift.kept.size();
  // Rows are solved for their pivots.
  std::vector<bool> bound(n, false);
  for (const std::size_t p : v.pivots) bound[p] = true;
  for (std::size_t c = 0; c < n; ++c) {
    if (bound[c]) continue;
    std::vector<double> reduced(n, 0.0);
    reduced[c] = 1;
    for (std::size_t j = 0; j < v.rows.size(); ++j) reduced[v.pivots[j]] = -v.rows[j][c];
    out.push_back(v.lift.direction(reduced));
  }
  return out;
}

/// Random points of a restriction with what vanishes there.
class Points {
 public:
  Points(const Restriction& restriction, std::vector<std::size_t> derived, std::uint64_t seed)
      : restriction_(restriction), derived_(std::move(derived)), dice_(seed) {}

  bool operator()(LeafPoint& out) {
    for (int tries = 0; tries < 20; ++tries) {
      out = {};
      if (!restriction_.random_point(dice_, out.x, true)) return false;
      const View v = view(restriction_, out.x, false, 1);
      if (!v.seen || v.derived != derived_) continue;
      out.directions = closure_of(v);
      if (restriction_.levels().empty()) {
        // Back from units.
        const auto unit = [&](std::size_t c) { return restriction_.system().columns[c].unit; };
        out.rows = v.rows;
        out.slope = v.slope;
        for (std::size_t j = 0; j < out.rows.size(); ++j) {
          for (std::size_t c = 0; c < out.rows[j].size(); ++c) {
            out.rows[j][c] /= unit(c);
            for (std::size_t by = 0; by < out.rows[j].size(); ++by) out.slope[j][c][by] /= unit(c) * unit(by);
          }
        }
      }
      return true;
    }
    return false;
  }

 private:
  const Restriction& restriction_;
  std::vector<std::size_t> derived_;
  Dice dice_;
};

std::vector<double> state_of(const PfaffianSystem& system) {
  std::vector<double> x;
  for (const PfaffianSystem::Column& column : system.columns) x.push_back(column.value);
  return x;
}

std::vector<std::size_t> distinct(std::vector<std::size_t> list) {
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// The worst gaps of several points.
void join(std::vector<Gap>& all, const std::vector<Gap>& more) {
  if (all.empty()) all = more;
  for (std::size_t k = 0; k < std::min(all.size(), more.size()); ++k) {
    all[k].kept = std::min(all[k].kept, more[k].kept);
    all[k].dropped = std::max(all[k].dropped, more[k].dropped);
    all[k].clear = all[k].clear && more[k].clear;
    all[k].wide = all[k].wide || more[k].wide;
  }
}

/// Several points and what most generic ones of them say.
struct Survey {
  std::vector<View> views;
  std::size_t chosen = 0;
  std::size_t agreeing = 0;
  bool too_large = false;
};

Survey survey(const Restriction& restriction, unsigned points, std::uint64_t seed) {
  Survey out;
  Dice dice(seed);
  // Where ranks are not clear another point may be better; a few such are passed over.
  std::vector<View> unclear;
  for (unsigned k = 0; k < 4 * points && out.views.size() < points; ++k) {
    std::vector<double> x;
    if (!restriction.random_point(dice, x)) continue;
    View v = view(restriction, x);
    if (!v.seen) {
      out.too_large = true;
      break;
    }
    (v.clear ? out.views : unclear).push_back(std::move(v));
  }
  if (2 * out.views.size() < points) {
    out.views.insert(out.views.end(), unclear.begin(), unclear.end());
  }
  // Special points have dependent rows (r_0 less) or curls that vanish (later ranks more).
  const auto more_generic = [](const View& a, const View& b) {
    if (a.clear != b.clear) return a.clear;
    if (a.derived[0] != b.derived[0]) return a.derived[0] > b.derived[0];
    return std::lexicographical_compare(a.derived.begin() + 1, a.derived.end(), b.derived.begin() + 1, b.derived.end());
  };
  for (std::size_t k = 1; k < out.views.size(); ++k) {
    if (more_generic(out.views[k], out.views[out.chosen])) out.chosen = k;
  }
  for (const View& v : out.views) {
    out.agreeing += v.derived == out.views[out.chosen].derived && v.growth == out.views[out.chosen].growth ? 1 : 0;
  }
  return out;
}

std::vector<Level> holonomic_levels(const PfaffianSystem& system) {
  std::vector<Level> out;
  for (const Expr f : system.holonomic) out.push_back({f, 0});
  return out;
}

class Inquiry {
 public:
  Inquiry(PfaffianSystem& system, const IntegrabilityOptions& options, Integrability& result)
      : system_(system), options_(options), out_(result), restriction_(system, levels_of(system)) {}

  void run() {
    const Survey seen = survey(restriction_, options_.points, 1884);
    if (seen.views.empty()) {
      out_.decided = out_.leaf.decided = false;
      out_.doubt = seen.too_large
                       ? fmt::format(
                             "The conditions depend on {} variables together: their derivatives to the order needed "
                             "are too many.",
                             restriction_.active())
                       : "No point near the state lies on the holonomic equations with finite coefficients.";
      return;
    }
    record(seen);
    if (!out_.decided) return;
    if (options_.explicit_integrals) find_explicit();
    if (options_.at_state) look_at_state();
  }

 private:
  /// Holonomic equations hold; a state that is far from them is taken as it is.
  static std::vector<Level> levels_of(const PfaffianSystem& system) {
    std::vector<Level> levels = holonomic_levels(system);
    std::vector<double> x = state_of(system);
    if (!Restriction(system, levels).settle(x)) {
      for (Level& level : levels) level.value = differentiate(system, level.function, state_of(system)).value;
    }
    return levels;
  }

  void record(const Survey& seen) {
    const View& best = seen.views[seen.chosen];
    out_.points = seen.views.size();
    out_.agreeing = seen.agreeing;
    out_.derived = best.derived;
    out_.growth = distinct(best.growth);
    for (const View& v : seen.views) {
      if (v.derived != best.derived || v.growth != best.growth) continue;
      join(out_.derived_gaps, v.derived_gaps);
      join(out_.growth_gaps, v.growth_gaps);
    }
    out_.integrable = best.integrable();
    out_.complete = out_.integrable == best.derived[0];
    out_.leaf.integrable = out_.integrable;
    if (!best.clear) {
      out_.decided = false;
      out_.doubt = "Some singular values are neither clearly zero nor clearly not, even with twice the digits.";
    } else if (out_.integrable + best.growth.back() != system_.columns.size()) {
      out_.decided = false;
      out_.doubt = "The forms and the brackets of their kernel tell different numbers.";
    } else if (2 * out_.agreeing <= out_.points) {
      out_.decided = false;
      out_.doubt = fmt::format("Only {} of {} points near the state have these ranks.", out_.agreeing, out_.points);
    }
  }

  void find_explicit() {
    // The holonomic equations are their own integrals, as far as they are independent.
    const std::vector<double> here = state_of(system_);
    std::vector<double> x = here;
    Dice dice(7);
    (void)restriction_.random_point(dice, x);
    std::size_t rank = 0;
    for (const Level& level : restriction_.levels()) {
      std::vector<Level> some;
      for (const Expr f : functions_) some.push_back({f, 0});
      some.push_back(level);
      if (Restriction(system_, some).level_rank(x) == rank) continue;
      ++rank;
      const ValueAndGradient value = differentiate(system_, level.function, here);
      out_.integrals.push_back({write_function(system_, level.function), value.value, 0, value.gradient, true});
      functions_.push_back(level.function);
    }
    if (system_.pfaffian.empty() || out_.integrable <= rank) return;
    std::vector<Expr> known;
    for (const Level& level : restriction_.levels()) known.push_back(level.function);
    const std::vector<FoundIntegral> found =
        find_integrals(system_, known, out_.integrable - rank, Points(restriction_, out_.derived, 271828));
    for (const FoundIntegral& integral : found) {
      out_.integrals.push_back(integral);
      functions_.push_back(integral.function);
    }
    if (out_.integrals.size() < out_.integrable) name_implicit();
  }

  /// The others as values on a plane.
  void name_implicit() {
    const std::vector<double> x = state_of(system_);
    const View v = view(restriction_, x, false);
    if (!v.seen || v.derived != out_.derived) return;
    // The columns that the explicit ones do not fix already.
    linear::Matrix rows(out_.integrals.size() + v.rows.size(), x.size());
    std::vector<bool> bound(v.lift.kept.size(), false);
    for (const std::size_t p : v.pivots) bound[p] = true;
    for (std::size_t k = 0; k < v.lift.kept.size(); ++k) {
      const PfaffianSystem::Column& column = system_.columns[v.lift.kept[k]];
      if (!bound[k]) out_.implicit_where.push_back(column.name + " = " + readable(column.value));
    }
    for (std::size_t j = 0; j < v.pivots.size(); ++j) {
      const PfaffianSystem::Column& column = system_.columns[v.lift.kept[v.pivots[j]]];
      out_.implicit.push_back({column.name, column.value});
    }
    // As many as are missing; any choice independent of the explicit ones will do, and the last ones are simplest to
    // tell.
    const std::size_t missing = out_.integrable - out_.integrals.size();
    if (out_.implicit.size() > missing) choose_implicit(v, missing);
  }

  /// Of the columns solved for, those that stay independent beside the explicit integrals.
  void choose_implicit(const View& v, std::size_t missing) {
    std::vector<std::vector<double>> basis;
    const std::size_t h = v.pivots.size();
    const auto enters = [&](std::vector<double> row) {
      double before = 0;
      for (const double a : row) before += a * a;
      for (int twice = 0; twice < 2; ++twice) {
        for (const auto& b : basis) {
          double along = 0;
          for (std::size_t i = 0; i < h; ++i) along += b[i] * row[i];
          for (std::size_t i = 0; i < h; ++i) row[i] -= along * b[i];
        }
      }
      double left = 0;
      for (const double a : row) left += a * a;
      if (!(left > no_angle_squared * before) || before == 0) return false;
      for (double& a : row) a /= std::sqrt(left);
      basis.push_back(std::move(row));
      return true;
    };
    // d phi = sum over pivots of its entries there times theta_j.
    for (const Integral& integral : out_.integrals) {
      std::vector<double> row;
      for (const std::size_t p : v.pivots)
        row.push_back(integral.gradient[v.lift.kept[p]] * system_.columns[v.lift.kept[p]].unit);
      (void)enters(row);
    }
    std::vector<ImplicitIntegral> chosen;
    for (std::size_t j = 0; j < h && chosen.size() < missing; ++j) {
      std::vector<double> row(h, 0.0);
      row[j] = 1;
      if (enters(row)) chosen.push_back(out_.implicit[j]);
    }
    out_.implicit = std::move(chosen);
  }

  void look_at_state() {
    LeafVerdict& leaf = out_.leaf;
    leaf.integrable = out_.integrable;
    const std::size_t n = system_.columns.size();
    std::vector<double> x = state_of(system_);
    const std::vector<double> here = x;
    if (!restriction_.settle(x)) {
      leaf.decided = false;
      return;
    }
    // Are the conditions independent at the state?
    const auto rows = restriction_.rows_at(x);
    if (!rows) {
      leaf.decided = false;
      return;
    }
    linear::Matrix matrix(rows->size(), n);
    for (std::size_t j = 0; j < rows->size(); ++j) {
      for (std::size_t c = 0; c < n; ++c) matrix(j, c) = (*rows)[j][c];
    }
    leaf.rank_at_state = linear::rank(matrix, no_derived_direction);
    if (leaf.rank_at_state < out_.derived[0]) {
      leaf.dependent = leaf.special = true;
      leaf.decided = false;
      return;
    }

    // How far paths lead from it: points they reach are generic on what is reached.
    leaf.reachable = n - out_.integrable;
    Dice dice(1905);
    std::size_t reached = 0;
    bool decided = false;
    for (int k = 0; k < 3; ++k) {
      const auto y = restriction_.wander(x, dice);
      if (!y) continue;
      const auto dimension = dimension_at(*y);
      if (!dimension) continue;
      decided = true;
      reached = std::max(reached, *dimension);
    }
    if (!decided) {
      leaf.decided = false;
      return;
    }
    leaf.reachable = reached;
    look_at_growth(x);
    if (reached == n - out_.integrable) return;
    leaf.special = true;
    reduce(x);
  }

  /// The dimension of the Lie closure at a point that a way led to.
  [[nodiscard]] std::optional<std::size_t> dimension_at(const std::vector<double>& x) const {
    for (std::size_t order = 2; order <= system_.columns.size() + 1; ++order) {
      if (JetShape::count(restriction_.active(), order + 1) > most_coefficients) return std::nullopt;
      FormsAt<double> forms;
      Lift lift;
      if (!restriction_.forms_at(x, order, forms, lift)) return std::nullopt;
      const Growth grown = growth(forms, order, on_ways);
      if (!grown.ended && order <= system_.columns.size()) continue;
      if (!grown.ended || !is_clear(grown.gaps)) return std::nullopt;
      return grown.dimensions.back();
    }
    return std::nullopt;
  }

  /// Bracket by bracket at the state itself.
  void look_at_growth(const std::vector<double>& x) {
    LeafVerdict& leaf = out_.leaf;
    for (std::size_t order = 2; order <= 8; ++order) {
      if (JetShape::count(restriction_.active(), order + 1) > most_coefficients / 10) return;
      FormsAt<double> forms;
      Lift lift;
      if (!restriction_.forms_at(x, order, forms, lift)) return;
      const Growth grown = growth(forms, order, in_doubles, leaf.reachable);
      const bool there = grown.dimensions.back() == leaf.reachable;
      if (!there) continue;
      leaf.growth = grown.dimensions;
      // The step at which the last dimension is reached ends it.
      while (leaf.growth.size() > 1 && leaf.growth[leaf.growth.size() - 2] == leaf.reachable) leaf.growth.pop_back();
      leaf.special = leaf.growth != out_.growth;
      return;
    }
  }

  /// Voss's reduction: the integrals found are set to their values at the state, and what is left is asked again.
  void reduce(const std::vector<double>& x) {
    LeafVerdict& leaf = out_.leaf;
    const std::size_t by_ways = system_.columns.size() - leaf.reachable;
    std::vector<Level> levels = restriction_.levels();
    std::vector<Expr> known;
    for (const Expr f : functions_) {
      if (std::any_of(levels.begin(), levels.end(), [&](const Level& l) { return l.function == f; })) continue;
      levels.push_back({f, differentiate(system_, f, x).value});
    }
    std::size_t found = out_.integrable;
    std::size_t fixed = out_.integrals.size();
    while (true) {
      // Without all integrals of this stage the leaf is not known, but what is reached is.
      if (fixed < found) {
        leaf.integrable = by_ways;
        return;
      }
      const Restriction on_leaf(system_, levels);
      if (on_leaf.level_rank(x) < fixed) {
        leaf.integrable = by_ways;
        return;
      }
      const Survey seen = survey(on_leaf, options_.points, 1885);
      if (seen.views.empty() || !seen.views[seen.chosen].clear) {
        leaf.integrable = by_ways;
        return;
      }
      const View& best = seen.views[seen.chosen];
      leaf.integrable = best.integrable();
      if (best.integrable() == found || best.integrable() == by_ways) {
        if (best.integrable() > found && options_.explicit_integrals) (void)further(on_leaf, levels, best, found, x);
        return;
      }
      const std::size_t more = further(on_leaf, levels, best, found, x);
      found = best.integrable();
      fixed += more;
    }
  }

  /// Integrals that only the leaf has, made levels themselves.
  std::size_t further(const Restriction& on_leaf, std::vector<Level>& levels, const View& best, std::size_t found,
                      const std::vector<double>& x) {
    std::vector<Expr> known;
    for (const Level& level : levels) known.push_back(level.function);
    const std::vector<FoundIntegral> more =
        find_integrals(system_, known, best.integrable() - found, Points(on_leaf, best.derived, 314159));
    for (const FoundIntegral& integral : more) {
      levels.push_back({integral.function, differentiate(system_, integral.function, x).value});
      out_.leaf.integrals.push_back(integral.text);
    }
    return more.size();
  }

  PfaffianSystem& system_;
  const IntegrabilityOptions& options_;
  Integrability& out_;
  std::vector<Expr> functions_;  ///< of the explicit integrals
  Restriction restriction_;
};

/// Holonomic equations alone: complete, whatever their number. Only their rank is to be found.
void judge_holonomic(const model::Model& model, const model::State& state, const PfaffianSystem& system,
                     Integrability& out) {
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, state, scratch, rows);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  const Tangent t = tangent(model, rows, equations_in_force(model, state.time), dynamics.mass);
  // Gradients by the time do not make rows independent that are not so by the positions of one instant, unless they
  // contradict.
  const std::size_t rank = t.rank() + (t.contradictory.empty() ? 0 : 1);
  out.integrable = rank;
  out.complete = true;
  out.derived = {rank, rank};
  out.growth = {system.columns.size() - rank};
  out.points = out.agreeing = 1;
  out.leaf.integrable = rank;
  out.leaf.rank_at_state = rank;
  out.leaf.reachable = out.growth[0];
}

/// Each equation is an integral, as far as they are independent.
void list_holonomic(PfaffianSystem& system, const IntegrabilityOptions& options, Integrability& out) {
  const std::vector<double> here = state_of(system);
  for (const Expr f : system.holonomic) {
    if (!options.explicit_integrals || out.integrals.size() == out.integrable) break;
    out.integrals.push_back({write_function(system, f), differentiate(system, f, here).value, 0, {}, true});
  }
}

}  // namespace

Integrability integrability(const model::Draft& draft, const model::Model& model, const model::State& state,
                            const IntegrabilityOptions& options) {
  Integrability out;
  PfaffianSystem system = pfaffian_system(draft, model, state);
  out.conditions = system.conditions();
  out.holonomic = system.holonomic.size();
  for (const PfaffianSystem::Column& column : system.columns) out.columns.push_back(column.name);
  if (out.conditions == 0) return out;

  // Many equations between positions need no jets.
  constexpr std::size_t few = 40;
  if (system.pfaffian.empty() && system.columns.size() > few) {
    judge_holonomic(model, state, system, out);
    list_holonomic(system, options, out);
  } else if (system.columns.size() > Integrability::most_columns) {
    out.decided = false;
    out.doubt = fmt::format("the system has {} columns; conditions on velocities are looked at up to {}",
                            system.columns.size(), Integrability::most_columns);
  } else {
    // Ranks beside the level set of redundant equations are others than on it, and points are settled there to half the digits only.
    (void)leave_out_redundant(system);
    Inquiry(system, options, out).run();
    if (!out.decided && system.pfaffian.empty()) {
      // Equations between positions are integrals as they are written; only their number beside the state is open.
      const std::vector<std::string> columns = out.columns;
      const std::size_t conditions = out.conditions;
      const std::size_t holonomic = out.holonomic;
      out = {};
      out.columns = columns;
      out.conditions = conditions;
      out.holonomic = holonomic;
      out.doubt = "The ranks are those at the state itself; beside it they may be larger.";
      judge_holonomic(model, state, system, out);
      list_holonomic(system, options, out);
    }
  }
  out.laws_agree = equivalence(model, state).agree;
  return out;
}

struct LeafNumbers::Content {
  PfaffianSystem system;
  std::unique_ptr<Restriction> restriction;
  std::vector<std::size_t> bound;  ///< columns
  std::vector<std::size_t> free;   ///< columns
  std::vector<std::string> names;
  std::vector<std::size_t> derived;
};

LeafNumbers::LeafNumbers(const model::Draft& draft, const model::Model& model, const model::State& state)
    : content_(std::make_unique<Content>()) {
  Content& c = *content_;
  c.system = pfaffian_system(draft, model, state);
  (void)leave_out_redundant(c.system);
  c.restriction = std::make_unique<Restriction>(c.system, holonomic_levels(c.system));
  const View v = view(*c.restriction, state_of(c.system), false);
  if (!v.seen) return;
  c.derived = v.derived;
  std::vector<bool> bound(v.lift.kept.size(), false);
  for (const std::size_t p : v.pivots) {
    bound[p] = true;
    c.bound.push_back(v.lift.kept[p]);
    c.names.push_back(c.system.columns[v.lift.kept[p]].name);
  }
  for (std::size_t k = 0; k < bound.size(); ++k) {
    if (!bound[k]) c.free.push_back(v.lift.kept[k]);
  }
}
LeafNumbers::~LeafNumbers() = default;
LeafNumbers::LeafNumbers(LeafNumbers&&) noexcept = default;
LeafNumbers& LeafNumbers::operator=(LeafNumbers&&) noexcept = default;

const std::vector<std::string>& LeafNumbers::names() const { return content_->names; }

std::vector<double> LeafNumbers::at(const model::State& state) const {
  const Content& c = *content_;
  const PfaffianSystem& system = c.system;
  if (c.bound.empty()) return {};
  std::vector<double> x = state.position;
  if (system.time_column < system.columns.size()) x.push_back(state.time);
  // The free columns go straight back to their values, the others as the forms tell.
  std::vector<double> goal(x.size(), 0.0);
  for (const std::size_t k : c.free) goal[k] = system.columns[k].value - x[k];
  const Slope slope = [&](const std::vector<double>& at, double) -> std::optional<std::vector<double>> {
    const View v = view(*c.restriction, at, false);
    if (!v.seen || v.derived.back() != c.derived.back()) return std::nullopt;
    const std::vector<std::vector<double>> directions = closure_of(v);
    // The combination of directions whose free columns move as they should.
    linear::Matrix matrix(c.free.size(), directions.size());
    std::vector<double> right(c.free.size());
    for (std::size_t k = 0; k < c.free.size(); ++k) {
      for (std::size_t d = 0; d < directions.size(); ++d) matrix(k, d) = directions[d][c.free[k]];
      right[k] = goal[c.free[k]];
    }
    double residual = 0;
    const std::vector<double> weight = linear::least_norm(matrix, right, &residual);
    std::vector<double> rate(at.size(), 0.0);
    for (std::size_t d = 0; d < directions.size(); ++d) {
      for (std::size_t i = 0; i < rate.size(); ++i) rate[i] += weight[d] * directions[d][i];
    }
    return rate;
  };
  const auto end = follow(slope, x);
  if (!end) return {};
  std::vector<double> out;
  for (const std::size_t k : c.bound) out.push_back((*end)[k]);
  return out;
}

}  // namespace zwang::analysis
