/// What the rows of one shape need on tape.
#include "zwang/motion/row_shape.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "zwang/expressions/numbers.hpp"

namespace zwang::motion {

namespace {

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

/// A register as a linear combination of inputs, as far as it is one: coefficient per input, constants left out. A sum may have very many terms, one within the other:
/// registers wait with their weights, the latest first, so that each is looked at once, when all of its weight is there.
bool linear_in_inputs(const expressions::Tape& tape, std::uint32_t reg, std::uint32_t first_constant_input,
                      double factor, std::vector<double>& coefficient) {
  using expressions::Op;
  const std::size_t inputs = tape.inputs.size();
  const std::size_t before = inputs + tape.constants.size();
  std::map<std::uint32_t, double, std::greater<>> waiting{{reg, factor}};
  while (!waiting.empty()) {
    const auto [now, weight] = *waiting.begin();
    waiting.erase(waiting.begin());
    if (is_constant(tape, now, first_constant_input)) continue;
    if (now < inputs) {
      coefficient[now] += weight;
      continue;
    }
    const expressions::Instruction& i = tape.instructions[now - before];
    switch (i.op) {
      case Op::add:
        waiting[i.a] += weight;
        waiting[i.b] += weight;
        break;
      case Op::subtract:
        waiting[i.a] += weight;
        waiting[i.b] -= weight;
        break;
      case Op::negate: waiting[i.a] -= weight; break;
      case Op::scale: waiting[i.a] += weight * i.c; break;
      default: return false;
    }
  }
  return true;
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

/// Is the gradient that of a distance, x / sqrt(x.x)? Its length is constant, whatever else f contains.
bool is_of_distance(const expressions::Tape& tape, const std::vector<Direction>& directions) {
  using expressions::Op;
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  const auto at = [&](std::uint32_t reg) -> const expressions::Instruction* {
    return reg < before ? nullptr : &tape.instructions[reg - before];
  };
  // Numerators and the root they share.
  std::uint32_t root = 0;
  std::vector<std::uint32_t> numerators;
  for (const Direction& direction : directions) {
    std::uint32_t reg = direction.reg;
    while (at(reg) != nullptr && at(reg)->op == Op::negate) reg = at(reg)->a;
    if (at(reg) == nullptr || at(reg)->op != Op::divide) return false;
    if (root != 0 && at(reg)->b != root) return false;
    root = at(reg)->b;
    reg = at(reg)->a;
    while (at(reg) != nullptr && at(reg)->op == Op::negate) reg = at(reg)->a;
    numerators.push_back(reg);
  }
  if (at(root) == nullptr || at(root)->op != Op::sqrt) return false;
  // Under the root: the sum of their squares and nothing else.
  std::vector<std::uint32_t> open{at(root)->a};
  std::vector<std::uint32_t> squares;
  while (!open.empty()) {
    const expressions::Instruction* i = at(open.back());
    open.pop_back();
    if (i == nullptr || (i->op != Op::add && i->op != Op::square)) return false;
    if (i->op == Op::add) {
      open.push_back(i->a);
      open.push_back(i->b);
      continue;
    }
    std::uint32_t reg = i->a;
    while (at(reg) != nullptr && at(reg)->op == Op::negate) reg = at(reg)->a;
    squares.push_back(reg);
  }
  std::sort(numerators.begin(), numerators.end());
  numerators.erase(std::unique(numerators.begin(), numerators.end()), numerators.end());
  std::sort(squares.begin(), squares.end());
  return numerators == squares;
}

/// A distance beside a positive length is watched by squares: no root has to be expanded, and in free flight the series ends.
void watch_squares(const model::RowGroup& group, std::uint32_t first_constant_input, RowShape& shape) {
  using expressions::Op;
  expressions::Tape& tape = shape.watched;
  const std::uint32_t value = tape.outputs[0];
  const std::uint32_t root = find_root(tape, value, first_constant_input);
  if (root == 0) return;
  const std::size_t inputs = tape.inputs.size();
  const std::size_t before = inputs + tape.constants.size();
  const expressions::Instruction last = tape.instructions[value - before];
  const std::uint32_t constant = last.a == root ? last.b : last.a;
  // f = sign (root - L): the sign of the root, and that of the constant turned by it.
  const double sign = last.op == Op::subtract && last.b == root ? -1.0 : 1.0;
  const double turn = last.op == Op::subtract && last.a == root ? 1.0 : -sign;
  const auto positive = [&](double x) { return turn * x > 0; };
  if (constant >= inputs) {
    if (!positive(tape.constants[constant - inputs])) return;
  } else {
    const std::size_t slot = constant - first_constant_input;
    for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
      if (!positive(group.constant_of[slot * group.lanes + lane])) return;
    }
  }
  tape.outputs = {tape.instructions[root - before].a, constant};
  constexpr std::uint32_t both[] = {0, 1};
  tape = expressions::part(tape, both);
  shape.squared = sign;
}

/// An angle beside a number, acos(u) - c or asin(u) - c, is watched by the number's cosine, or sine: (cos c - u) / sin c has the sign of acos(u) - c where
/// 0 < c < pi, and its slope where both are zero, and goes on through u = 1 and -1, where the angle has no series.
void watch_cosine(const model::RowGroup& group, std::uint32_t first_constant_input, RowShape& shape) {
  using expressions::Op;
  expressions::Tape& tape = shape.watched;
  const std::uint32_t value = tape.outputs[0];
  const std::size_t inputs = tape.inputs.size();
  const std::size_t before = inputs + tape.constants.size();
  if (value < before) return;
  const expressions::Instruction last = tape.instructions[value - before];
  if (last.op != Op::add && last.op != Op::subtract) return;
  const auto is_angle = [&](std::uint32_t reg) {
    return reg >= before &&
           (tape.instructions[reg - before].op == Op::acos || tape.instructions[reg - before].op == Op::asin);
  };
  const bool first = is_angle(last.a);
  const std::uint32_t angle = first ? last.a : last.b;
  const std::uint32_t constant = first ? last.b : last.a;
  if (!is_angle(angle) || !is_constant(tape, constant, first_constant_input)) return;
  // f = sign (angle - turn constant).
  const double sign = last.op == Op::subtract && !first ? -1.0 : 1.0;
  const double turn = last.op == Op::add ? -1.0 : 1.0;
  const expressions::Instruction inverse = tape.instructions[angle - before];
  const bool of_cosine = inverse.op == Op::acos;
  const auto inside = [&](double x) {
    return of_cosine ? turn * x > 0 && turn * x < expressions::pi : std::abs(x) < expressions::pi / 2;
  };
  if (constant >= inputs) {
    if (!inside(tape.constants[constant - inputs])) return;
  } else {
    const std::size_t slot = constant - first_constant_input;
    for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
      if (!inside(group.constant_of[slot * group.lanes + lane])) return;
    }
  }
  const auto append = [&](Op op, std::uint32_t a, std::uint32_t b) {
    tape.instructions.push_back({op, a, b});
    return static_cast<std::uint32_t>(tape.registers() - 1);
  };
  const auto behind = static_cast<std::uint32_t>(tape.registers() + 1);
  const std::uint32_t sine = append(Op::sin, constant, behind);
  const std::uint32_t cosine = append(Op::cos, constant, sine);
  // The sine of the angle's own number is `turn` times that of the constant.
  const bool negative = of_cosine ? sign * turn < 0 : sign < 0;
  std::uint32_t off = 0;
  if (of_cosine) {
    off = append(Op::subtract, cosine, inverse.a);
  } else {
    off = append(turn > 0 ? Op::subtract : Op::add, inverse.a, sine);
  }
  std::uint32_t out = append(Op::divide, off, of_cosine ? sine : cosine);
  if (negative) out = append(Op::negate, out, 0);
  tape.outputs = {out};
  constexpr std::uint32_t only[] = {0};
  tape = expressions::part(tape, only);
}

}  // namespace

void allow_zero_roots(expressions::Tape& tape) {
  for (expressions::Instruction& i : tape.instructions) {
    if (i.op == expressions::Op::sqrt || i.op == expressions::Op::power) i.zero_below = 0;
  }
}

std::vector<std::uint32_t> find_roots(const expressions::Tape& tape, bool steep) {
  std::vector<std::uint32_t> roots;
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
    const expressions::Instruction& one = tape.instructions[i];
    if (one.op == expressions::Op::sqrt || (one.op == expressions::Op::power && (!steep || !(one.c > 1))))
      roots.push_back(static_cast<std::uint32_t>(before + i));
  }
  return roots;
}

RowShape make_shape(const model::RowGroup& group) {
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
  shape.steady = constant || is_of_distance(shape.held, shape.directions);
  const std::uint32_t value = 0;
  shape.watched = expressions::part(group.tape, {&value, 1});
  if (group.holonomic) {
    watch_squares(group, first_constant, shape);
    watch_cosine(group, first_constant, shape);
  }
  // A root that is zero at the beginning of a step leaves all of itself to the bound, which is enough where the condition is slack.
  allow_zero_roots(shape.watched);
  shape.roots = find_roots(shape.watched);
  shape.held_roots = find_roots(shape.held);
  shape.steep_roots = find_roots(shape.held, true);
  return shape;
}

}  // namespace zwang::motion
