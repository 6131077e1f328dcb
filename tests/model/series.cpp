/// Rows and Lagrange's equations as power series, along motions known in closed form.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "sight.hpp"

namespace series_tests {
namespace {

using namespace zwang::model;

constexpr unsigned orders = 12;

/// Taylor coefficients of sin and cos of w s + p.
std::array<std::vector<double>, 2> wave(double w, double p) {
  std::array<std::vector<double>, 2> out;
  double factor = 1;
  for (unsigned k = 0; k < orders + 3; ++k) {
    const double turn = p + 0.5 * std::acos(-1.0) * k;
    out[0].push_back(factor * std::sin(turn));
    out[1].push_back(factor * std::cos(turn));
    factor *= w / (k + 1);
  }
  return out;
}

MotionSeries motion(double time, const std::vector<std::vector<double>>& variables) {
  MotionSeries out;
  out.time = time;
  out.n = variables.size();
  out.orders = static_cast<unsigned>(variables[0].size());
  for (unsigned k = 0; k < out.orders; ++k) {
    for (const std::vector<double>& one : variables) out.coefficient.push_back(one[k]);
  }
  return out;
}

std::vector<double> scaled(std::vector<double> series, double factor) {
  for (double& x : series) x *= factor;
  return series;
}

void expect_zero(const std::vector<double>& series, double scale) {
  for (const double x : series) EXPECT_NEAR(x, 0, 1e-12 * scale);
}

TEST(Residual, vanishes_along_an_oscillation) {
  // x = 3 sin(2 t + 1), m = 5, force -20 x.
  Sight sight("[points.a]\nmass = 5\nposition = [1, 0]\nforce = [\"-20*a.x\", 0]\n");
  std::vector<double> out;
  series_residual(sight.model, motion(0, {scaled(wave(2, 1)[0], 3), std::vector<double>(orders + 3, 0.0)}), orders,
                  out);
  ASSERT_EQ(out.size(), orders * 2);
  expect_zero(out, 100);
}

TEST(Residual, vanishes_along_a_fall_under_changing_gravity) {
  // y'' = cos t: y = 1 - cos t. At time 0.7.
  Sight sight("gravity = [0, \"cos(t)\"]\n[points.a]\nmass = 5\nposition = [1, 0]\n");
  const double t = 0.7;
  std::vector<double> y = scaled(wave(1, t)[1], -1);
  y[0] += 1;
  std::vector<double> x(orders + 3, 0.0);
  x[0] = 2;
  x[1] = 3;
  std::vector<double> out;
  series_residual(sight.model, motion(t, {x, y}), orders, out);
  expect_zero(out, 10);
}

TEST(Residual, vanishes_along_a_straight_line_in_polar_coordinates) {
  // r = sqrt(b^2 + c^2 s^2), phi = atan(c s / b): free motion with T = (r'^2 + r^2 phi'^2)/2.
  const double b = 2, c = 0.8;
  std::vector<double> r(orders + 3, 0.0), phi(orders + 3, 0.0);
  double binomial = b;
  double power = 1;
  for (unsigned k = 0; 2 * k < r.size(); ++k) {
    r[2 * k] = binomial * power;
    binomial *= (0.5 - k) / (k + 1.0);
    power *= c * c / (b * b);
  }
  double ratio = c / b;
  for (unsigned k = 0; 2 * k + 1 < phi.size(); ++k) {
    phi[2 * k + 1] = (k % 2 == 0 ? 1 : -1) * ratio / (2 * k + 1);
    ratio *= c * c / (b * b);
  }
  Sight sight(
      "[coordinates.r]\ninitial = 2\n[coordinates.phi]\ninitial = 0\nvelocity = 0.4\n[energy]\nkinetic = \"(r'^2 + "
      "r^2*phi'^2)/2\"\n");
  std::vector<double> out;
  series_residual(sight.model, motion(0, {r, phi}), orders, out);
  expect_zero(out, 10);
}

TEST(Residual, begins_with_force_minus_mass_times_acceleration) {
  Sight sight(
      "[coordinates.w]\ninitial = 0.3\nvelocity = 0.7\n[coordinates.u]\ninitial = 1.2\nvelocity = -0.4\n[energy]\n"
      "kinetic = \"(1 + u^2)*w'^2 + cos(w)*w'*u' + u'^2*(2 + sin(t)) + t*u*w'\"\npotential = \"u*w^3*t\"\n"
      "[simulation]\nstart = 0.25\n");
  const std::vector<double> a = {0.9, -1.7};
  const MotionSeries path = motion(0.25, {{0.3, 0.7, 0.45}, {1.2, -0.4, -0.85}});
  std::vector<double> out;
  series_residual(sight.model, path, 1, out);
  std::vector<double> inertia(2);
  sight.dynamics.mass.multiply(a, inertia);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(out[k], sight.dynamics.force[k] - inertia[k], 1e-13);
}

TEST(RowSeries, stays_zero_along_a_motion_that_keeps_the_condition) {
  // A circle of radius 2 about p, and the rolling condition x' sin - y' cos = 0 along it.
  Sight sight(
      "[parameters]\np = [1, -1]\n[points.a]\nmass = 1\nposition = [3, -1]\nvelocity = [0, 1]\n[constraints]\n"
      "rod = \"distance(a, p) = 2\"\nroll = \"dot(a - p, a') = 0\"\nmoving = \"a.x - 1 = 2*cos(t/2)\"\n");
  const double t = 0.6;
  std::vector<double> x = scaled(wave(0.5, t / 2)[1], 2), y = scaled(wave(0.5, t / 2)[0], 2);
  x[0] += 1;
  y[0] -= 1;
  RowSeries out;
  for (const std::string name : {"rod", "roll", "moving"}) {
    series_row(sight.model, sight.row(name), motion(t, {x, y}), orders, out);
    ASSERT_EQ(out.value.size(), orders);
    expect_zero(out.value, 10);
  }

  // The gradient of the rod is the unit vector (cos, sin) of half the time.
  series_row(sight.model, sight.row("rod"), motion(t, {x, y}), orders, out);
  const std::array<std::vector<double>, 2> direction = wave(0.5, t / 2);
  for (unsigned k = 0; k < orders; ++k) {
    EXPECT_NEAR(out.gradient[k], direction[1][k], 1e-13);
    EXPECT_NEAR(out.gradient[orders + k], direction[0][k], 1e-13);
  }
}

TEST(RowSeries, has_value_rate_and_curvature_as_its_first_coefficients) {
  Sight sight(
      "[points.a]\nmass = 1\nposition = [0.3, 0.8, -0.2]\nvelocity = [1, -0.5, 0.25]\n[constraints]\n"
      "f = \"a.x*sin(a.y*t) + a.z^2*t <= 1\"\np = \"a.x'*a.y - t*a.z' + a.x*t = 0\"\n[simulation]\nstart = 1.5\n");
  const std::vector<double> zero(3, 0.0);
  const MotionSeries line = motion(1.5, {{0.3, 1}, {0.8, -0.5}, {-0.2, 0.25}});
  RowSeries out;
  series_row(sight.model, 0, line, 3, out);
  EXPECT_NEAR(out.value[0], sight.rows.value[0], 1e-14);
  EXPECT_NEAR(out.value[1], sight.rows.rate[0], 1e-14);
  EXPECT_NEAR(2 * out.value[2], sight.rows.curvature[0], 1e-13);
  series_row(sight.model, 1, line, 3, out);
  EXPECT_NEAR(out.value[0], sight.rows.rate[1], 1e-14);
  EXPECT_NEAR(out.value[1], sight.rows.curvature[1], 1e-14);
  EXPECT_EQ(out.gradient.size(), 2U * 3U);
}

}  // namespace
}  // namespace series_tests
