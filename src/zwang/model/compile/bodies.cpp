/// Points and coordinates: how many of each, where they start, how heavy they are.
#include <fmt/format.h>

#include <optional>

#include "zwang/base/number.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

/// The start of a body: one expression for all members, or a list with one for each.
std::vector<Syntax> read_starts(Compilation& work, const Body& body, const Value& value) {
  const bool point = body.kind == BodyKind::point;
  const bool list = value.kind == ValueKind::array && (!point || value.items[0].kind == ValueKind::array);
  if (!list) return {work.formulas.expression(value)};
  if (body.counts.empty()) {
    throw work.formulas.source().error(value.place, fmt::format("`{}` is a single {}: a list of starts is for families",
                                                                body.name, point ? "point" : "coordinate"));
  }
  if (value.items.size() != body.members()) {
    throw work.formulas.source().error(
        value.place, fmt::format("`{}` has {} members, the list has {}: one start for each", body.name, body.members(),
                                 value.items.size()));
  }
  std::vector<Syntax> out;
  out.reserve(value.items.size());
  for (const Value& item : value.items) out.push_back(work.formulas.expression(item));
  return out;
}

void place_body(Compilation& work, Body& body, const Field& field) {
  const Value& table = field.value;
  if (const Value* count = table.find("count")) body.counts = work.read_counts(*count);
  body.first = work.model.variables;
  const bool point = body.kind == BodyKind::point;
  const Value* velocity_value = table.find("velocity");
  const std::vector<Syntax> positions = read_starts(work, body, *table.find(point ? "position" : "initial"));
  const std::vector<Syntax> velocities =
      velocity_value == nullptr ? std::vector<Syntax>{} : read_starts(work, body, *velocity_value);
  const std::optional<Syntax> mass = point ? work.formulas.expression(*table.find("mass")) : std::optional<Syntax>{};

  body.dimension = 0;
  work.for_members(body, [&](std::uint32_t member) {
    // Position, and with it the dimension.
    const Syntax& position = positions[positions.size() > 1 ? member : 0];
    const Traced q = work.compute(position, point ? "an initial position" : "an initial value");
    if (point && q.size == 0) {
      throw work.formulas.error(
          position, fmt::format("the position of `{}` must have 2 or 3 components; here stands a number", body.name));
    }
    if (!point && q.size != 0) {
      throw work.formulas.error(
          position,
          fmt::format("the initial value of the coordinate `{}` is a number; here stands a vector", body.name));
    }
    if (member > 0 && body.dimension != q.parts()) {
      throw work.formulas.error(position,
                                fmt::format("all members of `{}` must have the same number of components: {}, "
                                            "here stand {}",
                                            body.name, body.dimension, q.parts()));
    }
    body.dimension = static_cast<std::uint32_t>(q.parts());
    work.note_doubts(work.model.position_doubts, work.model.initial_position.size(), {q.part.data(), q.parts()});
    for (std::size_t c = 0; c < q.parts(); ++c) work.model.initial_position.push_back(q.part[c].value);

    // Velocity.
    Traced v;
    v.size = q.size;
    const Syntax* velocity = velocities.empty() ? nullptr : &velocities[velocities.size() > 1 ? member : 0];
    if (velocity != nullptr) v = work.compute(*velocity, "an initial velocity");
    if (v.size != q.size) {
      throw work.formulas.error(
          *velocity, fmt::format("the velocity of `{}` must have as many components as its {}: {}, here stand {}",
                                 body.name, point ? "position" : "initial value", q.parts(), v.parts()));
    }
    work.note_doubts(work.model.velocity_doubts, work.model.initial_velocity.size(), {v.part.data(), v.parts()});
    for (std::size_t c = 0; c < v.parts(); ++c) work.model.initial_velocity.push_back(v.part[c].value);

    // Mass.
    double m = 0;
    if (mass) {
      m = work.compute_number(*mass, "a mass");
      if (!(m > 0)) {
        throw work.formulas.error(*mass, fmt::format("the mass of `{}` must be greater than zero; here it is {}",
                                                     member_name(body, member), exact(m)));
      }
    }
    work.model.point_mass.insert(work.model.point_mass.end(), q.parts(), work.model.flow ? 1.0 : m);
  });
  work.model.variables += body.members() * body.dimension;
}

}  // namespace

void place_bodies(Compilation& work) {
  for (std::size_t k = 0; k < work.body_fields.size(); ++k) {
    Body& body = work.vocabulary.bodies[k];
    if (body.kind == BodyKind::rigid) {
      place_rigid(work, body, work.vocabulary.rigids[k], *work.body_fields[k]);
    } else {
      place_body(work, body, *work.body_fields[k]);
    }
  }
}

}  // namespace zwang::model
