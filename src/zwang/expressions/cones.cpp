/// Cones in conditions, and the planes that touch them.
#include "zwang/expressions/cones.hpp"

#include <cmath>
#include <utility>

#include "zwang/expressions/traversal.hpp"

namespace zwang::expressions {

namespace {

constexpr unsigned bit(SymbolKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned of_state = bit(SymbolKind::time) | bit(SymbolKind::position) | bit(SymbolKind::velocity);

/// w_i of a sum of squares w_i^2 of positions; none: it is no such sum.
std::vector<Expr> roots_of_squares(Graph& graph, Expr square) {
  std::vector<Expr> out;
  for (const Expr one : terms_of(graph, square)) {
    const Term term = graph.term(one);
    if (!(term.coefficient > 0) || (graph.kinds(one) & bit(SymbolKind::position)) == 0) return {};
    std::vector<Expr> halves = {graph.number(std::sqrt(term.coefficient))};
    for (const Expr factor : factors_in(graph, term.rest)) {
      const auto [base, power] = as_power(graph, factor);
      if (power < 2 || std::fmod(power, 2) != 0) return {};
      halves.push_back(graph.power(base, graph.number(power / 2)));
    }
    out.push_back(graph.multiply(halves));
  }
  return out;
}

/// The terms of a sum, those of sums that it adds or takes away, too.
void collect_terms(Graph& graph, Expr e, double times, std::vector<Expr>& out) {
  for (const Expr one : terms_of(graph, e)) {
    const Term term = graph.term(one);
    if (graph.node(term.rest).kind == NodeKind::sum) {
      collect_terms(graph, term.rest, times * term.coefficient, out);
    } else {
      out.push_back(graph.multiply(graph.number(times), one));
    }
  }
}

}  // namespace

std::optional<Cone> find_cone(Graph& graph, Expr f) {
  // One root of positions, and nothing else that is not smooth.
  std::optional<Expr> root;
  const Expr all[] = {f};
  for (const Expr part : parts(graph, all)) {
    const auto [base, power] = as_power(graph, part);
    if (std::floor(power) == power || (graph.kinds(base) & of_state) == 0) continue;
    if (power != 0.5 || root) return {};
    root = part;
  }
  if (!root) return {};
  Cone out{*root, {}, roots_of_squares(graph, as_power(graph, *root).first)};
  if (out.w.size() != 2) return {};

  // Linear in it, with a factor that is no function of the state; and beside it something that moves.
  bool moves = false;
  bool found = false;
  std::vector<Expr> terms;
  collect_terms(graph, f, 1, terms);
  for (const Expr term : terms) {
    const Expr one[] = {term};
    const std::vector<Expr> its = parts(graph, one);
    if (place_of(its, *root) == its.size() || its[place_of(its, *root)] != *root) {
      moves = moves || (graph.kinds(term) & bit(SymbolKind::position)) != 0;
      continue;
    }
    if (found) return {};
    found = true;
    std::vector<Expr> others;
    bool once = false;
    for (const Expr factor : factors_in(graph, term)) {
      if (factor == *root && !once) {
        once = true;
        continue;
      }
      if ((graph.kinds(factor) & of_state) != 0) return {};
      others.push_back(factor);
    }
    if (!once) return {};
    out.factor = others.empty() ? graph.number(1) : graph.multiply(others);
  }
  if (!moves || !found) return {};
  return out;
}

std::array<double, 2> corner_of_triangle(std::size_t which) {
  // A third of a turn apart.
  if (which == 0) return {1, 0};
  const double half = std::sqrt(3.0) / 2;
  return {-0.5, which == 1 ? half : -half};
}

Lowered spoke(Graph& graph, Expr f, const Cone& cone, std::size_t which) {
  Lowered out;
  // c.w, every component of c in two parts: the second has the digits that the first one has no room for.
  std::vector<Expr> terms;
  const std::array<double, 2> first = corner_of_triangle(which);
  for (std::size_t i = 0; i < cone.w.size(); ++i) {
    std::vector<Expr> number;
    for (const bool rest : {false, true}) {
      Site site;
      site.corner.kind = CornerKind::spoke;
      site.corner.quiet = true;
      site.corner.follows = true;
      site.corner.first_mode = out.modes;
      site.corner.whole = rest ? 1 : 0;
      site.g = graph.number(rest ? rest_of_spoke(first[i]) : first[i]);
      site.beside = graph.number(0);
      site.source = cone.root;
      out.sites.push_back(site);
      number.push_back(graph.symbol({SymbolKind::mode, out.modes++}));
    }
    terms.push_back(graph.multiply(graph.add(number), cone.w[i]));
  }
  const Expr inner = graph.add(terms);

  const Expr all[] = {f};
  out.outputs = made_anew(graph, all, [&](Expr old, Expr made) { return old == cone.root ? inner : made; });
  return out;
}

}  // namespace zwang::expressions
