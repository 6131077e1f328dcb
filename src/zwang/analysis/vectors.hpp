/// Expressions of vectors: what a model with bodies says, kept as places, arms, spins and products of them instead of components.
///
/// A vector is a sum of directions with factors. Directions are the axes of the fixed frame, places of bodies, points and marks, their
/// velocities and accelerations, arms from a centre to a mark, the axes of bodies, spins, and cross products. Factors are scalars, and scalars are
/// expressions of a graph whose symbols are parameters, multipliers, components, dot products, lengths.
///
///   d(R u) = dtheta x (R u),   (R u)' = spin x (R u):
///
/// along these every scalar has its gradient by the place and by the rotation of each body (`Pull`), and its rate. Reference: docs/mathematics, section 23.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "zwang/expressions/graph.hpp"
#include "zwang/model/model.hpp"

namespace zwang::analysis {

/// A member of a body, by numbers.
struct OfBody {
  std::uint32_t body = 0;
  std::uint32_t member = 0;
  friend auto operator<=>(const OfBody&, const OfBody&) = default;
};

/// A factor times a direction of the table.
struct VectorTerm {
  expressions::Expr factor;
  std::uint32_t direction = 0;
  friend auto operator<=>(const VectorTerm&, const VectorTerm&) = default;
};

/// A sum of terms, directions ascending; the empty sum is zero.
struct VectorSum {
  std::uint32_t size = 3;
  std::vector<VectorTerm> terms = {};
  friend bool operator==(const VectorSum&, const VectorSum&) = default;
  friend bool operator<(const VectorSum& a, const VectorSum& b) {
    return std::tie(a.size, a.terms) < std::tie(b.size, b.terms);
  }
};

enum class DirectionSort : std::uint8_t {
  basis,  ///< an axis of the fixed frame
  place,  ///< of a body's centre or a point
  velocity,
  acceleration,
  mark,  ///< the place of a mark
  mark_velocity,
  mark_acceleration,
  arm,   ///< from the centre to a mark
  axis,  ///< one of a body's axes
  spin,
  spin_rate,
  cross,
  gradient,  ///< of a condition by the place of a body, not written out
  turning    ///< of a condition by the rotation of a body, not written out
};

struct Direction {
  DirectionSort sort = DirectionSort::basis;
  std::uint32_t size = 3;
  OfBody of = {};
  std::uint32_t number = 0;  ///< of an axis, of a mark, of a condition's row
  VectorSum left = {}, right = {};
  friend bool operator==(const Direction&, const Direction&) = default;
  friend bool operator<(const Direction& a, const Direction& b) {
    return std::tie(a.sort, a.size, a.of, a.number, a.left, a.right) <
           std::tie(b.sort, b.size, b.of, b.number, b.left, b.right);
  }
};

enum class ScalarSort : std::uint8_t {
  parameter,  ///< number: its own and its component
  pi,
  angle,  ///< of a body in the plane
  turn_rate,
  turn_acceleration,
  component,  ///< of a direction
  dot,
  length,
  plane_cross,
  own_spin,  ///< component of the spin in the body's axes
  own_spin_rate,
  multiplier,  ///< number: a row of the model
  turning      ///< of a condition by the angle of a body, not written out
};

struct Scalar {
  ScalarSort sort = ScalarSort::parameter;
  OfBody of = {};
  std::uint32_t number = 0;     ///< of a parameter or row, or of the direction whose component it is
  std::uint32_t component = 0;  ///< x, y, z
  VectorSum left = {}, right = {};
  friend bool operator==(const Scalar&, const Scalar&) = default;
  friend bool operator<(const Scalar& a, const Scalar& b) {
    return std::tie(a.sort, a.of, a.number, a.component, a.left, a.right) <
           std::tie(b.sort, b.of, b.number, b.component, b.left, b.right);
  }
};

/// A number or a vector.
struct Quantity {
  bool vector = false;
  expressions::Expr scalar = {};
  VectorSum of = {};
};

/// Scalars and directions, each once. Symbol k of kind `constant` of the graph is scalars[k].
class Vectors {
 public:
  explicit Vectors(const model::Model& model) : model_(&model) {}
  expressions::Graph graph;
  std::vector<Scalar> scalars;
  std::vector<Direction> directions;

  expressions::Expr number(double value) { return graph.number(value); }
  expressions::Expr scalar(const Scalar& scalar);
  VectorSum direction(const Direction& direction);
  VectorSum basis(std::uint32_t size, std::uint32_t component);
  VectorSum zero(std::uint32_t size) const { return {size, {}}; }
  /// The components as a vector of the fixed frame.
  VectorSum fixed(const std::vector<expressions::Expr>& components);

  VectorSum add(const VectorSum& a, const VectorSum& b);
  VectorSum scale(expressions::Expr factor, const VectorSum& a);
  VectorSum negate(const VectorSum& a) { return scale(graph.number(-1), a); }
  VectorSum cross(const VectorSum& a, const VectorSum& b);
  expressions::Expr plane_cross(const VectorSum& a, const VectorSum& b);
  expressions::Expr dot(const VectorSum& a, const VectorSum& b);
  expressions::Expr component(const VectorSum& a, std::uint32_t component);
  expressions::Expr length(const VectorSum& a);

  /// Along the motion.
  expressions::Expr rate(expressions::Expr e);
  VectorSum rate(const VectorSum& a);

  [[nodiscard]] const model::Model& model() const { return *model_; }

 private:
  /// A mark less the centre of its body is the arm to it.
  void make_arms(std::map<std::uint32_t, expressions::Expr>& terms);
  VectorSum rate_of_direction(std::uint32_t number);
  expressions::Expr rate_of_scalar(std::uint32_t number);

  const model::Model* model_;
  std::map<Scalar, std::uint32_t> scalar_of_;
  std::map<Direction, std::uint32_t> direction_of_;
};

/// Force at the centre and torque about it; in the plane the torque is a number.
struct Load {
  VectorSum force = {};
  VectorSum torque = {};
  expressions::Expr turn = {};
};

/// What expressions with weights do to the bodies: sum of weight times gradient, by place and by rotation (of `speeds`: by velocity and spin).
class Pull {
 public:
  Pull(Vectors& vectors, bool speeds) : vectors_(vectors), speeds_(speeds) {}
  void add(expressions::Expr e, expressions::Expr weight);
  [[nodiscard]] std::map<OfBody, Load> loads();

 private:
  void push(std::uint32_t scalar, expressions::Expr weight);
  void push(const VectorSum& a, const VectorSum& weight);
  Load& load(OfBody of);

  Vectors& vectors_;
  bool speeds_;
  std::map<std::uint32_t, VectorSum> waiting_;  ///< per direction
  std::map<OfBody, Load> loads_;
};

}  // namespace zwang::analysis
