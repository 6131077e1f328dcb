/// Where doubles cannot decide, fractions do: small problems whose answer is in doubt are solved again in exact arithmetic.
///
/// In doubt is an answer that breaks a row or an equation of motion by more than rounding of its own terms, although on the scale of the whole
/// it does not (problems whose rows, columns and masses are of sizes many powers of ten apart), one made from rows so near to dependence that
/// digits are gone, one with rows beside the set that are closed but for rounding, a contradiction, and what was given up. Everything else costs one look at the rows.
/// Reference: docs/mathematics, section 3.6.
#pragma once

#include <span>
#include <vector>

#include "zwang/gauss.hpp"

namespace zwang::gauss {

/// Is the problem small enough, and are its numbers exact as they stand but for a few roundings?
[[nodiscard]] bool may_decide(const Problem& problem);

/// Is an answer called solved in doubt? `scratch` is resized to 3 n.
[[nodiscard]] bool in_doubt(const Problem& problem, const Solution& solution, std::vector<double>& scratch);

/// The exact answer in the place of the one in doubt: the nearest point, each number rounded once, or a contradiction whose proof stands for
/// every problem within the bounds. A contradiction claimed stays unless a point within reach refutes it.
void decide(const Problem& problem, const Options& options, Solution& solution);

/// Is there z near y, on the rows of y, with z^T J = 0 exactly, z >= 0 on inequalities and z^T h > 0 beyond the bounds of h? Rows that depend
/// on others keep their y, those others follow. The rows of y are few enough, `may_prove`.
[[nodiscard]] bool may_prove(const Problem& problem, std::span<const double> y);
[[nodiscard]] bool contradictory_in_fractions(const Problem& problem, std::span<const double> y);

}  // namespace zwang::gauss
