/// The power series of a constrained motion, order by order, members of families side by side.
#include "zwang/motion/series.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#include "zwang/expressions/functions/series.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/strands.hpp"

namespace zwang::motion {

namespace {

using expressions::Lanes;
using model::RowGroup;
using model::TermGroup;
using model::TermKind;

/// A gradient register shared by several slots, up to sign: the ends of a string, say.
struct Direction {
  std::uint32_t reg = 0;
  bool constant = false;  ///< its series ends with order zero
  double own = 0;         ///< not 0: the register is this times the sum of the slots with their signs, and a constant,
                          ///< over the root if the shape has one
  std::uint32_t numerator = 0;  ///< then: the register before the root divides it, and the factor it has got
  double factor = 1;
  std::vector<std::pair<std::uint32_t, double>> slots;  ///< slot and sign
};

/// What the rows of one shape need on tape: with gradient when held, the value alone when watched.
struct RowShape {
  expressions::Tape held;
  std::uint32_t value = 0;  ///< register of f on the held tape
  std::vector<Direction> directions;
  std::uint32_t explicit_rate = 0;  ///< register of f_t or p0
  bool moving = false;              ///< f_t (p0) is there and not constant zero
  bool quadratic = false;           ///< every direction is constant or its own: strands do the rest
  bool steady = false;              ///< the gradient never vanishes: it is constant, or of a distance
  std::uint32_t root = 0;           ///< not 0: f = root - constant; while it is held the root is constant, too
  expressions::Tape watched;
  std::vector<std::uint32_t> roots;       ///< registers of the watched tape that are roots
  std::vector<std::uint32_t> held_roots;  ///< registers of the held tape that are roots
};

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
};

unsigned width_for(std::size_t lanes) {
  if (lanes >= 5) return 8;
  if (lanes >= 3) return 4;
  return lanes == 2 ? 2 : 1;
}

/// Is a register of this tape constant in time? Constants, and inputs that hold the constants of members.
bool is_constant(const expressions::Tape& tape, std::uint32_t reg, std::uint32_t first_constant_input) {
  const std::size_t inputs = tape.inputs.size();
  return (reg >= first_constant_input && reg < inputs) || (reg >= inputs && reg < inputs + tape.constants.size());
}

/// Slots whose gradients are the same register, or the negative of it, move together.
std::vector<Direction> find_directions(const expressions::Tape& tape, std::uint32_t slots, std::uint32_t first_output,
                                       std::uint32_t first_constant_input) {
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  const auto negated = [&](std::uint32_t reg) -> std::pair<std::uint32_t, double> {
    if (reg >= before && tape.instructions[reg - before].op == expressions::Op::negate) {
      return {tape.instructions[reg - before].a, -1.0};
    }
    return {reg, 1.0};
  };
  std::vector<Direction> directions;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t reg = tape.outputs[first_output + slot];
    const auto [root, sign] = negated(reg);
    bool found = false;
    for (Direction& direction : directions) {
      const auto [other_root, other_sign] = negated(direction.reg);
      const bool scaled_twin = [&] {
        // c u and -c u, both written as multiples of one register.
        if (reg < before || direction.reg < before) return false;
        const expressions::Instruction& a = tape.instructions[reg - before];
        const expressions::Instruction& b = tape.instructions[direction.reg - before];
        return a.op == expressions::Op::scale && b.op == expressions::Op::scale && a.a == b.a && a.c == -b.c;
      }();
      if (other_root == root || scaled_twin) {
        direction.slots.emplace_back(slot, scaled_twin ? -1.0 : sign * other_sign);
        found = true;
        break;
      }
    }
    if (!found) directions.push_back({reg, is_constant(tape, reg, first_constant_input), 0.0, reg, 1.0, {{slot, 1.0}}});
  }
  return directions;
}

/// A register as a linear combination of inputs, as far as it is one: coefficient per input, constants left out.
bool linear_in_inputs(const expressions::Tape& tape, std::uint32_t reg, std::uint32_t first_constant_input,
                      double factor, std::vector<double>& coefficient) {
  using expressions::Op;
  const std::size_t inputs = tape.inputs.size();
  const std::size_t before = inputs + tape.constants.size();
  if (is_constant(tape, reg, first_constant_input)) return true;
  if (reg < inputs) {
    coefficient[reg] += factor;
    return true;
  }
  const expressions::Instruction& i = tape.instructions[reg - before];
  const auto follow = [&](std::uint32_t to, double by) {
    return linear_in_inputs(tape, to, first_constant_input, by, coefficient);
  };
  switch (i.op) {
    case Op::add: return follow(i.a, factor) && follow(i.b, factor);
    case Op::subtract: return follow(i.a, factor) && follow(i.b, -factor);
    case Op::negate: return follow(i.a, -factor);
    case Op::scale: return follow(i.a, factor * i.c);
    default: return false;
  }
}

/// The root behind f = +-(sqrt(u) - constant), or 0: along a motion that keeps f = 0 it keeps its value.
std::uint32_t find_root(const expressions::Tape& tape, std::uint32_t value, std::uint32_t first_constant_input) {
  using expressions::Op;
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  const auto op = [&](std::uint32_t reg) { return reg < before ? Op::add : tape.instructions[reg - before].op; };
  const auto is_root = [&](std::uint32_t reg) { return reg >= before && op(reg) == Op::sqrt; };
  if (value < before) return 0;
  const expressions::Instruction& i = tape.instructions[value - before];
  if (i.op != Op::add && i.op != Op::subtract) return 0;
  if (is_root(i.a) && is_constant(tape, i.b, first_constant_input)) return i.a;
  if (is_root(i.b) && is_constant(tape, i.a, first_constant_input)) return i.b;
  return 0;
}

/// Is the direction c times the sum of its own slots (over the root, if there is one)? Then rows of this shape are quadratic
/// along it, and the answer is c; else 0.
double own_factor(const expressions::Tape& tape, Direction& direction, std::uint32_t root,
                  std::uint32_t first_constant_input) {
  using expressions::Op;
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  std::uint32_t reg = direction.reg;
  double factor = 1;
  if (root != 0) {
    // Through signs and numbers to the quotient.
    while (reg >= before) {
      const expressions::Instruction& i = tape.instructions[reg - before];
      if (i.op == Op::negate || i.op == Op::scale) {
        factor *= i.op == Op::negate ? -1.0 : i.c;
        reg = i.a;
        continue;
      }
      if (i.op != Op::divide || i.b != root) return 0;
      reg = i.a;
      break;
    }
    if (reg < before && reg == direction.reg) return 0;
  }
  direction.numerator = reg;
  direction.factor = factor;
  std::vector<double> coefficient(tape.inputs.size(), 0.0);
  if (!linear_in_inputs(tape, reg, first_constant_input, factor, coefficient)) return 0;
  const auto input = [](std::uint32_t slot) { return 1 + slot; };
  const double c = coefficient[input(direction.slots[0].first)] * direction.slots[0].second;
  for (const auto& [slot, sign] : direction.slots) {
    if (coefficient[input(slot)] != sign * c) return 0;
    coefficient[input(slot)] = 0;
  }
  const bool nothing_else = std::all_of(coefficient.begin(), coefficient.end(), [](double x) { return x == 0; });
  return nothing_else && direction.slots.size() <= 2 ? c : 0;
}

/// Registers that hold roots (or other powers that are no whole ones): never negative, whatever their series say.
std::vector<std::uint32_t> find_roots(const expressions::Tape& tape) {
  std::vector<std::uint32_t> roots;
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
    const expressions::Op op = tape.instructions[i].op;
    if (op == expressions::Op::sqrt || op == expressions::Op::power)
      roots.push_back(static_cast<std::uint32_t>(before + i));
  }
  return roots;
}

RowShape make_shape(const RowGroup& group) {
  RowShape shape;
  const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t k = 0; k <= slots; ++k) wanted.push_back(k);
  if (group.rheonomic) wanted.push_back(slots + 1);
  shape.held = expressions::part(group.tape, wanted);
  const std::uint32_t first_constant = 1 + group.positions + group.velocities;
  shape.value = shape.held.outputs[0];
  shape.directions = find_directions(shape.held, slots, 1, first_constant);
  shape.moving = group.rheonomic;
  if (shape.moving) shape.explicit_rate = shape.held.outputs[slots + 1];
  shape.quadratic = group.holonomic && !shape.moving;
  shape.root = group.holonomic ? find_root(shape.held, shape.value, first_constant) : 0;
  for (Direction& direction : shape.directions) {
    if (direction.constant) continue;
    direction.own = group.holonomic ? own_factor(shape.held, direction, shape.root, first_constant) : 0.0;
    shape.quadratic = shape.quadratic && direction.own != 0;
  }
  const bool constant = std::all_of(shape.directions.begin(), shape.directions.end(),
                                    [](const Direction& direction) { return direction.constant; });
  shape.steady = constant || (shape.root != 0 && shape.quadratic);
  const std::uint32_t value = 0;
  shape.watched = expressions::part(group.tape, {&value, 1});
  shape.roots = find_roots(shape.watched);
  shape.held_roots = find_roots(shape.held);
  return shape;
}

/// Twice as exact as needed and much faster than the library's: log2 by exponent and a parabola.
double rough_log2(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<double>((bits >> 52U) & 0x7ffU) - 1023;
  const double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL) - 1;
  return exponent + m * (1.3465 - 0.3465 * m);
}

constexpr double tiny = 1e-290;

/// log2 of the largest h for which |c_m| h^m <= tolerance * max_k |c_k| h^k, k the first four orders, m the last two orders; c given by norms.
///
/// With `stable` the last coefficients also bound h by their decay, h <= 0.75 max_j (|c_j| / |c_m|)^(1/(m-j)), j = m-4..m-1: a
/// singularity of small weight hardly shows in the terms, but beyond its distance small disturbances grow from step to step.
template <class Norm>
double log_reach(unsigned last, double log_tolerance, bool stable, const Norm& norm) {
  // The first four orders that are not zero.
  double low[4];
  unsigned low_order[4];
  unsigned lows = 0;
  for (unsigned k = 0; k + 1 < last && lows < 4 && (k < 4 || lows == 0); ++k) {
    const double size = norm(k);
    if (!(size > tiny)) continue;
    low[lows] = rough_log2(size);
    low_order[lows] = k;
    ++lows;
  }
  double least = 1e9;
  for (unsigned m = last - 1; m <= last; ++m) {
    const double size = norm(m);
    if (!(size > tiny)) continue;
    const double high = rough_log2(size);
    if (stable) {
      double decay = -1e9;
      for (unsigned j = 1; j <= 4 && j < m; ++j) {
        const double before = norm(m - j);
        if (before > tiny) decay = std::max(decay, (rough_log2(before) - high) / j);
      }
      if (decay > -1e9) least = std::min(least, decay - 0.415);
    }
    double best = -1e9;
    for (unsigned k = 0; k < lows; ++k) best = std::max(best, (log_tolerance + low[k] - high) / (m - low_order[k]));
    if (lows > 0) least = std::min(least, best);
  }
  return least;
}

}  // namespace

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
    for (const TermGroup& group : model.terms) varying_mass = varying_mass || group.kind == TermKind::kinetic;
    if (!varying_mass && dynamics.mass.is_diagonal()) {
      for (const double mass : dynamics.mass.diagonal()) inverse_mass.push_back(1 / mass);
    }
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
      if (constant_kinetic) continue;
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
    std::uint32_t count = static_cast<std::uint32_t>(group.tape.outputs.size());
    if (group.kind == TermKind::potential) count = 1 + group.positions;
    if (group.kind == TermKind::kinetic) count = 1 + group.positions + group.velocities;
    for (std::uint32_t k = 0; k < count; ++k) wanted.push_back(k);
    // The value itself is not needed unless time is in it; its place is kept by another output.
    if (group.kind != TermKind::force && !group.uses_time && count > 1) wanted[0] = 1;
    return expressions::part(group.tape, wanted);
  }

  // ---- choosing rows

  void choose(std::span<const HeldRow> held, std::span<const std::uint32_t> watch) {
    held_rows.assign(held.begin(), held.end());
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
    watched_value.assign(watched_rows.size() * orders, 0.0);
  }

  /// Rows that are wholly made of strands, and those that are not: with a constant direction besides, or another shape.
  [[nodiscard]] bool all_strands(std::uint32_t group) const {
    const RowShape& shape = shapes[group];
    return shape.quadratic && std::none_of(shape.directions.begin(), shape.directions.end(),
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
    const double t = k == 0 ? state.time : (k == 1 ? 1.0 : 0.0);
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
      for (std::uint32_t l = 0; l < w; ++l) r[l] = from[variable[l]];
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
      const double sum = x[i] + change;
      carry[i] = change - (sum - x[i]);
      x[i] = sum;
    }
  }

  Projection project(model::State& state, std::vector<double>& carry_position, std::vector<double>& carry_velocity,
                     double least_position, double least_velocity) {
    Projection result;
    std::copy(state.position.begin(), state.position.end(), q.begin());
    std::copy(state.velocity.begin(), state.velocity.end(), v.begin());
    if (varying_mass) {
      model::evaluate_dynamics(model, state, scratch, dynamics);
      if (!dynamics.mass_positive) {
        result.regular = false;
        return result;
      }
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
    double size_q = least_position;
    double size_v = least_velocity;
    for (std::size_t i = 0; i < n; ++i) {
      size_q = std::max(size_q, std::abs(q[i]));
      size_v = std::max(size_v, std::abs(v[i]));
    }
    constexpr double rounding = 2e-16;  // of a row's terms: below it there is nothing to correct
    // Rounding of zero is no scale.
    constexpr double nothing = 1e-20;
    if (size_q < nothing) size_q = 1;
    scale_q = size_q;
    if (size_v < nothing) size_v = 1;
    bool broken = false;
    for_rows([&](std::uint32_t j, bool holonomic, double f, double) {
      right[j] = holonomic ? f : 0.0;
      if (holonomic && !factor.skipped(j)) {
        result.position_drift = std::max(
            result.position_drift, std::abs(f) / (size_q * std::max(gradient_sum[j], first_gradient[j]) + 1e-300));
      }
      broken = broken || (holonomic && std::abs(f) > rounding * size_q * gradient_sum[j]);
      if (!std::isfinite(f) || !std::isfinite(gradient_sum[j])) result.regular = false;
    });
    if (!result.regular) return result;
    if (broken) {
      correct(state.position, carry_position);
      std::copy(state.position.begin(), state.position.end(), q.begin());
      order_zero(state);
      load_rows();
      // A factor of other rows would feed the correction back into the next step, the stronger the nearer they are to dependence.
      if (result.position_drift > 1e-9 || (result.position_drift > 1e-15 && factor.least_pivot() < 0.2)) {
        factor.factor(rows(), dynamics.mass);
      }
    }

    // Velocity: p.v + p0 = 0 for velocity conditions, g.v + f_t = 0 for the others.
    broken = false;
    for_rows([&](std::uint32_t j, bool, double, double f_t) {
      right[j] = times(j, v.data()) + f_t;
      rate_scale[j] = size_v * std::max(gradient_sum[j], first_gradient[j]) + std::abs(f_t);
      if (!factor.skipped(j)) {
        result.velocity_drift = std::max(result.velocity_drift, std::abs(right[j]) / (rate_scale[j] + 1e-300));
      }
      broken = broken || std::abs(right[j]) > (sharp ? 0.0 : rounding) * rate_scale[j];
    });
    if (broken) {
      correct(state.velocity, carry_velocity);
      std::copy(state.velocity.begin(), state.velocity.end(), v.begin());
    }
    return result;
  }

  // ---- higher orders

  /// Speeds along the directions of a block, coefficient k, from its inputs: v_k = (k + 1) q_{k+1}.
  template <unsigned W>
  void fill_speeds(Block& block, unsigned k) {
    const RowShape& shape = shapes[block.group];
    const RowGroup& group = model.groups[block.group];
    const std::size_t stride = std::size_t{orders} * W;
    const double* input = registers(block) + (group.holonomic ? 1 : 1 + std::size_t{group.positions}) * stride;
    const unsigned order = group.holonomic ? k + 1 : k;
    const double factor_k = group.holonomic ? k + 1.0 : 1.0;
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
    if (shape.moving) sum = expressions::load<W>(r + shape.explicit_rate * stride, k + 1);
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
      std::copy(model.constant_force.begin(), model.constant_force.end(), force.begin());
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
        expressions::extend(tape, r, orders, k, k + 1, w);
        for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
          const double* momentum = output(1 + group.positions + slot, k + 1);
          const std::uint32_t* variable = block.velocity_of.data() + std::size_t{slot} * w;
          for (std::uint32_t l = 0; l < block.count; ++l) force[variable[l]] -= (k + 1.0) * momentum[l];
        }
      } else {
        expressions::extend(tape, r, orders, k, k, w);
      }
      if (group.kind == TermKind::force) {
        for (std::size_t o = 0; o < tape.outputs.size(); ++o) {
          const double* part = output(o, k);
          const std::uint32_t* variable = block.target_of.data() + o * w;
          for (std::uint32_t l = 0; l < block.count; ++l) force[variable[l]] += part[l];
        }
        continue;
      }
      const double sign = group.kind == TermKind::potential ? -1.0 : 1.0;
      for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
        const double* part = output(1 + slot, k);
        const std::uint32_t* variable = block.position_of.data() + std::size_t{slot} * w;
        for (std::uint32_t l = 0; l < block.count; ++l) force[variable[l]] += sign * part[l];
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

  /// The reactions of this order's multipliers, in `right`, taken off the accelerations.
  void hinder(unsigned k) {
    if (!inverse_mass.empty()) {
      double* a = acceleration.data();
      if (!strands.empty()) strands.hinder(k, right.data(), a);
      for (const std::uint32_t j : plain_rows) {
        for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) a[column[e]] -= weighted[e] * right[j];
      }
      return;
    }
    if (!strands.empty()) strands.carry(k, right.data());
    for (std::size_t j = 0; j < held_rows.size(); ++j) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) force[column[e]] -= entry[e] * right[j];
    }
    dynamics.mass.solve(force, acceleration);
  }

  /// v_{k+1} and q_{k+2} from the accelerations of order k.
  void take_order(unsigned k) {
    const double* a = acceleration.data();
    double* next_v = v.data() + (k + 1) * n;
    double* next_q = q.data() + (k + 2) * n;
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
      order.force = k == 0 ? model.constant_force.data() : nullptr;
      order.right = multipliers;
      strands.before_solving(order);
      factor.solve({multipliers, m});
      strands.after_solving(order);
      if (k == 0) {
        if (sharp) {
          strands.residual(v.data(), acceleration.data(), right.data());
          factor.solve(right);
          strands.refine(right.data(), acceleration.data(), rest.data());
        }
        std::copy_n(multipliers, m, right.begin());
        std::copy(model.constant_force.begin(), model.constant_force.end(), force.begin());
        first_sizes();
        last_sizes();
      }
      take_order(k);
    }
  }

  bool extend(const model::State& state) {
    const std::size_t m = held_rows.size();
    std::copy_n(v.begin(), n, q.begin() + static_cast<std::ptrdiff_t>(n));
    largest = 0;
    std::fill(rest.begin(), rest.end(), 0.0);
    if (!inverse_mass.empty()) {
      for (const std::uint32_t j : plain_rows) {
        for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) weighted[e] = inverse_mass[column[e]] * entry[e];
      }
    }
    if (!strands.empty()) begin_strands();
    double* a = acceleration.data();
    if (terms.empty() && plain_rows.empty() && !strands.empty() && !inverse_mass.empty()) {
      extend_strands();
    } else {
      for (unsigned k = 0; k + 2 <= N; ++k) {
        // q_{k+1} and v_k are known: so are the forces of order k and the gradients of order k + 1.
        add_forces(state, k);
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

        // The multipliers of this order, and the accelerations they leave.
        if (m > 0) {
          if (!strands.empty()) strands.press(a, right.data());
          for (const std::uint32_t j : plain_rows) right[j] += times(j, a);
          factor.solve(right);
          std::copy(right.begin(), right.end(), lambda.begin() + static_cast<std::ptrdiff_t>(k * m));
          for (const Block& block : held_blocks) {
            if (block.strands) continue;
            double* to = arena.data() + block.carried + std::size_t{k} * block.width;
            for (std::uint32_t l = 0; l < block.count; ++l) to[l] = right[block.row[l]];
          }
          if (k == 0) last_sizes();
          hinder(k);
        }
        take_order(k);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isfinite(q[N * n + i]) || !std::isfinite(q[2 * n + i])) return false;
    }
    watch(state);
    power_known = false;
    time = state.time;
    return true;
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
    const auto inverse = [&](std::uint32_t i) {
      const int block = dynamics.mass.block_of(i);
      if (block < 0) return dynamics.mass.inverse_root()[i] * dynamics.mass.inverse_root()[i];
      const linear::Mass::Block& b = dynamics.mass.blocks()[static_cast<std::size_t>(block)];
      for (std::size_t k = 0; k < b.variables.size(); ++k) {
        if (b.variables[k] == i) return 1 / b.entries[k * b.variables.size() + k];
      }
      return 1.0;
    };
    // Rounding of the state lets a little of the largest acceleration into every row.
    largest = 0;
    for (std::uint32_t i = 0; i < n; ++i) largest = std::max(largest, inverse(i) * size[i]);
    for (std::size_t j = 0; j < m; ++j) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
        lambda_scale[j] += std::abs(entry[e]) * (inverse(column[e]) * size[column[e]] + 1e-3 * largest);
      }
      lambda_scale[j] /= factor.diagonal(j) > 0 ? factor.diagonal(j) : 1.0;
    }
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
      }
    }
  }

  [[nodiscard]] double reach(double tolerance) const {
    const double log_tolerance = std::log2(tolerance);
    const std::size_t m = held_rows.size();
    // Four maxima side by side: comparisons wait for nobody then.
    const auto norm_of = [](const double* x, std::size_t count) {
      double most[4] = {0, 0, 0, 0};
      std::size_t i = 0;
      for (; i + 4 <= count; i += 4) {
        for (std::size_t l = 0; l < 4; ++l) {
          const double size_l = std::abs(x[i + l]);
          most[l] = size_l > most[l] ? size_l : most[l];
        }
      }
      for (; i < count; ++i) most[0] = std::max(most[0], std::abs(x[i]));
      return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
    };
    // Velocities, coefficients 0..N-1.
    double least = log_reach(N - 1, log_tolerance, true, [&](unsigned k) { return norm_of(v.data() + k * n, n); });
    // Multipliers, 0..N-2, each in the units of an acceleration.
    if (m > 0) {
      least = std::min(least, log_reach(N - 2, log_tolerance, true, [&](unsigned k) {
                         double most = 0;
                         for (std::size_t j = 0; j < m; ++j) {
                           most = std::max(most, std::abs(lambda[k * m + j]) * row_length[j]);
                         }
                         return most;
                       }));
    }
    for (std::size_t w = 0; w < watched_rows.size(); ++w) {
      const bool holonomic = model::is_holonomic(model.row_kind[watched_rows[w]]);
      const double* f = watched_value.data() + w * orders;
      least = std::min(
          least, log_reach(holonomic ? N : N - 1, log_tolerance, false, [&](unsigned k) { return std::abs(f[k]); }));
    }
    return least > 1000 ? 1e300 : std::exp2(least);
  }

  /// The first place on [0, h] where the series of a root passes zero: |x| has become -x there. h if there is none.
  [[nodiscard]] double branch(double h) const {
    double first = h;
    std::array<double, 64> p{};
    const auto look = [&](const Block& block, const std::vector<std::uint32_t>& roots, unsigned count) {
      for (const std::uint32_t reg : roots) {
        const double* y = registers(block) + std::size_t{reg} * orders * block.width;
        for (std::uint32_t l = 0; l < block.count; ++l) {
          double least = y[l];
          double power_of_h = 1;
          for (unsigned k = 1; k < count; ++k) {
            power_of_h *= first;
            least -= std::abs(y[k * block.width + l]) * power_of_h;
          }
          if (least > 0 || !(y[l] > 0)) continue;
          for (unsigned k = 0; k < count; ++k) p[k] = -y[k * block.width + l];
          const Excursion found = first_excursion({p.data(), count}, first, 0.0);
          if (found.kind == Excursion::Kind::crossing) first = found.at;
        }
      }
    };
    for (const Block& block : watched_blocks)
      look(block, shapes[block.group].roots, model.groups[block.group].holonomic ? N + 1 : N);
    for (const Block& block : terms) look(block, term_roots[block.group], N - 1);
    return first;
  }

  /// The place in (0, h] where the gradient of a row held vanishes: a singular position. Infinity if there is none.
  [[nodiscard]] double vanishing(double h, std::uint32_t& culprit) const {
    double first = std::numeric_limits<double>::infinity();
    std::size_t strand = 0;
    for (const Block& block : held_blocks) {
      const RowShape& shape = shapes[block.group];
      const std::size_t directions = shape.directions.size();
      const std::size_t strand_begin = strand;
      if (block.strands) strand += directions * block.count;
      // A root that passes zero: a gradient that is not there.
      for (std::size_t r = 0; r < shape.held_roots.size() && !block.strands; ++r) {
        const double* y = registers(block) + std::size_t{shape.held_roots[r]} * orders * block.width;
        for (std::uint32_t l = 0; l < block.count; ++l) {
          std::array<double, 64> p{};
          double least = y[l];
          double power_of_h = 1;
          for (unsigned k = 0; k < N; ++k) {
            p[k] = -y[k * block.width + l];
            if (k > 0) least -= std::abs(p[k]) * power_of_h;
            power_of_h *= h;
          }
          if (least > 0 || !(y[l] > 0)) continue;
          const Excursion found = first_excursion({p.data(), N}, h, 0.0);
          if (found.kind != Excursion::Kind::crossing || found.at >= first) continue;
          first = found.at;
          culprit = held_rows[block.row[l]].row;
        }
      }
      if (shape.steady) continue;
      const auto coefficient = [&](std::size_t d, std::uint32_t l, unsigned k) {
        if (block.strands && k > 0) return strands.gradient(strand_begin + d * block.count + l, k);
        return registers(block)[(std::size_t{shape.directions[d].reg} * orders + k) * block.width + l];
      };
      for (std::uint32_t l = 0; l < block.count; ++l) {
        // |g|^2 and g.g(0) at s.
        const auto look = [&](double s, double& along) {
          double square = 0;
          along = 0;
          for (std::size_t d = 0; d < directions; ++d) {
            double g = 0;
            if (shape.directions[d].constant) {
              g = coefficient(d, l, 0);
            } else {
              for (unsigned k = N; k-- > 0;) g = g * s + coefficient(d, l, k);
            }
            const auto weight = static_cast<double>(shape.directions[d].slots.size());
            square += weight * g * g;
            along += weight * g * coefficient(d, l, 0);
          }
          return square;
        };
        double along = 0;
        const double start_size = look(0, along);
        const double end_size = look(h, along);
        if (along > 0.5 * std::sqrt(start_size * end_size) && end_size > 0.01 * start_size) continue;
        // It has turned far or shrunk: the smallest value on the way, first roughly, then by thirds.
        constexpr int parts = 128;
        int best = parts;
        double least = end_size;
        double most = std::max(start_size, end_size);
        for (int i = 1; i < parts; ++i) {
          const double size_i = look(h * i / parts, along);
          most = std::max(most, size_i);
          if (size_i < least) {
            least = size_i;
            best = i;
          }
        }
        double low = h * (best - 1) / parts;
        double high = std::min(h, h * (best + 1) / parts);
        for (int round = 0; round < 100; ++round) {
          const double a = low + (high - low) / 3;
          const double b = high - (high - low) / 3;
          (look(a, along) < look(b, along) ? high : low) = look(a, along) < look(b, along) ? b : a;
        }
        const double at = (low + high) / 2;
        if (look(at, along) <= 1e-16 * most && at < first) {
          first = at;
          culprit = held_rows[block.row[l]].row;
        }
      }
    }
    return first;
  }

  /// How much later than s the gradient of the row held that is nearest to vanishing would do so: -g.g' / |g'|^2. 0 if it does not.
  [[nodiscard]] double approach(double s) const {
    double least = std::numeric_limits<double>::infinity();
    double later = 0;
    std::size_t strand = 0;
    for (const Block& block : held_blocks) {
      const RowShape& shape = shapes[block.group];
      const std::size_t strand_begin = strand;
      if (block.strands) strand += shape.directions.size() * block.count;
      if (shape.steady) continue;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        double square = 0, along = 0, change = 0;
        for (std::size_t d = 0; d < shape.directions.size(); ++d) {
          const Direction& direction = shape.directions[d];
          double g = 0, rate = 0;
          for (unsigned k = N; k-- > 0;) {
            const double c = block.strands
                                 ? strands.gradient(strand_begin + d * block.count + l, k)
                                 : registers(block)[(std::size_t{direction.reg} * orders + k) * block.width + l];
            rate = rate * s + g;
            g = g * s + (direction.constant && k > 0 ? 0.0 : c);
          }
          square += g * g;
          along += g * rate;
          change += rate * rate;
        }
        if (square < least && change > 0) {
          least = square;
          later = -along / change;
        }
      }
    }
    return later;
  }

  /// Rows held whose gradient has all but vanished since they were chosen, or that have all but become dependent.
  [[nodiscard]] bool nearly_singular() const {
    for (std::size_t j = 0; j < held_rows.size(); ++j) {
      if (factor.diagonal(j) < 1e-15 * row_length[j] * row_length[j]) return true;
    }
    // A root that goes to zero has no gradient there.
    for (const Block& block : held_blocks) {
      for (const std::uint32_t reg : shapes[block.group].held_roots) {
        const double* y = registers(block) + std::size_t{reg} * orders * block.width;
        for (std::uint32_t l = 0; l < block.count; ++l) {
          if (y[l] < 1e-9 * scale_q) return true;
        }
      }
    }
    return !held_rows.empty() && factor.least_pivot() < std::min(1e-11, 1e-6 * first_pivot);
  }

  // ---- work

  /// Coefficients of the power of all that has no potential. Products of series are kept whole: that of two series that
  /// both have converged may itself converge later.
  void find_power() {
    power.assign(std::size_t{2} * N, 0.0);
    const std::size_t m = held_rows.size();
    // power += sign x v_i, x with `count` coefficients `stride` apart.
    const auto add_product = [&](const double* x, std::size_t stride, unsigned count, std::uint32_t i, double sign) {
      for (unsigned j = 0; j < count; ++j) {
        const double factor_j = sign * x[j * stride];
        for (unsigned k = 0; k < N; ++k) power[j + k] += factor_j * v[k * n + i];
      }
    };
    for (const Block& block : terms) {
      const TermGroup& group = model.terms[block.group];
      const expressions::Tape& tape = term_tapes[block.group];
      const std::uint32_t w = block.width;
      const double* r = registers(block);
      const auto series_of = [&](std::size_t o, std::uint32_t l) {
        return r + std::size_t{tape.outputs[o]} * orders * w + l;
      };
      if (group.kind == TermKind::force) {
        for (std::size_t o = 0; o < tape.outputs.size(); ++o) {
          for (std::uint32_t l = 0; l < block.count; ++l)
            add_product(series_of(o, l), w, N - 1, block.target_of[o * w + l], 1.0);
        }
        continue;
      }
      if (!group.uses_time) continue;
      // dV/dt at fixed position: V' - V_q.v; the same of T with the other sign and T_v.a besides.
      const double sign = group.kind == TermKind::potential ? 1.0 : -1.0;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const double* value = series_of(0, l);
        for (unsigned k = 0; k + 3 <= N; ++k) power[k] += sign * (k + 1.0) * value[(k + 1) * w];
        for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
          add_product(series_of(1 + slot, l), w, N - 1, block.position_of[slot * w + l], -sign);
        }
        if (group.kind != TermKind::kinetic) continue;
        for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
          const std::uint32_t i = block.velocity_of[slot * w + l];
          const double* momentum = series_of(1 + group.positions + slot, l);
          for (unsigned j = 0; j + 2 <= N; ++j) {
            for (unsigned k = 1; k < N; ++k) power[j + k - 1] -= sign * momentum[j * w] * k * v[k * n + i];
          }
        }
      }
    }
    // Moving conditions: lambda f_t.
    for (const Block& block : held_blocks) {
      const RowShape& shape = shapes[block.group];
      if (!shape.moving) continue;
      const double* r = registers(block) + std::size_t{shape.explicit_rate} * orders * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        for (unsigned j = 0; j + 2 <= N; ++j) {
          for (unsigned k = 0; k < N; ++k) power[j + k] += lambda[j * m + block.row[l]] * r[k * block.width + l];
        }
      }
    }
    power_known = true;
  }

  const model::Model& model;
  unsigned N;
  unsigned orders;
  std::size_t n;
  std::vector<RowShape> shapes;
  std::vector<expressions::Tape> term_tapes;
  std::vector<std::vector<std::uint32_t>> term_roots;
  model::Dynamics dynamics;
  model::Scratch scratch;
  bool sharp = false;
  bool varying_mass = false;
  bool has_blocks = false;
  bool works = false;  ///< some force has no potential, or some energy depends on time

  std::vector<double> arena;
  std::size_t term_arena = 0;
  std::vector<Block> terms, held_blocks, watched_blocks;
  Strands strands;
  std::vector<std::uint32_t> plain_rows;  ///< numbers of the rows held that are not made of strands
  std::vector<HeldRow> held_rows;
  std::vector<std::uint32_t> watched_rows;

  // series
  double time = 0;
  std::vector<double> q_room, v;
  std::span<double> q;                ///< [k * n + i]; v the same
  std::vector<double> lambda;         ///< [k * m + j]
  std::vector<double> watched_value;  ///< [w * orders + k]
  std::vector<double> power;
  bool power_known = false;
  double largest = 0;  ///< size of the terms of the largest acceleration, if there are inequalities among the rows held
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
  std::vector<double> rest;  ///< of the accelerations of order zero: what rounding took from them
  std::vector<double> gradient_sum, rate_scale, lambda_scale;
  std::vector<double>
      first_gradient;  ///< gradient_sum when the rows were chosen: where it vanishes drift has no other scale
  std::vector<double>
      row_length;          ///< sqrt(Phi_jj) when the rows were chosen: the weights in the norm of the multipliers
  double scale_q = 1;      ///< the scale of positions in the last projection
  double first_pivot = 1;  ///< the least pivot then
  bool lengths_known = false;
};

Series::Series(const model::Model& model, unsigned order, bool sharp)
    : impl_(std::make_unique<Impl>(model, order, sharp)) {}
Series::~Series() = default;
Series::Series(Series&&) noexcept = default;
Series& Series::operator=(Series&&) noexcept = default;

unsigned Series::order() const { return impl_->N; }
void Series::choose(std::span<const HeldRow> held, std::span<const std::uint32_t> watched) {
  impl_->choose(held, watched);
}
Series::Projection Series::project(model::State& state, std::vector<double>& carry_position,
                                   std::vector<double>& carry_velocity, double least_position, double least_velocity) {
  return impl_->project(state, carry_position, carry_velocity, least_position, least_velocity);
}
bool Series::extend(const model::State& state) { return impl_->extend(state); }
double Series::reach(double tolerance) const { return impl_->reach(tolerance); }
double Series::branch(double h) const { return impl_->branch(h); }
double Series::vanishing(double h, std::uint32_t& row) const { return impl_->vanishing(h, row); }
std::span<const double> Series::velocity() const { return {impl_->v.data(), impl_->N * impl_->n}; }
std::span<const double> Series::rest() const { return impl_->rest; }
double Series::largest_acceleration() const { return impl_->largest; }
double Series::approach(double s) const { return impl_->approach(s); }
bool Series::nearly_singular() const { return impl_->nearly_singular(); }
std::span<const double> Series::position() const { return impl_->q; }
std::span<const double> Series::multiplier() const {
  return {impl_->lambda.data(), (impl_->N - 1) * impl_->held_rows.size()};
}
std::size_t Series::held() const { return impl_->held_rows.size(); }
bool Series::skipped(std::size_t j) const { return impl_->factor.skipped(j); }
double Series::multiplier_scale(std::size_t j) const { return impl_->lambda_scale[j]; }
std::span<const double> Series::watched(std::size_t w) const {
  const bool holonomic = model::is_holonomic(impl_->model.row_kind[impl_->watched_rows[w]]);
  return {impl_->watched_value.data() + w * impl_->orders, impl_->orders - (holonomic ? 0U : 1U)};
}
Series::Memory Series::memory() const {
  return {impl_->row_length, impl_->first_gradient, impl_->first_pivot, impl_->lengths_known};
}
void Series::remember(Memory memory) {
  impl_->row_length = std::move(memory.row_length);
  impl_->first_gradient = std::move(memory.first_gradient);
  impl_->first_pivot = memory.first_pivot;
  impl_->lengths_known = memory.lengths_known;
}
double Series::least_pivot() const { return impl_->factor.least_pivot(); }

double Series::work(double s) const {
  bool moving = impl_->works;
  for (const Block& block : impl_->held_blocks) moving = moving || impl_->shapes[block.group].moving;
  if (!moving) return 0;
  if (!impl_->power_known) impl_->find_power();
  double sum = 0;
  for (unsigned k = 2 * impl_->N; k-- > 0;) sum = sum * s + impl_->power[k] / (k + 1.0);
  return sum * s;
}

void Series::observe(const model::Observable& observable, std::vector<double>& out) const {
  const Impl& impl = *impl_;
  const TermGroup& term = observable.term;
  const unsigned last = impl.N - 1;
  const unsigned orders = impl.orders;
  std::vector<double> registers(term.tape.registers() * orders, 0.0);
  expressions::load_constants(term.tape, registers.data(), orders, 1);
  double* r = registers.data();
  r[0] = impl.time;
  r[1] = 1;
  r += orders;
  for (std::size_t slot = 0; slot < term.positions; ++slot, r += orders) {
    for (unsigned k = 0; k <= last; ++k) r[k] = impl.q[k * impl.n + term.position_of[slot]];
  }
  for (std::size_t slot = 0; slot < term.velocities; ++slot, r += orders) {
    for (unsigned k = 0; k <= last; ++k) r[k] = impl.v[k * impl.n + term.velocity_of[slot]];
  }
  for (std::size_t slot = 0; slot < term.constants; ++slot, r += orders) r[0] = term.constant_of[slot];
  expressions::sweep(term.tape, registers.data(), orders, last, 1);
  const double* f = registers.data() + std::size_t{term.tape.outputs[0]} * orders;
  out.assign(f, f + last + 1);
}

}  // namespace zwang::motion
