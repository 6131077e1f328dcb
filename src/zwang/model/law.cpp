/// One law for all.
#include "zwang/model/law.hpp"

namespace zwang::model {

std::string_view words(Law law) { return law == Law::straightest ? "straightest" : "variational"; }

Model under_law(const Model& model, Law law) {
  Model changed = model;
  for (Condition& condition : changed.conditions) {
    if (condition.rows > 0 && model.row_kind[condition.first_row] == RowKind::nonholonomic_equation) {
      condition.law = law;
    }
  }
  return changed;
}

}  // namespace zwang::model
