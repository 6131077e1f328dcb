/// Parameters from measured values.
#include "zwang/sensitivity/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "runs.hpp"
#include "zwang/error.hpp"

namespace zwang::sensitivity::fit_tests {
namespace {

constexpr const char* fall = R"toml(
gravity = [0, "-g"]
[parameters]
h = 1
g = 5
[points.a]
mass = 1
position = [0, "h"]
[outputs]
y = "a.y"
[simulation]
until = 1
)toml";

TEST(Fit, of_a_fall_is_the_line_of_least_squares) {
  // y = h - g t^2 / 2 is linear in h and g: normal equations by hand.
  Measured measured;
  measured.outputs = {"y"};
  const double noise[] = {0.01, -0.02, 0.015, 0.005, -0.01, 0.02, -0.005};
  double n = 0, s = 0, ss = 0, sy = 0, ssy = 0;
  for (int k = 0; k < 7; ++k) {
    const double t = 0.1 + 0.15 * k;
    const double y = 3 - 9.81 * t * t / 2 + noise[k];
    measured.times.push_back(t);
    measured.value.push_back(y);
    const double x = -t * t / 2;
    n += 1, s += x, ss += x * x, sy += y, ssy += x * y;
  }
  const double g = (n * ssy - s * sy) / (n * ss - s * s);
  const double h = (sy - g * s) / n;
  double squares = 0;
  for (int k = 0; k < 7; ++k) {
    const double x = -measured.times[static_cast<std::size_t>(k)] * measured.times[static_cast<std::size_t>(k)] / 2;
    squares += std::pow(h + g * x - measured.value[static_cast<std::size_t>(k)], 2);
  }
  const model::Draft draft = model::read(fall, "model.toml");
  const Fit found = fit(draft, {}, {"h", "g"}, measured);
  ASSERT_TRUE(found.converged) << found.why;
  EXPECT_NEAR(found.parameters[0].value, h, 1e-12);
  EXPECT_NEAR(found.parameters[1].value, g, 1e-11);
  EXPECT_NEAR(found.residual, std::sqrt(squares), 1e-13);
  EXPECT_LE(found.iterations, 4U);
  // Variances of a line.
  EXPECT_NEAR(*found.parameters[1].deviation, std::sqrt(squares / 5 * n / (n * ss - s * s)), 1e-10);
  EXPECT_NEAR(*found.parameters[0].deviation, std::sqrt(squares / 5 * ss / (n * ss - s * s)), 1e-10);
  EXPECT_NEAR(found.covariance(0, 1), -squares / 5 * s / (n * ss - s * s), 1e-10);
}

TEST(Fit, finds_a_length_from_a_swing_behind_shocks) {
  const std::string text = R"toml(
gravity = [0, -9.81]
[parameters]
L = 1.0
e = 0.4
[points.a]
mass = 1
position = ["L*sin(0.5)", "-L*cos(0.5)"]
[constraints]
rod = "distance(a, [0, 0]) = L"
wall = { condition = "a.x >= 0", restitution = "e" }
[outputs]
x = "a.x"
y = "a.y"
[simulation]
until = 3
)toml";
  // Exact values of another pendulum.
  const Differentiated truth = [&] {
    model::Overrides overrides;
    overrides.parameters = {{"L", "1.2"}, {"e", "0.7"}};
    return differentiate(text, {"L"}, {}, overrides);
  }();
  Measured measured;
  measured.outputs = {"y", "x"};
  const motion::RunView view = motion::view(truth.model, truth.track);
  for (int k = 0; k <= 30; ++k) {
    motion::Sample sample;
    ASSERT_TRUE(motion::state_at(truth.model, view, 0.05 * k, sample));
    measured.times.push_back(0.05 * k);
    measured.value.push_back(k == 7 ? std::nan("") : sample.state.position[1]);
    measured.value.push_back(sample.state.position[0]);
  }
  const Fit found = fit(model::read(text, "model.toml"), {}, {"e", "L"}, measured);
  ASSERT_TRUE(found.converged) << found.why;
  EXPECT_NEAR(found.parameters[0].value, 0.7, 1e-9);
  EXPECT_NEAR(found.parameters[1].value, 1.2, 1e-10);
  EXPECT_EQ(found.misfit.size(), 61U);
}

TEST(Fit, says_what_values_do_not_tell) {
  // h and g enter the first instant alone as h: one value for two parameters.
  const model::Draft draft = model::read(fall, "model.toml");
  const Fit found = fit(draft, {}, {"h", "g"}, {{0}, {"y"}, {4}});
  EXPECT_TRUE(found.converged) << found.why;
  EXPECT_NEAR(found.parameters[0].value, 4, 1e-12);
  EXPECT_EQ(found.parameters[1].value, 5);
  EXPECT_FALSE(found.parameters[0].deviation);
  EXPECT_THROW((void)fit(draft, {}, {"h"}, {{0}, {"z"}, {4}}), Error);
  EXPECT_THROW((void)fit(draft, {}, {"k"}, {{0}, {"y"}, {4}}), Error);
  EXPECT_THROW((void)fit(draft, {}, {"h"}, {{0}, {"y"}, {std::nan("")}}), Error);
}

/// y = cos(w t): the squares have many bottoms in w.
constexpr const char* swing = R"toml(
[parameters]
w = 5
[coordinates.x]
initial = 1
[energy]
kinetic = "x'^2/2"
potential = "w^2*x^2/2"
[outputs]
y = "x"
)toml";

Measured swinging(double w, double noise) {
  Measured out;
  out.outputs = {"y"};
  for (int k = 0; k < 40; ++k) {
    out.times.push_back(0.1 * k);
    out.value.push_back(std::cos(w * 0.1 * k) + ((k * 7) % 5 - 2) * noise);
  }
  return out;
}

TEST(Fit, goes_past_values_that_have_no_slope_and_ends_exactly_where_it_can) {
  // The way made from the origin: at the first instant the distance is zero, whatever the parameters.
  const model::Draft draft = model::read(R"toml(
[parameters]
v = 1
a = 0.1
[points.p]
mass = 1
position = [0, 0]
velocity = ["v", 0]
force = ["a", 0]
[outputs]
d = "norm(p)"
[simulation]
until = 3
)toml",
                                         "model.toml");
  Measured measured;
  measured.outputs = {"d"};
  for (int k = 0; k < 12; ++k) {
    const double t = 0.25 * k;
    measured.times.push_back(t);
    measured.value.push_back(1.3 * t + 0.1 * t * t);
  }
  const Fit found = fit(draft, {}, {"v", "a"}, measured);
  EXPECT_TRUE(found.converged) << found.why;
  EXPECT_NEAR(found.parameters[0].value, 1.3, 1e-12);
  EXPECT_NEAR(found.parameters[1].value, 0.2, 1e-12);
  EXPECT_EQ(found.without_slope, 1U);
  // What rounding has left of the squares falls nowhere.
  ASSERT_TRUE(found.gradient);
  EXPECT_EQ(*found.gradient, 0);
}

TEST(Fit, at_another_bottom_says_that_what_is_left_is_no_noise) {
  const model::Draft draft = model::read(swing, "model.toml");
  const Measured measured = swinging(3, 0.01);
  const Fit found = fit(draft, {}, {"w"}, measured);
  ASSERT_TRUE(found.converged) << found.why;
  EXPECT_GT(std::abs(found.parameters[0].value - 3), 0.5);
  EXPECT_LT(*found.gradient, 1e-5);
  EXPECT_TRUE(found.systematic);
  EXPECT_LT(*found.scatter, 1);

  // The true bottom, near by: residuals are the noise.
  model::Overrides near;
  near.parameters.emplace_back("w", "3.1");
  const Fit right = fit(draft, near, {"w"}, measured);
  EXPECT_NEAR(right.parameters[0].value, 3, 0.01);
  EXPECT_FALSE(right.systematic);
  EXPECT_GT(*right.scatter, 1.5);
}

TEST(Fit, from_several_starts_keeps_the_lowest_bottom) {
  const model::Draft draft = model::read(swing, "model.toml");
  FitOptions options;
  options.starts = 8;
  options.within = {{"w", 1, 8}};
  const Fit found = fit(draft, {}, {"w"}, swinging(3, 0.01), options);
  ASSERT_TRUE(found.converged) << found.why;
  EXPECT_NEAR(found.parameters[0].value, 3, 0.01);
  ASSERT_EQ(found.starts.size(), 8U);
  EXPECT_EQ(found.starts[0].from[0], 5);
  EXPECT_GE(found.alike, 1U);
  std::uint32_t alike = 0;
  for (const FitStart& one : found.starts) {
    EXPECT_GE(one.from[0], 1);
    EXPECT_LE(one.from[0], 8);
    if (!one.residual) continue;
    EXPECT_GE(*one.residual, found.residual);
    if (*one.residual < found.residual * 1.0001) ++alike;
  }
  EXPECT_EQ(alike, found.alike);
  EXPECT_FALSE(found.systematic);
  options.within = {{"v", 1, 8}};
  EXPECT_THROW((void)fit(draft, {}, {"w"}, swinging(3, 0.01), options), Error);
}

}  // namespace
}  // namespace zwang::sensitivity::fit_tests
