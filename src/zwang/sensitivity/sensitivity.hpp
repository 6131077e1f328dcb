/// Derivatives of a whole run by parameters: of states, multipliers and outputs at given times and at the end, and of the times of events.
///
/// Where the motion has no derivative (something is grazed, two things happen at once and act on one another) that is said, with the reason and with the derivatives on
/// either side of the parameter's value as far as they exist. Reference: docs/mathematics, section 24.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "zwang/motion/track.hpp"
#include "zwang/sensitivity/parameter_slopes.hpp"

namespace zwang::sensitivity {

/// By one parameter, at one time.
struct StateSlope {
  std::vector<double> position, velocity;
  std::vector<std::pair<std::uint32_t, double>> multipliers;  ///< of rows; none where they are not unique
  bool multipliers_known = true;
  std::vector<double> outputs;
  std::optional<double>
      time;  ///< at an end whose time depends on the parameter: positions and the rest are those at that end
};

/// For values below and above the parameter's own; both, and the same, where the motion is differentiable.
struct Slope {
  std::optional<StateSlope> before, after;
  std::string why;  ///< empty: differentiable
  [[nodiscard]] bool differentiable() const { return why.empty(); }
};

struct EventSlope {
  std::optional<double> before, after;
  std::string why;
};

struct ParameterSensitivity {
  std::string name;
  std::vector<Slope> samples;  ///< one per time asked for and reached, in their order
  Slope final;
  std::vector<EventSlope> events;  ///< one per event of the run
};

/// `times` may stand in any order; those that the run did not reach are left out. `go_on` is asked after every piece; false interrupts: what is there then is empty.
[[nodiscard]] std::vector<ParameterSensitivity> sensitivity(const model::Model& model, const motion::RunView& run,
                                                            const std::vector<ParameterSlope>& parameters,
                                                            const std::vector<double>& times,
                                                            const std::function<bool()>& go_on = {});

/// Sides that the walk along the run itself did not reach, out of motions beside it: the parameter is moved to that side by 2^-12 to 2^-18 of its size, and the slopes found there are
/// led on to its own value. A side stays out where these do not lead there, two ways of leading on do not agree, or the motions do not lead to the run. `found` is of `parameters`,
/// in their order, of the model of `draft` with `overrides`; see docs/mathematics, section 24.5.
void add_sides_from_beside(std::vector<ParameterSensitivity>& found, const model::Draft& draft,
                           const model::Overrides& overrides, const std::vector<ParameterSlope>& parameters,
                           const model::Model& model, const motion::RunView& run, const std::vector<double>& times,
                           const std::function<bool()>& go_on = {});

}  // namespace zwang::sensitivity
