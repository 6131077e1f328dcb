/// Fractions brought over one denominator, so that a sign is known beside its poles.
///
/// A fraction is carried as a numerator and a list of factors of the denominator with their powers; sums are brought over the common one.
#include "zwang/expressions/poles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "zwang/elementary/elementary.hpp"

namespace zwang::expressions {

namespace {

constexpr double highest_power = 16;  ///< of a denominator that is multiplied out
constexpr std::size_t most_terms = 32;

constexpr unsigned what_moves =
    (1U << static_cast<unsigned>(SymbolKind::time)) | (1U << static_cast<unsigned>(SymbolKind::position)) |
    (1U << static_cast<unsigned>(SymbolKind::velocity)) | (1U << static_cast<unsigned>(SymbolKind::mode));

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Between what an expression lies, whatever the state is.
struct Bounds {
  double low = -infinite, high = infinite;
  [[nodiscard]] bool leave_zero() const { return low > 0 || high < 0; }
};

Bounds times(const Bounds& a, const Bounds& b) {
  Bounds out{infinite, -infinite};
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      const double product = x == 0 || y == 0 ? 0.0 : x * y;
      out.low = std::min(out.low, product);
      out.high = std::max(out.high, product);
    }
  }
  return out;
}

Bounds bounds_of(const Graph& graph, Expr e) {
  const Node node = graph.node(e);
  switch (node.kind) {
    case NodeKind::number: return {node.number, node.number};
    case NodeKind::symbol: return {};
    case NodeKind::sum: {
      Bounds out{0, 0};
      for (const Expr child : node.children) {
        const Bounds one = bounds_of(graph, child);
        out.low += one.low;
        out.high += one.high;
      }
      return out;
    }
    case NodeKind::product: {
      Bounds out{1, 1};
      for (const Expr child : node.children) out = times(out, bounds_of(graph, child));
      return out;
    }
    case NodeKind::power: {
      const Node exponent = graph.node(node.children[1]);
      if (exponent.kind != NodeKind::number || !(exponent.number > 0)) return {};
      const Bounds base = bounds_of(graph, node.children[0]);
      if (base.low >= 0)
        return {elementary::pow(base.low, exponent.number), elementary::pow(base.high, exponent.number)};
      return std::fmod(exponent.number, 2) == 0 ? Bounds{0, infinite} : Bounds{};
    }
    case NodeKind::function: break;
  }
  switch (node.function) {
    case Function::sin:
    case Function::cos:
    case Function::tanh:
    case Function::sign: return {-1, 1};
    case Function::cosh: return {1, infinite};
    case Function::exp: return {std::numeric_limits<double>::denorm_min(), infinite};
    case Function::sqrt:
    case Function::abs: return {0, infinite};
    case Function::step: return {0, 1};
    default: return {};
  }
}

struct Fraction {
  Expr numerator;
  std::vector<std::pair<Expr, double>> below = {};  ///< factor and power, whole and positive
};

class Clearing {
 public:
  explicit Clearing(Graph& graph) : graph_(graph) {}

  Fraction fraction(Expr e) {
    const Node node = graph_.node(e);
    const std::vector<Expr> children(node.children.begin(), node.children.end());
    switch (node.kind) {
      case NodeKind::sum: return children.size() <= most_terms ? sum(children) : Fraction{e};
      case NodeKind::product: {
        Fraction out{graph_.number(1)};
        for (const Expr child : children) {
          const Fraction factor = fraction(child);
          out.numerator = graph_.multiply(out.numerator, factor.numerator);
          for (const auto& [base, power] : factor.below) power_of(out, base) += power;
        }
        return out;
      }
      case NodeKind::power: {
        const Node exponent = graph_.node(children[1]);
        const bool whole = exponent.kind == NodeKind::number && exponent.number == std::floor(exponent.number) &&
                           std::abs(exponent.number) <= highest_power;
        if (whole && exponent.number < 0 && (graph_.kinds(children[0]) & what_moves) != 0 &&
            !bounds_of(graph_, children[0]).leave_zero()) {
          // 1 / (n/d) is d/n.
          const Fraction base = fraction(children[0]);
          Fraction out{graph_.number(1), {{base.numerator, -exponent.number}}};
          for (const auto& [factor, power] : base.below) {
            out.numerator = graph_.multiply(out.numerator, raised(factor, -exponent.number * power));
          }
          return out;
        }
        if (whole && exponent.number > 0) {
          Fraction out = fraction(children[0]);
          if (out.below.empty()) return {e};
          out.numerator = raised(out.numerator, exponent.number);
          for (auto& [factor, power] : out.below) power *= exponent.number;
          return out;
        }
        return {e};
      }
      case NodeKind::function:
        if (node.function == Function::tan && (graph_.kinds(e) & what_moves) != 0) {
          return {graph_.apply(Function::sin, children[0]), {{graph_.apply(Function::cos, children[0]), 1.0}}};
        }
        return {e};
      case NodeKind::number:
      case NodeKind::symbol: break;
    }
    return {e};
  }

  Expr raised(Expr base, double power) { return graph_.power(base, graph_.number(power)); }

 private:
  static double& power_of(Fraction& fraction, Expr base) {
    for (auto& [factor, power] : fraction.below) {
      if (factor == base) return power;
    }
    return fraction.below.emplace_back(base, 0.0).second;
  }

  Fraction sum(const std::vector<Expr>& terms) {
    std::vector<Fraction> parts;
    Fraction out{graph_.number(0)};
    for (const Expr term : terms) {
      parts.push_back(fraction(term));
      for (const auto& [base, power] : parts.back().below) {
        double& most = power_of(out, base);
        most = std::max(most, power);
      }
    }
    for (Fraction& part : parts) {
      Expr numerator = part.numerator;
      for (const auto& [base, most] : out.below) {
        const double missing = most - power_of(part, base);
        if (missing > 0) numerator = graph_.multiply(numerator, raised(base, missing));
      }
      out.numerator = graph_.add(out.numerator, numerator);
    }
    return out;
  }

  Graph& graph_;
};

}  // namespace

Expr without_poles(Graph& graph, Expr e, Expr* poles) {
  Clearing clearing(graph);
  const Fraction found = clearing.fraction(e);
  if (found.below.empty()) return e;
  Expr out = found.numerator;
  for (const auto& [base, power] : found.below) {
    // What is never negative leaves the sign to the numerator.
    if (std::fmod(power, 2) == 0 || bounds_of(graph, base).low >= 0) continue;
    out = graph.multiply(out, base);
    if (poles != nullptr) *poles = *poles == Expr{} ? base : graph.multiply(*poles, base);
  }
  return out;
}

bool divides_by_what_moves(const Tape& tape, std::size_t end) {
  const std::vector<std::uint8_t> moves = depending(tape, 0, end);
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  const auto moving = [&](std::uint32_t place) { return place < before ? place < end : moves[place - before] != 0; };
  return std::any_of(tape.instructions.begin(), tape.instructions.end(), [&](const Instruction& i) {
    return (i.op == Op::divide && moving(i.b)) || (i.op == Op::reciprocal && moving(i.a)) ||
           (i.op == Op::tan && moving(i.a)) || (i.op == Op::power && i.c < 0 && i.c == std::floor(i.c) && moving(i.a));
  });
}

}  // namespace zwang::expressions
