/// An answer of the command held against what is expected of it.
///
/// Expected objects name what is to be checked and may leave out the rest. Lists have the same length, null in a list is
/// not checked. Numbers agree within tolerance * max(1, |expected|) and may be written exactly ("44/49"); where the
/// answer has text the expected text is literal. A few keys are not keys of the answer but speak about it:
///
///   "exit"            exit status of the command (0 if absent)
///   "tolerance"       for the numbers of this answer (1e-12 if absent)
///   "absent"          keys that the answer must not have
///   "roles"           for `accelerate` and `check`: {name: role}, short for "constraints": {name: {"role": role}}
///   "role_counts"     how many conditions have each role named
///   "solutions"       the same solutions in any order; so "vertices" and "rays"
///   "every_solution"  holds for each of at least two solutions
///   "farkas"          agrees up to a common positive factor
///   "events"          of a run: all of them, grazes left out unless one is expected
///   "first_events"    the same for the first ones, however many follow
///   "last_events"     the same for the last ones
///   "event_counts"    how many events of each kind named
///
/// "tolerance" may also stand in an object further inside, for the numbers below it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// What differs, one sentence each; empty if the answer is as expected.
[[nodiscard]] std::vector<std::string> differences(const nlohmann::json& expected, const nlohmann::json& answer);
