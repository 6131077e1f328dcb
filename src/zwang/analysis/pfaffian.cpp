/// From a model to forms: coefficients of velocities by derivation, families member by member.
#include "zwang/analysis/pfaffian.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "zwang/analysis/tangent.hpp"
#include "zwang/expressions/tidy.hpp"
#include "zwang/model/symbols.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Symbol;
using expressions::SymbolKind;

namespace {

/// The variable of the model that a reference without free indices means.
std::uint32_t variable_of(const model::Symbols& symbols, const model::Model& model, const model::Reference& reference) {
  const model::Body& body = model.bodies[reference.body];
  std::uint32_t member = 0;
  for (std::size_t k = 0; k < reference.index.size(); ++k) {
    const auto index = static_cast<std::uint32_t>(std::lround(symbols.number(reference.index[k]))) - 1;
    member = k == 0 ? index : member * body.counts[k] + index;
  }
  return body.first + member * body.dimension + reference.component;
}

bool has_index(const model::Symbols& symbols, const model::Reference& reference) {
  return std::any_of(reference.index.begin(), reference.index.end(), [&](Expr e) {
    const std::vector<Symbol> all = expressions::symbols(symbols.graph, e);
    return std::any_of(all.begin(), all.end(), [&](Symbol symbol) {
      return symbol.kind == SymbolKind::constant && symbols.constants[symbol.index].sort == model::NameSort::index;
    });
  });
}

/// A row of the model and its f.
struct Row {
  std::uint32_t row = 0;
  Expr f;
};

std::vector<Row> rows_in_force(const model::Symbols& symbols, const model::Model& model, double time) {
  const std::vector<std::uint32_t> equations = equations_in_force(model, time);
  std::vector<Row> out;
  for (const model::SymbolicCondition& condition : symbols.conditions) {
    for (std::uint32_t c = 0; c < condition.f.size(); ++c) {
      const std::uint32_t row = condition.first_row + c;
      if (std::find(equations.begin(), equations.end(), row) != equations.end()) out.push_back({row, condition.f[c]});
    }
  }
  return out;
}

/// The columns inside of sines, exponentials and the like: these are pure numbers, and one is far for them.
std::vector<bool> pure_numbers(const PfaffianSystem& system, const expressions::Graph& graph, Timed timed_by) {
  std::vector<bool> out(system.columns.size(), false);
  std::vector<Expr> open = system.holonomic;
  for (const auto& form : system.pfaffian) open.insert(open.end(), form.begin(), form.end());
  if (timed_by == Timed::by_conditions_or_masses) {
    for (const auto& row : system.mass) open.insert(open.end(), row.begin(), row.end());
  }
  std::vector<bool> seen(graph.size(), false);
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (seen[e.id]) continue;
    seen[e.id] = true;
    const expressions::Node node = graph.node(e);
    open.insert(open.end(), node.children.begin(), node.children.end());
    if (node.kind != expressions::NodeKind::function) continue;
    if (node.function == expressions::Function::sqrt || node.function == expressions::Function::atan2 ||
        node.function == expressions::Function::log)
      continue;
    for (const Symbol symbol : expressions::symbols(graph, e)) {
      if (symbol.kind == SymbolKind::position) out[system.column_of[symbol.index]] = true;
      if (symbol.kind == SymbolKind::time) out[system.time_column] = true;
    }
  }
  return out;
}

/// The coefficients of the differentials of all conditions near the state, their largest at some points: [condition][column], 0 where there is none. At
/// the state itself one may vanish by chance, or nearly, as cos(pi/2) does.
std::vector<std::vector<double>> coefficients_near_state(const PfaffianSystem& system, expressions::Graph& graph,
                                                         const std::vector<bool>& pure) {
  constexpr std::array<double, 3> shifts{0.3, -0.2, 0.13};
  double shift = 0;
  const auto near = [&](std::uint32_t column) {
    const double value = system.columns[column].value;
    return value + (column % 2 == 0 ? shift : -0.7 * shift) * (pure[column] ? 1.0 : std::abs(value));
  };
  const auto value_of = [&](Symbol symbol) {
    if (symbol.kind == SymbolKind::position) return near(system.column_of[symbol.index]);
    if (symbol.kind == SymbolKind::constant) return system.constants[symbol.index].value;
    return symbol.kind == SymbolKind::time && system.time_column < system.columns.size() ? near(system.time_column)
                                                                                         : 0.0;
  };
  const auto value = [&](Expr e) {
    double most = 0;
    for (const double one : shifts) {
      shift = one;
      const double found = std::abs(expressions::evaluate(graph, e, value_of));
      if (std::isfinite(found)) most = std::max(most, found);
    }
    return most;
  };
  std::vector<std::vector<double>> out;
  for (const auto& form : system.pfaffian) {
    out.emplace_back();
    for (const Expr e : form) out.back().push_back(value(e));
  }
  for (const Expr f : system.holonomic) {
    out.emplace_back(system.columns.size(), 0.0);
    for (const Symbol symbol : expressions::symbols(graph, f)) {
      const bool time = symbol.kind == SymbolKind::time && system.time_column < system.columns.size();
      if (symbol.kind != SymbolKind::position && !time) continue;
      const std::uint32_t column = time ? system.time_column : system.column_of[symbol.index];
      out.back()[column] = value(expressions::derivative(graph, f, symbol));
    }
  }
  return out;
}

/// How far "near" reaches in each column. A value that is large beside the others tells itself; one that is not may be small, or zero, by chance: then it
/// is the size of the others that tells, if they are of its kind. In metres and radians they are not: the terms of a condition are, so that no column
/// is taken to be so large or so small that its term outweighs, or vanishes beside, those of columns that are known.
void set_units(PfaffianSystem& system, expressions::Graph& graph, const std::vector<bool>& pure) {
  constexpr double small_by_chance = 0.01;
  constexpr double of_one_kind = 100;
  double largest = 0;
  for (const PfaffianSystem::Column& column : system.columns) largest = std::max(largest, std::abs(column.value));
  std::vector<bool> known(system.columns.size(), false);
  for (std::size_t c = 0; c < system.columns.size(); ++c) {
    PfaffianSystem::Column& column = system.columns[c];
    const double size = std::abs(column.value);
    column.unit = size != 0 ? std::max(size, small_by_chance * largest) : largest > 0 ? largest : 1;
    if (pure[c]) column.unit = std::min(column.unit, 1.0);
    known[c] = pure[c] || (size != 0 && size >= small_by_chance * largest);
  }
  const std::vector<std::vector<double>> coefficients = coefficients_near_state(system, graph, pure);
  for (bool again = true; again;) {
    again = false;
    for (const std::vector<double>& form : coefficients) {
      double term = 0;
      for (std::size_t c = 0; c < form.size(); ++c) {
        if (known[c]) term = std::max(term, form[c] * system.columns[c].unit);
      }
      for (std::size_t c = 0; c < form.size() && term > 0; ++c) {
        if (known[c] || form[c] == 0) continue;
        PfaffianSystem::Column& column = system.columns[c];
        const double same = term / form[c];
        column.unit = std::max(std::abs(column.value), std::clamp(column.unit, same / of_one_kind, same * of_one_kind));
        known[c] = again = true;
      }
    }
  }
}

}  // namespace

std::string PfaffianSystem::name(Symbol symbol) const {
  switch (symbol.kind) {
    case SymbolKind::time: return "t";
    case SymbolKind::position: return columns[column_of[symbol.index]].name;
    case SymbolKind::velocity: return columns[column_of[symbol.index]].name + "'";
    case SymbolKind::constant: return constant_names[symbol.index];
    case SymbolKind::mode: break;
  }
  return {};
}

PfaffianSystem pfaffian_system(const model::Draft& draft, const model::Model& model, const model::State& state,
                               Timed timed_by) {
  model::Symbols symbols = model::symbols(draft, model, true);
  PfaffianSystem out;

  // Variables and constants by their symbols. Those of families that stand for all members do not occur in conditions.
  for (const model::Reference& reference : symbols.variables) {
    out.column_of.push_back(has_index(symbols, reference) ? 0 : variable_of(symbols, model, reference));
  }
  for (const model::NamedConstant& constant : symbols.constants) {
    out.constants.push_back({constant.value, constant.sort == model::NameSort::pi});
    out.constant_names.push_back(constant.sort == model::NameSort::pi ? "pi" : constant.name);
  }
  std::vector<Expr> symbol_of(model.variables);
  std::vector<bool> known(model.variables, false);
  for (std::uint32_t k = 0; k < symbols.variables.size(); ++k) {
    if (has_index(symbols, symbols.variables[k])) continue;
    symbol_of[out.column_of[k]] = symbols.graph.symbol({SymbolKind::position, k});
    known[out.column_of[k]] = true;
  }
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    if (known[i]) continue;
    // A variable that nothing speaks of still is a direction.
    symbol_of[i] = symbols.graph.symbol({SymbolKind::position, static_cast<std::uint32_t>(out.column_of.size())});
    out.column_of.push_back(i);
  }
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    out.columns.push_back({model::variable_name(model, i), symbol_of[i], state.position[i], 1});
  }

  // The forms: p_i = df/dv_i, p_0 the rest.
  std::vector<Expr> moving;
  bool timed = false;
  const auto without_velocities = [&](Expr e) {
    return expressions::substitute(symbols.graph, e, [&](Symbol symbol) {
      return symbol.kind == SymbolKind::velocity ? symbols.graph.number(0) : symbols.graph.symbol(symbol);
    });
  };
  for (const Row& row : rows_in_force(symbols, model, state.time)) {
    if (model::is_holonomic(model.row_kind[row.row])) {
      out.holonomic.push_back(row.f);
      out.holonomic_row.push_back(row.row);
      timed = timed || expressions::depends_on(symbols.graph, row.f, SymbolKind::time);
      continue;
    }
    std::vector<Expr> form(model.variables, symbols.graph.number(0));
    for (const Symbol symbol : expressions::symbols(symbols.graph, row.f)) {
      if (symbol.kind != SymbolKind::velocity) continue;
      Expr& entry = form[out.column_of[symbol.index]];
      entry = symbols.graph.add(entry, without_velocities(expressions::derivative(symbols.graph, row.f, symbol)));
    }
    moving.push_back(without_velocities(row.f));
    timed = timed || !symbols.graph.is_number(moving.back(), 0) || std::any_of(form.begin(), form.end(), [&](Expr e) {
              return expressions::depends_on(symbols.graph, e, SymbolKind::time);
            });
    out.pfaffian.push_back(std::move(form));
    out.pfaffian_row.push_back(row.row);
  }

  // The matrix of T.
  out.mass.assign(model.variables, std::vector<Expr>(model.variables, symbols.graph.number(0)));
  for (std::uint32_t i = 0; i < model.variables; ++i) out.mass[i][i] = symbols.graph.number(model.point_mass[i]);
  for (const model::SymbolicEnergy& energy : symbols.kinetic) {
    const std::vector<Symbol> all = expressions::symbols(symbols.graph, energy.value);
    for (const Symbol a : all) {
      if (a.kind != SymbolKind::velocity) continue;
      const Expr momentum = expressions::derivative(symbols.graph, energy.value, a);
      for (const Symbol b : all) {
        if (b.kind != SymbolKind::velocity) continue;
        Expr& entry = out.mass[out.column_of[a.index]][out.column_of[b.index]];
        entry = symbols.graph.add(entry, without_velocities(expressions::derivative(symbols.graph, momentum, b)));
      }
    }
  }
  if (timed_by == Timed::by_conditions_or_masses) {
    for (const auto& row : out.mass) {
      for (const Expr e : row) timed = timed || expressions::depends_on(symbols.graph, e, SymbolKind::time);
    }
  }

  out.time_column = static_cast<std::uint32_t>(out.columns.size());
  if (timed) {
    out.columns.push_back({"t", symbols.graph.symbol({SymbolKind::time, 0}), state.time, 1});
    for (std::size_t k = 0; k < out.pfaffian.size(); ++k) out.pfaffian[k].push_back(moving[k]);
  }

  set_units(out, symbols.graph, pure_numbers(out, symbols.graph, timed_by));
  out.graph = std::move(symbols.graph);
  return out;
}

}  // namespace zwang::analysis
