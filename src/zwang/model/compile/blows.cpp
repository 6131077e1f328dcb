/// Blows: impulses from outside, written in [[impulses]].
#include <fmt/format.h>

#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

/// `box.corner`: where in the body it strikes.
void find_mark(Compilation& work, const Syntax& on, std::uint32_t index, std::uint32_t member, Blow& blow) {
  const Body& body = work.vocabulary.bodies[index];
  std::vector<std::string_view> known;
  for (const Mark& mark : work.vocabulary.rigids[index].marks) {
    known.push_back(mark.name);
    if (mark.name != on.name) continue;
    const auto begin = mark.at.begin() + static_cast<std::ptrdiff_t>(member * body.place());
    blow.mark.assign(begin, begin + body.place());
    blow.sort = Blow::Sort::mark;
    blow.on += "." + mark.name;
    return;
  }
  if (body.kind != BodyKind::rigid) {
    throw work.formulas.error(
        on, fmt::format("`{}` is a {} and has no marks: an impulse is on all of it", body.name, words(body.kind)));
  }
  throw work.formulas.error(on, fmt::format("`{}` has no mark `{}`{}", body.name, on.name,
                                            known.empty() ? "" : "; it has " + joined(known, ", ")));
}

void add_torque_blow(Compilation& work, const Body& body, std::uint32_t first, const Value& value, const Blow& where,
                     bool of_mark) {
  if (body.kind != BodyKind::rigid || of_mark) {
    throw work.source.error(value.place, fmt::format("`torque` turns a body of [bodies]; `{}` is a {}", where.on,
                                                     of_mark ? "mark" : words(body.kind)));
  }
  const Syntax syntax = work.formulas.expression(value);
  const Traced torque = work.compute(syntax, "an angular impulse");
  if (torque.size != (body.turns() ? 3 : 0)) {
    throw work.formulas.error(syntax, fmt::format("the angular impulse on `{}` must be {}", where.on,
                                                  body.turns() ? "a vector of 3 components" : "a number in the plane"));
  }
  Blow blow = where;
  blow.sort = Blow::Sort::torque;
  for (std::uint32_t c = 0; c < body.dimension; ++c) blow.variables.push_back(first + c);
  for (std::size_t c = 0; c < torque.parts(); ++c) blow.impulse.push_back(torque.part[c].value);
  work.model.blows.push_back(std::move(blow));
}

}  // namespace

void add_blows(Compilation& work) {
  const Value* list = work.find("impulses");
  if (list == nullptr) return;
  for (const Value& table : list->items) {
    Blow blow;
    blow.at = work.model.simulation.start;
    if (const Value* at = table.find("at")) blow.at = work.compute_number(*at, "a time");
    const Syntax on = work.formulas.reference(*table.find("on"));
    const bool of_mark = on.kind == SyntaxKind::member;
    const auto [index, member] = work.tracing->member(of_mark ? on.children[0] : on, work.bindings);
    const Body& body = work.vocabulary.bodies[index];
    blow.on = member_name(body, member);
    if (of_mark) find_mark(work, on, index, member, blow);
    const std::uint32_t first = body.first + member * body.dimension;
    if (table.find("value") == nullptr && table.find("torque") == nullptr) {
      throw work.source.error(table.place,
                              "[[impulses]] has no `value`: write value = … with the impulse, or torque = … on a body");
    }
    if (const Value* torque = table.find("torque")) add_torque_blow(work, body, first, *torque, blow, of_mark);
    if (table.find("value") == nullptr) continue;
    const Syntax syntax = work.formulas.expression(*table.find("value"));
    const Traced value = work.compute(syntax, "an impulse");
    const std::size_t size = body.place();
    if (value.size != size) {
      throw work.formulas.error(
          syntax, fmt::format("the impulse on `{}` must be {}; here stands {}", blow.on,
                              size == 0 ? "a number" : fmt::format("a vector of {} components", size),
                              value.size == 0 ? "a number" : fmt::format("a vector of {}", value.parts())));
    }
    for (std::size_t c = 0; c < value.parts(); ++c) blow.impulse.push_back(value.part[c].value);
    const std::uint32_t touched = of_mark ? body.dimension : static_cast<std::uint32_t>(value.parts());
    for (std::uint32_t c = 0; c < touched; ++c) blow.variables.push_back(first + c);
    work.model.blows.push_back(std::move(blow));
  }
}

}  // namespace zwang::model
