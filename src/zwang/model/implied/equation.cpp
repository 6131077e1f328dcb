/// What stands in equation.hpp: every register of a row's tape as a polynomial in the slots, as long as it is one.
#include "zwang/model/implied/equation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "zwang/expressions/tape.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

Polynomial constant(double value) {
  Polynomial p;
  p.r = value;
  p.terms = std::abs(value);
  return p;
}

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

Maybe finished(Polynomial f) {
  if (f.root) {
    const double length = -f.offset / f.factor;
    if (!(length > 0)) return {};
    f.root = false;
    f.r -= length * length;
    f.terms += length * length;
  }
  const bool finite = std::isfinite(f.r) && std::isfinite(norm(f.g)) && std::isfinite(norm(f.q));
  if (!finite) return {};
  // What has no squares in it is linear.
  if (f.degree == 2 && std::all_of(f.q.begin(), f.q.end(), [](double x) { return x == 0; })) {
    f.degree = 1;
    f.q.clear();
  }
  return f;
}

namespace {

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

namespace {

/// The registers of a row's tape up to its instructions, as polynomials in its slots.
std::vector<Maybe> inputs_of(const Model& model, std::uint32_t row, const expressions::Tape& tape, Equation& out) {
  const RowGroup& group = model.groups[model.row_group[row]];
  const std::uint32_t lane = model.row_lane[row];
  std::vector<Maybe> registers(tape.registers());
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
  return registers;
}

expressions::Tape tape_of(const Model& model, std::uint32_t row) {
  constexpr std::uint32_t value = 0;
  return expressions::part(model.groups[model.row_group[row]].tape, {&value, 1});
}

/// Norms with factors, and a polynomial beside them.
struct Norms {
  Polynomial beside;
  std::vector<std::pair<double, Polynomial>> norm;
};

std::optional<Norms> norms_of(const Maybe& x) {
  if (!x) return {};
  Norms out;
  out.beside = *x;
  if (!x->root) return out;
  out.norm.emplace_back(x->factor, *x);
  out.beside = constant(x->offset);
  return out;
}

std::optional<Norms> sum_of(const std::optional<Norms>& x, const std::optional<Norms>& y, double factor) {
  if (!x || !y) return {};
  Norms out = *x;
  for (const auto& [share, u] : y->norm) out.norm.emplace_back(factor * share, u);
  const Maybe beside = sum(x->beside, y->beside, factor);
  if (!beside) return {};
  out.beside = *beside;
  return out;
}

std::optional<Norms> times_of(std::optional<Norms> x, double factor) {
  if (!x) return {};
  for (auto& [share, u] : x->norm) share *= factor;
  x->beside = *times(x->beside, factor);
  return x;
}

/// Is u never negative? Then its root is convex if u is.
bool is_square_of_norm(const Polynomial& u) {
  const std::size_t n = u.g.size();
  linear::Matrix q(n, n);
  q.entry = u.q;
  const linear::SymmetricEigen eigen = linear::symmetric_eigen(q);
  if (!(eigen.values.back() > 0) || eigen.values.front() < -vanishing_coefficient * eigen.values.back()) return false;
  double least = u.r;
  for (std::size_t k = 0; k < n; ++k) {
    double slope = 0;
    for (std::size_t i = 0; i < n; ++i) slope += eigen.vectors(i, k) * u.g[i];
    if (eigen.values[k] > range_part * eigen.values.back()) {
      least -= slope * slope / (2 * eigen.values[k]);
    } else if (std::abs(slope) > vanishing_coefficient * norm(u.g)) {
      return false;
    }
  }
  return least >= -vanishing_coefficient * u.terms;
}

}  // namespace

std::optional<Equation> read_equation(const Model& model, std::uint32_t row) {
  const expressions::Tape tape = tape_of(model, row);
  Equation out;
  std::vector<Maybe> registers = inputs_of(model, row, tape, out);
  std::size_t at = tape.inputs.size() + tape.constants.size();
  for (const expressions::Instruction& i : tape.instructions) {
    const bool second = i.b < at;
    registers[at] = apply(i, registers[i.a], second ? registers[i.b] : Maybe());
    ++at;
  }
  Maybe& f = registers[tape.outputs[0]];
  if (!f || f->degree == 0) return {};
  f = finished(std::move(*f));
  if (!f) return {};
  out.f = std::move(*f);
  return out;
}

std::optional<Equation> read_sum(const Model& model, std::uint32_t row) {
  const expressions::Tape tape = tape_of(model, row);
  Equation out;
  std::vector<Maybe> registers = inputs_of(model, row, tape, out);
  std::vector<std::optional<Norms>> sums;
  for (const Maybe& one : registers) sums.push_back(norms_of(one));
  std::size_t at = tape.inputs.size() + tape.constants.size();
  for (const expressions::Instruction& i : tape.instructions) {
    using expressions::Op;
    const bool second = i.b < at;
    registers[at] = apply(i, registers[i.a], second ? registers[i.b] : Maybe());
    sums[at] = norms_of(registers[at]);
    const auto number = [&](std::uint32_t k) {
      return registers[k] && !registers[k]->root && registers[k]->degree == 0;
    };
    if (!sums[at] && i.op == Op::add && second) sums[at] = sum_of(sums[i.a], sums[i.b], 1);
    if (!sums[at] && i.op == Op::subtract && second) sums[at] = sum_of(sums[i.a], sums[i.b], -1);
    if (!sums[at] && i.op == Op::negate) sums[at] = times_of(sums[i.a], -1);
    if (!sums[at] && i.op == Op::scale) sums[at] = times_of(sums[i.a], i.c);
    if (!sums[at] && i.op == Op::multiply && second && number(i.a)) sums[at] = times_of(sums[i.b], registers[i.a]->r);
    if (!sums[at] && i.op == Op::multiply && second && number(i.b)) sums[at] = times_of(sums[i.a], registers[i.b]->r);
    ++at;
  }
  const std::optional<Norms>& f = sums[tape.outputs[0]];
  if (!f || f->norm.size() < 2 || f->beside.degree > 1) return {};
  // Derivatives of each root.
  const std::size_t n = out.variable.size();
  out.f.degree = 2;
  out.f.r = f->beside.r;
  out.f.terms = f->beside.terms;
  out.f.g = f->beside.degree == 1 ? f->beside.g : Vector(n, 0.0);
  out.f.q.assign(n * n, 0.0);
  double weights = norm(out.f.g);
  for (const auto& [factor, u] : f->norm) {
    if (!(factor > 0) || u.degree != 2 || !(u.r > 0) || !is_square_of_norm(u)) return {};
    const double d = std::sqrt(u.r);
    out.f.r += factor * d;
    out.f.terms += factor * d;
    weights += factor;
    for (std::size_t i = 0; i < n; ++i) {
      out.f.g[i] += factor * u.g[i] / (2 * d);
      for (std::size_t j = 0; j < n; ++j) {
        out.f.q[i * n + j] += factor * (u.q[i * n + j] / (2 * d) - u.g[i] * u.g[j] / (4 * d * u.r));
      }
    }
  }
  if (norm(out.f.g) <= touches_of_a_gradient * model.simulation.touch * weights)
    std::fill(out.f.g.begin(), out.f.g.end(), 0.0);
  const double rounding = vanishing_coefficient * norm(out.f.q);
  for (double& x : out.f.q) x = std::abs(x) <= rounding ? 0 : x;
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
