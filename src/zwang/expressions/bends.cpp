/// Which way expressions bend.
#include "zwang/expressions/bends.hpp"

namespace zwang::expressions {

namespace {

struct Known {
  Bend bend = Bend::unknown;
  bool squares = false;  ///< a sum of squares of affine functions and of numbers that are not negative
  bool literal = false;  ///< a number that stands in the tape
  double value = 0;      ///< then
};

bool flat(const Known& u) { return u.bend == Bend::constant || u.bend == Bend::affine; }
bool convex(const Known& u) { return flat(u) || u.bend == Bend::convex; }
bool concave(const Known& u) { return flat(u) || u.bend == Bend::concave; }

Known of(Bend bend) { return {bend, false, false, 0}; }

Known negative(const Known& u) {
  if (u.bend == Bend::convex) return of(Bend::concave);
  if (u.bend == Bend::concave) return of(Bend::convex);
  return of(u.bend);
}

Known sum(const Known& a, const Known& b) {
  Known out;
  if (flat(a) && flat(b)) {
    out.bend = a.bend == Bend::constant && b.bend == Bend::constant ? Bend::constant : Bend::affine;
  } else if (convex(a) && convex(b)) {
    out.bend = Bend::convex;
  } else if (concave(a) && concave(b)) {
    out.bend = Bend::concave;
  }
  out.squares = a.squares && b.squares;
  return out;
}

Known scaled(const Known& u, double c) {
  if (c < 0) return negative(u);
  Known out = of(u.bend);
  out.squares = u.squares;
  return out;
}

Known product(const Known& a, const Known& b) {
  if (a.literal) return scaled(b, a.value);
  if (b.literal) return scaled(a, b.value);
  if (a.bend == Bend::constant && flat(b)) return of(b.bend);
  if (b.bend == Bend::constant && flat(a)) return of(a.bend);
  return {};
}

Known square(const Known& u) {
  if (!flat(u)) return {};
  Known out = of(u.bend == Bend::constant ? Bend::constant : Bend::convex);
  out.squares = true;
  return out;
}

Known follow(const Instruction& i, const std::vector<Known>& known) {
  const Known& a = known[i.a];
  switch (i.op) {
    case Op::add: return sum(a, known[i.b]);
    case Op::subtract: return sum(a, negative(known[i.b]));
    case Op::negate: return negative(a);
    case Op::scale: return scaled(a, i.c);
    case Op::square: return square(a);
    case Op::multiply: return i.a == i.b ? square(a) : product(a, known[i.b]);
    case Op::divide: {
      const Known& b = known[i.b];
      if (b.literal && b.value != 0) return scaled(a, b.value);
      return b.bend == Bend::constant && flat(a) ? of(a.bend) : Known{};
    }
    case Op::sqrt:
      if (a.bend == Bend::constant) return of(Bend::constant);
      if (a.squares) return of(Bend::convex);
      return concave(a) ? of(Bend::concave) : Known{};
    case Op::exp:
      if (a.bend == Bend::constant) return of(Bend::constant);
      return convex(a) ? of(Bend::convex) : Known{};
    case Op::log:
      if (a.bend == Bend::constant) return of(Bend::constant);
      return concave(a) ? of(Bend::concave) : Known{};
    default: return {};
  }
}

}  // namespace

Bend bend_of(const Tape& tape, std::size_t output, std::size_t first_constant) {
  std::vector<Known> known;
  known.reserve(tape.registers());
  for (std::size_t i = 0; i < tape.inputs.size(); ++i) {
    known.push_back(of(i < first_constant ? Bend::affine : Bend::constant));
  }
  for (const double value : tape.constants) known.push_back({Bend::constant, value >= 0, true, value});
  // A partner of sin and others stands behind it: registers are filled in order, and one not yet there is not looked at.
  for (const Instruction& i : tape.instructions) known.push_back(follow(i, known));
  return known[tape.outputs[output]].bend;
}

}  // namespace zwang::expressions
