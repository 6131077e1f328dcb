/// Answers about models with bodies, as the command gives them, and vectors to compare them with.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "zwang/zwang.hpp"

namespace zwang::testing {

using Json = nlohmann::json;
using Three = std::array<double, 3>;

inline Json run_answer(const std::string& text, const std::vector<double>& times = {}) {
  return Json::parse(json(run(parse(text)), times));
}
inline Json accelerate_answer(const std::string& text) {
  const Model model = parse(text);
  return Json::parse(json(model, model.initial(), accelerate(model)));
}
inline Json impact_answer(const std::string& text) {
  const Model model = parse(text);
  return Json::parse(json(model, impact(model)));
}

inline std::vector<double> numbers(const Json& value) { return value.get<std::vector<double>>(); }
inline Three part(const std::vector<double>& v, std::size_t from) {
  return {v.at(from), v.at(from + 1), v.at(from + 2)};
}

inline Three cross(const Three& a, const Three& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double dot(const Three& a, const Three& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Three sum(const Three& a, const Three& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Three times(double c, const Three& a) { return {c * a[0], c * a[1], c * a[2]}; }

/// The matrix of a unit quaternion, columns are the body's axes; the textbook's nine products.
inline std::array<Three, 3> axes_of(const std::vector<double>& body) {
  const double w = body.at(3), x = body.at(4), y = body.at(5), z = body.at(6);
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
           {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
           {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}};
}
inline Three carried(const std::vector<double>& body, const Three& r) {
  const std::array<Three, 3> axes = axes_of(body);
  return sum(sum(times(r[0], axes[0]), times(r[1], axes[1])), times(r[2], axes[2]));
}

inline void expect_near(const std::vector<double>& found, const std::vector<double>& truth, double tolerance) {
  ASSERT_EQ(found.size(), truth.size());
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_NEAR(found[k], truth[k], tolerance) << "component " << k;
}
inline void expect_near(const Three& found, const Three& truth, double tolerance) {
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.at(k), truth.at(k), tolerance) << "component " << k;
}

}  // namespace zwang::testing
