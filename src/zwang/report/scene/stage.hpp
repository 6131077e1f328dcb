/// The stage: which bodies there are, where they are, and which of them a row of the model speaks of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/report/scene.hpp"
#include "zwang/report/scene/sight.hpp"

namespace zwang::report {

constexpr std::int64_t nobody = -1;

struct Stage {
  Stage(const model::Model& whole, const std::vector<SceneBody>& all, const SceneBox& around, double from, double to);

  const model::Model& model;
  const std::vector<SceneBody>& bodies;
  SceneBox box;      ///< of the bodies over the run
  double start = 0;  ///< of the run
  double end = 0;    ///< of the run
  double size = 1;   ///< of the picture; where bodies hardly move, their distances from the origin count too
  std::vector<std::int64_t> body_of;                ///< per variable
  std::vector<std::size_t> component;               ///< per variable
  std::vector<double> shift;                        ///< per variable: what a point of the view adds to it
  std::vector<std::vector<std::uint32_t>> held_by;  ///< per body: the equations that hold it alone

  /// Coordinates that a point of the view shows as they are, or moved by a constant, count as its components.
  void find_shown();

  [[nodiscard]] Vector initial(std::int64_t body) const;
  [[nodiscard]] unsigned dimension(std::int64_t body) const;
  /// Puts a body of the row to a place, and its part of the gradient there.
  void put(RowSight& sight, std::int64_t body, const Vector& place) const;
  [[nodiscard]] Vector gradient(const RowSight& sight, std::int64_t body) const;
  /// The row as a function of the place of one body.
  [[nodiscard]] Field field_of(RowSight& sight, std::int64_t body, double time) const;

  /// The bodies of a row in their order; empty if a coordinate takes part.
  [[nodiscard]] std::vector<std::int64_t> bodies_of(std::uint32_t row) const;
  [[nodiscard]] const model::Condition& condition(std::uint32_t row) const;
  /// When the row is first looked at.
  [[nodiscard]] double begin_of(std::uint32_t row) const;
  [[nodiscard]] bool moves(std::uint32_t row) const;
  /// Equations stay equations; for inequalities the sense in which f grows decides.
  [[nodiscard]] std::string relation(std::uint32_t row, bool grows) const;

  /// The box in which surfaces are sampled: the picture's, wider by a part.
  void sampling_box(Vector& low, Vector& high) const;
};

}  // namespace zwang::report
