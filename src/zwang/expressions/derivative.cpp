/// Derivatives by rule: forward for one symbol, by one reverse sweep for many; and what else walks over the parts.
///
/// With y an expression of its children c_i:  forward dy = sum_i (dy/dc_i) dc_i in rising order of the parts, reverse
/// bar(c_i) += bar(y) dy/dc_i in falling order. Both use the same local rules `partial`.
#include <cassert>

#include "zwang/expressions/functions/table.hpp"
#include "zwang/expressions/graph.hpp"
#include "zwang/expressions/tidy.hpp"
#include "zwang/expressions/traversal.hpp"

namespace zwang::expressions {
namespace {

/// A node whose children do not move when the graph grows.
struct Kept {
  Node node;
  std::vector<Expr> children;
};

Kept keep(const Graph& graph, Expr e) {
  Kept kept{graph.node(e), {}};
  kept.children.assign(kept.node.children.begin(), kept.node.children.end());
  return kept;
}

/// d y / d (child `i`) of a function y.
Expr function_partial(Graph& graph, Function function, Expr y, const std::vector<Expr>& of, std::size_t i) {
  switch (function) {
    case Function::sin: return Sin::derivative(graph, of[0], y);
    case Function::cos: return Cos::derivative(graph, of[0], y);
    case Function::tan: return Tan::derivative(graph, of[0], y);
    case Function::asin: return Asin::derivative(graph, of[0], y);
    case Function::acos: return Acos::derivative(graph, of[0], y);
    case Function::atan: return Atan::derivative(graph, of[0], y);
    case Function::atan2: return Atan2::derivative(graph, of[0], of[1], static_cast<unsigned>(i));
    case Function::sinh: return Sinh::derivative(graph, of[0], y);
    case Function::cosh: return Cosh::derivative(graph, of[0], y);
    case Function::tanh: return Tanh::derivative(graph, of[0], y);
    case Function::exp: return Exp::derivative(graph, of[0], y);
    case Function::log: return Log::derivative(graph, of[0], y);
    case Function::sqrt: return Sqrt::derivative(graph, of[0], y);
    case Function::floor:
    case Function::mod:
    case Function::min:
    case Function::max:
    case Function::abs: break;
  }
  assert(!"functions of parameters have no derivative");
  return {};
}

/// d y / d (child `i`).
Expr partial(Graph& graph, Expr y, const Kept& kept, std::size_t i) {
  switch (kept.node.kind) {
    case NodeKind::number:
    case NodeKind::symbol: break;
    case NodeKind::sum: return graph.number(1);
    case NodeKind::product: {
      std::vector<Expr> others = kept.children;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      return graph.multiply(others);
    }
    case NodeKind::power: {
      const Expr base = kept.children[0];
      const Expr exponent = kept.children[1];
      if (i == 1) return graph.multiply(y, graph.apply(Function::log, base));
      return graph.multiply(exponent, graph.power(base, graph.subtract(exponent, graph.number(1))));
    }
    case NodeKind::function: return function_partial(graph, kept.node.function, y, kept.children, i);
  }
  assert(!"leaves have no children");
  return {};
}

/// For each of the sorted parts: does any of the symbols occur in it?
std::vector<bool> containing(const Graph& graph, std::span<const Expr> sorted, std::span<const Symbol> symbols) {
  std::vector<Symbol> wanted(symbols.begin(), symbols.end());
  std::sort(wanted.begin(), wanted.end());
  std::vector<bool> contains(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const Node node = graph.node(sorted[k]);
    if (node.kind == NodeKind::symbol) contains[k] = std::binary_search(wanted.begin(), wanted.end(), node.symbol);
    for (const Expr e : node.children) {
      if (contains[place_of(sorted, e)]) {
        contains[k] = true;
        break;
      }
    }
  }
  return contains;
}

}  // namespace

Expr derivative(Graph& graph, Expr e, Symbol symbol) {
  const std::vector<Expr> sorted = parts(graph, std::span(&e, 1));
  const std::vector<bool> contains = containing(graph, sorted, std::span(&symbol, 1));
  std::vector<Expr> derivatives(sorted.size(), graph.number(0));

  // Forward: every part after its own parts.
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (!contains[k]) continue;
    const Kept kept = keep(graph, sorted[k]);
    if (kept.node.kind == NodeKind::symbol) {
      derivatives[k] = graph.number(1);
      continue;
    }
    terms.clear();
    for (std::size_t i = 0; i < kept.children.size(); ++i) {
      const std::size_t child = place_of(sorted, kept.children[i]);
      if (!contains[child]) continue;
      terms.push_back(graph.multiply(partial(graph, sorted[k], kept, i), derivatives[child]));
    }
    derivatives[k] = graph.add(terms);
  }
  return derivatives.back();
}

Expr rate(Graph& graph, Expr e, const std::function<Expr(Symbol)>& rate_of) {
  const std::vector<Expr> sorted = parts(graph, std::span(&e, 1));
  const Expr zero = graph.number(0);
  std::vector<Expr> rates(sorted.size(), zero);

  // Forward, as for one symbol; leaves move at their own rates.
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const Kept kept = keep(graph, sorted[k]);
    if (kept.node.kind == NodeKind::symbol) {
      rates[k] = rate_of(kept.node.symbol);
      continue;
    }
    terms.clear();
    for (std::size_t i = 0; i < kept.children.size(); ++i) {
      const Expr child = rates[place_of(sorted, kept.children[i])];
      if (child == zero) continue;
      terms.push_back(graph.multiply(partial(graph, sorted[k], kept, i), child));
    }
    rates[k] = graph.add(terms);
  }
  return rates.back();
}

std::vector<Expr> gradient(Graph& graph, Expr e, std::span<const Symbol> symbols) {
  const std::vector<Expr> sorted = parts(graph, std::span(&e, 1));
  const std::vector<bool> contains = containing(graph, sorted, symbols);

  // Reverse: what reaches a part from those it stands in is complete before the part is visited.
  std::vector<std::vector<Expr>> reached(sorted.size());
  std::vector<Expr> adjoints(sorted.size(), graph.number(0));
  reached.back().push_back(graph.number(1));
  for (std::size_t k = sorted.size(); k-- > 0;) {
    if (!contains[k]) continue;
    adjoints[k] = graph.add(reached[k]);
    reached[k] = {};
    const Kept kept = keep(graph, sorted[k]);
    for (std::size_t i = 0; i < kept.children.size(); ++i) {
      const std::size_t child = place_of(sorted, kept.children[i]);
      if (!contains[child]) continue;
      reached[child].push_back(graph.multiply(adjoints[k], partial(graph, sorted[k], kept, i)));
    }
  }

  // The symbols' adjoints are the derivatives.
  std::vector<Expr> derivatives;
  derivatives.reserve(symbols.size());
  for (const Symbol& symbol : symbols) {
    const Expr leaf = graph.symbol(symbol);
    const std::size_t k = place_of(sorted, leaf);
    derivatives.push_back(k < sorted.size() && sorted[k] == leaf ? adjoints[k] : graph.number(0));
  }
  return derivatives;
}

std::vector<Symbol> symbols(const Graph& graph, Expr e) {
  std::vector<Symbol> found;
  for (const Expr part : parts(graph, std::span(&e, 1))) {
    const Node node = graph.node(part);
    if (node.kind == NodeKind::symbol) found.push_back(node.symbol);
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool depends_on(const Graph& graph, Expr e, SymbolKind kind) {
  return ((graph.kinds(e) >> static_cast<unsigned>(kind)) & 1U) != 0;
}

Expr substitute(Graph& graph, Expr e, const std::function<Expr(Symbol)>& image) {
  const std::vector<Expr> sorted = parts(graph, std::span(&e, 1));
  std::vector<Expr> images(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    // A part whose children stay stays itself.
    const Kept kept = keep(graph, sorted[k]);
    bool changed = false;
    std::vector<Expr> children;
    for (const Expr child : kept.children) {
      children.push_back(images[place_of(sorted, child)]);
      changed = changed || children.back() != child;
    }
    if (kept.node.kind == NodeKind::symbol) {
      images[k] = image(kept.node.symbol);
    } else if (!changed) {
      images[k] = sorted[k];
    } else if (kept.node.kind == NodeKind::sum) {
      images[k] = graph.add(children);
    } else if (kept.node.kind == NodeKind::product) {
      images[k] = graph.multiply(children);
    } else if (kept.node.kind == NodeKind::power) {
      images[k] = graph.power(children[0], children[1]);
    } else {
      images[k] = graph.apply(kept.node.function, children);
    }
  }
  return images.back();
}

}  // namespace zwang::expressions
