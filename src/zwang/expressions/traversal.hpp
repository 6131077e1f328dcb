/// The parts of expressions in an order in which every part comes behind its own parts. No recursion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <unordered_set>
#include <vector>

#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

/// All parts of `roots`, themselves included, by rising handle: a node is made after its children.
inline std::vector<Expr> parts(const Graph& graph, std::span<const Expr> roots) {
  std::vector<Expr> found;
  std::unordered_set<std::uint32_t> seen;
  for (const Expr root : roots) {
    if (seen.insert(root.id).second) found.push_back(root);
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (const Expr e : graph.node(found[k]).children) {
      if (seen.insert(e.id).second) found.push_back(e);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Where e stands among sorted parts.
inline std::size_t place_of(std::span<const Expr> sorted, Expr e) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), e) - sorted.begin());
}

/// The images of a node's children, and whether one of them is another expression than the child.
inline std::vector<Expr> images_of(const Node& node, std::span<const Expr> sorted, std::span<const Expr> images,
                                   bool& changed) {
  std::vector<Expr> children;
  changed = false;
  for (const Expr child : node.children) {
    children.push_back(images[place_of(sorted, child)]);
    changed = changed || children.back() != child;
  }
  return children;
}

/// The node with other children.
inline Expr remade(Graph& graph, const Node& node, const std::vector<Expr>& children) {
  switch (node.kind) {
    case NodeKind::sum: return graph.add(children);
    case NodeKind::product: return graph.multiply(children);
    case NodeKind::power: return graph.power(children[0], children[1]);
    default: return graph.apply(node.function, children);
  }
}

/// A node whose children do not move when the graph grows.
struct Kept {
  Node node;
  std::vector<Expr> children;
};
inline Kept keep(const Graph& graph, Expr e) {
  Kept kept{graph.node(e), {}};
  kept.children.assign(kept.node.children.begin(), kept.node.children.end());
  kept.node.children = {};
  return kept;
}

/// What a sum adds up; an expression that is none is its only term.
inline std::vector<Expr> terms_of(const Graph& graph, Expr e) {
  const Node node = graph.node(e);
  if (node.kind == NodeKind::sum) return {node.children.begin(), node.children.end()};
  return {e};
}

}  // namespace zwang::expressions
