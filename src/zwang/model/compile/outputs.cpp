/// What is written out beside the state, and the comparison that stops a run.
#include <fmt/format.h>

#include "zwang/expressions/poles.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

void observe_parts(Compilation& work, const std::string& name, const std::string& text, const Syntax& syntax,
                   std::string_view where, std::vector<Observable>& out) {
  const Context context{where, true, true, true, false};
  work.trace(syntax, context);
  std::vector<TermGroup> parts = work.made<std::vector<TermGroup>>(syntax, [&] {
    std::vector<TermGroup> made;
    for (const Expr e : work.build(syntax, context)) made.push_back(work.shapes.single(e, *work.slots, work.probe()));
    return made;
  });
  for (std::size_t c = 0; c < parts.size(); ++c) {
    Observable observable;
    observable.name = parts.size() == 1 ? name : fmt::format("{}.{}", name, "xyz"[c]);
    observable.text = text;
    observable.term = std::move(parts[c]);
    out.push_back(std::move(observable));
  }
}

/// One smooth comparison that holds on its threshold is watched by its own function, others by their truth.
void add_stop(Compilation& work, const Value& stop) {
  const Syntax truth = work.formulas.truth(stop);
  if (truth.kind == SyntaxKind::compare && (truth.name == "<=" || truth.name == ">=")) {
    ConditionSyntax syntax;
    syntax.left = truth.children[0];
    syntax.right = truth.children[1];
    syntax.relation = truth.name[0] == '<' ? Relation::less_equal : Relation::greater_equal;
    syntax.relation_offset = truth.offset;
    observe_parts(work, "stop", stop.text, difference(syntax), "`stop`", work.model.simulation.stop);
    if (work.model.simulation.stop.size() > 1) {
      throw work.formulas.error(truth, "vectors are not smaller or larger than each other: `stop` compares numbers");
    }
    const TermGroup& term = work.model.simulation.stop[0].term;
    const bool poles = expressions::divides_by_what_moves(term.tape, std::size_t{1} + term.positions + term.velocities);
    if (term.corners.empty() && !poles) return;
    work.model.simulation.stop.clear();
  }
  work.model.simulation.stop_truth.push_back(add_truth(work, "stop", stop, "`stop`"));
}

/// Names of outputs are replaced by what the outputs are; a name that the model has otherwise keeps its meaning.
void insert_outputs(Compilation& work, const Value& table, Syntax& syntax) {
  if (syntax.kind == SyntaxKind::name && !work.vocabulary.names.contains(std::string_view(syntax.name))) {
    if (const Value* output = table.find(syntax.name)) syntax = work.formulas.expression(*output);
    return;
  }
  for (Syntax& child : syntax.children) insert_outputs(work, table, child);
}

}  // namespace

void add_watched(Compilation& work, const Watch& watch, std::vector<Observable>& out) {
  Syntax syntax = work.formulas.outside(watch.label, watch.text);
  const std::size_t place = syntax.offset;
  if (const Value* table = work.find("outputs")) insert_outputs(work, *table, syntax);
  const std::size_t before = out.size();
  observe_parts(work, watch.text, watch.text, syntax, "a record", out);
  if (out.size() > before + 1) {
    throw work.formulas.error(place, "a record is a number; here stands a vector: take one component, such as `.x`");
  }
}

void add_outputs(Compilation& work) {
  if (const Value* table = work.find("outputs")) {
    for (const Field& field : table->fields) {
      const Syntax syntax = work.formulas.expression(field.value);
      observe_parts(work, field.key, work.formulas.text(syntax), syntax, "an output", work.model.outputs);
    }
  }
  if (const Value* stop = work.find("simulation", "stop")) add_stop(work, *stop);
}

}  // namespace zwang::model
