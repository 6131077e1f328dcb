/// Dependent rows: left out where they say nothing new, replaced by rows of higher order where they do (docs/mathematics,
/// sections 4.2 and 6).
///
/// For every y with y^T J = 0 (y >= 0 on inequalities) the function y^T f has no linear part at the position. If it
/// vanishes all around, the row is redundant. Otherwise its first coefficient along q + v s + a s^2/2 + ... that contains
/// a decides: of s^3 it is linear in a, an ordinary row; of s^4 it is a polynomial psi of second degree. If some psi of
/// the combinations is semidefinite with least value zero, psi = 0 means that all its derivatives vanish: ordinary rows
/// again, on which the other combinations are looked at anew (a straight bar with all its rods, a plane plate in space). What
/// is left after that is one quadric, which is minimised over, or several that decide only together: undecided.
#pragma once

#include "zwang/instant/examination.hpp"
#include "zwang/instant/workspace_impl.hpp"

namespace zwang::instant {

/// What solving with dependent rows came to.
enum class Settled : std::uint8_t {
  solved,   ///< `impl.solution` is the answer, for all rows of the problem
  finished  ///< the instant has its status: ambiguous, jammed, undecided
};

/// A row of third or fourth order, over the variables.
struct HigherRow {
  std::vector<std::uint32_t> column;
  std::vector<double> entry;
  double offset = 0;
  double multiplier = 0;
  bool equation = true;
};

struct Dependents {
  std::vector<std::uint8_t> left_out;  ///< per row of the problem: redundant all around, or held by others
  std::vector<std::uint8_t> pinned;    ///< per row of the problem: an inequality held as an equation by its opposite
  std::vector<HigherRow> higher;       ///< rows that singular combinations add
  bool curved = false;                 ///< a quadric decided
  bool unexamined = false;             ///< combinations that were too many to look at may hold more
  std::vector<Known> parts;            ///< what was found of the connected parts
};

/// Solve the nearest-point problem of the instant although its rows depend on one another. `nearly`: rows at a small angle
/// count as dependent, too (a second attempt). For velocities only combinations that become ordinary rows are looked at.
[[nodiscard]] Settled settle_dependent(const model::Model& model, const model::State& state, const Options& options,
                                       Level level, bool nearly, Workspace::Impl& impl, Dependents& dependents,
                                       Instant& instant);

/// Does every dependence among the equations and the inequalities with f'' = 0 hold all around? False also where a row that
/// `counts` was not looked at. Then derivatives of all orders agree, and none tells one multiplier from another.
[[nodiscard]] bool depend_all_around(const model::Model& model, const model::State& state, Workspace::Impl& impl,
                                     const Dependents& dependents, const std::vector<std::uint8_t>& counts);

/// The problem with the rows of higher order behind the others; their multipliers are appended to lambda.
[[nodiscard]] Subproblem with_higher_rows(const Subproblem& problem, const Dependents& dependents,
                                          std::vector<double>& lambda);

}  // namespace zwang::instant
