/// Answers as JSON text, exactly as the reference of the command line pins them (docs/reference/answers.md).
///
/// Quantities of points are arrays of their components, of coordinates plain numbers, keyed by name; numbers read back to
/// the same double; a key that does not apply is left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/error.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/instant/repair.hpp"
#include "zwang/model/model.hpp"

namespace zwang::report {

/// The answer of `accelerate` (and of `explain`, which adds its trials).
[[nodiscard]] std::string accelerate_json(const model::Model& model, const model::State& state,
                                          const instant::Instant& instant);
/// The answer of `explain`: that of `accelerate`, with "story": the trials, the decisions, and, when a shock comes first,
/// "impact" and the accelerations "after" it.
[[nodiscard]] std::string explain_json(const model::Model& model, const model::State& state,
                                       const instant::Instant& instant, const instant::Shock* shock,
                                       const instant::Instant* after, const model::State* state_after);
[[nodiscard]] std::string impact_json(const model::Model& model, const instant::Shock& shock);
/// A condition of which several alternatives hold: nothing can happen to it before one of them closes. The row that is nearest to being broken in
/// the alternative that is farthest from it.
struct OpenCondition {
  std::uint32_t row = 0;
  double value = 0;
  double rate = 0;
};
[[nodiscard]] std::vector<OpenCondition> open_conditions(const model::Model& model, const instant::Instant& instant);
/// Of the parts of one condition the one that speaks for it: that which binds, or is nearest to it.
/// Conditions of several parts as they are written, one for each member, by its first row: of every alternative the greatest part, of the alternatives the least; where
/// several are equal, the rate is that of the right-hand derivative. And the one that a row belongs to, or null.
[[nodiscard]] std::vector<OpenCondition> compound_conditions(const model::Model& model, const model::State& state);
[[nodiscard]] const OpenCondition* compound_at(const model::Model& model, const std::vector<OpenCondition>& compound,
                                               std::uint32_t row);
[[nodiscard]] std::uint32_t speaking_row(const model::Model& model, const instant::Instant& instant, std::uint32_t row);
/// An open inequality that a start written with six digits may mean to touch: how far it is, and the `touch` that would close it.
struct NearlyTouching {
  std::uint32_t row = 0;
  double distance = 0;
  double touch = 0;
};
[[nodiscard]] std::vector<NearlyTouching> nearly_touching(const model::Model& model, const model::State& state,
                                                          const instant::Instant& instant);

/// The answer of `check`; `repair` may be null.
[[nodiscard]] std::string check_json(const model::Model& model, const model::State& state,
                                     const instant::Instant& instant, const instant::Repair* repair);
[[nodiscard]] std::string error_json(const Error& error);
[[nodiscard]] std::string error_json(const std::string& message);

}  // namespace zwang::report
