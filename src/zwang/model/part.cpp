/// Parts of models: lanes picked out of the groups of the whole.
#include "zwang/model/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>

namespace zwang::model {

namespace {

/// The shape of a group without its lanes.
RowGroup shape_of(const RowGroup& group) {
  RowGroup out;
  out.positions = group.positions;
  out.velocities = group.velocities;
  out.constants = group.constants;
  out.tape = group.tape;
  out.holonomic = group.holonomic;
  out.rheonomic = group.rheonomic;
  return out;
}

/// Lanes of one shape, collected one after the other.
struct Collected {
  std::uint32_t group = 0;               ///< of the whole
  std::vector<std::uint32_t> rows;       ///< of the part
  std::vector<std::uint32_t> variables;  ///< of the part, lane after lane
  std::vector<double> constants;
};

}  // namespace

Part part_of(const Model& whole, std::span<const Member> members, std::span<const std::uint64_t> rows) {
  Part out;
  Model& model = out.model;
  model.file = whole.file;
  model.title = whole.title;
  model.simulation.start = whole.simulation.start;
  model.simulation.until = whole.simulation.until;
  model.simulation.has_until = whole.simulation.has_until;
  model.simulation.tolerance = whole.simulation.tolerance;
  model.simulation.touch = whole.simulation.touch;

  // The points, each a body of its own.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> image;  // first variable in the whole, in the part
  for (const Member& one : members) {
    const Body& of = whole.bodies[one.body];
    Body body;
    body.name = member_name(of, one.member);
    body.dimension = of.dimension;
    body.first = model.variables;
    const std::uint32_t first = of.first + one.member * of.dimension;
    image.emplace_back(first, body.first);
    for (std::uint32_t c = 0; c < of.dimension; ++c) {
      out.variable.push_back(first + c);
      model.initial_position.push_back(whole.initial_position[first + c]);
      model.initial_velocity.push_back(whole.initial_velocity[first + c]);
      model.point_mass.push_back(whole.point_mass[first + c]);
      model.constant_force.push_back(whole.constant_force[first + c]);
    }
    model.variables += of.dimension;
    model.bodies.push_back(std::move(body));
    model.rigids.emplace_back();
  }
  const auto variable = [&](std::uint32_t of_whole) {
    const auto next = std::upper_bound(image.begin(), image.end(), std::pair(of_whole, ~std::uint32_t{0}));
    assert(next != image.begin());
    return (next - 1)->second + (of_whole - (next - 1)->first);
  };

  // The rows, condition by condition.
  std::map<std::uint32_t, Collected> collected;
  std::uint32_t condition = ~std::uint32_t{0};
  for (const std::uint64_t row : rows) {
    const auto number = static_cast<std::uint32_t>(out.row.size());
    const bool written = row < whole.rows();
    const PairFamily* family = written ? nullptr : &family_of(whole, row);
    const std::uint32_t of = written ? whole.row_condition[row] : family->condition;
    if (of != condition) {
      condition = of;
      Condition copy = whole.conditions[of];
      copy.first_row = number;
      copy.rows = 0;
      copy.index_values.clear();
      model.conditions.push_back(std::move(copy));
    }
    Condition& now = model.conditions.back();
    ++now.rows;
    const std::uint32_t group = written ? whole.row_group[row] : family->group;
    Collected& lanes = collected[group];
    lanes.group = group;
    lanes.rows.push_back(number);
    if (written) {
      const RowGroup& shape = whole.groups[group];
      const std::uint32_t lane = whole.row_lane[row];
      for (std::size_t k = 0; k < shape.positions; ++k)
        lanes.variables.push_back(variable(shape.position_of[k * shape.lanes + lane]));
      for (std::size_t k = 0; k < shape.constants; ++k)
        lanes.constants.push_back(shape.constant_of[k * shape.lanes + lane]);
      const Condition& before = whole.conditions[of];
      const std::size_t member = (row - before.first_row) / before.components;
      // (Once for all rows of a member: they come together.)
      if ((row - before.first_row) % before.components == 0) {
        for (std::size_t k = 0; k < before.indices; ++k)
          now.index_values.push_back(before.index_values[member * before.indices + k]);
      }
    } else {
      const auto [first, second] = members_of_pair(*family, row);
      const Body& a = whole.bodies[family->first.body];
      const Body& b = whole.bodies[family->second.body];
      for (const std::uint32_t slot : family->slots)
        lanes.variables.push_back(slot < a.dimension ? variable(a.first + first * a.dimension + slot)
                                                     : variable(b.first + second * b.dimension + slot - a.dimension));
      now.index_values.push_back(static_cast<std::int32_t>(first) + 1);
      now.index_values.push_back(static_cast<std::int32_t>(second) + 1);
    }
    model.row_kind.push_back(RowKind::holonomic_inequality);
    model.row_condition.push_back(static_cast<std::uint32_t>(model.conditions.size() - 1));
    model.row_alternative.push_back(written ? whole.row_alternative[row] : 0);
    model.row_twin.push_back(number);
    out.row.push_back(row);
  }

  // Their lanes side by side.
  for (auto& [number, lanes] : collected) {
    RowGroup group = shape_of(whole.groups[number]);
    const std::size_t count = lanes.rows.size();
    group.lanes = static_cast<std::uint32_t>(count);
    group.row = std::move(lanes.rows);
    group.position_of.resize(group.positions * count);
    group.constant_of.resize(group.constants * count);
    for (std::size_t lane = 0; lane < count; ++lane) {
      for (std::size_t k = 0; k < group.positions; ++k)
        group.position_of[k * count + lane] = lanes.variables[lane * group.positions + k];
      for (std::size_t k = 0; k < group.constants; ++k)
        group.constant_of[k * count + lane] = lanes.constants[lane * group.constants + k];
    }
    model.groups.push_back(std::move(group));
  }
  const bool laid = lay_out_gradients(model);
  assert(laid);
  static_cast<void>(laid);
  return out;
}

bool is_pair(const Model& model, const Pair& pair) {
  if (pair.family >= model.pairs.size()) return false;
  const PairFamily& family = model.pairs[pair.family];
  const auto among = [](const PairFamily::Side& side, std::uint32_t member) {
    return member >= side.low && member <= side.high;
  };
  return among(family.first, pair.first) && among(family.second, pair.second) &&
         (!family.within || pair.first < pair.second);
}

std::string pair_name(const Model& model, const Pair& pair) {
  return fmt::format("{}[{},{}]", model.conditions[model.pairs[pair.family].condition].name, pair.first + 1,
                     pair.second + 1);
}

Model with_met(Model model, std::span<const Pair> met) {
  assert(model.met.empty());
  std::vector<std::vector<std::uint32_t>> more(model.groups.size());  // variables, lane after lane
  for (const Pair& pair : met) {
    const PairFamily& family = model.pairs[pair.family];
    const Body& a = model.bodies[family.first.body];
    const Body& b = model.bodies[family.second.body];
    for (const std::uint32_t slot : family.slots) {
      more[family.group].push_back(slot < a.dimension ? a.first + pair.first * a.dimension + slot
                                                      : b.first + pair.second * b.dimension + slot - a.dimension);
    }
    const std::uint32_t row = model.rows();
    model.groups[family.group].row.push_back(row);
    model.row_kind.push_back(RowKind::holonomic_inequality);
    model.row_condition.push_back(family.condition);
    model.row_alternative.push_back(0);
    model.row_twin.push_back(row);
    model.met.push_back(pair);
  }
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    if (more[g].empty()) continue;
    RowGroup& group = model.groups[g];
    const std::size_t before = group.lanes;
    const std::size_t count = group.row.size();
    std::vector<std::uint32_t> positions(group.positions * count);
    for (std::size_t k = 0; k < group.positions; ++k) {
      for (std::size_t lane = 0; lane < count; ++lane)
        positions[k * count + lane] =
            lane < before ? group.position_of[k * before + lane] : more[g][(lane - before) * group.positions + k];
    }
    // A shape of pairs has no constants of its own, so that no other lanes can have any.
    assert(group.constants == 0);
    group.position_of = std::move(positions);
    group.lanes = static_cast<std::uint32_t>(count);
  }
  const bool laid = lay_out_gradients(model);
  assert(laid);
  static_cast<void>(laid);
  return model;
}

}  // namespace zwang::model
