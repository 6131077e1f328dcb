/// The numbers that decide in this room what is zero, what is one instant and what has come to rest, with their reasons.
///
/// Nothing here is a length, a speed or a time: every number is a part of terms that are named beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "zwang/linear/tolerances.hpp"

namespace zwang::motion {

/// Keeps a quotient of two zeros away; never counts beside a number that is not zero.
inline constexpr double least_divisor = 1e-300;
/// One operation's rounding, as a part of its result.
inline constexpr double unit_rounding = 0x1p-53;
/// The distance of 1 from the next number.
inline constexpr double eps = std::numeric_limits<double>::epsilon();
/// A time that does not come.
inline constexpr double never = std::numeric_limits<double>::infinity();
/// A bound that says nothing.
inline constexpr double unbounded = std::numeric_limits<double>::infinity();
/// The number of no row.
inline constexpr std::uint32_t no_row = 0xffffffff;
/// Accelerations and rates below this, in any units, are not followed: exponentials below 2^-800 are zero, so that numbers keep their digits,
/// and what is left out there must be less than a tolerance of this.
inline constexpr double faintest = 0x1p-700;
/// Tolerances of a motion lie between these.
inline constexpr double sharpest = 1e-15;
inline constexpr double bluntest = 1e-6;

// ---- the start

/// Of a condition's own terms: a start broken by less was written with few digits and is brought onto the conditions; beyond it
/// the start is a mistake, and inadmissible.
inline constexpr double rough_start = 1e-3;
/// Times at which a condition that moves by itself is looked at when the start breaks it.
inline constexpr int looks_ahead = 64;
/// More than a condition can ever be broken by, as a part of its terms.
inline constexpr double whatever_it_is = 2;
/// Newton's rounds from there: each squares what is left, 1e-3 to rounding takes three; a few more where rows are nearly dependent.
inline constexpr unsigned most_rounds_onto_start = 8;

// ---- what is told from nearer

/// Of the shortest step: a guess below it is one of rounding, and a place nearer than it is no nearer.
inline constexpr double guess_of_rounding = 1e3;
/// Of the way that a row changes over the step at its present rate: a zero whose band is wider than this is not known to the digits that it
/// should have. Ordinary crossings have bands of the tolerance, 1e-12 of that way and less.
inline constexpr double blurred_part = 1e-9;
/// What happens within a step that is so many times longer happens early.
inline constexpr double early = 4;
/// Of the way to such a place: what is left to go where the step is ended.
inline constexpr double left_to_go = 1.0 / 16;
/// Of a coordinate: what is but touched there has no smaller terms from nearer unless one moves by more than this.
inline constexpr double much_moved = 0.25;
/// Terms there, as a part of the terms now: from here on it is worth a step.
inline constexpr double nearer_by = 0.25;
/// Roundings of the terms of a switching function: what is less away from its threshold is not told any better from nearer.
inline constexpr double worth_a_look = 4096;

// ---- what is zero at an instant of a motion

/// Of a position's or a rate's own terms, beyond the uncertainty of the state: what closes is known, the rest is open unless by the
/// rounding of the few dozen operations that a condition is evaluated with.
inline constexpr double touch_in_motion = 32 * unit_rounding;
/// Roundings of its variables that a row which has just closed may be entered by for rounding alone.
inline constexpr double entered_by_rounding = 32;
/// Times the tolerance, of a condition's own terms: what a motion of that tolerance may break an open condition by, until it counts
/// as broken. Steps err by a part of the tolerance each; a hundred of them in one direction do not happen between two events.
inline constexpr double broken_by_tolerance = 100;
/// A velocity after a shock within so many of its own uncertainties is zero: what has come to rest rests.
inline constexpr double rest_in_uncertainties = 4;
/// Energies, before and after a shock, of what it acts on, times this: a loss below it is none (squares and sums of a few terms).
inline constexpr double loss_in_roundings = 4e-15;
/// Impulses below this part of the largest one of the shock, or of the momenta, are rounding and not listed.
inline constexpr double slight_impulse = 1e-14;
inline constexpr double slight_momentum = 4e-14;

/// A rate at a closing is zero if it changes by this part of itself while the condition is within its own uncertainty of zero: how
/// fast it closes cannot be told there.
inline constexpr double soft_landing = 0.5;
/// Uncertainties of f that a flight must have left behind for that: an ordinary one of that height changes its speed by a thousandth.
inline constexpr double plain_flight = 1e3;

/// Of the largest acceleration of what hangs together, in the metric of the masses: so much of it is let into every row by rounding of the
/// state, as a term that its multiplier is made of.
inline constexpr double share_of_largest = 1e-3;

/// Of a coordinate, in a projection: what a correction leaves below it is rounding of that correction, and zero.
inline constexpr double wholly_taken_off = 8 * unit_rounding;

// ---- the unit of time of a series

/// Steps between these, in its unit, are left in it: powers up to twice the order of the series (that of a work) stay within the range of
/// numbers, 2^(14 * 60) and 2^(12 * 30), with room for lengths and masses. Changed at most so often for one step.
inline constexpr double shortest_in_units = 0x1p-14;
inline constexpr double longest_in_units = 0x1p12;
inline constexpr int most_units = 8;
/// Of the largest of the first coefficients of a series: orders below it are nothing. Numbers have all their digits down to 2^-1022, so
/// that lengths, masses and forces of 2^300 and 2^-300 are the same up to their unit.
inline constexpr double nothing_of_a_series = 0x1p-700;
/// Of the way to the next thing due: a first guess of a step beyond this says no more than that nothing is near.
inline constexpr double far_beyond = 1024;

// ---- motions side by side

/// Fewer than this make each its own series: lanes that idle cost as much as those that do not.
inline constexpr std::size_t least_together = 4;
/// Numbers in the registers of tapes side by side, 8 MB of them: beyond that they come from far memory, and one series alone is as fast.
inline constexpr std::size_t most_numbers_together = std::size_t{1} << 20U;

// ---- one instant

/// Roundings of a time within which two times read from outside are the same: they went through a few sums. And roundings of a step's
/// length (or its tolerance, if that is more) within which its happenings are one instant: roots of its polynomials are known no better,
/// and the state moves between them by no more than the step may be off.
inline constexpr double same_time_in_roundings = 32;
/// Of what is zero of f: a gap that stays below it opens and closes at one instant. A hop takes the root of its height, so that a hop of
/// 1e-15 would last 1e-7; with this it is 1e-12, as good as the times of events are.
inline constexpr double back_at_once = 1e-10;
/// Of what is zero of f: a condition that is approached so slowly, and driven off so fast, that it is broken by less has not been struck.
inline constexpr double graze_within_zero = 1e-2;
/// Shocks one after the other at one instant, until they are called endless.
inline constexpr int most_shocks = 50;
/// Changes of the set at one instant. A set that comes back is held; beyond so many different ones something is wrong that no
/// formula saw.
inline constexpr unsigned most_sets_at_one_instant = 1000;
/// Sets at one instant from which on switches that still turn are made of dust: each of a few has turned to and fro by then.
inline constexpr unsigned turns_before_dust = 16;
/// Turns of switches of a flow at one instant: each of a few dozen may turn once or twice.
inline constexpr std::uint32_t most_turns_of_flow = 100;
/// A multiplier of a row that comes back, as a part of the terms it is the difference of: up to this it is held as marginal, beyond it
/// the row would be glued.
inline constexpr double marginal_multiplier = 1e-9;

// ---- conditions that are far

/// Open conditions from which on it pays to leave out those that are far.
inline constexpr unsigned least_open_rows = 64;
/// Of the value of a condition: as much as may be used up. The rest is far more than the defect of steps and projections can move.
inline constexpr double usable_part = 0.9;
/// Steps like the last one that are expected until the far conditions are looked at again, and how fast what was expected is forgotten.
inline constexpr double steps_expected = 2;
inline constexpr double slower = 0.9;
/// Of what is expected: so much further than that a condition must be to become a far one, so that they are not looked at again at once.
inline constexpr double looked_at_again = 4;
/// Where steps have become so much shorter, others are far, too; looked for if so many are watched.
inline constexpr double much_slower = 0.25;
inline constexpr unsigned few_open_rows = 12;
/// What is expected grows by no more than this where a step was cut short.
inline constexpr double quicker = 8;
/// Halvings of a step: further than any series reaches beyond what is far.
inline constexpr int most_halvings = 1000;

// ---- events on a step

/// Of a step: a doubt nearer than this to its beginning does not end the step there; it is asked again at the end of a shorter one.
inline constexpr double sensible_cut = 1e-6;
/// Of the rest of a step: so much behind a graze the search begins anew.
inline constexpr double behind_a_graze = 1e-9;
/// Of the terms of a second derivative: below it a condition that was touched is not known to be turned back from.
inline constexpr double vanishing_turn = 1e-9;
/// Of its own terms: an open condition that others imply opens by more than rounding of theirs only.
inline constexpr double opens_though_implied = 1e-11;
/// Of that: so far it may have opened when the others are asked again; from rounding up to it some ten doublings.
inline constexpr double parts_from_others = 1e-2;
/// Of its own terms: a condition that has not come further from zero than this was not left.
inline constexpr double left_by_rounding = 4 * unit_rounding;
/// Newton's step, of the place, that shows the next to be of rounding size.
inline constexpr double settled_root = 1e-9;
/// Behind a place where two points pass through one another: of the way there, and of the step.
inline constexpr double behind_a_branch = 1e-9;
inline constexpr double behind_a_branch_of_step = 1e-12;
/// From here on downwards the series keep more digits than a step needs: what is cut off has always the same sign.
inline constexpr double sharp_tolerance = 1e-12;
/// Of a combination of rows: what takes part with less does not count as one of those that depend.
inline constexpr double slight_part = 1e-6;
/// Of a condition's own terms: so much is no rounding any more, the series has lost it.
inline constexpr double lost_drift = 1e-3;
/// Above this a drift is held against all terms that the row is evaluated from, which takes a while to find.
inline constexpr double suspicious_drift = 1e-12;
/// Of the terms of a rate: what approaches faster after a projection onto rows that it depends on is not held by them.
inline constexpr double still_approaching = 1e-9;
/// Periods of impacts each of which is shorter than this part of the one before: after three, what cannot be told apart is the limit.
inline constexpr double shrinks_to_nothing = 0.1;
/// Of the duration of the motion: a root in a force that comes to zero so soon is taken as zero for a short step, where its own series leads
/// nowhere; the shortest first, since what it leaves out grows with it.
inline constexpr double soon_at_zero[] = {1e-12, 1e-9, 1e-6};
/// Beside a root that rests at zero: of the extent of the motion, or of what is not zero itself. So near it is all there is, and so far that a
/// root of it is above the rounding of other forces; two places, to tell the power.
inline constexpr double far_beside_nothing = 0x1p-60;
inline constexpr double near_beside_nothing = 0x1p-70;
inline constexpr double far_beside_something = 0x1p-24;
inline constexpr double near_beside_something = 0x1p-34;
/// ... roundings of the acceleration there that are no change, and a power from which on it is as good as smooth.
inline constexpr double roundings_beside_a_root = 64;
inline constexpr double steepest_smooth_power = 0.95;
inline constexpr int digits_of_a_power = 3;
/// Speeds that come to rest under a root of themselves: the power is told at these parts of them, and is one where both tell the same.
inline constexpr double nearer_to_rest = 0x1p-4;
inline constexpr double far_nearer_to_rest = 0x1p-40;
inline constexpr double same_power = 1e-2;
/// Shortest steps that a flow goes with a root in its rates as zero, where it begins there: its root of some 1e-14 is the defect of this one step, and the
/// step times that, what it moves, far below rounding.
inline constexpr double steps_from_a_root = 256;
/// Shortest steps within which a root that comes to zero is gone to, where no other step leads on.
inline constexpr double steps_to_a_root = 64;
/// Of a variable just before it: what is left of one that goes to zero there, by a series that is at the end of its reach.
inline constexpr double left_at_a_root = 0.5;
/// Through the place where points meet between which a force with a bound acts: roundings of their place, or of the time, that the way straight on may
/// be, where it changes their speed by more than a part of the tolerance; how many such ways further on the force is looked at, and by how much it may be larger at the first: 8^(1/3) of one that grows like a root.
inline constexpr double roundings_of_a_meeting = 8;
inline constexpr double ways_beyond_a_meeting = 8;
inline constexpr double growth_at_a_meeting = 2;
/// Shortest ways that a motion is moved by which begins at such a place, so that a step from there is longer than the shortest; and within which of it one is
/// there.
inline constexpr double ways_from_a_meeting = 1024;
/// Where a comparison has a pole or a root: shortest steps over which it is asked at the ends alone; behind them the place lies some of these away, so that
/// the step that is known from there is longer than the shortest.
inline constexpr double shortest_steps_unseen = 64;
/// exp of more is so large that products of a few, and the coefficients of its series, leave the range of numbers; and of less than minus this, of something
/// that falls without bound: exp of it has been zero for long.
inline constexpr double large_exponent = 300;
inline constexpr double bottomless_exponent = 1e6;
/// Of the duration of the motion: shorter steps are more of them than anybody waits for.
inline constexpr double shortest_of_duration = 1e-17;

// ---- speeds whose directions stand in forces

/// Shortest steps within which a speed that falls is zero: the step that can be proved is a part of the time that is left.
inline constexpr double shortest_steps_to_rest = 4;
/// The same where no step can be proved any more.
inline constexpr double many_shortest_steps_to_rest = 1e3;
/// Shortest steps that are gone without a force that begins with a root of a speed at rest: what it does by then is rounding of what it does later, and the next
/// step, a part of as much, is longer than the shortest.
inline constexpr double shortest_steps_from_rest = 64;
/// Of the terms of a push along the direction in which a speed leaves: they cancel where it has not begun to grow.
inline constexpr double push_of_nothing = 1e-11;
/// Of the terms of a velocity: what conditions move it by is more, where they do.
inline constexpr double rounding_of_imposed = 1e-9;
/// Orders at which they move one after the other at one instant.
inline constexpr int most_rounds_of_imposed = 8;
/// By which a direction and its series differ at best.
inline constexpr double roundings_of_direction = 16;
/// So many resolutions of time behind the place where friction changes its sign it has that sign for certain.
inline constexpr double clock_roundings_behind = 4;
/// Of the duration of the motion and the forces at its start, or of the speeds there: a slower one runs away from nothing.
inline constexpr double speed_of_runaway = 1e-6;
/// Of the rows of the small system of weights, each of size one: below it a combination changes no rate.
inline constexpr double rate_of_open_weights = 1e-9;
/// By which the share of several weights may turn a direction.
inline constexpr double direction_in_doubt = 1e-8;
/// Each pass over the orders of speeds that leave together makes some more of them right: as many as the order of the first rate, and one.
inline constexpr int most_passes_of_leaving = 12;
/// Of what the rates say of open weights: a pass that changes less is the last.
inline constexpr double last_pass_of_leaving = 1e-15;
/// Of the way to the place where a speed that leaves its rest would be back at it: the next piece finds that place by its own functions.
inline constexpr double part_before_return = 0.5;
/// Of the piece on which a speed leaves its rest; a shorter one would be none.
inline constexpr int most_halvings_of_leaving = 100;

// ---- accumulations

/// Impacts remembered: at a restitution of 0.9 a bounce is 1e-12 of the first after 130 of them, and a cluster has several rows.
inline constexpr unsigned most_bounces = 512;
/// Impacts of one period: a gutter has two, a double string pendulum up to six.
inline constexpr unsigned longest_period = 6;
/// Factor of a rhythm from which on it does not converge within what is remembered.
inline constexpr double slowest_rhythm = 0.99999;
/// Factors that are the same, as a part of 1 - r.
inline constexpr double same_factor = 0.2;
/// Error of the limit's time, in tolerances of the whole sequence that is remembered.
inline constexpr double of_the_limit = 0.02;
/// What may be neglected while the sequence lasts, before its limit, where the body lies still instead of hopping: in tolerances of
/// what moved when the sequence began.
inline constexpr double while_it_lasts = 1e3;
/// Strikes of one condition after which its rattling, in no order that tells where it leads, may be neglected like a sequence: their number doubles with
/// every decade of the speed.
inline constexpr std::uint64_t many_strikes = 32;
/// Closings of one row at one instant from which on it closes with the others when it opens again: two show that they take turns. And the
/// part of its rate before, from which on the last closing has not changed it.
inline constexpr std::uint8_t closings_one_by_one = 2;
inline constexpr double as_fast_as_before = 0.9;
/// Energy that closing may cost, in the energies of hops that may be neglected: what rattles out has one of them for each, and what moves
/// along with them a few more.
inline constexpr double most_hops_lost = 64;
/// Of the fastest rate that is to go when rows close: one that keeps so much of it, or gets it, shows that not all of them can be still.
inline constexpr double speed_that_stays = 0.1;
/// Impacts of a condition before it closes for good that make it a limit: the third of them shows that they repeat.
inline constexpr int least_impacts_of_a_limit = 3;
/// Of the hardest strike a condition ever had: a rhythm that began with a weaker one is a part of something larger, and where it leads
/// to the last digit cannot be seen beside that.
inline constexpr double worth_following = 1e-3;
/// A cluster: impacts and rounds that show it, and the factor from one round to the next that still is convergence.
inline constexpr unsigned least_impacts_of_a_cluster = 24;
inline constexpr unsigned least_rounds_of_a_cluster = 4;
inline constexpr double slowest_cluster = 0.9;
/// Energy that closing may cost, in losses of the last round: the rest of a sequence with a factor of 0.9 loses ten times that.
inline constexpr double most_lost_at_once = 10;
/// Factor from one round's loss to the next beyond which it does not say how much the rest takes.
inline constexpr double slowest_fading = 0.999;

/// Of the time since the start: conditions that close in on what bounces between them and meet within this end the motion; some ten thousand impacts
/// lie behind by then, and as many again for every halving of the rest.
inline constexpr double all_but_met = 1e-4;
/// Of a gradient: what two of them may differ by and be opposite, or the same.
inline constexpr double same_gradient = 1e-9;
/// Digits of the time at which they meet.
inline constexpr int digits_of_meeting = 10;

// ---- singular positions

/// Of the largest coordinate: a way on which no smooth gradient turns, far longer than the last step before one that does.
inline constexpr double way_that_is_nothing = 1e-6;
/// Of its length: a gradient that has changed by this on such a way has turned at once.
inline constexpr double turned_elsewhere = 0.1;

/// Of the terms of its spokes: w vanishes in the apex of a cone.
inline constexpr double touch_in_apex = 1e-13;
/// In tolerances: the angle by which w may turn on the piece on which it leaves an apex.
inline constexpr double turns_beside_apex = 100;
/// Pieces like the last one until the motion is in an apex to which it leads: from there on its spoke is followed.
inline constexpr double steps_to_apex = 2;
/// The angle by which w may turn on that piece where it has a speed, and what that makes of the velocities, in tolerances of these: the push of a piece so short is nothing.
inline constexpr double turns_with_speed = 1e-7;
inline constexpr double pushed_aside = 10;
/// Of the way to an apex, where the series of the condition sees it ahead.
inline constexpr double half_way = 0.5;
/// Of a step: that piece is no longer.
inline constexpr double beside_apex = 0x1p-3;

/// Of the duration of the motion: a singular position no further ahead is gone to along the velocities.
inline constexpr double straight_on = 1e-6;
/// Parts of their lengths within which rows held take part in a combination that vanishes: just before a singular position, and at
/// an instant where the rate of rho is asked for.
inline constexpr double nearly = 1e-4;
inline constexpr double dependent_for_rho = linear::dependent_part;
/// Coefficient of a unit combination from which on a row takes part in it.
inline constexpr double takes_part = 1e-3;

/// A gradient has vanished on a step where its square is below this part of the largest: to the rounding of a length.
inline constexpr double vanished_square = 1e-16;
/// The same at the end of a step, of its square when the rows were chosen; and the least pivot, itself and as a part of the first one, below which
/// rows have all but become dependent: a multiplier has four digits left there.
inline constexpr double all_but_vanished = 1e-15;
inline constexpr double all_but_dependent = 1e-11;
inline constexpr double fallen_pivot = 1e-6;
/// Of the places and speeds it is made of: a root that is no more than this part of them makes of it has gone to zero.
inline constexpr double all_but_no_distance = 1e-9;
/// Of the place: so narrow the stretch is on which a kinetic energy stops being positive.
inline constexpr double place_of_no_inertia = 1e-15;

/// Least pivot below which the rounding of rows, magnified by its root, is more than a hundred roundings of places: positions are known no better.
inline constexpr double pivot_that_doubts = 1e-4;

/// Passing a singular position. Parts of the rows' lengths below which a combination's gradient is none there: the place is found to a few
/// roundings of a series, and loops that are flat together are so up to that.
inline constexpr double passed_together = 1e-10;
/// Of the rates of the rows that take part: a combination that turns by less leaves the velocity no choice of a branch.
inline constexpr double least_turning = 1e-6;
/// Pivot of rows of length one, in the system about the position: below it, its solution would have no digit left.
inline constexpr double least_pivot_of_passage = 1e-9;
/// Residue of a multiplier, of its terms on the step: below it there is no pole.
inline constexpr double no_pole = 1e-9;
/// Of the fastest turning of a row at the beginning of a step: so fast its rows may come nearer to being dependent, all of them together,
/// later on the step.
inline constexpr double turns_of_combination = 4;
/// Of a straight line: so nearly straight the distance from dependence goes to zero between two places.
inline constexpr double nearly_straight = 4;
/// Stretches of a step on which rows in closed loops are looked at where they may become dependent, and the first place, which tells whether
/// they come nearer to that: a step is a few radians at most.
inline constexpr int places_looked_at = 8;
inline constexpr double just_ahead = 1e-3;
/// Of the distance from dependence at the ends of a stretch: what falls below it goes to zero, or nearly so.
inline constexpr double near_enough_for_newton = 0.02;
/// Distance from dependence, of rows of length one, from which on a position is looked for along the first coefficients: up to this
/// order what they leave out, some (1e-2)^7, is far below rounding.
inline constexpr double close_to_position = 1e-2;
inline constexpr unsigned order_of_place = 6;
/// In roundings of one: a combination of some dozens of gradients of length one that is no longer than this is rounding.
inline constexpr double roundings_of_a_combination = 16;
/// Of the largest weight of a combination: below it a row has no part in it.
inline constexpr double part_of_combination = 1e-12;
/// Of the largest terms: so exact a series must be for a rough place of the position on it.
inline constexpr double rough_place = 1e-8;
/// Rounds by which the motion about the position is made to lead through the state before it; each leaves a small part of what was
/// missed.
inline constexpr int rounds_onto_motion = 10;
/// Roundings of places and speeds, times what the nearness of the position makes of them: by so much the motion about the position may miss
/// the state that leads there, or by the tolerance.
inline constexpr double roundings_of_a_state = 64;
/// Times the way there: how far beyond the position the expansion is asked for, the longest first; and circles of reckoning, in lengths.
inline constexpr double lengths_tried[] = {2, 1.5, 1.2, 1};
inline constexpr double circles_tried[] = {4, 2, 1.5, 1.25, 8};
/// Rounds by which the place is found: of thirds, until Newton's rule converges, and of that.
inline constexpr int rounds_of_thirds = 24;
inline constexpr int rounds_of_newton = 12;
/// Of the largest accelerations, those of the free motion among them: so far those of the rows that are independent at a singular position may be
/// off from the true ones. Where the lowest part of the dependent ones decides they differ by a part of the forces.
inline constexpr double same_accelerations = 1e-9;
/// Rows up to which singular positions are looked for and passed: the system about one is dense.
inline constexpr unsigned most_rows_passed = 400;

// ------------------------------------------------------------------------------------------------ slender bodies

/// Per order, of the terms of a torque about the least axis of a slender body: the rounding of forces and turns, some operations long.
inline constexpr double rounding_of_a_twist = 32 * std::numeric_limits<double>::epsilon();

// ------------------------------------------------------------------------------------------------ light variables

/// Of the largest mass that rows tie it to: below it the multipliers of higher orders have lost more digits than solving twice brings back.
inline constexpr double light_in_series = 1e-8;
/// Light masses are raised to this part of it (as room gauss does), where the factor has nearly all digits.
inline constexpr double raised_in_series = 0.1;
/// Each light variable costs a solution of all rows per step, and all of them a small dense one per order.
inline constexpr std::size_t most_light_in_series = 64;
/// Solutions of one order: the first, and one of what rounding has left.
inline constexpr int light_rounds_in_series = 2;

}  // namespace zwang::motion
