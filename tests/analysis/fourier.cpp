/// Fourier's set and the curvature of paths: hand examples, Gauss's point as the one with l.f'' = 0, mixtures of vertices.
#include "zwang/analysis/fourier.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "places.hpp"
#include "zwang/analysis/curvature.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis::fourier_tests {

namespace {

model::Model model_of(const std::string& text) { return model::compile(model::read(text, "test.toml")); }

Fourier of(const model::Model& model) { return fourier(model, model::initial_state(model)); }

/// One point in space at the origin at rest, with a force and conditions.
model::Model pushed(const std::string& force, const std::string& conditions) {
  return model_of("[points.a]\nmass = 1\nposition = [0, 0, 0]\nforce = " + force + "\n[constraints]\n" + conditions);
}

}  // namespace

TEST(Fourier, a_floor_may_push_harder_than_it_must) {
  const model::Model model = pushed("[1, 2, -3]", "floor = \"a.z >= 0\"\n");
  const Fourier found = of(model);
  ASSERT_EQ(found.vertices.size(), 1U);
  EXPECT_EQ(found.vertices[0].accelerations, (std::vector<double>{1, 2, 0}));
  EXPECT_NEAR(found.vertices[0].multipliers[0].second, 3, 1e-15);
  EXPECT_TRUE(found.unbounded);
  EXPECT_FALSE(found.unique);
  const model::State state = model::initial_state(model);
  EXPECT_TRUE(is_member(model, state, {1, 2, 0}));
  EXPECT_TRUE(is_member(model, state, {1, 2, 5}));
  EXPECT_FALSE(is_member(model, state, {1, 2, -1e-3}));
  EXPECT_FALSE(is_member(model, state, {1, 2.01, 1}));
}

TEST(Fourier, equations_alone_leave_one_acceleration) {
  const Fourier found = of(pushed("[1, 2, -3]", "rail = \"a.x = a.y\"\nplane = \"a.z = 0\"\n"));
  EXPECT_TRUE(found.unique);
  EXPECT_FALSE(found.unbounded);
  ASSERT_EQ(found.vertices.size(), 1U);
  EXPECT_NEAR(found.vertices[0].accelerations[0], 1.5, 1e-15);
  EXPECT_NEAR(found.vertices[0].accelerations[1], 1.5, 1e-15);
}

TEST(Fourier, between_two_opposite_walls_nothing_is_left_open) {
  const Fourier found = of(pushed("[1, 2, -3]", "left = \"a.x >= 0\"\nright = \"a.x <= 0\"\n"));
  EXPECT_TRUE(found.unique);
  EXPECT_FALSE(found.unbounded);
  ASSERT_EQ(found.vertices.size(), 1U);
  EXPECT_EQ(found.vertices[0].accelerations, (std::vector<double>{0, 2, -3}));
}

TEST(Fourier, friction_that_holds_is_among_the_forces) {
  for (const char* force : {"-0.5*a'/norm(a') + [0.3, 0.2, 0]", "[0.3 - 0.5*sign(a.x'), 0, 0]"}) {
    const Fourier found =
        of(model_of(std::string("[points.a]\nmass = 1\nposition = [0, 0, 0]\nforce = \"") + force + "\"\n"));
    EXPECT_TRUE(found.unique);
    ASSERT_EQ(found.vertices.size(), 1U);
    for (const double a : found.vertices[0].accelerations) EXPECT_NEAR(a, 0, 1e-15) << force;
  }
}

TEST(Fourier, a_condition_written_twice_changes_multipliers_but_not_the_set) {
  const Fourier once = of(pushed("[1, 2, -3]", "floor = \"a.z >= 0\"\n"));
  const Fourier twice = of(pushed("[1, 2, -3]", "floor = \"a.z >= 0\"\nagain = \"2*a.z >= 0\"\n"));
  ASSERT_EQ(twice.vertices.size(), 2U) << "one or the other carries";
  for (const Corner& vertex : twice.vertices) EXPECT_EQ(vertex.accelerations, once.vertices[0].accelerations);
  EXPECT_EQ(twice.unbounded, once.unbounded);
}

TEST(Fourier, the_free_motion_may_be_pushed_although_nothing_hinders_it) {
  const Fourier found = of(pushed("[0, 0, 3]", "floor = \"a.z >= 0\"\n"));
  ASSERT_EQ(found.vertices.size(), 1U);
  EXPECT_EQ(found.vertices[0].accelerations, (std::vector<double>{0, 0, 3}));
  EXPECT_TRUE(found.unbounded);
}

TEST(Fourier, mixtures_of_vertices_are_members_and_gauss_is_the_nearest_to_the_free_motion) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto number = [&] { return std::to_string(uniform(random)); };
  for (int round = 0; round < 60; ++round) {
    std::string conditions;
    const int rows = 1 + round % 4;
    for (int j = 0; j < rows; ++j) {
      conditions += "c" + std::to_string(j) + " = \"" + number() + "*a.x + (" + number() + ")*a.y + (" + number() +
                    ")*a.z " + (j == 3 ? "=" : "<=") + " 0\"\n";
    }
    const model::Model model = pushed("[" + number() + ", " + number() + ", " + number() + "]", conditions);
    const model::State state = model::initial_state(model);
    const Fourier found = of(model);
    ASSERT_EQ(found.instant.status, instant::Status::determined);
    ASSERT_FALSE(found.vertices.empty());
    EXPECT_TRUE(is_member(model, state, found.instant.accelerations));
    std::vector<double> mean(3, 0.0);
    for (const Corner& vertex : found.vertices) {
      EXPECT_TRUE(is_member(model, state, vertex.accelerations));
      for (std::size_t i = 0; i < 3; ++i)
        mean[i] += vertex.accelerations[i] / static_cast<double>(found.vertices.size());
    }
    EXPECT_TRUE(is_member(model, state, mean));
    for (const Corner& ray : found.rays) {
      std::vector<double> far = mean;
      for (std::size_t i = 0; i < 3; ++i) far[i] += 10 * ray.accelerations[i];
      EXPECT_TRUE(is_member(model, state, far));
      for (std::size_t i = 0; i < 3; ++i) far[i] -= 1000 * ray.accelerations[i];
      EXPECT_FALSE(is_member(model, state, far));
    }
    // Least constraint: no vertex is nearer to the free motion.
    const auto constraint = [&](const std::vector<double>& a) {
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i) sum += (a[i] - found.instant.free[i]) * (a[i] - found.instant.free[i]);
      return sum;
    };
    for (const Corner& vertex : found.vertices) {
      EXPECT_GE(constraint(vertex.accelerations), constraint(found.instant.accelerations) - 1e-12);
    }
  }
}

// ---- curvature

TEST(PathCurvature, of_a_helix_is_that_of_the_helix) {
  // Guided on a cylinder of radius 2 with pitch: radius (r^2 + b^2) / r, torsion b / (r^2 + b^2).
  const model::Model model = model_of(
      "[parameters]\nr = 2\nb = 0.5\n[points.a]\nmass = 3\nposition = [\"r\", 0, 0]\nvelocity = [0, \"4*r\", \"4*b\"]\n"
      "[constraints]\ncylinder = \"a.x^2 + a.y^2 = r^2\"\nthread = \"a.x*a.y' - a.y*a.x' = r^2/b*a.z'\"\n");
  const Curvature found = curvature(model);
  ASSERT_EQ(found.paths.size(), 1U);
  EXPECT_NEAR(found.paths[0].radius.value(), (4 + 0.25) / 2, 1e-13);
  EXPECT_NEAR(found.paths[0].torsion.value(), 0.5 / (4 + 0.25), 1e-13);
}

TEST(PathCurvature, of_a_plane_orbit_has_no_torsion) {
  const Curvature found =
      curvature(model_of("[points.a]\nmass = 1\nposition = [2, 0]\nvelocity = [0, 3]\n[constraints]\nrod = "
                         "\"distance(a, [0, 0]) = 2\"\n"));
  EXPECT_NEAR(found.paths[0].radius.value(), 2, 1e-14);
  EXPECT_EQ(found.paths[0].torsion.value(), 0);
}

TEST(PathCurvature, of_a_mark_on_a_flying_spinning_body_is_that_of_a_helix) {
  const Curvature found =
      curvature(model_of("[bodies.b]\nmass = 1\ninertia = [1, 2, 3]\nposition = [0, 0, 0]\nvelocity = [0, 0, 1.5]\n"
                         "spin = [0, 0, 3]\n[bodies.b.marks]\nm = [0, 2, 1]\n"));
  ASSERT_EQ(found.paths.size(), 2U);
  EXPECT_FALSE(found.paths[0].mark.has_value());
  EXPECT_FALSE(found.paths[0].radius.has_value());
  EXPECT_EQ(found.paths[1].mark, 0U);
  EXPECT_NEAR(found.paths[1].radius.value(), (4 + 0.25) / 2, 1e-13);
  EXPECT_NEAR(found.paths[1].torsion.value(), 0.5 / (4 + 0.25), 1e-13);
}

TEST(PathCurvature, is_none_where_conditions_carry_what_pulls) {
  // The bicycle of the gallery rides straight on; its accelerations are rounding of weights and of what the road bears.
  std::ifstream file(places::source("gallery/bicycle/model.toml"));
  const Curvature found = curvature(model_of({std::istreambuf_iterator<char>(file), {}}));
  ASSERT_GE(found.paths.size(), 4U);
  for (const PathOfPoint& path : found.paths) {
    EXPECT_NEAR(path.speed, 5, 1e-13);
    EXPECT_FALSE(path.radius.has_value()) << *path.radius;
  }
}

TEST(PathCurvature, a_mark_about_which_the_body_turns_rests) {
  const Curvature found = curvature(model_of(
      "[bodies.b]\nmass = 1\ninertia = [1, 2, 3]\nposition = [0.3, 0.1, 0]\nvelocity = [-0.07, 0.21, 0]\n"
      "spin = [0, 0, 0.7]\n[bodies.b.marks]\nm = [-0.3, -0.1, 0]\n[joints]\nj = { ball = [[0, 0, 0], \"b.m\"] }\n"));
  ASSERT_EQ(found.paths.size(), 2U);
  EXPECT_NEAR(found.paths[0].radius.value(), std::sqrt(0.1), 1e-14);
  EXPECT_EQ(found.paths[1].speed, 0);
  EXPECT_FALSE(found.paths[1].radius.has_value());
}

TEST(PathCurvature, of_a_mark_in_the_plane_is_that_of_a_trochoid) {
  const Curvature found =
      curvature(model_of("[bodies.b]\nmass = 1\ninertia = 2\nposition = [0, 0]\norientation = 0.4\nvelocity = "
                         "[\"5*cos(0.4)\", \"5*sin(0.4)\"]\n"
                         "spin = 3\n[bodies.b.marks]\nm = [2, 0]\n"));
  ASSERT_EQ(found.paths.size(), 2U);
  EXPECT_NEAR(found.paths[1].radius.value(), std::pow(25 + 36, 1.5) / (4 * 27), 1e-11);
  EXPECT_NEAR(found.paths[1].torsion.value(), 0, 1e-15);
}

TEST(PathCurvature, of_a_mark_is_that_of_a_point_fastened_to_it) {
  // The velocity of the mark is v + spin x arm.
  for (const bool space : {true, false}) {
    const Curvature found = curvature(model_of(
        space ? "gravity = [0, 1, -2]\n[bodies.b]\nmass = 1\ninertia = [1, 2, 2.5]\nposition = [0, 0, 0]\n"
                "velocity = [1, 0.5, 0.25]\nspin = [1, -2, 3]\ntorque = [1, \"sin(t)\", 0]\n"
                "[bodies.b.marks]\nm = [0.5, -0.25, 1]\n[points.a]\nmass = 0.7\nposition = [0.5, -0.25, 1]\n"
                "velocity = [-0.25, 1, 1]\nforce = [\"t\", 1, 0]\n[constraints]\nnail = \"a = b.m\"\n"
              : "gravity = [0, -2]\n[bodies.b]\nmass = 1\ninertia = 2\nposition = [0, 0]\nvelocity = [1, 0.5]\n"
                "spin = 2\ntorque = \"1 + t\"\n[bodies.b.marks]\nm = [0.5, -0.25]\n[points.a]\nmass = 0.7\n"
                "position = [0.5, -0.25]\nvelocity = [1.5, 1.5]\nforce = [\"t\", 1]\n[constraints]\nnail = \"a = "
                "b.m\"\n"));
    ASSERT_EQ(found.paths.size(), 3U);
    EXPECT_NEAR(found.paths[1].radius.value(), found.paths[2].radius.value(), 1e-12);
    EXPECT_NEAR(found.paths[1].torsion.value(), found.paths[2].torsion.value(), 1e-12);
  }
}

TEST(PathCurvature, of_free_flight_has_no_radius) {
  const Curvature found =
      curvature(model_of("[points.a]\nmass = 1\nposition = [2, 0, 0]\nvelocity = [0, 3, 1]\n[points.b]\nmass = "
                         "1\nposition = [0, 0, 0]\n"));
  EXPECT_FALSE(found.paths[0].radius.has_value());
  EXPECT_EQ(found.paths[0].curvature, 0);
  EXPECT_EQ(found.paths[1].speed, 0);
}

TEST(PathCurvature, under_one_condition_without_force_follows_voss) {
  // p = (y, 0, 1), v = (1, 3/4, -1/2) at y = 1/2: lambda = -p_i,k v_i v_k / |p|^2, radius c^2 / (|lambda| |p|).
  const Curvature found =
      curvature(model_of("[points.a]\nmass = 1\nposition = [0, \"1/2\", 0]\nvelocity = [1, \"3/4\", "
                         "\"-1/2\"]\n[constraints]\nform = \"a.y*a.x' + a.z' = 0\"\n"));
  const double c2 = 1 + 9.0 / 16 + 0.25;
  const double p2 = 1.25;
  EXPECT_NEAR(found.multipliers[0].second, 0.75 / p2, 1e-14) << "Voss's lambda has the other sign";
  EXPECT_NEAR(found.paths[0].radius.value(), c2 / (0.75 / p2 * std::sqrt(p2)), 1e-13);
  // det(v, p, p') / (c^2 |p|^2) with p' = (3/4, 0, 0).
  const double determinant = 0.75 * (0.75 * 1 - (-0.5) * 0);
  EXPECT_NEAR(found.paths[0].torsion.value(), determinant / (c2 * p2), 1e-13);
}

}  // namespace zwang::analysis::fourier_tests
