/// Bodies and conditions as JSON objects.
#include "zwang/report/parts.hpp"

namespace zwang::report {

void put_member(Writer& json, const model::Body& body, std::uint32_t member, std::span<const double> values) {
  const std::uint32_t first = body.first + member * body.dimension;
  const std::string name = model::member_name(body, member);
  if (body.kind == model::BodyKind::coordinate) {
    json.put(name, values[first]);
  } else {
    json.put(name, values.subspan(first, body.dimension));
  }
}

void put_bodies(Writer& json, std::string_view key, const model::Model& model, std::span<const double> values) {
  json.open(key);
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      put_member(json, body, member, values);
    }
  }
  json.close();
}

void put_rows(Writer& json, std::string_view key, const model::Model& model,
              const std::vector<std::pair<std::uint32_t, double>>& values) {
  json.open(key);
  for (const auto& [row, value] : model::merged(model, values)) {
    json.put(model::row_name(model, row), value);
  }
  json.close();
}

}  // namespace zwang::report
