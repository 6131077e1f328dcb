/// Blows: impulses from outside, written in [[impulses]].
#include <fmt/format.h>

#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

void add_blows(Compilation& work) {
  const Value* list = work.find("impulses");
  if (list == nullptr) return;
  for (const Value& table : list->items) {
    Blow blow;
    blow.at = work.model.simulation.start;
    if (const Value* at = table.find("at")) blow.at = work.compute_number(*at, "a time");
    const Syntax on = work.formulas.reference(*table.find("on"));
    const auto [index, member] = work.tracing->member(on, work.bindings);
    const Body& body = work.vocabulary.bodies[index];
    blow.on = member_name(body, member);
    const Syntax syntax = work.formulas.expression(*table.find("value"));
    const Traced value = work.compute(syntax, "an impulse");
    const std::size_t size = body.kind == BodyKind::point ? body.dimension : 0;
    if (value.size != size) {
      throw work.formulas.error(
          syntax, fmt::format("the impulse on `{}` must be {}; here stands {}", blow.on,
                              size == 0 ? "a number" : fmt::format("a vector of {} components", size),
                              value.size == 0 ? "a number" : fmt::format("a vector of {}", value.parts())));
    }
    for (std::uint32_t c = 0; c < body.dimension; ++c) {
      blow.variables.push_back(body.first + member * body.dimension + c);
      blow.impulse.push_back(value.part[c].value);
    }
    work.model.blows.push_back(std::move(blow));
  }
}

}  // namespace zwang::model
