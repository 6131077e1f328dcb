/// Every number of this room that decides something, with its reason. All are parts of what they are compared with, or of quantities
/// that were made of size one before.
///
/// Sums of some dozens of terms are known to about 1e-14 of these; what is found by elimination, by singular values or by following a series
/// along a path to some decades less. Numbers for people (fractions, decimals) are taken as meant when they agree to nine digits or more.
#pragma once

namespace zwang::analysis {

// ------------------------------------------------------------------------------------------------ rounding

/// Of the terms of a sum: what is below is zero.
inline constexpr double sum_rounding = 1e-14;
/// The same of sums that run over products of matrices, or over differences of such sums.
inline constexpr double product_rounding = 1e-12;
/// Keeps a quotient by something that may be exactly zero finite.
inline constexpr double least_divisor = 1e-300;
/// Of the longest row: directions whose singular value is below are none. A decade above `linear::dependent_part`, since the rows are themselves
/// results of elimination,
inline constexpr double no_direction = 1e-10;
/// and two where they are derivatives of results.
inline constexpr double no_derived_direction = 1e-9;
/// Of the square of a row: what is left of it outside of others, below which it belongs to them (an angle of 1e-6).
inline constexpr double no_angle_squared = 1e-12;

// ------------------------------------------------------------------------------------------------ extrapolation and iteration

/// Extrapolated values whose last two agree to this part are taken; along a leaf they are needed for derivatives, and to one digit more.
inline constexpr double extrapolated_part = 1e-13;
inline constexpr double extrapolated_on_leaf = 1e-14;
/// Newton's steps on a leaf, coordinates of size one: done at this step, or near enough once steps below the second no longer fall.
inline constexpr double newton_done = 1e-13;
inline constexpr double newton_near = 1e-8;

// ------------------------------------------------------------------------------------------------ fourier

/// Accelerations are sums over few multipliers: a few roundings of their terms are zero.
inline constexpr double acceleration_rounding = 4e-15;
/// Two vertices, or a member and its image, are the same when they agree to this part of the largest.
inline constexpr double same_vertex = 1e-9;
/// Multipliers of a vertex below this part of the largest are zero; so are components of a ray of length one.
inline constexpr double vertex_rounding = 1e-13;
inline constexpr double ray_rounding = 1e-12;

// ------------------------------------------------------------------------------------------------ redundant equations

/// Gradients in units of the columns: one of which less than this is new beside the others may be redundant. A state on a double level (three
/// points in one line, all distances given) is known to half the digits, 1e-8, and so are its gradients. Points decide, not this.
inline constexpr double nearly_dependent = 1e-6;
/// Of the gradient: values of an equation that changed less than this from one random point to the next have not changed. Points are settled
/// to 1e-13; what is not implied changes by a power of their distance from the state (1e-3), mostly the second.
inline constexpr double still_satisfied = 1e-10;

// ------------------------------------------------------------------------------------------------ integrals

/// A number is meant to be a short fraction, a short decimal, a whole multiple, when it is one to this part. Coefficients come out of
/// elimination with ten digits and more; multiples of a unit that is itself one of them with fewer.
inline constexpr double fraction_digits = 1e-9;
inline constexpr double decimal_digits = 1e-11;
inline constexpr double multiple_digits = 1e-8;
/// Functions sampled at points, columns of size one: a column that is left with less than this outside of the others is a relation;
/// a coefficient below the second takes no part in it.
inline constexpr double related_part = 1e-9;
inline constexpr double no_part = 1e-7;
/// Forms beside each other at a point: below this part of itself a form is no new direction.
inline constexpr double new_form = 1e-6;
/// What may be left, in numbers of twice the digits and as a part of its terms, of the differential of an integral beside the forms: the rounding
/// of coefficients that are short (those of the conditions are rounded as well), or that of coefficients which came out of elimination. A fit
/// leaves a thousand times more, and more the farther away it is asked.
inline constexpr double short_coefficients = 4e-15;
inline constexpr double long_coefficients = 1e-13;
/// The terms of a differential that are larger than it by more than this cancel: such a sum is a fit.
inline constexpr double most_cancelling = 1e4;
/// A gradient that others leave less than this of is one of them.
inline constexpr double no_gradient = 1e-9;
/// A function is an integral when its derivative along the forms is below the first part of its gradient, and a new one when it is
/// above the second outside of the others; the same least pivot for exponents that are solved for.
inline constexpr double integral_residual = 1e-10;
inline constexpr double integral_independence = 1e-6;
inline constexpr double exponent_pivot = 1e-6;

// ------------------------------------------------------------------------------------------------ measure

/// Pivots of the forms at a point, as a part of the largest entry.
inline constexpr double form_pivot = 1e-10;
/// Divergences are of size one at random points of size one; where all are smaller they are measured by these.
inline constexpr double least_divergence = 1e-3;
inline constexpr double least_divergence_of_all = 1e-2;
/// A divergence below this part of the largest is none; exponents of a density are twelfths to this, and the density then fits to the third.
inline constexpr double no_divergence = 1e-10;
inline constexpr double twelfth_digits = 1e-5;
inline constexpr double density_residual = 1e-9;
/// A factor changes when its slope is above this; forces resist when the trace of their derivative is.
inline constexpr double no_slope = 1e-12;
inline constexpr double no_resistance = 1e-12;
/// Of a trace of derivatives at one velocity: what differs less from a multiple of it at another velocity is that multiple.
inline constexpr double same_degree = 1e-10;

// ------------------------------------------------------------------------------------------------ reversal

/// Forces that differ by more than this part of their terms when velocities are turned round are odd in them.
inline constexpr double odd_part = 1e-11;
/// The same of rates of conditions.
inline constexpr double odd_rate = 1e-12;

// ------------------------------------------------------------------------------------------------ stability

/// Of the largest root: conjugates are a pair, and a vector belongs to a root, when values agree to this.
inline constexpr double same_root = 1e-9;
/// Blocks that nothing couples are judged each by its own stiffness where these differ by more than this: up to there the largest leaves six digits
/// of the smallest.
inline constexpr double graded_part = 1e-6;
/// Of the largest stiffness: a root that counts as zero and is below this is the rounding of its terms, and no small root.
inline constexpr double surely_zero = 1e-14;
/// Singular values of a power of the matrix below this part are zero.
inline constexpr double power_rounding = 1e-13;
/// Of the largest entry: below it an entry of the reduced problem is zero.
inline constexpr double zero_entry = 1e-12;
/// Of the scale: roots nearer than this may be one multiple root,
inline constexpr double near_roots = 1e-5;
/// and a singular value below this belongs to a mode.
inline constexpr double no_length = 1e-9;
/// Components of a mode as long as the longest to this part are equally long: the first of them is made one.
inline constexpr double equally_long = 1e-9;
/// Does a form change with the choice of multipliers? Of the largest entries.
inline constexpr double form_changes = 1e-9;
/// At rest: accelerations below this part of the forces' sizes; and still at rest a little later.
inline constexpr double rest_part = 1e-11;
inline constexpr double later_rest_part = 1e-9;
/// Newton's rule for an equilibrium: forces balance to the first and conditions hold to the second, or steps are down to the third of the
/// extent with forces balanced to the fourth. Singular values below the fifth are zero in its steps.
inline constexpr double balanced_part = 1e-14;
inline constexpr double conditions_hold = 1e-15;
inline constexpr double shortest_step = 4e-16;
inline constexpr double nearly_balanced = 1e-10;
inline constexpr double step_rank = 1e-13;
/// Of its first step: a descent whose steps are shorter is near enough for Newton's rule.
inline constexpr double descended_part = 1e-6;
/// Of the extent: coordinates of an equilibrium below this are zero.
inline constexpr double coordinate_rounding = 1e-15;

/// Series along a valley: a coefficient of the force below this part of its terms (or of what the linear terms would be there) is zero; the equations
/// of an order are solved to the second part; a step of the third part of the extent away forces balance to the fourth.
/// Two routes to a coefficient agree to the fifth.
inline constexpr double flat_part = 1e-10;
inline constexpr double series_residual = 1e-9;
inline constexpr double flat_step = 0.02;
inline constexpr double flat_balance = 1e-9;
inline constexpr double same_coefficient = 1e-2;
/// States beside a place of rest, in units of its extent: which branches of functions with corners meet there. Corners nearer than this count as met.
inline constexpr double beside_part = 1e-7;
/// Branches that differ by less than this part of their terms (their derivatives) are one.
inline constexpr double same_branch = 1e-9;
/// Of the forces: dry friction that holds with less than this in reserve is on the verge.
inline constexpr double friction_reserve = 1e-6;
/// States near a place of rest, in units of its extent, at which forces are asked whether they have a potential and only take energy: near enough for
/// square roots, far enough that terms of higher order show.
inline constexpr double near_rest = 1e-2;
/// The same for the size that stiffnesses have nearby, which tells what is left of terms that cancel at the place itself.
inline constexpr double far_enough = 0.1;
/// Of the largest entries: forces whose derivatives are symmetric to this have a potential; powers below this part of their terms are none.
inline constexpr double symmetric_part = 1e-10;
inline constexpr double no_power = 1e-12;
/// Of the largest power: a direction with less meets none; and how the reach of a search for one shrinks where it finds nothing lower.
inline constexpr double missed_power = 1e-5;
inline constexpr double downhill_part = 0.9;
/// Frequencies, or sums of them, that agree to this part are in resonance.
inline constexpr double in_resonance = 1e-9;
/// Of its terms: an acceleration below keeps a uniform motion uniform.
inline constexpr double uniform_part = 1e-11;

// ------------------------------------------------------------------------------------------------ tangent rows

/// The rounding that an entry of a row starts with, as a part of its length; an offset that is left of a dependent row below the second part
/// of the largest does not contradict.
inline constexpr double entry_rounding = 1e-15;
inline constexpr double no_offset = 1e-9;
/// Of 1 + |t|: a seizure at this very time has begun.
inline constexpr double same_time = 1e-12;
/// Of the largest acceleration: what the rounding of a basis of velocities, found by elimination, may leave in any other.
inline constexpr double basis_rounding = 1e-14;

}  // namespace zwang::analysis
