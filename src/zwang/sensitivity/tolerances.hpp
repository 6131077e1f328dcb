/// Every number of this room that decides something, with its reason.
#pragma once

#include <cstddef>

namespace zwang::sensitivity {

/// Parts of a parameter by which it is varied to see how the numbers of the model depend on it. Differences over the first lose eight binary digits and
/// leave 2^-64 of the eighth derivative; the others are for numbers that change faster, beside poles, roots and corners, and for parameters that stand
/// close to the edge of what is allowed.
inline constexpr double slope_steps[] = {0x1p-8, 0x1p-12, 0x1p-16, 0x1p-20, 0x1p-24, 0x1p-28};
/// The step for what comes to the parameter from one side: eight points extrapolate a rounding to its 2^10-fold,
inline constexpr double nearest_step = 0x1p-20;
/// and so far apart, of the largest number, two sides are none.
inline constexpr double kink_counts = 0x1p-36;
/// A polynomial through eight neighbours meets a number, as a part of it: rounding of the eight.
inline constexpr double slope_met = 0x1p-49;
/// What is missed beyond it may still be rounding of a number that has lost digits, if a step of a sixteenth does not make it a hundredth: polynomials
/// do by 16^8.
inline constexpr double slope_rounding = 0x1p-36;
inline constexpr double shorter_helps = 1e-2;
/// Six points are worse than eight by the square of the step: so much of what they differ by counts.
inline constexpr double inner_counts = 0x1p-7;
/// Numbers below this part of the largest may be rounding of others, as the cosine of pi/2 is.
inline constexpr double rounding_of_others = 0x1p-46;
/// Of the largest values that the variables of a condition had: sixteen roundings, which the way to zero leaves.
inline constexpr double rounding_of_way = 0x1p-48;
/// Of two slopes of times: nearer ones are one, with the digits that a shock leaves.
inline constexpr double one_time_slope = 1e-6;
/// Of the largest coefficient: where the last two of a series, times their order, are below, it has converged: a hundred stretches add up to 1e-11 at most.
inline constexpr double series_converged = 0x1p-43;
/// Multipliers enter nothing but answers and the times of releases, and are two derivatives worse than positions: of their last terms so much counts.
inline constexpr double multipliers_converge = 0x1p-7;
/// A rest of a piece of less than this part of the stretch before it is taken along.
inline constexpr double smallest_rest = 1e-6;
/// Of the largest derivative of all: what is below in one variable is rounding of the others'.
inline constexpr double series_noise = 0x1p-30;
/// Of what the motion does in a piece, over the parameter: derivatives below need not converge to digits of their own.
inline constexpr double no_slope = 0x1p-10;
/// Series of derivatives are one derivative worse than those of the motion: so many orders more,
inline constexpr unsigned more_orders = 2;
/// once a stretch would be too long by little, so many more: each makes its last terms about a quarter,
inline constexpr unsigned extra_orders = 4;
/// and no more than this, beyond which shorter stretches are cheaper.
inline constexpr unsigned most_orders = 48;
/// So few rows are solved for by the inverse of their dual matrix, if all pivots are this part of its diagonal: then it loses no more than three digits of sixteen.
inline constexpr std::size_t most_inverted = 6;
inline constexpr double inverted_from = 0x1p-10;
/// Of a piece: what is left out at its start where a root begins at zero. Velocities change there by as small a part.
inline constexpr double root_offset = 0x1p-46;
/// Of the fastest so far: a speed that is no more is at rest, or turns there.
inline constexpr double speed_at_rest = 1e-8;
/// A stretch is not halved more often: what has not converged then is not analytic.
inline constexpr int most_halvings = 60;
/// Velocities after a shock, as the rule of the shock gives them and as the motion has them, agree to this part, or another rule was at work. Closing
/// of infinitely many shocks leaves 1e3 tolerances.
inline constexpr double same_velocity = 1e-8;
/// Rates below this part of their terms are zero: a condition was held, or comes to rest.
inline constexpr double rate_zero = 1e-9;
/// Accelerations at the ends of pieces are second derivatives of polynomials, and known to two digits less.
inline constexpr double force_zero = 1e-7;
/// Of the largest velocity or acceleration of all variables: jumps below are rounding of the others'.
inline constexpr double others_rounding = 1e-13;
/// Slopes of the model's numbers are known to 1e-13 of the largest of them: so much, of that zero, goes from one variable to another.
inline constexpr double slope_spread = 1e-2;
/// Two slopes of times are the same when they agree to this part.
inline constexpr double same_slope = 1e-9;
/// A start that had to be moved by more than this part of itself was not meant as it was written: how it moves with a parameter is not known.
inline constexpr double moved_start = 1e-8;
/// And what rounding makes of one that is on them: beyond it the start of a fit that began on its conditions breaks them.
inline constexpr double exact_start = 1e-12;
/// Of a sequence of shocks that has a limit: flights of this part of its first ones tell how the limit moves. Slopes of times of shorter ones
/// have lost as many digits, and from there on the sequence is geometric to the square of it.
inline constexpr double short_flight = 1e-5;
/// Slopes of limits told by neighbouring shocks that differ by less than this part are one: what is left is less by the square of the ratio of flights.
inline constexpr double limit_settled = 1e-9;
/// On a surface slid on a switching function is this part of its terms.
inline constexpr double on_surface = 0x1p-46;
/// And no more than this where the motion has held it for long: half of the digits, which rounding does not reach and a shock that throws it off exceeds.
inline constexpr double beside_held = 0x1p-26;
/// Of its speed in the middle of a piece: a start below is one from rest. What comes to rest is slower in the middle than at the start.
inline constexpr double speed_from_rest = 1e-6;
/// Of the time in which the largest speed would come to rest: so long before its end, and twice as long, a speed and its derivatives tell best how the time of the end moves. Nearer to it
/// direction is rounding, further forces change. And of the time itself, whose rounding counts as well.
inline constexpr double before_stick = 0x1p-26;
inline constexpr double before_stick_of_time = 0x1p-36;
/// Stretches that are kept to look back by: each is a part of the time that is left, and seldom more than two thirds of it is.
inline constexpr std::size_t stretches_before_stick = 64;
/// Of a piece on which a speed leaves its rest: the first part, on which its direction is taken as it is in the middle. With a push of its own at once the direction is a function of the
/// time like any other, and the part may be as short as digits allow; with one that grows from nothing errors fall as the third power of the part, while steps behind it become more.
inline constexpr double first_part_at_once = 0x1p-28;
inline constexpr double first_part_from_nothing = 0x1p-6;
/// |w| = s^m rho: m is told by the speeds at this part of the piece and at its end, if rho has not changed by more than that factor in between.
inline constexpr double power_looked_at = 0x1p-6;
inline constexpr double power_within = 0x1p3;
/// A place beside a motion, as a part of its numbers, to see whether what holds at one place holds at others: far enough for another digit, near enough to be
/// on the same branch of every function.
inline constexpr double beside_surface = 0x1p-12;

// ------------------------------------------------------------------------------------------------ least squares

/// Of its length: what is left of a column beside those before it, below which the values do not tell it from them.
/// Slopes are right to eleven digits or so.
inline constexpr double dependent_column = 1e-10;
/// Of the values measured: what they change by with a parameter as a whole, below which they do not depend on it.
inline constexpr double without_part = 1e-11;
/// Of a column that depends on others: parts of theirs that are rounding.
inline constexpr double no_part = 1e-7;
/// By how much of themselves parameters are moved to see whether values really stay the same.
inline constexpr double moved_to_see = 0.125;
/// How often a start that the model refuses is moved half of the way to the model's own values.
inline constexpr int most_nearer = 8;
/// Of the way to a bound that itself is not allowed: how much of it a step may take, and what is left of the first way when it has arrived.
inline constexpr double way_to_bound = 0.9;
inline constexpr double arrived_at_bound = 1e-8;
/// Of a parameter: between a value that is allowed and one that is not, where the search for a bound ends.
inline constexpr double bound_known = 0x1p-51;
/// Steps below this part of a parameter are none, and gains below this part of the squares: rounding of the motions.
inline constexpr double fit_step = 1e-13;
inline constexpr double fit_gain = 1e-12;
/// Residuals of two starts are one if they differ by less than this part: both are at the bottom to the root of `fit_gain`.
inline constexpr double same_residual = 1e-6;
/// Of the values measured: what is left of them is rounding of motions, and tells nothing about noise.
inline constexpr double nothing_left = 1e-9;
/// The largest value that was measured lies between these: a sum of its squares is neither beyond doubles nor lost.
inline constexpr double largest_measured = 1e150;
inline constexpr double smallest_measured = 1e-150;
/// Fewer residuals tell nothing about their neighbours.
inline constexpr std::size_t fewest_residuals = 8;
/// Deviations by which neighbours must go together before it is said: by chance that happens once in thirty thousand fits.
inline constexpr double far_from_noise = 4;
/// Damping as a part of the columns' lengths: the first when a full step does not help, what is none, and where steps have become too short to
/// be worth a motion.
inline constexpr double first_damping = 1e-3;
inline constexpr double least_damping = 1e-9;
inline constexpr double most_damping = 1e12;

}  // namespace zwang::sensitivity
