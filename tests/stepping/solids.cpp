/// How deep polygons and boxes lie in one another, against closed forms.
#include "zwang/stepping/solids.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "steps.hpp"

namespace zwang::stepping::solids_tests {
namespace {

TEST(SquaresInOneAnother, are_measured_along_their_sides) {
  const model::Model model = model::load(R"toml(
[bodies.a]
mass = 1
shape = { box = [2, 2] }
position = [0, 0]
[bodies.b]
count = 2
mass = 1
shape = { polygon = [[-1, -1], [1, -1], [1, 1], [-1, 1]] }
position = ["5*i", 0]
[contacts]
c = { for = "i = 1..2", between = ["a", "b[i]"] }
floor = { body = "a", plane = { normal = [0, 1], offset = -4 } }
)toml",
                                         "model.toml");
  const std::vector<SolidPair> pairs = solid_pairs(model);
  ASSERT_EQ(pairs.size(), 2U);
  std::vector<double> q = {0, 0, 0, 1.9, 0.3, 0, 1 + std::sqrt(2.0) - 0.25, 0, std::acos(-1) / 4};
  EXPECT_NEAR(overlap(pairs[0], q), 0.1, 1e-12);
  // A corner in a side.
  EXPECT_NEAR(overlap(pairs[1], q), 0.25, 1e-12);
  // Apart, and too far to be looked at.
  q[3] = 2.1;
  EXPECT_NEAR(overlap(pairs[0], q), -0.1, 1e-12);
  q[3] = 20;
  EXPECT_EQ(overlap(pairs[0], q), 0);
}

TEST(BoxesInSpaceInOneAnother, are_measured_along_faces_and_across_edges) {
  const model::Model model = model::load(R"toml(
[bodies.a]
mass = 1
shape = { box = [2, 2, 2] }
position = [0, 0, 0]
[bodies.b]
mass = 1
shape = { box = [2, 2, 2] }
position = [5, 0, 0]
[contacts]
c = { between = ["a", "b"] }
)toml",
                                         "model.toml");
  const std::vector<SolidPair> pairs = solid_pairs(model);
  ASSERT_EQ(pairs.size(), 1U);
  const double half = std::acos(-1) / 8;
  std::vector<double> q = {0, 0, 0, 1, 0, 0, 0, 1.75, 0.2, -0.3, 1, 0, 0, 0};
  EXPECT_NEAR(overlap(pairs[0], q), 0.25, 1e-12);
  // One turned by 45 degrees about z, the other about y: an edge along z meets one along y, in the middle of both, where x is sqrt(2) from each centre.
  q = {0, 0, 0, std::cos(half), 0, 0, std::sin(half), 2 * std::sqrt(2.0) - 0.1, 0, 0, std::cos(half), 0, std::sin(half),
       0};
  EXPECT_NEAR(overlap(pairs[0], q), 0.1, 1e-12);
  q[7] += 0.3;
  EXPECT_NEAR(overlap(pairs[0], q), -0.2, 1e-12);
}

}  // namespace
}  // namespace zwang::stepping::solids_tests
