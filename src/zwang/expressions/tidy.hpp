/// Expressions for people: common factors drawn out, sin^2 + cos^2 = 1, terms in a settled order; and for programs:
/// rates along a motion, values, repeated parts.
///
/// Nothing here changes what an expression means, but rounding may differ: motions are computed from the graph as it was
/// built, `tidy` is for what is written out.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

/// Where a symbol stands in a product: low ranks first. Terms of a sum are ordered by their highest symbol, high first;
/// symbols of negative rank (multipliers) stand first in products and their terms last in sums.
using Ranks = std::function<int(Symbol)>;

/// Common factors drawn out and terms sorted; with `multiplied` the shorter of two forms, as it stands and multiplied out.
[[nodiscard]] Expr tidy(Graph& graph, Expr e, const Ranks& ranks, bool multiplied = true);

/// c (a + b) as c a + c b, at the top alone.
[[nodiscard]] Expr opened(Graph& graph, Expr e);

/// About how many characters the expression takes when written.
[[nodiscard]] double weight(const Graph& graph, Expr e);

/// de/dt when every symbol moves: `rate_of` gives the rate of a symbol, the number 0 if it stands still.
[[nodiscard]] Expr rate(Graph& graph, Expr e, const std::function<Expr(Symbol)>& rate_of);

/// The value for given values of the symbols.
[[nodiscard]] double evaluate(const Graph& graph, Expr e, const std::function<double(Symbol)>& value_of);

/// Half powers of sums: every S that occurs as sqrt(S), S^(3/2), 1/sqrt(S)... gets a symbol r = sqrt(S) from
/// `root_of(S)`, and powers of S become powers of r.
[[nodiscard]] Expr replace_roots(Graph& graph, Expr e, const std::function<Expr(Expr)>& root_of,
                                 const std::function<bool(Expr)>& has_root);
/// The sums under a root in e.
[[nodiscard]] std::vector<Expr> sums_under_roots(const Graph& graph, Expr e);

/// The expression with one of its parts replaced.
[[nodiscard]] Expr replace_part(Graph& graph, Expr e, Expr part, Expr image);

/// Parts worth a name in a program: those that occur more than once, and the bases of whole powers; by rising handle.
[[nodiscard]] std::vector<Expr> repeated_parts(const Graph& graph, std::span<const Expr> roots);

}  // namespace zwang::expressions
