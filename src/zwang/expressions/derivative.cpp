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

/// The slope of a function given by points, as a choice between its pieces.
Expr slope(Graph& graph, Function function, const std::vector<Expr>& of) {
  const std::size_t n = of.size() / 2;
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t k = 0; k < n; ++k) {
    x.push_back(graph.node(of[1 + k]).number);
    y.push_back(graph.node(of[1 + n + k]).number);
  }
  const Pieces pieces = function == Function::table ? table_pieces(x, y) : spline_pieces(x, y);
  const auto on_piece = [&](std::size_t k) {
    const std::array<double, 5>& p = pieces.piece[k];
    const Expr d = graph.subtract(of[0], graph.number(p[0]));
    const Expr bend = graph.add(graph.number(2 * p[3]), graph.multiply(graph.number(3 * p[4]), d));
    return graph.add(graph.number(p[2]), graph.multiply(d, bend));
  };
  Expr out = on_piece(n);
  for (std::size_t k = n; k-- > 0;) {
    const Expr before = graph.apply(Function::below, graph.subtract(of[0], graph.number(x[k])));
    const Expr parts[] = {before, on_piece(k), out};
    out = graph.apply(Function::select, parts);
  }
  return out;
}

/// The same of a function with corners: the derivative of the branch that holds, jumps left out.
Expr corner_partial(Graph& graph, Function function, const std::vector<Expr>& of, std::size_t i) {
  const auto truth = [&](Expr a, Expr b) { return graph.apply(Function::at_least, graph.subtract(a, b)); };
  const auto choose = [&](Expr condition, Expr a, Expr b) {
    const Expr parts[] = {condition, a, b};
    return graph.apply(Function::select, parts);
  };
  const Expr zero = graph.number(0);
  const Expr one = graph.number(1);
  switch (function) {
    case Function::abs: return graph.apply(Function::sign, of[0]);
    case Function::min:
    case Function::max: {
      // Of two that are equal the first one counts.
      std::vector<Expr> others;
      for (std::size_t k = 0; k < of.size(); ++k) {
        if (k != i) others.push_back(of[k]);
      }
      const Expr rest = others.size() == 1 ? others[0] : graph.apply(function, others);
      const Expr holds = function == Function::max ? truth(of[i], rest) : truth(rest, of[i]);
      if (i == 0) return choose(holds, one, zero);
      const Expr reverse = function == Function::max ? truth(rest, of[i]) : truth(of[i], rest);
      return choose(reverse, zero, one);
    }
    case Function::clip: {
      const Expr inside[] = {truth(of[0], of[1]), truth(of[2], of[0])};
      if (i == 0) return choose(graph.apply(Function::both, inside), one, zero);
      return i == 1 ? choose(truth(of[0], of[1]), zero, one) : choose(truth(of[2], of[0]), zero, one);
    }
    case Function::mod:
      if (i == 0) return one;
      return graph.negate(graph.apply(Function::floor, graph.divide(of[0], of[1])));
    case Function::select: return i == 1 ? choose(of[0], one, zero) : (i == 2 ? choose(of[0], zero, one) : zero);
    case Function::table:
    case Function::spline: return i == 0 ? slope(graph, function, of) : zero;
    default: return zero;
  }
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
    default: return corner_partial(graph, function, of, i);
  }
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
  assert(false && "leaves have no children");
  return {};
}

/// A choice between two branches.
bool chooses(const Node& node) { return node.kind == NodeKind::function && node.function == Function::select; }

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
    if (chooses(kept.node)) {
      // The branch that does not hold may have no value: it is chosen from, never multiplied by zero.
      const Expr branches[] = {kept.children[0], derivatives[place_of(sorted, kept.children[1])],
                               derivatives[place_of(sorted, kept.children[2])]};
      derivatives[k] = graph.apply(Function::select, branches);
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
    if (chooses(kept.node)) {
      const Expr branches[] = {kept.children[0], rates[place_of(sorted, kept.children[1])],
                               rates[place_of(sorted, kept.children[2])]};
      rates[k] = graph.apply(Function::select, branches);
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
  if (std::any_of(sorted.begin(), sorted.end(), [&](Expr part) { return chooses(graph.node(part)); })) {
    // A sweep from the end would multiply branches that do not hold by zero.
    std::vector<Expr> one_by_one;
    for (const Symbol& symbol : symbols) one_by_one.push_back(derivative(graph, e, symbol));
    return one_by_one;
  }
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
