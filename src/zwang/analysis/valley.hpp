/// The force along the curve on which everything else balances: what decides where the linear problem has a zero root.
///
///   q(s) = q + s N e + sum_k s^k q_k,   f(q(s)) = 0,   X(q(s)) - P(q(s))^T lambda(s) = M N h(s),   N^T M q_k = 0 for k > 1
///   V(q(s)) - V(q) = - integral of h(s).e ds                                     where X = -dV/dq and N^T M N = 1
///
/// Symbols: N directions that the linear problem leaves open (or any one direction of a system of one freedom), e one of their combinations, P
/// gradients of the conditions held, f these, lambda multipliers. All are power series in s, coefficient by coefficient with one matrix: that of the
/// linear problem, bordered. With V positive definite across N this is the splitting lemma: V has a minimum iff h(s).e is negative
/// for every e and small s. Reference: docs/mathematics, section 18.4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/linear/spaces.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

enum class Trend : std::uint8_t {
  restoring,  ///< the first coefficient of h.e that is not zero is negative: V rises
  repelling,  ///< positive: V falls
  flat,       ///< none of the orders looked at, and the forces balance a step away too
  unknown     ///< flat as far as was looked, but not a step away; or the series does not exist
};

struct Ascent {
  Trend trend = Trend::unknown;
  unsigned order = 0;  ///< of that coefficient; V changes like s^(order + 1)
};

/// On the side s > 0. `rest` may carry modes of corners: the branch that is looked at. All rows must be holonomic.
[[nodiscard]] Ascent ascend(const model::Model& model, const model::State& rest, std::span<const std::uint32_t> rows,
                            const linear::Matrix& open, const std::vector<double>& combination);

}  // namespace zwang::analysis
