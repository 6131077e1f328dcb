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

}  // namespace zwang::expressions
