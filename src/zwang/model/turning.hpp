/// Rotations by a quaternion e = (w, v) of length one, s = e.e = w^2 + v.v, for every kind of scalar:
///
///   R r = r + 2 h (w v x r + v x (v x r)),      h = 3 - 3 s + s^2,
///   spin in the fixed frame   2 h (w v' - w' v + v x v'),    in the body's axes, for the energy   2 (2 - s) (w v' - w' v - v x v').
///
/// h stands for 1 / s: s h = 1 + (s - 1)^3. What is made of it depends on the length of e by the third power of what that is off by. 2 - s stands for 1 / s to
/// second order alone: so the energy of a turning body is greatest at length one, and the length swings about it (docs/mathematics, section 23). A quotient
/// would say the same with a pole where discs about e reach the origin. A torque N in the fixed frame has the power N.spin = Q.e',
///
///   Q = 2 h (-N.v, w N + N x v).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "zwang/expressions/graph.hpp"

namespace zwang::model {

/// What stands for 1 / s: a polynomial for what is followed by series, the quotient for what is written out, analysed anywhere or computed once.
enum class Inverse : std::uint8_t { polynomial, quotient };

/// Compilers evaluate the arguments of a call in different orders, and terms of expressions are numbered as they come: so every product stands in a line of its own.
///
/// `Ops` has Scalar, number(double), and add, subtract, multiply of two scalars; divide where the quotient is asked for.
template <class Ops, Inverse inverse = Inverse::polynomial>
class Turning {
 public:
  using Scalar = typename Ops::Scalar;
  using Three = std::array<Scalar, 3>;
  using Four = std::array<Scalar, 4>;

  explicit Turning(Ops ops) : ops_(ops) {}

  Scalar dot(const Three& a, const Three& b) {
    const Scalar third = ops_.multiply(a[2], b[2]);
    const Scalar second = ops_.multiply(a[1], b[1]);
    const Scalar first = ops_.multiply(a[0], b[0]);
    return ops_.add(ops_.add(first, second), third);
  }
  Three cross(const Three& a, const Three& b) {
    const auto minor = [&](std::size_t i, std::size_t j) {
      const Scalar less = ops_.multiply(a[j], b[i]);
      const Scalar more = ops_.multiply(a[i], b[j]);
      return ops_.subtract(more, less);
    };
    return {minor(1, 2), minor(2, 0), minor(0, 1)};
  }
  Three scaled(const Scalar& c, const Three& a) {
    return {ops_.multiply(c, a[0]), ops_.multiply(c, a[1]), ops_.multiply(c, a[2])};
  }
  Three added(const Three& a, const Three& b) {
    return {ops_.add(a[0], b[0]), ops_.add(a[1], b[1]), ops_.add(a[2], b[2])};
  }
  Three subtracted(const Three& a, const Three& b) {
    return {ops_.subtract(a[0], b[0]), ops_.subtract(a[1], b[1]), ops_.subtract(a[2], b[2])};
  }

  /// s = e.e, and e.e' of two.
  Scalar inner(const Four& a, const Four& b) {
    const Scalar sides = dot(vector_of(a), vector_of(b));
    const Scalar first = ops_.multiply(a[0], b[0]);
    return ops_.add(first, sides);
  }
  /// 2 h.
  Scalar twice_inverse(const Four& e) {
    const Scalar s = inner(e, e);
    if constexpr (inverse == Inverse::quotient) return ops_.divide(ops_.number(2), s);
    return ops_.add(ops_.number(6), ops_.multiply(ops_.subtract(ops_.multiply(ops_.number(2), s), ops_.number(6)), s));
  }

  /// R r: a vector of the body's axes in the fixed frame.
  Three turned(const Four& e, const Three& r) {
    const Three v = vector_of(e);
    const Three u = cross(v, r);
    const Three twice = cross(v, u);
    const Three once = scaled(e[0], u);
    const Three moved = added(once, twice);
    return added(r, scaled(twice_inverse(e), moved));
  }
  Three spin(const Four& e, const Four& rate) {
    const Three unscaled = unscaled_spin(e, rate, true);
    return scaled(twice_inverse(e), unscaled);
  }
  Three own_spin(const Four& e, const Four& rate) {
    if constexpr (inverse == Inverse::quotient) {
      const Three unscaled = unscaled_spin(e, rate, false);
      return scaled(twice_inverse(e), unscaled);
    }
    const Scalar length = inner(e, e);
    const Scalar both = ops_.multiply(ops_.number(2), length);
    const Scalar twice = ops_.subtract(ops_.number(4), both);
    return scaled(twice, unscaled_spin(e, rate, false));
  }

  /// Q of a torque.
  Four force_of_torque(const Four& e, const Three& torque) {
    const Three v = vector_of(e);
    const Scalar c = twice_inverse(e);
    const Three across = cross(torque, v);
    const Three straight = scaled(e[0], torque);
    const Three side = scaled(c, added(straight, across));
    const Scalar along = ops_.multiply(c, dot(torque, v));
    return {ops_.subtract(ops_.number(0), along), side[0], side[1], side[2]};
  }

 private:
  static Three vector_of(const Four& e) { return {e[1], e[2], e[3]}; }
  Three unscaled_spin(const Four& e, const Four& rate, bool fixed) {
    const Three v = vector_of(e);
    const Three u = vector_of(rate);
    const Three less = scaled(rate[0], v);
    const Three more = scaled(e[0], u);
    const Three straight = subtracted(more, less);
    const Three twist = cross(v, u);
    return fixed ? added(straight, twist) : subtracted(straight, twist);
  }

  Ops ops_;
};

/// Expressions.
struct GraphOps {
  using Scalar = expressions::Expr;
  expressions::Graph* graph;
  Scalar number(double x) const { return graph->number(x); }
  Scalar add(Scalar a, Scalar b) const { return graph->add(a, b); }
  Scalar subtract(Scalar a, Scalar b) const { return graph->subtract(a, b); }
  Scalar multiply(Scalar a, Scalar b) const { return graph->multiply(a, b); }
  Scalar divide(Scalar a, Scalar b) const { return graph->divide(a, b); }
};

/// Plain numbers.
struct NumberOps {
  using Scalar = double;
  static double number(double x) { return x; }
  static double add(double a, double b) { return a + b; }
  static double subtract(double a, double b) { return a - b; }
  static double multiply(double a, double b) { return a * b; }
  static double divide(double a, double b) { return a / b; }
};

}  // namespace zwang::model
