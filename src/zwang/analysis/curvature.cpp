/// Curvature and torsion from the first coefficients of the motion's own series.
#include "zwang/analysis/curvature.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/space.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

namespace {

double size(const Spatial& a) { return elementary::hypot(a[0], a[1], a[2]); }

/// A number and its first three derivatives by the time.
struct TimeJet {
  std::array<double, 4> of{};
  friend TimeJet operator+(const TimeJet& a, const TimeJet& b) {
    TimeJet out;
    for (std::size_t k = 0; k < 4; ++k) out.of.at(k) = a.of.at(k) + b.of.at(k);
    return out;
  }
  friend TimeJet operator-(const TimeJet& a, const TimeJet& b) {
    TimeJet out;
    for (std::size_t k = 0; k < 4; ++k) out.of.at(k) = a.of.at(k) - b.of.at(k);
    return out;
  }
  /// Leibniz's rule.
  friend TimeJet operator*(const TimeJet& a, const TimeJet& b) {
    const auto& x = a.of;
    const auto& y = b.of;
    TimeJet out;
    out.of[0] = x[0] * y[0];
    out.of[1] = x[1] * y[0] + x[0] * y[1];
    out.of[2] = x[2] * y[0] + 2 * x[1] * y[1] + x[0] * y[2];
    out.of[3] = x[3] * y[0] + 3 * (x[2] * y[1] + x[1] * y[2]) + x[0] * y[3];
    return out;
  }
  friend TimeJet operator/(const TimeJet& a, const TimeJet& b) {
    TimeJet out;
    const auto& y = b.of;
    auto& z = out.of;
    z[0] = a.of[0] / y[0];
    z[1] = (a.of[1] - z[0] * y[1]) / y[0];
    z[2] = (a.of[2] - 2 * z[1] * y[1] - z[0] * y[2]) / y[0];
    z[3] = (a.of[3] - 3 * (z[2] * y[1] + z[1] * y[2]) - z[0] * y[3]) / y[0];
    return out;
  }
};
TimeJet still(double value) {
  TimeJet out;
  out.of[0] = value;
  return out;
}
using TimeJetVector = std::array<TimeJet, 3>;
TimeJetVector cross_of_jets(const TimeJetVector& a, const TimeJetVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// R u and its derivatives, R u = u + 2 (w v x u + v x (v x u)) / s with e = (w, v), s = e.e (section 23).
std::array<Spatial, 4> turned_in_space(const std::array<std::array<double, 4>, 4>& e, const Spatial& u) {
  const TimeJet w{e[0]};
  const TimeJetVector v = {TimeJet{e[1]}, TimeJet{e[2]}, TimeJet{e[3]}};
  const TimeJetVector fixed = {still(u[0]), still(u[1]), still(u[2])};
  const TimeJet twice = still(2) / (w * w + v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const TimeJetVector once = cross_of_jets(v, fixed);
  const TimeJetVector again = cross_of_jets(v, once);
  std::array<Spatial, 4> out{};
  for (std::size_t c = 0; c < 3; ++c) {
    const TimeJet moved = fixed.at(c) + twice * (w * once.at(c) + again.at(c));
    for (std::size_t k = 0; k < 4; ++k) out.at(k).at(c) = moved.of.at(k);
  }
  return out;
}

/// The same in the plane by the angle f, with p across r: p f1, p f2 - r f1^2, p (f3 - f1^3) - 3 r f1 f2.
std::array<Spatial, 4> turned_in_plane(const std::array<double, 4>& f, const Spatial& u) {
  const double c = elementary::cos(f[0]);
  const double s = elementary::sin(f[0]);
  const Spatial r = {c * u[0] - s * u[1], s * u[0] + c * u[1], 0};
  const Spatial p = {-r[1], r[0], 0};
  std::array<Spatial, 4> out{};
  out[0] = r;
  for (std::size_t k = 0; k < 2; ++k) {
    out[1].at(k) = p.at(k) * f[1];
    out[2].at(k) = p.at(k) * f[2] - r.at(k) * f[1] * f[1];
    out[3].at(k) = p.at(k) * (f[3] - f[1] * f[1] * f[1]) - 3 * r.at(k) * f[1] * f[2];
  }
  return out;
}

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
  const instant::Instant now = instant::accelerate(model, model::initial_state(model));
  motion::advance(motion);
  const motion::Piece& piece = motion.piece;
  const auto derivative = [&](std::uint32_t variable, unsigned k) {
    constexpr double factorial[] = {1, 1, 2, 6};
    const double plain = elementary::pow(piece.unit, static_cast<double>(k));
    return k < piece.orders ? factorial[k] * piece.position[k * piece.n + variable] / plain : 0.0;
  };
  const auto add_path = [&](std::uint32_t body, std::uint32_t member, std::optional<std::uint32_t> mark,
                            const std::array<Spatial, 4>& moved, double loads) {
    PathOfPoint path;
    path.body = body;
    path.member = member;
    path.mark = mark;
    path.speed = size(moved[1]);
    const Spatial normal = cross(moved[1], moved[2]);
    const double across = size(normal);
    if (path.speed > 0 && across > sum_rounding * path.speed * (size(moved[2]) + loads)) {
      path.curvature = across / (path.speed * path.speed * path.speed);
      path.radius = 1 / path.curvature;
      path.torsion = dot(normal, moved[3]) / (across * across);
    }
    out.paths.push_back(path);
  };
  for (std::uint32_t b = 0; b < model.bodies.size(); ++b) {
    const model::Body& body = model.bodies[b];
    const std::uint32_t place = body.place();
    if (place == 0) continue;
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::uint32_t first = body.first + member * body.dimension;
      std::array<Spatial, 4> centre{};
      for (unsigned k = 1; k < 4; ++k) {
        for (std::uint32_t c = 0; c < place; ++c) centre.at(k).at(c) = derivative(first + c, k);
      }
      // Where conditions carry what pulls at a body, its acceleration is rounding of both.
      Spatial pulled{};
      for (std::uint32_t c = 0; c < place && first + c < now.free.size(); ++c) pulled.at(c) = now.free[first + c];
      const double loads = size(pulled);
      add_path(b, member, std::nullopt, centre, loads);

      // Marks move with the centre and turn about it.
      const std::vector<model::Mark>& marks = model.rigids[b].marks;
      for (std::uint32_t m = 0; m < marks.size(); ++m) {
        Spatial arm{};
        for (std::uint32_t c = 0; c < place; ++c) arm.at(c) = marks[m].at[std::size_t{member} * place + c];
        std::array<std::array<double, 4>, 4> turn{};
        for (std::uint32_t c = place; c < body.dimension; ++c) {
          for (unsigned k = 0; k < 4; ++k) turn.at(c - place).at(k) = derivative(first + c, k);
        }
        const std::array<Spatial, 4> turned = body.turns() ? turned_in_space(turn, arm) : turned_in_plane(turn[0], arm);
        std::array<Spatial, 4> moved = centre;
        for (unsigned k = 1; k < 4; ++k) {
          for (std::size_t c = 0; c < 3; ++c) moved.at(k).at(c) += turned.at(k).at(c);
        }
        // A mark about which the body turns rests, but for rounding.
        if (size(moved[1]) <= sum_rounding * (size(centre[1]) + size(turned[1]))) moved = {};
        add_path(b, member, m, moved, loads);
      }
    }
  }
  return out;
}

}  // namespace zwang::analysis
