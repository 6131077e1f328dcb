/// Expressions as text that reads back to the same handle.
#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {
namespace {

/// How tightly a text holds together; parentheses go round a part that holds less tightly than its place demands.
enum class Binding : std::uint8_t { sum, product, power, atom };

/// A piece of the text still to come: literal, or an expression and what its place demands.
struct Piece {
  std::string literal;
  Expr e;
  Binding demanded = Binding::sum;
  bool is_literal = false;
};

class Printer {
 public:
  Printer(const Graph& graph, const Names& names) : graph_(graph), names_(names) {}

  std::string print(Expr e) {
    // Pieces are taken from the end of the list; an expression is replaced by its own pieces. No recursion.
    std::string text;
    std::vector<Piece> waiting;
    push(e, Binding::sum);
    while (true) {
      std::reverse(pieces_.begin(), pieces_.end());
      waiting.insert(waiting.end(), std::make_move_iterator(pieces_.begin()), std::make_move_iterator(pieces_.end()));
      pieces_.clear();
      if (waiting.empty()) return text;
      const Piece next = std::move(waiting.back());
      waiting.pop_back();
      if (next.is_literal) {
        append(next.literal, text);
      } else if (tightness(next.e) < next.demanded) {
        literal("(");
        write(next.e);
        literal(")");
      } else {
        write(next.e);
      }
    }
  }

 private:
  /// A symbol may be shown as its number, with a sign: a - 1, not a + -1.
  static void append(const std::string& literal, std::string& text) {
    const bool signed_number =
        literal.size() > 1 && literal[0] == '-' && (literal[1] == '.' || (literal[1] >= '0' && literal[1] <= '9'));
    if (signed_number && (text.ends_with(" + ") || text.ends_with(" - "))) {
      text[text.size() - 2] = text[text.size() - 2] == '+' ? '-' : '+';
      text.append(literal, 1);
    } else {
      text += literal;
    }
  }
  void literal(std::string text) { pieces_.push_back({std::move(text), {}, Binding::sum, true}); }
  void push(Expr e, Binding demanded) { pieces_.push_back({{}, e, demanded, false}); }

  [[nodiscard]] bool is_number(Expr e) const { return graph_.node(e).kind == NodeKind::number; }

  /// Is e written below a fraction line: a power with a negative number as exponent? 0^-1 is written 1/0, other powers
  /// of numbers as they stand, since they would fold below the line.
  [[nodiscard]] bool divides(Expr e) const {
    const Node node = graph_.node(e);
    if (node.kind != NodeKind::power || !is_number(node.children[1])) return false;
    const double exponent = graph_.node(node.children[1]).number;
    return exponent < 0 && (!is_number(node.children[0]) || exponent == -1);
  }

  [[nodiscard]] Binding tightness(Expr e) const {
    const Node node = graph_.node(e);
    switch (node.kind) {
      case NodeKind::number: return node.number < 0 ? Binding::product : Binding::atom;
      case NodeKind::sum: return Binding::sum;
      case NodeKind::product: return Binding::product;
      case NodeKind::power: return divides(e) ? Binding::product : Binding::power;
      case NodeKind::symbol: return names_(node.symbol).starts_with('-') ? Binding::product : Binding::atom;
      case NodeKind::function: break;
    }
    return Binding::atom;
  }

  void write(Expr e) {
    const Node node = graph_.node(e);
    switch (node.kind) {
      case NodeKind::number: literal(exact(node.number)); break;
      case NodeKind::symbol: literal(names_(node.symbol)); break;
      case NodeKind::sum: write_sum(node); break;
      case NodeKind::product: write_term(e, false); break;
      case NodeKind::power:
        if (divides(e)) {
          write_term(e, false);
        } else {
          write_power(node.children[0], node.children[1], false);
        }
        break;
      case NodeKind::function:
        if (node.function >= Function::table) {
          write_special(node);
          break;
        }
        literal(std::string(name(node.function)) + "(");
        for (std::size_t k = 0; k < node.children.size(); ++k) {
          if (k > 0) literal(", ");
          push(node.children[k], Binding::sum);
        }
        literal(")");
        break;
    }
  }

  /// Tables with their lists, truths as comparisons.
  void write_special(const Node& node) {
    switch (node.function) {
      case Function::at_least:
      case Function::below:
        push(node.children[0], Binding::sum);
        literal(node.function == Function::at_least ? " >= 0" : " < 0");
        return;
      case Function::both:
      case Function::either:
        literal("(");
        push(node.children[0], Binding::sum);
        literal(node.function == Function::both ? ") and (" : ") or (");
        push(node.children[1], Binding::sum);
        literal(")");
        return;
      default: break;
    }
    const std::size_t n = node.children.size() / 2;
    literal(std::string(name(node.function)) + "(");
    push(node.children[0], Binding::sum);
    for (std::size_t k = 1; k < node.children.size(); ++k) {
      literal(k == 1 ? ", [" : (k == n + 1 ? "], [" : ", "));
      push(node.children[k], Binding::sum);
    }
    literal("])");
  }

  void write_sum(const Node& node) {
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      const bool negative = k > 0 && graph_.term(node.children[k]).coefficient < 0;
      if (k > 0) literal(negative ? " - " : " + ");
      write_term(node.children[k], negative);
    }
  }

  /// A product with everything of negative exponent below a line; `negated` leaves its sign out.
  void write_term(Expr e, bool negated) {
    const Term term = graph_.term(e);
    const double coefficient = negated ? -term.coefficient : term.coefficient;

    // Above and below the line.
    std::vector<Expr> above;
    std::vector<Expr> below;
    const Node rest = graph_.node(term.rest);
    if (rest.kind == NodeKind::product) {
      for (const Expr factor : rest.children) (divides(factor) ? below : above).push_back(factor);
    } else if (!is_number(term.rest)) {
      (divides(term.rest) ? below : above).push_back(term.rest);
    }

    // The number, unless it is 1 or -1 and something follows.
    bool first = true;
    if (above.empty() || std::abs(coefficient) != 1) {
      literal(exact(coefficient));
      first = false;
    } else if (coefficient < 0) {
      literal("-");
    }
    for (const Expr factor : above) {
      if (!first) literal("*");
      push(factor, coefficient == 1 && above.size() == 1 ? Binding::product : Binding::power);
      first = false;
    }

    // Below the line, in one parenthesis where that reads back the same.
    const bool together = below.size() > 1 && std::none_of(below.begin(), below.end(), [&](Expr factor) {
                            const NodeKind kind = graph_.node(graph_.node(factor).children[0]).kind;
                            return kind == NodeKind::product || kind == NodeKind::number;
                          });
    if (together) literal("/(");
    for (std::size_t k = 0; k < below.size(); ++k) {
      if (!together) {
        literal("/");
      } else if (k > 0) {
        literal("*");
      }
      const Node power = graph_.node(below[k]);
      write_power(power.children[0], power.children[1], true);
    }
    if (together) literal(")");
  }

  /// base^exponent, or with `inverted` base^-exponent for a number as exponent.
  void write_power(Expr base, Expr exponent, bool inverted) {
    const double number = inverted ? -graph_.node(exponent).number : 0;
    if (number == 1) {
      push(base, Binding::power);
    } else if (number == 0.5) {
      literal("sqrt(");
      push(base, Binding::sum);
      literal(")");
    } else {
      push(base, Binding::atom);
      literal("^");
      if (inverted) {
        literal(exact(number));
      } else if (is_number(exponent)) {
        literal(exact(graph_.node(exponent).number));
      } else {
        push(exponent, Binding::atom);
      }
    }
  }

  const Graph& graph_;
  const Names& names_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::string print(const Graph& graph, Expr e, const Names& names) { return Printer(graph, names).print(e); }

}  // namespace zwang::expressions
