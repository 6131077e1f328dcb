/// Every number by which this room decides something, with its reason (docs/mathematics, section 8).
///
/// Numbers are measured against what they are made of: a row against the sum of the absolute values of its own terms or
/// against its own uncertainty, a combination of rows against the terms of that combination. Nothing is compared with
/// another row or with the whole system.
#pragma once

#include <cstddef>
#include <limits>

namespace zwang::instant {

/// One unit in the last place of 1.
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// --- Signs of multipliers and second derivatives -------------------------------------------------------------------

/// Part of the sum of the absolute values of its terms below which a multiplier or a second derivative is zero. Solving a
/// system of tens of rows loses four to five digits of sixteen.
constexpr double zero_part = 1e-11;
/// The same at order k of a degenerate instant is zero_part * growth^k: the number of terms grows from order to order.
constexpr double growth_per_order = 3.0;
/// Below this part of its size a coefficient is rounding and is set to zero before it enters the next order.
constexpr double noise_part = 1e-13;
/// Of the largest velocity that a repair took off: what is left below it is rounding.
constexpr double rest_of_velocity = 32 * epsilon;
/// Below this part of its terms a number is shown as zero: a few units in the last place.
constexpr double shown_as_zero = 1e-15;
/// Of the terms of a row that is held, at the accelerations found: beyond it these have lost most digits that are shown.
constexpr double lost_digits = 1e-6;
/// A row whose second derivative is beyond this part of its terms is open for certain and hands no uncertainty on.
constexpr double clearly_open = 1e-6;
/// Rounding of the largest coordinate of a connected part sits, through differences, in every other one; by this part.
constexpr double share_of_largest = 1e-5;

// --- Dependence of rows: one rule ----------------------------------------------------------------------------------
// A row depends on others if what is left of it outside their span (rows of length one in the metric of the masses) is
// within `dependence_margin` times the uncertainty of the rows that take part, each weighed with its coefficient. The
// uncertainty of a row is that of its entries: rounding, and what rounding of the state makes of it.

constexpr double dependence_margin = 32;
/// Where the nearest point could not be found because rows are nearly dependent, rows at an angle below this are
/// looked at as dependent: the error made by that is of the size of the angle, the one of a factor 1e-16 / angle^2.
constexpr double nearly_dependent = 1e-6;
/// Pivots of the factor of unit rows above this settle independence at once: an angle of 3e-5.
constexpr double safe_pivot = 1e-9;
/// Equations with a remainder below this are handed on made orthogonal: the solver squares angles.
constexpr double weak_remainder = 1e-3;
/// Rounding errors of the state and of an evaluation, in units in the last place of the largest number around.
constexpr double rounding_steps = 2;
/// Relative change of the state by which the sensitivity of the rows to it is measured.
constexpr double probe = 0x1p-20;

/// Does a row depend on the others all around? At points this part of the radius of curvature away, a combination whose
/// lowest part is of degree d turns its gradient by d (excursion)^(d - 1): 5e-2 for d = 3, 1e-9 for d = 12. If the way
/// back onto the conditions is not found from there, from an eighth and a 64th of it.
constexpr double excursion = 0x1p-3;
/// What is left of such a row there, as a part of its length, if it depends on the others: rounding, after a projection
/// that has converged.
constexpr double dependent_all_around = 1e-10;
constexpr int excursion_points = 3;
/// Of a unit direction: if no more is left of it without what would lengthen quaternions, there is nowhere to go.
constexpr double nowhere_to_go = 1e-8;
constexpr int excursion_attempts = 3;
constexpr double nearer = 0.125;
/// Part of an excursion that the way back onto the conditions may undo: of second order on curved ones.
constexpr double undone_excursion = 0.5;
/// ... and how often it is begun nearer where it was undone: down to 1e-9, beyond which rounding hides what a row does there.
constexpr int narrow_attempts = 10;
constexpr int excursion_rounds = 12;
/// What was found at points around a position is known at every position nearer to it than this part of their distance ...
constexpr double still_around = 0.125;
/// ... and remembered of so many sets of rows.
constexpr std::size_t most_sets_remembered = 4096;
/// Part of the radius of curvature to go along an acceleration.
constexpr double short_excursion = 0x1p-7;
/// A direction is one of the motion if the nearest point on all conditions is found within this part of the way.
constexpr double realised_within = 0.25;
constexpr int realise_rounds = 40;
/// ... and the conditions hold there to this part of the way.
constexpr double realised_to = 1e-9;

// --- Singular positions --------------------------------------------------------------------------------------------

/// Part of its terms below which a coefficient of a combination counts as zero; derivatives are exact, so this is rounding
/// with room for badly scaled rows.
constexpr double negligible = 1e-9;
/// Part of its terms below which a whole form of combinations is silent; where rows are nearly dependent, what lies
/// between this and this divided by the remainder is not decided.
constexpr double silent_part = 1e-12;
/// Part of its terms above which it counts as not zero where a contradiction would follow; in between: undecided.
constexpr double certain = 1e-6;
/// Of its terms: what is left, outside the span of the rows, of the part that third derivatives have in a fourth coefficient. Third coefficients count as zero
/// where their squares are negligible, they themselves below 3e-5.
constexpr double jerk_enters = 1e-4;
/// Rows of one connected part up to which dependent rows are examined; beyond, they are taken for redundant.
constexpr std::size_t most_variables = 400;
constexpr std::size_t most_rows = 400;
/// Inequalities beside a quadric, and in one-sided combinations: their subsets are enumerated.
constexpr std::size_t most_inequalities = 12;
/// Answers listed when several parts have several each.
constexpr std::size_t most_solutions = 64;
/// Two accelerations of one constraint are the same below this part of their size: a double root of the secular equation
/// has half the digits.
constexpr double same_answer = 1e-7;
/// Two constraints Z are the same below this part.
constexpr double same_constraint = 1e-9;
/// ... of Z itself plus this part of that of the free motion.
constexpr double share_of_free = 1e-3;
/// Rows beside a quadric are kept to this part of their terms.
constexpr double kept_part = 1e-10;

// --- Multipliers that are not unique -------------------------------------------------------------------------------

/// Rows up to which a choice among multipliers is made; beyond, the solver's own stands.
constexpr std::size_t largest_polytope = 600;
/// A direction in the cone of changes that opens a multiplier by less than this (of one) is none.
constexpr double opens = 1e-9;
/// Multipliers (times the length of their row) below this part of the largest in the choice are zero, before and after a
/// linear programme was solved by steps.
constexpr double carries_nothing = 1e-11;
constexpr double carries_nothing_after_steps = 1e-8;
/// Pivots of rows of length one that are plainly independent: the least singular value is then far above what counts as none, 1e-9.
constexpr double plain_pivot = 1e-8;
/// Of a row's square, by a Gram matrix: so little left of it may be dependence (an angle of 1e-5, far above every verdict); and the part of
/// a combination below which a row has none in it.
constexpr double depends_perhaps = 1e-10;
constexpr double no_part_in_it = 1e-12;
/// Of a gain: what is left of it beyond the span of the rows is rounding, and it is the same for all multipliers.
constexpr double same_for_all = 1e-10;
/// Steps of growing length towards the maximiser: ended when they move less than the first, unbounded beyond the second.
constexpr double step_ends = 1e-10;
constexpr double without_bound = 1e8;
constexpr int most_steps = 60;
/// A gain below this part of its terms is rounding.
constexpr double gains_nothing = 1e-9;

// --- What is claimed -----------------------------------------------------------------------------------------------

/// A certificate worse than this is no answer: status "undecided".
constexpr double worst_certificate = 1e-7;
/// A contradiction is told if y.h exceeds this many times what the uncertainty of the rows can make of it.
constexpr double farkas_margin = 16;
/// ... and if accelerations that made use of what rounding left of y^T J would have to exceed those at hand by this factor.
constexpr double absurd_acceleration = 1e6;

// --- Sizes ---------------------------------------------------------------------------------------------------------

constexpr std::size_t dense_gram = 128;     ///< rows up to which independence is read off a dense Gram matrix
constexpr std::size_t dense_rank = 400000;  ///< entries up to which rows are orthogonalised densely
constexpr std::size_t large = 2000;         ///< rows beyond which a stubborn order is given up after a few rounds
constexpr std::size_t few_rounds = 40;

// --- Shocks --------------------------------------------------------------------------------------------------------

/// An impulse below this part of the largest strikes nothing.
constexpr double strikes_nothing = 1e-14;

// --- Repair --------------------------------------------------------------------------------------------------------

constexpr unsigned most_repairs = 60;
/// Equations among which those are chosen that carry the others; of its own length, what such a one must have beside those chosen before: the first is sure to leave out
/// what is dependent at the place sought and a thousandth off it, the second keeps what is nearly so; and by what one remainder must exceed another to be larger.
inline constexpr std::size_t most_equations_chosen = 400;
inline constexpr double carrying_parts[] = {1e-2, 1e-5};
inline constexpr double nearly_as_large = 1e-9;
/// Rounds after which a correction that does not improve any more is accepted, if it is within this part of `touch`.
constexpr unsigned patient_repairs = 4;
constexpr double repaired_part = 1e-3;
constexpr double repaired_to = 4e-16;

// --- Quadrics (secular equation) -----------------------------------------------------------------------------------

constexpr double kernel_part = 1e-11;      ///< of the largest eigenvalue: an eigenvalue that is zero
constexpr double same_eigenvalue = 1e-10;  ///< of the largest eigenvalue: two that are one
constexpr double vanishing_part = 1e-11;   ///< of the size of centre and target: a component that is zero
constexpr double on_quadric = 1e-13;       ///< of its terms: the target lies on the quadric
constexpr double newton_still = 1e-16;     ///< of mu: Newton's step is over
constexpr double newton_leap = 0.25;       ///< of 1 + |mu|: Newton's step leads elsewhere
constexpr double root_part = 1e-9;         ///< of its terms: what is left at a root
constexpr double least_radius = 1e-12;     ///< of the size: a sphere that is a point
constexpr double vertex_slope = 1e-13;     ///< of 1 + |c|: the gradient along the kernel vanishes
constexpr double vertex_part = 1e-12;      ///< of its terms: the vertex lies on the quadric
constexpr int newton_steps = 20;
constexpr int circle_members = 16;  ///< shown of a continuum

}  // namespace zwang::instant
