/// From a Draft to expressions with names in them. The draft has been compiled before, so that no mistake is left in it.
#include "zwang/model/symbols.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <optional>

#include "zwang/expressions/tidy.hpp"
#include "zwang/model/draft.hpp"
#include "zwang/model/formulas.hpp"
#include "zwang/model/turning.hpp"

namespace zwang::model {

using expressions::Expr;
using expressions::Function;
using expressions::RangeSyntax;
using expressions::Relation;
using expressions::Symbol;
using expressions::SymbolKind;

namespace {

std::vector<std::uint32_t> ids(const std::vector<Expr>& list) {
  std::vector<std::uint32_t> out;
  for (const Expr e : list) out.push_back(e.id);
  return out;
}

}  // namespace

Symbol Symbols::constant(NameSort sort, std::uint32_t subject, std::uint32_t component,
                         const std::vector<Expr>& index) {
  const auto [found, fresh] = constant_of_.try_emplace(
      {static_cast<std::uint8_t>(sort), subject, component, ids(index)}, static_cast<std::uint32_t>(constants.size()));
  if (fresh) constants.push_back({sort, {}, 0, subject, component, index});
  return {SymbolKind::constant, found->second};
}

Symbol Symbols::index(const std::string& name) {
  const auto [found, fresh] = index_of_.try_emplace(name, static_cast<std::uint32_t>(constants.size()));
  if (fresh) constants.push_back({NameSort::index, name, 0, 0, 0, {}});
  return {SymbolKind::constant, found->second};
}

std::uint32_t Symbols::variable(std::uint32_t body, std::uint32_t component, const std::vector<Expr>& index) {
  const auto [found, fresh] = variable_of_.try_emplace({std::uint8_t{0}, body, component, ids(index)},
                                                       static_cast<std::uint32_t>(variables.size()));
  if (fresh) variables.push_back({body, component, index});
  return found->second;
}

Expr Symbols::relabel(Expr e, const Images& images) {
  const auto inside = [&](const std::vector<Expr>& index) {
    std::vector<Expr> out;
    for (const Expr part : index) out.push_back(expressions::expand(graph, relabel(part, images)));
    return out;
  };
  return expressions::substitute(graph, e, [&](Symbol symbol) {
    if (symbol.kind == SymbolKind::time) return graph.symbol(symbol);
    if (symbol.kind == SymbolKind::constant) {
      if (const auto found = images.find(symbol.index); found != images.end()) return found->second;
      const NamedConstant old = constants[symbol.index];
      if (old.index.empty()) return graph.symbol(symbol);
      return graph.symbol(constant(old.sort, old.subject, old.component, inside(old.index)));
    }
    const Reference old = variables[symbol.index];
    if (old.index.empty()) return graph.symbol(symbol);
    return graph.symbol({symbol.kind, variable(old.body, old.component, inside(old.index))});
  });
}

double Symbols::number(Expr e, const std::map<std::uint32_t, double>& indices) const {
  return expressions::evaluate(graph, e, [&](Symbol symbol) {
    assert(symbol.kind == SymbolKind::constant);
    if (const auto found = indices.find(symbol.index); found != indices.end()) return found->second;
    return constants[symbol.index].value;
  });
}

namespace {

/// A number or a vector of expressions.
struct NamedQuantity {
  std::size_t size = 0;  ///< components; 0 for a number
  std::array<Expr, 3> part{};
  [[nodiscard]] std::size_t parts() const { return size == 0 ? 1 : size; }
};

/// One expression cannot stand for all members: a sum whose length depends on an index is inside of something else.
struct MembersDiffer {};

class Writer {
 public:
  Writer(const Draft::Content& content, const Model& model, bool members)
      : content_(content), formulas_(content.source), model_(model), members_(members) {}

  Symbols run() {
    // Parameters and bodies by name.
    for (std::uint32_t k = 0; k < model_.parameters.size(); ++k) {
      const Parameter& parameter = model_.parameters[k];
      parameter_of_[parameter.name] = k;
      for (std::uint32_t c = 0; c < parameter.value.size(); ++c) {
        NamedConstant& constant = out_.constants[out_.constant(NameSort::parameter, k, c).index];
        constant.value = parameter.value[c];
        constant.name = parameter.value.size() == 1 ? parameter.name : parameter.name + "." + "xyz"[c];
      }
    }
    for (std::uint32_t k = 0; k < model_.bodies.size(); ++k) body_of_[model_.bodies[k].name] = k;
    out_.constants[out_.constant(NameSort::pi, 0).index].value = 3.14159265358979323846;

    // Variables in the order of the file, so that x comes before y.
    write_bodies();
    write_energy("kinetic", out_.kinetic);
    write_energy("potential", out_.potential);
    write_generated_energies();
    write_conditions();
    if (const Value* functions = find("free", "functions")) {
      for (const Value& function : functions->items) {
        out_.free.push_back(walk(formulas_.expression(function)).part[0]);
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] expressions::Graph& graph() { return out_.graph; }

  [[nodiscard]] const Value* find(std::string_view table, std::string_view key = {}) const {
    const Value* found = content_.root.find(table);
    return found == nullptr || key.empty() ? found : found->find(key);
  }

  // The walk.

  NamedQuantity scalar(Expr e) { return {0, {e}}; }

  NamedQuantity walk(const Syntax& s) {
    switch (s.kind) {
      case SyntaxKind::number: return scalar(graph().number(s.number));
      case SyntaxKind::name: return walk_name(s);
      case SyntaxKind::member: return walk_component(s);
      case SyntaxKind::prime: return walk_state(s.children[0], true);
      case SyntaxKind::index: return walk_state(s, false);
      case SyntaxKind::vector: {
        NamedQuantity out;
        out.size = s.children.size();
        for (std::size_t k = 0; k < out.size; ++k) out.part.at(k) = walk(s.children[k]).part[0];
        return out;
      }
      case SyntaxKind::call: return walk_call(s);
      case SyntaxKind::sum_over: return walk_sum_over(s);
      case SyntaxKind::sum: {
        std::vector<NamedQuantity> terms;
        for (std::size_t k = 0; k < s.children.size(); ++k) {
          terms.push_back(walk(s.children[k]));
          if (s.inverse[k]) terms.back() = negated(terms.back());
        }
        return added(terms);
      }
      case SyntaxKind::product: return walk_product(s);
      case SyntaxKind::power: {
        const Expr base = walk(s.children[0]).part[0];
        return scalar(graph().power(base, walk(s.children[1]).part[0]));
      }
      case SyntaxKind::negate: return negated(walk(s.children[0]));
      case SyntaxKind::compare: {
        const Expr left = walk(s.children[0]).part[0];
        const Expr right = walk(s.children[1]).part[0];
        const auto truth = [&](bool from_right, Function function) {
          return graph().apply(function, from_right ? graph().subtract(right, left) : graph().subtract(left, right));
        };
        if (const bool equal = s.name == "="; equal || s.name == "!=") {
          const Function function = equal ? Function::at_least : Function::below;
          const Expr parts[] = {truth(false, function), truth(true, function)};
          return scalar(graph().apply(equal ? Function::both : Function::either, parts));
        }
        return scalar(
            truth(s.name == "<=" || s.name == ">", s.name.size() == 2 ? Function::at_least : Function::below));
      }
      case SyntaxKind::both:
      case SyntaxKind::either: {
        Expr out = walk(s.children[0]).part[0];
        for (std::size_t k = 1; k < s.children.size(); ++k) {
          const Expr parts[] = {out, walk(s.children[k]).part[0]};
          out = graph().apply(s.kind == SyntaxKind::both ? Function::both : Function::either, parts);
        }
        return scalar(out);
      }
    }
    assert(false && "every kind of syntax has a meaning");
    return {};
  }

  NamedQuantity negated(NamedQuantity a) {
    for (std::size_t c = 0; c < a.parts(); ++c) a.part.at(c) = graph().negate(a.part.at(c));
    return a;
  }

  /// The empty sum fits everywhere: a vector among the terms makes the sum a vector.
  NamedQuantity added(const std::vector<NamedQuantity>& terms) {
    NamedQuantity out;
    for (const NamedQuantity& term : terms) out.size = std::max(out.size, term.size);
    for (std::size_t c = 0; c < out.parts(); ++c) {
      std::vector<Expr> parts;
      for (const NamedQuantity& term : terms) {
        if (term.size == out.size) parts.push_back(term.part.at(c));
      }
      out.part.at(c) = graph().add(parts);
    }
    return out;
  }

  NamedQuantity walk_name(const Syntax& s) {
    for (std::size_t k = bindings_.size(); k-- > 0;) {
      if (bindings_[k].first == s.name) return scalar(bindings_[k].second);
    }
    if (const auto found = parameter_of_.find(s.name); found != parameter_of_.end()) {
      const std::size_t components = model_.parameters[found->second].value.size();
      NamedQuantity out;
      out.size = components == 1 ? 0 : components;
      for (std::uint32_t c = 0; c < components; ++c) {
        out.part.at(c) = graph().symbol(out_.constant(NameSort::parameter, found->second, c));
      }
      return out;
    }
    if (s.name == "t") return scalar(graph().symbol({SymbolKind::time, 0}));
    if (s.name == "pi") return scalar(graph().symbol(out_.constant(NameSort::pi, 0)));
    return walk_state(s, false);
  }

  /// Position or velocity of a body, a member, or a component of them (the sign ' may stand behind the component).
  NamedQuantity walk_state(const Syntax& s, bool velocity) {
    if (s.kind == SyntaxKind::member && is_rigid(s.children[0])) return part_of_rigid(s, velocity);
    if (s.kind == SyntaxKind::member) {
      const NamedQuantity vector = walk_state(s.children[0], velocity);
      return scalar(vector.part.at(component(s.name)));
    }
    const Syntax& name = s.kind == SyntaxKind::index ? s.children[0] : s;
    std::vector<Expr> index;
    for (std::size_t k = 1; s.kind == SyntaxKind::index && k < s.children.size(); ++k) {
      index.push_back(expressions::expand(graph(), walk(s.children[k]).part[0]));
    }
    const std::uint32_t body = body_of_.at(name.name);
    NamedQuantity out;
    out.size = model_.bodies[body].place();
    for (std::uint32_t c = 0; c < out.parts(); ++c) {
      out.part.at(c) =
          graph().symbol({velocity ? SymbolKind::velocity : SymbolKind::position, out_.variable(body, c, index)});
    }
    return out;
  }

  static std::size_t component(std::string_view name) { return name == "x" ? 0 : name == "y" ? 1 : 2; }

  NamedQuantity walk_component(const Syntax& s) {
    if (is_rigid(s.children[0])) return part_of_rigid(s, false);
    return scalar(walk(s.children[0]).part.at(component(s.name)));
  }

  // Rigid bodies.

  using Turn = Turning<GraphOps, Inverse::quotient>;

  [[nodiscard]] bool is_rigid(const Syntax& s) const {
    const Syntax& name = s.kind == SyntaxKind::index ? s.children[0] : s;
    if (name.kind != SyntaxKind::name) return false;
    const auto found = body_of_.find(name.name);
    return found != body_of_.end() && model_.bodies[found->second].kind == BodyKind::rigid;
  }
  std::vector<Expr> index_of(const Syntax& s) {
    std::vector<Expr> index;
    for (std::size_t k = 1; s.kind == SyntaxKind::index && k < s.children.size(); ++k) {
      index.push_back(expressions::expand(graph(), walk(s.children[k]).part[0]));
    }
    return index;
  }
  Expr own(std::uint32_t body, const std::vector<Expr>& index, std::uint32_t component, bool velocity) {
    return graph().symbol(
        {velocity ? SymbolKind::velocity : SymbolKind::position, out_.variable(body, component, index)});
  }
  Turn::Four quaternion(std::uint32_t body, const std::vector<Expr>& index, bool velocity) {
    Turn::Four out;
    for (std::uint32_t k = 0; k < 4; ++k) out.at(k) = own(body, index, 3 + k, velocity);
    return out;
  }
  /// A vector of the body's axes in the fixed frame.
  NamedQuantity turned(std::uint32_t body, const std::vector<Expr>& index, NamedQuantity r) {
    if (model_.bodies[body].turns()) {
      r.part = Turn({&graph()}).turned(quaternion(body, index, false), r.part);
      return r;
    }
    const Expr angle = own(body, index, 2, false);
    const Expr c = graph().apply(Function::cos, angle);
    const Expr s = graph().apply(Function::sin, angle);
    NamedQuantity out = r;
    out.part[0] = graph().subtract(graph().multiply(c, r.part[0]), graph().multiply(s, r.part[1]));
    out.part[1] = graph().add(graph().multiply(s, r.part[0]), graph().multiply(c, r.part[1]));
    return out;
  }
  NamedQuantity spin(std::uint32_t body, const std::vector<Expr>& index) {
    if (!model_.bodies[body].turns()) return scalar(own(body, index, 2, true));
    return {3, Turn({&graph()}).spin(quaternion(body, index, false), quaternion(body, index, true))};
  }
  /// Where a mark lies in the body: as it was written, with the indices of this member.
  NamedQuantity mark_of(std::uint32_t body, const std::vector<Expr>& index, std::string_view name) {
    const Value& table = *find("bodies", model_.bodies[body].name);
    const std::size_t depth = bindings_.size();
    for (std::size_t k = 0; k < index.size(); ++k) bindings_.emplace_back(k == 0 ? "i" : "j", index[k]);
    NamedQuantity out = walk(formulas_.expression(*table.find("marks")->find(name)));
    bindings_.resize(depth);
    const Value* shape = table.find("shape");
    if (shape == nullptr || shape->find("polygon") == nullptr) return out;
    // Of a polygon the marks were moved with its corners.
    if (!index.empty()) throw MembersDiffer{};
    for (const Mark& mark : model_.rigids[body].marks) {
      if (mark.name != name) continue;
      for (std::size_t c = 0; c < out.size; ++c) out.part.at(c) = graph().number(mark.at[c]);
    }
    return out;
  }
  NamedQuantity part_of_rigid(const Syntax& s, bool velocity) {
    const Syntax& of = s.children[0];
    const std::uint32_t body = body_of_.at((of.kind == SyntaxKind::index ? of.children[0] : of).name);
    const std::vector<Expr> index = index_of(of);
    if (s.name == "spin") return spin(body, index);
    if (s.name == "angle") return scalar(own(body, index, 2, velocity));
    const auto& marks = model_.rigids[body].marks;
    const bool marked = std::any_of(marks.begin(), marks.end(), [&](const Mark& mark) { return mark.name == s.name; });
    if (!marked) return scalar(own(body, index, static_cast<std::uint32_t>(component(s.name)), velocity));
    const NamedQuantity arm = turned(body, index, mark_of(body, index, s.name));
    NamedQuantity out = arm;
    if (velocity) {
      const NamedQuantity w = spin(body, index);
      if (w.size == 3) {
        out.part = Turn({&graph()}).cross(w.part, arm.part);
      } else {
        out.part[0] = graph().negate(graph().multiply(w.part[0], arm.part[1]));
        out.part[1] = graph().multiply(w.part[0], arm.part[0]);
      }
    }
    for (std::uint32_t c = 0; c < out.size; ++c) {
      out.part.at(c) = graph().add(own(body, index, c, velocity), out.part.at(c));
    }
    return out;
  }

  NamedQuantity walk_product(const Syntax& s) {
    std::vector<Expr> above;
    std::vector<Expr> below;
    std::optional<NamedQuantity> vector;
    for (std::size_t k = 0; k < s.children.size(); ++k) {
      const NamedQuantity value = walk(s.children[k]);
      if (value.size != 0) {
        vector = value;
      } else {
        (s.inverse[k] ? below : above).push_back(value.part[0]);
      }
    }
    const Expr number = graph().divide(graph().multiply(above), graph().multiply(below));
    if (!vector) return scalar(number);
    for (std::size_t c = 0; c < vector->size; ++c) vector->part.at(c) = graph().multiply(number, vector->part.at(c));
    return *vector;
  }

  Expr dot(const NamedQuantity& u, const NamedQuantity& v) {
    std::vector<Expr> terms;
    for (std::size_t c = 0; c < u.size; ++c) terms.push_back(graph().multiply(u.part.at(c), v.part.at(c)));
    return graph().add(terms);
  }

  NamedQuantity walk_call(const Syntax& s) {
    if (s.name == "table" || s.name == "spline") return walk_points(s);
    if (s.name == "axis") {
      const Syntax& of = s.children[0];
      const std::uint32_t body = body_of_.at((of.kind == SyntaxKind::index ? of.children[0] : of).name);
      return turned(body, index_of(of), walk(s.children[1]));
    }
    std::vector<NamedQuantity> arguments;
    for (const Syntax& child : s.children) arguments.push_back(walk(child));
    if (s.name == "if") {
      NamedQuantity out;
      out.size = arguments[1].size;
      for (std::size_t c = 0; c < out.parts(); ++c) {
        const Expr parts[] = {arguments[0].part[0], arguments[1].part.at(c), arguments[2].part.at(c)};
        out.part.at(c) = graph().apply(Function::select, parts);
      }
      return out;
    }
    if (const expressions::FunctionInfo* info = expressions::find_function(s.name)) {
      std::vector<Expr> parts;
      for (const NamedQuantity& argument : arguments) parts.push_back(argument.part[0]);
      return scalar(graph().apply(info->function, parts));
    }
    if (s.name == "norm") return scalar(graph().apply(Function::sqrt, dot(arguments[0], arguments[0])));
    const NamedQuantity& u = arguments[0];
    const NamedQuantity& v = arguments[1];
    if (s.name == "dot") return scalar(dot(u, v));
    if (s.name == "distance") {
      const NamedQuantity difference = added({u, negated(v)});
      return scalar(graph().apply(Function::sqrt, dot(difference, difference)));
    }
    const auto minor = [&](std::size_t a, std::size_t b) {
      return graph().subtract(graph().multiply(u.part.at(a), v.part.at(b)),
                              graph().multiply(u.part.at(b), v.part.at(a)));
    };
    if (u.size == 2) return scalar(minor(0, 1));
    return {3, {minor(1, 2), minor(2, 0), minor(0, 1)}};
  }

  /// The points of a table are written as numbers.
  NamedQuantity walk_points(const Syntax& s) {
    std::vector<Expr> parts = {walk(s.children[0]).part[0]};
    for (std::size_t k = 1; k < 3; ++k) {
      const auto add = [&](Expr e) {
        if (has_index(e)) throw MembersDiffer{};
        parts.push_back(graph().number(out_.number(e)));
      };
      if (s.children[k].kind == SyntaxKind::vector) {
        for (const Syntax& item : s.children[k].children) add(walk(item).part[0]);
      } else {
        const NamedQuantity list = walk(s.children[k]);
        for (std::size_t c = 0; c < list.size; ++c) add(list.part.at(c));
      }
    }
    return scalar(graph().apply(s.name == "table" ? Function::table : Function::spline, parts));
  }

  /// A sum that cannot be drawn out of the expression: unrolled, if its length is known.
  NamedQuantity walk_sum_over(const Syntax& s) {
    const Expr low = walk(s.children[0]).part[0];
    const Expr high = walk(s.children[1]).part[0];
    if (has_index(low) || has_index(high)) throw MembersDiffer{};
    std::vector<NamedQuantity> terms;
    const std::int64_t last = whole(high);
    bindings_.emplace_back(s.name, Expr{});
    for (std::int64_t k = whole(low); k <= last; ++k) {
      bindings_.back().second = graph().number(static_cast<double>(k));
      terms.push_back(walk(s.children[2]));
    }
    bindings_.pop_back();
    if (terms.empty()) return scalar(graph().number(0));
    return added(terms);
  }

  [[nodiscard]] std::int64_t whole(Expr e) const { return std::llround(out_.number(e)); }

  [[nodiscard]] bool has_index(Expr e) const {
    const std::vector<Symbol> found = expressions::symbols(out_.graph, e);
    return std::any_of(found.begin(), found.end(), [&](Symbol symbol) {
      return symbol.kind == SymbolKind::constant && out_.constants[symbol.index].sort == NameSort::index;
    });
  }

  // Members of ranges.

  using Visit = std::function<void(const SymbolicMember&)>;

  /// Once with the indices as names, or, where that cannot be, once for every combination of numbers.
  void for_members(const std::vector<RangeSyntax>& ranges, bool one_by_one, const Visit& visit) {
    const std::size_t depth = bindings_.size();
    if (!one_by_one) {
      try {
        SymbolicMember member;
        for (const RangeSyntax& range : ranges) {
          SymbolicRange symbolic;
          symbolic.name = range.name;
          symbolic.low = walk(range.low).part[0];
          symbolic.high = walk(range.high).part[0];
          symbolic.symbol = out_.index(range.name);
          member.index.push_back(graph().symbol(symbolic.symbol));
          bindings_.emplace_back(range.name, member.index.back());
          member.ranges.push_back(symbolic);
        }
        visit(member);
        bindings_.resize(depth);
        return;
      } catch (const MembersDiffer&) {
        bindings_.resize(depth);
      }
    }
    SymbolicMember member;
    each_member(ranges, 0, member, visit);
  }

  void each_member(const std::vector<RangeSyntax>& ranges, std::size_t level, SymbolicMember& member,
                   const Visit& visit) {
    if (level == ranges.size()) {
      visit(member);
      return;
    }
    const std::int64_t low = whole(walk(ranges[level].low).part[0]);
    const std::int64_t high = whole(walk(ranges[level].high).part[0]);
    for (std::int64_t k = low; k <= high; ++k) {
      const Expr value = graph().number(static_cast<double>(k));
      bindings_.emplace_back(ranges[level].name, value);
      member.index.push_back(value);
      each_member(ranges, level + 1, member, visit);
      member.index.pop_back();
      bindings_.pop_back();
    }
  }

  // Bodies.

  std::vector<RangeSyntax> ranges_of(const Value& table) {
    std::vector<RangeSyntax> out;
    const Value* count = table.find("count");
    if (count == nullptr) return out;
    const Syntax syntax = formulas_.expression(*count);
    const bool list = count->kind == ValueKind::array;
    for (std::size_t k = 0; k < (list ? syntax.children.size() : 1); ++k) {
      RangeSyntax range;
      range.name = k == 0 ? "i" : "j";
      range.low.number = 1;
      range.high = list ? syntax.children[k] : syntax;
      out.push_back(range);
    }
    return out;
  }

  void write_bodies() {
    std::vector<Expr> gravity;
    if (const Value* value = find("gravity")) {
      const NamedQuantity g = walk(formulas_.expression(*value));
      gravity.assign(g.part.begin(), g.part.begin() + static_cast<std::ptrdiff_t>(g.parts()));
    }
    out_.flow = find("flow") != nullptr;
    for (std::uint32_t k = 0; k < model_.bodies.size(); ++k) {
      const Body& body = model_.bodies[k];
      const bool point = body.kind == BodyKind::point;
      const bool rigid = body.kind == BodyKind::rigid;
      const Value& table = *find(rigid ? "bodies" : point ? "points" : "coordinates", body.name);
      const Value* force = out_.flow ? find("flow", body.name) : table.find("force");
      const Value* mass = table.find("mass");
      for_members(ranges_of(table), members_ || is_pulled(body), [&](const SymbolicMember& member) {
        SymbolicBody out;
        static_cast<SymbolicMember&>(out) = member;
        out.body = k;
        for (std::uint32_t c = 0; c < body.dimension; ++c) {
          const std::uint32_t variable = out_.variable(k, c, member.index);
          static_cast<void>(graph().symbol({SymbolKind::position, variable}));
        }
        for (std::uint32_t c = 0; c < body.dimension; ++c) {
          static_cast<void>(graph().symbol({SymbolKind::velocity, out_.variable(k, c, member.index)}));
        }
        if (rigid) {
          write_rigid(k, table, member, gravity, out);
          add_generated_forces(body, member, out);
          out_.bodies.push_back(std::move(out));
          return;
        }
        if (point) out.mass = walk(formulas_.expression(*mass)).part[0];
        if (point) out.gravity = gravity;
        if (force != nullptr) {
          const NamedQuantity value = walk(formulas_.expression(*force));
          out.force.assign(value.part.begin(), value.part.begin() + static_cast<std::ptrdiff_t>(value.parts()));
        }
        add_generated_forces(body, member, out);
        out_.bodies.push_back(std::move(out));
      });
    }
  }

  // Terms of springs and thin rods: `ranges` of what was generated says what each is.

  [[nodiscard]] bool is_pulled(const Body& body) const {
    return !body.counts.empty() &&
           std::any_of(model_.generated.begin(), model_.generated.end(), [&](const Generated& one) {
             return one.ranges.starts_with("force " + body.name + "[") ||
                    one.ranges.starts_with("torque " + body.name + "[");
           });
  }
  NamedQuantity walk_generated(const Generated& one) {
    const std::size_t depth = bindings_.size();
    for (const auto& [word, value] : one.numbers) bindings_.emplace_back(word, graph().number(value));
    const NamedQuantity out = walk(formulas_.outside(one.ranges, one.formula));
    bindings_.resize(depth);
    return out;
  }
  void add_generated_forces(const Body& body, const SymbolicMember& member, SymbolicBody& out) {
    if (!member.ranges.empty()) return;
    std::uint32_t number = 0;
    for (std::size_t d = 0; d < member.index.size(); ++d) {
      number = number * body.counts[d] + static_cast<std::uint32_t>(whole(member.index[d])) - 1;
    }
    const std::string name = member_name(body, number);
    for (const Generated& one : model_.generated) {
      const bool force = one.ranges == "force " + name;
      if (!force && one.ranges != "torque " + name) continue;
      if (out.force.empty()) out.force.assign(body.dimension, graph().number(0));
      const NamedQuantity value = walk_generated(one);
      const auto add = [&](std::size_t place, Expr e) { out.force[place] = graph().add(out.force[place], e); };
      if (force) {
        for (std::size_t c = 0; c < value.parts(); ++c) add(c, value.part.at(c));
      } else if (body.turns()) {
        const std::uint32_t index = body_of_.at(body.name);
        const Turn::Four turning = Turn({&graph()}).force_of_torque(quaternion(index, member.index, false), value.part);
        for (std::size_t c = 0; c < 4; ++c) add(3 + c, turning.at(c));
      } else {
        add(2, value.part[0]);
      }
    }
  }
  void write_generated_energies() {
    for (const Generated& one : model_.generated) {
      if (one.ranges != "potential" && one.ranges != "kinetic") continue;
      SymbolicEnergy energy;
      energy.value = walk_generated(one).part[0];
      (one.ranges == "kinetic" ? out_.kinetic : out_.potential).push_back(std::move(energy));
    }
  }

  /// Kinetic energy, weight and force of a rigid body; it has no mass of its own among the lines of points.
  void write_rigid(std::uint32_t k, const Value& table, const SymbolicMember& member, const std::vector<Expr>& gravity,
                   SymbolicBody& out) {
    const Body& body = model_.bodies[k];
    // Numbers of a family are those of its first member; where they differ every member is written by itself.
    const std::uint32_t number = member_number(body, member);
    const std::uint32_t place = body.place();
    const Value* mass = table.find("mass");
    const Expr m = mass != nullptr ? walk(formulas_.expression(*mass)).part[0]
                                   : graph().number(model_.point_mass[body.first + number * body.dimension]);
    std::vector<Expr> squares;
    std::vector<Expr> work;
    for (std::uint32_t c = 0; c < place; ++c) {
      const Expr v = own(k, member.index, c, true);
      squares.push_back(graph().multiply(v, v));
      if (!gravity.empty()) work.push_back(graph().multiply(gravity[c], own(k, member.index, c, false)));
    }
    const Expr straight[] = {graph().number(0.5), m, graph().add(squares)};
    std::vector<Expr> kinetic = {graph().multiply(straight)};
    const std::vector<double>& inertia = model_.rigids[k].inertia;
    if (body.turns()) {
      std::array<double, 9> own_inertia{};
      for (std::size_t i = 0; i < 9; ++i) own_inertia.at(i) = inertia[9 * std::size_t{number} + i];
      for (std::size_t i = 0; i < 3; ++i) {
        if (own_inertia.at(4 * i) == 0) own_inertia.at(4 * i) = own_inertia.at(4 * ((i + 1) % 3));
      }
      Turn turn({&graph()});
      const Turn::Four e = quaternion(k, member.index, false);
      const Turn::Four rate = quaternion(k, member.index, true);
      const Turn::Three w = turn.own_spin(e, rate);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = i; j < 3; ++j) {
          const Expr factors[] = {graph().number(own_inertia.at(3 * i + j) * (i == j ? 0.5 : 1)), w.at(i), w.at(j)};
          kinetic.push_back(graph().multiply(factors));
        }
      }
      const Expr along = turn.inner(e, rate);
      const double length = 2.0 / 3 * (own_inertia[0] + own_inertia[4] + own_inertia[8]);
      const Expr factors[] = {graph().number(length), along, along};
      kinetic.push_back(graph().divide(graph().multiply(factors), turn.inner(e, e)));
    } else {
      const Expr w = own(k, member.index, 2, true);
      const Expr factors[] = {graph().number(inertia[number] / 2), w, w};
      kinetic.push_back(graph().multiply(factors));
    }
    const auto put = [&](std::vector<SymbolicEnergy>& list, Expr value) {
      if (graph().is_number(value, 0)) return;
      SymbolicEnergy energy;
      static_cast<SymbolicMember&>(energy) = member;
      energy.value = value;
      list.push_back(std::move(energy));
    };
    put(out_.kinetic, graph().add(kinetic));
    if (!work.empty()) put(out_.potential, graph().negate(graph().multiply(m, graph().add(work))));

    const Value* force = table.find("force");
    const Value* torque = table.find("torque");
    if (force == nullptr && torque == nullptr) return;
    out.force.assign(body.dimension, graph().number(0));
    if (force != nullptr) {
      const NamedQuantity value = walk(formulas_.expression(*force));
      std::copy_n(value.part.begin(), place, out.force.begin());
    }
    if (torque != nullptr) {
      const NamedQuantity value = walk(formulas_.expression(*torque));
      if (body.turns()) {
        const Turn::Four turning = Turn({&graph()}).force_of_torque(quaternion(k, member.index, false), value.part);
        std::copy(turning.begin(), turning.end(), out.force.begin() + 3);
      } else {
        out.force[2] = value.part[0];
      }
    }
  }

  /// The number of a member; of all members at once that of the first, if they are alike.
  std::uint32_t member_number(const Body& body, const SymbolicMember& member) {
    if (!member.ranges.empty()) {
      const std::vector<double>& inertia =
          model_.rigids[static_cast<std::size_t>(&body - model_.bodies.data())].inertia;
      const std::size_t size = inertia.size() / body.members();
      for (std::uint32_t k = 1; k < body.members(); ++k) {
        if (!std::equal(inertia.begin(), inertia.begin() + static_cast<std::ptrdiff_t>(size),
                        inertia.begin() + static_cast<std::ptrdiff_t>(k * size)) ||
            model_.point_mass[body.first] != model_.point_mass[body.first + k * body.dimension]) {
          throw MembersDiffer{};
        }
      }
      return 0;
    }
    std::uint32_t number = 0;
    for (std::size_t d = 0; d < member.index.size(); ++d) {
      number = number * body.counts[d] + static_cast<std::uint32_t>(whole(member.index[d])) - 1;
    }
    return number;
  }

  // Energies: sums that stand linearly in them become ranges.

  struct Summand {
    const Syntax* syntax = nullptr;
    std::vector<std::pair<const Syntax*, bool>> factors;  ///< in front; true: dividing
    bool negative = false;
    std::vector<RangeSyntax> ranges;
  };

  static bool linear_in_sum(const Syntax& s) {
    switch (s.kind) {
      case SyntaxKind::sum_over: return true;
      case SyntaxKind::negate: return linear_in_sum(s.children[0]);
      case SyntaxKind::sum: return std::any_of(s.children.begin(), s.children.end(), linear_in_sum);
      case SyntaxKind::product: {
        std::ptrdiff_t sums = 0;
        for (std::size_t k = 0; k < s.children.size(); ++k) {
          if (linear_in_sum(s.children[k])) sums += s.inverse[k] ? 2 : 1;
        }
        return sums == 1;
      }
      default: return false;
    }
  }

  void draw_out(const Syntax& s, Summand summand, std::vector<Summand>& out) {
    summand.syntax = &s;
    if (!linear_in_sum(s)) {
      out.push_back(std::move(summand));
      return;
    }
    switch (s.kind) {
      case SyntaxKind::negate:
        summand.negative = !summand.negative;
        draw_out(s.children[0], std::move(summand), out);
        return;
      case SyntaxKind::sum:
        for (std::size_t k = 0; k < s.children.size(); ++k) {
          Summand part = summand;
          part.negative = part.negative != s.inverse[k];
          draw_out(s.children[k], std::move(part), out);
        }
        return;
      case SyntaxKind::product: {
        const Syntax* inner = nullptr;
        for (std::size_t k = 0; k < s.children.size(); ++k) {
          if (linear_in_sum(s.children[k])) {
            inner = &s.children[k];
          } else {
            summand.factors.emplace_back(&s.children[k], s.inverse[k]);
          }
        }
        if (inner != nullptr) draw_out(*inner, std::move(summand), out);
        return;
      }
      default:
        summand.ranges.push_back({s.name, s.offset, s.children[0], s.children[1]});
        draw_out(s.children[2], std::move(summand), out);
    }
  }

  void write_energy(std::string_view key, std::vector<SymbolicEnergy>& out) {
    const Value* value = find("energy", key);
    if (value == nullptr) return;
    const Syntax whole = formulas_.expression(*value);
    std::vector<Summand> summands;
    draw_out(whole, {}, summands);
    for (const Summand& summand : summands) {
      for_members(summand.ranges, members_, [&](const SymbolicMember& member) {
        std::vector<Expr> above = {walk(*summand.syntax).part[0]};
        std::vector<Expr> below;
        for (const auto& [factor, inverse] : summand.factors) {
          (inverse ? below : above).push_back(walk(*factor).part[0]);
        }
        Expr e = graph().divide(graph().multiply(above), graph().multiply(below));
        if (summand.negative) e = graph().negate(e);
        // What has no indices is one expression.
        if (member.ranges.empty()) {
          for (SymbolicEnergy& other : out) {
            if (!other.ranges.empty()) continue;
            other.value = graph().add(other.value, e);
            return;
          }
        }
        SymbolicEnergy energy;
        static_cast<SymbolicMember&>(energy) = member;
        energy.value = e;
        out.push_back(std::move(energy));
      });
    }
  }

  // Conditions.

  void write_condition(std::uint32_t number, const Value& text, const Value* ranges_value) {
    std::vector<RangeSyntax> ranges;
    if (ranges_value != nullptr) ranges = formulas_.ranges(*ranges_value);
    write_condition(number, formulas_.alternatives(text), ranges);
  }

  void write_condition(std::uint32_t number, const expressions::AlternativeSyntax& all,
                       const std::vector<RangeSyntax>& ranges) {
    const Condition& condition = model_.conditions[number];

    // Members of different kinds cannot share an expression.
    bool one_by_one = members_;
    for (std::uint32_t row = 0; row < condition.rows; ++row) {
      one_by_one = one_by_one || model_.row_kind[condition.first_row + row] !=
                                     model_.row_kind[condition.first_row + row % condition.components];
    }
    std::uint32_t row = condition.first_row;
    for_members(ranges, one_by_one, [&](const SymbolicMember& member) {
      // Of alternatives the least.
      std::vector<NamedQuantity> parts;
      for (const expressions::ConditionSyntax& syntax : all) {
        NamedQuantity left = walk(syntax.left);
        NamedQuantity right = walk(syntax.right);
        if (syntax.relation == Relation::greater_equal) std::swap(left, right);
        parts.push_back(added({left, negated(right)}));
      }
      NamedQuantity f = parts[0];
      if (parts.size() > 1) {
        std::vector<Expr> values;
        for (const NamedQuantity& part : parts) values.push_back(part.part[0]);
        f = scalar(graph().apply(Function::min, values));
      }
      SymbolicCondition out;
      static_cast<SymbolicMember&>(out) = member;
      out.condition = number;
      out.first_row = row;
      for (std::uint32_t c = 0; c < f.parts(); ++c) {
        // A condition on positions in which velocities stand and cancel is one without them.
        Expr e = f.part.at(c);
        if (is_holonomic(model_.row_kind[row + c])) {
          e = expressions::substitute(graph(), e, [&](Symbol symbol) {
            return symbol.kind == SymbolKind::velocity ? graph().number(0) : graph().symbol(symbol);
          });
        }
        out.f.push_back(e);
      }
      row += condition.components;
      out_.conditions.push_back(std::move(out));
    });
  }

  void write_conditions() {
    std::uint32_t number = 0;
    if (const Value* table = find("constraints")) {
      for (const Field& field : table->fields) {
        const bool long_form = field.value.kind == ValueKind::table;
        const Value& text = long_form ? *field.value.find("condition") : field.value;
        write_condition(number++, text, long_form ? field.value.find("for") : nullptr);
      }
    }
    for (const Generated& one : model_.generated) {
      if (one.condition >= model_.conditions.size()) continue;
      const std::string& name = model_.conditions[number].name;
      std::vector<RangeSyntax> ranges;
      if (!one.ranges.empty()) ranges = formulas_.outside_ranges(name, one.ranges);
      for (const auto& [word, value] : one.numbers) bindings_.emplace_back(word, graph().number(value));
      write_condition(number, formulas_.outside_condition(name, one.formula), ranges);
      bindings_.clear();
      ++number;
    }
    if (const Value* list = find("seizures")) {
      for (const Value& table : list->items) write_condition(number++, *table.find("condition"), nullptr);
    }
    for (; number < model_.conditions.size(); ++number) write_implied(number);
  }

  /// What the equations imply stands in no file: sum c q - d, members by their numbers.
  void write_implied(std::uint32_t number) {
    const std::uint32_t row = model_.conditions[number].first_row;
    const RowGroup& group = model_.groups[model_.row_group[row]];
    const std::uint32_t lane = model_.row_lane[row];
    // What is said of orientations and of time is written in the language of the model.
    if (group.constants == 0) {
      const Condition& condition = model_.conditions[number];
      write_condition(number, formulas_.outside_condition(condition.name, condition.text), {});
      return;
    }
    std::vector<Expr> terms;
    for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
      const std::uint32_t variable = group.position_of[std::size_t{slot} * group.lanes + lane];
      const double c = group.constant_of[std::size_t{slot} * group.lanes + lane];
      terms.push_back(graph().multiply(graph().number(c), graph().symbol({SymbolKind::position, named(variable)})));
    }
    terms.push_back(graph().number(-group.constant_of[std::size_t{group.positions} * group.lanes + lane]));
    SymbolicCondition out;
    out.condition = number;
    out.first_row = row;
    out.f.push_back(graph().add(terms));
    out_.conditions.push_back(std::move(out));
  }

  /// A variable of the model by its body and indices.
  std::uint32_t named(std::uint32_t variable) {
    std::uint32_t body = 0;
    while (body + 1 < model_.bodies.size() && model_.bodies[body + 1].first <= variable) ++body;
    const Body& of = model_.bodies[body];
    std::uint32_t member = (variable - of.first) / of.dimension;
    std::vector<Expr> index;
    for (std::size_t k = of.counts.size(); k-- > 0; member /= of.counts[k]) {
      index.insert(index.begin(), graph().number(1.0 + member % of.counts[k]));
    }
    return out_.variable(body, (variable - of.first) % of.dimension, index);
  }

  const Draft::Content& content_;
  Formulas formulas_;
  const Model& model_;
  bool members_;
  Symbols out_;
  std::map<std::string, std::uint32_t, std::less<>> parameter_of_;
  std::map<std::string, std::uint32_t, std::less<>> body_of_;
  std::vector<std::pair<std::string, Expr>> bindings_;
};

}  // namespace

Symbols symbols(const Draft& draft, const Model& model, bool members) {
  return Writer(draft.content(), model, members).run();
}

}  // namespace zwang::model
