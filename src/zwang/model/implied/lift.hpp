/// Conditions at turning bodies and moving places as equations of second degree, in more numbers than the variables.
///
/// A mark of a body is c + R m. In the plane R is made of C = cos(angle) and S = sin(angle), in space of nine numbers; with these beside the variables, and
/// with every function of time that a condition is made of as a number T of its own, a distance is of second degree again:
///   |c + R m - p(T)|^2 - L^2,      C^2 + S^2 - 1 = 0,      R^T R - 1 = 0,      and C^2 + S^2 = 1 too for the cosine and the sine of one function of time.
/// What is linear in them for all values that satisfy these equations holds of the motion, whatever T does. Products of the parts of a unit quaternion e are linear in R:
///   4 e0 e0 = 1 + R00 + R11 + R22,   4 e0 e1 = R21 - R12,   4 e1 e2 = R10 + R01,   ...
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "zwang/expressions/graph.hpp"
#include "zwang/model/implied/equation.hpp"
#include "zwang/model/implied/rows.hpp"

namespace zwang::model {

class Lift {
 public:
  explicit Lift(const Model& model);

  /// As `read_equation`, with the numbers above; those that are no variables are counted on behind the variables.
  [[nodiscard]] std::optional<Equation> read(std::uint32_t row);
  /// What holds between the numbers that these equations are made of.
  [[nodiscard]] std::vector<Equation> relations(const std::vector<Equation>& equations) const;
  /// All numbers at the start.
  [[nodiscard]] const Vector& start() const { return start_; }
  /// Of such numbers a condition of the model, behind all others, let go by none of its releases.
  void append(Model& model, const Implied& row) const;

 private:
  enum class Kind : std::uint8_t { turn, cosine, sine, time };
  struct Number {
    Kind kind = Kind::time;
    std::uint32_t first = 0;  ///< variable of the angle, or the first one of the quaternion
    std::uint32_t entry = 0;  ///< of R, row * 3 + column
    expressions::Expr of;     ///< of time: the function
    std::uint32_t other = 0;  ///< of a cosine or sine of a function of time: the other one, or itself
  };
  friend class LiftedRow;

  std::uint32_t known(const Number& number, double at_start);
  std::uint32_t timed(expressions::Expr of, double at_start);

  const Model* model_;
  std::vector<std::uint8_t> part_;  ///< per variable: 1 an angle of a body, 2 to 5 the parts of a quaternion
  std::vector<Number> number_;
  Vector start_;
  std::unique_ptr<expressions::Graph> graph_;
};

}  // namespace zwang::model
