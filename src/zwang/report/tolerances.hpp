/// Every number of this room that decides something, with its reason.
///
/// This room recognises shapes in order to draw them, and shortens data for a page. What is recognised wrongly is drawn wrongly, but no
/// number of an answer depends on it. A picture has some thousand dots, so lengths below 1e-4 of it are not seen.
#pragma once

namespace zwang::report {

// ------------------------------------------------------------------------------------------------ what is the same

/// Of the size of what is compared: values that went through some dozens of operations are equal.
inline constexpr double same_part = 1e-9;
/// Reactions come out of multipliers with some digits less.
inline constexpr double same_force = 1e-7;
/// Directions and numbers of a surface below this are zero, or one.
inline constexpr double clean_digits = 1e-12;
/// Velocities that change by less than this part of the largest are the same before and after an event.
inline constexpr double no_change = 1e-11;
/// A number is a fraction of small numbers when it is one to this part.
inline constexpr double fraction_digits = 1e-13;

// ------------------------------------------------------------------------------------------------ surfaces

/// Of the largest coefficient of a quadric: the null space of the sampled rows.
inline constexpr double quadric_rank = 1e-10;
/// Of the largest eigenvalue: axes of a quadric are equal.
inline constexpr double same_axis = 1e-5;
/// Newton's steps towards a surface: done; not getting better after many of them; and on the line where two surfaces cross.
inline constexpr double on_surface = 2e-15;
inline constexpr double nearly_on_surface = 1e-13;
inline constexpr double on_crossing = 1e-12;
/// Of the product of the squares of two normals: below it they are parallel (an angle of 1e-6), and there is no line of crossing.
inline constexpr double parallel_normals = 1e-12;
/// Of the picture: steps along such a line are not made shorter.
inline constexpr double shortest_stride = 1e-5;
/// Between the ends of a stroke of a sampled curve its direction changes by more than this (about 15 degrees) at corners only: strokes are a hundredth of the
/// picture.
inline constexpr double sharp_turn = 0.25;
/// A length found by Newton's rule is done at this part.
inline constexpr double length_found = 1e-14;

// ------------------------------------------------------------------------------------------------ pictures

/// Of the picture: a curve may differ this much from its polygon, in space and in a plane of position and velocity.
inline constexpr double path_error = 1.5e-4;
inline constexpr double phase_error = 3e-4;
/// A direction in which the picture is thinner than this part of it is not shown.
inline constexpr double flat_part = 1e-6;
/// A string shorter than its length by this part is slack.
inline constexpr double slack_part = 1e-6;
/// Rounding of logarithms and quotients of ticks must not lose one.
inline constexpr double tick_rounding = 1e-9;

// ------------------------------------------------------------------------------------------------ tracks

/// Keys of a moving outline: stretches shorter than the first part of the time, or straight to the second part of its size, need none between.
inline constexpr double shortest_stretch = 1e-4;
inline constexpr double straight_part = 2e-3;
/// Coefficients of a Chebyshev fit: rounding of the largest; and the last ones are below the second when it has converged.
inline constexpr double fit_noise = 4e-15;
inline constexpr double fit_converged = 1e-13;
/// Where nothing moves: keeps an exponent within that of doubles.
inline constexpr double least_size = 1e-290;
/// Of the largest singular value of a small Vandermonde matrix.
inline constexpr double vandermonde_rank = 1e-15;
/// Rounding of single precision, with a little room.
inline constexpr double single_rounding = 1.5e-7;
/// Of the run, and of the time: stretches are not made shorter.
inline constexpr double least_stretch = 1e-9;
/// Keeps the root of a ratio of errors away from zero.
inline constexpr double least_ratio = 1e-12;

// What is shown as zero in tables and stories.

/// Of f'' and of its free value: what is shown as an exact zero in the story of `explain`.
inline constexpr double story_rounding = 1e-11;
/// Of an energy: what shocks seem to gain by rounding alone.
inline constexpr double gain_of_rounding = 1e-12;
/// Residuals below this are shown with one digit.
inline constexpr double one_digit_below = 1e-12;

}  // namespace zwang::report
