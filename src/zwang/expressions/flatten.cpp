/// From the graph to a tape.
///
/// Parts are numbered so that children come first; a falling pass marks what is needed, a rising pass writes the
/// instructions. Products become one numerator over one denominator; whole powers up to 64 become squarings and
/// multiplications, x^-1.5 becomes 1 / (x sqrt(x)); sine and cosine, sinh and cosh come in pairs.
#include <bit>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/numbers.hpp"
#include "zwang/expressions/tape.hpp"
#include "zwang/expressions/traversal.hpp"

namespace zwang::expressions {
namespace {

/// Whole powers up to it are products, whose series are exact at zero, too: 2 log2 of them at most.
constexpr double highest_chain = 1024;

/// A factor as base^exponent with a number as exponent (1 if it is no such power).
struct NumberPower {
  Expr base;
  double exponent = 1;
};

class Flattener {
 public:
  Flattener(const Graph& graph, std::span<const Symbol> inputs) : graph_(graph) {
    tape_.inputs.assign(inputs.begin(), inputs.end());
    for (std::size_t k = 0; k < inputs.size(); ++k) input_of_.emplace(inputs[k], static_cast<std::uint32_t>(k));
  }

  Tape run(std::span<const Expr> outputs) {
    sorted_ = all_parts(outputs);
    registers_.assign(sorted_.size(), 0);
    needed_.assign(sorted_.size(), false);

    // Falling: an expression that is needed needs others, which have smaller handles.
    for (const Expr e : outputs) need(e);
    for (std::size_t k = sorted_.size(); k-- > 0;) {
      if (needed_[k]) mark(sorted_[k]);
    }

    // Rising: write.
    for (std::size_t k = 0; k < sorted_.size(); ++k) {
      if (needed_[k]) registers_[k] = write(sorted_[k]);
    }
    for (const Expr e : outputs) tape_.outputs.push_back(at(e));

    // Constants were numbered apart; now it is known where they stand.
    const auto first_constant = static_cast<std::uint32_t>(tape_.inputs.size());
    const auto first_instruction = first_constant + static_cast<std::uint32_t>(tape_.constants.size());
    const auto place = [&](std::uint32_t r) {
      if (r & constant_bit) return first_constant + (r & ~constant_bit);
      if (r & instruction_bit) return first_instruction + (r & ~instruction_bit);
      return r;
    };
    for (Instruction& i : tape_.instructions) {
      i.a = place(i.a);
      i.b = place(i.b);
    }
    for (std::uint32_t& r : tape_.outputs) r = place(r);
    return std::move(tape_);
  }

 private:
  static constexpr std::uint32_t constant_bit = 1U << 31U;
  static constexpr std::uint32_t instruction_bit = 1U << 30U;

  /// The parts, and the products without their leading number, which are computed once for all coefficients.
  [[nodiscard]] std::vector<Expr> all_parts(std::span<const Expr> outputs) const {
    std::vector<Expr> all = parts(graph_, outputs);
    const std::size_t count = all.size();
    for (std::size_t k = 0; k < count; ++k) {
      if (graph_.node(all[k]).kind == NodeKind::product) all.push_back(graph_.term(all[k]).rest);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  [[nodiscard]] bool is_number(Expr e) const { return graph_.node(e).kind == NodeKind::number; }
  void need(Expr e) { needed_[place_of(sorted_, e)] = true; }
  [[nodiscard]] std::uint32_t at(Expr e) const { return registers_[place_of(sorted_, e)]; }

  [[nodiscard]] NumberPower number_power(Expr e) const {
    const Node node = graph_.node(e);
    if (node.kind == NodeKind::power && is_number(node.children[1]) && !is_number(node.children[0])) {
      return {node.children[0], graph_.node(node.children[1]).number};
    }
    return {e, 1};
  }

  /// A term of a sum whose coefficient is not 1 is written as a product of its own, except for -1, which subtracts.
  [[nodiscard]] Expr operand(Expr term) const {
    const Term t = graph_.term(term);
    return t.coefficient == -1 && !is_number(term) ? t.rest : term;
  }

  void mark(Expr e) {
    const Node node = graph_.node(e);
    switch (node.kind) {
      case NodeKind::number:
      case NodeKind::symbol: break;
      case NodeKind::sum:
        for (const Expr term : node.children) need(operand(term));
        break;
      case NodeKind::product:
        if (is_number(node.children[0])) {
          need(graph_.term(e).rest);
        } else {
          for (const Expr factor : node.children) {
            const NumberPower p = number_power(factor);
            need(p.exponent < 0 ? p.base : factor);
          }
        }
        break;
      case NodeKind::power:
        if (is_number(node.children[0])) {
          if (!is_number(node.children[1])) need(node.children[1]);
        } else {
          need(node.children[0]);
          if (!is_number(node.children[1])) need(node.children[1]);
        }
        break;
      case NodeKind::function:
        for (const Expr argument : node.children) need(argument);
        break;
    }
  }

  std::uint32_t constant(double value) {
    const auto [found, fresh] = constant_of_.emplace(std::bit_cast<std::uint64_t>(value), 0U);
    if (fresh) {
      found->second = static_cast<std::uint32_t>(tape_.constants.size()) | constant_bit;
      tape_.constants.push_back(value);
    }
    return found->second;
  }

  std::uint32_t append(Op op, std::uint32_t a, std::uint32_t b, double c) {
    tape_.instructions.push_back({op, a, b, c});
    return static_cast<std::uint32_t>(tape_.instructions.size() - 1) | instruction_bit;
  }

  /// The register that holds this result; the same instruction is not written twice.
  std::uint32_t instruction(Op op, std::uint32_t a, std::uint32_t b = 0, double c = 0) {
    if ((op == Op::add || op == Op::multiply) && b < a) std::swap(a, b);
    const auto [found, fresh] = written_.emplace(std::tuple(op, a, b, c), 0U);
    if (fresh) found->second = append(op, a, b, c);
    return found->second;
  }

  /// An instruction and its partner right behind it, which the kernel computes along.
  std::uint32_t pair(Op op, Op partner, std::uint32_t a) {
    const auto [found, fresh] = written_.emplace(std::tuple(op, a, 0U, 0.0), 0U);
    if (fresh) {
      const auto next = static_cast<std::uint32_t>(tape_.instructions.size());
      found->second = append(op, a, (next + 1) | instruction_bit, 0);
      if (partner == Op::square) {
        instruction(Op::square, found->second);
      } else {
        append(partner, a, found->second, 0);
      }
    }
    return found->second;
  }

  /// base^n for a whole n >= 1 by squaring and multiplying.
  std::uint32_t chain(std::uint32_t base, unsigned n) {
    if (n == 1) return base;
    if (n % 2 == 0) return instruction(Op::square, chain(base, n / 2));
    return instruction(Op::multiply, chain(base, n - 1), base);
  }

  /// base^exponent with exponent > 0; `inverted` if it will stand below a line.
  std::uint32_t positive_power(std::uint32_t base, double exponent, bool inverted) {
    if (exponent == 0.5) return instruction(Op::sqrt, base);
    if (is_whole(exponent) && exponent <= highest_chain) return chain(base, static_cast<unsigned>(exponent));
    if (inverted && is_whole(exponent - 0.5) && exponent <= highest_chain) {
      const std::uint32_t root = instruction(Op::sqrt, base);
      return instruction(Op::multiply, chain(base, static_cast<unsigned>(exponent - 0.5)), root);
    }
    return instruction(Op::power, base, 0, exponent);
  }

  /// Can base^-exponent be had as 1 / base^exponent?
  static bool below_line(double exponent) {
    return (is_whole(exponent) || is_whole(exponent - 0.5)) && exponent <= highest_chain;
  }

  std::uint32_t write(Expr e) {
    const Node node = graph_.node(e);
    switch (node.kind) {
      case NodeKind::number: return constant(node.number);
      case NodeKind::symbol: {
        const auto found = input_of_.find(node.symbol);
        assert(found != input_of_.end() && "every symbol must be among the inputs");
        return found->second;
      }
      case NodeKind::sum: return write_sum(node);
      case NodeKind::product: return write_product(e, node);
      case NodeKind::power: return write_power(node);
      case NodeKind::function: return write_function(node);
    }
    assert(false);
    return 0;
  }

  std::uint32_t write_sum(const Node& node) {
    std::uint32_t sum = 0;
    bool negative = false;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      const Expr o = operand(node.children[k]);
      const bool minus = o != node.children[k];
      if (k == 0) {
        sum = at(o);
        negative = minus;
      } else if (negative && !minus) {
        // -a + b is b - a.
        sum = instruction(Op::subtract, at(o), sum);
        negative = false;
      } else if (negative) {
        sum = instruction(Op::subtract, instruction(Op::negate, sum), at(o));
        negative = false;
      } else {
        sum = instruction(minus ? Op::subtract : Op::add, sum, at(o));
      }
    }
    return sum;
  }

  std::uint32_t write_product(Expr e, const Node& node) {
    // A number times what was computed without it.
    if (is_number(node.children[0])) {
      const Term t = graph_.term(e);
      if (t.coefficient == -1) return instruction(Op::negate, at(t.rest));
      return instruction(Op::scale, at(t.rest), 0, t.coefficient);
    }

    // Numerator and denominator.
    std::optional<std::uint32_t> above;
    std::optional<std::uint32_t> below;
    const auto onto = [&](std::optional<std::uint32_t>& product, std::uint32_t factor) {
      product = product ? instruction(Op::multiply, *product, factor) : factor;
    };
    for (const Expr factor : node.children) {
      const NumberPower p = number_power(factor);
      if (p.exponent >= 0) {
        onto(above, at(factor));
      } else if (below_line(-p.exponent)) {
        onto(below, positive_power(at(p.base), -p.exponent, true));
      } else {
        onto(above, instruction(Op::power, at(p.base), 0, p.exponent));
      }
    }
    if (!below) return *above;
    return above ? instruction(Op::divide, *above, *below) : instruction(Op::reciprocal, *below);
  }

  std::uint32_t write_power(const Node& node) {
    const Expr base = node.children[0];
    const Expr exponent = node.children[1];

    // A constant without a finite value.
    if (is_number(base) && is_number(exponent)) {
      return constant(elementary::pow(graph_.node(base).number, graph_.node(exponent).number));
    }

    // A number as exponent.
    if (is_number(exponent)) {
      const double n = graph_.node(exponent).number;
      if (n >= 0) return positive_power(at(base), n, false);
      if (below_line(-n)) return instruction(Op::reciprocal, positive_power(at(base), -n, true));
      return instruction(Op::power, at(base), 0, n);
    }

    // b^e = exp(e log b).
    if (is_number(base)) {
      const double logarithm = elementary::log(graph_.node(base).number);
      return instruction(Op::exp, instruction(Op::multiply, at(exponent), constant(logarithm)));
    }
    return instruction(Op::exp, instruction(Op::multiply, at(exponent), instruction(Op::log, at(base))));
  }

  std::uint32_t write_function(const Node& node) {
    // A constant without a finite value.
    if (std::all_of(node.children.begin(), node.children.end(), [&](Expr x) { return is_number(x); })) {
      std::vector<double> numbers;
      for (const Expr x : node.children) numbers.push_back(graph_.node(x).number);
      return constant(evaluate(node.function, numbers));
    }

    const std::uint32_t u = at(node.children[0]);
    switch (node.function) {
      case Function::sin: return pair(Op::sin, Op::cos, u);
      case Function::cos: return pair(Op::sin, Op::cos, u) + 1;
      case Function::tan: return pair(Op::tan, Op::square, u);
      case Function::sinh: return pair(Op::sinh, Op::cosh, u);
      case Function::cosh: return pair(Op::sinh, Op::cosh, u) + 1;
      case Function::tanh: return pair(Op::tanh, Op::square, u);
      case Function::asin: return instruction(Op::asin, u, cosine_of_angle(u));
      case Function::acos: return instruction(Op::acos, u, cosine_of_angle(u));
      case Function::atan:
        return instruction(Op::atan, u, instruction(Op::add, constant(1), instruction(Op::square, u)));
      case Function::atan2: {
        // The kernel looks for x^2 + y^2 right before the instruction.
        const std::uint32_t x = at(node.children[1]);
        const std::uint32_t squares[] = {instruction(Op::square, x), instruction(Op::square, u)};
        append(Op::add, squares[0], squares[1], 0);
        return append(Op::atan2, u, x, 0);
      }
      case Function::exp: return instruction(Op::exp, u);
      case Function::log: return instruction(Op::log, u);
      case Function::sqrt: return instruction(Op::sqrt, u);
      case Function::select:
        // The kernel looks for the truth right before the instruction.
        append(Op::scale, u, 0, 1);
        return append(Op::select, at(node.children[1]), at(node.children[2]), 0);
      case Function::both: return instruction(Op::multiply, u, at(node.children[1]));
      case Function::either: {
        const std::uint32_t other = at(node.children[1]);
        return instruction(Op::subtract, instruction(Op::add, u, other), instruction(Op::multiply, u, other));
      }
      default: break;
    }
    assert(false && "functions with corners are taken apart before they reach a tape");
    return 0;
  }

  /// sqrt((1 - u) (1 + u)): more exact near 1 than sqrt(1 - u^2).
  std::uint32_t cosine_of_angle(std::uint32_t u) {
    const std::uint32_t one = constant(1);
    const std::uint32_t less = instruction(Op::subtract, one, u);
    const std::uint32_t more = instruction(Op::add, one, u);
    return instruction(Op::sqrt, instruction(Op::multiply, less, more));
  }

  const Graph& graph_;
  Tape tape_;
  std::vector<Expr> sorted_;
  std::vector<std::uint32_t> registers_;
  std::vector<bool> needed_;
  std::map<Symbol, std::uint32_t> input_of_;
  std::map<std::uint64_t, std::uint32_t> constant_of_;
  std::map<std::tuple<Op, std::uint32_t, std::uint32_t, double>, std::uint32_t> written_;
};

}  // namespace

Tape flatten(const Graph& graph, std::span<const Expr> outputs, std::span<const Symbol> inputs) {
  return Flattener(graph, inputs).run(outputs);
}

}  // namespace zwang::expressions
