/// The differential equations of motion of a model, written out: expressions with parameters and indices kept as names.
///
///   M a = X - sum lambda g               points and generalized coordinates (Lagrange's equations)
///         - rho' p - rho (dp/dt - df/dq)  for conditions under the variational law
///   f, f' = g.v + f_t, f'' = g.a + F     holonomic;   f = p.v + p0, f' = p.a + K  nonholonomic
///   Phi lambda = Phi^0,  Phi = J W J^T,  Phi^0 = f'' of the free motion
///
/// A first-order system reads x' = X - sum lambda p instead: the p are the gradients, or with free functions phi the columns
/// of the inverse of d(phi, f)/dx that belong to the conditions; then lambda is f' of the free rates.
///
/// Symbols and signs: docs/mathematics, sections 1 and 2. One expression stands for all members of a family.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "zwang/expressions/tidy.hpp"
#include "zwang/model/model.hpp"
#include "zwang/model/symbols.hpp"

namespace zwang::analysis {

/// A part of an equation of a member: `value`, summed over `over`, and only where the pairs in `when` are equal and those
/// in `within` in order, left <= right (Iverson's brackets). Multipliers of members that do not exist are zero.
struct Piece {
  std::vector<model::SymbolicRange> over;
  std::vector<std::pair<expressions::Expr, expressions::Expr>> when;
  std::vector<std::pair<expressions::Expr, expressions::Expr>> within;
  expressions::Expr value;
  [[nodiscard]] bool plain() const { return over.empty() && when.empty() && within.empty(); }
};

/// Derivative of a row by one of its variables.
struct RowEntry {
  std::uint32_t variable = 0;
  expressions::Expr value;  ///< g or p
  expressions::Expr bend;   ///< dp/dt - df/dq of a variational row, else 0
};

/// One component of a condition, for all of its members.
struct EquationRow {
  std::uint32_t member = 0;  ///< in symbols.conditions
  std::uint32_t component = 0;
  model::RowKind kind = model::RowKind::holonomic_equation;
  bool variational = false;
  expressions::Expr f, first, second;  ///< f, f', f'' (nonholonomic: f, f' alone; `second` is f' then)
  expressions::Expr curvature;         ///< F or K: the last of them for a = 0
  std::vector<RowEntry> entries;
  expressions::Expr multiplier;  ///< lambda, or rho' of a variational row
  expressions::Expr rho;         ///< of a variational row
  expressions::Expr free_value;  ///< Phi^0: the last derivative for the free motion, if `written`
};

/// A summand of the potential or kinetic energy with its derivatives.
struct EquationTerm {
  std::uint32_t member = 0;  ///< in symbols.kinetic or symbols.potential
  std::vector<std::uint32_t> variables;
  std::vector<expressions::Expr> force;  ///< what it adds to X, per variable
  std::vector<expressions::Expr> mass;   ///< kinetic: d2T/dv dv, [i * variables + j]
};

/// The equation of one component of a body, for all of its members: left = force + reaction.
struct EquationLine {
  std::uint32_t member = 0;  ///< in symbols.bodies
  std::uint32_t component = 0;
  std::vector<Piece> left, force, reaction;
};

struct PhiEntry {
  std::uint32_t row = 0, column = 0;  ///< in `rows`
  std::vector<expressions::Expr> row_index, column_index;
  std::vector<Piece> value;
};

/// A square root that is written by a name: its sum, in which `index` stand.
struct Root {
  expressions::Expr sum;
  std::vector<expressions::Symbol> index;
  std::uint32_t row = 0;  ///< row in which it occurs first, or none
  bool in_row = false;
};

struct Equations {
  model::Symbols symbols;
  std::vector<Root> roots;                                ///< of NameSort::root, by subject
  std::vector<model::SymbolicEnergy> kinetic, potential;  ///< T and V whole: with the points, with their weight
  std::vector<EquationTerm> kinetic_terms, potential_terms;
  std::vector<EquationLine> lines;
  std::vector<EquationRow> rows;
  bool written = true;  ///< Phi and Phi^0 are written out; if not, the inverse of the mass matrix is too large for it
  std::vector<PhiEntry> phi;
  bool diagonal = true;  ///< the mass matrix is
};

/// Where a symbol stands in products and sums: multipliers, parameters, time, positions, velocities, accelerations.
[[nodiscard]] int rank(const model::Symbols& symbols, expressions::Symbol symbol);

/// `members`: every member of the families by itself.
/// Throws Error where a condition is too long for anybody (`too_long`).
[[nodiscard]] Equations equations(const model::Draft& draft, const model::Model& model, bool members = false);

/// A contact whose distances have so many parts that their equations would fill books, as those of polygons have: its number among the conditions.
[[nodiscard]] std::optional<std::uint32_t> too_long(const model::Model& model);

}  // namespace zwang::analysis
