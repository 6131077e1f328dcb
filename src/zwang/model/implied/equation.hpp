/// Equations of second degree between positions, read off their tapes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "zwang/model/implied/vectors.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// r + g.u + u^T q u / 2 in the slots of a row, or factor * sqrt(that) + offset.
struct Polynomial {
  unsigned degree = 0;
  double r = 0;
  Vector g;          ///< empty below degree 1
  Vector q;          ///< [i * slots + j], empty below degree 2
  double terms = 0;  ///< sum of the absolute values that r is made of
  bool root = false;
  double factor = 1;
  double offset = 0;
};

using Maybe = std::optional<Polynomial>;

/// What is made of them, as long as it is of second degree at most or a root of such a one with a factor and a number beside it.
[[nodiscard]] Polynomial constant(double value);
/// x + factor * y
[[nodiscard]] Maybe sum(const Polynomial& x, const Polynomial& y, double factor);
[[nodiscard]] Maybe times(Polynomial x, double factor);
[[nodiscard]] Maybe product(const Polynomial& x, const Polynomial& y);
[[nodiscard]] Maybe root_of(const Polynomial& x);
[[nodiscard]] Maybe square(const Polynomial& x);
/// The same as an equation: u - L^2 for sqrt(u) - L, and of first degree where it has no squares.
[[nodiscard]] Maybe finished(Polynomial f);

/// An equation of the model around the start.
struct Equation {
  std::uint32_t row = 0;
  std::vector<std::uint32_t> variable;  ///< per slot
  Polynomial f;
};

/// The equation of a row, if it is of second degree at most: f itself, or u - L^2 of f = sqrt(u) - L.
[[nodiscard]] std::optional<Equation> read_equation(const Model& model, std::uint32_t row);

/// Of an inequality that is a sum of norms with positive factors and of what is linear, at least two of them, as a thread over pulleys: its gradient and its
/// second derivatives at the start. It is convex, which these alone do not tell.
[[nodiscard]] std::optional<Equation> read_sum(const Model& model, std::uint32_t row);

/// Are two equations the same one, up to a factor?
[[nodiscard]] bool same(const Equation& a, const Equation& b);

}  // namespace zwang::model
