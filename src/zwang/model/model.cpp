/// Names of what a compiled model is made of.
#include "zwang/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>

#include "zwang/expressions/cones.hpp"

namespace zwang::model {

std::uint32_t Body::members() const {
  std::uint32_t out = 1;
  for (const std::uint32_t count : counts) out *= count;
  return out;
}

std::uint32_t Body::place() const {
  switch (kind) {
    case BodyKind::point: return dimension;
    case BodyKind::coordinate: break;
    case BodyKind::rigid: return turns() ? 3 : 2;
  }
  return 0;
}

std::string_view words(BodyKind kind) {
  switch (kind) {
    case BodyKind::point: return "point";
    case BodyKind::coordinate: return "coordinate";
    case BodyKind::rigid: return "body";
  }
  return {};
}

std::string_view component_name(const Body& body, std::uint32_t component) {
  constexpr std::array<std::string_view, 7> names = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  if (body.kind == BodyKind::coordinate) return {};
  if (body.kind == BodyKind::rigid && !body.turns() && component == 2) return "angle";
  return names.at(component);
}

std::string_view words(Method method) { return method == Method::events ? "events" : "stepping"; }

std::string_view words(RowKind kind) {
  switch (kind) {
    case RowKind::holonomic_equation: return "holonomic equation";
    case RowKind::holonomic_inequality: return "holonomic inequality";
    case RowKind::nonholonomic_equation: return "nonholonomic equation";
    case RowKind::nonholonomic_inequality: return "nonholonomic inequality";
  }
  return {};
}

std::uint64_t PairFamily::pairs() const {
  const std::uint64_t count = first.count();
  return within ? count * (count - 1) / 2 : count * second.count();
}

std::uint64_t pair_row(const PairFamily& family, std::uint32_t first, std::uint32_t second) {
  const std::uint64_t i = first - family.first.low;
  const std::uint64_t j = second - family.second.low;
  if (!family.within) return family.first_row + i * family.second.count() + j;
  // Those of the members before i, each with all behind it.
  return family.first_row + i * (2 * std::uint64_t{family.first.count()} - i - 1) / 2 + (j - i - 1);
}

std::pair<std::uint32_t, std::uint32_t> members_of_pair(const PairFamily& family, std::uint64_t row) {
  const std::uint64_t number = row - family.first_row;
  if (!family.within) {
    const std::uint64_t width = family.second.count();
    return {family.first.low + static_cast<std::uint32_t>(number / width),
            family.second.low + static_cast<std::uint32_t>(number % width)};
  }
  // The last member whose pairs begin at or before the number.
  std::uint32_t low = 0;
  std::uint32_t high = family.first.count() - 1;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    const std::uint64_t before = std::uint64_t{middle} * (2 * std::uint64_t{family.first.count()} - middle - 1) / 2;
    (before <= number ? low : high) = middle;
  }
  const std::uint64_t before = std::uint64_t{low} * (2 * std::uint64_t{family.first.count()} - low - 1) / 2;
  return {family.first.low + low, family.first.low + low + 1 + static_cast<std::uint32_t>(number - before)};
}

const PairFamily& family_of(const Model& model, std::uint64_t row) {
  const auto next = std::upper_bound(model.pairs.begin(), model.pairs.end(), row,
                                     [](std::uint64_t r, const PairFamily& family) { return r < family.first_row; });
  assert(next != model.pairs.begin());
  return *(next - 1);
}

const Condition& condition_of(const Model& model, std::uint64_t row) {
  return model.conditions[row < model.rows() ? model.row_condition[row] : family_of(model, row).condition];
}

std::string row_name(const Model& model, std::uint64_t row) {
  if (row + model.met.size() >= model.rows() && row < model.rows()) {
    const Pair& pair = model.met[row + model.met.size() - model.rows()];
    return fmt::format("{}[{},{}]", model.conditions[model.pairs[pair.family].condition].name, pair.first + 1,
                       pair.second + 1);
  }
  if (row >= model.rows()) {
    const PairFamily& family = family_of(model, row);
    const auto [first, second] = members_of_pair(family, row);
    return fmt::format("{}[{},{}]", model.conditions[family.condition].name, first + 1, second + 1);
  }
  const Condition& condition = model.conditions[model.row_condition[row]];
  const auto local = static_cast<std::uint32_t>(row - condition.first_row);
  const std::uint32_t member = local / condition.components;
  std::string out = condition.name;
  for (std::uint32_t k = 0; k < condition.indices; ++k) {
    out += fmt::format("{}{}", k == 0 ? '[' : ',', condition.index_values[member * condition.indices + k]);
  }
  if (condition.indices > 0) out += ']';
  if (condition.components > 1 && !condition.compound) out += fmt::format(".{}", "xyz"[local % condition.components]);
  return out;
}

std::uint32_t leading_row(const Model& model, std::uint32_t row) {
  const Condition& condition = condition_of(model, row);
  if (!condition.compound) return row;
  return row - (row - condition.first_row) % condition.components;
}

const Cone* cone_of(const Model& model, std::uint32_t row) {
  const auto next = std::upper_bound(model.cones.begin(), model.cones.end(), row,
                                     [](std::uint32_t wanted, const Cone& one) { return wanted < one.row; });
  if (next == model.cones.begin()) return nullptr;
  const Cone& cone = *std::prev(next);
  return row <= cone.spoke(expressions::spokes_of_cone - 1) ? &cone : nullptr;
}

std::vector<std::pair<std::uint32_t, double>> merged(const Model& model,
                                                     const std::vector<std::pair<std::uint32_t, double>>& values) {
  std::vector<std::pair<std::uint32_t, double>> out;
  for (const auto& [row, value] : values) {
    const std::uint32_t lead = leading_row(model, row);
    if (lead != row || (!out.empty() && out.back().first == lead)) {
      const auto found = std::find_if(out.begin(), out.end(), [&](const auto& one) { return one.first == lead; });
      if (found != out.end()) {
        found->second += value;
        continue;
      }
    }
    out.emplace_back(lead, value);
  }
  return out;
}

bool names_spring(std::string_view text, std::string_view spring) {
  if (spring == text) return true;
  return spring.size() > text.size() && spring.starts_with(text) && spring[text.size()] == '[';
}

double keeper_of(std::size_t spring) {
  // No number that anybody writes, so that none of a formula shares its slot or is taken for it.
  constexpr double beside = 1.32764289193210987;
  return static_cast<double>(spring) + beside;
}
std::size_t spring_of(double keeper) { return keeper >= 1 ? static_cast<std::size_t>(keeper - 1.0) : 0; }

SwitchPlace place_of_switch(const Model& model, std::uint32_t number) {
  SwitchPlace out;
  out.row = model.rows();
  const auto inside = [&](const Slotted& group) {
    const std::size_t count = group.corners.size() * group.lanes;
    if (number < group.first_switch || number >= group.first_switch + count) return false;
    out.group = &group;
    out.corner = (number - group.first_switch) / group.lanes;
    out.lane = (number - group.first_switch) % group.lanes;
    return true;
  };
  for (const RowGroup& group : model.groups) {
    if (!inside(group)) continue;
    out.row = group.row[out.lane];
    return out;
  }
  for (const TermGroup& group : model.terms) {
    if (inside(group)) return out;
  }
  for (std::uint32_t k = 0; k < model.truths.size(); ++k) {
    if (!inside(model.truths[k].term)) continue;
    out.truth = true;
    out.truth_number = k;
    return out;
  }
  assert(false && "every switch has a place");
  return out;
}

std::vector<std::string> bodies_of_switch(const Model& model, std::uint32_t number) {
  std::vector<std::string> out;
  for (const TermGroup& group : model.terms) {
    const std::size_t count = group.corners.size() * group.lanes;
    if (number < group.first_switch || number >= group.first_switch + count) continue;
    const std::uint32_t lane = (number - group.first_switch) % group.lanes;
    const bool force = group.kind == TermKind::force;
    const std::vector<std::uint32_t>& variables = force ? group.target_of : group.position_of;
    for (std::size_t k = 0; k < variables.size() / group.lanes; ++k) {
      const std::uint32_t variable = variables[k * group.lanes + lane];
      const auto next = std::upper_bound(model.bodies.begin(), model.bodies.end(), variable,
                                         [](std::uint32_t v, const Body& body) { return v < body.first; });
      const Body& body = *(next - 1);
      const std::string name = member_name(body, (variable - body.first) / body.dimension);
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

std::string member_name(const Body& body, std::uint32_t member) {
  switch (body.counts.size()) {
    case 0: return body.name;
    case 1: return fmt::format("{}[{}]", body.name, member + 1);
    default: return fmt::format("{}[{},{}]", body.name, member / body.counts[1] + 1, member % body.counts[1] + 1);
  }
}

std::string variable_name(const Model& model, std::uint32_t variable) {
  // The last body that starts at or before the variable.
  const auto next = std::upper_bound(model.bodies.begin(), model.bodies.end(), variable,
                                     [](std::uint32_t v, const Body& body) { return v < body.first; });
  assert(next != model.bodies.begin());
  const Body& body = *(next - 1);
  const std::uint32_t local = variable - body.first;
  std::string out = member_name(body, local / body.dimension);
  if (body.kind != BodyKind::coordinate) out += fmt::format(".{}", component_name(body, local % body.dimension));
  return out;
}

}  // namespace zwang::model
