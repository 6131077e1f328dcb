/// What a model is made of, as it was written: bodies, conditions, parameters, and the state of a system at one time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/error.hpp"

namespace zwang::model {

/// A point has two or three components, a generalized coordinate is a number. A rigid body has the components of its centre of mass, and
/// beside them a quaternion w, x, y, z in space, an angle in the plane.
enum class BodyKind : std::uint8_t { point, coordinate, rigid };
[[nodiscard]] std::string_view words(BodyKind kind);

/// A point, a coordinate, a rigid body, or a family of one of them.
struct Body {
  std::string name;
  BodyKind kind = BodyKind::point;
  std::uint32_t dimension =
      3;  ///< components of one member: 1 for coordinates, 2 or 3 for points, 3 or 7 for rigid bodies
  std::vector<std::uint32_t> counts;  ///< empty for a single body; one or two counts for a family
  std::uint32_t first = 0;            ///< variable of the first component of the first member
  [[nodiscard]] std::uint32_t members() const;
  /// How many components its place has: that of a point, or of a rigid body's centre; 0 for a coordinate.
  [[nodiscard]] std::uint32_t place() const;
  /// A rigid body in space: its last four components are a quaternion.
  [[nodiscard]] bool turns() const { return kind == BodyKind::rigid && dimension == 7; }
};

/// What a condition speaks of, and whether it forbids one side or both.
enum class RowKind : std::uint8_t {
  holonomic_equation,
  holonomic_inequality,
  nonholonomic_equation,
  nonholonomic_inequality
};
[[nodiscard]] constexpr bool is_equation(RowKind kind) {
  return kind == RowKind::holonomic_equation || kind == RowKind::nonholonomic_equation;
}
[[nodiscard]] constexpr bool is_holonomic(RowKind kind) {
  return kind == RowKind::holonomic_equation || kind == RowKind::holonomic_inequality;
}
/// "holonomic inequality" and so on, as printed.
[[nodiscard]] std::string_view words(RowKind kind);

/// The law under which a condition on velocities acts: Gauss's straightest motion, or Hamilton's principle.
enum class Law : std::uint8_t { straightest, variational };
/// "straightest", "variational".
[[nodiscard]] std::string_view words(Law law);

/// One entry of [constraints] or one of [[seizures]].
struct Condition {
  std::string name;
  std::string text;  ///< the condition as written
  Law law = Law::straightest;
  double restitution = 0;
  double multiplier = 0;  ///< initial rho of a variational condition
  bool seizure = false;
  bool implied = false;  ///< not written: it follows from the equations written
  double at = 0;         ///< time of a seizure
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0;
  std::uint32_t components = 1;    ///< rows per member: more than 1 for vector equations and compound conditions
  std::uint32_t alternatives = 1;  ///< sets of rows of a member, of which one must hold: more than 1 for `or`
  bool compound = false;           ///< the rows of a member are parts of one condition and share its name
  std::uint32_t indices = 0;       ///< indices per member: 0, 1 or 2
  std::vector<std::int32_t> index_values;  ///< `indices` numbers per member
  Place place;                             ///< of the condition's text
};

/// A parameter of the model.
struct Parameter {
  std::string name;
  std::vector<double> value;  ///< one number, or the components of a vector
};

/// A system at one time: positions and velocities of all variables, in the order of the model.
struct State {
  double time = 0;
  std::vector<double> position = {};
  std::vector<double> velocity = {};
  std::vector<double> rho = {};  ///< per row, of those under the variational law; empty: what the model starts with
  std::vector<double> modes =
      {};  ///< of the model's corners; empty: those that the values of the switching functions give

  // How far each variable may be off: rounding of the terms it was made of, what a projection left. Empty: as written.
  std::vector<double> position_uncertainty = {};
  std::vector<double> velocity_uncertainty = {};
};

/// Changes from outside the file: the command line's `--set NAME=VALUE`, `--at`, `--until`, `--tolerance`, `--samples`.
struct Overrides {
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< name, expression (or vector of expressions)
  // Expressions; empty: as in the file.
  std::string start = {};
  std::string until = {};
  std::string tolerance = {};
  std::string samples = {};
};

}  // namespace zwang::model

namespace zwang {

using model::Overrides;
using model::State;

}  // namespace zwang
