/// The path of each point at the state: radius of curvature and torsion, from the first three derivatives of the true motion.
///
///   radius = |x'|^3 / |x' x x''|,      torsion = det(x', x'', x''') / |x' x x''|^2
///
/// Without forces and with unit mass under one condition p.v = 0 the radius is c^2 / (|lambda| |p|) and the torsion
/// det(x', p, p') / (c^2 |p|^2) (Voss 1884). Reference: docs/mathematics, section 20.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::analysis {

struct PathOfPoint {
  std::uint32_t body = 0;
  std::uint32_t member = 0;
  double speed = 0;
  double curvature = 0;           ///< 1 / radius; 0 on a straight stretch
  std::optional<double> radius;   ///< none on a straight stretch or at rest
  std::optional<double> torsion;  ///< none where the radius is none
};

struct Curvature {
  motion::Status status = motion::Status::going;  ///< of the instant: `going` if the motion goes on from here
  std::string why;
  std::vector<PathOfPoint> paths;
  std::vector<std::pair<std::uint32_t, double>> multipliers;
};

/// Of the motion from the model's initial state.
[[nodiscard]] Curvature curvature(const model::Model& model);

}  // namespace zwang::analysis
