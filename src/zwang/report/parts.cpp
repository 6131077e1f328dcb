/// Bodies and conditions as JSON objects.
#include "zwang/report/parts.hpp"

#include "zwang/model/joints.hpp"

namespace zwang::report {

void put_member(Writer& json, const model::Body& body, std::uint32_t member, std::span<const double> values,
                const Seen& seen) {
  const std::uint32_t first = body.first + member * body.dimension;
  const std::string name = model::member_name(body, member);
  if (body.kind == model::BodyKind::coordinate) {
    json.put(name, values[first]);
  } else if (body.turns() && !seen.position.empty()) {
    json.put(name, model::shown(body, member, seen.sort, seen.position, values));
  } else {
    json.put(name, values.subspan(first, body.dimension));
  }
}

void put_bodies(Writer& json, std::string_view key, const model::Model& model, std::span<const double> values,
                const Seen& seen) {
  json.open(key);
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      put_member(json, body, member, values, seen);
    }
  }
  json.close();
}

void put_places(Writer& json, std::string_view key, const model::Model& model, std::span<const double> position) {
  put_bodies(json, key, model, position, {model::Sort::position, position});
}

void put_wrench(Writer& json, const model::Model& model, const model::Joint& joint, const model::Rows& rows,
                std::span<const double> multiplier, std::span<const double> position) {
  const model::Wrench found = model::wrench(model, joint, rows, multiplier, position);
  json.open(joint.name);
  json.put("force", found.force);
  if (found.torque.size() == 1) {
    json.put("torque", found.torque[0]);
  } else {
    json.put("torque", found.torque);
  }
  json.close();
}

void put_wrenches(Writer& json, const model::Model& model, const model::State& state,
                  const std::vector<std::pair<std::uint32_t, double>>& multipliers) {
  if (model.joints.empty()) return;
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, state, scratch, rows);
  std::vector<double> all(model.rows(), 0.0);
  for (const auto& [row, value] : multipliers) all[row] = value;
  for (const model::Joint& joint : model.joints) put_wrench(json, model, joint, rows, all, state.position);
}

void put_row_values(Writer& json, const model::Model& model,
                    const std::vector<std::pair<std::uint32_t, double>>& values) {
  for (const auto& [row, value] : model::merged(model, values)) {
    json.put(model::row_name(model, row), value);
  }
}

void put_rows(Writer& json, std::string_view key, const model::Model& model,
              const std::vector<std::pair<std::uint32_t, double>>& values) {
  json.open(key);
  put_row_values(json, model, values);
  json.close();
}

}  // namespace zwang::report
