/// What stands in lift.hpp.
#include "zwang/model/implied/lift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/expressions/tape.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/tolerances.hpp"
#include "zwang/model/turning.hpp"

namespace zwang::model {

namespace {

using expressions::Expr;
using expressions::Function;
using expressions::Op;
using expressions::Symbol;
using expressions::SymbolKind;

/// Four times e_i e_j - its constant part, by the entries of R: (entry, factor) up to three, for i <= j.
struct Products {
  double constant = 0;
  std::vector<std::pair<std::uint32_t, double>> entries;
};
const Products& products_of(std::size_t i, std::size_t j) {
  static const std::map<std::pair<std::size_t, std::size_t>, Products> all{
      {{0, 0}, {1, {{0, 1}, {4, 1}, {8, 1}}}},   {{1, 1}, {1, {{0, 1}, {4, -1}, {8, -1}}}},
      {{2, 2}, {1, {{0, -1}, {4, 1}, {8, -1}}}}, {{3, 3}, {1, {{0, -1}, {4, -1}, {8, 1}}}},
      {{0, 1}, {0, {{7, 1}, {5, -1}}}},          {{0, 2}, {0, {{2, 1}, {6, -1}}}},
      {{0, 3}, {0, {{3, 1}, {1, -1}}}},          {{1, 2}, {0, {{3, 1}, {1, 1}}}},
      {{1, 3}, {0, {{2, 1}, {6, 1}}}},           {{2, 3}, {0, {{7, 1}, {5, 1}}}}};
  return all.at({std::min(i, j), std::max(i, j)});
}

std::array<double, 9> rotation_of(const double* quaternion) {
  std::array<double, 9> out{};
  for (std::size_t j = 0; j < 3; ++j) {
    std::array<double, 3> axis{};
    axis.at(j) = 1;
    const std::array<double, 3> column = turned({quaternion, 4}, axis);
    for (std::size_t i = 0; i < 3; ++i) out.at(3 * i + j) = column.at(i);
  }
  return out;
}

/// A function of one register, where graph and tape have it both.
std::optional<Function> function_of(Op op) {
  switch (op) {
    case Op::sqrt: return Function::sqrt;
    case Op::exp: return Function::exp;
    case Op::log: return Function::log;
    case Op::sin: return Function::sin;
    case Op::cos: return Function::cos;
    case Op::tan: return Function::tan;
    case Op::asin: return Function::asin;
    case Op::acos: return Function::acos;
    case Op::atan: return Function::atan;
    case Op::sinh: return Function::sinh;
    case Op::cosh: return Function::cosh;
    case Op::tanh: return Function::tanh;
    default: return {};
  }
}

}  // namespace

/// One row, register by register.
class LiftedRow {
 public:
  LiftedRow(Lift& lift, std::uint32_t row) : lift_(lift), model_(*lift.model_), graph_(*lift.graph_), row_(row) {}

  std::optional<Equation> read() {
    const RowGroup& group = model_.groups[model_.row_group[row_]];
    const std::uint32_t lane = model_.row_lane[row_];
    constexpr std::uint32_t value = 0;
    const expressions::Tape tape = expressions::part(group.tape, {&value, 1});
    find_numbers(group, lane, tape);
    register_.resize(tape.registers());
    time_.resize(tape.registers());
    if (group.rheonomic) {
      register_[0] = of_time(graph_.symbol({SymbolKind::time, 0}), model_.simulation.start);
      time_[0] = graph_.symbol({SymbolKind::time, 0});
    }
    std::size_t at = 1;
    for (std::uint32_t slot = 0; slot < group.positions; ++slot, ++at) {
      register_[at] = single(slot, model_.initial_position[id_[slot]]);
    }
    at += group.velocities;
    for (std::uint32_t slot = 0; slot < group.steady(); ++slot, ++at) {
      put_number(at, group.constant_of[std::size_t{slot} * group.lanes + lane]);
    }
    at = tape.inputs.size();
    for (const double number : tape.constants) put_number(at++, number);
    for (const expressions::Instruction& i : tape.instructions) {
      step(i, at);
      ++at;
    }
    return close(register_[tape.outputs[0]]);
  }

 private:
  /// Local numbers: the variables of the row, then R of its quaternions, C and S of its angles, then functions of time as they come.
  void find_numbers(const RowGroup& group, std::uint32_t lane, const expressions::Tape& tape) {
    for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
      id_.push_back(group.position_of[std::size_t{slot} * group.lanes + lane]);
    }
    for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
      const std::uint32_t variable = id_[slot];
      const std::uint8_t part = lift_.part_[variable];
      if (part == 0) continue;
      if (part == 1) {
        angle_[slot] = id_.size();
        const double angle = model_.initial_position[variable];
        Lift::Number number;
        number.first = variable;
        for (const bool cosine : {true, false}) {
          number.kind = cosine ? Lift::Kind::cosine : Lift::Kind::sine;
          id_.push_back(
              lift_.known(number, expressions::evaluate(cosine ? Function::cos : Function::sin, {&angle, 1})));
        }
        continue;
      }
      const std::uint32_t first = variable - (part - 2U);
      Turned& turned = turned_[first];
      turned.slot.at(part - 2U) = slot;
      if (turned.r != nowhere) continue;
      turned.r = id_.size();
      const std::array<double, 9> r = rotation_of(model_.initial_position.data() + first);
      Lift::Number number;
      number.kind = Lift::Kind::turn;
      number.first = first;
      for (number.entry = 0; number.entry < 9; ++number.entry) id_.push_back(lift_.known(number, r.at(number.entry)));
    }
    steady_ = id_.size();
    // Room for every function of time that may come.
    size_ = steady_ + (group.rheonomic ? 1 + 2 * tape.instructions.size() : 0);
  }

  Polynomial single(std::size_t place, double value) const {
    Polynomial p;
    p.degree = 1;
    p.r = value;
    p.terms = std::abs(value);
    p.g.assign(size_, 0.0);
    p.g[place] = 1;
    return p;
  }

  void put_number(std::size_t at, double value) {
    register_[at] = constant(value);
    time_[at] = graph_.number(value);
  }

  Maybe of_time(Expr of, double value) {
    const std::uint32_t id = lift_.timed(of, value);
    const auto found = std::find(id_.begin() + static_cast<std::ptrdiff_t>(steady_), id_.end(), id);
    const auto place = static_cast<std::size_t>(found - id_.begin());
    if (found == id_.end()) id_.push_back(id);
    return single(place, value);
  }

  void step(const expressions::Instruction& i, std::size_t at) {
    const Maybe& a = register_[i.a];
    if (!a) return;
    const bool two = i.op == Op::add || i.op == Op::subtract || i.op == Op::multiply || i.op == Op::divide;
    if (two && !(i.b < at && register_[i.b])) return;
    if (time_[i.a] && (!two || time_[i.b])) {
      step_in_time(i, at);
      return;
    }
    Maybe& out = register_[at];
    switch (i.op) {
      case Op::add: out = sum(*a, *register_[i.b], 1); break;
      case Op::subtract: out = sum(*a, *register_[i.b], -1); break;
      case Op::multiply: out = product(*a, *register_[i.b]); break;
      case Op::divide: {
        const Polynomial& b = *register_[i.b];
        if (!b.root && b.degree == 0 && b.r != 0) out = times(*a, 1 / b.r);
        break;
      }
      case Op::negate: out = times(*a, -1); break;
      case Op::scale: out = times(*a, i.c); break;
      case Op::square: out = square(*a); break;
      case Op::sqrt: out = root_of(*a); break;
      case Op::power: {
        if (i.c == 0.5) out = root_of(*a);
        break;
      }
      case Op::sin:
      case Op::cos: out = of_angle(*a, i.op == Op::cos); break;
      default: break;
    }
    if (out) lower(*out);
  }

  /// Numbers alone stay numbers, sums of functions of time sums; every other function of time is one more number.
  void step_in_time(const expressions::Instruction& i, std::size_t at) {
    const Polynomial& a = *register_[i.a];
    const Expr x = *time_[i.a];
    const auto b = [&]() -> const Polynomial& { return *register_[i.b]; };
    Maybe out;
    bool again = false;
    std::optional<double> value;
    switch (i.op) {
      case Op::add: out = sum(a, b(), 1), time_[at] = graph_.add(x, *time_[i.b]); break;
      case Op::subtract: out = sum(a, b(), -1), time_[at] = graph_.subtract(x, *time_[i.b]); break;
      case Op::negate: out = times(a, -1), time_[at] = graph_.negate(x); break;
      case Op::scale: out = times(a, i.c), time_[at] = graph_.multiply(graph_.number(i.c), x); break;
      case Op::multiply:
        time_[at] = graph_.multiply(x, *time_[i.b]);
        if (a.degree == 0 || b().degree == 0) {
          out = product(a, b());
        } else {
          value = a.r * b().r;
        }
        break;
      case Op::divide:
        time_[at] = graph_.divide(x, *time_[i.b]);
        if (b().degree == 0 && b().r != 0) {
          out = times(a, 1 / b().r);
        } else {
          value = a.r / b().r;
        }
        break;
      case Op::square:
        time_[at] = graph_.multiply(x, x);
        value = a.r * a.r;
        break;
      case Op::reciprocal:
        time_[at] = graph_.divide(graph_.number(1), x);
        value = 1 / a.r;
        break;
      default: {
        const std::optional<Function> function = function_of(i.op);
        if (!function) return;
        time_[at] = graph_.apply(*function, x);
        value = expressions::evaluate(*function, {&a.r, 1});
        again = (i.op == Op::sin || i.op == Op::cos) && a.degree > 0;
        if (again) pair(x, a.r);
      }
    }
    if (value) {
      if (!std::isfinite(*value)) {
        time_[at].reset();
        return;
      }
      const bool number = expressions::symbols(graph_, *time_[at]).empty();
      out = number ? Maybe(constant(*value)) : of_time(*time_[at], *value);
    }
    if (!out) time_[at].reset();
    register_[at] = std::move(out);
  }

  /// The cosine and the sine of one function of time know one another.
  void pair(Expr x, double at_start) {
    const std::uint32_t c =
        lift_.timed(graph_.apply(Function::cos, x), expressions::evaluate(Function::cos, {&at_start, 1}));
    const std::uint32_t s =
        lift_.timed(graph_.apply(Function::sin, x), expressions::evaluate(Function::sin, {&at_start, 1}));
    const std::uint32_t n = lift_.model_->variables;
    lift_.number_[c - n].other = s;
    lift_.number_[s - n].other = c;
    lift_.number_[c - n].kind = Lift::Kind::time;
  }

  /// cos or sin of an angle of a body, and a number beside it.
  Maybe of_angle(const Polynomial& a, bool cosine) const {
    if (a.root || a.degree != 1) return {};
    for (const auto& [slot, place] : angle_) {
      if (std::abs(a.g[slot]) != 1) continue;
      double others = 0;
      for (std::size_t k = 0; k < a.g.size(); ++k) others += k == slot ? 0 : std::abs(a.g[k]);
      if (others != 0) continue;
      // a = sign * angle + beside
      const double sign = a.g[slot];
      const double beside = a.r - sign * model_.initial_position[id_[slot]];
      const double c = expressions::evaluate(Function::cos, {&beside, 1});
      const double s = expressions::evaluate(Function::sin, {&beside, 1});
      const Polynomial cos = single(place, lift_.start_[id_[place]]);
      const Polynomial sin = single(place + 1, lift_.start_[id_[place + 1]]);
      const Maybe of_cos = times(cos, cosine ? c : s);
      const Maybe of_sin = times(sin, cosine ? -sign * s : sign * c);
      return of_cos && of_sin ? sum(*of_cos, *of_sin, 1) : Maybe();
    }
    return {};
  }

  /// Products of parts of a quaternion by R, of displacements: u_i u_j = e_i e_j - e_i0 u_j - e_j0 u_i - e_i0 e_j0.
  void lower(Polynomial& p) const {
    if (turned_.empty() || p.degree == 0) return;
    double most = std::abs(p.r);
    for (const double x : p.g) most = std::max(most, std::abs(x));
    for (const auto& [first, turned] : turned_) {
      for (std::size_t i = 0; i < 4 && p.degree == 2; ++i) {
        for (std::size_t j = i; j < 4; ++j) {
          const std::size_t a = turned.slot.at(i);
          const std::size_t b = turned.slot.at(j);
          if (a == nowhere || b == nowhere) continue;
          const double factor = i == j ? p.q[a * size_ + a] / 2 : p.q[a * size_ + b];
          if (factor == 0) continue;
          p.q[a * size_ + b] = p.q[b * size_ + a] = 0;
          for (const auto& [entry, share] : products_of(i, j).entries) p.g[turned.r + entry] += factor * share / 4;
          p.g[b] -= factor * model_.initial_position[first + i];
          p.g[a] -= factor * model_.initial_position[first + j];
          most = std::max(most, std::abs(factor));
        }
      }
    }
    // What products leave of single parts, and what is but rounding.
    const double rounding = roundings_of_nothing * std::numeric_limits<double>::epsilon() * most;
    for (double& x : p.g) x = std::abs(x) <= rounding ? 0 : x;
    if (p.degree == 2 && std::all_of(p.q.begin(), p.q.end(), [](double x) { return x == 0; })) {
      p.degree = 1;
      p.q.clear();
    }
    if (!p.root && p.degree == 1 && std::all_of(p.g.begin(), p.g.end(), [](double x) { return x == 0; })) {
      p.degree = 0;
      p.g.clear();
    }
  }

  /// The equation without what no part of it is left of; none if an angle or a part of a quaternion stands in it by itself.
  std::optional<Equation> close(Maybe& f) const {
    if (!f || f->degree == 0) return {};
    f = finished(std::move(*f));
    if (!f) return {};
    Equation out;
    out.row = row_;
    std::vector<std::size_t> used;
    for (std::size_t k = 0; k < size_; ++k) {
      bool there = f->g[k] != 0;
      for (std::size_t i = 0; i < size_ && !there && f->degree == 2; ++i) there = f->q[k * size_ + i] != 0;
      if (!there) continue;
      if (k < id_.size() && id_[k] < model_.variables && lift_.part_[id_[k]] != 0) return {};
      used.push_back(k);
      out.variable.push_back(id_[k]);
    }
    if (used.empty()) return {};
    out.f = *f;
    out.f.g.clear();
    out.f.q.clear();
    for (const std::size_t k : used) out.f.g.push_back(f->g[k]);
    for (const std::size_t k : used) {
      for (const std::size_t i : used) {
        if (f->degree == 2) out.f.q.push_back(f->q[k * size_ + i]);
      }
    }
    return out;
  }

  static constexpr std::size_t nowhere = ~std::size_t{0};
  struct Turned {
    std::array<std::size_t, 4> slot{nowhere, nowhere, nowhere, nowhere};
    std::size_t r = nowhere;
  };

  Lift& lift_;
  const Model& model_;
  expressions::Graph& graph_;
  std::uint32_t row_;
  std::vector<std::uint32_t> id_;  ///< per local number
  std::size_t steady_ = 0, size_ = 0;
  std::map<std::size_t, std::size_t> angle_;  ///< slot of an angle, place of its cosine
  std::map<std::uint32_t, Turned> turned_;
  std::vector<Maybe> register_;
  std::vector<std::optional<Expr>> time_;  ///< what depends on time alone, numbers too
};

Lift::Lift(const Model& model)
    : model_(&model),
      part_(model.variables, 0),
      start_(model.initial_position),
      graph_(std::make_unique<expressions::Graph>()) {
  for (const Body& body : model.bodies) {
    if (body.kind != BodyKind::rigid || body.turns()) continue;
    for (std::uint32_t k = 0; k < body.members(); ++k) part_[body.first + k * body.dimension + 2] = 1;
  }
  for (const std::uint32_t first : quaternions(model)) {
    for (std::uint32_t k = 0; k < 4; ++k) part_[first + k] = static_cast<std::uint8_t>(2 + k);
  }
}

std::optional<Equation> Lift::read(std::uint32_t row) { return LiftedRow(*this, row).read(); }

std::uint32_t Lift::known(const Number& number, double at_start) {
  const auto found = std::find_if(number_.begin(), number_.end(), [&](const Number& one) {
    return one.kind == number.kind && one.first == number.first && one.entry == number.entry && one.of == number.of;
  });
  const auto id = static_cast<std::uint32_t>(model_->variables + (found - number_.begin()));
  if (found == number_.end()) {
    number_.push_back(number);
    number_.back().other = id;
    start_.push_back(at_start);
  }
  return id;
}

std::uint32_t Lift::timed(Expr of, double at_start) {
  Number number;
  number.kind = Kind::time;
  number.of = of;
  return known(number, at_start);
}

std::vector<Equation> Lift::relations(const std::vector<Equation>& equations) const {
  const std::uint32_t n = model_->variables;
  std::vector<std::uint8_t> used(number_.size(), 0);
  for (const Equation& one : equations) {
    for (const std::uint32_t id : one.variable) {
      if (id >= n) used[id - n] = 1;
    }
  }
  std::vector<Equation> out;
  // sum of x_i y_i - 1 or - 0 = 0, with the x and y among the numbers `ids`.
  const auto add = [&](const std::vector<std::uint32_t>& ids,
                       const std::vector<std::pair<std::size_t, std::size_t>>& products) {
    Equation one;
    one.row = ~std::uint32_t{0};
    one.variable = ids;
    const std::size_t m = ids.size();
    one.f.degree = 2;
    one.f.g.assign(m, 0.0);
    one.f.q.assign(m * m, 0.0);
    for (const auto& [a, b] : products) {
      one.f.g[a] += start_[ids[b]];
      one.f.g[b] += start_[ids[a]];
      one.f.q[a * m + b] += 1;
      one.f.q[b * m + a] += 1;
      one.f.terms += std::abs(start_[ids[a]] * start_[ids[b]]);
    }
    out.push_back(std::move(one));
  };
  for (std::size_t k = 0; k < number_.size(); ++k) {
    if (used[k] == 0) continue;
    const Number& number = number_[k];
    const auto id = static_cast<std::uint32_t>(n + k);
    if (number.kind == Kind::time && number.other != id) {
      const bool earlier = number.other < id && used[number.other - n] != 0;
      if (!earlier) add({id, number.other}, {{0, 0}, {1, 1}});
    }
    const bool plane = number.kind == Kind::cosine || number.kind == Kind::sine;
    if (plane) {
      const std::size_t cosine = number.kind == Kind::cosine ? k : k - 1;
      if (k == cosine || used[cosine] == 0)
        add({static_cast<std::uint32_t>(n + cosine), static_cast<std::uint32_t>(n + cosine + 1)}, {{0, 0}, {1, 1}});
    }
    if (number.kind != Kind::turn) continue;
    const std::size_t base = k - number.entry;
    const auto before =
        std::find(used.begin() + static_cast<std::ptrdiff_t>(base), used.begin() + static_cast<std::ptrdiff_t>(k), 1);
    if (before != used.begin() + static_cast<std::ptrdiff_t>(k)) continue;
    for (std::uint32_t i = 0; i < 3; ++i) {
      for (std::uint32_t j = i; j < 3; ++j) {
        std::vector<std::uint32_t> ids;
        std::vector<std::pair<std::size_t, std::size_t>> products;
        for (std::uint32_t row = 0; row < 3; ++row) {
          ids.push_back(static_cast<std::uint32_t>(n + base + 3 * row + i));
          if (j > i) ids.push_back(static_cast<std::uint32_t>(n + base + 3 * row + j));
          products.emplace_back(i == j ? row : 2 * row, i == j ? row : 2 * row + 1);
        }
        add(ids, products);
      }
    }
  }
  return out;
}

void Lift::append(Model& model, const Implied& row) const {
  // What it is made of: variables, and those that angles and orientations have.
  std::vector<std::uint32_t> variables;
  for (const std::uint32_t id : row.variable) {
    if (id < model.variables) {
      variables.push_back(id);
      continue;
    }
    const Number& number = number_[id - model.variables];
    if (number.kind == Kind::time) continue;
    const std::uint32_t count = number.kind == Kind::turn ? 4 : 1;
    for (std::uint32_t k = 0; k < count; ++k) variables.push_back(number.first + k);
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  expressions::Graph graph;
  const auto slot = [&](std::uint32_t variable) {
    const auto at = std::lower_bound(variables.begin(), variables.end(), variable);
    return graph.symbol({SymbolKind::position, static_cast<std::uint32_t>(at - variables.begin())});
  };
  const auto moved = [&](auto&& self, Expr e) -> Expr {
    const expressions::Node node = graph_->node(e);
    std::vector<Expr> children;
    for (std::size_t k = 0; k < node.children.size(); ++k) children.push_back(self(self, graph_->node(e).children[k]));
    switch (node.kind) {
      case expressions::NodeKind::number: return graph.number(node.number);
      case expressions::NodeKind::symbol: return graph.symbol(node.symbol);
      case expressions::NodeKind::sum: return graph.add(children);
      case expressions::NodeKind::product: return graph.multiply(children);
      case expressions::NodeKind::power: return graph.power(children[0], children[1]);
      case expressions::NodeKind::function: break;
    }
    return graph.apply(node.function, children);
  };
  const auto body_of = [&](std::uint32_t variable) {
    const auto of = std::find_if(model.bodies.begin(), model.bodies.end(), [&](const Body& body) {
      return body.first <= variable && variable < body.first + body.members() * body.dimension;
    });
    return member_name(*of, (variable - of->first) / of->dimension);
  };

  std::vector<Expr> terms;
  std::string text;
  for (std::size_t k = 0; k < row.c.size(); ++k) {
    Expr x = graph.number(0);
    std::string name;
    if (row.variable[k] < model.variables) {
      x = slot(row.variable[k]);
      name = variable_name(model, row.variable[k]);
    } else {
      const Number& number = number_[row.variable[k] - model.variables];
      switch (number.kind) {
        case Kind::cosine:
        case Kind::sine: {
          const bool cosine = number.kind == Kind::cosine;
          x = graph.apply(cosine ? Function::cos : Function::sin, slot(number.first));
          name = std::string(cosine ? "cos(" : "sin(") + body_of(number.first) + ".angle)";
          break;
        }
        case Kind::turn: {
          Turning<GraphOps> turning({&graph});
          Turning<GraphOps>::Four e;
          for (std::uint32_t i = 0; i < 4; ++i) e.at(i) = slot(number.first + i);
          Turning<GraphOps>::Three axis{graph.number(0), graph.number(0), graph.number(0)};
          axis.at(number.entry % 3) = graph.number(1);
          x = turning.turned(e, axis).at(number.entry / 3);
          const auto unit = [](std::uint32_t i) {
            return std::string(i == 0 ? "[1, 0, 0]" : i == 1 ? "[0, 1, 0]" : "[0, 0, 1]");
          };
          name = "dot(axis(" + body_of(number.first) + ", " + unit(number.entry % 3) + "), " + unit(number.entry / 3) +
                 ")";
          break;
        }
        case Kind::time:
          x = moved(moved, number.of);
          name = "(" + expressions::print(*graph_, number.of, [](Symbol) { return std::string("t"); }) + ")";
          break;
      }
    }
    terms.push_back(graph.multiply(graph.number(row.c[k]), x));
    const double size = std::abs(row.c[k]);
    text += text.empty() ? (row.c[k] < 0 ? "-" : "") : (row.c[k] < 0 ? " - " : " + ");
    if (size != 1) text += exact(size) + "*";
    text += name;
  }
  text += " = " + exact(row.d);
  terms.push_back(graph.number(-row.d));

  RowGroup group;
  group.positions = static_cast<std::uint32_t>(variables.size());
  group.lanes = 1;
  group.position_of = variables;
  group.first_switch = model.switches;
  group.first_mode = model.modes;
  std::vector<Symbol> inputs{{SymbolKind::time, 0}};
  std::vector<Symbol> places;
  for (std::uint32_t k = 0; k < group.positions; ++k) places.push_back({SymbolKind::position, k});
  inputs.insert(inputs.end(), places.begin(), places.end());
  const Expr f = graph.add(terms);
  std::vector<Expr> outputs{f};
  for (const Expr one : expressions::gradient(graph, f, places)) outputs.push_back(one);
  const Expr rate = expressions::derivative(graph, f, {SymbolKind::time, 0});
  group.rheonomic = !graph.is_number(rate, 0);
  if (group.rheonomic) outputs.push_back(rate);
  group.tape = expressions::flatten(graph, outputs, inputs);
  append_group(model, std::move(group), variables, std::move(text));
}

}  // namespace zwang::model
