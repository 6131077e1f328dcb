/// The numbers that decide in this room what touches, what is near and what trembles, with their reasons.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zwang::crowds {

/// Members from which on a model is followed as a crowd: below it one piece for all of them costs no more.
inline constexpr std::uint32_t least_members = 24;
/// Pairs from which on a model is followed as a crowd if nothing loses energy, and if something does: where contacts come to rest, one motion of all
/// knows more of what came before, and up to there it costs little.
inline constexpr std::uint64_t least_elastic_pairs = 276;
inline constexpr std::uint64_t least_pairs = 2016;
/// Of the terms of a place or a velocity: what the operations of a flight and its end make of it.
inline constexpr double few_roundings = 0x1p-50;
/// Of the sizes of places: what is nearer to a condition in the course of a motion touches it, as in one motion of all.
inline constexpr double zero_in_motion = 2e-15;
/// So many different accelerations are compared with a new one; where members have more, they have their own.
inline constexpr std::size_t most_pulls_compared = 16;
/// Conditions per member from which on a family is one between any two: nets and lattices have fewer.
inline constexpr std::size_t conditions_per_member = 5;
/// Places at which a round condition is compared with a distance: a quadratic function in space has ten coefficients.
inline constexpr unsigned places_compared = 12;
/// Alternatives of a gate that take turns on one flight; a flight crosses each plane twice at most.
inline constexpr std::uint32_t most_turns_at_gate = 64;
/// Crossings of cells per member without any event: then cells are made wider, by this factor, so that a way of any length through empty space
/// takes few of them.
inline constexpr std::uint64_t crossings_per_member = 64;
inline constexpr double wider_by = 4;
/// As many cells, at most, lie between the origin and what is farthest from it at the start.
inline constexpr double cells_at_first = 1e8;
/// Of the largest distance that a pair must keep: how much wider a cell is at least. What rounding adds to the place of a member that
/// crosses a face is less by nine digits.
inline constexpr double wider_cell = 1 + 1e-6;
/// Of the width of a cell: how far a member of an island must come beyond a face before it counts as through. Less than cells are wider than they need to be.
inline constexpr double beyond_face = 1e-9;
/// Of the least distance: what hops no higher between members that lose energy is followed together, so that hops which become lower
/// without end are seen as one sequence. Higher ones cost far less in closed form.
inline constexpr double near_part = 1e-7;
/// What is apart again by so many times what is near goes its own way.
inline constexpr double parted = 2;
/// Of the width of a cell: members that are nearer to a moving face are looked at whenever it changes its motion. Wider, and more are looked at; narrower, and
/// the face leaves its band more often, which costs a look at all.
inline constexpr double band_in_cells = 2;
/// Of the band: how near the face may come to its edge, and how far beyond it a member must go before it counts as out again.
inline constexpr double band_margin = 0.125;
/// Bands away from its edge: then the face has left too many within.
inline constexpr double band_left_behind = 3;
/// Pieces of a function of time are at most so long, and at least, in the unit in which they are computed, a power of two; so many units are tried.
inline constexpr double longest_in_units = 64;
inline constexpr double shortest_in_units = 0x1p-10;
inline constexpr int most_units_of_time = 60;
/// Of the least distance: pairs of an island within it are among its conditions.
inline constexpr double with_island = 0.16;
/// Of the least distance: shocks between which a member goes less far follow each other closely.
inline constexpr double close_shocks = 1e-6;
/// As many of them in a row, and the members are followed together.
inline constexpr std::uint32_t most_close_shocks = 4;
/// Of the product of its terms: a closing speed or a discriminant below it cannot be told from zero.
inline constexpr double told_from_zero = 1e-12;
/// Of its terms: what the instant at which a face leaves a member is known to makes of the difference of their accelerations.
inline constexpr double let_go_alike = 1e-9;
/// Of the time to a meeting: what its last digits may be mended by. More would be another meeting.
inline constexpr double most_polished = 1e-9;
/// Strikes of one condition from which on they are a sequence.
inline constexpr std::uint32_t least_strikes = 3;
/// Strikes of a member that are remembered: three periods of six, as long as a rhythm may be, and some between.
inline constexpr std::uint32_t strikes_remembered = 24;
/// Times the tolerance and the height of the first hop of a sequence on a wall: what is left of it then cannot be seen beside it.
inline constexpr double left_of_hops = 1;
/// Instants of one member without time passing: beyond it neither side of what happens leads on.
inline constexpr std::uint32_t most_instants_at_once = 1000;
/// Of the distance a pair must keep: at an instant it takes part only if it touches, or is entered, which is far nearer.
inline constexpr double near_at_instant = 1.25;
/// Pairs that are written out for questions about one state; more of them take seconds and gigabytes.
inline constexpr std::uint64_t most_written_pairs = 500'000;
/// Parts of space that are dealt with at the same time (ahead.cpp): members from which on it is tried, parts at most, columns of cells that one has at least, and columns on each side of
/// its ends in which turns wait: a turn looks at the cells around its members, and those of the other part act up to two columns beyond the border.
inline constexpr std::uint32_t least_members_ahead = 1024;
inline constexpr unsigned most_hands = 64;
inline constexpr std::uint32_t least_columns = 12;
inline constexpr std::int32_t columns_left_alone = 3;
/// Turns of a stretch per member, and what becomes of that after a stretch, and after one that was taken back: the longer, the more have to wait for others; the shorter, the more
/// often hands wait for each other.
inline constexpr double stretch_of_members = 0.1;
inline constexpr double stretch_grows = 1.05;
inline constexpr double stretch_shrinks = 0.7;
/// Of the time that the fastest member takes for a cell: the first stretch.
inline constexpr double first_stretch = 0.01;
/// Events whose room is used again.
inline constexpr std::size_t most_spare_events = 4;
/// Flights that began at one instant, beyond which their room is given back.
inline constexpr std::size_t most_flights_kept = 1024;
/// Beginnings of a stretch of the chronicle, at least and per member: what everybody is doing, which stands before them, is an eighth of it.
inline constexpr std::size_t least_beginnings = 4096;
inline constexpr std::size_t beginnings_per_member = 8;
/// Of very many members fewer, but not fewer than so many, so that a stretch has about so many bytes: while it is written it is in memory three times.
inline constexpr std::size_t least_beginnings_per_member = 2;
inline constexpr std::size_t most_bytes_of_beginnings = std::size_t{20} << 20U;
/// Bytes of a stretch, if eight times what everybody is doing are not more: legs can be long.
inline constexpr std::size_t most_chunk_bytes = std::size_t{4} << 20U;
/// Numbers in the states of all events together: up to so many an event tells the state of all members, beyond it of those that took part.
inline constexpr std::uint64_t most_told_numbers = 20'000'000;

}  // namespace zwang::crowds
