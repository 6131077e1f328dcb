/// The inverse of the mass matrix where it is simple, and what takes its place in systems of first order.
#include <algorithm>

#include "zwang/analysis/deriver.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Symbol;
using expressions::SymbolKind;

namespace {

constexpr std::size_t largest_inverse = 3;  // of blocks of the mass matrix that are inverted in letters

}  // namespace

std::uint32_t Deriver::own_variable(const model::SymbolicBody& body, std::uint32_t component) {
  return symbols().variable(body.body, component, body.index);
}

void Deriver::invert_masses() {
  // Masses and forces of every body's own variables.
  std::map<std::uint32_t, std::vector<Piece>> diagonal;
  std::map<std::uint32_t, std::map<std::uint32_t, Expr>> couplings;
  for (const model::SymbolicBody& body : std::vector<model::SymbolicBody>(symbols().bodies)) {
    const std::uint32_t dimension = model_.bodies[body.body].dimension;
    for (std::uint32_t c = 0; c < dimension; ++c) {
      const std::uint32_t own = own_variable(body, c);
      own_variables_.push_back(own);
      if (model_.bodies[body.body].kind == model::BodyKind::point) add_piece(diagonal[own], graph(), {}, body.mass);
      for (const EquationTerm& term : out_.kinetic_terms) {
        const std::size_t n = term.variables.size();
        const std::vector<model::SymbolicRange> ranges = symbols().kinetic[term.member].ranges;
        for (std::size_t i = 0; i < n; ++i) {
          const model::Reference reference = symbols().variables[term.variables[i]];
          if (reference.body != body.body || reference.component != c) continue;
          const Match found = match(reference.index, ranges, body.index, body.ranges);
          if (!found.possible) continue;
          for (std::size_t j = 0; j < n; ++j) {
            const Expr entry = term.mass[i * n + j];
            if (graph().is_number(entry, 0)) continue;
            const Expr value = relabelled(entry, found.images);
            if (i == j) {
              add_piece(diagonal[own], graph(), found, value);
              continue;
            }
            out_.diagonal = false;
            const model::Reference other = symbols().variables[term.variables[j]];
            const bool single = reference.index.empty() && other.index.empty() && found.over.empty();
            if (!single) out_.written = false;
            const auto [place, fresh] = couplings[own].try_emplace(term.variables[j], value);
            if (!fresh) place->second = graph().add(place->second, value);
          }
        }
      }
    }
  }
  for (auto& [own, pieces] : diagonal) {
    if (pieces.size() != 1 || !pieces[0].plain()) out_.written = false;
  }
  if (!out_.written) return;

  // Blocks of coupled variables; each is inverted by its adjugate.
  std::set<std::uint32_t> seen;
  for (const std::uint32_t own : own_variables_) {
    if (seen.contains(own)) continue;
    std::vector<std::uint32_t> block = {own};
    seen.insert(own);
    for (std::size_t k = 0; k < block.size(); ++k) {
      for (const auto& [other, value] : couplings[block[k]]) {
        if (seen.insert(other).second) block.push_back(other);
      }
    }
    std::sort(block.begin(), block.end());
    if (block.size() > largest_inverse) {
      out_.written = false;
      return;
    }
    std::vector<std::vector<Expr>> m(block.size(), std::vector<Expr>(block.size(), zero()));
    for (std::size_t i = 0; i < block.size(); ++i) {
      for (std::size_t j = 0; j < block.size(); ++j) {
        if (i == j) {
          m[i][j] = tidied(diagonal[block[i]][0].value);
        } else if (const auto found = couplings[block[i]].find(block[j]); found != couplings[block[i]].end()) {
          m[i][j] = tidied(found->second);
        }
      }
    }
    invert(block, m);
  }
}

Expr Deriver::determinant(const std::vector<std::vector<Expr>>& m) {
  if (m.empty()) return graph().number(1);
  std::vector<Expr> terms;
  for (std::size_t j = 0; j < m.size(); ++j) {
    const Expr product = graph().multiply(m[0][j], determinant(minor(m, 0, j)));
    terms.push_back(j % 2 == 0 ? product : graph().negate(product));
  }
  return graph().add(terms);
}

std::vector<std::vector<Expr>> Deriver::minor(const std::vector<std::vector<Expr>>& m, std::size_t row,
                                              std::size_t column) {
  std::vector<std::vector<Expr>> out;
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (i == row) continue;
    out.emplace_back();
    for (std::size_t j = 0; j < m.size(); ++j) {
      if (j != column) out.back().push_back(m[i][j]);
    }
  }
  return out;
}

void Deriver::invert(const std::vector<std::uint32_t>& block, const std::vector<std::vector<Expr>>& m) {
  const Expr whole = expressions::tidy(graph(), determinant(m), ranks_);
  for (std::size_t i = 0; i < block.size(); ++i) {
    for (std::size_t j = 0; j < block.size(); ++j) {
      Expr cofactor = determinant(minor(m, i, j));
      if ((i + j) % 2 == 1) cofactor = graph().negate(cofactor);
      const Expr value = graph().divide(tidied(cofactor), whole);
      if (!graph().is_number(value, 0)) inverse_[block[i]].emplace_back(block[j], value);
    }
  }
}

void Deriver::project() {
  for (const model::SymbolicBody& body : std::vector<model::SymbolicBody>(symbols().bodies)) {
    const std::uint32_t own = own_variable(body, 0);
    own_variables_.push_back(own);
    inverse_[own].emplace_back(own, graph().number(1));
  }
  if (symbols().free.empty()) return;
  out_.written = false;
  const std::size_t n = own_variables_.size();
  std::vector<std::vector<Expr>> d;
  std::vector<Symbol> by;
  for (const std::uint32_t own : own_variables_) by.push_back({SymbolKind::position, own});
  for (const Expr phi : std::vector<Expr>(symbols().free)) d.push_back(expressions::gradient(graph(), phi, by));
  for (const EquationRow& row : out_.rows) {
    d.emplace_back(n, zero());
    for (const RowEntry& entry : row.entries) {
      const auto place = std::find(own_variables_.begin(), own_variables_.end(), entry.variable);
      if (place != own_variables_.end()) {
        d.back()[static_cast<std::size_t>(place - own_variables_.begin())] = entry.value;
      }
    }
  }
  if (d.size() != n || n > largest_inverse + 1) return;
  const Expr whole = expressions::tidy(graph(), determinant(d), ranks_);
  for (std::uint32_t k = 0; k < out_.rows.size(); ++k) {
    // Column of the inverse: cofactors of the row.
    std::vector<RowEntry> column;
    const std::size_t row = n - out_.rows.size() + k;
    for (std::size_t i = 0; i < n; ++i) {
      Expr cofactor = determinant(minor(d, row, i));
      if ((row + i) % 2 == 1) cofactor = graph().negate(cofactor);
      column.push_back({own_variables_[i], graph().divide(tidied(cofactor), whole), zero()});
    }
    oblique_[k] = std::move(column);
  }
  out_.written = true;
}

std::optional<Deriver::Owner> Deriver::owner_of(const model::Reference& reference) {
  for (std::size_t b = 0; b < symbols().bodies.size(); ++b) {
    const model::SymbolicBody& body = symbols().bodies[b];
    if (body.body != reference.body) continue;
    if (body.ranges.empty()) {
      if (body.index == reference.index) return Owner{b, {}};
      continue;
    }
    Owner owner{b, {}};
    for (std::size_t d = 0; d < body.ranges.size(); ++d) {
      owner.images[body.ranges[d].symbol.index] = reference.index[d];
    }
    return owner;
  }
  return std::nullopt;
}

}  // namespace zwang::analysis
