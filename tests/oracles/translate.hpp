/// Reference problems as model files: the same system written in several ways whose answers must agree.
///
/// A problem names coordinates x_i with masses m_i, forces X_i and conditions in x_i, v_x_i, t. It is written
///   coordinates: every x_i a generalized coordinate, T = sum m_i/2 x_i'^2;
///   points:      x1, y1, z1 ... gathered into material points;
///   mixed:       the first group a point, the others coordinates beside it;
///   sheared:     new coordinates u with x_i = u_i + u_{i+1}^2 / 2 for i = 0, 2, 4 ..., so that M depends on u.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace zwang::oracles {

enum class Route { coordinates, points, mixed, sheared };
inline constexpr Route every_route[] = {Route::coordinates, Route::points, Route::mixed, Route::sheared};
[[nodiscard]] std::string words(Route route);

/// Quantities of bodies as the answers give them: components of a point, one number for a coordinate.
using Quantity = std::map<std::string, std::vector<double>>;

/// Where coordinate i of the problem is found in an answer.
struct Slot {
  std::string body;
  std::size_t component = 0;
};

struct Translation {
  Route route = Route::coordinates;
  std::string model;         ///< TOML
  std::vector<Slot> slots;   ///< per coordinate of the problem
  std::vector<double> q, v;  ///< the state in the problem's own coordinates

  /// From the answer's bodies to the problem's coordinates (tangent vectors: velocities, impulsive changes).
  [[nodiscard]] std::vector<double> velocities(const Quantity& quantity) const;
  [[nodiscard]] std::vector<double> accelerations(const Quantity& quantity) const;
  /// Forces are covectors: from the answer's generalized force to the problem's.
  [[nodiscard]] std::vector<double> forces(const Quantity& quantity) const;
};

/// Nothing when the problem cannot be written that way.
[[nodiscard]] std::optional<Translation> translate(const nlohmann::json& problem, Route route);

/// A system's Pfaffian forms as its conditions form1, form2, ...
void forms_to_conditions(nlohmann::json& system);

/// "3/4", "-1.25", 7: the number meant.
[[nodiscard]] double number(const nlohmann::json& value);

/// The problems of the reference file, or one of them.
[[nodiscard]] const nlohmann::json& problems();
[[nodiscard]] const nlohmann::json& problem(const std::string& id);

}  // namespace zwang::oracles
