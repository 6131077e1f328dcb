/// Compares a motion with what a reference problem expects: events, states, multipliers, the end.
///
/// Beside the keys of the reference file a problem's system may have, on a constraint, `rho` (it is variational then), `restitution` and (with
/// `suddenly_imposed`) `seized_at`; `blows`, a list of {at, impulse by coordinate}; and `stop`. What is expected may have
/// a `status`, and `conditions_any` where dependent conditions may stand for one another; kinds of events may be called by the reference file's words or by ours.
#pragma once

#include <nlohmann/json.hpp>

#include "oracles/run_answer.hpp"
#include "oracles/translate.hpp"

namespace zwang::oracles {

/// Reports through GoogleTest.
void judge_motion(const nlohmann::json& problem, Route route, Way way);

}  // namespace zwang::oracles
