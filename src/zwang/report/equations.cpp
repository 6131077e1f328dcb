/// The equations of motion in the notation asked for, and as JSON.
#include "zwang/report/equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/expressions/traversal.hpp"
#include "zwang/model/symbols.hpp"
#include "zwang/report/equations_names.hpp"
#include "zwang/report/newton_euler.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

using expressions::Notation;

std::string equations_in(Notation notation, const model::Model& model, analysis::Equations& equations,
                         const Parameters& parameters) {
  switch (notation) {
    case Notation::text: break;
    case Notation::latex: return equations_latex(model, equations);
    case Notation::cpp: return equations_cpp(model, equations, parameters);
    case Notation::python: return equations_python(model, equations, parameters);
  }
  return equations_text(model, equations);
}

std::string equations_json(Notation notation, const model::Model& model, analysis::Equations& equations,
                           const Parameters& parameters) {
  constexpr const char* formats[] = {"text", "latex", "cpp", "python"};
  const std::string whole = equations_in(notation, model, equations, parameters);

  // The parts of programs are written as text.
  const EquationNames names(model, equations, notation == Notation::latex ? Notation::latex : Notation::text);
  const model::Symbols& symbols = equations.symbols;
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? model.file : model.title);
  json.put("format", formats[static_cast<std::size_t>(notation)]);
  json.open("parameters");
  for (const model::Parameter& parameter : model.parameters) {
    if (parameter.value.size() == 1) {
      json.put(parameter.name, parameter.value[0]);
    } else {
      json.put(parameter.name, parameter.value);
    }
  }
  json.close();
  json.open("where");
  for (std::uint32_t k = 0; k < equations.roots.size(); ++k) {
    const std::string sum = names.write(equations.roots[k].sum);
    json.put(names.root(k), notation == Notation::latex ? "\\sqrt{" + sum + "}" : "sqrt(" + sum + ")");
  }
  json.close();
  if (!symbols.flow) json.put("kinetic", names.energy(equations.kinetic));
  if (!symbols.flow) json.put("potential", names.energy(equations.potential));

  // Equations of motion.
  json.open_list("equations");
  for (const analysis::EquationLine& line : equations.lines) {
    const model::SymbolicBody& body = symbols.bodies[line.member];
    std::string of = model.bodies[body.body].name;
    if (!body.index.empty()) of += "[" + names.index(body.index) + "]";
    if (model.bodies[body.body].kind != model::BodyKind::coordinate) {
      of += fmt::format(".{}", model::component_name(model.bodies[body.body], line.component));
    }
    json.open();
    json.put("of", of);
    if (!body.ranges.empty()) json.put("for", names.ranges(body.ranges));
    json.put("left", names.pieces(line.left));
    json.put("force", names.pieces(line.force));
    json.put("reaction", names.pieces(line.reaction));
    json.close();
  }
  json.close_list();

  // Conditions.
  json.open("conditions");
  for (std::uint32_t k = 0; k < equations.rows.size(); ++k) {
    const analysis::EquationRow& row = equations.rows[k];
    const model::SymbolicCondition& member = symbols.conditions[row.member];
    const EquationNames plain(model, equations, Notation::text);
    json.open(plain.row(k));
    json.put("kind", words(row.kind));
    if (row.variational) json.put("law", "variational");
    if (!member.ranges.empty()) json.put("for", names.ranges(member.ranges));
    json.put("f", names.write(row.f));
    json.put("first", names.write(row.first));
    if (is_holonomic(row.kind) && !symbols.flow) json.put("second", names.write(row.second));
    json.open("gradient");
    for (const analysis::RowEntry& entry : row.entries) {
      if (symbols.graph.is_number(entry.value, 0)) continue;
      json.put(names.script().names({expressions::SymbolKind::position, entry.variable}), names.write(entry.value));
    }
    json.close();
    json.put("multiplier", names.write(row.multiplier));
    if (!is_equation(row.kind)) {
      json.open("events");
      json.put("open", names.write(row.f));
      json.put("closed", names.write(row.multiplier));
      json.close();
    }
    json.close();
  }
  json.close();

  // Phi: only entries that are not zero, above the diagonal too.
  if (!equations.rows.empty() && equations.written) {
    json.open("phi");
    for (const analysis::PhiEntry& entry : equations.phi) {
      json.put(names.row(entry.row, entry.row_index) + ", " + names.row(entry.column, entry.column_index),
               names.pieces(entry.value));
    }
    json.close();
    json.open("phi0");
    for (std::uint32_t k = 0; k < equations.rows.size(); ++k) {
      json.put(names.row(k), names.write(equations.rows[k].free_value));
    }
    json.close();
  }
  json.put("text", whole);
  json.close();
  return json.text();
}

namespace {

/// Everything a program is derived from, written down: what differs here differs there, and is found without deriving anything.
class Content {
 public:
  explicit Content(const model::Symbols& symbols) : symbols_(symbols) {
    for (const model::SymbolicBody& body : symbols.bodies) {
      member(body, body.body);
      root(body.mass);
      list(body.gravity);
      list(body.force);
    }
    for (const model::SymbolicEnergy& energy : symbols.kinetic) {
      member(energy, 0);
      root(energy.value);
    }
    for (const model::SymbolicEnergy& energy : symbols.potential) {
      member(energy, 1);
      root(energy.value);
    }
    for (const model::SymbolicCondition& condition : symbols.conditions) {
      member(condition, condition.condition);
      list(condition.f);
    }
    list(symbols.free);
    for (const model::Reference& variable : symbols.variables) {
      text_ += fmt::format("v {} {}\n", variable.body, variable.component);
      list(variable.index);
    }
    for (const model::NamedConstant& constant : symbols.constants) {
      text_ += fmt::format("c {} {} {}\n", static_cast<int>(constant.sort), constant.name, constant.component);
      list(constant.index);
    }
  }

  std::string take() {
    const std::vector<expressions::Expr> sorted = expressions::parts(symbols_.graph, roots_);
    const auto place = [&](expressions::Expr e) {
      return std::lower_bound(sorted.begin(), sorted.end(), e) - sorted.begin();
    };
    for (const expressions::Expr e : sorted) {
      const expressions::Node node = symbols_.graph.node(e);
      text_ += fmt::format("{} {} {} {} {}", static_cast<int>(node.kind), static_cast<int>(node.function),
                           static_cast<int>(node.symbol.kind), node.symbol.index, exact(node.number));
      for (const expressions::Expr child : node.children) text_ += fmt::format(" {}", place(child));
      text_ += '\n';
    }
    for (const expressions::Expr e : roots_) text_ += fmt::format("{} ", place(e));
    return std::move(text_);
  }

 private:
  void root(expressions::Expr e) { roots_.push_back(e); }
  void list(const std::vector<expressions::Expr>& all) {
    text_ += fmt::format("l {}\n", all.size());
    roots_.insert(roots_.end(), all.begin(), all.end());
  }
  void member(const model::SymbolicMember& one, std::uint32_t number) {
    text_ += fmt::format("m {} {}\n", number, one.ranges.size());
    for (const model::SymbolicRange& range : one.ranges) {
      text_ += range.name + '\n';
      root(range.low);
      root(range.high);
    }
    list(one.index);
  }

  const model::Symbols& symbols_;
  std::string text_;
  std::vector<expressions::Expr> roots_;
};

/// The content of the model whose parameters `moved` have other values by a part of themselves; nothing if there is no such model.
std::string content_beside(const model::Draft& draft, const model::Model& model, bool members,
                           const std::set<std::uint32_t>& moved, double part) {
  model::Overrides overrides;
  for (std::uint32_t k = 0; k < model.parameters.size(); ++k) {
    const model::Parameter& parameter = model.parameters[k];
    std::string value;
    for (const double one : parameter.value) {
      const double other = one == 0 ? part : one + part * one;
      value += (value.empty() ? "" : ", ") + exact(moved.contains(k) ? other : one);
    }
    overrides.parameters.emplace_back(parameter.name, parameter.value.size() > 1 ? "[" + value + "]" : value);
  }
  try {
    const model::Model beside = model::compile(draft, overrides);
    // How many members families have, and where their rows begin, is numbers in a program.
    std::string layout = fmt::format("{} {}\n", beside.variables, beside.rows());
    for (const model::Body& body : beside.bodies) layout += fmt::format("{} ", body.first);
    for (const model::Condition& condition : beside.conditions) layout += fmt::format("{} ", condition.first_row);
    return layout + Content(model::symbols(draft, beside, members)).take();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::set<std::uint32_t> fixed_parameters(const model::Draft& draft, const model::Model& model, bool members) {
  constexpr double part = 1.0 / 64;  // exact in all numbers that people write, and no count stays one
  const std::string here = content_beside(draft, model, members, {}, 0);
  std::set<std::uint32_t> all, out;
  for (std::uint32_t k = 0; k < model.parameters.size(); ++k) all.insert(k);
  // Mostly all of them are arguments, and one look tells.
  if (all.empty() || content_beside(draft, model, members, all, part) == here) return out;
  for (const std::uint32_t k : all) {
    // One side may be closed to a parameter: no sine is greater than one.
    std::string there = content_beside(draft, model, members, {k}, part);
    if (there.empty()) there = content_beside(draft, model, members, {k}, -part);
    if (there != here) out.insert(k);
  }
  return out;
}

std::string equations_of(Notation notation, const model::Draft& draft, const model::Model& model, bool members,
                         bool json) {
  if (notation == Notation::text || notation == Notation::latex) {
    if (const std::optional<analysis::NewtonEuler> bodies = analysis::newton_euler(draft, model)) {
      if (json) return newton_euler_json(notation, model, *bodies);
      return notation == Notation::latex ? newton_euler_latex(model, *bodies) : newton_euler_text(model, *bodies);
    }
  }
  analysis::Equations equations = analysis::equations(draft, model, members);
  Parameters parameters;
  if (notation == Notation::cpp || notation == Notation::python) {
    parameters.fixed = fixed_parameters(draft, model, members);
  }
  return json ? equations_json(notation, model, equations, parameters)
              : equations_in(notation, model, equations, parameters);
}

}  // namespace zwang::report
