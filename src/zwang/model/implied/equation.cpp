/// What stands in equation.hpp: every register of a row's tape as a polynomial in the slots, as long as it is one.
#include "zwang/model/implied/equation.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/expressions/tape.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

namespace {

using Maybe = std::optional<Polynomial>;

Polynomial constant(double value) {
  Polynomial p;
  p.r = value;
  p.terms = std::abs(value);
  return p;
}

/// x + factor * y
Maybe sum(const Polynomial& x, const Polynomial& y, double factor) {
  if (x.root || y.root) {
    // A root and a number beside it.
    const Polynomial& root = x.root ? x : y;
    const Polynomial& other = x.root ? y : x;
    if (other.root || other.degree > 0) return {};
    Polynomial out = root;
    const double own = x.root ? 1.0 : factor;
    out.factor *= own;
    out.offset = own * out.offset + (x.root ? factor : 1.0) * other.r;
    return out;
  }
  Polynomial out = x.degree >= y.degree ? x : y;
  if (x.degree < y.degree) {
    out.r *= factor;
    scale(out.g, factor);
    scale(out.q, factor);
    out.terms *= std::abs(factor);
    out.r += x.r;
    out.terms += x.terms;
    if (x.degree > 0) subtract(out.g, -1, x.g);
    return out;
  }
  out.r += factor * y.r;
  out.terms += std::abs(factor) * y.terms;
  if (y.degree > 0) subtract(out.g, -factor, y.g);
  if (y.degree > 1) subtract(out.q, -factor, y.q);
  return out;
}

Maybe times(Polynomial x, double factor) {
  if (x.root) {
    x.factor *= factor;
    x.offset *= factor;
    return x;
  }
  x.r *= factor;
  x.terms *= std::abs(factor);
  scale(x.g, factor);
  scale(x.q, factor);
  return x;
}

Maybe product(const Polynomial& x, const Polynomial& y) {
  if (!x.root && x.degree == 0) return times(y, x.r);
  if (!y.root && y.degree == 0) return times(x, y.r);
  if (x.root || y.root || x.degree + y.degree > 2) return {};
  Polynomial out;
  out.degree = 2;
  out.r = x.r * y.r;
  out.terms = x.terms * y.terms;
  const std::size_t n = x.g.size();
  out.g.resize(n);
  out.q.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    out.g[i] = x.r * y.g[i] + y.r * x.g[i];
    for (std::size_t j = 0; j < n; ++j) out.q[i * n + j] = x.g[i] * y.g[j] + y.g[i] * x.g[j];
  }
  return out;
}

Maybe root_of(const Polynomial& x) {
  if (x.root) return {};
  if (x.degree == 0) return x.r >= 0 ? Maybe(constant(std::sqrt(x.r))) : Maybe();
  Polynomial out = x;
  out.root = true;
  return out;
}

Maybe square(const Polynomial& x) {
  if (!x.root) return product(x, x);
  if (x.offset != 0) return {};
  Polynomial out = x;
  out.root = false;
  return times(std::move(out), x.factor * x.factor);
}

Maybe apply(const expressions::Instruction& i, const Maybe& a, const Maybe& b) {
  using expressions::Op;
  if (!a) return {};
  switch (i.op) {
    case Op::add: return b ? sum(*a, *b, 1) : Maybe();
    case Op::subtract: return b ? sum(*a, *b, -1) : Maybe();
    case Op::multiply: return b ? product(*a, *b) : Maybe();
    case Op::divide: return b && !b->root && b->degree == 0 && b->r != 0 ? times(*a, 1 / b->r) : Maybe();
    case Op::negate: return times(*a, -1);
    case Op::scale: return times(*a, i.c);
    case Op::square: return square(*a);
    case Op::sqrt: return root_of(*a);
    case Op::power: return i.c == 0.5 ? root_of(*a) : Maybe();
    default: return {};
  }
}

}  // namespace

std::optional<Equation> read_equation(const Model& model, std::uint32_t row) {
  const RowGroup& group = model.groups[model.row_group[row]];
  const std::uint32_t lane = model.row_lane[row];
  constexpr std::uint32_t value = 0;
  const expressions::Tape tape = expressions::part(group.tape, {&value, 1});
  std::vector<Maybe> registers(tape.registers());
  Equation out;
  out.row = row;
  std::size_t at = 1;
  for (std::uint32_t slot = 0; slot < group.positions; ++slot, ++at) {
    const std::uint32_t variable = group.position_of[std::size_t{slot} * group.lanes + lane];
    out.variable.push_back(variable);
    Polynomial p;
    p.degree = 1;
    p.r = model.initial_position[variable];
    p.terms = std::abs(p.r);
    p.g.assign(group.positions, 0.0);
    p.g[slot] = 1;
    registers[at] = std::move(p);
  }
  at += group.velocities;
  for (std::uint32_t slot = 0; slot < group.steady(); ++slot, ++at) {
    registers[at] = constant(group.constant_of[std::size_t{slot} * group.lanes + lane]);
  }
  at = tape.inputs.size();
  for (const double number : tape.constants) registers[at++] = constant(number);
  for (const expressions::Instruction& i : tape.instructions) {
    const bool second = i.b < at;
    registers[at] = apply(i, registers[i.a], second ? registers[i.b] : Maybe());
    ++at;
  }
  Maybe& f = registers[tape.outputs[0]];
  if (!f || f->degree == 0) return {};
  if (f->root) {
    const double length = -f->offset / f->factor;
    if (!(length > 0)) return {};
    f->root = false;
    f->r -= length * length;
    f->terms += length * length;
  }
  const bool finite = std::isfinite(f->r) && std::isfinite(norm(f->g)) && std::isfinite(norm(f->q));
  if (!finite) return {};
  // What has no squares in it is linear.
  if (f->degree == 2 && std::all_of(f->q.begin(), f->q.end(), [](double x) { return x == 0; })) {
    f->degree = 1;
    f->q.clear();
  }
  out.f = std::move(*f);
  return out;
}

bool same(const Equation& a, const Equation& b) {
  if (a.variable != b.variable || a.f.degree != b.f.degree) return false;
  const double factor = norm(a.f.g) / norm(b.f.g) * (dot(a.f.g, b.f.g) < 0 ? -1.0 : 1.0);
  if (!std::isfinite(factor)) return false;
  const auto equal = [&](const Vector& x, const Vector& y) {
    const double size = norm(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!(std::abs(x[i] - factor * y[i]) <= vanishing_coefficient * size)) return false;
    }
    return true;
  };
  return equal(a.f.g, b.f.g) && equal(a.f.q, b.f.q) &&
         std::abs(a.f.r - factor * b.f.r) <= vanishing_coefficient * a.f.terms;
}

}  // namespace zwang::model
