/// Asks the library or the command, and brings the answer into one shape.
#include "oracles/answer.hpp"

#include <stdexcept>

#include "command/call.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::oracles {

Quantity quantity(const model::Model& model, const std::vector<double>& values) {
  Quantity out;
  if (values.size() != model.variables) return out;
  for (const auto& body : model.bodies)
    for (std::uint32_t member = 0; member < body.members(); ++member)
      for (std::uint32_t k = 0; k < body.dimension; ++k)
        out[member_name(body, member)].push_back(values[body.first + member * body.dimension + k]);
  return out;
}

Quantity quantity(const Json& json) {
  Quantity out;
  for (const auto& [name, value] : json.items()) {
    if (value.is_array())
      out[name] = value.get<std::vector<double>>();
    else
      out[name] = {value.get<double>()};
  }
  return out;
}

Numbers numbers(const Json& json) {
  Numbers out;
  for (const auto& [name, value] : json.items()) out[name] = value.get<double>();
  return out;
}

namespace {

Numbers row_numbers(const model::Model& model, const std::vector<std::pair<std::uint32_t, double>>& rows) {
  Numbers out;
  for (const auto& [row, value] : rows) out[row_name(model, row)] = value;
  return out;
}

CertificateAnswer certificate(const gauss::Certificate& from) {
  return {from.primal, from.dual, from.complementarity, from.stationarity};
}

CertificateAnswer certificate(const Json& json) {
  return {json.at("primal").get<double>(), json.at("dual").get<double>(), json.at("complementarity").get<double>(),
          json.at("stationarity").get<double>()};
}

AccelerationAnswer accelerate_in_library(const std::string& text) {
  const auto model = model::load(text, "problem.toml");
  const auto instant = instant::accelerate(model, model::initial_state(model));
  AccelerationAnswer answer;
  answer.status = words(instant.status);
  const bool without = instant.status == instant::Status::inadmissible || instant.status == instant::Status::jammed;
  answer.exit = without ? 3 : instant.status == instant::Status::undecided ? 4 : 0;
  answer.regular = instant.regular;
  answer.accelerations = quantity(model, instant.accelerations);
  answer.free = quantity(model, instant.free);
  answer.reaction = quantity(model, instant.reaction);
  answer.multipliers_unique = instant.multipliers_unique;
  answer.constraint = instant.constraint;
  answer.certificate = certificate(instant.certificate);
  answer.farkas = row_numbers(model, instant.farkas);
  answer.violations = row_numbers(model, instant.violations);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const auto name = row_name(model, row);
    if (instant.is_effective(row) && row < instant.multipliers.size())
      answer.multipliers[name] = instant.multipliers[row];
    auto& condition = answer.constraints[name];
    condition.kind = words(model.row_kind[row]);
    condition.role = words(instant.role[row]);
    if (is_holonomic(model.row_kind[row])) condition.value = instant.value[row];
    condition.rate = instant.rate[row];
    if (row < instant.second.size()) condition.second = instant.second[row];
  }
  if (instant.status == instant::Status::ambiguous) {
    for (const auto& solution : instant.solutions)
      answer.solutions.push_back({quantity(model, solution.accelerations), solution.constraint});
    answer.family = instant.continuum ? "continuum" : "isolated";
  }
  return answer;
}

/// The command's answer; a refused model or a broken output throws.
Json ask(const char* verb, const std::string& text, int& exit) {
  const auto outcome = command::call_json({verb, "-"}, text);
  exit = outcome.exit;
  if (outcome.json.is_discarded() || !outcome.json.is_object())
    throw std::runtime_error("no JSON object (exit " + std::to_string(exit) + "): " + outcome.out + outcome.err);
  if (outcome.json.contains("error")) throw std::runtime_error("refused: " + outcome.json.at("error").dump());
  return outcome.json;
}

AccelerationAnswer accelerate_by_command(const std::string& text) {
  AccelerationAnswer answer;
  const auto json = ask("accelerate", text, answer.exit);
  answer.status = json.at("status").get<std::string>();
  if (json.contains("regular")) answer.regular = json.at("regular").get<bool>();
  if (json.contains("accelerations")) answer.accelerations = quantity(json.at("accelerations"));
  if (json.contains("free")) answer.free = quantity(json.at("free"));
  if (json.contains("reaction")) answer.reaction = quantity(json.at("reaction"));
  if (json.contains("reactions"))
    for (const auto& [name, value] : json.at("reactions").items()) answer.reactions[name] = quantity(value);
  if (json.contains("multipliers")) answer.multipliers = numbers(json.at("multipliers"));
  if (json.contains("multipliers_unique")) answer.multipliers_unique = json.at("multipliers_unique").get<bool>();
  if (json.contains("constraint")) answer.constraint = json.at("constraint").get<double>();
  if (json.contains("certificate")) answer.certificate = certificate(json.at("certificate"));
  if (json.contains("farkas")) answer.farkas = numbers(json.at("farkas"));
  if (json.contains("violations")) answer.violations = numbers(json.at("violations"));
  if (json.contains("constraints"))
    for (const auto& [name, value] : json.at("constraints").items()) {
      auto& condition = answer.constraints[name];
      condition.kind = value.at("kind").get<std::string>();
      condition.role = value.at("role").get<std::string>();
      if (value.contains("value")) condition.value = value.at("value").get<double>();
      if (value.contains("rate")) condition.rate = value.at("rate").get<double>();
      if (value.contains("second")) condition.second = value.at("second").get<double>();
    }
  if (json.contains("solutions"))
    for (const auto& solution : json.at("solutions"))
      answer.solutions.push_back({quantity(solution.at("accelerations")), solution.at("constraint").get<double>()});
  if (json.contains("family")) answer.family = json.at("family").get<std::string>();
  return answer;
}

ImpactAnswer impact_in_library(const std::string& text) {
  const auto model = model::load(text, "problem.toml");
  const auto shock = instant::impact(model, model::initial_state(model));
  ImpactAnswer answer;
  answer.status = words(shock.status);
  const bool without = shock.status == instant::ShockStatus::inadmissible ||
                       shock.status == instant::ShockStatus::jammed || shock.status == instant::ShockStatus::refused;
  answer.exit = without ? 3 : shock.status == instant::ShockStatus::gave_up ? 4 : 0;
  answer.before = quantity(model, shock.before);
  answer.velocities = quantity(model, shock.velocities);
  auto changes = shock.velocities;
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i] -= shock.before[i];
  answer.changes = quantity(model, changes);
  answer.impulses_unique = shock.impulses_unique;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const auto name = row_name(model, row);
    answer.roles[name] = words(shock.role[row]);
    if (row < shock.impulses.size()) answer.impulses[name] = shock.impulses[row];
  }
  answer.energy = {{"before", shock.energy.before},
                   {"blow", shock.energy.blow},
                   {"work", shock.energy.work},
                   {"lost", shock.energy.lost},
                   {"after", shock.energy.after}};
  answer.certificate = certificate(shock.certificate);
  answer.farkas = row_numbers(model, shock.farkas);
  answer.violations = row_numbers(model, shock.violations);
  return answer;
}

ImpactAnswer impact_by_command(const std::string& text) {
  ImpactAnswer answer;
  const auto json = ask("impact", text, answer.exit);
  if (json.contains("status")) answer.status = json.at("status").get<std::string>();
  if (json.contains("before")) answer.before = quantity(json.at("before"));
  if (json.contains("velocities")) answer.velocities = quantity(json.at("velocities"));
  if (json.contains("changes")) answer.changes = quantity(json.at("changes"));
  if (json.contains("impulses")) answer.impulses = numbers(json.at("impulses"));
  if (json.contains("impulses_unique")) answer.impulses_unique = json.at("impulses_unique").get<bool>();
  if (json.contains("roles"))
    for (const auto& [name, value] : json.at("roles").items()) answer.roles[name] = value.get<std::string>();
  if (json.contains("energy")) answer.energy = numbers(json.at("energy"));
  if (json.contains("certificate")) answer.certificate = certificate(json.at("certificate"));
  if (json.contains("farkas")) answer.farkas = numbers(json.at("farkas"));
  if (json.contains("violations")) answer.violations = numbers(json.at("violations"));
  return answer;
}

}  // namespace

AccelerationAnswer accelerate(const std::string& model, Way way) {
  return way == Way::library ? accelerate_in_library(model) : accelerate_by_command(model);
}

ImpactAnswer impact(const std::string& model, Way way) {
  return way == Way::library ? impact_in_library(model) : impact_by_command(model);
}

}  // namespace zwang::oracles
