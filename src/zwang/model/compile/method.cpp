/// What the method of a run does not offer, said where it is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "zwang/base/number.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

/// Does the function of this corner stay continuous there?
bool is_continuous(const expressions::Corner& corner) {
  if (corner.quiet) return true;
  for (const std::string_view name : {"abs(", "min(", "max(", "clip(", "table(", "spline("}) {
    if (corner.text.starts_with(name)) return true;
  }
  return false;
}

/// The first corner of a force at which it jumps with a velocity, or none.
const expressions::Corner* dry_friction(const Model& model) {
  for (const TermGroup& term : model.terms) {
    if (term.kind != TermKind::force || term.velocities == 0) continue;
    for (const expressions::Corner& corner : term.corners) {
      if (!is_continuous(corner) && corner.text.find('\'') != std::string::npos) return &corner;
    }
  }
  return nullptr;
}

/// Does an angle turn on across the cut of atan2 in something that moves?
bool counts_turns(const Model& model) {
  const auto turns = [](const Slotted& group) {
    return std::any_of(group.corners.begin(), group.corners.end(),
                       [](const expressions::Corner& corner) { return corner.kind == expressions::CornerKind::turns; });
  };
  return std::any_of(model.groups.begin(), model.groups.end(), turns) ||
         std::any_of(model.terms.begin(), model.terms.end(), turns);
}

}  // namespace

void check_method(Compilation& work) {
  const Model& model = work.model;
  if (model.simulation.method != Method::stepping) return;
  const Value* method = work.find("simulation", "method");
  const auto refuse = [&](const std::string& why) {
    throw work.source.error(method->place, "method = \"stepping\" does not offer " + why);
  };
  if (model.flow)
    refuse("first-order systems: a [flow] has rates and no velocities that could jump; leave `method` out");
  for (const Condition& condition : model.conditions) {
    if (condition.law != Law::variational) continue;
    throw work.source.error({condition.place.line, condition.place.column},
                            fmt::format("the condition `{}` is under the variational law, which is followed from "
                                        "event to event alone: leave method = \"stepping\" out",
                                        condition.name));
  }
  if (const expressions::Corner* corner = dry_friction(model)) {
    refuse(
        fmt::format("forces that jump with a velocity (dry friction), as `{}` does: from event to event they stick "
                    "and slip exactly; leave `method` out, or write a smooth one such as tanh(v/0.01)",
                    corner->text));
  }
  if (counts_turns(model)) {
    refuse("angles of atan2 that move: leave `method` out, or write the condition with the sine of the angle");
  }
}

}  // namespace zwang::model
