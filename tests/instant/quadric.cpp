/// Nearest points on a quadric against brute force over a fine net of the quadric.
#include "zwang/instant/quadric.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace quadric_tests {
namespace {

using zwang::instant::Quadric;
using zwang::instant::QuadricPoint;
using zwang::instant::stationary_points;

Quadric diagonal(std::vector<double> values) {
  Quadric q;
  q.q = zwang::linear::Matrix(values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    q.q(i, i) = values[i];
  }
  q.b.assign(values.size(), 0.0);
  return q;
}

TEST(Quadric, the_feet_on_both_nappes_of_a_circular_cone_follow_the_closed_form) {
  // x^2 + y^2 = k^2 z^2: feet s = (k R +- Z) / sqrt(1 + k^2) along (k X_perp / R, +-1) / sqrt(1 + k^2).
  for (const double k : {0.5, 0.75, 1.0, 2.0}) {
    const Quadric cone = diagonal({1, 1, -k * k});
    const std::vector<double> c{3, 4, 1.5};
    const auto points = stationary_points(cone, c);
    ASSERT_GE(points.size(), 2U);
    const double root = std::sqrt(1 + k * k);
    for (const double sign : {1.0, -1.0}) {
      const double s = (k * 5 + sign * 1.5) / root;
      const std::vector<double> foot{s * k * 0.6 / root, s * k * 0.8 / root, s * sign / root};
      bool found = false;
      for (const QuadricPoint& point : points) {
        double apart = 0;
        for (std::size_t i = 0; i < 3; ++i) {
          apart = std::max(apart, std::abs(point.u[i] - foot[i]));
        }
        found = found || apart < 1e-13;
      }
      EXPECT_TRUE(found) << "k " << k << " sign " << sign;
    }
  }
}

TEST(Quadric, a_force_along_the_axis_of_a_cone_leaves_a_circle) {
  const auto points = stationary_points(diagonal({1, 1, -1}), {0, 0, -3});
  ASSERT_FALSE(points.empty());
  EXPECT_TRUE(points.front().continuum);
  EXPECT_NEAR(points.front().distance2, 4.5, 1e-13);
  for (const QuadricPoint& point : points) {
    if (point.continuum) {
      EXPECT_NEAR(std::hypot(point.u[0], point.u[1]), 1.5, 1e-13);
      EXPECT_NEAR(point.u[2], -1.5, 1e-13);
    }
  }
}

TEST(Quadric, a_definite_cone_is_its_kernel) {
  // x^2 + y^2 = 0 is the z axis.
  const auto points = stationary_points(diagonal({1, 1, 0}), {3, 4, 5});
  ASSERT_FALSE(points.empty());
  EXPECT_NEAR(points.front().u[0], 0, 1e-14);
  EXPECT_NEAR(points.front().u[1], 0, 1e-14);
  EXPECT_NEAR(points.front().u[2], 5, 1e-14);
}

TEST(Quadric, no_sampled_point_of_random_conics_is_nearer_than_the_nearest_one) {
  std::mt19937 random(20240501);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 300; ++trial) {
    // A random conic through a grid search along rays: on each ray from the origin at most two points.
    Quadric q = diagonal({normal(random), normal(random), normal(random)});
    q.q(0, 1) = q.q(1, 0) = normal(random);
    q.q(0, 2) = q.q(2, 0) = normal(random);
    q.q(1, 2) = q.q(2, 1) = normal(random);
    const bool general = trial % 2 == 1;
    if (general) {
      q.b = {normal(random), normal(random), normal(random)};
      q.d = normal(random);
    }
    const std::vector<double> c{normal(random), normal(random), normal(random)};
    const auto points = stationary_points(q, c);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 60; ++i) {
      for (int j = 0; j < 120; ++j) {
        const double polar = 3.14159265 * (i + 0.5) / 60;
        const double around = 2 * 3.14159265 * j / 120;
        const std::vector<double> e{std::sin(polar) * std::cos(around), std::sin(polar) * std::sin(around),
                                    std::cos(polar)};
        // Rays from c: c + s e on the quadric.
        double a2 = 0;
        double a1 = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          a1 += 2 * q.b[k] * e[k];
          for (std::size_t l = 0; l < 3; ++l) {
            a2 += e[k] * q.q(k, l) * e[l];
            a1 += 2 * e[k] * q.q(k, l) * c[l];
          }
        }
        const double a0 = q.value(c);
        const double disc = a1 * a1 - 4 * a2 * a0;
        if (disc >= 0 && a2 != 0) {
          for (const double s : {(-a1 + std::sqrt(disc)) / (2 * a2), (-a1 - std::sqrt(disc)) / (2 * a2)}) {
            best = std::min(best, s * s);
          }
        }
      }
    }
    if (!std::isfinite(best)) {
      continue;
    }
    ASSERT_FALSE(points.empty()) << "trial " << trial;
    EXPECT_LE(points.front().distance2, best * (1 + 1e-12)) << "trial " << trial;
    EXPECT_GE(points.front().distance2, best * 0.8 - 1e-2) << "trial " << trial;
    // Every candidate lies on the quadric.
    for (const QuadricPoint& point : points) {
      EXPECT_LE(std::abs(q.value(point.u)), 1e-7 * q.scale(point.u)) << "trial " << trial;
    }
    EXPECT_LE(std::abs(q.value(points.front().u)), 1e-11 * q.scale(points.front().u)) << "trial " << trial;
  }
}

}  // namespace
}  // namespace quadric_tests
