/// The power series of a first-order system made unfree, order by order, members of families side by side.
#include "zwang/motion/flow.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/base/side.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/remainders.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/linear/row_factor.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/model/lanes.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/reach.hpp"
#include "zwang/motion/step_search.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

constexpr double row_rounding = 2e-16;     ///< of a row's terms: below it there is nothing to correct
constexpr double contradicted = 1e-9;      ///< of a row's terms: what a dependent condition may be broken by
constexpr double probe_tolerance = 1e-4;   ///< the probe only shows where a singular place lies
constexpr double nearly_dependent = 1e-4;  ///< part of a row that is left where steps have become too small
constexpr double part_of_fastest = 1e-3;   ///< of the fastest rate: what a variable at rest is measured by
// Roots that begin at zero.
constexpr double beside_nothing = 0x1p-100;   ///< of the largest variable: so far beside zero a root is all there is
constexpr double beside_something = 0x1p-40;  ///< of a variable: a root of this is 1e6 times as large as what is smooth
constexpr double counts_as_driven = 0x1p-10;  ///< of the change of rates: less is what is smooth
constexpr double leaves_at_once =
    1e-9;  ///< of the fastest rate: an argument that changes so fast comes off zero in one way
constexpr double least_pivot = 1e-8;  ///< pivots below it do not magnify a bound further: the step ends for them

/// Lanes of one shape on one tape.
struct Strip {
  const expressions::Tape* tape = nullptr;
  unsigned width = 1;
  std::size_t slots = 0;                   ///< of positions
  std::size_t registers = 0;               ///< place in the arena
  std::size_t rest = 0;                    ///< place among the bounds of what the series leave out
  std::vector<std::uint32_t> position_of;  ///< [slot * width + lane]
  std::vector<std::uint32_t> sized;
  std::size_t first_mode = 0;          ///< register of the first mode
  std::vector<std::uint32_t> mode_of;  ///< number of the model's mode: [slot * width + lane]
};

/// A number of an output: coefficient k stands at place + k * stride. `rest` is its number among all registers and lanes.
struct Coefficients {
  std::size_t place = 0;
  std::size_t stride = 0;
  bool constant = false;
  std::size_t rest = 0;
};

/// A switch slid on.
struct SlidSurface {
  const model::Slotted* group = nullptr;
  std::uint32_t corner = 0;
  std::uint32_t lane = 0;
  double threshold = 0;
  struct Mode {
    std::size_t at = 0;      ///< of the mode's first coefficient in the arena
    std::size_t stride = 0;  ///< to the next one
    double below = 0, above = 0;
  };
  std::vector<Mode> places;
  std::vector<double> registers;  ///< of its switching function
  std::vector<double> p;          ///< dg/dx
  std::vector<double> response;   ///< what the rates change from one side to the other, conditions kept
  std::vector<double> sigma;
};

}  // namespace

struct Flow::Impl {
  Impl(const model::Model& of, unsigned order) : model(of), N(order), orders(order + 1), n(of.variables), m(of.rows()) {
    oblique = !model.free_functions.empty();
    x.assign(std::size_t{orders} * n, 0.0);
    r.assign(std::size_t{orders} * n, 0.0);
    u = free_rate = probe = r;
    lambda.assign(std::size_t{orders} * m, 0.0);
    probe_lambda = lambda;

    // The tapes: free rates, conditions, free functions. What velocities do in a condition is in its gradient.
    for (const model::RowGroup& group : model.groups) {
      std::vector<std::uint32_t> wanted;
      for (std::uint32_t k = group.holonomic ? 0 : 1; k < group.tape.outputs.size(); ++k) wanted.push_back(k);
      tapes.push_back(expressions::part(group.tape, wanted));
    }
    rates.reserve(model.terms.size());
    for (const model::TermGroup& group : model.terms) {
      rates.push_back(group.tape);
      const std::size_t first_strip = strips.size();
      add_strips(group, rates.back(), [&](const Strip& strip, std::size_t first, std::size_t count) {
        for (std::size_t o = 0; o < group.tape.outputs.size(); ++o) {
          for (std::size_t l = 0; l < count; ++l) {
            targets.emplace_back(output(strip, o, l), group.target_of[o * group.lanes + first + l]);
          }
        }
      });
      find_roots_of(first_strip);
    }
    start.assign(model.row_start.begin(), model.row_start.end());
    if (start.empty()) start.push_back(0);
    column = model.row_column;
    entry_at.resize(column.size());
    value_at.resize(m);
    moving_at.resize(m);
    moves.assign(m, 0);
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      const model::RowGroup& group = model.groups[g];
      const std::size_t slots = group.holonomic ? group.positions : group.velocities;
      const std::size_t first_gradient = group.holonomic ? 1 : 0;
      add_strips(group, tapes[g], [&](const Strip& strip, std::size_t first, std::size_t count) {
        for (std::size_t l = 0; l < count; ++l) {
          const std::uint32_t row = group.row[first + l];
          if (group.holonomic) value_at[row] = output(strip, 0, l);
          for (std::size_t slot = 0; slot < slots; ++slot) {
            entry_at[group.entry_of[slot * group.lanes + first + l]] = output(strip, first_gradient + slot, l);
          }
          if (group.rheonomic) moving_at[row] = output(strip, first_gradient + slots, l);
          moves[row] = group.rheonomic ? 1 : 0;
        }
      });
    }
    for (const model::FreeFunction& function : model.free_functions) {
      add_strips(function.term, function.term.tape, [&](const Strip& strip, std::size_t, std::size_t) {
        for (std::size_t slot = 0; slot < function.term.positions; ++slot) {
          column.push_back(function.term.position_of[slot]);
          entry_at.push_back(output(strip, 1 + slot, 0));
        }
      });
      start.push_back(static_cast<std::uint32_t>(column.size()));
    }

    // The linear system.
    const std::size_t all = start.size() - 1;
    entry.assign(model.row_column.size(), 0.0);
    gradient_sum.assign(all, 0.0);
    length.assign(m, 1.0);
    right.assign(all, 0.0);
    shift.assign(n, 0.0);
    std::vector<double> ones(n, 1.0);
    mass = linear::Mass(std::move(ones));
    const bool positive = mass.factor();
    assert(positive);
    static_cast<void>(positive);
    if (!oblique && m > 0) gram.shape(rows(), mass, std::vector<std::uint8_t>(m, 1));
  }

  [[nodiscard]] linear::SparseRows rows() const { return {model.row_start, model.row_column, entry}; }

  // ---- tapes

  /// Puts all lanes of a group on strips of up to eight; `visit(strip, first lane, lanes)`.
  template <class Group, class Visit>
  void add_strips(const Group& group, const expressions::Tape& tape, Visit visit) {
    const std::size_t lanes = group.lanes;
    for (std::size_t first = 0; first < lanes; first += 8) {
      const std::size_t count = std::min<std::size_t>(8, lanes - first);
      Strip strip;
      strip.tape = &tape;
      strip.width = width_for(count);
      strip.slots = group.positions;
      strip.registers = arena.size();
      strip.rest = rest_count;
      strip.sized = expressions::sized_registers(tape);
      rest_count += tape.registers() * strip.width;
      arena.resize(arena.size() + tape.registers() * orders * strip.width, 0.0);
      double* to = arena.data() + strip.registers;
      expressions::load_constants(tape, to, orders, strip.width);
      const auto lane = [&](std::size_t l) { return first + std::min(l, count - 1); };
      for (std::size_t slot = 0; slot < group.positions; ++slot) {
        for (unsigned l = 0; l < strip.width; ++l) {
          strip.position_of.push_back(group.position_of[slot * lanes + lane(l)]);
        }
      }
      to += (1 + std::size_t{group.positions} + group.velocities) * orders * strip.width;
      for (std::size_t slot = 0; slot < group.constants; ++slot, to += std::size_t{orders} * strip.width) {
        for (unsigned l = 0; l < strip.width; ++l) to[l] = group.constant_of[slot * lanes + lane(l)];
      }
      strip.first_mode = std::size_t{1} + group.positions + group.velocities + group.steady();
      for (std::uint32_t slot = 0; slot < group.modes; ++slot) {
        for (unsigned l = 0; l < strip.width; ++l) {
          strip.mode_of.push_back(group.first_mode + slot * group.lanes + static_cast<std::uint32_t>(lane(l)));
        }
      }
      visit(strip, first, count);
      strips.push_back(std::move(strip));
    }
  }

  [[nodiscard]] Coefficients output(const Strip& strip, std::size_t o, std::size_t lane) const {
    const std::uint32_t reg = strip.tape->outputs[o];
    const std::size_t inputs = strip.tape->inputs.size();
    return {strip.registers + std::size_t{reg} * orders * strip.width + lane, strip.width,
            reg >= inputs && reg < inputs + strip.tape->constants.size(),
            strip.rest + std::size_t{reg} * strip.width + lane};
  }
  [[nodiscard]] double coefficient(const Coefficients& of, unsigned k) const { return arena[of.place + k * of.stride]; }

  /// The modes of corners: constant along the series.
  void load_modes(const std::vector<double>& given) {
    if (given.empty()) return;
    modes = given;
    for (const Strip& strip : strips) {
      double* to = arena.data() + strip.registers + strip.first_mode * orders * strip.width;
      for (std::size_t slot = 0; slot * strip.width < strip.mode_of.size();
           ++slot, to += std::size_t{orders} * strip.width) {
        for (unsigned l = 0; l < strip.width; ++l) to[l] = modes[strip.mode_of[slot * strip.width + l]];
      }
    }
  }
  std::vector<double> modes;

  /// Coefficient k of all inputs, then of everything.
  void run_tapes(double start_time, unsigned k) {
    for (const Strip& strip : strips) {
      const std::size_t w = strip.width;
      double* to = arena.data() + strip.registers + k * w;
      for (std::size_t l = 0; l < w; ++l) to[l] = k == 0 ? start_time : (k == 1 ? unit : 0.0);
      to += orders * w;
      for (std::size_t slot = 0; slot < strip.slots; ++slot, to += orders * w) {
        for (std::size_t l = 0; l < w; ++l) to[l] = x[k * n + strip.position_of[slot * w + l]];
      }
      expressions::extend(*strip.tape, arena.data() + strip.registers, orders, k, k, strip.width);
    }
  }

  // ---- rows

  /// sum_{l>=1} g_l.y_{k-l} of a row.
  [[nodiscard]] double behind(std::size_t row, unsigned k, const std::vector<double>& y) const {
    double sum = 0;
    for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) {
      const Coefficients& g = entry_at[e];
      if (g.constant) continue;
      const double* gradient = arena.data() + g.place;
      const double* value = y.data() + column[e];
      for (unsigned l = 1; l <= k; ++l) sum += gradient[l * g.stride] * value[std::size_t{k - l} * n];
    }
    return sum;
  }
  /// g_0.y of a row.
  [[nodiscard]] double along(std::size_t row, const double* y) const {
    double sum = 0;
    for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) sum += arena[entry_at[e].place] * y[column[e]];
    return sum;
  }
  /// y -= sum_{l>=1} g_l^T lambda_{k-l}
  void press(unsigned k, const std::vector<double>& multiplier, double* y) const {
    for (std::size_t row = 0; row < m; ++row) {
      for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) {
        const Coefficients& g = entry_at[e];
        if (g.constant) continue;
        const double* gradient = arena.data() + g.place;
        double sum = 0;
        for (unsigned l = 1; l <= k; ++l) sum += gradient[l * g.stride] * multiplier[std::size_t{k - l} * m + row];
        y[column[e]] -= sum;
      }
    }
  }
  [[nodiscard]] double moving(std::size_t row, unsigned k) const {
    return moves[row] != 0 ? coefficient(moving_at[row], k) : 0.0;
  }
  [[nodiscard]] bool skipped(std::size_t row) const {
    return oblique ? oblique_factor.skipped(row) : gram.skipped(row);
  }

  /// The entries of order zero and their factor.
  void factor() {
    const std::size_t all = start.size() - 1;
    for (std::size_t row = 0; row < all; ++row) {
      gradient_sum[row] = 0;
      for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) {
        const double g = arena[entry_at[e].place];
        gradient_sum[row] += std::abs(g);
        if (row < m) entry[e] = g;
      }
    }
    if (oblique) {
      dense.assign(all * n, 0.0);
      for (std::size_t row = 0; row < all; ++row) {
        for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) {
          dense[row * n + column[e]] = arena[entry_at[e].place];
        }
      }
      oblique_factor.factor(dense, all, n, model::dependent_part);
    } else if (m > 0) {
      gram.factor(rows(), mass);
    }
  }
  [[nodiscard]] std::size_t skipped_count() const {
    std::size_t count = 0;
    for (std::size_t row = 0; row < start.size() - 1 && (oblique || m > 0); ++row) count += skipped(row) ? 1 : 0;
    return count;
  }

  /// The change of positions or rates that takes `broken` off the conditions, written to `shift`: minus sum broken p.
  void give_way(const std::vector<double>& broken) {
    if (oblique) {
      std::fill(right.begin(), right.end(), 0.0);
      for (std::size_t row = 0; row < m; ++row) right[row] = -broken[row];
      oblique_factor.solve(right, shift);
      return;
    }
    right = broken;
    gram.solve(right);
    std::fill(shift.begin(), shift.end(), 0.0);
    for (std::size_t row = 0; row < m; ++row) {
      for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) shift[column[e]] -= entry[e] * right[row];
    }
  }

  // ---- roots and powers in the rates

  struct Root {
    expressions::Instruction* made_by = nullptr;
    std::size_t strip = 0;
    std::size_t argument = 0;  ///< place of its first coefficient in the arena
    std::size_t stride = 0;
    unsigned lane = 0;
    [[nodiscard]] bool steep() const { return made_by->op == expressions::Op::sqrt || made_by->c < 1; }
  };
  void find_roots_of(std::size_t first_strip) {
    using expressions::Op;
    for (std::size_t k = first_strip; k < strips.size(); ++k) {
      expressions::Tape& tape = rates.back();
      for (expressions::Instruction& i : tape.instructions) {
        if (i.op != Op::sqrt && !(i.op == Op::power && i.c > 0)) continue;
        for (unsigned l = 0; l < strips[k].width; ++l) {
          const std::size_t at = strips[k].registers + std::size_t{i.a} * orders * strips[k].width + l;
          roots.push_back({&i, k, at, strips[k].width, l});
        }
      }
    }
  }
  [[nodiscard]] double argument(const Root& root, unsigned k) const { return arena[root.argument + k * root.stride]; }

  /// The rates, and the changes of all arguments with them, at the state with variable i moved by `by`: what they are beside those at the state.
  struct Beside {
    std::vector<double> rate;      ///< of the variables
    std::vector<double> value;     ///< of the arguments of `zeros`
    std::vector<double> changing;  ///< the rates of these
  };
  Beside beside(double start_time, std::size_t i, double by) {
    const double kept = x[i];
    const std::vector<double> kept_modes = modes;
    x[i] += by;
    // On the side where it is then: a root of |u| or max(u, 0) may be another one there.
    if (by != 0 && model.switches > 0 && slides.empty()) {
      model::State there;
      there.time = start_time;
      there.position.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
      there.velocity.assign(n, 0.0);
      load_modes(model::modes_of(model, model::sides_of(model, there)));
    }
    run_tapes(start_time, 0);
    solve_order(0);
    run_tapes(start_time, 1);
    Beside out;
    out.rate.assign(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(n));
    for (const std::size_t z : zeros) {
      out.value.push_back(argument(roots[z], 0));
      out.changing.push_back(argument(roots[z], 1) / unit);
    }
    x[i] = kept;
    load_modes(kept_modes);
    return out;
  }

  /// Is zero the only motion of the arguments that stay there, and do those that come off slowly come off in one way? So it is where none is
  /// driven away from zero by its own root, and no two drive each other: v' = -k v^(1/2) + .. has one solution, v' = +k v^(1/2) many.
  bool lead_one_way(double start_time) {
    const std::size_t count = zeros.size();
    std::vector<std::uint8_t> drives(count * count, 0);  // [i * count + j]: root j the argument i
    const Beside here = beside(start_time, 0, 0.0);
    double extent = 0;
    for (std::size_t i = 0; i < n; ++i) extent = std::max(extent, std::abs(x[i]));
    for (std::size_t j = 0; j < count; ++j) {
      const Root& root = roots[zeros[j]];
      if (!root.steep() || argument_leaves[j] != 0) continue;
      const Strip& strip = strips[root.strip];
      for (std::size_t slot = 0; slot < strip.slots; ++slot) {
        const std::size_t i = strip.position_of[slot * strip.width + root.lane];
        const double size = x[i] == 0 ? beside_nothing * std::max(extent, 1.0) : beside_something * std::abs(x[i]);
        for (const double by : {size, -size}) {
          const Beside there = beside(start_time, i, by);
          const double moved = there.value[j] - here.value[j];
          if (!(moved > 0)) continue;
          double most = 0;
          for (std::size_t k = 0; k < n; ++k) most = std::max(most, std::abs(there.rate[k] - here.rate[k]));
          const double counts = counts_as_driven * most * moved / size;
          for (std::size_t k = 0; k < count; ++k) {
            // One that was moved along, as the same argument of another root, is itself.
            const double driven = there.changing[k] - here.changing[k];
            const bool itself = there.value[k] > here.value[k];
            if (itself ? driven > counts : std::abs(driven) > counts) drives[k * count + j] = 1;
          }
        }
      }
    }
    static_cast<void>(beside(start_time, 0, 0.0));
    std::vector<std::uint8_t> known(count, 0);
    for (std::size_t round = 0; round < count; ++round) {
      for (std::size_t i = 0; i < count; ++i) {
        bool driven = false;
        for (std::size_t j = 0; j < count; ++j) driven = driven || (known[j] == 0 && drives[i * count + j] != 0);
        if (!driven) known[i] = 1;
      }
    }
    return std::all_of(known.begin(), known.end(), [](std::uint8_t one) { return one != 0; });
  }

  std::vector<expressions::Tape> rates;  ///< of the terms
  std::vector<Root> roots;
  std::vector<std::size_t> zeros;             ///< numbers of the roots that begin at zero
  std::vector<std::uint8_t> argument_leaves;  ///< of these: at a rate that counts

  // ---- orders

  /// Coefficient k of the rates, the multipliers and the probe, from the tapes.
  void solve_order(unsigned k) {
    double* X = free_rate.data() + std::size_t{k} * n;
    double* change = u.data() + std::size_t{k} * n;
    std::fill(X, X + n, 0.0);
    for (const auto& [from, variable] : targets) X[variable] += coefficient(from, k);
    std::fill(change, change + n, 0.0);
    if (oblique) {
      solve_oblique(k, X, change);
    } else if (m > 0) {
      solve_orthogonal(k, X, change);
    }
    double* rate = r.data() + std::size_t{k} * n;
    double* next = x.data() + std::size_t{k + 1} * n;
    for (std::size_t i = 0; i < n; ++i) {
      rate[i] = X[i] + change[i];
      next[i] = unit * rate[i] / (k + 1.0);
    }
  }

  // ---- surfaces slid on

  void slide(std::span<const Series::Slide> list) {
    for (const SlidSurface& slid : slides) clear_weights(slid);
    slides.clear();
    for (const Series::Slide& one : list) {
      const model::SwitchPlace place = model::place_of_switch(model, one.numbers[0]);
      SlidSurface slid;
      slid.group = place.group;
      slid.corner = place.corner;
      slid.lane = place.lane;
      slid.registers.assign(place.group->switching.registers() * orders, 0.0);
      slid.sigma.assign(orders, 0.0);
      for (const instant::MixedMode& mixed : one.mixed) {
        if (mixed.number == one.numbers[0])
          slid.threshold = place.group->corners[place.corner].threshold(mixed.side_above, false);
        for (const Strip& strip : strips) {
          for (std::size_t at = 0; at < strip.mode_of.size(); ++at) {
            if (strip.mode_of[at] != mixed.mode) continue;
            const std::size_t slot = strip.first_mode + at / strip.width;
            slid.places.push_back({strip.registers + slot * orders * strip.width + at % strip.width, strip.width,
                                   mixed.below, mixed.above});
          }
        }
      }
      slides.push_back(std::move(slid));
    }
  }

  /// Its modes are those of the lower side, and constant.
  void clear_weights(const SlidSurface& slid) {
    for (const SlidSurface::Mode& place : slid.places) {
      for (unsigned k = 0; k < orders; ++k) arena[place.at + k * place.stride] = k == 0 ? place.below : 0.0;
    }
  }
  void set_weight(const SlidSurface& slid, unsigned k, double weight) {
    for (const SlidSurface::Mode& place : slid.places) {
      arena[place.at + k * place.stride] = (k == 0 ? place.below : 0.0) + weight * (place.above - place.below);
    }
  }

  /// g and dg/dx at a state.
  double surface(SlidSurface& slid, const model::State& state) {
    const model::Slotted& group = *slid.group;
    const auto run = [&](const expressions::Tape& tape) {
      std::vector<double> to(tape.registers());
      expressions::load_constants(tape, to.data(), 1, 1);
      model::fill_inputs<1, 1>(group, state.time, state.position, state.velocity, modes, slid.lane, to.data());
      expressions::extend(tape, to.data(), 1, 0, 0, 1);
      return to;
    };
    const std::vector<double> slopes = run(group.slopes);
    slid.p.assign(n, 0.0);
    const std::size_t slots = std::size_t{group.positions} + group.velocities;
    for (std::size_t slot = 0; slot < group.positions; ++slot) {
      slid.p[group.position_of[slot * group.lanes + slid.lane]] +=
          slopes[group.slopes.outputs[slid.corner * slots + slot]];
    }
    return run(group.switching)[group.switching.outputs[slid.corner]] - slid.threshold;
  }

  /// What rounding moves off the surfaces is taken back along their normals.
  void onto_surfaces(model::State& state, std::vector<double>& carry) {
    for (SlidSurface& slid : slides) {
      const double off = surface(slid, state);
      double square = 0;
      for (const double p : slid.p) square += p * p;
      if (off == 0 || !(square > 0)) continue;
      for (std::size_t i = 0; i < n; ++i) {
        if (slid.p[i] == 0) continue;
        const double change = carry[i] - off * slid.p[i] / square;
        const double sum = state.position[i] + change;
        carry[i] = change - (sum - state.position[i]);
        state.position[i] = sum;
      }
    }
  }

  /// Order k of everything: the tapes, the rates, and the weights of surfaces slid on.
  void advance_order(double start_time, unsigned k) {
    for (const SlidSurface& slid : slides) set_weight(slid, k, 0);
    run_tapes(start_time, k);
    solve_order(k);
    if (slides.empty()) return;
    const std::size_t count = slides.size();
    const std::vector<double> plain(r.begin() + static_cast<std::ptrdiff_t>(std::size_t{k} * n),
                                    r.begin() + static_cast<std::ptrdiff_t>(std::size_t{k + 1} * n));
    // Coefficient k + 1 of every g without the weights.
    std::vector<double> wanted(count);
    for (std::size_t i = 0; i < count; ++i) {
      SlidSurface& slid = slides[i];
      const model::Slotted& group = *slid.group;
      double* to = slid.registers.data();
      if (k == 0) expressions::load_constants(group.switching, to, orders, 1);
      for (unsigned order = k; order <= k + 1; ++order) {
        std::size_t slot = 0;
        const auto put = [&](double value) { to[slot++ * orders + order] = value; };
        put(order == 0 ? start_time : (order == 1 ? unit : 0.0));
        for (std::size_t s = 0; s < group.positions; ++s)
          put(x[order * n + group.position_of[s * group.lanes + slid.lane]]);
        for (std::size_t s = 0; s < group.velocities; ++s) put(0.0);
        for (std::size_t s = 0; s < group.constants; ++s) {
          const bool mode = s >= group.steady();
          put(order > 0 ? 0.0
                        : (mode ? modes[group.first_mode + (s - group.steady()) * group.lanes + slid.lane]
                                : group.constant_of[s * group.lanes + slid.lane]));
        }
      }
      expressions::extend(group.switching, to, orders, k, k + 1, 1);
      wanted[i] = -to[std::size_t{group.switching.outputs[slid.corner]} * orders + k + 1] * (k + 1.0) / unit;
    }
    // What each weight does to the rates; the same at every order.
    if (k == 0) {
      for (SlidSurface& slid : slides) {
        set_weight(slid, 0, 1);
        run_tapes(start_time, 0);
        solve_order(0);
        slid.response.assign(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(n));
        for (std::size_t i = 0; i < n; ++i) slid.response[i] -= plain[i];
        set_weight(slid, 0, 0);
      }
    }
    std::vector<double> matrix(count * count, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        for (std::size_t c = 0; c < n; ++c) matrix[i * count + j] += slides[i].p[c] * slides[j].response[c];
      }
    }
    static_cast<void>(linear::solve_small(std::move(matrix), wanted));
    for (std::size_t i = 0; i < count; ++i) {
      slides[i].sigma[k] = wanted[i];
      set_weight(slides[i], k, wanted[i]);
    }
    run_tapes(start_time, k);
    solve_order(k);
  }
  std::vector<SlidSurface> slides;

  void solve_oblique(unsigned k, const double* X, double* change) {
    const std::size_t all = start.size() - 1;
    for (std::size_t row = 0; row < all; ++row) {
      right[row] = row < m ? -(along(row, X) + behind(row, k, r) + moving(row, k)) : -behind(row, k, u);
    }
    for (std::size_t row = 0; row < m; ++row) {
      const double value = along(row, X) + behind(row, k, free_rate) + moving(row, k);
      lambda[k * m + row] = skipped(row) ? 0.0 : value;
    }
    oblique_factor.solve(right, {change, n});

    // The probe.
    for (std::size_t row = 0; row < all; ++row) {
      right[row] = k == 0 ? steady(row) * gradient_sum[row] : -behind(row, k, probe);
    }
    oblique_factor.solve(right, {probe.data() + std::size_t{k} * n, n});
  }

  void solve_orthogonal(unsigned k, const double* X, double* change) {
    press(k, lambda, change);
    for (std::size_t i = 0; i < n; ++i) shift[i] = X[i] + change[i];
    for (std::size_t row = 0; row < m; ++row)
      right[row] = along(row, shift.data()) + behind(row, k, r) + moving(row, k);
    finish_orthogonal(k, lambda, change);

    // The probe.
    double* y = probe.data() + std::size_t{k} * n;
    std::fill(y, y + n, 0.0);
    press(k, probe_lambda, y);
    for (std::size_t row = 0; row < m; ++row) {
      right[row] = along(row, y) + behind(row, k, probe) + (k == 0 ? steady(row) * gradient_sum[row] : 0.0);
    }
    finish_orthogonal(k, probe_lambda, y);
  }
  void finish_orthogonal(unsigned k, std::vector<double>& multiplier, double* change) {
    gram.solve(right);
    std::copy_n(right.begin(), m, multiplier.begin() + static_cast<std::ptrdiff_t>(k * m));
    for (std::size_t row = 0; row < m; ++row) {
      for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) change[column[e]] -= entry[e] * right[row];
    }
  }

  // ---- the bound over the whole step

  /// By what factor the bound of a step h, reckoned on the circle of radius r, misses what is allowed.
  double judge(double h, double part) {
    error.resize(rest_count);
    const expressions::Stretch stretch(h, N);
    const double last = stretch.of_length[N];
    for (const Strip& strip : strips) {
      const std::size_t w = strip.width;
      expressions::make_room(*strip.tape, strip.width, N, room);
      std::fill_n(room.error.begin(), strip.tape->inputs.size() * w, 0.0);
      for (std::size_t k = 0; k < strip.slots * w; ++k) {
        room.error[w + k] = std::abs(x[std::size_t{N} * n + strip.position_of[k]]) * last;
      }
      expressions::bound_remainders(*strip.tape, strip.sized, arena.data() + strip.registers, orders, strip.width, N,
                                    stretch, room);
      const auto count = static_cast<std::ptrdiff_t>(strip.tape->registers() * w);
      std::copy_n(room.error.begin(), count, error.begin() + static_cast<std::ptrdiff_t>(strip.rest));
    }

    // Sums over the step of rates, multipliers, and the change that conditions make.
    const auto sum = [&](const std::vector<double>& list, std::size_t count, std::size_t i) {
      double total = 0;
      for (unsigned k = N; k-- > 0;) total = total * h + std::abs(list[std::size_t{k} * count + i]);
      return total;
    };
    // Products of a gradient with one of those, beyond the orders known.
    const auto tail = [&](const Coefficients& g, const std::vector<double>& list, std::size_t count, std::size_t i) {
      double total = 0;
      double later_of_g = 0;
      for (unsigned k = 1; k < N; ++k) {
        later_of_g += std::abs(arena[g.place + (N - k) * g.stride]) * stretch.of_length[N - k];
        total += std::abs(list[std::size_t{k} * count + i]) * stretch.of_length[k] * later_of_g;
      }
      return total;
    };
    const auto value_at_end = [&](const std::vector<double>& list, std::size_t i) {
      double total = 0;
      for (unsigned k = N; k-- > 0;) total = total * h + list[std::size_t{k} * n + i];
      return std::abs(total);
    };
    // Of the free rates, then of the conditions and free functions, which change the rates by no more than their pivots allow.
    miss.assign(n, 0.0);
    for (const auto& [from, variable] : targets) miss[variable] += error[from.rest];
    const std::size_t all = start.size() - 1;
    const double pivot = oblique ? oblique_factor.pivot_part(oblique_factor.weakest())
                                 : (m > 0 ? std::sqrt(std::max(gram.least_pivot(), 0.0)) : 1.0);
    double& shared = shared_miss;
    shared = 0;
    for (std::size_t row = 0; row < all; ++row) {
      if (gradient_sum[row] == 0 || skipped(row)) continue;
      double broken = moves.size() > row && moves[row] != 0 ? error[moving_at[row].rest] : 0.0;
      for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) {
        const Coefficients& g = entry_at[e];
        if (g.constant) continue;
        const std::vector<double>& along_row = row < m ? r : u;
        broken += tail(g, along_row, n, column[e]) + error[g.rest] * sum(along_row, n, column[e]);
        if (!oblique) {
          miss[column[e]] += tail(g, lambda, m, row) + error[g.rest] * sum(lambda, m, row);
        }
      }
      shared = std::max(shared, broken / (gradient_sum[row] * std::max(pivot, least_pivot)));
    }
    defect = 0;
    double fastest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double size =
          std::max(std::abs(r[i]), value_at_end(r, i)) + std::max(std::abs(free_rate[i]), value_at_end(free_rate, i));
      scale_of.resize(n);
      scale_of[i] = size;
      fastest = std::max(fastest, size);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double off = miss[i] + shared;
      if (off == 0) continue;
      // What moves a variable by less than its rounding is as small as that; one at rest is measured by its partners.
      const double floor = std::max({row_rounding * std::abs(x[i]) / (h * unit), part_of_fastest * fastest, faintest});
      const double found = off / std::max(scale_of[i], floor);
      if (!(found <= defect)) defect = found;
      if (!(found < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
    }
    double worst = defect / part;
    for (std::size_t row = 0; row < m; ++row) {
      if (skipped(row) || !model::is_holonomic(model.row_kind[row])) continue;
      const double rest = error[value_at[row].rest];
      if (rest == 0) continue;
      const double found = rest / (part * std::max(h * unit * gradient_sum[row] * fastest, faintest));
      if (!(found <= worst)) worst = found;
      if (!(found < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
    }
    return worst;
  }

  /// Numbers between 1/2 and 1 that no symmetry of the rows makes vanish together.
  static double steady(std::size_t row) {
    const double golden = 0.6180339887498949 * static_cast<double>(row + 1);
    return 0.5 + 0.5 * (golden - std::floor(golden));
  }

  const model::Model& model;
  unsigned N;
  unsigned orders;
  std::size_t n;
  std::size_t m;
  bool oblique = false;

  // tapes
  std::vector<expressions::Tape> tapes;  ///< of the conditions
  std::vector<Strip> strips;
  std::vector<double> arena;
  std::vector<std::pair<Coefficients, std::uint32_t>> targets;  ///< free rates and their variables

  // rows: the conditions, then the free functions
  std::vector<std::uint32_t> start, column;
  std::vector<Coefficients> entry_at, value_at, moving_at;
  std::vector<std::uint8_t> moves;
  std::vector<double> gradient_sum;
  std::vector<double> length;  ///< of a condition: the largest change of a rate that its multiplier 1 makes

  // the bound
  std::size_t rest_count = 0;
  expressions::Remainders room;
  std::vector<double> error, miss, scale_of;
  double defect = 0;
  double shared_miss = 0;  ///< by the conditions, of any rate
  StepMemory step_memory;

  // the linear system
  linear::Mass mass;
  linear::GramFactor gram;
  linear::RowFactor oblique_factor;
  std::vector<double> entry, dense, right, shift;

  // series
  double time = 0;
  double unit = 1;                                ///< of time: the variable is s = t / unit
  std::vector<double> x, r, u, free_rate, probe;  ///< [k * n + i]
  std::vector<double> lambda, probe_lambda;       ///< [k * m + row]
};

Flow::Flow(const model::Model& model, unsigned order) : impl_(std::make_unique<Impl>(model, order)) {}
Flow::~Flow() = default;

unsigned Flow::order() const { return impl_->N; }
double Flow::unit() const { return impl_->unit; }
void Flow::measure_time_in(double unit) { impl_->unit = unit; }
std::span<const double> Flow::position() const { return impl_->x; }
std::span<const double> Flow::rate() const { return {impl_->r.data(), impl_->N * impl_->n}; }
std::span<const double> Flow::multiplier() const { return {impl_->lambda.data(), impl_->N * impl_->m}; }

Flow::Landing Flow::land(model::State& state, std::vector<double>& carry, double least_position) {
  Impl& impl = *impl_;
  impl.load_modes(state.modes);
  for (const SlidSurface& slid : impl.slides) impl.clear_weights(slid);
  impl.onto_surfaces(state, carry);
  const std::size_t n = impl.n;
  const std::size_t m = impl.m;
  Landing out;
  std::vector<double> broken(m, 0.0);
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds; ++round) {
    std::copy(state.position.begin(), state.position.end(), impl.x.begin());
    impl.run_tapes(state.time, 0);
    impl.factor();
    double size = least_position;
    for (const double q : state.position) size = std::max(size, std::abs(q));

    // How far the conditions are broken; those that depend on others follow them.
    bool mend = false;
    out.left.clear();
    for (std::size_t row = 0; row < m; ++row) {
      const bool holonomic = model::is_holonomic(impl.model.row_kind[row]);
      const double f = holonomic ? impl.coefficient(impl.value_at[row], 0) : 0.0;
      const double scale = size * impl.gradient_sum[row] + least_divisor;
      if (!std::isfinite(f) || !std::isfinite(impl.gradient_sum[row])) out.finite = false;
      broken[row] = f;
      if (round == 0 && !impl.skipped(row)) out.position_drift = std::max(out.position_drift, std::abs(f) / scale);
      if (impl.skipped(row) && std::abs(f) > contradicted * scale) {
        out.left.push_back(static_cast<std::uint32_t>(row));
      }
      mend = mend || (!impl.skipped(row) && std::abs(f) > row_rounding * scale);
    }
    if (round == 0) {
      double speed = 0;
      for (const double v : state.velocity) speed = std::max(speed, std::abs(v));
      for (std::size_t row = 0; row < m; ++row) {
        const double moving = impl.moving(row, 0);
        const double scale = speed * impl.gradient_sum[row] + std::abs(moving) + least_divisor;
        if (impl.skipped(row)) continue;
        out.rate_drift = std::max(out.rate_drift, std::abs(impl.along(row, state.velocity.data()) + moving) / scale);
      }
    }
    if (!out.finite || !mend || round + 1 == most_rounds) break;
    impl.give_way(broken);
    for (std::size_t i = 0; i < n; ++i) {
      if (impl.shift[i] == 0) continue;
      const double change = carry[i] + impl.shift[i];
      const double sum = state.position[i] + change;
      carry[i] = change - (sum - state.position[i]);
      state.position[i] = sum;
    }
  }
  out.skipped = impl.skipped_count();
  if (!out.finite) return out;

  // The rates here.
  for (SlidSurface& slid : impl.slides) static_cast<void>(impl.surface(slid, state));
  if (impl.slides.empty()) {
    impl.solve_order(0);
  } else {
    impl.advance_order(state.time, 0);
  }
  std::copy_n(impl.r.begin(), n, state.velocity.begin());
  double speed = 0;
  double free_speed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    speed = std::max(speed, std::abs(impl.r[i]));
    free_speed = std::max(free_speed, std::abs(impl.free_rate[i]));
  }
  if (!std::isfinite(speed + free_speed)) out.finite = false;
  for (std::size_t row = 0; row < m; ++row) {
    const double size = impl.gradient_sum[row];
    impl.length[row] = impl.oblique ? (size > 0 ? 1 / size : 1.0) : size;
    const double moving = impl.moving(row, 0);
    const double off = std::abs(impl.along(row, impl.r.data()) + moving);
    const double scale = (speed + free_speed) * size + std::abs(moving);
    if (impl.skipped(row) && off > contradicted * scale) out.contradicted.push_back(static_cast<std::uint32_t>(row));
  }
  return out;
}

void Flow::slide(std::span<const Series::Slide> slides) { impl_->slide(slides); }
std::span<const double> Flow::weight(std::size_t j) const { return {impl_->slides[j].sigma.data(), impl_->N}; }

bool Flow::extend(const model::State& state) {
  Impl& impl = *impl_;
  impl.time = state.time;
  for (std::size_t i = 0; i < impl.n; ++i) impl.x[impl.n + i] = impl.unit * impl.r[i];
  for (unsigned k = 1; k < impl.N; ++k) {
    impl.advance_order(state.time, k);
  }
  const auto finite = [](const std::vector<double>& list) {
    return std::all_of(list.begin(), list.end(), [](double value) { return std::isfinite(value); });
  };
  return finite(impl.x) && finite(impl.lambda);
}

double Flow::reach(double tolerance) const {
  const Impl& impl = *impl_;
  const std::size_t n = impl.n;
  const std::size_t m = impl.m;
  const auto largest = [](const double* list, std::size_t count) {
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(list[i]));
    return most;
  };
  const auto rates = [&](unsigned k) { return largest(impl.r.data() + k * n, n); };
  const double log_tolerance = elementary::log2(tolerance);
  double least = log_reach(impl.N - 1, log_tolerance, true, rates);
  if (m > 0) {
    // Multipliers beside the rates, in their units: those that are but rounding do not count.
    least = std::min(least, log_reach(impl.N - 1, log_tolerance, true, [&](unsigned k) {
                       double most = rates(k);
                       for (std::size_t row = 0; row < m; ++row) {
                         most = std::max(most, std::abs(impl.lambda[k * m + row]) * impl.length[row]);
                       }
                       return most;
                     }));
  }
  if (m > 0 || impl.oblique) {
    // A pole so near that its coefficients overflow: no step leads on from here.
    const double* last = impl.probe.data() + std::size_t{impl.N - 1} * n;
    const double* last_lambda = impl.probe_lambda.data() + std::size_t{impl.N - 1} * m;
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(last, last + n, finite) || !std::all_of(last_lambda, last_lambda + m, finite)) return 0;
    least = std::min(least, log_reach(impl.N - 1, elementary::log2(probe_tolerance), true, [&](unsigned k) {
                       double most = largest(impl.probe.data() + k * n, n);
                       for (std::size_t row = 0; row < m && !impl.oblique; ++row) {
                         most = std::max(most, std::abs(impl.probe_lambda[k * m + row]) * impl.length[row]);
                       }
                       return most;
                     }));
  }
  return least > 1000 ? 1e300 : shortened(elementary::exp2(least));
}

Flow::Proof Flow::prove(double wanted, double most, double part) {
  Impl& impl = *impl_;
  Proof proof;
  proof.length = longest_step(wanted, most, impl.N, false, impl.step_memory,
                              [&](double h, double) { return impl.judge(h, part); });
  proof.defect = impl.defect;
  return proof;
}
bool Flow::begins_at_roots() {
  Impl& impl = *impl_;
  impl.zeros.clear();
  for (Impl::Root& root : impl.roots) root.made_by->zero_below = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < impl.roots.size(); ++k) {
    if (impl.argument(impl.roots[k], 0) != 0) continue;
    impl.zeros.push_back(k);
    impl.roots[k].made_by->zero_below = 0;
  }
  return !impl.zeros.empty();
}
Flow::FromRoots Flow::from_roots(const model::State& state) {
  Impl& impl = *impl_;
  double fastest = 0;
  for (std::size_t i = 0; i < impl.n; ++i) fastest = std::max(fastest, std::abs(impl.r[i]));
  impl.argument_leaves.assign(impl.zeros.size(), 0);
  bool stay = true;
  for (std::size_t j = 0; j < impl.zeros.size(); ++j) {
    const Impl::Root& root = impl.roots[impl.zeros[j]];
    double first = 0;
    for (unsigned k = 1; k < impl.N && first == 0; ++k) first = impl.argument(root, k);
    if (first < 0) return FromRoots::below;
    stay = stay && first == 0;
    impl.argument_leaves[j] = impl.argument(root, 1) > leaves_at_once * impl.unit * fastest ? 1 : 0;
  }
  if (!impl.lead_one_way(state.time)) return FromRoots::several;
  return stay ? FromRoots::stay : FromRoots::leave;
}
double Flow::left_out(double h) {
  Impl& impl = *impl_;
  static_cast<void>(impl.judge(h, 1.0));
  double most = 0;
  for (const double off : impl.miss) most = std::max(most, off);
  return (most + impl.shared_miss) * h * impl.unit;
}
double Flow::defect() const { return impl_->defect; }

double Flow::root(double h) const {
  const Impl& impl = *impl_;
  std::vector<double> p(impl.N);
  for (const Strip& strip : impl.strips) {
    const expressions::Tape& tape = *strip.tape;
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
      if (tape.instructions[i].op != expressions::Op::sqrt) continue;
      for (unsigned l = 0; l < strip.width; ++l) {
        const double* y = impl.arena.data() + strip.registers + (before + i) * impl.orders * strip.width + l;
        if (!(y[0] > 0)) continue;
        for (unsigned k = 0; k < impl.N; ++k) p[k] = -y[std::size_t{k} * strip.width];
        const Excursion found = first_excursion(p, h, 0.0);
        if (found.kind != Excursion::Kind::none) h = std::min(h, found.at);
      }
    }
  }
  return h;
}
const StepMemory& Flow::memory() const { return impl_->step_memory; }
void Flow::remember(const StepMemory& memory) { impl_->step_memory = memory; }

bool Flow::nearly_singular() const {
  const Impl& impl = *impl_;
  if (impl.oblique) return impl.oblique_factor.pivot_part(impl.oblique_factor.weakest()) < nearly_dependent;
  if (impl.m == 0) return false;
  // A pivot of the Gram matrix is the square of what is left of a row. A gradient vanishes soon that changes fast.
  if (impl.gram.least_pivot() < nearly_dependent * nearly_dependent) return true;
  for (std::size_t row = 0; row < impl.m; ++row) {
    double change = 0;
    for (std::uint32_t e = impl.start[row]; e < impl.start[row + 1]; ++e) {
      change += std::abs(impl.coefficient(impl.entry_at[e], 1));
    }
    const double duration = (impl.model.simulation.until - impl.model.simulation.start) / impl.unit;
    if (impl.gradient_sum[row] <= nearly_dependent * duration * change) return true;
  }
  return false;
}

Flow::Dependence Flow::dependence() const {
  const Impl& impl = *impl_;
  Dependence out;
  for (std::uint32_t row = 0; row < impl.m; ++row) out.rows.push_back(row);
  if (!impl.oblique) {
    out.why = "the conditions have become dependent, or a gradient vanishes: the position is singular";
    return out;
  }

  // The row of which least is left, and what it is made of.
  std::size_t row = impl.oblique_factor.weakest();
  for (std::size_t k = 0; k + 1 < impl.start.size(); ++k) {
    if (impl.oblique_factor.skipped(k) && k >= impl.m) row = k;
  }
  const std::vector<double> made_of = impl.oblique_factor.combination(row);
  double most = 0;
  for (std::size_t k = 0; k < made_of.size(); ++k) most = std::max(most, std::abs(made_of[k]) * impl.gradient_sum[k]);
  out.rows.clear();
  for (std::uint32_t k = 0; k < impl.m; ++k) {
    if (k == row || (k != row && std::abs(made_of[k]) * impl.gradient_sum[k] > slight_part * most))
      out.rows.push_back(k);
  }
  out.why = row >= impl.m
                ? "the free function " + impl.model.free_functions[row - impl.m].text +
                      " has become dependent on the conditions and the other free functions: the position is singular"
                : "the conditions have become dependent: the position is singular";
  return out;
}

Along Flow::along() const {
  const Impl& impl = *impl_;
  return {impl.x.data(), impl.r.data(), 1, impl.n, impl.N, impl.time, impl.unit, impl.modes};
}

}  // namespace zwang::motion
