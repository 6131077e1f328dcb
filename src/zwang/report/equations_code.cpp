/// The equations of motion as a C++ file and as a Python module.
///
/// Both programs assemble M, X and, row by row, f, f', the gradient and F (K), solve Phi lambda = Phi^0 over the rows that
/// are held, and give back a = W (X - J^T lambda). Families are loops.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/report/equations.hpp"
#include "zwang/report/rest_words.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

using expressions::Expr;
using expressions::Notation;
using expressions::Symbol;
using expressions::SymbolKind;
using model::NameSort;

namespace {

// Words that mean something in the two languages or in the programs themselves.
constexpr std::array<std::string_view, 169> reserved = {
    "Result",   "len",      "NULL",       "INFINITY",  "NAN",      "range",     "list",    "dict",      "set",
    "tuple",    "map",      "sum",        "abs",       "round",    "min",       "max",     "numpy",     "EOF",
    "errno",    "assert_",  "isinstance", "print_",    "zip",      "enumerate", "sorted",  "object",    "M_PI",
    "HUGE_VAL", "stdin",    "stdout",     "stderr",    "alignas",  "alignof",   "and",     "and_eq",    "asm",
    "auto",     "bitand",   "bitor",      "bool",      "break",    "case",      "catch",   "char",      "class",
    "compl",    "concept",  "const",      "constexpr", "continue", "decltype",  "default", "delete",    "do",
    "double",   "else",     "enum",       "explicit",  "export",   "extern",    "false",   "float",     "for",
    "friend",   "goto",     "if",         "inline",    "int",      "long",      "mutable", "namespace", "new",
    "noexcept", "not",      "not_eq",     "nullptr",   "operator", "or",        "or_eq",   "private",   "protected",
    "public",   "register", "requires",   "return",    "short",    "signed",    "sizeof",  "static",    "struct",
    "switch",   "template", "this",       "throw",     "true",     "try",       "typedef", "typeid",    "typename",
    "union",    "unsigned", "using",      "virtual",   "void",     "volatile",  "wchar_t", "while",     "xor",
    "xor_eq",   "False",    "None",       "True",      "as",       "assert",    "async",   "await",     "def",
    "del",      "elif",     "except",     "finally",   "from",     "global",    "import",  "in",        "is",
    "lambda",   "nonlocal", "pass",       "raise",     "with",     "yield",     "std",     "np",        "t",
    "q",        "v",        "rho",        "held",      "p",        "X",         "M",       "J",         "F",
    "bend",     "row",      "out",        "value",     "rate",     "variables", "rows",    "Entry",     "Row",
    "State",    "sin",      "cos",        "tan",       "asin",     "acos",      "atan",    "atan2",     "sinh",
    "cosh",     "tanh",     "exp",        "log",       "sqrt",     "floor"};

class Program {
 public:
  Program(const model::Model& model, analysis::Equations& equations, bool python, const Parameters& parameters)
      : model_(model), equations_(equations), python_(python), parameters_(parameters) {
    for (const std::string_view word : reserved) taken_.insert(std::string(word));
    name_parameters();
  }

  std::string text() { return python_ ? python() : cpp(); }

 private:
  using Outputs = std::vector<std::pair<std::string, Expr>>;

  [[nodiscard]] model::Symbols& symbols() { return equations_.symbols; }
  [[nodiscard]] expressions::Graph& graph() { return equations_.symbols.graph; }

  // Names.

  static std::string plain(std::string text) {
    std::erase(text, ' ');
    for (char& c : text) {
      const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (!fine) c = '_';
    }
    return text;
  }
  /// A name that nothing else has; c1, c2, ... and r1, r2, ... are kept for parts and roots.
  std::string unique(std::string wanted) {
    const bool kept = wanted.size() > 1 && (wanted[0] == 'c' || wanted[0] == 'r') &&
                      wanted.find_first_not_of("0123456789", 1) == std::string::npos;
    if (kept) wanted += "_";
    while (!taken_.insert(wanted).second) wanted += "_";
    return wanted;
  }

  void name_parameters() {
    // They live in a structure of their own, where only the words of the languages are taken.
    for (std::uint32_t k = 0; k < symbols().constants.size(); ++k) {
      const model::NamedConstant& constant = symbols().constants[k];
      if (constant.sort != NameSort::parameter || parameters_.fixed.contains(constant.subject)) continue;
      std::string name = plain(constant.name);
      while (std::find(reserved.begin(), reserved.end(), name) != reserved.end() || parameter_words_.contains(name)) {
        name += "_";
      }
      parameter_words_.insert(name);
      parameter_names_[k] = name;
    }
  }

  std::string index_name(std::uint32_t constant) {
    const auto [found, fresh] = index_names_.try_emplace(constant);
    if (fresh) found->second = unique(plain(symbols().constants[constant].name));
    return found->second;
  }

  /// bead[i+1].x is bead_i_1_x.
  std::string variable_name(std::uint32_t variable, bool velocity) {
    const auto [found, fresh] = variable_names_.try_emplace({variable, velocity});
    if (!fresh) return found->second;
    const model::Reference reference = symbols().variables[variable];
    const model::Body& body = model_.bodies[reference.body];
    std::string name = body.name;
    for (const Expr e : reference.index) name += "_" + plain(expressions::write(graph(), e, index_script()));
    if (body.kind != model::BodyKind::coordinate) {
      name += fmt::format("_{}", model::component_name(body, reference.component));
    }
    if (velocity) name += "_dot";
    found->second = unique(name);
    return found->second;
  }

  expressions::Script script(Notation notation) {
    expressions::Script out;
    out.notation = notation;
    out.names = [this](Symbol symbol) { return name(symbol); };
    out.ranks = [this](Symbol symbol) { return analysis::rank(equations_.symbols, symbol); };
    return out;
  }
  expressions::Script script() { return script(python_ ? Notation::python : Notation::cpp); }

  std::string name(Symbol symbol) {
    switch (symbol.kind) {
      case SymbolKind::time: return "t";
      case SymbolKind::position: return variable_name(symbol.index, false);
      case SymbolKind::velocity: return variable_name(symbol.index, true);
      case SymbolKind::mode:
      case SymbolKind::constant: break;
    }
    const model::NamedConstant& constant = symbols().constants[symbol.index];
    switch (constant.sort) {
      case NameSort::parameter: {
        const auto found = parameter_names_.find(symbol.index);
        if (found != parameter_names_.end()) return "p." + found->second;
        return constant.value < 0 ? "(" + decimal(constant.value) + ")" : decimal(constant.value);
      }
      case NameSort::pi: return python_ ? "pi" : "3.141592653589793";
      case NameSort::index:
        return whole_ || python_ ? index_name(symbol.index) : "double(" + index_name(symbol.index) + ")";
      case NameSort::root: {
        const auto [found, fresh] = root_names_.try_emplace(symbol.index);
        if (fresh) found->second = fmt::format("r{}", root_names_.size());
        return found->second;
      }
      default: break;
    }
    return "0";
  }

  // Whole numbers: indices and places.

  /// Parameters as numbers: they shape the system and are fixed in the program.
  Expr shaped(Expr e) {
    model::Symbols::Images images;
    for (std::uint32_t k = 0; k < symbols().constants.size(); ++k) {
      if (symbols().constants[k].sort == NameSort::parameter) images[k] = graph().number(symbols().constants[k].value);
    }
    return expressions::expand(graph(), symbols().relabel(e, images));
  }

  bool is_whole(Expr e) {
    const expressions::Node node = graph().node(e);
    switch (node.kind) {
      case expressions::NodeKind::number: return std::trunc(node.number) == node.number;
      case expressions::NodeKind::symbol: return true;
      case expressions::NodeKind::sum:
      case expressions::NodeKind::product: {
        const std::vector<Expr> children(node.children.begin(), node.children.end());
        return std::all_of(children.begin(), children.end(), [&](Expr child) { return is_whole(child); });
      }
      default: return false;
    }
  }

  std::string whole(Expr e) {
    const Expr numbers = shaped(e);
    if (is_whole(numbers)) {
      whole_ = true;
      std::string text = expressions::write(graph(), numbers, script(Notation::python));
      whole_ = false;
      return text;
    }
    const std::string text = expressions::write(graph(), numbers, script());
    return python_ ? "round(" + text + ")" : "static_cast<int>(std::lround(" + text + "))";
  }

  /// Place of a variable in q.
  std::string place(const model::Reference& reference) {
    const model::Body& body = model_.bodies[reference.body];
    Expr member = graph().number(0);
    for (std::size_t d = 0; d < reference.index.size(); ++d) {
      if (d > 0) member = graph().multiply(member, graph().number(body.counts[d]));
      member = graph().add(member, graph().subtract(reference.index[d], graph().number(1)));
    }
    const Expr first = graph().number(body.first + reference.component);
    const Expr scaled = graph().multiply(graph().number(body.dimension), member);
    const Expr whole_place = shaped(graph().add(scaled, first));
    if (is_whole(whole_place)) return whole(whole_place);

    // An index that is no polynomial is rounded by itself.
    std::string text = "0";
    for (std::size_t d = 0; d < reference.index.size(); ++d) {
      text = d == 0 ? fmt::format("({} - 1)", whole(reference.index[d]))
                    : fmt::format("({}*{} + {} - 1)", text, body.counts[d], whole(reference.index[d]));
    }
    return fmt::format("{}*{} + {}", body.dimension, text, body.first + reference.component);
  }
  std::string place(std::uint32_t variable) { return place(symbols().variables[variable]); }

  // Blocks.

  void line(int depth, const std::string& text) {
    text_ += text.empty() ? "\n" : std::string(static_cast<std::size_t>(depth) * (python_ ? 4 : 2), ' ') + text + "\n";
  }
  void comment(int depth, const std::string& text) {
    const std::string one = comment_text(text);
    line(depth, (python_ ? "#" : "//") + (one.empty() ? one : " " + one));
  }

  int open_loops(int depth, const std::vector<model::SymbolicRange>& ranges) {
    for (const model::SymbolicRange& range : ranges) {
      const std::string name = index_name(range.symbol.index);
      if (python_) {
        line(depth++, fmt::format("for {} in range({}, {} + 1):", name, whole(range.low), whole(range.high)));
      } else {
        line(depth++,
             fmt::format("for (int {0} = {1}; {0} <= {2}; ++{0}) {{", name, whole(range.low), whole(range.high)));
      }
    }
    if (ranges.empty() && !python_) line(depth++, "{");
    return depth;
  }
  void close_loops(int depth, const std::vector<model::SymbolicRange>& ranges) {
    if (python_) return;
    for (std::size_t k = 0; k < std::max<std::size_t>(ranges.size(), 1); ++k) line(--depth, "}");
  }

  void define(int depth, const std::string& name, const std::string& value) {
    line(depth, python_ ? fmt::format("{} = {}", name, value) : fmt::format("const double {} = {};", name, value));
  }

  /// Variables, roots and repeated parts of the outputs, then the outputs: each a pattern with {} for the value.
  void block(int depth, const Outputs& outputs) {
    std::vector<Expr> wanted;
    for (const auto& [pattern, e] : outputs) wanted.push_back(e);

    // Roots and what is under them.
    std::vector<std::pair<Expr, Expr>> roots;
    std::set<Symbol> seen;
    for (const Expr e : wanted) {
      for (const Symbol symbol : expressions::symbols(graph(), e)) {
        if (symbol.kind != SymbolKind::constant || !seen.insert(symbol).second) continue;
        const model::NamedConstant constant = symbols().constants[symbol.index];
        if (constant.sort != NameSort::root) continue;
        const analysis::Root& root = equations_.roots[constant.subject];
        model::Symbols::Images images;
        for (std::size_t d = 0; d < root.index.size(); ++d) images[root.index[d].index] = constant.index[d];
        roots.emplace_back(graph().symbol(symbol), symbols().relabel(root.sum, images));
      }
    }
    std::vector<Expr> all = wanted;
    for (const auto& [symbol, sum] : roots) all.push_back(sum);

    // Variables.
    std::set<Symbol> variables;
    for (const Expr e : all) {
      for (const Symbol symbol : expressions::symbols(graph(), e)) {
        if (symbol.kind == SymbolKind::position || symbol.kind == SymbolKind::velocity) variables.insert(symbol);
      }
    }
    for (const Symbol symbol : variables) {
      const bool velocity = symbol.kind == SymbolKind::velocity;
      define(depth, variable_name(symbol.index, velocity),
             fmt::format("{}[{}]", velocity ? "v" : "q", place(symbol.index)));
    }

    // Repeated parts, those without roots first.
    std::map<std::uint32_t, std::string> names;
    expressions::Script by_name = script();
    by_name.named = [&](Expr e) {
      const auto found = names.find(e.id);
      return found == names.end() ? std::string() : found->second;
    };
    const auto has_root = [&](Expr e) {
      const std::vector<Symbol> found = expressions::symbols(graph(), e);
      return std::any_of(found.begin(), found.end(), [&](Symbol s) {
        return s.kind == SymbolKind::constant && symbols().constants[s.index].sort == NameSort::root;
      });
    };
    const std::vector<Expr> repeated = expressions::repeated_parts(graph(), all);
    const auto define_parts = [&](bool with_roots) {
      for (const Expr e : repeated) {
        if (has_root(e) != with_roots) continue;
        const std::string value = expressions::write(graph(), e, by_name);
        std::string part = fmt::format("c{}", names.size() + 1);
        define(depth, part, value);
        names[e.id] = std::move(part);
      }
    };
    define_parts(false);
    for (const auto& [symbol, sum] : roots) {
      define(depth, name(graph().node(symbol).symbol),
             (python_ ? "sqrt(" : "std::sqrt(") + expressions::write(graph(), sum, by_name) + ")");
    }
    define_parts(true);
    for (const auto& [pattern, e] : outputs) {
      line(depth, fmt::format(fmt::runtime(pattern), expressions::write(graph(), e, by_name)) + (python_ ? "" : ";"));
    }
  }

  bool is_zero(Expr e) { return graph().is_number(e, 0); }

  // The parts of the system.

  void bodies(int depth) {
    for (const model::SymbolicBody& body : std::vector<model::SymbolicBody>(symbols().bodies)) {
      const bool point = model_.bodies[body.body].kind == model::BodyKind::point;
      Outputs outputs;
      const std::uint32_t dimension = model_.bodies[body.body].dimension;
      for (std::uint32_t c = 0; c < dimension; ++c) {
        const std::string k = place({body.body, c, body.index});
        if (point) outputs.emplace_back(add_to_mass(k, k), body.mass);
        std::vector<Expr> force;
        if (point && !body.gravity.empty()) force.push_back(graph().multiply(body.mass, body.gravity[c]));
        if (!body.force.empty()) force.push_back(body.force[c]);
        const Expr sum = graph().add(force);
        if (!is_zero(sum)) outputs.emplace_back(fmt::format("X[{}] += {{}}", k), sum);
      }
      if (outputs.empty()) continue;
      comment(depth,
              fmt::format("{} {}", point ? "mass and forces of" : "force on", member_words(body.body, body.index)));
      const int inside = open_loops(depth, body.ranges);
      block(inside, outputs);
      close_loops(inside, body.ranges);
    }
  }

  std::string member_words(std::uint32_t body, const std::vector<Expr>& index) {
    std::string out = model_.bodies[body].name;
    for (std::size_t k = 0; k < index.size(); ++k) {
      out += (k == 0 ? "[" : ",") + expressions::write(graph(), index[k], index_script());
    }
    return index.empty() ? out : out + "]";
  }
  expressions::Script index_script() {
    expressions::Script out;
    out.names = [this](Symbol symbol) { return symbols().constants[symbol.index].name; };
    return out;
  }

  std::string add_to_mass(const std::string& i, const std::string& j) const {
    if (equations_.diagonal) return fmt::format("M[{}] += {{}}", i);
    return python_ ? fmt::format("M[{}, {}] += {{}}", i, j) : fmt::format("M[({})*variables + {}] += {{}}", i, j);
  }

  void energies(int depth) {
    const auto write = [&](const std::vector<analysis::EquationTerm>& terms, const auto& members, const char* words) {
      for (const analysis::EquationTerm& term : terms) {
        const std::size_t n = term.variables.size();
        Outputs outputs;
        for (std::size_t i = 0; i < n; ++i) {
          if (!is_zero(term.force[i]))
            outputs.emplace_back(fmt::format("X[{}] += {{}}", place(term.variables[i])), term.force[i]);
          for (std::size_t j = 0; j < n && !term.mass.empty(); ++j) {
            if (is_zero(term.mass[i * n + j])) continue;
            outputs.emplace_back(add_to_mass(place(term.variables[i]), place(term.variables[j])), term.mass[i * n + j]);
          }
        }
        if (outputs.empty()) continue;
        comment(depth, words);
        const std::vector<model::SymbolicRange> ranges = members[term.member].ranges;
        const int inside = open_loops(depth, ranges);
        block(inside, outputs);
        close_loops(inside, ranges);
      }
    };
    write(equations_.potential_terms, symbols().potential, "potential energy");
    write(equations_.kinetic_terms, symbols().kinetic, "kinetic energy");
  }

  void conditions(int depth) {
    const std::vector<model::SymbolicCondition> all = symbols().conditions;
    for (std::uint32_t m = 0; m < all.size(); ++m) {
      const model::SymbolicCondition& member = all[m];
      const model::Condition& condition = model_.conditions[member.condition];
      comment(depth, fmt::format("{}: {}", condition.name, condition.text));
      if (!member.ranges.empty()) line(depth, fmt::format("row = {}{}", member.first_row, python_ ? "" : ";"));
      const int inside = open_loops(depth, member.ranges);
      Outputs outputs;
      const std::string end = python_ ? ")" : "})";
      for (const analysis::EquationRow& row : equations_.rows) {
        if (row.member != m) continue;
        std::string at = std::to_string(member.first_row + row.component);
        if (!member.ranges.empty()) at = row.component == 0 ? "row" : fmt::format("row + {}", row.component);
        const bool holonomic = is_holonomic(row.kind);
        if (holonomic) outputs.emplace_back(fmt::format("out.value[{}] = {{}}", at), row.f);
        outputs.emplace_back(fmt::format("out.rate[{}] = {{}}", at), holonomic ? row.first : row.f);
        if (!is_zero(row.curvature)) outputs.emplace_back(fmt::format("F[{}] = {{}}", at), row.curvature);
        for (const analysis::RowEntry& entry : row.entries) {
          const std::string k = place(entry.variable);
          if (!is_zero(entry.value)) outputs.emplace_back(add_entry("J", at, k), entry.value);
          if (!is_zero(entry.bend)) outputs.emplace_back(add_entry("bend", at, k), entry.bend);
        }
      }
      // The parts of one condition are written as one; what is left of their rows stays open.
      for (std::uint32_t c = 1; condition.compound && c < condition.components; ++c) {
        const std::string at =
            member.ranges.empty() ? std::to_string(member.first_row + c) : fmt::format("row + {}", c);
        outputs.emplace_back(fmt::format("out.value[{}] = {{}}", at), graph().number(-1));
      }
      block(inside, outputs);
      if (!member.ranges.empty()) {
        line(inside, fmt::format("row += {}{}", condition.components, python_ ? "" : ";"));
      }
      close_loops(inside, member.ranges);
    }
  }
  std::string add_entry(const std::string& matrix, const std::string& row, const std::string& column) const {
    if (python_) return fmt::format("{}[{}, {}] += {{}}", matrix, row, column);
    return fmt::format("{}[{}].push_back({{{{{}, {{}}}}}})", matrix, row, column);
  }

  [[nodiscard]] bool any_variational() const {
    return std::any_of(equations_.rows.begin(), equations_.rows.end(),
                       [](const analysis::EquationRow& row) { return row.variational; });
  }
  [[nodiscard]] bool any_ranges() const {
    const auto& all = equations_.symbols.conditions;
    return std::any_of(all.begin(), all.end(), [](const auto& member) { return !member.ranges.empty(); });
  }

  void layout() {
    for (const model::Body& body : model_.bodies) {
      std::string at = body.first == 0 && !body.counts.empty() ? "" : std::to_string(body.first);
      const std::string plus = at.empty() ? "" : " + ";
      if (body.counts.size() == 1) at += fmt::format("{}{}*(i - 1)", plus, body.dimension);
      if (body.counts.size() == 2) at += fmt::format("{}{}*({}*(i - 1) + j - 1)", plus, body.dimension, body.counts[1]);
      const std::string name = body.name + (body.counts.empty() ? "" : body.counts.size() == 1 ? "[i]" : "[i,j]");
      if (body.kind == model::BodyKind::coordinate) {
        comment(0, fmt::format("  q[{}]  {}", at, name));
      } else {
        std::string all;
        for (std::uint32_t c = 0; c < body.dimension; ++c) {
          all += fmt::format("{}{}.{}", c == 0 ? "" : ", ", name, model::component_name(body, c));
        }
        comment(0, fmt::format("  q[{}], ...  {}", at, all));
      }
    }
    if (model_.rows() > 0) comment(0, "Rows:");
    for (const model::Condition& condition : model_.conditions) {
      const std::uint32_t last = condition.first_row + condition.rows - 1;
      const std::string numbers =
          condition.rows == 1 ? std::to_string(last) : fmt::format("{}..{}", condition.first_row, last);
      comment(0, fmt::format("  {}  {}: {} ({}{}{})", numbers, condition.name, condition.text,
                             words(model_.row_kind[condition.first_row]),
                             condition.law == model::Law::variational ? ", variational: its multiplier is rho'" : "",
                             condition.seizure ? fmt::format(", from t = {} on", exact(condition.at)) : ""));
    }
  }

  [[nodiscard]] std::string title() const { return model_.title.empty() ? model_.file : model_.title; }

  /// Of the equations: since when they are held.
  [[nodiscard]] std::string when_held() const {
    const bool seizures = std::any_of(model_.conditions.begin(), model_.conditions.end(),
                                      [](const model::Condition& condition) { return condition.seizure; });
    return seizures ? "The equations among the rows: they are held, those of seizures from their time on."
                    : "The equations among the rows: they are always held.";
  }

  std::string values(const char* open, const char* close, bool python) const {
    std::string out;
    for (const model::RowKind kind : model_.row_kind) {
      if (!out.empty()) out += ", ";
      out += is_equation(kind) ? (python ? "True" : "true") : (python ? "False" : "false");
    }
    return open + out + close;
  }

  // C++.

  std::string cpp() {
    comment(0, "Equations of motion: " + title());
    comment(0, "Written by zwang " + std::string(version) + ". Needs C++17 and its standard library alone.");
    comment(0, "");
    comment(0, "  M a = X - sum lambda grad f,   Phi lambda = Phi0 over the rows held,   Phi = J W J^T");
    comment(0, "");
    tell_bodies();
    tell_fixed();
    tell_rest();
    comment(0, "Variables:");
    layout();
    text_ += R"(
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace equations {

)";
    line(0, fmt::format("constexpr std::size_t variables = {};", model_.variables));
    line(0, fmt::format("constexpr std::size_t rows = {};", model_.rows()));
    line(0, "");
    line(0, "struct Parameters {");
    for (const auto& [constant, name] : parameter_names_) {
      line(1, fmt::format("double {} = {};", name, initial(constant)));
    }
    line(0, "};");
    text_ += R"(
/// What holds at one state. For rows on velocities `value` is 0, f itself is `rate`, and its derivative `second`.
struct Result {
  std::vector<double> a;       // accelerations
  std::vector<double> lambda;  // multipliers, rho' of variational rows; 0 for rows that are not held
  std::vector<double> value;   // f
  std::vector<double> rate;    // f'
  std::vector<double> second;  // f''
  // Events: an open row closes when its value (rate, for velocities) reaches 0, a held inequality opens when lambda does.
};

/// )" + when_held() +
             R"(
inline std::vector<bool> equation_rows() {
)";
    if (model_.rows() <= 64) {
      line(1, "return " + values("{", "}", false) + ";");
    } else {
      line(1, "std::vector<bool> out(rows, false);");
      for (const model::Condition& condition : model_.conditions) {
        if (!is_equation(model_.row_kind[condition.first_row])) continue;
        line(1, fmt::format("for (std::size_t row = {}; row < {}; ++row) out[row] = true;", condition.first_row,
                            condition.first_row + condition.rows));
      }
      line(1, "return out;");
    }
    text_ += R"(}

struct Entry {
  int column;
  double value;
};
using Row = std::vector<Entry>;

)";
    text_ += equations_.diagonal ? R"(/// W x for the masses M, which are diagonal.
inline std::vector<double> over_mass(const std::vector<double>& M, std::vector<double> x) {
  for (std::size_t i = 0; i < variables; ++i) x[i] /= M[i];
  return x;
}
)"
                                 : R"(/// W x, by the Cholesky factor that `factor` leaves in M.
inline std::vector<double> over_mass(const std::vector<double>& M, std::vector<double> x) {
  for (std::size_t i = 0; i < variables; ++i) {
    for (std::size_t j = 0; j < i; ++j) x[i] -= M[i*variables + j]*x[j];
    x[i] /= M[i*variables + i];
  }
  for (std::size_t i = variables; i-- > 0;) {
    for (std::size_t j = i + 1; j < variables; ++j) x[i] -= M[j*variables + i]*x[j];
    x[i] /= M[i*variables + i];
  }
  return x;
}
inline void factor(std::vector<double>& M) {
  for (std::size_t i = 0; i < variables; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = M[i*variables + j];
      for (std::size_t k = 0; k < j; ++k) sum -= M[i*variables + k]*M[j*variables + k];
      M[i*variables + j] = i == j ? std::sqrt(sum) : sum/M[j*variables + j];
    }
  }
}
)";
    text_ += R"(
/// Solves A x = b for a symmetric positive semidefinite A; unknowns whose rows depend on earlier ones are 0.
inline std::vector<double> solve(std::vector<double> A, std::vector<double> b) {
  const std::size_t n = b.size();
  std::vector<bool> used(n, true);
  for (std::size_t j = 0; j < n; ++j) {
    double sum = A[j*n + j];
    for (std::size_t k = 0; k < j; ++k) sum -= A[j*n + k]*A[j*n + k];
    used[j] = sum > 1e-12*A[j*n + j];
    const double root = used[j] ? std::sqrt(sum) : 0.0;
    for (std::size_t i = j + 1; i < n; ++i) {
      double rest = A[i*n + j];
      for (std::size_t k = 0; k < j; ++k) rest -= A[i*n + k]*A[j*n + k];
      A[i*n + j] = used[j] ? rest/root : 0.0;
    }
    A[j*n + j] = root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= A[i*n + j]*b[j];
    b[i] = used[i] ? b[i]/A[i*n + i] : 0.0;
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= A[j*n + i]*b[j];
    b[i] = used[i] ? b[i]/A[i*n + i] : 0.0;
  }
  return b;
}

/// Accelerations and multipliers at the state (t, q, v). `held`: rows that bind, equations among them; `rho`: one number
/// per row, used by variational rows alone.
inline Result right_hand_side([[maybe_unused]] double t, const std::vector<double>& q, const std::vector<double>& v,
                              [[maybe_unused]] const std::vector<double>& rho, const std::vector<bool>& held,
                              [[maybe_unused]] const Parameters& p = {}) {
)";
    if (model_.rows() == 0) text_ += "  static_cast<void>(held);\n";
    if (!uses(false)) text_ += "  static_cast<void>(q);\n";
    if (!uses(true)) text_ += "  static_cast<void>(v);\n";
    line(1, "Result out;");
    line(1, fmt::format("std::vector<double> M({}, 0.0);", equations_.diagonal ? "variables" : "variables*variables"));
    line(1, "std::vector<double> X(variables, 0.0);");
    line(0, "");
    bodies(1);
    energies(1);
    line(0, "");
    if (!equations_.diagonal) line(1, "factor(M);");
    if (model_.rows() == 0) {
      text_ += "  out.a = over_mass(M, X);\n  return out;\n}\n\n}  // namespace equations\n";
      return text_;
    }
    line(1, "out.value.assign(rows, 0.0);");
    line(1, "out.rate.assign(rows, 0.0);");
    line(1, "std::vector<Row> J(rows);");
    if (any_variational()) line(1, "std::vector<Row> bend(rows);");
    line(1, "std::vector<double> F(rows, 0.0);");
    if (any_ranges()) line(1, "int row = 0;");
    line(0, "");
    conditions(1);
    line(0, "");
    if (any_variational()) {
      text_ += R"(  // What rho itself adds to the forces.
  for (std::size_t i = 0; i < rows; ++i) {
    if (!held[i]) continue;
    for (const Entry& e : bend[i]) X[e.column] -= rho[i]*e.value;
  }
)";
    }
    text_ += R"(  // Phi lambda = Phi0 over the rows held.
  std::vector<std::size_t> binding;
  for (std::size_t i = 0; i < rows; ++i) {
    if (held[i]) binding.push_back(i);
  }
  const std::size_t m = binding.size();
  const std::vector<double> free = over_mass(M, X);
  std::vector<double> Phi(m*m, 0.0);
  std::vector<double> Phi0(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    std::vector<double> column(variables, 0.0);
    for (const Entry& e : J[binding[i]]) column[e.column] += e.value;
    column = over_mass(M, column);
    for (std::size_t k = 0; k < m; ++k) {
      for (const Entry& e : J[binding[k]]) Phi[k*m + i] += e.value*column[e.column];
    }
    Phi0[i] = F[binding[i]];
    for (const Entry& e : J[binding[i]]) Phi0[i] += e.value*free[e.column];
  }
  const std::vector<double> lambda = solve(Phi, Phi0);

  // a = W (X - J^T lambda), and the second derivatives.
  out.lambda.assign(rows, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    out.lambda[binding[i]] = lambda[i];
    for (const Entry& e : J[binding[i]]) X[e.column] -= lambda[i]*e.value;
  }
  out.a = over_mass(M, X);
  out.second = F;
  for (std::size_t i = 0; i < rows; ++i) {
    for (const Entry& e : J[i]) out.second[i] += e.value*out.a[e.column];
  }
  return out;
}

}  // namespace equations
)";
    return text_;
  }

  /// Programs take bodies as they are kept, paper as Newton and Euler wrote them.
  void tell_bodies() {
    const bool turns =
        std::any_of(model_.bodies.begin(), model_.bodies.end(), [](const model::Body& body) { return body.turns(); });
    if (!turns) return;
    comment(0, "Bodies are written in Lagrange's form, with unit quaternions qw, qx, qy, qz among the variables;");
    comment(0, "spin = 2 (w v' - w' v + v x v') with e = (w, v). The formats text and latex have Newton and Euler.");
    comment(0, "");
  }

  /// Does any position (velocity) occur in what is computed?
  bool uses(bool velocity) {
    const SymbolKind kind = velocity ? SymbolKind::velocity : SymbolKind::position;
    std::vector<Expr> all;
    for (const model::SymbolicBody& body : symbols().bodies)
      all.insert(all.end(), body.force.begin(), body.force.end());
    for (const auto* terms : {&equations_.potential_terms, &equations_.kinetic_terms}) {
      for (const analysis::EquationTerm& term : *terms) {
        all.insert(all.end(), term.force.begin(), term.force.end());
        all.insert(all.end(), term.mass.begin(), term.mass.end());
      }
    }
    for (const analysis::EquationRow& row : equations_.rows) {
      all.insert(all.end(), {row.f, row.curvature});
      if (is_holonomic(row.kind)) all.push_back(row.first);
      for (const analysis::RowEntry& entry : row.entries) all.insert(all.end(), {entry.value, entry.bend});
    }
    for (const analysis::Root& root : equations_.roots) all.push_back(root.sum);
    return std::any_of(all.begin(), all.end(), [&](Expr e) { return expressions::depends_on(graph(), e, kind); });
  }

  /// What a parameter is unless it is given.
  std::string initial(std::uint32_t constant) { return decimal(symbols().constants[constant].value); }
  void tell_fixed() {
    if (parameters_.fixed.empty()) return;
    comment(0, "Fixed here, since numbers were made of them (of bodies, springs, joints, tables, counts):");
    for (const std::uint32_t k : parameters_.fixed) {
      const model::Parameter& parameter = model_.parameters[k];
      std::string value;
      for (const double one : parameter.value) value += (value.empty() ? "" : ", ") + exact(one);
      if (parameter.value.size() > 1) value = "[" + value + "]";
      comment(0, fmt::format("  {} = {}", parameter.name, value));
    }
    comment(0, "Equations for other values: zwang equations MODEL --set NAME=VALUE");
    comment(0, "");
  }

  /// Directions of speeds have no value at rest: what these lines then divide by is 0.
  void tell_rest() {
    if (!has_directions(model_)) return;
    comment(0,
            "At rest a speed has no direction, and what is divided by its norm has no value here: there friction is");
    comment(0, "what keeps it at rest, as long as its size suffices. zwang's own motions find it (mathematics, 21.7).");
    comment(0, "");
  }

  static std::string decimal(double value) {
    std::string out = exact(value);
    if (out.find_first_not_of("-0123456789") == std::string::npos) out += ".0";
    return out;
  }

  // Python.

  std::string python() {
    comment(0, "Equations of motion: " + title());
    comment(0, "Written by zwang " + std::string(version) + ". Needs NumPy.");
    comment(0, "");
    comment(0, "  M a = X - sum lambda grad f,   Phi lambda = Phi0 over the rows held,   Phi = J W J^T");
    comment(0, "");
    tell_bodies();
    tell_fixed();
    tell_rest();
    comment(0, "Variables:");
    layout();
    text_ += R"(
from math import acos, asin, atan, atan2, cos, cosh, exp, floor, log, pi, sin, sinh, sqrt, tan, tanh

import numpy as np

)";
    line(0, fmt::format("variables = {}", model_.variables));
    line(0, fmt::format("rows = {}", model_.rows()));
    line(0, "");
    comment(0, when_held());
    if (model_.rows() <= 64) {
      line(0, "equation_rows = " + values("[", "]", true));
    } else {
      line(0, "equation_rows = [False]*rows");
      for (const model::Condition& condition : model_.conditions) {
        if (!is_equation(model_.row_kind[condition.first_row])) continue;
        line(0, fmt::format("equation_rows[{}:{}] = [True]*{}", condition.first_row,
                            condition.first_row + condition.rows, condition.rows));
      }
    }
    text_ += "\n\nclass Parameters:\n";
    if (parameter_names_.empty()) line(1, "pass");
    for (const auto& [constant, name] : parameter_names_) {
      line(1, fmt::format("{} = {}", name, initial(constant)));
    }
    text_ += R"(

class Result:
    """What holds at one state. For rows on velocities `value` is 0, f itself is `rate`, its derivative `second`.

    Events: an open row closes when its value (rate, for velocities) reaches 0, a held inequality opens when its
    multiplier does.
    """

    def __init__(self):
        self.a = np.zeros(variables)        # accelerations
        self.multiplier = np.zeros(rows)    # lambda, rho' of variational rows; 0 for rows that are not held
        self.value = np.zeros(rows)         # f
        self.rate = np.zeros(rows)          # f'
        self.second = np.zeros(rows)        # f''


def right_hand_side(t, q, v, rho, held, p=Parameters):
    """Accelerations and multipliers at the state (t, q, v).

    held: rows that bind, equations among them; rho: one number per row, used by variational rows alone.
    """
    out = Result()
)";
    line(1, equations_.diagonal ? "M = np.zeros(variables)" : "M = np.zeros((variables, variables))");
    line(1, "X = np.zeros(variables)");
    line(0, "");
    bodies(1);
    energies(1);
    line(0, "");
    if (model_.rows() > 0) {
      line(1, "J = np.zeros((rows, variables))");
      line(1, "F = np.zeros(rows)");
      if (any_variational()) line(1, "bend = np.zeros((rows, variables))");
      conditions(1);
      line(0, "");
    }
    line(1, "def over_mass(x):");
    line(2, equations_.diagonal ? "return x/M if x.ndim == 1 else x/M[:, None]" : "return np.linalg.solve(M, x)");
    line(0, "");
    if (model_.rows() == 0) {
      line(1, "out.a = over_mass(X)");
      line(1, "return out");
      return text_;
    }
    line(1, "binding = np.flatnonzero(np.asarray(held, dtype=bool))");
    if (any_variational()) {
      line(1, "# What rho itself adds to the forces.");
      line(1, "X = X - np.asarray(rho, dtype=float)[binding] @ bend[binding]");
    }
    text_ += R"(    # Phi multiplier = Phi0 over the rows held; where rows depend on each other, the smallest solution.
    B = J[binding]
    Phi = B @ over_mass(B.T)
    Phi0 = B @ over_mass(X) + F[binding]
    if len(binding) > 0:
        if np.linalg.matrix_rank(Phi) == len(binding):
            out.multiplier[binding] = np.linalg.solve(Phi, Phi0)
        else:
            out.multiplier[binding] = np.linalg.lstsq(Phi, Phi0, rcond=1e-12)[0]
    out.a = over_mass(X - B.T @ out.multiplier[binding])
    out.second = J @ out.a + F
    return out
)";
    return text_;
  }

  const model::Model& model_;
  analysis::Equations& equations_;
  bool python_;
  const Parameters& parameters_;
  bool whole_ = false;
  std::string text_;
  std::set<std::string> taken_;
  std::set<std::string> parameter_words_;
  std::map<std::uint32_t, std::string> parameter_names_;
  std::map<std::uint32_t, std::string> index_names_;
  std::map<std::pair<std::uint32_t, bool>, std::string> variable_names_;
  std::map<std::uint32_t, std::string> root_names_;
};

}  // namespace

std::string equations_cpp(const model::Model& model, analysis::Equations& equations, const Parameters& parameters) {
  return Program(model, equations, false, parameters).text();
}

std::string equations_python(const model::Model& model, analysis::Equations& equations, const Parameters& parameters) {
  return Program(model, equations, true, parameters).text();
}

}  // namespace zwang::report
