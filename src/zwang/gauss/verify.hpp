/// Check an answer to the nearest-point problem from its definition alone; shares no code with `solve`.
#pragma once

#include "zwang/gauss/problem.hpp"

namespace zwang::gauss {

/// Scaled residuals of the four Kuhn-Tucker conditions at (a, lambda), and the duality gap. Scales: stationarity by
/// norm(J^T lambda) + norm(M a0); a row by the sum of the absolute values of its terms, those of a = a0 - W J^T lambda
/// counted before they cancel; a multiplier by the largest; complementarity by the products of those; the gap by the
/// objectives. `lambda_low` is what the multipliers hold beyond double, or empty. No allocation beyond `scratch` (resized to
/// 6 n).
[[nodiscard]] Certificate verify(const Problem& problem, std::span<const double> a, std::span<const double> lambda,
                                 std::vector<double>& scratch, std::span<const double> lambda_low = {});

/// Is the certificate good enough for the answer to be called solved?
[[nodiscard]] bool certified(const Certificate& certificate);

/// Does y prove that no a satisfies the rows, nor those of any problem within the bounds of this one: y >= 0 on inequalities,
/// y^T J = 0 column by column, y^T h > 0? See verify.cpp for what is allowed to rounding. No allocation beyond `scratch`
/// (resized to 4 n).
[[nodiscard]] bool verify_farkas(const Problem& problem, std::span<const double> y, std::vector<double>& scratch);
[[nodiscard]] bool verify_farkas(const Problem& problem, std::span<const double> y);

}  // namespace zwang::gauss
