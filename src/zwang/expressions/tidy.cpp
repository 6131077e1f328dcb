/// Common factors, sorted terms, squares of sine and cosine; rates, values, repeated parts.
#include "zwang/expressions/tidy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/traversal.hpp"

namespace zwang::expressions {
namespace {

constexpr std::size_t longest_multiplied_out = 200;  // terms; longer sums do not get shorter

/// The node of e with other children.
Expr rebuilt(Graph& graph, Expr e, const Kept& kept) {
  switch (kept.node.kind) {
    case NodeKind::number:
    case NodeKind::symbol: break;
    case NodeKind::sum: return graph.add(kept.children);
    case NodeKind::product: return graph.multiply(kept.children);
    case NodeKind::power: return graph.power(kept.children[0], kept.children[1]);
    case NodeKind::function: return graph.apply(kept.node.function, kept.children);
  }
  return e;
}

/// A factor as base^exponent with a number as exponent.
struct Factor {
  Expr base;
  double exponent = 1;
};
Factor factor_of(const Graph& graph, Expr e) {
  const Node node = graph.node(e);
  if (node.kind == NodeKind::power && graph.node(node.children[1]).kind == NodeKind::number) {
    return {node.children[0], graph.node(node.children[1]).number};
  }
  if (node.kind == NodeKind::function && node.function == Function::sqrt) return {node.children[0], 0.5};
  return {e, 1};
}

/// The factors of a term, its number left out.
std::vector<Factor> factors_of(const Graph& graph, Expr e) {
  const Expr rest = graph.term(e).rest;
  const Node node = graph.node(rest);
  std::vector<Factor> out;
  if (node.kind == NodeKind::product) {
    for (const Expr child : node.children) out.push_back(factor_of(graph, child));
  } else if (node.kind != NodeKind::number) {
    out.push_back(factor_of(graph, rest));
  }
  return out;
}

double exponent_of(const std::vector<Factor>& factors, Expr base) {
  for (const Factor& f : factors) {
    if (f.base == base) return f.exponent;
  }
  return 0;
}

class Tidier {
 public:
  Tidier(Graph& graph, const Ranks& ranks) : graph_(graph), ranks_(ranks) {}

  /// One pass from the leaves to the top.
  Expr pass(Expr e) {
    const std::vector<Expr> sorted = parts(graph_, std::span(&e, 1));
    std::vector<Expr> images(sorted.size());
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      Kept kept = keep(graph_, sorted[k]);
      for (Expr& child : kept.children) child = images[place_of(sorted, child)];
      images[k] = kept.node.kind == NodeKind::sum ? sum(kept.children, 0) : rebuilt(graph_, sorted[k], kept);
    }
    return images.back();
  }

 private:
  /// By which terms are put in order.
  struct Key {
    int rank = 0;  ///< the highest among its symbols; multipliers count as lowest
    std::vector<std::pair<int, Symbol>> symbols;
  };
  /// Of a term; the same ones are asked for again and again.
  const Key& key_of(Expr term) {
    const auto [found, fresh] = keys_.try_emplace(term.id);
    Key& key = found->second;
    if (!fresh) return key;
    int highest = -1000;
    bool multiplier = false;
    for (const Symbol symbol : symbols(graph_, term)) {
      const int r = ranks_(symbol);
      multiplier = multiplier || r < 0;
      highest = std::max(highest, r);
      key.symbols.emplace_back(-r, symbol);
    }
    std::sort(key.symbols.begin(), key.symbols.end());
    key.rank = multiplier ? -2000 + highest : highest;
    return key;
  }

  Expr power(Expr base, double exponent) { return graph_.power(base, graph_.number(exponent)); }

  /// c R sin^2 + c R cos^2 = c R, c R - c R sin^2 = c R cos^2 and its like.
  bool pythagoras(std::vector<Expr>& terms) {
    for (std::size_t a = 0; a < terms.size(); ++a) {
      const double coefficient = graph_.term(terms[a]).coefficient;
      for (const Factor& f : factors_of(graph_, terms[a])) {
        const Kept base = keep(graph_, f.base);
        if (base.node.kind != NodeKind::function || f.exponent < 2) continue;
        const bool sine = base.node.function == Function::sin;
        if (!sine && base.node.function != Function::cos) continue;
        const Expr other = graph_.apply(sine ? Function::cos : Function::sin, base.children);
        const Expr without = graph_.multiply(terms[a], power(f.base, -2));
        const Expr partner = graph_.multiply(without, power(other, 2));
        const Expr against = graph_.negate(without);
        for (std::size_t b = 0; b < terms.size(); ++b) {
          if (b == a || std::abs(graph_.term(terms[b]).coefficient) != std::abs(coefficient)) continue;
          if (terms[b] != partner && terms[b] != against) continue;
          terms[std::min(a, b)] = terms[b] == partner ? without : graph_.negate(partner);
          terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::max(a, b)));
          return true;
        }
      }
    }
    return false;
  }

  /// What all terms have in common: symbols to their lowest power, and a number of which all are whole multiples.
  Expr common_factor(const std::vector<Expr>& terms) {
    std::vector<std::vector<Factor>> factors;
    for (const Expr term : terms) factors.push_back(factors_of(graph_, term));
    Expr common = graph_.number(1);
    for (const Factor& f : factors[0]) {
      double least = f.exponent;
      for (const std::vector<Factor>& other : factors) {
        const double exponent = exponent_of(other, f.base);
        const bool same_side = exponent * least > 0;
        least = !same_side ? 0 : std::copysign(std::min(std::abs(exponent), std::abs(least)), least);
      }
      // Roots stay whole: x^(1/2) is no factor of x.
      if (least != 0) common = graph_.multiply(common, power(f.base, least));
    }

    // The number.
    double least = std::abs(graph_.term(terms[0]).coefficient);
    bool negative = true;
    for (const Expr term : terms) {
      least = std::min(least, std::abs(graph_.term(term).coefficient));
      negative = negative && graph_.term(term).coefficient < 0;
    }
    bool multiples = true;
    bool equal = true;
    for (const Expr term : terms) {
      equal = equal && std::abs(graph_.term(term).coefficient) == least;
      const double times = std::abs(graph_.term(term).coefficient) / least;
      multiples = multiples && times == std::round(times) && times <= 1000 &&
                  times * least == std::abs(graph_.term(term).coefficient);
    }
    // x - d/2 rather than (2 x - d)/2.
    if (!multiples || (least < 1 && !equal)) least = 1;
    return graph_.multiply(graph_.number(negative ? -least : least), common);
  }

  /// May several terms, but not all, be gathered round this base?
  std::optional<int> gathers(const Factor& f) const {
    const Node node = graph_.node(f.base);
    if (node.kind == NodeKind::number) return std::nullopt;
    if (node.kind == NodeKind::symbol) {
      // Parameters would tear apart what belongs together.
      const int rank = std::abs(ranks_(node.symbol));
      return rank > 5 ? std::optional<int>(rank) : std::nullopt;
    }
    if (node.kind == NodeKind::sum) return 50;
    if (f.exponent < 0) return 40;
    return std::nullopt;
  }

  /// Terms with the same product of velocities (and accelerations) gathered round it; nothing if no two have the same.
  std::optional<Expr> by_velocities(const std::vector<Expr>& terms, int depth) {
    std::vector<std::pair<Expr, std::vector<Expr>>> groups;
    bool several = false;
    for (const Expr term : terms) {
      Expr moving = graph_.number(1);
      for (const Factor& f : factors_of(graph_, term)) {
        const Node node = graph_.node(f.base);
        if (node.kind == NodeKind::symbol && ranks_(node.symbol) >= 40) {
          moving = graph_.multiply(moving, power(f.base, f.exponent));
        }
      }
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == moving; });
      auto& group = same != groups.end() ? *same : groups.emplace_back(moving, std::vector<Expr>{});
      group.second.push_back(term);
      several = several || (group.second.size() > 1 && !graph_.is_number(moving, 1));
    }
    if (!several || groups.size() < 2) return std::nullopt;
    std::vector<Expr> sums;
    for (auto& [moving, members] : groups) {
      for (Expr& member : members) member = graph_.divide(member, moving);
      sums.push_back(graph_.multiply(moving, members.size() == 1 ? members[0] : sum(members, depth + 1)));
    }
    return graph_.add(ordered(sums));
  }

  /// The terms, those with a factor in common gathered round it: the one that most have, then that of highest rank.
  Expr gather(const std::vector<Expr>& terms, int depth) {
    if (terms.size() < 3 || terms.size() > longest_multiplied_out || depth > 8) return graph_.add(ordered(terms));
    if (const std::optional<Expr> grouped = by_velocities(terms, depth)) return *grouped;
    struct Candidate {
      int count = 0;
      int rank = 0;
      bool even = true;  ///< the same exponent everywhere
      Factor factor;
    };
    std::vector<Candidate> candidates;
    std::map<std::pair<std::uint32_t, bool>, std::size_t> place;
    for (const Expr term : terms) {
      for (const Factor& f : factors_of(graph_, term)) {
        const std::optional<int> rank = gathers(f);
        if (!rank) continue;
        const auto [found, fresh] = place.try_emplace({f.base.id, f.exponent < 0}, candidates.size());
        if (fresh) candidates.push_back({0, *rank, true, f});
        Candidate& c = candidates[found->second];
        ++c.count;
        c.even = c.even && (f.exponent == c.factor.exponent || graph_.node(f.base).kind == NodeKind::sum);
        if (std::abs(f.exponent) < std::abs(c.factor.exponent)) c.factor.exponent = f.exponent;
      }
    }
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates) {
      if (c.count < 2 || !c.even) continue;
      if (best == nullptr || std::tuple(c.rank, c.count) > std::tuple(best->rank, best->count)) best = &c;
    }
    if (best == nullptr) return graph_.add(ordered(terms));

    // Those with the factor, divided by it, and the others.
    std::vector<Expr> inside;
    std::vector<Expr> outside;
    const Expr divisor = power(best->factor.base, -best->factor.exponent);
    for (const Expr term : terms) {
      const double exponent = exponent_of(factors_of(graph_, term), best->factor.base);
      if (exponent * best->factor.exponent > 0) {
        inside.push_back(graph_.multiply(term, divisor));
      } else {
        outside.push_back(term);
      }
    }
    const Expr gathered = graph_.multiply(power(best->factor.base, best->factor.exponent), sum(inside, depth + 1));
    if (outside.empty()) return gathered;
    outside.push_back(gathered);
    return gather(terms_of(graph_, graph_.add(outside)), depth + 1);
  }

  /// High ranks first, then by the symbols of high rank, x before y.
  std::vector<Expr> ordered(std::vector<Expr> terms) {
    std::vector<std::pair<const Key*, Expr>> keyed;
    keyed.reserve(terms.size());
    for (const Expr term : terms) keyed.emplace_back(&key_of(term), term);
    std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
      if (a.first->rank != b.first->rank) return a.first->rank > b.first->rank;
      if (a.first->symbols != b.first->symbols) return a.first->symbols < b.first->symbols;
      return graph_.term(a.second).rest < graph_.term(b.second).rest;
    });
    for (std::size_t k = 0; k < terms.size(); ++k) terms[k] = keyed[k].second;
    return terms;
  }

  Expr sum(const std::vector<Expr>& children, int depth) {
    const Expr plain = graph_.add(children);
    std::vector<Expr> terms = terms_of(graph_, plain);
    if (terms.size() < 2) return plain;
    while (terms.size() > 1 && terms.size() <= longest_multiplied_out && pythagoras(terms)) {
      terms = terms_of(graph_, graph_.add(terms));
    }
    if (terms.size() < 2) return graph_.add(terms);
    const Expr common = common_factor(terms);
    if (!graph_.is_number(common, 1)) {
      for (Expr& term : terms) {
        // Numbers are divided, not multiplied by a rounded inverse.
        const Term t = graph_.term(term);
        const double number = graph_.term(common).coefficient;
        const Expr rest = graph_.divide(t.rest, graph_.term(common).rest);
        term = graph_.multiply(graph_.number(t.coefficient / number), rest);
      }
    }
    // Where the rest lies on a sum that is already known, powers meet.
    const Expr inner = gather(terms_of(graph_, graph_.add(ordered(terms))), depth);
    return graph_.multiply(common, inner);
  }

  Graph& graph_;
  const Ranks& ranks_;
  std::unordered_map<std::uint32_t, Key> keys_;  ///< its entries stay where they are
};

double clamped(double value) { return std::min(value, 1e15); }

}  // namespace

double weight(const Graph& graph, Expr e) {
  const std::vector<Expr> sorted = parts(graph, std::span(&e, 1));
  std::vector<double> weights(sorted.size(), 0);
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const Node node = graph.node(sorted[k]);
    double total = 0;
    for (const Expr child : node.children) total += weights[place_of(sorted, child)];
    // A sign is no more than the + in its place.
    if (node.kind == NodeKind::product && graph.is_number(node.children[0], -1)) total -= 2;
    switch (node.kind) {
      case NodeKind::number: total = 1; break;
      case NodeKind::symbol: total = 3; break;
      case NodeKind::sum: total += 3 * static_cast<double>(node.children.size()) - 1; break;
      case NodeKind::product: total += static_cast<double>(node.children.size()) - 1; break;
      case NodeKind::power: total += 1; break;
      case NodeKind::function: total += 5; break;
    }
    weights[k] = clamped(total);
  }
  return weights.back();
}

Expr tidy(Graph& graph, Expr e, const Ranks& ranks, bool multiplied) {
  Tidier tidier(graph, ranks);
  const auto settled = [&](Expr start) {
    Expr current = tidier.pass(start);
    for (int round = 0; round < 3; ++round) {
      const Expr next = tidier.pass(current);
      if (next == current) break;
      current = next;
    }
    return current;
  };
  const Expr plain = settled(e);
  if (!multiplied) return plain;
  const Expr out = expand(graph, e, longest_multiplied_out);
  if (out == e) return plain;
  const Expr other = settled(out);
  return weight(graph, other) < weight(graph, plain) ? other : plain;
}

Expr opened(Graph& graph, Expr e) {
  // One factor that is a sum, and the others.
  const Kept kept = keep(graph, e);
  if (kept.node.kind != NodeKind::product) return e;
  std::vector<Expr> others;
  std::vector<Expr> terms;
  for (const Expr factor : kept.children) {
    if (terms.empty() && graph.node(factor).kind == NodeKind::sum) {
      terms = terms_of(graph, factor);
    } else {
      others.push_back(factor);
    }
  }
  if (terms.empty()) return e;
  const Expr front = graph.multiply(others);
  for (Expr& term : terms) term = graph.multiply(front, term);
  return graph.add(terms);
}

double evaluate(const Graph& graph, Expr e, const std::function<double(Symbol)>& value_of) {
  const std::vector<Expr> sorted = parts(graph, std::span(&e, 1));
  std::vector<double> values(sorted.size());
  std::vector<double> arguments;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const Node node = graph.node(sorted[k]);
    arguments.clear();
    for (const Expr child : node.children) arguments.push_back(values[place_of(sorted, child)]);
    double& value = values[k];
    switch (node.kind) {
      case NodeKind::number: value = node.number; break;
      case NodeKind::symbol: value = value_of(node.symbol); break;
      case NodeKind::sum:
        for (const double a : arguments) value += a;
        break;
      case NodeKind::product:
        value = 1;
        for (const double a : arguments) value *= a;
        break;
      case NodeKind::power: value = elementary::pow(arguments[0], arguments[1]); break;
      case NodeKind::function: value = evaluate(node.function, arguments); break;
    }
  }
  return values.back();
}

std::vector<Expr> sums_under_roots(const Graph& graph, Expr e) {
  std::vector<Expr> found;
  for (const Expr part : parts(graph, std::span(&e, 1))) {
    const Factor f = factor_of(graph, part);
    const bool half = std::trunc(f.exponent) != f.exponent && std::trunc(2 * f.exponent) == 2 * f.exponent;
    if (half && graph.node(f.base).kind == NodeKind::sum) found.push_back(f.base);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Expr replace_roots(Graph& graph, Expr e, const std::function<Expr(Expr)>& root_of,
                   const std::function<bool(Expr)>& has_root) {
  const std::vector<Expr> sorted = parts(graph, std::span(&e, 1));
  std::vector<Expr> images(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    // A power of such a sum, also the first one, is a power of its root.
    const Factor f = factor_of(graph, sorted[k]);
    if (graph.node(f.base).kind == NodeKind::sum && std::trunc(2 * f.exponent) == 2 * f.exponent && has_root(f.base)) {
      images[k] = graph.power(root_of(f.base), graph.number(2 * f.exponent));
      continue;
    }
    Kept kept = keep(graph, sorted[k]);
    for (Expr& child : kept.children) child = images[place_of(sorted, child)];
    images[k] = rebuilt(graph, sorted[k], kept);
  }
  return images.back();
}

Expr replace_part(Graph& graph, Expr e, Expr part, Expr image) {
  const std::vector<Expr> sorted = parts(graph, std::span(&e, 1));
  std::vector<Expr> images(sorted.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k] == part) {
      images[k] = image;
      continue;
    }
    Kept kept = keep(graph, sorted[k]);
    for (Expr& child : kept.children) child = images[place_of(sorted, child)];
    images[k] = rebuilt(graph, sorted[k], kept);
  }
  return images.back();
}

std::vector<Expr> repeated_parts(const Graph& graph, std::span<const Expr> roots) {
  const std::vector<Expr> sorted = parts(graph, roots);
  std::vector<unsigned> uses(sorted.size(), 0);
  std::vector<bool> based(sorted.size(), false);
  for (const Expr root : roots) ++uses[place_of(sorted, root)];
  for (const Expr e : sorted) {
    const Node node = graph.node(e);
    for (const Expr child : node.children) ++uses[place_of(sorted, child)];
    if (node.kind == NodeKind::power) based[place_of(sorted, node.children[0])] = true;
  }
  std::vector<Expr> out;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const Node node = graph.node(sorted[k]);
    if (node.kind == NodeKind::number || node.kind == NodeKind::symbol) continue;
    // A sign or a number in front is no work.
    const bool slight = node.kind == NodeKind::product && node.children.size() == 2 &&
                        graph.node(node.children[0]).kind == NodeKind::number &&
                        graph.node(node.children[1]).kind == NodeKind::symbol;
    if ((uses[k] > 1 && !slight) || based[k]) out.push_back(sorted[k]);
  }
  return out;
}

}  // namespace zwang::expressions
