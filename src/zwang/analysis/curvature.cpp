/// Curvature and torsion from the first coefficients of the motion's own series.
#include "zwang/analysis/curvature.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/space.hpp"
#include "zwang/elementary/elementary.hpp"

namespace zwang::analysis {

namespace {

double size(const Spatial& a) { return elementary::hypot(a[0], a[1], a[2]); }

}  // namespace

Curvature curvature(const model::Model& model) {
  Curvature out;
  motion::Options options;
  const double start = model.simulation.start;
  options.until = start + std::max(1.0, std::abs(start));
  motion::Motion motion = motion::begin(model, options);
  out.status = motion.status;
  out.why = motion.why;
  if (motion.status != motion::Status::going) return out;
  for (std::size_t j = 0; j < motion.held.size(); ++j)
    out.multipliers.emplace_back(motion.held[j], motion.multipliers[j]);
  const model::State state = motion.state;
  motion::advance(motion);
  const motion::Piece& piece = motion.piece;
  const auto derivative = [&](std::uint32_t variable, unsigned k) {
    constexpr double factorial[] = {1, 1, 2, 6};
    const double plain = elementary::pow(piece.unit, static_cast<double>(k));
    return k < piece.orders ? factorial[k] * piece.position[k * piece.n + variable] / plain : 0.0;
  };
  for (std::uint32_t b = 0; b < model.bodies.size(); ++b) {
    const model::Body& body = model.bodies[b];
    if (body.kind != model::BodyKind::point) continue;
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      PathOfPoint path;
      path.body = b;
      path.member = member;
      Spatial v{};
      Spatial a{};
      Spatial jerk{};
      for (std::uint32_t c = 0; c < body.dimension; ++c) {
        const std::uint32_t variable = body.first + member * body.dimension + c;
        v[c] = derivative(variable, 1);
        a[c] = derivative(variable, 2);
        jerk[c] = derivative(variable, 3);
      }
      path.speed = size(v);
      const Spatial normal = cross(v, a);
      const double across = size(normal);
      if (path.speed > 0 && across > sum_rounding * path.speed * size(a)) {
        path.curvature = across / (path.speed * path.speed * path.speed);
        path.radius = 1 / path.curvature;
        path.torsion = dot(normal, jerk) / (across * across);
      }
      out.paths.push_back(path);
    }
  }
  return out;
}

}  // namespace zwang::analysis
