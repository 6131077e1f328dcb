/// The accelerations of a state told step by step: which conditions are passive and why, which were tried as equations, which sign
/// refuted each try; before them the shock that comes first, if one does.
#pragma once

#include <optional>
#include <string>

#include "zwang/instant/corners.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/report/table.hpp"

namespace zwang::report {

/// What there is to tell.
struct Explanation {
  model::State state;
  instant::Instant instant;
  bool struck = false;  ///< a shock comes first:
  instant::Shock shock;
  bool goes_on = false;  ///< ... and leaves velocities, with which the accelerations follow:
  model::State state_after;
  instant::Instant after;
  std::optional<instant::Resolved> corners;  ///< where functions have corners, or conditions alternatives
};
[[nodiscard]] Explanation explain(const model::Model& model, const model::State& state);

/// As JSON, and as a text to be read from top to bottom.
[[nodiscard]] std::string explain_json(const model::Model& model, const Explanation& told);
[[nodiscard]] std::string explain_text(const model::Model& model, const Explanation& told, const Style& style = {});

}  // namespace zwang::report
