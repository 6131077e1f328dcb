/// Expressions in four notations.
#include "zwang/expressions/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "zwang/base/number.hpp"
#include "zwang/expressions/functions/pieces.hpp"

namespace zwang::expressions {
namespace {

/// How tightly a text holds together.
enum class Tightness : std::uint8_t { sum, product, power, atom };

struct Text {
  std::string text;
  Tightness tightness = Tightness::atom;
};

/// A number as a fraction of small whole numbers, where that reads better than its digits.
struct Fraction {
  double above = 1;
  double below = 1;
};
Fraction fraction(double value) {
  const double size = std::abs(value);
  if (std::trunc(value) == value || !std::isfinite(value) || size > 1e6) return {value, 1};
  const bool long_digits = exact(size).size() > 7;
  for (int k = 2; k <= (long_digits ? 1000 : 8); ++k) {
    const double below = k;
    const double above = std::round(value * below);
    const bool binary = k == 2 || k == 4 || k == 8;
    if (above != 0 && std::abs(above) < 1000 && (binary || long_digits) && above / below == value)
      return {above, below};
  }
  return {value, 1};
}

class Writer {
 public:
  Writer(const Graph& graph, const Script& script) : graph_(graph), script_(script) {}

  [[nodiscard]] Text write(Expr e) const {
    if (script_.named) {
      if (std::string name = script_.named(e); !name.empty()) return {std::move(name), Tightness::atom};
    }
    const Node node = graph_.node(e);
    switch (node.kind) {
      case NodeKind::number: return term(e, false);
      case NodeKind::symbol: return {script_.names(node.symbol), Tightness::atom};
      case NodeKind::sum: return {sum(node), Tightness::sum};
      case NodeKind::product: return term(e, false);
      case NodeKind::power: return divides(e) ? term(e, false) : power(node.children[0], node.children[1], false);
      case NodeKind::function: return function(node);
    }
    return {};
  }

  [[nodiscard]] std::string at_least(Expr e, Tightness demanded) const { return enclosed(write(e), demanded); }

  /// The term with its sign taken off, if `negated`.
  [[nodiscard]] Text term(Expr e, bool negated) const {
    const Term t = graph_.term(e);
    const double coefficient = negated ? -t.coefficient : t.coefficient;
    std::vector<Expr> above;
    std::vector<Expr> below;
    const auto sort_in = [&](Expr factor) { (divides(factor) ? below : above).push_back(factor); };
    const Node rest = graph_.node(t.rest);
    std::string named;
    if (script_.named && rest.kind != NodeKind::number && t.rest != e) named = script_.named(t.rest);
    if (named.empty() && rest.kind == NodeKind::product) {
      for (const Expr factor : rest.children) sort_in(factor);
    } else if (named.empty() && rest.kind != NodeKind::number) {
      sort_in(t.rest);
    }
    sort(above);
    sort(below);
    return assemble(coefficient, named, above, below);
  }

  [[nodiscard]] bool negative(Expr e) const {
    if (script_.named && !script_.named(e).empty()) return false;
    return graph_.term(e).coefficient < 0;
  }

  [[nodiscard]] static std::string enclosed_text(const std::string& text, bool latex) {
    return latex ? "\\left(" + text + "\\right)" : "(" + text + ")";
  }

 private:
  [[nodiscard]] bool code() const { return script_.notation == Notation::cpp || script_.notation == Notation::python; }
  [[nodiscard]] bool latex() const { return script_.notation == Notation::latex; }

  [[nodiscard]] std::string enclosed(const Text& text, Tightness demanded) const {
    return text.tightness < demanded ? enclosed_text(text.text, latex()) : text.text;
  }

  [[nodiscard]] std::string number(double value) const {
    std::string digits = exact(value);
    const bool plain = digits.find_first_not_of("-0123456789") == std::string::npos;
    if (script_.notation == Notation::cpp && plain) digits += ".0";
    const std::size_t e = digits.find('e');
    if (latex() && e != std::string::npos) {
      const std::string sign = digits[e + 1] == '-' ? "-" : "";
      std::size_t first = e + 2;
      while (first + 1 < digits.size() && digits[first] == '0') ++first;
      digits = digits.substr(0, e) + "\\cdot 10^{" + sign + digits.substr(first) + "}";
    }
    return digits;
  }

  /// A power with a negative number as exponent stands below the line.
  [[nodiscard]] bool divides(Expr e) const {
    if (script_.named && !script_.named(e).empty()) return false;
    const Node node = graph_.node(e);
    if (node.kind != NodeKind::power || graph_.node(node.children[1]).kind != NodeKind::number) return false;
    return graph_.node(node.children[1]).number < 0;
  }

  /// Rank, then symbols before functions before sums, then the order in which symbols were made.
  [[nodiscard]] std::tuple<int, int, std::uint32_t> place_in_product(Expr e) const {
    Node node = graph_.node(e);
    if (node.kind == NodeKind::power) node = graph_.node(node.children[0]);
    const auto [rank, sort] = place(e);
    return {rank, sort, node.kind == NodeKind::symbol ? node.symbol.index : 0};
  }
  [[nodiscard]] std::pair<int, int> place(Expr e) const {
    int rank = -1;
    bool multiplier = false;
    for (const Symbol symbol : symbols(graph_, e)) {
      const int r = script_.ranks ? script_.ranks(symbol) : 0;
      multiplier = multiplier || r < 0;
      rank = std::max(rank, r);
    }
    if (multiplier && rank < 0) rank = -1;
    Node node = graph_.node(e);
    if (node.kind == NodeKind::power) node = graph_.node(node.children[0]);
    return {rank, node.kind == NodeKind::symbol ? 0 : node.kind == NodeKind::function ? 1 : 2};
  }
  [[nodiscard]] bool has_multiplier(Expr e) const {
    const std::vector<Symbol> all = symbols(graph_, e);
    return script_.ranks && std::any_of(all.begin(), all.end(), [&](Symbol s) { return script_.ranks(s) < 0; });
  }
  void sort(std::vector<Expr>& factors) const {
    std::stable_sort(factors.begin(), factors.end(),
                     [&](Expr a, Expr b) { return place_in_product(a) < place_in_product(b); });
  }

  [[nodiscard]] Text assemble(double coefficient, const std::string& named, const std::vector<Expr>& above,
                              const std::vector<Expr>& below) const {
    const std::string times = latex() ? " \\, " : "*";
    const Fraction c = code() ? Fraction{coefficient, 1} : fraction(coefficient);

    // Above the line.
    std::string sign = c.above < 0 ? "-" : "";
    std::vector<std::string> parts;
    const bool something = !above.empty() || !named.empty();
    if (std::abs(c.above) != 1 || !something) parts.push_back(number(std::abs(c.above)));
    if (!named.empty()) parts.push_back(named);
    const bool one_line = !latex() || (below.empty() && c.below == 1);
    for (const Expr factor : above) {
      const bool alone = parts.empty() && above.size() == 1 && !one_line;
      parts.push_back(alone ? write(factor).text : at_least(factor, Tightness::power));
    }
    std::string top = joined(parts, times);
    if (below.empty() && c.below == 1) {
      const bool atom = parts.size() == 1 && above.size() + (named.empty() ? 0 : 1) == 1 && sign.empty();
      if (atom && !above.empty()) return write(above[0]);
      const bool single_number = parts.size() == 1 && !something && sign.empty();
      return {sign + top, single_number || atom ? Tightness::atom : Tightness::product};
    }

    // Below it.
    parts.clear();
    if (c.below != 1) parts.push_back(number(c.below));
    const std::size_t count = below.size() + parts.size();
    bool composite = count > 1;
    for (const Expr factor : below) {
      const Node node = graph_.node(factor);
      const Text text = power(node.children[0], node.children[1], true);
      composite = composite || (code() && text.tightness < Tightness::power);
      parts.push_back(count == 1 && latex() ? text.text : enclosed(text, Tightness::power));
    }
    std::string bottom = joined(parts, times);
    if (latex()) return {sign + "\\frac{" + top + "}{" + bottom + "}", Tightness::product};
    if (composite && count > 1) bottom = "(" + bottom + ")";
    return {sign + top + "/" + bottom, Tightness::product};
  }

  [[nodiscard]] static std::string joined(const std::vector<std::string>& parts, const std::string& between) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : between) + part;
    return out;
  }

  /// Terms with their signs; of the first ones of equal rank, and of two, a positive one leads.
  [[nodiscard]] std::string sum(const Node& node) const {
    std::vector<Expr> terms(node.children.begin(), node.children.end());
    if (!code() && negative(terms[0])) {
      const int first = place(terms[0]).first;
      for (std::size_t k = 1; k < terms.size(); ++k) {
        const bool pair = terms.size() == 2 && !has_multiplier(terms[k]);
        if (place(terms[k]).first != first && !pair) break;
        if (negative(terms[k])) continue;
        std::rotate(terms.begin(), terms.begin() + static_cast<std::ptrdiff_t>(k),
                    terms.begin() + static_cast<std::ptrdiff_t>(k) + 1);
        break;
      }
    }
    std::string out;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const bool minus = negative(terms[k]);
      if (k > 0) out += minus ? " - " : " + ";
      if (k == 0 && !minus) {
        out += write(terms[k]).text;
      } else if (minus) {
        out += (k == 0 ? "-" : "") + enclosed(term(terms[k], true), Tightness::product);
      } else {
        out += enclosed(write(terms[k]), Tightness::product);
      }
    }
    return out;
  }

  [[nodiscard]] Text power(Expr base, Expr exponent, bool inverted) const {
    const bool is_number = graph_.node(exponent).kind == NodeKind::number;
    const double value = is_number ? (inverted ? -1 : 1) * graph_.node(exponent).number : 0;
    if (is_number && value == 1) return write(base);
    if (is_number && value == 0.5) {
      const std::string inner = write(base).text;
      switch (script_.notation) {
        case Notation::latex: return {"\\sqrt{" + inner + "}", Tightness::atom};
        case Notation::cpp: return {"std::sqrt(" + inner + ")", Tightness::atom};
        default: return {"sqrt(" + inner + ")", Tightness::atom};
      }
    }
    const Text below = write(base);
    switch (script_.notation) {
      case Notation::cpp:
        // Small whole powers of names are products.
        if (is_number && (value == 2 || value == 3 || value == 4) && below.tightness == Tightness::atom) {
          std::string product = below.text;
          for (int k = 1; k < static_cast<int>(value); ++k) product += "*" + below.text;
          return {product, Tightness::product};
        }
        return {"std::pow(" + below.text + ", " + (is_number ? number(value) : write(exponent).text) + ")",
                Tightness::atom};
      case Notation::python:
        return {
            enclosed(below, Tightness::atom) + "**" + (is_number ? number(value) : at_least(exponent, Tightness::atom)),
            Tightness::power};
      case Notation::latex: {
        const Node node = graph_.node(base);
        const std::string raised = is_number ? exponent_words(value) : write(exponent).text;
        // sin^2 x rather than (sin x)^2.
        if (node.kind == NodeKind::function && node.function != Function::sqrt && node.children.size() == 1 &&
            is_number && value > 0) {
          return {function_name(node.function) + "^{" + raised + "}" + argument(node.children[0]), Tightness::power};
        }
        return {(node.kind == NodeKind::symbol && below.text.find('^') == std::string::npos
                     ? "{" + below.text + "}"
                     : enclosed_text(below.text, true)) +
                    "^{" + raised + "}",
                Tightness::power};
      }
      case Notation::text: break;
    }
    const std::string raised = is_number ? number(value) : at_least(exponent, Tightness::atom);
    return {enclosed(below, Tightness::atom) + "^" + raised, Tightness::power};
  }

  [[nodiscard]] std::string exponent_words(double value) const {
    const Fraction f = fraction(value);
    return f.below == 1 ? number(value) : number(f.above) + "/" + number(f.below);
  }

  [[nodiscard]] std::string function_name(Function function) const {
    switch (function) {
      case Function::asin: return "\\arcsin";
      case Function::acos: return "\\arccos";
      case Function::atan: return "\\arctan";
      case Function::atan2: return "\\operatorname{atan2}";
      case Function::floor:
      case Function::mod:
      case Function::sign:
      case Function::clip:
      case Function::step:
      case Function::table:
      case Function::spline:
      case Function::abs: return "\\operatorname{" + std::string(name(function)) + "}";
      default: return "\\" + std::string(name(function));
    }
  }

  /// A single letter stands beside the name of its function; a word there would run into what follows.
  [[nodiscard]] std::string argument(Expr e) const {
    const Text inner = write(e);
    bool word = false;
    for (const char* start : {"\\mathrm{", "\\dot{\\mathrm{", "\\ddot{\\mathrm{"}) {
      word = word || inner.text.starts_with(start);
    }
    const bool symbol = inner.tightness == Tightness::atom && graph_.node(e).kind == NodeKind::symbol;
    if (symbol && !word) return " " + inner.text;
    return enclosed_text(inner.text, true);
  }

  /// `if`, tables and truths in every notation.
  [[nodiscard]] Text special(const Node& node) const {
    const auto part = [&](std::size_t k) { return write(node.children[k]).text; };
    const Notation notation = script_.notation;
    switch (node.function) {
      case Function::at_least: return {part(0) + (latex() ? " \\ge 0" : " >= 0"), Tightness::sum};
      case Function::below: return {part(0) + " < 0", Tightness::sum};
      case Function::both:
      case Function::either: {
        const bool both = node.function == Function::both;
        const std::string word = notation == Notation::cpp ? (both ? " && " : " || ")
                                 : latex()                 ? (both ? " \\land " : " \\lor ")
                                                           : (both ? " and " : " or ");
        return {enclosed_text(part(0), latex()) + word + enclosed_text(part(1), latex()), Tightness::sum};
      }
      case Function::select:
        if (notation == Notation::cpp) {
          return {fmt::format("(({}) ? ({}) : ({}))", part(0), part(1), part(2)), Tightness::atom};
        }
        if (notation == Notation::python) {
          return {fmt::format("(({1}) if ({0}) else ({2}))", part(0), part(1), part(2)), Tightness::atom};
        }
        if (latex()) {
          return {fmt::format("\\begin{{cases}} {1} & {0} \\\\ {2} & \\text{{otherwise}} \\end{{cases}}", part(0),
                              part(1), part(2)),
                  Tightness::atom};
        }
        return {fmt::format("if({}, {}, {})", part(0), part(1), part(2)), Tightness::atom};
      default: break;
    }
    // Functions given by points: in code as a choice between their pieces.
    const std::size_t n = node.children.size() / 2;
    std::vector<std::string> x;
    std::vector<std::string> y;
    for (std::size_t k = 0; k < n; ++k) {
      x.push_back(part(1 + k));
      y.push_back(part(1 + n + k));
    }
    if (code()) {
      std::vector<double> places;
      std::vector<double> values;
      for (std::size_t k = 0; k < n; ++k) {
        places.push_back(graph_.node(node.children[1 + k]).number);
        values.push_back(graph_.node(node.children[1 + n + k]).number);
      }
      const Pieces pieces =
          node.function == Function::table ? table_pieces(places, values) : spline_pieces(places, values);
      const std::string u = "(" + part(0) + ")";
      const auto piece = [&](std::size_t k) {
        const std::array<double, 5>& p = pieces.piece[k];
        const std::string d = fmt::format("({} - {})", u, enclosed_text(number(p[0]), false));
        return fmt::format("({1} + {0}*({2} + {0}*({3} + {0}*{4})))", d, number(p[1]),
                           enclosed_text(number(p[2]), false), enclosed_text(number(p[3]), false),
                           enclosed_text(number(p[4]), false));
      };
      std::string out = piece(n);
      for (std::size_t k = n; k-- > 0;) {
        out =
            notation == Notation::cpp
                ? fmt::format("({} < {} ? {} : {})", u, enclosed_text(number(places[k]), false), piece(k), out)
                : fmt::format("({2} if {0} < {1} else {3})", u, enclosed_text(number(places[k]), false), piece(k), out);
      }
      return {out, Tightness::atom};
    }
    const std::string open =
        latex() ? function_name(node.function) + "\\left(" : std::string(name(node.function)) + "(";
    return {open + part(0) + ", [" + joined(x, ", ") + "], [" + joined(y, ", ") + "]" + (latex() ? "\\right)" : ")"),
            Tightness::atom};
  }

  [[nodiscard]] Text function(const Node& node) const {
    if (node.function >= Function::select) return special(node);
    if (node.function == Function::sqrt && node.children.size() == 1) {
      const std::string inner = write(node.children[0]).text;
      if (latex()) return {"\\sqrt{" + inner + "}", Tightness::atom};
      return {(script_.notation == Notation::cpp ? "std::sqrt(" : "sqrt(") + inner + ")", Tightness::atom};
    }
    if (latex() && node.children.size() == 1) {
      return {function_name(node.function) + argument(node.children[0]), Tightness::power};
    }
    std::vector<std::string> arguments;
    for (const Expr child : node.children) arguments.push_back(write(child).text);
    std::string open = std::string(name(node.function)) + "(";
    std::string close = ")";
    if (latex()) {
      open = function_name(node.function) + "\\left(";
      close = "\\right)";
    } else if (node.function == Function::mod && code()) {
      // The remainder has the sign of the divisor.
      const std::string floor = script_.notation == Notation::cpp ? "std::floor" : "floor";
      return {fmt::format("(({0}) - ({1})*{2}(({0})/({1})))", arguments[0], arguments[1], floor), Tightness::atom};
    } else if (code() && (node.function == Function::sign || node.function == Function::step ||
                          node.function == Function::clip)) {
      const bool cpp = script_.notation == Notation::cpp;
      const std::string& u = arguments[0];
      if (node.function == Function::sign) {
        return {cpp ? fmt::format("static_cast<double>((({0}) > 0) - (({0}) < 0))", u)
                    : fmt::format("(float(({0}) > 0) - float(({0}) < 0))", u),
                Tightness::atom};
      }
      if (node.function == Function::step) {
        return {cpp ? fmt::format("(({}) >= 0 ? 1.0 : 0.0)", u) : fmt::format("(1.0 if ({}) >= 0 else 0.0)", u),
                Tightness::atom};
      }
      return {cpp ? fmt::format("std::min<double>(std::max<double>({}, {}), {})", u, arguments[1], arguments[2])
                  : fmt::format("min(max({}, {}), {})", u, arguments[1], arguments[2]),
              Tightness::atom};
    } else if (script_.notation == Notation::cpp) {
      open = "std::" + open;
      if (node.function == Function::min || node.function == Function::max) {
        open += "{";
        close = "})";
      }
    }
    return {open + joined(arguments, ", ") + close, Tightness::atom};
  }

  const Graph& graph_;
  const Script& script_;
};

}  // namespace

std::string write(const Graph& graph, Expr e, const Script& script) { return Writer(graph, script).write(e).text; }

std::string write_further(const Graph& graph, Expr e, const Script& script) {
  // A sum goes on with its own terms.
  std::string text = write(graph, e, script);
  if (text.substr(0, 1) == "-") return " - " + text.substr(1);
  return " + " + text;
}

std::string write_factor(const Graph& graph, Expr e, const Script& script) {
  const Writer writer(graph, script);
  return writer.at_least(e, Tightness::power);
}

}  // namespace zwang::expressions
