/// Products multiplied out, for decisions that need a polynomial form.
#include <cmath>
#include <optional>

#include "zwang/expressions/graph.hpp"
#include "zwang/expressions/traversal.hpp"

namespace zwang::expressions {
namespace {

constexpr double highest_power = 8;
/// Products of single terms that may be formed for one term that is allowed to remain.
constexpr std::size_t work_per_term = 64;

/// a * b with every term of a times every term of b; nothing if that gets too long.
std::optional<Expr> distribute(Graph& graph, Expr a, Expr b, std::size_t most_terms) {
  const std::vector<Expr> left = terms_of(graph, a);
  const std::vector<Expr> right = terms_of(graph, b);
  if (left.size() * right.size() > work_per_term * most_terms) return std::nullopt;
  std::vector<Expr> all;
  all.reserve(left.size() * right.size());
  for (const Expr x : left) {
    for (const Expr y : right) all.push_back(graph.multiply(x, y));
  }
  const Expr sum = graph.add(all);
  if (terms_of(graph, sum).size() > most_terms) return std::nullopt;
  return sum;
}

/// A factor that is a sum, or a whole power of one, multiplied onto `product`.
std::optional<Expr> distribute_factor(Graph& graph, Expr product, Expr factor, std::size_t most_terms) {
  // How often the sum stands there.
  Node node = graph.node(factor);
  double times = 1;
  if (node.kind == NodeKind::power && graph.node(node.children[0]).kind == NodeKind::sum &&
      graph.node(node.children[1]).kind == NodeKind::number) {
    const double exponent = graph.node(node.children[1]).number;
    if (exponent >= 2 && exponent <= highest_power && std::trunc(exponent) == exponent) {
      times = exponent;
      factor = node.children[0];
    }
  }

  // One multiplication each.
  std::optional<Expr> result = product;
  for (double k = 0; k < times && result; ++k) result = distribute(graph, *result, factor, most_terms);
  return result;
}

/// One pass over all parts.
std::optional<Expr> expand_once(Graph& graph, Expr e, std::size_t most_terms) {
  const std::vector<Expr> sorted = parts(graph, std::span(&e, 1));
  std::vector<Expr> images(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const Node node = graph.node(sorted[k]);
    std::vector<Expr> children;
    for (const Expr child : node.children) children.push_back(images[place_of(sorted, child)]);
    const NodeKind kind = node.kind;
    const Function function = node.function;

    // Rebuild with expanded children, then multiply out what stands at the top.
    Expr image = sorted[k];
    if (kind == NodeKind::sum) {
      image = graph.add(children);
      if (terms_of(graph, image).size() > most_terms) return std::nullopt;
    } else if (kind == NodeKind::function) {
      image = graph.apply(function, children);
    } else if (kind == NodeKind::product || kind == NodeKind::power) {
      image = kind == NodeKind::product ? graph.multiply(children) : graph.power(children[0], children[1]);
      std::vector<Expr> factors = {image};
      if (graph.node(image).kind == NodeKind::product) {
        const auto of = graph.node(image).children;
        factors.assign(of.begin(), of.end());
      }
      Expr product = graph.number(1);
      for (const Expr factor : factors) {
        const auto next = distribute_factor(graph, product, factor, most_terms);
        if (!next) return std::nullopt;
        product = *next;
      }
      image = product;
    }
    images[k] = image;
  }
  return images.back();
}

}  // namespace

Expr expand(Graph& graph, Expr e, std::size_t most_terms) {
  // Multiplying out may bring up new products of sums (sqrt(a + b)^2); a few rounds settle it.
  Expr current = e;
  for (int round = 0; round < 8; ++round) {
    const auto next = expand_once(graph, current, most_terms);
    if (!next) return e;
    if (*next == current) break;
    current = *next;
  }
  return current;
}

}  // namespace zwang::expressions
