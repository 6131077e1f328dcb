/// Names of what a compiled model is made of.
#include "zwang/model/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace zwang::model {

std::uint32_t Body::members() const {
  std::uint32_t out = 1;
  for (const std::uint32_t count : counts) out *= count;
  return out;
}

std::string_view words(RowKind kind) {
  switch (kind) {
    case RowKind::holonomic_equation: return "holonomic equation";
    case RowKind::holonomic_inequality: return "holonomic inequality";
    case RowKind::nonholonomic_equation: return "nonholonomic equation";
    case RowKind::nonholonomic_inequality: return "nonholonomic inequality";
  }
  return {};
}

std::string row_name(const Model& model, std::uint32_t row) {
  const Condition& condition = model.conditions[model.row_condition[row]];
  const std::uint32_t local = row - condition.first_row;
  const std::uint32_t member = local / condition.components;
  std::string out = condition.name;
  for (std::uint32_t k = 0; k < condition.indices; ++k) {
    out += fmt::format("{}{}", k == 0 ? '[' : ',', condition.index_values[member * condition.indices + k]);
  }
  if (condition.indices > 0) out += ']';
  if (condition.components > 1) out += fmt::format(".{}", "xyz"[local % condition.components]);
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
  if (body.kind == BodyKind::point) out += fmt::format(".{}", "xyz"[local % body.dimension]);
  return out;
}

}  // namespace zwang::model
