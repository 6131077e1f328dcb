/// Every number of this room that decides something, with its reason. All are parts of terms that are named beside them.
#pragma once

#include <cstddef>

namespace zwang::model {

/// One operation's rounding, as a part of its result.
inline constexpr double unit_rounding = 0x1p-53;

/// A number written or computed before is known to this part of itself: a decimal fraction is rounded, and a parameter may be the
/// result of a few operations.
inline constexpr double number_rounding = 4 * unit_rounding;
/// A number of the start whose running error is more than this part of itself has lost digits, and is taken as that uncertain.
inline constexpr double digits_lost = 16 * number_rounding;
/// Times its running error, a sum of numbers and parameters is zero: bounds of single roundings add up over few terms.
inline constexpr double within_rounding = 4;

/// A bound or count is whole if it is so to this part of itself (of 1, if smaller), and no larger than this.
inline constexpr double nearly_whole = 1e-9;
inline constexpr double largest_whole = 1e9;

/// An expression is zero if it is so at random states: of the sum of the absolute values of its terms, rounding with room for terms that
/// are themselves differences.
inline constexpr double vanishing_part = 1e-10;
/// The same of a difference of third order in steps of the velocities: of its terms, which cancel, and of the sizes that they are
/// differences of.
inline constexpr double vanishing_difference = 1e-8;
inline constexpr double vanishing_of_sizes = 1e-13;

/// Of the largest moment of inertia: a body whose least one is below this part keeps its axes in the mass matrix, whose entries would lose four digits of that moment and more.
inline constexpr double slender_part = 1e-4;

/// Cosines of angles of polygons that were meant to be equal: corners are written with nine digits or more.
inline constexpr double same_angle = 1e-8;
/// So far along its sides, as a part of the shorter one, a corner of a polygon is looked at beside the corner itself: much more than what
/// rounding does to the place where two corners meet, much less than anybody sees.
inline constexpr double corner_tip = 1e-7;
/// Where `touch` is so wide that a tip could not be told from its corner, tips are this much longer than that, and no longer than a part that still is small.
inline constexpr double tip_in_touches = 1e4;
inline constexpr double longest_tip = 1e-3;
/// The same of a box in space, as a part of its longest half: so that edges within `nearly_parallel` of one another, which do not count as
/// crossing, have a corner that is held.
inline constexpr double box_tip = 8e-6;
/// Product of sines, of the square of the angle between edges: a face that an edge lies on flat counts on either side of that. More than rounding, and less
/// than anybody sees.
inline constexpr double nearly_flat = 1e-7;
/// Sine of the angle within which an edge at a corner of a box in space lies flat on a face of another: over the length of a tip such an edge leaves the
/// face by less than what counts as touching.
inline constexpr double nearly_flat_tip = 1e-6;
/// Sine of the angle within which two edges of boxes count as parallel: lines that cross there come nearer than their ends by half its square.
inline constexpr double nearly_parallel = 1e-6;
/// The same of capsules, whose ends hold them there. The normal n = d x e is known to a rounding over this sine, and with it where lines cross; the lines come nearer
/// than the ends by its square. From this angle on the second is more than the first.
inline constexpr double capsules_parallel = 1e-5;
/// What is added to the square of that sine where it is divided by: nothing at the angles at which the quotient counts.
inline constexpr double sine_floor = 1e-20;
/// Polygons overlap at the start if they do by more than this part of their sides; less is left to the conditions themselves.
inline constexpr double nearly_touching = 1e-9;

/// A rotation matrix written with nine digits: what its rows may lack of unit length and right angles.
inline constexpr double nearly_a_rotation = 1e-8;
/// Of its largest entry: a matrix of inertia whose halves were computed apart is symmetric up to their rounding, with room for printing.
inline constexpr double nearly_symmetric = 1e-12;
/// Sine or cosine of the angle between two axes of the same model that are parallel or at right angles: some roundings of a turned unit vector.
inline constexpr double nearly_aligned = 1e-12;

// What equations imply together (implied).

/// Of the length of a gradient: directions whose remainder is above this are independent for certain. Others are looked at more
/// closely; at worst equations are added that need not be.
inline constexpr double clearly_apart = 1e-6;
/// Rounding errors of a sum of some dozens of products, in units of one.
inline constexpr double roundings_of_nothing = 64;
/// In units of what touches: gradients of a start that is written with twelve digits are dependent up to this. What is nearer to
/// dependence than that and counted as independent would leave no digit of the stress matrices.
inline constexpr double touches_of_a_gradient = 16;
/// Of the largest coefficient: below it a coefficient that elimination should have made zero is rounding.
inline constexpr double vanishing_coefficient = 1e-12;
/// Of the terms it is made of: a stress matrix below this vanishes, the row is redundant all around.
inline constexpr double vanishing_form = 1e-10;
/// ... and rounding in it, divided by the least remainder of the gradients: a plate that is all but a line has coefficients with fewer
/// digits. Elimination, products and sums of some dozens of terms, with room.
inline constexpr double roundings_of_a_form = 1024;
/// Of matrices of length one: what is left of one outside the span of others, below which it is a combination of them.
inline constexpr double same_form = 1e-8;
/// Of the largest eigenvalue: where all that are not certainly positive are below this, the matrix is semidefinite, and its rows are known
/// as well as coordinates are.
inline constexpr double semidefinite_part = 1e-14;
/// ... and below this there is nothing left to be gained by another round.
inline constexpr double rounding_of_form = 1e-15;
/// Of the largest eigenvalue: above it an eigenvalue is certainly positive. Those between are asked again on the smaller space.
inline constexpr double range_part = 1e-6;
/// Rounds of alternating projections; where a semidefinite matrix exists beside indefinite ones they close in by halves.
inline constexpr int most_rounds = 200;
/// Of the mean eigenvalue: where the least one is above this, a combination of stress matrices is definite for certain.
inline constexpr double definite_part = 1e-8;
/// Newton's decrement below which a full step is taken (self-concordant functions: anything below 1/2), and by how much the weight of
/// the logarithm falls then.
inline constexpr double near_centre = 0.25;
inline constexpr double falling = 0.3;
/// Equations of a connected part up to which it is looked at: dense matrices of all pairs.
inline constexpr std::size_t most_rows_of_a_part = 200;

}  // namespace zwang::model
