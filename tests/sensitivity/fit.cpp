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

Measured fallen(double gravity, double noise) {
  Measured out;
  out.outputs = {"y"};
  for (int k = 0; k < 12; ++k) {
    const double t = 0.08 * (k + 1);
    out.times.push_back(t);
    out.value.push_back(3 - gravity * t * t / 2 + ((k * 7) % 5 - 2) * noise);
  }
  return out;
}

TEST(Fit, of_what_has_no_part_leaves_it_alone_and_the_others_right) {
  // All masses fall alike.
  const model::Draft draft = model::read(R"toml(
gravity = [0, "-g"]
[parameters]
h = 1
g = 5
m = 2
[points.a]
mass = "m"
position = [0, "h"]
[outputs]
y = "a.y"
)toml",
                                         "model.toml");
  const Measured measured = fallen(9.81, 0.01);
  const Fit two = fit(draft, {}, {"h", "g"}, measured);
  const Fit three = fit(draft, {}, {"h", "m", "g"}, measured);
  ASSERT_TRUE(three.converged) << three.why;
  EXPECT_NEAR(three.parameters[0].value, two.parameters[0].value, 1e-12);
  EXPECT_NEAR(three.parameters[2].value, two.parameters[1].value, 1e-12);
  EXPECT_EQ(three.parameters[1].value, 2);
  EXPECT_FALSE(three.parameters[1].determined);
  EXPECT_FALSE(three.parameters[1].deviation);
  // It counts for no degree of freedom either.
  EXPECT_TRUE(three.parameters[0].determined);
  EXPECT_NEAR(*three.parameters[0].deviation, *two.parameters[0].deviation, 1e-12);
  EXPECT_NEAR(*three.parameters[2].deviation, *two.parameters[1].deviation, 1e-12);
  ASSERT_EQ(three.undetermined.size(), 1U);
  EXPECT_EQ(three.undetermined[0].parameters, std::vector<std::string>{"m"});
  EXPECT_EQ(words(three.undetermined[0]), "the values do not determine m: nothing that was measured depends on it");
  EXPECT_TRUE(two.undetermined.empty());
}

TEST(Fit, of_the_mass_of_a_pendulum_is_not_led_by_rounding) {
  // Its slopes are not quite zero: rods of several masses hang from one another.
  const std::string text = R"toml(
gravity = [0, -9.81]
[parameters]
m = 0.7
L = 1.1
[points.a]
mass = "m"
position = ["L*sin(0.9)", "-L*cos(0.9)"]
[points.b]
mass = "3*m"
position = ["L*sin(0.9) + L", "-L*cos(0.9)"]
[constraints]
upper = "distance(a, [0, 0]) = L"
lower = "distance(a, b) = L"
[outputs]
x = "b.x"
[simulation]
until = 2
)toml";
  model::Overrides other;
  other.parameters = {{"L", "1.17"}};
  const Differentiated truth = differentiate(text, {"L"}, {}, other);
  Measured measured;
  measured.outputs = {"x"};
  const motion::RunView view = motion::view(truth.model, truth.track);
  for (int k = 1; k <= 20; ++k) {
    motion::Sample sample;
    ASSERT_TRUE(motion::state_at(truth.model, view, 0.1 * k, sample));
    measured.times.push_back(0.1 * k);
    measured.value.push_back(sample.state.position[2] + ((k * 7) % 5 - 2) * 1e-3);
  }
  const Fit found = fit(model::read(text, "model.toml"), {}, {"m", "L"}, measured);
  ASSERT_TRUE(found.converged) << found.why;
  EXPECT_EQ(found.parameters[0].value, 0.7);
  EXPECT_FALSE(found.parameters[0].determined);
  EXPECT_NEAR(found.parameters[1].value, 1.17, 4 * *found.parameters[1].deviation);
  EXPECT_LT(*found.parameters[1].deviation, 1e-2);
}

TEST(Fit, of_two_that_enter_as_a_product_names_the_product) {
  const model::Draft draft = model::read(R"toml(
[parameters]
k = 3
b = 2
m = 1
c = 0.1
s = 1
[points.a]
mass = "m"
position = [1, 0]
force = ["-k*b*a.x/s^2 - c*a.x'", 0]
[outputs]
y = "a.x"
[simulation]
until = 4
)toml",
                                         "model.toml");
  const Measured measured = swinging(2.2, 0.01);
  const Fit one = fit(draft, {}, {"k", "c"}, measured);
  const Fit both = fit(draft, {}, {"k", "b", "c"}, measured);
  ASSERT_TRUE(both.converged) << both.why;
  ASSERT_EQ(both.undetermined.size(), 1U);
  EXPECT_EQ(both.undetermined[0].parameters, (std::vector<std::string>{"k", "b"}));
  EXPECT_EQ(counts_only_as(both.undetermined[0]), "k*b");
  EXPECT_NEAR(both.parameters[0].value * both.parameters[1].value, one.parameters[0].value * 2, 1e-6);
  EXPECT_FALSE(both.parameters[0].deviation);
  EXPECT_FALSE(both.parameters[1].deviation);
  EXPECT_NEAR(both.parameters[2].value, one.parameters[1].value, 1e-7);
  EXPECT_NEAR(*both.parameters[2].deviation, *one.parameters[1].deviation, 1e-6 * *one.parameters[1].deviation);
  // Powers and quotients; what three parameters make together has no short name.
  const Fit power = fit(draft, {}, {"k", "s"}, measured);
  ASSERT_EQ(power.undetermined.size(), 1U);
  EXPECT_EQ(counts_only_as(power.undetermined[0]), "k/s^2");
  const Fit three = fit(draft, {}, {"k", "c", "m"}, measured);
  ASSERT_EQ(three.undetermined.size(), 1U);
  EXPECT_EQ(three.undetermined[0].parameters.size(), 3U);
  EXPECT_EQ(three.undetermined[0].along, Undetermined::Along::proportions);
  EXPECT_EQ(counts_only_as(three.undetermined[0]), "");
}

TEST(Fit, of_two_that_enter_as_a_difference_names_it) {
  const model::Draft draft = model::read(R"toml(
gravity = [0, -9.81]
[parameters]
a = 2
b = 0.5
[points.p]
mass = 1
position = [0, "a - b"]
[outputs]
y = "p.y"
)toml",
                                         "model.toml");
  const Fit found = fit(draft, {}, {"a", "b"}, fallen(9.81, 0.01));
  ASSERT_TRUE(found.converged) << found.why;
  ASSERT_EQ(found.undetermined.size(), 1U);
  EXPECT_EQ(counts_only_as(found.undetermined[0]), "a - b");
  EXPECT_NEAR(found.parameters[0].value - found.parameters[1].value, 3, 0.01);
}

TEST(Fit, leaves_a_place_that_is_flat_and_no_bottom) {
  // y = p^2 t has no slope at p = 0, where the model begins.
  const model::Draft draft = model::read(R"toml(
[parameters]
p = 0
[points.a]
mass = 1
position = [0, 0]
velocity = ["p^2", 0]
[outputs]
y = "a.x"
[simulation]
until = 1
)toml",
                                         "model.toml");
  Measured measured{{0.25, 0.5, 0.75, 1}, {"y"}, {0.5, 1, 1.5, 2}};
  const Fit found = fit(draft, {}, {"p"}, measured);
  ASSERT_TRUE(found.converged) << found.why;
  EXPECT_NEAR(std::abs(found.parameters[0].value), std::sqrt(2.0), 1e-9);
  EXPECT_TRUE(found.undetermined.empty());
  EXPECT_NEAR(found.first_residual, std::sqrt(7.5), 1e-12);
  // Where it is a bottom it is said that slopes alone do not tell.
  measured.value = {-0.5, -1, -1.5, -2};
  const Fit flat = fit(draft, {}, {"p"}, measured);
  EXPECT_EQ(flat.parameters[0].value, 0);
  ASSERT_EQ(flat.undetermined.size(), 1U);
  EXPECT_EQ(flat.undetermined[0].along, Undetermined::Along::first_order);
}

/// Dropped from h onto a floor that throws it back.
constexpr const char* dropped = R"toml(
gravity = [0, -9.81]
[parameters]
e = 0.8
h = 1
[points.a]
mass = 1
position = [0, "h"]
[constraints]
floor = { condition = "a.y >= 0", restitution = "e" }
[outputs]
y = "a.y"
[simulation]
until = 1
)toml";

Measured thrown_back(double e) {
  Measured out;
  out.outputs = {"y"};
  const double landing = std::sqrt(2 / 9.81);
  const double speed = e * std::sqrt(2 * 9.81);
  for (int k = 1; k < 17; ++k) {
    const double t = 0.05 * k;
    const double s = t - landing;
    out.times.push_back(t);
    out.value.push_back((s < 0 ? 1 - 9.81 * t * t / 2 : speed * s - 9.81 * s * s / 2) + ((k * 7) % 5 - 2) * 1e-3);
  }
  return out;
}

TEST(Fit, ends_at_a_restitution_of_one_where_values_want_more) {
  const model::Draft draft = model::read(dropped, "model.toml");
  const Fit both = fit(draft, {}, {"e", "h"}, thrown_back(1.05));
  ASSERT_TRUE(both.converged) << both.why;
  EXPECT_EQ(both.parameters[0].value, 1);
  ASSERT_TRUE(both.parameters[0].bound);
  EXPECT_TRUE(both.parameters[0].bound->upper);
  EXPECT_EQ(both.parameters[0].bound->at, 1);
  EXPECT_FALSE(both.parameters[0].deviation);
  EXPECT_LT(*both.gradient, 1e-5);
  EXPECT_NE(words_about_bound(both.parameters[0]).find("the values want e above 1"), std::string::npos);
  // The height is that of a fit with the restitution held there.
  model::Overrides held;
  held.parameters = {{"e", "1"}};
  const Fit one = fit(draft, held, {"h"}, thrown_back(1.05));
  EXPECT_NEAR(both.parameters[1].value, one.parameters[0].value, 1e-7);
  EXPECT_NEAR(*both.parameters[1].deviation, *one.parameters[0].deviation, 1e-6 * *one.parameters[0].deviation);
  // What lies within has no bound.
  const Fit within = fit(draft, {}, {"e", "h"}, thrown_back(0.95));
  EXPECT_NEAR(within.parameters[0].value, 0.95, 0.01);
  EXPECT_FALSE(within.parameters[0].bound);
  // Starts between half and double of 0.8 that are no restitutions are moved to where there are some.
  FitOptions options;
  options.starts = 6;
  const Fit several = fit(draft, {}, {"e"}, thrown_back(0.95), options);
  for (const FitStart& start : several.starts) EXPECT_TRUE(start.converged) << start.from[0] << ": " << start.why;
}

TEST(Fit, comes_as_near_to_a_mass_of_zero_as_makes_no_difference) {
  // Two masses pulled by 1: x = t^2 / (2 (1 + m)); values of 1.2 t^2 / 2 want a negative one.
  const model::Draft draft = model::read(R"toml(
[parameters]
m = 1
[points.a]
mass = 1
position = [0, 0]
force = [1, 0]
[points.b]
mass = "m"
position = [1, 0]
[constraints]
rod = "distance(a, b) = 1"
[outputs]
y = "a.x"
)toml",
                                         "model.toml");
  Measured measured;
  measured.outputs = {"y"};
  for (int k = 1; k < 12; ++k) {
    measured.times.push_back(0.1 * k);
    measured.value.push_back(0.6 * 0.01 * k * k);
  }
  const Fit found = fit(draft, {}, {"m"}, measured);
  ASSERT_TRUE(found.converged) << found.why;
  EXPECT_GT(found.parameters[0].value, 0);
  EXPECT_LT(found.parameters[0].value, 1e-7);
  ASSERT_TRUE(found.parameters[0].bound);
  EXPECT_EQ(found.parameters[0].bound->at, 0);
  EXPECT_FALSE(found.parameters[0].bound->upper);
  EXPECT_FALSE(found.parameters[0].bound->allowed);
  EXPECT_FALSE(found.parameters[0].deviation);
}

TEST(Fit, ends_at_the_string_that_just_reaches_what_hangs_on_it) {
  // A bob starts at rest 0.5 below its peg on a string of L, falls until it is taut: values from a peg higher up want a string shorter than 0.5.
  const model::Draft draft = model::read(R"toml(
gravity = [0, -9.81]
[parameters]
L = 0.8
[points.a]
mass = 1
position = [0, -0.5]
[constraints]
string = "distance(a, [0, 0]) <= L"
[outputs]
y = "a.y"
[simulation]
until = 1
)toml",
                                         "model.toml");
  Measured measured;
  measured.outputs = {"y"};
  for (int k = 8; k < 20; ++k) {
    measured.times.push_back(0.05 * k);
    measured.value.push_back(-0.45);
  }
  const Fit found = fit(draft, {}, {"L"}, measured);
  ASSERT_TRUE(found.converged) << found.why;
  EXPECT_NEAR(found.parameters[0].value, 0.5, 1e-7);
  ASSERT_TRUE(found.parameters[0].bound);
  EXPECT_FALSE(found.parameters[0].bound->upper);
  EXPECT_NEAR(found.parameters[0].bound->at, 0.5, 1e-7);
  EXPECT_FALSE(found.parameters[0].deviation);
}

TEST(Fit, stays_within_the_range_that_was_asked_for) {
  // With g held at 9 the best height is the mean of y + 9 t^2 / 2.
  const model::Draft draft = model::read(fall, "model.toml");
  const Measured measured = fallen(9.81, 0.01);
  FitOptions options;
  options.within = {{"g", 3, 9}};
  const Fit found = fit(draft, {}, {"h", "g"}, measured, options);
  ASSERT_TRUE(found.converged) << found.why;
  EXPECT_EQ(found.parameters[1].value, 9);
  ASSERT_TRUE(found.parameters[1].bound);
  EXPECT_EQ(found.parameters[1].bound->why, "");
  double sum = 0;
  for (std::size_t k = 0; k < measured.times.size(); ++k)
    sum += measured.value[k] + 9 * measured.times[k] * measured.times[k] / 2;
  EXPECT_NEAR(found.parameters[0].value, sum / static_cast<double>(measured.times.size()), 1e-12);
  // A model's own value outside of it begins at its end.
  options.within = {{"g", 8, 12}};
  const Fit moved = fit(draft, {}, {"h", "g"}, measured, options);
  EXPECT_EQ(moved.starts[0].from[1], 8);
  EXPECT_FALSE(moved.parameters[1].bound);
  EXPECT_NEAR(moved.parameters[1].value, 9.81, 0.2);
}

TEST(Fit, of_what_has_no_squares_in_doubles_is_none) {
  const model::Draft draft = model::read(fall, "model.toml");
  Measured measured{{0.1, 0.2, 0.3}, {"y"}, {1e308, -1e308, 1}};
  const auto words = [&] {
    try {
      static_cast<void>(fit(draft, {}, {"h"}, measured));
      return std::string("fitted");
    } catch (const Error& error) {
      return error.message();
    }
  };
  EXPECT_EQ(words(), "1e+308 is too large for a sum of squares: measure in other units");
  measured.value = {0, 1e-200, -3e-200};
  EXPECT_EQ(words(), "-3e-200 is too small for a sum of squares: measure in other units");
  measured.value = {0, 1e-200, 1};
  EXPECT_EQ(words(), "fitted");
  measured.value = {std::nan(""), std::nan(""), std::nan("")};
  EXPECT_EQ(words(), "there is no value to fit");

  // Of the motion, where the values are as they should be.
  const auto other = [&](const char* height) {
    std::string text = fall;
    text.replace(text.find("\"a.y\""), 5, height);
    return fit(model::read(text, "model.toml"), {}, {"h"}, {{0.1, 0.2, 0.3}, {"y"}, {1, 2, 3}});
  };
  const Fit far = other("\"1e200*a.y\"");
  EXPECT_FALSE(far.converged);
  EXPECT_NE(far.why.find("squares"), std::string::npos) << far.why;
  const Fit steep = other("\"1e160*(h - 1)\"");
  EXPECT_FALSE(steep.converged);
  EXPECT_NE(steep.why.find("slopes"), std::string::npos) << steep.why;
}

TEST(Fit, interrupted_anywhere_says_so) {
  const model::Draft draft = model::read(fall, "model.toml");
  const Measured measured = fallen(9.81, 0.01);
  int most = 1;
  Fit found;
  for (; most < 1000; ++most) {
    int asked = 0;
    FitOptions options;
    options.go_on = [&] { return ++asked < most; };
    found = fit(draft, {}, {"h", "g"}, measured, options);
    if (asked < most) break;
    EXPECT_EQ(asked, most) << "asked again after it said no";
    EXPECT_TRUE(found.converged || found.why.find("interrupted") != std::string::npos) << most << ": " << found.why;
  }
  EXPECT_TRUE(found.converged) << found.why;
  // Motions, their steps and their derivatives.
  EXPECT_GT(most, 3 * static_cast<int>(found.motions));
}

}  // namespace
}  // namespace zwang::sensitivity::fit_tests
