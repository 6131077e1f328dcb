/// The inside of a series: blocks of lanes, the linear system of order zero, the loop over orders.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "zwang/base/aligned.hpp"
#include "zwang/base/side.hpp"
#include "zwang/expressions/discs.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/remainders.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/motion/row_shape.hpp"
#include "zwang/motion/series.hpp"
#include "zwang/motion/strands.hpp"
#include "zwang/motion/sweeps.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using expressions::Lanes;
using model::RowGroup;
using model::TermGroup;
using model::TermKind;

/// A block of lanes of one shape, with the registers of its tape.
struct Block {
  std::uint32_t group = 0;
  std::uint32_t width = 1;
  std::uint32_t count = 0;                 ///< lanes in use; the others repeat the last
  std::size_t registers = 0;               ///< place of its registers
  std::size_t speeds = 0;                  ///< held: place of the speeds along its directions, [direction][k][lane]
  std::size_t carried = 0;                 ///< held: place of its multipliers, [k][lane]
  std::vector<std::uint32_t> position_of;  ///< [slot * width + lane]
  std::vector<std::uint32_t> velocity_of;
  std::vector<std::uint32_t> target_of;  ///< terms: [output * width + lane]
  std::vector<std::uint32_t> row;        ///< [lane]: number among the held or watched rows
  std::vector<std::uint32_t> entry_at;   ///< held: place in J of the gradient, [slot * width + lane]
  bool strands = false;                  ///< held: strands do the orders above zero
  std::size_t first_mode = 0;            ///< the register of its first mode
  std::vector<std::uint32_t> mode_of;    ///< number of the model's mode: [slot * width + lane]
  bool slid = false;  ///< a mode of it is a weight: coefficients change after they were first computed
};

/// A switch slid on (series_slide.cpp).
struct SlidSwitch {
  std::uint32_t number = 0;
  const model::Slotted* group = nullptr;
  std::uint32_t corner = 0;
  std::uint32_t lane = 0;
  bool by_velocity = true;
  std::vector<double> registers;   ///< of its switching function
  std::vector<double> p;           ///< dg/dv, or dg/dq
  std::vector<double> y;           ///< Phi^-1 J W p
  std::vector<double> d, wd, jwd;  ///< what the forces change from one side to the other, D; W D; J W D
  std::vector<double> sigma;
  struct Place {
    std::size_t block;
    std::size_t mode;  ///< register of the mode
    std::uint32_t lane;
    double below, above;  ///< the mode on either side
  };
  std::vector<Place> places;  ///< among the blocks of terms
};

/// One row of the system about a singular position: a row held as it is, or a combination divided by s (series_passage.cpp).
struct PassageRow {
  std::vector<std::uint32_t> columns;
  std::vector<double> jets;                             ///< [l * columns + i]
  double unit = 1;                                      ///< its length in the metric of the masses
  std::vector<std::pair<std::uint32_t, double>> parts;  ///< rows held and their weights
  bool singular = false;
  bool symmetric = true;     ///< no velocity condition takes part: b = p_1
  std::vector<double> bend;  ///< b, by column
};

/// The series about a singular position.
struct SingularArc {
  double time = 0;
  std::vector<double> q;         ///< [k * n + i]
  std::vector<double> reaction;  ///< -J^T lambda, [k * n + i]
  std::vector<double> residue;   ///< per row held
  std::vector<double> regular;   ///< [k * held + j]
  std::vector<PassageRow> rows;
  std::vector<double> mu;  ///< [k * rows + t]
};

struct Series::Impl {
  Impl(const model::Model& of, unsigned order, bool with_care)
      : model(of),
        N(order),
        orders(order + 1),
        n(of.variables),
        dynamics(model::make_dynamics(of)),
        scratch(model::make_scratch(of)) {
    sharp = with_care;
    for (const RowGroup& group : model.groups) shapes.push_back(make_shape(group));
    q_room.assign(orders * n + 2 * Strands::margin, 0.0);
    q = std::span<double>(q_room).subspan(Strands::margin, orders * n);
    v.assign(orders * n, 0.0);
    force_room.assign(n + 2 * Strands::margin, 0.0);
    force = std::span<double>(force_room).subspan(Strands::margin, n);
    acceleration_room = force_room;
    acceleration = std::span<double>(acceleration_room).subspan(Strands::margin, n);
    size.assign(n, 0.0);
    rest.assign(n, 0.0);
    make_term_blocks();
    has_blocks = !model.mass_blocks.empty();
    measure_time_in(1);
    for (const TermGroup& group : model.terms) varying_mass = varying_mass || group.kind == TermKind::kinetic;
    if (!varying_mass && dynamics.mass.is_diagonal()) {
      for (const double mass : dynamics.mass.diagonal()) inverse_mass.push_back(1 / mass);
    }
    find_root_masses();
    make_bound_lists();
  }

  // ---- blocks

  double* registers(const Block& block) { return arena.data() + block.registers; }
  const double* registers(const Block& block) const { return arena.data() + block.registers; }

  template <class Group>
  Block make_block(const Group& group, std::uint32_t number, const expressions::Tape& tape,
                   std::span<const std::uint32_t> lanes) {
    Block block;
    block.group = number;
    block.width = width_for(lanes.size());
    block.count = static_cast<std::uint32_t>(lanes.size());
    const std::uint32_t w = block.width;
    const auto lane = [&](std::size_t l) { return lanes[std::min(l, lanes.size() - 1)]; };
    block.position_of.resize(std::size_t{group.positions} * w);
    for (std::size_t slot = 0; slot < group.positions; ++slot) {
      for (std::uint32_t l = 0; l < w; ++l)
        block.position_of[slot * w + l] = group.position_of[slot * group.lanes + lane(l)];
    }
    block.velocity_of.resize(std::size_t{group.velocities} * w);
    for (std::size_t slot = 0; slot < group.velocities; ++slot) {
      for (std::uint32_t l = 0; l < w; ++l)
        block.velocity_of[slot * w + l] = group.velocity_of[slot * group.lanes + lane(l)];
    }
    block.registers = take(tape.registers() * orders * w);
    double* r = registers(block);
    expressions::load_constants(tape, r, orders, w);
    r += (1 + std::size_t{group.positions} + group.velocities) * orders * w;
    for (std::size_t slot = 0; slot < group.constants; ++slot, r += orders * w) {
      for (std::uint32_t l = 0; l < w; ++l) r[l] = group.constant_of[slot * group.lanes + lane(l)];
    }
    block.first_mode = std::size_t{1} + group.positions + group.velocities + group.steady();
    for (std::uint32_t slot = 0; slot < group.modes; ++slot) {
      for (std::uint32_t l = 0; l < w; ++l) block.mode_of.push_back(group.first_mode + slot * group.lanes + lane(l));
    }
    return block;
  }

  std::size_t take(std::size_t room) {
    const std::size_t place = arena.size();
    arena.resize(place + room, 0.0);
    return place;
  }

  void make_term_blocks() {
    for (std::uint32_t g = 0; g < model.terms.size(); ++g) {
      const TermGroup& group = model.terms[g];
      // Masses that never change are in M already.
      const bool constant_kinetic = group.kind == TermKind::kinetic && group.positions == 0 && !group.uses_time;
      term_tapes.push_back(term_tape(group));
      term_roots.push_back(find_roots(term_tapes.back()));
      const std::size_t first_velocity_input = std::size_t{1} + group.positions;
      term_moving.push_back(
          expressions::depending(term_tapes.back(), first_velocity_input, first_velocity_input + group.velocities));
      if (constant_kinetic) continue;
      momenta_vary = momenta_vary || group.kind == TermKind::kinetic;
      std::vector<std::uint32_t> lanes(group.lanes);
      for (std::uint32_t l = 0; l < group.lanes; ++l) lanes[l] = l;
      for (std::size_t first = 0; first < lanes.size(); first += 8) {
        const std::size_t count = std::min<std::size_t>(8, lanes.size() - first);
        terms.push_back(make_block(group, g, term_tapes.back(), {lanes.data() + first, count}));
        Block& block = terms.back();
        if (group.kind == TermKind::force) {
          const std::size_t outputs = group.tape.outputs.size();
          block.target_of.resize(outputs * block.width);
          for (std::size_t k = 0; k < outputs; ++k) {
            for (std::uint32_t l = 0; l < block.width; ++l) {
              block.target_of[k * block.width + l] =
                  group.target_of[k * group.lanes + std::min(first + l, lanes.size() - 1)];
            }
          }
        }
      }
      if (group.kind == TermKind::force || group.uses_time) works = true;
    }
    term_arena = arena.size();
  }

  /// Forces as they are; of a potential its gradient (and itself if it depends on time); of T all but the inertia.
  static expressions::Tape term_tape(const TermGroup& group) {
    std::vector<std::uint32_t> wanted;
    auto count = static_cast<std::uint32_t>(group.tape.outputs.size());
    if (group.kind == TermKind::potential) count = 1 + group.positions;
    if (group.kind == TermKind::kinetic) count = 1 + group.positions + group.velocities;
    for (std::uint32_t k = 0; k < count; ++k) wanted.push_back(k);
    // The value itself is not needed unless time is in it; its place is kept by another output.
    if (group.kind != TermKind::force && !group.uses_time && count > 1) wanted[0] = 1;
    expressions::Tape tape = expressions::part(group.tape, wanted);
    // Forces go on from where a root has no series, by steps that are short enough.
    if (group.kind != TermKind::kinetic) allow_zero_roots(tape);
    return tape;
  }

  // ---- choosing rows

  void choose(std::span<const HeldRow> held, std::span<const std::uint32_t> watch) {
    held_rows.assign(held.begin(), held.end());
    loops_known = false;
    probe.reset();
    inequalities = std::any_of(held.begin(), held.end(),
                               [&](const HeldRow& one) { return !model::is_equation(model.row_kind[one.row]); });
    watched_rows.assign(watch.begin(), watch.end());
    arena.resize(term_arena);
    held_blocks.clear();
    watched_blocks.clear();
    strands.clear(orders);
    plain_rows.clear();

    // Rows by shape, in blocks.
    std::vector<std::vector<std::uint32_t>> of_group(model.groups.size());
    const auto in_blocks = [&](std::size_t count, auto row_of, auto make) {
      for (auto& list : of_group) list.clear();
      for (std::uint32_t j = 0; j < count; ++j) of_group[model.row_group[row_of(j)]].push_back(j);
      for (std::uint32_t g = 0; g < of_group.size(); ++g) {
        const std::vector<std::uint32_t>& list = of_group[g];
        for (std::size_t first = 0; first < list.size(); first += 8) {
          const std::size_t count_here = std::min<std::size_t>(8, list.size() - first);
          std::array<std::uint32_t, 8> lanes{};
          for (std::size_t l = 0; l < count_here; ++l) lanes[l] = model.row_lane[row_of(list[first + l])];
          make(g, std::span<const std::uint32_t>(lanes.data(), count_here), list.data() + first);
        }
      }
    };
    in_blocks(
        held_rows.size(), [&](std::uint32_t j) { return held_rows[j].row; },
        [&](std::uint32_t g, std::span<const std::uint32_t> lanes, const std::uint32_t* numbers) {
          Block block = make_block(model.groups[g], g, shapes[g].held, lanes);
          block.speeds = take(shapes[g].directions.size() * orders * block.width);
          block.carried = take(std::size_t{orders} * block.width);
          block.row.assign(numbers, numbers + block.count);
          block.strands = all_strands(g);
          if (block.strands) add_strands(block);
          if (!block.strands) plain_rows.insert(plain_rows.end(), block.row.begin(), block.row.end());
          held_blocks.push_back(std::move(block));
        });
    strands.lay_out(n);
    in_blocks(
        watched_rows.size(), [&](std::uint32_t w) { return watched_rows[w]; },
        [&](std::uint32_t g, std::span<const std::uint32_t> lanes, const std::uint32_t* numbers) {
          Block block = make_block(model.groups[g], g, shapes[g].watched, lanes);
          block.row.assign(numbers, numbers + block.count);
          watched_blocks.push_back(std::move(block));
        });

    // What bends the rows under the variational law.
    bent.clear();
    bend_blocks.clear();
    for (std::uint32_t j = 0; j < held_rows.size(); ++j) {
      if (model::is_variational(model, held_rows[j].row)) bent.push_back(j);
    }
    in_blocks(
        bent.size(), [&](std::uint32_t b) { return held_rows[bent[b]].row; },
        [&](std::uint32_t g, std::span<const std::uint32_t> lanes, const std::uint32_t* numbers) {
          Block block = make_block(model.groups[g], g, model.groups[g].bend, lanes);
          block.row.assign(numbers, numbers + block.count);
          bend_blocks.push_back(std::move(block));
        });
    rho.assign(std::size_t{orders} * bent.size(), 0.0);

    // The pattern of J, its places on the tapes, and the factor.
    const std::size_t m = held_rows.size();
    start.assign(1, 0);
    column.clear();
    for (const HeldRow& one : held_rows) {
      for (std::uint32_t e = model.row_start[one.row]; e < model.row_start[one.row + 1]; ++e)
        column.push_back(model.row_column[e]);
      start.push_back(static_cast<std::uint32_t>(column.size()));
    }
    for (Block& block : held_blocks) {
      const RowGroup& group = model.groups[block.group];
      const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
      block.entry_at.resize(std::size_t{slots} * block.width);
      for (std::uint32_t slot = 0; slot < slots; ++slot) {
        for (std::uint32_t l = 0; l < block.count; ++l) {
          const std::uint32_t row = held_rows[block.row[l]].row;
          block.entry_at[slot * block.width + l] =
              start[block.row[l]] + group.entry_of[slot * group.lanes + model.row_lane[row]] - model.row_start[row];
        }
      }
    }
    entry.assign(column.size(), 0.0);
    weighted.assign(column.size(), 0.0);
    lambda.assign(std::size_t{orders} * m, 0.0);
    right.assign(m, 0.0);
    gradient_sum.assign(m, 0.0);
    rate_scale.assign(m, 0.0);
    lambda_scale.assign(m, 0.0);
    row_length.assign(m, 1.0);
    lengths_known = false;
    std::vector<std::uint8_t> shares(m);
    for (std::size_t j = 0; j < m; ++j) shares[j] = held_rows[j].implied_if_dependent ? 0 : 1;
    factor.shape(rows(), dynamics.mass, shares);
    find_parts();
    watched_value.assign(watched_rows.size() * orders, 0.0);
    watched_length.assign(watched_rows.size(), 0.0);
    row_rest.assign(m, 0.0);
    multiplier_error.assign(m, 0.0);
    watched_rest.assign(watched_rows.size(), 0.0);
    watched_terms_known = false;
  }

  /// Variables that the rows held connect, directly or by others; components of one body belong together.
  void find_parts() {
    part_of.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) part_of[i] = i;
    const auto find = [&](std::uint32_t i) {
      while (part_of[i] != i) i = part_of[i] = part_of[part_of[i]];
      return i;
    };
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t first = find(a);
      const std::uint32_t second = find(b);
      part_of[std::max(first, second)] = std::min(first, second);
    };
    for (std::size_t j = 0; j < held_rows.size(); ++j) {
      for (std::uint32_t e = start[j] + 1; e < start[j + 1]; ++e) join(column[e - 1], column[e]);
    }
    for (const auto& [first, count] : own_body) {
      for (std::uint32_t i = first + 1; i < first + count; ++i) join(i - 1, i);
    }
    // Numbered from 0 on.
    std::vector<std::uint32_t> number(n, 0);
    std::uint32_t parts = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (find(i) == i) number[i] = parts++;
    }
    parts_count = parts;
    std::vector<std::uint32_t> label(n);
    for (std::uint32_t i = 0; i < n; ++i) label[i] = number[find(i)];
    part_of = std::move(label);
  }

  /// Rows that are wholly made of strands, and those that are not: with a constant direction besides, or another shape.
  [[nodiscard]] bool all_strands(std::uint32_t group) const {
    const RowShape& shape = shapes[group];
    return !plain && shape.quadratic &&
           std::none_of(shape.directions.begin(), shape.directions.end(),
                        [](const Direction& direction) { return direction.constant; });
  }

  void add_strands(const Block& block) {
    for (const Direction& direction : shapes[block.group].directions) {
      for (std::uint32_t l = 0; l < block.count; ++l) {
        Strands::Strand strand;
        strand.row = block.row[l];
        strand.a = block.position_of[direction.slots[0].first * block.width + l];
        strand.sign_a = direction.slots[0].second;
        strand.b = strand.a;
        if (direction.slots.size() > 1) {
          strand.b = block.position_of[direction.slots[1].first * block.width + l];
          strand.sign_b = direction.slots[1].second;
        }
        strand.c = direction.own;
        strands.add(strand);
      }
    }
  }

  /// Order zero of the strands, from the tapes.
  void begin_strands() {
    std::size_t s = 0;
    for (const Block& block : held_blocks) {
      if (!block.strands) continue;
      for (const Direction& direction : shapes[block.group].directions) {
        const std::uint32_t root = shapes[block.group].root;
        const double* upper = registers(block) + std::size_t{direction.numerator} * orders * block.width;
        const double* length = registers(block) + std::size_t{root} * orders * block.width;
        const double part = direction.factor / direction.own;
        for (std::uint32_t l = 0; l < block.count; ++l) {
          strands.begin(s++, part * upper[l], root == 0 ? direction.own : direction.own / length[l]);
        }
      }
    }
    strands.weigh(inverse_mass);
  }

  [[nodiscard]] linear::SparseRows rows() const { return {start, column, entry}; }

  // ---- inputs

  /// Coefficient k of all inputs of a block.
  void fill(Block& block, const model::State& state, std::uint32_t positions, std::uint32_t velocities, unsigned k) {
    const std::uint32_t w = block.width;
    double* r = registers(block) + std::size_t{k} * w;
    const double t = k == 0 ? state.time : (k == 1 ? unit : 0.0);
    for (std::uint32_t l = 0; l < w; ++l) r[l] = t;
    r += std::size_t{orders} * w;
    const double* from = q.data() + k * n;
    const std::uint32_t* variable = block.position_of.data();
    for (std::uint32_t slot = 0; slot < positions; ++slot, r += std::size_t{orders} * w, variable += w) {
      for (std::uint32_t l = 0; l < w; ++l) r[l] = from[variable[l]];
    }
    from = v.data() + k * n;
    variable = block.velocity_of.data();
    for (std::uint32_t slot = 0; slot < velocities; ++slot, r += std::size_t{orders} * w, variable += w) {
      for (std::uint32_t l = 0; l < w; ++l) r[l] = per_unit * from[variable[l]];
    }
  }
  void fill_row(Block& block, const model::State& state, unsigned k) {
    const RowGroup& group = model.groups[block.group];
    fill(block, state, group.positions, group.velocities, k);
  }
  void fill_term(Block& block, const model::State& state, unsigned k) {
    const TermGroup& group = model.terms[block.group];
    fill(block, state, group.positions, group.velocities, k);
  }

  // ---- order zero: values, gradients, rates of the rows held

  void order_zero(const model::State& state) {
    for (Block& block : held_blocks) {
      fill_row(block, state, 0);
      expressions::extend(shapes[block.group].held, registers(block), orders, 0, 0, block.width);
    }
  }

  /// Entries of J from the tapes.
  void load_rows() {
    std::fill(gradient_sum.begin(), gradient_sum.end(), 0.0);
    for (const Block& block : held_blocks) {
      const RowGroup& group = model.groups[block.group];
      const expressions::Tape& tape = shapes[block.group].held;
      const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
      const std::uint32_t* at = block.entry_at.data();
      for (std::uint32_t slot = 0; slot < slots; ++slot, at += block.width) {
        const double* g = registers(block) + std::size_t{tape.outputs[1 + slot]} * orders * block.width;
        for (std::uint32_t l = 0; l < block.count; ++l) {
          entry[at[l]] = g[l];
          gradient_sum[block.row[l]] += std::abs(g[l]);
        }
      }
    }
  }

  /// Calls visit(j, holonomic, f, f_t) for every row held, from order zero of the tapes.
  template <class Visit>
  void for_rows(Visit visit) {
    for (const Block& block : held_blocks) {
      const RowShape& shape = shapes[block.group];
      const double* r = registers(block);
      const bool holonomic = model.groups[block.group].holonomic;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const double f = r[std::size_t{shape.value} * orders * block.width + l];
        const double f_t = shape.moving ? r[std::size_t{shape.explicit_rate} * orders * block.width + l] : 0.0;
        visit(block.row[l], holonomic, f, f_t);
      }
    }
  }

  /// x = J^T y
  void spread(std::span<const double> y, std::span<double> x) const {
    for (std::size_t j = 0; j < held_rows.size(); ++j) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) x[column[e]] += entry[e] * y[j];
    }
  }
  double times(std::size_t j, const double* x) const {
    double sum = 0;
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) sum += entry[e] * x[column[e]];
    return sum;
  }

  /// The least correction -W J^T y with Phi y = right, added to x and its carry.
  void correct(std::vector<double>& x, std::vector<double>& carry) {
    factor.solve(right);
    std::fill(force.begin(), force.end(), 0.0);
    spread(right, force);
    dynamics.mass.solve(force, acceleration);
    for (std::size_t i = 0; i < n; ++i) {
      if (acceleration[i] == 0) continue;
      const double change = carry[i] - acceleration[i];
      double sum = x[i] + change;
      carry[i] = change - (sum - x[i]);
      // What is left of a number that was wholly taken off is its rounding; kept, it would be taken off again and again.
      if (std::abs(sum) <= wholly_taken_off * std::abs(x[i])) sum = carry[i] = 0;
      x[i] = sum;
    }
  }

  /// The sum of the absolute values of the terms that f of a row held is evaluated from at order zero, or the rate that time alone gives it.
  double terms_evaluated(std::uint32_t j, bool rate) {
    for (const Block& block : held_blocks) {
      const auto last = block.row.begin() + block.count;
      const auto lane = std::find(block.row.begin(), last, j);
      if (lane == last) continue;
      const RowShape& shape = shapes[block.group];
      if (rate && !shape.moving) return 0;
      if (radii.size() < shape.held.registers() * block.width) radii.resize(shape.held.registers() * block.width);
      expressions::magnitudes(shape.held, registers(block), orders, block.width, radii.data());
      const std::uint32_t reg = rate ? shape.explicit_rate : shape.value;
      const double found = radii[std::size_t{reg} * block.width + static_cast<std::size_t>(lane - block.row.begin())];
      return std::isfinite(found) ? found : 0;
    }
    return 0;
  }

  Projection project(model::State& state, std::vector<double>& carry_position, std::vector<double>& carry_velocity,
                     std::span<const double> gain_position, std::span<const double> gain_velocity) {
    Projection result;
    load_modes(state);
    std::copy(state.position.begin(), state.position.end(), q.begin());
    std::copy(state.velocity.begin(), state.velocity.end(), v.begin());
    // Order zero in plain units.
    per_unit = 1;
    begun = false;
    if (varying_mass) {
      model::evaluate_mass(model, state, scratch, dynamics);
      if (!dynamics.mass_positive) {
        result.regular = false;
        return result;
      }
      find_root_masses();
    }
    const std::size_t m = held_rows.size();
    if (m == 0) return result;
    order_zero(state);
    load_rows();
    factor.factor(rows(), dynamics.mass);
    result.skipped = factor.skipped_count();
    if (!lengths_known) {
      for (std::size_t j = 0; j < m; ++j) row_length[j] = std::sqrt(factor.diagonal(j));
      first_gradient = gradient_sum;
      first_pivot = factor.least_pivot();
      lengths_known = true;
    }

    // Position.
    // Every row is measured by its own terms: what its variables are, and what the step added to them.
    constexpr double rounding = 2e-16;  // of a row's terms: below it there is nothing to correct
    constexpr double least_pivot_left_alone = 1e-2;
    const auto size_of = [&](std::uint32_t j, const double* x, std::span<const double> gain) {
      double terms_of_row = 0;
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
        const std::uint32_t i = column[e];
        terms_of_row += std::abs(entry[e]) * (std::abs(x[i]) + (gain.empty() ? 0.0 : std::abs(gain[i])));
      }
      return terms_of_row;
    };
    // Drift is also measured by what the rows held connect, in the metric of the masses, since angles are no lengths: what is held at
    // zero gets its rounding from there.
    const auto measure_parts = [&](const double* x, std::span<const double> gain) {
      part_size.assign(parts_count, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        double& most = part_size[part_of[i]];
        most = std::max(most, root_mass[i] * (std::abs(x[i]) + (gain.empty() ? 0.0 : std::abs(gain[i]))));
      }
    };
    const auto around = [&](std::uint32_t j) {
      return start[j] == start[j + 1] ? 0.0 : weighed_gradient(j) * part_size[part_of[column[start[j]]]];
    };
    // What is a rounding of the terms that a row is evaluated from is no drift: 1 + tanh(t - 9) is known no better, however small it is.
    const auto of_terms = [&](double drift, std::uint32_t j, double by, bool rate) {
      return drift > suspicious_drift ? by / (terms_evaluated(j, rate) + faintest + by / drift) : drift;
    };
    measure_parts(q.data(), gain_position);
    bool broken = false;
    for_rows([&](std::uint32_t j, bool holonomic, double f, double) {
      right[j] = holonomic ? f : 0.0;
      if (!std::isfinite(f) || !std::isfinite(gradient_sum[j])) result.regular = false;
      if (!holonomic) return;
      // Those that follow from others must hold as well: rows can look dependent that are not, where masses differ by more than numbers hold.
      const double by = factor.skipped(j) && !model::is_equation(model.row_kind[held_rows[j].row]) ? f : std::abs(f);
      if (const double slope = weighed_gradient(j); slope > 0) result.off = std::max(result.off, by / slope);
      if (f != 0) {
        const bool skipped = factor.skipped(j);
        double& drift = skipped ? result.skipped_drift : result.position_drift;
        const double own = size_of(j, q.data(), gain_position) + (skipped ? 0.0 : around(j)) + least_divisor;
        drift = std::max(drift, of_terms(by / own, j, by, false));
      }
      // With rows that are nearly dependent a correction moves more than it mends: there rounding is left alone.
      const double left_alone = rounding / std::max(factor.least_pivot(), least_pivot_left_alone);
      broken = broken || (f != 0 && std::abs(f) > left_alone * size_of(j, q.data(), {}));
    });
    if (!result.regular) return result;
    if (broken) {
      correct(state.position, carry_position);
      std::copy(state.position.begin(), state.position.end(), q.begin());
      order_zero(state);
      load_rows();
      // A factor of other rows would feed the correction back into the next step: its multipliers are off by the part that the rows
      // moved, and long steps make more of that than there was.
      constexpr double rows_moved = 4e-15;
      constexpr double rows_moved_when_oblique = 1e-15;  // where pivots are below `oblique`, they magnify it
      constexpr double oblique = 0.2;
      if (result.position_drift > rows_moved ||
          (result.position_drift > rows_moved_when_oblique && factor.least_pivot() < oblique)) {
        factor.factor(rows(), dynamics.mass);
      }
    }

    // Velocity: p.v + p0 = 0 for velocity conditions, g.v + f_t = 0 for the others.
    broken = false;
    measure_parts(v.data(), gain_velocity);
    for_rows([&](std::uint32_t j, bool, double, double f_t) {
      right[j] = times(j, v.data()) + f_t;
      rate_scale[j] = size_of(j, v.data(), gain_velocity) + std::abs(f_t) + around(j);
      if (!factor.skipped(j)) {
        const double by = std::abs(right[j]);
        result.velocity_drift =
            std::max(result.velocity_drift, of_terms(by / (rate_scale[j] + least_divisor), j, by, true));
      }
      const double own = sharp ? 0.0 : size_of(j, v.data(), {}) + std::abs(f_t);
      broken = broken || std::abs(right[j]) > rounding * own;
    });
    if (broken) {
      correct(state.velocity, carry_velocity);
      std::copy(state.velocity.begin(), state.velocity.end(), v.begin());
    }
    return result;
  }

  // ---- higher orders

  /// Speeds along the directions of a block, coefficient k, from its inputs: v_k = (k + 1) q_{k+1}, or the plain velocities.
  template <unsigned W>
  void fill_speeds(Block& block, unsigned k) {
    const RowShape& shape = shapes[block.group];
    const RowGroup& group = model.groups[block.group];
    const std::size_t stride = std::size_t{orders} * W;
    const double* input = registers(block) + (group.holonomic ? 1 : 1 + std::size_t{group.positions}) * stride;
    const unsigned order = group.holonomic ? k + 1 : k;
    const double factor_k = group.holonomic ? k + 1.0 : unit;
    double* to = arena.data() + block.speeds;
    for (const Direction& direction : shape.directions) {
      Lanes<W> sum = (factor_k * direction.slots[0].second) *
                     expressions::load<W>(input + direction.slots[0].first * stride, order);
      for (std::size_t d = 1; d < direction.slots.size(); ++d) {
        const auto [slot, sign] = direction.slots[d];
        sum += (factor_k * sign) * expressions::load<W>(input + slot * stride, order);
      }
      expressions::store<W>(to, k, sum);
      to += stride;
    }
  }

  /// c_k of the rows of a block, and the reactions of lower multipliers taken off the force.
  template <unsigned W>
  void known_terms(Block& block, unsigned k) {
    const RowShape& shape = shapes[block.group];
    const bool holonomic = model.groups[block.group].holonomic;
    const std::uint32_t* variable = (holonomic ? block.position_of : block.velocity_of).data();
    const double* r = registers(block);
    const double* speed = arena.data() + block.speeds;
    const double* carried = arena.data() + block.carried;
    const std::size_t stride = std::size_t{orders} * W;
    const std::uint32_t count = block.count;
    Lanes<W> sum;
    if (shape.moving) sum = unit * expressions::load<W>(r + shape.explicit_rate * stride, k + 1);
    for (const Direction& direction : shape.directions) {
      const double* g = r + direction.reg * stride;
      if (!direction.constant) {
        // Two sums along the same gradient: with the speeds, and with the multipliers so far.
        Lanes<W> along;
        Lanes<W> reaction;
        for (unsigned l = 1; l <= k; ++l) {
          const Lanes<W> gradient = expressions::load<W>(g, l);
          along += gradient * expressions::load<W>(speed, k + 1 - l);
          reaction += gradient * expressions::load<W>(carried, k - l);
        }
        along += expressions::load<W>(g, k + 1) * expressions::load<W>(speed, 0);
        sum += along;
        if (k > 0) {
          double part[W];
          expressions::store<W>(part, 0, reaction);
          for (const auto& [slot, sign] : direction.slots) {
            const std::uint32_t* at = variable + slot * W;
            if (sign > 0) {
              for (std::uint32_t l = 0; l < count; ++l) force[at[l]] -= part[l];
            } else {
              for (std::uint32_t l = 0; l < count; ++l) force[at[l]] += part[l];
            }
          }
        }
      }
      speed += stride;
    }
    double c[W];
    expressions::store<W>(c, 0, static_cast<double>(k + 1) * sum);
    for (std::uint32_t l = 0; l < count; ++l) right[block.row[l]] = c[l];
  }

  template <class F>
  static void by_width(unsigned width, F f) {
    switch (width) {
      case 1: f(std::integral_constant<unsigned, 1>{}); break;
      case 2: f(std::integral_constant<unsigned, 2>{}); break;
      case 4: f(std::integral_constant<unsigned, 4>{}); break;
      default: f(std::integral_constant<unsigned, 8>{}); break;
    }
  }

  /// Coefficient k of all forces known before a_k.
  void add_forces(const model::State& state, unsigned k) {
    if (k == 0) {
      std::copy(constant_force.begin(), constant_force.end(), force.begin());
    } else {
      std::fill(force.begin(), force.end(), 0.0);
    }
    for (Block& block : terms) {
      const TermGroup& group = model.terms[block.group];
      const expressions::Tape& tape = term_tapes[block.group];
      const std::uint32_t w = block.width;
      fill_term(block, state, k);
      double* r = registers(block);
      const auto output = [&](std::size_t o, unsigned order) {
        return r + (std::size_t{tape.outputs[o]} * orders + order) * w;
      };
      if (group.kind == TermKind::kinetic) {
        // The next order with v_{k+1} = 0: what d/dt of the momenta holds besides M_0 a_k.
        fill_term(block, state, k + 1);
        double* speed = r + (1 + std::size_t{group.positions}) * orders * w + std::size_t{k + 1} * w;
        for (std::uint32_t slot = 0; slot < group.velocities; ++slot, speed += std::size_t{orders} * w) {
          std::fill(speed, speed + w, 0.0);
        }
        // Of order k only what the velocities are in has changed since then.
        if (k == 0 || block.slid) {
          expressions::extend(tape, r, orders, k, k + 1, w);
        } else {
          expressions::extend_some(tape, term_moving[block.group], r, orders, k, w);
          expressions::extend(tape, r, orders, k + 1, k + 1, w);
        }
        for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
          const double* momentum = output(1 + group.positions + slot, k + 1);
          const std::uint32_t* variable = block.velocity_of.data() + std::size_t{slot} * w;
          for (std::uint32_t l = 0; l < block.count; ++l) force[variable[l]] -= ((k + 1.0) * unit) * momentum[l];
        }
      } else {
        expressions::extend(tape, r, orders, block.slid && k > 0 ? k - 1 : k, k, w);
      }
      if (group.kind == TermKind::force) {
        for (std::size_t o = 0; o < tape.outputs.size(); ++o) {
          const double* part = output(o, k);
          const std::uint32_t* variable = block.target_of.data() + o * w;
          for (std::uint32_t l = 0; l < block.count; ++l) force[variable[l]] += unit_squared * part[l];
        }
        continue;
      }
      const double sign = group.kind == TermKind::potential ? -unit_squared : unit_squared;
      for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
        const double* part = output(1 + slot, k);
        const std::uint32_t* variable = block.position_of.data() + std::size_t{slot} * w;
        for (std::uint32_t l = 0; l < block.count; ++l) force[variable[l]] += sign * part[l];
      }
    }
  }

  /// -rho (dp/dt - df/dq) of the rows under the variational law, coefficient k: d/dt of p needs q_{k+1}, df/dq needs v_k,
  /// and rho_k comes from the multiplier rho' of the order before.
  void add_bends(const model::State& state, unsigned k) {
    for (std::size_t b = 0; b < bent.size(); ++b) {
      rho[b * orders + k] = k == 0 ? model::rho_of(model, state, held_rows[bent[b]].row)
                                   : lambda[(k - 1) * held_rows.size() + bent[b]] / (k * unit);
    }
    for (Block& block : bend_blocks) {
      const RowGroup& group = model.groups[block.group];
      const std::uint32_t w = block.width;
      fill_row(block, state, k);
      // p does not depend on the velocities: of the next order only its positions count.
      fill_row(block, state, k + 1);
      double* speed = registers(block) + (1 + std::size_t{group.positions}) * orders * w + std::size_t{k + 1} * w;
      for (std::uint32_t slot = 0; slot < group.velocities; ++slot, speed += std::size_t{orders} * w) {
        std::fill(speed, speed + w, 0.0);
      }
      expressions::extend(group.bend, registers(block), orders, k, k + 1, w);
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const double* r = rho.data() + std::size_t{block.row[l]} * orders;
        for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
          const double* p = registers(block) + std::size_t{group.bend.outputs[slot]} * orders * w + l;
          double sum = 0;
          for (unsigned j = 0; j <= k; ++j) sum += r[k - j] * (j + 1.0) * p[(j + 1) * w];
          force[block.velocity_of[slot * w + l]] -= unit * sum;
        }
        for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
          const double* f_q =
              registers(block) + std::size_t{group.bend.outputs[group.velocities + slot]} * orders * w + l;
          double sum = 0;
          for (unsigned j = 0; j <= k; ++j) sum += r[k - j] * f_q[j * w];
          force[block.position_of[slot * w + l]] += unit_squared * sum;
        }
      }
    }
  }

  /// x = W force, and the same by reference to the inverse masses where they are single numbers.
  void accelerate_free() {
    if (!inverse_mass.empty()) {
      const double* w = inverse_mass.data();
      for (std::size_t i = 0; i < n; ++i) acceleration[i] = w[i] * force[i];
    } else {
      dynamics.mass.solve(force, acceleration);
    }
  }

  /// What is still and exactly balanced is frozen: a sum of forces and reactions below a few roundings of its terms is zero, so that
  /// rest of any length is rest. What moves keeps every digit it has.
  void weigh_balance(const double* forces, const double* multipliers) {
    balance.resize(n);
    for (std::size_t i = 0; i < n; ++i) balance[i] = std::abs(forces[i]);
    for (std::size_t j = 0; j < held_rows.size(); ++j) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) balance[column[e]] += std::abs(entry[e] * multipliers[j]);
    }
  }
  /// What would have moved at order zero if nothing were held: per variable, the terms of its acceleration.
  void keep_terms() {
    acceleration_terms.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      acceleration_terms[i] = balance[i] * (inverse_mass.empty() ? inverse_of_diagonal(i) : inverse_mass[i]);
    }
  }
  /// sqrt(M_ii).
  void find_root_masses() {
    root_mass.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) root_mass[i] = std::sqrt(dynamics.mass.diagonal()[i]);
  }
  /// sum |g_i| / sqrt(M_ii) of a row held.
  double weighed_gradient(std::uint32_t j) const {
    double sum = 0;
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) sum += std::abs(entry[e]) / root_mass[column[e]];
    return sum;
  }
  double inverse_of_diagonal(std::uint32_t i) const {
    const int block = dynamics.mass.block_of(i);
    if (block < 0) return dynamics.mass.inverse_root()[i] * dynamics.mass.inverse_root()[i];
    const linear::Mass::Block& b = dynamics.mass.blocks()[static_cast<std::size_t>(block)];
    for (std::size_t k = 0; k < b.variables.size(); ++k) {
      if (b.variables[k] == i) return 1 / b.entries[k * b.variables.size() + k];
    }
    return 1.0;
  }
  void freeze() {
    for (std::size_t i = 0; i < n; ++i) {
      if (still[i] == 0) continue;
      if (std::abs(acceleration[i]) <= frozen * inverse_mass[i] * balance[i]) acceleration[i] = rest[i] = 0;
    }
  }

  /// The reactions of this order's multipliers, in `right`, taken off the accelerations.
  void hinder(unsigned k) {
    weigh_balance(force.data(), right.data());
    if (k == 0) keep_terms();
    if (!inverse_mass.empty()) {
      double* a = acceleration.data();
      if (!strands.empty()) strands.hinder(k, right.data(), a);
      for (const std::uint32_t j : plain_rows) {
        for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) a[column[e]] -= weighted[e] * right[j];
      }
      freeze();
      return;
    }
    if (!strands.empty()) strands.carry(k, right.data());
    for (std::size_t j = 0; j < held_rows.size(); ++j) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) force[column[e]] -= entry[e] * right[j];
    }
    freeze_forces();
    dynamics.mass.solve(force, acceleration);
  }
  void freeze_forces() {
    for (std::size_t i = 0; i < n; ++i) {
      if (still[i] != 0 && std::abs(force[i]) <= frozen * balance[i]) force[i] = 0;
    }
  }

  /// The multipliers of an order once more, from what they have left of the conditions: where rows are nearly dependent in the metric of the
  /// masses (light bodies between heavy ones, gears of large ratios) the first have lost as many digits as the least pivot has zeros.
  void hinder_again(unsigned k) {
    const std::size_t m = held_rows.size();
    std::copy(right_known.begin(), right_known.end(), right.begin());
    if (!strands.empty()) strands.press(acceleration.data(), right.data());
    for (const std::uint32_t j : plain_rows) right[j] += times(j, acceleration.data());
    factor.solve(right);
    for (std::size_t j = 0; j < m; ++j) {
      if (!std::isfinite(right[j])) return;
    }
    double* multipliers = lambda.data() + std::size_t{k} * m;
    for (std::size_t j = 0; j < m; ++j) multipliers[j] += right[j];
    for (const Block& block : held_blocks) {
      if (block.strands) continue;
      double* to = arena.data() + block.carried + std::size_t{k} * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) to[l] = multipliers[block.row[l]];
    }
    if (inverse_mass.empty()) {
      if (!strands.empty()) strands.carry(k, multipliers);
      for (std::size_t j = 0; j < m; ++j) {
        for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) force[column[e]] -= entry[e] * right[j];
      }
      freeze_forces();
      dynamics.mass.solve(force, acceleration);
      return;
    }
    double* a = acceleration.data();
    if (!strands.empty()) {
      strands.hinder(k, right.data(), a);
      strands.carry(k, multipliers);
    }
    for (const std::uint32_t j : plain_rows) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) a[column[e]] -= weighted[e] * right[j];
    }
    freeze();
  }

  /// v_{k+1} and q_{k+2} from the accelerations of order k.
  void take_order(unsigned k) {
    const double* a = acceleration.data();
    double* next_v = v.data() + (k + 1) * n;
    double* next_q = q.data() + (k + 2) * n;
    for (std::size_t i = 0; i < n; ++i) still[i] = still[i] != 0 && a[i] == 0 ? 1 : 0;
    // The first orders by division: a rounded reciprocal is always wrong in the same direction, and energy would creep.
    if (k < 6) {
      for (std::size_t i = 0; i < n; ++i) {
        next_v[i] = a[i] / (k + 1.0);
        next_q[i] = next_v[i] / (k + 2.0);
      }
      return;
    }
    const double by_v = 1.0 / (k + 1.0);
    const double by_q = by_v / (k + 2.0);
    for (std::size_t i = 0; i < n; ++i) {
      next_v[i] = a[i] * by_v;
      next_q[i] = a[i] * by_q;
    }
  }

  /// All orders of a motion under constant forces that only strands hinder.
  void extend_strands() {
    const std::size_t m = held_rows.size();
    Strands::Order order;
    order.inverse_mass = inverse_mass.data();
    order.variables = n;
    order.a = acceleration.data();
    for (unsigned k = 0; k + 2 <= N; ++k) {
      double* multipliers = lambda.data() + k * m;
      order.k = k;
      order.q_next = q.data() + (k + 1) * n;
      order.force = k == 0 ? constant_force.data() : nullptr;
      order.right = multipliers;
      strands.before_solving(order);
      if (k == 0) {
        // Sizes of what the multipliers are made of: right-hand sides and forces.
        std::copy_n(multipliers, m, right.begin());
        std::copy(constant_force.begin(), constant_force.end(), force.begin());
        first_sizes();
      }
      factor.solve({multipliers, m});
      strands.after_solving(order);
      if (k == 0) {
        if (sharp || factor.least_pivot() < settled_twice) {
          strands.residual(v.data(), acceleration.data(), right.data());
          factor.solve(right);
          strands.refine(right.data(), acceleration.data(), rest.data());
        }
        std::copy_n(multipliers, m, right.begin());
        last_sizes();
        weigh_balance(force.data(), right.data());
        keep_terms();
        freeze();
      }
      take_order(k);
      if (!strands.in_one_run()) continue;
      strands.extend_run({N - 2, n, q.data(), v.data(), lambda.data(), m, &factor});
      return;
    }
  }

  bool extend(const model::State& state) {
    const std::size_t m = held_rows.size();
    load_modes(state);
    // The velocities that the projection left, in the unit of time of the series.
    if (!begun) first_velocity.assign(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n));
    begun = true;
    for (std::size_t i = 0; i < n; ++i) v[i] = unit * first_velocity[i];
    per_unit = 1 / unit;
    std::copy_n(v.begin(), n, q.begin() + static_cast<std::ptrdiff_t>(n));
    still.resize(n);
    for (std::size_t i = 0; i < n; ++i) still[i] = v[i] == 0 ? 1 : 0;
    acceleration_terms.clear();
    std::fill(rest.begin(), rest.end(), 0.0);
    if (!inverse_mass.empty()) {
      for (const std::uint32_t j : plain_rows) {
        for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) weighted[e] = inverse_mass[column[e]] * entry[e];
      }
    }
    if (!strands.empty()) begin_strands();
    double* a = acceleration.data();
    if (terms.empty() && plain_rows.empty() && !strands.empty() && !inverse_mass.empty() &&
        factor.least_pivot() >= solved_twice) {
      for (std::size_t i = 0; i < n; ++i) free_first[i] = inverse_mass[i] * constant_force[i];
      extend_strands();
    } else {
      for (unsigned k = 0; k + 2 <= N; ++k) {
        // q_{k+1} and v_k are known: so are the forces of order k and the gradients of order k + 1.
        add_forces(state, k);
        if (!bent.empty()) add_bends(state, k);
        std::fill(right.begin(), right.end(), 0.0);
        if (!strands.empty()) strands.extend(k, q.data() + (k + 1) * n, force.data(), right.data());
        for (Block& block : held_blocks) {
          if (block.strands) continue;
          // Velocities are inputs of velocity conditions alone: v_k has just become known, v_{k+1} plays no part yet.
          if (!model.groups[block.group].holonomic) fill_row(block, state, k);
          fill_row(block, state, k + 1);
          by_width(block.width, [&](auto w) {
            fill_speeds<w>(block, k);
            expressions::extend(shapes[block.group].held, registers(block), orders, k + 1, k + 1, w);
            known_terms<w>(block, k);
          });
        }
        if (k == 0 && m > 0) first_sizes();
        accelerate_free();
        if (k == 0) std::copy_n(a, n, free_first.begin());

        // The multipliers of this order, and the accelerations they leave.
        const bool twice = m > 0 && slides.empty() && factor.least_pivot() < (k == 0 ? settled_twice : solved_twice);
        if (m > 0) {
          if (twice) right_known.assign(right.begin(), right.end());
          if (!strands.empty()) strands.press(a, right.data());
          for (const std::uint32_t j : plain_rows) right[j] += times(j, a);
        }
        if (!slides.empty()) take_weights(state, k);
        if (m > 0) {
          factor.solve(right);
          std::copy(right.begin(), right.end(), lambda.begin() + static_cast<std::ptrdiff_t>(k * m));
          for (const Block& block : held_blocks) {
            if (block.strands) continue;
            double* to = arena.data() + block.carried + std::size_t{k} * block.width;
            for (std::uint32_t l = 0; l < block.count; ++l) to[l] = right[block.row[l]];
          }
          if (k == 0) last_sizes();
          hinder(k);
          if (twice) {
            // Each solution leaves the same part of what the one before has left.
            const double part = eps / factor.least_pivot();
            double left = part;
            for (unsigned round = 0; round < most_solutions && (round == 0 || left > eps); ++round, left *= part)
              hinder_again(k);
          }
        }
        take_order(k);
      }
    }
    if (!slides.empty()) finish_weights();
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isfinite(q[N * n + i]) && std::isfinite(q[2 * n + i])) continue;
      forget_overflow();
      return false;
    }
    drop_what_vanishes();
    finish_velocity_rows(state);
    watch(state);
    in_plain_units();
    power_known = false;
    force_terms_known = false;
    watched_terms_known = false;
    time = state.time;
    return true;
  }

  /// What overflowed in one unit of time must not be found in the next: lanes that idle read what stands beside theirs, and multiply it
  /// by zero.
  void forget_overflow() {
    zero_what_is_not_finite(arena);
    zero_what_is_not_finite(q_room);
    zero_what_is_not_finite(v);
    for (std::vector<double>* list : {&lambda, &force_room, &acceleration_room, &right}) zero_what_is_not_finite(*list);
    strands.forget_overflow();
    if (factor.band() != nullptr) factor.band()->empty_right();
  }

  // ---- roots of what is zero

  /// No root but that of zero itself begins at zero.
  void take_roots_as_they_are() {
    for (std::size_t g = 0; g < term_tapes.size(); ++g) {
      if (model.terms[g].kind != TermKind::kinetic && !term_roots[g].empty()) allow_zero_roots(term_tapes[g]);
    }
  }
  /// Roots and powers in forces that come to zero within `soon` begin at zero from now on. False if that is nothing new.
  [[nodiscard]] bool take_roots_as_zero(double soon) {
    bool any = false;
    for (const Block& block : terms) {
      if (model.terms[block.group].kind == TermKind::kinetic) continue;
      expressions::Tape& tape = term_tapes[block.group];
      const std::size_t before = tape.inputs.size() + tape.constants.size();
      for (const std::uint32_t reg : term_roots[block.group]) {
        expressions::Instruction& i = tape.instructions[reg - before];
        const double* u = registers(block) + std::size_t{i.a} * orders * block.width;
        for (std::uint32_t l = 0; l < block.count; ++l) {
          const double begins = std::abs(u[l]);
          const double fall = std::abs(u[block.width + l]) + soon * std::abs(u[2 * block.width + l]);
          const bool vanishes = begins <= soon * fall;
          if (!vanishes || begins <= i.zero_below) continue;
          i.zero_below = begins;
          any = true;
        }
      }
    }
    return any;
  }

  /// In a unit that suits a short step high orders may go to where numbers have fewer digits; how many depends on the units of length and
  /// mass. Far above that they are nothing already.
  void drop_what_vanishes() {
    const auto drop = [](double* list, std::size_t count, unsigned last) {
      double most = 0;
      for (unsigned k = 0; k <= 2; ++k) most = std::max(most, largest_size(list + k * count, count));
      const double nothing = nothing_of_a_series * most;
      for (unsigned k = last; k > 2 && largest_size(list + k * count, count) < nothing; --k)
        std::fill_n(list + k * count, count, 0.0);
    };
    drop(q.data(), n, N);
    drop(v.data(), n, N - 1);
    if (!held_rows.empty()) drop(lambda.data(), held_rows.size(), N - 2);
  }

  /// Orders of velocity conditions were made before the velocities of that order were known, with whatever stood there: for the bound of
  /// the step they are made again.
  void finish_velocity_rows(const model::State& state) {
    for (Block& block : held_blocks) {
      if (model.groups[block.group].holonomic || held_degrees[block.group][shapes[block.group].value] <= 1) continue;
      fill_row(block, state, N - 1);
      expressions::sweep(shapes[block.group].held, registers(block), orders, N - 1, block.width);
    }
  }

  /// Sizes of the terms behind the multipliers at order zero: of the forces and curvatures, then of the reactions.
  void first_sizes() {
    if (!inequalities) return;
    for (std::size_t i = 0; i < n; ++i) size[i] = std::abs(force[i]);
    for (std::size_t j = 0; j < held_rows.size(); ++j) lambda_scale[j] = std::abs(right[j]);
  }
  void last_sizes() {
    if (!inequalities) return;
    const std::size_t m = held_rows.size();
    for (std::size_t j = 0; j < m; ++j) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) size[column[e]] += std::abs(entry[e] * right[j]);
    }
    const auto inverse = [&](std::uint32_t i) { return inverse_of_diagonal(i); };
    // Rounding of the state lets a little of the largest acceleration of what hangs together into every row of it; accelerations of
    // angles and of lengths are compared in the metric of the masses, m a^2 = size^2 / m.
    part_size.assign(parts_count, 0.0);
    for (std::uint32_t i = 0; i < n; ++i) {
      double& most = part_size[part_of[i]];
      most = std::max(most, size[i] / root_mass[i]);
    }
    for (std::size_t j = 0; j < m; ++j) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
        const std::uint32_t i = column[e];
        lambda_scale[j] +=
            std::abs(entry[e]) * (inverse(i) * size[i] + share_of_largest * part_size[part_of[i]] / root_mass[i]);
      }
      lambda_scale[j] /= factor.diagonal(j) > 0 ? factor.diagonal(j) : 1.0;
    }
  }

  /// Terms of other multipliers in the second derivative of row j, as they could be, in units of its own.
  [[nodiscard]] double scale_by_others(std::size_t j) const {
    double sum = 0;
    for (std::size_t k = 0; k < held_rows.size(); ++k) {
      if (k == j) continue;
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
        for (std::uint32_t other = start[k]; other < start[k + 1]; ++other) {
          if (column[other] != column[e]) continue;
          sum += std::abs(entry[e] * entry[other]) * inverse_of_diagonal(column[e]) * lambda_scale[k];
        }
      }
    }
    return sum / (factor.diagonal(j) > 0 ? factor.diagonal(j) : 1.0);
  }

  /// f of the open rows.
  void watch(const model::State& state) {
    for (Block& block : watched_blocks) {
      const RowGroup& group = model.groups[block.group];
      const unsigned last = group.holonomic ? N : N - 1;
      for (unsigned k = 0; k <= last; ++k) fill_row(block, state, k);
      const expressions::Tape& tape = shapes[block.group].watched;
      expressions::sweep(tape, registers(block), orders, last, block.width);
      const double* f = registers(block) + std::size_t{tape.outputs[0]} * orders * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        double* to = watched_value.data() + std::size_t{block.row[l]} * orders;
        for (unsigned k = 0; k <= last; ++k) to[k] = f[k * block.width + l];
        if (shapes[block.group].squared == 0) continue;
        // Squares of distances: (u - L^2) / (2 L).
        const double length = std::abs(registers(block)[std::size_t{tape.outputs[1]} * orders * block.width + l]);
        const double by = shapes[block.group].squared / (2 * length);
        to[0] -= length * length;
        for (unsigned k = 0; k <= last; ++k) to[k] *= by;
        watched_length[block.row[l]] = length;
      }
    }
  }

  // ---- the unit of time

  /// From now on s = t / unit, a power of two: velocities are dq/ds, accelerations, forces and multipliers those times unit^2.
  void measure_time_in(double given) {
    unit = given;
    unit_squared = given * given;
    constant_force.assign(model.constant_force.begin(), model.constant_force.end());
    for (double& x : constant_force) x *= unit_squared;
  }
  /// What others read, per plain unit of time.
  void in_plain_units() {
    plain_velocity.clear();
    plain_multiplier.clear();
    if (unit == 1) return;
    plain_velocity.assign(v.begin(), v.end());
    plain_multiplier = lambda;
    for (double& x : plain_velocity) x /= unit;
    for (std::vector<double>* list : {&plain_multiplier, &rest, &acceleration_terms}) {
      for (double& x : *list) x /= unit_squared;
    }
  }

  // ---- how far (series_limits.cpp)

  [[nodiscard]] double reach(double tolerance) const;
  [[nodiscard]] double reach_of_motion(double tolerance) const;
  [[nodiscard]] double branch(double h) const;
  [[nodiscard]] double vanishing(double h, std::uint32_t& culprit) const;
  [[nodiscard]] double weightless(double h, std::uint32_t& variable);
  [[nodiscard]] double approach(double s) const;
  [[nodiscard]] bool root_vanishes(const Block& block);
  [[nodiscard]] bool nearly_singular();
  /// In words: what in a force is beyond numbers here; empty if nothing is.
  [[nodiscard]] std::string beyond_numbers() const;
  std::vector<double> root_value,
      root_error;  ///< for a moment: registers of the rows held, and how far they may be off

  // ---- the bound over the whole step (series_bound.cpp)

  void make_bound_lists();
  const double* spread_block(const Block& block, const expressions::Tape& tape, std::uint32_t positions,
                             std::uint32_t velocities, std::uint32_t constants, double r, double part, unsigned known);
  const expressions::Remainders& bound_block(const Block& block, const expressions::Tape& tape,
                                             const std::vector<std::uint32_t>& sized, std::uint32_t positions,
                                             std::uint32_t velocities, std::uint32_t constants,
                                             const expressions::Stretch& stretch, unsigned known);
  void find_radii(double r);
  /// Is something bounded on circles of the complex plane?
  [[nodiscard]] bool on_circles() const { return momenta_vary || !bend_blocks.empty(); }
  void measure(double h, double r);
  void find_force_terms();
  void find_watched_terms();
  void find_scales(double h);
  [[nodiscard]] double judge(double h, double r, double part, double tolerance);
  [[nodiscard]] double judge_watched(double h, double tolerance, double worst);
  [[nodiscard]] Proof prove(double wanted, double most, double part, double tolerance);

  // ---- about a singular position (series_passage.cpp)

  void run_rows(const model::State& state, unsigned first, unsigned last);
  void run_all(const model::State& state);
  void read_rates(unsigned k, std::vector<double>& rates) const;
  void read_gradients(unsigned k, std::vector<double>& entries) const;
  void add_position_slope(const model::State& state, std::uint32_t j, double weight, std::vector<double>& out);
  [[nodiscard]] Series::Expansion expand(model::State& state, std::span<const Series::Combination> combinations,
                                         std::span<const std::uint32_t> idle);
  [[nodiscard]] double judge_arc(double h, double r, double part, double tolerance, double touch);
  [[nodiscard]] Proof prove_arc(const Series::WantedArc& wanted);
  void look_from(double back, model::State& state);
  [[nodiscard]] double prove_watched(double wanted, double tolerance);
  void find_loops();
  void gradients_at(double s, std::vector<double>& entries) const;
  [[nodiscard]] double turning(std::span<const std::uint32_t> numbers) const;
  [[nodiscard]] bool plainly_apart(double h, double least) const;
  [[nodiscard]] double distance_from_dependence(double s);
  [[nodiscard]] bool narrow_place(double h, double& after, double& low, double& high);
  /// The rows in loops by themselves, with their factor.
  struct Probe {
    std::vector<std::uint32_t> start, column, from;
    std::vector<double> entry, all;
    linear::GramFactor factor;
  };
  std::unique_ptr<Probe> probe;
  std::vector<std::uint32_t> loops;  ///< numbers of the rows held that might become dependent, when known
  bool loops_known = false;
  bool plain = false;  ///< no strands
  std::unique_ptr<SingularArc> arc;
  double pole =
      std::numeric_limits<double>::quiet_NaN();  ///< seconds after the beginning of the step; none: not a number
  std::vector<std::uint8_t> pole_of;             ///< per row held
  std::vector<double> reaction_here, first_left;

  // ---- modes, and surfaces slid on (series_slide.cpp)

  void load_modes(const model::State& state);
  void take_weights(const model::State& state, unsigned k);
  void finish_weights();
  void slide(std::span<const Series::Slide> list);
  [[nodiscard]] std::vector<double> slope(std::uint32_t number, const model::State& state) const;
  std::vector<SlidSwitch> slides;
  std::vector<double> modes;  ///< of the model, as loaded

  // ---- work (series_work.cpp)

  void find_power();

  const model::Model& model;
  unsigned N;
  unsigned orders;
  std::size_t n;
  std::vector<RowShape> shapes;
  std::vector<expressions::Tape> term_tapes;
  std::vector<std::vector<std::uint32_t>> term_roots;
  std::vector<std::vector<std::uint8_t>> term_moving;  ///< instructions that velocities are in
  model::Dynamics dynamics;
  model::Scratch scratch;
  bool sharp = false;
  bool varying_mass = false;
  bool momenta_vary = false;  ///< by more than the velocities: some block of terms is a kinetic energy
  bool has_blocks = false;
  bool works = false;  ///< some force has no potential, or some energy depends on time

  std::vector<double> arena;
  std::size_t term_arena = 0;
  std::vector<Block> terms, held_blocks, watched_blocks;
  std::vector<Block> bend_blocks;   ///< of the rows under the variational law; their `row` is a place in `bent`
  std::vector<std::uint32_t> bent;  ///< numbers of those rows among the rows held
  Strands strands;
  std::vector<std::uint32_t> plain_rows;  ///< numbers of the rows held that are not made of strands
  std::vector<HeldRow> held_rows;
  std::vector<std::uint32_t> watched_rows;

  // series
  double unit = 1;  ///< of time, and its square
  double unit_squared = 1;
  double per_unit = 1;  ///< plain velocities from those at hand: 1 / unit, 1 in a projection
  bool begun = false;   ///< first_velocity is that of the last projection
  std::vector<double> first_velocity, constant_force;
  std::vector<double> plain_velocity, plain_multiplier;  ///< where the unit is not 1
  double time = 0;
  AlignedNumbers q_room, v;
  std::span<double> q;                 ///< [k * n + i]; v the same
  std::vector<double> lambda;          ///< [k * m + j]
  std::vector<double> rho;             ///< of the rows under the variational law: [b * orders + k]
  std::vector<double> watched_value;   ///< [w * orders + k]
  std::vector<double> watched_length;  ///< [w]: L of a distance that is watched by its square, else 0
  std::vector<double> power;
  bool power_known = false;
  bool inequalities = false;  ///< some row held is one: the sizes of multipliers are asked for

  // the linear system
  std::vector<std::uint32_t> start, column;
  std::vector<double> entry;
  std::vector<double> inverse_mass;  ///< per variable, when all masses are single numbers that never change
  std::vector<double> weighted;      ///< J W, then
  linear::GramFactor factor;
  std::vector<double> force_room, acceleration_room;
  std::span<double> force, acceleration;
  std::vector<double> right, size;
  /// Of the terms of a sum of forces and reactions: below it there is nothing left. The sum has a dozen terms or so, and its
  /// multipliers come from a factor.
  static constexpr double frozen = 32 * 0x1p-53;
  /// Least pivots below these: multipliers are solved for twice, at order zero, where digits that are lost would not let anything rest, and at
  /// all orders, where more than four digits are.
  static constexpr double settled_twice = 0.1;
  static constexpr double solved_twice = 1e-4;
  static constexpr unsigned most_solutions = 6;
  std::vector<double> right_known;  ///< right-hand sides of an order without the free accelerations
  std::vector<double> balance;      ///< those terms, per variable
  std::vector<std::uint8_t> still;  ///< per variable, 1: its velocity and all accelerations so far are zero
  std::vector<double>
      acceleration_terms;    ///< of order zero: what forces and reactions each would make of an acceleration
  std::vector<double> rest;  ///< of the accelerations of order zero: what rounding took from them
  std::vector<double> gradient_sum, rate_scale, lambda_scale;
  std::vector<double>
      first_gradient;  ///< gradient_sum when the rows were chosen: where it vanishes drift has no other scale
  std::vector<double>
      row_length;  ///< sqrt(Phi_jj) when the rows were chosen: the weights in the norm of the multipliers

  // variables that the rows held connect
  std::vector<std::uint32_t> part_of;
  std::size_t parts_count = 0;
  std::vector<double> part_size;
  std::vector<double> root_mass;  ///< sqrt(M_ii)

  // the bound
  static constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> own_body;  ///< first variable and number of components
  std::vector<std::vector<unsigned>> term_degrees, held_degrees, watched_degrees;
  std::vector<double> radii;               ///< of the registers of one block
  std::vector<double> radius_q, radius_v;  ///< sums of |c_k| r^k, k >= 1, circle by circle
  std::vector<double> pressing;            ///< |lambda_k| h^k of the rows of one block
  std::vector<std::vector<std::uint32_t>> term_sized, held_sized, watched_sized;
  expressions::Remainders rests;                               ///< of the registers of one block
  std::vector<double> load, absolute, force_size;              ///< bounds of d and of |W d|; forces at the end
  std::vector<double> free_first, free_last, halfway, at_end;  ///< accelerations: free at 0 and h, true at h/2 and h
  std::vector<double> step_terms;                              ///< sum |a_k| h^k
  std::vector<double> own_scale, partner_scale;                ///< what d is measured by
  std::vector<double> row_rest, watched_rest,
      multiplier_error;             ///< bounds on the step: of what the polynomials leave out
  std::vector<double> force_terms;  ///< sizes of the terms of the free accelerations at 0
  bool force_terms_known = false;
  std::vector<double> watched_terms;  ///< sizes of the terms of the watched conditions at 0
  bool watched_terms_known = false;
  double defect = 0;
  StepMemory step_memory;
  bool radii_known = false;   ///< of the circle at hand
  unsigned motion_order = 0;  ///< of the polynomials of the step
  std::uint32_t worst_variable = 0, worst_row = none;
  double first_pivot = 1;  ///< the least pivot then
  bool lengths_known = false;
};

}  // namespace zwang::motion
