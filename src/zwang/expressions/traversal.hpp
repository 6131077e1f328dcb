/// The parts of expressions in an order in which every part comes behind its own parts. No recursion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

/// Handles that were met: one flat table, at most half full, that is searched onwards from where a handle belongs.
class Met {
 public:
  /// Whether e is new; it is not afterwards.
  bool insert(Expr e) {
    if (2 * (count_ + 1) > table_.size()) grow();
    std::size_t k = home(e.id + 1);
    for (; table_[k] != 0; k = (k + 1) & (table_.size() - 1)) {
      if (table_[k] == e.id + 1) return false;
    }
    table_[k] = e.id + 1;
    ++count_;
    return true;
  }

 private:
  /// Neighbours are spread over the table by the golden section.
  [[nodiscard]] std::size_t home(std::uint32_t entry) const {
    return static_cast<std::uint32_t>(entry * 2654435769U) >> shift_;
  }
  void grow() {
    std::vector<std::uint32_t> smaller(2 * table_.size(), 0);
    smaller.swap(table_);
    --shift_;
    for (const std::uint32_t entry : smaller) {
      if (entry == 0) continue;
      std::size_t k = home(entry);
      while (table_[k] != 0) k = (k + 1) & (table_.size() - 1);
      table_[k] = entry;
    }
  }

  unsigned shift_ = 26;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(64, 0);  ///< handle + 1; nothing: 0
};

/// All parts of `roots`, themselves included, by rising handle: a node is made after its children.
inline std::vector<Expr> parts(const Graph& graph, std::span<const Expr> roots) {
  std::vector<Expr> found;
  Met met;
  for (const Expr root : roots) {
    if (met.insert(root)) found.push_back(root);
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (const Expr e : graph.node(found[k]).children) {
      if (met.insert(e)) found.push_back(e);
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

/// base^exponent with a number as exponent: of a root 1/2, of anything else 1.
inline std::pair<Expr, double> as_power(const Graph& graph, Expr e) {
  const Node node = graph.node(e);
  if (node.kind == NodeKind::function && node.function == Function::sqrt) return {node.children[0], 0.5};
  if (node.kind == NodeKind::power && graph.node(node.children[1]).kind == NodeKind::number)
    return {node.children[0], graph.node(node.children[1]).number};
  return {e, 1.0};
}

inline std::vector<Expr> factors_in(const Graph& graph, Expr e) {
  const Node node = graph.node(e);
  if (node.kind == NodeKind::product) return {node.children.begin(), node.children.end()};
  return {e};
}

/// Every part of the outputs made anew from its parts, then changed: change(what it was, what it is made of now).
template <class Change>
std::vector<Expr> made_anew(Graph& graph, std::span<const Expr> outputs, const Change& change) {
  const std::vector<Expr> sorted = parts(graph, outputs);
  std::vector<Expr> images(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const Kept kept = keep(graph, sorted[k]);
    std::vector<Expr> children;
    bool changed = false;
    for (const Expr child : kept.children) {
      children.push_back(images[place_of(sorted, child)]);
      changed = changed || children.back() != child;
    }
    images[k] = change(sorted[k], changed ? remade(graph, kept.node, children) : sorted[k]);
  }
  std::vector<Expr> out;
  for (const Expr e : outputs) out.push_back(images[place_of(sorted, e)]);
  return out;
}

}  // namespace zwang::expressions
