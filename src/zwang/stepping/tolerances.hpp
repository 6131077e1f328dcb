/// The small numbers of the room, each with its reason.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zwang::stepping {

// Lengths: parts of the terms of a condition, |a| + |b| + d for `distance(a, b) >= d`.

/// So near to its surface a condition touches: far above what corrections leave (1e-12), far below what a step of any force makes.
inline constexpr double touching_band = 1e-9;
/// The same for one of several alternatives. Corners of polygons are told from their tips, a ten-millionth of a side away, by half of that: the band lies far below it, or a corner that meets
/// another one would be excused by a side that its tips have behind them.
inline constexpr double touching_band_of_several = 1e-11;
/// Of the step times a change of velocity: twice what a way that bends evenly is off its chord.
inline constexpr double bent_way = 0.25;
/// Of the terms of the conditions beside it: a condition's own terms count as at least so much. With the tolerance of 1e-12 that is ten roundings of theirs.
inline constexpr double terms_beside = 1e-3;
/// A start that breaks its conditions by more is a mistake of the one who wrote it; less is brought onto them.
inline constexpr double rough_start = 1e-3;
/// Deeper than this, as a length, or as a part of the terms where they are larger, no step may end.
inline constexpr double deepest_allowed = 1e-9;
/// A condition that begins between two ends of steps may be missed by the way of this many steps.
inline constexpr double late_by_steps = 2;
/// Where conditions fill their room to rounding, positions may enter them by this part of their tolerance.
inline constexpr double half_tolerance = 0.5;
/// A row that carries so many times the momentum of all bodies hangs on a slope of a ten-thousandth, which is what tolerances make of surfaces that are level.
inline constexpr double wedged_by = 1e4;
/// As a part of their reaches: deeper than the tips of corners (a ten-millionth of a side in the plane, 8e-6 of a half length in space) polygons and boxes may not lie in one another.
inline constexpr double deepest_tip = 1e-5;
/// The same in the plane: a tip is a ten-millionth of a side, and a side is no longer than twice the reach.
inline constexpr double tip_in_the_plane = 2e-7;
/// Sine of the angle between two edges of boxes that give no direction of their own.
inline constexpr double parallel_edges = 1e-6;
/// Conditions beside the one entered are looked at within so many times its depth: a correction moves others by about as much.
inline constexpr double around_depth = 8;

// Speeds.

/// An approach below this part of its terms is none; beside what the forces make of it in a step, too.
inline constexpr double no_approach = 1e-9;
/// Of the terms of a rate: what is left of that of a moving condition after the smooth part is of second order, unless its speed has jumped.
inline constexpr double turned_at_once = 1e-2;
/// An approach slower than so many steps of the forces is a contact that rests: a ball that has come to rest has been taken along by gravity for
/// at most two.
inline constexpr double resting_steps = 2;
/// Corrected velocities leave at most this part of the terms of a rate.
inline constexpr double rate_left = 1e-13;

// Rounds.

/// Newton's, with the gradients of the middle of the step: each leaves a part of the order of the step.
inline constexpr unsigned quick_rounds = 5;
/// Newton's, with new gradients: each squares what is left; more are needed only where conditions take turns.
inline constexpr unsigned full_rounds = 30;
/// Velocities: the surface has turned by the order of the step since its middle.
inline constexpr unsigned velocity_rounds = 4;
/// Rounds of exchanging rows before the solver that changes one row at a time is asked.
inline constexpr unsigned exchange_rounds = 40;
/// ... and in large problems before lines of rows are asked: the rows of one step are those of the next but for a few, and then some rounds suffice. A net of 10^5 strings on its
/// ball took 150 and more with orderings and factors of their own, and lines a dozen.
inline constexpr std::size_t rounds_before_lines = 12;
/// ... or so many in succession that leave more than this part of the wrong signs: then loads go on row by row. Where most of the rows held pull the wrong way, at once.
inline constexpr unsigned slow_rounds_before_lines = 4;
inline constexpr double slowly_fewer = 0.75;
/// Rounds without fewer wrong signs than ever before.
inline constexpr int exchange_patience = 5;

/// Rows from which on dependent ones are not left to the solver that changes one row at a time: its rounds grow with their number.
inline constexpr std::size_t many_rows = 512;
/// Of many rows: where so many of them are held, the factor has the pattern of all, with few entries too many.
inline constexpr double most_rows = 0.75;
/// Of the diagonal: what is added to it there. A pass leaves the part softness / (softness + eigenvalue) of what it found, so that a few passes suffice for all eigenvalues far above
/// it; the factor loses as many digits as it has zeros.
inline constexpr double softness = 1e-8;
/// Passes with one softness; a pile of ten thousand discs takes three from nothing.
inline constexpr unsigned soft_passes = 12;

// Signs.

/// Roundings of its terms by which a row may be off: sums of a few dozen products.
inline constexpr double sign_roundings = 0x1p-46;
/// What the first solution with a good factor leaves of the rows held, as a part of what they were.
inline constexpr double few_roundings = 0x1p-50;
/// A pivot below this part of its diagonal: the rows are nearly dependent, and the factor serves no correction.
inline constexpr double weak_pivot = 1e-10;

// Far conditions.

/// All conditions are looked at again after about so many steps as the last one was: fewer cost looks at all, more cost rows that are near for nothing.
inline constexpr double steps_between_looks = 16;

/// A place on the way of a step is found to this power of a half: a millionth of the step is far below what the scheme tells of it.
inline constexpr unsigned halvings_of_the_way = 24;

/// A place on the way is known to a few halvings less.
inline constexpr double same_place = 0x1p-22;

/// As a part of the way inside: a chord c through a disc of radius R enters it by c^2 / 8 R, which is this part of c where it meets the rim at thirty degrees.
/// What is met less steeply is missed by less than the first order of the scheme.
inline constexpr double passed_through = 0.125;

/// Of squares of changes of velocity: two that differ by less cost the same.
inline constexpr double equally_costly = 1e-9;
/// Questions that are answered by the whole problem, each answer beside all others; of more, by the alternative alone.
inline constexpr std::size_t most_questions = 12;
/// Rounds in which members choose in turn.
inline constexpr unsigned rounds_of_questions = 4;

/// An alternative that is farther to go back to than so many ways of the step was not met in it.
inline constexpr double far_back = 2;
/// Corrections move a body by what others were entered: more than so many ways of the fastest in the step is a jump.
inline constexpr double jumped_ways = 10;
/// Of the positions: what lies still, and is corrected by less, has not jumped.
inline constexpr double deepest_jump = 1e-4;

// The account of the energy.

/// Of the energy turned over (the most energy of motion, work without its signs, what was lost): the scheme's own defect is of second order, and a run that is off
/// by more tells nothing of the motion.
inline constexpr double account_open = 0.02;
/// Of the energies themselves, whose zero is arbitrary: positions are kept to 1e-12 of their terms, with as many roundings as there are steps.
inline constexpr double account_roundings = 1e-9;

// Times.

/// A time nearer to the end of a step than this part of it is that end: products of whole numbers and steps are rounded.
inline constexpr double same_time = 1e-9;

// The estimate of the error.

/// Of the positions: errors below this are of what lies still, whose way is rounding.
inline constexpr double nothing_moved = 1e-9;
/// Steps times variables and conditions up to which the whole way is gone a second time, with half the step: a few seconds.
inline constexpr double cheap_work = 2e7;
/// Where a shock is located, as a part of the step: a little behind its place on the straight way, so that the surface is entered indeed; the estimate is off by as much.
inline constexpr double located_within = 1e-3;
/// Shocks located within one step; in a heap they follow each other without end.
inline constexpr unsigned most_located = 4;
/// Else windows: so many of them, over this part of the way together.
inline constexpr std::uint64_t windows = 8;
inline constexpr double window_part = 0.05;

// The file.

/// Numbers that the pieces of a run may take; beyond, pieces hold several steps.
inline constexpr double most_piece_numbers = 8e6;

}  // namespace zwang::stepping
