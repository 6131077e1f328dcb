/// Gravity and forces: each becomes terms, one lane for every body it acts on.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

struct ForceShape {
  std::optional<TermShape> term;
  std::vector<std::uint32_t> components;
};

/// Of the force that was traced last.
ForceShape make_force(Compilation& work, const Syntax& syntax, const Context& context) {
  ForceShape shape;
  const std::vector<Expr> all = work.build(syntax, context);
  std::vector<Expr> outputs;
  for (std::uint32_t c = 0; c < all.size(); ++c) {
    if (work.shapes.graph().is_number(all[c], 0)) continue;
    outputs.push_back(all[c]);
    shape.components.push_back(c);
  }
  if (!outputs.empty()) shape.term = work.shapes.force(outputs, work.probe());
  return shape;
}

Traced trace_only_time(Compilation& work, const Syntax& syntax, const Context& context) {
  const Traced out = work.trace(syntax, context);
  if (out.size == 0)
    throw work.formulas.error(syntax,
                              fmt::format("{} is a vector of 2 or 3 components; here stands a number", context.where));
  return out;
}

}  // namespace

void add_gravity(Compilation& work) {
  work.model.constant_force.assign(work.model.variables, 0.0);
  const Value* value = work.find("gravity");
  if (value == nullptr) return;
  const Syntax syntax = work.formulas.expression(*value);
  const bool points = std::any_of(work.vocabulary.bodies.begin(), work.vocabulary.bodies.end(),
                                  [](const Body& body) { return body.place() > 0; });
  if (!points) {
    throw work.formulas.error(
        syntax,
        "gravity acts on points and bodies, and this model has none: write the weight into `potential` of [energy]");
  }
  Context context;
  context.where = "gravity";
  context.time = true;
  context.finite = true;
  const Traced g = trace_only_time(work, syntax, context);
  bool constant = true;
  for (std::size_t c = 0; c < g.parts(); ++c) constant = constant && g.part[c].made != Made::state;
  for (const Body& body : work.vocabulary.bodies) {
    if (body.place() > 0 && body.place() != g.size) {
      throw work.formulas.error(
          syntax, fmt::format("gravity must have as many components as the {}; `{}` has {}, here stand {}",
                              body.kind == BodyKind::point ? "points" : "bodies", body.name, body.place(), g.parts()));
    }
  }

  // A steady field is a steady force, a changing one a potential -m g(t).x, and one that jumps a force m g(t): a potential that jumps
  // would be none.
  std::vector<Expr> field;
  if (!constant) field = work.build(syntax, context);
  std::vector<TermShape> shapes;
  bool jumps = false;
  std::vector<std::uint32_t> components;
  for (const Body& body : work.vocabulary.bodies) {
    if (body.place() == 0) continue;
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::uint32_t first = body.first + member * body.dimension;
      if (constant) {
        for (std::uint32_t c = 0; c < body.place(); ++c) {
          work.model.constant_force[first + c] = work.model.point_mass[first + c] * g.part[c].value;
        }
        continue;
      }
      work.slots->begin();
      for (std::uint32_t c = 0; c < body.place(); ++c) work.slots->position(first + c);
      work.slots->constant(work.model.point_mass[first]);
      if (shapes.empty()) {
        expressions::Graph& graph = work.shapes.graph();
        std::vector<Expr> products;
        for (std::uint32_t c = 0; c < body.place(); ++c) {
          products.push_back(graph.multiply(field[c], graph.symbol({expressions::SymbolKind::position, c})));
        }
        const Expr mass = graph.symbol({expressions::SymbolKind::constant, 0});
        const Expr potential = graph.negate(graph.multiply(mass, graph.add(products)));
        std::string jump;
        shapes = work.shapes.energy(TermKind::potential, potential, work.probe(), jump);
        jumps = !jump.empty();
        if (jumps) {
          std::vector<Expr> outputs;
          for (std::uint32_t c = 0; c < body.place(); ++c) {
            if (graph.is_number(field[c], 0)) continue;
            outputs.push_back(graph.multiply(mass, field[c]));
            components.push_back(c);
          }
          shapes.assign(1, work.shapes.force(outputs, work.probe()));
        }
      }
      std::vector<std::uint32_t> targets;
      for (const std::uint32_t c : components) targets.push_back(first + c);
      for (const TermShape& shape : shapes) work.shapes.add_term_lane(shape, *work.slots, targets);
    }
  }
}

void add_forces(Compilation& work) {
  for (std::size_t k = 0; k < work.body_fields.size(); ++k) {
    const Value* value = work.body_fields[k]->value.find("force");
    const Body& body = work.vocabulary.bodies[k];
    if (value != nullptr) add_force(work, body, work.formulas.expression(*value), "a force");
    if (body.kind != BodyKind::rigid) continue;
    if (const Value* torque = work.body_fields[k]->value.find("torque")) {
      add_torque(work, body, work.formulas.expression(*torque));
    }
  }
}

/// A force, or in a flow the free rate, of every member.
void add_force(Compilation& work, const Body& body, const Syntax& syntax, std::string_view where) {
  std::map<std::vector<std::uint32_t>, ForceShape> known;
  const Context context{where, true, !work.model.flow, true, true};
  work.for_members(body, [&](std::uint32_t member) {
    const Traced force = work.trace(syntax, context);
    const std::size_t size = body.place();
    if (force.size != size) {
      if (work.model.flow)
        throw work.formulas.error(syntax, "the rate of a coordinate is a number; here stands a vector");
      throw work.formulas.error(
          syntax, fmt::format("the force on `{}` must have as many components as it has itself: {}, here stand {}",
                              body.name, std::max<std::size_t>(size, 1), force.parts()));
    }
    const auto [found, fresh] = known.try_emplace(work.slots->key);
    ForceShape& shape = found->second;
    if (fresh) shape = work.made<ForceShape>(syntax, [&] { return make_force(work, syntax, context); });
    if (!shape.term) return;
    std::vector<std::uint32_t> targets;
    for (const std::uint32_t c : shape.components) targets.push_back(body.first + member * body.dimension + c);
    work.shapes.add_term_lane(*shape.term, *work.slots, targets);
  });
}

}  // namespace zwang::model
