/// Motions computed the slow and plain way, as a yardstick for those of the library.
///
/// Points under simple forces and conditions with closed formulas; on a stretch the conditions that hold are equations,
///   M a = X - G^T lambda,   G a + F = 0,
/// integrated in extended precision by extrapolated midpoint steps of fixed length, each followed by a projection. Events
/// are zeros of f and lambda found by bisection on the length of a step; what holds after them is found by trying every set.
/// Nothing here is shared with the library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "laws/enumeration.hpp"

namespace zwang::laws {

/// One condition, f = 0 or f <= 0. Points are numbered, components are x, y(, z), y is up.
struct SlowCondition {
  enum class Shape : std::uint8_t {
    between,  ///< sigma (|a - b| - length)
    from,     ///< sigma (|a - anchor(t)| - length), anchor(t) = anchor + along A sin(w t)
    wall,     ///< along.a - length - A sin(w t)
    bowl,     ///< length + curve x^2 - y
    rate      ///< sum_i (along_i + twist_i b_i) a_i' + length + A sin(w t)
  };
  Shape shape = Shape::wall;
  std::string name;
  bool equation = false;
  double sigma = 1;  ///< -1: a least distance instead of a largest
  std::size_t a = 0;
  std::size_t b = 0;
  double length = 0;
  std::vector<double> anchor;
  std::vector<double> along;
  std::vector<double> twist;
  double curve = 0;
  double amplitude = 0;
  double w = 0;
  [[nodiscard]] bool holonomic() const { return shape != Shape::rate; }
};

struct SlowPoint {
  double mass = 1;
  double spring = 0;   ///< force -spring q
  double damping = 0;  ///< force -damping v
  double drive = 0;    ///< force drive sin(drive_w t) along x
  double drive_w = 0;
};

struct SlowSystem {
  std::size_t dimension = 2;
  double gravity = 0;  ///< along -y
  double restitution = 0;
  std::vector<SlowPoint> points;
  std::vector<SlowCondition> conditions;
  std::vector<double> position;  ///< point by point
  std::vector<double> velocity;
  double until = 2;
  [[nodiscard]] std::size_t n() const { return points.size() * dimension; }
};

/// The model file that says the same.
[[nodiscard]] std::string model_text(const SlowSystem& system);

/// A random system of at most 8 conditions, admissible at the start.
struct SlowTaste {
  bool free = false;         ///< nothing from outside: only conditions between points, no forces
  bool scleronomic = false;  ///< nothing depends on time, nothing damps
  bool reversible = false;   ///< and no nonholonomic inequalities
};
[[nodiscard]] SlowSystem random_system(std::uint64_t seed, const SlowTaste& taste = {});

struct SlowEvent {
  Real time = 0;
  std::string kind;  ///< impact, release, contact
  std::vector<std::uint32_t> rows;
  Vector position;  ///< after it
  Vector velocity;
};

struct SlowRun {
  std::vector<SlowEvent> events;
  std::string end;  ///< finished, jammed, or why it was not worth while to go on ("delicate: ...")
  Real time = 0;    ///< reached
  Vector position;
  Vector velocity;
  [[nodiscard]] bool delicate() const { return end.starts_with("delicate"); }
};

/// The motion from the start; `nudge` moves the initial velocities by that much, within what the conditions allow.
[[nodiscard]] SlowRun slow_motion(const SlowSystem& system, double nudge = 0);

/// T + V of forces without explicit time, and the sums m v and m (x vy - y vx).
[[nodiscard]] Real slow_energy(const SlowSystem& system, const Vector& position, const Vector& velocity);

}  // namespace zwang::laws
