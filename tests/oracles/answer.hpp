/// Answers of `accelerate` and `impact` in one shape, whether they come from the library or from the command's JSON.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "oracles/translate.hpp"
#include "zwang/model/model.hpp"

namespace zwang::oracles {

using Numbers = std::map<std::string, double>;
using Json = nlohmann::ordered_json;

/// Numbers by variable, or as the command prints them, by the names of bodies and conditions.
[[nodiscard]] Quantity quantity(const model::Model& model, const std::vector<double>& values);
[[nodiscard]] Quantity quantity(const Json& json);
[[nodiscard]] Numbers numbers(const Json& json);

struct ConditionAnswer {
  std::string kind;
  std::string role;
  std::optional<double> value;
  double rate = 0;
  std::optional<double> second;
};

struct CertificateAnswer {
  double primal = 0, dual = 0, complementarity = 0, stationarity = 0;
};

struct MinimiserAnswer {
  Quantity accelerations;
  double constraint = 0;
};

struct AccelerationAnswer {
  int exit = 0;
  std::string status;
  bool regular = true;
  Quantity accelerations, free, reaction;
  std::map<std::string, Quantity> reactions;
  Numbers multipliers, farkas, violations;
  bool multipliers_unique = true;
  std::map<std::string, ConditionAnswer> constraints;
  double constraint = 0;
  CertificateAnswer certificate;
  std::vector<MinimiserAnswer> solutions;
  std::string family;
};

struct ImpactAnswer {
  int exit = 0;
  std::string status;
  Quantity before, velocities, changes;
  Numbers impulses;
  bool impulses_unique = true;
  std::map<std::string, std::string> roles;
  Numbers energy;
  CertificateAnswer certificate;
  Numbers farkas, violations;
};

enum class Way { library, command };
[[nodiscard]] inline std::string words(Way way) { return way == Way::library ? "library" : "command"; }

/// Throws with the program's own message when the model is refused.
[[nodiscard]] AccelerationAnswer accelerate(const std::string& model, Way way);
[[nodiscard]] ImpactAnswer impact(const std::string& model, Way way);

}  // namespace zwang::oracles
