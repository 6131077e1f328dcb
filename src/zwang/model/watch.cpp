/// Numbers and names that are asked of a model before it is compiled.
#include "zwang/model/watch.hpp"

#include "zwang/model/draft.hpp"
#include "zwang/model/interpret.hpp"

namespace zwang::model {

double number_of(const Watch& watch) {
  const Source nothing("", watch.label);
  Formulas formulas(nothing);
  const Vocabulary no_names;
  Slots no_slots{0};
  Tracer tracer{formulas, no_slots};
  Interpreter<Tracer> interpreter{formulas, no_names, tracer};
  std::vector<Binding> no_indices;
  const Syntax syntax = formulas.outside(watch.label, watch.text);
  Context context;
  context.where = "a value";
  context.finite = true;
  const auto value = interpreter.interpret(syntax, context, no_indices);
  if (value.size != 0) throw formulas.error(syntax, "a value is a number; here stands a vector");
  return value.part[0].value;
}

std::vector<WrittenParameter> written_parameters(const Draft& draft) {
  std::vector<WrittenParameter> out;
  if (const Value* table = draft.content().root.find("parameters")) {
    for (const Field& field : table->fields) {
      const bool list = field.value.kind == ValueKind::array;
      const bool written = field.value.kind == ValueKind::text && field.value.text.starts_with("[");
      out.push_back({field.key, list || written});
    }
  }
  return out;
}

}  // namespace zwang::model
