/// What a model says that can have no effect, in sentences.
#include "zwang/model/without_effect.hpp"

#include "zwang/base/number.hpp"

namespace zwang::model {

std::vector<std::string> without_effect(const Model& model) {
  std::vector<std::string> out;
  const double start = model.simulation.start;
  for (const Blow& blow : model.blows) {
    if (blow.at < start)
      out.push_back("the impulse on " + blow.on + " at " + readable(blow.at) + " lies before the start, which is at " +
                    readable(start) + ", and is left out");
  }
  for (const Condition& condition : model.conditions) {
    if (condition.restitution > 0 && condition.rows > 0 && is_equation(model.row_kind[condition.first_row]))
      out.push_back("the restitution of " + condition.name +
                    " says nothing: an equation holds from both sides, and nothing rebounds from it");
  }
  return out;
}

}  // namespace zwang::model
