/// The numbers by which sides of corners and surfaces slid on are told, each with its reason (docs/mathematics, section 21).
#pragma once

#include <cstddef>

namespace zwang::instant {

/// Of the terms of g: written states have rounding of their decimals.
inline constexpr double on_threshold = 1e-12;
/// Uncertainties of the state within which g is on a threshold.
inline constexpr double doubts_of_state = 4;
/// Of the terms of a rate: the same.
inline constexpr double rate_zero = 1e-12;
/// Of the largest push: accelerations of either side come from two solutions.
inline constexpr double push_zero = 1e-11;
/// Of that: weights come from pushes, and pushes from weights again.
inline constexpr double push_in_doubt = 1e3;
/// Of the duration of the motion: so much later it is asked whether what is not pushed now begins to be; far above the rounding of a push, and far below anything that happens; the second for one that
/// begins as a cube.
inline constexpr double later_parts[] = {0x1p-20, 0x1p-10};
/// Of the pushes of what nothing holds: what the conditions push that they move by a higher derivative only; and for who is beside something that is pushed at once.
inline constexpr double imposed_part = 1e-6;
inline constexpr double least_imposed_part = 1e-3;
inline constexpr int most_newton_rounds_of_imposed = 30;
/// Of the largest effect: what makes weights of dependent surfaces unique.
inline constexpr double own_effect = 1e-7;
/// A weight of such a surface: a hundred times what that moves it by.
inline constexpr double at_bound = 1e-5;
/// Of the push of a speed that leaves its rest: down to the last digit, and beyond it where that is small.
inline constexpr int most_halvings_of_push = 200;
/// Rounds over the discs of several speeds: each leaves a part of the rest, most of it where a light body hangs on a heavy one.
inline constexpr int most_rounds_of_discs = 20000;
/// The first rounds over the discs, after which Newton's rule is tried, and again when twice as many are done.
inline constexpr int rounds_before_newton = 16;
inline constexpr int most_newton_rounds_of_discs = 8;
/// Of |c| <= 1: rounding of one round.
inline constexpr double rounding_of_discs = 1e-15;
/// Of the shares with which the sides of a bend hold what rests in it: as many as a number has digits.
inline constexpr int most_halvings_of_share = 60;
/// The weight that such surfaces have where nothing asks for another.
inline constexpr double middle_weight = 0.5;
/// Of the part by which an alternative is plainly open: what counts as touching lies so far below it where such alternatives are left out of the question.
inline constexpr double touch_below_open = 0x1p-7;
/// Of two costs: alternatives between which nothing decides.
inline constexpr double equally_costly = 1e-9;
/// Of the speeds of what touches: velocities behind a shock come from a solution of its own, for each way.
inline constexpr double rounding_of_ways = 1e-12;
/// Shocks of one way: after the second what is approached is rounding.
inline constexpr int most_shocks_of_a_way = 3;
/// Of the terms of their rates: what is slower across the apex of a cone stands still.
inline constexpr double still_in_apex = 1e-13;
/// Of the terms of its spokes: so far an answer may lie outside of a cone.
inline constexpr double kept_by_cone = 1e-13;
/// Of a change across a cone: from so near the spoke is looked for that leads where it points, as the last bits of two that enclose it are lost.
inline constexpr double nearly_kept_by_cone = 1e-8;
/// The sine of the angle by which it may miss that.
inline constexpr double spoke_points = 1e-13;
/// A step of the secant is no wider than this.
inline constexpr double widest_turn_of_spoke = 0.5;
/// Of the largest multiplier of the spokes of a cone.
inline constexpr double idle_spoke = 1e-12;
/// Of the speed of a blow: a rebound may break a cone by so much.
inline constexpr double rounding_of_rebound = 1e-12;
/// Of the load: a spoke that carries less is about to let go, and the triangle is turned to where they press.
inline constexpr double beside_an_edge = 1e-3;
/// Answers under other and other spokes: four lead to an apex, some twenty out of it.
inline constexpr int most_rounds_of_cone = 60;
/// Rounds in which conditions of several touched alternatives choose beside each other: two boxes have sixteen corners, and the second round is the last as a rule.
inline constexpr int most_rounds_of_alternatives = 16;
/// Beginnings from which conditions of several touched alternatives choose once more.
inline constexpr std::size_t most_other_ends = 8;
/// How far away functions are compared with one another, of the largest position or velocity.
inline constexpr double beside_state = 0.1;
/// Newton steps of velocities onto a surface: the second leaves rounding where g is linear in them.
inline constexpr int rounds_onto_surface = 2;
/// Of the terms of g: how far from a surface its sides are looked at.
inline constexpr double beside_surface = 1e-9;
/// Of the largest coordinate: differences have two thirds of their digits there.
inline constexpr double beside_for_slope = 0x1p-17;
/// Of two gradients: what differs by less is rounding of a smooth join, as a spline's.
inline constexpr double kink_part = 1e-9;
/// Of conditions that carry force, tried before another way is.
inline constexpr std::size_t most_carrying_sets = 64;
/// Switches on a threshold at one instant.
inline constexpr std::size_t most_slid = 64;

}  // namespace zwang::instant
