/// Strings that are exactly taut between what cannot come nearer: they hold with equality for ever, and nothing at them can move.
///
/// Of convex F_k <= 0 (a string: |d|^2 - L^2) and convex equations, with y_k >= 0 and
///   sum_k y_k g_k = 0  on V,      sum_k y_k r_k = 0,
/// the sum y.F = sum_k y_k u^T Q_k u / 2 is not negative, since each Q_k is semidefinite, and not positive: it vanishes term by term,
///   Q_k u = 0  wherever  y_k > 0,
/// linear equations with constant coefficients: both ends of such a string move alike. They make V smaller, and the same is asked again. A
/// line of strings stretched between two nails cannot move, a net in a frame neither, a net on two nails keeps its upper edge.
///
/// Symbols: as in implied.hpp; V the space that the linear equations leave.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/implied/equation.hpp"
#include "zwang/model/implied/rows.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// Convex inequalities of at most second degree that touch at the start and last; none unless one of them is of second degree.
[[nodiscard]] std::vector<std::uint32_t> touching_convex(const Model& model, const Rows& rows);

/// Inequalities of second degree that touch at the start and last, convex or not.
[[nodiscard]] std::vector<std::uint32_t> touching_squares(const Model& model, const Rows& rows);

/// The linear equations that follow for the inequalities asked about, ascending; `among` holds them and the equations beside them.
[[nodiscard]] std::vector<Implied> taut_rows(const Model& model, const std::vector<std::uint32_t>& among,
                                             const std::vector<std::uint32_t>& asked);

/// The same of equations that have been read, among them those of the rows asked about.
[[nodiscard]] std::vector<Implied> taut_of(std::vector<Equation> equations, const std::vector<std::uint32_t>& asked,
                                           const Vector& start, double touch);

/// Is F convex, F <= 0 being what the condition says?
[[nodiscard]] bool is_convex(const Equation& one);

}  // namespace zwang::model
