/// Names of variables, multipliers and members, and the sums they stand in.
#include "zwang/report/equations_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

#include "zwang/base/number.hpp"

namespace zwang::report {

using expressions::Expr;
using expressions::Notation;
using expressions::Symbol;
using expressions::SymbolKind;
using model::NameSort;

namespace {

constexpr std::array<std::string_view, 24> greek = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta",     "theta", "iota", "kappa", "lambda", "mu",
    "nu",    "xi",   "pi",    "rho",   "sigma",   "tau",  "upsilon", "phi",   "chi",  "psi",   "omega",  "Omega"};

/// Blanks taken out, for brackets.
std::string tight(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// In parentheses that grow with their content.
std::string enclosed(const std::string& text, bool latex) {
  return latex ? fmt::format("\\left({}\\right)", text) : fmt::format("({})", text);
}

std::string upright(const std::string& word) {
  std::string out;
  for (const char c : word) out += c == '_' ? std::string("\\_") : std::string(1, c);
  return word.size() == 1 ? out : "\\mathrm{" + out + "}";
}

}  // namespace

std::size_t formula_signs(std::string_view latex) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < latex.size(); ++k) {
    const char c = latex[k];
    if (c == '\\') {
      while (k + 1 < latex.size() && std::isalpha(static_cast<unsigned char>(latex[k + 1])) != 0) ++k;
      ++count;
    } else if (c != '{' && c != '}' && c != ' ' && c != '_' && c != '^') {
      ++count;
    }
  }
  return count;
}

std::vector<std::string> broken_formula(const std::string& latex, std::size_t length) {
  std::vector<std::string> lines(1);
  int depth = 0;
  std::size_t begin = 0;
  const auto flush = [&](std::size_t end) {
    const std::string term = latex.substr(begin, end - begin);
    if (!lines.back().empty() && formula_signs(lines.back()) + formula_signs(term) > length) lines.emplace_back();
    lines.back() += term;
    begin = end;
  };
  for (std::size_t k = 0; k < latex.size(); ++k) {
    if (latex[k] == '{' || latex.compare(k, 5, "\\left") == 0 || latex.compare(k, 6, "\\begin") == 0) ++depth;
    if (latex[k] == '}' || latex.compare(k, 6, "\\right") == 0 || latex.compare(k, 4, "\\end") == 0) --depth;
    if (depth != 0 || latex[k] != ' ' || k + 2 >= latex.size()) continue;
    if ((latex[k + 1] == '+' || latex[k + 1] == '-') && latex[k + 2] == ' ') flush(k);
  }
  flush(latex.size());
  return lines;
}

EquationNames::EquationNames(const model::Model& model, const analysis::Equations& equations, Notation notation)
    : model_(model), equations_(equations), latex_(notation == Notation::latex) {
  script_.notation = notation;
  script_.names = [this](Symbol symbol) { return name(symbol); };
  script_.ranks = [this](Symbol symbol) { return analysis::rank(equations_.symbols, symbol); };

  // Words of the user are not given to anything else.
  std::set<std::string> taken;
  for (const model::Parameter& parameter : model.parameters) taken.insert(parameter.name);
  for (const model::Body& body : model.bodies) taken.insert(body.name);
  single_ = equations.rows.size() == 1 && equations.symbols.conditions[0].index.empty() && !taken.contains("lambda") &&
            !taken.contains("rho");
  for (std::size_t k = 0; k < equations.roots.size(); ++k) {
    const analysis::Root& root = equations.roots[k];
    std::string wanted = "r";
    if (equations.roots.size() > 1) {
      std::size_t of_row = 0;
      for (const analysis::Root& other : equations.roots) of_row += other.in_row && other.row == root.row ? 1 : 0;
      wanted = fmt::format("r{}", k + 1);
      if (root.in_row && of_row == 1) {
        const model::SymbolicCondition& condition = equations.symbols.conditions[equations.rows[root.row].member];
        if (equations.rows[root.row].component == 0 && (condition.index.empty() || !condition.ranges.empty())) {
          wanted = "r_" + model.conditions[condition.condition].name;
        }
      }
    }
    while (!taken.insert(wanted).second) wanted += "_";
    root_names_.push_back(wanted);
  }
}

std::string EquationNames::write(Expr e) const { return expressions::write(equations_.symbols.graph, e, script_); }

std::string EquationNames::index(const std::vector<Expr>& index) const {
  std::string out;
  for (const Expr e : index) out += (out.empty() ? "" : ",") + tight(write(e));
  return out;
}

std::string EquationNames::ranges(const std::vector<model::SymbolicRange>& ranges) const {
  std::string out;
  for (const model::SymbolicRange& range : ranges) {
    out += fmt::format("{}{} = {}{}{}", out.empty() ? "" : ", ", range.name, tight(write(range.low)),
                       latex_ ? ", \\dots, " : "..", tight(write(range.high)));
  }
  return out;
}

/// A word as a symbol: Greek letters, digits at its end as a subscript, long names upright.
std::string EquationNames::latex_name(const std::string& name, std::string subscript, unsigned dots) const {
  std::size_t end = name.size();
  while (end > 1 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
  std::string stem = name.substr(0, end);
  std::string digits = name.substr(end);
  while (stem.size() > 1 && stem.back() == '_') stem.pop_back();
  std::string letter = upright(stem);
  if (std::find(greek.begin(), greek.end(), stem) != greek.end()) letter = "\\" + stem;
  if (dots > 0) letter = (dots == 1 ? "\\dot{" : "\\ddot{") + letter + "}";
  if (!digits.empty() && !subscript.empty()) digits += ",";
  subscript = digits + subscript;
  return subscript.empty() ? letter : letter + "_{" + subscript + "}";
}

std::string EquationNames::attached(const std::string& base, const std::string& name, const std::vector<Expr>& index,
                                    const std::string& component) const {
  if (latex_) {
    std::string out = base + "_{" + upright(name);
    if (!index.empty()) out += "," + this->index(index);
    if (!component.empty()) out += "," + component;
    return out + "}";
  }
  std::string out = base + "_" + name;
  if (!index.empty()) out += "[" + this->index(index) + "]";
  if (!component.empty()) out += "." + component;
  return out;
}

std::string EquationNames::state(const model::Reference& reference, unsigned dots) const {
  const model::Body& body = model_.bodies[reference.body];
  const std::string letter(model::component_name(body, reference.component));
  if (latex_) {
    std::string subscript = index(reference.index);
    if (body.kind == model::BodyKind::coordinate) return latex_name(body.name, subscript, dots);
    return latex_name(letter, upright(body.name) + (subscript.empty() ? "" : ",") + subscript, dots);
  }
  std::string out = body.name;
  if (!reference.index.empty()) out += "[" + index(reference.index) + "]";
  if (body.kind != model::BodyKind::coordinate) out += "." + letter;
  return out + std::string(dots, '\'');
}

std::string EquationNames::root_name(std::uint32_t root) const {
  if (!latex_) return root_names_[root];
  const std::string& name = root_names_[root];
  const std::size_t underscore = name.find('_');
  return underscore == 1 ? "r_{" + upright(name.substr(2)) + "}" : latex_name(name);
}

std::string EquationNames::root(std::uint32_t root) const {
  std::vector<Expr> index;
  const analysis::Root& made = equations_.roots[root];
  for (std::size_t k = 0; k < equations_.symbols.constants.size(); ++k) {
    const model::NamedConstant& constant = equations_.symbols.constants[k];
    if (constant.sort != NameSort::root || constant.subject != root) continue;
    if (constant.index.size() == made.index.size()) return name({SymbolKind::constant, static_cast<std::uint32_t>(k)});
  }
  return root_name(root);
}

std::string EquationNames::name(Symbol symbol) const {
  const model::Symbols& symbols = equations_.symbols;
  switch (symbol.kind) {
    case SymbolKind::time: return "t";
    case SymbolKind::position: return state(symbols.variables[symbol.index], 0);
    case SymbolKind::velocity: return state(symbols.variables[symbol.index], 1);
    case SymbolKind::mode:
    case SymbolKind::constant: break;
  }
  const model::NamedConstant& constant = symbols.constants[symbol.index];
  const model::Reference reference{constant.subject, constant.component, constant.index};
  switch (constant.sort) {
    case NameSort::parameter: {
      if (!latex_) return constant.name;
      const std::size_t dot = constant.name.find('.');
      if (dot == std::string::npos) return latex_name(constant.name);
      return latex_name(constant.name.substr(dot + 1), upright(constant.name.substr(0, dot)));
    }
    case NameSort::index: return constant.name;
    case NameSort::pi: return latex_ ? "\\pi" : "pi";
    case NameSort::acceleration: return state(reference, 2);
    case NameSort::free: return latex_ ? state(reference, 2) + "^{\\,0}" : "free(" + state(reference, 2) + ")";
    case NameSort::root: {
      std::string base = root_name(constant.subject);
      if (constant.index.empty()) return base;
      if (!latex_) return base + "[" + index(constant.index) + "]";
      if (base.back() == '}') return base.substr(0, base.size() - 1) + "," + index(constant.index) + "}";
      return base + "_{" + index(constant.index) + "}";
    }
    default: break;
  }

  // Multipliers.
  const model::Condition& condition = model_.conditions[constant.subject];
  std::string base = latex_ ? "\\lambda" : "lambda";
  if (constant.sort == NameSort::rate) base = latex_ ? "\\dot{f}" : "f";
  if (constant.sort == NameSort::rho) base = latex_ ? "\\varrho" : "rho";
  if (constant.sort == NameSort::rho_rate) base = latex_ ? "\\dot{\\varrho}" : "rho";
  const std::string component =
      condition.components > 1 && !condition.compound ? std::string(1, "xyz"[constant.component]) : std::string();
  const std::string out = single_ ? base : attached(base, condition.name, constant.index, component);
  const bool rate = constant.sort == NameSort::rho_rate || constant.sort == NameSort::rate;
  return !latex_ && rate ? out + "'" : out;
}

std::string EquationNames::row(std::uint32_t row) const {
  return this->row(row, equations_.symbols.conditions[equations_.rows[row].member].index);
}

std::string EquationNames::row(std::uint32_t row, const std::vector<Expr>& index) const {
  const analysis::EquationRow& r = equations_.rows[row];
  const model::Condition& condition = model_.conditions[equations_.symbols.conditions[r.member].condition];
  const std::string inside = this->index(index);
  const std::string component =
      condition.components > 1 && !condition.compound ? std::string(1, "xyz"[r.component]) : "";
  if (latex_) {
    return upright(condition.name) + (inside.empty() ? "" : "_{" + inside + "}") +
           (component.empty() ? "" : "." + component);
  }
  return condition.name + (inside.empty() ? "" : "[" + inside + "]") + (component.empty() ? "" : "." + component);
}

std::string EquationNames::pieces(const std::vector<analysis::Piece>& pieces) const {
  const expressions::Graph& graph = equations_.symbols.graph;
  std::string out;
  for (const analysis::Piece& piece : pieces) {
    // A plain part, or one in brackets, or one under a sum.
    if (piece.plain()) {
      out += out.empty() ? write(piece.value) : expressions::write_further(graph, piece.value, script_);
      continue;
    }
    std::string text = write(piece.value);
    const bool minus = text.starts_with('-') && graph.node(piece.value).kind != expressions::NodeKind::sum;
    if (minus) text.erase(0, 1);
    if (!piece.when.empty() || !piece.within.empty()) {
      const bool sum = graph.node(piece.value).kind == expressions::NodeKind::sum;
      if (sum) text = enclosed(text, latex_);
      std::string front;
      for (const auto& [left, right] : piece.when) {
        front += fmt::format("[{} = {}]{}", tight(write(left)), tight(write(right)), latex_ ? " \\, " : "*");
      }
      for (const auto& [left, right] : piece.within) {
        front += fmt::format("[{} {} {}]{}", tight(write(left)), latex_ ? "\\le" : "<=", tight(write(right)),
                             latex_ ? " \\, " : "*");
      }
      text.insert(0, front);
      brackets_ = true;
    }
    if (!piece.over.empty()) {
      if (latex_) {
        const bool bare =
            graph.node(piece.value).kind == expressions::NodeKind::sum && piece.when.empty() && piece.within.empty();
        if (bare) text = enclosed(text, true);
        text.insert(0, sum_signs(piece.over));
      } else {
        text = fmt::format("sum({}, {})", ranges(piece.over), text);
      }
    }
    out += out.empty() ? (minus ? "-" : "") + text : (minus ? " - " : " + ") + text;
  }
  return out.empty() ? "0" : out;
}

std::string EquationNames::sum_signs(const std::vector<model::SymbolicRange>& ranges) const {
  std::string out;
  for (const model::SymbolicRange& range : ranges) {
    out += fmt::format("\\sum_{{{}={}}}^{{{}}} ", range.name, tight(write(range.low)), tight(write(range.high)));
  }
  return out;
}

std::string EquationNames::energy(const std::vector<model::SymbolicEnergy>& parts) const {
  std::string out;
  for (const model::SymbolicEnergy& part : parts) {
    std::string text = write(part.value);
    if (!part.ranges.empty()) {
      if (latex_) {
        const bool sum = equations_.symbols.graph.node(part.value).kind == expressions::NodeKind::sum;
        if (sum || text.starts_with('-')) text = enclosed(text, true);
        text.insert(0, sum_signs(part.ranges));
      } else {
        const bool minus =
            text.starts_with('-') && equations_.symbols.graph.node(part.value).kind != expressions::NodeKind::sum;
        text = fmt::format("{}sum({}, {})", minus ? "-" : "", ranges(part.ranges), minus ? text.substr(1) : text);
      }
    }
    if (out.empty()) {
      out = text;
    } else {
      out += text.starts_with('-') ? " - " + text.substr(1) : " + " + text;
    }
  }
  return out.empty() ? "0" : out;
}

std::vector<std::string> EquationNames::parameters() const {
  // Those that occur anywhere.
  std::set<std::uint32_t> seen;
  const model::Symbols& symbols = equations_.symbols;
  const auto look = [&](Expr e) {
    for (const Symbol symbol : expressions::symbols(symbols.graph, e)) {
      if (symbol.kind != SymbolKind::constant) continue;
      const model::NamedConstant& constant = symbols.constants[symbol.index];
      if (constant.sort == NameSort::parameter) seen.insert(constant.subject);
    }
  };
  const auto look_member = [&](const model::SymbolicMember& member) {
    for (const model::SymbolicRange& range : member.ranges) {
      look(range.low);
      look(range.high);
    }
  };
  for (const analysis::EquationRow& row : equations_.rows) {
    look(row.f);
    look_member(symbols.conditions[row.member]);
  }
  for (const model::SymbolicBody& body : symbols.bodies) look_member(body);
  for (const auto* energies : {&equations_.kinetic, &equations_.potential}) {
    for (const model::SymbolicEnergy& energy : *energies) {
      look(energy.value);
      look_member(energy);
    }
  }
  for (const analysis::Root& root : equations_.roots) look(root.sum);
  for (const model::Reference& variable : symbols.variables) {
    for (const Expr e : variable.index) look(e);
  }
  for (const analysis::EquationLine& line : equations_.lines) {
    for (const auto* pieces : {&line.left, &line.force, &line.reaction}) {
      for (const analysis::Piece& piece : *pieces) look(piece.value);
    }
  }
  std::vector<std::string> out;
  for (const std::uint32_t k : seen) {
    const model::Parameter& parameter = model_.parameters[k];
    std::string value;
    for (const double v : parameter.value) value += (value.empty() ? "" : ", ") + exact(v);
    if (parameter.value.size() > 1) value = fmt::format(fmt::runtime(latex_ ? "({})" : "[{}]"), value);
    out.push_back(fmt::format("{} = {}", latex_ ? latex_name(parameter.name) : parameter.name, value));
  }
  return out;
}

}  // namespace zwang::report
