/// Equations of motion in letters: the energies and the conditions, each term by itself.
#include "zwang/analysis/equations.hpp"

#include <algorithm>
#include <set>

#include "zwang/analysis/deriver.hpp"
#include "zwang/error.hpp"

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

Equations Deriver::run() {
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

Expr Deriver::acceleration(std::uint32_t variable) {
  const model::Reference reference = symbols().variables[variable];
  return graph().symbol(
      symbols().constant(NameSort::acceleration, reference.body, reference.component, reference.index));
}

Expr Deriver::rate(Expr e, bool accelerated) {
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

std::vector<std::uint32_t> Deriver::variables_of(Expr e, SymbolKind kind) const {
  std::vector<std::uint32_t> out;
  for (const Symbol symbol : expressions::symbols(out_.symbols.graph, e)) {
    if (symbol.kind == kind) out.push_back(symbol.index);
  }
  return out;
}

void Deriver::derive_energies() {
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

void Deriver::derive_kinetic(std::uint32_t k) {
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

void Deriver::total_energies() {
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

void Deriver::derive_rows() {
  for (std::uint32_t k = 0; k < symbols().conditions.size(); ++k) {
    const std::size_t components = symbols().conditions[k].f.size();
    for (std::uint32_t c = 0; c < components; ++c) derive_row(k, c);
  }
}

void Deriver::derive_row(std::uint32_t k, std::uint32_t c) {
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
