/// Every number of this room that decides something, with its reason. Nothing here is a length or a force: all are parts of
/// a row's own terms, of its own length |B_i| = |J_i M^-1/2|, or counts.
///
/// One rule for dependence. B_p = sum c_k B_k + z over rows k. The entries of J are known to `entry_rounding` of themselves
/// (or to `Problem::entry_bound`), so z is known to
///
///   e = |dB_p| + sum |c_k| |dB_k|.
///
/// |z| <= e: the row depends on the others, for all that the numbers tell. |z| > `resolved` |B_p|: it does not. In between
/// double arithmetic cannot tell, since z is what cancelled in sums of size |c_k| |B_k|; then twofold arithmetic does.
/// The factors of the faces, which work with Phi = B B^T and so see |z|^2, leave a row aside below `skipped_pivot` and
/// claim nothing about it: if it stays broken, the rule above decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "zwang/linear/tolerances.hpp"

namespace zwang::gauss {

inline constexpr double eps = std::numeric_limits<double>::epsilon();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// The number of no row.
inline constexpr std::uint32_t none = 0xffffffffU;

// ------------------------------------------------------------------------------------------------ what the data are worth

/// Entries and offsets are the result of a few operations: known to this part of themselves when nobody says otherwise.
inline constexpr double entry_rounding = 8 * eps;
inline constexpr double offset_rounding = 8 * eps;

// ------------------------------------------------------------------------------------------------ signs

/// A row is broken when it is so by more than this part of its terms: sums of some dozens of roundings.
inline constexpr double row_rounding = 64 * eps;
/// A multiplier is negative when it is so by more than this part of the largest. Smaller than the above: a row dropped for
/// its sign must not come back as broken.
inline constexpr double sign_rounding = 16 * eps;
/// The terms of a row count at least this part of |B_i| (|M^1/2 a0| + |M^1/2 a|): columns at rest are no scale.
inline constexpr double least_share = 1e-3;
/// Residuals of rows held above this part of their terms are corrected once more.
inline constexpr double well_solved = 16 * eps;
/// Above this the factor is useless, and the rescue goes on.
inline constexpr double hopeless = 1e-11;
/// A change of a multiplier below this part of the largest is rounding and pushes no row out of the set.
inline constexpr double no_fall = 1e-12;
inline constexpr double no_fall_twofold = 1e-26;
/// Rows held by the rescue hold to this part of their terms, or its factor is no good.
inline constexpr double held_bound = 1e-10;
/// Entries of a proof below this part of the largest, lengths of rows counted, are rounding and left out.
inline constexpr double no_part = 1e-14;

// ------------------------------------------------------------------------------------------------ dependence

/// Pivots of Phi, as parts of Phi_ii. Below the first the Gram matrix has lost half of the digits, and the pivot is made again
/// from the rows; below the second (an angle of 3e-7, the same as in room linear) the row is left aside.
inline constexpr double doubtful_pivot = 1e-6;
inline constexpr double skipped_pivot = linear::least_pivot_part;
/// Of |B_p|: the part outside of a span that plain arithmetic on orthogonal rows knows to four digits and more.
inline constexpr double resolved = linear::dependent_part;
/// ... and of the largest c_k B_k: ten bits of z are left.
inline constexpr double resolved_part = 1024 * eps;
/// The same in twofold arithmetic (rounding 2^-104): below it even that has only noise.
inline constexpr double resolved_twofold = 1e-28;
/// Of |B_p|: rows handed to the rescue as a start are taken as independent above this only. The others may come later.
inline constexpr double start_angle = 1e-6;
/// Two rows are parallel when 1 - cos^2 is below this: the rounding of Phi_ik^2 / (Phi_ii Phi_kk).
inline constexpr double parallel = 1e-13;

// ------------------------------------------------------------------------------------------------ the sparse backend

/// What counts as rounding there: of the terms of a row (sums that run along chains), of the terms behind the motion, of the
/// largest multiplier.
inline constexpr double sparse_row_rounding = 1e-13;
inline constexpr double motion_rounding = 16 * eps;
inline constexpr double multiplier_rounding = 1e-13;
/// No rounding excuses more than this part of a row's terms in the motion and in the free motion; below the second part of the
/// row's own terms nobody asks.
inline constexpr double natural_rounding = 1e-9;
inline constexpr double suspicious_row = 1e-10;
/// Below this least pivot, relative to its diagonal, rounding is magnified enough to be corrected.
inline constexpr double weak_pivot = 1e-5;
/// Stiffness of a row beside the set, as a part of Phi_pp: a hundred times what the factor leaves aside, so that a row that enters is
/// not left aside by it; and no less than the rounding of the terms that it is the difference of.
inline constexpr double least_stiffness_part = 100 * skipped_pivot;
inline constexpr double cancelled_part = 256 * eps;
/// How much of its diagonal a soft rescue adds to the dual matrix: first, last, and from one pass to the next.
inline constexpr double soft_begin = 1.0;
inline constexpr double soft_end = 1e-8;
inline constexpr double soft_fall = 0.2;
/// Pieces of so many rows, or of so many rows times variables, are rescued densely: there a round costs less than a millisecond.
inline constexpr std::size_t small_piece_rows = 400;
inline constexpr std::size_t small_piece_area = 500'000;
/// A small piece for which that did not do is treated as a large one from so many rows on; smaller ones have been looked at with all
/// digits there are.
inline constexpr std::size_t least_rows_softly = 64;
/// Rows whose part in a contradiction is below this are looked at only when the others do not prove it alone; so many rows at
/// most are judged densely.
inline constexpr double small_part = 1e-8;
inline constexpr std::size_t most_rows_apart = 800;
/// Soft multipliers that grow: what they grow by is looked at as a proof when J^T y is below this part of the largest |y_i B_i|, again
/// when it has fallen to a tenth, so often at most; rows with a smaller part than this are none of it, nor those that are pushed out
/// in so many rounds.
inline constexpr double growth_cancels = 1e-2;
inline constexpr double growth_better = 0.1;
inline constexpr int most_growth_tries = 8;
inline constexpr double growth_part = 1e-6;
inline constexpr int most_growth_rounds = 12;
/// With twice the digits: a round of conjugate gradients finds this many digits of a correction or ends; corrections go on until
/// every row of the set holds to this part of its terms, or three of them have not halved what was left; a multiplier is
/// negative below this part of the largest.
inline constexpr double careful_digits = 1e-4;
inline constexpr std::size_t most_careful_steps = 40;
inline constexpr std::size_t most_careful_passes = 60;
inline constexpr int most_stuck = 3;
inline constexpr double careful_residual = 1e-24;
inline constexpr double careful_sign = 1e-20;
/// Visits of the lines: each costs a small part of a factorisation.
inline constexpr std::size_t most_visits = 24;

/// Of the terms of a slack, in the steps that begin a large dense problem: below it no row counts as broken there. The set they leave is
/// judged exactly afterwards.
inline constexpr double rough_noise = 1e-12;
/// Stretches of a line are joined where 1 - b b' is above this: for independent rows it is at least about one over the length.
inline constexpr double least_determinant = 1e-9;

// ------------------------------------------------------------------------------------------------ light beside heavy

/// Of the largest mass that rows tie it to: a variable lighter than this is light, and a = a0 - W J^T lambda may lose four digits and more.
inline constexpr double light_part = 1e-4;
/// Light masses are raised to this part of it: enough for a factor with nearly all digits, and clearly more than what is light.
inline constexpr double raised_part = 0.1;
/// Each light variable costs a solution with the factor: beyond so many the plain way stands.
inline constexpr std::size_t most_light = 256;
/// A row held that is not kept to this part of its own terms, or whose terms cancelled by this factor, is answered again.
inline constexpr double light_rest = 1e-12;
inline constexpr double light_cancels = 1e3;
/// Of its terms before they cancel: a row held that is not kept so well is not held by this factor.
inline constexpr double light_kept = 1e-11;
/// The answer and two corrections; rounds of exchange, which begin with rows that are nearly right.
inline constexpr int light_rounds = 3;
inline constexpr int light_exchanges = 24;

// ------------------------------------------------------------------------------------------------ what may be claimed

/// "Solved" needs a relative duality gap below this: nine digits of the objective, more than four of the point.
inline constexpr double gap_bound = 1e-9;
/// ... and no row broken by more than this part of its natural terms, those without multipliers that cancel: a few times what the
/// signs above let pass in columns at rest.
inline constexpr double broken_bound = 4 * row_rounding / least_share;
/// The gap is measured against the objectives, and against this part of |a - a0| (|a| + |a0|), with at least one rounding for
/// the first: some dozens of roundings of a point that hardly moves are no gap.
inline constexpr double gap_floor = 1e-4;
/// Above this suspicion, made from numbers at hand, the gap itself is looked at.
inline constexpr double suspicious_gap = 1e-11;
/// "Infeasible" is said when no point up to this many times the natural size |h_i| / |B_i| of the rows contradicted satisfies
/// them, whatever the entries are within their bounds. (At any distance when y^T J = 0 holds exactly.)
inline constexpr double reach = 65536;
/// Elimination with twice the digits (rounding 2^-104), lines of size one: what is zero, and the least that is a pivot. In between
/// nothing is claimed.
inline constexpr double exact_zero = 0x1p-90;
inline constexpr double exact_pivot = 0x1p-60;

// ------------------------------------------------------------------------------------------------ in fractions

/// Problems up to these sizes are decided in exact arithmetic where they are in doubt: some milliseconds each, since
/// numbers grow with every row that is eliminated.
inline constexpr std::size_t most_exact_variables = 16;
inline constexpr std::size_t most_exact_rows = 32;
/// Pivots below this part of Phi_ii may leave less than eleven digits of a point.
inline constexpr double weak_part = 1e-5;

// ------------------------------------------------------------------------------------------------ work

/// Operations (one product and one sum each) after which a rescue ends honestly: about half a second each of plain and of
/// twofold arithmetic, the second being some twenty times slower.
inline constexpr std::size_t plain_work = 400'000'000;
inline constexpr std::size_t twofold_cost = 20;
inline constexpr std::size_t twofold_work = 30'000'000;
inline constexpr std::size_t most_exact_work = 10'000'000;
/// No rescue ends for lack of rounds before it has changed each row this often,
inline constexpr std::size_t least_rounds_per_row = 4;
/// unless that would be so much work, some seconds: then the answer is that there is none.
inline constexpr std::size_t most_plain_work = 10 * plain_work;
/// The same of large sparse sets, factorisations and everything else together: some seconds; and for every row this often its root,
/// since a plane net of r rows takes some ten r^3/2 to factor, and may have its two hundred rounds.
inline constexpr double most_sparse_work = 3e9;
inline constexpr double sparse_work_of_row = 2000;

}  // namespace zwang::gauss
