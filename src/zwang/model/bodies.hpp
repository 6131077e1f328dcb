/// Rigid bodies as they are asked for and answered: spin and torque instead of the rates of a quaternion.
///
/// Inside, a body in space has the variables x, y, z, qw, qx, qy, qz, in the plane x, y, angle (turning.hpp; docs/mathematics, section 23).
/// In answers it has seven or three components of position and six or three of everything else: velocities and accelerations with the
/// angular ones behind, forces with torques behind, in the fixed frame.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang::model {

/// What a vector over the variables consists of.
enum class Sort : std::uint8_t {
  position,
  velocity,  ///< accelerations and changes of velocity too
  force      ///< of conditions, impulses too
};

/// Has the model a body whose orientation is a quaternion? If not, every vector is shown as it is.
[[nodiscard]] bool has_quaternions(const Model& model);

/// One member's part of a vector over the variables as it is shown: of a quaternion the unit one; spin, angular acceleration or torque.
/// `position`: where the bodies are.
[[nodiscard]] std::vector<double> shown(const Body& body, std::uint32_t member, Sort sort,
                                        std::span<const double> position, std::span<const double> values);

/// A state that was computed: every component of a place or a turn is uncertain by the rounding of the largest among those that equations tie to it,
/// where that is more than a part of itself. A coordinate has nothing beside itself.
void doubt_as_computed(const Model& model, State& state);

/// The same of a state between the instants of a motion, which kept all equations and these rows: what is left of them there is uncertain, too, as long as it is
/// no more than `touch` of the largest place or speed.
void doubt_as_held(const Model& model, std::span<const std::uint32_t> rows, State& state);

/// The places at which the quaternions of a model begin among its variables, four each.
[[nodiscard]] std::vector<std::uint32_t> quaternions(const Model& model);

/// Angular velocity in the fixed frame from the rate of a quaternion, and back, where the quaternion keeps its length.
[[nodiscard]] std::array<double, 3> spin_of(std::span<const double> quaternion, std::span<const double> rate);
[[nodiscard]] std::array<double, 4> rate_of(std::span<const double> quaternion, const std::array<double, 3>& spin);
/// A vector of the body's axes in the fixed frame.
[[nodiscard]] std::array<double, 3> turned(std::span<const double> quaternion, const std::array<double, 3>& vector);

/// A variable in a sentence: "a.x", and of a quaternion's components "the turning of box".
[[nodiscard]] std::string variable_words(const Model& model, std::uint32_t variable);

/// What a blow gives to its variables, with the bodies where they are.
[[nodiscard]] std::vector<double> impulse_of(const Blow& blow, std::span<const double> position);

}  // namespace zwang::model
