/// The equation of each body, and the linear system of the multipliers.
#include <algorithm>
#include <cassert>

#include "zwang/analysis/deriver.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Symbol;
using expressions::SymbolKind;
using model::NameSort;
using model::Symbols;

void Deriver::gather_lines() {
  for (std::uint32_t b = 0; b < symbols().bodies.size(); ++b) {
    const std::uint32_t dimension = model_.bodies[symbols().bodies[b].body].dimension;
    for (std::uint32_t c = 0; c < dimension; ++c) gather_line(b, c);
  }
}

void Deriver::gather_line(std::uint32_t b, std::uint32_t c) {
  const model::SymbolicBody body = symbols().bodies[b];
  EquationLine line;
  line.member = b;
  line.component = c;
  const std::uint32_t own = own_variable(body, c);
  const bool point = model_.bodies[body.body].kind == model::BodyKind::point;
  if (point) add_piece(line.left, graph(), {}, graph().multiply(body.mass, acceleration(own)));
  if (symbols().flow) add_piece(line.left, graph(), {}, graph().symbol({SymbolKind::velocity, own}));
  if (!body.gravity.empty()) add_piece(line.force, graph(), {}, graph().multiply(body.mass, body.gravity[c]));
  if (!body.force.empty()) add_piece(line.force, graph(), {}, tidied(body.force[c]));

  // Energies.
  const auto add_terms = [&](const std::vector<EquationTerm>& terms, const auto& members) {
    for (const EquationTerm& term : terms) {
      const std::size_t n = term.variables.size();
      for (std::size_t i = 0; i < n; ++i) {
        const model::Reference reference = symbols().variables[term.variables[i]];
        if (reference.body != body.body || reference.component != c) continue;
        const Match found = match(reference.index, members[term.member].ranges, body.index, body.ranges);
        if (!found.possible) continue;
        if (!graph().is_number(term.force[i], 0)) {
          add_piece(line.force, graph(), found, relabelled(term.force[i], found.images));
        }
        if (term.mass.empty()) continue;
        std::vector<Expr> products;
        for (std::size_t j = 0; j < n; ++j) {
          products.push_back(graph().multiply(term.mass[i * n + j], acceleration(term.variables[j])));
        }
        const Expr sum = graph().add(products);
        if (!graph().is_number(sum, 0)) add_piece(line.left, graph(), found, relabelled(sum, found.images));
      }
    }
  };
  add_terms(out_.potential_terms, symbols().potential);
  add_terms(out_.kinetic_terms, symbols().kinetic);

  // Reactions; those of a flow whose columns are not written out are left to the reader.
  if (symbols().flow && !symbols().free.empty() && oblique_.empty()) {
    out_.lines.push_back(std::move(line));
    return;
  }
  for (std::uint32_t number = 0; number < out_.rows.size(); ++number) {
    const EquationRow& row = out_.rows[number];
    const std::vector<model::SymbolicRange> ranges = symbols().conditions[row.member].ranges;
    const auto oblique = oblique_.find(number);
    for (const RowEntry& entry : oblique != oblique_.end() ? oblique->second : row.entries) {
      const model::Reference reference = symbols().variables[entry.variable];
      if (reference.body != body.body || reference.component != c) continue;
      Match found = match(reference.index, ranges, body.index, body.ranges);
      if (!found.possible) continue;
      // Multipliers of members that do not exist are zero.
      found.within.clear();
      const Expr reaction = graph().negate(graph().multiply(row.multiplier, entry.value));
      if (!graph().is_number(reaction, 0)) {
        add_piece(line.reaction, graph(), found, relabelled(reaction, found.images));
      }
      const Expr bend = graph().negate(graph().multiply(row.rho, entry.bend));
      if (!graph().is_number(bend, 0)) add_piece(line.force, graph(), found, relabelled(bend, found.images));
    }
  }
  out_.lines.push_back(std::move(line));
}

void Deriver::gather_phi() {
  if (!out_.written) return;
  for (std::uint32_t a = 0; a < out_.rows.size() && out_.written && oblique_.empty(); ++a) {
    for (std::uint32_t b = a; b < out_.rows.size() && out_.written; ++b) gather_entry(a, b);
  }

  // Free accelerations, where they are one expression; else they keep a name.
  std::map<std::uint32_t, Expr> free;
  for (const EquationLine& each : out_.lines) {
    const model::SymbolicBody body = symbols().bodies[each.member];
    const std::uint32_t own = own_variable(body, each.component);
    std::vector<Expr> terms;
    bool plain = true;
    for (const auto& part : inverse_[own]) {
      const Expr weight = part.second;
      const auto line = std::find_if(out_.lines.begin(), out_.lines.end(), [&](const EquationLine& l) {
        return own_variable(symbols().bodies[l.member], l.component) == part.first;
      });
      assert(line != out_.lines.end());
      for (const Piece& piece : line->force) {
        plain = plain && piece.plain();
        terms.push_back(graph().multiply(weight, piece.value));
      }
    }
    if (plain) free[own] = graph().add(terms);
  }
  for (EquationRow& row : out_.rows) {
    const Expr last = symbols().flow && is_holonomic(row.kind) ? row.first : row.second;
    row.free_value = expressions::substitute(graph(), last, [&](Symbol symbol) {
      if (symbol.kind == SymbolKind::velocity && symbols().flow) {
        const model::Reference reference = symbols().variables[symbol.index];
        const auto owner = owner_of(reference);
        assert(owner);
        const model::SymbolicBody body = symbols().bodies[owner->body];
        return relabelled(free.at(own_variable(body, 0)), owner->images);
      }
      if (symbol.kind != SymbolKind::constant) return graph().symbol(symbol);
      const model::NamedConstant constant = symbols().constants[symbol.index];
      if (constant.sort != NameSort::acceleration) return graph().symbol(symbol);
      const auto owner = owner_of({constant.subject, constant.component, constant.index});
      if (owner) {
        const model::SymbolicBody body = symbols().bodies[owner->body];
        const auto found = free.find(own_variable(body, constant.component));
        if (found != free.end()) return relabelled(found->second, owner->images);
      }
      return graph().symbol(symbols().constant(NameSort::free, constant.subject, constant.component, constant.index));
    });
  }
}

void Deriver::gather_entry(std::uint32_t a, std::uint32_t b) {
  const EquationRow& row = out_.rows[a];
  const EquationRow& column = out_.rows[b];
  const model::SymbolicCondition here = symbols().conditions[row.member];
  model::SymbolicCondition there = symbols().conditions[column.member];

  // The column's indices get letters of their own.
  Symbols::Images fresh;
  Names used = indices_of(here.index);
  for (model::SymbolicRange& range : there.ranges) {
    const Symbol symbol = free_letter(range.symbol, used);
    used.insert(symbol.index);
    fresh[range.symbol.index] = graph().symbol(symbol);
    range.symbol = symbol;
  }
  for (Expr& e : there.index) e = symbols().relabel(e, fresh);
  for (model::SymbolicRange& range : there.ranges) {
    range.low = symbols().relabel(range.low, fresh);
    range.high = symbols().relabel(range.high, fresh);
  }

  // Every pair of variables that W connects.
  struct Found {
    std::vector<Expr> index;
    std::vector<Piece> value;
  };
  std::vector<Found> entries;
  bool loose = false;
  struct Pair {
    Match match;
    Expr value;
  };
  std::vector<Pair> pairs;
  for (const RowEntry& left : row.entries) {
    const model::Reference from = symbols().variables[left.variable];
    const auto owner = owner_of(from);
    if (!owner) {
      out_.written = false;
      return;
    }
    const model::SymbolicBody body = symbols().bodies[owner->body];
    const auto inverse = inverse_[own_variable(body, from.component)];
    for (const auto& [own, weight] : inverse) {
      const model::Reference to = symbols().variables[own];
      for (const RowEntry& right : column.entries) {
        const model::Reference reference = symbols().variables[right.variable];
        if (reference.body != to.body || reference.component != to.component) continue;
        std::vector<Expr> index;
        for (const Expr e : reference.index) index.push_back(expressions::expand(graph(), symbols().relabel(e, fresh)));
        Match found = match(index, there.ranges, from.index, here.ranges);
        if (!found.possible) continue;
        found.within.clear();
        // The other end of a block of single bodies.
        if (to.index.empty() && !reference.index.empty()) continue;
        Symbols::Images both;
        for (const auto& [old, image] : fresh) both[old] = symbols().relabel(image, found.images);
        const Expr factors[] = {relabelled(left.value, {}), relabelled(weight, owner->images),
                                relabelled(right.value, both)};
        pairs.push_back({found, graph().multiply(factors)});
        loose = loose || !found.over.empty() || !found.when.empty();
      }
    }
  }
  if (pairs.empty()) return;

  for (Pair& pair : pairs) {
    if (loose) {
      // One entry for all: what was solved becomes a bracket.
      for (const auto& [symbol, image] : pair.match.images) {
        const Expr letter = graph().symbol({SymbolKind::constant, symbol});
        if (letter != image) pair.match.when.emplace_back(letter, image);
      }
      pair.match.over.clear();
    }
    std::vector<Expr> index;
    for (const Expr e : there.index) {
      index.push_back(loose ? e : expressions::expand(graph(), symbols().relabel(e, pair.match.images)));
    }
    // Phi is symmetric: of link[i], link[i-1] and link[i], link[i+1] the second is enough.
    if (row.member == column.member && a == b && !loose) {
      double sign = 0;
      for (std::size_t d = 0; d < index.size() && sign == 0; ++d) {
        const Expr difference = expressions::expand(graph(), graph().subtract(index[d], here.index[d]));
        const expressions::Node node = graph().node(difference);
        if (node.kind != expressions::NodeKind::number) break;
        sign = node.number;
      }
      if (sign < 0) continue;
    }
    const auto same = std::find_if(entries.begin(), entries.end(), [&](const Found& f) { return f.index == index; });
    Found& entry = same != entries.end() ? *same : entries.emplace_back(Found{index, {}});
    add_piece(entry.value, graph(), loose ? pair.match : Match{}, pair.value);
  }
  for (Found& entry : entries) {
    out_.phi.push_back({a, b, here.index, std::move(entry.index), std::move(entry.value)});
  }
}

}  // namespace zwang::analysis
