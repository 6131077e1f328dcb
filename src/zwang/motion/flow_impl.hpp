/// The insides of the series of a first-order system: what its orders, its roots, its surfaces and its bound have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "zwang/base/side.hpp"
#include "zwang/expressions/remainders.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/linear/row_factor.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/model/lanes.hpp"
#include "zwang/motion/flow.hpp"

namespace zwang::motion {

struct Flow::Impl {
  static constexpr double least_pivot =
      1e-8;  ///< pivots below it do not magnify a bound further: the step ends for them
  static constexpr double row_rounding = 2e-16;  ///< of a row's terms: below it there is nothing to correct

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

  Impl(const model::Model& of, unsigned order);

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
  void load_modes(const std::vector<double>& given);
  std::vector<double> modes;

  /// Coefficient k of all inputs, then of everything.
  void run_tapes(double start_time, unsigned k);

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
  void press(unsigned k, const std::vector<double>& multiplier, double* y) const;
  [[nodiscard]] double moving(std::size_t row, unsigned k) const {
    return moves[row] != 0 ? coefficient(moving_at[row], k) : 0.0;
  }
  [[nodiscard]] bool skipped(std::size_t row) const {
    return oblique ? oblique_factor.skipped(row) : gram.skipped(row);
  }

  /// The entries of order zero and their factor.
  void factor();
  [[nodiscard]] std::size_t skipped_count() const {
    std::size_t count = 0;
    for (std::size_t row = 0; row < start.size() - 1 && (oblique || m > 0); ++row) count += skipped(row) ? 1 : 0;
    return count;
  }

  /// The change of positions or rates that takes `broken` off the conditions, written to `shift`: minus sum broken p.
  void give_way(const std::vector<double>& broken);

  // ---- roots and powers in the rates

  struct Root {
    expressions::Instruction* made_by = nullptr;
    std::size_t strip = 0;
    std::size_t argument = 0;  ///< place of its first coefficient in the arena
    std::size_t stride = 0;
    unsigned lane = 0;
    [[nodiscard]] bool steep() const { return made_by->op == expressions::Op::sqrt || made_by->c < 1; }
  };
  void find_roots_of(std::size_t first_strip);
  [[nodiscard]] double argument(const Root& root, unsigned k) const { return arena[root.argument + k * root.stride]; }

  /// The rates, and the changes of all arguments with them, at the state with variable i moved by `by`: what they are beside those at the state.
  struct Beside {
    std::vector<double> rate;      ///< of the variables
    std::vector<double> value;     ///< of the arguments of `zeros`
    std::vector<double> changing;  ///< the rates of these
  };
  Beside beside(double start_time, std::size_t i, double by);

  /// Is zero the only motion of the arguments that stay there, and do those that come off slowly come off in one way? So it is where none is
  /// driven away from zero by its own root, and no two drive each other: v' = -k v^(1/2) + .. has one solution, v' = +k v^(1/2) many.
  bool lead_one_way(double start_time);

  std::vector<expressions::Tape> rates;  ///< of the terms
  std::vector<Root> roots;
  std::vector<std::size_t> zeros;             ///< numbers of the roots that begin at zero
  std::vector<std::uint8_t> argument_leaves;  ///< of these: at a rate that counts

  // ---- orders

  /// Coefficient k of the rates, the multipliers and the probe, from the tapes.
  void solve_order(unsigned k);

  // ---- surfaces slid on

  void slide(std::span<const Series::Slide> list);

  /// Its modes are those of the lower side, and constant.
  void clear_weights(const SlidSurface& slid);
  void set_weight(const SlidSurface& slid, unsigned k, double weight);

  /// g and dg/dx at a state.
  double surface(SlidSurface& slid, const model::State& state);

  /// What rounding moves off the surfaces is taken back along their normals.
  void onto_surfaces(model::State& state, std::vector<double>& carry);

  /// Order k of everything: the tapes, the rates, and the weights of surfaces slid on.
  void advance_order(double start_time, unsigned k);
  std::vector<SlidSurface> slides;

  void solve_oblique(unsigned k, const double* X, double* change);

  void solve_orthogonal(unsigned k, const double* X, double* change);
  void finish_orthogonal(unsigned k, std::vector<double>& multiplier, double* change);

  // ---- the bound over the whole step

  /// By what factor the bound of a step h, reckoned on the circle of radius r, misses what is allowed.
  double judge(double h, double part);

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

}  // namespace zwang::motion
