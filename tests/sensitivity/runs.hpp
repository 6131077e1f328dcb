/// Runs with derivatives, for the tests of this room.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

inline const StateSlope& end_of(const Differentiated& run, std::size_t parameter = 0) {
  EXPECT_EQ(run.by[parameter].final.why, "");
  EXPECT_TRUE(run.by[parameter].final.after);
  return *run.by[parameter].final.after;
}

/// d/dp of the end by differences of the fourth order of whole motions.
inline std::vector<double> differences(const std::string& text, const std::string& name, double value, double h) {
  const std::vector<double> a = end_with(text, name, value - 2 * h);
  const std::vector<double> b = end_with(text, name, value - h);
  const std::vector<double> c = end_with(text, name, value + h);
  const std::vector<double> d = end_with(text, name, value + 2 * h);
  std::vector<double> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h);
  return out;
}

inline void expect_differences(const std::string& text, const std::string& name, double value, double h, double near) {
  const Differentiated run = differentiate(text, {name});
  const StateSlope& end = end_of(run);
  const std::vector<double> expected = differences(text, name, value, h);
  const std::size_t n = end.position.size();
  double size = 0;
  for (const double x : expected) size = std::max(size, std::abs(x));
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(end.position[i], expected[i], near * size) << name << " position " << i;
    EXPECT_NEAR(end.velocity[i], expected[n + i], near * size) << name << " velocity " << i;
  }
}

}  // namespace zwang::sensitivity
