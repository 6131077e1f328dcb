/// What stands in rows.hpp.
#include "zwang/model/implied/rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "zwang/base/number.hpp"
#include "zwang/expressions/graph.hpp"

namespace zwang::model {

namespace {

/// The group of rows with so many terms: f = sum c_i q_i - d, gradient c.
RowGroup linear_group(std::uint32_t terms) {
  using expressions::Symbol;
  using expressions::SymbolKind;
  RowGroup group;
  group.positions = terms;
  group.constants = terms + 1;
  expressions::Graph graph;
  std::vector<Symbol> inputs{{SymbolKind::time, 0}};
  std::vector<expressions::Expr> outputs(1);
  std::vector<expressions::Expr> sum;
  for (std::uint32_t k = 0; k < terms; ++k) inputs.push_back({SymbolKind::position, k});
  for (std::uint32_t k = 0; k <= terms; ++k) inputs.push_back({SymbolKind::constant, k});
  for (std::uint32_t k = 0; k < terms; ++k) {
    const expressions::Expr c = graph.symbol({SymbolKind::constant, k});
    sum.push_back(graph.multiply(c, graph.symbol({SymbolKind::position, k})));
    outputs.push_back(c);
  }
  outputs[0] = graph.subtract(graph.add(sum), graph.symbol({SymbolKind::constant, terms}));
  group.tape = expressions::flatten(graph, outputs, inputs);
  return group;
}

std::string text_of(const Model& model, const Implied& row) {
  std::string text;
  for (std::size_t k = 0; k < row.c.size(); ++k) {
    const double size = std::abs(row.c[k]);
    text += text.empty() ? (row.c[k] < 0 ? "-" : "") : (row.c[k] < 0 ? " - " : " + ");
    if (size != 1) text += exact(size) + "*";
    text += variable_name(model, row.variable[k]);
  }
  return text + " = " + exact(row.d);
}

/// A name that no condition has.
std::string free_name(const Model& model, std::size_t number) {
  std::string stem = "implied";
  while (std::any_of(model.conditions.begin(), model.conditions.end(),
                     [&](const Condition& one) { return !one.implied && one.name.rfind(stem, 0) == 0; })) {
    stem += "_";
  }
  return stem + std::to_string(number);
}

}  // namespace

namespace {

/// Its condition and where it stands in the pattern.
void add_row(Model& model, std::uint32_t group, std::uint32_t lane, const std::vector<std::uint32_t>& variables,
             std::string text) {
  const std::uint32_t row = model.rows();
  std::size_t before = 0;
  for (const Condition& one : model.conditions) before += one.implied ? 1 : 0;
  model.row_group.push_back(group);
  model.row_lane.push_back(lane);
  model.groups[group].row.push_back(row);
  Condition condition;
  condition.name = free_name(model, before + 1);
  condition.text = std::move(text);
  condition.implied = true;
  condition.first_row = row;
  condition.rows = 1;
  model.row_kind.push_back(RowKind::holonomic_equation);
  model.row_condition.push_back(static_cast<std::uint32_t>(model.conditions.size()));
  model.row_alternative.push_back(0);
  model.row_twin.push_back(row);
  model.conditions.push_back(std::move(condition));
  model.row_column.insert(model.row_column.end(), variables.begin(), variables.end());
  model.row_start.push_back(static_cast<std::uint32_t>(model.row_column.size()));
}

}  // namespace

void append_group(Model& model, RowGroup group, const std::vector<std::uint32_t>& variables, std::string text) {
  const auto number = static_cast<std::uint32_t>(model.groups.size());
  for (std::uint32_t slot = 0; slot < group.positions; ++slot) group.entry_of.push_back(model.row_start.back() + slot);
  model.groups.push_back(std::move(group));
  add_row(model, number, 0, variables, std::move(text));
}

void append(Model& model, const std::vector<Implied>& rows) {
  const auto first_group = static_cast<std::uint32_t>(model.groups.size());
  std::vector<std::vector<const Implied*>> lanes;
  for (const Implied& one : rows) {
    const auto terms = static_cast<std::uint32_t>(one.c.size());
    std::uint32_t g = first_group;
    while (g < model.groups.size() && model.groups[g].positions != terms) ++g;
    if (g == model.groups.size()) {
      model.groups.push_back(linear_group(terms));
      lanes.emplace_back();
    }
    const auto lane = static_cast<std::uint32_t>(lanes[g - first_group].size());
    lanes[g - first_group].push_back(&one);
    add_row(model, g, lane, one.variable, text_of(model, one));
  }
  for (std::size_t g = 0; g < lanes.size(); ++g) {
    RowGroup& group = model.groups[first_group + g];
    group.lanes = static_cast<std::uint32_t>(lanes[g].size());
    group.first_switch = model.switches;
    group.first_mode = model.modes;
    for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        group.position_of.push_back(lanes[g][lane]->variable[slot]);
        group.entry_of.push_back(model.row_start[group.row[lane]] + slot);
        group.constant_of.push_back(lanes[g][lane]->c[slot]);
      }
    }
    for (const Implied* one : lanes[g]) group.constant_of.push_back(one->d);
  }
}

bool keeps(const Model& model, const Implied& row) {
  double rate = 0;
  double terms = 0;
  for (std::size_t i = 0; i < row.c.size(); ++i) {
    rate += row.c[i] * model.initial_velocity[row.variable[i]];
    terms += std::abs(row.c[i] * model.initial_velocity[row.variable[i]]);
  }
  return std::abs(rate) <= model.simulation.touch * terms;
}

}  // namespace zwang::model
