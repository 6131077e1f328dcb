/// Surfaces are what they are, however they are written, wherever they lie, however large they are.
#include "zwang/report/surfaces.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "zwang/model/read.hpp"

namespace zwang::report::surfaces_tests {

namespace {

/// f with its gradient by central differences in long double: no expression is shared with the code under test.
template <class F>
Field field(F f, double size, unsigned dimension = 3) {
  return {dimension, [f, size, dimension](const Vector& x, Vector& gradient) {
            using Real = long double;
            const Real h = static_cast<Real>(size) * 1e-5L;
            gradient = {0, 0, 0};
            for (unsigned c = 0; c < 3 && c < dimension; ++c) {
              Real up[3] = {x[0], x[1], x[2]};
              Real down[3] = {x[0], x[1], x[2]};
              up[c] += h;
              down[c] -= h;
              gradient[c] = static_cast<double>((f(up[0], up[1], up[2]) - f(down[0], down[1], down[2])) / (2 * h));
            }
            return static_cast<double>(f(static_cast<Real>(x[0]), static_cast<Real>(x[1]), static_cast<Real>(x[2])));
          }};
}

using Real = long double;

TEST(Surfaces, a_plane_is_a_plane_under_every_increasing_function) {
  const auto height = [](Real x, Real y, Real z) { return 0.6L * x + 0.8L * z - 2 + 0 * y; };
  const Field written[] = {
      field([=](Real x, Real y, Real z) { return height(x, y, z); }, 1),
      field([=](Real x, Real y, Real z) { return -3 * height(x, y, z); }, 1),
      field([=](Real x, Real y, Real z) { return height(x, y, z) + std::pow(height(x, y, z), 3); }, 1),
      field([=](Real x, Real y, Real z) { return std::sinh(height(x, y, z) / 3); }, 1),
  };
  for (std::size_t k = 0; k < std::size(written); ++k) {
    SCOPED_TRACE(k);
    const Surface surface = recognise(written[k], {1, 1, 1}, 1);
    ASSERT_EQ(surface.kind, SurfaceKind::plane);
    const double sense = k == 1 ? -1 : 1;
    EXPECT_NEAR(surface.numbers[0], sense * 0.6, 1e-9);
    EXPECT_NEAR(surface.numbers[2], sense * 0.8, 1e-9);
    EXPECT_NEAR(surface.numbers[3], sense * 2, 1e-8);
  }
}

TEST(Surfaces, a_sphere_is_a_sphere_inside_and_outside) {
  const auto square = [](Real x, Real y, Real z) { return (x - 1) * (x - 1) + (y + 2) * (y + 2) + (z - 3) * (z - 3); };
  struct Case {
    Field field;
    int side;
  };
  const Case cases[] = {
      {field([=](Real x, Real y, Real z) { return std::sqrt(square(x, y, z)) - 2; }, 1), 1},
      {field([=](Real x, Real y, Real z) { return square(x, y, z) - 4; }, 1), 1},
      {field([=](Real x, Real y, Real z) { return 4 - square(x, y, z); }, 1), -1},
      {field([=](Real x, Real y, Real z) { return 1 / std::sqrt(square(x, y, z)) - 0.5L; }, 1), -1},
      {field([=](Real x, Real y, Real z) { return std::log(square(x, y, z) / 4); }, 1), 1},
  };
  for (const Case& one : cases) {
    const Surface surface = recognise(one.field, {2.5, -1, 3}, 2);
    ASSERT_EQ(surface.kind, SurfaceKind::sphere);
    EXPECT_EQ(surface.side, one.side);
    const double expected[] = {1, -2, 3, 2};
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(surface.numbers[k], expected[k], 1e-7);
  }
}

TEST(Surfaces, quadrics_that_are_not_round_are_sampled) {
  const Field ellipsoid = field([](Real x, Real y, Real z) { return x * x + y * y / 4 + z * z - 1; }, 1);
  const Field paraboloid = field([](Real x, Real y, Real z) { return x * x + y * y - z; }, 1);
  const Field saddle = field([](Real x, Real y, Real z) { return x * y - z; }, 1);
  const Field elliptic_cone = field([](Real x, Real y, Real z) { return x * x + 2 * y * y - z * z; }, 1);
  const Field nearly = field([](Real x, Real y, Real z) { return x * x + y * y + (1 + 1e-6L) * z * z - 1; }, 1);
  const Field waves = field([](Real x, Real y, Real z) { return z - std::sin(3 * x) / 5 + 0 * y; }, 1);
  for (const Field& one : {ellipsoid, paraboloid, saddle, elliptic_cone, nearly, waves}) {
    EXPECT_EQ(recognise(one, {0.5, 0.2, 0.4}, 1).kind, SurfaceKind::other);
  }
  const Field ellipse = field([](Real x, Real y, Real) { return x * x + y * y / 4 - 1; }, 1, 2);
  EXPECT_EQ(recognise(ellipse, {0.5, 0.2, 0}, 1).kind, SurfaceKind::other);
}

TEST(Surfaces, nothing_is_seen_of_an_empty_set) {
  const Field never = field([](Real x, Real y, Real z) { return x * x + y * y + z * z + 1; }, 1);
  EXPECT_EQ(recognise(never, {0.5, 0.2, 0.4}, 1).kind, SurfaceKind::none);
}

/// Spheres, cylinders and cones, turned, moved and scaled by chance.
TEST(Surfaces, are_found_turned_moved_and_scaled) {
  EXPECT_TRUE(rc::check("kind, size and place are found again", [] {
    const auto number = [](double low, double high) {
      return low + (high - low) * static_cast<double>(*rc::gen::inRange(0, 1'000'000)) / 1e6;
    };
    const double scale = std::pow(10.0, number(-6, 6));
    // An axis and two directions across it.
    Vector axis{number(-1, 1), number(-1, 1), number(-1, 1)};
    const double length = std::hypot(axis[0], axis[1], axis[2]);
    RC_PRE(length > 0.1);
    for (double& a : axis) a /= length;
    const Vector place{scale * number(-3, 3), scale * number(-3, 3), scale * number(-3, 3)};
    const double radius = scale * number(0.5, 2);
    const double angle = number(0.2, 1.2);
    const int kind = *rc::gen::inRange(0, 3);
    const Field with_gradient{
        3, [=](const Vector& x, Vector& gradient) {
          Real from[3];
          Real along = 0;
          for (std::size_t c = 0; c < 3; ++c) from[c] = static_cast<Real>(x[c]) - place[c];
          for (std::size_t c = 0; c < 3; ++c) along += from[c] * axis[c];
          if (kind == 0) along = 0;
          Real square = 0;
          Real across[3];
          for (std::size_t c = 0; c < 3; ++c) {
            across[c] = from[c] - along * axis[c];
            square += across[c] * across[c];
          }
          const Real t = std::tan(static_cast<Real>(angle));
          for (std::size_t c = 0; c < 3; ++c) {
            gradient[c] = static_cast<double>(2 * across[c] - (kind == 2 ? 2 * t * t * along * axis[c] : 0.0L));
          }
          return static_cast<double>(square - (kind == 2 ? t * t * along * along : static_cast<Real>(radius) * radius));
        }};
    const Vector near{place[0] + radius, place[1] - 0.5 * radius, place[2] + 0.3 * radius};
    const Surface surface = recognise(with_gradient, near, 3 * scale);
    constexpr SurfaceKind kinds[] = {SurfaceKind::sphere, SurfaceKind::cylinder, SurfaceKind::cone};
    RC_ASSERT(surface.kind == kinds[kind]);
    RC_ASSERT(surface.side == 1);
    if (kind == 0) {
      RC_ASSERT(std::abs(surface.numbers[3] - radius) < 1e-6 * radius);
      for (std::size_t c = 0; c < 3; ++c) RC_ASSERT(std::abs(surface.numbers[c] - place[c]) < 1e-6 * scale);
      return;
    }
    double along = 0;
    for (std::size_t c = 0; c < 3; ++c) along += surface.numbers[3 + c] * axis[c];
    RC_ASSERT(std::abs(std::abs(along) - 1) < 1e-9);
    if (kind == 1) {
      RC_ASSERT(std::abs(surface.numbers[6] - radius) < 1e-5 * radius);
    } else {
      RC_ASSERT(surface.both);
      RC_ASSERT(std::abs(surface.numbers[6] - angle) < 1e-6);
      for (std::size_t c = 0; c < 3; ++c) RC_ASSERT(std::abs(surface.numbers[c] - place[c]) < 1e-5 * scale);
    }
  }));
}

TEST(Surfaces, a_half_cone_points_to_where_it_is) {
  const Field funnel = field([](Real x, Real y, Real z) { return std::sqrt(x * x + y * y) - (1 - z) / 2; }, 1);
  const Surface surface = recognise(funnel, {0.5, 0, 0.3}, 1);
  ASSERT_EQ(surface.kind, SurfaceKind::cone);
  EXPECT_FALSE(surface.both);
  EXPECT_NEAR(surface.numbers[2], 1, 1e-6);
  EXPECT_NEAR(surface.numbers[5], -1, 1e-6);
  EXPECT_NEAR(std::tan(surface.numbers[6]), 0.5, 1e-6);
}

TEST(Surfaces, a_mesh_lies_on_its_surface_and_faces_outwards) {
  const Field torus = field(
      [](Real x, Real y, Real z) {
        const Real ring = std::sqrt(x * x + y * y) - 1;
        return ring * ring + z * z - 0.16L;
      },
      1);
  const Mesh mesh = sample_mesh(torus, {-2, -2, -1}, {2, 2, 1});
  ASSERT_GT(mesh.corners.size(), 3000U);
  for (std::size_t v = 0; v < mesh.vertices.size(); v += 3) {
    const double ring = std::hypot(mesh.vertices[v], mesh.vertices[v + 1]) - 1;
    EXPECT_NEAR(std::hypot(ring, mesh.vertices[v + 2]), 0.4, 2e-4);
  }

  // Volume by the divergence theorem, 2 pi^2 R r^2 = 3.158: every triangle counts, with its sense.
  double volume = 0;
  for (std::size_t k = 0; k < mesh.corners.size(); k += 3) {
    const double* a = &mesh.vertices[3 * mesh.corners[k]];
    const double* b = &mesh.vertices[3 * mesh.corners[k + 1]];
    const double* c = &mesh.vertices[3 * mesh.corners[k + 2]];
    volume +=
        (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) /
        6;
  }
  EXPECT_NEAR(volume, 2 * M_PI * M_PI * 0.16, 0.08);
}

TEST(Surfaces, a_curve_of_the_plane_is_sampled_with_its_length) {
  const Field ellipse = field([](Real x, Real y, Real) { return x * x + y * y / 4 - 1; }, 1, 2);
  const Mesh mesh = sample_mesh(ellipse, {-2, -3, 0}, {2, 3, 0});
  double length = 0;
  for (std::size_t k = 0; k < mesh.corners.size(); k += 2) {
    const double* a = &mesh.vertices[2 * mesh.corners[k]];
    const double* b = &mesh.vertices[2 * mesh.corners[k + 1]];
    length += std::hypot(a[0] - b[0], a[1] - b[1]);
  }
  EXPECT_NEAR(length, 9.6884482205, 2e-3);
}

TEST(Surfaces, the_curve_of_two_surfaces_is_followed_all_around) {
  // A sphere of radius 2 and a plane at height 1: a circle of radius sqrt 3.
  const Field sphere = field([](Real x, Real y, Real z) { return x * x + y * y + z * z - 4; }, 1);
  const Field plane = field([](Real x, Real y, Real z) { return z - 1 + 0 * (x + y); }, 1);
  const std::vector<Vector> circle = trace_curve(sphere, plane, {1.7, 0.1, 1.1}, {-3, -3, -3}, {3, 3, 3});
  ASSERT_GT(circle.size(), 50U);
  EXPECT_EQ(circle.front(), circle.back());
  double length = 0;
  for (std::size_t k = 0; k + 1 < circle.size(); ++k) {
    EXPECT_NEAR(circle[k][2], 1, 1e-9);
    EXPECT_NEAR(std::hypot(circle[k][0], circle[k][1]), std::sqrt(3.0), 1e-9);
    length += std::hypot(circle[k + 1][0] - circle[k][0], circle[k + 1][1] - circle[k][1]);
  }
  EXPECT_NEAR(length, 2 * M_PI * std::sqrt(3.0), 0.01);
}

}  // namespace

}  // namespace zwang::report::surfaces_tests
