/// The final form of everything: roots get names, sums are collected by what stands out in them.
#include <algorithm>

#include "zwang/analysis/deriver.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Symbol;
using expressions::SymbolKind;
using model::NameSort;

Expr Deriver::root_of(Expr sum) {
  if (const auto found = root_of_.find(sum.id); found != root_of_.end()) return found->second;
  Names letters;
  collect_indices(sum, letters);
  Root root;
  root.sum = sum;
  root.row = current_row_;
  root.in_row = in_row_;
  std::vector<Expr> index;
  for (const std::uint32_t letter : letters) {
    root.index.push_back({SymbolKind::constant, letter});
    index.push_back(graph().symbol(root.index.back()));
  }
  const Expr symbol =
      graph().symbol(symbols().constant(NameSort::root, static_cast<std::uint32_t>(out_.roots.size()), 0, index));
  out_.roots.push_back(std::move(root));
  root_of_[sum.id] = symbol;
  return symbol;
}

void Deriver::finish(Expr& e) {
  e = tidied(e);
  const std::vector<Expr> sums = expressions::sums_under_roots(graph(), e);
  for (const Expr sum : sums) static_cast<void>(root_of(sum));
  e = expressions::replace_roots(
      graph(), e, [&](Expr sum) { return root_of(sum); }, [&](Expr sum) { return root_of_.contains(sum.id); });
  e = expressions::tidy(graph(), e, ranks_);
}

void Deriver::finish_left(Expr& e) {
  std::vector<Symbol> accelerations;
  for (const Symbol symbol : expressions::symbols(graph(), e)) {
    const bool constant = symbol.kind == SymbolKind::constant;
    if (constant && symbols().constants[symbol.index].sort == NameSort::acceleration) accelerations.push_back(symbol);
  }
  std::stable_sort(accelerations.begin(), accelerations.end(), [&](Symbol a, Symbol b) {
    const model::NamedConstant& x = symbols().constants[a.index];
    const model::NamedConstant& y = symbols().constants[b.index];
    return std::pair(x.subject, x.component) < std::pair(y.subject, y.component);
  });
  std::vector<Expr> terms;
  for (const Symbol symbol : accelerations) {
    Expr mass = expressions::derivative(graph(), e, symbol);
    finish(mass);
    terms.push_back(graph().multiply(mass, graph().symbol(symbol)));
  }
  e = graph().add(terms);
}

void Deriver::shorten(EquationRow& row) {
  const std::vector<Expr> terms = children(row.first, expressions::NodeKind::sum);
  for (const Expr term : terms) {
    for (const Expr factor : children(term, expressions::NodeKind::product)) {
      if (graph().node(factor).kind != expressions::NodeKind::sum) continue;
      if (expressions::weight(graph(), factor) < 12) continue;
      const model::SymbolicCondition condition = symbols().conditions[row.member];
      const Expr symbol =
          graph().symbol(symbols().constant(NameSort::rate, condition.condition, row.component, condition.index));
      const Expr others = graph().subtract(row.first, term);
      const Expr image = graph().divide(graph().subtract(symbol, others), graph().divide(term, factor));
      for (Expr* place : {&row.second, &row.free_value}) {
        if (place == &row.free_value && !out_.written) continue;
        const Expr replaced = expressions::replace_part(graph(), *place, factor, image);
        const Expr shorter = expressions::tidy(graph(), replaced, ranks_);
        if (expressions::weight(graph(), shorter) < expressions::weight(graph(), *place)) *place = shorter;
      }
    }
  }
}

std::vector<Expr> Deriver::children(Expr e, expressions::NodeKind kind) {
  const expressions::Node node = graph().node(e);
  if (node.kind == kind) return {node.children.begin(), node.children.end()};
  return {e};
}

Expr Deriver::term_by_term(Expr e) {
  for (const Expr factor : children(e, expressions::NodeKind::product)) {
    if (graph().node(factor).kind != expressions::NodeKind::sum) continue;
    std::size_t moving = 0;
    const std::vector<Expr> terms = children(factor, expressions::NodeKind::sum);
    for (const Expr term : terms) moving += expressions::depends_on(graph(), term, SymbolKind::velocity) ? 1 : 0;
    return moving > 0 && moving < terms.size() ? expressions::opened(graph(), e) : e;
  }
  return e;
}

void Deriver::finish_right(std::vector<Piece>& pieces) {
  for (Piece& piece : pieces) {
    std::vector<Expr> terms;
    Expr rest = piece.value;
    for (const Symbol symbol : expressions::symbols(graph(), piece.value)) {
      if (rank(symbols(), symbol) >= 0) continue;
      Expr factor = expressions::derivative(graph(), piece.value, symbol);
      finish(factor);
      terms.push_back(graph().multiply(graph().symbol(symbol), factor));
      rest = expressions::substitute(
          graph(), rest, [&](Symbol other) { return other == symbol ? graph().number(0) : graph().symbol(other); });
    }
    finish(rest);
    terms.insert(terms.begin(), term_by_term(rest));
    piece.value = graph().add(terms);
  }
  std::erase_if(pieces, [&](const Piece& piece) { return graph().is_number(piece.value, 0); });
}

void Deriver::finish(std::vector<Expr>& list) {
  for (Expr& e : list) finish(e);
}

void Deriver::finish(std::vector<Piece>& pieces) {
  for (Piece& piece : pieces) finish(piece.value);
  std::erase_if(pieces, [&](const Piece& piece) { return graph().is_number(piece.value, 0); });
}

void Deriver::finish_all() {
  for (std::uint32_t k = 0; k < out_.rows.size(); ++k) {
    EquationRow& row = out_.rows[k];
    current_row_ = k;
    in_row_ = true;
    finish(row.f);
    finish(row.first);
    finish(row.second);
    finish(row.curvature);
    for (RowEntry& entry : row.entries) {
      finish(entry.value);
      finish(entry.bend);
    }
  }
  in_row_ = false;
  for (model::SymbolicEnergy& energy : out_.kinetic) finish(energy.value);
  for (model::SymbolicEnergy& energy : out_.potential) finish(energy.value);
  for (EquationTerm& term : out_.potential_terms) finish(term.force);
  for (EquationTerm& term : out_.kinetic_terms) {
    finish(term.force);
    finish(term.mass);
  }
  for (model::SymbolicBody& body : symbols().bodies) finish(body.force);
  for (EquationLine& line : out_.lines) {
    for (Piece& piece : line.left) {
      if (!symbols().flow) finish_left(piece.value);
    }
    finish_right(line.force);
    finish_right(line.reaction);
  }
  if (!out_.written) out_.phi.clear();
  for (PhiEntry& entry : out_.phi) finish(entry.value);
  std::erase_if(out_.phi, [](const PhiEntry& entry) { return entry.value.empty(); });
  for (EquationRow& row : out_.rows) {
    if (out_.written) finish(row.free_value);
    if (is_holonomic(row.kind) && !symbols().flow) shorten(row);
  }
}

}  // namespace zwang::analysis
