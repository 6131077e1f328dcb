/// Jets: power series in several variables cut off at an order, with the operations that expressions are made of.
///
///   f(xi) = sum over |a| <= K of f_a xi^a,    E = sum xi_i d/dxi_i (the part of degree k times k)
///   products by one table of index triples; F(f) for elementary F from E F(f) = F'(f) E f
///
/// Symbols: K order, a multi-index, E Euler's operator. Coefficients are doubles or Wide numbers. A jet is the list of
/// its coefficients; what they belong to is said by the JetShape, which is made once per number of variables and order.
/// Reference: docs/mathematics, section 17.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "zwang/analysis/wide.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::analysis {

template <class S>
using Jet = std::vector<S>;

class JetShape {
 public:
  JetShape(std::size_t variables, std::size_t order);

  [[nodiscard]] std::size_t variables() const { return variables_; }
  [[nodiscard]] std::size_t order() const { return order_; }
  [[nodiscard]] std::size_t size() const { return degree_.size(); }
  /// Degree of the coefficient; coefficients are sorted by it, number 0 is the value, 1 + i belongs to xi_i.
  [[nodiscard]] const std::vector<std::uint8_t>& degree() const { return degree_; }

  /// Coefficient `first` times coefficient `second` goes to coefficient `target`.
  struct Pair {
    std::uint32_t second, target;
  };
  [[nodiscard]] const std::vector<Pair>& pairs(std::size_t first) const { return pairs_[first]; }
  /// The derivative by xi_i takes coefficient `from`, times `factor`, to coefficient `target`.
  struct Step {
    std::uint32_t from, target;
    double factor;
  };
  [[nodiscard]] const std::vector<Step>& steps(std::size_t variable) const { return steps_[variable]; }

  /// Number of coefficients of such a shape.
  [[nodiscard]] static double count(std::size_t variables, std::size_t order);

 private:
  std::size_t variables_;
  std::size_t order_;
  std::vector<std::uint8_t> degree_;
  std::vector<std::vector<Pair>> pairs_;
  std::vector<std::vector<Step>> steps_;
};

/// The shape for so many variables and this order; made once and kept.
[[nodiscard]] std::shared_ptr<const JetShape> jet_shape(std::size_t variables, std::size_t order);

template <class S>
[[nodiscard]] Jet<S> constant(const JetShape& shape, const S& value) {
  Jet<S> out(shape.size(), S(0));
  out[0] = value;
  return out;
}

template <class S>
[[nodiscard]] bool is_zero(const Jet<S>& a) {
  for (const S& x : a) {
    if (narrow(x) != 0) return false;
  }
  return true;
}

template <class S>
void add_to(Jet<S>& a, const Jet<S>& b, double factor = 1) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (narrow(b[k]) != 0) a[k] += b[k] * S(factor);
  }
}

template <class S>
[[nodiscard]] Jet<S> multiply(const JetShape& shape, const Jet<S>& a, const Jet<S>& b) {
  Jet<S> out(shape.size(), S(0));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (narrow(a[i]) == 0) continue;
    for (const JetShape::Pair& pair : shape.pairs(i)) {
      out[pair.target] += a[i] * b[pair.second];
    }
  }
  return out;
}

template <class S>
[[nodiscard]] Jet<S> derivative(const JetShape& shape, const Jet<S>& a, std::size_t variable) {
  Jet<S> out(shape.size(), S(0));
  for (const JetShape::Step& step : shape.steps(variable)) {
    out[step.target] = a[step.from] * S(step.factor);
  }
  return out;
}

/// 1 / a by Newton's rule, which doubles the order that is right.
template <class S>
[[nodiscard]] Jet<S> reciprocal(const JetShape& shape, const Jet<S>& a) {
  Jet<S> out = constant(shape, S(1) / a[0]);
  for (std::size_t right = 1; right <= shape.order(); right *= 2) {
    Jet<S> defect = multiply(shape, a, out);
    for (S& x : defect) x = -x;
    defect[0] += S(2);
    out = multiply(shape, out, defect);
  }
  return out;
}

/// F(a) from its value at the point and the jet of F'(a).
template <class S>
[[nodiscard]] Jet<S> integrated(const JetShape& shape, const Jet<S>& a, const S& value, const Jet<S>& slope) {
  Jet<S> weighted = a;
  for (std::size_t k = 0; k < a.size(); ++k) weighted[k] = a[k] * S(static_cast<double>(shape.degree()[k]));
  Jet<S> out = multiply(shape, slope, weighted);
  out[0] = value;
  for (std::size_t k = 1; k < out.size(); ++k) out[k] = out[k] / S(static_cast<double>(shape.degree()[k]));
  return out;
}

/// A list of expressions to be evaluated together, on jets.
class Program {
 public:
  Program(const expressions::Graph& graph, const std::vector<expressions::Expr>& outputs);
  [[nodiscard]] std::size_t outputs() const { return output_.size(); }

  struct Step {
    expressions::NodeKind kind;
    expressions::Function function;
    expressions::Symbol symbol;
    double number;
    std::vector<std::uint32_t> children;
  };

  /// `of` gives the jet of a symbol.
  template <class S, class Of>
  [[nodiscard]] std::vector<Jet<S>> evaluate(const JetShape& shape, const Of& of) const;

 private:
  std::vector<Step> steps_;
  std::vector<std::uint32_t> output_;
};

/// An elementary function on jets.
template <class S>
[[nodiscard]] Jet<S> apply(const JetShape& shape, expressions::Function function, const std::vector<const Jet<S>*>& a);
template <class S>
[[nodiscard]] Jet<S> power(const JetShape& shape, const Jet<S>& base, double exponent);

extern template Jet<double> apply(const JetShape&, expressions::Function, const std::vector<const Jet<double>*>&);
extern template Jet<Wide> apply(const JetShape&, expressions::Function, const std::vector<const Jet<Wide>*>&);
extern template Jet<double> power(const JetShape&, const Jet<double>&, double);
extern template Jet<Wide> power(const JetShape&, const Jet<Wide>&, double);

template <class S, class Of>
std::vector<Jet<S>> Program::evaluate(const JetShape& shape, const Of& of) const {
  using expressions::NodeKind;
  std::vector<Jet<S>> value;
  value.reserve(steps_.size());
  for (const Step& step : steps_) {
    switch (step.kind) {
      case NodeKind::number: value.push_back(constant(shape, S(step.number))); break;
      case NodeKind::symbol: value.push_back(of(step.symbol)); break;
      case NodeKind::sum: {
        Jet<S> sum = value[step.children[0]];
        for (std::size_t k = 1; k < step.children.size(); ++k) add_to(sum, value[step.children[k]]);
        value.push_back(std::move(sum));
        break;
      }
      case NodeKind::product: {
        Jet<S> product = value[step.children[0]];
        for (std::size_t k = 1; k < step.children.size(); ++k)
          product = multiply(shape, value[step.children[k]], product);
        value.push_back(std::move(product));
        break;
      }
      case NodeKind::power: {
        const Step& exponent = steps_[step.children[1]];
        if (exponent.kind == NodeKind::number) {
          value.push_back(power(shape, value[step.children[0]], exponent.number));
          break;
        }
        const Jet<S> log = apply<S>(shape, expressions::Function::log, {&value[step.children[0]]});
        const Jet<S> raised = multiply(shape, value[step.children[1]], log);
        value.push_back(apply<S>(shape, expressions::Function::exp, {&raised}));
        break;
      }
      case NodeKind::function: {
        std::vector<const Jet<S>*> arguments;
        for (const std::uint32_t child : step.children) arguments.push_back(&value[child]);
        value.push_back(apply<S>(shape, step.function, arguments));
        break;
      }
    }
  }
  std::vector<Jet<S>> out;
  out.reserve(output_.size());
  for (const std::uint32_t k : output_) out.push_back(value[k]);
  return out;
}

}  // namespace zwang::analysis
