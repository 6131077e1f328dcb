/// Indices of families: which members of a term stand in the equation of a given one.
#include <algorithm>
#include <array>
#include <span>

#include "zwang/analysis/deriver.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Symbol;
using expressions::SymbolKind;
using model::NameSort;
using model::Symbols;

void Deriver::collect_indices(Expr e, Names& out) const {
  for (const Symbol symbol : expressions::symbols(out_.symbols.graph, e)) {
    if (symbol.kind == SymbolKind::time) continue;
    if (symbol.kind == SymbolKind::constant) {
      const model::NamedConstant& constant = out_.symbols.constants[symbol.index];
      if (constant.sort == NameSort::index) out.insert(symbol.index);
      for (const Expr part : constant.index) collect_indices(part, out);
    } else {
      for (const Expr part : out_.symbols.variables[symbol.index].index) collect_indices(part, out);
    }
  }
}

Deriver::Names Deriver::indices_of(const std::vector<Expr>& list) const {
  Names out;
  for (const Expr e : list) collect_indices(e, out);
  return out;
}

Symbol Deriver::free_letter(Symbol symbol, const Names& taken) {
  static constexpr std::array letters = {"k", "l", "h", "s", "u", "w", "i2", "j2", "k2", "l2", "i3", "j3"};
  for (std::size_t next = 0; taken.contains(symbol.index) && next < letters.size(); ++next) {
    const std::string letter = letters.at(next);
    const auto same = [&](const auto& thing) { return thing.name == letter; };
    if (std::any_of(model_.parameters.begin(), model_.parameters.end(), same)) continue;
    if (std::any_of(model_.bodies.begin(), model_.bodies.end(), same)) continue;
    symbol = symbols().index(letter);
  }
  return symbol;
}

Deriver::Match Deriver::match(const std::vector<Expr>& index, const std::vector<model::SymbolicRange>& ranges,
                              const std::vector<Expr>& target, const std::vector<model::SymbolicRange>& members) {
  Match out;
  std::set<std::uint32_t> unsolved;
  for (const model::SymbolicRange& range : ranges) unsolved.insert(range.symbol.index);
  std::vector<bool> done(index.size(), false);
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t d = 0; d < index.size(); ++d) {
      if (done[d]) continue;
      std::vector<std::uint32_t> open;
      for (const std::uint32_t i : indices_of({index[d]})) {
        if (unsolved.contains(i)) open.push_back(i);
      }
      if (open.size() != 1) continue;
      const Symbol symbol{SymbolKind::constant, open[0]};
      const Expr slope = slope_of(index[d], symbol);
      const bool plus = graph().is_number(slope, 1);
      if (!plus && !graph().is_number(slope, -1)) continue;
      const Expr rest =
          symbols().relabel(graph().subtract(index[d], graph().multiply(slope, graph().symbol(symbol))), out.images);
      const Expr difference = graph().subtract(target[d], rest);
      out.images[open[0]] = expressions::expand(graph(), plus ? difference : graph().negate(difference));
      unsolved.erase(open[0]);
      done[d] = true;
      progress = true;
    }
  }

  // What is left runs over all members; its letters must not be those of the target.
  Names taken = indices_of(target);
  for (const model::SymbolicRange& range : ranges) {
    if (!unsolved.contains(range.symbol.index)) continue;
    model::SymbolicRange over = range;
    over.symbol = free_letter(range.symbol, taken);
    over.name = symbols().constants[over.symbol.index].name;
    taken.insert(over.symbol.index);
    out.images[range.symbol.index] = graph().symbol(over.symbol);
    out.over.push_back(over);
  }
  for (model::SymbolicRange& over : out.over) {
    over.low = expressions::expand(graph(), symbols().relabel(over.low, out.images));
    over.high = expressions::expand(graph(), symbols().relabel(over.high, out.images));
  }

  // What was solved must lie in its range.
  for (const model::SymbolicRange& range : ranges) {
    if (unsolved.contains(range.symbol.index)) continue;
    const Expr image = out.images[range.symbol.index];
    require(symbols().relabel(range.low, out.images), image, members, out);
    require(image, symbols().relabel(range.high, out.images), members, out);
  }
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (done[d]) continue;
    const Expr here = symbols().relabel(index[d], out.images);
    if (here == target[d]) continue;
    if (indices_of({here, target[d]}).empty()) {
      if (symbols().number(here) != symbols().number(target[d])) out.possible = false;
      continue;
    }
    out.when.emplace_back(target[d], here);
  }
  return out;
}

Expr Deriver::slope_of(Expr e, Symbol symbol) {
  for (const Expr part : expressions::parts(graph(), std::span(&e, 1))) {
    if (graph().node(part).kind != expressions::NodeKind::function) continue;
    const std::vector<Symbol> inside = expressions::symbols(graph(), part);
    if (std::find(inside.begin(), inside.end(), symbol) != inside.end()) return zero();
  }
  return expressions::derivative(graph(), e, symbol);
}

void Deriver::require(Expr low, Expr high, const std::vector<model::SymbolicRange>& members, Match& out) {
  const Expr room = expressions::expand(graph(), graph().subtract(high, low));
  std::map<std::uint32_t, double> least;
  std::map<std::uint32_t, double> most;
  bool bounded = true;
  for (const std::uint32_t i : indices_of({room})) {
    const auto range = std::find_if(members.begin(), members.end(), [&](const auto& r) { return r.symbol.index == i; });
    const Expr slope = slope_of(room, {SymbolKind::constant, i});
    if (range == members.end() || graph().is_number(slope, 0) ||
        !indices_of({slope, range->low, range->high}).empty()) {
      bounded = false;
      break;
    }
    const double first = symbols().number(range->low);
    const double last = symbols().number(range->high);
    const bool rising = symbols().number(slope) > 0;
    least[i] = rising ? first : last;
    most[i] = rising ? last : first;
  }
  if (bounded && symbols().number(room, least) >= 0) return;
  if (bounded && symbols().number(room, most) < 0) {
    out.possible = false;
    return;
  }

  // Solved for an index of the target, if that is easy: 2 <= i, i <= n-1.
  for (const std::uint32_t i : indices_of({room})) {
    const Expr letter = graph().symbol({SymbolKind::constant, i});
    const Expr slope = slope_of(room, {SymbolKind::constant, i});
    if (graph().is_number(slope, 1)) {
      out.within.emplace_back(expressions::expand(graph(), graph().subtract(letter, room)), letter);
      return;
    }
    if (graph().is_number(slope, -1)) {
      out.within.emplace_back(letter, expressions::expand(graph(), graph().add(letter, room)));
      return;
    }
  }
  out.within.emplace_back(low, high);
}

bool Deriver::same_ranges(const std::vector<model::SymbolicRange>& a, const std::vector<model::SymbolicRange>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.symbol == y.symbol && x.low == y.low && x.high == y.high;
  });
}

void Deriver::add_piece(std::vector<Piece>& pieces, expressions::Graph& graph, const Match& match, Expr value) {
  for (Piece& piece : pieces) {
    if (!same_ranges(piece.over, match.over) || piece.when != match.when || piece.within != match.within) continue;
    piece.value = graph.add(piece.value, value);
    return;
  }
  pieces.push_back({match.over, match.when, match.within, value});
}

Expr Deriver::relabelled(Expr e, const Symbols::Images& images) {
  for (const Expr sum : expressions::sums_under_roots(graph(), e)) {
    const Expr root = root_of(sum);
    const Expr other = symbols().relabel(sum, images);
    const Expr other_root = symbols().relabel(root, images);
    root_of_.try_emplace(other.id, other_root);
    root_of_.try_emplace(tidied(other).id, other_root);
  }
  return symbols().relabel(e, images);
}

}  // namespace zwang::analysis
