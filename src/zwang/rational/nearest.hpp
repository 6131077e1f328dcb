/// The nearest point of a polyhedron in exact arithmetic: the answer with its multipliers, or a proof that there is none.
///
///   minimise  (a - a0)^T M (a - a0)   subject to   J_i a + h_i  = 0  (equations),   J_i a + h_i <= 0  (inequalities)
///
/// The method is the dual one of Goldfarb and Idnani, which ends always when nothing is rounded: the dual objective rises with every
/// row that enters the set, so that no set comes back. It begins with any set, in practice the one that was found in doubles; if that is
/// the right one, the first look at its signs proves it.
///
/// Symbols: a, a0, M, W = M^-1, J, h, lambda, w = J a + h, y as in gauss.hpp; S the rows held, p the row that enters, tau its
/// multiplier, Phi = J W J^T. Reference: docs/mathematics, section 3; Goldfarb and Idnani, Math. Programming 27 (1983) 1; fractions are
/// avoided in elimination after Bareiss, Math. Comp. 22 (1968) 565.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "zwang/rational/number.hpp"

namespace zwang::rational {

/// Entries by column, ascending.
using Sparse = std::vector<std::pair<std::uint32_t, Number>>;

struct Row {
  Sparse entries;
  Number h;
  bool equation = false;
};

/// A dense symmetric part of the mass matrix over its variables, row by row.
struct MassBlock {
  std::vector<std::uint32_t> variables;
  std::vector<Number> entries;
};

struct Problem {
  std::vector<MassBlock> mass;  ///< every variable lies in one block
  std::vector<Number> a0;
  std::vector<Row> rows;
};

enum class Verdict : std::uint8_t {
  nearest,        ///< a is the nearest point, lambda proves it
  contradictory,  ///< no a satisfies the rows, farkas proves it
  no_metric       ///< the mass matrix is not positive definite
};

struct Answer {
  Verdict verdict = Verdict::no_metric;
  std::vector<Number> a;
  std::vector<Number> lambda;
  std::vector<Number> w;
  std::vector<Number> farkas;       ///< y: y^T J = 0, y^T h > 0, y >= 0 on inequalities
  std::vector<std::uint32_t> held;  ///< the independent rows held as equations in the end
  std::size_t changes = 0;          ///< of the set, until its signs were right
};

/// The nearest point, or the proof that there is none. `start` are rows to begin with: those that doubles found to be held.
[[nodiscard]] Answer nearest_point(const Problem& problem, const std::vector<std::uint32_t>& start = {});

/// Does the answer prove what it claims? From the definitions alone: the four Kuhn-Tucker conditions, or Farkas' three, each exactly.
/// Empty if it does, else what is broken.
[[nodiscard]] std::string refute(const Problem& problem, const Answer& answer);

/// Rows that depend on others: J_row = sum c_k J_k over rows before it that are independent. The others are independent.
struct Dependence {
  std::uint32_t row = 0;
  std::vector<std::pair<std::uint32_t, Number>> combination;
};
[[nodiscard]] std::vector<Dependence> dependences(const std::vector<Row>& rows, std::size_t variables);

/// Are the multipliers of an answer the only ones? They are not if some d, not zero, has J^T d = 0 on the rows with w = 0 and d >= 0 on
/// the inequalities among them whose multiplier is zero.
[[nodiscard]] bool unique_multipliers(const Problem& problem, const Answer& answer);

}  // namespace zwang::rational
