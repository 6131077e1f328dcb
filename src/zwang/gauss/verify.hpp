/// Check an answer to the nearest-point problem from its definition alone; shares no code with `solve`.
#pragma once

#include "zwang/gauss/problem.hpp"

namespace zwang::gauss {

/// Scaled residuals of the four Kuhn-Tucker conditions at (a, lambda). Scales: stationarity by
/// norm(J^T lambda) + norm(M a0); a row by the sum of the absolute values of its terms, those of a = a0 - W J^T lambda
/// counted before they cancel; a multiplier by the largest; complementarity by the products of those. No allocation beyond
/// `scratch` (resized to 3 n).
[[nodiscard]] Certificate verify(const Problem& problem, std::span<const double> a, std::span<const double> lambda,
                                 std::vector<double>& scratch);

/// Does y prove that no a satisfies the rows: y^T J = 0 to rounding, y^T h > 0 clearly, y >= 0 on inequalities?
[[nodiscard]] bool verify_farkas(const Problem& problem, std::span<const double> y);

}  // namespace zwang::gauss
