/// Degenerate instants: conditions with lambda = 0 and f'' = 0, decided by higher derivatives (docs/mathematics, section 5).
///
/// Let a_k be the k-th coefficient of q'', lambda_k that of the multipliers, w_k that of f''. For every k
///   M a_k = R_k - sum_{j<k} G_{k-j}^T lambda_j - G_0^T lambda_k,        w_k = G_0 a_k + c_k,
/// with R_k and c_k known from lower orders. Strongly binding rows have w_k = 0, undecided ones w_k <= 0, lambda_k >= 0,
/// lambda_k w_k = 0: the same nearest-point problem with another target. The first k at which lambda_k > 0 or w_k < 0
/// decides a row. Where multipliers are not unique, lambda_{k-1} is chosen in its polytope to maximise lambda.c_k.
#pragma once

#include "zwang/instant/workspace_impl.hpp"

namespace zwang::instant {

/// What is known of each row of the problem when the orders begin.
enum class Hold : std::uint8_t {
  equation,   ///< holds for good: equations and strongly binding inequalities
  undecided,  ///< lambda = 0 and f'' = 0 so far
  open        ///< has left
};

/// Decide the undecided rows of `impl.problem`. `all_around`: rows that depend on others do so all around. `inequality[j]`: may row j only
/// press? `multipliers` (per row of the problem) may move within its polytope.
/// Sets roles and decisions in the instant; a contradiction at a higher order makes it jammed.
void decide_degenerate(const model::Model& model, const model::State& state, const Options& options,
                       Workspace::Impl& impl, bool unique, bool all_around, const std::vector<std::uint8_t>& inequality,
                       std::vector<Hold>& hold, std::vector<double>& multipliers, Instant& instant);

}  // namespace zwang::instant
