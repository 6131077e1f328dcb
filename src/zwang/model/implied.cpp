/// States of self-stress with a semidefinite stress matrix, and the linear equations they stand for.
#include "zwang/model/implied.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

namespace {

using Vector = std::vector<double>;
using linear::Matrix;

void subtract(Vector& x, double factor, const Vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= factor * y[i];
}
void scale(Vector& x, double factor) {
  for (double& value : x) value *= factor;
}

// ---- equations of second degree, read off their tapes

/// r + g.u + u^T q u / 2 in the slots of a row, or factor * sqrt(that) + offset.
struct Polynomial {
  unsigned degree = 0;
  double r = 0;
  Vector g;          ///< empty below degree 1
  Vector q;          ///< [i * slots + j], empty below degree 2
  double terms = 0;  ///< sum of the absolute values that r is made of
  bool root = false;
  double factor = 1;
  double offset = 0;
};
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

/// An equation of the model around the start.
struct Equation {
  std::uint32_t row = 0;
  std::vector<std::uint32_t> variable;  ///< per slot
  Polynomial f;
};

/// The equation of a row, if it is of second degree at most: f itself, or u - L^2 of f = sqrt(u) - L.
std::optional<Equation> read(const Model& model, std::uint32_t row) {
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

// ---- rows that may take part

/// Rows of a body member's components.
struct Member {
  std::uint32_t first = 0;
  std::uint32_t dimension = 0;
};

/// Conditions on positions, of one kind, that hold from the start to the end.
std::vector<std::uint32_t> lasting(const Model& model, RowKind kind) {
  std::vector<std::uint8_t> let_go(model.rows(), 0);
  for (const Release& release : model.releases) {
    for (const std::uint32_t row : release.rows) let_go[row] = 1;
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const Condition& condition = model.conditions[model.row_condition[row]];
    const RowGroup& group = model.groups[model.row_group[row]];
    if (model.row_kind[row] != kind || condition.seizure || condition.alternatives > 1) continue;
    if (let_go[row] != 0 || group.rheonomic || group.modes > 0 || group.positions == 0) continue;
    out.push_back(row);
  }
  return out;
}

/// Are two equations the same one, up to a factor?
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

/// Of inequalities that touch in opposite pairs, f <= 0 and -f <= 0, one each: together they are an equation.
std::vector<std::uint32_t> opposite_halves(const Model& model, const Rows& rows) {
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> by_columns;
  for (const std::uint32_t row : lasting(model, RowKind::holonomic_inequality)) {
    if (!(std::abs(rows.value[row]) <= model.simulation.touch * rows.value_scale[row])) continue;
    by_columns[{model.row_column.begin() + model.row_start[row], model.row_column.begin() + model.row_start[row + 1]}]
        .push_back(row);
  }
  std::vector<std::uint32_t> out;
  for (const auto& [columns, list] : by_columns) {
    std::vector<std::uint8_t> taken(list.size(), 0);
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t k = i + 1; k < list.size() && taken[i] == 0; ++k) {
        double along = 0;
        for (std::size_t e = 0; e < columns.size(); ++e) {
          along += rows.entry[model.row_start[list[i]] + e] * rows.entry[model.row_start[list[k]] + e];
        }
        if (taken[k] != 0 || !(along < 0)) continue;
        const std::optional<Equation> a = read(model, list[i]);
        const std::optional<Equation> b = read(model, list[k]);
        if (!a || !b || !same(*a, *b)) continue;
        taken[i] = taken[k] = 1;
        out.push_back(list[i]);
      }
    }
  }
  return out;
}

/// Rows that cannot stand in any state of self-stress go: at a body with no more rows than components, and these in independent
/// directions, all of them carry nothing. Chains, trees and most nets vanish like that.
std::vector<std::uint32_t> core_of(const Model& model, const Rows& rows, std::vector<std::uint32_t> among) {
  std::vector<Member> members;
  std::vector<std::uint32_t> member_of(model.variables, 0);
  for (const Body& body : model.bodies) {
    for (std::uint32_t k = 0; k < body.members(); ++k) {
      const std::uint32_t first = body.first + k * body.dimension;
      for (std::uint32_t c = 0; c < body.dimension; ++c)
        member_of[first + c] = static_cast<std::uint32_t>(members.size());
      members.push_back({first, body.dimension});
    }
  }
  std::vector<std::vector<std::uint32_t>> rows_of(members.size());
  std::vector<std::uint8_t> alive(model.rows(), 0);
  for (const std::uint32_t row : among) {
    alive[row] = 1;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      std::vector<std::uint32_t>& list = rows_of[member_of[model.row_column[e]]];
      if (list.empty() || list.back() != row) list.push_back(row);
    }
  }
  std::vector<std::uint32_t> open(members.size());
  std::iota(open.begin(), open.end(), 0U);
  while (!open.empty()) {
    const std::uint32_t m = open.back();
    open.pop_back();
    std::erase_if(rows_of[m], [&](std::uint32_t row) { return alive[row] == 0; });
    const std::vector<std::uint32_t>& own = rows_of[m];
    if (own.empty() || own.size() > members[m].dimension) continue;
    // Their directions at this body, one after the other.
    std::vector<Vector> basis;
    bool independent = true;
    for (const std::uint32_t row : own) {
      Vector g(members[m].dimension, 0.0);
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        if (member_of[model.row_column[e]] == m) g[model.row_column[e] - members[m].first] = rows.entry[e];
      }
      const double length = norm(g);
      for (const Vector& one : basis) subtract(g, dot(g, one), one);
      const double rest = norm(g);
      independent = independent && length > 0 && rest > clearly_apart * length;
      if (!independent) break;
      scale(g, 1 / rest);
      basis.push_back(std::move(g));
    }
    if (!independent) continue;
    for (const std::uint32_t row : own) {
      alive[row] = 0;
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        const std::uint32_t other = member_of[model.row_column[e]];
        if (other != m && (open.empty() || open.back() != other)) open.push_back(other);
      }
    }
    rows_of[m].clear();
  }
  std::erase_if(among, [&](std::uint32_t row) { return alive[row] == 0; });
  return among;
}

/// Rows that share variables belong together.
std::vector<std::vector<std::uint32_t>> parts_of(const Model& model, const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> parent(model.variables);
  std::iota(parent.begin(), parent.end(), 0U);
  const auto find = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const std::uint32_t row : rows) {
    for (std::uint32_t e = model.row_start[row] + 1; e < model.row_start[row + 1]; ++e) {
      const std::uint32_t a = find(model.row_column[e - 1]);
      const std::uint32_t b = find(model.row_column[e]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<std::uint32_t> number(model.variables, 0);
  for (const std::uint32_t row : rows) {
    if (model.row_start[row] == model.row_start[row + 1]) continue;
    std::uint32_t& at = number[find(model.row_column[model.row_start[row]])];
    if (at == 0) {
      out.emplace_back();
      at = static_cast<std::uint32_t>(out.size());
    }
    out[at - 1].push_back(row);
  }
  return out;
}

// ---- one connected part

/// Vectors made orthonormal one after the other.
class Orthonormal {
 public:
  /// Takes the part inside the span off, twice; what is left.
  double reduce(Vector& x) const {
    for (int round = 0; round < 2; ++round) {
      for (const Vector& one : direction_) subtract(x, dot(x, one), one);
    }
    return norm(x);
  }
  void append(Vector x, double length) {
    scale(x, 1 / length);
    direction_.push_back(std::move(x));
  }
  [[nodiscard]] std::size_t size() const { return direction_.size(); }
  [[nodiscard]] const std::vector<Vector>& directions() const { return direction_; }

 private:
  std::vector<Vector> direction_;
};

class Stresses {
 public:
  Stresses(const std::vector<Equation>& equations, const Vector& start, double touch) : touch_(touch) {
    for (const Equation& one : equations) {
      variable_.insert(variable_.end(), one.variable.begin(), one.variable.end());
    }
    std::sort(variable_.begin(), variable_.end());
    variable_.erase(std::unique(variable_.begin(), variable_.end()), variable_.end());
    n_ = variable_.size();
    shift_.assign(n_, 0.0);
    for (const std::uint32_t i : variable_) {
      start_.push_back(start[i]);
      extent_ = std::max(extent_, std::abs(start[i]));
    }
    for (const Equation& one : equations) add(one);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& variable() const { return variable_; }
  /// From the start to where all that was found holds.
  [[nodiscard]] const Vector& shift() const { return shift_; }

  /// All linear equations that follow, as rows of a matrix in echelon form: c.u = 0.
  std::vector<Vector> find() {
    std::vector<Vector> found;
    while (true) {
      make_space();
      restrict();
      find_self_stresses();
      if (stress_.empty() || !hold_flexes()) break;
      find_matrices();
      std::vector<Vector> rows;
      Vector to_least(n_, 0.0);
      if (!semidefinite(rows, to_least)) break;
      move_to(std::move(to_least));
      for (Vector& one : rows) {
        linear_.push_back(one);
        found.push_back(std::move(one));
      }
    }
    if (!adds_to_gradients(found)) return {};
    echelon(found);
    return found;
  }

 private:
  /// Do the gradients of the equations leave free what the new ones hold? Where they do not, as in a solid of five points and all its
  /// rods, nothing is gained.
  [[nodiscard]] bool adds_to_gradients(const std::vector<Vector>& found) const {
    std::vector<Vector> rest;
    for (const Quadratic& one : quadratic_) rest.push_back(one.g);
    Orthonormal basis;
    for (std::size_t k = 0; k + found.size() < linear_.size(); ++k) {
      rest.push_back(linear_[k]);
      const double length = norm(rest.back());
      if (length > 0) scale(rest.back(), 1 / length);
    }
    while (!rest.empty()) {
      const auto best = std::max_element(rest.begin(), rest.end(),
                                         [](const Vector& a, const Vector& b) { return dot(a, a) < dot(b, b); });
      Vector next = std::move(*best);
      rest.erase(best);
      const double left = basis.reduce(next);
      if (!(left > clearly_apart)) break;
      basis.append(std::move(next), left);
      for (Vector& one : rest) subtract(one, dot(one, basis.directions().back()), basis.directions().back());
    }
    return std::any_of(found.begin(), found.end(), [&](Vector row) {
      const double length = norm(row);
      return basis.reduce(row) > clearly_apart * length;
    });
  }

  /// An equation of second degree on all variables of the part, scaled to a gradient of length one.
  struct Quadratic {
    double r = 0;
    double terms = 0;
    Vector g;
    Matrix q;
    std::vector<std::size_t> support;  ///< variables that q has
    double uncertain = 0;              ///< of the gradient of length one
    Vector inside;                     ///< on V
    Matrix on_space;
  };
  /// y with sum y g = 0 on V, what is left of that sum, and the stress matrix on V.
  struct Stress {
    Vector y;
    Vector h;         ///< H, flat
    double size = 0;  ///< of the terms of H
  };

  void add(const Equation& one) {
    std::vector<std::size_t> at;
    for (const std::uint32_t i : one.variable) {
      at.push_back(
          static_cast<std::size_t>(std::lower_bound(variable_.begin(), variable_.end(), i) - variable_.begin()));
    }
    Vector g(n_, 0.0);
    for (std::size_t k = 0; k < at.size(); ++k) g[at[k]] += one.f.g[k];
    if (one.f.degree < 2) {
      linear_.push_back(std::move(g));
      return;
    }
    Quadratic out;
    out.g = std::move(g);
    out.q = Matrix(n_, n_);
    const std::size_t slots = at.size();
    double unit = 0;
    for (std::size_t i = 0; i < slots; ++i) {
      for (std::size_t j = 0; j < slots; ++j) {
        out.q(at[i], at[j]) += one.f.q[i * slots + j];
        unit += std::abs(one.f.q[i * slots + j]) * std::abs(start_[at[j]]);
      }
    }
    // A gradient that vanishes leaves the equation in units of its squares.
    double length = norm(out.g);
    const double squares = norm(out.q.entry);
    const double rounding = std::numeric_limits<double>::epsilon() * unit;
    if (!(length > roundings_of_nothing * rounding)) {
      std::fill(out.g.begin(), out.g.end(), 0.0);
      length = squares;
    }
    out.r = one.f.r / length;
    out.terms = one.f.terms / length;
    scale(out.g, 1 / length);
    scale(out.q.entry, 1 / length);
    out.uncertain = rounding / length;
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
    out.support = std::move(at);
    quadratic_.push_back(std::move(out));
  }

  /// Orthonormal directions of V, axes where possible.
  void make_space() {
    Orthonormal rows;
    for (const Vector& one : linear_) {
      Vector x = one;
      const double length = norm(x);
      const double rest = length > 0 ? rows.reduce(x) : 0.0;
      if (rest > linear::dependent_part * length) rows.append(std::move(x), rest);
    }
    space_.clear();
    if (rows.size() == 0) {
      for (std::size_t i = 0; i < n_; ++i) {
        space_.emplace_back(n_, 0.0);
        space_.back()[i] = 1;
      }
      return;
    }
    std::vector<Vector> rest;
    for (std::size_t i = 0; i < n_; ++i) {
      Vector axis(n_, 0.0);
      axis[i] = 1;
      static_cast<void>(rows.reduce(axis));
      rest.push_back(std::move(axis));
    }
    while (space_.size() + rows.size() < n_) {
      const auto best = std::max_element(rest.begin(), rest.end(),
                                         [](const Vector& a, const Vector& b) { return dot(a, a) < dot(b, b); });
      Vector next = *best;
      for (const Vector& one : space_) subtract(next, dot(next, one), one);
      static_cast<void>(rows.reduce(next));
      scale(next, 1 / norm(next));
      for (Vector& one : rest) subtract(one, dot(one, next), next);
      space_.push_back(std::move(next));
    }
  }

  void restrict() {
    for (Quadratic& one : quadratic_) {
      one.inside.clear();
      for (const Vector& direction : space_) one.inside.push_back(dot(one.g, direction));
    }
  }

  /// d_a^T Q d_b of an equation for directions d; it has few variables.
  [[nodiscard]] Matrix on_directions(const Quadratic& one, const std::vector<Vector>& directions) const {
    const std::size_t p = directions.size();
    const std::size_t slots = one.support.size();
    Matrix out(p, p);
    Vector image(slots);
    for (std::size_t a = 0; a < p; ++a) {
      bool touched = false;
      for (std::size_t i = 0; i < slots; ++i) {
        image[i] = 0;
        for (std::size_t j = 0; j < slots; ++j)
          image[i] += one.q(one.support[i], one.support[j]) * directions[a][one.support[j]];
        touched = touched || image[i] != 0;
      }
      for (std::size_t b = 0; b < p && touched; ++b) {
        for (std::size_t i = 0; i < slots; ++i) out(b, a) += directions[b][one.support[i]] * image[i];
      }
    }
    return out;
  }

  /// The equations about a place nearby: y.F is least where it is zero, which is not quite the start as it is written.
  void move_to(Vector there) {
    // What is but rounding of the way stays as it is written.
    double most = 0;
    for (const double value : there) most = std::max(most, std::abs(value));
    for (double& value : there) {
      if (std::abs(value) <= vanishing_coefficient * most) value = 0;
    }
    subtract(shift_, -1, there);
    for (Quadratic& one : quadratic_) {
      Vector image(n_, 0.0);
      for (const std::size_t i : one.support) {
        for (const std::size_t j : one.support) image[i] += one.q(i, j) * there[j];
      }
      one.r += dot(one.g, there) + 0.5 * dot(image, there);
      subtract(one.g, -1, image);
    }
  }

  /// Does a stress matrix see one of the directions that the gradients leave free? Where none does, every linear equation that follows is
  /// one of the gradients', and nothing is gained: a plane truss with all its braces.
  [[nodiscard]] bool hold_flexes() const {
    const std::size_t p = space_.size();
    std::vector<Vector> flex;
    Orthonormal all = stiff_;
    for (std::size_t a = 0; a < p; ++a) {
      Vector axis(p, 0.0);
      axis[a] = 1;
      const double left = all.reduce(axis);
      if (!(left > clearly_apart)) continue;
      all.append(std::move(axis), left);
      Vector direction(n_, 0.0);
      for (std::size_t b = 0; b < p; ++b) subtract(direction, -all.directions().back()[b], space_[b]);
      flex.push_back(std::move(direction));
    }
    if (flex.empty()) return false;
    std::vector<Vector> on_flexes;
    Vector size;
    for (const Quadratic& one : quadratic_) {
      on_flexes.push_back(on_directions(one, flex).entry);
      size.push_back(norm(one.q.entry));
    }
    return std::any_of(stress_.begin(), stress_.end(), [&](const Stress& stress) {
      Vector seen(flex.size() * flex.size(), 0.0);
      double terms = 0;
      for (std::size_t k = 0; k < quadratic_.size(); ++k) {
        if (stress.y[k] == 0) continue;
        subtract(seen, -stress.y[k], on_flexes[k]);
        terms += std::abs(stress.y[k]) * size[k];
      }
      return norm(seen) > doubt_ * terms;
    });
  }

  /// Gradients on V one after the other, the one with the largest remainder first; each that depends on others is a self-stress.
  void find_self_stresses() {
    const std::size_t m = quadratic_.size();
    std::vector<Vector> rest;
    std::vector<Vector> as_rows;  ///< what each remainder is of the gradients
    for (std::size_t k = 0; k < m; ++k) {
      rest.push_back(quadratic_[k].inside);
      as_rows.emplace_back(m, 0.0);
      as_rows.back()[k] = 1;
    }
    std::vector<std::uint8_t> taken(m, 0);
    stress_.clear();
    stiff_ = {};
    doubt_ = vanishing_form;
    double rounding = std::numeric_limits<double>::epsilon();
    for (const Quadratic& one : quadratic_) rounding = std::max(rounding, one.uncertain);
    const auto uncertain = [&](std::size_t k) {
      double own = 0;
      for (std::size_t j = 0; j < m; ++j) own += std::abs(as_rows[k][j]) * quadratic_[j].uncertain;
      double weights = 0;
      for (const double value : as_rows[k]) weights += std::abs(value);
      return std::max(roundings_of_nothing * own, touches_of_a_gradient * touch_ * weights);
    };
    while (true) {
      std::size_t best = m;
      double most = 0;
      for (std::size_t k = 0; k < m; ++k) {
        if (taken[k] == 0 && norm(rest[k]) > most) {
          most = norm(rest[k]);
          best = k;
        }
      }
      if (best == m || most <= uncertain(best)) break;
      taken[best] = 1;
      // Coefficients of combinations are as uncertain as the gradients are near to dependence.
      doubt_ = std::max(doubt_, roundings_of_a_form * rounding / most);
      Vector direction = rest[best];
      stiff_.append(direction, most);
      scale(direction, 1 / most);
      Vector combination = as_rows[best];
      scale(combination, 1 / most);
      for (std::size_t k = 0; k < m; ++k) {
        if (taken[k] != 0) continue;
        const double share = dot(rest[k], direction);
        subtract(rest[k], share, direction);
        subtract(as_rows[k], share, combination);
      }
    }
    for (std::size_t k = 0; k < m; ++k) {
      if (taken[k] != 0) continue;
      Stress stress;
      stress.y = as_rows[k];
      // Rounding of coefficients that vanish.
      const double largest = std::abs(*std::max_element(stress.y.begin(), stress.y.end(),
                                                        [](double a, double b) { return std::abs(a) < std::abs(b); }));
      for (double& value : stress.y) {
        if (std::abs(value) <= vanishing_coefficient * largest) value = 0;
      }
      stress_.push_back(std::move(stress));
    }
  }

  void find_matrices() {
    for (Quadratic& one : quadratic_) one.on_space = on_directions(one, space_);
    for (Stress& stress : stress_) matrix_of(stress);
  }

  void matrix_of(Stress& stress) const {
    const std::size_t p = space_.size();
    stress.h.assign(p * p, 0.0);
    stress.size = 0;
    for (std::size_t k = 0; k < quadratic_.size(); ++k) {
      if (stress.y[k] == 0) continue;
      subtract(stress.h, -stress.y[k], quadratic_[k].on_space.entry);
      stress.size += std::abs(stress.y[k]) * norm(quadratic_[k].q.entry);
    }
  }

  /// A semidefinite matrix among those of the self-stresses. If none is definite wherever one of them is not zero: alternately the nearest of them and the nearest semidefinite one,
  /// beginning with the unit matrix. Its rows, if there is one.
  bool semidefinite(std::vector<Vector>& rows, Vector& to_least) const {
    const std::size_t p = space_.size();
    // The matrices made orthonormal, with what each is of y.
    std::vector<Stress> basis;
    std::vector<Stress> left;
    for (const Stress& one : stress_) {
      if (norm(one.h) <= doubt_ * one.size) continue;
      left.push_back(one);
      const double length = norm(one.h);
      scale(left.back().h, 1 / length);
      scale(left.back().y, 1 / length);
    }
    while (!left.empty()) {
      const auto best = std::max_element(
          left.begin(), left.end(), [](const Stress& a, const Stress& b) { return dot(a.h, a.h) < dot(b.h, b.h); });
      if (norm(best->h) <= std::max(same_form, doubt_)) break;
      Stress next = std::move(*best);
      left.erase(best);
      for (int round = 0; round < 2; ++round) {
        for (const Stress& one : basis) {
          const double share = dot(next.h, one.h);
          subtract(next.h, share, one.h);
          subtract(next.y, share, one.y);
        }
      }
      const double length = norm(next.h);
      scale(next.h, 1 / length);
      scale(next.y, 1 / length);
      for (Stress& one : left) {
        const double share = dot(one.h, next.h);
        subtract(one.h, share, next.h);
        subtract(one.y, share, next.y);
      }
      basis.push_back(std::move(next));
    }
    if (basis.empty()) return false;
    if (definite(basis, rows, to_least)) return true;

    Matrix target(p, p);
    for (std::size_t i = 0; i < p; ++i) target(i, i) = 1;
    double before = std::numeric_limits<double>::infinity();
    for (int round = 0; round < most_rounds; ++round) {
      Stress sum;
      sum.y.assign(quadratic_.size(), 0.0);
      sum.h.assign(p * p, 0.0);
      for (const Stress& one : basis) {
        const double share = dot(target.entry, one.h);
        subtract(sum.h, -share, one.h);
        subtract(sum.y, -share, one.y);
      }
      const double length = norm(sum.h);
      if (!(length > vanishing_form * norm(target.entry))) return false;
      scale(sum.h, 1 / length);
      scale(sum.y, 1 / length);
      Matrix h(p, p);
      h.entry = sum.h;
      const linear::SymmetricEigen eigen = linear::symmetric_eigen(h);
      if (!(eigen.values.back() > 0)) return false;
      // Its rows are as exact as what is left beside them.
      double beside = 0;
      for (const double value : eigen.values) {
        const double part = value / eigen.values.back();
        if (part <= range_part) beside = std::max(beside, std::abs(part));
      }
      const bool last = beside <= rounding_of_form || beside >= before || round + 1 == most_rounds;
      if (beside <= semidefinite_part && last) return rows_of(sum, eigen, rows, to_least);
      before = beside;
      for (std::size_t i = 0; i < p; ++i) {
        for (std::size_t j = 0; j < p; ++j) {
          double value = 0;
          for (std::size_t k = 0; k < p; ++k) {
            if (eigen.values[k] > 0) value += eigen.values[k] * eigen.vectors(i, k) * eigen.vectors(j, k);
          }
          target(i, j) = value;
        }
      }
    }
    return false;
  }

  /// A combination of the matrices that is definite on all directions W on which some of them is not zero, where such ones are rare: the
  /// greatest t with sum y_k H_k - t > 0 on W and the trace of the sum fixed, by Newton's method on t / mu + log det for falling mu.
  bool definite(const std::vector<Stress>& basis, std::vector<Vector>& rows, Vector& to_least) const {
    const std::size_t p = space_.size();
    Matrix squares(p, p);
    for (const Stress& one : basis) {
      Matrix h(p, p);
      h.entry = one.h;
      subtract(squares.entry, -1, linear::product(h, h).entry);
    }
    const linear::SymmetricEigen eigen = linear::symmetric_eigen(squares);
    std::vector<std::size_t> seen;
    for (std::size_t k = 0; k < p; ++k) {
      if (eigen.values[k] > std::max(vanishing_coefficient, doubt_ * doubt_) * eigen.values.back()) seen.push_back(k);
    }
    const std::size_t q = seen.size();
    Matrix w(p, q);
    for (std::size_t k = 0; k < q; ++k) {
      for (std::size_t i = 0; i < p; ++i) w(i, k) = eigen.vectors(i, seen[k]);
    }
    std::vector<Matrix> on_w;
    Vector trace;
    for (const Stress& one : basis) {
      Matrix h(p, p);
      h.entry = one.h;
      on_w.push_back(linear::product(linear::transpose(w), linear::product(h, w)));
      trace.push_back(0);
      for (std::size_t k = 0; k < q; ++k) trace.back() += on_w.back()(k, k);
    }
    const double traces = dot(trace, trace);
    if (!(traces > vanishing_form * vanishing_form)) return false;
    // Coefficients: those of trace q, and directions that keep the trace.
    Vector y = trace;
    scale(y, static_cast<double>(q) / traces);
    Orthonormal fixed;
    fixed.append(trace, std::sqrt(traces));
    std::vector<Vector> direction;
    for (std::size_t k = 0; k < basis.size(); ++k) {
      Vector axis(basis.size(), 0.0);
      axis[k] = 1;
      const double left = fixed.reduce(axis);
      if (!(left > same_form)) continue;
      fixed.append(axis, left);
      direction.push_back(fixed.directions().back());
    }
    const auto combined = [&](const Vector& of) {
      Matrix sum(q, q);
      for (std::size_t k = 0; k < of.size(); ++k) subtract(sum.entry, -of[k], on_w[k].entry);
      return sum;
    };
    std::vector<Matrix> change;
    for (const Vector& one : direction) change.push_back(combined(one));
    change.emplace_back(q, q);
    for (std::size_t k = 0; k < q; ++k) change.back()(k, k) = -1;
    const std::size_t unknowns = change.size();

    double t = linear::symmetric_eigen(combined(y)).values.front() - 1;
    double mu = 1;
    for (int round = 0; round < most_rounds; ++round) {
      if (t > definite_part) break;
      // S = sum y H - t, its inverse times each change.
      Matrix s = combined(y);
      for (std::size_t k = 0; k < q; ++k) s(k, k) -= t;
      const Matrix lower = linear::cholesky(s);
      std::vector<Matrix> image;
      Vector slope(unknowns, 0.0);
      for (std::size_t a = 0; a < unknowns; ++a) {
        image.emplace_back(q, q);
        for (std::size_t c = 0; c < q; ++c) {
          Vector column(change[a].entry.begin() + static_cast<std::ptrdiff_t>(c * q),
                        change[a].entry.begin() + static_cast<std::ptrdiff_t>((c + 1) * q));
          linear::solve_lower(lower, column);
          linear::solve_lower_transposed(lower, column);
          std::copy(column.begin(), column.end(), &image[a](0, c));
          slope[a] += column[c];
        }
      }
      slope[unknowns - 1] += 1 / mu;
      Matrix second(unknowns, unknowns);
      for (std::size_t a = 0; a < unknowns; ++a) {
        const Vector turned = linear::transpose(image[a]).entry;
        for (std::size_t b = 0; b < unknowns; ++b) second(a, b) = dot(turned, image[b].entry);
      }
      const Matrix factor = linear::cholesky(second);
      Vector step = slope;
      linear::solve_lower(factor, step);
      linear::solve_lower_transposed(factor, step);
      const double decrement = std::sqrt(std::max(0.0, dot(step, slope)));
      if (!std::isfinite(decrement)) return false;
      // Damped while far: it stays inside.
      const double part = decrement > near_centre ? 1 / (1 + decrement) : 1.0;
      for (std::size_t a = 0; a + 1 < unknowns; ++a) subtract(y, -part * step[a], direction[a]);
      t += part * step[unknowns - 1];
      if (decrement >= 2 * near_centre) continue;
      // At the centre the greatest t is larger by q mu, near it by not much more.
      if (t + 2 * static_cast<double>(q) * mu < definite_part) return false;
      mu *= falling;
    }
    if (!(t > definite_part)) return false;

    // It vanishes at the start, with its gradient.
    Stress sum;
    sum.y.assign(quadratic_.size(), 0.0);
    for (std::size_t k = 0; k < basis.size(); ++k) subtract(sum.y, -y[k], basis[k].y);
    Vector slope(p, 0.0);
    double value = 0;
    double terms = 0;
    double weights = 0;
    for (std::size_t k = 0; k < quadratic_.size(); ++k) {
      subtract(slope, -sum.y[k], quadratic_[k].inside);
      value += sum.y[k] * quadratic_[k].r;
      terms += std::abs(sum.y[k]) * quadratic_[k].terms;
      weights += std::abs(sum.y[k]);
    }
    if (norm(slope) > touches_of_a_gradient * touch_ * weights || std::abs(value) > touch_ * terms) return false;
    // Least at -S^-1 slope.
    const Matrix lower = linear::cholesky(combined(y));
    Vector least(q, 0.0);
    for (std::size_t k = 0; k < q; ++k) {
      for (std::size_t a = 0; a < p; ++a) least[k] -= w(a, k) * slope[a];
    }
    linear::solve_lower(lower, least);
    linear::solve_lower_transposed(lower, least);
    for (std::size_t k = 0; k < q; ++k) {
      rows.emplace_back(n_, 0.0);
      for (std::size_t a = 0; a < p; ++a) subtract(rows.back(), -w(a, k), space_[a]);
      subtract(to_least, -least[k], rows.back());
    }
    return true;
  }

  /// H u = 0; nothing if y.F does not vanish at the start, or is least elsewhere.
  bool rows_of(const Stress& stress, const linear::SymmetricEigen& eigen, std::vector<Vector>& rows,
               Vector& to_least) const {
    const std::size_t p = space_.size();
    Vector slope(p, 0.0);
    double value = 0;
    double terms = 0;
    for (std::size_t k = 0; k < quadratic_.size(); ++k) {
      subtract(slope, -stress.y[k], quadratic_[k].inside);
      value += stress.y[k] * quadratic_[k].r;
      terms += std::abs(stress.y[k]) * quadratic_[k].terms;
    }
    const double most = eigen.values.back();
    for (std::size_t k = 0; k < p; ++k) {
      if (!(eigen.values[k] > range_part * most)) continue;
      Vector row(n_, 0.0);
      double along = 0;
      for (std::size_t a = 0; a < p; ++a) {
        subtract(row, -eigen.vectors(a, k), space_[a]);
        along += eigen.vectors(a, k) * slope[a];
      }
      if (std::abs(along) > touches_of_a_gradient * touch_ * extent_ * eigen.values[k]) return false;
      subtract(to_least, along / eigen.values[k], row);
      rows.push_back(std::move(row));
    }
    return !rows.empty() && std::abs(value) <= touch_ * terms;
  }

  /// Each row solved for one variable that stands in no other; coefficients of rounding size go.
  static void echelon(std::vector<Vector>& rows) {
    std::vector<std::uint8_t> done(rows.size(), 0);
    for (std::size_t round = 0; round < rows.size(); ++round) {
      std::size_t row = 0;
      std::size_t column = 0;
      double most = 0;
      for (std::size_t j = 0; j < rows.size(); ++j) {
        for (std::size_t i = 0; done[j] == 0 && i < rows[j].size(); ++i) {
          // Of nearly equal ones the first.
          if (std::abs(rows[j][i]) > most * (1 + linear::dependent_part)) {
            most = std::abs(rows[j][i]);
            row = j;
            column = i;
          }
        }
      }
      if (most == 0) break;
      done[row] = 1;
      scale(rows[row], 1 / rows[row][column]);
      rows[row][column] = 1;
      for (std::size_t j = 0; j < rows.size(); ++j) {
        const double share = rows[j][column];
        if (j == row || share == 0) continue;
        subtract(rows[j], share, rows[row]);
        rows[j][column] = 0;
      }
    }
    for (Vector& one : rows) {
      for (double& value : one) {
        if (std::abs(value) <= vanishing_coefficient) value = 0;
      }
    }
  }

  double touch_ = 0;
  double doubt_ = 0;   ///< of its terms: what is uncertain in a stress matrix
  double extent_ = 0;  ///< the largest coordinate
  std::vector<std::uint32_t> variable_;
  std::size_t n_ = 0;
  Vector start_;
  Vector shift_;
  std::vector<Vector> linear_;
  std::vector<Quadratic> quadratic_;
  std::vector<Vector> space_;
  std::vector<Stress> stress_;
  Orthonormal stiff_;  ///< gradients on V
};

// ---- the new rows

/// A row sum c_i q_i - d = 0 with its variables ascending.
struct Implied {
  std::vector<std::uint32_t> variable;
  Vector c;
  double d = 0;
};

/// The group of rows with so many terms: f = sum c_i q_i - d, gradient c.
RowGroup linear_group(std::uint32_t terms) {
  using expressions::Symbol;
  using expressions::SymbolKind;
  RowGroup group;
  group.positions = terms;
  group.constants = terms + 1;
  expressions::Graph graph;
  std::vector<Symbol> inputs{{SymbolKind::time, 0}};
  std::vector<expressions::Expr> outputs(1);
  std::vector<expressions::Expr> sum;
  for (std::uint32_t k = 0; k < terms; ++k) inputs.push_back({SymbolKind::position, k});
  for (std::uint32_t k = 0; k <= terms; ++k) inputs.push_back({SymbolKind::constant, k});
  for (std::uint32_t k = 0; k < terms; ++k) {
    const expressions::Expr c = graph.symbol({SymbolKind::constant, k});
    sum.push_back(graph.multiply(c, graph.symbol({SymbolKind::position, k})));
    outputs.push_back(c);
  }
  outputs[0] = graph.subtract(graph.add(sum), graph.symbol({SymbolKind::constant, terms}));
  group.tape = expressions::flatten(graph, outputs, inputs);
  return group;
}

std::string text_of(const Model& model, const Implied& row) {
  std::string text;
  for (std::size_t k = 0; k < row.c.size(); ++k) {
    const double size = std::abs(row.c[k]);
    text += text.empty() ? (row.c[k] < 0 ? "-" : "") : (row.c[k] < 0 ? " - " : " + ");
    if (size != 1) text += exact(size) + "*";
    text += variable_name(model, row.variable[k]);
  }
  return text + " = " + exact(row.d);
}

/// A name that no condition has.
std::string free_name(const Model& model, std::size_t number) {
  std::string stem = "implied";
  while (std::any_of(model.conditions.begin(), model.conditions.end(),
                     [&](const Condition& one) { return !one.implied && one.name.rfind(stem, 0) == 0; })) {
    stem += "_";
  }
  return stem + std::to_string(number);
}

void append(Model& model, const std::vector<Implied>& rows) {
  const auto first_group = static_cast<std::uint32_t>(model.groups.size());
  std::vector<std::vector<const Implied*>> lanes;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Implied& one = rows[k];
    const auto terms = static_cast<std::uint32_t>(one.c.size());
    std::uint32_t g = first_group;
    while (g < model.groups.size() && model.groups[g].positions != terms) ++g;
    if (g == model.groups.size()) {
      model.groups.push_back(linear_group(terms));
      lanes.emplace_back();
    }
    const std::uint32_t row = model.rows();
    model.row_group.push_back(g);
    model.row_lane.push_back(static_cast<std::uint32_t>(lanes[g - first_group].size()));
    lanes[g - first_group].push_back(&one);
    model.groups[g].row.push_back(row);
    Condition condition;
    condition.name = free_name(model, k + 1);
    condition.text = text_of(model, one);
    condition.implied = true;
    condition.first_row = row;
    condition.rows = 1;
    model.row_kind.push_back(RowKind::holonomic_equation);
    model.row_condition.push_back(static_cast<std::uint32_t>(model.conditions.size()));
    model.row_alternative.push_back(0);
    model.row_twin.push_back(row);
    model.conditions.push_back(std::move(condition));
    model.row_column.insert(model.row_column.end(), one.variable.begin(), one.variable.end());
    model.row_start.push_back(static_cast<std::uint32_t>(model.row_column.size()));
  }
  for (std::size_t g = 0; g < lanes.size(); ++g) {
    RowGroup& group = model.groups[first_group + g];
    group.lanes = static_cast<std::uint32_t>(lanes[g].size());
    group.first_switch = model.switches;
    group.first_mode = model.modes;
    for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        group.position_of.push_back(lanes[g][lane]->variable[slot]);
        group.entry_of.push_back(model.row_start[group.row[lane]] + slot);
        group.constant_of.push_back(lanes[g][lane]->c[slot]);
      }
    }
    for (const Implied* one : lanes[g]) group.constant_of.push_back(one->d);
  }
}

}  // namespace

void add_implied(Model& model) {
  if (model.flow) return;
  std::vector<std::uint32_t> among = lasting(model, RowKind::holonomic_equation);
  if (among.empty() && lasting(model, RowKind::holonomic_inequality).empty()) return;
  Scratch scratch = make_scratch(model);
  Rows rows = make_rows(model);
  evaluate_rows(model, initial_state(model), scratch, rows);
  const std::vector<std::uint32_t> halves = opposite_halves(model, rows);
  among.insert(among.end(), halves.begin(), halves.end());
  if (among.empty()) return;
  std::sort(among.begin(), among.end());
  among = core_of(model, rows, std::move(among));
  std::vector<Implied> found;
  for (const std::vector<std::uint32_t>& part : parts_of(model, among)) {
    if (part.size() > most_rows_of_a_part) continue;
    std::vector<Equation> equations;
    bool squares = false;
    for (const std::uint32_t row : part) {
      std::optional<Equation> one = read(model, row);
      if (!one) continue;
      squares = squares || one->f.degree == 2;
      equations.push_back(std::move(*one));
    }
    if (!squares) continue;
    Stresses stresses(equations, model.initial_position, model.simulation.touch);
    for (const Vector& one : stresses.find()) {
      Implied row;
      double terms = 0;
      for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i] == 0) continue;
        const std::uint32_t variable = stresses.variable()[i];
        row.variable.push_back(variable);
        row.c.push_back(one[i]);
        row.d += one[i] * (model.initial_position[variable] + stresses.shift()[i]);
        terms += std::abs(one[i] * model.initial_position[variable]);
      }
      // What does not depend on the origin has no constant.
      if (std::abs(row.d) <= model.simulation.touch * terms) row.d = 0;
      found.push_back(std::move(row));
    }
  }
  if (!found.empty()) append(model, found);
}

}  // namespace zwang::model
