/// Singular positions: conditions, or combinations of them, whose gradient vanishes (docs/mathematics, section 6).
///
/// For every y with y^T J = 0 (y >= 0 on inequalities) the function y^T f has no linear part at the position. Along
/// q + v s + a s^2/2 its first coefficient that contains a decides: of s^3 it is linear in a, an ordinary row; of s^4 it
/// is a quadric in a. If neither contains a, the rows are redundant and nothing is lost.
#pragma once

#include "zwang/instant/workspace.hpp"

namespace zwang::instant {

/// Examine the dependent rows of the problem. Returns false if they are merely redundant (the ordinary nearest point is
/// right); otherwise the instant is settled: determined, ambiguous, jammed or undecided.
[[nodiscard]] bool settle_singular(const model::Model& model, const model::State& state, Workspace::Impl& impl,
                                   Instant& instant);

}  // namespace zwang::instant
