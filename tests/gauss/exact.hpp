/// The nearest point in exact arithmetic, by trying every set of rows: slow, small, and beyond doubt.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <vector>

#include "zwang/gauss.hpp"

namespace zwang::gauss::testing {

using Rational = boost::multiprecision::cpp_rational;

/// The one point that satisfies the Kuhn-Tucker conditions exactly, the numbers of the problem taken as they stand; none if and
/// only if the rows contradict each other. Masses must be diagonal.
std::optional<std::vector<Rational>> exact_nearest_point(const Problem& problem);

}  // namespace zwang::gauss::testing
