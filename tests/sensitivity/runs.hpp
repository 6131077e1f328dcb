/// Runs with derivatives, for the tests of this room.
#pragma once

#include <string>
#include <vector>

#include "zwang/base/number.hpp"
#include "zwang/model/read.hpp"
#include "zwang/sensitivity/sensitivity.hpp"

namespace zwang::sensitivity {

/// A motion in memory and its derivatives.
struct Differentiated {
  model::Model model;
  motion::Track track;
  std::vector<ParameterSensitivity> by;
};

inline Differentiated differentiate(const std::string& text, const std::vector<std::string>& names,
                                    const std::vector<double>& times = {}, const model::Overrides& overrides = {}) {
  Differentiated out;
  const model::Draft draft = model::read(text, "model.toml");
  out.model = model::compile(draft, overrides);
  motion::Motion motion = motion::begin(out.model);
  motion::follow(out.model, motion, out.track);
  out.by = sensitivity(out.model, motion::view(out.model, out.track), parameter_slopes(draft, overrides, names), times);
  return out;
}

/// The end of the motion with a parameter changed: positions, then velocities.
inline std::vector<double> end_with(const std::string& text, const std::string& name, double value) {
  model::Overrides overrides;
  overrides.parameters.emplace_back(name, exact(value));
  const model::Model model = model::load(text, "model.toml", overrides);
  motion::Motion motion = motion::begin(model);
  motion::Track track;
  motion::follow(model, motion, track);
  std::vector<double> out = track.account.present.state.position;
  out.insert(out.end(), track.account.present.state.velocity.begin(), track.account.present.state.velocity.end());
  return out;
}

}  // namespace zwang::sensitivity
