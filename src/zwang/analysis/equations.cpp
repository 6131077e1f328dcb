/// Deriving the equations: every term by itself, in its own indices; then gathered round each body.
#include "zwang/analysis/equations.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <set>
#include <span>

#include "zwang/error.hpp"
#include "zwang/expressions/traversal.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Symbol;
using expressions::SymbolKind;
using model::NameSort;
using model::Symbols;

int rank(const Symbols& symbols, Symbol symbol) {
  switch (symbol.kind) {
    case SymbolKind::time: return 15;
    case SymbolKind::position: return 20;
    case SymbolKind::velocity: return 40;
    case SymbolKind::mode:
    case SymbolKind::constant: break;
  }
  switch (symbols.constants[symbol.index].sort) {
    case NameSort::parameter:
    case NameSort::pi: return 0;
    case NameSort::index: return 5;
    case NameSort::root: return 20;
    case NameSort::rate: return 40;
    case NameSort::acceleration:
    case NameSort::free: return 60;
    case NameSort::multiplier:
    case NameSort::rho_rate: return -70;
    case NameSort::rho: return -65;
  }
  return 0;
}

namespace {

constexpr std::size_t largest_inverse = 3;  // of blocks of the mass matrix that are inverted in letters

using Names = std::set<std::uint32_t>;  // constant symbols that are indices

class Deriver {
 public:
  Deriver(const model::Draft& draft, const model::Model& model, bool members) : model_(model) {
    out_.symbols = model::symbols(draft, model, members);
  }

  Equations run() {
    derive_energies();
    derive_rows();
    if (symbols().flow) {
      project();
    } else {
      total_energies();
      invert_masses();
    }
    gather_lines();
    gather_phi();
    finish_all();
    return std::move(out_);
  }

 private:
  [[nodiscard]] Symbols& symbols() { return out_.symbols; }
  [[nodiscard]] expressions::Graph& graph() { return out_.symbols.graph; }

  Expr zero() { return graph().number(0); }
  Expr tidied(Expr e) { return expressions::tidy(graph(), e, ranks_, false); }

  Expr acceleration(std::uint32_t variable) {
    const model::Reference reference = symbols().variables[variable];
    return graph().symbol(
        symbols().constant(NameSort::acceleration, reference.body, reference.component, reference.index));
  }

  /// Rate along the motion; accelerations as symbols, or zero.
  Expr rate(Expr e, bool accelerated) {
    return expressions::rate(graph(), e, [&](Symbol symbol) {
      switch (symbol.kind) {
        case SymbolKind::time: return graph().number(1);
        case SymbolKind::position: return graph().symbol({SymbolKind::velocity, symbol.index});
        case SymbolKind::velocity: return accelerated ? acceleration(symbol.index) : zero();
        case SymbolKind::mode:
        case SymbolKind::constant: break;
      }
      return zero();
    });
  }

  [[nodiscard]] std::vector<std::uint32_t> variables_of(Expr e, SymbolKind kind) const {
    std::vector<std::uint32_t> out;
    for (const Symbol symbol : expressions::symbols(out_.symbols.graph, e)) {
      if (symbol.kind == kind) out.push_back(symbol.index);
    }
    return out;
  }

  // Energies.

  void derive_energies() {
    for (std::uint32_t k = 0; k < symbols().potential.size(); ++k) {
      const Expr value = tidied(symbols().potential[k].value);
      EquationTerm term;
      term.member = k;
      term.variables = variables_of(value, SymbolKind::position);
      std::vector<Symbol> by;
      for (const std::uint32_t v : term.variables) by.push_back({SymbolKind::position, v});
      for (const Expr e : expressions::gradient(graph(), value, by)) term.force.push_back(graph().negate(e));
      out_.potential_terms.push_back(std::move(term));
    }
    for (std::uint32_t k = 0; k < symbols().kinetic.size(); ++k) derive_kinetic(k);
  }

  void derive_kinetic(std::uint32_t k) {
    const Expr value = tidied(symbols().kinetic[k].value);
    EquationTerm term;
    term.member = k;
    std::set<std::uint32_t> variables;
    for (const SymbolKind kind : {SymbolKind::position, SymbolKind::velocity}) {
      for (const std::uint32_t v : variables_of(value, kind)) variables.insert(v);
    }
    term.variables.assign(variables.begin(), variables.end());

    // Momenta, forces dT/dq - dp/dt|a=0, masses.
    std::vector<Symbol> positions;
    std::vector<Symbol> velocities;
    for (const std::uint32_t v : term.variables) {
      positions.push_back({SymbolKind::position, v});
      velocities.push_back({SymbolKind::velocity, v});
    }
    const std::vector<Expr> momenta = expressions::gradient(graph(), value, velocities);
    const std::vector<Expr> slopes = expressions::gradient(graph(), value, positions);
    for (std::size_t i = 0; i < term.variables.size(); ++i) {
      term.force.push_back(graph().subtract(slopes[i], rate(momenta[i], false)));
      for (const Expr e : expressions::gradient(graph(), momenta[i], velocities)) term.mass.push_back(tidied(e));
    }
    out_.kinetic_terms.push_back(std::move(term));
  }

  /// T with the points, V with their weight; what has no indices is one expression.
  void total_energies() {
    out_.kinetic = symbols().kinetic;
    out_.potential = symbols().potential;
    const auto add = [&](std::vector<model::SymbolicEnergy>& to, const model::SymbolicMember& member, Expr value) {
      if (graph().is_number(value, 0)) return;
      const auto single = std::find_if(to.begin(), to.end(), [&](const auto& e) { return e.ranges.empty(); });
      if (member.ranges.empty() && single != to.end()) {
        single->value = graph().add(value, single->value);
        return;
      }
      model::SymbolicEnergy energy;
      static_cast<model::SymbolicMember&>(energy) = member;
      energy.value = value;
      to.push_back(energy);
    };
    const std::size_t bodies = symbols().bodies.size();
    for (std::size_t b = 0; b < bodies; ++b) {
      const model::SymbolicBody body = symbols().bodies[b];
      if (model_.bodies[body.body].kind != model::BodyKind::point) continue;
      std::vector<Expr> squares;
      std::vector<Expr> work;
      for (std::uint32_t c = 0; c < model_.bodies[body.body].dimension; ++c) {
        const std::uint32_t own = own_variable(body, c);
        squares.push_back(graph().power(graph().symbol({SymbolKind::velocity, own}), graph().number(2)));
        if (!body.gravity.empty()) {
          work.push_back(graph().multiply(body.gravity[c], graph().symbol({SymbolKind::position, own})));
        }
      }
      const Expr halves[] = {graph().number(0.5), body.mass, graph().add(squares)};
      add(out_.kinetic, body, graph().multiply(halves));
      add(out_.potential, body, graph().negate(graph().multiply(body.mass, graph().add(work))));
    }
  }

  // Rows.

  void derive_rows() {
    for (std::uint32_t k = 0; k < symbols().conditions.size(); ++k) {
      const std::size_t components = symbols().conditions[k].f.size();
      for (std::uint32_t c = 0; c < components; ++c) derive_row(k, c);
    }
  }

  void derive_row(std::uint32_t k, std::uint32_t c) {
    EquationRow row;
    row.member = k;
    row.component = c;
    const model::SymbolicCondition condition = symbols().conditions[k];
    row.kind = model_.row_kind[condition.first_row + c];
    row.variational = model_.conditions[condition.condition].law == model::Law::variational;
    const bool holonomic = is_holonomic(row.kind);
    row.f = tidied(condition.f[c]);
    current_row_ = static_cast<std::uint32_t>(out_.rows.size());
    in_row_ = true;
    for (const Expr sum : expressions::sums_under_roots(graph(), row.f)) static_cast<void>(root_of(sum));
    in_row_ = false;
    row.first = tidied(rate(row.f, true));
    if (symbols().flow && !holonomic) row.first = row.f;
    row.second = holonomic ? tidied(rate(row.first, true)) : row.first;
    row.curvature = rate(holonomic ? row.first : row.f, false);

    // g or p, and what bends a variational motion.
    const SymbolKind by = holonomic ? SymbolKind::position : SymbolKind::velocity;
    std::set<std::uint32_t> variables;
    for (const std::uint32_t v : variables_of(row.f, by)) variables.insert(v);
    if (row.variational) {
      for (const std::uint32_t v : variables_of(row.f, SymbolKind::position)) variables.insert(v);
    }
    std::vector<Symbol> wanted;
    for (const std::uint32_t v : variables) wanted.push_back({by, v});
    const std::vector<Expr> gradient = expressions::gradient(graph(), row.f, wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      RowEntry entry;
      entry.variable = wanted[i].index;
      entry.value = tidied(gradient[i]);
      entry.bend = zero();
      if (row.variational) {
        const Expr slope = expressions::derivative(graph(), row.f, {SymbolKind::position, entry.variable});
        entry.bend = tidied(graph().subtract(rate(entry.value, false), slope));
      }
      row.entries.push_back(entry);
    }
    row.multiplier = graph().symbol(symbols().constant(row.variational ? NameSort::rho_rate : NameSort::multiplier,
                                                       condition.condition, c, condition.index));
    row.rho = zero();
    if (row.variational) {
      row.rho = graph().symbol(symbols().constant(NameSort::rho, condition.condition, c, condition.index));
    }
    out_.rows.push_back(std::move(row));
  }

  // Indices.

  /// The indices that stand in an expression, also in the brackets of its names.
  void collect_indices(Expr e, Names& out) const {
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
  [[nodiscard]] Names indices_of(const std::vector<Expr>& list) const {
    Names out;
    for (const Expr e : list) collect_indices(e, out);
    return out;
  }

  /// The letter itself, or another one that is neither taken nor a name of the model.
  Symbol free_letter(Symbol symbol, const Names& taken) {
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

  /// How the indices of a term must be chosen for one of its variables to be a given member.
  struct Match {
    bool possible = true;
    Symbols::Images images;
    std::vector<model::SymbolicRange> over;
    std::vector<std::pair<Expr, Expr>> when;
    std::vector<std::pair<Expr, Expr>> within;
  };

  /// index(ranges) = target, solved for the ranges where they stand alone: i+1 = j gives i = j-1.
  /// `members`: where the target's own indices run.
  Match match(const std::vector<Expr>& index, const std::vector<model::SymbolicRange>& ranges,
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

  /// Derivative by an index; 0 if it stands inside of a function such as floor, which has none.
  Expr slope_of(Expr e, Symbol symbol) {
    for (const Expr part : expressions::parts(graph(), std::span(&e, 1))) {
      if (graph().node(part).kind != expressions::NodeKind::function) continue;
      const std::vector<Symbol> inside = expressions::symbols(graph(), part);
      if (std::find(inside.begin(), inside.end(), symbol) != inside.end()) return zero();
    }
    return expressions::derivative(graph(), e, symbol);
  }

  /// low <= high as a condition of the match, unless it is always true (or never).
  void require(Expr low, Expr high, const std::vector<model::SymbolicRange>& members, Match& out) {
    const Expr room = expressions::expand(graph(), graph().subtract(high, low));
    std::map<std::uint32_t, double> least;
    std::map<std::uint32_t, double> most;
    bool bounded = true;
    for (const std::uint32_t i : indices_of({room})) {
      const auto range =
          std::find_if(members.begin(), members.end(), [&](const auto& r) { return r.symbol.index == i; });
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

  static bool same_ranges(const std::vector<model::SymbolicRange>& a, const std::vector<model::SymbolicRange>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.symbol == y.symbol && x.low == y.low && x.high == y.high;
    });
  }

  static void add_piece(std::vector<Piece>& pieces, expressions::Graph& graph, const Match& match, Expr value) {
    for (Piece& piece : pieces) {
      if (!same_ranges(piece.over, match.over) || piece.when != match.when || piece.within != match.within) continue;
      piece.value = graph.add(piece.value, value);
      return;
    }
    pieces.push_back({match.over, match.when, match.within, value});
  }

  /// The expression in other indices; roots known in it keep their names.
  Expr relabelled(Expr e, const Symbols::Images& images) {
    for (const Expr sum : expressions::sums_under_roots(graph(), e)) {
      const Expr root = root_of(sum);
      const Expr other = symbols().relabel(sum, images);
      const Expr other_root = symbols().relabel(root, images);
      root_of_.try_emplace(other.id, other_root);
      root_of_.try_emplace(tidied(other).id, other_root);
    }
    return symbols().relabel(e, images);
  }

  // The inverse of the mass matrix, where it is simple: by variable of a body's own equation.

  [[nodiscard]] std::uint32_t own_variable(const model::SymbolicBody& body, std::uint32_t component) {
    return symbols().variable(body.body, component, body.index);
  }

  void invert_masses() {
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

  Expr determinant(const std::vector<std::vector<Expr>>& m) {
    if (m.empty()) return graph().number(1);
    std::vector<Expr> terms;
    for (std::size_t j = 0; j < m.size(); ++j) {
      const Expr product = graph().multiply(m[0][j], determinant(minor(m, 0, j)));
      terms.push_back(j % 2 == 0 ? product : graph().negate(product));
    }
    return graph().add(terms);
  }
  static std::vector<std::vector<Expr>> minor(const std::vector<std::vector<Expr>>& m, std::size_t row,
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
  void invert(const std::vector<std::uint32_t>& block, const std::vector<std::vector<Expr>>& m) {
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

  // First-order systems.

  /// Gradients as they are, with W = 1; or, with free functions, the columns of an inverse.
  void project() {
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

  /// The body entry that a reference is a member of, and the images of its indices; none if it cannot be told.
  struct Owner {
    std::size_t body = 0;
    Symbols::Images images;
  };
  std::optional<Owner> owner_of(const model::Reference& reference) {
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

  // The equation of each body.

  void gather_lines() {
    for (std::uint32_t b = 0; b < symbols().bodies.size(); ++b) {
      const std::uint32_t dimension = model_.bodies[symbols().bodies[b].body].dimension;
      for (std::uint32_t c = 0; c < dimension; ++c) gather_line(b, c);
    }
  }

  void gather_line(std::uint32_t b, std::uint32_t c) {
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

  // Phi and its right-hand side.

  void gather_phi() {
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

  void gather_entry(std::uint32_t a, std::uint32_t b) {
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
          for (const Expr e : reference.index)
            index.push_back(expressions::expand(graph(), symbols().relabel(e, fresh)));
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

  // Roots get names, everything its final form.

  Expr root_of(Expr sum) {
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

  void finish(Expr& e) {
    e = tidied(e);
    const std::vector<Expr> sums = expressions::sums_under_roots(graph(), e);
    for (const Expr sum : sums) static_cast<void>(root_of(sum));
    e = expressions::replace_roots(
        graph(), e, [&](Expr sum) { return root_of(sum); }, [&](Expr sum) { return root_of_.contains(sum.id); });
    e = expressions::tidy(graph(), e, ranks_);
  }
  /// Masses times accelerations, collected by the accelerations.
  void finish_left(Expr& e) {
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

  /// f'' with f' in it: where f' = N/r, the N in f'' is r f'.
  void shorten(EquationRow& row) {
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

  /// The terms of a sum, the factors of a product, or the expression alone.
  std::vector<Expr> children(Expr e, expressions::NodeKind kind) {
    const expressions::Node node = graph().node(e);
    if (node.kind == kind) return {node.children.begin(), node.children.end()};
    return {e};
  }

  /// c (a + b) opened if velocities occur in a and not in b: inertia apart from forces.
  Expr term_by_term(Expr e) {
    for (const Expr factor : children(e, expressions::NodeKind::product)) {
      if (graph().node(factor).kind != expressions::NodeKind::sum) continue;
      std::size_t moving = 0;
      const std::vector<Expr> terms = children(factor, expressions::NodeKind::sum);
      for (const Expr term : terms) moving += expressions::depends_on(graph(), term, SymbolKind::velocity) ? 1 : 0;
      return moving > 0 && moving < terms.size() ? expressions::opened(graph(), e) : e;
    }
    return e;
  }

  /// Forces term by term, reactions collected by their multipliers.
  void finish_right(std::vector<Piece>& pieces) {
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

  void finish(std::vector<Expr>& list) {
    for (Expr& e : list) finish(e);
  }
  void finish(std::vector<Piece>& pieces) {
    for (Piece& piece : pieces) finish(piece.value);
    std::erase_if(pieces, [&](const Piece& piece) { return graph().is_number(piece.value, 0); });
  }

  void finish_all() {
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

  const model::Model& model_;
  Equations out_;
  expressions::Ranks ranks_ = [this](Symbol symbol) { return rank(out_.symbols, symbol); };
  std::map<std::uint32_t, Expr> root_of_;
  std::vector<std::uint32_t> own_variables_;
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, Expr>>> inverse_;
  std::map<std::uint32_t, std::vector<RowEntry>> oblique_;  ///< of a flow with free functions: p of each row
  std::uint32_t current_row_ = 0;
  bool in_row_ = false;
};

}  // namespace

std::optional<std::uint32_t> too_long(const model::Model& model) {
  constexpr std::size_t most_letters = 600;  // of a condition as the language of the model has it
  for (const model::Generated& one : model.generated) {
    if (one.condition < model.conditions.size() && one.formula.size() > most_letters) return one.condition;
  }
  return std::nullopt;
}

Equations equations(const model::Draft& draft, const model::Model& model, bool members) {
  if (const std::optional<std::uint32_t> one = too_long(model)) {
    throw Error(model.conditions[*one].place,
                "the distances of the contact " + model.conditions[*one].name +
                    " have too many parts for their equations to be written out; `zwang check` lists its conditions, "
                    "and every other question is answered");
  }
  return Deriver(draft, model, members).run();
}

}  // namespace zwang::analysis
