/// Compares an answer with what a reference problem expects; used for the stored problems and for generated ones.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "oracles/answer.hpp"
#include "oracles/translate.hpp"

namespace zwang::oracles {

/// Accelerations (groups g1), velocities after a shock (g2), singular positions (g4). Each reports through GoogleTest.
void judge_accelerations(const nlohmann::json& problem, Route route, Way way);
void judge_impact(const nlohmann::json& problem, Route route, Way way);
void judge_singular(const nlohmann::json& problem, Route route, Way way);

/// The rows of a model at its start, for checks by a second route: names, gradients, f'' without accelerations.
struct RowTable {
  std::vector<std::string> name;
  std::vector<bool> equation;
  std::vector<std::vector<double>> gradient;  ///< dense, by variable
  std::vector<double> curvature;
  std::vector<double> explicit_rate;
  std::vector<Slot> variable;
};
[[nodiscard]] RowTable rows_at_start(const std::string& model);

/// f of every condition with the problem's coordinates at x, in the problem's order.
[[nodiscard]] std::vector<double> conditions_at(const nlohmann::json& problem, const std::vector<double>& x);

}  // namespace zwang::oracles
