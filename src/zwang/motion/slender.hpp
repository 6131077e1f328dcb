/// Slender bodies, with one moment of inertia far below the others: their part of the series, in their own axes.
///
/// On tapes a torque is a vector of four numbers beside others, and what it has about the thin axis is the rounding of all: over a moment of 1e-12 that is 1e-4
/// of the motion. So inertia is followed in the body's axes (e the quaternion, W the spin, Q the force on e, of whatever kind),
///
///   e' = e W / 2,      I W' = N - W x I W,      N = G Q / 2,
///
/// where (W x I W) about an axis of symmetry is exactly nothing, and of N about the least axis what is no more than its rounding is nothing. With G = (G_0 + G_1 s + ...)
/// the forces of lower orders turn with the body. Symbols as in links.hpp. Reference: docs/mathematics, section 23.11.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/expressions/remainders.hpp"
#include "zwang/model/model.hpp"

namespace zwang::motion {

class SlenderBodies {
 public:
  void set(std::span<const model::Slender> bodies, unsigned orders);
  void clear() { bodies_.clear(); }
  [[nodiscard]] bool empty() const { return bodies_.empty(); }

  /// Order zero and the velocities, at [i].
  void begin(const double* q, const double* v);
  /// q_{k+1} is known, and all forces and spins below order k: what inertia makes of order k, kept for `weigh`, its size added to `size` where asked for.
  void extend(unsigned k);
  void add_sizes(double* size) const;
  /// a = M^-1 (force - inertia) of the quaternions, order k; `force` has nothing of the inertia in it.
  void weigh(unsigned k, const double* force, double* a);
  /// What `weigh` was last asked for was the last of this order; q_{k+2}.
  void take(unsigned k, const double* force, const double* q_next);

  /// What the series leave out on a step, q known to order `last`: bounds of what accelerations of the quaternions are off by, added to `absolute`.
  void add_defects(const expressions::Stretch& stretch, unsigned last, double* absolute) const;
  /// Quaternions of length 1, rates across them.
  void straighten(std::vector<double>& position, std::vector<double>& velocity) const;
  void forget_overflow();

 private:
  using Three = std::array<double, 3>;
  using Four = std::array<double, 4>;
  struct One {
    model::Slender body;
    std::vector<Four> e;       ///< by order
    std::vector<Three> spin;   ///< W
    std::vector<Four> force;   ///< Q
    std::vector<double> size;  ///< of the terms of Q: its own components, and forces on the centre times arms
    Four leaning{};            ///< acceleration of e without W' of this order
    Three inertia{};           ///< -W x I W
    Three torque{};            ///< N without Q of this order
    double of_torque = 0;      ///< terms of that about the least axis
    Three turning{};           ///< W' of this order
    bool twisted = false;      ///< has any order a torque about the least axis?
  };
  [[nodiscard]] static double size_of(const One& one, const double* force);

  std::vector<One> bodies_;
};

}  // namespace zwang::motion
