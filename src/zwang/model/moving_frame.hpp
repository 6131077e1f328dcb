/// Vectors that a rigid body carries along, and its spin, for every kind of scalar of the interpreter.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "zwang/model/interpret.hpp"
#include "zwang/model/turning.hpp"

namespace zwang::model {

/// The interpreter's scalars in the formulas of turning.hpp; errors stand at `at`.
template <class Algebra>
struct AlgebraOps {
  using Scalar = typename Algebra::Scalar;
  Algebra* algebra;
  const Syntax* at;

  Scalar number(double x) { return algebra->number(x); }
  Scalar add(const Scalar& a, const Scalar& b) { return sum(a, b, false); }
  Scalar subtract(const Scalar& a, const Scalar& b) { return sum(a, b, true); }
  Scalar multiply(const Scalar& a, const Scalar& b) {
    const std::array<Operand<Scalar>, 2> factors = {Operand<Scalar>{a, false, at}, Operand<Scalar>{b, false, at}};
    return algebra->product(factors, *at);
  }
  Scalar apply(expressions::Function function, const Scalar& a) {
    const std::array<Scalar, 1> argument = {a};
    return algebra->apply(function, argument, *at);
  }

 private:
  Scalar sum(const Scalar& a, const Scalar& b, bool inverse) {
    const std::array<Operand<Scalar>, 2> terms = {Operand<Scalar>{a, false, at}, Operand<Scalar>{b, inverse, at}};
    return algebra->sum(terms, *at);
  }
};

/// The frame of one rigid body: `component(k, velocity)` gives its variables.
template <class Algebra, class Component>
class MovingFrame {
 public:
  using Scalar = typename Algebra::Scalar;
  using Vector = Quantity<Scalar>;

  MovingFrame(Algebra& algebra, const Syntax& at, const Body& body, const Component& component)
      : ops_{&algebra, &at}, turning_(ops_), body_(body), component_(component) {}

  /// A vector of the body's axes in the fixed frame.
  Vector turned(const Vector& r) {
    Vector out = r;
    if (body_.turns()) {
      out.part = turning_.turned(quaternion(false), r.part);
      return out;
    }
    const Scalar angle = component_(2, false);
    const Scalar c = ops_.apply(expressions::Function::cos, angle);
    const Scalar s = ops_.apply(expressions::Function::sin, angle);
    const Scalar less = ops_.multiply(s, r.part[1]);
    out.part[0] = ops_.subtract(ops_.multiply(c, r.part[0]), less);
    const Scalar more = ops_.multiply(c, r.part[1]);
    out.part[1] = ops_.add(ops_.multiply(s, r.part[0]), more);
    return out;
  }

  /// A vector in space, a number in the plane.
  Vector spin() {
    Vector out;
    if (body_.turns()) {
      out.size = 3;
      const std::array<Scalar, 4> rate = quaternion(true);
      out.part = turning_.spin(quaternion(false), rate);
    } else {
      out.part[0] = component_(2, true);
    }
    return out;
  }

  /// A point of the body: x + R r, and its velocity v + spin x R r.
  Vector place(const Vector& r) {
    const Vector arm = turned(r);
    Vector out = arm;
    for (std::size_t c = 0; c < r.size; ++c) out.part[c] = ops_.add(component_(c, false), arm.part[c]);
    return out;
  }
  Vector velocity(const Vector& r) {
    const Vector arm = turned(r);
    const Vector w = spin();
    Vector out = arm;
    if (body_.turns()) {
      out.part = turning_.cross(w.part, arm.part);
    } else {
      const Scalar less = ops_.multiply(w.part[0], arm.part[1]);
      out.part[0] = ops_.subtract(ops_.number(0), less);
      out.part[1] = ops_.multiply(w.part[0], arm.part[0]);
    }
    for (std::size_t c = 0; c < r.size; ++c) out.part[c] = ops_.add(component_(c, true), out.part[c]);
    return out;
  }

 private:
  std::array<Scalar, 4> quaternion(bool velocity) {
    std::array<Scalar, 4> out;
    for (std::size_t k = 0; k < 4; ++k) out[k] = component_(3 + k, velocity);
    return out;
  }

  AlgebraOps<Algebra> ops_;
  Turning<AlgebraOps<Algebra>> turning_;
  const Body& body_;
  const Component& component_;
};

}  // namespace zwang::model
