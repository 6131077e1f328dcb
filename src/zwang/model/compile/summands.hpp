/// The summands of an energy: a sum over members that the whole is linear in becomes lanes of a term.
///
///   k/2*sum(i = 1..n, e + f)  is the summands  k/2*e  and  k/2*f  over i = 1..n.
#pragma once

#include <vector>

#include "zwang/model/formulas.hpp"

namespace zwang::model {

/// One summand: an expression under some sums, whose members become lanes.
struct Summand {
  Syntax syntax;
  std::vector<expressions::RangeSyntax> ranges;
};

[[nodiscard]] std::vector<Summand> summands(const Syntax& whole);

}  // namespace zwang::model
