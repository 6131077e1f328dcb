/// First-order systems: what belongs into one, its rates, its free functions, and the rates at the start.
#include "zwang/model/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/base/nearest.hpp"
#include "zwang/linear/row_factor.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

/// The field of a table with its place, or nullptr.
const Field* field_of(const Value& table, std::string_view key) {
  for (const Field& field : table.fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

}  // namespace

/// A flow has variables and their rates, and nothing that belongs to masses.
void check_flow(Compilation& work) {
  const Field* flow = field_of(work.content.root, "flow");
  const Field* free = field_of(work.content.root, "free");
  if (flow == nullptr) {
    if (free == nullptr) return;
    throw work.source.error(free->place, "[free] belongs to a first-order system: there is no [flow] in this model");
  }
  work.model.flow = true;
  const auto refuse = [&](const Field& field, std::string_view what) {
    throw work.source.error(field.place, fmt::format("a model with [flow] is a first-order system: {}", what));
  };
  for (const Field& field : work.content.root.fields) {
    if (field.key == "points") refuse(field, "it has coordinates with an initial value each, and no points");
    if (field.key == "bodies") refuse(field, "it has coordinates with an initial value each, and no bodies");
    if (field.key == "joints") refuse(field, "it has no bodies that could be joined");
    if (field.key == "contacts") refuse(field, "it has no bodies that could touch");
    if (field.key == "springs") refuse(field, "springs pull at masses, and it has rates");
    if (field.key == "gravity" || field.key == "energy") {
      refuse(field, fmt::format("it has rates, not masses, and no {}", field.key));
    }
    if (field.key == "impulses") refuse(field, "blows change velocities, and its rates follow from its state alone");
    if (field.key == "releases") refuse(field, "its equations cannot be let go");
    if (field.key == "seizures") refuse(field, "equations cannot seize it, write them into [constraints]");
  }

  // One line for every variable, and none besides.
  const Value& coordinates = *work.find("coordinates");
  for (const Field& line : flow->value.fields) {
    if (field_of(coordinates, line.key) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const Field& field : coordinates.fields) known.push_back(field.key);
    const std::string_view near = nearest(line.key, known.data(), known.size());
    throw work.source.error(
        line.place,
        near.empty() ? fmt::format("`{}` has a rate and no initial value: write [coordinates.{}]", line.key, line.key)
                     : fmt::format("there is no coordinate `{}`; did you mean `{}`?", line.key, near));
  }
  for (const Field& field : coordinates.fields) {
    for (const Field& inner : field.value.fields) {
      if (inner.key == "velocity") refuse(inner, "the rate at the start follows from [flow], leave `velocity` out");
      if (inner.key == "force") refuse(inner, "what drives it stands in [flow], leave `force` out");
    }
    if (field_of(flow->value, field.key) == nullptr) {
      throw work.source.error(field.place,
                              fmt::format("[flow] has no line for `{}`: write {} = \"…\" there", field.key, field.key));
    }
  }
}

void add_flow(Compilation& work) {
  const Value& flow = *work.find("flow");
  for (std::size_t k = 0; k < work.body_fields.size(); ++k) {
    const Syntax syntax = work.formulas.expression(*flow.find(work.body_fields[k]->key));
    add_force(work, work.vocabulary.bodies[k], syntax, "a rate of a flow");
  }
}

void add_free_functions(Compilation& work) {
  const Value* functions = work.find("free", "functions");
  if (functions == nullptr) return;
  Context context{"a free function", true, false, true, true};
  context.corners = false;
  for (const Value& item : functions->items) {
    const Syntax syntax = work.formulas.expression(item);
    if (work.trace(syntax, context).size != 0) {
      throw work.formulas.error(syntax, "a free function is a number; here stands a vector");
    }
    const std::vector<Expr> parts = work.build(syntax, context);
    if (!expressions::depends_on(work.shapes.graph(), parts[0], expressions::SymbolKind::position)) {
      throw work.formulas.error(syntax, fmt::format("`{}` has no rate to keep: no variable of the flow occurs in it",
                                                    work.formulas.text(syntax)));
    }
    work.model.free_functions.push_back(
        {work.formulas.text(syntax), work.shapes.single(parts[0], *work.slots, work.probe(), TermKind::potential)});
  }
}

/// The rates at the start; the free functions must be as many as the equations leave over, and independent.
void begin_flow(Compilation& work) {
  const State start = initial_state(work.model);
  const std::size_t n = work.model.variables;
  const std::vector<double> gradients = condition_gradients(work.model, start);
  for (std::size_t row = 0; row < work.model.rows(); ++row) {
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isfinite(gradients[row * n + i])) continue;
      const Condition& condition = work.model.conditions[work.model.row_condition[row]];
      throw work.source.error({condition.place.line, condition.place.column},
                              fmt::format("`{}` has no gradient at the initial state; write it without a root",
                                          row_name(work.model, static_cast<std::uint32_t>(row))));
    }
  }
  linear::RowFactor factor;
  factor.factor(gradients, work.model.rows(), n, dependent_part);
  const std::size_t left = n - factor.kept();
  const Value* functions = work.find("free", "functions");
  const std::size_t count = work.model.free_functions.size();
  if (functions != nullptr && count != left) {
    throw work.source.error(
        functions->place,
        fmt::format("there must be {} free function{}: {} variable{} less {} independent equation{} at the initial "
                    "state; here stand{} {}",
                    left, left == 1 ? "" : "s", n, n == 1 ? "" : "s", factor.kept(), factor.kept() == 1 ? "" : "s",
                    count == 1 ? "s" : "", count));
  }
  if (functions != nullptr) {
    const std::vector<double> all = all_gradients(work.model, start);
    factor.factor(all, work.model.rows() + count, n, dependent_part);
    for (std::size_t k = 0; k < count; ++k) {
      const double* gradient = all.data() + (work.model.rows() + k) * n;
      const bool finite = std::all_of(gradient, gradient + n, [](double g) { return std::isfinite(g); });
      if (finite && !factor.skipped(work.model.rows() + k)) continue;
      throw work.source.error(
          functions->items[k].place,
          fmt::format("`{}` {}", work.model.free_functions[k].text,
                      finite ? "cannot keep its free rate: at the initial state its gradient depends on those of the "
                               "conditions and of the free functions before it"
                             : "has no gradient at the initial state"));
    }
  }
  const Rates found = rates(work.model, start);
  if (found.finite) work.model.initial_velocity = found.rate;
}

}  // namespace zwang::model
